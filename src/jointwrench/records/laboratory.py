"""Conventions of a laboratory: units of lengths, forces and moments, axes, and channels."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..checks.arguments import check_choice, check_instance, check_known
from ..checks.numbers import real_array
from ..checks.tolerances import THREE_DIGITS

LENGTHS = {"m": 1.0, "cm": 0.01, "mm": 0.001, "in": 0.0254, "ft": 0.3048}

FORCES = {"n": 1.0, "nt": 1.0, "kn": 1000.0, "lbf": 4.4482216152605}

#: Moments: a force times a length.
MOMENTS = {f + x: FORCES[f] * LENGTHS[x] for f in FORCES for x in LENGTHS}

QUANTITIES = {"length": LENGTHS, "force": FORCES, "moment": MOMENTS}

#: Words for units, in the singular, with their symbols.
WORDS = {"meter": "m", "metre": "m", "millimeter": "mm", "millimetre": "mm", "inch": "in"}
WORDS |= {"newton": "n", "newtonmeter": "nm", "newtonmetre": "nm", "newtonmillimeter": "nmm"}

#: The suffixes for sides after the name of a joint or a body.
LEFT, RIGHT = ("_left", "_l"), ("_right", "_r")

#: Characters between the factors of a unit, to be deleted.
MARKS = str.maketrans("", "", " .*-_·")


def unit_factor(quantity: str, unit: str) -> float | None:
    """Return the factor to SI of a unit such as "mm", "N" or "N-mm"; None if it is unknown."""
    text = unit.strip().translate(MARKS).lower()
    return QUANTITIES[quantity].get(WORDS.get(text.removesuffix("s"), text))


def check_units(argument: str, units: Any) -> dict[str, str]:
    """Return the user's units as a dict from quantity to unit."""
    fix = "Use for instance {'length': 'mm', 'moment': 'N mm'}."
    expected = "a mapping of quantities to units"
    stated = check_instance(argument, {} if units is None else units, Mapping, expected, fix)
    for quantity, unit in stated.items():
        check_choice(argument, quantity, QUANTITIES)
        check_instance(f"{argument}[{quantity!r}]", unit, str, "the name of a unit", fix)
        if unit_factor(quantity, unit) is None:
            known = ", ".join(QUANTITIES[quantity])
            raise ValueError(
                f"`{argument}[{quantity!r}]` must be a unit among {known}, got {unit!r}."
            )
    return dict(stated)


#: Texts of units at axes and in tables.
SI_UNITS = {"time": "s", "length": "m", "speed": "m/s", "force": "N", "moment": "N m"}


def check_axis_units(
    units: Mapping[str, str] | None, usual: Mapping[str, str] = SI_UNITS
) -> dict[str, str]:
    """Return the usual units of axis labels, with the user's ``units`` in their place."""
    stated, expected = {} if units is None else units, "a mapping of quantities to their units"
    check_instance("units", stated, Mapping, expected)
    check_known("units", stated, sorted(usual), "have keys among")
    for unit in stated.values():
        check_instance("units", unit, str, expected)
    return {**usual, **stated}


#: Rows of a rotation matrix that select an axis with its sign, by name: "-y" is (0, -1, 0).
SIGNS = {"": 1, "+": 1, "-": -1}
UNITS = {s + x: f * np.eye(3)[k] for k, x in enumerate("xyz") for s, f in SIGNS.items()}

EXPECTED = "three different axes such as 'y z x', with signs, or a rotation matrix"


def rotation_of(axes: Any) -> np.ndarray:
    """Return the matrix (3, 3) that converts components to new axes.

    ``axes`` names the old axes that become x, y and z, "y z x", or is the matrix.
    """
    if isinstance(axes, str):
        rows = [UNITS[word] for word in axes.split() if word in UNITS]
        matrix = np.reshape(rows, (-1, 3))
    else:
        matrix = real_array("axes", axes).astype(float)
    if matrix.shape != (3, 3) or np.abs(matrix @ matrix.T - np.eye(3)).max() > THREE_DIGITS:
        raise ValueError(f"`axes` must be {EXPECTED}, got {axes!r}.")
    if np.linalg.det(matrix) < 0:
        raise ValueError(
            f"`axes` must be right-handed as before, got {axes!r}, a mirror image. Use another "
            "sign for one of them."
        )
    return matrix


#: Ratio of marker distances to the model's distances beyond which the unit is wrong.
WIDER = 5.0

#: Units of length, in metres, that users mistake for metres.
MISTAKEN = {"millimetres": 0.001, "centimetres": 0.01, "inches": 0.0254, "feet": 0.3048}


def check_unit(argument: str, ratio: float) -> None:
    """Raise an error unless ``ratio``, measured over model distances, fits the unit of length."""
    if 1 / WIDER < ratio < WIDER:
        return
    near = [name for name, unit in MISTAKEN.items() if 0.5 < ratio * unit < 2]
    suspected = f": {near[0]} are suspected" if near else ""
    raise ValueError(
        f"`{argument}` must be in the model's unit of length, but they are {ratio:.3g} times as "
        f"far from each other as those of the model{suspected}. Use markers.in_metres(), or "
        "multiply the positions."
    )
