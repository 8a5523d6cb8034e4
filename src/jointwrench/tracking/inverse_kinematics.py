"""`inverse_kinematics`: the coordinates of a model from measured markers."""

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sympy.physics.vector import Point, ReferenceFrame

from ..checks.arguments import check_instance, check_mapping, check_name
from ..signals.smoothing import Smoothing
from .fitted_motion import FittedMotion, check_deviation
from .initial_guesses import choose_start_range, read_limits, read_start
from .kinematics_cache import get_kinematics, get_model_mapping
from .marker_checks import check_unit_of_markers, describe_misplaced, find_collinear_instants
from .marker_observations import MarkerObservations, read_markers
from .marker_record import MarkerRecord, PoseFit
from .observability import find_unobservable
from .tracked_model import TrackedModel


def inverse_kinematics(
    model: Any,
    markers: Any,
    points: Mapping[str, Point | str] | None = None,
    weights: Mapping[str, float] | None = None,
    bounds: Mapping[Any, Sequence[float]] | None = None,
    constants: Mapping[Any, float] | None = None,
    *,
    times: Any = None,
    orientations: Mapping[str, Any] | None = None,
    frames: Mapping[str, ReferenceFrame | str] | None = None,
    prescribed: Mapping[Any, Any] | None = None,
    targets: Mapping[Any, tuple[Any, float]] | None = None,
    start: Any = None,
    standard_deviations: float | Mapping[str, Any] | None = None,
    smoothing: Smoothing | None = None,
) -> FittedMotion:
    """Return the motion of a model that matches measured markers best at each instant.

    It minimises ``sum(weight * distance**2)`` over the markers.  Constraints of loops and coupled
    joints hold exactly.

    Parameters
    ==========

    model : System, or object with a ``system``
        A System, a model of `read_osim` and the like, a `SerialChain`, a `planar_body`, an
        `InverseDynamics`.
    markers : Markers, or mapping of str to array_like of shape (N, 3)
        The measured positions of the markers, in the axes of ground (``system.frame``) from its
        origin (``system.fixed_point``), in the model's unit of length; NaN where a marker is
        missing. None or ``{}`` if there are only orientations.
    points : mapping of str to Point, optional
        The markers on the model.  Default: ``model.markers``, or the points of a `Kinematics`.
    weights : mapping of str to float, optional
        The markers and frames to use, with their weights.  Default: all markers and frames of the
        model, with weight 1.
    bounds : mapping of coordinate or name to (lower, upper), optional
        Bounds of coordinates, in radians.  Default: the limits of the coordinates that the model's
        file clamps.  ``bounds={}`` removes them.
    constants : mapping, optional
        Numbers of the model's symbols on which positions depend.  Default: ``model.constants``.
    times : array_like, shape (N,), optional
        The instants, if ``markers`` do not have them.
    orientations : mapping of str to array_like of shape (N, 3, 3) or (N, 4), optional
        Orientations of frames from inertial sensors or `Kinematics`: matrices, ``v_ground = R @
        v_frame``, or quaternions, scalar part first.  Their terms are ``weight * angle**2``, with
        the angle in radians.
    frames : mapping of str to ReferenceFrame, optional
        The frames of the orientations.  Default: the frames of the bodies with these names.
    prescribed : mapping of coordinate or name to number or array_like of shape (N,), optional
        Known coordinates.  Default: the coordinates that the model's file locks.
    targets : mapping of coordinate or name to (value, weight), optional
        Preferred values, in the form of ``prescribed``, with the terms ``weight * (q - value)**2``.
        None stands for the value in the model's file.
    start : array_like, shape (n_q,), optional
        An initial guess of the coordinates at the first instant.  Default: a search from several
        initial guesses; of several solutions the nearest to the reference pose of the file, or to
        zeros, is chosen.
    standard_deviations : number or mapping of str to number, optional
        Standard deviations of the errors of each marker along x, y and z (or three numbers), and of
        frames in radians, for the covariance of the coordinates.
    smoothing : Smoothing, optional
        Options for smoothing coordinates and filling gaps.  Default: neither is done.

    Returns
    =======

    FittedMotion
        With ``.motion`` for `InverseDynamics`, ``.residuals`` of each marker, ``.rms``,
        ``.converged`` and ``.covariance``.

    Raises
    ======

    TypeError
        If an argument has the wrong type.
    ValueError
        If no marker is on the model, or names are unknown; if markers are not in the model's unit
        of length; if an instant has no marker, unless ``smoothing`` fills gaps; if a coordinate is
        undetermined at all of several instants; if angles seem to be in degrees; if bounds or
        shapes are wrong.
    CompilationError
        If the solver was not built with the package, and cannot be compiled.

    Warns
    =====

    UserWarning
        If markers are missing in the model; if a marker, which is named, is far from its point on
        the model; if the markers of an instant are all on one line, or leave coordinates
        undetermined (which stay near ``start`` if there is only one instant); if the search at an
        instant did not converge.

    See Also
    ========

    read_tracking_tasks : Reads weights from OpenSim's set-up files.
    uncertainty : Propagates ``covariances={"measured": fitted.covariance}`` to wrenches.

    Notes
    =====

    Each instant is solved separately by the Levenberg-Marquardt method with the exact Jacobian; the
    neighbouring instants only provide the initial guess.  Coordinates at a bound, and prescribed
    coordinates, do not move.

    A model from a file caches its compiled code, also for other weights and subsets of the markers,
    until its System or its markers change.  For many records of another model make ``kinematics =
    Kinematics(system, points, {})`` once, and use it as ``model``.

    References
    ==========

    .. [1] T.-W. Lu, J. J. O'Connor, Bone position estimation from skin marker co-ordinates using
       global optimisation with joint constraints, Journal of Biomechanics 32 (1999), 129-134.

    Examples
    ========

    >>> import numpy as np
    >>> import jointwrench as jw
    >>> chain = jw.SerialChain.planar(2)
    >>> lengths = {"l_0": 1.0, "l_1": 1.0}
    >>> seen = {"elbow": [[0.0, 1.0, 0.0]] * 2, "tip": [[-1.0, 1.0, 0.0], [-0.6, 1.8, 0.0]]}
    >>> points = {"elbow": chain.joint_points[1], "tip": chain.tip}
    >>> found = jw.inverse_kinematics(chain, seen, points, constants=lengths, times=[0, 1])
    >>> np.degrees(found.q).round(2) + 0.0
    array([[ 0.  , 90.  ],
           [ 0.  , 36.87]])
    >>> found.rms.round(9).tolist()
    [0.0, 0.0]
    """
    check_instance("smoothing", smoothing, (Smoothing, type(None)), "a Smoothing")
    for name in check_mapping("points", points):
        check_name("points", name)
    deviations = {} if standard_deviations is None else standard_deviations
    given = deviations if isinstance(deviations, Mapping) else {"all": deviations}
    for name, value in given.items():
        check_deviation("standard_deviations", name, value)
    observed = read_markers(model, markers, points, orientations, frames, weights, times)
    fills = smoothing is not None and smoothing.gaps == "fill"
    observed.check_instants(fills)
    numbers = {**get_model_mapping(model, "constants"), **check_mapping("constants", constants)}
    kinematics = get_kinematics(model, observed.points, observed.frames)
    tracked = TrackedModel(kinematics, [*observed.points], [*observed.frames], numbers)
    coordinates, count = tracked.coordinates, len(observed.times)
    clamped = getattr(model, "clamped", ())
    lower, upper, free, starts = read_limits(model, tracked, bounds, prescribed, clamped, count)
    preferences = check_mapping("targets", targets)
    q_targets, q_weights = coordinates.read_targets("targets", preferences, starts[0], count)
    record = MarkerRecord(
        tracked=tracked,
        observed=observed,
        q_targets=q_targets,
        q_weights=q_weights,
        lower=lower,
        upper=upper,
        free=free,
        floor=observed.floor,
        starts=starts,
        start_range=choose_start_range(model, coordinates, starts[0]),
    )
    if observed.points:
        check_unit_of_markers(observed, tracked.positions(record.starts[:1])[0][0])
    fit = record.solve(None if start is None else read_start(tracked, start))
    q = _mask_unobservable(record, fit, fills)
    positions = tracked.positions(fit.q)[0]
    _warn(observed, fit, positions)
    return FittedMotion(
        times=observed.times,
        q=q,
        coordinates=coordinates.names,
        markers=tuple(observed.points),
        frames=tuple(observed.frames),
        residuals=observed.residuals(positions)[:, : len(observed.points)],
        angles=observed.angles(positions),
        converged=fit.converged,
        record=record,
        fit=fit,
        standard_deviations=standard_deviations,
        smoothing=smoothing,
    )


