"""Parameters of tests that run on demand only."""

from collections.abc import Iterable, Set
from typing import Any

import pytest


def slow(values: Iterable[Any]) -> list[Any]:
    """Return values, or tuples of several, as parameters that run with ``--run-slow``."""
    if isinstance(values, Set):  # ordered differently in each process of ``-n``
        raise TypeError("`values` must have an order: give a list in place of a set.")
    rows = (value if isinstance(value, tuple) else (value,) for value in values)
    return [pytest.param(*row, marks=pytest.mark.slow) for row in rows]


def few(values: Iterable[Any], *fast: Any) -> list[Any]:
    """Return all values as parameters, of which those that are fast run by default."""
    return [row for value in values for row in ([value] if value in fast else slow([value]))]


def needing(names: Iterable[str]) -> list[Any]:
    """Return names of programs as parameters of tests that need them."""
    return [pytest.param(name, marks=pytest.mark.needs(program=name)) for name in names]
