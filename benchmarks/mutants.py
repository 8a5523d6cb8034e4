"""Do the tests notice changes of the code?  A random sample of mutants, and which of them survive.

Each mutant has one operator, comparison, condition, constant or returned value changed.  The tests
that reach its line run for some seconds, those that reach least first.  Many survivors mean the
same as before: read them.  ``python -m pytest tests --cov --cov-context=test`` is run before.
"""

import argparse
import ast
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

from coverage import CoverageData

SOURCE = Path(__file__).parents[1] / "src"
FOLDERS = [f"jointwrench/mechanics/{x}" for x in ("arithmetic", "dynamics", "evaluation")]
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


def survives(tests: list[str], source: str, seconds: float) -> bool:
    """Return whether none of the tests fails within some time."""
    call = [sys.executable, "-m", "pytest", "-qx", "-p", "no:cacheprovider", *tests]
    where: Any = {"cwd": SOURCE.parent, "env": {**os.environ, "PYTHONPATH": source}}
    with suppress(subprocess.TimeoutExpired):
        found = subprocess.run(call, capture_output=True, timeout=seconds, **where)
        return found.returncode not in (1, 2)  # a test or an import fails
    return True


def main() -> None:
    """Print survivors and how many there are."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name, value in (("count", 60), ("seed", 1), ("seconds", 60)):
        parser.add_argument(f"--{name}", type=int, default=value)
    given, data, survivors = parser.parse_args(), CoverageData(), 0
    data.read()
    trees = {x: ast.parse(x.read_bytes()) for f in FOLDERS for x in (SOURCE / f).rglob("*.py")}
    reached = {path: data.contexts_by_lineno(str(path)) for path in trees}
    sizes = Counter(x for lines in reached.values() for own in lines.values() for x in own)
    found = [(path, *x) for path in sorted(trees) for x in mutants(trees[path])]
    with tempfile.TemporaryDirectory() as source:
        shutil.copytree(SOURCE, source, dirs_exist_ok=True)
        for path, node, field, new, lines in Random(given.seed).sample(found, given.count):
            own = {x for line in lines for x in reached[path].get(line, ()) if x.endswith("|run")}
            tests = [x.removesuffix("|run") for x in sorted(own, key=lambda x: (sizes[x], x))]
            before, place = getattr(node, field), Path(source) / path.relative_to(SOURCE)
            setattr(node, field, new)
            place.write_text(ast.unparse(trees[path]), encoding="utf-8")
            if not tests or survives(tests[:300], source, given.seconds):
                survivors += 1
                now, where = ast.unparse(node).splitlines()[0], f"{place.name}:{node.lineno}"
                print(f"{where}: {now}  ({len(tests)} tests reach it)", flush=True)
            setattr(node, field, before)
            shutil.copy(path, place)
    print(f"{survivors} of {given.count} survived; seed {given.seed} of {len(found)} mutants")


if __name__ == "__main__":
    main()