def _mask_unobservable(record: MarkerRecord, fit: PoseFit, fills: bool) -> np.ndarray:
    """Return the fitted coordinates (N, n), NaN where the markers do not determine them."""
    # Only instants with fewer markers than the best are checked, and one of the best for all.
    observed, coordinates = record.observed, np.array(record.tracked.coordinates.names)
    counts = (observed.weights > 0).sum(axis=1)
    most = np.flatnonzero(counts == counts.max())[:1]
    rows = np.append(most, np.flatnonzero((counts < counts.max()) & (counts > 0)))
    is_unobservable = np.zeros(fit.q.shape, bool)
    is_unobservable[rows] = find_unobservable(record, fit.q[rows], rows)
    is_unobservable[counts == 0] = record.free
    if (always := is_unobservable[most[0]]).any():
        names = ", ".join(coordinates[always])
        if len(fit.q) == 1 and counts.any():  # a single pose
            warnings.warn(
                f"`markers` of this instant do not determine {names}. The returned pose is near "
                "`start`; PoseSolver selects a pose by your targets of coordinates.",
                stacklevel=3,
            )
            return fit.q
        raise ValueError(
            f"`markers` must determine all coordinates, but not {names}. Use more markers, "
            "prescribed={name: value}, or targets={name: (value, weight)}; for poses that you "
            "choose instead of measuring them, PoseSolver."
        )
    if not is_unobservable.any():
        return fit.q
    names = ", ".join(coordinates[is_unobservable.any(axis=0)])
    where = observed.instants(np.flatnonzero(is_unobservable.any(axis=1)))
    text = f"markers do not determine {names} in rows {where}"
    if not fills:
        raise ValueError(
            f"`markers` must determine all coordinates, but these {text}. Use "
            "smoothing=Smoothing(gaps='fill'), prescribed or targets."
        )
    warnings.warn(f"{text}, which are filled.", stacklevel=3)
    return np.where(is_unobservable, np.nan, fit.q)


def _warn(observed: MarkerObservations, fit: PoseFit, positions: np.ndarray) -> None:
    """Warn of suspicious markers and of instants at which the search did not converge."""
    problems = list(describe_misplaced(observed, positions)) if observed.points else []
    has_seen = observed.weights.any(axis=1)
    if (rows := find_collinear_instants(observed, positions)).size and not observed.frames:
        problems.append(f"the markers are all on one line in rows {observed.instants(rows)}.")
    if (rows := np.flatnonzero(has_seen & ~fit.converged)).size:
        problems.append(f"no least-squares solution was found in rows {observed.instants(rows)}.")
    for problem in problems:
        warnings.warn(f"`markers`: {problem}", stacklevel=3)
