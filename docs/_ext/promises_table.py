"""The directive ``promises``: a table of the laws by which the tests hold what is promised."""

import sys
from pathlib import Path

from sphinx.util.docutils import SphinxDirective

TESTS = Path(__file__).parents[2] / "tests"
HEAD = ".. list-table::\n   :header-rows: 1\n   :widths: 42 48 10\n"


def written(names):
    """Return names by their owners, as ``"Result: joint_work, times"``."""
    owners = {}
    for name in dict.fromkeys(names):
        owner, own = name.split(".")
        owners.setdefault(owner, []).append(f"``{own}``")
    return "; ".join(f"{owner}: {', '.join(own)}" for owner, own in owners.items())


class Promises(SphinxDirective):
    """Has a row for each law: its sentence, what it is of, and on how many kinds of models."""

    def run(self):
        sys.path += [str(TESTS / "promises"), str(TESTS / "tools")]
        from kinds import KINDS
        from paths import INTERFACES, PATHS
        from promise_laws import LAWS
        from promises import HELD, REASONS, elsewhere, names_in

        laws = {}
        for law in LAWS:
            names, kinds = laws.setdefault(law.sentence, ([], set()))
            names += law.promises
            kinds |= {kind for kind in KINDS if law.applies(kind)}
        rows = [("law", "of", "kinds")]
        rows += [(text, written(names), len(kinds)) for text, (names, kinds) in laws.items()]
        for (file, test), names in elsewhere().items():
            rows += [
                (f"``{file}``: {test.removeprefix('test_').replace('_', ' ')}.", written(names), "")
            ]
        paths = f"All paths have the same numbers and warnings: {', '.join((*PATHS, *INTERFACES))}."
        rows += [(paths, written(names_in(HELD)), len(KINDS))]
        rows += [(f"No number: {why}.", written(names_in(x)), "") for why, x in REASONS.items()]
        cells = ["   * - {}\n     - {}\n     - {}".format(*row) for row in rows]
        return self.parse_text_to_nodes("\n".join([HEAD, *cells]))


def setup(app):
    """Add the directive."""
    app.add_directive("promises", Promises)
    return {"parallel_read_safe": True}
