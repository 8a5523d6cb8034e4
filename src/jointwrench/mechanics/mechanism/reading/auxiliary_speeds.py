"""The auxiliary speeds of a KanesMethod, and the reactions among its loads.

An auxiliary speed is zero.  sympy introduces it to compute a reaction, which is a load with power
only on auxiliary speeds.  Joint wrenches contain the reaction, and it is removed from the loads.
"""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from sympy import Expr, S, Symbol
from sympy.physics.mechanics import Torque
from sympy.physics.mechanics.loads import LoadBase
from sympy.physics.vector import ReferenceFrame, Vector

from ....checks.messages import warn
from ...spatial.components import leaves
from ..time_derivative import TimeDerivative
from .kinematics_check import are_close, stated_velocity
from .random_state import RandomState, UndefinedError


def auxiliary_zeros(auxiliary: Iterable[Expr], time: Symbol) -> dict[Expr, Expr]:
    """Return zero for each auxiliary speed and its first and second time derivative."""
    return {x: S.Zero for u in auxiliary for x in (u, u.diff(time), u.diff(time, 2))}


def without_reactions(
    loads: Sequence[LoadBase],
    auxiliary: Sequence[Expr],
    derivative: TimeDerivative,
    frame: ReferenceFrame,
    unknowns: Sequence[Expr] = (),
) -> tuple[LoadBase, ...]:
    """Return the loads without the reactions at auxiliary speeds, with a warning.

    A symbol is a reaction if loads contain it only as a factor of unit vectors, if these vectors
    have no power on ordinary speeds, and if the reactions' powers on auxiliary speeds are linearly
    independent.  The conditions are evaluated at a random state.

    Parameters
    ==========

    loads : sequence of Force or Torque
        The loads of the model.
    auxiliary : sequence of Expr
        The auxiliary speeds.
    derivative : TimeDerivative
        The time derivatives of the model, in which auxiliary speeds are not zero.
    frame : ReferenceFrame
        The inertial frame.
    unknowns : sequence of Expr, optional
        The symbols that the user solves for, which are never reactions.
    """
    if not auxiliary:
        return tuple(loads)
    reactions, doubtful = _reactions(loads, auxiliary, derivative, frame, unknowns)
    _warn(auxiliary, reactions, doubtful)
    zero_reactions = dict.fromkeys(reactions, 0)
    kept = []
    for load in loads:
        if leaves(_components(load.vector)).isdisjoint(reactions):
            kept.append(load)
        elif (rest := load.vector.xreplace(zero_reactions)) != 0:
            kept.append(type(load)(load.location, rest))
    return tuple(kept)


def _reactions(
    loads: Sequence[LoadBase],
    auxiliary: Sequence[Expr],
    derivative: TimeDerivative,
    frame: ReferenceFrame,
    unknowns: Sequence[Expr],
) -> tuple[list[Expr], list[Expr]]:
    """Return the reactions, and the other symbols in loads with power on auxiliary speeds.

    If the powers of all candidates are linearly dependent, none of them is a reaction: the
    auxiliary speeds do not determine their sizes, and they may be ordinary loads.
    """
    found = leaves(x for load in loads for x in _components(load.vector))
    speeds = [*derivative.speeds, *auxiliary]
    states = {derivative.time, *unknowns, *speeds, *(rate.args[0] for rate in derivative.rates)}
    state = RandomState(TimeDerivative(derivative.time, derivative.rates, tuple(speeds)))
    powers = {}
    for symbol in sorted((x for x in found - states if not x.is_Derivative), key=str):
        try:
            power = sum(_reaction_powers(loads, symbol, frame, state))
            power = derivative.in_speeds(power) if isinstance(power, Expr) else S.Zero
            powers[symbol] = state.values([power.diff(speed) for speed in speeds])
        except (UndefinedError, ValueError):  # not a reaction, or a velocity is unknown
            continue
    count = len(derivative.speeds)
    acting = {symbol: power for symbol, power in powers.items() if power[count:].any()}
    still = np.zeros(count)
    workless = {x: power[count:] for x, power in acting.items() if are_close(power[:count], still)}
    is_certain = workless and np.linalg.matrix_rank([*workless.values()]) == len(workless)
    reactions = [*workless] if is_certain else []
    return reactions, [symbol for symbol in acting if symbol not in reactions]


def _reaction_powers(
    loads: Iterable[LoadBase], symbol: Expr, frame: ReferenceFrame, state: RandomState
) -> Iterator[Expr]:
    """Yield the power of each load that contains a symbol, per unit of the symbol.

    Raise a ValueError if a load is not linear in the symbol, or the symbol's factor is not a unit
    vector.
    """
    for load in loads:
        if symbol in leaves(_components(load.vector)):
            unit = Vector([(matrix.diff(symbol), own) for matrix, own in load.vector.args])
            if symbol in leaves(_components(unit)):
                raise ValueError("not linear")
            for matrix, own in unit.args:
                size = state.components(Vector([(matrix, own)]), own)
                if not are_close(size @ size, np.ones(())):
                    raise ValueError("no unit vector")
            if isinstance(load, Torque):
                yield unit.dot(load.frame.ang_vel_in(frame))
            else:
                yield unit.dot(stated_velocity(load.point, frame))


def _components(vector: Vector) -> list[Expr]:
    return [component for matrix, _ in vector.args for component in matrix]


def _warn(auxiliary: Sequence[Expr], reactions: Sequence[Expr], doubtful: Sequence[Expr]) -> None:
    """Warn of auxiliary speeds, removed reactions, and loads that may be reactions but remain."""
    speeds = ", ".join(map(str, auxiliary))
    left_out = f", and the loads {', '.join(map(str, reactions))} are ignored" if reactions else ""
    hint = (
        f" The loads {', '.join(map(str, doubtful))} act on these speeds, too, but are kept: "
        "they have power on other speeds as well, or cannot be told apart. Those that are "
        "reactions of joints, loops or contacts are in their wrenches already: leave them out of "
        f"the loads, or set them to zero, as in {{{doubtful[0]}: 0}}."
        if doubtful
        else ""
    )
    warn(
        f"the auxiliary speeds {speeds} count as zero{left_out}: joint wrenches contain the "
        f"reactions that they reveal.{hint}"
    )
