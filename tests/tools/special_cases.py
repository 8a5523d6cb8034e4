"""Results of InverseDynamics for special trees at special states, against independent numbers."""

from functools import cached_property

import numpy as np
from balance import REGULAR, SINGULAR, balance_of
from numeric import evaluate
from numeric_tree import NumericTree
from special_states import special_states
from special_trees import special_tree
from sympy.physics.mechanics import dynamicsymbols

from jointwrench.mechanics.dynamics.loops.scaling import units_of_speeds
from jointwrench.mechanics.methods.inverse_dynamics import InverseDynamics

TOLERANCE = 1e-9
OUTPUTS = ("generalized_forces", "joint_wrenches", "solved_loads")


class SpecialCase:
    """A random tree with its results in a batch of states.

    Attributes: tree, states, and ``singular``: in how many of them nothing determines what is
    asked for (no length between the ends of a strut, gimbal lock, a closed gate).  There is
    nothing to compare then; the other states of the batch must not be disturbed.
    """

    def __init__(self, seed, **options):
        self.tree = special_tree(seed, **options)
        self.states = special_states(self.tree, seed)
        self.singular = 0

    def __repr__(self):
        return f"{self.tree!r} with {len(self.tree.unknowns)} unknowns"

    @cached_property
    def idyn(self):
        return InverseDynamics(self.tree.system, self.tree.unknowns)

    @cached_property
    def units(self):
        """What counts as one of the generalized force of each speed."""
        units = units_of_speeds(self.idyn.model.derivation.scalars)
        formulas = self.idyn.model.derivation.graph.to_sympy([unit.ref for unit in units])
        return np.array([evaluate(formula, self.tree.values) for formula in formulas])

    def numbers(self, symbols):
        """Return the values of symbols in all states, (states, symbols)."""
        return np.array([[state[symbol] for symbol in symbols] for state in self.states])

    def numeric(self, state):
        """Return the tree at a state, and its balance; points that coincide give NaN."""
        with np.errstate(invalid="ignore", divide="ignore"):
            numeric = NumericTree(self.tree, dict(state))
            return numeric, balance_of(numeric, self.units)

    def evaluate(self, backend="numpy", fixes_constants=False):
        """Return the Result for all states at once."""
        idyn = self.idyn
        constants = {symbol: self.tree.values[symbol] for symbol in idyn.constants}
        fixed = constants if fixes_constants else {}
        call = idyn.compile(OUTPUTS, constants=fixed, backend=backend)
        groups = (idyn.coordinates, idyn.speeds, idyn.accelerations)
        return call(
            *(self.numbers(group) for group in groups),
            constants={s: x for s, x in constants.items() if s not in fixed},
            specifieds={s: self.numbers([s])[:, 0] for s in idyn.specifieds},
            times=self.numbers([dynamicsymbols._t])[:, 0],
        )

    def mismatches(self, result):
        """Yield (state, what differs, by how much)."""
        loads = np.reshape(
            [result.solved_loads[x] for x in self.tree.unknowns], (-1, len(self.states))
        ).T
        rows = zip(loads, result.generalized_forces, result.joint_wrenches, strict=True)
        for k, (state, row) in enumerate(zip(self.states, rows, strict=True)):
            for what, error in self.compare(state, *row):
                if not error < TOLERANCE:
                    yield k, what, error

    def compare(self, state, loads, forces, wrenches):
        """Yield (what, error relative to the largest number in its balance) for a state."""
        numeric, balance = self.numeric(state)
        is_finite = all(np.isfinite(x).all() for x in (loads, forces, wrenches))
        if balance.condition > SINGULAR:
            self.singular += 1
            return
        if not is_finite:
            yield "not finite", np.nan
            return
        scaled = loads * balance.scales
        scale = max(1, *(np.abs(x).max(initial=0) for x in (scaled, balance.demanded)))
        yield "balance", largest(balance.matrix @ scaled + forces - balance.demanded) / scale
        weighted = forces / self.units**2
        yield "least squares", largest(balance.matrix.T @ weighted) / scale
        if balance.condition < REGULAR:
            yield "loads", largest(scaled - balance.loads) / scale
        numeric.values.update(zip(self.tree.unknowns, loads, strict=True))
        expected = numeric.joint_wrenches()
        yield "joint wrenches", largest(wrenches - expected) / max(scale, largest(expected))


def largest(array):
    """Return the largest magnitude."""
    return np.abs(array).max(initial=0.0)
