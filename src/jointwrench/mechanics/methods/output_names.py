"""The names of outputs for type checkers; a test compares them with the existing outputs."""

from collections.abc import Iterable
from typing import Literal, TypeAlias, TypeVar

from ..dynamics.outputs.declared_output import DeclaredOutput

N = TypeVar("N", bound=str)

#: The argument ``outputs`` of a method: names of outputs, or the user's own outputs.
RequestedOutputs: TypeAlias = N | DeclaredOutput | Iterable[N | DeclaredOutput]

#: Outputs of models with friction; inverse dynamics also has the power of motors.
FrictionOutput: TypeAlias = Literal[
    "friction",
    "friction_gain",
    "friction_residual",
    "friction_couplings",
    "sliding_speeds",
    "normal_forces",
]

InverseOutput: TypeAlias = Literal[
    "generalized_forces",
    "joint_wrenches",
    "constraint_wrenches",
    "section_wrenches",
    "contributions",
    "solved_loads",
    "mass_matrix",
    "bias",
    "unsupplied",
    "multipliers",
    "conditioning",
    "constraint_errors",
    "kinetic_energies",
    "body_powers",
    "regressor",
    "known_loads",
    "actuator_regressor",
    "joint_wrench_regressor",
    "known_wrenches",
    "motor_power",
    FrictionOutput,
]

ForwardOutput: TypeAlias = Literal[
    "udot",
    "qdot",
    "energy",
    "inverse_mass_matrix",
    "joint_wrenches",
    "constraint_wrenches",
    "multipliers",
    "conditioning",
    "constraint_errors",
    FrictionOutput,
]

KinematicOutput: TypeAlias = Literal[
    "positions",
    "velocities",
    "accelerations",
    "bias_accelerations",
    "jacobians",
    "orientations",
    "angular_velocities",
    "angular_accelerations",
    "angular_bias_accelerations",
    "angular_jacobians",
    "center_of_mass",
    "center_of_mass_velocity",
    "center_of_mass_acceleration",
    "momentum",
    "energy",
    "constraint_errors",
]
