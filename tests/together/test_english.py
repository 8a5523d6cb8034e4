"""Plain English: no banned names, and the number of banned first lines only goes down."""

import ast
import re
from functools import cache
from pathlib import Path

import jointwrench

ROOT = Path(jointwrench.__file__).parent

#: First lines without a noun for the result, and words of which the glossary has better ones.
BANNED_LINES = re.compile(
    r"^(Return|Yield|Compute|Find) "
    r"(what|which|where|who|by|in|of|from|at|that of|the same|how(?! to))\b"
    r"|^(What|Which|Where|How|By|Of)\b|^Whether (it|they|this|that|one) "
    r"|\b(tells?|told|telling|looks?|looked|gone|anyway|as much|the like|hangs?|spots?)\b"
)

#: Names that do not say what they hold or do.
BANNED_NAMES = re.compile(
    r"(^|_)(told|tell|tells|telling|teller|look|looks|looked|gone|asked|hindrances_|suspicions?|misfits?"
    r"|anyway|handwriting|outwards|inwards|hangs?|spots?)(_|$)"
)

#: Number of first lines at present, and the share of documented definitions.
MOST_LINES, LEAST_DOCUMENTED = 23, 0.745


@cache
def definitions():
    """Return all modules, classes and functions of the package: location, name, node."""
    found = []
    for path in sorted(ROOT.rglob("*.py")):
        tree, name = ast.parse(path.read_text(encoding="utf-8")), str(path.relative_to(ROOT))
        found.append((name, path.stem, tree))
        for node in ast.walk(tree):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                found.append((f"{name}:{node.lineno}", node.name, node))
    return found


def test_first_lines():
    lines = ((at, (ast.get_docstring(x) or "").split("\n")[0]) for at, _, x in definitions())
    found = [f"{at} {line}" for at, line in lines if BANNED_LINES.search(line)]
    assert len(found) <= MOST_LINES, "\n".join(found)


def test_names():
    """Of definitions, parameters and variables."""
    found = [f"{at} {name}" for at, name, _ in definitions() if BANNED_NAMES.search(name)]
    for path, _, tree in definitions():
        for node in ast.walk(tree) if isinstance(tree, ast.Module) else ():
            name = node.id if isinstance(node, ast.Name) else getattr(node, "arg", None) or ""
            is_set = isinstance(node, ast.arg) or isinstance(getattr(node, "ctx", None), ast.Store)
            if is_set and BANNED_NAMES.search(name):
                found.append(f"{path}:{node.lineno} {name}")
    assert not found, "\n".join(found)


def test_definitions_are_documented():
    """Deleting a docstring does not help."""
    names = ((name, x) for _, name, x in definitions() if not isinstance(x, ast.Module))
    own = [x for name, x in names if not name.startswith("__")]
    assert sum(ast.get_docstring(x) is not None for x in own) >= LEAST_DOCUMENTED * len(own)
