"""Random states, at which forces depend on all parameters that can affect them.

Displacements are scaled by the characteristic length, rates by the characteristic time, so that
units do not matter.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from .. import States
from .characteristic_units import model_length, model_time
from .linear_model import ForceModel
from .sample import Sample


def draw_sample(
    model: ForceModel, constants: Mapping[Any, Any] | None, specifieds: Mapping[Any, Any] | None
) -> Sample:
    """Return random states of a model, with random values of missing constants and specifieds."""
    idyn = model.idyn
    if idyn.model.tree.constraints:
        raise ValueError(
            "`motion` must be given for a model with constraints. Use for instance "
            "idyn.close_motion(q, u, udot, constants)."
        )
    random = np.random.default_rng(20261122)
    count = (20 + 3 * len(model.names) // len(model.channels)) * (1 + bool(model.extra))
    widths = (len(idyn.coordinates), len(idyn.speeds), len(idyn.speeds))
    q, u, udot = (random.uniform(-3, 3, (count, width)) for width in widths)
    if model.extra:  # extra terms may vary at slow speeds: tanh, Stribeck's curve
        u *= 10.0 ** random.uniform(-3, 0, (count, 1))
    times = random.uniform(0, 1, count)
    for group in idyn.model.tree.quaternion_columns:
        q[:, group] /= np.linalg.norm(q[:, group], axis=-1, keepdims=True)
    numbers, given = idyn.model.numbers(constants), dict(specifieds or {})
    missing = [s for s in idyn.constants if s in model.inputs and s not in numbers]
    numbers.update({symbol: random.uniform(0.5, 1.5) for symbol in missing})
    for symbol in (*idyn.specifieds, *model.extra.inputs):
        if symbol in model.inputs and symbol not in given:
            given[symbol] = random.uniform(-1, 1, count)
    names = tuple(map(str, missing))
    length, time = model_length(idyn, numbers), model_time(idyn, numbers)
    q *= np.where(idyn.model.tree.is_turning, 1, length)
    turning = idyn.model.derivation.scalars.turning_speeds
    sizes = np.array([1 if speed in turning else length for speed in idyn.speeds])
    states = States(q, u * sizes / time, udot * sizes / time**2)
    return Sample(states, times * time, numbers, given, names)
