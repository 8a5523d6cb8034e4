"""Poses: laws on models of all kinds, scipy and Pinocchio as oracles, C code, bad input."""

import ctypes
import shutil
import subprocess

import numpy as np
import pytest
from bodies import rigid_body, system_of
from marks import slow
from numpy.testing import assert_allclose
from random_systems import closed_system, random_system
from refusals import refusal, refused
from scipy.optimize import minimize
from scipy.spatial.transform import Rotation
from sympy.physics.mechanics import PinJoint, RigidBody, System, dynamicsymbols
from test_inverse_kinematics import CASES

import jointwrench as jw
from jointwrench.tracking import levenberg_marquardt

HAND = "panda_hand"
UNITS = {f"l_{k}": 1.0 for k in range(4)}


@pytest.fixture(scope="module")
def robot():
    return jw.robots.read_urdf(jw.example_data("panda.urdf"))


@pytest.fixture(scope="module")
def reach(robot):
    return jw.PoseSolver(robot, [HAND], [HAND])


def limits(robot):
    ends = [robot.limits[name] for name in robot.coordinates]
    return np.array([x.lower for x in ends]), np.array([x.upper for x in ends])


class Hand:
    """The Panda's hand by a kinematics of its own."""

    def __init__(self, robot):
        points, frames = {HAND: robot.origins[HAND]}, {HAND: robot.bodies[HAND].frame}
        own = robot.kinematics(points=points, frames=frames)
        self.evaluate = own.compile(["positions", "orientations"])

    def at(self, q):
        return self.evaluate(q, 0 * q, 0 * q)

    def targets(self, q):
        found = self.at(q)
        return {HAND: found.positions[..., 0, :]}, {HAND: found.orientations[..., 0, :, :]}


@pytest.fixture(scope="module")
def hand(robot):
    return Hand(robot)


def planar(count=3, **options):
    arm = jw.SerialChain.planar(count)
    given = {"constants": UNITS, **options}
    return jw.PoseSolver(arm, {"tip": arm.tip}, {"end": arm.frames[-1]}, **given)


def tip(q):
    """Return the tip of a planar chain of unit links."""
    angles = np.cumsum(q, axis=-1)
    return np.stack([-np.sin(angles).sum(-1), np.cos(angles).sum(-1), 0 * angles[..., 0]], axis=-1)


def turned(angles):
    return Rotation.from_rotvec(np.multiply.outer(angles, [0, 0, 1])).as_matrix()


def test_random_poses_within_limits_are_reached(robot, reach, rng):
    """At least 99 of 100, as an independent program sees them."""
    pinocchio = pytest.importorskip("pinocchio")
    model = pinocchio.buildModelFromUrdf(str(jw.example_data("panda.urdf")))
    data, frame = model.createData(), model.getFrameId(HAND)

    def pose(q):
        pinocchio.framesForwardKinematics(model, data, q)
        return data.oMf[frame].copy()

    lower, upper = limits(robot)
    targets = [pose(q) for q in rng.uniform(lower, upper, (100, 7))]
    places = {HAND: np.array([x.translation for x in targets])}
    found = reach(places, {HAND: np.array([x.rotation for x in targets])})
    assert np.mean(found.reached) >= 0.99
    assert ((found.q >= lower) & (found.q <= upper)).all()
    for k in np.flatnonzero(found.reached):
        error = pinocchio.log6(pose(found.q[k]).actInv(targets[k])).vector
        assert np.abs(error).max() < 1e-6


@pytest.fixture(scope="module", params=CASES)
def case(request):
    return CASES[request.param]()


def test_models_of_all_kinds_reach_their_own_places(case, rng):
    """Trees, a quaternion, a loop: from other poses of the motion, and from nowhere."""
    reach = jw.PoseSolver(case.model, case.points, constants=case.constants)
    seen = case.seen()
    for start in (None, np.roll(case.q, 1, axis=0)):
        found = reach(seen, start=start)
        assert found.reached.all()
        assert max(x.max() for x in found.distances.values()) < 1e-6
        assert_allclose(case.places(found.q), case.places(case.q), atol=1e-6)
    follows = reach(seen, start=case.q[0], follow=True)
    assert follows.reached.all()
    assert_allclose(case.alike(follows.q), case.q, atol=1e-6)


