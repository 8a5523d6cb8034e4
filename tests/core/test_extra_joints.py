"""QuaternionJoint, FreeJoint, CoupledJoint: kinematics, Kane's method, inverse dynamics, chains."""

from functools import cache
from itertools import pairwise

import numpy as np
import pytest
import sympy.physics.mechanics as me
from bodies import rigid_body, system_of
from marks import slow
from numeric import run
from refusals import refused
from sympy import Matrix, Piecewise, cos, simplify, sin, zeros
from tables import state

from jointwrench import crosscheck
from jointwrench.mechanics.adapters.private_sympy import stated_angular_velocities
from jointwrench.mechanics.methods.inverse_dynamics import InverseDynamics
from jointwrench.models.coupled_joint import CoupledJoint
from jointwrench.models.free_joint import FreeJoint
from jointwrench.models.quaternion_joint import QuaternionJoint
from jointwrench.models.serial_chain import Segment, SerialChain

pytestmark = pytest.mark.filterwarnings("error")

T = me.dynamicsymbols._t
SEVEN = me.dynamicsymbols("a:7")
KNEE = (sin(SEVEN[0]) / 5, Piecewise((SEVEN[0] ** 3, SEVEN[0] < 0), (-(SEVEN[0] ** 3), True)), 0)
COUPLED = (SEVEN[1] * sin(SEVEN[0]), SEVEN[1] ** 2 / 2, cos(SEVEN[0]) - SEVEN[1])
TURNS = [(SEVEN[0] - SEVEN[1], (1, -2, 0.5)), (SEVEN[1] ** 2 + 1, "y"), (sin(SEVEN[0]), "x")]
TENSOR = (2.1, 2.3, 2.6, 0.11, -0.07, 0.05)
KINDS = {
    "quaternion": lambda *a, **k: FreeJoint(*a, **k, rotation="quaternion"),
    "knee": lambda *a, **k: CoupledJoint(
        *a, **k, coordinates=SEVEN[0], translation=KNEE, rotations=[(SEVEN[0], "z")]
    ),
    "coupled": lambda *a, **k: CoupledJoint(
        *a, **k, coordinates=SEVEN[:2], translation=COUPLED, rotations=TURNS
    ),
}


def body(name, mass=1.5):
    """Return a body with a full inertia tensor."""
    return rigid_body(name, mass, *TENSOR)


def turned(frame, name, angle):
    """Return a frame that is fixed in another."""
    return frame.orientnew(name, "Axis", [angle, frame.x + 2 * frame.y - frame.z])


def general_system(kind):
    """Return the System of a body on a joint with offsets, under gravity; and the joint."""
    ground, moving = rigid_body("ground"), body("A")
    joint = KINDS[kind](
        "J",
        ground,
        moving,
        parent_point=0.3 * ground.x - 0.2 * ground.z,
        child_point=0.1 * moving.y + 0.4 * moving.z,
        parent_interframe=turned(ground.frame, "P", 0.7),
        child_interframe=turned(moving.frame, "C", -1.1),
    )
    system = system_of(ground, joint)
    system.add_loads(me.Force(moving, moving.mass * (2 * ground.x - 9 * ground.y)))
    return system, joint


@cache
def general_model(kind):
    """Return the InverseDynamics of such a system, and the joint."""
    system, joint = general_system(kind)
    return InverseDynamics(system), joint


def random_state(model, seed=1, count=4):
    """Return q (count, n_q), u and udot (count, n), of a System or of a joint."""
    numbers, is_system = np.random.default_rng(seed), isinstance(model, me.System)
    q, u = (model.q, model.u) if is_system else (model.coordinates, model.speeds)
    widths = len(q), len(u), len(u)
    return [numbers.uniform(-1, 1, (count, width)) for width in widths]


def ours(model, q, u, udot, outputs=("generalized_forces", "joint_wrenches")):
    """Return a result, of a System or of its InverseDynamics."""
    idyn = InverseDynamics(model) if isinstance(model, me.System) else model
    return idyn.compile(outputs, backend="numpy")(q, u, udot)


