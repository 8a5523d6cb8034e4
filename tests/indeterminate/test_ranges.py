"""Ranges of undetermined forces: closed forms and laws."""

import numpy as np
import pytest
import sympy.physics.mechanics as me
from bodies import rigid_body, system_of
from indeterminate_models import door, in_plane, planar_body, standing, table
from linkages import slides
from refusals import refused
from scipy.spatial.transform import Rotation
from sympy import Max, symbols
from sympy.physics.vector import Point, ReferenceFrame

import jointwrench as jw
from jointwrench import Limit

G = 9.81
REST = [0.0] * 3


@pytest.fixture(scope="module")
def ladder():
    """A ladder of 4 m and 20 kg; contacts at its ends."""
    return planar_body(20.0, {"floor": (-2, 0), "wall": (2, 0)})


def leaning(ladder, angle, floor, wall):
    idyn, ground = ladder
    limits = [Limit.contact("floor", ground.y, floor), Limit.contact("wall", -ground.x, wall)]
    return jw.ranges(idyn, ([0, 0, angle], REST, REST), limits)


def pushes_of_wall(angle, floor, wall, weight=20 * G):
    """Return the ends of the wall's push by hand: N = (P/2 - f) cot, f its friction."""
    c = 1 / np.tan(angle)
    low, high = [-np.inf], [wall * c * weight / 2 / (1 + wall * c)]
    if wall * c < 1:
        low.append(-wall * c * weight / 2 / (1 - wall * c))
    (low if c > floor else high).append(weight * (c / 2 - floor) / (c - floor))
    return np.array([weight / 2 - min(high), weight / 2 - max(low)]) * c


@pytest.mark.parametrize("degrees", [35, 50, 60, 70, 80])
@pytest.mark.parametrize("frictions", [(0.3, 0.2), (0.5, 0.3), (0.4, 0.0), (0.6, 0.6)])
def test_a_ladder_against_a_wall(ladder, degrees, frictions):
    angle = np.radians(degrees)
    found, (low, high) = leaning(ladder, angle, *frictions), pushes_of_wall(angle, *frictions)
    assert bool(found.feasible) == (low <= high)
    if low > high:
        assert found.contradictions == ("floor slips", "wall slips")
        assert np.isnan(found.joint_wrench("wall")[:, :2]).all()
    else:  # determined along the ladder and across it: only the couple of pushes is free
        assert found.contradictions == ()
        assert np.isfinite(found.joint_wrench("wall")[:, :2]).all()


def test_the_push_of_the_wall(ladder):
    """In the frame of ground, by limits that leave nothing of the interval's outside."""
    idyn, ground = ladder
    angle, frictions = np.radians(65), (0.5, 0.3)
    state = ([0, 0, angle], REST, REST)
    usual = [Limit.contact("floor", ground.y, 0.5), Limit.contact("wall", -ground.x, 0.3)]
    for end, bound in zip(pushes_of_wall(angle, *frictions), ("high", "low"), strict=True):
        for change, is_possible in ((1e-6, bound == "low"), (-1e-6, bound == "high")):
            kind = {"high": "low", "low": "high"}[bound]  # the force on the ladder is -push
            more = Limit("wall", "fx", frame=ground.frame, **{kind: -end + change})
            assert bool(jw.ranges(idyn, state, [*usual, more]).feasible) == is_possible


def test_a_table_on_four_legs():
    for (a, b), (x0, y0) in (((1, 0.8), (0, 0)), ((1.4, 0.6), (0.2, -0.1))):
        feet = np.array([(a, b), (-a, b), (-a, -b), (a, -b)]) - (x0, y0)
        idyn, legs = table(feet)
        found = jw.ranges(idyn, standing(), [Limit(leg, "fz", 0) for leg in legs])
        corner = np.array([1, -1, 1, -1])
        rows = np.c_[np.ones(4), feet]
        least = np.linalg.lstsq(rows.T, [20 * G, 0, 0], rcond=None)[0]
        up, down = min(least[corner < 0]), min(least[corner > 0])
        expected = np.sort([least + corner * up, least - corner * down], axis=0)
        for k, leg in enumerate(legs):
            assert found.joint_wrench(leg)[:, 2] == pytest.approx(expected[:, k], abs=1e-9)
        assert found.joint_wrench("free") == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize(("slope", "friction"), [(0.2, 0.5), (0.45, 0.5), (0.48, 0.5), (1.0, 3.0)])
