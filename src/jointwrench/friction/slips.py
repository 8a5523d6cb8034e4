"""Sliding velocities and normal forces between the surfaces of joints with friction."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from sympy import Rational

from ..checks.arguments import find_named
from ..checks.tolerances import NO_SLIP
from ..mechanics.arithmetic.derivatives import jacobian
from ..mechanics.arithmetic.expression_derivatives import ParameterSymbol
from ..mechanics.arithmetic.factorization import dot
from ..mechanics.arithmetic.generic_state import GenericState, find_unspanned, is_decidable
from ..mechanics.arithmetic.graph import Graph, Scalar, apply_function, replace_inputs, total
from ..mechanics.arithmetic.piecewise import Gate
from ..mechanics.arithmetic.term_sizes import squared_terms
from ..mechanics.arithmetic.vectors import Vec, vector_sum, zero
from ..mechanics.dynamics.derivation import Derivation
from ..mechanics.dynamics.load_laws import LawLoad
from ..mechanics.dynamics.loops.constraint_errors import slip_velocity, velocity_errors
from ..mechanics.dynamics.loops.scaling import length_of, units_of_speeds
from ..mechanics.dynamics.loops.unknowns import Unknown
from ..mechanics.dynamics.outputs.constraint_wrench_outputs import partial_twists
from ..mechanics.dynamics.recursion.rigid_body import BodyMotion, BodyWrench, Wrenches
from ..mechanics.dynamics.recursion.scalar_tree import ScalarTree, Transform
from ..mechanics.mechanism.loads import LinkIndex
from ..mechanics.mechanism.loop_closures import LoopClosure
from .friction_parameters import FrictionParameters

#: The kinds of loop joints that rotate, and the kinds that slide.
TURNING = ("pin", "spherical")
SLIDING = ("prismatic", "planar", "point_on_line", "point_on_plane", "contact")


class Slip(NamedTuple):
    """The motion of a joint's child relative to its parent, in the child's frame.

    Attributes
    ==========

    is_turn : bool
        Whether the motion is a rotation; else it is a translation.
    velocity : Vec
        The angular velocity or the velocity.
    axes : tuple of Vec
        Orthonormal vectors that span the velocity: one for an axis, more for planes and balls.
    normal : tuple of Vec
        The unit vectors along which the surfaces press on each other.
    """

    is_turn: bool
    velocity: Vec
    axes: tuple[Vec, ...]
    normal: tuple[Vec, ...]

    @property
    def axis(self) -> Vec | None:
        """The axis of the motion; None for balls and planes."""
        return self.axes[0] if len(self.axes) == 1 else None


@dataclass(frozen=True, eq=False)
class Friction(LawLoad):
    """A friction law at a joint: its slip, normal forces and wrench.

    Attributes
    ==========

    law : FrictionParameters
        The parameters.
    speed : Scalar
        The sliding speed along the axis, or the magnitude of the slip.
    sliding : Scalar
        The speed, with zero where it is only roundoff.
    slip : Slip
        The motion of the child relative to the parent.
    """

    law: FrictionParameters
    speed: Scalar
    sliding: Scalar
    slip: Slip

    def normal_forces(self, wrench: BodyWrench) -> list[tuple[Scalar, list[Scalar]]]:
        """Return the normal forces for a bearing's wrench: pairs (arm, components)."""
        graph, law, axis = self.speed.graph, self.law, self.slip.axis
        arm, force = graph.scalar(law.radius or 1), wrench.force
        if law.supports is not None:  # F/2 +- a x M / distance
            assert axis is not None
            half = force * graph.scalar(Rational(1, 2))
            tilt = axis.cross(wrench.moment) * graph.scalar(1 / law.supports)
            found = [(arm, self._normals(half + tilt)), (arm, self._normals(half - tilt))]
        else:
            found = [(arm, self._normals(force))]
        if law.collar is not None:
            assert axis is not None
            found.append((graph.scalar(law.collar), [axis.dot(force)]))
        return found

    def _normals(self, force: Vec) -> list[Scalar]:
        return [direction.dot(force) for direction in self.slip.normal]


def friction_loads(derivation: Derivation) -> list[Friction]:
    """Return the friction loads of a derivation."""
    return [load for load in derivation.law_loads if isinstance(load, Friction)]


