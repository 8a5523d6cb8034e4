"""On which body each known load acts, and which part of them is gravity."""

import re
from random import Random

import numpy as np
import pytest
import sympy.physics.mechanics as me
from bodies import massive_body, rigid_body, system_of
from classical import forces_by_kane
from linkages import pin
from numeric import evaluate_matrix, run
from refusals import refusal, refused
from sympy import Float, ImmutableMatrix, Rational, Symbol, cos, nan, sin, symbols, sympify
from sympy.physics.mechanics.actuator import ActuatorBase

from jointwrench.forward.forward_dynamics import ForwardDynamics
from jointwrench.mechanics.mechanism.loads import AppliedLoad, VectorPart
from jointwrench.mechanics.mechanism.reading.system_reader import read_system
from jointwrench.mechanics.mechanism.tree import TopologyError
from jointwrench.mechanics.methods.inverse_dynamics import InverseDynamics
from jointwrench.mechanics.spatial.wrench import Wrench


class Pendulum:
    """Ground, an arm on a pin about z, a bob that slides on the arm along x."""

    def __init__(self):
        self.ground, self.arm, self.bob = (massive_body(name) for name in ("ground", "arm", "bob"))
        self.N = self.ground.frame
        self.pin = pin("pin", self.ground, self.arm, 0, -1)
        self.slider = me.PrismaticJoint("slider", self.arm, self.bob, joint_axis=self.arm.x)
        self.system = system_of(self.ground, self.pin, self.slider)

    def loads(self, *loads):
        self.system.add_loads(*loads)
        return read_system(self.system).assigned


@pytest.fixture
def model():
    return Pendulum()


#: Loads, and the number and the place of the body that they act on, if there is one.
OWNED = {  # a parent point and a child point of a pin coincide, yet each is of one body
    "parent point": (lambda m: me.Force(m.pin.parent_point, m.N.x), None, None),
    "child point": (lambda m: me.Force(m.pin.child_point, m.N.x), 0, [0, 0, 0]),
    "point": (
        lambda m: me.Force(m.bob.masscenter.locatenew("P", 2 * m.bob.y), m.N.x),
        1,
        [0, 2, 0],
    ),
    "body": (lambda m: me.Force(m.arm, m.N.x), 0, [1, 0, 0]),
    "on ground": (lambda m: me.Force(m.ground.masscenter.locatenew("P", m.N.y), m.N.x), None, None),
    "torque on ground": (lambda m: me.Torque(m.ground.frame, m.N.z), None, None),
    "frame": (
        lambda m: me.Torque(m.N.orientnew("F", "Axis", [Rational(1, 2), m.N.z]), m.N.z),
        None,
        None,
    ),
    "at a pin": (lambda m: me.TorqueActuator.at_pin_joint(Symbol("T"), m.pin), 0, None),
    "pathway": (
        lambda m: me.ForceActuator(
            Symbol("F"),
            me.LinearPathway(m.ground.masscenter.locatenew("P", m.N.y), m.bob.masscenter),
        ),
        1,
        [0, 0, 0],
    ),
}


@pytest.mark.parametrize("kind", OWNED)
def test_owners(model, kind):
    """The slider does not turn, so that only frames of its own belong to the bob."""
    make, link, place = OWNED[kind]
    load = make(model)
    is_actuator = isinstance(load, ActuatorBase)
    model.system.add_actuators(*[load] * is_actuator)
    applied = model.loads(*[load] * (not is_actuator)).applied
    assert [x.link for x in applied] == ([] if link is None else [link])
    if applied:
        position = applied[0].position
        assert (position and list(position)) == place
    if kind == "at a pin":
        assert applied[0].source.vector.dot(model.N.z) == Symbol("T")


