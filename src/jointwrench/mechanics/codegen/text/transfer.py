"""C text that copies samples into rows and rows into samples.

In memory a sample's numbers are adjacent; in a block each has a row with one entry per lane, so the
copy is a transposition.  A list of places gives the rows of an output's entries: zeros share one,
and so do equal entries.  Outputs larger than the caches are transposed within the block and
streamed to memory, which saves reading what is about to be overwritten.

The compiler's built-in functions are called if available: including the header of the intrinsics
takes longer than compiling a small model.

These texts, as those of `sines`, are no files of C: each kernel has those that it needs, with its
own types and numbers of lanes, and stands alone.
"""

#: From this many numbers on, outputs go to memory past the caches.
FAR = 2**20

#: For any numbers and processors.
PLAIN = """\
static inline void gather_each(const real *from, long long stride, int width, int samples,
                               row *rows)
{
    for (int lane = 0; lane < LANES; lane++)
        for (int k = 0; k < width; k++)
            rows[k][lane] = from[(lane < samples ? lane : samples - 1)*stride + k];
}

static inline void scatter_each(row *block, const int *places, int width, int samples, real *to)
{
    for (int lane = 0; lane < samples; lane++)
        for (int k = 0; k < width; k++)
            to[lane*width + k] = block[places[k]][lane];
}

"""

#: For registers of numbers in double precision, where there are any.
TRANSFER = (
    PLAIN
    + """\
#if defined(__SSE2__) && defined(__has_builtin) && WIDTH > 1
#if WIDTH == 8 && __has_builtin(__builtin_ia32_loadupd512_mask) \\
    && __has_builtin(__builtin_ia32_storeupd512_mask)
#define HAS_MASKS 1
#endif
#endif
#if !defined(HAS_MASKS)
#define HAS_MASKS 0
#endif

#if WIDTH >= 4
/* How many blocks before they are needed inputs are asked for. */
#define AHEAD 4

#if defined(__clang__) || __GNUC__ >= 12
#define PICK(x, y, ...) __builtin_shufflevector(x, y, __VA_ARGS__)
#else
#define PICK(x, y, ...) __builtin_shuffle(x, y, (bits) {__VA_ARGS__})
#endif
#if defined(__clang__)
#define UNROLL
#else
#define UNROLL _Pragma("GCC unroll 8")
#endif

/* As many vectors as they have numbers: the first numbers of all, the second ones, and so on. */
#if WIDTH == 8
#define PICK_OUTER(x, y) PICK(x, y, 0, 1, 4, 5, 8, 9, 12, 13)
#define PICK_INNER(x, y) PICK(x, y, 2, 3, 6, 7, 10, 11, 14, 15)
static inline void transpose(vec *x)
{
    vec y[8];
    UNROLL
    for (int k = 0; k < 8; k += 2) {
        y[k] = PICK(x[k], x[k + 1], 0, 8, 2, 10, 4, 12, 6, 14);
        y[k + 1] = PICK(x[k], x[k + 1], 1, 9, 3, 11, 5, 13, 7, 15);
    }
    UNROLL
    for (int k = 0; k < 2; k++) {
        const vec a = PICK_OUTER(y[k], y[k + 2]);
        const vec b = PICK_INNER(y[k], y[k + 2]);
        const vec c = PICK_OUTER(y[k + 4], y[k + 6]);
        const vec d = PICK_INNER(y[k + 4], y[k + 6]);
        x[k] = PICK_OUTER(a, c);
        x[k + 2] = PICK_OUTER(b, d);
        x[k + 4] = PICK_INNER(a, c);
        x[k + 6] = PICK_INNER(b, d);
    }
}
#else
static inline void transpose(vec *x)
{
    const vec a = PICK(x[0], x[1], 0, 4, 2, 6);
    const vec b = PICK(x[0], x[1], 1, 5, 3, 7);
    const vec c = PICK(x[2], x[3], 0, 4, 2, 6);
    const vec d = PICK(x[2], x[3], 1, 5, 3, 7);
    x[0] = PICK(a, c, 0, 1, 4, 5);
    x[1] = PICK(b, d, 0, 1, 4, 5);
    x[2] = PICK(a, c, 2, 3, 6, 7);
    x[3] = PICK(b, d, 2, 3, 6, 7);
}
#endif

/* Numbers are taken in groups as long as a vector; the last group may be shorter. */
#if HAS_MASKS
#define FIRST(k, width) (k)
#define MASK(k, width) ((unsigned char) ((width) - (k) < 8 ? 0xff >> (8 - (width) + (k)) : 0xff))
#define LOAD(from, k, width) \\
    __builtin_ia32_loadupd512_mask(from, zero, MASK(k, width))
#define STORE(to, y, k, width) __builtin_ia32_storeupd512_mask(to, y, MASK(k, width))
#else
/* Or it begins earlier, with numbers of the one before. */
#define FIRST(k, width) ((k) + WIDTH <= (width) ? (k) : (width) - WIDTH)
#define LOAD(from, k, width) (*(const stored *) (from))
#define STORE(to, y, k, width) (*(stored *) (to) = (y))
#endif

INLINE void gather(const double *from, long long stride, int width, int samples, row *rows)
{
    const long long later = 8*AHEAD*stride;
    for (int lane = 0; samples == LANES && lane < LANES; lane++)
        for (int k = 0; k < width; k += 8)
            __builtin_prefetch((const char *) from + 8*(later + lane*stride + k));
    if (!HAS_MASKS && width < WIDTH) {
        gather_each(from, stride, width, samples, rows);
        return;
    }
    for (int lane = 0; lane < LANES; lane += WIDTH)
        for (int k = 0; k < width; k += WIDTH) {
            const int first = FIRST(k, width);
            const vec zero = {0};
            vec x[WIDTH];
            (void) zero;
            UNROLL
            for (int i = 0; i < WIDTH; i++) {
                const int sample = lane + i < samples ? lane + i : samples - 1;
                x[i] = LOAD(from + sample*stride + first, k, width);
            }
            transpose(x);
            UNROLL
            for (int i = 0; i < WIDTH; i++)
                if (first + i < width)
                    *(stored *) (rows[first + i] + lane) = x[i];
        }
}

static inline void scatter(row *block, const int *places, int width, int samples, double *to)
{
    if (!HAS_MASKS && width < WIDTH) {
        scatter_each(block, places, width, samples, to);
        return;
    }
    for (int lane = 0; lane < samples; lane += WIDTH)
        for (int k = 0; k < width; k += WIDTH) {
            const int first = FIRST(k, width);
            vec x[WIDTH];
            UNROLL
            for (int i = 0; i < WIDTH; i++) {
                const int place = places[first + i < width ? first + i : first];
                x[i] = *(const stored *) (block[place] + lane);
            }
            transpose(x);
            UNROLL
            for (int i = 0; i < WIDTH; i++)
                if (lane + i < samples)
                    STORE(to + (lane + i)*width + first, x[i], k, width);
        }
}

#else
#define gather gather_each
#define scatter scatter_each
#endif

"""
)

