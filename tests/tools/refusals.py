"""What the package refuses, and how it says so: the texts stand once, in ``tests/refusals.txt``.

A part of pytest, too: at the end of a run the texts of the tests that passed are compared with that
file, and ``pytest --write-refusals`` takes them over.
"""

import contextlib
import difflib
import re
import tempfile
from collections import defaultdict
from pathlib import Path

import pytest

HEADER = "# Refusals and the tests that meet them, written by: pytest --write-refusals\n"
BEGIN = re.compile(r"(?:\w+(?: '[^']*')?:(?: |\n- ))?`(\w+)[^`]*`")

#: What differs from run to run, or is the word of another program.
VARYING = [
    (re.compile(r"0x[0-9a-f]*\.\.\.|0x[0-9a-f]{4,}"), "0x..."),
    (re.compile(r"(Posix|Windows)Path\('[^' ]*('\)|(?=\. Use))"), "Path(...)"),
    (re.compile(r"(?<![\w.<)])(?:/[\w.+-]+)+/(?=[\w.+-])"), ".../"),
    (re.compile(r"\.\.\./test_\w+\d"), ".../test"),
    (re.compile(r"\b(jointwrench|opty|pydy|sympy) \d[\w.]*\w"), r"\1 0.0"),
    (re.compile(r"(?<=xacro says: ).*(?= Xacro opens)"), "..."),
    (re.compile(r"(?<=got another one \().*(?=\)\.$)"), "..."),
]


@contextlib.contextmanager
def refusal(argument, error=ValueError):
    """Expect that the block raises ``error`` itself, with a text that begins with ``argument``.

    ``None`` is for what is no argument: a file's line, a column, a name of a module.
    """
    with pytest.raises(error) as caught:
        yield caught
    text = said(caught.value)
    given = error if isinstance(error, tuple) else (error,)
    assert type(caught.value) in given, f"{type(caught.value).__name__}: {text}"
    begin = BEGIN.match(text)
    assert (begin and begin[1]) == argument, text
    assert argument is None or " must " in text, text
    _running[-1].user_properties.append(("refusal", f"{type(caught.value).__name__}: {text}"))


def refused(call, argument, error=ValueError):
    """Return the error by which ``call`` refuses this argument."""
    with refusal(argument, error) as caught:
        call()
    return caught.value


def said(error):
    """Return the text of an error without what differs from run to run."""
    text = str(error.args[0]) if isinstance(error, KeyError) else str(error)
    for place in (str(Path.cwd()), tempfile.gettempdir()):
        text = text.replace(place, "/folder")
    for pattern, word in VARYING:
        text = pattern.sub(word, text)
    return "\n".join(line.rstrip() for line in text.splitlines())


def render(refusals):
    """Return texts, each with the tests that meet it, in the order of these tests."""
    lines = []
    for text, tests in sorted(refusals.items(), key=lambda item: (min(item[1]), item[0])):
        lines += [text, *(f"    {test}" for test in sorted(tests))]
    return "".join(f"{line}\n" for line in lines)


def parse(content):
    """Return the texts of a file and the tests that meet each."""
    found, text, tests = defaultdict(set), [], set()
    for line in content.removeprefix(HEADER).splitlines():
        if line.startswith("    tests/"):
            tests.add(line.strip())
            found["\n".join(text)] = tests
        else:
            text, tests = ([], set()) if tests else (text, tests)
            text.append(line)
    return found


def restricted(refusals, is_meant):
    """Return the part of these tests, without texts that none of them meets."""
    kept = {text: set(filter(is_meant, tests)) for text, tests in refusals.items()}
    return {text: tests for text, tests in kept.items() if tests}


def difference(stored, found):
    """Return in which texts two tables of refusals differ, as a diff of few lines."""
    same = {text for text in stored if stored[text] == found.get(text)}
    tables = (
        render({text: tests for text, tests in table.items() if text not in same}).splitlines()
        for table in (stored, found)
    )
    return list(difflib.unified_diff(*tables, "stored", "found", n=1, lineterm=""))


_running = []  # the test that runs, within the one that runs it


class Comparison:
    """The texts of this run beside the stored ones; workers of xdist leave it to their master."""

    def __init__(self, config):
        self.config = config
        self.file = config.rootpath / "tests" / "refusals.txt"
        self.met = {}  # the texts of each test that passed
        self.gone = set()  # stored tests that the files that were read do not have
        self.changes = []

    def stored(self):
        return parse(self.file.read_text(encoding="utf-8")) if self.file.exists() else {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, items):
        if not any("::" in argument for argument in self.config.args):
            known = {item.nodeid for item in items}
            files = {test.partition("::")[0] for test in known}
            tests = set().union(*self.stored().values()) - known
            self.gone = {test for test in tests if test.partition("::")[0] in files}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item):
        _running.append(item)
        try:
            return (yield)
        finally:
            _running.pop()

    def pytest_runtest_logreport(self, report):
        if report.when == "call" and report.passed:
            texts = {text for name, text in report.user_properties if name == "refusal"}
            self.met[report.nodeid] = texts

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node):
        self.gone.update(getattr(node, "workeroutput", {}).get("gone", ()))

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session, exitstatus):
        if hasattr(self.config, "workeroutput"):
            self.config.workeroutput["gone"] = sorted(self.gone)
            return
        if self.config.option.collectonly:
            return
        found = defaultdict(set)
        for test, texts in self.met.items():
            for text in texts:
                found[text].add(test)
        if self.config.getoption("--write-refusals"):
            for text, tests in restricted(self.stored(), lambda x: not self.is_due(x)).items():
                found[text] |= tests
            self.file.write_text(HEADER + render(found), encoding="utf-8")
            return
        self.changes = difference(restricted(self.stored(), self.is_due), found)
        if self.changes and exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def is_due(self, test):
        """Return whether this run says what a stored test meets: it ran, or is no more."""
        file = self.config.rootpath / test.partition("::")[0]
        return test in self.met or test in self.gone or not file.exists()

    def pytest_terminal_summary(self, terminalreporter):
        if self.changes:
            terminalreporter.section("refusals that read otherwise than in tests/refusals.txt")
            terminalreporter.write_line("\n".join(self.changes))
            terminalreporter.write_line("If they should: pytest --write-refusals and these tests.")


def pytest_addoption(parser):
    parser.addoption(
        "--write-refusals",
        action="store_true",
        help="take the texts of refusals that the tests of this run meet into tests/refusals.txt",
    )


def pytest_configure(config):
    config.pluginmanager.register(Comparison(config), "comparison of refusals")