class TestWeldedBodies:
    """A point that several welded bodies share is of the one from whose points it was located."""

    @pytest.mark.parametrize("start", ["bob", "tool", "tip"])
    def test_point(self, model, start):
        bodies = {"bob": model.bob, "tool": massive_body("tool"), "tip": massive_body("tip")}
        model.system.add_joints(
            me.WeldJoint("first", model.bob, bodies["tool"], parent_point=model.bob.x),
            me.WeldJoint("second", bodies["tip"], bodies["tool"], child_point=bodies["tool"].y),
        )
        body = bodies[start]
        near = body.masscenter.locatenew("near", body.y)
        (load,) = model.loads(me.Force(near.locatenew("P", 2 * model.bob.x), model.N.x)).applied
        assert read_system(model.system).links[load.link].body is body

    def test_point_of_a_joint(self, model):
        tool = massive_body("tool")
        weld = me.WeldJoint("weld", model.bob, tool, parent_point=model.bob.x, child_point=tool.y)
        model.system.add_joints(weld)
        on_bob, on_tool = (x.locatenew("P", tool.z) for x in (weld.parent_point, weld.child_point))
        loads = model.loads(me.Force(on_bob, model.N.x), me.Force(on_tool, model.N.x))
        assert [load.link for load in loads.applied] == [1, 2]

    def test_body_that_is_welded_to_ground(self, model):
        wall = massive_body("wall")
        model.system.add_joints(me.WeldJoint("weld", model.ground, wall))
        on_wall = wall.masscenter.locatenew("P", wall.x)
        on_ground = model.ground.masscenter.locatenew("P", wall.x)
        loads = model.loads(me.Force(on_wall, model.N.x), me.Force(on_ground, model.N.x))
        assert [read_system(model.system).links[k.link].body for k in loads.applied] == [wall]


def beside(body):
    """Return a massless body with the frame and the mass centre of another one."""
    point, x = body.masscenter, body.frame.x
    return me.RigidBody("massless", point, body.frame, 0, (0 * (x | x), point))


class TestBodiesInBodies:
    """A massless body beside another one, as symbrim makes them to join things to it."""

    def pendulums(self, is_massless):
        """Return two pins, the second one between the bodies or between massless ones."""
        ground, *bodies = rigid_body("ground"), *symbols("one two")
        one, two = (rigid_body(x.name, x, 0.1, 0.2, 0.3) for x in bodies)
        N, system = ground.frame, me.System.from_newtonian(ground)
        parent, child = (beside(body) if is_massless else body for body in (one, two))
        first = me.PinJoint("first", ground, one, child_point=one.y, joint_axis=N.z)
        options = {"parent_point": -parent.y, "child_point": child.y + child.x}
        system.add_joints(first, me.PinJoint("second", parent, child, joint_axis=one.x, **options))
        if is_massless:
            system.add_bodies(two)
        system.apply_uniform_gravity(-9 * N.y)
        system.add_loads(me.Force(two, 3 * N.x), me.Torque(two, N.y), me.Torque(one, 5 * N.z))
        return InverseDynamics(system)

    def test_they_are_welded(self):
        plain, massless = self.pendulums(False), self.pendulums(True)
        assert [body.name for body in massless.bodies] == ["one", "massless", "massless", "two"]
        known = ([x for group in idyn.inputs.values() for x in group] for idyn in (plain, massless))
        values = [{x: Random(str(x)).uniform(0.5, 1.5) for x in own} for own in known]
        expected, found = map(run, (plain.program(), massless.program()), values)
        for name, numbers in expected.items():
            assert found[name] == pytest.approx(numbers, rel=1e-10, abs=1e-10)

    def test_contributions_name_them(self):
        massless = self.pendulums(True)
        assert "body two" in massless.contributions("second")
        assert "body massless" in massless.contributions("first")

    def test_particle_on_a_body(self, model):
        tip = me.Particle("tip", model.bob.masscenter.locatenew("tip", 2 * model.bob.y), 3)
        model.system.add_bodies(tip)
        (load,) = model.loads(me.Force(tip.masscenter, model.N.x)).applied
        tree = read_system(model.system)
        assert tree.links[load.link].body is tip
        assert [link.joint for link in tree.links if link.body is tip] == [None]

    def test_beside_a_body_of_prescribed_motion(self):
        ground, base, arm = (massive_body(name) for name in ("ground", "base", "arm"))
        N, system = ground.frame, me.System.from_newtonian(ground)
        base.frame.orient_axis(N, N.z, me.dynamicsymbols("turn"))
        base.masscenter.set_pos(ground.masscenter, me.dynamicsymbols("rise") * N.y)
        hub = beside(base)
        system.add_bodies(base, hub)
        system.add_joints(me.PinJoint("pin", hub, arm, child_point=arm.x))
        tree = read_system(system)
        assert [link.body.name for link in tree.links] == ["base", "massless", "arm"]
        assert [link.inner for link in tree.links] == [None, 0, 1]

    def test_one_frame_in_two_places(self):
        """Bodies that slide past each other as functions of time are no welded ones."""
        ground = rigid_body("ground")
        system, frame = me.System.from_newtonian(ground), me.ReferenceFrame("F")
        frame.orient_axis(ground.frame, ground.z, me.dynamicsymbols("turn"))
        for place in me.dynamicsymbols("a b"):
            center = ground.masscenter.locatenew(f"C_{place.name}", place * frame.x)
            system.add_bodies(me.RigidBody(place.name, center, frame))
        assert [link.inner for link in read_system(system).links] == [None, None]


