"""Compares the stable names, and the examples of all pages, with those of the last release.

    python .ci/promises.py      fails if a difference is not named in the changelog

The last release is the newest commit "Version X" or "Version X.Y", as ``.ci/release`` writes it.
Its page *Stable and provisional names* lists the stable names.  An argument or a public member that
went, was renamed, moved or got another default or kind is a difference; what only came is none.  Of
each page of the last release the first example that does not print what it printed is a difference.
Each must be named in backticks under *Breaking*, *Changed* or *Removed* of [Unreleased]: a stable
name by itself, an example by a name in its source or in its error.
"""

import doctest
import importlib
import inspect
import io
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import warnings
from pathlib import Path

ROOT = Path(__file__).parents[1]
STABILITY = Path("docs") / "project" / "stability.rst"
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def git(*command):
    """Return what a command of git prints; nothing where there is no repository."""
    return subprocess.run(["git", "-C", ROOT, *command], capture_output=True).stdout


def stable_names(tree):
    """Return the stable names of the page, with their name spaces: ``recordings.Event``."""
    page = (tree / STABILITY).read_text(encoding="utf-8").partition("Which names are which")[2]
    found = []
    for row in page.split("\n   * - ")[2:]:
        space, stable, _ = re.split(r"\n     -", row)
        names = re.findall(r"``(\w+)``", stable)
        prefix = re.search(r"``(\w+)``", space)[1].replace("jointwrench", "", 1)
        found += [f"{prefix}.{name}".lstrip(".") for name in names]
    return found


def signature(thing):
    """Return the arguments of a call: name, kind and default; nothing of what is not called."""
    try:
        parameters = inspect.signature(thing).parameters.values()
    except (TypeError, ValueError):
        return []
    kept = [x for x in parameters if not x.name.startswith("_")]
    return [[x.name, x.kind.name, repr(x.default).partition(" at 0x")[0]] for x in kept]


def described(names):
    """Return the arguments of stable names and of their public members, by name."""
    package, found = importlib.import_module("jointwrench"), {}
    for name in names:
        thing = package
        for part in name.split("."):
            thing = getattr(thing, part, None)
        if thing is not None:
            found[name] = signature(thing)
            members = dir(thing) if inspect.isclass(thing) else ()
            for member in (x for x in members if not x.startswith("_")):
                found[f"{name}.{member}"] = signature(inspect.getattr_static(thing, member))
    return found


def described_in(tree, names):
    """Return the same of the package in another tree, in a process of its own."""
    environment = {**os.environ, "PYTHONPATH": str(tree / "src")}
    command = [sys.executable, "-W", "ignore", __file__, *names]
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return json.loads(ran.stdout)


def differences(old, new):
    """Return what a caller of the old names would notice, by name."""
    found = {}
    for name, arguments in old.items():
        now = new.get(name)
        if now is None:
            found[name] = "is not there any more"
        elif [x for x in now if x in arguments] != arguments:
            found[name] = f"had the arguments {arguments}, has {now}"
        elif any(x[2] == repr(inspect.Parameter.empty) for x in now if x not in arguments):
            found[name] = f"has a new required argument: {now}"
    return found


class FirstFailure(doctest.DocTestRunner):
    """Keeps the first example of a page that fails: its source and what it printed."""

    found = None

    def report_failure(self, out, test, example, got):
        self.found = self.found or (example.lineno + 1, example.source, got)

    def report_unexpected_exception(self, out, test, example, exc_info):
        self.report_failure(out, test, example, f"{exc_info[0].__name__}: {exc_info[1]}")


def failing_examples(tree):
    """Return the first failing example of each page, by the page and its line."""
    found, folder = {}, tree / "docs"
    for path in sorted(folder.rglob("*.rst")):
        name, text = str(path.relative_to(folder)), path.read_text(encoding="utf-8")
        test = doctest.DocTestParser().get_doctest(text, {}, name, name, 0)
        runner = FirstFailure(optionflags=FLAGS | doctest.FAIL_FAST)
        runner.run(test, out=io.StringIO().write)
        if runner.found:
            line, source, got = runner.found
            found[f"{name}:{line}"] = f"{source.strip()}\nprints {got.strip()}"
    return found


def changed_names(notes):
    """Return the last names in backticks under Breaking, Changed and Removed: of `a.b`, b."""
    sections = notes.split("\n## [")[1].split("\n### ")
    text = " ".join(x for x in sections if x.startswith(("Breaking", "Changed", "Removed")))
    return {*re.findall(r"[A-Za-z_]\w*(?![\w.])", " ".join(re.findall(r"`([^`]+)`", text)))}


def main():
    pattern = r"^Version [0-9.]+$"
    release = git("log", "-1", "--format=%H", "-E", "--grep", pattern).decode().strip()
    if not release:
        print("Left out: promises of the last release, since this copy has no history.")
        return False
    notes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as scratch:
        tree = Path(scratch)
        with tarfile.open(fileobj=io.BytesIO(git("archive", release))) as archive:
            archive.extractall(tree, filter="data")
        released = (tree / "CHANGELOG.md").read_text(encoding="utf-8").split("\n## [", 2)[2]
        names = stable_names(tree)
        found = differences(described_in(tree, names), described(names))
        os.chdir(scratch)  # some pages write files
        pages = failing_examples(tree)
        os.chdir(ROOT)
    known = changed_names(notes)
    silent = {x: why for x, why in found.items() if x.split(".")[-1] not in known}
    silent |= {x: why for x, why in pages.items() if not known & {*re.findall(r"\w+", why)}}
    print(f"{len(names)} stable names, {len(found)} differences; {len(pages)} pages with one")
    for name, why in silent.items():
        print(f"\n{name} {why}\nThe changelog does not name it under Breaking, Changed or Removed.")
    if is_rewritten := not notes.rstrip().endswith(released.rstrip()):
        print("\nThe changelog's sections of releases are not those of the last release.")
    return bool(silent) or is_rewritten


if __name__ == "__main__":
    if sys.argv[1:]:
        print(json.dumps(described(sys.argv[1:])))
    else:
        warnings.simplefilter("ignore")
        sys.exit(main())
