"""Derivatives of outputs against complex steps, laws, and the formulas of sympy."""

import numpy as np
import pytest
from marks import few
from numbered_arms import ROBOTS, robot
from refusals import refusal, refused
from sympy import Function, Matrix, Symbol, simplify
from sympy.physics.mechanics import Force, Torque

from jointwrench import ForwardDynamics, InverseDynamics, SerialChain

#: Multiplications and additions of values and Jacobians in q, u and udot (DESIGN of the package).
BARS = {
    ("Franka Panda", "generalized_forces"): (1900, 1700),
    ("Puma 560", "generalized_forces"): (1637, 1475),
    ("Franka Panda", "generalized_forces joint_wrenches"): (4206, 3716),
}


@pytest.mark.parametrize(("name", "outputs"), few(BARS, ("Puma 560", "generalized_forces")))
def test_operations(name, outputs):
    program = robot(ROBOTS[name]).model.outputs.cheapest(outputs.split(), None, ["q", "u", "udot"])
    counts = program.count_ops()
    assert counts["mul"] <= BARS[name, outputs][0]
    assert counts["add"] <= BARS[name, outputs][1]


def test_the_mass_matrix_is_known_in_forward_sweeps():
    idyn = robot(ROBOTS["Puma 560"])

    def cost(*wrt):
        return idyn.model.outputs.cheapest(["generalized_forces"], None, wrt).cost()

    assert cost("q", "udot") <= cost("q") + idyn.program("mass_matrix").cost()


# -- what users call ----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def chain():
    return SerialChain.planar(2, gravity=(0, -9.81, 0))


@pytest.fixture(scope="module")
def idyn(chain):
    return InverseDynamics(chain.system)


def test_formulas_are_those_of_sympy(idyn):
    expected = Matrix(idyn.generalized_forces).jacobian(idyn.coordinates)
    found = idyn.derivative("generalized_forces", "q")
    assert simplify(found - expected) == Matrix.zeros(2, 2)
    l_1 = Symbol("l_1")
    expected = Matrix(idyn.generalized_forces).diff(l_1)
    assert simplify(idyn.derivative("generalized_forces", l_1) - expected) == Matrix.zeros(2, 1)
    assert idyn.derivative("generalized_forces", "udot") == idyn.mass_matrix
    assert idyn.derivative("joint_wrenches", "q").shape == (12, 2)


@pytest.mark.parametrize("backend", ["c", "numpy"])
def test_arrays(idyn, backend):
    outputs = ("generalized_forces", "joint_wrenches")
    evaluate = idyn.compile(outputs, backend=backend, derivatives=["q", "udot", "l_0", "constants"])
    motion = np.random.default_rng(5).normal(size=(3, 4, 6, 2))
    numbers = {x: 1.0 + 0.1 * k for k, x in enumerate(idyn.constants)}
    result = evaluate(*motion, constants=numbers)
    assert result.derivative("generalized_forces", "q").shape == (4, 6, 2, 2)
    assert result.derivative("joint_wrenches", "constants").shape == (4, 6, 2, 6, 6)
    mass = idyn.compile("mass_matrix", backend=backend)(*motion, constants=numbers).mass_matrix
    assert result.derivative("generalized_forces", "udot") == pytest.approx(mass)
    place = idyn.constants.index(Symbol("l_0"))
    every = result.derivative("joint_wrenches", "constants")
    l_0 = result.derivative("joint_wrenches", Symbol("l_0"))
    assert l_0.shape == (4, 6, 2, 6, 1)
    assert (l_0[..., 0] == every[..., place]).all()
    pair = result.derivative("generalized_forces", [idyn.coordinates[1], "l_0"])
    assert (pair[..., 0] == result.derivative("generalized_forces", "q")[..., 1]).all()
    assert result.per_mass(2.0).derivative("generalized_forces", "q") == pytest.approx(
        result.derivative("generalized_forces", "q") / 2
    )


