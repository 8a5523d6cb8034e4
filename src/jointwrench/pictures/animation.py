"""Animated stick figures (extra ``plot``)."""

from collections.abc import Iterable, Mapping
from os import PathLike
from typing import Any, Literal

import numpy as np

from .. import hints
from ..checks.deprecation import warn_deprecated
from ..checks.display import progress_bar
from ..checks.files import replaceable_file
from ..checks.messages import import_extra
from ..checks.numbers import check_bool, check_positive
from ..records.laboratory import check_axis_units
from .stick_figure import Selection, StickFigure


def animate(
    model: Any,
    motion: Any,
    result: Any = None,
    path: str | PathLike[str] | None = None,
    *,
    ground: Any = None,
    constants: Mapping[Any, float] | None = None,
    view: Literal["xy", "xz", "yz", "3d"] = "xy",
    joints: Iterable[Any] | None = None,
    fps: float = 25.0,
    speed: float = 1.0,
    ax: "hints.Axes | None" = None,
    dpi: int = 80,
    progress: bool = False,
    units: str | Mapping[str, str] = "m",
) -> "hints.FuncAnimation":
    """Animate a moving model with the forces and moments in its joints.

    Keep a reference to the FuncAnimation while it runs; a notebook plays it as the last expression
    of a cell.  Its ``save(path, dpi=80, progress=False)`` writes a ``.gif`` (by Pillow) or a
    ``.mp4`` (by ffmpeg).

    Parameters
    ==========

    model, motion, result, ground, constants, view, joints, ax, units : optional but the first two
        As for `plot_stick_figure`.
    path, dpi, progress : optional
        Deprecated: use ``animate(...).save(path)``.
    fps : float
        Pictures per second.
    speed : float
        Of the replay: 1 is real time, 0.5 half speed.

    Raises
    ======

    TypeError, ValueError
        As `plot_stick_figure`; if speed or fps is not positive; in ``save``, if the file has
        another ending.
    RuntimeError
        If ``.mp4`` is requested without ffmpeg.

    See Also
    ========

    plot_stick_figure : Some instants in a figure.

    Examples
    ========

    >>> import numpy as np
    >>> import jointwrench as jw
    >>> chain = jw.SerialChain.planar(1, gravity=(0, -9.81, 0))
    >>> idyn = jw.InverseDynamics(chain.system)
    >>> values = {"l_0": 0.5, "m_0": 2.0, "I_0": 0.04}
    >>> t = np.linspace(0, 1, 101)
    >>> motion = jw.Trajectory.from_samples(t, np.sin(t)[:, None], idyn=idyn)
    >>> jw.pictures.animate(chain, motion, constants=values).save("a.gif")  # doctest: +SKIP
    """
    fps, speed = check_positive("fps", fps), check_positive("speed", speed)
    animation = import_extra("matplotlib.animation", "animate()", "plot")
    check_positive("dpi", dpi)
    check_bool("progress", progress)
    if path is not None:
        _writer(animation, path, fps)
        warn_deprecated("`path` of animate", "1.1", "2.0", "animate(...).save(path)")
    figure = StickFigure(model, motion, result, ground, constants, Selection(view, joints))
    texts = check_axis_units({"length": units} if isinstance(units, str) else units)
    own = ax is None
    ax = figure.axes(ax, texts["length"])
    artists = figure.draw(ax, 0)
    figure.trail(ax, 0, len(figure.times) - 1)
    pace = "in real time" if speed == 1 else f"{speed:g} × real time"
    title = figure.key(ax, f"{figure.when(0)}, {pace}", texts)
    meaning = title.get_text().partition("\n")[2]
    if own:  # laid out once, not for each frame
        whole: Any = ax.figure
        whole.draw_without_rendering()
        from matplotlib import rc_context

        with rc_context({"figure.constrained_layout.use": False, "figure.autolayout": False}):
            whole.set_layout_engine(None)  # "none" would lay out, and draw each picture twice
    first, last = figure.times[0], figure.times[-1]
    instants = np.arange(first, last + 1e-12, speed / fps)
    samples = [int(np.abs(figure.times - t).argmin()) for t in instants]

    def show(k: int) -> list[Any]:
        figure.update(artists, k)
        title.set_text(f"{figure.when(k)}, {pace}\n{meaning}".strip())
        return [*(artist for pair in artists.values() for artist in pair), title]

    film = _film(animation, ax.figure, fps, len(samples))
    moving = film(ax.figure, show, frames=samples, interval=1000 / fps)
    if path is not None:
        moving.save(path, dpi=dpi, progress=progress)
    return moving


def _film(animation: Any, figure: Any, fps: float, count: int) -> Any:
    """Return the class of the animations of a figure, which notebooks play."""

    class Film(animation.FuncAnimation):
        """An animation with checks and a writer chosen by the ending of the file."""

        def save(
            self,
            path: str | PathLike[str],
            writer: Any = None,
            *,
            dpi: float = 80,
            progress: bool = False,
            **options: Any,
        ) -> None:
            """Save the film as a ``.gif`` or a ``.mp4`` file."""
            check_positive("dpi", dpi)
            check_bool("progress", progress)
            writer = writer or _writer(animation, path, fps)
            options["dpi"] = dpi
            with progress_bar(progress, 0, count) as advance:
                options.setdefault("progress_callback", lambda k, _: advance(k + 1))
                super().save(str(path), writer, **options)

        def _repr_html_(self) -> str:
            from matplotlib import pyplot

            page = self.to_jshtml()
            pyplot.close(figure)  # so that its first frame is not shown again
            return page

    return Film


def _writer(animation: Any, path: str | PathLike[str], fps: float) -> Any:
    """Return matplotlib's writer for the ending of a file."""
    ending = replaceable_file("path", path).suffix.lower()
    if ending == ".gif":
        return animation.PillowWriter(fps=round(fps))
    if ending != ".mp4":
        raise ValueError(f"`path` must end with .gif or .mp4, got {str(path)!r}.")
    if not animation.FFMpegWriter.isAvailable():
        raise RuntimeError("A .mp4 needs ffmpeg, which is not installed. Use a .gif.")
    return animation.FFMpegWriter(fps=round(fps))
