"""Models of sympy, PyDy, opty and symbrim that have constraints: their motion and their forces."""

import importlib

import constrained_models as known
import numpy as np
import pytest
from classical import on_centers
from marks import slow
from numeric import run
from refusals import refusal, refused
from sympy import Derivative, Matrix, cos, lambdify, nsolve, sin, symbols
from sympy.core.function import AppliedUndef
from sympy.physics.mechanics import KanesMethod, dynamicsymbols

from jointwrench import Contact, InverseDynamics, Segment, SerialChain
from jointwrench.mechanics.mechanism.tree import TopologyError

pytestmark = pytest.mark.usefixtures("numpy_by_default")

T = dynamicsymbols._t

MODELS = {
    "rolling disc with places": known.rolling_disc_with_places,
    "snakeboard": known.snakeboard,
    "car of opty": known.car_of_opty,
    "dragged bar": known.dragged_bar,
    "four-bar": known.four_bar_of_kanes_method,
    "arm on lever": known.arm_on_lever,
}
QUICK = ["dragged bar", "four-bar"]
FORCES = ("generalized_forces", "unsupplied")


class Equations:
    """A KanesMethod's equations of motion in numbers: what the inverse dynamics is held against."""

    def __init__(self, model, seed=1):
        kane = self.kane = model.kane
        if not kane._fr:
            kane.kanes_equations(kane.bodies, kane.loads or None)
        rates = kane.kindiffdict()
        self.mass, self.forcing = (
            kane.mass_matrix.xreplace(rates),
            kane.forcing.doit().xreplace(rates),
        )
        self.position, self.velocity = Matrix(kane._f_h), kane._k_nh * kane.u + kane._f_nh
        leaves = {*kane.q, *kane.u}
        for matrix in (self.mass, self.forcing, self.position):
            leaves |= matrix.atoms(AppliedUndef) | (matrix.free_symbols - {T})
        numbers = np.random.default_rng(seed)
        self.values = {x: numbers.uniform(0.1, 0.6) for x in sorted(leaves, key=str)} | model.values
        self.values |= dict(zip(kane.q, model.parts.get("start", ()), strict=False))
        self.assemble()

    def numbers(self, matrix):
        function = lambdify([*self.values], matrix, cse=True)
        return np.array(function(*self.values.values()), dtype=float)

    def assemble(self):
        """Solve for the dependent coordinates and speeds."""
        kane = self.kane
        independent = len(kane.q) - len(kane._qdep)
        dependent = kane.q[independent:]
        for _ in range(8 if dependent else 0):
            left = self.numbers(self.position)[:, 0]
            step = np.linalg.solve(self.numbers(self.position.jacobian(dependent)), left)
            self.values |= {q: self.values[q] - d for q, d in zip(dependent, step, strict=True)}
            if abs(left).max() < 1e-10:  # so that this step leaves rounding
                break
        dependent = kane.u[len(kane.u) - len(kane._udep) :]
        self.values |= dict.fromkeys(dependent, 0.0)
        slopes = self.numbers(self.velocity.jacobian(dependent))
        solved = np.linalg.solve(slopes, -self.numbers(self.velocity)[:, 0])
        self.values |= dict(zip(dependent, solved, strict=True))

    def move(self, forces):
        """Accelerate as forces at the independent speeds make it."""
        mass, forcing = self.numbers(self.mass), self.numbers(self.forcing)[:, 0]
        forcing[: len(forces)] += forces
        udot = np.linalg.solve(mass, forcing)
        self.values |= dict(zip(self.kane.u.diff(T), udot, strict=True))


def read(model, loops=None):
    loops = model.loops if loops is None else loops
    return InverseDynamics.from_kane(model.kane, model.connections, loops=loops)


def evaluated(idyn, equations, *outputs):
    return run(idyn.program(outputs), equations.values)


@pytest.mark.parametrize("name", [*list(MODELS)[:2], *slow([*MODELS][2:])])
def test_forces_return_that_made_the_motion(name):
    """At the independent speeds; none is missing, and none where the model moves by itself."""
    model = MODELS[name]()
    equations = Equations(model)
    count = len(equations.kane.u) - len(equations.kane._udep)
    models = read(model), read(model, []), InverseDynamics.from_kane(model.kane)
    for given in (np.zeros(count), np.random.default_rng(2).normal(size=count)):
        equations.move(given)
        for idyn in models:  # that know and do not know where the constraints act
            found = evaluated(idyn, equations, *FORCES)
            expected = [*given, *np.zeros(len(equations.kane.u) - count)]
            assert found["generalized_forces"] == pytest.approx(expected, abs=1e-9)
            assert found["unsupplied"] == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("name", [*QUICK, *slow(x for x in MODELS if x not in QUICK)])
