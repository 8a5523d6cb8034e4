"""The comment at the head of a C file: inputs and outputs by name, and the workspace."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sympy.printing.cxx import reserved

from .printers import Precision
from .statements import Layout

#: The beginning of an output's label: the kind of object and its number.
_NUMBERED = re.compile(r"([a-z ]+) (\d+)\b")

#: The units of components of wrenches, by a word of their labels.
_UNITS = {"force": "N", "moment": "N m"}


@dataclass(frozen=True)
class Legend:
    """Names for the entries of outputs, and units of inputs.

    Attributes
    ==========

    names : mapping of str to sequence
        The names of numbered objects by their kind, in the plural.
    units : mapping of symbol to str
        The units of coordinates and speeds.
    """

    names: Mapping[str, Sequence[object]] = field(default_factory=dict)
    units: Mapping[object, str] = field(default_factory=dict)

    def lines(self, symbols: Sequence[object], is_rate: bool) -> list[str]:
        """Return inputs with their units; with ``is_rate`` they are time derivatives of speeds."""
        return [_with_unit(str(x), self._unit(x, is_rate)) for x in symbols]

    def _unit(self, symbol: Any, is_rate: bool) -> str:
        """Return the unit of an input, an empty text if it is unknown."""
        if is_rate:
            return f"{unit}2" if (unit := self.units.get(symbol.args[0], "")) else ""
        return self.units.get(symbol, "")

    def labels(self, labels: Sequence[str], speeds: Sequence[object]) -> list[str]:
        """Return the labels of an output with names and units."""
        known = {f"{kind[:-1]} ": names for kind, names in self.names.items()}
        return [self._label(label, known, speeds) for label in labels]

    def _label(
        self, label: str, known: Mapping[str, Sequence[object]], speeds: Sequence[object]
    ) -> str:
        """Return the label of an entry with the name of its object and its unit."""
        found = _NUMBERED.match(label)
        if found is None:
            return label
        kind, number, rest = found[1], int(found[2]), label[found.end() :]
        if kind == "generalized force" and number < len(speeds):
            speed = speeds[number]
            unit = {"rad/s": "N m", "m/s": "N"}.get(self.units.get(speed, ""), "")
            return _with_unit(f"{label} of {str(speed).removesuffix('(t)')}", unit)
        names = [*known.get(f"{kind} ", ())]
        word = rest.split()[1] if len(rest.split()) > 1 else ""
        unit = _UNITS.get(word, "") if self.units and kind == "joint" else ""
        own = f"{kind} {number} {names[number]}{rest}" if number < len(names) else label
        return _with_unit(own, unit)


def _with_unit(text: str, unit: str) -> str:
    return f"{text} ({unit})" if unit else text


# Names that the C text uses, as words and as patterns, and reserved words of C and C++.
_TAKEN = {
    *("samples", "first", "count", "block", "constant", "workspace", "real", "row", "buffer"),
    "is_soon",
    *("gather", "gather_each", "scatter", "scatter_each", "scatter_far", "all_sines", "restrict"),
    *reserved["C++17"],
}
_OURS = re.compile(r"(input|output|stride)_.*|[a-z]+_?\d+|[A-Z0-9_]+")


def input_names(layout: Layout) -> list[str]:
    """Return the names of the groups of inputs as C arguments: their own names if C allows them."""
    return _names("input", [group.name for group in layout.groups], [])


def output_names(layout: Layout) -> list[str]:
    """Return the names of the outputs as C arguments: their own names if C allows them."""
    outputs = [output.name for output in layout.program.outputs]
    return _names("output", outputs, input_names(layout))


def _names(kind: str, own: Sequence[str], taken: Sequence[str]) -> list[str]:
    """Return the names as distinct C identifiers; unfit ones become ``output_3`` and the like."""
    free = (_is_free(name, [*taken, *own[:k]]) for k, name in enumerate(own))
    return [x if ok else f"{kind}_{k}" for k, (x, ok) in enumerate(zip(own, free, strict=True))]


def _is_free(name: str, others: Sequence[str]) -> bool:
    """Return whether a name is a C identifier that neither the text nor an argument uses."""
    is_identifier = re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name, re.ASCII) is not None
    is_ours = _OURS.fullmatch(name) is not None
    return is_identifier and not is_ours and name not in {*_TAKEN, *others}


def description(
    layout: Layout, precision: Precision, lanes: int | None, workspace: str, legend: Legend
) -> str:
    """Return the comment on the function: its arguments, entry by entry."""
    what = "one sample" if lanes == 1 else "a batch of samples"
    per_sample = "" if lanes == 1 else " per sample"
    lines = [f"Evaluates {what}. All numbers are of the type {precision.real}.", ""]
    if legend.units:
        lines += ["Units are those of SI; any others that are as consistent do as well.", ""]
    speeds = next((group.symbols for group in layout.groups if group.name == "u"), ())
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
        lines += _number_lines(legend.lines(group.symbols, group.name == "udot"))
    for name, output in zip(output_names(layout), layout.program.outputs, strict=True):
        shape, title = " x ".join(map(str, output.shape)), output.title and f"{output.title}, "
        lines.append(f"{name} : {title}{shape} values{per_sample}, in row-major order")
        lines += _number_lines(legend.labels(output.labels, speeds))
    for what, names in legend.names.items():
        lines += [f"{what}, in their order:", *_number_lines(names)] if names else []
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


def _number_lines(names: Iterable[object]) -> Iterator[str]:
    """Return numbered lines for names."""
    return (f"    [{k}] {plain(name)}" for k, name in enumerate(names))


def plain(name: object) -> str:
    """Return a name as text that can neither end a comment nor continue a line."""
    text = str(name).encode("ascii", "namereplace").decode()
    return re.sub(r"[^A-Za-z0-9_ ()\[\]{},.+/-]", "_", text)
