"""Loads of every kind that sympy knows: the forces of KanesMethod, and unknowns that return."""

import warnings

import numpy as np
import pytest
import sympy.physics.mechanics as me
from bodies import massive_body, rigid_body, system_of
from classical import close
from linkages import pin
from numeric import arguments_of, run
from refusals import refused
from sympy import Function, Matrix, Max, Rational, Symbol, lambdify, solve, symbols, tanh
from sympy.physics.biomechanics import FirstOrderActivationDeGroote2016, MusculotendonDeGroote2016

from jointwrench.mechanics.methods.inverse_dynamics import InverseDynamics
from jointwrench.mechanics.spatial.wrench import Wrench

T = me.dynamicsymbols._t


class Limb:
    """An arm on a pin about z with a slider on it."""

    def __init__(self):
        self.ground = rigid_body("ground")
        self.arm, self.hand = (rigid_body(*x, 0.1, 0.2, 0.3) for x in (("arm", 2), ("hand", 1)))
        self.N = self.ground.frame
        self.pin = pin("pin", self.ground, self.arm, 0, -1)
        place = {"parent_point": 2 * self.arm.x, "joint_axis": self.arm.x}
        self.slider = me.PrismaticJoint("slider", self.arm, self.hand, **place)
        self.system = system_of(self.ground, self.pin, self.slider)
        self.q1, self.q2 = self.system.q
        self.u1, self.u2 = self.system.u
        self.anchor = self.point("anchor", self.ground, -self.ground.x + 2 * self.ground.y)
        self.origin = self.point("origin", self.arm, self.arm.x / 3 + self.arm.y / 5)
        self.insertion = self.point("insertion", self.hand, self.hand.y / 4 + self.hand.x / 7)

    def point(self, name, body, position):
        point = body.masscenter.locatenew(name, position)
        point.set_vel(body.frame, 0)
        return point

    def line(self, *ends):
        return me.LinearPathway(*(ends or (self.anchor, self.insertion)))


def spring(limb):
    limb.system.add_actuators(me.LinearSpring(Symbol("k"), limb.line(), Symbol("l")))


def force(limb):
    f = me.dynamicsymbols("f")
    limb.system.add_actuators(me.ForceActuator(f * limb.q1 + limb.u2, limb.line()))


def damper(limb):
    limb.system.add_actuators(me.LinearDamper(Symbol("c"), limb.line(limb.origin, limb.anchor)))


def duffing(limb):
    limb.system.add_actuators(me.DuffingSpring(*symbols("b a"), limb.line(), Symbol("l")))


def friction(limb):
    if not hasattr(me, "CoulombKineticFriction"):
        pytest.skip("this version of sympy has no CoulombKineticFriction")
    pathway = limb.line(limb.pin.parent_point, limb.slider.child_point)
    mu, normal = symbols("mu normal", positive=True)
    limb.system.add_actuators(me.CoulombKineticFriction(mu, normal, pathway))


def motor(limb):
    limb.system.add_actuators(
        me.TorqueActuator(Symbol("M") - limb.u1, limb.N.z, limb.arm.frame, limb.ground.frame)
    )


def obstacles(limb):
    via = limb.point("via", limb.arm, limb.arm.y)
    via.set_vel(limb.N, via.pos_from(limb.system.fixed_point).dt(limb.N))
    pathway = me.ObstacleSetPathway(limb.anchor, via, limb.insertion)
    limb.system.add_actuators(me.ForceActuator(Symbol("F"), pathway))


def wrapping(surface):
    def add(limb):
        center = limb.point("center", limb.ground, 0 * limb.N.x)
        r = Rational(2, 5)
        own = me.WrappingSphere, me.WrappingCylinder
        shape = own[0](r, center) if surface == "sphere" else own[1](r, center, limb.N.z)
        first = limb.point("first", limb.ground, -r * limb.N.x)
        frame = limb.arm.frame
        last = limb.pin.child_point.locatenew("last", r * frame.x)
        last.set_vel(frame, 0)
        pathway = me.WrappingPathway(first, last, shape)
        on_ground, on_arm, on_center = pathway.to_loads(Symbol("F"))
        assert on_center.point is center
        # the centre is on the pin's axis, and so of two bodies: the user has to say which
        limb.system.add_actuators(me.ForceActuator(Symbol("F"), pathway))
        with pytest.raises(ValueError, match=r"on which body .*: center: ground or arm"):
            InverseDynamics(limb.system).joint_wrench(limb.pin)
        limb.system.actuators = ()
        loads = Wrench(center, on_center.force).to_loads(limb.ground)
        limb.system.add_loads(on_ground, on_arm, *loads)

    return add


