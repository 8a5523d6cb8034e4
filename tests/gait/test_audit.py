"""A trial that cannot be right is refused or doubted by name; good ones pass without a word."""

import shutil
from types import SimpleNamespace

import numpy as np
import pytest
from refusals import refusal, refused
from scipy.spatial.transform import Rotation

import jointwrench as jw
from jointwrench.gait import audit, gait_report
from jointwrench.gait import report as reports
from jointwrench.recordings import ForcePlate, Markers

TRIAL = jw.recordings.read_c3d(jw.example_data("two_plates.c3d"))
SEEN = TRIAL.markers
SIZES = {"height": 1.8, "knee_width": 0.1, "ankle_width": 0.07}


def changed(plate, force=1, moment=1, **options):
    """Return a plate with its force and moment multiplied."""
    parts = plate.force * force, plate.moment * moment
    return ForcePlate(plate.times, *parts, vertical="z", **options)


def marked(names=None, places=None, turn=(1, 1, 1)):
    given = SEEN.positions if places is None else places
    return Markers(SEEN.times, list(names or SEEN.names), given * turn, SEEN.header)


def exchanged(*pairs):
    """Return the names with some exchanged."""
    swap = dict(pairs) | {b: a for a, b in pairs}
    return [swap.get(name, name) for name in SEEN.names]


def plates(force=(1, 1, 1), moment=(1, 1, 1), later=0):
    """Return the plates turned, or as many rows later."""
    found = []
    for plate in TRIAL.plates:
        parts = (np.roll(x, later, axis=0) for x in (plate.force * force, plate.moment * moment))
        found.append(ForcePlate(plate.times, *parts, vertical="z"))
    return found


def report(markers=None, given=None, mass=TRIAL.subject.mass, events=TRIAL.events, **options):
    trial = jw.gait.GaitTrial(markers or SEEN, TRIAL.plates if given is None else given, events)
    return gait_report(trial, mass=mass, **SIZES | options)


@pytest.fixture(scope="module")
def good():
    return report()


def at_rate(factor):
    """Return a trial whose file has a wrong rate."""
    markers = Markers(SEEN.times / factor, list(SEEN.names), SEEN.positions, SEEN.header)
    given = [
        ForcePlate(p.times / factor, p.force, p.moment, vertical="z", corners=p.corners)
        for p in TRIAL.plates
    ]
    events = [event._replace(time=event.time / factor) for event in TRIAL.events]
    return {"markers": markers, "given": given, "events": events}


def filtered(cutoff):
    """Return the markers after a filter of another program."""
    whole = SEEN.smoothed()
    rows = whole.positions.reshape(len(whole.times), -1)
    seen = np.isfinite(rows).all(axis=0)
    rows[:, seen] = jw.signals.butterworth(whole.times, rows[:, seen], cutoff)
    places = np.where(np.isnan(SEEN.positions), np.nan, rows.reshape(SEEN.positions.shape))
    return marked(places=places)


#: The axis of the walk.
WAY = int(np.abs(SEEN["LASI"][-1] - SEEN["LASI"][0])[:2].argmax())


def moved(name, by, rows=slice(None)):
    places = SEEN.positions.copy()
    places[rows, SEEN.names.index(name)] += np.multiply(by, 1000)  # millimetres
    return marked(places=places)


def beside(seconds):
    """Return plates whose loads begin later: the foot was beside them first."""
    found = []
    for plate in TRIAL.plates:
        start = plate.contacts()[0][0]
        off = (plate.times >= start - 0.01) & (plate.times < start + seconds)
        keep = np.where(off, 0, 1)[:, None]
        found.append(changed(plate, keep, keep))
    return found


SIDES = exchanged(*((n, "R" + n[1:]) for n in SEEN.names if n[0] == "L"))
POUNDS, NEWTONS = (x * TRIAL.subject.mass for x in (2.2046, 9.81))
MIRRORED = {"markers": marked(turn=(1, -1, 1)), "given": plates((1, -1, 1), (-1, 1, -1))}


