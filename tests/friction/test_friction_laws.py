"""What holds of frictions in any model: there and back, power, slopes, operations."""

from contextlib import nullcontext

import numpy as np
import pytest
import sympy as sm
import sympy.physics.mechanics as me
from bodies import rigid_body, system_of
from linkages import closed, four_bar, pin, slides
from marks import slow
from numbered_arms import ROBOTS, robot
from numeric import evaluate, relative_error, run
from random_systems import random_system
from slope_laws import check_first, check_second
from sympy import Symbol, symbols

import jointwrench as jw
from jointwrench.checks.tolerances import NO_SLIP
from jointwrench.friction.friction_equations import spectral_radius
from jointwrench.mechanics.arithmetic.graph import Graph

NAMES = ["friction", "friction_gain", "friction_residual"]


def frictions_in(joints, random, strength=1.0):
    """Return frictions of all kinds in joints that turn or slide."""
    found = []
    for joint in joints:
        if not isinstance(joint, (me.PinJoint, me.PrismaticJoint, me.SphericalJoint)):
            continue
        options = {"viscous": random.uniform(0, 0.2), "width": random.choice([None, 0.1])}
        if random.random() < 0.4:
            options |= {"static": 0.4, "stribeck_speed": 0.3}
        if not isinstance(joint, me.PrismaticJoint):
            options["radius"] = random.uniform(0.01, 0.05)
        if isinstance(joint, me.PinJoint) and random.random() < 0.4:
            options["collar"] = random.uniform(0.01, 0.05)
        if not isinstance(joint, me.SphericalJoint) and random.random() < 0.4:
            options["supports"] = random.uniform(0.5, 1)
        found.append(jw.JointFriction(joint, strength * random.uniform(0.05, 0.3), **options))
    return found


def made(seed, count):
    """Return a random tree with frictions, and values of all symbols."""
    tree = random_system(seed, count)
    frictions = frictions_in(tree.system.joints, np.random.default_rng(seed))
    return tree, frictions, tree.inputs


def accelerations(system):
    return [u.diff(me.dynamicsymbols._t) for u in system.u]


#: Trees of four bodies whose mass matrix is regular and that have a joint that rubs.
SEEDS = (0, 1, 2, 3, 5, 7, 10, 12, 13, 15, 17, 18, 20, 22, 24, 26, 27, 28, 30, 33, 34, 35)
#: By default one of three bodies, in which a pin, a slide and a ball rub.
SOME = [(87, 3), *slow((seed, 4) for seed in SEEDS)]


@pytest.mark.parametrize(("seed", "count"), SOME)
def test_forward_and_back_in_trees(seed, count):
    """A motion that loads make needs no motor, and has the same frictions and wrenches."""
    tree, frictions, values = made(seed, count)
    fdyn = jw.ForwardDynamics(tree.system, frictions=frictions)
    outputs = ["joint_wrenches", *NAMES]
    moving = run(fdyn.program(["udot", *outputs]), values)
    values |= zip(accelerations(tree.system), moving["udot"], strict=True)
    idyn = jw.InverseDynamics(tree.system, frictions=frictions)
    still = run(idyn.program(["generalized_forces", "bias", *outputs]), values)
    assert np.isfinite(moving["udot"]).all()
    size = abs(still["bias"]).max() + 1
    assert abs(still["generalized_forces"]).max() < 1e-9 * size
    for name in {*outputs} - {"friction_gain"}:
        assert relative_error(still[name], moving[name]) < 1e-8 or abs(moving[name]).max() < 1e-9


