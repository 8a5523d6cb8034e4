"""Pickling of the symbols that evaluators and results carry: functions of time.

Before version 1.14 sympy cannot pickle them; since then it does so in the same way.
"""

import copyreg
from typing import Any

from sympy import Function
from sympy.core.function import UndefinedFunction


def function_recipe(function: Any) -> tuple[Any, ...]:
    """Return what makes an undefined function, such as a coordinate's, again."""
    return make_function, (function.name, function._kwargs)


def make_function(name: str, assumptions: dict[str, Any]) -> Any:
    """Return an undefined function."""
    return Function(name, **assumptions)


if UndefinedFunction not in copyreg.dispatch_table:
    copyreg.pickle(UndefinedFunction, function_recipe)
