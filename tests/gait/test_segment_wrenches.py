"""Segment by segment from markers: against linked models, another program, and by hand."""

import pickle
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from refusals import refusal, refused
from sympy import Matrix, lambdify
from test_gait_toolkit import SEGMENTS, read

import jointwrench as jw
from jointwrench.gait.marker_segments import SegmentMotion
from jointwrench.gait.segment_dynamics import proximal_wrenches
from jointwrench.recordings import ForcePlate

T = np.linspace(0, 2, 401)
INNER = slice(20, -20)  # away from the splines' ends
LEG = {"thigh": "-y", "shank": "-y", "foot": "x"}


def values_of(chain, expressions, motion, constants):
    """Return expressions of a chain's coordinates over a motion, shape (N, *shape)."""
    matrix = Matrix(expressions).subs(constants)
    function = lambdify([list(chain.coordinates)], matrix, "numpy")
    return np.array([function(q) for q in motion.q], dtype=float).reshape(-1, *matrix.shape)


@pytest.fixture(scope="module")
def walking():
    """Return a rigid leg with a trunk's motion, plate, result and the markers at its joints."""
    leg = jw.gait.planar_leg(1.75, 70.0)
    reaction = jw.ExternalWrench(leg.chain, "foot", components="fx fy mz")
    idyn = jw.InverseDynamics(leg.system)
    rates = np.array([2.0, 1.1, 1.7, 3.0, 2.3])
    motion = jw.Trajectory.from_samples(T, 0.4 * np.sin(T[:, None] * rates + rates), idyn=idyn)
    force = np.stack([50 * np.sin(T), 700 + 100 * np.cos(T), 30 + 0 * T], -1)
    plate = ForcePlate.from_center_of_pressure(T, force, np.stack([0.1 * T, 0 * T, 0 * T], -1))
    constants = leg.constants_of(idyn)
    given = {"constants": constants, "specifieds": reaction.specifieds(plate)}
    result = idyn.compile(backend="numpy")(motion, **given)
    origin, ground = leg.chain.ground.masscenter, leg.chain.ground.frame
    points = [p.pos_from(origin).to_matrix(ground)[:2] for p in leg.chain.joint_points]
    places = values_of(leg.chain, points, motion, leg.constants)
    return leg, motion, plate, result, places.swapaxes(0, 1)


def segments_of(leg, places, **changes):
    """Return the segments that go from marker to marker, with the leg's numbers."""
    numbers = {str(s): x for s, x in leg.constants.items()}
    segments = []
    for k, (name, joint) in enumerate(zip(LEG, leg.joints, strict=True)):
        mass, center, length, inertia = (numbers[f"{x}_{name}"] for x in "mclI")
        own = mass, center / length, inertia
        options = {"joint": joint, "direction": LEG[name], **changes}
        segments.append(jw.gait.MarkerSegment(name, *places[k : k + 2], *own, **options))
    return segments


