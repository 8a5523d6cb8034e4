"""The cross-check passes where it must, and fails where it must."""

import gc
import re
import weakref
from types import SimpleNamespace

import linkages
import numpy as np
import pytest
import sympy.physics.mechanics as me
from bodies import massive_body, rigid_body, system_of
from constrained_models import chaplygin_sleigh
from marks import few, slow
from refusals import refused
from sympy import Symbol, asin, cos, pi, sin, sqrt, symbols

from jointwrench import crosscheck
from jointwrench.mechanics.evaluation.result import Result
from jointwrench.mechanics.mechanism.loop_joint import LoopJoint
from jointwrench.mechanics.methods.inverse_dynamics import InverseDynamics
from jointwrench.models.serial_chain import Segment, SerialChain
from jointwrench.motion.prescribed_motion import PrescribedMotion
from jointwrench.verify.constraints import solve_accelerations

m, l, g, k = symbols("m l g k")
q, u = me.dynamicsymbols("q u")
t = me.dynamicsymbols._t
TIMES = np.linspace(0.0, 1.0, 11)
ROD = {m: 1.5, l: 0.8, g: 9.81}


def pendulum(*loads, speeds=u):
    """Return a System: a rod on a pin; loads are functions of ground and rod."""
    ground, rod = rigid_body("ground"), rigid_body("rod", m, 0, 0, m * l**2 / 12)
    pin = me.PinJoint("pin", ground, rod, q, speeds, child_point=l / 2 * rod.y, joint_axis=ground.z)
    system = system_of(ground, pin, gravity=-g * ground.y)
    system.add_loads(*(load(ground, rod) for load in loads))
    return system


def rail(mass=m):
    """Return a System of a body that slides along x."""
    ground, slider = rigid_body("ground"), rigid_body("slider", mass)
    system = system_of(ground, me.PrismaticJoint("rail", ground, slider, q, u, joint_axis=ground.x))
    return system, ground, slider


def limb(n, **kwargs):
    """Return a planar chain and numbers for its constants."""
    chain = SerialChain.planar(n, gravity=(0, -g, 0), **kwargs)
    numbers = {s: 0.5 + 0.1 * i for i, s in enumerate(chain.constants)}
    return chain, numbers


def swing(chain):
    """Return a formula for every coordinate."""
    return {c: sin((2 + i) * t + i) / (1 + i) for i, c in enumerate(chain.coordinates)}


def formed(system):
    """Return the System's KanesMethod with its equations."""
    system.form_eoms()
    return system.eom_method


@pytest.fixture(scope="module")
def idyn():
    return InverseDynamics(pendulum())


@pytest.fixture(scope="module")
def double():
    """A chain of two links, numbers for its constants, and its inverse dynamics."""
    chain, numbers = limb(2)
    return chain, numbers, InverseDynamics(chain.system)


class Wrong(InverseDynamics):
    """Computes generalized forces that are one percent too large."""

    wrong = "generalized_forces"

    def compile(self, *args, **kwargs):
        evaluate = super().compile(*args, **kwargs)

        def exaggerate(*args, **kwargs):
            result = evaluate(*args, **kwargs)
            outputs = dict(result.outputs)
            if self.wrong in outputs:
                outputs[self.wrong] = 1.01 * outputs[self.wrong]
            return Result(outputs, result.joints, self.solve_for)

        return exaggerate


# -- what is right ------------------------------------------------------------------


def sprung():
    system, ground, slider = rail()
    pathway = me.LinearPathway(ground.masscenter, slider.masscenter)
    system.add_actuators(me.LinearSpring(k, pathway, equilibrium_length=l))
    return system, {q: 0.5 + 0.1 * sin(4 * t)}, {m: 2.0, k: 50.0, l: 0.3}


def spatial_chain():
    thigh = Segment("thigh", 0.4, 2, (0.01, 0.2, 0.03), (0.1, 0.02, 0.12), joint="spherical")
    shank = Segment("shank", 0.5, 1, inertia=(0.05, 0.01, 0.06, 0.001, 0.002, 0), joint="pin")
    segments = [thigh, shank]
    chain = SerialChain(segments, gravity=(0, -9.81, 0))
    return chain.system, swing(chain), {}


