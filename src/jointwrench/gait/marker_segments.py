"""Segments that follow their own markers, neither rigid nor connected with each other."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations, product
from typing import Any, NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

from ..checks.arguments import argument_of, check_choice, check_name
from ..checks.numbers import (
    check_finite,
    check_finite_or_nan,
    check_number,
    finite_array,
    real_array,
    shaped_array,
)
from ..checks.pickles import Pickled
from ..checks.tolerances import THREE_DIGITS
from ..records.samples import pad_to_space
from ..signals.quaternion_paths import normalise_quaternions, remove_sign_flips, unit_path
from ..signals.smoothing import Smoother
from .markers import Poses, segment_angles

#: Angle from the x axis to a segment in its zero position, by the segment's ``direction``.
ZEROS = {"x": 0.0, "y": np.pi / 2, "-x": np.pi, "-y": -np.pi / 2}

#: Sequences of three rotation axes, each different from the previous one, and of two axes.
THREE = tuple(a + b + c for a, b, c in product("xyz", repeat=3) if b not in (a, c))
SEQUENCES = THREE + tuple(a + b for a, b in permutations("xyz", 2))


@dataclass(frozen=True, eq=False)
class MarkerSegment(Pickled):
    """A segment between two markers, whose distance may vary.

    In the plane the two ends determine its angle; in space the orientation of its frame is needed,
    too.

    Parameters
    ==========

    name : str
        The name of the segment.
    proximal, distal : array_like, shape (N, 2) or (N, 3)
        The ends in the laboratory's axes; NaN where a marker is missing.
    mass : float
        The mass of the segment.
    center : float
        Distance of the mass centre from the proximal end divided by the length, as in tables:
        0.433.
    inertia : float, or array_like of shape (3,) or (3, 3)
        The inertia about the mass centre: in the plane the moment about z; in space the principal
        moments, or the tensor, in the segment's frame.
    joint : str, optional
        Name of the proximal joint.  Default: the segment's name.
    joint_center : array_like, shape (N, 2) or (N, 3), optional
        The position of the proximal joint.  Default: the proximal end.
    direction : {"-y", "y", "x", "-x"}
        In the plane: the direction from the proximal to the distal end in the segment's frame, as
        for a `Segment`.  The angle is zero if this frame is parallel to the laboratory's axes.
    rotations : Poses, or array_like of shape (N, 3, 3), optional
        In space: the orientations of the segment's frame, ``v_ground = R @ v_frame``.
    sequence : str
        In space: the axes of the joint's successive angles, "zxy" for Grood and Suntay's, "yxy" for
        the ISB's at the shoulder.  "zx" omits a last angle that is not measured.

    Raises
    ======

    TypeError, ValueError
        If numbers are not real, a name is not a string, shapes do not fit, a mass is negative, a
        sequence is invalid, or rotations are invalid, or missing in space.

    See Also
    ========

    segment_wrenches : Takes segments.

    Examples
    ========

    >>> import numpy as np
    >>> import jointwrench as jw
    >>> ends = np.zeros((5, 2)), np.tile([0, -0.4], (5, 1))
    >>> shank = jw.gait.MarkerSegment("shank", *ends, 3.0, 0.433, 0.05, joint="knee")
    >>> shank.joint
    'knee'
    """

    name: str
    proximal: Any
    distal: Any
    mass: float
    center: float
    inertia: Any
    joint: str | None = None
    joint_center: Any = None
    direction: str = "-y"
    rotations: Any = None
    sequence: str = "zxy"

    def __repr__(self) -> str:
        instants, size = np.shape(self.proximal)
        whole = f"mass {self.mass:g}, joint {self.joint or self.name}, {instants} instants"
        return f"MarkerSegment({self.name}: {whole}, {'in space' if size > 2 else 'planar'})"

    def __post_init__(self) -> None:
        check_name("name", self.name)
        check_choice("direction", self.direction, ZEROS)
        check_choice("sequence", self.sequence, SEQUENCES)
        label = argument_of("mass", self.name)
        if (mass := check_number(label, self.mass)) < 0 or not np.isfinite(mass):
            raise ValueError(f"`{label}` must be positive or zero, got {mass:g}.")
        vars(self).update(
            joint=check_name("joint", self.name if self.joint is None else self.joint),
            mass=mass,
            center=check_finite(argument_of("center", self.name), self.center),
            **self._ends(),
            inertia=self._inertia(),
            rotations=self._rotations(),
        )

    @property
    def in_space(self) -> bool:
        """Whether the ends of the segment have three components."""
        return self.proximal.shape[1] == 3

    def _ends(self) -> dict[str, np.ndarray]:
        """Return the checked paths of the proximal end, the distal end and the joint centre."""
        proximal = real_array(argument_of("proximal", self.name), self.proximal)
        center = proximal if self.joint_center is None else self.joint_center
        points = {"proximal": proximal, "distal": self.distal, "joint_center": center}
        width = 3 if proximal.shape[-1:] == (3,) else 2
        paths = dict[str, np.ndarray]()
        for name, path in points.items():
            label, count = argument_of(name, self.name), len(paths["proximal"]) if paths else "N"
            own = shaped_array(label, path, count, width, fix=" In space there are 3 columns.")
            paths[name] = check_finite_or_nan(label, own)
        return paths

    def _inertia(self) -> np.ndarray:
        """Return the checked inertia tensor about the mass centre, shape (3, 3)."""
        label = argument_of("inertia", self.name)
        fix = "It is about z in the plane, in the segment's frame in space."
        shapes, what = [(3,), (3, 3)], "be 3 moments or 9 elements"
        if np.shape(self.proximal)[1] == 2:
            shapes, what = [()], "be one number"
        array = finite_array(label, self.inertia, *shapes, what=what, fix=fix)
        return array if array.ndim == 2 else np.diag(array if array.ndim else [0, 0, array])

    def _rotations(self) -> np.ndarray | None:
        """Return the checked rotation matrices (N, 3, 3) in space, None in the plane."""
        label, count = argument_of("rotations", self.name), len(self.proximal)
        values = self.rotations.rotations if isinstance(self.rotations, Poses) else self.rotations
        if np.shape(self.proximal)[1] == 2:
            if values is not None:
                raise ValueError(f"`{label}` must be None in the plane, where ends determine it.")
            return None
        if values is None:
            raise ValueError(
                f"`{label}` must be given in space, where two ends are not enough. Use "
                "those of lower_limbs(...).frames, or rotation matrices."
            )
        array = finite_array(label, values, (count, 3, 3), fix="Use rows without gaps.")
        errors = np.abs(array.swapaxes(-1, -2) @ array - np.eye(3)).max(axis=(1, 2))
        right = (errors < THREE_DIGITS) & (np.linalg.det(array) > 0)
        if (wrong := np.flatnonzero(~right)).size:
            raise ValueError(
                f"`{label}` must be rotation matrices, got another matrix in row {wrong[0]}. "
                "Use rows without gaps."
            )
        return array


class SegmentMotion(NamedTuple):
    """The motion of segments in the laboratory's axes; vectors have the shape (N, segments, 3).

    Attributes
    ==========

    joint, joint_velocity : numpy.ndarray
        Position and velocity of the proximal joint.
    center, velocity, acceleration : numpy.ndarray
        Position, velocity and acceleration of the mass centre.
    rotations : numpy.ndarray, shape (N, segments, 3, 3)
        Matrices with the axes of the segment's frame as columns.
    angular_velocity, angular_acceleration : numpy.ndarray
        The rates of rotation.
    ends : numpy.ndarray, shape (N, segments, 2, 3)
        The proximal and the distal end.
    angle : numpy.ndarray, shape (N, segments), or None
        The angle about z, in the plane.
    """

    joint: np.ndarray
    joint_velocity: np.ndarray
    center: np.ndarray
    velocity: np.ndarray
    acceleration: np.ndarray
    rotations: np.ndarray
    angular_velocity: np.ndarray
    angular_acceleration: np.ndarray
    ends: np.ndarray
    angle: np.ndarray | None = None


def segment_motion(segments: Sequence[MarkerSegment], smoother: Smoother) -> SegmentMotion:
    """Return the motion of segments at the smoother's times; all are planar or all in space."""
    columns, names = zip(*map(_columns, segments), strict=True)
    width = columns[0].shape[1]
    groups = [[*range(k * width + 9, k * width + 13)] for k, s in enumerate(segments) if s.in_space]
    filled = smoother.fill_gaps("segments", np.concatenate(columns, axis=1), sum(names, ()))
    spline = smoother.spline("segments", unit_path(filled, groups))
    values, rates, seconds = (spline(smoother.times, order) for order in range(3))
    moving = normalise_quaternions(values, rates, seconds, groups)
    parts = [x.reshape(len(x), len(segments), width) for x in moving]
    ends = [np.split(x[..., : 9 if groups else 6], 3, axis=-1) for x in parts]
    fractions = np.array([segment.center for segment in segments])[:, None]
    of_center = (a + fractions * (b - a) for a, b, _ in ends)
    at = (pad_to_space(x) for x in (ends[0][2], ends[1][2], *of_center))
    path = np.stack([pad_to_space(x) for x in ends[0][:2]], axis=2)
    if groups:
        return SegmentMotion(*[*at, *_quaternion_motion(*(x[..., 9:] for x in parts)), path])
    *turning, angle = _line_motion(segments, *(distal - proximal for proximal, distal, _ in ends))
    return SegmentMotion(*[*at, *turning, path, angle])


