"""A residual is explained by what was spoiled, and by no more than was stated."""

import warnings

import numpy as np
import pytest
from marks import slow
from numpy.testing import assert_allclose
from refusals import refusal, refused

import jointwrench as jw

T = np.linspace(0, 1, 101)
DERIVATIVES = ["q", "u", "udot", "constants", "specifieds"]


class Moving:
    """A person who moves while a plate carries one foot, as exactly as the motion asks for."""

    def __init__(self, person, foot):
        self.person = person
        ground = jw.ExternalWrench(person.system, foot, components="fx fy mz")
        self.idyn = jw.InverseDynamics(self.person.system)
        count = len(self.idyn.coordinates)
        rates, phases = 2 + np.arange(count) % 5, np.arange(count)
        self.q = 0.3 * np.sin(T[:, None] * rates + phases)
        self.motion = self.smoothed(self.q)
        self.constants = self.person.constants_of(self.idyn)
        outputs = ("generalized_forces", "joint_wrenches", "kinetic_energies", "body_powers")
        self.evaluate = self.idyn.compile(outputs, derivatives=DERIVATIVES, backend="numpy")
        free = self.evaluate(
            self.motion, constants=self.constants, specifieds=dict.fromkeys(ground.symbols, 0.0)
        )
        turning, fx, fy = free.generalized_forces[:, :3].T
        x, y = self.motion.q[:, 1:3].T
        self.fx, self.fy, self.mz = ground.symbols
        self.plate = {self.fx: fx, self.fy: fy, self.mz: turning + x * fy - y * fx}

    def smoothed(self, q):
        return jw.Trajectory.from_samples(T, q, idyn=self.idyn, cutoff=12.0)

    def symbol(self, name):
        return next(symbol for symbol in self.constants if symbol.name == name)

    def causes(self, place=0.005, gain=0.01):
        moved = {self.mz: place * self.plate[self.fy]}
        return {"place": moved, "gain": {s: gain * x for s, x in self.plate.items()}}

    def reduced(self, *args, **options):
        given = {"constants": self.constants, "specifieds": self.plate, **options}
        motion = given.pop("motion", self.motion)
        return jw.propagation.reduce_residual(self.evaluate, motion, *args, **given)


@pytest.fixture(scope="module")
def moving():
    """A trunk on one leg."""
    return Moving(jw.gait.planar_leg(1.75, 70.0, trunk=True), "foot")


@pytest.fixture(scope="module")
def whole():
    return Moving(jw.gait.planar_body(1.75, 70.0), "foot_left")


@pytest.mark.parametrize("deviation", [*slow([0.005, 0.01]), 0.02])
def test_a_mass_centre(moving, deviation):
    trunk = moving.symbol("c_trunk")
    said = moving.constants | {trunk: moving.constants[trunk] + 0.012}
    others = {s: 0.1 * x for s, x in said.items() if s.name.startswith("m_")}
    found = moving.reduced(0.01, others | {trunk: deviation}, constants=said)
    assert found.constants[trunk] == pytest.approx(moving.constants[trunk], abs=1e-4)
    assert found.changes["c_trunk"] == pytest.approx(-0.012 / deviation, abs=0.02)
    assert np.sqrt(np.mean(found.before**2)) > 100 * np.sqrt(np.mean(found.after**2))
    assert found.problems == ()
    given = {"specifieds": moving.plate}
    first = moving.evaluate(moving.motion, constants=said, **given)
    last = moving.evaluate(found.motion, constants=found.constants, **given)
    errors = [x.energy_balance().errors([0.1, 0.9])["whole"][0] for x in (first, last)]
    assert errors[0] > 100 * errors[1]


