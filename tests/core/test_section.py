"""Wrenches in cross-sections of bodies: textbooks, bodies cut by hand, action and reaction."""

from itertools import pairwise

import numpy as np
import pytest
from bodies import massive_body, rigid_body
from marks import slow
from refusals import refusal, refused
from sympy import Rational, symbols
from sympy.physics.mechanics import (
    Force,
    Particle,
    PinJoint,
    PrismaticJoint,
    RigidBody,
    System,
    Torque,
    WeldJoint,
    inertia,
)

from jointwrench import InverseDynamics, LoopJoint, Section


def rigid(name, mass, *moments):
    """Return a body with ground's or its own frame and central moments of inertia."""
    body = rigid_body(name, mass)
    body.central_inertia = inertia(body.frame, *moments)
    return body


def test_tension_of_a_rod_that_spins():
    """N(x) = m w^2 (l^2 - x^2) / (2 l) at the distance x from the hub; bending by m' and w'."""
    m, l, x = symbols("m l x")
    ground, rod = rigid_body("ground"), rigid("rod", m, 0, m * l**2 / 12, m * l**2 / 12)
    system = System.from_newtonian(ground)
    system.add_joints(PinJoint("hub", ground, rod, child_point=-l / 2 * rod.x, joint_axis=ground.z))
    ends = -l / 2 * rod.x, l / 2 * rod.x
    section = Section.of_rod("cut", rod, *ends, x / l)
    idyn = InverseDynamics(system, sections=[section])
    wrench, (w,), (al,) = idyn.section_wrench(section), idyn.speeds, idyn.accelerations
    assert wrench.point is section.point
    force, moment = wrench.force.to_matrix(rod.frame), wrench.moment.to_matrix(rod.frame)
    assert (force[0] + m * w**2 * (l**2 - x**2) / (2 * l)).simplify() == 0
    assert (force[1] - m * al * (l**2 - x**2) / (2 * l)).simplify() == 0
    # the integral of m / l (s - x) s al from x to l
    assert (moment[2] - m * al / l * (l**3 / 3 - x * l**2 / 2 + x**3 / 6)).simplify() == 0
    names = ("section_wrenches", "joint_wrenches")
    evaluate = idyn.compile(names, backend="numpy")
    at_hub = evaluate([0.3], [2.0], [0.7], constants={m: 2.0, l: 1.5, x: 0.0})
    np.testing.assert_allclose(
        at_hub.section_wrenches[:, :3], at_hub.joint_wrenches[:, :3], atol=1e-14
    )
    np.testing.assert_allclose(at_hub.section_wrenches[0, 5], 2 * 1.5**2 / 3 * 0.7)


