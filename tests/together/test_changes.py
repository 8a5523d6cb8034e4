"""What was derived of a model is refused, all of it, once anything of the model has changed."""

import inspect
from itertools import product

import pytest
import sympy.physics.mechanics as me
from bodies import rigid_body, system_of
from linkages import slider_crank
from refusals import refusal, refused
from sympy import Symbol, cos

import jointwrench as jw

T = me.dynamicsymbols._t


class Swing:
    """A rod on a pin, with a force at a point of its own; ``X`` is not the rod's mass centre."""

    def __init__(self):
        self.ground, self.rod = rigid_body("ground"), rigid_body("rod", 2, 1, 2, 3)
        place = {"child_point": -self.rod.x, "joint_axis": self.ground.z}
        self.pin = me.PinJoint("pin", self.ground, self.rod, **place)
        self.q, self.u = self.pin.coordinates[0], self.pin.speeds[0]
        self.X = self.rod.masscenter.locatenew("X", 0.3 * self.rod.y)
        self.load = me.Force(self.X, 5 * self.ground.x)
        self.argument = "system"

    def made(self):
        system = system_of(self.ground, self.pin, gravity=-9 * self.ground.y)
        system.add_loads(self.load)
        half = jw.Section.of_rod("half", self.rod, -self.rod.x, self.rod.x, 0.5, attached=[])
        return jw.InverseDynamics(system, sections=[half]), jw.ForwardDynamics(system)


class ClassicalSwing(Swing):
    """The same made for KanesMethod: its points have velocities, too."""

    def __init__(self):
        super().__init__()
        self.argument, self.frame, self.fixed = "kane", self.ground.frame, me.Point("O")
        self.ground = me.RigidBody("ground", self.fixed, self.frame, 0, (me.Dyadic(0), self.fixed))
        rod, centre = me.ReferenceFrame("rod_frame"), self.fixed.locatenew("C", 0)
        rod.orient_axis(self.frame, self.q, self.frame.z)
        rod.set_ang_vel(self.frame, self.u * self.frame.z)
        self.fixed.set_vel(self.frame, 0)
        centre.set_pos(self.fixed, rod.x)
        centre.v2pt_theory(self.fixed, self.frame, rod)
        self.rod = me.RigidBody("rod", centre, rod, 2, (me.inertia(rod, 1, 2, 3), centre))
        self.X = centre.locatenew("X", 0.3 * rod.y)
        self.X.v2pt_theory(centre, self.frame, rod)
        self.load = (self.X, 5 * self.frame.x)

    def made(self):
        kdes = [self.q.diff(T) - self.u]
        loads = [self.load, (self.rod.masscenter, -18 * self.frame.y)]
        kane = me.KanesMethod(
            self.frame, [self.q], [self.u], kdes, bodies=[self.rod], forcelist=loads
        )
        connections = [(self.frame, self.rod, self.fixed)]
        makers = jw.InverseDynamics, jw.ForwardDynamics
        return [maker.from_kane(kane, connections) for maker in makers]


CHANGES = {
    "masses": lambda m: setattr(m.rod, "mass", 5),
    "inertias": lambda m: setattr(m.rod, "central_inertia", me.inertia(m.rod.frame, 3, 2, 1)),
    "mass centres": lambda m: setattr(m.rod, "masscenter", m.X),
    "frames": lambda m: setattr(m.rod, "frame", me.ReferenceFrame("other")),
    "positions": lambda m: m.X.set_pos(m.rod.masscenter, 2 * m.rod.x),
    "positions (of ": lambda m: m.rod.masscenter.set_pos(m.ground.masscenter, 3 * m.rod.x),
    "orientations": lambda m: m.rod.frame.orient_axis(m.ground.frame, m.ground.x, m.q),
    "angular velocities": lambda m: m.rod.frame.set_ang_vel(m.ground.frame, 3 * m.ground.x),
}
CLASSICAL = {"velocities": lambda m: m.rod.masscenter.set_vel(m.frame, m.u * m.rod.x)}

#: What is asked of a model: properties, and methods with what they are given.
DEFAULT = object()  # an output that the model has
ASKED = {
    **dict.fromkeys(("generalized_forces", "mass_matrix", "bias", "inertial_parameters")),
    **dict.fromkeys(("solved_loads", "undetermined")),
    **dict.fromkeys(("program", "count_ops", "compile", "kinematics", "check_unchanged"), ()),
    **dict.fromkeys(("formula", "rhs", "ode_function", "pydy_system"), ()),
    **dict.fromkeys(("center_of_mass", "momentum"), ()),
    **dict.fromkeys(("write_c", "write_casadi"), ("never_written.c",)),
    **{"derivative": (DEFAULT, "q"), "hessian": (DEFAULT, [1], "q"), "section_wrench": (0,)},
    **dict.fromkeys(("joint_wrench", "constraint_wrench", "dynamic_wrench"), ("rod",)),
    **dict.fromkeys(("contributions", "derivation", "orientation"), ("rod",)),
    **dict.fromkeys(("angular_velocity", "angular_acceleration", "angular_jacobian"), ("rod",)),
    **dict.fromkeys(("position", "velocity", "acceleration", "bias_acceleration"), ("X",)),
    **{"jacobian": ("X",), "angular_bias_acceleration": ("rod",)},
    **{"close_motion": ([0.1],), "linearize": ([0.1], [0])},
    **{"at_rest": ([0.1], [1]), "self_locking": ([0.1], [1]), "locked": ([0.1], [1], [0])},
    **{"simulate": ([0, 1], [0.1], [0]), "reactions": ([0, 1], [[0.1, 0]] * 2)},
}
#: What was read, and is told as it was read.
FACTS = {
    *("from_kane", "of_model", "model", "inverse", "default_outputs", "written_outputs"),
    *("system", "joints", "connections", "loops", "time", "frame", "bodies", "loads"),
    *("coordinates", "speeds", "accelerations", "constants", "specifieds", "inputs"),
    *("solve_for", "points", "frames"),
    *("q", "u", "holonomic_constraints", "nonholonomic_constraints"),
}
ELSEWHERE = {
    "Trajectory.from_formulas": lambda m, x: jw.Trajectory.from_formulas(x, {m.q: T}, [0, 1]),
    "crosscheck": lambda m, x: jw.crosscheck(x, {m.q: cos(T)}, [0, 1]),
    "identify": lambda m, x: jw.identification.identify(x, ([[0.1]], [[0.2]], [[0.3]]), [[1.0]]),
    "base_parameters": lambda m, x: jw.identification.base_parameters(x),
}


