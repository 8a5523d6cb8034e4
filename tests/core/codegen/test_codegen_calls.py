"""One way through a call: by the extension or by ctypes, whatever the arguments are."""

import numpy as np
import pytest
from codegen_programs import (
    OPTIONS,
    VALUES,
    build,
    everything,
    force,
    g,
    length,
    m,
    q1,
    q2,
    road,
    states,
)
from refusals import refused

from jointwrench.mechanics.evaluation.backends import codes, function
from jointwrench.mechanics.evaluation.backends.function import CtypesFunction, NativeFunction
from jointwrench.mechanics.evaluation.batch import LONGEST_RUN
from jointwrench.mechanics.evaluation.compilation import compile_program

SPECIFIEDS = {force: 0.3, road: -1.2}

extension = pytest.mark.skipif(NativeFunction is CtypesFunction, reason="extension was not built")


def compiled(function):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(codes, "NativeFunction", function)
        return compile_program(everything(), backend="c", **OPTIONS)


@pytest.fixture(scope="module")
def by_ctypes():
    return compiled(CtypesFunction)


@pytest.fixture(scope="module", params=["ctypes", pytest.param("extension", marks=extension)])
def evaluate(request):
    evaluate = compiled(NativeFunction if request.param == "extension" else CtypesFunction)
    evaluate(*np.zeros((3, 3)), VALUES, SPECIFIEDS, 0.0)  # resolves the keys
    return evaluate


def refuse(given):
    raise NotImplementedError


