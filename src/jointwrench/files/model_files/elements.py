"""`Elements`: what stands in a model file, and all that is wrong with it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from ...checks.problems import Problems
from ..xml_tree import Element
from .inertial import Inertial

#: What can be done with masses and inertias that no body can have.
NONPHYSICAL = ("refuse", "keep")


@dataclass(eq=False, kw_only=True)
class Elements:
    """The parts of a model file: what is wrong, which masses no body can have, what is not read."""

    problems: Problems = field(default_factory=Problems)
    nonphysical: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)

    def named(self, elements: Iterable[Element]) -> Iterator[tuple[str, Element]]:
        """Yield elements with their names; without one, or with that of another, is a problem."""
        known: dict[str, Element] = {}
        for element in elements:
            name = element.attributes.get("name", "")
            if not name.strip():
                self.problems.add(f"{element} has no name.")
            elif name in known:
                self.problems.add(f"{element} has the name of that on line {known[name].line}.")
            else:
                known[name] = element
                yield name, element

    def check_inertial(self, owner: str, inertial: Inertial) -> None:
        """Keep why no body can have a mass distribution."""
        self.nonphysical += [f"{owner}: {problem}." for problem in inertial.problems()]

    def raise_problems(self, expected: str, title: str, nonphysical: str) -> None:
        """Raise one ValueError for all that is wrong: each element with its line.

        ``expected`` is what the file must be, ``title`` what it is called, ``nonphysical`` one of
        `NONPHYSICAL`.
        """
        if self.nonphysical and nonphysical == "refuse":
            for text in self.nonphysical:
                self.problems.add(text)
            self.problems.add("Use nonphysical='keep' to take such bodies as they are.")
        self.problems.raise_all(f"`source` must be {expected}, but in {title}")
