"""Interactive views: self-contained pages for the browser."""

import json
import re
from collections.abc import Iterable, Mapping
from html import escape
from importlib.resources import files
from os import PathLike
from typing import Any, Literal

import numpy as np

from ..checks.arguments import check_choice, check_instance
from ..checks.files import replace_files, replaceable_file
from ..checks.numbers import check_positive
from ..checks.pickles import Pickled
from ..drawing.palette import BLACK, FIGURE
from ..recordings.marker_paths import Markers
from ..records.instants import check_instants
from ..records.laboratory import check_axis_units
from .stick_figure import AXIS_SIZE, MEANING, Selection, StickFigure

#: Largest number of instants of a page, digits of its numbers, and height in a notebook (pixels).
MOST_INSTANTS, DIGITS, HEIGHT = 300, 5, 480

#: The view begins at an instant whose forces reach this fraction of their largest sum.
SHOWN_FIRST = 0.7

#: The camera follows a model whose motion extends over this multiple of its size.  A rotation
#: about a point needs up to twice its size in each direction, the root of 12 in all.
FOLLOWED = 3.5

#: Further parts that can be shown or hidden.
SWITCHES = {"markers": "markers", "path": "paths of the ends", "names": "names of the joints"}


class InteractiveView(Pickled):
    """A page with a moving model in space, shown by notebooks; made by `interactive_view`.

    Parameters
    ==========

    html : str
        The whole page.

    See Also
    ========

    interactive_view : Makes it.

    Examples
    ========

    >>> import jointwrench as jw
    >>> jw.pictures.InteractiveView("<!DOCTYPE html>")
    InteractiveView(0.0 MB; .save('view.html') writes it)
    """

    def __init__(self, html: str) -> None:
        self.html = html

    def save(self, path: str | PathLike[str]) -> None:
        """Write the page to a file at a ``path``, for instance ``"leg.html"``.

        Another page shows it by ``<iframe src="leg.html" width="800" height="500"></iframe>``.

        Raises
        ======

        FileNotFoundError
            If the folder does not exist.

        See Also
        ========

        interactive_view : Makes the page.

        Examples
        ========

        >>> import jointwrench as jw
        >>> jw.pictures.InteractiveView("<!DOCTYPE html>").save("leg.html")  # doctest: +SKIP
        """
        replace_files({replaceable_file("path", path): self.html})

    def __repr__(self) -> str:
        return f"InteractiveView({len(self.html) / 1e6:.1f} MB; .save('view.html') writes it)"

    def _repr_html_(self) -> str:
        style = f"width: 100%; height: {HEIGHT}px; border: 1px solid #ddd"
        return f'<iframe style="{style}" srcdoc="{escape(self.html)}"></iframe>'


def interactive_view(
    model: Any,
    motion: Any,
    result: Any = None,
    *,
    ground: Any = None,
    constants: Mapping[Any, float] | None = None,
    joints: Iterable[Any] | None = None,
    markers: Markers | None = None,
    up: Literal["x", "y", "z"] = "y",
    speed: float = 1.0,
    units: str | Mapping[str, str] = "m",
    title: str = "jointwrench",
) -> InteractiveView:
    """Return an interactive page with a moving model, to rotate, zoom and play in a browser.

    Arrows are the forces on the child bodies, by their parents, in their joints, arcs the moments
    about these by the right-hand rule; bars beside the view show their scale.  Thick short lines
    are the axes of joints; names of joints and paths of the ends can be shown or hidden.  Drag to
    rotate, with Shift to move, use the wheel to zoom.

    Parameters
    ==========

    model, motion, result, ground, constants, joints, units : optional but the first two
        As for `plot_stick_figure`, with the loops of ``result``; at most 300 instants are shown.
    markers : Markers, optional
        Points that are drawn besides, at the instants of the motion, in metres: of a measured
        person those of the trial, ``markers.between(...)``.
    up : {"y", "z", "x"}
        The axis of ground that points up.
    speed : float
        Of the replay: 1 is real time, 0.5 half speed.
    title : str
        Title of the page.

    Raises
    ======

    TypeError, ValueError
        As `plot_stick_figure`; if ``up`` is not an axis or the speed is not positive.

    See Also
    ========

    plot_stick_figure : Some instants in a figure.

    Notes
    =====

    Of forces and moments that mechanics determines in part, such as those of a planar linkage of
    hinges, the components in the child's frame that are known are drawn, at each instant.

    The page contains PyDy's copy of three.js, and needs no server and no network.

    Examples
    ========

    >>> import numpy as np
    >>> import jointwrench as jw
    >>> t = np.linspace(0, 1, 50)
    >>> motion = jw.Trajectory.from_samples(t, np.stack([np.sin(t), t], -1))
    >>> chain, lengths = jw.SerialChain.planar(2), {"l_0": 0.4, "l_1": 0.3}
    >>> view = jw.pictures.interactive_view(chain, motion, constants=lengths)
    >>> view
    InteractiveView(0... MB; .save('view.html') writes it)
    """
    check_choice("up", up, ("y", "z", "x"))
    check_instance("title", title, str, "a str")
    texts = check_axis_units({"length": units} if isinstance(units, str) else units)
    figure = StickFigure(model, motion, result, ground, constants, Selection("3d", joints))
    data = _data(figure, texts, markers) | {"up": up, "speed": check_positive("speed", speed)}
    page = files("jointwrench.pictures").joinpath("interactive_view.html").read_text("utf-8")
    library = files("pydy").joinpath("viz/static/js/external/three/three.min.js")
    parts = {
        "__TITLE__": escape(title),
        "__DATA__": json.dumps(data, allow_nan=False).replace("<", "\\u003c"),
        "__THREE__": library.read_text("utf-8"),
    }
    return InteractiveView(re.sub("|".join(parts), lambda found: parts[found[0]], page))


