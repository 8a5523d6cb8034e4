"""Inertial parameters from motions and forces: what can be seen, and how well."""

from itertools import pairwise

import linkages
import numpy as np
import pytest
import sympy as sm
import sympy.physics.mechanics as me
from bodies import rigid_body, system_of
from marks import slow
from numbered_arms import ROBOTS, robot
from random_systems import random_system
from refusals import refused
from scipy.optimize import minimize
from waves import two_rods, waves

from jointwrench import FreeJoint, InverseDynamics, SerialChain
from jointwrench.identification import base_parameters, identify
from jointwrench.identification.consistent_bodies import solve_consistent
from jointwrench.identification.pseudo_inertia import BASIS, factorise, is_physical
from jointwrench.robots import read_urdf

RANKS = {"Puma 560": 36, "Staubli RX-90": 36, "KUKA LWR": 43, "Franka Panda": 43, "general 6R": 38}
LENGTHS = {"l_0": 0.5, "l_1": 0.4}


arm = pytest.fixture(two_rods, scope="module")


@pytest.fixture(scope="module")
def spatial():
    """Three bodies on skew pins, with numbers; their ten parameters each."""
    numbers = np.random.default_rng(4)
    bodies = [me.RigidBody(name) for name in ("ground", "base", "upper", "lower")]
    system = me.System.from_newtonian(bodies[0])
    for k, (inner, outer) in enumerate(pairwise(bodies)):
        outer.mass = sm.Float(numbers.uniform(1, 3))
        frame = outer.frame
        spread = numbers.uniform(0.1, 0.3, 3)
        moments = outer.mass * (np.sum(spread**2) - spread**2)
        outer.central_inertia = me.inertia(frame, *map(sm.Float, moments))
        x, y, z = map(sm.Float, numbers.uniform(-0.3, 0.3, 3))
        arm = x * frame.x + y * frame.y + z * frame.z
        axis, point = inner.frame.x + k * inner.frame.y, 0.3 * k * inner.frame.z
        places = {"parent_point": point, "child_point": -arm}
        system.add_joints(me.PinJoint(f"j{k}", inner, outer, joint_axis=axis, **places))
    system.apply_uniform_gravity(-9.81 * bodies[0].y)
    idyn = InverseDynamics(system)
    return idyn, np.array([float(p.value) for p in idyn.inertial_parameters])


# -- base parameters ------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["Franka Panda", *slow(x for x in RANKS if x != "Franka Panda")])
def test_ranks_of_robots(name, rng):
    """Those of the literature, with gravity along the first axis."""
    idyn = robot(ROBOTS[name])
    lengths = {s: rng.uniform(0.2, 0.5) for s in idyn.constants if str(s)[0] in "ad"}
    base = base_parameters(idyn, None, {**lengths, "g": 9.81})
    assert base.rank == len(base) == RANKS[name]
    assert len(base.names) == 10 * len(idyn.bodies)


def test_groupings_are_formulas():
    base = base_parameters(robot(ROBOTS["Staubli RX-90"]))
    m, names = sm.Symbol("d3"), ["mx b1", "m b2", "m b3", "m b4", "m b5"]
    own, *others = map(sm.Symbol, names)
    assert sm.expand(own + m * sum(others)) in base.formulas
    assert "mx b1 + d3*m b2 + d3*m b3 + d3*m b4 + d3*m b5" in repr(base)
    assert {"m b0", "mz b0", "Ixx b0"} < set(base.unidentifiable)
    assert "Izz b1" not in base.unidentifiable
    with pytest.warns(DeprecationWarning, match="Use BaseParameters.unidentifiable"):
        assert base.unseen == base.unidentifiable
    refused(lambda: base.matrix, "constants")


