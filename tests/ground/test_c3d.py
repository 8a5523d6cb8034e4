"""C3D files: markers, channels, events, the person, and what a laboratory computed."""

import pickle

import numpy as np
import pytest
from c3d_files import COMPUTERS, c3d_file, numbers
from numpy.testing import assert_allclose, assert_array_equal
from refusals import refused

import jointwrench as jw
from jointwrench.recordings import read_c3d

ezc3d = pytest.importorskip("ezc3d")


def read(file, tmp_path):
    """Return what is read of a file, one of ezc3d or bytes."""
    path = tmp_path / "walk.c3d"
    if isinstance(file, bytes | bytearray):
        path.write_bytes(file)
    else:
        file.write(str(path))
    return read_c3d(path)


def test_markers_and_channels(tmp_path, rng):
    file = ezc3d.c3d()
    points = np.ones((4, 2, 5))
    points[:3] = rng.normal(size=(3, 2, 5))
    points[:3, 1, 3] = np.nan
    file["parameters"]["POINT"]["RATE"]["value"] = [100]
    file["parameters"]["POINT"]["LABELS"]["value"] = ("HEEL", "TOE")
    file["data"]["points"] = points
    file["parameters"]["ANALOG"]["RATE"]["value"] = [1000]
    file["parameters"]["ANALOG"]["LABELS"]["value"] = ("Fx", "Fz")
    file["data"]["analogs"] = np.arange(100.0).reshape(1, 2, 50)
    markers, channels = read(file, tmp_path)
    assert_allclose(markers.times, np.arange(5) / 100)
    assert_allclose(markers["HEEL"], points[:3, 0].T, rtol=1e-6)
    assert np.isnan(markers["TOE"][3]).all()
    assert_allclose(channels["Fz"], np.arange(50.0, 100))
    assert_allclose(channels.times, np.arange(50) / 1000)


def test_more_than_255_markers(tmp_path):
    file = ezc3d.c3d()
    names = [f"M{k}" for k in range(300)]
    file["parameters"]["POINT"]["RATE"]["value"] = [100]
    file.add_parameter("POINT", "LABELS", names[:255])
    file.add_parameter("POINT", "LABELS2", names[255:])
    file["data"]["points"] = np.ones((4, 300, 2)) * np.arange(1, 301)[:, None]
    recording = read(file, tmp_path)
    assert (recording.channels, recording.plates) == (None, ())
    markers = recording.markers
    refused(markers.in_metres, "header")
    assert list(markers) == names
    assert markers["M299"].tolist() == [[300] * 3] * 2


@pytest.fixture
def file():
    """Return an empty file of 5 frames at 100 Hz of HEEL, TOE and two results of a program."""
    file = ezc3d.c3d()
    points = np.arange(60.0).reshape(3, 4, 5)
    file["parameters"]["POINT"]["RATE"]["value"] = [100]
    file["parameters"]["POINT"]["UNITS"]["value"] = ("mm",)
    file["parameters"]["POINT"]["LABELS"]["value"] = ("HEEL", "LKneeAngles", "TOE", "LKneeMoment")
    file["data"]["points"] = np.concatenate([points, np.ones((1, 4, 5))])
    return file


def test_what_a_laboratory_computed(file, tmp_path):
    """It is given as what it is, and not among the markers."""
    file.add_parameter("POINT", "ANGLES", ["LKneeAngles"])
    file.add_parameter("POINT", "ANGLE_UNITS", ["deg"])
    file.add_parameter("POINT", "MOMENTS", ["LKneeMoment", "RKneeMoment"])
    file.add_parameter("POINT", "MOMENT_UNITS", ["Nmm"])
    recording = read(file, tmp_path)
    assert recording.markers.names == ("HEEL", "TOE")
    assert_allclose(recording.markers.in_metres()["TOE"][0], np.array([10, 30, 50]) / 1000)
    headers = {name: dict(x.header) for name, x in recording.computed.items()}
    assert headers == {"angles": {"Units": "deg"}, "moments": {"Units": "Nmm"}}
    assert recording.computed["moments"].names == ("LKneeMoment",)
    assert_array_equal(recording.computed["angles"]["LKneeAngles"][1], [6, 26, 46])
    refused(lambda: recording.computed["angles"].in_metres(), "header")


