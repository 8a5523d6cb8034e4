"""Wrenches in cross-sections of bodies: textbooks, bodies cut by hand, action and reaction."""

from itertools import pairwise

import numpy as np
import pytest
import sympy.physics.mechanics as me
from bodies import massive_body, rigid_body, system_of
from linkages import slider_crank
from marks import slow
from refusals import refusal, refused
from sympy import Rational, symbols

from jointwrench import InverseDynamics, Section


def test_tension_of_a_rod_that_spins():
    """N(x) = m w^2 (l^2 - x^2) / (2 l) at the distance x from the hub; bending by m' and w'."""
    m, l, x = symbols("m l x")
    ground, rod = rigid_body("ground"), rigid_body("rod", m, 0, m * l**2 / 12, m * l**2 / 12)
    hub = me.PinJoint("hub", ground, rod, child_point=-l / 2 * rod.x, joint_axis=ground.z)
    system = system_of(ground, hub)
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


STATE = np.array([[0.4, -0.7], [1.1, 0.6], [-0.5, 2.0]])


@pytest.mark.filterwarnings("ignore:the motion does not close the loops")  # anywhere
def test_what_is_open_is_nan_in_the_section_too():
    """A crank whose rod is cut: what two hinges transmit across the plane, nobody knows."""
    system, loop = slider_crank(2, 0)
    rod = loop.child
    rod.central_inertia = me.inertia(rod.frame, 0, Rational(2, 3), Rational(2, 3))
    sections = [
        Section.of_rod("towards the slide", rod, -rod.x, rod.x, Rational(1, 4), [loop]),
        Section.of_rod("towards the knee", rod, rod.x, -rod.x, Rational(3, 4), ["knee"]),
    ]
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
        self.system, self.pieces = me.System.from_newtonian(self.ground), []
        for start, end in pairwise(ends):
            share = end - start
            thin = mass * share * (LENGTH * share) ** 2 / 12
            moments = (share * AXIAL, share * WIDE[0] + thin, share * WIDE[1] + thin)
            piece = rigid_body(f"piece{start}", mass * share, *moments)
            self.pieces.append((piece, start, end))
        own, place = self.at(hinge)
        self.system.add_joints(
            me.PinJoint("hinge", self.ground, own, child_point=place, joint_axis=self.ground.z)
        )
        if cuts:
            pair = [piece for piece, _, _ in self.pieces]
            pair = pair if own is pair[0] else pair[::-1]
            points = [self.at(cuts[0], piece)[1] for piece in pair]
            self.weld = me.WeldJoint("weld", *pair, *points)
            self.system.add_joints(self.weld)

    def at(self, way, body=None):
        """Return the piece at some way along the bar, and the place there from its centre."""
        for piece, start, end in self.pieces:
            if body is piece or (body is None and (way < end or end == 1)):
                return piece, (way - (start + end) / Rational(2)) * LENGTH * piece.x
        raise ValueError(way)

    def carry(self, way):
        """Let a bob swing at some way along the bar, and a force push it between its ends."""
        bob = rigid_body("bob", 1, 0.1, 0.2, 0.3)
        piece, place = self.at(way)
        elbow = me.PinJoint("elbow", piece, bob, parent_point=place, child_point=bob.y)
        self.system.add_joints(elbow)
        piece, place = self.at(Rational(6, 10))
        push = me.Force(piece.masscenter.locatenew("push", place + piece.y / 10), 7 * self.ground.x)
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