def driven_chain(seed, count=3):
    """Return a chain that forces at points drive, their symbols, frictions and values."""
    random = np.random.default_rng([seed, 3])

    def vector(frame, size=1.0):
        return sum(float(x) * e for x, e in zip(random.normal(size=3) * size, frame, strict=True))

    inner = rigid_body("ground")
    system, unknowns = me.System.from_newtonian(inner), symbols(f"X:{count}")
    for k, symbol in enumerate(unknowns):
        body = rigid_body(f"b{k}", random.uniform(1, 2), *random.uniform(0.2, 0.3, 3))
        kind = random.choice([me.PinJoint, me.PrismaticJoint])
        axis = getattr(inner, random.choice(["x", "y", "z"]))
        places = {"parent_point": vector(inner.frame, 0.3), "child_point": vector(body.frame, 0.3)}
        system.add_joints(kind(f"j{k}", inner, body, joint_axis=axis, **places))
        place = body.masscenter.locatenew(f"P{k}", vector(body.frame))
        system.add_loads(me.Force(place, symbol * vector(body.frame)))
        inner = body
    system.apply_uniform_gravity(-9.81 * system.frame.y)
    names = [*system.q, *system.u, *accelerations(system)]
    values = dict(zip(names, random.uniform(-1, 1, len(names)), strict=True))
    return system, unknowns, frictions_in(system.joints, random, 0.3), values


#: A chain that no forces at these points can move as asked for.
LOCKED = 2


