"""Gradients and Hessians of weighted sums against complex steps, CasADi, and formulas."""

import copy
import pickle

import numpy as np
import pytest
from numbered_arms import ROBOTS, robot
from random_systems import closed_system
from refusals import refused
from sympy import Abs, Matrix, Max, Piecewise, Symbol, sign, symbols

from jointwrench import ForwardDynamics, InverseDynamics, SerialChain
from jointwrench.mechanics.arithmetic import derivatives


def test_operations():
    """Fewer than the 11,452 instructions that CasADi needs for gradient and Hessian."""
    idyn = robot(ROBOTS["Franka Panda"])
    program, own = idyn.model.outputs.weighted_sum(["generalized_forces"], None, ["q", "u", "udot"])
    assert program.cost() < 7_800
    assert len(own.places) == 133


def test_limit(idyn, monkeypatch):
    monkeypatch.setattr(derivatives, "MOST_OPERATIONS", 100)
    refused(lambda: idyn.compile("joint_wrenches", second_derivatives=["q"]), "outputs")


# -- what users call ----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def idyn():
    return InverseDynamics(SerialChain.planar(2, gravity=(0, -9.81, 0)).system)


@pytest.fixture(scope="module")
def numbers(idyn):
    return {symbol: 1.0 + 0.1 * k for k, symbol in enumerate(idyn.constants)}


def test_formulas(idyn):
    a, b = symbols("a b")
    found = idyn.hessian("bias", [a, b], ["u", "l_0"])
    (value,) = Matrix([[a, b]]) * Matrix(idyn.bias)
    variables = [*idyn.speeds, Symbol("l_0")]
    expected = Matrix(3, 3, lambda i, j: value.diff(variables[i], variables[j]))
    assert (found - expected).expand() == Matrix.zeros(3, 3)


@pytest.mark.parametrize("backend", ["c", "numpy"])
def test_arrays(idyn, numbers, backend):
    wrt = ["u", "q", "udot"]
    evaluate = idyn.compile("generalized_forces", second_derivatives=wrt, backend=backend)
    random = np.random.default_rng(5)
    q, u, udot, weights = random.normal(size=(4, 3, 5, 2))
    given = {"constants": numbers, "weights": weights}
    result = evaluate(q, u, udot, **given)
    first = idyn.compile(["generalized_forces"], derivatives=wrt, backend="numpy")
    slopes = first(q, u, udot, constants=numbers)
    expected = (slopes.generalized_forces * weights).sum(-1)
    assert result.weighted_sum == pytest.approx(expected)
    jacobian = slopes.derivative("generalized_forces", wrt)
    assert result.gradient == pytest.approx(np.einsum("...i,...ij", weights, jacobian))
    assert result.hessian.shape == (3, 5, len(evaluate.rows))
    assert evaluate.variables == (*idyn.speeds, *idyn.coordinates, *idyn.accelerations)
    single = evaluate(q[1, 2], u[1, 2], udot[1, 2], constants=numbers, weights=weights[1, 2])
    assert single.hessian == pytest.approx(result.hessian[1, 2], rel=1e-14)
    twin = pickle.loads(pickle.dumps(copy.copy(evaluate)))
    assert (twin(q, u, udot, **given).hessian == result.hessian).all()
    assert (twin.rows == evaluate.rows).all()
    out = {"hessian": np.empty_like(result.hessian)}
    assert evaluate(q, u, udot, **given, out=out).hessian is out["hessian"]


def test_tensors(idyn, numbers):
    """All second derivatives of all outputs, beside differences of all first ones."""
    outputs, wrt = ["mass_matrix", "bias"], ["q", "u"]
    evaluate = idyn.compile(outputs, numbers, second_derivatives=wrt, backend="numpy")
    slopes = idyn.compile(outputs, numbers, derivatives=wrt, backend="numpy")
    q, u = np.random.default_rng(6).normal(size=(2, 3, 2))
    found, step = evaluate.tensors(q, u, np.zeros(2)), 1e-6
    assert found["mass_matrix"].shape == (3, 2, 2, 4, 4)
    for name, tensor in found.items():
        for k, moved in enumerate(np.eye(4) * step):
            dq, du = np.split(moved, 2)
            up, down = (slopes(q + s * dq, u + s * du).derivative(name, wrt) for s in (1, -1))
            assert tensor[..., k] == pytest.approx((up - down) / (2 * step), rel=1e-7, abs=1e-7)