def test_a_place_and_a_gain_of_a_plate(moving):
    spoiled = {s: 0.98 * x for s, x in moving.plate.items()}
    spoiled[moving.mz] = spoiled[moving.mz] + 0.008 * spoiled[moving.fy]
    causes = moving.causes()
    found = moving.reduced(0.5, causes=causes, specifieds=spoiled)
    for name, expected in (("place", -1.6 * 0.98), ("gain", 2.0)):
        assert abs(found.changes[name] - expected) < 4 * found.deviations[name]
        assert found.deviations[name] < 0.05
    assert_allclose(found.specifieds[moving.mz], moving.plate[moving.mz], atol=2)
    assert found.problems == ()


def test_two_that_cannot_be_told_apart_share(moving):
    """Both errors are changed a little, and neither is known."""
    trunk = moving.symbol("c_trunk")
    causes = {name: {trunk: 0.01} for name in ("here", "there")}
    said = moving.constants | {trunk: moving.constants[trunk] + 0.01}
    found = moving.reduced(0.01, causes=causes, constants=said)
    for name in causes:
        assert found.changes[name] == pytest.approx(-0.5, abs=1e-3)
        assert found.deviations[name] == pytest.approx(np.sqrt(0.5), abs=1e-3)


def test_noise_of_coordinates(moving, rng):
    """Where the residual tells of it, the motion comes nearer to the true one."""
    noise = rng.normal(scale=0.002, size=moving.q.shape)
    noise[:, 3:] = 0
    names = [str(x.func) for x in moving.idyn.coordinates][:3]
    sizes = dict.fromkeys(names, 0.002)
    found = moving.reduced(1.0, {"measured": sizes}, motion=moving.smoothed(moving.q + noise))
    first, last = (np.abs(x).mean() for x in (found.before[5:-5], found.after[5:-5]))
    assert first > 20 * last
    assert found.problems == ()
    assert set(found.changes) == {f"measured {name}" for name in names}
    assert_allclose([*found.changes.values()], 1, atol=0.2)  # as large as the noise was
    with pytest.warns(UserWarning, match="measured hip_y would have to change by more than the st"):
        moving.reduced(
            1.0, {"measured": dict.fromkeys(names, 0.001)}, motion=moving.smoothed(moving.q + noise)
        )


@pytest.mark.slow
def test_a_marker_elsewhere_on_its_body(whole):
    """Markers tell the motion; that of the hip sits 8 mm in front on the trunk: the plate knows."""
    person = whole.person
    chosen = {name: joint.child_point for name, joint in person.joints.items()}
    chosen |= {f"{name} center": body.masscenter for name, body in person.bodies.items()}
    kinematics = jw.Kinematics(person.system, chosen, ["trunk"])
    evaluate = kinematics.compile(("positions", "orientations"), backend="numpy")
    constants = {s: person.constants[s] for s in evaluate.inputs["constants"]}
    truth = evaluate(whole.motion, constants=constants)
    seen = dict(zip(chosen, truth.positions.swapaxes(0, 1), strict=True))
    seen["trunk"] = seen["trunk"] + truth.orientations[:, 0] @ [0.008, 0, 0]
    exact = jw.signals.Smoothing(ends="not-a-knot")
    given = {"constants": constants, "times": T, "smoothing": exact}
    fitted = jw.inverse_kinematics(kinematics, seen, **given)
    causes = {n: x for n, x in fitted.misplaced(0.005).items() if n.startswith("trunk")}
    causes = {n: x for n, x in causes.items() if not n.endswith("z")}
    options = {"motion": fitted.motion, "causes": causes}
    found = whole.reduced([0.3, 4.0, 4.0], **options)
    assert len(found.changes) == 4
    assert abs(found.changes["trunk x"] - 8 / 5) < 3 * found.deviations["trunk x"]
    options["causes"] = {"trunk x": causes["trunk x"]}
    alone = whole.reduced([0.3, 4.0, 4.0], **options)
    assert alone.changes["trunk x"] == pytest.approx(8 / 5, abs=3 * alone.deviations["trunk x"])
    assert alone.deviations["trunk x"] < 0.2
    before, after = (np.abs(x.motion.q - whole.motion.q).mean() for x in (fitted, alone))
    assert after < before / 10
    assert alone.problems == found.problems == ()