def test_of_rigid_segments_in_space(rng):
    """Where markers keep their distances both ways are the same."""
    upper_arm = "upper_arm", 0.3, 2.0, 0.14, (0.02, 0.004, 0.03)
    numbers = upper_arm, ("forearm", 0.25, 1.5, 0.1, (0.01, 0.002, 0.011))
    options = {"joint": "spherical", "direction": "-y"}
    rods = [jw.Segment(x, l, m, (0, -c, 0), inertia, **options) for x, l, m, c, inertia in numbers]
    chain = jw.SerialChain(rods, gravity=(0, 0, -9.81))
    idyn = jw.InverseDynamics(chain.system)
    rates = rng.uniform(1, 3, 6)
    motion = jw.Trajectory.from_samples(T, 0.7 * np.sin(T[:, None] * rates + rates), idyn=idyn)
    linked = idyn.compile(backend="numpy")(motion)
    origin, ground = chain.ground.masscenter, chain.ground.frame
    points = Matrix.hstack(*(p.pos_from(origin).to_matrix(ground) for p in chain.joint_points))
    places = values_of(chain, points, motion, {}).transpose(2, 0, 1)
    axes = [values_of(chain, ground.dcm(frame), motion, {}) for frame in chain.frames]
    moments = [(0.02, 0.004, 0.03), np.diag([0.01, 0.002, 0.011])]
    centers = 0.14 / 0.3, 0.1 / 0.25
    segments = []
    for k, rod in enumerate(rods):
        own = *places[k : k + 2], rod.mass, centers[k], moments[k]
        segments.append(jw.gait.MarkerSegment(rod.name, *own, rotations=axes[k]))
    result = jw.gait.segment_wrenches(T, segments, gravity=(0, 0, -9.81))
    assert_allclose(result.joint_wrenches[INNER], linked.joint_wrenches[INNER], atol=1e-4)
    for joint in ("upper_arm", "forearm"):
        power = result.joint_power(joint)[INNER]
        assert_allclose(power, linked.joint_power(joint)[INNER], atol=1e-4)
    own = result.joint_wrench("forearm", frame="parent")
    lab = result.joint_wrench("forearm", frame="laboratory")
    assert_allclose(np.einsum("nij,nj->ni", axes[0], own[:, :3]), lab[:, :3], atol=1e-9)
    names = "parent", "laboratory"
    parent, laboratory = (result.joint_wrench("upper_arm", frame=x)[:, 3:] for x in names)
    assert_allclose(parent, laboratory)


def test_by_hand_a_segment_that_grows():
    """Its mass centre moves with a part of its length, though nothing turns."""
    length = 1 + 0.1 * np.sin(3 * T)
    ends = np.zeros((401, 2)), np.stack([length, 0 * T], -1)
    rod = jw.gait.MarkerSegment("rod", *ends, 2.0, 0.4, 0.1, direction="x")
    wrench = jw.gait.segment_wrenches(T, [rod]).joint_wrench("rod")
    assert_allclose(wrench[INNER, 0], (-2.0 * 0.4 * 0.9 * np.sin(3 * T))[INNER], atol=1e-5)
    assert_allclose(wrench[:, 1], 2.0 * 9.81, atol=1e-9)
    assert_allclose(wrench[:, 5], 2.0 * 9.81 * 0.4 * length, atol=1e-9)


def test_by_hand_a_joint_that_is_no_point_of_its_segments():
    """Its force does work on neither of two segments that stand still: 20 N at 0.3 m/s."""
    ends = np.zeros((401, 2)), np.tile([0.0, -1.0], (401, 1))
    path = np.stack([0 * T, 0.3 * T], axis=-1)
    rod = jw.gait.MarkerSegment("rod", *ends, 2.0, 0.5, 0.1, joint_center=path)
    balance = jw.gait.segment_wrenches(T, [rod], gravity=(0, -10, 0)).energy_balance()
    assert_allclose(balance.power_residual[INNER], -6.0, atol=1e-6)
    assert_allclose(balance.works()["left over"], -12.0, atol=1e-6)
    residual = jw.gait.segment_wrenches(T, [rod]).energy_balance("rod").residuals["rod"]
    assert_allclose(residual[:, 1], 2 * 9.81)


def test_by_hand_a_joint_beside_the_line_of_the_segment():
    """As an ankle above the line from heel to toe; the plate pushes under the toe."""
    heel, toe, ankle = (np.tile(place, (401, 1)) for place in ([0, 0], [0.2, 0], [0.05, 0.1]))
    foot = jw.gait.MarkerSegment("foot", heel, toe, 1.0, 0.5, 0.01, "ankle", ankle, "x")
    force = np.tile([0, 800.0, 0], (401, 1))
    plate = ForcePlate.from_center_of_pressure(T, force, np.tile([0.2, 0, 0], (401, 1)))
    found = jw.gait.segment_wrenches(T, [foot], {"foot": plate}).joint_wrench("ankle")
    assert_allclose(found[:, 1], 9.81 - 800)
    assert_allclose(found[:, 5], 9.81 * 0.05 - 800 * 0.15)


