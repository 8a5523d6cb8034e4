"""The script that compares stable names and pages with those of the last release."""

import importlib.util
from pathlib import Path

import pytest

import jointwrench as jw

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def promises():
    path = ROOT / ".ci" / "promises.py"
    spec = importlib.util.spec_from_file_location("p", path)
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def test_stable_names_are_those_of_the_package(promises):
    names = promises.stable_names(ROOT)
    assert {"Wrench", "recordings.read_c3d", "pictures.animate"} <= {*names}
    assert {*names} <= promises.described(names).keys()


class TestDifferences:
    @staticmethod
    def found(promises, old, new):
        of = promises.signature
        return promises.differences({"f": of(old)}, {"f": of(new)} if new else {})

    NEW = (None, lambda b, a=1: None, lambda a, c=1: None, lambda a, b=2: None)
    NEW += (lambda a, *, b=1: None, lambda a, c, b=1: None, lambda a: None)

    @pytest.mark.parametrize("new", NEW)
    def test_what_callers_notice(self, promises, new):
        assert [*self.found(promises, lambda a, b=1: None, new)] == ["f"]

    @pytest.mark.parametrize("new", [lambda a, b=1: None, lambda a, b=1, *, c=2: None])
    def test_what_only_came_is_none(self, promises, new):
        assert self.found(promises, lambda a, b=1: None, new) == {}


def test_members_count(promises):
    assert "Wrench.about" in promises.described(["Wrench"])
    name = "Wrench.about"
    assert promises.described([name]) == {name: promises.signature(jw.Wrench.about)}


def test_names_in_the_changelog_are_the_last_parts(promises):
    head = "# Changelog\n\n## [Unreleased]\n"
    notes = f"{head}\n### Changed\n\n- `jw.ranges(idyn)` and `a.b`\n\n### Fixed\n\n- `c`\n"
    assert promises.changed_names(notes) == {"ranges", "idyn", "b"}


def test_examples_that_print_something_else_are_found(promises, tmp_path):
    (tmp_path / "docs").mkdir()
    page = ">>> 1 + 1\n2\n>>> [].first\n0\n>>> 3\n4\n"
    (tmp_path / "docs" / "page.rst").write_text(page, encoding="utf-8")
    (tmp_path / "docs" / "good.rst").write_text(">>> 1 + 1\n2\n", encoding="utf-8")
    ((where, why),) = promises.failing_examples(tmp_path).items()
    assert where == "page.rst:3"
    assert "AttributeError" in why
