"""Derivatives and regressors without the entries that are zero for all inputs."""

import pickle

import numpy as np
import pytest
from scipy.sparse import csr_array
from sympy import Symbol

from jointwrench import InverseDynamics, SerialChain

MOTION = ["q", "udot", "l_1"]
OUTPUTS = ("generalized_forces", "regressor")


@pytest.fixture(scope="module")
def idyn():
    return InverseDynamics(SerialChain.planar(3, gravity=(0, -9.81, 0)).system)


@pytest.fixture(scope="module", params=["c", "numpy"])
def pair(idyn, request):
    """Return evaluators that store everything and what is not zero."""
    options = {"derivatives": MOTION, "backend": request.param}
    return [idyn.compile(OUTPUTS, sparse=sparse, **options) for sparse in (False, True)]


@pytest.fixture(params=[(), (5,), (2, 3)], ids=str)
def results(idyn, pair, request, rng):
    motion = rng.normal(size=(3, *request.param, 3))
    constants = dict.fromkeys(idyn.constants, 1.2)
    return [evaluate(*motion, constants) for evaluate in pair]


@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize("wrt", ["q", "udot", Symbol("l_1"), ["l_1", "q"], ["udot", "q"]], ids=str)
def test_derivatives_are_those_of_whole_arrays(results, pair, output, wrt):
    whole, packed = results
    dense = whole.derivative(output, wrt)
    np.testing.assert_array_equal(packed.derivative(output, wrt), dense)
    for result in results:
        found = result.derivative(output, wrt, sparse=True)
        np.testing.assert_array_equal(found.dense().reshape(dense.shape), dense)
        assert found.csr().shape == (dense.size // dense.shape[-1], dense.shape[-1])
        np.testing.assert_array_equal(found.csr().toarray(), dense.reshape(-1, dense.shape[-1]))
    patterns = [evaluate.derivative_sparsity(output, wrt) for evaluate in pair]
    np.testing.assert_array_equal(*patterns)
    assert patterns[0].sum() == len(found.rows) == found.values.shape[-1]


def test_regressors(results):
    whole, packed = results
    np.testing.assert_array_equal(packed.regressor, whole.regressor)
    stored = packed.packed("regressor")
    np.testing.assert_array_equal(stored.dense(), whole.regressor)
    assert stored.values is packed.outputs["regressor"]
    assert stored.values.shape[-1] < whole.regressor[..., :, :].size / 2


def test_matrices_of_scipy_share_the_numbers(results):
    _, packed = results
    matrix = packed.derivative("generalized_forces", "q", sparse=True).csr()
    assert isinstance(matrix, csr_array)
    assert matrix.has_canonical_format
    assert np.shares_memory(matrix.data, packed.outputs["generalized_forces_wrt_q"])


def test_after_pickling_and_into_arrays_that_are_given(idyn, pair, rng):
    _, packed = pair
    motion, constants = rng.normal(size=(3, 4, 3)), dict.fromkeys(idyn.constants, 1.2)
    expected = packed(*motion, constants)
    again = pickle.loads(pickle.dumps(expected))
    np.testing.assert_array_equal(again.regressor, expected.regressor)
    out = {"regressor": np.full(expected.outputs["regressor"].shape, np.nan)}
    packed(*motion, constants, out=out)
    np.testing.assert_array_equal(out["regressor"], expected.outputs["regressor"])
