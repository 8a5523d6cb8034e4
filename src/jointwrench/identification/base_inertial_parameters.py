"""Base parameters: the combinations of inertial parameters on which forces depend.

A QR factorisation with pivoting of the coefficients along a motion decides which parameters are
identifiable.  The contributions of the other parameters are formulas where mechanics gives them
(inertia that may move across a joint, see ``dynamics.regrouping``), and numbers otherwise.

References
==========

.. [1] M. Gautier, Numerical calculation of the base inertial parameters of robots,
   J. Robotic Systems 8 (1991) 485-506.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sympy import Add, Expr, Float, Integer, Symbol

from .. import InverseDynamics
from ..checks.arguments import (
    check_instance,
    check_mapping,
    check_sequence,
    enumerate_some,
    find_named,
)
from ..checks.deprecation import deprecated
from ..checks.numbers import check_bool, check_positive
from ..checks.pickles import Pickled
from ..checks.tolerances import CANCELLED, DEPENDENT, ROUNDING, TIED
from ..extend import DoubleStates, Scalar, check_idyn, regrouping
from .characteristic_units import CharacteristicUnits
from .extra_terms import ExtraTerms
from .linear_model import ForceModel
from .random_sample import draw_sample
from .sample import Sample


@dataclass(frozen=True, eq=False, repr=False)
class BaseParameters(Pickled):
    """The combinations of parameters on which forces depend: the only identifiable ones.

    Made by `base_parameters`.  Forces are ``coefficients[:, places] @ base parameters``, where the
    coefficients are those of all parameters.

    Attributes
    ==========

    names : tuple of str
        The names of all parameters, in the order of ``idyn.inertial_parameters``, followed by those
        of actuators, if requested.
    places : tuple of int
        The indices of the parameters that represent their combinations.
    condition_number : float
        Condition number of the base parameters' coefficients along the motion, with columns of unit
        length.
    formulas : tuple of Expr
        The base parameters: sympy expressions of symbols with the parameters' names, with formulas
        of the model's constants where these are known.
    numbers : numpy.ndarray or None
        The value of `matrix`; None without values for the constants.
    missing : tuple of str
        The names of the constants that have no values.

    See Also
    ========

    Identified : The values of base parameters from measured forces.

    Examples
    ========

    >>> import jointwrench as jw
    >>> idyn = jw.InverseDynamics(jw.SerialChain.planar(1, gravity=(0, -9.81, 0)).system)
    >>> jw.identification.base_parameters(idyn).formulas
    (mx S_0, my S_0, Izz S_0)
    """

    names: tuple[str, ...]
    places: tuple[int, ...]
    condition_number: float
    formulas: tuple[Expr, ...]
    numbers: np.ndarray | None
    missing: tuple[str, ...]

    @property
    def rank(self) -> int:
        """The number of base parameters."""
        return len(self.places)

    def __len__(self) -> int:
        return len(self.places)

    @property
    def independent(self) -> tuple[str, ...]:
        """The name of the parameter that represents each combination.

        If that parameter is zero by definition, as for a body between two joints, the first
        parameter of the combination represents it.
        """
        pairs = zip(self.places, self.formulas, strict=True)
        return tuple(_find_representative(formula, self.names, k) for k, formula in pairs)

    @property
    def unidentifiable(self) -> tuple[str, ...]:
        """The names of the parameters on which no force depends."""
        known = set[Expr]().union(*(formula.free_symbols for formula in self.formulas))
        return tuple(name for name in self.names if Symbol(name) not in known)

    @property
    @deprecated(since="1.1", removed="2.0", use="BaseParameters.unidentifiable")
    def unseen(self) -> tuple[str, ...]:
        """The former name of `unidentifiable`."""
        return self.unidentifiable

    @property
    def matrix(self) -> np.ndarray:
        """The matrix that maps all parameters to the base parameters, (rank, parameters).

        Raises a ValueError if constants on which it depends have no values.
        """
        if self.numbers is None:
            raise ValueError(
                f"`constants` must have values for {enumerate_some(self.missing)} before the "
                "coefficients are numbers. Use base_parameters(idyn, constants={...}), or "
                "`formulas`."
            )
        return self.numbers

    def __repr__(self) -> str:
        first = (
            f"{len(self)} base parameters of {len(self.names)}, "
            f"condition number {self.condition_number:.3g}:"
        )
        return "\n  ".join([first, *self.texts])

    @property
    def texts(self) -> tuple[str, ...]:
        """The formulas as text, each with its representative parameter first."""
        return tuple(map(_format_formula, self.formulas, self.independent))


def _find_representative(formula: Expr, names: tuple[str, ...], place: int) -> str:
    """Return the name of the parameter with an index, or of the first in a formula without it."""
    own = {symbol.name for symbol in formula.free_symbols}
    return next(name for name in (names[place], *names) if name in own)


def _format_formula(formula: Expr, own: str) -> str:
    """Return a formula with its representative parameter first."""
    parameter = Symbol(own)
    formula = formula.xreplace({number: Float(number, 6) for number in formula.atoms(Float)})
    terms = [parameter, *sorted(Add.make_args(formula - parameter), key=str)]
    return " + ".join(str(term) for term in terms if term != 0).replace("+ -", "- ")


def base_parameters(
    idyn: InverseDynamics,
    motion: Any = None,
    constants: Mapping[Any, Any] | None = None,
    specifieds: Mapping[Any, Any] | None = None,
    *,
    joints: Iterable[Any] = (),
    actuators: bool = False,
    extra: Mapping[Any, Any] | None = None,
    tolerance: float = DEPENDENT,
) -> BaseParameters:
    """Return the `BaseParameters`: combinations of inertial parameters on which forces depend.

    Parameters
    ==========

    idyn : InverseDynamics
        The model.
    motion : Trajectory, States, or tuple of q, u, udot, optional
        The motion, with arrays of shape (N, ...).  Default: random states, which make all
        parameters identifiable that any motion can.
    constants, specifieds : dict, optional
        Values of constants (lengths, gravity) and specified quantities on which the coefficients
        depend; without a motion, missing ones are random.
    joints : iterable of joints or names, optional
        The joints whose wrenches are measured.  Default: generalized forces are.
    actuators : bool
        Whether to include viscous and Coulomb friction and the rotor inertia of each speed.
    extra : dict of speeds to Expr, optional
        Terms of generalized forces with unknown coefficients, as for `identify`.
    tolerance : float
        A column of unit length is a combination of others if its remainder is below this.

    Raises
    ======

    TypeError, ValueError
        If ``idyn`` is not an InverseDynamics, or ``motion`` not a motion; if a model with
        constraints has no motion, a value is missing, or no parameter is identifiable along the
        motion.

    See Also
    ========

    identify : The values of base parameters from measured forces.

    Examples
    ========

    Two pinned rods with measured joint torques:

    >>> import jointwrench as jw
    >>> chain = jw.SerialChain.planar(2, gravity=(0, -9.81, 0))
    >>> jw.identification.base_parameters(jw.InverseDynamics(chain.system)).formulas
    (mx S_0, l_0*m S_1 + my S_0, Izz S_0 + l_0**2*m S_1, mx S_1, my S_1, Izz S_1)
    """
    idyn = check_idyn(idyn)
    actuators = check_bool("actuators", actuators)
    check_mapping("specifieds", specifieds)
    known = idyn.model.tree.all_joints
    items = check_sequence("joints", joints, "a sequence of joints or their names")
    places = tuple(find_named("joints", item, known) for item in items)
    speeds = () if places else tuple(range(len(idyn.speeds)))
    terms = ExtraTerms.of(idyn, extra, specifieds)
    model = ForceModel(idyn, speeds, places, actuators, extra=terms)
    tolerance = check_positive("tolerance", tolerance)
    if tolerance >= 1:
        raise ValueError(
            f"`tolerance` must be less than 1, got {tolerance:g}. Use for instance 1e-8."
        )
    if motion is None:
        sample = draw_sample(model, constants, specifieds)
    else:
        sample = Sample.read(idyn, motion, constants, specifieds)
    return find_base(model, sample, tolerance)


def check_base(base: Any, model: ForceModel) -> BaseParameters:
    """Return the argument ``base``; refuse base parameters of another model."""
    check_instance("base", base, BaseParameters, "BaseParameters", "Use base_parameters(idyn).")
    if base.names != model.names:
        raise ValueError(
            "`base` must be of this model with the same parameters, got other names. Use "
            f"base_parameters(idyn, ..., actuators={model.actuators}, extra=...)."
        )
    return base


def find_base(model: ForceModel, sample: Sample, tolerance: float = DEPENDENT) -> BaseParameters:
    """Return the base parameters that the measured forces of a sample of states identify."""
    # columns[:, dependent] = columns[:, independent] @ shares gives the base parameters
    # x_independent + shares @ x_dependent. A row of integer shares between equal units is exact:
    # it becomes a formula of the replacements that mechanics gives.
    units = CharacteristicUnits.of(model, sample)
    rows = units.scale(model.coefficients(sample))
    rows = rows[np.isfinite(rows).all(axis=-1)]
    replacements, numbers = _find_replacements(model, sample.numbers)
    lengths = np.linalg.norm(rows, axis=0)
    candidates = np.any(numbers, axis=1) & _is_identifiable(lengths, units)
    if not candidates.any():
        raise ValueError(
            "`motion` must show something of the inertial parameters, but no force depends on any "
            "of them. Use a motion that moves all joints."
        )
    own = np.flatnonzero(candidates)
    chosen, rest, shares, condition = _split_columns(rows[:, own] / lengths[own], tolerance)
    first, others = own[chosen], own[rest]
    shares[abs(shares) < ROUNDING] = 0
    sizes = lengths / units.parameters
    shares = shares * sizes[others] / sizes[first][:, None]
    is_number = (units.powers[first][:, None] == units.powers[others]) | (shares == 0)
    whole = np.round(shares)
    is_whole = is_number & (abs(shares - whole) <= ROUNDING * abs(shares))
    shares = np.where(is_whole, whole, shares)
    is_known = is_whole.all(axis=1)
    if sample.missing and not is_known.all():
        raise ValueError(
            f"`constants` must have values for {enumerate_some(sample.missing)}: here the "
            "combinations of parameters have no formulas. Use base_parameters(idyn, constants="
            "{...})."
        )
    matrix = numbers[first] + shares @ numbers[others]
    formulas = tuple(
        _exact_sum(model, replacements, {k: 1, **dict(zip(others, share, strict=True))})
        if is_exact
        else _numeric_formula(row, units.parameters, model.names)
        for k, share, row, is_exact in zip(first, shares, matrix, is_known, strict=True)
    )
    known = None if sample.missing else matrix
    places = tuple(map(int, first))
    return BaseParameters(model.names, places, condition, formulas, known, sample.missing)


def _is_identifiable(lengths: np.ndarray, units: CharacteristicUnits) -> np.ndarray:
    """Return a boolean mask of columns above roundoff, relative to columns of the same kind."""
    mask = np.zeros(len(lengths), dtype=bool)
    for kind in np.unique(units.kinds):
        own = units.kinds == kind
        mask[own] = lengths[own] > CANCELLED * lengths[own].max(initial=0)
    viscous, coulomb = (np.flatnonzero(units.kinds == kind) for kind in (1, 2))
    mask[coulomb] &= mask[viscous]  # the sign of a rounding error is meaningless
    return mask


def _split_columns(
    columns: np.ndarray, tolerance: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    """Return the independent and the dependent columns, shares, and a condition number."""
    # ``columns[:, others] = columns[:, independent] @ shares``
    columns = np.asarray(np.linalg.qr(columns, mode="r"))
    first = np.sort(_select_pivots(columns, tolerance))
    others = np.setdiff1d(np.arange(columns.shape[1]), first)
    shares = np.linalg.lstsq(columns[:, first], columns[:, others], rcond=None)[0]
    return first, others, shares, float(np.linalg.cond(columns[:, first]))


def _select_pivots(columns: np.ndarray, tolerance: float) -> list[int]:
    """Return the pivot columns of a QR factorisation; the first of equally long columns counts."""
    rest, chosen = columns.copy(), list[int]()
    for _ in range(min(columns.shape)):
        lengths = np.linalg.norm(rest, axis=0)
        if lengths.max() <= tolerance:
            break
        column = int(np.argmax(lengths >= (1 - TIED) * lengths.max()))
        along = rest[:, column] / lengths[column]
        rest -= np.outer(along, along @ rest)
        rest[:, [*chosen, column]] = 0
        chosen.append(column)
    return chosen


def _numeric_formula(row: np.ndarray, units: np.ndarray, names: tuple[str, ...]) -> Expr:
    sizes = abs(row * units)
    row = np.where(sizes < ROUNDING * sizes.max(), 0, row)
    return Add(*(_round(x) * Symbol(name) for x, name in zip(row, names, strict=True) if x))


def _round(value: float) -> Expr:
    whole = round(value)
    return Integer(whole) if abs(value - whole) < ROUNDING * abs(value) else Float(value, 6)


def _find_replacements(
    model: ForceModel, numbers: Mapping[Expr, float]
) -> tuple[list[list[Scalar]], np.ndarray]:
    """Return the replacement of each parameter by other parameters, as scalars and as a matrix.

    Row k of both has the coefficients of all parameters in the replacement of parameter k.
    """
    # Mechanics gives the replacements for generalized forces, but not for wrenches.
    matrix, rows = np.eye(len(model.names)), list[list[Scalar]]()
    if not model.joints:
        derivation, inertial = model.idyn.model.derivation, len(model.idyn.inertial_parameters)
        rows = regrouping(derivation)
        given = {symbol: np.array([value]) for symbol, value in numbers.items()}
        values = DoubleStates(derivation.graph, given).matrix(rows)
        matrix[:inertial, :inertial] = values[0].real
    matrix[:, model.is_known] = 0
    return rows, matrix


def _exact_sum(model: ForceModel, rows: list[list[Scalar]], shares: Mapping[int, float]) -> Expr:
    """Return the formula of a sum of integer multiples of parameters' replacements."""

    def own(place: int) -> Expr:
        if place >= len(rows):
            return Symbol(model.names[place])
        pairs = zip(rows[place], model.is_known, strict=False)
        used = [k for k, (scalar, known) in enumerate(pairs) if not (scalar.is_zero or known)]
        graph = model.idyn.model.derivation.graph
        factors = graph.to_sympy([rows[place][k].ref for k in used])
        return Add(*(x * Symbol(model.names[k]) for x, k in zip(factors, used, strict=True)))

    return Add(*(int(share) * own(k) for k, share in shares.items() if share))
