"""A bar that shows how far a long simulation has got (extra ``progress``)."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ..checks.extras import import_extra


@contextmanager
def progress_bar(shown: bool, first: float, last: float) -> Iterator[Callable[[float], None]]:
    """Yield a function that is told the time, and shows it if it is wanted (extra ``progress``)."""
    if not shown:
        yield lambda time: None
        return
    tqdm = import_extra("tqdm", "progress=True", "progress", " or progress=False")
    layout = "{l_bar}{bar}| {n:.3g}/{total:.3g} [{elapsed}<{remaining}]"
    with tqdm.tqdm(total=last - first, bar_format=layout) as bar:
        yield lambda time: bar.update(max(0.0, min(time, last) - first - bar.n))
