"""The compiled function of forward dynamics."""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from .backends.function import directly
from .evaluator import Evaluator
from .forms import Form
from .result import Result


@directly
class ForwardEvaluator(Evaluator):
    """A compiled program of states: arrays in, arrays out.

    Made by `ForwardDynamics.compile`; all else is as for `Evaluator`.
    """

    forms: ClassVar[dict[str, Form]] = {
        name: form for name, form in Evaluator.forms.items() if name != "udot"
    }

    def __call__(  # type: ignore[override]
        self,
        q: Any,
        u: Any = None,
        constants: Mapping[Any, Any] | None = None,
        specifieds: Mapping[Any, Any] | None = None,
        times: Any = None,
        out: Mapping[str, np.ndarray] | None = None,
    ) -> Result:
        """Evaluate one state or a whole batch.

        Parameters
        ==========

        q, u : array_like, shape (..., n)
            Generalized coordinates and speeds, in the order of the model's.  A
            motion that has attributes of these names (and possibly ``times``) can be
            given alone, as ``q``.
        constants, specifieds, times, out : optional
            As for `Evaluator`.

        Returns
        =======

        Result
            The outputs as new arrays (or those in ``out``) with the same batch axes.

        Raises
        ======

        TypeError, ValueError
            As for `Evaluator`.
        """
        if u is None and (found := self._motions.of(q, "q")) is not None:
            q, u = found.states
            times = found.times if times is None else times
        return self._evaluate((q, u, constants, specifieds, times), out)
