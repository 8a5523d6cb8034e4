"""From markers to coordinates: laws on models of all kinds, scipy as the oracle, bad input."""

import re
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from bodies import rigid_body, system_of
from marks import slow
from numpy.testing import assert_allclose
from refusals import refusal, refused
from scipy.optimize import least_squares
from scipy.spatial.transform import Rotation
from sympy import Symbol
from sympy.physics.mechanics import PinJoint, System, inertia

import jointwrench as jw
from jointwrench.checks import tolerances
from jointwrench.mechanics.arithmetic.program import Program
from jointwrench.mechanics.codegen.toolchain import library
from jointwrench.tracking import squares_solver, tracked_model

sys.path.insert(0, str(Path(__file__).parents[2] / "examples"))
from four_bar import four_bar, steady_turn

T = np.linspace(0, 2, 41)
PAIRS = ((1, 2), (2, 1))
SPOTS = ((0.1, 0.2, 0.0), (0.3, -0.1, 0.1), (-0.2, 0.1, 0.3), (0.1, 0.1, -0.2))


class Case:
    """A model with markers, and a motion of it."""

    def __init__(self, model, points, q, times, constants=None):
        self.model, self.points, self.q, self.times = model, points, q, times
        self.constants = constants or {}
        system = model if isinstance(model, System) else model.system
        self.kinematics = jw.Kinematics(system, points, loops=getattr(model, "loops", ()))
        self.evaluate = self.kinematics.compile(
            "positions", constants=self.constants, backend="numpy"
        )

    def places(self, q):
        """Return the places of the markers, shape (N, k, 3)."""
        still = np.zeros(len(self.kinematics.speeds))
        return self.evaluate(q, still, still).positions

    def seen(self, rng=None, noise=0.0):
        """Return the markers by name, with noise."""
        places = self.places(self.q)
        if rng is not None:
            places = places + noise * rng.normal(size=places.shape)
        return {name: places[:, k] for k, name in enumerate(self.kinematics.points)}

    def solve(self, seen, **options):
        """Return what is found."""
        given = {"times": self.times, "constants": self.constants, **options}
        return jw.inverse_kinematics(self.kinematics, seen, **given)

    def alike(self, q):
        """Return coordinates with the signs of quaternions that the motion has."""
        return q


class Floating(Case):
    """A body in space, turned by a quaternion, with an arm."""

    def __init__(self):
        ground, base, arm = map(rigid_body, ("ground", "base", "arm"), (0, 2.0, 1.0))
        for body in (base, arm):
            body.central_inertia = inertia(body.frame, 0.1, 0.2, 0.3)
        free = jw.FreeJoint("free", ground, base, rotation="quaternion")
        pin = PinJoint("pin", base, arm, parent_point=0.3 * base.x, child_point=-0.4 * arm.x)
        system = system_of(ground, free, pin)
        points = {
            f"{body.name}_{k}": body.masscenter.locatenew(
                f"{body.name}_{k}", x * body.x + y * body.y + z * body.z
            )
            for body in (base, arm)
            for k, (x, y, z) in enumerate(SPOTS)
        }
        angles = np.stack([4 * T, 0.3 * T, 0.5 + np.sin(3 * T)], axis=-1)
        turns = Rotation.from_euler("xyz", angles).as_quat()[:, [3, 0, 1, 2]]
        places = np.stack([T, np.sin(T), 0.3 * T], axis=-1)
        super().__init__(system, points, np.column_stack([places, turns, np.sin(5 * T)]), T)

    def alike(self, q):
        signs = np.sign((q[:, 3:7] * self.q[:, 3:7]).sum(axis=1))
        return np.column_stack([q[:, :3], signs[:, None] * q[:, 3:7], q[:, 7]])


@cache
def four_bars():
    """A four-bar linkage over a turn of the crank, one marker on each bar."""
    system, knee = four_bar()
    idyn = jw.InverseDynamics(system, loops=[knee])
    q = steady_turn(idyn).q
    bodies = {body.name: body for body in system.bodies}
    points = {
        name: bodies[name].masscenter.locatenew(f"{name}_marker", x * bodies[name].x)
        for name, x in (("crank", 0.05), ("coupler", 0.1), ("rocker", -0.1))
    }
    return Case(idyn, points, q, np.arange(len(q)) / 100)


