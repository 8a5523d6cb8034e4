"""The page on how the package was checked tells numbers of models: here they are counted."""

import itertools
import re
import sys
from pathlib import Path

import pytest
import test_kinematics
import test_laws
import test_oracle_kane
import test_random_closed_chains
import test_random_trees
import test_sizes
import test_slopes
import test_special_trees

PAGE = Path(__file__).parents[2] / "docs" / "explanation" / "checked.rst"

#: Tests of each line of the table; of those with loops over models, what they call for each.
COUNTED = [
    ("check", test_random_trees.test_laws, test_random_trees.test_laws_on_many_trees),
    (
        "check",
        test_special_trees.test_loads_and_unknowns,
        test_special_trees.test_five_hundred_trees,
    ),
    (None, test_kinematics.test_places_and_motions_of_random_trees_seen_by_anybody),
    (
        "check_generalized_forces",
        test_oracle_kane.test_generalized_forces,
        test_oracle_kane.test_generalized_forces_of_many,
    ),
    (None, test_random_closed_chains.test_systems_with_the_equations_of_their_loops),
    ("check", test_laws.test_laws, test_laws.test_laws_on_many_models),
    (None, test_sizes.test_what_made_a_motion_returns),
    (None, test_slopes.test_first_slopes),
    (None, test_slopes.test_second_slopes),
]


class Nothing(int):
    """What is found where no model is made: nothing singular, in one state."""

    singular, states = 0, (None,)


def models(test, asked, monkeypatch):
    """Yield the models of a test, and whether they are made on demand only."""
    found, marks = [], [mark for mark in test.pytestmark if mark.name == "parametrize"]
    if asked:
        made = lambda *args, **_: found.append(args) or Nothing()  # noqa: E731
        monkeypatch.setattr(sys.modules[test.__module__], asked, made)
    for rows in itertools.product(*(mark.args[1] for mark in marks)):
        given, tags = {}, list(test.pytestmark)
        for (names, _), row in zip((mark.args for mark in marks), rows, strict=True):
            names = [names] if isinstance(names, str) else names
            values = getattr(row, "values", row if len(names) > 1 else [row])
            given |= zip(names, values, strict=True)
            tags += getattr(row, "marks", ())
        if asked:
            test(**given)
        else:
            found.append(tuple(given.values()))
        on_demand = any(tag.name == "slow" for tag in tags)
        yield from ((model, on_demand) for model in found)
        found.clear()


@pytest.mark.parametrize("k", range(len(COUNTED)))
def test_numbers_of_models(k, monkeypatch):
    """At least those of the page, and not many more, so that it grows with the tests."""
    rows = re.findall(r"- ([\d,]+)\n +- ([\d,]+)\n +- ``(\w+)``\n", PAGE.read_text("utf-8"))
    (asked, *tests), (*told, module) = COUNTED[k], rows[k]
    assert len(rows) == len(COUNTED)
    assert {test.__module__ for test in tests} == {module}
    pairs = [pair for test in tests for pair in models(test, asked, monkeypatch)]
    found = len({model for model, on_demand in pairs if not on_demand}), len(dict(pairs))
    for low, count in zip((int(text.replace(",", "")) for text in told), found, strict=True):
        assert low <= count <= 1.1 * low + 2, f"{PAGE.name} must tell of {found} models here"
