"""`exciting_trajectory`: motions that identify inertial parameters with small errors."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.optimize

from .. import InverseDynamics, States, Trajectory
from ..checks.arguments import enumerate_some, symbol_name
from ..checks.numbers import check_bool, check_integer, check_positive, check_seed, finite_array
from ..checks.tolerances import ROUNDOFF
from ..extend import check_idyn
from .base_inertial_parameters import BaseParameters, base_parameters, check_base
from .characteristic_units import CharacteristicUnits
from .extra_terms import ExtraTerms
from .linear_model import ForceModel
from .sample import Sample

#: Samples per period of the fastest harmonic when the condition number is computed.
SAMPLES = 12

#: Instants per period of the fastest harmonic at which bounds are checked.
DENSE = 40


def exciting_trajectory(
    idyn: InverseDynamics,
    q: Any,
    u: Any,
    udot: Any,
    constants: Mapping[Any, Any] | None = None,
    specifieds: Mapping[Any, Any] | None = None,
    *,
    period: float = 10.0,
    harmonics: int = 5,
    samples: int = 500,
    actuators: bool = False,
    extra: Mapping[Any, Any] | None = None,
    base: BaseParameters | None = None,
    iterations: int = 30,
    seed: int = 0,
) -> Trajectory:
    """Return a motion within bounds that excites the inertial parameters well.

    Each coordinate is a Fourier series as large as its bounds allow.  A search minimises the
    condition number of the base parameters' coefficients (columns of unit length, measured
    generalized forces); ``base_parameters(idyn, motion, ...)`` returns it.  The Trajectory is one
    period.

    Parameters
    ==========

    idyn : InverseDynamics
        A model without constraints whose speeds are the derivatives of its coordinates.
    q : pair of array_like, each of shape () or (n,)
        The least and the largest coordinates.
    u, udot : array_like, shape () or (n,)
        The largest magnitudes of the speeds, and of their time derivatives.
    constants, specifieds : dict, optional
        Values on which the forces depend beyond masses and inertias.
    period, harmonics, samples : float, int, int
        The duration of the motion, the number of harmonics, and the number of returned samples.
    actuators : bool
        Whether to also excite friction and rotor inertia.
    extra : dict of speeds to Expr, optional
        Terms with coefficients to excite, as for `identify`.
    base : BaseParameters, optional
        The combinations of parameters to excite.  Default: all identifiable ones.
    iterations, seed : int
        The largest number of steps of the search, and the seed of its random start.

    Raises
    ======

    TypeError, ValueError
        If an argument has the wrong type, bounds have the wrong shape or leave no room, the model
        has constraints or other speeds, or a value is missing.

    See Also
    ========

    identify : Parameters from forces that are measured along the trajectory.

    References
    ==========

    .. [1] J. Swevers, C. Ganseman, D. B. Tukel, J. De Schutter, H. Van Brussel, Optimal
       robot excitation and identification, IEEE Trans. Robotics Autom. 13 (1997) 730-740.

    Examples
    ========

    >>> import jointwrench as jw
    >>> idyn = jw.InverseDynamics(jw.SerialChain.planar(2, gravity=(0, -9.81, 0)).system)
    >>> motion = jw.identification.exciting_trajectory(
    ...     idyn, (-2, 2), 3, 10, {"l_0": 0.5}, iterations=3
    ... )
    >>> bool(abs(motion.u).max() <= 3)
    True
    """
    idyn = check_idyn(idyn)
    _check_speeds(idyn)
    bounds = _read_bounds(idyn, q, u, udot)
    period = check_positive("period", period)
    harmonics, samples = check_integer("harmonics", harmonics), check_integer("samples", samples, 2)
    terms = ExtraTerms.of(idyn, extra, specifieds)
    all_speeds = tuple(range(len(idyn.speeds)))
    model = ForceModel(idyn, all_speeds, (), check_bool("actuators", actuators), "auto", terms)
    if base is None:
        base = base_parameters(idyn, None, constants, actuators=model.actuators, extra=extra)
    check_base(base, model)
    places, numbers = list(base.places), idyn.model.numbers(constants)
    shape = (1 + 2 * harmonics, bounds.shape[1])
    instants = np.linspace(0, period, SAMPLES * harmonics, endpoint=False)

    def condition(x: np.ndarray) -> float:
        series = FourierSeries.within(bounds, period, x.reshape(shape))
        sample = Sample(series.at(instants), instants, numbers, specifieds)
        rows = CharacteristicUnits.of(model, sample).scale(model.coefficients(sample))
        return _log_condition(rows[..., places].reshape(-1, len(places)))

    start = check_seed("seed", seed).normal(size=shape)
    options = {"maxiter": check_integer("iterations", iterations)}
    found = scipy.optimize.minimize(condition, start.ravel(), method="L-BFGS-B", options=options)
    series = FourierSeries.within(bounds, period, found.x.reshape(shape))
    functions = [lambda t, k=k: series.at(t)[k] for k in range(3)]
    times, names = np.linspace(0, period, samples), tuple(map(symbol_name, idyn.coordinates))
    return Trajectory.from_callables(times, *functions, names=names)


def _log_condition(rows: np.ndarray) -> float:
    """Return the logarithm of the condition number of columns of unit length."""
    lengths = np.linalg.norm(rows, axis=0)
    columns = rows / np.where(lengths == 0, 1, lengths)
    sizes = np.linalg.eigvalsh(columns.T @ columns)
    return float(np.log(sizes[-1] / max(sizes[0], ROUNDOFF * sizes[-1])) / 2)


def _check_speeds(idyn: InverseDynamics) -> None:
    """Refuse models with constraints, and models whose speeds are not the coordinates' rates."""
    if idyn.model.tree.constraints:
        raise ValueError(
            "`idyn` must be of a model without constraints, since its coordinates move freely "
            "here. Use your own motion, closed by idyn.close_motion."
        )
    pairs = zip(idyn.model.tree.rates, idyn.speeds, strict=False)
    if len(idyn.coordinates) != len(idyn.speeds) or any(rate != speed for rate, speed in pairs):
        names = enumerate_some(idyn.speeds)
        raise ValueError(
            "`idyn` must be of a model whose speeds are the time derivatives of its coordinates, "
            f"got the speeds {names} with others. Use your own motion."
        )


