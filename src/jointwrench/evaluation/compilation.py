"""From a `Program` to a function of arrays: compiled C, or numpy.

The C code is made by PyDy's generators and is one shared library.
"""

import logging
import time
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

from sympy import Expr

from ..arithmetic.program import Program
from ..checks.arguments import check_choice
from ..checks.numbers import check_integer
from ..checks.problems import warn
from ..codegen.text.export import check_c_path, check_casadi_path, write_c, write_casadi
from ..codegen.text.kernel import LIBRARY, ONE_SAMPLE, Target
from ..codegen.text.pairs import paired
from ..codegen.text.statements import Layout
from ..codegen.toolchain.cache import clear_cache
from ..codegen.toolchain.compiler import CompilationError, NoCompilerWarning, find_compiler
from ..dynamics.joint_motion import ModelJoints
from .backends.codes import make_code
from .backends.numpy_backend import numpy_recipe
from .compiled_outputs import Interface
from .evaluator import Evaluator
from .forward_evaluator import ForwardEvaluator
from .hessian_evaluator import HessianEvaluator
from .result import check_counts
from .values import check_fixed_constants

__all__ = [
    "BACKENDS",
    "CompilationError",
    "Evaluator",
    "ForwardEvaluator",
    "HessianEvaluator",
    "NoCompilerWarning",
    "check_c_path",
    "check_casadi_path",
    "check_fixed_constants",
    "clear_cache",
    "compile_program",
    "write_c",
    "write_casadi",
]

#: What can do the numeric work; "auto" is "c" wherever there is a compiler.
BACKENDS = ("auto", "c", "numpy")

_log = logging.getLogger("jointwrench")


E = TypeVar("E", bound=Evaluator)


def compile_program(
    program: Program,
    *,
    joints: Sequence[Any] = (),
    loads: Sequence[Expr] = (),
    model_joints: ModelJoints | None = None,
    backend: str = "auto",
    threads: int = 1,
    fixed_constants: Mapping[Expr, Any] | None = None,
    evaluator: type[E] = Evaluator,  # type: ignore[assignment]
    **options: Any,
) -> E:
    """Compile a program, whose groups of inputs are the arguments of the evaluator.

    ``joints`` are in the order of the output ``joint_wrenches``, ``loads`` in that of
    ``solved_loads``; ``model_joints`` are for powers, other points and frames.  The backend
    ``"auto"`` is ``"c"``, or ``"numpy"`` with a warning if there is no C compiler, or it fails.
    Giving ``fixed_constants`` again in a call is an error.  ``options`` are the evaluator's own.
    """
    threads = check_integer("threads", threads)
    check_counts({output.name: output.shape for output in program.outputs}, joints, loads)
    evaluator.check_groups(program.groups)
    layout = Layout(program)
    name = _choose(backend)
    recipe = _c_recipe(program) if name == "c" else numpy_recipe(layout)
    spare = partial(_spare, layout) if backend == "auto" and name == "c" else None
    return evaluator(
        Interface.of(program),
        make_code(recipe, spare),
        joints=tuple(joints),
        loads=tuple(loads),
        model_joints=model_joints,
        threads=threads,
        fixed_constants=fixed_constants,
        spare=spare,
        **options,
    )


def _choose(backend: str) -> str:
    check_choice("backend", backend, BACKENDS)
    if backend != "auto":
        return backend
    if find_compiler() is not None:
        return "c"
    warn(
        "No C compiler was found, so that numpy does the work, more slowly. Install one (for "
        "instance gcc or clang), or use backend='numpy' to silence this warning.",
        NoCompilerWarning,
    )
    return "numpy"


def _c_recipe(program: Program) -> tuple[Any, ...]:
    return "c", _c_text(program, LIBRARY), partial(_text_for_one_sample, program)


def _c_text(program: Program, target: Target) -> str:
    from ..codegen.text.generator import ProgramCGenerator  # imports pydy

    began = time.perf_counter()
    text = ProgramCGenerator(program, target).library()
    operations, seconds = len(program.operations), time.perf_counter() - began
    _log.info("wrote %d operations as C in %.2f s", operations, seconds)
    return text


def _text_for_one_sample(program: Program) -> str | None:
    """Return the text of a kernel for one sample, None if it is that for batches with one lane."""
    pairs = paired(program)
    return None if pairs is None else _c_text(pairs, ONE_SAMPLE)


def _spare(layout: Layout) -> tuple[Any, ...] | None:
    """Return the recipe of numpy code for the same program, if there can be any."""
    try:
        return numpy_recipe(layout)
    except ValueError:
        return None