def test_a_path_goes_from_pose_to_pose(rng):
    """As calls one by one from the pose before do; the least change has no steps between."""
    reach, t = planar(4), np.linspace(0, 2 * np.pi, 80)
    path = np.stack([0.5 + np.cos(t), 1.5 + 0.6 * np.sin(t), 0 * t], axis=-1)
    open_ = np.full((3, 3), np.nan)
    found = reach({"tip": path}, {"end": open_}, start=[0.1, 0.5, 0.4, 0.3], follow=True)
    assert found.reached.all()
    assert (found.remaining_freedoms == 2).all()
    q = found.q[0]
    for k in range(1, 80):
        q = reach({"tip": path[k]}, {"end": open_}, start=q, restarts=0).q
        assert_allclose(q, found.q[k], atol=1e-6)
    assert np.abs(np.diff(found.q, axis=0)).max() < 0.25


def oracle(cost, start, places, bounds=None):
    """Return the least cost that scipy finds near a start with places held."""
    held = {"type": "eq", "fun": places}
    options = {"ftol": 1e-15, "maxiter": 500}
    best = minimize(cost, start, method="SLSQP", constraints=[held], bounds=bounds, options=options)
    assert np.abs(places(best.x)).max() < 1e-7
    return best.fun


def test_most_random_poses_are_reached_without_restarts(robot, reach, hand, rng):
    """Damping by the sum of squares: 84 to 89 of 100, else 61 to 72."""
    lower, upper = limits(robot)
    targets = hand.targets(rng.uniform(lower, upper, (200, 7)))
    assert np.mean(reach(*targets, start=(lower + upper) / 2, restarts=0).reached) >= 0.8


@pytest.mark.parametrize("follow", [False, True])
def test_parts_of_a_batch_find_the_same_bits(reach, monkeypatch, follow):
    path = np.linspace([0.5, -0.3, 0.3], [0.5, 0.3, 0.3], 30)
    targets = {HAND: path}, {HAND: np.diag([1.0, -1.0, -1.0])}
    whole, calls = reach(*targets, follow=follow), []
    solver = levenberg_marquardt.solver()
    monkeypatch.setattr(levenberg_marquardt, "SAMPLES_PER_CALL", 7)
    monkeypatch.setattr(levenberg_marquardt, "solver", lambda: lambda *x: calls.append(solver(*x)))
    np.testing.assert_array_equal(reach(*targets, follow=follow).q, whole.q)
    assert len(calls) >= 5


def test_what_is_left_open_changes_least(rng):
    """Scipy finds nothing nearer to the start, with bounds at which some coordinates rest."""
    bounds = {"q_1": (-0.5, 0.9), "q_3": (-1.0, 0.6)}
    reach, start = planar(4, bounds=bounds), np.array([0.2, 0.6, 0.3, 0.3])
    targets = tip(start + rng.uniform(-0.5, 0.5, (20, 4)))
    found = reach({"tip": targets}, {"end": np.full((3, 3), np.nan)}, start=start)
    assert found.reached.all()
    box = [(-np.inf, np.inf), (-0.5, 0.9), (-np.inf, np.inf), (-1.0, 0.6)]
    assert np.isin(found.q[:, [1, 3]], [*box[1], *box[3]]).any()
    for q, target in zip(found.q, targets, strict=True):

        def cost(x):
            return np.sum((x - start) ** 2)

        least = oracle(cost, q, lambda x, target=target: (tip(x) - target)[:2], box)
        assert cost(q) <= least + 1e-6


