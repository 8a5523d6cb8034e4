"""How do the times of derivation and compilation grow with the number of bodies?

Arguments: numbers of bodies; default 7 10 20 30 60 100 200.
"""

import os
import sys
import tempfile

from models import spatial_chain
from peers import kane_equations, pydy_cython
from timing import once, print_table

from jointwrench import InverseDynamics

MOST_FOR_KANE = 7


def kane(count: int) -> str:
    """Return the time of KanesMethod with PyDy's Cython generator."""
    if count > MOST_FOR_KANE:
        return "-"
    system = spatial_chain(count)

    def build():
        torques, groups = kane_equations(system, {})
        known = {s for group in groups for s in group}
        constants = torques.free_symbols - known
        return pydy_cython(torques, [*groups, sorted(constants, key=str)])

    return f"{once(build)[0]:.1f}"


def measure(count: int) -> list[str]:
    """Return the times for a number of bodies."""
    system = spatial_chain(count)
    derived, idyn = once(lambda: InverseDynamics(system))
    with tempfile.TemporaryDirectory() as folder:
        os.environ["JOINTWRENCH_CACHE"] = folder
        compiled, _ = once(idyn.compile)
        again, _ = once(InverseDynamics(system).compile)
    both = derived + compiled
    return [
        str(count),
        f"{derived:.2f}",
        f"{both:.2f}",
        f"{1e3 * both / count:.0f}",
        f"{again:.2f}",
    ]


def main() -> None:
    """Print the table."""
    counts = [int(word) for word in sys.argv[1:]] or [7, 10, 20, 30, 60, 100, 200]
    rows = [[*measure(count), kane(count)] for count in counts]
    head = [
        "bodies",
        "derived, s",
        "and compiled, s",
        "per body, ms",
        "again, s",
        "KanesMethod + PyDy",
    ]
    print_table("Spatial chain, all parameters as symbols", head, rows)


if __name__ == "__main__":
    main()