def is_direct(evaluate, *given, out=None):
    """Whether a call goes straight to the C code, or there is no extension for that."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(evaluate._arguments, "read", refuse)
        try:
            evaluate(*given, out=out)
            is_direct = True
        except NotImplementedError:
            is_direct = False
    assert not (is_direct and type(evaluate._function) is CtypesFunction)
    return is_direct or type(evaluate._function) is CtypesFunction


def takes_the_detour(evaluate, *given):
    return not is_direct(evaluate, *given) or type(evaluate._function) is CtypesFunction


def check_same(result, expected):
    assert list(result.outputs) == list(expected.outputs)
    for name, array in expected.outputs.items():
        np.testing.assert_array_equal(result.outputs[name], array)


NUMBERS = {
    "floats": float,
    "integers": lambda x: int(10 * x),
    "numpy's": np.float64,
    "numpy's of single precision": np.float32,
    "numpy's integers": lambda x: np.int16(10 * x),
    "arrays without axes": np.array,
}


@pytest.mark.parametrize("batch", [(), (1,), (0,), (70,), (2, 3)])
@pytest.mark.parametrize("form", NUMBERS)
def test_numbers_of_every_kind_are_plain(evaluate, by_ctypes, rng, batch, form):
    number = NUMBERS[form]
    constants = {symbol: number(x) for symbol, x in VALUES.items()}
    specifieds = {symbol: number(x) for symbol, x in SPECIFIEDS.items()}
    given = (*states(rng, *batch), constants, specifieds, number(0.5))
    check_same(evaluate(*given), by_ctypes(*given))
    assert is_direct(evaluate, *given)


@pytest.mark.parametrize("batch", [(1,), (0,), (70,), (2, 3)])
def test_arrays_over_the_batch_are_plain(evaluate, by_ctypes, rng, batch):
    times, forces = rng.normal(size=(2, *batch))
    x, v, a = states(rng, *batch)
    for state in ((x, v, a), (x, states(rng)[1], a), (*states(rng)[:2], a), states(rng)):
        for specifieds in ({force: forces, road: 2.0}, {force: forces, road: times}):
            given = (*state, VALUES, specifieds, times)
            check_same(evaluate(*given), by_ctypes(*given))
            assert is_direct(evaluate, *given)


class OwnNumber(np.float32):
    """Conversion to a number calls Python code, which might change what is being read."""

    def __float__(self):
        return 1.5


@pytest.mark.parametrize(
    ("change", "value"),
    [
        (0, np.zeros((5, 3), np.float32)),
        (0, np.zeros((3, 5)).T),
        (0, np.zeros((1, 3))),
        (1, [[0.0, 0.0, 0.0]]),
        (3, {m: OwnNumber(1.5), length: 0.7, g: 9.81}),
        (3, {"m": 1.5, "l": 0.7, "g": 9.81}),
        (3, {length: 0.7, g: 9.81, m: 1.5}),
        (4, {"F": 0.3, road: -1.2}),
        (4, {(force, road): [[0.3, -1.2]]}),
        (4, {force: np.zeros(10)[::2], road: 1}),
        (4, {force: abs, road: 1}),
        (4, {force: np.zeros(1), road: 1}),
        (5, np.zeros(10)[::2]),
        (5, [0.0, 1.0, 2.0, 3.0, 4.0]),
    ],
)
def test_everything_else_takes_the_detour(evaluate, by_ctypes, rng, change, value):
    given = [*states(rng, 5), VALUES, SPECIFIEDS, 0.5]
    given[change] = value
    assert takes_the_detour(evaluate, *given)
    check_same(evaluate(*given), by_ctypes(*given))
    evaluate(*states(rng, 5), VALUES, SPECIFIEDS, 0.5)  # the keys that others expect


ROWS = {
    "lists": lambda row: row.tolist(),
    "tuples": lambda row: tuple(row),
    "integers": lambda row: [int(10 * x) for x in row],
    "single precision": lambda row: row.astype(np.float32),
    "short integers": lambda row: (10 * row).astype(np.int16),
    "parts of arrays": lambda row: np.repeat(row, 3)[::3],
}


@pytest.mark.parametrize("form", ROWS)
def test_rows_of_every_kind_are_plain(evaluate, by_ctypes, rng, form):
    state = [ROWS[form](row) for row in states(rng)]
    together = {(force, road): ROWS[form](np.array([0.3, -1.2]))}
    evaluate(*states(rng), VALUES, together, 0.5)
    given = (*state, VALUES, together, 0.5)
    result = evaluate(*given)
    check_same(result, by_ctypes(*given))
    assert is_direct(evaluate, *given)
    for k, symbol in enumerate((force, road)):
        assert result.inputs.samples[symbol] == together[force, road][k]
    assert [result.inputs.samples[q] for q in (q1, q2)] == list(state[0][:2])
    evaluate(*states(rng), VALUES, SPECIFIEDS, 0.5)


@pytest.mark.parametrize("batch", [(), (1,), (5,), (2, 3)])
def test_several_symbols_at_once_are_plain(evaluate, by_ctypes, rng, batch):
    """A controller gives all its motors' torques in one array."""
    together = {(road, force): rng.normal(size=(*batch, 2))}
    given = (*states(rng, *batch), VALUES, together, 0.5)
    check_same(evaluate(*given), by_ctypes(*given))
    assert is_direct(evaluate, *given)
    again = {(road, force): together[road, force]}
    assert is_direct(evaluate, *given[:4], again, 0.5)
    assert takes_the_detour(evaluate, *given[:4], {(force, road): again[road, force]}, 0.5)
    evaluate(*states(rng), VALUES, SPECIFIEDS, 0.5)


@pytest.mark.parametrize("name", ["q", "u", "udot", "constants", "specifieds", "times", "out"])
def test_arguments_by_name(evaluate, rng, name):
    names = ("q", "u", "udot", "constants", "specifieds", "times", "out")
    out = {"solved_loads": np.empty(2)}
    args = dict(zip(names, (*states(rng), VALUES, SPECIFIEDS, 0.5, out), strict=True))
    expected = evaluate(*args.values())
    head = names[: names.index(name)]
    check_same(evaluate(*map(args.get, head), **{x: args[x] for x in names[len(head) :]}), expected)
    with pytest.raises(TypeError, match="multiple values"):
        evaluate(*args.values(), **{name: args[name]})
    refused(lambda: evaluate(**args, more=1), None, TypeError)


def test_keys_are_recognised_by_their_text(evaluate, rng):
    state = states(rng)
    given = {"".join(key): 1.0 for key in ("m", "l", "g")}
    evaluate(*state, given, SPECIFIEDS, 0.5)
    again = {bytes(key, "ascii").decode(): 1.0 for key in given}
    assert is_direct(evaluate, *state, again, SPECIFIEDS, 0.5)
    assert takes_the_detour(evaluate, *state, {**again, "g": np.nan}, SPECIFIEDS, 0.5)
    evaluate(*state, VALUES, SPECIFIEDS, 0.5)


