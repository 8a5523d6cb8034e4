"""Marker sets of OpenSim models, and the tasks of inverse kinematics."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from osim_texts import body, document, joint
from refusals import refused

import jointwrench as jw

ROD = body("rod", 2, (0, 0.5, 0), (0.1, 0.1, 0.1))
PIN = joint("PinJoint", "pin", "ground", (0, 1, 0), "rod")


def marker(name, place, frame="<socket_parent_frame>/bodyset/rod</socket_parent_frame>", more=""):
    return f'<Marker name="{name}">{frame}<location>{place}</location>{more}</Marker>'


def markers(*elements):
    return f"<MarkerSet><objects>{''.join(elements)}</objects></MarkerSet>"


def model_with(*elements, **options):
    return jw.musculoskeletal.read_osim(document("m", ROD, PIN, "", markers(*elements)), **options)


@pytest.mark.parametrize(
    "frame",
    [
        "<socket_parent_frame>/bodyset/rod</socket_parent_frame>",
        "<socket_parent_frame>../../bodyset/rod</socket_parent_frame>",
        "<socket_parent_frame_connectee_name>bodyset/rod</socket_parent_frame_connectee_name>",
        "<body>rod</body>",
    ],
)
def test_markers_of_all_formats(frame):
    model = model_with(marker("tip", "0.1 2 0", frame))
    place = model.markers["tip"].pos_from(model.origins["rod"])
    assert_allclose([float(x) for x in place.to_matrix(model.bodies["rod"].frame)], [0.1, 2, 0])
    assert not any("Marker" in line for line in model.left_out)


def test_markers_of_a_file_of_their_own():
    more = f"<OpenSimDocument>{markers(marker('tip', '0 3 0'), marker('mid', '0 1 0'))}"
    model = model_with(marker("tip", "0 2 0"), markers=f"{more}</OpenSimDocument>")
    assert [*model.markers] == ["tip", "mid"]
    assert model.markers["tip"].pos_from(model.origins["rod"]).dot(model.bodies["rod"].y) == 3


def test_wrong_markers_are_named():
    wrong = marker("a", "0 0 0", "<body>stick</body>"), marker("b", "0 0")
    refused(lambda: model_with(*wrong), "source")


def test_locked_and_clamped_coordinates():
    inner = "<locked>true</locked><clamped>true</clamped><default_value>0.3</default_value>"
    angle = f'<coordinates><Coordinate name="angle">{inner}</Coordinate></coordinates>'
    pin = PIN.replace("<coordinates></coordinates>", angle)
    model = jw.musculoskeletal.read_osim(document("m", ROD, pin))
    assert (model.locked, model.clamped) == ({"angle": 0.3}, ("angle",))


def task(name, kind="IKMarkerTask", **children):
    inner = "".join(f"<{key}>{value}</{key}>" for key, value in children.items())
    return f'<{kind} name="{name}">{inner}</{kind}>'


def tasks(*elements):
    return f"<IKTaskSet><objects>{''.join(elements)}</objects></IKTaskSet>"


def test_weights_and_targets():
    text = tasks(
        task("heel", apply="true", weight=2),
        task("ankle", apply="false", weight=1),
        task("toe"),
        task("hip", "IKCoordinateTask", weight=10),
        task("knee", "IKCoordinateTask", weight=5, value_type="manual_value", value=0.2),
    )
    found = jw.musculoskeletal.read_tracking_tasks(text)
    assert found.weights == {"heel": 2, "toe": 1}
    assert found.targets == {"hip": (None, 10), "knee": (0.2, 5)}


def test_tasks_in_a_file_of_their_own(tmp_path):
    (tmp_path / "tasks.xml").write_text(tasks(task("heel", weight=3)))
    setup = tmp_path / "setup.xml"
    setup.write_text('<InverseKinematicsTool><IKTaskSet file="tasks.xml"/></InverseKinematicsTool>')
    assert jw.musculoskeletal.read_tracking_tasks(setup).weights == {"heel": 3}
    (tmp_path / "tasks.xml").unlink()
    refused(lambda: jw.musculoskeletal.read_tracking_tasks(setup), "path")


def test_all_wrong_tasks_are_named():
    hip = task("hip", "IKCoordinateTask", value_type="from_file")
    text = tasks(task("heel", weight=-1), task("toe"), task("toe"), hip)
    refused(lambda: jw.musculoskeletal.read_tracking_tasks(text), "path")


def pendulum():
    """Return a rod on a pin, with two markers, and where these are after turns of 0.1 and 0.2."""
    own = [marker(name, place) for name, place in (("tip", "0 1 0"), ("side", "0.2 0.5 0"))]
    model = jw.musculoskeletal.read_osim(document("m", ROD, PIN, "", markers(*own)))
    kinematics = model.kinematics(points=model.markers, frames={})
    q = np.array([[0.1], [0.2]])
    places = kinematics.compile("positions")(q, 0 * q, 0 * q).positions
    return model, {name: places[:, k] for k, name in enumerate(kinematics.points)}


def test_a_model_keeps_what_is_compiled_for_the_next_record(monkeypatch):
    model, seen = pendulum()
    found = jw.inverse_kinematics(model, {"tip": seen["tip"]}, times=[0, 1])
    with monkeypatch.context() as context:
        context.setattr("jointwrench.mechanics.evaluation.compilation.compile_program", None)
        context.setattr("jointwrench.mechanics.methods.kinematics.Kinematics.__init__", None)
        again = jw.inverse_kinematics(model, seen, weights={"side": 2.0}, times=[0, 1])
    assert_allclose(found.q, [[0.1], [0.2]], atol=1e-9)
    assert_allclose(again.q, found.q, atol=1e-9)


def test_what_changed_since_counts():
    """A marker where it is; of a model that changed all is derived anew."""
    model, seen = pendulum()
    jw.inverse_kinematics(model, seen, times=[0, 1])
    model.bodies["rod"].mass = 3
    again = jw.inverse_kinematics(model, seen, times=[0, 1])
    assert_allclose(again.q, [[0.1], [0.2]], atol=1e-9)
    assert "kept" not in model.__getstate__()
    rod, tip = model.bodies["rod"], model.markers["tip"]
    tip.set_pos(model.origins["rod"], rod.y * np.cos(0.3) - rod.x * np.sin(0.3))
    moved = jw.inverse_kinematics(model, {"tip": seen["tip"]}, times=[0, 1])
    assert_allclose(moved.q, [[-0.2], [-0.1]], atol=1e-9)
