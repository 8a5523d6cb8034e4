"""The C function that evaluates a program for many samples.

The samples are taken in blocks.  The inputs of a block are gathered into rows of
one input each, all operations are done on rows, and the results are scattered
into the outputs, past the caches if they are larger than those.  What depends on
constants alone is computed before, once per call.  A block that the samples do
not fill is filled up with the last one, so that every sample goes through the
same instructions wherever it stands.
"""

from collections.abc import Iterable, Sequence
from math import prod

from ...arithmetic.graph import Call, Input, references
from ...arithmetic.program import Output
from .layout import InputPlace, Layout
from .schedule import Kind, Schedule, Step
from .sines import SINES
from .statements import Statements
from .templates import ADAPTER, BUFFER, FUNCTION, ON_HEAP, ON_STACK, PREPARATION
from .transfer import TRANSFER

#: The number of samples that are computed together: one register of AVX-512.
LANES = 8

#: Blocks of up to this many rows stand on the stack (64 bytes each).
ROWS_ON_STACK = 1024

#: From this many numbers on, outputs go to memory past the caches.
FAR = 2**20


class KernelWriter:
    """Writes the parts of the C function."""

    def __init__(self, layout: Layout, statements: Statements, schedule: Schedule) -> None:
        self._layout = layout
        self._statements = statements
        self._schedule = schedule
        self._operations = layout.program.operations
        self._inputs = schedule.inputs
        self._constants = schedule.constants
        self._first_output = schedule.row_count
        self._unused_row = schedule.row_count + len(schedule.entries)
        self._buffer = self._unused_row + self._has_sines
        widths = (prod(output.shape) for output in layout.program.outputs)
        self._row_count = self._buffer + max(widths, default=0)

    def blocks(self, function: str) -> dict[str, str]:
        """Return what fills the templates, but for the helpers that the printer has called."""
        arguments = _arguments(self._layout)
        functions, calls = self._functions()
        return {
            "function": function,
            "guard": f"{function.upper()}_H",
            "lanes": str(LANES),
            "transfer": TRANSFER,
            "sines": SINES if self._has_sines else "",
            "input_docstring": _describe(self._layout),
            "arguments": ",\n    ".join(kind + name for kind, name in arguments),
            "functions": functions,
            "calls": calls,
            **self._constant_blocks(),
            **self._workspace(),
            "unused": _unused([*(name for _, name in arguments), "gather", "scatter"]),
            "gather": _lines(self._gather(), 8),
            "scatter": _lines(self._scatter(), 8),
        }

    def adapter(self, function: str) -> str:
        """Return the text of ``evaluate_arrays``, which calls the function."""
        names = [name.replace("_", "s[") + "]" for _, name in _arguments(self._layout)[1:]]
        return ADAPTER.format(
            function=function,
            unused=_unused(["inputs", "strides", "outputs"]),
            arguments=",\n        ".join(["samples", *names]),
        )

    @property
    def _has_sines(self) -> bool:
        return any(step.kind is Kind.SINES for step in self._schedule.steps)

    def _constant_blocks(self) -> dict[str, str]:
        inputs = [f"input_{k}" for k in self._layout.per_call]
        parameters = "".join(f"const double *{name}, " for name in inputs)
        pieces = [
            PREPARATION.format(
                name=f"prepare_{number}",
                parameters=parameters,
                unused=_unused(inputs),
                loads=_lines(self._constant_loads(number, piece)),
                operations=self._definitions(piece, 4),
                stores=_lines(self._constant_stores(number, piece)),
            )
            for number, piece in enumerate(self._schedule.preparation)
        ]
        arguments = ", ".join([*inputs, "constant"])
        return {
            "constant_count": str(max(1, len(self._constants))),
            "preparation": "".join(pieces),
            "prepare": _lines(f"prepare_{number}({arguments});" for number in range(len(pieces))),
        }

    def _constant_loads(self, number: int, piece: Sequence[int]) -> list[str]:
        """Return the inputs that a piece of the preparation needs, and what others have made."""
        read = {a for ref in piece for a in references(self._operations[ref])} - set(piece)
        if number == 0:
            read |= {ref for ref in self._constants if self._is_input(ref)}
        return [
            f"const double {self._statements.name(ref)} = {source};"
            for ref in sorted(read)
            if (source := self._constant_source(ref))
        ]

    def _constant_source(self, ref: int) -> str | None:
        if not self._is_input(ref):
            return f"constant[{self._constants[ref]}]" if ref in self._constants else None
        place = self._statements.place(ref)
        return f"input_{place.group}[{place.index}]"

    def _constant_stores(self, number: int, piece: Sequence[int]) -> list[str]:
        made = set(piece)
        return [
            f"constant[{k}] = {self._statements.name(ref)};"
            for ref, k in self._constants.items()
            if ref in made or (number == 0 and self._is_input(ref))
        ]

    def _is_input(self, ref: int) -> bool:
        return isinstance(self._operations[ref], Input)

    def _definitions(self, refs: Iterable[int], indent: int) -> str:
        name, text = self._statements.name, self._statements.text
        return _lines((f"const double {name(ref)} = {text(ref)};" for ref in refs), indent)

    def _workspace(self) -> dict[str, str]:
        on_stack = self._row_count <= ROWS_ON_STACK
        template = ON_STACK if on_stack else ON_HEAP
        numbers = max(1, sum(prod(output.shape) for output in self._layout.program.outputs))
        return {
            "workspace": template.format(rows=max(1, self._row_count))
            + BUFFER.format(samples=FAR // numbers, row=self._buffer),
            "release": "" if on_stack else "    free(memory);\n",
        }

    # -- the steps ------------------------------------------------------------

    def _functions(self) -> tuple[str, str]:
        """Return the functions that do the steps, and the calls of them."""
        functions, calls = [], []
        for number, step in enumerate(self._schedule.steps):
            if step.kind is Kind.SINES:
                calls.append(self._sines(step))
                continue
            name = f"step_{number}"
            functions.append(self._function(name, number, step))
            calls.append(f"{name}(constant, block);")
        return "".join(functions), _lines(calls, 8)

    def _sines(self, step: Step) -> str:
        """Return the call for the sine and cosine of an angle; one of them may be for nothing."""
        (angle,) = references(self._operations[step.refs[0]])
        rows = {
            call.function.__name__: f"block[{self._schedule.rows[ref]}]"
            for ref in step.refs
            if isinstance(call := self._operations[ref], Call)
        }
        unused = f"block[{self._unused_row}]"
        sine, cosine = rows.get("sin", unused), rows.get("cos", unused)
        return f"sines_and_cosines(block[{self._schedule.rows[angle]}], {sine}, {cosine});"

    def _function(self, name: str, number: int, step: Step) -> str:
        made = set(step.refs)
        entries = [
            (place, ref)
            for place, (ref, writer) in enumerate(self._schedule.entries)
            if writer == number
        ]
        needed = {a for ref in step.refs for a in references(self._operations[ref])}
        needed |= {abs(ref) for _, ref in entries if ref}
        read = sorted(needed - made)
        arithmetic = step.kind is Kind.ARITHMETIC
        return FUNCTION.format(
            title="Sums and products." if arithmetic else "Other functions.",
            name=name,
            pragma="ALL_LANES" if arithmetic else "/* one lane after the other */",
            constants=_lines(self._constant_reads(read)),
            loads=_lines(self._loads(read), 8),
            operations=self._definitions(step.refs, 8),
            stores=_lines([*self._stores(step), *self._entries(entries)], 8),
        )

    def _constant_reads(self, refs: Iterable[int]) -> list[str]:
        return [
            f"const double {self._statements.name(ref)} = constant[{self._constants[ref]}];"
            for ref in refs
            if ref in self._constants
        ]

    def _loads(self, refs: Iterable[int]) -> list[str]:
        rows, inputs = self._schedule.rows, self._inputs
        lines = []
        for ref in refs:
            if ref not in rows:
                continue
            line = f"const double {self._statements.name(ref)} = block[{rows[ref]}][lane];"
            if rows[ref] < len(inputs) and inputs[rows[ref]] == ref:
                line += f"  /* {self._layout.comment(self._statements.place(ref))} */"
            lines.append(line)
        return lines

    def _stores(self, step: Step) -> list[str]:
        rows = self._schedule.rows
        return [
            f"block[{rows[ref]}][lane] = {self._statements.name(ref)};"
            for ref in step.refs
            if ref in rows
        ]

    def _entries(self, entries: Sequence[tuple[int, int]]) -> list[str]:
        comments = [c for output in self._layout.program.outputs for c in _comments(output)]
        return [
            f"block[{self._first_output + place}][lane] = {self._statements.signed(ref)};"
            f"  /* {comments[place]} */"
            for place, ref in entries
        ]

    # -- inputs and outputs -----------------------------------------------------

    def _gather(self) -> list[str]:
        lines, row = [], 0
        for group, index, count in _stretches([self._statements.place(r) for r in self._inputs]):
            source = f"input_{group} + first*stride_{group} + {index}"
            lines.append(f"gather({source}, stride_{group}, {count}, count, block + {row});")
            row += count
        return lines

    def _scatter(self) -> list[str]:
        lines, first = [], self._first_output
        for number, output in enumerate(self._layout.program.outputs):
            size = prod(output.shape)
            target = f"output_{number} + first*{size}"
            if size:
                lines.append(f"scatter(block + {first}, {size}, count, {target}, buffer);")
            first += size
        return lines


def _stretches(places: Iterable[InputPlace]) -> list[tuple[int, int, int]]:
    """Return places that follow each other as group, first index and length."""
    stretches: list[tuple[int, int, int]] = []
    for place in places:
        if stretches:
            group, index, count = stretches[-1]
            if (group, index + count) == (place.group, place.index):
                stretches[-1] = (group, index, count + 1)
                continue
        stretches.append((place.group, place.index, 1))
    return stretches


def _arguments(layout: Layout) -> list[tuple[str, str]]:
    """Return the types and names of the C function's arguments."""
    arguments = [("ptrdiff_t ", "samples")]
    for group in range(len(layout.groups)):
        arguments.append(("const double *", f"input_{group}"))
        if group not in layout.per_call:
            arguments.append(("ptrdiff_t ", f"stride_{group}"))
    outputs = range(len(layout.program.outputs))
    return [*arguments, *(("double *", f"output_{number}") for number in outputs)]


def _comments(output: Output) -> Sequence[str]:
    return output.labels or [f"entry {k}" for k in range(len(output.refs))]


def _describe(layout: Layout) -> str:
    lines = ["samples : number of samples"]
    for number, group in enumerate(layout.groups):
        width = len(group.symbols)
        lines.append(f"input_{number} : {group.title}, {width} values per {group.per}")
    for number, output in enumerate(layout.program.outputs):
        shape = " x ".join(map(str, output.shape))
        title = f"{output.title}, " if output.title else ""
        lines.append(f"output_{number} : {title}{shape} values per sample, in row-major order")
    return _lines(lines, 0)


def _unused(names: Iterable[str]) -> str:
    return _lines(f"(void) {name};" for name in names)


def _lines(lines: Iterable[str], indent: int = 4) -> str:
    return "\n".join(" " * indent + line for line in lines)
