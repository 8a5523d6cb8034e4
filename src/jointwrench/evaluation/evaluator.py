"""The compiled function that users call."""

import sys
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from math import prod
from typing import Any, ClassVar

import numpy as np
from sympy import Expr

from ..arithmetic.program import Group
from ..checks.arguments import check_mapping
from ..checks.display import Grid, NotebookTable, facts, listed
from ..codegen.text.kernel import FAR
from ..dynamics.joint_motion import ModelJoints
from ..records.instants import looks_at
from .array_arguments import check_out
from .backends.codes import Code, make_code
from .backends.function import Function, Signature, directly, new_array
from .batch import LONGEST_RUN, Rows, Run, runs, shares, spread
from .compiled_outputs import Interface
from .forms import Arguments, Form
from .generalized_ufunc import GeneralizedUfunc, generalized_ufunc
from .motions import MotionReader
from .result import Result, ResultSource, joint_names

#: Below this number of samples per thread, splitting a batch costs more than it saves.
SMALLEST_SHARE = 4096


@directly
class Evaluator(NotebookTable):
    """A compiled program: arrays in, arrays out.

    Made by `InverseDynamics.compile`.  Any number of threads can call it at the
    same time.  It can be pickled, copied and sent to other processes and
    machines, where it is compiled again if need be.

    Parameters
    ==========

    interface : Interface
        What goes in and comes out.
    code : Code
        What does the work.
    joints, loads, model_joints, threads, fixed_constants : optional
        As for ``compilation.compile_program``.
    spare : tuple, optional
        The recipe of what does the work where this is unpickled and ``code`` cannot be compiled,
        or a function that returns it.

    Attributes
    ==========

    backend : str
        What does the work: ``"c"`` or ``"numpy"``.
    source : str
        The generated C or Python code for batches.
    sources : dict of str
        That for a batch, and that for one sample or two.
    outputs : tuple of str
        The names of the outputs.
    fixed_constants : dict
        The constants that became numbers at compile time.

    See Also
    ========

    InverseDynamics.compile : Makes it.
    Result : What it returns.

    Notes
    =====

    One sample or two are evaluated by a kernel of their own, which is compiled at the first
    such call and kept in the cache like the other one.  With gcc and clang it gives the same
    bits as a batch: the same operations, products and sums that become one instruction
    alike, the same functions of the C library.  Other compilers may join products and sums
    otherwise, which is one rounding for each of them.  So may gcc and clang where more than 4000
    operations are much the same for a left and a right limb: one sample then has both sides
    computed at once, two numbers in a register.

    Results of 128 kB and more take the memory of earlier ones of the same size to which
    nobody refers any more; up to 512 MB of 32 such arrays are kept.  What is larger than 4
    MB the system may take back while it is not in use.  Results of one sample take the arrays
    of one of the last two to which nobody refers any more.

    Examples
    ========

    >>> import jointwrench as jw
    >>> chain = jw.SerialChain.planar(1, gravity=(0, -9.81, 0))
    >>> idyn = jw.InverseDynamics(chain.system)
    >>> values = {"l_0": 0.5, "m_0": 2.0, "I_0": 0.04}
    >>> evaluate = idyn.compile()
    >>> evaluate([0.0], [0.0], [0.0], values).generalized_forces + 0.0
    array([0.])
    """

    __slots__ = ("__dict__", "__weakref__", "_function")  # the extension looks into that one

    #: The groups of inputs, in the order of the arguments of a call, and their forms.
    forms: ClassVar[dict[str, Form]] = {
        "q": Form.ROWS,
        "u": Form.ROWS,
        "udot": Form.ROWS,
        "constants": Form.NUMBERS,
        "specifieds": Form.COLUMNS,
        "times": Form.INSTANTS,
    }

    def __init__(
        self,
        interface: Interface,
        code: Code,
        *,
        joints: tuple[Any, ...] = (),
        loads: tuple[Expr, ...] = (),
        model_joints: ModelJoints | None = None,
        threads: int = 1,
        fixed_constants: Mapping[Expr, Any] | None = None,
        spare: Any = None,
    ) -> None:
        self.backend: str = code.backend
        self.fixed_constants = dict(fixed_constants or {})
        self.outputs = interface.names
        self._interface = interface
        self._code = code
        self._spare = spare
        self._sizes = [prod(shape) for shape in interface.shapes]
        fixed = self.fixed_constants
        self._arguments = Arguments(interface.groups, self.forms, interface.used, fixed)
        self._subject = ResultSource(joints, loads, model_joints, interface.outputs)
        self._function: Function = code.function(self._signature())
        self.threads = threads

    def _signature(self) -> Signature:
        arguments, interface = tuple(self._arguments), self._interface
        return Signature(
            arguments=(*(sys.intern(argument.name) for argument in arguments), "out"),
            forms=tuple(argument.form for argument in arguments),
            widths=tuple(len(argument.symbols) for argument in arguments),
            needed=tuple(argument.is_needed for argument in arguments),
            names=interface.names,
            shapes=interface.shapes,
            most_copied=LONGEST_RUN,
            result=Result,
            subject=self._subject,
            recall=self._arguments.recall,
        )

    @classmethod
    def check_groups(cls, groups: Sequence[Group]) -> None:
        """Refuse a program whose groups of inputs are not the arguments of a call.

        Raises
        ======

        ValueError
            If there are others.
        """
        names = [group.name for group in groups]
        if names != list(cls.forms):
            raise ValueError(
                f"`program` must have the groups of inputs {', '.join(cls.forms)}, got "
                f"{', '.join(names) or 'none'}. Use input_groups of "
                "jointwrench.dynamics.outputs.inverse_outputs."
            )

    @property
    def threads(self) -> int:
        """Into how many threads a large batch is split."""
        return self._threads

    @threads.setter
    def threads(self, number: int) -> None:
        self._threads = number
        self._function.most_samples = 2 * SMALLEST_SHARE - 1 if number > 1 else sys.maxsize

    def __repr__(self) -> str:
        return f"Evaluator(outputs={self.outputs}, backend={self.backend!r})"

    def _grid(self) -> Grid:
        names = [name for name in self.forms if self.inputs.get(name) or name in ("q", "u")]
        return facts(
            f"{type(self).__name__}: evaluate({', '.join(names)})",
            **{
                name: f"shape (..., {len(self.inputs[name])})"
                for name in ("q", "u", "udot")
                if name in self.inputs
            },
            constants=listed(self.inputs.get("constants", ())),
            specifieds=listed(self.inputs.get("specifieds", ())),
            **dict(zip(self.outputs, map(_shape, self._interface.shapes), strict=True)),
            backend=self.backend,
        )

    def __reduce__(self) -> tuple[Any, ...]:
        spare = self._spare() if callable(self._spare) else self._spare
        recipe = self._code.recipe
        return _restore, (type(self), self._interface, recipe, spare, self._options())

    def _options(self) -> dict[str, Any]:
        """Return what this is made with again, after pickling."""
        return {
            "joints": joint_names(self._subject.joints),
            "loads": self._subject.loads,
            "model_joints": self._subject.model_joints,
            "threads": self.threads,
            "fixed_constants": self.fixed_constants,
        }

    def __copy__(self) -> "Evaluator":
        """Return an Evaluator of the same code and the same joints."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other.fixed_constants = dict(self.fixed_constants)
        other._function = self._code.function(self._signature())
        other.threads = self.threads
        return other

    def __deepcopy__(self, memo: dict[int, Any]) -> "Evaluator":
        return self.__copy__()  # neither code nor joints change

    @property
    def inputs(self) -> dict[str, tuple[Expr, ...]]:
        """The symbols of each group of inputs, in their order, without fixed constants."""
        return {group.name: group.symbols for group in self._interface.groups}

    @property
    def used_inputs(self) -> frozenset[Expr]:
        """The symbols on which the outputs do depend."""
        return self._interface.used

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The shape of each output for one sample."""
        return dict(zip(self.outputs, self._interface.shapes, strict=True))

    @property
    def source(self) -> str:
        """The generated C or Python code for batches."""
        return self._code.source

    @property
    def sources(self) -> dict[str, str]:
        """The generated code by what it evaluates: ``"batch"`` and ``"one sample"`` (or two).

        In C both are compiled from one text, for one sample with the lanes 1; or limbs that are
        built alike have a text of their own, as the notes on this class tell.
        """
        return {"batch": self.source, "one sample": self._code.single_source}

    @property
    def address(self) -> int | None:
        """The address of the compiled C function, for ctypes, numba or another integrator.

        It stays valid; None without compiled code.  The function is::

            int evaluate_arrays(ptrdiff_t samples, const double *const *inputs,
                                const ptrdiff_t *strides, double *const *outputs)

        ``inputs`` are the numbers of each group in the order of the model's;
        ``strides`` their distances from sample to sample, 0 for one row for all of
        them; ``outputs`` take the results in the order of ``outputs``, one row per
        sample.  It returns zero, or another number if memory was short.
        """
        return getattr(self._code, "address", None)

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
            None where no output depends on them.  A motion that has attributes of these
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
            If a shape does not fit, if columns have the coordinates' names in another
            order, if a value is missing, given twice or not known, if a constant is not
            finite, or if an array in ``out`` cannot be written into.

        Notes
        =====

        A row with a NaN gives NaN in that row in every output that depends on
        it; no other row changes.  Comparisons with NaN, as in a Piecewise, are
        false.

        For what it can tell later of powers and other points, a result refers to
        the arrays that the evaluation was called with.
        """
        if u is None and udot is None and (found := self._motions.of(q, "q")) is not None:
            q, u, udot = found.states
            times = found.times if times is None else times
        return self._evaluate((q, u, udot, constants, specifieds, times), out)

    @cached_property
    def _motions(self) -> MotionReader:
        return MotionReader(self.inputs)

    def _evaluate(self, given: tuple[Any, ...], out: Any) -> Result:
        """Evaluate arguments of any form, in the order of `forms`."""
        if (result := self._function.evaluate((*given, out))) is not None:
            return result
        read, batch, instants = self._arguments.read(given)
        columns = [rows.columns for rows in read]
        known = [array for group in columns for array in group.values()]
        results = self._results(batch, out, [*known, *([] if instants is None else [instants])])
        self._function.keys = self._arguments.keys(given, self._function.keys)
        self._run(batch, [rows.prepare(batch) for rows in read], results)
        outputs = dict(zip(self.outputs, results, strict=True))
        result = Result._of(outputs, self._subject, (self._arguments.inputs, columns, instants))
        for look in looks_at(given):
            look(result)
        return result

    # -- results --------------------------------------------------------------

    def as_ufunc(
        self, *arguments: str, constants: Any = None, specifieds: Any = None
    ) -> GeneralizedUfunc:
        """Return the outputs as a function of arrays alone, for ``xarray`` and ``dask.array``.

        Parameters
        ==========

        *arguments : str
            Which arrays it takes, in their order, among "q", "u", "udot", "specifieds" and
            "times".  Default: all that the outputs depend on.
        constants, specifieds : optional
            As in a call; the same for all samples.  Specifieds that are not given here are
            an array, shape (..., number of them), in the order of ``inputs["specifieds"]``.

        Returns
        =======

        GeneralizedUfunc
            With what ``dask.array.apply_gufunc`` and ``xarray.apply_ufunc`` ask for.

        Raises
        ======

        TypeError, ValueError
            As for a call, if constants are wrong; if there is no such argument.

        See Also
        ========

        GeneralizedUfunc : What it returns.

        Examples
        ========

        >>> import numpy as np
        >>> import jointwrench as jw
        >>> idyn = jw.InverseDynamics(jw.SerialChain.planar(2).system)
        >>> torques = idyn.compile("generalized_forces").as_ufunc(
        ...     constants=dict.fromkeys(idyn.constants, 1.0)
        ... )
        >>> torques.signature
        '(q),(u),(udot)->(generalized_forces_0)'
        >>> torques(*np.ones((3, 1000, 2))).shape
        (1000, 2)
        """
        shapes = self.shapes
        given = {"constants": constants, "specifieds": specifieds}
        check_mapping("specifieds", specifieds)
        return generalized_ufunc(self, self._arguments, shapes, arguments, given)

    def derivative_sparsity(self, output: str, wrt: Any) -> np.ndarray:
        """Return where a derivative is not zero for all inputs.

        Parameters
        ==========

        output, wrt : as for `Result.derivative`
            The output, and with respect to what it was differentiated.

        Returns
        =======

        numpy.ndarray of bool, shape (shape of the output, size of wrt)
            For instance for ``scipy.sparse``; a single value may still vanish where it is True.

        Raises
        ======

        TypeError, ValueError
            As for `Result.derivative`.

        See Also
        ========

        Result.packed : The numbers that are not zero.

        Examples
        ========

        >>> import jointwrench as jw
        >>> chain = jw.SerialChain.planar(1, gravity=(0, -9.81, 0))
        >>> idyn = jw.InverseDynamics(chain.system)
        >>> evaluate = idyn.compile("generalized_forces", derivatives=["u"])
        >>> evaluate.derivative_sparsity("generalized_forces", "u")
        array([[False]])
        """
        return self._interface.outputs.sparsity(output, wrt)

    def _results(
        self, batch: tuple[int, ...], out: Any, inputs: Iterable[np.ndarray]
    ) -> list[np.ndarray]:
        shapes = {name: (*batch, *shape) for name, shape in self.shapes.items()}
        given = {} if out is None else check_out(out, shapes, inputs)
        return [given[n] if n in given else new_array(shape) for n, shape in shapes.items()]

    # -- work -----------------------------------------------------------------

    def _run(self, batch: tuple[int, ...], sources: list[Rows], results: list[np.ndarray]) -> None:
        outputs = [result.reshape(-1) for result in results]
        samples = prod(batch)
        threads = min(self.threads, max(1, samples // SMALLEST_SHARE))
        parts: Iterable[Run]
        if all(source.is_direct for source in sources):
            # some more parts than threads, for cores that are busy with something else;
            # not so many that the results of a part would no longer go past the caches
            most = max(1, samples * sum(self._sizes) // (threads * FAR))
            parts = shares(batch, threads * min(8, most) if threads > 1 else 1)
        else:
            parts = runs(batch, min(LONGEST_RUN, -(-samples // threads)))

        def run(part: Run) -> None:
            self._run_part(part, sources, outputs)

        spread(run, parts, threads)

    def _run_part(self, part: Run, sources: list[Rows], outputs: list[np.ndarray]) -> None:
        self._function.run(
            part.count,
            tuple(source.take(part) for source in sources),
            tuple(source.stride for source in sources),
            tuple(
                output[part.first * size : (part.first + part.count) * size]
                for output, size in zip(outputs, self._sizes, strict=True)
            ),
        )


def _restore(
    cls: type[Evaluator], interface: Interface, recipe: tuple[Any, ...], spare: Any, options: Any
) -> Evaluator:
    """Return an Evaluator again after pickling."""
    return cls(interface, make_code(recipe, spare), spare=spare, **options)


def _shape(shape: tuple[int, ...]) -> str:
    """Return what the shape of an output over a batch is."""
    return f"shape ({', '.join(['...', *map(str, shape)])})"
