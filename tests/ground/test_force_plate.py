"""Force plates: centre of pressure, free moment, and their place in a model."""

import pickle
from functools import partial

import numpy as np
import pytest
import sympy.physics.mechanics as me
from bodies import rigid_body
from numpy.testing import assert_allclose
from refusals import refusal, refused

import jointwrench as jw
from jointwrench.recordings.force_plate import ForcePlate
from jointwrench.records.tables import Table
from jointwrench.tracking.external_wrench import ExternalWrench

T = np.linspace(0, 1, 101)
SIDES = ("left", "right")


@pytest.fixture(params=["y", "z", "x"])
def loaded(request, rng):
    """Return force, centre and free moment on a floor at height 0.1."""
    up = "xyz".index(request.param)
    force = rng.normal(size=(len(T), 3))
    force[:, up] = 500 + 10 * force[:, up]
    center = rng.normal(size=(len(T), 3))
    center[:, up] = 0.1
    return request.param, force, center, rng.normal(size=len(T))


def test_center_of_pressure_and_free_moment_come_back(loaded):
    vertical, force, center, free = loaded
    plate = ForcePlate.from_center_of_pressure(T, force, center, free, vertical)
    assert_allclose(plate.center_of_pressure(height=0.1), center, atol=1e-12)
    assert_allclose(plate.free_moment(height=0.1), free, atol=1e-9)
    twist = np.zeros((len(T), 3))
    twist[:, "xyz".index(vertical)] = free
    again = ForcePlate.from_center_of_pressure(T, force, center, twist, vertical)
    assert_allclose(again.wrench, plate.wrench)


def test_origin_of_the_plate(loaded):
    vertical, force, center, free = loaded
    plate = ForcePlate.from_center_of_pressure(T, force, center, free, vertical)
    origin = np.array([0.3, -0.2, 0.5])
    there = plate.moment - np.cross(origin, force)
    moved = ForcePlate(T, force, there, origin, vertical)
    assert_allclose(moved.wrench, plate.wrench)


def test_components():
    plate = ForcePlate(T, np.tile([1.0, 2, 3], (101, 1)), np.tile([4.0, 5, 6], (101, 1)))
    values = [getattr(plate, name)[0] for name in ("fx", "fy", "fz", "mx", "my", "mz")]
    assert values == [1, 2, 3, 4, 5, 6] == plate.wrench[0].tolist()


def test_center_is_unknown_without_load():
    force = np.zeros((101, 3))
    force[50:, 1] = 700
    center = np.full((101, 3), np.nan)
    center[50:] = [0.2, 0, 0]
    plate = ForcePlate.from_center_of_pressure(T, force, center)
    found = plate.center_of_pressure(threshold=10)
    assert np.isnan(found[:50]).all()
    assert_allclose(found[50:, 0], 0.2)


def test_contacts():
    force = np.zeros((101, 3))
    force[10:40, 1] = force[60:90, 1] = 500
    force[95:, 1] = 500
    assert ForcePlate(T, force).contacts() == [(0.1, 0.4), (0.6, 0.9)]


def test_filtered_and_resampled(rng):
    force = np.stack([np.sin(T), np.cos(T), T], -1)
    noisy = ForcePlate(T, force + rng.normal(scale=1e-3, size=force.shape))
    assert np.abs(noisy.filtered(5.0).force - force)[20:-20].max() < 2e-3
    at = np.linspace(0.1, 0.9, 17)
    assert_allclose(ForcePlate(T, force).at(at).fx, np.sin(at), atol=1e-7)
    refused(lambda: noisy.at([0.5, 1.2]), "times")


@pytest.mark.parametrize("time", [0.5, [0.5], np.array(0.5)])
def test_at_one_instant(time):
    plate = ForcePlate(T, np.stack([np.sin(T), np.cos(T), T], -1)).at(time)
    assert plate.times.tolist() == [0.5]
    assert_allclose(plate.force, [[np.sin(0.5), np.cos(0.5), 0.5]], atol=1e-9)
    assert_allclose(plate.at(0.5).wrench, plate.wrench)


def test_integers_are_not_cut_off():
    """As whole newtons come from a file."""
    force, center = np.tile([0, 700, 0], (3, 1)), np.tile([0.3, 0.0, 0.1], (3, 1))
    plate = ForcePlate.from_center_of_pressure([0, 1, 2], force, center, free_moment=[0.5] * 3)
    assert_allclose(plate.center_of_pressure(), center)
    assert_allclose(plate.free_moment(), 0.5)


