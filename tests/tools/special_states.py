"""States of random trees: generic ones, and ones where something vanishes or coincides."""

import numpy as np
from numeric_tree import quaternion_of
from sympy.physics.mechanics import dynamicsymbols

COORDINATES = (0.0, 0.0, np.pi / 2, -np.pi / 2, np.pi, 1e-12, -1e-12)
QUATERNIONS = ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 0.5**0.5, 0.5**0.5), (-1, 0, 0, 0))
STYLES = ("generic", "zero", "special", "mixed", "equal")


def special_states(tree, seed):
    """Return numbers for all symbols of a tree, one dict for each of the styles."""
    return [_state(tree, np.random.default_rng([seed, k]), s) for k, s in enumerate(STYLES)]


def _state(tree, numbers, style):
    system, time = tree.system, dynamicsymbols._t
    values = dict(tree.values)
    values.update(zip(system.q, _coordinates(numbers, len(system.q), style), strict=True))
    for joint in system.joints:
        if turned := quaternion_of(joint):
            values.update(zip(turned, _quaternion(numbers, style), strict=True))
    for group in (system.u, [u.diff(time) for u in system.u]):
        values.update(zip(group, _rates(numbers, len(group), style), strict=True))
    for function in tree.driving:
        motion = [function.diff(time, order) for order in range(3)]
        values.update(zip(motion, numbers.uniform(-1, 1, 3), strict=True))
    values[time] = numbers.uniform(0, 3)
    return values


def _coordinates(numbers, count, style):
    generic = numbers.uniform(-1.2, 1.2, count)
    special = numbers.choice(COORDINATES, count)
    return {
        "generic": generic,
        "zero": np.zeros(count),
        "special": special,
        "mixed": np.where(numbers.random(count) < 0.5, special, generic),
        "equal": np.full(count, numbers.uniform(-1.2, 1.2)),
    }[style]


def _quaternion(numbers, style):
    if style == "zero":
        return QUATERNIONS[0]
    if style == "special" or (style == "mixed" and numbers.random() < 0.5):
        return QUATERNIONS[numbers.integers(len(QUATERNIONS))]
    quaternion = np.ones(4) if style == "equal" else numbers.normal(size=4)
    return quaternion / np.linalg.norm(quaternion)


def _rates(numbers, count, style):
    """Return speeds or accelerations."""
    rates = numbers.uniform(-1, 1, count)
    if style in ("generic", "equal"):
        return rates
    zeros = np.full(count, style == "zero") | (numbers.random(count) < 0.4)
    return np.where(zeros, 0.0, rates)
