"""Dependent coordinates, speeds and accelerations against closed-form geometry and differences."""

import constrained_models
import linkages
import numpy as np
import pytest
import sympy.physics.mechanics as me
from bodies import rigid_body, system_of
from refusals import refusal, refused
from sympy import symbols

from jointwrench import InverseDynamics, LoopJoint
from jointwrench.models.quaternion_joint import QuaternionJoint
from jointwrench.motion.trajectory import Trajectory

LENGTHS = (4.0, 1.0, 3.0, 2.5)
TURN = np.linspace(0, 2 * np.pi, 101)
l = symbols("l1:5", positive=True)
CONSTANTS = dict(zip(l, LENGTHS, strict=True))
T = me.dynamicsymbols._t


#: For models of their own, of which few samples are computed; that of `four_bar` is compiled.
with_numpy = pytest.mark.usefixtures("numpy_by_default")


def declare(system, loop, independent, **options):
    """Let all coordinates and speeds that are not named depend on the named ones."""
    for x in "qu":
        symbols = list(getattr(system, x))
        setattr(system, f"{x}_ind", [s for s in symbols if s in independent])
        setattr(system, f"{x}_dep", [s for s in symbols if s not in independent])
    return InverseDynamics(system, loops=[loop], **options)


def errors(idyn, motion, constants=None, **more):
    """Return the largest violation of the constraints, of positions, speeds and accelerations."""
    found = idyn.compile("constraint_errors", backend="numpy")(*motion, constants=constants, **more)
    return np.abs(found.constraint_errors).max()


def make_four_bar(independent=("q1", "u1"), **options):
    """Return crank 2, coupler 3 and rocker 4 on the fixed link 1."""
    bars = linkages.four_bar(l)
    chosen = [x for x in (*bars.q, *bars.u) if x.name in independent]
    bars.idyn = declare(bars.system, bars.loop, chosen, **options)
    return bars


@pytest.fixture(scope="module")
def four_bar():
    return make_four_bar()


def geometry(crank, mode):
    """Return the angles of a four-bar by the law of cosines; the modes are 1 and -1."""
    a, b, c, d = LENGTHS
    far = -(a + b * np.exp(1j * crank))
    between = np.arccos((abs(far) ** 2 + c**2 - d**2) / (2 * abs(far) * c))
    coupler = np.angle(far) + mode * between
    rocker = np.angle(far - c * np.exp(1j * coupler))
    return np.stack([crank, coupler - crank, rocker - coupler], axis=-1)


def same_angles(one, other, tolerance=1e-12):
    np.testing.assert_allclose(np.exp(1j * one), np.exp(1j * other), rtol=0, atol=tolerance)


def driven(angles, width=3, place=0):
    """Return independent entries and NaN for the others."""
    return np.where(np.arange(width) == place, np.asarray(angles)[..., None], np.nan)


def test_coarse_motions_stay_in_their_mode(four_bar, rng):
    crank = np.round(np.cumsum(rng.uniform(-1.5, 1.5, (100, 20)), axis=-1), 3)  # rad
    modes = rng.choice([1, -1], (100, 1))
    guess = np.full((*crank.shape, 3), np.nan)
    guess[:, :1] = geometry(crank[:, :1], modes)
    q, *_ = four_bar.idyn.close_motion(driven(crank), constants=CONSTANTS, guess=guess)
    same_angles(q, geometry(crank, modes))
    np.testing.assert_array_equal(q[..., 0], crank)  # no digit is lost on the way


