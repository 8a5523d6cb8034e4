"""The known loads of a model: the bodies and points on which they act, and gravity."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sympy import Add, Expr, Float, S, nan, sign
from sympy.matrices import MatrixBase
from sympy.physics.mechanics import Force, System, Torque
from sympy.physics.mechanics.loads import LoadBase
from sympy.physics.vector import Point, ReferenceFrame, Vector

from ....checks.arguments import check_sequence, describe
from ...arithmetic.digits import number
from ...arithmetic.generic_state import GenericState
from ...arithmetic.graph import Graph
from ..loads import AppliedLoad, LinkIndex, Loads, symbols_in
from ..tree import AT_ORIGIN, TopologyError, Tree
from .owners import OwnerError, Owners, UserOwners


def check_load(argument: str, load: Any, by: str = "") -> LoadBase:
    """Return a load as a Force or Torque; KanesMethod also accepts pairs.

    Raise a TypeError if the object is no load, and a ValueError if the load is NaN.  The message
    begins with the name of the ``argument`` and ends with ``by``, the origin of the load.
    """
    pair = load if isinstance(load, (LoadBase, tuple, list)) else ()
    where, vector = pair if len(pair) == 2 else (None, None)
    if not isinstance(where, (Point, ReferenceFrame)) or not isinstance(vector, Vector):
        expected = "loads that are Force, Torque, (Point, Vector) or (ReferenceFrame, Vector)"
        raise TypeError(f"`{argument}` must have {expected}, got {describe(load)}{by}.")
    if not all(isinstance(components, MatrixBase) for components, _ in vector.args):
        raise ValueError(f"`{argument}` must have finite loads, got {nan} times a vector{by}.")
    if isinstance(load, LoadBase):
        return load
    return Torque(where, vector) if isinstance(where, ReferenceFrame) else Force(where, vector)


def loads_of(system: System) -> tuple[LoadBase, ...]:
    """Return the loads of a System and of its actuators."""
    found = [check_load("system", load) for load in system.loads]
    for actuator in system.actuators:
        by = f" from to_loads() of {describe(actuator)}"
        expected = "of actuators whose to_loads() returns a list of loads, unlike that of "
        loads = check_sequence("system", actuator.to_loads(), expected + describe(actuator))
        found += [check_load("system", load, by) for load in loads]
    return tuple(found)


def with_loads(
    tree: Tree, unknowns: Sequence[Expr] = (), specified: UserOwners | None = None
) -> Tree:
    """Return a tree in which each load acts on a link, and weights are replaced by gravity.

    If several bodies are possible, the load acts on the body nearest to ground: all of them have
    equal velocities at the load's location.  The choice is stored as doubtful.  A point or frame
    that moves relative to all bodies becomes a massless link.

    Parameters
    ==========

    tree : Tree
        The model.
    unknowns : sequence of Expr, optional
        The load symbols that the user solves for.  A force of such a symbol is gravity only if
        symbolic masses are its factor.
    specified : mapping, optional
        The user's bodies of loads by location.
    """
    owners = Owners(tree, specified)
    owners.check_used(tree.loads)
    found, stray = find_owners(tree, owners)
    applied = [  # loads on ground have no effect
        AppliedLoad(
            source=load,
            link=link,
            parts=owners.parts(load.vector),
            position=None if isinstance(load, Torque) else owners.position(load.point, link),
        )
        for load, (link, *_) in found
        if link is not None
    ]
    gravity = _uniform_gravity(tree, applied, unknowns)
    if gravity is not None:
        weights = _Weights(tree, gravity)
        applied = [load for load in applied if load not in weights]
    candidates = {load.location: links for load, links in found if len(links) > 1}
    doubtful = {place: tuple(map(owners.name, links)) for place, links in candidates.items()}
    if stray:
        bodies = [str(link.body) for link in tree.links]
        tree, links = _with_places(tree, stray, specified or {})
        for load, _ in stray:
            place, is_torque = load.location, isinstance(load, Torque)
            at, parts = None if is_torque else AT_ORIGIN, owners.parts(load.vector)
            applied.append(AppliedLoad(load, links[place], parts, at))
            doubtful[place] = ("ground", *bodies)
    return replace(tree, assigned=Loads(tuple(applied), gravity, doubtful))


def _with_places(
    tree: Tree, loads: Sequence[tuple[LoadBase, str]], specified: UserOwners
) -> tuple[Tree, dict[Point | ReferenceFrame, int]]:
    """Return a tree with massless links for loads on no body, and the links by load location.

    Raise one TopologyError with the problems of all loads whose location has no stated motion, or
    for which the user specified a body in which it is not fixed.
    """
    from .massless_links import MasslessLinks

    places, problems, links = MasslessLinks(tree), list[str](), dict[Point | ReferenceFrame, int]()
    for load, problem in loads:
        place = load.location
        try:
            if place in specified:
                problems.append(problem)  # the location is not fixed in the user's body
            elif place not in links:
                is_torque = isinstance(load, Torque)
                added = places.add_frame(place) if is_torque else places.add_point(place)
                assert added is not None  # frames fixed in ground have an owner
                links[place] = added
        except ValueError:  # the location is not connected with any body
            problems.append(problem)
    if problems:
        raise TopologyError(tree.argument, list(dict.fromkeys(problems)))
    return places.tree, links


def find_owners(
    tree: Tree, owners: Owners
) -> tuple[list[tuple[LoadBase, list[LinkIndex]]], list[tuple[LoadBase, str]]]:
    """Return the nonzero loads with their possible links, and loads on no link with problems."""
    found, stray = [], []
    for load in tree.loads:
        try:
            links = owners.of_load(load)
            if load.vector != 0:
                found.append((load, links))
        except OwnerError as error:
            stray.append((load, f"the load on {load.location} has no owner: {error}"))
    return found, stray


# -- gravity ----------------------------------------------------------------


def _uniform_gravity(
    tree: Tree, applied: Sequence[AppliedLoad], unknowns: Sequence[Expr]
) -> Vector | None:
    """Return the acceleration of gravity that acts on all masses, None if it is not unique.

    Each force at the first massive link's mass centre is a candidate: divided by the mass, it is
    an acceleration.  It is gravity if it is expressed in the inertial frame, does not depend on the
    state, and each massive link has exactly one force at its mass centre that is the link's mass
    times this acceleration.
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
            and _is_gravity(gravity, masses, unknowns)
            and all(sum(load in weights for load in loads) == 1 for loads in at_centers.values())
        ):
            found.append(gravity)
    return found[0] if len(found) == 1 else None


