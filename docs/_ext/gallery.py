"""What the gallery does beyond sphinx-gallery: formulas, views, no empty page."""

import ast
import re
import shutil
from html import escape
from pathlib import Path
from textwrap import indent

from sphinx.errors import ExtensionError
from thumbnails import draw_system

from jointwrench import WrittenDerivation
from jointwrench.pictures import InteractiveView

#: Where interactive views are kept until the site is written.
VIEWS = Path("generated", "views")

#: What stands in the page of an example that showed something.
OUTPUTS = ("sphx-glr-script-out", "image-sg", ".. math::", ".. raw:: html")


def formula_scraper(block, variables, _):
    """Return the formula with which a block ends as reST; sphinx-gallery knows text and HTML."""
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
    if shows_html or not latex:
        return ""
    return f"\n.. math::\n\n{indent(latex.strip('$'), '   ')}\n"


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
    app.connect("build-finished", copy_views)
    return {"parallel_read_safe": True}
