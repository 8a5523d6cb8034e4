"""Comparison of a tree with what its model states: powers along random virtual velocities.

``F . dv`` of each load and ``-m a . dv - (I al + w x I w) . dw`` of each body are computed twice at
a random state, in doubles: from the velocities, frames and inertias that sympy's objects store, and
from the relative motions of the tree.  Loop joints are compared by their velocity equations.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from sympy import Add, Expr, Matrix
from sympy.physics.mechanics import KanesMethod, System, Torque
from sympy.physics.mechanics.loads import LoadBase
from sympy.physics.vector import Point, ReferenceFrame, Vector

from ....checks.arguments import shorten
from ....checks.tolerances import CANCELLED, ROUNDING, TIED
from ...adapters.private_sympy import KaneParts
from ...spatial.paths import angular_velocity_in, position_from
from ...sympy_objects import Body, is_particle
from ..deduced_structure import KaneModel
from ..loads import AppliedLoad, LinkIndex
from ..loop_closures import LoopClosure, VectorParts
from ..tree import TopologyError, Tree
from .ground import position_from_origin
from .kinematics_check import stated_velocity
from .load_reader import check_load, loads_of
from .model_reader import as_kane_model
from .random_state import Manifold, RandomState, UndefinedError
from .stated_motion import EvaluatedMotion
from .velocity_check import compare_velocities

#: A model as a user passed it.
UsersModel: TypeAlias = System | KaneModel

#: A vector in the inertial frame at the state, and with each virtual velocity: (1 + VIRTUAL, 3).
Moving: TypeAlias = np.ndarray

#: How many virtual velocities there are.
VIRTUAL = 2

#: What a user can do about a contradiction.
REPORT = "Unless `owners` moves a load, please report this fault of jointwrench, with the model."


class StatedModel(NamedTuple):
    """The bodies, the loads and the kinematical differential equations of a model.

    With auxiliary speeds, its loads have reactions, of which only all together have no power.
    """

    bodies: Sequence[Body]
    loads: Sequence[LoadBase]
    kdes: Sequence[Expr] = ()
    has_reactions: bool = False
    moved: Collection[Point | ReferenceFrame] = ()

    @classmethod
    def of(cls, model: UsersModel) -> "StatedModel":
        found = as_kane_model(model)
        kane: Any = found and found.kane
        if isinstance(model, System) and kane is None:
            kdes, has_reactions = tuple(model.kdes), bool(model.u_aux)
            return cls(tuple(model.bodies), loads_of(model), kdes, has_reactions)
        loads = [check_load("kane", load) for load in kane.loads or ()]
        kdes = ()
        if isinstance(kane, KanesMethod):
            kdes = tuple(rate - value for rate, value in kane.kindiffdict().items())
        return cls(kane.bodies, loads, kdes, bool(KaneParts.of(kane).auxiliary_speeds))

    @classmethod
    def kept_by(cls, tree: Tree) -> "StatedModel":
        """Return the bodies and loads of a tree, for a model that is not at hand."""
        return cls([*tree.index_of_body], tree.loads)


def check_statements(
    tree: Tree, model: UsersModel | None = None, moved: Collection[Point | ReferenceFrame] = ()
) -> None:
    """Raise a TopologyError if a tree contradicts what its model, or its own objects, state.

    If the model's own velocities contradict its positions, the error names those.  Loads at the
    places ``moved``, to which a user gave other owners, are not compared.
    """
    stated = StatedModel.kept_by(tree) if model is None else StatedModel.of(model)
    stated = stated._replace(moved=moved)
    state, constraints = RandomState(tree.derivative), tree.constraints
    for quaternion in tree.unit_quaternions:
        state = state.with_unit_norm(Matrix(quaternion))
    found = state.first_defined(partial(_differences, tree, stated))
    if found and constraints.velocity:  # which may have been substituted into velocities
        norms = (sum(x**2 for x in quaternion) - 1 for quaternion in tree.unit_quaternions)
        position = (*constraints.position, *norms)
        manifold = Manifold.of(tree.links, position, constraints.velocity)
        try:
            found = _differences(tree, stated, state.on_manifold(manifold), is_assembled=True)
        except ValueError:  # no assembled state was found
            return
    if found:
        manifold = Manifold(constraints.position, constraints.velocity)
        motion = EvaluatedMotion(tree.frame, [x.body for x in tree.links], state, manifold)
        raise TopologyError(tree.argument, compare_velocities(tree.links, motion)[1] or found)


def _differences(
    tree: Tree, stated: StatedModel, state: RandomState, is_assembled: bool = False
) -> list[str]:
    states = _moved(tree, state, tree.constraints.velocity if is_assembled else ())
    if broken := [text for kde in stated.kdes for text in _broken(kde, states)]:
        return broken
    read = ReadMotion(tree, states)
    own = StatedMotion(tree.frame, states, read.largest)
    found = [*_of_inertias(tree, stated.bodies, read, own)]
    found += _of_loads(tree, stated, read, own)
    for closing in tree.constraints.closings:
        found += _of_loop(closing, read, own)
    return [text for name, one, other in found for text in one.contradiction(name, other)]


def _moved(tree: Tree, state: RandomState, velocity: Sequence[Expr]) -> list[RandomState]:
    """Return the state, and with virtual velocities; all satisfy the constraints ``velocity``."""
    speeds, random = tree.speeds, np.random.default_rng(20261128)
    virtual = random.uniform(-1, 1, (VIRTUAL, len(speeds)))
    if velocity:
        *rows, rest = (x.values(velocity) for x in state.one_speed_at_a_time())
        slopes = np.transpose(rows) - rest[:, None]
        inverse = np.linalg.pinv(slopes, rcond=ROUNDING)
        virtual -= virtual @ (inverse @ slopes).T
        accelerations = state.values(tree.accelerations) - inverse @ state.rates(velocity)
        state = state.with_numbers(tree.accelerations, accelerations)
    now = state.values(speeds)
    return [state, *(state.with_numbers(speeds, now + x) for x in virtual)]


def _broken(kde: Expr, states: Sequence[RandomState]) -> Iterator[str]:
    terms = np.array([state.values(Add.make_args(kde)) for state in states])
    if (abs(terms.sum(axis=1)) > TIED * abs(terms).sum(axis=1)).any():
        yield (
            "the rates of the coordinates do not satisfy the kinematical differential equation "
            f"{shorten(kde)} = 0. {REPORT}"
        )


class Sized(NamedTuple):
    """Numbers, and the size of the terms of which they are sums."""

    values: np.ndarray = np.zeros(VIRTUAL)
    size: float = 0.0

    def plus(self, other: "Sized") -> "Sized":
        return Sized(self.values + other.values, self.size + other.size)

    def times(self, factor: float) -> "Sized":
        return Sized(factor * self.values, abs(factor) * self.size)

    def contradiction(self, name: str, other: "Sized") -> Iterator[str]:
        """Yield the problem that the numbers of a tree are not the stated ones, ``other``."""
        apart = abs(self.values - other.values)
        if (apart > TIED * max(self.size, other.size)).any():
            k = np.unravel_index(apart.argmax(), apart.shape)
            yield (
                f"{name} is {other.values[k]:.3g} by the velocities, frames and inertias of the "
                f"model, but {self.values[k]:.3g} by the tree of bodies, at a random state along "
                f"a virtual velocity. {REPORT}"
            )


#: The name of compared numbers, those of the tree and the stated ones.
Compared: TypeAlias = tuple[str, Sized, Sized]


class Largest(NamedTuple):
    """The largest terms of the motions of a tree's links: all motions have their roundoff."""

    velocity: float
    spin: float
    acceleration: float
    spin_rate: float


