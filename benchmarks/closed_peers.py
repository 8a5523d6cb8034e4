"""Closed loops beside Pinocchio's constrained dynamics and MuJoCo's soft ones: accelerations.

A platform is the last link of an arm of six pins; the tips of other arms of three pins hold it at
points of its rim, as those of a delta robot and of a Stewart platform do: 2 and 5 loops, six
freedoms each.  The third one is Cassie, a walking robot of example-robot-data.  Pinocchio gets the
same tree and point constraints, and its accelerations are compared before anything is timed.
MuJoCo's constraints yield, so that only its time is stated.  Arrays of float32 become doubles.
"""

import importlib.metadata
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from models import Robot, from_pinocchio, mujoco_xml, states
from sympy.physics.mechanics import PinJoint
from sympy.physics.vector import Vector
from throughput import looped
from timing import best_by_turns, print_table

import jointwrench as jw
from jointwrench.robots import read_sdf

SAMPLES = 4096
SIDES = "parent", "child"
State = tuple[np.ndarray, ...]


class Machine(NamedTuple):
    """A machine of ours and of the others, and one state of it in each one's coordinates."""

    name: str
    fdyn: jw.ForwardDynamics
    constants: dict[Any, float]
    state: State
    model: Any
    closings: list[tuple[int, int, Any, Any]]
    of_pinocchio: State
    of_mujoco: State
    theirs: Callable[[np.ndarray], np.ndarray]  #: our accelerations in Pinocchio's coordinates


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
    # A smaller step than 1e-8 makes forces of rows that are zero but for the file's rounding.
    tau, settings = np.zeros(model.nv), pinocchio.ProximalSettings(1e-10, 1e-8, 20)

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


def platform(arms: int) -> Machine:
    """Return a platform on arms, and a motion of its closed loops."""
    model, closings = parallel_robot(arms)
    q = np.full(model.nq, 0.3)
    closings = closed(model, closings, q)
    fdyn = own_dynamics(robot := from_pinocchio(model), closings)
    u = fdyn.inverse.close_motion(q, states(model.nq)[1], constants=robot.constants)[1]
    name = f"platform on {arms} arms of pins, {arms - 1} loops"
    own = name, fdyn, robot.constants, (q, u), model, closings
    return Machine(*own, (q, u), (q, u), lambda udot: udot)


def cassie() -> Machine:
    """Return the robot with its four loops closed, off the dead centre of its reference pose."""
    files = importlib.metadata.files("example-robot-data") or []
    path = next(file.locate() for file in files if file.name == "cassie_v2.sdf")
    with warnings.catch_warnings():  # of its springs, which no program has here
        warnings.filterwarnings("ignore", "`source`: forces will differ")
        robot = read_sdf(path)
    fdyn = robot.forward_dynamics()
    q, u = robot.reference + 0.02 * states(len(robot.coordinates))[0], states(len(robot.speeds))[1]
    q[3:7] = robot.reference[3:7]
    q, u = fdyn.inverse.close_motion(q, u, guess=robot.reference)[:2]
    model, closings = pinocchio_tree(robot)
    names = list(model.names)[1:]
    hard, soft = robot.to_pinocchio(q, u, joints=names)[:2], robot.to_mujoco(q, u, joints=names)[:2]

    def theirs(udot: np.ndarray) -> np.ndarray:
        return robot.to_pinocchio(q, u, udot, joints=names).udot

    return Machine("Cassie, 4 loops", fdyn, {}, (q, u), model, closings, hard, soft, theirs)


def places_at_zero(robot: jw.ModelFromFile) -> dict[Any, Any]:
    """Return where its bodies, joints and both ends of its closings are if all angles are 0."""
    import pinocchio

    bodies, ground = robot.bodies.values(), robot.system.frame
    parts: dict[Any, Any] = {body: (body.masscenter, body.frame) for body in bodies}
    parts |= {x: (x.child_point, x.child_interframe) for x in robot.system.joints}
    ends = [(loop, side) for loop in robot.loops for side in SIDES]
    parts |= {(loop, side): (getattr(loop, f"{side}_point"), ground) for loop, side in ends}
    named = [{str(k): part[i] for k, part in enumerate(parts.values())} for i in (0, 1)]
    kin = robot.kinematics(points=named[0], frames=named[1])
    q = np.array([float(name.endswith("_qw")) for name in robot.coordinates])
    found = kin.compile(("positions", "orientations"))(q)
    return dict(zip(parts, map(pinocchio.SE3, found.orientations, found.positions), strict=True))


def pinocchio_tree(robot: jw.ModelFromFile) -> tuple[Any, list[tuple[int, int, Any, Any]]]:
    """Return Pinocchio's tree of a robot of pins that may float, and its closings."""
    import pinocchio

    model, at, numbers = pinocchio.Model(), places_at_zero(robot), {}
    places = {0: pinocchio.SE3.Identity()}
    for joint in robot.system.joints:
        kind, axis = pinocchio.JointModelFreeFlyer(), np.array([0.0, 0.0, 1.0])
        turn = np.eye(3)
        if isinstance(joint, PinJoint):
            own = np.array(joint.joint_axis.to_matrix(joint.parent_interframe), float).ravel()
            turn = pinocchio.Quaternion.FromTwoVectors(axis, own).matrix()
            kind = pinocchio.JointModelRZ()
        place = at[joint] * pinocchio.SE3(turn, np.zeros(3))
        inner, body = numbers.get(joint.parent.name, 0), joint.child
        number = model.addJoint(inner, kind, places[inner].actInv(place), joint.name)
        inertia = np.array(body.central_inertia.to_matrix(body.frame), float)
        inertia = pinocchio.Inertia(float(body.mass), np.zeros(3), inertia)
        model.appendBodyToJoint(number, inertia, place.actInv(at[body]))
        numbers[body.name], places[number] = number, place
    closings = []
    for loop in robot.loops:
        sides = numbers[loop.parent.name], numbers[loop.child.name]
        ends = (at[loop, side].translation for side in SIDES)
        closings.append((*sides, *map(lambda k, x: places[k].actInv(x), sides, ends)))
    return model, closings


def row(machine: Machine, seconds: float = 4.0) -> list[str]:
    """Return nanoseconds per sample of each program."""
    evaluate = machine.fdyn.compile("udot", constants=machine.constants)
    batch = tuple(np.tile(x, (SAMPLES, 1)) for x in machine.state)
    singles = [x.astype(np.float32) for x in batch]
    pinocchio = of_pinocchio(machine.model, machine.closings)
    mujoco = of_mujoco(machine.model, machine.closings)
    theirs = tuple(np.tile(x, (SAMPLES, 1)) for x in machine.of_pinocchio)
    soft = tuple(np.tile(x, (SAMPLES, 1)) for x in machine.of_mujoco)
    udot = machine.theirs(evaluate(*machine.state).udot)
    np.testing.assert_allclose(pinocchio(*machine.of_pinocchio), udot, rtol=1e-6, atol=1e-6)
    runs = [
        lambda: evaluate(*batch),
        lambda: evaluate(*singles),
        looped(pinocchio, theirs),
        looped(mujoco, soft),
    ]
    return [machine.name, *(f"{1e9 * x / SAMPLES:.0f}" for x in best_by_turns(runs, seconds))]


def main() -> None:
    """Print the table."""
    head = ["", "jointwrench", "of float32", "Pinocchio constraintDynamics", "MuJoCo mj_forward"]
    machines = (platform(3), platform(6), cassie())
    print_table(f"Accelerations, ns per sample, batch of {SAMPLES}", head, map(row, machines))


if __name__ == "__main__":
    main()
