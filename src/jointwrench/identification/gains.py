"""`drive_gains`: newton metres per ampere of each drive, from motions with a known load.

``current = (coefficients @ parameters + forces of the load) / gain``: without a load all masses and
gains could be twice as large.  Gains and parameters of all joints are estimated together, with
errors of the currents.

References
==========

.. [1] M. Gautier, S. Briot, Global identification of joint drive gains and dynamic parameters of
   robots, J. Dynamic Systems, Measurement and Control 136 (2014) 051025.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.optimize

from ..checks.arguments import (
    check_count,
    check_instance,
    check_options,
    check_sequence,
    enumerate_some,
)
from ..checks.display import Grid, NotebookTable
from ..checks.numbers import finite_number, real_array, shaped_array
from ..checks.tolerances import DEPENDENT, SEARCH_DONE
from .coloured_noise import coloured_covariance
from .estimator import Estimator, FitOptions
from .fitting import prepare
from .force_data import ForceData
from .least_squares import triangle_of


@dataclass(frozen=True, eq=False, repr=False)
class DriveGains(NotebookTable):
    """The force of each drive per unit of its current; made by `drive_gains`.

    Attributes
    ==========

    values : dict of str to float
        Newton metres per ampere, newtons for sliding joints, by the names of the speeds.
    standard_errors : dict of str to float
        Of these, for autocorrelated errors of currents.

    See Also
    ========

    identify : Masses from the forces.

    Examples
    ========

    >>> import jointwrench as jw
    >>> gains = jw.identification.DriveGains({"u_1": 12.0, "u_2": 8.0}, {"u_1": 0.1, "u_2": 0.1})
    >>> gains.forces([0.5, 2.0])
    array([ 6., 16.])
    """

    values: dict[str, float]
    standard_errors: dict[str, float]

    def forces(self, currents: Any) -> np.ndarray:
        """Return the forces of ``currents``, shape (..., n), in the order of the speeds.

        The drives supply them, positive in the directions of the speeds, with the same shape; NaN
        stays NaN.

        Raises
        ======

        ValueError
            If there is not one current for each drive.

        See Also
        ========

        identify : Takes these forces.

        Examples
        ========

        >>> import jointwrench as jw
        >>> jw.identification.DriveGains({"u_1": 12.0}, {"u_1": 0.1}).forces([[0.5], [1.0]])
        array([[ 6.],
               [12.]])
        """
        array = shaped_array("currents", currents, ..., len(self.values))
        return array * np.array([*self.values.values()])

    def _grid(self) -> Grid:
        rows = zip(self.values.items(), self.standard_errors.values(), strict=True)
        cells = [(name, f"{value:.5g}", f"{error:.2g}") for (name, value), error in rows]
        return Grid("DriveGains", ("drive", "force per current", "standard error"), cells)


def drive_gains(
    idyn: Any,
    motions: Sequence[Any],
    currents: Sequence[Any],
    loads: Sequence[Mapping[str, float] | None],
    constants: Mapping[Any, Any] | None = None,
    specifieds: Any = None,
    **options: Any,
) -> DriveGains:
    """Return the `DriveGains`: the force of each drive per unit of its current.

    Their ``forces(currents)`` are for `identify`.

    Parameters
    ==========

    idyn : InverseDynamics
        The model without the load.
    motions : sequence of Trajectory, States, or tuples of q, u, udot
        Recordings with different loads; one may be without a load.
    currents : sequence of array_like, shape (N, n)
        The currents of each recording, in the order of ``idyn.speeds``; NaN where unknown.
    loads : sequence of dict of str to number, or None
        The changes of inertial parameters by a known load in each recording, by their names: a mass
        of 2 at the position r in the hand's frame adds ``{"m hand": 2, "mx hand": 2 * r[0], ...}``.
    constants, specifieds : dict, optional
        As for `identify`.
    **options : optional
        ``actuators``, ``extra``, ``base`` and ``cutoff`` of `identify`: include friction.

    Raises
    ======

    TypeError, ValueError
        If an argument has the wrong type, there is not one load for each motion, a name is unknown,
        all recordings have the same load, or as `identify`.

    See Also
    ========

    TorqueLog : Reads logs.

    Examples
    ========

    >>> import numpy as np
    >>> import jointwrench as jw
    >>> chain = jw.SerialChain.planar(1, gravity=(0, -10, 0))
    >>> t = np.linspace(0, 3, 100)[:, None]
    >>> motion = np.sin(2 * t), 2 * np.cos(2 * t), -4 * np.sin(2 * t)
    >>> torque = 0.5 * motion[2] - 3 * np.sin(motion[0])
    >>> load = -10 * 0.4 * np.sin(motion[0])  # my: the rod points along y
    >>> gains = jw.identification.drive_gains(
    ...     jw.InverseDynamics(chain.system),
    ...     [motion] * 2,
    ...     [torque / 8, (torque + load) / 8],
    ...     [None, {"my S_0": 0.4}],
    ... )
    >>> round(gains.values["u_0(t)"], 6)
    8.0
    """
    check_options(drive_gains, options, {"actuators", "extra", "base", "cutoff"})
    given = check_sequence("motions", motions, "a sequence of recordings")
    added = check_sequence("loads", loads, "a sequence with a mapping or None for each motion")
    if len(added) != len(given):
        raise ValueError(
            f"`loads` must have an entry for each of the {len(given)} `motions`, got {len(added)}."
        )
    measured = check_sequence("currents", currents, "a sequence with currents for each motion")
    check_count("currents", measured, (len(given),), f"{len(given)}, one for each motion")
    measured = [real_array("currents", current) for current in measured]
    loaded = [{} if load is None else _load(load) for load in added]
    return _solved(
        *prepare(idyn, given, measured, constants, specifieds, FitOptions(**options), loaded)
    )


def _load(load: Any) -> dict[str, float]:
    check_instance("loads", load, Mapping, "None or a mapping of names of parameters to numbers")
    return {name: finite_number("loads", name, value) for name, value in load.items()}


def _solved(estimator: Estimator, data: ForceData) -> DriveGains:
    """Return the gains that explain the currents best."""
    places = list(estimator.sought.places)
    rows, known = data.coefficients[..., places], data.known
    count, width = rows.shape[1:]
    if silent := [data.model.channels[k] for k in np.flatnonzero(~data.is_there.any(axis=0))]:
        raise ValueError(
            f"`currents` must be known of each drive somewhere, got only NaN for "
            f"{enumerate_some(silent)}. Leave that joint out of the model."
        )
    triangles, sizes = [], np.ones(count)
    for k in range(count):
        there = data.is_there[:, k]
        both = np.column_stack([rows[there, k], known[there, k], data.measured[there, k]])
        own = triangle_of(both)
        rest = own[:, -1] - own[:, :-1] @ np.linalg.lstsq(own[:, :-1], own[:, -1], rcond=None)[0]
        size = np.linalg.norm(rest) / np.sqrt(max(there.sum() - width - 1, 1))
        least = DEPENDENT * np.linalg.norm(own[:, -1]) / np.sqrt(max(there.sum(), 1))
        sizes[k] = max(size, least) or 1.0
        triangles.append(own / sizes[k])

    def residuals(x: np.ndarray) -> np.ndarray:
        pairs = zip(x[width:], triangles, strict=True)
        parts = [g * (own[:, :-2] @ x[:width] + own[:, -2]) - own[:, -1] for g, own in pairs]
        return np.concatenate(parts)

    def slopes(x: np.ndarray) -> np.ndarray:
        parts = [np.zeros((len(own), width + count)) for own in triangles]
        for k, (own, part) in enumerate(zip(triangles, parts, strict=True)):
            part[:, :width] = x[width + k] * own[:, :-2]
            part[:, width + k] = own[:, :-2] @ x[:width] + own[:, -2]
        return np.concatenate(parts)

    found = scipy.optimize.least_squares(
        residuals, _first(triangles, width), slopes, method="lm", x_scale="jac", ftol=SEARCH_DONE
    )
    errors = _standard_errors(data, rows, sizes, found.x)
    inverse = found.x[width:]
    names = data.model.channels
    return DriveGains(
        dict(zip(names, map(float, 1 / inverse), strict=True)),
        dict(zip(names, map(float, errors[width:] / inverse**2), strict=True)),
    )


def _first(triangles: list[np.ndarray], width: int) -> np.ndarray:
    """Return initial parameters and inverse gains, from the drive on which the load acts most."""
    inverse, trust = [], []
    for own in triangles:
        rest = own[:, -2:] - own[:, :-2] @ np.linalg.lstsq(own[:, :-2], own[:, -2:], rcond=None)[0]
        square = float(rest[:, 0] @ rest[:, 0])
        is_felt = square > DEPENDENT**2 * float(own[:, -2] @ own[:, -2])
        inverse.append(float(rest[:, 0] @ rest[:, 1]) / square if is_felt else 0.0)
        trust.append(abs(inverse[-1]) * np.sqrt(square))
    if not any(trust):
        raise ValueError(
            "`loads` must differ between recordings and act on the drives: these do not determine "
            "the gains. Use one recording without a load and one with a heavy one, far out."
        )
    known = [int(k) for k in np.argsort(trust)[::-1]]
    gains = np.array(inverse)
    for place, k in enumerate(known[1:], start=1):
        used = known[:place]
        matrix = np.vstack([gains[j] * triangles[j][:, :-2] for j in used])
        right = np.concatenate([triangles[j][:, -1] - gains[j] * triangles[j][:, -2] for j in used])
        parameters = np.linalg.lstsq(matrix, right, rcond=None)[0]
        forces = triangles[k][:, :-2] @ parameters + triangles[k][:, -2]
        if trust[k] < 10:
            square = float(forces @ forces)
            gains[k] = float(forces @ triangles[k][:, -1]) / square if square else gains[known[0]]
    matrix = np.vstack([gain * own[:, :-2] for gain, own in zip(gains, triangles, strict=True)])
    parts = [own[:, -1] - gain * own[:, -2] for gain, own in zip(gains, triangles, strict=True)]
    return np.append(np.linalg.lstsq(matrix, np.concatenate(parts), rcond=None)[0], gains)


def _standard_errors(
    data: ForceData, rows: np.ndarray, sizes: np.ndarray, x: np.ndarray
) -> np.ndarray:
    """Return the standard errors of parameters and inverse gains for autocorrelated errors."""
    count, width = rows.shape[1:]
    inverse, forces = x[width:], rows @ x[:width] + data.known
    coefficients = np.zeros((len(data), count, width + count))
    coefficients[..., :width] = inverse[:, None] * rows
    coefficients[:, range(count), width + np.arange(count)] = forces
    linear = replace(
        data,
        coefficients=coefficients,
        measured=data.measured - inverse * forces + coefficients @ x,
        known=np.zeros_like(data.known),
        weights=data.is_there / sizes**2,
        units=replace(data.units, forces=np.ones(count)),
    )
    places = tuple(range(width + count))
    _, normal = linear.equations(places).solve()
    covariance, _ = coloured_covariance(linear, places, x, normal)
    return np.sqrt(np.diag(covariance))
