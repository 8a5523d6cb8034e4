"""What the header of a C file says: what goes in and comes out, by name; what the caller owns."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from .printers import Precision
from .statements import Layout

#: Names of what outputs are of, by what that is, such as joints.
Legend = Mapping[str, Sequence[object]]

# What the function's body calls otherwise.
_TAKEN = ("samples", "first", "count", "block", "constant", "workspace")


def input_names(layout: Layout) -> list[str]:
    """Return the names of the groups of inputs as arguments: their own, where C has them."""
    return _names("input", [group.name for group in layout.groups], [])


def output_names(layout: Layout) -> list[str]:
    outputs = [output.name for output in layout.program.outputs]
    return _names("output", outputs, input_names(layout))


def _names(kind: str, own: Sequence[str], taken: Sequence[str]) -> list[str]:
    free = (_is_free(name, [*taken, *own[:k]]) for k, name in enumerate(own))
    return [x if ok else f"{kind}_{k}" for k, (x, ok) in enumerate(zip(own, free, strict=True))]


def _is_free(name: str, others: Sequence[str]) -> bool:
    is_identifier = re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name, re.ASCII) is not None
    is_ours = re.match("(input|output|stride)_", name) is not None
    return is_identifier and not is_ours and name not in (*_TAKEN, *others)


def description(
    layout: Layout, precision: Precision, lanes: int | None, workspace: str, legend: Legend
) -> str:
    """Return the comment on the function: its arguments, entry by entry."""
    what = "one sample" if lanes == 1 else "a batch of samples"
    per_sample = "" if lanes == 1 else " per sample"
    lines = [f"Evaluates {what}. All numbers are of the type {precision.real}.", ""]
    if lanes != 1:
        lines += [
            "An array holds one row per sample, one behind the other; a row holds the values of",
            "one group of inputs in their order, or all entries of one output.",
            "",
            "samples : number of samples",
        ]
    for name, group in zip(input_names(layout), layout.groups, strict=True):
        per = " per call" if lanes != 1 and group.per == "call" else per_sample
        lines.append(f"{name} : {group.title}, {len(group.symbols)} values{per}")
        lines += _listed(group.symbols)
    for name, output in zip(output_names(layout), layout.program.outputs, strict=True):
        shape, title = " x ".join(map(str, output.shape)), output.title and f"{output.title}, "
        lines.append(f"{name} : {title}{shape} values{per_sample}, in row-major order")
        lines += _listed(output.labels)
    for what, names in legend.items():
        lines += [f"{what}, in their order:", *_listed(names)] if names else []
    lines.append(f"workspace : {workspace} numbers to work in, the caller's own")
    if lanes != 1:
        lines += [
            "stride_... : distance from row to row in an input, in numbers: the width of a row if",
            "    there is one for each sample, or 0 for the same row in every sample",
        ]
    lines += [
        "",
        "A group of inputs without values may be given as a null pointer. Nothing is allocated and",
        "nothing is kept: calls with workspaces of their own may run at once. No array of outputs",
        "may overlap another array. Each call goes through the same operations; only the sines of",
        "angles beyond 1.6e6 take longer.",
    ]
    if lanes != 1:
        lines.append("A sample with a NaN or an infinite input changes no other one.")
    return "\n".join(lines)


def _listed(names: Iterable[object]) -> Iterator[str]:
    return (f"    [{k}] {plain(name)}" for k, name in enumerate(names))


def plain(name: object) -> str:
    """Return a name as text that can neither end a comment nor continue a line."""
    text = str(name).encode("ascii", "namereplace").decode()
    return re.sub(r"[^A-Za-z0-9_ ()\[\]{},.+-]", "_", text)
