"""Users' terms of generalized forces: expressions with unknown coefficients."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np
from sympy import Add, Expr, S, Symbol, sign, sympify, tanh

from .. import InverseDynamics
from ..checks.arguments import (
    check_choice,
    check_instance,
    check_mapping,
    check_sequence,
    enumerate_some,
    is_called,
    symbol_name,
)
from ..checks.numbers import check_positive, real_array
from ..extend import ACTUATOR_KINDS, Inputs, check_real, leaves
from .sample import Sample

#: The kinds of terms of `friction_terms`.
KINDS = ("offset", *ACTUATOR_KINDS, "asymmetric")


@dataclass(frozen=True)
class ExtraTerms:
    """Additional generalized forces: sums of unknown coefficients times expressions.

    Attributes
    ==========

    symbols : tuple of Symbol
        The coefficients.
    factors : mapping of (int, int) to Expr
        The factor of a coefficient in a force, by the indices of speed and coefficient.
    known : mapping of int to Expr
        Terms without coefficients, by the index of the speed.
    inputs : tuple of Expr
        Measured quantities on which the terms depend and the model does not.
    """

    symbols: tuple[Symbol, ...] = ()
    factors: Mapping[tuple[int, int], Expr] = field(default_factory=dict)
    known: Mapping[int, Expr] = field(default_factory=dict)
    inputs: tuple[Expr, ...] = ()

    @classmethod
    def of(cls, idyn: InverseDynamics, extra: Any, specifieds: Any = None) -> "ExtraTerms":
        """Return the terms of the user's mapping of speeds to expressions, checked."""
        if extra is None:
            return NO_TERMS
        if isinstance(extra, ExtraTerms):
            return extra
        given = check_instance("extra", extra, Mapping, "a mapping of speeds to expressions")
        states = (*idyn.coordinates, *idyn.speeds, *idyn.accelerations)
        known = {*states, *idyn.constants, *idyn.specifieds}
        measured = check_mapping("specifieds", specifieds)
        own = [x for x in measured if isinstance(x, Expr) and x not in known]
        terms = {_find_speed(idyn, key): _read_term(idyn, key, term) for key, term in given.items()}
        found = leaves(terms.values()) - known - {idyn.model.tree.time}
        symbols = sorted((x for x in found if x.is_Symbol and x not in own), key=str)
        if strangers := sorted(str(x) for x in found if not x.is_Symbol and x not in own):
            raise ValueError(
                f"`extra` must be of coordinates, speeds and udot of the model, got "
                f"{enumerate_some(strangers)}. Use idyn.coordinates, idyn.speeds and "
                "idyn.accelerations, and give what else was measured in `specifieds`."
            )
        factors, rest = {}, {}
        for speed, term in terms.items():
            for k, symbol in enumerate(symbols):
                factor = term.diff(symbol)
                if again := leaves([factor]) & set(symbols):
                    raise ValueError(
                        f"`extra` must be linear in its coefficients, got {symbol} beside "
                        f"{enumerate_some(sorted(map(str, again)))} in {term}. Use a number for "
                        "one of them, or compare some by `validate`."
                    )
                if factor != 0:
                    factors[speed, k] = factor
            if (remainder := term.xreplace(dict.fromkeys(symbols, S.Zero))) != 0:
                rest[speed] = remainder
        return cls(tuple(symbols), factors, rest, tuple(own))

    def __bool__(self) -> bool:
        return bool(self.factors or self.known)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the coefficients."""
        return tuple(symbol.name for symbol in self.symbols)

    def coefficients(self, idyn: InverseDynamics, sample: Sample) -> np.ndarray:
        """Return the factors of the coefficients along a sample, (N, speeds, coefficients)."""
        values = self._evaluate(idyn, sample, [*self.factors.values()])
        result = np.zeros((len(values), len(idyn.speeds), len(self.symbols)))
        for place, (speed, k) in enumerate(self.factors):
            result[:, speed, k] = values[:, place]
        return result

    def forces(self, idyn: InverseDynamics, sample: Sample) -> np.ndarray:
        """Return the forces of the terms without coefficients, shape (N, speeds)."""
        result = np.zeros((prod(sample.batch), len(idyn.speeds)))
        result[:, [*self.known]] = self._evaluate(idyn, sample, [*self.known.values()])
        return result

    def _evaluate(self, idyn: InverseDynamics, sample: Sample, terms: Sequence[Expr]) -> np.ndarray:
        """Return the values of expressions at all samples, shape (N, expressions)."""
        numbers = {x: sympify(value) for x, value in sample.numbers.items()}
        plain = [term.xreplace(numbers) for term in terms]
        groups = idyn.coordinates, idyn.speeds, idyn.accelerations
        states = zip(groups, sample.states, strict=True)
        columns = {x: array[..., k] for xs, array in states for k, x in enumerate(xs)}
        given = {idyn.model.tree.time: sample.times, **(sample.specifieds or {})}
        used = [*leaves(plain)]
        if missing := [str(x) for x in used if x not in columns and given.get(x) is None]:
            raise ValueError(
                f"`specifieds` and `constants` must have values for {enumerate_some(missing)}, on "
                "which extra terms depend."
            )
        more = {x: real_array(f"specifieds[{x}]", given[x]) for x in used if x not in columns}
        columns, count = columns | more, prod(sample.batch)
        known = {x: np.broadcast_to(columns[x], sample.batch).reshape(-1) for x in used}
        values = np.broadcast_to(Inputs(known, {}).evaluate(plain), (count, len(plain)))
        is_given = np.all([np.ones(count), *map(np.isfinite, known.values())], axis=0)
        is_wrong = ~np.isfinite(values) & is_given[:, None]
        if is_wrong.any():
            wrong = [str(terms[int(k)]) for k in np.flatnonzero(is_wrong.any(axis=0))]
            raise ValueError(
                f"`extra` must be finite along the motion, got {enumerate_some(wrong)} at "
                f"{int(is_wrong.any(axis=1).sum())} of {count} samples. Use terms that have values "
                "for all coordinates and speeds, or leave these samples out."
            )
        return values


#: No terms at all.
NO_TERMS = ExtraTerms()


def _find_speed(idyn: InverseDynamics, key: Any) -> int:
    """Return the index of a speed from the speed or its name."""
    found = [k for k, speed in enumerate(idyn.speeds) if is_called(speed, key)]
    if len(found) != 1:
        known = ", ".join(map(str, idyn.speeds))
        raise ValueError(f"`extra` must be of speeds among {known}, got {key}.")
    return found[0]


def _read_term(idyn: InverseDynamics, key: Any, term: Any) -> Expr:
    """Return a term with the coordinates' time derivatives replaced by the model's rates."""
    term = check_real(f"extra[{key}]", term)
    time, pairs = idyn.model.tree.time, zip(idyn.coordinates, idyn.model.tree.rates, strict=True)
    return term.xreplace({q.diff(time): rate for q, rate in pairs})


def friction_terms(
    speeds: Iterable[Any], *kinds: str, smooth: float | None = None
) -> dict[Expr, Expr]:
    """Return friction forces by speed: expressions with unknown coefficients of usual kinds.

    They are additional forces of each joint, for ``identify(..., extra=...)``; add your own
    expressions to them, such as ``c * sign(u) * exp(-(u / 0.05)**2)`` of Stribeck.  Coefficients
    are named by the kind and the speed: "viscous u_1"; "Coulomb+ u_1" and "Coulomb- u_1" if
    asymmetric; "viscous u_1 + u_2" for a drive that moves two joints.

    Parameters
    ==========

    speeds : iterable of speeds or Expr
        Speeds of the joints with friction, ``idyn.speeds``; a sum for a drive that moves several
        joints, as in coupled wrists: its friction acts in each of them.
    *kinds : {"offset", "viscous", "Coulomb", "rotor", "asymmetric"}
        The terms: a constant torque; u; sign(u); udot, the inertia of the motor; different Coulomb
        friction for each direction (instead of "Coulomb" and "offset").
    smooth : float, optional
        Replaces sign(u) by tanh(u/smooth), which is three quarters at this speed.  For noisy speeds
        near zero.

    Raises
    ======

    ValueError
        If a kind is unknown, a number is not positive, or a drive's speed is not a sum of multiples
        of speeds.

    See Also
    ========

    identify : Takes them as ``extra``.

    Examples
    ========

    >>> import jointwrench as jw
    >>> from sympy.physics.mechanics import dynamicsymbols
    >>> u = dynamicsymbols("u")
    >>> jw.identification.friction_terms([u], "offset", "Coulomb", smooth=0.02)[u]
    Coulomb u*tanh(50.0*u(t)) + offset u

    A wrist whose last motor moves with both joints:

    >>> u, v = dynamicsymbols("u v")
    >>> terms = jw.identification.friction_terms([u, u + v], "viscous")
    >>> terms[v]
    viscous u + v*(u(t) + v(t))
    >>> sorted(x.name for x in terms[u].free_symbols if x.name != "t")
    ['viscous u', 'viscous u + v']
    """
    for kind in kinds:
        check_choice("kinds", kind, KINDS)
    width = None if smooth is None else 1 / check_positive("smooth", smooth)
    given = check_sequence("speeds", speeds, "a sequence of speeds")
    terms: dict[Expr, Expr] = {}
    for u in (check_real("speeds", speed) for speed in given):
        factors = {joint: u.diff(joint) for joint in sorted(leaves([u]), key=str)}
        is_sum = not leaves(factors.values()) and u.xreplace(dict.fromkeys(factors, S.Zero)) == 0
        if not factors or not is_sum:
            raise ValueError(f"`speeds` must be speeds or sums of multiples of them, got {u}.")
        side = sign(u) if width is None else tanh(width * u)
        shapes = {
            "offset": {"offset": S.One},
            "viscous": {"viscous": u},
            "Coulomb": {"Coulomb": side},
            "rotor": {"rotor": u.diff(next(iter(factors)).args[0])},
            "asymmetric": {"Coulomb+": (1 + side) / 2, "Coulomb-": (side - 1) / 2},
        }
        name = str(u.xreplace({x: Symbol(symbol_name(x)) for x in factors}))
        own = {key: shape for kind in kinds for key, shape in shapes[kind].items()}
        total = Add(*(Symbol(f"{key} {name}") * shape for key, shape in own.items()))
        for joint, factor in factors.items():
            terms[joint] = terms.get(joint, S.Zero) + factor * total
    return terms
