"""Comparison of a tree with the statements of its model: powers along random virtual velocities.

The power ``F . dv`` of each load and ``-m a . dv - (I al + w x I w) . dw`` of each body's inertia
are computed twice at a random state, in doubles.  The first time they follow from the relative
motions of the tree, the second time from the velocities, frames and inertias that sympy's objects
store.  A difference is a fault of the reader.  For loop joints the terms of their velocity
equations are compared.
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

#: Inertial components of a vector at the state's speeds, then with each virtual velocity added;
#: shape (1 + VIRTUAL, 3).
Moving: TypeAlias = np.ndarray

#: The number of virtual velocities.
VIRTUAL = 2

#: The advice in the message about a contradiction.
REPORT = "Unless `owners` moves a load, please report this fault of jointwrench, with the model."


class StatedModel(NamedTuple):
    """The bodies, the loads and the kinematical differential equations of a model.

    Attributes
    ==========

    bodies : sequence of body
        The bodies.
    loads : sequence of LoadBase
        The loads.
    kdes : sequence of Expr
        The residuals of the kinematical differential equations.
    has_reactions : bool
        Whether the model has auxiliary speeds.  Its loads then contain reactions, whose powers
        cancel in the sum of all loads but not at single points.
    moved : collection of Point or ReferenceFrame
        The points and frames whose loads the user assigned to bodies.
    """

    bodies: Sequence[Body]
    loads: Sequence[LoadBase]
    kdes: Sequence[Expr] = ()
    has_reactions: bool = False
    moved: Collection[Point | ReferenceFrame] = ()

    @classmethod
    def of(cls, model: UsersModel) -> "StatedModel":
        """Return the statements of a user's System, KanesMethod or LagrangesMethod."""
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
        """Return the bodies and loads that a tree stores, for a model that is not available."""
        return cls([*tree.index_of_body], tree.loads)


def check_statements(
    tree: Tree, model: UsersModel | None = None, moved: Collection[Point | ReferenceFrame] = ()
) -> None:
    """Raise a TopologyError if a tree contradicts the statements of its model.

    If the model's stated velocities contradict its positions, the error reports these velocities.

    Parameters
    ==========

    tree : Tree
        The tree to check.
    model : System or KaneModel, optional
        The model of the tree.  Without it, the sympy objects that the tree stores are compared.
    moved : collection of Point or ReferenceFrame, optional
        The points and frames whose loads the user assigned to bodies.  They are not compared.
    """
    stated = StatedModel.kept_by(tree) if model is None else StatedModel.of(model)
    stated = stated._replace(moved=moved)
    state, constraints = RandomState(tree.derivative), tree.constraints
    for quaternion in tree.unit_quaternions:
        state = state.with_unit_norm(Matrix(quaternion))
    found = state.first_defined(partial(_differences, tree, stated))
    if found and constraints.velocity:  # perhaps substituted into velocities
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
    """Return the problems of a tree that contradicts its model at a state.

    If the state is assembled, speeds, virtual velocities and accelerations satisfy the velocity
    constraints.  Wrong rates of coordinates are reported first: they falsify all powers.
    """
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
    """Return the state, then the states with a virtual velocity added to the speeds.

    With constraints ``velocity``, all virtual velocities satisfy them, and the accelerations of the
    state satisfy their time derivative.
    """
    speeds, random = tree.speeds, np.random.default_rng(20261128)
    virtual = random.uniform(-1, 1, (VIRTUAL, len(speeds)))
    if velocity:
        *rows, rest = (x.values(velocity) for x in state.one_speed_at_a_time())
        slopes = np.transpose(rows) - rest[:, None]
        # The residuals are linear in the speeds; both projections change as little as possible.
        inverse = np.linalg.pinv(slopes, rcond=ROUNDING)
        virtual -= virtual @ (inverse @ slopes).T
        accelerations = state.values(tree.accelerations) - inverse @ state.rates(velocity)
        state = state.with_numbers(tree.accelerations, accelerations)
    now = state.values(speeds)
    return [state, *(state.with_numbers(speeds, now + x) for x in virtual)]


def _broken(kde: Expr, states: Sequence[RandomState]) -> Iterator[str]:
    """Yield the problem of a kinematical differential equation that rates do not satisfy."""
    terms = np.array([state.values(Add.make_args(kde)) for state in states])
    if (abs(terms.sum(axis=1)) > TIED * abs(terms).sum(axis=1)).any():
        yield (
            "the rates of the coordinates do not satisfy the kinematical differential equation "
            f"{shorten(kde)} = 0. {REPORT}"
        )


