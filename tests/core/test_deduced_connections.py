"""A KanesMethod's points and frames say how its bodies are joined."""

import re
from contextlib import nullcontext
from cProfile import Profile
from pstats import Stats

import numpy as np
import pytest
import sympy.physics.mechanics as me
from bodies import rigid_body
from classical import (
    MODELS,
    N,
    cart_with_pendulum,
    close,
    fixed_point,
    forces_by_kane,
    on_centers,
    outputs,
)
from dense_balance import Reference
from marks import few, slow
from pydy.models import n_link_pendulum_on_cart
from pydy.system import System as PydySystem
from random_systems import random_system
from refusals import refusal, refused
from sketches import CHOSEN, COUPLED, MISLEADING, Sketch, T, g, l, m, sketch
from sympy import sin, symbols

import jointwrench as jw
from jointwrench.mechanics.spatial.paths import connected_points

#: Models that mislead, cheap ones.
CHEAP = ("gimbals", "elbow behind its links", "disc in a yoke")


def balance(model, values, body):
    """Return what the bodies from one outwards need but for loads, about its mass centre."""
    motion = [model.kane.q, model.kane.u, model.kane.u.diff(T)]
    constants = {s: x for s, x in values.items() if s.is_Symbol}
    origin = next(x for x in connected_points(body.masscenter) if x.name == "O")
    reference = Reference(model.kane, origin.locatenew("origin", 0 * N.x), constants)
    state = reference.at(*([values[x] for x in row] for row in motion))
    beyond, total = [body], np.zeros(6)
    for each in beyond:
        beyond += [child for parent, child, _ in model.connections if parent is each]
        force, moment = state.net(each.name) - state.external(each)
        centers = (state.bodies[x.name].center.place for x in (each, body))
        total += [*force, *(moment + np.cross(np.subtract(*centers), force))]
    return total


def names(connections):
    return {child.name: (str(parent), str(point)) for parent, child, point in connections}


def parents(connections):
    return {child: parent for parent, child, _ in connections}


@pytest.mark.parametrize("name", few(MODELS, "top", "slider", "branches"))
def test_classical_models(name):
    """The same parents as a person chose; the same wrenches, which balance all bodies beyond."""
    model = MODELS[name]()
    deduced = jw.InverseDynamics.from_kane(model.kane)
    given = jw.InverseDynamics.from_kane(model.kane, model.connections)
    assert parents(deduced.connections) == parents(given.connections)
    values = model.values(3, [*given.constants, *given.specifieds])
    wrenches = on_centers(deduced, values)
    for body, wrench in on_centers(given, values).items():
        assert close(wrenches[body], wrench)
        assert name == "disc" or close(balance(model, values, body), wrench)
    pasted = jw.InverseDynamics.from_kane(model.kane, deduced.connections)
    assert names(pasted.connections) == names(deduced.connections)
    assert close(
        outputs(pasted, values)["joint_wrenches"], outputs(deduced, values)["joint_wrenches"]
    )


def without_joints(system):
    """Return the same model by frames and points alone."""
    q, u = [*system.q], [*system.u]
    loads = [*system.loads, *(load for x in system.actuators for load in x.to_loads())]
    more = {"bodies": system.bodies, "forcelist": loads, "explicit_kinematics": False}
    return me.KanesMethod(system.frame, q, u, [*system.kdes], **more)


def check_random_system(seed):
    """Joints and points say the same, but for which of the bodies welded to each other is named."""
    tree = random_system(seed)
    joined = tree.inverse()
    if not joined.speeds:
        return
    found = jw.InverseDynamics.from_kane(without_joints(joined.system))
    welds, ground = found.model.tree.deduced.welds, {*found.model.tree.ground, found.frame}

    def of(body):
        return "ground" if body in ground else welds.get(body, body)

    expected = {link.body: link.inner_side.body for link in joined.model.tree.links if link.joint}
    for body, parent in parents(found.connections).items():
        assert of(parent) == of(expected[body]) or of(expected[body]) is body, (seed, body)
    forces = [outputs(x, tree.inputs, "generalized_forces") for x in (found, joined)]
    found_forces, expected_forces = (x["generalized_forces"] for x in forces)
    assert close(found_forces, expected_forces), seed