def swapped(first, second, rows=slice(None)):
    """Return the markers of which two are exchanged for some rows."""
    places, pair = SEEN.positions.copy(), [SEEN.names.index(x) for x in (first, second)]
    places[rows, pair[0]], places[rows, pair[1]] = (SEEN.positions[rows, k] for k in pair[::-1])
    return marked(places=places)


def shifted(by, corners=(0, 0, 0)):
    """Return plates that say that they are elsewhere, they or their outlines."""
    found = []
    for p in TRIAL.plates:
        moment, outline = p.moment + np.cross(by, p.force), p.corners + corners
        found.append(ForcePlate(p.times, p.force, moment, vertical="z", corners=outline))
    return found


def crossed(plate):
    """Return a plate whose x and y are exchanged."""
    parts = plate.force[:, [1, 0, 2]], plate.moment[:, [1, 0, 2]]
    return ForcePlate(plate.times, *parts, vertical="z")


def options_of(changed):
    """Return the arguments of a report: markers alone, plates alone, or more by name."""
    if isinstance(changed, dict):
        return changed
    return {"markers" if isinstance(changed, Markers) else "given": changed}


IMPOSSIBLE = {
    "mirrored": (MIRRORED, "left and right"),
    "knee and ankle": (marked(exchanged(("LKNE", "LANK"))), "heights of markers"),
    "left and right": (marked(SIDES), "left and right"),
    "upside down": (marked(turn=(1, 1, -1)), "upright"),
    "thigh and shank": (swapped("LTHI", "LTIB"), "heights of markers"),
    "ankle and toe": (swapped("LANK", "LTOE"), "heights of markers"),
    "60 m/s": (moved("LKNE", [0, 0.6, 0], 150), "jumps"),
    "ankle and heel": (swapped("RANK", "RHEE"), "heights of markers"),
    "heel and toe": (swapped("LHEE", "LTOE"), "single markers"),
    "spines of a side": (swapped("LASI", "LPSI"), "single markers"),
    "inside and outside": (swapped("RKNE", "RKNM"), "single markers"),
    "anterior spines": (swapped("LASI", "RASI"), "left and right"),
    "plates elsewhere": (shifted((0, 0, 0), (0.5, 0, 0)), "pressure and plates"),
    "shear": (plates((-1, -1, 1)), "shear of plates"),
    "pounds": ({"mass": POUNDS}, "mass"),
    "newtons": ({"mass": NEWTONS}, "mass"),
    "kilonewtons": (plates((1e-3,) * 3, (1e-3,) * 3), None),
}


@pytest.mark.filterwarnings("ignore")  # also of what follows from it
@pytest.mark.parametrize("fault", [name for name, (_, check) in IMPOSSIBLE.items() if check])
def test_what_cannot_be_is_refused(fault):
    change, name = IMPOSSIBLE[fault]
    options = options_of(change)
    refused(lambda: report(**options), "trials")
    found = report(**options, audit="warn").audits[0]
    assert name in [check.name for check in found.of_verdict("impossible")]


def gap():
    places = SEEN.positions.copy()
    places[100:140, SEEN.names.index("LKNE")] = np.nan
    return marked(places=places)


