"""Which foot is on which plate, and what cannot be: made walks with known answers."""

import re
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from refusals import refusal, refused
from sympy import Symbol

import jointwrench as jw
from jointwrench.recordings import ForcePlate

T = np.linspace(0, 2, 201)
FAST = np.linspace(0, 2, 2001)


def foot_at(x, y):
    """Return heel and toe (N, 2, 3) of a foot along x that stays where it is, z up."""
    return np.tile([[x, y, 0.03], [x + 0.25, y, 0.02]], (len(T), 1, 1))


def plate_at(x, y, start, end, noise=0.0, size=700.0, level=0.0):
    """Return a plate with a step from a start to an end, in the middle of a foot at (x, y)."""
    rng = np.random.default_rng(1)
    load = size * ((start <= FAST) & (end > FAST)) + level + noise * rng.normal(size=FAST.shape)
    force = np.stack([0.05 * load, 0 * load, load], -1)
    place = np.tile([x + 0.12, y, 0], (len(FAST), 1))
    return ForcePlate.from_center_of_pressure(FAST, force, place, vertical="z")


FEET = {"left": foot_at(0, 0.2), "right": foot_at(0.6, 0.0)}


def test_contacts_a_plate_that_starts_later_is_told():
    whole = plate_at(0, 0.2, 0.5, 1.1)
    parts = (x[200:] for x in (FAST, whole.force, whole.moment))
    late = ForcePlate(*parts, vertical="z")
    with refusal("plates"):
        jw.recordings.ground_reactions([plate_at(0.6, 0, 2, 2.5), late], T, FEET)


def test_contacts_noise_offset_and_spikes():
    """As real plates have them: a level of 26 N, noise across the threshold, short spikes."""
    plate = plate_at(0, 0, 0.5, 1.2, noise=8.0, level=26.0)
    plate.force[300:305, 2] += 100.0
    plate.force[900:905, 2] -= 740.0
    ((start, end),) = plate.contacts()
    assert_allclose([start, end], [0.5, 1.2], atol=0.002)
    assert len(plate.contacts(least=0.0, release=20.0)) > 1


def test_contacts_a_stated_baseline():
    plate = plate_at(0, 0, 0.5, 1.2, level=26.0)
    assert plate.contacts(baseline=0.0) == []  # it is loaded throughout then
    assert len(plate.contacts(baseline=26.0)) == 1


def test_contacts_a_load_that_never_rests_has_no_baseline():
    load = 700 * np.sin(np.pi * FAST / 2)
    plate = ForcePlate(FAST, np.stack([0 * load, 0 * load, load], -1), vertical="z")
    ((first, _),) = plate.contact_rows()
    assert load[first - 1] <= 20 < load[first]


def test_contacts_somebody_who_stands_there_is_no_baseline():
    plate = plate_at(0, 0, -1, 3)
    assert plate.contact_rows() == [(0, 2001)]
    refused(plate.zeroed, "self")


def test_contacts_zeroed_takes_a_drift_away():
    clean, drift = plate_at(0, 0, 0.5, 1.2), np.linspace(5, 15, 2001)
    moved = ForcePlate(FAST, clean.force + drift[:, None], clean.moment, vertical="z")
    assert_allclose(moved.zeroed().wrench, clean.wrench, atol=1e-6)


def test_contacts_during():
    part = plate_at(0, 0, 0.2, 1.2).during(0.5, 0.8)
    assert part.load[[499, 801]].tolist() == [0, 0]
    assert part.load[500] == part.load[800] == 700


def test_steps_who_is_where():
    plates = [plate_at(0.6, 0.0, 0.3, 0.9), plate_at(0, 0.2, 0.8, 1.5)]
    found = jw.recordings.ground_reactions(plates, T, FEET)
    assert [(s.plate, s.foot, s.notes) for s in found.steps] == [(0, "right", ()), (1, "left", ())]
    inside = (T > 0.32) & (T < 0.88)
    assert_allclose(found.plates["right"].load[inside], 700)
    assert_allclose(found.plates["right"].load[T > 0.92], 0, atol=1e-9)
    assert_allclose(found.plates["left"].wrench[100], plates[1].at(T[100]).wrench[0])


