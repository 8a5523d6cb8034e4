"""Force plates of C3D files, made here with known answers: types, corners, units, signs."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose
from refusals import refusal, refused

import jointwrench as jw

ezc3d = pytest.importorskip("ezc3d")

FRAMES, PER_FRAME = 6, 10
SAMPLES = FRAMES * PER_FRAME
LENGTHS = {"m": 1.0, "mm": 1e-3}
MOMENTS = {"Nm": 1.0, "Nmm": 1e-3, "ntmm": 1e-3, "N-mm": 1e-3, "N.m": 1.0}


def corners_at(center, turn=0.0, size=(0.5, 0.9), up="z"):
    """Return the four corners (3, 4) of a plate; its z axis points into the floor."""
    half = np.array(size) / 2
    x = np.array([np.cos(turn), np.sin(turn), 0])
    y = np.array([np.sin(turn), -np.cos(turn), 0])  # x, y, down: right-handed
    signs = [(1, 1), (-1, 1), (-1, -1), (1, -1)]
    rows = [a * half[0] * x + b * half[1] * y for a, b in signs]
    shift = "zxy".index(up)  # cyclic: the laboratory's axes by another name
    return np.roll(np.array(center) + rows, shift, axis=1).T


def axes_of(corners):
    x, y = corners[:, 0] - corners[:, 1], corners[:, 0] - corners[:, 3]
    x, y = x / np.linalg.norm(x), y / np.linalg.norm(y)
    return np.stack([x, y, np.cross(x, y)], axis=-1)


def channels_of(kind, corners, origin, force, place, twist, calibration):
    """Return what a plate records of a force (N, 3) and a twist at places on its surface."""
    axes = axes_of(corners)
    local, arm = force @ axes, (place - corners.mean(axis=1)) @ axes
    free = twist @ axes
    if kind == 1:
        return np.stack([*local.T, arm[:, 0], arm[:, 1], free[:, 2]])
    sensors = origin * [0, 0, 1] if kind == 3 else origin
    moment = free + np.cross(arm + sensors, local)
    if kind == 3:
        return sensors_of(origin[0], origin[1], local, moment)
    rows = np.concatenate([local, moment], axis=-1).T
    return np.linalg.solve(calibration, rows) if kind == 4 else rows


def sensors_of(a, b, force, moment):
    """Return eight channels that add up to a force and a moment about the sensors' middle."""
    (fx, fy, fz), (mx, my, mz) = force.T, moment.T
    sums = np.array([[1, 1, 1, 1], [b, b, -b, -b], [-a, a, a, -a], [1, -1, 1, -1]])
    fz_each = np.linalg.solve(sums, np.stack([fz, mx, my, 0 * fz]))
    dx, dy = -mz / (2 * b), mz / (2 * a)  # half by each pair
    return np.stack([(fx + dx) / 2, (fx - dx) / 2, (fy + dy) / 2, (fy - dy) / 2, *fz_each])


def write(path, plates, length="mm", moment="Nmm", force="N", **changes):
    """Write a file with plates (type, corners, origin, channels, calibration), all in SI."""
    per = 1 / LENGTHS.get(length, 1.0), 1 / MOMENTS.get(moment, 1.0)
    file = ezc3d.c3d()
    points = np.ones((4, 2, FRAMES))
    points[:3, 1] = 1.5 * per[0]
    parameters = file["parameters"]
    parameters["POINT"]["RATE"]["value"] = [100]
    parameters["POINT"]["LABELS"]["value"] = ("HEEL", "TOE")
    parameters["POINT"]["UNITS"]["value"] = (length,)
    file["data"]["points"] = points
    kinds, rows, units, numbers = [p[0] for p in plates], [], [], []
    for kind, _, _, channels, _ in plates:
        quantities = {1: "fffllm", 3: "f" * 8}.get(kind, "fffmmm")
        named = {"f": (1.0, force), "l": (per[0], length), "m": (per[1], moment)}
        numbers.append([len(rows) + k + 1 for k in range(len(channels))] + [0] * 2)
        for quantity, row in zip(quantities, channels, strict=True):
            rows.append(row * (1.0 if kind == 4 else named[quantity][0]))
            units.append("V" if kind == 4 else named[quantity][1])
    parameters["ANALOG"]["RATE"]["value"] = [100 * PER_FRAME]
    parameters["ANALOG"]["LABELS"]["value"] = tuple(f"C{k}" for k in range(len(rows)))
    parameters["ANALOG"]["UNITS"]["value"] = tuple(units)
    file["data"]["analogs"] = np.array(rows)[None]
    width = max(len(p[3]) for p in plates)
    group = {
        "USED": [len(plates)],
        "TYPE": kinds,
        "ZERO": [1, 2],
        "CORNERS": np.stack([p[1] * per[0] for p in plates], -1),
        "ORIGIN": np.stack([p[2] * per[0] for p in plates], -1),
        "CHANNEL": np.array([row[:width] for row in numbers]).T,
        "CAL_MATRIX": np.stack([p[4] * np.repeat([[1], [per[1]]], 3, axis=0) for p in plates], -1),
    } | changes
    for name, value in group.items():
        parameters["FORCE_PLATFORM"][name]["value"] = value
    file.write(str(path))
    return path


