"""The C function that evaluates a program for many samples.

The samples are taken in blocks.  The inputs of a block are gathered into one
row per input, all operations are done in one loop over the block, and the
results are scattered into the outputs.  What depends on constants alone is
computed before, once per call.
"""

from collections.abc import Iterable
from math import prod

from ..program import Output
from .layout import CONSTANTS, GROUPS, Layout
from .statements import Statements

#: The number of samples that are computed together.
BLOCK = 16

HEADER = """\
#include <stddef.h>

/*
{input_docstring}

Row k of input_i starts at input_i + k*stride_i; use stride 0 for the same row
in every sample.
*/
void evaluate(
{input_args}
{output_args}
             );
"""

SOURCE = """\
{win_math_def}#include <math.h>{header_include}

#define BLOCK {block}

{helpers}/* The inputs and outputs of some samples: one row per quantity. */
struct block {{
    double input[{input_rows}][BLOCK];
    double output[{output_rows}][BLOCK];
}};

/* Once per call: all operations on constants alone. */
static void prepare(const double *input_{constants}, double *constant)
{{
    (void) input_{constants};
    (void) constant;
{constant_loads}
{constant_operations}
{constant_stores}
}}

/* For every sample: all other operations. */
static void compute(const double *constant, struct block *block, int lanes)
{{
    (void) constant;
{constants_handed_over}
    for (int lane = 0; lane < lanes; lane++) {{
{sample_loads}
{subexprs}
{outputs}
    }}
}}

void evaluate(
{input_args}
{output_args}
             )
{{
    double constant[{constant_count}];
    struct block block;

    prepare(input_{constants}, constant);
    for (ptrdiff_t first = 0; first < samples; first += BLOCK) {{
        const int lanes = samples - first < BLOCK ? (int) (samples - first) : BLOCK;
        for (int lane = 0; lane < lanes; lane++) {{
            const ptrdiff_t sample = first + lane;
{gather}
        }}
        compute(constant, &block, lanes);
        for (int lane = 0; lane < lanes; lane++) {{
            const ptrdiff_t sample = first + lane;
{scatter}
        }}
    }}
}}
"""


def code_blocks(layout: Layout, statements: Statements, helpers: str) -> dict[str, str]:
    """Return what fills the templates; ``helpers`` are the functions that they call."""
    outputs = layout.program.outputs
    entries = [
        (entry, f"output_{number}[{k}]")
        for number, output in enumerate(statements.outputs)
        for k, entry in enumerate(output)
    ]
    blocks = {
        "block": str(BLOCK),
        "helpers": helpers,
        "constants": str(CONSTANTS),
        "input_rows": str(max(1, len(statements.sample_inputs))),
        "output_rows": str(max(1, len(entries))),
        "constant_count": str(max(1, len(statements.handed_over))),
        "input_docstring": _describe(layout),
        "input_args": _lines(_input_arguments(), 14),
        "output_args": _lines(_output_arguments(outputs), 14),
    }
    return {**blocks, **_constant_blocks(statements), **_sample_blocks(layout, statements, entries)}


def _constant_blocks(statements: Statements) -> dict[str, str]:
    return {
        "constant_loads": _lines(
            f"const double {name} = input_{place.group}[{place.index}];"
            for name, place in statements.constant_inputs
        ),
        "constant_operations": _definitions(statements.constant_operations, 4),
        "constant_stores": _lines(
            f"constant[{row}] = {name};" for row, name in enumerate(statements.handed_over)
        ),
        "constants_handed_over": _lines(
            f"const double {name} = constant[{row}];"
            for row, name in enumerate(statements.handed_over)
        ),
    }


def _sample_blocks(
    layout: Layout, statements: Statements, entries: list[tuple[str, str]]
) -> dict[str, str]:
    inputs = statements.sample_inputs
    return {
        "sample_loads": _lines(
            (
                f"const double {name} = block->input[{row}][lane];  /* {place.comment} */"
                for row, (name, place) in enumerate(inputs)
            ),
            8,
        ),
        "subexprs": _definitions(statements.sample_operations, 8),
        "outputs": _lines(
            (
                f"block->output[{row}][lane] = {entry};  /* {comment} */"
                for row, (entry, comment) in enumerate(entries)
            ),
            8,
        ),
        "gather": _lines(
            (
                f"block.input[{row}][lane] = "
                f"input_{place.group}[sample*stride_{place.group} + {place.index}];"
                for row, (_, place) in enumerate(inputs)
            ),
            12,
        ),
        "scatter": _lines(_scatter(layout.program.outputs), 12),
    }


def _scatter(outputs: tuple[Output, ...]) -> list[str]:
    lines, first = [], 0
    for number, output in enumerate(outputs):
        size = prod(output.shape)
        lines.append(f"for (int k = 0; k < {size}; k++)")
        lines.append(f"    output_{number}[sample*{size} + k] = block.output[{first} + k][lane];")
        first += size
    return lines


def argument_names(outputs: tuple[Output, ...]) -> list[str]:
    """Return the names of the C function's arguments."""
    names = ["samples"]
    for group in range(len(GROUPS)):
        names.append(f"input_{group}")
        if group != CONSTANTS:
            names.append(f"stride_{group}")
    return names + [f"output_{number}" for number in range(len(outputs))]


def _input_arguments() -> list[str]:
    lines = ["ptrdiff_t samples,"]
    for group in range(len(GROUPS)):
        stride = "" if group == CONSTANTS else f" ptrdiff_t stride_{group},"
        lines.append(f"const double *input_{group},{stride}")
    return lines


def _output_arguments(outputs: tuple[Output, ...]) -> list[str]:
    last = len(outputs) - 1
    return [f"double *output_{k}{'' if k == last else ','}" for k in range(len(outputs))]


def _describe(layout: Layout) -> str:
    lines = ["samples : number of samples"]
    for number, (description, width) in enumerate(zip(GROUPS.values(), layout.widths, strict=True)):
        per = "call" if number == CONSTANTS else "sample"
        lines.append(f"input_{number} : {description}, {width} values per {per}")
    for number, output in enumerate(layout.program.outputs):
        shape = " x ".join(map(str, output.shape))
        lines.append(f"output_{number} : {shape} values per sample, in row-major order")
    return _lines(lines, 0)


def _definitions(statements: list[tuple[str, str]], indent: int) -> str:
    return _lines((f"const double {name} = {text};" for name, text in statements), indent)


def _lines(lines: Iterable[str], indent: int = 4) -> str:
    return "\n".join(" " * indent + line for line in lines)
