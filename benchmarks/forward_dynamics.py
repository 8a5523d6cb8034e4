"""What do accelerations cost?  Franka Panda, a 7-link arm, pendulums on a cart.

Imports and the choice of compiler flags, once per machine, are not counted.
Argument: --quick to leave out KanesMethod (its derivations take minutes).
"""

import os
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
from build_scaling import own
from models import GRAVITY, Robot, from_pinocchio, panda, spatial_chain, states
from peers import CYTHON, LAMBDIFY
from sympy import Matrix, Symbol, lambdify
from sympy.physics.mechanics import (
    KanesMethod,
    Particle,
    Point,
    ReferenceFrame,
    dynamicsymbols,
)
from throughput import looped
from timing import best, once, print_table

from jointwrench import ForwardDynamics

SAMPLES = 4096
LINKS = (3, 10, 30, 100)
MOST_FOR_KANE = 30  # links; beyond them it takes longer than a minute


def pinocchio_aba(robot: Robot) -> Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]:
    """Return Pinocchio's articulated-body algorithm."""
    import pinocchio

    model, data = robot.pinocchio, robot.pinocchio.createData()
    return lambda q, u, torques: pinocchio.aba(model, data, q, u, torques)


def of_batch(robot: Robot, seconds: float = 1.0) -> list[tuple[str, float]]:
    """Return names and nanoseconds per sample of a batch, Pinocchio's first."""
    q, u, _ = states(len(robot.system.q), SAMPLES)
    fdyn = ForwardDynamics(robot.system)
    runs = {"pin.aba, loop": looped(pinocchio_aba(robot), (q, u, np.zeros_like(q)))}
    for outputs in (("udot",), ("udot", "joint_wrenches")):
        evaluate = fdyn.compile(outputs, constants=robot.constants)
        runs[f"jointwrench, {' + '.join(outputs)}"] = lambda f=evaluate: f(q, u)
    return [(name, 1e9 * best(run, seconds) / SAMPLES) for name, run in runs.items()]


def of_call(robot: Robot, seconds: float = 1.0) -> list[tuple[str, float]]:
    """Return names and nanoseconds per call with one sample, Pinocchio's first."""
    q, u, _ = states(len(robot.system.q))
    machine = from_pinocchio(robot.pinocchio)
    motors = machine.add_motors()
    torques = np.array(list(motors.values()))
    aba = pinocchio_aba(robot)
    plain = ForwardDynamics(robot.system).compile(constants=robot.constants)
    driven = ForwardDynamics(machine.system).compile(constants=machine.constants)
    runs = {
        "pin.aba": lambda: aba(q, u, torques),
        "jointwrench, no motors": lambda: plain(q, u),
        f"jointwrench, {len(motors)} motors": lambda: driven(q, u, None, motors),
    }
    return [(name, 1e9 * best(run, seconds, loop=1000)) for name, run in runs.items()]


class Built(NamedTuple):
    """The seconds to make a function, and the function: from q and u to accelerations."""

    seconds: float
    run: Callable[[np.ndarray, np.ndarray], np.ndarray]


