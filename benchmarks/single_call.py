"""How long does one call with one sample take, as in a control loop?  Franka Panda.

Arguments: --quick to leave out KanesMethod (its derivation takes minutes).
"""

import sys

import numpy as np
from models import Robot, from_pinocchio, panda, states
from peers import CYTHON, LAMBDIFY, Kane, libraries
from timing import best, print_table

BOTH = ("generalized_forces", "joint_wrenches")


def measure(
    robot: Robot, kane: Kane | None = None, seconds: float = 1.0
) -> list[tuple[str, float]]:
    """Return names and nanoseconds per call, Pinocchio's first."""
    state = states(len(robot.system.q))
    runs = {name: (lambda f=run: f(*state)) for name, run in libraries(robot).items()}
    for name, outputs in (("torques", BOTH[:1]), ("torques + wrenches", BOTH)):
        fixed = robot.idyn.compile(outputs, constants=robot.constants)
        given = robot.idyn.compile(outputs)
        runs[f"jointwrench, {name}"] = lambda f=fixed: f(*state)
        runs[f"jointwrench, {name}, constants in the call"] = lambda f=given: f(
            *state, robot.constants
        )
    machine = from_pinocchio(robot.pinocchio)
    motors = machine.add_motors()
    driven = machine.idyn.compile(BOTH[:1])
    runs[f"jointwrench, torques, {len(robot.constants)} constants, {len(motors)} motors, time"] = (
        lambda: driven(*state, robot.constants, motors, 0.5)
    )
    if kane is not None:
        cython, printed, flat = kane.cython, kane.lambdified, np.concatenate(state)
        runs[CYTHON] = lambda: cython(*state)
        runs[LAMBDIFY] = lambda: printed(flat)
    return [(name, 1e9 * best(run, seconds, loop=1000)) for name, run in runs.items()]


def main() -> None:
    """Print the table."""
    robot = panda()
    kane = None if "--quick" in sys.argv[1:] else Kane(robot.system, robot.constants)
    results = measure(robot, kane)
    rows = [[name, f"{time:.0f}", f"{time / results[0][1]:.2f}"] for name, time in results]
    print_table("Franka Panda, one sample per call", ["", "ns", f"of {results[0][0]}"], rows)


if __name__ == "__main__":
    main()
