"""What a result knows of the call that it comes from: at other points, by name, by time."""

import inspect
from fractions import Fraction

import numpy as np
import pytest
from bodies import rigid_body
from refusals import refusal, refused
from sympy import Rational, sin, symbols
from sympy.physics.mechanics import PinJoint, System, dynamicsymbols

import jointwrench as jw

t = dynamicsymbols._t
x = dynamicsymbols("x")
rest = np.zeros((3, 1))


def shaken(place):
    """A rod on a pin whose base moves along x; its wrenches depend on the second derivative."""
    ground, base, rod = rigid_body("ground"), rigid_body("base"), rigid_body("rod", 1, 1, 1, 1)
    system = System.from_newtonian(ground)
    system.add_bodies(base)
    base.frame.orient_axis(ground.frame, ground.z, 0)
    base.masscenter.set_pos(system.fixed_point, place * ground.x)
    base.masscenter.set_vel(ground.frame, place.diff(t) * ground.x)
    system.add_joints(PinJoint("pin", base, rod, joint_axis=base.z, child_point=-rod.x))
    system.apply_uniform_gravity(-10 * ground.y)
    return system


@pytest.fixture(params=["c", "numpy"])
def backend(request):
    return request.param


@pytest.fixture(scope="module")
def limb():
    return jw.SerialChain.planar(2)


@pytest.fixture(scope="module")
def idyn(limb):
    return jw.InverseDynamics(limb.system)


def test_specified_that_the_forces_do_not_need(backend):
    system = shaken(x)
    evaluate = jw.InverseDynamics(system).compile(backend=backend)
    result = evaluate(rest, rest, rest, specifieds={x.diff(t, 2): 0.0})
    refused(lambda: result.joint_wrench("pin", about=system.fixed_point), "specifieds")
    result = evaluate(rest, rest, rest, specifieds={x.diff(t, 2): 0.0, x: 3.0})
    moment = result.joint_wrench("pin", about=system.fixed_point)[:, 5]
    np.testing.assert_allclose(moment, 40)  # N m: 10 N, 3 m + 1 m


def test_time_that_was_not_given(limb, idyn):
    point = limb.ground.masscenter.locatenew("P", sin(t) * limb.ground.x)
    constants = dict.fromkeys(idyn.constants, 1.0)
    result = idyn.compile(backend="numpy")(*np.zeros((3, 2)), constants=constants)
    refused(lambda: result.joint_wrench("S_0", about=point), "times")


def test_more_constants():
    length, width = symbols("length width")
    arm = jw.SerialChain([jw.Segment("arm", length, 1.0, (0, width, 0), inertia=0.1)])
    result = jw.InverseDynamics(arm.system).compile(backend="numpy")(
        *np.ones((3, 2, 1)), constants={"width": 1.0}
    )
    refused(lambda: result.joint_wrench("arm", about=arm.tip), "constants")
    expected = result.joint_wrench("arm", about=arm.tip, constants={"length": 2.0})
    again = result.joint_wrench("arm", about=arm.tip, constants={length: Fraction(2), "width": 1})
    np.testing.assert_array_equal(again, expected)
    wrong = ({"length": 2, "width": 2}, ValueError), ({"length": np.nan}, ValueError)
    for value, kind in (*wrong, ({"length": np.ones(2)}, TypeError)):
        with refusal("constants", kind):
            result.joint_wrench("arm", about=arm.tip, constants=value)


def test_numbers_of_every_kind(idyn):
    evaluate = idyn.compile(backend="numpy")
    state = np.ones((3, 2))
    others = {str(symbol): 1.0 for symbol in idyn.constants}
    expected = evaluate(*state, constants={**others, "m_1": 1e20}).generalized_forces
    for number in (10**20, Fraction(10**20), np.float32(1e20), np.array(1e20)):
        forces = evaluate(*state, constants={**others, "m_1": number}).generalized_forces
        np.testing.assert_allclose(forces, expected, rtol=1e-7)
    fixed = idyn.compile(constants={"m_0": Fraction(1, 3)}, backend="numpy").fixed_constants
    (number,) = fixed.values()
    assert number == Rational(1, 3)
    masked = np.ma.array([1.0, 2.0], mask=[False, True])
    for wrong in (masked[1], "1", [1.0], None, 1j, True):
        refused(lambda: idyn.compile(constants={"m_0": wrong}), "constants", TypeError)
    refused(lambda: idyn.compile(constants={"m_0": 10**400}), "constants")
    refused(lambda: evaluate([masked], state[1], state[2], constants=others), "q", TypeError)


