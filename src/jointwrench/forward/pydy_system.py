"""A PyDy System that integrates a model without Kane's equations."""

from collections.abc import Callable
from typing import Any

from pydy.system import System
from sympy import Expr


class ForwardSystem(System):
    """A `pydy.system.System` whose equations are those of a `ForwardDynamics`.

    Made by `ForwardDynamics.pydy_system`; ``eom_method`` is the ForwardDynamics.
    """

    @property
    def coordinates(self) -> list[Expr]:
        """The generalized coordinates, in the order of the states."""
        return list(self.eom_method.coordinates)

    @property
    def speeds(self) -> list[Expr]:
        """The generalized speeds, in the order of the states."""
        return list(self.eom_method.speeds)

    def _Kane_constant_symbols(self) -> set[Expr]:
        return set(self.eom_method.constants)

    def _Kane_undefined_dynamicsymbols(self) -> set[Expr]:
        return set(self.eom_method.specifieds)

    def generate_ode_function(self, **kwargs: Any) -> Callable[..., Any]:
        """Return `ForwardDynamics.ode_function`; PyDy's options of generators change nothing."""
        order = self.specifieds.get("symbols")
        self._evaluate_ode_function = self.eom_method.ode_function(specifieds=order)
        return self._evaluate_ode_function
