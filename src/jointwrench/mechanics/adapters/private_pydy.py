"""PyDy's generator of C code, with public names for the methods that are overridden and called."""

from abc import abstractmethod
from collections.abc import Sequence

from pydy.codegen.c_code import CMatrixGenerator
from sympy import Expr, ImmutableDenseMatrix, Symbol

from ...checks.private_names import demand

demand(CMatrixGenerator, "_base_printer", "_c_header_template", "_c_source_template")


class MatrixGenerator(CMatrixGenerator):
    """PyDy's generator with a printer and templates; subclasses supply operations and blocks."""

    def __init_subclass__(cls, printer: type, header: str, source: str) -> None:
        cls._base_printer, cls._c_header_template, cls._c_source_template = printer, header, source

    def _generate_cse(self, prefix: str = "pydy_") -> None:
        self.take_operations()

    def _generate_code_blocks(self) -> None:
        self.code_blocks = self.blocks()

    @abstractmethod
    def take_operations(self) -> None:
        """Set the operations of the text."""

    @abstractmethod
    def blocks(self) -> dict[str, str]:
        """Return the texts that fill the templates."""


demand(CMatrixGenerator, "_generate_cse", "_generate_code_blocks", by=MatrixGenerator)


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
