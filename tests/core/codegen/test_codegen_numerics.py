"""What numbers can do: not be numbers, be huge, tiny, shared, few, many."""

import mpmath
import numpy as np
import pytest
import sympy as sm
from codegen_programs import OPTIONS, VALUES, build, everything, force, q, road, states, u, udot
from refusals import refusal, refused

from jointwrench.mechanics.codegen.text.kernel import LANES
from jointwrench.mechanics.evaluation import batch
from jointwrench.mechanics.evaluation.compilation import compile_program

pytestmark = pytest.mark.optimised

SPECIFIEDS = {force: 0.3, road: -1.2}
WAVES = [sm.sin(q[0]), sm.cos(q[0]), sm.sin(q[1]), sm.cos(q[2])]


@pytest.fixture(scope="module")
def waves():
    return compile_program(build({"out": ((4,), WAVES)}, {"q": q}), backend="c")


@pytest.fixture(scope="module")
def pendulum():
    """A program without anything but a state and constants."""
    m, k = sm.symbols("m k")
    outputs = {"out": ((2,), [m * udot[0] + k * sm.sin(q[0]), k * u[1] ** 2]), "one": ((1,), [m])}
    inputs = {"q": q, "u": u, "udot": udot, "constants": (k, m)}
    return compile_program(build(outputs, inputs), backend="c")


# -- sines and cosines ----------------------------------------------------------


def exact(angle):
    with mpmath.workprec(200):
        return float(mpmath.sin(angle)), float(mpmath.cos(angle))


def angles():
    multiples = np.concatenate([np.arange(1, 200), np.arange(1000, 1_040_000, 20011)])
    sizes = np.logspace(-320, 300, 250)
    edges = [0.0, 5e-324, 1e6, -1e6, 1.6e6, np.nextafter(1.6e6, 2e6), 1e22, 1.7e308]
    return np.concatenate([multiples * np.pi / 2, -multiples * np.pi / 4, sizes, edges])


def test_sines_of_any_angle(waves):
    x = angles()
    expected = np.array([exact(float(angle)) for angle in x])
    result = waves(np.stack([x, x, x], axis=-1), None, None).outputs["out"]
    for k in range(4):
        np.testing.assert_allclose(result[:, k], expected[:, k % 2], 1e-15, 5e-324)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e6, 1e9, 1e300])
@pytest.mark.parametrize("row", [0, 3, LANES - 1, LANES, 2 * LANES + 2])
def test_other_rows_keep_every_bit(waves, rng, row, value):
    x = rng.normal(size=(2 * LANES + 3, 3))
    clean = waves(x, None, None).outputs["out"]
    x[row, 0] = value
    dirty = waves(x, None, None).outputs["out"]
    np.testing.assert_array_equal(np.delete(dirty, row, 0), np.delete(clean, row, 0))
    np.testing.assert_array_equal(dirty[row, 2:], clean[row, 2:])
    if np.isfinite(value):
        np.testing.assert_allclose(dirty[row, :2], exact(value), 1e-15)
    else:
        assert np.isnan(dirty[row, :2]).all()


@pytest.mark.parametrize("size", [1e-310, 1e-5, 1.0, 1e3, 1e6])
def test_backends_agree_at_any_size(size, rng):
    program = everything()
    x, v, a = (size * part for part in states(rng, 33))
    with np.errstate(all="ignore"):
        results = [
            compile_program(program, backend=backend, **OPTIONS)(x, v, a, VALUES, SPECIFIEDS, 0.5)
            for backend in ("numpy", "c", "pydy")
        ]
    for name in ("generalized_forces", "joint_wrenches", "solved_loads"):
        slow, *compiled = (result.outputs[name] for result in results)
        for found in compiled:
            np.testing.assert_allclose(found, slow, 1e-12, 1e-12 * np.abs(slow).max())


# -- plain arrays take another way ------------------------------------------------


