"""The lines of a stick figure, and the wrenches at their ends."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from .. import ModelFromFile
from ..checks.arguments import check_instance, check_mapping, check_sequence, find_named
from ..checks.numbers import real_array
from ..extend import LoopConnection
from ..recordings.force_plate import ForcePlate
from ..records.instants import check_instants
from ..records.laboratory import LEFT, RIGHT
from ..records.sampled_result import JointName
from ..records.samples import pad_to_space
from .picture_inputs import inverse_dynamics_of, motion_of
from .placement import Placement


@runtime_checkable
class DrawnSegment(Protocol):
    """A segment drawn as a line between its ends: a `MarkerSegment`."""

    joint: Any
    joint_center: np.ndarray
    proximal: np.ndarray
    distal: np.ndarray


class Skeleton(NamedTuple):
    """The drawn parts of a model at N instants, in ground's axes."""

    # ``places`` (N, joints, 3); ``turns`` (N, joints, 3, 3) from the frames of wrenches; ``lines``
    # (N, lines, 2, 3) and ``centers`` (N, bodies, 3) are of bodies; ``axes``: ("turning" or
    # "sliding", (N, 3)) by position of the joint; ``kinds`` of lines: "body", "left", "right".

    times: np.ndarray
    has_times: bool
    joints: Sequence[Any]
    places: np.ndarray
    turns: np.ndarray
    lines: np.ndarray
    centers: np.ndarray
    axes: Mapping[int, tuple[str, np.ndarray]]
    kinds: Sequence[str]


def skeleton_of(
    model: Any, motion: Any, constants: Mapping[Any, float] | None, result: Any
) -> Skeleton:
    """Return the skeleton of a model that moves, or of segments that follow their markers."""
    if isinstance(model, list | tuple) and any(isinstance(x, DrawnSegment) for x in model):
        for segment in model:
            check_instance("model", segment, DrawnSegment, "a System, or MarkerSegments alone")
        return _of_segments(model, motion)
    inputs = getattr(result, "inputs", None)
    known = dict(getattr(inputs, "constants", {}))
    closures = [x for x in getattr(result, "joints", ()) if isinstance(x, LoopConnection)]
    if isinstance(model, ModelFromFile):
        known = {**model.constants, **known}
    known |= check_mapping("constants", constants)
    idyn = inverse_dynamics_of("model", model, [] if getattr(model, "loops", ()) else closures)
    moved = motion_of(motion, idyn.q, getattr(result, "times", None))
    tip = getattr(model, "tip", None)
    placement = Placement.of(idyn, moved, known, inputs.samples if inputs else {}, tip)
    joints, places, turns = placement.joints, placement.places, placement.rotations
    lines, kinds = _lines(placement)
    return Skeleton(
        moved.times,
        moved.has_times,
        joints,
        np.stack([places[joint.child_point] for joint in joints], axis=1),
        np.stack([turns[joint.child] for joint in joints], axis=1),
        lines,
        np.stack([places[body.masscenter] for body, _ in placement.moved.values()], axis=1),
        {k: placement.axes[joint] for k, joint in enumerate(joints) if joint in placement.axes},
        kinds,
    )


def _of_segments(segments: Sequence[DrawnSegment], motion: Any) -> Skeleton:
    """Return lines from marker to marker; of joints with one name the last segment counts."""
    times = real_array("motion", motion)
    own = {str(segment.joint): segment for segment in segments}
    rows = [len(segment.proximal) for segment in segments]
    if times.ndim != 1 or set(rows) != {len(times)}:
        raise ValueError(
            f"`motion` must be the instants of the segments, {rows[0]} of them, got shape "
            f"{times.shape}. Use limbs.times."
        )

    places = np.stack([pad_to_space(x.joint_center) for x in own.values()], axis=1)
    lines = [np.stack([pad_to_space(x.proximal), pad_to_space(x.distal)], axis=1) for x in segments]
    kinds = [_side(x.joint) for x in segments]
    for before, segment in pairwise(segments):  # a pelvis is a point, from which legs begin
        if np.array_equal(before.proximal, before.distal):
            ends = (before.proximal, segment.joint_center)
            lines.append(np.stack([pad_to_space(x) for x in ends], axis=1))
            kinds.append(_side(segment.joint))
    turns = np.broadcast_to(np.eye(3), (*places.shape, 3))
    joints = tuple(JointName(name, None, None) for name in own)
    drawn = np.stack(lines, axis=1)
    return Skeleton(times, True, joints, places, turns, drawn, places[:, :0], {}, kinds)


