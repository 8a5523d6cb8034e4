"""Do the tests notice changes of the code, and do the quick ones?  A random sample of mutants.

Each mutant has one operator, comparison, condition, constant or returned value of a function
changed.  The quick tests that reach its line run, then, if none fails, the other tests of the
default run that reach it, for some seconds, the shortest first.  Each runs in a fork, in which
functions get other code.  ``python benchmarks/quick.py`` is run before
``python -m pytest -q -p benchmarks.mutants tests src docs``.  It notes which tests notice what the
quick ones do not: ``quick.py --again`` takes these first, to be measured with another ``--seed``.
"""

import ast
import gc
import json
import os
import shutil
import signal
from collections import Counter
from collections.abc import Iterator
from operator import attrgetter
from pathlib import Path
from random import Random
from resource import RLIMIT_CPU, setrlimit
from types import CodeType, FunctionType
from typing import Any

import pytest
from _pytest.runner import runtestprotocol
from _pytest.warnings import catch_warnings_for_item
from coverage import CoverageData

from benchmarks.quick import (
    NOTES,
    SHARP,
    noted_seconds,
    processor_seconds,
    read_list,
    sharp_tests,
)

PAIRS = "Add Sub, Mult Div, USub UAdd, And Or, Lt LtE, Gt GtE, Eq NotEq, Is IsNot, In NotIn"
OTHER = {x: y for pair in PAIRS.split(",") for x, y in (pair.split(), pair.split()[::-1])}


def mutants(node: Any, lines: range = range(0)) -> Iterator[tuple[Any, str, Any, range]]:
    """Yield nodes, a field, its new value, and the lines of the statement."""
    if isinstance(node, (ast.Raise, ast.JoinedStr)) or getattr(node, "arg", "") == "strict":
        return
    if isinstance(node, ast.stmt):
        body = getattr(node, "body", None)
        lines = range(node.lineno, body[0].lineno if body else node.end_lineno + 1)
    if (operator := type(getattr(node, "op", None)).__name__) in OTHER:
        yield node, "op", getattr(ast, OTHER[operator])(), lines
    elif isinstance(node, ast.Compare):
        yield node, "ops", [getattr(ast, OTHER[type(x).__name__])() for x in node.ops], lines
    elif isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        yield node, "value", node.value + 1 if node.value is not True else False, lines
    elif isinstance(node, (ast.If, ast.IfExp)):
        yield node, "test", ast.UnaryOp(ast.Not(), node.test), lines
    elif isinstance(node, ast.Return) and node.value:
        yield node, "value", ast.Constant(None), lines
    for child in ast.iter_child_nodes(node):
        yield from mutants(child, lines)


def codes(path: str, tree: ast.Module) -> list[CodeType]:
    """Return the code of a module, its functions, those in them, and so on."""
    found = [compile(tree, path, "exec", dont_inherit=True)]
    for code in found:
        found += [x for x in code.co_consts if isinstance(x, CodeType)]
    return found


def swap(path: str, tree: ast.Module) -> None:
    """Give the functions of a file the code that a changed tree has for them."""
    old, new = codes(path, ast.parse(Path(path).read_bytes())), codes(path, tree)
    key = attrgetter("co_name", "co_firstlineno", "co_freevars")
    pairs = {x: y for x, y in zip(old, new, strict=False) if key(x) == key(y)}
    for function in gc.get_objects():
        if type(function) is FunctionType and function.__code__ in pairs:
            function.__code__ = pairs[function.__code__]


def fails(tests: list[pytest.Item], seconds: int, *change: Any) -> bool:
    """Return whether a test fails, crashes or does not end in a fork with a change."""
    if child := os.fork():
        return os.waitpid(child, 0)[1] != 0
    has_failed = bool(tests)
    try:
        setrlimit(RLIMIT_CPU, (seconds + 60, seconds + 60))
        signal.alarm(20 * seconds)  # to what waits for ever
        if change:
            swap(*change)
            kernels = os.environ["JOINTWRENCH_CACHE"]  # where nothing wrong may come to stay
            os.environ["JOINTWRENCH_CACHE"] = f"{kernels} {os.getpid()}"
            shutil.copytree(kernels, os.environ["JOINTWRENCH_CACHE"], copy_function=os.link)
        for test, after in zip(tests, [*tests[1:], None], strict=True):
            (NOTES / "running").write_text(test.nodeid, encoding="utf-8")
            with catch_warnings_for_item(test.config, test.ihook, when="runtest", item=test):
                reports = runtestprotocol(test, nextitem=after, log=False)
            has_failed = any(x.failed for x in reports)
            if has_failed or processor_seconds() > seconds:
                break
    finally:
        os._exit(has_failed)


def pytest_addoption(parser: pytest.Parser) -> None:
    for name, value in (("mutants", 100), ("seed", 1), ("seconds", 30)):
        parser.addoption(f"--{name}", type=int, default=value)


def pytest_runtestloop(session: pytest.Session) -> bool:
    """Run mutants in place of the tests."""
    say, given = session.config.get_terminal_writer().line, session.config.option
    seconds, notes, counts = noted_seconds("all"), CoverageData(NOTES / "all"), Counter()
    notes.read()
    items = {item.nodeid: item for item in session.items if item.nodeid in seconds}
    quick, sharp = read_list() & items.keys(), sharp_tests()
    stages = {"quick": (quick, 60), "default": (items.keys() - quick, given.seconds)}
    runtestprotocol(session.items[0], nextitem=session.items[-1], log=False)  # makes the cache
    gc.unfreeze()
    if fails([items[x] for x in items if x in quick], 600):  # fills the cache
        pytest.exit("a quick test fails")
    trees = {path: ast.parse(Path(path).read_bytes()) for path in sorted(notes.measured_files())}
    found = [(path, *x) for path, tree in trees.items() for x in mutants(tree)]
    Random(given.seed).shuffle(found)
    while counts.total() < given.mutants:
        path, node, field, value, lines = found.pop()
        reached = notes.contexts_by_lineno(path)
        tests = {x.rpartition("|")[0] for line in lines for x in reached.get(line, ())}
        if not (tests := sorted(tests & items.keys(), key=seconds.get)):
            continue
        before = getattr(node, field)
        setattr(node, field, value)
        change = path, ast.fix_missing_locations(trees[path])
        outcome = "no"
        for name, (own, limit) in stages.items():
            if fails([items[x] for x in tests if x in own], limit, *change):
                outcome = name
                sharp |= {(NOTES / "running").read_text(encoding="utf-8")} - quick
                break
        text = ast.unparse(node).splitlines()[0]
        say(f"{Path(path).name}:{node.lineno}: {text}  ({outcome} of {len(tests)} tests)")
        setattr(node, field, before)
        counts[outcome] += 1
        SHARP.write_text(json.dumps(sorted(sharp)), encoding="utf-8")
    say(f"noticed by {dict(counts)}, seed {given.seed}")
    return True
