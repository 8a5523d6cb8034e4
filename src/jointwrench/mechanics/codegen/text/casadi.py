"""A C file that makes a program a function of CasADi, which finds derivatives by their names.

``jac_arm`` is the Jacobian of the function ``arm``.  ``adj1_arm`` returns the gradients of a
weighted sum of its outputs, and the Jacobian ``jac_adj1_arm`` of these is the Hessian.
"""

import re
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from math import prod

from ...arithmetic.output import Output
from ...arithmetic.program import Program
from .kernel import Target

INTRODUCTION = """\
/*
A function of CasADi and its Jacobian, one sample per call. For instance

    cc -O2 -fPIC -shared {name}.c -lm -o {name}.so

and in Python

    {name} = casadi.external("{name}", "./{name}.so")

or, with a compiler that CasADi finds,

    {name} = casadi.external("{name}", casadi.Importer("{name}.c", "shell"))

Inputs are columns, in the order described below, groups without values left out. Matrices
are stored by columns, as CasADi has them; those of three axes have the last two as columns.
*/

#ifdef _WIN32
#define _USE_MATH_DEFINES
#endif
#include <math.h>
"""

#: The functions by which CasADi asks for names and sparsity of the inputs and of the outputs.
SIDE = """
EXPORT casadi_int {name}_n_{side}(void) {{ return {count}; }}

EXPORT const char *{name}_name_{side}(casadi_int i)
{{
    static const char *const names[] = {{{names}}};
    return i < {count} ? names[i] : 0;
}}

EXPORT const casadi_int *{name}_sparsity_{side}(casadi_int i)
{{
    static const casadi_int sparsities[] = {{{sparsities}}};
    static const int first[] = {{{first}}};
    return i < {count} ? sparsities + first[i] : 0;
}}
"""

FUNCTION = """
EXPORT int {name}_work(casadi_int *sz_arg, casadi_int *sz_res, casadi_int *sz_iw, casadi_int *sz_w)
{{
    *sz_arg = {n_in};
    *sz_res = {n_out};
    *sz_iw = 0;
    *sz_w = {zeros} + {values} + {workspace};
    return 0;
}}

EXPORT int {name}(const double **arg, double **res, casadi_int *iw, double *w, int mem)
{{
    static const int shapes[][2] = {{{shapes}}};
    double *const to = w + {zeros};
    (void) iw;
    (void) mem;
    for (int i = 0; i < {zeros}; i++)
        w[i] = 0.0;  /* for inputs that are null pointers, which means zeros */
    {call};
    copy(to, shapes, {n_out}, res);
    return 0;
}}
"""


#: The names that a kernel for one sample defines: types, functions, and prefixes of numbered names.
OWN = """
    all_sines gather_each heaviside maximum minimum mod places prepare real row scatter_each sign
    sines_and_cosines step stored vec waves
"""


@dataclass(frozen=True)
class CasadiArgument:
    """An input or output of a CasADi function, computed by rows in the shape (rows, columns).

    Attributes
    ==========

    name : str
        The name.
    sparsity : tuple of int
        The numbers of rows and columns, then 1 for a dense matrix; otherwise the index at which
        each column begins, and the rows of all entries.
    rows, columns : int
        The shape of the values to copy; no rows for an input without values.
    """

    name: str
    sparsity: tuple[int, ...]
    rows: int = 0
    columns: int = 1

    @classmethod
    def dense(cls, name: str, shape: Sequence[int]) -> "CasadiArgument":
        """Return a dense matrix; axes after the first are its columns."""
        rows, columns = prod(shape[:1]), prod(shape[1:])
        return cls(name, (rows, columns, 1), rows, columns)

    def empty(self, name: str) -> "CasadiArgument":
        """Return a matrix of the same shape without nonzeros."""
        return CasadiArgument(name, (self.rows, self.columns, *[0] * (self.columns + 1)))


@dataclass(frozen=True)
class CasadiFunction:
    """A function of a C file: a program with the derivatives of its outputs by all inputs."""

    stem: str
    program: Program
    inputs: Sequence[CasadiArgument]

    @property
    def outputs(self) -> list[CasadiArgument]:
        """The outputs that are no derivatives, as CasADi arguments."""
        values = (output for output in self.program.outputs if output.wrt is None)
        return [CasadiArgument.dense(output.name, output.shape) for output in values]

    @cached_property
    def slopes(self) -> list[tuple[list[int], CasadiArgument]]:
        """The references of the nonzeros of each block of the Jacobian, with the block."""
        return [_slopes(x) for x in self.program.outputs if x.wrt is not None and x.wrt.symbols]

    @cached_property
    def kernels(self) -> dict[str, Program]:
        """The programs of the outputs and of the Jacobian's nonzeros, by C function."""
        graph, groups = self.program.graph, self.program.groups
        values = [output for output in self.program.outputs if output.wrt is None]
        refs = tuple(ref for own, _ in self.slopes for ref in own)
        slopes = Output("slopes", (len(refs),), refs, "derivatives that are not zero")
        programs = Program(graph, values, groups), Program(graph, [slopes], groups)
        return dict(zip((f"{self.stem}_evaluate", f"{self.stem}_slopes"), programs, strict=True))

    @property
    def nominal(self) -> list[CasadiArgument]:
        """The outputs as inputs of the derivative functions, which do not use them."""
        return [output.empty(f"out_{output.name}") for output in self.outputs]


