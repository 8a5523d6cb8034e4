"""The C function that evaluates one sample of a program on pairs."""

from collections.abc import Sequence

from .kernel import KernelWriter, join
from .pairs import PairedProgram

#: The numbers of a pair side by side, from where they are in samples and to where they are wanted.
_TRANSFER = """\
static inline void gather(const real *from, const int (*places)[2], int width, row *rows)
{
    for (int k = 0; k < width; k++)
        for (int side = 0; side < 2; side++)
            rows[k][side] = from[places[k][side]];
}

static inline void scatter(const real *numbers, const int *places, int width, real *RESTRICT to)
{
    for (int k = 0; k < width; k++)
        to[k] = numbers[places[k]];
}

"""


class PairWriter(KernelWriter):
    """Writes the parts of the C function: a block is one sample, a row is a pair."""

    def _transfer(self) -> str:
        return _TRANSFER

    def _tables(self) -> str:
        """Return also where the numbers of pairs of inputs stand."""
        text = super()._tables()
        for name, pairs in self._sources().items():
            places = join("{" + f"{a}, {b}" + "}" for a, b in pairs)
            text += f"static const int from_{name}[][2] = {{\n{places}\n}};\n\n"
        return text

    def _sources(self) -> dict[str, list[tuple[int, int]]]:
        """Return by group of inputs where in it the numbers of its rows stand, in their order."""
        program, found = self._layout.program, dict[str, list[tuple[int, int]]]()
        assert isinstance(program, PairedProgram)
        for ref in self._schedule.inputs:
            place, second = self._layout.place(ref), self._layout.places[program.seconds[ref]]
            pairs = found.setdefault(self._input_names[place.group], [])
            pairs.append((place.index, second.index))
        return found

    def _places(self, number: int) -> Sequence[int]:
        """Return where an output's entries are among the numbers of all rows."""
        program = self._layout.program
        assert isinstance(program, PairedProgram)
        rows = super()._places(number)
        return [2 * row + side for row, side in zip(rows, program.sides[number], strict=True)]

    def _gather(self) -> list[str]:
        lines, row = [], 0
        for name, pairs in self._sources().items():
            source = f"{name} + first*stride_{name}"
            lines.append(f"gather({source}, from_{name}, {len(pairs)}, block + {row});")
            row += len(pairs)
        return lines

    def _scatter(self) -> list[str]:
        return [
            f"scatter(*block, places_{number}, {size}, {name} + first*{size});"
            for number, name in enumerate(self._output_names)
            if (size := len(self._outputs[number].refs))
        ]