def test_events_and_subject(file, tmp_path):
    for name, value in {
        "LABELS": ["Foot Off", "Foot Strike", "Jump"],
        "CONTEXTS": ["Left", "Right", "General"],
        "TIMES": np.array([[1, 0, 2], [3.5, 9.25, 0]]),
    }.items():
        file.add_parameter("EVENT", name, value)
    file.add_parameter("PROCESSING", "Bodymass", [74.0])
    file.add_parameter("PROCESSING", "Height", [1760.0])
    file.add_parameter("PROCESSING", "LLegLength", [920.0])
    file.add_parameter("SUBJECTS", "NAMES", ["Ada"])
    whole = read(file, tmp_path)
    changed = whole._replace(markers=whole.markers.only([1]))
    assert changed.markers.names == whole.markers.names[1:2]
    assert changed.subject == whole.subject
    recording = pickle.loads(pickle.dumps(whole))
    strike, off = (9.25, "Foot Strike", "right"), (63.5, "Foot Off", "left")
    assert recording.events == (strike, off, (120.0, "Jump", ""))
    subject = recording.subject
    assert (subject.name, subject.mass, subject.height) == ("Ada", 74.0, 1.76)
    assert subject.measures["LLegLength"] == 920


@pytest.mark.parametrize(
    ("height", "metres"), [(1.63, 1.63), (163.0, 1.63), (1630.0, 1.63), (0.0, None)]
)
def test_height_of_a_subject(file, tmp_path, height, metres):
    file.add_parameter("SUBJECT", "HEIGHT", [height])
    subject = read(file, tmp_path).subject
    assert subject.height == (None if metres is None else pytest.approx(metres))
    assert subject.mass is None


def test_a_file_without_events(file, tmp_path):
    recording = read(file, tmp_path)
    assert (recording.events, recording.computed) == ((), {})
    assert recording.markers.names[1] == "LKneeAngles"


def test_channels_of_one_name_do_not_hide_the_markers(file, tmp_path):
    file["parameters"]["ANALOG"]["RATE"]["value"] = [100]
    file["parameters"]["ANALOG"]["LABELS"]["value"] = ("-- left", "Fz", "-- left")
    file["data"]["analogs"] = np.arange(15.0).reshape(1, 3, 5)
    markers, channels = read(file, tmp_path)
    assert "HEEL" in markers
    assert_array_equal(channels["Fz"], np.arange(5.0, 10))
    refused(lambda: channels["-- left"], "names")


def test_refuses_an_unknown_computer(tmp_path):
    refused(lambda: read(b"\x02P" + bytes(600), tmp_path), "path")


