"""Checks that points and frames are connected, so that every refusal reads the same.

Like ``checks``; the errors name both points or both frames, and the fix.
"""

from typing import Any

from sympy.physics.vector import Point, ReferenceFrame, Vector

from ..checks.arguments import check_frame, check_point
from .paths import position_from


def check_path(argument: str, value: Any, other: Point) -> Vector:
    """Return the position of the point ``value`` from the point ``other``."""
    point = check_point(argument, value)
    try:
        return position_from(point, other)
    except ValueError:
        raise ValueError(
            f"`{argument}` must have a known position from {other}, got {point}, and no path of "
            f"positions connects {point} and {other}. Use {point}.set_pos({other}, ...)."
        ) from None


def check_oriented(argument: str, value: Any, other: ReferenceFrame) -> ReferenceFrame:
    """Return the frame ``value`` if its orientation in ``other`` is known."""
    frame = check_frame(argument, value)
    try:
        frame.dcm(other)
    except ValueError:
        raise ValueError(
            f"`{argument}` must have a known orientation in {other}, got {frame}, and no path of "
            f"orientations connects {frame} and {other}. Use {frame}.orient_axis({other}, ...)."
        ) from None
    return frame
