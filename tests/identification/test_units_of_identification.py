"""Laws of units and of rounding: which parameters can be seen, and their values."""

import functools

import numpy as np
import pytest
from bodies import rigid_body, system_of
from marks import slow
from numpy.testing import assert_allclose
from refusals import refusal
from sympy import Float
from sympy.physics.mechanics import PinJoint, PlanarJoint, PrismaticJoint, RigidBody, inertia
from waves import waves_at

from jointwrench import InverseDynamics
from jointwrench.identification import base_parameters, identify
from jointwrench.identification.characteristic_units import LENGTHS
from jointwrench.identification.pseudo_inertia import is_physical

#: How long a metre, how heavy a kilogram, how long a second is in the new units.
UNITS = [(1e-6, 1e-9, 1.0), (1e-3, 1e6, 1e3), (1e3, 1.0, 1e-3)]


@functools.cache
def arm(length=1.0, mass=1.0, time=1.0, nudge=lambda x: x):
    """Return a pin, a slider across it and a skew pin with numbers, in units."""

    def number(value, unit):
        return Float(nudge(value * unit))

    bodies = [rigid_body(name, 0) for name in ("ground", "base", "slide", "hand")]
    ground, base, slide, hand = bodies
    for k, body in enumerate(bodies[1:]):
        body.mass = number(1.3 + 0.7 * k, mass)
        moments = (number(x + k / 10, mass * length**2) for x in (0.51, 0.63, 0.47))
        body.central_inertia = inertia(body.frame, *moments)
    first = PinJoint("turn", ground, base, child_point=-number(0.3, length) * base.x)
    second = PrismaticJoint("slide", base, slide, parent_point=number(0.2, length) * base.y)
    joints = [first, second]
    ends = number(0.4, length) * slide.y, number(-0.25, length) * hand.x
    joints.append(PinJoint("wrist", slide, hand, None, None, *ends, joint_axis=slide.y + slide.z))
    system = system_of(ground, *joints, gravity=-number(9.81, length / time**2) * ground.y)
    return InverseDynamics(system)


def waves(idyn, length, time, count=60):
    """Return a motion of some waves in each coordinate, in units."""
    amplitudes = np.random.default_rng(3).normal(size=(2, 3, len(idyn.speeds)))
    q, u, udot = waves_at(np.linspace(0, 10, count), np.array([0.6, 1.3, 1.9]), *amplitudes)
    sizes = np.array([1, length, 1])
    return q * sizes, u * sizes / time, udot * sizes / time**2


def own(names, length, mass, time):
    """Return the units of the arm's parameters: those of bodies, behind them actuators."""
    ten = mass * length ** np.array(LENGTHS, dtype=float)
    square = mass * length**2
    three = (square / time, square / time**2, square)
    slide = (mass / time, mass * length / time**2, mass)
    motors = [*three, *slide, *three] if len(names) > 30 else []
    return np.array([*ten, *ten, *ten, *motors])


def assert_same(base, first, unit):
    """The same combinations, with the same numbers in units."""
    assert base.places == first.places
    assert base.independent == first.independent
    assert base.unidentifiable == first.unidentifiable
    scale = unit / unit[list(base.places)][:, None]
    assert_allclose(base.matrix * scale, first.matrix, 1e-9, 1e-9)
    assert base.condition_number == pytest.approx(first.condition_number, rel=1e-6)


SEEN = [{"actuators": True}, {"joints": ["turn", "slide"]}, {"joints": ["wrist"]}]


@pytest.fixture(scope="module")
def first():
    idyn = arm()
    return [base_parameters(idyn, **options) for options in SEEN]


@pytest.mark.parametrize("units", [*UNITS, (1.0, 1.0, 1.0)])
@pytest.mark.parametrize("towards", [0, *slow([9])])
def test_base_parameters_in_any_unit_of_rounded_numbers(first, units, towards):
    idyn = arm(*units, nudge=lambda x: np.nextafter(x, towards))
    for options, expected in zip(SEEN, first, strict=True):
        base = base_parameters(idyn, **options)
        assert_same(base, expected, own(base.names, *units))