def test_a_file_that_is_cut_off(tmp_path):
    whole = jw.example_data("two_plates.c3d").read_bytes()
    words = r"walk\.c3d declares 250 frames, but has 123. It may be cut off: copy it again."
    with pytest.warns(UserWarning, match=words):
        assert len(read(whole[: len(whole) // 2], tmp_path).markers.times) == 123


@pytest.mark.parametrize("computer", COMPUTERS)
@pytest.mark.parametrize("scale", [-1.0, 0.25])
def test_computers_and_kinds_of_numbers(tmp_path, rng, computer, scale):
    """Written from the description of the format; ezc3d reads the same, where it reads it."""
    places, channels = (np.round(rng.uniform(-900, 900, n)) / 4 for n in ((5, 3, 3), (5, 4, 2)))
    places[1, 2] = np.nan
    channels *= 4
    factors = {"SCALE": np.array([0.5, -2.0]), "OFFSET": np.array([0, 7]), "LABELS": ["Fx", "Fz"]}
    groups = {"POINT": {"LABELS": ["A", "B", "C"], "UNITS": ["mm"]}, "ANALOG": factors}
    data = c3d_file(groups, places, channels, 50.0, scale, computer, first=11)
    recording = read(data, tmp_path)
    assert_array_equal(recording.markers.positions, places)
    assert_allclose(recording.markers.times, 0.2 + np.arange(5) / 50)
    expected = (channels.reshape(-1, 2) - [0, 7]) * [0.5, -2]
    assert_array_equal(recording.channels.array, expected)
    assert_allclose(recording.channels.times, 0.2 + np.arange(20) / 200)
    if computer != "MIPS":  # which ezc3d does not read
        theirs = ezc3d.c3d(str(tmp_path / "walk.c3d"))["data"]
        assert_array_equal(theirs["points"][:3].transpose(2, 1, 0), places)
        assert_array_equal(theirs["analogs"][0].T, expected)


@pytest.mark.parametrize("words", [{"FORMAT": ["UNSIGNED"], "OFFSET": 100}, {"OFFSET": -0x8000}])
def test_words_without_sign(tmp_path, words):
    """Half of the range as an offset is that of unsigned words, whatever the file says of them."""
    offset = words["OFFSET"] % 65536
    raw = np.array([40000, 65000]).astype(np.uint16).astype(np.int16).reshape(2, 1, 1)
    groups = {"POINT": {"LABELS": ["A"]}, "ANALOG": {"LABELS": ["x"], **words}}
    groups["ANALOG"]["OFFSET"] = np.array([words["OFFSET"]])
    found = read(c3d_file(groups, np.ones((2, 1, 3)), raw, scale=1.0), tmp_path).channels["x"]
    assert found.tolist() == [40000 - offset, 65000 - offset]


FIELDS = {"ACTUAL_START_FIELD": np.array([3, 0]), "ACTUAL_END_FIELD": np.array([5, 0])}
LONG = {"fields": {"TRIAL": FIELDS}, "long": {"POINT": {"LONG_FRAMES": 3.0}}, "short": {}}


@pytest.mark.parametrize("more", LONG.values(), ids=LONG)
def test_trials_whose_last_frame_no_header_can_name(tmp_path, more):
    groups = more | {"POINT": {"LABELS": ["A"], **more.get("POINT", {})}}
    data = bytearray(c3d_file(groups, np.ones((3, 1, 3)), np.ones((3, 1, 0)), first=3))
    data[8:10] = b"\xff\xff"
    assert_allclose(read(data, tmp_path).markers.times, [0.02, 0.03, 0.04])


def changed(start, value, kind="u2"):
    return lambda data: data.__setitem__(slice(start, start + int(kind[1])), numbers([value], kind))


def parameter_changed(name, value, kind="u2", skipped=0):
    """Return a change of a number of the parameter, behind its name, link, type and shape."""

    def change(data):
        place = data.index(name) + len(name) + 4 + data[data.index(name) + len(name) + 3] + skipped
        changed(place, value, kind)(data)

    return change


@pytest.mark.parametrize(
    "change",
    [
        changed(2, 9),
        changed(4, 9),
        changed(8, 0),
        changed(12, np.nan, "f4"),
        changed(16, 2),
        parameter_changed(b"RATE", -5.0, "f4"),
        lambda data: [x(data) for x in (changed(20, 0, "f4"), parameter_changed(b"RATE", 0, "f4"))],
        lambda data: data.__delitem__(slice(560, None)),
    ],
)
def test_refuses_what_does_not_fit(tmp_path, change):
    groups = {"POINT": {"LABELS": ["A", "B"]}, "ANALOG": {"LABELS": ["x", "z"]}}
    data = bytearray(c3d_file(groups, np.ones((3, 2, 3)), np.ones((3, 4, 2))))
    change(data)
    refused(lambda: read(data, tmp_path), "path")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (changed(20, 50.0, "f4"), "says 50 and 100 in its header and in RATE, 100 is used"),
        (parameter_changed(b"FRAMES", 7), r"declares 7 frames \(POINT:FRAMES\), but has 3"),
        (lambda data: data.__delitem__(slice(-512, None)), "declares 3 frames, but has 2"),
        (changed(-256, np.inf, "f4"), "has 1 infinite numbers, the first one in time 0.0"),
    ],
)
def test_warns_of_what_does_not_fit(tmp_path, change, words):
    groups = {"POINT": {"LABELS": ["A"] * 16}, "ANALOG": {"LABELS": ["x"] * 16}}
    data = bytearray(c3d_file(groups, np.ones((3, 16, 3)), np.ones((3, 4, 16))))
    change(data)
    with pytest.warns(UserWarning, match=f"walk.c3d {words}"):
        read(data, tmp_path)


def test_labels_that_are_missing(tmp_path):
    group = {"TIMES": np.array([[0.0, 1], [2, np.inf]]), "LABELS": ["Foot Off"]}
    groups = {"POINT": {"LABELS": ["A"]}, "ANALOG": {}, "EVENT": group}
    data = c3d_file(groups, np.ones((3, 2, 3)), np.ones((3, 1, 1)))
    with pytest.warns(UserWarning, match="walk.c3d declares") as caught:
        recording = read(data, tmp_path)
    words = ("2 labels (POINT:USED)", "1 labels (ANALOG:USED)", "2 labels of events")
    assert all(x in str(y.message) for x, y in zip(words, caught, strict=True))
    assert (recording.markers.names, recording.channels.names) == (("A", ""), ("",))
    assert recording.events == ((2.0, "Foot Off", ""),)


@pytest.mark.parametrize("used", [np.inf, -np.inf, np.nan, 1.5, -1, 256, 1e9])
def test_numbers_of_plates_that_are_none(tmp_path, used):
    groups = {"POINT": {"LABELS": ["A"]}, "FORCE_PLATFORM": {"USED": used}}
    data = c3d_file(groups, np.ones((3, 1, 3)), np.ones((3, 1, 0)))
    refused(lambda: read(data, tmp_path).plates, "path")


def test_parameters_of_plates_that_are_words(tmp_path):
    groups = {"FORCE_PLATFORM": {"USED": ["two"], "ZERO": ["ab", "c"]}}
    groups["POINT"] = {"LABELS": ["A"]}
    assert read(c3d_file(groups, np.ones((3, 1, 3)), np.ones((3, 1, 0))), tmp_path).plates == ()
    refused(lambda: read_c3d(tmp_path / "walk.c3d", baseline=True), "baseline")