def test_weights_of_several_outputs(idyn, numbers):
    evaluate = idyn.compile(
        ["mass_matrix", "generalized_forces"], numbers, second_derivatives="q", backend="numpy"
    )
    random = np.random.default_rng(1)
    motion, weights = random.normal(size=(3, 4, 2)), random.normal(size=(4, 2, 2))
    parts = [{"mass_matrix": weights}, {"generalized_forces": [1.0, 2.0]}]
    one, two, both = (evaluate(*motion, weights=x) for x in (*parts, parts[0] | parts[1]))
    assert one.hessian + two.hessian == pytest.approx(both.hessian)
    alone = idyn.compile("mass_matrix", numbers, second_derivatives="q", backend="numpy")
    assert alone.dense(alone(*motion, weights=weights).hessian) == pytest.approx(
        evaluate.dense(one.hessian)
    )


def test_forward_evaluator():
    fdyn = ForwardDynamics(SerialChain.planar(1, gravity=(0, -9.81, 0)).system)
    numbers = {symbol: 1.0 for symbol in fdyn.constants}
    evaluate = fdyn.compile("udot", numbers, second_derivatives=["q"], backend="numpy")
    result = evaluate([0.3], [0.0], weights=[2.0])
    largest = 9.81 * 0.5 / 1.25
    assert result.gradient == pytest.approx([2 * largest * np.cos(0.3)])
    assert result.hessian == pytest.approx([-2 * largest * np.sin(0.3)])
    refused(lambda: evaluate([0.3], [0.0], udot=[0.0], weights=[2.0]), "udot", TypeError)


@pytest.mark.usefixtures("numpy_by_default")
def test_what_is_linear_has_an_empty_hessian(idyn, numbers):
    evaluate = idyn.compile("generalized_forces", numbers, second_derivatives=["udot"])
    result = evaluate([0, 0], [0, 0], [0, 0], weights=[1, 1])
    assert result.hessian.shape == (0,)
    assert (evaluate.dense(result.hessian) == np.zeros((2, 2))).all()


def test_written_as_c(idyn, tmp_path):
    _, header = idyn.write_c(tmp_path / "arm.c", "generalized_forces", second_derivatives=["q"])
    text = " ".join(header.read_text().split())
    assert "nonzeros of the lower triangle of its Hessian" in text
    assert "weights of the outputs" in text


def test_corners():
    chain = SerialChain.planar(1)
    q, u = chain.system.q[0], chain.system.u[0]
    moment = q**2 * Abs(u) + Max(0, u) + 3 * sign(u) + Piecewise((q**3, q > 1), (q, True))
    chain.system.add_loads((chain.bodies[0].frame, moment * chain.ground.z))
    idyn, numbers = InverseDynamics(chain.system), {"l_0": 1, "m_0": 1, "I_0": 1}
    options = {"second_derivatives": ["q", "u"], "backend": "numpy"}
    evaluate = idyn.compile("generalized_forces", numbers, **options)
    assert set(evaluate.corners) == {
        *("Abs(u_0(t))", "Max(0, u_0(t))", "sign(u_0(t))"),
        "Piecewise((q_0(t)**3, q_0(t) > 1), (q_0(t), True))",
    }
    result = evaluate([[0.5], [2.0]], [[0.0], [-2.0]], [0.0], weights=[1.0])
    expected = [[[0, 0], [0, 0]], [[-16, 4], [4, 0]]]
    assert evaluate.dense(result.hessian) == pytest.approx(np.array(expected))


# -- bad input ----------------------------------------------------------------------------------


def test_weights(idyn, numbers):
    cases = [("bias", None), (["bias", "mass_matrix"], [1, 1]), ("bias", {"bias": [1.0]})]
    for outputs, weights in cases:
        evaluate = idyn.compile(outputs, numbers, second_derivatives=["q"], backend="numpy")
        refused(lambda: evaluate([0, 0], [0, 0], [0, 0], weights=weights), "weights")


def test_what_is_open_has_no_second_derivatives():
    chain = closed_system(0, planar=True)
    refused(lambda: chain.inverse().compile("joint_wrenches", second_derivatives=["q"]), "outputs")


def test_requests(idyn):
    refused(lambda: idyn.compile(second_derivatives=["p"]), "second_derivatives")
