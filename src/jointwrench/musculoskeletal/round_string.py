"""A taut string between two points and over a cylinder or a sphere, as formulas of the points."""

from typing import NamedTuple

from sympy import Expr, Float, Matrix, Rational, S, atan2, sqrt

from ..extend import Gate
from .surfaces import Cylinder, Sphere, Surface


class RoundString(NamedTuple):
    """Whether a string touches a surface (1 or 0), its length, and its directions at the ends."""

    # ``first``, ``last``: unit vectors at its ends, from the surface, in its frame.

    touches: Expr
    length: Expr
    first: Matrix
    last: Matrix


def can_be_formula(surface: Surface, pieces: int) -> bool:
    """Return whether the path has a formula: on round surfaces with all sides active."""
    if not isinstance(surface, (Cylinder, Sphere)) or surface.side.sign:
        return False
    return isinstance(surface, Cylinder) or pieces == 1  # else spheres compare lengths


def round_string(surface: Cylinder | Sphere, start: Matrix, end: Matrix) -> RoundString:
    """Return the string between two points in a surface's frame."""
    if isinstance(surface, Cylinder):
        return _on_cylinder(surface, start, end)
    return _on_sphere(surface.radius, start, end)


def choose(chosen: Expr, one: Expr, other: Expr) -> Expr:
    """Return the first value where ``chosen`` is 1, else the second one."""
    return Gate(chosen, Rational(1, 2), one, other)


def _on_cylinder(surface: Cylinder, start: Matrix, end: Matrix) -> RoundString:
    """Return a helix between tangents of one slope."""
    r, half = Float(surface.radius), Float(surface.length / 2)
    p, q = Matrix(start[:2]), Matrix(end[:2])
    legs = sqrt(p.dot(p) - r**2), sqrt(q.dot(q) - r**2)
    turn = p[0] * q[1] - p[1] * q[0]
    sense = Gate(S.Zero, turn, S.NegativeOne, S.One)
    first, last = (
        _tangent(x, r, s * leg) for x, s, leg in zip((p, q), (sense, -sense), legs, strict=True)
    )
    cross = first[0] * last[1] - first[1] * last[0]
    flat = legs[0] + r * atan2(sense * cross, first.dot(last)) + legs[1]
    rise = (end[2] - start[2]) / flat
    heights = start[2] + rise * legs[0], end[2] - rise * legs[1]
    beyond = _greater(heights[0] ** 2, half**2) * _greater(heights[1] ** 2, half**2)
    stretch = sqrt(1 + rise**2)
    ends = (
        Matrix([*((x - y) / leg), slope]) / stretch
        for x, y, leg, slope in zip((p, q), (first, last), legs, (-rise, rise), strict=True)
    )
    return RoundString(_crosses(p, q, r) * (1 - beyond), flat * stretch, *ends)


def _tangent(x: Matrix, r: Expr, leg: Expr) -> Matrix:
    """Return where a tangent from a point touches a circle, on the side given by a sign."""
    return Matrix([r * x[0] - leg * x[1], r * x[1] + leg * x[0]]) * (r / x.dot(x))


def _on_sphere(radius: float, start: Matrix, end: Matrix) -> RoundString:
    """Return an arc of a great circle between tangents."""
    r = Float(radius)
    normal = start.cross(end)
    normal = normal / sqrt(normal.dot(normal))
    legs = sqrt(start.dot(start) - r**2), sqrt(end.dot(end) - r**2)
    first, last = (
        (r * x + leg * normal.cross(x)) * (r / x.dot(x))
        for x, leg in ((start, legs[0]), (end, -legs[1]))
    )
    arc = r * atan2(normal.dot(first.cross(last)), first.dot(last))
    ends = ((x - y) / leg for x, y, leg in zip((start, end), (first, last), legs, strict=True))
    return RoundString(_crosses(start, end, r), legs[0] + arc + legs[1], *ends)


def _crosses(start: Matrix, end: Matrix, r: Expr) -> Expr:
    """Return 1 where a line between outside points intersects a circle or sphere, else 0."""
    step = end - start
    part = -start.dot(step) / step.dot(step)
    nearest = start + part * step
    through = _greater(r**2, nearest.dot(nearest)) * _greater(part, S.Zero) * _greater(S.One, part)
    first, last = (1 - _greater(r**2, x.dot(x)) for x in (start, end))
    return through * first * last


def _greater(left: Expr, right: Expr) -> Expr:
    """Return 1 where one value is greater than another, else 0."""
    return Gate(left, right, S.One, S.Zero)
