"""The order of a program's operations, and their division into C functions.

The steps are arithmetic in vector registers, divided into pieces since compile times grow faster
than the length of a function; sines and cosines; and calls, sample by sample.  A value that one
step computes and another step reads is in a *row*, with one number per sample.  Operations are
ordered depth-first from the outputs, so they are done shortly before use and need few rows.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from itertools import pairwise
from math import prod
from typing import NamedTuple

from sympy import Abs, Pow, Rational, cos, sin

from ...arithmetic.graph import Call, Constant, Input
from ...arithmetic.piecewise import AbsorbingProduct, Certain, Gate, Select
from ...arithmetic.program import Program
from .statements import Layout

#: Number of operations up to which a stretch of arithmetic is one C function.
LONGEST_STRETCH = 2500

#: Number of operations in the pieces of longer stretches.
PIECE = 250

#: Delay of a division, a root or another function relative to a sum or product.
CALL = 40


class Kind(Enum):
    """The kinds of steps."""

    ARITHMETIC = "arithmetic"
    CALLS = "calls"
    SINES = "sines"


class Step(NamedTuple):
    """Operations of one kind, by reference, in the order in which they are done."""

    kind: Kind
    refs: tuple[int, ...]


class Schedule(NamedTuple):
    """The steps of a program, and the rows of the values that pass between them.

    Attributes
    ==========

    steps : tuple of Step
        The steps, in order.
    inputs : tuple of int
        The inputs; input k is in row k.
    rows : dict of int to int
        The row of each value that another step or an output reads.  Outputs read signed references:
        negatives, numbers and constants in them have separate rows.
    once : tuple of int
        The entries of outputs that are written once, since they are the same for all samples.
    row_count : int
        The number of rows.
    preparation : tuple of tuple of int
        The operations that are done once per call, in at least one piece.
    constants : dict of int to int
        The positions of constants in the array of constants.
    """

    steps: tuple[Step, ...]
    inputs: tuple[int, ...]
    rows: dict[int, int]
    once: tuple[int, ...]
    row_count: int
    preparation: tuple[tuple[int, ...], ...]
    constants: dict[int, int]


def make_schedule(layout: Layout, longest: int = LONGEST_STRETCH) -> Schedule:
    """Return a program's schedule."""
    program = layout.program
    operations = program.operations
    inputs = [ref for ref in program.sample_refs if isinstance(operations[ref], Input)]
    inputs.sort(key=layout.place)
    steps = _steps(program, _depth_first(program), longest)
    written = dict.fromkeys(ref for output in program.outputs for ref in output.refs)
    once = tuple(ref for ref in written if abs(ref) not in program.varying)
    rows, count = _rows(program, steps, [*inputs, *once], written)
    preparation = tuple(_pieces(_computed(program, program.constant_refs), longest)) or ((),)
    constants = _constants(program, preparation)
    return Schedule(steps, tuple(inputs), rows, once, count, preparation, constants)


def _depth_first(program: Program) -> list[int]:
    """Return the operations for every sample, each after its operands.

    The last rows of outputs come first: those of the outermost joints are the shortest, and the
    next rows use their values.  Of an operation's operands the slowest is computed first.
    """
    order: dict[int, None] = {}
    needed = _slowest_last(program)
    for root in _entries(program):
        path = [root] if abs(root) in needed else []
        while path:
            ref = path[-1]
            waiting = [a for a in (needed[ref] if ref > 0 else (-ref,)) if a not in order]
            if waiting:
                path += waiting
            else:
                order[path.pop()] = None
    return _computed(program, order)


def _slowest_last(program: Program) -> dict[int, list[int]]:
    """Return the varying operands of varying operations, the slowest last."""
    delays: dict[int, int] = {}
    needed = {}
    for ref in program.sample_refs:
        own = CALL if isinstance(program.operations[ref], Call) else 1
        needed[ref] = sorted(
            filter(delays.__contains__, program.needed[ref]), key=delays.__getitem__
        )
        delays[ref] = own + (delays[needed[ref][-1]] if needed[ref] else 0)
    return needed


def _entries(program: Program) -> Iterator[int]:
    """Yield the outputs' entries that are not zero, the last rows of all outputs first."""
    places = [
        (*(-k for k in divmod(place, max(1, prod(output.shape[1:])))), number, ref)
        for number, output in enumerate(program.outputs)
        for place, ref in enumerate(output.refs)
        if ref
    ]
    return (ref for *_, ref in sorted(places))


def _arguments(program: Program, ref: int) -> Sequence[int]:
    """Return the operands of a value, or of the negative of a value."""
    return (-ref,) if ref < 0 else program.needed[ref]