def test_steps_one_foot_on_two_plates():
    """It is noted, and the foot has the sum of both."""
    plates = [plate_at(0, 0.2, 0.3, 1.0, size=300.0), plate_at(0.05, 0.2, 0.35, 1.0, size=400.0)]
    found = jw.recordings.ground_reactions(plates, T, FEET)
    assert {s.notes for s in found.steps} == {("left is on plates 1 and 2 at once",)}
    assert_allclose(found.plates["left"].load[60], 700)


def test_steps_two_feet_on_one_plate():
    first, second = plate_at(0, 0.2, 0.3, 0.7), plate_at(0.6, 0.0, 0.7, 1.2)
    both = ForcePlate(FAST, first.force + second.force, first.moment + second.moment, None, "z")
    with pytest.warns(UserWarning, match=r"both feet \(left and right\) are on plate 1, from"):
        (step,) = jw.recordings.ground_reactions([both], T, FEET).steps
    assert "both feet" in step.notes[0]


def test_steps_nobody_near():
    with pytest.warns(UserWarning, match=r"no foot is on plate 1 \(.* from the nearest one\)"):
        found = jw.recordings.ground_reactions([plate_at(0, 2.0, 0.3, 0.9)], T, FEET)
    assert found.steps[0].foot == ""
    assert not found.plates["left"].wrench.any()


def test_steps_refuses():
    with refusal("feet"):
        jw.recordings.ground_reactions([], T, {"left": np.zeros((201, 2, 4))})


class TestWhatCannotBe:
    PLATE = plate_at(0, 0.2, 0.3, 1.0).at(T)

    def faults(self, plate, foot=FEET["left"], **options):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            jw.recordings.check_ground_reaction(plate, foot, 70.0, **options)
        return [str(one.message) for one in caught]

    def test_what_is_right_is_not_told(self):
        assert self.faults(self.PLATE, up=(0, 0, 1)) == []
        assert self.faults(ForcePlate(T, np.zeros((201, 3)))) == []

    def test_all_that_is_wrong(self):
        force, moment = self.PLATE.force, self.PLATE.moment
        drifting = force + np.linspace(-30, 40, 201)[:, None] * [0, 0, 1]
        cases = {
            "the wrong plate": (ForcePlate(T, force, -moment, None, "z"), {}),
            "N mm": (ForcePlate(T, force, 50 * moment, None, "z"), {}),
            "use newtons": (ForcePlate(T, force / 1000, moment / 1000, None, "z"), {}),
            "use metres": (self.PLATE, {"foot": 1000 * FEET["left"]}),
            "wrong plate or foot": (self.PLATE, {"foot": FEET["right"]}),
            "not up but along z": (self.PLATE, {"up": (0, 1, 0)}),
            "it is stuck": (plate_at(0, 0.2, -1, 3).at(T), {}),
            "without load": (plate_at(0, 0.2, 0.3, 1.0, level=50.0).at(T), {}),
            "drifts by 6": (ForcePlate(T, drifting, moment, None, "z"), {}),
        }
        for words, (plate, options) in cases.items():
            (text,) = self.faults(plate, **options)
            assert text.startswith("`plate` cannot be the force on the foot: ")
            assert words in text

    def test_segment_wrenches_tells_it(self):
        heel, toe = FEET["left"][:, 0], FEET["left"][:, 1]
        options = {"rotations": np.tile(np.eye(3), (201, 1, 1))}
        foot = jw.gait.MarkerSegment("foot", heel, toe, 1.0, 0.5, np.full(3, 0.01), **options)
        down = {"gravity": (0, 0, -9.81)}
        jw.gait.segment_wrenches(T, [foot], {"foot": self.PLATE}, **down)
        wrong = ForcePlate(T, self.PLATE.force, -self.PLATE.moment, None, "z")
        with pytest.warns(UserWarning, match=r"`loads\['foot'\]` cannot be what acts on it: its f"):
            jw.gait.segment_wrenches(T, [foot], {"foot": wrong}, **down)


