"""The page *Outputs* in a docstring, which people read in a terminal, is a link on the site."""

import re
from pathlib import Path


def titles(folder):
    """Return pages by their titles."""
    found = {}
    for path in Path(folder).glob("[!g_]*/*.rst"):
        title = next(x for x in path.read_text("utf-8").split("\n") if x and x[:2] != "..")
        found[title] = path.relative_to(folder).with_suffix("").as_posix()
    return found


def link_pages(app, what, name, obj, options, lines):
    """Replace names of pages by links; an unknown name stops the build."""
    known = titles(app.srcdir)
    for k, line in enumerate(lines):
        lines[k] = re.sub(
            r"\bpage \*([^*]+)\*", lambda found: f"page :doc:`/{known[found[1]]}`", line
        )


def setup(app):
    app.connect("autodoc-process-docstring", link_pages, priority=90)
    return {"parallel_read_safe": True}
