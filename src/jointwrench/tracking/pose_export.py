"""A solver of poses as C files: a model's kernel, the solver, and tables of its targets."""

import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..mechanics.arithmetic.program import Program
from ..mechanics.codegen.text.export import c_texts, replace_files
from ..mechanics.codegen.text.kernel import Target
from .squares_solver import room, solver_text

#: The head of the function, which the header has too.
HEAD = "int {stem}_poses(const double *targets, double *q, double *workspace)"

#: What the C file has behind the kernel and the solver.
SOURCE = """
static int evaluate_model(ptrdiff_t samples, const double *const *inputs, const ptrdiff_t *strides,
                          double *const *outputs)
{{
    double workspace[{guard}_KERNEL_WORKSPACE];
    (void) samples;
    (void) strides;
    {stem}_kernel(inputs[0], inputs[1], outputs[0], outputs[1], workspace);
    return 0;
}}

{head}
{{
{tables}
    static const ptrdiff_t strides[2];
    const double *inputs[2] = {{q, constants}};
    struct squares s = {{
        .evaluate = evaluate_model, .inputs = inputs, .strides = strides, .n = {n},
        .places = {places}, .rows = {rows}, .steps = {steps}, .lower = lower, .upper = upper,
        .moves = moves, .floor = {floor!r}, .settled = {settled!r}, .longest = {longest!r},
        .exact = {exact!r}, .closed = {closed!r}
    }};
    double *const seen = workspace, *const own = seen + {places}, *const start = own + {places};
    double cost, *const room = take(&s, start + {n});
    memset(seen, 0, 2*{places}*sizeof(double));
    for (int k = 0; k < {count}; k++)
        if (targets[k] == targets[k]) {{
            seen[(int) place[k]] = targets[k];
            own[(int) place[k]] = weights[k];
        }}
    for (int i = 0; i < {n}; i++)
        start[i] = moves[i] != 0 ? q[i] : aims[i];
    s.seen = seen;
    return fit_one(&s, own, aims, change, pulls, start, start, 1, q, &cost, room);
}}
"""

HEADER = """\
#ifndef {guard}_H
#define {guard}_H

/*
Finds coordinates at which points and frames are where they shall be: in at most {steps} steps to
reach them, and as many along all poses that do. All numbers are of the type double.

targets : {count} values, in the axes of ground; what is NaN is left open
{targets}
q : {n} values, the coordinates from which to start, and those that are found
{coordinates}
workspace : {guard}_WORKSPACE values to work in, the caller's own

Returns 0 if the targets are not reached, 1 if they are, 2 if besides what is only wished for
is at its least. Nothing is allocated and nothing is kept: calls with workspaces of their own may
run at once.
*/

#define {guard}_WORKSPACE {size}

#ifdef __cplusplus
extern "C" {{
#endif

{head};

#ifdef __cplusplus
}}
#endif

#endif
"""


def write_poses(
    program: Program,
    path: Path,
    tables: Mapping[str, Sequence[float]],
    names: Mapping[str, Sequence[str]],
    facts: Mapping[str, Any],
) -> tuple[Path, Path]:
    """Write a .c and a .h file with the function ``stem_poses``, complete or not at all.

    ``tables`` has the indices of targets, their weights, bounds, aims, and constants; ``names``
    those of ``targets`` and ``coordinates``; ``facts`` the options of a fit.
    """
    stem, n, count = path.stem, len(tables["moves"]), len(tables["place"])
    size = room(n, facts["rows"]) + 2 * facts["places"] + n
    known = {"stem": stem, "guard": stem.upper(), "n": n, "count": count, "size": size, **facts}
    known["head"] = HEAD.format(stem=stem)
    known |= {
        name: "\n".join(f"    [{k}] {x}" for k, x in enumerate(own)) for name, own in names.items()
    }
    texts = (f"{name}[] = {{{', '.join(map(_number, own))}}};" for name, own in tables.items())
    wrap = textwrap.TextWrapper(98, initial_indent="    ", subsequent_indent="        ")
    lines = [wrap.fill(f"static const double {x}") for x in texts]
    kernel = "".join(c_texts(program, Target(f"{stem}_kernel", lanes=1)))
    source = f'#include "{stem}.h"\n\n{kernel}{solver_text()}'
    source += SOURCE.format(tables="\n".join(lines), **known)
    header = path.with_suffix(".h")
    replace_files({path: source, header: HEADER.format(**known)})
    return path, header


def _number(value: float) -> str:
    return f"{float(value)!r}".replace("inf", "INFINITY")