def _columns(segment: MarkerSegment) -> tuple[np.ndarray, tuple[str, ...]]:
    """Return the columns (N, k) of a segment to be smoothed, and their names for messages."""
    paths = {"proximal": segment.proximal, "distal": segment.distal, "joint": segment.joint_center}
    axes = "xyz"[: segment.proximal.shape[1]]
    names = [f"{segment.name} {path} {axis}" for path in paths for axis in axes]
    columns = [*paths.values()]
    if segment.in_space:
        quaternions = Rotation.from_matrix(segment.rotations).as_quat()[:, [3, 0, 1, 2]]
        columns.append(remove_sign_flips(quaternions))
        names += [f"{segment.name} quaternion {k}" for k in range(4)]
    return np.concatenate(columns, axis=1), tuple(names)


def _quaternion_motion(q: np.ndarray, dq: np.ndarray, ddq: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return rotations, angular velocity and acceleration from unit quaternions (..., 4)."""
    # In the laboratory's axes the angular velocity is the vector part of 2 q' q*, the angular
    # acceleration that of 2 q'' q*, because q' q'* is real.
    s, v = q[..., :1], q[..., 1:]
    rates = (2 * (s * x[..., 1:] - x[..., :1] * v + np.cross(v, x[..., 1:])) for x in (dq, ddq))
    matrices = Rotation.from_quat(q.reshape(-1, 4)[:, [1, 2, 3, 0]]).as_matrix()
    return matrices.reshape(*v.shape, 3), *rates


def _line_motion(
    segments: Sequence[MarkerSegment], d: np.ndarray, dd: np.ndarray, ddd: np.ndarray
) -> tuple[np.ndarray, ...]:
    """Return rotations, angular velocity and acceleration, and angles of lines d (N, lines, 2)."""
    # With z = x + i y: z'/z = s + i w, where w is the rate of the angle and s that of log |z|; the
    # derivative of this equation gives w' = Im(z''/z) - 2 w s.
    pairs = zip(segments, d.swapaxes(0, 1), strict=True)
    angles = [segment_angles(0 * line, line, ZEROS[segment.direction]) for segment, line in pairs]
    angle = np.stack(angles, axis=1)
    z, dz, ddz = (x[..., 0] + 1j * x[..., 1] for x in (d, dd, ddd))
    rate, stretch = (dz / z).imag, (dz / z).real
    second = (ddz / z).imag - 2 * rate * stretch
    about_z = (np.stack([0 * rate, 0 * rate, x], axis=-1) for x in (rate, second))
    matrices = Rotation.from_euler("z", angle.reshape(-1, 1)).as_matrix()
    return matrices.reshape(*angle.shape, 3, 3), *about_z, angle
