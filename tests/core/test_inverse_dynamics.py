"""InverseDynamics as users meet it: names, formulas, unknown loads, refusals."""

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor
from time import sleep

import numpy as np
import pytest
from bodies import rigid_body
from marks import few
from numeric import evaluate, run
from random_systems import random_system
from refusals import refused
from sympy import Matrix, Symbol, cos, nan, pi, simplify, sin, symbols
from sympy.physics.mechanics import (
    CylindricalJoint,
    Force,
    ForceActuator,
    LinearPathway,
    Particle,
    PinJoint,
    ReferenceFrame,
    RigidBody,
    System,
    Torque,
    TorqueActuator,
    dynamicsymbols,
    inertia,
)
from tables import state

from jointwrench.mechanics.arithmetic.graph import Graph
from jointwrench.mechanics.methods.inverse_dynamics import InverseDynamics
from jointwrench.mechanics.spatial.wrench import Wrench
from jointwrench.models.serial_chain import SerialChain


class Pendulum:
    """A rod of mass m, length l and inertia I on a pin about z, with a torque T on it."""

    def __init__(self, **assumptions):
        self.m, self.l, self.g, self.I = symbols("m l g I", **assumptions)
        self.T = dynamicsymbols("T")
        self.ground, self.rod = rigid_body("ground"), rigid_body("rod", self.m)
        self.rod.central_inertia = inertia(self.rod.frame, 0, 0, self.I)
        self.system = System.from_newtonian(self.ground)
        self.pin = PinJoint(
            "pin",
            self.ground,
            self.rod,
            child_point=-self.l / 2 * self.rod.x,
            joint_axis=self.ground.z,
        )
        self.system.add_joints(self.pin)
        self.system.apply_uniform_gravity(-self.g * self.ground.y)
        (self.q,), (self.u,) = self.system.q, self.system.u
        self.time = dynamicsymbols._t

    @property
    def torque(self):
        """The torque that the motion asks for."""
        moment = self.I + self.m * self.l**2 / 4
        return moment * self.u.diff(self.time) + self.m * self.g * self.l / 2 * cos(self.q)


def is_zero(expression):
    return simplify(expression) == 0


class TestFormulas:
    def test_joint_wrench(self):
        """Positive on the child, by the parent, about the child point, in the child's frame."""
        p = Pendulum()
        wrench = InverseDynamics(p.system).joint_wrench(p.pin)
        udot = p.u.diff(p.time)
        force = p.m * Matrix(
            [
                p.g * sin(p.q) - p.l / 2 * p.u**2,
                p.g * cos(p.q) + p.l / 2 * udot,
                0,
            ]
        )
        assert wrench.point is p.pin.child_point
        difference = wrench.force.to_matrix(p.rod.frame) - force
        assert difference.applyfunc(simplify) == Matrix([0, 0, 0])
        assert is_zero(wrench.moment.dot(p.rod.z) - p.torque)

    def test_dynamic_wrench_of_ground_is_zero(self):
        p = Pendulum()
        wrench = InverseDynamics(p.system).dynamic_wrench(p.ground)
        assert wrench.to_matrix(p.ground.frame) == Matrix([0] * 6)

    def test_symbols_keep_their_assumptions(self):
        p = Pendulum(positive=True)
        idyn = InverseDynamics(p.system)
        assert idyn.constants == (p.I, p.g, p.l, p.m)
        formulas = idyn.joint_wrench(p.pin).to_matrix(p.rod.frame)
        assert formulas.free_symbols <= {p.I, p.g, p.l, p.m, p.time}
        assert all(s.is_positive for s in formulas.free_symbols - {p.time})

    def test_replaced_time(self):
        dynamicsymbols._t = Symbol("t", real=True)
        p = Pendulum()
        idyn = InverseDynamics(p.system)
        assert p.time.is_real
        assert idyn.accelerations == Matrix([p.u.diff(p.time)])
        assert is_zero(idyn.generalized_forces[0] - p.torque)
        assert idyn.inputs["times"] == ()


