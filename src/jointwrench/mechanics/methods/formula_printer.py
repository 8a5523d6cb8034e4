"""Printers of expressions in LaTeX and HTML, with factors in the order of textbooks.

That is masses, other constants, functions of time, then sines and cosines: ``m l u^2 sin q``.
"""

import re
from collections.abc import Collection, Iterable
from html import escape
from typing import Any

from sympy import Derivative, Expr, Float, Integer, Rational, S, Symbol, fraction, sstr
from sympy.core.function import AppliedUndef
from sympy.functions import acos, asin, atan, cos, cot, log, sin, tan
from sympy.physics.vector.printing import vsstrrepr
from sympy.printing.pretty.pretty_symbology import greek_unicode

from ..arithmetic.formula import is_long
from ..arithmetic.latex import GREEK, escape_latex, latex, latex_name

#: Number of characters in a row.
ROW = 73

#: Number of symbols, numbers and operations above which a text replaces a component.
TOO_LONG, UNSHOWN = 500, "too long to show: see the value of this line"

#: Functions that are written by name.
FUNCTIONS = {x: x.__name__ for x in (sin, cos, tan, cot, log)}
FUNCTIONS |= {asin: "arcsin", acos: "arccos", atan: "arctan"}

#: Names of components, such as F_knee_x: letter, index, and axes or number.
COMPONENT = re.compile(r"([a-zA-Z]+)_(.*)_([xyz]{1,2}|\d+)_*")

#: Names of bodies and joints that are printed as symbols: one letter, also Greek, with an index.
SYMBOL = re.compile(rf"([A-Za-z]|{GREEK.pattern})(_(\d+|[A-Za-z]))?'*")

#: Letters whose index is a name in words; other names are symbols.
INDEXED = {*"aDFJLMPQrTWX", "alpha", "omega"}

#: Letters of vectors and inertia dyadics, which are printed in bold.
VECTORS = {*"aFILMrTW", "alpha", "omega"}

#: Fractions that are single characters.
FRACTIONS = {("1", "2"): "½", ("1", "3"): "⅓", ("1", "4"): "¼", ("3", "4"): "¾", ("1", "8"): "⅛"}

_LATEX = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
_LATEX |= {"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}"}


class Latex:
    """The notation of LaTeX: how symbols, indices, fractions and functions are written."""

    times, cross, plus, minus, space = r" \, ", r"\times", " + ", " - ", " "
    head, end, part = r"\bigl(", r"\bigr)", "{}"  # HTML keeps a part in one row if possible
    power, root, bracketed = "{}^{{{}}}", r"\sqrt{{{}}}", r"\left({}\right)"
    function, below, unit = r"\{}", "{}_{{{}}}", r"\,\hat{{\mathbf {}}}_{{{}}}"

    def leaf(self, leaf: Expr) -> str:
        """Return the text of a symbol, a function of time, its derivative or a number."""
        return latex(leaf)

    def other(self, expression: Expr) -> str:
        return latex(expression)

    def index(self, name: str) -> str:
        """Return the LaTeX of a name that is the subscript of a letter."""
        return latex_name(name) if SYMBOL.fullmatch(name) else rf"\mathrm{{{escape_latex(name)}}}"

    def letter(self, letter: str, is_vector: bool) -> str:
        if len(letter) > 1:
            return rf"\boldsymbol{{\{letter}}}" if is_vector else f"\\{letter}"
        return rf"\mathbf{{{letter}}}" if is_vector else letter

    def indexed(self, letter: str, name: str, more: str = "", is_symbol: bool = False) -> str:
        """Return a formatted letter with an index; ``more`` follows after a comma."""
        index = self.leaf(Symbol(name)) if is_symbol else self.index(name)
        return self.below.format(letter, f"{index}{more and ',' + more}")

    def axis(self, axis: str, frame: str) -> str:
        """Return the unit vector along a frame's axis."""
        return self.unit.format(axis, self.index(frame))

    def words(self, words: str) -> str:
        return "".join(_LATEX.get(x, f"\\{x}" if x in "_#$%&{}" else x) for x in words)

    def text(self, words: str) -> str:
        """Return words as text within a formula."""
        return rf"\text{{{self.words(words)}}}"

    def fraction(self, above: str, below: str) -> str:
        is_number = (above + below).isdigit()
        return rf"\{'t' * is_number}frac{{{above}}}{{{below}}}"

    def width(self, text: str) -> int:
        """Return the approximate number of printed characters of a text."""
        silent = (
            "left|right|bigl|bigr|mathbf|boldsymbol|mathrm|mathit|quad|hat|t?frac|dot|ddot|text"
        )
        text = re.sub(rf"\\({silent})\b", "", text)
        return len(re.sub(r"\\[A-Za-z]+", "abc", re.sub(r"[{}_^\s\\,]", "", text)))


