"""`reduce_residual`: the smallest changes of uncertain inputs that remove a residual."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.stats import chi2
from sympy import Expr

from .. import Evaluator, Result, Trajectory
from ..checks.arguments import check_instance, enumerate_some
from ..checks.display import Grid, NotebookTable
from ..checks.messages import warn
from ..checks.numbers import check_positive, finite_array
from ..checks.tolerances import LAST_CHANGE, ROUNDING
from ..extend import MotionReader
from .closed_loops import check_model, find_closed_loops, group_arguments
from .covariances import Source
from .sources import MeasuredSource, SourceReader, input_name
from .uncertainties import check_compiled

#: Probability that errors of the stated size are reported as too large.
FALSE_ALARM = 0.001

#: Largest number of Gauss-Newton steps.
STEPS = 20

#: Number of unknowns of noise that are treated together, and a small fraction of them.
BLOCK, SMALL_PART = 256, 0.001

STATES = ("q", "u", "udot")


@dataclass(frozen=True, eq=False, repr=False)
class ResidualReduction(NotebookTable):
    """The result of `reduce_residual`: changes, and the residual before and after.

    Parameters
    ==========

    times : numpy.ndarray, shape (N,)
        The instants.
    names : tuple of str
        The speeds of the residual's generalized forces.
    before, after : numpy.ndarray, shape (N, number of names)
        The residual: generalized forces that nothing supplies, with the original and with the
        changed inputs.
    changes, deviations : dict of str to float
        The change of each source, by name, and the uncertainty of the change, in the source's
        stated standard deviations; for noise the root mean square over its samples.
    tolerance : numpy.ndarray, shape (number of names,)
        The user's tolerance of each residual.
    problems : tuple of str
        Reasons why errors of the stated size do not explain the residual; empty if they do.
    motion : Trajectory
        The changed motion.
    constants, specifieds : dict of symbol to number or numpy.ndarray
        The changed values of all inputs: ``evaluate(found.motion, constants=found.constants,
        specifieds=found.specifieds)`` has all outputs after the reduction.

    See Also
    ========

    reduce_residual : Returns it.

    Examples
    ========

    A person who falls freely:

    >>> import numpy as np
    >>> import jointwrench as jw
    >>> person = jw.gait.planar_body(1.75, 70.0)
    >>> idyn, still = jw.InverseDynamics(person.system), np.zeros((5, 13))
    >>> evaluate = idyn.compile("generalized_forces", derivatives=["constants"], backend="numpy")
    >>> falling = jw.Trajectory(np.arange(5.0), still, still, still - 9.81 * (np.arange(13) == 2))
    >>> given = {"constants": person.constants_of(idyn)}
    >>> jw.propagation.reduce_residual(evaluate, falling, 0.1, {"m_trunk": 1.0}, **given)
    ResidualReduction(trunk_angle_rate: 0 -> 0, hip_x_rate: 0 -> 0, hip_y_rate: 0 -> 0; within ...)
    """

    times: np.ndarray
    names: tuple[str, ...]
    before: np.ndarray
    after: np.ndarray
    changes: dict[str, float]
    deviations: dict[str, float]
    tolerance: np.ndarray
    problems: tuple[str, ...]
    motion: Trajectory
    constants: dict[Any, float]
    specifieds: dict[Any, np.ndarray]

    def __repr__(self) -> str:
        rows = (
            f"{name}: {_rms(a):.4g} -> {_rms(b):.4g}"
            for name, a, b in zip(self.names, self.before.T, self.after.T, strict=True)
        )
        verdict = f"{len(self.problems)} problems" if self.problems else "within what was stated"
        return f"ResidualReduction({', '.join(rows)}; {verdict})"

    def _grid(self) -> list[Grid]:
        pairs = zip(self.names, self.before.T, self.after.T, self.tolerance, strict=True)
        remaining = [(n, f"{_rms(a):.4g}", f"{_rms(b):.4g}", f"{c:.4g}") for n, a, b, c in pairs]
        found = sorted(self.changes, key=lambda name: -abs(self.changes[name]))
        rows = [(n, f"{self.changes[n]:.2f}", f"{self.deviations[n]:.2f}") for n in found]
        texts = "; ".join(self.problems) or "within what was stated"
        return [
            Grid(f"Residual: {texts}", ("", "rms before", "rms after", "tolerance"), remaining),
            Grid("Changes in standard deviations", ("", "change", "known to"), rows),
        ]


def reduce_residual(
    evaluate: Evaluator,
    motion: Any,
    tolerance: Any,
    standard_deviations: Mapping[Any, Any] | None = None,
    *,
    residual: Any = None,
    covariances: Mapping[Any, Any] | None = None,
    causes: Mapping[str, Mapping[Any, Any]] | None = None,
    constants: Mapping[Any, Any] | None = None,
    specifieds: Mapping[Any, Any] | None = None,
    times: Any = None,
    within: float = 3.0,
) -> ResidualReduction:
    """Return the smallest changes of uncertain inputs that make a motion and its loads consistent.

    The residual, the forces that a free base (a pelvis) would need although nothing supports it, is
    reduced to ``tolerance`` by changes of mass centres, positions of plates and markers, and noise,
    each as small as possible relative to its standard deviation.  No input is changed by more than
    ``within`` of these; for the samples of a noise the root mean square counts.  An unexplained
    part stays in the residual, with a warning.

    Parameters
    ==========

    evaluate : Evaluator
        An evaluator of "generalized_forces", with ``derivatives`` with respect to all uncertain
        inputs.
    motion : motion or sequence of array_like
        As for `uncertainty`.
    tolerance : number or array_like
        One standard deviation of the allowed residual, in the units of the generalized forces; or
        one for each speed of the residual.
    standard_deviations, covariances, causes : mapping, optional
        The uncertain inputs, as for `uncertainty`.  Mass centres are constants, the position of a
        plate is a cause, ``fitted.misplaced(0.01)`` are causes for positions of markers, "measured"
        is the noise of coordinates before smoothing.
    residual : joint, str or sequence of them, optional
        Joints that transmit no real force.  Default: as for `Result.energy_balance`.
    constants, specifieds, times : optional
        As for the evaluator.
    within : float
        The largest change of an input, in standard deviations.

    Raises
    ======

    TypeError, ValueError
        As `uncertainty`; if no joint is free, the motion has no times, or a number is not positive;
        if an uncertain input moves closed loops.

    Warns
    =====

    UserWarning
        If errors of the stated size do not explain the residual: an input would have to be changed
        by more than ``within``, all together by more than chance allows (1 in 1000), or the
        residual exceeds the tolerance.

    See Also
    ========

    uncertainty : The effect of the same errors on results.

    Notes
    =====

    The Gauss-Newton method minimises ``|z|^2 + |residual / tolerance|^2`` with the exact
    derivatives of the evaluator; z are the changes in standard deviations.  A residual determines
    some errors and not others: ``deviations`` are near 0 for an error that it determines, near 1
    for one that it does not.  A reduced residual does not prove that the changes are true: the true
    cause may not be among the stated ones.

    Noise of M samples of n coordinates has M n unknowns: some seconds for a thousand.

    References
    ==========

    .. [1] C. D. Remy, D. G. Thelen, Optimal estimation of dynamically consistent kinematics and
       kinetics for forward dynamic simulation of gait, Journal of Biomechanical Engineering 131
       (2009), 031005.
    .. [2] S. Narasimhan, C. Jordache, Data Reconciliation and Gross Error Detection, Gulf, 2000.

    Examples
    ========

    A person jumps; the given mass centre of a thigh is wrong by 5 mm:

    >>> import numpy as np
    >>> import jointwrench as jw
    >>> person = jw.gait.planar_body(1.75, 70.0)
    >>> idyn, fdyn = jw.InverseDynamics(person.system), jw.ForwardDynamics(person.system)
    >>> true, start = person.constants_of(idyn), np.linspace(-1, 1, 13)
    >>> motion = fdyn.simulate(np.linspace(0, 0.3, 31), 0.3 * start, 3 * start, true)
    >>> center = next(symbol for symbol in true if symbol.name == "c_thigh_left")
    >>> said = true | {center: true[center] - 0.005}
    >>> evaluate = idyn.compile("generalized_forces", derivatives=["constants"], backend="numpy")
    >>> found = jw.propagation.reduce_residual(
    ...     evaluate, motion, 0.01, {center: 0.01, "m_foot_left": 0.1}, constants=said
    ... )
    >>> round(found.changes["c_thigh_left"], 2), round(abs(found.changes["m_foot_left"]), 2)
    (0.5, 0.0)
    >>> round(abs(found.constants[center] - true[center]), 4), found.problems
    (0.0, ())
    """
    fix = "Use InverseDynamics(...).compile(...)."
    check_instance("evaluate", evaluate, Evaluator, "an Evaluator", fix)
    limit = check_positive("within", within)
    states, own = MotionReader(evaluate.inputs).read(motion)
    given = {"constants": constants, "specifieds": specifieds}
    first = evaluate(*states, **given, times=own if times is None else times)
    columns, names = _find_residual_speeds(first, residual)
    sizes = finite_array("tolerance", tolerance, (), (len(names),))
    allowed = np.array([check_positive("tolerance", x) for x in np.ravel(sizes)])
    allowed = np.broadcast_to(allowed, len(names))
    instants = np.asarray(first.times)
    groups = {name: own for name, own in evaluate.inputs.items() if name != "times"}
    reader = SourceReader(groups, instants.shape, motion, separate=True)
    sources = reader.read(standard_deviations, covariances, causes)
    check_model(evaluate, sources)
    loops = find_closed_loops(evaluate, first)
    if loops is not None and (moving := [x.name for x in sources if loops.are_affected_by([x])]):
        raise ValueError(
            "`standard_deviations`, `covariances` and `causes` must be of inputs that move no "
            f"closed loops, got {enumerate_some(moving)}. Use those of masses and loads."
        )
    unknowns = ErrorUnknowns(first, sources, columns)
    z, result = np.zeros(unknowns.count), first
    bounds = np.where(unknowns.is_noise, np.inf, limit)
    for _ in range(STEPS):
        jacobian = unknowns.jacobian(result) / allowed[:, None]
        remaining = result.generalized_forces[:, columns] / allowed
        flat = jacobian.reshape(-1, unknowns.count)
        before, z = z, solve_bounded(flat, flat @ z - remaining.ravel(), bounds)
        values = unknowns.values(z)
        result = evaluate(**group_arguments(evaluate.inputs, values, instants))
        if np.abs(z - before).max() < LAST_CHANGE:
            break
    after = result.generalized_forces[:, columns]
    problems = [*unknowns.problems(z, flat, limit), *_list_remaining(names, after, allowed)]
    if problems:
        texts = "; ".join(problems)
        warn(f"`evaluate`: errors as small as stated do not explain the residual: {texts}.")
    inputs = evaluate.inputs
    q, u, udot = (np.stack([values[x] for x in inputs[name]], -1) for name in STATES)
    return ResidualReduction(
        instants,
        names,
        first.generalized_forces[:, columns],
        after,
        unknowns.by_name(z),
        unknowns.by_name(_deviations(flat)),
        allowed,
        tuple(problems),
        Trajectory(instants, q, u, udot),
        {x: float(np.ravel(values[x])[0]) for x in inputs["constants"] if x in values},
        {x: values[x] for x in inputs.get("specifieds", ()) if x in values},
    )


class ErrorUnknowns:
    """The unknown changes z of inputs, in standard deviations, one for each independent error."""

    def __init__(self, result: Result, sources: Sequence[Source], columns: Sequence[int]) -> None:
        check_compiled(result, sources)
        inputs = result._known_inputs()
        self._likely = {**inputs.samples, **inputs.constants}
        self._sources, self._columns = sources, columns
        ends = np.cumsum([0, *(_count_unknowns(source) for source in sources)])
        self.count, self._slices = int(ends[-1]), [slice(*x) for x in pairwise(ends)]

    def by_name(self, z: np.ndarray) -> dict[str, float]:
        """Return unknowns by the names of their sources: the RMS if a source has several."""
        found = ((s.name, z[x]) for s, x in zip(self._sources, self._slices, strict=True))
        return {name: float(own[0]) if len(own) == 1 else _rms(own) for name, own in found}

    def values(self, z: np.ndarray) -> dict[Expr, Any]:
        """Return the values of all inputs, changed by the unknowns z."""
        values: dict[Expr, Any] = dict(self._likely)
        for source, place in zip(self._sources, self._slices, strict=True):
            change = _change_inputs(source, z[place])
            for k, symbol in enumerate(source.symbols):
                values[symbol] = values.get(symbol, 0.0) + change[..., k]
        return values

    def jacobian(self, result: Result) -> np.ndarray:
        """Return the derivatives of the residual by the unknowns, (N, columns, unknowns)."""
        found = []
        for source in self._sources:
            jacobian = result.derivative("generalized_forces", source.symbols)[:, self._columns]
            found += [jacobian @ roots for roots in _input_derivatives(source)]
        return np.concatenate(found, axis=-1)

    @property
    def is_noise(self) -> np.ndarray:
        """A boolean mask of unknowns that are samples of a noise, shape (unknowns,)."""
        kinds = [isinstance(source, MeasuredSource) for source in self._sources]
        return np.repeat(kinds, [place.stop - place.start for place in self._slices])

    def problems(self, z: np.ndarray, jacobian: np.ndarray, within: float) -> Iterator[str]:
        """Yield the reasons why changes z are implausible: single changes, noise, and their sum."""
        # |z|^2 is compared with chi^2 of as many degrees of freedom as the residual determines,
        # the sum of s^2 / (1 + s^2) over the singular values s of its Jacobian.
        far, noisy = [], []
        for source, place in zip(self._sources, self._slices, strict=True):
            own = z[place]
            if isinstance(source, MeasuredSource):
                noisy += [source.name] * bool(own @ own > chi2.isf(FALSE_ALARM, len(own)))
            else:
                far += [source.name] * bool(np.abs(own).max() >= within * (1 - ROUNDING))
        for names, text in ((far, f"{within:g} standard deviations"), (noisy, "the stated noise")):
            if names:
                yield f"{enumerate_some(names)} would have to change by more than {text}"
        weights = np.linalg.svd(jacobian, compute_uv=False) ** 2
        number = float((weights / (1 + weights)).sum())
        if (size := float(z @ z)) > chi2.isf(FALSE_ALARM, max(number, 1.0)):
            yield (
                f"all changes together have {size:.3g} as the sum of their squares, where the "
                f"residual determines {number:.3g} errors"
            )


def solve_bounded(jacobian: np.ndarray, goal: np.ndarray, bounds: np.ndarray) -> np.ndarray:
    """Return the minimiser z of ``|z|^2 + |jacobian z - goal|^2`` with entries within bounds."""
    # An active-set method: entries beyond a bound are fixed there, and released if the gradient
    # points inwards.
    sign_at_bound = np.zeros(jacobian.shape[1])  # zero for free entries
    for _ in range(STEPS + len(sign_at_bound)):
        free = sign_at_bound == 0
        z = np.zeros(len(sign_at_bound))
        z[~free] = sign_at_bound[~free] * bounds[~free]
        u, s, vt = np.linalg.svd(jacobian[:, free], full_matrices=False)
        z[free] = vt.T @ (s / (1 + s**2) * (u.T @ (goal - jacobian @ z)))
        beyond = free & (np.abs(z) > bounds)
        back = ~free & ((z - jacobian.T @ (goal - jacobian @ z)) * sign_at_bound > 0)
        if not (beyond | back).any():
            break
        sign_at_bound = np.where(beyond, np.sign(z), np.where(back, 0, sign_at_bound))
    return np.clip(z, -bounds, bounds)


def _deviations(jacobian: np.ndarray) -> np.ndarray:
    """Return the standard deviation of each unknown after fitting the residual."""
    _, s, vt = np.linalg.svd(jacobian, full_matrices=False)
    return np.sqrt(np.clip(1 - (s**2 / (1 + s**2)) @ vt**2, 0, 1))


def _count_unknowns(source: Source) -> int:
    """Return the number of independent errors of a source."""
    if isinstance(source, MeasuredSource):
        return len(source.noise_root) * int(source.noise_root.any(axis=(0, 1)).sum())
    return source.root.shape[-1]


def _change_inputs(source: Source, z: np.ndarray) -> np.ndarray:
    """Return the changes of a source's inputs by its unknowns z, shape (..., inputs)."""
    if isinstance(source, MeasuredSource):
        return _change_by_noise(source, z[None])[0]
    return source.root @ z