def test_by_hand_several_loads_on_one(walking):
    leg, _, plate, _, places = walking
    segments = segments_of(leg, places)
    one = jw.gait.segment_wrenches(T, segments, {"foot": [plate, -plate.wrench]})
    none = jw.gait.segment_wrenches(T, segments)
    assert_allclose(one.joint_wrenches, none.joint_wrenches, atol=1e-9)
    assert not one.joint_wrenches[..., [2, 3, 4]].any()  # the plate's lateral part is left out


@pytest.mark.parametrize(("joint", "number"), [("hip", 0), ("knee", 1), ("ankle", 2)])
def test_another_program(joint, number):
    """GaitAnalysisToolKit on the walking trial, from its own filtered derivatives."""
    inputs, expected, table = read("inputs.csv"), read("results.csv"), read("segments.csv")
    zero = 0 * inputs["time_s"]

    def stack(name, *texts):
        return np.stack([inputs[f"{name}_{text}"] if text else zero for text in texts], -1)

    parts, bodies = [], []
    for row, center in zip(table, ("hip", "knee", "ankle"), strict=True):
        name, still = row["segment"], np.zeros((len(zero), 3))
        parts.append(
            (
                stack(center, "x_m", "y_m", ""),
                still,  # velocities do not matter for wrenches
                stack(name, "com_x_m", "com_y_m", ""),
                still,
                stack(name, "com_ax_mps2", "com_ay_mps2", ""),
                np.broadcast_to(np.eye(3), (len(zero), 3, 3)),
                stack(name, "", "", "omega_radps"),
                stack(name, "", "", "alpha_radps2"),
                np.zeros((len(zero), 2, 3)),  # nor do the ends
            )
        )
        inertia = np.diag([0, 0, row["I_per_bodymass"]])
        bodies.append(SimpleNamespace(mass=row["mass_frac"], inertia=inertia))
    motion = SegmentMotion(*(np.stack(part, axis=1) for part in zip(*parts, strict=True)))
    loads = np.zeros((len(zero), len(SEGMENTS), 6))
    loads[:, 2, [0, 1, 5]] = stack("fp", "fx_N_per_kg", "fy_N_per_kg", "mz_origin_Nm_per_kg")
    found = proximal_wrenches(motion, bodies, np.array([0, -9.81, 0]), loads)[:, number]
    assert_allclose(found[:, 0], expected[f"{joint}_Fx_N_per_kg"], rtol=0, atol=1e-8)
    assert_allclose(found[:, 1], expected[f"{joint}_Fy_N_per_kg"], rtol=0, atol=1e-8)
    moment = table["joint_sign"][number] * found[:, 5]
    assert_allclose(moment, expected[f"{joint}_moment_Nm_per_kg"], rtol=0, atol=1e-8)


@pytest.fixture
def result(walking):
    leg, _, plate, _, places = walking
    return jw.gait.segment_wrenches(T, segments_of(leg, places), {"foot": plate})


def test_result_is_a_result(result):
    table = result.to_table()
    assert_allclose(table["knee_mz"], result.joint_wrench("knee", components="mz"))
    assert_allclose(table["knee_power"], result.joint_power("knee"))
    normal = result.per_mass(70.0)
    assert_allclose(70 * normal.joint_power("knee"), result.joint_power("knee"))
    cycles = normal.over_cycles([0.5, 1.0, 1.5])
    assert cycles.joint_wrench("knee", frame="laboratory").shape == (2, 101, 6)
    assert jw.gait.clinical_curves(cycles)["knee_flexion"].shape == (2, 101)
    again = pickle.loads(pickle.dumps(result))
    assert_allclose(again.joint_work("knee"), result.joint_work("knee"))
    assert type(again) is jw.gait.SegmentResult


