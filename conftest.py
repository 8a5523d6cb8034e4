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
from sympy.physics.mechanics import dynamicsymbols

ROOT = Path(__file__).parent

pytest_plugins = ["refusal_texts"]  # in tests/tools

# No windows. The processes that tests start inherit it.
os.environ["MPLBACKEND"] = "Agg"

# Threads of linear algebra that wait for each other take a hundred times as long where as many
# processes as cores run tests.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# Imports make objects that stay. Looking for garbage among them takes a third of the collection.
gc.disable()

# Of the documentation, its pages are doctests; tutorials run when the site is built.
collect_ignore_glob = ["docs/*.py", "docs/generated/*", "docs/_build/*"]
if not all(map(importlib.util.find_spec, ("dask", "pyarrow", "xarray", "zarr"))):
    collect_ignore_glob.append("docs/recipes/large_data.rst")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--run-slow", action="store_true", help="also run the tests marked slow")
    parser.addoption("--quick", action="store_true", help="run the tests of tests/quick.txt")
    help = "run the K-th of N parts, counted from 0: of whole files; with -m slow, of tests"
    parser.addoption("--part", metavar="K/N", help=help)


@functools.cache
def quick_tests() -> dict[str, str]:
    """Return the ids of the quick tests, which benchmarks/quick.py chooses, each with its file."""
    tests = (ROOT / "tests" / "quick.txt").read_text(encoding="utf-8").splitlines()
    return {test: file_of(test) for test in tests}


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Do not import files without quick tests, which takes longer than those tests."""
    if not config.getoption("--quick") or collection_path.is_dir():
        return None
    return collection_path.relative_to(ROOT).as_posix() not in quick_tests().values() or None


def file_of(test: str) -> str:
    return test.partition("::")[0]


def runs_slow_tests(config: pytest.Config) -> bool:
    return config.getoption("--run-slow") or "slow" in config.getoption("markexpr", "")


def is_named(config: pytest.Config, item: pytest.Item) -> bool:
    """Return whether the command line has the id of this test."""
    return any("::" in x and f"{ROOT}/{item.nodeid}".endswith(x) for x in config.args)


def keep(config: pytest.Config, items: list[pytest.Item], is_kept: Callable[..., bool]) -> None:
    """Deselect all other tests."""
    kept = [item for item in items if is_kept(item)]
    config.hook.pytest_deselected(items=[item for item in items if not is_kept(item)])
    items[:] = kept


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Let a worker of ``-n`` run whole files, whose fixtures are then made once."""
    from xdist.scheduler import WorkStealingScheduling

    return WorkStealingScheduling(config, log) if config.getoption("dist") == "load" else None


@pytest.hookimpl(trylast=True)  # after -m and -k
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:  # examples of docstrings
        sources = [x.source for x in item.dtest.examples] if hasattr(item, "dtest") else []
        if any("to_dataframe(" in x for x in sources) and not importlib.util.find_spec("pandas"):
            item.add_marker(pytest.mark.skip(reason="needs pandas"))
    if config.getoption("--quick"):
        keep(config, items, lambda item: item.nodeid in quick_tests())
    elif not runs_slow_tests(config):
        keep(config, items, lambda x: not x.get_closest_marker("slow") or is_named(config, x))
    if part := config.getoption("--part"):
        number, count = map(int, part.split("/"))
        whole = str if "slow" in config.getoption("markexpr", "") else file_of
        units = list(dict.fromkeys(whole(item.nodeid) for item in items))
        chosen = {*units[number % count :: count]}
        keep(config, items, lambda item: whole(item.nodeid) in chosen)
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
    keep(config, items, lambda item: item not in others)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Let the garbage collector leave alone what imports made; report quick tests that are missing.

    They do not exist with another version of sympy, or without a package.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 20, 100)
    gc.enable()
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    is_whole = session.config.getoption("--quick") and not session.config.getoption("file_or_dir")
    if reporter and is_whole:
        missing = sorted(quick_tests().keys() - {item.nodeid for item in session.items})
        text = f"{len(missing)} of tests/quick.txt do not exist here, such as "
        reporter.write_line(text + missing[0] if missing else "")


#: Folders, and files, of tests of something else than evaluation, in which numpy does it, as in all
#: examples of docstrings and pages; and what stands among them and calls a large model often.
BY_NUMPY = {
    *("friction", "gait", "ground", "identification", "musculoskeletal", "pictures"),
    *("propagation", "robots", "verify", "test_bad_calls.py", "test_fixes.py", "test_messages.py"),
    *("src", "docs"),
}
COMPILED = {
    *("forward", "tracking", "forward.rst", "gait_laboratory.rst", "jacobian.rst"),
    *("markers_to_coordinates.rst", "other_libraries.rst", "pydy_generators.rst"),
    *("opensim_pipeline.rst", "torque_log.rst", "whole_trial.rst"),
    "test_opensim_trial.py",
}


@pytest.fixture(autouse=True, scope="module")
def _backend(request: pytest.FixtureRequest) -> Iterator[None]:
    """Compile where evaluation is tested, and optimise where a module asks for it or all runs.

    To optimise takes five times as long as not to, which was a third of the time of all tests.
    """
    parts = {*request.path.relative_to(ROOT).parts}
    is_plain = not request.node.get_closest_marker("optimised")
    with pytest.MonkeyPatch.context() as patch:
        if parts & BY_NUMPY and not parts & COMPILED:
            from by_numpy import evaluate_by_numpy

            evaluate_by_numpy(patch)
        if is_plain and not runs_slow_tests(request.config):
            from jointwrench.mechanics.codegen.toolchain import library

            patch.setattr(library, "choose_flags", lambda _: ["-O0", "-DSUMS_AS_WRITTEN"])
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
        if sys.modules["matplotlib"].rcParams["axes.titlelocation"] != "center":  # by an example
            sys.modules["matplotlib"].rcdefaults()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Free what a large test has made before the next one begins."""
    before = peak_memory()
    result = yield
    if peak_memory() > before + LARGE:
        gc.collect()
    return result


LARGE = 100_000  # kilobytes


def peak_memory() -> int:
    """Return the largest memory of this process so far, in kilobytes; 0 on Windows."""
    if sys.platform == "win32":
        return 0
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
