"""Code that does the work, made from texts, so that it can go to other processes."""

import warnings
from typing import Any

from ...codegen.toolchain.compiler import CompilationError, NoCompilerWarning
from ...codegen.toolchain.library import load_library
from .function import CtypesFunction, Function
from .numpy_backend import NumpyCode


class CompiledCode:
    """A shared library of C code; ``address`` is that of its function."""

    backend = "c"

    def __init__(self, source: str) -> None:
        self.source = source
        self.recipe = "c", source  # what `make_code` makes this from
        self.address = load_library(source)

    def function(self, *interface: Any) -> Any:
        """Return the `Function`, whose arguments behind the address are given."""
        try:
            return Function(self.address, *interface)
        except OverflowError:  # there are more groups, outputs or axes than it has room for
            return CtypesFunction(self.address, *interface)


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