@cache
def arm():
    """A chain of three links in the plane."""
    chain = jw.SerialChain.planar(3)
    points = {f"P{k}": chain.joint_points[k] for k in (1, 2, 3)}
    q = np.stack([0.3 * np.sin(3 * T), 0.5 + np.cos(2 * T), 0.8 * np.sin(T) + 0.4], axis=-1)
    return Case(chain, points, q, T, {"l_0": 1.0, "l_1": 0.8, "l_2": 0.5})


@cache
def floating():
    return Floating()


CASES = {"arm": arm, "floating": floating, "four-bar": four_bars}


@pytest.fixture(scope="module", params=CASES)
def case(request):
    return CASES[request.param]()


@pytest.fixture(scope="module", params=["arm", *slow(["floating"]), "four-bar"])
def likely(request):
    """A case for laws of the solver, to which a quaternion is coordinates with a constraint."""
    return CASES[request.param]()


def test_exact_markers_give_the_motion_back(case):
    found = case.solve(case.seen())
    assert found.converged.all()
    assert_allclose(case.alike(found.q), case.q, atol=1e-7)
    assert found.rms.max() < 1e-8
    assert_allclose(case.alike(found.motion.q)[5:-5], case.q[5:-5], atol=1e-5)


def test_kinematics_of_all_markers_serve_any_of_them(likely, rng, monkeypatch):
    """The same as that of these markers alone; nothing is derived or compiled anew."""
    seen = likely.seen(rng, 0.002)
    likely.solve(seen)
    _, *fewer = likely.points
    weights = {name: 1.0 + k for k, name in enumerate(reversed(fewer))}
    points = {name: likely.points[name] for name in fewer}
    options = {"weights": weights, "times": likely.times, "constants": likely.constants}
    system = getattr(likely.model, "system", likely.model)
    alone = jw.Kinematics(system, points, loops=getattr(likely.model, "loops", ()))
    expected = jw.inverse_kinematics(alone, seen, **options)
    monkeypatch.setattr(Program, "__init__", None)  # there is none
    found = likely.solve({name: seen[name] for name in reversed(fewer)}, weights=weights)
    assert {*found.markers} == {*fewer}
    assert_allclose(likely.alike(found.q), likely.alike(expected.q), atol=1e-7)
    for name in fewer:
        ours, other = (x.residuals[:, x.markers.index(name)] for x in (found, expected))
        assert_allclose(ours, other, atol=1e-7)


def options_of(case, seen):
    """Missing markers, and targets, prescribed coordinates, bounds at which some rest."""
    name = str(case.kinematics.coordinates[-1]).removesuffix("(t)")
    next(iter(seen.values()))[5:9] = np.nan
    low, high = case.q[:, -1].min(), case.q[:, -1].max()
    bounds = {name: (0.9 * low + 0.1 * high, 0.1 * low + 0.9 * high)}
    kinds = [{"bounds": bounds}, {"targets": {name: (low, 1e-4)}}]
    kinds.append({"prescribed": {name: case.q[:16, -1]}})
    few = {floating(): slice(1), four_bars(): slice(1, 2)}  # a crank turns all around
    return [{"times": case.times[:16], **kind} for kind in kinds[few.get(case, slice(3))]]


def test_at_the_least_squares_only_bounds_and_constraints_push(likely, rng):
    """The gradient is that of constraints, and of bounds towards which squares fall."""
    seen = {marker: places[:16] for marker, places in likely.seen(rng, 0.005).items()}
    for options in options_of(likely, seen):
        found = likely.solve(seen, **options)
        assert found.converged.all()
        record = found.record
        misses, columns, constraints = record.columns(found.q, np.arange(16))
        gradient = (misses[:, None] @ columns)[:, 0] + record.q_weights * (
            found.q - record.q_targets
        )
        scale = np.sqrt((columns**2).sum(axis=1) + record.q_weights)
        sizes = np.where(scale > 0, scale, 1.0) * np.sqrt(found.fit.cost)[:, None]
        for q, slope, rows, size in zip(found.q, gradient, constraints, sizes, strict=True):
            ends = (q <= record.lower) | (q >= record.upper)
            moves = record.free & ~ends
            pushes = np.linalg.lstsq(rows[:, moves].T, slope[moves], rcond=None)[0]
            rest = (slope - rows.T @ pushes) / size
            assert np.abs(rest[moves]).max() < 1e-6
            side = np.where(q <= record.lower, 1, -1)
            assert (side * rest)[record.free & ends].min(initial=0.0) > -1e-6


