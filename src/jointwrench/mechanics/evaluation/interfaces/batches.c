/* The function through which other libraries call kernels: arrays whose batch axes broadcast. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#if defined(_WIN32)
#define VISIBLE __declspec(dllexport)
#else
#define VISIBLE __attribute__((visibility("default")))
#endif

typedef int evaluate(ptrdiff_t, const double *const *, const ptrdiff_t *, double *const *);

/* Bits of per_call are for groups of inputs that have one row per call. */
struct kernel {
    int64_t key, few, per_call;
    evaluate *batch, *single;
    struct kernel *next;
};

static struct kernel *volatile kernels;

VISIBLE int register_kernel(int64_t key, int64_t few, int64_t per_call, void *batch, void *single)
{
    struct kernel *own = kernels;
    while (own && own->key != key)
        own = own->next;
    if (own)
        return 0;
    own = malloc(sizeof *own);
    if (!own)
        return 1;
    *own = (struct kernel) {
        key, few, per_call, (evaluate *) batch, (evaluate *) single, kernels
    };
    __sync_synchronize();  /* other threads see the entry complete */
    kernels = own;
    return 0;
}

/* dims[k] are the sizes of the batch axes of group k and its width; an axis of size 1 is repeated.
   sizes are those of the results' batch axes, widths how many numbers of each a sample has. */
VISIBLE int evaluate_batches(
    int64_t key, int64_t groups, int64_t axes, const int64_t *const *dims,
    const double *const *inputs, const int64_t *sizes, int64_t outputs,
    const int64_t *widths, double *const *results)
{
    const struct kernel *kernel = kernels;
    const double *rows[groups], nothing = 0.0;
    ptrdiff_t strides[groups], steps[groups], inner = 1, outer = 1;
    double *targets[outputs];
    int64_t a, k, first = axes;
    while (kernel && kernel->key != key)
        kernel = kernel->next;
    if (!kernel)
        return 2;
    for (k = 0; k < groups; ++k)
        strides[k] = -1;
    /* one call covers the last axes along which each group either advances or is constant */
    for (; first > 0; --first) {
        const int64_t size = sizes[first - 1];
        for (k = 0; k < groups && size != 1; ++k) {
            const int goes_on = dims[k][first - 1] != 1;
            if (goes_on && (kernel->per_call >> k & 1))
                break;
            if (strides[k] >= 0 && goes_on != (strides[k] > 0) && dims[k][axes])
                break;
        }
        if (size != 1 && k < groups)
            break;
        for (k = 0; k < groups && size != 1; ++k)
            strides[k] = dims[k][first - 1] != 1 ? dims[k][axes] : 0;
        inner *= size;
    }
    for (a = 0; a < first; ++a)
        outer *= sizes[a];
    for (k = 0; k < groups; ++k) {
        strides[k] = strides[k] < 0 ? 0 : strides[k];
        steps[k] = strides[k] ? inner*strides[k] : dims[k][axes];
    }
    for (ptrdiff_t turn = 0; turn < outer && inner; ++turn) {
        for (k = 0; k < groups; ++k) {
            ptrdiff_t rest = turn, step = steps[k];
            rows[k] = dims[k][axes] ? inputs[k] : &nothing;
            for (a = first; a-- > 0; rest /= sizes[a]) {
                if (dims[k][a] != 1)
                    rows[k] += rest % sizes[a]*step;
                step *= dims[k][a];
            }
        }
        for (k = 0; k < outputs; ++k)
            targets[k] = results[k] + turn*inner*widths[k];
        if ((inner <= kernel->few ? kernel->single : kernel->batch)(inner, rows, strides, targets))
            return 1;
    }
    return 0;
}
