"""How do the times of derivation and compilation grow with the number of bodies?

Spatial chains.  Those of jointwrench and KanesMethod have symbols for all parameters; Pinocchio and
MuJoCo read numbers and compile nothing.  Imports and the choice of compiler flags, once per
machine, are not counted; one evaluation is.  Arguments: numbers of bodies; default 3 7 10 20 30 60
100 200.
"""

import argparse
import os
import tempfile

import numpy as np
from models import mujoco_xml, pinocchio_chain, spatial_chain
from peers import CYTHON, LAMBDIFY, Kane
from timing import once, print_table, skip

from jointwrench import InverseDynamics, Result

COUNTS = [3, 7, 10, 20, 30, 60, 100, 200]
MOST_FOR_KANE = 7


def kane(count: int) -> list[str]:
    """Return the times of KanesMethod with PyDy's Cython generator, and with lambdify."""
    if count > MOST_FOR_KANE:
        return ["-", "-"]
    derived, equations = once(lambda: Kane(spatial_chain(count), {}))
    makers = (lambda: equations.cython, lambda: equations.lambdified)
    times = [once(make)[0] for make in makers]
    return [f"{derived + time:.1f}" for time in times]


def libraries(count: int) -> list[str]:
    """Return the times that the C++ libraries take to make a model."""
    try:
        built, model = once(lambda: pinocchio_chain(count))
    except ImportError as error:
        skip("Pinocchio and MuJoCo", error)
        return ["-", "-"]
    try:
        import mujoco
    except ImportError as error:
        skip("MuJoCo", error)
        return [f"{built:.3f}", "-"]
    loaded, _ = once(lambda: mujoco.MjModel.from_xml_string(mujoco_xml(model)))
    return [f"{built:.3f}", f"{loaded:.3f}"]


def evaluated(idyn: InverseDynamics) -> Result:
    """Compile a model and evaluate it at one state."""
    state = np.ones(len(idyn.speeds))
    return idyn.compile()(state, state, state, dict.fromkeys(idyn.constants, 1.0))


def own(count: int) -> list[str]:
    """Return the times of jointwrench."""
    system = spatial_chain(count)
    derived, idyn = once(lambda: InverseDynamics(system))
    with tempfile.TemporaryDirectory() as folder:
        os.environ["JOINTWRENCH_CACHE"] = folder
        compiled, _ = once(lambda: evaluated(idyn))
        again, _ = once(lambda: evaluated(InverseDynamics(system)))
    both = derived + compiled
    per_body = [f"{1e3 * time / count:.0f}" for time in (derived, both)]
    return [f"{derived:.2f}", f"{both:.2f}", *per_body, f"{again:.2f}"]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Times of derivation and compilation.")
    parser.add_argument("counts", nargs="*", type=int, default=COUNTS, help="numbers of bodies")
    counts = parser.parse_args().counts
    own(1)  # imports, and the measurement of the flags
    rows = [[count, *own(count), *kane(count), *libraries(count)] for count in counts]
    head = [
        "bodies",
        "derived, s",
        "compiled and evaluated, s",
        "derived, ms per body",
        "compiled and evaluated, ms per body",
        "again, from the cache, s",
        f"{CYTHON}, s",
        f"{LAMBDIFY}, s",
        "Pinocchio's model, s",
        "MuJoCo's model, s",
    ]
    print_table("Spatial chain: derivation and compilation", head, rows)


if __name__ == "__main__":
    main()
