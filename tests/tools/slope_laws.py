"""The laws of slopes: those of a program are complex steps of it, in first and second order."""

import numpy as np
import pytest
from numeric import complex_steps, relative_error, run

from jointwrench.mechanics.dynamics.outputs.output_derivatives import check_wrt

#: Slopes of a root at zero, which a choice leaves aside; NaN that is chosen fails still.
UNCHOSEN = {"divide": "ignore", "invalid": "ignore"}


def check_first(model, names, values, tolerance, modes=(None,), groups=None):
    """Compare slopes by groups of inputs, by the cheapest sweep or in given modes.

    They are open where values are.
    """
    known, plain = model.model.outputs, model.program(names)
    if groups is None:
        groups = [name for name, symbols in known.inputs.items() if symbols and name != "times"]
    own, wrt = [known.output(name) for name in names], check_wrt(groups, known.inputs)
    at = run(plain, values)
    steps = {group: complex_steps(plain, values, known.inputs[group]) for group in groups}
    for mode in modes:
        cheapest = known.cheapest(names, None, groups) if mode is None else None
        with np.errstate(**UNCHOSEN):
            found = run(cheapest or known.program(known.slopes(own, wrt, mode)), values)
        for name in names:
            is_open = np.isnan(at[name])
            for group in groups:
                slopes, expected = found[f"{name}_wrt_{group}"], steps[group][name]
                assert (np.isnan(slopes).any(axis=-1) == is_open).all(), (mode, name, group)
                error = relative_error(slopes[~is_open], expected[~is_open])
                assert error <= tolerance, (mode, name, group)


def check_second(model, outputs, values, tolerance=1e-11):
    """Compare the gradient and the Hessian with complex steps of the value and the gradient."""
    groups = [name for name, known in model.inputs.items() if known and name != "times"]
    program, known = model.model.outputs.weighted_sum(outputs, None, groups)
    weights = program.inputs["weights"]
    random = np.random.default_rng(2)
    values = {**values, **dict(zip(weights, random.normal(size=len(weights)), strict=True))}
    found = run(program, values)
    plain = run(model.program(outputs), values)
    flat = np.concatenate([plain[name].ravel() for name in outputs])
    expected = flat @ [values[weight] for weight in weights]
    assert found["weighted_sum"] == pytest.approx(expected, rel=1e-12)
    steps = complex_steps(program, values, known.variables)
    assert relative_error(found["gradient"], steps["weighted_sum"]) < tolerance
    assert relative_error(dense(known, found["hessian"]), steps["gradient"]) < tolerance


def dense(known, entries):
    """Return the whole matrix."""
    matrix = np.zeros((len(known.variables),) * 2)
    for (i, j), entry in zip(known.places, entries, strict=True):
        matrix[i, j] = matrix[j, i] = entry
    return matrix
