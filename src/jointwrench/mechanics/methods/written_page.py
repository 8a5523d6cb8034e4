"""Pages of a derivation in Markdown, LaTeX and HTML: headings, formulas, pictures and tables."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from html import escape
from pathlib import Path

from sympy import Expr, Symbol

from ..dynamics.outputs.derivation_lines import DerivationLine, DerivationStep
from .formula_printer import ROW, FormulaPrinter, Html, Latex

#: The heading of each group of lines in a step.
HEADINGS = {
    "constants": "Abbreviations:",
    "demanded": "What the motion requires of the open tree:",
    "coefficients": "Coefficients of the unknown forces:",
    "balance": "What the unknown forces supply:",
    "solution": "Solved one after the other:",
    "kinematics": "Motion, and points of action:",
    "forces": "Forces:",
    "moments": "Moments:",
    "projection": "Generalized forces:",
    "result": "As joint_wrench returns it:",
}

#: A formula: the left side, and the rows of the right side.
Row = tuple[str, list[str]]

#: The style sheet of HTML pages.
STYLE = Path(__file__).with_suffix(".css")


class Page:
    """A page of Markdown with formulas in LaTeX, and the base of other formats."""

    style: Latex = Latex()

    def __init__(self, masses: Collection[Expr], names: Collection[Symbol]) -> None:
        self.printer = FormulaPrinter(self.style, masses, names)

    def text(self, title: str, blocks: Iterable[str]) -> str:
        return "\n\n".join([f"# {self.words(title)}", *blocks]) + "\n"

    def words(self, words: str) -> str:
        """Return words in which names such as S_1 are printed as symbols."""
        parts = re.split(r"\b([A-Za-z]_\d+)\b", " ".join(words.split()))
        return "".join(
            self.inline(self.style.index(x)) if k % 2 else self.plain(x)
            for k, x in enumerate(parts)
        )

    def plain(self, words: str) -> str:
        return re.sub(r"([\\`*_<>$#&|\[\]])", r"\\\1", words)

    def heading(self, words: str) -> str:
        return f"## {self.words(words)}"

    def paragraph(self, words: str) -> str:
        return self.words(words)

    def picture(self, path: str) -> str:
        return f"![free body]({path})"

    def inline(self, formula: str) -> str:
        return f"${formula}$"

    def formulas(self, words: str, rows: Sequence[Row]) -> str:
        return f"{words}\n\n$$\n\\begin{{aligned}}\n{_aligned(rows)}\n\\end{{aligned}}\n$$"

    def table(self, rows: Sequence[Sequence[str]]) -> str:
        """Return a table whose first cells are formulas."""
        lines = [f"| ${row[0]}$ | {' | '.join(map(self.words, row[1:]))} |" for row in rows]
        return "\n".join(["| | x | y | z | | axes |", "|---|---|---|---|---|---|", *lines])

    def blocks(
        self,
        steps: Sequence[DerivationStep],
        pictures: Mapping[str, str],
        numbers: Mapping[DerivationLine, Sequence[str]],
        state: str = "",
    ) -> Iterator[str]:
        """Yield the blocks of a page after its title.

        ``pictures`` are files by body, ``numbers`` the cells of the table by line; both are those
        of ``state``.
        """
        if state:
            yield self.paragraph(f"Pictures and numbers are at {state}.")
        for number, step in enumerate(steps, 1):
            yield self.heading(f"{number}. {step.title}")
            yield self.paragraph(step.text)
            if step.body in pictures:
                yield self.picture(pictures[step.body])
            for part, words in HEADINGS.items():
                if rows := self._rows(step, part):
                    yield self.formulas(self.words(words), rows)
            if step.divisors:
                zeros = [self.inline(f"{self.printer.text(x)} = 0") for x in step.divisors]
                yield f"This divides by zero where {', or '.join(zeros)}."
            if own := [(line, numbers[line]) for line in step.lines if line in numbers]:
                yield self.table([(self.printer.name(line.name), *cells) for line, cells in own])

    def _rows(self, step: DerivationStep, part: str) -> list[Row]:
        """Return the formulas of a step's group of lines, such as "forces", with their sum."""
        lines: list[DerivationLine] = getattr(step, part)
        ends = [x for x in step.wrench if x.quantity == part[:-1]]
        shown = [line for line in (*lines, *ends) if not _is_redundant_line(line)]
        names = [self.printer.name(line.name.removeprefix("-")) for line in shown]
        room = ROW - max(map(self.style.width, names), default=0)
        rows = [(x, self._values(line, room)) for x, line in zip(names, shown, strict=True)]
        if ends and lines:
            whole, *rest = [self.printer.name(x.name) for x in lines]
            total = [whole, *map(self.printer.added, rest)]
            rows.insert(0, (self.printer.name(ends[0].name), self.printer.broken(total, room)))
        return rows

    def _values(self, line: DerivationLine, room: int) -> list[str]:
        value = tuple(-x for x in line.value) if line.name.startswith("-") else line.value
        frame = "" if line.frame is None else re.sub(r"_frame(?=$|_\d$)", "", line.frame.name)
        return self.printer.rows(value, frame, room)


