"""The kernels of an evaluator and of its derivatives for other libraries."""

import ctypes
import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate
from math import prod
from typing import Any

import numpy as np

from ....checks.arguments import check_choice, check_known
from ...codegen.toolchain.library import load_library
from ..backends.codes import CompiledCode
from ..backends.function import FEW
from ..motion_arguments import STATES
from ..value_arguments import ValueReader


class Kernel:
    """The compiled code of an evaluator, which C functions find by its key.

    Attributes
    ==========

    evaluate : Evaluator
        The evaluator.
    groups, widths, per_call : tuple
        The names of groups of inputs, their numbers of inputs, and whether they are constants.
    shapes : dict of str to tuple of int
        The shapes of outputs for one sample.
    address, single : int
        The addresses of the kernels for batches and for one sample.
    key : int
        A hash of code and interface.
    """

    def __init__(self, evaluate: Any) -> None:
        code = evaluate._code
        if not isinstance(code, CompiledCode):
            raise ValueError(
                f"`backend` must be 'c' for other libraries to call an evaluator, its backend is "
                f"{evaluate.backend!r}. Use compile(..., backend='c')."
            )
        groups = evaluate._interface.groups
        self.evaluate = evaluate
        self.groups = tuple(group.name for group in groups)
        self.widths = tuple(len(group.symbols) for group in groups)
        self.per_call = tuple(group.per == "call" for group in groups)
        self.shapes = evaluate.shapes
        self.address, self.single = code.address, code.single_address
        facts = repr((*evaluate.sources.values(), self.groups, self.widths, self.shapes))
        self.key = int.from_bytes(hashlib.sha256(facts.encode()).digest()[:8], "big") >> 1

    def known_to(self, source: str, function: str, more: Sequence[str] = ()) -> int:
        """Return the address of a function in a C text, after registering this kernel with the
        text.
        """
        kind: Any = ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.c_int64] * 3, *[ctypes.c_void_p] * 2)
        register = kind(load_library(source, more, "register_kernel"))
        per_call = sum(1 << k for k, is_one in enumerate(self.per_call) if is_one)
        if register(self.key, FEW, per_call, self.address, self.single):
            raise MemoryError("no memory for a kernel's address")
        return load_library(source, more, function)


class Derivatives:
    """An output of an evaluator, with the kernels of its first and second derivatives."""

    def __init__(self, evaluate: Any, output: str) -> None:
        check_choice("output", output, tuple(evaluate.shapes))
        self.output, self.value = output, Kernel(evaluate)
        self.groups, self.widths = self.value.groups, self.value.widths
        self.shape = evaluate.shapes[output]
        self.size = prod(self.shape)
        used, fixed, inputs = evaluate.used_inputs, evaluate.fixed_constants, evaluate.inputs
        self._readers = {name: ValueReader(name, inputs[name], used, fixed) for name in inputs}
        self._needed = {name for name in inputs if not used.isdisjoint(inputs[name])}
        self._made: dict[tuple[str, ...], Kernel] = {}
        #: The evaluators of this code whose first motion was not checked.
        self.unchecked = [evaluate]

    @property
    def has_model(self) -> bool:
        """Whether derivatives can be compiled."""
        return bool(self.value.evaluate._has_model)

    def run_checks(self, rows: Iterable[Any]) -> None:
        """Check the first motion of evaluators, in rows whose batch axes broadcast."""
        if not self.unchecked:
            return
        known = [np.asarray(row) for row in rows]
        batch = np.broadcast_shapes(*(row.shape[:-1] for row in known))
        while prod(batch) and self.unchecked:
            evaluate, columns = self.unchecked.pop(), []
            for name, row in zip(self.groups, known, strict=True):
                is_whole = name == "q" or (name in STATES and name in self._needed)
                symbols = enumerate(evaluate.inputs[name])
                places = [k for k, x in symbols if is_whole or x in evaluate.used_inputs]
                columns.append({place: row[..., place] for place in places})
            evaluate._run_checks(columns, batch)

    def slopes(self, wrt: Sequence[str]) -> tuple[Kernel, tuple[str, ...]]:
        """Return the kernel of derivatives by groups, and the names of its outputs."""
        return self._kernel("derivatives", wrt), tuple(f"{self.output}_wrt_{x}" for x in wrt)

    def curvature(self, wrt: Sequence[str]) -> tuple[Kernel, np.ndarray]:
        """Return the kernel of Hessians, and an index array (n, n) into its entries plus a zero."""
        kernel = self._kernel("second_derivatives", wrt)
        evaluate = kernel.evaluate
        numbers = np.arange(len(evaluate.rows))
        places = np.full([len(evaluate.variables)] * 2, len(numbers))
        places[evaluate.rows, evaluate.columns] = places[evaluate.columns, evaluate.rows] = numbers
        return kernel, places

    def blocks(self, wrt: Sequence[str]) -> dict[str, slice]:
        """Return the slice of each group among the variables of second derivatives."""
        widths = [self.widths[self.groups.index(group)] for group in wrt]
        return {
            group: slice(end - width, end)
            for group, width, end in zip(wrt, widths, accumulate(widths), strict=True)
        }

    def _kernel(self, kind: str, wrt: Sequence[str]) -> Kernel:
        """Return the cached kernel of first or second derivatives by groups."""
        if "times" in wrt:
            raise ValueError(
                "`times` must not be a variable of derivatives, since derivatives by time are "
                "not compiled. Use a specified quantity for what changes with time."
            )
        key = (kind, *wrt)
        if key not in self._made:
            remade = self.value.evaluate._of_same_model(self.output, **{kind: list(wrt)})
            self._made[key] = Kernel(remade)
        return self._made[key]

    def rows(
        self,
        given: Sequence[Any],
        named: Mapping[str, Any],
        array: Callable[[str, Any], Any],
        zeros: Callable[[int], Any],
        stack: Callable[[Sequence[Any]], Any],
    ) -> list[Any]:
        """Return the rows (..., width) of all groups with equal numbers of axes, from a call's
        arguments.

        ``array``, ``zeros`` and ``stack`` are functions of the library whose arrays are used.
        """
        if len(given) > len(self.groups):
            raise TypeError(f"arguments must be {', '.join(self.groups)}, got {len(given)}.")
        known = dict(zip(self.groups, given, strict=False))
        check_known("arguments", named, self.groups[len(given) :], "be among")
        known.update(named)
        rows = []
        for name, width in zip(self.groups, self.widths, strict=True):
            value = known.get(name)
            if isinstance(value, Mapping):
                reader = self._readers[name]
                own = {s: array(f"{name}[{s}]", x) for s, x in reader.by_symbol(value).items()}
                value = stack([own.get(s, zeros(1)[0]) for s in reader.symbols]) if width else None
            if value is None and name in self._needed:
                raise ValueError(f"`{name}` must have shape (..., {width}), got None.")
            value = zeros(width) if value is None else array(name, value)
            value = value[..., None] if name == "times" and name in known else value
            if value.ndim == 0 or value.shape[-1] != width:
                raise ValueError(
                    f"`{name}` must have shape (..., {width}), got shape {tuple(value.shape)}."
                )
            rows.append(value)
        axes = max(row.ndim for row in rows)
        return [
            row if row.ndim == axes else row.reshape((1,) * (axes - row.ndim) + tuple(row.shape))
            for row in rows
        ]


def check_real_kind(name: str, kind: Any, is_real: bool) -> None:
    """Raise an error for elements that are not real numbers."""
    if not is_real:
        raise TypeError(f"`{name}` must hold real numbers, got elements of type {kind}.")
