"""Angles, moments and powers of joints with clinical names."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from ..checks.arguments import check_choice, check_instance, check_known, check_mapping, check_name
from ..checks.numbers import check_finite
from ..checks.pickles import Pickled
from ..records.cycles import table_over_cycles
from ..records.data_rows import read_data_rows
from ..records.laboratory import LEFT, RIGHT
from ..records.sampled_result import SampledResult
from ..records.tables import Table
from .segment_dynamics import SegmentResult, euler_angles

#: A clinical direction of an angle ("flexion"), the opposite direction, in which internal moments
#: are positive ("extension"), and the sign of a right joint's angle in the first direction.
Words = tuple[str, str, int]


def _parse(text: str) -> Words:
    """Return the names and the sign in a cell of ``clinical_names.csv``.

    A leading minus sign means that an increasing angle moves in the second direction.
    """
    up, down = text.removeprefix("-").split("/")
    return up, down, -1 if text.startswith("-") else 1


#: A shoulder's angles about y, x and y: plane of elevation and elevation.
ELEVATION_NAMES = [
    _parse("plane_of_elevation/horizontal_abduction"),
    _parse("elevation/depression"),
]
ELEVATION = 3  # the index of the first of them; indices 0 to 2 are angles about z, x and y

#: Directions of a joint's angles about z, x and y; about x and y they are reversed in a left joint.
DIRECTIONS: dict[str, list[Words]] = {
    row.pop("joint"): [*map(_parse, row.values()), *ELEVATION_NAMES]
    for row in read_data_rows(__file__, "clinical_names.csv")
}

#: Joints without moments: only their angles are reported.
FREE = ("pelvis", "thorax", "spine", "clavicle")

#: Other names of joints, in OpenSim's models; and words in the names of coordinates, by plane.
ALIASES = {"walker_knee": "knee", "acromial": "shoulder", "arm": "shoulder"}
WORDS = (
    ("angle", "flexion", "flex"),
    ("adduction", "add"),
    ("rotation", "rot"),
    ("plane",),
    ("elevation",),
)

#: The frames of moments in space.
FRAMES = ("segment", "parent", "joint")

PLANES = ("sagittal", "frontal", "transverse")


class ClinicalCurves(Pickled, Mapping[str, np.ndarray]):
    """Angles, moments and powers of a person's joints, by name; made by `clinical_curves`.

    The mapping has arrays by name: ``"knee_flexion"`` is an angle in degrees,
    ``"knee_extension_moment"`` a moment, ``"knee_power"`` a power.  The name of the opposite
    direction, ``"knee_extension"``, returns the array with the opposite sign.

    Parameters
    ==========

    curves : mapping of str to numpy.ndarray
        The curves by name, in the usual clinical directions.
    times : numpy.ndarray or None
        The instants, if they are known.

    See Also
    ========

    plot_gait_report : Draws curves.

    Examples
    ========

    >>> import numpy as np
    >>> import jointwrench as jw
    >>> jw.gait.ClinicalCurves({"knee_flexion": np.ones(2)}, np.arange(2.0))["knee_extension"]
    array([-1., -1.])
    """

    def __init__(self, curves: Mapping[str, np.ndarray], times: np.ndarray | None) -> None:
        self._curves, self.times = dict(curves), times

    def __getitem__(self, name: str) -> np.ndarray:
        key = str(name).replace(" ", "_")
        if key in self._curves:
            return self._curves[key]
        if (opposite := _opposite(key)) in self._curves:
            return -self._curves[opposite]
        raise KeyError(f"{name!r} is not one of the curves {', '.join(self._curves)}.")

    def __iter__(self) -> Iterator[str]:
        return iter(self._curves)

    def __len__(self) -> int:
        return len(self._curves)

    def __repr__(self) -> str:
        return f"ClinicalCurves({', '.join(self)})"

    @property
    def joints(self) -> tuple[str, ...]:
        """The names of the joints."""
        return tuple(name.removesuffix("_power") for name in self if name.endswith("_power"))

    def of_joint(self, joint: str, plane: str = "sagittal") -> dict[str, str]:
        """Return the names of a ``joint``'s curves by kind: "angle", "moment", "power".

        The ``plane`` of angle and moment is "sagittal", "frontal" or "transverse".

        See Also
        ========

        clinical_curves : Makes the curves.

        Examples
        ========

        >>> import numpy as np
        >>> import jointwrench as jw
        >>> curves = jw.gait.ClinicalCurves({"knee_flexion": np.zeros(3)}, np.arange(3.0))
        >>> curves.of_joint("knee")
        {'angle': 'knee_flexion'}
        """
        check_choice("plane", plane, PLANES)
        check_name("joint", joint)
        number = PLANES.index(plane)
        words: tuple[str, ...] = _direction_names(_stem(joint), number)[:2]
        if f"{joint}_{ELEVATION_NAMES[0][0]}" in self._curves and number < 2:
            words += ELEVATION_NAMES[number][:2]
        own = [f"{joint}_{word}{end}" for word in words for end in ("", "_moment")]
        found = {"moment" if n.endswith("moment") else "angle": n for n in own if n in self._curves}
        power = f"{joint}_power"
        return found | ({"power": power} if power in self._curves else {})

    def to_table(self) -> Table:
        """Return a Table of the curves over time, or of each curve and cycle over per cent.

        Raises
        ======

        ValueError
            If the times are not known.

        See Also
        ========

        write_csv : Writes the table.

        Examples
        ========

        >>> import numpy as np
        >>> import jointwrench as jw
        >>> curves = jw.gait.ClinicalCurves({"knee_flexion": np.zeros(3)}, np.arange(3.0))
        >>> curves.to_table().names
        ('knee_flexion',)
        """
        if self.times is None or self.times.ndim not in (1, 2):
            raise ValueError(
                "`times` must be known for this, one per sample. Use evaluate(..., times=times)."
            )
        if self.times.ndim == 2:
            return table_over_cycles(self)
        return Table(self.times, tuple(self), np.stack(list(self.values()), axis=-1))


def clinical_curves(
    result: Any, neutral: Mapping[str, float] | None = None, frame: str = "segment"
) -> ClinicalCurves:
    """Return the `ClinicalCurves` of a result: angles, moments and powers of joints.

    Angles are in degrees, positive in flexion and dorsiflexion: ``knee_flexion``.  Moments are
    internal (of the muscles), on the distal segment, positive in extension and plantarflexion:
    ``knee_extension_moment``.  Powers are positive if they are generated: ``knee_power``.  All have
    the shape of the batch.  In space there are also adduction (inversion of the ankle) and internal
    rotation, and moments about axes about which the joint does not rotate:
    ``knee_abduction_moment``.  Powers exclude the power of forces along translations with speeds of
    their own, such as the force that moves the hip of a leg without a trunk.

    Parameters
    ==========

    result : Result
        The result of a `planar_leg`, a `planar_body`, of `segment_wrenches`, of a model of
        `read_osim`, or of any model whose joints are named hip, knee, ankle, shoulder or elbow,
        optionally with a side ("knee_left", "knee_l", OpenSim's "walker_knee_l"), and whose
        coordinates are ``knee_angle``, ``hip_flexion_l``, ``hip_adduction_l`` and so on.  The axes
        of its bodies are x forward, y up and z to the right in a standing posture; the signs of
        coordinates are read from the model.
    neutral : mapping of str to float, optional
        Angles in radians that count as zero, by joint, for instance for a foot whose line is not
        along the sole.
    frame : {"segment", "parent", "joint"}
        In space, the axes of moments: the axes of the distal or the proximal segment, or of the
        joint (Grood and Suntay).

    Raises
    ======

    TypeError, ValueError
        If ``result`` is not a Result, or has no joint with one of these names, or ``neutral`` names
        another joint.

    See Also
    ========

    plot_gait_report : Draws the curves.

    Examples
    ========

    >>> import numpy as np
    >>> import jointwrench as jw
    >>> leg = jw.gait.planar_leg(1.75, 70.0)
    >>> idyn = jw.InverseDynamics(leg.system)
    >>> bent = np.array([0, 0, 0, -np.pi / 2, 0])  # the shank points backward
    >>> still = np.zeros(5)
    >>> result = idyn.compile(backend="numpy")(bent, still, still, constants=leg.constants_of(idyn))
    >>> curves = jw.gait.clinical_curves(result)
    >>> round(float(curves["knee_flexion"])), round(float(curves["knee_extension"]))
    (90, -90)
    >>> bool(curves["knee_flexion_moment"] > 0)
    True
    """
    check_instance("result", result, SampledResult, "a Result", "Use what an evaluation returns.")
    zeros = {n: check_finite("neutral", x) for n, x in check_mapping("neutral", neutral).items()}
    check_choice("frame", frame, FRAMES)
    joints = {_usual_name(joint.name): k for k, joint in enumerate(result.joints)}
    joints = {name: k for name, k in joints.items() if _has_clinical_names(result, name)}
    if not joints:
        got = ", ".join(str(joint.name) for joint in result.joints)
        raise ValueError(f"`result` must have joints among {', '.join(DIRECTIONS)}, got {got}.")
    check_known("neutral", zeros, joints, "have joints among")
    angles = _find_angles(result)
    planes = 3 if any(plane and name in joints for name, plane in angles) else 1
    curves: dict[str, np.ndarray] = {}
    for name, index in joints.items():
        is_elevation = (name, ELEVATION) in angles
        moments = [] if _stem(name) in FREE else _moments(result, index, frame, planes)
        is_elevated = is_elevation and frame == "joint"
        about = (ELEVATION, ELEVATION + 1, 2) if is_elevated else (0, 1, 2)
        for plane in range(len(WORDS)):
            if (name, plane) in angles:
                up, _, sign = _clinical_direction(name, plane)
                angle = _direction(result, index, plane) * angles[name, plane]
                zero = zeros.get(name, 0.0) if plane == 0 else 0.0
                if is_elevation and plane in (2, ELEVATION):
                    angle = _elevation_branch(angle, name)
                shown = np.degrees(sign * (angle - zero))
                shape = moments[0].shape if moments else shown.shape
                curves[f"{name}_{up}"] = np.broadcast_to(shown, shape)
            if plane < len(moments):
                _, down, sign = _clinical_direction(name, about[plane])
                curves[f"{name}_{down}_moment"] = -sign * moments[plane]
        if moments:
            curves[f"{name}_power"] = _power(result, index)
    return ClinicalCurves(curves, result.times)


def _power(result: Any, index: int) -> np.ndarray:
    """Return a joint's power without the power of forces along translations with own speeds."""
    power: np.ndarray = result.joint_power(result.joints[index])
    if isinstance(result, SegmentResult) or None in (result.model_joints, result.inputs):
        return power
    velocity, spin = np.split(np.array(result.model_joints.motions[index].twist, dtype=object), 2)
    for speed in result.inputs.speeds:
        partials = [x.diff(speed) for x in velocity]
        if any(partials) and not any(x.has(speed) for x in spin):
            moving = result.inputs.evaluate([partial * speed for partial in partials])
            power = power - (result.joint_wrenches[..., index, :3] * moving).sum(axis=-1)
    return power


def _moments(result: Any, index: int, frame: str, planes: int) -> list[np.ndarray]:
    """Return a joint's moments on its child about z, and in space x and y, in a named frame.

    The frame "joint" has the axes of Grood and Suntay: z of the parent, the floating axis, and y of
    the child.
    """
    joint = result.joints[index]
    components = ("mz", "mx", "my")[:planes]
    if isinstance(result, SegmentResult):
        return [result.joint_wrench(joint, frame=frame, components=c) for c in components]
    own = [result.joint_wrench(joint, components=c) for c in components]
    if planes == 1 or frame == "segment":
        return own
    about_z, about_x, about_y = (
        result.joint_wrench(joint, frame=joint.parent.frame, components=c) for c in components
    )
    if frame == "parent":
        return [about_z, about_x, about_y]
    turn = result.orientation(joint.child.frame, relative_to=joint.parent)
    flexion = euler_angles(turn)[..., 0]
    floating = np.cos(flexion) * about_x + np.sin(flexion) * about_y
    return [about_z, floating, own[2]]


def _has_clinical_names(result: Any, name: str) -> bool:
    """Return whether the motions of a joint with a name have clinical names."""
    stem = _stem(name)
    if stem in FREE and (name == stem or not isinstance(result, SegmentResult)):
        return False
    return stem in DIRECTIONS


def _clinical_direction(name: str, plane: int) -> tuple[str, str, int]:
    """Return the clinical direction of a joint's angle, the opposite one, and the angle's sign."""
    up, down, sign = _direction_names(_stem(name), plane)
    is_mirrored = name.endswith(LEFT) and plane not in (0, ELEVATION + 1)
    return up, down, -sign if is_mirrored else sign


def _elevation_branch(angle: np.ndarray, name: str) -> np.ndarray:
    """Return a shoulder's first or third angle, shifted to clinical zero and to the nearest turn.

    The sequence y, x, y has two solutions; a right arm has negative elevation in the first one, so
    that its other angles differ by half a turn.
    """
    turned = angle if name.endswith(LEFT) else angle + np.pi
    known = turned[np.isfinite(turned)]
    return turned - 2 * np.pi * np.round(np.median(known) / (2 * np.pi)) if known.size else turned


def _direction(result: Any, index: int, plane: int) -> float:
    """Return 1 or -1: the sense in which a joint's coordinate rotates the segment about an axis."""
    # the sign of the partial angular velocity of the speed that rotates the segment most
    if isinstance(result, SegmentResult) or None in (result.model_joints, result.inputs):
        return 1.0
    spin = result.model_joints.motions[index].twist[(5, 3, 4)[plane]]
    partials = [spin.diff(speed) for speed in result.inputs.speeds if spin.has(speed)]
    parts = np.median(result.inputs.evaluate(partials).reshape(-1, len(partials)), axis=0)
    return float(np.sign(parts[np.abs(parts).argmax()])) if partials else 1.0


def _direction_names(stem: str, plane: int) -> Words:
    """Return the directions of a right joint's angle in a plane, and its sign."""
    return DIRECTIONS.get(stem, DIRECTIONS["hip"])[plane]


def _find_angles(result: Any) -> dict[tuple[str, int], np.ndarray]:
    """Return the samples of angles by (joint with side, plane), found by names of coordinates."""
    found: dict[tuple[str, int], np.ndarray] = {}
    is_measured = isinstance(result, SegmentResult)
    samples = result.angles if is_measured else getattr(result.inputs, "samples", {})
    for symbol, values in samples.items():
        name = symbol if is_measured else getattr(symbol, "name", "")
        side = name[-2:] if name.endswith(("_l", "_r")) else ""
        joint, _, word = name.removesuffix(side).rpartition("_")
        known = WORDS if is_measured else WORDS[:ELEVATION]
        for plane in (k for k, words in enumerate(known) if word in words):
            found[_usual_name(joint + side), plane] = values
    return found


def _stem(name: str) -> str:
    """Return the name of a joint without its side."""
    end = next((end for end in (*LEFT, *RIGHT) if name.endswith(end)), "")
    return name.removesuffix(end)


def _usual_name(name: str) -> str:
    """Return the usual name of a joint, with its side."""
    stem = _stem(name)
    return ALIASES.get(stem, stem) + name.removeprefix(stem)


def _opposite(name: str) -> str:
    """Return the name of a curve in the opposite direction."""
    pairs = [pair[:2] for own in DIRECTIONS.values() for pair in own]
    opposites = {word: other for own in pairs for word, other in (own, own[::-1])}
    for word in sorted(opposites, key=len, reverse=True):  # "lateral_flexion" has "flexion"
        if f"_{word}" in name:
            return name.replace(f"_{word}", f"_{opposites[word]}")
    return name
