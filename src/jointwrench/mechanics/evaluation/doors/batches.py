"""The C function through which other libraries call kernels: arrays whose batch axes broadcast."""

#: Kernels by their keys, which stay good in programs that these libraries keep on disk; and what
#: calls them for as many samples at once as lie one behind the other.
BATCHES = """
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
    __sync_synchronize();  /* threads that look for others see it complete */
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
    /* the last axes along which each group either goes on or stays are one call */
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
"""

#: What XLA calls on the processor: the kernel's key is the only attribute.
XLA_CALL = """
#include "xla/ffi/api/c_api.h"

static XLA_FFI_Error *failure(XLA_FFI_CallFrame *frame, XLA_FFI_Error_Code code, const char *words)
{
    XLA_FFI_Error_Create_Args args = {XLA_FFI_Error_Create_Args_STRUCT_SIZE, NULL, words, code};
    return frame->api->XLA_FFI_Error_Create(&args);
}

VISIBLE XLA_FFI_Error *call_from_xla(XLA_FFI_CallFrame *frame)
{
    XLA_FFI_Extension_Base *asked = frame->extension_start;
    if (asked && asked->type == XLA_FFI_Extension_Metadata) {
        XLA_FFI_Metadata *told = ((XLA_FFI_Metadata_Extension *) asked)->metadata;
        told->api_version.major_version = XLA_FFI_API_MAJOR;
        told->api_version.minor_version = XLA_FFI_API_MINOR;
        return NULL;
    }
    const int64_t groups = frame->args.size, outputs = frame->rets.size;
    const int64_t *dims[groups];
    const double *inputs[groups];
    double *results[outputs];
    int64_t widths[outputs], axes = 0, a, k;
    for (k = 0; k < groups; ++k) {
        const XLA_FFI_Buffer *own = frame->args.args[k];
        dims[k] = own->dims;
        inputs[k] = own->data;
        axes = own->rank - 1;
    }
    for (k = 0; k < outputs; ++k) {
        const XLA_FFI_Buffer *own = frame->rets.rets[k];
        results[k] = own->data;
        widths[k] = 1;
        for (a = axes; a < own->rank; ++a)
            widths[k] *= own->dims[a];
    }
    const int64_t *sizes = ((XLA_FFI_Buffer *) frame->rets.rets[0])->dims;
    const int64_t key = *(int64_t *) ((XLA_FFI_Scalar *) frame->attrs.attrs[0])->value;
    const int problem = evaluate_batches(
        key, groups, axes, dims, inputs, sizes, outputs, widths, results);
    if (problem == 2)
        return failure(frame, XLA_FFI_Error_Code_NOT_FOUND,
                       "this process has not made the kernel: call to_jax in it");
    if (problem)
        return failure(frame, XLA_FFI_Error_Code_RESOURCE_EXHAUSTED,
                       "a kernel was short of memory");
    return NULL;
}
"""
