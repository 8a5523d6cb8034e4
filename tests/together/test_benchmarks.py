"""The benchmarks compare like with like, and print their tables."""

import ast
import importlib
import sys
from pathlib import Path

import numpy as np
import pytest
from marks import slow

pytest.importorskip("pinocchio", reason="needs Pinocchio (pip install pin)")
pytest.importorskip("mujoco", reason="needs MuJoCo (pip install mujoco)")

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
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


@pytest.mark.slow
def test_all_peers_give_the_same_torques(scripts, robot, kane):
    state = scripts["models"].states(2)
    evaluate = robot.idyn.compile("generalized_forces", constants=robot.constants)
    expected = evaluate(*state).generalized_forces
    peers = {**scripts["peers"].libraries(robot), "cython": kane.cython}
    assert list(peers) == ["pin.rnea", "mj_inverse", "cython"]
    for run in peers.values():
        np.testing.assert_allclose(run(*state), expected, rtol=1e-9)
    printed = kane.lambdified(np.concatenate(state))
    np.testing.assert_allclose(np.ravel(printed), expected, rtol=1e-9)


@pytest.mark.slow
def test_closed_loops_beside_other_programs(scripts, monkeypatch):
    """Before it times them, the script compares accelerations."""
    script = scripts["closed_peers"]
    monkeypatch.setattr(script, "SAMPLES", 3)
    monkeypatch.setattr(script, "best_by_turns", lambda runs, _: [(run(), 1.0)[1] for run in runs])
    assert script.row(script.platform(3))[0].endswith("2 loops")
    assert script.row(script.cassie())[0].startswith("Cassie")


def test_shortest_times(scripts, monkeypatch):
    """By a clock on which the calls take 9, 3 and 5 seconds, and then always 4."""
    timing, durations, clock = scripts["timing"], [9.0, 3.0, 5.0], [0.0]
    monkeypatch.setattr(timing.time, "perf_counter", lambda: clock[0])

    def call():
        clock[0] += durations.pop(0) if durations else 4.0

    assert timing.once(call) == (9, None)
    assert timing.best_by_turns([call, call], 20) == [3, 4]
    assert timing.best(call, 10, loop=2) == 4


@pytest.mark.parametrize(("script", "count"), slow([("throughput", 7), ("single_call", 9)]))
def test_all_that_is_measured_gives_the_same_torques(
    scripts, robot, kane, monkeypatch, script, count
):
    samples = {"throughput": 10, "single_call": 1}[script]
    found = []
    if script == "throughput":  # the slow one compiles PyDy's
        own = lambda *state: kane.lambdified(np.concatenate(state))  # noqa: E731
        monkeypatch.setitem(vars(kane), "cython", own)
    monkeypatch.setattr(scripts["throughput"], "SAMPLES", samples)
    monkeypatch.setattr(scripts[script], "best", lambda run, *_, **__: found.append(run()) or 1e-6)
    times = scripts[script].measure(robot, kane)
    assert [name.partition(",")[0] for name, _ in times[:2]] == ["pin.rnea", "mj_inverse"]
    assert [time for _, time in times] == pytest.approx([1000 / samples] * count)
    torques = [np.squeeze(getattr(result, "generalized_forces", result)) for result in found]
    by_rows = [x.T if x.shape == (2, samples) else x.reshape(samples, 2) for x in torques]
    for (name, _), values in zip(times, by_rows, strict=True):
        by_motors = [0, 0.1] if "motors" in name else 0
        # MuJoCo writes all samples into one array: the last one stays
        np.testing.assert_allclose(values[-1] + by_motors, by_rows[0][-1], rtol=1e-9)


@pytest.mark.slow
def test_ways_of_calling_give_the_same_accelerations(scripts, monkeypatch):
    script, found = scripts["registers_and_calls"], []

    def by_turns(runs, _):
        found.extend(run()[-1] for run in runs)
        return [20e-6] * len(runs)

    monkeypatch.setattr(script, "best_by_turns", by_turns)
    assert script.calls(links=2) == pytest.approx([1, 1, 1])
    np.testing.assert_allclose(found[1].udot, found[0].udot, rtol=1e-12)
    np.testing.assert_allclose(found[2][-2:], found[0].udot, rtol=1e-12)


@pytest.mark.slow  # numba and jax compile
def test_other_libraries(scripts, robot, monkeypatch):
    for library in ("jax", "torch", "numba"):
        pytest.importorskip(library, reason=f"needs {library} (pip install {library})")
    libraries = scripts["other_libraries"]
    monkeypatch.setattr(libraries, "SAMPLES", 10)
    monkeypatch.setattr(libraries, "CALLS", 2)
    monkeypatch.setattr(libraries, "best_by_turns", lambda runs, _: [4e-6] * len(runs))
    rows = {name: cells for name, *cells in libraries.measure(robot)}
    assert rows["jax: to_jax"] == rows["numba: to_numba"] == ["4.00", "4.00", "2.00"]
    assert rows["torch: to_torch"] == rows["Python: pin.rnea"] == ["4.00", "4.00", "-"]
    assert len(rows) == 9