def test_without_a_compiler_the_solver_calls_back(likely, rng, monkeypatch):
    """Kernels of numpy find the same; what they raise is raised."""
    seen = {marker: places[:16] for marker, places in likely.seen(rng, 0.005).items()}
    options = options_of(likely, seen)[0]
    ours = likely.solve(seen, **options)
    with monkeypatch.context() as patched:
        patched.setattr(tracked_model, "CompiledCode", int)  # none is
        other = likely.solve(seen, **options)
        assert_allclose(ours.q, other.q, atol=2e-6)
        assert_allclose(ours.fit.cost, other.fit.cost, rtol=1e-9)

        def interrupted(self, q):
            raise KeyboardInterrupt("by the user")

        patched.setattr(tracked_model.TrackedModel, "values", interrupted)
        with pytest.raises(KeyboardInterrupt, match="by the user"):
            ours.record.solve(None)


def test_where_there_is_neither_solver_nor_compiler_an_error_says_what_is_missing(
    monkeypatch, own_cache
):
    monkeypatch.setitem(sys.modules, "jointwrench.tracking._squares", None)
    squares_solver.solver.cache_clear()
    try:
        solver = squares_solver.solver()  # compiled now
        assert solver is squares_solver.solver()
        squares_solver.solver.cache_clear()
        monkeypatch.setattr(library, "_libraries", {})
        monkeypatch.setenv("JOINTWRENCH_CACHE", str(own_cache / "other"))
        monkeypatch.setenv("CC", "no-compiler")
        refused(squares_solver.solver, "inverse_kinematics", jw.CompilationError)
    finally:
        squares_solver.solver.cache_clear()


def test_the_solver_has_the_tolerances_of_the_package():
    known = dict(re.findall(r"\b([A-Z_]+) = ([0-9.e-]+)", squares_solver.solver_text()))
    for name in ("CANCELLED", "SINGULAR", "CURVATURE_KNOWN"):
        assert float(known[name]) == getattr(tolerances, name)


def test_noisy_markers_move_coordinates_as_derivatives_say(likely, rng):
    """Central differences of whole solutions: curvature, loops and quaternions included."""
    seen, (name, *_) = likely.seen(rng, 0.005), likely.points
    found = likely.solve(seen, standard_deviations=0.005)
    shift = np.array([0.0, 1e-3, 0.0])  # along one axis: the errors along others are independent
    expected = [
        likely.alike(likely.solve({**seen, name: seen[name] + sign * shift}).q) for sign in (1, -1)
    ]
    change = (expected[0] - expected[1]) / 2 * np.sign(likely.alike(found.q) * found.q + 1e-300)
    own = replace(found, standard_deviations={name: shift}).covariance
    assert_allclose(own, change[:, :, None] * change[:, None], atol=2e-3 * np.abs(own).max())
    each = [replace(found, standard_deviations={m: 0.005}).covariance for m in likely.points]
    assert_allclose(found.covariance, sum(each), atol=1e-12)


def test_uncertainty_carries_the_covariance_of_a_quaternion(rng):
    """First order and Monte Carlo of the forces; covariances of quaternions are singular."""
    case = floating()
    seen = case.seen(rng, 0.002)
    found = case.solve(seen, standard_deviations=0.002, smoothing=jw.signals.Smoothing(cutoff=4.0))
    idyn = jw.InverseDynamics(case.model)
    evaluate = idyn.compile("generalized_forces", derivatives=["q", "u", "udot"], backend="numpy")
    options = {"covariances": {"measured": found.covariance}}
    first = jw.propagation.uncertainty(evaluate, found.motion, **options)
    drawn = jw.propagation.uncertainty(
        evaluate, found.motion, **options, method="monte_carlo", samples=400, seed=1
    )
    sizes = [x.standard_deviation.generalized_forces[5:-5] for x in (first, drawn)]
    assert_allclose(np.mean(sizes[0] / sizes[1]), 1, atol=0.03)


