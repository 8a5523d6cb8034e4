"""PyDy's generators of C and Cython code, fed with a finished `Program`.

PyDy finds common sub-expressions, names them, and writes one C function that
evaluates matrices once, behind a Cython function.  Here the sub-expressions
come ready-made from a `Program`, and the C function evaluates a whole batch.
"""

from typing import Any

from pydy.codegen.c_code import CMatrixGenerator
from pydy.codegen.cython_code import CythonMatrixGenerator
from sympy import Piecewise, nan
from sympy.printing.c import C99CodePrinter

from ..program import Program
from . import kernel
from .build import build_module
from .layout import CONSTANTS, GROUPS, Kernel, Layout
from .statements import Statements

#: The name that all generated modules bear; each is loaded from its own file.
MODULE = "jointwrench_compiled"

_WRAPPER = """\
# cython: language_level=3, boundscheck=False, wraparound=False

from cpython.buffer cimport PyBUF_SIMPLE, PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer

cdef extern from "{prefix}_c.h":
    void evaluate(
{input_args}
{output_args}
                 ) nogil


def evaluate_batch(ptrdiff_t samples, tuple inputs, tuple strides, tuple outputs):
    # All arrays are contiguous and of double precision.
    cdef Py_buffer views[{views}]
    cdef ptrdiff_t steps[{inputs}]
    cdef int held = 0
    cdef int k
    if len(inputs) != {inputs} or len(strides) != {inputs} or len(outputs) != {outputs}:
        raise ValueError("wrong number of arrays")
    for k in range({inputs}):
        steps[k] = strides[k]
    try:
        for array in inputs:
            PyObject_GetBuffer(array, &views[held], PyBUF_SIMPLE)
            held += 1
        for array in outputs:
            PyObject_GetBuffer(array, &views[held], PyBUF_WRITABLE)
            held += 1
        with nogil:
            evaluate(
{c_args}
                    )
    finally:
        for k in range(held):
            PyBuffer_Release(&views[k])
"""

# Nothing here may let the result of a sample depend on its place in the batch.
_SETUP = """\
import os

from Cython.Build import cythonize
from setuptools import Extension, setup

flags = ["-O2", "-g0", "-fvisibility=hidden", "-fno-math-errno"]
flags += ["-fno-fast-math", "-ffp-contract=off"]
extension = Extension(
    name="{prefix}",
    sources=["{prefix}.pyx", "{prefix}_c.c"],
    extra_compile_args=[] if os.name == "nt" else flags,
)
setup(name="{prefix}", ext_modules=cythonize([extension], quiet=True))
"""

# What the C library has otherwise than sympy, or not at all.
_HELPERS = {
    "sign": """\
static double sign(double x)
{
    return x > 0 ? 1 : (x < 0 ? -1 : x);
}

""",
    "maximum": """\
static double maximum(double x, double y)
{
    return x > y || isnan(x) ? x : y;
}

""",
    "minimum": """\
static double minimum(double x, double y)
{
    return x < y || isnan(x) ? x : y;
}

""",
    "heaviside": """\
static double heaviside(double x, double at_zero)
{
    return x < 0 ? 0 : (x > 0 ? 1 : (isnan(x) ? x : at_zero));
}

""",
    "modulo": """\
/* The remainder with the sign of the divisor. */
static double modulo(double x, double y)
{
    const double remainder = fmod(x, y);
    return remainder != 0 && (remainder < 0) != (y < 0) ? remainder + y : remainder;
}

""",
}