def test_deduced_loops_give_the_same_wrenches(name):
    """With nothing but the KanesMethod, and with what a person listed."""
    model = MODELS[name]()
    equations = Equations(model)
    equations.move(np.zeros(len(equations.kane.u) - len(equations.kane._udep)))
    deduced, given = InverseDynamics.from_kane(model.kane), read(model)
    assert len(deduced.loops) == len(given.loops)
    found, expected = (on_centers(idyn, equations.values) for idyn in (deduced, given))
    assert found.keys() == expected.keys()
    for body, wrench in expected.items():
        assert found[body] == pytest.approx(wrench, nan_ok=True, abs=1e-9)


# -- the rolling disc ---------------------------------------------------------------------------


def test_contact_force_of_the_rolling_disc_by_newtons_law():
    """The force is ``m (a + g up)``, of the centre; the contact transmits no moment."""
    model = known.rolling_disc_with_places()
    equations = Equations(model)
    equations.move(np.zeros(3))
    idyn = read(model)
    found = evaluated(idyn, equations, "joint_wrenches")["joint_wrenches"]
    at = equations.values
    g, m, _ = sorted(model.values, key=str)
    accelerations = [at[u.diff(T)] for u in model.kane.u[3:]]
    expected = at[m] * np.add(accelerations, [0, 0, at[g]])
    turn = equations.numbers(model.parts["disc"].frame.dcm(idyn.frame))
    assert found[1, :3] == pytest.approx(turn @ expected)
    assert found[1, 3:] == pytest.approx(0)
    assert found[0] == pytest.approx(0, abs=1e-12)  # nothing but the contact holds the disc


def test_both_rolling_discs_have_the_same_contact_force():
    """Where the contact is built into the velocities, the connection transmits its force."""
    built_in, placed = known.rolling_disc_of_sympy(), known.rolling_disc_with_places()
    equations = Equations(placed)
    equations.move([0.7, -0.4, 0.2])
    values = {str(x): value for x, value in equations.values.items()}
    idyn = read(built_in)
    own = {x: values[str(x)] for symbols in idyn.inputs.values() for x in symbols}
    found = run(idyn.program(("joint_wrenches", "generalized_forces")), own)
    assert found["generalized_forces"] == pytest.approx([0.7, -0.4, 0.2])
    expected = evaluated(read(placed), equations, "joint_wrenches")["joint_wrenches"]
    assert found["joint_wrenches"][0, :3] == pytest.approx(expected[1, :3])


def test_contact_force_by_auxiliary_speeds():
    """As in sympy's documentation: the reactions solve the equations of the auxiliary speeds."""
    model = known.rolling_disc_of_sympy(with_auxiliary=True)
    kane, forces = model.kane, model.parts["forces"]
    kane.kanes_equations(kane.bodies, kane.loads)
    equations = kane.auxiliary_eqs.xreplace(kane.kindiffdict())
    plain = known.rolling_disc_of_sympy()
    idyn = read(plain)
    symbols = [*idyn.coordinates, *idyn.speeds, *idyn.accelerations]
    values = dict(zip(symbols, np.random.default_rng(3).uniform(0.2, 0.8, 9), strict=True))
    values |= plain.values
    at = {x: values.get(x, 0) for x in equations.atoms(AppliedUndef, Derivative)} | plain.values
    at |= dict(zip(forces, forces, strict=True))
    left = equations.xreplace(at)
    reactions = np.array(left.jacobian(forces).LUsolve(-left.subs(dict.fromkeys(forces, 0))))
    disc = plain.parts["disc"]
    axes = Matrix.hstack(*(axis.to_matrix(disc.frame) for axis in plain.parts["axes"]))
    expected = np.array(axes.xreplace(values), dtype=float) @ reactions[:, 0].astype(float)
    wrench = run(idyn.program(("joint_wrenches",)), values)["joint_wrenches"][0]
    assert wrench[:3] == pytest.approx(expected)
    with pytest.warns(UserWarning, match="auxiliary"):
        dropped = read(model)
    found = run(dropped.program(("joint_wrenches",)), values)["joint_wrenches"][0]
    assert found == pytest.approx(wrench)


