"""C text that carries samples into rows and rows into samples.

In memory a sample's numbers stand side by side; in a block each number has a row
with one entry per lane.  Between the two lies a transposition, which is written out
for processors with registers of eight numbers.  Outputs that are larger than caches
bypass them: they are transposed within the block and then streamed to memory, which
saves reading what is about to be overwritten.
"""

TRANSFER = """\
#if defined(__AVX512F__)
#include <immintrin.h>
#define STREAMS 1

/* How many blocks before they are needed inputs are asked for. */
#define AHEAD 4

/* Eight vectors of eight numbers: the first numbers of all, the second ones, and so on. */
static inline void transpose(__m512d *x)
{
    __m512d y[8];
    for (int k = 0; k < 8; k += 2) {
        y[k] = _mm512_unpacklo_pd(x[k], x[k + 1]);
        y[k + 1] = _mm512_unpackhi_pd(x[k], x[k + 1]);
    }
    for (int k = 0; k < 2; k++) {
        const __m512d a = _mm512_shuffle_f64x2(y[k], y[k + 2], 0x88);
        const __m512d b = _mm512_shuffle_f64x2(y[k], y[k + 2], 0xdd);
        const __m512d c = _mm512_shuffle_f64x2(y[k + 4], y[k + 6], 0x88);
        const __m512d d = _mm512_shuffle_f64x2(y[k + 4], y[k + 6], 0xdd);
        x[k] = _mm512_shuffle_f64x2(a, c, 0x88);
        x[k + 2] = _mm512_shuffle_f64x2(b, d, 0x88);
        x[k + 4] = _mm512_shuffle_f64x2(a, c, 0xdd);
        x[k + 6] = _mm512_shuffle_f64x2(b, d, 0xdd);
    }
}

static inline void gather(const double *from, ptrdiff_t stride, int width, int samples, row *rows)
{
    const size_t later = (size_t) from + (size_t) (8*AHEAD*stride)*sizeof(double);
    for (int lane = 0; samples == 8 && lane < 8; lane++)
        for (int k = 0; k < width; k += 8)
            _mm_prefetch((const char *) (later + (size_t) (lane*stride + k)*sizeof(double)),
                         _MM_HINT_T0);
    for (int first = 0; first < width; first += 8) {
        const int count = width - first < 8 ? width - first : 8;
        const __mmask8 mask = (__mmask8) (0xff >> (8 - count));
        __m512d x[8];
        for (int lane = 0; lane < 8; lane++)
            x[lane] = _mm512_maskz_loadu_pd(
                mask, from + (lane < samples ? lane : samples - 1)*stride + first);
        transpose(x);
        for (int k = 0; k < count; k++)
            _mm512_storeu_pd(rows[first + k], x[k]);
    }
}

static inline void scatter_near(row *rows, int width, int samples, double *to)
{
    for (int first = 0; first < width; first += 8) {
        const int count = width - first < 8 ? width - first : 8;
        const __mmask8 mask = (__mmask8) (0xff >> (8 - count));
        __m512d x[8];
        for (int k = 0; k < 8; k++)
            x[k] = _mm512_loadu_pd(rows[first + (k < count ? k : 0)]);
        transpose(x);
        for (int lane = 0; lane < 8; lane++)
            if (lane < samples)
                _mm512_mask_storeu_pd(to + lane*width + first, mask, x[lane]);
    }
}

#else
#if defined(__SSE2__)
#include <emmintrin.h>
#define STREAMS 1
#endif

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

#if defined(STREAMS)
/* Writes past the caches, to a multiple of 16 bytes: whole lines where there is an instruction. */
static inline void stream(const double *from, int count, double *to)
{
    const double *const end = to + count;
#if defined(__AVX512F__)
    for (; (size_t) to % 64 && to < end; to += 2, from += 2)
        _mm_stream_pd(to, _mm_loadu_pd(from));
    for (; end - to >= 8; to += 8, from += 8)
        _mm512_stream_pd(to, _mm512_loadu_pd(from));
#endif
    for (; to < end; to += 2, from += 2)
        _mm_stream_pd(to, _mm_loadu_pd(from));
}
#endif

/* With a buffer of as many rows the samples go past the caches, where that can be done. */
static inline void scatter(row *rows, int width, int samples, double *to, row *buffer)
{
#if defined(STREAMS)
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
