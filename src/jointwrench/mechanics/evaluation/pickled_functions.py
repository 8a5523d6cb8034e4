"""Functions of time, such as coordinates, in pickles: their classes cannot be found by name."""

import copyreg
from typing import Any

from sympy import Function
from sympy.core.function import UndefinedFunction


def let_functions_be_pickled() -> None:
    if UndefinedFunction not in copyreg.dispatch_table:
        copyreg.pickle(UndefinedFunction, function_recipe)


def function_recipe(function: Any) -> tuple[Any, ...]:
    """Return the recipe of an undefined function, such as a coordinate's."""
    return make_function, (function.name, function._kwargs)


def make_function(name: str, assumptions: dict[str, Any]) -> Any:
    let_functions_be_pickled()
    return Function(name, **assumptions)
