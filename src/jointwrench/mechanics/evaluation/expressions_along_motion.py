"""`expressions_along`: values of expressions of a model's states along a motion."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
from sympy import Expr

from ..sympy_objects import check_time
from .inputs import Inputs


def expressions_along(
    idyn: Any, motion: Any, constants: Mapping[Any, float]
) -> Callable[[Iterable[Expr]], np.ndarray]:
    """Return a function of expressions that returns their values (N, number of expressions).

    Derivatives of coordinates follow from the speeds by the kinematical differential equations of
    the InverseDynamics; ``constants`` are values by symbol or name.
    """
    tree = idyn.model.tree
    check_time("model", tree.time, tree.coordinates)
    states = [*tree.coordinates, *tree.speeds, *tree.accelerations]
    samples = dict(zip(states, np.hstack([motion.q, motion.u, motion.udot]).T, strict=True))
    inputs = Inputs(samples, {}, tree.speeds, motion.times)

    def evaluate(expressions: Iterable[Expr]) -> np.ndarray:
        plain = [tree.derivative.of_states(x.doit()) for x in expressions]
        return inputs.evaluate(plain, constants)

    return evaluate
