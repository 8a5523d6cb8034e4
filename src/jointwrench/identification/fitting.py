"""`identify`: inertial parameters from a measured motion and measured forces."""

from collections.abc import Mapping
from typing import Any, Literal, NoReturn

from ..checks.arguments import check_choice, check_options, keyword_only_names
from ..checks.numbers import check_bool, check_positive
from ..extend import check_idyn
from .base_inertial_parameters import BaseParameters, check_base, find_base
from .estimator import Estimator, FitOptions, check_identifiable, check_start
from .force_data import ForceData
from .identified import Identified
from .parallel_filter import SAMPLES_PER_PERIOD, filter_data
from .random_sample import draw_sample
from .robust import replace_spikes

METHODS = ("ols", "wls", "consistent")
NOISES = ("autocorrelated", "white")
LOSSES = ("linear", "huber")


def identify(
    idyn: Any,
    motion: Any,
    forces: Any,
    constants: Mapping[Any, Any] | None = None,
    specifieds: Any = None,
    *,
    method: Literal["ols", "wls", "consistent"] = "ols",
    weights: Any = None,
    actuators: bool = False,
    extra: Mapping[Any, Any] | None = None,
    base: BaseParameters | None = None,
    start: Mapping[str, float] | None = None,
    attachment: float = 1e-2,
    noise: Literal["autocorrelated", "white"] = "autocorrelated",
    loss: Literal["linear", "huber"] = "linear",
    cutoff: float | None = None,
    **options: NoReturn,
) -> Identified:
    """Return the inertial parameters that fit measured forces best, by least squares.

    An `Identified` has values with standard errors by name, base parameters with their covariance,
    residuals, and whether each body is physical; it predicts the forces of other motions.

    Parameters
    ==========

    idyn : InverseDynamics
        The model.  The values of its masses and inertias matter only as the start of
        ``method="consistent"``.
    motion : Trajectory, States, or tuple of q, u, udot
        The measured motion: arrays of shape (N, n_q), (N, n) and (N, n); or a list of several
        recordings.
    forces : array_like of shape (N, n), or dict
        The generalized forces that joints and actuators supply, in the order of
        ``idyn.speeds``, positive along the speeds; or arrays by speed, shape (N,), and by
        joint, shape (N, 6), or their names: wrenches [fx fy fz mx my mz] on the child body by
        the parent body, about ``joint.child_point`` in the child body's frame.  NaN where
        nothing was measured.  For several recordings a list.
    constants : dict of Symbol to number, optional
        Values of the constants on which the forces depend beyond masses and inertias:
        lengths, gravity.
    specifieds : dict, optional
        Measured values of specified quantities: of known loads such as force plates, which are
        subtracted from the forces.  For several recordings one for all, or a list.
    method : {"ols", "wls", "consistent"}
        Ordinary least squares; weighted by the scatter of each force in these; or with the same
        weights over physically consistent bodies: positive mass, and moments of inertia of a
        positive distribution of mass.
    weights : array_like, shape (forces,) or (N, forces), optional
        One over the variance of each measured force up to a common factor; zero excludes a value.
        Not with ``"ols"``.
    actuators : bool
        Whether to identify viscous and Coulomb friction (with the sign of the speed) and the rotor
        inertia of each speed; they are parts of the generalized forces.
    extra : dict of speeds to Expr, optional
        Additional forces of the joints: sympy expressions of coordinates, speeds, their derivatives
        (``idyn.accelerations``) and constants, linear in unknown coefficients: other friction
        (`friction_terms`), offsets, couplings (one coefficient in two joints). Symbols that are not
        the model's are such coefficients, identified under their names; symbols with values in
        ``specifieds`` are known, such as a measured temperature or load.
    base : BaseParameters, optional
        The combinations of parameters to identify.  Default: all that any motion can determine; for
        a model with constraints all that this motion determines.
    start : dict of str to number, optional
        With ``"consistent"``: values of parameters by name for the start of the search, for
        instance from a drawing.  Default: those of the model's own formulas.  Impossible moments of
        inertia, as in planar models, are replaced by near possible ones.
    attachment : float
        With ``"consistent"``: the weight of the divergence of bodies from their start, half the
        squared relative changes if these are small, against squared residuals in standard
        deviations.  It determines the parameters that the forces do not.  With smaller weights,
        poorly determined bodies may grow far beyond their mass.
    noise : {"autocorrelated", "white"}
        The errors that the standard errors assume: autocorrelated errors, as in real data, that are
        also correlated between forces; or independent errors.  The parameters are the same.
    loss : {"linear", "huber"}
        Whether residuals count by their squares, or by their magnitudes beyond 1.345 standard
        deviations: for forces with outliers, as with contacts and stiction.  With a cutoff, spikes
        shorter than a fifth of its period and larger than four standard deviations are replaced by
        a line before the filter spreads them.
    cutoff : float, optional
        In 1/time: forces and the coefficients of all parameters pass the same zero-lag low-pass
        filter (`butterworth`), which removes noise without bias, and are then decimated
        accordingly.  `TorqueLog` proposes a cutoff.
    **options : optional
        Further options are refused; the error for a misspelt name has a suggestion.

    Raises
    ======

    TypeError, ValueError
        If an argument has the wrong type, shapes do not fit, a value is missing, or a weight is
        negative; if the motion does not determine all parameters, with their names; if known loads
        depend on masses, as when not all bodies have the same gravity; if a mass of the start is
        not positive.

    Notes
    =====

    Squares of forces and of moments divided by the model's characteristic length are added, so
    units do not matter; ``weights`` are those of the given forces.

    The standard errors include only errors of the forces.  With ``noise="autocorrelated"`` these
    are autoregressive processes, one for each force, whose orders the data choose (including white
    noise), estimated from the residuals of generalized least squares; successive samples have to be
    in successive rows. Errors of the motion, mostly of accelerations, bias the result: smooth
    first. With ``"consistent"`` they are those of the base parameters as if no body were at the
    boundary of the physical ones.

    See Also
    ========

    Identified.validate : Prediction of forces that were not used.

    Examples
    ========

    A rod on a pin, from exact torques:

    >>> import numpy as np
    >>> import jointwrench as jw
    >>> chain = jw.SerialChain.planar(1, gravity=(0, -10, 0))
    >>> t = np.linspace(0, 3, 50)[:, None]
    >>> q, u, udot = np.sin(2 * t), 2 * np.cos(2 * t), -4 * np.sin(2 * t)
    >>> torque = 0.5 * udot - 3 * np.sin(q)
    >>> found = jw.identification.identify(jw.InverseDynamics(chain.system), (q, u, udot), torque)
    >>> found.base.independent
    ('mx S_0', 'my S_0', 'Izz S_0')
    >>> round(found.values["my S_0"], 6), round(found.values["Izz S_0"], 6)
    (0.3, 0.5)
    """
    check_options(identify, options, keyword_only_names(identify))
    given = FitOptions(
        method, weights, actuators, extra, base, start, attachment, noise, loss, cutoff
    )
    estimator, data = prepare(idyn, motion, forces, constants, specifieds, given)
    return estimator.solve(data)


