"""Slopes where a formula chooses between values, one of which is NaN or has no finite slope."""

import numpy as np
import pytest
import sympy as sm
from bodies import rigid_body, system_of
from marks import few, slow
from scipy.special import spherical_jn
from selections import cases, crossings, free_fall, x, y
from sympy.physics.mechanics import Particle, System, dynamicsymbols

from jointwrench import CoupledJoint, ForwardDynamics, InverseDynamics
from jointwrench.mechanics.arithmetic.derivatives import adjoint_jacobian, hessian, jacobian
from jointwrench.mechanics.arithmetic.graph import Graph
from jointwrench.mechanics.arithmetic.output import Output
from jointwrench.mechanics.arithmetic.piecewise import Gate
from jointwrench.mechanics.arithmetic.program import Program
from jointwrench.mechanics.dynamics.outputs.inverse_outputs import input_groups
from jointwrench.mechanics.evaluation.compilation import compile_program

CASES = cases()
#: Every function and every choice, but not with each other.
SOME = dict(list(CASES.items())[::8])
HALF = sm.Rational(3, 2)


def slopes(formulas, backend="numpy"):
    """Return what evaluates formulas at x and y, and their slopes by all sweeps."""
    graph = Graph([x, y])
    values = [graph.scalar(formula) for formula in formulas]
    found = {"values": [[value] for value in values], "forward": jacobian(graph, values, [x, y])}
    found |= {"adjoint": adjoint_jacobian(graph, values, [x, y]), "second": []}
    for value in values:
        gradient, ((a,), (b, c)) = hessian(graph, value, [x, y])
        found["second"].append([*gradient, a, b, c])
    outputs = [
        Output.from_scalars(name, (len(rows), len(rows[0])), [x for row in rows for x in row])
        for name, rows in found.items()
    ]
    program = Program(graph, outputs, input_groups({"q": (x, y)}))
    evaluate = compile_program(program, backend=backend)
    return lambda x, y: evaluate(np.stack(np.broadcast_arrays(x, y), -1), (), ()).outputs


def by_sympy(formula, *at):
    """Return the value and its first and second slopes."""
    first = [formula.diff(x), formula.diff(y)]
    second = [first[0].diff(x), first[0].diff(y), first[1].diff(y)]
    where = dict(zip((x, y), (sm.Rational(str(value)) for value in at), strict=True))
    return [float(entry.subs(where)) for entry in (formula, *first, *second)]


def check(known, backend):
    """Compare with the formulas of what is chosen."""
    evaluate = slopes([formula for formula, *_ in known.values()], backend)
    for at in ((-0.2, 0.7), (0.0, 0.7)):
        found = evaluate(*at)
        for k, (name, (_, chosen, where)) in enumerate(known.items()):
            if at[0] in where:
                value, *own = by_sympy(chosen, *at)
                for way in ("forward", "adjoint"):
                    assert found[way][k] == pytest.approx(own[:2], abs=1e-15), (name, way, at)
                assert found["second"][k] == pytest.approx(own, abs=1e-15), (name, at)
                assert found["values"][k] == pytest.approx([value], abs=1e-15), (name, at)


@pytest.mark.parametrize(("backend", "each"), [*slow([("numpy", 1)]), ("c", 9)])
def test_what_is_not_chosen_has_no_say(backend, each):
    check(dict(list(SOME.items())[::each]), backend)


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["c", "numpy"])
def test_all(backend):
    check(CASES, backend)


@pytest.mark.parametrize("backend", few(["numpy", "c"], "numpy"))
def test_zeros_that_no_choice_makes(backend):
    """Slopes are those of what is chosen, also where that is zero; where it is not, zero."""
    known = crossings()
    evaluate = slopes([formula for formula, _ in known.values()], backend)
    within, left = evaluate(0.5, 0.7), evaluate(-0.2, 0.0)
    for k, (name, (_, plain)) in enumerate(known.items()):
        _, *own = by_sympy(plain, 0.5, 0.7)
        for way, number in (("forward", 2), ("adjoint", 2), ("second", 5)):
            assert within[way][k] == pytest.approx(own[:number], abs=1e-14), (name, way)
            assert not left[way][k].any(), (name, way)


# -- the laws of a foot ---------------------------------------------------------------------------


