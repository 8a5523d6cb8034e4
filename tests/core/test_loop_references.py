"""Closed mechanisms whose forces others computed; each file in data/ names its source."""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from closed_chains import (
    IDENTITY,
    ClosedChain,
    check_same,
    constrain,
    loops_of,
    places_in,
    side_at,
    tree_of,
)
from described import Closing
from numeric import run
from numeric_tree import NumericTree
from random_trees import Strut
from sympy import Float, symbols
from sympy.physics.mechanics import LinearPathway, LinearSpring, Torque, dynamicsymbols
from tables import build_system, state

from jointwrench import Contact, InverseDynamics, Wrench

DATA = Path(__file__).parents[1] / "data"
LOOPS = ("loop_four_bar", "loop_delta_robot", "loop_bricard_redundant")
PLANAR = ("loop_four_bar", "andrews_squeezer", "sympy_four_bar")
OUTPUTS = ("joint_wrenches", "generalized_forces", "unsupplied")
IN_PLANE, ACROSS = [0, 1, 5], [2, 3, 4]


def load(name):
    return json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", [*LOOPS, *PLANAR, "nonholonomic_chaplygin_sleigh"])
def test_source_is_named(name):
    source = load(name)["source"]
    assert "origin" in source or source.keys() >= {"licence"}


# -- mechanisms made from files ---------------------------------------------------


@dataclass
class Mechanism:
    """A System that is closed, and what the oracle must know of it."""

    system: object
    ground: object
    closings: list
    actuated: tuple
    struts: tuple = ()

    def solve(self, values, actuated=None):
        """Return the outputs of InverseDynamics at a state."""
        loops = loops_of(self.system, self.closings)
        constrain(self.system, loops)
        actuated = self.actuated if actuated is None else actuated
        idyn = InverseDynamics(self.system, loops=loops, actuated=actuated)
        return run(idyn.program(OUTPUTS), values)

    def oracle(self, values):
        """Return the same by one dense balance."""
        tree = tree_of(self.system, self.ground, values, self.struts)
        values = {**values, dynamicsymbols._t: 0.0}
        return ClosedChain(NumericTree(tree, values), self.closings, self.actuated)

    def wrench(self, outputs, name):
        """Return the wrench of a joint or closing by name."""
        names = [member.name for member in (*self.system.joints, *self.closings)]
        return outputs["joint_wrenches"][names.index(name)]


def complete(row):
    """Return a row of a table with what it leaves out."""
    placement = {"p": [0, 0, 0], "R": np.eye(3), **row.get("placement", {})}
    return {**row, "placement": placement}


def side(system, rows, name, point, axes=None):
    """Return where a closing is on a body, at a point from the body's origin."""
    bodies = {body.name: body for body in system.bodies}
    coms = {row["name"]: row["com"] for row in rows}
    place = np.array(point, dtype=float) - coms.get(name, np.zeros(3))
    return side_at(bodies[name], place, IDENTITY if axes is None else axes)


def speeds_of(system, names):
    return tuple(u for joint in system.joints if joint.name in names for u in joint.speeds)


def ground_of(system):
    (ground,) = (body for body in system.bodies if body.name == "world")
    return ground


def mechanism(table, sample, kind=None):
    """Return the mechanism of a file, with the loads of one of its samples."""
    rows, external = [complete(row) for row in table["joints"]], []
    for row in sample.get("external", ()):
        external.append({"moment": [0, 0, 0], **row})
    system = build_system(rows, table["gravity"], external)
    closings = []
    for row in table["closing"]:
        sides = [
            side(system, rows, row[f"body{k}"], row[f"point{k}"], row.get(f"R{k}")) for k in (1, 2)
        ]
        closings.append(Closing(row["name"], kind or kind_of(row), *sides, index=2))
    actuated = speeds_of(system, table["actuated"])
    return Mechanism(system, ground_of(system), closings, actuated)


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
    rows |= {
        row["name"]: (row["force_on_body2"], row["moment_on_body2"])
        for row in sample["closing_forces"]
    }
    if None in rows[name]:  # the file tells of the whole closing; its null space, of components
        is_open = np.abs(sample["null_space"]).max(axis=0) > 1e-12
        return np.where(is_open, np.nan, sample["one_solution"])
    return np.array(rows[name], dtype=float).ravel()


SAMPLES = [
    pytest.param(*sample, marks=[pytest.mark.slow] if sample[0] == "loop_delta_robot" else [])
    for sample in samples(LOOPS)
]


def check_oracle(oracle, model, sample):
    """Compare what the dense balance says with the source."""
    assert np.abs(oracle.errors).max() < 1e-9
    names = [member.name for member in (*model.system.joints, *model.closings)]
    known = {row["joint"] for row in sample["reactions"]} | {c.name for c in model.closings}
    for index, member in enumerate(names):
        if member in known:
            check_same(oracle.wrench_of(index, IDENTITY), numbers(sample, member), 1e-8)
    check_same(oracle.generalized_forces[oracle.is_actuated], sample["tau"], 1e-8)


