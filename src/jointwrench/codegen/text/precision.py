"""The types of numbers that C code computes with."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Precision:
    """A type of C: its name, its size in bytes, an integer of that size, and what marks numbers."""

    real: str
    bytes: int
    integer: str
    suffix: str


#: By name, as users call them.
PRECISIONS = {
    "double": Precision("double", 8, "long long", ""),
    "float": Precision("float", 4, "int", "f"),
}
