"""Code that does the work, made from texts, so that it can go to other processes."""

import warnings
from collections.abc import Callable, Mapping
from typing import Any

from ..build.errors import CompilationError, NoCompilerWarning
from ..build.modules import load_module
from ..text.layout import Kernel
from .numpy_backend import NumpyCode


class CompiledCode:
    """A C module.

    Parameters
    ==========

    sources : mapping of str to str
        The texts of its files, by file name.
    name : str
        Its name.

    Attributes
    ==========

    kernel : callable
        Evaluates a batch.
    plain : callable
        Evaluates plain arrays without any detour.
    """

    backend = "c"

    def __init__(self, sources: Mapping[str, str], name: str) -> None:
        self._sources = dict(sources)
        self._name = name
        module = load_module(sources, name)
        self.kernel: Kernel = module.evaluate_batch
        self.plain: Callable[..., Any] = module.evaluate_plain

    @property
    def recipe(self) -> tuple[Any, ...]:
        """What `make_code` makes this from."""
        return "c", self._sources, self._name

    @property
    def source(self) -> str:
        """The C code, without what makes a Python module of it."""
        return self._sources[f"{self._name}_c.c"]


def make_code(recipe: tuple[Any, ...], spare: tuple[Any, ...] | None = None) -> Any:
    """Return the code of a recipe, or of a spare one where the first cannot be compiled."""
    backend, *arguments = recipe
    if backend == "numpy":
        return NumpyCode(*arguments)
    try:
        return CompiledCode(*arguments)
    except CompilationError:
        if spare is None:
            raise
        warnings.warn(
            "An Evaluator that was compiled elsewhere cannot be compiled here, so that numpy does "
            "the work, more slowly. Install a C compiler, or use backend='numpy' to silence this "
            "warning.",
            NoCompilerWarning,
            stacklevel=2,
        )
        return make_code(spare)
