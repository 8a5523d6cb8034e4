"""Linearised equations of motion: against sympy, a published bicycle, and differences."""

import constrained_models
import linkages
import numpy as np
import pytest
from bodies import massive_body, rigid_body, system_of
from refusals import refusal, refused
from sympy import Derivative, Integer, Rational, symbols
from sympy.physics.mechanics import dynamicsymbols

from jointwrench import ForwardDynamics, LoopJoint, QuaternionJoint

pytestmark = pytest.mark.usefixtures("numpy_by_default")

# J. P. Meijaard, J. M. Papadopoulos, A. Ruina, A. L. Schwab, Proc. R. Soc. A 463 (2007) 1955-1982:
# matrices of the equations of roll and steer, and eigenvalues (table 2) at two speeds in m/s.
MASS = [[80.81722, 2.31941332208709], [2.31941332208709, 0.29784188199686]]
DAMPING = [[0, 33.86641391492494], [-0.85035641456978, 1.68540397397560]]
STIFFNESS = [[-80.95, -2.59951685249872], [-2.59951685249872, -0.80329488458618]]
CENTRIFUGAL = [[0, 76.59734589573222], [0, 2.65431523794604]]
GRAVITY = 9.81
EIGENVALUES = {
    0.0: (-5.53094371765393, -3.13164324790656, 3.13164324790656, 5.53094371765393),
    5.0: (
        -14.07838969279822,
        -0.77534188219585 - 4.46486771378823j,
        -0.77534188219585 + 4.46486771378823j,
        -0.32286642900409,
    ),
}


@pytest.fixture(scope="module")
def bicycle():
    model = constrained_models.whipple_bicycle()
    fdyn = ForwardDynamics.from_kane(model.kane, model.connections, loops=model.loops)
    return fdyn, model.values


@pytest.mark.slow
@pytest.mark.parametrize("speed", EIGENVALUES)
def test_bicycle(bicycle, speed):
    fdyn, values = bicycle
    radii = {"u3(t)": 0.3, "u6(t)": 0.35}  # of the wheels that roll
    u = [-speed / radii[str(x)] if str(x) in radii else 0 for x in fdyn.speeds]
    model = fdyn.linearize(np.zeros(4), u, values)
    assert [*map(str, model.states)] == [f"{x}(t)" for x in ["q1", "q2", "q5", "u2", "u3", "u5"]]
    assert model.rates == pytest.approx(np.zeros(6), abs=1e-12)
    kept = [1, 2, 3, 5]  # roll, steer and their rates
    block = model.A[np.ix_(kept, kept)]
    found = sorted(np.linalg.eigvals(block), key=lambda x: (x.real, x.imag))
    assert np.abs(np.subtract(found, EIGENVALUES[speed])).max() < 5e-14 * 100
    stiffness = np.multiply(GRAVITY, STIFFNESS) + np.multiply(speed**2, CENTRIFUGAL)
    accelerations = -np.linalg.solve(MASS, np.hstack([stiffness, np.multiply(speed, DAMPING)]))
    assert block[2:] == pytest.approx(accelerations, abs=1e-12)


def differences(function, values, step=1e-5):
    """Return the slopes of a function of several numbers, a column for each."""
    pairs = ((values + dx, values - dx) for dx in step * np.eye(len(values)))
    return np.transpose([np.subtract(*(function(*x) for x in pair)) for pair in pairs]) / (2 * step)


@pytest.fixture(scope="module")
def slider_crank():
    m, force = symbols("m"), dynamicsymbols("f")
    system, slider = linkages.slider_crank(m, force)
    system.add_holonomic_constraints(*slider.holonomic_constraints)
    system.apply_uniform_gravity(-9.81 * system.frame.y)
    return ForwardDynamics(system, loops=[slider]), {"m": 2.0}, {"f": 3.0}


def test_constants_as_inputs_and_batches(slider_crank):
    fdyn, constants, specifieds = slider_crank
    q = np.array([[1.0, -1.0], [1.2, -1.0]])
    q, u, _ = fdyn.inverse.close_motion(q, np.ones((2, 2)), constants=constants)
    model = fdyn.linearize(q, u, constants, specifieds, inputs=["m"])
    assert model.inputs == (symbols("m"),)
    assert model.A.shape == (2, 2, 2)
    assert model.B.shape == (2, 2, 1)
    single = fdyn.linearize(q[1], u[1], constants, specifieds, inputs=["m"])
    assert model.B[1] == pytest.approx(single.B)


def test_refusals(slider_crank):
    fdyn, constants, specifieds = slider_crank
    refused(lambda: fdyn.linearize([1.0, 0.3], [0.0, 0.0], constants, specifieds), "q")
    for stranger in ("nobody", "constants", fdyn.coordinates[0]):  # a group, a state
        with refusal("inputs"):
            fdyn.linearize([1.0, 0.3], [0.0, 0.0], constants, specifieds, inputs=[stranger])
    with refusal("inputs"):
        fdyn.linearize([1.0, 0.3], [0.0, 0.0], constants, specifieds, inputs=["m", symbols("m")])


