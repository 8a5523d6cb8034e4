"""Reactions along a simulation by PyDy's System, with its values, formats and auxiliary columns."""

from functools import partial

import numpy as np
import pytest
import sympy.physics.mechanics as me
from numpy.testing import assert_allclose
from pydy.system import System as PydySystem
from refusals import refused
from scipy.integrate import solve_ivp
from sympy import lambdify, symbols

from jointwrench import ForwardDynamics

pytestmark = pytest.mark.filterwarnings("ignore:the auxiliary speeds")

close = partial(assert_allclose, rtol=1e-10, atol=1e-11)

HAS_OUTPUTS = hasattr(PydySystem, "evaluate_outputs")  # since 0.10

m, l, g = symbols("m l g")
q, u, ux, uy, fx, fy, T, H = me.dynamicsymbols("q u ux uy fx fy T H")
NUMBERS = {m: 2.0, l: 1.5, g: 9.81}
TIMES = np.linspace(0, 1, 51)
EXACTLY = {"rtol": 1e-10, "atol": 1e-10}


def thrown_rod(is_auxiliary=True):
    """A rod on a pivot, whose reaction forces fx and fy auxiliary speeds reveal."""
    N, A, O, C = me.ReferenceFrame("N"), me.ReferenceFrame("A"), me.Point("O"), me.Point("C")
    A.orient_axis(N, q, N.z)
    A.set_ang_vel(N, u * N.z)
    O.set_vel(N, ux * N.x + uy * N.y if is_auxiliary else 0)
    C.set_pos(O, l / 2 * A.x)
    C.v2pt_theory(O, N, A)
    rod = me.RigidBody("rod", C, A, m, (me.inertia(A, 0, 0, m * l**2 / 12), C))
    loads = [(C, -m * g * N.y), (A, (T + 2 * H) * N.z)]
    loads += [(O, fx * N.x + fy * N.y)] if is_auxiliary else []
    speeds = [ux, uy] if is_auxiliary else None
    kane = me.KanesMethod(N, [q], [u], [q.diff() - u], u_auxiliary=speeds)
    kane.kanes_equations([rod], loads)
    return kane


def torque(x, t):
    return 4 * np.sin(t) - 0.2 * x[1]


#: Both formats of PyDy, with a default, arrays and functions.
SPECIFIEDS = {
    "single": {T: torque, H: 0.3},
    "a tuple": {(H, T): lambda x, t: np.array([0.3, torque(x, t)])},
    "a tuple of numbers": {(T, H): [1.0, 0.3]},
    "default": {T: torque},
    "an array": {"symbols": (H, T), "values": np.array([0.3, 1.0])},
    "a function": {"symbols": [T, H], "values": lambda x, t: np.array([torque(x, t), 0.3])},
    "none": {},
}


def simulated(specifieds, kane=None, kind=PydySystem, constants=NUMBERS, **more):
    """Return PyDy's System and its states."""
    options = {"constants": dict(constants), "specifieds": specifieds, "times": TIMES}
    method = thrown_rod() if kane is None else kane
    system = kind(method, **options, initial_conditions={q: 0.4}, **more)
    return system, system.integrate(**EXACTLY)


def accelerations(system, x):
    """Return what PyDy's own right-hand side makes of each state."""
    found = []

    def solver(rhs, start, times, args=()):
        found.extend(rhs(row, time, *args)[1] for row, time in zip(x, times, strict=True))

    system.ode_solver = solver
    system.integrate()
    return np.array(found)


def forces_of_auxiliary_equations(system, x, udot):
    """Return fx and fy, which solve KanesMethod's auxiliary equations."""
    method, constants = system.eom_method, {**dict.fromkeys(NUMBERS, 1.0), **system.constants}
    equations = method.auxiliary_eqs
    found = equations.jacobian([fx, fy]).LUsolve(-equations.subs({fx: 0, fy: 0}))
    function = lambdify([q, u, u.diff()], found.subs(constants), "numpy")
    return np.stack(np.broadcast_arrays(*function(*x.T, udot)[:, 0]), axis=-1)


@pytest.mark.parametrize("form", SPECIFIEDS)
def test_values_are_those_of_the_system(form):
    """Both formats of f(x, t), and PyDy's defaults: 1 for constants and 0 for specifieds."""
    system, x = simulated(SPECIFIEDS[form], constants={m: 2.0, g: 9.81})
    result = ForwardDynamics(system).reactions(system.times, x)
    udot = accelerations(system, x)
    assert abs(udot).max() > 1
    close(result.udot[:, 0], udot)
    wrench = result.joint_wrench("rod", frame=system.eom_method._inertial)
    close(wrench[:, :2], forces_of_auxiliary_equations(system, x, udot))


def test_values_at_present():
    system, x = simulated({T: torque})
    fdyn = ForwardDynamics(system)
    before = fdyn.reactions(TIMES, x).joint_wrenches
    system.constants[m] = 4.0
    system.specifieds = {T: lambda x, t: 2 * torque(x, t)}
    close(fdyn.reactions(TIMES, x).joint_wrenches, 2 * before)


