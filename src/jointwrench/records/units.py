"""Units of lengths, forces and moments: by how much to multiply for m, N and N m."""

from collections.abc import Mapping
from typing import Any

from ..checks.arguments import check_choice, check_instance

LENGTHS = {"m": 1.0, "cm": 0.01, "mm": 0.001, "in": 0.0254, "ft": 0.3048}

FORCES = {"n": 1.0, "nt": 1.0, "kn": 1000.0, "lbf": 4.4482216152605}

#: Moments: a force times a length.
MOMENTS = {f + x: FORCES[f] * LENGTHS[x] for f in FORCES for x in LENGTHS}

QUANTITIES = {"length": LENGTHS, "force": FORCES, "moment": MOMENTS}

#: Words for units of length, without their plural.
WORDS = {"meter": "m", "metre": "m", "millimeter": "mm", "millimetre": "mm", "inch": "in"}
WORDS |= {"newton": "n", "newtonmeter": "nm", "newtonmetre": "nm", "newtonmillimeter": "nmm"}

#: What stands between the factors of a unit.
MARKS = str.maketrans("", "", " .*-_·")


def unit_factor(quantity: str, unit: str) -> float | None:
    """Return the factor to SI of a unit such as "mm", "N" or "N-mm"; None if it is not known."""
    text = unit.strip().translate(MARKS).lower()
    return QUANTITIES[quantity].get(WORDS.get(text.removesuffix("s"), text))


def check_units(argument: str, units: Any) -> dict[str, str]:
    """Return the units that a caller states, by quantity."""
    stated = {} if units is None else units
    fix = "Use for instance {'length': 'mm', 'moment': 'N mm'}."
    check_instance(argument, stated, Mapping, "a mapping of quantities to units", fix)
    for quantity, unit in stated.items():
        check_choice(argument, quantity, QUANTITIES)
        check_instance(f"{argument}[{quantity!r}]", unit, str, "the name of a unit", fix)
        if unit_factor(quantity, unit) is None:
            known = ", ".join(QUANTITIES[quantity])
            raise ValueError(
                f"`{argument}[{quantity!r}]` must be a unit among {known}, got {unit!r}."
            )
    return dict(stated)