def numbers(matrix, joint, q, u):
    """Return a matrix as an array at a state of one joint."""
    values = dict(zip([*joint.coordinates, *joint.speeds], [*q, *u], strict=True))
    return np.array(Matrix(matrix).xreplace(values).evalf(), dtype=float)


# -- kinematics -----------------------------------------------------------------


def test_free_joint_with_angles_turns_as_the_spherical_joint():
    parent, child, other = (rigid_body(name) for name in "PCO")
    free = FreeJoint("J", parent, child, rot_order="313")
    ball = me.SphericalJoint(
        "B", parent, other, free.rotation_coordinates, free.rotation_speeds, rot_order="313"
    )
    assert ball.coordinates == free.coordinates[3:, :]
    assert child.frame.dcm(parent.frame) == other.frame.dcm(parent.frame)
    difference = child.frame.ang_vel_in(parent.frame).to_matrix(child.frame)
    difference -= other.frame.ang_vel_in(parent.frame).to_matrix(other.frame)
    assert simplify(difference) == zeros(3, 1)


def test_free_joint_slides_along_the_parents_interframe():
    parent, child = rigid_body("P"), rigid_body("C")
    frame = turned(parent.frame, "F", 1)
    joint = FreeJoint("J", parent, child, parent_interframe=frame, child_point=2 * child.y)
    position = joint.child_point.pos_from(parent.masscenter)
    assert position.to_matrix(frame) == joint.translation_coordinates
    assert joint.child_point.vel(parent.frame).to_matrix(frame) == joint.translation_speeds
    assert joint.child_point.vel(child.frame) == joint.parent_point.vel(parent.frame) == 0


# -- arguments ------------------------------------------------------------------


def test_names():
    parent, child = rigid_body("P"), rigid_body("C")
    ball = QuaternionJoint("J", parent, child)
    assert repr(ball) == "QuaternionJoint: J  parent: P  child: C"
    assert [str(q) for q in ball.coordinates] == [f"q{k}_J(t)" for k in range(4)]
    assert [str(u) for u in ball.speeds] == [f"u{k}_J(t)" for k in range(3)]
    free = FreeJoint("K", parent, rigid_body("D"))
    assert repr(free) == "FreeJoint: K  parent: P  child: D"
    assert (free.rotation, free.coordinates.shape, free.speeds.shape) == ("angles", (6, 1), (6, 1))
    other = FreeJoint("L", parent, rigid_body("E"), rotation="quaternion")
    assert (other.rotation, other.coordinates.shape) == ("quaternion", (7, 1))
    assert other.kdes.shape == (7, 1)


def test_given_coordinates_and_speeds():
    a, b, d, w1, w2, w3 = me.dynamicsymbols("a b d w1:4")
    joint = QuaternionJoint("J", rigid_body("P"), rigid_body("C"), [a, b, None, d], (w1, w2, w3))
    assert list(joint.coordinates) == [a, b, me.dynamicsymbols("q2_J"), d]
    assert list(joint.speeds) == [w1, w2, w3]
    assert joint.kdes[0].coeff(w1) == b / 2
    free = FreeJoint("K", rigid_body("P"), rigid_body("C"), speeds=[w1, w2, w3, None, None, a])
    assert free.speeds[0] == w1
    assert free.speeds[5] == a


@pytest.mark.parametrize(
    ("options", "error", "argument"),
    [
        ({"translation": [1, 2]}, ValueError, "translation"),
        ({"translation": 3}, TypeError, "translation"),
        ({"translation": [SEVEN[0].diff(T), 0, 0]}, ValueError, "translation"),
        ({"translation": ["q", 0, 0]}, TypeError, "translation"),
        ({"rotations": [SEVEN[0]]}, TypeError, "rotations"),
        ({"rotations": [(SEVEN[0],)]}, ValueError, "rotations"),
        ({"rotations": [(SEVEN[0], "w")]}, ValueError, "rotations"),
        ({"rotations": [(1, (1, SEVEN[0], 0))]}, ValueError, "rotations"),
        ({"rotations": [(1, (0, 0))]}, ValueError, "rotations"),
        ({"rotations": [(1, (0, 0, 0))]}, ValueError, "rotations"),
        ({"translation": [1], "rotations": 1}, TypeError, "translation"),
        ({"speeds": SEVEN}, ValueError, "speeds"),
        ({"coordinates": 3}, TypeError, "coordinates"),
    ],
)
def test_bad_formulas_of_a_coupled_joint(options, error, argument):
    options = {"coordinates": SEVEN[0], **options}
    refused(lambda: CoupledJoint("J", rigid_body("P"), rigid_body("C"), **options), argument, error)


