"""`Formula`: an expression for reading, with names for repeated parts."""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, islice, product
from typing import Any

from sympy import Expr, ImmutableDenseMatrix, Pow, S, Symbol, cos, nan, preorder_traversal, tan
from sympy.core.function import AppliedUndef
from sympy.physics.vector import Vector
from sympy.physics.vector.printing import vsstrrepr
from sympy.printing.defaults import Printable

from ...checks.pickles import Pickled
from .graph import Graph
from .latex import latex, upright

#: Sizes of a formula beyond which a notebook shows a readable form, and beyond which it shows none.
LONG, HUGE = 400, 150_000
#: Number of lines of the readable form that are shown, and number of characters of each.
MOST_LINES, MOST_CHARACTERS = 14, 160


class Formula(Pickled, Printable):
    """A formula for reading: parts that are long or occur often have names.

    Made by `InverseDynamics.formula`.

    Parameters
    ==========

    value : Wrench, Matrix or Expr
        The value, in terms of the inputs and of the names.
    definitions : mapping of Symbol to Expr
        The definitions of the names, each after those on which it depends.
    lines : sequence of (str, object), optional
        The parts of the value in the order of printing, each with its label.
    divisors : sequence of Expr, optional
        The divisors in the solution for the forces in loops.

    Attributes
    ==========

    value, definitions
        The arguments of these names.
    divisors : tuple of Expr
        The divisors in the solution for the forces in loops.  At poses where one of them is zero
        the formula does not hold; compiled code does.
    expanded : Wrench, Matrix or Expr
        The value in terms of the inputs only, without names.

    See Also
    ========

    InverseDynamics.formula, Wrench.readable : Return it.

    Notes
    =====

    For a body B, ``omega_B`` is the angular velocity, ``alpha_B`` the angular acceleration, ``a_B``
    the acceleration minus gravity of the point at which B is joined to its parent, ``J_B`` the
    inertia about that point, ``F_B`` and ``M_B`` the force on B by the parent and its moment about
    that point; all in the inertial frame, with components x, y, z in B's frame.  ``Q_open_u`` is
    the generalized force that the motion requires at the speed u of a tree whose loops are open;
    ``F_j`` and ``M_j`` are the force and moment of a loop joint j.  Other quantities are ``z_0``,
    ``z_1`` and so on.

    Times and derivatives are printed as by sympy's ``vprint``: ``q'`` for
    ``Derivative(q(t), t)``.

    Examples
    ========

    >>> import jointwrench as jw
    >>> limb = jw.SerialChain.planar(2, gravity=(0, -9.81, 0))
    >>> formula = jw.InverseDynamics(limb.system).formula(limb.joints[1])
    >>> print(formula)
    force = m_1*(a_S_1_x - l_1*(u_0' + u_1')/2)*S_1.x
            - m_1*(l_1*(u_0 + u_1)**2/2 + z_0*sin(q_1) - z_1*cos(q_1))*S_1.y
    moment about P_1 = (-a_S_1_x*l_1*m_1/2 + (I_1 + l_1**2*m_1/4)*(u_0' + u_1'))*S_1.z
    where
        z_0 = -l_0*u_0' + 9.81*sin(q_0)
        z_1 = -l_0*u_0**2 + 9.81*cos(q_0)
        a_S_1_x = z_0*cos(q_1) + z_1*sin(q_1)
    >>> formula.expanded.equals(jw.InverseDynamics(limb.system).joint_wrench(limb.joints[1]))
    True
    """

    def __init__(
        self,
        value: Any,
        definitions: Mapping[Symbol, Expr],
        lines: Sequence[tuple[str, Any]] = (),
        divisors: Sequence[Expr] = (),
    ) -> None:
        self.value = value
        self.divisors = tuple(divisors)
        self.definitions = dict(definitions)
        found = [
            (name, *_split_determined(name, part)) for name, part in lines or (("value", value),)
        ]
        self._lines = tuple((name, part) for name, part, _ in found if part is not None)
        self._open = [name for *_, names in found for name in names]

    @property
    def expanded(self) -> Any:
        """The value in terms of the inputs only, without names."""
        from .short_formulas import expand_names

        return expand_names(self.value, self.definitions)

    @property
    def whole(self) -> Any:
        """Deprecated name of `expanded`."""
        from ...checks.deprecation import warn_deprecated

        warn_deprecated("Formula.whole", since="1.1", removed="2.0", use="expanded")
        return self.expanded

    @property
    def _undetermined(self) -> str:
        """The names of the undetermined components as one text."""
        return ("; " if any(" " in name for name in self._open) else ", ").join(self._open)

    def _sympystr(self, printer: Any) -> str:
        lines = [f"{name} = {vsstrrepr(part)}" for name, part in self._lines]
        lines += [f"undetermined: {self._undetermined}"] if self._open else []
        known = [f"    {name} = {vsstrrepr(part)}" for name, part in self.definitions.items()]
        poles = [f"not where {vsstrrepr(part)} = 0" for part in self.divisors]
        return "\n".join([*lines, *(["where"] if known else []), *known, *poles])

    def _pretty(self, printer: Any) -> Any:
        return printer._print_basestring(self._sympystr(printer))

    def _latex(self, printer: Any) -> str:
        """Return LaTeX with a row for each line, definition and divisor."""
        rows = [rf"{_text(name)} &= {_latex_by_components(part)}" for name, part in self._lines]
        if self._open:
            rows.append(rf"\text{{undetermined:}} &\ {', '.join(map(_text, self._open))}")
        known = [f"{latex(name)} &= {latex(part)}" for name, part in self.definitions.items()]
        rows += [r"\text{where} \quad " + known[0], *known[1:]] if known else []
        rows += [rf"\text{{not where}} \quad {latex(part)} &= 0" for part in self.divisors]
        return r"\begin{aligned} " + r" \\ ".join(rows) + r" \end{aligned}"


