"""The blocks of a C3D file: header, parameters and data.

All declarations in a file are compared with its bytes before they are used.
"""

from collections.abc import Iterator, Mapping
from itertools import takewhile
from math import inf, isfinite, prod
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..checks.files import existing_file
from ..checks.messages import warn
from ..checks.tolerances import THREE_DIGITS
from .header_checks import compare_count

#: Number of bytes in a block, and the second byte of every C3D file.
BLOCK, MARK = 512, 0x50

#: Byte order by the fourth byte of the parameters, for Intel, DEC and MIPS computers.
ORDERS = {84: "<", 85: "<", 86: ">"}
DEC = 85

#: numpy's types of parameters by the file's type number; -1 stands for characters.
TYPES = {-1: "S1", 1: "i1", 2: "i2", 4: "f4"}

#: Largest number of dimensions of a parameter.
DIMENSIONS = 7

#: Largest frame number in the header; longer trials have their last frame in parameters.
MOST_FRAMES = 0xFFFF

#: Number of values of a 16-bit word; and an offset that shows that words are unsigned, even if the
#: file declares signed words.
WORD, MIDDLE = MOST_FRAMES + 1, -0x8000

#: Range of plausible frame rates in Hz.
SLOWEST, FASTEST = 0.001, 1e7

Parameters = Mapping[str, Mapping[str, np.ndarray]]


class Header(NamedTuple):
    """The first block of a file.

    Attributes
    ==========

    points, measurements : int
        Numbers of points and of analogue measurements in a frame.
    first, last : int
        First and last frame, from 1.
    scale : float
        Factor of integer coordinates; negative if coordinates are real numbers.
    start : int
        First block of the data, from 1.
    per_frame : int
        Number of analogue samples in a frame.
    rate : float
        Frame rate in Hz.
    """

    points: int
    measurements: int
    first: int
    last: int
    scale: float
    start: int
    per_frame: int
    rate: float


class C3dFile(NamedTuple):
    """The contents of a file.

    Attributes
    ==========

    parameters : mapping of str to mapping of str to numpy.ndarray
        The parameters by group and name.
    positions : numpy.ndarray, shape (frames, points, 3)
        The points, NaN where a point is missing.
    channels : numpy.ndarray, shape (channels, samples)
        The analogue channels in their units.
    first, rate, per_frame : int, float, int
        As in the `Header`, or as in the parameters, which have precedence.
    """

    parameters: Parameters
    positions: np.ndarray
    channels: np.ndarray
    first: int
    rate: float
    per_frame: int


