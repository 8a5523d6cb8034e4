"""Measured forces as coefficients times parameters, plus the forces of known loads."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from sympy import Expr

from .. import InverseDynamics
from ..checks.arguments import check_mapping, enumerate_some, symbol_name
from ..extend import ACTUATOR_KINDS, leaves
from ..records.wrench_components import COMPONENTS
from .extra_terms import NO_TERMS, ExtraTerms
from .sample import Sample

#: The number of inertial parameters of a body: mass, first moments, moments of inertia.
TEN = 10


@dataclass(frozen=True)
class ForceModel:
    """The forces of some speeds and the wrenches of some joints, linear in the parameters.

    Attributes
    ==========

    idyn : InverseDynamics
        The model.
    speeds, joints : tuple of int
        The indices of the speeds and joints whose forces are measured; loop joints come last.
    actuators : bool
        Whether friction and rotor inertia of each speed are parameters.
    extra : ExtraTerms
        The user's additional terms.
    """

    idyn: InverseDynamics
    speeds: tuple[int, ...]
    joints: tuple[int, ...] = ()
    actuators: bool = False
    extra: ExtraTerms = NO_TERMS

    def __post_init__(self) -> None:
        if not (self.speeds or self.joints):
            raise ValueError(
                "`idyn` must have speeds where generalized forces are measured, got a model "
                "that cannot move. Use the wrenches of joints: base_parameters(..., joints="
                "[joint]), identify(..., forces={joint: wrenches})."
            )

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the parameters."""
        names = [parameter.name for parameter in self.idyn.inertial_parameters]
        if self.actuators:
            speeds = [symbol_name(u) for u in self.idyn.speeds]
            names += [f"{kind} {speed}" for speed in speeds for kind in ACTUATOR_KINDS]
        if twice := [name for name in self.extra.names if name in names]:
            raise ValueError(
                f"`extra` must have coefficients with new names, got {twice[0]}, which is already "
                "a parameter. Rename it, or leave `actuators` out."
            )
        return (*names, *self.extra.names)

    @cached_property
    def is_known(self) -> np.ndarray:
        """A boolean mask of parameters that are zero by definition, shape (parameters,)."""
        known = np.zeros(len(self.names), dtype=bool)
        inertial = self.idyn.inertial_parameters
        known[: len(inertial)] = [parameter.is_known for parameter in inertial]
        return known

    @cached_property
    def is_free(self) -> np.ndarray:
        """A boolean mask of extra terms' coefficients, which may have any sign, (parameters,)."""
        return np.arange(len(self.names)) >= len(self.names) - len(self.extra.names)

    @cached_property
    def is_real(self) -> np.ndarray:
        """A boolean mask of bodies that are not auxiliary, such as rotors, shape (bodies,)."""
        return np.array([not mass.is_ideal for mass in self.idyn.inertial_parameters[::TEN]], bool)

    @cached_property
    def channels(self) -> tuple[str, ...]:
        """The names of the forces."""
        joints = self.idyn.model.tree.all_joints
        speeds = [str(self.idyn.speeds[k]) for k in self.speeds]
        return (*speeds, *(f"{c} {joints[k].name}" for k in self.joints for c in COMPONENTS))

    @property
    def outputs(self) -> list[Any]:
        """The names of the outputs that contain the coefficients."""
        outputs = ["regressor"] * bool(self.speeds)
        outputs += ["actuator_regressor"] * (bool(self.speeds) and self.actuators)
        return outputs + ["joint_wrench_regressor"] * bool(self.joints)

    @property
    def known_outputs(self) -> list[Any]:
        """The names of the outputs that contain the forces of known loads."""
        return ["known_loads"] * bool(self.speeds) + ["known_wrenches"] * bool(self.joints)

    @cached_property
    def inputs(self) -> frozenset[Expr]:
        """The symbols on which the coefficients depend."""
        used = frozenset(self.idyn.program(self.outputs).used_inputs)
        return used | leaves(self.extra.factors.values()) | set(self.extra.inputs)

    def _evaluate(self, outputs: list[Any], sample: Sample) -> Any:
        """Return the outputs along a sample, without inputs that only extra terms use."""
        evaluate = self.idyn.model.cached_evaluator((*outputs,), "numpy")  # few evaluations
        given = check_mapping("specifieds", sample.specifieds).items()
        own = {symbol: value for symbol, value in given if symbol not in self.extra.inputs}
        return evaluate(*sample.states, sample.numbers, own, sample.times)

    def coefficients(self, sample: Sample) -> np.ndarray:
        """Return the coefficients of the parameters along a sample, (N, channels, parameters)."""
        found = self._evaluate(self.outputs, sample)
        count = len(self.idyn.inertial_parameters)
        width, parts = len(self.names), []
        if self.speeds:
            blocks = [found.regressor]
            if self.actuators:
                blocks.append(found.actuator_regressor)
            if self.extra.symbols:
                more = self.extra.coefficients(self.idyn, sample)
                blocks.append(more.reshape(*found.regressor.shape[:-1], -1))
            part = np.concatenate(blocks, axis=-1)
            parts.append(part.reshape(-1, *part.shape[-2:])[:, self.speeds])
        if self.joints:
            part = found.joint_wrench_regressor
            part = part.reshape(-1, *part.shape[-3:])[:, self.joints]
            rows = np.zeros((len(part), 6 * len(self.joints), width))
            rows[..., :count] = part.reshape(len(part), -1, count)
            parts.append(rows)
        return np.concatenate(parts, axis=1)

    def known_forces(self, sample: Sample) -> np.ndarray:
        """Return the forces of known loads along a sample, shape (N, channels)."""
        found = self._evaluate(self.known_outputs, sample)
        parts = []
        if self.speeds:
            forces = found.known_loads
            forces = forces.reshape(-1, forces.shape[-1])
            if self.extra.known:
                forces = forces + self.extra.forces(self.idyn, sample)
            parts.append(forces[:, self.speeds])
        if self.joints:
            wrenches = found.known_wrenches
            wrenches = wrenches.reshape(-1, *wrenches.shape[-2:])[:, self.joints]
            parts.append(wrenches.reshape(len(wrenches), -1))
        return np.concatenate(parts, axis=1)

    def check_known_loads(self) -> None:
        """Refuse known loads that depend on unknown parameters."""
        masses = self.idyn.inertial_parameters[::TEN]
        symbols = set[Expr]().union(*(mass.value.free_symbols for mass in masses)) - self.inputs
        if found := symbols.intersection(self.idyn.program(self.known_outputs).used_inputs):
            raise ValueError(
                "`idyn` must have known loads that do not depend on the masses, got loads with "
                f"{enumerate_some(sorted(map(str, found)))}: not every body with mass has the "
                "same gravity. Use system.apply_uniform_gravity(...)."
            )
