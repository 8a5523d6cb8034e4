"""`JointFriction`: what is refused, what is told at rest, where it locks; ways out of the core."""

import pickle

import numpy as np
import pytest
import sympy.physics.mechanics as me
from bodies import rigid_body, system_of
from linkages import closed, closed_on, four_bar, slides
from refusals import refusal, refused
from sympy import Symbol

import jointwrench as jw


def body(name, mass=1.0):
    return rigid_body(name, mass, 0.1, 0.2, 0.3)


def two_joints(kind=me.PinJoint, **options):
    """Return a system of two bodies on two joints of a kind."""
    ground, one, two = rigid_body("ground"), body("one"), body("two")
    first = kind("first", ground, one, child_point=-one.x, **options)
    second = kind("second", one, two, parent_point=one.x, child_point=-two.x, **options)
    return system_of(ground, first, second, gravity=-9.81 * ground.y)


@pytest.mark.parametrize(
    ("arguments", "argument"),
    [
        ({"coefficient": -0.1}, "coefficient"),
        ({"radius": "x1 +"}, "radius"),
        ({"width": 0}, "width"),
        ({"static": 0.3}, "stribeck_speed"),
        ({"sense": 2}, "sense"),
        ({"sense": 1, "width": 0.1}, "sense"),
        ({"joint": 3}, "joint"),
    ],
)
def test_wrong_arguments_are_refused(arguments, argument):
    with refusal(argument, (TypeError, ValueError)):
        jw.JointFriction(**{"joint": "pin", "coefficient": 0.1, **arguments})


@pytest.mark.parametrize(
    ("frictions", "argument"),
    [
        (jw.JointFriction("first", 0.1), "frictions"),
        ([0.1], "frictions"),
        ([jw.JointFriction("first", 0.1, 1)] * 2, "frictions"),
        ([jw.JointFriction("third", 0.1)], "joint"),
        ([jw.JointFriction("first", 0.1)], "radius"),
    ],
)
def test_frictions_that_fit_no_joint_are_refused(frictions, argument):
    with refusal(argument, (TypeError, ValueError)):
        jw.InverseDynamics(two_joints(), frictions=frictions)


@pytest.mark.parametrize(
    ("kind", "options", "argument"),
    [
        (me.PrismaticJoint, {"radius": 0.1}, "radius"),
        (me.PrismaticJoint, {"collar": 0.1}, "collar"),
        (me.CylindricalJoint, {}, "frictions"),
        (me.WeldJoint, {}, "frictions"),
    ],
)
def test_laws_that_do_not_fit_a_joint_are_refused(kind, options, argument):
    with refusal(argument):
        jw.InverseDynamics(two_joints(kind), frictions=[jw.JointFriction("first", 0.1, **options)])


def test_a_rod_has_no_sliding_surface():
    ground, block = rigid_body("ground"), body("block")
    system = system_of(ground, me.PrismaticJoint("slide", ground, block))
    rod = jw.LoopJoint("rod", ground, block, "rod", parent_point=ground.y, length=2)
    system.add_holonomic_constraints(*rod.holonomic_constraints)
    options = {"loops": [rod], "actuated": [], "frictions": [jw.JointFriction(rod, 0.1)]}
    refused(lambda: jw.InverseDynamics(system, **options), "frictions")


@pytest.mark.parametrize("options", [{"collar": 0.1}, {"supports": 0.2}])
def test_redundant_reactions_are_refused_by_name(options):
    bar = four_bar([2.0, 0.6, 1.5, 1.4], 1, (0.1, 0.2, 0.3))
    closed(bar.system, bar.loop)
    law = jw.JointFriction(bar.joints[1], 0.1, radius=0.01, **options)
    refused(lambda: jw.InverseDynamics(bar.system, loops=[bar.loop], frictions=[law]), "frictions")
    law = jw.JointFriction(bar.joints[1], 0.1, radius=0.01)
    jw.InverseDynamics(bar.system, loops=[bar.loop], frictions=[law])