class Arm:
    """Two links in space with loads; the upper one is one body, or two that are welded."""

    def __init__(self, is_cut):
        ground, self.fore = rigid_body("ground"), rigid("fore", 1.1, 0.1, 0.2, 0.3)
        system = System.from_newtonian(ground)
        near, far = rigid("near", 2, 0.2, 0.5, 0.4), rigid("far", 3, 0.3, 0.6, 0.7)
        places = Rational(1, 5), Rational(4, 5)  # of the mass centres, from the shoulder
        if is_cut:
            self.upper = near
            self.weld = WeldJoint(
                "weld", near, far, parent_point=near.x * 3 / 10, child_point=-far.x * 3 / 10
            )
            system.add_joints(self.weld)
            self.part, root, x, y, z = far, near, far.x, far.y, far.z
            self.base, self.carrier = near.masscenter, far
        else:
            self.upper = upper = rigid_body("upper", 5)
            center = places[0] * 2 / 5 + places[1] * 3 / 5
            arms = [place - center for place in places]
            whole = inertia(
                upper.frame,
                Rational(1, 2),
                Rational(11, 10) + 2 * arms[0] ** 2 + 3 * arms[1] ** 2,
                Rational(11, 10) + 2 * arms[0] ** 2 + 3 * arms[1] ** 2,
            )
            upper.central_inertia = whole
            x, y, z = upper.x, upper.y, upper.z
            self.rest, self.part = (
                self.part_of(name, arm, mass, *(Rational(moment, 10) for moment in moments))
                for name, arm, mass, moments in (
                    ("near", arms[0], 2, (2, 5, 4)),
                    ("far", arms[1], 3, (3, 6, 7)),
                )
            )
            self.base, self.carrier, root = self.rest.masscenter, upper, upper
        shoulder = PinJoint(
            "shoulder",
            ground,
            root,
            child_point=self.base.locatenew("hinge", -places[0] * x),
            joint_axis=ground.y + ground.z,
        )
        elbow_point = self.part.masscenter.locatenew("elbow point", x / 5 + y / 10)
        elbow = PinJoint(
            "elbow",
            self.carrier,
            self.fore,
            parent_point=elbow_point,
            child_point=-self.fore.x / 5,
        )
        system.add_joints(shoulder, elbow)
        self.tip = self.part.masscenter.locatenew("grip", x / 10 + z / 5)
        self.tip.set_vel(self.carrier.frame, 0)
        system.add_loads(Force(self.tip, 3 * ground.x - 2 * y), Torque(self.carrier.frame, 4 * z))
        system.apply_uniform_gravity(-10 * ground.z)
        self.system, self.cut = system, self.base.locatenew("cut", Rational(3, 10) * x)

    def part_of(self, name, arm, mass, *moments):
        """Return a part of the upper link as a body in the link's frame."""
        frame = self.upper.frame
        center = self.upper.masscenter.locatenew(f"{name} center", arm * frame.x)
        return RigidBody(f"{name} part", center, frame, mass, (inertia(frame, *moments), center))

    def inverse_dynamics(self, **options):
        return InverseDynamics(self.system, **options)


STATE = np.array([[0.4, -0.7], [1.1, 0.6], [-0.5, 2.0]])


def test_body_cut_by_hand():
    """The inertia of the whole body is that of its two parts, welded to each other."""
    by_hand, arm = Arm(True), Arm(False)
    load = arm.system.loads[0].location
    section = Section("cut", arm.upper, arm.cut, arm.part, ["elbow", load, arm.upper.frame])
    rest = Section("rest", arm.upper, arm.cut, arm.rest, [arm.system.joints[0]])
    evaluate = arm.inverse_dynamics(sections=[section, rest]).compile(
        ("section_wrenches", "joint_wrenches"), backend="numpy", derivatives="q"
    )
    expected = by_hand.inverse_dynamics().compile("joint_wrenches", backend="numpy")(*STATE)
    result = evaluate(*STATE)
    np.testing.assert_allclose(
        result.joint_wrench("elbow"), expected.joint_wrench("elbow"), rtol=1e-12
    )
    on_far = expected.joint_wrench("weld", about=by_hand.cut)
    np.testing.assert_allclose(result.section_wrenches[0], on_far, rtol=1e-12)
    np.testing.assert_allclose(result.section_wrenches[1], -on_far, rtol=1e-12)
    slopes = result.derivative("section_wrenches", "q")[0, :, 0]
    steps = np.array([[1e-6, 0], [-1e-6, 0]])
    ahead, behind = (evaluate(STATE[0] + step, *STATE[1:]).section_wrenches[0] for step in steps)
    np.testing.assert_allclose(slopes, (ahead - behind) / 2e-6, rtol=1e-6, atol=1e-6)


@pytest.mark.filterwarnings("ignore:the motion does not close the loops")  # anywhere
def test_what_is_open_is_nan_in_the_section_too():
    """A crank whose rod is cut: what two hinges transmit across the plane, nobody knows."""
    ground, crank, rod = (
        rigid_body("ground"),
        rigid("crank", 1, 0, 1, 1),
        rigid("rod", 2, 0, 1, 1),
    )
    system = System.from_newtonian(ground)
    system.add_joints(
        PinJoint("main", ground, crank, child_point=-crank.x, joint_axis=ground.z),
        PinJoint(
            "knee", crank, rod, parent_point=crank.x, child_point=-2 * rod.x, joint_axis=crank.z
        ),
    )
    loop = LoopJoint("slide", ground, rod, "point_on_line", child_point=2 * rod.x)
    ends = -2 * rod.x, 2 * rod.x
    sections = [
        Section.of_rod("towards the slide", rod, *ends, Rational(1, 4), [loop]),
        Section.of_rod("towards the knee", rod, *ends[::-1], Rational(3, 4), ["knee"]),
    ]
    rod.central_inertia = inertia(rod.frame, 0, Rational(8, 3), Rational(8, 3))
    idyn = InverseDynamics(system, loops=[loop], sections=sections, actuated=system.u[:1])
    result = idyn.compile("section_wrenches", backend="numpy")([0.5, -0.7], [0.3, 0.2], [1, 2])
    one, other = result.section_wrenches
    assert np.isnan(one).tolist() == [False, False, True, False, True, False]
    np.testing.assert_allclose(one, -other, rtol=1e-12)


