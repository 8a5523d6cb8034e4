"""Estimation of parameters from measured forces, by least squares or with consistent bodies."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from sympy import sympify

from ..checks.arguments import check_instance, check_known, enumerate_some
from ..checks.display import plural
from ..checks.messages import warn
from ..checks.numbers import finite_number
from ..checks.tolerances import DEPENDENT, FORCE_ACCURACY
from .base_inertial_parameters import BaseParameters
from .characteristic_units import CharacteristicUnits
from .coloured_noise import compute_covariance
from .consistent_bodies import solve_consistent
from .force_data import ForceData
from .identified import Identified, find_physical
from .least_squares import WeightedEquations
from .linear_model import TEN, ForceModel
from .robust import clip_residuals
from .sample import Sample


class FitOptions(NamedTuple):
    """The keyword-only arguments of `identify`."""

    method: str = "ols"
    weights: Any = None
    actuators: Any = False
    extra: Any = None
    base: Any = None
    start: Any = None
    attachment: float = 1e-2
    noise: str = "autocorrelated"
    loss: str = "linear"
    cutoff: float | None = None


@dataclass(frozen=True)
class Estimator:
    """The estimation of a model's parameters: the checked options of `identify`.

    Attributes
    ==========

    options : FitOptions
        The options.
    base : BaseParameters
        The combinations of parameters to identify.
    start : mapping of str to float
        The user's initial values by the names of parameters.
    """

    options: FitOptions
    base: BaseParameters
    start: Mapping[str, float]

    def solve(self, data: ForceData) -> Identified:
        """Return the parameters that fit the measured forces best, with their errors."""
        model, units, base, options = data.model, data.units, self.base, self.options
        check_identifiable(data.equations(base.places), base)
        given, is_huber = data, options.loss == "huber"
        data, share = clip_residuals(given, base.places) if is_huber else (given, 1.0)
        if options.method != "ols" and options.weights is None:
            given = replace(given, weights=_compute_weights(data, base))
            data, share = clip_residuals(given, base.places) if is_huber else (given, 1.0)
        own = data.equations(base.places)
        base_values, inverse = own.solve()
        variance = own.variance(base_values, len(base))
        covariance = inverse * variance
        orders = [0] * len(model.channels)
        if options.noise == "autocorrelated":
            covariance, orders = compute_covariance(data, base.places, base_values, inverse)
        covariance = covariance / share**2
        values, errors = _determine_single(base, base_values, covariance, units)
        values[model.is_known] = errors[model.is_known] = 0
        undetermined = tuple(n for n, x in zip(base.names, values, strict=True) if np.isnan(x))
        converged = True
        if options.method == "consistent":
            values, converged = self._consistent(data, variance)
            base_values = base.matrix @ values
        inertial = values[: len(model.idyn.inertial_parameters)].reshape(-1, TEN)[model.is_real]
        names = [mass.name.removeprefix("m ") for mass in model.idyn.inertial_parameters[::TEN]]
        bodies = np.array(names)[model.is_real].tolist()
        return Identified(
            method=options.method,
            base=base,
            base_values=base_values,
            covariance=covariance,
            noise_orders=dict(zip(model.channels, orders, strict=True)),
            values=dict(zip(base.names, map(float, values), strict=True)),
            standard_errors=dict(zip(base.names, map(float, errors), strict=True)),
            undetermined=undetermined,
            fit=given.fit(base.places, base_values),
            is_physical=find_physical(inertial, bodies),
            converged=converged,
            cutoff=data.cutoff,
            decimation=data.decimation,
            model=model,
            constants=data.samples[0].numbers,
        )

    def _consistent(self, data: ForceData, variance: float) -> tuple[np.ndarray, bool]:
        """Return the parameters of physically consistent bodies, and whether the search converged.

        ``variance`` is the variance of a force of weight one.
        """
        model = data.model
        first = _build_start(model, self.start, data.samples[0])
        seen = data.equations(self.base.places)
        least = FORCE_ACCURACY**2 * np.mean(seen.weights * seen.forces**2)
        weights = seen.weights / (max(variance, least) or 1.0)  # errors then have variance one
        matrix, right = replace(seen, weights=weights).compress()
        matrix = matrix @ self.base.matrix
        matrix[:, model.is_known] = 0
        scales = _scale_of_parameters(matrix, right, data.units, model)
        kinds, attachment = (model.is_real, model.is_free), self.options.attachment
        found = solve_consistent(matrix * scales, right, first / scales, kinds, attachment)
        if not found.converged:
            warn(
                "`method`: the search for bodies that can exist has not converged after "
                f"{plural(found.steps, 'steps')}. Use other values to start from, start={{...}}, "
                "or a larger attachment."
            )
        values = scales * found.parameters
        values[model.is_known] = 0
        return values, found.converged


def check_identifiable(equations: WeightedEquations, base: BaseParameters) -> None:
    """Refuse data that do not determine all base parameters."""
    count, rank = len(equations.forces), len(base)
    if count <= rank:
        raise ValueError(
            f"`forces` must have more values than the {rank} parameters that are sought, got "
            f"{count}. Use a longer motion."
        )
    columns, _ = equations.compress()
    lengths = np.linalg.norm(columns, axis=0)
    _, sizes, vectors = np.linalg.svd(columns / np.where(lengths == 0, 1, lengths), False)
    hidden = vectors[sizes <= DEPENDENT * sizes[0]]
    if len(hidden):
        is_undetermined = (abs(hidden) > np.sqrt(DEPENDENT)).any(axis=0)
        names = [n for n, x in zip(base.independent, is_undetermined, strict=True) if x]
        raise ValueError(
            f"`motion` must show the {rank} base parameters that are sought, but it shows "
            f"{rank - len(hidden)}: it does not determine {enumerate_some(names, 10)}. Use a "
            "richer motion, such as sums of sines, or base=base_parameters(idyn, "
            "motion, ...)."
        )
    if not equations.forces.any():
        raise ValueError(
            "`forces` must not all be zero beyond known loads: they have no information."
        )


def _compute_weights(data: ForceData, base: BaseParameters) -> np.ndarray:
    """Return weights: one over the variance of each force's residuals in ordinary least squares."""
    values, _ = data.equations(base.places).solve()
    fit = data.fit(base.places, values)
    variances = (np.array([*fit.rms.values()]) / data.units.forces) ** 2
    measured = (fit.measured - data.known) / data.units.forces
    least = FORCE_ACCURACY**2 * np.nanmean(measured**2)
    variances = np.where(np.isfinite(variances), variances, 1.0)
    return data.weights / np.maximum(variances, least or 1.0)


