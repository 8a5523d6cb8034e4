"""A motion that does not close the loops is told, on every path; one that closes them never is."""

import copy
import pickle
import warnings
from itertools import product

import numpy as np
import pytest
import sympy.physics.mechanics as me
from bodies import inertia, rigid_body, system_of
from linkages import depend_on_first
from marks import slow
from numeric import reloaded
from refusals import refused
from sympy import Float, Symbol, cos, sin, sqrt, symbols

import jointwrench as jw
from jointwrench.mechanics.arithmetic.double_states import DoubleStates
from jointwrench.mechanics.arithmetic.graph import Graph
from jointwrench.mechanics.arithmetic.term_sizes import squared_terms

LEVELS = "positions", "speeds", "accelerations"


def told(call):
    """Return what a call says of loops that do not close."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    texts = [str(warning.message) for warning in caught]
    return [text for text in texts if "does not close the loops" in text]


def four_bar(turn=(0, 0), length=1.0, far=0.0, mass=1.0):
    """Return the System of a parallelogram of pins in a plane that is turned, and its loop."""
    bodies = [rigid_body("ground"), *(rigid_body(name, mass) for name in "abc")]
    frames = [me.ReferenceFrame(f"f_{body.name}") for body in bodies]
    for body, frame in zip(bodies, frames, strict=True):
        frame.orient_body_fixed(body.frame, (*turn, 0), "xzy")
        body.central_inertia = inertia(frame, *[0.1 * length**2] * 3)
    system, half = me.System.from_newtonian(bodies[0]), 0.25 * length
    foot = far * length * (frames[0].x + frames[0].y)
    starts = foot, half * frames[1].y, 0.4 * length * frames[2].x
    ends = -half * frames[1].y, -0.4 * length * frames[2].x, half * frames[3].y
    for k in range(3):
        places = {"parent_point": starts[k], "child_point": ends[k]}
        own = {"parent_interframe": frames[k], "child_interframe": frames[k + 1]}
        axis = {"joint_axis": frames[k].z}
        system.add_joints(me.PinJoint(f"J{k}", bodies[k], bodies[k + 1], **places, **own, **axis))
    places = {"parent_point": -half * frames[3].y, "child_point": foot + 0.8 * length * frames[0].x}
    own = {"parent_interframe": frames[3], "child_interframe": frames[0]}
    loop = jw.LoopJoint("L", bodies[3], bodies[0], **places, **own, joint_axis=frames[3].z)
    depend_on_first(system)
    return system, loop


def model(*given, **options):
    system, loop = four_bar(*given, **options)
    return jw.InverseDynamics(system, loops=[loop], actuated=system.u[:1])


def parallel(q, u, udot):
    """Return how the parallelogram moves with the crank; its loop is closed at any angle."""
    return tuple(np.array([1.0, -1.0, 1.0]) * np.asarray(x)[..., None] for x in (q, u, udot))


def opened(motion, level, by, column=1):
    """Return the motion with an entry at all samples changed by a part of the level's largest."""
    own = [x.copy() for x in motion]
    own[level][..., column] += by * (1 if level == 0 else np.abs(own[level]).max())
    return own


CLOSED = parallel(np.linspace(0.3, 2, 9), 0.7, -1.1)
CLOSED = tuple(np.broadcast_to(x, (9, 3)) for x in CLOSED)
OPEN = opened(CLOSED, 0, 0.02)


@pytest.fixture(scope="module")
def idyn():
    return model()


def test_accelerations_tell_whoever_asks():
    system, loop = four_bar()
    fdyn, row = jw.ForwardDynamics(system, loops=[loop]), np.concatenate(OPEN[:2], -1)[0]
    for _ in range(2):  # whoever was told before
        assert told(lambda: fdyn.rhs()(0.0, row))
        assert told(lambda: fdyn.ode_function()(row, 0.0, []))
        assert told(lambda: fdyn.reactions([0.0, 1.0], [row, row]))


