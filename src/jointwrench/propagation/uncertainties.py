"""`Uncertainty`: the uncertainty of results, to first order or by Monte Carlo."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from scipy.special import ndtri
from sympy import Expr

from .. import Evaluator, Result
from ..checks.arguments import check_choice, enumerate_some
from ..checks.numbers import check_number
from ..checks.pickles import Pickled
from ..extend import Inputs
from .closed_loops import ClosedLoops, group_arguments
from .covariances import Source
from .sources import input_name

#: The number of inputs drawn at once.
BLOCK = 128


class Uncertainty(Pickled, ABC):
    """The uncertainty of the outputs of an evaluation; made by `uncertainty`.

    Parameters
    ==========

    axes, deviations : int, mapping of str to numpy.ndarray
        The number of batch axes, and the standard deviations by output.

    Attributes
    ==========

    result : Result
        The outputs for the nominal inputs.
    standard_deviation : Result
        The standard deviation of each output, with the same names and shapes; joint wrenches have
        components in the child body's frame.  Powers, other points and other frames are not
        available, because they would need correlations of components.
    contributions : mapping of str to mapping of str to numpy.ndarray
        To first order, by output and by input: the variance due to this input, in the shape of the
        output; the sum is the variance.  Inputs with a covariance are combined, with their names
        separated by commas.  Empty for Monte Carlo.
    draws : Result or None
        By Monte Carlo: the outputs of each draw, along an additional first axis, for instance for
        the standard deviation of a peak; joint wrenches are in the child body's frame.

    See Also
    ========

    plot_wrenches : Draws bands.

    Examples
    ========

    >>> import jointwrench as jw
    >>> idyn = jw.InverseDynamics(jw.SerialChain.planar(1, gravity=(10, 0, 0)).system)
    >>> evaluate = idyn.compile("generalized_forces", derivatives=["q", "constants"])
    >>> motion, values = ([0.0], [0.0], [0.0]), {"m_0": 2.0, "l_0": 1.0, "I_0": 0.1}
    >>> deviations = {"q": 0.01, "m_0": 0.1}
    >>> found = jw.propagation.uncertainty(evaluate, motion, deviations, constants=values)
    >>> found.standard_deviation.generalized_forces
    array([0.5])
    """

    def __init__(
        self,
        result: Result,
        axes: int,
        deviations: Mapping[str, np.ndarray],
        contributions: Mapping[str, Mapping[str, np.ndarray]],
        draws: Result | None,
    ) -> None:
        self.result = result
        pairs = [(name, result.outputs[name], own) for name, own in deviations.items()]
        known = {name: np.where(np.isnan(x), np.nan, own) for name, x, own in pairs}
        self.standard_deviation = _with_outputs(result, known)
        self.contributions, self.draws, self._axes = contributions, draws, axes

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(self.standard_deviation.outputs)})"

    @abstractmethod
    def _deviation_factor(self, output: str) -> np.ndarray:
        """Return a factor D of the covariance D D^T of an output, (..., *output shape, r)."""

    @abstractmethod
    def _quantile(self, output: str, level: float) -> np.ndarray:
        """Return the quantile of an output for a probability."""

    def covariance(self, output: str) -> np.ndarray:
        """Return the covariance of the components of one ``output``, selected by its name.

        Its shape is (..., k, k): at each sample, of the output's k numbers in row-major order.  It
        gives, for instance, the variance of a sum of joint moments.

        Raises
        ======

        ValueError
            If there is no such output.

        See Also
        ========

        Uncertainty : Standard deviations.

        Examples
        ========

        >>> import jointwrench as jw
        >>> idyn = jw.InverseDynamics(jw.SerialChain.planar(1, gravity=(10, 0, 0)).system)
        >>> evaluate = idyn.compile("generalized_forces", derivatives=["q", "constants"])
        >>> motion, values = ([0.0], [0.0], [0.0]), {"m_0": 2.0, "l_0": 1.0, "I_0": 0.1}
        >>> deviations = {"q": 0.01, "m_0": 0.1}
        >>> found = jw.propagation.uncertainty(evaluate, motion, deviations, constants=values)
        >>> found.covariance("generalized_forces")
        array([[0.25]])
        """
        check_choice("output", output, self.standard_deviation.outputs)
        spread = self._deviation_factor(output)
        flat = spread.reshape(*spread.shape[: self._axes], -1, spread.shape[-1])
        unknown = np.isnan(self.result.outputs[output]).reshape(flat.shape[:-1])
        covariance = flat @ flat.swapaxes(-1, -2)
        covariance[unknown[..., None] | unknown[..., None, :]] = np.nan
        return covariance

    def quantile(self, level: float) -> Result:
        """Return the quantiles of outputs for a probability ``level`` between 0 and 1.

        They have the shapes of the outputs: quantiles of normal distributions to first order, of
        the draws by Monte Carlo.

        Raises
        ======

        TypeError, ValueError
            If the level is not a real number between 0 and 1.

        See Also
        ========

        uncertainty : Its ``method="monte_carlo"``.

        Examples
        ========

        >>> import jointwrench as jw
        >>> idyn = jw.InverseDynamics(jw.SerialChain.planar(1, gravity=(10, 0, 0)).system)
        >>> motion, values = ([0.0], [0.0], [0.0]), {"m_0": 2.0, "l_0": 1.0, "I_0": 0.1}
        >>> options = {"method": "monte_carlo", "samples": 100, "constants": values}
        >>> drawn = jw.propagation.uncertainty(idyn.compile(), motion, {"q": 0.01}, **options)
        >>> drawn.quantile(0.5).generalized_forces.shape
        (1,)
        """
        number = check_number("level", level)
        if not 0 < number < 1:
            raise ValueError(
                f"`level` must be between 0 and 1, got {number:g}. Use 0.975 for 97.5 percent."
            )
        names = self.standard_deviation.outputs
        return _with_outputs(self.result, {name: self._quantile(name, number) for name in names})


def _with_outputs(result: Result, outputs: Mapping[str, np.ndarray]) -> Result:
    """Return a Result with other values of outputs for the same joints, without states."""
    own = result.inputs
    inputs = None if own is None else Inputs({}, {}, own.speeds, own.times)
    known = result.derivatives.only(outputs)
    return Result(outputs, result.joints, result.loads, inputs, derivatives=known)


def _uncertain_outputs(result: Result) -> Sequence[str]:
    """Return the names of the outputs that are not derivatives."""
    return [name for name in result.outputs if name not in result.derivatives.names]


class FirstOrder(Uncertainty):
    """Uncertainty to first order, from a result with its derivatives."""

    def __init__(self, result: Result, axes: int, sources: Sequence[Source]) -> None:
        check_compiled(result, sources)
        self._sources = sources
        self.result, self._axes = result, axes
        parts: dict[str, dict[str, np.ndarray]] = {
            name: {x.name: np.square(self._effect(name, x)).sum(axis=-1) for x in sources}
            for name in _uncertain_outputs(result)
        }
        deviations = {name: np.sqrt(sum(own.values())) for name, own in parts.items()}
        super().__init__(result, axes, deviations, parts, None)

    def _deviation_factor(self, output: str) -> np.ndarray:
        return np.concatenate([self._effect(output, x) for x in self._sources], axis=-1)

    def _effect(self, output: str, source: Source) -> np.ndarray:
        """Return the effect of each independent error on an output, shape (..., *shape, r)."""
        jacobian = self.result.derivative(output, source.symbols)
        shape = jacobian.shape[:-1]
        flat = jacobian.reshape(*shape[: self._axes], -1, jacobian.shape[-1])
        return (flat @ source.root).reshape(*shape, source.root.shape[-1])

    def _quantile(self, output: str, level: float) -> np.ndarray:
        deviation = self.standard_deviation.outputs[output]
        return self.result.outputs[output] + ndtri(level) * deviation


def check_compiled(result: Result, sources: Sequence[Source]) -> None:
    """Refuse sources of inputs without compiled derivatives."""
    known = result.derivatives.symbols
    symbols = (symbol for source in sources for symbol in source.symbols)
    if missing := [symbol for symbol in symbols if symbol not in known]:
        names = enumerate_some(map(input_name, missing))
        raise ValueError(
            "`evaluate` must have derivatives with respect to all uncertain inputs, got none with "
            f"respect to {names}. Use compile(outputs, derivatives=[..., {missing[0]}]), or the "
            "names of groups: 'q', 'u', 'udot', 'constants', 'specifieds'."
        )


class MonteCarlo(Uncertainty):
    """Uncertainty by Monte Carlo: ``count`` random draws of the inputs."""

    def __init__(
        self,
        evaluate: Evaluator,
        result: Result,
        axes: int,
        sources: Sequence[Source],
        count: int,
        rng: np.random.Generator,
        loops: ClosedLoops | None = None,
    ) -> None:
        names = _uncertain_outputs(result)
        draws = {name: np.empty((count, *result.outputs[name].shape)) for name in names}
        for k, values in enumerate(_drawn_inputs(result, sources, count, rng)):
            values = values if loops is None else loops.close(values)
            outputs = evaluate(**group_arguments(evaluate.inputs, values, result.times)).outputs
            for name in names:
                draws[name][k] = outputs[name]
        deviations = {name: own.std(axis=0, ddof=1) for name, own in draws.items()}
        super().__init__(result, axes, deviations, {}, _with_outputs(result, draws))
        self._draws = draws

    def _deviation_factor(self, output: str) -> np.ndarray:
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
                for index, symbol in enumerate(source.symbols):
                    values[symbol] = values.get(symbol, 0.0) + error[k, ..., index]
            yield values
