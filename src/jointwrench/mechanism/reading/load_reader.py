"""The known loads of a model: on which body each one acts, and where."""

from collections.abc import Iterable, Sequence

from sympy import Add, Expr, Float, S, sign
from sympy.physics.mechanics import Torque
from sympy.physics.mechanics.loads import LoadBase
from sympy.physics.vector import Vector

from ...arithmetic.decisions import GenericState
from ...arithmetic.digits import number
from ...arithmetic.graph import Graph
from ..loads import AppliedLoad, LinkIndex, Loads, symbols_in
from ..tree import TopologyError, Tree
from .owners import GivenOwners, OwnerError, Owners


def assign_loads(
    tree: Tree, unknowns: Sequence[Expr] = (), given: GivenOwners | None = None
) -> Loads:
    """Find the body on which each of the tree's loads acts; ``given`` is what the user says of it.

    A force of the symbols ``unknowns`` counts as gravity only where it has symbolic masses as a
    factor.  A load with several candidates acts on the one nearest to ground: all of them move
    alike where it acts, so that generalized forces are the same.
    """
    owners = Owners(tree, given)
    owners.check_used(tree.loads)
    found, problems = find_owners(tree, owners)
    if problems:
        raise TopologyError(tree.argument, problems)
    applied = _applied(owners, found)
    gravity = _uniform_gravity(tree, applied, unknowns)
    if gravity is not None:
        weights = _Weights(tree, gravity)
        applied = [load for load in applied if load not in weights]
    candidates = {load.location: links for load, links in found if len(links) > 1}
    doubtful = {place: tuple(map(owners.name, links)) for place, links in candidates.items()}
    return Loads(tuple(applied), gravity, doubtful)


def _applied(
    owners: Owners, found: Iterable[tuple[LoadBase, list[LinkIndex]]]
) -> list[AppliedLoad]:
    """Return the loads on links; those on ground do nothing."""
    applied = []
    for load, (link, *_) in found:
        if link is not None:
            position = None if isinstance(load, Torque) else owners.position(load.point, link)
            applied.append(AppliedLoad(load, link, owners.parts(load.vector), position))
    return applied


def find_owners(
    tree: Tree, owners: Owners
) -> tuple[list[tuple[LoadBase, list[LinkIndex]]], list[str]]:
    """Return the loads with the links on which they could act, and what is wrong with others.

    Those that are zero do nothing.
    """
    found, problems = [], []
    for load in tree.loads:
        try:
            links = owners.of_load(load)
            if load.vector != 0:
                found.append((load, links))
        except OwnerError as error:
            problems.append(f"the load on {load.location} has no owner: {error}")
    return found, list(dict.fromkeys(problems))


# -- gravity ----------------------------------------------------------------


def _uniform_gravity(
    tree: Tree, applied: Sequence[AppliedLoad], unknowns: Sequence[Expr]
) -> Vector | None:
    """Return the acceleration that every body with mass has as a force at its centre.

    There is none where several forces qualify: which one is gravity is not certain.
    """
    at_centers: dict[int, list[AppliedLoad]] = {
        index: [] for index, link in enumerate(tree.links) if not link.mass.is_zero
    }
    for load in applied:
        if load.link in at_centers and _acts_at_center(tree, load):
            at_centers[load.link].append(load)
    states = {*tree.coordinates, *tree.speeds}
    masses = [tree.links[index].mass for index in at_centers]
    found = []
    for load in next(iter(at_centers.values()), []):
        gravity = _acceleration(tree, load)
        weights = _Weights(tree, gravity)
        if (
            load.symbols.isdisjoint(states)
            and {frame for _, frame in gravity.args} == {tree.frame}
            and _is_surely_gravity(gravity, masses, unknowns)
            and all(sum(load in weights for load in loads) == 1 for loads in at_centers.values())
        ):
            found.append(gravity)
    return found[0] if len(found) == 1 else None


def _is_surely_gravity(gravity: Vector, masses: Sequence[Expr], unknowns: Sequence[Expr]) -> bool:
    """Whether forces that would give all masses an acceleration are made of it and the masses.

    Any force on a single body is its mass times something.  A force that has the
    mass as a factor is no accident, nor is one in proportion to different masses,
    nor one that is a number.
    """
    components = [component for matrix, _ in gravity.args for component in matrix]
    named = symbols_in(masses)
    symbols = symbols_in(components)
    if named or not symbols:
        return named.isdisjoint(symbols)
    is_plain = not _is_one(masses[0]) and all(map(_is_plain, components))
    is_proportional = any(not _are_same(mass, masses[0]) for mass in masses)
    return symbols.isdisjoint(unknowns) and (is_proportional or is_plain)


def _is_plain(component: Expr) -> bool:
    """Whether no number is a factor of any term."""
    terms = [term for term in Add.make_args(component) if term != 0]
    return all(_is_one(abs(term.as_coeff_Mul()[0])) for term in terms)


def _is_one(value: Expr) -> bool:
    """Whether a value is one, or a rounded number that may be."""
    return _are_same(value, S.One)


def _are_same(left: Expr, right: Expr) -> bool:
    """Whether two numbers are the same, or rounded ones that may be."""
    return left == right or (number(left) - number(right)).is_zero


def _acts_at_center(tree: Tree, load: AppliedLoad) -> bool:
    return load.position is not None and load.position == tree.links[load.link].masscenter


def _acceleration(tree: Tree, load: AppliedLoad) -> Vector:
    mass = tree.links[load.link].mass
    return Vector(
        [((part / mass).applyfunc(_plain), frame) for part, frame in load.source.vector.args]
    )


def _plain(component: Expr) -> Expr:
    """Return a sum without the factors of one that a rounded mass leaves when it is divided by."""
    if not component.has(Float):
        return component
    pairs = (term.as_coeff_Mul() for term in Add.make_args(component))
    return Add(*(sign(x) * rest if _is_one(abs(x)) else x * rest for x, rest in pairs))


class _Weights:
    """The forces that are the mass of their body times an acceleration."""

    def __init__(self, tree: Tree, gravity: Vector) -> None:
        self._tree, self._gravity = tree, gravity
        self._graph = Graph()
        self._state = GenericState(self._graph)

    def __contains__(self, load: AppliedLoad) -> bool:
        mass = self._tree.links[load.link].mass
        if not _acts_at_center(self._tree, load) or mass.is_zero:
            return False
        own, others = load.source.vector.args, self._gravity.args
        return (
            len(own) == len(others) == 1
            and own[0][1] == others[0][1]
            and all(
                self._is_product(*both, mass) for both in zip(own[0][0], others[0][0], strict=True)
            )
        )

    def _is_product(self, force: Expr, acceleration: Expr, mass: Expr) -> bool:
        if force == mass * acceleration:
            return True
        left, right, factor = map(self._graph.scalar, (force, acceleration, mass))
        return self._state.is_zero(left - factor * right)
