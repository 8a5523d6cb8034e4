"""Tests that cannot fail are found by their text."""

import ast
import os
import shutil
import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

HERE = Path(__file__).parents[1]
FILES = sorted(HERE.rglob("test_*.py"))


@cache
def syntax(path):
    return ast.parse(path.read_text(encoding="utf-8"))


def own(node):
    """Yield what stands in a function, but not in the functions within it."""
    for inner in ast.iter_child_nodes(node):
        if not isinstance(inner, (ast.FunctionDef, ast.Lambda)):
            yield inner
            yield from own(inner)


def silent(tree):
    """Yield the lines on which a test returns, or would take any error for the right one."""
    for test in ast.walk(tree):
        if not (isinstance(test, ast.FunctionDef) and test.name.startswith("test")):
            continue
        for node in own(test):
            if isinstance(node, ast.Return):
                yield node.lineno
            if isinstance(node, ast.With):
                yield from (node.lineno for item in node.items if takes_any(item))


def takes_any(item):
    """Whether an error or a warning is expected of which nothing is said or asked."""
    call = getattr(item.context_expr, "body", item.context_expr)  # of: ... if told else ...
    is_expected = ast.unparse(call).startswith(("pytest.raises(", "pytest.warns("))
    names = {keyword.arg for keyword in getattr(call, "keywords", [])}
    return is_expected and "match" not in names and item.optional_vars is None


def test_files_have_different_names():
    """Of two with one name, pytest imports the first for both."""
    names = Counter(path.name for path in HERE.rglob("*.py"))
    assert [name for name, count in names.items() if count > 1] == []


def test_no_test_is_silent():
    assert [(path.name, line) for path in FILES for line in silent(syntax(path))] == []


def test_silence_is_found():
    text = """
def test_one():
    if not speeds:
        return
    with pytest.raises(ValueError):
        make()
    with pytest.raises(ValueError) as caught, pytest.warns(UserWarning, match="x"):
        make(lambda: pytest.raises(ValueError))
    def call():
        return 1
"""
    assert list(silent(ast.parse(text))) == [4, 5]


SOME = """
import pytest
def test_fast(): pass
def test_again(): pass
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(7))
def test_law(seed): pass
"""
NEEDING = """
@pytest.mark.needs("no_such_package")
@pytest.mark.parametrize("k", range(3))
def test_with(k): pass
"""


@pytest.fixture
def outcomes(tmp_path):
    """Run pytest on these tests, once with each options; return what passed, and all lines."""
    shutil.copy(HERE.parent / "conftest.py", tmp_path)
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_some.py").write_text(SOME, encoding="utf-8")

    def run(*calls):
        code = f"import pytest\nfor x in {calls}: pytest.main(['-qrp', *x]); print('end of run')"
        alone = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": ""}
        alone["PYTHONPATH"] = str(HERE / "tools")  # for what conftest.py imports
        given = {"cwd": tmp_path, "env": alone, "text": True, "check": True}
        ran = subprocess.run(
            [sys.executable, "-uc", code], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **given
        )
        for text in ran.stdout.split("end of run\n")[:-1]:
            lines = text.strip().splitlines()
            yield [x.rpartition("_")[2] for x in lines if x.startswith("PASSED")], lines

    return run


def test_slow_tests_are_left_out_unless_they_are_named(outcomes):
    """They do not count as skipped: among skipped tests, nobody sees one that lacks a package.

    The parts of slow tests, of which .ci/run has another one in each commit, are all of them.
    """
    names = [f"tests/test_some.py::test_law[{k}]" for k in (2, 5)]
    parts = [["-mslow", "--part", f"{number}/3"] for number in range(3, 6)]
    found = [*outcomes([], names, ["--run-slow", "-klaw and 3"], *parts)]
    assert [x for x, _ in found] == [
        *(["fast", "again"], ["law[2]", "law[5]"], ["law[3]"]),
        *(["law[0]", "law[3]", "law[6]"], ["law[1]", "law[4]"], ["law[2]", "law[5]"]),
    ]
    assert found[0][1][-1].startswith("2 passed, 7 deselected")


def test_parts_are_whole_files(outcomes, tmp_path):
    (tmp_path / "tests" / "test_other.py").write_text("def test_it(): pass\n", encoding="utf-8")
    parts = outcomes(["--part", "0/2"], ["--part", "1/2"])
    assert [x for x, _ in parts] == [["it"], ["fast", "again"]]


def test_a_missing_package_is_told_once(outcomes, tmp_path):
    (tmp_path / "tests" / "test_some.py").write_text(SOME + NEEDING, encoding="utf-8")
    ((passed, lines),) = outcomes([])
    assert passed == ["fast", "again"]
    assert lines[-1].startswith("2 passed, 1 skipped, 9 deselected")


def test_quick_tests_that_do_not_exist_are_reported(outcomes, tmp_path):
    names = [f"tests/test_{x}" for x in ("some.py::test_law[1]", "some.py::test_old", "old.py::it")]
    (tmp_path / "tests" / "quick.txt").write_text("\n".join(names), encoding="utf-8")
    ((passed, lines),) = outcomes(["--quick"])
    assert passed == ["law[1]"]
    assert "2 of tests/quick.txt do not exist here, such as tests/test_old.py::it" in lines


def test_a_file_runs_alone():
    """What it imports of other tests stands in its folder or among the tools."""
    folders = {path.stem: path.parent for path in FILES}
    found = []
    for path in FILES:
        for node in ast.walk(syntax(path)):
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                name = getattr(node, "module", None) or node.names[0].name
                found += [(path.name, name)] * (folders.get(name, path.parent) != path.parent)
    assert found == []
