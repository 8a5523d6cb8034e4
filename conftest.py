"""Settings of pytest for the tests and for the doctests in ``src``."""

import gc
import importlib.util
import os
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from sympy.physics.mechanics import dynamicsymbols

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
    collect_ignore_glob.append("docs/recipes/estimated_parameters.rst")

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
        "--slow-part",
        metavar="K/N",
        help="run the K-th, from 0, of N like parts of the tests marked slow, and no others",
    )


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
    slow = [item for item in items if item.get_closest_marker("slow")]
    if part := config.getoption("--slow-part"):
        number, count = map(int, part.split("/"))
        chosen = set(slow[number % count :: count])  # neighbours take like times
        config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
        items[:] = [item for item in items if item in chosen]
    elif not config.getoption("--run-slow"):
        for item in slow:
            item.add_marker(pytest.mark.skip(reason="slow: add --run-slow"))


def pytest_collection_finish() -> None:
    """Let the garbage collector leave alone what imports made."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 20, 100)
    gc.enable()


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
    if item.get_closest_marker("slow") and not item.get_closest_marker("skip"):
        gc.collect()