def test_a_bead_on_a_wire():
    """A particle on the parabola y = x^2 / 2: the generalized force is by Lagrange."""
    x, u = me.dynamicsymbols("x u")
    ground, bead = rigid_body("ground"), me.Particle("bead", mass=2)
    wire = CoupledJoint("wire", ground, bead, x, u, translation=[x, x**2 / 2, 0])
    assert repr(wire) == "CoupledJoint: wire  parent: ground  child: bead"
    assert wire.kdes[0] in (u - x.diff(T), x.diff(T) - u)
    system = system_of(ground, wire, gravity=-10 * ground.y)
    (force,) = InverseDynamics(system).generalized_forces
    expected = 2 * (1 + x**2) * u.diff(T) + 2 * x * u**2 + 20 * x
    assert (force - expected).expand() == 0


def test_without_coordinates_a_name_may_have_blanks():
    joint = CoupledJoint("to the (left)", *map(rigid_body, "PC"), translation=[SEVEN[0], 0, 0])
    assert not joint.coordinates


def test_coordinates_of_other_joints_move_a_coupled_joint():
    """A bead that a crank drives along a line: the crank's torque holds it."""
    q, u = me.dynamicsymbols("q u")
    ground, crank, bead = rigid_body("ground"), body("crank"), me.Particle("bead", mass=3)
    pin = me.PinJoint("pin", ground, crank, q, u, joint_axis=ground.z)
    drive = CoupledJoint("drive", ground, bead, [], translation=[sin(q), 0, 0])
    system = system_of(ground, pin, drive)
    values = random_state(system)
    result = ours(system, *values)
    q, u, udot = (column[:, 0] for column in values)
    push = 3 * (np.cos(q) * udot - np.sin(q) * u**2)
    np.testing.assert_allclose(result.joint_wrench("drive")[:, 0], push, atol=1e-14)
    expected = TENSOR[2] * udot + np.cos(q) * push
    np.testing.assert_allclose(result.generalized_forces[:, 0], expected, atol=1e-13)


def test_a_coupled_joint_moves_with_time_as_its_pose_does():
    """The stated velocities are the derivatives of the pose: by q, what is specified, and time."""
    q, w, u = me.dynamicsymbols("q w u")
    turn, shift = q * sin(T) + w * T + cos(q + w), T * q + w**2 * cos(T)
    ground, moving = rigid_body("ground"), body("A")
    turns = [(turn, (1, -2, 0.5)), (q * T, "y")]
    CoupledJoint("J", ground, moving, q, u, translation=[shift, T, 0], rotations=turns)
    rotation = moving.frame.dcm(ground.frame)
    spin = rotation * rotation.diff(T).T
    turning = Matrix([spin[2, 1], spin[0, 2], spin[1, 0]])
    stated = moving.frame.ang_vel_in(ground.frame).to_matrix(moving.frame)
    moved = moving.masscenter.pos_from(ground.masscenter).to_matrix(ground.frame).diff(T)
    velocity = moving.masscenter.vel(ground.frame).to_matrix(ground.frame)
    values = {q.diff(T): 0.3, w.diff(T): -0.7, u: 0.3, q: 0.4, w: 1.1, T: 0.8}
    for one, other in ((stated, turning), (velocity, moved)):
        found = (np.array(x.subs(values).evalf(), float) for x in (one, other))
        np.testing.assert_allclose(*found, atol=1e-13)


