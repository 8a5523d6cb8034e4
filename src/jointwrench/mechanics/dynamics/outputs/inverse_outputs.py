"""The groups of inputs of inverse dynamics, and the table of its outputs."""

from collections.abc import Callable, Iterable, Mapping

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
    found = list[Group]()
    for name in names:
        own = tuple(symbols.get(name, ()))
        found.append(Group(name, TITLES[name], own, "call" if name == "constants" else "sample"))
    return tuple(found)


#: The names of the outputs of inverse dynamics.
OUTPUTS = (
    *("generalized_forces", "joint_wrenches", "constraint_wrenches", "section_wrenches"),
    *("contributions", "solved_loads", "mass_matrix", "bias", "unsupplied", "multipliers"),
    *("conditioning", "constraint_errors", "kinetic_energies", "body_powers", "regressor"),
    *("known_loads", "actuator_regressor", "joint_wrench_regressor", "known_wrenches"),
)


def inverse_output(name: str, derivation: Derivation) -> Output:
    """Return one of the `OUTPUTS`; its module is imported when it is needed."""
    make: Callable[[Derivation], Output]
    match name:
        case "generalized_forces":
            from .force_outputs import generalized_forces_output as make
        case "joint_wrenches":
            from .wrench_outputs import joint_wrenches_output as make
        case "constraint_wrenches":
            from .constraint_wrench_outputs import constraint_wrenches_output as make
        case "section_wrenches":
            from .sections import section_wrenches_output as make
        case "contributions":
            from .contributions import contributions_output as make
        case "solved_loads":
            from .force_outputs import solved_loads_output as make
        case "mass_matrix":
            from .equation_outputs import mass_matrix_output as make
        case "bias":
            from .equation_outputs import bias_output as make
        case "unsupplied":
            from .force_outputs import unsupplied_output as make
        case "multipliers":
            from .force_outputs import multipliers_output as make
        case "conditioning":
            from .conditioning import conditioning_output as make
        case "constraint_errors":
            from .equation_outputs import constraint_errors_output as make
        case "kinetic_energies":
            from .energy import kinetic_energies_output as make
        case "body_powers":
            from .energy import body_powers_output as make
        case "regressor":
            from .regressor import regressor_output as make
        case "known_loads":
            from .regressor import known_loads_output as make
        case "actuator_regressor":
            from .regressor import actuator_regressor_output as make
        case "joint_wrench_regressor":
            from .regressor import joint_wrench_regressor_output as make
        case "known_wrenches":
            from .regressor import known_wrenches_output as make
    return make(derivation)