@pytest.mark.parametrize("law", ["Piecewise", "Max", "product"])
@pytest.mark.usefixtures("numpy_by_default")
def test_a_ball_in_the_air(law):
    """It falls, whatever the floor is; it can be linearised, and its motion differentiated."""
    fdyn = ForwardDynamics(free_fall(law))
    numbers = {"stiffness": 1000.0, "damping": 0.1}
    assert pytest.approx(np.array([[0, 1], [0, 0]])) == fdyn.linearize([3.0], [0.0], numbers).A
    wrt = ["q", "u", "constants"]
    evaluate = fdyn.compile("udot", second_derivatives=wrt, backend="numpy")
    result = evaluate([3.0], [0.0], constants=numbers, weights=[1.0])
    assert result.weighted_sum == pytest.approx(-9)
    assert not result.gradient.any()
    assert not result.hessian.any()
    motion = fdyn.simulate([0, 0.1, 0.2], [3.0], [0.0], numbers, sensitivities=["q"])
    assert motion.derivative("q", "q")[:, 0, 0] == pytest.approx(1)


@pytest.mark.parametrize("power", [HALF, 2.5])
def test_a_path_that_begins_to_rise(power):
    """Velocities and accelerations are those of the straight part, where it is straight."""
    ground, body, q = rigid_body("ground"), Particle("body", mass=2), dynamicsymbols("q")
    path = [q, sm.Max(0, q) ** power, 0]
    joint = CoupledJoint("path", ground, body, [q], translation=path)
    system = system_of(ground, joint, gravity=-9 * ground.y)
    idyn = InverseDynamics(system)
    evaluate = idyn.compile("generalized_forces", derivatives=["q", "u"], backend="numpy")
    result = evaluate([-2.0], [0.5], [0.7])
    assert result.generalized_forces == pytest.approx([1.4])
    for wrt in ("q", "u"):
        assert result.derivative("generalized_forces", wrt) == pytest.approx(0)


Q, T = dynamicsymbols("q"), dynamicsymbols._t


def series(x):
    return sum((-1) ** k * x ** (2 * k) / sm.factorial(2 * k + 1) for k in range(9))


#: Paths, what they are near some coordinates, and these: a function at its removable
#: singularity or beside its steps, a corner that powers round.
PATHS = {
    "sinc": (sm.sinc(Q), series(Q), (0.0, 1e-9, -1e-4, 0.3, 0.999)),
    "sinc of 2 q": (sm.sinc(2 * Q) * Q, series(2 * Q) * Q, (0.0, 0.02, 0.6)),
    "sinc of sinc": (sm.sinc(1 - sm.sinc(Q)), series(1 - series(Q)), (0.0, 0.3)),
    "sinc with time": (sm.sinc(Q + T), series(Q + T), (0.0, 0.3)),
    "floor": (Q**2 * sm.floor(Q + 2.5), 2 * Q**2, (0.0, 0.3)),
    "ceiling": (Q**2 * sm.ceiling(Q + 1.5), 2 * Q**2, (0.0, 0.3)),
    "frac": (sm.frac(Q + HALF / 3) ** 2, (Q + HALF / 3) ** 2, (0.0, 0.3)),
    "Mod": (sm.Mod(Q + 7, 2) ** 2, (Q + 1) ** 2, (0.0, 0.3)),
    "Mod of a number": (sm.Mod(5, 2 - Q) ** 2, (1 + 2 * Q) ** 2, (0.0, 0.3)),
    "sign": (Q**2 * sm.sign(Q), Q**2, (0.3,)),
    "Heaviside": (Q**2 * sm.Heaviside(Q), Q**2, (0.3,)),
    "Abs": (sm.Abs(Q), -Q, (-0.3,)),
    "Abs cubed": (sm.Abs(Q) ** 3, Q**4, (0.0,)),
    "Max cubed": (sm.Max(0, Q) ** 3, Q**4, (0.0,)),
    "Min squared": (Q * sm.Min(0, Q) ** 2, Q**3, (-0.3, 0.0)),
}


def along(paths):
    """Return the generalized forces of bodies on paths that turn them too, with their slopes."""
    ground = rigid_body("ground")
    system = System.from_newtonian(ground)
    for k, path in enumerate(paths):
        rod, q = rigid_body(f"rod{k}", 2, 1, 2, 3), dynamicsymbols(f"q{k}")
        own = path.xreplace({Q: q})
        way = {"translation": [own, 0, q], "rotations": [(own, "z")]}
        system.add_joints(CoupledJoint(f"path{k}", ground, rod, [q], **way, child_point=rod.x))
    system.apply_uniform_gravity(-9 * ground.x)
    evaluate = InverseDynamics(system).compile(
        "generalized_forces", derivatives=["u", "udot"], backend="numpy"
    )
    one = np.ones(len(paths))

    def forces(q):
        found = evaluate(q * one, 0.7 * one, 0.4 * one, times=0.0)
        slopes = [found.derivative("generalized_forces", wrt) for wrt in ("u", "udot")]
        return np.column_stack([found.generalized_forces, *map(np.diagonal, slopes)])

    return forces


