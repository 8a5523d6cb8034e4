"""read_osim against OpenSim: joints, functions, both file formats, constraints, bad input."""

import json
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from osim_texts import (
    Z,
    body,
    coupler,
    document,
    gait10_text,
    joint,
    knee_motion,
    kneecap_text,
    linear,
    offset,
    spline,
    transform,
    turns_text,
    zoo_text,
)
from refusals import refused
from scipy.interpolate import make_interp_spline
from scipy.spatial.transform import Rotation
from sympy import Symbol, lambdify
from sympy.physics.mechanics import dynamicsymbols

from jointwrench.model_files.model_from_file import Limits
from jointwrench.musculoskeletal.osim import read_osim
from jointwrench.musculoskeletal.osim_functions import read_function
from jointwrench.records.xml_tree import read_xml

pytestmark = [pytest.mark.filterwarnings("error"), pytest.mark.usefixtures("numpy_by_default")]

T = dynamicsymbols._t
REFERENCE = json.loads((Path(__file__).parents[1] / "data" / "opensim_models.json").read_text())
FORMATS = {"gait10": gait10_text, "gait10 of OpenSim 3": partial(gait10_text, is_old=True)}
ROD = ("rod", 2, (0, -0.5, 0), (0.2, 0.01, 0.2))
PAIR = body(*ROD) + body("other", 3, (0.1, 0.2, 0), (0.1, 0.1, 0.15))
of_rod, of_pair = (partial(document, "m", bodies) for bodies in (body(*ROD), PAIR))


def states_of(model, names):
    """Return q, u, udot and forces of OpenSim in the order of a model."""
    data = REFERENCE[names]
    order = [data["coordinates"].index(name) for name in model.coordinates]
    return [np.array(data[key])[:, order] for key in ("q", "u", "udot", "forces")]


def forces(model, *state, **options):
    idyn = model.inverse_dynamics(**options)
    return idyn.compile("generalized_forces", backend="numpy")(*state).generalized_forces


# -- against OpenSim ----------------------------------------------------------------


@pytest.mark.parametrize("name", FORMATS)
def test_generalized_forces_are_those_of_opensim(name):
    """Also from the older format, which has joints in bodies."""
    model = read_osim(FORMATS[name]())
    *state, expected = states_of(model, name.partition(" ")[0])
    np.testing.assert_allclose(forces(model, *state), expected, rtol=1e-11, atol=1e-10)


def test_each_type_of_joint_is_that_of_opensim():
    """Ball and Free joints of OpenSim have angular velocities as speeds, in the parent."""
    model = read_osim(zoo_text())
    kinds = {"FreeJoint", "UniversalJoint", "BallJoint", "SliderJoint", "PlanarJoint"}
    assert set(model.kinds.values()) == kinds | {"GimbalJoint", "CustomJoint"}
    q, u, udot, expected = states_of(model, "zoo")
    symbols = list(model.coordinates.values())
    for name in ("to_a", "to_c"):
        made = model.joints[name]
        where = [symbols.index(x) for x in made.coordinates[:3, :]]
        spin = made.child_interframe.ang_vel_in(made.parent_interframe)
        spin = spin.to_matrix(made.parent_interframe).jacobian(made.speeds[:3, :])
        rates = dict(zip(made.coordinates.diff(T), made.speeds, strict=True))
        map_of = lambdify(
            [list(made.coordinates), list(made.speeds)], [spin, spin.diff(T).xreplace(rates)]
        )
        own = [symbols.index(x) for x in made.coordinates]
        for k in range(len(q)):
            omega, alpha = u[k, where], udot[k, where]
            turn, _ = map_of(q[k, own], u[k, own])
            u[k, where] = np.linalg.solve(turn, omega)
            _, change = map_of(q[k, own], u[k, own])
            udot[k, where] = np.linalg.solve(turn, alpha - change @ u[k, where])
            expected[k, where] = turn.T @ expected[k, where]
    np.testing.assert_allclose(forces(model, q, u, udot), expected, rtol=1e-10, atol=1e-10)


