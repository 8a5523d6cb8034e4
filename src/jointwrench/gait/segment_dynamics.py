"""Joint wrenches segment by segment, from the distal end to the proximal end.

This is the method of Winter's book and of Visual3D, an alternative to a linked model: Newton's and
Euler's equations of each segment, which moves with its own markers.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..checks.arguments import (
    check_choice,
    check_different,
    check_instances,
    check_known,
    check_mapping,
    find_named,
)
from ..checks.messages import warn
from ..checks.numbers import finite_array
from ..checks.tolerances import ROUNDING
from ..recordings.force_plate import ForcePlate
from ..recordings.plate_assignment import LARGEST_OF_PART, SMALLEST, list_faults
from ..records.instants import check_instants, check_sample_times
from ..records.sampled_result import JointName, SampledResult, select_components
from ..signals.smoothing import Smoother, Smoothing, make_smoothing
from .marker_segments import MarkerSegment, SegmentMotion, segment_motion

#: The outputs with joint wrenches, by the name of their frame.
FRAMES = {
    "segment": "joint_wrenches",
    "parent": "joint_wrenches_in_parent",
    "laboratory": "joint_wrenches_in_laboratory",
    "joint": "joint_wrenches_in_joint",
}

#: Names of the angles of a joint in space by axis; and in order, if the last axis is the first one.
ANGLE_NAMES = {"z": "angle", "x": "adduction", "y": "rotation"}
ELEVATION_NAMES = ("plane", "elevation", "rotation")

#: The components of a wrench in the plane.
IN_PLANE = np.array([1.0, 1, 0, 0, 0, 1])


class SegmentResult(SampledResult):
    """The result of `segment_wrenches`, similar to a `Result` but without a linked model.

    Parameters
    ==========

    outputs : mapping of str to numpy.ndarray
        The results by name, see the attributes.
    joints : tuple
        The joints, in the order of ``joint_wrenches``.
    angles : mapping of str to numpy.ndarray, shape (N,)
        The angles of joints, each relative to the proximal segment, in radians: ``knee_angle``, in
        space also ``knee_adduction`` and ``knee_rotation``.  For a sequence y, x, y they are
        ``shoulder_plane``, ``shoulder_elevation`` (from 0 to pi) and ``shoulder_rotation``.  If the
        first and the third axis coincide at an instant, the first and the third angle are NaN.
    times : numpy.ndarray, shape (N,)
        The instants.

    Attributes
    ==========

    joint_wrenches : numpy.ndarray, shape (N, number of joints, 6)
        The wrench ``[fx fy fz mx my mz]`` on each segment, by the proximal segment, about the
        centre of its proximal joint, in the segment's frame.
    joint_wrenches_in_parent, joint_wrenches_in_laboratory : numpy.ndarray
        These wrenches in the frame of the proximal segment (for the first segment, of the
        laboratory), and in the laboratory's axes.
    joint_wrenches_in_joint : numpy.ndarray
        These wrenches along the non-orthogonal axes of the joint (Grood and Suntay): x is
        perpendicular to the other axes, y is that of the segment, and z that of the proximal
        segment; for other sequences the second, the third and the first axis.
    joint_powers : numpy.ndarray, shape (N, number of joints)
        The powers of joint moments, see `joint_power`.
    kinetic_energies, body_powers : numpy.ndarray, shapes (N, segments), (N, segments, 4)
        The energy of each segment, and the power on it of gravity, loads, the distal joint and the
        proximal joint; ``energy_balance()`` compares them.

    See Also
    ========

    Result : The result of a linked model.

    Examples
    ========

    >>> import jointwrench as jw
    >>> ends = [[0, 0.5]] * 11, [[0, 0.1]] * 11
    >>> shank = jw.gait.MarkerSegment("shank", *ends, 3.0, 0.433, 0.05, joint="knee")
    >>> result = jw.gait.segment_wrenches(range(11), [shank])
    >>> float(result.joint_wrench("knee", components="fy")[0].round(2))
    29.43
    """

    __slots__ = ("angles", "joints", "outputs", "times")

    joints: tuple[JointName, ...]
    times: np.ndarray

    def __init__(
        self,
        outputs: Mapping[str, np.ndarray],
        joints: tuple[JointName, ...],
        angles: Mapping[str, np.ndarray],
        times: np.ndarray,
    ) -> None:
        self.outputs, self.joints, self.angles, self.times = outputs, joints, angles, times

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (dict(self.outputs), self.joints, dict(self.angles), self.times)

    def joint_wrench(
        self,
        joint: Any,
        about: Any = None,
        frame: Any = None,
        components: Any = None,
        constants: Any = None,
    ) -> np.ndarray:
        """Return the wrench of a ``joint`` on its distal segment, shape (..., 6).

        The wrench ``[fx fy fz mx my mz]`` is exerted by the proximal segment, about the joint
        centre, in the ``frame`` of the distal segment (default), of the "parent", the "laboratory"
        or the "joint"; ``components`` are as for `Result.joint_wrench`.  Without a model, ``about``
        and ``constants`` are not supported.

        Raises
        ======

        ValueError
            If there is no such joint, component or frame, or if another point is requested.

        See Also
        ========

        SegmentResult.joint_power : The power of the joint's moment.

        Examples
        ========

        >>> import jointwrench as jw
        >>> ends = [[0, 0.5]] * 11, [[0, 0.1]] * 11
        >>> shank = jw.gait.MarkerSegment("shank", *ends, 3.0, 0.433, 0.05, joint="knee")
        >>> result = jw.gait.segment_wrenches(range(11), [shank])
        >>> result.joint_wrench("knee")[0].round(2) + 0.0
        array([ 0.  , 29.43,  0.  ,  0.  ,  0.  ,  0.  ])
        """
        check_choice("frame", frame, (None, *FRAMES))
        if about is not None:
            raise ValueError(
                "`about` must be None, since segments have no other points than joints. Use "
                "MarkerSegment(joint_center=...)."
            )
        index = find_named("joint", getattr(joint, "name", joint), self.joints)
        wrench = self.outputs[FRAMES[frame or "segment"]][..., index, :]
        return wrench if components is None else select_components(wrench, components)

    def joint_power(self, joint: Any) -> np.ndarray:
        """Return the power of a ``joint``'s moment on both segments, shape (...).

        The power is the moment times the angular velocity relative to the proximal segment (for the
        first segment, relative to the laboratory).  It excludes the power of forces in joints whose
        markers drift apart.

        Raises
        ======

        ValueError
            If there is no such joint.

        See Also
        ========

        SegmentResult.joint_wrench : Force and moment of the joint.

        Examples
        ========

        >>> import jointwrench as jw
        >>> ends = [[0, 0.5]] * 11, [[0, 0.1]] * 11
        >>> shank = jw.gait.MarkerSegment("shank", *ends, 3.0, 0.433, 0.05, joint="knee")
        >>> result = jw.gait.segment_wrenches(range(11), [shank])
        >>> float(result.joint_power("knee")[0])
        0.0
        """
        index = find_named("joint", getattr(joint, "name", joint), self.joints)
        return self.outputs["joint_powers"][..., index]

    def _has_power(self, index: int) -> bool:
        return True

    def _bodies(self) -> tuple[tuple[str, ...], dict[int, int], list[int]]:
        names = tuple(joint.child.name for joint in self.joints if joint.child)
        return names, {k: k for k in range(len(names))}, []

    def _in_laboratory(self, index: int) -> np.ndarray:
        return self.joint_wrench(self.joints[index], frame="laboratory")

    def _mass_dimension(self, output: str) -> int | None:
        return 1  # all are forces, moments, powers and energies

    def _mapped(self, function: Callable[[str, np.ndarray], np.ndarray]) -> "SegmentResult":
        outputs = {name: function(name, values) for name, values in self.outputs.items()}
        return SegmentResult(outputs, self.joints, self.angles, self.times)

    def _over(self, function: Callable[[np.ndarray], np.ndarray]) -> "SegmentResult":
        angles = {name: function(values) for name, values in self.angles.items()}
        outputs = self._mapped(lambda _, values: function(values)).outputs
        return SegmentResult(outputs, self.joints, angles, function(self.times))


def segment_wrenches(
    times: Any,
    segments: Sequence[MarkerSegment],
    loads: Mapping[str, Any] | None = None,
    gravity: Any = (0.0, -9.81, 0.0),
    *,
    smoothing: Smoothing | str | None = None,
    **parts: Any,
) -> SegmentResult:
    """Return joint wrenches segment by segment, from the distal end to the proximal end.

    Winter's book and Visual3D use this method.  Each segment moves with its own markers, and its
    mass centre divides the distance of its ends in a constant ratio.  Newton's and Euler's
    equations of the last segment give the wrench in its joint; the opposite wrench acts on the
    previous segment, and so on.  A `SegmentResult` has tables, plots, `clinical_curves`,
    ``per_mass`` and ``over_cycles``, like a Result.

    Parameters
    ==========

    times : array_like, shape (N,)
        Increasing instants.
    segments : sequence of MarkerSegment
        The segments from proximal to distal, each connected with the previous one: thigh, shank,
        foot.  All are in the plane x y, or all in space.
    loads : mapping of str to ForcePlate or array_like of shape (N, 6), optional
        Loads on segments by the segments' names, about the laboratory's origin, in the laboratory's
        axes; a list has several loads on one segment.  In the plane only fx, fy and mz count.
    gravity : array_like, shape (3,)
        Gravitational acceleration in the laboratory's axes; for C3D files usually ``(0, 0,
        -9.81)``.
    smoothing : Smoothing or {"butterworth", "spline"}, optional
        The smoothing of the markers' paths, or only its method, with ``parts``.
    **parts : optional
        Arguments of a `Smoothing`, instead of a Smoothing itself, such as ``cutoff``.

    Raises
    ======

    TypeError, ValueError
        If data are not real, a segment is not a MarkerSegment, shapes or instants do not fit, names
        are duplicate, a load is on an unknown segment, or as for `Trajectory.from_samples`.

    See Also
    ========

    InverseDynamics : A linked model.

    Notes
    =====

    A linked model (`planar_leg`, `SerialChain`) has segments of constant length, connected by
    joints.  Here segments are not connected.  Skin and clothes shift markers by centimetres, so
    lengths vary, the accelerations of mass centres contain errors, and a joint force acts at the
    joint centre of the distal segment even if the end of the other segment is elsewhere.  In
    walking the moments of hip, knee and ankle differ by some per cent between the methods, and more
    where inertial terms dominate; with rigid markers both methods agree.  Only a linked model can
    be simulated forward and satisfies its energy balance.

    References
    ==========

    .. [1] D. A. Winter, Biomechanics and Motor Control of Human Movement, 4th ed., Wiley, 2009,
       chapter 5.

    Examples
    ========

    A shank hangs at rest, 0.4 m long, its knee 0.5 m above the origin:

    >>> import jointwrench as jw
    >>> ends = [[0, 0.5]] * 11, [[0, 0.1]] * 11
    >>> shank = jw.gait.MarkerSegment("shank", *ends, 3.0, 0.433, 0.05, joint="knee")
    >>> result = jw.gait.segment_wrenches(range(11), [shank])
    >>> result.joint_wrench("knee", components="fy").round(2)[0].item()
    29.43
    """
    chain = _check_segments(segments)
    instants = check_sample_times("times", times)
    for segment in chain:
        if len(segment.proximal) != len(instants):
            raise ValueError(
                f"`segments` must have one row per time, {len(instants)}, got "
                f"{len(segment.proximal)} of {segment.name}."
            )
    smoother = Smoother(instants, make_smoothing(smoothing, parts, segment_wrenches))
    motion = segment_motion(chain, smoother)
    loads = check_mapping("loads", loads)
    external = _sum_loads(chain, loads, smoother.times)
    acceleration = finite_array("gravity", gravity, (3,))
    weight = float(np.linalg.norm(acceleration)) * sum(segment.mass for segment in chain)
    bounds = SMALLEST * weight, LARGEST_OF_PART * weight
    for k, segment in enumerate(chain):
        if isinstance(loads.get(segment.name), ForcePlate) and acceleration.any():
            faults = list_faults(external[:, k], motion.ends[:, k], bounds, -acceleration)
            if faults:
                warn(f"`loads[{segment.name!r}]` cannot be what acts on it: {'; '.join(faults)}.")
    wrenches = proximal_wrenches(motion, chain, acceleration, external)
    found = segment_energies(motion, chain, acceleration, external, wrenches)
    return _make_result(chain, smoother.times, motion, wrenches, found)


def proximal_wrenches(
    motion: SegmentMotion, bodies: Sequence[Any], gravity: np.ndarray, loads: np.ndarray
) -> np.ndarray:
    """Return the wrench on each segment in its proximal joint, (N, segments, 6), proximal first.

    Wrenches are about the joint's centre, ``loads`` (N, segments, 6) about the laboratory's origin;
    all are in the laboratory's axes.
    """
    # Newton and Euler: f = m (a - g), m_c = I w' + w x I w.  About the origin, the joint wrench is
    # the sum of these rates of momentum minus loads over its segment and all more distal ones.
    masses, inertias = _inertias(bodies)
    force = masses[:, None] * (motion.acceleration - gravity)
    inertia = motion.rotations @ inertias @ motion.rotations.swapaxes(-1, -2)
    w, al = motion.angular_velocity, motion.angular_acceleration
    spin = _multiply(inertia, al) + np.cross(w, _multiply(inertia, w))
    net = np.concatenate([force, spin + np.cross(motion.center, force)], axis=-1)
    found = np.cumsum((net - loads)[:, ::-1], axis=1)[:, ::-1]
    found[..., 3:] -= np.cross(motion.joint, found[..., :3])
    return found


def segment_energies(
    motion: SegmentMotion,
    bodies: Sequence[Any],
    gravity: np.ndarray,
    loads: np.ndarray,
    wrenches: np.ndarray,
) -> dict[str, np.ndarray]:
    """Return the outputs ``kinetic_energies`` (N, segments) and ``body_powers`` (N, segments, 4).

    Wrenches (N, segments, 6) act in proximal joints, about their centres; loads (N, segments, 6)
    are about the origin.  A joint force does work along the path of the joint centre, with opposite
    signs on both segments, as in Robertson and Winter.  Energies do not balance if the centre is
    not a fixed point of both segments.

    References
    ==========

    .. [1] D. G. E. Robertson, D. A. Winter, Mechanical energy generation, absorption and transfer
       amongst segments during walking, Journal of Biomechanics 13 (1980), 845-854.
    """
    masses, inertias = _inertias(bodies)
    v, w = motion.velocity, motion.angular_velocity
    spin = _multiply(motion.rotations.swapaxes(-1, -2), w)  # in its frame
    energies = (masses * _dot(v, v) + _dot(_multiply(inertias, spin), spin)) / 2
    moment = loads[..., 3:] - np.cross(motion.center, loads[..., :3])
    own, others = _joint_power(wrenches, motion.joint_velocity, w), np.zeros_like(energies)
    distal = wrenches[:, 1:], motion.joint_velocity[:, 1:], w[:, :-1]
    others[:, :-1] = -_joint_power(*distal)
    powers = [masses * (v @ gravity), _dot(loads[..., :3], v) + _dot(moment, w), others, own]
    return {"kinetic_energies": energies, "body_powers": np.stack(powers, axis=-1)}


def _inertias(bodies: Sequence[Any]) -> tuple[np.ndarray, np.ndarray]:
    """Return the masses (bodies,) and the central inertia matrices (bodies, 3, 3) of bodies."""
    return np.array([x.mass for x in bodies]), np.array([x.inertia for x in bodies])


def _dot(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return (a * b).sum(axis=-1)


def _joint_power(wrench: np.ndarray, velocity: np.ndarray, spin: np.ndarray) -> np.ndarray:
    return _dot(wrench[..., :3], velocity) + _dot(wrench[..., 3:], spin)


def _make_result(
    chain: Sequence[MarkerSegment],
    times: np.ndarray,
    motion: SegmentMotion,
    wrenches: np.ndarray,
    energies: Mapping[str, np.ndarray],
) -> SegmentResult:
    """Return the result of wrenches (N, segments, 6) in the laboratory's axes."""
    rotations = motion.rotations
    parents = np.concatenate([np.broadcast_to(np.eye(3), rotations[:, :1].shape), rotations], 1)
    relative = np.diff(motion.angular_velocity, axis=1, prepend=0)
    turns = parents[:, :-1].swapaxes(-1, -2) @ rotations
    found = [euler_angles(turns[:, k], segment.sequence) for k, segment in enumerate(chain)]
    axes = np.empty_like(rotations)
    for k, segment in enumerate(chain):
        own = parents[:, k], rotations[:, k], found[k][:, 0]
        axes[:, k] = _joint_axes(*own, segment.sequence)
    outputs = {
        "joint_wrenches": _express_in(rotations, wrenches),
        "joint_wrenches_in_joint": _express_in(axes, wrenches),
        "joint_wrenches_in_parent": _express_in(parents[:, :-1], wrenches),
        "joint_wrenches_in_laboratory": wrenches,
        "joint_powers": _dot(wrenches[..., 3:], relative),
        **energies,
    }
    joints = tuple(JointName(s.joint or s.name, None, JointName(s.name)) for s in chain)
    return SegmentResult(outputs, joints, _joint_angles(chain, motion.angle, found), times)


