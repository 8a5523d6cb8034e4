"""A program as numpy code, for machines without a C compiler."""

from collections.abc import Iterable, Iterator
from typing import Any

from sympy import gamma, nan
from sympy.printing.numpy import SciPyPrinter

from ...arithmetic.graph import Constant, Input
from ...codegen.text.printers import CallPrinter
from ...codegen.text.statements import Layout, Statements

_TEMPLATE = """\
# {descriptions}


def evaluate({arguments}):
    # Operations on constants alone.
{constant_operations}
    # Operations for every sample: each name holds one value per sample.
{sample_operations}
    # Results.
{outputs}
"""


class NumpyCallPrinter(CallPrinter, SciPyPrinter):
    """Prints calls as numpy and scipy code."""

    _power = "power"
    _print_LambertW = SciPyPrinter._print_not_supported  # scipy's is complex

    def _call(self, function: str, *arguments: Any) -> str:
        return super()._call(f"numpy.{function}", *arguments)

    def _print_factorial(self, expr: Any) -> str:  # scipy's is zero left of zero
        return self._print(gamma(expr.args[0] + 1))

    def _print_Select(self, expr: Any) -> str:
        left, right, one, other = expr.args
        return self._call("where", left > right, one, other)

    def _print_Certain(self, expr: Any) -> str:
        left, right, value = expr.args
        return self._call("where", left > right, value, nan)

    # Sympy puts the arguments of these into one array, which needs equal shapes.

    def _print_And(self, expr: Any) -> str:
        return self._in_pairs(f"logical_{type(expr).__name__.lower()}", expr.args)

    _print_Or = _print_Xor = _print_And

    def _print_ITE(self, expr: Any) -> str:  # sympy's select makes numbers of the conditions
        return self._call("where", *expr.args)


def numpy_recipe(layout: Layout) -> tuple[Any, ...]:
    """Return the recipe of `numpy_code.NumpyCode`: backend, source and modules."""
    printer = NumpyCallPrinter({"fully_qualified_modules": True})
    statements = Statements(layout, printer, "numpy.nan", "numpy.inf")
    source = _source(layout, statements)
    modules = tuple(sorted({"numpy", *printer.module_imports}))
    return "numpy", source, modules


def _source(layout: Layout, statements: Statements) -> str:
    """Return the source of the function for a program."""
    program = layout.program
    arguments = [f"input_{k}" for k in range(len(layout.groups))]
    arguments += [f"output_{k}" for k in range(len(program.outputs))]
    stores = [
        f"output_{number}[:, {k}] = {statements.signed(ref)}"
        for number, output in enumerate(program.outputs)
        for k, ref in enumerate(output.refs)
    ]
    return _TEMPLATE.format(
        descriptions="\n# ".join(
            f"input_{k} : {group.title}" for k, group in enumerate(layout.groups)
        ),
        arguments=", ".join(arguments),
        constant_operations=_lines(_operations(layout, statements, program.constant_refs, "0")),
        sample_operations=_lines(_operations(layout, statements, program.sample_refs, ":")),
        outputs=_lines([*stores, "return"]),
    )


def _operations(
    layout: Layout, statements: Statements, refs: Iterable[int], row: str
) -> Iterator[str]:
    """Yield the statements for some values; ``row`` selects one row of inputs or all."""
    for ref in refs:
        operation = layout.program.operations[ref]
        if isinstance(operation, Input):
            place = layout.place(ref)
            source = f"input_{place.group}[{row}, {place.index}]"
            yield f"{statements.name(ref)} = {source}  # {layout.comment(place)}"
        elif not isinstance(operation, Constant):
            yield f"{statements.name(ref)} = {statements.text(ref)}"


def _lines(lines: Iterable[str]) -> str:
    return "\n".join(f"    {line}" for line in lines)
