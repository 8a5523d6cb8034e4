"""Laws that hold for any number of bodies: what is right for three is right for two hundred."""

import sys
from math import log2

import numpy as np
import pytest
from long_models import NUMBERS, VALUES, arc, binary, held_tip, ladder, ring, tree
from marks import few, slow
from numeric import relative_error
from slope_laws import check_first, check_second

from jointwrench import ForwardDynamics, InverseDynamics, SerialChain
from jointwrench.identification import base_parameters
from jointwrench.mechanics.arithmetic.decisions import GenericState
from jointwrench.mechanics.arithmetic.doubles import DoubleStates
from jointwrench.mechanics.dynamics.mass_distribution import check_mass_distribution
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


SMALL = [(kind, n, "symbols") for kind in KINDS for n in (1, 3)]
MIDDLE = [
    ("pin", 36, "symbols"),
    ("spherical", 11, "decimals"),
    ("universal", 8, "fractions"),
]
LARGE = [
    (kind, n, numbers)
    for kind in KINDS
    for n in (10, 20, 40, 80, 160, 200)
    for numbers in NUMBERS
    if n < 100 or kind == "pin" or numbers == "decimals"
] + [("skew", 24, "decimals"), ("spherical", 15, "symbols")]


@pytest.mark.parametrize(("kind", "count", "numbers"), few([*SMALL, *MIDDLE, *LARGE], *SMALL[::3]))
def test_chains(kind, count, numbers):
    check_return(tree(kind, count, numbers)[0])


@pytest.mark.parametrize(
    ("kind", "count", "numbers"),
    [
        ("twist", 6, "decimals"),
        *slow([(k, 60, n) for k in ("twist", "spherical") for n in NUMBERS]),
    ],
)
def test_chains_on_a_free_base(kind, count, numbers):
    check_return(tree(kind, count, numbers, is_free=True)[0])


@pytest.mark.parametrize(
    ("kind", "numbers"),
    slow([(k, n) for k in KINDS for n in NUMBERS]),
)
def test_trees_of_sixty_bodies(kind, numbers):
    check_return(tree(kind, 60, numbers, inner=binary)[0])


@pytest.mark.parametrize(
    ("count", "numbers"),
    [(1, "symbols"), *slow([(2, "decimals"), (8, "symbols"), (12, "decimals")])],
)
def test_ladders(count, numbers):
    check_return(*ladder(count, numbers))


@pytest.mark.parametrize(("count", "numbers"), [(2, "symbols"), *slow([(16, "decimals")])])
def test_four_bars_on_four_bars(count, numbers):
    check_return(*ladder(count, numbers, is_on_rungs=True), spread=0.02)


@pytest.mark.parametrize(
    ("count", "numbers"), slow([(1, "decimals"), (3, "symbols"), (12, "decimals")])
)
def test_ladders_in_space(count, numbers):
    check_return(*ladder(count, numbers, is_spatial=True), spread=0.02)


@pytest.mark.parametrize(
    ("count", "numbers"),
    [
        (3, "symbols"),
        *slow((n, "decimals") for n in (6, 20, 36, 150)),
        *slow((n, "symbols") for n in (20, 60)),
    ],
)
def test_rings(count, numbers):
    system, loops = ring(count, numbers)
    check_return(system, loops, arc(system))


@pytest.mark.parametrize(
    ("count", "numbers"), slow([(6, "decimals"), (6, "symbols"), (30, "decimals")])
)
def test_rings_in_space(count, numbers):
    system, loops = ring(count, numbers, is_spatial=True)
    check_return(system, loops, arc(system, is_spatial=True))


@pytest.mark.parametrize(
    ("kind", "count", "numbers"),
    [("skew", 2, "decimals"), *slow([("skew", 15, "symbols"), ("pin", 40, "decimals")])],
)
def test_a_contact_at_the_tip(kind, count, numbers):
    check_return(*held_tip(kind, count, numbers))


@pytest.mark.parametrize(
    ("kind", "count", "numbers"),
    [
        ("spherical", 8, "symbols"),
        *slow([("twist", 60, "decimals"), ("spherical", 40, "fractions")]),
    ],
)
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


