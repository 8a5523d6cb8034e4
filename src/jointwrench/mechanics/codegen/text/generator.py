"""A finished `Program` as the text of a shared library, which evaluates a whole batch."""

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
    """Return C that exports ``evaluate_arrays``, in functions of ``longest`` operations at most."""
    inputs = [f"input_{k}" for k in range(len(program.groups))]
    outputs = [f"output_{k}" for k in range(len(program.outputs))]
    return source_text(kernel_blocks(Layout(program), LIBRARY, (inputs, outputs), longest))


def kernel_blocks(
    layout: Layout,
    target: Target,
    names: tuple[Sequence[str], Sequence[str]],
    longest: int = LONGEST_STRETCH,
) -> dict[str, str]:
    """Return the texts that fill the templates, given the names of inputs and outputs in C."""
    printer = CCallPrinter(target.precision)
    statements = VectorStatements(layout, printer, target.precision)
    writer = KernelWriter(layout, statements, make_schedule(layout, longest), target, names)
    blocks = writer.blocks()
    return {**blocks, "helpers": printer.helpers}  # known when all is printed


def source_text(blocks: dict[str, str], stem: str | None = None) -> str:
    """Return the text of a .c file, which includes a header by its stem."""
    include = "" if stem is None else f'\n#include "{stem}.h"'
    constants = "#define _USE_MATH_DEFINES\n" if os.name == "nt" else ""
    return templates.SOURCE.format(win_math_def=constants, header_include=include, **blocks)
