"""Linearised equations of motion: against sympy, a published bicycle, and differences."""

import constrained_models
import numpy as np
import pytest
from sympy import Matrix, symbols
from sympy.physics.mechanics import Force, PinJoint, RigidBody, System, dynamicsymbols, inertia

from jointwrench import ForwardDynamics, LoopJoint, SerialChain

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


@pytest.mark.parametrize("speed", EIGENVALUES)
def test_bicycle(bicycle, speed):
    fdyn, values = bicycle
    radii = {"u3(t)": 0.3, "u6(t)": 0.35}  # of the wheels that roll
    u = [-speed / radii[str(x)] if str(x) in radii else 0 for x in fdyn.speeds]
    model = fdyn.linearize(np.zeros(4), u, values)
    assert [str(x) for x in model.states] == [
        f"{x}(t)" for x in ["q1", "q2", "q5", "u2", "u3", "u5"]
    ]
    assert model.rates == pytest.approx(np.zeros(6), abs=1e-12)
    kept = [1, 2, 3, 5]  # roll, steer and their rates
    block = model.A[np.ix_(kept, kept)]
    found = sorted(np.linalg.eigvals(block), key=lambda x: (x.real, x.imag))
    assert np.abs(np.subtract(found, EIGENVALUES[speed])).max() < 5e-14 * 100
    stiffness = np.multiply(GRAVITY, STIFFNESS) + np.multiply(speed**2, CENTRIFUGAL)
    accelerations = -np.linalg.solve(MASS, np.hstack([stiffness, np.multiply(speed, DAMPING)]))
    assert block[2:] == pytest.approx(accelerations, abs=1e-12)


def test_a_tree_by_kanes_method():
    """With a force as input, not in equilibrium."""
    chain = SerialChain.planar(2, gravity=(0, -9.81, 0))
    force = dynamicsymbols("f")
    chain.system.add_loads(Force(chain.tip, force * chain.ground.x))
    values = {x: 1.0 + 0.2 * k for k, x in enumerate(chain.constants)}
    fdyn = ForwardDynamics(chain.system)
    q, u = [0.3, -0.5], [0.7, 0.2]
    A, B = fdyn.linearize(q, u, values, {force: 2.0})
    kane = chain.system
    kane.form_eoms()
    point = dict(zip([*kane.q, *kane.u], [*q, *u], strict=True)) | {force: 2.0} | values
    rates = kane.eom_method.mass_matrix.LUsolve(kane.eom_method.forcing)
    rates = Matrix([*kane.u, *rates])
    expected = rates.jacobian([*kane.q, *kane.u]).subs(point)
    assert np.array(expected, float) == pytest.approx(A)
    assert np.array(rates.jacobian([force]).subs(point), float) == pytest.approx(B)


@pytest.fixture(scope="module")
def slider_crank():
    m, force = symbols("m"), dynamicsymbols("f")
    ground, crank, rod = (RigidBody(name, mass=m) for name in ("ground", "crank", "rod"))
    for body in (crank, rod):
        body.central_inertia = inertia(body.frame, 0.1, 0.2, 0.3)
    main = PinJoint("main", ground, crank, child_point=-crank.x / 2, joint_axis=ground.z)
    knee = PinJoint(
        "knee", crank, rod, parent_point=crank.x / 2, child_point=-rod.x, joint_axis=crank.z
    )
    slider = LoopJoint("slider", ground, rod, "point_on_line", child_point=rod.x)
    system = System.from_newtonian(ground)
    system.add_joints(main, knee)
    system.add_holonomic_constraints(*slider.holonomic_constraints)
    system.q_ind, system.q_dep = main.coordinates, knee.coordinates
    system.u_ind, system.u_dep = main.speeds, knee.speeds
    system.apply_uniform_gravity(-9.81 * ground.y)
    system.add_loads(Force(rod.masscenter, force * ground.x))
    return ForwardDynamics(system, loops=[slider]), {"m": 2.0}, {"f": 3.0}


