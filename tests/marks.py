"""Parameters of tests that run on demand only."""

from collections.abc import Iterable
from typing import Any

import pytest


def slow(values: Iterable[Any]) -> list[Any]:
    """Return values as parameters that run with ``--run-slow``."""
    return [pytest.param(value, marks=pytest.mark.slow) for value in values]
