"""The checked parameters of a joint's friction, and its coefficient as a function of speed."""

from dataclasses import dataclass, fields
from typing import Any

from sympy import Expr, Piecewise, exp, nan, tanh
from sympy.physics.mechanics.joint import Joint

from ..checks.arguments import check_instance, is_connection
from ..checks.messages import Problems
from ..checks.numbers import check_bool
from ..mechanics.dynamics.load_laws import LoadLaw
from ..mechanics.sympy_objects import check_real


@dataclass(eq=False, repr=False)
class FrictionParameters(LoadLaw):
    """The parameters of `JointFriction`, which documents them."""

    joint: Any
    coefficient: Any
    radius: Any = None
    static: Any = None
    stribeck_speed: Any = None
    viscous: Any = 0
    collar: Any = None
    supports: Any = None
    width: Any = None
    sense: Any = None
    one_sided: bool = False

    def __post_init__(self) -> None:
        problems = Problems()
        expected = "a Joint, LoopJoint, Contact or the name of one"
        is_joint = isinstance(self.joint, (Joint, str)) or hasattr(self.joint, "child_point")
        if not is_joint and not is_connection(self.joint):
            problems.check(check_instance, "joint", self.joint, Joint, expected)
        for name in EXPRESSIONS:
            value = getattr(self, name)
            if value is not None or name == "coefficient":
                setattr(self, name, problems.check(_real, name, value))
        if self.static is not None and self.stribeck_speed is None:
            problems.add("`stribeck_speed` must be given with `static`.")
        if self.width is not None and self.sense is not None:
            problems.add(
                "`sense` must be left out with `width`: friction at rest is determined then."
            )
        problems.raise_all("JointFriction")
        self.one_sided = check_bool("one_sided", self.one_sided)

    def __repr__(self) -> str:
        return f"JointFriction({getattr(self.joint, 'name', self.joint)})"

    @property
    def expressions(self) -> tuple[Expr, ...]:
        """The parameters that are symbols, formulas or numbers."""
        own = (getattr(self, name) for name in EXPRESSIONS)
        return tuple(x for x in own if x is not None)


#: The parameters that may be symbols and formulas.
EXPRESSIONS = [x.name for x in fields(FrictionParameters) if x.name not in ("joint", "one_sided")]


def factor(law: FrictionParameters, speed: Expr) -> Expr:
    """Return ``mu(v) s(v)`` at a speed v: the coefficient of friction times the sign of v."""
    mu = law.coefficient
    if law.static is not None:
        mu = mu + (law.static - mu) * exp(-((speed / law.stribeck_speed) ** 2))
    if law.width is not None:
        return mu * tanh(speed / law.width)
    at_rest = nan if law.sense is None else law.sense * mu.subs(speed, 0)
    return Piecewise((mu, speed > 0), (-mu, speed < 0), (at_rest, True))


def _real(argument: str, value: Any) -> Expr:
    """Return a real number or formula; raise an error for negative ones, except the sense."""
    found = check_real(argument, value)
    if argument == "sense":
        if found.is_number and found not in (1, -1):
            raise ValueError(f"`sense` must be 1 or -1, got {value}.")
    elif found.is_number and (found < 0 or (found == 0 and argument in POSITIVE)):
        least = "positive" if argument in POSITIVE else "zero or positive"
        raise ValueError(f"`{argument}` must be {least}, got {value}.")
    return found


#: The parameters that are divisors, so that zero is refused.
POSITIVE = ("stribeck_speed", "supports", "width")
