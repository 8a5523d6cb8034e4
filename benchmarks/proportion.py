"""Do derivation and compilation take time in proportion to the number of bodies?

Chains, binary trees and loops in a plane and in space, of ``tests/tools/long_models.py``: seconds
of processor time (the compiler's separately), each model in its own processes, the shortest of
several; and the power by which they grow from one size to the next.  Imports and sympy's part in
making the model are not counted.  Options: --counts, --kinds, --repeats, and --other, a checkout to
compare with, run alternately.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from math import log
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]

#: The joints of chains and trees, by the kind of model.
KINDS = {
    "chain, planar": "pin",
    "chain, spatial": "twist",
    "tree, planar": "pin",
    "tree, spatial": "twist",
    "ladder of four-bars": "",
    "ring": "",
    "ring, spatial": "",
}
METHODS = {"forward": ("ForwardDynamics", "udot"), "inverse": ("InverseDynamics", "")}
COUNTS = (10, 30, 100, 300)
MEASURES = ("derived", "compiled", "compiler", "megabytes")


def model(kind: str, count: int) -> tuple[Any, tuple[Any, ...]]:
    """Return a System of a number of bodies, and its closing joints."""
    sys.path.append(str(ROOT / "tests" / "tools"))
    import long_models

    if kind.startswith("ring"):
        system, loops = long_models.ring(count, "decimals", is_spatial="spatial" in kind)
    elif kind.startswith("ladder"):
        system, loops = long_models.ladder(count // 3, "decimals")
    else:
        inner = long_models.binary if kind.startswith("tree") else lambda k: k - 1
        system, loops = long_models.tree(KINDS[kind], count, "symbols", inner)[0], ()
    return system, tuple(loops)


def measure(kind: str, count: int, method: str) -> dict[str, float]:
    """Return seconds and megabytes of one model, in this process."""
    from timing import ready

    import jointwrench as jw

    name, output = METHODS[method]
    system, loops = model(kind, count)
    getattr(jw, name)(model("chain, planar", 1)[0]).compile(backend="numpy")  # the imports
    began = time.process_time()
    derived = getattr(jw, name)(system, loops=loops)
    derived.program(output or "generalized_forces")
    middle, before = time.process_time(), os.times()
    ready(derived.compile(output or "generalized_forces"))
    ended, after = time.process_time(), os.times()
    compiler = after.children_user + after.children_system
    compiler -= before.children_user + before.children_system
    return {
        "derived": middle - began,
        "compiled": ended - middle,
        "compiler": compiler,
        "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def apart(checkout: Path, case: Sequence[str], limit: float) -> dict[str, float]:
    """Return the measures of a new process with a checkout; nothing if it takes too long."""
    with tempfile.TemporaryDirectory() as cache:
        own = {"PYTHONPATH": str(checkout / "src"), "JOINTWRENCH_CACHE": cache}
        own |= {"OPENBLAS_NUM_THREADS": "1", "JOINTWRENCH_TUNING": "native"}
        command = [sys.executable, __file__, "--measure", *case]
        try:
            done = subprocess.run(
                command, env={**os.environ, **own}, capture_output=True, text=True, timeout=limit
            )
        except subprocess.TimeoutExpired:
            return {}
    if done.returncode:
        print(done.stderr, file=sys.stderr)
        return {}
    return json.loads(done.stdout.splitlines()[-1])


def shortest(
    checkouts: Sequence[Path], case: Sequence[str], repeats: int, limit: float
) -> list[dict[str, float]]:
    """Return the smallest of each measure for each checkout, run alternately."""
    found: list[dict[str, float]] = [{} for _ in checkouts]
    for _ in range(repeats):
        for known, checkout in zip(found, checkouts, strict=True):
            new = apart(checkout, case, limit)
            known |= {name: min(x, known.get(name, x)) for name, x in new.items()}
    return found


def rows(given: argparse.Namespace) -> Iterator[list[str]]:
    """Yield the rows of the table."""
    checkouts = [ROOT, *([Path(given.other)] if given.other else [])]
    for kind in given.kinds:
        for method in METHODS:
            before: list[dict[str, float]] = []
            for n, count in enumerate(given.counts):
                found = shortest(checkouts, [kind, str(count), method], given.repeats, given.limit)
                ratio = log(count / given.counts[n - 1]) if n else 0.0
                row = [kind, method, str(count)]
                for number, own in enumerate(found):
                    for name in MEASURES if not number else MEASURES[:1]:
                        text = f"{own[name]:.2f}" if name in own else "-"
                        if n and name in own and name in before[number] and name != "megabytes":
                            text += f" ({log(own[name] / before[number][name]) / ratio:.2f})"
                        row.append(text)
                before = found
                print(*row, sep=" | ", file=sys.stderr)
                yield row


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Derivation by the number of bodies.")
    parser.add_argument("--counts", nargs="*", type=int, default=COUNTS)
    parser.add_argument("--kinds", nargs="*", default=list(KINDS), choices=list(KINDS))
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--limit", type=float, default=120.0, help="seconds for one model")
    parser.add_argument("--other", help="a checkout of another version")
    parser.add_argument("--measure", nargs=3, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.measure:
        kind, count, method = given.measure
        print(json.dumps(measure(kind, int(count), method)))
        return
    from timing import print_table

    head = ["model", "dynamics", "bodies", "derived, s", "compiled, s", "compiler, s", "MB"]
    head += ["derived by the other, s"] if given.other else []
    print_table("Seconds by the number of bodies (in brackets: the power)", head, rows(given))


if __name__ == "__main__":
    main()