def built(make: Callable[[], Callable[..., Any]]) -> Built:
    """Make a function with an empty cache, and call it once."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["JOINTWRENCH_CACHE"] = folder
        return Built(*once(make))


def own_function(derive: Callable[[], ForwardDynamics]) -> Callable[..., Any]:
    """Return the compiled function of jointwrench, all constants being 1."""
    fdyn = derive()
    evaluate = fdyn.compile(constants=constants(fdyn.constants))
    evaluate(*np.ones((2, len(fdyn.speeds))))
    return lambda q, u: evaluate(q, u).udot


def constants(symbols: Iterable[Symbol]) -> dict[Symbol, float]:
    """Return numbers for constants, with moments of inertia that are large enough."""
    return {x: 9.0 if x.name[:2] in ("xx", "yy", "zz") else 1.0 for x in symbols}


class Equations:
    """The mass matrix and the forcing of a KanesMethod, for code generators; constants are 1."""

    def __init__(self, kane: KanesMethod) -> None:
        rates = kane.kindiffdict()
        parts = [kane.mass_matrix.xreplace(rates), kane.forcing.xreplace(rates)]
        groups = [list(kane.q), list(kane.u)]
        self.groups = [[Symbol(f"x{i}_{k}") for k in range(len(g))] for i, g in enumerate(groups)]
        names = {
            old: new
            for group, plain in zip(groups, self.groups, strict=True)
            for old, new in zip(group, plain, strict=True)
        }
        parts = [part.xreplace(names) for part in parts]
        known = {symbol for group in self.groups for symbol in group}
        left = constants(set().union(*(part.free_symbols for part in parts)) - known)
        self.mass, self.forcing = (Matrix(part.xreplace(left)) for part in parts)

    def cython(self) -> Callable[..., Any]:
        """Return PyDy's Cython function, and numpy's solution of its equations."""
        from pydy.codegen.cython_code import CythonMatrixGenerator

        generator = CythonMatrixGenerator(self.groups, [self.mass, self.forcing])
        with tempfile.TemporaryDirectory() as folder:
            function = generator.compile(tmp_dir=folder)
        count = len(self.forcing)
        mass, forcing = np.empty(count**2), np.empty(count)

        def run(q: np.ndarray, u: np.ndarray) -> np.ndarray:
            function(q, u, mass, forcing)
            return np.linalg.solve(mass.reshape(count, count), forcing)

        return run

    def lambdified(self) -> Callable[..., Any]:
        """Return sympy.lambdify's function, and numpy's solution of its equations."""
        function = lambdify(self.groups, [self.mass, self.forcing], "numpy", cse=True)

        def run(q: np.ndarray, u: np.ndarray) -> np.ndarray:
            mass, forcing = function(q, u)
            return np.linalg.solve(mass, forcing[:, 0])

        return run


class Pendulum:
    """A chain of particles on a cart, as in `sympy.physics.mechanics.models`.

    Those form the equations at once, which takes minutes for many links.
    """

    def __init__(self, count: int) -> None:
        q, u = dynamicsymbols(f"q:{count + 1}"), dynamicsymbols(f"u:{count + 1}")
        time, frame, point = dynamicsymbols._t, ReferenceFrame("N"), Point("C")
        origin = Point("O")
        origin.set_vel(frame, 0)
        point.set_pos(origin, q[0] * frame.x)
        point.set_vel(frame, u[0] * frame.x)
        bodies = [Particle("cart", point, Symbol("m0"))]
        self.connections = [(frame, bodies[0], point)]
        for k in range(1, count + 1):
            own = frame.orientnew(f"A{k}", "Axis", [q[k], frame.z])
            own.set_ang_vel(frame, u[k] * frame.z)
            bob = point.locatenew(f"P{k}", Symbol(f"l{k}") * own.x)
            bob.v2pt_theory(point, frame, own)
            bodies.append(Particle(f"bob{k}", bob, Symbol(f"m{k}")))
            self.connections.append((bodies[k - 1], bodies[k], point))
            point = bob
        self.kane = KanesMethod(
            frame,
            q,
            u,
            [x.diff(time) - v for x, v in zip(q, u, strict=True)],
            bodies=bodies,
            forcelist=[(body.masscenter, -body.mass * GRAVITY * frame.y) for body in bodies],
        )

    def read(self) -> ForwardDynamics:
        """Return its forward dynamics, without forming Kane's equations."""
        return ForwardDynamics.from_kane(self.kane, self.connections)

    def form(self) -> Equations:
        """Form Kane's equations."""
        self.kane.kanes_equations(self.kane.bodies, self.kane.loads)
        return Equations(self.kane)


def of_arm(count: int = 7) -> Equations:
    """Form the equations of a spatial arm by KanesMethod."""
    system = spatial_chain(count)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        system.form_eoms()
    return Equations(system.eom_method)


def row(name: str, count: int, makers: dict[str, Any], seconds: float = 1.0) -> list[Any]:
    """Return a line of a table: seconds to build, and microseconds per evaluation."""
    q, u, _ = states(count)
    cells: list[Any] = [name]
    for make in makers.values():
        if make is None:
            cells += ["-", "-"]
        else:
            made = built(make)
            time = best(lambda run=made.run: run(q, u), seconds, loop=10)
            cells += [f"{made.seconds:.2f}", f"{1e6 * time:.1f}"]
    return cells


def makers_of_arm(count: int, quick: bool) -> dict[str, Any]:
    """Return makers of the functions of an arm."""
    return {
        "jointwrench": lambda: own_function(lambda: ForwardDynamics(spatial_chain(count))),
        CYTHON: None if quick else lambda: of_arm(count).cython(),
        LAMBDIFY: None if quick else lambda: of_arm(count).lambdified(),
    }


def makers_of_pendulum(count: int, quick: bool) -> dict[str, Any]:
    """Return makers of the functions of a pendulum on a cart."""
    slow = quick or count > MOST_FOR_KANE
    return {
        "jointwrench": lambda: own_function(lambda: Pendulum(count).read()),
        CYTHON: None if slow else lambda: Pendulum(count).form().cython(),
        LAMBDIFY: None if slow else lambda: Pendulum(count).form().lambdified(),
    }


def main() -> None:
    """Print the tables."""
    quick = "--quick" in sys.argv[1:]
    own(1)  # imports, and the measurement of the flags
    robot = panda()
    for title, times in (
        (f"Franka Panda, {SAMPLES} states per call: accelerations", of_batch(robot)),
        ("Franka Panda, one state per call: accelerations", of_call(robot)),
    ):
        first = times[0][1]
        rows = [[name, f"{time:.0f}", f"{time / first:.3f}"] for name, time in times]
        print_table(title, ["", "ns", f"of {times[0][0]}"], rows)
    rows = [row("arm of 7 links", 7, makers_of_arm(7, quick))]
    rows += [row(f"cart with {n} links", n + 1, makers_of_pendulum(n, quick)) for n in LINKS]
    head = [""]
    for name in makers_of_arm(1, quick):
        head += [f"{name}: built, s", "per call, µs"]
    print_table("From the model to accelerations", head, rows)


if __name__ == "__main__":
    main()
