"""Pages of derivations with free-body diagrams (extra ``plot``)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from textwrap import fill
from typing import Any, Literal

import numpy as np

from .. import DerivationNumbers, WrittenDerivation
from ..checks.arguments import check_choice, check_instance, check_mapping
from ..checks.deprecation import deprecated
from ..checks.display import plural
from ..checks.files import replaceable_file
from ..checks.numbers import check_bool
from ..checks.pickles import Pickled
from ..drawing.axes import new_axes
from ..drawing.labels import indexed, typeset
from .actions import BodyNumbers, Quantity, bodies_of, state_of
from .free_body import VIEWS, WIDE, FreeBody, draw_free_bodies
from .picture_inputs import inverse_dynamics_of

#: Writers of pages, by the suffix.
WRITERS = {".md": "to_markdown", ".tex": "to_latex", ".html": "to_html"}

#: Roles of lines that are an observer's fictitious forces.
FICTITIOUS = ("d'Alembert", "Euler", "centrifugal", "Coriolis")

#: Dots per inch of pictures.
RESOLUTION = 150


@dataclass(frozen=True, eq=False, repr=False)
class DerivationPage(Pickled):
    """A derivation with a free-body diagram of each body; made by `draw_derivation`.

    Parameters
    ==========

    text : WrittenDerivation
        The derivation.
    numbers : DerivationNumbers
        The state of the pictures, and the lines that are also shown in numbers.
    bodies : dict of str to FreeBody
        The pictures, by the names of bodies.

    See Also
    ========

    draw_derivation : Makes it.

    Examples
    ========

    >>> import jointwrench as jw
    >>> idyn = jw.InverseDynamics(jw.SerialChain.planar(1).system)
    >>> state, values = ([0.5], [0], [2]), dict.fromkeys(idyn.constants, 1.0)
    >>> jw.pictures.draw_derivation(idyn.derivation("S_0"), idyn, state, values)
    DerivationPage(1 picture; .save('page.html') writes it)
    """

    text: WrittenDerivation
    numbers: DerivationNumbers
    bodies: Mapping[str, FreeBody]

    def save(self, path: Any) -> list[Path]:
        """Save the page and its pictures; return their files, the page first.

        The name of the page ends with ``.md`` (Markdown), ``.tex`` (LaTeX) or ``.html``.  Pictures
        are saved in the same folder, with a number after the name.

        Raises
        ======

        TypeError, ValueError, FileNotFoundError
            If ``path`` is not a path, has another ending, or there is no such folder.

        See Also
        ========

        draw_derivation : Makes the page.

        Examples
        ========

        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> import jointwrench as jw
        >>> idyn = jw.InverseDynamics(jw.SerialChain.planar(2, gravity=(0, -9.81, 0)).system)
        >>> state, text = ([0.5, 1.0], [0, 0], [0, 0]), idyn.derivation("S_0")
        >>> page = jw.pictures.draw_derivation(text, idyn, state, dict.fromkeys(idyn.constants, 1))
        >>> with TemporaryDirectory() as folder:
        ...     files = page.save(Path(folder) / "chain.html")
        >>> [file.name for file in files]
        ['chain.html', 'chain_1.png', 'chain_2.png']
        """
        from matplotlib.pyplot import close

        place = replaceable_file("path", path)
        check_choice("path", place.suffix, WRITERS)
        axes = [new_axes(figsize=(WIDE * 4.0, 4.0)) for _ in self.bodies]
        for ax, name in zip(axes, self.bodies, strict=True):
            title = f"{typeset(name)} at {self.numbers.state}"
            ax.set_title(fill(title, 70, break_on_hyphens=False), fontsize="small")
        draw_free_bodies(axes, list(self.bodies.values()), None)
        names = (f"{place.stem}_{k}.png" for k in range(1, len(axes) + 1))
        files = [replaceable_file("path", place.with_name(name)) for name in names]
        for ax, file in zip(axes, files, strict=True):
            ax.figure.savefig(file, dpi=RESOLUTION, bbox_inches="tight")
            close(ax.figure)
        pictures = dict(zip(self.bodies, (x.name for x in files), strict=True))
        getattr(self.text, WRITERS[place.suffix])(place, pictures, self.numbers)
        return [place, *files]

    def __repr__(self) -> str:
        count = plural(len(self.bodies), "pictures")
        return f"DerivationPage({count}; .save('page.html') writes it)"


def draw_derivation(
    text: WrittenDerivation,
    idyn: Any,
    motion: Any,
    constants: Mapping[Any, float] | None = None,
    specifieds: Mapping[Any, Any] | None = None,
    *,
    at: float | None = None,
    view: Literal["xy", "xz", "yz"] = "xy",
    numbers: bool = False,
    units: Mapping[str, str] | None = None,
) -> DerivationPage:
    """Return a page of a derivation with a free-body diagram of each body in one state.

    Arrows have the names of the text; an observer's fictitious forces are among them.  The page
    and its pictures state the instant, coordinates and speeds.

    Parameters
    ==========

    text : WrittenDerivation
        The derivation of `InverseDynamics.derivation`.
    idyn, motion, constants, specifieds, at, view : optional but the first two
        As for `plot_free_body`.
    numbers : bool
        Whether the page also has a table of all lines in numbers.
    units : mapping of str to str, optional
        As for `WrittenDerivation.numbers`.

    Raises
    ======

    TypeError, ValueError
        If ``text`` is not a derivation; else as for `plot_free_body`.

    See Also
    ========

    plot_free_body : The picture of one body.

    Examples
    ========

    >>> import jointwrench as jw
    >>> idyn = jw.InverseDynamics(jw.SerialChain.planar(1).system)
    >>> state, values = ([0.5], [0], [2]), dict.fromkeys(idyn.constants, 1.0)
    >>> page = jw.pictures.draw_derivation(idyn.derivation("S_0"), idyn, state, values)
    >>> page.numbers.state
    "q_0 = 0.5, u_0 = 0, u_0' = 2"
    """
    check_instance("text", text, WrittenDerivation, "what idyn.derivation(joint) returns")
    idyn = inverse_dynamics_of("idyn", idyn)
    check_bool("numbers", numbers)
    check_choice("view", view, VIEWS)
    values = check_mapping("constants", constants)
    result = state_of(idyn, motion, at, values, specifieds)
    found = text.numbers(motion, constants, specifieds, at, units)
    drawn = {}
    for step in text.steps:
        if step.body:
            (body,) = bodies_of(idyn, step.body)
            own = BodyNumbers(idyn, result, body, values)
            drawn[step.body] = FreeBody(own, view, fictitious_of(step, found, own))
    return DerivationPage(text, found if numbers else replace(found, values={}), drawn)


@deprecated("1.1", "2.0", "draw_derivation(text, idyn, ...).save(path)")
def save_derivation(text: WrittenDerivation, path: Any, *args: Any, **options: Any) -> list[Path]:
    """Save a derivation with its pictures: ``draw_derivation(text, *args, **options).save(path)``.

    Parameters
    ==========

    text : WrittenDerivation
        The derivation of `InverseDynamics.derivation`.
    path : path
        The file of the page, as for `DerivationPage.save`.
    args, options : optional
        The other arguments of `draw_derivation`.

    Raises
    ======

    TypeError, ValueError, FileNotFoundError
        As `draw_derivation` and `DerivationPage.save`.

    See Also
    ========

    draw_derivation : Replaces it.

    Examples
    ========

    >>> import jointwrench as jw
    >>> jw.pictures.save_derivation(text, "page.html", idyn, state)  # doctest: +SKIP
    """
    return draw_derivation(text, *args, **options).save(path)


def fictitious_of(step: Any, numbers: DerivationNumbers, body: BodyNumbers) -> Iterator[Quantity]:
    """Yield the fictitious forces of a text at the mass centre of a body, moments about it."""
    forces = dict[str, np.ndarray]()
    for line in (*step.forces, *step.moments):
        if line.role in FICTITIOUS:
            own = -body.axes(line.frame) @ numbers.values[line]  # terms of the joint's wrench
            is_moment = line.quantity == "moment"
            if is_moment:
                arm = body.location(body.link.origin)
                own = own + np.cross(arm, forces.get(line.role, np.zeros(3)))
            else:
                forces[line.role] = own
            unit, symbol = line.quantity, indexed("FM"[is_moment], line.role)
            yield Quantity("fictitious", unit, line.role, symbol, np.zeros(3), own)
