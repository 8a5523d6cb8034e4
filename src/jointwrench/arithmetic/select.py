"""One of two values, chosen while numbers are computed."""

from typing import Any

from sympy import Expr, Function, Piecewise, S


class Select(Function):
    """``Select(a, b, x, y)``: x where a > b, else y.

    Its derivative is that of the chosen value: what chooses between two ways to the same
    result has no slope.

    Examples
    ========

    >>> from sympy.abc import x
    >>> from jointwrench.arithmetic.select import Select
    >>> [Select(x, 1, 2 * x, 5).subs(x, value) for value in (0, 3)]
    [5, 6]
    >>> Select(x, 1, x**2, 5).diff(x).subs(x, 3)
    6
    """

    is_real = True

    @classmethod
    def eval(cls, left: Expr, right: Expr, one: Expr, other: Expr) -> Expr | None:
        """Return the chosen value where it is known."""
        if one == other:
            return one
        if left.is_number and right.is_number and left.is_comparable and right.is_comparable:
            return one if left > right else other
        return None

    def fdiff(self, argindex: int = 1) -> Expr:
        """Return the derivative by one of the arguments."""
        left, right, *_ = self.args
        if argindex < 3:
            return S.Zero
        return Select(left, right, S(int(argindex == 3)), S(int(argindex == 4)))

    def _eval_rewrite_as_Piecewise(
        self, left: Expr, right: Expr, one: Expr, other: Expr, **_: Any
    ) -> Expr:
        return Piecewise((one, left > right), (other, True))