def told(model, reaction, motion, plate, constants=None):
    """Return the warnings of two evaluations with a plate."""
    evaluate = jw.InverseDynamics(model).compile(backend="numpy")
    specifieds = reaction.specifieds(plate)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(2):
            evaluate(*motion, constants=constants, specifieds=specifieds, times=plate.times)
    return [str(one.message) for one in caught]


@pytest.fixture(scope="module", params=["leg", "body"])
def standing(request):
    """Return what evaluates a leg or a body that stands upright, its hip at (0.5 m, 0)."""
    makers = {"leg": (jw.gait.planar_leg, "foot"), "body": (jw.gait.planar_body, "foot_right")}
    maker, foot = makers[request.param]
    person = maker(1.75, 70.0)
    model = person.chain if request.param == "leg" else person.system
    reaction = jw.ExternalWrench(model, foot, components="fx fy mz")
    height = sum(person.person[name].length for name in ("thigh", "shank"))

    def texts(plate, scale=1.0):
        places = {"hip_x": 0.5 * scale, "hip_y": height * scale}
        q = np.tile([places.get(c.name, 0.0) for c in person.system.q], (len(plate.times), 1))
        constants = person.constants_of(jw.InverseDynamics(person.system))
        return told(person.system, reaction, (q, 0 * q, 0 * q), plate, constants)

    return texts


class TestInAModel:
    """Wherever a plate meets a model: its own motion tells where the segment is."""

    @staticmethod
    def plate(sign=1.0, size=700.0, axis=1):
        load = size * ((T > 0.5) & (T < 1.2))
        force = np.zeros((len(T), 3))
        force[:, axis] = load
        moment = np.stack([0 * load, 0 * load, sign * 0.58 * load], -1)
        return ForcePlate(T, force, moment, vertical="xyz"[axis])

    def test_what_is_right_is_not_told(self, standing):
        assert standing(self.plate()) == []

    @pytest.mark.parametrize(
        ("plate", "scale", "words"),
        [
            ({"sign": -1.0}, 1.0, r"its force passes the foot at 1\.\d+, the foot is 0\.\d+ long"),
            ({}, 1000.0, "its force passes the foot at 499"),
            ({"sign": 100.0}, 1.0, "or in N mm"),
            ({"size": 0.7}, 1.0, r"its largest force is 0\.7, not between .* \(use newtons\)"),
            pytest.param(
                {"size": -700.0},
                1.0,
                "its force is not up but along -y .* or change its sign",
                marks=pytest.mark.filterwarnings("ignore:`force` must act on the person"),
            ),
        ],
    )
    def test_what_is_wrong_is_told_once(self, standing, plate, scale, words):
        (text,) = standing(self.plate(**plate), scale)
        assert text.startswith("`specifieds` of ExternalWrench(ground_fx, ground_fy, ground_mz on ")
        assert re.search(words, text)

    def test_a_model_without_gravity_or_line_of_action_is_not_looked_at(self):
        for gravity, components in (((0, 0, 0), "fx fy mz"), ((0, -9.81, 0), "fy")):
            chain = jw.SerialChain([jw.Segment("rod", 1, 1, inertia=1)], gravity=gravity)
            reaction = jw.ExternalWrench(chain, 0, components=components)
            still = np.zeros((3, len(T), 1))
            assert told(chain.system, reaction, still, self.plate(-1.0)) == []

    def test_nor_is_one_whose_gravity_is_zero_for_once(self):
        g, m = Symbol("g"), Symbol("m")
        chain = jw.SerialChain([jw.Segment("rod", 1, m, inertia=1)], gravity=(0, -g, 0))
        reaction = jw.ExternalWrench(chain, 0)
        still = np.zeros((3, len(T), 1))
        plate = self.plate(-100.0)
        assert told(chain.system, reaction, still, plate, {"g": 0, "m": 9}) == []
        assert len(told(chain.system, reaction, still, plate, {"g": 9.81, "m": 9})) == 1


