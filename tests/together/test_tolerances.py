"""Tolerances stand in one table, each with its reason."""

import re
from pathlib import Path

import jointwrench

ROOT = Path(jointwrench.__file__).parent
TABLE = ROOT / "checks" / "tolerances.py"

#: Steps, sizes and limits of arguments, which are no tolerances.
OTHERS = {"NO_LENGTH", "SHORTEST, LONGEST", "SMALL", "STEP", "TOLERANCES"}


def sources():
    """Return the text of all other modules, also in C; drawing has its own on the paper."""
    paths = (path for path in ROOT.rglob("*.[pc]*") if path.suffix in (".py", ".c"))
    paths = (path for path in paths if path.parent.name != "drawing")
    return {path: path.read_text() for path in paths if path != TABLE}


def test_there_are_no_others():
    named = re.compile(r"([A-Z][A-Z_, ]*) = .*\de-\d")
    passed = re.compile(r'.*\b(rcond|[axfg]tol)"?[=:] ?\d')
    lines = ((path, x) for path, text in sources().items() for x in text.splitlines())
    matches = ((path, named.match(x) or passed.match(x)) for path, x in lines if ">>>" not in x)
    found = [(path.name, match[1]) for path, match in matches if match]
    assert [pair for pair in found if pair[1] not in OTHERS] == []


def test_each_has_a_reason_and_a_use():
    lines = TABLE.read_text().splitlines()
    rows = [k for k, line in enumerate(lines) if re.match("[A-Z].* = ", line)]
    names = [name for k in rows for name in lines[k].split(" = ")[0].split(", ")]
    assert len(set(names)) == len(names) > 20
    assert all(lines[k - 1].startswith("#: ") for k in rows)
    used = {word for text in sources().values() for word in re.findall(r"[A-Z_]+", text)}
    assert set(names) <= used
