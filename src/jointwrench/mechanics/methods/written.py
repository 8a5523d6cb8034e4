"""`WrittenDerivation`: how a joint's wrench comes about, as a text whose every line is checked."""

import os
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
from sympy import Expr, Symbol, fraction
from sympy.core.function import AppliedUndef
from sympy.physics.vector.printing import VectorLatexPrinter
from sympy.printing.mathml import MathMLPresentationPrinter

from ...checks.arguments import check_choice, describe
from ...checks.numbers import check_integer
from ...checks.tolerances import UNSIZED
from ..arithmetic.formula import is_long
from ..arithmetic.graph import Scalar
from ..arithmetic.program import Output
from ..dynamics.derivation import Derivation
from ..dynamics.outputs.derivation_steps import DerivationLine, DerivationStep
from ..dynamics.outputs.model_outputs import ModelOutputs
from ..evaluation.compilation import BACKENDS, compile_program
from ..evaluation.evaluator import Evaluator
from ..evaluation.inputs import Inputs

#: How many letters a row holds, and what is introduced before which lines.
ROW = 95
PARTS_OF_STEP = {
    "kinematics": "Motion:",
    "forces": "Forces:",
    "moments": "Moments:",
    "wrench": "Together:",
    "projection": "Along the speeds:",
}

#: Symbols, numbers and operations beyond which a component is not shown, and what is said then.
TOO_LONG, UNSHOWN = 500, "too long to show: the value of this line has it"

_LATEX = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}


