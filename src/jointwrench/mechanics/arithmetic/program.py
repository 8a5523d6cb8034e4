"""A straight-line program: the operations that some outputs need, in order.

A `Program` is made from a `Graph` for some outputs.  Operations that no output needs are omitted;
operations on constants come first, since they are done once per call and not once per sample.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from math import prod
from typing import Any, NamedTuple

from sympy import Expr, ImmutableDenseMatrix, Pow, Symbol, cos, sin

from ...checks.arguments import check_known
from ...checks.display import Grid, NotebookTable, facts, listing, plural
from .formula import FormulaMatrix
from .graph import Call, Constant, Graph, Input, Product, Sum
from .operations import SYMPY, references
from .output import Group, Output

#: The kinds of operations that `Program.count_ops` counts, but for calls.
ARITHMETIC: dict[type, str] = {Sum: "add", Product: "mul"}


class Assignment(NamedTuple):
    """One operation on inputs and earlier targets: ``target = expression``."""

    target: Symbol
    expression: Expr


class Program(NotebookTable):
    """Assignments that compute some outputs from the inputs.

    Parameters
    ==========

    graph : Graph
        The graph that holds the operations.
    outputs : sequence of Output
        The outputs.
    groups : sequence of Group
        The inputs, in the order of the arguments of the compiled function.

    Raises
    ======

    ValueError
        If an output depends on a symbol that no group has.
    """

    def __init__(self, graph: Graph, outputs: Sequence[Output], groups: Iterable[Group]) -> None:
        self.graph = graph
        self.outputs = tuple(outputs)
        self.groups = tuple(groups)
        self.operations = graph.cheapest_operations(
            [ref for output in outputs for ref in output.refs]
        )
        self.refs = tuple(self.operations)
        self._check_inputs()

    def _check_inputs(self) -> None:
        known = {symbol for group in self.groups for symbol in group.symbols}
        unknown = [symbol for symbol in self.used_inputs if symbol not in known]
        if unknown:
            raise ValueError(
                f"`groups` must name every symbol that the outputs depend on, "
                f"but {', '.join(map(str, unknown))} is in no group."
            )

    def __repr__(self) -> str:
        outputs = ", ".join(f"{output.name}: {output.shape}" for output in self.outputs)
        return f"Program({outputs}; {plural(len(self.assignments), 'assignments')})"

    def _grid(self) -> Grid:
        counts = self.count_ops()
        return facts(
            "Program",
            **{output.name: output.shape for output in self.outputs},
            **{f"inputs {group.name}": listing(group.symbols) for group in self.groups},
            operations=", ".join(f"{count} {kind}" for kind, count in counts.items() if count),
        )

    @property
    def inputs(self) -> dict[str, tuple[Expr, ...]]:
        """The symbols of each group by its name."""
        return {group.name: group.symbols for group in self.groups}

    @cached_property
    def used_inputs(self) -> tuple[Expr, ...]:
        """The symbols on which the outputs depend."""
        return tuple(op.symbol for op in self.operations.values() if isinstance(op, Input))

    @cached_property
    def needed(self) -> dict[int, list[int]]:
        """The references of the operands of each operation."""
        return {ref: references(operation) for ref, operation in self.operations.items()}

    @cached_property
    def varying(self) -> frozenset[int]:
        """The operations that depend on inputs per sample, those inputs included."""
        constants = {s for group in self.groups if group.per == "call" for s in group.symbols}
        found: set[int] = set()
        for ref, operation in self.operations.items():
            is_input = isinstance(operation, Input) and operation.symbol not in constants
            if is_input or not found.isdisjoint(self.needed[ref]):
                found.add(ref)
        return frozenset(found)

    @cached_property
    def constant_refs(self) -> tuple[int, ...]:
        """The references of operations on constants, in order, with inputs and numbers."""
        return tuple(ref for ref in self.refs if ref not in self.varying)

    @cached_property
    def sample_refs(self) -> tuple[int, ...]:
        """The references of operations that are done for every sample, in order, with inputs."""
        return tuple(ref for ref in self.refs if ref in self.varying)

    @cached_property
    def assignments(self) -> tuple[Assignment, ...]:
        """All operations as assignments of sympy expressions to symbols ``z0, z1, ...``, in order.

        Inputs and numbers have no symbol.
        """
        pairs = ((name, self.operations[ref]) for ref, name in self._names.items())
        return tuple(Assignment(name, SYMPY.value(own, self._values)) for name, own in pairs)

    @cached_property
    def _names(self) -> dict[int, Symbol]:
        """The symbols of operations by reference."""
        taken = {symbol.name for symbol in self.used_inputs if isinstance(symbol, Symbol)}
        prefix = "z"
        while any(name.startswith(prefix) for name in taken):
            prefix += "_"
        computed = [
            ref for ref in self.refs if not isinstance(self.operations[ref], (Input, Constant))
        ]
        return {ref: Symbol(f"{prefix}{i}") for i, ref in enumerate(computed)}

    @cached_property
    def _values(self) -> dict[int, Any]:
        """The symbol of each operation, and inputs and numbers themselves, by reference."""
        atoms = (ref for ref in self.refs if ref not in self._names)
        return {ref: SYMPY.value(self.operations[ref], {}) for ref in atoms} | self._names

    def result(self, output: Output) -> ImmutableDenseMatrix:
        """Return an output's entries in terms of the symbols of assignments, n x 1 for a vector."""
        return _matrix(output, (SYMPY.signed(ref, self._values) for ref in output.refs))

    def closed_form(self, name: str) -> ImmutableDenseMatrix:
        """Return an output as expressions of the inputs, which grow with each body."""
        output = self.output(name)
        return _matrix(output, self.graph.to_sympy(output.refs))

    def output(self, name: str) -> Output:
        """Return the output with this name."""
        known = {output.name: output for output in self.outputs}
        check_known("name", [name], known, "be one of this program's outputs")
        return known[name]

    def count_ops(self) -> dict[str, int]:
        """Return the number of operations; changes of sign are not counted.

        For every sample: ``"mul"`` (multiplications and divisions), ``"add"`` (additions and
        subtractions), ``"trig"`` (sines and cosines) and ``"other"`` (any other function).  Once
        per call: ``"constant"``, all operations on constants alone.
        """
        counts = {"mul": 0, "add": 0, "trig": 0, "other": 0, "constant": 0}
        for ref in self.refs:
            kind = _kind(self.operations[ref])
            if kind:
                counts[kind if ref in self.varying else "constant"] += 1
        return counts

    def cost(self) -> int:
        """Return the number of multiplications, divisions and additions per sample."""
        counts = self.count_ops()
        return counts["mul"] + counts["add"]

    def packed(self) -> "Program":
        """Return a program with only the nonzeros of derivatives and regressors."""
        outputs = [
            output.without_zeros()
            if output.wrt is not None or output.name.endswith("regressor")
            else output
            for output in self.outputs
        ]
        return Program(self.graph, outputs, self.groups)

    def with_numbers(self, values: Mapping[Symbol, Expr]) -> "Program":
        """Return a program with numbers in place of some constants."""
        varying = [
            symbol for group in self.groups if group.per == "sample" for symbol in group.symbols
        ]
        graph = Graph(varying)
        for symbol, value in values.items():
            graph.bind(symbol, graph.scalar(value))
        outputs = [
            replace(output, refs=tuple(self.graph.substitute(output.refs, graph)))
            for output in self.outputs
        ]
        groups = [
            replace(group, symbols=tuple(s for s in group.symbols if s not in values))
            for group in self.groups
        ]
        return Program(graph, outputs, groups)


def _matrix(output: Output, entries: Iterable[Expr]) -> ImmutableDenseMatrix:
    """Return an output's entries as a matrix; axes after the first are the columns."""
    return FormulaMatrix(prod(output.shape[:1]), prod(output.shape[1:]), list(entries))


def _kind(operation: object) -> str | None:
    """Return the kind under which `Program.count_ops` counts an operation; None for inputs."""
    if not isinstance(operation, Call):
        return ARITHMETIC.get(type(operation))
    if operation.function in (sin, cos):
        return "trig"
    exponent = operation.arguments[-1]
    is_division = operation.function is Pow and isinstance(exponent, int) and exponent < 0
    return "mul" if is_division else "other"