@pytest.mark.parametrize("seed", [2, 3, *slow([8, 9])])
def test_forces_of_random_trees_are_those_of_base_parameters(seed):
    """Friction and rotors are among them; parameters that cannot be seen do nothing."""
    tree, rng = random_system(seed), np.random.default_rng(seed)
    idyn = InverseDynamics(tree.system)
    constants = {s: x for s, x in tree.values.items() if s in idyn.constants}
    base = base_parameters(idyn, None, constants, actuators=True)
    widths = (len(idyn.coordinates), len(idyn.speeds), len(idyn.speeds))
    motion = [rng.uniform(-1, 1, (5, width)) for width in widths]
    specifieds = {s: rng.uniform(-1, 1, 5) for s in idyn.specifieds}
    evaluate = idyn.compile(["regressor", "actuator_regressor"], backend="numpy")
    found = evaluate(*motion, constants, specifieds, times=np.linspace(0, 1, 5))
    coefficients = np.concatenate([found.regressor, found.actuator_regressor], axis=-1)
    parameters = rng.normal(size=len(base.names))
    forces = coefficients[..., base.places] @ (base.matrix @ parameters)
    np.testing.assert_allclose(forces, coefficients @ parameters, 1e-10, 1e-10)
    parameters[[base.names.index(name) for name in base.unidentifiable]] += 1
    np.testing.assert_allclose(coefficients @ parameters, forces, 1e-10, 1e-10)


def test_groupings_without_formulas_need_numbers(arm):
    shoulder = arm[0].joints[:1]
    refused(lambda: base_parameters(arm[0], joints=shoulder), "constants")
    base = base_parameters(arm[0], None, LENGTHS, joints=shoulder)
    assert {"my S_0 + 0.5*m S_1", "m S_0 + m S_1"} < set(base.texts)


def test_groupings_of_closed_loops_have_numbers():
    """A four-bar linkage shows fewer parameters than its tree; the rest is in the numbers."""
    idyn, constants, motion = four_bar()
    refused(lambda: base_parameters(idyn, None, constants), "motion")
    base = base_parameters(idyn, motion, constants)
    assert base.rank == 8  # 9 without the loop
    found = idyn.compile(("regressor", "generalized_forces"))(*motion, constants)
    truth = [float(p.value.subs(constants)) for p in idyn.inertial_parameters]
    forces = found.regressor[..., base.places] @ (base.matrix @ truth)
    np.testing.assert_allclose(forces, found.generalized_forces, 1e-7, 1e-7)
    identified = identify(idyn, motion, found.generalized_forces, constants, base=base)
    np.testing.assert_allclose(identified.base_values, base.matrix @ truth, 1e-9, 1e-9)


def four_bar():
    """Return a four-bar linkage in motion."""
    sizes = (-0.8, 0.3, 0.9, 0.6)
    bars = linkages.four_bar(sizes)
    for link, length in list(zip(bars.links, sizes, strict=True))[1:]:
        link.mass = sm.Symbol(f"m_{link}")
        moment = link.mass * sm.Float(length) ** 2 / 12
        link.central_inertia = me.inertia(link.frame, 0, moment, moment)
    linkages.depend_on_first(bars.system)
    bars.system.apply_uniform_gravity(-9.81 * bars.links[0].y)
    idyn = InverseDynamics(bars.system, loops=[bars.loop])
    constants = {s: 1.0 + k for k, s in enumerate(idyn.constants)}
    t = np.linspace(0, 6, 120)
    alone = np.zeros((3, len(t), 3))
    alone[:, :, 0] = t + 0.3 * np.sin(2 * t), 1 + 0.6 * np.cos(2 * t), -1.2 * np.sin(2 * t)
    alone[0, 0, 1:] = 0.5, -1.8
    return idyn, constants, idyn.close_motion(*alone, constants)


def test_wrenches_show_more_than_torques(spatial):
    idyn, _ = spatial
    torques = base_parameters(idyn)
    wrenches = base_parameters(idyn, joints=idyn.joints)
    tip = base_parameters(idyn, joints=["j2"])
    assert tip.rank == 10 < torques.rank < 20 < wrenches.rank < 30
    assert tip.independent == wrenches.independent[-10:]
    assert "m lower" in tip.independent
    assert {"m upper", "Ixx base"} < set(tip.unidentifiable)


