"""Closed mechanisms whose forces others computed; each file in data/ names its source."""

import json
from dataclasses import replace
from pathlib import Path

import described as data
import numpy as np
import pytest
from described_models import side_of, turn_about
from described_numbers import Numeric
from described_systems import Built
from marks import slow
from numeric import run
from random_systems import check_same

DATA = Path(__file__).parents[1] / "data"
LOOPS = ("loop_four_bar", "loop_delta_robot", "loop_bricard_redundant")
OUTPUTS = ("joint_wrenches", "generalized_forces", "unsupplied")


def load(name):
    return json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))


# -- mechanisms made from files ---------------------------------------------------


def solve(model, actuated=None):
    """Return the outputs of InverseDynamics at a state."""
    built = Built(model if actuated is None else replace(model, actuated=actuated))
    built.constrain()
    return run(built.inverse().program(OUTPUTS), built.inputs)


def vector(components, dimension):
    return tuple(data.rounded(float(x), dimension) for x in components)


def complete(row):
    """Return a row of a table with what it leaves out."""
    placement = {"p": [0, 0, 0], "R": np.eye(3), **row.get("placement", {})}
    return {**row, "placement": placement}


def side(rows, name, point, axes=None):
    """Return where something is on a body, at a point from the body's origin."""
    coms = {row["name"]: row["com"] for row in rows}
    place = np.array(point, dtype=float) - coms.get(name, np.zeros(3))
    axes = np.eye(3) if axes is None else np.array(axes, dtype=float)
    return side_of(data.GROUND if name == "world" else name, place, axes)


def joint_of(rows, row):
    """Return the joint of a row; of a negative axis, the joint's axes are turned."""
    kind = {"revolute": "pin", "prismatic": "prismatic"}[row["type"]]
    index, placement = int(np.argmax(np.abs(row["axis"]))), row["placement"]
    axes = np.eye(3) if row["axis"][index] > 0 else turn_about((index + 1) % 3, np.pi)
    inner = side(rows, row["parent"], placement["p"], np.array(placement["R"]) @ axes)
    outer, zero = side(rows, row["name"], np.zeros(3), axes), (data.Number(0.0),)
    return data.Joint(row["name"], kind, inner, outer, False, index, "BODY 123", zero, zero, zero)


def body_of(row):
    i = np.array(row["inertia_com"], dtype=float)
    moments = (i[0, 0], i[1, 1], i[2, 2], i[0, 1], i[1, 2], i[2, 0])
    mass = data.rounded(float(row["mass"]), data.MASS)
    return data.Body(row["name"], mass, vector(moments, data.INERTIA))


def model_of(rows, driven=(), **more):
    """Return the model of a table, of which some joints have motors."""
    return data.Model(
        name="table",
        bodies=tuple(map(body_of, rows)),
        joints=tuple(joint_of(rows, row) for row in rows),
        actuated=tuple(k for k, row in enumerate(rows) if row["name"] in driven),
        **more,
    )


def load_of(rows, row):
    """Return a force of a file."""
    where, force = side(rows, row["body"], row["point"]), vector(row["force"], data.NONE)
    more = row["frame"] == "world", "constant", data.exact(1, data.FORCE)
    return data.Load("external", "force", where, force, *more)


def mechanism(table, sample, kind=None):
    """Return the mechanism of a file at one of its samples."""
    rows, closings = [complete(row) for row in table["joints"]], []
    for row in table["closing"]:
        sides = [side(rows, row[f"body{k}"], row[f"point{k}"], row.get(f"R{k}")) for k in (1, 2)]
        closings.append(data.Closing(row["name"], kind or kind_of(row), *sides, index=2))
    return model_of(
        rows,
        table["actuated"],
        loads=tuple(load_of(rows, row) for row in sample.get("external", ())),
        gravity=vector(table["gravity"], data.ACCELERATION),
        closings=tuple(closings),
    ).at(q=sample["q"], u=sample["qd"], udot=sample["qdd"])


def kind_of(row):
    """Return the kind of closing that transmits a file's forces and moments."""
    if row["type"] == "weld":
        return "weld"
    directions = row.get("force_directions", np.eye(3))
    return {3: "spherical", 2: "point_on_line"}[len(directions)]


def samples(names):
    return [(name, k) for name in names for k in range(len(load(name)["samples"]))]


def numbers(sample, name):
    """Return the expected wrench of a joint in world axes, NaN where it is not determined."""
    rows = {row["joint"]: (row["force"], row["moment"]) for row in sample["reactions"]}
    forces = sample["closing_forces"]
    rows |= {x["name"]: (x["force_on_body2"], x["moment_on_body2"]) for x in forces}
    if None in rows[name]:  # the file tells of the whole closing; its null space, of components
        is_open = np.abs(sample["null_space"]).max(axis=0) > 1e-12
        return np.where(is_open, np.nan, sample["one_solution"])
    return np.array(rows[name], dtype=float).ravel()


SAMPLES = [*samples(LOOPS[::2]), *slow(samples(LOOPS[1:2]))]


def check_oracle(oracle, sample):
    """Compare what the dense balance says with the source."""
    assert np.abs(oracle.errors).max() < 1e-9
    known = {row["joint"] for row in sample["reactions"]}
    known |= {closing.name for closing in oracle.model.closings}
    for index, member in enumerate(oracle.members):
        if member.name in known:
            expected = numbers(sample, member.name)
            check_same(oracle.wrench_of(index, np.eye(3)), expected, 1e-8)
    check_same(oracle.generalized_forces[oracle.is_actuated], sample["tau"], 1e-8)


