"""Laws that hold for every model: of units, of rounding, of heading, at special poses.

A random model is plain data, from which the System is made.  In other units every output
scales by its dimension and every decision stays (what is undetermined, refused, how many
base parameters there are); moved by one unit in the last place of each rounded number, and
turned and moved in space, it gives the same.  A dense balance of all bodies in 50 digits, of
the data alone, says what is right.  Each second state has zeros, right angles or half turns;
left out are only states in which a rank differs from that of states nearby.
"""

import pytest
from described_models import RodCloser, random_chain, random_tree
from described_numbers import Numeric, near
from laws import broken, singular_parts
from marks import slow

MAKERS = {
    "tree": random_tree,
    "chain": random_chain,
    "planar": lambda seed: random_chain(seed, planar=True),
    "rod": lambda seed: random_chain(seed, closer=RodCloser),
}
#: The part of models that may be left out as singular, of each kind.
MOST = 0.15


def check(kind, seed):
    """Check all laws of one model, but those of parts that are singular."""
    model = MAKERS[kind](seed)
    wrong = list(broken(model, seed))
    assert not wrong, (model.name, wrong[:5])


#: Numbers of models; together all parts are asked for. Those that take seconds are slow.
FAST = {"tree": (2, 4), "chain": (2046,), "planar": (13,), "rod": (4,)}
DEAR = {
    "tree": (5, 6, 1319),
    "chain": (3, 8, 420, 462, 912, 2000),
    "planar": (3, 4, 6, 676, 706),
    "rod": (0, 1, 2, 3),
}


def pairs(numbers):
    return [(kind, seed) for kind, seeds in numbers.items() for seed in seeds]


@pytest.mark.parametrize(("kind", "seed"), [*pairs(FAST), *slow(pairs(DEAR))])
def test_laws(kind, seed):
    check(kind, seed)


@pytest.mark.slow
@pytest.mark.parametrize("kind", MAKERS)
def test_few_models_are_left_out(kind):
    """Of a hundred of those below, without any derivation."""
    models = [MAKERS[kind](seed) for seed in range(100, 1100, 10)]
    singular = [singular_parts(Numeric(model), near(model)) for model in models]
    assert sum(map(bool, singular)) < MOST * len(models)


@pytest.mark.slow
@pytest.mark.parametrize("start", range(100, 400, 10))
@pytest.mark.parametrize("kind", [*MAKERS][:3])
def test_laws_on_many_models(kind, start):
    """300 trees, 150 closed mechanisms and contacts in space and 150 in a plane."""
    for seed in range(start, start + 10, 1 if kind == "tree" else 2):
        check(kind, seed)