@pytest.mark.slow
def test_first_torque(scripts, tmp_path):
    first = scripts["first_torque"]
    warm, cold = first.shortest("double pendulum", [first.ROOT], str(tmp_path), 1)
    assert 0 < float(warm) < float(cold)


@pytest.mark.parametrize("k", [0, *slow([1, 2])])
def test_operations_of_closed_loops_are_those_of_the_page(scripts, k):
    mechanism = scripts["closed_loops"].MECHANISMS[k]
    counts = mechanism.derive().count_ops()
    page = BENCHMARKS.parent / "docs" / "explanation" / "speed.rst"
    rows = page.read_text(encoding="utf-8").split("\n   * - ")
    (row,) = (row for row in rows if row.startswith(mechanism.name))
    assert f" {counts['mul']} / {counts['add']}" in row


@pytest.mark.slow
def test_all_peers_give_the_same_accelerations(scripts, robot, monkeypatch):
    forward, found = scripts["forward_dynamics"], []
    monkeypatch.setattr(forward, "SAMPLES", 5)
    monkeypatch.setattr(forward, "best", lambda run, *_, **__: found.append(run()) or 1e-6)
    times = forward.of_batch(robot)
    assert [time for _, time in times] == pytest.approx([1000 / 5] * 3)
    for result in found[1:]:
        np.testing.assert_allclose(result.udot, found[0], rtol=1e-9)
    found.clear()
    names = [name for name, _ in forward.of_call(robot)]
    assert names[0] == "pin.aba"
    for name, result in zip(names[1:], found[1:], strict=True):
        if "motors" in name and "no motors" not in name:
            np.testing.assert_allclose(result.udot, found[0], rtol=1e-9)


@pytest.mark.parametrize(
    ("kind", "links"), [pytest.param("arm", 2, marks=pytest.mark.slow), ("pendulum", 1)]
)
def test_from_the_model_to_accelerations(scripts, monkeypatch, tmp_path, kind, links):
    monkeypatch.setenv("JOINTWRENCH_CACHE", str(tmp_path))
    monkeypatch.setenv("JOINTWRENCH_TUNING", "plain")
    forward, found = scripts["forward_dynamics"], []
    monkeypatch.setattr(forward, "best", lambda run, *_, **__: found.append(run()) or 1e-6)
    makers = getattr(forward, f"makers_of_{kind}")
    if kind == "pendulum":  # the slow one compiles PyDy's
        monkeypatch.setattr(forward.Equations, "cython", forward.Equations.lambdified)
    cells = forward.row("two speeds", 2, makers(links, quick=False))
    assert cells[0] == "two speeds"
    assert cells[2::2] == ["1.0"] * 3
    for accelerations in found[1:]:
        np.testing.assert_allclose(accelerations, found[0], rtol=1e-9)
    assert forward.row("two speeds", 2, makers(links, quick=True))[3:] == ["-"] * 4