class TestGivenOwners:
    """``owners=`` settles what cannot be told; generalized forces alone need no word."""

    @pytest.fixture
    def muscle(self, model):
        """A muscle between a point on the axis of the pin and the bob."""
        axis = model.pin.child_point.locatenew("P", model.arm.z)
        model.muscle = me.ForceActuator(Symbol("F"), me.LinearPathway(axis, model.bob.masscenter))
        model.system.add_actuators(model.muscle)
        model.axis = axis
        return model

    def values(self, idyn, *outputs):
        symbols = [symbol for group in idyn.inputs.values() for symbol in group]
        return run(idyn.program(outputs), {x: Random(str(x)).uniform(0.5, 1.5) for x in symbols})

    def test_joint_wrenches_are_those_of_loads_on_the_body(self, muscle):
        system, loads = muscle.system, muscle.muscle.to_loads()
        bodies = muscle.ground, muscle.arm
        idyns = {x: InverseDynamics(system, owners={muscle.axis: x}) for x in bodies}
        owned = {x: self.values(idyn, "joint_wrenches") for x, idyn in idyns.items()}
        system.actuators = ()
        for body, found in owned.items():
            system.loads = ()
            for load, own in zip(loads, (body, muscle.bob), strict=True):
                system.add_loads(*Wrench(load.location, load.vector).to_loads(own))
            expected = self.values(InverseDynamics(system), "joint_wrenches")["joint_wrenches"]
            assert found["joint_wrenches"] == pytest.approx(expected, rel=1e-12)
        on_ground, on_arm = (x["joint_wrenches"] for x in owned.values())
        assert abs(on_ground - on_arm).max() > 0.1

    @pytest.mark.parametrize(
        "ask",
        [
            lambda idyn: idyn.joint_wrench("pin"),
            lambda idyn: idyn.constraint_wrench("pin"),
            lambda idyn: idyn.contributions("slider"),
            lambda idyn: idyn.compile(),
        ],
    )
    def test_joint_wrenches_need_an_owner(self, muscle, ask):
        idyn = InverseDynamics(muscle.system)
        refused(lambda: ask(idyn), "owners")

    def test_they_carry_what_could_be_of_several(self, model):
        """A force acts on the material point that is there; ground goes by its frame."""
        slide, frame = model.slider.coordinates[0], me.ReferenceFrame("F")
        frame.orient_axis(model.bob.frame, model.bob.x, Rational(1, 2))
        place = model.arm.masscenter.locatenew("P", slide**2 * model.arm.y)
        owners = {model.pin.child_point: model.N, place: model.arm, frame: model.bob}
        forces = (me.Force(point, model.N.x) for point in [*owners][:2])
        model.system.add_loads(*forces, me.Torque(frame, model.N.z))
        one, other = read_system(model.system, owners=owners).assigned.applied
        assert (one.link, one.position.T.tolist()) == (0, [[1, slide**2, 0]])
        assert other.link == 1

    def test_other_types_bodies_and_places(self, muscle):
        arm, tip = muscle.arm, muscle.pin.child_point
        for owners in ([arm], {"P": arm}, {tip: "arm"}):
            refused(lambda: InverseDynamics(muscle.system, owners=owners), "owners", TypeError)
        for owners in ({tip: massive_body("stray")}, {muscle.axis: arm, me.Point("Q"): arm}):
            refused(lambda: InverseDynamics(muscle.system, owners=owners), "owners")

    def test_place_without_a_path(self, model):
        stray = me.Point("stray")
        model.system.add_loads(me.Force(stray, model.N.x))
        with refusal("system", TopologyError):
            InverseDynamics(model.system, owners={stray: model.arm})

    def test_frame_that_turns_relative_to_a_particle(self, model):
        tip = me.Particle("tip")
        model.system.add_joints(me.PrismaticJoint("last", model.bob, tip))
        frame = me.ReferenceFrame("F")
        frame.orient_axis(model.N, model.N.x, model.slider.coordinates[0])
        model.system.add_loads(me.Torque(frame, model.N.z))
        refused(lambda: InverseDynamics(model.system, owners={frame: tip}), "system", TopologyError)


