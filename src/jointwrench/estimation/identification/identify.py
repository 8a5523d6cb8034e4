"""`identify`: inertial parameters from a measured motion and measured forces."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from sympy import sympify

from ...checks.arguments import check_choice, check_instance, enumerate_some
from ...checks.numbers import check_positive, finite_array, finite_number
from ...checks.tolerances import DEPENDENT, MEASURED
from ...dynamics.recursion.inertial_parameters import body_names
from ...inverse_dynamics import check_idyn
from .base_parameters import BaseParameters, check_base, find_base
from .identified import Identified, physical_bodies
from .least_squares import WeightedEquations
from .linear_model import ForceModel
from .measured_forces import measured_forces
from .own_units import OwnUnits
from .pseudo_inertia import consistent
from .random_sample import random_sample
from .sample import Sample

METHODS = ("ols", "wls", "consistent")


def identify(
    idyn: Any,
    motion: Any,
    forces: Any,
    constants: Mapping[Any, Any] | None = None,
    specifieds: Mapping[Any, Any] | None = None,
    *,
    method: str = "ols",
    weights: Any = None,
    actuators: bool = False,
    base: BaseParameters | None = None,
    start: Mapping[str, float] | None = None,
    attachment: float = 1e-4,
) -> Identified:
    """Return the inertial parameters that explain measured forces, by least squares.

    Parameters
    ==========

    idyn : InverseDynamics
        The model.  The values of its masses and inertias do not matter, but as a start of
        ``method="consistent"``.
    motion : Trajectory, States, or tuple of q, u, udot
        The measured motion: arrays of shape (N, n_q), (N, n) and (N, n).
    forces : array_like of shape (N, n), or dict
        The generalized forces that joints and actuators supply, in the order of
        ``idyn.speeds``, positive along the speeds; or arrays by speed, shape (N,), and by
        joint or its name, shape (N, 6): wrenches [fx fy fz mx my mz] on the child body by
        the parent body, about ``joint.child_point`` in the child body's frame.  NaN where
        nothing was measured.
    constants : dict of Symbol to number, optional
        Values of the constants on which the forces depend beyond masses and inertias:
        lengths, gravity.
    specifieds : dict, optional
        Measured values of specified quantities: of known loads such as force plates, which
        are taken from the forces.
    method : {"ols", "wls", "consistent"}
        Ordinary least squares; weighted by the scatter of each force in those; or over
        bodies that can exist, with the same weights: positive mass, and moments of inertia
        of a distribution of mass.
    weights : array_like, shape (forces,) or (N, forces), optional
        One over the variance of each measured force up to a common factor, zero for what
        does not count.  Not with ``"ols"``.
    actuators : bool
        Whether viscous and Coulomb friction (with the sign of the speed) and the rotor
        inertia of each speed are sought, too; they are parts of the generalized forces.
    base : BaseParameters, optional
        The combinations of parameters that are sought.  Default: all that any motion
        can show, for a model with constraints all that this motion shows.
    start : dict of str to number, optional
        With ``"consistent"``: values of parameters by name from which the search starts,
        for instance of a drawing.  Default: those of the model's own formulas.  Moments
        of inertia that no body can have, as of planar models, become near ones that can be.
    attachment : float
        With ``"consistent"``: the weight of the squared relative changes of bodies from
        where they start, against squared residuals in standard deviations.  It settles
        what the forces do not show.

    Returns
    =======

    Identified
        Values with standard errors by name, base parameters with their covariance,
        residuals, and whether each body can exist.

    Raises
    ======

    TypeError
        If an argument has the wrong type.
    ValueError
        If shapes do not fit, a value is missing, or a weight is negative; if the motion
        does not show all parameters that are sought, with their names; if known loads
        depend on masses, as where not all bodies have the same gravity; if a mass to start
        from is not positive.

    Notes
    =====

    Squares of forces and of moments over the model's own length are added, so that units do not
    matter; ``weights`` are of the forces as they are given.

    The standard errors count errors of the forces alone, as independent of each other.
    Errors of the motion, mostly of accelerations, bias the result: smooth first.  Those of
    ``"consistent"`` are of the base parameters as if no body were at the edge of what can
    exist.

    Examples
    ========

    A rod on a pin, from exact torques:

    >>> import numpy as np
    >>> from jointwrench import InverseDynamics, SerialChain, identify
    >>> chain = SerialChain.planar(1, gravity=(0, -10, 0))
    >>> t = np.linspace(0, 3, 50)[:, None]
    >>> q, u, udot = np.sin(2 * t), 2 * np.cos(2 * t), -4 * np.sin(2 * t)
    >>> torque = 0.5 * udot - 3 * np.sin(q)
    >>> found = identify(InverseDynamics(chain.system), (q, u, udot), torque)
    >>> found.base.independent
    ('mx S_0', 'my S_0', 'Izz S_0')
    >>> round(found.values["my S_0"], 6), round(found.values["Izz S_0"], 6)
    (0.3, 0.5)
    """
    idyn = check_idyn(idyn)
    check_choice("method", method, METHODS)
    attachment = check_positive("attachment", attachment)
    sample = Sample.given(idyn, motion, constants, specifieds)
    model, measured = measured_forces(idyn, forces, sample.batch, bool(actuators))
    model.check_known_loads()
    units = OwnUnits.of(model, sample)
    given = _weights(weights, measured.shape, method, units)
    own_start = _own_start(start, model, method)
    coefficients = model.coefficients(sample)
    sought = _sought(model, base, sample)
    forces_left = measured - model.known(sample)
    is_there = np.isfinite(forces_left) & np.isfinite(coefficients).all(axis=-1) & (given > 0)
    equations = WeightedEquations(
        (coefficients / units.forces[:, None])[is_there],
        (forces_left / units.forces)[is_there],
        given[is_there],
    )
    _check_shown(equations, sought)
    if method != "ols" and weights is None:
        equations = _weighted(equations, sought, is_there)
    own = equations.columns(sought.places)
    base_values, covariance = own.solve()
    values, errors = _single(sought, base_values, covariance, units)
    values[model.is_known] = errors[model.is_known] = 0
    unseen = tuple(name for name, x in zip(sought.names, values, strict=True) if np.isnan(x))
    if method == "consistent":
        first = _start(model, own_start, sample)
        scaled = _of_variance_one(equations, own.variance(base_values, len(sought)))
        matrix, right = scaled.compressed()
        matrix[:, model.is_known] = 0
        own_units = _own_units(matrix, right, units, model)
        first = first / own_units
        solved = consistent(matrix * own_units, right, first, model.is_real, attachment)
        values = own_units * solved
        values[model.is_known] = 0
        base_values = sought.matrix @ values
    residuals = np.full(measured.shape, np.nan)
    residuals[is_there] = own.residuals(base_values)
    residuals *= units.forces
    inertial = values[: len(idyn.inertial_parameters)].reshape(-1, 10)[model.is_real]
    names = np.array(body_names(idyn.model.derivation.scalars))[model.is_real].tolist()
    return Identified(
        method=method,
        base=sought,
        base_values=base_values,
        covariance=covariance,
        values=dict(zip(sought.names, map(float, values), strict=True)),
        standard_errors=dict(zip(sought.names, map(float, errors), strict=True)),
        unseen=unseen,
        residuals=residuals,
        channels=model.channels,
        is_physical=physical_bodies(inertial, names),
    )


def _weights(weights: Any, shape: tuple[int, ...], method: str, units: OwnUnits) -> np.ndarray:
    """Return a weight for each measured force in units of its own."""
    if weights is None:
        return np.ones(shape)
    if method == "ols":
        raise ValueError('`weights` must not be given with "ols". Use method="wls".')
    array = finite_array("weights", weights, shape[1:], shape)
    if (array < 0).any():
        raise ValueError(f"`weights` must not be negative, one over a variance, got {array.min()}.")
    return np.broadcast_to(array * units.forces**2, shape)


def _sought(model: ForceModel, base: BaseParameters | None, sample: Sample) -> BaseParameters:
    """Return the combinations of parameters to be found."""
    if base is not None:
        return check_base(base, model)
    if not model.idyn.model.tree.constraints:
        sample = random_sample(model, sample.numbers, None)
    return find_base(model, sample)


def _check_shown(equations: WeightedEquations, sought: BaseParameters) -> None:
    """Refuse data that do not show all that is sought."""
    count, rank = len(equations.forces), len(sought)
    if count <= rank:
        raise ValueError(
            f"`forces` must have more values than the {rank} parameters that are sought, got "
            f"{count}. Use a longer motion."
        )
    columns, _ = equations.columns(sought.places).compressed()
    lengths = np.linalg.norm(columns, axis=0)
    _, sizes, vectors = np.linalg.svd(columns / np.where(lengths == 0, 1, lengths), False)
    hidden = vectors[sizes <= DEPENDENT * sizes[0]]
    if len(hidden):
        blurred = (abs(hidden) > np.sqrt(DEPENDENT)).any(axis=0)
        names = [name for name, is_so in zip(sought.independent, blurred, strict=True) if is_so]
        raise ValueError(
            f"`motion` must show the {rank} base parameters that are sought, but it shows "
            f"{rank - len(hidden)}: nothing tells the values of {enumerate_some(names, 10)}. Use a "
            "richer motion, as of exciting_trajectory(...), or base=base_parameters(idyn, motion, "
            "...)."
        )


def _weighted(
    equations: WeightedEquations, sought: BaseParameters, is_there: np.ndarray
) -> WeightedEquations:
    """Return equations weighted by the scatter of each force in ordinary least squares."""
    own = equations.columns(sought.places)
    values, _ = own.solve()
    squares = np.full(is_there.shape, np.nan)
    squares[is_there] = own.residuals(values) ** 2
    used = is_there.any(axis=0)
    variances = np.ones(is_there.shape[1])
    variances[used] = np.nanmean(squares[:, used], axis=0)
    least = MEASURED**2 * np.mean(equations.forces**2)
    weights = 1 / np.maximum(variances, least or 1.0)
    return WeightedEquations(
        equations.coefficients,
        equations.forces,
        np.broadcast_to(weights, is_there.shape)[is_there],
    )


def _single(
    base: BaseParameters, values: np.ndarray, covariance: np.ndarray, units: OwnUnits
) -> tuple[np.ndarray, np.ndarray]:
    """Return the values and standard errors of the parameters that base parameters tell."""
    own = units.parameters
    scale = own / own[list(base.places)][:, None]
    inverse = np.linalg.pinv(base.matrix * scale)
    told = np.isclose(np.diag(inverse @ (base.matrix * scale)), 1, rtol=0, atol=DEPENDENT)
    inverse = inverse * scale.T
    variances = np.einsum("ij,jk,ik->i", inverse, covariance, inverse)
    return np.where(told, inverse @ values, np.nan), np.where(told, np.sqrt(variances), np.nan)


def _own_units(
    matrix: np.ndarray, right: np.ndarray, units: OwnUnits, model: ForceModel
) -> np.ndarray:
    """Return what counts as one: of what is no real body's, what alone would make such forces."""
    sizes = units.parameters.astype(float)
    others = np.ones(len(sizes), dtype=bool)
    others[: 10 * len(model.is_real)] = ~np.repeat(model.is_real, 10)
    lengths = np.linalg.norm(matrix[:, others], axis=0)
    sizes[others] = np.linalg.norm(right) / np.where(lengths > 0, lengths, np.inf)
    return np.where(sizes > 0, sizes, 1.0)