def test_at_rest_friction_is_an_interval():
    law = {"coefficient": 0.1, "radius": 0.02, "static": 0.2, "stribeck_speed": 0.1}
    frictions = [jw.JointFriction(x, **law) for x in ("first", "second")]
    idyn = jw.InverseDynamics(two_joints(), frictions=frictions)
    evaluate = idyn.compile(["generalized_forces", "friction"], backend="numpy")
    q = [0.3, 0.4]
    with pytest.warns(RuntimeWarning, match="second does not slide, so that friction is anything"):
        found = evaluate(q, [1.0, 0.0], [0.0, 0.0])
    assert np.isnan(found.generalized_forces).tolist() == [False, True]
    accelerations = jw.ForwardDynamics(two_joints(), frictions=frictions).compile("udot")
    with pytest.warns(RuntimeWarning, match="sample 1: second does not slide, so that friction is"):
        found = accelerations([q, q], [[1, 1], [1, 0]])
    assert np.isnan(found.udot).all(axis=-1).tolist() == [False, True]
    run = jw.InverseDynamics(two_joints()).compile("joint_wrenches", backend="numpy")
    wrenches = run(q, [0, 0], [0, 0]).joint_wrenches
    sizes = np.linalg.norm(wrenches[:, 1:3], axis=1)
    one, other = idyn.at_rest(q, [1, -1])
    np.testing.assert_allclose(one.friction, -0.2 * 0.02 * sizes * [1, -1], rtol=1e-12)
    np.testing.assert_allclose(other.friction, -one.friction, rtol=1e-12)
    assert [*idyn.locked(q, [1.0, 0.0], [0.0, 0.0])] == ["second"]
    # what the user's sense says
    sense = Symbol("sense")
    frictions = [jw.JointFriction(x, **law, sense=sense) for x in ("first", "second")]
    evaluate = jw.InverseDynamics(two_joints(), frictions=frictions).compile("friction")
    found = evaluate(q, [0, 0], [0, 0], {sense: 1}).friction
    np.testing.assert_allclose(found, -0.2 * 0.02 * sizes, rtol=1e-12)


def test_what_has_a_width_has_no_ends_at_rest():
    law = jw.JointFriction("first", 0.1, radius=0.1, width=0.1)
    idyn = jw.InverseDynamics(two_joints(), frictions=[law])
    refused(lambda: idyn.at_rest([0, 0], [1, 1]), "frictions")
    bare = jw.InverseDynamics(two_joints())
    refused(lambda: bare.locked([0, 0], [1, 1], [0, 0]), "frictions")
    refused(lambda: jw.InverseDynamics(two_joints()).compile("friction"), "outputs")


def test_the_warning_names_the_sample_and_the_joint():
    pull = Symbol("pull")
    ground, drawer = rigid_body("ground"), body("drawer")
    system = system_of(ground, me.PrismaticJoint("guide", ground, drawer))
    handle = drawer.masscenter.locatenew("handle", Symbol("arm") * drawer.y)
    system.add_loads(me.Force(handle, pull * ground.x), me.Force(drawer, -10 * ground.x))
    law = jw.JointFriction("guide", Symbol("mu"), supports=0.5)
    idyn = jw.InverseDynamics(system, solve_for=[pull], frictions=[law])
    evaluate = idyn.compile("solved_loads", backend="numpy")
    speeds, numbers = [[0.5], [0.0], [-1.0]], {"mu": 0.4, "arm": 0.7}
    match = r"at sample 0: no equilibrium .* guide, .*gain 1\.12"
    for own in (evaluate, pickle.loads(pickle.dumps(evaluate))):
        with pytest.warns(RuntimeWarning, match=match):
            found = own(np.zeros((3, 1)), speeds, np.zeros((3, 1)), numbers)
        assert np.isnan(found.outputs["solved_loads"][:, 0]).tolist() == [True, True, False]
        found = own([0], [-1.0], [0], numbers)
        np.testing.assert_allclose(found.outputs["solved_loads"], 10 / 2.12)


def test_what_is_not_known_is_not_called_at_rest():
    ground, block = rigid_body("ground"), body("block", 2.0)
    axis = ground.x + 0.2 * ground.y
    system = system_of(
        ground, me.PrismaticJoint("slide", ground, block, joint_axis=axis), gravity=-10 * ground.y
    )
    idyn = jw.InverseDynamics(system, frictions=[jw.JointFriction("slide", 0.3)])
    assert np.isnan(idyn.compile("friction")([0], [1], [np.nan]).friction)
    assert idyn.self_locking([0], [1])
    assert not idyn.self_locking([0], [1], [np.nan])


