"""How long does a call take in jax, torch and numba: the kernel, and alternatives.

Torques of the Franka Panda.  The alternatives are the evaluator, or Pinocchio's ``rnea``, as a
Python callback.  All are called alternately; the time is the shortest of many calls; before the
measurement, all must return the same torques.  Missing libraries are skipped.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
from models import Robot, panda, states
from peers import libraries
from timing import best_by_turns, print_table, skip

SAMPLES, CALLS = 4096, 1000
OUTPUT = "generalized_forces"

#: Takes arrays q, u, udot and returns the torques.
Torques = Callable[..., Any]


def in_python(evaluate: Any, robot: Robot) -> dict[str, Torques]:
    """Return torques of arrays (..., n) by the evaluator and by a library sample by sample."""
    found = {"evaluator": lambda *rows: evaluate(*rows).generalized_forces}
    if run := libraries(robot).get("pin.rnea"):

        def peer(*rows: np.ndarray) -> np.ndarray:
            rows = tuple(map(np.asarray, rows))
            samples = zip(*(x.reshape(-1, x.shape[-1]) for x in rows), strict=True)
            return np.array([run(*x) for x in samples]).reshape(rows[0].shape)

        found["pin.rnea"] = peer
    return found


def in_jax(evaluate: Any, others: dict[str, Torques]) -> Iterator[tuple[str, Torques, Any]]:
    """Yield names, functions and loops of ``CALLS`` calls, each on the previous result."""
    import jax

    jax.config.update("jax_enable_x64", True)

    def called_back(other: Torques, *rows: Any) -> Any:
        shape = jax.ShapeDtypeStruct(rows[0].shape, "float64")
        return jax.pure_callback(other, shape, *rows, vmap_method="expand_dims")

    def loop(f: Torques, *rows: Any) -> Any:
        return jax.lax.fori_loop(0, CALLS, lambda _, x: 1e-3 * f(x, *rows[1:]), rows[0])

    ways = {"to_jax": evaluate.to_jax(OUTPUT)}
    ways |= {f"pure_callback, {x}": partial(called_back, other) for x, other in others.items()}
    for name, f in ways.items():
        run, repeated = jax.jit(f), jax.jit(partial(loop, f))
        yield (
            f"jax: {name}",
            lambda *rows, run=run: run(*rows).block_until_ready(),
            lambda *rows, run=repeated: run(*rows).block_until_ready(),
        )


def in_torch(evaluate: Any, others: dict[str, Torques]) -> Iterator[tuple[str, Torques, Any]]:
    """Yield names and functions; torch has no compiled loops."""
    import torch

    torch.set_num_threads(1)
    f = evaluate.to_torch(OUTPUT)
    yield "torch: to_torch", lambda *rows: f(*map(torch.from_numpy, rows)), None
    for name, other in others.items():
        yield f"torch: by numpy, {name}", lambda *x, f=other: torch.from_numpy(f(*x)), None


def in_numba(evaluate: Any, others: dict[str, Torques]) -> Iterator[tuple[str, Torques, Any]]:
    """Yield names, functions and loops."""
    import numba

    write = evaluate.to_numba(OUTPUT)

    @numba.njit
    def run(q: Any, u: Any, udot: Any) -> Any:
        out = np.empty_like(q)
        write(out, q, u, udot)
        return out

    @numba.njit
    def loop(q: Any, u: Any, udot: Any) -> Any:
        out, x = np.empty_like(q), q.copy()
        for _ in range(CALLS):
            write(out, x, u, udot)
            x[:] = 1e-3 * out
        return x

    yield "numba: to_numba", run, loop


INTERFACES = {"jax": in_jax, "torch": in_torch, "numba": in_numba}


def measure(robot: Robot, seconds: float = 20.0) -> list[list[str]]:
    """Return names, and microseconds of one call, of a batch, and of a call within a loop."""
    evaluate = robot.idyn.compile(OUTPUT, constants=robot.constants)
    others = in_python(evaluate, robot)
    ways: list[tuple[str, Torques, Any]] = [(f"Python: {x}", f, None) for x, f in others.items()]
    for library, interface in INTERFACES.items():
        try:
            ways += interface(evaluate, others)
        except ImportError as error:
            skip(library, error)
    one, many = states(len(robot.system.q)), states(len(robot.system.q), SAMPLES)
    columns = [
        _column([f for _, f, _ in ways], one, 1, seconds),
        _column([f for _, f, _ in ways], many, 1, seconds),
        _column([loop for *_, loop in ways], one, CALLS, seconds),
    ]
    return [[name, *cells] for (name, *_), *cells in zip(ways, *columns, strict=True)]


def _column(
    functions: Sequence[Torques | None], rows: Sequence[np.ndarray], calls: int, seconds: float
) -> list[str]:
    """Return microseconds per call of functions, called alternately; all return the same."""
    runs = [partial(f, *rows) for f in functions if f]
    results = [np.asarray(run()) for run in runs]
    for found in results:
        np.testing.assert_allclose(found, results[0], rtol=1e-9, atol=1e-9)
    times = iter(best_by_turns(runs, seconds))
    return [f"{1e6 * next(times) / calls:.2f}" if f else "-" for f in functions]


def main() -> None:
    """Print the table."""
    head = ["", "one sample", f"{SAMPLES} samples", f"one of {CALLS} calls in a loop"]
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 20.0
    print_table("Franka Panda, torques, microseconds", head, measure(panda(), seconds))


if __name__ == "__main__":
    main()
