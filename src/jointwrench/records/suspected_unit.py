"""Markers in another unit of length than the model."""

#: Markers that are so many times as far from each other as the model's are in another unit.
WIDER = 5.0

#: Units of length in metres that are mistaken for each other.
UNITS = {"millimetres": 0.001, "centimetres": 0.01, "inches": 0.0254, "feet": 0.3048}


def check_unit(argument: str, ratio: float) -> None:
    """Refuse markers that are so many times as far from each other as those of the model."""
    if 1 / WIDER < ratio < WIDER:
        return
    near = [name for name, unit in UNITS.items() if 0.5 < ratio * unit < 2]
    suspected = f": {near[0]} are suspected" if near else ""
    raise ValueError(
        f"`{argument}` must be in the model's unit of length, but they are {ratio:.3g} times as "
        f"far from each other as those of the model{suspected}. Use markers.in_metres(), or "
        "multiply the places."
    )
