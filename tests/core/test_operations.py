"""The number of operations never grows: baselines/operations.json.

Write it anew, after counts have fallen, by
``PYTHONPATH=tests/tools python tests/core/test_operations.py``.
"""

import json
from functools import cache
from pathlib import Path

import pytest
from numbered_arms import ROBOTS, robot
from random_systems import random_system

from jointwrench import ForwardDynamics, InverseDynamics

BASELINES = Path(__file__).parents[1] / "baselines" / "operations.json"


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


@pytest.fixture(scope="module")
def counted(robots):
    """Return the counts of a robot by its name."""
    return cache(lambda name: counts(robots[name]))


@pytest.mark.parametrize("name", ROBOTS)
def test_counts_do_not_grow(counted, name):
    baselines = json.loads(BASELINES.read_text(encoding="utf-8"))[name]
    for kind, found in counted(name).items():
        for operation, count in found.items():
            assert count <= baselines[kind][operation], (kind, operation)


@pytest.mark.parametrize("name", ROBOTS)
def test_counts_are_within_the_bars(counted, name):
    found = counted(name)
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
    tree = InverseDynamics(random_system(148, particles=False).system)
    plain, regrouped = (p.cost() for p in tree.model.outputs.alternatives(["generalized_forces"]))
    assert tree.program("generalized_forces").cost() == plain < regrouped


@pytest.mark.parametrize("name", ["Puma 560", "Staubli RX-90"])
def test_counts_are_those_of_the_page(robots, name):
    found = [robots[name].count_ops(*outputs) for outputs in (["generalized_forces"], [])]
    cells = [name, *(f"{count['mul']} / {count['add']}" for count in found)]
    page = Path(__file__).parents[2] / "docs" / "explanation" / "how_it_works.rst"
    assert "\n     - ".join(cells) in page.read_text(encoding="utf-8")


if __name__ == "__main__":
    table = {name: counts(robot(rows)) for name, rows in ROBOTS.items()}
    BASELINES.write_text(json.dumps(table, indent=2) + "\n", encoding="utf-8")
