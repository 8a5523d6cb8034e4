"""Friction that depends on reactions against what books say, to rounding."""

from itertools import product

import numpy as np
import pytest
import sympy as sm
import sympy.physics.mechanics as me
from bodies import grounded, rigid_body
from linkages import closed, slides
from marks import slow
from refusals import refused

import jointwrench as jw

TIGHT = 1e-12


def inverse(system, outputs, frictions, **options):
    idyn = jw.InverseDynamics(system, frictions=frictions, **options)
    names = [*outputs, "friction", "friction_gain", "friction_residual"]
    return idyn.compile(names, backend="numpy")


def told(evaluate, slides, words, *state):
    """Return a result; where nothing slides this way, a warning has to say so by name."""
    if slides:
        return evaluate(*state)
    with pytest.warns(
        RuntimeWarning, match=f"no equilibrium was found .* of sliding in {words}, since"
    ):
        return evaluate(*state)


@pytest.mark.parametrize("arm", [0.05, 0.02, 0.005])
def test_a_lever_that_a_force_turns_loads_its_own_bearing(arm):
    ground, system = grounded()
    lever = rigid_body("lever", 2, 0, 0, 0.1)
    pin = me.PinJoint("pin", ground, lever, child_point=-0.4 * lever.x, joint_axis=ground.z)
    system.add_joints(pin)
    system.apply_uniform_gravity(-9.81 * ground.y)
    muscle = me.dynamicsymbols("muscle")
    system.add_loads(me.Force(pin.child_point.locatenew("P", arm * lever.x), muscle * ground.y))
    law = jw.JointFriction(pin, 0.3, radius=0.03)
    evaluate = inverse(system, ["solved_loads"], [law], solve_for=[muscle])
    weight, k = 2 * 9.81, 0.3 * 0.03
    found = told(evaluate, arm > k, "pin", [0.0], [1e-9], [0.0])
    np.testing.assert_allclose(found.friction_gain, k / arm, rtol=TIGHT)
    # f a - w c - k |w - f| = 0
    roots = [weight * (0.4 - k) / (arm - k), weight * (0.4 + k) / (arm + k)]
    signed = zip(roots, (1, -1), strict=True)  # none within the friction circle
    expected = next((x for x, s in signed if s * (x - weight) >= 0), np.nan)
    np.testing.assert_allclose(found.solved_loads[muscle], expected, rtol=TIGHT)


@pytest.mark.parametrize("way", [-1.0, 1.0])
def test_a_block_slides_on_an_incline(way):
    ground, system = grounded()
    angle, mu = 0.6, 0.3
    block = rigid_body("block", 2, 0.1, 0.1, 0.1)
    axis = np.cos(angle) * ground.x + np.sin(angle) * ground.y
    slide = me.PrismaticJoint("slide", ground, block, joint_axis=axis)
    system.add_joints(slide)
    system.apply_uniform_gravity(-9.81 * ground.y)
    fdyn = jw.ForwardDynamics(system, frictions=[jw.JointFriction(slide, mu)])
    found = fdyn.compile(["udot", "friction"], backend="numpy")([0.0], [way])
    expected = -9.81 * (np.sin(angle) + way * mu * np.cos(angle))
    np.testing.assert_allclose(found.udot, [expected], rtol=TIGHT)
    np.testing.assert_allclose(found.friction, [-way * mu * 2 * 9.81 * np.cos(angle)], rtol=TIGHT)