def test_repr():
    assert repr(ForcePlate(T, np.zeros((101, 3)))) == "ForcePlate(101 samples, 0 to 1, y up)"
    reaction = ExternalWrench(jw.SerialChain.planar(1), -1, "plate", "fx mz")
    assert repr(reaction) == "ExternalWrench(plate_fx, plate_mz on -1)"


def test_filter_advises_what_plates_have():
    uneven = ForcePlate(np.delete(T, 7), np.ones((100, 3)))
    refused(lambda: uneven.filtered(5.0), "times")
    assert uneven.at(T).filtered(5.0).fx == pytest.approx(1)
    refused(lambda: ForcePlate(T[:9], np.ones((9, 3))).filtered(5.0), "times")
    refused(lambda: uneven.at(0.5).filtered(5.0), "times")


def test_from_columns():
    table = Table(T, ["F1.X", "F1.Y", "M1.Z"], np.stack([T, 2 * T, 3 * T], -1))
    plate = ForcePlate.from_columns(T, table, {"fx": "F1.X", "fy": "F1.Y", "mz": "M1.Z"})
    assert_allclose(plate.wrench[-1], [1, 2, 0, 0, 0, 3])


@pytest.mark.parametrize(
    ("force", "vertical", "words"),
    [
        ([20, -700, 10], "y", "along -y. Use -force and -moment, if they act on the plate"),
        ([20, 30, 700], "y", "along z. Use vertical='z'"),
        ([20, 30, -700], "x", "along -z. Use -force and -moment, .*, and vertical='z'"),
    ],
)
def test_warns_of_a_force_that_is_not_up(force, vertical, words, rng):
    noise = rng.normal(scale=20, size=(101, 3))
    with pytest.warns(UserWarning, match=f"`force` must act on the person, up .* points {words}"):
        plate = ForcePlate(T, force + noise, vertical=vertical)
    assert np.isnan(plate.center_of_pressure(threshold=150)).all()
    assert len(plate.at(T[:50]).filtered(5.0).times) == 50  # without a second warning


def test_is_silent_of_plates_without_load(rng):
    ForcePlate(T, rng.normal(size=(101, 3)))
    ForcePlate(T, np.where(T[:, None] > 0.4, [200, 150, 100], [-20, -20, -20]))


def test_warns_of_another_unit_of_time():
    plate = ForcePlate(1000 * T, np.ones((101, 3)))
    with pytest.warns(UserWarning, match="`times` from 0 to 1 are a small part of the plate's, 0"):
        plate.at(T)
    assert len(plate.at(np.linspace(0, 1000, 9999)).times) == 9999
    assert len(plate.at([10.0, 11.0]).times) == 2


def test_corners_go_along(rng):
    """Those of a file, turned with the plate and kept by all that is made of it."""
    plate = jw.recordings.read_c3d(jw.example_data("two_plates.c3d")).plates[0]
    assert plate.corners.shape == (4, 3)
    loaded = plate.fz > 0.2 * plate.fz.max()
    places = plate.center_of_pressure()[loaded]
    assert (places >= plate.corners.min(axis=0) - 1e-3).all()
    assert (places <= plate.corners.max(axis=0) + 1e-3).all()
    assert_allclose(plate.turned("y z x").corners, plate.corners[:, [1, 2, 0]])
    made = plate.filtered(20.0), plate.at(plate.times[:5]), plate.zeroed(), plate.during(0, 1)
    for other in made:
        assert_allclose(other.corners, plate.corners)
    few = [[0, 0, 0], [1, 0, 0]], [[0, 0], [1, 0], [1, 1]]
    for corners in (*few, [[0, 0, np.nan]] * 3, [[0, 0, 0], [1, 0, 0], [2, 0, 0]]):
        with refusal("corners"):
            jw.recordings.ForcePlate([0, 1], np.zeros((2, 3)), corners=corners)


HOLES = np.zeros((101, 3))
HOLES[4, 2] = np.nan
MASKED = np.ma.masked_invalid(HOLES)[:, 2]
of_center = partial(ForcePlate.from_center_of_pressure, T)
of_columns = partial(ForcePlate.from_columns, T)