def _vector(terms: Iterable[np.ndarray], largest: float = 0.0) -> Sized:
    """Return the sum of terms, whose roundoff is at least that of the ``largest`` term."""
    known = [np.zeros(3), *terms]
    size = sum(float(np.linalg.norm(x)) for x in known)
    return Sized(np.sum(known, axis=0), size + largest * CANCELLED / ROUNDING)


def _change(vectors: Moving, largest: float) -> Sized:
    """Return changes by virtual velocities, whose roundoff is at least that of ``largest``."""
    size = 2 * float(np.linalg.norm(vectors, axis=1).max())
    return Sized(vectors[1:] - vectors[0], size + largest * CANCELLED / ROUNDING)


def _power(force: Sized, change: Sized) -> Sized:
    """Return the power of a force or moment along virtual velocities."""
    return Sized(change.values @ force.values, change.size * force.size)


def _inertia_force(mass: float, acceleration: np.ndarray, largest: Largest) -> Sized:
    return _vector([-mass * acceleration], mass * largest.acceleration)


def _inertia_moment(
    inertia: np.ndarray,
    shift: np.ndarray,
    spin: np.ndarray,
    spin_rate: np.ndarray,
    largest: Largest,
) -> Sized:
    """Return the inertia moment about the mass centre; the central inertia lacks a ``shift``."""
    central = inertia - shift
    size = float(np.linalg.norm(inertia) + np.linalg.norm(shift))
    terms = -central @ spin_rate, -np.cross(spin, central @ spin)
    return _vector(terms, size * (largest.spin_rate + largest.spin**2))


