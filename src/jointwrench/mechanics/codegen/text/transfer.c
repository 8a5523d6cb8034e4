#if defined(__SSE2__) && defined(__has_builtin) && WIDTH > 1
#if WIDTH == 8 && __has_builtin(__builtin_ia32_loadupd512_mask) \
    && __has_builtin(__builtin_ia32_storeupd512_mask)
#define HAS_MASKS 1
#endif
#endif
#if !defined(HAS_MASKS)
#define HAS_MASKS 0
#endif

#if WIDTH >= 4
/* Number of blocks by which inputs are prefetched. */
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

/* Transposes as many vectors as each has numbers. */
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

/* Numbers are copied in groups as long as a vector; the last group may be shorter. */
#if HAS_MASKS
#define FIRST(k, width) (k)
#define MASK(k, width) ((unsigned char) ((width) - (k) < 8 ? 0xff >> (8 - (width) + (k)) : 0xff))
#define LOAD(from, k, width) \
    __builtin_ia32_loadupd512_mask(from, zero, MASK(k, width))
#define STORE(to, y, k, width) __builtin_ia32_storeupd512_mask(to, y, MASK(k, width))
#else
/* Or the last group overlaps the previous one. */
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