def test_names_in_another_order(idyn, backend):
    """Columns that say what they are, are not taken for what they are not."""
    frames = pytest.importorskip("pandas")
    evaluate = idyn.compile("generalized_forces", dict.fromkeys(idyn.constants, 1.0), backend)
    times, states = np.linspace(0, 1, 20), np.random.default_rng(1).uniform(-1, 1, (20, 2))
    names = [coordinate.name for coordinate in idyn.coordinates]
    table = frames.DataFrame(states, columns=names)
    expected = evaluate(states, states, states).generalized_forces
    np.testing.assert_array_equal(evaluate(table, states, states).generalized_forces, expected)
    refused(lambda: evaluate(table[names[::-1]], states, states), "q")
    refused(lambda: evaluate(table.assign(time=times), states, states), "q")
    motion = jw.Trajectory.from_samples(times, table[names[::-1]])
    refused(lambda: evaluate(motion), "q")
    evaluate(jw.Trajectory.from_samples(times, table[names[::-1]], idyn=idyn))


def test_out_of_other_kinds(idyn, backend, tmp_path):
    evaluate = idyn.compile("generalized_forces", backend=backend, threads=2)
    state = np.random.default_rng(0).normal(size=(3, 9000, 2))
    state = [np.asfortranarray(part) for part in state]
    constants = dict.fromkeys(idyn.constants, 1.0)
    expected = evaluate(*state, constants=constants).generalized_forces
    mapped = np.memmap(tmp_path / "out", float, "w+", shape=expected.shape)
    with pytest.warns(PendingDeprecationWarning, match="matrix"):
        matrix = np.asmatrix(np.empty(expected.shape))
    for out in (mapped, matrix):
        evaluate(*state, constants=constants, out={"generalized_forces": out})
        np.testing.assert_array_equal(np.asarray(out), expected)
    masked = np.ma.masked_all(expected.shape)
    with refusal("out", TypeError):
        evaluate(*state, constants=constants, out={"generalized_forces": masked})


@pytest.mark.parametrize("kind", ["inverse", "forward", "hessian"])
def test_arguments_are_those_of_the_signature(kind):
    """Of one class, each evaluator has its own."""
    system = jw.SerialChain.planar(1).system
    idyn, fdyn = jw.InverseDynamics(system), jw.ForwardDynamics(system)
    numbers, states = dict.fromkeys(idyn.constants, 1.0), ["q", "u", "udot"]
    if kind == "forward":
        evaluate, states = fdyn.compile(constants=numbers, backend="numpy"), states[:2]
    else:
        wrt = ["q"] if kind == "hessian" else []
        options = {"second_derivatives": wrt, "backend": "numpy"}
        evaluate = idyn.compile("generalized_forces", numbers, **options)
    more = ["weights"] if kind == "hessian" else []
    names = [*states, "constants", "specifieds", "times", *more, "out", "check"]
    assert list(inspect.signature(evaluate).parameters) == names
    rows, last = [[0.1]] * len(states), {name: [1.0] for name in more}
    by_name = evaluate(**dict(zip(states, rows, strict=True)), **last)
    for name, values in evaluate(*rows, **last).outputs.items():
        np.testing.assert_allclose(by_name.outputs[name], values)
    refused(lambda: evaluate(*rows, torques=[1.0], **last), None, TypeError)
    refused(lambda: evaluate(*rows, constant=[1.0], **last), None, TypeError)
    with pytest.raises(TypeError, match="multiple values for argument 'q'"):
        evaluate(*rows, q=[1.0], **last)
    with pytest.raises(TypeError, match="too many positional arguments"):
        evaluate(*rows, *[None] * 7)
    with pytest.raises(TypeError, match="missing a required argument: 'q'"):
        evaluate(u=[1.0], **last)


def test_a_motion_beside_its_speeds_is_refused():
    idyn = jw.InverseDynamics(jw.SerialChain.planar(1).system)
    evaluate, values = idyn.compile(backend="numpy"), dict.fromkeys(idyn.constants, 1.0)
    motion = jw.Trajectory(np.arange(3.0), *np.zeros((3, 3, 1)))
    refused(lambda: evaluate(motion, motion.u, motion.udot, values), "q", TypeError)
