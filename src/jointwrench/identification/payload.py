"""`identify_payload`: inertial parameters of a payload, from forces with and without it.

Base parameters are combinations of inertial parameters; the payload changes the parameters of one
body: ``values(with) = values(without) + matrix @ payload``.  The base parameters and covariances of
both recordings contain all information of their forces, so that generalized least squares of these
few equations equal the least squares of all forces together.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg

from ..checks.arguments import check_instance, check_options, find_named
from ..checks.display import Grid, NotebookTable
from ..checks.tolerances import DEPENDENT, ROUNDOFF
from .characteristic_units import LENGTHS, model_length
from .fitting import identify
from .identified import Identified
from .linear_model import TEN


@dataclass(frozen=True, eq=False, repr=False)
class Payload(NotebookTable):
    """The inertial parameters that a payload adds to a body; made by `identify_payload`.

    Attributes
    ==========

    values, standard_errors : dict of str to float
        The payload's mass, first moments and moments of inertia, by the names of the body's
        parameters, about the same point and axes as the body's; NaN where the forces do not
        determine them individually.
    mismatch : float
        The RMS difference of base parameters that the payload does not explain, in standard errors:
        about one if only the payload changed; larger if friction, gains or errors of the motion
        changed too, which the standard errors do not contain.  NaN if the payload explains all
        differences by as many parameters.
    loaded : Identified
        The identification with the payload.

    See Also
    ========

    Identified : The parameters without the payload.

    Examples
    ========

    >>> import numpy as np
    >>> import jointwrench as jw
    >>> idyn = jw.InverseDynamics(jw.SerialChain.planar(1, gravity=(0, -10, 0)).system)
    >>> t = np.linspace(0, 3, 50)[:, None]
    >>> motion = np.sin(2 * t), 2 * np.cos(2 * t), -4 * np.sin(2 * t)
    >>> noise = 0.01 * np.random.default_rng(0).normal(size=(2, 50, 1))
    >>> empty = 0.5 * motion[2] - 3 * np.sin(motion[0]) + noise[0]
    >>> full = 0.7 * motion[2] - 7 * np.sin(motion[0]) + noise[1]
    >>> found = jw.identification.identify(idyn, motion, empty)
    >>> jw.identification.identify_payload(found, "S_0", motion, full)
    Payload from 50 values, mismatch nan
      parameter    added  standard error
      mx S_0         ...             ...
      my S_0     0.40...             ...
      Izz S_0    0.19...             ...
    """

    values: dict[str, float]
    standard_errors: dict[str, float]
    mismatch: float
    loaded: Identified

    def _grid(self) -> Grid:
        pairs = zip(self.values.items(), self.standard_errors.values(), strict=True)
        known = [(name, value, error) for (name, value), error in pairs if np.isfinite(value)]
        cells = [(name, f"{value:.5g}", f"{error:.2g}") for name, value, error in known]
        count = np.isfinite(self.loaded.residuals).sum()
        title = f"Payload from {count} values, mismatch {self.mismatch:.2g}"
        return Grid(title, ("parameter", "added", "standard error"), cells)


def identify_payload(
    unloaded: Identified,
    body: Any,
    motion: Any,
    forces: Any,
    constants: Mapping[Any, Any] | None = None,
    specifieds: Any = None,
    **options: Any,
) -> Payload:
    """Return the inertial parameters of a body's payload in other recordings, a `Payload`.

    The base parameters are identified with the payload, too.  The payload is fitted to their
    difference by generalized least squares with the covariances of both identifications: friction,
    drives and all other bodies must not have changed.

    Parameters
    ==========

    unloaded : Identified
        The result of `identify` without the payload.
    body : RigidBody, ReferenceFrame or str
        The body to which the payload is attached, or its name.
    motion, forces, constants, specifieds : object
        The recordings with the payload, as for `identify`; ``constants`` overrides values.
    **options : optional
        Options of `identify`: ``method``, ``weights``, ``noise``, ``loss``, ``cutoff``; method and
        cutoff are by default those of ``unloaded``.

    Raises
    ======

    TypeError, ValueError
        As `identify`; also if there is no such body.

    See Also
    ========

    identify : Parameters without a payload.

    Examples
    ========

    >>> import numpy as np
    >>> import jointwrench as jw
    >>> idyn = jw.InverseDynamics(jw.SerialChain.planar(1, gravity=(0, -10, 0)).system)
    >>> t = np.linspace(0, 3, 50)[:, None]
    >>> motion = np.sin(2 * t), 2 * np.cos(2 * t), -4 * np.sin(2 * t)
    >>> empty, full = (a * motion[2] - b * np.sin(motion[0]) for a, b in ((0.5, 3), (0.7, 7)))
    >>> found = jw.identification.identify(idyn, motion, empty)
    >>> payload = jw.identification.identify_payload(found, "S_0", motion, full)
    >>> round(payload.values["my S_0"], 6), round(payload.values["Izz S_0"], 6)
    (0.4, 0.2)
    """
    check_instance("unloaded", unloaded, Identified, "Identified", "Use identify(...).")
    possible = {"method", "weights", "noise", "loss", "cutoff"}
    check_options(identify_payload, options, possible)
    model, idyn = unloaded.model, unloaded.model.idyn
    place = find_named("body", body, idyn.bodies, "body")
    numbers = {**unloaded.constants, **idyn.model.numbers(constants)}
    given = {"method": unloaded.method, "cutoff": unloaded.cutoff, **options}
    given |= {"actuators": model.actuators, "extra": model.extra, "base": unloaded.base}
    loaded = identify(idyn, motion, forces, numbers, specifieds, **given)
    return _compare_recordings(unloaded, loaded, place)


def _compare_recordings(unloaded: Identified, loaded: Identified, body: int) -> Payload:
    """Return the payload of the body with an index, from the difference of two identifications."""
    base, own = unloaded.base, slice(TEN * body, TEN * (body + 1))
    units = model_length(unloaded.model.idyn, unloaded.constants) ** np.array(LENGTHS, dtype=float)
    rows = units[np.array(base.places) % TEN]
    _, sizes, vectors = np.linalg.svd(base.matrix[:, own] * units / rows[:, None])
    identifiable = vectors[: int(np.sum(sizes > DEPENDENT * sizes[0]))]
    is_determined = np.isclose((identifiable**2).sum(axis=0), 1, rtol=0, atol=DEPENDENT)
    covariance = unloaded.covariance + loaded.covariance
    deviations = np.sqrt(np.diag(covariance))
    deviations = np.where(deviations > 0, deviations, 1)
    shares, axes = scipy.linalg.eigh(covariance / np.outer(deviations, deviations))
    white = (axes / np.sqrt(np.maximum(shares, ROUNDOFF * shares[-1]))).T / deviations
    matrix = white @ base.matrix[:, own] @ (units * identifiable).T
    right = white @ (loaded.base_values - unloaded.base_values)
    inverse = np.linalg.pinv(matrix)
    parameters, spread = inverse @ right, units[:, None] * (identifiable.T @ inverse)
    rest, free = right - matrix @ parameters, len(right) - len(identifiable)
    values = np.where(is_determined, units * (parameters @ identifiable), np.nan)
    errors = np.where(is_determined, np.linalg.norm(spread, axis=1), np.nan)
    names = base.names[own]
    added, spreads = (dict(zip(names, map(float, x), strict=True)) for x in (values, errors))
    mismatch = float(np.linalg.norm(rest) / np.sqrt(free)) if free else np.nan
    return Payload(added, spreads, mismatch, loaded)