def test_an_angle_with_time_in_inverse_dynamics():
    """A rod on a pin that turns by q + w + t**2: its torque is I times the whole acceleration."""
    q, w, u = me.dynamicsymbols("q w u")
    ground, rod = rigid_body("ground"), body("rod", mass=2)
    place = {"rotations": [(q + w + T**2, "z")], "child_point": -0.5 * rod.x}
    system = system_of(ground, CoupledJoint("J", ground, rod, q, u, **place))
    evaluate = InverseDynamics(system).compile("generalized_forces", backend="numpy")
    given = {w: 0.1, w.diff(T): 0.5, w.diff(T, 2): 4.0}
    given = {symbol: given[symbol] for symbol in evaluate.inputs["specifieds"]}
    found = evaluate([0.1], [0.2], [0.3], specifieds=given, times=0.4).generalized_forces
    np.testing.assert_allclose(found, [(TENSOR[2] + 2 * 0.25) * (0.3 + 4 + 2)], rtol=1e-12)


@pytest.mark.parametrize("kind", ["coupled", *slow(["knee"])])
def test_joint_wrench_and_generalized_forces(kind):
    """Kane's forces are the joint wrench, projected by hand."""
    idyn, joint = general_model(kind)
    q, u, udot = random_state(joint)
    result = ours(idyn, q, u, udot)
    moving = joint.child.frame
    spin = joint.child_interframe.ang_vel_in(joint.parent_interframe).to_matrix(moving)
    shift = joint.child_point.vel(joint.parent.frame).to_matrix(moving)
    slopes = Matrix([shift, spin]).jacobian(joint.speeds)
    for k, wrench in enumerate(result.joint_wrenches[:, 0]):
        jacobian = numbers(slopes, joint, q[k], u[k])
        np.testing.assert_allclose(jacobian.T @ wrench, result.generalized_forces[k], atol=1e-11)


@pytest.mark.parametrize("kind", ["knee", "coupled"])
def test_constraint_wrench_of_a_coupled_joint_is_not_unique(kind):
    idyn, joint = general_model(kind)
    refused(lambda: idyn.constraint_wrench(joint), "joint")


def test_constraint_wrench_of_coupled_turns():
    """Coupled turns constrain all but the moment along their angular velocity."""
    q, u = me.dynamicsymbols("q u")
    ground, moving = rigid_body("ground"), body("A")
    joint = CoupledJoint("J", ground, moving, q, u, rotations=[(2 * q, "x"), (sin(q), "z")])
    system = system_of(ground, joint)
    values = random_state(system)
    outputs = ("joint_wrenches", "constraint_wrenches")
    result = run(InverseDynamics(system).program(outputs), state(system, *(x.T for x in values)))
    for k, (q, u, _) in enumerate(zip(*values, strict=True)):
        axis = numbers([2 * cos(sin(q[0])), -2 * sin(sin(q[0])), cos(q[0])], joint, q, u).ravel()
        wrench, constraint = (result[name][k, 0] for name in outputs)
        normal = wrench[3:] - axis * (axis @ wrench[3:]) / (axis @ axis)
        np.testing.assert_allclose(constraint, [*wrench[:3], *normal], atol=1e-12)


def test_the_norm_of_the_quaternion_does_not_matter():
    idyn, joint = general_model("quaternion")
    q, u, udot = random_state(joint)
    one, other = (ours(idyn, x * q, u, udot).joint_wrenches for x in ([1], [1] * 3 + [-3e4] * 4))
    np.testing.assert_allclose(one, other, rtol=1e-11)


def test_formulas_whose_norm_changes_are_refused():
    chain = SerialChain([Segment("a", 1, 1, inertia=TENSOR, joint="quaternion")])
    formulas = dict(zip(chain.coordinates, [1, T, 0, 0], strict=True))
    refused(lambda: crosscheck(InverseDynamics(chain.system), formulas, [0, 1], {}), "motion")


# -- chains -----------------------------------------------------------------------


def test_angular_velocities_have_one_way_through_joints_of_several_turns():
    """Sympy looks along all of them; a spine of twelve such joints took minutes."""
    bodies = [rigid_body(f"vertebra{k}") for k in range(13)]
    for k, (parent, child) in enumerate(pairwise(bodies)):
        angles = me.dynamicsymbols(f"a{k} b{k} c{k}")
        turns = [*zip(angles, "xyz", strict=True)]
        joint = CoupledJoint(f"disc{k}", parent, child, angles, rotations=turns)
        neighbours = stated_angular_velocities(joint.child_interframe)
        assert not {each.name for each in neighbours} & {f"disc{k}_turned_1", f"disc{k}_turned_2"}
