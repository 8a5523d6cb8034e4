"""The benchmarks compare like with like, and print their tables."""

import importlib
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("pinocchio", reason="needs Pinocchio (pip install pin)")
pytest.importorskip("mujoco", reason="needs MuJoCo (pip install mujoco)")

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
SCRIPTS = sorted(path.stem for path in BENCHMARKS.glob("*.py"))


@pytest.fixture(scope="module")
def scripts():
    """The scripts by name, for as long as the tests of this file take."""
    patch = pytest.MonkeyPatch()
    patch.syspath_prepend(str(BENCHMARKS))
    yield {name: importlib.import_module(name) for name in SCRIPTS}
    patch.undo()
    for name in SCRIPTS:
        del sys.modules[name]


@pytest.fixture(scope="module")
def robot(scripts):
    """A chain of two bodies with numbers."""
    models = scripts["models"]
    return models.from_pinocchio(models.pinocchio_chain(2))


@pytest.fixture(scope="module")
def kane(scripts, robot):
    """Its torques by KanesMethod."""
    return scripts["peers"].Kane(robot.system, robot.constants)


def test_all_peers_give_the_same_torques(scripts, robot, kane):
    state = scripts["models"].states(2)
    evaluate = robot.idyn.compile("generalized_forces", constants=robot.constants)
    expected = evaluate(*state).generalized_forces
    peers = {**scripts["peers"].libraries(robot), "cython": kane.cython()}
    assert list(peers) == ["pin.rnea", "mj_inverse", "cython"]
    for run in peers.values():
        np.testing.assert_allclose(run(*state), expected, rtol=1e-9)
    printed = kane.lambdified()(np.concatenate(state))
    np.testing.assert_allclose(np.ravel(printed), expected, rtol=1e-9)


def test_throughput_and_single_calls(scripts, robot, kane, monkeypatch):
    throughput, single_call = scripts["throughput"], scripts["single_call"]
    monkeypatch.setattr(throughput, "SAMPLES", 10)
    in_batch = dict(throughput.measure(robot, kane, seconds=1e-3))
    assert list(in_batch)[:2] == ["pin.rnea, loop", "mj_inverse, loop"]
    assert len(in_batch) == 7
    each = dict(single_call.measure(robot, kane, seconds=1e-3))
    assert list(each)[:2] == ["pin.rnea", "mj_inverse"]
    assert len(each) == 9
    assert all(time > 0 for time in (*in_batch.values(), *each.values()))


def test_large_batches(scripts, robot, monkeypatch):
    throughput = scripts["throughput"]
    monkeypatch.setattr(throughput, "SAMPLES", 10)
    monkeypatch.setattr(throughput, "LARGE", 100)
    rows = throughput.large(robot, seconds=4e-3)
    assert [name for name, *_ in rows] == [
        "results in given arrays (out=)",
        "results in new arrays",
    ]


def test_scaling_of_threads(scripts, robot):
    assert scripts["throughput"].scaling(robot, samples=100, seconds=1e-3) > 0


def test_build_scaling(scripts):
    build = scripts["build_scaling"]
    own, kane = map(float, build.own(2)), map(float, build.kane(1))
    assert all(time >= 0 for time in (*own, *kane, *map(float, build.libraries(2))))
    assert build.kane(build.MOST_FOR_KANE + 1) == ["-", "-"]


def test_memory(scripts, robot, kane):
    memory = scripts["memory"]
    evaluate = robot.idyn.compile("generalized_forces", constants=robot.constants)
    plain = float(memory.own(evaluate, 2, 100_000)[0])
    loops = list(scripts["peers"].libraries(robot).values())
    printed, *others = memory.others(loops, kane.lambdified(), 2, 1000)
    assert plain < float(printed)  # kB; for a hundredth of the samples
    assert len(others) == 2
    assert memory.others(loops, kane.lambdified(), 2, 10**6) == ["-"] * 3


def test_operations(scripts, capsys, monkeypatch):
    operations = scripts["operations"]
    monkeypatch.setattr(operations, "BODIES", (1, 2))
    monkeypatch.setattr(operations, "MOST_FOR_KANE", 1)
    operations.main()
    rows = [line.split("|")[1:-1] for line in capsys.readouterr().out.splitlines() if "|" in line]
    assert [row[0].strip() for row in rows] == ["bodies", "---", "1", "2"]
    assert rows[3][3].strip() == "-"
    assert all(len(cell.split("/")) == 2 for cell in (*rows[2][1:], *rows[3][1:3]))
