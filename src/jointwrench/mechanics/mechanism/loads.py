"""Known loads on the links of a tree, with their data from sympy."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple, TypeAlias

from sympy import Expr, ImmutableDenseMatrix, Symbol
from sympy.core.function import AppliedUndef
from sympy.matrices import MatrixBase
from sympy.physics.mechanics.loads import LoadBase
from sympy.physics.vector import Point, ReferenceFrame, Vector

from ..arithmetic.expression_derivatives import ExpressionDerivatives
from ..spatial.components import leaves

#: Index of a link, or None for ground.
LinkIndex: TypeAlias = int | None


class VectorPart(NamedTuple):
    """The part of a vector with components in one frame.

    Attributes
    ==========

    link : int or None
        The link in which the frame is fixed; None for ground, and for frames of no body.
    rotation : matrix
        The matrix that converts the components to the link's frame.
    components : matrix
        The components in the frame.
    """

    link: LinkIndex
    rotation: MatrixBase
    components: MatrixBase


def unit_vectors(link: LinkIndex) -> tuple[tuple[VectorPart], ...]:
    """Return the three unit vectors of a link's frame; for None, of the ground frame."""
    axes = ImmutableDenseMatrix.eye(3)
    return tuple((VectorPart(link, axes, axes[:, k]),) for k in range(3))


@dataclass(frozen=True, eq=False)
class AppliedLoad:
    """A force or torque on a link.

    Attributes
    ==========

    source : Force or Torque
        The load in sympy.
    link : int
        The index of the link.
    parts : tuple of VectorPart
        The vector.
    position : matrix or None
        The point of action of a force from the link's origin, in its frame; None for a torque.
    """

    source: LoadBase
    link: int
    parts: tuple[VectorPart, ...]
    position: ImmutableDenseMatrix | None

    @cached_property
    def symbols(self) -> frozenset[Expr]:
        return symbols_in(component for part in self.parts for component in part.components)

    @property
    def expressions(self) -> Iterator[Expr | MatrixBase]:
        yield from (x for part in self.parts for x in (part.rotation, part.components))
        if self.position is not None:
            yield self.position

    def mapped(self, function: Callable[[MatrixBase], MatrixBase]) -> "AppliedLoad":
        """Return the load with components to which a function was applied."""
        parts = (part._replace(components=function(part.components)) for part in self.parts)
        return replace(self, parts=tuple(parts))


def symbols_in(expressions: Iterable[Expr]) -> frozenset[Expr]:
    return frozenset().union(*(x.atoms(Symbol, AppliedUndef) for x in leaves(expressions)))


@dataclass(frozen=True)
class Loads:
    """All known loads on the links of a tree.

    Attributes
    ==========

    applied : tuple of AppliedLoad
        The loads except uniform gravity.
    gravity : Vector or None
        The acceleration of gravity, if all bodies with mass have the same.
    doubtful : mapping of point or frame to names
        Points and frames whose load could act on any of several bodies.  These move alike there, so
        that the choice matters only for joint wrenches.
    """

    applied: tuple[AppliedLoad, ...] = ()
    gravity: Vector | None = None
    doubtful: Mapping[Point | ReferenceFrame, tuple[str, ...]] = field(default_factory=dict)

    @property
    def gravity_parts(self) -> tuple[VectorPart, ...]:
        """The acceleration of gravity in parts; none without gravity."""
        vectors = () if self.gravity is None else self.gravity.args
        return tuple(VectorPart(None, ImmutableDenseMatrix.eye(3), x) for x, _ in vectors)

    def at_zero(self, unknowns: Sequence[Expr]) -> "Loads":
        """Return the loads with zeros for symbols or their time derivatives."""
        zeros = dict.fromkeys(unknowns, 0)
        applied = (load.mapped(lambda x: x.xreplace(zeros)) for load in self.applied)
        return replace(self, applied=tuple(applied)) if unknowns else self

    def per_unit(self, unknown: Expr) -> "Loads":
        """Return the loads' derivatives with respect to a symbol, without gravity."""
        applied = (x for x in self.applied if _has(x, [unknown]))
        slope = ExpressionDerivatives(unknown).of
        return Loads(tuple(load.mapped(lambda x: x.applyfunc(slope)) for load in applied))

    def depend_on(self, symbols: Sequence[Expr]) -> bool:
        """Whether any load except gravity depends on any of some symbols."""
        return any(_has(load, symbols) for load in self.applied)


def _has(load: AppliedLoad, symbols: Sequence[Expr]) -> bool:
    return not load.symbols.isdisjoint(symbols)
