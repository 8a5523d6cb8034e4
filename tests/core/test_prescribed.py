"""Prescribed motion: bases that are driven, coordinates that are given functions of time."""

import numpy as np
import pytest
import sympy.physics.mechanics as me
from bodies import massive_body, rigid_body, system_of
from classical import close
from numeric import run
from refusals import refused
from sympy import Symbol

from jointwrench.mechanics.mechanism.reading.system_reader import read_system
from jointwrench.mechanics.mechanism.tree import TopologyError
from jointwrench.mechanics.methods.inverse_dynamics import InverseDynamics

T = me.dynamicsymbols._t


class Welded:
    """A tool welded to a table of prescribed motion or at rest, and a rod on a pin at the tool."""

    def __init__(self, place, order, reverse=False, table=None):
        self.ground, self.tool = rigid_body("ground"), rigid_body("tool", 2)
        self.table, self.rod = table or rigid_body("table", 100), rigid_body("rod", 3, 1, 1, 1)
        self.system = me.System.from_newtonian(self.ground)
        self.table.masscenter.set_pos(self.system.fixed_point, place(self.ground))
        frames = {}
        if isinstance(self.table, me.RigidBody):
            self.table.frame.orient_axis(self.ground.frame, self.ground.z, 0)
        else:  # a particle has no frame: the weld says how the tool is turned
            frames = {"parent_interframe": self.ground.frame}
        pair = (self.tool, self.table) if reverse else (self.table, self.tool)
        self.weld = me.WeldJoint("weld", *pair, **frames)
        self.pin = me.PinJoint("pin", self.tool, self.rod, joint_axis=self.tool.z)
        if order == "table first":
            self.system.add_bodies(self.table)
        joints = (self.pin, self.weld) if order == "pin first" else (self.weld, self.pin)
        self.system.add_joints(*joints)

    def force(self):
        evaluate = InverseDynamics(self.system).compile(backend="numpy")
        wrench = evaluate([0.0], [0.0], [0.0], times=0.0).joint_wrench("weld")
        return wrench[:3] if self.weld.child is self.tool else -wrench[:3]


ORDERS = ("table first", "weld first", "pin first")


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("order", ORDERS)
def test_tool_welded_to_a_driven_table_or_to_one_at_rest(order, reverse):
    """The drive holds the table, and the weld the tool, whatever stands first."""
    driven = Welded(lambda ground: T**2 * ground.x, order, reverse)
    at_rest = Welded(lambda ground: 2 * ground.x, order, reverse)
    assert driven.force() == pytest.approx([10, 0, 0])
    for model, expected in ((driven, [10, 50, 0]), (at_rest, [0, 50, 0])):
        model.system.apply_uniform_gravity(-10 * model.ground.y)
        assert model.force() == pytest.approx(expected)
    links = read_system(driven.system).links
    assert [link.body.name for link in links] == ["table", "tool", "rod"]
    assert read_system(at_rest.system).ground == (at_rest.ground, at_rest.table)


@pytest.mark.parametrize("order", ORDERS)
def test_tool_welded_to_a_particle(order):
    model = Welded(lambda ground: T**2 * ground.x, order, table=me.Particle("table", mass=100))
    assert model.force() == pytest.approx([10, 0, 0])


def test_particle_at_rest_without_a_connected_frame():
    ground, point, tool = rigid_body("ground"), me.Particle("point"), massive_body("tool")
    system = me.System.from_newtonian(ground)
    point.masscenter.set_pos(system.fixed_point, ground.x)
    system.add_joints(me.WeldJoint("weld", point, tool))
    refused(lambda: InverseDynamics(system), "system", TopologyError)


def test_weld_between_two_bodies_with_places_of_their_own():
    """What it transmits is not determined."""
    model = Welded(lambda ground: T**2 * ground.x, "table first")
    other = massive_body("other")
    other.masscenter.set_pos(model.system.fixed_point, T**2 * model.ground.x + model.ground.y)
    model.system.add_joints(me.WeldJoint("both", model.table, other, parent_point=model.table.y))
    refused(lambda: InverseDynamics(model.system), "system", TopologyError)


class Prescribed:
    """A turntable whose angle is given, with a slider and a bob that are not."""

    def __init__(self):
        self.ground = rigid_body("ground")
        moments = 0.1, 0.2, 0.3
        self.table = rigid_body("table", Symbol("table_mass"), *moments)
        self.slider = rigid_body("slider", Symbol("M"), *moments)
        self.bob = me.Particle("bob", mass=Symbol("m"))
        turn = me.PinJoint("turn", self.ground, self.table, joint_axis=self.ground.z)
        slide = me.PrismaticJoint("slide", self.table, self.slider, joint_axis=self.table.x)
        swing = me.PinJoint("swing", self.slider, self.bob, joint_axis=self.slider.y)
        self.joints = (turn, slide, swing)
        self.system = system_of(self.ground, turn, slide, swing)
        self.free = InverseDynamics(self.system)
        self.program = self.free.program()  # before the System changes
        (self.angle,), (self.rate,) = turn.coordinates, turn.speeds
        self.system.q_ind = list(slide.coordinates) + list(swing.coordinates)
        self.system.u_ind = list(slide.speeds) + list(swing.speeds)
        self.system.kdes = [*slide.kdes, *swing.kdes]


def test_joint_with_a_prescribed_coordinate():
    """Its wrench is the same; its coordinate and speed became specified quantities."""
    model = Prescribed()
    idyn = InverseDynamics(model.system)
    assert len(idyn.speeds) == 2
    assert model.angle.diff(T, 2) in idyn.specifieds
    assert not {model.rate, model.rate.diff(T)} & set(idyn.specifieds)
    numbers = np.random.default_rng(5)
    values = {s: numbers.uniform(0.4, 1.4) for group in model.free.inputs.values() for s in group}
    values[model.angle.diff(T)] = values[model.rate]
    values[model.angle.diff(T, 2)] = values[model.rate.diff(T)]
    whole, ours = run(model.program, values), run(idyn.program(), values)
    assert close(ours["joint_wrenches"], whole["joint_wrenches"])
    assert close(ours["generalized_forces"], whole["generalized_forces"][1:])