def test_the_whole_batch_at_once_and_each_sample_by_its_guess(four_bar):
    crank = np.stack([TURN, TURN + 1, -TURN]) + np.zeros((2, 3, 1))
    starts = geometry(crank[..., 0], np.array([[1], [-1]]))
    guess = np.full((2, 3, len(TURN), 3), np.nan)
    guess[:, :, 0] = starts
    guess[1, 2, 50] = geometry(crank[1, 2, 50], 1)  # the other mode from there on
    q, u, _ = four_bar.idyn.close_motion(driven(crank), driven(crank), None, CONSTANTS, guess=guess)
    modes = np.broadcast_to(np.array([[[1], [-1]]]).T.reshape(2, 1, 1), crank.shape).copy()
    modes[1, 2, 50:] = 1
    same_angles(q, geometry(crank, modes))
    assert np.abs(np.diff(q[0], axis=1)).max() < 0.4  # no jumps by full turns
    single = four_bar.idyn.close_motion(q[1, 2, 70], crank[1, 2, 70] * np.ones(3), None, CONSTANTS)
    assert single[0].shape == single[1].shape == (3,)
    np.testing.assert_allclose(single[0], q[1, 2, 70], atol=1e-13)
    np.testing.assert_allclose(single[1], u[1, 2, 70], atol=1e-12)


def test_given_arrays_stay_and_their_dependent_entries_do_not_matter(four_bar):
    q = driven(TURN[:5])
    q[0] = geometry(0.0, 1)
    before = q.copy()
    found, *_ = four_bar.idyn.close_motion(q, constants=CONSTANTS)
    np.testing.assert_array_equal(q, before)
    q[1:, 1:] = 0.0
    again, speeds, _ = four_bar.idyn.close_motion(q, driven(TURN[:5]), constants=CONSTANTS)
    np.testing.assert_array_equal(again, found)
    np.testing.assert_array_equal(
        speeds, four_bar.idyn.close_motion(q, np.zeros(3) + TURN[:5, None], None, CONSTANTS)[1]
    )


@pytest.mark.parametrize("first", [0.001, 0.1, np.pi - 0.01])
@pytest.mark.parametrize("guess", [(0, 0), (0, np.pi), (3.13, 0.01), (-6, 1)])
def test_angles_end_within_half_a_turn_of_the_guess(four_bar, first, guess):
    """Beside a singular pose of a parallelogram, where Newton's steps are long."""
    constants, given = dict(zip(l, (2, 1, 2, 1), strict=True)), np.array([first, *guess])
    q, _, _ = four_bar.idyn.close_motion(given, constants=constants, guess=given)
    assert errors(four_bar.idyn, (q, 0 * q, 0 * q), constants) < 1e-12
    assert (np.abs(q - given) <= np.pi).all()


def test_a_sample_out_of_reach_is_named(four_bar):
    short = {**CONSTANTS, l[1]: 4.0}  # its crank cannot turn all the way round
    inward = np.linspace(2.0, 4.0, 21)
    start = four_bar.idyn.close_motion(driven(2.0), constants=short, guess=[2, 1.5, 1.5])[0]
    a, b, c, d = 4.0, 4.0, 3.0, 2.5
    lowest = np.arccos(((c - d) ** 2 - a**2 - b**2) / (2 * a * b))
    refused(lambda: four_bar.idyn.close_motion(driven(inward), constants=short, guess=start), "q")
    both = np.stack([np.full(21, 2.0), inward])
    refused(lambda: four_bar.idyn.close_motion(driven(both), constants=short, guess=start), "q")
    refused(lambda: four_bar.idyn.close_motion(driven(np.pi), constants=short, guess=start), "q")
    # the last one is beyond the gap, where the mechanism can be assembled again in another mode
    for beyond in (lowest + 1e-7, lowest + 0.1, [2.0, 4.2]):
        with refusal("q"):
            four_bar.idyn.close_motion(driven(beyond), constants=short, guess=start)


@with_numpy
@pytest.mark.parametrize("worst", [0, 1])
def test_of_several_equations_the_one_farthest_open_is_named(worst):
    """Sliders: one follows the driven one, the other is on its circle, which it may leave."""
    ground, *sliders = (rigid_body(name) for name in ("ground", "a", "b", "c"))
    system = me.System.from_newtonian(ground)
    for k, slider in enumerate(sliders):
        system.add_joints(me.PrismaticJoint(f"J{k}", ground, slider, joint_axis=ground.x))
    driven_one, follower, circling = system.q
    circle = circling**2 + driven_one**2 - 1
    equations = [follower - driven_one, circle] if worst else [circle, follower - driven_one]
    system.add_holonomic_constraints(*equations)
    linkages.depend_on_first(system)
    idyn = InverseDynamics(system)
    assert idyn.close_motion([0.6, 0, 1])[0] == pytest.approx([0.6, 0.6, 0.8])
    refused(lambda: idyn.close_motion([2.0, 0, 1]), "q")


