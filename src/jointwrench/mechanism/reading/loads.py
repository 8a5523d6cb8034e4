"""The known loads of a model: on which body each one acts, and where."""

from collections.abc import Iterable, Sequence

from sympy import Add, Expr
from sympy.physics.mechanics import Torque
from sympy.physics.mechanics.loads import LoadBase
from sympy.physics.vector import Vector

from ..loads import AppliedLoad, LinkIndex, Loads, symbols_in
from ..tree import TopologyError, Tree
from .owners import GivenOwners, OwnerError, Owners

#: Relative difference up to which two floating-point factors are the same: a mass in a force over
#: that mass leaves rounding, 1e-16.
SAME_GRAVITY = 1e-14


def assign_loads(
    tree: Tree, unknowns: Sequence[Expr] = (), given: GivenOwners | None = None
) -> Loads:
    """Find the body on which each of the tree's loads acts.

    A force of the symbols ``unknowns`` counts as gravity only where it has
    symbolic masses as a factor.  ``given`` is what the user says of loads'
    bodies.  A load with several candidates acts on the one nearest to ground:
    all of them move alike where it acts, so that generalized forces are the same.

    Raises
    ======

    TopologyError
        If some loads have no owner.
    ValueError
        If ``given`` holds bodies that are not in the model, or places without load.
    """
    owners = Owners(tree, given)
    owners.check_used(tree.loads)
    found, problems = find_owners(tree, owners)
    if problems:
        raise TopologyError(tree.argument, problems)
    applied = _applied(owners, found)
    gravity = _uniform_gravity(tree, applied, unknowns)
    if gravity is not None:
        applied = [load for load in applied if not _is_weight(tree, load, gravity)]
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
        if (
            load.symbols.isdisjoint(states)
            and {frame for _, frame in gravity.args} == {tree.frame}
            and _is_surely_gravity(gravity, masses, unknowns)
            and all(
                sum(_is_weight(tree, load, gravity) for load in loads) == 1
                for loads in at_centers.values()
            )
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
    is_plain = masses[0] != 1 and all(map(_is_plain, components))
    return symbols.isdisjoint(unknowns) and (len(set(masses)) > 1 or is_plain)


def _is_plain(component: Expr) -> bool:
    """Whether no number is a factor of any term."""
    return all(_is_close(abs(factor), 1) for factor in _factors(component).values())


def _acts_at_center(tree: Tree, load: AppliedLoad) -> bool:
    return load.position is not None and load.position == tree.links[load.link].masscenter


def _acceleration(tree: Tree, load: AppliedLoad) -> Vector:
    mass = tree.links[load.link].mass
    return Vector([(components / mass, frame) for components, frame in load.source.vector.args])


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
    if left.is_number and right.is_number:
        return _is_close(left, right)
    own, others = _factors(left), _factors(right)
    return own.keys() == others.keys() and all(_is_close(own[x], others[x]) for x in own)


def _factors(component: Expr) -> dict[Expr, Expr]:
    """Return the number in each term by the rest of the term."""
    terms = Add.make_args(component) if component != 0 else ()
    pairs = [term.as_coeff_Mul() for term in terms]
    return {rest: factor for factor, rest in pairs}


def _is_close(left: Expr, right: Expr) -> bool:
    return bool(abs(left - right) <= SAME_GRAVITY * max(abs(left), abs(right)))
