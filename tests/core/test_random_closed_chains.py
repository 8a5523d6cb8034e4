"""Random closed mechanisms against one dense balance of all their bodies.

A test's number is the mechanism's; its thousands count up the kinds of closings and motors.
"""

from copy import copy
from functools import lru_cache

import numpy as np
import pytest
from closed_chains import ClosedChain, check_outputs, constrain
from marks import slow
from numeric import evaluate, run
from numeric_tree import NumericTree
from random_closed_chains import random_closed_chain
from random_trees import random_state
from sympy.physics.mechanics import dynamicsymbols

from jointwrench import InverseDynamics

OUTPUTS = ("generalized_forces", "joint_wrenches", "unsupplied", "constraint_errors")

#: Numbers that need little search.
SPATIAL = (2, 2001, 3000, 4000, 5003, 6007, 7004, 8000, 9000, 11002, 12001, 13000, 17000, 18001)
PLANAR = (0, 1000, 2000, 3000, 4000, 5000, 7000, 8000, 9001, 11000, 13000)


@lru_cache(50)
def checked(number, planar=False):
    """Return a random chain, the InverseDynamics of it and its loops, once its outputs agree."""
    chain = random_closed_chain(number, planar)
    loops = chain.loops
    system = copy(chain.tree.system)
    if len(chain.tree.bodies) < 3:  # sympy's equations of longer chains take seconds
        constrain(system, loops)
    idyn = InverseDynamics(system, loops=loops, actuated=chain.actuated)
    check_outputs(run(idyn.program(OUTPUTS), chain.values), chain.numeric)
    return chain, idyn, loops


@pytest.mark.parametrize("number", [*SPATIAL[8::4], *slow({*SPATIAL} - {*SPATIAL[8::4]})])
def test_in_space(number):
    checked(number)


@pytest.mark.parametrize("number", [*PLANAR[::2], *slow(PLANAR[1::2])])
def test_in_a_plane(number):
    checked(number, planar=True)


LONG = (2, 2001, 4000, 6007, 8000, 11002, 12001, 17000, 18001)  # sympy takes seconds


@pytest.mark.parametrize(
    ("number", "is_planar"),
    [
        *((number, True) for number in PLANAR[::3]),
        *(
            pytest.param(number, False, marks=[pytest.mark.slow] if number in LONG else ())
            for number in SPATIAL
        ),
    ],
)
def test_equations(number, is_planar):
    """Of places and velocities, in a state in which the loops are open."""
    chain = random_closed_chain(number, is_planar)
    values, time = random_state(chain.tree, number + 1), dynamicsymbols._t
    rates = {q.diff(time): values[u] for q, u in zip(*states(chain.tree.system), strict=True)}
    numeric = NumericTree(chain.tree, values)
    for closing, loop in zip(chain.closings, chain.loops, strict=True):
        errors = ClosedChain(numeric, [closing]).errors
        holonomic, moving = errors[:2, np.abs(errors[:2]).max(axis=0) > 1e-9]
        if closing.kind == "contact":
            holonomic = np.zeros(0)
        assert numbers(loop.holonomic_constraints, values) == pytest.approx(holonomic, abs=1e-9)
        found = numbers(loop.velocity_constraints, {**values, **rates})
        assert found == pytest.approx(moving, abs=1e-9)


def states(system):
    """Return coordinates and speeds, joint by joint."""
    joints = system.joints
    return [q for j in joints for q in j.coordinates], [u for j in joints for u in j.speeds]


def numbers(equations, values):
    return np.array([evaluate(equation, values) for equation in equations])


@pytest.mark.parametrize(("number", "is_planar"), [(3000, False), (0, True), (1000, True)])
def test_names_of_what_is_open(number, is_planar):
    chain, idyn, loops = checked(number, is_planar)
    members, numeric = [*chain.tree.system.joints, *loops], chain.numeric
    silent = np.isnan(numeric.joint_wrenches).any(axis=1)
    named = {member for member, is_open in zip(members, silent, strict=True) if is_open}
    named |= {
        u for u, f in zip(numeric.speeds, numeric.generalized_forces, strict=True) if np.isnan(f)
    }
    assert bool(named) == is_planar
    assert set(idyn.undetermined) == named


#: Here symbols of equal values determine components that are open for other values of them.
COINCIDENCES = {(176, False)}


@pytest.mark.slow
@pytest.mark.parametrize("is_planar", [False, True])
@pytest.mark.parametrize("start", range(20, 270, 10))
def test_many(start, is_planar):
    for seed in range(start, start + 10):
        if (seed, is_planar) in COINCIDENCES:
            continue
        checked(1000 * seed, is_planar)
