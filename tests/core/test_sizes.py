"""Laws that hold for any number of bodies: what is right for three is right for two hundred."""

import sys
from math import log2

import numpy as np
import pytest
from each_model import check_no_model
from long_models import NUMBERS, VALUES, arc, binary, held_tip, ladder, ring, tree
from marks import slow

from jointwrench import ForwardDynamics, InverseDynamics
from jointwrench.mechanics.arithmetic.double_states import DoubleStates
from jointwrench.mechanics.arithmetic.generic_state import GenericState
from jointwrench.robots import read_urdf

pytestmark = pytest.mark.usefixtures("numpy_by_default")

#: The work of a derivation grows with this power of the number of bodies at most.
POWER = 1.1
POWER_OF_MANY_LOOPS = 1.2
#: What is left of forces, as a part of those of a motion without accelerations.
LEFT = 1e-10
KINDS = ("pin", "twist", "skew", "spherical", "universal", "slide")


def values_of(idyn):
    """Return the constants of a long model by name."""
    return {x: VALUES[x.name] for x in idyn.constants}


def states(idyn, count=3, seed=0):
    """Return q and u at some states."""
    random, width = np.random.default_rng(seed), len(idyn.coordinates)
    return 0.7 * random.normal(size=(2, count, width))


def check_return(system, loops=(), pose=0.0, spread=0.05):
    """Put the accelerations of forward dynamics into inverse dynamics: nothing is left to do.

    Loops are closed near a pose, from which coordinates are spread.
    """
    idyn, fdyn = (method(system, loops=loops) for method in (InverseDynamics, ForwardDynamics))
    constants, (q, u) = values_of(idyn), states(idyn)
    if loops and system.q_dep:
        q, u, _ = idyn.close_motion(pose + spread * q, u, constants=constants)
    elif loops:
        _, u, _ = idyn.close_motion(q, u, constants=constants)
    forward = fdyn.compile(["udot", "joint_wrenches"], backend="numpy")(q, u, constants=constants)
    inverse = idyn.compile(["generalized_forces", "joint_wrenches"], backend="numpy")
    left, still = (inverse(q, u, x, constants) for x in (forward.udot, 0 * forward.udot))
    largest = abs(still.generalized_forces).max()
    assert np.isfinite(largest)
    assert abs(left.generalized_forces).max() <= LEFT * largest
    wrenches = still.joint_wrenches
    np.testing.assert_allclose(
        left.joint_wrenches, forward.joint_wrenches, atol=LEFT * np.nanmax(abs(wrenches)), rtol=LEFT
    )


def on_arc(count, numbers, **options):
    """Return a ring, its loops, and a pose near which they close."""
    system, loops = ring(count, numbers, **options)
    return system, loops, arc(system, **options)


#: Models of any size, and how far from their pose their coordinates are spread.
MODELS = {
    "chain": (lambda *args: tree(*args)[:1], 0.05),
    "chain on a free base": (lambda *args: tree(*args, is_free=True)[:1], 0.05),
    "tree": (lambda *args: tree(*args, inner=binary)[:1], 0.05),
    "ladder": (ladder, 0.05),
    "four-bars on four-bars": (lambda *args: ladder(*args, is_on_rungs=True), 0.02),
    "ladder in space": (lambda *args: ladder(*args, is_spatial=True), 0.02),
    "ring": (on_arc, 0.05),
    "ring in space": (lambda *args: on_arc(*args, is_spatial=True), 0.05),
    "contact at the tip": (held_tip, 0.05),
}
QUICK = [
    *[("chain", kind, n, "symbols") for kind, n in (("pin", 1), ("twist", 3), ("spherical", 1))],
    ("chain", "slide", 3, "symbols"),
    ("chain on a free base", "twist", 6, "decimals"),
    ("ladder", 1, "symbols"),
    ("four-bars on four-bars", 2, "symbols"),
    ("ring", 3, "symbols"),
    ("contact at the tip", "skew", 2, "decimals"),
]
LARGE = [
    *[("chain", kind, n, "symbols") for kind in KINDS for n in (1, 3)],
    ("chain", "pin", 36, "symbols"),
    ("chain", "spherical", 11, "decimals"),
    ("chain", "universal", 8, "fractions"),
    *[
        ("chain", kind, n, numbers)
        for kind in KINDS
        for n in (10, 20, 40, 80, 160, 200)
        for numbers in NUMBERS
        if n < 100 or kind == "pin" or numbers == "decimals"
    ],
    ("chain", "skew", 24, "decimals"),
    ("chain", "spherical", 15, "symbols"),
    ("chain", "pin", 500, "decimals"),
    *[("chain on a free base", k, 60, n) for k in ("twist", "spherical") for n in NUMBERS],
    *[("tree", kind, 60, numbers) for kind in KINDS for numbers in NUMBERS],
    *[("ladder", n, x) for n, x in ((2, "decimals"), (8, "symbols"), (12, "decimals"))],
    ("four-bars on four-bars", 16, "decimals"),
    *[("ladder in space", n, x) for n, x in ((1, "decimals"), (3, "symbols"), (12, "decimals"))],
    *[("ring", n, "decimals") for n in (6, 20, 36, 150)],
    *[("ring", n, "symbols") for n in (20, 60)],
    *[("ring in space", n, x) for n, x in ((6, "decimals"), (6, "symbols"), (30, "decimals"))],
    ("contact at the tip", "skew", 15, "symbols"),
    ("contact at the tip", "pin", 40, "decimals"),
]


