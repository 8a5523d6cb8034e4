"""Scalar arithmetic in which every value is computed once.

A `Graph` stores scalar operations as a straight line: each operation refers only to earlier ones,
and a repeated operation is stored once (value numbering).  Zeros, ones, numbers and signs are
folded as the operations are entered, so only what must be computed remains.  The graph is
independent of mechanics.

A value is a `Scalar`, which supports the usual operators.  Internally it is a signed integer: ``k``
refers to operation ``k``, ``-k`` to its negative and 0 is the number zero.  A sign is thereby free,
and ``a - b`` and ``b - a`` share one operation.
"""

import operator
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial, reduce
from numbers import Real
from typing import Any

from sympy import (
    Abs,
    Add,
    Basic,
    Derivative,
    Dummy,
    Expr,
    Float,
    Function,
    Integer,
    Mul,
    Number,
    Piecewise,
    Pow,
    Rational,
    S,
    Symbol,
    UnevaluatedExpr,
    acot,
    atan,
    cos,
    sin,
)
from sympy.core.function import AppliedUndef

from ...checks.locks import Lock
from ...checks.tolerances import ROUNDOFF, SHIFT
from . import digits
from .operations import (
    SYMPY,
    ArgumentPart,
    Arithmetic,
    Call,
    Constant,
    Input,
    Operation,
    Product,
    Sum,
    interpret,
    reachable,
    references,
    topological_order,
)
from .piecewise import Certain

#: The leaves of expressions that are inputs.
LEAVES = (Symbol, AppliedUndef, Derivative)

#: Exact numbers with more operations than this are not folded into one number.
LARGEST_FOLDED_NUMBER = 12


class Scalar:
    """A value of a `Graph`; supports ``+ - * /``, also with numbers and sympy expressions.

    Attributes
    ==========

    graph : Graph
        The graph.
    ref : int
        The signed reference of its operation; 0 is the number zero.
    """

    __slots__ = ("graph", "ref")

    def __init__(self, graph: "Graph", ref: int) -> None:
        self.graph = graph
        self.ref = ref

    def __add__(self, other: Any) -> "Scalar":
        if type(other) is not Scalar and (other := self._value(other)) is NotImplemented:
            return other
        return Scalar(self.graph, self.graph.add(self.ref, other.ref))

    def __sub__(self, other: Any) -> "Scalar":
        return self + -other

    def __mul__(self, other: Any) -> "Scalar":
        if type(other) is not Scalar and (other := self._value(other)) is NotImplemented:
            return other
        return Scalar(self.graph, self.graph.multiply(self.ref, other.ref))

    def __truediv__(self, other: Any) -> "Scalar":
        if type(other) is not Scalar and (other := self._value(other)) is NotImplemented:
            return other
        return self * other.reciprocal()

    def __neg__(self) -> "Scalar":
        return Scalar(self.graph, -self.ref)

    def __rsub__(self, other: Any) -> "Scalar":
        return -self + other

    def __rtruediv__(self, other: Any) -> "Scalar":
        return self.reciprocal() * other

    __radd__, __rmul__ = __add__, __mul__

    def __pow__(self, exponent: Any) -> "Scalar":
        return apply_function(Pow, self, exponent)

    def __abs__(self) -> "Scalar":
        return apply_function(Abs, self)

    def _value(self, other: Any) -> Any:
        """Return a number or a sympy expression as a scalar of the same graph."""
        return self.graph.scalar(other) if isinstance(other, (Expr, Real)) else NotImplemented

    def reciprocal(self) -> "Scalar":
        """Return one divided by this scalar."""
        return Scalar(self.graph, self.graph.reciprocal(self.ref))

    @property
    def is_zero(self) -> bool:
        """Whether the scalar is the number zero."""
        return self.ref == 0

    @property
    def is_number(self) -> bool:
        """Whether the scalar is a number."""
        return self.graph._is_number(self.ref)

    def __repr__(self) -> str:
        return f"Scalar({self.graph.to_sympy([self.ref])[0]})"


def apply_function(function: Any, first: Scalar, *others: Any) -> Scalar:
    """Return a function of scalars; arguments after the first may also be numbers."""
    graph = first.graph
    refs = [x.ref if isinstance(x, Scalar) else graph.scalar(x).ref for x in (first, *others)]
    return Scalar(graph, graph.call(function, refs))


def total(values: Iterable[Scalar]) -> Scalar:
    """Return the sum of at least one scalar, added from left to right."""
    return reduce(Scalar.__add__, values)