# -- uniform rods ----------------------------------------------------------------------------------

LENGTH, AXIAL, WIDE = 2, Rational(1, 10), (Rational(1, 25), Rational(3, 50))


class Beam:
    """A bar in space on a pin at some way along it, in one piece or welded of two."""

    def __init__(self, hinge, cuts=(), mass=5):
        self.ground, ends = rigid_body("ground"), [0, *cuts, 1]
        self.system, self.pieces = System.from_newtonian(self.ground), []
        for start, end in pairwise(ends):
            share = end - start
            thin = mass * share * (LENGTH * share) ** 2 / 12
            moments = (share * AXIAL, share * WIDE[0] + thin, share * WIDE[1] + thin)
            piece = rigid(f"piece{start}", mass * share, *moments)
            self.pieces.append((piece, start, end))
        own, place = self.at(hinge)
        self.system.add_joints(
            PinJoint("hinge", self.ground, own, child_point=place, joint_axis=self.ground.z)
        )
        if cuts:
            pair = [piece for piece, _, _ in self.pieces]
            pair = pair if own is pair[0] else pair[::-1]
            points = [self.at(cuts[0], piece)[1] for piece in pair]
            self.weld = WeldJoint("weld", *pair, *points)
            self.system.add_joints(self.weld)

    def at(self, way, body=None):
        """Return the piece at some way along the bar, and the place there from its centre."""
        for piece, start, end in self.pieces:
            if body is piece or (body is None and (way < end or end == 1)):
                return piece, (way - (start + end) / Rational(2)) * LENGTH * piece.x
        raise ValueError(way)

    def carry(self, way):
        """Let a bob swing at some way along the bar, and a force push it between its ends."""
        bob = rigid("bob", 1, 0.1, 0.2, 0.3)
        piece, place = self.at(way)
        elbow = PinJoint("elbow", piece, bob, parent_point=place, child_point=bob.y)
        self.system.add_joints(elbow)
        piece, place = self.at(Rational(6, 10))
        push = Force(piece.masscenter.locatenew("push", place + piece.y / 10), 7 * self.ground.x)
        self.system.add_loads(push)
        self.system.apply_uniform_gravity(-10 * self.ground.y)
        return elbow


@pytest.mark.parametrize("cut", [Rational(7, 10), *slow([Rational(1, 5), Rational(19, 20)])])
@pytest.mark.parametrize("hinge", [*slow([0]), Rational(2, 5), *slow([1])])
def test_a_section_is_the_weld_of_the_rod_cut_in_two(hinge, cut):
    """Joints and loads count where they stand, also the joint that leads to ground."""
    whole, halves = Beam(hinge), Beam(hinge, [cut])
    for beam in (whole, halves):
        beam.carry(Rational(9, 10))
    rod = whole.pieces[0][0]
    section = Section.of_rod("cut", rod, -rod.x, rod.x, cut)
    outputs = ["section_wrenches", "joint_wrenches"]
    evaluate = InverseDynamics(whole.system, sections=[section]).compile(outputs, backend="numpy")
    expected = InverseDynamics(halves.system).compile("joint_wrenches", backend="numpy")(*STATE)
    on_child = expected.joint_wrench("weld")
    found = evaluate(*STATE).section_wrenches[0]
    np.testing.assert_allclose(found, on_child if hinge < cut else -on_child, atol=1e-12)


