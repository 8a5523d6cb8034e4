"""The compiled function that users call."""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from math import prod
from typing import Any

import numpy as np
from sympy import Expr

from ..result import Result
from .arguments import batch_shape, flatten, real_array, rows
from .layout import CONSTANTS, GROUPS, Kernel, Layout
from .values import Names, constant_values, specified_values

#: Below this number of samples per thread, splitting a batch costs more than it saves.
SMALLEST_SHARE = 1024


class Evaluator:
    """A compiled program: arrays in, arrays out.

    Made by `compile_program`.  It has no state, so that any number of threads
    can call it at the same time.

    Parameters
    ==========

    layout : Layout
        The program and the places of its inputs.
    kernel : callable
        Evaluates a batch.
    backend, source : str
        See the attributes.
    joints, loads, threads, fixed_constants : optional
        As for `compile_program`.

    Attributes
    ==========

    backend : str
        What does the work: ``"c"`` or ``"numpy"``.
    source : str
        The generated C or Python code.
    outputs : tuple of str
        The names of the outputs.
    threads : int
        Into how many threads a large batch is split.
    fixed_constants : dict
        The constants that became numbers at compile time.
    """

    def __init__(
        self,
        layout: Layout,
        kernel: Kernel,
        backend: str,
        source: str,
        *,
        joints: tuple[Any, ...] = (),
        loads: tuple[Expr, ...] = (),
        threads: int = 1,
        fixed_constants: Mapping[Expr, Any] | None = None,
    ) -> None:
        self.backend = backend
        self.source = source
        self.threads = threads
        self.fixed_constants = dict(fixed_constants or {})
        self.outputs = tuple(output.name for output in layout.program.outputs)
        self._shapes = tuple(output.shape for output in layout.program.outputs)
        self._kernel = kernel
        self._joints = joints
        self._loads = loads
        self._widths = dict(zip(GROUPS, layout.widths, strict=True))
        constants, specifieds = layout.groups[CONSTANTS], layout.groups[CONSTANTS + 1]
        self._constants = Names("constants", constants, layout.used, self.fixed_constants)
        self._specifieds = Names("specifieds", specifieds, layout.used)
        self._needs_times = not layout.used.isdisjoint(layout.groups[-1])

    def __repr__(self) -> str:
        return f"Evaluator(outputs={self.outputs}, backend={self.backend!r})"

    def __call__(
        self,
        q: Any,
        u: Any,
        udot: Any,
        constants: Mapping[Any, Any] | None = None,
        specifieds: Mapping[Any, Any] | None = None,
        times: Any = None,
    ) -> Result:
        """Evaluate one sample or a whole batch.

        All leading axes ``...`` are batch axes; they broadcast against each
        other.  Integers and float32 are converted to double precision.

        Parameters
        ==========

        q, u, udot : array_like, shape (..., n)
            Generalized coordinates, speeds and the speeds' time derivatives, in
            the order of the model's.  A scalar will do where there is but one;
            None where there is none.
        constants : mapping, optional
            Finite real numbers by symbol or by name.
        specifieds : mapping, optional
            By symbol or by name: a number, an array over the batch (shape
            ``...``), or a function of time, which is called with one float for
            each of ``times``.  By a tuple of k symbols: an array of shape (...,
            k), or a function that returns k values.
        times : array_like, shape (...), optional
            The time of each sample.

        Returns
        =======

        Result
            The outputs as new arrays with the same batch axes.

        Raises
        ======

        TypeError
            If an argument holds anything but real numbers.
        ValueError
            If a shape does not fit, if a value is missing, given twice or not
            known, or if a constant is not finite.

        Notes
        =====

        A row with a NaN gives NaN in that row in every output that depends on
        it; no other row changes.  Comparisons with NaN, as in a Piecewise, are
        false.
        """
        if times is None and self._needs_times:
            raise ValueError("`times` must be given, since the outputs depend on time.")
        instants = None if times is None else real_array("times", times)
        arrays = {
            "q": rows("q", q, self._widths["q"]),
            "u": rows("u", u, self._widths["u"]),
            "udot": rows("udot", udot, self._widths["udot"]),
            "specifieds": specified_values(self._specifieds, specifieds, instants),
        }
        shapes = {name: array.shape[:-1] for name, array in arrays.items()}
        if instants is not None:
            shapes["times"] = instants.shape
        batch = batch_shape(shapes)
        arrays["times"] = self._time_rows(instants)
        flat = {name: flatten(array, batch) for name, array in arrays.items()}
        flat["constants"] = constant_values(self._constants, constants), 0
        return self._run(batch, [flat[group] for group in GROUPS])

    def _time_rows(self, instants: np.ndarray | None) -> np.ndarray:
        if instants is None or not self._widths["times"]:
            return np.zeros(self._widths["times"])
        return instants[..., None]

    def _run(self, batch: tuple[int, ...], flat: list[tuple[np.ndarray, int]]) -> Result:
        samples = prod(batch)
        inputs = tuple(array for array, _ in flat)
        strides = tuple(stride for _, stride in flat)
        results = [np.empty((*batch, *shape)) for shape in self._shapes]
        outputs = tuple(result.reshape(-1) for result in results)
        shares = min(self.threads, samples // SMALLEST_SHARE)
        if shares > 1:
            self._run_threads(shares, samples, inputs, strides, outputs)
        else:
            self._kernel(samples, inputs, strides, outputs)
        return Result(dict(zip(self.outputs, results, strict=True)), self._joints, self._loads)

    def _run_threads(
        self,
        shares: int,
        samples: int,
        inputs: tuple[np.ndarray, ...],
        strides: tuple[int, ...],
        outputs: tuple[np.ndarray, ...],
    ) -> None:
        sizes = [prod(shape) for shape in self._shapes]
        bounds = [samples * k // shares for k in range(shares + 1)]

        def run(share: int) -> None:
            first, last = bounds[share], bounds[share + 1]
            self._kernel(
                last - first,
                tuple(
                    array[first * stride : last * stride] if stride else array
                    for array, stride in zip(inputs, strides, strict=True)
                ),
                strides,
                tuple(
                    array[first * size : last * size]
                    for array, size in zip(outputs, sizes, strict=True)
                ),
            )

        with ThreadPoolExecutor(shares) as pool:
            list(pool.map(run, range(shares)))