class Sized(NamedTuple):
    """Sums in doubles, and the size of their terms, in which roundoff is measured.

    Attributes
    ==========

    values : ndarray
        The sums.
    size : float
        The sum of the sizes of all terms.
    """

    values: np.ndarray = np.zeros(VIRTUAL)
    size: float = 0.0

    def plus(self, other: "Sized") -> "Sized":
        return Sized(self.values + other.values, self.size + other.size)

    def times(self, factor: float) -> "Sized":
        return Sized(factor * self.values, abs(factor) * self.size)

    def contradiction(self, name: str, other: "Sized") -> Iterator[str]:
        """Yield the problem if the tree's numbers differ from the stated numbers ``other``."""
        apart = abs(self.values - other.values)
        if (apart > TIED * max(self.size, other.size)).any():
            k = np.unravel_index(apart.argmax(), apart.shape)
            yield (
                f"{name} is {other.values[k]:.3g} by the velocities, frames and inertias of the "
                f"model, but {self.values[k]:.3g} by the tree of bodies, at a random state along "
                f"a virtual velocity. {REPORT}"
            )


#: The name of a compared quantity, its numbers by the tree, and its stated numbers.
Compared: TypeAlias = tuple[str, Sized, Sized]


class Largest(NamedTuple):
    """The largest terms in the motions of a tree's links, which bound the roundoff of all motions.

    The motion of a link is a sum over its inner links, so that even a slow link can have the
    roundoff of the fastest link.
    """

    velocity: float
    spin: float
    acceleration: float
    spin_rate: float


def _vector(terms: Iterable[np.ndarray], largest: float = 0.0) -> Sized:
    """Return the sum of terms; the ``largest`` term of a motion adds its roundoff to the size."""
    known = [np.zeros(3), *terms]
    size = sum(float(np.linalg.norm(x)) for x in known)
    return Sized(np.sum(known, axis=0), size + largest * CANCELLED / ROUNDING)


def _change(vectors: Moving, largest: float) -> Sized:
    """Return the changes of a vector by each virtual velocity, with the roundoff of ``largest``."""
    size = 2 * float(np.linalg.norm(vectors, axis=1).max())
    return Sized(vectors[1:] - vectors[0], size + largest * CANCELLED / ROUNDING)


def _power(force: Sized, change: Sized) -> Sized:
    """Return the power of a force or moment along virtual velocities."""
    return Sized(change.values @ force.values, change.size * force.size)


def _inertia_force(mass: float, acceleration: np.ndarray, largest: Largest) -> Sized:
    """Return the inertia force of a body, from its mass centre's acceleration."""
    return _vector([-mass * acceleration], mass * largest.acceleration)


def _inertia_moment(
    inertia: np.ndarray,
    shift: np.ndarray,
    spin: np.ndarray,
    spin_rate: np.ndarray,
    largest: Largest,
) -> Sized:
    """Return the inertia moment of a body about its mass centre, in the inertial frame.

    The central inertia is the difference of ``inertia`` and ``shift``, the inertia that the mass
    contributes about a distant point.
    """
    central = inertia - shift
    size = float(np.linalg.norm(inertia) + np.linalg.norm(shift))
    terms = -central @ spin_rate, -np.cross(spin, central @ spin)
    return _vector(terms, size * (largest.spin_rate + largest.spin**2))


def _spread(mass: float, arm: np.ndarray) -> np.ndarray:
    """Return the inertia matrix of a point mass at an arm from the reference point."""
    return mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))


# -- motions of the tree ------------------------------------------------------------------


class LinkMotion(NamedTuple):
    """The motion of a link's frame and origin, in inertial components.

    Attributes
    ==========

    turn : ndarray
        The matrix that converts components in the link's frame to inertial ones.
    velocity, spin : ndarray
        The origin's velocity and the angular velocity, at the state and with each virtual velocity.
    acceleration, spin_rate : ndarray
        The origin's acceleration and the angular acceleration at the state.
    """

    turn: np.ndarray
    velocity: Moving
    spin: Moving
    acceleration: np.ndarray
    spin_rate: np.ndarray


