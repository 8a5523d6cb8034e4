"""Numbers in files: one grammar for all formats."""

import math

import pytest

from jointwrench.records.text_numbers import is_number, parse_number


@pytest.mark.parametrize("text", ["1", "-1.5", "+.5", "1.", "1e3", "1E-03", "007", "1.25e+2"])
def test_numbers(text):
    assert is_number(text)
    assert parse_number(text) == float(text)


@pytest.mark.parametrize(
    "text", ["", "NaN", "-nan", "nan(ind)", "-1.#IND00", "1.#QNAN", "NA", "n/a"]
)
def test_missing_ones(text):
    assert math.isnan(parse_number(text))
    assert not is_number(text)


@pytest.mark.parametrize("text", ["inf", "-Infinity", "1.#INF00", "-1.#INF", "1e999", "-1e999"])
def test_infinite_ones(text):
    assert parse_number(text) == (-math.inf if text.startswith("-") else math.inf)


@pytest.mark.parametrize(
    "text",
    ["1_0", "\u0661\u0662", "\uff11", "0x10", "1e", ".", "-", "1 2", "1,5", "1d3", "\u0131nf"],
)
def test_what_is_none(text):
    """Python's own grammar has underscores and the digits of all scripts."""
    assert parse_number(text) is None
    assert not is_number(text)


def test_long_texts_take_no_longer_than_they_are():
    assert not is_number("1" * 1_000_000 + "x")
    assert is_number("0." + "1" * 1_000_000)
