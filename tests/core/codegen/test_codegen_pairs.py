"""One sample of long programs: what limbs that are alike have in common is computed at once."""

import pickle
from functools import cache

import numpy as np
import pytest
import sympy as sm
from codegen_programs import build, everything
from marks import slow
from sympy.physics.mechanics import dynamicsymbols

from jointwrench.mechanics.arithmetic.graph import Graph
from jointwrench.mechanics.arithmetic.piecewise import Select
from jointwrench.mechanics.arithmetic.program import Output, Program
from jointwrench.mechanics.codegen.text import pairs
from jointwrench.mechanics.codegen.toolchain.compiler import CompilationError
from jointwrench.mechanics.codegen.toolchain.library import load_library
from jointwrench.mechanics.codegen.toolchain.tuning import ONE_LANE
from jointwrench.mechanics.dynamics.outputs.inverse_outputs import input_groups
from jointwrench.mechanics.evaluation.backends import codes
from jointwrench.mechanics.evaluation.compilation import compile_program

q, u = dynamicsymbols("q:7"), dynamicsymbols("u:7")
udot = [speed.diff() for speed in u]
mass, length, unused = sm.symbols("m l c", positive=True)
INPUTS = {"q": q, "u": u, "udot": udot, "constants": (mass, length, unused)}
INPUTS |= {"specifieds": (), "times": ()}
VALUES = {mass: 1.5, length: 0.7, unused: 2.0}
LEFT, RIGHT = (1, 3, 5), (2, 4, 6)


def limb(random, places, side):
    """Return formulas of a limb: the same for a seed, numbers and mirrored signs apart."""
    values = [x[k] for x in (q, u) for k in places]
    values += [x[0] for x in (q, u)]  # of the trunk
    for _ in range(40):
        one, other = (values[k] for k in random.integers(len(values), size=2))
        number = sm.Rational(int(random.integers(2, 9)), 10)
        values.append(
            random.choice(
                [
                    one * number + side * length * other,
                    one - side * number * other,
                    sm.sin(one) * sm.cos(other),
                    side * sm.sin(one - other / 3),
                    one / (2 + other**2),
                    sm.sqrt(1 + one**2) - mass * other,
                    Select(one, other, one, number),
                    sm.Abs(one) - other,
                ]
            )
        )
    return values[8:]


@cache
def two_limbs(seed, other_side=-1):
    """Return a program of two limbs that meet at a trunk."""
    left = limb(np.random.default_rng(seed), LEFT, 1)
    right = limb(np.random.default_rng(seed), RIGHT, other_side)
    trunk = [a - b for a, b in zip(left[-9:], right[-3::-1], strict=False)]
    trunk += [a + b * sm.cos(u[0]) for a, b in zip(left[-9:], right[-9:], strict=True)]
    both = [value for pair in zip(left, right, strict=True) for value in pair]
    entries = [*both, *(-value for value in reversed(both)), *trunk, sm.Integer(0), mass]
    rows = len(entries)
    extra = [sm.Piecewise((q[1], q[2] > 0), (u[0], True)), sm.atan2(u[1], u[2]), q[5], -q[6]]
    return build({"generalized_forces": ((rows,), entries), "functions": ((4,), extra)}, INPUTS)


@pytest.fixture(autouse=True)
def _always(monkeypatch):
    monkeypatch.setattr(pairs, "SHORT", 0)
    monkeypatch.setattr(pairs, "WORTH", 2)


@pytest.mark.parametrize("seed", [1, *slow([0, 2, 3, 4, 5])])
def test_pairs_give_the_numbers_of_single_values(seed, rng):
    program = two_limbs(seed)
    evaluate = compile_program(program, backend="c")
    given = rng.normal(size=(3, 20, 7))
    batch = evaluate(*given, VALUES)
    for k in range(20):
        alone = evaluate(*given[:, k], VALUES)
        for name in evaluate.outputs:
            np.testing.assert_allclose(
                getattr(alone, name), getattr(batch, name)[k], rtol=1e-12, atol=1e-12
            )
    by_two = evaluate(*given[:, :2], VALUES).generalized_forces
    alone = [evaluate(*given[:, k], VALUES).generalized_forces for k in range(2)]
    np.testing.assert_array_equal(by_two, alone)