@pytest.mark.parametrize(
    ("name", "size"),
    [(x[0], x[1:]) for x in QUICK]
    + slow((x[0], x[1:]) for x in dict.fromkeys(LARGE) if x not in QUICK),
    ids=lambda x: x if isinstance(x, str) else "-".join(map(str, x)),
)
def test_what_made_a_motion_returns(name, size):
    make, spread = MODELS[name]
    check_return(*make(*size), spread=spread)


LONG = slow([("twist", 60, "decimals"), ("spherical", 40, "fractions")])


@pytest.mark.parametrize(("kind", "count", "numbers"), [("spherical", 8, "symbols"), *LONG])
def test_what_is_taken_for_zero_is_zero(kind, count, numbers, monkeypatch):
    """In plain doubles at other states, beside the terms that it is made of."""
    asked, without_zeros = [], GenericState.without_zeros

    def remembered(state, scalars):
        scalars = list(scalars)
        found = without_zeros(state, scalars)
        asked.append((scalars, found))
        return found

    monkeypatch.setattr(GenericState, "without_zeros", remembered)
    fdyn = ForwardDynamics(tree(kind, count, numbers)[0])
    fdyn.program("udot")
    graph, removed = fdyn.model.derivation.graph, 0
    numeric = DoubleStates(graph, count=3)
    for scalars, found in asked:
        for before, after, own in zip(scalars, found, numeric.samples(scalars), strict=True):
            if after.is_zero and not before.is_zero:
                removed += 1
                assert (abs(own.value) <= 1e-9 * own.scale).all()
    assert removed


@pytest.mark.parametrize("count", [3, *slow([20, 30])])
def test_what_is_open_in_one_loop_is_open_in_each(count):
    """Of a plane mechanism of pins in space, forces out of the plane are; of any length."""
    system, loops, pose = on_arc(count, "decimals")
    idyn = InverseDynamics(system, loops=loops)
    q, u = states(idyn, 1)
    q, u, udot = idyn.close_motion(pose + 0.05 * q, u, u, constants=values_of(idyn))
    wrenches = idyn.compile("joint_wrenches", backend="numpy")(q, u, udot).joint_wrenches[0]
    is_open = [False, False, True, True, True, False]
    assert np.isnan(wrenches).tolist() == [is_open] * (count + 1)


def calls(work):
    """Return how many functions are called by some work, which is what it takes, and its result."""
    count = 0

    def counted(frame, event, argument):
        nonlocal count
        count += event == "call"

    sys.setprofile(counted)
    try:
        result = work()
    finally:
        sys.setprofile(None)
    return count, result


@pytest.fixture(autouse=True)
def uncompared(monkeypatch):
    """Count what users' calls do, without the comparison that tests add."""
    check_no_model(monkeypatch)


def growth(method, make, least):
    """Return the power by which calls grow from a number of bodies or loops to twice as many."""
    found = []
    for count in (2 * least, least, 2 * least):  # the first one fills caches and imports
        system, loops = make(count)
        derived, model = calls(lambda system=system, loops=loops: method(system, loops=loops))
        output = "udot" if method is ForwardDynamics else "generalized_forces"
        written, _ = calls(lambda model=model, output=output: model.program(output))
        found.append(derived + written)
    return log2(found[2] / found[1])


@pytest.mark.parametrize("least", [5, *slow([40])])
def test_reading_grows_in_proportion(least):
    """Of a chain whose joints are turned by angles of which no sine is zero or one."""
    link = (
        "<link name='l{}'><inertial><mass value='1'/>"
        "<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link>"
    )
    joint = (
        "<joint name='j{}' type='continuous'><parent link='l{}'/><child link='l{}'/>"
        "<origin xyz='.2 .1 0' rpy='{} .5 .3'/><axis xyz='0 0 1'/></joint>"
    )
    found = []
    for count in (2 * least, least, 2 * least):
        links = "".join(map(link.format, range(1, count + 1)))
        joints = "".join(joint.format(k, k, k + 1, 0.7 + k / 99) for k in range(count))
        text = f"<robot name='r'><link name='l0'/>{links}{joints}</robot>"
        found.append(calls(lambda text=text: read_urdf(text))[0])
    assert found[2] < 2**1.1 * found[1]


@pytest.mark.parametrize("method", [InverseDynamics, *slow([ForwardDynamics])])
@pytest.mark.parametrize(
    ("kind", "inner", "least"),
    [
        ("pin", lambda k: k - 1, 8),
        *slow([("twist", binary, 20), ("twist", lambda k: k - 1, 60)]),
        *slow([("pin", binary, 60), ("spherical", binary, 40)]),
    ],
)
def test_derivation_and_code_grow_in_proportion(method, kind, inner, least):
    def make(count):
        return tree(kind, count, "symbols", inner)[0], ()

    assert growth(method, make, least) <= POWER


@pytest.mark.parametrize(
    ("method", "make", "options", "least", "power"),
    slow(
        [
            (InverseDynamics, ring, {}, 30, POWER),
            (ForwardDynamics, ring, {}, 30, POWER),
            (InverseDynamics, ring, {"is_spatial": True}, 60, POWER),
            (ForwardDynamics, ring, {"is_spatial": True}, 30, POWER),
            (InverseDynamics, ladder, {"is_on_rungs": True}, 8, POWER_OF_MANY_LOOPS),
        ]
    ),
)
def test_derivation_of_loops_grows_in_proportion(method, make, options, least, power):
    """But for forward dynamics of many loops, whose reactions depend on each other."""
    found = growth(method, lambda count: make(count, "decimals", **options), least)
    assert found <= power
