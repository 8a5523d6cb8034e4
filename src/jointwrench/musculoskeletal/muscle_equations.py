"""Linear equations of muscle forces: the generalized forces that are required and available."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np
from sympy import Expr

from .. import Evaluator, InverseDynamics, Result, Trajectory
from ..checks.arguments import (
    check_instance,
    check_mapping,
    check_sequence,
    enumerate_some,
    is_one_of,
)
from ..checks.numbers import real_array
from ..checks.tolerances import ROUNDING
from ..extend import MotionReader
from .muscle_driven import MuscleDriven, muscle_loads
from .muscle_geometry import MusclePaths

MUSCLES = "a mapping of load symbols to an area, or to (area, least force, largest force)"

#: The outputs of the evaluation of a motion with its muscles.
ALL = ("generalized_forces", "joint_wrenches")

#: The checks of the motion that each optimization reports, like an evaluator in its first call.
REPORTED = ("loops", "quaternions", "turns", "laws")

#: Values by their symbols.
Values = Mapping[Any, Any]


@dataclass(frozen=True, eq=False)
class MuscleEquations:
    """The equations ``arms @ forces = required`` for the forces of muscles within bounds.

    Attributes
    ==========

    muscles, speeds : tuple
        Names or symbols of the m muscles, and the n speeds.
    required : numpy.ndarray, shape (..., n)
        Generalized forces of the motion.
    arms : numpy.ndarray, shape (..., n, m)
        Generalized forces per unit of each muscle's force.
    areas, bounds : numpy.ndarray, shapes (m,), (2, m)
        Divisors of forces, and bounds of forces.
    strengths : numpy.ndarray, shape (..., m), or None
        Available fractions of the forces; None means 1.
    loads : function
        Converts forces (..., m) to ``specifieds``.
    evaluated : function
        Evaluates the motion with ``specifieds``.
    """

    muscles: tuple[Any, ...]
    speeds: tuple[Expr, ...]
    required: np.ndarray
    arms: np.ndarray
    areas: np.ndarray
    bounds: np.ndarray
    strengths: np.ndarray | None
    loads: Callable[[np.ndarray], dict[Expr, np.ndarray]]
    evaluated: Callable[[dict[Expr, np.ndarray]], Result]

    def rows(self, chosen: Iterable[Any] | None) -> list[int]:
        """Return the indices of the chosen speeds; by default, those at which muscles do work."""
        if chosen is None:
            largest = np.nanmax(abs(self.arms), axis=(*range(self.arms.ndim - 2), -1), initial=0)
            return [k for k, size in enumerate(largest) if size > ROUNDING * largest.max()]
        speeds = check_sequence("speeds", chosen, "a sequence of speeds", may_be_empty=False)
        return [self.index_of("speeds", speed) for speed in speeds]

    def index_of(self, argument: str, speed: Any) -> int:
        """Return the index of a speed, stated by symbol, by name, or by its coordinate's name."""
        names = {name: k for k, x in enumerate(self.speeds) for name in (x.name, x.name[2:])}
        if is_one_of(speed, self.speeds):
            return self.speeds.index(speed)
        if isinstance(speed, str) and speed in names:
            return names[speed]
        raise ValueError(f"`{argument}` must be speeds of the model, got {speed}.")


def equations_of_model(
    model: MuscleDriven,
    motion: Any,
    constants: Values | None,
    specifieds: Values | None,
    physiology: bool,
) -> MuscleEquations:
    """Return the equations of a model's muscles in a motion."""
    q, u, udot = MotionReader(model.inverse_dynamics.model.inputs).read(motion).states
    states = (motion,) if isinstance(motion, Trajectory) else (q, u, udot)  # keeps the times
    evaluate = model.inverse_dynamics.model.cached_evaluator(ALL, checks=REPORTED)
    paths = model.geometry(q, constants)
    numbers = dict(check_mapping("constants", constants))
    known = dict(check_mapping("specifieds", specifieds))

    loads = partial(muscle_loads, model, paths)

    def evaluated(muscle_loads: dict[Expr, np.ndarray]) -> Result:
        total = {s: x + known[s] if s in known else x for s, x in muscle_loads.items()}
        return evaluate(*states, constants=numbers, specifieds={**known, **total})

    muscles = model.geometry.muscles.values()
    strengths = np.array([muscle.maximal_isometric_force for muscle in muscles])
    ends = [(muscle.least_activation, muscle.most_activation) for muscle in muscles]
    still = evaluated(loads(np.zeros(len(strengths))))
    return MuscleEquations(
        muscles=tuple(model.geometry.muscles),
        speeds=tuple(model.inverse_dynamics.speeds),
        required=np.asarray(still.generalized_forces),
        arms=paths.moment_arms,
        areas=strengths,
        bounds=np.array(ends).T * strengths,
        strengths=_available_fractions(model, paths, u) if physiology else None,
        loads=loads,
        evaluated=evaluated,
    )


