"""A refusal is checked for class, argument and form; its text once for all tests that meet it."""

import re
import textwrap

import pytest
from refusals import parse, refused, render

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

    @pytest.mark.parametrize("number", range(9))
    def test_mass(number):
        refused(lambda: call("WORD"), "mass")
"""


def test_a_reworded_text_is_noticed_once(pytester):
    path = pytester.mkdir("tests") / "test_mass.py"
    file = path.with_name("refusals.txt")

    def run(word, *options):
        path.write_text(textwrap.dedent(TESTS.replace("WORD", word)))
        return pytester.runpytest("-prefusals", "-pno:zarr", "-pno:cacheprovider", *options)

    assert run("positive", "--write-refusals").ret == 0
    text = file.read_text()
    assert text.count("`mass` must be positive, got -1 in .../c.txt.") == 1
    assert render(parse(text)) == text.partition("\n")[2]
    assert run("positive", "-k", "7 or 8").ret == 0
    result = run("above zero")
    assert result.ret == 1
    result.assert_outcomes(passed=9)
    assert [x for x in result.outlines if re.match(r"[-+]\w", x)] == [
        "-ValueError: `mass` must be positive, got -1 in .../c.txt.",
        "+ValueError: `mass` must be above zero, got -1 in .../c.txt.",
    ]
    run("above zero", "-k", "7 or 8", "--write-refusals")
    assert sorted(map(len, parse(file.read_text()).values())) == [2, 7]