def block_on_ground(kind):
    """Return a block that slides along x: its System, what binds it to ground, its friction."""
    ground, block = rigid_body("ground"), body("block", 2.0)
    system, loops = me.System.from_newtonian(ground), []
    if kind == "slide":
        joint = me.PrismaticJoint("slide", ground, block)
        system.add_joints(joint)
    else:
        system.add_joints(*slides(ground, block, "yx"))
        if kind in ("contact", "belt"):
            belt = {"surface_velocity": 0.4 * ground.x} if kind == "belt" else {}
            joint = jw.Contact("touch", ground, block, block.masscenter, [ground.y], **belt)
            system.add_nonholonomic_constraints(*joint.velocity_constraints)
            system.u_ind, system.u_dep = system.u[1:], system.u[:1]
        else:
            joint = jw.LoopJoint("touch", ground, block, kind, joint_axis=ground.y)
            closed_on(system, joint, 1)
        loops = [joint]
    system.apply_uniform_gravity(-10 * ground.y)
    system.add_loads(me.Force(block, 9 * ground.x))
    return system, loops, jw.JointFriction(joint, 0.3, width=0.1, viscous=2)


def test_a_point_on_a_line_is_pressed_across_it():
    ground, block = rigid_body("ground"), body("block", 2.0)
    rail = jw.LoopJoint("rail", ground, block, "point_on_line", joint_axis=ground.x)
    system = closed_on(system_of(ground, *slides(ground, block, "yzx")), rail, 2)
    system.add_loads(me.Force(block, 9 * ground.x - 20 * ground.y + 15 * ground.z))
    law = jw.JointFriction(rail, 0.3, width=0.1, viscous=2)
    fdyn = jw.ForwardDynamics(system, loops=[rail], frictions=[law])
    found = fdyn.compile(["udot", "friction"], backend="numpy")([0.0] * 3, [0.2, 0, 0])
    phi = -0.3 * 25 * np.tanh(2.0) - 2 * 0.2
    np.testing.assert_allclose(abs(found.friction), [-phi], rtol=1e-12)
    np.testing.assert_allclose(found.udot[0], (9 + phi) / 2, rtol=1e-12)


@pytest.mark.parametrize("kind", ["slide", "contact", "belt", "point_on_plane", "planar"])
def test_slides_closings_and_contacts_are_cases_of_one_law(kind):
    system, loops, law = block_on_ground(kind)
    fdyn = jw.ForwardDynamics(system, loops=loops, frictions=[law])
    rest = [0.0] * (len(system.u) - 1)  # what is independent stands first
    outputs = ["udot", "friction", "joint_wrenches", "sliding_speeds"]
    speed = 0.6 if kind == "belt" else 0.2
    found = fdyn.compile(outputs, backend="numpy")([0.0, *rest], [speed, *rest])
    phi = -0.3 * 20 * np.tanh(2.0) - 2 * 0.2
    np.testing.assert_allclose(abs(found.sliding_speeds), [0.2])
    np.testing.assert_allclose(found.friction * np.sign(found.sliding_speeds), [phi], rtol=1e-12)
    np.testing.assert_allclose(found.udot[0], (9 + phi) / 2, rtol=1e-12)
    np.testing.assert_allclose(found.joint_wrenches[-1, :2], [phi, 20], rtol=1e-12)
    name = found.joints[-1].name
    np.testing.assert_allclose(found.joint_power(name), speed * phi, rtol=1e-12)
    assert (name, "power") in found.columns()
    if loops:  # its slip is that of the whole mechanism
        refused(lambda: pickle.loads(pickle.dumps(found)).joint_power(name), "joint")


