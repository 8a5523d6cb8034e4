"""A finished `Program` as the C text of a shared library that evaluates batches."""

import os
from collections.abc import Sequence

from ...arithmetic.program import Program
from . import templates
from .kernel import LIBRARY, KernelWriter, Target
from .printers import CCallPrinter
from .registers import VectorStatements
from .schedule import LONGEST_STRETCH, make_schedule
from .statements import Layout


def library_text(program: Program, longest: int = LONGEST_STRETCH) -> str:
    """Return C that exports ``evaluate_arrays``, in functions of at most ``longest`` operations."""
    inputs = [f"input_{k}" for k in range(len(program.groups))]
    outputs = [f"output_{k}" for k in range(len(program.outputs))]
    return source_text(kernel_blocks(Layout(program), LIBRARY, (inputs, outputs), longest))


def kernel_blocks(
    layout: Layout,
    target: Target,
    names: tuple[Sequence[str], Sequence[str]],
    longest: int = LONGEST_STRETCH,
) -> dict[str, str]:
    """Return the texts that fill the templates; ``names`` are those of inputs and outputs in C."""
    printer = CCallPrinter(target.precision)
    statements = VectorStatements(layout, printer, target.precision)
    writer = KernelWriter(layout, statements, make_schedule(layout, longest), target, names)
    blocks = writer.blocks()
    return {**blocks, "helpers": printer.helpers}  # known when all is printed


def source_text(blocks: dict[str, str], stem: str | None = None) -> str:
    """Return the text of a .c file; it includes the header ``stem.h`` if a stem is given."""
    include = "" if stem is None else f'\n#include "{stem}.h"'
    constants = "#define _USE_MATH_DEFINES\n" if os.name == "nt" else ""
    return templates.SOURCE.format(win_math_def=constants, header_include=include, **blocks)