def _joint_angles(
    chain: Sequence[MarkerSegment], angle: np.ndarray | None, in_space: Sequence[np.ndarray]
) -> dict[str, np.ndarray]:
    """Return the angles (N,) of joints by name, unwrapped: one in the plane, three in space.

    ``angle`` has the angles (N, segments) in the plane, ``in_space`` the Euler angles (N, 3) of
    each joint, in the order of its sequence.
    """
    if angle is not None:
        relative = np.diff(angle, axis=1, prepend=0)
        return {f"{s.joint}_angle": x for s, x in zip(chain, relative.T, strict=True)}
    found: dict[str, np.ndarray] = {}
    for segment, angles in zip(chain, in_space, strict=True):
        axes = segment.sequence
        words = ELEVATION_NAMES if axes[0] == axes[-1] else [ANGLE_NAMES[axis] for axis in axes]
        for word, path in zip(words, angles.T, strict=False):
            found[f"{segment.joint}_{word}"] = own = path.copy()
            known = np.isfinite(own)
            own[known] = np.unwrap(own[known])
    return found


def euler_angles(rotations: np.ndarray, sequence: str = "zxy") -> np.ndarray:
    """Return the angles (..., 3) of rotations (..., 3, 3) about successive body-fixed axes.

    The second angle is from -pi/2 to pi/2, or from 0 to pi if the last axis equals the first.  The
    other angles are NaN where both axes coincide.
    """
    i, j = "xyz".index(sequence[0]), "xyz".index(sequence[1])
    k, sign = 3 - i - j, 1 if (j - i) % 3 == 1 else -1
    r = rotations
    if sequence[0] == sequence[-1]:
        first = np.arctan2(r[..., j, i], -sign * r[..., k, i])
        third = np.arctan2(r[..., i, j], sign * r[..., i, k])
        size = np.hypot(r[..., i, j], r[..., i, k])
        second = np.arctan2(size, r[..., i, i])
    else:
        first = np.arctan2(-sign * r[..., j, k], r[..., k, k])
        third = np.arctan2(-sign * r[..., i, j], r[..., i, i])
        size = np.hypot(r[..., i, i], r[..., i, j])
        second = np.arctan2(sign * r[..., i, k], size)
    found = np.stack([first, second, third], axis=-1)
    found[..., ::2][size < ROUNDING] = np.nan  # the first and the last axis coincide
    return found


