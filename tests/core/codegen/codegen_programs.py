"""Programs built by hand, and their slow, independent evaluation."""

from types import SimpleNamespace

import numpy as np
import sympy as sm
from sympy.physics.mechanics import dynamicsymbols

from jointwrench.mechanics.arithmetic.graph import Graph
from jointwrench.mechanics.arithmetic.output import Output
from jointwrench.mechanics.arithmetic.program import Program
from jointwrench.mechanics.dynamics.outputs.inverse_outputs import input_groups

q1, q2, q3 = q = dynamicsymbols("q1:4")
u1, u2, u3 = u = dynamicsymbols("u1:4")
a1, a2, a3 = udot = [speed.diff() for speed in u]
m, length, g = constants = sm.symbols("m l g", positive=True)
unused = sm.Symbol("unused")
force = sm.Symbol("F")
road = dynamicsymbols("r")
t = dynamicsymbols._t

INPUTS = {"q": q, "u": u, "udot": udot, "constants": (*constants, unused)}
INPUTS |= {"specifieds": (force, road), "times": (t,)}

VALUES = {m: 1.5, length: 0.7, g: 9.81}

TORQUES = (m * length**2 * a1 + m * g * length * sm.sin(q1 - q2),)
TORQUES += (m * length**2 * a2 - u1 * u2 * sm.cos(q1 - q2) + force, sm.Integer(0))
WRENCHES = (sm.Rational(1, 3) * a1, m * g, sm.pi, sm.Integer(0), sm.sqrt(2) * q1, -q2)
WRENCHES += (q3 / m, 1 / (2 + q1**2), 0.1 * u3, -m, (q1 + u1) ** 3, u2 - q3)
LOADS = (m * a3 / (length + 1), force * road + t)
FUNCTIONS = (
    sm.Piecewise((q1, q1 > q2), (u1**2, sm.And(q2 > 0, m > 1)), (3, True)),
    sm.Piecewise((q1, sm.Or(q1 < 0, m < 1)), (-q1, True)),
    sm.Max(q1, u2, force, 0),
    sm.Piecewise((sm.Integer(10) ** 30, q1 > 0), (sm.Rational(2, 3), True)),
    sm.Piecewise((q1, q1 > -100)),
    sm.Min(q1 - q2, q2),
    sm.sign(q1 - 1),
    sm.Abs(q2 * u1),
    sm.sqrt(q1**2 + m),
    1 / sm.sqrt(1 + q2**2),
    (1 + q1**2) ** sm.Rational(2, 3),
    (2 + u1**2) ** sm.Rational(1, 3),
    (1 + u1**2) ** q1,
    2**q1,
    sm.tan(q1),
    sm.atan2(q1, q2),
    sm.exp(-q1),
    sm.log(1 + q2**2),
    sm.tanh(u3),
    sm.asin(q1 / 10),
    sm.Heaviside(q1),
    sm.Mod(q1, 2),
    sm.Mod(q2, -sm.Rational(3, 4)),
    sm.floor(3 * q1),
    sm.cot(1 + q1**2),
    sm.erf(q1),
    sm.sinc(q2),
    m**q1 / length ** sm.Rational(5, 2),
    sm.E**2 * sm.Float("0.1") * q1,
    sm.cos(-length),
    sm.sin(t),
)


def build(outputs, inputs, varying=()):
    """Return the Program of ``outputs``: {name: (shape, expressions)}."""
    graph = Graph(varying)
    rows = ((name, shape, [graph.scalar(x) for x in own]) for name, (shape, own) in outputs.items())
    return Program(graph, [Output.from_scalars(*row) for row in rows], input_groups(inputs))


def everything() -> Program:
    """Return a program with all kinds of operations and outputs."""
    outputs = {"generalized_forces": ((3,), TORQUES), "joint_wrenches": ((2, 6), WRENCHES)}
    outputs |= {"solved_loads": ((2,), LOADS), "functions": ((len(FUNCTIONS),), FUNCTIONS)}
    return build(outputs, INPUTS, varying=(force, t))


#: What `compile_program` is given along with `everything`.
JOINTS = (SimpleNamespace(name="hip"), SimpleNamespace(name="knee"))
OPTIONS = {"joints": JOINTS, "loads": (force, road)}


def states(rng: np.random.Generator, *batch: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return random q, u and udot of a batch, each of shape (*batch, 3)."""
    return tuple(rng.normal(size=(*batch, 3)) for _ in range(3))


def closed_form(program: Program, name: str, values: dict) -> list[float]:
    """Return an output's entries by way of its formulas, with 30 digits."""
    exact = {symbol: sm.Float(value, 30) for symbol, value in values.items()}
    return [float(entry.xreplace(exact).evalf(20)) for entry in program.closed_form(name)]