@pytest.mark.parametrize("seed", few(range(100), 1, 2, 3, 5, 14, 28, 31, 55, 57, 69, 70, 72, 89))
def test_random_systems(seed):
    check_random_system(seed)


# -- models that mislead --------------------------------------------------------------------


@pytest.mark.parametrize("name", few(MISLEADING, *CHEAP, *CHOSEN))
def test_models_that_mislead(name):
    """Parents and wrenches are those of a person, whatever the bodies' order; forces are Kane's."""
    model, chosen = sketch(MISLEADING[name])
    kane = model.kane()
    values = {x: 0.3 + 0.07 * k for k, x in enumerate([*kane.q, *kane.u, *kane.u.diff(T), l, m, T])}
    given = jw.InverseDynamics.from_kane(kane, chosen)
    expected = on_centers(given, values)
    forces = outputs(given, values, "generalized_forces")["generalized_forces"]
    assert close(forces, forces_by_kane(kane, values))
    for bodies in (model.bodies, model.bodies[::-1]):
        kane._bodylist = bodies
        idyn = jw.InverseDynamics.from_kane(kane)
        assert names(idyn.connections) == names(chosen)
        told = "could be joined as well" if name in CHOSEN else ""
        assert told in repr(idyn)
        if name in COUPLED:
            assert "move together by" in str(refused(idyn.compile, "connections"))
            continue
        warned = pytest.warns(UserWarning, match=told) if told else nullcontext()
        with warned:
            wrenches = on_centers(idyn, values)
        for body, wrench in expected.items():
            assert close(wrenches[body], wrench)


def kane_held_at_both_ends(s):
    """Return the model with two links that turn by its last coordinates, both ends at rest."""
    A, B = s.turn(-2, "A"), s.turn(-1, "B")
    knee = s.point("K", l * A.x)
    s.body("a", s.point("Ao", l / 2 * A.x), A)
    s.body("b", s.point("Bo", l / 2 * B.x, knee), B)
    kane = s.kane()
    knee.locatenew("E", l * B.x).set_vel(N, 0)
    return kane


def closed_at_both_ends():
    doubt = "E is at rest, but b moves there: a loop, which could be open at any joint"
    return kane_held_at_both_ends(Sketch(2)), doubt


def velocities_alone():
    s = Sketch(2)
    for k in range(2):
        point = me.Point(f"P{k}")
        point.set_vel(N, s.u[k] * N.x)
        s.particle(f"p{k}", point)
    return s.kane(), "N, p0, p1 can be joined in several ways"


@pytest.mark.parametrize("make", [closed_at_both_ends, velocities_alone])
def test_what_the_model_leaves_open(make):
    """It is told by name where joint wrenches depend on it, with the connections to paste."""
    kane, doubt = make()
    idyn = jw.InverseDynamics.from_kane(kane)
    assert doubt in repr(idyn)
    assert idyn.mass_matrix.shape == (2, 2)
    with refusal("connections") as caught:
        idyn.program("joint_wrenches")
    assert f"\n- {doubt}" in str(caught.value)
    jw.InverseDynamics.from_kane(kane, idyn.connections).program("joint_wrenches")


def test_a_point_located_from_both_cranks_is_reported():
    """Two cranks that turn alike: the model does not say which of its pins transmits what."""
    s = Sketch(1)
    left, right = s.turn(0, "A"), s.turn(0, "C")
    knee, foot = s.point("P", l * left.x), s.point("F", 2 * l * N.x)
    end = s.point("R", l * right.x, foot)
    end.set_pos(knee, 2 * l * N.x)
    s.body("left", s.point("Ao", l / 2 * left.x), left)
    s.body("right", s.point("Co", l / 2 * right.x, foot), right)
    s.body("bar", s.point("Bo", l * N.x, knee), N.orientnew("B", "axis", [0, N.z]))
    idyn = jw.InverseDynamics.from_kane(s.kane())
    error = str(refused(lambda: idyn.program("joint_wrenches"), "connections"))
    assert "from other points, which agree in every pose: a loop" in error
    assert "A.ang_vel_in(N) is u1(t)*N.z" in error
    assert idyn.mass_matrix.shape == (1, 1)


