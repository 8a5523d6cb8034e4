"""Executable code made from texts, so that it can be sent to other processes."""

import logging
from threading import Lock
from typing import Any

from ....checks.problems import warn
from ...codegen.toolchain.compiler import CompilationError, NoCompilerWarning
from ...codegen.toolchain.library import load_library
from ...codegen.toolchain.tuning import ONE_LANE
from .function import CtypesFunction, Function, NativeFunction, Signature, tell_of_missing_extension
from .numpy_code import NumpyCode

_log = logging.getLogger("jointwrench")


class CompiledCode:
    """A shared library of C, compiled once more with one lane for one sample."""

    backend = "c"

    def __init__(self, source: str) -> None:
        self.source = source
        self.address = load_library(source)
        self._single_address: int | None = None
        self._compiling = Lock()

    @property
    def recipe(self) -> tuple[Any, ...]:
        return self.backend, self.source

    @property
    def single_source(self) -> str:
        if self._single_address == self.address:  # it could not be compiled
            return self.source
        return f"#define LANES 1\n{self.source}"

    def single_address(self) -> int:
        """Return the kernel of one sample, compiled on demand, or else that for batches."""
        with self._compiling:
            if self._single_address is None:
                try:
                    self._single_address = load_library(self.source, ONE_LANE)
                except CompilationError as error:
                    _log.info("single samples are evaluated as batches are: %s", error)
                    self._single_address = self.address
            return self._single_address

    def function(self, signature: Signature) -> Function:
        tell_of_missing_extension()
        try:
            return NativeFunction(self, signature)
        except OverflowError:  # there are more groups, outputs or axes than it has room for
            return CtypesFunction(self, signature)


class PydyCode(CompiledCode):
    """A shared library with PyDy's function of one sample, which is that for batches, too."""

    backend = "pydy"

    @property
    def single_source(self) -> str:
        return self.source

    def single_address(self) -> int:
        return self.address


#: A program as code, which `make_code` makes again from its ``recipe``, in other processes, too.
Code = CompiledCode | NumpyCode


def make_code(recipe: tuple[Any, ...], spare: Any = None) -> Code:
    """Return the code of a recipe, or of a spare one (or its function) if that fails."""
    backend, *arguments = recipe
    if backend == "numpy":
        return NumpyCode(*arguments)
    try:
        return (PydyCode if backend == "pydy" else CompiledCode)(*arguments)
    except CompilationError as error:
        other = spare() if callable(spare) else spare
        if other is None:
            raise
        warn(
            "numpy evaluates instead, more slowly, since the C code could not be compiled. "
            f"{error}",
            NoCompilerWarning,
        )
        return make_code(other)
