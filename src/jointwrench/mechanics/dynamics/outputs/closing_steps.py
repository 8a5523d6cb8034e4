"""The steps of a derivation that solve for unknown forces: of loops, motors and loads."""

from collections.abc import Iterator
from dataclasses import replace

from sympy import Expr, Pow, together

from ...arithmetic.formula import varying_divisors
from ...arithmetic.graph import Scalar, total
from ...arithmetic.operations import Call, Product, references
from ...arithmetic.trigonometric import count_written_operations
from ...mechanism.loop_closures import LoopClosure
from ..derivation import Derivation
from .derivation_lines import DerivationStep, Words
from .line_writer import LineWriter, word_of

#: Number of operations from which a value and a determinant have a name; of terms from which a
#: coefficient has one; of operations beyond which the solution for a force is not written.
NAMED, LONG_DETERMINANT, LONG_COEFFICIENT, MOST_DERIVED = 3, 12, 6, 3000


def closing_steps(writer: LineWriter, written: Derivation) -> list[DerivationStep]:
    """Return the step that solves for unknown forces; an empty list if there are none."""
    supply, graph = written.supply, written.graph
    if not supply.unknowns:
        return []
    step = DerivationStep("Solve for unknown forces")
    rows = list(zip(written.demanded.items(), supply.solution.residuals, strict=True))
    for (speed, demanded), _ in rows:
        words = Words(f"D_{word_of(speed)}", "demanded", _quantity(written, speed))
        step.demanded.append(writer.scalar(words, demanded, demanded))
        if count_written_operations(step.demanded[-1].value[0]) >= NAMED:
            writer.name(words.name, demanded, demanded)
    _name_coefficients(writer, written, step)
    unwritten = _solve(writer, written, step)
    for row, ((speed, demanded), residual) in enumerate(rows):
        pairs = zip(supply.unknowns, supply.solution.values, strict=True)
        own = total([graph.scalar(0), *(x.column[row] * value for x, value in pairs)])
        words = Words(f"D_{word_of(speed)}", "closing", _quantity(written, speed))
        step.balance.append(writer.scalar(words, own, demanded - residual))
    divisors = varying_divisors([x for line in step.solution for x in line.value], {})
    text = (
        "Without loop joints and contacts the mechanism is a tree. D is the generalized force "
        "that the motion requires of this open tree at each speed. Loop joints and contacts (P, "
        "in the directions of each), motors and solved loads (X) supply it "
        f"together{', by least norm where some are undetermined' * bool(supply.solution.open)}."
    )
    if unwritten:
        text += f" The equations are solved together for {', '.join(unwritten)}."
    return [replace(step, text=text, divisors=tuple(divisors))]


def _quantity(written: Derivation, speed: Expr) -> str:
    """Return the quantity of a generalized force: moment or force."""
    return "moment" if speed in written.scalars.turning_speeds else "force"


def _name_coefficients(writer: LineWriter, written: Derivation, step: DerivationStep) -> None:
    """Name the long coefficients of unknown forces."""
    for k, unknown in enumerate(written.supply.unknowns, 1):
        for row, entry in enumerate(unknown.column, 1):
            is_long = writer.reader.count_terms([entry.ref]) >= LONG_COEFFICIENT
            if is_long and not writer.reader.is_named(entry.ref):
                words = Words(f"A_{row}{k}", "coefficient", "")
                step.coefficients.append(writer.scalar(words, entry, entry))
                writer.name(words.name, entry, entry)


def _solve(writer: LineWriter, written: Derivation, step: DerivationStep) -> list[str]:
    """Write and name the unknown forces in order; return those too long to be written."""
    reader, unwritten = writer.reader, []
    unknowns = zip(_names(written), written.supply.solution.values, strict=True)
    for name, value in sorted(unknowns, key=lambda pair: abs(pair[1].ref)):
        divisor = _divisor(value)
        if divisor and count_written_operations(reader.expression(divisor.ref)) >= LONG_DETERMINANT:
            words = Words("Delta", "determinant", "")
            step.solution.append(writer.scalar(words, divisor, divisor))
            writer.name(words.name, divisor, divisor)
        if reader.count_derived(value.ref) > MOST_DERIVED:
            unwritten.append(name)
        elif not value.is_zero:
            line = writer.scalar(Words(name, "solution", ""), value, value)
            shorter = min(together(line.value[0]), line.value[0], key=count_written_operations)
            step.solution.append(replace(line, value=(shorter,)))
        writer.name(name, value, value)
    return unwritten


def _divisor(value: Scalar) -> Scalar | None:
    """Return the divisor of a quotient, None for other values."""
    graph = value.graph
    operation = graph.operations[abs(value.ref)]
    for ref in references(operation) if isinstance(operation, Product) else ():
        power = graph.operations[abs(ref)]
        if isinstance(power, Call) and power.function is Pow:
            return Scalar(graph, power.arguments[0])
    return None


def _names(written: Derivation) -> Iterator[str]:
    """Yield the names of the unknown forces, in their order."""
    unknowns = written.supply.unknowns
    for k, unknown in enumerate(unknowns):
        source = unknown.source
        own = [x for x in unknowns[: k + 1] if x.source is source]
        is_closing = isinstance(source, LoopClosure)
        yield f"P_{word_of(source.joint)}_{len(own)}" if is_closing else f"X_{word_of(source)}"