def test_a_block_on_a_slope(slope, friction):
    idyn, ground = planar_body(10.0, {"rear": (-0.5, -0.4), "front": (0.5, -0.4)}, slope=slope)
    limits = [Limit.contact(x, ground.y, friction) for x in ("rear", "front")]
    found = jw.ranges(idyn, (REST, REST, REST), limits)
    weight = 10 * G
    front = weight * (np.cos(slope) / 2 + np.sin(slope) * 0.4)
    rear, along = weight * np.cos(slope) - front, -weight * np.sin(slope)
    if rear < 0:  # the block tips: its name comes before those of frictions
        assert found.contradictions == ("rear lifts off",)
    elif np.tan(slope) > friction:
        assert set(found.contradictions) == {"rear slips", "front slips"}
    else:
        low = max(-friction * rear, along - friction * front)
        ends = low, min(friction * rear, along + friction * front)
        assert found.joint_wrench("rear")[:, 0] == pytest.approx(ends)
        assert found.joint_wrench("rear")[:, 1] == pytest.approx(rear)


def test_one_contact_of_a_determined_force_slips():
    """No undetermined force moves its rows: rounding in them must not hide that it slips."""
    idyn, ground = planar_body(10.0, {"foot": (0.0, 0.0)}, slope=0.5)
    slips = jw.ranges(idyn, (REST, REST, REST), [Limit.contact("foot", ground.y, 0.3)])
    assert not slips.feasible
    assert slips.contradictions == ("foot slips",)
    assert jw.ranges(idyn, (REST, REST, REST), [Limit.contact("foot", ground.y, 0.6)]).feasible


@pytest.mark.parametrize("directions", ["xy", "xyz"])
def test_a_grasp_has_no_upper_end(directions):
    """With directions across the plane, too, whose forces nothing bounds."""
    idyn, ground = planar_body(2.0, {"left": (-0.1, 0), "right": (0.1, 0)}, directions=directions)
    limits = [Limit.contact("left", ground.x, 0.4), Limit.contact("right", -ground.x, 0.4)]
    state = (REST, REST, REST)
    found = jw.ranges(idyn, state, limits)
    assert found.joint_wrench("left")[:, 0] == pytest.approx([2 * G / 0.8, np.inf])
    assert found.joint_wrench("left")[:, 1] == pytest.approx([G, G])
    if directions == "xyz":
        assert found.joint_wrench("left")[:, 2].tolist() == [-np.inf, np.inf]
    bounded = jw.ranges(idyn, state, [*limits, Limit("left", "fx", high=60)])
    assert bounded.joint_wrench("left")[:, 0] == pytest.approx([2 * G / 0.8, 60])
    weak = jw.ranges(idyn, state, [*limits, Limit("left", "fx", high=20)])
    assert set(weak.contradictions) == {"left slips", "left fx at most 20"}


def test_no_limits_leave_everything_open_but_what_is_determined():
    idyn, legs = table([(1, 1), (-1, 1), (-1, -1), (1, -1)])
    found = jw.ranges(idyn, standing(), outputs=["joint_wrenches", "generalized_forces"])
    wrench = found.joint_wrench(legs[0])
    assert wrench[:, 2].tolist() == [-np.inf, np.inf]
    assert (wrench[:, [0, 1, 3, 4, 5]] == 0).all()
    assert found.feasible.all()
    assert found.contradictions == ()
    assert (found.generalized_forces == 0).all()


def cables(limit=None):
    """Return a mass on three cables in a plane, at 90, 210 and 330 degrees, and their symbols."""
    ground, mass = rigid_body("ground"), rigid_body("m", 2.0)
    system = system_of(ground, *slides(ground, mass, "xy"), gravity=-G * ground.y)
    pulls = me.dynamicsymbols("a b c")
    for pull, angle in zip(pulls, np.radians([90, 210, 330]), strict=True):
        system.add_loads(
            me.Force(mass.masscenter, pull * (np.cos(angle) * ground.x + np.sin(angle) * ground.y))
        )
    return jw.InverseDynamics(system, solve_for=pulls, actuated=[]), pulls


