"""The groups of inputs of inverse dynamics, and the table of its outputs."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from sympy import Expr

from ....checks.on_demand import on_demand
from ...arithmetic.output import Group

#: What the groups of inputs hold, by the names of the arguments that give their values.
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
    """Return groups of inputs in their order; those that are not given are empty."""
    return tuple(
        Group(
            name,
            TITLES[name],
            tuple(symbols.get(name, ())),
            "call" if name == "constants" else "sample",
        )
        for name in names
    )


#: The file beside this one that makes each output, by a function of its name and "_output".
FILES = {
    "generalized_forces": "force_outputs",
    "joint_wrenches": "wrench_outputs",
    "constraint_wrenches": "constraint_wrench_outputs",
    "section_wrenches": "sections",
    "contributions": "contributions",
    "solved_loads": "force_outputs",
    "mass_matrix": "equation_outputs",
    "bias": "equation_outputs",
    "unsupplied": "force_outputs",
    "multipliers": "force_outputs",
    "conditioning": "conditioning",
    "constraint_errors": "equation_outputs",
    "kinetic_energies": "body_powers",
    "body_powers": "body_powers",
    "regressor": "regressor",
    "known_loads": "regressor",
    "actuator_regressor": "regressor",
    "joint_wrench_regressor": "regressor",
    "known_wrenches": "regressor",
}
OUTPUTS: dict[str, Callable[..., Any]] = {
    name: on_demand(f"mechanics.dynamics.outputs.{file}", f"{name}_output")
    for name, file in FILES.items()
}
