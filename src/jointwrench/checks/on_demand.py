"""Functions of modules that are imported when they are first called."""

from dataclasses import dataclass
from importlib import import_module
from typing import Any


@dataclass(frozen=True)
class OnDemand:
    """A function by its module within the package and its name, for what not every use needs."""

    module: str
    name: str

    def __call__(self, *args: Any, **options: Any) -> Any:
        package = __name__.partition(".")[0]
        return getattr(import_module(f"{package}.{self.module}"), self.name)(*args, **options)