class Html(Latex):
    """The notation of HTML without scripts; the browser breaks lines."""

    times, cross, plus, minus, space = "\u202f", "×", " + ", " − ", "\u202f"
    head, end, part = "(", ")", '<span class="part">{}</span>'
    power, root, bracketed = "{}<sup>{}</sup>", "√({})", "({})"
    function, below, unit = "{}", "{}<sub>{}</sub>", "\u2009<b>{}\u0302</b><sub>{}</sub>"

    def leaf(self, leaf: Expr) -> str:
        if isinstance(leaf, Derivative):
            function = leaf.expr
            return self._symbol(function.func.__name__, leaf.derivative_count)
        if isinstance(leaf, AppliedUndef):
            return self._symbol(leaf.func.__name__)
        if isinstance(leaf, Symbol):
            return self._symbol(leaf.name)
        return escape(sstr(leaf, full_prec=False))

    def other(self, expression: Expr) -> str:
        return f"<code>{escape(vsstrrepr(expression))}</code>"

    def _symbol(self, name: str, dots: int = 0) -> str:
        """Return a symbol in italics with its index, primes, and dots for time derivatives."""
        base, *indices = name.rstrip("'").split("_")
        letter = _greek(base)
        dot = {0: "", 1: "\u0307", 2: "\u0308"}.get(dots, "\u20db")
        shown = escape(letter[:1] + dot + letter[1:])
        shown = f"<i>{shown}</i>" if base.isascii() else shown
        primes = "′" * (len(name) - len(name.rstrip("'")))
        below = ",".join(escape(_greek(x)) for x in indices)
        return shown + primes + (f"<sub>{below}</sub>" if indices else "")

    def index(self, name: str) -> str:
        return self._symbol(name) if SYMBOL.fullmatch(name) else escape(name)

    def letter(self, letter: str, is_vector: bool) -> str:
        tag = "b" if is_vector else "i"
        return f"<{tag}>{_greek(letter)}</{tag}>"

    def words(self, words: str) -> str:
        return escape(words)

    text = words

    def fraction(self, above: str, below: str) -> str:
        if known := FRACTIONS.get((above, below)):
            return known
        return f'<span class="over"><span>{above}</span><span>{below}</span></span>'

    def width(self, text: str) -> int:
        return 0  # a browser ends rows