ORIGINS = {
    1: np.zeros(3),
    2: np.array([0.003, -0.002, -0.041]),
    3: np.array([0.2, 0.35, -0.054]),
    4: np.array([0.0, 0.001, -0.04]),
}


@pytest.fixture
def load(rng):
    """Return a force on the person, and where: over the plate's middle, with z up."""
    force = rng.normal((0, 0, 700), 50, size=(SAMPLES, 3))
    place = rng.uniform(-0.2, 0.2, size=(SAMPLES, 3)) * [1, 1, 0]
    return force, place, rng.normal(scale=5, size=(SAMPLES, 1)) * [0, 0, 1]


@pytest.fixture
def plate(load, rng):
    """Make one plate of a type, as `write` wants it."""
    calibration = np.diag([100.0, 110, 400, 50, 60, 30]) + rng.normal(size=(6, 6))

    def make(kind, center=(0.3, -0.4, 0.0), turn=0.3, up="z", on=1.0, origin=None):
        force, place, twist = (np.roll(x, "zxy".index(up), axis=1) for x in load)
        corners = corners_at(center, turn, up=up)
        place = place + corners.mean(axis=1)
        origin = ORIGINS[kind] if origin is None else origin
        data = channels_of(kind, corners, origin, on * force, place, on * twist, calibration)
        return (kind, corners, origin, data, calibration), force, place, twist

    return make


@pytest.mark.parametrize("kind", [1, 2, 3, 4])
@pytest.mark.parametrize("length", ["m", "mm"])
@pytest.mark.parametrize("up", ["z", "y"])
def test_types(tmp_path, plate, kind, length, up):
    made, force, place, twist = plate(kind, up=up)
    path = write(tmp_path / "walk.c3d", [made], length, "Nm" if length == "m" else "Nmm")
    stated = {"force": "N", "moment": "N m" if length == "m" else "N mm"} if kind == 4 else None
    recording = jw.recordings.read_c3d(path, stated)
    (found,) = recording.plates
    assert found.vertical == up
    assert_allclose(found.times, recording.channels.times)
    assert_allclose(found.force, force, atol=1e-3)
    assert_allclose(found.moment, np.cross(place, force) + twist, atol=2e-3)
    assert_allclose(found.center_of_pressure(), place, atol=1e-5)
    assert_allclose(found.free_moment(), twist.sum(axis=1), atol=1e-3)


def test_as_another_reader_has_it(tmp_path, plate):
    """The file's library extracts plates, too: in the file's unit, the force as it stands."""
    plates = [plate(kind, center=(kind, 0, 0))[0] for kind in (1, 2, 3, 4)]
    path = write(tmp_path / "walk.c3d", plates)
    stated = {"force": "N", "moment": "N mm"}  # type 4 has volts
    theirs = ezc3d.c3d(str(path), extract_forceplat_data=True)["data"]["platform"]
    for ours, their in zip(jw.recordings.read_c3d(path, stated).plates, theirs, strict=True):
        assert_allclose(ours.force, their["force"].T, atol=1e-3)
        center = their["corners"].mean(axis=1) / 1000
        if their is not theirs[0]:  # of type 1 their moment has the opposite sign
            about = ours.moment - np.cross(center, ours.force)
            assert_allclose(about, their["moment"].T / 1000, atol=1e-3)
        assert_allclose(ours.center_of_pressure(), their["center_of_pressure"].T / 1000, atol=1e-5)


