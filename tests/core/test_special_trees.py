"""Random trees at states where things vanish, against independent numbers; the seed is the name.

Among constants, coordinates and rates are zeros, right angles, equal numbers and tiny ones; the
trees have quaternions, driven bases, gates in their loads, and loads that the motion determines.
"""

import pytest
from marks import slow
from special_cases import SpecialCase


def check(seed, is_actuated, backend="numpy", **options):
    """Compare a tree with the independent numbers; return the case."""
    case = SpecialCase(seed, is_actuated=is_actuated)
    mismatches = list(case.mismatches(case.evaluate(backend, **options)))
    assert not mismatches, case
    return case


@pytest.mark.parametrize("seed", [1, 2, 5, 7, *slow([0, 3, 4, 6, *range(8, 22)])])
def test_known_loads(seed):
    check(seed, is_actuated=False)


SEEDS = [1, 2, *range(4, 9), 10904, *slow([0, 3, *range(9, 33)])]


@pytest.mark.parametrize("seed", SEEDS)  # 10904: a gate that is open by 1e-12
def test_solved_loads(seed):
    check(seed, is_actuated=True)


@pytest.mark.parametrize("seed", [4])
def test_solved_loads_in_c(seed):
    check(seed, is_actuated=True, backend="c")


@pytest.mark.parametrize("seed", [5, 6])
def test_solved_loads_with_compiled_constants(seed):
    check(seed, is_actuated=True, fixes_constants=True)


@pytest.mark.slow
@pytest.mark.parametrize("start", range(10_000, 12_000, 50))
def test_two_thousand_trees(start):
    """Two of three are actuated, some are compiled by C, some with numbers for all constants."""
    states = singular = 0
    for seed in range(start, start + 50):
        backend = "c" if seed % 25 == 1 else "numpy"
        case = check(seed, seed % 3 > 0, backend, fixes_constants=seed % 5 == 2)
        states += len(case.states)
        singular += case.singular
    assert singular < 0.15 * states
