"""Each promise has a law, and holds on small models of all kinds and on all paths to a number."""

import warnings
from functools import lru_cache

import numpy as np
import pytest
from case import Case
from kinds import KINDS
from paths import DOORS, HELD, doors, paths
from promises import LAWS, REASONS, names_in, outputs, promised

QUICK = [*KINDS][:5]
ALL = [pytest.param(x, marks=() if x in QUICK else pytest.mark.slow) for x in KINDS]
CASES = [
    pytest.param(kind, law, id=f"{kind}-{law.check.__name__}", marks=param.marks)
    for param in ALL
    for kind in param.values
    for law in dict.fromkeys(LAWS)
    if law.applies(kind)
]


@lru_cache(maxsize=2)
def made(kind, is_numeric=False):
    """Return the case of a kind; its tests stand side by side."""
    return Case(kind, outputs(kind), is_numeric)


def test_each_promise_has_a_law_or_a_reason():
    """On a quick kind; a new name without either fails, and so does a reason that is idle."""
    laws = [law for law in LAWS if any(map(law.applies, QUICK))]
    held = {*names_in(HELD), *(name for law in laws for name in law.promises)}
    excused = [name for text in REASONS.values() for name in names_in(text)]
    assert promised() - held == set(excused)
    assert held <= promised()
    assert len(excused) == len({*excused}) - len(held & {*excused})


@pytest.mark.parametrize(("kind", "law"), CASES)
def test_law(kind, law):
    assert list(law.differences(made(kind))) == []


def heard(path):
    """Return the outputs of a path, and how many warnings tell of open loops."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        values = path()
    told = [str(x.message) for x in caught]
    assert all("does not close the loops" in text for text in told)
    return values, len(told)


def unlike(kind, state, folder, is_told):
    """Yield the paths on which values or warnings are not those of one sample."""
    found = {x: heard(path) for x, path in paths(made(kind), made(kind, True), state, folder)}
    expected, _ = found["one sample"]
    for path, (values, told) in found.items():
        if told != is_told:
            yield path, f"{told} warnings"
        for name in values.keys() & expected.keys():
            size = 1e-9 * np.max(np.abs(np.nan_to_num(expected[name])), initial=1.0)
            if not np.allclose(values[name], expected[name], 0, size, equal_nan=True):
                yield path, name, values[name], expected[name]


@pytest.mark.parametrize("kind", ALL)
def test_paths(kind, tmp_path):
    """On all paths from a model to a number there are the same numbers and warnings."""
    case = made(kind)
    assert list(unlike(kind, case.state, tmp_path, is_told=0)) == []
    if "loops" in case.traits:
        q, u, udot = case.state
        opened = q + 0.05 * (-1) ** np.arange(len(q)), u + 0.3, udot
        assert list(unlike(kind, opened, tmp_path, is_told=1)) == []


@pytest.mark.slow
@pytest.mark.parametrize("library", DOORS)
@pytest.mark.parametrize("kind", KINDS)
def test_doors(kind, library):
    pytest.importorskip(library, reason=f"needs {library} (pip install {library})")
    case = made(kind)
    expected = case.r.generalized_forces
    np.testing.assert_allclose(doors(case)[library](), expected, atol=1e-12)