def _determine_single(
    base: BaseParameters, values: np.ndarray, covariance: np.ndarray, units: CharacteristicUnits
) -> tuple[np.ndarray, np.ndarray]:
    """Return the values and standard errors of all parameters, NaN if undetermined.

    Base parameters y = B x determine x_i if row i of pinv(B) B is that of the identity.
    """
    own = units.parameters
    scale = own / own[list(base.places)][:, None]
    inverse = np.linalg.pinv(base.matrix * scale)
    known = np.isclose(np.diag(inverse @ (base.matrix * scale)), 1, rtol=0, atol=DEPENDENT)
    inverse = inverse * scale.T
    variances = np.einsum("ij,jk,ik->i", inverse, covariance, inverse)
    return np.where(known, inverse @ values, np.nan), np.where(known, np.sqrt(variances), np.nan)


def _scale_of_parameters(
    matrix: np.ndarray, right: np.ndarray, units: CharacteristicUnits, model: ForceModel
) -> np.ndarray:
    """Return the units of all parameters, characteristic ones for parameters of real bodies.

    One unit of another parameter has an effect as large as all forces.
    """
    sizes = units.parameters.astype(float)
    others = np.ones(len(sizes), dtype=bool)
    others[: 10 * len(model.is_real)] = ~np.repeat(model.is_real, 10)
    lengths = np.linalg.norm(matrix[:, others], axis=0)
    sizes[others] = np.linalg.norm(right) / np.where(lengths > 0, lengths, np.inf)
    return np.where(sizes > 0, sizes, 1.0)


def check_start(start: Any, model: ForceModel, method: str) -> dict[str, float]:
    """Return the user's initial values as finite numbers, by the names of parameters."""
    if start is None:
        return {}
    if method != "consistent":
        raise ValueError(f'`start` must not be given with "{method}". Use method="consistent".')
    given = check_instance("start", start, Mapping, "a mapping of names of parameters to numbers")
    check_known("start", given, model.names, "name parameters among")
    return {name: finite_number("start", name, number) for name, number in given.items()}


def _build_start(model: ForceModel, given: Mapping[str, float], sample: Sample) -> np.ndarray:
    """Return the initial values of all parameters; refuse real bodies without positive mass."""
    values = []
    for parameter in model.idyn.inertial_parameters:
        if parameter.name in given:
            values.append(given[parameter.name])
            continue
        value = sympify(parameter.value.xreplace(sample.numbers))
        if not value.is_number:
            names = enumerate_some(sorted(map(str, value.free_symbols)))
            raise ValueError(
                f"`start` must have a value for {parameter.name}, or `constants` for {names}, "
                "on which the model's own value depends."
            )
        values.append(float(value))
    masses = zip(model.names[::10], values[::10], model.is_real, strict=False)
    if wrong := {name: mass for name, mass, is_real in masses if is_real and mass <= 0}:
        fix = ", ".join(f"{name!r}: ..." for name in wrong)
        pairs = (f"{mass:g} for {name}" for name, mass in wrong.items())
        raise ValueError(
            f"`start` must have positive masses, got {enumerate_some(pairs, 20)}. Bodies without "
            "mass that are fixed to others, as tool frames of robots are, become part of these by "
            f"read_urdf(..., merge_fixed=True); else use start={{{fix}}} or other constants."
        )
    motors = [given.get(name, 0.0) for name in model.names[len(values) :]]
    return np.array([*values, *motors])
