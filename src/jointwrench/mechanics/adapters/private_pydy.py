"""PyDy's generator of C code."""

from collections.abc import Sequence

from pydy.codegen.c_code import CMatrixGenerator
from sympy import Expr, ImmutableDenseMatrix, Symbol

from ...checks.private_names import require_names

require_names(CMatrixGenerator, "_generate_code_blocks")


def c_source(
    arguments: Sequence[Sequence[Symbol]],
    subexpressions: Sequence[tuple[Symbol, Expr]],
    matrices: Sequence[ImmutableDenseMatrix],
) -> str:
    """Return C with a function ``evaluate(input_0, ..., output_0, ...)`` of one sample."""
    generator = CMatrixGenerator(arguments, matrices, cse=False)
    generator.subexprs = subexpressions
    generator._generate_code_blocks()
    return str(generator.doprint()[1])