def test_what_a_file_holds(tmp_path, plate):
    """It unpacks into markers and channels, and pickles."""
    path = write(tmp_path / "walk.c3d", [plate(2)[0], plate(3, center=(1, 0, 0))[0]])
    recording = jw.recordings.read_c3d(path)
    markers, channels = recording
    assert recording[0] is markers is recording.markers
    assert channels.names == tuple(f"C{k}" for k in range(14))
    assert len(recording.plates) == 2
    assert recording.plates is recording.plates
    again = pickle.loads(pickle.dumps(jw.recordings.read_c3d(path)))
    assert_allclose(again.plates[1].wrench, recording.plates[1].wrench)
    assert markers.header["Units"] == "mm"
    assert_allclose(markers.in_metres()["TOE"], 1.5)
    assert markers.in_metres().header["Units"] == "m"


def test_in_the_axes_of_a_model(tmp_path, plate):
    recording = jw.recordings.read_c3d(write(tmp_path / "walk.c3d", [plate(2)[0]]))
    turned = pickle.loads(pickle.dumps(recording.turned("y z x")))
    assert_allclose(turned.markers["TOE"], recording.markers["TOE"][:, [1, 2, 0]])
    assert_allclose(turned.plates[0].force, recording.plates[0].force[:, [1, 2, 0]])
    twice = recording.turned("y z x").turned("y z x")
    assert_allclose(twice.plates[0].force, recording.plates[0].force[:, [2, 0, 1]])


def test_signs_what_acts_on_the_plate_is_turned_round(tmp_path, plate):
    made, force, _, twist = plate(2, on=-1.0)
    path = write(tmp_path / "walk.c3d", [made])
    with pytest.warns(UserWarning, match=r"would pull the person .* forces_on='plate'"):
        (found,) = jw.recordings.read_c3d(path).plates
    assert_allclose(found.force, force, atol=1e-3)
    assert_allclose(found.free_moment(), twist[:, 2], atol=1e-3)
    (stated,) = jw.recordings.read_c3d(path, forces_on="plate").plates
    assert_allclose(stated.wrench, found.wrench)
    (kept,) = jw.recordings.read_c3d(path, forces_on="person").plates
    assert_allclose(kept.wrench, -found.wrench)


def test_signs_a_plate_without_load_has_no_say(tmp_path, plate, rng):
    loaded, force, *_ = plate(2, on=-1.0)
    noise = (2, *plate(2, center=(2, 0, 0))[0][1:3], rng.normal(size=(6, SAMPLES)), np.eye(6))
    path = write(tmp_path / "walk.c3d", [noise, loaded])
    with pytest.warns(UserWarning, match="would pull the person"):
        plates = jw.recordings.read_c3d(path).plates
    assert_allclose(plates[1].force, force, atol=1e-3)


def test_signs_an_offset_is_no_load(tmp_path, plate):
    made = plate(2)[0]
    offset = (*made[:3], np.outer([0, 0, 5, 0, 0, 0], np.ones(SAMPLES)), made[4])
    (found,) = jw.recordings.read_c3d(write(tmp_path / "walk.c3d", [offset])).plates
    assert_allclose(found.force[:, 2], -5)


def test_signs_each_plate_for_itself(tmp_path, plate):
    """One is as the standard has it, one not, and one is stuck: it has no say."""
    made = [plate(2)[0], plate(2, center=(1, 0, 0), on=-1.0)[0], plate(2, center=(2, 0, 0))[0]]
    constant = np.outer([0, 0, 1448, 0, 0, 0], np.ones(SAMPLES))
    path = write(tmp_path / "walk.c3d", [*made[:2], (*made[2][:3], constant, made[2][4])])
    with pytest.warns(UserWarning, match="platform") as caught:
        plates = jw.recordings.read_c3d(path).plates
    texts = [str(one.message) for one in caught]
    assert len(texts) == 2
    assert "the forces of platform 2 of walk.c3d would pull" in texts[0]
    assert "platform 3 of walk.c3d shows -1448 N throughout: it is stuck" in texts[1]
    assert [bool(one.force[:, 2].mean() > 100) for one in plates] == [True, True, False]


