"""How long each file of tests takes: a ratchet, and shards of files that take like times.

``pytest -n auto --write-seconds`` notes the processor time of each file in ``tests/seconds.json``.
``--check-seconds`` compares with it, in seconds of the run that was noted: times are divided by how
much longer the whole takes now, which is due to the machine.  ``--shard K/N`` runs some files.
``--note-seconds FILE`` is for ``benchmarks/quick.py``, which chooses tests by their time.
"""

import heapq
import json
import os
import time
from collections import Counter
from pathlib import Path

import pytest
from selection import leave_out

# Workers that share a core take up to twice as long, and not all of them at the same time.
GROWTH, SPARE = 2.5, 5.0  # a file may take so many times as long as noted, and seconds more
LONGEST = 15.0  # seconds of a test, with fixtures that it is the first to need


def processor_seconds():
    return time.process_time() + sum(os.times()[2:4])  # and of those that it has waited for


def by_file(tests):
    """Return the seconds of files from those of tests."""
    found = Counter()
    for test, taken in tests.items():
        found[test.partition("::")[0]] += taken
    return dict(sorted(found.items()))


def longer(noted, tests):
    """Return, as lines, the files that take longer than noted, and tests that take too long."""
    files = by_file(tests)
    common = noted.keys() & files.keys()
    unit = sum(files[x] for x in common) / sum(noted[x] for x in common)
    lines = [
        f"{file}: {files[file] / unit:.1f} s, noted {noted.get(file, 0):.1f} s"
        for file in files
        if files[file] / unit > GROWTH * noted.get(file, 0) + SPARE
    ]
    slow = [f"{x}: {taken / unit:.1f} s" for x, taken in tests.items() if taken / unit > LONGEST]
    return lines + slow


def shard(noted, files, number, count):
    """Return the files of a shard: each, the longest first, goes where least is to be done."""
    usual = sum(noted.values()) / max(len(noted), 1)
    sizes = {file: noted.get(file, usual) for file in files}
    heap = [(0.0, k) for k in range(count)]
    chosen = set()
    for file in sorted(sizes, key=lambda x: (-sizes[x], x)):
        taken, k = heapq.heappop(heap)
        heapq.heappush(heap, (taken + sizes[file], k))
        if k == number % count:
            chosen.add(file)
    return chosen


class Clock:
    """The processor time of each test; workers of xdist send it to their master with reports."""

    def __init__(self, config):
        self.config = config
        self.file = config.rootpath / "tests" / "seconds.json"
        self.last = 0.0
        self.tests = Counter()
        self.not_passed = set()
        self.changes = []

    def noted(self):
        return json.loads(self.file.read_text(encoding="utf-8")) if self.file.exists() else {}

    def pytest_collection_modifyitems(self, config, items):
        if part := config.getoption("--shard"):
            files = {item.nodeid.partition("::")[0] for item in items}
            chosen = shard(self.noted(), files, *map(int, part.split("/")))
            leave_out(config, items, lambda x: x.nodeid.partition("::")[0] not in chosen)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self):
        self.last = processor_seconds()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item, call):
        report = yield
        now = processor_seconds()
        report.user_properties.append(("seconds", now - self.last))
        self.last = now
        return report

    def pytest_runtest_logreport(self, report):
        self.tests[report.nodeid] += dict(report.user_properties).get("seconds", 0.0)
        if not report.passed:
            self.not_passed.add(report.nodeid)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session):
        if hasattr(self.config, "workeroutput") or not self.tests:
            return
        if path := self.config.getoption("--note-seconds"):
            passed = {x: taken for x, taken in self.tests.items() if x not in self.not_passed}
            Path(path).write_text(json.dumps(passed), encoding="utf-8")
        if self.config.getoption("--write-seconds"):
            files = {file: round(taken, 1) for file, taken in by_file(self.tests).items()}
            self.file.write_text(json.dumps(files, indent=0) + "\n", encoding="utf-8")
        elif self.config.getoption("--check-seconds"):
            self.changes = longer(self.noted(), self.tests)
            if self.changes and session.exitstatus == pytest.ExitCode.OK:
                session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter):
        if self.changes:
            terminalreporter.section("longer than tests/seconds.json allows")
            terminalreporter.write_line("\n".join(self.changes))
            terminalreporter.write_line("Make them shorter, mark them slow, or --write-seconds.")


def pytest_addoption(parser):
    write = "note in tests/seconds.json how long each file takes"
    parser.addoption("--write-seconds", action="store_true", help=write)
    note = "note in a file how long each test takes that passes"
    parser.addoption("--note-seconds", metavar="FILE", help=note)
    check = "fail if a file takes longer than noted, in proportion to all, or a test far too long"
    parser.addoption("--check-seconds", action="store_true", help=check)
    part = "run the files of the K-th, from 0, of N shards that take like times"
    parser.addoption("--shard", metavar="K/N", help=part)


def pytest_configure(config):
    config.pluginmanager.register(Clock(config), "clock of files")