@pytest.mark.parametrize("deviation", [*slow([0.001]), 0.002, *slow([0.003])])
def test_what_is_larger_than_stated_is_said(moving, deviation):
    """A mass centre is 12 mm off; three standard deviations are less than that."""
    trunk = moving.symbol("c_trunk")
    said = moving.constants | {trunk: moving.constants[trunk] + 0.012}
    with pytest.warns(UserWarning, match="do not explain the residual: c_trunk would have to"):
        found = moving.reduced(0.01, {trunk: deviation}, constants=said)
    assert found.changes["c_trunk"] == pytest.approx(-3)
    assert said[trunk] - found.constants[trunk] == pytest.approx(3 * deviation)
    assert any(text.startswith("along hip_x_rate") for text in found.problems)
    assert "problems" in repr(found)
    assert "remain, the tolerance" in found._repr_html_()


def test_an_error_that_was_not_stated_stays_visible(moving):
    """A thigh is heavier than said; a plate's gain takes up what it can, and the rest is told."""
    thigh = moving.symbol("m_thigh")
    said = moving.constants | {thigh: 1.3 * moving.constants[thigh]}
    with pytest.warns(UserWarning, match="remain, the tolerance is"):
        found = moving.reduced(0.5, causes=moving.causes(), constants=said)
    assert np.sqrt(np.mean(found.after[:, 0] ** 2)) > 0.5


def test_many_small_errors_together_are_told(moving):
    """Each is within three standard deviations; chance does not make all of them so large."""
    centers = [s for s in moving.constants if s.name.startswith("c_")]
    said = moving.constants | {s: moving.constants[s] + 0.025 for s in centers}
    with pytest.warns(UserWarning, match="all changes together have .* as the sum of their squ"):
        found = moving.reduced(1e-3, dict.fromkeys(centers, 0.01), constants=said)
    assert max(map(abs, found.changes.values())) < 3


def test_honest_errors_are_rarely_doubted(moving, rng):
    """Errors of just the stated size, and noise of the tolerance: no alarm."""
    centers = [s for s in moving.constants if s.name.startswith("c_")]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(5):
            errors = dict(zip(centers, rng.normal(scale=0.005, size=len(centers)), strict=True))
            said = moving.constants | {s: moving.constants[s] + x for s, x in errors.items()}
            plate = {s: x + rng.normal(scale=0.3, size=x.shape) for s, x in moving.plate.items()}
            options = {"constants": said, "specifieds": plate}
            found = moving.reduced([1.0, 0.3, 0.3], dict.fromkeys(centers, 0.005), **options)
            off = [
                (found.changes[s.name] + x / 0.005) / found.deviations[s.name]
                for s, x in errors.items()
            ]
            assert np.abs(off).max() < 5


def test_refused(moving):
    with refusal("evaluate", TypeError):
        jw.propagation.reduce_residual(moving.idyn, moving.motion, 1.0, {"q": 0.1})
    for wrong in (0.0, -1.0):
        refused(lambda: moving.reduced(wrong, {"c_trunk": 0.01}), "tolerance")
    refused(lambda: moving.reduced([1.0, 1.0], {"c_trunk": 0.01}), "tolerance")
    refused(lambda: moving.reduced(1.0, {"c_trunk": 0.01}, within=0.0), "within")
    refused(lambda: moving.reduced(1.0, {"c_trunk": 0.01}, residual="nose"), "residual")
    refused(lambda: moving.reduced(1.0, {"c_trunk": 0.01}, residual=()), "residual")
    states = moving.motion.q, moving.motion.u, moving.motion.udot
    refused(lambda: moving.reduced(1.0, {"c_trunk": 0.01}, motion=states), "times")
    few = moving.idyn.compile("kinetic_energies", derivatives=["q"])
    given = {"constants": moving.constants, "specifieds": moving.plate}
    with refusal("evaluate"):
        jw.propagation.reduce_residual(few, moving.motion, 1.0, {"c_trunk": 0.01}, **given)
