"""Laws of units: what is closed, refused, linearised, simulated and cross-checked scales with them.

The slider-crank has a block of its own: two angles, one length.  Its lengths, masses and times
are numbers given at run time, so that one model serves for all units.
"""

from contextlib import nullcontext

import numpy as np
import pytest
from bodies import rigid_body, system_of
from linkages import closed as closed_by
from linkages import pin
from marks import slow
from numpy.testing import assert_allclose
from sympy import symbols
from sympy.physics.mechanics import PrismaticJoint

from jointwrench import ForwardDynamics, InverseDynamics, LoopJoint, crosscheck

r, l, h, m, i, g = symbols("r l h m I g")

#: How long a metre, how heavy a kilogram, how long a second is in the new units.
UNITS = [(1.0, 1.0, 1.0), (1e-6, 1.0, 1.0), (1e-3, 1e-9, 1e3), (1e3, 1e6, 1e-3), (1e6, 1.0, 1.0)]

#: Guesses of the two angles and the length; of these and their rates the first is independent.
START, RATES, CHANGES = [0.6, -0.9, 3.0], [1.3, 0.0, 0.0], [0.7, 0.0, 0.0]


@pytest.fixture(scope="module")
def linkage():
    ground = rigid_body("ground")
    crank, rod, block = (rigid_body(name, m, i, i, i) for name in ("crank", "rod", "block"))
    system = system_of(
        ground,
        pin("main", ground, crank, 0, -r / 2),
        pin("wrist", crank, rod, r / 2, -l / 2),
        PrismaticJoint("slide", ground, block, parent_point=h * ground.y, joint_axis=ground.x),
        gravity=-g * ground.y,
    )
    end = LoopJoint("end", block, rod, child_point=l / 2 * rod.x, joint_axis=block.z)
    return ForwardDynamics(closed_by(system, end), loops=[end])


def numbers(length, mass, time):
    lengths = {r: length, l: 2.5 * length, h: 0.3 * length}
    masses = {m: 2 * mass, i: 0.1 * mass * length**2}
    return lengths | masses | {g: 9.81 * length / time**2}


def closed(linkage, length, mass, time):
    """Return a consistent motion, in units."""
    scale = np.array([1, 1, length])
    return linkage.inverse.close_motion(
        START * scale, RATES * scale / time, CHANGES * scale / time**2, numbers(length, mass, time)
    )


@pytest.mark.parametrize("units", UNITS[1:])
@pytest.mark.usefixtures("numpy_by_default")
def test_closed_motions_scale(linkage, units):
    length, _, time = units
    scale = np.array([1, 1, length])
    plain, other = closed(linkage, *UNITS[0]), closed(linkage, *units)
    for level, (expected, found) in enumerate(zip(plain, other, strict=True)):
        assert_allclose(found * time**level / scale, expected, rtol=1e-13)


@pytest.mark.parametrize("units", UNITS[1:])
def test_linear_models_scale(linkage, units):
    length, _, time = units
    plain, other = (
        linkage.linearize(*closed(linkage, *x)[:2], numbers(*x), inputs=[l, h, m])
        for x in (UNITS[0], units)
    )
    rates = np.array([[time], [time**2]])  # of the angle's rate, and of that of its speed
    assert_allclose(other.A * rates / [1, time], plain.A, rtol=1e-12)
    assert_allclose(other.B * rates * [length, length, units[1]], plain.B, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("units", UNITS)
def test_what_is_open_is_refused_in_all_units(linkage, units):
    length, _, time = units
    q, u, _ = closed(linkage, *units)
    for level in range(2):
        for part, is_refused in ((1e-2, True), (1e-4, True), (1e-7, False)):
            for entry in (1, 2):  # the angle of the rod, the place of the block
                state = [q.copy(), u.copy()]
                state[level][entry] += part * (length if entry == 2 else 1.0) / time**level
                words = f"`{'qu'[level]}` must satisfy the constraints"
                refused = pytest.raises(ValueError, match=words) if is_refused else nullcontext()
                with refused:
                    linkage.linearize(*state, numbers(*units))


@pytest.mark.parametrize("units", UNITS)
@pytest.mark.usefixtures("numpy_by_default")
def test_simulations_start_from_closed_states_in_all_units(linkage, units):
    length, _, time = units
    q, u, _ = closed(linkage, *units)
    times, options = np.array([0.0, 0.05]) * time, {"step": 0.05 * time, "projection": True}
    motion = linkage.simulate(times, q, u, numbers(*units), **options)
    base = linkage.simulate([0, 0.05], *closed(linkage, *UNITS[0])[:2], numbers(1, 1, 1), step=0.05)
    assert_allclose(motion.q[-1, 0], base.q[-1, 0], rtol=1e-12)
    assert_allclose(motion.constraint_drift[:, 0], 0, atol=1e-14 * length)
    bent = np.array([0, 1e-4, 0])
    for state in ((q + bent, u), (q, u + bent / time)):
        with pytest.raises(ValueError, match="must satisfy the constraints"):
            linkage.simulate(times, *state, numbers(*units))


def test_rest_is_rest_to_rounding(linkage):
    """Where nothing moves, speeds count in parts of what gravity makes of them."""
    q = closed(linkage, *UNITS[0])[0]
    linkage.linearize(q, [0, 1e-12, 0], numbers(1, 1, 1))
    linkage.simulate([0, 0.1], q, [0, 1e-12, 0], numbers(1, 1, 1), step=0.1)


@pytest.fixture(scope="module")
def driven(linkage):
    return InverseDynamics(linkage.inverse.system, loops=linkage.inverse.loops)


@pytest.mark.parametrize("units", [UNITS[2], *slow((x,) for x in (*UNITS[:2], *UNITS[3:]))])
def test_crosschecks_are_as_good_in_all_units(linkage, driven, units):
    length, _, time = units

    class Turning:
        def at(self, times):
            part, scale = np.asarray(times)[:, None] / time, np.array([1, 1, length])
            turn = np.array([1.0, 0, 0])
            return linkage.inverse.close_motion(
                START * scale + (1.3 * part + 0.2 * np.sin(part)) * turn,
                (1.3 + 0.2 * np.cos(part)) / time * turn,
                -0.2 * np.sin(part) / time**2 * turn,
                numbers(*units),
                guess=START * scale,
            )

    report = crosscheck(driven, Turning(), [0, 0.1 * time], numbers(*units), tolerance=1e-9)
    assert report.success
    assert report.accelerations.max_relative < 2e-14
    assert report.constraint_forces.max_relative < 2e-14
