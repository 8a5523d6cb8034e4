"""How long do derivatives take?  Franka Panda, 4096 states: values and full Jacobians.

Torques with their Jacobian in q, u and udot (torques and joint wrenches, too), and
accelerations with theirs in q and u, against Pinocchio's analytical derivatives called in a loop.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from models import Robot, panda, states
from throughput import looped
from timing import best, once, print_table, ready

from jointwrench import ForwardDynamics

SAMPLES = 4096
MOTION = ("q", "u", "udot")


def pinocchio_rnea(robot: Robot) -> Callable[..., Any]:
    """Return the derivatives of torques in q, u and udot."""
    import pinocchio

    model, data = robot.pinocchio, robot.pinocchio.createData()
    return lambda q, u, a: pinocchio.computeRNEADerivatives(model, data, q, u, a)


def pinocchio_aba(robot: Robot) -> Callable[..., Any]:
    """Return the derivatives of accelerations in q, u and the torques."""
    import pinocchio

    model, data = robot.pinocchio, robot.pinocchio.createData()
    return lambda q, u, t: pinocchio.computeABADerivatives(model, data, q, u, t)


def of_torques(robot: Robot, seconds: float = 1.0) -> list[tuple[str, float, float]]:
    """Return names, nanoseconds per sample and seconds to build, Pinocchio's first."""
    batch = states(len(robot.system.q), SAMPLES)
    loop = looped(pinocchio_rnea(robot), batch)
    rows = [("pin.computeRNEADerivatives, loop", 1e9 * best(loop, seconds) / SAMPLES, 0.0)]
    for name, outputs in (
        ("torques", ("generalized_forces",)),
        ("torques + wrenches", ("generalized_forces", "joint_wrenches")),
    ):
        options = {"constants": robot.constants, "derivatives": MOTION}
        built, evaluate = once(lambda o=outputs, k=options: ready(robot.idyn.compile(o, **k)))
        out = dict(evaluate(*batch).outputs)
        time = best(lambda f=evaluate, o=out: f(*batch, out=o), seconds)
        rows.append((f"jointwrench, {name}", 1e9 * time / SAMPLES, built))
    return rows


def of_accelerations(robot: Robot, seconds: float = 1.0) -> list[tuple[str, float, float]]:
    """Return the same for accelerations."""
    q, u, torques = states(len(robot.system.q), SAMPLES)
    loop = looped(pinocchio_aba(robot), (q, u, np.zeros_like(torques)))
    rows = [("pin.computeABADerivatives, loop", 1e9 * best(loop, seconds) / SAMPLES, 0.0)]
    fdyn = ForwardDynamics(robot.system)
    options = {"constants": robot.constants, "derivatives": MOTION[:2]}
    built, evaluate = once(lambda: ready(fdyn.compile(**options)))
    out = dict(evaluate(q, u).outputs)
    time = best(lambda: evaluate(q, u, out=out), seconds)
    return [*rows, ("jointwrench, udot", 1e9 * time / SAMPLES, built)]


def main() -> None:
    """Print the tables."""
    robot = panda()
    for title, times in (
        ("torques, and their Jacobian in q, u, udot", of_torques(robot)),
        ("accelerations, and their Jacobian in q, u", of_accelerations(robot)),
    ):
        first = times[0][1]
        rows = [
            [name, f"{time:.0f}", f"1/{first / time:.1f}", f"{built:.1f}" if built else ""]
            for name, time, built in times
        ]
        head = ["", "ns per sample", f"of {times[0][0]}", "derived and compiled, s"]
        print_table(f"Franka Panda, {SAMPLES} states: {title}", head, rows)


if __name__ == "__main__":
    main()