def _is_gravity(gravity: Vector, masses: Sequence[Expr], unknowns: Sequence[Expr]) -> bool:
    """Whether forces proportional to all masses are gravity and not a coincidence.

    Symbolic masses must be factors of the forces: the acceleration must not contain them.  Forces
    that are numbers are gravity.  Otherwise, for numerical masses, the symbols must not be unknown
    loads, and either the masses differ or, if they are equal and not 1, the acceleration has no
    numerical factors except 1 and -1.
    """
    components = [component for matrix, _ in gravity.args for component in matrix]
    named = symbols_in(masses)
    symbols = symbols_in(components)
    if named or not symbols:
        return named.isdisjoint(symbols)
    is_plain = not _is_one(masses[0]) and all(map(_has_unit_coefficients, components))
    is_proportional = any(not _are_same(mass, masses[0]) for mass in masses)
    return symbols.isdisjoint(unknowns) and (is_proportional or is_plain)


def _has_unit_coefficients(component: Expr) -> bool:
    """Whether the numerical factor of each term is 1 or -1."""
    terms = [term for term in Add.make_args(component) if term != 0]
    return all(_is_one(abs(term.as_coeff_Mul()[0])) for term in terms)


def _is_one(value: Expr) -> bool:
    """Whether a value is 1, up to rounding if it is a float."""
    return _are_same(value, S.One)


def _are_same(left: Expr, right: Expr) -> bool:
    """Whether two numbers are equal, up to rounding if they are floats."""
    return left == right or (number(left) - number(right)).is_zero


def _acts_at_center(tree: Tree, load: AppliedLoad) -> bool:
    return load.position is not None and load.position == tree.links[load.link].masscenter


def _acceleration(tree: Tree, load: AppliedLoad) -> Vector:
    """Return a force divided by the mass of its link."""
    mass = tree.links[load.link].mass
    return Vector(
        [((part / mass).applyfunc(_without_ones), frame) for part, frame in load.source.vector.args]
    )


def _without_ones(component: Expr) -> Expr:
    """Return a sum without factors that equal 1 or -1 up to rounding.

    They remain after a rounded force is divided by a rounded mass.
    """
    if not component.has(Float):
        return component
    pairs = (term.as_coeff_Mul() for term in Add.make_args(component))
    return Add(*(sign(x) * rest if _is_one(abs(x)) else x * rest for x, rest in pairs))


class _Weights:
    """The set of forces that equal their body's mass times the acceleration of gravity.

    They act at the mass centre.  Expressions are compared by their form, or if that differs, at
    random states.
    """

    def __init__(self, tree: Tree, gravity: Vector) -> None:
        self._tree, self._gravity = tree, gravity
        self._graph = Graph()
        self._state = GenericState(self._graph)

    def __contains__(self, load: AppliedLoad) -> bool:
        mass = self._tree.links[load.link].mass
        if not _acts_at_center(self._tree, load) or mass.is_zero:
            return False
        own, others = load.source.vector.args, self._gravity.args
        if not len(own) == len(others) == 1 or own[0][1] != others[0][1]:
            return False
        pairs = zip(own[0][0], others[0][0], strict=True)
        return all(self._is_product(*both, mass) for both in pairs)

    def _is_product(self, force: Expr, acceleration: Expr, mass: Expr) -> bool:
        if force == mass * acceleration:
            return True
        left, right, factor = map(self._graph.scalar, (force, acceleration, mass))
        return self._state.is_zero(left - factor * right)
