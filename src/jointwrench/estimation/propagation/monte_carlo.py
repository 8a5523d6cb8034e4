"""Monte Carlo: outputs of inputs that are drawn from normal distributions."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from sympy import Expr

from ...checks.numbers import check_seed
from ...evaluation.compilation import Evaluator
from ...evaluation.result import Result
from .propagated import Uncertainty, alike, uncertain_outputs
from .sources import Source

#: So many inputs are drawn at once.
BLOCK = 128


class MonteCarlo(Uncertainty):
    """Uncertainty by drawing inputs ``count`` times; the result is that for the likely inputs."""

    def __init__(
        self,
        evaluate: Evaluator,
        result: Result,
        axes: int,
        sources: Sequence[Source],
        count: int,
        seed: Any,
    ) -> None:
        names = uncertain_outputs(result)
        draws = {name: np.empty((count, *result.outputs[name].shape)) for name in names}
        rng = check_seed("seed", seed)
        for k, values in enumerate(_drawn_inputs(result, sources, count, rng)):
            outputs = _evaluated(evaluate, values, result.times).outputs
            for name in names:
                draws[name][k] = outputs[name]
        deviations = {name: own.std(axis=0, ddof=1) for name, own in draws.items()}
        super().__init__(result, axes, deviations, {}, alike(result, draws))
        self._draws = draws

    def _spread(self, output: str) -> np.ndarray:
        draws = self._draws[output]
        return np.moveaxis(draws - draws.mean(axis=0), 0, -1) / np.sqrt(len(draws) - 1)

    def _quantile(self, output: str, level: float) -> np.ndarray:
        return np.quantile(self._draws[output], level, axis=0)


def _drawn_inputs(
    result: Result, sources: Sequence[Source], count: int, rng: np.random.Generator
) -> Iterator[Mapping[Expr, Any]]:
    """Yield the values of all known inputs, for each draw."""
    inputs = result._known_inputs()
    likely = {**inputs.samples, **inputs.constants}
    for first in range(0, count, BLOCK):
        size = min(BLOCK, count - first)
        errors = [source.draw(rng, size) for source in sources]
        for k in range(size):
            values = dict(likely)
            for source, error in zip(sources, errors, strict=True):
                for place, symbol in enumerate(source.symbols):
                    values[symbol] = values.get(symbol, 0.0) + error[k, ..., place]
            yield values


def _evaluated(evaluate: Evaluator, values: Mapping[Expr, Any], times: Any) -> Result:
    """Return the outputs for the values of inputs by symbol."""
    given: dict[str, Any] = {"times": times}
    for name, symbols in evaluate.inputs.items():
        own = {symbol: values[symbol] for symbol in symbols if symbol in values}
        if name == "constants":  # the same at all samples
            given[name] = {symbol: float(np.ravel(value)[0]) for symbol, value in own.items()}
        elif name == "specifieds":
            given[name] = own
        elif name != "times":
            given[name] = np.stack(np.broadcast_arrays(*own.values()), axis=-1) if own else None
    return evaluate(**given)