@pytest.mark.parametrize("method", [*slow(["ols"]), "wls", *slow(["consistent"])])
def test_identified_values_scale(method):
    """Noise is the same part of all forces in all units."""
    found = {}
    for units in [(1.0, 1.0, 1.0), *UNITS]:
        length, mass, time = units
        idyn = arm(*units)
        motion = waves(idyn, length, time)
        exact = idyn.compile(backend="numpy")(*motion)
        joint = idyn.joints[0]
        wrench = mass * length / time**2 * np.array([1, 1, 1, *[length] * 3])
        noise = 0.1 * wrench * np.random.default_rng(5).normal(size=(60, 6))
        forces = {joint: exact.joint_wrench(joint) + noise}
        result = identify(idyn, motion, forces, method=method)
        values = np.array(list(result.values.values())) / own(result.base.names, *units)
        errors = np.array(list(result.standard_errors.values())) / own(result.base.names, *units)
        found[units] = values, errors, result.residuals / wrench, result.is_physical
    (values, errors, residuals, physical), *others = found.values()
    precision = 1e-4 if method == "consistent" else 1e-9
    for x, error, left, is_so in others:
        assert_allclose(x, values, precision, precision)
        assert_allclose(error, errors, 1e-7, 1e-7)
        assert_allclose(left, residuals, precision, precision)
        assert is_so == physical
    assert np.isnan(values).any() == (method != "consistent")


@pytest.mark.parametrize("units", [UNITS[0], *slow((x,) for x in ((1.0, 1.0, 1.0), *UNITS[1:]))])
def test_friction_beside_bodies_that_can_exist(units):
    """Viscous, Coulomb; the rest, by which 5 % of noise may change it."""
    length, mass, time = units
    idyn, sizes = arm(*units), np.array([1, length, 1])
    motion = waves(idyn, length, time)
    speeds = motion[1] / sizes * time
    losses = 0.4 * speeds + 0.7 * np.sign(speeds)
    losses += 0.05 * np.random.default_rng(1).normal(size=speeds.shape)
    unit = mass * length / time**2 * np.array([length, 1, length])
    forces = idyn.compile(backend="numpy")(*motion).generalized_forces + losses * unit
    found = identify(idyn, motion, forces, method="consistent", actuators=True)
    values = np.array(list(found.values.values())) / own(found.base.names, *units)
    assert_allclose(values[30::3], 0.4, 0.05)
    assert_allclose(values[31::3], 0.7, 0.05)
    assert_allclose(values[30:32], [0.40384610, 0.68775003], 1e-5)
    assert_allclose(values[32], 0, atol=0.01)  # the rotor turns as the base does


@pytest.mark.parametrize("units", [(1.0, 1.0, 1.0), *UNITS])
def test_refusals_in_any_unit(units):
    idyn = arm(*units)
    q, u, udot = waves(idyn, units[0], units[2])
    u[:, 1], udot[:, 1], q[:, 1] = 0, 0, 0.2 * units[0]
    forces = np.zeros_like(u)
    with refusal("motion") as refused:
        identify(idyn, (q, u, udot), forces)
    assert "it does not determine my base, Ixx base, m slide" in str(refused.value)


@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e3])
def test_a_body_without_lengths_of_its_own(unit):
    """Forces and moments of the free plate compare by how far it moves."""
    ground, plate = rigid_body("ground"), RigidBody("plate")
    system = system_of(
        ground, PlanarJoint("J", ground, plate), gravity=Float(9.81 * unit) * ground.y
    )
    idyn = InverseDynamics(system)
    motion = [x * [1, unit, unit] for x in np.random.default_rng(1).normal(size=(3, 40, 3))]
    truth = np.array([2.0, 0.3 * unit, -0.1 * unit, 0.7 * unit**2])
    seen = base_parameters(idyn, motion)
    assert seen.rank == 4
    coefficients = idyn.compile("regressor", backend="numpy")(*motion).regressor
    noise = np.random.default_rng(2).normal(size=(40, 3)) * unit * [unit, 1, 1]
    forces = coefficients[..., seen.places] @ truth + 0.1 * noise
    found = identify(idyn, motion, forces).base_values / truth
    assert_allclose(found, 1, 0.2)
    assert_allclose(found, [0.99973339566, 0.98927270170, 1.00277449, 1.03663341], 1e-7)


@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e3])
@pytest.mark.parametrize("error", [-1e-16, 0, 1e-16])
def test_a_thin_rod_is_physical(unit, error):
    rod = np.array([1, 0.2 * unit, 0, 0, *np.array([error, 0.1, 0.1, 0, 0, 0]) * unit**2])
    assert is_physical(rod)
    assert not is_physical(rod * [1, 1, 1, 1, 1, 1, 1 + 1e-9, 1, 1, 1])
