"""A refusal is checked for class, argument and form; its text once for all tests that meet it."""

import re
import textwrap

import pytest
from refusal_texts import parse, render
from refusals import refused

from jointwrench.mechanics.mechanism.tree import TopologyError

pytest_plugins = ["pytester"]


@pytest.mark.parametrize(
    "error",
    [
        TypeError("`mass` must be positive, got -1."),
        TopologyError("mass", ["it is negative"]),
        ValueError("`length` must be positive, got -1."),
        ValueError("mass must be positive, got -1."),
        ValueError("A number above zero must be given for `mass`, got -1."),
        ValueError("`mass` is negative."),
    ],
)
def test_another_class_argument_or_form_fails(error):
    def call():
        raise error

    with pytest.raises((AssertionError, TypeError), match="mass"):
        refused(call, "mass")


def test_what_is_not_refused_fails():
    with pytest.raises(pytest.fail.Exception, match="DID NOT RAISE"):
        refused(int, "mass")


TESTS = """
    import pytest
    from refusals import refused

    def call(word):
        raise ValueError("`mass` must be %s, got -1 in /a/b/c.txt.\\n\\n- one" % word)

    @pytest.mark.MARK
    @pytest.mark.parametrize("number", range(9))
    def test_mass(number):
        refused(lambda: call("WORD"), "mass")
"""


@pytest.fixture
def run(pytester):
    """Run nine tests of one refusal, which ends with a word."""
    path = pytester.mkdir("tests") / "test_mass.py"
    pytester.makeini("[pytest]\ntestpaths = tests\nmarkers =\n    slow\n    needs")

    def run(word, *options, mark="filterwarnings('error')"):
        text = TESTS.replace("WORD", word).replace("MARK", mark)
        path.write_text(textwrap.dedent(text), encoding="utf-8")
        return pytester.runpytest("-prefusal_texts", "-pno:zarr", "-pno:cacheprovider", *options)

    run.file = path.with_name("refusals.txt")
    return run


def lines_of(result):
    return [x for x in result.outlines if re.match(r"[-+]\w", x)]


def test_a_reworded_text_is_reported_once(run):
    assert run("positive", "--write-refusals").ret == 0
    text = run.file.read_text(encoding="utf-8")
    assert text.count("`mass` must be positive, got -1 in .../c.txt.\n  |\n  |- one") == 1
    assert render(parse(text)) == text
    assert [*parse(text).values()] == [False]
    assert run("positive", "-k", "7 or 8").ret == 0
    result = run("above zero")
    assert result.ret == 1
    result.assert_outcomes(passed=9)
    before = "-ValueError: `mass` must be positive, got -1 in .../c.txt."
    after = "+ValueError: `mass` must be above zero, got -1 in .../c.txt."
    assert lines_of(result) == [before, after]


def test_only_a_run_of_all_tests_removes_texts(run):
    run("positive", "--write-refusals")
    part = run("above zero", "-k", "7 or 8")
    assert lines_of(part) == ["+ValueError: `mass` must be above zero, got -1 in .../c.txt."]
    run("above zero", "-k", "7 or 8", "--write-refusals")
    assert len(parse(run.file.read_text(encoding="utf-8"))) == 2
    assert run("above zero").ret == 1
    run("above zero", "--write-refusals")
    assert len(parse(run.file.read_text(encoding="utf-8"))) == 1


@pytest.mark.parametrize("mark", ["slow", "needs('no_such_package')"])
def test_texts_of_optional_tests_may_be_unmet(run, mark):
    run("positive", "--write-refusals", mark=mark)
    assert [*parse(run.file.read_text(encoding="utf-8")).values()] == [True]
    skip = f"skipif(True, reason='x')\n    @pytest.mark.{mark}"
    assert run("positive", mark=skip).ret == 0
    assert run("above zero", mark=mark).ret == 1


def test_a_skipped_test_may_meet_what_no_other_one_meets(run):
    run("positive", "--write-refusals")
    assert run("above zero", mark="skipif(True, reason='x')").ret == 0
