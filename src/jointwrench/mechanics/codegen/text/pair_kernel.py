"""The C function that evaluates one sample of a program on pairs."""

from functools import cached_property

from .kernel import KernelWriter, comment, join
from .pairs import PairedProgram

#: The numbers of a pair side by side, from where they are in samples.
_TRANSFER = """\
static inline void gather(const real *from, const int (*places)[2], int width, row *rows)
{
    for (int k = 0; k < width; k++)
        for (int side = 0; side < 2; side++)
            rows[k][side] = from[places[k][side]];
}

static inline void clear(real *numbers, int count)
{
    for (int k = 0; k < count; k++)
        numbers[k] = 0.0;
}

"""


class PairWriter(KernelWriter):
    """Writes the parts of the C function; a row is a pair, and steps write into the outputs."""

    _transfer = _TRANSFER, "gather", "clear"

    def _tables(self) -> str:
        """Return the tables of pairs of inputs, and the rows of sines."""
        text = self._tables_of_sines()
        for name, pairs in self._sources().items():
            places = join("{" + f"{a}, {b}" + "}" for a, b in pairs)
            text += f"static const int from_{name}[][2] = {{\n{places}\n}};\n\n"
        return text

    def _sources(self) -> dict[str, list[tuple[int, int]]]:
        """Return the positions of the rows' numbers in each group of inputs, in their order."""
        program, found = self._layout.program, dict[str, list[tuple[int, int]]]()
        assert isinstance(program, PairedProgram)
        for ref in self._schedule.inputs:
            place, second = self._layout.place(ref), self._layout.places[program.seconds[ref]]
            pairs = found.setdefault(self._input_names[place.group], [])
            pairs.append((place.index, second.index))
        return found

    @cached_property
    def _unwritten(self) -> dict[int, list[tuple[str, int, str]]]:
        """Return the outputs' unwritten entries by their value, with sides and comments."""
        program, found = self._layout.program, dict[int, list[tuple[str, int, str]]]()
        assert isinstance(program, PairedProgram)
        for number, output in enumerate(self._outputs):
            for place, ref in enumerate(output.refs):
                entry, side = f"{self._written[number]}[{place}]", program.sides[number][place]
                found.setdefault(ref, []).append((entry, side, comment(output, place)))
        found.pop(0, None)  # what is zero is cleared
        return found

    def _writes(self, ref: int, value: str) -> list[str]:
        entries = self._unwritten.pop(ref, [])
        return [f"{entry} = {value}[{side}];  /* {label} */" for entry, side, label in entries]

    def _stores(self, ref: int, value: str) -> list[str]:
        return super()._stores(ref, value) + self._writes(ref, value)

    def _gather(self) -> list[str]:
        lines, row = list[str](), 0
        for name, pairs in self._sources().items():
            source = f"{name} + first*stride_{name}"
            lines.append(f"gather({source}, from_{name}, {len(pairs)}, block + {row});")
            row += len(pairs)
        return lines + [
            f"clear({self._written[number]}, {len(output.refs)});"
            for number, output in enumerate(self._outputs)
            if 0 in output.refs
        ]

    def _scatter(self) -> list[str]:
        """Return the code for outputs that steps of arithmetic did not write."""
        rows, lines = self._schedule.rows, list[str]()
        for ref in list(self._unwritten):
            lines += self._writes(ref, f"block[{rows[ref]}]")
        return lines + [
            f"{name} += {len(output.refs)};"
            for name, output in zip(self._written, self._outputs, strict=True)
        ]
