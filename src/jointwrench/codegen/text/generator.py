"""PyDy's generators of C and Cython code, fed with a finished `Program`.

PyDy finds common sub-expressions, names them, and writes one C function that
evaluates matrices once, behind a Cython function.  Here the sub-expressions
come ready-made from a `Program`, and the C function evaluates a whole batch.
"""

from pydy.codegen.c_code import CMatrixGenerator
from pydy.codegen.cython_code import CythonMatrixGenerator

from ...arithmetic.program import Program
from . import kernel, templates
from .c_printer import CallPrinter
from .layout import CONSTANTS, GROUPS, Layout
from .schedule import LONGEST_STRETCH, make_schedule
from .statements import Statements
from .wrapper import SETUP, WRAPPER

#: The name that all generated modules bear; each is loaded from its own file.
MODULE = "jointwrench_compiled"


class ProgramCGenerator(CMatrixGenerator):
    """PyDy's generator of C code, for a `Program`.

    Parameters
    ==========

    program : Program
        What to compute.
    function : str
        The name of the C function.
    longest : int
        The longest stretch of arithmetic in one C function.
    """

    _base_printer = CallPrinter
    _c_header_template = templates.HEADER
    _c_source_template = templates.SOURCE

    def __init__(
        self, program: Program, function: str = "evaluate", longest: int = LONGEST_STRETCH
    ) -> None:
        self.layout = Layout(program)
        self._function = function
        self._longest = longest
        super().__init__(self.layout.groups, [program.result(out) for out in program.outputs])

    def _generate_cse(self, prefix: str = "z") -> None:
        """Take the program's operations in place of a search for sub-expressions."""
        self.printer = self._base_printer()
        self.statements = Statements(
            self.layout, self.printer, not_a_number="NAN", infinity="INFINITY"
        )
        self.subexprs = [
            *self.statements.constant_operations,
            *self.statements.sample_operations,
        ]
        self.simplified_matrices = tuple(self.statements.outputs)

    def _generate_code_blocks(self) -> None:
        schedule = make_schedule(self.layout, self._longest)
        writer = kernel.KernelWriter(self.layout, self.statements, schedule)
        self.code_blocks = writer.blocks(self._function, self.printer.helpers)

    def comma_lists(self) -> tuple[str, ...]:
        """Return what each group of inputs holds, without the symbols' names."""
        return tuple(GROUPS.values())


class ProgramCythonGenerator(CythonMatrixGenerator):
    """PyDy's generator of Cython code, for a `Program`.

    Parameters
    ==========

    program : Program
        What to compute.
    longest : int
        The longest stretch of arithmetic in one C function.
    """

    _pyx_template = WRAPPER
    _setup_py_template = SETUP

    def __init__(self, program: Program, longest: int = LONGEST_STRETCH) -> None:
        self.program = program
        self.prefix = MODULE
        self.c_matrix_generator = ProgramCGenerator(program, longest=longest)
        self._generate_code_blocks()

    def _generate_code_blocks(self) -> None:
        outputs = self.program.outputs
        blocks = self.c_matrix_generator.code_blocks
        widths = self.c_matrix_generator.layout.widths
        plain = {**_PLAIN, **{f"stride_{k}": str(widths[k]) for k in range(len(_STATE))}}
        self.code_blocks = {
            "input_args": blocks["input_args"],
            "output_args": blocks["output_args"],
            "c_args": self._arguments(_VIEWS, "<double *> views[{}].buf", len(GROUPS)),
            "plain_args": self._arguments(plain, "row_{}", 0),
            "views": str(len(GROUPS) + len(outputs)),
            "inputs": str(len(GROUPS)),
            "outputs": str(len(outputs)),
            "constant_width": str(max(1, widths[CONSTANTS])),
            **{f"width_{k}": str(width) for k, width in enumerate(widths)},
            **self._new_outputs(),
        }

    def _arguments(self, inputs: dict[str, str], output: str, first: int) -> str:
        """Return the arguments of the C function in terms of the wrapper's variables."""
        outputs = self.program.outputs
        values = {f"output_{k}": output.format(first + k) for k in range(len(outputs))}
        names = kernel.argument_names(outputs)
        return ",\n".join(" " * 16 + {**inputs, **values}.get(name, name) for name in names)

    def _new_outputs(self) -> dict[str, str]:
        """Return the code that makes the arrays of the results."""
        lines = []
        for k, output in enumerate(self.program.outputs):
            sizes = "".join(f"{size}, " for size in output.shape)
            lines += [
                f"    cdef Py_ssize_t *shape_{k} = [{sizes}0]",
                f"    output_{k} = new_array(q, {len(output.shape)}, shape_{k})",
                f"    cdef double *row_{k} = data_of(output_{k})",
            ]
        made = ", ".join(f"names[{k}]: output_{k}" for k in range(len(self.program.outputs)))
        return {"new_outputs": "\n".join(lines), "outputs_made": made}

    def sources(self) -> dict[str, str]:
        """Return the texts of all files that make the module, by file name."""
        setup, wrapper, header, source = self.doprint()
        return {
            "setup.py": setup,
            f"{self.prefix}.pyx": wrapper,
            f"{self.prefix}_c.h": header,
            f"{self.prefix}_c.c": source,
        }

    @property
    def c_source(self) -> str:
        """The C code without the wrapper."""
        return self.sources()[f"{self.prefix}_c.c"]


# The arguments of the wrapper that hold the state: the first groups.
_STATE = ("q", "u", "udot")

# The arguments of the C function: from buffers, and from plain arrays.
_VIEWS = {
    **{f"input_{k}": f"<const double *> views[{k}].buf" for k in range(len(GROUPS))},
    **{f"stride_{k}": f"steps[{k}]" for k in range(len(GROUPS))},
}
_PLAIN = {
    **{f"input_{k}": "&nothing" for k in range(len(GROUPS))},
    **{f"stride_{k}": "0" for k in range(len(GROUPS))},
    **{f"input_{k}": f"row_{name}" for k, name in enumerate(_STATE)},
    f"input_{CONSTANTS}": "numbers",
}