@with_numpy
def test_a_dead_point_is_reached_and_leaves_speeds_open_there_alone():
    idyn = make_four_bar(independent=("q3", "u3")).idyn  # which is first in the order then
    q = geometry(np.pi + np.array([-0.4, -0.2, 0.0, 0.0, -0.3]), 1)[:, [2, 0, 1]]
    given = np.where([True, False, False], q, np.nan)
    found, u, _ = idyn.close_motion(given, np.ones(3), None, CONSTANTS, guess=q[0])
    np.testing.assert_allclose(found, q, atol=1e-6)
    found, u, udot = idyn.close_motion(q, np.ones(3), np.ones(3), CONSTANTS, guess=q)
    np.testing.assert_allclose(found, q, atol=1e-12)
    open_here = np.array([False, False, True, True, False])[:, None] & [False, True, True]
    np.testing.assert_array_equal(np.isnan(u), open_here)
    np.testing.assert_array_equal(np.isnan(udot), open_here)


@with_numpy
def test_dependent_quaternions_have_the_length_one():
    ground, rod = rigid_body("ground"), rigid_body("rod")
    ball = QuaternionJoint("ball", ground, rod, child_point=-rod.x)
    loop = LoopJoint("end", ground, rod, "point_on_plane", child_point=rod.x, joint_axis=ground.z)
    system = system_of(ground, ball)
    _, q1, _, q3 = ball.coordinates
    idyn = declare(system, loop, [q1, q3, *ball.speeds[:1], ball.speeds[2]])
    q = np.array([[0.1, x, np.nan, np.nan] for x in np.linspace(0.1, 0.5, 9)])  # q1, q3, q0, q2
    motion = idyn.close_motion(q, [0.3, 0.4, np.nan], np.zeros(3), guess=[0, 0, 1, 0])
    np.testing.assert_allclose((motion[0] ** 2).sum(axis=-1), 1, atol=1e-14)
    assert (motion[0][:, 2] > 0.8).all()
    assert motion[1].shape == (9, 3)
    assert errors(idyn, motion) < 1e-13


@with_numpy
def test_a_classical_model_has_dependent_speeds_alone():
    """A bead on a plane whose second speed is x times its first."""
    (x, y), (u, v) = me.dynamicsymbols("x y"), me.dynamicsymbols("u v")
    frame, origin = me.ReferenceFrame("N"), me.Point("O")
    origin.set_vel(frame, 0)
    place = origin.locatenew("P", x * frame.x + y * frame.y)
    place.set_vel(frame, u * frame.x + v * frame.y)
    bead = me.Particle("bead", place, 1)
    rates = {"kd_eqs": [x.diff() - u, y.diff() - v], "velocity_constraints": [v - x * u]}
    kane = me.KanesMethod(frame, [x, y], [u], u_dependent=[v], bodies=[bead], **rates)
    idyn = InverseDynamics.from_kane(kane, [(frame, bead, origin)])
    moved = idyn.close_motion([0.3, 0.1], [1.0, np.nan], [0.5, np.nan])
    for found, expected in zip(moved, ([0.3, 0.1], [1.0, 0.3], [0.5, 1.15]), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-14)


