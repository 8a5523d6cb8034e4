"""Small closed models in any unit, at special poses, with light bodies and without mass."""

from itertools import pairwise

import numpy as np
import pytest
import sympy.physics.mechanics as me
from bodies import grounded, rigid_body
from linkages import closed, pin
from marks import slow
from refusals import refused
from sympy import Float, Integer, Symbol, symbols

from jointwrench import ForwardDynamics, InverseDynamics, LoopJoint

pytestmark = pytest.mark.usefixtures("numpy_by_default")


def body(name, mass=1, moments=(1, 1, 1)):
    return rigid_body(name, mass, *moments)


def slider_crank(crank, rod, mass=1, rod_mass=1):
    """Return a crank and a rod whose end stays on ground's x axis."""
    ground, system = grounded()
    first = body("crank", mass, (0, 0, mass * crank**2 / 12))
    second = body("rod", rod_mass, (0, 0, rod_mass * rod**2 / 12))
    system.add_joints(pin("J1", ground, first, 0, -crank / 2))
    system.add_joints(pin("J2", first, second, crank / 2, -rod / 2))
    loop = LoopJoint("L", ground, second, "point_on_line", child_point=rod / 2 * second.x)
    system.apply_uniform_gravity(-10 * ground.y)
    return closed(system, loop), loop


@pytest.mark.parametrize("mass", [1e-6, 1e-10, 1e-15])
def test_a_light_coupler_keeps_its_loop_closed(mass):
    """Two carts and a light block between them; a force of 1 on the first moves all alike."""
    ground, system = grounded()
    carts = body("A"), body("b", Float(mass)), body("B")
    for cart in carts:
        system.add_joints(me.PrismaticJoint(f"J{cart.name}", ground, cart, joint_axis=ground.x))
    pairs = enumerate(pairwise(carts))
    loops = [LoopJoint(f"L{k}", *x, "point_on_plane", joint_axis=x[0].x) for k, x in pairs]
    system.add_loads(me.Force(carts[0].masscenter, ground.x))
    found = ForwardDynamics(closed(system, *loops), loops=loops).compile(backend="numpy")(
        [0] * 3, [0] * 3
    )
    assert found.udot == pytest.approx(1 / (2 + mass), rel=1e-12)


@pytest.fixture(scope="module")
def massless_rod():
    r, l, m = symbols("r l m")
    system, loop = slider_crank(r, l, m, rod_mass=0)
    fdyn = ForwardDynamics(system, loops=[loop])
    return fdyn, fdyn.compile(backend="numpy"), (r, l, m)


@pytest.mark.parametrize(
    ("length", "mass"), [(1, 1), (1, 1e-12), (1e-3, 1e-9), (1e-6, 1e-15), (1e3, 1e6)]
)
def test_a_rod_without_mass(massless_rod, length, mass):
    """The crank falls as without it: m r^2/3 udot = -m g r/2 cos q."""
    fdyn, evaluate, symbols_ = massless_rod
    numbers = dict(zip(symbols_, (length, 2.5 * length, mass), strict=True))
    q, u, _ = fdyn.inverse.close_motion([0.6, -0.9], [1.3, 0], constants=numbers)
    expected = -15 * np.cos(0.6) / length
    assert evaluate(q, u, constants=numbers).udot[0] == pytest.approx(expected, rel=1e-11)


