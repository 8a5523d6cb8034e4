"""What stands above a stick figure: samples of its arrows to scale, with what they are."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def round_size(largest: float) -> float:
    """Return the largest of 1, 2 and 5 times a power of ten that is not larger."""
    power = 10.0 ** np.floor(np.log10(largest))
    return float(power * max(x for x in (1, 2, 5) if x * power <= largest * (1 + 1e-9)))


def add_scale_key(
    ax: "Axes", title: str, samples: Iterable[tuple[np.ndarray, np.ndarray, str, str]]
) -> Any:
    """Put a title and samples to scale above the Axes; return what was added.

    Parameters
    ==========

    ax : matplotlib Axes
        In the plane, with its final limits.
    title : str
        The line above the samples.
    samples : iterable of (path, heads, colour, text)
        Lines of shape (points, 2), triangles of shape (count, 3, 2), in the data's scale.
    """
    from matplotlib.offsetbox import AnchoredOffsetbox, HPacker, TextArea, VPacker

    entries: list[Any] = []
    for path, heads, color, text in samples:
        box = _sample(ax, path, heads, color)
        words = TextArea(text, textprops={"fontsize": "small"})
        entries.append(HPacker(children=[box, words], pad=0, sep=6, align="center"))
    lines: list[Any] = [TextArea(title, textprops={"fontsize": "small"})] if title else []
    if entries:
        lines.append(HPacker(children=entries, pad=0, sep=18, align="center"))
    key = AnchoredOffsetbox(
        "lower left",
        child=VPacker(children=lines, pad=0, sep=5, align="left"),
        bbox_to_anchor=(0, 1),
        bbox_transform=ax.transAxes,
        frameon=False,
        pad=0,
    )
    key.set_clip_on(False)
    return ax.add_artist(key)


def _sample(ax: "Axes", path: np.ndarray, heads: np.ndarray, color: str) -> Any:
    from matplotlib.lines import Line2D
    from matplotlib.offsetbox import AuxTransformBox
    from matplotlib.patches import Polygon

    box = AuxTransformBox(ax.transData)
    box.add_artist(Line2D(*path.T, color=color, linewidth=2))
    for head in heads:
        box.add_artist(Polygon(head, color=color, linewidth=0))
    return box
