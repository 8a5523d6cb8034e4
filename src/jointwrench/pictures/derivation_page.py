"""Pages of derivations with free-body diagrams (extra ``plot``)."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from .. import InverseDynamics, WrittenDerivation
from ..checks.arguments import check_choice, check_instance
from ..checks.numbers import check_bool
from ..extend import check_idyn
from .free_body import plot_free_body

#: Writers of pages, by the suffix.
WRITERS = {".md": "to_markdown", ".tex": "to_latex", ".html": "to_html"}

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

    Arrows are drawn for one state of the motion, and have the names of the text.

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
    ValueError
        If the name of the page has another suffix, or a value is missing.

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
    if not isinstance(path, (str, Path)):
        raise TypeError(f"`path` must be a path, got {type(path).__name__}. Use 'page.html'.")
    place, given = Path(path), (constants, specifieds)
    check_choice("path", place.suffix, WRITERS)
    check_idyn(idyn)
    check_bool("numbers", numbers)
    found = text.numbers(motion, *given, at, units) if numbers else None
    bodies = dict.fromkeys(step.body for step in text.steps if step.body)
    from matplotlib.pyplot import close

    files = {x: place.with_name(f"{place.stem}_{k}.png") for k, x in enumerate(bodies, 1)}
    for body, file in files.items():
        (ax,) = plot_free_body(idyn, motion, body, *given, at=at, view=view, numbers=False).flat
        ax.set_title("")
        ax.figure.savefig(file, dpi=RESOLUTION, bbox_inches="tight")
        close(ax.figure)
    pictures = {body: file.name for body, file in files.items()}
    getattr(text, WRITERS[place.suffix])(place, pictures, found)
    return [place, *files.values()]