@pytest.mark.parametrize("radius", [*slow([1]), 4])
def test_a_redundant_mechanism_at_every_regular_pose(radius):
    """Elliptic trammel of masses 1, 1, 2: T = r^2/2 (5/3 + 8 sin^2 q) u^2, V = 15 r sin q."""
    r = Integer(radius)
    ground, system = grounded()
    crank, rod = body("crank", 1, (0, 0, r**2 / 12)), body("rod", 1, (0, 0, r**2 / 3))
    block = body("block", 2)
    slide = me.PrismaticJoint("J3", ground, block, joint_axis=ground.x)
    system.add_joints(pin("J1", ground, crank, 0, -r / 2), pin("J2", crank, rod, r / 2), slide)
    loops = [
        LoopJoint("A", block, rod, "spherical", child_point=r * rod.x),
        LoopJoint("B", ground, rod, "point_on_line", child_point=-r * rod.x, joint_axis=ground.y),
    ]
    system.apply_uniform_gravity(-10 * ground.y)
    fdyn = ForwardDynamics(closed(system, *loops), loops=loops)
    forward = fdyn.compile(["udot", "conditioning"], backend="numpy")
    inverse = fdyn.inverse.compile(["joint_wrenches", "unsupplied"], backend="numpy")
    for angle in (0.7, 1e-6, 0.0, np.pi / 2, np.pi):
        q = [angle, -2 * angle, 2 * radius * np.cos(angle)]
        u = [0.7, -1.4, -1.4 * radius * np.sin(angle)]
        found = forward(q, u)
        force = -4 * np.sin(2 * angle) * radius**2 * 0.49 - 15 * radius * np.cos(angle)
        expected = force / (radius**2 * (5 / 3 + 8 * np.sin(angle) ** 2))
        assert found.udot[0] == pytest.approx(expected, rel=1e-10, abs=1e-10)
        assert 0.1 < found.conditioning <= 1
        moved = -2 * radius * (np.cos(angle) * 0.49 + np.sin(angle) * expected)
        motion = inverse(q, u, [expected, -2 * expected, moved])
        assert np.isfinite(motion.joint_wrench("J1")[1])
        assert motion.unsupplied == pytest.approx(0, abs=1e-10)


@pytest.mark.parametrize("mass", [Symbol("m"), Float(1e-9)])
def test_a_thin_wire_is_regular(mass):
    ground, system = grounded()
    wire = body("wire", mass, (Float(1e-17), Float(2e-17), Float(2e-17)))
    system.add_joints(me.SphericalJoint("J", ground, wire, child_point=-Float(1e-4) * wire.x))
    system.apply_uniform_gravity(-10 * ground.y)
    evaluate = ForwardDynamics(system).compile(backend="numpy")
    constants = {mass: 1e-9} if mass.is_Symbol else {}
    assert np.isfinite(evaluate([0.1, 0.2, 0.3], [0.1, 0.2, 0.3], constants=constants).udot).all()


@pytest.fixture(scope="module")
def thrusters():
    """Two parallel thrusters on a body in a plane, of equal compliance."""
    m, moment = symbols("m I")
    loads = me.dynamicsymbols("f1 f2")
    ground, system = grounded()
    craft = body("craft", m, (moment,) * 3)
    system.add_joints(me.PlanarJoint("J", ground, craft))
    system.add_loads(*[me.Force(craft.masscenter, f * craft.y) for f in loads])
    idyn = InverseDynamics(system, solve_for=loads, actuated=(), redundancy=dict.fromkeys(loads, 3))
    outputs = ["solved_loads", "unsupplied", "conditioning"]
    evaluate = idyn.compile(outputs, constants={m: 1.0, moment: 1.0}, backend="numpy")
    return evaluate, craft, system.joints[0]


@pytest.mark.parametrize("angle", [0.0, 1e-12, 0.3, np.pi / 2, np.pi, 4.0])
def test_thrusters_share_at_every_heading(thrusters, angle):
    evaluate, craft, joint = thrusters
    along = [float(craft.y.dot(v).subs(joint.coordinates[0], angle)) for v in joint.planar_vectors]
    found = evaluate([angle, 0, 0], [0] * 3, [0, *(4 * np.array(along))])
    assert [float(x) for x in found.solved_loads.values()] == pytest.approx([2, 2])
    assert found.unsupplied == pytest.approx(0, abs=1e-12)
    reference = evaluate([0.3, 0, 0], [0] * 3, [0] * 3).conditioning
    assert found.conditioning == pytest.approx(reference, rel=1e-12)


