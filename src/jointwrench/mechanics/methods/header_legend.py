"""Names and units of a model's entries, for headers of C code."""

from collections.abc import Iterable, Iterator
from typing import Any

from ...checks.on_demand import OnDemand
from ..models.tree_builder import FREEDOMS, JOINTS

#: The units of a coordinate, by what it does.
UNITS = {"rotation": "rad", "translation": "m"}


def joint_units(joints: Iterable[Any]) -> dict[object, str]:
    """Return the units of coordinates and speeds of joints of known kinds."""
    return dict(pair for joint in joints for pair in _units(joint))


def _units(joint: Any) -> Iterator[tuple[object, str]]:
    known = OnDemand(type(joint).__module__.partition(".")[2], type(joint).__name__)
    kind = next((kind for kind, own in JOINTS.items() if own in (type(joint), known)), "weld")
    coordinates, speeds = (
        list(getattr(joint, "coordinates", ())),
        list(getattr(joint, "speeds", ())),
    )
    if len(speeds) != len(FREEDOMS[kind]):
        return
    units = [UNITS[freedom] for freedom in FREEDOMS[kind]]
    yield from ((speed, f"{unit}/s") for speed, unit in zip(speeds, units, strict=True))
    is_quaternion = len(coordinates) > len(speeds)
    yield from zip(coordinates, units[:-3] if is_quaternion else units, strict=False)