def test_rotor_and_link_cannot_be_told_apart(arm):
    base = base_parameters(arm[0], actuators=True)
    assert base.rank == 11
    assert any(text.endswith("+ rotor u_0") for text in base.texts)


def test_free_bodies_show_all_parameters():
    """Quaternions of random states have the length one."""
    ground, body = rigid_body("ground"), me.RigidBody("body")
    joint = FreeJoint("free", ground, body, rotation="quaternion")
    system = system_of(ground, joint, gravity=-9.81 * ground.y)
    assert base_parameters(InverseDynamics(system)).rank == 10


# -- identification ---------------------------------------------------------------------------


def test_weights_sharpen(arm):
    """Torques that are known to be better count more; given weights are those of "wls"."""
    idyn, constants = arm
    motion, rng = waves(2, 60), np.random.default_rng(1)
    exact = idyn.compile()(*motion, constants).generalized_forces
    forces = exact + [1.0, 0.01] * rng.normal(size=exact.shape)
    ordinary = identify(idyn, motion, forces, LENGTHS)
    weighted = identify(idyn, motion, forces, LENGTHS, method="wls", weights=[1, 1e4])
    estimated = identify(idyn, motion, forces, LENGTHS, method="wls")
    assert weighted.standard_errors["Izz S_1"] < 0.1 * ordinary.standard_errors["Izz S_1"]
    assert estimated.values["Izz S_1"] == pytest.approx(weighted.values["Izz S_1"], rel=0.01)
    assert ordinary.rms["u_0(t)"] == pytest.approx(1, rel=0.3)


def test_actuators(arm):
    idyn, constants = arm
    motion = waves(2, 80)
    _, u, udot = motion
    friction = 0.4 * u + 0.7 * np.sign(u) + [0, 0.03] * udot
    forces = idyn.compile()(*motion, constants).generalized_forces + friction
    found = identify(idyn, motion, forces, LENGTHS, actuators=True)
    assert found.values["viscous u_0"] == pytest.approx(0.4)
    assert found.values["Coulomb u_1"] == pytest.approx(0.7)
    assert "rotor u_0" in found.undetermined
    with pytest.warns(DeprecationWarning, match="Use Identified.undetermined"):
        assert found.unseen == found.undetermined
    physical = identify(
        idyn, motion, forces, constants, actuators=True, method="consistent", start={"m S_0": 3}
    )
    assert physical.values["Coulomb u_1"] == pytest.approx(0.7, rel=1e-4)
    assert min(v for name, v in physical.values.items() if name.endswith(("u_0", "u_1"))) >= 0


def test_consistent_stays_physical(spatial):
    """Where noise makes ordinary least squares find bodies that cannot exist."""
    idyn, _ = spatial
    motion, rng = waves(3, 40), np.random.default_rng(2)
    exact = idyn.compile()(*motion)
    wrenches = {x: exact.joint_wrench(x) + 3 * rng.normal(size=(40, 6)) for x in idyn.joints}
    ordinary = identify(idyn, motion, wrenches)
    physical = identify(idyn, motion, wrenches, method="consistent")
    assert False in ordinary.is_physical.values()
    assert "no such body can exist" in repr(ordinary)
    assert set(physical.is_physical.values()) == {True}
    assert all(is_physical(row) for row in np.reshape(list(physical.values.values()), (-1, 10)))
    norms = [np.linalg.norm([*found.rms.values()]) for found in (ordinary, physical)]
    assert norms[0] < norms[1] < 1.2 * norms[0]