@pytest.mark.parametrize("start", few(range(4), 0))
def test_paths_move_as_what_they_are_there(start):
    names = [*PATHS][start::4]
    odd, plain, places = zip(*(PATHS[name] for name in names), strict=True)
    found, expected = along(odd), along(plain)
    for q in sorted(set().union(*places)):
        ours, theirs = found(q), expected(q)
        for k, (name, at) in enumerate(zip(names, places, strict=True)):
            if q in at:
                assert ours[k] == pytest.approx(theirs[k], rel=1e-12, abs=1e-15), (name, q)


# -- what is decided ------------------------------------------------------------------------------


def test_what_is_zero_at_one_state_is_kept():
    """A slope that is zero where random numbers are is not zero everywhere."""
    far, same = sm.Piecewise(((x - 2) ** HALF, x > 2), (x, True)), x
    found = slopes([far - same, sm.Max(0, x - 3) ** 2])(6.0, 0.0)
    assert found["second"][0] == pytest.approx([2, 0, 0.375, 0, 0])
    fdyn = ForwardDynamics(free_fall("Piecewise"))
    numbers = {"stiffness": 1.0, "damping": 0.0}
    evaluate = fdyn.compile("udot", numbers, second_derivatives=["q"], backend="numpy")
    for height, gradient, curvature in ((-4.0, -3.0, 0.375), (1.0, 0.0, 0.0)):
        result = evaluate([height], [0.0], weights=[2.0])
        assert result.gradient == pytest.approx([gradient])
        assert result.hessian == pytest.approx([curvature])


def test_one_choice_is_one_selection():
    """A force in many products is selected once for each direction, not in each product."""
    graph, d = Graph([x, y]), sm.Symbol("d")
    graph.bind(d, graph.scalar(sm.sin(x) * y))
    force = graph.scalar(sm.Piecewise((d**HALF, d > 0), (0, True)))
    values = [force * graph.scalar(sm.sin(k * x)) for k in range(1, 9)]
    rows = jacobian(graph, values, [x, y])
    needed = graph.needed(entry.ref for row in rows for entry in row)
    functions = [getattr(graph.operations[ref], "function", None) for ref in needed]
    assert functions.count(Gate) == 2


def test_where_nothing_is_chosen_the_slope_is_nan():
    evaluate = slopes([sm.Piecewise((x**2, x > 0), (0, x < -1))])
    found = evaluate([-0.5, -2.0, 3.0], 0.0)
    for way in ("forward", "adjoint", "second"):
        assert found[way][:, 0, 0] == pytest.approx([np.nan, 0, 6], nan_ok=True)


# -- rules that sympy does not have ---------------------------------------------------------------


def test_steps():
    steps = {sm.floor(x): 0, sm.ceiling(x): 0, sm.frac(2 * x): 2, sm.Mod(x, 1): 1}
    steps |= {sm.Mod(3 * x, y): 3, sm.Mod(y, x): -2}
    found = slopes(steps)(1.3, 3.2)
    for way in ("forward", "adjoint", "second"):
        assert found[way][:, 0] == pytest.approx(list(steps.values()))
    assert found["forward"][4, 1] == -1
    assert not found["second"][:, 2:].any()


def test_sinc():
    """It is the spherical Bessel function j0; as exact near zero as elsewhere."""
    at = np.array([0.0, -1e-9, 1e-4, -0.3, 0.999, 1.001, -2.5, 40.0])
    found = slopes([sm.sinc(x), sm.sinc(x * y)])(at, 1.0)
    first = np.sign(at) * spherical_jn(0, abs(at), derivative=True)  # it is odd; scipy 1.11: x >= 0
    second = -spherical_jn(1, abs(at), derivative=True)
    for way in ("forward", "adjoint", "second"):
        assert found[way][:, 0, 0] == pytest.approx(first, rel=1e-13, abs=0)
    assert found["second"][:, 0, 2] == pytest.approx(second, rel=1e-12)
    assert found["second"][:, 1, 3] == pytest.approx(first + at * second, rel=1e-12, abs=0)


@pytest.mark.parametrize("backend", ["numpy", "c"])
def test_the_arc_cotangent_of_zero(backend):
    """It is pi / 2 as sympy has it, whichever sign zero has."""
    found = slopes([sm.acot(x - y)], backend)(np.array([0.5, 0.5, 2.5]), np.array([0.5, 2.5, 0.5]))
    expected = np.array([sm.pi / 2, -sm.acot(2), sm.acot(2)], float)
    assert found["values"].ravel() == pytest.approx(expected)
    assert found["forward"][:, 0, 0] == pytest.approx([-1, -0.2, -0.2])
