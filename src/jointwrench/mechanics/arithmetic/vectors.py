"""Vectors and matrices of a graph's scalars, by their components in one frame."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from sympy import Float, Number, S, cos, sin

from ...checks.tolerances import ZERO_COS
from .graph import Graph, Scalar, apply_function, total
from .operations import Call


class Vec:
    """The three components of a vector in some frame, which only the caller knows."""

    __slots__ = ("x", "y", "z")

    def __init__(self, x: Scalar, y: Scalar, z: Scalar) -> None:
        self.x, self.y, self.z = x, y, z

    @classmethod
    def enter(cls, graph: Graph, components: Iterable[Any], size: float = 0.0) -> "Vec":
        """Return three expressions as a vector of scalars of ``graph``.

        Decimal components count as rounded like the largest of the three, or like ``size``, the
        length of the vector: the 6e-17 that a right angle leaves in doubles beside 1 is zero.
        """
        entries = [S(component) for component in components]
        rounded = [entry.has(Float) for entry in entries]
        if not any(rounded):
            return cls(*map(graph.scalar, entries))
        if not size and all(isinstance(entry, Number) for entry in entries):
            size = max(abs(float(entry)) for entry in entries)
        least = ZERO_COS * size
        entries = [S.Zero if x.is_Float and abs(x) <= least else x for x in entries]
        scalars = [graph.scalar(entry) for entry in entries]
        for scalar, is_rounded in zip(scalars, rounded, strict=True):
            if is_rounded and scalar.ref and size:
                graph.rounded_like[abs(scalar.ref)] = size
        return cls(*scalars)

    @property
    def components(self) -> tuple[Scalar, Scalar, Scalar]:
        """The components x, y, z."""
        return self.x, self.y, self.z

    @property
    def is_zero(self) -> bool:
        """Whether all components are the number zero."""
        return all(component.is_zero for component in self.components)

    def __add__(self, other: "Vec") -> "Vec":
        return self._combine(other, Scalar.__add__)

    def __sub__(self, other: "Vec") -> "Vec":
        return self._combine(other, Scalar.__sub__)

    def _combine(self, other: "Vec", operator: Callable[[Scalar, Scalar], Scalar]) -> "Vec":
        pairs = zip(self.components, other.components, strict=True)
        return Vec(*(operator(a, b) for a, b in pairs))

    def __neg__(self) -> "Vec":
        return Vec(-self.x, -self.y, -self.z)

    def __mul__(self, factor: Scalar) -> "Vec":
        return Vec(self.x * factor, self.y * factor, self.z * factor)

    def dot(self, other: "Vec") -> Scalar:
        """Return the scalar product with another vector in the same frame."""
        return self.x * other.x + self.y * other.y + self.z * other.z

    def cross(self, other: "Vec") -> "Vec":
        """Return the vector product ``self x other``, with ``other`` in the same frame."""
        return Vec(
            self.y * other.z - self.z * other.y,
            self.z * other.x - self.x * other.z,
            self.x * other.y - self.y * other.x,
        )


class Mat:
    """A 3 x 3 matrix of scalars, by rows."""

    __slots__ = ("rows",)

    def __init__(self, rows: Sequence[Vec]) -> None:
        self.rows = tuple(rows)

    @classmethod
    def enter(cls, graph: Graph, matrix: Any) -> "Mat":
        """Return a sympy rotation matrix as a matrix of scalars of ``graph``."""
        entries = matrix.flat()
        return cls([Vec.enter(graph, entries[k : k + 3], size=1.0) for k in (0, 3, 6)])

    @classmethod
    def symmetric(cls, entry: Callable[[int, int], Scalar]) -> "Mat":
        """Return the symmetric matrix with the entries ``entry(i, k)``, called for i >= k only."""
        return cls([Vec(*(entry(max(i, k), min(i, k)) for k in range(3))) for i in range(3)])

    @property
    def transpose(self) -> "Mat":
        """The matrix with rows and columns exchanged."""
        columns = zip(*(row.components for row in self.rows), strict=True)
        return Mat([Vec(*column) for column in columns])

    def __add__(self, other: "Mat") -> "Mat":
        return Mat([one + two for one, two in zip(self.rows, other.rows, strict=True)])

    def __sub__(self, other: "Mat") -> "Mat":
        return Mat([one - two for one, two in zip(self.rows, other.rows, strict=True)])

    def __matmul__(self, vector: Vec) -> Vec:
        return Vec(*(row.dot(vector) for row in self.rows))

    def rotated(self, rotation: "Mat") -> "Mat":
        """Return a symmetric matrix in another frame: ``R J R^T``.

        ``rotation`` R converts components from this frame to the other one.
        """
        for axis in range(3):
            if rotation._is_rotation_about(axis):
                return self._rotated_about(axis, rotation)
        half = Mat([rotation @ row for row in self.rows]).transpose  # R J
        return Mat.symmetric(lambda i, k: rotation.rows[i].dot(half.rows[k]))

    def _is_rotation_about(self, z: int) -> bool:
        """Return whether this matrix is known to be a rotation about coordinate axis z."""
        column = [row.components[z] for row in self.rows]
        column[z] = column[z] - column[z].graph.scalar(1)
        return all(entry.is_zero for entry in column)

    def merged_after(self, other: "Mat") -> "Mat | None":
        """Return one rotation that does ``other`` and then this one, by the sum of the angles.

        None unless both are rotations about the same coordinate axis.
        """
        for z in range(3):
            own, before = self._angle_about(z), other._angle_about(z)
            if own and before:
                return _rotation_about(z, own[0] + before[0], own[1] + before[1])
        return None

    def _angle_about(self, z: int) -> tuple[Scalar, int] | None:
        """Return a rotation about axis z as (angle, number of quarter turns); None for other
        matrices.
        """
        c, s = self.rows[z - 2].components[z - 2], self.rows[z - 2].components[z - 1]
        for quarter in range(4 if self._is_rotation_about(z) else 0):
            call = c.graph.operations[max(c.ref, 0)]
            if isinstance(call, Call) and call.function is cos:
                angle = Scalar(c.graph, call.arguments[0])
                for own in (angle, -angle):
                    if apply_function(sin, own).ref == s.ref:
                        return own, quarter
            c, s = s, -c
        return None

    def _rotated_about(self, z: int, rotation: "Mat") -> "Mat":
        """Return `rotated` for a rotation about axis z: 8 products, with s^2 = 1 - c^2."""
        j, x, y = [list(row.components) for row in self.rows], z - 2, z - 1
        c, s = rotation.rows[x].components[x], rotation.rows[y].components[x]
        slope = s * (j[x][x] - j[y][y]) + c * (j[x][y] + j[x][y])
        shift = s * slope
        j[x][x], j[y][y] = j[x][x] - shift, j[y][y] + shift
        j[x][y] = j[y][x] = c * slope - j[x][y]
        j[z] = list((rotation @ Vec(*j[z])).components)
        j[x][z], j[y][z] = j[z][x], j[z][y]
        return Mat([Vec(*row) for row in j])


def _rotation_about(z: int, angle: Scalar, quarters: int) -> Mat:
    """Return the rotation about axis z by an angle and a number of quarter turns."""
    c, s = apply_function(cos, angle), apply_function(sin, angle)
    for _ in range(quarters % 4):
        c, s = -s, c
    entries = [[c.graph.scalar(int(i == j)) for j in range(3)] for i in range(3)]
    entries[z - 2][z - 2] = entries[z - 1][z - 1] = c
    entries[z - 2][z - 1], entries[z - 1][z - 2] = s, -s
    return Mat([Vec(*row) for row in entries])


def merge_rotations(rotations: Iterable[Mat]) -> list[Mat]:
    """Return successive rotations, with neighbours about the same coordinate axis merged."""
    stages: list[Mat] = []
    for rotation in rotations:
        both = rotation.merged_after(stages[-1]) if stages else None
        stages[-1:] = [both] if both else [*stages[-1:], rotation]
    return stages


def zero(graph: Graph) -> Vec:
    """Return the zero vector."""
    return Vec.enter(graph, (0, 0, 0))


def vector_sum(vectors: Iterable[Vec]) -> Vec:
    """Return the sum of at least one vector."""
    components = zip(*(vector.components for vector in vectors), strict=True)
    return Vec(*(total(column) for column in components))
