"""Terms of the user's own in generalized forces: expressions with unknown coefficients."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sympy import Add, Expr, S, Symbol, exp, sign, sympify, tanh

from ...arithmetic.array_functions import array_function
from ...checks.arguments import (
    check_choice,
    check_instance,
    check_mapping,
    check_scalar,
    check_sequence,
    enumerate_some,
    is_called,
    symbol_name,
)
from ...checks.numbers import check_positive, real_array
from ...dynamics.outputs.regressor import ACTUATOR_KINDS
from ...methods.inverse_dynamics import InverseDynamics
from ...spatial.leaves import leaves, time_of
from .sample import Sample

#: The terms of which `friction_terms` makes expressions.
KINDS = ("offset", *ACTUATOR_KINDS, "asymmetric", "Stribeck", "cubic")


@dataclass(frozen=True)
class ExtraTerms:
    """What joints supply on top: sums of coefficients, which are sought, times expressions.

    ``slopes``, by the numbers of speed and coefficient; ``known``, by the number of the speed: what
    has no coefficient; ``inputs``: quantities that are none of the model's.
    """

    symbols: tuple[Symbol, ...] = ()
    slopes: Mapping[tuple[int, int], Expr] | None = None
    known: Mapping[int, Expr] | None = None
    inputs: tuple[Expr, ...] = ()

    @classmethod
    def of(cls, idyn: InverseDynamics, extra: Any, specifieds: Any = None) -> "ExtraTerms":
        """Return the terms of a mapping of speeds to expressions, checked."""
        if extra is None:
            return NONE
        if isinstance(extra, ExtraTerms):
            return extra
        given = check_instance("extra", extra, Mapping, "a mapping of speeds to expressions")
        known = {*idyn.coordinates, *idyn.speeds, *idyn.accelerations, *idyn.constants}
        known |= set(idyn.specifieds)
        own = [
            x
            for x in check_mapping("specifieds", specifieds)
            if isinstance(x, Expr) and x not in known
        ]
        terms = {_speed(idyn, key): _expression(idyn, key, term) for key, term in given.items()}
        found = leaves(terms.values()) - known - {time_of(idyn.speeds)}
        symbols = sorted((x for x in found if x.is_Symbol and x not in own), key=str)
        if strangers := sorted(str(x) for x in found if not x.is_Symbol and x not in own):
            raise ValueError(
                f"`extra` must be of coordinates, speeds and udot of the model, got "
                f"{enumerate_some(strangers)}. Use idyn.coordinates, idyn.speeds and "
                "idyn.accelerations, and give what else was measured in `specifieds`."
            )
        slopes, rest = {}, {}
        for speed, term in terms.items():
            for k, symbol in enumerate(symbols):
                slope = term.diff(symbol)
                if again := leaves([slope]) & set(symbols):
                    raise ValueError(
                        f"`extra` must be linear in its coefficients, got {symbol} beside "
                        f"{enumerate_some(sorted(map(str, again)))} in {term}. Use a number for "
                        "one of them, or cross_validate over some."
                    )
                if slope != 0:
                    slopes[speed, k] = slope
            if (left := term.xreplace(dict.fromkeys(symbols, S.Zero))) != 0:
                rest[speed] = left
        return cls(tuple(symbols), slopes, rest, tuple(own))

    def __bool__(self) -> bool:
        return bool(self.slopes or self.known)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the coefficients."""
        return tuple(symbol.name for symbol in self.symbols)

    def coefficients(self, idyn: InverseDynamics, sample: Sample) -> np.ndarray:
        """Return what coefficients are multiplied by, shape (N, speeds, coefficients)."""
        values = self._evaluated(idyn, sample, list((self.slopes or {}).values()))
        result = np.zeros((len(values), len(idyn.speeds), len(self.symbols)))
        for place, (speed, k) in enumerate(self.slopes or {}):
            result[:, speed, k] = values[:, place]
        return result

    def forces(self, idyn: InverseDynamics, sample: Sample) -> np.ndarray:
        """Return what has no coefficient, shape (N, speeds)."""
        known = self.known or {}
        result = np.zeros((int(np.prod(sample.batch)), len(idyn.speeds)))
        result[:, [*known]] = self._evaluated(idyn, sample, list(known.values()))
        return result

    def _evaluated(
        self, idyn: InverseDynamics, sample: Sample, expressions: Sequence[Expr]
    ) -> np.ndarray:
        numbers = {x: sympify(value) for x, value in sample.numbers.items()}
        plain = [expression.xreplace(numbers) for expression in expressions]
        groups = idyn.coordinates, idyn.speeds, idyn.accelerations
        states = zip(groups, sample.states, strict=True)
        columns = {x: array[..., k] for xs, array in states for k, x in enumerate(xs)}
        given, time = {**(sample.specifieds or {})}, time_of(idyn.speeds)
        if sample.times is not None:
            given[time] = sample.times
        used = [x for x in leaves(plain)]
        if missing := [str(x) for x in used if x not in columns and x not in given]:
            raise ValueError(
                f"`specifieds` and `constants` must have values for {enumerate_some(missing)}, on "
                "which extra terms depend."
            )
        for x in used:
            if x not in columns:
                columns[x] = real_array(f"specifieds[{x}]", given[x])
        shaped = [np.broadcast_to(columns[x], sample.batch).reshape(-1) for x in used]
        count = int(np.prod(sample.batch))
        stacked = np.stack(shaped, -1) if shaped else np.zeros((count, 0))
        with np.errstate(all="ignore"):
            values = array_function([used], plain)(stacked)
        is_wrong = ~np.isfinite(values) & np.isfinite(stacked).all(axis=-1, keepdims=True)
        if is_wrong.any():
            wrong = [str(expressions[int(k)]) for k in np.flatnonzero(is_wrong.any(axis=0))]
            raise ValueError(
                f"`extra` must be finite along the motion, got {enumerate_some(wrong)} at "
                f"{int(is_wrong.any(axis=1).sum())} of {count} samples. Use terms that have values "
                "for all coordinates and speeds, or leave these samples out."
            )
        return values