def test_positions_stated_twice_within_a_tree_are_no_loop():
    s = Sketch(2)
    A, B = s.turn(0, "A"), s.turn(1, "B")
    knee, center = s.point("K", l * A.x), s.point("Ao", l / 2 * A.x)
    center.set_pos(knee, -l / 2 * A.x)
    outer = s.point("Bo", l / 2 * B.x, knee)
    outer.set_pos(s.O, l * A.x + l / 2 * B.x)
    outer.set_pos(center, l / 2 * A.x + l / 2 * B.x)
    a, b = s.body("a", center, A), s.body("b", outer, B)
    idyn = jw.InverseDynamics.from_kane(s.kane())
    assert parents(idyn.connections) == {a: N, b: a}
    idyn.program("joint_wrenches")


def coaxial(count):
    """Return bodies that turn about one axis of ground, and about each other."""
    s = Sketch(count)
    for k in range(count):
        s.body(f"b{k}", s.O, s.turn(k, f"A{k}"))
    return s.kane()


def test_each_candidate_can_be_pasted():
    """One warning for each reading, however many outputs are derived."""
    for _ in range(2):
        kane = coaxial(5)
        idyn = jw.InverseDynamics.from_kane(kane)
        with pytest.warns(UserWarning, match="could be joined as well") as caught:
            idyn.program("joint_wrenches")
        idyn.program(["joint_wrenches", "generalized_forces"])  # warnings are errors here
        assert len(caught) == 1
    texts = re.findall(r"connections=(\[.*?\])", str(caught[0].message))
    assert len(texts) == 21  # the tree, and each of 5 joints replaced by one of 4 others
    places = {**{str(x): x for x in kane.bodies}, "N": N, "O": kane.bodies[0].masscenter}
    for text in texts:
        connections = [
            tuple(places[x] for x in y.split(", ")) for y in re.findall(r"\((.*?)\)", text)
        ]
        assert len(jw.InverseDynamics.from_kane(kane, connections).connections) == 5


def test_what_rolls_does_so_beside_an_open_loop():
    s = Sketch(5)
    yaw = s.turn(0, "Y")
    lean = s.turn(1, "L", yaw, yaw.x)
    rolling = s.turn(2, "R", lean, lean.y)
    center = s.point("C", l * lean.z)
    center.v2pt_theory(s.O, N, rolling)
    s.body("yoke", center, lean)
    disc = s.body("disc", center, rolling)
    place, s.O = s.O, fixed_point()  # the links are at no place relative to the disc
    kane = kane_held_at_both_ends(s)
    assert (N, disc, place) in jw.InverseDynamics.from_kane(kane).connections


# -- loops --------------------------------------------------------------------------------------


def held(sketch, equations, dependent):
    """Return the sketch with configuration constraints; its last coordinates depend on them."""
    kane, free = sketch.kane(), len(sketch.q) - dependent
    rates = {q.diff(T): u for q, u in zip(sketch.q, sketch.u, strict=True)}
    return me.KanesMethod(
        N,
        sketch.q[:free],
        sketch.u[:free],
        [rate - u for rate, u in rates.items()],
        q_dependent=sketch.q[free:],
        u_dependent=sketch.u[free:],
        configuration_constraints=equations,
        velocity_constraints=[x.diff(T).xreplace(rates) for x in equations],
        bodies=kane.bodies,
        forcelist=[(x.masscenter, -m * g * N.y) for x in kane.bodies],
    )


def slider_crank(with_slider=False):
    s = Sketch(2)
    A, B = s.turn(0, "A"), s.turn(1, "B")
    knee = s.point("K", 0.4 * A.x)
    s.body("crank", s.point("Ao", 0.2 * A.x), A)
    s.body("rod", s.point("Bo", 0.5 * B.x, knee), B)
    end = s.point("Q", B.x, knee)
    if with_slider:
        s.body("slider", end, N.orientnew("C", "Axis", [0, N.z]))
    return s, end


def along_an_axis():
    s, end = slider_crank()
    kane = held(s, [end.pos_from(s.O).dot(N.y)], 1)
    return kane, "contact", "rod on ground at Q", ["N.y"]


def slider_in_its_guide():
    """The direction is fixed in the slider, too, on which the force then acts."""
    s, end = slider_crank(with_slider=True)
    kane = held(s, [end.pos_from(s.O).dot(N.y)], 1)
    return kane, "contact", "slider on ground at Q", ["C.y"]