def ball(angle=t + t**2):
    """A ball joint by quaternion that turns about z; two speeds are the rounding of zero."""
    moments = (1, 2, 2.5, 0.1, 0.2, 0.3)
    chain = SerialChain([Segment("ball", 1, 1, inertia=moments, joint="quaternion")])
    turn = [cos(angle / 2), 0, 0, sin(angle / 2)]
    return chain.system, dict(zip(chain.coordinates, turn, strict=True)), {}


RIGHT = {
    "sprung": sprung,
    "speeds are rates": lambda: (pendulum(speeds=q.diff(t)), {q: sin(t)}, ROD),
    "ball": ball,
    "ball at rest": lambda: ball(0 * t),
    "spatial": spatial_chain,
}


@pytest.mark.parametrize("make", few(RIGHT, *[*RIGHT][:4]))
def test_what_is_right(make):
    system, motion, numbers = RIGHT[make]()
    report = crosscheck(InverseDynamics(system), motion, TIMES, numbers)
    assert report.success
    assert report.max_relative < 1e-9
    assert report.steps < 60
    assert system.eom_method is None  # the System is left as it was


@pytest.mark.parametrize("given", [[], [1]])
def test_solved_loads_beside_given_ones(given):
    chain, numbers = limb(2, actuated=True)
    specifieds = {chain.actuation[k]: cos(t) for k in given}
    idyn = InverseDynamics(chain.system, solve_for=chain.actuation[: 2 - len(given)])
    report = crosscheck(idyn, swing(chain), TIMES, numbers, specifieds)
    assert report.max_relative < 1e-9
    assert given or not report.generalized_forces.any()


def test_loads_over_time():
    torque, push = me.dynamicsymbols("torque push")
    system = pendulum(
        lambda ground, rod: me.Torque(rod, (torque + sin(2 * t) - k * q.diff(t)) * ground.z),
        lambda ground, rod: me.Force(rod.masscenter, push * t * ground.x),
    )
    idyn, numbers = InverseDynamics(system), {**ROD, k: 0.2}
    given = [
        {torque: 2 * t + l, push: 3},
        {"torque": lambda time: 2 * time + 0.8, push: np.float64(3)},
        {(push, torque): lambda time: (3, 2 * time + 0.8)},
    ]
    reports = [crosscheck(idyn, {q: t**2}, TIMES[:4], numbers, specifieds) for specifieds in given]
    for report in reports:
        assert report.max_relative < 1e-10
        np.testing.assert_allclose(
            report.generalized_forces, reports[0].generalized_forces, atol=1e-13
        )


def test_of_a_real_time(monkeypatch):
    real = symbols("t", real=True)
    monkeypatch.setattr(me.dynamicsymbols, "_t", real)
    chain, numbers = limb(2)
    idyn = InverseDynamics(chain.system)
    motion = {c: sin(real) for c in chain.coordinates}
    assert crosscheck(idyn, motion, TIMES, numbers).max_relative < 1e-9
    monkeypatch.undo()
    refused(lambda: crosscheck(idyn, motion, TIMES, numbers), "idyn")


def test_other_kinematical_equations():
    # the speed is l q', and all velocities are given in terms of it
    system, ground, slider = rail()
    system.kdes = [u - l * q.diff(t)]
    for point in (system.joints[0].child_point, slider.masscenter):
        point.set_vel(ground.frame, u / l * ground.x)
    report = crosscheck(InverseDynamics(system), {q: sin(t)}, TIMES, {m: 2.0, l: 3.0})
    assert report.max_relative < 1e-10
    np.testing.assert_allclose(report.prescribed.u[:, 0], 3 * np.cos(TIMES))
    np.testing.assert_allclose(report.generalized_forces[:, 0], -2 / 3 * np.sin(TIMES))


class Rising:
    """A motion q = t^2 of which states are all that is known."""

    def at(self, times):
        return times[:, None] ** 2, 2 * times[:, None], np.full((len(times), 1), 2.0)


def test_motion_that_is_no_formula(idyn):
    assert crosscheck(idyn, Rising(), TIMES, ROD).max_relative < 1e-10
    assert crosscheck(idyn, PrescribedMotion(idyn, {q: t**2}), TIMES, ROD).max_relative < 1e-10


def test_between_the_steps_it_is_as_accurate_as_at_them(idyn):
    report = crosscheck(idyn, {q: sin(3 * t)}, np.linspace(0, 1, 301), ROD)
    assert report.steps < 30
    assert report.max_relative < 1e-10


# -- motions in which something stays zero ----------------------------------------------


