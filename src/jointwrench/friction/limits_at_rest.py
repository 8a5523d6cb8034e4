"""The limits between which forces are unknown while nothing slides."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..checks.numbers import real_array, shaped_array
from ..checks.tolerances import ONLY_A_SENSE
from ..mechanics.dynamics.outputs.model_outputs import check_output_names
from ..mechanics.evaluation.evaluator import TOLD
from ..mechanics.evaluation.model import Model
from ..mechanics.evaluation.result import Result


def limits_at_rest(
    model: Model, motion: tuple[Any, Any, Any], outputs: Any, options: Mapping[str, Any]
) -> tuple[Result, Result]:
    """Return outputs for impending sliding in the direction of a sense and in the opposite one."""
    q, sense, udot = motion
    names = check_output_names(outputs, model.outputs.names)
    evaluate = model.compiled(tuple(names), told=TOLD)
    slow = ONLY_A_SENSE * shaped_array("sense", sense, ..., len(model.speeds))
    given = real_array("udot", np.zeros_like(slow) if udot is None else udot)
    one, other = (evaluate(q, speeds, given, **options) for speeds in (slow, -slow))
    return one, other