def casadi_functions(stem: str, program: Program, adjoint: Program | None) -> list[CasadiFunction]:
    """Return the CasADi functions of a program and, if there is one, of its adjoint program."""
    filled = (group for group in program.groups if group.symbols)
    inputs = [CasadiArgument.dense(group.name, (len(group.symbols),)) for group in filled]
    own = CasadiFunction(stem, program, inputs)
    if adjoint is None:
        return [own]
    seeds = [replace(output, name=f"adj_{output.name}") for output in own.outputs]
    inputs = [*inputs, *own.nominal, *seeds]
    return [own, CasadiFunction(f"adj1_{stem}", adjoint, inputs)]


def _slopes(output: Output) -> tuple[list[int], CasadiArgument]:
    """Return the references of a derivative's nonzeros by columns, and its sparsity."""
    assert output.wrt is not None
    *shape, width = output.shape
    rows, columns = prod(shape[:1]), prod(shape[1:])
    refs, places, begins = [], [], [0]
    for wrt in range(width):
        for place, entry in enumerate(i * columns + j for j in range(columns) for i in range(rows)):
            ref = output.refs[entry * width + wrt]
            if ref:
                refs.append(ref)
                places.append(place)
        begins.append(len(refs))
    sparsity = (rows * columns, width, *begins, *places)
    name = f"jac_{output.derivative_of}_{output.wrt.name}"
    return refs, CasadiArgument(name, sparsity, len(refs))


def add_prefix(text: str, prefix: str) -> str:
    """Return the text of a kernel with a prefix to the names it defines, so that texts can be
    joined.
    """
    own, words = set(OWN.split()), sorted(set(re.findall(r"\w+", text)))
    names = [word for word in words if word in own or word.rpartition("_")[0] in own]
    defined = "".join(f"#define {name} {prefix}_{name}\n" for name in names)
    return f"\n{defined}\n{text}\n" + "".join(f"#undef {name}\n" for name in names)


def casadi_source(function: CasadiFunction) -> str:
    """Return the C functions that CasADi calls, for the kernels of a function."""
    stem, inputs, text = function.stem, function.inputs, ""
    jacobian = [*inputs, *function.nominal], [block for _, block in function.slopes]
    both = (stem, inputs, function.outputs), (f"jac_{stem}", *jacobian)
    for (kernel, program), (name, given, returned) in zip(
        function.kernels.items(), both, strict=True
    ):
        for side, arguments in (("in", given), ("out", returned)):
            begins = accumulate((len(argument.sparsity) for argument in arguments), initial=0)
            text += SIDE.format(
                name=name,
                side=side,
                count=len(arguments),
                names=_join(f'"{argument.name}"' for argument in arguments),
                sparsities=_join(n for argument in arguments for n in argument.sparsity),
                first=_join([*begins][:-1]),
            )
        text += FUNCTION.format(
            name=name,
            call=_call(kernel, program, inputs),
            workspace=Target(kernel).workspace,
            n_in=len(given),
            n_out=len(returned),
            zeros=max([0, *(prod(argument.sparsity[:2]) for argument in given)]),
            values=sum(argument.rows * argument.columns for argument in returned),
            shapes=_join(f"{{{argument.rows}, {argument.columns}}}" for argument in returned),
        )
    return text


def _call(function: str, program: Program, inputs: Sequence[CasadiArgument]) -> str:
    """Return the C text that calls a kernel with the arrays of CasADi."""
    numbers = {argument.name: k for k, argument in enumerate(inputs)}
    places = [numbers[group.name] if group.symbols else None for group in program.groups]
    arguments = ["0" if k is None else f"arg[{k}] ? arg[{k}] : w" for k in places]
    begins = accumulate((len(output.refs) for output in program.outputs), initial=0)
    return f"{function}({_join([*arguments, *(f'to + {begin}' for begin in begins)])})"


def _join(items: Iterable[object]) -> str:
    return textwrap.fill(", ".join(map(str, items)), 96, subsequent_indent=" " * 8)