def _spread(mass: float, arm: np.ndarray) -> np.ndarray:
    """Return the inertia of a mass at an arm."""
    return mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))


# -- motions of the tree ------------------------------------------------------------------


class LinkMotion(NamedTuple):
    """The rotation of a link to the inertial frame, its origin's motion and its angular one."""

    turn: np.ndarray
    velocity: Moving
    spin: Moving
    acceleration: np.ndarray
    spin_rate: np.ndarray


class ReadMotion:
    """The motion of a tree's links, from ground outwards."""

    def __init__(self, tree: Tree, states: Sequence[RandomState]) -> None:
        self.tree, self._states, self._now = tree, states, states[0]
        still, rest = np.zeros((1 + VIRTUAL, 3)), np.zeros(3)
        ground = LinkMotion(np.eye(3), still, still, rest, rest)
        self._of: dict[LinkIndex, LinkMotion] = {None: ground}
        for index, link in enumerate(tree.links):
            self._of[index] = self._next(self._of[link.inner], link)
        sizes = [self._sizes(index) for index in range(len(tree.links))]
        self.largest = Largest(*np.max(sizes, axis=0, initial=0).tolist())

    def __getitem__(self, index: LinkIndex) -> LinkMotion:
        return self._of[index]

    def matrix(self, entries: Any) -> np.ndarray:
        """Return a matrix or a column at the state."""
        found = self._now.values(entries)
        return found if entries.cols == 1 else found.reshape(entries.shape)

    def _next(self, inner: LinkMotion, link: Any) -> LinkMotion:
        motion, turn = link.motion, inner.turn
        arm = turn @ self.matrix(link.attachment + motion.offset)
        shift = np.array([turn @ state.values(motion.offset_velocity) for state in self._states])
        change, w = turn @ self.matrix(motion.offset_acceleration), inner.spin[0]
        for stage in motion.rotations:
            turn = turn @ self.matrix(stage).T
        own = np.array([turn @ state.values(motion.angular_velocity) for state in self._states])
        own_rate = turn @ self.matrix(motion.angular_acceleration)
        swept = np.cross(inner.spin_rate, arm) + np.cross(w, np.cross(w, arm) + 2 * shift[0])
        return LinkMotion(
            turn=turn,
            velocity=inner.velocity + np.cross(inner.spin, arm) + shift,
            spin=inner.spin + own,
            acceleration=inner.acceleration + swept + change,
            spin_rate=inner.spin_rate + own_rate + np.cross(w, own[0]),
        )

    def _sizes(self, index: int) -> tuple[float, ...]:
        """Return the sizes of the terms of the motion of a link's mass centre, as `Largest`."""
        own, arm = self[index], float(np.linalg.norm(self.arm(index)))
        velocity, spin = (float(abs(x).max()) for x in (own.velocity, own.spin))
        acceleration, rate = (float(abs(x).max()) for x in (own.acceleration, own.spin_rate))
        return velocity + spin * arm, spin, acceleration + (rate + spin**2) * arm, rate

    def vector(self, parts: VectorParts) -> Sized:
        """Return the inertial components of a vector."""
        return _vector(
            self[x.link].turn @ self.matrix(x.rotation) @ self.matrix(x.components) for x in parts
        )

    def arm(self, index: int) -> np.ndarray:
        """Return the mass centre of a link from its origin, in the inertial frame."""
        return self[index].turn @ self.matrix(self.tree.links[index].masscenter)

    def velocity(self, index: LinkIndex, arm: np.ndarray) -> Sized:
        """Return the velocity of a link's material at an inertial arm from its origin."""
        velocity = self[index].velocity + np.cross(self[index].spin, arm)
        return _change(velocity, self.largest.velocity)

    def spin(self, index: LinkIndex) -> Sized:
        return _change(self[index].spin, self.largest.spin)

    def of_load(self, load: AppliedLoad) -> Sized:
        vector, index = self.vector(load.parts), load.link
        if load.position is None:
            return _power(vector, self.spin(index))
        arm = self[index].turn @ self.matrix(load.position)
        return _power(vector, self.velocity(index, arm))

    def of_weight(self, index: int) -> Sized:
        (mass,) = self._now.values([self.tree.links[index].mass])
        weight = self.vector(self.tree.assigned.gravity_parts).times(mass)
        return _power(weight, self.velocity(index, self.arm(index)))

    def of_inertia(self, index: int) -> tuple[Sized, Sized]:
        link, own = self.tree.links[index], self[index]
        arm, (mass,) = self.arm(index), self._now.values([link.mass])
        inertia = own.turn @ self.matrix(link.inertia) @ own.turn.T
        shift = _spread(mass * link.inertia_is_about_origin, arm)
        w = own.spin[0]
        swept = np.cross(own.spin_rate, arm) + np.cross(w, np.cross(w, arm))
        force = _inertia_force(mass, own.acceleration + swept, self.largest)
        moment = _inertia_moment(inertia, shift, w, own.spin_rate, self.largest)
        return _power(force, self.velocity(index, arm)), _power(moment, self.spin(index))


