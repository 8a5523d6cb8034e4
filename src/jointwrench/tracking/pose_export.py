"""A solver of poses as C files: a model's kernel, the solver, and tables of its targets."""

import re
import textwrap
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ..mechanics.codegen.text.export import c_texts, replace_files
from ..mechanics.codegen.text.kernel import Target
from ..mechanics.codegen.text.printers import PRECISIONS
from .levenberg_marquardt import Targets
from .pose_search import PoseSearch
from .squares_solver import solver_text, workspace_size

#: The declaration of the function, in the C file and in the header.
HEAD = "int {stem}_poses(const double *targets, double *q, double *workspace)"

#: The end of the C file, after the kernel and the solver.
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
    static const ptrdiff_t sizes[] = {{{n}, {places}, {rows}, 1, 1, 0, {steps}, 0, 1}};
    double *const seen = workspace, *const own = seen + {places}, *const start = own + {places};
    double *const out = start + {n};
    ptrdiff_t found;
    memset(seen, 0, 2*{places}*sizeof(double));
    for (int k = 0; k < {count}; k++)
        if (targets[k] == targets[k]) {{
            seen[(int) place[k]] = targets[k];
            own[(int) place[k]] = weights[k];
        }}
    for (int i = 0; i < {n}; i++)
        start[i] = moves[i] != 0 ? q[i] : aims[i];
    fit(evaluate_model, sizes, numbers, seen, own, aims, start, start, out, &found);
    memcpy(q, out, {n}*sizeof(double));
    return (int) found;
}}
"""

HEADER = """\
#ifndef {guard}_H
#define {guard}_H

/*
Finds coordinates at which points and frames reach their targets: in at most {steps} steps to
reach them, and as many steps along the poses that reach them. All numbers are of the type double.

targets : {count} values, in the axes of ground; NaN leaves a component free
{targets}
q : {n} values: on entry the initial guess of the coordinates, on return the solution
{coordinates}
workspace : {guard}_WORKSPACE values of scratch memory, owned by the caller

Returns 0 if the targets are not reached, 1 if they are, 2 if also the preferred posture and the
weighted targets are at their minimum. The function allocates no memory and stores no state: calls
with different workspaces may run in parallel.
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


#: Tolerances in the C file, and the numbers in its text that are not integers.
TOLERANCE = re.compile(r"(CANCELLED|SINGULAR|CURVATURE_KNOWN) = ([\de.-]+)")
REAL = re.compile(r"(?<![\w.])(\d+\.\d*(?:e-?\d+)?|\d+e-?\d+)(?![\w.])")

#: The indices of tolerances among the parameters of ``fit``: all but the longest step.
TOLERANCES = [0, 1, 3, 4]


def write_poses(
    search: PoseSearch, targets: Targets, path: Path, steps: int, precision: str
) -> tuple[Path, Path]:
    """Write a .c and a .h file with the function ``stem_poses``, both or neither; return the paths.

    ``targets`` is one sample with all components known.
    """
    tracked, stem, rows = search.tracked, path.stem, list("123")
    count, names = len(tracked.points), [f"{x}, {axis}" for x in tracked.points for axis in "xyz"]
    names += [f"{x}, row {i}, column {k}" for x in tracked.frames for i in rows for k in rows]
    # targets have the matrices of frames row by row, positions their columns
    turned = tracked.point_rows[count:].reshape(-1, 3, 3).swapaxes(1, 2)
    place = np.append(tracked.point_rows[:count], turned)
    q_targets = np.where(search.free, targets.q_targets, search.reference)[0]
    tables = {
        **{"place": place, "weights": targets.weights[0, place], "aims": q_targets},
        **{"moves": search.free, "numbers": search.parameters(targets)},
    }
    if precision == "float":
        tables["numbers"][TOLERANCES] **= 0.5
    texts = (f"{name}[] = {{{', '.join(map(_number, own))}}};" for name, own in tables.items())
    wrap = textwrap.TextWrapper(98, initial_indent="    ", subsequent_indent="        ")
    n = len(search.free)
    kernel = Target(f"{stem}_kernel", lanes=1, precision=PRECISIONS[precision])
    known = {
        **{"stem": stem, "guard": stem.upper(), "head": HEAD.format(stem=stem), "steps": steps},
        **{"n": n, "count": len(place), "places": tracked.position_size, "rows": tracked.row_count},
        "size": workspace_size(n, tracked.row_count) + 2 * (tracked.position_size + n) + 1,
        "tables": "\n".join(wrap.fill(f"static const double {x}") for x in texts),
        "targets": _listed(names),
        "coordinates": _listed(tracked.coordinates.names),
    }
    first = f'#include "{stem}.h"\n\n{"".join(c_texts(tracked.program(), kernel))}'
    parts = [solver_text() + SOURCE.format(**known), HEADER.format(**known)]
    if precision == "float":
        parts = [*map(_in_float, parts)]
    header = path.with_suffix(".h")
    replace_files({path: first + parts[0], header: parts[1]})
    return path, header


def _in_float(text: str) -> str:
    """Return C text with numbers of single precision, and tolerances with half of the digits."""
    text = re.sub(r"\bdouble\b", "float", text).replace("<math.h>", "<tgmath.h>")
    text = TOLERANCE.sub(lambda x: f"{x[1]} = {float(x[2]) ** 0.5!r}", text)
    return REAL.sub(r"\1f", text)


def _listed(names: Sequence[str]) -> str:
    return "\n".join(f"    [{k}] {name}" for k, name in enumerate(names))


def _number(value: float) -> str:
    return f"{float(value)!r}".replace("inf", "INFINITY")
