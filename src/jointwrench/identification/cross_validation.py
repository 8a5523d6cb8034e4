"""`cross_validate`: predictions of forces that were not used to identify the parameters."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ..checks.arguments import check_options, keyword_only_names
from ..checks.numbers import check_integer
from .estimator import FitOptions
from .fit import Fit
from .fitting import identify, prepare


def cross_validate(
    idyn: Any,
    motion: Any,
    forces: Any,
    constants: Mapping[Any, Any] | None = None,
    specifieds: Any = None,
    *,
    parts: int = 5,
    **options: Any,
) -> Fit:
    """Return a `Fit` of forces predicted by parameters that were identified from other data.

    Each part of the data is predicted by the parameters that are identified from all other parts;
    ``recordings`` of the Fit are the numbers of the parts.

    Parameters
    ==========

    idyn : InverseDynamics
        The model.
    motion, forces, constants, specifieds : object
        As for `identify`.  Each of several recordings is left out in turn; a single one is divided
        into parts of successive instants.
    parts : int
        The number of parts of a single recording, at least 2.
    **options : optional
        The other arguments of `identify`.

    Raises
    ======

    TypeError, ValueError
        As `identify`; also if the data without a part do not determine all parameters.

    See Also
    ========

    Identified.validate : Predictions for a separate recording.

    Examples
    ========

    >>> import numpy as np
    >>> import jointwrench as jw
    >>> chain = jw.SerialChain.planar(1, gravity=(0, -10, 0))
    >>> t = np.linspace(0, 9, 300)[:, None]
    >>> q, u, udot = np.sin(2 * t), 2 * np.cos(2 * t), -4 * np.sin(2 * t)
    >>> torque = 0.5 * udot - 3 * np.sin(q) + 0.01 * np.cos(40 * t)
    >>> idyn = jw.InverseDynamics(chain.system)
    >>> fit = jw.identification.cross_validate(idyn, (q, u, udot), torque, parts=3)
    >>> round(fit.total_rms, 3)
    0.007
    """
    check_options(cross_validate, options, keyword_only_names(identify))
    parts = check_integer("parts", parts, 2)
    estimator, data = prepare(idyn, motion, forces, constants, specifieds, FitOptions(**options))
    numbers, predicted = data.recordings, np.empty_like(data.measured)
    if numbers[-1] == 0:
        if 2 * parts > len(data):
            raise ValueError(
                f"`parts` must leave two instants in each, got {parts} parts of {len(data)}. Use "
                "fewer."
            )
        numbers = np.arange(len(data)) * parts // len(data)
    for k in range(numbers[-1] + 1):
        found = estimator.solve(data.at_rows(numbers != k))
        fit = data.fit(found.base.places, found.base_values)
        predicted[numbers == k] = fit.predicted[numbers == k]
    return replace(fit, predicted=predicted, recordings=numbers)