def test_any_part_is_cut_from_the_rest():
    """By its mass and inertia, and by what is attached to it; the rest has the opposite wrench."""
    beam, cut = Beam(0), Rational(1, 2)
    beam.carry(Rational(9, 10))
    rod = beam.pieces[0][0]
    push, parts = beam.system.loads[0].location, [piece for piece, _, _ in Beam(0, [cut]).pieces]
    for part, place in zip(parts, (-rod.x / 2, rod.x / 2), strict=True):
        own = part.central_inertia.to_matrix(part.frame)
        center = rod.masscenter.locatenew(part.name, place)
        moments = me.inertia(rod.frame, *(own[k, k] for k in range(3)))
        part.frame, part.masscenter, part.inertia = rod.frame, center, (moments, center)
    far = Section("far", rod, 0 * rod.x, parts[1], ["elbow", push])
    near = Section("near", rod, 0 * rod.x, parts[0], ["hinge"])
    sections = [far, near, Section.of_rod("same", rod, -rod.x, rod.x, cut)]
    idyn = InverseDynamics(beam.system, sections=sections)
    far, near, same = idyn.compile("section_wrenches", backend="numpy")(*STATE).section_wrenches
    np.testing.assert_allclose(far, same, atol=1e-12)
    np.testing.assert_allclose(near, -same, atol=1e-12)


def test_what_moves_along_a_rod_counts_where_it_is():
    """The bending moment of a beam under a slider, by hand on both sides of it."""
    l, I = symbols("l I")
    ground, beam = rigid_body("ground"), rigid_body("beam", 0, 0, I, I)
    bead, end = rigid_body("bead", 2, 0, 0, 0), -l / 2 * beam.x
    clamp = me.WeldJoint("clamp", ground, beam, child_point=end)
    slide = me.PrismaticJoint("slide", beam, bead, parent_point=end, joint_axis=beam.x)
    system = system_of(ground, clamp, slide, gravity=-10 * ground.y)
    sections = Section.along_rod("s", beam, -l / 2 * beam.x, l / 2 * beam.x, 5)
    idyn = InverseDynamics(system, sections=sections)
    evaluate = idyn.compile("section_wrenches", backend="numpy")
    q, ways = np.linspace(0.05, 3.9, 12)[:, None], np.linspace(0, 4, 5)
    moments = evaluate(q, 0 * q, 0 * q, {l: 4.0, I: 1.0}).section_wrenches[..., 5]
    np.testing.assert_allclose(moments, 20 * np.clip(q - ways, 0, None), atol=1e-12)


def test_a_torque_has_no_place_unless_it_is_told():
    beam = Beam(0)
    rod = beam.pieces[0][0]
    beam.system.add_loads(me.Torque(rod.frame, 3 * rod.z))

    def moments(attached):
        sections = Section.along_rod("s", rod, -rod.x, rod.x, 3, attached)
        idyn = InverseDynamics(beam.system, sections=sections)
        evaluate = idyn.compile("section_wrenches", backend="numpy")
        return evaluate([0.0], [0.0], [0.0]).section_wrenches[:, 5]

    assert moments([rod.frame]) == pytest.approx([-3, -3, -3])
    assert moments([]) == pytest.approx([0, 0, 0])
    refused(lambda: moments(None), "attached")


def test_refuses_rods_that_are_none():
    thigh = rigid_body("thigh", 7, 0.01, 0.12, 0.12)
    refused(lambda: Section.along_rod("s", thigh, -0.186 * thigh.x, 0.244 * thigh.x), "start")
    refused(lambda: Section.of_rod("s", thigh, thigh.y, thigh.y, 0.5), "start")
    section = Section.of_rod("s", thigh, -thigh.x, thigh.x, 0.5)
    with refusal("body"):
        _ = section.part


# -- refusals ------------------------------------------------------------------------------------


def test_refuses_sections():
    beam, other = Beam(0), massive_body("other")
    beam.carry(1)
    rod = beam.pieces[0][0]
    part = me.Particle("part", rod.masscenter.locatenew("P", rod.x / 2), 1)
    given = "cut", rod, 0 * rod.x, part
    assert repr(Section(*given)) == "Section: cut  body: piece0"
    for attached in ([], [["knee"]]):
        cut = Section(*given, *attached)
        refused(lambda cut=cut: InverseDynamics(beam.system, sections=[cut]), "attached")
    strange = Section("cut", other, None, me.Particle("P", other.masscenter))
    refused(lambda: InverseDynamics(beam.system, sections=[strange]), "sections")
    refused(lambda: InverseDynamics(beam.system).program("section_wrenches"), "sections")