def varying_divisors(values: Iterable[Expr], definitions: Mapping[Symbol, Expr]) -> list[Expr]:
    """Return the divisors in expressions and their definitions that depend on the pose."""
    found: set[Expr] = set()
    varying: set[Symbol] = set()

    def varies(value: Expr) -> bool:
        return bool(value.atoms(AppliedUndef) or value.free_symbols & varying)

    for symbol, value in definitions.items():
        varying |= {symbol} if varies(value) else set()
    for value in (*values, *definitions.values()):
        found |= {power.base for power in value.atoms(Pow) if power.exp.is_negative}
        found |= {cos(tangent.args[0]) for tangent in value.atoms(tan)}
    return sorted(filter(varies, found), key=str)


def _split_determined(name: str, part: Any) -> tuple[Any, list[str]]:
    """Return the determined part of a value, or None, and the names of its NaN components."""
    if not isinstance(part, Vector):
        return (None, [name]) if part is nan else (part, [])
    open_axes = [
        (axis, x) for matrix, _ in part.args for axis, x in zip("xyz", matrix, strict=True)
    ]
    names = [f"{name[0]}{axis}" for axis, x in open_axes if x is nan]
    known = [(m.applyfunc(lambda x: S.Zero if x is nan else x), frame) for m, frame in part.args]
    return (None if len(names) == 3 else Vector(known)), names


def _latex_by_components(part: Any) -> str:
    """Return a value as LaTeX; a vector has one row per component."""
    if not isinstance(part, Vector):
        return latex(part)
    rows = [
        rf"\left({latex(entry)}\right) {latex(way)}" if entry.is_Add else latex(entry * way)
        for components, frame in part.args
        for entry, way in zip(components, frame, strict=True)
        if entry != 0
    ]
    signed = [row if row.startswith("-") else f"+ {row}" for row in rows[1:]]
    return r" \\ &\quad ".join([*rows[:1], *signed]) or latex(part)


def _text(words: str) -> str:
    """Return words as LaTeX text; words with an underscore are typeset as names."""
    plain = re.compile(r"[A-Za-z0-9\[\],;]+")
    return r"\ ".join(rf"\text{{{x}}}" if plain.fullmatch(x) else upright(x) for x in words.split())


class AbbreviatedPrinting(Printable):
    """A base class of formulas that notebooks abbreviate to their first lines if they are long."""

    __slots__ = ()

    def _parts(self) -> Iterable[Expr]:
        """Return the expressions whose size decides about abbreviation."""
        raise NotImplementedError

    def _short(self) -> Formula:
        """Return the readable form that is shown in place of a long formula."""
        raise NotImplementedError

    def _repr_latex_(self) -> str | None:
        return None if is_long(self._parts()) else super()._repr_latex_()

    def _repr_html_(self) -> str | None:
        """Return the first lines of the readable form of a long formula; None for a short one."""
        if not is_long(self._parts()):
            return None
        from html import escape

        if is_long(self._parts(), HUGE):
            lines = [f"More than {HUGE:,} symbols, numbers and operations: too long to show."]
        else:
            lines = str(self._short()).split("\n")
        most, first = MOST_CHARACTERS, lines[:MOST_LINES]
        shown = [line if len(line) <= most else f"{line[:most]} ..." for line in first]
        if len(lines) > MOST_LINES:
            shown.append(f"... and {len(lines) - MOST_LINES} more lines")
        shown.append("Print it for the full text; `formula` of the model has meaningful names.")
        return f"<pre>{escape(chr(10).join(shown))}</pre>"


class FormulaMatrix(AbbreviatedPrinting, ImmutableDenseMatrix):
    """A matrix of formulas, abbreviated in notebooks if long."""

    def _parts(self) -> Iterable[Expr]:
        return self

    def _latex(self, printer: Any) -> str:
        return latex(ImmutableDenseMatrix(*self.shape, list(self)), printer)

    def _short(self) -> Formula:
        """Return the readable form of the matrix, with a line for each entry."""
        from .short_formulas import write_short_formulas

        graph = Graph()
        values, definitions = write_short_formulas(
            graph, [graph.scalar(entry).ref for entry in self]
        )
        names = [str(list(place)) for place in product(*map(range, self.shape))]
        value = ImmutableDenseMatrix(*self.shape, values)
        return Formula(value, definitions, list(zip(names, values, strict=True)))


def is_long(expressions: Iterable[Expr], most: int = LONG) -> bool:
    """Return whether expressions have more than ``most`` symbols, numbers and operations."""
    parts = chain.from_iterable(map(preorder_traversal, expressions))
    return next(islice(parts, most, None), None) is not None