def test_a_posture_is_weighed_against_least_change(robot, hand, rng):
    """Scipy finds nothing nearer to the middle of limits and to the start together."""
    lower, upper = limits(robot)
    middle, weights = (lower + upper) / 2, 4 / (upper - lower) ** 2
    known = lower + rng.uniform(0.25, 0.75, (2, 7)) * (upper - lower)
    targets = hand.targets(known)
    wished = dict(zip(robot.coordinates, zip(middle, weights, strict=True), strict=True))
    found = jw.PoseSolver(robot, [HAND], [HAND], targets=wished)(*targets, start=known)
    assert found.reached.all()
    assert found.settled.all()
    for k, q in enumerate(found.q):

        def cost(x, k=k):
            return np.sum((x - known[k]) ** 2 + weights * (x - middle) ** 2)

        def places(x, k=k):
            own = hand.targets(x)
            off = own[1][HAND] - targets[1][HAND][k]
            return np.append(own[0][HAND] - targets[0][HAND][k], off[[0, 0, 1], [1, 2, 2]])

        assert cost(q) < cost(known[k])
        least = oracle(cost, q, places, [*zip(lower, upper, strict=True)])
        assert cost(q) <= least * (1 + 1e-4)


def test_weights_are_least_squares_where_others_hold(rng):
    """The tip is reached, and the last link's direction comes as near as it allows."""
    reach = planar(3, weights={"end": 2e9})
    alone = planar(3, weights={"end": 2.0, "tip": 1.0})
    far = alone({"tip": [9.0, 0, 0]}, {"end": np.eye(3)})
    assert far.settled
    assert not far.reached
    assert "1 of 1 settled" in repr(far)
    assert far.unreached_reasons.item().startswith("only approached: tip 6.")
    assert alone({"tip": [0.0, 3.0, 0.0]}, {"end": np.eye(3)}).reached  # of its reference pose
    for start in rng.uniform(-1.0, 1.0, (5, 3)):
        target = tip(start)
        found = reach({"tip": target}, {"end": turned(0.4)}, start=start)
        assert found.reached
        assert_allclose(tip(found.q), target, atol=1e-7)

        def cost(x):
            return 4 * (1 - np.cos(x.sum() - 0.4))

        assert cost(found.q) <= oracle(cost, found.q, lambda x: (tip(x) - target)[:2]) + 1e-6


def test_what_is_nan_is_left_open(reach, hand, robot, rng):
    """A height and the direction of one axis alone."""
    lower, upper = limits(robot)
    places, turns = hand.targets(rng.uniform(lower, upper, (20, 7)))
    places[HAND][:, :2] = np.nan
    turns[HAND][:, :, :2] = np.nan
    found = reach(places, turns)
    assert found.reached.all()
    again = hand.at(found.q)
    assert_allclose(again.positions[:, 0, 2], places[HAND][:, 2], atol=1e-6)
    assert_allclose(again.orientations[:, 0, :, 2], turns[HAND][:, :, 2], atol=1e-6)
    assert (found.remaining_freedoms >= 4).any()
    assert max(found.angles[HAND].max(), found.distances[HAND].max()) < 1e-6


def test_unreached_reasons(reach, hand, robot):
    """Out of reach, beyond limits, and no way from the pose before; and nothing else."""
    arm = planar(2)
    open_ = np.full((3, 3), np.nan)
    found = arm({"tip": [[0.0, 3.0, 0.0], [0.3, 0.3, 0.0], [0.3, 0.3, 0.5]]}, {"end": open_})
    assert found.reached.tolist() == [False, True, False]
    reasons = ["out of reach: tip 1 away", "", "out of reach: tip 0.5 away"]
    assert found.unreached_reasons.tolist() == reasons
    bounded = planar(2, bounds={"q_1": (0.1, 1.0)})
    text = bounded({"tip": [0.3, 0.3, 0.0]}, {"end": open_}).unreached_reasons.item()
    assert text.startswith("bounds: it would be reached with q_1 at 2.7")
    assert text.endswith(", 1.71 beyond 1")
    path = [[-1.0, 1.0, 0.0], [0.0, 2.0, 0.0], [-1.9, 0.0, 0.0], [1.0, 1.0, 0.0]]
    half = planar(2, bounds={"q_0": (-1.6, 1.6), "q_1": (0.0, 2.0)})
    found = half({"tip": path}, {"end": open_}, follow=True)
    told = half({"tip": path}, {"end": open_})
    assert not found.reached[2:].all() or told.reached.all()


