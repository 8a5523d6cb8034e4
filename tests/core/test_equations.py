"""Mass matrix and bias: Q = M udot + bias."""

import numpy as np
import pytest
from marks import slow
from numeric import relative_error, run
from random_systems import random_system
from sympy import zeros

from jointwrench.mechanics.methods.inverse_dynamics import InverseDynamics
from jointwrench.mechanics.models.serial_chain import SerialChain

OUTPUTS = ("generalized_forces", "mass_matrix", "bias")


@pytest.mark.parametrize("seed", [1, 2, 3, 4, 9, *slow([0, *range(5, 9), *range(10, 20)])])
def test_mass_matrix_is_the_slope_of_forces(seed):
    """Both halves, of which one may be the other's copy."""
    tree = random_system(seed)
    idyn, values = InverseDynamics(tree.system), tree.inputs
    outputs = run(idyn.program(OUTPUTS), values)
    program, count = idyn.program("generalized_forces"), len(idyn.speeds)
    slope = np.zeros((count, count))
    for k, acceleration in enumerate(idyn.accelerations):
        moved = {**values, **dict.fromkeys(idyn.accelerations, 0.0), acceleration: 1.0}
        slope[:, k] = run(program, moved)["generalized_forces"] - outputs["bias"]
    assert relative_error(outputs["mass_matrix"], slope) < 1e-9, tree


def test_formulas():
    chain = SerialChain.planar(1, gravity=(0, -9.81, 0))
    idyn = InverseDynamics(chain.system)
    sum_ = idyn.mass_matrix * idyn.accelerations + idyn.bias - idyn.generalized_forces
    assert sum_.applyfunc(lambda x: x.expand()) == zeros(1, 1)
    time_derivatives = set(idyn.accelerations)
    assert not idyn.mass_matrix.atoms(*{type(a) for a in time_derivatives})
    assert not idyn.bias.has(*time_derivatives)


@pytest.mark.parametrize("backend", ["numpy"])
def test_compiled(backend):
    chain = SerialChain.planar(3, gravity=(0, -9.81, 0))
    idyn = InverseDynamics(chain.system)
    evaluate = idyn.compile(OUTPUTS, backend=backend)
    numbers = np.random.default_rng(3)
    q, u, udot = numbers.uniform(-1, 1, (3, 5, 3))
    constants = {s: 0.5 + 0.1 * k for k, s in enumerate(idyn.constants)}
    result = evaluate(q, u, udot, constants=constants)
    assert result.outputs["mass_matrix"].shape == (5, 3, 3)
    assert result.outputs["bias"].shape == (5, 3)
    expected = np.einsum("bij,bj->bi", result.outputs["mass_matrix"], udot) + result.outputs["bias"]
    assert result.generalized_forces == pytest.approx(expected)


def test_no_speeds():
    tree = random_system(1, 1, joints=("weld",), loads=())
    outputs = run(InverseDynamics(tree.system).program(OUTPUTS), {**tree.inputs})
    assert outputs["mass_matrix"].shape == (0, 0)
    assert outputs["bias"].shape == (0,)
