"""Print the table of torques of the page on speed: Franka Panda with the numbers of its URDF.

Most of the time goes into the derivation by KanesMethod and its common sub-expressions.
"""

import numpy as np
import single_call
import throughput
from models import Robot, panda, states
from peers import CYTHON, LAMBDIFY, Kane, libraries
from timing import machine


def check(robot: Robot, kane: Kane) -> None:
    """Raise an error if the programs do not return the same torques."""
    state = states(len(robot.system.q))
    evaluate = robot.idyn.compile("generalized_forces", constants=robot.constants)
    expected, printed = evaluate(*state).generalized_forces, kane.lambdified
    runs = libraries(robot) | {CYTHON: kane.cython}
    runs[LAMBDIFY] = lambda *parts: np.ravel(printed(np.concatenate(parts)))
    for name, run in runs.items():
        np.testing.assert_allclose(run(*state), expected, rtol=1e-9, atol=1e-9, err_msg=name)


def main() -> None:
    """Print the table in Markdown."""
    robot = panda()
    kane = Kane(robot.system, robot.constants)
    check(robot, kane)
    batch = dict(throughput.measure(robot, kane, seconds=2.0))
    single = dict(single_call.measure(robot, kane))
    check(robot, kane)
    own, both = "jointwrench, torques", "jointwrench, torques + wrenches"
    rows = [
        ("jointwrench, torques", batch[own], single[own]),
        ("jointwrench, torques and all joint wrenches", batch[both], single[both]),
        ("Pinocchio `rnea`, torques", batch.get("pin.rnea, loop"), single.get("pin.rnea")),
        ("MuJoCo `mj_inverse`, torques", batch.get("mj_inverse, loop"), single.get("mj_inverse")),
        (f"{CYTHON}, torques", batch[f"{CYTHON}, torques, loop"], single[CYTHON]),
        (f"{LAMBDIFY}, torques", batch[f"{LAMBDIFY}, torques"], single[LAMBDIFY]),
    ]
    print(f"| | batch of {throughput.SAMPLES} | single call |")
    print("|---|---|---|")
    for name, per_sample, per_call in rows:
        if per_sample is not None:
            print(f"| {name} | {per_sample:.0f} | {per_call:.0f} |")
    print(f"\nNanoseconds per sample, best of many, all in the same run on\n{machine()}.")


if __name__ == "__main__":
    main()