class CallPrinter(C99CodePrinter):
    """Prints calls of functions so that they mean in C what they mean in sympy.

    For real arguments; a NaN stays a NaN.
    """

    def __init__(self) -> None:
        super().__init__()
        self._helpers: set[str] = set()

    @property
    def helpers(self) -> str:
        """The definitions of the functions that all calls printed so far rely on."""
        return "".join(text for name, text in _HELPERS.items() if name in self._helpers)

    def _helper(self, name: str, *arguments: str) -> str:
        self._helpers.add(name)
        return f"{name}({', '.join(arguments)})"

    def _print_Dummy(self, expr: Any) -> str:
        return expr.name

    def _print_Rational(self, expr: Any) -> str:
        return repr(float(expr))

    _print_Integer = _print_Rational  # the integers of C are small

    def _print_sign(self, expr: Any) -> str:
        return self._helper("sign", self._print(expr.args[0]))

    def _print_Max(self, expr: Any) -> str:
        return self._extreme("maximum", expr.args)

    def _print_Min(self, expr: Any) -> str:
        return self._extreme("minimum", expr.args)

    def _extreme(self, helper: str, arguments: tuple[Any, ...]) -> str:
        first, *others = map(self._print, arguments)
        for other in others:
            first = self._helper(helper, first, other)
        return first

    def _print_Heaviside(self, expr: Any) -> str:
        return self._helper("heaviside", *map(self._print, expr.args))

    def _print_Mod(self, expr: Any) -> str:
        return self._helper("modulo", *map(self._print, expr.args))

    def _print_Pow(self, expr: Any) -> str:
        base, exponent = expr.args
        if exponent.is_Rational and exponent.q == 2 and abs(exponent.p) == 1:
            root = f"sqrt({self._print(base)})"
            return root if exponent.p > 0 else f"(1.0/{root})"
        return f"pow({self._print(base)}, {self._print(exponent)})"

    def _print_Piecewise(self, expr: Any) -> str:
        if expr.args[-1].cond != True:  # noqa: E712 (a sympy value)
            expr = Piecewise(*expr.args, (nan, True))
        return super()._print_Piecewise(expr)


class ProgramCGenerator(CMatrixGenerator):
    """PyDy's generator of C code, for a `Program`.

    Parameters
    ==========

    program : Program
        What to compute.
    """

    _base_printer = CallPrinter
    _c_header_template = kernel.HEADER
    _c_source_template = kernel.SOURCE

    def __init__(self, program: Program) -> None:
        self.layout = Layout(program)
        super().__init__(self.layout.groups, [program.result(out) for out in program.outputs])

    def _generate_cse(self, prefix: str = "z") -> None:
        """Take the program's operations in place of a search for sub-expressions."""
        self.printer = self._base_printer()
        self.statements = Statements(
            self.layout, self.printer, not_a_number="NAN", infinity="INFINITY"
        )
        self.subexprs = [
            *self.statements.constant_operations,
            *self.statements.sample_operations,
        ]
        self.simplified_matrices = tuple(self.statements.outputs)

    def _generate_code_blocks(self) -> None:
        self.code_blocks = kernel.code_blocks(self.layout, self.statements, self.printer.helpers)

    def comma_lists(self) -> tuple[str, ...]:
        """Return what each group of inputs holds, without the symbols' names."""
        return tuple(GROUPS.values())


class ProgramCythonGenerator(CythonMatrixGenerator):
    """PyDy's generator of Cython code, for a `Program`.

    Parameters
    ==========

    program : Program
        What to compute.
    """

    _pyx_template = _WRAPPER
    _setup_py_template = _SETUP

    def __init__(self, program: Program) -> None:
        self.program = program
        self.prefix = MODULE
        self.c_matrix_generator = ProgramCGenerator(program)
        self._generate_code_blocks()

    def _generate_code_blocks(self) -> None:
        outputs = self.program.outputs
        blocks = self.c_matrix_generator.code_blocks
        views = {f"input_{k}": f"<const double *> views[{k}].buf" for k in range(len(GROUPS))}
        views |= {f"stride_{k}": f"steps[{k}]" for k in range(len(GROUPS)) if k != CONSTANTS}
        views |= {
            f"output_{k}": f"<double *> views[{len(GROUPS) + k}].buf" for k in range(len(outputs))
        }
        names = kernel.argument_names(outputs)
        self.code_blocks = {
            "input_args": blocks["input_args"],
            "output_args": blocks["output_args"],
            "c_args": ",\n".join(" " * 20 + views.get(name, name) for name in names),
            "views": str(len(GROUPS) + len(outputs)),
            "inputs": str(len(GROUPS)),
            "outputs": str(len(outputs)),
        }

    def compile(self) -> Kernel:
        """Return the compiled function; its arguments are those of a `Kernel`."""
        return build_module(self.sources(), self.prefix).evaluate_batch

    def sources(self) -> dict[str, str]:
        """Return the texts of all files that make the module, by file name."""
        setup, wrapper, header, source = self.doprint()
        return {
            "setup.py": setup,
            f"{self.prefix}.pyx": wrapper,
            f"{self.prefix}_c.h": header,
            f"{self.prefix}_c.c": source,
        }

    @property
    def c_source(self) -> str:
        """The C code without the wrapper."""
        return self.sources()[f"{self.prefix}_c.c"]
