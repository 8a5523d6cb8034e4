"""The names of outputs for type checkers; a test compares them with the existing outputs."""

from collections.abc import Iterable
from typing import Literal, TypeAlias, TypeVar

from ..dynamics.outputs.declared_output import DeclaredOutput

N = TypeVar("N", bound=str)

#: The argument ``outputs`` of a method: names of outputs, or the user's own outputs.
RequestedOutputs: TypeAlias = N | DeclaredOutput | Iterable[N | DeclaredOutput]

#: Outputs of models with friction; inverse dynamics also has the power of motors.
_Residual: TypeAlias = Literal["friction_gain", "friction_residual", "friction_couplings"]
FrictionOutput: TypeAlias = Literal["friction", _Residual, "sliding_speeds", "normal_forces"]

_Force: TypeAlias = Literal["generalized_forces", "solved_loads", "unsupplied", "motor_power"]
_Section: TypeAlias = Literal["section_wrenches", "contributions"]
_Regressor: TypeAlias = Literal["regressor", "actuator_regressor", "joint_wrench_regressor"]
_Known: TypeAlias = Literal["known_loads", "known_wrenches"]
_Dynamics: TypeAlias = Literal["mass_matrix", "bias", "kinetic_energies", "body_powers"]

#: Outputs of inverse and forward dynamics.
_Wrench: TypeAlias = Literal["joint_wrenches", "constraint_wrenches"]
_Loop: TypeAlias = Literal["multipliers", "conditioning", "constraint_errors"]
_Reaction: TypeAlias = Literal[_Wrench, _Loop, FrictionOutput]

InverseOutput: TypeAlias = Literal[_Reaction, _Force, _Section, _Regressor, _Known, _Dynamics]
ForwardOutput: TypeAlias = Literal["udot", "qdot", "energy", "inverse_mass_matrix", _Reaction]

_OfPoints: TypeAlias = Literal["positions", "velocities", "accelerations", "bias_accelerations"]
_OfFrames: TypeAlias = Literal["orientations", "angular_velocities", "angular_accelerations"]
_Partial: TypeAlias = Literal["jacobians", "angular_jacobians", "angular_bias_accelerations"]
_OfCenter: TypeAlias = Literal["center_of_mass_velocity", "center_of_mass_acceleration"]
_OfModel: TypeAlias = Literal["center_of_mass", _OfCenter, "momentum", "energy"]

KinematicOutput: TypeAlias = Literal[_OfPoints, _OfFrames, _Partial, _OfModel, "constraint_errors"]