def test_cables_that_only_pull():
    idyn, (a, b, c) = cables()
    state = ([[0, 0]] * 2, [[0, 0]] * 2, [[0, 0], [0, -2 * G]])
    found = jw.ranges(idyn, state, [Limit(x, low=0, high=50) for x in (a, "b", c)])
    assert found.feasible.tolist() == [True, True]
    assert found.load(a)[0] == pytest.approx([2 * G, 50])
    assert found.load("b")[0] == pytest.approx([0, 50 - 2 * G])
    assert found.load(b)[1] == pytest.approx([2 * G, 50])
    weak = jw.ranges(idyn, state, [Limit(a, high=10), Limit(b, low=0), Limit(c, low=0)])
    assert weak.feasible.tolist() == [False, True]
    assert weak.contradictions[1] == ()
    assert "a at most 10" in weak.contradictions[0]


def test_what_nothing_supplies_is_named():
    idyn, legs = table([(1, 1), (-1, 1), (-1, -1), (1, -1)])
    q, u, _ = standing()
    found = jw.ranges(idyn, (q, u, [1, 0, 0, 0, 0, 0]), [Limit(legs[0], "fz", 0)])
    assert not found.feasible
    assert "nothing supplies" in found.contradictions[0]


def test_a_box_on_a_sole_tips():
    """A sole welded to a box that is pushed at its top; its friction suffices."""
    for push, is_possible in ((24.0, True), (26.0, False), (-24.0, True), (-26.0, False)):
        ground, box = rigid_body("ground"), rigid_body("box", 10.0, 1, 1, 1)
        weld = me.WeldJoint("sole", ground, box, child_point=-box.z)
        system = system_of(ground, weld, gravity=-10 * ground.z)
        bottom = box.masscenter.locatenew("bottom", -box.z)
        corners = enumerate([(1, 1), (-1, 1), (-1, -1), (1, -1)])
        sole = [bottom.locatenew(f"p{k}", x * box.x / 2 + y * box.y) for k, (x, y) in corners]
        system.add_loads(me.Force(box.masscenter.locatenew("top", box.z), push * ground.x))
        idyn = jw.InverseDynamics(system)
        state = [], [], []
        found = jw.ranges(idyn, state, [Limit.contact("sole", friction=0.5, sole=sole)])
        assert bool(found.feasible) == is_possible  # push * 2 = 100 * 0.5
        if not is_possible:
            assert found.contradictions == ("sole tips",)


def test_a_measured_load_on_a_sole_is_about_the_origin():
    """A foot of 8 kg stands at x = 5; the centre of pressure is below its mass centre."""
    foot = rigid_body("foot", 8.0, 1, 1, 1)
    system, ground = in_plane(foot)
    system.apply_uniform_gravity(-10 * ground.y)
    plate = jw.ExternalWrench(system, foot, "plate", components="fx fy mz")
    idyn = jw.InverseDynamics(system, solve_for=plate.symbols, actuated=[])
    for ends, is_possible in (((-0.1, 0.2), True), ((0.05, 0.2), False)):
        sole = [foot.masscenter.locatenew(f"end{x}", x * foot.x - foot.y) for x in ends]
        found = jw.ranges(idyn, ([5, 1, 0], REST, REST), [Limit.contact(plate, sole=sole)])
        assert bool(found.feasible) == is_possible
        assert is_possible or found.contradictions == ("plate tips",)


def held(rotation, kind, angles):
    """Return a box of 4 kg on a free joint, held by one loop joint; its state, and R."""
    ground, box = rigid_body("ground"), rigid_body("box", 4.0, 1, 2, 3)
    free = jw.FreeJoint("free", ground, box, rotation=rotation)
    system = system_of(ground, free, gravity=-10 * ground.z)
    turned = ReferenceFrame("turned")
    turned.orient_body_fixed(ground.frame, angles, 123)
    axis = {"joint_axis": turned.y} if kind == "pin" else {}
    loop = jw.LoopJoint("hold", ground, box, kind, None, -1.3 * box.x, turned, **axis)
    turn = Rotation.from_euler("XYZ", angles)
    x, y, z, w = turn.as_quat()
    own = angles if rotation == "angles" else [w, x, y, z]
    q = [*turn.apply([1.3, 0, 0]), *own]
    return jw.InverseDynamics(system, loops=[loop], actuated=[]), q, turn.as_matrix()


