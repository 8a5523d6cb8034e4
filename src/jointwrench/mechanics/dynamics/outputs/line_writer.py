"""Lines of a derivation, each vector in the frame in which it is shortest, and their names."""

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from sympy import Expr, Symbol
from sympy.physics.vector import ReferenceFrame

from ...arithmetic.graph import Scalar
from ...arithmetic.short_formulas import Reader
from ...arithmetic.vectors import Vec
from ..derivation import Derivation
from .derivation_lines import DerivationLine, Words
from .wrench_formulas import express_in

#: Number of terms up to which a value is expanded to find a short form.
MOST_TERMS = 120

#: Number of frames towards ground in which a vector is tried, and the factor by which its number of
#: terms may grow before the search ends.
MOST_FRAMES, HILL = 8, 3

AXES = "xyz"


class FramedVector(NamedTuple):
    """A vector by its components in a frame."""

    vector: Vec
    frame: ReferenceFrame


class LineWriter:
    """Writes lines and names their values; it stores the exact values of these names."""

    def __init__(self, written: Derivation) -> None:
        self.tree, self.graph = written.tree, written.graph
        self.reader = Reader(self.graph, MOST_TERMS)
        self.names: dict[Symbol, Scalar] = {}
        self._taken = {word_of(x) for x in (*self.tree.states, *written.symbols)}

    def new_symbol(self, name: str, mark: str = "_") -> Symbol:
        """Return an unused symbol, with ``mark`` appended as long as the name is taken."""
        while name in self._taken:
            name += mark
        self._taken.add(name)
        return Symbol(name)

    def name(self, name: str, own: Scalar, true: Scalar) -> None:
        """Use a symbol for ``own`` in all later lines; ``true`` is its exact value."""
        if not own.is_zero:
            symbol = self.new_symbol(name)
            self.names[symbol] = true
            self.reader.name(own.ref, symbol)

    def name_components(
        self, name: str, shown: FramedVector, true: FramedVector, is_worth: Callable[[Expr], bool]
    ) -> bool:
        """Name the components of a vector for which ``is_worth`` is true; return whether there is
        one.
        """
        pairs = zip(AXES, shown.vector.components, true.vector.components, strict=True)
        worthy = [x for x in pairs if is_worth(self.reader.expression(x[1].ref))]
        for axis, own, exact in worthy:
            self.name(f"{name}_{axis}", own, exact)
        return bool(worthy)

    def scalar(self, words: Words, own: Scalar, true: Scalar) -> DerivationLine:
        """Return the line of a scalar; ``true`` is its exact value."""
        return DerivationLine(*words, (self.reader.expression(own.ref),), None, (true,))

    def vector(
        self,
        lines: list[DerivationLine],
        words: Words,
        own: FramedVector,
        true: FramedVector,
        index: int,
    ) -> tuple[FramedVector, FramedVector]:
        """Append the line of a vector unless it is zero; return both in the line's frame."""
        shown = self._shortest(own, index)
        exact = self.rotated(true, shown.frame)
        value = tuple(self.reader.expression(x.ref) for x in shown.vector.components)
        if any(value):
            lines.append(DerivationLine(*words, value, shown.frame, exact.vector.components))
        return shown, exact

    def rotated(self, seen: FramedVector, frame: ReferenceFrame) -> FramedVector:
        """Return a vector in another frame."""
        return FramedVector(express_in(self.tree, *seen, frame), frame)

    def _shortest(self, seen: FramedVector, index: int) -> FramedVector:
        """Return a vector in the frame between a link and ground in which it has fewest terms."""
        own = self.tree.links[index].frame
        found: list[tuple[int, bool, int, FramedVector]] = []
        for end in dict.fromkeys((own, self.tree.frame)):
            here, least = seen, MOST_TERMS
            for frame in self._frames_between(seen.frame, end):
                here = self.rotated(here, frame)
                count = self.reader.count_terms([x.ref for x in here.vector.components])
                found.append((count, frame is not own, len(found), here))
                least = min(least, count)
                if count > HILL * least:
                    break
        return min(found)[-1]

    def _frames_between(self, start: ReferenceFrame, end: ReferenceFrame) -> list[ReferenceFrame]:
        """Return the first frames on the path from one frame to another."""
        frames = self.tree.geometry.frames_about(start, end)
        return frames[: frames.index(end) + 1][:MOST_FRAMES]

    def label(self, source: Any) -> str:
        """Return the label of a point in names: that of its body or joint, if sympy named it."""
        name = str(getattr(source, "name", source))
        for link in self.tree.links:
            body, joint = link.body.name, getattr(link.joint, "name", "")
            if joint != body and name in (f"{body}_masscenter", f"{joint}_{body}_joint"):
                return word_of(body if name == f"{body}_masscenter" else joint)
        return word_of(name)


def word_of(source: Any) -> str:
    """Return a name with fixed spaces, since spaces separate the words of a line."""
    return re.sub(r"\s", "\u00a0", str(getattr(source, "name", source)))