@pytest.mark.parametrize("arm", [0.3, 0.6, 0.7])
def test_a_drawer_jams(arm):
    ground, system = grounded()
    mu, length, load = 0.4, 0.5, 10.0
    drawer = rigid_body("drawer", 1, 0.1, 0.1, 0.1)
    guide = me.PrismaticJoint("guide", ground, drawer)
    system.add_joints(guide)
    pull = me.dynamicsymbols("pull")
    grip = drawer.masscenter.locatenew("handle", arm * drawer.y)
    system.add_loads(me.Force(grip, pull * ground.x), me.Force(drawer.masscenter, -load * ground.x))
    law = jw.JointFriction(guide, mu, supports=length)
    evaluate = inverse(system, ["solved_loads"], [law], solve_for=[pull])
    share = 2 * mu * arm / length
    found = told(evaluate, share < 1, "guide", [0.0], [1.0], [0.0])
    np.testing.assert_allclose(found.friction_gain, share, rtol=TIGHT)
    if share < 1:
        np.testing.assert_allclose(found.solved_loads[pull], load / (1 - share), rtol=TIGHT)
    else:
        assert np.isnan(found.solved_loads[pull])


def wedge(alpha, mu, below, weight=50.0):
    ground, system = grounded()
    wedge, load = rigid_body("wedge"), rigid_body("load")
    bed = me.PrismaticJoint("bed", ground, wedge, joint_axis=ground.x)
    system.add_joints(bed, me.PrismaticJoint("lift", ground, load, joint_axis=ground.y))
    push = me.dynamicsymbols("push")
    normal = -sm.sin(alpha) * wedge.x + sm.cos(alpha) * wedge.y
    flank = jw.LoopJoint("flank", wedge, load, "point_on_plane", joint_axis=normal)
    system.add_loads(
        me.Force(wedge.masscenter, -push * ground.x), me.Force(load.masscenter, -weight * ground.y)
    )
    closed(system, flank)
    laws = [jw.JointFriction(flank, mu)]
    laws += [jw.JointFriction(bed, below)] if below else []
    return system, flank, laws, push


@pytest.mark.parametrize(("alpha", "below", "way"), [*product((0.1, 1.4), (0.2, 0.0), (1.0, -1.0))])
def test_a_wedge_lifts_and_lowers(alpha, below, way):
    mu, weight = 0.2, 50.0
    system, flank, laws, push = wedge(alpha, mu, below)
    options = {"loops": [flank], "actuated": [], "solve_for": [push]}
    evaluate = inverse(system, ["solved_loads", "joint_wrenches"], laws, **options)
    angle = np.arctan(mu)
    slides = way < 0 or alpha + angle < np.pi / 2
    speeds = [-way, way * np.tan(alpha)]
    found = told(evaluate, slides, "flank", [0.0, 0.0], speeds, [0.0, 0.0])
    expected = weight * (np.tan(alpha + way * angle) + way * below)
    expected, leaning = (expected, alpha + way * angle) if slides else (np.nan, np.nan)
    np.testing.assert_allclose(found.solved_loads[push], expected, rtol=TIGHT)
    # the flank's whole wrench leans by the angle of friction
    force = found.joint_wrenches[2, :2]
    lean = np.arctan2(-force[0], force[1])
    np.testing.assert_allclose(lean, leaning, rtol=TIGHT)