def test_consistent_is_exact_for_exact_forces(spatial):
    """From torques, with a start that is far off; what they do not show has no standard error."""
    idyn, truth = spatial
    motion = waves(3, 60)
    forces = idyn.compile()(*motion).generalized_forces
    sizes = [1, 0.1, 0.1, 0.1, 1, 1, 1, 0, 0, 0]
    start = dict(zip((p.name for p in idyn.inertial_parameters), sizes * 3, strict=True))
    found = identify(idyn, motion, forces, method="consistent", start=start)
    np.testing.assert_allclose(found.base_values, found.base.matrix @ truth, 1e-3, 1e-3)
    assert found.values["m base"] > 0
    assert np.isnan(found.standard_errors["m base"])
    assert set(found.is_physical.values()) == {True}


@pytest.mark.slow
def test_consistent_is_the_least_of_all(spatial):
    """No search among triangular factors of pseudo-inertias finds less squares and divergence."""
    (idyn, truth), attachment = spatial, 0.1
    numbers = np.random.default_rng(3)
    matrix = idyn.compile("regressor")(*waves(3, 40)).regressor.reshape(-1, 30)
    right = matrix @ truth + 2 * numbers.normal(size=len(matrix))
    start = truth * np.repeat([0.7, 1.5, 1], 10)
    kinds = np.ones(3, dtype=bool), np.zeros(30, dtype=bool)
    found = solve_consistent(matrix, right, start, kinds, attachment)
    assert found.converged
    first = [np.linalg.inv(np.tensordot(x, BASIS, 1)) for x in start.reshape(3, 10)]
    back = np.linalg.pinv(BASIS.reshape(10, 16).T)

    def size(x):
        value = np.sum((matrix @ x - right) ** 2)
        for own, inverse in zip(x.reshape(3, 10), first, strict=True):
            relative = inverse @ np.tensordot(own, BASIS, 1)
            value += attachment * (np.trace(relative) - np.linalg.slogdet(relative)[1] - 4)
        return value

    places = (slice(None), *np.tril_indices(4))

    def parameters(y):
        factors = np.zeros((3, 4, 4))
        factors[places] = y.reshape(3, 10)
        return ((factors @ factors.swapaxes(1, 2)).reshape(3, 16) @ back.T).ravel()

    factors = np.linalg.cholesky(np.tensordot(start.reshape(3, 10), BASIS, 1))
    y = factors[places].ravel()
    y = minimize(lambda y: size(parameters(y)), y, method="BFGS").x
    assert size(found.parameters) <= size(parameters(y)) * (1 + 1e-9)
    assert size(found.parameters) == pytest.approx(size(parameters(y)), rel=1e-3)


def test_a_search_for_bodies_that_ends_early_says_so(spatial, monkeypatch):
    monkeypatch.setattr("jointwrench.identification.consistent_bodies.MAX_STEPS", 3)
    idyn, _ = spatial
    motion = waves(3, 40)
    forces = idyn.compile()(*motion).generalized_forces + np.sin(np.arange(40))[:, None]
    with pytest.warns(UserWarning, match="`method`: the search .* has not converged after 3 steps"):
        found = identify(idyn, motion, forces, method="consistent")
    assert not found.converged


def test_from_wrenches_and_a_force_plate():
    """A lower leg from the wrench of the knee, with a plate under the foot and gaps in it."""
    ground, leg = rigid_body("ground"), rigid_body("leg", sm.Symbol("m"), 0.05, 0.01, 0.06)
    knee = FreeJoint("knee", ground, leg, rotation="quaternion", child_point=leg.y / 5)
    system = system_of(ground, knee, gravity=-9.81 * ground.y)
    plate = me.dynamicsymbols("F_x F_y")
    foot = leg.masscenter.locatenew("foot", -0.3 * leg.y)
    system.add_loads(me.Force(foot, plate[0] * ground.x + plate[1] * ground.y))
    idyn = InverseDynamics(system)
    rng = np.random.default_rng(0)
    q, u, udot = rng.normal(size=(50, 7)), *rng.normal(size=(2, 50, 6))
    q[:, 3:] /= np.linalg.norm(q[:, 3:], axis=1, keepdims=True)
    measured = dict(zip(plate, rng.normal(size=(2, 50)), strict=True))
    wrench = idyn.compile()(q, u, udot, {"m": 3.5}, measured).joint_wrench("knee")
    wrench[3:9, 2] = np.nan
    found = identify(idyn, (q, u, udot), {"knee": wrench}, None, measured)
    assert found.values["m leg"] == pytest.approx(3.5)
    assert found.values["my leg"] == pytest.approx(-0.7)
    assert found.values["Izz leg"] == pytest.approx(0.06 + 3.5 * 0.04)
    assert found.is_physical == {"leg": True}
    assert np.isnan(found.residuals).sum() == 6


