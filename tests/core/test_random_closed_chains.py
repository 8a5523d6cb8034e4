"""Equations of random closed mechanisms; the test's number is the mechanism's."""

import numpy as np
import pytest
from described_models import RodCloser
from described_systems import Built
from marks import slow
from numeric import evaluate, run
from random_systems import check_outputs, closed_system

OUTPUTS = ("generalized_forces", "joint_wrenches", "unsupplied", "constraint_errors")


#: Of 10 and 15 two closings have an equation in common, which a System refuses.
NUMBERS = sorted({*range(30)} - {1, 4, 10, 15})


@pytest.mark.parametrize("is_planar", [False, True])
@pytest.mark.parametrize("number", [4, *slow([1, *NUMBERS])])
def test_systems_with_the_equations_of_their_loops(number, is_planar):
    """One dense balance says which forces act, and which of them are open."""
    model = Built(closed_system(number, is_planar).model)
    model.constrain()
    check_outputs(run(model.inverse().program(OUTPUTS), model.inputs), model.numeric)


#: Mechanisms whose coordinates change as the speeds say, with closings of every kind.
SPATIAL = (1, 2, 3, 4, 5, 6, 7, 10, 18, 60)
KINDS = [*((k, True) for k in (0, 5, 10)), *((k, False) for k in SPATIAL), (4, False, RodCloser)]


@pytest.mark.parametrize(
    "kind", KINDS, ids=lambda kind: "-".join(map(str, kind[:2])) + "-rod" * len(kind[2:])
)
def test_equations(kind):
    """Of places and velocities, in a state in which the loops are open."""
    model, random = closed_system(*kind), np.random.default_rng(kind[0])
    q, u = random.uniform(-1, 1, (2, len(model.speeds)))
    rates = dict(zip([q.diff(model.time) for q in model.coordinates], u, strict=True))
    values = model.inputs_at(q=q, u=u)
    moved = model.numeric.at(q=q, u=u)
    for closing, loop in zip(model.model.closings, model.loops, strict=True):
        errors = np.array([*moved.errors_of(closing)]).T
        holonomic, moving = errors[:2, np.abs(errors[:2]).max(axis=0) > 1e-9]
        if closing.kind == "contact":
            holonomic = np.zeros(0)
        assert numbers(loop.holonomic_constraints, values) == pytest.approx(holonomic, abs=1e-9)
        found = numbers(loop.velocity_constraints, {**values, **rates})
        assert found == pytest.approx(moving, abs=1e-9)


def test_every_kind():
    closings = [x for number in KINDS for x in closed_system(*number).model.closings]
    assert len({closing.kind for closing in closings}) == 11


def numbers(equations, values):
    return np.array([evaluate(equation, values) for equation in equations])