@pytest.mark.parametrize(("name", "marker"), [("arm", "P3"), *slow([("floating", "arm_1")])])
def test_misplaced_markers_change_the_motion_as_markers_elsewhere_do(rng, name, marker):
    """Central differences of whole solutions with the marker elsewhere on its body."""
    case = CASES[name].__wrapped__()  # its own, which gets loads
    seen = case.seen(rng, 0.01)
    found = case.solve(seen)
    system = getattr(case.model, "system", case.model)
    assert np.isfinite(found.motion.q).all()
    system.add_loads((case.points[marker], system.frame.x))  # as those of plates, for its forces
    causes = found.misplaced({marker: 0.01})
    assert [*causes] == [f"{marker} x", f"{marker} y", f"{marker} z"]
    last, shift = [*system.bodies][-1], Symbol("shift")
    points = {**case.points, marker: case.points[marker].locatenew("moved", shift * last.y)}
    moved = jw.Kinematics(system, points)
    numbers = ({**case.constants, shift: x} for x in (0.001, -0.001))
    motions = [jw.inverse_kinematics(moved, seen, times=T, constants=x).motion for x in numbers]
    for name, change in causes[f"{marker} y"].items():
        more, less = (getattr(motion, name) for motion in motions)
        tolerance = 1e-3 * np.abs(change).max()
        assert_allclose(change, (more - less) / 0.002 * 0.01, atol=tolerance)
    refused(lambda: found.misplaced({"nose": 0.01}), "size")


@pytest.mark.parametrize("bounded", [False, True])
def test_weighted_least_squares_are_those_of_scipy(bounded, rng):
    case = arm()
    seen = case.seen(rng, 0.03)
    weights = {"P1": 1.0, "P2": 4.0, "P3": 0.5}
    bounds = {"q_1": (-0.2, 1.3)} if bounded else {}
    options = {"weights": weights, "bounds": bounds, "standard_deviations": {"P1": [0.01, 0, 0]}}
    found = case.solve(seen, **options, targets={"q_2": (0.4, 0.3)})
    measured = np.stack([*seen.values()], axis=1)
    roots = np.sqrt([*weights.values()])[:, None]

    def misses(q, row):
        pull = np.sqrt(0.3) * (q[2] - 0.4)
        return np.append(roots * (case.places(q) - measured[row]), pull)

    box = ([-np.inf, -0.2, -np.inf], [np.inf, 1.3, np.inf]) if bounded else (-np.inf, np.inf)
    for row in range(0, 41, 8):
        start = np.clip(case.q[row], *box)
        oracle = least_squares(misses, start, args=(row,), bounds=box, xtol=1e-15, ftol=1e-15)
        assert_allclose(found.q[row], oracle.x, atol=3e-6)
    if bounded:
        resting = np.isin(found.q[:, 1], (-0.2, 1.3))
        assert resting.any()
        assert not found.covariance[resting, 1].any()


def test_inverse_dynamics_as_the_model():
    """It has methods of names by which models from files state what coordinates do."""
    case = four_bars()
    found = jw.inverse_kinematics(case.model, case.seen(), case.points, times=case.times)
    assert_allclose(found.q, case.q, atol=1e-7)


@pytest.mark.slow
def test_orientations_alone_and_with_markers():
    case = floating()
    seen = case.seen()
    kin = jw.Kinematics(case.model, frames={b.name: b.frame for b in case.model.bodies[1:]})
    still = np.zeros(7)
    turned = kin.compile("orientations", backend="numpy")(case.q, still, still)
    given = {name: turned.orientation(name) for name in kin.frames}
    markers = {name: seen[name] for name in ("base_0", "arm_0")}
    found = case.solve(markers, orientations=given, standard_deviations={"arm": 0.01})
    assert_allclose(case.alike(found.q), case.q, atol=1e-6)
    assert found.angles.max() < 1e-6
    assert found.frames == ("base", "arm")
    both = jw.Kinematics(case.model, case.points, frames=kin._observed.given_frames)
    options = {"orientations": {"arm": given["arm"]}, "frames": both._observed.given_frames}
    again = jw.inverse_kinematics(both, markers, case.points, times=T, **options)
    assert_allclose(case.alike(again.q), case.q, atol=1e-6)
    assert again.frames == ("arm",)
    known = dict.fromkeys(map(str, case.model.q[:3]), 0.0)
    known = {name.removesuffix("(t)"): x for name, x in zip(known, case.q.T, strict=False)}
    turns = jw.inverse_kinematics(case.model, None, orientations=given, prescribed=known, times=T)
    assert_allclose(case.alike(turns.q), case.q, atol=1e-6)


