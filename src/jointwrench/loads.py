"""The known loads of a System: on which body each one acts, and where."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from sympy import Expr, ImmutableDenseMatrix
from sympy.physics.mechanics import Force, Torque
from sympy.physics.mechanics.loads import LoadBase
from sympy.physics.vector import Point, ReferenceFrame, Vector

from .joints import is_constant
from .tree import Tree

#: Relative difference up to which two floating-point accelerations are the same.
SAME_GRAVITY = 1e-14

#: Index of a link, or None for ground.
LinkIndex = int | None


@dataclass(frozen=True, eq=False)
class AppliedLoad:
    """A force or a torque on a link.

    Attributes
    ==========

    link : int
        Index of the link in the tree.
    vector : Vector
        The force or the torque.
    position : 3 x 1 matrix or None
        Where a force acts, from the link's origin in its frame; None for a torque.
    """

    link: int
    vector: Vector
    position: ImmutableDenseMatrix | None


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
    def from_tree(cls, tree: Tree) -> "Loads":
        """Read the loads and actuators of the tree's System."""
        system = tree.system
        loads = [*system.loads]
        for actuator in system.actuators:
            loads += actuator.to_loads()
        applied = tuple(_assign(tree, loads))
        gravity = _uniform_gravity(tree, applied)
        if gravity is not None:
            applied = tuple(load for load in applied if not _is_weight(tree, load, gravity))
        return cls(applied, gravity)

    def at_zero(self, unknowns: Sequence[Expr]) -> "Loads":
        """Return the loads with some load symbols set to zero."""
        zeros = dict.fromkeys(unknowns, 0)
        applied = tuple(
            replace(load, vector=load.vector.subs(zeros)) if _has(load, unknowns) else load
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
    return bool(symbols) and any(components.has(*symbols) for components, _ in load.vector.args)


def _derivative(vector: Vector, symbol: Expr) -> Vector:
    """Return the derivative of the components, each in the frame it stands in."""
    return Vector([(components.diff(symbol), frame) for components, frame in vector.args])


def _assign(tree: Tree, loads: Iterable[LoadBase]) -> Iterable[AppliedLoad]:
    owners = Owners(tree)
    for load in loads:
        if isinstance(load, Torque):
            link = owners.of_frame(load.frame, load)
            position = None
        else:
            assert isinstance(load, Force)
            link = owners.of_point(load.point, load)
            position = None if link is None else owners.position(load.point, link)
        if link is not None and load.vector != 0:
            yield AppliedLoad(link, load.vector, position)


class Owners:
    """Tells which body a point or a frame belongs to."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._points: dict[Point, set[LinkIndex]] = {tree.system.fixed_point: {None}}
        self._frames: dict[ReferenceFrame, set[LinkIndex]] = {tree.system.frame: {None}}
        for body in tree.ground:
            self._add(None, body.masscenter, getattr(body, "frame", tree.system.frame))
        for index, link in enumerate(tree.links):
            inner, outer = link.sides
            self._add(index, link.body.masscenter, link.frame)
            self._add(index, outer.point, outer.interframe)
            self._add(link.inner, inner.point, inner.interframe)

    def _add(self, index: LinkIndex, point: Point, frame: ReferenceFrame) -> None:
        self._points.setdefault(point, set()).add(index)
        self._frames.setdefault(frame, set()).add(index)

    def frames_of(self, index: LinkIndex) -> list[ReferenceFrame]:
        """Return the frames that are known to be fixed in a body."""
        return [frame for frame, indices in self._frames.items() if indices == {index}]

    def of_point(self, point: Point, load: LoadBase) -> LinkIndex:
        """Return the body in which a point is fixed."""
        candidates = self._points.get(point)
        if candidates is None:
            everywhere: list[LinkIndex] = [None, *range(len(self._tree.links))]
            candidates = {index for index in everywhere if self._is_fixed(point, index)}
        return self._only(candidates, load, f"the point {point}")

    def of_frame(self, frame: ReferenceFrame, load: LoadBase) -> LinkIndex:
        """Return the body in which a frame is fixed."""
        candidates = self._frames.get(frame)
        if candidates is None:
            candidates = {
                link
                for link, fixed in [(None, self._tree.system.frame)]
                + [(index, link.frame) for index, link in enumerate(self._tree.links)]
                if _is_constant_orientation(frame, fixed)
            }
        return self._only(candidates, load, f"the frame {frame}")

    def _only(self, candidates: set[LinkIndex], load: LoadBase, place: str) -> LinkIndex:
        if len(candidates) == 1:
            return next(iter(candidates))
        if not candidates:
            raise ValueError(
                f"`system` has the load {load}, but {place} is fixed in none of its bodies. "
                "Use a point or frame of the body that carries the load, or "
                "Wrench(point, force, moment).to_loads(body)."
            )
        names = ", ".join(sorted(self._name(index) for index in candidates))
        raise ValueError(
            f"`system` has the load {load}, but {place} could belong to any of {names}. "
            "Use Wrench(point, force, moment).to_loads(body) to say which one carries it."
        )

    def _name(self, index: LinkIndex) -> str:
        return "ground" if index is None else str(self._tree.links[index].body)

    def _is_fixed(self, point: Point, index: LinkIndex) -> bool:
        try:
            return is_constant(self.position(point, index))
        except ValueError:  # sympy finds no path between the points or the frames
            return False

    def position(self, point: Point, index: LinkIndex) -> ImmutableDenseMatrix:
        """Return a point's position from a link's origin, in the link's frame."""
        if index is None:
            system = self._tree.system
            return ImmutableDenseMatrix(point.pos_from(system.fixed_point).to_matrix(system.frame))
        link = self._tree.links[index]
        center = link.body.masscenter
        from_center = point.pos_from(center).to_matrix(link.frame)
        return ImmutableDenseMatrix(from_center) + link.masscenter


def _is_constant_orientation(frame: ReferenceFrame, other: ReferenceFrame) -> bool:
    try:
        return is_constant(frame.dcm(other))
    except ValueError:  # the frames have no connection
        return False


# -- gravity ----------------------------------------------------------------


def _uniform_gravity(tree: Tree, applied: Sequence[AppliedLoad]) -> Vector | None:
    """Return the acceleration that every body with mass has as a force at its centre."""
    heavy = [index for index, link in enumerate(tree.links) if not link.mass.is_zero]
    if not heavy:
        return None
    for candidate in applied:
        if candidate.link != heavy[0] or not _acts_at_center(tree, candidate):
            continue
        gravity = _acceleration(tree, candidate)
        frames = {frame for _, frame in gravity.args}
        if frames != {tree.system.frame}:
            continue
        if all(
            sum(load.link == index and _is_weight(tree, load, gravity) for load in applied) == 1
            for index in heavy
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
