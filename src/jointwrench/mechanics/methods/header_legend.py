"""SI units of coordinates and speeds, for the headers of C code."""

from collections.abc import Iterable, Iterator
from typing import Any

from ..mechanism.reading.kinematics_check import freedoms_of


def joint_units(joints: Iterable[Any]) -> dict[object, str]:
    """Return the units of coordinates and speeds, by symbol, of joints of known kinds."""
    return dict(pair for joint in joints for pair in _units(joint))


def _units(joint: Any) -> Iterator[tuple[object, str]]:
    """Yield (symbol, unit) of a joint; components of a quaternion have no unit."""
    if (freedoms := freedoms_of(joint)) is None:
        return
    shifting = [coordinate for coordinate, _ in freedoms[1]]
    units = {q: "m" if q in shifting else "rad" for q in joint.coordinates}
    yield from ((u, f"{unit}/s") for u, unit in zip(joint.speeds, units.values(), strict=False))
    is_quaternion = len(units) > len(joint.speeds)
    yield from ((q, unit) for q, unit in units.items() if unit == "m" or not is_quaternion)