def _data(figure: StickFigure, units: Mapping[str, str], markers: Any) -> dict[str, Any]:
    """Return the contents of the page, in ground's axes."""
    last = len(figure.times) - 1
    shown = np.unique(np.linspace(0, last, MOST_INSTANTS).round().astype(int))
    low, high = figure.limits()
    points = np.zeros((last + 1, 0, 3))
    if markers is not None:
        check_instance("markers", markers, Markers, "Markers", "Use read_c3d(...).markers.")
        check_instants("markers", markers.times, figure.times)
        points = markers.in_metres().positions
        low = np.fmin(low, np.nanmin(points, axis=(0, 1)))
        high = np.fmax(high, np.nanmax(points, axis=(0, 1)))
    *entries, bar = figure.scales(units)
    switches = SWITCHES if points.size else {k: x for k, x in SWITCHES.items() if k != "markers"}
    entries += [(kind, AXIS_SIZE / 2 * figure.size, text) for kind, text in switches.items()]
    radius = {"moment": " (radius),"}  # what the length of a sample is
    return {
        "times": _rounded(figure.times[shown]),
        "clock": [figure.when(k, 3) for k in shown],
        "bodies": _rounded(figure.segments[shown]),
        "joints": _rounded(figure.joints[shown]),
        "markers": _rounded(points[shown]),
        "forces": {
            kind: {"places": _rounded(places[shown]), "vectors": _rounded(vectors[shown])}
            for kind, (places, vectors) in figure.forces.items()
        },
        "moments": None if figure.moments is None else _rounded(figure.moments[shown]),
        "forceScale": figure.force_scale,
        "momentScale": figure.moment_scale,
        "size": figure.size,
        "start": _start(figure, shown),
        "follows": bool(np.linalg.norm(high - low) > FOLLOWED * figure.size),
        "center": ((low + high) / 2).tolist(),
        "room": _rounded(high - low),
        "axes": [
            {"kind": kind, "places": _rounded(places[shown]), "ways": _rounded(ways[shown])}
            for kind, places, ways in figure.joint_axes
        ],
        "ends": figure.ends(),
        "names": [str(name) for name in figure.names],
        "note": MEANING if "force" in figure.largest else "",
        "colors": FIGURE | {"path": "#b0b0b0", "names": BLACK},
        "key": [
            {"kind": kind, "length": length, "text": text.replace(",", radius.get(kind, ","), 1)}
            for kind, length, text in (*entries, bar)
        ],
    }


def _start(figure: StickFigure, shown: np.ndarray) -> int:
    """Return the instant with large forces and the best visible configuration."""
    forces = [force[shown] for _, force in figure.forces.values()]
    known = [np.isfinite(force).all(axis=-1).sum(axis=1) for force in forces]
    sizes = [np.nan_to_num(np.linalg.norm(force, axis=-1)).sum(axis=1) for force in forces]
    count, size = (sum(x, np.zeros(len(shown))) for x in (known, sizes))
    is_most = count == count.max()
    is_large = is_most & (size >= SHOWN_FIRST * size[is_most].max())
    # the bodies' distance from a line
    places = np.nan_to_num(figure.segments[shown]).reshape(len(shown), -1, 3)
    spread = np.linalg.svd(places - places.mean(axis=1, keepdims=True), compute_uv=False)[:, 1]
    return int(np.argmax(np.where(is_large, spread.round(9), -1)))


def _rounded(values: np.ndarray) -> Any:
    """Return nested lists of rounded numbers, None for unknown ones."""
    flat = [float(f"{x:.{DIGITS}g}") if np.isfinite(x) else None for x in np.ravel(values).tolist()]
    return np.array(flat, dtype=object).reshape(np.shape(values)).tolist()