#: Past the caches, for libraries: needs the former.
FAR_TRANSFER = """\
#if !defined(SECOND_CACHE)
#define SECOND_CACHE (1 << 21)
#endif
#if defined(__SSE2__) && defined(__has_builtin) && WIDTH > 1
#if __has_builtin(__builtin_nontemporal_store)
#define STREAM(type, to, x) __builtin_nontemporal_store(x, (type *) (to))
#elif __has_builtin(__builtin_ia32_movntpd)
#define STREAM(type, to, x) STREAM_##type(to, x)
#define STREAM_pair(to, x) __builtin_ia32_movntpd(to, x)
#define STREAM_eight(to, x) __builtin_ia32_movntpd512(to, x)
#endif
#endif

#if defined(STREAM)
/* Writes past the caches, to a multiple of 16 bytes: whole lines where there is an instruction. */
typedef double pair __attribute__((vector_size(16), may_alias));
typedef double pair_anywhere __attribute__((vector_size(16), aligned(8), may_alias));
typedef double eight __attribute__((vector_size(64), may_alias));
typedef double eight_anywhere __attribute__((vector_size(64), aligned(8), may_alias));

static inline void stream(const double *from, int count, double *to)
{
    const double *const end = to + count;
#if WIDTH == 8
    for (; (__SIZE_TYPE__) to % 64 && to < end; to += 2, from += 2)
        STREAM(pair, to, *(const pair_anywhere *) from);
    for (; end - to >= 8; to += 8, from += 8)
        STREAM(eight, to, *(const eight_anywhere *) from);
#endif
    for (; to < end; to += 2, from += 2)
        STREAM(pair, to, *(const pair_anywhere *) from);
}
#endif

/* As many rows of so many numbers as there are lanes do not fit into the first cache. */
#define WIDE 128

#if defined(STREAM) && HAS_MASKS
#if defined(__clang__)
#define PICK_BY(x, y, order) __builtin_ia32_vpermi2varpd512(x, order, y)
#else
#define PICK_BY(x, y, order) __builtin_shuffle(x, y, order)
#endif

/* From registers in whole lines: a row's line begins with the last numbers of the group before. */
static inline void stream_wide(row *block, const int *places, int width, double *to)
{
    const bits count = {0, 1, 2, 3, 4, 5, 6, 7};
    vec before[8] = {{0}};
    bits order[8];
    int past[8];
    UNROLL
    for (int i = 0; i < 8; i++) {
        past[i] = (int) ((__SIZE_TYPE__) (to + i*width)/8 % 8);
        order[i] = count + (8 - past[i]);
    }
    for (int k = 0; k < width + 8; k += 8) {
        vec x[8];
        UNROLL
        for (int i = 0; i < 8; i++)
            x[i] = *(const stored *) block[places[k + i < width ? k + i : width - 1]];
        transpose(x);
        UNROLL
        for (int i = 0; i < 8; i++) {
            double *const line = to + i*width + k - past[i];
            const vec y = PICK_BY(before[i], x[i], order[i]);
            const int left = width - k + past[i];
            const int first = k ? 0 : past[i], last = left < 8 ? left : 8;
            before[i] = x[i];
            if (first == 0 && last == 8)
                STREAM(eight, line, y);
            else if (last > first)
                __builtin_ia32_storeupd512_mask(
                    line, y, (unsigned char) ((0xff << first) & (0xff >> (8 - last))));
        }
    }
}
#endif

/* With a buffer of as many rows the samples go past the caches, where that can be done. */
static inline void scatter_far(row *block, const int *places, int width, int samples, double *to,
                               row *buffer)
{
#if defined(STREAM)
#if HAS_MASKS && LANES == 8
    if (buffer && samples == LANES && width >= WIDE && (__SIZE_TYPE__) to % 8 == 0) {
        stream_wide(block, places, width, to);
        return;
    }
#endif
    if (buffer && samples == LANES && width < 4*WIDE && (__SIZE_TYPE__) to % 16 == 0) {
        scatter(block, places, width, samples, *buffer);
        stream(*buffer, LANES*width, to);
        return;
    }
#endif
    (void) buffer;
    scatter(block, places, width, samples, to);
}

"""