class TestInputs:
    def test_groups(self):
        p = Pendulum()
        k, f = Symbol("k"), dynamicsymbols("f")
        force = (k * p.q + f + sin(3 * p.time)) * p.ground.x
        p.system.add_loads(Force(p.rod, force))
        idyn = InverseDynamics(p.system)
        assert idyn.coordinates == Matrix([p.q])
        assert idyn.speeds == Matrix([p.u])
        assert idyn.constants == (p.I, p.g, k, p.l, p.m)
        assert idyn.specifieds == (f,)
        assert idyn.inputs["times"] == (p.time,)
        assert idyn.system is p.system
        assert idyn.joints == (p.pin,)

    def test_rates_in_loads_become_speeds(self):
        """A damper that is written with q' is the same as one that is written with u."""
        p, c = Pendulum(), Symbol("c")
        p.system.add_loads(Torque(p.rod.frame, -c * p.q.diff(p.time) * p.ground.z))
        idyn = InverseDynamics(p.system)
        assert is_zero(idyn.generalized_forces[0] - p.torque - c * p.u)
        assert idyn.specifieds == ()

    @pytest.mark.parametrize(
        "change",
        [
            lambda p: p.system.add_loads(Torque(p.rod.frame, p.T * p.ground.z)),
            lambda p: p.system.add_actuators(TorqueActuator.at_pin_joint(p.T, p.pin)),
            lambda p: p.system.add_joints(PinJoint("far", p.rod, rigid_body("tip"))),
            lambda p: setattr(p.system, "loads", ()),
            lambda p: setattr(p.rod, "mass", 2 * p.m),
            lambda p: setattr(p.rod, "central_inertia", inertia(p.rod.frame, 1, 2, 3)),
        ],
    )
    def test_later_changes_of_the_system_are_refused(self, change):
        p = Pendulum()
        idyn = InverseDynamics(p.system)
        change(p)
        calls = (
            lambda: idyn.compile(backend="numpy"),
            idyn.program,
            lambda: idyn.generalized_forces,
            lambda: idyn.joint_wrench(p.pin),
        )
        for call in calls:
            refused(call, "system")

    def test_a_system_that_is_as_it_was(self):
        p = Pendulum()
        idyn = InverseDynamics(p.system)
        p.system.loads = list(p.system.loads)
        assert is_zero(idyn.generalized_forces[0] - p.torque)
        there = pickle.loads(pickle.dumps(idyn))
        assert there.compile("bias", backend="numpy").outputs == ("bias",)
        there.system.add_loads(Torque(there.joints[0].child.frame, there.frame.x))
        refused(lambda: there.compile(backend="numpy"), "system")

    def test_known_loads(self):
        p = Pendulum()
        assert InverseDynamics(p.system).loads == tuple(p.system.loads)
        p.system.add_actuators(TorqueActuator(p.T, p.ground.z, p.rod.frame, p.ground.frame))
        *_, action, reaction = InverseDynamics(p.system).loads
        assert [load.frame for load in (action, reaction)] == [p.rod.frame, p.ground.frame]
        assert action.torque == -reaction.torque == p.T * p.ground.z

    def test_operation_counts(self):
        counts = InverseDynamics(Pendulum().system).count_ops("generalized_forces")
        assert counts["trig"] == 1
        assert counts["mul"] <= 3


