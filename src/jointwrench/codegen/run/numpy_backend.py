"""The same program as numpy code, for machines without a C compiler."""

import importlib
from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np
from sympy import Piecewise, Rational, gamma
from sympy.printing.numpy import SciPyPrinter

from ..text.layout import Layout
from ..text.statements import Statements

#: The number of samples that are computed together; bounds the memory used.
CHUNK = 4096

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


class CallPrinter(SciPyPrinter):
    """Prints calls of functions on arrays and numbers; a NaN stays a NaN."""

    def _print_Dummy(self, expr: Any) -> str:
        return expr.name

    _print_LambertW = SciPyPrinter._print_not_supported  # scipy's is complex

    def _print_factorial(self, expr: Any) -> str:  # scipy's is zero left of zero
        return self._print(gamma(expr.args[0] + 1))

    # Sympy puts the arguments of these into one array, which needs equal shapes.

    def _print_Max(self, expr: Any) -> str:
        return self._in_pairs("numpy.maximum", expr.args)

    def _print_Min(self, expr: Any) -> str:
        return self._in_pairs("numpy.minimum", expr.args)

    def _print_And(self, expr: Any) -> str:
        return self._in_pairs("numpy.logical_and", expr.args)

    def _print_Or(self, expr: Any) -> str:
        return self._in_pairs("numpy.logical_or", expr.args)

    def _in_pairs(self, function: str, arguments: tuple[Any, ...]) -> str:
        first, *others = map(self._print, arguments)
        for other in others:
            first = f"{function}({first}, {other})"
        return first

    def _print_ITE(self, expr: Any) -> str:  # sympy's select makes numbers of the conditions
        return f"numpy.where({', '.join(map(self._print, expr.args))})"

    def _print_Xor(self, expr: Any) -> str:
        return self._in_pairs("numpy.logical_xor", expr.args)

    def _print_KroneckerDelta(self, expr: Any) -> str:  # sympy's compares whole arrays
        return self._print(expr.rewrite(Piecewise))

    def _print_Heaviside(self, expr: Any) -> str:
        return f"numpy.heaviside({', '.join(map(self._print, expr.args))})"

    def _print_Mod(self, expr: Any) -> str:
        a, b = map(self._print, expr.args)
        return f"numpy.mod({a}, {b})"

    def _print_Pow(self, expr: Any, **options: Any) -> str:
        base, exponent = expr.args
        if exponent in (Rational(1, 2), Rational(-1, 2)):
            root = f"numpy.sqrt({self._print(base)})"
            return root if exponent > 0 else f"(1.0/{root})"
        return f"numpy.power({self._print(base)}, {self._print(exponent)})"

    def _print_Rational(self, expr: Any) -> str:
        return repr(float(expr))

    _print_Integer = _print_Rational


def numpy_recipe(layout: Layout) -> tuple[Any, ...]:
    """Return what `NumpyCode` is made from, after the name of the backend."""
    printer = CallPrinter({"fully_qualified_modules": True})
    statements = Statements(layout, printer, not_a_number="numpy.nan", infinity="numpy.inf")
    source = _source(layout, statements)
    modules = tuple(sorted({"numpy", *printer.module_imports}))
    sizes = tuple(prod(output.shape) for output in layout.program.outputs)
    return "numpy", source, modules, layout.widths, tuple(layout.per_call), sizes


class NumpyCode:
    """Python code that works on arrays; cuts the batch into chunks of rows.

    Parameters
    ==========

    source : str
        The text.
    modules : tuple of str
        What it imports.
    widths, sizes : tuple of int
        The numbers of values in a row of each input and output.
    per_call : tuple of int
        The numbers of the inputs that have one row per call.

    Attributes
    ==========

    source : str
        The text.
    recipe : tuple
        What `make_code` makes this from.
    """

    backend = "numpy"

    def __init__(
        self,
        source: str,
        modules: tuple[str, ...],
        widths: tuple[int, ...],
        per_call: tuple[int, ...],
        sizes: tuple[int, ...],
    ) -> None:
        self.source = source
        self.recipe = "numpy", source, modules, widths, per_call, sizes
        self._widths = widths
        self._per_call = per_call
        self._sizes = sizes
        namespace: dict[str, Any] = {}
        for module in modules:
            importlib.import_module(module)
            top = module.partition(".")[0]
            namespace[top] = importlib.import_module(top)
        exec(compile(source, "<jointwrench>", "exec"), namespace)
        self._function: Callable[..., None] = namespace["evaluate"]

    def function(self, *interface: Any) -> "NumpyCode":
        """Return what does the same as a `Function`."""
        return self

    def plain(self, given: Any, keys: Any, out: Any, most: int) -> None:
        """Evaluate nothing without a detour, see `Function.plain`."""

    def run(
        self,
        samples: int,
        inputs: tuple[np.ndarray, ...],
        strides: tuple[int, ...],
        outputs: tuple[np.ndarray, ...],
    ) -> None:
        """Evaluate a batch, see `Function.run`."""
        rows = [
            array if group in self._per_call else array.reshape(-1 if width else 1, width)
            for group, (array, width) in enumerate(zip(inputs, self._widths, strict=True))
        ]
        results = [
            array.reshape(samples, size) for array, size in zip(outputs, self._sizes, strict=True)
        ]
        with np.errstate(all="ignore"):
            for first in range(0, samples, CHUNK):
                part = slice(first, first + CHUNK)
                chunk = [
                    row[part] if stride else row for row, stride in zip(rows, strides, strict=True)
                ]
                self._function(*chunk, *(result[part] for result in results))


def _source(layout: Layout, statements: Statements) -> str:
    outputs, titles = layout.program.outputs, [group.title for group in layout.groups]
    arguments = [f"input_{k}" for k in range(len(layout.groups))]
    arguments += [f"output_{k}" for k in range(len(outputs))]
    loads = [f"{n} = input_{p.group}[{p.index}]" for n, p in statements.constant_inputs]
    columns = [
        f"{n} = input_{p.group}[:, {p.index}]  # {layout.comment(p)}"
        for n, p in statements.sample_inputs
    ]
    stores = [
        f"output_{number}[:, {k}] = {entry}"
        for number, entries in enumerate(statements.outputs)
        for k, entry in enumerate(entries)
    ]
    return _TEMPLATE.format(
        descriptions="\n# ".join(f"input_{k} : {what}" for k, what in enumerate(titles)),
        arguments=", ".join(arguments),
        constant_operations=_block(loads, statements.constant_operations),
        sample_operations=_block(columns, statements.sample_operations),
        outputs=_block([*stores, "return"], []),
    )


def _block(lines: list[str], definitions: list[tuple[str, str]]) -> str:
    lines = lines + [f"{name} = {text}" for name, text in definitions]
    return "\n".join(f"    {line}" for line in lines)
