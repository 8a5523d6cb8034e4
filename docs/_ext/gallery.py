"""What the gallery does beyond sphinx-gallery: formulas are typeset, and no page is empty."""

import ast
import re
from pathlib import Path
from textwrap import indent

from sphinx.errors import ExtensionError

#: What stands in the page of an example that showed something.
OUTPUTS = ("sphx-glr-script-out", "image-sg", ".. math::", ".. raw:: html")


def formula_scraper(block, variables, _):
    """Return the formula with which a block ends as reST; sphinx-gallery knows text and HTML."""
    _, source, _ = block
    last = ast.parse(source).body[-1:]
    if not last or not isinstance(last[0], ast.Expr):
        return ""
    value = variables["example_globals"].get("___")  # of the last expression
    shows_html = getattr(value, "_repr_html_", lambda: None)()
    latex = getattr(value, "_repr_latex_", lambda: None)()
    if shows_html or not latex:
        return ""
    return f"\n.. math::\n\n{indent(latex.strip('$'), '   ')}\n"


def check_pages(app):
    """Refuse examples that show nothing: neither text nor picture."""
    settings = app.config.sphinx_gallery_conf
    if not settings["plot_gallery"]:
        return
    runs = re.compile(settings["filename_pattern"])
    pages = Path(app.srcdir, "generated").glob("[te]*s/**/*.rst")
    empty = [
        page.name
        for page in pages
        if page.with_suffix(".py").exists()
        and runs.search(f"{page.stem}.py")
        and not any(output in page.read_text("utf-8") for output in OUTPUTS)
    ]
    if empty:
        raise ExtensionError(f"Examples must print or draw something, these do not: {empty}.")


def setup(app):
    """Look at the pages after sphinx-gallery has written them."""
    app.connect("builder-inited", check_pages, priority=900)
    return {"parallel_read_safe": True}