def _read_bounds(idyn: InverseDynamics, q: Any, u: Any, udot: Any) -> np.ndarray:
    """Return bounds, shape (4, n): least and largest coordinates, largest speeds and rates."""
    width, fix = len(idyn.coordinates), "Use bounds that the motion may touch."
    if not isinstance(q, (tuple, list, np.ndarray)) or len(q) != 2:
        raise TypeError("`q` must be a pair of the least and the largest coordinates.")
    given = (("q", q[0]), ("q", q[1]), ("u", u), ("udot", udot))
    arrays = [finite_array(name, x, (), (width,), fix=fix) for name, x in given]
    lower, upper, rate, second = bounds = np.stack([np.broadcast_to(x, width) for x in arrays])
    for name, sizes in (("q", upper - lower), ("u", rate), ("udot", second)):
        if (narrow := np.flatnonzero(sizes <= 0)).size:
            raise ValueError(
                f"`{name}` must leave room to move, but there is none for "
                f"{idyn.coordinates[int(narrow[0])]}."
            )
    return bounds


@dataclass(frozen=True)
class FourierSeries:
    """A periodic motion of n coordinates about a ``center``, a Fourier series.

    Attributes
    ==========

    period : float
        The duration of a period.
    center : numpy.ndarray, shape (n,)
        The mean coordinates.
    sines, cosines : numpy.ndarray, shape (harmonics, n)
        The amplitudes.
    """

    period: float
    center: np.ndarray
    sines: np.ndarray
    cosines: np.ndarray

    @classmethod
    def within(cls, bounds: np.ndarray, period: float, numbers: np.ndarray) -> "FourierSeries":
        """Return the largest motion of a shape within bounds.

        ``bounds`` (4, n) are the least and the largest values and the largest magnitudes of both
        derivatives; ``numbers`` (1 + 2 harmonics, n) define the centre between the bounds, and the
        ratios of amplitudes.
        """
        (lower, upper, rate, second), (sines, cosines) = bounds, np.split(numbers[1:], 2)
        shape = cls(period, np.zeros(len(lower)), sines, cosines)
        q, u, udot = shape.at(np.linspace(0, period, DENSE * len(sines), endpoint=False))
        least, most = q.min(axis=0), q.max(axis=0)
        sizes = most - least, abs(u).max(axis=0), abs(udot).max(axis=0)
        with np.errstate(divide="ignore"):
            allowed = np.divide([upper - lower, rate, second], sizes)
        # a margin, since the series may exceed its samples between the instants
        scale = np.min(allowed, axis=0) * (1 - (np.pi / DENSE) ** 2)
        slack = upper - lower - scale * (most - least)
        center = lower - scale * least + slack * (0.5 + 0.5 * np.sin(numbers[0]))
        return cls(period, center, scale * sines, scale * cosines)

    def at(self, times: np.ndarray) -> States:
        """Return coordinates and their derivatives at some times, shape (N, n) each."""
        frequencies = 2 * np.pi / self.period * np.arange(1, len(self.sines) + 1)
        angles = times[:, None] * frequencies
        sine, cosine = np.sin(angles), np.cos(angles)
        return States(
            self.center + sine @ self.sines + cosine @ self.cosines,
            (frequencies * cosine) @ self.sines - (frequencies * sine) @ self.cosines,
            -(frequencies**2 * sine) @ self.sines - (frequencies**2 * cosine) @ self.cosines,
        )
