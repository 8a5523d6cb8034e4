"""Private data of sympy: what was set for points, frames and KanesMethods."""

import copyreg
from collections.abc import Callable, Mapping
from copy import copy
from typing import Any, NamedTuple

from sympy import Expr, Float, Function, Matrix
from sympy.core.function import UndefinedFunction
from sympy.physics.mechanics import KanesMethod, LagrangesMethod, System
from sympy.physics.mechanics.joint import Joint
from sympy.physics.vector import Point, ReferenceFrame, Vector
from sympy.printing.latex import LatexPrinter, accepted_latex_functions

from ...checks.private_names import private, require_names

require_names(Joint, "_generate_kdes", "_fill_coordinate_list", *Joint.__abstractmethods__)
require_names(Function, "_eval_derivative")
require_names(LatexPrinter, "_deal_with_super_sub")


def stated_positions(point: Point) -> Mapping[Point, Vector]:
    """Return the positions of a point from its neighbours."""
    return private(point, "_pos_dict")


def stated_velocities(point: Point) -> Mapping[ReferenceFrame, Vector]:
    return private(point, "_vel_dict")


def stated_accelerations(place: Point | ReferenceFrame) -> Mapping[ReferenceFrame, Vector]:
    """Return the accelerations that were set for a point, the angular ones of a frame."""
    return private(place, "_acc_dict" if isinstance(place, Point) else "_ang_acc_dict")


def stated_orientations(frame: ReferenceFrame) -> Mapping[ReferenceFrame, Any]:
    """Return the direction cosine matrices of a frame in its neighbours."""
    return private(frame, "_dcm_dict")


def stated_angular_velocities(frame: ReferenceFrame) -> Mapping[ReferenceFrame, Vector]:
    """Return the angular velocities of a frame in its neighbours."""
    return private(frame, "_ang_vel_dict")


def forget_angular_velocity(frame: ReferenceFrame, other: ReferenceFrame) -> None:
    """Remove the angular velocity between neighbours that other paths between them define."""
    for one, two in ((frame, other), (other, frame)):
        del private(one, "_ang_vel_dict")[two]


def forget_position(point: Point) -> None:
    """Remove the position of a point from its neighbours."""
    for other in private(point, "_pos_dict"):
        del private(other, "_pos_dict")[point]


def binary_digits(number: Float) -> int:
    return int(private(number, "_prec"))


def stated_velocity_constraints(system: System) -> tuple[Expr, ...] | None:
    """Return the velocity constraints of a System; None if they are derived from others."""
    given = private(system, "_vel_constrs")
    return None if given is None else tuple(given)


def fill_symbols(joint: Joint, given: Any, count: int, letter: str) -> Matrix:
    """Return the coordinates or speeds of a joint, with names for those not given."""
    return private(joint, "_fill_coordinate_list")(given, count, letter)


def _stated(method: Any, name: str, before: str) -> Any:
    """Return a public property of sympy 1.15, which had a private name before."""
    return getattr(method, name) if hasattr(type(method), name) else private(method, before)


class KaneParts(NamedTuple):
    """The arguments of a KanesMethod: its frame, dependent states, and constraints."""

    inertial: ReferenceFrame
    dependent_coordinates: tuple[Expr, ...]
    dependent_speeds: tuple[Expr, ...]
    auxiliary_speeds: tuple[Expr, ...]
    position: tuple[Expr, ...]
    velocity: tuple[Expr, ...]
    has_rates: bool

    @classmethod
    def of(cls, kane: KanesMethod | LagrangesMethod) -> "KaneParts":
        if isinstance(kane, LagrangesMethod):
            frame = kane.frame if hasattr(LagrangesMethod, "frame") else kane.inertial
            return cls(frame, (), (), (), (), tuple(kane.coneqs), True)
        return cls(
            inertial=_stated(kane, "frame", "_inertial"),
            dependent_coordinates=tuple(private(kane, "_qdep")),
            dependent_speeds=tuple(private(kane, "_udep")),
            auxiliary_speeds=tuple(private(kane, "_uaux")),
            position=tuple(_stated(kane, "holonomic_constraints", "_f_h")),
            velocity=_velocity_constraints(kane),
            has_rates=bool(private(kane, "_qdot_u_map")),
        )


def _velocity_constraints(kane: KanesMethod) -> tuple[Expr, ...]:
    if hasattr(KanesMethod, "velocity_constraints"):  # of sympy 1.15
        return tuple(kane.velocity_constraints)
    factors, rest = private(kane, "_k_nh"), private(kane, "_f_nh")
    return tuple(factors * Matrix(kane.u) + rest) if factors else ()


def lagrangian_of(method: LagrangesMethod) -> Expr:
    (found,) = private(method, "_L")
    return found


def with_symbol_names(printer: LatexPrinter, written: Callable[[str], str]) -> LatexPrinter:
    """Return a printer as another one, in which a function writes the names of symbols."""
    named = copy(printer)
    vars(named)["_deal_with_super_sub"] = lambda string, style="plain": (
        string if string in accepted_latex_functions else written(string)
    )
    return named


def enable_function_pickling() -> None:
    """Let functions of time be pickled: their classes cannot be found by name."""
    if UndefinedFunction not in copyreg.dispatch_table:
        copyreg.pickle(UndefinedFunction, function_recipe)


def function_recipe(function: Any) -> tuple[Any, ...]:
    """Return the recipe of an undefined function, such as a coordinate's."""
    return make_function, (function.name, private(function, "_kwargs"))


def make_function(name: str, assumptions: dict[str, Any]) -> Any:
    enable_function_pickling()
    return Function(name, **assumptions)
