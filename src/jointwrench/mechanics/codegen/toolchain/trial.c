#include <math.h>
#include <stddef.h>
#include <stdlib.h>

/* The type of numbers, and how many samples are computed together. */
typedef double real;
/* One lane is quickest for one sample or two. */
#ifndef LANES
#define LANES 8
#endif

#if defined(__GNUC__)
#define RESTRICT __restrict__
#define ALIGNED __attribute__((aligned(64)))
#define SEPARATE __attribute__((noinline))
#define INLINE static inline __attribute__((always_inline))
#else
#define RESTRICT
#define ALIGNED
#define SEPARATE
#define INLINE static inline
#endif

/* Stands before a loop over all lanes, whose turns are independent. */
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"  /* as when it looks for undefined behaviour */
#define ALL_LANES _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define ALL_LANES _Pragma("GCC ivdep")
#else
#define ALL_LANES
#endif

/* Whether sums are rounded to double precision, in the order written. */
#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || defined(_M_FP_FAST) \
    || (defined(__FLT_EVAL_METHOD__) && __FLT_EVAL_METHOD__ != 0)
#define EXACT_ARITHMETIC 0
#else
#define EXACT_ARITHMETIC 1
#endif

/* One quantity for all samples of a block. */
typedef real row[LANES];

/* Vectors of WIDTH numbers; PARTS of them are one quantity for all samples of a block. */
#if defined(__GNUC__) && LANES > 1
#if defined(__AVX512F__)
#define WIDTH 8
#elif defined(__AVX__)
#define WIDTH 4
#else
#define WIDTH 2
#endif
typedef real vec __attribute__((vector_size(8*WIDTH), may_alias));
typedef real stored __attribute__((vector_size(8*WIDTH), aligned(8), may_alias));
typedef long long bits __attribute__((vector_size(8*WIDTH), may_alias));
#else
#define WIDTH 1
typedef real vec;
typedef real stored;
#endif
#define PARTS (LANES/WIDTH)

/* The vector of a row that a step is at. */
#define AT(number) rows[(number)*PARTS]

