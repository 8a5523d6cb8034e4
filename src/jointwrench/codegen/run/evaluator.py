"""The compiled function that users call."""

import sys
from collections.abc import Iterable, Mapping
from math import prod
from typing import Any

import numpy as np
from sympy import Expr

from ...checks.numbers import real_array
from ...dynamics.joint_motion import Assembly
from ...results.inputs import Inputs
from ...results.result import Result, joint_names
from ..text.layout import GROUPS
from . import undefined_functions  # noqa: F401 - lets the symbols pickle
from .arguments import batch_shape, check_out, rows
from .batch import LONGEST_RUN, Rows, Run, runs, shares
from .interface import Interface
from .threads import spread
from .values import Names, constant_values, specified_values

#: Below this number of samples per thread, splitting a batch costs more than it saves.
SMALLEST_SHARE = 4096

_INDEX = np.dtype(np.intp)


class Evaluator:
    """A compiled program: arrays in, arrays out.

    Made by `InverseDynamics.compile`.  Any number of threads can call it at the
    same time.  It can be pickled, copied and sent to other processes and
    machines, where it is compiled again if need be.

    Parameters
    ==========

    interface : Interface
        What goes in and comes out.
    code : CompiledCode or NumpyCode
        What does the work.
    joints, loads, assembly, threads, fixed_constants : optional
        As for `compile_program`.
    spare : NumpyCode, optional
        What does the work where this is unpickled and ``code`` cannot be compiled.

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
        interface: Interface,
        code: Any,
        *,
        joints: tuple[Any, ...] = (),
        loads: tuple[Expr, ...] = (),
        assembly: Assembly | None = None,
        threads: int = 1,
        fixed_constants: Mapping[Expr, Any] | None = None,
        spare: Any = None,
    ) -> None:
        self.backend: str = code.backend
        self.threads = threads
        self.fixed_constants = dict(fixed_constants or {})
        self.outputs = interface.names
        self._interface = interface
        self._code = code
        self._spare = spare
        self._joints = joints
        self._loads = loads
        self._assembly = assembly
        self._constants = Names(
            "constants", interface.constants, interface.used, self.fixed_constants
        )
        self._specifieds = Names("specifieds", interface.specifieds, interface.used)
        # The quick way for plain arrays; the keys of the last dict of constants, and their places.
        usable = not interface.uses_time and not interface.uses_specifieds
        self._plain = code.plain if usable else None
        self._needs_constants = not interface.used.isdisjoint(interface.constants)
        self._keys: tuple[tuple[Any, ...], bytes] = ((None,), bytes(_INDEX.itemsize))  # no dict's

    def __repr__(self) -> str:
        return f"Evaluator(outputs={self.outputs}, backend={self.backend!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        spare = self._spare() if callable(self._spare) else self._spare
        names, fixed = joint_names(self._joints), self.fixed_constants
        return _restore, (
            *(self._interface, self._code.recipe, spare),
            *(names, self._loads, self._assembly, self.threads, fixed),
        )

    def __copy__(self) -> "Evaluator":
        """Return an Evaluator of the same code and the same joints."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other.fixed_constants = dict(self.fixed_constants)
        return other

    def __deepcopy__(self, memo: dict[int, Any]) -> "Evaluator":
        return self.__copy__()  # neither code nor joints change

    @property
    def source(self) -> str:
        """The generated C or Python code."""
        return self._code.source

    def __call__(
        self,
        q: Any,
        u: Any = None,
        udot: Any = None,
        constants: Mapping[Any, Any] | None = None,
        specifieds: Mapping[Any, Any] | None = None,
        times: Any = None,
        out: Mapping[str, np.ndarray] | None = None,
    ) -> Result:
        """Evaluate one sample or a whole batch.

        All leading axes ``...`` are batch axes; they broadcast against each
        other.  Integers and float32 are converted to double precision.

        Parameters
        ==========

        q, u, udot : array_like, shape (..., n)
            Generalized coordinates, speeds and the speeds' time derivatives, in
            the order of the model's.  A scalar will do where there is but one;
            None where there is none.  A motion that has attributes of these
            names (and possibly ``times``) can be given alone, as ``q``.
        constants : mapping, optional
            Finite real numbers by symbol or by name.
        specifieds : mapping, optional
            By symbol or by name: a number, an array over the batch (shape
            ``...``), or a function of time, which is called with one float for
            each of ``times``.  By a tuple of k symbols: an array of shape (...,
            k), or a function that returns k values.
        times : array_like, shape (...), optional
            The time of each sample.
        out : mapping of str to numpy.ndarray, optional
            Arrays by the names of outputs, into which these are written: of
            double precision, C-contiguous, and of the shape that the output has.

        Returns
        =======

        Result
            The outputs as new arrays (or those in ``out``) with the same batch
            axes.

        Raises
        ======

        TypeError
            If an argument holds anything but real numbers.
        ValueError
            If a shape does not fit, if a value is missing, given twice or not
            known, if a constant is not finite, or if an array in ``out`` cannot
            be written into.

        Notes
        =====

        A row with a NaN gives NaN in that row in every output that depends on
        it; no other row changes.  Comparisons with NaN, as in a Piecewise, are
        false.

        For what it can tell later of powers and other points, a result refers to
        the arrays that the evaluation was called with.
        """
        if (
            self._plain is not None
            and (specifieds is None and times is None and out is None)
            and (constants is not None or not self._needs_constants)
        ):
            keys, places = self._keys
            most = sys.maxsize if self.threads == 1 else 2 * SMALLEST_SHARE - 1
            found = self._plain(q, u, udot, constants, keys, places, most, self.outputs)
            if found is not None:
                outputs, numbers = found
                inputs = (self._inputs, q, u, udot, places, numbers)
                return Result(outputs, self._joints, self._loads, inputs, self._assembly)
        if u is None and udot is None and _is_motion(q):
            times = getattr(q, "times", None) if times is None else times
            q, u, udot = q.q, q.u, q.udot
        return self._evaluate(q, u, udot, constants, specifieds, times, out)

    def _evaluate(
        self, q: Any, u: Any, udot: Any, constants: Any, specifieds: Any, times: Any, out: Any
    ) -> Result:
        """Evaluate arguments of any form."""
        if times is None and self._interface.uses_time:
            raise ValueError("`times` must be given, since the outputs depend on time.")
        instants = None if times is None else real_array("times", times)
        widths = dict(zip(GROUPS, self._interface.widths, strict=True))
        arrays = {
            name: Rows(rows(name, value, widths[name]))
            for name, value in (("q", q), ("u", u), ("udot", udot))
        }
        arrays["specifieds"] = specified_values(self._specifieds, specifieds, instants)
        shapes = {name: array.shape for name, array in arrays.items()}
        if instants is not None:
            shapes["times"] = instants.shape
        batch = batch_shape(shapes)
        known = dict(arrays)
        if instants is not None:
            known["times"] = Rows(instants[..., None])
        arrays["times"] = self._time_rows(instants)
        arrays["constants"] = Rows(constant_values(self._constants, constants))
        self._remember(constants)
        given = None if constants is None else dict(constants)
        sources = [arrays[group].prepare(batch) for group in GROUPS]
        results = self._results(batch, out, known.values())
        self._run(batch, sources, results)
        outputs = dict(zip(self.outputs, results, strict=True))
        inputs = (self._general_inputs, known, given, instants)
        return Result(outputs, self._joints, self._loads, inputs, self._assembly)

    def _time_rows(self, instants: np.ndarray | None) -> Rows:
        if instants is None or not self._interface.uses_time:
            return Rows(np.zeros(self._interface.widths[-1]))
        return Rows(instants[..., None])

    def _remember(self, constants: Any) -> None:
        """Keep the keys of a dict of constants, which the quick way compares with its own."""
        if constants:
            keys = tuple(constants)
            self._keys = keys, np.array(self._constants.places(keys), _INDEX).tobytes()

    # -- results --------------------------------------------------------------

    def _results(
        self, batch: tuple[int, ...], out: Any, inputs: Iterable[Rows]
    ) -> list[np.ndarray]:
        shapes = {
            name: (*batch, *shape)
            for name, shape in zip(self.outputs, self._interface.shapes, strict=True)
        }
        given = {}
        if out is not None:
            given = check_out(out, shapes, [x for rows in inputs for x in rows.columns.values()])
        return [given[n] if n in given else np.empty(shape) for n, shape in shapes.items()]

    def _inputs(self, q: Any, u: Any, udot: Any, places: bytes, numbers: bytes | None) -> Inputs:
        """Return what a call was given that went the quick way."""
        arrays = {"q": Rows(q), "u": Rows(u), "udot": Rows(udot)}
        constants = {}
        if numbers is not None:
            values, symbols = np.frombuffer(numbers), self._constants.symbols
            constants = {symbols[k]: values[k] for k in np.frombuffer(places, _INDEX)}
        return self._general_inputs(arrays, constants, None)

    def _general_inputs(
        self, arrays: Mapping[str, Rows], constants: Any, instants: np.ndarray | None
    ) -> Inputs:
        """Return what a call was given, by symbol."""
        samples = {
            symbols[k]: column
            for group, symbols in zip(GROUPS, self._interface.groups, strict=True)
            if group in arrays and symbols
            for k, column in arrays[group].columns.items()
        }
        known = self._constants.collect((constants or {}).items())
        numbers = {self._constants.symbols[k]: float(x) for k, x in known.items()}
        fixed = {symbol: float(x) for symbol, x in self.fixed_constants.items()}
        speeds = self._interface.groups[list(GROUPS).index("u")]
        return Inputs(samples, {**fixed, **numbers}, speeds, instants)

    # -- work -----------------------------------------------------------------

    def _run(self, batch: tuple[int, ...], sources: list[Rows], results: list[np.ndarray]) -> None:
        outputs = [result.reshape(-1) for result in results]
        samples = prod(batch)
        threads = min(self.threads, max(1, samples // SMALLEST_SHARE))
        parts: Iterable[Run]
        if all(source.is_direct for source in sources):
            # some more parts than threads, for cores that are busy with something else
            most = max(1, samples // (threads * SMALLEST_SHARE))
            parts = shares(batch, threads * min(8, most) if threads > 1 else 1)
        else:
            parts = runs(batch, min(LONGEST_RUN, -(-samples // threads)))

        def run(part: Run) -> None:
            self._run_part(part, sources, outputs)

        spread(run, parts, threads)

    def _run_part(self, part: Run, sources: list[Rows], outputs: list[np.ndarray]) -> None:
        sizes = [prod(shape) for shape in self._interface.shapes]
        self._code.kernel(
            part.count,
            tuple(source.take(part) for source in sources),
            tuple(source.stride for source in sources),
            tuple(
                output[part.first * size : (part.first + part.count) * size]
                for output, size in zip(outputs, sizes, strict=True)
            ),
        )


def _is_motion(value: Any) -> bool:
    return all(hasattr(value, name) for name in ("q", "u", "udot"))


def _restore(
    interface: Interface,
    recipe: tuple[Any, ...],
    spare: Any,
    joints: tuple[Any, ...],
    loads: tuple[Expr, ...],
    assembly: Assembly | None,
    threads: int,
    fixed_constants: Mapping[Expr, Any],
) -> Evaluator:
    """Return an Evaluator again after pickling."""
    from .codes import make_code

    code = make_code(recipe, spare)
    return Evaluator(
        interface,
        code,
        joints=joints,
        loads=loads,
        assembly=assembly,
        threads=threads,
        fixed_constants=fixed_constants,
        spare=spare,
    )
