"""Executable code made from texts, which can be sent to other processes."""

import logging
from typing import Any

from ....checks.locks import Lock
from ....checks.messages import warn
from ...codegen.toolchain.compiler import CompilationError, NoCompilerWarning
from ...codegen.toolchain.library import load_library
from ...codegen.toolchain.tuning import ONE_LANE, proven_tuning
from .function import CtypesFunction, Function, NativeFunction, Signature, warn_of_missing_extension
from .numpy_code import NumpyCode

_log = logging.getLogger("jointwrench")


class CompiledCode:
    """C in two shared libraries, for batches and for one sample, compiled when needed."""

    backend = "c"

    def __init__(self, source: str) -> None:
        self.source = source
        self._addresses: dict[tuple[str, ...], int] = {}
        self._compiling = Lock()
        if proven_tuning() is None:
            self._address()  # raises the compiler's error

    @property
    def recipe(self) -> tuple[Any, ...]:
        return self.backend, self.source

    @property
    def single_source(self) -> str:
        return f"#define LANES 1\n{self.source}"

    @property
    def address(self) -> int:
        """The address of the kernel for batches."""
        return self._address()

    @property
    def single_address(self) -> int:
        """The address of the kernel for one sample; if it fails, of the kernel for batches."""
        try:
            return self._address(*ONE_LANE)
        except CompilationError as error:
            _log.info("single samples are evaluated as batches are: %s", error)
            return self._addresses.setdefault(ONE_LANE, self.address)

    def _address(self, *flags: str) -> int:
        """Return a kernel that was compiled with more flags."""
        with self._compiling:
            if flags not in self._addresses:
                self._addresses[flags] = load_library(self.source, flags)
            return self._addresses[flags]

    def function(self, signature: Signature) -> Function:
        """Return the callable function for a signature."""
        warn_of_missing_extension()
        try:
            return NativeFunction(self, signature)
        except OverflowError:  # there are more groups, outputs or axes than it has room for
            return CtypesFunction(self, signature)


class PydyCode(CompiledCode):
    """A shared library with PyDy's function of one sample, which batches call in a loop."""

    backend = "pydy"

    @property
    def single_source(self) -> str:
        return self.source

    @property
    def single_address(self) -> int:
        return self.address


#: Executable code of a program; `make_code` makes it from its ``recipe``, also in other processes.
Code = CompiledCode | NumpyCode


def make_code(recipe: tuple[Any, ...], fallback: Any = None) -> Code:
    """Return the code of a recipe, or of the fallback recipe (or its function) if that fails."""
    backend, *arguments = recipe
    if backend == "numpy":
        return NumpyCode(*arguments)
    try:
        return (PydyCode if backend == "pydy" else CompiledCode)(*arguments)
    except CompilationError as error:
        return fallback_code(fallback, error)


def fallback_code(fallback: Any, error: CompilationError) -> Code:
    """Return the code of the fallback recipe with a warning; raise the error without a fallback."""
    recipe = fallback() if callable(fallback) else fallback
    if recipe is None:
        raise error
    warn(
        f"numpy evaluates instead, more slowly, since the C code could not be compiled. {error}",
        NoCompilerWarning,
    )
    return make_code(recipe)