@pytest.mark.parametrize("size", [*slow([1, 1e-3]), 1e-9, *slow([1e-15])])
def test_speeds_that_are_rounding_have_absolute_residuals(double, size):
    _, numbers, idyn = double

    class Noisy:
        def at(self, times):
            angles = np.stack([np.sin(times), 0 * times], -1) * size
            rates = np.stack([np.cos(times), 1e-17 * np.cos(1e5 * times)], -1) * size
            return angles, rates, np.stack([-np.sin(times), 0 * times], -1) * size

    report = crosscheck(idyn, Noisy(), TIMES, {**numbers, g: 0})
    assert report.max_relative < 1e-11
    np.testing.assert_allclose(report.speeds.scales, [size, 1])


@pytest.mark.parametrize("size", [*slow([1e-4]), 1e-8, *slow([1e-12])])
def test_a_slow_motion_under_gravity(double, size):
    chain, numbers, idyn = double
    first, second = chain.coordinates
    motion = {first: 0.5 + size * t, second: 0.3}
    report = crosscheck(idyn, motion, TIMES, {**numbers, g: 9.81})
    assert report.steps < 30
    assert report.max_speeds < 1e-12
    assert report.max_coordinates < 1e-12


# -- equations of motion, formed once -----------------------------------------------------


@pytest.fixture
def no_derivation(monkeypatch):
    def refuse(*args, **kwargs):
        raise AssertionError("derived again")

    def start():
        monkeypatch.setattr(me.KanesMethod, "kanes_equations", refuse)

    return start


def test_the_second_call_derives_nothing(double, no_derivation):
    chain, numbers, idyn = double
    crosscheck(idyn, swing(chain), TIMES, numbers)
    no_derivation()
    motion = {c: cos(t) for c in chain.coordinates}
    heavier = {**numbers, chain.constants[-1]: 3.0}
    assert crosscheck(idyn, motion, TIMES[:3], heavier).max_relative < 1e-9
    with pytest.raises(AssertionError, match="derived again"):
        crosscheck(InverseDynamics(chain.system), motion, TIMES, numbers)


def test_the_equations_go_with_the_model(request):
    gc.disable()  # so that all that is new is young
    request.addfinalizer(gc.enable)
    idyn = InverseDynamics(pendulum())
    crosscheck(idyn, {q: sin(t)}, TIMES, ROD, kane=formed(pendulum()))
    crosscheck(idyn, {q: sin(t)}, TIMES, ROD)
    gone = weakref.ref(idyn)
    del idyn
    gc.collect(0)
    assert gone() is None


def test_equations_that_there_are_already(no_derivation):
    chain, numbers = limb(2)
    kane = formed(chain.system)
    no_derivation()
    report = crosscheck(InverseDynamics(chain.system), swing(chain), TIMES, numbers, kane=kane)
    assert report.max_relative < 1e-9


def point_mass(load):
    """Return a KanesMethod of a mass on a rail, its equations not formed."""
    frame, point = me.ReferenceFrame("N"), me.Point("P")
    point.set_vel(frame, u * frame.x)
    origin = point.locatenew("O", -q * frame.x)
    origin.set_vel(frame, 0)
    bodies, loads = [me.Particle("P", point, m)], [(point, load * frame.x)]
    kane = me.KanesMethod(frame, [q], [u], [q.diff(t) - u], bodies=bodies, forcelist=loads)
    return kane, [(frame, bodies[0], origin)]


def test_equations_that_are_not_formed_or_formed_anew():
    kane, connections = point_mass(k * q)
    idyn = InverseDynamics.from_kane(kane, connections)
    numbers = {m: 2.0, k: 3.0}
    assert crosscheck(idyn, {q: sin(t)}, TIMES, numbers, kane=kane).max_relative < 1e-10
    kane.kanes_equations(loads=[(kane.loads[0][0], 1.1 * kane.loads[0][1])])
    assert crosscheck(idyn, {q: sin(t)}, TIMES, numbers, kane=kane).max_accelerations > 1e-3
    assert crosscheck(idyn, {q: sin(t)}, TIMES, numbers).max_relative < 1e-10


p, v, w = me.dynamicsymbols("p v w")


