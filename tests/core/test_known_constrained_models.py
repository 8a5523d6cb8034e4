"""Models of sympy, PyDy and opty that have constraints: their motion and their forces."""

import json
from pathlib import Path

import constrained_models as known
import numpy as np
import pytest
from classical import on_centers
from marks import few, slow
from numeric import run
from refusals import refusal, refused
from sympy import Derivative, Matrix, cos, lambdify, sin
from sympy.core.function import AppliedUndef
from sympy.physics.mechanics import dynamicsymbols

from jointwrench import Contact, InverseDynamics, Segment, SerialChain
from jointwrench.mechanics.mechanism.tree import TopologyError

pytestmark = pytest.mark.usefixtures("numpy_by_default")

T = dynamicsymbols._t

MODELS = {
    "rolling disc with places": known.rolling_disc_with_places,
    "snakeboard": known.snakeboard,
    "dragged bar": known.dragged_bar,
    "four-bar": known.four_bar_of_kanes_method,
}
FORCES = ("generalized_forces", "unsupplied")


class Equations:
    """A KanesMethod's equations of motion in numbers: what the inverse dynamics is held against."""

    def __init__(self, model, seed=1):
        kane = self.kane = model.kane
        if not kane._fr:
            kane.kanes_equations(kane.bodies, kane.loads or None)
        rates = kane.kindiffdict()
        self.mass = kane.mass_matrix.xreplace(rates)
        self.forcing = kane.forcing.doit().xreplace(rates)
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


@pytest.mark.parametrize("name", [*list(MODELS)[:2], *slow([*MODELS, "bicycle"][2:])])
def test_forces_return_that_made_the_motion(name):
    """At the independent speeds; none is missing, and none where the model moves by itself."""
    model = MODELS.get(name, known.whipple_bicycle)()
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


@pytest.mark.parametrize("name", few(MODELS, "dragged bar"))
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


def test_contact_force_by_auxiliary_speeds():
    """As in sympy's documentation: the reactions solve the equations of the auxiliary speeds."""
    model = known.rolling_disc_of_sympy(with_auxiliary=True)
    kane, forces = model.kane, model.parts["forces"]
    kane.kanes_equations(kane.bodies, kane.loads)
    equations = kane.auxiliary_eqs.xreplace(kane.kindiffdict())
    with pytest.warns(UserWarning, match="auxiliary"):
        idyn = read(model)
    symbols = [*idyn.coordinates, *idyn.speeds, *idyn.accelerations]
    values = dict(zip(symbols, np.random.default_rng(3).uniform(0.2, 0.8, 9), strict=True))
    values |= model.values
    at = {x: values.get(x, 0) for x in equations.atoms(AppliedUndef, Derivative)} | model.values
    at |= dict(zip(forces, forces, strict=True))
    left = equations.xreplace(at)
    reactions = np.array(left.jacobian(forces).LUsolve(-left.subs(dict.fromkeys(forces, 0))))
    disc = model.parts["disc"]
    axes = Matrix.hstack(*(axis.to_matrix(disc.frame) for axis in model.parts["axes"]))
    expected = np.array(axes.xreplace(values), dtype=float) @ reactions[:, 0].astype(float)
    wrench = run(idyn.program(("joint_wrenches",)), values)["joint_wrenches"][0]
    assert wrench[:3] == pytest.approx(expected)


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


# -- knife edges --------------------------------------------------------------------------------


SLEIGH = Path(__file__).parents[1] / "data" / "nonholonomic_chaplygin_sleigh.json"


@pytest.mark.parametrize("sample", json.loads(SLEIGH.read_text())["samples"])
def test_chaplygin_sleigh(sample):
    """Neimark & Fufaev 1972; Bloch, Nonholonomic Mechanics and Control, 2003, section 1.7."""
    model = known.chaplygin_sleigh()
    idyn = read(model)
    v, w, slip = idyn.speeds
    names = dict(zip("mIa", model.parts["symbols"], strict=True))
    names |= {"v": v, "w": w, "vdot": v.diff(T), "wdot": w.diff(T)}
    values = {symbol: sample[name] for name, symbol in names.items()}
    values |= dict.fromkeys([*idyn.coordinates, slip, slip.diff(T)], 0.0)
    found = run(idyn.program(("generalized_forces", "joint_wrenches", "unsupplied")), values)
    lateral = [0, sample["lateral_force"], 0, 0, 0, 0]
    assert found["joint_wrenches"][1] == pytest.approx(lateral, abs=1e-9)
    drive = [sample["drive_force"], sample["drive_moment"], 0]
    assert found["generalized_forces"] == pytest.approx(drive, abs=1e-9)
    assert found["unsupplied"] == pytest.approx(0, abs=1e-9)


# -- speeds that move no body -------------------------------------------------------------------


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
