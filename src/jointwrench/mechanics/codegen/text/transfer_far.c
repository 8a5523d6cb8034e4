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
/* Writes past the caches, at multiples of 16 bytes; whole cache lines where an instruction exists. */
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

/* Width of rows from which the rows of all lanes do not fit into the first cache. */
#define WIDE 128

#if defined(STREAM) && HAS_MASKS
#if defined(__clang__)
#define PICK_BY(x, y, order) __builtin_ia32_vpermi2varpd512(x, order, y)
#else
#define PICK_BY(x, y, order) __builtin_shuffle(x, y, order)
#endif

/* From registers in whole cache lines: a line begins with the last numbers of the previous group. */
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

/* With a buffer, samples bypass the caches where possible; the buffer has one row per number. */
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