def test_contact_that_the_velocities_grant_says_which_connection_transmits_its_force():
    model = known.rolling_disc_of_sympy()
    contact = Contact("tyre", model.parts["ground"], model.parts["disc"], model.parts["contact"])
    refused(lambda: read(model, [contact]), "loops", TopologyError)


# -- the Whipple bicycle ------------------------------------------------------------------------


def upright(idyn, values, speed):
    """Return values for riding straight ahead."""
    still = dict.fromkeys([*idyn.coordinates, *idyn.speeds, *idyn.accelerations], 0.0)
    radii = {"u3": 0.3, "u6": 0.35}
    turning = {u: -speed / radii[u.name] for u in idyn.speeds if u.name in radii}
    return values | still | turning


@pytest.mark.slow
def test_bicycle_that_rides_upright_rests_on_its_wheels():
    """The weights' moments about the rear contact say what the front wheel carries."""
    model = known.whipple_bicycle()
    idyn = read(model)
    values = upright(idyn, model.values, 4.0)
    found = run(idyn.program(("joint_wrenches", *FORCES)), values)
    front = 9.81 * (85 * 0.3 + 4 * 0.9 + 3 * 1.02) / 1.02
    rear, tyre = found["joint_wrenches"][[0, 4], :3]
    assert rear == pytest.approx([0, 0, front - 9.81 * 94])
    head = float(values[next(x for x in values if str(x) == "lam")])
    assert tyre == pytest.approx([front * np.sin(head), 0, -front * np.cos(head)])  # of the fork
    assert found["generalized_forces"] == pytest.approx(0, abs=1e-9)
    assert found["unsupplied"] == pytest.approx(0, abs=1e-9)
    assert not idyn.undetermined


@pytest.mark.slow
def test_wheels_without_angles_have_the_wrenches_of_those_with_angles():
    """At angles of zero, where their frames are those that stand in for them."""
    found = []
    for with_angles in (False, True):
        idyn = read(known.whipple_bicycle(with_angles))
        symbols = [*idyn.coordinates, *idyn.speeds, *idyn.accelerations]
        numbers = np.random.default_rng(5)
        names = sorted({str(x) for x in symbols} | {"q3(t)", "q6(t)"})
        values = dict(zip(names, numbers.uniform(-0.5, 0.5, len(names)), strict=True))
        values |= {"q3(t)": 0.0, "q6(t)": 0.0}
        own = {x: values[str(x)] for x in symbols} | known.whipple_bicycle().values
        found.append(run(idyn.program(("joint_wrenches", "generalized_forces")), own))
    for name, expected in found[1].items():
        assert found[0][name] == pytest.approx(expected, rel=1e-9, abs=1e-9)


@pytest.mark.slow  # the equations of motion are derived for nine seconds
def test_bicycle_needs_the_forces_that_made_its_motion():
    model = known.whipple_bicycle()
    equations = Equations(model)
    idyn = read(model)
    for given in ([0, 0, 0], [1.0, 2.0, 3.0]):
        equations.move(np.array(given))
        found = evaluated(idyn, equations, *FORCES)
        assert found["generalized_forces"] == pytest.approx([*given, 0, 0, 0], abs=1e-7)
        assert found["unsupplied"] == pytest.approx(0, abs=1e-7)


# -- knife edges --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("numbers", "lateral", "drive", "moment"),
    [
        ((12.0, 0.9, 0.25, 2.0, 1.5, 0.5625, -5.45454545454546), 19.6363636363636, 0, 0),
        ((3.0, 0.05, 0.4, -1.2, 2.2, 1.936, 5.97735849056604), -0.747169811320755, 0, 0),
        ((12.0, 0.9, 0.25, 2.0, 1.5, 0.7, -1.1), 32.7, 1.65, 7.185),
    ],
)
def test_chaplygin_sleigh(numbers, lateral, drive, moment):
    """Neimark & Fufaev 1972; Bloch, Nonholonomic Mechanics and Control, 2003, section 1.7."""
    model = known.chaplygin_sleigh()
    idyn = read(model)
    v, w, slip = idyn.speeds
    keys = [*model.parts["symbols"], v, w, v.diff(T), w.diff(T)]
    values = dict(zip(keys, numbers, strict=True))
    values |= dict.fromkeys([*idyn.coordinates, slip, slip.diff(T)], 0.0)
    found = run(idyn.program(("generalized_forces", "joint_wrenches", "unsupplied")), values)
    assert found["joint_wrenches"][1] == pytest.approx([0, lateral, 0, 0, 0, 0], abs=1e-9)
    assert found["generalized_forces"] == pytest.approx([drive, moment, 0], abs=1e-9)
    assert found["unsupplied"] == pytest.approx(0, abs=1e-9)