def test_some_torques_are_enough(arm):
    idyn, constants = arm
    motion = waves(2, 60)
    forces = idyn.compile()(*motion, constants).generalized_forces
    found = identify(idyn, motion, {idyn.speeds[1]: forces[:, 1]}, LENGTHS)
    assert found.values["Izz S_1"] == pytest.approx(0.02 + 0.04)
    assert found.channels == ("u_1(t)",)
    assert "u_1(t)" in repr(found)
    named = identify(idyn, motion, {"u_1": forces[:, 1]}, LENGTHS)
    np.testing.assert_array_equal(named.base_values, found.base_values)


def test_pseudo_inertia(rng):
    body = np.array([2, 0.2, -0.1, 0.3, 0.5, 0.6, 0.4, 0.05, -0.02, 0.01])
    factor = factorise(body)
    np.testing.assert_allclose(np.tensordot(body, BASIS, 1), factor @ factor.T, 1e-12)
    rod = np.array([1, 0, 0, 0, 0, 0.1, 0.1, 0, 0, 0.0])
    assert is_physical(rod)
    near = factorise(rod) @ factorise(rod).T
    np.testing.assert_allclose(near, np.tensordot(rod, BASIS, 1), atol=1e-3)
    assert not is_physical(rod * [1, 1, 1, 1, 1, 1, 3, 1, 1, 1])  # beyond the triangle inequality
    assert not is_physical(-rod)


# -- refusals ----------------------------------------------------------------------------------


def test_motions_that_do_not_show_enough(arm):
    idyn, constants = arm
    motion = waves(2, 60)
    motion[0][:, 0], motion[1][:, 0], motion[2][:, 0] = 0.3, 0, 0
    forces = idyn.compile()(*motion, constants).generalized_forces
    refused(lambda: identify(idyn, motion, forces, LENGTHS), "motion")
    base = base_parameters(idyn, motion, LENGTHS)
    assert base.rank < 6
    found = identify(idyn, motion, forces, LENGTHS, base=base)
    assert found.values["Izz S_1"] == pytest.approx(0.06)


def test_motions_that_show_nothing():
    ground, body = rigid_body("ground"), me.RigidBody("body")
    idyn = InverseDynamics(system_of(ground, me.PinJoint("pin", ground, body)))
    still = np.zeros((3, 20, 1))
    refused(lambda: base_parameters(idyn, tuple(still)), "motion")
    refused(lambda: identify(idyn, tuple(still), np.zeros((20, 1))), "motion")


def changed(arm, **options):
    """Identify the rods from zero forces of a motion, with other arguments."""
    motion = waves(2, 60)
    given = {"motion": motion, "forces": np.ones((60, 2)), "constants": LENGTHS} | options
    return identify(arm[0], **given)


def test_bad_data(arm):
    q, u, udot = waves(2, 60)
    broken, whole = udot.copy(), np.zeros((60, 6))
    broken[4, 1] = np.nan
    for motion in ((q, u[:, :1], udot), (q, u, broken)):
        refused(lambda: changed(arm, motion=motion), "motion")
    for forces in ({}, {"S_0": whole, arm[0].joints[0]: whole}, {"u1": q[:, 1]}):
        refused(lambda: changed(arm, forces=forces), "forces")
    refused(lambda: changed(arm, forces={sm.Symbol("x"): q[:, 0]}), "forces")
    refused(lambda: changed(arm, constants=None), "constants")


