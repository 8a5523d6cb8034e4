"""Short formulas for reading, with names for repeated quantities."""

from collections import Counter
from collections.abc import Mapping, Sequence
from math import inf
from typing import Any

from sympy import Add, Derivative, Dummy, Expr, Mul, Pow, Symbol, cos, preorder_traversal, sin
from sympy.physics.vector.printing import vsstrrepr

from .graph import Graph
from .operations import SYMPY, Arithmetic, Input, Sum, references
from .polynomial_shortener import Shortener
from .trigonometric import Polynomial, Ring, count_written_operations

#: Values in terms of inputs and names, and the definitions of the names.
NamedFormula = tuple[list[Expr], dict[Symbol, Expr]]

#: Number of terms up to which products of sums are expanded.
MOST = 100

#: Number of characters beyond which a quantity has a name even if it is used once.
LONG = 80

#: Number of characters of a formula that are as hard to read as one more name.
NAME = 12

#: Least number of operations per term after sines of sums and common factors are taken out.
PER_TERM = 0.4

#: Largest factor by which a search reduces the number of operations of a form.
REDUCED = 3

#: Number of terms up to which a form without any names is tried.
MOST_EXPANDED = 400

#: Number of operations up to which several limits for naming quantities are tried.
SMALL = 150


def write_short_formulas(
    graph: Graph, roots: Sequence[int], names: Mapping[int, str] | None = None, named: bool = True
) -> NamedFormula:
    """Return values as short expressions, and the definitions of the names in them, in order.

    ``names`` are names of intermediate quantities by reference.  With ``named=False`` the values
    are in terms of the inputs only and fully cancelled.
    """
    roots = graph.without_certainty_checks(roots)
    if not named:
        form = _written(graph, roots, {}, inf)
        assert form
        return [expand_names(x, form[1]) for x in form[0]], {}
    limits = (1, 4, 40, MOST_EXPANDED) if len(graph.needed(roots)) < SMALL else (1, MOST_EXPANDED)
    inputs = [op.symbol for op in graph.operations if isinstance(op, Input)]
    taken = {str(getattr(symbol, "name", symbol)) for symbol in inputs}
    free = {ref: _find_free_name(name, taken) for ref, name in (names or {}).items()}
    best = None
    for limit in limits:
        form = _written(graph, roots, free, limit, count_operations(best) if best else inf)
        is_expanded = form is not None and not form[1]
        form = form and _drop_unused_names(*_inline_short_names(*_name_repeated(*form)))
        if form and (best is None or count_operations(form) < count_operations(best)):
            best = form
        if is_expanded:  # higher limits change nothing
            break
    assert best
    return _number_names(best, taken)


def count_terms(graph: Graph, roots: Sequence[int]) -> list[int]:
    """Return the number of terms of each expanded value, approximate for long values."""
    ring, changed, roots = Ring(5 * MOST_EXPANDED), True, graph.without_certainty_checks(roots)
    while changed:
        ring = Ring(5 * MOST_EXPANDED, ring)
        values = _entered(graph, roots, {}, MOST_EXPANDED, ring)
        changed = ring.has_changed
    return [len(value.terms) for value in values]


def expand_names(expression: Any, definitions: Mapping[Symbol, Expr]) -> Any:
    """Return an expression (or any object with ``xreplace``) with names replaced by definitions."""
    known: dict[Symbol, Expr] = {}
    for symbol, value in definitions.items():
        known[symbol] = value.xreplace(known)
    return expression.xreplace(known)


def count_operations(form: NamedFormula) -> int:
    """Return the number of operations of the values and of all definitions."""
    values, definitions = form
    return sum(map(count_written_operations, [*values, *definitions.values()]))


def _length(form: NamedFormula) -> int:
    """Return the length of a form for a reader, in characters, with an extra for each name."""
    values, definitions = form
    named = sum(NAME + _size(symbol) + _size(value) for symbol, value in definitions.items())
    return named + sum(map(_size, values))


def _size(expression: Expr) -> int:
    """Return the number of characters of an expression."""
    return len(vsstrrepr(expression))


def _written(
    graph: Graph, roots: Sequence[int], names: Mapping[int, str], limit: float, most: float = inf
) -> NamedFormula | None:
    """Return values in which quantities of more than ``limit`` terms have a name.

    Return None if they have so many terms that more than ``most`` operations would remain.
    """
    ring, changed = Ring(max(MOST, 5 * limit)), True
    most_terms = min(most / PER_TERM, MOST_EXPANDED if 1 < limit <= MOST_EXPANDED else inf)
    while changed:
        ring = Ring(ring.most, ring)
        results = _entered(graph, roots, names, limit, ring, most_terms)
        terms = sum(len(x.terms) for x in [*results, *ring.definitions.values()])
        if terms > most_terms:
            return None
        changed = ring.has_changed
    ring.most = inf
    if limit < inf:
        results = _write_as_differences(results, [names.get(root) for root in roots])
    shortener = Shortener(ring, terms)
    if sum(map(shortener.quick_cost, [*results, *ring.definitions.values()])) > REDUCED * most:
        return None
    values = [shortener.expression(value) for value in results]
    return values, {name: shortener.expression(x) for name, x in ring.definitions.items()}


