"""Fixtures that several test modules share."""

import os
import tempfile

import numpy as np
import pytest
from by_numpy import evaluate_by_numpy
from each_model import check_each_model
from hypothesis import settings

settings.register_profile("jointwrench", deadline=None)
settings.register_profile("jointwrench-ci", deadline=None, derandomize=True, database=None)
settings.load_profile("jointwrench-ci" if os.environ.get("CI") else "jointwrench")


@pytest.fixture
def rng() -> np.random.Generator:
    """Random numbers, the same ones in every run."""
    return np.random.default_rng(20261121)


@pytest.fixture(autouse=True, scope="session")
def _whole_run(tmp_path_factory):
    """Keep the user's cache out; compare each model with what sympy's objects state of it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JOINTWRENCH_CACHE", str(tmp_path_factory.mktemp("cache")))
        check_each_model(patch)
        yield


@pytest.fixture
def numpy_by_default(monkeypatch):
    """Let numpy evaluate in one test alone."""
    evaluate_by_numpy(monkeypatch)


@pytest.fixture
def own_cache(tmp_path, monkeypatch):
    """A cache for one test alone, in this process as well; no flags are measured for it."""
    monkeypatch.setenv("JOINTWRENCH_CACHE", str(tmp_path / "own cache"))
    monkeypatch.setenv("JOINTWRENCH_TUNING", "plain")
    monkeypatch.setattr(
        "jointwrench.mechanics.codegen.toolchain.library.choose_flags", lambda _: ["-O2"]
    )
    monkeypatch.setattr("jointwrench.mechanics.codegen.toolchain.library._libraries", {})
    monkeypatch.setattr("jointwrench.mechanics.codegen.toolchain.tuning._known", {})
    return tmp_path / "own cache" / "compiled"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The folder in which temporary files are made."""
    folder = tmp_path / "temporary files"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.fixture
def compiler(tmp_path, monkeypatch):
    """Make a shell script the compiler."""

    def install(script: str) -> None:
        path = tmp_path / "fake-cc"
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        monkeypatch.setenv("CC", str(path))

    return install
