"""C text for vectors of gcc and clang: one quantity of several samples in the widest register.

For other compilers the text has loops over single numbers; one lane needs no vectors.
"""

from collections.abc import Iterable
from typing import Any

from sympy import Abs, Pow
from sympy.printing.codeprinter import CodePrinter

from ...arithmetic.graph import Call, Constant
from ...arithmetic.piecewise import AbsorbingProduct, Certain, Gate, Select
from .printers import Precision
from .statements import Layout, Statements
from .templates import functions_of

_TYPES = """\
/* Vectors of WIDTH numbers; PARTS of them are one quantity for all samples of a block. */
#if defined(__GNUC__) && LANES > 1
#if defined(__AVX512F__)
#define WIDTH 8
#elif defined(__AVX__)
#define WIDTH {wide}
#else
#define WIDTH {narrow}
#endif
typedef real vec __attribute__((vector_size({bytes}*WIDTH), may_alias));
typedef real stored __attribute__((vector_size({bytes}*WIDTH), aligned({bytes}), may_alias));
typedef {integer} bits __attribute__((vector_size({bytes}*WIDTH), may_alias));
#else
#define WIDTH 1
typedef real vec;
typedef real stored;
#endif
#define PARTS (LANES/WIDTH)

"""

#: Functions that processors have as instructions, by the names of functions of vectors in C.
_NAMES = {
    Abs: "absolute",
    Select: "choice",
    Gate: "choice",
    Certain: "certain",
    AbsorbingProduct: "absorbing",
}


def vector_types(precision: Precision, instructions: Iterable[str]) -> str:
    """Return the types of vectors, and the definitions of the instructions that are called."""
    width = 32 // precision.bytes
    text = _TYPES.format(wide=width, narrow=width // 2, **precision._asdict())
    known = functions_of("instructions", precision.suffix)
    return text + "".join(known[name] for name in sorted(instructions))


class VectorStatements(Statements):
    """A program's operations as C, on single numbers and on vectors.

    Attributes
    ==========

    instructions : set of str
        The names of the instructions that were printed so far.
    """

    def __init__(self, layout: Layout, printer: CodePrinter, precision: Precision) -> None:
        super().__init__(layout, printer, "NAN", "INFINITY", precision.suffix)
        self._varying = layout.program.varying
        self.instructions: set[str] = set()

    def vector(self, ref: int) -> str:
        """Return the text that computes a value for several samples, without calls of functions."""
        operation = self._operations[ref]
        if not isinstance(operation, Call):
            return self.text(ref)
        if operation.function is Pow:
            base, exponent = operation.arguments
            number = self._operations[abs(exponent)]
            assert isinstance(number, Constant)
            text = self.signed(base) if number.value == 1 else self._instruction("root", [base])
            return text if exponent > 0 else f"1.0{self._suffix}/{text}"
        return self._instruction(_NAMES[operation.function], operation.arguments)

    def _instruction(self, name: str, arguments: Iterable[Any]) -> str:
        """Return the call of an instruction, and note that it is used."""
        self.instructions.add(name)
        return f"{name}({', '.join(map(self._vector, arguments))})"

    def _vector(self, ref: int) -> str:
        """Return a value as a vector; constants are copied to all lanes."""
        if abs(ref) in self._varying:
            return self.signed(ref)
        self.instructions.add("all")
        return f"all({self.signed(ref)})"
