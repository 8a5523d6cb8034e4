"""The causes of a joint wrench at one instant, as bars (extra ``plot``)."""

from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import Explanation
from ..checks.arguments import check_instance
from ..drawing.axes import checked_axes
from ..drawing.palette import BLACK, CYCLE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Letters in a line below the bars.
WIDTH = 78


def plot_explanation(explanation: Any, *, ax: Any = None, unit: str = "") -> "Axes":
    """Draw the causes of a joint wrench at one instant: a bar for each term, and for the sum.

    The largest is at the top, each source has its colour, and the sentence is written below.

    Parameters
    ==========

    explanation : Explanation
        The explanation of `Result.explain`.
    ax : matplotlib Axes, optional
        Axes to draw in.  Default: a new figure.
    unit : str, optional
        The unit of the component, for its axis.

    Raises
    ======

    TypeError
        If ``explanation`` is not an Explanation, ``ax`` not an Axes, or ``unit`` not a text.

    See Also
    ========

    plot_contributions : The parts over time.

    Examples
    ========

    >>> import jointwrench as jw
    >>> chain = jw.SerialChain.planar(2, gravity=(0, -10, 0))
    >>> idyn = jw.InverseDynamics(chain.system)
    >>> values = dict.fromkeys(idyn.constants, 1.0)
    >>> evaluate = idyn.compile(["joint_wrenches", "contributions"], backend="numpy")
    >>> explanation = evaluate([0, 0], [0, 0], [1, 0], values).explain("S_0")
    >>> ax = jw.pictures.plot_explanation(explanation, unit="N m")
    >>> [text.get_text() for text in ax.get_yticklabels()][-1]
    'sum'
    """
    own = check_instance("explanation", explanation, Explanation, "what Result.explain returns")
    check_instance("unit", unit, str, "the name of a unit")
    size = (8, 1.7 + 0.4 * len(own.terms))
    ax = checked_axes(ax, figsize=size)
    sources = list(own.by_source)
    colors = [CYCLE[sources.index(term.source) % len(CYCLE)] for term in own.terms]
    values = [*(term.value for term in own.terms), own.value]
    bars = ax.barh(np.arange(len(values)), values, color=[*colors, BLACK], height=0.65)
    names = [f"{term.name} ({100 * term.share:.0f} %)" for term in own.terms]
    ax.set_yticks(range(len(values)), [*names, "sum"])
    ax.invert_yaxis()
    ax.bar_label(bars, fmt="{:.3g}", padding=3)
    ax.axvline(0, color=BLACK, linewidth=0.8)
    ax.margins(x=0.15)
    label = f"${own.component[0]}_{own.component[1]}$"
    ax.set_xlabel(f"{label}{f' / {unit}' if unit else ''}\n\n{fill(own.sentence, WIDTH)}")
    return ax