def test_a_loop_by_differences(slider_crank):
    fdyn, constants, specifieds = slider_crank
    rhs = fdyn.rhs(constants, specifieds)

    def closed(angle, speed):
        given = [angle, -1.0], [speed, 0.0]
        return fdyn.inverse.close_motion(*given, constants=constants)[:2]

    def rates(angle, speed):
        return rhs(0.0, np.concatenate(closed(angle, speed)))[[0, 2]]

    model = fdyn.linearize(*closed(1.0, 2.0), constants, specifieds)
    step = 1e-5
    steps = ([step, 0], [0, step])
    columns = [(rates(1 + a, 2 + b) - rates(1 - a, 2 - b)) / (2 * step) for a, b in steps]
    assert pytest.approx(np.transpose(columns), rel=1e-8, abs=1e-7) == model.A
    assert model.rates == pytest.approx(rates(1.0, 2.0))
    other = fdyn.linearize(*closed(1.0, 2.0), constants, {"f": 4.0})
    assert model.B[:, 0] == pytest.approx(other.rates - model.rates)


def test_what_stands_for_multipliers_stays_inside(slider_crank):
    model = slider_crank[0].inverse
    fdyn = ForwardDynamics(model.system, loops=model.loops)
    fdyn.compile(backend="numpy", derivatives=["q"])
    assert [str(x) for x in fdyn.inverse.specifieds] == ["f(t)"]


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


def test_no_inputs():
    fdyn = ForwardDynamics(SerialChain.planar(1).system)
    assert fdyn.linearize([0], [0], dict.fromkeys(fdyn.constants, 1.0)).B.shape == (2, 0)


def test_refusals(slider_crank):
    fdyn, constants, specifieds = slider_crank
    with pytest.raises(ValueError, match="`q` must obey the constraints, got an error of"):
        fdyn.linearize([1.0, 0.3], [0.0, 0.0], constants, specifieds)
    for stranger in ("nobody", "constants", fdyn.coordinates[0]):  # a group, a state
        with pytest.raises(ValueError, match="`inputs` must be among `specifieds` and `constants`"):
            fdyn.linearize([1.0, 0.3], [0.0, 0.0], constants, specifieds, inputs=[stranger])
    with pytest.raises(ValueError, match="`inputs` must have each symbol once, got m twice"):
        fdyn.linearize([1.0, 0.3], [0.0, 0.0], constants, specifieds, inputs=["m", symbols("m")])
    with pytest.raises(TypeError, match="`inputs` must be among `specifieds` and `constants`, got"):
        fdyn.linearize([1.0, 0.3], [0.0, 0.0], constants, specifieds, inputs=[["f"]])
    with pytest.raises(TypeError, match="`inputs` must be symbols"):
        fdyn.linearize([1.0, 0.3], [0.0, 0.0], constants, specifieds, inputs=3)


def test_singular_pose():
    """Where the rod stands upright the slider does not stop the knee."""
    ground, crank, rod = (RigidBody(name) for name in ("ground", "crank", "rod"))
    main = PinJoint("main", ground, crank, child_point=-crank.x, joint_axis=ground.z)
    knee = PinJoint(
        "knee", crank, rod, parent_point=crank.x, child_point=-rod.x / 2, joint_axis=crank.z
    )
    slider = LoopJoint("slider", ground, rod, "point_on_line", child_point=rod.x / 2)
    system = System.from_newtonian(ground)
    system.add_joints(main, knee)
    system.add_holonomic_constraints(*slider.holonomic_constraints)
    system.q_ind, system.q_dep = main.coordinates, knee.coordinates
    system.u_ind, system.u_dep = main.speeds, knee.speeds
    fdyn = ForwardDynamics(system, loops=[slider])
    constants = dict.fromkeys(fdyn.constants, 1.0)
    with pytest.raises(ValueError, match="`q` must be a pose in which the constraints determine"):
        fdyn.linearize([np.pi / 6, -2 * np.pi / 3], [0.0, 0.0], constants)