def muscle(limb):
    activation = FirstOrderActivationDeGroote2016.with_defaults("muscle")
    numbers = {
        "tendon_slack_length": 0.9,
        "peak_isometric_force": 200.0,
        "optimal_fiber_length": 1.1,
        "maximal_fiber_velocity": 10.0,
        "optimal_pennation_angle": 0.1,
        "fiber_damping_coefficient": 0.1,
    }
    own = MusculotendonDeGroote2016.with_defaults("muscle", limb.line(), activation, **numbers)
    limb.system.add_actuators(own)


def loads_of_all_arguments(limb):
    f, k = me.dynamicsymbols("f"), Symbol("k")
    vector = (f.diff(T) * limb.q1 + k * limb.u2 * tanh(T)) * limb.arm.x + limb.u1**2 * limb.N.y
    limb.system.add_loads(me.Force(limb.insertion, vector), me.Torque(limb.hand, f * limb.N.z))


def moving_point(limb):
    """The centre of pressure wanders along the hand."""
    s = me.dynamicsymbols("s")
    point = limb.hand.masscenter.locatenew("cop", s * limb.hand.x + limb.hand.y / 3)
    velocity = limb.hand.masscenter.vel(limb.N)
    velocity += limb.hand.frame.ang_vel_in(limb.N).cross(point.pos_from(limb.hand.masscenter))
    point.set_vel(limb.N, velocity)
    limb.system.add_loads(me.Force(point, Symbol("F") * limb.N.y))


def turning_frame(limb):
    """Components may stand in any frame that is oriented in the model."""
    frame = me.ReferenceFrame("F")
    frame.orient_axis(limb.N, limb.N.z, 2 * T)
    limb.system.add_loads(me.Force(limb.hand, 5 * frame.x), me.Torque(limb.hand.frame, T * frame.y))


KINDS = {
    "force": force,
    "spring": spring,
    "damper": damper,
    "duffing": duffing,
    "friction": friction,
    "motor": motor,
    "obstacles": obstacles,
    "sphere": wrapping("sphere"),
    "cylinder": wrapping("cylinder"),
    "muscle": muscle,
    "arguments": loads_of_all_arguments,
    "moving point": moving_point,
    "turning frame": turning_frame,
}


def make(kind):
    limb = Limb()
    for center in (limb.arm.masscenter, limb.hand.masscenter):
        center.set_vel(limb.N, center.pos_from(limb.system.fixed_point).dt(limb.N))
    with warnings.catch_warnings():  # points with several paths
        warnings.simplefilter("ignore")
        KINDS[kind](limb)
        return limb, InverseDynamics(limb.system)


def inputs(idyn, seed=1):
    numbers = np.random.default_rng(seed)
    return {s: numbers.uniform(0.4, 1.1) for group in idyn.inputs.values() for s in group}


