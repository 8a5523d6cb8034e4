"""`TorqueLog`: the log of a robot's controller, prepared for `identify`."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.signal
from scipy.interpolate import make_interp_spline

from .. import InverseDynamics, Trajectory
from ..checks.arguments import check_options, keyword_only_names, symbol_name
from ..checks.display import Grid, NotebookTable, facts
from ..checks.numbers import check_positive
from ..checks.tolerances import THREE_DIGITS
from ..extend import check_idyn
from ..records.instants import check_sample_times
from ..records.samples import is_even, named_columns
from ..signals.smoothing import SMOOTHING_OPTIONS
from .parallel_filter import SAMPLES_PER_PERIOD

#: A step of the clock this many times the median step is a gap, in which no force is known.
GAP = 5

#: Largest ratio of resampled to original instants, which a jump of the clock would exceed.
MAX_RATIO = 100

#: The allowed fraction of noise in accelerations.
NOISE_SHARE = 0.002

#: The median of a spectrum is taken within this factor of a frequency.
NEAR = 1.25

#: The signal ends where the spectrum of accelerations rises to this multiple of its minimum.
RISE = 10

#: Spectra are averages over this many windows, which overlap by half.
WINDOWS = 4


@dataclass(frozen=True, eq=False, repr=False)
class TorqueLog(NotebookTable):
    """Motion and forces at equidistant instants, with notes on the processing.

    Made by `from_samples`.

    Attributes
    ==========

    motion : Trajectory
        The filtered and differentiated motion.
    forces : numpy.ndarray, shape (N, n)
        The forces at its instants, not filtered; NaN within gaps of the clock, and within a period
        of the cutoff at both ends, where accelerations are less accurate.
    cutoff : float
        The cutoff of the motion in 1/time; pass it to `identify`, too.
    cutoffs : dict of str to float
        The cutoff of each coordinate at which noise is 0.2 % of its accelerations.
    rate : float
        Samples per time.
    notes : tuple of str
        The findings and processing steps, one line each.

    See Also
    ========

    identify : Uses the motion, forces and cutoff.

    Examples
    ========

    >>> import jointwrench as jw
    >>> idyn = jw.InverseDynamics(jw.SerialChain.planar(1, gravity=(0, -9.81, 0)).system)
    >>> import numpy as np
    >>> t = np.linspace(0, 10, 2000)
    >>> q = np.sin(2 * t)[:, None]
    >>> log = jw.identification.TorqueLog.from_samples(t, q, np.ones((2000, 1)), idyn)
    >>> log.forces.shape
    (2000, 1)
    """

    motion: Trajectory
    forces: np.ndarray
    cutoff: float
    cutoffs: dict[str, float]
    rate: float
    notes: tuple[str, ...]

    @classmethod
    def from_samples(
        cls,
        times: Any,
        coordinates: Any,
        forces: Any,
        idyn: InverseDynamics,
        *,
        cutoff: float | None = None,
        rate: float | None = None,
        constants: Mapping[Any, Any] | None = None,
        **options: Any,
    ) -> "TorqueLog":
        """Return the motion and the forces of an unprocessed log, filtered and resampled.

        Use them as ``identify(idyn, log.motion, log.forces, cutoff=log.cutoff)``.

        Parameters
        ==========

        times : array_like, shape (N,)
            Increasing instants; steps may be uneven and have gaps.
        coordinates : array_like, shape (N, n_q), mapping or DataFrame
            As for `Trajectory.from_samples`.
        forces : array_like, shape (N, n), mapping or DataFrame
            The generalized forces in the order of ``idyn.speeds``, or columns by the names of
            speeds; NaN where nothing was measured.
        idyn : InverseDynamics
            The model.
        cutoff : float, optional
            The cutoff of the zero-lag Butterworth filter, in 1/time.  Default: from spectra of the
            data, the frequency at which noise is 0.2 % of the accelerations of most coordinates,
            above the frequencies of the motion.
        rate : float, optional
            Samples per time for resampling uneven instants.  Default: the median rate.
        constants : dict of Symbol to number, optional
            Values of constants in the kinematical differential equations.
        **options : optional
            Other options of `Trajectory.from_samples`: ``degrees``, ``unwrap``, ``gaps``.

        Raises
        ======

        TypeError, ValueError
            As `Trajectory.from_samples`; if a jump of the clock, or the rate, would make more than
            a hundred samples of each.

        See Also
        ========

        Trajectory.from_samples : Motions without forces.

        Examples
        ========

        >>> import numpy as np
        >>> import jointwrench as jw
        >>> idyn = jw.InverseDynamics(jw.SerialChain.planar(1, gravity=(0, -10, 0)).system)
        >>> t = np.cumsum(np.random.default_rng(0).uniform(0.004, 0.006, 4000))
        >>> q, udot = np.sin(2 * t) + np.sin(5 * t), -4 * np.sin(2 * t) - 25 * np.sin(5 * t)
        >>> torque = 0.5 * udot - 3 * np.sin(q)
        >>> log = jw.identification.TorqueLog.from_samples(t, np.round(q, 4), torque, idyn)
        >>> found = jw.identification.identify(idyn, log.motion, log.forces, cutoff=log.cutoff)
        >>> round(found.values["Izz S_0"], 2), round(found.values["my S_0"], 2)
        (0.5, 0.3)
        """
        others = keyword_only_names(Trajectory.from_samples) | SMOOTHING_OPTIONS | {"speeds"}
        check_options(cls.from_samples, options, others - {"cutoff", "idyn", "constants", "rate"})
        idyn = check_idyn(idyn)
        raw, notes = check_sample_times("times", times, 6), list[str]()
        labels = tuple(map(symbol_name, idyn.speeds))
        measured = named_columns("forces", forces, raw, labels, "Q")[0].copy()
        if rate is not None or not is_even(raw):
            usual = f"{1 / np.median(np.diff(raw)):.3g}"  # clocks usually have round rates
            rate = float(usual) if rate is None else check_positive("rate", rate)
            if (count := (raw[-1] - raw[0]) * rate) > MAX_RATIO * len(raw):
                raise ValueError(
                    f"`times` must have instants for most of the record, got {len(raw)} from "
                    f"{raw[0]:g} to {raw[-1]:g}, of {count:.3g} at the rate {rate:g}. Look for a "
                    "jump of the clock, cut the log there, or use a lower rate."
                )
        plain = Trajectory.from_samples(
            raw, coordinates, idyn=idyn, constants=constants, rate=rate, **options
        )
        even = plain.times
        if rate is not None:
            measured, gaps = _resample(raw, measured, even)
            steps = np.diff(raw)
            notes.append(
                f"the clock had steps of {steps.min():.3g} to {steps.max():.3g}; resampled to "
                f"{rate:g} samples per time, {len(raw)} to {len(even)} samples"
            )
            if gaps:
                notes.append(f"{gaps} gaps of the clock: no forces there")
        own_rate = (len(even) - 1) / (even[-1] - even[0])
        ends, limits = find_noise_cutoffs(plain.q, own_rate)
        cutoffs = dict(zip(plain.names, map(float, limits), strict=True))
        if cutoff is None:
            cutoff = float(min(max(np.median(limits), ends.max()), own_rate / SAMPLES_PER_PERIOD))
            notes.append(
                f"motion ends at {ends.max():.3g} per time, noise makes {NOISE_SHARE:.1%} of "
                f"accelerations at {min(limits):.3g} to {max(limits):.3g}: filtered at {cutoff:.3g}"
            )
        motion = Trajectory.from_samples(
            even, plain.q, idyn=idyn, constants=constants, cutoff=cutoff, degrees=False
        )
        ends = (even < even[0] + 1 / cutoff) | (even > even[-1] - 1 / cutoff)
        measured[ends] = np.nan
        notes.append(f"no forces within {1 / cutoff:.2g} of the ends, where the filter is not sure")
        return cls(motion, measured, float(cutoff), cutoffs, own_rate, tuple(notes))

    def __repr__(self) -> str:
        times, count = self.motion.times, len(self.motion.names)
        span = f"{len(times)} samples from {times[0]:g} to {times[-1]:g}"
        first = f"TorqueLog({count} coordinates, {span}, cutoff {self.cutoff:.3g})"
        return "\n  ".join([first, *self.notes])

    def _grid(self) -> Grid:
        values = {"motion": self.motion, "rate": f"{self.rate:g}", "cutoff": f"{self.cutoff:.4g}"}
        return facts("TorqueLog", **values, done="; ".join(self.notes))


def find_noise_cutoffs(values: np.ndarray, rate: float) -> tuple[np.ndarray, np.ndarray]:
    """Return two frequencies for each coordinate: the motion's end, and the limit of noise.

    The first is the minimum of the spectrum of accelerations, before it rises because of noise; at
    the second, the noise above the first is 0.2 % of the accelerations.
    """
    length = min(max(2 * len(values) // (WINDOWS + 1), 8), len(values))
    frequencies, power = scipy.signal.welch(
        values, rate, "blackmanharris", length, detrend="linear", axis=0
    )
    ends, limits = np.array([_find_cutoffs(frequencies, own) for own in power.T]).T
    return ends, limits


def _find_cutoffs(frequencies: np.ndarray, power: np.ndarray) -> tuple[float, float]:
    """Return the end of the motion and the limit of noise in the spectrum of one coordinate."""
    first = np.searchsorted(frequencies, frequencies / NEAR)
    last = np.searchsorted(frequencies, frequencies * NEAR, "right")
    near = np.array([np.median(power[a:b]) for a, b in zip(first, last, strict=True)])
    accelerations = near * frequencies**4
    peak = max(int(np.argmax(power * frequencies**2)), 1)
    beyond = accelerations[peak:]
    rises = np.flatnonzero(beyond > RISE * np.minimum.accumulate(beyond))
    end = peak + int(np.argmin(beyond[: rises[0]] if rises.size else beyond))
    signal = np.sum((power * frequencies**4)[:end])
    noise = np.cumsum(accelerations[end:])
    limit = end + int(np.searchsorted(noise, NOISE_SHARE**2 * signal))
    return float(frequencies[end]), float(frequencies[min(limit, len(frequencies) - 1)])


def _resample(times: np.ndarray, values: np.ndarray, even: np.ndarray) -> tuple[np.ndarray, int]:
    """Return forces at equidistant times by cubic splines, NaN in gaps, and the number of gaps."""
    result = np.full((len(even), values.shape[1]), np.nan)
    steps = np.diff(times)
    is_gap = np.append(steps > GAP * np.median(steps), False)
    slack = THREE_DIGITS * np.median(steps)  # an instant at a sample is known in a gap, too
    before = np.maximum(np.searchsorted(times, even + slack, "right") - 1, 0)
    after = np.minimum(np.searchsorted(times, even - slack), len(times) - 1)
    for column, own in zip(result.T, values.T, strict=True):
        known = np.isfinite(own)
        if known.sum() >= 4:
            inside = known[before] & known[after] & ((before >= after) | ~is_gap[before])
            column[inside] = make_interp_spline(times[known], own[known], k=3)(even[inside])
    return result, int(is_gap.sum())
