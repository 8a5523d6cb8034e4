"""The package's own tables of names and numbers: .csv files beside the modules that use them."""

from csv import DictReader
from pathlib import Path


def read_data_rows(module: str, table: str) -> list[dict[str, str]]:
    """Return the rows of a table by the names of its columns; ``module`` is a ``__file__``."""
    with open(Path(module).with_name(table), encoding="ascii", newline="") as file:
        return list(DictReader(file))