def replace_inputs(scalars: Sequence[Scalar], values: Mapping[Expr, Scalar]) -> list[Scalar]:
    """Return scalars of a graph with other values for some inputs."""
    if not scalars:
        return []
    graph = scalars[0].graph
    arithmetic = graph.arithmetic(
        lambda symbol: values[symbol] if symbol in values else graph.scalar(symbol)
    )
    return graph.evaluate([scalar.ref for scalar in scalars], arithmetic)


class Graph:
    """Scalar operations, each stored once.

    Functions of time, derivatives and the symbols ``varying`` change from sample to sample; all
    other symbols are constants.  A thread that enters operations must hold ``lock`` if others may
    do so.
    """

    def __init__(self, varying: Iterable[Expr] = ()) -> None:
        self.operations: list[Operation] = [Constant(S.Zero)]  # reference 0 means zero
        self.varying: list[bool] = [False]
        self._varying_symbols = frozenset(varying)
        self._index: dict[Operation, int] = {}  # all but sums and products
        self._sums: dict[tuple[int, int], int] = {}
        self._products: dict[tuple[int, int], int] = {}
        self._converted: dict[Basic, int] = {}  # leaves
        #: All other expressions by identity: to compare two deep ones takes exponential time.
        self._entered: dict[int, tuple[Basic, int]] = {}
        self._squares: dict[int, Sum] = {}  # squares that are sums of two others as well
        #: Numbers that roundings of what they come from change by more than their own does.
        self.rounded: dict[int, digits.Digits] = {}
        #: Values from decimal numbers that are rounded as larger ones are: the size of these.
        self.rounded_like: dict[int, float] = {}
        self._one = self.number(S.One)
        self.lock = Lock()

    def __getstate__(self) -> dict[str, Any]:
        return {name: x for name, x in vars(self).items() if name not in ("lock", "_entered")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, lock=Lock(), _entered={})

    # -- entering values ------------------------------------------------

    def scalar(self, expression: Any) -> Scalar:
        """Return a sympy expression or a number as a scalar of this graph."""
        known = expression if isinstance(expression, Basic) else S(expression)
        return Scalar(self, self.enter(known))

    def bind(self, leaf: Expr, value: Scalar) -> None:
        """Replace ``leaf`` by ``value`` in all expressions entered from now on."""
        self._converted[leaf] = value.ref

    def number(self, value: Expr) -> int:
        """Return the reference of a number."""
        if isinstance(value, Float) and abs(value) < 2**53 and float(value).is_integer():
            value = Integer(int(value))
        is_plain = isinstance(value, (Float, Rational))  # a comparison costs less than a property
        if value == 0 if is_plain else value.is_zero:
            return 0
        if value < 0 if is_plain else value.is_negative:
            return -self._store(Constant(-value))
        return self._store(Constant(value))

    def enter(self, expression: Basic) -> int:
        """Return the reference of a sympy expression, entered at the first request."""
        if expression.args and not isinstance(expression, LEAVES):
            if id(expression) not in self._entered:
                self._entered[id(expression)] = expression, self._enter_new(expression)
            return self._entered[id(expression)][1]
        ref = self._converted.get(expression)
        if ref is None:
            ref = self._enter_new(expression)
            self._converted[expression] = ref
        return ref

    def _enter_new(self, expression: Basic) -> int:
        """Return the reference of an expression that was not entered before."""
        if isinstance(expression, Derivative) and not isinstance(expression.expr, AppliedUndef):
            done = _differentiate_as_real(expression)
            if done != expression:
                return self.enter(done)
            return self.call(Derivative, [self._enter_argument(a) for a in expression.args])
        if isinstance(expression, LEAVES):
            return self._store(Input(expression))
        if expression.is_number and (not expression.args or not expression.has(Float)):
            return self.number(expression)
        if isinstance(expression, Add):
            return reduce(self.add, map(self.enter, expression.args), 0)
        if isinstance(expression, Mul):
            return self._enter_product(expression.args)
        if isinstance(expression, Pow):
            return self._enter_power(expression)
        if isinstance(expression, acot):  # acot jumps at 0: its sign must not be moved outside
            turn = Piecewise((S.Pi / 2, expression.args[0] >= 0), (-S.Pi / 2, True))
            return self.enter(turn - atan(expression.args[0]))
        if isinstance(expression, (Function, UnevaluatedExpr)):  # such as the curves of muscles
            plain = expression.doit(deep=False, evaluate=False)
            if plain != expression:
                return self.enter(plain)
        return self.call(expression.func, [self._enter_argument(a) for a in expression.args])

    def _enter_product(self, factors: Sequence[Basic]) -> int:
        """Return the reference of a product, with one division for all negative powers."""
        above, below = self._one, self._one
        for factor in factors:
            if isinstance(factor, Pow) and factor.exp.is_integer and factor.exp.is_negative:
                below = self.multiply(below, self.enter(1 / factor))
            else:
                above = self.multiply(above, self.enter(factor))
        return self.multiply(above, self.reciprocal(below))

    def _enter_power(self, power: Pow) -> int:
        """Return the reference of a power; integer exponents by repeated squaring."""
        base, exponent = power.args
        if not exponent.is_Integer:
            return self.call(Pow, [self.enter(base), self.enter(exponent)])
        if exponent < 0:
            return self.reciprocal(self.enter(base**-exponent))
        half = self.enter(base ** (exponent // 2))
        square = self.multiply(half, half)
        return self.multiply(square, self.enter(base)) if exponent % 2 else square

    def _enter_argument(self, argument: Any) -> Any:
        """Return the reference of a function's argument, or a part that is no scalar."""
        if isinstance(argument, Expr):
            return self.enter(argument)
        if isinstance(argument, Basic) and argument.args:
            return ArgumentPart(
                argument.func, tuple(self._enter_argument(a) for a in argument.args)
            )
        return argument

    # -- operations on references ---------------------------------------

    def add(self, left: int, right: int) -> int:
        """Return the reference of ``left + right``."""
        if left == 0 or right == 0:
            return left + right
        if abs(left) > abs(right):
            left, right = right, left
        if left < 0:
            return -self.add(-left, -right)
        ref = self._sums.get((left, right))
        if ref is None:
            ref = self._sums[left, right] = self._new_sum(left, right)
        return ref

    def _new_sum(self, left: int, right: int) -> int:
        """Return the reference of a sum that was not entered before, simplified if possible."""
        if left == -right:
            return 0
        folded = partial(self._fold, operator.add)
        for shortcut in (folded, self._cancel, self._add_sine_and_cosine):
            result = shortcut(left, right)
            if result is not None:
                return result
        return self._append(Sum(left, right))

    def multiply(self, left: int, right: int) -> int:
        """Return the reference of ``left * right``."""
        if left == 0 or right == 0:
            return 0
        if left < 0:
            return -self.multiply(-left, right)
        if right < 0:
            return -self.multiply(left, -right)
        pair = (left, right) if left < right else (right, left)
        ref = self._products.get(pair)
        if ref is None:
            ref = self._products[pair] = self._new_product(*pair)
        return ref

    def _new_product(self, left: int, right: int) -> int:
        """Return the reference of a product that was not entered before, folded if of numbers."""
        if left == self._one:
            return right
        folded = self._fold(operator.mul, left, right)
        return self._append(Product(left, right)) if folded is None else folded

    def _cancel(self, left: int, right: int) -> int | None:
        """Return b for ``a + (b - a)``, None for other sums."""
        for own, other in ((left, right), (right, left)):
            operation = self.operations[abs(other)]
            if isinstance(operation, Sum):
                sign = 1 if other > 0 else -1
                terms = (sign * operation.left, sign * operation.right)
                if -own in terms:
                    return terms[1 - terms.index(-own)]
        return None

    def _add_sine_and_cosine(self, left: int, right: int) -> int | None:
        """Return k**2 for ``(k sin x)**2 + (k cos x)**2``, None for other sums."""
        if left < 0 or right < 0:
            return None
        bases = self._square_base(left), self._square_base(right)
        if None in bases:
            return None
        first, second = (self._sine_or_cosine(base) for base in bases if base is not None)
        if first is None or second is None or first[1:] != second[1:] or first[0] == second[0]:
            return None
        square = self.multiply(first[2], first[2])
        if not self.varying[square]:
            return square  # a constant: no operation per sample
        if square > first[1] or isinstance(self.operations[first[1]], Input):
            self._squares.setdefault(square, Sum(*sorted((left, right))))
        return square

    def _square_base(self, ref: int) -> int | None:
        """Return the reference whose square an operation is, None for other operations."""
        operation = self.operations[ref]
        if isinstance(operation, Product) and operation.left == operation.right:
            return operation.left
        return None

    def _sine_or_cosine(self, ref: int) -> tuple[Any, Any, int] | None:
        """Return function, angle and k of ``k sin(angle)`` or ``k cos(angle)``, else None."""
        operation = self.operations[ref]
        pairs = [(ref, self._one)]
        if isinstance(operation, Product):
            pairs = [(operation.left, operation.right), (operation.right, operation.left)]
        for wave, factor in pairs:
            call = self.operations[wave]
            if isinstance(call, Call) and call.function in (sin, cos):
                return call.function, call.arguments[0], factor
        return None

    def reciprocal(self, ref: int) -> int:
        """Return the reference of one divided by a value."""
        if ref == 0:
            raise ZeroDivisionError("An expression divides by zero.")
        if ref < 0:
            return -self.reciprocal(-ref)
        operation = self.operations[ref]
        if isinstance(operation, Constant):
            value = 1 / operation.value
            if isinstance(value, Float):
                return self._rounded(value, self._in_digits(ref).reciprocal())
            return self.number(value)
        return self._store(Call(Pow, (ref, -self._one)))

    def call(self, function: Any, arguments: Sequence[Any]) -> int:
        """Return the reference of ``function(*arguments)``."""
        if function is sin and arguments[0] < 0:
            return -self.call(sin, [-arguments[0]])
        if function is cos and arguments[0] < 0:
            return self.call(cos, [-arguments[0]])
        if function is Pow and arguments[1] == -self._one:
            return self.reciprocal(arguments[0])
        if all(isinstance(a, int) and self._is_number(a) for a in arguments):
            return self._call_of_numbers(function, arguments)
        return self._store(Call(function, tuple(arguments)))

    def _call_of_numbers(self, function: Any, arguments: Sequence[int]) -> int:
        """Return the reference of a function of numbers, evaluated."""
        value = function(*[self._value(a) for a in arguments])
        if not isinstance(value, Float):
            return self.number(value)
        found = digits.call(function, [self._in_digits(a) for a in arguments])
        return self.number(value) if found is None else self._rounded(value, found)

    def _fold(self, combined: Any, left: int, right: int) -> int | None:
        """Return the reference of a sum or product of two numbers; None for other operands."""
        if not (self._is_number(left) and self._is_number(right)):
            return None
        one, two = self._value(left), self._value(right)
        value = combined(one, two)
        if not isinstance(value, Float) and value.has(Float):
            value = value.evalf()
        if not isinstance(value, Number) and value.count_ops() > LARGEST_FOLDED_NUMBER:
            return None
        if not isinstance(value, Float):
            return self.number(value)
        first, second = self._in_digits(left), self._in_digits(right)
        return self._rounded(value, combined(first, second))

    def _rounded(self, value: Float, found: digits.Digits) -> int:
        """Return a number's reference; store its error if it depends on rounded numbers."""
        ref = self.number(value)
        if ref and found.is_finite and found.spread > 2 * SHIFT * ROUNDOFF * abs(found.value):
            known = self.rounded.get(abs(ref))
            if known is None or known.spread < found.spread:
                self.rounded[abs(ref)] = found if ref > 0 else -found
        return ref

    def size_of_number(self, ref: int) -> float:
        """Return the size of the larger numbers that cancelled in a number; zero if none did."""
        found = self.rounded.get(ref)
        size = float(found.spread / (SHIFT * ROUNDOFF)) if found else 0.0
        return max(size, self.rounded_like.get(ref, 0.0))

    def _in_digits(self, ref: int) -> digits.Digits:
        """Return a number of the graph with its error estimate."""
        found = self.rounded.get(abs(ref)) or digits.number(self._value(abs(ref)))
        if size := self.rounded_like.get(abs(ref)):
            found = found.perturbed(size)
        return found if ref > 0 else -found

    def _is_number(self, ref: int) -> bool:
        """Whether a reference is a number's reference."""
        return isinstance(self.operations[abs(ref)], Constant)

    def _value(self, ref: int) -> Expr:
        """Return the sympy number of a reference."""
        operation = self.operations[abs(ref)]
        assert isinstance(operation, Constant)
        return operation.value if ref > 0 else -operation.value

    def _store(self, operation: Operation) -> int:
        """Return the reference of an operation, which is stored once."""
        ref = self._index.get(operation)
        if ref is None:
            ref = self._index[operation] = self._append(operation)
        return ref

    def _append(self, operation: Operation) -> int:
        """Append an operation and return its reference."""
        # overwrite an entry left by a thread or fork that was interrupted between these two lines
        self.varying[len(self.operations) :] = [self._varies(operation)]
        self.operations.append(operation)
        return len(self.operations) - 1

    def _varies(self, operation: Operation) -> bool:
        """Whether an operation changes from sample to sample."""
        if isinstance(operation, Input):
            symbol = operation.symbol
            return not isinstance(symbol, Symbol) or symbol in self._varying_symbols
        return any([self.varying[ref] for ref in references(operation)])

    # -- reading --------------------------------------------------------

    def needed(self, roots: Iterable[int], known: Container[int] = ()) -> list[int]:
        """Return the references on which ``roots`` depend, in order, except ``known`` ones."""
        return reachable(roots, self.operations, known)

    def inputs_of(self, roots: Iterable[int]) -> list[Expr]:
        """Return the inputs on which ``roots`` depend."""
        operations = (self.operations[ref] for ref in self.needed(roots))
        return [own.symbol for own in operations if isinstance(own, Input)]

    def cheapest_operations(self, roots: Sequence[int]) -> dict[int, Operation]:
        """Return the operations on which ``roots`` depend, in order, by reference.

        A square k**2 that equals ``(k sin x)**2 + (k cos x)**2`` is computed as this sum where the
        two squares are needed anyway.
        """
        operations = {ref: self.operations[ref] for ref in self.needed(roots)}
        with self.lock:
            squares = tuple(self._squares.items())
        sums = {
            ref: total
            for ref, total in squares
            if ref in operations and {total.left, total.right} <= operations.keys()
        }
        if not sums:
            return operations
        operations.update(sums)
        order = topological_order(reachable(roots, operations), operations)
        return {ref: operations[ref] for ref in order}

    def evaluate(
        self, roots: Sequence[int], arithmetic: Arithmetic, known: dict[int, Any] | None = None
    ) -> list[Any]:
        """Return the values of ``roots`` in an arithmetic; ``known`` caches the values of
        operations.
        """
        values = {} if known is None else known
        interpret(self.operations, self.needed(roots, values), values, arithmetic)
        return [arithmetic.signed(root, values) for root in roots]

    def without_certainty_checks(self, roots: Sequence[int]) -> list[int]:
        """Return the references of ``roots`` without the operations that yield NaN at singular
        states.

        Formulas for reading have no such checks.
        """
        if not any(_is_certain(self.operations[ref]) for ref in self.needed(roots)):
            return list(roots)
        plain = self.arithmetic()

        def call(function: Any, arguments: list[Any]) -> Any:
            return arguments[2] if function is Certain else plain.call(function, arguments)

        return [x.ref for x in self.evaluate(roots, replace(plain, call=call))]

    def to_sympy(self, roots: Sequence[int]) -> list[Expr]:
        """Return the values of ``roots`` as sympy expressions of the inputs, valid at regular
        states.
        """
        return self.evaluate(self.without_certainty_checks(roots), SYMPY)

    def arithmetic(self, symbol: Callable[[Expr], Scalar] | None = None) -> Arithmetic:
        """Return the arithmetic of this graph's scalars; ``symbol`` maps inputs to scalars."""
        return Arithmetic(
            symbol=symbol or self.scalar,
            number=lambda number: Scalar(self, self.number(number)),
            call=lambda function, arguments: Scalar(self, self.call(function, _refs(arguments))),
            part=lambda function, arguments: ArgumentPart(function, _refs(arguments)),
        )

    def substitute(self, roots: Sequence[int], target: "Graph") -> list[int]:
        """Enter the values of ``roots`` into another graph and return their references there.

        The bindings of the other graph apply.
        """
        moved: dict[int, Scalar] = {}
        values = self.evaluate(roots, target.arithmetic(), moved)
        for name in ("rounded", "rounded_like"):
            own, other = getattr(self, name), getattr(target, name)
            for ref in own.keys() & moved.keys():
                if target._is_number(new := moved[ref].ref):
                    other.setdefault(abs(new), own[ref])
        for ref, total in self._squares.items():
            if {ref, total.left, total.right} <= moved.keys():
                target.add(moved[total.left].ref, moved[total.right].ref)
        return [value.ref for value in values]


def _refs(arguments: Iterable[Any]) -> tuple[Any, ...]:
    """Return arguments with references in place of scalars."""
    return tuple(item.ref if isinstance(item, Scalar) else item for item in arguments)


def _is_certain(operation: Operation) -> bool:
    """Whether an operation yields NaN at singular states."""
    return isinstance(operation, Call) and operation.function is Certain


def _differentiate_as_real(derivative: Derivative) -> Expr:
    """Return a derivative evaluated for real functions, so that Abs has no complex parts."""
    real = {
        function: Function(f"real_{Dummy().dummy_index}", real=True)(*function.args)
        for function in derivative.atoms(AppliedUndef)
    }
    return derivative.xreplace(real).doit().xreplace({new: old for old, new in real.items()})
