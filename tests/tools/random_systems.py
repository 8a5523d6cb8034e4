"""Random described models as Systems of sympy, with a number for each symbol."""

from functools import lru_cache
from random import Random

import numpy as np
from described_models import Closer, VersionedConstructor, random_chain
from described_systems import Built
from sympy.physics.mechanics import Particle

JOINTS = ("pin", "pin", "prismatic", "cylindrical", "planar", "spherical", "weld")
LOADS = ("force", "force", "torque", "spring", "spring", "strut", "motor")
GRAVITY = ("all", "all", "some", "none")
WISHES = {"pose": "generic", "joints": JOINTS, "loads": LOADS, "gravity": GRAVITY, "base": 0.0}


def child_frame(joint):
    """Return the frame of a joint's child; of a particle, the child's interframe."""
    return joint.child_interframe if isinstance(joint.child, Particle) else joint.child.frame


def check_same(actual, expected, tolerance=1e-9):
    """Check that NaN stands in the same places, and all else relative to the largest number."""
    actual, expected = np.asarray(actual, dtype=float), np.asarray(expected, dtype=float)
    assert actual.shape == expected.shape, (actual.shape, expected.shape)
    assert np.isnan(actual).tolist() == np.isnan(expected).tolist()
    known = ~np.isnan(expected)
    scale = max(1.0, np.abs(expected[known]).max(initial=0))
    assert np.abs(actual[known] - expected[known]).max(initial=0) < tolerance * scale


def check_outputs(outputs, numeric):
    """Check the outputs of InverseDynamics that the dense balance has, too."""
    for name in ("joint_wrenches", "generalized_forces", "unsupplied"):
        check_same(outputs[name], getattr(numeric, name))
    count = numeric.errors.shape[-1]  # behind them stand the model's own, where there are contacts
    check_same(outputs["constraint_errors"][..., :count], numeric.errors)


def random_tree(seed, count=None, motors=False, **wishes):
    """Return the maker of a random tree; ``motors`` are loads that the motion determines."""
    count = count or Random(seed).randint(1, 5)
    maker = VersionedConstructor(seed, **(WISHES | wishes))
    maker.tree(count)
    maker.add_loads(count + 1)
    if motors:
        maker.add_motors()
    return maker


def random_system(seed, count=None, **wishes):
    """Return a random tree, of one to five bodies if no ``count`` is given."""
    return Built(random_tree(seed, count, **wishes).model())


@lru_cache(50)
def closed_system(number, planar=False, closer=Closer):
    """Return a random closed mechanism; several tests share one: nothing may be added to it."""
    return Built(random_chain(number, planar, closer, pose="generic", base=0.0))