@pytest.mark.parametrize("beyond", [1e-6, 1e-4])
def test_unreached_reasons_of_near_misses_have_a_size(beyond):
    """Beyond the reach, and beyond a bound."""
    for bounds in ({}, {"q_1": (0.1, 1.0)}):
        arm = jw.SerialChain.planar(2)
        reach = jw.PoseSolver(arm, {"tip": arm.tip}, constants=UNITS, bounds=bounds)
        place = tip(np.array([0.3, 1.0 + beyond if bounds else 0.0]))
        found = reach({"tip": place if bounds else place * (1 + beyond / 2)})
        assert not found.reached
        text = found.unreached_reasons.item()
        size = f"{beyond:.3g} beyond 1" if bounds else f"tip {beyond:.3g} away"
        assert text.endswith(size)


def test_no_way_from_the_pose_before(reach, hand, robot, rng):
    """A jump that other starts would reach."""
    lower, upper = limits(robot)
    targets = hand.targets(rng.uniform(lower, upper, (60, 7)))
    path = reach(*targets, follow=True)
    assert not path.reached.all()
    words = set(path.unreached_reasons[~path.reached])
    assert "no path from the previous pose, but other poses reach it" in words
    assert reach(*targets).reached.mean() > 0.95


@pytest.mark.usefixtures("numpy_by_default")
def test_units_do_not_count(rng):
    """The same arm in millimetres: the same angles, also where a slide counts beside them."""
    found = []
    q = rng.uniform(-1, 1, (10, 3))
    for unit in (1.0, 1000.0):
        arm = jw.SerialChain.planar(3)
        options = {"constants": {name: unit * x for name, x in UNITS.items()}}
        reach = jw.PoseSolver(arm, {"tip": arm.tip}, **options)
        found.append(reach({"tip": unit * tip(q)}, start=[0.1, 0.4, 0.3]))
    assert found[0].reached.all()
    assert_allclose(found[0].q, found[1].q, atol=1e-6)


def test_shapes_of_batches(reach, hand, robot, rng):
    lower, upper = limits(robot)
    places, turns = hand.targets(rng.uniform(lower, upper, (2, 3, 7)))
    found = reach(places, turns)
    assert found.q.shape == (2, 3, 7)
    arrays = found.reached, found.settled, found.unreached_reasons, found.remaining_freedoms
    assert {x.shape for x in (*arrays, found.distances[HAND], found.angles[HAND])} == {(2, 3)}
    one = reach({HAND: places[HAND][1, 2]}, {HAND: turns[HAND][1, 2]})
    assert one.q.shape == (7,)
    assert_allclose(one.q, found.q[1, 2], atol=1e-9)
    quaternions = Rotation.from_matrix(turns[HAND].reshape(-1, 3, 3)).as_quat()[:, [3, 0, 1, 2]]
    assert_allclose(reach(places, {HAND: quaternions.reshape(2, 3, 4)}).q, found.q, atol=1e-5)
    none = reach({HAND: np.zeros((0, 3))}, {HAND: np.eye(3)})
    assert none.q.shape == (0, 7)
    assert none.unreached_reasons.shape == none.remaining_freedoms.shape == (0,)
    assert repr(found).startswith("FoundPoses(7 coordinates: 6 of 6 reached)")
    assert repr(reach) == "PoseSolver(7 coordinates, of panda_hand)"


