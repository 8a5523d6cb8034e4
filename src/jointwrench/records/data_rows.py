"""The package's own tables of names and numbers: .csv files in the folders of their modules."""

from csv import DictReader
from pathlib import Path


def read_data_rows(module: str, table: str) -> list[dict[str, str]]:
    """Return a table's rows as dicts by column name; ``module`` is the caller's ``__file__``."""
    with open(Path(module).with_name(table), encoding="ascii", newline="") as file:
        return list(DictReader(file))