CLOCKS = "clocks of plates: plates are"
DOUBTFUL = {
    "a gap of 0.4 s": (gap, "gaps: not seen.*LKNE for 0.4 s"),
    "a jump": (lambda: moved("RHEE", [0, 0.3, 0], 120), "jumps: RHEE"),
    "a marker that slips": (
        lambda: moved("RTOE", [0.06, 0, 0], slice(150, None)),
        "lengths over time: the foot right",
    ),
    "a marker elsewhere": (lambda: moved("LTOE", [-0.06, 0, 0]), "lengths of sides: the foot"),
    "a mass of 85 kg": (lambda: {"mass": 85.0}, "mass: plates carry 7"),
    "plates 0.1 s later": (lambda: plates(later=50), f"{CLOCKS} 0.0.* s after"),
    "plates 0.03 s later": (lambda: plates(later=15), f"{CLOCKS} 0.02.* s after"),
    "lateral shear": (
        lambda: plates((1, -1, 1) if WAY == 0 else (-1, 1, 1)),
        "lateral shear of plates: plate 1, 2 pushes the foot sideways against .* 2 of 2",
    ),
    "lateral shear of one plate": (
        lambda: [TRIAL.plates[0], plates((1, -1, 1) if WAY == 0 else (-1, 1, 1))[1]],
        "lateral shear of plates: plate 2 pushes",
    ),
    "a leg length of 1.1 m": (
        lambda: {"leg_length": 1.1},
        "leg length: thigh and shank are 7.% of",
    ),
    "plates 0.03 s earlier": (lambda: plates(later=-15), f"{CLOCKS} 0.03.* s before"),
    **{
        f"plates {place} m beside": (
            lambda place=place: shifted(place, place),
            "places of plates: the centre of pressure is",
        )
        for place in ((0.05, 0, 0), (-0.05, 0, 0), (0, 0.05, 0), (0, -0.05, 0))
    },
    **{
        f"a plate {metres} m along the walk": (
            lambda by=metres: [shifted(by * np.eye(3)[WAY])[0], TRIAL.plates[1]],
            "rolling of heels: the centre of pressure of plate 1 is .* cm too far",
        )
        for metres in (0.03, -0.03)
    },
    **{
        f"a rate times {factor:.2f}": (
            lambda factor=factor: at_rate(factor),
            "rate of the trial: upward forces change .* times as much",
        )
        for factor in (1.2, 1 / 1.2)
    },
    "markers filtered at 1 Hz": (
        lambda: filtered(1),
        "rate of the trial: .* or the markers were filtered before",
    ),
    "a plate with a gain of 0.9": (
        lambda: [changed(TRIAL.plates[0], 0.9, 0.9), TRIAL.plates[1]],
        "gains of plates: plate 1 carries 8% of the weight less than plate 2",
    ),
    "plates 0.01 s earlier": (lambda: plates(later=-5), f"{CLOCKS} 0.01.* s before"),
    "half a knee's width": (lambda: {"knee_width": 0.05}, "widths: a knee of 0.05 m and an ankle"),
    "a knee marker 0.03 m too high": (
        lambda: moved("RKNE", [0, 0, 0.03]),
        "heights of knees: thigh over shank differs by",
    ),
    "a foot beside its plate": (lambda: beside(0.087), "feet beside plates: 2 of 2"),
    "a knee marker elsewhere": (
        lambda: moved("LKNE", [-0.12, 0, 0]),
        "lengths over time: the shank left",
    ),
    "wands of both sides": (
        lambda: swapped("LTIB", "RTIB"),
        "sides of markers: RTIB and LTIB are exchanged: .* by marker_set=, unless the legs cross",
    ),
    "knees of both sides, for a part": (
        lambda: swapped("LKNE", "RKNE", slice(100, 140)),
        "jumps: ",
    ),
    "a plate 0.1 m beside": (
        lambda: shifted((0, 0.1, 0)),
        "pressure and feet: the centre of pressure is up to",
    ),
    "an outline 0.3 m beside": (
        lambda: shifted((0, 0, 0), (0, 0.3, 0)),
        "edges of plates: the foot is up to .* cm over the edge",
    ),
    "moments of the opposite sign": (
        lambda: plates(moment=(-1, -1, -1)),
        "feet on plates: no foot is near in 2 of 2",
    ),
    "plates with x for y": (lambda: [crossed(plate) for plate in TRIAL.plates], "feet on plates: "),
    "a foot that is turned": (
        lambda: moved("LHEE", [0, 0, -0.2]),
        "ranges of joints: no walking person has ankle left dorsiflexion from",
    ),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("fault", DOUBTFUL)
def test_what_is_doubtful_is_told(fault):
    make, message = DOUBTFUL[fault]
    with pytest.warns(UserWarning, match=message):
        found = report(**options_of(make()))
    assert message.split(":")[0] in [check.name for check in found.audits[0].of_verdict("doubtful")]


@pytest.mark.parametrize(("speed", "wrong"), [(1.3, 1), (8.0, 0)])
def test_lateral_shear_in_turns(speed, wrong):
    """A force outwards is right where the pelvis accelerates outwards, and unclear in a sprint."""
    walk = SimpleNamespace(pelvis=speed * np.array([[0, 0, 0], [1, 0, 0]]), times=np.arange(2.0))
    pairs = [(-1.5, -1.2), (0.3, 0.4), (-0.3, 0.4), (0.05, -0.4)]
    steps = []
    for k, (a, f) in enumerate(pairs):
        vectors = {"acceleration": np.array([[0, a, 0]]), "force": np.array([[0, f, 0]])}
        steps.append(SimpleNamespace(step=SimpleNamespace(plate=k), **vectors))
    data = SimpleNamespace(walk=walk, level=[0, 1], left=np.array([0, 1]), supports=steps)
    (check,) = audit._check_lateral_shear(data)
    assert check.found == f"{wrong} of 4 against the motion"
    assert ("plate 3 pushes" in check.text) == bool(wrong)


def test_good_trials_pass_without_a_word():
    (found,) = report().audits
    assert {check.verdict for check in found.checks} == {"ok"}
    told = {check.name: check.found for check in found.checks}
    assert told["mass"] == "73.1 kg"  # of 72.6
    assert told["pressure and plates"] == told["pressure and feet"] == "within"
    assert found.gaps
    assert not (set(found.gaps) - set(SEEN.names))
    assert "mass" in found._repr_html_()


def with_columns(names, columns):
    """Return the markers with further ones."""
    places = np.append(SEEN.positions, columns, axis=1)
    return Markers(SEEN.times, [*SEEN.names, *names], places, SEEN.header)


def raised(*names):
    """Return the markers with some 3 mm above the ankles' on the mean."""
    places = SEEN.positions.copy()
    for name in names:
        height = places[:, SEEN.names.index(name), 2]
        height += np.mean(SEEN[name[0] + "ANK"][:, 2]) - np.mean(height) + 3
    return marked(places=places)


UNSEEN = np.full((len(SEEN.times), 2, 3), np.nan)
GOOD = {
    "toes above ankles": lambda: raised("LTOE", "RTOE"),
    "heels above ankles": lambda: raised("LHEE", "RHEE"),
    "empty columns": lambda: with_columns(["LFMH", "RFMH"], UNSEEN),
    "two columns of another name": lambda: with_columns(["a", "a"], UNSEEN + 1),
}


@pytest.mark.filterwarnings("ignore:.trials.. of number 1")
@pytest.mark.parametrize("kind", GOOD)
def test_good_trials_are_not_refused(kind):
    assert report(GOOD[kind](), marker_set="cgm2").audits[0].of_verdict("impossible") == []


def test_a_marker_at_zero_was_not_seen():
    """In some frames as in all; said once."""
    places, empty = SEEN.positions.copy(), np.zeros((len(SEEN.times), 1, 3))
    places[150:153, SEEN.names.index("LKNE")] = 0
    expected = report(marked(places=np.where(places == 0, np.nan, places))).curves
    own = Markers(SEEN.times, [*SEEN.names, "LFMH"], np.append(places, empty, 1), SEEN.header)
    with pytest.warns(UserWarning, match="LKNE in 3, LFMH in 250 of 250 frames") as caught:
        found = report(own, marker_set="cgm2", hip="harrington").curves
    assert len(caught) == 1
    for name, rows in expected.items():
        np.testing.assert_array_equal(found[name], rows, err_msg=name)


def test_who_ends_the_record_is_named():
    places = SEEN.positions.copy()
    places[:150, SEEN.names.index("LKNE")] = np.nan
    late = marked(places=places)
    refused(lambda: report(late), "trials")
    places[150:, SEEN.names.index("RANK")] = np.nan
    refused(lambda: report(marked(places=places)), "trials")


def test_energy_is_that_of_the_leg(good):
    """As of segments without a walkway, whatever the other leg and the walkway carry."""
    markers, person = SEEN.in_metres().smoothed(), jw.gait.Person(1.8, TRIAL.subject.mass)
    limbs = jw.gait.lower_limbs(markers, person, knee_width=0.1, ankle_width=0.07)
    ground = jw.recordings.ground_reactions(TRIAL.plates, limbs.times, limbs.feet, cutoff=6.0)
    for cycle in good.cycles:
        loads = {f"foot_{cycle.side}": ground.plates[cycle.side]}
        segments, down = limbs.segments(cycle.side)[1:], (0, 0, -9.81)
        own = jw.gait.segment_wrenches(limbs.times, segments, loads, down, cutoff=6.0)
        (error,) = own.energy_balance().errors([cycle.start, cycle.end])["whole"]
        np.testing.assert_allclose(cycle.energy_error, error, rtol=0.2)  # the hip's power differs


def test_who_stands_does_not_walk():
    """Events of a plate's calibration on a standing person, who sways."""
    sway = 5 * np.sin(SEEN.times)[:, None, None] * [1, 1, 0.1]
    still = marked(places=SEEN.positions[150] + sway)
    with (
        pytest.warns(UserWarning, match="the heel moves less than 0.1 m in .* cycles"),
        refusal("trials"),
    ):
        report(still, given=())


def test_stances_need_no_second_strike(good):
    """The moments of a contact are those of its cycle, in a short volume and without events."""
    found = report(events=(), over="stance")
    assert repr(found) == "GaitReport(1 left, 1 right stances of 1 trials)"
    with pytest.warns(DeprecationWarning, match="Use normalised_to"):
        assert found.over == found.normalised_to == "stance"
    for stance in found.cycles:
        name = f"knee_{stance.side}_extension_moment"
        (cycle,) = (c for c in good.of_side(stance.side) if c.on_plate)
        seconds = np.linspace(stance.start, stance.off, 101)
        expected = np.interp(seconds, np.linspace(cycle.start, cycle.end, 101), good.mean(name))
        np.testing.assert_allclose(found.mean(name), expected, atol=0.01)
        short = SEEN.between(stance.start - 0.1, stance.off + 0.1)
        alone = report(short, events=(), over="stance")
        np.testing.assert_allclose(alone.mean(name), expected, atol=0.02)
        assert np.isnan(alone.parameters()[f"stride_time_{stance.side}"][0])
    with pytest.warns(UserWarning, match="lateral shear of plates"):  # as who brakes
        backwards = report(given=plates((-1, -1, 1)), over="stance", audit="warn")
    assert "shear of plates" not in {check.name for check in backwards.audits[0].checks}
    refused(lambda: report(given=(), over="stance"), "trials")


def test_a_folder_goes_on_past_a_bad_file(tmp_path, monkeypatch):
    """Each file is computed once."""
    for name in ("a.c3d", "d.C3D"):
        shutil.copy(jw.example_data("two_plates.c3d"), tmp_path / name)
    (tmp_path / "b.c3d").write_bytes(b"no trial")
    (tmp_path / "notes.txt").write_text("no trial either")
    walk, made = reports.compute_walk, []
    monkeypatch.setattr(reports, "compute_walk", lambda *x: made.append(x) or walk(*x))
    with pytest.warns() as told:
        found = gait_report(tmp_path, mass=60.0)
    *texts, left = (str(x.message) for x in told)
    assert left.startswith("`trials`: 1 files are left out. b.c3d: `path` must")
    assert [x[: x.index(":")] for x in texts] == ["a.c3d", "d.C3D"]
    assert len(made) == 2
    assert repr(found) == "GaitReport(2 left, 2 right cycles of 2 trials, 1 left out)"
    with pytest.warns(match="`trials`: of number 1, mass"):
        one = gait_report(TRIAL, mass=60.0)
    for name, rows in one.curves.items():
        np.testing.assert_array_equal(found.curves[name], np.concatenate([rows, rows]))
    refused(lambda: gait_report(tmp_path, mass=700.0), "trials")
    refused(lambda: gait_report(tmp_path / "a.c3d"), "trials", TypeError)


def test_a_measured_distance_of_the_spines_moves_the_hips():
    """Davis' and Harrington's hips are as much, or two thirds of it, farther apart; Hara's not."""
    markers, person = SEEN.in_metres(), jw.gait.Person(1.8, 72.6)
    given = {"knee_width": 0.1, "ankle_width": 0.07, "leg_length": 0.9}

    def apart(hip, **width):
        centers = jw.gait.lower_limbs(markers, person, hip=hip, **given, **width).centers
        return np.linalg.norm(centers["hip_left"] - centers["hip_right"], axis=1).mean()

    for hip, share in ("davis", 1.0), ("harrington", 0.66), ("hara", 0.0):
        wide, narrow = (apart(hip, asis_distance=x) for x in (0.26, 0.2))
        np.testing.assert_allclose(wide - narrow, 0.06 * share, atol=1e-9)
    usual = np.linalg.norm(markers["LASI"] - markers["RASI"], axis=1).mean()
    np.testing.assert_allclose(apart("davis", asis_distance=usual), apart("davis"))


@pytest.mark.parametrize("angle", [77, 180, 301])
@pytest.mark.parametrize("mirrored", [False, True])
def test_good_trials_pass_wherever_they_go(angle, mirrored, good):
    """Turned about the vertical, and in a mirror with the names of the other side."""
    turn = Rotation.from_euler("z", angle, degrees=True).as_matrix()
    sign = np.array([1, -1 if mirrored else 1, 1])
    places = SEEN.positions @ turn.T * sign
    markers = Markers(SEEN.times, list(SIDES if mirrored else SEEN.names), places, SEEN.header)
    given = []
    for p in TRIAL.plates:
        force, moment, corners = (x @ turn.T for x in (p.force, p.moment, p.corners))
        parts = force * sign, moment * sign * sign.prod()
        given.append(ForcePlate(p.times, *parts, vertical="z", corners=corners * sign))
    swap = {"left": "right", "right": "left"} if mirrored else {}
    events = [e._replace(side=swap.get(e.side, e.side)) for e in TRIAL.events]
    (found,) = report(markers, given, events=events).audits
    assert found.checks == good.audits[0].checks
    assert {check.verdict for check in found.checks} == {"ok"}


def test_a_trial_without_plates_is_audited_by_its_markers():
    (found,) = report(given=()).audits
    names = {check.name for check in found.checks}
    assert "left and right" in names
    assert not names & {"mass", "shear of plates", "clocks of plates"}


def test_single_roles_are_replaced(good):
    keep = [n for n in SEEN.names if n not in ("LPSI", "RPSI")]
    places = np.stack([*(SEEN[n] for n in keep), (SEEN["LPSI"] + SEEN["RPSI"]) / 2], axis=1)
    markers = Markers(SEEN.times, [*keep, "SACR"], places, SEEN.header)
    found = report(markers, marker_set={"left_psis": "SACR", "right_psis": "SACR"})
    for name, rows in good.curves.items():
        np.testing.assert_allclose(found.curves[name], rows, atol=1e-9, err_msg=name)


@pytest.mark.parametrize("components", ["fx fy mz", "fy", "fx fy fz mx my mz"])
def test_a_plate_in_other_axes_than_the_model(components):
    """Where no report is made either: z is not the vertical of a model whose gravity is along y."""
    leg = jw.gait.planar_leg(1.75, 70.0)
    ground = jw.ExternalWrench(leg.chain, "foot", components=components)
    plate = ForcePlate([0, 1], [[0, 0, 700.0]] * 2, vertical="z")
    refused(lambda: ground.specifieds(plate), "values")
    symbol = next(s for s in ground.symbols if s.name.endswith("fy"))
    assert ground.specifieds(plate.turned("y z x"))[symbol].tolist() == [700, 700]


@pytest.mark.parametrize("lever", [0.4, 8.0])
def test_a_plate_in_newton_millimetres(lever):
    """Its unit is asked for: the centre of pressure would be hundreds of metres away."""
    t, force, place = [0, 1], [[0, 700.0, 0]] * 2, np.array([[lever, 0, 0.1]] * 2)
    plate = ForcePlate.from_center_of_pressure(t, force, place)
    refused(lambda: ForcePlate(t, force, 1000 * plate.moment), "moment")
    refused(lambda: ForcePlate.from_center_of_pressure(t, force, 1000 * place), "center")


@pytest.mark.filterwarnings("ignore:`trials`")
def test_a_foot_that_was_down_before_its_plate_begins_its_cycle_then():
    """Without events of the file: a plate that is loaded 0.15 s late begins no cycle."""
    whole, *late = (
        [c.start for c in report(given=given, events=(), audit="warn").cycles]
        for given in (TRIAL.plates, beside(0.15), beside(0.04), beside(0.4))
    )
    for found in late:  # also where only the toes push off from a plate
        np.testing.assert_allclose(found, whole, atol=0.015)


@pytest.mark.filterwarnings("ignore:`trials` have no whole cycle of the left")
def test_events_of_no_foot_are_found_by_themselves():
    """Labels of another program's: plates and markers tell when feet strike."""
    other = [jw.recordings.Event(1.0, "LHS", ""), jw.recordings.Event(1.2, "start", "")]
    found, without = (report(events=events).cycles for events in (other, ()))
    assert found == without


@pytest.mark.filterwarnings("ignore")
def test_a_foot_on_two_plates_strikes_once():
    """Heel on one plate, toes on the next: the second contact begins while the foot is down."""
    whole = [c.start for c in report(events=()).cycles]
    given = []
    for plate in TRIAL.plates:
        start = plate.contacts()[0][0]
        early = (plate.times < start + 0.35)[:, None]
        given += [changed(plate, x, x) for x in (np.where(early, 1, 0.5), np.where(early, 0, 0.5))]
    found = [c.start for c in report(given=given, events=(), audit="warn").cycles]
    np.testing.assert_allclose(found, whole, atol=0.015)


def test_two_people_in_a_file_are_told_apart(good):
    """The other one stands still, beside."""
    still = np.full_like(SEEN.positions, SEEN.positions[100] + np.array([0, 900.0, 0]))
    names = [f"P01:{name}" for name in SEEN.names], [f"P02:{name}" for name in SEEN.names]
    both = Markers(
        SEEN.times, [*names[0], *names[1]], np.append(SEEN.positions, still, axis=1), SEEN.header
    )
    alone = Markers(SEEN.times, names[0], SEEN.positions, SEEN.header)
    for found in (report(alone), report(both, subject="P01")):
        for name, rows in good.curves.items():
            np.testing.assert_array_equal(found.curves[name], rows, err_msg=name)
    standing = alone.between(0.5, 0.6).in_metres()
    for found in (report(alone, static=standing), report(static=standing.of_subject())):
        for name, rows in report(static=SEEN.between(0.5, 0.6).in_metres()).curves.items():
            np.testing.assert_array_equal(found.curves[name], rows, err_msg=name)
    refused(lambda: report(both), "subject")
    refused(lambda: report(both, subject="P03"), "subject")


def test_reports_of_many_people_are_one_table(good):
    pandas = pytest.importorskip("pandas")
    frames = [good.to_dataframe(person=name, group="a") for name in ("P01", "P02")]
    table = pandas.concat(frames, ignore_index=True)
    assert list(table.columns[:6]) == ["person", "group", "trial", "side", "cycle", "percent"]
    assert len(table) == 2 * 2 * 101
    part = table[(table.person == "P02") & (table.side == "right")]
    np.testing.assert_array_equal(part.knee_flexion, good.curves["knee_right_flexion"][0])
    np.testing.assert_array_equal(part.percent, np.arange(101))
