"""The text of the C files around a program's operations.

Text that is plain C is in .c files next to this module: each kernel includes those that it needs,
for its own types and numbers of lanes, and depends on no other file.
"""

import re
from functools import cache
from pathlib import Path

HEADER = """\
#ifndef {guard}
#define {guard}

/*
{description}
*/

{definitions}
#ifdef __cplusplus
extern "C" {{
#endif

{linkage}void {function}(
    {arguments}
);
{fixed}
#ifdef __cplusplus
}}
#endif

#endif
"""

SOURCE = """\
{win_math_def}#include <math.h>{includes}{header_include}

/* The type of numbers, and how many samples are computed together. */
typedef {real} real;
{lanes}
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
#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || defined(_M_FP_FAST) \\
    || (defined(__FLT_EVAL_METHOD__) && __FLT_EVAL_METHOD__ != 0)
#define EXACT_ARITHMETIC 0
#else
#define EXACT_ARITHMETIC 1
#endif

/* One quantity for all samples of a block. */
typedef real row[LANES];

{registers}/* The vector of a row that a step is at. */
#define AT(number) rows[(number)*PARTS]

{helpers}{units}{functions}{first_unit}{transfer}{sines}{preparation}
{tables}{linkage}void {function}(
    {arguments}
)
{{
    row *const block = (row *) workspace;
    real constant[{constant_count}];
{workspace}{unused}
{prepare}
{once}
{body}
}}
{adapter}{last_unit}"""

#: The number of lanes in a shared library, and in a C file for others.
ANY_LANES = """\
/* One lane is quickest for one sample or two. */
#ifndef LANES
#define LANES 8
#endif
"""

ALL_SAMPLES = """\
    for (long long first = 0; first < samples; first += LANES) {{
        const int count = samples - first < LANES ? (int) (samples - first) : LANES;
        (void) count;
{gather}
{calls}
{scatter}
    }}"""

#: Outputs that are larger than the caches bypass them.  Outputs whose rows do not begin at cache
#: lines do so if they exceed the second cache and masked stores can write whole lines.
FAR = """\
    const int is_soon = HAS_MASKS && {anywhere} && SECOND_CACHE/8 < {far};
    row *const buffer = samples < (is_soon ? SECOND_CACHE/8 : {far})/{size} ? 0 : block + {row};
    (void) buffer;
"""

FENCE = """
#if defined(STREAM)
    if (buffer)
        __builtin_ia32_sfence();
#endif"""

#: The function that a shared library exports, which takes arrays of pointers.
ADAPTER = """
#if defined(_WIN32)
__declspec(dllexport)
#elif defined(__GNUC__)
__attribute__((visibility("default")))
#endif
int evaluate_arrays(ptrdiff_t samples, const double *const *inputs, const ptrdiff_t *strides,
                    double *const *outputs)
{{
#if {rows}*LANES <= {numbers_on_stack}
    ALIGNED row rows[{rows}];
    row *const block = rows;
#else
    /* Rows stand at multiples of 64 bytes. */
    char *const memory = malloc({rows}*sizeof(row) + 64);
    row *const block = (row *) (memory + (64 - (size_t) memory % 64));
    if (!memory)
        return 1;
#endif
{unused}
    {function}(
        {arguments});
#if {rows}*LANES > {numbers_on_stack}
    free(memory);
#endif
    return 0;
}}
"""

#: Long files are compiled several times in parallel, each time for other steps (a unit).
UNITS = """\
/* This file may be compiled UNITS times, with the numbers 0, 1, ... as UNIT, and linked. */
#if defined(UNITS)
#define LINKAGE
#else
#define UNITS 1
#define UNIT 0
#define LINKAGE static
#endif

{declarations}
"""

UNIT = """\
#if {number} % UNITS == UNIT
{functions}#endif

"""

FIRST_UNIT = "#if UNIT == 0\n"

PREPARATION = """\
/* Once per call: operations on constants alone. */
SEPARATE static void {name}({parameters}real *constant)
{{
    (void) constant;
{unused}
{operations}
}}

"""

STEP = """\
/* {what}. */
SEPARATE {head}
{{
{unused}
    for (int {turns}++) {{
{operations}
    }}
}}

"""

#: The comment and the loop of a step.
SUMS = {"what": "Sums and products", "turns": "part = 0; part < PARTS; part"}
CALLS = {
    "what": "Other functions, one sample after the other",
    "turns": "lane = 0; lane < LANES; lane",
}


@cache
def c_text(name: str) -> str:
    """Return the text of a .c file next to this module, and a blank line."""
    return Path(__file__).with_name(f"{name}.c").read_text("utf-8") + "\n"


@cache
def functions_of(name: str, suffix: str = "") -> dict[str, str]:
    """Return the functions of a .c file by name, for numbers with a suffix."""
    texts = re.sub(r"\b(fabs|fmod|sqrt)\(", rf"\1{suffix}(", c_text(name)).rstrip().split("\n\n")
    return {re.findall(r"(\w+)\(", text)[0]: f"{text}\n\n" for text in texts}
