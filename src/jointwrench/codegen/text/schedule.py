"""In which order, and in which C functions, a program's operations are done.

Sums and products of a few samples are done together in vector registers.  What
a compiler cannot vectorise, a call of a function in the C library, would keep
it from vectorising everything around it.  So the operations are cut into steps:
stretches of arithmetic, sines and cosines (which have vector code of their own),
and calls.  Long stretches are cut as well, since the time that compilers need
for a function grows faster than its length.

What one step computes and another one reads stands in a *row*: one number for
each of the samples that are computed together.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise

from sympy import Abs, Pow, Rational, cos, sin

from ...arithmetic.graph import Call, Constant, Input, references
from ...arithmetic.program import Program
from ...arithmetic.select import Select
from .layout import Layout

#: Stretches of arithmetic of up to this length are one C function.
LONGEST_STRETCH = 1500

#: The length of the pieces of longer ones.
PIECE = 120


class Kind(Enum):
    """What a step does."""

    ARITHMETIC = "arithmetic"
    CALLS = "calls"
    SINES = "sines"


@dataclass(frozen=True)
class Step:
    """Operations that are done together."""

    kind: Kind
    refs: tuple[int, ...]


@dataclass(frozen=True)
class Schedule:
    """All steps, and where the values that pass from one to another stand.

    Input k stands in row k, a value that another step reads in ``rows``; ``entries`` are the
    outputs' signed references, each with the index of the step that writes it; ``preparation`` are
    the pieces of what is done once per call, one at least, and ``constants`` the places of its
    values.
    """

    steps: tuple[Step, ...]
    inputs: tuple[int, ...]
    rows: dict[int, int]
    entries: tuple[tuple[int, int], ...]
    row_count: int
    preparation: tuple[tuple[int, ...], ...]
    constants: dict[int, int]


def make_schedule(layout: Layout, longest: int = LONGEST_STRETCH) -> Schedule:
    """Return the schedule of a program."""
    program = layout.program
    is_input = {ref: isinstance(program.operations[ref], Input) for ref in program.sample_refs}
    inputs = sorted(
        (ref for ref in program.sample_refs if is_input[ref]), key=lambda ref: layout.place(ref)
    )
    steps = _steps(program, _computed(program, program.sample_refs), longest)
    entries = _entries(program, steps)
    rows, count = _rows(program, steps, inputs, entries)
    preparation = tuple(_pieces(_computed(program, program.constant_refs), longest)) or ((),)
    constants = _constants(program, preparation)
    return Schedule(steps, tuple(inputs), rows, entries, count, preparation, constants)


def kind_of(program: Program, ref: int) -> Kind:
    """Return how an operation is done."""
    operation = program.operations[ref]
    if not isinstance(operation, Call) or _has_instruction(program, operation):
        return Kind.ARITHMETIC
    return Kind.SINES if operation.function in (sin, cos) else Kind.CALLS


def _has_instruction(program: Program, call: Call) -> bool:
    """Whether processors have instructions for a call: absolute value, choice, quotient, root."""
    if call.function is not Pow:
        return call.function in (Abs, Select)
    exponent = program.operations[abs(call.arguments[1])]
    return isinstance(exponent, Constant) and exponent.value in (1, Rational(1, 2))


def _steps(program: Program, computed: Sequence[int], longest: int) -> tuple[Step, ...]:
    levels = _levels(program, computed)
    steps: list[Step] = []
    for level in range(max(levels.values(), default=0) + 1):
        here = [ref for ref in computed if levels[ref] == level]
        kinds = {ref: kind_of(program, ref) for ref in here}
        sines = [ref for ref in here if kinds[ref] is Kind.SINES]
        calls = [ref for ref in here if kinds[ref] is Kind.CALLS]
        stretch = [ref for ref in here if kinds[ref] is Kind.ARITHMETIC]
        steps += [Step(Kind.SINES, pair) for pair in _pairs(program, sines)]
        steps += [Step(Kind.CALLS, tuple(calls))] if calls else []
        steps += [Step(Kind.ARITHMETIC, piece) for piece in _pieces(stretch, longest)]
    if not steps or steps[-1].kind is not Kind.ARITHMETIC:
        steps.append(Step(Kind.ARITHMETIC, ()))  # writes the outputs
    return tuple(steps)


def _levels(program: Program, computed: Sequence[int]) -> dict[int, int]:
    """Return for each operation how many calls stand, one behind the other, before it is done.

    Arithmetic is done as late as the calls that depend on it allow.
    """
    earliest: dict[int, int] = {}
    for ref in computed:
        operation = program.operations[ref]
        before = max((earliest.get(a, 0) for a in references(operation)), default=0)
        earliest[ref] = before + (kind_of(program, ref) is not Kind.ARITHMETIC)
    last = max(earliest.values(), default=0)
    latest: dict[int, int] = {}
    for ref in reversed(computed):
        operation = program.operations[ref]
        is_call = kind_of(program, ref) is not Kind.ARITHMETIC
        level = earliest[ref] if is_call else latest.get(ref, last)
        for argument in references(operation):
            latest[argument] = min(latest.get(argument, last), level - is_call)
        latest[ref] = level
    return {ref: latest[ref] for ref in computed}


def _pairs(program: Program, refs: Iterable[int]) -> list[tuple[int, ...]]:
    """Return sines and cosines of one angle together."""
    pairs: dict[int, list[int]] = {}
    for ref in refs:
        (angle,) = references(program.operations[ref])
        pairs.setdefault(angle, []).append(ref)
    return [tuple(pair) for pair in pairs.values()]


def _pieces(refs: list[int], longest: int) -> list[tuple[int, ...]]:
    if not refs:
        return []
    count = 1 if len(refs) <= longest else -(-len(refs) // min(PIECE, longest))
    bounds = [len(refs) * k // count for k in range(count + 1)]
    return [tuple(refs[a:b]) for a, b in pairwise(bounds)]


def _computed(program: Program, refs: Iterable[int]) -> list[int]:
    operations = program.operations
    return [ref for ref in refs if not isinstance(operations[ref], (Input, Constant))]


def _constants(program: Program, pieces: Sequence[Sequence[int]]) -> dict[int, int]:
    """Return the places of the constant values that are read where they were not made."""
    operations = program.operations
    made_in = {ref: number for number, piece in enumerate(pieces) for ref in piece}
    read = {abs(ref) for output in program.outputs for ref in output.refs if ref}
    read |= {a for ref in program.sample_refs for a in references(operations[ref])}
    inputs = {ref for ref in read if isinstance(operations[ref], Input)}
    for number, piece in enumerate(pieces):
        arguments = (a for ref in piece for a in references(operations[ref]))
        read |= {a for a in arguments if made_in.get(a, number) != number}
    kept = (ref for ref in sorted(read) if ref in made_in or ref in inputs)
    return {ref: k for k, ref in enumerate(r for r in kept if not program.graph.varying[r])}


def _entries(program: Program, steps: Sequence[Step]) -> tuple[tuple[int, int], ...]:
    """Return the outputs' entries with the steps that write them: those that compute them."""
    made_in = {
        ref: number
        for number, step in enumerate(steps)
        if step.kind is Kind.ARITHMETIC
        for ref in step.refs
    }
    last = len(steps) - 1
    refs = [ref for output in program.outputs for ref in output.refs]
    return tuple((ref, made_in.get(abs(ref), last)) for ref in refs)


def _rows(
    program: Program,
    steps: Sequence[Step],
    inputs: Sequence[int],
    entries: Iterable[tuple[int, int]],
) -> tuple[dict[int, int], int]:
    """Return the rows of the values that pass from step to step, and how many there are.

    A row whose value nobody reads any more is used again.
    """
    made_in = {ref: number for number, step in enumerate(steps) for ref in step.refs}
    last_read: dict[int, int] = {}
    for number, step in enumerate(steps):
        for ref in step.refs:
            for argument in references(program.operations[ref]):
                if made_in.get(argument, number) != number:
                    last_read[argument] = number
    for ref, number in entries:
        if made_in.get(abs(ref), number) != number:
            last_read[abs(ref)] = max(number, last_read.get(abs(ref), 0))
    rows = {ref: row for row, ref in enumerate(inputs)}
    count, free = len(inputs), list[int]()
    ending: dict[int, list[int]] = {}
    for number, step in enumerate(steps):
        for ref in step.refs:
            if ref not in last_read:
                continue
            if not free:
                free, count = [count], count + 1
            rows[ref] = free.pop()
            ending.setdefault(last_read[ref], []).append(rows[ref])
        free += ending.pop(number, [])
    return rows, count