@pytest.mark.parametrize(
    ("coordinates", "speeds", "auxiliary"),
    [([p], [u], []), ([q], [v], []), ([q], [u, v], []), ([q], [u], [w])],
)
def test_refuses_other_equations(idyn, coordinates, speeds, auxiliary):
    kdes = [coordinates[0].diff(t) - speeds[0]]
    frame, bodies = me.ReferenceFrame("N"), [massive_body("rod")]
    kane = me.KanesMethod(frame, coordinates, speeds, kdes, u_auxiliary=auxiliary, bodies=bodies)
    refused(lambda: crosscheck(idyn, {q: t}, TIMES, ROD, kane=kane), "kane")


@pytest.mark.parametrize("parts", [{"kd_eqs": [q.diff(t) - u]}, {"bodies": [massive_body("rod")]}])
def test_refuses_equations_that_are_not_complete(idyn, parts):
    kane = me.KanesMethod(me.ReferenceFrame("N"), [q], [u], **parts)
    refused(lambda: crosscheck(idyn, {q: t}, TIMES, ROD, kane=kane), "kane")


# -- what is wrong ------------------------------------------------------------------


class Mismatched(Rising):
    """Says a rate that is not that of its coordinate."""

    def at(self, times):
        position, speed, acceleration = super().at(times)
        return position, 1.1 * speed, acceleration


def test_a_motion_that_contradicts_itself_is_found(idyn):
    report = crosscheck(idyn, Mismatched(), TIMES, ROD)
    assert report.max_accelerations < 1e-12
    assert report.max_speeds > 0.1


# -- loops, contacts and constraints --------------------------------------------------

LINKS = (1.1, 0.5, 1.1, 0.5)


@pytest.fixture(scope="module")
def four_bar():
    """A parallelogram on two pivots of ground: its inverse dynamics, and a motion of its crank."""
    bars = linkages.four_bar(LINKS)
    for k, (body, length) in enumerate(zip(bars.links, LINKS, strict=True)):
        body.mass = 1 + k
        body.central_inertia = me.inertia(body.frame, 0.01, 0.02, body.mass * length**2 / 12)
    bars.system.apply_uniform_gravity(-9.81 * bars.links[0].y)
    linkages.closed(bars.system, bars.loop)
    idyn, angle = InverseDynamics(bars.system, loops=[bars.loop]), 1 + t + t**2 / 5
    angles = dict(zip(bars.q, (angle, pi - angle, angle), strict=True))
    return idyn, PrescribedMotion(idyn, angles)


def test_four_bar(four_bar):
    report = crosscheck(*four_bar, TIMES)
    assert report.success
    assert report.max_relative < 1e-9
    assert report.generalized_forces[:, 0].all()
    assert not report.generalized_forces[:, 1:].any()
    assert list(report.constraint_errors) == ["positions", "velocities", "accelerations"]
    assert list(report.constraint_drift) == ["positions", "velocities"]
    assert report.constraint_drift["positions"].values.shape == (11, 2)
    assert np.abs(report.constraint_forces.values).max() < 1e-11
    text = str(report)
    for name in ("constraint forces", "motion's positions", "drift of velocities"):
        assert f"\n{name} " in text
    assert "VIOLATES" not in text


def test_a_motion_that_opens_a_loop_is_told(four_bar):
    idyn, motion = four_bar

    class Opening:
        def at(self, times):
            q, u, udot = (x.copy() for x in motion.at(times))
            q[:, 2] += 0.01 * times
            u[:, 2] += 0.01
            return q, u, udot

    report = crosscheck(idyn, Opening(), TIMES)
    ends = report.constraint_errors["positions"].values[-1]
    assert np.linalg.norm(ends) == pytest.approx(2 * LINKS[3] * np.sin(0.01 / 2))
    for residual in report.constraint_errors.values():
        assert residual.max_relative > 1e-3
    words = r"the motion VIOLATES constraint \d by 0\.00\d+ at the time 1; use InverseDynamics\."
    assert re.search(words, str(report))


def slider_crank(lift=0, own_equations=True):
    """Return a System, its loop, and formulas of the motion; the rail may rise."""
    system, slider = linkages.slider_crank(m, p)
    if own_equations:
        (height,) = slider.holonomic_constraints
        system.add_holonomic_constraints(height - lift)
    angle = 1 + t
    formulas = angle, -angle - asin((sin(angle) - lift) / 2)
    return system, slider, dict(zip(system.q, formulas, strict=True))


