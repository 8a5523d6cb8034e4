"""Each promise has a law, and holds on small models of all kinds and on all paths to a number."""

import re
from functools import lru_cache
from pathlib import Path

import pytest
from case import Case
from kinds import KINDS
from paths import INTERFACES, PATHS, Motion, states, unlike
from promised import LAWS
from promises import HELD, REASONS, elsewhere, names_in, promised

TESTS, QUICK = Path(__file__).parents[1], [*KINDS][:5]
made = lru_cache(maxsize=2)(Case)  # tests of a kind stand side by side


def parameter(*values, is_quick):
    return pytest.param(*values, marks=() if is_quick else pytest.mark.slow)


def test_each_promise_has_a_law_or_a_reason():
    """On a quick kind; a new name without either fails, and so does a reason that is idle."""
    laws = [law for law in LAWS if any(map(law.applies, QUICK))]
    held = {*names_in(HELD), *(name for law in laws for name in law.promises)}
    held = held.union(*elsewhere().values())
    excused = {name for text in REASONS.values() for name in names_in(text)}
    assert promised() - held == excused
    assert held <= promised()
    assert len(excused) <= 40


def test_laws_elsewhere_stand_there():
    for (file, test), names in elsewhere().items():
        text = (TESTS / f"{file}.py").read_text()
        assert [x for x in names if not re.search(rf"\b{x.partition('.')[2]}\b", text)] == [], test
        assert f"def {test}(" in text


@pytest.mark.parametrize(
    ("kind", "law"),
    [
        parameter(kind, law, is_quick=kind in QUICK)
        for kind in KINDS
        for law in LAWS
        if law.applies(kind)
    ],
    ids=str,
)
def test_law(kind, law):
    assert list(law.differences(made(kind))) == []


def check(kind, method, paths, folder, has_all=True):
    case, numeric = made(kind), made(kind, True)
    found = []
    for state, has_times, told_by in states(case):
        motion = Motion(case, numeric, method, state, has_times, folder, has_all)
        found += unlike(motion, method in told_by, paths)
    assert found == []


@pytest.mark.parametrize("kind", QUICK)
def test_paths(kind, tmp_path):
    """On all paths from a model to a number there are the same numbers and warnings."""
    check(kind, "inverse", PATHS, tmp_path, has_all=False)


MORE = [("inverse", PATHS, True), ("inverse", INTERFACES, False)]
MORE += [("kinematics", PATHS, False), ("forward", PATHS, False)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "method", "paths", "has_all"),
    [
        (kind, *more)
        for kind, (_, traits) in KINDS.items()
        for more in (MORE if "free" in traits else MORE[:-1])
    ],
)
def test_more_paths(kind, method, paths, has_all, tmp_path):
    """Of all outputs, through interfaces, and by other methods."""
    check(kind, method, paths, tmp_path, has_all)