@pytest.mark.parametrize(("name", "k"), SAMPLES)
def test_loop(name, k):
    """The dense balance says which of the components in the children's frames are open."""
    table = load(name)
    sample = table["samples"][k]
    model = mechanism(table, sample)
    outputs, oracle = solve(model), Numeric(model)
    check_oracle(oracle, sample)
    check_same(outputs["joint_wrenches"], oracle.joint_wrenches, 1e-8)
    check_same(outputs["generalized_forces"], oracle.generalized_forces, 1e-8)
    check_same(outputs["generalized_forces"][oracle.is_actuated], sample["tau"], 1e-8)
    assert np.abs(outputs["unsupplied"]).max() < 1e-8 * np.nanmax(np.abs(oracle.joint_wrenches))
    for index, member in enumerate(oracle.members):
        rotation = oracle.child_axes(member)
        is_listed = member.name in {row["joint"] for row in sample["reactions"]}
        expected = numbers(sample, member.name) if is_listed else np.array([np.nan])
        if not np.isnan(expected).any():
            actual = outputs["joint_wrenches"][index].reshape(2, 3) @ rotation.T
            check_same(actual.ravel(), expected, 1e-8)


@pytest.mark.slow
def test_bricard_in_world_axes():
    """The file tells in the world's axes what is open: by null spaces, not frames of bodies.

    Its other sample is a pose in which more is determined than in most.
    """
    table = load("loop_bricard_redundant")
    sample = table["samples"][1]
    built = Built(mechanism(table, sample))
    evaluate = built.inverse().compile("joint_wrenches", backend="numpy")
    result, axes = evaluate(sample["q"], sample["qd"], sample["qdd"]), built.ground.frame
    for joint in (*built.system.joints, *built.loops):
        expected = numbers(sample, joint.name)
        check_same(result.joint_wrench(joint, frame=axes), expected, 1e-8)
    check_same(result.per_mass(2.0).joint_wrench(joint, frame=axes), expected / 2, 1e-8)


# -- a planar mechanism from differential equations ---------------------------------


def planar_row(name, parent, place, mass, center, moment):
    return {
        "name": name,
        "parent": parent,
        "type": "revolute",
        "axis": [0, 0, 1],
        "placement": {"p": [*place, 0], "R": np.eye(3)},
        "mass": mass,
        "com": [*center, 0],
        "inertia_com": np.diag([0.7 * moment, 0.8 * moment, moment]),
    }


def squeezer(kind, sample):
    """The mechanism of Andrews: seven bodies, three loops.

    In the file's order delta comes behind phi.
    """
    p = load("andrews_squeezer")["parameters"]
    a, b = (p["xa"], p["ya"]), (p["xb"], p["yb"])
    rows = [
        planar_row("K1", "world", (0, 0), p["m"][0], (p["ra"], 0), p["I"][0]),
        planar_row("K2", "K1", (p["rr"], 0), p["m"][1], (-p["da"], 0), p["I"][1]),
        planar_row("K3", "world", b, p["m"][2], (p["sb"], -p["sa"]), p["I"][2]),
        planar_row("K5", "world", a, p["m"][4], (p["ta"], -p["tb"]), p["I"][4]),
        planar_row("K4", "K5", (p["zt"], 0), p["m"][3], (0, p["ea"] - p["e"]), p["I"][3]),
        planar_row("K7", "world", a, p["m"][6], (-p["ub"], -p["ua"]), p["I"][6]),
        planar_row("K6", "K7", (0, -p["u"]), p["m"][5], (p["zf"] - p["fa"], 0), p["I"][5]),
    ]
    tips = {"K2": (-p["d"], 0), "K3": (0, -p["ss"]), "K4": (0, -p["e"]), "K6": (p["zf"], 0)}
    ends = {name: side(rows, name, (*tip, 0)) for name, tip in tips.items()}
    loops = [data.Closing(f"E{x}", kind, ends["K2"], ends[x], index=2) for x in ("K3", "K4", "K6")]
    here = side(rows, "K3", (p["sd"], -p["sc"], 0))
    there = side(rows, "world", (p["xc"], p["yc"], 0))
    stiffness, rest = data.Number(p["c0"], (0, 1, -2)), data.Number(p["l0"], data.LENGTH)
    spring = data.Spring("D", (here, there), stiffness, rest, data.exact(0, (0, 1, -1)))
    order = [0, 1, 2, 4, 3, 6, 5]
    q, u, udot = (np.array(sample[key])[order] for key in ("q", "qd", "qdd"))
    model = model_of(rows, ("K1",), springs=(spring,), closings=tuple(loops))
    return model.at(q=q, u=u, udot=udot)


@pytest.mark.parametrize(
    ("kind", "k"), [("point_on_line", 0), *slow([("pin", 1), ("point_on_line", 1), ("pin", 0)])]
)
def test_squeezer(kind, k):
    sample = load("andrews_squeezer")["samples"][k]
    model = squeezer(kind, sample)
    oracle, outputs = Numeric(model), solve(model)
    check_squeezer(oracle.generalized_forces, oracle.joint_wrenches, oracle, sample)
    forces, wrenches = outputs["generalized_forces"], outputs["joint_wrenches"]
    check_squeezer(forces, wrenches, oracle, sample)
    check_same(wrenches, oracle.joint_wrenches, 1e-8)


def check_squeezer(forces, wrenches, oracle, sample):
    """Compare with the published multipliers, which are forces on the children in world axes."""
    assert forces == pytest.approx([0.033, *[0] * 6], abs=1e-8 * 5)
    pins = np.reshape(sample["lambda_"], (3, 2))
    for closing, wrench, pin in zip(oracle.model.closings, wrenches[-3:], pins, strict=True):
        rotation = oracle.poses[closing.child.body].rotation[0]
        assert rotation[:2, :2] @ wrench[:2] == pytest.approx(pin, abs=1e-8 * np.abs(pins).max())