class TestUnknownLoads:
    def test_torque_at_a_pin(self):
        p = Pendulum()
        p.system.add_actuators(TorqueActuator.at_pin_joint(p.T, p.pin))
        idyn = InverseDynamics(p.system, [p.T])
        assert is_zero(idyn.solved_loads[p.T] - p.torque)
        assert idyn.generalized_forces == Matrix([0])
        assert idyn.joint_wrench(p.pin).moment.dot(p.rod.z) == 0
        assert p.T not in idyn.specifieds

    @pytest.mark.parametrize("seed", few(range(3), 1))
    def test_torque_about_a_skew_axis(self, seed):
        """It works on one speed alone, although that takes numbers to see."""
        numbers = np.random.default_rng(seed)
        ground, A, B = (rigid_body(name, 2.0) for name in ("ground", "A", "B"))
        for body in (A, B):
            body.central_inertia = inertia(body.frame, 1, 2, 1.5, 0.1, -0.2, 0.3)
        system, (T,) = System.from_newtonian(ground), symbols("T:1")
        x, y, z = numbers.integers(1, 4, 3)
        frame = ReferenceFrame("F")
        frame.orient_axis(A.frame, A.x + A.y, int(x))
        first = PinJoint("first", ground, A, child_point=A.y)
        second = PinJoint(
            "second",
            A,
            B,
            parent_point=A.x,
            child_point=-B.y,
            parent_interframe=frame,
            joint_axis=x * frame.x + y * frame.y - z * frame.z,
        )
        system.add_joints(first, second)
        axis = second.joint_axis.normalize()
        system.add_actuators(TorqueActuator(T, axis, B.frame, A.frame))
        idyn = InverseDynamics(system, [T])
        values = dict.fromkeys(idyn.constants, 1.0)
        values |= state(system, *numbers.uniform(-1, 1, (3, 2)))
        plain = run(InverseDynamics(system).program(), {**values, T: 0.0})["generalized_forces"]
        outputs = run(idyn.program(("solved_loads", "generalized_forces")), values)
        assert outputs["solved_loads"] == pytest.approx(plain[1:], rel=1e-9)
        assert outputs["generalized_forces"] == pytest.approx([plain[0], 0], abs=1e-9)

    def test_cylinder_between_two_bodies(self):
        """Its force gives the pin's torque by its lever arm."""
        p, F = Pendulum(), Symbol("F")
        here = p.ground.masscenter.locatenew("A", -p.l * p.ground.y)
        pathway = LinearPathway(here, p.rod.masscenter)
        p.system.add_actuators(ForceActuator(F, pathway))
        solved = InverseDynamics(p.system, [F]).solved_loads[F]
        values = {p.m: 2.0, p.l: 1.4, p.g: 9.81, p.I: 0.3}
        values |= state(p.system, [0.3], [0.5], [-0.7])
        end = 0.7 * np.array([np.cos(0.3), np.sin(0.3)])
        along = end - [0, -1.4]
        along /= np.linalg.norm(along)
        lever = end[0] * along[1] - end[1] * along[0]
        assert evaluate(solved, values) * lever == pytest.approx(evaluate(p.torque, values))

    def test_known_loads_stay(self):
        p = Pendulum()
        k = Symbol("k")
        p.system.add_loads(Torque(p.rod.frame, (p.T - k) * p.ground.z))
        assert is_zero(InverseDynamics(p.system, [p.T]).solved_loads[p.T] - p.torque - k)


class TestRefusals:
    def test_unknown_joint(self):
        other = PinJoint("other", rigid_body("C"), rigid_body("D"))
        idyn = InverseDynamics(Pendulum().system)
        for joint in (other, "other", 3):
            refused(lambda: idyn.joint_wrench(joint), "joint")
            refused(lambda: idyn.constraint_wrench(joint), "joint")

    def test_screw_has_no_unique_constraint_wrench(self):
        ground, nut = rigid_body("ground"), RigidBody("nut")
        system = System.from_newtonian(ground)

        class ScrewJoint(CylindricalJoint):
            """Slides by a pitch for every turn."""

            def _generate_coordinates(self, coordinate):
                return self._fill_coordinate_list(None, 1, "q")

            def _generate_speeds(self, speed):
                return self._fill_coordinate_list(None, 1, "u")

            rotation_coordinate = property(lambda self: self.coordinates[0])
            translation_coordinate = property(lambda self: self.coordinates[0] / (2 * pi))
            rotation_speed = property(lambda self: self.speeds[0])
            translation_speed = property(lambda self: self.speeds[0] / (2 * pi))

        screw = ScrewJoint("screw", ground, nut)
        system.add_joints(screw)
        idyn = InverseDynamics(system)
        inertia_, mass, u = nut.central_inertia, nut.mass, screw.speeds[0]
        effective = inertia_.to_matrix(nut.frame)[0, 0] + mass / (4 * pi**2)
        assert is_zero(idyn.generalized_forces[0] - effective * u.diff())
        refused(lambda: idyn.constraint_wrench(screw), "joint")


