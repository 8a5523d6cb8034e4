"""What a run says of the time that files take, and shards of files."""

import json

import pytest
from seconds import longer, shard

pytest_plugins = ["pytester"]
NOTED = {f"tests/test_{k}.py": float(k) for k in range(1, 13)}


def taken(**changes):
    """Return the seconds of two tests per file, on a machine that takes 3 times as long."""
    files = {f"tests/test_{k}.py": 3.0 * k for k in range(1, 13)} | changes
    return {f"{file}::test_{half}": s / 2 for file, s in files.items() for half in "ab"}


@pytest.mark.parametrize("factor", [1.0, 0.2, 7.0])
def test_a_slower_machine_is_no_longer_file(factor):
    found = longer(NOTED, {test: factor * s / 4 for test, s in taken().items()})
    assert [x for x in found if "noted" in x] == []


def test_longer_files_and_tests_are_named():
    found = longer(NOTED, taken(**{"tests/test_2.py": 60.0, "tests/new.py": 120.0}))
    assert [line.partition(":")[0] for line in found if "noted" in line] == [
        "tests/new.py",
        "tests/test_2.py",
    ]
    assert {line.split("::")[0] for line in found if "::" in line} == {"tests/new.py"}


@pytest.mark.parametrize("count", [1, 2, 5, 20])
def test_shards_are_all_files_once_and_take_like_times(count):
    files = {*NOTED, "tests/new.py"}
    shards = [shard(NOTED, files, number, count) for number in range(count)]
    assert sorted(file for own in shards for file in own) == sorted(files)
    if count < 6:
        sums = [sum(NOTED.get(file, 6.5) for file in own) for own in shards]
        assert max(sums) - min(sums) <= 6.5


def test_seconds_are_noted_compared_and_split(pytester):
    folder = pytester.mkdir("tests")
    (folder / "test_short.py").write_text("def test_short():\n    pass\n")
    path = folder / "test_long.py"

    def run(seconds, *options):
        loop = f"while time.process_time() < begin + {seconds}:\n        pass"
        path.write_text(f"import time\ndef test():\n    begin = time.process_time()\n    {loop}\n")
        return pytester.runpytest("-pseconds", "-pno:zarr", "-pno:cacheprovider", *options)

    assert run(0.3, "--write-seconds", "--note-seconds=tests.json").ret == 0
    tests = json.loads((folder.parent / "tests.json").read_text())
    assert {*tests} == {"tests/test_long.py::test", "tests/test_short.py::test_short"}
    noted = json.loads((folder / "seconds.json").read_text())
    assert noted["tests/test_long.py"] == pytest.approx(0.3, abs=0.2)
    (folder / "seconds.json").write_text(json.dumps({**noted, "tests/test_short.py": 0.3}))
    assert run(0.3, "--check-seconds").ret == 0
    run(0, "--shard", "0/2").assert_outcomes(passed=1, deselected=1)
    run(0, "--shard", "1/2").assert_outcomes(passed=1, deselected=1)
