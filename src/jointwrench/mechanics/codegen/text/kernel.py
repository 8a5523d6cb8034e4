"""The C function that evaluates a program for many samples.

The inputs of a block of samples are gathered into rows, one row per input.  All operations work on
rows, and the results are scattered into the outputs, bypassing the caches if the outputs are larger
than these.  Operations on constants are done once per call.  The last block is padded with its last
sample, so all samples go through the same instructions.
"""

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from ...arithmetic.graph import Call, Constant, Input
from ...arithmetic.output import Output
from . import templates
from .printers import PRECISIONS, Precision
from .registers import VectorStatements, vector_types
from .schedule import Kind, Schedule, Step
from .sines import sines
from .statements import InputPlace, Layout
from .transfer import FAR, transfer

#: The number of samples that are computed together: one register of AVX-512.
LANES = 8

#: Number of numbers up to which a block is on the stack (64 kB).
NUMBERS_ON_STACK = 2**13

#: Number of operations from which the steps are divided among compilation units.
LONG = 20_000

#: Number of parts into which the steps are divided, to be shared evenly by fewer units.
PARTS = 16


@dataclass(frozen=True)
class Target:
    """The purpose of the code.

    Attributes
    ==========

    function : str
        The name of the function.
    precision : Precision
        The type of numbers.
    lanes : int or None
        The number of samples that are computed together; None for a shared library, in which a
        macro selects eight or one.
    is_fixed : bool
        Whether there is a second function with the same arguments for all programs.
    """

    function: str
    precision: Precision = PRECISIONS["double"]
    lanes: int | None = None
    is_fixed: bool = False

    @property
    def is_library(self) -> bool:
        """Whether the code is a shared library of this package."""
        return self.lanes is None

    @property
    def workspace(self) -> str:
        """The name of the macro for the size of the workspace."""
        return f"{self.function.removesuffix('_evaluate').upper()}_WORKSPACE"

    @property
    def is_single(self) -> bool:
        """Whether the code computes one sample per call."""
        return self.lanes == 1


LIBRARY = Target("evaluate")


