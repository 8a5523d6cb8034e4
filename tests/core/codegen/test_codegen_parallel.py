"""Evaluators and results go anywhere."""

import multiprocessing
import os
import pickle
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from bodies import rigid_body, system_of
from marks import slow
from refusals import refused
from sympy import symbols
from sympy.physics.mechanics import PinJoint, dynamicsymbols

from jointwrench import InverseDynamics
from jointwrench.mechanics.adapters.private_sympy import function_recipe
from jointwrench.mechanics.codegen.toolchain.compiler import CompilationError, NoCompilerWarning

posix = pytest.mark.skipif(os.name == "nt", reason="needs fork")
M, L, G = symbols("m l g")
CONSTANTS = {M: 2.0, L: 0.5, G: 9.81}


def pendulum():
    moment = M * L**2 / 12
    ground, rod = rigid_body("ground"), rigid_body("rod", M, moment, 0, moment)
    pin = PinJoint("pin", ground, rod, child_point=L / 2 * rod.y, joint_axis=ground.z)
    return InverseDynamics(system_of(ground, pin, gravity=-G * ground.y))


@pytest.fixture(scope="module")
def idyn():
    return pendulum()


@pytest.fixture(scope="module", params=["c", "numpy", "pydy"])
def evaluate(request, idyn):
    return idyn.compile(backend=request.param)


def forces(evaluate, x=0.3):
    return evaluate([x], [1.0], [2.0], {str(s): v for s, v in CONSTANTS.items()}).joint_wrenches


def test_constants_given_at_compile_time_go_along(idyn):
    evaluate = pickle.loads(pickle.dumps(idyn.compile(constants=CONSTANTS, backend="numpy")))
    assert evaluate([0.3], [1], [2]).joint_wrenches.shape == (1, 6)
    refused(lambda: evaluate([0.3], [1], [2], {M: 1}), "constants")


@pytest.mark.parametrize("method", [pytest.param("fork", marks=posix), *slow(["spawn"])])
def test_multiprocessing(idyn, method):
    evaluate = idyn.compile(backend="c")
    with warnings.catch_warnings():  # newer versions warn of fork beside threads
        warnings.simplefilter("ignore", DeprecationWarning)
        count = 2 if method == "fork" else 1  # of which each imports everything anew
        with multiprocessing.get_context(method).Pool(count) as pool:
            results = pool.starmap(forces, [(evaluate, x) for x in (0.1, 0.2, 0.3)])
    for x, result in zip((0.1, 0.2, 0.3), results, strict=True):
        np.testing.assert_array_equal(result, forces(evaluate, x))


def test_joblib(idyn):
    joblib = pytest.importorskip("joblib")
    evaluate = idyn.compile(backend="c")
    (result,) = joblib.Parallel(n_jobs=2)([joblib.delayed(forces)(evaluate)])
    np.testing.assert_array_equal(result, forces(evaluate))


def test_many_threads_at_once(idyn, rng):
    evaluate = idyn.compile(backend="c", threads=2)
    states = rng.normal(size=(16, 3, 9000, 1))
    masses = rng.uniform(1, 2, size=16)
    given = [{**CONSTANTS, M: m} for m in masses]
    expected = [evaluate(*x, c).joint_wrenches for x, c in zip(states, given, strict=True)]
    with ThreadPoolExecutor(8) as pool:
        results = pool.map(lambda k: evaluate(*states[k % 16], given[k % 16]), range(64))
        for k, result in enumerate(results):
            np.testing.assert_array_equal(result.joint_wrenches, expected[k % 16])


@posix
def test_threads_after_a_fork(idyn):
    evaluate = idyn.compile(constants=CONSTANTS, backend="c", threads=2)
    x = np.linspace(0, 1, 9000)[:, None]
    expected = evaluate(x, x, x).joint_wrenches
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        with multiprocessing.get_context("fork").Pool(1) as pool:
            result = pool.apply_async(evaluate, (x, x, x)).get(timeout=60)
    np.testing.assert_array_equal(result.joint_wrenches, expected)


def test_where_it_cannot_be_compiled(idyn, monkeypatch):
    chosen = pickle.dumps(idyn.compile(backend="c"))
    text = pickle.dumps(idyn.compile())
    expected = forces(pickle.loads(text))

    monkeypatch.setenv("CC", "nonsense")
    match = "CC must name a program, got 'nonsense'"
    with pytest.warns(NoCompilerWarning, match=f"numpy evaluates instead, .* {match}"):
        evaluate = pickle.loads(text)
    assert evaluate.backend == "numpy"
    np.testing.assert_allclose(forces(evaluate), expected, 1e-13)
    with pytest.raises(CompilationError, match=match):
        pickle.loads(chosen)


@pytest.mark.parametrize("assumptions", [{}, {"real": True}, {"commutative": True}])
def test_functions_of_time_are_made_again(assumptions):
    """What sympy does itself from version 1.14 on."""
    function = dynamicsymbols("x", **assumptions).func
    make, arguments = function_recipe(function)
    assert make(*pickle.loads(pickle.dumps(arguments))) == function
    assert pickle.loads(pickle.dumps(function)) == function
