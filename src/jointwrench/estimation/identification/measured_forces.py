"""What was measured: generalized forces, or the wrenches of some joints, with gaps as NaN."""

from collections.abc import Mapping
from math import prod
from typing import Any

import numpy as np
from sympy import Expr

from ...checks.arguments import check_known, find_named, is_called, symbol_name
from ...checks.numbers import real_array
from ...methods.inverse_dynamics import InverseDynamics
from .extra_terms import ExtraTerms
from .linear_model import ForceModel


def measured_forces(
    idyn: InverseDynamics, forces: Any, batch: tuple[int, ...], actuators: bool, extra: ExtraTerms
) -> tuple[ForceModel, np.ndarray]:
    """Return which forces were measured, and their values of shape (N, channels).

    Given are generalized forces (..., n), or arrays by speeds and joints; ``batch`` are the leading
    axes of the motion.
    """
    width = len(idyn.speeds)
    if not isinstance(forces, Mapping):
        values = _checked("forces", forces, (*batch, width))
        model = ForceModel(idyn, tuple(range(width)), (), actuators, extra=extra)
        return model, values.reshape(-1, width)
    if not forces:
        raise ValueError("`forces` must hold something, got an empty mapping.")
    speeds: dict[int, np.ndarray] = {}
    joints: dict[int, np.ndarray] = {}
    for key, value in forces.items():
        all_joints = idyn.model.tree.all_joints
        if (speed := _speed(idyn, key)) is not None:
            own, number, name, shape = speeds, speed, str(idyn.speeds[speed]), batch
        else:
            own, number = joints, find_named("forces", key, all_joints, also=_names(idyn))
            name, shape = all_joints[number].name, (*batch, 6)
        if number in own:
            raise ValueError(f"`forces` must have each joint and speed once, got {name} twice.")
        values = _checked(f"forces[{name}]", value, shape)
        own[number] = values.reshape(-1, prod(shape[len(batch) :]))
    numbers = tuple(sorted(speeds)), tuple(sorted(joints))
    model = ForceModel(idyn, *numbers, actuators, extra=extra)
    parts = [*(speeds[k] for k in model.speeds), *(joints[k] for k in model.joints)]
    return model, np.concatenate(parts, axis=1)


def _speed(idyn: InverseDynamics, key: Any) -> int | None:
    """Return the number of a speed, given itself or by its name; None for what may be a joint."""
    if isinstance(key, Expr):
        check_known("forces", [key], idyn.speeds, "be of joints and speeds among")
    elif key in [joint.name for joint in idyn.model.tree.all_joints]:
        return None
    return next((k for k, speed in enumerate(idyn.speeds) if is_called(speed, key)), None)


def _names(idyn: InverseDynamics) -> list[str]:
    return [symbol_name(speed) for speed in idyn.speeds]


def _checked(argument: str, value: Any, shape: tuple[int, ...]) -> np.ndarray:
    array = real_array(argument, value)
    if array.shape != shape:
        raise ValueError(
            f"`{argument}` must have shape {shape}, with the samples of the motion, got shape "
            f"{array.shape}."
        )
    if np.isinf(array).any():
        raise ValueError(f"`{argument}` must be finite, or NaN where nothing was measured.")
    return array
