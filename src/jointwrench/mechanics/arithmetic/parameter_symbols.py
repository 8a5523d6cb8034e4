"""Symbols for what expressions are linear in."""

from sympy import Dummy


class ParameterSymbol(Dummy):
    """A symbol for a parameter in which forces are linear; it is not an input of the model."""

    @classmethod
    def numbered(cls, kind: str, number: int) -> "ParameterSymbol":
        """Return the symbol of a kind and number, the same one whenever it is asked for."""
        return cls(f"{kind}_{number}", dummy_index=number)