@pytest.mark.parametrize(
    ("kind", "count"), [("twist", 8), *slow([("skew", 40), ("spherical", 20)])]
)
def test_mass_matrices_and_regressors_have_the_rank_that_doubles_show(kind, count):
    system, _ = tree(kind, count, "decimals")
    idyn = InverseDynamics(system)
    q, u = states(idyn, 12)
    udot = states(idyn, 12, seed=1)[0]
    found = idyn.compile(["mass_matrix", "regressor"], backend="numpy")(q, u, udot)
    width = len(idyn.speeds)
    assert (np.linalg.matrix_rank(found.mass_matrix) == width).all()
    shown = np.linalg.matrix_rank(found.regressor.reshape(-1, found.regressor.shape[-1]))
    assert base_parameters(idyn).rank == shown


@pytest.mark.parametrize("count", [3, *(pytest.param(n, marks=pytest.mark.slow) for n in (20, 30))])
def test_what_is_open_in_one_loop_is_open_in_each(count):
    """Of a plane mechanism of pins in space, forces out of the plane are; of any length."""
    system, loops = ring(count, "decimals")
    idyn = InverseDynamics(system, loops=loops)
    assert np.isnan(_wrenches(idyn, arc(system))).tolist() == [
        [False, False, True, True, True, False]
    ] * (count + 1)


def _wrenches(idyn, pose):
    q, u = states(idyn, 1)
    q, u, udot = idyn.close_motion(pose + 0.05 * q, u, u, constants=values_of(idyn))
    return idyn.compile("joint_wrenches", backend="numpy")(q, u, udot).joint_wrenches[0]


@pytest.mark.parametrize(
    ("kind", "count", "numbers"),
    slow([("skew", 3, "symbols"), ("spherical", 12, "decimals"), ("skew", 30, "decimals")]),
)
def test_slopes(kind, count, numbers):
    fdyn, values = at_random(kind, count, numbers)
    check_first(fdyn, ("udot", "joint_wrenches"), values, 1e-10, groups=["q", "u"])


def at_random(kind, count, numbers):
    """Return forward dynamics of a chain, and a state of it."""
    fdyn, random = ForwardDynamics(tree(kind, count, numbers)[0]), np.random.default_rng(0)
    values = {x: 0.7 * random.normal() for x in (*fdyn.coordinates, *fdyn.speeds)}
    return fdyn, values | {x: VALUES[x.name] for x in fdyn.constants}


@pytest.mark.parametrize(
    ("kind", "count", "numbers"),
    [("skew", 2, "symbols"), *slow([("pin", 20, "decimals"), ("spherical", 6, "fractions")])],
)
def test_second_slopes(kind, count, numbers):
    fdyn, values = at_random(kind, count, numbers)
    check_second(fdyn, ["udot"], values, 1e-9)


@pytest.mark.parametrize("count", [2, *slow([3, 20])])
def test_linearisation_and_sensitivities(count):
    """Of a motion that is short beside the least period, by differences of its ends."""
    fdyn = ForwardDynamics(tree("skew", count, "symbols")[0])
    (q,), (u,) = states(fdyn, 1)
    constants, times, step = values_of(fdyn), [0, 1e-4], 1e-6
    (mass,) = (x for x in fdyn.constants if x.name == "m")

    def simulated(moved=0.0, **options):
        values = constants | {mass: VALUES["m"] + moved}
        return fdyn.simulate(times, q + moved, u, values, rtol=1e-12, atol=1e-12, **options)

    motion = simulated(sensitivities=["q", mass])
    by_q = motion.derivative("u", "q")[-1].sum(axis=1)
    difference = (simulated(step).u[-1] - simulated(-step).u[-1]) / (2 * step)
    assert relative_error(by_q + motion.derivative("u", mass)[-1, :, 0], difference) < 1e-5
    at_start = fdyn.linearize(q, u, constants).A[count:, :count].sum(axis=1)
    assert relative_error(by_q / times[-1], at_start) < 1e-2


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


def test_long_trees_of_bars_are_regular_by_each_bar_alone(monkeypatch):
    """Bars of a plane have an inertia about one axis; the pin at each is about that."""
    monkeypatch.setattr("jointwrench.mechanics.dynamics.mass_distribution.articulated_pivots", None)
    chain = SerialChain.planar(20)
    check_mass_distribution(InverseDynamics(chain.system).model.derivation)


@pytest.mark.slow
def test_five_hundred_links():
    check_return(tree("pin", 500, "decimals")[0])