def test_a_constant_with_the_name_of_a_group():
    q = Symbol("q")
    chain = SerialChain.planar(1)
    chain.system.add_loads(Force(chain.tip, q * chain.ground.y))
    idyn = InverseDynamics(chain.system)
    evaluate = idyn.compile("generalized_forces", derivatives=[q, "q"], backend="numpy")
    result = evaluate([0.3], [0], [0], constants={"l_0": 1, "m_0": 1, "I_0": 1, q: 2})
    assert result.derivative("generalized_forces", "q") == pytest.approx(2 * np.cos(0.3))
    assert result.derivative("generalized_forces", q) == pytest.approx(np.sin(0.3))


def test_numbers_at_compile_time_are_left_out(idyn):
    numbers = dict.fromkeys(idyn.constants, 1.0)
    free = numbers.popitem()[0]
    evaluate = idyn.compile("bias", constants=numbers, derivatives=["constants"], backend="numpy")
    result = evaluate([0.1, 0.2], [1, 2], [0, 0], constants={free: 2.0})
    assert result.derivative("bias", "constants").shape == (2, 1)
    with refusal("derivatives"):
        idyn.compile("bias", constants={"I_0": 1.0}, derivatives=["I_0"])


def test_sparsity():
    chain = SerialChain.planar(3)  # without gravity the first angle does not matter
    evaluate = InverseDynamics(chain.system).compile(derivatives=["q", "udot"], backend="numpy")
    pattern = evaluate.derivative_sparsity("generalized_forces", "q")
    assert pattern.tolist() == [[False, True, True]] * 3
    assert evaluate.derivative_sparsity("joint_wrenches", "udot").shape == (3, 6, 3)
    assert evaluate.derivative_sparsity("generalized_forces", "udot").all()


def test_written_as_c(idyn, tmp_path):
    _, header = idyn.write_c(tmp_path / "arm.c", ["generalized_forces"], derivatives=["q"])
    text = " ".join(header.read_text().split())
    assert "derivative of generalized forces with respect to generalized coordinates, 2 x 2" in text


# -- bad input ----------------------------------------------------------------------------------


def test_what_was_not_compiled(idyn):
    evaluate = idyn.compile("bias", derivatives=["q"], backend="numpy")
    result = evaluate([0, 0], [0, 0], [0, 0], constants=dict.fromkeys(idyn.constants, 1.0))
    refused(lambda: result.derivative("bias", []), "wrt")


def test_two_symbols_of_one_name():
    chain = SerialChain.planar(2)
    other = Symbol("l_0", positive=True)
    chain.system.add_loads(Force(chain.tip, other * chain.ground.x))
    idyn = InverseDynamics(chain.system)
    refused(lambda: idyn.compile(derivatives=["l_0"]), "derivatives")
    evaluate = idyn.compile("bias", derivatives=["constants"], backend="numpy")
    refused(lambda: evaluate.derivative_sparsity("bias", "l_0"), "wrt")
    assert evaluate.derivative_sparsity("bias", other).shape == (2, 1)
    assert idyn.derivative("generalized_forces", other).shape == (2, 1)


def test_functions_of_coordinates_have_unknown_slopes():
    chain = SerialChain.planar(1)
    spring = Function("spring")(chain.coordinates[0])
    chain.system.add_loads(Torque(chain.bodies[0].frame, spring * chain.ground.z))
    idyn = InverseDynamics(chain.system)
    refused(lambda: idyn.compile(derivatives=["q"]), "derivatives")
    refused(lambda: idyn.derivative("generalized_forces", "q"), "wrt")
    assert idyn.derivative("generalized_forces", spring)[0] == -1


def test_an_output_does_not_depend_on_what_was_asked_before():
    """An arm of eight speeds has three solutions for the accelerations; the first one stays."""
    fdyn = ForwardDynamics(SerialChain.planar(8, gravity=(0, -9.81, 0)).system)
    before = {name: fdyn.model.outputs.output(name) for name in ("udot", "joint_wrenches")}
    assert len(fdyn.model.outputs.alternatives(["udot", "joint_wrenches"])) == 3
    assert before == {name: fdyn.model.outputs.output(name) for name in before}