def _side(name: Any) -> str:
    """Return the side on which a person's segment is by its name, "body" if on none."""
    text = str(name)
    return "left" if text.endswith(LEFT) else "right" if text.endswith(RIGHT) else "body"


def chosen(known: Sequence[Any], joints: Iterable[Any] | None) -> list[int]:
    """Return the positions of some joints, given by themselves or by name."""
    expected = "a sequence of joints or names, as ['knee'] for one"
    wanted = known if joints is None else check_sequence("joints", joints, expected)
    return [find_named("joints", getattr(joint, "name", joint), known) for joint in wanted]


def _lines(placement: Placement) -> tuple[np.ndarray, list[str]]:
    """Return lines (N, lines, 2, 3) from joints to the points of their bodies, and kinds."""
    lines, places, kinds = [], placement.places, list[str]()
    for joint, (body, point) in placement.moved.items():
        start, attached = places[point], placement.attached[body]
        own = [places[end] for end in dict.fromkeys(attached)]
        far = placement.ends.get(body)
        own += [] if far is None else [far]
        own = own or [places[body.masscenter]]
        lines += [np.stack([start, end], 1) for end in own]
        if placement.axes.get(joint, ("",))[0] == "sliding":  # the line along which it slid
            lines.append(np.stack([places[joint.parent_point], start], 1))
        kinds += [_side(body.name)] * (len(lines) - len(kinds))
    for joint in placement.joints:
        if isinstance(joint, LoopConnection) and joint.kind == "rod":
            lines.append(np.stack([places[joint.parent_point], places[joint.child_point]], 1))
    kinds += ["body"] * (len(lines) - len(kinds))
    return np.stack(lines, axis=1), kinds


def wrenches(skeleton: Skeleton, results: Sequence[Any]) -> tuple[np.ndarray, np.ndarray]:
    """Return forces and moments on the child bodies in ground's axes, (N, joints, 3) each."""
    # Several results are those of the segments of each leg: on their common first segment they add.
    names = [joint.name for result in results for joint in result.joints[len(results) > 1 :]]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ValueError(
            f"`result` must have each joint once but for the first of each leg, got twice "
            f"{', '.join(twice)}."
        )
    shape = skeleton.places.shape[:2]
    found = np.full((*shape, 6), np.nan)
    for result in results:
        own = getattr(result, "joint_wrenches_in_laboratory", None)
        wrench = result.joint_wrenches if own is None else own
        rows = chosen(skeleton.joints, result.joints) if own is not None else range(shape[1])
        if wrench.shape[:-1] != (shape[0], len(rows)):
            raise ValueError(
                f"`result` must have the instants of the motion and the joints of the model, "
                f"wrenches of shape ({shape[0]}, {len(rows)}, 6), got {wrench.shape}."
            )
        before = found[:, rows]
        found[:, rows] = np.where(np.isnan(before), wrench, before + wrench)
    force, moment = (_determined(skeleton.turns, x) for x in np.split(found, 2, axis=-1))
    return force, moment


def _determined(turns: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """Return vectors by their known components in the frames of wrenches; NaN without any."""
    turned = (turns @ np.nan_to_num(vectors)[..., None])[..., 0]
    return np.where(np.isnan(vectors).all(axis=-1, keepdims=True), np.nan, turned)


def visible(vectors: np.ndarray, axes: Sequence[int]) -> np.ndarray:
    """Return the known components along visible axes; NaN where none of them is known."""
    is_seen = np.isin(range(3), axes)
    is_known = (is_seen & ~np.isnan(vectors)).any(axis=-1, keepdims=True)
    return np.where(is_known, np.where(is_seen, np.nan_to_num(vectors), 0.0), np.nan)


def reactions(ground: Any, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return points and forces of the ground reactions, (N, plates, 3); NaN without load."""
    plates = ground if isinstance(ground, list | tuple) else [ground]
    found = []
    for plate in plates:
        check_instance("ground", plate, ForcePlate, "a ForcePlate or several")
        check_instants("ground", plate.times, times)
        load = np.abs(plate.force).max()
        center = plate.center_of_pressure(threshold=0.05 * load)
        found.append((center, np.where(np.isnan(center), np.nan, plate.force)))
    centers, forces = (np.stack(parts, axis=1) for parts in zip(*found, strict=True))
    return centers, forces