def test_signs_origin_to_either_side(tmp_path, plate):
    """The surface is above the sensors, whichever way the file's vector points."""
    made = plate(2)[0]
    opposite = (*made[:2], -made[2], *made[3:])
    path = tmp_path / "walk.c3d"
    found = [jw.recordings.read_c3d(write(path, [x])).plates[0] for x in (made, opposite)]
    assert_allclose(found[0].wrench, found[1].wrench)


def test_signs_corners_the_other_way_round(tmp_path, load):
    """A plate whose axes have z up: ORIGIN points up then, and forces are up."""
    force, place, twist = load
    corners = corners_at((0, 0, 0.0))[:, [0, 3, 2, 1]]
    origin = np.array([0, 0, 0.04])
    data = channels_of(2, corners, origin, force, place, twist, None)
    path = write(tmp_path / "walk.c3d", [(2, corners, origin, data, np.eye(6))])
    (found,) = jw.recordings.read_c3d(path).plates
    assert_allclose(found.force, force, atol=1e-3)
    assert_allclose(found.center_of_pressure(), place, atol=1e-5)


def test_baseline(tmp_path, plate):
    """What the channels show in the frames that ZERO names is taken away."""
    made, force, *_ = plate(2)
    drift = np.array([3.0, -4, 20, 1, 2, 3])[:, None]
    empty = np.where(np.arange(SAMPLES) < 2 * PER_FRAME, 0, made[3])
    path = write(tmp_path / "walk.c3d", [(*made[:3], empty + drift, made[4])])
    (found,) = jw.recordings.read_c3d(path, baseline=True).plates
    assert_allclose(found.force[30:], force[30:], atol=1e-3)
    assert_allclose(found.force[:20], 0, atol=1e-3)
    assert abs(jw.recordings.read_c3d(path).plates[0].force[:20]).max() > 10
    none = write(tmp_path / "none.c3d", [made], ZERO=[1, 0])
    refused(lambda: jw.recordings.read_c3d(none, baseline=True), "baseline")


@pytest.mark.parametrize("moment", ["N-mm", "N.m", "ntmm"])
def test_units_ways_to_write_them(tmp_path, plate, moment):
    made, force, place, twist = plate(2)
    (found,) = jw.recordings.read_c3d(write(tmp_path / "walk.c3d", [made], moment=moment)).plates
    assert_allclose(found.moment, np.cross(place, force) + twist, atol=2e-3)


def test_units_unknown_ones_are_told_together(tmp_path, plate):
    plates = [plate(2)[0], plate(3, center=(1, 0, 0))[0], plate(4, center=(2, 0, 0))[0]]
    path = write(tmp_path / "walk.c3d", plates, length="furlong", force="", moment="?")
    recording = jw.recordings.read_c3d(path)
    with refusal("path") as caught:
        recording.plates  # noqa: B018
    text = str(caught.value)
    for number, words in (
        (1, "the unit of length is 'furlong', which is not known. Use units={'length': 'mm'}"),
        (1, "the unit of force is ''"),
        (2, "the unit of force is ''"),
        (3, "the unit of force is 'V'"),
    ):
        assert f"platform {number}: {words}" in text
    stated = {"length": "m", "force": "N", "moment": "N m"}
    assert len(jw.recordings.read_c3d(path, stated).plates) == 3


@pytest.mark.parametrize("held", ["m", "mm", "N mm"])
def test_units_suspects_other_lengths_and_moments(tmp_path, plate, held):
    made, _, place, _ = plate(2)
    path, group = tmp_path / "walk.c3d", {}
    if held == "N mm":
        wrong = made[3] * np.repeat([[1.0], [1000.0]], 3, axis=0)
        write(path, [(*made[:3], wrong, made[4])], "m", "Nm")
    else:
        group["CORNERS"] = made[1][..., None] / LENGTHS[held]
        group["ORIGIN"] = made[2][:, None] / LENGTHS[held]
        write(path, [made], "m" if held == "mm" else "mm", **group)
    refused(lambda: jw.recordings.read_c3d(path).plates, "path")
    stated = {"length": held} if group else {"moment": held}
    (found,) = jw.recordings.read_c3d(path, stated).plates
    assert_allclose(found.center_of_pressure(), place, atol=1e-5)


