"""A user's own law of a load that depends on the reaction of its joint."""

import numpy as np
import pytest
from bodies import rigid_body, system_of
from numpy.testing import assert_allclose
from refusals import refused
from sympy import Symbol, symbols, tanh
from sympy.physics.mechanics import Force, PinJoint, dynamicsymbols

import jointwrench as jw
from jointwrench.mechanics.arithmetic.vectors import Vec, zero
from jointwrench.mechanics.dynamics.load_laws import LawLoad, LoadLaw, LoadLaws, SolvedLaws
from jointwrench.mechanics.dynamics.loops.unknowns import Unknown
from jointwrench.mechanics.dynamics.outputs.force_outputs import column_output
from jointwrench.mechanics.dynamics.outputs.wrench_outputs import wrench_on_child
from jointwrench.mechanics.dynamics.recursion.rigid_body import BodyWrench

pytestmark = pytest.mark.usefixtures("numpy_by_default")

M, I, G, C, WIDTH = symbols("m I g c width", positive=True)
LIFT = dynamicsymbols("lift")


class ThrustBearing(LoadLaw):
    """The drag of a pin on a film of oil, ``-c F tanh(u / width)``, F the force along its axis."""

    def __init__(self, joint):
        self.joint = joint

    @classmethod
    def _together(cls, laws):
        return ThrustBearings(laws)


class ThrustBearings(LoadLaws):
    outputs, expressions = ("drag",), (C, WIDTH)

    def __init__(self, laws):
        self.laws = laws

    def enter(self, tree, motions, state):
        return tuple(self._load(tree, number, law) for number, law in enumerate(self.laws))

    def _load(self, tree, number, law):
        graph, symbol = tree.graph, Symbol(f"drag_{number}")
        along = BodyWrench(zero(graph), Vec.enter(graph, law.joint.joint_axis.to_matrix(N)))
        column = [graph.scalar(int(u in law.joint.speeds)) for u in tree.symbolic.speeds]
        return LawLoad(law.joint, symbol, along, Unknown(law, column, {}), graph.scalar(symbol))

    def solve(self, derivation, moving):
        return Drags(derivation)


class Drags(SolvedLaws):
    def __init__(self, derivation):
        self.values = {load.symbol: self._value(derivation, load) for load in derivation.law_loads}

    by_symbol = property(lambda self: self.values)

    @staticmethod
    def _value(derivation, load):
        index = derivation.tree.index_of_joint[load.joint]
        force = wrench_on_child(derivation, index, derivation.joint_wrenches[index]).force.z
        (speed,) = load.joint.speeds
        return force * derivation.graph.scalar(-C * tanh(speed / WIDTH))

    def output(self, name, derivation):
        return column_output(name, list(self.values.values()), "drags", "drag", 1)


ground, plate = rigid_body("ground"), rigid_body("plate", M, 0, 0, I)
N = ground.frame
SHAFT = PinJoint("shaft", ground, plate, joint_axis=N.z)
SYSTEM = system_of(ground, SHAFT, gravity=-G * N.z)
SYSTEM.add_loads(Force(plate.masscenter, LIFT * N.z))
CONSTANTS = {M: 2.0, I: 0.3, G: 9.81, C: 0.05, WIDTH: 0.1}


def drag(u, lift):
    return -0.05 * (2.0 * 9.81 - lift) * np.tanh(u / 0.1)


def test_its_load_is_in_all_that_follows(rng):
    u, udot, lift = rng.normal(size=(3, 7))
    idyn = jw.InverseDynamics(SYSTEM, frictions=[ThrustBearing(SHAFT)])
    outputs = ["generalized_forces", "joint_wrenches", "drag"]
    states = np.zeros((7, 1)), u[:, None], udot[:, None]
    result = idyn.compile(outputs, derivatives=["u"])(
        *states, constants=CONSTANTS, specifieds={LIFT: lift}
    )
    own = drag(u, lift)
    assert_allclose(result.drag[:, 0], own, rtol=1e-12)
    assert_allclose(result.generalized_forces[:, 0], 0.3 * udot - own, rtol=1e-12)
    assert_allclose(result.joint_wrench(SHAFT, components="mz"), 0.3 * udot, rtol=1e-12)
    slope = -0.05 * (2.0 * 9.81 - lift) / 0.1 / np.cosh(u / 0.1) ** 2
    assert_allclose(result.derivative("drag", "u")[:, 0, 0], slope, rtol=1e-9)
    assert idyn.generalized_forces[0].has(tanh)
    moved = jw.ForwardDynamics(SYSTEM, frictions=[ThrustBearing(SHAFT)]).compile(["udot", "drag"])(
        *states[:2], constants=CONSTANTS, specifieds={LIFT: lift}
    )
    assert_allclose(moved.udot[:, 0], own / 0.3, rtol=1e-12)
    assert_allclose(moved.drag[:, 0], own, rtol=1e-12)


def test_laws_of_two_classes_are_refused():
    laws = [ThrustBearing(SHAFT), jw.JointFriction("other", 0.1)]
    refused(lambda: jw.InverseDynamics(SYSTEM, frictions=laws), "frictions")


def test_it_has_no_limits_at_rest():
    idyn = jw.InverseDynamics(SYSTEM, frictions=[ThrustBearing(SHAFT)])
    for asked in (idyn.at_rest, idyn.locked):
        refused(lambda: asked([0], [1]), "frictions")