@dataclass(frozen=True, eq=False, repr=False)
class WrittenDerivation:
    """How a joint's wrench comes about, line by line, from the tips to the joint.

    Made by `InverseDynamics.derivation`.  It shows itself in notebooks; ``print`` gives Markdown.

    Parameters
    ==========

    title : str
        What is derived.
    steps : tuple of DerivationStep
        The steps.
    names : dict of Symbol to Scalar
        What the names in the lines stand for.
    outputs : ModelOutputs
        What makes programs of the model.

    Attributes
    ==========

    title : str
        What is derived.
    steps : tuple of DerivationStep
        One for each body that is cut free; before them how bodies move that lead there, if their
        motion has names, and which equations unknown forces solve.
    lines : list of DerivationLine
        The lines of all steps: value, frame, role, on what, by what, about which point.

    See Also
    ========

    InverseDynamics.derivation : Makes it.
    InverseDynamics.formula : The result alone.

    Notes
    =====

    Terms are what the joint supplies on the outer body by the inner one, so that they sum to its
    wrench: what balances weight and loads, what changes momentum, and what is passed on to other
    joints.  A component of more than 500 symbols, numbers and operations is not shown; it is in
    the line's ``value``, and checked.  A name such as ``F_knee_x`` stands for what an earlier step
    has found.

    Examples
    ========

    >>> import jointwrench as jw
    >>> limb = jw.SerialChain.planar(2, gravity=(0, -9.81, 0))
    >>> text = jw.InverseDynamics(limb.system).derivation("S_0")
    >>> [step.title for step in text.steps]
    ['Cut S_1 free at S_1', 'Cut S_0 free at S_0']
    >>> [line.role for line in text.steps[1].forces]
    ['weight', 'joint', 'm a']
    >>> bool(text.check().max() < 1e-12)
    True
    """

    title: str
    steps: tuple[DerivationStep, ...]
    names: dict[Symbol, Scalar] = field(repr=False)
    outputs: ModelOutputs = field(repr=False)

    @property
    def lines(self) -> list[DerivationLine]:
        """The lines of all steps, in their order."""
        return [line for step in self.steps for line in step.lines]

    # -- checking -------------------------------------------------------------------

    def check(self, states: int = 20, backend: str = "numpy") -> np.ndarray:
        """Return how far each line is from the compiled kernel, in the order of `lines`.

        It is the largest deviation at random states, relative to the largest value of the line
        there (or, of lines that are nearly nothing, to 1e-4 of the largest line).

        Parameters
        ==========

        states : int
            How many random states; with loops all have the same pose, in which they are closed.
        backend : {"numpy", "c", "auto"}
            What compiles the kernel.

        Raises
        ======

        TypeError, ValueError
            If ``states`` is no positive integer, or there is no such backend.

        See Also
        ========

        InverseDynamics.derivation : Makes the text.

        Examples
        ========

        >>> import jointwrench as jw
        >>> text = jw.InverseDynamics(jw.SerialChain.planar(1).system).derivation("S_0")
        >>> bool(text.check(states=5).max() < 1e-12)
        True
        """
        count = check_integer("states", states)
        check_choice("backend", backend, BACKENDS)
        lines, names = self.lines, list(self.names.values())
        scalars = [*names, *(x for line in lines for x in line.scalars)]
        output = Output.from_scalars("lines", (len(scalars),), scalars)
        evaluate: Evaluator = compile_program(self.outputs.program([output]), backend=backend)
        inputs = _random_inputs(self.outputs, count)
        kernel = np.broadcast_to(
            evaluate(**inputs.arguments(evaluate)).lines, (count, len(scalars))
        )
        samples = dict(zip(self.names, kernel.T, strict=False))
        known = Inputs({**inputs.samples, **samples}, inputs.constants)
        written = known.evaluate([x for line in lines for x in line.value])
        kernel, start, found = kernel[:, len(names) :], 0, []
        largest = np.abs(kernel).max(initial=0)
        for line in lines:
            part = slice(start, start := start + len(line.value))
            size = max(np.abs(kernel[:, part]).max(initial=0), UNSIZED * largest)
            found.append(np.abs(written[:, part] - kernel[:, part]).max(initial=0) / (size or 1))
        return np.array(found)

    # -- text -----------------------------------------------------------------------

    def to_markdown(self, path: Any = None) -> str:
        r"""Return the text as Markdown with formulas in LaTeX, and save it if there is a ``path``.

        Raises
        ======

        TypeError
            If ``path`` is no path.

        See Also
        ========

        InverseDynamics.derivation : Makes the text.

        Examples
        ========

        >>> import jointwrench as jw
        >>> text = jw.InverseDynamics(jw.SerialChain.planar(1).system).derivation("S_0")
        >>> print(text.to_markdown().split(chr(10))[2])
        ## 1. Cut S\_0 free at S\_0
        """
        pieces = [f"# {_markdown(self.title)}"]
        for number, step in enumerate(self.steps, 1):
            pieces += [f"## {number}. {_markdown(step.title)}", _markdown(step.text)]
            for words, rows in self._blocks(step):
                body = " \\\\\n".join(rows)
                pieces += [words, f"$$\n\\begin{{aligned}}\n{body}\n\\end{{aligned}}\n$$"]
        return _saved("\n\n".join(pieces) + "\n", path)

    def to_latex(self, path: Any = None) -> str:
        """Return the text as a LaTeX document, and save it if there is a ``path``.

        Raises
        ======

        TypeError
            If ``path`` is no path.

        See Also
        ========

        InverseDynamics.derivation : Makes the text.

        Examples
        ========

        >>> import jointwrench as jw
        >>> text = jw.InverseDynamics(jw.SerialChain.planar(1).system).derivation("S_0")
        >>> text.to_latex().endswith("document}" + chr(10))
        True
        """
        pieces = [
            "\\documentclass{article}\n\\usepackage[utf8]{inputenc}\n\\usepackage{amsmath}\n"
            "\\allowdisplaybreaks\n\\begin{document}",
            f"\\section*{{{_escaped(self.title)}}}",
        ]
        for number, step in enumerate(self.steps, 1):
            pieces += [f"\\subsection*{{{number}. {_escaped(step.title)}}}", _escaped(step.text)]
            for words, rows in self._blocks(step):
                body = " \\\\\n".join(rows)
                pieces += [f"{words}\n\\begin{{align*}}\n{body}\n\\end{{align*}}"]
        return _saved("\n\n".join([*pieces, "\\end{document}"]) + "\n", path)

    def to_html(self, path: Any = None) -> str:
        """Return the text as a page of HTML and MathML, and save it if there is a ``path``.

        The page needs neither scripts nor a network.

        Raises
        ======

        TypeError
            If ``path`` is no path.

        See Also
        ========

        InverseDynamics.derivation : Makes the text.

        Examples
        ========

        >>> import jointwrench as jw
        >>> text = jw.InverseDynamics(jw.SerialChain.planar(1).system).derivation("S_0")
        >>> "<script" in text.to_html()
        False
        """
        pieces = [f"<h1>{escape(self.title)}</h1>"]
        for number, step in enumerate(self.steps, 1):
            pieces += [f"<h2>{number}. {escape(step.title)}</h2>", f"<p>{escape(step.text)}</p>"]
            for part, words in PARTS_OF_STEP.items():
                if lines := getattr(step, part):
                    rows = "\n".join(map(_table_row, lines))
                    pieces.append(f"<p>{words}</p>\n<table>\n{rows}\n</table>")
        head = f'<!DOCTYPE html>\n<html lang="en"><meta charset="utf-8"><title>{escape(self.title)}'
        return _saved("\n".join([f"{head}</title>", *pieces, "</html>"]) + "\n", path)

    def _blocks(self, step: DerivationStep) -> Iterator[tuple[str, list[str]]]:
        """Yield what is written before some lines, and their rows."""
        printer = _Latex(_masses(self.outputs.derivation), self.names)
        for part, words in PARTS_OF_STEP.items():
            if lines := getattr(step, part):
                yield words, [row for line in lines for row in _rows(printer, line)]

    def __repr__(self) -> str:
        return f"<{self.title}: {len(self.steps)} steps, {len(self.lines)} lines>"

    def __str__(self) -> str:
        return self.to_markdown()

    def _repr_markdown_(self) -> str:
        return self.to_markdown()


