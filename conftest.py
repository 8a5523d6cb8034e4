"""Settings of pytest for the tests and for the doctests in ``src``."""

import functools
import gc
import importlib.util
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from selection import leave_out
from sympy.physics.mechanics import dynamicsymbols

ROOT = Path(__file__).parent

pytest_plugins = ["refusals", "seconds"]  # in tests/tools

# No windows. The processes that tests start inherit it.
os.environ["MPLBACKEND"] = "Agg"

# Threads of linear algebra that wait for each other take a hundred times as long where as many
# processes as cores run tests.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# Imports make objects that stay. Looking for garbage among them takes a third of the collection.
gc.disable()

# Of the documentation, its pages are doctests; tutorials run when the site is built.
collect_ignore_glob = ["docs/*.py", "docs/generated/*", "docs/_build/*"]
if importlib.util.find_spec("opty") is None:  # modules that subclass its classes
    collect_ignore_glob.append("src/jointwrench/optimal_control/*")
    collect_ignore_glob.append("docs/recipes/torque_log.rst")

if not all(map(importlib.util.find_spec, ("dask", "pyarrow", "xarray", "zarr"))):
    collect_ignore_glob.append("docs/recipes/large_data.rst")

#: Calls in examples of docstrings, and what they need that may not be installed.
EXTRAS = {"to_dataframe(": "pandas"}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--run-slow",
        action="store_true",
        help="run the tests marked slow, too: thousands of random models in place of hundreds",
    )
    parser.addoption(
        "--quick",
        action="store_true",
        help="run the tests that tests/quick.txt lists: those that reach most in a minute",
    )
    parser.addoption(
        "--slow-part",
        metavar="K/N",
        help="run the K-th, from 0, of N like parts of the tests marked slow, and no others",
    )


@functools.cache
def listed(name: str) -> dict[str, str]:
    """Return what ``benchmarks/quick.py`` has listed: tests, and the file of each.

    Those of quick.txt are the ones of ``--quick``; those of redundant.txt add least for their time
    to what the others notice, and are left out where neither files nor slow tests are asked for.
    """
    tests = (ROOT / "tests" / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    return {test: test.partition("::")[0] for test in tests}


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Do not import files without quick tests, which takes longer than those tests."""
    if not config.getoption("--quick") or collection_path.is_dir():
        return None
    return collection_path.relative_to(ROOT).as_posix() not in listed("quick").values() or None


def check_quick_tests(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Raise if quick tests are missing, unless a package is missing for their whole file.

    The parameters of a test may be other ones with another version of a package, such as sympy.
    """
    if config.getoption("file_or_dir") or config.getoption("lf", False):
        return  # the others were not asked for
    found = {item.nodeid.partition("[")[0] for item in items}
    files = {test.partition("::")[0] for test in found}
    left = [(x, file) for x, file in listed("quick").items() if x.partition("[")[0] not in found]
    if gone := [x for x, file in left if file in files or not (ROOT / file).exists()]:
        text = "tests of tests/quick.txt are gone; benchmarks/quick.py writes the list again:"
        raise pytest.UsageError("\n  ".join([text, *gone]))


def is_slow(item: pytest.Item) -> bool:
    return item.get_closest_marker("slow") is not None


def is_redundant(item: pytest.Item) -> bool:
    return item.nodeid in listed("redundant")


def is_named(config: pytest.Config, item: pytest.Item) -> bool:
    """Return whether the command line has the id of this test."""
    return any("::" in x and f"{ROOT}/{item.nodeid}".endswith(x) for x in config.args)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Let a worker of ``-n`` run whole files, whose fixtures are then made once."""
    from xdist.scheduler import WorkStealingScheduling

    return WorkStealingScheduling(config, log) if config.getoption("dist") == "load" else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        if isinstance(item, pytest.DoctestItem):
            text = "".join(example.source for example in item.dtest.examples)
            for call, module in EXTRAS.items():
                if call in text and importlib.util.find_spec(module) is None:
                    item.add_marker(pytest.mark.skip(reason=f"needs {module}"))
    if part := config.getoption("--slow-part"):
        number, count = map(int, part.split("/"))
        seldom = [item for item in items if is_slow(item) or is_redundant(item)]
        chosen = set(seldom[number % count :: count])
        leave_out(config, items, lambda item: item not in chosen)  # neighbours take like times
    elif config.getoption("--quick"):
        check_quick_tests(config, items)
        leave_out(config, items, lambda item: item.nodeid not in listed("quick"))
    elif not config.getoption("--run-slow"):
        leave_out(config, items, lambda item: is_slow(item) and not is_named(config, item))
        if not config.getoption("file_or_dir"):
            leave_out(config, items, is_redundant)
    skip_once(config, items)


def skip_once(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip one test for each package or program that is missing, and leave out the others."""
    lacking: dict[str, list[pytest.Item]] = {}
    for item in items:
        for mark in item.iter_markers("needs"):
            find: Callable[..., Any] = shutil.which if mark.kwargs else importlib.util.find_spec
            for name in (*mark.args, *mark.kwargs.values()):
                if find(name) is None:
                    lacking.setdefault(name, []).append(item)
    others = set()
    for name, tests in lacking.items():
        tests[0].add_marker(pytest.mark.skip(reason=f"needs {name}, as {len(tests)} tests do"))
        others.update(tests[1:])
    leave_out(config, items, others.__contains__)


def pytest_collection_finish() -> None:
    """Let the garbage collector leave alone what imports made."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 20, 100)
    gc.enable()


@pytest.fixture(autouse=True, scope="module")
def _quick_compiler(request: pytest.FixtureRequest) -> Iterator[None]:
    """Let the C compiler optimise where a module asks for it, and in runs with slow tests.

    It takes five times as long as without, which was a third of the time of all tests.
    """
    options = (request.config.getoption(name) for name in ("--run-slow", "--slow-part"))
    with pytest.MonkeyPatch.context() as patch:
        if not any(options) and not request.node.get_closest_marker("optimised"):
            from jointwrench.mechanics.codegen.toolchain import library

            patch.setattr(library, "choose_flags", lambda _: ["-O0", "-DSUMS_AS_WRITTEN"])
        yield


#: Folders and pages of examples that are about compiled code, or call it often; numpy evaluates
#: what others compile.
COMPILED = {
    *("forward", "tracking", "forward.rst", "gait_laboratory.rst", "jacobian.rst"),
    *("markers_to_coordinates.rst", "other_libraries.rst", "pydy_generators.rst"),
    *("opensim_pipeline.rst", "torque_log.rst", "whole_trial.rst"),
}


@pytest.fixture(autouse=True)
def _backend_of_examples(request: pytest.FixtureRequest) -> Iterator[None]:
    parts = request.path.relative_to(ROOT).parts
    with pytest.MonkeyPatch.context() as patch:
        if isinstance(request.node, pytest.DoctestItem) and not COMPILED.intersection(parts):
            from by_numpy import evaluate_by_numpy

            evaluate_by_numpy(patch)
        yield


@pytest.fixture(autouse=True)
def _leave_no_trace() -> Iterator[None]:
    """Undo what a test or doctest changed for the whole process."""
    time = dynamicsymbols._t
    display = sys.displayhook  # init_vprinting replaces it
    yield
    dynamicsymbols._t = time
    sys.displayhook = display
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


def pytest_runtest_teardown(item: pytest.Item) -> None:
    """Free what a slow test has made, gigabytes at times, before the next one begins."""
    if is_slow(item):
        gc.collect()