def test_sections_at_joints_have_their_wrenches():
    beam = Beam(0)
    rod, elbow = beam.pieces[0][0], beam.carry(1)
    sections = Section.along_rod("s", rod, -rod.x, rod.x, 3)
    outputs = ["section_wrenches", "joint_wrenches"]
    idyn = InverseDynamics(beam.system, sections=sections)
    result = idyn.compile(outputs, backend="numpy")(*STATE)
    np.testing.assert_allclose(result.section_wrenches[0], result.joint_wrench("hinge"), atol=1e-12)
    at_end = result.joint_wrench("elbow", about=elbow.parent_point, frame=rod.frame)
    np.testing.assert_allclose(result.section_wrenches[2], at_end, atol=1e-12)


def test_what_moves_along_a_rod_counts_where_it_is():
    """The bending moment of a beam under a slider, by hand on both sides of it."""
    ground, beam, bead = rigid_body("ground"), rigid("beam", 0, 0, 1, 1), rigid("bead", 2, 0, 0, 0)
    system, l = System.from_newtonian(ground), symbols("l")
    system.add_joints(
        WeldJoint("clamp", ground, beam, child_point=-l / 2 * beam.x),
        PrismaticJoint("slide", beam, bead, parent_point=-l / 2 * beam.x, joint_axis=beam.x),
    )
    system.apply_uniform_gravity(-10 * ground.y)
    beam.central_inertia = inertia(beam.frame, 0, symbols("I"), symbols("I"))
    sections = Section.along_rod("s", beam, -l / 2 * beam.x, l / 2 * beam.x, 5)
    idyn = InverseDynamics(system, sections=sections)
    evaluate = idyn.compile("section_wrenches", backend="numpy")
    q, ways = np.linspace(0.05, 3.9, 12)[:, None], np.linspace(0, 4, 5)
    moments = evaluate(q, 0 * q, 0 * q, {l: 4.0, symbols("I"): 1.0}).section_wrenches[..., 5]
    np.testing.assert_allclose(moments, 20 * np.clip(q - ways, 0, None), atol=1e-12)


def test_a_torque_has_no_place_unless_it_is_told():
    beam = Beam(0)
    rod = beam.pieces[0][0]
    beam.system.add_loads(Torque(rod.frame, 3 * rod.z))

    def moments(attached):
        sections = Section.along_rod("s", rod, -rod.x, rod.x, 3, attached)
        idyn = InverseDynamics(beam.system, sections=sections)
        evaluate = idyn.compile("section_wrenches", backend="numpy")
        return evaluate([0.0], [0.0], [0.0]).section_wrenches[:, 5]

    assert moments([rod.frame]) == pytest.approx([-3, -3, -3])
    assert moments([]) == pytest.approx([0, 0, 0])
    refused(lambda: moments(None), "attached")


def test_refuses_rods_that_are_none():
    thigh = rigid("thigh", 7, 0.01, 0.12, 0.12)
    refused(lambda: Section.along_rod("s", thigh, -0.186 * thigh.x, 0.244 * thigh.x), "start")
    refused(lambda: Section.of_rod("s", thigh, thigh.y, thigh.y, 0.5), "start")
    section = Section.of_rod("s", thigh, -thigh.x, thigh.x, 0.5)
    with refusal("body"):
        _ = section.part


# -- refusals ------------------------------------------------------------------------------------


@pytest.fixture
def arm():
    return Arm(False)


def test_how_a_section_is_shown(arm):
    assert repr(Section("cut", arm.upper, arm.cut, arm.part)) == "Section: cut  body: upper"


def test_refuses_what_is_not_attached(arm):
    given = "cut", arm.upper, arm.cut, arm.part
    refused(lambda: arm.inverse_dynamics(sections=[Section(*given)]), "attached")
    refused(lambda: arm.inverse_dynamics(sections=[Section(*given, ["knee"])]), "attached")


def test_refuses_sections(arm):
    other = massive_body("other")
    strange = Section("cut", other, None, Particle("P", other.masscenter))
    refused(lambda: arm.inverse_dynamics(sections=[strange]), "sections")
    idyn = arm.inverse_dynamics()
    refused(lambda: idyn.program("section_wrenches"), "sections")