def test_what_is_made_of_forces_tells():
    system, loop = four_bar()
    push = me.dynamicsymbols("push")
    system.add_loads(me.Force(system.bodies[2].masscenter, push * system.frame.x))
    frictions = [jw.JointFriction("J1", 0.1, 0.02, width=0.1)]
    idyn = jw.InverseDynamics(
        system, loops=[loop], frictions=frictions, actuated=[], solve_for=[push]
    )
    silent = {"mass_matrix", "bias", "conditioning", "constraint_errors", "kinetic_energies"}
    silent |= {"sliding_speeds"}
    for name in idyn.model.outputs.names:
        if name not in ("section_wrenches", "motor_power"):
            evaluate = idyn.compile(name, backend="numpy")
            assert len(told(lambda e=evaluate: e(*OPEN))) == (name not in silent), name


def test_the_first_the_middle_and_the_last_sample_of_the_first_call(idyn):
    for row, is_told in ((0, True), (2, False), (4, True), (7, False), (8, True)):
        for level, name in enumerate(LEVELS):
            states = [x.copy() for x in CLOSED]
            states[level][row] = opened(CLOSED, level, 0.3)[level][row]
            evaluate = idyn.compile("generalized_forces", backend="numpy")
            texts = told(lambda e=evaluate, s=states: e(*s))
            assert len(texts) == is_told
            assert all(f"the {name} at sample {row} violate" in text for text in texts)
            assert not told(lambda e=evaluate: e(*OPEN))  # later ones are not looked at


def test_all_samples_of_any_call_on_demand(idyn):
    states = [x.copy() for x in CLOSED]
    states[0][[2, 7], 1] += 0.02
    for evaluate in (idyn.compile("generalized_forces"), idyn.compile("mass_matrix")):
        for _ in range(2):
            (text,) = told(lambda e=evaluate: e(*states, check=True))
            assert "the positions of 2 of 9 samples, first at sample 2, violate" in text
            assert not told(lambda e=evaluate: e(*CLOSED, check=True))
        squares = [x.reshape(3, 3, 3) for x in states]
        (text,) = told(lambda e=evaluate, s=squares: e(*s, check=True))
        assert "first at sample (0, 2), violate" in text
        refused(lambda: evaluate(*CLOSED, check=1), "check", TypeError)


def test_only_the_first_call_is_slower(idyn):
    """The extension answers the later ones, as it does where there is no loop."""
    evaluate = idyn.compile("generalized_forces")
    one = [x[0] for x in CLOSED]
    assert evaluate._function.evaluate((*one, None, None, None, None)) is None
    evaluate(*(x[:0] for x in CLOSED))  # nothing to look at
    assert evaluate._function.evaluate((*one, None, None, None, None)) is None
    evaluate(*one)
    for kept in (evaluate, copy.copy(evaluate), pickle.loads(pickle.dumps(evaluate))):
        assert not told(lambda e=kept: e(*(x[0] for x in OPEN)))  # a copy has its kernel then
        assert kept._function.evaluate((*one, None, None, None, None)) is not None


@pytest.mark.parametrize("turn", [(0.0, 0.0), (0.123, 4.5)])
def test_motions_are_closed_in_a_plane_that_constants_turn(turn):
    """No equation that holds everywhere counts, though all angles of the frames are zero."""
    angles = symbols("a b")
    closed = [x[:5] for x in CLOSED]  # until crank and coupler are in line
    given = [np.where([True, False, False], x, np.nan) for x in closed]
    constants = dict(zip(angles, turn, strict=True))
    motion = model(angles).close_motion(*given, constants, guess=closed[0][0])
    for found, expected in zip(motion, closed, strict=True):
        np.testing.assert_allclose(found, expected, atol=1e-12)


