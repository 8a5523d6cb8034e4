"""Does IPOPT converge sooner with exact second derivatives?  Problems of opty's own gallery.

    git clone https://github.com/csu-hmc/opty
    python opty_gallery.py opty/examples-gallery [word in a name ...]

Each script of the gallery runs until it asks for the first solution.  Its problem (equations,
objective, bounds, options, guess) is then solved three times: by opty alone, with its equations
compiled by jointwrench, and also with the Lagrangian's exact Hessian.
"""

import contextlib
import importlib.util
import inspect
import io
import os
import resource
import runpy
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
from build_scaling import own
from sympy import Expr, Integral, Symbol
from sympy.physics.mechanics import dynamicsymbols
from timing import print_table, skip

from jointwrench.optimal_control import opty_problem

SCRIPTS = (
    *("pendulum_swing_up_fixed", "pendulum_swing_up_variable", "betts_10_7", "betts_10_50"),
    *("brachistochrone", "sliding_block", "parallel_park", "countersteer", "drone"),
    *("two_link_pendulum", "ball_rolling", "one_legged_time_trial"),
)

#: Processor seconds that a solution may take.
MOST_SECONDS = 40.0


class FoundError(Exception):
    """The script has asked for a solution."""


@dataclass
class Case:
    """A script's problem; ``objective`` is an expression, ``built`` in seconds."""

    arguments: tuple[Any, ...]
    options: dict[str, Any]
    settings: dict[str, Any]
    guess: np.ndarray
    objective: Expr
    problem: Any
    built: float


def seconds() -> float:
    """Return the processor time of this process and its children."""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def read(script: Path) -> Case:
    """Return a script's problem."""
    import opty

    integrals: list[Expr] = []
    given: dict[str, Any] = {"settings": {}}
    create, original = opty.create_objective_function, opty.Problem
    initialise = inspect.getattr_static(original, "__init__").mthd

    def init(problem: Any, *arguments: Any, **options: Any) -> None:
        start = seconds()
        initialise(problem, *arguments, **options)
        given.update(arguments=arguments, options=options, built=seconds() - start)

    def add_option(problem: Any, name: Any, value: Any) -> None:
        super(original, problem).add_option(name, value)
        if isinstance(name, str):  # else it is cyipopt itself
            given["settings"][name] = value

    def solve(problem: Any, guess: Any, **_: Any) -> None:
        given.update(problem=problem, guess=np.array(guess))
        raise FoundError

    def recorded(objective: Expr, *arguments: Any, **options: Any) -> Any:
        integrals.append(objective)
        return create(objective, *arguments, **options)

    changes: dict[str, Any] = {"__init__": init, "solve": solve, "add_option": add_option}
    plots = [name for name in vars(original) if name.startswith("plot_")]
    changes |= {name: mock.MagicMock() for name in plots}
    with contextlib.ExitStack() as stack:
        for name, change in changes.items():
            stack.enter_context(mock.patch.object(original, name, change, create=True))
        for place in (opty, opty.utils):
            stack.enter_context(mock.patch.object(place, "create_objective_function", recorded))
        stack.enter_context(contextlib.redirect_stdout(io.StringIO()))
        stack.enter_context(contextlib.suppress(FoundError))
        np.random.seed(0)  # of the scripts' guesses
        runpy.run_path(str(script))
    arguments = given["arguments"]
    objective = integrals[-1] if integrals else special(script.stem, arguments)
    return Case(objective=objective, **given)


def special(name: str, arguments: tuple[Any, ...]) -> Expr:
    """Return the objective of a script that states it by functions."""
    interval, time = arguments[5], dynamicsymbols._t
    if "ball_rolling" in name:
        return Integral(sum(x**2 for x in dynamicsymbols("t1:4")), time) + 2.5e5 * interval
    if "variable_duration" in name:
        return Integral(dynamicsymbols("T") ** 2, time)
    assert isinstance(interval, Symbol), name
    return interval


def problems(case: Case) -> Iterator[tuple[str, float, Any]]:
    """Yield names, seconds to build, and problems."""
    yield "opty", case.built, case.problem
    obj, obj_grad, equations, states, *grid = case.arguments
    leave = ("time_symbol", "tmp_dir", "parallel", "show_compile_output", "backend")
    options = {name: value for name, value in case.options.items() if name not in leave}
    for name, objective, hessian in (
        ("compiled", (obj, obj_grad), "limited-memory"),
        ("exact", (case.objective, None), "exact"),
    ):
        start = seconds()
        problem = opty_problem(equations, states, *objective, *grid, hessian=hessian, **options)
        yield name, seconds() - start, problem


def solved(problem: Any, case: Case) -> tuple[float, int, str, float]:
    """Return seconds, iterations, whether IPOPT has converged, and the objective."""
    quiet = {"max_cpu_time": MOST_SECONDS, "print_level": 0, "sb": "yes"}
    for name, value in {**case.settings, **quiet}.items():
        problem.add_option(name, value)
    problem.obj_value.clear()
    start = seconds()
    free, info = problem.solve(case.guess)
    end = seconds() - start
    word = {0: "", 1: "acceptable"}.get(info["status"], f"status {info['status']}")
    return end, len(problem.obj_value) - 1, word, float(case.problem.objective(free))


def rows(script: Path) -> list[list[str]]:
    """Return the rows of the table for a script."""
    case = read(script)
    name = script.stem.removeprefix("plot_").replace("_", " ")
    table = []
    for who, built, problem in problems(case):
        time, iterations, word, objective = solved(problem, case)
        table.append(
            [
                *(name, who, f"{built:.2f}", f"{time:.2f}", f"{built + time:.2f}"),
                *(str(iterations), f"{objective:.6g}", word),
            ]
        )
        print(table[-1], file=sys.stderr, flush=True)
    return table


def main(folder: Path, words: tuple[str, ...]) -> None:
    """Print the table."""
    os.environ.setdefault("MPLBACKEND", "Agg")
    own(1)
    scripts = [path for word in words for path in sorted(folder.rglob(f"plot_*{word}*.py"))]
    table: list[list[str]] = []
    with tempfile.TemporaryDirectory() as work:
        os.environ["JOINTWRENCH_CACHE"] = work
        os.chdir(work)
        for script in scripts:
            try:
                table += rows(script)
            except Exception as error:
                skip(script.stem, error)
    head = ["problem", "by", "built, s", "solved, s", "both", "iterations", "objective", ""]
    print_table("opty's gallery, from its own guesses", head, table)


if __name__ == "__main__":
    if importlib.util.find_spec("opty") is None or len(sys.argv) < 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]).resolve(), tuple(sys.argv[2:]) or SCRIPTS)
