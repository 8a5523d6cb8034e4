"""The number of operations never grows: baselines/operations.json.

Write it anew, after counts have fallen, by ``python tests/test_operations.py``.
"""

import json
from pathlib import Path

import pytest
from random_trees import random_tree
from sympy import Integer, Matrix, Symbol, pi, rot_axis1, symbols
from sympy.physics.mechanics import inertia

from jointwrench import ForwardDynamics, InverseDynamics
from jointwrench.models.tree_builder import TreeBuilder

BASELINES = Path(__file__).parent / "baselines" / "operations.json"
H = pi / 2
A2, A3, A4, A7, D1, D3, D4, D5 = symbols("a2 a3 a4 a7 d1 d3 d4 d5")

#: Rows of a, alpha, d: Khalil's modified Denavit-Hartenberg parameters.
ROBOTS = {
    "Puma 560": [(0, 0, 0), (0, -H, 0), (A2, 0, D3), (A3, -H, D4), (0, H, 0), (0, -H, 0)],
    "Staubli RX-90": [(0, 0, 0), (0, H, 0), (D3, 0, 0), (0, -H, D4), (0, H, 0), (0, -H, 0)],
    "KUKA LWR": [
        *((0, 0, 0), (0, H, 0), (0, -H, D3), (0, -H, 0)),
        *((0, H, D5), (0, H, 0), (0, -H, 0)),
    ],
    "Franka Panda": [
        *((0, 0, D1), (0, -H, 0), (0, H, D3), (A4, H, 0)),
        *((-A4, -H, D5), (0, H, 0), (A7, H, 0)),
    ],
    "general 6R": [symbols(f"a{k} alpha{k} d{k}") for k in range(6)],
}

#: What has to be reached: (multiplications, additions) for the torques without and with
#: regrouped parameters, for torques and all joint wrenches, for the mass matrix,
#: and for the accelerations of forward dynamics.
BARS = {
    "Puma 560": ((298, 282), None, (327, 308), (150, 153), (523, 480)),
    "Staubli RX-90": ((286, 269), None, (317, 297), (124, 125), None),
    "KUKA LWR": ((343, 323), None, (378, 356), (172, 164), None),
    "Franka Panda": ((360, 340), None, (393, 372), (202, 197), (680, 619)),
    "general 6R": ((491, 418), (439, 369), None, None, None),
}


def robot(rows) -> InverseDynamics:
    """Return a robot with all ten inertial parameters of each link as symbols."""
    builder = TreeBuilder()
    inner = builder.ground
    for k, (a, alpha, d) in enumerate(rows):
        body = builder.add_body(f"b{k}", Symbol(f"m{k}"), symbols(f"cx{k} cy{k} cz{k}"))
        moments = symbols(f"xx{k} yy{k} zz{k} xy{k} yz{k} zx{k}")
        body.inertia = (inertia(body.frame, *moments), builder.origins[body])
        rotation = rot_axis1(-Integer(alpha) if alpha == 0 else -alpha)
        offset = Matrix([a, 0, 0]) + d * rotation[:, 2]
        placement = {"parent_point": offset, "parent_interframe": rotation}
        builder.add_joint("pin", f"j{k}", inner, body, axis=(0, 0, 1), **placement)
        inner = body
    return InverseDynamics(builder.build((0, 0, -Symbol("g"))))


def counts(idyn: InverseDynamics) -> dict[str, dict[str, int]]:
    """Return the counts of the five kinds of programs."""
    plain, regrouped = idyn.model.outputs.alternatives(["generalized_forces"])
    programs = {"torques": plain, "regrouped": regrouped, "wrenches": idyn.program()}
    programs["mass matrix"] = idyn.program("mass_matrix")
    programs["accelerations"] = ForwardDynamics(idyn.model.tree.system).program()
    return {name: program.count_ops() for name, program in programs.items()}


@pytest.fixture(scope="module")
def robots():
    return {name: robot(rows) for name, rows in ROBOTS.items()}


@pytest.mark.parametrize("name", ROBOTS)
def test_counts_do_not_grow(robots, name):
    baselines = json.loads(BASELINES.read_text(encoding="utf-8"))[name]
    for kind, found in counts(robots[name]).items():
        for operation, count in found.items():
            assert count <= baselines[kind][operation], (kind, operation)


@pytest.mark.parametrize("name", ROBOTS)
def test_counts_are_within_the_bars(robots, name):
    found = counts(robots[name])
    for kind, bar in zip(found, BARS[name], strict=True):
        if bar is not None:
            assert (found[kind]["mul"] <= bar[0], found[kind]["add"] <= bar[1]) == (True, True)


def test_torques_alone_take_the_cheaper_program(robots):
    """Regrouped parameters save a robot a tenth and more, and cost this tree of many loads more."""
    baselines = json.loads(BASELINES.read_text(encoding="utf-8"))
    for name, idyn in robots.items():
        regrouped = baselines[name]["regrouped"]
        cost = idyn.program("generalized_forces").cost()
        assert cost <= regrouped["mul"] + regrouped["add"]
        assert cost < 0.9 * idyn.model.outputs.alternatives(["generalized_forces"])[0].cost()
    tree = InverseDynamics(random_tree(5).system)
    plain, regrouped = (p.cost() for p in tree.model.outputs.alternatives(["generalized_forces"]))
    assert tree.program("generalized_forces").cost() == plain < regrouped


@pytest.mark.parametrize("name", ["Puma 560", "Staubli RX-90"])
def test_counts_are_those_of_the_page(robots, name):
    found = [robots[name].count_ops(*outputs) for outputs in (["generalized_forces"], [])]
    cells = [name, *(f"{count['mul']} / {count['add']}" for count in found)]
    page = Path(__file__).parents[1] / "docs" / "explanation" / "how_it_works.rst"
    assert "\n     - ".join(cells) in page.read_text(encoding="utf-8")


def test_numbers_leave_no_operation_on_constants(robots):
    idyn = robots["Franka Panda"]
    numbers = {c: 0.1 * (k % 7) for k, c in enumerate(idyn.constants)}  # some are zero
    program = idyn.model.outputs.cheapest(["generalized_forces", "joint_wrenches"], numbers)
    found = program.count_ops()
    symbolic = counts(idyn)["wrenches"]
    assert found["constant"] == 0
    assert found["mul"] < symbolic["mul"]
    assert found["add"] < symbolic["add"]


if __name__ == "__main__":
    table = {name: counts(robot(rows)) for name, rows in ROBOTS.items()}
    BASELINES.write_text(json.dumps(table, indent=2) + "\n", encoding="utf-8")
