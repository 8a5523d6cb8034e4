"""Regrouped parameters yield the same generalized forces, and only those."""

import numpy as np
import pytest
from marks import slow
from numbered_arms import ROBOTS, robot
from numeric import run
from random_systems import random_system

from jointwrench import InverseDynamics


def both(idyn, values):
    """Return the generalized forces without and with regrouped parameters."""
    programs = idyn.model.outputs.alternatives(["generalized_forces"])
    return [run(program, values)["generalized_forces"] for program in programs]


@pytest.mark.parametrize("seed", [1, 10, *slow([0, 2, 4, 7, 8, 11, 12, 13])])
def test_random_trees(seed):
    tree = random_system(seed)
    plain, regrouped = both(InverseDynamics(tree.system), tree.inputs)
    np.testing.assert_allclose(regrouped, plain, 1e-11, 1e-11 * np.abs(plain).max(initial=1))


def test_wrenches_and_formulas_stay_as_they_are():
    idyn = robot(ROBOTS["Puma 560"][:2])
    before = idyn.program(), idyn.generalized_forces
    idyn.program("generalized_forces")
    assert idyn.program().refs == before[0].refs
    assert idyn.generalized_forces == before[1]
    assert len(idyn.model.outputs.alternatives(["generalized_forces", "joint_wrenches"])) == 1