# -- what counts as closed ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("turn", "length", "far", "time"),
    [  # angles of frames as people and files write them, and a plane that is off by little
        ((0.123, 4.5), 1e-3, 1e4, 1e-6),
        *slow(
            [
                ((Float(np.deg2rad(30)), Float(np.deg2rad(50))), 1.0, 0, 1.0),
                ((0.5236, 0.8727), 1e6, 7, 1e6),
                ((1.5708, 0), 1e-6, 0, 1.0),
                ((1e-9, 0), 1.0, 1e5, 1.0),
                ((1e-5, 2e-5), 1e3, 1, 1e-3),
            ]
        ),
    ],
    ids=str,
)
def test_no_frame_unit_or_place_matters(turn, length, far, time):
    idyn = model(turn, length, far)
    rest = parallel(np.linspace(0, 2, 9), 0 * CLOSED[0][:, 0], 0 * CLOSED[0][:, 0])
    for motion in (CLOSED, rest, parallel(np.zeros(3), np.ones(3), np.zeros(3))):
        states = motion[0], motion[1] / time, motion[2] / time**2
        evaluate = idyn.compile("generalized_forces", backend="numpy")
        assert not told(lambda e=evaluate, s=states: e(*s, check=True))
    states = CLOSED[0], CLOSED[1] / time, CLOSED[2] / time**2
    for level, column in np.ndindex(3, 3):
        evaluate = idyn.compile("generalized_forces", backend="numpy")
        wrong = opened(states, level, 0.3 if level else 0.02, column)
        (text,) = told(lambda e=evaluate, s=wrong: e(*s))
        assert LEVELS[level] in text


@pytest.mark.parametrize("length", [1e-6, 1.0, 1e6])
def test_a_wedge_at_rest_where_all_is_zero_but_for_rounding(length):
    """There is no angle and no coordinate: 0.1 + 0.2 - 0.3 has no size but that of its terms."""
    ground, wedge, plunger = (rigid_body(name, m) for name, m in zip("gwp", (0, 1, 1), strict=True))
    places = (0.1 * length + 0.2 * length) * ground.x, 0.3 * length * ground.x
    system = system_of(
        ground,
        me.PrismaticJoint(
            "in", ground, wedge, parent_point=places[0], joint_axis=ground.x + ground.y
        ),
        me.PrismaticJoint("up", ground, plunger, parent_point=places[1], joint_axis=ground.y),
    )
    loop = jw.LoopJoint(
        "slope", wedge, plunger, "point_on_line", joint_axis=wedge.x, child_point=0 * plunger.x
    )
    idyn = jw.InverseDynamics(system, loops=[loop], actuated=system.u[:1])
    still = ([0, 0], [0, 0], False), ([0, 0], [1, 0.5**0.5], False)
    moving = ([0, 0], [1, 0.8], True), ([0, 0], [0, 1], True)
    for q, u, is_told in (*still, *moving, ([0, length], [0, 0], True)):
        evaluate = idyn.compile("generalized_forces", backend="numpy")
        states = q, length * np.array(u), [0, 0]
        assert bool(told(lambda e=evaluate, s=states: e(*s))) == is_told


@pytest.mark.parametrize(("length", "time"), [(1.0, 1.0), (1e-6, 1e3), (1e6, 1e-6)])
@pytest.mark.parametrize("of", ["motion", "gravity", "load", "nothing"])
def test_rates_that_are_rounding_beside_others_are_rest(length, time, of):
    """A crank turns, falls, is driven, or rests; a block is held, by a row of its speed alone."""
    ground, crank, block = (rigid_body(name, m) for name, m in zip("gcb", (0, 1, 1), strict=True))
    pin = {"child_point": -length * crank.x, "joint_axis": ground.z}
    main = me.PinJoint("main", ground, crank, **pin)
    held = me.PrismaticJoint("held", ground, block, joint_axis=ground.x)
    system = system_of(ground, main, held)
    loop = jw.LoopJoint("loop", ground, block, "point_on_plane", joint_axis=ground.x)
    push = me.dynamicsymbols("push")
    if of == "gravity":
        system.apply_uniform_gravity(-9.81 * length / time**2 * ground.y)
    if of == "load":
        system.add_loads(me.Force(crank.masscenter, push * ground.y))
    idyn = jw.InverseDynamics(system, loops=[loop], actuated=system.u[:1])
    given = {"specifieds": {push: 5 * length / time**2}} if of == "load" else {}
    turning = np.array([1.0, -2.0, 3.0]) * (of == "motion")
    for level, share in ((1, 3e-16), (2, 8e-18), (1, 1e-9), (2, 0.3)):
        states = np.zeros((3, 2))
        states[:, 0], states[level, 1] = turning, share
        states *= np.array([1, length]) / time ** np.arange(3)[:, None]
        evaluate = idyn.compile("generalized_forces", backend="numpy")
        is_told = share > 1e-12 or of == "nothing"
        assert bool(told(lambda e=evaluate, s=states: e(*s, **given))) == is_told, (level, share)