def bead_on_a_circle():
    """Another one slides on a rail, whose place relative to the circle is not stated."""
    s = Sketch(3)
    z, x, y = s.q
    far = fixed_point("R").locatenew("F", z * N.x)
    far.set_vel(N, s.u[0] * N.x)
    s.particle("far", far)
    bead = s.point("P", x * N.x + y * N.y)
    s.particle("bead", bead)
    return held(s, [x**2 + y**2 - l**2], 1), "contact", "bead on ground at P", None


def board_on_a_curve():
    """Its mass centre follows the curve, its end is placed by coordinates."""
    s = Sketch(3)
    board = s.turn(2, "A")
    end = s.point("E", s.q[0] * N.x + s.q[1] * N.y)
    s.body("board", s.point("Bo", l * board.x, end), board)
    x, y = (s.points[1].pos_from(s.O).dot(axis) for axis in (N.x, N.y))
    return held(s, [y - sin(x)], 1), "contact", "board on ground at Bo", None


def two_links_that_meet():
    """Both begin at ground; their ends have a name each."""
    s = Sketch(4)
    frames = [s.turn(k, x) for k, x in enumerate("ABCD")]
    A, B, C, D = frames
    left, right = s.point("Lk", A.x), s.point("Rk", 1.1 * C.x, s.point("R", 1.3 * N.x))
    s.body("a", s.point("Ao", A.x / 2), A)
    s.body("b", s.point("Bo", 0.6 * B.x, left), B)
    s.body("c", s.point("Co", 0.5 * C.x, s.points[1]), C)
    s.body("d", s.point("Do", 0.4 * D.x, right), D)
    tips = s.point("Bt", 1.2 * B.x, left), s.point("Dt", 0.8 * D.x, right)
    apart = tips[0].pos_from(tips[1])
    return held(s, [apart.dot(N.x), apart.dot(N.y)], 2), "pin", "d on b at Dt", None


@pytest.mark.parametrize(
    "make",
    [
        *(along_an_axis, bead_on_a_circle, board_on_a_curve),
        *slow([slider_in_its_guide, two_links_that_meet]),
    ],
)
@pytest.mark.usefixtures("numpy_by_default")
def test_constraints_of_one_point(make):
    """They are told, close the model, and supply what multipliers do; no loops are none."""
    kane, kind, name, axes = make()
    idyn = jw.InverseDynamics.from_kane(kane)
    if make is slider_in_its_guide:  # nothing states what keeps it level
        error = refused(lambda: idyn.program("joint_wrenches"), "connections")
        assert "rod and slider" in str(error)
        idyn = jw.InverseDynamics.from_kane(kane, idyn.connections)
    assert [(x.kind, x.name) for x in idyn.loops] == [(kind, name)]
    assert axes in (None, [str(x) for x in getattr(idyn.loops[0], "directions", ())])
    assert f"closed: {name}" in repr(idyn)
    states = np.full((3, len(kane.q)), 0.4)
    constants = {x: 1.0 + 0.1 * k for k, x in enumerate(idyn.constants)}
    plain = jw.InverseDynamics.from_kane(kane, loops=[])
    assert not plain.loops
    motion = plain.close_motion(*states, constants=constants)
    forces = [
        x.compile("generalized_forces", backend="numpy")(*motion, constants=constants)
        for x in (idyn, plain)
    ]
    assert close(*(x.generalized_forces for x in forces))
    assert idyn.close_motion(*states, constants=constants)[0] == pytest.approx(motion[0])
    pasted = jw.InverseDynamics.from_kane(kane, idyn.connections, loops=idyn.loops)
    wrenches = [
        x.compile("joint_wrenches", backend="numpy")(*motion, constants=constants)
        for x in (idyn, pasted)
    ]
    assert close(*(np.nan_to_num(x.joint_wrenches) for x in wrenches))
    refused(lambda: plain.program("joint_wrenches"), "loops")


