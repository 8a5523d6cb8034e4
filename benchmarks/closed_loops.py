"""What do closed loops cost?  A Stewart platform: 13 moving bodies, 24 unknown forces.

Ground, six legs of cross, cylinder and piston (the crosses without mass), and a
platform; the wrenches of 25 joints and of the six that close the loops, and the
forces of the six cylinders.  Imports and the measurement of the compiler's flags,
once per machine, are not counted.
"""

import importlib.util
import os
import tempfile
from pathlib import Path
from typing import Any

from build_scaling import own
from timing import best, once, print_table

from jointwrench import Evaluator, InverseDynamics

EXAMPLE = Path(__file__).parents[1] / "examples" / "stewart_platform.py"
SAMPLES = 4096


def example() -> Any:
    """Return the example as a module."""
    spec = importlib.util.spec_from_file_location("stewart_platform", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def derive() -> InverseDynamics:
    """Return the inverse dynamics of the platform."""
    system, loops = example().stewart_platform()
    motors = [joint.speeds[0] for joint in system.joints if joint.name.startswith("slide")]
    return InverseDynamics(system, loops=loops, actuated=motors)


def compiled(idyn: InverseDynamics) -> Evaluator:
    """Compile a model with nothing in the cache, and evaluate it once."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["JOINTWRENCH_CACHE"] = folder
        evaluate = idyn.compile()
        state = [0.3] * len(idyn.speeds)
        evaluate(state, state, state)
    return evaluate


def main(seconds: float = 2.0) -> None:
    """Print the table."""
    own(1)
    derived, idyn = once(derive)
    built, evaluate = once(lambda: compiled(idyn))
    motion = example().circle(idyn, samples=SAMPLES)
    out = evaluate(motion.q, motion.u, motion.udot).outputs
    time = best(lambda: evaluate(motion.q, motion.u, motion.udot, out=out), seconds)
    counts = idyn.count_ops()
    row = [
        f"{derived:.2f}",
        f"{derived + built:.2f}",
        f"{counts['mul']} / {counts['add']}",
        f"{1e9 * time / SAMPLES:.0f}",
    ]
    head = [
        "derived, s",
        "compiled and evaluated, s",
        "multiplications / additions",
        f"ns per sample, batch of {SAMPLES}",
    ]
    print_table("Stewart platform: all joint wrenches and the cylinders' forces", head, [row])


if __name__ == "__main__":
    main()