# -- motions as sympy's objects state them --------------------------------------------------


class StatedMotion:
    """The motion of points and frames by the velocities and orientations that sympy stores."""

    def __init__(
        self, frame: ReferenceFrame, states: Sequence[RandomState], largest: Largest
    ) -> None:
        self._frame, self._states, self._now, self._largest = frame, states, states[0], largest

    def vector(self, vector: Vector) -> Sized:
        """Return the inertial components of a vector at the state."""
        return _vector(self._now.components(Vector([x]), self._frame) for x in vector.args)

    def _moving(self, vector: Vector, largest: float) -> Sized:
        vectors = np.array([state.components(vector, self._frame) for state in self._states])
        return _change(vectors, largest)

    def velocity(self, point: Point) -> Sized:
        return self._moving(stated_velocity(point, self._frame), self._largest.velocity)

    def spin(self, frame: ReferenceFrame) -> Sized:
        return self._moving(angular_velocity_in(frame, self._frame), self._largest.spin)

    def of_load(self, load: LoadBase) -> Sized:
        is_torque = isinstance(load, Torque)
        change = self.spin(load.frame) if is_torque else self.velocity(load.point)
        return _power(self.vector(load.vector), change)

    def of_inertia_force(self, body: Body) -> Sized:
        velocity = stated_velocity(body.masscenter, self._frame)
        (mass,), acceleration = self._now.values([body.mass]), self._rate(velocity)
        force = _inertia_force(mass, acceleration, self._largest)
        return _power(force, self.velocity(body.masscenter))

    def of_inertia_moment(self, body: Body) -> Sized:
        if is_particle(body):
            return Sized()
        dyadic, about = body.inertia
        (mass,), inertia = self._now.values([body.mass]), np.zeros((3, 3))
        for size, *axes in dyadic.args:
            (number,) = self._now.values([size])
            inertia += number * np.outer(*(self.vector(axis).values for axis in axes))
        shift = _spread(mass, self.vector(position_from(about, body.masscenter)).values)
        spin = angular_velocity_in(body.frame, self._frame)
        now, rate = self.vector(spin).values, self._rate(spin)
        moment = _inertia_moment(inertia, shift, now, rate, self._largest)
        return _power(moment, self.spin(body.frame))

    def _rate(self, vector: Vector) -> np.ndarray:
        return self._now.time_derivative(vector, self._frame)