K, F = symbols("k F")

#: What is asked for in place of motors, and the load on the rod.
UNKNOWN = {
    "no iterable": (lambda p: 3, None, TypeError),
    "text": (lambda p: ["T"], None, TypeError),
    "no symbol": (lambda p: [2 * p.T], None, TypeError),
    "twice the same": (lambda p: [p.T, p.T], None, ValueError),
    "in no load": (lambda p: [p.T], None, ValueError),
    "not linear": (lambda p: [p.T], lambda p: p.T**2, ValueError),
    "not linear together": (lambda p: [p.T, K], lambda p: K * p.T, ValueError),
    **{  # it would be solved for in terms of itself
        name: (lambda p, x=name: [getattr(p, x)], lambda p, x=name: getattr(p, x), ValueError)
        for name in ("m", "l", "g", "q", "time")
    },
}


@pytest.mark.parametrize("kind", UNKNOWN)
def test_unknown_loads_that_are_none(kind):
    p = Pendulum()
    asked, load, error = UNKNOWN[kind]
    if load:
        p.system.add_loads(Torque(p.rod.frame, load(p) * p.ground.z))
    refused(lambda: InverseDynamics(p.system, asked(p)), "solve_for", error)


class TestOpenLoads:
    @pytest.mark.parametrize("place", ["P", "axis"])
    def test_where_and_along_what_it_acts(self, place):
        """Its own place, or the axis of the only pin, along which it does no work."""
        p = Pendulum()
        point = p.rod.masscenter.locatenew("P", F * p.rod.x)
        load = Force(p.rod, F * p.ground.z) if place == "axis" else Force(point, F * p.ground.x)
        p.system.add_loads(load)
        refused(lambda: InverseDynamics(p.system, [F]), "solve_for")

    def test_too_many(self):
        """Two loads on one speed are open: least norm, moments at the radius of gyration."""
        p = Pendulum()
        p.system.add_loads(Torque(p.rod.frame, p.T * p.ground.z), Force(p.rod, F * p.ground.x))
        idyn = InverseDynamics(p.system, solve_for=[p.T, F])
        assert idyn.undetermined[p.T] == idyn.undetermined[F] == ("value",)
        assert idyn.undetermined[p.pin] == ("fx", "fy")
        assert all(value is nan for value in idyn.solved_loads.values())
        assert idyn.generalized_forces[0] == 0
        chosen = InverseDynamics(p.system, solve_for=[p.T, F], redundancy="least_norm")
        torque, force = (chosen.solved_loads[symbol] for symbol in (p.T, F))
        arm = -p.l / 2 * sin(p.q)
        assert is_zero(torque + arm * force - p.torque)
        square = p.I / p.m + p.l**2 / 2  # of that radius, about the pin, for all three axes
        assert is_zero(force * square - arm * torque)

    def test_dependent(self):
        """Two forces at one point along one line: only their sum is determined."""
        chain = SerialChain.planar(2, gravity=(0, -9.81, 0))
        a, b = symbols("a b")
        for symbol in (a, b):
            chain.apply(Wrench(chain.tip, symbol * chain.ground.frame.x), -1)
        idyn = InverseDynamics(chain.system, solve_for=[a, b])
        assert idyn.undetermined == {a: ("value",), b: ("value",)}
        wrench = idyn.joint_wrench(chain.joints[0]).to_matrix(chain.ground.frame)
        assert not wrench.has(nan)


def test_particles_on_both_sides_of_a_joint():
    """A particle takes the frame of its first joint; a wrench is in the child interframe."""
    ground, P, Q = rigid_body("ground"), Particle("P"), Particle("Q")
    system = System.from_newtonian(ground)
    frame, turned = ReferenceFrame("F"), ReferenceFrame("G")
    turned.orient_axis(frame, frame.z, pi / 2)
    first = PinJoint("first", ground, P, joint_axis=ground.z, child_interframe=frame)
    second = PinJoint("second", Q, P, child_interframe=turned, child_point=turned.x)
    system.add_joints(first, second)
    idyn = InverseDynamics(system)
    assert {f for _, f in idyn.joint_wrench(second).force.args} <= {turned}


