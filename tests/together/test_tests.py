"""Tests that cannot fail are found by their text."""

import ast
import os
import shutil
import subprocess
import sys
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
    is_expected = ast.unparse(item.context_expr).startswith(("pytest.raises(", "pytest.warns("))
    names = {keyword.arg for keyword in getattr(item.context_expr, "keywords", [])}
    return is_expected and "match" not in names and item.optional_vars is None


@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
def test_no_test_is_silent(path):
    assert list(silent(syntax(path))) == []


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


def test_parts_of_the_slow_tests_are_all_of_them(tmp_path):
    """As .ci/run has them: each commit runs another one."""
    shutil.copy(HERE.parent / "conftest.py", tmp_path)
    text = """
import pytest
def test_fast(): pass
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(7))
def test_law(seed): pass
"""
    (tmp_path / "test_some.py").write_text(text, encoding="utf-8")
    code = """
import pytest
for number in range(3, 6):
    assert pytest.main(["-q", "--slow-part", f"{number}/3", "-rp"]) == 0
"""
    alone = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": ""}
    given = {"cwd": tmp_path, "env": alone, "capture_output": True, "text": True, "check": True}
    ran = subprocess.run([sys.executable, "-c", code], **given)
    parts = ran.stdout.split(" in ")[:-1]  # each ends with its seconds
    found = [[x[-2] for x in part.splitlines() if x.startswith("PASSED")] for part in parts]
    assert found == [["0", "3", "6"], ["1", "4"], ["2", "5"]]


@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
def test_a_file_runs_alone(path):
    """What it imports of other tests stands in its folder or among the tools."""
    names = {other.stem for other in FILES} - {other.stem for other in path.parent.glob("*.py")}
    nodes = ast.walk(syntax(path))
    imports = [node for node in nodes if isinstance(node, (ast.Import, ast.ImportFrom))]
    found = {getattr(node, "module", None) or node.names[0].name for node in imports}
    assert found & names == set()
