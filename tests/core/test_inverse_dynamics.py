"""InverseDynamics as users meet it: names, unknown loads, refusals."""

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor
from time import sleep

import numpy as np
import pytest
import sympy.physics.mechanics as me
from bodies import rigid_body, system_of
from linkages import pin
from numeric import run
from random_systems import random_system
from refusals import refused
from sympy import Matrix, cos, nan, simplify, symbols

from jointwrench.mechanics.arithmetic.graph import Graph
from jointwrench.mechanics.methods.inverse_dynamics import InverseDynamics
from jointwrench.mechanics.spatial.wrench import Wrench
from jointwrench.models.serial_chain import SerialChain


class Pendulum:
    """A rod of mass m, length l and inertia I on a pin about z, with a torque T on it."""

    def __init__(self, **assumptions):
        self.m, self.l, self.g, self.I = symbols("m l g I", **assumptions)
        self.T = me.dynamicsymbols("T")
        self.ground, self.rod = rigid_body("ground"), rigid_body("rod", self.m, 0, 0, self.I)
        self.pin = pin("pin", self.ground, self.rod, 0, -self.l / 2)
        self.system = system_of(self.ground, self.pin, gravity=-self.g * self.ground.y)
        (self.q,), (self.u,) = self.system.q, self.system.u
        self.time = me.dynamicsymbols._t

    @property
    def torque(self):
        """The torque that the motion asks for."""
        moment = self.I + self.m * self.l**2 / 4
        return moment * self.u.diff(self.time) + self.m * self.g * self.l / 2 * cos(self.q)


def test_dynamic_wrench_of_ground_is_zero():
    p = Pendulum()
    wrench = InverseDynamics(p.system).dynamic_wrench(p.ground)
    assert wrench.to_matrix(p.ground.frame) == Matrix([0] * 6)


@pytest.mark.parametrize(
    "change",
    [
        lambda p: p.system.add_loads(me.Torque(p.rod.frame, p.T * p.ground.z)),
        lambda p: p.system.add_actuators(me.TorqueActuator.at_pin_joint(p.T, p.pin)),
        lambda p: p.system.add_joints(me.PinJoint("far", p.rod, rigid_body("tip"))),
        lambda p: setattr(p.system, "loads", ()),
        lambda p: setattr(p.rod, "mass", 2 * p.m),
        lambda p: setattr(p.rod, "central_inertia", me.inertia(p.rod.frame, 1, 2, 3)),
    ],
)
def test_later_changes_of_the_system_are_refused(change):
    p = Pendulum()
    idyn = InverseDynamics(p.system)
    change(p)
    calls = [lambda: idyn.compile(backend="numpy"), idyn.program, lambda: idyn.generalized_forces]
    calls.append(lambda: idyn.joint_wrench(p.pin))
    for call in calls:
        refused(call, "system")


def test_a_system_that_is_as_it_was():
    p = Pendulum()
    idyn = InverseDynamics(p.system)
    p.system.loads = list(p.system.loads)
    assert simplify(idyn.generalized_forces[0] - p.torque) == 0
    there = pickle.loads(pickle.dumps(idyn))
    assert there.compile("bias", backend="numpy").outputs == ("bias",)
    there.system.add_loads(me.Torque(there.joints[0].child.frame, there.frame.x))
    refused(lambda: there.compile(backend="numpy"), "system")


def test_unknown_joint():
    other = me.PinJoint("other", rigid_body("C"), rigid_body("D"))
    idyn = InverseDynamics(Pendulum().system)
    for joint in (other, "other", 3):
        refused(lambda: idyn.joint_wrench(joint), "joint")
        refused(lambda: idyn.constraint_wrench(joint), "joint")


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
        p.system.add_loads(me.Torque(p.rod.frame, load(p) * p.ground.z))
    refused(lambda: InverseDynamics(p.system, asked(p)), "solve_for", error)


@pytest.mark.parametrize("place", ["P", "axis"])
def test_unknown_loads_that_act_along_themselves_or_a_pin(place):
    """Its own place, or the axis of the only pin, along which it does no work."""
    p = Pendulum()
    point = p.rod.masscenter.locatenew("P", F * p.rod.x)
    load = me.Force(p.rod, F * p.ground.z) if place == "axis" else me.Force(point, F * p.ground.x)
    p.system.add_loads(load)
    refused(lambda: InverseDynamics(p.system, [F]), "solve_for")


def test_too_many_unknown_loads():
    """Two loads on one speed are undetermined, until compliances determine them."""
    p = Pendulum()
    p.system.add_loads(me.Torque(p.rod.frame, p.T * p.ground.z), me.Force(p.rod, F * p.ground.x))
    idyn = InverseDynamics(p.system, solve_for=[p.T, F])
    assert idyn.undetermined[p.T] == idyn.undetermined[F] == ("value",)
    assert idyn.undetermined[p.pin] == ("fx", "fy")
    assert all(value is nan for value in idyn.solved_loads.values())
    assert idyn.generalized_forces[0] == 0
    a, b = symbols("a b", positive=True)
    elastic = InverseDynamics(p.system, solve_for=[p.T, F], redundancy={p.T: a, "F": b})
    numbers = dict.fromkeys(elastic.constants, 1.0) | {a: 2.0, b: 5.0}
    evaluate = elastic.compile("solved_loads", numbers, backend="numpy")
    torque, force = map(float, evaluate([0.3], [0.4], [0.7]).solved_loads.values())
    arm = -np.sin(0.3) / 2
    wanted = p.torque.subs({p.u.diff(p.time): 0.7, p.q: 0.3}).subs(numbers)
    assert torque + arm * force == pytest.approx(float(wanted))
    assert force * 5 == pytest.approx(arm * torque * 2)


def test_unknown_loads_that_depend_on_each_other():
    """Two forces at one point along one line: only their sum is determined."""
    chain = SerialChain.planar(2, gravity=(0, -9.81, 0))
    a, b = symbols("a b")
    for symbol in (a, b):
        chain.apply(Wrench(chain.tip, symbol * chain.ground.frame.x), -1)
    idyn = InverseDynamics(chain.system, solve_for=[a, b])
    assert idyn.undetermined == {a: ("value",), b: ("value",)}
    assert not idyn.joint_wrench(chain.joints[0]).to_matrix(chain.ground.frame).has(nan)


def test_constants_that_divide():
    k, system = symbols("k"), Pendulum()
    system.system.add_loads(me.Torque(system.rod.frame, system.q / k * system.ground.z))
    idyn = InverseDynamics(system.system)
    refused(lambda: idyn.compile(constants={k: 0.0}), "constants")
    for wrong in (0, ""):
        refused(lambda: idyn.compile(constants=wrong), "constants", TypeError)


def test_other_models():
    chain = SerialChain.planar(1)
    refused(lambda: InverseDynamics(chain), "system", TypeError)
    T = symbols("T")
    refused(lambda: InverseDynamics(chain.system, solve_for=T), "solve_for", TypeError)


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
        pairs = (found_one, idyn), (expected, alone)
        given = [(run, dict.fromkeys(model.constants, 1.3)) for run, model in pairs]
        values = (run(*states, constants=own).outputs[name] for run, own in given)
        np.testing.assert_allclose(*values, rtol=1e-12)


def test_no_speeds():
    tree = random_system(1, 1, joints=("weld",), loads=())
    outputs = run(InverseDynamics(tree.system).program(("mass_matrix", "bias")), {**tree.inputs})
    assert outputs["mass_matrix"].shape == (0, 0)
    assert outputs["bias"].shape == (0,)