def test_columns_of_large_batches_are_not_copied_as_a_whole(evaluate, by_ctypes, rng):
    samples = LONGEST_RUN + 1
    given = (*states(rng, samples), VALUES, {force: rng.normal(size=samples), road: 1.0}, 0.5)
    assert takes_the_detour(evaluate, *given)
    check_same(evaluate(*given), by_ctypes(*given))


@pytest.mark.parametrize("batch", [(), (4,)])
def test_a_result_keeps_what_it_was_evaluated_with(evaluate, rng, batch):
    """A controller changes its dict, and the array in it, from call to call."""
    specifieds = dict(SPECIFIEDS)
    result = evaluate(*states(rng, *batch), VALUES, specifieds, 0.5)
    specifieds[force] = 99.0
    other = evaluate(*states(rng, *batch), VALUES, specifieds, 0.7)
    for known, expected, time in ((result, 0.3, 0.5), (other, 99.0, 0.7)):
        assert known.inputs.samples[force] == expected
        assert known.inputs.samples[road] == -1.2
        assert known.times == time
        assert known.inputs.constants == VALUES


def test_given_arrays_take_the_results(evaluate, by_ctypes, rng):
    given = (*states(rng, 5), VALUES, SPECIFIEDS, 0.5)
    expected = by_ctypes(*given)
    out = {"joint_wrenches": np.empty((5, 2, 6))}
    result = evaluate(*given, out=out)
    check_same(result, expected)
    assert result.joint_wrenches is out["joint_wrenches"]
    assert is_direct(evaluate, *given, out=out)
    wrong = {"functions": None, "wrenches": np.empty((5, 2, 6)), "generalized_forces": given[0]}
    wrong |= {"joint_wrenches": np.empty((5, 6, 2)), "solved_loads": np.empty((5, 2), np.float32)}
    for name, array in wrong.items():
        refused(lambda: evaluate(*given, out={name: array}), "out", (TypeError, ValueError))


@pytest.mark.parametrize("width", [127, 128, 131, 136, 600])
def test_wide_rows_go_past_the_caches_in_whole_lines(monkeypatch, rng, width):
    """Whatever the place of the first number in its line, and of how many the last ones are."""
    monkeypatch.setattr("jointwrench.mechanics.codegen.text.kernel.FAR", 1)
    outputs = {"x": ((width,), [k * q1 for k in range(width)])}
    evaluate = compile_program(build(outputs, {"q": (q1,)}), backend="c")
    for offset, samples in zip(range(8), (8, 9, 15, 16, 17, 64, 71, 3), strict=True):
        x = rng.normal(size=(samples, 1))
        memory = np.full(width * samples + 20, 77.0)
        part = memory[offset : offset + width * samples]
        evaluate(x, out={"x": part.reshape(samples, width)})
        np.testing.assert_array_equal(part.reshape(samples, width), x * np.arange(width))
        assert (np.delete(memory, range(offset, offset + part.size)) == 77).all()


@pytest.mark.parametrize(("count", "shape"), [(65, (1,)), (1, (1,) * 9)])
def test_more_than_the_extension_has_room_for(count, shape, rng):
    outputs = {f"out_{k}": (shape, [k * q1]) for k in range(count)}
    evaluate = compile_program(build(outputs, {"q": (q1,)}), backend="c")
    assert type(evaluate._function) is CtypesFunction
    x = rng.normal(size=(70, 1))
    for k, array in enumerate(evaluate(x).outputs.values()):
        np.testing.assert_array_equal(array.reshape(70, 1), k * x)


def test_a_missing_extension_is_told_once(monkeypatch):
    monkeypatch.setattr(function, "NativeFunction", CtypesFunction)
    function.warn_of_missing_extension.cache_clear()
    with pytest.warns(RuntimeWarning, match=r"without its extension .* pip install") as caught:
        compiled(CtypesFunction), compiled(CtypesFunction)
    assert len(caught) == 1


def test_wrong_number_of_arrays(evaluate):
    with pytest.raises(ValueError, match="wrong number of arrays"):
        evaluate._function.run(1, (), (), ())