def test_dict_of_constants_that_changes(pendulum, rng):
    batch = states(rng)
    k, m = pendulum.inputs["constants"]
    values, results = {k: 1.0, m: 1.0}, {}
    for new in (1.0, 5.0, -0.0, 7.0):
        values[m] = new
        result = pendulum(*batch, values)
        assert result.outputs["one"] == new
        assert np.signbit(result.outputs["one"]) == np.signbit(new)
        results[new] = result
    for new, result in results.items():  # each knows what it was called with
        assert result.inputs.constants == {k: 1.0, m: new}
    values[m] = 3
    assert pendulum(*batch, values).outputs["one"] == 3
    array = np.array(4.0)
    values[m] = array
    assert pendulum(*batch, values).outputs["one"] == 4
    array[()] = 5
    assert pendulum(*batch, values).outputs["one"] == 5
    values[m] = np.inf
    refused(lambda: pendulum(*batch, values), "constants")
    values[m] = True
    refused(lambda: pendulum(*batch, values), "constants", TypeError)
    del values[m]
    refused(lambda: pendulum(*batch, values), "constants")
    refused(lambda: pendulum(*batch, {}), "constants")
    refused(lambda: pendulum(*batch), "constants")
    assert pendulum(*batch, {m: 8.0, k: 1.0}).outputs["one"] == 8  # another order


# -- given arrays -----------------------------------------------------------------


def _frozen(shape):
    array = np.empty(shape)
    array.flags.writeable = False
    return array


@pytest.mark.parametrize(
    ("out", "error"),
    [
        ([1], TypeError),
        ({"torques": np.empty((4, 2))}, ValueError),
        ({"out": [0.0]}, TypeError),
        ({"out": np.empty((4, 2), np.float32)}, TypeError),
        ({"out": np.empty((2, 4))}, ValueError),
        ({"out": np.empty((2, 4)).T}, ValueError),
        ({"out": _frozen((4, 2))}, ValueError),
    ],
)
def test_arrays_that_cannot_take_results(pendulum, rng, out, error):
    refused(lambda: pendulum(*states(rng, 4), {"k": 1.0, "m": 2.0}, out=out), "out", error)


def test_given_arrays_that_overlap(pendulum, rng):
    x, v, a = states(rng, 4)
    with refusal("out"):
        pendulum(x, v, a, {"k": 1.0, "m": 2.0}, out={"out": x.reshape(-1)[:8].reshape(4, 2)})
    memory = np.empty(8)
    out = {"out": memory.reshape(4, 2), "one": memory[:4].reshape(4, 1)}
    refused(lambda: pendulum(x, v, a, {"k": 1.0, "m": 2.0}, out=out), "out")


# -- large batches ----------------------------------------------------------------


@pytest.mark.parametrize("threads", [1, 3])
def test_runs_put_together_are_the_batch(pendulum, rng, monkeypatch, threads):
    monkeypatch.setattr("jointwrench.mechanics.evaluation.evaluator.LONGEST_RUN", 10)
    monkeypatch.setattr("jointwrench.mechanics.evaluation.evaluator.SMALLEST_SHARE", 5)
    monkeypatch.setattr(pendulum, "threads", threads)
    x, v, a = states(rng, 4, 3, 9)
    constants = {"k": 1.0, "m": 2.0}
    expected = pendulum(x, v, a, constants).outputs["out"]
    for form in (np.asfortranarray, lambda y: y.astype(">f8"), lambda y: y[::-1].copy()[::-1]):
        result = pendulum(form(x), v, form(a), constants)
        np.testing.assert_array_equal(result.outputs["out"], expected)


def test_runs():
    for shape in [(), (0,), (7,), (25,), (3, 4), (30, 1), (2, 30), (2, 3, 5), (4, 0)]:
        numbers = np.arange(np.prod(shape, dtype=int)).reshape(shape)
        found = list(batch.runs(shape, 10))
        assert all(run.count <= 10 for run in found)
        parts = [numbers[run.index].reshape(-1) for run in found]
        assert [len(part) for part in parts] == [run.count for run in found]
        assert [part[0] for part in parts if len(part)] == [r.first for r in found if r.count]
        np.testing.assert_array_equal(np.concatenate(parts), numbers.reshape(-1))


def test_memory_stays_flat_for_inputs_that_are_broadcast(pendulum):
    """A million samples of broadcast inputs: the results and little more are allocated."""
    import tracemalloc

    rows = 10**6
    x = np.broadcast_to(np.ones(3), (rows, 3))
    v = np.ones((rows, 3), dtype=np.float32)
    tracemalloc.start()
    pendulum(x, v, x, {"k": 1.0, "m": 2.0})
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1.1 * rows * 3 * 8
