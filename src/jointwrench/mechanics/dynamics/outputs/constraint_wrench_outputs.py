"""The parts of joint wrenches that constraints supply."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

from ...arithmetic.generic_state import GenericState
from ...arithmetic.graph import Graph
from ...arithmetic.output import Output
from ...arithmetic.vectors import Vec
from ...mechanism.tree import Link
from ..derivation import Derivation
from ..recursion.rigid_body import BodyWrench
from ..recursion.scalar_tree import Transform
from .wrench_outputs import Parts, check_locations, closing_wrench, wrench_on_child, wrench_output


def constraint_wrenches_output(derivation: Derivation) -> Output:
    title = "wrenches of the joints' constraints (force, moment)"
    parts = constraint_wrench_parts(derivation)
    return wrench_output(derivation, "constraint_wrenches", title, parts)


def constraint_wrench_parts(derivation: Derivation) -> Parts:
    """Return the constraint wrenches on all children, and their undetermined parts."""
    check_locations(derivation)
    joints = derivation.tree.all_joints
    wrenches = [bearing_wrench(derivation, joint) for joint in joints]
    return wrenches, [bearing_wrench(derivation, joint, is_open=True) for joint in joints]


def bearing_wrench(derivation: Derivation, joint: Any, is_open: bool = False) -> BodyWrench:
    """Return a joint's constraint wrench on its child, or its undetermined part."""
    supply = derivation.supply
    wrenches, values = derivation.joint_wrenches, supply.solution.values
    if is_open:
        wrenches, values = supply.open_wrenches, supply.open_values
    for closing in derivation.closings:
        if closing.joint is joint:
            return closing_wrench(derivation, closing, values)  # a loop joint leaves nothing free
    index = derivation.tree.index_of_joint[joint]
    link = derivation.tree.links[index]
    towards_child = replace(link, motion=link.child_motion or link.motion)
    wrench = wrench_on_child(derivation, index, wrenches[index])
    return constraint_part(derivation.graph, towards_child, wrench)


def constraint_part(graph: Graph, link: Link, wrench: BodyWrench) -> BodyWrench:
    """Return the part of a joint wrench that the joint's constraint supplies.

    This is the wrench on the child, about the child's point, without its components along the
    joint's free directions.  The motion of ``link`` must be that of the child relative to the
    parent.  Motions that are no combination of rotations and translations, such as that of a screw,
    are refused.
    """
    state = GenericState(graph)
    transform = Transform(graph, link)
    turns, shifts = partial_twists(graph, link, transform, state)
    triples = zip(link.motion.speeds, turns, shifts, strict=True)
    mixed = [u for u, turn, shift in triples if not (turn.is_zero or shift.is_zero)]
    if mixed and not _split(state, turns, shifts):
        raise ValueError(
            f"`joint` must have speeds that rotate or translate, but {mixed[0]} of "
            f"{link.joint.name!r} does both, so that its constraint wrench is not unique. Use "
            "joint_wrench."
        )
    if link.wrench_point.is_zero_matrix:  # shifts have their simplest form in the inner frame
        shifts = [Vec.enter(graph, link.motion.linear_partial(u)) for u in link.motion.speeds]
        force = wrench.force
        if not all(shift.is_zero for shift in shifts):
            force = transform.outward(_normal_part(state, shifts, transform.inward(force)))
    else:
        force = _normal_part(state, shifts, wrench.force)
    return BodyWrench(force, _normal_part(state, turns, wrench.moment))


def partial_twists(
    graph: Graph, link: Link, transform: Transform, state: GenericState
) -> tuple[list[Vec], list[Vec]]:
    """Return the partial angular velocities of a link, and velocities of its wrench point.

    Both are in the link's frame, in the order of the joint's speeds.
    """
    arm = Vec.enter(graph, link.wrench_point)
    turns, shifts = [], []
    for speed in link.motion.speeds:
        turn = Vec.enter(graph, link.motion.angular_partial(speed))
        shift = transform.outward(Vec.enter(graph, link.motion.linear_partial(speed)))
        turns.append(Vec(*state.without_zeros(turn.components)))
        shifts.append(Vec(*state.without_zeros((shift + turn.cross(arm)).components)))
    return turns, shifts


def _split(state: GenericState, turns: Sequence[Vec], shifts: Sequence[Vec]) -> bool:
    """Return whether twists span all combinations of their rotations and translations."""
    angular = [turn.components for turn in turns]
    linear = [shift.components for shift in shifts]
    twists = [(*turn, *shift) for turn, shift in zip(angular, linear, strict=True)]
    return state.rank(twists) == state.rank(angular) + state.rank(linear)


def _normal_part(state: GenericState, directions: Sequence[Vec], vector: Vec) -> Vec:
    """Return the component of a vector normal to all directions."""
    directions = [direction for direction in directions if not direction.is_zero]
    if not directions:
        return vector
    for first, second, third in combinations(directions, 3):
        if not state.is_zero(first.cross(second).dot(third)):
            return vector - vector
    for first, second in combinations(directions, 2):
        normal = first.cross(second)
        if not state.is_zero(normal.dot(normal)):
            return _along(normal, vector)
    return vector - _along(directions[0], vector)


def _along(direction: Vec, vector: Vec) -> Vec:
    """Return the component of a vector along a direction."""
    return direction * (direction.dot(vector) * direction.dot(direction).reciprocal())
