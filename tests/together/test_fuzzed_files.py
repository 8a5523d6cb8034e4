"""Mutated files: each is read as it declares itself, or refused or warned of in words.

``--run-slow`` tries thousands of each format, or as many as ``JOINTWRENCH_FUZZ`` says.
"""

import os
import re
import struct
import warnings
from pathlib import Path

import numpy as np
import pytest
from c3d_files import COMPUTERS, c3d_file, decoded
from external_load_texts import FORCE, NAMES, RIGHT
from marks import slow
from numpy.testing import assert_array_equal
from osim_texts import body, document
from osim_texts import joint as osim_joint
from urdf_texts import LIMIT, joint, link, robot

import jointwrench as jw
from jointwrench.records.text_numbers import parse_number

COUNTS = [15, *slow([int(os.environ.get("JOINTWRENCH_FUZZ", "2000"))])]

WORDS = [0, 1, 2, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFF00, 0xFFFF]

#: Numbers that not every computer has: smaller ones are no positions.
SMALLEST, LARGEST = 1e-30, 1e37

TOKENS = (
    "inf -inf 1e999 nan 1_0 0x10 1e-400 -1e308 ١٢ １ - . , ; ' < > & \" \0 \t \n 999999 -3 1.5 abc"
)


def mutated(data, rng):
    """Return bytes with one to four faults of storage, copying or editing."""
    data = bytearray(data)
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        place, kind = int(rng.integers(len(data) or 1)), rng.integers(9)
        other, length = int(rng.integers(len(data) or 1)), int(rng.integers(1, 60))
        if kind == 0:
            data[place : place + 1] = bytes([rng.integers(256)])
        elif kind == 1:
            data[place : place + 2] = struct.pack("<H", rng.choice(WORDS))
        elif kind == 2:
            del data[place:]
        elif kind == 3:
            del data[place : place + length]
        elif kind == 4:
            data[place:place] = data[other : other + length]
        elif kind == 5:
            data[place:place] = rng.choice(TOKENS.split(" ")).encode()
        elif kind == 6:
            numbers = [*re.finditer(rb"-?[0-9]+[.0-9]*", data)] or [re.match(b"", data)]
            word = numbers[place % len(numbers)]
            data[word.start() : word.end()] = rng.choice(TOKENS.split(" ")).encode()
        elif kind == 7:
            data = exchanged(data, b"\n", place, other, rng)
        else:
            marks = [mark for mark in (b"\t", b"'", b'"', b",") if mark in data]
            data = exchanged(data, marks[0] if marks else b" ", place, other, rng)
    return bytes(data)


def exchanged(data, mark, place, other, rng):
    """Return text of which a line or a field is dropped, doubled, moved, or another."""
    parts = bytes(data).split(mark)
    here, there = place % len(parts), other % len(parts)
    kind = rng.integers(4)
    if kind == 0:
        del parts[here]
    elif kind == 1:
        parts.insert(here, parts[there])
    elif kind == 2:
        parts[here], parts[there] = parts[there], parts[here]
    else:
        parts[here] = rng.choice(TOKENS.split(" ")).encode()
    return bytearray(mark.join(parts))


def edited(data, rng):
    """Return XML in which values or elements are others, are dropped, or are there twice."""
    if rng.random() < 0.3:
        return mutated(data, rng)
    for _ in range(rng.choice([1, 1, 2])):
        pattern = rb"(?<=['\">])[^'\"<>]+(?=['\"<])" if rng.random() < 0.7 else rb"<[^<>]+/>"
        here, there = (
            rng.choice([*re.finditer(pattern, data)] or [re.match(b"", data)]) for _ in "ab"
        )
        tokens = [token for token in TOKENS.split(" ") if token not in "<>&'\""]
        new = [there[0], here[0] * 2, rng.choice(tokens).encode(), b""][rng.integers(4)]
        data = data[: here.start()] + new + data[here.end() :]
    return data


