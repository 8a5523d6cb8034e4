"""Fixtures that several test modules share."""

import os
import sys
import tempfile
from pathlib import Path

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
def compiled_modules(tmp_path_factory):
    """Keep the user's own cache out of the tests; they share one, which is new."""
    patch = pytest.MonkeyPatch()
    patch.setenv("JOINTWRENCH_CACHE", str(tmp_path_factory.mktemp("cache")))
    yield
    patch.undo()


@pytest.fixture(autouse=True, scope="session")
def statements_of_each_model():
    """Compare each model that a test reads with what sympy's objects state of it."""
    with pytest.MonkeyPatch.context() as patch:
        check_each_model(patch)
        yield


@pytest.fixture(autouse=True)
def style_of_pictures():
    """Examples choose a style of matplotlib; the next test does not have it."""
    yield
    matplotlib = sys.modules.get("matplotlib")
    if matplotlib is not None and matplotlib.rcParams["axes.titlelocation"] != "center":
        matplotlib.rcdefaults()


@pytest.fixture
def numpy_by_default(monkeypatch):
    """Let numpy evaluate in one test alone."""
    evaluate_by_numpy(monkeypatch)


#: Folders, and files, of tests of something else than evaluation, in which numpy does it, and what
#: stands among them and calls a large model often.
BY_NUMPY = {
    *("friction", "gait", "ground", "identification", "musculoskeletal", "pictures"),
    *("propagation", "robots", "verify", "test_bad_calls.py", "test_fixes.py", "test_messages.py"),
}
COMPILED = {
    *("test_opensim_trial.py", "test_scaling.py"),
}


@pytest.fixture(autouse=True, scope="module")
def backend_of_the_file(request):
    """Compile nothing where evaluation is not tested."""
    parts = {*request.path.relative_to(Path(__file__).parent).parts}
    with pytest.MonkeyPatch.context() as patch:
        if parts & BY_NUMPY and not parts & COMPILED:
            evaluate_by_numpy(patch)
        yield


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
