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
    """Run pytest on these tests, once with each options; return what passed, and the last line."""
    shutil.copy(HERE.parent / "conftest.py", tmp_path)
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_some.py").write_text(SOME, encoding="utf-8")
    again = "tests/test_some.py::test_again\n"
    (tmp_path / "tests" / "redundant.txt").write_text(again, encoding="utf-8")

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
            yield [x.rpartition("_")[2] for x in lines if x.startswith("PASSED")], lines[-1]

    return run


def test_slow_tests_are_left_out_unless_they_are_named(outcomes):
    """They do not count as skipped: among them, nobody sees a test that lacks a package.

    Redundant ones run with their file.  Parts of both, of which .ci/run has another one in each
    commit, are all of them.
    """
    names = [f"tests/test_some.py::test_law[{k}]" for k in (2, 5)]
    parts = [["--slow-part", f"{number}/3"] for number in range(3, 6)]
    found = [*outcomes([], ["tests"], names, ["--run-slow", "-klaw and 3"], *parts)]
    assert [x for x, _ in found] == [
        *(["fast"], ["fast", "again"], ["law[2]", "law[5]"], ["law[3]"]),
        *(["again", "law[2]", "law[5]"], ["law[0]", "law[3]", "law[6]"], ["law[1]", "law[4]"]),
    ]
    assert found[0][1].startswith("1 passed, 8 deselected")


def test_a_missing_package_is_told_once(outcomes, tmp_path):
    (tmp_path / "tests" / "test_some.py").write_text(SOME + NEEDING, encoding="utf-8")
    ((passed, last),) = outcomes([])
    assert passed == ["fast"]
    assert last.startswith("1 passed, 1 skipped, 10 deselected")


@pytest.mark.parametrize(
    "old", [["tests/test_some.py::test_old", "tests/test_old.py::test_it"], []]
)
def test_quick_tests_that_are_gone_are_an_error(outcomes, tmp_path, old):
    names = ["tests/test_some.py::test_law[1]", *old]
    (tmp_path / "tests" / "quick.txt").write_text("\n".join(names), encoding="utf-8")
    (passed, last) = next(outcomes(["--quick"]))
    assert passed == ([] if old else ["law[1]"])
    assert last.startswith(f"  {old[-1]}" if old else "1 passed, 8 deselected")


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