@pytest.mark.parametrize("wrong", [*slow(["generalized_forces"]), "joint_wrenches"])
def test_wrong_forces_of_a_loop_are_found(wrong):
    system, slider, motion = slider_crank(own_equations=False)  # those of the loop count
    idyn = Wrong(system, loops=[slider])
    idyn.wrong = wrong
    report = crosscheck(idyn, motion, TIMES, {m: 2}, {p: 1})
    assert report.constraint_forces.max_relative > 1e-3
    assert (report.max_accelerations > 1e-3) == (wrong == "generalized_forces")
    assert report.constraint_errors["positions"].names == ("slider",)
    assert report.constraint_errors["positions"].max < 1e-12


def test_loops_that_say_nothing_have_no_equations(monkeypatch):
    """The second hinge of a door; other errors of a loop's equations are told."""
    ground, door = rigid_body("ground"), rigid_body("door", m, 0.1, 0.2, 0.3)
    low = me.PinJoint("low", ground, door, q, u, child_point=-door.x, joint_axis=ground.z)
    system = system_of(ground, low)
    ends = {"parent_point": 2 * ground.z, "child_point": 2 * door.z - door.x}
    high = LoopJoint("high", ground, door, **ends, joint_axis=ground.z)
    assert high.is_redundant_in_tree
    idyn = InverseDynamics(system, loops=[high], actuated=[u])
    report = crosscheck(idyn, {q: sin(t)}, TIMES, {m: 2})
    assert report.max_relative < 1e-9
    assert not report.constraint_errors

    def broken(loop):
        raise ValueError("no path connects them")

    monkeypatch.setattr(LoopJoint, "_equations", property(broken))
    with pytest.raises(ValueError, match="no path connects them"):
        crosscheck(InverseDynamics(system, loops=[high], actuated=[u]), {q: sin(t)}, TIMES, {m: 2})


def test_forces_that_nobody_supplies_are_no_agreement():
    system, slider, motion = slider_crank()
    idyn = InverseDynamics(system, loops=[slider], actuated=[])
    report = crosscheck(idyn, motion, TIMES, {m: 2}, {p: 1})
    assert not report.generalized_forces.any()
    assert report.accelerations.max_relative > 0.1
    assert report.constraint_errors["accelerations"].max < 1e-12


def test_forces_that_are_open_are_refused_until_they_are_chosen():
    system, slider, motion = slider_crank()

    def report(redundancy):
        settings = {"actuated": system.u, "redundancy": redundancy}
        idyn = InverseDynamics(system, loops=[slider], **settings)
        return crosscheck(idyn, motion, TIMES, {m: 2}, {p: 1})

    refused(lambda: report("nan"), "idyn")
    assert report({system.u[0]: 1, system.u[1]: 2}).max_relative < 1e-9


def test_equations_of_a_kanes_method_with_constraints():
    system, slider, motion = slider_crank()
    idyn = InverseDynamics(system, loops=[slider])
    report = crosscheck(idyn, motion, TIMES, {m: 2}, {p: cos(t)}, kane=formed(system))
    assert report.max_relative < 1e-9
    other, _, _ = slider_crank()
    other.bodies[-1].mass = 1.01 * m
    report = crosscheck(idyn, motion, TIMES, {m: 2}, {p: 1}, kane=formed(other))
    assert report.accelerations.max_relative > 1e-4
    assert report.constraint_forces.max_relative > 1e-4


@pytest.mark.slow
def test_constraints_that_move_supply_power():
    system, _, motion = slider_crank(lift=t / 3)  # no loop says where its force acts
    report = crosscheck(InverseDynamics(system), motion, TIMES, {m: 2}, {p: 1})
    assert report.constraint_forces is None
    assert report.max_relative < 1e-9
    report = crosscheck(Wrong(system), motion, TIMES, {m: 2}, {p: 1})
    assert report.power.max_relative > 1e-4


@pytest.mark.parametrize("spring", [*slow([None]), 7.0])
def test_a_driven_base_supplies_power(spring):
    """It slides and turns by formula, with a mass of its own; a spring pulls at it."""
    ground, base, rod = (rigid_body(name, m) for name in ("ground", "base", "rod"))
    for body in (base, rod):
        body.central_inertia = me.inertia(body.frame, 0.1, 0.2, 0.3)
    system = me.System.from_newtonian(ground)
    system.add_bodies(base)
    base.frame.orient_axis(ground.frame, ground.z, sin(2 * t))
    base.masscenter.set_pos(ground.masscenter, sin(3 * t) / 5 * ground.x)
    base.masscenter.set_vel(ground.frame, 3 * cos(3 * t) / 5 * ground.x)
    pin = me.PinJoint("pin", base, rod, q, u, child_point=-rod.x, joint_axis=base.z)
    system.add_joints(pin)
    system.apply_uniform_gravity(-g * ground.y)
    if spring:
        pull = -spring * base.masscenter.pos_from(ground.masscenter)
        system.add_loads(me.Force(base.masscenter, pull))
    report = crosscheck(InverseDynamics(system), {q: sin(t)}, TIMES, {m: 2, g: 9.81})
    assert report.power.max_relative < 1e-12
    assert report.max_relative < 1e-9
    report = crosscheck(Wrong(system), {q: sin(t)}, TIMES, {m: 2, g: 9.81})
    assert report.power.max_relative > 1e-4


