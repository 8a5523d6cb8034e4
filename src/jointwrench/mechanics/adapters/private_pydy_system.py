"""PyDy's System, with public names for the methods that are overridden."""

from typing import Any

from pydy.system import System
from sympy import Expr

from ...checks.private_names import demand

demand(System, "_Kane_constant_symbols", "_Kane_undefined_dynamicsymbols")


class SymbolicSystem(System):
    """PyDy's System; subclasses supply the symbols of a model."""

    def _Kane_constant_symbols(self) -> set[Expr]:
        return set(self.eom_method.constants)

    def _Kane_undefined_dynamicsymbols(self) -> set[Expr]:
        return set(self.eom_method.specifieds)

    def integrated(self, function: Any) -> Any:
        """Return a right-hand side, which PyDy integrates from now on."""
        self._evaluate_ode_function = function
        return function