def turned(graph, places, side):
    """Return the velocity of the end of a chain of links, one of whose offsets is mirrored."""
    x, y, rate = graph.scalar(u[0]), graph.scalar(q[0]), graph.scalar(0)
    for k in places:
        rate += graph.scalar(u[k])
        cosine, sine = (graph.scalar(wave(q[k])) for wave in (sm.cos, sm.sin))
        x, y = x * cosine + y * sine, y * cosine - x * sine
        x, y = x + graph.scalar(side * length) * rate, y + graph.scalar(length) * rate
    return x, y


def test_mirrored_limbs_are_computed_at_once():
    graph = Graph([*q, *u])
    entries = [*turned(graph, LEFT, 1), *turned(graph, RIGHT, -1)]
    output = Output.from_scalars("generalized_forces", (4,), entries)
    program = Program(graph, [output], input_groups(INPUTS))
    paired = pairs.paired(program)
    (output,) = paired.outputs
    assert [*map(abs, output.refs[:2])] == [*map(abs, output.refs[2:])]
    assert paired.sides == [[0, 0, 1, 1]]
    assert len(paired.sample_refs) < 0.65 * len(program.sample_refs)


def test_every_operation_can_stand_among_pairs(rng):
    """Also where there are no limbs: all values are pairs of twice the same."""
    given = rng.normal(size=(3, 3, 3))
    program = everything()
    constants = {"m": 1.5, "l": 0.7, "g": 9.81}
    evaluate = compile_program(program, backend="c")
    batch = evaluate(*given, constants, {"F": 0.3, "r": -1.2}, 0.5)
    alone = evaluate(*given[:, 1], constants, {"F": 0.3, "r": -1.2}, 0.5)
    for name in ("generalized_forces", "functions"):
        np.testing.assert_allclose(alone.outputs[name], batch.outputs[name][1], rtol=1e-13)


def test_short_programs_and_those_without_limbs_have_none(monkeypatch):
    monkeypatch.undo()
    assert pairs.paired(two_limbs(1)) is None
    monkeypatch.setattr(pairs, "SHORT", 0)
    assert pairs.paired(everything()) is None


@pytest.fixture
def loaded(monkeypatch):
    loaded = []

    def load(source, more=()):
        loaded.append((source, more))
        return load_library(source, more)

    monkeypatch.setattr(codes, "load_library", load)
    return loaded


def test_another_process_has_the_same_bits(loaded, rng):
    evaluate, given = compile_program(two_limbs(1), backend="c"), rng.normal(size=(3, 7))
    sent = pickle.loads(pickle.dumps(evaluate))
    expected = evaluate(*given, VALUES).generalized_forces
    np.testing.assert_array_equal(sent(*given, VALUES).generalized_forces, expected)
    assert len({source for source, _ in loaded}) == 2
    assert ONE_LANE not in [more for _, more in loaded]
    assert {*evaluate.sources.values()} == {source for source, _ in loaded}
    assert sent.sources == evaluate.sources


def test_where_they_cannot_be_compiled_batches_have_the_kernel(monkeypatch, rng):
    evaluate, given = compile_program(two_limbs(1), backend="c"), rng.normal(size=(3, 3, 7))

    def refuse(*_):
        raise CompilationError("there is no compiler")

    monkeypatch.setattr(codes, "load_library", refuse)
    alone = evaluate(*given[:, 0], VALUES).generalized_forces
    np.testing.assert_array_equal(alone, evaluate(*given, VALUES).generalized_forces[0])