def test_units_suspects_markers(tmp_path, plate):
    path = write(tmp_path / "walk.c3d", [plate(2)[0]], "mm")
    file = ezc3d.c3d(str(path))
    file["parameters"]["POINT"]["UNITS"]["value"] = ("m",)
    file.write(str(path))
    with pytest.warns(UserWarning, match=r"declares that markers are in m, but they are 1499 m"):
        jw.recordings.read_c3d(path)
    markers, _ = jw.recordings.read_c3d(path, {"length": "mm"})
    assert_allclose(markers.in_metres()["TOE"], 1.5)


WRONG_UNITS = [("mm", TypeError), ({"size": "mm"}, ValueError), ({"length": 3}, TypeError)]
WRONG_UNITS.append(({"moment": "mm"}, ValueError))


@pytest.mark.parametrize(("units", "error"), WRONG_UNITS)
def test_units_refuses(units, error):
    refused(lambda: jw.recordings.read_c3d("walk.c3d", units), "units", error)
    refused(lambda: jw.recordings.read_trc("walk.trc", units), "units", error)


def test_refuses_all_that_is_wrong_at_once(tmp_path, plate):
    plates = [plate(kind, center=(k, 0, 0))[0] for k, kind in enumerate((2, 4, 3, 2, 2))]
    numbers = np.zeros((8, 5), dtype=int)
    numbers[:6] = np.arange(1, 7)[:, None]
    numbers[2:4, 0] = 99, 0
    corners = np.stack([p[1] * 1000 for p in plates], -1)
    corners[..., 3] = 0
    origins = np.zeros((3, 5))
    origins[2] = np.nan, 0, 0, 0, 0
    places = {"CORNERS": corners, "ORIGIN": origins, "CAL_MATRIX": np.zeros((6, 6, 5))}
    path = write(tmp_path / "walk.c3d", plates, TYPE=[2, 4, 3, 2, 7], CHANNEL=numbers, **places)
    with refusal("path") as caught:
        jw.recordings.read_c3d(path, {"force": "N", "moment": "N m"}).plates  # noqa: B018
    lines = str(caught.value).splitlines()[1:]
    for words in (
        "platform 1: ORIGIN is not finite",
        "platform 1: CHANNEL names channel 99, 0, but the file has 32",
        "platform 2: CAL_MATRIX is zero, and type 4 has no force without it",
        "platform 3: ORIGIN has no distances from the middle to the sensors",
        "platform 3: CHANNEL names channel 0, 0, but",
        "platform 4: CORNERS are not a rectangle, so its position is unknown",
        "platform 5: TYPE is 7, known ones are 1, 2, 3, 4",
    ):
        assert sum(words in line for line in lines) == 1
    assert len(lines) == 7


@pytest.mark.parametrize(
    "garbage", [np.zeros((3, 4)), np.full((3, 4), np.nan), 1e10 * corners_at((0.3, 0.1, 0.0))]
)
def test_a_plate_that_is_nowhere_is_left_out(tmp_path, plate, garbage):
    """Unused entries of some files hold whatever was in memory."""
    good, force, _, _ = plate(2)
    there = (2, garbage, *good[2:])
    path = write(tmp_path / "walk.c3d", [there, good])
    words = r"platform 1 of walk.c3d is left out: CORNERS .*\. `plates` has platform 2\.$"
    with pytest.warns(UserWarning, match=words):
        (found,) = jw.recordings.read_c3d(path).plates
    assert_allclose(found.force, force, atol=1e-3)
    alone = jw.recordings.read_c3d(write(tmp_path / "none.c3d", [there]))
    with refusal("path"):
        _ = alone.plates


def test_refuses_what_is_no_c3d(tmp_path):
    (tmp_path / "walk.c3d").write_text("Frame#")
    refused(lambda: jw.recordings.read_c3d(tmp_path / "walk.c3d"), "path")
    refused(lambda: jw.recordings.read_c3d(tmp_path / "lost.c3d"), "path", FileNotFoundError)
    with refusal("path", IsADirectoryError):  # ezc3d would read for ever
        jw.recordings.read_c3d(tmp_path)


def test_refuses_plates_without_calibration(tmp_path, plate):
    path = write(tmp_path / "walk.c3d", [plate(4)[0]], CAL_MATRIX=np.zeros((6, 6, 0)))
    refused(lambda: jw.recordings.read_c3d(path, {"force": "N", "moment": "N m"}).plates, "path")