def _random_inputs(outputs: ModelOutputs, count: int) -> Inputs:
    """Return random values of a model's inputs, in a closed pose if it has loops."""
    tree, random = outputs.derivation.tree, np.random.default_rng(20200710)
    groups, samples, constants = outputs.inputs, dict[Expr, np.ndarray](), dict[Expr, float]()
    for name, symbols in groups.items():
        for symbol in symbols:
            values = random.uniform(0.3, 1.0, count)
            if name == "constants":
                constants[symbol] = float(values[0])
            else:
                samples[symbol] = values
    for group in tree.unit_quaternions:
        size = np.sqrt(sum(samples[q] ** 2 for q in group))
        samples.update({q: samples[q] / size for q in group})
    if tree.constraints:
        given = outputs.derivation.supply.state.given
        known = {x: float(value.value) for x, value in given.items()}
        constants.update({x: known[x] for x in constants if x in known})
        fixed = [x for x in samples if x in known and x not in tree.speeds]
        samples.update({x: np.full(count, known[x]) for x in fixed if x not in tree.accelerations})
    return Inputs(samples, constants, tree.speeds, samples.get(tree.time))


def _masses(derivation: Derivation) -> frozenset[Expr]:
    return frozenset(x for link in derivation.tree.links for x in link.mass.free_symbols)


class _Latex(VectorLatexPrinter):
    """Writes products as people do: numbers, masses, lengths, motion, sines and cosines."""

    def __init__(self, masses: frozenset[Expr], names: Collection[Symbol]) -> None:
        super().__init__({"order": None})
        self._masses, self._names = masses, names

    def pieces(self, value: Expr, is_factor: bool = False) -> list[str]:
        """Return the text of a value in pieces between which a row may end."""
        if is_long([value], TOO_LONG):
            return [rf"\bigl(\text{{{UNSHOWN}}}\bigr)"]
        text = self._print(value)
        if _width(text) <= ROW:
            return [rf"\left({text}\right)" if value.is_Add and is_factor else text]
        if value.is_Add:
            found = [self.pieces(x) for x in self._ordered(value)]
            for own in found[1:]:
                own[0] = f" - {own[0][1:].lstrip()}" if own[0][0] == "-" else f" + {own[0]}"
            flat = [piece for own in found for piece in own]
            return [rf"\bigl({flat[0]}", *flat[1:-1], rf"{flat[-1]}\bigr)"] if is_factor else flat
        sums = [x for x in value.as_ordered_factors() if x.is_Add]
        if not sums or fraction(value)[1] != 1:
            return [text]
        longest = max(sums, key=lambda x: x.count_ops())
        before = self._print(value / longest)
        inner = self.pieces(longest, True)
        inner[0] = {"1": "", "- 1": "- "}.get(before, f"{before} ") + inner[0]
        return inner

    def _print_Symbol(self, symbol: Any, style: str = "plain") -> str:
        found = _NAMED.fullmatch(symbol.name) if symbol in self._names else None
        if found is None:
            return super()._print_Symbol(symbol)
        letter, name, axis = found.groups()
        return rf"{_letter(letter)}_{{\text{{{_escaped(name)}}},{axis}}}"

    def _rank(self, factor: Expr) -> tuple[int, str]:
        base = factor.as_base_exp()[0]
        if base.is_Function and not isinstance(base, AppliedUndef):
            rank = 5
        elif base.has(AppliedUndef):
            rank = 4 if base.is_Add else 3
        else:
            rank = 0 if base in self._masses else 2 if base.is_Add else 1
        return rank, str(factor)

    def _print_Mul(self, product: Any) -> str:
        above, below = fraction(product)
        number, rest = above.as_coeff_Mul()
        sign, number = ("- ", -number) if number.is_negative else ("", number)
        factors = sorted(rest.as_ordered_factors(), key=self._rank) if rest != 1 else []
        texts = [self._bracketed(x) for x in factors]
        if number != 1 or not texts:
            texts = [self._print(number), *texts]
        text = r" \, ".join(texts) if any(x[0].isdigit() for x in texts[1:]) else " ".join(texts)
        return f"{sign}{text}" if below == 1 else rf"{sign}\frac{{{text}}}{{{self._print(below)}}}"

    def _bracketed(self, factor: Any) -> str:
        text = self._print(factor)
        return rf"\left({text}\right)" if factor.is_Add else text

    def _print_Add(self, expression: Any, order: Any = None) -> str:
        first, *others = map(self._print, self._ordered(expression))
        signed = (f" - {x[1:].lstrip()}" if x[0] == "-" else f" + {x}" for x in others)
        return "".join([first, *signed])

    def _ordered(self, expression: Any) -> list[Expr]:
        """Return the terms of a sum, those with a minus last."""
        return sorted(expression.as_ordered_terms(), key=lambda x: x.could_extract_minus_sign())