def _change_by_noise(source: MeasuredSource, z: np.ndarray) -> np.ndarray:
    """Return the changes of inputs by k noises z, shape (k, N, number of inputs)."""
    root = source.noise_root[..., source.noise_root.any(axis=(0, 1))]
    noise = root @ z.reshape(len(z), len(root), -1, 1)
    return source.noise.changes(noise[..., 0])[..., : len(source.symbols)]


def _input_derivatives(source: Source) -> Iterator[np.ndarray]:
    """Yield the derivatives of a source's inputs by blocks of unknowns, (N, inputs, block)."""
    if not isinstance(source, MeasuredSource):
        yield source.root
        return
    units = SMALL_PART * np.eye(_count_unknowns(source))
    for first in range(0, len(units), BLOCK):
        found = _change_by_noise(source, units[first : first + BLOCK]) / SMALL_PART
        yield np.moveaxis(found, 0, -1)


def _find_residual_speeds(result: Result, residual: Any) -> tuple[list[int], tuple[str, ...]]:
    """Return the indices and names of the speeds of joints that transmit no real force."""
    motions, joints = result._known_joints().motions, result._residual_joints(residual)
    speeds = [speed for k in joints for speed in motions[k].speeds or ()]
    if not speeds:
        raise ValueError(
            "`residual` must be free joints, got none: no joint on ground leaves its "
            "body free. Use residual=[...], the names of joints."
        )
    if result.times is None or result.times.ndim != 1:
        raise ValueError(
            "`times` must be those of one motion, shape (N,). Use a Trajectory, or times=..."
        )
    return [result.speeds.index(speed) for speed in speeds], tuple(map(input_name, speeds))


def _list_remaining(names: Sequence[str], after: np.ndarray, allowed: np.ndarray) -> Iterator[str]:
    """Yield a sentence for each residual that exceeds its tolerance after the reduction."""
    count = len(after)
    for name, own, size in zip(names, after.T, allowed, strict=True):
        if np.sum((own / size) ** 2) > chi2.isf(FALSE_ALARM, count):
            yield f"along {name} {_rms(own):.3g} remain, the tolerance is {size:.3g}"


def _rms(values: np.ndarray) -> float:
    return float(np.sqrt(np.mean(np.square(values))))