@pytest.mark.parametrize(
    ("call", "argument", "error"),
    [
        (lambda: ForcePlate(T, np.zeros((101, 2))), "force", ValueError),
        (lambda: ForcePlate(T, HOLES), "force", ValueError),
        (lambda: of_center(np.ones((101, 3)), np.zeros((101, 2))), "center", ValueError),
        (lambda: of_columns({"F": T}, {"fx": "F", "fy": "F"}), "channels", ValueError),
        (lambda: of_columns({"F": T}, {}), "channels", ValueError),
        (lambda: of_columns({"F": MASKED}, {"fx": "F"}), "columns", TypeError),
    ],
)
def test_refuses(call, argument, error):
    refused(call, argument, error)


def test_refuses_columns_of_one_name():
    pandas = pytest.importorskip("pandas")
    doubled = pandas.DataFrame(np.ones((101, 2)), columns=["F", "F"])
    refused(lambda: of_columns(doubled, {"fy": "F"}), "columns")


@pytest.fixture(scope="module")
def walk():
    chain = jw.SerialChain.planar(1)
    reaction = ExternalWrench(chain, 0, "plate", "fx fy")
    idyn = jw.InverseDynamics(chain.system)
    motion = jw.Trajectory.from_samples(T, np.sin(T), idyn=idyn)
    evaluate = idyn.compile(backend="numpy", constants=dict.fromkeys(idyn.constants, 1))
    return reaction, motion, evaluate


class TestInstants:
    """The plate's samples are for the motion's times, and for no others."""

    @staticmethod
    def plate(times):
        return ForcePlate(times, np.stack([np.sin(times), 0 * times + 9, 0 * times], -1))

    @pytest.mark.parametrize(
        "times", [T + 1, T + 0.002, 1000 * T, np.linspace(0, 1, 1001), np.array([0.5])]
    )
    def test_refuses_other_instants(self, walk, times):
        reaction, motion, evaluate = walk
        plate = self.plate(times)
        given = dict(zip(reaction.symbols, (plate.fx, plate.fy), strict=True))
        for specifieds in (reaction.specifieds(plate), given):
            refused(lambda: evaluate(motion, specifieds=specifieds), "specifieds")

    def test_the_fix_works(self, walk):
        reaction, motion, evaluate = walk
        fine = self.plate(np.linspace(-1, 2, 1001))
        found = evaluate(motion, specifieds=reaction.specifieds(fine.at(motion.times)))
        wanted = evaluate(motion, specifieds=reaction.specifieds(self.plate(T)))
        assert_allclose(found.joint_wrenches, wanted.joint_wrenches, atol=1e-8)

    def test_rounded_instants_are_the_same(self, walk):
        reaction, motion, evaluate = walk
        wanted = evaluate(motion, specifieds=reaction.specifieds(self.plate(T).wrench))
        plate = self.plate(T)
        for times in (T * (1 + 1e-14), T + 4e-6):
            moved = ForcePlate(times, plate.force)
            found = evaluate(motion, specifieds=reaction.specifieds(moved))
            assert_allclose(found.joint_wrenches, wanted.joint_wrenches)

    def test_one_instant(self, walk):
        reaction, motion, evaluate = walk
        plate = reaction.specifieds(self.plate(T).at(0.3))
        q, u, udot = motion.at(0.3)
        assert evaluate(q, u, udot, times=0.3, specifieds=plate).joint_wrenches.shape == (1, 1, 6)
        refused(lambda: evaluate(q, u, udot, times=0.4, specifieds=plate), "specifieds")
        with refusal("specifieds"):
            evaluate(q, u, udot, times=0, specifieds=reaction.specifieds(self.plate(T)))

    def test_what_is_computed_has_no_instants(self):
        """A part of the samples or another order must not be taken for the whole."""
        fy = self.plate(T).fy
        for part in (fy[::-1], fy[3:], -fy, fy.copy(), np.stack([fy, fy])):
            assert getattr(part, "times", None) is None
        assert fy.times.tolist() == T.tolist()


