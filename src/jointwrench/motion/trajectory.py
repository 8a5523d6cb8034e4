"""`Trajectory`: a sampled motion."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import zip_longest
from types import NoneType
from typing import Any

import numpy as np
from sympy import Expr, Symbol

from .. import hints
from ..checks.arguments import (
    check_different,
    check_instance,
    check_mapping,
    check_name_list,
    describe,
    symbol_name,
)
from ..checks.display import Grid, NotebookTable, extent, plural
from ..checks.numbers import check_integer, check_number, real_array
from ..mechanics.evaluation.motion_arguments import MotionReader
from ..mechanics.methods.inverse_dynamics import InverseDynamics, check_idyn
from ..mechanics.methods.system_method import SystemMethod
from ..records.instants import check_sample_times
from ..records.samples import (
    check_inside,
    check_rows,
    check_signal,
    check_times,
    named_columns,
    rows_between,
    spline_through,
    time_roundoff,
)
from ..signals.smoothing import DEGREE, Smoother, Smoothing, make_smoothing
from .coordinate_columns import coordinate_columns
from .speeds import SpeedEquations, warn_of_drift
from .spline_path import SplinePath
from .states import States

Path = Callable[[np.ndarray], States]


class Trajectory(NotebookTable):
    """A sampled motion: coordinates, speeds and the speeds' derivatives.

    Made by `from_samples`, `from_formulas` or `from_callables`, or from complete samples.

    Parameters
    ==========

    times : array_like, shape (N,)
        Increasing instants.
    q : array_like, shape (N, n_q)
        Generalized coordinates, in the order of ``system.q``.
    u : array_like, shape (N, n)
        Generalized speeds, in the order of ``system.u``.
    udot : array_like, shape (N, n)
        The time derivatives of the speeds.
    names : sequence of str, optional
        The names of the coordinates.  Default: q_0, q_1, ...
    path : function of times, optional
        A function that returns the states at times between the samples.  Default: separate splines
        through q, u and udot.

    Attributes
    ==========

    times, q, u, udot, names
        The parameters, as arrays of finite numbers and a tuple of str.

    Raises
    ======

    TypeError, ValueError
        If an array holds anything but finite real numbers, shapes do not match, times do not
        increase, or ``names`` is not a sequence or has a name twice.

    See Also
    ========

    PrescribedMotion : A motion by formulas, at any time.

    Examples
    ========

    >>> import numpy as np
    >>> import jointwrench as jw
    >>> t = np.linspace(0, 2, 201)
    >>> motion = jw.Trajectory.from_samples(t, {"hip": np.sin(t), "knee": np.cos(t)}, cutoff=6.0)
    >>> motion
    Trajectory(hip, knee: 201 samples from 0 to 2)
    >>> motion.udot.shape
    (201, 2)
    >>> bool(np.allclose(motion.u[50:-50, 0], np.cos(t[50:-50]), atol=1e-3))
    True
    """

    def __init__(
        self,
        times: Any,
        q: Any,
        u: Any,
        udot: Any,
        names: Sequence[str] | None = None,
        path: Path | None = None,
    ) -> None:
        self.times = check_times("times", times)
        if names is not None:
            names = list(check_name_list("names", names))
            check_different("names", names, "name each column once")
        array, self.names = named_columns("q", q, self.times, names, "q")
        self.q = check_signal("q", array, self.times, self.names)
        signals = (check_signal(name, x, self.times) for name, x in (("u", u), ("udot", udot)))
        self.u, self.udot = (signal.reshape(len(self.times), -1) for signal in signals)
        if self.u.shape != self.udot.shape:
            raise ValueError(
                f"`udot` must have the shape of u, {self.u.shape}, got {self.udot.shape}."
            )
        if path is not None and not callable(path):
            raise TypeError(f"`path` must be a function of times, got {describe(path)}.")
        if path is None:
            splines = [spline_through(self.times, x) for x in (self.q, self.u, self.udot)]
            path = partial(_states_at, splines)
        self._path = path

    # -- makers -------------------------------------------------------------

    @classmethod
    def from_samples(
        cls,
        times: Any,
        coordinates: Any,
        speeds: Any = None,
        *,
        idyn: SystemMethod | None = None,
        constants: Mapping[Symbol, float] | None = None,
        smoothing: Smoothing | str | None = None,
        unwrap: Any = False,
        degrees: Any = None,
        quaternions: Iterable[Sequence[Any]] = (),
        trim: float = 0.0,
        **parts: Any,
    ) -> "Trajectory":
        """Return the motion of sampled coordinates after smoothing and differentiation.

        One quintic spline interpolates the smoothed coordinates.  Its derivatives and the
        kinematical differential equations give speeds and their derivatives, so that all three are
        consistent at any time.  If a filter extends the record beyond its ends, so does the spline.
        Otherwise the spline has natural ends (third and fourth derivatives are zero), unless
        ``ends="not-a-knot"`` declares the samples exact.  The motion has the times of the samples,
        or evenly spaced times if a rate is stated.

        Parameters
        ==========

        times : array_like, shape (N,)
            Increasing instants.  Instants of even sampling that were rounded when printed (0.014,
            0.029, 0.043) are restored.
        coordinates : array_like, shape (N, n_q), mapping or DataFrame
            The generalized coordinates, angles in radians.  A mapping or pandas DataFrame has
            columns by name (or symbol), which are sorted in the order of ``idyn.coordinates``.
        speeds : array_like, shape (N, n), mapping or DataFrame, optional
            The generalized speeds, if measured.  They are smoothed like the coordinates, and their
            derivative is ``udot``.  Angular speeds are in radians per time, regardless of
            ``degrees``.
        idyn : InverseDynamics, ForwardDynamics or Kinematics, optional
            The model that moves.  Default: the speeds are the derivatives of the
            coordinates.
        constants : mapping of Symbol to number, optional
            Values of constants in the kinematical differential equations.
        smoothing : Smoothing or {"butterworth", "spline"}, optional
            Options for filling gaps and smoothing, or only the method, with ``parts``.  Default
            without a cutoff: no smoothing, and gaps are an error.
        unwrap : bool or names
            Columns from which jumps by full turns are removed; True means all angles.
        degrees : bool or names, optional
            Columns that are in degrees; True means all angles, False no column.  Default: no
            column, and angles beyond a full turn are an error.
        quaternions : iterable of four names or indices each
            Coordinates that are unit quaternions.  Their signs are made continuous and they are
            normalised; norms may differ from one by 0.1.  The quaternions of ``idyn`` are always
            included.
        trim : float
            Time by which the motion is shortened at both ends after smoothing.
        **parts : optional
            The parameters of a `Smoothing`, instead of a Smoothing itself: ``cutoff``, ``order``,
            ``gaps``, ``max_gap``, ``rate``, ``filter``, ``ends``.

        Raises
        ======

        TypeError, ValueError
            If data or options are not real numbers, or ``idyn`` is not a model; if times do not
            increase; if data have gaps that may not be filled, do not match in shape, seem to be in
            degrees or are too few; or if the cutoff is out of range.

        Warns
        =====

        UserWarning
            If times were rounded; the warning has the restored sampling rate.  If an angle jumps by
            a whole turn from one sample to the next, like an angle that was wrapped to (-pi, pi];
            see ``unwrap``.

        See Also
        ========

        Smoothing : Documents its parameters.

        Examples
        ========

        >>> import numpy as np
        >>> import jointwrench as jw
        >>> t = np.linspace(0, 1, 101)
        >>> jw.Trajectory.from_samples(t, {"knee": np.sin(t)}, cutoff=6.0)
        Trajectory(knee: 101 samples from 0 to 1)
        """
        _check_method(idyn)
        check_mapping("constants", constants)
        raw = check_sample_times("times", times)
        columns = coordinate_columns(raw, coordinates, idyn, degrees, unwrap, quaternions)
        smoother = Smoother(raw, make_smoothing(smoothing, parts, cls.from_samples))
        values = columns.fill_gaps(smoother)
        spline = smoother.spline("coordinates", values)
        speed_spline = None
        if speeds is not None:
            labels = None if idyn is None else tuple(map(symbol_name, idyn.speeds))
            rows, labels = named_columns("speeds", speeds, raw, labels, "u")
            if set(labels) == set(columns.names):
                rows = rows[:, [labels.index(name) for name in columns.names]]
            speed_spline = smoother.spline("speeds", smoother.fill_gaps("speeds", rows, labels))
        kinematics = None if idyn is None else SpeedEquations(idyn, constants)
        measured = np.isfinite(columns.values), values, smoother
        path = SplinePath(spline, columns.quaternions, kinematics, speed_spline, measured)
        return cls._from_path(_trim_times(smoother.times, trim), path, columns.names)

    @classmethod
    def from_formulas(
        cls,
        idyn: InverseDynamics,
        formulas: Mapping[Expr, Any],
        times: Any,
        constants: Mapping[Symbol, float] | None = None,
    ) -> "Trajectory":
        """Return the motion by formulas of time, sampled at increasing ``times`` of shape (N,).

        ``idyn``, ``formulas`` and ``constants`` are as for `PrescribedMotion`.

        Raises
        ======

        TypeError, ValueError
            As `PrescribedMotion`, or if times do not increase.

        See Also
        ========

        PrescribedMotion : The motion at any time.

        Examples
        ========

        >>> import jointwrench as jw
        >>> chain = jw.SerialChain.planar(1, gravity=(0, -9.81, 0))
        >>> idyn = jw.InverseDynamics(chain.system)
        >>> from sympy.physics.mechanics import dynamicsymbols
        >>> formulas = {chain.coordinates[0]: 2 * dynamicsymbols._t}
        >>> jw.Trajectory.from_formulas(idyn, formulas, [0.0, 1.0]).q
        array([[0.],
               [2.]])
        """
        from .prescribed_motion import PrescribedMotion

        motion = PrescribedMotion(idyn, formulas, constants)
        names = tuple(map(symbol_name, idyn.coordinates))
        return cls._from_path(check_times("times", times), motion.at, names)

    @classmethod
    def from_callables(
        cls,
        times: Any,
        q: Callable[[np.ndarray], Any],
        u: Callable[[np.ndarray], Any] | None = None,
        udot: Callable[[np.ndarray], Any] | None = None,
        *,
        idyn: SystemMethod | None = None,
        constants: Mapping[Symbol, float] | None = None,
        names: Sequence[str] | None = None,
    ) -> "Trajectory":
        """Return the motion by functions of time, for instance by your own splines.

        ``q``, ``u`` and ``udot`` take an array of increasing ``times``, shape (N,), and return
        coordinates, shape (N, n_q), speeds and their derivatives, shape (N, n).  Without ``u`` and
        ``udot`` a quintic spline through q at the times is differentiated, with ``idyn`` and
        ``constants`` as for `from_samples`.  ``names`` are the names of the coordinates.

        Raises
        ======

        TypeError, ValueError
            If ``q`` is not a function, or ``idyn`` not a model; if only one of ``u`` and ``udot``
            is passed, or shapes do not match.

        See Also
        ========

        Trajectory.from_formulas : The motion by formulas.

        Examples
        ========

        >>> import numpy as np
        >>> import jointwrench as jw
        >>> motion = jw.Trajectory.from_callables([0.0, 1.0], np.sin, np.cos, lambda t: -np.sin(t))
        >>> motion.u
        array([[1.        ],
               [0.54030231]])
        """
        instants = check_times("times", times)
        check_instance("q", q, Callable, "a function of an array of times")
        check_mapping("constants", constants)
        if (u is None) != (udot is None):
            raise ValueError("`u` and `udot` must be given both or neither. Use both.")
        _check_method(idyn)
        if u is None or udot is None:
            if idyn is not None:
                check_idyn(idyn)
            columns = coordinate_columns(instants, q(instants), idyn, None, False, ())
            smoother = Smoother(instants, Smoothing(ends="not-a-knot"))
            spline = smoother.spline("q", columns.fill_gaps(smoother))
            kinematics = None if idyn is None else SpeedEquations(idyn, constants)
            states = SplinePath(spline, columns.quaternions, kinematics, None)
            return cls._from_path(instants, states, names or columns.names)
        functions = {"q": q, "u": u, "udot": udot}
        for name, function in functions.items():
            check_instance(name, function, Callable, "a function of an array of times")

        def path(at: np.ndarray) -> States:
            rows = (check_rows(name, f(at), at) for name, f in functions.items())
            return States(*(x.reshape(len(at), -1) for x in rows))

        return cls._from_path(instants, path, names)

    @classmethod
    def _from_path(
        cls, times: np.ndarray, path: Path, names: Sequence[str] | None = None
    ) -> "Trajectory":
        return cls(times, *path(times), names=names, path=path)

    # -- states and parts -------------------------------------------------------

    def __repr__(self) -> str:
        first, last = self.times[0], self.times[-1]
        names = ", ".join(self.names)
        samples = plural(len(self), "samples")
        return f"{type(self).__name__}({names}: {samples} from {first:g} to {last:g})"

    def _grid(self) -> Grid:
        motion = (self.q, self.u, self.udot)
        columns = ([extent(column) for column in values.T] for values in motion)
        rows = list(zip_longest(self.names, *columns, fillvalue=""))
        title = f"{plural(len(self), 'samples')}, time {self.times[0]:g} to {self.times[-1]:g}"
        return Grid(f"{type(self).__name__}: {title}", ("", "q", "u", "udot"), rows)

    def __len__(self) -> int:
        return len(self.times)

    @property
    def measured_noise(self) -> "hints.MeasuredNoise":
        """The effect of noise in the measured coordinates on the states at the motion's times.

        It exists for unchanged motions of `from_samples`; other motions raise a ValueError.
        """
        from .measured_noise import MeasuredNoise

        path = self._path
        if not isinstance(path, SplinePath) or path.measured is None:
            raise ValueError(
                "`motion` must know how it was smoothed, for the effect of noise in its samples. "
                "Use Trajectory.from_samples(...)."
            )
        return MeasuredNoise(path, self.times, self.names)

    def at(self, times: Any) -> States:
        """Return the `States` ``(q, u, udot)`` at ``times`` of shape (...) within the record.

        The arrays have the shapes (..., n_q), (..., n) and (..., n).

        Raises
        ======

        ValueError
            If a time is outside the samples.

        See Also
        ========

        Trajectory.resampled : The states at other times as a Trajectory.

        Examples
        ========

        >>> import numpy as np
        >>> import jointwrench as jw
        >>> t = np.linspace(0, 1, 101)
        >>> motion = jw.Trajectory.from_samples(t, np.sin(t)[:, None])
        >>> motion.at([0.5]).q.round(3)
        array([[0.479]])
        """
        instants = real_array("times", times)
        flat = check_inside("times", instants, self.times).reshape(-1)
        return States(*(x.reshape(*instants.shape, x.shape[-1]) for x in self._path(flat)))

    def resampled(self, times: Any) -> "Trajectory":
        """Return the motion at other ``times`` within the record.

        ``times`` are increasing instants, shape (N,), or the number of evenly spaced instants.

        Raises
        ======

        ValueError
            If times do not increase or are outside the samples.

        See Also
        ========

        Trajectory.at : The states only.

        Examples
        ========

        >>> import numpy as np
        >>> import jointwrench as jw
        >>> t = np.linspace(0, 1, 101)
        >>> motion = jw.Trajectory.from_samples(t, np.sin(t)[:, None])
        >>> motion.resampled([0.0, 0.5, 1.0])
        Trajectory(q_0: 3 samples from 0 to 1)
        """
        if isinstance(times, (int, np.integer)):
            count = check_integer("times", times, least=2)
            times = np.linspace(self.times[0], self.times[-1], count)
        instants = check_times("times", times)
        return Trajectory(instants, *self.at(instants), names=self.names, path=self._path)

    def between(self, start: float, end: float) -> "Trajectory":
        """Return the samples from time ``start`` to time ``end``, both included.

        Raises
        ======

        TypeError, ValueError
            If a time is not a real number, or fewer than two samples are left.

        See Also
        ========

        Trajectory.resampled : The motion at other times.

        Examples
        ========

        >>> import numpy as np
        >>> import jointwrench as jw
        >>> t = np.linspace(0, 1, 101)
        >>> motion = jw.Trajectory.from_samples(t, np.sin(t)[:, None])
        >>> motion.between(0.2, 0.8)
        Trajectory(q_0: 61 samples from 0.2 to 0.8)
        """
        inside = rows_between(self.times, start, end)
        times, q, u, udot = (x[inside] for x in (self.times, self.q, self.u, self.udot))
        return Trajectory(times, q, u, udot, names=self.names, path=self._path)

    def closed(
        self,
        idyn: InverseDynamics,
        constants: Mapping[Any, Any] | None = None,
        specifieds: Mapping[Any, Any] | None = None,
        guess: Any = None,
    ) -> "Trajectory":
        """Return the motion with its dependent entries solved from a model's constraint equations.

        The result has the same times and independent entries, and splines through q, u and udot
        between the samples; `constraint_errors` measures the errors of the original motion.
        Constraints that bind only speeds (rolling) do not determine positions: a warning reports
        positions that do not fit.  ``idyn``, ``constants``, ``specifieds`` and ``guess`` are as for
        `InverseDynamics.close_motion`.  Default of ``guess``: the motion itself at the first
        sample.

        Raises
        ======

        TypeError, ValueError
            As `InverseDynamics.close_motion`; if ``idyn`` is not an InverseDynamics.

        See Also
        ========

        InverseDynamics.close_motion : Closes arrays of states.

        Examples
        ========

        >>> import numpy as np
        >>> import jointwrench as jw
        >>> idyn = jw.InverseDynamics(jw.SerialChain.planar(1, gravity=(0, -9.81, 0)).system)
        >>> values = {"l_0": 0.5, "m_0": 2.0, "I_0": 0.04}
        >>> t = np.linspace(0, 1, 101)
        >>> motion = jw.Trajectory.from_samples(t, np.sin(t)[:, None], idyn=idyn)
        >>> motion.closed(idyn, values)  # a tree has nothing to close
        Trajectory(q_0: 101 samples from 0 to 1)
        """
        check_idyn(idyn)
        check_mapping("constants", constants)
        MotionReader(idyn.model.inputs).check_names(self)
        states = self.q, self.u, self.udot
        q, u, udot = idyn.close_motion(*states, constants, specifieds, guess, self.times)
        found = Trajectory(self.times, q, u, udot, names=self.names)
        if idyn.model.closed_motion.has_free_positions and len(q) > DEGREE:
            moved = spline_through(self.times, q)(self.times, 1)
            warn_of_drift(idyn, constants, self.times, np.hstack([q, found.u]), moved)
        return found

    def constraint_errors(
        self,
        idyn: InverseDynamics,
        constants: Mapping[Any, Any] | None = None,
        specifieds: Mapping[Any, Any] | None = None,
    ) -> np.ndarray:
        """Return the errors of a model's constraints along the motion, shape (N, 3, m).

        The axes are the times; positions, velocities and accelerations; and the m equations of loop
        joints and contacts.  ``idyn``, ``constants`` and ``specifieds`` are as for
        `InverseDynamics.close_motion`.

        Raises
        ======

        TypeError, ValueError
            If ``idyn`` is not an InverseDynamics, the motion does not match it, or a value is
            missing.

        See Also
        ========

        Trajectory.closed : Removes the errors.

        Examples
        ========

        >>> import numpy as np
        >>> import jointwrench as jw
        >>> idyn = jw.InverseDynamics(jw.SerialChain.planar(1, gravity=(0, -9.81, 0)).system)
        >>> values = {"l_0": 0.5, "m_0": 2.0, "I_0": 0.04}
        >>> t = np.linspace(0, 1, 101)
        >>> motion = jw.Trajectory.from_samples(t, np.sin(t)[:, None], idyn=idyn)
        >>> motion.constraint_errors(idyn, values).shape
        (101, 3, 0)
        """
        check_idyn(idyn)
        evaluate = idyn.compile("constraint_errors")
        return evaluate(self, constants=constants, specifieds=specifieds).constraint_errors


def _states_at(splines: Iterable[Callable[[np.ndarray], np.ndarray]], times: np.ndarray) -> States:
    return States(*(spline(times) for spline in splines))


def _check_method(idyn: Any) -> None:
    expected = "an InverseDynamics, ForwardDynamics or Kinematics"
    fix = "Use InverseDynamics(system)."
    check_instance("idyn", idyn, (SystemMethod, NoneType), expected, fix)


def _trim_times(times: np.ndarray, trim: float) -> np.ndarray:
    """Return the times without those nearer than ``trim`` to an end of the record."""
    trim, margin = check_number("trim", trim), time_roundoff(times)
    kept = times[(times >= times[0] + trim - margin) & (times <= times[-1] - trim + margin)]
    if trim < 0 or len(kept) < 2:
        raise ValueError(
            f"`trim` must be at least 0 and leave two samples, got {trim:g} of a record of "
            f"{times[-1] - times[0]:g}."
        )
    return kept