def test_auxiliary_speeds_are_zero():
    frame, origin = me.ReferenceFrame("N"), me.Point("O")
    arm = frame.orientnew("A", "Axis", [q, frame.z])
    arm.set_ang_vel(frame, u * frame.z)
    origin.set_vel(frame, w * frame.x)
    place = origin.locatenew("P", l * arm.x)
    place.v2pt_theory(origin, frame, arm)
    bob, loads = me.Particle("bob", place, m), [(place, -m * g * frame.y)]
    kane = me.KanesMethod(
        frame, [q], [u], [q.diff(t) - u], u_auxiliary=[w], bodies=[bob], forcelist=loads
    )
    with pytest.warns(UserWarning, match=r"auxiliary speeds w\(t\) count as zero"):
        idyn = InverseDynamics.from_kane(kane, [(frame, bob, origin)])
    assert crosscheck(idyn, {q: sin(t)}, TIMES, ROD).max_relative < 1e-10


def test_equations_that_follow_from_others_count_once():
    rng = np.random.default_rng(3)
    mass_matrix, slopes, forces = np.diag([1.0, 2, 3]), rng.normal(size=(2, 3)), rng.normal(size=3)
    right = rng.normal(size=2)
    both = np.block([[mass_matrix, slopes.T], [slopes, np.zeros((2, 2))]])
    expected = np.linalg.solve(both, [*forces, *right])[:3]
    mixed = np.array([[1.0, 0], [0, 1e3], [2, -1], [0, 0]])  # four equations for two
    parts = mass_matrix, mixed @ slopes, forces, mixed @ right
    np.testing.assert_allclose(solve_accelerations(*(x[None] for x in parts)), [expected])
    unknown = solve_accelerations(*(x[None] for x in (mass_matrix, np.nan * slopes, forces, right)))
    assert np.isnan(unknown).all()


@pytest.mark.parametrize(("masses", "count"), [([1.0, 0, 0], 1), ([0.0, 0, 0], 2), ([1, 0, 0], 0)])
def test_motions_without_mass_have_no_accelerations(masses, count):
    slopes = np.random.default_rng(4).normal(size=(1, count, 3))
    nothing = np.zeros((1, 3)), np.zeros((1, count))
    assert np.isnan(solve_accelerations(np.diag(masses)[None], slopes, *nothing)).all()


@pytest.mark.filterwarnings("ignore:the motion does not close the loops")
def test_sleigh():
    made = chaplygin_sleigh()
    idyn = InverseDynamics.from_kane(made.kane, made.connections, loops=made.loops)
    numbers = dict(zip(made.parts["symbols"], (3, 1, 0.3), strict=True))
    x, y, turn = idyn.coordinates
    motion = {x: sin(t), y: 1 - cos(t), turn: t}
    report = crosscheck(idyn, motion, TIMES, numbers)
    for found in (*report.residuals.values(), *report.constraint_errors.values()):
        assert max(found.max, found.max_relative) < 1e-9
    assert list(report.constraint_errors) == ["velocities", "accelerations"]
    assert list(report.constraint_drift) == ["velocities"]
    report = crosscheck(idyn, {**motion, y: 1.01 - cos(t) + 0.01 * t}, TIMES, numbers)
    errors = report.constraint_errors["velocities"].values[:, 0]
    np.testing.assert_allclose(np.abs(errors), 0.01 * np.cos(TIMES))
    assert "the motion VIOLATES constraint 0 by 0.01 at the time 0" in str(report)


# -- simulations that fail ------------------------------------------------------------