@pytest.mark.parametrize("rotation", ["angles", "quaternion"])
@pytest.mark.parametrize(
    ("kind", "angles"),
    [
        *(("weld", x) for x in ([0.0, 0.0, 0.0], [0.3, 0.4, 0.5], [np.pi, 0.0, 0.0])),
        ("weld", [2.0, 3.0, -2.0]),
        *(("pin", x) for x in ([0.0, 0.0, 0.0], [0.3, 0.4, 0.5])),
        ("spherical", [0.3, np.pi / 2 - 1e-9, 0.5]),
    ],
)
def test_one_loop_joint_of_a_free_body_is_determined(rotation, kind, angles):
    """Right angles of axes also hold in other orientations, which no joint is meant to have."""
    idyn, q, turn = held(rotation, kind, angles)
    force = turn.T @ [0, 0, 40.0]
    wrench = np.array([*force, *np.cross([1.3, 0, 0], force)])
    assert idyn.undetermined == {}
    found = idyn.compile(backend="numpy")(q, [0] * 6, [0] * 6).joint_wrench("hold")
    if kind == "weld":
        assert found == pytest.approx(wrench, abs=1e-9)
        ranges = jw.ranges(idyn, (q, [0] * 6, [0] * 6)).joint_wrench("hold")
        assert ranges == pytest.approx(np.array([wrench] * 2), abs=1e-9)
    else:
        free = [k for k, x in enumerate(found) if abs(x) < 1e-12]
        assert len(free) >= {"pin": 1, "spherical": 3}[kind]
        assert np.isfinite(found).all()


def test_in_gimbal_lock_a_quaternion_determines_what_angles_do_not():
    angles = [0.3, np.pi / 2, 0.5]
    idyn, q, _ = held("angles", "weld", angles)
    assert [*idyn.undetermined.values()] == [("mx", "my")] * 2
    assert np.isnan(idyn.compile(backend="numpy")(q, [0] * 6, [0] * 6).joint_wrench("hold")).any()
    idyn, q, turn = held("quaternion", "weld", angles)
    force = turn.T @ [0, 0, 40.0]
    found = idyn.compile(backend="numpy")(q, [0] * 6, [0] * 6).joint_wrench("hold")
    assert found == pytest.approx([*force, *np.cross([1.3, 0, 0], force)], abs=1e-9)


def test_missing_numbers_are_reported():
    idyn, q, _ = held("angles", "weld", [0.3, 0.4, 0.5])
    q[4] = np.nan
    found = jw.ranges(idyn, (q, [0] * 6, [0] * 6))
    assert found.contradictions == ("forces are NaN",)
    assert np.isnan(found.joint_wrench("hold")).all()


def test_a_gate_leaves_the_number_of_undetermined_forces():
    """Which forces are undetermined may vary with a Max, but not how many."""
    width = symbols("width")
    idyn, ground = planar_body(10.0, {"rear": (-Max(width, 0.5), -0.4), "front": (0.5, -0.4)})
    named = {getattr(x, "name", x): components for x, components in idyn.undetermined.items()}
    assert named == {"rear": ("fx",), "front": ("fx",)}
    limits = [Limit.contact(x, ground.y, 0.5) for x in ("rear", "front")]
    found = jw.ranges(idyn, (REST, REST, REST), limits, constants={width: 1.0})
    share = 10 * G / 3
    assert found.joint_wrench("rear")[:, 0] == pytest.approx([-share / 2, share / 2])
    assert found.joint_wrench("rear")[:, 1] == pytest.approx([share, share])
    own = {"rear": [1, 1, 0, 0, 0, 0], "front": [3, 1, 0, 0, 0, 0]}
    elastic, _ = planar_body(
        10.0, {"rear": (-Max(width, 0.5), -0.4), "front": (0.5, -0.4)}, redundancy=own
    )
    result = elastic.compile(backend="numpy")(REST, REST, REST, {width: 1.0})
    assert result.joint_wrench("rear")[:2] == pytest.approx([0, share], abs=1e-12)


def test_a_model_without_a_system_has_limits_of_contacts():
    """A block that slides on ground, as KanesMethod has it."""
    x, v = me.dynamicsymbols("x v")
    frame, origin = ReferenceFrame("N"), Point("O")
    place = origin.locatenew("P", x * frame.x)
    origin.set_vel(frame, 0)
    place.set_vel(frame, v * frame.x)
    body = me.RigidBody("block", place, frame, 2.0, (me.inertia(frame, 1, 1, 1), place))
    loads = [(place, -20 * frame.y)]
    kane = me.KanesMethod(frame, [x], [v], [v - x.diff()], bodies=[body], forcelist=loads)
    kane.kanes_equations()
    idyn = jw.InverseDynamics.from_kane(kane)
    for friction, is_possible in ((0.5, True), (0.3, False)):
        limit = Limit.contact("block", frame.y, friction)
        found = jw.ranges(idyn, ([0.0], [0.0], [4.0]), [limit])
        assert bool(found.feasible) == is_possible


