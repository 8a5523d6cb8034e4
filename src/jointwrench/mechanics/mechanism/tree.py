"""A tree of bodies on ground: their connections and relative motions."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from sympy import Expr, ImmutableDenseMatrix, S, Symbol
from sympy.matrices import MatrixBase
from sympy.physics.mechanics import System
from sympy.physics.mechanics.loads import LoadBase
from sympy.physics.vector import Point, ReferenceFrame

from ...checks.arguments import shorten
from ..arithmetic.expression_derivatives import differentiate_leaf
from ..spatial.components import leaves
from ..sympy_objects import Body, is_particle
from .declared_inputs import inputs_in
from .deduced_structure import Deduced
from .geometry import Geometry
from .loads import Loads
from .loop_closures import Constraints
from .model_fingerprint import Fingerprint
from .relative_motion import RelativeMotion, Side, is_unit_quaternion
from .time_derivative import TimeDerivative

#: The position of a link's origin from itself.
AT_ORIGIN = ImmutableDenseMatrix.zeros(3, 1)

#: The inertia matrix of a massless frame or a particle.
NO_INERTIA = ImmutableDenseMatrix.zeros(3, 3)


#: Limits of a message's number of problems and of characters, so that it fits on a screen.
MOST_PROBLEMS = 10
MOST_LETTERS = 1800


class TopologyError(ValueError):
    """The model is not a tree of bodies on ground, or a load cannot be assigned to a body.

    Raised by `InverseDynamics`.

    Parameters
    ==========

    argument : str
        The argument that holds the model.
    problems : sequence of str
        All problems that were found.

    See Also
    ========

    InverseDynamics : Raises it.

    Examples
    ========

    >>> import jointwrench as jw
    >>> from sympy.physics.mechanics import RigidBody, System
    >>> system = System.from_newtonian(RigidBody("ground"))
    >>> system.add_bodies(RigidBody("loose"))
    >>> try:
    ...     jw.InverseDynamics(system)
    ... except jw.TopologyError as error:
    ...     print(len(error.problems))
    1
    """

    def __init__(self, argument: str, problems: Sequence[str]) -> None:
        super().__init__(argument, problems)  # what makes the error again after pickling
        self.argument = argument
        self.problems = tuple(problems)

    def __str__(self) -> str:
        listed: list[str] = []
        for problem in self.problems[:MOST_PROBLEMS]:
            if sum(map(len, listed)) < MOST_LETTERS:
                listed.append(shorten(problem, MOST_LETTERS // 3))
        if more := len(self.problems) - len(listed):
            listed.append(f"and {more} more, in `problems` of this error")
        listing = "".join(f"\n- {problem}" for problem in listed)
        expected = "be a tree of bodies on ground, whose loads each belong to one body"
        if self.argument == "loops":
            expected = "join bodies of the model as its constraints do"
        return f"`{self.argument}` must {expected}, but:{listing}"


@dataclass(frozen=True)
class Link:
    """A moving body with the joint that connects it to the next body towards ground.

    All positions of a link are from its *origin*, the point of its outer side.  By default it is a
    massless frame without a joint.

    Attributes
    ==========

    joint : Joint or Connection, or None
        The joint; None if the motion is prescribed.
    inner : int or None
        The index of the inner link; None for ground.
    is_reversed : bool
        Whether the body is the parent of its joint.
    inner_side, outer_side : Side
        The joint's sides on the inner body and on this body.
    attachment : matrix
        The position of the inner side's point from the inner link's origin, in the inner link's
        frame; zero on ground.
    motion : RelativeMotion
        The motion relative to the inner body.
    mass, masscenter, inertia : Expr, matrix, matrix
        The body's mass, the position of its mass centre from the origin, and its inertia, in the
        body's frame.
    inertia_is_about_origin : bool
        Whether the inertia is about the origin instead of the mass centre.
    wrench_point : matrix
        The position of the point about which the joint wrench is reported; zero for a Joint.
    child_motion : RelativeMotion or None
        For a reversed link the motion of the joint's child relative to its parent.
    """

    inner: int | None
    inner_side: Side
    outer_side: Side
    motion: RelativeMotion
    attachment: ImmutableDenseMatrix = AT_ORIGIN
    mass: Expr = S.Zero
    masscenter: ImmutableDenseMatrix = AT_ORIGIN
    inertia: ImmutableDenseMatrix = NO_INERTIA
    inertia_is_about_origin: bool = False
    joint: Any = None
    is_reversed: bool = False
    wrench_point: ImmutableDenseMatrix = AT_ORIGIN
    child_motion: RelativeMotion | None = None

    @property
    def body(self) -> Body:
        return self.outer_side.body

    @property
    def frame(self) -> ReferenceFrame:
        """The frame of the link's components.

        It is the body's frame, for a particle the joint's interframe, and for a body whose frame
        has no orientation the frame that replaces it.
        """
        return self.outer_side.frame

    @property
    def is_unoriented(self) -> bool:
        """Whether the body's own frame has no orientation, so that `frame` replaces it."""
        return not is_particle(self.body) and self.frame is not self.body.frame

    @property
    def own_frame(self) -> ReferenceFrame:
        """The frame that rotates with the body, even if `frame` replaces it."""
        return self.body.frame if self.is_unoriented else self.frame

    @property
    def origin(self) -> Point:
        """The origin of the link's positions: the joint's point on the body."""
        return self.outer_side.point

    @property
    def child_frame(self) -> ReferenceFrame:
        """The frame of the joint's child; for a particle the child interframe."""
        return Side.child(self.joint).frame if self.is_reversed else self.frame

    @property
    def expressions(self) -> Iterator[Expr | MatrixBase]:
        yield from (self.mass, self.masscenter, self.inertia, self.attachment, self.wrench_point)
        yield from self.motion.expressions

    @property
    def is_point_mass(self) -> bool:
        """Whether the body's central inertia is zero."""
        return not self.inertia_is_about_origin and self.inertia.is_zero_matrix is True