def test_former_names_of_results_are_deprecated():
    found = planar(2)({"tip": [0.0, 3.0, 0.0]}, {"end": np.full((3, 3), np.nan)})
    for former, name in (("hindrances", "unreached_reasons"), ("freedoms", "remaining_freedoms")):
        with pytest.warns(
            DeprecationWarning, match=rf"^FoundPoses.{former} is .* Use FoundPoses.{name}"
        ):
            assert getattr(found, former) == getattr(found, name)


def test_prescribed_coordinates_stay(rng):
    reach = planar(4, prescribed={"q_2": 0.2})
    known = rng.uniform(-1, 1, (20, 4))
    known[:, 2] = 0.2
    found = reach({"tip": tip(known)}, {"end": np.full((3, 3), np.nan)})
    assert found.reached.all()
    assert (found.q[:, 2] == 0.2).all()


def compiled(reach, folder, **options):
    """Return the written function of a solver, on arrays, and the size of its work."""
    source, header = reach.write_c(folder / "own.c", **options)
    library = folder / "own.so"
    flags = ["-std=c99", "-O2", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared"]
    flags += ["-Wconversion", "-Wsign-conversion", "-Wdouble-promotion"]
    subprocess.run(["cc", *flags, "-o", library, source, "-lm"], check=True)
    (size,) = (x.split()[-1] for x in header.read_text().splitlines() if "#define OWN_WORK" in x)
    solve = ctypes.CDLL(str(library)).own_poses
    return lambda *arrays: solve(*(ctypes.c_void_p(x.ctypes.data) for x in arrays)), int(size)


@pytest.mark.skipif(not shutil.which("cc"), reason="there is no C compiler")
@pytest.mark.parametrize("kind", ["panda", *slow(["floating"]), "four-bar"])
def test_written_c_finds_the_same(kind, robot, hand, request, tmp_path, rng):
    """Compiled with all warnings as errors; trees, a quaternion, a loop; NaN is left open.

    Coordinates have the square root of SETTLED as error: roundoff of another kernel changes them.
    """
    if kind == "panda":
        wished = {"panda_joint2": (0.3, 0.5), "panda_joint5": (-0.4, 2.0)}
        reach = jw.PoseSolver(robot, [HAND], [HAND], targets=wished)
        q = rng.uniform(*limits(robot), (30, 7))
        places, turns = hand.targets(q)
        places[HAND][::3, 1] = np.nan
    else:
        request.getfixturevalue("numpy_by_default")  # another kernel, too
        case = CASES[kind]()
        name = next(iter(case.points))
        reach = jw.PoseSolver(case.model, {name: case.points[name]}, constants=case.constants)
        q, places, turns = case.q[:30], {name: case.seen()[name][:30]}, {}
    start = np.roll(q, 1, axis=0)
    solve, size = compiled(reach, tmp_path, steps=100)
    found = reach(places, turns, start=start, restarts=0)
    assert found.reached.any()
    work = np.full(size + 1, 7.0)
    for k, own in enumerate(start.copy()):
        targets = np.concatenate([x[k].ravel() for x in (*places.values(), *turns.values())])
        assert (solve(targets, own, work) > 0) == found.reached[k]
        if found.settled[k]:
            assert_allclose(own, found.q[k], atol=1e-4)
    assert work[-1] == 7.0


@pytest.mark.skipif(not shutil.which("cc"), reason="there is no C compiler")
@pytest.mark.parametrize(("precision", "error"), [("double", 1e-6), ("float", 1e-4)])
def test_a_few_steps_of_written_c_come_nearer(precision, error, tmp_path):
    """A controller calls them again and again."""
    solve, size = compiled(planar(3), tmp_path, steps=1, precision=precision)
    kind = {"double": np.float64, "float": np.float32}[precision]
    q, work = np.array([0.3, 0.4, 0.5], kind), np.full(size + 1, 7.0, kind)
    targets = np.concatenate([tip(np.array([0.7, 0.6, -0.2])), np.full(9, np.nan)]).astype(kind)
    states = [solve(targets, q, work) for _ in range(12)]
    assert states[0] == 0
    assert states[-1] > 0
    assert_allclose(tip(q.astype(float)), targets[:3], atol=error)
    assert work[-1] == 7.0


KINDS = [(kind, k) for kind in ("in a plane", "in space", "tree") for k in range(8)]


@pytest.mark.parametrize(("kind", "number"), [KINDS[0], *slow(KINDS[1:])])
@pytest.mark.usefixtures("numpy_by_default")
def test_random_models_come_back(kind, number, rng):
    """From coordinates moved out of a pose, loops opened, all bodies come back to it."""
    if kind == "tree":
        model = random_system(number)
    else:
        model = closed_system(number, planar=kind == "in a plane")
    known = np.array([model.inputs[q] for q in model.system.q])
    points = {body.name: body.masscenter for body in model.moving}
    own = jw.Kinematics(model.system, points, loops=model.loops)
    constants = {symbol: model.inputs[symbol] for symbol in own.constants}
    reach = jw.PoseSolver(own, points, constants=constants)
    at = reach.tracked.positions(known[None])[0][0]
    start = known + rng.uniform(-0.03, 0.03, len(known))
    found = reach(dict(zip(points, at, strict=True)), start=start, restarts=0)
    assert found.reached
    assert_allclose(reach.tracked.positions(found.q[None])[0][0], at, atol=1e-5)
    closure = reach.tracked.values(found.q[None])[0][:, reach.tracked.position_size :]
    assert np.abs(closure).max(initial=0.0) < 1e-8


def coupled():
    """Two pins of which the second turns half as far, with a slide behind."""
    ground, upper, lower = map(RigidBody, ("ground", "upper", "lower"))
    first = PinJoint("first", ground, upper, joint_axis=ground.z, child_point=-upper.x)
    ends = {"parent_point": upper.x, "child_point": -lower.x, "joint_axis": upper.z}
    system = system_of(ground, first, PinJoint("second", upper, lower, **ends))
    q, p = system.q
    system.add_holonomic_constraints(p - q / 2)
    return system, {"tip": lower.masscenter.locatenew("tip", lower.x)}


def test_coupled_joints_hold():
    system, points = coupled()
    reach = jw.PoseSolver(system, points)
    q = np.linspace(-1.5, 1.5, 7)
    places = np.stack(
        [2 * np.cos(q) + 2 * np.cos(1.5 * q), 2 * np.sin(q) + 2 * np.sin(1.5 * q), 0 * q], axis=-1
    )
    found = reach({"tip": places})
    assert found.reached.all()
    assert_allclose(found.q, np.stack([q, q / 2], axis=-1), atol=1e-6)
    assert not reach({"tip": [0.0, 5.0, 0.0]}).reached


@pytest.mark.parametrize(
    ("options", "argument"),
    [
        ({"weights": {"tap": 1.0}}, "weights"),
        ({"weights": {"tip": 0.0}}, "weights"),
        ({"bounds": {"q_0": (1, 0)}}, "bounds"),
        ({"prescribed": {"q_0": 90.0}}, "prescribed"),
        ({"targets": {"q_0": 1.0}}, "targets"),
        ({"points": {}}, "points"),
        ({"points": ["S_9"]}, "points"),
        ({"points": ["S_9"], "frames": ["S_9"]}, "points"),
    ],
)
@pytest.mark.usefixtures("numpy_by_default")
def test_wrong_arguments(options, argument):
    arm = jw.SerialChain.planar(2)
    given = {"points": {"tip": arm.tip, "elbow": arm.joint_points[1]}, "constants": UNITS}
    refused(lambda: jw.PoseSolver(arm, **{**given, **options}), argument)


@pytest.mark.parametrize(
    ("places", "orientations", "argument"),
    [
        ({"tip": [1.0, 2.0]}, np.eye(3), "places"),
        ({"tap": [1.0, 2.0, 0]}, np.eye(3), "places"),
        ({"tip": [np.inf, 0, 0]}, np.eye(3), "places"),
        ({"tip": np.zeros((2, 3))}, np.ones((3, 1, 1)) * np.eye(3), "places"),
        *(
            ({"tip": [1.0, 0, 0]}, wrong, "orientations")
            for wrong in (
                *(None, np.ones((3, 3)), np.zeros(4), [1.0, 2.0], [np.inf, 0, 0, 0]),
                *(np.diag([1, 1, -np.inf]), [np.nan, 1, 0, 0], np.diag([1, np.nan, 1])),
                *(np.diag([1.0, 1, -1]), np.eye(4)),
            )
        ),
    ],
)
def test_wrong_targets(places, orientations, argument):
    turns = {} if orientations is None else {"end": orientations}
    refused(lambda: planar(2)(places, turns), argument)


@pytest.mark.parametrize("blank", [[], [0, 2]])
def test_orientations_of_a_few_digits(blank):
    """Law: numbers that are rounded, or far from 1, stand for the orientation nearest to them."""
    rounded = turned(0.7).round(4)
    rounded[:, blank] = np.nan
    for given in (rounded, [1e-200 * np.cos(0.35), 0, 0, 1e-200 * np.sin(0.35)]):
        found = planar(3)({"tip": [np.nan] * 3}, {"end": given})
        assert found.reached
        assert found.q.sum() == pytest.approx(0.7, abs=1e-4)


def test_a_base_that_moves_by_itself_is_refused():
    ground, base, arm = (rigid_body(name) for name in ("ground", "base", "arm"))
    system = System.from_newtonian(ground)
    base.frame.orient_axis(ground.frame, ground.z, 0)
    base.masscenter.set_pos(system.fixed_point, dynamicsymbols._t * ground.x)
    system.add_bodies(base)
    system.add_joints(PinJoint("pin", base, arm, child_point=-arm.x))
    solver = jw.PoseSolver(system, points={"tip": arm.masscenter})
    refused(lambda: solver({"tip": [[1.0, 0.2, 0.0]]}), "model")


def test_wrong_calls():
    reach, targets = planar(2), ({"tip": [0.5, 0.5, 0.0]}, {"end": np.full((3, 3), np.nan)})
    refused(lambda: reach(*targets, follow=True), "follow")
    refused(lambda: reach(*targets, start=[0.0]), "start")
    refused(lambda: reach(*targets, start=[0.0, 90.0]), "start")
    refused(lambda: reach(*targets, restarts=-1), "restarts")
    refused(lambda: reach(*targets, follow=1), "follow", TypeError)
    refused(lambda: jw.PoseSolver(3, {"tip": None}), "model", TypeError)
    refused(lambda: reach.write_c("arm.txt"), "path")
    refused(lambda: reach.write_c("arm.c", steps=0), "steps")
    refused(lambda: reach.write_c("arm.c", precision="half"), "precision")


@pytest.mark.usefixtures("numpy_by_default")
def test_markers_of_one_instant_may_leave_a_redundant_arm_open(robot):
    """They are a pose: what is open stays near the start, and a warning names it."""
    kin = robot.kinematics(points={"hand": robot.origins["panda_hand"]})
    q = np.array([[0.3, -0.4, 0.2, -1.8, 0.1, 1.9, 0.5] + [0.0] * (len(robot.coordinates) - 7)])
    place = kin.compile("positions")(q).position("hand")
    with pytest.warns(UserWarning, match="do not determine panda_joint1, .* PoseSolver selects"):
        found = jw.inverse_kinematics(kin, {"hand": place}, times=[0.0], start=q[0] + 0.05)
    np.testing.assert_allclose(kin.compile("positions")(found.q).position("hand"), place, atol=1e-8)
    assert abs(found.q - q).max() < 0.3
    assert np.isnan(found.motion.u).all()
    with refusal("markers"):
        jw.inverse_kinematics(kin, {"hand": np.tile(place, (2, 1))}, times=[0.0, 1.0])
