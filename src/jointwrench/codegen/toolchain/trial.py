"""The kernel on which sets of flags are tried: an arm, whose code is like that of real models."""

import ctypes

import numpy as np
from sympy import cos, sin, symbols
from sympy.physics.mechanics import dynamicsymbols

from ...arithmetic.graph import Graph
from ...arithmetic.interpret import Arithmetic, interpret
from ...arithmetic.program import Group, Output, Program
from ...arithmetic.vectors import Mat, Vec, zero

#: The number of links: enough for a tenth of a second of the compiler's time.
LINKS = 5

#: The number of samples: enough for some ten microseconds.
SAMPLES = 256


def trial_program() -> Program:
    """Return the joint wrenches of an arm of pins, each axis square to the one before.

    Each link has a mass at its tip, and a central inertia that is the same about all axes.
    """
    q, u = dynamicsymbols(f"q:{LINKS}"), dynamicsymbols(f"u:{LINKS}")
    udot = dynamicsymbols(f"u:{LINKS}", 1)
    length, mass, inertia = (symbols(f"{letter}:{LINKS}") for letter in "lmi")
    gravity = symbols("g")
    graph = Graph([*q, *u, *udot])
    turns, arms, forces, moments = [], [], [], []
    w = al = zero(graph)
    a = Vec.enter(graph, (gravity, 0, 0))
    for k in range(LINKS):
        turn = Mat(
            [
                Vec.enter(graph, (0, cos(q[k]), sin(q[k]))),
                Vec.enter(graph, (0, -sin(q[k]), cos(q[k]))),
                Vec.enter(graph, (1, 0, 0)),
            ]
        )
        arm = Vec.enter(graph, (length[k], 0, 0))
        rate = Vec.enter(graph, (0, 0, u[k]))
        w = turn @ w + rate
        al = turn @ al + Vec.enter(graph, (0, 0, udot[k])) + w.cross(rate)
        a = turn @ a + al.cross(arm) + w.cross(w.cross(arm))
        turns.append(turn.transpose)
        arms.append(arm)
        forces.append(a * graph.scalar(mass[k]))
        moments.append(al * graph.scalar(inertia[k]))
    force = moment = zero(graph)
    entries = []
    for k in reversed(range(LINKS)):
        force = force + forces[k]
        moment = moment + moments[k] + arms[k].cross(force)
        entries += [*force.components, *moment.components]
        force, moment = turns[k] @ force, turns[k] @ moment
    wrenches = Output.from_scalars("wrenches", (LINKS, 6), entries)
    constants = (*length, *mass, *inertia, gravity)
    groups = [
        Group("q", "coordinates", q),
        Group("u", "speeds", u),
        Group("udot", "accelerations", udot),
        Group("constants", "constants", constants, per="call"),
    ]
    return Program(graph, [wrenches], groups)


def trial_inputs(program: Program) -> list[np.ndarray]:
    """Return numbers for each group of inputs, one row per sample."""
    random = np.random.default_rng(0)
    return [random.uniform(0.5, 1.5, (SAMPLES, len(own))) for own in program.inputs.values()]


def numbers_of_numpy(program: Program) -> np.ndarray:
    """Return what the kernel must give, by numpy; its calls are sines and cosines."""
    columns = {
        symbol: rows[:1, k] if group.per == "call" else rows[:, k]
        for group, rows in zip(program.groups, trial_inputs(program), strict=True)
        for k, symbol in enumerate(group.symbols)
    }
    numpy = Arithmetic(
        symbol=columns.__getitem__,
        number=float,
        call=lambda function, arguments: getattr(np, function.__name__)(*arguments),
    )
    values = interpret(program.operations, program.refs, {}, numpy)
    (output,) = program.outputs
    entries = [np.broadcast_to(numpy.signed(ref, values), SAMPLES) for ref in output.refs]
    return np.stack(entries, -1).reshape(SAMPLES, *output.shape)


class Trial:
    """A compiled trial kernel with inputs."""

    def __init__(self, library: ctypes.CDLL, program: Program) -> None:
        self._inputs = trial_inputs(program)
        widths = [rows.shape[1] for rows in self._inputs]
        self._outputs = [np.zeros((SAMPLES, *output.shape)) for output in program.outputs]
        self._function = library.evaluate_arrays
        self._arguments = (
            ctypes.c_ssize_t(SAMPLES),
            _addresses(self._inputs),
            (ctypes.c_ssize_t * len(widths))(*widths),
            _addresses(self._outputs),
        )

    def run(self) -> np.ndarray:
        """Evaluate all samples and return the numbers."""
        self._function(*self._arguments)
        return self._outputs[0]


def _addresses(arrays: list[np.ndarray]) -> ctypes.Array[ctypes.c_void_p]:
    return (ctypes.c_void_p * len(arrays))(*(array.ctypes.data for array in arrays))