# -- speeds that move no body -------------------------------------------------------------------


@pytest.mark.parametrize("is_held", [True, False])
def test_speeds_that_move_no_body_change_no_wrench(is_held):
    """Of a place that follows from what rolls: equations define it, and need no force for that."""
    placed, plain = (known.dragged_bar(with_place, is_held) for with_place in (True, False))
    equations = Equations(placed)
    equations.move([0.7, -0.3][: 1 if is_held else 2])
    values = {str(x): value for x, value in equations.values.items()}
    idyn = read(plain)
    own = {x: values[str(x)] for symbols in idyn.inputs.values() for x in symbols}
    outputs = "joint_wrenches", "constraint_wrenches", "generalized_forces"
    expected = run(idyn.program(outputs), own)
    found = evaluated(read(placed), equations, *outputs)
    assert found.pop("generalized_forces")[:2] == pytest.approx(expected["generalized_forces"])
    for name, wrenches in found.items():
        assert wrenches == pytest.approx(expected[name], rel=1e-9, abs=1e-9), name


@pytest.mark.parametrize("with_loops", [True, False])
def test_speeds_that_move_no_body_follow_from_the_others(with_loops):
    model = known.dragged_bar()
    idyn = read(model, None if with_loops else [])
    q, u = np.array([0.2, 1.2, 0.3]), np.array([1.5, 0.0, 0.0])
    _, speeds, changes = idyn.close_motion(q, u, u, constants=model.values)
    radius, length = 0.4, 0.9
    bar = radius * 1.5 / (length * np.sin(1.2))
    assert speeds == pytest.approx([1.5, bar, radius * 1.5])
    assert changes == pytest.approx([1.5, bar - bar**2 / np.tan(1.2), radius * 1.5])
    program = idyn.program(("constraint_errors",))
    values = dict(zip([*idyn.coordinates, *idyn.speeds], [*q, *speeds], strict=True))
    values |= model.values | dict(zip(idyn.accelerations, changes, strict=True))
    assert run(program, values)["constraint_errors"] == pytest.approx(0, abs=1e-12)
    errors = run(program, values | {idyn.speeds[2]: 1.0})["constraint_errors"]
    assert abs(errors[1]).max() == pytest.approx(1 - radius * 1.5)


def test_constraints_without_a_place_besides_those_of_idle_speeds():
    model = known.dragged_bar()
    equations, idyn = Equations(model), read(model, [])
    equations.move([0.0])
    assert np.isfinite(evaluated(idyn, equations, "multipliers")["multipliers"]).tolist() == [1, 1]
    refused(lambda: idyn.program(("joint_wrenches",)), "loops")
    wrong = Contact("lift", *(model.parts[x] for x in ("ground", "bar", "tip")), [idyn.frame.z])
    with refusal("loops", TopologyError) as info:
        read(model, [wrong])
    assert str(info.value).count("no loop corresponds") == 1
    assert "the model has no constraint for lift" in str(info.value)


def test_a_place_that_is_defined_twice():
    """As doubled constraints are: who supplies is open, the joint's wrench is not."""
    chain = SerialChain([Segment("arm", 0.5, 2.0, inertia=0.1)], gravity=(0, -9.81, 0))
    system, (q,), (u,) = chain.system, chain.coordinates, chain.speeds
    values, outputs = {q: 0.3, u: 2.0, u.diff(T): 1.0}, ("joint_wrenches",)
    expected = run(InverseDynamics(system).program(outputs), values)["joint_wrenches"]
    x, v = dynamicsymbols("x v")
    system.add_coordinates(x)
    system.add_speeds(v)
    system.add_kdes(x.diff(T) - v)
    paid_out = v - (2 + cos(q)) * u
    system.add_nonholonomic_constraints(paid_out, sin(q) * paid_out)
    system.u_ind, system.u_dep = [u], [v]
    found = run(InverseDynamics(system).program(outputs), values)["joint_wrenches"]
    assert found == pytest.approx(expected)


# -- symbrim ------------------------------------------------------------------------------------


