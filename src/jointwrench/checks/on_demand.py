"""Functions of modules that are imported when they are first called."""

from importlib import import_module
from typing import Any, NamedTuple


class OnDemand(NamedTuple):
    """A function by its module and name, for tables of what not every use needs."""

    module: str
    name: str

    def __call__(self, *args: Any, **options: Any) -> Any:
        return getattr(import_module(self.module), self.name)(*args, **options)