class LatexPage(Page):
    """A document of LaTeX."""

    def text(self, title: str, blocks: Iterable[str]) -> str:
        head = (
            "\\documentclass{article}\n\\usepackage[utf8]{inputenc}\n\\usepackage{amsmath}\n"
            "\\usepackage{graphicx}\n\\usepackage[margin=25mm]{geometry}\n"
            "\\setlength{\\parindent}{0pt}\n\\allowdisplaybreaks\n\\begin{document}"
        )
        first = f"\\section*{{{self.words(title)}}}"
        return "\n\n".join([head, first, *blocks, "\\end{document}"]) + "\n"

    def plain(self, words: str) -> str:
        return self.style.words(words)

    def heading(self, words: str) -> str:
        return f"\\subsection*{{{self.words(words)}}}"

    def picture(self, path: str) -> str:
        return (
            "\\begin{center}\n\\includegraphics[width=0.5\\textwidth]"
            f"{{\\detokenize{{{path}}}}}\n\\end{{center}}"
        )

    def formulas(self, words: str, rows: Sequence[Row]) -> str:
        return f"{words}\n\\begin{{align*}}\n{_aligned(rows)}\n\\end{{align*}}"

    def table(self, rows: Sequence[Sequence[str]]) -> str:
        cells = [" & ".join([f"${row[0]}$", *map(self.words, row[1:])]) for row in rows]
        body = " \\\\\n".join([" & $x$ & $y$ & $z$ & & axes", "\\hline " + cells[0], *cells[1:]])
        body = f"\\begin{{tabular}}{{lrrrll}}\n{body}\n\\end{{tabular}}"
        return f"\\begin{{center}}\n{body}\n\\end{{center}}"


class HtmlPage(Page):
    """A page that needs neither scripts nor a network."""

    style = Html()

    def text(self, title: str, blocks: Iterable[str]) -> str:
        head = (
            '<!DOCTYPE html>\n<html lang="en"><meta charset="utf-8">'
            f"<title>{escape(title)}</title>\n<style>\n{STYLE.read_text('utf-8')}</style>"
        )
        return "\n".join([head, f"<h1>{self.words(title)}</h1>", *blocks, "</html>"]) + "\n"

    def plain(self, words: str) -> str:
        return escape(words)

    def heading(self, words: str) -> str:
        return f"<h2>{self.words(words)}</h2>"

    def paragraph(self, words: str) -> str:
        return f"<p>{self.words(words)}</p>"

    def picture(self, path: str) -> str:
        return f'<img src="{escape(path)}" alt="free body">'

    def inline(self, formula: str) -> str:
        return formula

    def formulas(self, words: str, rows: Sequence[Row]) -> str:
        cells = [f"<tr><td>{head}</td><td>=</td><td>{''.join(x)}</td></tr>" for head, x in rows]
        return "\n".join([f"<p>{words}</p>", "<table>", *cells, "</table>"])

    def table(self, rows: Sequence[Sequence[str]]) -> str:
        shown = [("", *"xyz", "", "axes"), *((row[0], *map(self.words, row[1:])) for row in rows)]
        cells = ["".join(f"<td>{x}</td>" for x in row) for row in shown]
        lines = [f"<tr>{row}</tr>" for row in cells]
        return "\n".join(['<table class="numbers">', *lines, "</table>"])


def _is_redundant_line(line: DerivationLine) -> bool:
    """Whether a line is omitted: ``m a`` after ``a``, or a vector whose components have names."""
    own = {f"{line.name}_{axis}" for axis in "xyz"}
    return (line.role == "m a" and line.quantity == "force") or (
        line.role == "joint" and all(x == 0 or str(x) in own for x in line.value)
    )


def _aligned(rows: Iterable[Row]) -> str:
    lines = []
    for head, (first, *others) in rows:
        lines.append(f"{head} &= {first}")
        lines += [rf"&\quad {{}}{row}" for row in others]
    return " \\\\\n".join(lines)