def kanes_forces(limb, values):
    """Return M udot - forcing; forcing may hold functions of biomechanics."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        limb.system.form_eoms()
    method = limb.system.eom_method
    rates = {limb.q1.diff(T): limb.u1, limb.q2.diff(T): limb.u2}
    matrix = Matrix([method.mass_matrix, method.forcing.T]).doit().xreplace(rates)
    numbers = lambdify([], matrix.xreplace(values).evalf(), "scipy")().astype(float)
    return numbers[:2] @ [values[u.diff(T)] for u in limb.system.u] - numbers[2]


@pytest.mark.parametrize("kind", KINDS)
def test_forces_are_those_of_kanes_method(kind):
    limb, idyn = make(kind)
    values = inputs(idyn)
    assert close(call(idyn, values).generalized_forces, kanes_forces(limb, values), 1e-9)


def call(idyn, values):
    return idyn.compile(backend="numpy")(*arguments_of(idyn, values))


class TestSolveFor:
    """A known load, turned into an unknown, comes back as it was."""

    def check(self, limb, unknowns, seed=2):
        idyn = InverseDynamics(limb.system, unknowns)
        plain = InverseDynamics(limb.system)
        values = inputs(plain, seed)
        solved = run(idyn.program(("solved_loads", "generalized_forces", "joint_wrenches")), values)
        known = values | dict(zip(unknowns, solved["solved_loads"], strict=True))
        rest = run(plain.program(), known)
        assert close(rest["generalized_forces"], solved["generalized_forces"], 1e-9)
        assert close(rest["joint_wrenches"], solved["joint_wrenches"], 1e-9)
        return solved["generalized_forces"]

    def test_joint_torque_and_force(self):
        limb = Limb()
        torque, push = me.dynamicsymbols("torque push")
        limb.system.add_actuators(me.TorqueActuator(torque, limb.N.z, limb.arm, limb.ground))
        limb.system.add_loads(
            me.Force(limb.hand, push * limb.arm.x), me.Force(limb.arm, -push * limb.arm.x)
        )
        assert close(self.check(limb, [torque, push]), [0, 0])

    def test_gate_of_one_of_two_speeds(self):
        """A load that acts on the second speed only beyond a stop is a load there, too."""
        limb, F = Limb(), Symbol("F")
        push = F * Max(0, limb.q2 - 2) * limb.arm.x
        limb.system.add_loads(me.Torque(limb.arm.frame, F * limb.N.z), me.Force(limb.hand, push))
        idyn = InverseDynamics(limb.system, [F])
        evaluate = idyn.compile(
            ("solved_loads", "generalized_forces", "joint_wrenches"), backend="numpy"
        )
        found = evaluate([[0.3, 1.0], [0.3, 3.5]], [0.2, 0.1], [1.0, -2.0])
        shut, open_ = found.generalized_forces
        assert found.joint_wrench("slider")[:, 0] == pytest.approx(found.generalized_forces[:, 1])
        assert shut[0] == pytest.approx(0, abs=1e-12)
        assert [1 / 9, 1.5] @ open_ == pytest.approx(0, abs=1e-12)  # the model is 3 long
        assert np.abs(open_).min() > 0.01

    def test_force_inside_a_function(self):
        limb = Limb()
        F = Symbol("F")
        limb.system.add_actuators(me.ForceActuator(tanh(F), limb.line()))
        refused(lambda: InverseDynamics(limb.system, [F]), "solve_for")


def test_speed_that_moves_nothing():
    """A state of a load, such as the activation of a muscle: its force is zero."""
    limb = Limb()
    a, rate = me.dynamicsymbols("a rate")
    limb.system.add_coordinates(a)
    limb.system.add_speeds(rate)
    limb.system.add_kdes(rate - a.diff(T))
    limb.system.add_loads(me.Force(limb.hand, (a + rate) * limb.arm.x))
    idyn = InverseDynamics(limb.system)
    assert idyn.mass_matrix[:, 2].is_zero_matrix
    forces = call(idyn, inputs(idyn)).generalized_forces
    assert (forces == 0).tolist() == [False, False, True]


def test_load_of_an_undefined_function_of_the_state():
    limb = Limb()
    limb.system.add_loads(me.Force(limb.hand, Function("h")(limb.q1) * limb.N.x))
    idyn = InverseDynamics(limb.system)
    assert any("h(" in str(s) for s in idyn.specifieds)


def test_auxiliary_speed():
    """The rail's force on a cart is what sympy's auxiliary equation gives."""
    ground, cart = rigid_body("ground"), massive_body("cart")
    N, lift, normal = ground.frame, *me.dynamicsymbols("lift normal")
    rail = me.PrismaticJoint("rail", ground, cart, joint_axis=N.x)
    system = system_of(ground, rail, gravity=-Symbol("g") * N.y)
    system.add_auxiliary_speeds(lift)
    cart.masscenter.set_vel(N, rail.speeds[0] * N.x + lift * N.y)
    system.add_loads(me.Force(cart, normal * N.y))
    system.form_eoms()
    (expected,) = solve(system.eom_method.auxiliary_eqs.subs(lift.diff(), 0), normal).values()
    with pytest.warns(UserWarning, match=r"speeds lift\(t\) count .* normal\(t\) are ignored"):
        idyn = InverseDynamics(system)
    assert idyn.joint_wrench(rail).force.dot(N.y) == expected
    assert idyn.specifieds == ()