@pytest.mark.needs("symbrim")
def test_rolling_disc_of_symbrim():
    """Its place follows by constraints that move no body, so that the connection has the force."""
    grounds = importlib.import_module("symbrim.bicycle.grounds")
    tires, wheels = (
        importlib.import_module(f"symbrim.bicycle.{name}") for name in ("tires", "wheels")
    )
    disc = importlib.import_module("symbrim.other.rolling_disc").RollingDisc("disc")
    disc.ground, disc.wheel = grounds.FlatGround("ground"), wheels.KnifeEdgeWheel("wheel")
    disc.tire = tires.NonHolonomicTire("tire")
    disc.define_all()
    system, gravity = disc.to_system(), symbols("g")
    system.apply_uniform_gravity(gravity * disc.ground.frame.z)
    speeds = [*system.u]
    system.u_ind, system.u_dep = speeds[2:], speeds[:2]
    system.form_eoms()
    connections = [(disc.ground.frame, disc.wheel.body, disc.tire.contact_point)]
    model = known.Model(system.eom_method, connections)
    equations, idyn = Equations(model), read(model)
    center, up = disc.wheel.center, -disc.ground.frame.z
    weightless = center.vel(idyn.frame).dt(idyn.frame) + gravity * up
    force = (disc.wheel.body.mass * weightless).to_matrix(disc.wheel.frame)
    for given in ([0.0, 0.0, 0.0], [0.5, -0.2, 0.3]):
        equations.move(np.array(given))
        found = evaluated(idyn, equations, "joint_wrenches", *FORCES)
        assert found["generalized_forces"] == pytest.approx([*given, 0, 0], abs=1e-9)
        assert found["unsupplied"] == pytest.approx(0, abs=1e-9)
        (wrench,) = found["joint_wrenches"]
        expected = equations.numbers(force.xreplace(model.kane.kindiffdict()))[:, 0]
        assert wrench[:3] == pytest.approx(expected, abs=1e-9)
        if not any(given):  # nothing but the contact holds the disc
            assert wrench[3:] == pytest.approx(0, abs=1e-9)


def bicycle_of_symbrim():
    """Moore's bicycle that rolls on flat ground, and what a test wants to know of it."""
    module = importlib.import_module("symbrim.bicycle")
    bicycle = importlib.import_module("symbrim.bicycle.whipple_bicycle").WhippleBicycleMoore("bike")
    frames = [importlib.import_module(f"symbrim.bicycle.{x}_frames") for x in ("rear", "front")]
    bicycle.ground = module.FlatGround("ground")
    bicycle.rear_frame = frames[0].RigidRearFrameMoore("rear")
    bicycle.front_frame = frames[1].RigidFrontFrameMoore("front")
    for end in ("rear", "front"):
        setattr(bicycle, f"{end}_wheel", module.KnifeEdgeWheel(f"{end}_wheel"))
        setattr(bicycle, f"{end}_tire", module.NonHolonomicTire(f"{end}_tire"))
    bicycle.define_all()
    system, (q, u), gravity = bicycle.to_system(), (bicycle.q, bicycle.u), symbols("g")
    ground = bicycle.ground
    system.apply_uniform_gravity(gravity * ground.frame.z)
    kane = KanesMethod(
        ground.frame,
        [*q[:4], *q[5:]],
        [u[3], u[5], u[6]],
        kd_eqs=system.kdes,
        q_dependent=[q[4]],
        u_dependent=[*u[:3], u[4], u[7]],
        configuration_constraints=system.holonomic_constraints,
        velocity_constraints=system.velocity_constraints,
        bodies=system.bodies,
        forcelist=system.loads,
        constraint_solver="CRAMER",
        explicit_kinematics=False,
    )
    rear, front = bicycle.rear_frame, bicycle.front_frame
    bodies = [part.body for part in (bicycle.rear_wheel, rear, front, bicycle.front_wheel)]
    points = [bicycle.rear_tire.contact_point, rear.wheel_hub.point, front.steer_hub.point]
    points.append(bicycle.front_wheel.center)
    connections = [*zip([ground.frame, *bodies[:-1]], bodies, points, strict=True)]
    tyre = Contact("front tyre", ground.body, bodies[-1], bicycle.front_tire.contact_point)
    numbers = {
        "rear_wheel": {"mass": 2.0, "r": 0.3, "ixx": 0.06, "iyy": 0.12},
        "front_wheel": {"mass": 3.0, "r": 0.35, "ixx": 0.14, "iyy": 0.28},
        "rear": {"d1": 0.95, "l1": 0.5, "l2": -0.25},
        "rear_body": {"mass": 85.0},
        "front": {"d2": 0.27, "d3": 0.03, "l3": -0.01, "l4": -0.03},
        "front_body": {"mass": 4.0},
    }
    numbers["rear"] |= {"ixx": 9.2, "iyy": 11.0, "izz": 2.8, "izx": 2.4}
    numbers["front"] |= {"ixx": 0.059, "iyy": 0.06, "izz": 0.007, "izx": -0.0076}
    values = {symbols(f"{a}_{b}"): x for a, own in numbers.items() for b, x in own.items()}
    values[gravity] = 9.81
    start = {q[2]: 0.1, q[3]: 0.05, q[4]: 0.32, q[6]: 0.1}  # heading, lean, pitch, steering
    parts = {"bicycle": bicycle, "start": [start.get(x, 0.2) for x in kane.q], "bodies": bodies}
    return known.Model(kane, connections, [tyre], values, parts)


