"""The directive ``promises``: a table of the laws by which the tests hold what is promised."""

import sys
from pathlib import Path

from sphinx.util.docutils import SphinxDirective

TESTS = Path(__file__).parents[2] / "tests"
HEAD = "   :header-rows: 1\n   :widths: 42 48 10\n"


class Promises(SphinxDirective):
    """Has a row for each law: its sentence, what it is of, and on how many kinds of models."""

    def run(self):
        sys.path += [str(TESTS / "promises"), str(TESTS / "tools")]
        from promises import REASONS, names_in, table, written

        rows = [("law", "of", "kinds"), *table()]
        rows += [(f"No number: {why}.", written(names_in(x)), "") for why, x in REASONS.items()]
        cells = ["   * - {}\n     - {}\n     - {}".format(*row) for row in rows]
        return self.parse_text_to_nodes("\n".join([".. list-table::", HEAD, *cells]))


def setup(app):
    """Add the directive."""
    app.add_directive("promises", Promises)
    return {"parallel_read_safe": True}