def test_places_that_could_be_of_several_bodies(model):
    """On an axis, located from two welded bodies, and a frame that turns with two bodies."""
    tool, on_axis = massive_body("tool"), model.pin.child_point.locatenew("P", model.arm.z)
    model.system.add_joints(me.WeldJoint("weld", model.bob, tool))
    shared = tool.masscenter.locatenew("Q", tool.y)
    shared.set_pos(model.bob.masscenter, tool.y)
    frame = model.bob.frame.orientnew("F", "Axis", [Rational(1, 2), model.bob.x])
    assert model.loads(me.Force(on_axis, 0 * model.N.x)).doubtful == {}
    loads = me.Force(on_axis, model.N.x), me.Force(shared, model.N.x), me.Torque(frame, model.N.z)
    told = {on_axis: ("ground", "arm"), shared: ("bob", "tool"), frame: ("arm", "bob", "tool")}
    assert model.loads(*loads).doubtful == told


def test_a_point_is_named_once(model):
    stray = me.Point("P")
    with refusal("system", TopologyError) as error:
        model.loads(*[me.Force(stray, k * model.N.x) for k in (1, 2, 3)])
    (problem,) = error.value.problems
    assert "the point P belongs to none" in problem


STRAY = {"no path": lambda m: me.Force(me.Point("P"), m.N.x)}
STRAY["no body"] = lambda m: me.Torque(me.ReferenceFrame("F"), m.N.z)


@pytest.mark.parametrize("load", STRAY.values(), ids=STRAY)
def test_loads_of_no_body(model, load):
    refused(lambda: model.loads(load(model)), "system", TopologyError)


def moving_force(m):
    place = m.arm.masscenter.locatenew("P", m.slider.coordinates[0] ** 2 * m.arm.y)
    return me.Force(place, m.N.x + 3 * m.arm.y)


def turning_torque(m):
    frame = me.ReferenceFrame("F")
    frame.orient_axis(m.arm.frame, m.slider.coordinates[0], m.arm.x)
    return me.Torque(frame, m.arm.x + 2 * m.N.z)