class FormulaPrinter:
    """A printer of expressions in the notation of LaTeX or HTML.

    ``masses`` are the symbols that come first in products; ``names`` are the symbols of components,
    such as ``F_knee_x``.
    """

    def __init__(
        self, style: Latex, masses: Collection[Expr] = (), names: Collection[Symbol] = ()
    ) -> None:
        self.style, self._masses, self._names = style, masses, names

    def text(self, value: Expr) -> str:
        """Return the text of an expression in one row."""
        if value.is_Number and value.is_negative:
            return self.style.minus.lstrip() + self.text(-value)
        if value.is_Add:
            return self._joined(map(self.text, _ordered(value)))
        if value.is_Mul or value.is_Rational or (value.is_Pow and value.exp.is_negative):
            return self._product(value)
        if value.is_Pow:
            return self._power(*value.args)
        if value.func in FUNCTIONS:
            return self._called(self.style.function.format(FUNCTIONS[value.func]), value.args[0])
        if isinstance(value, Symbol) and value in self._names:
            return self._token(value.name, is_component=value.name[0] not in "DXQkA")
        is_leaf = isinstance(value, (Symbol, AppliedUndef, Derivative, Float)) or value.is_Atom
        return self.style.leaf(value) if is_leaf else self.style.other(value)

    def _joined(self, texts: Iterable[str]) -> str:
        first, *others = texts
        return "".join([first, *map(self.added, others)])

    def added(self, text: str) -> str:
        """Return a term's text with its sign, to follow another term."""
        minus = self.style.minus.lstrip()
        if text.startswith(minus):
            return self.style.minus + text.removeprefix(minus)
        return self.style.plus + text

    def _called(self, name: str, argument: Expr) -> str:
        is_plain = isinstance(argument, (Symbol, AppliedUndef))
        inner = self.text(argument)
        return f"{name}{self.style.space}{inner}" if is_plain else f"{name}({inner})"

    def _power(self, base: Expr, exponent: Expr) -> str:
        """Return a power: a root, ``sin^2 q``, or a base with brackets if it needs them."""
        if exponent == S.Half:
            return self.style.root.format(self.text(base))
        if base.func in FUNCTIONS and exponent.is_Integer:
            name = self.style.function.format(FUNCTIONS[base.func])
            name = self.style.power.format(name, exponent)
            return self._called(name, base.args[0])
        text = self.text(base)
        is_atom = isinstance(base, (Symbol, AppliedUndef, Integer))
        is_atom = is_atom and not (base.is_Number and base.is_negative)
        return self.style.power.format(
            text if is_atom else self.style.bracketed.format(text), self.text(exponent)
        )

    def _product(self, product: Expr) -> str:
        """Return a product or quotient: the sign, the number, then the factors by `_rank`."""
        above, below = fraction(product)
        number, rest = above.as_coeff_Mul()
        divisor, under = below.as_coeff_Mul()
        share = S(number) / divisor
        sign = self.style.minus.lstrip() if share.is_negative else ""
        share = abs(share)
        factors = [] if rest == 1 else sorted(rest.as_ordered_factors(), key=self._rank)
        texts = [self._factor(x) for x in factors]
        if under != 1:
            alone = [self.text(x) for x in factors] if len(factors) == 1 else texts
            number = share.p if share.is_Rational else share
            top = self._times(number, alone if number == 1 else texts)
            bottom = self.text(share.q * under if share.is_Rational else under)
            return sign + self.style.fraction(top, bottom)
        return sign + self._times(share, texts)

    def _times(self, number: Any, texts: list[str]) -> str:
        if number == 1 and texts:
            return self._spaced(texts)
        if isinstance(number, Rational) and number.q != 1:
            first = self.style.fraction(str(number.p), str(number.q))
        else:
            first = self.style.leaf(S(number))
        return self._spaced([first, *texts])

    def _spaced(self, texts: list[str]) -> str:
        is_apart = any(x[0].isdigit() for x in texts[1:]) or any(r"\mathit" in x for x in texts)
        return (self.style.times if is_apart else self.style.space).join(texts)

    def _factor(self, factor: Expr) -> str:
        text = self.text(factor)
        is_sum = factor.is_Add or factor.is_Piecewise
        return self.style.bracketed.format(text) if is_sum else text

    def _rank(self, factor: Expr) -> tuple[int, str]:
        """Return the sort key of a factor: masses, constants, sums, motion, functions."""
        base = factor.as_base_exp()[0]
        if base.is_Function and not isinstance(base, AppliedUndef):
            rank = 5
        elif base.has(AppliedUndef):
            rank = 4 if base.is_Add else 3
        else:
            rank = 0 if base in self._masses else 2 if base.is_Add else 1
        return rank, str(factor)

    def pieces(self, value: Expr, is_factor: bool = False, room: int = ROW) -> list[str]:
        """Return the text of an expression in pieces between which a row may end.

        ``is_factor``: whether a sum needs brackets; ``room``: the width of a row.
        """
        style = self.style
        if is_long([value], TOO_LONG):
            return [style.head + style.text(UNSHOWN) + style.end]
        text = self.text(value)
        if style.width(text) <= room:
            return [style.bracketed.format(text) if value.is_Add and is_factor else text]
        if value.is_Add:
            found = [self.pieces(x, False, room) for x in _ordered(value)]
            for own in found[1:]:
                own[0] = self.added(own[0])
            flat = [piece for own in found for piece in own]
            if is_factor:
                flat[0], flat[-1] = style.head + flat[0], flat[-1] + style.end
            return flat
        sums = [x for x in value.as_ordered_factors() if x.is_Add]
        if not sums or fraction(value)[1].free_symbols:
            return [text]
        longest = max(sums, key=lambda x: x.count_ops())
        before = self.text(value / longest)
        inner = self.pieces(longest, True, room - style.width(before))
        minus = style.minus.lstrip()
        inner[0] = {"1": "", f"{minus}1": minus}.get(before, before + style.space) + inner[0]
        return inner

    def rows(self, value: Iterable[Expr], frame: str, room: int) -> list[str]:
        """Return a vector's text in rows: one if it is short, else some for each component.

        ``frame`` is the name of the components' frame; a scalar has none.
        """
        found: list[list[str]] = []
        for entry, axis in zip(value, "xyz", strict=False):
            if entry != 0:
                pieces = self.pieces(entry, bool(frame), room)
                pieces[0] = self.added(pieces[0]) if found else pieces[0]
                pieces[-1] += self.style.axis(axis, frame) if frame else ""
                found.append(pieces)
        part = self.style.part if len(found) > 1 else "{}"
        whole = "".join(part.format("".join(own)) for own in found)
        if self.style.width(whole) <= room:
            return [whole or "0"]
        return [row for own in found for row in self.broken(own, room)]

    def broken(self, pieces: Iterable[str], room: int) -> list[str]:
        """Return pieces joined to rows of at most ``room`` characters, if possible."""
        rows = [""]
        for piece in pieces:
            if rows[-1] and self.style.width(rows[-1] + piece) > room:
                rows.append("")
            rows[-1] += piece
        return rows

    def name(self, name: str) -> str:
        """Return a line's name, such as "r_C x m a_C", with indices and with vectors in bold."""
        tokens = name.split(" ")
        pairs = zip(tokens, [*tokens[1:], ""], strict=True)
        texts = [self._token(x, is_vector=not after.startswith("a_")) for x, after in pairs]
        return " ".join(texts).replace("  ", " ")

    def _token(self, token: str, is_component: bool = False, is_vector: bool = False) -> str:
        """Return one symbol, sign or number of a line's name."""
        style, sign = self.style, ""
        if token in ("x", "+"):
            return style.cross if token == "x" else token
        if token.startswith("-"):
            sign, token = style.minus.lstrip(), token[1:]
        if token[:1].isdigit():
            return sign + token
        letter, _, index = token.partition("_")
        is_vector = is_vector and letter in VECTORS
        if is_vector and not index:
            return sign + style.letter(letter, True)
        if letter not in INDEXED or not index:
            return sign + style.leaf(Symbol(token))
        head = style.letter(letter, is_vector)
        if letter in "QDX":
            return sign + style.indexed(head, index, is_symbol=True)
        if (is_component or letter in "JP") and (found := COMPONENT.fullmatch(token)):
            return sign + style.indexed(style.letter(found[1], False), found[2], found[3])
        return sign + style.indexed(head, index)


def _greek(name: str) -> str:
    return greek_unicode[name] if GREEK.fullmatch(name) else name


def _ordered(total: Expr) -> list[Expr]:
    """Return the terms of a sum; the first one has no minus if any has none."""
    terms = total.as_ordered_terms()
    first = next((x for x in terms if not x.could_extract_minus_sign()), terms[0])
    return [first, *(x for x in terms if x is not first)]