@pytest.mark.parametrize(("name", "k"), SAMPLES)
def test_loop(name, k):
    """The dense balance says which of the components in the children's frames are open."""
    table = load(name)
    sample = table["samples"][k]
    model = mechanism(table, sample)
    values = state(model.system, sample["q"], sample["qd"], sample["qdd"])
    outputs, oracle = model.solve(values), model.oracle(values)
    check_oracle(oracle, model, sample)
    check_same(outputs["joint_wrenches"], oracle.joint_wrenches, 1e-8)
    check_same(outputs["generalized_forces"], oracle.generalized_forces, 1e-8)
    check_same(outputs["generalized_forces"][oracle.is_actuated], sample["tau"], 1e-8)
    assert np.abs(outputs["unsupplied"]).max() < 1e-8 * np.nanmax(np.abs(oracle.joint_wrenches))
    for index, member in enumerate(oracle.members):
        rotation = oracle.poses[member.child.body].rotation[0]
        is_listed = member.name in {row["joint"] for row in sample["reactions"]}
        expected = numbers(sample, member.name) if is_listed else np.array([np.nan])
        if not np.isnan(expected).any():
            actual = outputs["joint_wrenches"][index].reshape(2, 3) @ rotation.T
            check_same(actual.ravel(), expected, 1e-8)


def test_bricard_in_world_axes():
    """The file tells in the world's axes what is open: by null spaces, not frames of bodies.

    Its other sample is a pose in which more is determined than in most.
    """
    table = load("loop_bricard_redundant")
    sample = table["samples"][1]
    model = mechanism(table, sample)
    loops = loops_of(model.system, model.closings)
    idyn = InverseDynamics(model.system, loops=loops, actuated=model.actuated)
    evaluate = idyn.compile("joint_wrenches", backend="numpy")
    result, axes = evaluate(sample["q"], sample["qd"], sample["qdd"]), model.ground.frame
    for joint in (*model.system.joints, *loops):
        expected = numbers(sample, joint.name)
        check_same(result.joint_wrench(joint, frame=axes), expected, 1e-8)
    check_same(result.per_mass(2.0).joint_wrench(joint, frame=axes), expected / 2, 1e-8)


# -- planar mechanisms from closed forms and from differential equations ------------


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


def squeezer(kind):
    """The mechanism of Andrews: seven bodies, three loops."""
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
    system = build_system(rows)
    tips = {"K2": (-p["d"], 0), "K3": (0, -p["ss"]), "K4": (0, -p["e"]), "K6": (p["zf"], 0)}
    ends = {name: side(system, rows, name, (*tip, 0)) for name, tip in tips.items()}
    closings = [
        Closing(f"E{name}", kind, ends["K2"], ends[name], index=2) for name in ("K3", "K4", "K6")
    ]
    here = side(system, rows, "K3", (p["sd"], -p["sc"], 0))
    there = side(system, rows, "world", (p["xc"], p["yc"], 0))
    places = places_in(system)
    points = places.point("D", here), places.point("C", there)
    system.add_actuators(LinearSpring(Float(p["c0"]), LinearPathway(*points), Float(p["l0"])))
    ground = ground_of(system)
    strut = Strut(
        tuple(zip((places.bodies["K3"], ground), points, strict=True)),
        lambda length, rate: -p["c0"] * (length - p["l0"]),
    )
    actuated = speeds_of(system, ("K1",))
    return Mechanism(system, ground, closings, actuated, struts=(strut,))


def squeezer_state(model, sample):
    """Return the state; in the file's order delta comes behind phi."""
    order = [0, 1, 2, 4, 3, 6, 5]
    return state(model.system, *(np.array(sample[key])[order] for key in ("q", "qd", "qdd")))


@pytest.mark.parametrize(
    ("kind", "k"),
    [
        ("point_on_line", 0),
        pytest.param("pin", 1, marks=pytest.mark.slow),
        pytest.param("point_on_line", 1, marks=pytest.mark.slow),
        pytest.param("pin", 0, marks=pytest.mark.slow),
    ],
)
def test_squeezer(kind, k):
    sample = load("andrews_squeezer")["samples"][k]
    model = squeezer(kind)
    values = squeezer_state(model, sample)
    oracle, outputs = model.oracle(values), model.solve(values)
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


def four_bar(kind):
    """The four-bar of sympy's tests: uniform rods, the first one fixed along x."""
    p = load("sympy_four_bar")["parameters"]
    first, *rest = p["l"]
    rows, parent, place = [], "world", (first / 2, 0)
    for name, l in zip(("link2", "link3", "link4"), rest, strict=True):
        mass = p["rho"] * l
        rows.append(planar_row(name, parent, place, mass, (l / 2, 0), mass * l**2 / 12))
        parent, place = name, (l, 0)
    system = build_system(rows)
    sides = (
        side(system, rows, "world", (-first / 2, 0, 0)),
        side(system, rows, "link4", (rest[-1], 0, 0)),
    )
    closing = Closing("loop", kind, *sides, index=2)
    return Mechanism(system, ground_of(system), [closing], speeds_of(system, ("link2",)))


