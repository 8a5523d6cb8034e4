"""C3D files: markers, channels, events, the person, and what a laboratory computed."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import jointwrench as jw
from jointwrench import read_c3d

ezc3d = pytest.importorskip("ezc3d")


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
    file.write(str(tmp_path / "walk.c3d"))
    markers, channels = read_c3d(tmp_path / "walk.c3d")
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
    file["data"]["points"] = np.ones((4, 300, 2)) * np.arange(300)[:, None]
    file.write(str(tmp_path / "many.c3d"))
    markers, _ = read_c3d(tmp_path / "many.c3d")
    assert list(markers) == names
    assert markers["M299"].tolist() == [[299] * 3] * 2


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
    file.write(str(tmp_path / "walk.c3d"))
    recording = read_c3d(tmp_path / "walk.c3d")
    assert recording.markers.names == ("HEEL", "TOE")
    assert_allclose(recording.markers.in_metres()["TOE"][0], np.array([10, 30, 50]) / 1000)
    assert {name: dict(x.header) for name, x in recording.computed.items()} == {
        "angles": {"Units": "deg"},
        "moments": {"Units": "Nmm"},
    }
    assert recording.computed["moments"].names == ("LKneeMoment",)
    assert_array_equal(recording.computed["angles"]["LKneeAngles"][1], [6, 26, 46])
    with pytest.raises(ValueError, match=r"`header\['Units'\]` must be a unit of length .*'deg'"):
        recording.computed["angles"].in_metres()


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
    file.write(str(tmp_path / "walk.c3d"))
    recording = pickle.loads(pickle.dumps(read_c3d(tmp_path / "walk.c3d")))
    assert recording.events == (
        (9.25, "Foot Strike", "right"),
        (63.5, "Foot Off", "left"),
        (120.0, "Jump", ""),
    )
    subject = recording.subject
    assert (subject.name, subject.mass, subject.height) == ("Ada", 74.0, 1.76)
    assert subject.measures["LLegLength"] == 920


@pytest.mark.parametrize(
    ("height", "metres"), [(1.63, 1.63), (163.0, 1.63), (1630.0, 1.63), (0.0, None)]
)
def test_height_of_a_subject(file, tmp_path, height, metres):
    file.add_parameter("SUBJECT", "HEIGHT", [height])
    file.write(str(tmp_path / "walk.c3d"))
    subject = read_c3d(tmp_path / "walk.c3d").subject
    assert subject.height == (None if metres is None else pytest.approx(metres))
    assert subject.mass is None


def test_a_file_without_events(file, tmp_path):
    file.write(str(tmp_path / "walk.c3d"))
    recording = read_c3d(tmp_path / "walk.c3d")
    assert (recording.events, recording.computed) == ((), {})
    assert recording.markers.names[1] == "LKneeAngles"


def test_channels_of_one_name_do_not_hide_the_markers(file, tmp_path):
    file["parameters"]["ANALOG"]["RATE"]["value"] = [100]
    file["parameters"]["ANALOG"]["LABELS"]["value"] = ("-- left", "Fz", "-- left")
    file["data"]["analogs"] = np.arange(15.0).reshape(1, 3, 5)
    file.write(str(tmp_path / "walk.c3d"))
    markers, channels = read_c3d(tmp_path / "walk.c3d")
    assert "HEEL" in markers
    assert_array_equal(channels["Fz"], np.arange(5.0, 10))
    with pytest.raises(ValueError, match="`names` must be all different, got '-- left' 2 times"):
        channels["-- left"]


def test_refuses_what_has_no_rate(file, tmp_path):
    file.write(str(tmp_path / "walk.c3d"))
    data = bytearray((tmp_path / "walk.c3d").read_bytes())
    data[20:24] = bytes(4)  # the rate in the header
    place = data.index(b"RATE")
    start = data.index(b"\x04\x00", place + 6)  # of four bytes each, no dimensions
    data[start + 2 : start + 6] = bytes(4)
    (tmp_path / "walk.c3d").write_bytes(data)
    with pytest.raises(ValueError, match=r"must have a frame rate, that of walk\.c3d is 0, so"):
        read_c3d(tmp_path / "walk.c3d")


def test_refuses_an_unknown_computer(tmp_path):
    (tmp_path / "walk.c3d").write_bytes(b"\x02P" + bytes(600))
    with pytest.raises(ValueError, match=r"walk\.c3d its parameters are of the computer 0, known"):
        read_c3d(tmp_path / "walk.c3d")


def test_a_file_that_is_cut_off(tmp_path):
    whole = jw.example_data("two_plates.c3d").read_bytes()
    path = tmp_path / "walk.c3d"
    path.write_bytes(whole[: len(whole) // 2])
    words = r"walk\.c3d declares 250 frames, but has 123. It may be cut off: copy it again."
    with pytest.warns(UserWarning, match=words):
        assert len(read_c3d(path).markers.times) == 123
