"""Are accelerations that were set, which KanesMethod takes, the derivatives of the velocities?"""

from collections.abc import Iterable, Iterator

from sympy.physics.vector import ReferenceFrame, Vector

from ...adapters.private_sympy import stated_accelerations
from ...sympy_objects import Body, is_particle
from ..time_derivative import TimeDerivative
from .kinematics_check import agree_in_numbers, stated_velocity, text_of
from .random_state import RandomState


def foreign_accelerations(
    bodies: Iterable[Body], inertial: ReferenceFrame, derivative: TimeDerivative, state: RandomState
) -> Iterator[str]:
    """Yield accelerations that contradict their velocities, whose derivatives are used here."""
    for body in bodies:
        given = stated_accelerations(body.masscenter).get(inertial)
        if given is not None:
            velocity = stated_velocity(body.masscenter, inertial)
            name, fix = f"acceleration of {body.masscenter}", "a2pt_theory only where v2pt_theory"
            yield from _told(name, fix, velocity, derivative.of_states(given), inertial, state)
        given = None if is_particle(body) else stated_accelerations(body.frame).get(inertial)
        if given is not None:
            velocity = body.frame.ang_vel_in(inertial)
            name, fix = f"angular acceleration of {body.frame}", "set_ang_acc only where it"
            yield from _told(name, fix, velocity, derivative.of_states(given), inertial, state)


def _told(
    name: str,
    fix: str,
    velocity: Vector,
    given: Vector,
    inertial: ReferenceFrame,
    state: RandomState,
) -> list[str]:
    def told(instant: RandomState) -> list[str]:
        change, stated = instant.change(velocity, inertial), instant.components(given, inertial)
        if agree_in_numbers(stated, change, size=instant.size(given)):
            return []
        return [
            f"the {name} in {inertial} was set, and KanesMethod takes it, but it is not the "
            f"derivative of the velocity: {text_of(stated)} against {text_of(change)} in "
            f"{inertial}, at a random state. The forces and accelerations here are those of the "
            f"velocity. Use {fix} holds at every instant."
        ]

    return state.first_told(told)
