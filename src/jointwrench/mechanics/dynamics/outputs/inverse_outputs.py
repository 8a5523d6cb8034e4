"""The groups of inputs of inverse dynamics, and the table of its outputs."""

from collections.abc import Callable, Iterable, Mapping
from types import ModuleType

from sympy import Expr

from ...arithmetic.output import Group, Output
from ..derivation import Derivation

#: Descriptions of the groups of inputs, by the names of their arguments.
TITLES = {
    "q": "generalized coordinates",
    "u": "generalized speeds",
    "udot": "time derivatives of the generalized speeds",
    "constants": "constants",
    "specifieds": "specified quantities",
    "times": "time",
}


def input_groups(
    symbols: Mapping[str, Iterable[Expr]], names: Iterable[str] = tuple(TITLES)
) -> tuple[Group, ...]:
    """Return groups of inputs in the order of ``names``; missing ones are empty."""
    return tuple(
        Group(
            name,
            TITLES[name],
            tuple(symbols.get(name, ())),
            "call" if name == "constants" else "sample",
        )
        for name in names
    )


#: The names of the outputs of inverse dynamics.
OUTPUTS = (
    *("generalized_forces", "joint_wrenches", "constraint_wrenches", "section_wrenches"),
    *("contributions", "solved_loads", "mass_matrix", "bias", "unsupplied", "multipliers"),
    *("conditioning", "constraint_errors", "kinetic_energies", "body_powers", "regressor"),
    *("known_loads", "actuator_regressor", "joint_wrench_regressor", "known_wrenches"),
)


def inverse_output(name: str, derivation: Derivation) -> Output:
    """Return one of the `OUTPUTS`; its module is imported when it is needed."""
    module: ModuleType
    match name:
        case "generalized_forces" | "solved_loads" | "unsupplied" | "multipliers":
            from . import force_outputs as module
        case "joint_wrenches":
            from . import wrench_outputs as module
        case "constraint_wrenches":
            from . import constraint_wrench_outputs as module
        case "section_wrenches":
            from . import sections as module
        case "contributions":
            from . import contributions as module
        case "mass_matrix" | "bias" | "constraint_errors":
            from . import equation_outputs as module
        case "conditioning":
            from . import conditioning as module
        case "kinetic_energies" | "body_powers":
            from . import energy as module
        case _:
            from . import regressor as module
    make: Callable[[Derivation], Output] = getattr(module, f"{name}_output")
    return make(derivation)
