"""A motion names its columns: in another order than the model's it is refused by every reader."""

from types import SimpleNamespace

import numpy as np
import pytest
from refusals import refused
from sympy import Symbol
from sympy.physics.mechanics import Torque

import jointwrench as jw
from jointwrench.mechanics.evaluation.motion_arguments import MotionReader

TIMES = np.linspace(0, 1, 40)
MUSCLE = Symbol("biceps")
NAMES = ["q_0", "q_1", "q_2"]
REFUSED = r"must have its columns in the model's order q_0, q_1, q_2, got q_2, q_0, q_1\. Use Traj"


@pytest.fixture(scope="module")
def model():
    numbers = 0.4, 1.0, (0, 0.2, 0), (0.04, 0.005, 0.042)
    links = [jw.Segment(name, *numbers, axis="z") for name in "abc"]
    chain = jw.SerialChain(links, gravity=(0, -9.81, 0))
    chain.system.add_loads(Torque(chain.frames[2], MUSCLE * chain.ground.frame.z))
    idyn, fdyn = jw.InverseDynamics(chain.system), jw.ForwardDynamics(chain.system)
    return SimpleNamespace(chain=chain, idyn=idyn, fdyn=fdyn)


def trajectory(order, names=None):
    waves = np.random.default_rng(5).uniform(1, 4, 3)
    q = np.sin(TIMES[:, None] * waves)
    states = q, np.cos(TIMES[:, None] * waves) * waves, -q * waves**2
    return jw.Trajectory(TIMES, *(x[:, order] for x in states), names=names)


def inverse(model, *outputs, **options):
    return model.idyn.compile(*outputs, constants={MUSCLE: 0.0}, backend="numpy", **options)


def forward(model, *outputs, **options):
    return model.fdyn.compile(*outputs, constants={MUSCLE: 0.0}, backend="numpy", **options)


def hessian(model, motion, method):
    evaluate = method(model, second_derivatives=["q"])
    return evaluate(motion, weights=np.ones(len(evaluate.inputs["weights"])))


def identified(model, motion):
    return jw.identification.identify(model.idyn, motion, np.zeros((40, 3)), {MUSCLE: 0.0})


READERS = {
    "inverse": lambda m, x: inverse(m)(x),
    "forward": lambda m, x: forward(m)(x),
    "second derivatives": lambda m, x: hessian(m, x, inverse),
    "second derivatives of accelerations": lambda m, x: hessian(m, x, forward),
    "kinematics": lambda m, x: m.idyn.kinematics({"tip": m.chain.tip}).compile("positions")(x),
    "reactions": lambda m, x: m.fdyn.reactions(None, x, {MUSCLE: 0.0}),
    "uncertainty": lambda m, x: jw.propagation.uncertainty(
        inverse(m, derivatives=["q"]), x, {"q": 0.01}
    ),
    "identify": identified,
    "base_parameters": lambda m, x: jw.identification.base_parameters(m.idyn, x, {MUSCLE: 0.0}),
    "static_optimization": lambda m, x: jw.musculoskeletal.static_optimization(
        m.idyn, x, {MUSCLE: 1.0}
    ),
    "crosscheck": lambda m, x: jw.crosscheck(m.idyn, x, TIMES, {MUSCLE: 0.0}),
    "closed": lambda m, x: x.closed(m.idyn),
    "constraint_errors": lambda m, x: x.constraint_errors(m.idyn, {MUSCLE: 0.0}),
    "pictures": lambda m, x: jw.pictures.plot_stick_figure(m.chain, x),
}


@pytest.mark.parametrize("reader", READERS)
def test_another_order_is_refused_in_the_same_words(model, reader):
    pytest.importorskip("matplotlib")
    shuffled = [2, 0, 1]
    with pytest.raises(ValueError, match=REFUSED):
        READERS[reader](model, trajectory(shuffled, [NAMES[k] for k in shuffled]))


@pytest.mark.parametrize("names", [NAMES, ["hip", "knee", "ankle"], ["q_0(t)", "q_1(t)", "q_2(t)"]])
def test_own_order_and_names_that_are_not_the_models_are_taken(model, names):
    evaluate, own = inverse(model), trajectory([0, 1, 2], names)
    expected = evaluate(own.q, own.u, own.udot).generalized_forces
    for _ in range(2):  # what was read once is known
        np.testing.assert_array_equal(evaluate(own).generalized_forces, expected)
    np.testing.assert_array_equal(forward(model)(own).udot, forward(model)(own.q, own.u).udot)


def test_columns_without_names_are_those_of_a_model_that_counts_otherwise():
    q_1, q_0 = (Symbol(name) for name in ("q_1", "q_0"))
    reader = MotionReader({"q": (q_1, q_0), "u": ()})
    unnamed = trajectory([0, 1, 2])
    assert reader.read(unnamed).states[0] is unnamed.q
    named = SimpleNamespace(q=unnamed.q, u=unnamed.u, names=("q_0", "q_1"))
    assert reader.read(named).states[0] is unnamed.q  # the names of columns that have none


def test_what_is_no_motion():
    reader = MotionReader({"q": (Symbol("x"),), "u": (Symbol("v"),)})
    assert reader.read(([1], [2])).states == ([1], [2])
    assert reader.of(np.zeros(3)) is None
    refused(lambda: reader.read(3), "motion", TypeError)
    refused(lambda: reader.read(SimpleNamespace(motion=trajectory([0, 1, 2]))), "motion", TypeError)