def make_friction(
    tree: ScalarTree,
    motions: Sequence[BodyMotion],
    state: GenericState,
    law: FrictionParameters,
    number: int,
) -> Friction:
    """Return the load of a friction law at a joint of the model, with a symbol for its value."""
    graph = tree.graph
    joints = tree.symbolic.all_joints
    joint = joints[find_named("joint", law.joint, joints)]
    closing = next((x for x in tree.symbolic.constraints.closings if x.joint is joint), None)
    if closing is None:
        slip, columns = _slip_of_link(tree, state, joint)
    else:
        slip, columns = _slip_of_closing(tree, state, motions, closing), {}
    _check_parts(law, joint, slip)
    parts = _without_vanishing(tree, motions, [axis.dot(slip.velocity) for axis in slip.axes])
    moving = [k for k, part in enumerate(parts) if not part.is_zero]
    if len(moving) < 2:  # an axis, or a plane in which the motion is along a line
        k = moving[0] if moving else 0
        speed, unit = parts[k], slip.axes[k]
    else:
        if law.sense is not None:
            raise ValueError(
                f"`sense` of the friction in {joint.name!r} must be left out: the joint moves in "
                "more than one direction."
            )
        speed, shares = _length(law, parts)
        unit = vector_sum(axis * share for axis, share in zip(slip.axes, shares, strict=True))
    nothing = zero(graph)
    on_child = BodyWrench(nothing, unit) if slip.is_turn else BodyWrench(unit, nothing)
    if closing is None:
        column = [unit.dot(columns.get(u, nothing)) for u in tree.symbolic.speeds]
        unknown = Unknown(law, column, {})
    else:
        unknown = Unknown(law, [], _on_links(tree, closing, on_child))
    symbol = ParameterSymbol.numbered("friction", number)
    sliding = speed if law.width is not None else _drop_rounding(tree, speed, parts, slip)
    phi = graph.scalar(symbol)
    return Friction(joint, symbol, on_child, unknown, phi, law, speed, sliding, slip)


def _without_vanishing(
    tree: ScalarTree, motions: Sequence[BodyMotion], parts: Sequence[Scalar]
) -> list[Scalar]:
    """Return velocities, with zeros for those that vanish in all motions under the constraints."""
    # One assembled state is not enough: the coupler of a parallelogram rotates only in the assembly
    # in which the cranks cross.
    state = GenericState(tree.graph)
    parts = state.without_zeros(parts)
    if not tree.symbolic.constraints:
        return parts
    rows = [_affine(tree, x) for x in (*velocity_errors(tree, motions), *parts)]

    def free(state: GenericState) -> list[int]:
        known = state.rows(rows)
        own, rest = known[: -len(parts)], known[-len(parts) :]
        if not is_decidable(own):
            return [*range(len(parts))]
        return [k for k, x in enumerate(rest) if not is_decidable([x]) or find_unspanned(own, [x])]

    found = state.decide(free)
    return [x if k in found else tree.graph.scalar(0) for k, x in enumerate(parts)]


def _affine(tree: ScalarTree, velocity: Scalar) -> list[Scalar]:
    """Return the coefficients of all speeds in a velocity, and the velocity at zero speeds."""
    speeds = tree.symbolic.speeds
    (row,) = jacobian(tree.graph, [velocity], speeds)
    return [*row, *replace_inputs([velocity], dict.fromkeys(speeds, tree.graph.scalar(0)))]


def _drop_rounding(tree: ScalarTree, speed: Scalar, parts: Sequence[Scalar], slip: Slip) -> Scalar:
    """Return a speed, with zero where it is only roundoff of the speeds in it."""
    # In loops all speeds depend on each other; they are compared as translations.
    graph = tree.graph
    squares = squared_terms(graph, parts)
    if tree.symbolic.constraints:
        one = length_of(tree) if slip.is_turn else graph.scalar(1)
        units = (unit / one for unit in units_of_speeds(tree))
        speeds = map(graph.scalar, tree.symbolic.speeds)
        squares += squared_terms(graph, [u * x for u, x in zip(speeds, units, strict=True)])
    size = total(squares)
    if size.ref == (speed * speed).ref:
        return speed
    return apply_function(Gate, speed * speed, size * NO_SLIP**2, speed, 0)


def _length(law: FrictionParameters, parts: Sequence[Scalar]) -> tuple[Scalar, list[Scalar]]:
    """Return the length and the direction of a vector; with a width both are smooth at zero."""
    graph, square = parts[0].graph, dot(parts, parts)
    if law.width is not None:
        square = square + graph.scalar(law.width**2 * Rational(1, 10**16))
    share = square ** Rational(-1, 2)
    return square ** Rational(1, 2), [part * share for part in parts]


# -- joints of the tree -----------------------------------------------------------


def _slip_of_link(tree: ScalarTree, state: GenericState, joint: Any) -> tuple[Slip, dict[Any, Vec]]:
    """Return the slip of a joint of the tree, and its partial velocities by speed."""
    graph, link = tree.graph, tree.symbolic.links[tree.symbolic.index_of_joint[joint]]
    link = replace(link, motion=link.child_motion or link.motion)
    turns, shifts = partial_twists(graph, link, Transform(graph, link), state)
    kinds = [[x for x in vectors if not x.is_zero] for vectors in (turns, shifts)]
    if bool(kinds[0]) == bool(kinds[1]):
        raise ValueError(
            f"`frictions` must be at joints that either rotate or translate, but {joint.name!r} "
            f"{'does both' if kinds[0] else 'does neither'}. Use a joint for each of its degrees "
            "of freedom, with massless bodies between them."
        )
    is_turn = bool(kinds[0])
    pairs = zip(link.motion.speeds, turns if is_turn else shifts, strict=True)
    columns = {speed: vector for speed, vector in pairs if not vector.is_zero}
    velocity = vector_sum(vector * graph.scalar(u) for u, vector in columns.items())
    vectors = list(columns.values())
    is_along = state.rank([vector.components for vector in vectors]) == 1
    if not is_along:
        return Slip(is_turn, velocity, _triad(graph), _triad(graph)), columns
    return _slip_along(state, is_turn, velocity, _unit(state, vectors[0])), columns