class TestWhatUsersAreTold:
    def test_bodies_by_name(self):
        idyn = InverseDynamics(Pendulum().system)
        (rod,) = idyn.bodies
        assert idyn.dynamic_wrench(rod.name).equals(idyn.dynamic_wrench(rod))

    def test_a_name_that_two_bodies_have(self):
        ground, *rods = (rigid_body(name) for name in ("ground", "rod", "rod"))
        system = System.from_newtonian(ground)
        for name, rod in zip("ab", rods, strict=True):
            system.add_joints(PinJoint(name, ground, rod))
        idyn = InverseDynamics(system)
        refused(lambda: idyn.dynamic_wrench("rod"), "body")
        assert idyn.dynamic_wrench(rods[1]).point is rods[1].masscenter

    def test_outputs(self):
        idyn = InverseDynamics(Pendulum().system)
        for outputs in ((), ("bias", "bias")):
            refused(lambda: idyn.compile(outputs), "outputs")

    def test_constants_that_divide(self):
        k, system = symbols("k"), Pendulum()
        system.system.add_loads(Torque(system.rod.frame, system.q / k * system.ground.z))
        idyn = InverseDynamics(system.system)
        refused(lambda: idyn.compile(constants={k: 0.0}), "constants")
        for wrong in (0, ""):
            refused(lambda: idyn.compile(constants=wrong), "constants", TypeError)

    def test_other_models(self):
        chain = SerialChain.planar(1)
        refused(lambda: InverseDynamics(chain), "system", TypeError)
        T = symbols("T")
        refused(lambda: InverseDynamics(chain.system, solve_for=T), "solve_for", TypeError)

    def test_repr(self):
        idyn = InverseDynamics(SerialChain.planar(2).system)
        assert repr(idyn) == "InverseDynamics(bodies: S_0, S_1; 2 speeds)"


def test_copies_keep_the_joints():
    chain = SerialChain.planar(2)
    idyn = InverseDynamics(chain.system)
    evaluate = idyn.compile(backend="numpy")
    constants = dict.fromkeys(idyn.constants, 1.0)
    for make in (copy.copy, copy.deepcopy):
        assert make(idyn).joint_wrench(chain.joints[0]).point is chain.joints[0].child_point
        other = make(evaluate)
        other.threads = 2
        assert evaluate.threads == 1
        result = other(*np.ones((3, 4, 2)), constants=constants)
        assert result.joint_power(chain.joints[0]).shape == (4,)


def test_threads_compile_one_model(monkeypatch):
    outputs = ["generalized_forces", "joint_wrenches", "mass_matrix", "bias"]
    states, varies = np.linspace(0.1, 1, 6).reshape(3, 2), Graph._varies

    def after_the_others(graph, operation):  # in the middle of entering an operation
        sleep(0)
        return varies(graph, operation)

    idyn = InverseDynamics(SerialChain.planar(2, gravity=(0, -9.81, 0)).system)
    monkeypatch.setattr(Graph, "_varies", after_the_others)
    with ThreadPoolExecutor(len(outputs)) as pool:
        found = list(pool.map(lambda name: idyn.compile(name, backend="numpy"), outputs))
    alone = InverseDynamics(SerialChain.planar(2, gravity=(0, -9.81, 0)).system)
    for name, found_one in zip(outputs, found, strict=True):
        expected = alone.compile(name, backend="numpy")
        values = (
            run(*states, constants=dict.fromkeys(model.constants, 1.3)).outputs[name]
            for run, model in ((found_one, idyn), (expected, alone))
        )
        np.testing.assert_allclose(*values, rtol=1e-12)


def test_no_speeds():
    tree = random_system(1, 1, joints=("weld",), loads=())
    outputs = run(InverseDynamics(tree.system).program(("mass_matrix", "bias")), {**tree.inputs})
    assert outputs["mass_matrix"].shape == (0, 0)
    assert outputs["bias"].shape == (0,)