def _entered(
    graph: Graph,
    roots: Sequence[int],
    names: Mapping[int, str],
    limit: float,
    ring: Ring,
    most_terms: float = inf,
) -> list[Polynomial]:
    """Return values as polynomials; an empty list if named quantities exceed ``most_terms``."""
    arithmetic, needed = _arithmetic(ring), graph.needed(roots)
    values: dict[int, Polynomial] = {}
    known = 0
    uses = Counter(k for ref in needed for k in {*map(abs, references(graph.operations[ref]))})
    for ref in needed:
        operation = graph.operations[ref]
        value = arithmetic.value(operation, values)
        is_sum = isinstance(operation, Sum)
        is_known = ref in names and uses[ref] > 0
        if len(value.terms) > limit and (is_known or (uses[ref] > 1 and is_sum)):
            value = ring.name_sum(value, names.get(ref))
        elif is_known and limit == 1 and any(len(powers) > 2 for powers in value.terms):
            value = ring.name_sum(value, names[ref], 1)
        if len(ring.definitions) > known:
            known = len(ring.definitions)
            most_terms -= len(next(reversed(ring.definitions.values())).terms)
            if most_terms < 0:
                return []
        values[ref] = value
    return [arithmetic.signed(root, values) for root in roots]


class Reader:
    """Writes values of a graph as short expressions, with names that can be added in between."""

    def __init__(self, graph: Graph, most: float = MOST_EXPANDED) -> None:
        self._graph, self._most = graph, most
        self._symbols: dict[int, Expr] = {}
        self._written: dict[int, Expr] = {}
        self._begin(None)

    def _begin(self, known: Ring | None) -> None:
        """Start with a new ring of polynomials, in which the names are generators."""
        self._ring = ring = Ring(self._most, known)
        self._shortener = Shortener(ring, 0)
        signs = ((ref, symbol, 1 if ref > 0 else -1) for ref, symbol in self._symbols.items())
        self._values = {abs(ref): ring.generator(symbol).times(k) for ref, symbol, k in signs}

    def name(self, ref: int, symbol: Symbol) -> None:
        """Use a symbol for a value in all expressions written from now on."""
        self._symbols[ref] = symbol
        later = [k for k in self._values if k > abs(ref) and not {k, -k} & self._symbols.keys()]
        for k in later:
            del self._values[k]
        self._written.clear()
        self._values[abs(ref)] = self._ring.generator(symbol).times(1 if ref > 0 else -1)

    def is_named(self, ref: int) -> bool:
        """Return whether a value or its negative has a symbol."""
        return not {ref, -ref}.isdisjoint(self._symbols)

    def _entered(self, refs: Sequence[int]) -> list[Polynomial]:
        """Return values as polynomials of the current ring."""
        while True:
            arithmetic, values = _arithmetic(self._ring), self._values
            for ref in self._graph.needed(refs, values):
                values[ref] = arithmetic.value(self._graph.operations[ref], values)
            if not self._ring.has_changed:
                return [arithmetic.signed(ref, values) for ref in refs]
            self._begin(self._ring)

    def count_terms(self, refs: Sequence[int]) -> int:
        """Return the approximate number of terms of values, also of products too long to expand."""
        values, known = self._entered(refs), dict[int, int]()

        def size(value: Polynomial) -> int:
            return sum(1 + sum(known.get(k, 0) for k, _ in powers) for powers in value.terms)

        for symbol, value in self._ring.definitions.items():  # operands come first
            known[self._ring.index(symbol)] = size(value)
        return sum(map(size, values))

    def count_derived(self, ref: int) -> int:
        """Return the number of operations of a value with shared operations repeated."""
        sizes = dict.fromkeys(map(abs, self._symbols), 0)
        for k in self._graph.needed([ref], sizes):
            sizes[k] = 1 + sum(sizes[abs(x)] for x in references(self._graph.operations[k]))
        return sizes.get(abs(ref), 0)

    def expression(self, ref: int) -> Expr:
        """Return a value as a short expression, or in the form in which it was derived if it is
        long.
        """
        if self.count_terms([ref]) > self._most:
            names = {abs(k): x if k > 0 else -x for k, x in self._symbols.items()}
            return self._graph.evaluate([ref], SYMPY, names)[0]
        if ref not in self._written:
            (value,), ring = self._entered([ref]), self._ring
            ring.most = inf
            found = self._shortener.expression(value)
            while own := found.free_symbols & ring.definitions.keys():
                inner = {x: self._shortener.expression(ring.definitions[x]) for x in own}
                found = found.xreplace(inner)
            self._written[ref], ring.most = found, self._most
        return self._written[ref]


def _write_as_differences(
    values: list[Polynomial], names: Sequence[str | None]
) -> list[Polynomial]:
    """Return values in which some are written as another named value plus a few terms."""
    found = list(values)
    order = sorted(range(len(values)), key=lambda k: len(values[k].terms))
    for place, k in enumerate(order):
        rests = [(values[k] - values[j], j) for j in order[:place] if len(values[j].terms) > 1]
        rest, j = min(rests, key=lambda pair: len(pair[0].terms), default=(values[k], k))
        if len(rest.terms) + 1 < len(values[k].terms):
            found[j] = found[j].ring.name_sum(found[j], names[j])
            found[k] = rest + found[j]
    return found