def ask(x, name):
    """Return a property, or what a method returns."""
    given = ASKED[name]
    if given is None:
        return getattr(x, name)
    return getattr(x, name)(*(x.default_outputs[0] if a is DEFAULT else a for a in given))


def answers(swing):
    """Return what answers questions about a model."""
    idyn, fdyn = swing.made()
    return idyn, fdyn, idyn.kinematics({"X": swing.X}, {"rod": swing.rod.frame})


@pytest.mark.parametrize("maker", [jw.InverseDynamics, jw.ForwardDynamics, jw.Kinematics])
def test_all_that_can_be_asked_is_known_here(maker):
    public = {name for name, _ in inspect.getmembers(maker) if not name.startswith("_")}
    assert public <= {*ASKED, *FACTS}


@pytest.mark.parametrize("make", [Swing, ClassicalSwing])
def test_whatever_is_asked_of_a_model_that_changed_is_refused(make):
    swing = make()
    asked = [(x, name) for x in answers(swing) for name in ASKED if hasattr(type(x), name)]
    known = [x.mass_matrix for x, name in asked if name == "mass_matrix"]  # also what is kept
    assert len(known) == 2
    swing.rod.masscenter = swing.X
    for x, name in asked:
        with refusal(swing.argument):
            ask(x, name)
    for call in ELSEWHERE.values():
        with refusal(swing.argument):
            call(swing, asked[0][0])
    for x in {id(x): x for x, _ in asked}.values():
        assert "rod" in repr(x) + x._repr_html_()


@pytest.mark.parametrize(
    ("make", "kind"), [*product((Swing, ClassicalSwing), CHANGES), (ClassicalSwing, "velocities")]
)
def test_every_change_is_seen(make, kind):
    swing = make()
    found = answers(swing)
    (CHANGES | CLASSICAL)[kind](swing)
    for x in found:
        with refusal(swing.argument):
            x.compile(backend="numpy")


@pytest.mark.parametrize("make", [Swing, ClassicalSwing])
def test_what_does_not_change_the_model(make):
    swing = make()
    own = swing.rod.masscenter.locatenew("own", 0.2 * swing.rod.z)
    aside = swing.rod.frame.orientnew("aside", "Axis", [0.2, swing.rod.x])
    found = answers(swing)
    idyn = found[0]
    own.set_pos(swing.rod.masscenter, 0.5 * aside.x)
    aside.orient_axis(swing.rod.frame, swing.rod.y, 0.1)
    marker = swing.rod.masscenter.locatenew("marker", 0.2 * swing.rod.z)
    marker.vel(idyn.frame), swing.X.vel(idyn.frame)
    rider = me.ReferenceFrame("rider")
    rider.orient_axis(swing.rod.frame, swing.rod.x, 0.3)
    marker.set_pos(swing.rod.masscenter, 0.1 * rider.x)
    swing.X.set_pos(swing.rod.masscenter, 0.3 * swing.rod.y)
    jw.Wrench(marker, idyn.frame.z, 0).about(swing.rod.masscenter)
    jw.crosscheck(idyn, {swing.q: cos(T)}, [0, 0.1])
    if idyn.system is not None:
        idyn.system.form_eoms()
        me.System.from_newtonian(swing.ground).add_joints(swing.pin)
    for x in found:
        x.compile(backend="numpy")


def test_a_loop_that_moved_is_seen():
    system, slider = slider_crank(1, 0)
    system.add_holonomic_constraints(*slider.holonomic_constraints)
    idyn = jw.InverseDynamics(system, loops=[slider])
    slider.child_point.set_pos(slider.child.masscenter, 2 * slider.child.x)
    refused(lambda: idyn.close_motion([0.1, 0.2]), "system")


def test_a_frame_of_a_load_that_turned_is_seen():
    swing = Swing()
    wind, angle = me.ReferenceFrame("wind"), Symbol("angle")
    wind.orient_axis(swing.ground.frame, swing.ground.z, angle)
    swing.load = me.Torque(swing.rod.frame, wind.x)
    idyn, _ = swing.made()
    wind.orient_axis(swing.ground.frame, swing.ground.x, angle)
    refused(lambda: idyn.compile(backend="numpy"), "system")


def test_properties_are_not_set():
    idyn, _ = Swing().made()
    with refusal("bias", AttributeError):
        idyn.bias = 0
