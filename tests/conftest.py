"""Fixtures that several test modules share."""

import os

import numpy as np
import pytest
from hypothesis import settings

settings.register_profile("jointwrench", deadline=None)
settings.register_profile("jointwrench-ci", deadline=None, derandomize=True, database=None)
settings.load_profile("jointwrench-ci" if os.environ.get("CI") else "jointwrench")


@pytest.fixture
def rng() -> np.random.Generator:
    """Random numbers, the same ones in every run."""
    return np.random.default_rng(20261121)
