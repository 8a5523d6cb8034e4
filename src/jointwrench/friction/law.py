"""The parameters of dry and viscous friction in a bearing that depends on its reaction."""

from typing import Any

from sympy import Expr, Piecewise, exp, nan, tanh
from sympy.physics.mechanics.joint import Joint

from ..checks.arguments import check_instance
from ..checks.numbers import check_bool
from ..checks.problems import Problems
from ..mechanics.sympy_objects import check_real


class FrictionLaw:
    """The parameters of friction in a joint; `JointFriction` describes them."""

    def __init__(
        self,
        joint: Any,
        coefficient: Any,
        radius: Any = None,
        static: Any = None,
        stribeck_speed: Any = None,
        viscous: Any = 0,
        collar: Any = None,
        supports: Any = None,
        width: Any = None,
        sense: Any = None,
        one_sided: bool = False,
    ) -> None:
        problems = Problems()
        expected = "a Joint, LoopJoint, Contact or the name of one"
        if not (isinstance(joint, (Joint, str)) or hasattr(joint, "child_point")):
            problems.check(check_instance, "joint", joint, Joint, expected)
        given = {
            "coefficient": coefficient,
            "radius": radius,
            "static": static,
            "stribeck_speed": stribeck_speed,
            "viscous": viscous,
            "collar": collar,
            "supports": supports,
            "width": width,
            "sense": sense,
        }
        own: dict[str, Any] = {
            name: None
            if value is None and name != "coefficient"
            else problems.check(_real, name, value)
            for name, value in given.items()
        }
        if static is not None and stribeck_speed is None:
            problems.add("`stribeck_speed` must be given with `static`.")
        if width is not None and sense is not None:
            problems.add("`sense` must be left out with `width`: nothing is open at rest then.")
        problems.raise_all("JointFriction")
        self.joint = joint
        self.coefficient, self.radius, self.viscous = (
            own[x] for x in ("coefficient", "radius", "viscous")
        )
        self.static, self.stribeck_speed = own["static"], own["stribeck_speed"]
        self.collar, self.supports = own["collar"], own["supports"]
        self.width, self.sense = own["width"], own["sense"]
        self.one_sided = check_bool("one_sided", one_sided)

    def __repr__(self) -> str:
        return f"JointFriction({getattr(self.joint, 'name', self.joint)})"

    @property
    def expressions(self) -> tuple[Expr, ...]:
        """The expressions that must be evaluated."""
        own = (x for name, x in vars(self).items() if name not in ("joint", "one_sided"))
        return tuple(x for x in own if x is not None)


def factor(law: FrictionLaw, speed: Expr) -> Expr:
    """Return ``mu(v) s(v)`` at a speed v."""
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


#: What is divided by.
POSITIVE = ("stribeck_speed", "supports", "width")