def _available_fractions(model: MuscleDriven, paths: MusclePaths, u: Any) -> np.ndarray:
    """Return the available fractions (..., m) of the muscles' forces, by lengths and velocities."""
    muscles = model.geometry.muscles.values()
    if unknown := [muscle.name for muscle in muscles if muscle.curves is None]:
        raise ValueError(
            "`physiology` must be False for muscles whose curves of force, length and velocity are "
            f"not known, got {enumerate_some(unknown)}. Use strengths= for your own numbers, or "
            "MuscleDriven(model, names) for the others."
        )
    speeds = real_array("motion", u).astype(float)
    rates = -np.einsum("...km,...k->...m", paths.moment_arms, speeds)
    own = np.broadcast_arrays(paths.lengths, rates)
    pairs = zip(muscles, *(np.moveaxis(x, -1, 0) for x in own), strict=True)
    return np.stack([muscle.strength(*pair) for muscle, *pair in pairs], axis=-1)


def equations_of_symbols(
    model: InverseDynamics | Evaluator,
    motion: Any,
    muscles: Any,
    constants: Values | None,
    specifieds: Values | None,
) -> MuscleEquations:
    """Return the equations of a model's load symbols in a motion."""
    inputs = model.inputs if isinstance(model, Evaluator) else model.model.inputs
    states = MotionReader(inputs).read(motion).states
    numbers = dict(check_mapping("constants", constants))
    known = dict(check_mapping("specifieds", specifieds))
    symbols, areas, bounds = _check_muscles(muscles, inputs)
    constant = {symbol for symbol in symbols if symbol in inputs["constants"]}

    @cache
    def compiled(names: tuple[str, ...]) -> Evaluator:
        if isinstance(model, Evaluator):
            return model
        return model.model.cached_evaluator(names, checks=() if names == ALL else REPORTED)

    def evaluated(tensions: Values, *outputs: str) -> Result:
        groups = ("constants", numbers, constant), ("specifieds", known, {*symbols} - constant)
        named = {k: x | {s: tensions[s] for s in own if s in tensions} for k, x, own in groups}
        return compiled(outputs or ALL)(*states, **named)

    def forces(values: np.ndarray) -> np.ndarray:
        tensions = dict(zip(symbols, map(float, values), strict=True))
        return np.asarray(evaluated(tensions, "generalized_forces").generalized_forces)

    required, arms = _linear_map(forces, symbols)
    return MuscleEquations(
        muscles=symbols,
        speeds=tuple(inputs["u"]),
        required=required,
        arms=arms,
        areas=areas,
        bounds=bounds,
        strengths=None,
        loads=lambda forces: {s: forces[..., k] for k, s in enumerate(symbols)},
        evaluated=evaluated,
    )


def _check_muscles(
    muscles: Any, inputs: Mapping[str, tuple[Expr, ...]]
) -> tuple[tuple[Expr, ...], np.ndarray, np.ndarray]:
    """Return the checked symbols, areas (m,) and bounds (2, m) of the user's muscles."""
    check_instance("muscles", muscles, Mapping, MUSCLES, "Use for instance {biceps: 4e-4}.")
    known = {*inputs["specifieds"], *inputs["constants"]}
    areas, bounds = [], []
    for symbol, value in muscles.items():
        if symbol not in known:
            raise ValueError(
                f"`muscles` must be known loads of the model, got {symbol}. Use symbols that "
                "are in its loads and not in solve_for."
            )
        numbers = np.atleast_1d(real_array("muscles", value)).astype(float)
        if numbers.shape not in ((1,), (3,)):
            raise ValueError(f"`muscles` must be {MUSCLES}, got {value!r} for {symbol}.")
        area, least, most = numbers if len(numbers) == 3 else (numbers[0], 0.0, np.inf)
        if not (area > 0 and np.isfinite(area) and least < most):
            raise ValueError(
                f"`muscles` must have positive areas, and least forces below the largest, got "
                f"{value!r} for {symbol}."
            )
        areas.append(area)
        bounds.append((least, most))
    if not areas:
        raise ValueError(f"`muscles` must be {MUSCLES}, got none.")
    return tuple(muscles), np.array(areas), np.array(bounds).T


def _linear_map(
    forces: Callable[[np.ndarray], np.ndarray], symbols: tuple[Expr, ...]
) -> tuple[np.ndarray, np.ndarray]:
    """Return generalized forces without muscles (..., n), and per unit of each muscle (..., n, m).

    ``forces`` returns the generalized forces of muscle forces; they must be linear and do work.
    """
    units = np.eye(len(symbols))
    rest = forces(np.zeros(len(symbols)))
    columns = [rest - forces(unit) for unit in units]
    for symbol, unit, column in zip(symbols, units, columns, strict=True):
        change = rest - forces(-2 * unit) + 2 * column
        scale = abs(rest).max(initial=0) + abs(column).max(initial=0)
        if (abs(change) > ROUNDING * scale).any():
            raise ValueError(f"`muscles` must enter the loads linearly, but {symbol} does not.")
        if not (abs(column) > ROUNDING**2 * scale).any() and np.isfinite(column).all():
            raise ValueError(
                f"`muscles` must do work, but {symbol} supplies no generalized force. Leave it out."
            )
    return rest, np.stack(columns, axis=-1)