class TestEvents:
    def walk(self, speed):
        phase = 2 * np.pi * T
        pelvis = np.stack([0 * T, speed * T, 1 + 0.02 * np.sin(2 * phase)], -1)
        swing = np.stack([0 * T, 0.3 * np.sin(phase) + 0.03 * np.sin(2 * phase), -0.9 + 0 * T], -1)
        return pelvis, pelvis + swing

    @pytest.mark.parametrize("speed", [1.2, -1.2])
    def test_over_ground(self, speed):
        pelvis, foot = self.walk(speed)
        events = jw.recordings.gait_events(T, foot, foot, pelvis, "left")
        labels = ("Foot Strike", "Foot Off") if speed > 0 else ("Foot Off", "Foot Strike")
        assert [e.label for e in events] == [*labels, *labels]
        ahead = (foot - pelvis)[:, 1]
        first = next(e.time for e in events if e.label == "Foot Off")
        assert_allclose(first, T[(ahead if speed < 0 else -ahead)[:101].argmax()])
        strike = next(e.time for e in events if e.label == "Foot Strike")
        farthest = T[(ahead if speed > 0 else -ahead)[:101].argmax()]
        assert farthest <= strike < farthest + 0.25 * 0.7
        assert {e.side for e in events} == {"left"}

    def test_on_a_treadmill(self):
        """Forward is where the foot goes fast: it swings for 30 % of the time."""
        part = T % 1.0
        ahead = np.where(part < 0.7, 0.3 - 0.6 * part / 0.7, -0.3 + 0.6 * (part - 0.7) / 0.3)
        foot = np.stack([-ahead, 0 * T, 0 * T], -1)
        events = jw.recordings.gait_events(T, foot, foot, 0 * foot)
        assert [(round(e.time, 2), e.label) for e in events] == [
            (0.7, "Foot Off"),
            (1.0, "Foot Strike"),  # where it is farthest: it does not come down
            (1.7, "Foot Off"),
        ]

    @pytest.mark.parametrize("rate", [60, 100, 1000])
    @pytest.mark.parametrize("belt", [0.0, 1.2])
    def test_a_heel_strikes_where_it_stops_to_come_down(self, rate, belt):
        """It goes on forwards, slower, and down, after it was farthest in front of the pelvis."""
        times = np.arange(0, 3, 1 / rate)
        part = times % 1.0
        swing = np.where(part < 0.35, np.sin(np.pi / 2 * part / 0.35) ** 2, 1.0)
        down = 0.05 * np.cos(np.pi / 2 * np.clip((part - 0.3) / 0.12, 0, 1)) ** 2
        down = np.where(part < 0.8, down, 0.05 * np.clip((part - 0.8) / 0.2, 0, 1))
        heel = np.stack([1.2 * (times - part + swing) - belt * times, 0 * times, down], -1)
        pelvis = np.stack([(1.2 - belt) * times + 0.4, 0 * times, 1 + 0 * times], -1)
        events = jw.recordings.gait_events(times, heel, heel, pelvis)
        strikes = [e.time for e in events if e.label == "Foot Strike"]
        slow = 0.3 + 0.12 * (1 - np.arcsin(0.2) / np.pi)  # sin(2 x) at 20 % of its largest
        assert_allclose(strikes, slow + np.arange(len(strikes)), atol=0.012)
        ahead = (heel - pelvis)[:, 0]
        assert strikes[0] - times[ahead[times < 1].argmax()] > 0.05
        rows = times < 0.7  # no foot off tells how long the stance is
        (only,) = jw.recordings.gait_events(times[rows], heel[rows], heel[rows], pelvis[rows])
        assert only.time == pytest.approx(strikes[0], abs=2e-3)


