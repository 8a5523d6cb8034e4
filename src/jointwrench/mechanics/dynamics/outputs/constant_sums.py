"""Named combinations of constants in a derivation, moments of inertia among them."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations_with_replacement

from sympy import Expr, Integer, Rational, Symbol, cancel
from sympy.core.function import AppliedUndef

from ...arithmetic.formula import is_long
from ...arithmetic.graph import Scalar
from ...arithmetic.trigonometric import count_written_operations
from ..derivation import Derivation
from .derivation_lines import DerivationLine, DerivationStep, Words
from .line_writer import AXES, LineWriter, word_of

#: Number of operations from which a sum has a name.
NAMED = 3


def with_constants(
    writer: LineWriter, written: Derivation, steps: Sequence[DerivationStep]
) -> list[DerivationStep]:
    """Return steps in which combinations of constants have names, defined at their first use."""
    constants = {x for x in written.symbols if isinstance(x, Symbol)} - {written.tree.time}
    values = [[x for line in step.lines for x in line.value if not is_long([x])] for step in steps]
    sums = [[part for x in own for part in _sums(x, constants)] for own in values]
    counts = Counter(x for own in sums for x in own)
    namer, found = _Namer(writer, written, {}, {}), []
    for step, own in zip(steps, sums, strict=True):
        lines = [namer.line(x, counts[x]) for x in dict.fromkeys(own) if x not in namer.rule]
        found.append(step.mapped(namer.shortened))
        found[-1].constants.extend(line for line in lines if line)
    return found


@dataclass(frozen=True)
class _Namer:
    """Names combinations of constants, and writes them into lines."""

    writer: LineWriter
    written: Derivation
    rule: dict[Expr, Expr]
    symbols: dict[str, Symbol]

    def shortened(self, line: DerivationLine) -> DerivationLine:
        """Return a line with the names of combinations."""
        return replace(line, value=tuple(x.xreplace(self.rule) for x in line.value))

    def line(self, value: Expr, count: int) -> DerivationLine | None:
        """Return the line that defines a sum, and use its name from now on; None without a name."""
        share, scalar, words = self._moment(value)
        if words is None and count > 1:
            number = sum(x.startswith("k_") for x in self.symbols) + 1
            words, scalar = Words(f"k_{number}", "constant", ""), self.writer.graph.scalar(value)
        if words is None or scalar is None:
            return None
        is_new = words.name not in self.symbols
        symbol = self.symbols.setdefault(words.name, self.writer.new_symbol(words.name))
        self.writer.names[symbol] = scalar
        self.rule[value] = share * symbol
        words = words._replace(name=symbol.name)
        return DerivationLine(*words, (value / share,), None, (scalar,)) if is_new else None

    def _moment(self, value: Expr) -> tuple[Expr, Scalar | None, Words | None]:
        """Return (factor, scalar, description) of the moment of inertia of which a sum is a
        multiple.
        """
        for link, inertia in zip(
            self.written.tree.links, self.written.scalars.inertias, strict=True
        ):
            for i, k in combinations_with_replacement(range(3), 2):
                moment = inertia.moments.rows[i].components[k]
                (text,) = moment.graph.to_sympy([moment.ref])
                if text.free_symbols == value.free_symbols:
                    share = cancel(value / text)
                    if isinstance(share, Rational):
                        name = f"J_{word_of(link.body)}_{AXES[i]}{AXES[k]}"
                        who = link.body.name, "", link.origin.name
                        return share, moment, Words(name, "moment of inertia", "inertia", *who)
        return Integer(1), None, None


def _sums(value: Expr, constants: set[Symbol]) -> Iterator[Expr]:
    """Yield the sums of constants in a value."""
    if value.is_Add and value.free_symbols <= constants and not value.atoms(AppliedUndef):
        if count_written_operations(value) >= NAMED:
            yield value
    else:
        for part in value.args:
            yield from _sums(part, constants)