@pytest.mark.filterwarnings("ignore:the motion does not close the loops")  # nothing has mass
@pytest.mark.parametrize(("angle", "way"), [(0.8, -1.0), *slow([(2.0, -1.0)]), (0.8, 1.0)])
def test_the_rod_of_a_crank_touches_both_friction_circles(angle, way):
    r, l, mu, rb, rc, load = 0.2, 0.5, 0.3, 0.03, 0.05, 100.0
    ground, system = grounded()
    crank, rod, slider = rigid_body("crank"), rigid_body("rod"), rigid_body("slider")
    system.add_joints(
        me.PinJoint("A", ground, crank, joint_axis=ground.z),
        big := me.PinJoint("B", crank, rod, parent_point=r * crank.x, joint_axis=crank.z),
        me.PrismaticJoint("X", ground, slider, joint_axis=ground.x),
    )
    small = jw.LoopJoint("C", rod, slider, "pin", l * rod.x, None, joint_axis=rod.z)
    system.add_loads(me.Force(slider.masscenter, -load * ground.x))
    closed(system, small)
    laws = [jw.JointFriction(big, mu, radius=rb), jw.JointFriction(small, mu, radius=rc)]
    options = {"loops": [small], "actuated": system.u[:1]}
    evaluate = inverse(system, ["generalized_forces"], laws, **options)
    psi = -np.arcsin(r * np.sin(angle) / l)  # of the rod
    place = r * np.cos(angle) + l * np.cos(psi)
    turning = -way * r * np.cos(angle) / (l * np.cos(psi))
    speed = -way * r * np.sin(angle) - l * np.sin(psi) * turning
    q, u = [angle, psi - angle, place], [way, turning - way, speed]
    found = evaluate(q, u, np.zeros(3))
    # on the rod: (C - B) x F_C + M_B + M_C = 0, M = -mu r F sign(rod - other)
    s = mu * (rb * np.sign(turning - way) + rc * np.sign(turning)) / l
    push = np.pi + psi - np.arcsin(s)  # direction of F_C on the rod
    force = load / -np.cos(push)
    moment = -mu * rc * force * np.sign(turning)
    expected = place * -force * np.sin(push) - moment
    np.testing.assert_allclose(found.generalized_forces[0], expected, rtol=TIGHT)
    assert abs(found.friction_residual).max() < 1e-12


@pytest.mark.parametrize(("mu", "way"), [*product((0.5, 1.2, 1.9, 2.2), (1.0, -1.0))])
def test_painleves_rod(mu, way):
    m, l, J, theta = 1.0, 1.0, 1.0 / 3, 1.1
    ground, system = grounded()
    b, rod = rigid_body("b"), rigid_body("rod", m, J, J, J)
    system.add_joints(*slides(ground, b, "xy"), me.PinJoint("Z", b, rod, joint_axis=b.z))
    system.apply_uniform_gravity(-9.81 * ground.y)
    floor = jw.LoopJoint(
        "floor", ground, rod, "point_on_plane", None, -l * rod.x, joint_axis=ground.y
    )
    system.add_holonomic_constraints(*floor.holonomic_constraints)
    system.q_ind, system.q_dep = [system.q[0], system.q[2]], [system.q[1]]
    system.u_ind, system.u_dep = [system.u[0], system.u[2]], [system.u[1]]
    fdyn = jw.ForwardDynamics(system, loops=[floor], frictions=[jw.JointFriction(floor, mu)])
    evaluate = fdyn.compile(["udot", "multipliers", "friction"], backend="numpy")
    A = 1 / m + l**2 / J * np.cos(theta) ** 2
    B = A + way * mu * l**2 / J * np.cos(theta) * np.sin(theta)
    found = told(evaluate, B > 0, "floor", [0.0, theta, l * np.sin(theta)], [way, 0.0, 0.0])
    if B < 0:
        assert np.isnan(found.udot).all()
    else:
        np.testing.assert_allclose(found.multipliers, [9.81 / B], rtol=TIGHT)
        np.testing.assert_allclose(found.friction, [-way * mu * 9.81 / B], rtol=TIGHT)


@pytest.mark.parametrize(("alpha", "below"), [(0.45, 0.2), (0.1, 0.0), (0.1, 0.2)])
def test_a_wedge_and_a_screw_lock_themselves(alpha, below):
    mu, angle = 0.2, np.arctan(0.2)
    system, flank, laws, push = wedge(alpha, mu, below)
    options = {"loops": [flank], "actuated": [], "solve_for": [push]}
    idyn = jw.InverseDynamics(system, frictions=laws, **options)
    sense = [-1.0, np.tan(alpha)]
    assert idyn.self_locking([0, 0], sense) == (alpha < (2 if below else 1) * angle)
    outputs = ["solved_loads", "motor_power"]
    for _ in range(2):  # whoever was told before
        with pytest.warns(UserWarning, match="does not close the loops"):
            idyn.at_rest([0, 0.3], sense, outputs=outputs)
    lifting, lowering = idyn.at_rest([0, 0], sense, outputs=outputs)
    expected = [50 * (np.tan(alpha + way * angle) + way * below) for way in (1, -1)]
    ends = [lifting.solved_loads[push], lowering.solved_loads[push]]
    np.testing.assert_allclose(ends, expected, rtol=TIGHT)
    power = [lifting.motor_power, lowering.motor_power]
    np.testing.assert_allclose(power, np.multiply(ends, [1e-60, -1e-60]), rtol=TIGHT)