@dataclass(frozen=True, eq=False, repr=False)
class Tree:
    """The moving bodies of a model as links; inner links come before outer links.

    Attributes
    ==========

    frame : ReferenceFrame
        The inertial frame.
    ground : tuple of body
        The bodies that do not move.
    links : tuple of Link
        The moving bodies.
    joints, coordinates, speeds : tuple
        Joints, generalized coordinates and speeds, in the model's order.
    loads : tuple of LoadBase
        All known loads, also those of actuators.
    derivative : TimeDerivative
        Differentiates expressions with respect to time, in speeds.
    fixed_point : Point or None
        A point that is fixed in the inertial frame.
    system : System or None
        The model; None if it is a KanesMethod.
    assigned : Loads
        The loads with the links on which they act.
    constraints : Constraints
        Loop joints, contacts and the model's own constraint equations.
    deduced : Deduced or None
        The connections that rules deduced; None if the model or the user states them.
    geometry : Geometry
        The positions and orientations when the model was read.
    fingerprint : Fingerprint
        Detects later changes of the model.
    """

    frame: ReferenceFrame
    ground: tuple[Body, ...]
    links: tuple[Link, ...]
    joints: tuple[Any, ...]
    loads: tuple[LoadBase, ...]
    coordinates: tuple[Expr, ...]
    speeds: tuple[Expr, ...]
    derivative: TimeDerivative
    fixed_point: Point | None = None
    system: System | None = None
    assigned: Loads = field(default_factory=Loads)
    constraints: Constraints = field(default_factory=Constraints)
    deduced: Deduced | None = None
    geometry: Geometry = field(init=False)
    fingerprint: Fingerprint = field(init=False)

    def __post_init__(self) -> None:
        sides = [side for link in self.links for side in (link.inner_side, link.outer_side)]
        points = [side.point for side in sides] + [side.body.masscenter for side in sides]
        points += [] if self.fixed_point is None else [self.fixed_point]
        frames = [frame for side in sides for frame in (side.frame, side.interframe)]
        frames = [self.frame, *frames]
        object.__setattr__(self, "geometry", Geometry(points, frames))
        loops = [closing.joint for closing in self.constraints.closings]
        points += [point for loop in loops for point in (loop.parent_point, loop.child_point)]
        frames += [frame for load in self.loads for _, frame in load.vector.args]
        places = [load.location for load in self.loads]
        points += [place for place in places if isinstance(place, Point)]
        frames += [place for place in places if isinstance(place, ReferenceFrame)]
        bodies = (*self.ground, *(link.body for link in self.links))
        fingerprint = Fingerprint(self.system, bodies, points, frames)
        object.__setattr__(self, "fingerprint", fingerprint)

    @property
    def argument(self) -> str:
        """The name of the user's argument that has the model, for messages."""
        return "kane" if self.system is None else "system"

    @property
    def time(self) -> Symbol:
        return self.derivative.time

    @cached_property
    def accelerations(self) -> tuple[Expr, ...]:
        return tuple(differentiate_leaf(speed, self.time) for speed in self.speeds)

    @cached_property
    def states(self) -> frozenset[Expr]:
        return frozenset((*self.coordinates, *self.speeds, *self.accelerations))

    @cached_property
    def symbols(self) -> frozenset[Expr]:
        """The symbols and functions, except states, in all parts of the model except loads."""
        constraints, options = self.constraints, (self.derivative, self.states)
        own = [*self.rates, *(x for link in self.links for x in link.expressions)]
        own += [part.components for part in self.assigned.gravity_parts]
        found = inputs_in(own, *options)
        found |= inputs_in(constraints.position_expressions, *options, orders=2)
        found |= inputs_in(constraints.velocity_expressions, *options, orders=1)
        return frozenset(found | (self.ground_symbols if constraints.closings else set()))

    @cached_property
    def load_symbols(self) -> frozenset[Expr]:
        """The symbols and functions, except states, in the loads."""
        loads = (x for load in self.assigned.applied for x in load.expressions)
        return frozenset(inputs_in(loads, self.derivative, self.states))

    @cached_property
    def ground_symbols(self) -> frozenset[Expr]:
        """The symbols in the relative positions of joints on ground."""
        places = self.constraints.ground_points.values()
        return frozenset(inputs_in(places, self.derivative, self.states))

    @cached_property
    def _turned_by(self) -> list[tuple[ImmutableDenseMatrix, tuple[Expr, ...]]]:
        """The rotations of joints that depend on coordinates, each with these coordinates."""
        places = {q: k for k, q in enumerate(self.coordinates)}
        rotations = (rotation for link in self.links for rotation in link.motion.rotations)
        pairs = ((x, sorted(leaves(x) & places.keys(), key=places.__getitem__)) for x in rotations)
        return [(rotation, tuple(own)) for rotation, own in pairs if own]

    @cached_property
    def turning(self) -> frozenset[Expr]:
        """The coordinates that rotate links: angles, components of quaternions."""
        return frozenset(q for _, own in self._turned_by for q in own)

    @cached_property
    def unit_quaternions(self) -> tuple[tuple[Expr, ...], ...]:
        """The groups of four coordinates that are the components of a unit quaternion."""
        found = (own for rotation, own in self._turned_by if is_unit_quaternion(rotation, own))
        return tuple(dict.fromkeys(found))

    @property
    def is_turning(self) -> np.ndarray:
        """A boolean mask of coordinates that rotate links: angles, components of quaternions."""
        return np.array([q in self.turning for q in self.coordinates], bool)

    @property
    def quaternion_columns(self) -> list[list[int]]:
        """The indices of each unit quaternion's components among the coordinates."""
        places = {coordinate: k for k, coordinate in enumerate(self.coordinates)}
        return [[places[q] for q in group] for group in self.unit_quaternions]

    @property
    def angle_columns(self) -> list[int]:
        """The indices of coordinates that rotate links and are in no quaternion: angles."""
        others = {column for group in self.quaternion_columns for column in group}
        return [k for k, turns in enumerate(self.is_turning) if turns and k not in others]

    @property
    def rates(self) -> tuple[Expr, ...]:
        """The time derivative of each coordinate, in terms of speeds and coordinates."""
        return tuple(
            self.derivative.rates[differentiate_leaf(q, self.time)] for q in self.coordinates
        )

    @cached_property
    def index_of_body(self) -> dict[Body, int | None]:
        """The index of each body's link; None for the bodies of ground."""
        indices: dict[Body, int | None] = dict.fromkeys(self.ground)
        indices.update({link.body: index for index, link in enumerate(self.links)})
        return indices

    @cached_property
    def index_of_joint(self) -> dict[Any, int]:
        return {link.joint: i for i, link in enumerate(self.links) if link.joint is not None}

    @property
    def idle_speeds(self) -> tuple[Expr, ...]:
        """The speeds that move no body, for instance those of a contact point."""
        moving = {speed for link in self.links for speed in link.motion.speeds}
        return tuple(speed for speed in self.speeds if speed not in moving)

    @property
    def joint_links(self) -> list[Link]:
        """The links of the joints, in the joints' order."""
        return [self.links[self.index_of_joint[joint]] for joint in self.joints]

    @property
    def all_joints(self) -> tuple[Any, ...]:
        """The joints of the tree in the model's order, then the loop joints and contacts."""
        return (*self.joints, *(closing.joint for closing in self.constraints.closings))

    @property
    def wrench_frames(self) -> tuple[ReferenceFrame, ...]:
        """The frames in which the wrenches of `all_joints` have their components."""
        children = (closing.child for closing in self.constraints.closings)
        return (*(link.child_frame for link in self.joint_links), *map(self.frame_of, children))

    @property
    def ground_origin(self) -> Point | None:
        """The point of ground from which positions on ground are measured."""
        on_ground = (link.inner_side.point for link in self.links if link.inner is None)
        return next(on_ground, None) if self.fixed_point is None else self.fixed_point

    def rotation_to_child(self, link: Link) -> ImmutableDenseMatrix:
        """Return the matrix that converts a reversed link's components to its child's frame.

        They are components in the inner frame.
        """
        return self.geometry.dcm(link.child_frame, self.frame_of(link.inner))

    def frame_of(self, link: int | None) -> ReferenceFrame:
        """Return the frame of a link by its index; for ground (None) the inertial frame."""
        return self.frame if link is None else self.links[link].frame