def _joint_axes(
    parent: np.ndarray, child: np.ndarray, first: np.ndarray, sequence: str
) -> np.ndarray:
    """Return the second, third and first axis of a joint's sequence as columns, (N, 3, 3).

    ``first`` is the first angle (N,), ``parent`` and ``child`` are rotations (N, 3, 3).
    """
    i, j = "xyz".index(sequence[0]), "xyz".index(sequence[1])
    k, sign = 3 - i - j, 1 if (j - i) % 3 == 1 else -1
    last = i if sequence[0] == sequence[-1] else k
    across = np.zeros((len(first), 3))
    across[:, j], across[:, k] = np.cos(first), sign * np.sin(first)
    axes = [_multiply(parent, across), child[..., last], parent[..., i]]
    return np.stack(axes, axis=-1)


def _multiply(matrices: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    return (matrices @ vectors[..., None])[..., 0]


def _express_in(rotations: np.ndarray, wrenches: np.ndarray) -> np.ndarray:
    """Return the components of wrenches along axes, which are the columns of ``rotations``."""
    parts = wrenches.reshape(*wrenches.shape[:-1], 2, 3)
    return (parts @ rotations).reshape(wrenches.shape)


# -- checks ----------------------------------------------------------------------------


def _check_segments(segments: Any) -> list[MarkerSegment]:
    """Return checked segments: all in the plane or all in space, with unique names and joints."""
    expected = "a sequence of MarkerSegment"
    chain = check_instances("segments", segments, MarkerSegment, expected)
    if not chain or len({segment.in_space for segment in chain}) > 1:
        raise ValueError(
            f"`segments` must be at least one, all in the plane or all in space, got "
            f"{', '.join(segment.name for segment in chain) or 'none'}."
        )
    for kind in ("name", "joint"):
        names = [getattr(segment, kind) for segment in chain]
        check_different("segments", names, f"have different {kind}s")
    return chain


def _sum_loads(
    chain: Sequence[MarkerSegment], loads: Mapping[str, Any], times: np.ndarray
) -> np.ndarray:
    """Return the total load on each segment, (N, segments, 6), about the laboratory's origin."""
    check_known("loads", loads, [segment.name for segment in chain], "be on segments")
    found, shape = [], (len(times), 6)
    for segment in chain:
        applied, total = loads.get(segment.name, ()), np.zeros(shape)
        for load in applied if isinstance(applied, (list, tuple)) else [applied]:
            argument, what = f"loads[{segment.name!r}]", f"be a ForcePlate or have shape {shape}"
            if isinstance(load, ForcePlate):
                check_instants(argument, load.times, times)
            own = load.wrench if isinstance(load, ForcePlate) else load
            total += finite_array(argument, own, shape, what=what)
        found.append(total if segment.in_space else total * IN_PLANE)
    return np.stack(found, axis=1)
