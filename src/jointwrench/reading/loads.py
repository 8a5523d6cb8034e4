"""The known loads of a model: on which body each one acts, and where."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from sympy import Expr, ImmutableDenseMatrix, Symbol
from sympy.core.function import AppliedUndef
from sympy.physics.mechanics import Torque
from sympy.physics.mechanics.loads import LoadBase
from sympy.physics.vector import Vector

from ..tree import TopologyError, Tree
from .owners import LinkIndex, OwnerError, Owners

#: Relative difference up to which two floating-point accelerations are the same.
SAME_GRAVITY = 1e-14


@dataclass(frozen=True, eq=False)
class AppliedLoad:
    """A force or a torque on a link.

    Attributes
    ==========

    source : Force or Torque
        The load as the user gave it.
    link : int
        Index of the link in the tree.
    vector : Vector
        The force or the torque.
    position : 3 x 1 matrix or None
        Where a force acts, from the link's origin in its frame; None for a torque.
    """

    source: LoadBase
    link: int
    vector: Vector
    position: ImmutableDenseMatrix | None

    @cached_property
    def symbols(self) -> frozenset[Expr]:
        """All symbols and functions of time in the vector's components."""
        kinds = (Symbol, AppliedUndef)
        return frozenset().union(*(matrix.atoms(*kinds) for matrix, _ in self.vector.args))


@dataclass(frozen=True)
class Loads:
    """All known loads on the links of a tree.

    Attributes
    ==========

    applied : tuple of AppliedLoad
        All loads but gravity.
    gravity : Vector or None
        The acceleration of a uniform gravity, where every body with mass has
        it.  It then does not stand among ``applied``.
    """

    applied: tuple[AppliedLoad, ...]
    gravity: Vector | None

    @classmethod
    def from_tree(cls, tree: Tree, owners: Owners) -> "Loads":
        """Find the body on which each of the tree's loads acts.

        Raises
        ======

        TopologyError
            If some loads have no owner, or several candidates.
        """
        applied = _assign(tree, owners)
        gravity = _uniform_gravity(tree, applied)
        if gravity is not None:
            applied = [load for load in applied if not _is_weight(tree, load, gravity)]
        return cls(tuple(applied), gravity)

    def at_zero(self, unknowns: Sequence[Expr]) -> "Loads":
        """Return the loads with some load symbols set to zero."""
        zeros = dict.fromkeys(unknowns, 0)
        applied = tuple(
            replace(load, vector=load.vector.xreplace(zeros)) if _has(load, unknowns) else load
            for load in self.applied
        )
        return Loads(applied, self.gravity)

    def per_unit(self, unknown: Expr) -> "Loads":
        """Return what the loads are per unit of a load symbol, without gravity."""
        applied = tuple(
            replace(load, vector=_derivative(load.vector, unknown))
            for load in self.applied
            if _has(load, [unknown])
        )
        return Loads(applied, None)

    def depend_on(self, symbols: Sequence[Expr]) -> bool:
        """Return whether any load depends on any of the symbols."""
        return any(_has(load, symbols) for load in self.applied)


def _has(load: AppliedLoad, symbols: Sequence[Expr]) -> bool:
    return not load.symbols.isdisjoint(symbols)


def _derivative(vector: Vector, symbol: Expr) -> Vector:
    """Return the derivative of the components, each in the frame it stands in."""
    return Vector([(components.diff(symbol), frame) for components, frame in vector.args])


def _assign(tree: Tree, owners: Owners) -> list[AppliedLoad]:
    """Return the loads on links; those on ground, and those that are zero, do nothing."""
    owned, problems = find_owners(tree, owners)
    if problems:
        raise TopologyError("system", problems)
    applied = []
    for load, link in owned:
        if link is not None and load.vector != 0:
            position = None if isinstance(load, Torque) else owners.position(load.point, link)
            applied.append(AppliedLoad(load, link, load.vector, position))
    return applied


def find_owners(tree: Tree, owners: Owners) -> tuple[list[tuple[LoadBase, LinkIndex]], list[str]]:
    """Return the loads with the links on which they act, and what is wrong with the others."""
    owned, problems = [], []
    for load in tree.loads:
        try:
            is_torque = isinstance(load, Torque)
            link = owners.of_frame(load.frame) if is_torque else owners.of_point(load.point)
            owned.append((load, link))
        except OwnerError as error:
            problems.append(f"the load {load} has no owner: {error}")
    return owned, problems


# -- gravity ----------------------------------------------------------------


def _uniform_gravity(tree: Tree, applied: Sequence[AppliedLoad]) -> Vector | None:
    """Return the acceleration that every body with mass has as a force at its centre."""
    at_centers: dict[int, list[AppliedLoad]] = {
        index: [] for index, link in enumerate(tree.links) if not link.mass.is_zero
    }
    for load in applied:
        if load.link in at_centers and _acts_at_center(tree, load):
            at_centers[load.link].append(load)
    if not at_centers:
        return None
    for candidate in next(iter(at_centers.values())):
        gravity = _acceleration(tree, candidate)
        if {frame for _, frame in gravity.args} == {tree.frame} and all(
            sum(_is_weight(tree, load, gravity) for load in loads) == 1
            for loads in at_centers.values()
        ):
            return gravity
    return None


def _acts_at_center(tree: Tree, load: AppliedLoad) -> bool:
    return load.position is not None and load.position == tree.links[load.link].masscenter


def _acceleration(tree: Tree, load: AppliedLoad) -> Vector:
    mass = tree.links[load.link].mass
    return Vector([(components / mass, frame) for components, frame in load.vector.args])


def _is_weight(tree: Tree, load: AppliedLoad, gravity: Vector) -> bool:
    if not _acts_at_center(tree, load) or tree.links[load.link].mass.is_zero:
        return False
    own, others = _acceleration(tree, load).args, gravity.args
    return (
        len(own) == len(others) == 1
        and own[0][1] == others[0][1]
        and all(_same(a, b) for a, b in zip(own[0][0], others[0][0], strict=True))
    )


def _same(left: Expr, right: Expr) -> bool:
    if left == right:
        return True
    if not (left.is_number and right.is_number):
        return False
    return bool(abs(left - right) <= SAME_GRAVITY * max(abs(left), abs(right)))
