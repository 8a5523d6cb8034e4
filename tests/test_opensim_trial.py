"""A walking trial of OpenSim's pipeline: coordinates as OpenSim found them."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose

import jointwrench as jw

DATA = jw.example_data("whole_trial")

#: What OpenSim's inverse kinematics found in some frames, in degrees and metres, in the order of
#: the model: the stored results of its pipeline Gait10dof18musc (opensim-models, CC BY 3.0, A. Seth
#: and others; see jw.example_data("SOURCE.md")).
OPENSIM = {
    0: (
        *(10.32996, 0.61213, 1.0179, -29.10816, -5.12861),
        *(12.8153, 11.53588, -0.62252, -4.61418, -26.13945),
    ),
    30: (
        *(6.69951, 0.58679, 1.03454, 16.31553, -17.98091),
        *(0.62233, -18.06329, 1.04422, 5.67031, -23.16104),
    ),
    60: (
        *(7.31457, 0.59133, 1.04579, -6.43873, -9.30354),
        *(7.48027, 15.53752, -57.03726, 2.23614, -22.51656),
    ),
    90: (
        *(8.1474, 0.59799, 1.03828, 2.18753, -67.42557),
        *(-2.64235, 3.92805, -14.65789, 1.61315, -21.1982),
    ),
    120: (
        *(7.66724, 0.60911, 1.01202, 16.71388, -23.60175),
        *(0.48106, -17.98303, -37.37801, 0.63808, -16.37683),
    ),
    150: (
        *(8.55862, 0.5971, 1.00764, -28.96475, -5.45919),
        *(14.0394, 14.92655, -5.31334, -6.4046, -15.92098),
    ),
}
LENGTHS = [1, 2]  # the columns that are no angles


@pytest.fixture(scope="module")
def trial():
    """The model, what was found, and the weights."""
    model = jw.read_osim(DATA / "subject01.osim")
    markers = jw.read_trc(DATA / "walk.trc").in_metres()
    tasks = jw.read_tracking_tasks(DATA / "setup_ik.xml")
    found = jw.inverse_kinematics(
        model,
        markers,
        weights=tasks.weights,
        targets=tasks.targets,
        times=np.arange(151) / 60,
        smoothing=jw.Smoothing(cutoff=6.0),
    )
    return model, markers, tasks.weights, found


def test_coordinates_are_those_of_opensim(trial):
    """Its accuracy of 1e-5 leaves some hundredths of a degree; its squares are never less."""
    model, markers, weights, found = trial
    assert found.converged.all()
    assert found.coordinates == tuple(model.coordinates)
    rows = [*OPENSIM]
    theirs = np.array([*OPENSIM.values()])
    ours = np.degrees(found.q[rows])
    ours[:, LENGTHS] = found.q[rows][:, LENGTHS]
    limits = np.full(10, 0.06)
    limits[LENGTHS] = 0.0002
    assert (np.abs(ours - theirs) < limits).all()
    q = np.radians(theirs)
    q[:, LENGTHS] = theirs[:, LENGTHS]
    kinematics = model.kinematics(points={n: model.markers[n] for n in found.markers}, frames={})
    still = np.zeros(10)
    places = kinematics.compile("positions")(q, still, still).positions
    seen = np.stack([markers[name][rows] for name in found.markers], axis=1)
    own = np.array([weights[name] for name in found.markers])
    squares = [
        (x**2) @ own for x in (found.residuals[rows], np.linalg.norm(places - seen, axis=-1))
    ]
    assert (squares[0] <= squares[1] * (1 + 1e-9)).all()
    assert_allclose(*squares, rtol=1e-5)


def test_a_start_finds_itself_whichever_way_somebody_walks(trial):
    """A turn of the laboratory by half about z: upside down for the model's own pose."""
    model, markers, weights, found = trial
    part = {name: markers[name][60:62] * [-1, -1, 1] for name in found.markers}
    again = jw.inverse_kinematics(model, part, weights=weights, times=[0, 1])
    turn = np.mod(again.q[:, 0] - found.q[60:62, 0], 2 * np.pi)
    assert_allclose(turn, np.pi, atol=1e-5)
    assert_allclose(again.q[:, 1:3], -found.q[60:62, 1:3], atol=1e-5)
    assert_allclose(again.q[:, 3:], found.q[60:62, 3:], atol=1e-5)


def test_exchanged_markers_are_named(trial):
    model, markers, weights, found = trial
    part = {name: markers[name][::10] for name in found.markers}
    part["R.Heel"], part["L.Heel"] = part["L.Heel"], part["R.Heel"]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        jw.inverse_kinematics(model, part, weights=weights, times=np.arange(16))
    texts = [str(each.message) for each in caught]
    assert any("'R.Heel' is 0.3" in text for text in texts)
    assert any("'L.Heel' is 0.3" in text for text in texts)
    part = {name: markers[name][::10] for name in found.markers}
    part["R.ASIS"], part["L.ASIS"] = part["L.ASIS"], part["R.ASIS"]
    belongs = [f"'{a}.ASIS' is 0.26.* from the place of '{b}.ASIS'" for a, b in ("RL", "LR")]
    with pytest.warns(UserWarning, match=belongs[0]), pytest.warns(UserWarning, match=belongs[1]):
        jw.inverse_kinematics(model, part, weights=weights, times=np.arange(16))
    assert not any("Acromium" in text for text in texts)


def test_millimetres_are_suspected(trial):
    model, _, weights, _ = trial
    markers = jw.read_trc(DATA / "walk.trc")
    with pytest.raises(ValueError, match=r"millimetres are suspected\. Use markers.in_metres\(\)"):
        jw.inverse_kinematics(model, markers, weights=weights)
