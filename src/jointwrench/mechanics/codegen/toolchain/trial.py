"""The kernel for measuring sets of flags: an arm, whose code is like that of real models."""

import ctypes

import numpy as np
from sympy import Matrix, cos, sin, symbols
from sympy.physics.mechanics import dynamicsymbols

from ...arithmetic.doubles import DoubleStates
from ...arithmetic.graph import Graph, Scalar
from ...arithmetic.groups import Group
from ...arithmetic.program import Output, Program
from ...arithmetic.vectors import Mat, Vec, zero

#: The number of links: enough for a tenth of a second of the compiler's time.
LINKS = 5

#: The number of samples: enough for some ten microseconds.
SAMPLES = 256


def trial_program() -> Program:
    """Return the joint wrenches of an arm of pins, each axis normal to the one before."""
    q, u = dynamicsymbols(f"q:{LINKS}"), dynamicsymbols(f"u:{LINKS}")
    udot = dynamicsymbols(f"u:{LINKS}", 1)
    length, mass, inertia = (symbols(f"{letter}:{LINKS}") for letter in "lmi")
    gravity = symbols("g")
    graph = Graph([*q, *u, *udot])
    links = []
    w = al = zero(graph)
    a = Vec.enter(graph, (gravity, 0, 0))
    for k in range(LINKS):
        s, c = sin(q[k]), cos(q[k])
        turn = Mat.enter(graph, Matrix([[0, c, s], [0, -s, c], [1, 0, 0]]))
        arm = Vec.enter(graph, (length[k], 0, 0))
        rate = Vec.enter(graph, (0, 0, u[k]))
        w = turn @ w + rate
        al = turn @ al + Vec.enter(graph, (0, 0, udot[k])) + w.cross(rate)
        a = turn @ a + al.cross(arm) + w.cross(w.cross(arm))
        own = a * graph.scalar(mass[k]), al * graph.scalar(inertia[k])
        links.append((turn.transpose, arm, *own))
    force = moment = zero(graph)
    entries = []
    for turn, arm, own_force, own_moment in reversed(links):
        force = force + own_force
        moment = moment + own_moment + arm.cross(force)
        entries += [*force.components, *moment.components]
        force, moment = turn @ force, turn @ moment
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
    """Return numbers for each group of inputs, one row per sample; all rows of constants alike."""
    random = np.random.default_rng(0)
    inputs = [random.uniform(0.5, 1.5, (SAMPLES, len(x))) for x in program.inputs.values()]
    inputs[-1][:] = inputs[-1][0]
    return inputs


def numbers_of_numpy(program: Program) -> np.ndarray:
    """Return the correct numbers of the kernel, by numpy."""
    columns = np.concatenate(trial_inputs(program), axis=-1).T + 0j
    symbols = (symbol for own in program.inputs.values() for symbol in own)
    (output,) = program.outputs
    entries = [Scalar(program.graph, ref) for ref in output.refs]
    given = dict(zip(symbols, columns, strict=True))
    found = DoubleStates(program.graph, given, SAMPLES).matrix([entries])
    return found.real.reshape(SAMPLES, *output.shape)


class Trial:
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
        self._function(*self._arguments)
        return self._outputs[0]


def _addresses(arrays: list[np.ndarray]) -> ctypes.Array[ctypes.c_void_p]:
    return (ctypes.c_void_p * len(arrays))(*(array.ctypes.data for array in arrays))
