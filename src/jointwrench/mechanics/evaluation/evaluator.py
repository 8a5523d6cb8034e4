"""The compiled function that users call: `Evaluator`."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from inspect import Parameter, signature
from inspect import Signature as CallSignature
from keyword import iskeyword
from math import prod
from typing import Any, Protocol

import numpy as np

from ... import hints
from ...checks.arguments import check_choice, check_mapping, check_options, symbol_name
from ...checks.display import Grid, NotebookTable, facts, listing
from ...checks.numbers import check_bool
from ...records.angle_wrapping import warn_of_jumps
from ...records.instants import result_checks
from ..codegen.text.transfer import FAR
from ..codegen.toolchain.compiler import CompilationError
from .argument_forms import Arguments, Form
from .array_arguments import check_out
from .backends.codes import Code, fallback_code, make_code
from .backends.function import Function, Signature, call_directly, new_array
from .batch import LONGEST_RUN, Rows, Run, check_threads, run_in_threads, runs, shares
from .compiled_outputs import Interface
from .motion_arguments import STATES, MotionReader
from .result import NO_MODEL, Result, ResultSource

#: Below this number of samples per thread, splitting a batch costs more than it saves.
SMALLEST_SHARE = 4096

#: Samples times characters of code between two chances to interrupt by Ctrl-C: some tenths of a
#: second.
UNINTERRUPTED = 2**35

#: The names of the checks that evaluators run on motions and samples.
CHECKS = frozenset(("loops", "quaternions", "masses", "turns", "laws"))


class Watcher(Protocol):
    """A callback for the results of an evaluator, for instance one that warns of NaN."""

    def __call__(self, result: Result, given: Mapping[str, Any]) -> None:
        """Watch a result of the arguments by name."""

    def in_file(self, contents: Callable[[Evaluator], dict[str, Any]]) -> list[Any]:
        """Return the name of its law and the data that restore it from a file."""


@call_directly
class Evaluator(NotebookTable):
    """A compiled program: arrays in, arrays out; made by `InverseDynamics.compile`.

    Any number of threads can call it at the same time.  It can be pickled, copied and sent to other
    processes and machines, where it is compiled again if necessary.

    Parameters
    ==========

    interface, code : Interface, Code
        The inputs and outputs; the compiled function.
    subject : ResultSource, optional
        The joints and loads of the outputs, and what results may ask of their model.
    threads, fixed_constants : optional
        As for ``compilation.compile_program``.
    fallback : tuple, optional
        The recipe of a replacement used if ``code`` cannot be compiled on unpickling, or a function
        that returns it.
    motion_check, has_checked_first : MotionCheck and bool, optional
        The checks of motions; whether the first motion was checked.
    angles : sequence of int, optional
        The columns of ``q`` that are angles: the first call with times warns of jumps in them.
    watcher : Watcher, optional
        Called with each result and its arguments, for instance to warn of NaN.

    Attributes
    ==========

    backend : str
        ``"c"``, ``"numpy"`` or ``"pydy"``.
    outputs : tuple of str
        The names of the outputs.
    fixed_constants : dict
        The constants that became numbers at compile time.

    Notes
    =====

    One sample or two are evaluated by one kernel, batches by another; the first such call compiles
    it, if it is not cached, and waits for the compiler.  If that fails there (at ``compile`` if it
    compiles nothing), numpy evaluates from then on with a warning, or with ``backend="c"`` the call
    raises the CompilationError.  The results of the two kernels agree up to rounding: compilers
    fuse products and sums differently in each, so the last digit of a number can differ.  Within a
    batch, the result of a sample does not depend on its position or on other samples.

    Results of 128 kB and more reuse the memory of earlier ones of the same size that are no longer
    referenced; up to 32 such arrays are kept, an eighth of the machine's memory in all, but at
    least 512 MB.  The system may reclaim those above 4 MB while they are not in use.  Results of
    one sample reuse the arrays of one of the last two that are no longer referenced.

    See Also
    ========

    InverseDynamics.compile : Makes it.
    Result : What it returns.

    Examples
    ========

    >>> import jointwrench as jw
    >>> chain = jw.SerialChain.planar(1, gravity=(0, -9.81, 0))
    >>> values = {"l_0": 0.5, "m_0": 2.0, "I_0": 0.04}
    >>> evaluate = jw.InverseDynamics(chain.system).compile()
    >>> evaluate([0.0], [0.0], [0.0], values).generalized_forces + 0.0
    array([0.])
    """

    __slots__ = ("__dict__", "__weakref__", "_function")  # the extension reads the last one

    def __init__(
        self,
        interface: Interface,
        code: Code,
        *,
        subject: ResultSource = NO_MODEL,
        threads: int = 1,
        fixed_constants: Mapping[hints.Expr, Any] | None = None,
        fallback: Any = None,
        motion_check: hints.MotionCheck | None = None,
        has_checked_first: bool = False,
        angles: Sequence[int] = (),
        watcher: Watcher | None = None,
    ) -> None:
        self.fixed_constants = dict(fixed_constants or {})
        self.outputs = interface.names
        self._interface = interface
        self._fallback = fallback
        self._sizes = [prod(shape) for shape in interface.shapes]
        fixed = self.fixed_constants
        self._arguments = Arguments(interface.groups, interface.used, fixed)
        self._subject = replace(subject, derivatives=interface.outputs)
        self._angles, self._watcher = tuple(angles), watcher
        self._use(code, leaves_instants=bool(angles))  # until a motion in time was checked
        self._names = (*(argument.name for argument in self._arguments), "out")
        self._later = [{*self._names[k:], "check"} for k in range(len(self._names) + 1)]
        self.__signature__ = _call_signature(self._names)
        self._of_same_model: Callable[..., Evaluator] = _no_model
        self._motion_check, self._has_checked_first = motion_check, has_checked_first
        self._closed_motion: Callable[[], Any] | None = None  # of a model with constraints
        self.threads = threads

    def _use(self, code: Code, leaves_instants: bool) -> None:
        """Use other code for batches; ``leaves_instants`` as for `Function`."""
        self.backend: str = code.backend
        self._code = code
        self._longest = max(1, UNINTERRUPTED // len(code.source))
        self._function: Function = code.function(self._signature())
        self._function.leaves_instants = leaves_instants

    def _signature(self) -> Signature:
        """Return the arguments and results for the compiled function."""
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

    @property
    def threads(self) -> int:
        """The number of threads among which a large batch is split."""
        return self._threads

    @threads.setter
    def threads(self, number: int) -> None:
        self._threads = check_threads(number)
        share = min(SMALLEST_SHARE, self._longest) if number > 1 else self._longest
        # the extension gets no calls before the first motion was checked
        self._function.most_samples = -1 if self._checks_first_motion else 2 * share - 1

    @property
    def _checks_first_motion(self) -> bool:
        """Whether the next motion must be checked, since it is the first."""
        check = self._motion_check
        return check is not None and check.at_first and not self._has_checked_first

    @property
    def _has_model(self) -> bool:
        """Whether derivatives can be compiled, since the model is in this process."""
        return self._of_same_model is not _no_model

    def __repr__(self) -> str:
        return f"Evaluator(outputs={self.outputs}, backend={self.backend!r})"

    def _grid(self) -> Grid:
        """Return the table that notebooks show: inputs, outputs and backend."""
        known = self.inputs
        names = [name for name in self._names if known.get(name) or name in ("q", "u", "weights")]
        return facts(
            f"{type(self).__name__}: evaluate({', '.join(names)})",
            **{
                name: f"shape (..., {len(self.inputs[name])})"
                for name in ("q", "u", "udot")
                if name in self.inputs
            },
            constants=listing(self.inputs.get("constants", ())),
            specifieds=listing(self.inputs.get("specifieds", ())),
            **{
                name: f"shape ({', '.join(['...', *map(str, shape)])})"
                for name, shape in self.shapes.items()
            },
            backend=self.backend,
        )

    def __reduce__(self) -> tuple[Any, ...]:
        fallback = self._fallback() if callable(self._fallback) else self._fallback
        recipe = self._code.recipe
        return _unpickled, (type(self), self._interface, recipe, fallback, self._options())

    def _options(self) -> dict[str, Any]:
        """Return the options that restore this evaluator from a pickle."""
        return {
            "subject": self._subject.named,
            "threads": self.threads,
            "fixed_constants": self.fixed_constants,
            "motion_check": self._motion_check,
            "has_checked_first": self._has_checked_first,
            "angles": self._angles,
            "watcher": self._watcher,
        }

    def __copy__(self) -> Evaluator:
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other.fixed_constants = dict(self.fixed_constants)
        other._use(self._code, self._function.leaves_instants)
        other.threads = self.threads
        return other

    def _with_checks(self, checks: Collection[str]) -> Evaluator:
        """Return a copy that runs only the named checks, on its own first motion."""
        other = self.__copy__()
        other._motion_check = self._motion_check and self._motion_check.restricted_to(checks)
        other._has_checked_first = False
        other._watcher = self._watcher if "laws" in checks else None
        other._function.leaves_instants = bool(self._angles) and "turns" in checks
        other.threads = self.threads
        return other

    def __deepcopy__(self, memo: dict[int, Any]) -> Evaluator:
        return self.__copy__()  # neither code nor joints change

    @property
    def inputs(self) -> dict[str, tuple[hints.Expr, ...]]:
        """The symbols of each group of inputs, in their order, without fixed constants."""
        return {group.name: group.symbols for group in self._interface.groups}

    @property
    def used_inputs(self) -> frozenset[hints.Expr]:
        """The symbols on which the outputs depend."""
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
        """The generated code by kind: ``"batch"``, and ``"one sample"`` for one or two samples.

        In C both are the same text, compiled with one lane for one sample.
        """
        return {"batch": self.source, "one sample": self._code.single_source}

    @property
    def address(self) -> int | None:
        """The address of the compiled C function, for C, Fortran or another integrator.

        Asking for it compiles it, if no batch was evaluated yet.  It is valid as long as this
        process lives; None without compiled code.  This interface is stable: later versions keep
        it.  The function is::

            int evaluate_arrays(ptrdiff_t samples, const double *const *inputs,
                                const ptrdiff_t *strides, double *const *outputs)

        ``inputs`` are the rows of each group of ``evaluate.inputs``, in that order, empty groups
        included (their pointer is not read).  ``strides`` are in doubles, from the row of one
        sample to the next, 0 for one row for all; constants have one row in any case.  ``outputs``
        receive the results in the order of ``evaluate.shapes``, one row in C order per sample; they
        must not overlap with anything else.  The function returns zero, or another number if memory
        allocation failed.  Any number of threads can call it at the same time.  It does not check
        whether motions close the model's loops.  The recipe on other languages has examples.
        """
        return getattr(self._code, "address", None)

    def __call__(self, *given: Any, **named: Any) -> Result:
        """Evaluate one sample or a whole batch.

        All leading axes ``...`` are batch axes; they broadcast against each
        other.  Integers and float32 are converted to double precision.

        Parameters
        ==========

        q, u, udot : array_like, shape (..., n)
            Generalized coordinates, speeds and the speeds' time derivatives (only for inverse
            dynamics), in the order of the model.  A scalar is accepted if there is only one, None
            if no output depends on them.  A motion with attributes of these names (and possibly
            ``times``) can be given alone, as ``q``.
        constants : mapping, optional
            Finite real numbers by symbol or by name.
        specifieds : mapping, optional
            By symbol or name: a number, an array over the batch (shape ``...``), or a function of
            time, which is called with one float for each of ``times``.  By a tuple of k symbols: an
            array of shape (..., k), or a function that returns k values.
        times : array_like, shape (...), optional
            The time of each sample.
        out : mapping of str to numpy.ndarray, optional
            Arrays by the names of outputs, into which these are written: of double precision,
            C-contiguous, and of the output's shape.
        check : bool
            Whether all samples of this call are checked for the warnings below.

        Returns
        =======

        Result
            The outputs as new arrays (or those in ``out``) with the same batch axes.  It refers to
            the given arrays, for powers and other points.

        Raises
        ======

        TypeError, ValueError
            If an argument holds anything but real numbers, a shape does not match, columns have the
            coordinates' names in another order, a value is missing, given twice or unknown, a
            constant is not finite, or an array in ``out`` cannot be written.

        Warns
        =====

        UserWarning
            In the first call, if the first, middle or last sample does not close the model's loops
            and forces, or what is made of them, are among the outputs, or if it has a quaternion of
            zeros; with ``check``, in any call if any sample does, whatever the outputs are.  In the
            first call with increasing ``times`` of the samples, and with ``check``, if an angle
            jumps by a whole turn from one to the next.

        Notes
        =====

        A NaN in a row gives NaN in that row of every output that depends on it; other rows are
        unaffected.  Comparisons with NaN, as in a Piecewise, are false.
        """
        return self._called(given, named)

    def _called(self, given: tuple[Any, ...], named: dict[str, Any]) -> Result:
        """Return the result of a call, after its arguments were ordered by group."""
        is_known = len(given) <= len(self._names) and named.keys() <= self._later[len(given)]
        if not is_known or not (given or self._names[0] in named):
            self._refuse(given, named)
        values: dict[str, Any] = dict.fromkeys(self._names)
        values |= zip(self._names, given, strict=False)
        values |= named
        is_checked = check_bool("check", values.pop("check", False))
        is_alone = "q" in values and values.get("u") is values.get("udot") is None
        if is_alone and (found := self._motions.of(values["q"], "q")) is not None:
            values |= zip(STATES, found.states, strict=False)
            if values["times"] is None:
                values["times"] = found.times
        *groups, out = values.values()
        result = self._evaluate(tuple(groups), out, is_checked)
        if self._watcher is not None:
            self._watcher(result, values)
        return result

    @cached_property
    def _motions(self) -> MotionReader:
        return MotionReader(self.inputs)

    def _refuse(self, given: tuple[Any, ...], named: dict[str, Any]) -> None:
        """Raise an error for unknown, missing or duplicate arguments."""
        if "udot" in named and "udot" not in self._names:
            raise TypeError("`udot` must be left out: forward dynamics computes it.")
        check_options(type(self).__call__, named, (*self._names, "check"))
        signature(self).bind(*given, **named)

    def _evaluate(self, given: tuple[Any, ...], out: Any, is_checked: bool) -> Result:
        """Return the result for arguments in the order of the groups of inputs."""
        if not is_checked and (result := self._function.evaluate((*given, out))) is not None:
            return result
        if "q" in self.inputs and self._motions.of(given[0]) is not None:
            fix = "Use evaluate(motion), with constants and the like by name."
            raise TypeError(
                f"`q` must be an array where `u` or `udot` is given, got a motion. {fix}"
            )
        read, batch, instants = self._arguments.read(given)
        columns = [rows.columns for rows in read]
        shapes = {name: (*batch, *shape) for name, shape in self.shapes.items()}
        outputs = {}
        if out is not None:
            known = [array for group in columns for array in group.values()]
            known += [] if instants is None else [instants]
            outputs = check_out(out, shapes, known)
        outputs = {x: outputs[x] if x in outputs else new_array(shapes[x]) for x in shapes}
        self._function.keys = self._arguments.keys(given, self._function.keys)
        self._run(batch, [rows.broadcast_to(batch) for rows in read], list(outputs.values()))
        result = Result._of(outputs, self._subject, (self._arguments.inputs, columns, instants))
        for motion_check in result_checks(given):
            motion_check(result)
        self._run_checks(columns, batch, is_checked)
        if instants is not None and (is_checked or self._function.leaves_instants):
            self._warn_of_wrapped_angles(columns, instants)
        return result

    def _run_checks(
        self,
        columns: Sequence[Mapping[int, np.ndarray]],
        batch: tuple[int, ...],
        is_checked: bool = False,
    ) -> None:
        """Check a motion given by columns of groups, if it is the first or ``is_checked``."""
        if (
            self._motion_check is None
            or not (is_checked or self._checks_first_motion)
            or not prod(batch)
        ):
            return
        self._has_checked_first = True
        self.threads = self._threads
        widths = {argument.name: len(argument.symbols) for argument in self._arguments}
        self._motion_check(widths, columns, batch, all_samples=is_checked)

    def _warn_of_wrapped_angles(
        self, columns: Sequence[Mapping[int, np.ndarray]], instants: np.ndarray
    ) -> None:
        """Warn of jumps of angles between neighbouring samples, as wrapped angles have them."""
        if instants.size < 2:
            return
        # time goes along the last axis of several instants
        axis = max((k for k in range(-instants.ndim, 0) if instants.shape[k] > 1), default=-1)
        if (np.diff(instants, axis=axis) <= 0).any():
            return  # not a motion in increasing time
        self._function.leaves_instants = False
        states = dict(zip(self._names, columns, strict=False))["q"]
        count = instants.shape[axis]
        known = {k: states[k] for k in self._angles if k in states}
        known = {
            k: np.moveaxis(own, axis, -1)
            for k, own in known.items()
            if own.ndim >= -axis and own.shape[axis] == count
        }
        if known:
            names = [symbol_name(x) for x in self.inputs["q"]]
            warn_of_jumps(names, known, np.moveaxis(instants, axis, -1))

    # -- results --------------------------------------------------------------

    def as_ufunc(
        self, *arguments: str, constants: Any = None, specifieds: Any = None
    ) -> hints.GeneralizedUfunc:
        """Return the outputs as a function of arrays only, for ``xarray`` and ``dask.array``.

        ``arguments`` names the arrays that it takes, in order, among "q", "u", "udot", "specifieds"
        and "times" (default: all on which the outputs depend); ``constants`` and ``specifieds`` are
        as in a call, the same for all samples.  Specifieds that are not given here are an array,
        shape (..., number of them), in the order of ``inputs["specifieds"]``.

        Raises
        ======

        TypeError, ValueError
            If constants are wrong, as for a call; if there is no such argument.

        See Also
        ========

        GeneralizedUfunc : What it returns.

        Examples
        ========

        >>> import numpy as np
        >>> import jointwrench as jw
        >>> idyn = jw.InverseDynamics(jw.SerialChain.planar(2).system)
        >>> numbers = dict.fromkeys(idyn.constants, 1.0)
        >>> torques = idyn.compile("generalized_forces").as_ufunc(constants=numbers)
        >>> torques.signature
        '(q),(u),(udot)->(generalized_forces_0)'
        >>> torques(*np.ones((3, 1000, 2))).shape
        (1000, 2)
        """
        from .generalized_ufunc import GeneralizedUfunc

        given = {"constants": constants, "specifieds": specifieds}
        check_mapping("specifieds", specifieds)
        numbers = [x for x in self._arguments if x.form is Form.NUMBERS]
        for argument in numbers:
            argument.read(given.get(argument.name), None)  # raises errors for missing constants
        left = [x for x in self._arguments if x not in numbers and given.get(x.name) is None]
        for name in arguments:
            check_choice("arguments", name, [argument.name for argument in left])
        wanted = arguments or [argument.name for argument in left if argument.is_needed]
        return GeneralizedUfunc(self, wanted, given)

    def derivative_sparsity(self, output: str, wrt: Any) -> np.ndarray:
        """Return a boolean mask of the nonzero entries of a derivative, (shape, size of wrt).

        True means not identically zero; at some inputs the entry may vanish.  ``output``, ``wrt``
        and errors are those of `Result.derivative`.

        See Also
        ========

        Result.packed : The numbers that are not zero.

        Examples
        ========

        >>> import jointwrench as jw
        >>> idyn = jw.InverseDynamics(jw.SerialChain.planar(1, gravity=(0, -9.81, 0)).system)
        >>> evaluate = idyn.compile("generalized_forces", derivatives=["u"])
        >>> evaluate.derivative_sparsity("generalized_forces", "u")
        array([[False]])
        """
        return self._interface.outputs.sparsity(output, wrt)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the evaluator to a file that `load` reads without sympy and without the model.

        The file is text (JSON) with the generated code, its inputs and outputs by name, a format
        version and a checksum.  The code is compiled where it is loaded, unless the cache there has
        it.  Others see the file whole or not at all, also if several threads or processes write it.

        Parameters
        ==========

        path : str or path
            The file; an existing one is replaced.

        Raises
        ======

        TypeError
            If ``path`` is not a path.
        OSError
            If it cannot be written.
        ValueError
            If the evaluator is a `HessianEvaluator`; pickle it instead.

        See Also
        ========

        load : Reads it.

        Examples
        ========

        >>> import jointwrench as jw
        >>> idyn = jw.InverseDynamics(jw.SerialChain.planar(1).system)
        >>> idyn.compile("generalized_forces").save("pendulum.json")  # doctest: +SKIP
        >>> evaluate = jw.load("pendulum.json")  # doctest: +SKIP
        """
        from .saving import save

        save(self, path)

    # -- other libraries -----------------------------------------------

    def to_jax(self, output: str) -> Callable[..., Any]:
        """Return an output as a function of jax, with exact first and second derivatives.

        The kernel computes all outputs, so compile ``output`` alone if speed matters.  The function
        is ``f(q, u, udot, constants, specifieds, times)``; all but ``q`` are optional if the output
        does not depend on them, and can be given by name.  It calls the kernel
        of batches.  Each argument is an array (..., n) in the order of ``inputs``, times (...);
        batch axes broadcast, those of constants too.  Constants and specifieds may be a mapping of
        symbols or names to arrays (...).

        Raises
        ======

        ImportError
            If jax is not installed (extra ``jax``).
        TypeError, ValueError
            If there is no such output, or no compiled code; by the function, if arguments are not
            float64 (integers are converted, complex numbers and truth values refused), a shape does
            not match, an array is not on the CPU, or derivatives are required with respect to times
            or of an evaluator that was loaded or unpickled.
        NotImplementedError
            By the function, if third derivatives are required.

        See Also
        ========

        Evaluator.to_torch, Evaluator.to_numba : For torch and numba.
        Result.derivative : Derivatives without jax.

        Notes
        =====

        ``jit``, ``vmap``, ``jacfwd``, ``jacrev``, ``hessian``, ``scan`` and other transformations
        of jax work; none of them calls Python, so that nothing looks within them whether a motion
        closes the model's loops, as a first plain call does.  When jax traces the function, the
        derivatives that it needs are compiled, once for each set of arguments.  The C code that
        calls the kernels is compiled for the installed version of jaxlib at the first call, and
        cached with the models.

        Examples
        ========

        >>> import jointwrench as jw
        >>> idyn = jw.InverseDynamics(jw.SerialChain.planar(2).system)
        >>> evaluate = idyn.compile("generalized_forces")
        >>> import jax  # doctest: +SKIP
        >>> jax.config.update("jax_enable_x64", True)  # doctest: +SKIP
        >>> torques = evaluate.to_jax("generalized_forces")  # doctest: +SKIP
        >>> stiffness = jax.jit(jax.jacfwd(torques))(q, u, udot)  # doctest: +SKIP
        """
        from .interfaces.jax_function import jax_function

        return jax_function(self, output)

    def to_torch(self, output: str) -> Callable[..., Any]:
        """Return an ``output`` as a function of torch, with exact first and second derivatives.

        The function takes tensors, in the same arguments as that of `to_jax`.

        Raises
        ======

        ImportError, RuntimeError, TypeError, ValueError
            As for `to_jax` (extra ``torch``); by torch, if third derivatives are required.

        See Also
        ========

        Evaluator.to_jax, Evaluator.to_numba : For jax and numba.

        Notes
        =====

        It is a custom operator of torch: gradients of gradients, ``torch.vmap`` and
        ``torch.compile`` work; ``torch.func.grad`` does not, as for all custom operators.  A batch
        with contiguous rows is evaluated by one call of a kernel.  The first motion is looked at as
        that of an evaluator.

        Examples
        ========

        >>> import jointwrench as jw
        >>> idyn = jw.InverseDynamics(jw.SerialChain.planar(2).system)
        >>> evaluate = idyn.compile("generalized_forces")
        >>> torques = evaluate.to_torch("generalized_forces")  # doctest: +SKIP
        >>> (torques(q, u, udot) - measured).square().sum().backward()  # doctest: +SKIP
        """
        from .interfaces.torch_function import torch_function

        return torch_function(self, output)

    def to_numba(self, output: str) -> Callable[..., Any]:
        """Return a function that writes an ``output``, for calls in functions compiled by numba.

        Compiled derivatives have names such as ``"generalized_forces_wrt_q"``, see ``shapes``.  The
        function is ``f(out, q, u, udot, constants, specifieds, times)``, to be called in nopython
        mode (or from Python).  ``out`` is a writeable array of the output's shape, or (N, shape);
        the others are arrays (n,) or, except constants, (N, n), in the order of ``inputs``, times
        (1,) or (N, 1); empty ones at the end can be left out.  All are C-contiguous arrays of
        float64.  Nothing looks whether motions close the model's loops; this evaluator does, with
        ``check=True`` at all samples.

        Raises
        ======

        ImportError
            If numba is not installed (extra ``numba``).
        ValueError
            If there is no such output, or no compiled code; by the function, if shapes do not
            match.
        TypingError
            By numba, if arguments are not contiguous arrays of float64 with one of these numbers of
            axes, or ``out`` is read-only.

        See Also
        ========

        Evaluator.to_jax, Evaluator.to_torch : For jax and torch.
        Evaluator.address : The C function itself.

        Examples
        ========

        >>> import jointwrench as jw
        >>> fdyn = jw.ForwardDynamics(jw.SerialChain.planar(2).system)
        >>> write = fdyn.compile("udot").to_numba("udot")  # doctest: +SKIP
        >>> @numba.njit  # doctest: +SKIP
        ... def rates(t, x, constants):
        ...     out = numpy.empty_like(x)
        ...     out[:2] = x[2:]
        ...     write(out[2:], x[:2], x[2:], constants)
        ...     return out
        """
        from .interfaces.numba_function import numba_function

        return numba_function(self, output)

    # -- work -----------------------------------------------------------------

    def _run(self, *work: Any) -> None:
        """Compute the results of a batch; use the fallback if the code cannot be compiled."""
        try:
            self._do(*work)
        except CompilationError as error:  # a kernel is compiled by its first call
            self._use(fallback_code(self._fallback, error), self._function.leaves_instants)
            self.threads = self._threads
            self._do(*work)

    def _do(self, batch: tuple[int, ...], sources: list[Rows], results: list[np.ndarray]) -> None:
        """Compute the results of a batch in runs and threads."""
        outputs = [result.reshape(-1) for result in results]
        samples = prod(batch)
        threads = min(self.threads, max(1, samples // SMALLEST_SHARE))
        parts: Iterable[Run]
        if all(source.is_direct for source in sources):
            # some more parts than threads, since other processes may occupy cores; not so many
            # that the results of a part would no longer bypass the caches
            most = max(1, samples * sum(self._sizes) // (threads * FAR))
            least = samples // (threads * self._longest)
            parts = shares(batch, threads * max(least, min(8, most) if threads > 1 else 1))
        else:
            parts = runs(batch, min(LONGEST_RUN, -(-samples // threads)))

        strides = tuple(source.stride for source in sources)
        targets = list(zip(outputs, self._sizes, strict=True))

        def run(part: Run) -> None:
            first, last = part.first, part.first + part.count
            inputs = tuple(source.take(part) for source in sources)
            own = tuple(output[first * size : last * size] for output, size in targets)
            self._function.run(part.count, inputs, strides, own)

        run_in_threads(run, parts, threads)


class WatchedEvaluator(Evaluator):
    """An `Evaluator` with a watcher, whose results the extension does not return by itself."""

    def __call__(self, *given: Any, **named: Any) -> Result:
        """Evaluate one sample or a whole batch, as an `Evaluator` does."""
        return self._called(given, named)


def __getattr__(name: str) -> Any:
    if name == "_restore":  # pickles of early versions refer to it
        raise ValueError(
            "`evaluate` must be pickled by this version of jointwrench, got a pickle of an earlier "
            "one. Compile it again and pickle it with this one."
        )
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _unpickled(
    cls: type[Evaluator], interface: Interface, recipe: tuple[Any, ...], fallback: Any, options: Any
) -> Evaluator:
    """Return the evaluator of a pickle."""
    return cls(interface, make_code(recipe, fallback), fallback=fallback, **options)


def _no_model(*outputs: Any, **options: Any) -> Evaluator:
    """Raise the error for derivatives of an evaluator without its model."""
    raise ValueError(
        "`evaluate` must be compiled in this process for derivatives, but was loaded or "
        "unpickled. Use InverseDynamics.compile here, or compile(..., derivatives=[...])."
    )


def _call_signature(names: Sequence[str]) -> CallSignature:
    """Return the call signature of an evaluator; only the first argument is required."""
    if unfit := [name for name in names if not name.isidentifier() or iskeyword(name)]:
        raise ValueError(
            f"`program` must have groups of inputs that can be arguments, got {unfit[0]}."
        )
    kind = Parameter.POSITIONAL_OR_KEYWORD
    first, *others = names
    optional = (Parameter(name, kind, default=None) for name in others)
    check = Parameter("check", Parameter.KEYWORD_ONLY, default=False)
    return CallSignature([Parameter(first, kind), *optional, check])
