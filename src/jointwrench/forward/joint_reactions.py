"""Joint wrenches at the states of a simulation, by jointwrench, PyDy or anybody else."""

from typing import Any

import numpy as np

from ..mechanics.evaluation.evaluator import CHECKS
from ..mechanics.evaluation.result import Result
from ..mechanics.evaluation.value_arguments import ValueReader
from .forward_model import ForwardModel
from .pydy_values import PydyValues
from .simulation import read_states
from .specified_functions import SpecifiedFunctions


def joint_reactions(
    model: ForwardModel,
    simulated: Any,
    times: Any,
    states: Any,
    constants: Any,
    specifieds: Any,
) -> Result:
    """Return the accelerations and joint wrenches along a simulation.

    ``simulated`` is PyDy's System that has simulated the model, or None.  The other
    arguments are those of `ForwardDynamics.reactions`.
    """
    names, split = (*model.coordinates, *model.speeds), len(model.coordinates)
    values = PydyValues(simulated) if simulated is not None else None
    more = values.states[len(names) :] if values else ()
    instants, rows = read_states(times, states, names, split, more)
    own = rows[..., : len(names)]
    numbers = ValueReader("constants", model.constants).numbers(constants)
    signals = SpecifiedFunctions(model.specifieds, (), specifieds).sampled(instants, own)
    if values:
        numbers = values.constants(model.constants) | numbers
        signals = values.specifieds(model.specifieds, instants, rows) | signals
    evaluate = model.cached_evaluator(("udot", "joint_wrenches"), checks=CHECKS)
    q, u = (np.ascontiguousarray(x) for x in np.split(own, [split], axis=-1))
    return evaluate(q, u, numbers, signals, instants)