def test_result_refuses(result):
    refused(lambda: result.joint_wrench("trunk"), "joint")
    assert_allclose(result.joint_wrench("shank"), result.joint_wrench("knee"))  # it carries it
    refused(lambda: result.joint_wrench("knee", frame="thigh"), "frame")
    refused(lambda: result.joint_wrench("knee", about=[0, 0, 0]), "about")


def test_smoothing_and_gaps(walking, rng):
    """As of trajectories: gaps are filled on request, a cutoff takes noise away."""
    leg, _, plate, linked, places = walking
    noisy = places + rng.normal(scale=1e-3, size=places.shape)
    noisy[1, 30:34] = np.nan
    with refusal("segments"):
        jw.gait.segment_wrenches(T, segments_of(leg, noisy), {"foot": plate}, cutoff=4.0)
    options = {"cutoff": 4.0, "gaps": "fill", "max_gap": 0.1}
    found = jw.gait.segment_wrenches(T, segments_of(leg, noisy), {"foot": plate}, **options)
    error = np.abs(found.joint_wrenches - linked.joint_wrenches)[60:-60]
    assert error[..., [0, 1]].max() < 15  # N, of seven hundred
    assert error[..., 5].max() < 4
    with refusal("loads"):
        jw.gait.segment_wrenches(T, segments_of(leg, places), {"foot": plate}, rate=100)
    half = jw.gait.segment_wrenches(
        T, segments_of(leg, places), {"foot": plate.at(T[::2])}, rate=100
    )
    assert_allclose(half.joint_wrenches[10:-10], linked.joint_wrenches[::2][10:-10], atol=1e-2)


SPACE = {"proximal": np.zeros((401, 3)), "distal": np.ones((401, 3)), "inertia": [1, 1, 1]}


class TestRefuses:
    P = np.zeros((401, 2))
    D = np.tile([0.0, -1.0], (401, 1))

    def rod(self, name="rod", **changes):
        given = {"proximal": self.P, "distal": self.D, "mass": 1, "center": 0.5, "inertia": 0.1}
        return jw.gait.MarkerSegment(name, **given | changes)

    @pytest.mark.parametrize(
        ("changes", "argument"),
        [
            ({"mass": -1}, "mass"),
            ({"distal": D[1:]}, "distal"),
            ({"proximal": P[:, :1]}, "proximal"),
            ({"inertia": [1, 2, 3]}, "inertia"),
            ({"inertia": np.nan}, "inertia"),
            ({"rotations": np.eye(3)}, "rotations"),
            ({"direction": "z"}, "direction"),
            (SPACE, "rotations"),
            (SPACE | {"rotations": np.eye(3)}, "rotations"),
            (SPACE | {"rotations": np.ones((401, 3, 3))}, "rotations"),
            (SPACE | {"inertia": 1.0}, "inertia"),
        ],
    )
    def test_one(self, changes, argument):
        refused(lambda: self.rod(**changes), argument)

    @pytest.mark.parametrize(
        ("segments", "options", "argument"),
        [
            ([], {}, "segments"),
            (["a", "a"], {}, "segments"),
            (["a"], {"loads": {"b": P}}, "loads"),
            (["a"], {"loads": {"a": P}}, "loads"),
            (["a"], {"gravity": (0, 1)}, "gravity"),
        ],
    )
    def test_together(self, segments, options, argument):
        with refusal(argument):
            jw.gait.segment_wrenches(T, [self.rod(name) for name in segments], **options)

    def test_others(self):
        refused(lambda: jw.gait.segment_wrenches(T[1:], [self.rod()]), "segments")
        with refusal("segments"):
            jw.gait.segment_wrenches(T, [self.rod("a", joint="knee"), self.rod("b", joint="knee")])
        refused(lambda: jw.gait.segment_wrenches(T, [3]), "segments", TypeError)
        refused(lambda: jw.gait.segment_wrenches(T, [self.rod(distal=self.P)]), "distal")