def test_arguments_override_values():
    system, x = simulated({(T, H): lambda x, t: np.array([torque(x, t), 0.3])})
    fdyn = ForwardDynamics(system)
    before = fdyn.reactions(TIMES, x).joint_wrenches
    close(fdyn.reactions(TIMES, x, {"l": 1.5}).joint_wrenches, before)
    changed = fdyn.reactions(TIMES, x, {m: 4.0}, {"T": lambda t, x: 2 * torque(x, t), H: 0.6})
    close(changed.joint_wrenches, 2 * before)
    refused(lambda: fdyn.reactions(TIMES, x, {"k": 1.0}), "constants")
    refused(lambda: fdyn.reactions(TIMES, x, None, {"F": 1.0}), "specifieds")


def test_a_constant_that_pydy_does_not_know():
    """A bead's weight does no work on a level rail, but the rail bears it."""
    N, P = me.ReferenceFrame("N"), me.Point("P")
    O = me.Point("O")
    O.set_vel(N, 0)
    P.set_pos(O, q * N.x)
    P.set_vel(N, u * N.x)
    kane = me.KanesMethod(N, [q], [u], [q.diff() - u])
    kane.kanes_equations([me.Particle("bead", P, m)], [(P, -m * g * N.y + T * N.x)])
    system, x = simulated({T: 2.0}, kane, constants={m: 2.0})
    fdyn = ForwardDynamics(system)
    refused(lambda: fdyn.reactions(TIMES, x), "constants")
    result = fdyn.reactions(TIMES, x, {g: 9.81})
    close(result.joint_wrench("bead", frame=N)[:, 1], 2 * 9.81)
    close(result.udot, 1.0)


class Wider(PydySystem):
    """A System whose states have the impulse of an output after the speeds, as PyDy 0.10's have."""

    @property
    def states(self):
        return [*super().states, symbols("impulse")]


def test_columns_of_impulses():
    system, x = simulated({T: torque})
    expected = ForwardDynamics(system).reactions(TIMES, x).joint_wrenches
    wider = Wider(system.eom_method, constants=NUMBERS, specifieds={T: torque}, times=TIMES)
    fdyn, rows = ForwardDynamics(wider), np.column_stack([x, np.cumsum(x[:, 0])])
    for states in (rows, x):
        close(fdyn.reactions(TIMES, states).joint_wrenches, expected)
    found = fdyn.reactions(TIMES, np.stack([rows, rows])).joint_wrenches
    close(found, [expected, expected])
    run = solve_ivp(lambda t, x: [x[1], 0 * t, 1.0], (0, 1), [0.1, 0.2, 0.0])
    narrow = solve_ivp(lambda t, x: [x[1], 0 * t], (0, 1), [0.1, 0.2], t_eval=run.t)
    close(fdyn.reactions(None, run).joint_wrenches, fdyn.reactions(None, narrow).joint_wrenches)
    refused(lambda: fdyn.reactions(TIMES, np.column_stack([rows, rows])), "states")
    rows[3, 2] = np.nan
    assert "impulse is nan" in str(refused(lambda: fdyn.reactions(TIMES, rows), "states"))


def test_functions_of_impulses():
    """PyDy's functions receive the state as PyDy has it; what is missing is not invented."""
    method = thrown_rod(is_auxiliary=False)
    wider = Wider(method, constants=NUMBERS, specifieds={T: lambda x, t: x[2]}, times=TIMES)
    fdyn, rows = ForwardDynamics(wider), np.column_stack([TIMES, 0 * TIMES, 3 * TIMES])
    by_hand = fdyn.reactions(TIMES, rows, specifieds={T: lambda t: 3 * t})
    close(fdyn.reactions(TIMES, rows).joint_wrenches, by_hand.joint_wrenches)
    refused(lambda: fdyn.reactions(TIMES, rows[:, :2]), "specifieds")
    wider.specifieds = {T: lambda x, t: [1.0, 2.0]}
    refused(lambda: fdyn.reactions(TIMES, rows), "specifieds")


def test_with_stated_connections():
    system, x = simulated({T: torque})
    kane = system.eom_method
    (rod,) = kane.bodies
    pivot = next(p for p, _ in kane.loads if isinstance(p, me.Point) and p is not rod.masscenter)
    stated = ForwardDynamics.from_kane(system, [(kane._inertial, rod, pivot)])
    expected = ForwardDynamics(system).reactions(TIMES, x)
    close(stated.reactions(TIMES, x).joint_wrenches, expected.joint_wrenches)


@pytest.mark.skipif(not HAS_OUTPUTS, reason="PyDy 0.10 computes noncontributing forces")
@pytest.mark.parametrize("form", SPECIFIEDS)
def test_equals_noncontributing_forces(form):
    system, x = simulated(SPECIFIEDS[form], noncontributing_forces=[fx, fy])
    assert x.shape == (len(TIMES), 4)
    result = ForwardDynamics(system).reactions(TIMES, x)
    wrench = result.joint_wrench("rod", frame=system.eom_method._inertial)
    close(wrench[:, :2], system.evaluate_outputs(x))
    close(wrench[:, 2:], 0)
