"""Choose the tests of ``--quick``: those that notice most for their time.

``python benchmarks/quick.py`` runs the tests that are not slow in one process, and notes the
branches that each one reaches and its time: half an hour.  Then it chooses the tests for
``tests/quick.txt``, and measures these without the others, until they take as long as they may.
``--again`` chooses from the notes of an earlier run, among the tests that still exist.  The list
begins with tests that noticed what no quick test did, where ``mutants.py`` has found any.
"""

import argparse
import heapq
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
from itertools import groupby
from pathlib import Path
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage
from xml.etree import ElementTree

import numpy as np

ROOT = Path(__file__).parents[1]
FOLDERS = ("tests", "src", "docs")
LIST = ROOT / "tests" / "quick.txt"
NOTES = ROOT / ".pytest_cache" / "quick"
SHARP = NOTES / "sharp.json"
BUDGET = 40  # seconds of the tests, without imports and collection
DEAREST = 0.02  # of the time of a list: no test is taken for a single change that takes more
#: How many of all changes that some test notices are noticed by a test that reaches their branch
#: with which probability.  Measured: 408 tests, one by one, of which each reaches one of 37 changes
#: of `mutants.py`; how much else these tests reach made no difference.
NOTICED = ((0.6, 0.95), (0.3, 0.7), (0.1, 0.1))
BRANCHES = """select context, file_id << 40 | (fromno + 524288) << 20 | tono + 524288
from arc join context on context.id = context_id order by context_id"""


def processor_seconds(*whose: int) -> float:
    return sum(sum(getrusage(x)[:2]) for x in whose or (RUSAGE_SELF, RUSAGE_CHILDREN))


def run(name: str, *options: str) -> tuple[dict[str, float], float]:
    """Run pytest with an empty cache of kernels; return the seconds of tests, and of all."""
    NOTES.mkdir(parents=True, exist_ok=True)
    before = processor_seconds(RUSAGE_CHILDREN)
    with tempfile.TemporaryDirectory() as cache:
        given = os.environ | {"COVERAGE_FILE": str(NOTES / name), "JOINTWRENCH_CACHE": cache}
        noted = [f"--junit-xml={NOTES / name}.xml", "-ojunit_family=xunit1"]
        call = [sys.executable, "-m", "pytest", "-q", *noted, *options]
        subprocess.run(call, cwd=ROOT, env=given, check="--quick" in options)
    return noted_seconds(name), processor_seconds(RUSAGE_CHILDREN) - before


def noted_seconds(name: str) -> dict[str, float]:
    """Return the seconds of the tests that passed in a run, setup and teardown included."""
    cases = ElementTree.parse(NOTES / f"{name}.xml").iter("testcase")
    passed = (case for case in cases if not {"failure", "error", "skipped"} & {x.tag for x in case})
    return {f"{x.get('file')}::{x.get('name')}": float(x.get("time", 0)) for x in passed}


def sharp_tests() -> set[str]:
    """Return the tests that noticed a change that no quick test did."""
    return {*json.loads(SHARP.read_text(encoding="utf-8"))} if SHARP.exists() else set()


def branches() -> dict[str, np.ndarray]:
    """Return the branches, as numbers, that each test reaches."""
    found, rows = {}, sqlite3.connect(NOTES / "all").execute(BRANCHES)
    for test, own in groupby(rows, lambda row: row[0].rpartition("|")[0]):  # |setup, |run, ...
        found[test] = np.unique(np.fromiter((branch for _, branch in own), int))
    every = np.unique(np.concatenate([*found.values()]))
    return {test: np.searchsorted(every, own) for test, own in found.items()}


def choose(reached: dict[str, np.ndarray], seconds: dict[str, float], allowed: float) -> list[str]:
    """Take what finds most changes for its time until so many seconds are spent."""
    part, likely = np.transpose(NOTICED)
    missed = np.ones((1 + max(own[-1] for own in reached.values()), len(part)))  # probabilities
    known, most = seconds.keys() & reached, allowed * DEAREST
    chosen = sorted(test for test in sharp_tests() & known if seconds[test] < most)
    for test in chosen:
        missed[reached[test]] *= 1 - likely
    left = [(-np.inf, x) for x in sorted(known - {*chosen})]
    spent = sum(seconds[test] for test in chosen)
    while left:
        _, test = heapq.heappop(left)
        own, cost = reached[test], seconds[test]
        gain = missed[own].sum(0) @ (part * likely) / (cost + 0.003)
        if left and gain < -left[0][0]:
            heapq.heappush(left, (-gain, test))  # it was looked at before others were taken
        elif spent + cost <= allowed:
            chosen.append(test)
            missed[own] *= 1 - likely
            spent += cost
    return sorted(chosen)


def collected() -> set[str]:
    call = [sys.executable, "-m", "pytest", "--collect-only", "-q", *FOLDERS]
    found = subprocess.run(call, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    return {line for line in found.stdout.splitlines() if "::" in line}


def read_list() -> set[str]:
    return {*LIST.read_text(encoding="utf-8").splitlines()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--again", action="store_true")
    if not parser.parse_args().again:
        run("all", *FOLDERS, "--cov", "--cov-context=test", "--cov-report=", "--cov-fail-under=0")
    there, seconds, allowed, spent = collected(), noted_seconds("all"), BUDGET, 0.0
    known = there & seconds.keys()
    reached = {test: own for test, own in branches().items() if test in known}
    while not 0.92 * BUDGET < spent <= BUDGET:
        chosen = choose(reached, seconds, allowed)
        LIST.write_text("".join(f"{test}\n" for test in chosen), encoding="utf-8")
        alone, whole = run("listed", "--quick")  # without coverage; they compile what others did
        spent = sum(alone.values())
        print(f"{len(alone)} tests take {spent:.1f} s, with imports {whole:.1f} s", flush=True)
        seconds, allowed = seconds | alone, allowed * (BUDGET / spent) ** 0.5


if __name__ == "__main__":
    main()
