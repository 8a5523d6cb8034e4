"""Access to private data of sympy's points, frames, joints, methods and printers."""

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
    """Return the stated positions of a point from other points, by point."""
    return private(point, "_pos_dict")


def stated_velocities(point: Point) -> Mapping[ReferenceFrame, Vector]:
    """Return the stated velocities of a point, by frame."""
    return private(point, "_vel_dict")


def stated_accelerations(place: Point | ReferenceFrame) -> Mapping[ReferenceFrame, Vector]:
    """Return the stated accelerations of a point, or angular accelerations of a frame, by frame."""
    return private(place, "_acc_dict" if isinstance(place, Point) else "_ang_acc_dict")


def stated_orientations(frame: ReferenceFrame) -> Mapping[ReferenceFrame, Any]:
    """Return the stated direction cosine matrices ``frame.dcm(other)``, by the other frame."""
    return private(frame, "_dcm_dict")


def stated_angular_velocities(frame: ReferenceFrame) -> Mapping[ReferenceFrame, Vector]:
    """Return the stated angular velocities of a frame relative to other frames, by frame."""
    return private(frame, "_ang_vel_dict")


def forget_angular_velocity(frame: ReferenceFrame, other: ReferenceFrame) -> None:
    """Remove the stated angular velocity between two frames, so that sympy derives it."""
    for one, two in ((frame, other), (other, frame)):
        del private(one, "_ang_vel_dict")[two]


def forget_position(point: Point) -> None:
    """Remove the stated positions of other points from a point."""
    for other in private(point, "_pos_dict"):
        del private(other, "_pos_dict")[point]


def binary_digits(number: Float) -> int:
    return int(private(number, "_prec"))


def stated_velocity_constraints(system: System) -> tuple[Expr, ...] | None:
    """Return the stated velocity constraints of a System; None if sympy derives them."""
    given = private(system, "_vel_constrs")
    return None if given is None else tuple(given)


def fill_symbols(joint: Joint, given: Any, count: int, letter: str) -> Matrix:
    """Return a joint's coordinates or speeds as a column; missing ones get sympy's names."""
    return private(joint, "_fill_coordinate_list")(given, count, letter)


def _stated(method: Any, name: str, before: str) -> Any:
    """Return a property that is public from sympy 1.15 and had the private name ``before``."""
    return getattr(method, name) if hasattr(type(method), name) else private(method, before)


class KaneParts(NamedTuple):
    """The parts of a KanesMethod or LagrangesMethod.

    Attributes
    ==========

    inertial : ReferenceFrame
        The inertial frame.
    dependent_coordinates, dependent_speeds, auxiliary_speeds : tuple of Expr
        The dependent and auxiliary states.
    position, velocity : tuple of Expr
        The residuals of the constraints.
    has_rates : bool
        Whether the kinematical differential equations define the coordinates' rates.
    """

    inertial: ReferenceFrame
    dependent_coordinates: tuple[Expr, ...]
    dependent_speeds: tuple[Expr, ...]
    auxiliary_speeds: tuple[Expr, ...]
    position: tuple[Expr, ...]
    velocity: tuple[Expr, ...]
    has_rates: bool

    @classmethod
    def of(cls, kane: KanesMethod | LagrangesMethod) -> "KaneParts":
        """Return the parts of a method; a LagrangesMethod has no dependent states."""
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
    """Return a copy of a LaTeX printer in which a function writes the names of symbols."""
    named = copy(printer)
    vars(named)["_deal_with_super_sub"] = lambda string, style="plain": (
        string if string in accepted_latex_functions else written(string)
    )
    return named


def enable_function_pickling() -> None:
    """Register functions of time for pickling; pickle cannot find their classes by name."""
    if UndefinedFunction not in copyreg.dispatch_table:
        copyreg.pickle(UndefinedFunction, function_recipe)


def function_recipe(function: Any) -> tuple[Any, ...]:
    """Return the function and arguments with which pickle makes an undefined function again."""
    return make_function, (function.name, private(function, "_kwargs"))


def make_function(name: str, assumptions: dict[str, Any]) -> Any:
    enable_function_pickling()
    return Function(name, **assumptions)
