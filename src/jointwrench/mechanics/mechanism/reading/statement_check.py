"""Comparison of a tree with what its model states: powers along random virtual velocities.

``F . dv`` of each load and ``-m a . dv - (I al + w x I w) . dw`` of each body are computed twice at
a random state, in doubles: from the velocities, frames and inertias that sympy's objects store, and
from the relative motions of the tree.  Loop joints are compared by their velocity equations.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
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
from .ground import position_on_ground
from .kinematics_check import stated_velocity
from .load_reader import check_load, loads_of
from .model_reader import as_kane_model
from .random_state import Manifold, RandomState, UndefinedError

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

    Loads at the places ``moved``, to which a user gave other owners, are not compared.
    """
    stated = StatedModel.kept_by(tree) if model is None else StatedModel.of(model)
    stated = stated._replace(moved=moved)
    state, constraints = RandomState(tree.derivative), tree.constraints
    for quaternion in tree.unit_quaternions:
        state = state.on_unit_norm(Matrix(quaternion))
    found = state.first_told(partial(_differences, tree, stated))
    if found and constraints.velocity:  # which may have been substituted into velocities
        norms = (sum(x**2 for x in quaternion) - 1 for quaternion in tree.unit_quaternions)
        position = (*constraints.position, *norms)
        manifold = Manifold.of(tree.links, position, constraints.velocity)
        try:
            found = _differences(tree, stated, state.where(manifold), is_assembled=True)
        except ValueError:  # no assembled state was found
            return
    if found:
        raise TopologyError(tree.argument, found)


def _differences(
    tree: Tree, stated: StatedModel, state: RandomState, is_assembled: bool = False
) -> list[str]:
    states = _moved(tree, state, tree.constraints.velocity if is_assembled else ())
    if broken := [text for kde in stated.kdes for text in _broken(kde, states)]:
        return broken
    read = ReadMotion(tree, states)
    own = StatedMotion(tree.frame, states, read.fastest, read.fastest_spin)
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
        *rows, rest = (x.values(velocity) for x in state.by_speed())
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
    """Numbers, and the sizes of the terms of which they are sums."""

    values: np.ndarray = np.zeros(VIRTUAL)
    sizes: np.ndarray | np.floating = np.zeros(VIRTUAL)

    def plus(self, other: "Sized") -> "Sized":
        return Sized(self.values + other.values, self.sizes + other.sizes)

    def contradiction(self, name: str, other: "Sized") -> Iterator[str]:
        """Yield the problem that the numbers of a tree are not the stated ones, ``other``."""
        apart = abs(self.values - other.values)
        if (apart > TIED * np.maximum(self.sizes, other.sizes)).any():
            k = np.unravel_index(apart.argmax(), apart.shape)
            yield (
                f"{name} is {other.values[k]:.3g} by the velocities, frames and inertias of the "
                f"model, but {self.values[k]:.3g} by the tree of bodies, at a random state along "
                f"a virtual velocity. {REPORT}"
            )


#: The name of compared numbers, those of the tree and the stated ones.
Compared: TypeAlias = tuple[str, Sized, Sized]


def _power(vector: np.ndarray, moving: Moving, fastest: float) -> Sized:
    """Return the power of a force or moment along virtual velocities.

    Velocities are sums along chains of bodies, whose rounding is that of the ``fastest``.
    """
    length, speeds = np.linalg.norm(vector), np.linalg.norm(moving, axis=1)
    size = length * (speeds[1:] + speeds[0] + fastest * CANCELLED / ROUNDING)
    return Sized((moving[1:] - moving[0]) @ vector, size)


def _still(vector: np.ndarray) -> Sized:
    return Sized(vector, np.linalg.norm(vector))


