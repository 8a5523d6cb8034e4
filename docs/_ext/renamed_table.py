"""The directive ``renamed``: a table of old names and what replaces them, as the errors say."""

import ast
from pathlib import Path

from sphinx.util.docutils import SphinxDirective

import jointwrench
from jointwrench.checks.removed_names import REMOVED

HEAD = ".. list-table::\n   :header-rows: 1\n   :widths: 30 15 55\n"


def is_warning(node):
    """Whether a node warns of a name that stands in it as text."""
    is_call = isinstance(node, ast.Call) and ast.unparse(node.func) == "warn_deprecated"
    return is_call and isinstance(node.args[0], ast.Constant)


def deprecated_names():
    """Yield each deprecated function or property with its replacement, from its decorator."""
    for path in sorted(Path(jointwrench.__file__).parent.rglob("*.py")):
        tree = ast.parse(path.read_text("utf-8"))
        for call in filter(is_warning, ast.walk(tree)):
            texts = [*call.args, *(keyword.value for keyword in call.keywords)]
            yield texts[0].value.replace("`", ""), texts[-1].value
        for owner in (tree, *(node for node in tree.body if isinstance(node, ast.ClassDef))):
            for node in owner.body:
                for call in getattr(node, "decorator_list", ()):
                    if isinstance(call, ast.Call) and ast.unparse(call.func) == "deprecated":
                        texts = [*call.args, *(keyword.value for keyword in call.keywords)]
                        home = f"{owner.name}." if owner is not tree else ""
                        yield home + node.name, texts[-1].value


class Renamed(SphinxDirective):
    """Has a row for each old name: deprecated ones still work, removed ones raise an error."""

    def run(self):
        rows = [("old name", "it", "new name")]
        rows += [(f"``{old}``", "works", f"``{new}``") for old, new in deprecated_names()]
        rows += [(f"``{old}``", "is gone", new) for old, new in sorted(REMOVED.items())]
        cells = ["   * - {}\n     - {}\n     - {}".format(*row) for row in rows]
        return self.parse_text_to_nodes("\n".join([HEAD, *cells]))


def setup(app):
    """Add the directive."""
    app.add_directive("renamed", Renamed)
    return {"parallel_read_safe": True}
