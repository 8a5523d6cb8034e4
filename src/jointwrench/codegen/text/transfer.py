"""C text that carries samples into rows and rows into samples.

In memory a sample's numbers stand side by side; in a block each number has a row
with one entry per lane.  Between the two lies a transposition, which is written out
for processors with registers of eight numbers.  Outputs that are larger than caches
bypass them: they are transposed within the block and then streamed to memory, which
saves reading what is about to be overwritten.

The compiler's own functions are called where it has them: reading the header of the
intrinsics takes longer than compiling a small model.
"""

TRANSFER = """\
#if LANES == 8 && defined(__SSE2__) && defined(__has_builtin)
#if defined(__AVX512F__) && __has_builtin(__builtin_ia32_loadupd512_mask) \\
    && __has_builtin(__builtin_ia32_storeupd512_mask)
#define HAS_WIDE_REGISTERS 1
#endif
#if __has_builtin(__builtin_nontemporal_store)
#define STREAM(type, to, x) __builtin_nontemporal_store(x, (type *) (to))
#elif __has_builtin(__builtin_ia32_movntpd)
#define STREAM(type, to, x) STREAM_##type(to, x)
#define STREAM_pair(to, x) __builtin_ia32_movntpd(to, x)
#define STREAM_eight(to, x) __builtin_ia32_movntpd512(to, x)
#endif
#endif

#if defined(HAS_WIDE_REGISTERS) || defined(STREAM)
#define VECTOR(bytes, place) __attribute__((vector_size(bytes), aligned(place), may_alias))
typedef double pair VECTOR(16, 16);
typedef double eight VECTOR(64, 64);
typedef double pair_anywhere VECTOR(16, 8);
typedef double eight_anywhere VECTOR(64, 8);
#endif

#if defined(HAS_WIDE_REGISTERS)
/* How many blocks before they are needed inputs are asked for. */
#define AHEAD 4

#if __has_builtin(__builtin_shufflevector)
#define PICK(x, y, ...) __builtin_shufflevector(x, y, __VA_ARGS__)
#else
typedef long long picks VECTOR(64, 64);
#define PICK(x, y, ...) __builtin_shuffle(x, y, (picks) {__VA_ARGS__})
#endif
#define PICK_OUTER(x, y) PICK(x, y, 0, 1, 4, 5, 8, 9, 12, 13)
#define PICK_INNER(x, y) PICK(x, y, 2, 3, 6, 7, 10, 11, 14, 15)

/* Eight vectors of eight numbers: the first numbers of all, the second ones, and so on. */
static inline void transpose(eight *x)
{
    eight y[8];
    for (int k = 0; k < 8; k += 2) {
        y[k] = PICK(x[k], x[k + 1], 0, 8, 2, 10, 4, 12, 6, 14);
        y[k + 1] = PICK(x[k], x[k + 1], 1, 9, 3, 11, 5, 13, 7, 15);
    }
    for (int k = 0; k < 2; k++) {
        const eight a = PICK_OUTER(y[k], y[k + 2]);
        const eight b = PICK_INNER(y[k], y[k + 2]);
        const eight c = PICK_OUTER(y[k + 4], y[k + 6]);
        const eight d = PICK_INNER(y[k + 4], y[k + 6]);
        x[k] = PICK_OUTER(a, c);
        x[k + 2] = PICK_OUTER(b, d);
        x[k + 4] = PICK_INNER(a, c);
        x[k + 6] = PICK_INNER(b, d);
    }
}

static inline void gather(const double *from, ptrdiff_t stride, int width, int samples, row *rows)
{
    const size_t later = (size_t) from + (size_t) (8*AHEAD*stride)*sizeof(double);
    for (int lane = 0; samples == 8 && lane < 8; lane++)
        for (int k = 0; k < width; k += 8)
            __builtin_prefetch((const char *) (later + (size_t) (lane*stride + k)*sizeof(double)));
    for (int first = 0; first < width; first += 8) {
        const int count = width - first < 8 ? width - first : 8;
        const unsigned char mask = (unsigned char) (0xff >> (8 - count));
        const eight zero = {0};
        eight x[8];
        for (int lane = 0; lane < 8; lane++)
            x[lane] = __builtin_ia32_loadupd512_mask(
                (const void *) (from + (lane < samples ? lane : samples - 1)*stride + first),
                zero, mask);
        transpose(x);
        for (int k = 0; k < count; k++)
            *(eight *) rows[first + k] = x[k];
    }
}

static inline void scatter_near(row *rows, int width, int samples, double *to)
{
    for (int first = 0; first < width; first += 8) {
        const int count = width - first < 8 ? width - first : 8;
        const unsigned char mask = (unsigned char) (0xff >> (8 - count));
        eight x[8];
        for (int k = 0; k < 8; k++)
            x[k] = *(const eight *) rows[first + (k < count ? k : 0)];
        transpose(x);
        for (int lane = 0; lane < 8; lane++)
            if (lane < samples)
                __builtin_ia32_storeupd512_mask(
                    (void *) (to + lane*width + first), x[lane], mask);
    }
}

#else
static inline void gather(const double *from, ptrdiff_t stride, int width, int samples, row *rows)
{
    for (int lane = 0; lane < LANES; lane++)
        for (int k = 0; k < width; k++)
            rows[k][lane] = from[(lane < samples ? lane : samples - 1)*stride + k];
}

static inline void scatter_near(row *rows, int width, int samples, double *to)
{
    for (int lane = 0; lane < samples; lane++)
        for (int k = 0; k < width; k++)
            to[lane*width + k] = rows[k][lane];
}
#endif

#if defined(STREAM)
/* Writes past the caches, to a multiple of 16 bytes: whole lines where there is an instruction. */
static inline void stream(const double *from, int count, double *to)
{
    const double *const end = to + count;
#if defined(__AVX512F__)
    for (; (size_t) to % 64 && to < end; to += 2, from += 2)
        STREAM(pair, to, *(const pair_anywhere *) from);
    for (; end - to >= 8; to += 8, from += 8)
        STREAM(eight, to, *(const eight_anywhere *) from);
#endif
    for (; to < end; to += 2, from += 2)
        STREAM(pair, to, *(const pair_anywhere *) from);
}
#endif

/* With a buffer of as many rows the samples go past the caches, where that can be done. */
static inline void scatter(row *rows, int width, int samples, double *to, row *buffer)
{
#if defined(STREAM)
    if (buffer && samples == LANES && (size_t) to % 16 == 0) {
        scatter_near(rows, width, samples, *buffer);
        stream(*buffer, LANES*width, to);
        return;
    }
#endif
    (void) buffer;
    scatter_near(rows, width, samples, to);
}

"""
