"""The key of a stick figure: samples of its arrows to scale, with labels."""

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
    ax: "Axes",
    title: str,
    samples: Iterable[tuple[np.ndarray, np.ndarray, str, str]],
    is_beside: bool = False,
) -> Any:
    """Add samples to scale above or right of Axes with final limits; return the title."""
    # Samples are (path (points, 2), heads (count, 3, 2), colour, text), in the data's scale.
    from matplotlib.offsetbox import AnchoredOffsetbox, HPacker, TextArea, VPacker

    pack: Any = VPacker if is_beside else HPacker
    entries: list[Any] = []
    for path, heads, color, text in samples:
        children = [_sample(ax, path, heads, color), TextArea(text)]
        entries.append(HPacker(children=children, pad=0, sep=6, align="center"))
    written = TextArea(title)
    lines: list[Any] = [written] if title else []
    if entries:
        align = "left" if is_beside else "center"
        lines.append(pack(children=entries, pad=0, sep=14, align=align))
    if lines:
        key = AnchoredOffsetbox(
            "upper left" if is_beside else "lower left",
            child=VPacker(children=lines, pad=4, sep=8, align="left"),
            bbox_to_anchor=(1, 1) if is_beside else (0, 1),
            bbox_transform=ax.transAxes,
            borderpad=0,
            frameon=False,
            pad=0,
        )
        key.set_clip_on(False)
        ax.add_artist(key)
    return written


def _sample(ax: "Axes", path: np.ndarray, heads: np.ndarray, color: str) -> Any:
    """Return a line with its heads, in the scale of the Axes."""
    from matplotlib.lines import Line2D
    from matplotlib.offsetbox import AuxTransformBox
    from matplotlib.patches import Polygon

    box = AuxTransformBox(_across_view(ax))
    box.add_artist(Line2D(*path.T, color=color, linewidth=2))
    for head in heads:
        box.add_artist(Polygon(head, color=color, linewidth=0))
    return box


def _across_view(ax: Any) -> Any:
    """Return the transform of lengths across the view, which is orthographic in space."""
    if ax.name != "3d":
        return ax.transData
    from matplotlib.transforms import Affine2D

    projection = ax.get_proj()
    sizes = np.linalg.svd(projection[:2, :3] / projection[3, 3], compute_uv=False)
    return Affine2D().scale(sizes[0]) + ax.transData
