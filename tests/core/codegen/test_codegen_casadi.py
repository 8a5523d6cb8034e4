"""C files that CasADi loads: its values and Jacobians are those of the Evaluator."""

import os
import subprocess

import numpy as np
import pytest
import sympy.physics.mechanics as me
from bodies import rigid_body, system_of
from example_scripts import example
from scipy.integrate import trapezoid
from selections import free_fall
from sympy import sin, symbols

from jointwrench import ForwardDynamics, InverseDynamics, SerialChain
from jointwrench.mechanics.codegen.toolchain.compiler import find_compiler

CASADI = pytest.mark.needs("casadi")
FLAGS = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-O1", "-fPIC", "-shared"]


@pytest.fixture(scope="module")
def chain():
    return SerialChain.planar(2, gravity=(0, -9.81, 0), actuated=True)


@pytest.fixture
def load(tmp_path):
    """Return what writes, compiles and loads a function of CasADi."""
    import casadi

    compiler = find_compiler()
    if compiler is None or os.name == "nt":
        pytest.skip("needs a C compiler with flags of gcc and clang")

    def load(model, name, *arguments, **options):
        (path,) = model.write_casadi(tmp_path / name, *arguments, **options)
        library = str(tmp_path / f"{name}.so")
        subprocess.run([compiler, *FLAGS, str(path), "-o", library, "-lm"], check=True)
        return casadi.external(name, library)

    return load


def samples(f):
    """Return a random value of each input."""
    rng = np.random.default_rng(3)
    return {f.name_in(k): rng.uniform(0.5, 1.5, f.size1_in(k)) for k in range(f.n_in())}


def evaluated(model, outputs, values, **options):
    """Return what the Evaluator makes of the same values, with all derivatives."""
    names = [name for name in values if name != "times"]
    evaluate = model.compile(outputs, derivatives=names, backend="numpy", **options)
    numbers = options.get("constants", {})
    free = [symbol for symbol in model.constants if symbol not in numbers]
    given = dict(values)
    for name, own in (("constants", free), ("specifieds", model.specifieds)):
        given[name] = dict(zip(own, given.get(name, ()), strict=True))
    return evaluate(**given)


def columns(array, axes):
    """Return an array whose first axes are those of a matrix, these as one, column by column."""
    rest = array.shape[axes:]
    return np.moveaxis(array, range(axes), reversed(range(axes))).reshape(-1, *rest)


def assert_same(model, function, outputs, **options):
    """All values and all blocks of the Jacobian agree."""
    values = samples(function)
    expected = evaluated(model, outputs, values, **options)
    results = function.call([values[name] for name in values])
    for name, result in zip(outputs, results, strict=True):
        own = getattr(expected, name)
        assert np.array(result).reshape(own.shape) == pytest.approx(own, rel=1e-12)
    slopes = iter(function.jacobian().call([*values.values(), *results]))
    for name in outputs:
        axes = getattr(expected, name).ndim
        for wrt in values:
            block, own = next(slopes), columns(expected.derivative(name, wrt), axes)
            assert np.array(block.full()) == pytest.approx(own, rel=1e-11, abs=1e-12)


@CASADI
def test_inverse_dynamics(chain, load):
    idyn = InverseDynamics(chain.system)
    outputs = ("generalized_forces", "joint_wrenches")
    function = load(idyn, "arm", outputs)
    assert [function.name_in(k) for k in range(5)] == ["q", "u", "udot", "constants", "specifieds"]
    assert function.size_out("joint_wrenches") == (2, 6)
    assert_same(idyn, function, outputs)


@CASADI
def test_forward_dynamics(chain, load):
    """Constants that become numbers are no input; what is zero is not stored."""
    fdyn = ForwardDynamics(chain.system)
    numbers = dict.fromkeys(fdyn.constants, 1.5)
    function = load(fdyn, "forward", ("udot", "qdot"), constants=numbers)
    assert [function.name_in(k) for k in range(3)] == ["q", "u", "specifieds"]
    assert function.jacobian().sparsity_out("jac_qdot_u").nnz() == 2
    assert_same(fdyn, function, ("udot", "qdot"), constants=numbers)


@CASADI
def test_within_an_expression(chain, load):
    """CasADi's chain rule passes through; an input that is left out counts as zero."""
    import casadi

    fdyn = ForwardDynamics(chain.system)
    function = load(fdyn, "chain", "udot", constants=dict.fromkeys(fdyn.constants, 1.0))
    torque = casadi.MX.sym("torque")
    state = casadi.DM([0.3, -0.2])
    total = casadi.sum1(function(state, casadi.DM(2, 1), casadi.vertcat(torque**2, 0)))
    slope = casadi.Function("slope", [torque], [casadi.gradient(total, torque)])
    step = 1e-6
    values = [
        fdyn.compile(constants=dict.fromkeys(fdyn.constants, 1.0), backend="numpy")(
            [0.3, -0.2], [0, 0], specifieds=dict(zip(fdyn.specifieds, (x**2, 0), strict=True))
        ).udot.sum()
        for x in (2 - step, 2 + step)
    ]
    assert float(slope(2)) == pytest.approx((values[1] - values[0]) / (2 * step), rel=1e-7)


@CASADI
def test_a_load_that_depends_on_time(load):
    m, k = symbols("m k")
    ground, block = rigid_body("ground"), me.Particle("block", mass=m)
    system = system_of(ground, me.PrismaticJoint("slide", ground, block))
    system.add_loads(me.Force(block, k * sin(me.dynamicsymbols._t) * ground.x))
    function = load(ForwardDynamics(system), "block", "udot")
    q, u, (stiffness, mass), time = 0.1, 0.2, (3.0, 2.0), 0.5
    assert float(function(q, u, [stiffness, mass], time)) == pytest.approx(1.5 * np.sin(0.5))
    slopes = function.jacobian()(q, u, [stiffness, mass], time, 0)
    assert [float(slopes[0].nnz()), float(slopes[3])] == pytest.approx([0, 1.5 * np.cos(0.5)])


