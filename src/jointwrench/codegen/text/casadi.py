"""A C file that makes a program and its derivatives a function of CasADi."""

import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import prod

from ...arithmetic.program import Output, Program

INTRODUCTION = """\
/*
A function of CasADi and its Jacobian, one sample per call. For instance

    cc -O2 -fPIC -shared {stem}.c {stem}_casadi.c -lm -o {stem}.so

and in Python

    {stem} = casadi.external("{stem}", "./{stem}.so")

Inputs are columns, in the order of {stem}.h, groups without values left out. Matrices are
stored by columns, as CasADi has them; those of three axes have the last two as columns.
*/

"""

COMMON = """
typedef long long int casadi_int;

#if defined(_WIN32)
#define EXPORT __declspec(dllexport)
#elif defined(__GNUC__)
#define EXPORT __attribute__((visibility("default")))
#else
#define EXPORT
#endif

/* Copies what is wanted of some matrices, from rows to columns. */
static void copy(const double *from, const int (*shapes)[2], int count, double **res)
{
    for (int k = 0; k < count; k++) {
        const int rows = shapes[k][0], columns = shapes[k][1];
        for (int i = 0; res[k] && i < rows; i++)
            for (int j = 0; j < columns; j++)
                res[k][(casadi_int) j*rows + i] = from[(casadi_int) i*columns + j];
        from += (casadi_int) rows*columns;
    }
}
"""

FUNCTION = """
EXPORT casadi_int {name}_n_in(void) {{ return {n_in}; }}
EXPORT casadi_int {name}_n_out(void) {{ return {n_out}; }}

EXPORT const char *{name}_name_in(casadi_int i)
{{
    static const char *const names[] = {{{names_in}}};
    return i < {n_in} ? names[i] : 0;
}}

EXPORT const char *{name}_name_out(casadi_int i)
{{
    static const char *const names[] = {{{names_out}}};
    return i < {n_out} ? names[i] : 0;
}}

EXPORT const casadi_int *{name}_sparsity_in(casadi_int i)
{{
    static const casadi_int sparsities[] = {{{sparsities_in}}};
    static const int first[] = {{{first_in}}};
    return i < {n_in} ? sparsities + first[i] : 0;
}}

EXPORT const casadi_int *{name}_sparsity_out(casadi_int i)
{{
    static const casadi_int sparsities[] = {{{sparsities_out}}};
    static const int first[] = {{{first_out}}};
    return i < {n_out} ? sparsities + first[i] : 0;
}}

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


@dataclass(frozen=True)
class CasadiArgument:
    """An input or output of a CasADi function, computed row by row in the shape (rows, columns).

    ``sparsity``: numbers of rows and columns, then 1 if it is dense, or the beginning of each
    column and the rows of all entries.
    """

    name: str
    sparsity: tuple[int, ...]
    rows: int = 0
    columns: int = 1


def casadi_programs(program: Program) -> tuple[Program, Program, list[CasadiArgument]]:
    """Return the program of the outputs alone, that of all slopes, and what these are.

    The slopes are those entries of the outputs' derivatives that are not zero, in the
    order in which CasADi stores them.
    """
    values = [output for output in program.outputs if output.wrt is None]
    blocks: list[CasadiArgument] = []
    refs: list[int] = []
    for output in program.outputs:
        if output.wrt is not None and output.wrt.symbols:
            own, block = _slopes(output)
            refs += own
            blocks.append(block)
    slopes = Output("slopes", (len(refs),), tuple(refs), "derivatives that are not zero")
    alone, differentiated = (
        Program(program.graph, outputs, program.groups) for outputs in (values, [slopes])
    )
    return alone, differentiated, blocks


def _slopes(output: Output) -> tuple[list[int], CasadiArgument]:
    """Return the entries of a derivative that are not zero, by columns, and its sparsity."""
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


def casadi_source(
    stem: str, values: Program, slopes: Program, blocks: Sequence[CasadiArgument], kernel: str
) -> str:
    """Return the text of the C file: ``stem_evaluate`` for the values, ``stem_slopes`` as given."""
    inputs = [
        CasadiArgument(group.name, (len(group.symbols), 1, 1))
        for group in values.groups
        if group.symbols
    ]
    outputs, nominal = [], []
    for output in values.outputs:
        rows, columns = prod(output.shape[:1]), prod(output.shape[1:])
        outputs.append(CasadiArgument(output.name, (rows, columns, 1), rows, columns))
        nominal.append(CasadiArgument(f"out_{output.name}", (rows, columns, *[0] * (columns + 1))))
    text = INTRODUCTION.format(stem=stem) + kernel + f'\n#include "{stem}.h"\n' + COMMON
    own, other = f"{stem.upper()}_WORKSPACE", f"{stem.upper()}_SLOPES_WORKSPACE"
    text += _function(stem, inputs, outputs, _call(f"{stem}_evaluate", values), own)
    call = _call(f"{stem}_slopes", slopes)
    return text + _function(f"jac_{stem}", [*inputs, *nominal], blocks, call, other)


def _call(function: str, program: Program) -> str:
    """Return the call of a program's C function of one sample."""
    arguments, number = [], 0
    for group in program.groups:
        arguments.append(f"arg[{number}] ? arg[{number}] : w" if group.symbols else "0")
        number += bool(group.symbols)
    sizes = [len(output.refs) for output in program.outputs]
    arguments += [f"to + {sum(sizes[:k])}" for k in range(len(sizes) + 1)]
    return f"{function}({_join(arguments)})"


def _function(
    name: str,
    inputs: Sequence[CasadiArgument],
    outputs: Sequence[CasadiArgument],
    call: str,
    workspace: str,
) -> str:
    """Return the text of one function as CasADi asks for it."""
    return FUNCTION.format(
        name=name,
        call=call,
        workspace=workspace,
        n_in=len(inputs),
        n_out=len(outputs),
        zeros=max([0, *(argument.sparsity[0] for argument in inputs)]),
        values=sum(argument.rows * argument.columns for argument in outputs),
        names_in=_join(f'"{argument.name}"' for argument in inputs),
        names_out=_join(f'"{argument.name}"' for argument in outputs),
        sparsities_in=_join(n for argument in inputs for n in argument.sparsity),
        sparsities_out=_join(n for argument in outputs for n in argument.sparsity),
        first_in=_join(_begins(inputs)),
        first_out=_join(_begins(outputs)),
        shapes=_join(f"{{{argument.rows}, {argument.columns}}}" for argument in outputs),
    )


def _begins(arguments: Sequence[CasadiArgument]) -> list[int]:
    """Return where the sparsity of each argument begins among those of all."""
    sizes = [len(argument.sparsity) for argument in arguments]
    return [sum(sizes[:k]) for k in range(len(sizes))]


def _join(items: Iterable[object]) -> str:
    return textwrap.fill(", ".join(map(str, items)), 96, subsequent_indent=" " * 8)
