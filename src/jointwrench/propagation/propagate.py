"""`uncertainty`: standard deviations of inputs propagated to every output."""

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from .. import Evaluator
from ..checks.arguments import check_choice, check_instance
from ..checks.numbers import check_integer, check_seed
from ..extend import MotionReader
from .closed_loops import check_model, find_closed_loops
from .sources import SourceReader
from .uncertainties import FirstOrder, MonteCarlo, Uncertainty


def uncertainty(
    evaluate: Evaluator,
    motion: Any,
    standard_deviations: Mapping[Any, Any] | None = None,
    *,
    covariances: Mapping[Any, Any] | None = None,
    causes: Mapping[str, Mapping[Any, Any]] | None = None,
    constants: Mapping[Any, Any] | None = None,
    specifieds: Mapping[Any, Any] | None = None,
    times: Any = None,
    method: Literal["first_order", "monte_carlo"] = "first_order",
    samples: int = 1000,
    seed: int | np.random.Generator | None = None,
) -> Uncertainty:
    """Return the `Uncertainty` of the outputs of an evaluation whose inputs are uncertain.

    It contains the standard deviation of each output, by derivatives or by Monte Carlo.

    Parameters
    ==========

    evaluate : Evaluator
        An evaluator of `InverseDynamics.compile` or `ForwardDynamics.compile`; for first order with
        ``derivatives`` with respect to all uncertain inputs.
    motion : motion or sequence of array_like
        The motion: an object with ``q``, ``u``, ``udot`` (and ``times``), such as a `Trajectory`,
        or the arrays ``(q, u, udot)``.
    standard_deviations : mapping, optional
        By an input's symbol or name: a number, or an array over the samples (shape
        ``...``); for a constant a number.  By a group (``"q"``, ``"u"``, ``"udot"``,
        ``"constants"``, ``"specifieds"``) or a tuple of k symbols: a number, or an array of
        shape (..., k).  Inputs that are not named are exact.

        By ``"measured"``: of the coordinates given to `Trajectory.from_samples`, before filling
        gaps and smoothing.  A number, an array over coordinates (n_q,) or over the given samples
        (M, n_q), or a mapping of coordinates to numbers or arrays (M,).
    covariances : mapping, optional
        By a tuple of k symbols or a group: a symmetric matrix of variances and covariances,
        shape (k, k) or (..., k, k).  By ``"measured"``: (n_q, n_q) or (M, n_q, n_q).
    causes : mapping of str to mapping, optional
        Causes that change several inputs, by names of your choice: the changes of inputs, with
        signs, by one standard deviation of the cause.  Inputs and shapes are as for
        ``standard_deviations``.  Examples are the gain of a force plate, and a misplaced marker,
        which changes angles and lengths: ``{"gain": {fx: 0.01 * plate.fx, fy: 0.01 * plate.fy}}``.
    constants, specifieds, times : optional
        As for the evaluator: the nominal values.
    method : {"first_order", "monte_carlo"}
        By derivatives, or by drawing inputs from normal distributions.
    samples : int
        The number of draws.
    seed : int or numpy.random.Generator, optional
        Seed of the draws.  Default: different numbers each time.

    Raises
    ======

    TypeError, ValueError
        If an argument has the wrong type; if an input is unknown or duplicate; if a standard
        deviation is negative or not finite; if a covariance is not symmetric, has a negative
        eigenvalue or is singular (that of ``"measured"`` may be); if a shape does not fit; if a
        derivative was not compiled; if an input follows from others by constraints, or an error
        takes a mechanism out of its reach; or as for the evaluator.

    See Also
    ========

    plot_wrenches : Draws bands.

    Notes
    =====

    Different causes, and inputs that are not named together in ``covariances``, are independent of
    each other; several variances of one input add up.

    Errors keep the loops of a mechanism closed: those of independent coordinates, speeds and
    accelerations, of lengths and of prescribed motions move the dependent ones with them, which
    must therefore not be named.  To first order this takes derivatives with respect to all states.
    Of ``"measured"`` coordinates the errors of the independent ones count.

    The noise of ``"measured"`` samples is independent from instant to instant; smoothing and
    differentiation turn it into correlated errors of coordinates, speeds and accelerations.  All
    other errors are systematic: in one draw of Monte Carlo an input has an error of the same
    multiple of its standard deviation at all samples, as for constants, offsets of angles and gains
    of force plates.  This matters only for results from several instants, such as a peak.

    The first order is exact where outputs are linear in the inputs; it is good while errors are
    small: compare with Monte Carlo.  Normal distributions have tails, in which a mass may be
    negative.  An output that is NaN has a standard deviation of NaN.

    References
    ==========

    .. [1] JCGM 100:2008, Evaluation of measurement data: Guide to the expression of uncertainty in
       measurement (GUM), section 5; JCGM 101:2008, its supplement on Monte Carlo.

    Examples
    ========

    >>> import jointwrench as jw
    >>> idyn = jw.InverseDynamics(jw.SerialChain.planar(1, gravity=(10, 0, 0)).system)
    >>> evaluate = idyn.compile("generalized_forces", derivatives=["q", "constants"])
    >>> motion, constants = ([0.0], [0.0], [0.0]), {"m_0": 2.0, "l_0": 1.0, "I_0": 0.1}
    >>> deviations = {"q": 0.01, "m_0": 0.1}
    >>> found = jw.propagation.uncertainty(evaluate, motion, deviations, constants=constants)
    >>> found.result.generalized_forces
    array([10.])
    >>> found.standard_deviation.generalized_forces
    array([0.5])
    >>> {name: float(x[0]) for name, x in found.contributions["generalized_forces"].items()}
    {'q_0': 0.0, 'm_0': 0.25}
    """
    fix = "Use InverseDynamics(...).compile(...)."
    check_instance("evaluate", evaluate, Evaluator, "an Evaluator", fix)
    check_choice("method", method, ("first_order", "monte_carlo"))
    count, rng = check_integer("samples", samples, least=2), check_seed("seed", seed)
    states, own = MotionReader(evaluate.inputs).read(motion)
    instants = own if times is None else times
    given = {"constants": constants, "specifieds": specifieds, "times": instants}
    result = evaluate(*states, **given)
    name, shape = next(iter(evaluate.shapes.items()))
    whole = result.outputs[name].shape
    batch = whole[: len(whole) - len(shape)]
    groups = {name: own for name, own in evaluate.inputs.items() if name != "times"}
    is_first_order = method == "first_order"
    loops = find_closed_loops(evaluate, result)
    dependent = [] if loops is None else loops.dependent
    reader = SourceReader(groups, batch, motion, is_first_order, dependent)
    sources = reader.read(standard_deviations, covariances, causes)
    check_model(evaluate, sources)
    if loops is not None and not loops.are_affected_by(sources):
        loops = None
    if is_first_order:
        return FirstOrder(result, len(batch), sources if loops is None else loops.extend(sources))
    return MonteCarlo(evaluate, result, len(batch), sources, count, rng, loops)
