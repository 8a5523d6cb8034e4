"""`FittedMotion`: the motion of a model that matches markers best."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..checks.display import Grid, NotebookTable, extent, plural
from ..checks.numbers import real_array
from ..motion.states import States
from ..motion.trajectory import Trajectory
from ..signals.smoothing import Smoothing
from .coordinate_arguments import check_known
from .marker_record import MarkerRecord, PoseFit
from .observability import compute_compliances

#: The number of instants whose covariances are computed together.
BLOCK = 64

#: The factor of changes in differences, so small that their effect is linear.
SMALL_PART = 0.001


@dataclass(frozen=True, eq=False, repr=False)
class FittedMotion(NotebookTable):
    """Coordinates that match markers best at each instant; made by `inverse_kinematics`.

    Parameters
    ==========

    times : numpy.ndarray, shape (N,)
        The instants at which markers were measured.
    q : numpy.ndarray, shape (N, n_q)
        The coordinates before smoothing, in the order of ``system.q``; NaN where the markers do not
        determine a coordinate.
    coordinates : tuple of str
        The names of the coordinates.
    markers, frames : tuple of str
        The names of the markers, and of the frames with orientations, that were used.
    residuals : numpy.ndarray, shape (N, number of markers)
        The distance of each marker from its point on the model; NaN where the marker is missing.
    angles : numpy.ndarray, shape (N, number of frames)
        The angle in radians between each measured frame and the model's frame.
    converged : numpy.ndarray, shape (N,)
        Whether the least-squares solution was found.
    record : MarkerRecord
        The measured positions, and the model that matches them.
    fit : Fitted
        The least-squares solutions.
    standard_deviations : number, mapping or None
        The user's standard deviations of markers and frames.
    smoothing : Smoothing or None
        The options for smoothing the coordinates.

    See Also
    ========

    inverse_kinematics : Returns it.
    uncertainty : Uses the covariance.

    Examples
    ========

    >>> import jointwrench as jw
    >>> chain, seen = jw.SerialChain.planar(1), {"tip": [[-0.6, 0.8, 0.0]] * 8}
    >>> options = {"constants": {"l_0": 1.0}, "times": range(8)}
    >>> fitted = jw.inverse_kinematics(chain, seen, {"tip": chain.tip}, **options)
    >>> fitted.q.round(3)[0]
    array([0.644])
    """

    times: np.ndarray
    q: np.ndarray
    coordinates: tuple[str, ...]
    markers: tuple[str, ...]
    frames: tuple[str, ...]
    residuals: np.ndarray
    angles: np.ndarray
    converged: np.ndarray
    record: MarkerRecord
    fit: PoseFit
    standard_deviations: float | Mapping[str, Any] | None
    smoothing: Smoothing | None

    def __repr__(self) -> str:
        worst = f", {np.sum(~self.converged)} not converged" if not self.converged.all() else ""
        return (
            f"FittedMotion({plural(len(self.coordinates), 'coordinates')}, "
            f"{plural(len(self.markers), 'markers')}: {plural(len(self.times), 'instants')}, "
            f"root mean square {np.nanmean(self.rms):.3g}{worst})"
        )

    def _grid(self) -> Grid:
        pairs = zip(self.coordinates, self.q.T, strict=True)
        rows = [(name, extent(x), "", "") for name, x in pairs]
        for name, distances in zip(self.markers, self.residuals.T, strict=True):
            known = distances[np.isfinite(distances)] if np.isfinite(distances).any() else [np.nan]
            size, largest = np.sqrt(np.mean(np.square(known))), np.max(known)
            rows.append((name, "", f"{size:.3g}", f"{largest:.3g}"))
        return Grid(repr(self), ("", "q", "residual (rms)", "largest"), rows)

    @cached_property
    def motion(self) -> Trajectory:
        """The smoothed motion with its speeds and their derivatives, for `InverseDynamics`.

        For a single instant it is `States` whose speeds are NaN.
        """
        tracked = self.record.tracked
        kinematics = tracked.kinematics
        if len(self.times) == 1:
            unknown = np.full((1, len(kinematics.speeds)), np.nan)
            return States(self.q, unknown, unknown)  # type: ignore[return-value]  # has no rates
        return Trajectory.from_samples(
            self.times,
            self.q,
            idyn=kinematics,
            constants=tracked.constants_of(kinematics.constants),
            degrees=False,
            smoothing=self.smoothing,
        )

    @property
    def rms(self) -> np.ndarray:
        """The root mean square of the markers' residuals at each instant, shape (N,)."""
        counts = np.maximum(np.isfinite(self.residuals).sum(axis=1), 1)
        return np.sqrt(np.nansum(self.residuals**2, axis=1) / counts)

    @cached_property
    def covariance(self) -> np.ndarray:
        """The covariance of the coordinates at each instant, shape (N, n_q, n_q).

        It is of first order and assumes independent errors of markers and frames with the user's
        ``standard_deviations``; it raises a ValueError without them.  Prescribed coordinates, and
        coordinates at bounds, are exact; NaN where a coordinate is undetermined.
        """
        if self.standard_deviations is None:
            raise ValueError(
                "`standard_deviations` must be given for a covariance. Use inverse_kinematics(..., "
                "standard_deviations=0.002), or by the names of markers."
            )
        found = np.empty((*self.q.shape, self.q.shape[1]))
        for rows in self._blocks():
            _, jacobian = self.record.tracked.positions(self.fit.q[rows])
            weights = np.repeat(self.record.observed.weights[rows], 3, axis=1)[..., None]
            columns = jacobian.reshape(*weights.shape[:2], -1).swapaxes(1, 2)
            noise = self._noise(self.standard_deviations, rows)
            roots = self._coordinate_compliances[rows] @ (columns @ (weights * noise))
            found[rows] = roots @ roots.swapaxes(1, 2)
        is_unobservable = np.isnan(self.q)
        return np.where(is_unobservable[:, :, None] | is_unobservable[:, None], np.nan, found)

    def misplaced(self, size: float | Mapping[str, Any]) -> dict[str, dict[str, np.ndarray]]:
        """Return the effects of markers that are misplaced on their bodies, for `uncertainty`.

        Each marker is displaced separately along each axis of its body during the whole record.
        Soft tissue and the placement of markers cause errors of this kind, which smoothing does not
        remove.
        ``size`` is one standard deviation of the position for all markers, or one or three by name.
        The ``causes`` are the changes of ``q``, ``u`` and ``udot`` at the times of ``.motion``, by
        "<marker> x" and so on.

        Raises
        ======

        ValueError
            If a marker was not used, or a size is not a size.

        See Also
        ========

        uncertainty : Takes them as ``causes``.

        Examples
        ========

        >>> import jointwrench as jw
        >>> chain, seen = jw.SerialChain.planar(1), {"tip": [[-0.6, 0.8, 0.0]] * 8}
        >>> options = {"constants": {"l_0": 1.0}, "times": range(8)}
        >>> fitted = jw.inverse_kinematics(chain, seen, {"tip": chain.tip}, **options)
        >>> sorted(fitted.misplaced(0.01))
        ['tip x', 'tip y', 'tip z']
        """
        sizes = size if isinstance(size, Mapping) else dict.fromkeys(self.markers, size)
        check_known("size", sizes, self.markers, "name markers among")
        count = len(self.markers)
        tracked, seen = self.record.tracked, self.record.observed
        axes, turns = tracked.axes_of_points(self.fit.q)
        positions, jacobian = tracked.positions(self.fit.q)
        residuals = (positions - seen.positions)[:, :count]
        gradients = np.einsum("tkin,tkia->tkan", jacobian[:, :count], axes)
        gradients += np.einsum("tkian,tki->tkan", turns, residuals)
        gradients *= seen.weights[:, :count, None, None]
        moved = -np.einsum("tmn,tkan->tmka", self._coordinate_compliances, gradients)
        changes: dict[str, np.ndarray] = {}
        for name, value in sizes.items():
            each = moved[:, :, self.markers.index(name)] * check_deviation("size", name, value)
            changes |= {f"{name} {axis}": each[..., k] for k, axis in enumerate("xyz")}
        small = SMALL_PART * np.nan_to_num(np.stack([*changes.values()]))
        noise = self.motion.measured_noise.changes(small) / SMALL_PART  # to the first order
        ends = np.cumsum([len(self.coordinates), len(tracked.kinematics.speeds)])
        parts = zip(*np.split(noise, ends, axis=-1), strict=True)
        states = (dict(zip(("q", "u", "udot"), own, strict=True)) for own in parts)
        return dict(zip(changes, states, strict=True))

    @cached_property
    def _coordinate_compliances(self) -> np.ndarray:
        """The derivatives of the coordinates by forces, `compute_compliances`, (N, n_q, n_q)."""
        rows = np.arange(len(self.times))
        parts = [compute_compliances(self.record, self.fit.q[x], rows[x]) for x in self._blocks()]
        return np.concatenate(parts)

    def _blocks(self) -> Iterator[slice]:
        return (slice(k, k + BLOCK) for k in range(0, len(self.times), BLOCK))

    def _noise(self, given: Any, rows: slice) -> np.ndarray:
        """Return the changes of the measured positions by one standard deviation of each error.

        The shape is (M, 3 k, r), with r errors: three for each marker and each frame.
        """
        names = (*self.markers, *self.frames)
        sizes = given if isinstance(given, Mapping) else dict.fromkeys(names, given)
        check_known("standard_deviations", sizes, names, "name markers and frames among")
        positions = self.record.observed.positions[rows]
        noise = np.zeros((*positions.shape, len(names), 3))
        for column, (name, value) in enumerate(sizes.items()):
            size = np.broadcast_to(check_deviation("standard_deviations", name, value), 3)
            if name in self.markers:
                noise[:, self.markers.index(name), :, column] = np.diag(size)
                continue
            first = len(self.markers) + 3 * self.frames.index(name)
            for axis in range(first, first + 3):  # a small rotation moves an axis by w x axis
                turned = np.cross(np.eye(3), positions[:, axis, None])
                noise[:, axis, :, column] = (size[:, None] * turned).swapaxes(1, 2)
        return noise.reshape(len(positions), -1, 3 * len(names))


def check_deviation(argument: str, name: str, value: Any) -> np.ndarray:
    """Return a standard deviation, shape (), or three along x, y and z, shape (3,), checked."""
    array = real_array(f"{argument}[{name}]", value).astype(float)
    if array.shape not in ((), (3,)) or not (np.isfinite(array) & (array >= 0)).all():
        raise ValueError(
            f"`{argument}[{name}]` must be one number that is not negative, or three along x, y "
            f"and z, got {value!r}."
        )
    return array
