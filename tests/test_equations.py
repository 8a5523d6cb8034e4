"""Mass matrix and bias: Q = M udot + bias, as KanesMethod has them."""

import numpy as np
import pytest
from marks import slow
from numeric import relative_error, run
from numeric_tree import NumericTree
from random_trees import random_state, random_tree
from sympy import zeros
from test_oracle_kane import kanes_equations

from jointwrench.methods.inverse_dynamics import InverseDynamics
from jointwrench.models.serial_chain import SerialChain

OUTPUTS = ("generalized_forces", "mass_matrix", "bias")


@pytest.fixture(scope="module", params=[*range(10), *slow(range(10, 20))])
def case(request):
    """A random tree, its inverse dynamics, numbers for all symbols, outputs."""
    tree = random_tree(request.param)
    idyn, values = InverseDynamics(tree.system), random_state(tree, request.param)
    return tree, idyn, values, run(idyn.program(OUTPUTS), values)


def test_forces_are_mass_matrix_times_accelerations_plus_bias(case):
    tree, idyn, values, outputs = case
    accelerations = np.array([values[a] for a in idyn.accelerations])
    expected = outputs["mass_matrix"] @ accelerations + outputs["bias"]
    assert relative_error(outputs["generalized_forces"], expected) < 1e-10, tree


def test_mass_matrix_is_definite(case):
    tree, idyn, _, outputs = case
    matrix = outputs["mass_matrix"]
    assert matrix.shape == (len(idyn.speeds), len(idyn.speeds))
    smallest = min(np.linalg.eigvalsh(matrix), default=1.0)
    assert smallest > (1e-9 if tree.is_regular else -1e-12), tree


def test_mass_matrix_is_the_slope_of_forces(case):
    """Both halves, of which one may be the other's copy."""
    tree, idyn, values, outputs = case
    program, count = idyn.program("generalized_forces"), len(idyn.speeds)
    slope = np.zeros((count, count))
    for k, acceleration in enumerate(idyn.accelerations):
        moved = {**values, **dict.fromkeys(idyn.accelerations, 0.0), acceleration: 1.0}
        slope[:, k] = run(program, moved)["generalized_forces"] - outputs["bias"]
    assert relative_error(outputs["mass_matrix"], slope) < 1e-9, tree


def test_kinetic_energy(case):
    """u' M u / 2 is the kinetic energy of all bodies."""
    tree, idyn, values, outputs = case
    speeds = np.array([values[u] for u in idyn.speeds])
    energy = 0.0
    numeric = NumericTree(tree, values)
    for body in tree.bodies:
        pose, central = numeric.poses[body], tree.central_inertias[body]
        spin = pose.rotation[0].T @ pose.angular_velocity
        energy += tree.masses[body] * pose.center[1] @ pose.center[1] / 2
        energy += spin @ central @ spin / 2
    assert speeds @ outputs["mass_matrix"] @ speeds / 2 == pytest.approx(energy, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("seed", [0, 3, 4, 6, 8, *slow([2, 5, 7, *range(9, 13)])])
def test_equations_of_kanes_method(seed):
    tree = random_tree(seed, 1 + seed % 3, load_kinds=("force", "torque"), reverse=False)
    assert tree.system.u
    values = random_state(tree, seed)
    outputs = run(InverseDynamics(tree.system).program(OUTPUTS), values)
    mass, forcing = kanes_equations(tree.system, values)
    assert relative_error(outputs["mass_matrix"], mass) < 1e-9, tree
    assert relative_error(outputs["bias"], -forcing) < 1e-9, tree


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
    tree = random_tree(1, 1, joints=("weld",), load_kinds=())
    outputs = run(InverseDynamics(tree.system).program(OUTPUTS), {**random_state(tree, 1)})
    assert outputs["mass_matrix"].shape == (0, 0)
    assert outputs["bias"].shape == (0,)