def test_an_uncertain_orientation_is_that_of_its_joint():
    ground, arm = rigid_body("ground"), rigid_body("arm")
    system = system_of(ground, PinJoint("pin", ground, arm, joint_axis=ground.z))
    given = {"arm": Rotation.from_euler("z", [[0.1], [0.7]]).as_quat()[:, [3, 0, 1, 2]]}
    options = {"orientations": given, "times": [0, 1], "standard_deviations": 0.02}
    found = jw.inverse_kinematics(system, {}, **options)
    assert_allclose(found.q[:, 0], [0.1, 0.7], atol=1e-9)
    assert_allclose(found.covariance[:, 0, 0], 0.02**2)
    tip = {"tip": arm.masscenter.locatenew("tip", arm.x)}  # as certain as the turn, 1 m from it
    seen = {"tip": np.tile([np.cos(0.09), np.sin(0.09), 0], (2, 1))}
    found = jw.inverse_kinematics(system, seen, tip, **options)
    assert_allclose(found.q[0], 0.095, atol=1e-6)


def test_prescribed_coordinates(rng):
    case = arm()
    seen = case.seen(rng, 0.02)
    found = case.solve(seen, prescribed={"q_0": case.q[:, 0]}, standard_deviations=0.02)
    assert_allclose(found.q[:, 0], case.q[:, 0], rtol=0, atol=0)
    assert not found.covariance[:, 0].any()


def test_what_is_not_seen_is_filled_or_refused():
    case = arm()
    seen = case.seen()
    seen["P3"][10:12] = np.nan
    refused(lambda: case.solve(seen), "markers")
    fill = jw.signals.Smoothing(gaps="fill")
    with pytest.warns(UserWarning, match="do not determine q_2 in rows 10"):
        found = case.solve(seen, smoothing=fill)
    assert np.isnan(found.q[10:12, 2]).all()
    assert np.isnan(found.q).sum() == 2
    assert_allclose(found.motion.q, case.q, atol=1e-3)
    for places in seen.values():
        places[20] = np.nan
    refused(lambda: case.solve(seen), "markers")
    with pytest.warns(UserWarning, match="do not determine q_0, q_1, q_2 in rows 10"):
        assert np.isnan(case.solve(seen, smoothing=fill).q[20]).all()


def test_markers_that_are_not_there():
    case = arm()
    seen = case.seen()
    with pytest.warns(UserWarning, match="the model lacks head, neck"):
        case.solve({**seen, "head": seen["P1"], "neck": seen["P1"]})
    with pytest.warns(UserWarning, match="the recording lacks P4"):
        case.solve(seen, weights={"P1": 1, "P2": 1, "P3": 1, "P4": 1})
    with pytest.warns(UserWarning, match="the recording lacks P2"):
        found = case.solve({**seen, "P2": np.full((41, 3), np.nan)})
    assert "nan" in found._repr_html_()
    refused(lambda: case.solve({"head": seen["P1"]}), "markers")
    refused(lambda: case.solve({"P1": np.full((41, 3), np.nan)}), "markers")
    refused(lambda: case.solve({name: seen[name] for name in ("P1", "P2")}), "markers")


def test_units_and_degrees():
    case = arm()
    seen = case.seen()
    refused(lambda: case.solve({name: 1000 * places for name, places in seen.items()}), "markers")
    options = {"bounds": {"q_1": (-120, 10)}, "prescribed": {"q_1": 45.0}, "start": [30.0, 0, 0]}
    for name, degrees in {**options, "targets": {"q_1": (45.0, 1.0)}}.items():
        refused(lambda: case.solve(seen, **{name: degrees}), name)


