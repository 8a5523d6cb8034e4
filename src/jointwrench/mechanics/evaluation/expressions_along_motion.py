"""`expressions_along`: values of expressions of a model's states along a motion."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
from sympy import Expr

from ..mechanism.reading.kinematic_equations import solve_rates
from ..mechanism.time_derivative import TimeDerivative
from ..spatial.components import find_time
from ..sympy_objects import check_time, system_of
from .inputs import Inputs


def expressions_along(
    model: Any, motion: Any, constants: Mapping[Any, float]
) -> Callable[[Iterable[Expr]], np.ndarray]:
    """Return a function of expressions that returns their values (N, number of expressions).

    Derivatives of coordinates follow from the speeds by the kinematical differential equations of
    ``model``, a System or an object that has one; ``constants`` are values by symbol or name.
    """
    system = system_of(model)
    time = find_time(system.q)
    check_time("model", time, tuple(system.q))
    derivative = TimeDerivative(time, solve_rates(system.q, system.u, system.kdes, time)[0])
    states = [*system.q, *system.u, *system.u.diff(time)]
    samples = dict(zip(states, np.hstack([motion.q, motion.u, motion.udot]).T, strict=True))
    inputs = Inputs(samples, {}, tuple(system.u), motion.times)

    def evaluate(expressions: Iterable[Expr]) -> np.ndarray:
        plain = [derivative.of_states(expression.doit()) for expression in expressions]
        return inputs.evaluate(plain, constants)

    return evaluate
