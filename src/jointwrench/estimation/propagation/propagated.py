"""`Uncertainty`: how uncertain results are."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping

import numpy as np

from ...checks.arguments import check_choice
from ...checks.numbers import check_number
from ...evaluation.inputs import Inputs
from ...evaluation.result import Result


class Uncertainty(ABC):
    """How uncertain the outputs of an evaluation are; made by `uncertainty`.

    Parameters
    ==========

    result : Result
        The outputs for the likely inputs.
    axes : int
        The number of batch axes.
    deviations : mapping of str to numpy.ndarray
        The standard deviations by output.
    contributions, draws
        As the attributes.

    Attributes
    ==========

    result : Result
        The outputs for the likely inputs.
    standard_deviation : Result
        The standard deviation of each output, under the same names and in the same
        shapes: ``standard_deviation.generalized_forces``.  Those of joint wrenches are of
        components in the child body's frame.  It has no powers and no other points and
        frames, for which components would have to be known together.
    contributions : mapping of str to mapping of str to numpy.ndarray
        To the first order, by output and by input: how much of the variance, in the
        shape of the output, is due to this input; the sum is the variance.  Inputs with
        a covariance go together, under their names with commas.  Empty for Monte Carlo.
    draws : Result or None
        By Monte Carlo: the outputs of each draw, along a first axis of its own, for
        instance for the standard deviation of a peak;
        in the child body's frame and without powers, as the standard deviations.

    See Also
    ========

    uncertainty : Makes it.
    plot_wrenches : Draws bands.

    Examples
    ========

    >>> import jointwrench as jw
    >>> chain = jw.SerialChain.planar(1, gravity=(10, 0, 0))
    >>> idyn = jw.InverseDynamics(chain.system)
    >>> evaluate = idyn.compile("generalized_forces", derivatives=["q", "constants"])
    >>> motion, values = ([0.0], [0.0], [0.0]), {"m_0": 2.0, "l_0": 1.0, "I_0": 0.1}
    >>> found = jw.uncertainty(evaluate, motion, {"q": 0.01, "m_0": 0.1}, constants=values)
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
        self.standard_deviation = alike(
            result,
            {
                name: np.where(np.isnan(result.outputs[name]), np.nan, own)
                for name, own in deviations.items()
            },
        )
        self.contributions = contributions
        self.draws = draws
        self._axes = axes

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(self.standard_deviation.outputs)})"

    @abstractmethod
    def _spread(self, output: str) -> np.ndarray:
        """Return numbers D of shape (..., *shape of the output, r) with the covariance D D^T."""

    @abstractmethod
    def _quantile(self, output: str, level: float) -> np.ndarray:
        """Return the value below which an output is with a probability."""

    def covariance(self, output: str) -> np.ndarray:
        """Return the covariance of the numbers of one output.

        From it follows, for instance, the variance of a sum of joint moments.

        Parameters
        ==========

        output : str
            Its name.

        Returns
        =======

        numpy.ndarray, shape (..., k, k)
            At each sample, of its k numbers in row-major order.

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
        >>> chain = jw.SerialChain.planar(1, gravity=(10, 0, 0))
        >>> idyn = jw.InverseDynamics(chain.system)
        >>> evaluate = idyn.compile("generalized_forces", derivatives=["q", "constants"])
        >>> motion, values = ([0.0], [0.0], [0.0]), {"m_0": 2.0, "l_0": 1.0, "I_0": 0.1}
        >>> found = jw.uncertainty(evaluate, motion, {"q": 0.01, "m_0": 0.1}, constants=values)
        >>> found.covariance("generalized_forces")
        array([[0.25]])
        """
        check_choice("output", output, self.standard_deviation.outputs)
        spread = self._spread(output)
        flat = spread.reshape(*spread.shape[: self._axes], -1, spread.shape[-1])
        unknown = np.isnan(self.result.outputs[output]).reshape(flat.shape[:-1])
        covariance = flat @ flat.swapaxes(-1, -2)
        covariance[unknown[..., None] | unknown[..., None, :]] = np.nan
        return covariance

    def quantile(self, level: float) -> Result:
        """Return the values below which outputs are with a probability.

        Parameters
        ==========

        level : float
            The probability, between 0 and 1.

        Returns
        =======

        Result
            In the shapes of the outputs: of normal distributions to the first order, of
            the draws by Monte Carlo.

        Raises
        ======

        TypeError
            If the level is no real number.
        ValueError
            If it is not between 0 and 1.

        See Also
        ========

        uncertainty : With ``method="monte_carlo"``.

        Examples
        ========

        >>> import jointwrench as jw
        >>> chain = jw.SerialChain.planar(1, gravity=(10, 0, 0))
        >>> idyn = jw.InverseDynamics(chain.system)
        >>> evaluate = idyn.compile("generalized_forces", derivatives=["q", "constants"])
        >>> motion, values = ([0.0], [0.0], [0.0]), {"m_0": 2.0, "l_0": 1.0, "I_0": 0.1}
        >>> found = jw.uncertainty(evaluate, motion, {"q": 0.01, "m_0": 0.1}, constants=values)
        >>> options = {"method": "monte_carlo", "samples": 100, "seed": 1}
        >>> drawn = jw.uncertainty(evaluate, motion, {"q": 0.01}, constants=values, **options)
        >>> drawn.quantile(0.5).generalized_forces.shape
        (1,)
        """
        number = check_number("level", level)
        if not 0 < number < 1:
            raise ValueError(
                f"`level` must be between 0 and 1, got {number:g}. Use 0.975 for 97.5 percent."
            )
        names = self.standard_deviation.outputs
        return alike(self.result, {name: self._quantile(name, number) for name in names})


def alike(result: Result, outputs: Mapping[str, np.ndarray]) -> Result:
    """Return other numbers of the same joints and loads, at the same times.

    States are left out, so that nothing is computed of these numbers as if they were
    wrenches.
    """
    known = result.inputs
    inputs = None if known is None else Inputs({}, {}, known.speeds, known.times)
    return Result(outputs, result.joints, result.loads, inputs)


def uncertain_outputs(result: Result) -> Iterable[str]:
    """Return the names of the outputs that are no derivatives."""
    return [name for name in result.outputs if name not in result.derivatives.names]
