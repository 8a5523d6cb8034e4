"""The text of the C files around a program's operations."""

HEADER = """\
#ifndef {guard}
#define {guard}

#include <stddef.h>

/*
Evaluates a batch of samples. All numbers are in double precision. An array
holds one row per sample, one behind the other; a row holds the values of one
group of inputs in their order, or all entries of one output.

{input_docstring}

stride_i : distance from row to row in input_i, in numbers: the width of a row
    if there is one for each sample, or 0 for the same row in every sample.

A group of inputs without values may be given as a null pointer.
Returns 0, or 1 if there was no memory to work in.

Can be called by several threads at once. No array of outputs may overlap
another array. A sample with a NaN or an infinite input changes no other one.
*/
int {function}(
    {arguments}
);

#endif
"""

SOURCE = """\
{win_math_def}#include <math.h>
#include <float.h>
#include <stddef.h>
#include <stdlib.h>{header_include}

/* How many samples are computed together: 1 is quickest for one or two of them. */
#ifndef LANES
#define LANES {lanes}
#endif

#if defined(__GNUC__)
#define RESTRICT __restrict__
#define ALIGNED __attribute__((aligned(64)))
#define SEPARATE __attribute__((noinline))
#else
#define RESTRICT
#define ALIGNED
#define SEPARATE
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
#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || defined(_M_FP_FAST) \\
    || (defined(FLT_EVAL_METHOD) && FLT_EVAL_METHOD != 0)
#define EXACT_ARITHMETIC 0
#else
#define EXACT_ARITHMETIC 1
#endif

/* One quantity for all samples of a block. */
typedef double row[LANES];

{transfer}{helpers}{sines}{preparation}{functions}
int {function}(
    {arguments}
)
{{
    double constant[{constant_count}];
{workspace}{unused}
{prepare}
    for (ptrdiff_t first = 0; first < samples; first += LANES) {{
        const int count = samples - first < LANES ? (int) (samples - first) : LANES;
        (void) count;
{gather}
{calls}
{scatter}
    }}
#if defined(STREAM)
    if (buffer)
        __builtin_ia32_sfence();
#endif
{release}    return 0;
}}
"""

#: Stands behind the C function in a shared library: it takes the arrays in lists.
ADAPTER = """
#if defined(_WIN32)
__declspec(dllexport)
#elif defined(__GNUC__)
__attribute__((visibility("default")))
#endif
int evaluate_arrays(ptrdiff_t samples, const double *const *inputs, const ptrdiff_t *strides,
                    double *const *outputs)
{{
{unused}
    return {function}(
        {arguments});
}}
"""

ON_STACK = """\
    ALIGNED row rows[{rows}];
    row *const block = rows;
"""

ON_HEAP = """\
    /* Rows stand at multiples of 64 bytes. */
    char *const memory = malloc({rows}*sizeof(row) + 64);
    if (!memory)
        return 1;
    row *const block = (row *) (memory + (64 - (size_t) memory % 64));
"""

BUFFER = """\
    row *const buffer = samples < {samples} ? 0 : block + {row};
    (void) buffer;
"""

PREPARATION = """\
/* Once per call: operations on constants alone. */
SEPARATE static void {name}({parameters}double *constant)
{{
    (void) constant;
{unused}
{loads}
{operations}
{stores}
}}

"""

FUNCTION = """\
/* {title} */
SEPARATE static void {name}(const double *RESTRICT constant, row *RESTRICT block)
{{
    (void) constant;
    (void) block;
{constants}
    {pragma}
    for (int lane = 0; lane < LANES; lane++) {{
{loads}
{operations}
{stores}
    }}
}}

"""
