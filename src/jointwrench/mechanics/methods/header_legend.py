"""SI units of coordinates and speeds, for the headers of C code."""

from collections.abc import Iterable, Iterator
from typing import Any

from ..mechanism.joint_kinds import FREEDOMS, KIND_OF

#: The unit of a coordinate by the freedom that it describes.
UNITS = {"rotation": "rad", "translation": "m"}


def joint_units(joints: Iterable[Any]) -> dict[object, str]:
    """Return the units of coordinates and speeds, by symbol, of joints of known kinds."""
    return dict(pair for joint in joints for pair in _units(joint))


def _units(joint: Any) -> Iterator[tuple[object, str]]:
    """Yield (symbol, unit) of a joint; components of a quaternion have no unit.

    Joints of this package state their kind; a class that is unknown counts as a weld.
    """
    coordinates, speeds = (list(getattr(joint, x, ())) for x in ("coordinates", "speeds"))
    kind = getattr(joint, "_kind", KIND_OF.get(type(joint), "weld"))
    units = [UNITS[freedom] for freedom in FREEDOMS[kind]]
    if len(speeds) != len(units):
        return
    yield from ((speed, f"{unit}/s") for speed, unit in zip(speeds, units, strict=True))
    is_quaternion = len(coordinates) > len(speeds)
    yield from zip(coordinates, units[:-3] if is_quaternion else units, strict=False)
