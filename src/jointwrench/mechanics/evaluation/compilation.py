"""From a `Program` to an evaluator: C in a shared library, PyDy's C, or numpy code."""

import logging
import time
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

from sympy import Expr

from ...checks.arguments import check_choice
from ...checks.messages import warn
from ...checks.paused_gc import garbage_collection_paused
from ..adapters.private_sympy import enable_function_pickling
from ..arithmetic.program import Program
from ..codegen.text.generator import library_text
from ..codegen.text.statements import Layout
from ..codegen.toolchain.compiler import NoCompilerWarning, find_compiler, no_compiler
from .backends.codes import make_code
from .backends.numpy_backend import numpy_recipe
from .batch import check_threads
from .compiled_outputs import Interface
from .evaluator import Evaluator
from .result import ResultSource, check_counts

#: The names of the backends; "auto" is "c" if there is a compiler.
BACKENDS = ("auto", "c", "numpy", "pydy")


_log = logging.getLogger("jointwrench")


E = TypeVar("E", bound=Evaluator)


def compile_program(
    program: Program,
    *,
    joints: Sequence[Any] = (),
    loads: Sequence[Expr] = (),
    model_joints: Any = None,
    backend: str = "auto",
    threads: int = 1,
    fixed_constants: Mapping[Expr, Any] | None = None,
    evaluator: type[E] = Evaluator,  # type: ignore[assignment]
    **options: Any,
) -> E:
    """Return the evaluator of a program, whose groups of inputs become its arguments.

    ``joints`` and ``loads`` are in the order of their outputs; ``model_joints`` are needed for
    powers and for other points and frames.  The backend ``"auto"`` is ``"c"``, or ``"numpy"`` with
    a warning if there is no C compiler or it fails.  ``fixed_constants`` must not be specified
    again in a call.
    """
    enable_function_pickling()
    threads = check_threads(threads)
    check_counts({output.name: output.shape for output in program.outputs}, joints, loads)
    with garbage_collection_paused():
        layout = Layout(program)
        name = _choose(backend)
        if name == "c":
            recipe: tuple[Any, ...] = "c", _c_text(program)
        elif name == "pydy":
            from .backends.pydy_backend import pydy_recipe

            recipe = pydy_recipe(layout)
        else:
            recipe = numpy_recipe(layout)
    fallback = partial(_fallback, layout) if backend == "auto" and name == "c" else None
    return evaluator(
        Interface.of(program),
        make_code(recipe, fallback),
        subject=ResultSource(tuple(joints), tuple(loads), model_joints),
        threads=threads,
        fixed_constants=fixed_constants,
        fallback=fallback,
        **options,
    )


def _choose(backend: str) -> str:
    """Return the name of the backend to use; warn if "auto" finds no compiler."""
    check_choice("backend", backend, BACKENDS)
    if backend != "auto":
        return backend
    if find_compiler() is not None:
        return "c"
    why, fix = no_compiler()
    warn(
        f"{why}, so that numpy evaluates instead, more slowly. {fix}, or use backend='numpy' to "
        "silence this warning.",
        NoCompilerWarning,
    )
    return "numpy"


def _c_text(program: Program) -> str:
    """Return the C text of a program, and log its length."""
    began = time.perf_counter()
    text = library_text(program)
    operations, seconds = len(program.operations), time.perf_counter() - began
    _log.info("wrote %d operations as C in %.2f s", operations, seconds)
    return text


def _fallback(layout: Layout) -> tuple[Any, ...] | None:
    """Return the recipe of numpy code for the same program, None if numpy cannot evaluate it."""
    try:
        return numpy_recipe(layout)
    except ValueError:
        return None