def test_a_quaternion_of_zeros_is_told(tmp_path):
    """It is where users start, with all coordinates zero."""
    ground, ball = rigid_body("ground"), rigid_body("ball", 2, 1, 2, 3)
    system = system_of(ground, jw.QuaternionJoint("Q", ground, ball, child_point=ball.x))
    idyn, fdyn = jw.InverseDynamics(system), jw.ForwardDynamics(system)
    zeros, ones = np.zeros(3), np.ones((5, 4))
    match = "`q` must have quaternions that are not zero, got zeros in the columns 0, 1, 2, 3"
    for make in (lambda: idyn.compile("mass_matrix"), lambda: fdyn.compile("udot")):
        for evaluate in (make(), reloaded(make(), tmp_path / "x")):
            with pytest.warns(UserWarning, match=match + ": .* Use 1, 0, 0, 0"):
                evaluate(np.zeros(4), zeros)
            q = ones.copy()
            q[3] = 0
            evaluate(q, zeros)  # not looked at
            with pytest.warns(UserWarning, match=match + " at sample 3: "):
                evaluate(q, zeros, check=True)
        make()(ones, zeros)


def test_states_at_which_nothing_is_defined_switch_no_check_off():
    """A path that is a small half circle about 1."""
    width = 1e-2
    ground, cart, rod = rigid_body("g"), rigid_body("c", 1), rigid_body("r", 1, 0.1, 0.1, 0.1)
    q = me.dynamicsymbols("q")
    path = [q, sqrt(width**2 - (q - 1) ** 2), 0]
    slide = jw.CoupledJoint("slide", ground, cart, [q], translation=path)
    hinge = me.PinJoint("pin", cart, rod, child_point=-rod.x, joint_axis=cart.z)
    system = system_of(ground, slide, hinge)
    loop = jw.LoopJoint("end", ground, rod, "point_on_line", child_point=rod.x)
    idyn = jw.InverseDynamics(system, loops=[loop], actuated=system.u[:1])
    at = 1 + 0.6 * width
    for angle, is_told in ((-np.arcsin(0.4 * width), False), (0.3, True)):
        evaluate = idyn.compile("generalized_forces", backend="numpy")
        assert bool(told(lambda e=evaluate, a=angle: e([at, a], [0, 0], [0, 0]))) == is_told


# -- linkages in planes that decimals turn --------------------------------------------------------

#: Lengths of crank, coupler, rocker and ground: four cranks and rockers, two drag links, two double
#: rockers, two parallelograms, tiny and huge ones.
LINKAGES = (
    *((0.5, 1.2, 0.9, 1.1), (0.3, 1.0, 0.7, 0.9), (0.21, 0.83, 0.64, 0.77), (2.0, 7.0, 6.0, 5.0)),
    *((1.3, 1.1, 1.2, 0.5), (0.9, 0.8, 1.0, 0.4), (1.0, 0.6, 0.8, 1.1), (0.7, 0.5, 0.9, 0.8)),
    *((0.5, 0.8, 0.5, 0.8), (1, 3, 1, 3), (5e-7, 1.2e-6, 9e-7, 1.1e-6), (5e5, 12e5, 9e5, 11e5)),
)

#: Angles of body-fixed rotations of their plane, with 1, 2, 3 and all digits of a double.
TILTS = (
    *((0.0, 0.0, 0.0), (0.3, -0.7, 0.9), (0.27, -0.46, -0.92), (0.02, 0.9, -0.71)),
    *((0.123, -0.456, 0.789), (1.111, 0.002, -0.333)),
    *((2**0.5, 3**0.5 - 2, 5**0.5), (np.e / 9, -np.pi / 7, 0.1234567891)),
)