def test_singular_pose():
    """Where the rod stands upright the slider does not stop the knee."""
    ground, crank, rod = (massive_body(name) for name in ("ground", "crank", "rod"))
    main = linkages.pin("main", ground, crank, 0, -1)
    knee = linkages.pin("knee", crank, rod, 1, -Rational(1, 2))
    slider = LoopJoint("slider", ground, rod, "point_on_line", child_point=rod.x / 2)
    system = system_of(ground, main, knee)
    system.add_holonomic_constraints(*slider.holonomic_constraints)
    system.q_ind, system.q_dep = main.coordinates, knee.coordinates
    system.u_ind, system.u_dep = main.speeds, knee.speeds
    fdyn = ForwardDynamics(system, loops=[slider])
    constants = dict.fromkeys(fdyn.constants, 1.0)
    refused(lambda: fdyn.linearize([np.pi / 6, -2 * np.pi / 3], [0.0, 0.0], constants), "q")
    _, u, _ = fdyn.inverse.close_motion([np.pi / 6, -2 * np.pi / 3], [1.0, 0.0])
    assert np.isnan(u[1])  # also where there is no other slope that this one could be small to


def test_inputs_that_enter_constraints():
    """Each by differences of closed states: a length, a place, its rate and that one's rate."""
    fdyn = constrained_models.crank_on_moving_guide(dynamicsymbols("height"), symbols("l"))
    by_level = {x: x.derivative_count if isinstance(x, Derivative) else 0 for x in fdyn.specifieds}
    assert sorted(by_level.values()) == [0, 1, 2]
    given = {x: [0.1, 0.7, -0.4][level] for x, level in by_level.items()}
    constants = dict.fromkeys(fdyn.constants, 1.0) | {symbols("l"): 2.5}

    def closed(values):
        more = {x: y for x, y in values.items() if x in fdyn.inverse.constants}
        moving = {x: y for x, y in values.items() if x in fdyn.inverse.specifieds}
        return fdyn.inverse.close_motion([0.6, -0.9], [1.3, 0], None, more, moving)[:2]

    def rates(values):
        x = np.concatenate(closed(values))
        more = {x: y for x, y in values.items() if x in fdyn.constants}
        return fdyn.rhs(more, {x: values[x] for x in fdyn.specifieds})(0.0, x)[[0, 2]]

    values, inputs = {**constants, **given}, [symbols("l"), *fdyn.specifieds]
    model = fdyn.linearize(*closed(values), constants, given, inputs)
    expected = differences(
        lambda *own: rates(values | dict(zip(inputs, own, strict=True))),
        np.array([values[x] for x in inputs]),
    )
    assert pytest.approx(expected, rel=1e-7, abs=1e-7) == model.B
    assert (np.abs(model.B[1]) > 1e-3).all()
    assert model.rates == pytest.approx(rates(values))


def test_nothing_is_independent_and_nothing_is_given():
    """A crank whose angle is specified; no states at all."""
    angle = dynamicsymbols("angle")
    fdyn = constrained_models.crank_on_moving_guide(Integer(0), 2.5)
    system = fdyn.inverse.system
    all_q, all_u = list(system.q), list(system.u)
    system.add_holonomic_constraints(all_q[0] - angle)
    system.q_ind, system.u_ind, system.q_dep, system.u_dep = [], [], all_q, all_u
    bound = ForwardDynamics(system)
    given = {angle: 0.6, angle.diff(): 1.0, angle.diff().diff(): 0.0}
    values = dict.fromkeys(bound.constants, 1.0), given
    q, u, _ = bound.inverse.close_motion([0.5, -0.9], [0, 0], specifieds=given)
    model = bound.linearize(q, u, *values)
    assert model.A.shape == (0, 0)
    assert model.B.shape == (0, 3)
    empty = np.zeros((0, 2))
    assert bound.linearize(empty, empty, *values).B.shape == (0, 0, 3)


def test_quaternions_in_loops():
    """One component of the quaternion depends on the others, as close_motion has it."""
    ground, arm, hand = (rigid_body(x, 1, 0.1, 0.2, 0.25) for x in ("ground", "arm", "hand"))
    ball = QuaternionJoint("ball", ground, arm, child_point=-arm.x / 2)
    wrist = linkages.pin("wrist", arm, hand, 0.5, -0.5)
    system = system_of(ground, ball, wrist, gravity=-10 * ground.y)
    place = {"parent_point": 0.3 * ground.z, "child_point": hand.x / 2}
    end = LoopJoint("end", ground, hand, "point_on_plane", **place, joint_axis=ground.z)
    system.add_holonomic_constraints(*end.holonomic_constraints)
    (q0, *others), u = ball.coordinates, list(system.u)
    system.q_ind, system.q_dep = others, [q0, *wrist.coordinates]
    system.u_ind, system.u_dep = u[:3], u[3:]
    fdyn = ForwardDynamics(system, loops=[end])
    start = np.array([0.1, -0.3, 0.2, 0.9])
    start = [*start / np.linalg.norm(start), 0.5]

    def closed(*x):
        q, speeds = [*x[:3], *start[3:]], [*x[3:], 0.0]
        return fdyn.inverse.close_motion(q, speeds)[:2]

    point, rhs = [*start[:3], 0.3, -0.5, 0.8], fdyn.rhs()
    model = fdyn.linearize(*closed(*point))
    assert model.states == (*others, *u[:3])
    expected = differences(lambda *x: rhs(0, np.concatenate(closed(*x)))[[0, 1, 2, 5, 6, 7]], point)
    assert pytest.approx(expected, rel=1e-7, abs=1e-7) == model.A