def prepare(
    idyn: Any,
    motion: Any,
    forces: Any,
    constants: Mapping[Any, Any] | None,
    specifieds: Any,
    options: FitOptions,
) -> tuple[Estimator, ForceData]:
    """Return the estimator and the force data from the arguments of `identify`, checked."""
    idyn, base, cutoff = check_idyn(idyn), options.base, options.cutoff
    check_choice("method", options.method, METHODS)
    check_choice("noise", options.noise, NOISES)
    check_choice("loss", options.loss, LOSSES)
    if options.method == "ols" and options.weights is not None:
        raise ValueError('`weights` must not be given with "ols". Use method="wls".')
    options = options._replace(attachment=check_positive("attachment", options.attachment))
    given = check_bool("actuators", options.actuators), options.extra
    data = ForceData.of(idyn, motion, forces, constants, specifieds, *given)
    if options.weights is not None:
        data = data.with_weights(options.weights)
    start, sample = check_start(options.start, data.model, options.method), data.samples[0]
    if base is not None:
        base = check_base(base, data.model)
    elif idyn.model.tree.constraints:
        base = find_base(data.model, sample)
    else:
        base = find_base(data.model, draw_sample(data.model, sample.numbers, None))
    if cutoff is not None:
        cutoff = check_positive("cutoff", cutoff)
        if options.loss == "huber":
            check_identifiable(data.equations(base.places), base)
            data = replace_spikes(data, base.places, longest=1 / (SAMPLES_PER_PERIOD * cutoff))
        data = filter_data(data, cutoff)
    return Estimator(options, base, start), data