def _rows(printer: _Latex, line: DerivationLine) -> list[str]:
    """Return a line as rows of LaTeX that are not too long."""
    pairs = [(x, axis) for x, axis in zip(line.value, _axes(line), strict=True) if x != 0]
    rows, row = list[str](), ""
    for value, axis in pairs:
        pieces = printer.pieces(value, bool(axis))
        sign = "" if not (rows or row) else " " if pieces[0].startswith("-") else " + "
        pieces[0] = sign + pieces[0]
        pieces[-1] += axis
        if row and _width(row + "".join(pieces)) > ROW:
            rows, row = [*rows, row], ""
        for piece in pieces:
            if row and _width(row + piece) > ROW:
                rows, row = [*rows, row], ""
            row += piece
    rows.append(row or "0")
    return [f"{_head(printer, line)} &= {rows[0]}", *(rf"&\quad {{}}{row}" for row in rows[1:])]


def _axes(line: DerivationLine) -> list[str]:
    """Return the unit vectors of a line's components."""
    if line.frame is None:
        return [""]
    name = _escaped(line.frame.name)
    return [rf"\,\hat{{\mathbf {x}}}_{{\text{{{name}}}}}" for x in "xyz"]


def _width(text: str) -> int:
    """Return about how many letters a row of LaTeX has."""
    text = re.sub(r"\\text\{[^}]*\}|\\(left|right|bigl|bigr|mathbf|quad|hat|frac|dot)", "", text)
    return len(re.sub(r"\\[A-Za-z]+", "abc", re.sub(r"[{}_^\s\\,]", "", text)))


_NAMED = re.compile(r"([a-zA-Z]+)_(.*)_([xyz]|\d+)_*")
_HEAD = re.compile(r"(omega|alpha|a|F|M)_(.*)")


def _letter(name: str) -> str:
    return name if len(name) == 1 else f"\\{name}"


def _head(printer: _Latex, line: DerivationLine) -> str:
    """Return the name of a line as LaTeX: a letter with an index, or words."""
    if line.role == "m a":
        return r"m\,a" if line.name == "m a" else r"r_{C} \times m\,a"
    if line.name == "I alpha + omega x I omega":
        return r"I \alpha + \omega \times I \omega"
    if found := _HEAD.fullmatch(line.name):
        return rf"{_letter(found[1])}_{{\text{{{_escaped(found[2])}}}}}"
    if line.name[:2] in ("Q_", "D_"):
        return rf"{line.name[0]}_{{{printer._print(Symbol(line.name[2:]))}}}"
    return rf"\text{{{_escaped(line.name)}}}"


def _escaped(words: str) -> str:
    """Return words for LaTeX."""
    return "".join(_LATEX.get(x, f"\\{x}" if x in "_#$%&{}" else x) for x in words)


def _markdown(words: str) -> str:
    return re.sub(r"([\\`*_<>$#\[\]])", r"\\\1", words)


class _MathML(MathMLPresentationPrinter):
    """Writes functions of time as their names, with dots for derivatives."""

    def _print_AppliedUndef(self, function: Any) -> Any:
        return self._print(Symbol(str(function.func)))

    def _print_Function(self, function: Any) -> Any:
        is_plain = isinstance(function, AppliedUndef)
        return self._print_AppliedUndef(function) if is_plain else super()._print_Function(function)

    def _print_Derivative(self, derivative: Any) -> Any:
        over = self.dom.createElement("mover")
        over.appendChild(self._print(derivative.expr))
        dots = self.dom.createElement("mo")
        dots.appendChild(self.dom.createTextNode("\u02d9" * derivative.derivative_count))
        over.appendChild(dots)
        return over


def _table_row(line: DerivationLine) -> str:
    """Return a line as a row of a table: name, sign, components."""
    marks = [""] if line.frame is None else [f" <b>{x}</b>" for x in "xyz"]
    parts = [
        (f"({UNSHOWN})" if is_long([x], TOO_LONG) else f"<math>{_MathML().doprint(x)}</math>")
        + mark
        for x, mark in zip(line.value, marks, strict=True)
        if x != 0
    ]
    return f"<tr><td>{escape(line.name)}</td><td>=</td><td>{',<br>'.join(parts) or '0'}</td></tr>"


def _saved(text: str, path: Any) -> str:
    if path is not None:
        if not isinstance(path, (str, os.PathLike)):
            raise TypeError(f"`path` must be a path, got {describe(path)}. Use 'derivation.md'.")
        Path(path).write_text(text, encoding="utf-8")
    return text