#: No terms at all.
NONE = ExtraTerms()


def _speed(idyn: InverseDynamics, key: Any) -> int:
    """Return the number of a speed, given itself or by its name."""
    found = [k for k, speed in enumerate(idyn.speeds) if is_called(speed, key)]
    if len(found) != 1:
        known = ", ".join(map(str, idyn.speeds))
        raise ValueError(f"`extra` must be of speeds among {known}, got {key}.")
    return found[0]


def _expression(idyn: InverseDynamics, key: Any, term: Any) -> Expr:
    """Return an expression in which derivatives are those that the model has."""
    term = check_scalar(f"extra[{key}]", term)
    time, pairs = time_of(idyn.speeds), zip(idyn.coordinates, idyn.model.tree.rates, strict=True)
    return term.xreplace({q.diff(time): rate for q, rate in pairs})


def friction_terms(
    speeds: Iterable[Any], *kinds: str, smooth: float | None = None, stribeck: float | None = None
) -> dict[Expr, Expr]:
    """Return friction of the usual kinds as expressions with unknown coefficients.

    For ``identify(..., extra=...)``; sums with expressions of one's own are welcome.

    Parameters
    ==========

    speeds : iterable of speeds or Expr
        Speeds of the joints that have it, ``idyn.speeds``; a sum for a drive that turns several
        joints, as in coupled wrists: what it supplies acts in each of them.
    *kinds : {"offset", "viscous", "Coulomb", "rotor", "asymmetric", "Stribeck", "cubic"}
        Which terms: a constant torque; u; sign(u); udot, the inertia of the motor; Coulomb friction
        of its own for each direction (in place of "Coulomb" and "offset"); more friction at low
        speeds, sign(u) exp(-(u/stribeck)**2); u**3.
    smooth : float, optional
        Replaces sign(u) by tanh(u/smooth): at this speed friction is three quarters of its full
        size.  For noisy speeds around zero.
    stribeck : float, optional
        At this speed a third is left of what "Stribeck" adds.

    Returns
    =======

    dict of speeds to Expr
        What each joint supplies on top.  Coefficients are called by the kind and the name of the
        speed: "viscous u_1"; "Coulomb+ u_1" and "Coulomb- u_1" where they are asymmetric;
        "viscous u_1 + u_2" of a drive that turns two.

    Raises
    ======

    ValueError
        If a kind is unknown, "Stribeck" has no speed, a number is not positive, or a drive's speed
        is no sum of multiples of speeds.

    See Also
    ========

    identify : Takes them as ``extra``.

    Examples
    ========

    >>> import jointwrench as jw
    >>> from sympy.physics.mechanics import dynamicsymbols
    >>> u = dynamicsymbols("u")
    >>> jw.friction_terms([u], "offset", "Coulomb", smooth=0.02)[u]
    Coulomb u*tanh(50.0*u(t)) + offset u

    A wrist whose last motor turns with both joints:

    >>> u, v = dynamicsymbols("u v")
    >>> terms = jw.friction_terms([u, u + v], "viscous")
    >>> terms[v]
    viscous u + v*(u(t) + v(t))
    >>> sorted(x.name for x in terms[u].free_symbols if x.name != "t")
    ['viscous u', 'viscous u + v']
    """
    for kind in kinds:
        check_choice("kinds", kind, KINDS)
    if "Stribeck" in kinds and stribeck is None:
        raise ValueError('`stribeck` must be given for "Stribeck". Use stribeck=0.05.')
    width = None if smooth is None else 1 / check_positive("smooth", smooth)
    given = check_sequence("speeds", speeds, "a sequence of speeds")
    terms: dict[Expr, Expr] = {}
    for u in (check_scalar("speeds", speed) for speed in given):
        slopes = {joint: u.diff(joint) for joint in sorted(leaves([u]), key=str)}
        is_sum = not leaves(slopes.values()) and u.xreplace(dict.fromkeys(slopes, S.Zero)) == 0
        if not slopes or not is_sum:
            raise ValueError(f"`speeds` must be speeds or sums of multiples of them, got {u}.")
        side = sign(u) if width is None else tanh(width * u)
        shapes = {
            "offset": {"offset": S.One},
            "viscous": {"viscous": u},
            "Coulomb": {"Coulomb": side},
            "rotor": {"rotor": u.diff(time_of(slopes))},
            "asymmetric": {"Coulomb+": (1 + side) / 2, "Coulomb-": (side - 1) / 2},
            "cubic": {"cubic": u**3},
        }
        if stribeck is not None:
            falling = exp(-((u / check_positive("stribeck", stribeck)) ** 2))
            shapes["Stribeck"] = {"Stribeck": side * falling}
        name = str(u.xreplace({x: Symbol(symbol_name(x)) for x in slopes}))
        own = {key: shape for kind in kinds for key, shape in shapes[kind].items()}
        total = Add(*(Symbol(f"{key} {name}") * shape for key, shape in own.items()))
        for joint, slope in slopes.items():
            terms[joint] = terms.get(joint, S.Zero) + slope * total
    return terms
