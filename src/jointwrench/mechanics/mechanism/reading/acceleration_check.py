"""The check that accelerations set in sympy are the derivatives of the velocities.

KanesMethod uses a stated acceleration unchecked.  This package differentiates velocities.
"""

from collections.abc import Iterable, Iterator

from sympy.physics.vector import ReferenceFrame, Vector

from ...adapters.private_sympy import stated_accelerations
from ...sympy_objects import Body, is_particle
from ..time_derivative import TimeDerivative
from .kinematics_check import are_close, format_numbers, stated_velocity
from .random_state import RandomState


def acceleration_problems(
    bodies: Iterable[Body], inertial: ReferenceFrame, derivative: TimeDerivative, state: RandomState
) -> Iterator[str]:
    """Yield the problems of stated accelerations that are not derivatives of velocities.

    These are the mass centres' accelerations and the frames' angular accelerations, relative to the
    inertial frame.
    """
    for body in bodies:
        center, frame = body.masscenter, None if is_particle(body) else body.frame
        if (stated := stated_accelerations(center).get(inertial)) is not None:
            velocity = stated_velocity(center, inertial)
            right = "a2pt_theory only where v2pt_theory"
            if found := _difference(velocity, derivative.of_states(stated), inertial, state):
                yield f"the acceleration of {center} {found} Use {right} holds at every instant."
        if frame and (stated := stated_accelerations(frame).get(inertial)) is not None:
            velocity, right = frame.ang_vel_in(inertial), "set_ang_acc only where it"
            if found := _difference(velocity, derivative.of_states(stated), inertial, state):
                name = f"angular acceleration of {frame}"
                yield f"the {name} {found} Use {right} holds at every instant."


def _difference(
    velocity: Vector, acceleration: Vector, inertial: ReferenceFrame, state: RandomState
) -> str:
    """Return the problem of an acceleration that is not its velocity's derivative, else no text.

    Both vectors are compared at a random state, as components in the inertial frame.
    """

    def check(instant: RandomState) -> list[str]:
        """Return the problem as a list, empty if the vectors agree at an instant."""
        stated = instant.components(acceleration, inertial)
        rate = instant.time_derivative(velocity, inertial)
        if are_close(stated, rate, size=instant.largest_component(acceleration)):
            return []
        return [
            f"in {inertial} was set, and KanesMethod takes it, but it is not the derivative of the "
            f"velocity: {format_numbers(stated)} against {format_numbers(rate)} in {inertial}, at "
            "a random state. The forces and accelerations here are those of the velocity."
        ]

    return "".join(state.first_defined(check))
