"""Formulas that choose between values, one of which is NaN or has no finite slope."""

import sympy as sm
from bodies import rigid_body, system_of
from sympy.physics.mechanics import Force, Particle, PrismaticJoint

from jointwrench.mechanics.arithmetic.piecewise import Gate, Select

x, y = sm.symbols("x y", real=True)

#: Functions of x whose value, first or second slope is infinite or NaN at x = 0 and left of it.
WILD = {
    "sqrt": sm.sqrt,
    "cube root": lambda x: sm.root(x, 3),
    "x**(3/2)": lambda x: x ** sm.Rational(3, 2),
    "x**y": lambda x: x**y,
    "1/x": lambda x: 1 / x,
    "1/sqrt": lambda x: y / sm.sqrt(x),
    "log": lambda x: sm.log(x) * y,
    "x log x": lambda x: x * sm.log(x),
    "asin": lambda x: sm.asin(1 - x),
    "acos": lambda x: sm.acos(1 - x) * sm.sin(x),
    "acosh": lambda x: sm.acosh(1 + x),
    "atanh": lambda x: sm.atanh(1 - x),
    "cot": lambda x: sm.cot(x * (x + sm.Rational(1, 5))),
    "coth": lambda x: sm.coth(x * (x + sm.Rational(1, 5))),
    "exp": lambda x: sm.exp(-1 / x) + sm.exp(-5000 * x),
    "atan2": lambda x: sm.atan2(x * (5 * x + 1), sm.sqrt(x)),
    "root of sine": lambda x: sm.sqrt(sm.sin(x) * y) * sm.exp(x),
    "sin(x)/x": lambda x: sm.sin(x * (x + sm.Rational(1, 5))) / (x * (5 * x + 1)),
}

#: Choices of x, of a wild function f, and of what is chosen left of zero.
CHOICES = {
    "greater": lambda f, g: sm.Piecewise((f, x > 0), (g, True)),
    "not greater": lambda f, g: y * sm.Piecewise((g, x <= 0), (f, True)),
    "both": lambda f, g: sm.Piecewise((f, sm.And(x > 0, x < 2)), (g, x < 1)),
    "Select": lambda f, g: sm.sin(Select(x, 0, f, g)),
    "Gate": lambda f, g: Gate(x, 0, x * f, g) ** 2 + x,
    "nested": lambda f, g: sm.Piecewise(
        (sm.Piecewise((f, x > 1), (y * f, True)), x > 0), (g, True)
    ),
    "twice": lambda f, g: (
        sm.Piecewise((f, x > 0), (g, True)) * sm.Piecewise((1, x <= 0), (f, x > 0))
    ),
}

#: Functions whose value is finite at 0, though a slope is not.
STEEP = {
    name: WILD[name]
    for name in ("sqrt", "cube root", "x**(3/2)", "x**y", "asin", "acos", "acosh", "root of sine")
}

#: Ways to write that a value is zero, left of zero.
GATES = {
    "Max": sm.Max(0, x),
    "Min": -sm.Min(0, -x),
    "clipped": sm.Max(0, sm.Min(x, 1)),
    "Piecewise": sm.Piecewise((x, x > 0), (0, True)),
    "Gate": Gate(x, 0, x, 0),
    "Heaviside": x * sm.Heaviside(x),
    "product": y * sm.Max(0, x),
    "sum": sm.Max(0, x) + sm.Piecewise((x * y, x > 0), (0, True)),
    "squares": sm.Max(0, x) ** 2 + sm.Max(0, x - y) ** 2,
    "sine": sm.sin(sm.Max(0, x)) * y,
}


def cases():
    """Return formulas by their names, what each is where nothing wild is chosen, and such x."""
    found = {}
    other = y**2 * (1 + x) + x
    for name, function in WILD.items():
        for choice, make in CHOICES.items():
            found[f"{name}, {choice}"] = make(function(x), other), make(sm.S(0), other), (-0.2, 0.0)
    for name, function in STEEP.items():
        value = function(sm.S.Zero).subs(y, sm.Rational(7, 10))
        for gate, zero in GATES.items():
            found[f"{name} of {gate}"] = function(zero), value, (-0.2,)
        found[f"Max of {name}"] = sm.Max(function(x), 2 + y), 2 + y, (0.0,)
        found[f"nothing times {name}"] = sm.Max(0, y - 2) * function(x) + y, y, (0.0,)
    return found


def crossings():
    """Return formulas by their names, and what they are right of zero; left of it they are zero.

    The chosen value passes through zero at x = 1/2, its factor is a wild function of y.
    """
    found, crossing = {}, 2 * x - 1
    chosen = {"Piecewise": (sm.Piecewise((crossing, x > 0), (0, True)), crossing)}
    chosen["Gate"] = (Gate(x, 0, crossing, 0), crossing)
    chosen["sine"] = (sm.sin(Select(x, 0, crossing, 0)), sm.sin(crossing))
    for name, function in WILD.items():
        other = function(y)
        for choice, (value, plain) in chosen.items():
            found[f"{name}, {choice}"] = value * other, plain * other
            found[f"{name}, {choice} of both"] = value * Gate(x, 0, other, 0), plain * other
    return found


def free_fall(law):
    """Return a ball of two kilograms above a floor, with a force that depends on its depth."""
    ground, ball = rigid_body("ground"), Particle("ball", mass=2)
    fall = PrismaticJoint("fall", ground, ball, joint_axis=ground.y)
    system = system_of(ground, fall, gravity=-9 * ground.y)
    stiffness, damping = sm.symbols("stiffness damping")
    depth, rate = -system.q[0], -system.u[0]
    forces = {
        "Piecewise": sm.Piecewise(
            (stiffness * depth ** sm.Rational(3, 2) * (1 + damping * rate), depth > 0), (0, True)
        ),
        "Max": stiffness * sm.Max(0, depth) ** sm.Rational(3, 2) * (1 + damping * rate),
        "product": (stiffness * sm.Max(0, depth)) ** sm.Rational(3, 2) * (1 + damping * rate),
    }
    system.add_loads(Force(ball.masscenter, forces[law] * ground.y))
    return system
