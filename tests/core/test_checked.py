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
    {
        test_random_trees.test_laws: None,
        test_random_trees.test_laws_on_many_trees: "check",
    },
    {
        test_special_trees.test_loads_and_unknowns: None,
        test_special_trees.test_five_hundred_trees: "check",
    },
    {test_kinematics.test_places_and_motions_of_random_trees_seen_by_anybody: None},
    {
        test_oracle_kane.test_generalized_forces: None,
        test_oracle_kane.test_generalized_forces_of_many: "check_generalized_forces",
    },
    {test_random_closed_chains.test_systems_with_the_equations_of_their_loops: None},
    {test_laws.test_laws: "check", test_laws.test_laws_on_many_models: "check"},
    {test_sizes.test_what_made_a_motion_returns: None},
    {test_slopes.test_first_slopes: None},
    {test_slopes.test_second_slopes: None},
]


class Nothing(int):
    """What is found where no model is made: nothing singular, in one state."""

    singular, states = 0, (None,)


def parameters(test):
    """Yield what each call of a test gets by name, and whether it is made on demand only."""
    marks = [mark for mark in test.pytestmark if mark.name == "parametrize"]
    for sets in itertools.product(*(mark.args[1] for mark in marks)):
        given, tags = {}, list(test.pytestmark)
        for mark, row in zip(marks, sets, strict=True):
            names, values = mark.args[0], getattr(row, "values", row)
            tags += getattr(row, "marks", ())
            alone = isinstance(names, str)
            if alone and values is not row:
                (values,) = values
            given |= {names: values} if alone else dict(zip(names, values, strict=True))
        yield given, any(tag.name == "slow" for tag in tags)


def models(test, asked, monkeypatch):
    """Yield the models of a test, and whether they are made on demand only."""
    module, found = sys.modules[test.__module__], []
    if asked:
        monkeypatch.setattr(module, asked, lambda *args, **_: found.append(args) or Nothing())
    for given, on_demand in parameters(test):
        if asked:
            test(**given)
        else:
            found.append((test.__name__, *given.values()))
        yield from ((model, on_demand) for model in found)
        found.clear()


def table():
    """Return the two numbers of each line of the page's table, and the modules it names."""
    rows = PAGE.read_text(encoding="utf-8").partition("widths: ")[2].split("\n   * - ")[2:]
    cells = [re.split(r"\n     - ", row.partition("\n\n")[0]) for row in rows]
    return [
        [
            int(by_default.replace(",", "")),
            int(total.replace(",", "")),
            re.findall(r"``(\w+)``", where),
        ]
        for *_, by_default, total, where in cells
    ]


@pytest.mark.parametrize("k", range(len(COUNTED)))
def test_numbers_of_models(k, monkeypatch):
    """At least those of the page, and not many more, so that it grows with the tests."""
    tests, lines = COUNTED[k], table()
    assert len(lines) == len(COUNTED)
    pairs = [pair for test, asked in tests.items() for pair in models(test, asked, monkeypatch)]
    by_default = {model for model, on_demand in pairs if not on_demand}
    *told, modules = lines[k]
    found = len(by_default), len({model for model, _ in pairs})
    assert modules == list(dict.fromkeys(test.__module__ for test in tests))
    for low, count in zip(told, found, strict=True):
        assert low <= count <= 1.1 * low + 2, f"{PAGE.name} must tell of {found} models here"
