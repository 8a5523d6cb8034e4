"""Each promise has a law, and holds on small models of all kinds and on all paths to a number."""

import re
from functools import lru_cache
from pathlib import Path

import pytest
from case import Case
from kinds import KINDS
from marks import slow
from paths import INTERFACES, PATHS, Motion, states, unlike
from promise_laws import LAWS
from promises import HELD, REASONS, elsewhere, names_in, promised

TESTS, QUICK = Path(__file__).parents[1], [*KINDS][:5]
made = lru_cache(maxsize=2)(Case)  # tests of a kind stand side by side


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


CASES = [(kind, law) for kind in QUICK for law in LAWS if law.applies(kind)]


@pytest.mark.parametrize(("kind", "law"), CASES, ids=str)
def test_law(kind, law):
    assert list(law.differences(made(kind))) == []


@pytest.mark.parametrize("kind", slow([*KINDS][len(QUICK) :]))
def test_laws(kind):
    laws = [law for law in LAWS if law.applies(kind)]
    assert [(str(law), x) for law in laws for x in law.differences(made(kind))] == []


#: What is looked at on each kind: a method, paths, and whether of all outputs.
MORE = [("inverse", PATHS, True), ("kinematics", PATHS, False), ("forward", PATHS, False)]
MORE += [("inverse", {library: path}, False) for library, path in INTERFACES.items()]


def path_rows():
    yield from (pytest.param(kind, "inverse", PATHS, False) for kind in QUICK)
    for kind, (_, traits) in KINDS.items():
        for method, paths, has_all in MORE:
            marks = [pytest.mark.needs(x) for x in paths if x in INTERFACES]
            if method != "forward" or "free" in traits:
                row = kind, method, paths, has_all
                yield pytest.param(*row, marks=[pytest.mark.slow, *marks])


@pytest.mark.parametrize(("kind", "method", "paths", "has_all"), [*path_rows()])
def test_paths(kind, method, paths, has_all, tmp_path):
    """On all paths from a model to a number there are the same numbers and warnings."""
    case, numeric, found = made(kind), made(kind, True), []
    for state, has_times, told_by in states(case):
        motion = Motion(case, numeric, method, state, has_times, tmp_path, has_all)
        found += unlike(motion, method in told_by, paths)
    assert found == []