def test_bad_options(arm):
    idyn, constants = arm
    consistent_ = {"method": "consistent"}
    for options, argument in (
        ({"method": "wls", "weights": [1, 1, 1]}, "weights"),
        ({"method": "wls", "weights": [1, -1]}, "weights"),
        ({"base": base_parameters(idyn, actuators=True)}, "base"),
        (consistent_, "start"),
        (consistent_ | {"start": {"mass": 3}}, "start"),
        (consistent_ | {"start": {"m S_1": -1}, "constants": constants}, "start"),
        (consistent_ | {"start": {"viscous u_0": np.nan}, "actuators": True}, "start"),
    ):
        refused(lambda: changed(arm, **options), argument)
    refused(lambda: changed(arm, **consistent_, start=[1]), "start", TypeError)
    refused(lambda: base_parameters(idyn, tolerance=2), "tolerance")


def test_models_that_cannot_move():
    """Have no generalized forces; the wrench of a weld shows what it carries."""
    m, g = sm.symbols("m g")
    ground, body = rigid_body("ground"), me.RigidBody("body", mass=m)
    system = system_of(ground, me.WeldJoint("weld", ground, body), gravity=-g * ground.y)
    idyn, still = InverseDynamics(system), np.zeros((3, 20, 0))
    for find in (
        lambda: base_parameters(idyn),
        lambda: identify(idyn, tuple(still), np.zeros((20, 0)), {g: 10}),
    ):
        refused(find, "idyn")
    wrenches = np.tile([0, 30.0, 0, 0, 0, 0], (20, 1))
    found = identify(idyn, tuple(still), {"weld": wrenches}, {g: 10})
    assert found.values["m body"] == pytest.approx(3)


FRAMES = """<robot name="r"><link name="ground"/>{links}
<joint name="turn" type="continuous"><parent link="ground"/><child link="arm"/></joint>
<joint name="f" type="fixed"><parent link="arm"/><child link="tool0"/></joint>
<joint name="g" type="fixed"><parent link="tool0"/><child link="ee_link"/></joint></robot>"""
ARM = """<link name="arm"><inertial><mass value="2"/>{}</inertial></link><link name="tool0"/>
<link name="ee_link"/>"""
INERTIA = '<inertia ixx="{0}" iyy="{0}" izz="{0}" ixy="0" ixz="0" iyz="0"/>'


@pytest.mark.parametrize("moment", [0.1, 0])
def test_frames_without_mass(moment):
    """All of them are named, and the cure; bodies without extent get a little to start from."""
    text = FRAMES.format(links=ARM.format(INERTIA.format(moment)))
    t = np.linspace(0, 5, 60)[:, None]
    motion = np.sin(t**2), 2 * t * np.cos(t**2), 2 * np.cos(t**2) - 4 * t**2 * np.sin(t**2)
    forces = 0.3 * motion[2]
    idyn = read_urdf(text, nonphysical="keep").inverse_dynamics()
    assert identify(idyn, motion, forces).base_values[-1] == pytest.approx(0.3)
    refused(lambda: identify(idyn, motion, forces, method="consistent"), "start")
    merged = read_urdf(text, nonphysical="keep", merge_fixed=True).inverse_dynamics()
    found = identify(merged, motion, forces, method="consistent")
    assert found.values["Ixx arm"] == pytest.approx(0.3, rel=1e-3)
    masses = dict.fromkeys(("m tool0", "m ee_link"), 0.1)
    assert identify(idyn, motion, forces, method="consistent", start=masses).converged


def test_gravity_on_some_bodies_only():
    """Its force depends on what is to be found."""
    chain = SerialChain.planar(2)
    body = chain.bodies[0]
    chain.system.add_loads(me.Force(body.masscenter, -9.81 * body.mass * chain.ground.y))
    idyn = InverseDynamics(chain.system)
    refused(lambda: identify(idyn, waves(2, 60), np.ones((60, 2)), LENGTHS), "idyn")