def _of_variance_one(equations: WeightedEquations, variance: float) -> WeightedEquations:
    """Return the equations with weights for which forces of weight one have variance one."""
    least = MEASURED**2 * np.mean(equations.weights * equations.forces**2)
    weights = equations.weights / (max(variance, least) or 1.0)
    return WeightedEquations(equations.coefficients, equations.forces, weights)


def _own_start(start: Any, model: ForceModel, method: str) -> dict[str, float]:
    """Return what the user says of the start, as finite numbers by parameter."""
    if start is None:
        return {}
    if method != "consistent":
        raise ValueError(f'`start` must not be given with "{method}". Use method="consistent".')
    given = check_instance("start", start, Mapping, "a mapping of names of parameters to numbers")
    if strangers := [name for name in given if name not in model.names]:
        raise ValueError(
            f"`start` must name parameters of idyn.inertial_parameters, got {strangers[0]!r}."
        )
    return {name: finite_number("start", name, number) for name, number in given.items()}


def _start(model: ForceModel, given: Mapping[str, float], sample: Sample) -> np.ndarray:
    """Return the parameters to start from: of physical bodies."""
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
    for name, mass, is_real in masses:
        if is_real and mass <= 0:
            raise ValueError(
                f"`start` must have positive masses, got {mass:g} for {name}. Use "
                f"start={{{name!r}: ...}} or other constants."
            )
    motors = [given.get(name, 0.0) for name in model.names[len(values) :]]
    return np.array([*values, *motors])
