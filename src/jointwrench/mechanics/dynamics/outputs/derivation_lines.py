"""A derivation as data: lines, grouped by steps."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from sympy import Expr
from sympy.physics.vector import ReferenceFrame

from ...arithmetic.graph import Scalar


class Words(NamedTuple):
    """The description of a line; see `DerivationLine`."""

    name: str
    role: str
    quantity: str
    on: str = ""
    by: str = ""
    about: str = ""


@dataclass(frozen=True, eq=False)
class DerivationLine:
    """One line of a derivation: a vector or a scalar, with its description.

    Attributes
    ==========

    name : str
        The left side of the equation, such as ``"F_knee"`` or ``"-W_foot"``.
    role : str
        The meaning of the value: ``"angular velocity"``, ``"weight"``, ``"m a"``, ``"load"``,
        ``"joint"``, ``"Coriolis"``, ``"wrench"``, ``"generalized force"`` and more.
    quantity : str
        The quantity: ``"force"``, ``"moment"``, ``"acceleration"``, ``"length"`` and so on.
    on, by : str
        The body on which a force or moment acts, and its cause.
    about : str
        The point of a moment, or the point that moves.
    value : tuple of Expr
        Three components, or one scalar, in terms of inputs and of the names of other lines.
    frame : ReferenceFrame or None
        The frame of the components, in which they are shortest; None for a scalar.
    """

    name: str
    role: str
    quantity: str
    on: str
    by: str
    about: str
    value: tuple[Expr, ...]
    frame: ReferenceFrame | None
    scalars: tuple[Scalar, ...] = field(repr=False)


@dataclass(frozen=True, eq=False)
class DerivationStep:
    """One step of a derivation, such as a body cut free: its lines by their meaning.

    Attributes
    ==========

    title, text : str
        The title and the explanation of the step.
    body : str
        The body that is cut free; empty for other steps.
    divisors : tuple of Expr
        The divisors of unknown forces: the text does not hold where one is zero.
    constants : list of DerivationLine
        Combinations of constants that have a name.
    demanded, coefficients, balance, solution : list of DerivationLine
        For unknown forces: the forces that the motion requires of the open tree, the coefficients
        of the unknowns, their equations, and the solution.
    kinematics, forces, moments, wrench, projection : list of DerivationLine
        The motion of the body; the terms of its joint wrench; their sum; generalized forces.
    result : list of DerivationLine
        Force and moment as `joint_wrench` returns them, if for another body or point.
    """

    title: str
    text: str = ""
    body: str = ""
    divisors: tuple[Expr, ...] = ()
    constants: list[DerivationLine] = field(default_factory=list)
    demanded: list[DerivationLine] = field(default_factory=list)
    coefficients: list[DerivationLine] = field(default_factory=list)
    balance: list[DerivationLine] = field(default_factory=list)
    solution: list[DerivationLine] = field(default_factory=list)
    kinematics: list[DerivationLine] = field(default_factory=list)
    forces: list[DerivationLine] = field(default_factory=list)
    moments: list[DerivationLine] = field(default_factory=list)
    wrench: list[DerivationLine] = field(default_factory=list)
    projection: list[DerivationLine] = field(default_factory=list)
    result: list[DerivationLine] = field(default_factory=list)

    @property
    def lines(self) -> list[DerivationLine]:
        """All lines of the step, in their order."""
        return [line for part in self.parts.values() for line in part]

    @property
    def parts(self) -> dict[str, list[DerivationLine]]:
        """The lists of lines by their meaning."""
        return {name: part for name, part in vars(self).items() if isinstance(part, list)}

    def mapped(self, change: Callable[[DerivationLine], DerivationLine]) -> "DerivationStep":
        """Return the step with ``change`` applied to each line."""
        changed: dict[str, Any] = {name: [*map(change, x)] for name, x in self.parts.items()}
        return replace(self, **changed)
