"""Evaluators over data larger than memory: generalised universal functions for dask and xarray."""

import pickle

import numpy as np
import pytest
from codegen_programs import INPUTS, OPTIONS, VALUES, everything, force, road, states
from refusals import refusal, refused

from jointwrench.mechanics.evaluation.compilation import compile_program

SAMPLES = 101


@pytest.fixture(scope="module", params=["c", "numpy"])
def evaluate(request):
    return compile_program(everything(), backend=request.param, **OPTIONS)


@pytest.fixture
def given(rng):
    """Motion, specifieds and times of some samples."""
    return (*states(rng, SAMPLES), rng.normal(size=(SAMPLES, 2)), rng.normal(size=SAMPLES))


@pytest.fixture
def expected(evaluate, given):
    *motion, loads, times = given
    return evaluate(*motion, VALUES, {force: loads[:, 0], road: loads[:, 1]}, times).outputs


def check_same(outputs, expected):
    for array, (name, values) in zip(outputs, expected.items(), strict=True):
        np.testing.assert_array_equal(np.asarray(array), values, err_msg=name)


def test_it_takes_arrays_alone(evaluate, given, expected):
    function = evaluate.as_ufunc(constants=VALUES)
    assert function.arguments == ("q", "u", "udot", "specifieds", "times")
    assert function.signature == (
        "(q),(u),(udot),(specifieds),()->(generalized_forces_0),"
        "(joint_wrenches_0,joint_wrenches_1),(solved_loads_0),(functions_0)"
    )
    sizes = {"generalized_forces_0": 3, "joint_wrenches_0": 2, "joint_wrenches_1": 6}
    assert function.output_sizes == {**sizes, "solved_loads_0": 2, "functions_0": 31}
    assert repr(function) == f"GeneralizedUfunc({function.signature!r})"
    check_same(function(*given), expected)
    check_same(pickle.loads(pickle.dumps(function))(*given), expected)


def test_the_order_of_the_arguments_is_theirs_who_ask(evaluate, given, expected):
    q, u, udot, (f, r), time = (array[0] for array in given)
    fixed = evaluate.as_ufunc(
        "times", "q", "u", "udot", constants=VALUES, specifieds={force: f, road: r}
    )
    check_same(fixed(time, q, u, udot), {name: array[0] for name, array in expected.items()})


def test_numpy_maps_it(evaluate, given, expected):
    function = evaluate.as_ufunc(constants=VALUES)
    mapped = np.vectorize(function, signature=function.signature)
    check_same(mapped(*(array[:7] for array in given)), {k: v[:7] for k, v in expected.items()})


def test_dask_maps_it(evaluate, given, expected):
    array = pytest.importorskip("dask.array")
    function = evaluate.as_ufunc(constants=VALUES)
    chunks = [array.from_array(x, chunks=(30, *x.shape[1:])) for x in given]
    sizes = {"output_dtypes": function.output_dtypes, "output_sizes": function.output_sizes}
    outputs = array.apply_gufunc(function, function.signature, *chunks, **sizes)
    for output, values in zip(outputs, expected.values(), strict=True):
        assert output.shape == values.shape
        assert output.numblocks[0] == 4
    check_same([output.compute(scheduler="threads") for output in outputs], expected)


def test_xarray_maps_it(evaluate, given, expected):
    xarray = pytest.importorskip("xarray")
    pytest.importorskip("dask.array")
    f = evaluate.as_ufunc(constants=VALUES)
    dimensions = [("t", *axes) for axes in f.xarray_options["input_core_dims"]]
    arrays = [xarray.DataArray(x, dims=d) for x, d in zip(given, dimensions, strict=True)]
    check_same(xarray.apply_ufunc(f, *arrays, **f.xarray_options), expected)
    outputs = xarray.apply_ufunc(f, *(x.chunk(t=30) for x in arrays), **f.xarray_options)
    assert outputs[1].dims == ("t", "joint_wrenches_0", "joint_wrenches_1")
    assert len(outputs[1].chunksizes["t"]) == 4
    check_same(outputs, expected)


def test_what_is_wrong_is_said(evaluate, given):
    with refusal("constants"):
        evaluate.as_ufunc(constants={s: x for s, x in VALUES.items() if s.name != "m"})
    refused(lambda: evaluate.as_ufunc("qdot", constants=VALUES), "arguments")
    with refusal("arguments"):
        evaluate.as_ufunc(
            "specifieds", constants=VALUES, specifieds=dict.fromkeys(INPUTS["specifieds"], 1.0)
        )
    refused(lambda: evaluate.as_ufunc(constants=VALUES)(*given[:2]), "arrays")