def held_at_a_pin():
    """The guide could hold either of the links that a pin joins, or both."""
    s = Sketch(4)
    A, B = s.turn(3, "A"), s.turn(2, "B")
    foot = s.point("F", s.q[0] * N.x + s.q[1] * N.y)
    knee = s.point("K", l * A.x, foot)
    s.particle("foot", foot)
    s.body("a", s.point("Ao", l / 2 * A.x, foot), A)
    s.body("b", s.point("Bo", l / 2 * B.x, knee), B)
    kane = held(s, [knee.pos_from(s.O).dot(N.x)], 1)
    return (
        kane,
        ["could act on a at K (by ground) or b at K (by ground)"],
        'a on ground at K", RigidBody("ground"',
    )


def turning_at_a_ratio():
    s, _ = slider_crank()
    return held(s, [s.q[0] - 2 * s.q[1]], 1), ["acts at no point that the model names"], "..."


def locked():
    """A moment holds the crank as well as a force at any of its points."""
    s, _ = slider_crank()
    s.q, s.u = s.q[::-1], s.u[::-1]
    return held(s, [s.q[1] - 1], 1), ["acts at no point that the model names"], "..."


def pasted(argument, error, kane):
    """Return an argument that an error proposes, without what is to be filled in."""
    (code,) = re.search(rf"{argument}=(.*?)\)(?: with|, or)", str(error)).groups()
    rigid = [body for body in kane.bodies if isinstance(body, me.RigidBody)]
    places = [N, *(body.frame for body in rigid), *connected_points(rigid[0].masscenter)]
    known = {place.name: place for place in [*places, *kane.bodies]}
    known |= {"Contact": jw.Contact, "LoopJoint": jw.LoopJoint, "RigidBody": me.RigidBody}
    return eval(code.replace(", ...", ""), known)


@pytest.mark.parametrize("make", [held_at_a_pin, *slow([turning_at_a_ratio, locked])])
def test_constraints_whose_place_is_open(make):
    """Joint wrenches alone need it; what was found is there to paste."""
    kane, doubts, code = make()
    idyn = jw.InverseDynamics.from_kane(kane)
    assert not idyn.loops
    assert len(idyn.generalized_forces) == len(kane.u)
    with refusal("loops") as caught:
        idyn.program("joint_wrenches")
    for text in (*doubts, code):
        assert text in str(caught.value)
    if code != "...":
        loops = pasted("loops", caught.value, kane)
        jw.InverseDynamics.from_kane(kane, loops=loops).program("joint_wrenches")


# -- loads ------------------------------------------------------------------------------------


def test_torques_on_massless_rods_and_forces_on_them():
    s, _ = sketch(MISLEADING["particles on one rod"])
    A = s.bodies[0].masscenter.pos_from(s.O).args[0][1]
    middle = s.point("mid", l / 2 * A.x)
    s.loads = [(A, 3 * N.z), (middle, 5 * N.y), (s.bodies[2].masscenter, -m * g * N.y)]
    kane = s.kane()
    idyn = jw.InverseDynamics.from_kane(kane)
    values = {x: 0.3 + 0.1 * k for k, x in enumerate([*s.q, *s.u, *kane.u.diff(T), l, m, g])}
    found = outputs(idyn, values)
    assert close(found["generalized_forces"], forces_by_kane(kane, values))


def test_doubtful_loads_are_told_together():
    """A force at the mass centre of one body acts on that body; at a pin it could be either's."""
    s, _ = sketch(MISLEADING["links in one go"])
    A, B, _ = (body.frame for body in s.bodies)
    knee, ankle = s.point("K", l * A.x), s.point("L", l * A.x + l * B.x)
    s.loads = [(knee, N.y), (s.bodies[0].masscenter, N.y), (ankle, N.y)]
    kane = s.kane()
    idyn = jw.InverseDynamics.from_kane(kane)
    error = refused(lambda: idyn.program("joint_wrenches"), "owners")
    owners = pasted("owners", error, kane)
    jw.InverseDynamics.from_kane(kane, owners=owners).program("joint_wrenches")


def test_force_at_a_rolling_contact():
    s, _ = sketch(MISLEADING["wheel and frame"])
    s.loads = [(s.O, 7 * N.y)]
    idyn = jw.InverseDynamics.from_kane(s.kane())
    (load,) = idyn.model.tree.assigned.applied
    assert idyn.bodies[load.link].name == "wheel"


# -- other ways in ----------------------------------------------------------------------------