def test_external_wrench_made_too_late():
    """At rest the joint carries weight minus reaction, whatever the lever arm."""
    chain = jw.SerialChain([jw.Segment("rod", 2.0, 3.0, inertia=1.0)], gravity=(0, -10, 0))
    idyn = jw.InverseDynamics(chain.system)
    evaluate = idyn.compile(backend="numpy")
    reaction = ExternalWrench(chain, -1, "plate", components="fy")
    still = np.zeros((101, 1))
    values = reaction.specifieds(ForcePlate(T, np.tile([0.0, 600.0, 0.0], (101, 1))))
    refused(lambda: evaluate(still, still, still, specifieds=values), "specifieds")
    refused(lambda: idyn.compile(backend="numpy"), "system")
    evaluate = jw.InverseDynamics(chain.system).compile(backend="numpy")
    wrench = evaluate(still, still, still, specifieds=values).joint_wrench("rod")
    assert_allclose(wrench[:, 1], 30 - 600)


def test_external_wrench_at_the_origin_is_at_the_center_of_pressure():
    chain = jw.SerialChain([jw.Segment("rod", 2.0, 3.0, inertia=1.0)], gravity=(0, -10, 0))
    reaction = ExternalWrench(chain, -1, "plate", components="fx fy mz")
    evaluate = jw.InverseDynamics(chain.system).compile(backend="numpy")
    force, center = np.tile([0.0, 7.0, 0.0], (101, 1)), np.tile([0.4, 0.0, 0.0], (101, 1))
    plate = ForcePlate.from_center_of_pressure(T, force, center)
    lying, still = np.full((101, 1), -np.pi / 2), np.zeros((101, 1))  # the rod along x
    result = evaluate(lying, still, still, specifieds=reaction.specifieds(plate))
    assert_allclose(result.generalized_forces[0], 3 * 10 * 1 - 7 * 0.4)
    wrench = result.joint_wrench("rod", frame=chain.ground.frame)[0]
    assert_allclose(wrench, [0, 30 - 7, 0, 0, 0, 30 - 2.8], atol=1e-12)


def test_external_wrench_two_plates():
    """Each acts on its foot alone; two of one name would be one load."""
    body = jw.gait.planar_body(1.75, 70.0)
    left = ExternalWrench(body.system, "foot_left", "left", "fx fy mz")
    right = ExternalWrench(body.system, "foot_right", "right", "fx fy mz")
    idyn = jw.InverseDynamics(body.system)
    values = left.specifieds(np.ones(6)) | right.specifieds(np.zeros(6))
    result = idyn.compile(backend="numpy")(
        *np.zeros((3, 13)), constants=body.constants_of(idyn), specifieds=values
    )
    ankles = (result.joint_wrench(f"ankle_{s}", frame=body.system.frame) for s in SIDES)
    assert_allclose(np.subtract(*ankles)[:3], [-1, -1, 0], atol=1e-12)


def test_external_wrench_refuses_names_that_are_taken():
    """By another wrench or an actuator; of bodies of one name neither is meant."""
    system = jw.gait.planar_body(1.75, 70.0).system
    ExternalWrench(system, "foot_left", components="fx fy")
    refused(lambda: ExternalWrench(system, "foot_right", components="fy mz"), "name")
    ExternalWrench(system, "foot_right", "right", components="fy mz")
    feet = me.System.from_newtonian(rigid_body("ground"))
    feet.add_joints(me.PinJoint("pin", feet.bodies[0], rod := me.RigidBody("foot")))
    axes = feet.z, rod.frame, feet.frame
    feet.add_actuators(me.TorqueActuator(me.dynamicsymbols("motor_mz"), *axes))
    refused(lambda: ExternalWrench(feet, rod, "motor"), "name")
    feet.add_bodies(me.RigidBody("foot"))
    refused(lambda: ExternalWrench(feet, "foot"), "segment")


def test_external_wrench_functions_of_time():
    reaction = ExternalWrench(jw.SerialChain.planar(1), 0, components=["fy"])
    plate = ForcePlate(T, np.stack([0 * T, np.sin(T), 0 * T], -1))
    (function,) = reaction.functions(plate).values()
    assert function(0.505) == pytest.approx(np.sin(0.505))
    assert function(1.05) == pytest.approx(np.sin(1.05), abs=1e-4)  # an integrator's last step
    again = pickle.loads(pickle.dumps(function))
    for time in (1.2, -0.2, np.array([0.5, 1.2])):
        refused(lambda: again(time), "times")