@pytest.mark.parametrize("seed", [0, *slow([1, *range(3, 10)])])
def test_inverse_and_back_where_forces_press_bearings(seed):
    """The forces that a motion asks for, at any points of the bodies, make it again."""
    system, unknowns, frictions, values = driven_chain(seed)
    idyn = jw.InverseDynamics(system, solve_for=unknowns, frictions=frictions)
    there = run(idyn.program(["solved_loads", *NAMES]), values)
    assert there["friction_gain"] > 0
    values |= zip(unknowns, there["solved_loads"], strict=True)
    fdyn = jw.ForwardDynamics(system, frictions=frictions)
    back = run(fdyn.program(["udot", *NAMES]), values)
    expected = [values[x] for x in accelerations(system)]
    np.testing.assert_allclose(back["udot"], expected, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(back["friction"], there["friction"], rtol=1e-8, atol=1e-8)


def test_where_no_forces_make_the_motion_all_that_depends_on_it_is_nan():
    system, unknowns, frictions, values = driven_chain(LOCKED)
    idyn = jw.InverseDynamics(system, solve_for=unknowns, frictions=frictions)
    found = run(idyn.program(["solved_loads", *NAMES]), values)
    assert np.isnan(found["solved_loads"]).tolist() == [True, False, False]
    assert np.isnan(found["friction"]).tolist() == [True, False, False]
    assert found["friction_gain"] >= 1
    slopes = run(idyn.model.outputs.cheapest(["solved_loads"], None, ["u"]), values)
    assert np.isnan(slopes["solved_loads_wrt_u"]).any(axis=1).tolist() == [True, False, False]


def linkage(seed):
    """Return a four-bar of random lengths with frictions in its pins, and a closed state."""
    random = np.random.default_rng([seed, 5])
    bar = four_bar([2.0, *(random.uniform(0.8, 1.2, 3) * (0.6, 1.5, 1.4))])
    system = bar.system
    for body in bar.links[1:]:
        body.mass = random.uniform(1, 2)
        body.central_inertia = me.inertia(body.frame, 0.1, 0.1, 0.1)
    system.apply_uniform_gravity(-9.81 * bar.links[0].y)
    closed(system, bar.loop)
    sizes = {"radius": 0.03, "viscous": 0.01}
    members = (*bar.joints, bar.loop)
    frictions = [jw.JointFriction(x, random.uniform(0.1, 0.3), **sizes) for x in members]
    q, u = np.array([random.uniform(0.3, 2.5), 1.0, 1.0]), [random.choice([-1, 1]), 0, 0]
    return bar, frictions, q, u


@pytest.mark.parametrize("seed", [0, *slow(range(1, 6))])
def test_forward_and_back_in_loops(seed):
    bar, frictions, q, u = linkage(seed)
    fdyn = jw.ForwardDynamics(bar.system, loops=[bar.loop], frictions=frictions)
    q, u, _ = fdyn.inverse.close_motion(q, u)
    outputs = ["friction", "multipliers"]
    moving = fdyn.compile(["udot", *outputs], backend="numpy")(q, u)
    motor = jw.InverseDynamics(bar.system, loops=[bar.loop], frictions=frictions)
    still = motor.compile(["generalized_forces", *outputs], backend="numpy")(q, u, moving.udot)
    assert np.isfinite(moving.udot).all()
    assert abs(still.generalized_forces).max() < 1e-9
    np.testing.assert_allclose(still.friction, moving.friction, rtol=1e-9)
    # what is lost is the work of the frictions, along the speeds of the pins
    plain = jw.InverseDynamics(bar.system, loops=[bar.loop])
    before = plain.compile("generalized_forces", backend="numpy")(q, u, moving.udot)
    lost = (still.generalized_forces - before.generalized_forces) @ u
    turning = bar.links[3].frame.ang_vel_in(bar.links[0].frame).dot(bar.links[0].z)
    last = float(turning.subs(dict(zip(bar.u, u, strict=True))))
    np.testing.assert_allclose(lost, -still.friction @ [*u, last], rtol=1e-9)
    assert lost > 0


@pytest.mark.parametrize("seed", slow([3, 0, 1]))
def test_slopes_where_frictions_are_solved_for(seed):
    system, unknowns, frictions, values = driven_chain(seed, 2)
    idyn = jw.InverseDynamics(system, solve_for=unknowns, frictions=frictions)
    check_first(idyn, ["solved_loads", "friction"], values, 1e-8, (None, "adjoint", "forward"))
    check_second(idyn, ["solved_loads"], values, 1e-8)
    values |= dict.fromkeys(unknowns, 1.5)
    fdyn = jw.ForwardDynamics(system, frictions=frictions)
    check_first(fdyn, ["udot", "joint_wrenches"], values, 1e-8)
    check_second(fdyn, ["udot"], values, 1e-8)


@pytest.mark.parametrize(("seed", "count"), [(87, 3), *slow((seed, 4) for seed in (0, 2, 12, 20))])
def test_slopes_where_frictions_are_explicit(seed, count):
    tree, frictions, values = made(seed, count)
    idyn = jw.InverseDynamics(tree.system, frictions=frictions)
    check_first(idyn, ["generalized_forces"], values, 1e-9)
    check_second(idyn, ["generalized_forces"], values, 1e-9)


def test_operations_of_a_panda_with_frictions():
    idyn = robot(ROBOTS["Franka Panda"])
    system = idyn.model.tree.system
    rows = ((x, Symbol(f"mu{k}"), Symbol(f"r{k}")) for k, x in enumerate(idyn.joints))
    frictions = [jw.JointFriction(*x, width=Symbol("w")) for x in rows]
    with_ = jw.InverseDynamics(system, frictions=frictions)
    forces = "generalized_forces"
    assert with_.program(forces).cost() <= 1.4 * idyn.program(forces).cost()
    forward, before = jw.ForwardDynamics(system, frictions=frictions), jw.ForwardDynamics(system)
    assert forward.program().cost() <= 4 * before.program().cost()


@pytest.mark.parametrize("count", range(1, 5))
def test_gain_is_the_largest_eigenvalue_or_a_little_more(count, rng):
    """Of any couplings, those that go round and those that do not come back among them."""
    around = np.roll(np.eye(count), 1, axis=1) * rng.uniform(0.5, 2, count)
    onwards = np.triu(np.full((count, count), 0.5), 1)
    loose = rng.uniform(0, 1, (count, count)) * (rng.random((count, count)) < 0.4)
    tight = rng.uniform(0.1, 1, (count, count))
    graph, symbols_of = Graph(), sm.Matrix(count, count, lambda i, k: Symbol(f"k_{i}_{k}"))
    root = spectral_radius([[graph.scalar(x) for x in symbols_of.row(i)] for i in range(count)])
    (formula,) = graph.to_sympy([root.ref])
    for couplings in (around, onwards, loose, tight, np.zeros((count, count))):
        found = evaluate(formula, dict(zip(symbols_of, couplings.ravel(), strict=True)))
        known = abs(np.linalg.eigvals(couplings)).max()
        assert known - 1e-9 < found < 1.01 * known + 0.05


def parallelogram():
    """Return a coupler that moves without turning, and a slider that a loop pins to it."""
    bar = four_bar([2.0, 0.8, 2.0, 0.8], 1, (0.1, 0.1, 0.1))
    ground, coupler = bar.links[0], bar.links[2]
    slider = rigid_body("slider", 1)
    bar.system.add_joints(*slides(ground, slider, "xy"))
    held = jw.LoopJoint("held", coupler, slider, "pin", joint_axis=coupler.z)
    x, y = 0.8 * np.cos(0.9), 0.8 * np.sin(0.9)
    states = [0.9, np.pi - 0.9, 0.9, x, y], [0.7, -0.7, 0.7, -0.7 * y, 0.7 * x]
    changes = [0.0, 0.0, 0.0, -(0.7**2) * x, -(0.7**2) * y]
    return bar.system, [bar.loop, held], held, [*map(np.array, (*states, changes))]


def carts():
    """Return two carts one on the other that a rod holds together."""
    ground, one, two = rigid_body("ground"), rigid_body("one", 1), rigid_body("two", 1)
    held = me.PrismaticJoint("held", one, two, joint_axis=one.x)
    system = system_of(ground, me.PrismaticJoint("rail", ground, one, joint_axis=ground.x), held)
    rod = jw.LoopJoint("rod", one, two, "rod", child_point=0.5 * two.x, length=sm.Float(0.8))
    return system, [rod], held, [*map(np.array, ([0.0, 0.3], [0.7, 0.0], [0.0, 0.0]))]


@pytest.mark.filterwarnings("ignore:the motion does not close the loops")  # by 3e-16
@pytest.mark.parametrize("make", [parallelogram, carts])
def test_what_loops_hold_still_does_not_slip_by_rounding(make):
    """Neither above nor below zero: as at rest, whatever the law says of that."""
    system, loops, held, (q, u, udot) = make()
    closed(system, *loops)
    system.apply_uniform_gravity(-10 * system.frame.y)
    radius = {} if isinstance(held, me.PrismaticJoint) else {"radius": 0.1}
    noise = np.array([-3e-16, 0, 3e-16])[:, None] * np.eye(len(u))[1]
    found = {}
    for options in ({}, {"sense": 1}, {"sense": -1}, {"width": 0.1}):
        law = jw.JointFriction(held, 0.3, **radius, **options)
        model = jw.InverseDynamics(system, loops=loops, frictions=[law], actuated=system.u[:1])
        evaluate = model.compile("friction")
        words = r"NaN at sample 0: held does not slide"
        told = nullcontext() if options else pytest.warns(RuntimeWarning, match=words)
        with told:
            found[str(options)] = evaluate(q, u + noise, udot)
    plain, forth, back, smooth = (x.friction[:, 0] for x in found.values())
    assert np.isnan(plain).all()
    assert (abs(forth) > 0.1).all()
    assert (np.ptp(forth), np.ptp(back)) == pytest.approx((0, 0), abs=1e-12)
    np.testing.assert_allclose(back, -forth, rtol=1e-12)
    np.testing.assert_allclose(smooth, 0, atol=1e-12)


def test_speeds_that_are_equal_but_for_rounding_are_no_slip():
    ground, cart, block = rigid_body("ground"), rigid_body("cart", 3), rigid_body("block", 2)
    rails = me.PrismaticJoint("rails", ground, cart, joint_axis=ground.x)
    system = system_of(ground, *slides(ground, block, "yx"), rails, gravity=-10 * ground.y)
    touch = jw.Contact("touch", cart, block, block.masscenter, [ground.y])
    system.add_nonholonomic_constraints(*touch.velocity_constraints)
    across, along, rails = system.u
    system.u_ind, system.u_dep = [along, rails], [across]
    law = jw.JointFriction(touch, 0.3)
    model = jw.InverseDynamics(system, loops=[touch], frictions=[law])
    speeds = 0.7 + np.array([-1e-9, -1e-16, 0, 1e-16, 1e-9])
    moving = {across: 0 * speeds, along: speeds, rails: 0 * speeds + 0.7}
    u = np.stack([moving[x] for x in model.speeds], axis=-1)
    with pytest.warns(RuntimeWarning, match="NaN at sample 1: touch does not slide"):
        found = model.compile("friction")(0 * u, u, 0 * u).friction[:, 0]
    np.testing.assert_allclose(found[[0, -1]], [6, -6], rtol=1e-12)
    assert np.isnan(found[1:-1]).all()


def level_table(number, seed):
    """Return a model of a table that a double parallelogram keeps level, and a crossed pose of it.

    The rubbing pin T joins the couplers of two parallelograms with parallel cranks, so that it
    never turns; where the cranks of the second one cross, it does.  ``number`` makes the lengths,
    of up to two decimal digits.
    """
    random = np.random.default_rng(seed)
    ranges = (0.1, 0.4), (0.3, 0.8), (-0.3, 0.3), (-0.2, 0.2), (0.05, 0.3)
    height, half, *places = (number(round(100 * random.uniform(*own))) for own in ranges)
    inner, table, outer = places
    bodies = [rigid_body("ground"), *(rigid_body(name, 3, 0.01, 0.01, 0.01) for name in "abcde")]
    ground, a, b, c, d, e = bodies
    system = system_of(
        ground,
        me.PinJoint("A", ground, a, child_point=-height * a.y, joint_axis=ground.z),
        me.PinJoint("B", a, b, parent_point=height * a.y, child_point=-half * b.x, joint_axis=a.z),
        me.PinJoint("C", b, c, parent_point=half * b.x, child_point=height * c.y, joint_axis=b.z),
        pin("T", b, d, inner, -table),
        me.PinJoint("E", d, e, parent_point=outer * d.x, child_point=height * e.y, joint_axis=d.z),
        gravity=-10 * ground.y,
    )
    ends = (c, 2 * half), (e, half + inner + table + outer)
    loops = [
        jw.LoopJoint(
            f"{body}_to_ground",
            *(body, ground, "pin"),
            parent_point=-height * body.y,
            child_point=x * ground.x,
            joint_axis=body.z,
        )
        for body, x in ends
    ]
    closed(system, *loops)
    law = jw.JointFriction("T", 0.2, 0.03)
    idyn = jw.InverseDynamics(system, loops=loops, actuated=system.u[:1], frictions=[law])
    # the second parallelogram crossed: its coupler mirrored about the line from T to its pivot
    base, end = float(table + outer), 2j * float(height) * np.exp(0.7j)
    turn = 2 * np.angle(base - end)
    crank = end + base * np.exp(1j * turn) - base
    return idyn, [0.7, -0.7, 0.7, turn, np.angle(crank / 1j) - turn]


@pytest.mark.parametrize(
    ("of_ratio", "seed"),
    [(float, 0), *slow((float, k) for k in range(1, 8)), *slow((sm.Rational, k) for k in range(8))],
)
def test_a_pin_that_never_turns_does_not_slip(of_ratio, seed):
    """Closing leaves slips of 13 digits less than the speeds: these are rest, larger ones slip."""
    idyn, guess = level_table(lambda x: of_ratio(sm.Rational(x, 100)), seed)
    phase = np.linspace(0.2, 3, 12)
    crank = 0.7 * np.array([np.sin(phase), np.cos(phase), -np.sin(phase)])
    motion = (np.c_[x, np.zeros((12, 4))] for x in crank)
    q, u, udot = idyn.close_motion(*motion, guess=[0.1, -0.1, 0.1, 0, 0.1])
    evaluate = idyn.compile(["friction", "sliding_speeds"], backend="numpy")
    with pytest.warns(RuntimeWarning, match="NaN at sample 0: T does not slide"):
        result = evaluate(q, u, udot)
    assert np.isnan(result.friction).all()
    size = np.linalg.norm(u, axis=-1)
    assert (abs(result.sliding_speeds[:, 0]) < NO_SLIP * size).all()
    for share, is_rest in ((0.9, True), (1.1, False), (-1.1, False)):
        turning = u.copy()
        turning[:, 3] = share * NO_SLIP * size
        with pytest.warns(RuntimeWarning, match="T does not slide") if is_rest else nullcontext():
            friction = evaluate(q, turning, udot).friction[:, 0]
        assert np.isnan(friction).all() if is_rest else (np.sign(friction) == -np.sign(share)).all()
    # where the cranks cross
    crank = (np.array([x, 0, 0, 0, 0]) for x in (0.7, 1.0, 0.3))
    q, u, udot = idyn.close_motion(*crank, guess=guess)
    crossed = evaluate(q, u, udot)
    assert abs(u[3]) > 0.1
    assert crossed.sliding_speeds[0] == pytest.approx(u[3])
    assert np.sign(crossed.friction[0]) == -np.sign(u[3])