@pytest.mark.needs("symbrim")
def test_bicycle_of_symbrim_that_rides_upright():
    """Each wheel carries its part of the weight; axles and steering what is above them."""
    model = bicycle_of_symbrim()
    bicycle, bodies = model.parts["bicycle"], model.parts["bodies"]
    q, u, idyn = bicycle.q, bicycle.u, read(model)
    assert not idyn.undetermined
    values = model.values | dict.fromkeys(
        [*idyn.coordinates, *idyn.speeds, *idyn.accelerations], 0.0
    )
    pitch = symbols("pitch")
    height = model.kane._f_h[0].xreplace({**values, q[4]: pitch})
    values[q[4]] = float(nsolve(height, pitch, 0.3))
    values |= {u[0]: 4.0, u[5]: -4.0 / 0.3, u[7]: -4.0 / 0.35}
    found = run(idyn.program(("joint_wrenches", *FORCES, "constraint_errors")), values)
    for name in (*FORCES, "constraint_errors"):
        assert found[name] == pytest.approx(0, abs=1e-9)

    touching, frame = bicycle.rear_tire.contact_point, idyn.frame

    def ahead(point):
        return float(point.pos_from(touching).dot(frame.x).xreplace(values))

    weights = [9.81 * x for x in (2.0, 85.0, 4.0, 3.0)]
    moment = sum(x * ahead(body.masscenter) for x, body in zip(weights, bodies, strict=True))
    load = moment / ahead(bicycle.front_tire.contact_point)
    at_rear, on_fork = sum(weights) - load, load - weights[3]
    up = [at_rear, at_rear - weights[0], weights[2] - on_fork, -on_fork, load]
    children = [*bodies, bodies[-1]]
    for body, wrench, force in zip(children, found["joint_wrenches"], up, strict=True):
        turn = np.array(frame.dcm(body.frame).xreplace(values), dtype=float)
        assert turn @ wrench[:3] == pytest.approx([0, 0, -force], abs=1e-9)  # z points down


@pytest.mark.needs("symbrim")
def test_bicycle_of_symbrim_whose_front_tyre_only_carries():
    """What two equations say beyond the other two is one line, though it is two combinations."""
    model = bicycle_of_symbrim()
    tyre = model.loops[0]
    carrying = Contact("carrying", tyre.parent, tyre.child, tyre.child_point, [tyre.parent.z])
    with pytest.raises(ValueError, match="from the 4 constraints of the model with") as info:
        read(model, [carrying])
    assert str(info.value).count("\n- ") == 1


@pytest.mark.needs("symbrim")
@pytest.mark.slow  # the equations of motion are derived for ten seconds
def test_bicycle_of_symbrim_needs_the_forces_that_made_its_motion():
    model = bicycle_of_symbrim()
    equations = Equations(model)
    idyn = read(model)
    for given in ([0, 0, 0], [1.0, 2.0, 3.0]):
        equations.move(np.array(given))
        found = evaluated(idyn, equations, "joint_wrenches", *FORCES)
        assert found["generalized_forces"] == pytest.approx([*given, 0, 0, 0, 0, 0], abs=1e-7)
        assert found["unsupplied"] == pytest.approx(0, abs=1e-7)
        if not any(given):  # contacts transmit no moment, axles and steering none about their axes
            wrenches = found["joint_wrenches"]
            assert wrenches[[0, 4], 3:] == pytest.approx(0, abs=1e-7)
            assert wrenches[[1, 3], 4] == pytest.approx(0, abs=1e-7)
            assert wrenches[2, 5] == pytest.approx(0, abs=1e-7)