/* Sums and products. */
SEPARATE static void step_1(const real *RESTRICT constant, row *RESTRICT block)
{
    (void) constant;
    for (int part = 0; part < PARTS; part++) {
        stored *const rows = (stored *) block + part;
        const vec x2 = AT(2);  /* u[0] */
        const vec z8 = AT(8);
        const vec z9 = x2*z8;
        const vec x8 = AT(3);  /* u[1] */
        const vec z14 = x8*z9;
        const vec x3 = AT(5);  /* udot[0] */
        const vec z7 = AT(9);
        const vec z12 = x3*z7;
        const vec z16 = z12 - z14;
        const real x7 = constant[5];
        const vec z24 = x7*z16;
        const real x1 = constant[1];
        const vec z1 = x1*x2;
        const vec z2 = x2*z1;
        const vec z26 = z2 + z24;
        const vec z27 = x7*x8;
        const vec z33 = z9*z27;
        const vec z36 = z26 - z33;
        const vec z43 = AT(10);
        const vec z67 = z36*z43;
        const vec z10 = x2*z7;
        const vec z28 = x7*z10;
        const vec z32 = z9*z28;
        const real x0 = constant[0];
        const vec z21 = x0*z7;
        const vec z0 = x1*x3;
        const vec z20 = z0*z8;
        const vec z22 = z20 - z21;
        const vec x9 = AT(6);  /* udot[1] */
        const vec z23 = x7*x9;
        const vec z25 = z22 - z23;
        const vec z35 = z25 - z32;
        const vec z44 = AT(11);
        const vec z66 = z35*z44;
        const vec z68 = z66 - z67;
        const vec z13 = x8*z10;
        const vec z11 = x3*z8;
        const vec z15 = z11 + z13;
        const vec x15 = AT(7);  /* udot[2] */
        const vec z58 = z15 + x15;
        const real x13 = constant[8];
        const vec z69 = x13*z58;
        const vec z71 = z68 + z69;
        const vec z48 = z10*z44;
        const vec z49 = x8*z43;
        const vec z50 = z48 - z49;
        const vec z74 = x13*z50;
        const vec z45 = z10*z43;
        const vec z46 = x8*z44;
        const vec z47 = z45 + z46;
        const vec z78 = z47*z74;
        const vec z81 = z71 - z78;
        const real x16 = constant[9];
        const vec z84 = z81*x16;
        AT(12) = z84;  /* entry 1 */
        const vec z97 = z43*z84;
        const vec z64 = z36*z44;
        const vec z63 = z35*z43;
        const vec z65 = z63 + z64;
        const vec z75 = z50*z74;
        const vec x14 = AT(4);  /* u[2] */
        const vec z51 = z9 + x14;
        const vec z73 = x13*z51;
        const vec z76 = z51*z73;
        const vec z77 = z75 + z76;
        const vec z80 = z65 + z77;
        const vec z83 = z80*x16;
        const vec z96 = z44*z83;
        const vec z98 = z96 - z97;
        const real x10 = constant[6];
        const vec z39 = z36*x10;
        const vec z107 = z39 + z98;
        const vec z111 = x7*z107;
        const vec z55 = z16*z44;
        const vec z56 = x9*z43;
        const vec z57 = z55 - z56;
        const vec z60 = x14*z47;
        const vec z62 = z57 + z60;
        const vec z70 = x13*z62;
        const vec z29 = z10*z28;
        const vec z30 = x8*z27;
        const vec z31 = z29 + z30;
        const vec z18 = x0*z8;
        const vec z17 = z0*z7;
        const vec z19 = z17 + z18;
        const vec z34 = z19 - z31;
        const vec z72 = z34 + z70;
        const vec z79 = z47*z73;
        const vec z82 = z72 + z79;
        const vec z85 = z82*x16;
        AT(13) = z85;  /* entry 2 */
        const vec z89 = x13*z85;
        const real x17 = constant[10];
        const vec z87 = z62*x17;
        const vec z91 = z87 + z89;
        const vec z100 = z44*z91;
        const vec z52 = z16*z43;
        const vec z53 = x9*z44;
        const vec z54 = z52 + z53;
        const vec z59 = x14*z50;
        const vec z61 = z54 - z59;
        const vec z86 = z61*x17;
        AT(14) = z86;  /* entry 3 */
        const vec z99 = z43*z86;
        const vec z101 = z99 + z100;
        const real x11 = constant[7];
        const vec z41 = z16*x11;
        const vec z109 = z41 + z101;
        const vec z113 = z109 + z111;
        AT(15) = z113;  /* entry 10 */
        const vec z125 = z7*z113;
        const vec z90 = x13*z84;
        const vec z88 = z58*x17;
        const vec z92 = z88 + z90;
        AT(16) = z92;  /* entry 5 */
        const vec z40 = z15*x11;
        const vec z108 = z40 + z92;
        AT(17) = z108;  /* entry 9 */
        const vec z124 = z8*z108;
        const vec z126 = z124 + z125;
        const real x5 = constant[4];
        const vec z6 = x3*x5;
        const vec z130 = z6 + z126;
        const vec z94 = z44*z84;
        const vec z93 = z43*z83;
        const vec z95 = z93 + z94;
        const vec z38 = z35*x10;
        const vec z106 = z38 + z95;
        const vec z116 = z8*z106;
        const vec z37 = z34*x10;
        const vec z105 = z37 + z85;
        AT(18) = z105;  /* entry 6 */
        const vec z115 = z7*z105;
        const vec z117 = z115 + z116;
        const real x4 = constant[2];
        const vec z4 = z0*x4;
        const vec z128 = z4 + z117;
        AT(19) = z128;  /* entry 13 */
        const vec z132 = x1*z128;
        const vec z134 = z130 + z132;
        AT(20) = z134;  /* entry 17 */
        const vec z119 = z7*z106;
        const vec z118 = z8*z105;
        const vec z120 = z118 - z119;
        const real z5 = constant[3];
        const vec z129 = z5 + z120;
        AT(21) = z129;  /* entry 14 */
        const vec z131 = x1*z129;
        const vec z122 = z8*z113;
        const vec z121 = z7*z108;
        const vec z123 = z121 - z122;
        const vec z133 = z123 - z131;
        AT(22) = z133;  /* entry 16 */
        const vec z112 = x7*z106;
        const vec z103 = z43*z91;
        const vec z102 = z44*z86;
        const vec z104 = z102 - z103;
        const vec z42 = x9*x11;
        const vec z110 = z42 + z104;
        const vec z114 = z110 - z112;
        AT(23) = z114;  /* entry 11 */
        const vec z3 = z2*x4;
        const vec z127 = z3 + z107;
        AT(24) = -z127;  /* entry 12 */
        AT(25) = -z107;  /* entry 8 */
        AT(26) = -z106;  /* entry 7 */
        AT(27) = -z91;  /* entry 4 */
        AT(28) = -z83;  /* entry 0 */
    }
}