class TestConditioning:
    def of_thrusters(self, heading):
        """Two thrusters across each other, one of them at an arm, and a torque."""
        forces = me.dynamicsymbols("f1:4")
        ground, system = grounded()
        craft = body("craft")
        system.add_joints(me.PlanarJoint("J", ground, craft))
        arm = craft.masscenter.locatenew("end", craft.y / 2)
        pushes = me.Force(arm, forces[0] * craft.z), me.Force(craft.masscenter, forces[1] * craft.y)
        system.add_loads(*pushes, me.Torque(craft.frame, forces[2] * craft.x))
        idyn = InverseDynamics(system, solve_for=forces, actuated=[], owners={arm: craft})
        evaluate = idyn.compile("conditioning", backend="numpy")
        return float(evaluate([heading, 0, 0], [0] * 3, [0] * 3).conditioning)

    def test_the_volume_in_the_metric_of_the_inverse_mass_matrix(self):
        """Columns (1, 0, r) and (0, 0, 1) for mass and inertia of one: sin of their angle."""
        expected = 1 / np.sqrt(1 + 0.25)
        for heading in (0.0, 0.4, np.pi / 2):
            assert self.of_thrusters(heading) == pytest.approx(expected)

    def test_a_light_body_that_carries_a_heavy_one(self):
        ground, system = grounded()
        light, heavy = body("light", Symbol("m")), body("heavy")
        first = me.PrismaticJoint("J1", ground, light, joint_axis=ground.x)
        system.add_joints(first, me.PrismaticJoint("J2", light, heavy, joint_axis=light.x))
        evaluate = ForwardDynamics(system).compile("conditioning", backend="numpy")
        for mass in (1.0, 1e-4, 1e-8):
            found = evaluate([0, 0], [0, 0], constants={Symbol("m"): mass}).conditioning
            assert found == pytest.approx(np.sqrt(mass / (1 + mass)))


class TestLoadsWithAccelerations:
    def test_of_a_particle_in_the_classical_form(self):
        """(m + a) udot = F for the force F - a udot."""
        q, u, force = me.dynamicsymbols("q u F")
        m, a = symbols("m a")
        frame, origin = me.ReferenceFrame("N"), me.Point("O")
        origin.set_vel(frame, 0)
        place = origin.locatenew("P", q * frame.x)
        place.set_vel(frame, u * frame.x)
        bead = me.Particle("b", place, m)
        load = (place, (force - a * u.diff()) * frame.x)
        kane = me.KanesMethod(frame, [q], [u], [q.diff() - u], bodies=[bead], forcelist=[load])
        fdyn = ForwardDynamics.from_kane(kane, [(frame, bead, origin)])
        found = fdyn.compile(backend="numpy", derivatives=[a])(
            [0.0], [0.0], constants={m: 2, a: 3}, specifieds={force: 10}
        )
        assert found.udot == pytest.approx(2)
        assert found.derivative("udot", a) == pytest.approx(-10 / 25)

    def carts(self, load):
        ground, system = grounded()
        carts = body("A", 2), body("B", 3)
        for cart in carts:
            system.add_joints(me.PrismaticJoint(f"J{cart.name}", ground, cart, joint_axis=ground.x))
        system.add_loads(me.Force(carts[0].masscenter, load(*system.u) * ground.x))
        system.add_loads(me.Force(carts[1].masscenter, ground.x))
        return system

    def test_of_another_body(self):
        """2 u1' = 10 - u2', 3 u2' = 1: the mass matrix is not symmetric."""
        fdyn = ForwardDynamics(self.carts(lambda u1, u2: 10 - u2.diff()))
        assert fdyn.mass_matrix.tolist() == [[2, 1], [0, 3]]
        found = fdyn.compile(backend="numpy")([0, 0], [0, 0]).udot
        assert found == pytest.approx([(10 - 1 / 3) / 2, 1 / 3])

    def test_of_another_body_with_trailers(self):
        """3 u1' = 10 - u2', 4 u2' = 1: nor are the equations of the trailers' forces symmetric."""
        system = self.carts(lambda u1, u2: 10 - u2.diff())
        ground = next(iter(system.joints)).parent
        for name in "CD":
            rail = me.PrismaticJoint(f"J{name}", ground, body(name), joint_axis=ground.x)
            system.add_joints(rail)
        q1, q2, q3, q4 = system.q
        system.add_holonomic_constraints(q3 - q1, q4 - q2)
        system.q_ind, system.q_dep = [q1, q2], [q3, q4]
        system.u_ind, system.u_dep = system.u[:2], system.u[2:]
        found = ForwardDynamics(system).compile(backend="numpy")(np.zeros(4), np.zeros(4)).udot
        assert found == pytest.approx([(10 - 1 / 4) / 3, 1 / 4] * 2)

    def test_that_are_not_linear(self):
        refused(lambda: ForwardDynamics(self.carts(lambda u1, u2: u1.diff() ** 2)), "system")
