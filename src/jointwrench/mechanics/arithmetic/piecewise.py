"""Functions that are printed as a Piecewise: selections, gates, checks and steps."""

from typing import Any

from sympy import Eq, Expr, Function, Or, Piecewise, S, StrictLessThan


class _PiecewiseFunction(Function):
    """A real function that generated code contains as a Piecewise."""

    is_real = True

    def _ccode(self, printer: Any, **_: Any) -> str:
        # inner functions print themselves
        return printer._print(self.rewrite(Piecewise, deep=False))

    _numpycode = _pythoncode = _mpmathcode = _ccode


class Select(_PiecewiseFunction):
    """``Select(a, b, x, y)``: x where a > b, else y, two expressions for the same quantity.

    Its derivative is that of the selected value: a and b have no effect on it.

    Examples
    ========

    >>> from sympy.abc import x
    >>> from jointwrench.mechanics.arithmetic.piecewise import Select
    >>> [Select(x, 1, 2 * x, 5).subs(x, value) for value in (0, 3)]
    [5, 6]
    >>> Select(x, 1, x**2, 5).diff(x).subs(x, 3)
    6
    """

    @classmethod
    def eval(cls, left: Expr, right: Expr, one: Expr, other: Expr) -> Expr | None:
        """Return the selected value if a and b are numbers or x and y are equal, else None."""
        if one == other:
            return one
        if left.is_number and right.is_number and left.is_comparable and right.is_comparable:
            return one if left > right else other
        return None

    def _eval_derivative(self, s: Expr) -> Expr:
        left, right, one, other = self.args
        return self.func(left, right, one.diff(s), other.diff(s))

    def _eval_rewrite_as_Piecewise(
        self, left: Expr, right: Expr, one: Expr, other: Expr, **_: Any
    ) -> Expr:
        return Piecewise((one, left > right), (other, True))


class Gate(Select):
    """A `Select` with different values, so that properties of one need not hold for the other.

    Examples
    ========

    >>> from sympy.abc import x
    >>> from jointwrench.mechanics.arithmetic.piecewise import Gate
    >>> [Gate(x, 1, x - 1, 0).subs(x, value) for value in (0, 3)]
    [0, 2]
    """


class AbsorbingProduct(_PiecewiseFunction):
    """``AbsorbingProduct(a, b, c)``: the product a b, which is zero if a or c is, for infinite b.

    Its derivative, ``a' b + a b'``, consists of such products.

    Examples
    ========

    >>> from sympy import oo
    >>> from sympy.abc import x
    >>> from jointwrench.mechanics.arithmetic.piecewise import AbsorbingProduct
    >>> [AbsorbingProduct(x, 1 / x, 1).subs(x, value) for value in (0, 3)]
    [0, 1]
    """

    @classmethod
    def eval(cls, one: Expr, other: Expr, gate: Expr) -> Expr | None:
        """Return the product if it is known whether a or c is zero, else None."""
        if one.is_zero or gate.is_zero:
            return S.Zero
        return one * other if one.is_number and gate.is_number else None

    def _eval_derivative(self, s: Expr) -> Expr:
        one, other, gate = self.args
        return self.func(one.diff(s), other, 1) + self.func(one, other.diff(s), gate)

    def _eval_rewrite_as_Piecewise(self, one: Expr, other: Expr, gate: Expr, **_: Any) -> Expr:
        return Piecewise((0, Or(Eq(one, 0), Eq(gate, 0))), (one * other, True))


class Certain(_PiecewiseFunction):
    """``Certain(a, b, x)``: x where a > b, else NaN; its derivative is that of x.

    Examples
    ========

    >>> from sympy.abc import x
    >>> from jointwrench.mechanics.arithmetic.piecewise import Certain
    >>> [Certain(x, 1, x**2).subs(x, value) for value in (0, 3)]
    [nan, 9]
    >>> Certain(x, 1, x**2).diff(x)
    2*x
    """

    @classmethod
    def eval(cls, left: Expr, right: Expr, value: Expr) -> Expr | None:
        """Return x or NaN if a and b are numbers, else None."""
        if left.is_number and right.is_number and left.is_comparable and right.is_comparable:
            return value if left > right else S.NaN
        return None

    def _eval_derivative(self, s: Expr) -> Expr:
        return self.args[2].diff(s)

    def _eval_rewrite_as_Piecewise(self, left: Expr, right: Expr, value: Expr, **_: Any) -> Expr:
        return Piecewise((value, left > right), (S.NaN, True))


class Staircase(_PiecewiseFunction):
    """``Staircase(x, n0, x1, n1, x2, n2, ...)``: n0 for x < x1, n1 for x1 <= x < x2, and so on.

    It replaces a Piecewise of numbers, which sympy simplifies so often that nested ones take
    minutes.

    Examples
    ========

    >>> from sympy.abc import x
    >>> from jointwrench.mechanics.arithmetic.piecewise import Staircase
    >>> steps = Staircase(x, 5, 0, 7, 2, 9)
    >>> [steps.subs(x, value) for value in (-1, 0, 1, 3)]
    [5, 7, 7, 9]
    >>> (x * steps).diff(x) == steps
    True
    """

    @classmethod
    def eval(cls, x: Expr, first: Expr, *rest: Expr) -> Expr | None:
        """Return the value of the step at a number x, or of equal steps, else None."""
        knots, numbers = rest[::2], (first, *rest[1::2])
        if all(number == first for number in numbers):
            return first
        if not (x.is_number and all(knot.is_number for knot in knots)):
            return None
        return numbers[sum(bool(x >= knot) for knot in knots)]

    def fdiff(self, argindex: int = 1) -> Expr:
        """Return the derivative, which is zero between the steps."""
        return S.Zero

    def _eval_rewrite_as_Piecewise(self, x: Expr, first: Expr, *rest: Expr, **_: Any) -> Expr:
        numbers, knots = (first, *rest[1::2]), rest[::2]
        pairs = zip(numbers, knots, strict=False)
        steps = ((number, StrictLessThan(x, knot, evaluate=False)) for number, knot in pairs)
        return Piecewise(*steps, (numbers[-1], True), evaluate=False)