@pytest.mark.slow
def test_all_peers_give_the_same_derivatives(scripts, robot, monkeypatch):
    """The last sample, since Pinocchio returns the same arrays with every call."""
    bench, found = scripts["derivatives"], []

    def best(run, *_):
        result = run()
        found.append([np.array(x) for x in result[-1]] if isinstance(result, list) else result)
        return 3e-6

    monkeypatch.setattr(bench, "SAMPLES", 3)
    monkeypatch.setattr(bench, "best", best)
    names = [name for name, *_ in bench.of_torques(robot)]
    assert names[0].startswith("pin.computeRNEADerivatives")
    assert [time for _, time, _ in bench.of_accelerations(robot)] == pytest.approx([1000.0] * 2)
    torques, *ours = found[:3]
    for k, group in enumerate(("q", "u")):
        for result in ours:
            slopes = result.derivative("generalized_forces", group)[-1]
            np.testing.assert_allclose(slopes, torques[k], rtol=1e-9, atol=1e-12)
        slopes = found[4].derivative("udot", group)[-1]
        np.testing.assert_allclose(slopes, found[3][k], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("samples", [1, *slow([None])])
def test_both_have_the_same_pose_and_jacobian(scripts, robot, monkeypatch, samples):
    pin, bench, found = importlib.import_module("pinocchio"), scripts["kinematics"], []
    place = pin.SE3(pin.utils.rotate("y", 0.3), np.array([0.1, 0.2, 0.3]))
    if not robot.pinocchio.existFrame(bench.HAND):
        robot.pinocchio.addFrame(pin.Frame(bench.HAND, 2, 0, place, pin.FrameType.OP_FRAME))

    def by_turns(runs, _):
        results = [run() for run in runs]
        found.extend(result[0] if isinstance(result, list) else result for result in results)
        return [2.0] * len(runs)

    monkeypatch.setattr(bench, "best_by_turns", by_turns)
    times = bench.measure(robot, samples)
    assert [time for _, time in times] == pytest.approx([2e9 / (samples or 1000)] * 3)
    jacobian, (pose, twist, again), ours = found
    np.testing.assert_array_equal(jacobian, again)
    rows = [np.squeeze(getattr(ours, output)) for output in bench.OUTPUTS]
    np.testing.assert_allclose(rows[0], pose.translation, rtol=1e-9)
    np.testing.assert_allclose(rows[1], pose.rotation, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose([*rows[2], *rows[3]], twist.vector, rtol=1e-9)
    np.testing.assert_allclose([*rows[4], *rows[5]], jacobian, rtol=1e-9, atol=1e-12)


ARM = """
<mujoco model="arm"><worldbody><body name="one"><inertial mass="2" pos="0 0 0.2"
diaginertia="0.1 0.1 0.05"/><joint name="first" axis="0 1 0"/><body name="two" pos="0 0 0.4">
<inertial mass="1" pos="0 0.1 0.2" diaginertia="0.02 0.02 0.01"/><joint name="second" axis="1 0 0"/>
</body></body></worldbody></mujoco>
"""
TABLE = """\
robot,operation,backend,batch,status,host_us
arm,inverse_dynamics,pinocchio,16,validated,4.8
arm,inverse_dynamics_gradient,grid_cuda,16,accuracy_warning,25.6
arm,inverse_dynamics,mjx,16,adapter_pending,
"""


@pytest.mark.slow
def test_table_beside_published_numbers(scripts, tmp_path, capsys):
    (tmp_path / "arm.xml").write_text(ARM)
    (tmp_path / "table.csv").write_text(TABLE)
    files = [str(tmp_path / "arm.xml"), "--published", str(tmp_path / "table.csv")]
    scripts["grid_table"].main([*files, "--batches", "16", "--seconds", "0.01"])
    printed = capsys.readouterr().out
    rows = [line.strip("| ").split(" | ") for line in printed.splitlines() if "| 16 |" in line]
    assert [row[0] for row in rows] == ["torques", "gradient", "second order"]
    assert all(0 < float(row[2]) < 1e6 for row in rows)
    assert rows[0][3] == "300.0"
    assert rows[1][-1] == "1600.0"


@pytest.mark.slow  # compiles kernels anew in each of two processes
def test_kernels_beside_those_of_another_checkout(scripts, capsys):
    scripts["kernels"].main(["--quick", "--no-avx512", "--other", str(BENCHMARKS.parent)])
    rows = [line.split("|")[1:-1] for line in capsys.readouterr().out.splitlines()]
    (jacobian,) = (row for row in rows if row and row[0].strip() == "torques + Jacobian")
    assert float(jacobian[3]) == pytest.approx(1, abs=0.5)


def test_quick_tests_reach_most_for_their_time(scripts):
    """Few branches in no time, many in some time, those of others again, and much that is dear."""
    reached = {"few": [0], "many": [1, 2, 3, 4, 5], "again": [1, 2], "dear": [*range(6, 30)]}
    seconds = {"few": 0.1, "many": 2.0, "again": 1.5, "dear": 8.0}
    numbers = {test: np.array(own) for test, own in reached.items()}
    chosen = [scripts["quick"].choose(numbers, seconds, allowed) for allowed in (1, 3, 9, 40)]
    assert chosen == [["few"], ["few", "many"], ["dear", "few"], ["again", "dear", "few", "many"]]


def test_mutants_are_what_their_text_says(scripts, tmp_path, monkeypatch):
    """Also of a function that another one has made before, and of two on one line."""
    text = """
def outer(a, b):
    def inner(c):
        if c > a:
            return [x - 1 for x in range(c)], -c
        return (lambda: c + b)(), (lambda: c * b)()
    return inner
"""
    script, path = scripts["mutants"], tmp_path / "changed.py"
    path.write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    results = {}
    for number in range(10):
        tree, told = ast.parse(text), {}
        node, field, value, _ = [*script.mutants(tree)][number]
        setattr(node, field, value)
        exec(mutant := ast.unparse(tree), told)
        monkeypatch.delitem(sys.modules, "changed", raising=False)
        module = importlib.import_module("changed")
        before = module.outer(2, 3)
        script.swap(str(path), ast.fix_missing_locations(tree))
        other, after = told["outer"](2, 3), module.outer(2, 3)
        results[mutant] = [other and other(c) for c in (1, 2, 5)]
        assert [after and after(c) for c in (1, 2, 5)] == results[mutant]
        if other and before.__code__.co_freevars == other.__code__.co_freevars:
            assert [before(c) for c in (1, 2, 5)] == results[mutant]
    assert len({*map(str, results.values())}) == 10