@pytest.mark.parametrize("load", [moving_force, turning_torque])
def test_loads_at_places_that_move_relative_to_all_bodies(model, load):
    """Generalized forces and accelerations are those of KanesMethod; joint wrenches ask."""
    added = load(model)
    model.system.add_loads(added, me.Force(model.bob, model.N.x))
    idyn, place = InverseDynamics(model.system), added.location
    model.system.form_eoms()
    kane = model.system.eom_method
    symbols_of_model = [*kane.q, *kane.u, *kane.u.diff(), *idyn.constants]
    values = {x: 0.3 + 0.1 * k for k, x in enumerate(symbols_of_model)}
    found = run(idyn.program("generalized_forces"), values)["generalized_forces"]
    assert found == pytest.approx(forces_by_kane(kane, values))
    forward = ForwardDynamics(model.system).program("udot")
    state = {**values, **dict(zip(kane.u.diff(), [0, 0], strict=True))}
    expected = np.linalg.solve(
        evaluate_matrix(kane.mass_matrix, values), evaluate_matrix(kane.forcing, values)
    )
    assert run(forward, state)["udot"] == pytest.approx(expected[:, 0])
    error = refused(lambda: idyn.program("joint_wrenches"), "owners")
    assert f"{place}: ground or arm or bob" in str(error)
    code = re.search(r"owners=(\{.*?\})", str(error))[1]
    known = {place.name: place, "bob": model.bob, "ground_frame": model.N}
    for owners in (eval(code, known), {place: model.N}):
        if isinstance(added, me.Force) or owners[place] is model.N:
            InverseDynamics(model.system, owners=owners).program("joint_wrenches")


def test_components_in_a_frame_without_connection(model):
    model.system.add_loads(me.Force(model.arm, me.ReferenceFrame("F").x))
    refused(lambda: InverseDynamics(model.system), "system")


def weight(body, factor=-9):
    """Return a body's weight, or a part of it."""
    return lambda m: me.Force(getattr(m, body), factor * getattr(m, body).mass * m.N.y)


def uniform(*gravities):
    """Return what lets these act on all bodies."""

    def loads(m):
        for vector in gravities:
            m.system.apply_uniform_gravity(vector(m))
        return me.Force(m.bob.masscenter, m.N.x)

    return loads


LIFT = me.dynamicsymbols("lift")

G, DOWN = Symbol("g"), [uniform(lambda m: -Symbol("g") * m.N.y)]

#: Masses of arm and bob, loads, what counts as gravity along y, and how many loads remain.
GRAVITY = {
    "uniform": ({}, DOWN, -G, 1),
    # 0.1 * 9.81 / 0.1 is not 9.81 to the last digit
    "floats": ({"arm": 0.1, "bob": 0.3}, [uniform(lambda m: -9.81 * m.N.y)], Float(-9.81), 1),
    # 1.0053 * g / 1.0053 is 1.0 * g, and others are a little less
    "a symbol": ({"arm": Symbol("m"), "bob": 1.0053}, DOWN, -G, 1),
    "a little less": ({"arm": 1.3619180129376942, "bob": 1.9200059410559793}, DOWN, -G, 1),
    "massless bodies need none": ({"arm": 0}, [weight("bob")], -9, 0),
    "weights that differ": ({}, [weight("arm"), weight("bob", -8)], None, 2),
    "a body without weight": ({}, [weight("arm")], None, 1),
    "no body with mass": ({"arm": 0, "bob": 0}, [], None, 0),
    # what is added to g may be a function of time, but not of the state
    "of a lift": ({}, [uniform(lambda m: -(G + LIFT) * m.N.y)], -G - LIFT, 1),
    "of the state": ({}, [uniform(lambda m: m.system.q[0] * m.N.x)], None, 3),
    "two that qualify": ({}, [uniform(lambda m: -9 * m.N.y, lambda m: G * m.N.x)], None, 5),
}


@pytest.mark.parametrize("kind", GRAVITY)
def test_gravity(model, kind):
    masses, loads, expected, count = GRAVITY[kind]
    for name, mass in masses.items():
        getattr(model, name).mass = sympify(mass)
    found = model.loads(*(load(model) for load in loads))
    assert (found.gravity and found.gravity.dot(model.N.y)) == expected
    assert len(found.applied) == count


def test_weight_given_twice_counts_twice(model):
    found = model.loads(weight("arm")(model), *[weight("bob")(model)] * 2)
    assert len(found.applied) + (2 if found.gravity is not None else 0) == 3