def test_a_block_slides_on_a_cart_by_the_difference_of_their_speeds():
    ground, cart, block = rigid_body("ground"), body("cart", 3.0), body("block", 2.0)
    rails = me.PrismaticJoint("rails", ground, cart)
    system = system_of(ground, *slides(ground, block, "yx"), rails, gravity=-10 * ground.y)
    touch = jw.Contact("touch", cart, block, block.masscenter, [ground.y])
    system.add_nonholonomic_constraints(*touch.velocity_constraints)
    system.u_ind, system.u_dep = system.u[1:], system.u[:1]
    law = jw.JointFriction(touch, 0.3, width=0.1, viscous=2)
    fdyn = jw.ForwardDynamics(system, loops=[touch], frictions=[law])
    found = fdyn.compile(["udot", "sliding_speeds"], backend="numpy")([0, 0, 0], [0.7, 0.5, 0])
    phi = -0.3 * 20 * np.tanh(2.0) - 2 * 0.2
    np.testing.assert_allclose(abs(found.sliding_speeds), [0.2])
    np.testing.assert_allclose(found.udot, [phi / 2, -phi / 3, 0], rtol=1e-12, atol=1e-15)


def test_a_ball_that_closes_a_loop_brakes_the_spin_by_the_whole_force_on_it():
    ground, carrier, wheel = rigid_body("ground"), rigid_body("carrier"), body("wheel", 2.0)
    spin = me.PinJoint("spin", carrier, wheel, joint_axis=carrier.z)
    ball = jw.LoopJoint("ball", ground, wheel, "spherical")
    system = closed_on(system_of(ground, *slides(ground, carrier, "xyz"), spin), ball, 3)
    system.apply_uniform_gravity(-6 * ground.y - 8 * ground.z)
    law = jw.JointFriction(ball, 0.4, radius=0.05, width=0.1)
    fdyn = jw.ForwardDynamics(system, loops=[ball], frictions=[law])
    found = fdyn.compile("udot", backend="numpy")([0.3, 0, 0, 0], [0.2, 0, 0, 0])
    assert found.udot[0] == pytest.approx(-0.4 * 0.05 * 20 * np.tanh(2.0) / 0.3, rel=1e-12)


def test_in_a_plane_friction_is_along_the_velocity():
    """A puck on a plane: as a closing joint on three slides, and as a ball's torque on a pad."""
    ground, puck = rigid_body("ground"), body("puck", 2.0)
    table = jw.LoopJoint("table", ground, puck, "point_on_plane", joint_axis=ground.z)
    system = closed_on(system_of(ground, *slides(ground, puck, "zxy")), table, 1)
    system.apply_uniform_gravity(-10 * ground.z)
    for options in ({}, {"width": 1e-9}):
        law = jw.JointFriction(table, 0.3, **options)
        fdyn = jw.ForwardDynamics(system, loops=[table], frictions=[law])
        evaluate = fdyn.compile(["udot", "friction"], derivatives=["u"], backend="numpy")
        found = evaluate([0, 0, 0], [0.3, -0.4, 0])
        np.testing.assert_allclose(found.udot, [-1.8, 2.4, 0], rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(found.friction, [-6], rtol=1e-12)
        slopes = found.derivative("udot", "u")[:2, :2]  # -3 (1 - e e^T) / |v|
        expected = -3 / 0.5 * (np.eye(2) - np.outer([0.6, -0.8], [0.6, -0.8]))
        np.testing.assert_allclose(slopes, expected, rtol=1e-9, atol=1e-9)
    at_rest = evaluate([0, 0, 0], [0, 0, 0])  # with a width
    assert (at_rest.udot == 0).all()
    assert np.isfinite(at_rest.derivative("udot", "u")).all()


def test_what_newtons_method_solves_has_no_formula_and_kane_no_friction():
    pull, push = Symbol("pull"), jw.JointFriction("second", 0.1, radius=0.1)
    system = two_joints()
    idyn = jw.InverseDynamics(system, frictions=[push])
    assert "sign" in str(idyn.formula()) or "Piecewise" in str(idyn.formula())
    assert max(idyn.derivation("first").check(states=2, backend="numpy")) < 1e-9
    refused(lambda: jw.crosscheck(idyn, dict.fromkeys(system.q, 0), [0, 1]), "idyn")
    two = system.bodies[1]
    system.add_loads(me.Force(two.masscenter.locatenew("P", 0.3 * two.z), pull * two.y))
    push = jw.JointFriction("first", 0.1, radius=0.1)
    idyn = jw.InverseDynamics(system, [pull], actuated=[], frictions=[push])
    for ask in (idyn.formula, lambda: idyn.derivation("first")):
        refused(ask, "frictions")
