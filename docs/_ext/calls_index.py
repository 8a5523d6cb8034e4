"""Write ``llms.txt`` beside the pages, for tools: all pages, and all public calls with a line."""

from inspect import getdoc
from pydoc import locate


def text_of(project, pages, calls):
    """Return the index, of (title, address) of pages and (name, address) of calls."""
    lines = [f"# {project}", "", "## Pages", ""]
    lines += [f"- [{title}]({address})" for title, address in pages]
    lines += ["", "## Calls", ""]
    for name, address in calls:
        first = (getdoc(locate(name)) or "").partition("\n")[0]
        lines.append(f"- [{name}]({address}): {first}")
    return "\n".join(lines) + "\n"


def write(app, error):
    """Write the index when a site is built."""
    if error or app.builder.format != "html":
        return
    at, env = app.builder.get_target_uri, app.env
    pages = [(title.astext(), at(page)) for page, title in sorted(env.titles.items())]
    objects = env.domains["py"].get_objects()
    calls = sorted({(name, f"{at(page)}#{anchor}") for name, _, _, page, anchor, _ in objects})
    text = text_of(app.config.project, pages, calls)
    (app.outdir / "llms.txt").write_text(text, encoding="utf-8")


def setup(app):
    app.connect("build-finished", write)
    return {"parallel_read_safe": True}