# -- loop joints and contacts -----------------------------------------------------


def _slip_of_closing(
    tree: ScalarTree, state: GenericState, motions: Sequence[BodyMotion], closing: LoopClosure
) -> Slip:
    """Return the slip of a loop joint or contact."""
    child, kind = closing.child, closing.joint.kind
    if kind in TURNING:
        spins = [_spin(tree, motions, link, child) for link in (child, closing.parent)]
        spin = spins[0] - spins[1]
        if kind == "spherical":
            return Slip(True, spin, _triad(tree.graph), _triad(tree.graph))
        one, other = (tree.express(x, child) for x in closing.moments)
        return _slip_along(state, True, spin, _unit(state, one.cross(other)))
    if kind not in SLIDING or len(closing.forces) == 3:
        raise ValueError(
            "`frictions` must be at joints that either rotate or slide, but "
            f"{closing.joint.name!r} is a "
            f"{kind}{' without slip in any direction' * (kind == 'contact')}. Use "
            f"{', '.join((*TURNING, *SLIDING))} with one or two directions."
        )
    forces = [tree.express(x, child) for x in closing.forces]
    slip = slip_velocity(tree, motions, closing)
    if len(forces) == 2:
        return _slip_along(state, False, slip, _unit(state, forces[0].cross(forces[1])))
    return Slip(False, slip, _normals(state, forces[0]), (forces[0],))


def _on_links(tree: ScalarTree, closing: LoopClosure, on_child: BodyWrench) -> Wrenches:
    """Return the wrenches on both links, by link, of a wrench on the child about its point."""
    place = tree.express(closing.child_position, closing.child)
    found: Wrenches = {}
    for link, sign in ((closing.child, 1), (closing.parent, -1)):
        if link is not None:
            parts = on_child.force, on_child.moment
            turned = BodyWrench(*(tree.rotate(x, closing.child, link) for x in parts))
            own = turned.about(-tree.place(place, closing.child, link))
            found[link] = own if sign > 0 else -own
    return found


def _spin(
    tree: ScalarTree, motions: Sequence[BodyMotion], link: LinkIndex, frame: LinkIndex
) -> Vec:
    """Return a link's angular velocity with components in the frame of link ``frame``."""
    if link is None:
        return zero(tree.graph)
    return tree.rotate(motions[link].angular_velocity, link, frame)


# -- directions -------------------------------------------------------------------


def _triad(graph: Graph) -> tuple[Vec, ...]:
    return tuple(Vec.enter(graph, [int(i == k) for k in range(3)]) for i in range(3))


def _slip_along(state: GenericState, is_turn: bool, velocity: Vec, axis: Vec) -> Slip:
    """Return the slip along or about an axis."""
    return Slip(is_turn, velocity, (axis,), _normals(state, axis))


def _unit(state: GenericState, vector: Vec) -> Vec:
    """Return a vector's unit vector; a vector of length 1 is returned unchanged."""
    square = vector.dot(vector)
    if state.is_zero(square - 1):
        return vector
    return vector * square ** Rational(-1, 2)


def _normals(state: GenericState, axis: Vec) -> tuple[Vec, Vec]:
    """Return two orthogonal unit vectors normal to an axis, if possible a coordinate axis."""
    triad = _triad(axis.x.graph)
    other = next((e for e, x in zip(triad, axis.components, strict=True) if x.is_zero), None)
    if other is None:
        other = _unit(state, axis.cross(triad[0]))
    return axis.cross(other), other


def _check_parts(law: FrictionParameters, joint: Any, slip: Slip) -> None:
    """Raise an error for parameters that do not suit the joint, or for a missing radius."""
    if slip.is_turn != (law.radius is not None):
        raise ValueError(
            f"`radius` of the friction in {joint.name!r} must be "
            + ("given, since the joint turns." if slip.is_turn else "left out: the joint slides.")
        )
    if law.one_sided and len(slip.normal) > 1:
        raise ValueError(
            f"`one_sided` of the friction in {joint.name!r} must be left out: it has normal "
            "forces in more than one direction. Use it at a point_on_plane or planar LoopJoint, "
            "or at a Contact with one direction."
        )
    has_axis = slip.axis is not None
    for argument, fits in (("collar", slip.is_turn and has_axis), ("supports", has_axis)):
        if getattr(law, argument) is not None and not fits:
            raise ValueError(
                f"`{argument}` of the friction in {joint.name!r} must be left out: the joint "
                f"{'turns' if slip.is_turn else 'slides'} {'along' if has_axis else 'without'} an "
                "axis."
            )