def test_systems_without_joints():
    """A System of sympy, its equations formed or not, and PyDy's."""
    x, u, F = *me.dynamicsymbols("x u"), symbols("F")
    system = me.System.from_newtonian(rigid_body("wall"))
    point = system.fixed_point.locatenew("P", x * system.x)
    point.set_vel(system.frame, u * system.x)
    bead = me.Particle("bead", point, m)
    system.add_bodies(bead)
    system.add_coordinates(x)
    system.add_speeds(u)
    system.add_kdes(x.diff(T) - u)
    for load in (F, g):
        system.form_eoms()
        system.add_loads((point, load * system.x))
        idyn = jw.InverseDynamics(system)
        assert idyn.system is system
        assert names(idyn.connections) == {"bead": (str(system.frame), "P")}
        assert idyn.generalized_forces[0].has(load)
    system.add_loads((point, system.y))
    refused(idyn.compile, "system")


def test_pydy_system_for_all_classes():
    pydy = n_link_pendulum_on_cart(2, cart_force=True, joint_torques=True)
    assert isinstance(pydy, PydySystem)
    expected = jw.InverseDynamics.from_kane(pydy.eom_method)
    for kind in (jw.InverseDynamics, jw.ForwardDynamics, jw.Kinematics):
        model = kind(pydy)
        assert names(model.connections) == names(expected.connections)
        assert "deduced: " in repr(model)


def test_crosscheck_of_a_kanes_method():
    kane = cart_with_pendulum(2).kane
    motion = {q: sin((k + 1) * T) / 3 for k, q in enumerate(kane.q)}
    constants = {"m_cart": 2, "m0": 1, "m1": 1, "l0": 1, "l1": 0.5, "g": 9.81, "F": 1}
    report = jw.crosscheck(kane, motion, [0, 0.1], constants)
    assert report.max_relative < 1e-9


def test_kanes_method_without_bodies():
    x, u = me.dynamicsymbols("x u")
    kane = me.KanesMethod(N, [x], [u], [x.diff(T) - u])
    refused(lambda: jw.InverseDynamics.from_kane(kane), "kane")


# -- cost -----------------------------------------------------------------------------------


def chain(n, is_relative):
    q, u, at, inner, bodies = (
        me.dynamicsymbols(f"q:{n}"),
        me.dynamicsymbols(f"u:{n}"),
        me.Point("O"),
        N,
        [],
    )
    at.set_vel(N, 0)
    for k in range(n):
        frame, end = me.ReferenceFrame(f"A{k}"), me.Point(f"P{k}")
        frame.orient_axis(inner, q[k], N.z)
        frame.set_ang_vel(inner, u[k] * N.z)
        end.set_pos(at, l * frame.x)
        end.v2pt_theory(at, N, frame)
        bodies.append(me.RigidBody(f"B{k}", end, frame, m, (me.inertia(frame, m, m, m), end)))
        at, inner = end, frame if is_relative else N
    return me.KanesMethod(N, q, u, [q[k].diff() - u[k] for k in range(n)], bodies=bodies)


def test_absolute_angles_take_no_more_operations_than_relative_ones():
    found, relative = (
        jw.InverseDynamics.from_kane(chain(3, x)).count_ops("joint_wrenches") for x in (False, True)
    )
    assert all(count <= relative[kind] for kind, count in found.items())


def calls(work, *arguments):
    with Profile() as profile:
        work(*arguments)
    return Stats(profile).total_calls


@pytest.mark.parametrize("n", [4, *slow([8])])
def test_to_read_absolute_angles_is_linear_in_links(n):
    few_links, many = (
        calls(jw.InverseDynamics.from_kane, chain(k, is_relative=False)) for k in (n, 2 * n)
    )
    assert many < 3 * few_links  # twice, but for caches of sympy; by pairs it would be four times


@pytest.mark.parametrize("n", [8, *slow([100])])
def test_to_deduce_connections_costs_at_most_what_the_rest_does(n):
    def work(n):
        kane = without_joints(jw.SerialChain.planar(n).system)
        deduced = calls(jw.InverseDynamics.from_kane, kane)
        connections = jw.InverseDynamics.from_kane(kane).connections
        assert [*parents(connections).values()] == [kane._inertial, *kane.bodies[1:-1]]
        return deduced, calls(jw.InverseDynamics.from_kane, kane, connections)

    work(2)  # imports
    deduced, given = work(n)
    assert deduced <= 2 * given
