"""The solver of linear programmes against HiGHS, and without a compiler."""

import numpy as np
import pytest
from scipy.optimize import linprog

from jointwrench.indeterminate import linear_programs
from jointwrench.indeterminate.linear_programs import extremes


def problems(count):
    """Yield rows of length one, tops and targets: regular, degenerate, unbounded, contradictory."""
    rng = np.random.default_rng(0)
    for trial in range(count):
        d = rng.integers(1, 8)
        rows, tops = rng.normal(size=(rng.integers(1, 5 * d + 3), d)), None
        tops = rng.normal(size=len(rows)) + trial % 2
        if trial % 3 == 0:
            rows = np.round(rows)
        if trial % 5 == 0:
            gaps = abs(rng.normal(size=len(rows))) * (trial % 10)
            rows, tops = np.vstack([rows, -rows]), np.r_[tops, gaps - tops]
        lengths = np.linalg.norm(rows, axis=1)
        kept = lengths > 0
        lengths = lengths[kept]
        if kept.any():
            yield rows[kept] / lengths[:, None], tops[kept] / lengths, rng.normal(size=(2, d))


def check(rows, tops, aims):
    """Compare a problem with HiGHS; return what became of it."""
    ends, shares = (x[0] for x in extremes(rows[None], tops[None], 1 + abs(tops[None]), aims[None]))
    names = np.flatnonzero(shares > 1e-10)
    free = {"bounds": (None, None), "method": "highs"}
    if np.isnan(ends).any():
        assert len(names) <= rows.shape[1] + 1
        nothing = np.zeros(rows.shape[1])
        assert linprog(nothing, rows[names], tops[names], **free).status == 2
        for k in names:  # it is minimal
            rest = [i for i in names if i != k]
            if rest:
                assert linprog(nothing, rows[rest], tops[rest], **free).status == 0
        return "contradictory"
    assert not len(names)
    for target, own in zip(aims, ends, strict=True):
        for sign, end in zip((1, -1), own, strict=True):
            found = linprog(sign * target, rows, tops, **free)
            if np.isinf(end):
                assert found.status == 3
            else:
                assert end == pytest.approx(sign * found.fun, rel=1e-7, abs=1e-7)
    return "infinite" if np.isinf(ends).any() else "finite"


def test_random_problems_against_highs():
    found = [check(*problem) for problem in problems(250)]
    assert all(found.count(kind) > 20 for kind in ("contradictory", "infinite", "finite"))


def test_an_end_far_away_is_no_infinite_one():
    rows, tops = np.array([[[1.0], [-1.0]]]), np.array([[1e12, -1.0]])
    ends, _ = extremes(rows, tops, 1 + abs(tops), np.ones((1, 1, 1)))
    assert ends.tolist() == [[[1.0, 1e12]]]


def test_without_a_compiler_scipy_solves(monkeypatch):
    own = list(problems(40))
    with_c = [extremes(r[None], t[None], 1 + abs(t[None]), c[None]) for r, t, c in own]
    monkeypatch.setattr(linear_programs, "_solver", lambda: None)
    for (rows, tops, targets), (ends, shares) in zip(own, with_c, strict=True):
        others, names = extremes(rows[None], tops[None], 1 + abs(tops[None]), targets[None])
        assert others == pytest.approx(ends, rel=1e-6, abs=1e-6, nan_ok=True)
        assert (names.max() > 1e-10) == (shares.max() > 1e-10)
