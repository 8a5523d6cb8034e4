"""A derivation as data: lines, and the steps in which they stand."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from sympy import Expr
from sympy.physics.vector import ReferenceFrame

from ...arithmetic.graph import Scalar


class Words(NamedTuple):
    """What a line says of itself; see `DerivationLine`."""

    name: str
    role: str
    quantity: str
    on: str = ""
    by: str = ""
    about: str = ""


@dataclass(frozen=True, eq=False)
class DerivationLine:
    """One line of a derivation: a vector or a scalar, and what it is.

    Attributes
    ==========

    name : str
        What stands before the sign of equality, such as ``"F_knee"`` or ``"-W_foot"``.
    role : str
        What the value is: ``"angular velocity"``, ``"weight"``, ``"m a"``, ``"load"``,
        ``"joint"``, ``"Coriolis"``, ``"wrench"``, ``"generalized force"`` and more.
    quantity : str
        What is measured: ``"force"``, ``"moment"``, ``"acceleration"``, ``"length"`` and so on.
    on, by : str
        On which body a force or moment acts, and by what it is caused.
    about : str
        The point of a moment, or the point that moves.
    value : tuple of Expr
        Three components, or one scalar, in terms of inputs and of the names of other lines.
    frame : ReferenceFrame or None
        Of the components: the one in which they are shortest; None for a scalar.
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
    """One body cut free (or the loops closed): lines by what they are.

    Attributes
    ==========

    title, text : str
        What is done, and in which way.
    body : str
        The body that is cut free; empty for other steps.
    divisors : tuple of Expr
        By what is divided to solve for unknown forces: the text does not hold where one is zero.
    constants : list of DerivationLine
        Constants that occur together, and have a name.
    demanded, coefficients, balance, solution : list of DerivationLine
        With unknown forces: what the motion asks of the open tree, what stands before the unknown
        ones, who supplies it, and how that is solved.
    kinematics, forces, moments, wrench, projection : list of DerivationLine
        How the body moves; what its joint supplies, term by term; their sum; generalized forces.
    result : list of DerivationLine
        Force and moment as `joint_wrench` has them, where that is on another body or point.
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
        """All lines, in their order."""
        return [line for part in self.parts.values() for line in part]

    @property
    def parts(self) -> dict[str, list[DerivationLine]]:
        """The lists of lines by what they are."""
        return {name: part for name, part in vars(self).items() if isinstance(part, list)}

    def mapped(self, change: Callable[[DerivationLine], DerivationLine]) -> "DerivationStep":
        """Return the step with other lines in place of its own."""
        changed: dict[str, Any] = {name: [*map(change, x)] for name, x in self.parts.items()}
        return replace(self, **changed)