@with_numpy
def test_specified_quantities_and_time():
    ground, cart, rod = (rigid_body(name) for name in ("ground", "cart", "rod"))
    s = me.dynamicsymbols("s")
    slide = me.PrismaticJoint("slide", ground, cart, joint_axis=ground.y)
    pin = me.PinJoint("pin", ground, rod, child_point=-rod.x, joint_axis=ground.z)
    system = system_of(ground, slide, pin)
    tip = rod.masscenter.locatenew("tip", rod.x)
    gap = tip.pos_from(cart.masscenter).dot(ground.y) - s
    system.add_holonomic_constraints(gap)
    (y,), (angle,) = slide.coordinates, pin.coordinates
    system.q_ind, system.q_dep = [angle], [y]
    system.u_ind, system.u_dep = pin.speeds, slide.speeds
    idyn = InverseDynamics(system)
    place = [list(system.q).index(c) for c in (angle, y)]
    q = np.zeros((5, 2))
    q[:, place[0]] = np.linspace(0, 1, 5)
    times = np.linspace(0, 2, 5)
    expected = 2 * np.sin(q[:, place[0]])
    for value in (times**2, lambda t: t**2):
        found, *_ = idyn.close_motion(q, specifieds={s: value}, times=times)
        np.testing.assert_allclose(found[:, place[1]], expected - times**2, atol=1e-14)


def test_measured_trajectories_are_closed(four_bar):
    times = np.linspace(0, 2, 101)
    true = geometry(3 * times, 1)
    noise = 0.01 * np.random.default_rng(3).standard_normal(true.shape) * [0, 1, 1]
    coordinates = np.unwrap(true, axis=0) + noise
    measured = Trajectory.from_samples(times, coordinates, idyn=four_bar.idyn, degrees=False)
    before = measured.constraint_errors(four_bar.idyn, CONSTANTS)
    assert before.shape[:2] == (101, 3)
    assert 0.01 < np.abs(before[:, 0]).max() < 0.3
    closed = measured.closed(four_bar.idyn, CONSTANTS)
    assert closed.names == measured.names
    same_angles(closed.q, true, 1e-9)
    np.testing.assert_allclose(closed.u[:, 0], 3, rtol=1e-9)
    assert np.abs(closed.constraint_errors(four_bar.idyn, CONSTANTS)).max() < 1e-11
    for call in (measured.closed, measured.constraint_errors):
        refused(lambda: call(four_bar.system), "idyn", TypeError)


@pytest.mark.parametrize("x", [0.0, 0.4])
def test_positions_that_rolling_does_not_determine_are_told_where_they_do_not_fit(x):
    model = constrained_models.rolling_disc_with_places()
    idyn = InverseDynamics.from_kane(model.kane, model.connections, loops=model.loops)
    times, path = np.linspace(0, 3, 61), np.zeros((61, 6))
    path[:, 2], path[:, 3], path[:, 5] = 5 * times, x * 5 * times, 0.4
    motion = Trajectory.from_samples(times, path, idyn=idyn, degrees=False)
    constants = {s.name: value for s, value in model.values.items()}
    if x:
        closed = motion.closed(idyn, constants)
    else:
        with pytest.warns(
            UserWarning, match=r"x\(t\) changes by 0 a second .* demands 2\b.*simulate"
        ):
            closed = motion.closed(idyn, constants)
    np.testing.assert_allclose(closed.u[:, 3], 2.0)


# -- refusals -----------------------------------------------------------------------------------


def test_refuses_models_that_declare_nothing_dependent():
    idyn = make_four_bar(independent=("q1", "q2", "q3", "u1", "u2", "u3"), actuated=[]).idyn
    refused(lambda: idyn.close_motion(np.zeros(3)), "system")


def test_refuses_wrong_speeds_as_dependent():
    idyn = make_four_bar(independent=("q1", "u1", "u2")).idyn
    refused(lambda: idyn.close_motion(np.zeros(3)), "system")


@pytest.mark.parametrize(
    ("arguments", "error", "argument"),
    [
        ({"q": np.zeros(3), "udot": np.zeros(3)}, ValueError, "u"),
        ({"q": np.zeros((4, 3)), "u": np.zeros((5, 3))}, ValueError, "q"),
        ({"q": np.zeros((4, 3)), "guess": np.zeros((2, 3))}, ValueError, "guess"),
        ({"q": np.zeros(3), "constants": {}}, ValueError, "constants"),
    ],
)
def test_refuses_arguments(four_bar, arguments, error, argument):
    with refusal(argument, error):
        four_bar.idyn.close_motion(**{"constants": CONSTANTS, **arguments})