class KernelWriter:
    """Writes the C texts of a kernel."""

    def __init__(
        self,
        layout: Layout,
        statements: VectorStatements,
        schedule: Schedule,
        target: Target,
        names: tuple[Sequence[str], Sequence[str]],
    ) -> None:
        self._layout = layout
        self._outputs = layout.program.outputs
        self._statements = statements
        self._schedule = schedule
        self._target = target
        self._operations, self._needs = layout.program.operations, layout.program.needed
        self._constants = schedule.constants
        self._input_names, self._output_names = names
        #: The suffix of functions that copy samples one by one.
        self._each = "_each" if target.is_single or target.precision.bytes != 8 else ""
        self._has_sines = any(step.kind is Kind.SINES for step in schedule.steps)
        self._buffer = schedule.row_count + self._has_sines
        widths = [len(output.refs) for output in self._outputs] if target.is_library else []
        self.row_count = max(1, self._buffer + max(widths, default=0))
        self._comments: dict[int, str] = {}
        for output in self._outputs:
            for k, ref in enumerate(output.refs):
                self._comments.setdefault(ref, comment(output, k))

    def blocks(self) -> dict[str, str]:
        """Return the texts that fill the templates, except the helpers that the printer needs."""
        target, precision = self._target, self._target.precision
        arguments = self._arguments()
        (transfer, *helpers), names = self._transfer, [name for _, name in arguments]
        kinds = [step.kind for step in self._schedule.steps]
        steps = [number for number, kind in enumerate(kinds) if kind is not Kind.SINES]
        units = target.is_library and len(self._operations) > LONG
        linkage = "LINKAGE" if units else "static"
        functions = [self._function(number, linkage) for number in steps]
        tables, body = self._tables(), self._body()
        lanes = f"#define LANES {target.lanes}\n"
        numbers = self.row_count * (target.lanes or LANES)
        return {
            "function": target.function,
            "guard": f"{target.function.upper()}_H",
            "definitions": f"#define {target.workspace} {numbers}\n{self._widths()}",
            "fixed": f"\n{self._fixed_head()};\n" if target.is_fixed else "",
            "linkage": "static " if target.is_library else "",
            "includes": "\n#include <stddef.h>\n#include <stdlib.h>" if target.is_library else "",
            "real": precision.real,
            "lanes": lanes if target.lanes else templates.ANY_LANES,
            "registers": vector_types(precision, self._statements.instructions),
            "transfer": transfer,
            "sines": sines(precision) if self._has_sines else "",
            "arguments": ",\n    ".join(kind + name for kind, name in arguments),
            **_units(units, functions, map(self._head, steps)),
            **self._constant_blocks(),
            "tables": tables,
            "workspace": self._workspace() if target.is_library else "",
            "unused": _unused([*names, *helpers]),
            "once": _lines(self._once()),
            "body": body,
            "adapter": self._adapter() if target.is_library else self._fixed(),
        }

    def _arguments(self) -> list[tuple[str, str]]:
        """Return the types and names of the function's arguments."""
        real, is_single = self._target.precision.real, self._target.is_single
        arguments = [] if is_single else [("long long ", "samples")]
        for group, name in enumerate(self._input_names):
            arguments.append((f"const {real} *", name))
            if group not in self._layout.per_call and not is_single:
                arguments.append(("long long ", f"stride_{name}"))
        arguments += ((f"{real} *", name) for name in self._output_names)
        return [*arguments, (f"{real} *", "workspace")]

    @property
    def _transfer(self) -> tuple[str, ...]:
        """The text of the functions that copy samples into rows and back, and their names."""
        text = transfer(bool(self._each), self._target.is_library)
        return text, f"gather{self._each}", f"scatter{self._each}"

    def _adapter(self) -> str:
        """Return the text of ``evaluate_arrays``, which calls the function."""
        return templates.ADAPTER.format(
            function=self._target.function,
            rows=self.row_count,
            numbers_on_stack=NUMBERS_ON_STACK,
            unused=_unused(["inputs", "strides", "outputs"]),
            arguments=",\n        ".join([*self._passed(), "block[0]"]),
        )

    # -- the same arguments for whatever outputs --------------------------------

    def _widths(self) -> str:
        """Return macros for the widths of all inputs and outputs."""
        if not self._target.is_fixed:
            return ""
        stem = self._target.function.removesuffix("_evaluate").upper()
        counts = {
            "INPUT": [len(group.symbols) for group in self._layout.groups],
            "OUTPUT": [len(output.refs) for output in self._outputs],
        }
        return "".join(
            f"#define {stem}_{what}S {len(widths)}\n"
            f"#define {stem}_{what}_WIDTHS {{{', '.join(map(str, widths))}}}\n"
            for what, widths in counts.items()
        )

    def _fixed_head(self) -> str:
        """Return the head of the function whose arguments are the same for all programs."""
        real, name = self._target.precision.real, self._target.function
        arguments = [
            f"const {real} *const *inputs",
            f"{real} *const *outputs",
            f"{real} *workspace",
        ]
        if not self._target.is_single:
            arguments[:1] = ["long long samples", arguments[0], "const long long *strides"]
        listing = ",\n    ".join(arguments)
        return f"void {name.removesuffix('_evaluate')}_call(\n    {listing}\n)"

    def _fixed(self) -> str:
        """Return the text of the function whose arguments are the same for all programs."""
        if not self._target.is_fixed:
            return ""
        arguments = self._passed()[self._target.is_single :]
        listing = ",\n        ".join([*arguments, "workspace"])
        return (
            f"\n{self._fixed_head()}\n{{\n    {self._target.function}(\n        {listing});\n}}\n"
        )

    def _passed(self) -> list[str]:
        """Return the arguments of the function, taken from arrays of pointers."""
        arguments = ["samples"]
        for group in range(len(self._layout.groups)):
            is_strided = group not in self._layout.per_call and not self._target.is_single
            arguments += [f"inputs[{group}]", *[f"strides[{group}]"] * is_strided]
        return arguments + [f"outputs[{number}]" for number in range(len(self._outputs))]

    # -- once per call --------------------------------------------------------

    def _constant_blocks(self) -> dict[str, str]:
        """Return the texts of the operations that are done once per call."""
        inputs = [self._input_names[k] for k in sorted(self._layout.per_call)]
        parameters = "".join(f"const real *{name}, " for name in inputs)
        pieces = [
            templates.PREPARATION.format(
                name=f"prepare_{number}",
                parameters=parameters,
                unused=_unused(inputs),
                operations=_lines(self._constant_operations(number, piece)),
            )
            for number, piece in enumerate(self._schedule.preparation)
        ]
        arguments = ", ".join([*inputs, "constant"])
        return {
            "constant_count": str(max(1, len(self._constants))),
            "preparation": "".join(pieces),
            "prepare": _lines(f"prepare_{number}({arguments});" for number in range(len(pieces))),
        }

    def _constant_operations(self, number: int, piece: Sequence[int]) -> list[str]:
        """Return the lines of one piece of these operations; the first piece also copies inputs."""
        taken = [ref for ref in self._constants if self._is_input(ref)] if number == 0 else []
        lines, known = [], set(piece)
        for ref in [*taken, *piece]:
            needed = (ref,) if ref in taken else self._needs[ref]
            lines += self._loads(needed, known, "real")
            if ref not in taken:
                text = self._statements.text(ref)
                lines.append(f"const real {self._statements.name(ref)} = {text};")
            if ref in self._constants:
                lines.append(f"constant[{self._constants[ref]}] = {self._statements.name(ref)};")
        return lines

    def _is_input(self, ref: int) -> bool:
        return isinstance(self._operations[ref], Input)

    # -- the steps ------------------------------------------------------------

    def _function(self, number: int, linkage: str) -> str:
        """Return a step as a separate C function."""
        step = self._schedule.steps[number]
        is_sum = step.kind is Kind.ARITHMETIC
        return templates.STEP.format(
            **(templates.SUMS if is_sum else templates.CALLS),
            head=f"{linkage} {self._head(number)}",
            unused=_unused(["constant"]),
            operations=_lines(self._sums(step) if is_sum else self._other(step), 8),
        )

    def _head(self, number: int) -> str:
        """Return the head of a step's function."""
        return f"void step_{number}(const real *RESTRICT constant, row *RESTRICT block)"

    def _sums(self, step: Step) -> list[str]:
        """Return the lines of an arithmetic step: values are loaded when needed and stored when
        known.
        """
        lines, known = ["stored *const rows = (stored *) block + part;"], set[int]()
        statements = self._statements
        for ref in step.refs:
            lines += self._loads(self._needed(ref), known, "vec", "AT({})")
            known.add(ref)
            value = statements.signed(ref)
            if ref > 0:
                lines.append(f"const vec {value} = {statements.vector(ref)};")
            if (row := self._schedule.rows.get(ref)) is not None:
                lines.append(f"AT({row}) = {value};{self._label(ref)}")
        return lines

    def _other(self, step: Step) -> list[str]:
        """Return the lines of a step of other functions, lane by lane."""
        lines, known = [], set[int]()
        rows, statements = self._schedule.rows, self._statements
        for ref in step.refs:
            lines += self._loads(self._needed(ref), known, "real", "block[{}][lane]")
            text = statements.text(ref)
            lines.append(f"block[{rows[ref]}][lane] = {text};{self._label(ref)}")
        return lines

    def _needed(self, ref: int) -> Sequence[int]:
        """Return the operands of an operation, or of the negative of a value."""
        return (-ref,) if ref < 0 else self._needs[ref]

    def _loads(self, refs: Iterable[int], known: set[int], kind: str, row: str = "") -> list[str]:
        """Return lines that load values which are not ``known`` yet, from rows, constants or
        inputs.
        """
        lines = []
        for ref in dict.fromkeys(refs):
            if ref in known or isinstance(self._operations[ref], Constant):
                continue
            known.add(ref)
            constant = self._constants.get(ref)
            place = self._layout.place(ref) if self._is_input(ref) else None
            if place and not row:
                source = f"{self._input_names[place.group]}[{place.index}]"
            elif constant is not None:
                source = f"constant[{constant}]"
            else:
                source = row.format(self._schedule.rows[ref])
            own = kind if constant is None else "real"
            label = f"  /* {self._layout.comment(place)} */" if place and constant is None else ""
            lines.append(f"const {own} {self._statements.name(ref)} = {source};{label}")
        return lines

    def _label(self, ref: int) -> str:
        """Return the comment on an output's entry."""
        return f"  /* {self._comments[ref]} */" if ref in self._comments else ""

    def _calls(self) -> list[str]:
        """Return the lines that call all steps."""
        return [
            f"all_sines(waves_{number}, {len(self._waves(step))}, block);"
            if step.kind is Kind.SINES
            else f"step_{number}(constant, block);"
            for number, step in enumerate(self._schedule.steps)
        ]

    def _waves(self, step: Step) -> list[tuple[int, int, int]]:
        """Return rows of (angle, sine, cosine); an unused sine or cosine goes to an extra row."""
        rows = self._schedule.rows
        pairs: dict[int, dict[str, int]] = {}
        for ref in step.refs:
            call = self._operations[ref]
            assert isinstance(call, Call)
            (angle,) = self._needs[ref]
            pairs.setdefault(angle, {})[call.function.__name__] = rows[ref]
        unused_row = self._schedule.row_count
        return [
            (rows[a], p.get("sin", unused_row), p.get("cos", unused_row)) for a, p in pairs.items()
        ]

    # -- inputs and outputs -----------------------------------------------------

    def _tables(self) -> str:
        """Return the tables of rows for outputs and for sines and cosines."""
        text = ""
        for number, output in enumerate(self._outputs):
            if output.refs:
                places = join(self._schedule.rows[ref] for ref in output.refs)
                text += f"/* The rows of {output.title or self._output_names[number]}. */\n"
                text += f"static const int places_{number}[] = {{\n{places}\n}};\n\n"
        for number, step in enumerate(self._schedule.steps):
            if step.kind is Kind.SINES:
                places = join("{" + ", ".join(map(str, wave)) + "}" for wave in self._waves(step))
                text += f"static const int waves_{number}[][3] = {{\n{places}\n}};\n\n"
        return text

    def _once(self) -> list[str]:
        """Return the lines for entries of outputs that are the same for all samples."""
        lines = []
        for ref in self._schedule.once:
            row, constant = self._schedule.rows[ref], self._constants.get(abs(ref))
            own = f"{'-' if ref < 0 else ''}constant[{constant}]"
            value = self._statements.signed(ref) if constant is None else own
            lines += [
                "for (int lane = 0; lane < LANES; lane++)",
                f"    block[{row}][lane] = {value};",
            ]
        return lines

    def _body(self) -> str:
        """Return the text that gathers, computes and scatters blocks of samples."""
        blocks = {"gather": self._gather(), "calls": self._calls(), "scatter": self._scatter()}
        if self._target.is_single:
            return _lines(line for block in blocks.values() for line in block)
        text = {name: _lines(block, 8) for name, block in blocks.items()}
        fence = templates.FENCE if self._target.is_library else ""
        return templates.ALL_SAMPLES.format(**text) + fence

    def _workspace(self) -> str:
        """Return the text that decides whether results bypass the caches."""
        widths = [len(output.refs) for output in self._outputs]
        size = max(1, sum(widths))
        is_anywhere = any(width % 8 for width in widths)
        numbers = {"far": FAR, "size": size, "anywhere": int(is_anywhere)}
        return templates.FAR.format(**numbers, row=self._buffer)

    def _gather(self) -> list[str]:
        """Return the lines that copy inputs into rows."""
        lines, row = [], 0
        for group, index, count in _stretches(map(self._layout.place, self._schedule.inputs)):
            name = self._input_names[group]
            given = f"{name} + first*stride_{name} + {index}, stride_{name}, {count}, count"
            if self._target.is_single:
                given = f"{name} + {index}, 0, {count}, 1"
            lines.append(f"gather{self._each}({given}, block + {row});")
            row += count
        return lines

    def _scatter(self) -> list[str]:
        """Return the lines that copy rows into outputs."""
        how, buffer = ("_far", ", buffer") if self._target.is_library else (self._each, "")
        lines = []
        for number, output in enumerate(self._outputs):
            name, size = self._output_names[number], len(output.refs)
            given = f"1, {name}" if self._target.is_single else f"count, {name} + first*{size}"
            if size:
                lines.append(f"scatter{how}(block, places_{number}, {size}, {given}{buffer});")
        return lines


