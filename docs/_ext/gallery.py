"""What the gallery does beyond sphinx-gallery: formulas, views, no empty page."""

import ast
import re
import shutil
from collections.abc import Iterable
from html import escape
from pathlib import Path
from textwrap import dedent, indent

from sphinx.errors import ExtensionError
from thumbnails import draw_system

from jointwrench import WrittenDerivation
from jointwrench.pictures import InteractiveView

#: Where interactive views are kept until the site is written.
VIEWS = Path("generated", "views")

#: What stands in the page of an example that showed something.
OUTPUTS = ("sphx-glr-script-out", "image-sg", ".. math::", ".. raw:: html")

#: Calls at the end of a block that return nothing.
RETURN_NOTHING = ("apply_uniform_gravity",)


def value_scraper(block, variables, _):
    """Return the value with which a block ends as reST; sphinx-gallery knows HTML and pictures."""
    _, source, _ = block
    last = ast.parse(source).body[-1:]
    if not last or not isinstance(last[0], ast.Expr):
        return ""
    value = variables["example_globals"].get("___")  # of the last expression
    if isinstance(value, WrittenDerivation):
        page = escape(value.to_html()).replace("\n", "&#10;")
        return f'\n.. raw:: html\n\n   <iframe class="view" srcdoc="{page}"></iframe>\n'
    shows_html = getattr(value, "_repr_html_", lambda: None)()
    latex = getattr(value, "_repr_latex_", lambda: None)()
    if value is None or shows_html or _is_drawn(value):
        return ""
    if latex:
        return f"\n.. math::\n\n{indent(latex.strip('$'), '   ')}\n"
    text = indent(repr(value), "    ")
    return f"\n.. rst-class:: sphx-glr-script-out\n\n .. code-block:: none\n\n{text}\n"


def _is_drawn(value):
    """Whether a value is of matplotlib, or holds such."""
    items = getattr(value, "flat", value)
    first = next(iter(items), None) if isinstance(items, Iterable) else value
    return type(first).__module__.startswith("matplotlib")


def view_scraper(_, variables, settings):
    """Return the interactive view as reST that an example saved under its own name.

    It stays a file of its own, which is loaded when it comes into sight: pages remain small.  The
    model is drawn for the example's thumbnail; also that of a view with which a block ends.
    """
    saved, home = Path(variables["src_file"]).with_suffix(".html"), Path(settings["src_dir"])
    returned = variables["example_globals"].get("___")
    views, thumbnail = home / VIEWS, VIEWS / f"{saved.stem}.svg"
    views.mkdir(parents=True, exist_ok=True)
    if not saved.exists():
        if isinstance(returned, InteractiveView):
            draw_system(returned.html, home / thumbnail)
            variables["file_conf"]["thumbnail_path"] = str(thumbnail)
        return ""
    shutil.move(saved, views / saved.name)
    draw_system((views / saved.name).read_text("utf-8"), home / thumbnail)
    variables["file_conf"]["thumbnail_path"] = str(thumbnail)
    levels = len(Path(variables["target_file"]).relative_to(home).parents) - 1
    address = f"{'../' * levels}_static/{views.name}/{saved.name}"
    frame = (
        f'<iframe class="view" loading="lazy" title="the moving model" src="{address}"></iframe>'
    )
    link = f'<p><a href="{address}">The moving model on a page of its own</a></p>'
    return f"\n.. raw:: html\n\n   {frame}\n   {link}\n"


def copy_views(app, _):
    """Put the views where the pages look for them."""
    views = Path(app.srcdir) / VIEWS
    if app.builder.format == "html" and views.exists():
        target = Path(app.outdir) / "_static" / views.name
        shutil.copytree(views, target, dirs_exist_ok=True)


def silent_blocks(page):
    """Yield the expressions that end a block of a page in reST and show nothing."""
    for part in re.split(r"(?m)^\.\. code-block:: Python\n", page)[1:]:
        lines = part.split("\n")
        end = next((k for k, x in enumerate(lines) if x and x[0] != " " and k), len(lines))
        body = ast.parse(dedent("\n".join(x for x in lines[:end] if x[:5] != "   :l"))).body
        shown = "\n".join(lines[end:])
        if body and isinstance(body[-1], ast.Expr) and not any(x in shown for x in OUTPUTS):
            text = ast.unparse(body[-1])
            if not any(f"{name}(" in text for name in RETURN_NOTHING):
                yield text


def check_pages(app):
    """Refuse examples that show nothing, and expressions at a block's end without their value."""
    settings = app.config.sphinx_gallery_conf
    if not settings["plot_gallery"]:
        return
    runs = re.compile(settings["filename_pattern"])
    found = Path(app.srcdir, "generated").glob("[te]*s/**/*.rst")
    pages = {
        page.name: page.read_text("utf-8")
        for page in found
        if page.with_suffix(".py").exists() and runs.search(f"/{page.stem}.py")
    }
    empty = [x for x, text in pages.items() if not any(output in text for output in OUTPUTS)]
    if empty:
        raise ExtensionError(f"Examples must print or draw something, these do not: {empty}.")
    silent = [(x, code) for x, text in pages.items() for code in silent_blocks(text)]
    if silent:
        raise ExtensionError(f"Expressions must show their value, these do not: {silent}.")


def setup(app):
    """Look at the pages after sphinx-gallery has written them."""
    app.connect("builder-inited", check_pages, priority=900)
    app.connect("build-finished", copy_views)
    return {"parallel_read_safe": True}