# -- comparisons ------------------------------------------------------------------------------


def _known(function: Callable[..., Sized], *arguments: Any) -> Sized | None:
    """Return a stated power; None if the model states none, as for frames without orientation."""
    try:
        return function(*arguments)
    except UndefinedError:
        raise
    except ValueError:  # sympy finds no path
        return None


def _of_inertias(
    tree: Tree, bodies: Sequence[Body], read: ReadMotion, own: StatedMotion
) -> Iterator[Compared]:
    for body in bodies:
        index = tree.index_of_body.get(body)
        powers = (Sized(), Sized()) if index is None else read.of_inertia(index)
        stated = _known(own.of_inertia_force, body), _known(own.of_inertia_moment, body)
        for name, power, known in zip(("force", "moment"), powers, stated, strict=True):
            if known is not None:
                yield f"the power of the inertia {name} of {body}", power, known


def _of_loads(
    tree: Tree, stated: StatedModel, read: ReadMotion, own: StatedMotion
) -> Iterator[Compared]:
    """Yield the loads of each point or frame together: weights are one of several there."""

    def shared(place: Any) -> Any:
        return "all points and frames" if stated.has_reactions else place

    taken, known = defaultdict[Any, Sized](Sized), defaultdict[Any, Sized](Sized)
    for load in tree.assigned.applied:
        place = shared(load.source.location)
        taken[place] = taken[place].plus(read.of_load(load))
    for index, link in enumerate(tree.links if tree.assigned.gravity is not None else ()):
        place = shared(link.body.masscenter)
        taken[place] = taken[place].plus(read.of_weight(index))
    unknown = set(stated.moved)
    for load in stated.loads:
        place = shared(load.location)
        if (power := _known(own.of_load, load)) is None:
            unknown.add(place)
        else:
            known[place] = known[place].plus(power)
    for place in {**taken, **known}:
        if place not in unknown:
            yield f"the power of the loads at {place}", taken[place], known[place]


def _of_loop(closing: LoopClosure, read: ReadMotion, own: StatedMotion) -> Iterator[Compared]:
    """Yield the directions, points and bodies' velocities of a loop joint's velocity equations."""
    loop, name = closing.joint, f"of the loop joint or contact {closing.joint.name!r}"
    directions = [*closing.moments, *chain(*closing.pairs)]
    stated = [*loop.moment_directions, *chain(*loop.orthogonal_pairs)]
    if closing.length is None:  # a rod has the direction between its points
        directions, stated = [*closing.forces, *directions], [*loop.force_directions, *stated]
    for parts, vector in zip(directions, stated, strict=True):
        yield f"a direction {name}", read.vector(parts), own.vector(vector)
    for index, body, point, place in (
        (closing.child, loop.child, loop.child_point, closing.child_position),
        (closing.parent, loop.parent, loop.parent_point, closing.parent_position),
    ):
        origin, from_link = read.tree.ground_origin, np.zeros(3)
        if index is not None:
            origin, from_link = body.masscenter, read.arm(index)
            stated_center = own.velocity(origin)
            yield f"the velocity of {origin} {name}", read.velocity(index, from_link), stated_center
            if not is_particle(body):
                yield f"the rotation of {body} {name}", read.spin(index), own.spin(body.frame)
        if place is not None and origin is not None:
            arm = own.vector(position_from_origin(point, origin)).plus(_vector([from_link]))
            yield f"the point {point} {name}", read.vector(place), arm
