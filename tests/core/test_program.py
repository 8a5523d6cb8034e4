"""The straight-line program: what is computed, in which order, and nothing else."""

import numpy as np
import pytest
from marks import slow
from numeric import evaluate, run
from random_systems import random_system
from refusals import refused
from sympy import Symbol, sin, symbols
from sympy.physics.mechanics import dynamicsymbols

from jointwrench.mechanics.arithmetic.graph import Graph
from jointwrench.mechanics.arithmetic.output import Output
from jointwrench.mechanics.arithmetic.program import Program
from jointwrench.mechanics.dynamics.outputs.inverse_outputs import input_groups
from jointwrench.mechanics.methods.inverse_dynamics import InverseDynamics

a, b = symbols("a b")
q = dynamicsymbols("q")


def make_program(*expressions, inputs=None):
    graph = Graph()
    values = [graph.scalar(expression) for expression in expressions]
    output = Output.from_scalars("values", (len(values),), values)
    return Program(graph, [output], input_groups(inputs or {"q": [q], "constants": [a, b]}))


def by_assignments(program, values):
    """Return the outputs by doing the assignments one after the other."""
    known = dict(values)
    for assignment in program.assignments:
        known[assignment.target] = evaluate(assignment.expression, known)
    results = ((output.name, program.result(output)) for output in program.outputs)
    return {name: np.array([evaluate(x, known) for x in own]) for name, own in results}


class TestAssignments:
    @pytest.mark.parametrize("seed", [3, *slow([0, 1, 2, 4, 5])])
    def test_same_as_the_closed_form(self, seed):
        tree = random_system(seed, 2, loads=("force", "torque"))
        values = tree.inputs
        program = InverseDynamics(tree.system).program()
        outputs, interpreted = by_assignments(program, values), run(program, values)
        for name in ("generalized_forces", "joint_wrenches"):
            known = {}
            formulas = program.closed_form(name)
            closed = [evaluate(entry, values, known) for entry in formulas]
            expected = interpreted[name].ravel()
            assert outputs[name] == pytest.approx(expected, rel=1e-12, abs=1e-12)
            assert closed == pytest.approx(expected, rel=1e-9, abs=1e-9)

    def test_one_operation_each(self):
        program = make_program((a * q + b) * sin(q) - a * q)
        assert all(len(item.expression.args) <= 2 for item in program.assignments)
        assert len(program.assignments) == 5

    def test_targets_differ_from_the_inputs(self):
        """Users may call a symbol z0, too."""
        z0 = Symbol("z0")
        program = make_program(z0 * q, inputs={"q": [q], "constants": [z0]})
        (assignment,) = program.assignments
        assert assignment.target.name != "z0"
        assert by_assignments(program, {z0: 2.0, q: 3.0})["values"] == [6]

    def test_signs_zeros_numbers_and_inputs_as_results(self):
        program = make_program(-a * q, 0, 3, q, -b)
        values = {a: 2.0, b: 5.0, q: 7.0}
        assert by_assignments(program, values)["values"].tolist() == [-14, 0, 3, 7, -5]
        assert run(program, values)["values"].tolist() == [-14, 0, 3, 7, -5]

    def test_dead_code_is_left_out(self):
        graph = Graph()
        wanted, _ = graph.scalar(a * q), graph.scalar(sin(q) * b)
        output = Output.from_scalars("values", (1,), [wanted])
        program = Program(graph, [output], input_groups({"q": [q], "constants": [a, b]}))
        assert len(program.assignments) == 1
        assert program.used_inputs == (a, q) or program.used_inputs == (q, a)

    def test_shape_of_the_result(self):
        graph = Graph()
        output = Output.from_scalars("values", (2, 3), [graph.scalar(k) for k in range(6)])
        assert Program(graph, [output], ()).result(output).tolist() == [[0, 1, 2], [3, 4, 5]]


class TestConstants:
    def test_operations_on_constants_come_once_per_call(self):
        program = make_program(a * b * q, sin(a) + sin(q))
        once = {program.graph.to_sympy([ref])[0] for ref in program.constant_refs}
        assert {a * b, sin(a)} <= once
        assert all(program.graph.varying[ref] for ref in program.sample_refs)
        assert {*program.constant_refs, *program.sample_refs} == set(program.refs)

    def test_counts(self):
        program = make_program(a * b * q + 1 / q + sin(q) + abs(q))
        expected = {"mul": 2, "add": 3, "trig": 1, "other": 1, "constant": 1}
        assert program.count_ops() == expected

    def test_numbers_in_place_of_constants(self):
        fixed = make_program(a * b * q, a + b).with_numbers({a: 0.5, b: 2})
        assert fixed.inputs["constants"] == ()
        assert fixed.assignments == ()
        assert run(fixed, {q: 3.0})["values"].tolist() == [3, 2.5]


class TestRefusals:
    def test_unknown_input(self):
        refused(lambda: make_program(a + b, inputs={"constants": [a]}), "groups")

    def test_unknown_output(self):
        refused(lambda: make_program(a).output("forces"), "name")

    def test_wrong_number_of_entries(self):
        refused(lambda: Output("values", (2, 3), (1,)), "refs")
        refused(lambda: Output("values", (2,), (1, 2), labels=("one",)), "labels")