def _stretches(places: Iterable[InputPlace]) -> Iterator[tuple[int, int, int]]:
    """Yield runs of consecutive input places as (group, first index, length)."""
    following = groupby(enumerate(places), lambda x: (x[1].group, x[1].index - x[0]))
    for (group, shift), stretch in following:
        numbers = [number for number, _ in stretch]
        yield group, numbers[0] + shift, len(numbers)


def _units(units: bool, functions: Sequence[str], heads: Iterable[str]) -> dict[str, str]:
    """Return the steps' functions, divided among compilation units if ``units``."""
    if not units:
        return {"units": "", "functions": "".join(functions), "first_unit": "", "last_unit": ""}
    declarations = _lines((f"LINKAGE {head};" for head in heads), 0)
    bounds = [len(functions) * k // PARTS for k in range(PARTS + 1)]
    parts = [
        templates.UNIT.format(number=number, functions="".join(functions[a:b]))
        for number, (a, b) in enumerate(pairwise(bounds))
    ]
    return {
        "units": templates.UNITS.format(declarations=declarations),
        "functions": "".join(parts),
        "first_unit": templates.FIRST_UNIT,
        "last_unit": "#endif\n",
    }


def comment(output: Output, place: int) -> str:
    """Return the label of an output's entry."""
    return output.labels[place] if output.labels else f"entry {place}"


def _unused(names: Iterable[str]) -> str:
    """Return statements that mark names as possibly unused."""
    return _lines(f"(void) {name};" for name in names)


def join(items: Iterable[object]) -> str:
    """Return the items of a C table as indented lines."""
    text = ", ".join(map(str, items))
    return textwrap.fill(text, 96, initial_indent="    ", subsequent_indent="    ")


def _lines(lines: Iterable[str], indent: int = 4) -> str:
    return "\n".join(" " * indent + line for line in lines)