# -- laws ---------------------------------------------------------------------------


def test_elastic_solutions_within_limits_are_inside():
    rng, feet = np.random.default_rng(4), np.array([(1, 0.8), (-1, 0.7), (-0.9, -1), (1.1, -0.8)])
    idyn, legs = table(feet)
    found = jw.ranges(idyn, standing(), [Limit(leg, "fz", 0) for leg in legs])
    ends, inside = np.array([found.joint_wrench(leg)[:, 2] for leg in legs]), 0
    for _ in range(6):
        soft = {f"leg{k}": [0, 0, x, 0, 0, 0] for k, x in enumerate(rng.uniform(1, 9, 4))}
        elastic, own = table(feet, soft)
        result = elastic.compile(backend="numpy")(*standing())
        forces = np.array([result.joint_wrench(leg)[2] for leg in own])
        if (forces >= 0).all():  # least energy knows no contact
            inside += 1
            assert (forces >= ends[:, 0] - 1e-9).all()
            assert (forces <= ends[:, 1] + 1e-9).all()
        again = jw.ranges(elastic, standing(), [Limit(leg, "fz", 0) for leg in own])
        assert again.joint_wrench(own[0]) == pytest.approx(found.joint_wrench(legs[0]), abs=1e-9)
    assert inside


@pytest.mark.parametrize("side", [0, 1])
def test_both_ends_are_attained(side):
    """Put in as loads in place of the legs, the forces at an end balance the table."""
    feet = [(1, 0.8), (-1, 0.8), (-1, -0.8), (1, -0.8)]
    idyn, legs = table(feet)
    limits = [Limit(leg, "fz", 0) for leg in legs]
    end = jw.ranges(idyn, standing(), limits).joint_wrench(legs[0])[side, 2]
    fixed = [*limits, Limit(legs[0], "fz", end - 1e-9, end + 1e-9)]
    found = jw.ranges(idyn, standing(), fixed)
    assert found.feasible
    forces = [found.joint_wrench(leg)[:, 2].mean() for leg in legs]
    ground, top = rigid_body("ground"), rigid_body("top", 20.0, 1, 1, 2)
    system = system_of(ground, jw.FreeJoint("free", ground, top), gravity=-G * ground.z)
    for (x, y), force in zip(feet, forces, strict=True):
        place = top.masscenter.locatenew(f"foot{x}{y}", x * top.x + y * top.y - 0.7 * top.z)
        system.add_loads(me.Force(place, force * ground.z))
    rest = jw.InverseDynamics(system).compile(backend="numpy")(*standing()).generalized_forces
    assert rest == pytest.approx(0, abs=1e-7)


def test_order_heading_and_units_do_not_matter():
    feet = np.array([(1, 0.8), (-1, 0.7), (-0.9, -1), (1.1, -0.8), (0.1, 0.9)])

    def ends(order, *state):
        idyn, legs = table(feet, order=order)
        found = jw.ranges(idyn, standing(*state), [Limit(leg, "fz", 0) for leg in legs])
        return np.array([found.joint_wrench(legs[order.index(k)])[:, 2] for k in range(5)])

    usual = ends([0, 1, 2, 3, 4])
    assert ends([3, 1, 4, 0, 2]) == pytest.approx(usual, abs=1e-8)
    assert ends([0, 1, 2, 3, 4], 1.1, (5, -3)) == pytest.approx(usual, abs=1e-8)


@pytest.mark.parametrize(("length", "mass"), [(1000.0, 1.0), (0.0254, 7.0)])
def test_the_cut_and_units_do_not_matter(length, mass):
    """A door whose hinges take moments within limits."""

    def ends(cut, length=1.0, mass=1.0):
        idyn = door(cut, length, mass)
        moment, force = mass * length**2, mass * length
        most = 150 * moment
        limits = [Limit(x, m, -most, most) for x in ("upper", "lower") for m in ("mx", "my")]
        push = 200 * force
        limits += [Limit(x, f, -push, push) for x in ("upper", "lower") for f in ("fx", "fy", "fz")]
        found = jw.ranges(idyn, ([0.3], [0.0], [0.0]), limits)
        return np.array([found.joint_wrench(x) for x in ("upper", "lower")])

    usual = ends("upper")
    assert np.isfinite(usual).all()
    assert ends("lower") == pytest.approx(usual, abs=1e-7)
    scaled = ends("upper", length, mass) / (np.repeat([1, length], 3) * mass * length)
    assert scaled == pytest.approx(usual, abs=1e-7)


