"""Closed loops beside Pinocchio's constrained dynamics and MuJoCo's soft ones: accelerations.

A platform is the last link of an arm of six pins; the tips of other arms of three pins hold it at
points of its rim, as in parallel robots: 2 and 5 loops, six freedoms each.  Pinocchio gets the same
tree and point constraints, and its accelerations are compared before anything is timed.  MuJoCo's
constraints yield, so that only its time is told.  Arrays of float32 become doubles.
"""

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from models import Robot, from_pinocchio, mujoco_xml, states
from sympy.physics.vector import Vector
from throughput import looped
from timing import best_by_turns, print_table

import jointwrench as jw

SAMPLES = 4096


def parallel_robot(arms: int) -> tuple[Any, list[tuple[int, int, np.ndarray, np.ndarray]]]:
    """Return Pinocchio's tree, and its closings: two joints and the points on their bodies."""
    import pinocchio

    model, closings = pinocchio.Model(), []
    own = np.random.default_rng(arms)
    body = pinocchio.Inertia(1.5, np.array([0.1, 0.2, 0.3]), np.diag([0.4, 0.5, 0.6]))
    for arm in range(arms):
        joint, angle = 0, 2 * np.pi * arm / arms
        place = pinocchio.SE3(pinocchio.utils.rotate("z", angle), np.zeros(3))
        place = place * pinocchio.SE3(np.eye(3), np.array([1.0, 0.0, 0.0]))
        for k in range(3 if arm else 6):
            joint = model.addJoint(joint, pinocchio.JointModelRZ(), place, f"j{arm}_{k}")
            model.appendBodyToJoint(joint, body, pinocchio.SE3.Identity())
            turn = pinocchio.utils.rotate("x", np.pi / 2 * (-1) ** k)
            place = pinocchio.SE3(turn, own.normal(size=3) / 4 + [0.3, 0.0, 0.1])
        if arm:
            closings.append((6, joint, own.normal(size=3), own.normal(size=3) / 2))
    return model, closings


def closed(model: Any, closings: Any, q: np.ndarray) -> list[tuple[int, int, Any, Any]]:
    """Return closings that hold at a pose: the platform's points are where the tips are."""
    import pinocchio

    data = model.createData()
    pinocchio.forwardKinematics(model, data, q)
    return [
        (plate, tip, data.oMi[plate].actInv(data.oMi[tip].act(on_tip)), on_tip)
        for plate, tip, _, on_tip in closings
    ]


def of_pinocchio(model: Any, closings: Any) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """Return its accelerations of a state."""
    import pinocchio

    kind, at = pinocchio.ContactType.CONTACT_3D, pinocchio.SE3
    constraints, own = (
        pinocchio.StdVec_RigidConstraintModel(),
        pinocchio.StdVec_RigidConstraintData(),
    )
    constraints.extend(
        pinocchio.RigidConstraintModel(kind, model, i, at(np.eye(3), p), j, at(np.eye(3), r))
        for i, j, p, r in closings
    )
    own.extend(x.createData() for x in constraints)
    data = model.createData()
    pinocchio.initConstraintDynamics(model, data, constraints, own)
    tau, settings = np.zeros(model.nv), pinocchio.ProximalSettings(1e-14, 1e-14, 20)

    def run(q: np.ndarray, u: np.ndarray) -> np.ndarray:
        return pinocchio.constraintDynamics(model, data, q, u, tau, constraints, own, settings)

    return run


def of_mujoco(model: Any, closings: Any) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """Return its accelerations of a state."""
    import mujoco

    built = mujoco.MjModel.from_xml_string(mujoco_xml(model, closings))
    data = mujoco.MjData(built)

    def run(q: np.ndarray, u: np.ndarray) -> np.ndarray:
        data.qpos, data.qvel = q, u
        mujoco.mj_forward(built, data)
        return data.qacc

    return run


def own_dynamics(robot: Robot, closings: Any) -> jw.ForwardDynamics:
    """Return the forward dynamics of the same tree with the same closings."""
    system = robot.system
    system.q_ind, system.q_dep = system.q[:6], system.q[6:]
    system.u_ind, system.u_dep = system.u[:6], system.u[6:]
    bodies, inertias, loops = system.bodies, robot.pinocchio.inertias, []
    for k, (*sides, _, _) in enumerate(closings):
        points = []
        for number, point in zip(sides, closings[k][2:], strict=True):
            frame = bodies[number].frame
            parts = zip(point - inertias[number].lever, (frame.x, frame.y, frame.z), strict=True)
            points.append(sum((float(x) * axis for x, axis in parts), Vector(0)))
        one, other = (bodies[number] for number in sides)
        ends = {"parent_point": points[0], "child_point": points[1]}
        loops.append(jw.LoopJoint(f"closing{k}", one, other, "spherical", **ends))
    return jw.ForwardDynamics(system, loops=loops)


def row(arms: int, seconds: float = 4.0) -> list[str]:
    """Return nanoseconds per sample of each program."""
    model, closings = parallel_robot(arms)
    q = np.full(model.nq, 0.3)
    closings = closed(model, closings, q)
    fdyn = own_dynamics(robot := from_pinocchio(model), closings)
    evaluate = fdyn.compile("udot", constants=robot.constants)
    u = fdyn.inverse.close_motion(q, states(model.nq)[1], constants=robot.constants)[1]
    batch = np.tile(q, (SAMPLES, 1)), np.tile(u, (SAMPLES, 1))
    singles = [x.astype(np.float32) for x in batch]
    pinocchio, mujoco = of_pinocchio(model, closings), of_mujoco(model, closings)
    np.testing.assert_allclose(evaluate(q, u).udot, pinocchio(q, u), rtol=1e-6, atol=1e-6)
    runs = [
        lambda: evaluate(*batch),
        lambda: evaluate(*singles),
        looped(pinocchio, batch),
        looped(mujoco, batch),
    ]
    return [
        f"{arms - 1} loops",
        *(f"{1e9 * x / SAMPLES:.0f}" for x in best_by_turns(runs, seconds)),
    ]


def main() -> None:
    """Print the table."""
    head = ["", "jointwrench", "of float32", "Pinocchio constraintDynamics", "MuJoCo mj_forward"]
    print_table(f"Accelerations, ns per sample, batch of {SAMPLES}", head, map(row, (3, 6)))


if __name__ == "__main__":
    sys.exit(main())