@pytest.mark.needs("opensim")
def test_generalized_forces_are_those_of_the_opensim_that_is_here(tmp_path):
    import opensim

    path = tmp_path / "model.osim"
    path.write_text(gait10_text())
    model, theirs = read_osim(path), opensim.Model(str(path))
    state = theirs.initSystem()
    numbers = np.random.default_rng(11)
    q, u, udot = numbers.uniform(-1, 1, (3, len(model.coordinates)))
    places = {}
    for k, key in enumerate(model.coordinates):
        known = theirs.getCoordinateSet().get(key)
        known.setSpeedValue(state, 1.0)
        places[key] = next(j for j in range(len(q)) if state.getU()[j] and j not in places.values())
        known.setValue(state, q[k], False)
    accelerations = opensim.Vector(len(q), 0.0)
    for key, speed, acceleration in zip(model.coordinates, u, udot, strict=True):
        theirs.getCoordinateSet().get(key).setSpeedValue(state, speed)
        accelerations[places[key]] = acceleration
    theirs.realizeVelocity(state)
    solved = opensim.InverseDynamicsSolver(theirs).solve(state, accelerations)
    expected = [solved[places[key]] for key in model.coordinates]
    np.testing.assert_allclose(forces(model, q, u, udot), expected, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("data", REFERENCE["functions"], ids=lambda x: f"{x['tag']}-{len(x['x'])}")
def test_functions_and_their_derivatives(data):
    q = Symbol("q")
    formula = read_function(read_xml(spline(data["x"], data["y"], data["tag"])), [q])
    values = lambdify(q, [formula.diff(q, k) if k else formula for k in range(3)])
    actual = [values(x) for x in data["at"]]
    np.testing.assert_allclose(actual, data["values"], rtol=1e-9, atol=1e-9)


SINE = "<Sine><amplitude>2</amplitude><omega>3</omega><phase>0.5</phase><offset>1</offset></Sine>"
LINE = spline((1, 3), (2, 6), "natCubicSpline")


@pytest.mark.parametrize(("text", "value"), [(SINE, 2 * np.sin(2.6) + 1), (LINE, 1.4)])
def test_sines_and_splines_through_two_points(text, value):
    q = Symbol("q")
    assert float(read_function(read_xml(text), [q]).subs(q, 0.7)) == pytest.approx(value)


@pytest.mark.parametrize("half_order", [1, 2, 3])
def test_gcv_spline_through_its_points(half_order, rng):
    """Woltring's natural spline, as scipy has it; beyond the ends it has no higher powers."""
    q, x, y = Symbol("q"), np.sort(rng.uniform(0, 3, 9)), rng.normal(size=9)
    text = spline(x, y, "GCVSpline").replace("<x>", f"<half_order>{half_order}</half_order><x>")
    formula = read_function(read_xml(text), [q])
    values = lambdify(q, [formula.diff(q, k) if k else formula for k in range(half_order + 1)])
    np.testing.assert_allclose([values(place)[0] for place in x], y, atol=1e-9)
    at = np.linspace(x[0] + 1e-6, x[-1] - 1e-6, 50)
    if half_order == 1:
        expected = np.interp(at, x, y)
    else:
        ends = [(k, 0.0) for k in range(half_order, 2 * half_order - 1)]
        bare = make_interp_spline(x, y, 2 * half_order - 1, bc_type=(ends, ends))
        expected = bare(at)
    np.testing.assert_allclose([values(place)[0] for place in at], expected, atol=1e-9)
    for beyond, end in ((x[0] - 0.5, x[0]), (x[-1] + 0.5, x[-1])):
        assert values(beyond)[half_order] == pytest.approx(0, abs=1e-9)
        inside = end + 1e-9 * np.sign(1.5 - end)
        last = half_order - 1
        assert values(beyond)[last] == pytest.approx(values(inside)[last], abs=1e-4)


@pytest.mark.parametrize(("half_order", "variance"), [(3, 0), (4, 0), (2, 0.1)])
def test_refuses_gcv_splines(half_order, variance):
    more = f"<half_order>{half_order}</half_order><error_variance>{variance}</error_variance><x>"
    text = spline((0, 1, 2, 3), (0, 1, 0, 1), "GCVSpline").replace("<x>", more)
    refused(lambda: read_function(read_xml(text), [Symbol("q")]), None)


def test_an_ellipsoid_joint():
    """The child's origin is on the ellipsoid: the radii times its z axis, as Simbody has it."""
    text = of_rod(joint("EllipsoidJoint", "scapula", "ground", (0, 0, 0), "rod"))
    axes = "<radii_x_y_z>0.07 0.15 0.08</radii_x_y_z></EllipsoidJoint>"
    model = read_osim(text.replace("</EllipsoidJoint>", axes))
    frame, origin = model.system.frame, model.origins["ground"]
    place = model.origins["rod"].pos_from(origin).to_matrix(frame)
    normal = model.bodies["rod"].frame.z.to_matrix(frame)
    numbers = dict(zip(model.coordinates.values(), (0.3, -0.4, 0.9), strict=True))
    found, axis = (np.array(m.subs(numbers), float).ravel() for m in (place, normal))
    radii = np.array([0.07, 0.15, 0.08])
    assert ((found / radii) ** 2).sum() == pytest.approx(1)
    np.testing.assert_allclose(found, radii * axis)
    turn = Rotation.from_euler("XYZ", [0.3, -0.4, 0.9]).as_matrix()
    np.testing.assert_allclose(axis, turn[:, 2])


# -- what is in the model -------------------------------------------------------------


def test_names_numbers_and_what_is_left_out():
    named = [("Thelen2003Muscle", "soleus_r"), ("Thelen2003Muscle", "soleus_l")]
    named.append(("SmoothSphereHalfSpaceForce", "contact"))
    forces = "".join(f'<{tag} name="{name}"/>' for tag, name in named)
    inner = (
        '<Coordinate name="angle"><default_value>0.3</default_value><range>-1 2</range>'
        "<locked>true</locked></Coordinate>"
    )
    pin = joint("PinJoint", "pin", "ground", (0, 1, 0), "rod").replace(
        "<coordinates></coordinates>", f"<coordinates>{inner}</coordinates>"
    )
    off = coupler("angle", "angle", linear(), name="off").replace(">true<", ">false<")
    other = '<RollingOnSurfaceConstraint name="rolls"/>'
    more = f"<ForceSet><objects>{forces}</objects></ForceSet>"
    with pytest.warns(UserWarning, match="'rolls'.*: a constraint, <SmoothSphereHalfSpaceForce>"):
        model = read_osim(of_rod(pin, off + other, more), symbolic=True)
    assert "1 speed; left out: 5 (2 of them change forces), see .left_out" in repr(model)
    assert [*model.bodies] == ["rod"]
    assert [*model.joints] == [*model.kinds] == ["pin"]
    assert model.coordinates == {"angle": dynamicsymbols("angle")}
    assert model.speeds == {"angle": dynamicsymbols("u_angle")}
    assert model.limits == {"angle": Limits(-1.0, 2.0)}
    assert model.reference == [0.3]
    assert model.constants[Symbol("m_rod")] == 2
    assert model.origins["rod"].pos_from(
        model.origins["ground"]
    ) == model.system.fixed_point.locatenew("x", model.system.y).pos_from(model.system.fixed_point)
    assert model.left_out == (
        "changes forces: <RollingOnSurfaceConstraint 'rolls'> (line 7): a constraint",
        "changes forces: <SmoothSphereHalfSpaceForce> of contact: a force",
        "<Coordinate 'angle'> (line 6) is locked in the file; here it is free",
        "<CoordinateCouplerConstraint 'off'> (line 7), which is not enforced",
        "<Thelen2003Muscle> of soleus_r, soleus_l",
    )


def test_names_that_opensim_would_give():
    model = read_osim(of_rod(joint("PinJoint", "pin", "ground", (0, 0, 0), "rod")))
    assert [*model.coordinates] == ["pin_coord_0"]


def test_a_coordinate_without_function_is_its_own_motion():
    made = transform([(Z, "angle", "")])
    text = joint("CustomJoint", "pin", "ground", (0, 0, 0), "rod", ["angle"], made)
    assert read_osim(of_rod(text)).joints["pin"].rotations[0][0] == dynamicsymbols("angle")


def test_frames_on_frames():
    """An offset frame in another one, in a body; named by path, relative path and name."""
    inner = offset("turned", "/bodyset/rod", (0, -1, 0), (0, 0, np.pi / 2))
    inner += offset("far", "../turned", (2, 0, 0))
    rod = body(*ROD).replace("</Body>", f"<components>{inner}</components></Body>")
    for path in ("/bodyset/rod/far", "../../bodyset/rod/far"):
        pin = joint("PinJoint", "tip", "rod", (0, 0, 0), "b", ["tip"]).replace(
            "<socket_parent>/bodyset/rod<", f"<socket_parent>{path}<"
        )
        top = joint("PinJoint", "top", "ground", (0, 0, 0), "rod", ["top"])
        model = read_osim(document("m", rod + body("b", *ROD[1:]), top + pin))
        tip, carrier = model.joints["tip"], model.bodies["rod"]
        place = tip.parent_point.pos_from(model.origins["rod"]).to_matrix(carrier.frame)
        np.testing.assert_allclose(np.array(place, dtype=float).ravel(), [0, 1, 0], atol=1e-15)
        turn = np.array(tip.parent_interframe.dcm(carrier.frame), dtype=float)
        np.testing.assert_allclose(turn, [[0, 1, 0], [-1, 0, 0], [0, 0, 1]], atol=1e-15)


def test_a_reversed_joint_moves_the_other_way():
    plain = joint("PinJoint", "pin", "ground", (0, 1, 0), "rod", ["angle"])
    other = plain.replace("</PinJoint>", "<reverse>true</reverse></PinJoint>")
    models = [read_osim(of_rod(text)) for text in (plain, other)]
    results = [forces(m, [s * 0.5], [s], [s * 2]) for m, s in zip(models, (1, -1), strict=True)]
    np.testing.assert_allclose(results[0], -results[1], rtol=1e-14)
    assert models[1].joints["pin"].parent.name == "rod"


# -- constraints ------------------------------------------------------------------------


def test_a_coupled_coordinate_is_a_formula_of_the_other():
    """The forces are those of the free tree, projected on the motion that is left."""
    text = kneecap_text()
    start, end = text.index("<ConstraintSet>"), text.index("</ConstraintSet>")
    free = read_osim(text[:start] + text[end + len("</ConstraintSet>") :])
    model = read_osim(text)
    assert [*model.coordinates] == ["hip", "knee"]
    assert [*model.dependent] == ["cap"]
    q, u, udot = np.random.default_rng(2).uniform(-1, 1, (3, 4, 2))
    knee = model.coordinates["knee"]
    formula = model.dependent["cap"]
    curve = lambdify(knee, [formula.diff(knee, k) if k else formula for k in range(3)])
    cap, slope, bend = np.array([curve(x) for x in q[:, 1]]).T
    bent = slope * udot[:, 1] + bend * u[:, 1] ** 2
    pairs = (q, cap), (u, slope * u[:, 1]), (udot, bent)
    whole = [np.column_stack(x) for x in pairs]
    tree = forces(free, *whole)
    expected = tree[:, :2] + np.outer([0, 1], slope * tree[:, 2]).T
    np.testing.assert_allclose(forces(model, q, u, udot), expected, rtol=1e-11, atol=1e-11)


def test_splines_in_compiled_code():
    """A spline of a spline, in C and in numpy; a gap stays one."""
    idyn = read_osim(kneecap_text()).inverse_dynamics()
    q, u, udot = np.random.default_rng(3).uniform(-1.5, 1.5, (3, 9, 2))
    compiled = idyn.compile("generalized_forces", backend="c")
    slow = idyn.compile("generalized_forces", backend="numpy")
    results = (f(q, u, udot).generalized_forces for f in (compiled, slow))
    np.testing.assert_allclose(*results, rtol=1e-12, atol=1e-12)
    gap = compiled([[0.1, np.nan], [0.1, 0.2]], u[:2], udot[:2]).generalized_forces
    np.testing.assert_array_equal(np.isnan(gap), [[True, True], [False, False]])


def test_splines_in_kanes_method():
    """Sympy's own printers write them, too."""
    text = joint("CustomJoint", "knee", "ground", (0, 0, 0), "rod", ["q"], knee_motion("q"))
    model = read_osim(of_rod(text))
    system = model.system
    system.form_eoms()
    kane = system.eom_method
    equations = lambdify([[*system.q], [*system.u]], [kane.mass_matrix, kane.forcing], cse=True)
    for state in np.random.default_rng(3).uniform(-1.5, 1.5, (3, 3, 1)):
        mass, forcing = equations(*state[:2])
        expected = mass @ state[2] - np.ravel(forcing)
        np.testing.assert_allclose(forces(model, *state), expected, rtol=1e-10)


def test_point_constraint_is_a_pin():
    """A rod that moves freely in a plane, with one point held, hangs as on a pin."""
    names = ["turn", "x", "y"]
    constraint = (
        '<PointConstraint name="held"><socket_body_1>/ground</socket_body_1>'
        "<socket_body_2>/bodyset/rod</socket_body_2><location_body_1>0 1 0</location_body_1>"
        "<location_body_2>0 0.2 0</location_body_2></PointConstraint>"
    )
    plane = joint("PlanarJoint", "plane", "ground", (0, 0.9, 0), "rod", names)
    closed = read_osim(of_rod(plane, constraint))
    pin = joint("PinJoint", "pin", "ground", (0, 1, 0), "rod", ["turn"], own=(0, 0.2, 0))
    open_ = read_osim(of_rod(pin))
    (loop,) = closed.loops
    assert (loop.name, loop.kind) == ("held", "spherical")
    assert [*closed.system.q_ind] == [closed.coordinates["turn"]]
    idyn = closed.inverse_dynamics()
    q, u, udot = idyn.close_motion([0.4, 0, 0], [1.5, 0, 0], [-2, 0, 0])
    result = idyn.compile(backend="numpy")(q, u, udot)
    expected = open_.inverse_dynamics().compile(backend="numpy")([0.4], [1.5], [-2.0])
    torque = result.generalized_forces[0]
    np.testing.assert_allclose(torque, expected.generalized_forces[0], rtol=1e-10)
    held, pinned = result.joint_wrench(loop), expected.joint_wrench("pin")
    np.testing.assert_allclose(held[:2], pinned[:2], rtol=1e-10)


@pytest.mark.parametrize("is_old", [False, True], ids=["v4", "v3"])
def test_weld_constraint_is_a_weld(is_old):
    """Of two bodies on pins about one axis, the second is welded to the first, turned."""
    ends = "".join(f"<socket_frame{k}>{x}</socket_frame{k}>" for k, x in ((1, "one"), (2, "two")))
    frames = offset("one", "/bodyset/rod", (0, 0, 0), (0, 0, 0.5)) + offset("two", "/bodyset/other")
    inner = f"{ends}<frames>{frames}</frames>"
    if is_old:
        inner = "<body_1>rod</body_1><body_2>other</body_2>"
        inner += "<orientation_body_1>0 0 0.5</orientation_body_1>"
    constraint = f'<WeldConstraint name="glue">{inner}</WeldConstraint>'
    pins = [
        joint("PinJoint", f"pin_{x}", "ground", (0, 0, 0), x, [f"turn_{x}"])
        for x in ("rod", "other")
    ]
    closed = read_osim(of_pair("".join(pins), constraint))
    weld = joint("WeldJoint", "glue", "rod", (0, 0, 0), "other", angles=(0, 0, 0.5))
    tree = read_osim(of_pair(pins[0] + weld))
    assert [*closed.system.q_dep] == [closed.coordinates["turn_other"]]
    idyn = closed.inverse_dynamics()
    q, u, udot = idyn.close_motion([0.4, 0.9], [1.5, 0], [-2, 0])
    np.testing.assert_allclose(q, [0.4, 0.9], atol=1e-12)
    result = idyn.compile("generalized_forces", backend="numpy")(q, u, udot)
    expected = forces(tree, [0.4], [1.5], [-2.0])
    np.testing.assert_allclose(result.generalized_forces, [*expected, 0], rtol=1e-10, atol=1e-10)


# -- bad input ----------------------------------------------------------------------------


def one_joint(inner="", kind="CustomJoint", coordinates=("angle",)):
    return joint(kind, "pin", "ground", (0, 0, 0), "rod", coordinates, inner)


def turn_by(function, name="angle"):
    return one_joint(transform([(Z, name, function)]))


PIN = one_joint(kind="PinJoint")
CHAIN = PIN + joint("PinJoint", "b", "rod", (0, 0, 0), "other", ["b"])
BEYOND = (
    '<PointConstraint name="far"><socket_body_1>/ground</socket_body_1>'
    "<socket_body_2>/bodyset/rod</socket_body_2><location_body_1>0 9 0</location_body_1>"
    "<location_body_2>0 0.2 0</location_body_2></PointConstraint>"
)
SHORT = "<LinearFunction><coefficients>1 2 3</coefficients></LinearFunction>"
STEP = turn_by("<StepFunction/>")
FAULTS = {
    "not OpenSim": "<robot/>",
    "broken": "<OpenSimDocument>\n<Model>\n</OpenSimDocument>",
    "no mass": document("m", '<Body name="rod"/>', PIN),
    "no inertia": document("m", '<Body name="rod"><mass>1</mass></Body>', PIN),
    "mass in words": document("m", body("rod", "heavy", *ROD[2:]), PIN),
    "no name": document("m", body("", *ROD[1:]) + body(*ROD), PIN),
    "one name twice": document("m", body(*ROD) * 2, PIN),
    "negative mass": document("m", body("rod", -1, *ROD[2:]), PIN),
    "impossible inertia": document("m", body(*ROD[:3], (0.1, 0.1, 0.3)), PIN),
    "two numbers": of_rod(PIN).replace("0 -9.80665 0", "0 -9.8"),
    "unknown joint": of_rod(one_joint(kind="ScapulothoracicJoint")),
    "unknown frame": of_rod(PIN.replace("bodyset/rod", "bodyset/bar")),
    "a frame in itself": of_rod(PIN.replace(">/bodyset/rod<", ">../inner<")),
    "a body on itself": of_rod(PIN.replace(">/ground<", ">/bodyset/rod<")),
    "no socket": of_rod('<PinJoint name="pin"/>'),
    "too many coordinates": of_rod(one_joint(kind="PinJoint", coordinates="ab")),
    "one coordinate in two joints": of_pair(
        CHAIN.replace('name="b"><range', 'name="angle"><range')
    ),
    "no transform": of_rod(one_joint()),
    "a stranger's coordinate": of_rod(turn_by(linear(), "elbow")),
    "no direction": of_rod(turn_by(linear()).replace("<axis>0 0 1<", "<axis>0 0 0<")),
    "unknown function": of_rod(STEP),
    "unknown function without a wrapper": of_rod(
        STEP.replace("<function><Step", "<Step").replace("/></function>", "/>")
    ),
    "too many coefficients": of_rod(turn_by(SHORT)),
    "nothing to multiply": of_rod(turn_by("<MultiplierFunction/>")),
    "a spline of two": of_rod(
        one_joint(transform([(Z, "a b", spline((0, 1), (0, 1)))]), coordinates="ab")
    ),
    "a short spline": of_rod(turn_by(spline((0, 1), (0, 1, 2)))),
    "a spline back": of_rod(turn_by(spline((0, 1, 0.5), (0, 1, 2)))),
    "a loop of joints": of_pair(
        CHAIN + joint("PinJoint", "c", "ground", (0, 0, 0), "other", ["c"])
    ),
    "a body in the air": of_pair(PIN),
    "a stranger coupled": of_rod(PIN, coupler("knee", "angle", linear())),
    "coupled twice": of_pair(CHAIN, coupler("b", "angle", linear()) * 2),
    "coupled in a circle": of_pair(
        CHAIN, coupler("b", "angle", linear()) + coupler("angle", "b", linear(), name="back")
    ),
    "coupled by nothing": of_rod(PIN, coupler("angle", "angle", "")),
    "held by nothing": of_rod(PIN, '<PointConstraint name="p"/>'),
    "held too far away": of_rod(PIN, BEYOND),
    "several at once": document("m", body("rod", -1, *ROD[2:]), STEP, coupler("a", "b", linear())),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_named_with_their_lines(fault):
    refused(lambda: read_osim(FAULTS[fault]), "source")


def test_impossible_inertias_are_read_where_they_are_wanted():
    model = read_osim(document("m", body(*ROD[:3], (0.1, 0.1, 0.3)), PIN), nonphysical="keep")
    (force,) = forces(model, [0.0], [0.0], [1.0])
    assert force == pytest.approx(0.3 + 2 * 0.25)


def test_three_turns_of_one_coordinate_are_those_of_lagranges_equation():
    """Where OpenSim 4.6's solver has 2.938620 N m: ``benchmarks/opensim_turns.py``.

    Lagrange's equation with OpenSim's own energies has 3.055373, by differences of fourth order,
    and the second difference of its own mass centre is the acceleration below.
    """
    model = read_osim(turns_text())
    result = model.inverse_dynamics().compile()([0.7], [2.0], [0.0], constants=model.constants)
    np.testing.assert_allclose(result.generalized_forces, 3.055373, atol=1e-6)
    own = result.acceleration(model.bodies["b"].masscenter)
    np.testing.assert_allclose(own, [-0.83679676, 1.73981071, -0.44848415], atol=1e-7)