def kind_of(program: Program, ref: int) -> Kind:
    """Return the kind of step of an operation, or of the negative of its value."""
    operation = program.operations[abs(ref)]
    if ref < 0 or not isinstance(operation, Call) or _has_instruction(program, operation):
        return Kind.ARITHMETIC
    return Kind.SINES if operation.function in (sin, cos) else Kind.CALLS


def _has_instruction(program: Program, call: Call) -> bool:
    """Whether processors have instructions for a call: absolute value, choice, quotient, root."""
    if call.function is not Pow:
        return call.function in (Abs, Select, Gate, Certain, AbsorbingProduct)
    exponent = program.operations[abs(call.arguments[1])]
    return isinstance(exponent, Constant) and exponent.value in (1, Rational(1, 2))


def _steps(program: Program, computed: Sequence[int], longest: int) -> tuple[Step, ...]:
    """Return the steps for operations in the given order."""
    kinds = {ref: kind_of(program, ref) for ref in computed}
    levels = _levels(program, kinds)
    stages = [list[int]() for _ in range(max(levels.values(), default=0) + 1)]
    for ref in computed:
        stages[levels[ref]].append(ref)
    steps: list[Step] = []
    for here in stages:
        for kind in (Kind.SINES, Kind.CALLS):
            refs = tuple(ref for ref in here if kinds[ref] is kind)
            steps += [Step(kind, refs)] if refs else []
        stretch = [ref for ref in here if kinds[ref] is Kind.ARITHMETIC]
        steps += [Step(Kind.ARITHMETIC, part) for part in _pieces(stretch, longest)]
    return tuple(steps)


def _levels(program: Program, kinds: Mapping[int, Kind]) -> dict[int, int]:
    """Return the number of successive calls before each operation; arithmetic is done late."""
    earliest: dict[int, int] = {}
    calls = {ref for ref, kind in kinds.items() if kind is not Kind.ARITHMETIC}
    arguments = {ref: _arguments(program, ref) for ref in kinds}
    for ref, own in arguments.items():
        earliest[ref] = max([earliest.get(a, 0) for a in own], default=0) + (ref in calls)
    last = max(earliest.values(), default=0)
    latest: dict[int, int] = {}
    for ref, own in reversed(arguments.items()):
        level = earliest[ref] if ref in calls else latest.get(ref, last)
        for argument in own:
            latest[argument] = min(latest.get(argument, last), level - (ref in calls))
        latest[ref] = level
    return latest


def _pieces(refs: list[int], longest: int) -> list[tuple[int, ...]]:
    """Return operations in pieces of nearly equal length, one piece if they are few."""
    if not refs:
        return []
    count = 1 if len(refs) <= longest else -(-len(refs) // min(PIECE, longest))
    bounds = [len(refs) * k // count for k in range(count + 1)]
    return [tuple(refs[a:b]) for a, b in pairwise(bounds)]


def _computed(program: Program, refs: Iterable[int]) -> list[int]:
    """Return the references that are neither inputs nor numbers."""
    operations = program.operations
    return [ref for ref in refs if ref < 0 or not isinstance(operations[ref], (Input, Constant))]


def _constants(program: Program, pieces: Sequence[Sequence[int]]) -> dict[int, int]:
    """Return the positions of the constants that other steps read."""
    operations = program.operations
    made_in = {ref: number for number, piece in enumerate(pieces) for ref in piece}
    read = {abs(ref) for output in program.outputs for ref in output.refs if ref}
    read |= {a for ref in program.sample_refs for a in program.needed[ref]}
    inputs = {ref for ref in read if isinstance(operations[ref], Input)}
    for number, piece in enumerate(pieces):
        arguments = (a for ref in piece for a in program.needed[ref])
        read |= {a for a in arguments if made_in.get(a, number) != number}
    kept = (ref for ref in sorted(read) if ref in made_in or ref in inputs)
    return {ref: k for k, ref in enumerate(r for r in kept if r not in program.varying)}


def _rows(
    program: Program, steps: Sequence[Step], first: Iterable[int], written: Iterable[int]
) -> tuple[dict[int, int], int]:
    """Return the rows of values that pass between steps, and their number; rows are reused."""
    last_read: dict[int, int] = {}
    made_in: dict[int, int] = {}
    for number, step in enumerate(steps):
        made_in |= dict.fromkeys(step.refs, number if step.kind is Kind.ARITHMETIC else -1)
        for argument in (a for ref in step.refs for a in _arguments(program, ref)):
            if made_in.get(argument) != number:
                last_read[argument] = number
    last_read |= dict.fromkeys(written, len(steps))
    rows = {ref: row for row, ref in enumerate(first)}
    count, free = len(rows), list[int]()
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