def test_a_simulation_that_runs_out_of_steps_says_so(idyn):
    report = crosscheck(idyn, {q: sin(9 * t)}, TIMES, ROD, max_steps=2)
    assert not report.success
    words = r"It reached the time 0\.\d+ in the 2 steps of `max_steps`\."
    assert re.fullmatch(words, report.message)
    assert np.isnan(report.max_relative)
    assert np.isnan(report.max_coordinates)
    assert not np.isnan(report.coordinates.values[0])
    assert report.max_accelerations < 1e-10
    assert f"the simulation FAILED: {report.message}" in str(report)


def test_a_singular_mass_matrix_is_told(idyn):
    report = crosscheck(idyn, {q: sin(t)}, TIMES, {**ROD, m: 0})
    assert not report.success
    assert report.message == ("The equations of motion are singular or not finite at the time 0.")
    assert np.isnan(report.max_accelerations)


def test_a_simulation_that_scipy_gives_up_is_told():
    # a force that grows with the cube of the coordinate: a slight error gets infinite
    system = pendulum(lambda ground, rod: me.Torque(rod, 1e3 * q**3 * ground.z))
    report = crosscheck(Wrong(system), {q: 1}, [0, 0.01, 10], ROD, tolerance=1e-4)
    assert not report.success
    assert re.match(r"Required step size .* It reached the time 0\.\d+\.", report.message)
    assert np.isnan(report.max_coordinates)
    assert np.isfinite(report.coordinates.values[:2]).all()


# -- the report -----------------------------------------------------------------------


def test_report_as_text(idyn):
    report = crosscheck(idyn, {q: sin(t)}, TIMES, ROD)
    lines = str(report).splitlines()
    assert lines[0] == "forward/inverse cross-check at 11 times from 0 to 1"
    heads = ["residual", "coordinates", "speeds", "accelerations", "power balance", "simulation"]
    assert [line[: len(head)] for line, head in zip(lines[1:], heads, strict=True)] == heads
    assert lines[2].endswith("q(t)")
    assert f"tolerance 1e-12, {report.steps} steps" in lines[-1]
    assert "FAILED" not in str(report)


def test_a_model_at_rest_has_absolute_residuals(idyn):
    report = crosscheck(idyn, {q: 0}, TIMES, ROD)
    assert report.coordinates.scales == [1]
    assert report.max_relative == 0


# -- bad arguments ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("motion", "constants", "argument"),
    [
        *(({q: t}, constants, "constants") for constants in (None, {m: 1}, {**ROD, "m": 1})),
        *((motion, ROD, "motion") for motion in ({}, {q: sqrt(t - 1)})),
    ],
)
def test_refuses(idyn, motion, constants, argument):
    refused(lambda: crosscheck(idyn, motion, TIMES, constants), argument)


STATES = [lambda n: (np.zeros(n),) * 3, lambda n: (np.zeros((n, 1)),) * 2]
STATES.append(lambda n: (np.zeros((n, 1)), np.full((n, 1), np.nan), np.zeros((n, 1))))


@pytest.mark.parametrize("states", STATES)
def test_refuses_wrong_states(idyn, states):
    motion = SimpleNamespace(at=lambda times: states(len(times)))
    refused(lambda: crosscheck(idyn, motion, TIMES, ROD), "motion")


def test_refuses_wrong_specifieds():
    force = me.dynamicsymbols("F")
    idyn = InverseDynamics(pendulum(lambda ground, rod: me.Torque(rod, force * ground.z)))
    for value in (Symbol("t", real=True), q, np.nan, 1 / (t - 1)):
        refused(lambda: crosscheck(idyn, {q: pi * t}, TIMES, ROD, {"F": value}), "specifieds")
    refused(lambda: crosscheck(idyn, {q: pi * t}, TIMES, ROD), "specifieds")
    wrong = {"F": TIMES}
    refused(lambda: crosscheck(idyn, {q: pi * t}, TIMES, ROD, wrong), "specifieds", TypeError)


def test_refuses_systems_it_cannot_simulate():
    for acceleration in (u.diff(t), q.diff(t, 2)):
        drag = acceleration * symbols("c")
        system = pendulum(lambda ground, rod, drag=drag: me.Torque(rod, -drag * ground.z))
        refused(lambda: crosscheck(InverseDynamics(system), {q: t}, TIMES, ROD), "idyn")
    ground, plate = rigid_body("ground"), massive_body("plate")
    system = system_of(ground, me.WeldJoint("weld", ground, plate))
    refused(lambda: crosscheck(InverseDynamics(system), {}, TIMES, {}), "idyn")
