"""What do closed loops and contacts cost?  A four-bar linkage, a rolling disc, a Stewart platform.

All joint wrenches, closing joints included, and the forces of the motors.  The Stewart platform has
six legs of cross, cylinder and piston (the crosses without mass), and a platform.  The models are
those of the examples.  Imports and the choice of compiler flags, once per machine, are not counted.
"""

import importlib.util
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from build_scaling import own
from timing import best, once, print_table, ready

from jointwrench import Evaluator, InverseDynamics

EXAMPLES = Path(__file__).parents[1] / "examples"
SAMPLES = 4096


def example(name: str) -> Any:
    """Return an example as a module."""
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Mechanism(NamedTuple):
    """A mechanism: its derivation, and a motion with closed loops."""

    name: str
    derive: Callable[[], InverseDynamics]
    motion: Callable[[InverseDynamics], tuple[np.ndarray, ...]]


def four_bar() -> InverseDynamics:
    """Return the inverse dynamics of the linkage."""
    system, knee = example("four_bar").four_bar()
    return InverseDynamics(system, loops=[knee])


def turn(idyn: InverseDynamics) -> tuple[np.ndarray, ...]:
    """Return turns of the crank."""
    motion = example("four_bar").steady_turn(idyn, samples=SAMPLES)
    return motion.q, motion.u, motion.udot


def stewart() -> InverseDynamics:
    """Return the inverse dynamics of the platform."""
    system, loops = example("stewart_platform").stewart_platform()
    motors = [joint.speeds[0] for joint in system.joints if joint.name.startswith("slide")]
    return InverseDynamics(system, loops=loops, actuated=motors)


def circle(idyn: InverseDynamics) -> tuple[np.ndarray, ...]:
    """Return a circle of the platform."""
    motion = example("stewart_platform").circle(idyn, samples=SAMPLES)
    return motion.q, motion.u, motion.udot


def disc() -> InverseDynamics:
    """Return the inverse dynamics of the disc."""
    rolling = example("rolling_disc").Disc()
    return InverseDynamics(rolling.system, loops=[rolling.contact])


def wobble(idyn: InverseDynamics) -> tuple[np.ndarray, ...]:
    """Return states and accelerations for the contact's forces."""
    q, u, udot = np.random.default_rng(0).normal(size=(3, SAMPLES, len(idyn.speeds)))
    q[:, 4] /= 10  # it leans
    return idyn.close_motion(q, u, udot, constants=numbers(idyn))


MECHANISMS = (
    Mechanism("four-bar linkage, 1 loop", four_bar, turn),
    Mechanism("rolling disc, 1 contact", disc, wobble),
    Mechanism("Stewart platform, 6 loops", stewart, circle),
)


def numbers(idyn: InverseDynamics) -> dict[str, float]:
    """Return the numbers of the disc; the other models have no symbols."""
    return {x.name: {"m": 1.2, "r": 0.3, "g": 9.81}[x.name] for x in idyn.constants}


def compiled(idyn: InverseDynamics) -> Evaluator:
    """Compile a model with an empty cache, and evaluate it once."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["JOINTWRENCH_CACHE"] = folder
        evaluate = ready(idyn.compile(constants=numbers(idyn)))
        state = [0.3] * len(idyn.speeds)
        evaluate([0.3] * len(idyn.coordinates), state, state)
    return evaluate


def measured(mechanism: Mechanism, seconds: float) -> list[str]:
    """Return a row of the table."""
    derived, idyn = once(mechanism.derive)
    built, evaluate = once(lambda: compiled(idyn))
    motion = mechanism.motion(idyn)
    out = evaluate(*motion).outputs
    batch = best(lambda: evaluate(*motion, out=out), seconds)
    one = [part[0] for part in motion]
    single = best(lambda: evaluate(*one), seconds, loop=100)
    counts = idyn.count_ops()
    return [
        mechanism.name,
        str(len(idyn.bodies)),
        f"{derived:.2f}",
        f"{derived + built:.2f}",
        f"{counts['mul']} / {counts['add']}",
        f"{1e9 * batch / SAMPLES:.0f}",
        f"{1e9 * single:.0f}",
    ]


def main(seconds: float = 2.0) -> None:
    """Print the table."""
    own(1)
    head = [
        "",
        "bodies",
        "derived, s",
        "compiled and evaluated, s",
        "multiplications / additions",
        f"ns per sample, batch of {SAMPLES}",
        "ns, single call",
    ]
    rows = [measured(mechanism, seconds) for mechanism in MECHANISMS]
    print_table("All joint wrenches, those of the loops, and the motors", head, rows)


if __name__ == "__main__":
    main()
