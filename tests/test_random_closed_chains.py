"""Random closed mechanisms against one dense balance of all their bodies.

A test's number is the mechanism's; its thousands count up the kinds of closings and motors.
"""

import numpy as np
import pytest
from closed_chains import Closing, check_same, constrain
from numeric import run
from random_closed_chains import random_closed_chain

from jointwrench import Contact, InverseDynamics, LoopJoint

OUTPUTS = ("generalized_forces", "joint_wrenches", "unsupplied", "constraint_errors")

#: Numbers that need little search.
SPATIAL = (2, 2001, 3000, 4000, 5003, 6007, 7004, 8000, 9000, 11002, 12001, 13000, 17000, 18001)
PLANAR = (0, 1000, 2000, 3000, 4000, 5000, 7000, 8000, 9001, 11000, 13000)


def solve(chain, loops, outputs=OUTPUTS, **options):
    """Return the InverseDynamics of a random chain, and its outputs at the chain's state."""
    idyn = InverseDynamics(chain.tree.system, loops=loops, actuated=chain.actuated, **options)
    return idyn, run(idyn.program(outputs), chain.values)


def check(chain):
    loops = [c.make(LoopJoint if isinstance(c, Closing) else Contact) for c in chain.closings]
    constrain(chain.tree.system, loops)
    idyn, outputs = solve(chain, loops)
    numeric = chain.numeric
    check_same(outputs["joint_wrenches"], numeric.joint_wrenches)
    check_same(outputs["generalized_forces"], numeric.forces)
    check_same(outputs["unsupplied"], numeric.unsupplied)
    check_same(outputs["constraint_errors"], numeric.errors)
    members = [*chain.tree.system.joints, *loops]
    silent = [np.isnan(wrench).any() for wrench in numeric.joint_wrenches]
    named = {member for member, is_open in zip(members, silent, strict=True) if is_open}
    named |= {u for u, f in zip(numeric.speeds, numeric.forces, strict=True) if np.isnan(f)}
    assert set(idyn.undetermined) == named


@pytest.mark.parametrize("number", SPATIAL)
def test_in_space(number):
    check(random_closed_chain(number))


@pytest.mark.parametrize("number", PLANAR)
def test_in_a_plane(number):
    check(random_closed_chain(number, planar=True))


@pytest.mark.slow
@pytest.mark.parametrize("is_planar", [False, True])
@pytest.mark.parametrize("start", range(20, 270, 10))
def test_many(start, is_planar):
    for seed in range(start, start + 10):
        check(random_closed_chain(1000 * seed, is_planar))