def test_clocks_may_differ_by_a_sample():
    plate = plate_at(0, 0, 0.5, 1.0)
    assert_allclose(plate.at([1.0, 2.0009]).wrench[1], plate.wrench[-1])
    refused(lambda: plate.at([1.0, 2.01]), "times")
    cycles = jw.normalise_cycles(T, np.sin(T), [-0.009, 1.0, 2.009])
    assert_allclose(cycles[:, [0, -1]], np.sin([[0, 1], [1, 2]]), atol=1e-9)


def test_axes_markers_and_plates():
    """From a laboratory with z up, where somebody walks along y, to a model with y up."""
    plate = plate_at(0.3, 0.4, 0.5, 1.0)
    turned = plate.turned("y z x")
    assert turned.vertical == "y"
    assert_allclose(turned.load, plate.load)
    place, before = (p.center_of_pressure(threshold=1.0)[700] for p in (turned, plate))
    assert_allclose(place, before[[1, 2, 0]], atol=1e-12)
    markers = jw.recordings.Markers(T, ("HEEL",), FEET["left"][:, :1])
    assert_allclose(markers.turned("y z x")["HEEL"], markers["HEEL"][:, [1, 2, 0]])
    assert_allclose(markers.turned("-y z -x").turned("-z -x y").positions, markers.positions)
    assert_allclose(plate.turned([[0, 1, 0], [0, 0, 1], [1, 0, 0]]).wrench, turned.wrench)


@pytest.mark.parametrize("axes", ["x y", "x y w", "x x y", "x y z z", np.ones((3, 3))])
def test_axes_refuses_what_are_no_axes(axes):
    refused(lambda: plate_at(0, 0, 0.5, 1.0).turned(axes), "axes")


def test_axes_refuses_mirrors_and_what_has_no_up():
    plate = plate_at(0, 0, 0.5, 1.0)
    refused(lambda: plate.turned("y x z"), "axes")
    refused(lambda: plate.turned("-y -x -z"), "axes")


TRIALS = {
    "two_plates.c3d": (["LHEE", "LTOE", "RHEE", "RTOE"], ["LASI", "RASI", "LPSI", "RPSI"]),
    "whole_trial": (
        ["L.Heel", "L.Toe.Tip", "R.Heel", "R.Toe.Tip"],
        ["L.ASIS", "R.ASIS", "V.Sacral"],
    ),
}


@pytest.mark.filterwarnings("ignore:`times` are rounded")
@pytest.mark.parametrize("name", TRIALS)
def test_events_of_markers_are_those_of_plates(name):
    """Over ground and on a treadmill, to the milliseconds that the documentation tells."""
    feet, spines = TRIALS[name]
    path = jw.example_data(name)
    if path.is_dir():
        markers, loads = jw.recordings.read_trc(path / "walk.trc"), path / "walk_grf.xml"
        plates = [load.plate for load in jw.recordings.read_external_loads(loads)]
    else:
        recording = jw.recordings.read_c3d(path)
        markers, plates = recording.markers, recording.plates
    own = markers.in_metres().only([*feet, *spines]).smoothed()
    times, vertical = own.times, plates[0].vertical
    pelvis = np.mean([own[n] for n in spines], axis=0)
    sides = ("left", 0), ("right", 2)
    places = {x: np.stack([own[feet[k]], own[feet[k + 1]]], axis=1) for x, k in sides}
    steps = jw.recordings.ground_reactions(plates, times, places).steps
    errors = {"Foot Strike": [], "Foot Off": []}
    for step in steps:
        events = jw.recordings.gait_events(
            times, *np.moveaxis(places[step.foot], 1, 0), pelvis, step.foot, vertical
        )
        for label, t in (("Foot Strike", step.start), ("Foot Off", step.end)):
            if times[0] + 0.2 < t < times[-1] - 0.1:
                errors[label].append(min((e.time - t for e in events if e.label == label), key=abs))
    for label, found in errors.items():
        assert len(found) > 1, label
        assert np.abs(found).max() < 0.0205
        assert abs(np.mean(found)) < 0.015