def lifted():
    """Return a System with a block that only lies on the floor, the floor, and what lifts it."""
    ground, system = grounded()
    block = rigid_body("block", 2, 0.1, 0.1, 0.1)
    system.add_joints(*slides(ground, block, "xy"))
    lift = me.dynamicsymbols("lift")
    system.add_loads(me.Force(block.masscenter, lift * ground.y))
    system.apply_uniform_gravity(-9.81 * ground.y)
    floor = jw.LoopJoint("floor", ground, block, "point_on_plane", joint_axis=ground.y)
    closed(system, floor)
    return system, floor, lift


@pytest.mark.parametrize("backend", ["numpy", *slow(["c"])])
def test_one_sided_friction_as_long_as_it_presses(backend):
    system, floor, lift = lifted()
    laws, outputs = ([jw.JointFriction(floor, 0.3, one_sided=True)], ["friction", "normal_forces"])
    idyn = jw.InverseDynamics(system, loops=[floor], frictions=laws)
    fdyn = jw.ForwardDynamics(system, loops=[floor], frictions=laws)
    evaluate = idyn.compile(outputs, backend=backend)
    forward = fdyn.compile(["udot", *outputs], backend=backend)
    pulls = np.array([0.0, 10.0, 19.0])
    state, given = np.zeros((3, 2)), {lift: pulls}
    sliding = np.tile([1.0, 0.0], (3, 1))
    found = evaluate(state, sliding, state, specifieds=given)
    for result in (found, forward(state, sliding, specifieds=given)):
        np.testing.assert_allclose(result.normal_forces[:, 0], 19.62 - pulls, rtol=TIGHT)
        np.testing.assert_allclose(result.friction[:, 0], -0.3 * (19.62 - pulls), rtol=TIGHT)
    with pytest.warns(RuntimeWarning, match="floor lifts off: its parent would have to pull"):
        beyond = evaluate([0, 0], [1, 0], [0, 0], specifieds={lift: 30.0})
    assert np.isnan(beyond.friction).all()
    np.testing.assert_allclose(beyond.normal_forces, [19.62 - 30], rtol=TIGHT)


def test_one_sided_a_simulation_ends_where_it_lifts_off():
    system, floor, lift = lifted()
    laws = [jw.JointFriction(floor, 0.3, one_sided=True)]
    fdyn = jw.ForwardDynamics(system, loops=[floor], frictions=laws)
    force = fdyn.compile("normal_forces")

    def lifts_off(time, x):
        return force(x[:2], x[2:], specifieds={lift: 40 * time}).normal_forces[0]

    lifts_off.terminal = True
    given = {"specifieds": {lift: lambda time: 40 * time}, "events": lifts_off}
    run = fdyn.simulate(np.linspace(0, 0.48, 49), [0, 0], [5, 0], **given, rtol=1e-10)
    assert run.times[-1] == 0.48
    # m u' = -mu (m g - 40 t)
    expected = 5 - 0.3 / 2 * (19.62 * 0.48 - 20 * 0.48**2)
    np.testing.assert_allclose(run.u[-1, 0], expected, rtol=1e-8)


def test_one_sided_what_presses_in_several_directions_is_not_one_sided():
    system, floor, _ = lifted()
    law = jw.JointFriction("x", 0.3, one_sided=True)
    refused(lambda: jw.InverseDynamics(system, loops=[floor], frictions=[law]), "one_sided")