@pytest.mark.parametrize("kind", ["point_on_line", "pin"])
@pytest.mark.parametrize("is_driven", [True, False])
def test_sympys_four_bar(kind, is_driven):
    table, model = load("sympy_four_bar"), four_bar(kind)
    values = state(model.system, table["q"], table["u"], table["ud_from_published"])
    oracle = model.oracle(values)
    expected = np.array(table["closing_pin_force_on_link4_derived"])
    rotation = oracle.poses[oracle.model.closings[0].child.body].rotation[0][:2, :2]
    assert rotation @ oracle.joint_wrenches[-1, :2] == pytest.approx(expected, rel=1e-8)
    outputs = model.solve(values, None if is_driven else ())
    assert rotation @ outputs["joint_wrenches"][-1, :2] == pytest.approx(expected, rel=1e-8)
    assert outputs["generalized_forces"] == pytest.approx(np.zeros(3), abs=1e-9)
    assert outputs["unsupplied"] == pytest.approx(np.zeros(3), abs=1e-9)


def planar_models():
    """Yield (name, makers of mechanisms by kind, state of it)."""
    table = load("loop_four_bar")
    for k, sample in enumerate(table["samples"]):
        yield (
            f"four_bar_{k}",
            lambda kind, sample=sample: mechanism(table, sample, kind),
            lambda m, s=sample: state(m.system, s["q"], s["qd"], s["qdd"]),
        )
    sample = load("andrews_squeezer")["samples"][1]
    yield "squeezer", squeezer, lambda m: squeezer_state(m, sample)


@pytest.mark.parametrize(
    ("make", "state_of"),
    [
        pytest.param(
            *case, id=name, marks=[pytest.mark.slow] if name in ("four_bar_1", "squeezer") else []
        )
        for name, *case in planar_models()
    ],
)
def test_pins_in_space_leave_open_what_is_across_the_plane_only(make, state_of):
    flat, solid = make("point_on_line"), make("pin")
    plane = flat.solve(state_of(flat))["joint_wrenches"]
    space = solid.solve(state_of(solid))["joint_wrenches"]
    check_same(space[:, IN_PLANE], plane[:, IN_PLANE])
    assert np.isnan(space[:, ACROSS]).all()
    assert np.isfinite(plane).all()


# -- a knife edge -------------------------------------------------------------------


def sleigh(sample):
    """The sleigh on massless rails: along x, along y, and a turn; its frame is at the blade."""
    none = np.zeros((3, 3))
    rail = {"parent": "world", "mass": 0, "com": [0, 0, 0], "inertia_com": none}
    rows = [
        {**rail, "name": "rail_x", "type": "prismatic", "axis": [1, 0, 0]},
        {**rail, "name": "rail_y", "type": "prismatic", "axis": [0, 1, 0], "parent": "rail_x"},
        {
            "name": "sleigh",
            "parent": "rail_y",
            "type": "revolute",
            "axis": [0, 0, 1],
            "mass": sample["m"],
            "com": [sample["a"], 0, 0],
            "inertia_com": np.diag([1.0, 1.0, sample["I"]]),
        },
    ]
    rows = [complete(row) for row in rows]
    system = build_system(rows)
    places, blade = places_in(system), side(system, rows, "sleigh", (0, 0, 0))
    body, point = places.bodies["sleigh"], places.point("P", blade)
    edge = Contact("edge", ground_of(system), body, point, directions=[body.y])
    return system, edge, body


@pytest.mark.parametrize("k", range(3))
def test_sleigh(k):
    sample = load("nonholonomic_chaplygin_sleigh")["samples"][k]
    system, edge, body = sleigh(sample)
    drive, turn = symbols("X Z")
    driven = Wrench(edge.parent_point, drive * body.x)
    system.add_loads(*driven.to_loads(body), Torque(body.frame, turn * body.z))
    constrain(system, [edge])
    idyn = InverseDynamics(system, solve_for=(drive, turn), loops=[edge], actuated=())
    program, v, w = idyn.program(("joint_wrenches", "solved_loads")), sample["v"], sample["w"]
    for heading in (0.0, 0.8, np.pi / 2):
        along, across = (np.cos(heading), np.sin(heading)), (-np.sin(heading), np.cos(heading))
        rates = np.outer(sample["vdot"], along) + np.outer(v * w, across)
        motion = ([0.3, -0.2, heading], [*np.multiply(v, along), w], [*rates[0], sample["wdot"]])
        outputs = run(program, state(system, *motion))
        wrench = outputs["joint_wrenches"][-1]
        assert wrench == pytest.approx([0, sample["lateral_force"], 0, 0, 0, 0], abs=1e-9)
        # The file's moment is about the mass centre, the drive's force acts at the blade.
        expected = [sample["drive_force"], sample["drive_moment"]]
        assert outputs["solved_loads"] == pytest.approx(expected, abs=1e-9)
