"""A walking trial of OpenSim's pipeline: coordinates as OpenSim found them."""

import warnings

import numpy as np
import pytest
import walking_trial
from numpy.testing import assert_allclose

import jointwrench as jw

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

#: What OpenSim 4.6 makes of that by inverse dynamics with a low-pass of 6 Hz, in N and N m, at
#: the ends of the record, too.
FORCES = {
    0: (2.02, -118.06, -41.57, 16.78, -43.85, -122.89, -8.13, -11.92, -6.66, 20.31),
    25: (-8.25, 9.54, 2.22, 0.78, -2.28, 1.45, -7.41, -35.18, -67.33, 14.66),
    50: (-20.22, 5.98, -22.36, -42.24, 25.84, -18.54, 4.28, 3.27, 1.98, 27.38),
    75: (-7.26, -29.65, 44.32, 28.65, -54.84, -129.48, -19.71, -14.56, 1.15, 17.61),
    100: (-2.3, 1.38, -4.25, 2.43, -2.5, 1.78, -1.84, -28.69, -58.58, 12.26),
    125: (-24.24, 11.22, -16.57, -33.53, 27.51, -27.76, 4.51, 4.38, 1.79, 14.57),
    150: (-25.36, -122.0, -167.15, 12.44, -45.05, -123.11, -24.2, -10.16, 8.97, 3.89),
}


@pytest.fixture(scope="module")
def trial():
    """The model, what was found, and the weights."""
    model, tasks = walking_trial.model(), walking_trial.tasks()
    markers = walking_trial.markers().in_metres()
    found = jw.inverse_kinematics(
        model,
        markers,
        weights=tasks.weights,
        targets=tasks.targets,
        times=np.arange(151) / 60,
        smoothing=jw.signals.Smoothing(cutoff=6.0),
    )
    return model, markers, tasks.weights, found


@pytest.fixture(scope="module")
def grounded():
    """What computes forces of coordinates, and the wrenches of the plates by their names."""
    model = jw.musculoskeletal.read_osim(walking_trial.FOLDER / "subject01.osim")
    reactions = [jw.ExternalWrench(model.system, x.body, x.name) for x in walking_trial.loads()]
    idyn = model.inverse_dynamics()
    return idyn, idyn.compile("generalized_forces", backend="numpy"), reactions


def specifieds_of(reactions, loads, times):
    parts = (x.specifieds(y.plate.at(times)) for x, y in zip(reactions, loads, strict=True))
    return {name: rows for part in parts for name, rows in part.items()}


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


def test_generalized_forces_are_those_of_opensim(trial, grounded):
    """From markers to forces, by filter="opensim"; another one is off by newtons."""
    *_, found = trial
    idyn, evaluate, reactions = grounded
    specifieds, errors = specifieds_of(reactions, walking_trial.loads(), found.times), {}
    for name in ("opensim", "winter"):
        motion = jw.Trajectory.from_samples(
            found.times, found.q, idyn=idyn, cutoff=6.0, filter=name, degrees=False
        )
        forces = evaluate(motion, specifieds=specifieds).generalized_forces
        errors[name] = np.abs(forces[[*FORCES]] - [*FORCES.values()])
    assert errors["opensim"].max() < 0.3
    assert errors["winter"].max() > 5


def test_plates_on_the_wrong_feet_are_told(trial, grounded):
    *_, found = trial
    _, evaluate, reactions = grounded
    specifieds = specifieds_of(reactions, walking_trial.loads()[::-1], found.times)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        evaluate(found.motion, specifieds=specifieds)
    texts = [str(each.message) for each in caught]
    for text, foot in zip(texts, ("calcn_r", "calcn_l"), strict=True):
        assert f"on {foot}) cannot be the force there: its force passes the foot at 0." in text


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