def test_a_batch_is_a_loop(ladder):
    idyn, ground = ladder
    limits = [Limit.contact("floor", ground.y, 0.4), Limit.contact("wall", -ground.x, 0.3)]
    q = np.array([[0, 0, x] for x in np.radians([40, 60, 80])])
    found = jw.ranges(idyn, (q, 0 * q, 0 * q), limits)
    assert found.feasible.shape == (3,)
    for k in range(3):
        one = jw.ranges(idyn, (q[k], REST, REST), limits)
        assert one.contradictions == found.contradictions[k]
        assert found.joint_wrench("wall")[k] == pytest.approx(one.joint_wrench("wall"), nan_ok=True)


def test_no_samples_have_ranges_of_their_shape(ladder):
    none = np.zeros((0, 3))
    found = jw.ranges(ladder[0], (none, none, none))
    assert found.feasible.shape == (0,)
    assert found.joint_wrench("wall").shape == (0, 2, 6)


def test_friction_in_space_is_inside_its_circle():
    """A particle-like block on two contacts one above the other is held by their friction."""
    idyn, legs = table([(1, 1), (-1, 1), (-1, -1), (1, -1)])
    for sides in (8, 16):
        limits = [Limit.contact(leg, friction=0.5, sides=sides) for leg in legs]
        found = jw.ranges(idyn, standing(), limits)
        assert found.joint_wrench(legs[0])[:, 2] == pytest.approx([0, 98.1])


# -- refusals -----------------------------------------------------------------------


def test_refused_limits(ladder):
    idyn, ground = ladder
    state = (REST, REST, REST)
    refused(lambda: Limit("floor", "fq", 0), "component")
    refused(lambda: Limit("floor", "fx fy", 0), "component")
    refused(lambda: Limit("floor", "fx"), "low")
    refused(lambda: Limit("floor", "fx", 0, np.inf), "high")
    refused(lambda: Limit.contact("floor", friction=10**400), "friction")
    refused(lambda: Limit("floor", "fx", 2, 1), "low")
    refused(lambda: Limit("floor", "fx", float("nan")), "low")
    refused(lambda: Limit("floor", low=0, frame=ground.frame), "frame")
    refused(lambda: Limit("floor", "fx", 0, frame=3), "frame", TypeError)
    refused(lambda: Limit("floor", "fx", "low"), "low", TypeError)
    refused(lambda: Limit.contact("floor", friction=-1), "friction")
    refused(lambda: Limit.contact("floor", sides=6), "sides")
    refused(lambda: Limit.contact("floor", 3), "normal", TypeError)
    point = idyn.system.fixed_point
    refused(lambda: Limit.contact("floor", sole=[point]), "sole")
    refused(lambda: jw.ranges(idyn, state, [3]), "limits", TypeError)
    refused(lambda: jw.ranges(idyn, state, outputs=["mass_matrix"]), "outputs")
    refused(lambda: jw.ranges(3, state), "idyn", TypeError)
    refused(lambda: jw.ranges(idyn, 3), "motion", TypeError)
    refused(lambda: jw.ranges(idyn, state, [Limit("roof", "fx", 0)]), "limits")
    refused(lambda: jw.ranges(idyn, state, [Limit("floor", low=0)]), "component")
    refused(lambda: jw.ranges(idyn, state, [Limit(idyn.speeds[0], "fx", 0)]), "component")
    refused(lambda: jw.ranges(idyn, state, [Limit.contact(idyn.speeds[0])]), "contact")
    refused(lambda: jw.ranges(idyn, state, [Limit.contact("floor", sole=[point, point])]), "sole")
    strange, nowhere = ReferenceFrame("strange"), Point("nowhere")
    for argument, limit in (
        ("frame", Limit("floor", "fx", 0, frame=strange)),
        ("normal", Limit.contact("floor", strange.x)),
        ("sole", Limit.contact("floor", ground.y, sole=[point, nowhere])),
    ):
        refused(lambda limit=limit: jw.ranges(idyn, state, [limit]), argument)
    found = jw.ranges(idyn, state)
    refused(lambda: found.joint_wrench("roof"), "joint")
    refused(lambda: found.joint_wrench(idyn.speeds[0]), "joint")
    refused(lambda: found.load("floor"), "symbol")
    assert repr(found) == "Ranges(1 of 1 feasible; none)"
