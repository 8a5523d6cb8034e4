"""C3D files as each kind of computer wrote them, from the description of the format alone."""

import struct

import numpy as np

#: The number of each kind of computer and its order of bytes.
COMPUTERS = {"Intel": (84, "<"), "DEC": (85, "<"), "MIPS": (86, ">")}


def numbers(values, kind, computer="Intel"):
    """Return numbers as bytes of a computer; DEC's floats are four times as large, in halves."""
    order = COMPUTERS[computer][1]
    array = np.asarray(values)
    if kind == "f4" and computer == "DEC":
        halves = np.frombuffer((4 * array.astype("<f4")).tobytes(), "<u2").reshape(-1, 2)
        return halves[:, ::-1].tobytes()
    return array.astype(order + kind).tobytes()


def decoded(data, kind, computer="Intel"):
    """Return the numbers in bytes of a computer, as many as are whole."""
    data = data[: len(data) // int(kind[1]) * int(kind[1])]
    if kind != "f4" or computer != "DEC":
        with np.errstate(invalid="ignore"):  # of NaN that signals
            return np.frombuffer(data, COMPUTERS[computer][1] + kind).astype(float)
    swapped = np.frombuffer(data, "<u2").reshape(-1, 2)[:, ::-1].tobytes()
    return np.frombuffer(swapped, "<f4").astype(float) / 4


def parameter(value, computer):
    """Return type, dimensions and data of a parameter: texts, whole numbers or others."""
    if isinstance(value, list):
        width = max(map(len, value), default=0)
        data = b"".join(text.encode().ljust(width) for text in value)
        return struct.pack("bBBB", -1, 2, width, len(value)) + data
    array = np.asarray(value)
    kind, size = ("i2", 2) if array.dtype.kind == "i" else ("f4", 4)
    shape = bytes([size, array.ndim, *array.shape])
    return shape + numbers(array.ravel(order="F"), kind, computer)


def record(name, number, body, computer):
    link = numbers([2 + len(body) + 1], "i2", computer)
    return struct.pack("bb", len(name), number) + name.encode() + link + body + b"\0"


def c3d_file(groups, positions, channels, rate=100.0, scale=-1.0, computer="Intel", first=1):
    """Return a file: ``positions`` (frames, points, 3), ``channels`` (frames, samples, channels).

    A positive ``scale`` makes it one of whole numbers.  The channels are raw ones.
    """
    frames, points, _ = positions.shape
    samples, count = channels.shape[1:]
    known = {"POINT": {"USED": points, "FRAMES": frames, "RATE": rate, "SCALE": scale}}
    known["ANALOG"] = {"USED": count, "RATE": rate * samples, "GEN_SCALE": 1.0}
    body = b"\x01\x50\0" + bytes([COMPUTERS[computer][0]])
    for number, name in enumerate(known | groups, 1):
        body += record(name, -number, b"", computer)
        for key, value in {**known.get(name, {}), **groups.get(name, {})}.items():
            body += record(key, number, parameter(value, computer), computer)
    blocks = -(-(len(body) + 2) // 512)
    counts = [points, samples * count, first, first + frames - 1, 10]
    header = b"\x02\x50" + numbers(counts, "u2", computer) + numbers([scale], "f4", computer)
    header += numbers([2 + blocks, samples], "u2", computer) + numbers([rate], "f4", computer)
    seen = np.isfinite(positions).all(axis=-1, keepdims=True)
    placed = np.where(seen, positions / max(scale, 0.0) if scale > 0 else positions, 0)
    four = np.concatenate([placed, np.where(seen, 0, -1)], axis=-1).reshape(frames, -1)
    table = np.concatenate([four, channels.reshape(frames, -1)], axis=-1)
    kind = "f4" if scale < 0 else "i2"
    data = numbers(np.round(table) if kind == "i2" else table, kind, computer)
    padded = (
        body.ljust(512 * blocks, b"\0")[:2] + bytes([blocks]) + body.ljust(512 * blocks, b"\0")[3:]
    )
    return header.ljust(512, b"\0") + padded + data.ljust(-(-len(data) // 512) * 512, b"\0")