def _arithmetic(ring: Ring) -> Arithmetic:
    """Return the arithmetic whose values are polynomials of a ring."""

    def short(argument: Any) -> Any:
        if not isinstance(argument, Polynomial):
            return argument
        return ring.expression(ring.name_sum(argument).terms)

    def call(function: Any, arguments: list[Any]) -> Polynomial:
        if function in (sin, cos):
            return ring.cosine_and_sine(arguments[0])[function is sin]
        if function is Pow and short(arguments[1]) == -1:
            return arguments[0].inverse()
        written = list(map(short, arguments))
        if function is Derivative:  # of a name it would be zero
            known = {name: ring.expression(x.terms) for name, x in ring.definitions.items()}
            written = [expand_names(argument, known) for argument in written]
        return ring.generator(function(*written))

    return Arithmetic(
        symbol=ring.generator,
        number=ring.number,
        call=call,
        part=lambda function, arguments: function(*map(short, arguments)),
    )


def _name_repeated(values: list[Expr], definitions: Mapping[Symbol, Expr]) -> NamedFormula:
    """Return a form in which repeated sums have names."""
    uses = Counter[Expr]()
    totals: dict[Expr, Expr] = {}
    names: dict[Expr, Symbol] = {}
    known: dict[Symbol, Expr] = {}

    def count(part: Expr) -> None:
        if part.is_Add and (len(part.args) > 2 or any(x.is_Mul for x in part.args)):
            totals[part] = totals.get(part) or _unsigned(part)
            uses[totals[part]] += 1
        if part not in totals or uses[totals[part]] == 1:
            for inner in part.args if isinstance(part, (Add, Mul, Pow)) else ():
                count(inner)

    def short(part: Expr) -> Expr:
        if not isinstance(part, (Add, Mul, Pow)):
            return part
        total = totals.get(part, part)
        if uses[total] < 2:
            return part.func(*map(short, part.args))
        if total not in names:
            value = total.func(*map(short, total.args))
            names[total] = Dummy("z_0")
            known[names[total]] = value
        return names[total] if total == part else -names[total]

    for user in (*definitions.values(), *values):
        count(user)
    for symbol, value in definitions.items():
        known[symbol] = short(value)
    return [short(value) for value in values], known


def _unsigned(total: Expr) -> Expr:
    """Return a sum or its negative, the same one for both."""
    below = 2 * sum(part.could_extract_minus_sign() for part in total.args) - len(total.args)
    is_turned = below > 0 or (below == 0 and total.could_extract_minus_sign())
    return -total if is_turned else total


def _inline_short_names(values: list[Expr], definitions: Mapping[Symbol, Expr]) -> NamedFormula:
    """Return a form in which only those quantities keep a name that make it shorter."""
    inner = {x: _symbols(value) for x, value in definitions.items()}
    uses = sum(map(_symbols, values), sum(inner.values(), Counter[Symbol]()))
    rule: dict[Symbol, Expr] = {}
    kept: dict[Symbol, Expr] = {}
    for symbol, definition in definitions.items():
        value, size, count = definition.xreplace(rule), len(symbol.name), uses[symbol]
        length = _size(value)
        if length <= LONG and (count < 2 or count * length <= count * size + length):
            rule[symbol] = value
            for x, n in _symbols(value).items():
                uses[x] += (count - 1) * n
        else:
            kept[symbol] = value
    return [value.xreplace(rule) for value in values], kept


def _drop_unused_names(values: list[Expr], definitions: Mapping[Symbol, Expr]) -> NamedFormula:
    """Return a form without the definitions of unused names."""
    used = set().union(*(value.free_symbols for value in values))
    kept: dict[Symbol, Expr] = {}
    for symbol, value in reversed([*definitions.items()]):  # each after those on which it depends
        if symbol in used:
            used |= value.free_symbols
            kept[symbol] = value
    return values, dict(reversed([*kept.items()]))


def _symbols(expression: Expr) -> Counter[Symbol]:
    """Return the number of occurrences of each symbol in an expression."""
    return Counter(x for x in preorder_traversal(expression) if isinstance(x, Symbol))


def _number_names(form: NamedFormula, taken: set[str]) -> NamedFormula:
    """Return a form in which names that are Dummies become ``z_0, z_1, ...``."""
    values, definitions = form
    nameless = [symbol for symbol in definitions if isinstance(symbol, Dummy)]
    rule = {symbol: Symbol(_find_free_name(f"z_{k}", taken)) for k, symbol in enumerate(nameless)}
    known = {rule.get(symbol, symbol): x.xreplace(rule) for symbol, x in definitions.items()}
    return [value.xreplace(rule) for value in values], known


def _find_free_name(name: str, taken: set[str]) -> str:
    """Return a name with as many underscores appended as make it unused."""
    while name in taken:
        name += "_"
    return name