class _Bytes:
    """The bytes of a file, and the number format of the computer that wrote it."""

    def __init__(self, path: str | PathLike[str]) -> None:
        file = existing_file("path", path)
        self.name, self.data = file.name, file.read_bytes()
        if len(self.data) < BLOCK or self.data[1] != MARK:
            raise ValueError(f"`path` must be a C3D file, {self.name} is not.")
        self.parameters = BLOCK * (self.data[0] - 1)
        kind = self.read(self.parameters + 3, 1, "parameters")[0] if self.parameters > 0 else 0
        if kind not in ORDERS:
            raise self.error(f"its parameters are of the computer {kind}, known are 84, 85 and 86")
        self.order, self.is_dec = ORDERS[kind], kind == DEC

    def error(self, words: str) -> ValueError:
        """Return the error for a damaged file; ``words`` describe the damage."""
        return ValueError(
            f"`path` must be a readable C3D file, but in {self.name} {words}. Copy or export it "
            "again."
        )

    def read(self, start: int, size: int, what: str) -> bytes:
        """Return ``size`` bytes from ``start`` on; refuse a file that ends before the last one."""
        if start + size > len(self.data):
            raise self.error(f"the {what} end at byte {start + size}, the file at {len(self.data)}")
        return self.data[start : start + size]

    def numbers(self, data: bytes, kind: str) -> np.ndarray:
        """Return the numbers in some bytes; ``kind`` is a type of numpy without byte order."""
        # DEC's real numbers: sign, 8 bits of exponent with bias 128, a fraction in [1/2, 1)
        if kind != "f4" or not self.is_dec:
            return np.frombuffer(data, self.order + kind)
        high, low = np.frombuffer(data, "<u2").reshape(-1, 2).T.astype(np.int32)
        exponent, fraction = high >> 7 & 0xFF, ((high & 0x7F | 0x80) << 16 | low) / 2**24
        return np.where(exponent, np.ldexp(fraction, exponent - 128), 0) * (1 - 2 * (high >> 15))

    def header(self) -> Header:
        words = self.numbers(self.data[:20], "u2").tolist()
        scale, rate = (float(self.numbers(self.data[k : k + 4], "f4")[0]) for k in (12, 20))
        return Header(words[1], words[2], words[3], words[4], scale, words[8], words[9], rate)

    # -- parameters -----------------------------------------------------------------

    def groups(self, end: int) -> Parameters:
        """Return the parameters before the byte ``end`` by group and name, in the file's shapes."""
        names: dict[int, str] = {}
        found: dict[int, dict[str, np.ndarray]] = {}
        for name, group, start, stop in self._records(end):
            if group < 0:
                names[-group] = name.upper()
            else:
                found.setdefault(group, {})[name] = self._parameter(name, start, stop)
        return {name: found.get(number, {}) for number, name in names.items()}

    def _records(self, end: int) -> Iterator[tuple[str, int, int, int]]:
        """Yield each group or parameter: name, group number, first byte and end of its contents.

        The number is negative for a group, positive for a parameter of that group.
        """
        place = self.parameters + 4
        while place < end and (length := abs(self._byte(place))):
            group, link = self._byte(place + 1), place + 2 + length
            name = _text(self.read(place + 2, length, "parameters"))
            step = int(self.numbers(self.read(link, 2, "parameters"), "u2")[0])
            place = link + step if step else end
            yield name, group, link + 2, place

    def _byte(self, place: int) -> int:
        return int.from_bytes(self.read(place, 1, "parameters"), "little", signed=True)

    def _parameter(self, name: str, start: int, stop: int) -> np.ndarray:
        """Return the array of a parameter; texts are an array of objects, shape (number,)."""
        kind, count = self._byte(start), self._byte(start + 1)
        shape = tuple(self.read(start + 2, max(count, 0), "parameters"))
        size, first = prod(shape), start + 2 + len(shape)
        if kind not in TYPES or not 0 <= count <= DIMENSIONS or first + size * abs(kind) > stop:
            raise self.error(f"the parameter {name} has no numbers of the type {kind} {shape}")
        data = self.read(first, size * abs(kind), f"numbers of {name}")
        if kind != -1:
            return self.numbers(data, TYPES[kind]).reshape(shape or (1,), order="F")
        length = shape[0] if shape else 1
        texts = [_text(data[k : k + length]) for k in range(0, size, length or 1)]
        return np.array(texts, dtype=object)

    # -- data -----------------------------------------------------------------------

    def frames(self, header: Header, count: float) -> np.ndarray:
        """Return the frames as rows of raw numbers, shape (frames, numbers in a frame).

        ``count`` is the declared number; if fewer exist, a warning names it.
        """
        width, start = 4 * header.points + header.measurements, BLOCK * (header.start - 1)
        kind = "f4" if header.scale < 0 else "i2"
        size = width * int(kind[1])
        if not (size and isfinite(header.scale) and header.scale and start > self.parameters):
            raise self.error(
                f"the header declares frames of {width} numbers, times {header.scale:g}, from "
                f"block {header.start} on"
            )
        existing = max(len(self.data) - start, 0) // size
        found = existing if count == inf else min(int(count), existing)
        if found < 1:
            raise self.error(f"the header declares {count} frames, and {existing} are there")
        if count < inf:
            compare_count(self.name, "frames", f"{count:.0f}", found)
        return self.numbers(self.data[start : start + found * size], kind).reshape(found, width)


@np.errstate(all="ignore")  # infinite numbers are reported later, with the names of their columns
def read_blocks(path: str | PathLike[str]) -> C3dFile:
    """Return the contents of a C3D file, or refuse a file that contradicts its declarations."""
    file = _Bytes(path)
    header = file.header()
    parameters = file.groups(BLOCK * (header.start - 1))
    point, analog = parameters.get("POINT", {}), parameters.get("ANALOG", {})
    count, rest = divmod(header.measurements, header.per_frame or 1)
    for name, group, held in (("POINT", point, header.points), ("ANALOG", analog, count)):
        used = number_of(group, "USED", held)
        if rest or used % WORD != held:
            raise file.error(
                f"{name}:USED is {used:g}, and the header declares {header.points} points and "
                f"{header.measurements} measurements, {header.per_frame} of each channel"
            )
    first, declared = _frames_declared(header, parameters)
    frames = file.frames(header, declared)
    _compare_parameters(path, header, point, analog)
    if declared < inf and number_of(point, "FRAMES", declared) % WORD != declared % WORD:
        named = f"{number_of(point, 'FRAMES', 0):g}"
        compare_count(path, "frames (POINT:FRAMES)", named, int(declared))
    points = frames[:, : 4 * header.points].reshape(len(frames), header.points, 4)
    positions = points[..., :3] * (1.0 if header.scale < 0 else header.scale)
    positions[points[..., 3] < 0] = np.nan
    raw = frames[:, 4 * header.points :].reshape(len(frames) * (header.per_frame or 1), count).T
    rate = number_of(point, "RATE", header.rate)
    return C3dFile(
        parameters, positions, _scale_channels(file, raw, analog), first, rate, header.per_frame
    )