@CASADI
@pytest.mark.parametrize("law", ["Piecewise", "Max"])
def test_a_ball_in_the_air(law, load):
    """The floor that it does not touch has no say in any derivative."""
    import casadi

    function = load(ForwardDynamics(free_fall(law)), "ball", "udot", second_derivatives=True)
    state = casadi.MX.sym("state", 4)
    (value,) = function.call(casadi.vertsplit(state, [0, 1, 2, 4]))
    hessian, gradient = casadi.hessian(value, state)
    found = casadi.Function("both", [state], [value, gradient, hessian])([3, 1, 1000, 0.1])
    assert [abs(np.array(part)).max() for part in found] == [9, 0, 0]
    slopes = function.jacobian()(3, 1, [1000, 0.1], 0)
    assert not any(np.array(part).any() for part in slopes)


def test_the_interface_tells_how_to_compile(chain, tmp_path):
    (path,) = InverseDynamics(chain.system).write_casadi(tmp_path / "arm")
    assert [file.name for file in tmp_path.iterdir()] == ["arm.c"]
    text = path.read_text()
    assert "cc -O2 -fPIC -shared arm.c -lm -o arm.so" in text
    assert 'casadi.external("arm", casadi.Importer("arm.c", "shell"))' in text
    assert max(map(len, text.splitlines())) < 400


@CASADI
class TestSecondDerivatives:
    def test_hessian(self, chain, load):
        """The gradient of a weighted sum and its Jacobian, by all inputs and by the weights."""
        import casadi

        idyn, outputs = InverseDynamics(chain.system), ("mass_matrix", "joint_wrenches", "bias")
        f = load(idyn, "arm", outputs, second_derivatives=True)
        assert f.reverse(1).name() == "adj1_arm"
        values = samples(f)
        names = ["q", "u", "constants"]
        inputs = [casadi.MX.sym(name, len(value)) for name, value in values.items()]
        weights = [np.random.default_rng(k).normal(size=f.size_out(k)) for k in range(len(outputs))]
        results = f.call(inputs)
        total = sum(casadi.sum2(casadi.sum1(w * x)) for w, x in zip(weights, results, strict=True))
        x = casadi.vertcat(*(inputs[list(values).index(name)] for name in names))
        hessian, gradient = casadi.hessian(total, x)
        both = casadi.Function("both", inputs, [gradient, hessian])
        found = [np.array(part) for part in both(*values.values())]
        evaluate = idyn.compile(outputs, second_derivatives=names, backend="numpy")
        given = {
            **{name: values[name] for name in ("q", "u", "udot")},
            "constants": dict(zip(idyn.constants, values["constants"], strict=True)),
            "specifieds": dict(zip(idyn.specifieds, values["specifieds"], strict=True)),
            "weights": dict(zip(outputs, (*weights[:2], weights[2][:, 0]), strict=True)),
        }
        expected = evaluate(**given)
        assert found[0].ravel() == pytest.approx(expected.gradient, rel=1e-12)
        assert found[1] == pytest.approx(evaluate.dense(expected.hessian), rel=1e-11, abs=1e-12)


@CASADI
@pytest.mark.slow
def test_swing_up(tmp_path, capsys):
    pytest.importorskip("matplotlib")
    times, angle, speed, torque, force = example("swing_up").main(tmp_path / "picture.png")
    assert (tmp_path / "picture.png").stat().st_size > 10_000
    assert [angle[0], angle[-1], speed[0], speed[-1]] == pytest.approx([0, np.pi, 0, 0], abs=1e-9)
    assert abs(torque).max() <= 2.0 + 1e-6
    assert trapezoid(torque * speed, times) == pytest.approx(2 * 9.81, rel=2e-3)  # the height
    newton = speed**2 + 9.81 * np.cos(angle), 9.81 * np.sin(angle)
    rate = torque - newton[1]  # of m = l = 1; across the rod the bearing gives m (rate + g sin)
    assert force == pytest.approx(np.hypot(newton[0], rate + newton[1]), abs=1e-9)
    assert "work of the motor: 19.6" in capsys.readouterr().out


@CASADI
@pytest.mark.slow
def test_gentle_arm(tmp_path, capsys):
    pytest.importorskip("matplotlib")
    script = example("gentle_arm")
    fast, gentle = script.main(tmp_path / "picture.png")
    assert (tmp_path / "picture.png").stat().st_size > 10_000
    assert gentle.load.max() == pytest.approx(script.MOST_FORCE, rel=1e-6)
    assert fast.load.max() > 2 * script.MOST_FORCE
    assert fast.duration < gentle.duration < 1.15 * fast.duration
    for swing in (fast, gentle):
        assert (abs(swing.torques) <= np.array(script.MOST_TORQUES) + 1e-5).all()
        assert swing.q[[0, -1]] == pytest.approx(np.array([script.START, script.END]), abs=1e-8)
        assert swing.result.generalized_forces == pytest.approx(swing.torques, abs=1e-9)
    is_full = np.isclose(abs(fast.torques), script.MOST_TORQUES, rtol=1e-3)
    assert is_full.mean() > 0.9  # the fastest way is always at a limit
    assert "9 % more time, 0.41 times the force" in capsys.readouterr().out
