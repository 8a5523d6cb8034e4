"""A plugin of pytest: the texts of the package's errors, each stored once in ``refusals.txt``.

A run fails if a test meets a text that is not in that file.  A run of all tests fails as well if no
test meets a stored text, unless a test was skipped that might meet it.  ``pytest
--write-refusals`` adds new texts; in a run of all tests it also removes unmet ones.
"""

import difflib

import pytest
from refusals import running

HEADER = "# The texts of refusals, written by: pytest --write-refusals"
#: Texts that no test meets that always runs: their tests are slow or need a package or program.
OPTIONAL = "# Met only by tests that are slow or need a package or a program"


def render(refusals):
    """Return the content of the file; ``refusals`` maps each text to whether it is optional."""
    lines = [HEADER]
    for is_optional in (False, True):
        lines += [OPTIONAL] * is_optional
        own = sorted(text for text, optional in refusals.items() if optional == is_optional)
        lines += [line for text in own for line in text.replace("\n", "\n  |").splitlines()]
    return "".join(f"{line}\n" for line in lines)


def parse(content):
    """Return the texts of a file, each with whether it is optional."""
    parts = content.replace("\n  |", "\0").partition(f"{OPTIONAL}\n")
    return {
        line.replace("\0", "\n"): is_optional
        for part, is_optional in ((parts[0], False), (parts[2], True))
        for line in part.splitlines()
        if line != HEADER
    }


def is_run_of_all(config):
    """Whether a run leaves out slow tests only."""
    options = ("keyword", "markexpr", "lf", "quick", "part", "deselect")
    limits = any(config.getoption(name, None) for name in options)
    return config.args_source is config.ArgsSource.TESTPATHS and not limits


class Comparison:
    """Compares the texts of a run with the stored ones; workers of xdist leave it to the master."""

    def __init__(self, config):
        self.config = config
        self.file = config.rootpath / "tests" / "refusals.txt"
        self.met = {}  # texts of tests that passed, each with whether it is optional
        self.is_whole = is_run_of_all(config)
        self.changes = []

    def stored(self):
        return parse(self.file.read_text(encoding="utf-8")) if self.file.exists() else {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item):
        running.append(item)
        try:
            return (yield)
        finally:
            running.pop()

    def pytest_collectreport(self, report):
        self.is_whole &= report.passed

    def pytest_runtest_logreport(self, report):
        is_optional = {"slow", "needs"} & set(report.keywords)
        self.is_whole &= report.passed or bool(report.skipped and is_optional)
        if report.when == "call" and report.passed:
            for name, found in report.user_properties:
                if name == "refusal":
                    text, is_optional = found
                    self.met[text] = is_optional and self.met.get(text, True)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session, exitstatus):
        if hasattr(self.config, "workeroutput") or self.config.option.collectonly:
            return
        stored = self.stored()
        kept = {x: y for x, y in stored.items() if y or not self.is_whole}
        found = kept | {x: y and stored.get(x, True) for x, y in self.met.items()}
        if self.config.getoption("--write-refusals"):
            self.file.write_text(render(found), encoding="utf-8")
        elif stored.keys() != found.keys():
            pair = (render(texts).splitlines() for texts in (stored, found))
            self.changes = [*difflib.unified_diff(*pair, "stored", "found", n=0, lineterm="")]
            if exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
                session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter):
        if self.changes:
            terminalreporter.section("refusals that differ from tests/refusals.txt")
            terminalreporter.write_line("\n".join(self.changes))
            terminalreporter.write_line("If this is intended: pytest --write-refusals, same tests.")


def pytest_addoption(parser):
    help = "write the texts of refusals that the tests of this run meet to tests/refusals.txt"
    parser.addoption("--write-refusals", action="store_true", help=help)


def pytest_configure(config):
    config.pluginmanager.register(Comparison(config), "comparison of refusals")