def test_a_marker_on_the_wrong_side_is_named(rng):
    case = floating()
    seen = case.seen(rng, 0.002)
    swapped = {**seen, "base_1": seen["base_2"], "base_2": seen["base_1"]}
    texts = [rf"'base_{k}' is 0.57. away .*, but .* from the point of 'base_{j}'" for k, j in PAIRS]
    with pytest.warns(UserWarning, match=texts[0]), pytest.warns(UserWarning, match=texts[1]):
        case.solve(swapped)
    mirrored = {name: places * [1, 1, -1] for name, places in seen.items()}
    with pytest.warns(UserWarning, match="most markers are .* Are left and right swapped"):
        case.solve(mirrored)


def test_markers_on_one_line(rng):
    case = floating()
    seen = case.seen()
    for name in seen:
        seen[name][7] = seen["base_0"][7] + seen[name][7] @ [1.0, 0.3, 0.2] * np.array([1.0, 2, 0])
    with pytest.warns(UserWarning, match=r"all on one line in rows 7 \(time 0.35\)"):
        case.solve(seen)


@pytest.mark.parametrize(
    ("options", "argument"),
    [
        ({"times": None}, "times"),
        ({"weights": {"P7": 1}}, "weights"),
        ({"weights": {"P1": 0}}, "weights"),
        ({"bounds": {"q_1": 1}}, "bounds"),
        ({"orientations": {"link_0": np.zeros((41, 4))}}, "orientations"),
        ({"times": T[:5]}, "times"),
        ({"bounds": {"q_9": (0, 1)}}, "bounds"),
        ({"bounds": {"q_1": (1, 0)}}, "bounds"),
        ({"weights": {"P1": -1}}, "weights"),
        ({"prescribed": {"q_1": [1, 2]}}, "prescribed"),
        ({"prescribed": {"q_1": np.nan}}, "prescribed"),
        ({"targets": {"q_1": 0.5}}, "targets"),
        ({"start": [1, 2]}, "start"),
        ({"orientations": {"link_0": np.ones((41, 3))}}, "orientations"),
        ({"orientations": {"link_0": np.ones((41, 3, 3))}}, "orientations"),
    ],
)
def test_wrong_arguments(options, argument):
    case = arm()
    refused(lambda: case.solve(case.seen(), **options), argument)


def test_wrong_shapes_and_types():
    case = arm()
    seen = case.seen()
    for wrong in (np.ones((41, 2)), np.ones((40, 3)), np.full((41, 3), np.inf)):
        refused(lambda: case.solve({**seen, "P1": wrong}), "markers")
    for markers in (np.ones((41, 3)), "walk.trc"):
        refused(lambda: case.solve(markers), "markers", TypeError)
    refused(lambda: jw.inverse_kinematics(3, seen, case.points, times=T), "model", TypeError)
    refused(lambda: case.solve(seen, smoothing="spline"), "smoothing", TypeError)


def test_what_a_fitted_motion_knows():
    case = arm()
    found = case.solve(case.seen())
    assert repr(found).startswith("FittedMotion(3 coordinates, 3 markers: 41 instants, root mean")
    assert "q_1" in found._repr_html_()
    refused(lambda: found.covariance, "standard_deviations")
    refused(lambda: case.solve(case.seen(), standard_deviations={"P1": -1}), "standard_deviations")


def test_one_marker_on_a_body_that_it_determines():
    """It has no spread that could tell what is far, and no shape that could change."""
    chain = jw.SerialChain.planar(1)
    angles = np.linspace(0.1, 0.9, 9)
    seen = np.stack([-np.sin(angles), np.cos(angles), 0 * angles], axis=-1)
    points, sizes = {"tip": chain.tip}, {"l_0": 1.0}
    found = jw.inverse_kinematics(chain, {"tip": seen}, points, constants=sizes, times=np.arange(9))
    assert_allclose(found.q[:, 0], angles, rtol=1e-12)


def test_what_is_meant_is_said():
    case = arm()
    seen = case.seen()
    with refusal("weights", TypeError):
        case.solve(seen, weights=jw.musculoskeletal.TrackingTasks({"P1": 1.0}, {}))
    with refusal("orientations"):
        case.solve(None, orientations={"shank": np.tile([1.0, 0, 0, 0], (41, 1))})
    evaluate = jw.InverseDynamics(case.model.system).compile("generalized_forces", backend="numpy")
    refused(lambda: evaluate(case.solve(seen)), "q", TypeError)
    refused(lambda: floating().solve(floating().seen(), start=np.zeros(8)), "start")
