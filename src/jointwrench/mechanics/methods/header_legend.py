"""SI units of coordinates and speeds, for the headers of C code."""

from collections.abc import Iterable, Iterator
from typing import Any

from ..mechanism.joint_kinds import freedoms_of

#: The unit of a coordinate by the freedom that it describes.
UNITS = {"rotation": "rad", "translation": "m"}


def joint_units(joints: Iterable[Any]) -> dict[object, str]:
    """Return the units of coordinates and speeds, by symbol, of joints of known kinds."""
    return dict(pair for joint in joints for pair in _units(joint))


def _units(joint: Any) -> Iterator[tuple[object, str]]:
    """Yield (symbol, unit) of a joint; components of a quaternion have no unit."""
    coordinates, speeds = (
        list(getattr(joint, "coordinates", ())),
        list(getattr(joint, "speeds", ())),
    )
    units = [UNITS[freedom] for freedom in freedoms_of(joint)]
    if len(speeds) != len(units):
        return
    yield from ((speed, f"{unit}/s") for speed, unit in zip(speeds, units, strict=True))
    is_quaternion = len(coordinates) > len(speeds)
    yield from zip(coordinates, units[:-3] if is_quaternion else units, strict=False)
