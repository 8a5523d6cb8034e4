"""Results that other projects published; each file in data/ names its source and licence."""

import json
from pathlib import Path

import numpy as np
import pytest
from marks import slow
from numeric import evaluate_matrix, relative_error, run
from reference_bodies import body_row, coordinates, rotation_matrix
from tables import build_system, state
from test_loop_references import LOOPS

from jointwrench.mechanics.methods.inverse_dynamics import InverseDynamics
from jointwrench.robots import read_urdf

DATA = Path(__file__).parents[1] / "data"
TREES = ("modern_robotics_3link", "rtb_puma560", "rbdl_simple_tree_3d", "rbdl_double_chain_3d")
TREES += ("drake_spinning_rod", "mujoco_weld_force_torque", "opensim_single_pin")
BODIES = ("adams_revolute_case01", "adams_prismatic_case02", "adams_spherical_case01")
#: Closed mechanisms, of `test_loop_references`.
MADE = (*LOOPS, "andrews_squeezer")


def load(name):
    return json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "name", [*TREES, *BODIES, "motiongenesis_iiwa", *MADE, "nonholonomic_chaplygin_sleigh"]
)
def test_source_and_licence_are_named(name):
    whole = {"licence"} if name in MADE else {"repo", "commit", "path", "licence"}
    assert load(name)["source"].keys() >= ({"origin"} if "sleigh" in name else whole)


# -- trees: torques, mass matrices and reactions --------------------------------


@pytest.mark.parametrize("name", [*(x for x in TREES if "puma" not in x), *slow(["rtb_puma560"])])
def test_tree(name):
    table = load(name)
    moving = [joint for joint in table["joints"] if joint["type"] != "fixed"]
    scale = np.array([joint.get("coordinate_scale", 1.0) for joint in moving])
    checked = 0
    for sample in table["samples"]:
        gravity = sample.get("gravity", table["gravity"])
        system = build_system(table["joints"], gravity, sample.get("external", ()))
        program = InverseDynamics(system).program()
        n, tolerance = len(moving), {"abs": sample["tol"], "rel": 0}

        def outputs(q, qd, qdd, program=program, system=system):
            return run(program, state(system, *(np.multiply(x, scale) for x in (q, qd, qdd))))

        q = sample["q"]
        if "tau" in sample:
            result = outputs(q, sample["qd"], sample["qdd"])
            torques = scale * result["generalized_forces"] + motor(moving, sample)
            assert torques == pytest.approx(np.array(sample["tau"]), **tolerance)
            checked += 1
        if "mass_matrix" in sample:
            still = outputs(q, np.zeros(n), np.zeros(n))["generalized_forces"]
            columns = [outputs(q, np.zeros(n), row)["generalized_forces"] for row in np.eye(n)]
            armature = np.diag([joint.get("armature", 0) for joint in moving])
            matrix = scale[:, None] * (np.array(columns) - still).T + armature
            assert matrix == pytest.approx(np.array(sample["mass_matrix"]), **tolerance)
            checked += 1
        for reaction in sample.get("reactions", ()):
            values = state(system, q, sample["qd"], sample["qdd"])
            ours = reaction_wrench(system, run(program, values)["joint_wrenches"], reaction, values)
            expected = np.concatenate([reaction["force"], reaction["moment"]])
            assert ours == pytest.approx(expected, **tolerance)
            checked += 1
    assert checked >= len(table["samples"])


def motor(moving, sample):
    """Return the torques that the motors' inertia and friction take."""
    keys = "armature", "viscous", "coulomb_pos"
    armature, viscous, coulomb = (np.array([x.get(key, 0.0) for x in moving]) for key in keys)
    speed, acceleration = np.array(sample["qd"]), np.array(sample["qdd"])
    return armature * acceleration + viscous * speed + coulomb * (speed > 0)


def reaction_wrench(system, wrenches, reaction, values):
    """Return a joint's wrench as the source gives it."""
    names = [joint.name for joint in system.joints]
    joint = system.joints[names.index(reaction["joint"])]
    wrench = wrenches[names.index(reaction["joint"])].reshape(2, 3)
    assert reaction["on"] == "child"
    if reaction["expressed_in"] == "world":
        rotation = evaluate_matrix(system.frame.dcm(joint.child.frame), values)
        wrench = wrench @ rotation.T
    return wrench.ravel()


def test_robot():
    """Torques and all joint wrenches of an iiwa, in the world's axes, from MotionGenesis' code."""
    samples = load("motiongenesis_iiwa")["samples"]
    model = read_urdf(DATA / "motiongenesis_iiwa.urdf", gravity=(0, 0, -9.81))
    evaluate = model.inverse_dynamics().compile(backend="numpy")
    result = evaluate(*(np.array([row[key] for row in samples]) for key in ("q", "qd", "qdd")))
    names = [joint.name for joint in result.joints if joint.speeds]
    wrenches = [result.joint_wrench(name, frame=model.system.frame) for name in names]
    key = "joint_wrenches_on_child_by_parent_in_world_axes_force_first"
    expected = np.array([row[key] for row in samples])
    assert relative_error(np.stack(wrenches, axis=1), expected) < 1e-12
    torques = np.array([row["torques"] for row in samples])
    assert relative_error(result.generalized_forces, torques) < 1e-12


# -- single bodies: the reaction on ground along a simulated motion ---------------


@pytest.mark.parametrize("name", BODIES)
def test_body(name):
    """MSC ADAMS prints six digits, so the motion itself is known to six digits only."""
    table = load(name)
    first = table["samples"][0]
    start = rotation_matrix(first["quat_wxyz"])
    point = np.array(table["joint_point"])
    system = build_system([body_row(table, start, point)], table["gravity"])
    program = InverseDynamics(system).program()
    for sample in table["samples"]:
        values = state(system, *coordinates(table, sample, start))
        wrench = run(program, values)["joint_wrenches"][0].reshape(2, 3)
        on_ground = -wrench @ rotation_matrix(sample["quat_wxyz"]).T
        if table["joint_type"] == "prismatic":  # ours is about the point that slides along
            arm = np.array(sample["com_pos"]) - np.array(first["com_pos"])
            on_ground[1] += np.cross(arm, on_ground[0])
        force = np.array(sample["reaction_force_on_ground"])
        moment = np.array(sample["reaction_moment_on_ground"])
        assert on_ground[0] == pytest.approx(force, abs=table["tol_force"], rel=1e-4)
        assert on_ground[1] == pytest.approx(moment, abs=table["tol_moment"], rel=1e-4)