def _moving(vectors: Moving, fastest: float) -> Sized:
    """Return changes by virtual velocities; their rounding is that of the ``fastest``."""
    return Sized(vectors[1:] - vectors[0], abs(vectors).max() + fastest * CANCELLED / ROUNDING)


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
        motions = self._of.values()
        self.fastest = max(abs(x.velocity).max() for x in motions)
        self.fastest_spin = max(abs(x.spin).max() for x in motions)

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

    def vector(self, parts: VectorParts) -> np.ndarray:
        """Return the inertial components of a vector."""
        turned = (
            self[x.link].turn @ self.matrix(x.rotation) @ self.matrix(x.components) for x in parts
        )
        return sum(turned, np.zeros(3))

    def arm(self, index: int) -> np.ndarray:
        """Return the mass centre of a link from its origin, in the inertial frame."""
        return self[index].turn @ self.matrix(self.tree.links[index].masscenter)

    def velocity(self, index: LinkIndex, arm: np.ndarray) -> Moving:
        """Return the velocity of a link's material at an inertial arm from its origin."""
        return self[index].velocity + np.cross(self[index].spin, arm)

    def of_load(self, load: AppliedLoad) -> Sized:
        vector, own = self.vector(load.parts), self[load.link]
        if load.position is None:
            return _power(vector, own.spin, self.fastest_spin)
        arm = own.turn @ self.matrix(load.position)
        return _power(vector, self.velocity(load.link, arm), self.fastest)

    def of_weight(self, index: int) -> Sized:
        (mass,) = self._now.values([self.tree.links[index].mass])
        weight = mass * self.vector(self.tree.assigned.gravity_parts)
        return _power(weight, self.velocity(index, self.arm(index)), self.fastest)

    def of_inertia(self, index: int) -> tuple[Sized, Sized]:
        link, own = self.tree.links[index], self[index]
        arm, (mass,) = self.arm(index), self._now.values([link.mass])
        inertia = own.turn @ self.matrix(link.inertia) @ own.turn.T
        if link.inertia_is_about_origin:
            inertia = inertia - mass * _spread(arm)
        w = own.spin[0]
        acceleration = own.acceleration + np.cross(own.spin_rate, arm)
        force = -mass * (acceleration + np.cross(w, np.cross(w, arm)))
        moment = _inertia_moment(inertia, w, own.spin_rate)
        return (
            _power(force, self.velocity(index, arm), self.fastest),
            _power(moment, own.spin, self.fastest_spin),
        )


def _inertia_moment(inertia: np.ndarray, spin: np.ndarray, spin_rate: np.ndarray) -> np.ndarray:
    return -(inertia @ spin_rate + np.cross(spin, inertia @ spin))


def _spread(arm: np.ndarray) -> np.ndarray:
    """Return the inertia of a unit mass at an arm."""
    return arm @ arm * np.eye(3) - np.outer(arm, arm)


# -- motions as sympy's objects state them --------------------------------------------------


class StatedMotion:
    """The motion of points and frames by the velocities and orientations that sympy stores."""

    def __init__(
        self,
        frame: ReferenceFrame,
        states: Sequence[RandomState],
        fastest: float,
        fastest_spin: float,
    ) -> None:
        self._frame, self._states, self._now = frame, states, states[0]
        self._fastest, self._fastest_spin = fastest, fastest_spin

    def vector(self, vector: Vector) -> np.ndarray:
        """Return the inertial components of a vector at the state."""
        return self._now.components(vector, self._frame)

    def _moving(self, vector: Vector) -> Moving:
        return np.array([state.components(vector, self._frame) for state in self._states])

    def velocity(self, point: Point) -> Moving:
        return self._moving(stated_velocity(point, self._frame))

    def spin(self, frame: ReferenceFrame) -> Moving:
        return self._moving(angular_velocity_in(frame, self._frame))

    def of_load(self, load: LoadBase) -> Sized:
        vector = self.vector(load.vector)
        if isinstance(load, Torque):
            return _power(vector, self.spin(load.frame), self._fastest_spin)
        return _power(vector, self.velocity(load.point), self._fastest)

    def of_inertia_force(self, body: Body) -> Sized:
        velocity = stated_velocity(body.masscenter, self._frame)
        (mass,) = self._now.values([body.mass])
        force = -mass * self._now.change(velocity, self._frame)
        return _power(force, self._moving(velocity), self._fastest)

    def of_inertia_moment(self, body: Body) -> Sized:
        if is_particle(body):
            return Sized()
        dyadic, about = body.inertia
        (mass,), inertia = self._now.values([body.mass]), np.zeros((3, 3))
        for size, one, other in dyadic.args:
            (number,) = self._now.values([size])
            inertia += number * np.outer(self.vector(one), self.vector(other))
        inertia -= mass * _spread(self.vector(position_from(about, body.masscenter)))
        spin = angular_velocity_in(body.frame, self._frame)
        now, rate = self.vector(spin), self._now.change(spin, self._frame)
        return _power(_inertia_moment(inertia, now, rate), self._moving(spin), self._fastest_spin)


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
        yield f"a direction {name}", _still(read.vector(parts)), _still(own.vector(vector))
    for index, body, point, place in (
        (closing.child, loop.child, loop.child_point, closing.child_position),
        (closing.parent, loop.parent, loop.parent_point, closing.parent_position),
    ):
        origin, from_link = read.tree.ground_origin, np.zeros(3)
        if index is not None:
            origin, from_link = body.masscenter, read.arm(index)
            motions = read.velocity(index, from_link), own.velocity(origin)
            one, other = (_moving(x, read.fastest) for x in motions)
            yield f"the velocity of {origin} {name}", one, other
            if not is_particle(body):
                turns = read[index].spin, own.spin(body.frame)
                one, other = (_moving(x, read.fastest_spin) for x in turns)
                yield f"the rotation of {body} {name}", one, other
        if place is not None and origin is not None:
            arm = own.vector(position_on_ground(point, origin)) + from_link
            yield f"the point {point} {name}", _still(read.vector(place)), _still(arm)