def tilted(lengths, tilt, kind):
    """Return inverse dynamics of a four-bar in a tilted plane, and a motion that closes it."""
    crank, coupler, rocker, base = lengths
    moments = [base**2 * x for x in (0.02, 0.03, 0.05)]
    ground, (a, b, c) = rigid_body("ground"), (rigid_body(x, 1.5, *moments) for x in "abc")
    plane = me.ReferenceFrame("plane")
    plane.orient_body_fixed(ground.frame, tilt, "123")
    own = {"parent_interframe": plane, "joint_axis": plane.z}
    system = me.System.from_newtonian(ground)
    system.add_joints(me.PinJoint("A", ground, a, child_point=-crank / 2 * a.x, **own))
    for name, near, far, left, right in (("B", a, b, crank, coupler), ("C", b, c, coupler, rocker)):
        places = {"parent_point": left / 2 * near.x, "child_point": -right / 2 * far.x}
        system.add_joints(me.PinJoint(name, near, far, **places, joint_axis=near.z))
    places = {"parent_point": rocker / 2 * c.x, "child_point": base * plane.x}
    own = {"joint_axis": c.z, "child_interframe": plane} if kind == "pin" else {}
    loop = jw.LoopJoint("D", c, ground, kind, **places, **own)
    system.add_holonomic_constraints(*loop.holonomic_constraints)
    depend_on_first(system)
    system.apply_uniform_gravity(-9.81 * plane.y)
    idyn = jw.InverseDynamics(system, loops=[loop], actuated=system.u[:1])
    angle = 1.1
    end = crank * np.exp(1j * angle)
    reach = abs(base - end)
    inside = (coupler**2 + reach**2 - rocker**2) / (2 * coupler * reach)
    second = np.angle(base - end) + np.arccos(inside)
    third = np.angle(base - end - coupler * np.exp(1j * second))
    guess = [angle, second - angle, third - second]
    return idyn, idyn.close_motion([angle, 0, 0], [1.3, 0, 0], [0.3, 0, 0], guess=guess)


@pytest.mark.parametrize(
    ("number", "tilts"), [(10, TILTS[3:4]), *slow((k, TILTS) for k in range(len(LINKAGES)))]
)
def test_tilted_linkages_are_as_others(number, tilts):
    """The end may miss its pivot by a hundredth of the pivots' distance, and as much in speed."""
    for k, tilt in enumerate(tilts):
        idyn, motion = tilted(LINKAGES[number], tilt, ("pin", "spherical")[k % 2])
        evaluate = idyn.compile("generalized_forces", backend="numpy")
        assert not told(lambda e=evaluate, m=motion: e(*m, check=True)), tilt
        for level, size in product((0, 1), (1e-9, 1e-3, 1e-2, 3e-2, 0.1, 1.0)):
            own = opened(motion, level, size, column=0)  # the linkage turns about a pivot
            texts = told(lambda e=evaluate, own=own: e(*own, check=True))
            assert bool(texts) == (size > 1e-2), (tilt, level, size)
            assert all(LEVELS[level] in text for text in texts)


def test_rotations_leave_the_size_of_terms():
    """However many they are; of what cancels the terms remain."""
    graph = Graph()
    x, y, other = (graph.scalar(Symbol(name)) for name in "xyz")
    product = (x + y) * (x - y) + other
    for k in range(60):
        c, s = (graph.scalar(wave(Symbol(f"a{k}"))) for wave in (cos, sin))
        x, y = x * c + y * s, y * c - x * s
    given = {Symbol(name): np.array([value]) for name, value in {"x": 3, "y": 4, "z": 1e-9}.items()}
    squares = DoubleStates(graph, given).samples(squared_terms(graph, [x, y, product, x - x]))
    one, two, third, nothing = (float(own.value.real[0]) for own in squares)
    assert one + two == pytest.approx(25)
    assert third == pytest.approx(25**2)
    assert nothing == 0
