"""Tables for the representation of objects in texts and notebooks; progress bars."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from .messages import import_extra
from .pickles import Pickled

#: Number of a table's first rows that notebooks display.
MOST_ROWS = 30


class Grid(NamedTuple):
    """A table of texts: a title, column headings, and rows whose first cell is a label."""

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]

    def __str__(self) -> str:
        """Return the title and aligned rows: labels flush left, cells flush right."""
        if not self.rows:
            return self.title
        rows = [tuple(cells) for cells in (self.head, *self.rows) if cells]
        first, *others = (max(map(len, column)) for column in zip(*rows, strict=True))
        lines = (
            f"  {label:<{first}}  {'  '.join(map(str.rjust, cells, others))}".rstrip()
            for label, *cells in rows
        )
        return "\n".join([self.title, *lines])


class NotebookTable(Pickled):
    """The base of objects that are displayed as a table; subclasses return it from ``_grid``."""

    __slots__ = ()

    def _grid(self) -> Grid | Sequence[Grid]:
        raise NotImplementedError

    def __repr__(self) -> str:
        return str(self._grid())

    def _repr_html_(self) -> str:
        grids = self._grid()
        return "".join(map(_table, [grids] if isinstance(grids, Grid) else grids))


def _table(grid: Grid) -> str:
    from html import escape

    title, head, rows = grid
    left = len(rows) - MOST_ROWS
    more = [[f"and {left} more"]] if left > 0 else []
    body = "".join(_row(cells, "td") for cells in [*rows[:MOST_ROWS], *more])
    top = f"<thead>{_row(head, 'th')}</thead>" if head else ""
    caption = f'<caption style="caption-side: top">{escape(title)}</caption>'
    return f"<table>{caption}{top}<tbody>{body}</tbody></table>"


def _row(cells: Iterable[str], tag: str) -> str:
    from html import escape

    first, *others = map(escape, cells)
    style = ' style="text-align: left"'
    rest = "".join(f"<{tag}{style}>{cell}</{tag}>" for cell in others)
    return f"<tr><th{style}>{first}</th>{rest}</tr>"


def number_equal(names: Sequence[str]) -> list[int]:
    """Return the numbers, from 1, of names that occur several times; 0 for the others."""
    counts, seen, found = Counter(names), Counter[str](), []
    for name in names:
        seen[name] += 1
        found.append(seen[name] if counts[name] > 1 else 0)
    return found


def plural(number: int, noun: str) -> str:
    """Return a number and its noun, such as "1 body"; the argument is the plural, "bodies"."""
    if number != 1:
        return f"{number} {noun}"
    return f"1 {noun[:-3]}y" if noun.endswith("ies") else f"1 {noun.removesuffix('s')}"


def facts(title: str, **values: Any) -> Grid:
    """Return a table with a row for each keyword argument that is not empty."""
    rows = [(name.replace("_", " "), str(value)) for name, value in values.items() if value]
    return Grid(title, (), rows)


def listing(items: Iterable[Any], most: int = 12) -> str:
    """Return the names or texts of the first ``most`` items, and the number of further items."""
    names = [x.name if hasattr(x, "child") or hasattr(x, "masscenter") else _text(x) for x in items]
    more = [f"and {len(names) - most} more"] if len(names) > most else []
    return ", ".join([*names[:most], *more])


def _text(item: Any) -> str:
    if isinstance(item, (str, float, int)):
        return str(item)
    from sympy.physics.vector.printing import vsstrrepr  # imported only for expressions

    return vsstrrepr(item)


def extent(values: np.ndarray) -> str:
    """Return the range of an array's numbers as a text, "1 to 2"; NaN is ignored."""
    if not np.size(values):
        return "none"
    known = values[~np.isnan(values)]
    if not known.size:
        return "NaN"
    least, most = f"{known.min():.4g}", f"{known.max():.4g}"
    return least if least == most else f"{least} to {most}"


@contextmanager
def progress_bar(shown: bool, first: float, last: float) -> Iterator[Callable[[float], None]]:
    """Yield a function that moves a progress bar to a time or count between first and last.

    If ``shown`` is False, the function does nothing.  The bar needs the extra ``progress``.
    """
    if not shown:
        yield lambda time: None
        return
    tqdm = import_extra("tqdm", "progress=True", "progress", ", or progress=False")
    layout = "{l_bar}{bar}| {n:.3g}/{total:.3g} [{elapsed}<{remaining}]"
    with tqdm.tqdm(total=last - first, bar_format=layout) as bar:
        yield lambda time: bar.update(max(0.0, min(time, last) - first - bar.n))
