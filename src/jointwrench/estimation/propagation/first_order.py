"""First-order propagation: the derivatives of outputs times the errors of inputs."""

from collections.abc import Sequence

import numpy as np
from scipy.special import ndtri

from ...checks.arguments import enumerate_some
from ...evaluation.result import Result
from .propagated import Uncertainty, uncertain_outputs
from .sources import Source, name_of


class FirstOrder(Uncertainty):
    """Uncertainty to the first order, from a result with its derivatives."""

    def __init__(self, result: Result, axes: int, sources: Sequence[Source]) -> None:
        _check_compiled(result, sources)
        self._sources = sources
        contributions = {
            name: {
                source.name: np.square(_change(result, axes, name, source)).sum(axis=-1)
                for source in sources
            }
            for name in uncertain_outputs(result)
        }
        variances = {name: sum(own.values()) for name, own in contributions.items()}
        deviations = {name: np.sqrt(variance) for name, variance in variances.items()}
        super().__init__(result, axes, deviations, contributions, None)

    def _spread(self, output: str) -> np.ndarray:
        parts = [_change(self.result, self._axes, output, source) for source in self._sources]
        return np.concatenate(parts, axis=-1)

    def _quantile(self, output: str, level: float) -> np.ndarray:
        deviation = self.standard_deviation.outputs[output]
        return self.result.outputs[output] + ndtri(level) * deviation


def _change(result: Result, axes: int, output: str, source: Source) -> np.ndarray:
    """Return what each independent error does to an output, shape (..., *shape, r)."""
    slopes = result.derivative(output, source.symbols)
    shape = slopes.shape[:-1]
    flat = slopes.reshape(*shape[:axes], -1, slopes.shape[-1])
    return (flat @ source.root).reshape(*shape, source.root.shape[-1])


def _check_compiled(result: Result, sources: Sequence[Source]) -> None:
    known = result.derivatives.symbols
    symbols = (symbol for source in sources for symbol in source.symbols)
    if missing := [symbol for symbol in symbols if symbol not in known]:
        names = enumerate_some(map(name_of, missing))
        raise ValueError(
            "`evaluate` must have derivatives with respect to all that is uncertain, got none with "
            f"respect to {names}. Use compile(outputs, derivatives=[..., {missing[0]}]), or the "
            "names of groups: 'q', 'u', 'udot', 'constants', 'specifieds'."
        )
