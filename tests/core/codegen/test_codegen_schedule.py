"""Large programs are cut into pieces."""

import os

import numpy as np
import pytest
import sympy as sm
from codegen_programs import VALUES, build, everything, force, q, road, states

from jointwrench.mechanics.codegen.text.generator import library_text
from jointwrench.mechanics.codegen.text.schedule import Kind, make_schedule
from jointwrench.mechanics.codegen.text.statements import Layout
from jointwrench.mechanics.codegen.toolchain.compiler import count_units
from jointwrench.mechanics.evaluation.backends.codes import CompiledCode
from jointwrench.mechanics.evaluation.compilation import compile_program
from jointwrench.mechanics.evaluation.compiled_outputs import Interface
from jointwrench.mechanics.evaluation.evaluator import Evaluator

pytestmark = pytest.mark.optimised


def long_program():
    """Sums and products, calls within calls, and values that stay in use for long."""
    values = [sm.sin(q[0]), sm.cos(q[0]), q[1], q[2]]
    graph_outputs = []
    for k in range(60):
        values.append(values[-1] * values[-3] / 9 + values[k % 4] / (k + 2))
        if k % 20 == 7:
            values.append(sm.tanh(sm.sin(values[-1]) + sm.cos(values[-1])))
        graph_outputs.append(values[-1])
    return build({"out": ((60,), graph_outputs)}, {"q": q})


def test_pieces_change_nothing(rng, monkeypatch):
    program = long_program()
    steps = make_schedule(Layout(program), longest=11).steps
    assert sum(step.kind is Kind.ARITHMETIC for step in steps) > 10
    whole = compile_program(program, backend="numpy")
    x = rng.normal(size=(21, 3))
    expected = whole(x, None, None).outputs["out"]
    monkeypatch.setattr("jointwrench.mechanics.codegen.text.kernel.NUMBERS_ON_STACK", 3)
    monkeypatch.setattr("jointwrench.mechanics.codegen.text.kernel.LONG", 50)
    source = library_text(program, longest=11)
    assert "LANES <= 3" in source
    assert count_units(source) == os.cpu_count()
    pieces = Evaluator(Interface.of(program), CompiledCode(source))
    np.testing.assert_allclose(pieces(x).outputs["out"], expected, 1e-11, 1e-13)


def test_rows_are_used_again():
    schedule = make_schedule(Layout(long_program()), longest=11)
    crossing = [ref for ref in schedule.rows if ref not in schedule.inputs]
    assert schedule.row_count < len(crossing) + len(schedule.inputs)


@pytest.mark.parametrize("lanes", [1, 8])
def test_compilers_without_vectors_get_plain_loops(rng, monkeypatch, lanes):
    """What MSVC sees of the text, by way of another compiler."""
    monkeypatch.setenv("JOINTWRENCH_TUNING", "plain")
    monkeypatch.setenv("CPPFLAGS", f"-DLANES={lanes}")
    program = everything()
    source = library_text(program).replace("defined(__GNUC__)", "0")
    plain = Evaluator(Interface.of(program), CompiledCode(source))
    given = *states(rng, 19), VALUES, {force: 0.3, road: -1.2}, 0.5
    expected = compile_program(program, backend="numpy")(*given)
    for name, array in plain(*given).outputs.items():
        np.testing.assert_allclose(array, expected.outputs[name], 1e-12, 1e-14)