def _compare_parameters(
    path: Any, header: Header, point: Mapping[str, np.ndarray], analog: Mapping[str, np.ndarray]
) -> None:
    """Warn if header and parameters have different values of rate, start or scale."""
    rate = number_of(point, "RATE", header.rate)
    if not SLOWEST < rate < FASTEST:
        raise ValueError(
            f"`path` must have a frame rate, that of {Path(path).name} is {rate:g}, so its times "
            "are not known. Set POINT:RATE in the program that wrote it."
        )
    for group, name, taken, other in (
        (point, "RATE", rate, header.rate),
        (point, "DATA_START", header.start, header.start),
        (point, "SCALE", header.scale, header.scale),
        (analog, "RATE", rate * header.per_frame, rate * header.per_frame),
    ):
        values = {number_of(group, name, taken), other}
        is_same = max(values) - min(values) <= THREE_DIGITS * abs(taken) or max(values) < 0
        if not is_same and (values != {0.0, taken} or name == "SCALE"):
            warn(
                f"`path`: {Path(path).name} says {' and '.join(f'{x:g}' for x in sorted(values))} "
                f"in its header and in {name}, {taken:g} is used."
            )


def _frames_declared(header: Header, parameters: Parameters) -> tuple[int, float]:
    """Return the first frame and the number of frames, infinite if the file does not declare it."""
    if header.last < MOST_FRAMES:
        return header.first, header.last - header.first + 1
    trial, point = (parameters.get(name, {}) for name in ("TRIAL", "POINT"))
    ends = [trial.get(f"ACTUAL_{end}_FIELD", np.zeros(0)) for end in ("START", "END")]
    if all(end.shape == (2,) and end.dtype.kind == "i" for end in ends):
        first, last = (int(end.astype(np.uint16).astype(int) @ [1, WORD]) for end in ends)
        return first, last - first + 1
    count = number_of(point, "LONG_FRAMES", number_of(point, "FRAMES", 0) % WORD)
    return header.first, count if count > 0 else inf


def _scale_channels(file: _Bytes, raw: np.ndarray, analog: Mapping[str, np.ndarray]) -> np.ndarray:
    """Return the channels in their units, (raw - OFFSET) SCALE GEN_SCALE, (channels, samples)."""
    offset, scale = (_per_channel(file, analog, name, len(raw)) for name in ("OFFSET", "SCALE"))
    is_unsigned = "".join(texts_of(analog, "FORMAT")).strip().upper() == "UNSIGNED"
    if is_unsigned or (offset == MIDDLE).any():
        raw, offset = raw.astype(int) % WORD if raw.dtype.kind == "i" else raw, offset % WORD
    return (raw - offset) * scale * number_of(analog, "GEN_SCALE", 1.0)


def _per_channel(
    file: _Bytes, analog: Mapping[str, np.ndarray], name: str, count: int
) -> np.ndarray:
    """Return a parameter with one number for each channel, shape (count, 1)."""
    if name not in analog:
        return np.full((count, 1), float(name == "SCALE"))
    values = np.concatenate([np.ravel(x) for x in join_parameter(analog, name)])
    if len(values) < count or values.dtype.kind not in "if":
        raise file.error(f"ANALOG:{name} has {len(values)} numbers for {count} channels")
    return values[:count, None].astype(float)


# -- parameters -----------------------------------------------------------------------


def join_parameter(group: Mapping[str, np.ndarray], name: str) -> list[np.ndarray]:
    """Return the parts of a parameter: NAME has at most 255 entries, NAME2 and so on the others."""
    more = (f"{name}{k}" for k in range(2, len(group)))
    return [group[key] for key in (name, *takewhile(group.__contains__, more)) if key in group]


def texts_of(group: Mapping[str, np.ndarray], name: str) -> list[str]:
    """Return all entries of a parameter as texts."""
    return [str(text) for texts in join_parameter(group, name) for text in np.ravel(texts)]


def number_of(group: Mapping[str, np.ndarray], name: str, default: float) -> float:
    """Return the first number of a parameter, or the default if there is none."""
    values = np.ravel(group.get(name, ()))
    return float(values[0]) if values.size and values.dtype.kind in "if" else default


def _text(data: bytes) -> str:
    """Return decoded bytes without trailing blanks; UTF-8 is tried before Latin-1."""
    try:
        return data.rstrip(b" \0").decode()
    except UnicodeDecodeError:
        return data.rstrip(b" \0").decode("latin-1")