def tried(read, path):
    """Return what is read, and None if it is refused; and whether there were warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found, words = None, []
        try:
            found = read(path)
        except ValueError as error:
            words.append(str(error))
    assert {warning.category for warning in caught} <= {UserWarning}, caught
    words += [str(warning.message) for warning in caught]
    assert all(path.name in text for text in words), words
    return found, bool(caught)


def fuzzed(seeds, read, check, folder, count, rng, name, mutate=mutated):
    """Try mutated files; return how many were read, warned of, refused."""
    tally = [0, 0, 0]
    for k in range(count):
        path = folder / name
        path.write_bytes(mutate(seeds[k % len(seeds)], rng))
        found, is_warned = tried(read, path)
        tally[2 if found is None else int(is_warned)] += 1
        if found is not None and not is_warned:
            check(found, path)
    print(name, *tally)
    assert all(tally[::2])


# -- C3D ---------------------------------------------------------------------------------


def recordings(rng):
    corners = np.array([[0, 400, 400, 0], [0, 0, 600, 600], [0, 0, 0, 0]])[..., None] * 1.0
    labels = ["Fx", "Fy", "Fz", "Mx", "My", "Mz"]
    scales = {"SCALE": np.ones(6), "OFFSET": np.zeros(6, dtype=int)}
    plate = {"USED": 1, "TYPE": np.array([2]), "CORNERS": corners}
    plate["ORIGIN"] = np.array([[0.0], [0], [-40]])
    groups = {
        "POINT": {"LABELS": ["HEEL", "TOE", "KNEE"], "UNITS": ["mm"]},
        "ANALOG": {"LABELS": labels, "UNITS": ["N"] * 3 + ["Nmm"] * 3, **scales},
        "FORCE_PLATFORM": {**plate, "CHANNEL": np.arange(1, 7)[:, None], "ZERO": np.array([1, 2])},
        "EVENT": {"LABELS": ["Foot Strike"], "CONTEXTS": ["Left"], "TIMES": np.array([[0], [1.5]])},
        "PROCESSING": {"Bodymass": 74.0, "Height": 1760.0},
    }
    places = np.round(rng.uniform(-500, 500, (6, 3, 3)))
    places[2, 1] = np.nan
    forces = np.round(rng.uniform(-900, 900, (6, 4, 6)))
    kinds = ((computer, scale) for computer in COMPUTERS for scale in (-1.0, 1.0))
    return [c3d_file(groups, places, forces, scale=x, computer=c, first=5) for c, x in kinds]


def read_recording(path):
    recording = jw.recordings.read_c3d(path)
    tried(lambda path: recording.plates, path)
    tried(lambda path: jw.recordings.read_c3d(path, baseline=True), path)
    return recording


def check_recording(found, path):
    """Counts are those of the header, numbers those of the data."""
    data = path.read_bytes()
    kind = data[512 * data[0] - 509]
    order = ">" if kind == 86 else "<"
    points, measurements, first, last = struct.unpack(f"{order}4H", data[2:10])
    (start,) = struct.unpack(f"{order}H", data[16:18])
    names = {name for some in found.computed.values() for name in some.names}
    assert len(found.markers.names) == points - len(names)
    assert len(found.markers.times) == last - first + 1
    samples = 0 if found.channels is None else found.channels.array.size
    assert samples == measurements * (last - first + 1)
    computer = next(name for name, (number, _) in COMPUTERS.items() if number == kind)
    scale = decoded(data[12:16], "f4", computer)[0]
    form = "f4" if scale < 0 else "i2"
    raw = decoded(data[512 * (start - 1) :], form, computer)[
        : (last - first + 1) * (4 * points + measurements)
    ]
    places, size = found.markers.positions, abs(found.markers.positions)
    seen = places[(size > SMALLEST) & (size < LARGEST)]
    assert np.isin(seen, raw if scale < 0 else raw * scale).all()


@pytest.mark.parametrize("count", COUNTS)
def test_recordings(tmp_path, rng, count):
    fuzzed(recordings(rng), read_recording, check_recording, tmp_path, 6 * count, rng, "walk.c3d")


# -- text -----------------------------------------------------------------------------------


def marker_file(rng, tab="\t"):
    rows = rng.uniform(-500, 500, (8, 6))
    lines = [
        "PathFileType\t4\t(X/Y/Z)\twalk.trc",
        "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits",
        tab.join(["100.00", "100.00", "8", "2", "mm"]),
        "Frame#\tTime\tHEEL\t\t\tTOE\t\t",
        "\t\tX1\tY1\tZ1\tX2\tY2\tZ2",
        "",
        *(
            tab.join([str(k + 1), f"{k / 100:.3f}", *(f"{x:.4f}" for x in row)])
            for k, row in enumerate(rows)
        ),
    ]
    return ("\n".join(lines) + "\n").encode()


def storage_file(rng):
    lines = ["walk", "version=1", "nRows=8", "nColumns=4", "inDegrees=no", "endheader"]
    lines += ["time\thip\tknee\tankle"]
    rows = enumerate(rng.normal(size=(8, 3)))
    lines += ["\t".join(f"{x:.6f}" for x in (k / 100, *row)) for k, row in rows]
    return ("\n".join(lines) + "\n").encode()


def rows_of(path, after, skipped):
    """Return the lines that are some lines below the one that begins so."""
    lines = path.read_text(encoding="utf-8-sig").split("\n")
    start = next(k for k, line in enumerate(lines) if line.strip().lower().startswith(after))
    return [line for line in lines[start + skipped :] if line.strip()]


def check_markers(found, path):
    rows = rows_of(path, "frame#", 2)
    assert found.positions.shape == (len(rows), len(found.names), 3)
    declared = parse_number(found.header.get("NumFrames", ""))
    assert declared in (None, len(rows)) or np.isnan(declared)
    words = [word for row in rows for word in row.split()]
    numbers = np.array([parse_number(word) for word in words])
    assert np.isin(found.positions[np.isfinite(found.positions)], numbers).all()


def check_storage(found, path):
    rows = rows_of(path, "endheader", 1)[1:]
    assert len(found.times) == len(rows)
    numbers = np.array([[parse_number(word) for word in row.split()] for row in rows])
    whole = np.insert(found.array, 0, found.times, axis=1)
    assert_array_equal(np.sort(numbers, axis=None), np.sort(whole, axis=None))


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize(
    ("name", "read", "check"),
    [
        ("walk.trc", jw.recordings.read_trc, check_markers),
        ("walk.sto", jw.recordings.read_storage, check_storage),
    ],
)
def test_tables(tmp_path, rng, count, name, read, check):
    markers = [marker_file(rng), marker_file(rng, "\t\t")]
    make = {"walk.trc": markers, "walk.sto": [storage_file(rng)]}
    fuzzed(make[name], read, check, tmp_path, 5 * count, rng, name)


@pytest.mark.parametrize("count", COUNTS)
def test_tables_that_declare_nothing(tmp_path, rng, count):
    text = b"t,hip,knee\n" + b"".join(
        b"%.2f,%.5f,%.5f\n" % (k, *rng.normal(size=2)) for k in range(8)
    )

    def check(found, path):
        assert len(found.times) <= len(path.read_text().split("\n"))

    texts = [text, text.replace(b",", b" ")]
    fuzzed(texts, jw.recordings.read_csv, check, tmp_path, 5 * count, rng, "walk.csv")


# -- models -----------------------------------------------------------------------------------


def check_model(found, path):
    assert all(np.isfinite(float(x.mass)) for x in found.system.bodies)


HIP = joint("hip", "revolute", "base", "one", more=LIMIT)
KNEE = joint("knee", "prismatic", "one", "two", more="<mimic joint='hip' multiplier='2'/>")
URDF = robot(link("one"), link("two"), HIP, KNEE)
PIN = osim_joint("PinJoint", "pin", "ground", (0, 1, 0), "rod")
OSIM = document("m", body("rod", 2, (0, 0.5, 0), (0.1, 0.1, 0.1)), PIN)
FOLDER = Path(__file__).parents[1] / "data" / "fuzzed"
SAMPLES = ("model.sdf", "model.mjcf", "tasks.xml")
SDF, MJCF, TASKS = ((FOLDER / x).read_text(encoding="utf-8") for x in SAMPLES)
LOADS = f"<OpenSimDocument>{FORCE.format(**RIGHT)}<datafile>grf.mot</datafile></OpenSimDocument>"


def read_loads(path):
    times = np.linspace(0, 1, 4)
    return jw.recordings.read_external_loads(path, jw.Table(times, NAMES, np.ones((4, 18))))


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize(
    ("text", "read", "check"),
    [
        (URDF, jw.robots.read_urdf, check_model),
        (SDF, jw.robots.read_sdf, check_model),
        (OSIM, jw.musculoskeletal.read_osim, check_model),
        (TASKS, jw.musculoskeletal.read_tracking_tasks, lambda found, path: None),
        (LOADS, read_loads, lambda found, path: None),
    ],
    ids=["urdf", "sdf", "osim", "tasks", "loads"],
)
def test_models(tmp_path, rng, count, text, read, check):
    fuzzed([text.encode()], read, check, tmp_path, count, rng, "model.xml", edited)


EQUALITIES = (
    '<joint joint1="knee" joint2="lead" polycoef="0.1 2 0 0 0"/>',
    '<connect body1="rod" anchor="2 0 0"/>',
)


@pytest.mark.parametrize("count", COUNTS)
def test_models_of_mujoco(tmp_path, rng, count):
    pytest.importorskip("mujoco", reason="needs MuJoCo (pip install mujoco)")
    seeds = [MJCF.replace("EQUALITY", equality).encode() for equality in EQUALITIES]
    fuzzed(seeds, jw.robots.read_mjcf, check_model, tmp_path, count, rng, "model.xml", edited)
