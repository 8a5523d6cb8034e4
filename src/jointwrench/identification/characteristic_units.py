"""Characteristic units of a model's parameters and measured forces.

The model's characteristic length makes masses, first moments and moments of inertia, forces and
moments comparable.  Identifiability and condition numbers therefore do not depend on units.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from sympy import Expr

from .. import InverseDynamics
from ..extend import DoubleStates, Scalar, squared_length
from ..records.wrench_components import COMPONENTS
from .linear_model import TEN, ForceModel
from .sample import Sample

#: The power of length of each parameter of a body: zero for a mass.
LENGTHS = [0, 1, 1, 1, 2, 2, 2, 2, 2, 2]


@dataclass(frozen=True)
class CharacteristicUnits:
    """Units of length in which the coefficients of all parameters are comparable.

    Attributes
    ==========

    parameters, forces : numpy.ndarray, shapes (parameters,) and (channels,)
        The units: powers of the characteristic length.
    powers, kinds : numpy.ndarray, shape (parameters,)
        The exponents of length, and the kinds: 0 for forces proportional to accelerations, 1 to
        speeds, 2 to signs of speeds; each extra term has a kind and unit of its own.
    """

    parameters: np.ndarray
    forces: np.ndarray
    powers: np.ndarray
    kinds: np.ndarray

    @classmethod
    def of(cls, model: ForceModel, sample: Sample) -> "CharacteristicUnits":
        """Return the units of a model for the constants and the reach of a sample."""
        idyn = model.idyn
        reach = np.abs(sample.states.q[..., ~idyn.model.tree.is_turning]).max(initial=0.0)
        length = model_length(idyn, sample.numbers, float(reach))
        turning = idyn.model.derivation.scalars.turning_speeds
        turns = np.array([speed in turning for speed in idyn.speeds], dtype=int)
        powers = np.tile(LENGTHS, len(idyn.inertial_parameters) // TEN)
        kinds = np.zeros_like(powers)
        if model.actuators:
            motors = np.outer(turns, [2, 1, 2]).ravel()
            powers = np.concatenate([powers, motors])
            kinds = np.concatenate([kinds, np.tile([1, 2, 0], len(turns))])
        own = np.arange(len(model.extra.names))
        powers = np.concatenate([powers, -np.ones_like(own)])
        kinds = np.concatenate([kinds, 3 + own])
        parameters = np.where(model.is_free, 1, length ** powers.astype(float))
        wrench = np.repeat([0, 1], len(COMPONENTS) // 2)
        forces = [*turns[list(model.speeds)], *np.tile(wrench, len(model.joints))]
        return cls(parameters, length ** np.array(forces, dtype=int), powers, kinds)

    def scale(self, coefficients: np.ndarray) -> np.ndarray:
        """Return coefficients, shape (N, channels, parameters), converted to these units."""
        return coefficients * self.parameters / self.forces[:, None]


def model_length(idyn: InverseDynamics, numbers: Mapping[Expr, float], reach: float = 1.0) -> float:
    """Return the model's characteristic length; if it is zero, ``reach``, and if that is, 1."""
    return _root(idyn, numbers, [squared_length(idyn.model.derivation.scalars)]) or reach or 1.0


def model_time(idyn: InverseDynamics, numbers: Mapping[Expr, float]) -> float:
    """Return the time sqrt(length / gravity) of a model; one without gravity."""
    derivation = idyn.model.derivation
    weight = derivation.scalars.express(derivation.loads.gravity_parts, None).components
    gravity = _root(idyn, numbers, [x * x for x in weight])
    return float(np.sqrt(model_length(idyn, numbers) / gravity)) if gravity else 1.0


def _root(idyn: InverseDynamics, numbers: Mapping[Expr, float], squares: list[Scalar]) -> float:
    """Return the root of a sum of squares for values of constants; zero if that is not finite."""
    known = {**dict.fromkeys(idyn.constants, 0.0), **numbers}
    given = {symbol: np.array([value], complex) for symbol, value in known.items()}
    samples = DoubleStates(idyn.model.derivation.graph, given).samples(squares)
    square = sum(float(sample.value[0].real) for sample in samples)
    return float(np.sqrt(square)) if 0 < square < np.inf else 0.0
