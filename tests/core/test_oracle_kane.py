"""Generalized forces of random trees against sympy's KanesMethod.

KanesMethod differentiates velocities that sympy propagates from point to point, which is
another derivation than ours.
"""

import warnings

import numpy as np
import pytest
from marks import few
from numeric import evaluate_matrix, relative_error, run
from random_systems import JOINTS, LOADS, random_system
from sympy.physics.mechanics import dynamicsymbols

from jointwrench.mechanics.methods.inverse_dynamics import InverseDynamics

#: Seeds of trees of welds alone, which have no equations of motion.
WELDED = (*(21, 144, 170, 174, 183, 184, 201, 228, 231, 238, 249, 258, 261, 277, 297, 336, 379),)
LOADS_WITHOUT_PATHWAYS = ("force", "torque", "motor")  # the formulas of others are long


def kanes_equations(system, values):
    """Return the mass matrix and forcing of the System in numbers."""
    with warnings.catch_warnings():  # a Point with several paths to it
        warnings.simplefilter("ignore")
        system.form_eoms(explicit_kinematics=True)
    method = system.eom_method
    rates = {q.diff(): u for q, u in zip(system.q, system.u, strict=True)}
    forcing = method.forcing.xreplace(rates)
    return evaluate_matrix(method.mass_matrix, values), evaluate_matrix(forcing, values)[:, 0]


def check_generalized_forces(seed):
    kinds = LOADS if seed % 3 == 0 else LOADS_WITHOUT_PATHWAYS
    joints = JOINTS if seed % 3 < 2 else ("pin", "prismatic", "weld")
    tree = random_system(seed, 1 + seed % 3, joints=joints, loads=kinds, reverse=False)
    values = tree.inputs
    forces = run(InverseDynamics(tree.system).program(), values)["generalized_forces"]
    mass, forcing = kanes_equations(tree.system, values)
    accelerations = [values[u.diff(dynamicsymbols._t)] for u in tree.system.u]
    assert relative_error(forces, mass @ accelerations - forcing) < 1e-9, tree
    if tree.is_regular:  # forward dynamics of the inverse result returns the motion
        forward = np.linalg.solve(mass, forcing + forces)
        assert relative_error(forward, np.array(accelerations)) < 1e-9 * np.linalg.cond(mass)


@pytest.mark.parametrize("seed", few(sorted({*range(30)} - {*WELDED}), *range(4), 5, 6, 9, 15, 27))
def test_generalized_forces(seed):
    check_generalized_forces(seed)


@pytest.mark.slow
@pytest.mark.parametrize("start", range(100, 400, 20))
def test_generalized_forces_of_many(start):
    for seed in set(range(start, start + 20)).difference(WELDED):
        check_generalized_forces(seed)
