"""Checks of arguments that are of sympy: points, frames, bodies, vectors and scalars."""

from collections.abc import Sequence
from typing import Any, TypeAlias

from sympy import Basic, Expr, Symbol, nan, sympify
from sympy.core.sympify import SympifyError
from sympy.matrices import MatrixBase
from sympy.physics.mechanics import KanesMethod, Particle, RigidBody, System
from sympy.physics.vector import Point, ReferenceFrame, Vector, dynamicsymbols

from ..checks.arguments import check_count, check_instance, check_sequence

Body: TypeAlias = RigidBody | Particle


class IdealBody(RigidBody):
    """A body between joints of a real one, or a rotor: its zeros are zero by definition."""


def is_particle(body: Any) -> bool:
    """Whether a body has no orientation; sympy's `Body` is both a RigidBody and a Particle."""
    return isinstance(body, Particle) and not isinstance(body, RigidBody)


def check_point(argument: str, value: Any) -> Point:
    fix = "Use for instance body.masscenter or joint.child_point."
    return check_instance(argument, value, Point, "a sympy.physics.vector.Point", fix)


def check_frame(argument: str, value: Any) -> ReferenceFrame:
    expected, fix = "a sympy.physics.vector.ReferenceFrame", "body.frame or system.frame"
    return check_instance(argument, value, ReferenceFrame, expected, f"Use for instance {fix}.")


def check_body(argument: str, value: Any) -> Body:
    return check_instance(argument, value, (RigidBody, Particle), "a sympy RigidBody or Particle")


def check_vector(argument: str, value: Any) -> Vector:
    """Return a sympy Vector; the number 0 stands for the zero vector."""
    if isinstance(value, (int, Basic)) and value == 0:
        return Vector(0)
    expected = "a sympy.physics.vector.Vector or 0"
    return check_instance(argument, value, Vector, expected, "Use for instance 3 * frame.x.")


def check_scalar(argument: str, value: Any) -> Expr:
    try:
        scalar = sympify(value, strict=True)
    except SympifyError:
        scalar = value
    if isinstance(scalar, MatrixBase):
        scalar = value
    return check_instance(argument, scalar, Expr, "a number or a scalar sympy expression")


def check_real(argument: str, value: Any) -> Expr:
    scalar = check_scalar(argument, value)
    if scalar.is_real is False or scalar.has(nan):
        raise ValueError(f"`{argument}` must be a finite real scalar, got {scalar}.")
    return scalar


def check_triple(argument: str, value: Any, expected: str) -> list[Expr]:
    items = check_sequence(argument, value, expected)
    check_count(argument, items, (3,), expected)
    return [check_real(argument, item) for item in items]


def check_time(argument: str, time: Symbol, coordinates: Sequence[Expr]) -> None:
    """Raise an error if a model's time is not the symbol by which sympy differentiates."""
    if dynamicsymbols._t != time:
        where = f"{coordinates[0]}.args[0]" if coordinates else "that of the model"
        raise ValueError(
            f"`{argument}` must have a system with sympy's current time symbol, but its time "
            f"{time} is not sympy's {dynamicsymbols._t} (or has other assumptions). Set "
            f"dynamicsymbols._t to {where}."
        )


def system_of(model: Any, argument: str = "model") -> System:
    """Return the System of an argument: a System, or a chain or model of a file."""
    system = getattr(model, "system", model)
    if not isinstance(system, System):
        expected = "a System, a SerialChain or a model from a file"
        fix = "Use what InverseDynamics.from_kane(kane) returns."
        check_instance(argument, model, System, expected, fix * isinstance(model, KanesMethod))
    return system
