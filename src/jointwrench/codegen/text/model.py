"""The whole C text of a model: the function of a program, behind a uniform one."""

from ...arithmetic.program import Program
from .generator import ProgramCGenerator
from .layout import CONSTANTS, GROUPS
from .schedule import LONGEST_STRETCH

_UNIFORM = """
#if defined(_WIN32)
#define EXPORTED __declspec(dllexport)
#elif defined(__GNUC__)
#define EXPORTED __attribute__((visibility("default")))
#else
#define EXPORTED
#endif

EXPORTED int evaluate_arrays(ptrdiff_t samples, const double *const *inputs,
                             const ptrdiff_t *strides, double *const *outputs);

int evaluate_arrays(ptrdiff_t samples, const double *const *inputs,
                    const ptrdiff_t *strides, double *const *outputs)
{{
    return evaluate({arguments});
}}
"""


def model_source(program: Program, longest: int = LONGEST_STRETCH) -> str:
    """Return C text that exports ``evaluate_arrays``, the same function type for all models."""
    header, source = ProgramCGenerator(program, longest=longest).doprint(prefix="model")
    arguments = ["samples"]
    for group in range(len(GROUPS)):
        arguments.append(f"inputs[{group}]")
        if group != CONSTANTS:
            arguments.append(f"strides[{group}]")
    arguments += [f"outputs[{k}]" for k in range(len(program.outputs))]
    uniform = _UNIFORM.format(arguments=", ".join(arguments))
    return source.replace('#include "model.h"', header) + uniform
