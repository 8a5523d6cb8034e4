"""Pages of derivations with free-body diagrams (extra ``plot``)."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

import numpy as np

from .. import DerivationNumbers, InverseDynamics, WrittenDerivation
from ..checks.arguments import check_choice, check_instance, check_mapping
from ..checks.files import in_existing_folder
from ..checks.numbers import check_bool
from ..drawing.axes import new_axes
from ..drawing.labels import indexed
from ..extend import check_idyn
from .actions import Action, BodyNumbers, bodies_of, state_of
from .free_body import VIEWS, WIDE, FreeBody

#: Writers of pages, by the suffix.
WRITERS = {".md": "to_markdown", ".tex": "to_latex", ".html": "to_html"}

#: Roles of lines that are an observer's fictitious forces.
FICTITIOUS = ("d'Alembert", "Euler", "centrifugal", "Coriolis")

#: Dots per inch of pictures.
RESOLUTION = 150


def save_derivation(
    text: WrittenDerivation,
    path: Any,
    idyn: InverseDynamics,
    motion: Any,
    constants: Mapping[Any, float] | None = None,
    specifieds: Mapping[Any, Any] | None = None,
    *,
    at: float | None = None,
    view: Literal["xy", "xz", "yz"] = "xy",
    numbers: bool = False,
    units: Mapping[str, str] | None = None,
) -> list[Path]:
    """Save a derivation as a page, with a free-body diagram of each body.

    Arrows are drawn for one state of the motion, and have the names of the text; an observer's
    fictitious forces are among them.

    Parameters
    ==========

    text : WrittenDerivation
        The derivation of `InverseDynamics.derivation`.
    path : path
        The file of the page: Markdown (``.md``), LaTeX (``.tex``) or HTML (``.html``). Pictures are
        saved in the same folder, with a number after the name.
    idyn : InverseDynamics
        The model.
    motion : Trajectory, or tuple of q, u, udot
        Its motion, or one state, arrays of shape (n,).
    constants, specifieds, at, view : optional
        As for `plot_free_body`.
    numbers : bool
        Whether the page also has a table of all lines in numbers.
    units : mapping of str to str, optional
        As for `WrittenDerivation.numbers`.

    Returns
    =======

    list of Path
        The page, and the pictures.

    Raises
    ======

    TypeError
        If ``text`` is not a derivation, ``path`` not a path, ``idyn`` not an InverseDynamics, or
        ``motion`` neither a motion nor a state.
    ValueError, FileNotFoundError
        If the name of the page has another suffix, a value is missing, or there is no such folder.

    See Also
    ========

    plot_free_body : The picture of one body.

    Examples
    ========

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import jointwrench as jw
    >>> idyn = jw.InverseDynamics(jw.SerialChain.planar(2, gravity=(0, -9.81, 0)).system)
    >>> state, text = ([0.5, 1.0], [0, 0], [0, 0]), idyn.derivation("S_0")
    >>> values = dict.fromkeys(idyn.constants, 1.0)
    >>> with TemporaryDirectory() as folder:
    ...     page = Path(folder) / "chain.html"
    ...     files = jw.pictures.save_derivation(text, page, idyn, state, values)
    >>> [file.name for file in files]
    ['chain.html', 'chain_1.png', 'chain_2.png']
    """
    check_instance("text", text, WrittenDerivation, "what idyn.derivation(joint) returns")
    place, given = in_existing_folder("path", path), (constants, specifieds)
    check_choice("path", place.suffix, WRITERS)
    check_idyn(idyn)
    check_bool("numbers", numbers)
    check_choice("view", view, VIEWS)
    values = check_mapping("constants", constants)
    result = state_of(idyn, motion, at, values, specifieds)
    found = text.numbers(motion, *given, at, units)
    from matplotlib.pyplot import close

    steps = {step.body: step for step in text.steps if step.body}
    files = {x: place.with_name(f"{place.stem}_{k}.png") for k, x in enumerate(steps, 1)}
    for name, file in files.items():
        (body,) = bodies_of(idyn, name)
        own = BodyNumbers(idyn, result, body, values)
        drawn = FreeBody(own, view, fictitious_of(steps[name], found, own))
        ax = new_axes(figsize=(WIDE * 4.0, 4.0))
        drawn.draw(ax, [drawn.largest(False), drawn.largest(True)], None)
        ax.figure.savefig(file, dpi=RESOLUTION, bbox_inches="tight")
        close(ax.figure)
    pictures = {body: file.name for body, file in files.items()}
    getattr(text, WRITERS[place.suffix])(place, pictures, found if numbers else None)
    return [place, *files.values()]


def fictitious_of(step: Any, numbers: DerivationNumbers, body: BodyNumbers) -> Iterator[Action]:
    """Yield the fictitious forces of a text at the mass centre of a body, moments about it."""
    forces = dict[str, np.ndarray]()
    for line in (*step.forces, *step.moments):
        if line.role in FICTITIOUS:
            own = -body.axes(line.frame) @ numbers.values[line]  # terms of the joint's wrench
            is_moment = line.quantity == "moment"
            if is_moment:
                arm = body.place(body.link.origin)
                own = own + np.cross(arm, forces.get(line.role, np.zeros(3)))
            else:
                forces[line.role] = own
            symbol = indexed("FM"[is_moment], line.role)
            yield Action("fictitious", line.role, symbol, is_moment, np.zeros(3), own)
