"""What is to be as small as possible: an integral over time, and terms at single instants."""

from dataclasses import dataclass
from typing import Any

from sympy import Add, Expr, Integral, S, Symbol, expand_mul

from ...checks.arguments import check_scalar


@dataclass(frozen=True)
class Objective:
    """The integral of an expression over time, plus another one of constants and instants."""

    integrand: Expr
    rest: Expr

    @classmethod
    def of(cls, expression: Any, time: Symbol) -> "Objective":
        """Return the parts of an expression with ``Integral(f, t)`` in it."""
        integrand, rest = S.Zero, S.Zero
        for term in Add.make_args(expand_mul(check_scalar("obj", expression), deep=False)):
            integrals = term.atoms(Integral)
            if not integrals:
                rest += term
                continue
            integral = integrals.pop()
            factor = (term / integral).cancel() if integrals else term / integral
            if integrals or factor.has(Integral, time) or integral.limits != ((time,),):
                raise ValueError(
                    f"`obj` must be a sum of Integral(f, {time}), times constants, and of terms at "
                    f"instants, got {term}. Use functions obj and obj_grad."
                )
            integrand += factor * integral.function
        return cls(integrand, rest)
