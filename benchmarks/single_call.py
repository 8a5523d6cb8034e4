"""How long does one call with one sample take, as in a control loop?  Franka Panda."""

from models import panda, states
from peers import available, mujoco_inverse, pinocchio_rnea
from timing import best, print_table

BOTH = ("generalized_forces", "joint_wrenches")


def measure(seconds: float = 1.0) -> list[tuple[str, float]]:
    """Return names and nanoseconds per call, Pinocchio's first."""
    robot = panda()
    state = states(7)
    singles = {"pin.rnea": lambda: pinocchio_rnea(robot)}
    singles["mj_inverse"] = lambda: mujoco_inverse(robot)
    runs = {name: (lambda f=run: f(*state)) for name, run in available(singles).items()}
    for name, outputs in (("torques", BOTH[:1]), ("torques + 7 wrenches", BOTH)):
        fixed = robot.idyn.compile(outputs, constants=robot.constants)
        given = robot.idyn.compile(outputs)
        runs[f"jointwrench, {name}"] = lambda f=fixed: f(*state)
        runs[f"jointwrench, {name}, constants in the call"] = lambda f=given: f(
            *state, robot.constants
        )
    return [(name, 1e9 * best(run, seconds, loop=1000)) for name, run in runs.items()]


def main() -> None:
    """Print the table."""
    results = measure()
    rows = [[name, f"{time:.0f}", f"{time / results[0][1]:.2f}"] for name, time in results]
    print_table("Franka Panda, one sample per call", ["", "ns", "of pin.rnea"], rows)


if __name__ == "__main__":
    main()