#include "transfer_each.c"
#include "transfer.c"
#include "transfer_far.c"
#include "sines.c"
/* Once per call: operations on constants alone. */
SEPARATE static void prepare_0(const real *input_3, real *constant)
{
    (void) constant;
    (void) input_3;
    const real x0 = input_3[9];
    constant[0] = x0;
    const real x1 = input_3[0];
    constant[1] = x1;
    const real x4 = input_3[3];
    constant[2] = x4;
    const real x5 = input_3[6];
    constant[4] = x5;
    const real x7 = input_3[1];
    constant[5] = x7;
    const real x10 = input_3[4];
    constant[6] = x10;
    const real x11 = input_3[7];
    constant[7] = x11;
    const real x13 = input_3[2];
    constant[8] = x13;
    const real x16 = input_3[5];
    constant[9] = x16;
    const real x17 = input_3[8];
    constant[10] = x17;
    const real z5 = x0*x4;
    constant[3] = z5;
}


/* The rows of output_0. */
static const int places_0[] = {
    28, 12, 13, 14, 27, 16, 18, 26, 25, 17, 15, 23, 24, 19, 21, 23, 22, 20
};

static const int waves_0[][3] = {
    {0, 8, 9}, {1, 11, 10}
};

static void evaluate(
    long long samples,
    const double *input_0,
    long long stride_input_0,
    const double *input_1,
    long long stride_input_1,
    const double *input_2,
    long long stride_input_2,
    const double *input_3,
    double *output_0,
    double *workspace
)
{
    row *const block = (row *) workspace;
    real constant[11];
    const int is_soon = HAS_MASKS && 1 && SECOND_CACHE/8 < 1048576;
    row *const buffer = samples < (is_soon ? SECOND_CACHE/8 : 1048576)/18 ? 0 : block + 30;
    (void) buffer;
    (void) samples;
    (void) input_0;
    (void) stride_input_0;
    (void) input_1;
    (void) stride_input_1;
    (void) input_2;
    (void) stride_input_2;
    (void) input_3;
    (void) output_0;
    (void) workspace;
    (void) gather;
    (void) scatter;
    prepare_0(input_3, constant);

    for (long long first = 0; first < samples; first += LANES) {
        const int count = samples - first < LANES ? (int) (samples - first) : LANES;
        (void) count;
        gather(input_0 + first*stride_input_0 + 1, stride_input_0, 2, count, block + 0);
        gather(input_1 + first*stride_input_1 + 0, stride_input_1, 3, count, block + 2);
        gather(input_2 + first*stride_input_2 + 0, stride_input_2, 3, count, block + 5);
        all_sines(waves_0, 2, block);
        step_1(constant, block);
        scatter_far(block, places_0, 18, count, output_0 + first*18, buffer);
    }
#if defined(STREAM)
    if (buffer)
        __builtin_ia32_sfence();
#endif
}

#if defined(_WIN32)
__declspec(dllexport)
#elif defined(__GNUC__)
__attribute__((visibility("default")))
#endif
int evaluate_arrays(ptrdiff_t samples, const double *const *inputs, const ptrdiff_t *strides,
                    double *const *outputs)
{
#if 48*LANES <= 8192
    ALIGNED row rows[48];
    row *const block = rows;
#else
    /* Rows stand at multiples of 64 bytes. */
    char *const memory = malloc(48*sizeof(row) + 64);
    row *const block = (row *) (memory + (64 - (size_t) memory % 64));
    if (!memory)
        return 1;
#endif
    (void) inputs;
    (void) strides;
    (void) outputs;
    evaluate(
        samples,
        inputs[0],
        strides[0],
        inputs[1],
        strides[1],
        inputs[2],
        strides[2],
        inputs[3],
        outputs[0],
        block[0]);
#if 48*LANES > 8192
    free(memory);
#endif
    return 0;
}
