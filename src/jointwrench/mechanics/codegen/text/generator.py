"""PyDy's generator of C code, applied to a finished `Program`.

The program supplies the sub-expressions, and the C function evaluates a whole batch.
"""

from ...adapters.private_pydy import MatrixGenerator
from ...arithmetic.program import Program
from . import templates
from .kernel import LIBRARY, KernelWriter, Target
from .printers import CCallPrinter
from .registers import VectorStatements
from .schedule import LONGEST_STRETCH, make_schedule
from .statements import Layout


class ProgramCGenerator(
    MatrixGenerator, printer=CCallPrinter, header=templates.HEADER, source=templates.SOURCE
):
    """Writes a `Program` as C, of functions with ``longest`` operations at most."""

    def __init__(
        self, program: Program, target: Target = LIBRARY, longest: int = LONGEST_STRETCH
    ) -> None:
        self.layout = Layout(program)
        self._target = target
        self._longest = longest
        groups = [group.symbols for group in self.layout.groups]
        super().__init__(groups, ())  # in place of matrices: the blocks are written from a Layout

    def take_operations(self) -> None:
        """Use the program's operations instead of a search for sub-expressions."""
        self.printer = CCallPrinter(self._target.precision)
        self.statements = VectorStatements(self.layout, self.printer, self._target.precision)

    def blocks(self) -> dict[str, str]:
        schedule = make_schedule(self.layout, self._longest)
        self.writer = KernelWriter(self.layout, self.statements, schedule, self._target)
        blocks = self.writer.blocks()
        return {**blocks, "helpers": self.printer.helpers}  # known when all is printed

    def comma_lists(self) -> tuple[str, ...]:
        """Return the descriptions of the inputs, where PyDy would write the symbols' names."""
        return tuple(group.title for group in self.layout.groups)

    def shared_library(self) -> str:
        """Return the text of a shared library, whose ``evaluate_arrays`` can be called."""
        return self.doprint()[1]