class TestForceOrGravity:
    """Any force on the only body's mass centre is its mass times something."""

    F, m, M, g, unknown, a = *symbols("F m M g U"), me.dynamicsymbols("a")
    #: Rounded masses: each times its reciprocal is 1.0 or 0.9999999999999999, which count as one.
    one, other = Float(1.3619180129376942), Float(1.9200059410559793)
    nearly = one * (1 + Float(2.0**-52))

    @pytest.mark.parametrize(
        ("carts", "expected"),
        [
            ([(m, m * g)], g),
            ([(m, -m * (g + a))], -g - a),
            ([(m + M, -g * (m + M))], -g),
            ([(m, F)], None),
            ([(m, F + m * g)], None),
            ([(m, a)], None),
            ([(2, 2 * g)], g),
            ([(2, -2 * g - 2 * a)], -g - a),
            ([(2, Float(-19.62))], Float(-9.81)),
            ([(2, F)], None),
            ([(2, F + 2 * g)], None),
            ([(1, F)], None),
            ([(Float(1.0), F)], None),
            ([(Float(1.0) + Float(2.0**-52), F)], None),
            ([(Float(1.0053), Float(1.0053) * g)], g),
            ([(Float(1.3), Float(1.3) * (g - a))], g - a),
            ([(2, 3 * g), (4, 6 * g)], 3 * g / 2),
            ([(2, F), (2, F)], None),
            ([(m, F), (M, F)], None),
            ([(2, unknown), (4, 2 * unknown)], None),
            ([(one, one * g), (other, other * g)], g),
            ([(other, -other * g), (m, -m * g), (one, -one * g)], -g),
            ([(m, m * g), (other, other * g * (1 + Float(1e-13)))], None),
            ([(one, F), (nearly, F)], None),
            ([(m, 9.81 * m), (one, 9.81 * one)], Float(9.81)),
        ],
    )
    def test_forces_along_rails(self, carts, expected):
        """Carts of such masses with such forces."""
        ground = rigid_body("ground")
        system = me.System.from_newtonian(ground)
        for k, (mass, force) in enumerate(carts):
            cart = rigid_body(f"cart{k}", mass)
            system.add_joints(me.PrismaticJoint(f"rail{k}", ground, cart))
            system.add_loads(me.Force(cart, force * ground.x))
        gravity = read_system(system, [self.unknown]).assigned.gravity
        assert (gravity and gravity.dot(ground.x)) == expected

    def test_cart_that_is_pushed(self):
        ground, cart = rigid_body("ground"), rigid_body("cart", self.m)
        system = system_of(ground, me.PrismaticJoint("rail", ground, cart))
        system.add_loads(me.Force(cart, self.F * ground.x))
        (u,) = system.u
        assert InverseDynamics(system, [self.F]).solved_loads == {self.F: self.m * u.diff()}
        system.apply_uniform_gravity(-self.g * ground.y)
        parts = InverseDynamics(system).contributions("rail")
        assert parts["gravity"].force.dot(ground.y) == self.m * self.g
        assert parts["gravity"].force.dot(ground.x) == 0


def test_symbols_of_expressions_with_shared_parts(model):
    """Pathways across several joints: more parts than a walk over each ever visits."""
    expression = Symbol("a")
    for _ in range(40):
        expression = sin(expression) + cos(expression)
    part = VectorPart(None, ImmutableMatrix.eye(3), ImmutableMatrix([expression, 0, 0]))
    assert AppliedLoad(me.Force(model.arm, model.N.x), 0, (part,), None).symbols == {Symbol("a")}


@pytest.mark.parametrize(
    ("loads", "error"),
    [
        (lambda m: None, TypeError),
        (lambda m: 3, TypeError),
        (lambda m: ["push"], TypeError),
        (lambda m: [(m.arm.masscenter, 3)], TypeError),
        (lambda m: [me.Force(m.arm, nan * m.N.x)], ValueError),
    ],
)
def test_actuators_that_return_no_loads_are_told(model, loads, error):
    class Strange(ActuatorBase):
        def to_loads(self):
            return loads(model)

    model.system.add_actuators(Strange())
    refused(lambda: InverseDynamics(model.system), "system", error)
