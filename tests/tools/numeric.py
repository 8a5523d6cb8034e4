"""Numbers for sympy expressions, Programs and evaluators, without compiling anything."""

from functools import reduce

import numpy as np
import sympy as sm
from sympy.functions.elementary.piecewise import ExprCondPair

import jointwrench as jw
from jointwrench.mechanics.arithmetic.operations import Arithmetic, interpret
from jointwrench.mechanics.arithmetic.piecewise import AbsorbingProduct, Certain, Gate, Select

FUNCTIONS = {
    **dict.fromkeys(
        (Select, Gate),
        lambda left, right, one, other: np.where(np.real(left) > np.real(right), one, other),
    ),
    AbsorbingProduct: lambda a, b, gate: np.where((a == 0) | (gate == 0), 0, np.multiply(a, b)),
    Certain: lambda left, right, value: np.where(np.real(left) > np.real(right), value, np.nan),
    sm.sin: np.sin,
    sm.cos: np.cos,
    sm.tan: np.tan,
    sm.exp: np.exp,
    sm.log: np.log,
    sm.tanh: np.tanh,
    sm.Pow: np.power,
    sm.Add: lambda *terms: sum(terms),
    sm.Mul: lambda *factors: np.prod(np.broadcast_arrays(*factors), axis=0),
    sm.Abs: lambda x: x * np.sign(np.real(x)),
    sm.sign: lambda x: np.sign(np.real(x)),
    sm.Max: lambda *values: reduce(lambda x, y: np.where(np.real(x) > np.real(y), x, y), values),
    sm.Min: lambda *values: reduce(lambda x, y: np.where(np.real(x) < np.real(y), x, y), values),
    sm.DiracDelta: lambda x: 0 * x,  # slope of a sign, away from where it changes
    sm.Heaviside: lambda x, at_zero: np.heaviside(np.real(x), at_zero),
    sm.StrictGreaterThan: lambda x, y: np.greater(np.real(x), np.real(y)),
    sm.GreaterThan: lambda x, y: np.greater_equal(np.real(x), np.real(y)),
    sm.StrictLessThan: lambda x, y: np.less(np.real(x), np.real(y)),
    sm.LessThan: lambda x, y: np.less_equal(np.real(x), np.real(y)),
    ExprCondPair: lambda value, condition: (value, condition),
    sm.Equality: lambda x, y: np.equal(np.real(x), np.real(y)),
    sm.Unequality: lambda x, y: np.not_equal(np.real(x), np.real(y)),
    sm.Piecewise: lambda *pairs: reduce(
        lambda other, pair: np.where(pair[1], pair[0], other), reversed(pairs), np.nan
    ),
}


def evaluate(expression, values, known=None):
    """Return an expression as a number or array; ``values`` may be real or complex arrays.

    ``known`` remembers subexpressions, which formulas share a lot.
    """
    if expression in values:
        return values[expression]
    if expression is sm.true:
        return True
    if expression.is_number:
        return float(expression)
    known = {} if known is None else known
    if expression not in known:
        arguments = [evaluate(argument, values, known) for argument in expression.args]
        if expression.is_Pow and expression.exp.is_Integer:
            known[expression] = arguments[0] ** int(expression.exp)
        else:
            known[expression] = FUNCTIONS[expression.func](*arguments)
    return known[expression]


def evaluate_matrix(matrix, values):
    """Return a matrix as an array of shape (..., rows, columns)."""
    known = {}
    entries = [evaluate(sm.sympify(entry), values, known) for entry in matrix]
    entries = np.broadcast_arrays(*entries)
    return np.stack(entries, -1).reshape(*entries[0].shape, *matrix.shape)


def run(program, values, kind=float):
    """Return the outputs of a Program as arrays (..., *shape), by interpreting its graph.

    The values of the inputs are numbers or arrays of one shape (...), of a ``kind``:
    float, or complex for complex steps.
    """
    arithmetic = Arithmetic(
        symbol=lambda symbol: np.asarray(values[symbol], dtype=kind),
        number=float,
        call=lambda function, arguments: FUNCTIONS[function](*arguments),
    )
    computed = interpret(program.operations, program.refs, {}, arithmetic)
    batch = np.broadcast_shapes(*(np.shape(value) for value in values.values()))
    outputs = {}
    for output in program.outputs:
        array = np.zeros((*batch, len(output.refs)), kind)
        for index, ref in enumerate(output.refs):
            array[..., index] = arithmetic.signed(ref, computed)
        outputs[output.name] = array.reshape((*batch, *output.shape))
    return outputs


def complex_steps(program, values, symbols):
    """Return the derivatives of a Program's outputs, arrays (*shape, number of symbols).

    Each is the imaginary part that a tiny imaginary part of an input causes; no
    difference is taken, so that nothing cancels.
    """
    tiny = 1e-30
    steps = dict(zip(symbols, 1j * tiny * np.eye(len(symbols)), strict=True))
    still = np.zeros(len(symbols))
    moved = {x: values[x] + steps.get(x, still) for x in program.used_inputs}
    moved = {**dict.fromkeys(symbols, still), **moved}  # at least one has the batch's shape
    outputs = run(program, moved, complex)
    return {name: np.moveaxis(array.imag, 0, -1) / tiny for name, array in outputs.items()}


def relative_error(actual, expected, floor=1.0):
    """Return the largest difference relative to the largest expected entry (at least floor)."""
    actual, expected = np.asarray(actual), np.asarray(expected)
    assert actual.shape == expected.shape, (actual.shape, expected.shape)
    if expected.size == 0:
        return 0.0
    assert np.isfinite(actual).all()
    return np.max(np.abs(actual - expected)) / max(floor, np.max(np.abs(expected)))


def arguments_of(idyn, values):
    """Return what an evaluator takes, in its order, from the values of all symbols."""
    groups = idyn.coordinates, idyn.speeds, idyn.accelerations
    states = [np.array([values[s] for s in group]) for group in groups]
    numbers = [{s: values[s] for s in group} for group in (idyn.constants, idyn.specifieds)]
    return (*states, *numbers, values.get(idyn.time))


def reloaded(evaluate, path):
    evaluate.save(path)
    return jw.load(path)
