"""Values of a graph as formulas for people: short ones, with names for what occurs often."""

from collections import Counter
from collections.abc import Mapping, Sequence
from math import inf
from typing import Any

from sympy import Derivative, Dummy, Expr, Pow, Symbol, cos, sin
from sympy.physics.vector.printing import vsstrrepr

from .graph import Graph
from .interpret import Arithmetic
from .operations import Input, Sum, references
from .waves import Factors, WaveSum

#: Values, and the quantities that have a name in them.
NamedFormula = tuple[list[Expr], dict[Symbol, Expr]]

#: Terms of products that are written out, unless everything is.
MOST = 100

#: Characters that a reader would rather read than another name.
NAME = 12

#: Characters beyond which even a quantity that is used once is better named.
LONG = 80

#: Operations up to which it is tried whether fewer names make a shorter form.
SMALL = 150


def readable(
    graph: Graph, roots: Sequence[int], names: Mapping[int, str] | None = None, named: bool = True
) -> NamedFormula:
    """Return values as short expressions, and definitions of what has a name in them, in order.

    ``names`` are those of quantities on the way, by reference.  Without ``named`` the values are in
    terms of the inputs alone, and everything cancels that can.
    """
    if not named:
        forms = [_written(graph, roots, {}, inf, sums) for sums in (True, False)]
        return min(
            (([whole(x, known) for x in values], {}) for values, known in forms), key=_length
        )
    limits = (1, 4, 40) if len(graph.needed(roots)) < SMALL else (1,)
    inputs = [op.symbol for op in graph.operations if isinstance(op, Input)]
    taken = {str(getattr(symbol, "name", symbol)) for symbol in inputs}
    free = {ref: _free(name, taken) for ref, name in (names or {}).items()}
    forms = [_written(graph, roots, free, limit) for limit in limits]
    return _numbered(min((_without_short_ones(*form) for form in forms), key=_length), taken)


def whole(expression: Any, definitions: Mapping[Symbol, Expr]) -> Any:
    """Return an expression, or what else has ``xreplace``, without the symbols defined."""
    known: dict[Symbol, Expr] = {}
    for symbol, value in definitions.items():
        known[symbol] = value.xreplace(known)
    return expression.xreplace(known)


def _length(form: NamedFormula) -> int:
    values, definitions = form
    named = sum(NAME + _size(symbol) + _size(value) for symbol, value in definitions.items())
    return named + sum(map(_size, values))


def _size(expression: Expr) -> int:
    """Return the number of characters of an expression."""
    return len(vsstrrepr(expression))


def _written(
    graph: Graph, roots: Sequence[int], names: Mapping[int, str], limit: float, sums: bool = True
) -> NamedFormula:
    """Return values in which quantities of more than ``limit`` terms have a name.

    So have sums of inputs alone, such as angular velocities, if ``sums`` says so.
    """
    factors = Factors(MOST if limit < inf else inf)
    arithmetic, needed = _arithmetic(factors), graph.needed(roots)
    values: dict[int, WaveSum] = {}
    uses = Counter(k for ref in needed for k in {*map(abs, references(graph.operations[ref]))})
    for ref in needed:
        operation = graph.operations[ref]
        value = arithmetic.value(operation, values)
        is_long = len(value.terms) > limit or (sums and value.is_linear)
        if is_long and (ref in names or (uses[ref] > 1 and isinstance(operation, Sum))):
            value = factors.named(value, names.get(ref))
        values[ref] = value
    results = [arithmetic.signed(root, values).to_sympy() for root in roots]
    return results, factors.definitions


def _arithmetic(factors: Factors) -> Arithmetic:
    """Return the arithmetic whose values are sums of waves."""

    def short(argument: Any) -> Any:
        is_sum = isinstance(argument, WaveSum)
        return factors.named(argument).to_sympy() if is_sum else argument

    def call(function: Any, arguments: list[Any]) -> WaveSum:
        if function in (sin, cos):
            return arguments[0].shifted(function is sin)
        if function is Pow and short(arguments[1]) == -1:
            return arguments[0].inverse()
        written = list(map(short, arguments))
        if function is Derivative:  # of a name it would be zero
            written = [whole(argument, factors.definitions) for argument in written]
        return factors.power(function(*written))

    return Arithmetic(
        symbol=factors.power,
        number=factors.number,
        call=call,
        part=lambda function, arguments: function(*map(short, arguments)),
    )


def _without_short_ones(values: list[Expr], definitions: Mapping[Symbol, Expr]) -> NamedFormula:
    """Return a form in which only quantities have a name that make it shorter."""
    kept = dict(definitions)
    for symbol in definitions:
        value, size = kept[symbol], len(symbol.name)
        uses = sum(user.count(symbol) for user in (*values, *kept.values()) if user.has(symbol))
        length = _size(value)
        if length <= LONG and (uses < 2 or uses * length <= uses * size + length):
            del kept[symbol]
            values = [user.xreplace({symbol: value}) for user in values]
            kept = {name: user.xreplace({symbol: value}) for name, user in kept.items()}
    return values, kept


def _numbered(form: NamedFormula, taken: set[str]) -> NamedFormula:
    """Return a form in which quantities without a name are numbered."""
    values, definitions = form
    nameless = [symbol for symbol in definitions if isinstance(symbol, Dummy)]
    rule = {symbol: Symbol(_free(f"z_{k}", taken)) for k, symbol in enumerate(nameless)}
    known = {rule.get(symbol, symbol): x.xreplace(rule) for symbol, x in definitions.items()}
    return [value.xreplace(rule) for value in values], known


def _free(name: str, taken: set[str]) -> str:
    """Return a name that nothing else has."""
    while name in taken:
        name += "_"
    return name