class ReadMotion:
    """The motion of a tree's links at a random state, computed by relative motions from ground.

    Attributes
    ==========

    tree : Tree
        The tree.
    largest : Largest
        The largest terms in the motions of all links.
    """

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
        """Return the numbers of a matrix, or of a column as a vector, at the state."""
        found = self._now.values(entries)
        return found if entries.cols == 1 else found.reshape(entries.shape)

    def _next(self, inner: LinkMotion, link: Any) -> LinkMotion:
        """Return the motion of a link from the motion of its inner link.

        The offset's derivatives are observed in the inner link, so that the acceleration also has
        the centripetal, Euler and Coriolis terms.  All results have inertial components.
        """
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
        """Return upper bounds of the terms in a mass centre's motion, in the order of `Largest`."""
        own, arm = self[index], float(np.linalg.norm(self.arm(index)))
        velocity, spin = (float(abs(x).max()) for x in (own.velocity, own.spin))
        acceleration, rate = (float(abs(x).max()) for x in (own.acceleration, own.spin_rate))
        return velocity + spin * arm, spin, acceleration + (rate + spin**2) * arm, rate

    def vector(self, parts: VectorParts) -> Sized:
        """Return the inertial components of a vector whose parts have components in links."""
        return _vector(
            self[x.link].turn @ self.matrix(x.rotation) @ self.matrix(x.components) for x in parts
        )

    def arm(self, index: int) -> np.ndarray:
        """Return the position of a link's mass centre from its origin, in the inertial frame."""
        return self[index].turn @ self.matrix(self.tree.links[index].masscenter)

    def velocity(self, index: LinkIndex, arm: np.ndarray) -> Sized:
        """Return a link's virtual velocities at an arm from its origin, in the inertial frame."""
        velocity = self[index].velocity + np.cross(self[index].spin, arm)
        return _change(velocity, self.largest.velocity)

    def spin(self, index: LinkIndex) -> Sized:
        """Return a link's virtual angular velocities in the inertial frame."""
        return _change(self[index].spin, self.largest.spin)

    def of_load(self, load: AppliedLoad) -> Sized:
        """Return the powers of a load on its link along the virtual velocities."""
        vector, index = self.vector(load.parts), load.link
        if load.position is None:
            return _power(vector, self.spin(index))
        arm = self[index].turn @ self.matrix(load.position)
        return _power(vector, self.velocity(index, arm))

    def of_weight(self, index: int) -> Sized:
        """Return the powers of a link's weight along the virtual velocities."""
        (mass,) = self._now.values([self.tree.links[index].mass])
        weight = self.vector(self.tree.assigned.gravity_parts).times(mass)
        return _power(weight, self.velocity(index, self.arm(index)))

    def of_inertia(self, index: int) -> tuple[Sized, Sized]:
        """Return the powers of a link's inertia force and inertia moment."""
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
    """The motion of points and frames by the velocities and orientations that sympy stores.

    Its methods return the same quantities as the methods of `ReadMotion`.
    """

    def __init__(
        self, frame: ReferenceFrame, states: Sequence[RandomState], largest: Largest
    ) -> None:
        self._frame, self._states, self._now, self._largest = frame, states, states[0], largest

    def vector(self, vector: Vector) -> Sized:
        """Return the inertial components of a sympy Vector at the state."""
        return _vector(self._now.components(Vector([x]), self._frame) for x in vector.args)

    def _moving(self, vector: Vector, largest: float) -> Sized:
        """Return the inertial changes of a velocity by the virtual velocities."""
        vectors = np.array([state.components(vector, self._frame) for state in self._states])
        return _change(vectors, largest)

    def velocity(self, point: Point) -> Sized:
        return self._moving(stated_velocity(point, self._frame), self._largest.velocity)

    def spin(self, frame: ReferenceFrame) -> Sized:
        return self._moving(angular_velocity_in(frame, self._frame), self._largest.spin)

    def of_load(self, load: LoadBase) -> Sized:
        """Return the powers of a load along the virtual velocities of its point or frame."""
        is_torque = isinstance(load, Torque)
        change = self.spin(load.frame) if is_torque else self.velocity(load.point)
        return _power(self.vector(load.vector), change)

    def of_inertia_force(self, body: Body) -> Sized:
        """Return the powers of a body's inertia force along the virtual velocities."""
        velocity = stated_velocity(body.masscenter, self._frame)
        (mass,), acceleration = self._now.values([body.mass]), self._rate(velocity)
        force = _inertia_force(mass, acceleration, self._largest)
        return _power(force, self.velocity(body.masscenter))

    def of_inertia_moment(self, body: Body) -> Sized:
        """Return the powers of a body's inertia moment; zero for a particle."""
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
    """Return a power from stated motions; None if the model does not state the motion.

    Frames without orientation have no stated motion.  An UndefinedError is raised again, so that
    the next random instant is tried.
    """
    try:
        return function(*arguments)
    except UndefinedError:
        raise
    except ValueError:  # sympy finds no path
        return None


def _of_inertias(
    tree: Tree, bodies: Sequence[Body], read: ReadMotion, own: StatedMotion
) -> Iterator[Compared]:
    """Yield the powers of each body's inertia; for a body of ground they are zero by the tree."""
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
    """Yield the powers of the loads, summed at each point or frame.

    Only the sums are comparable, since the tree replaces the weights of bodies by uniform gravity.
    With reactions at auxiliary speeds, only the sum over all points and frames is compared.
    """

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
    """Yield the terms of a loop joint's velocity equations.

    These are the directions, the joint's points, and the velocities of both bodies.
    """
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
