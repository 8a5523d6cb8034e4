"""Kernels within jax, torch and numba: the evaluator's numbers, and exact derivatives of them."""

import importlib
import pickle
from types import SimpleNamespace

import numpy as np
import pytest
from bodies import rigid_body, system_of
from numpy.testing import assert_array_equal
from refusals import refusal, refused
from sympy.physics.mechanics import PrismaticJoint

from jointwrench import ForwardDynamics, InverseDynamics, LoopJoint, SerialChain

OUTPUT = "generalized_forces"
CONSTANTS = {"I_0": 0.04, "I_1": 0.03, "l_0": 0.5, "l_1": 0.4, "m_0": 2.0, "m_1": 1.0}
NUMBERS = np.array([*CONSTANTS.values()])
OUT_OR_AXES = "`out` must have the shape of the output|must have 1 or 2 axes here"
MANY = np.random.default_rng(0).normal(size=(3, 5, 2))
ONE = MANY[:, 0]


@pytest.fixture(scope="module")
def idyn():
    return InverseDynamics(SerialChain.planar(2, gravity=(0, -9.81, 0)).system)


@pytest.fixture(scope="module")
def evaluate(idyn):
    return idyn.compile([OUTPUT, "mass_matrix"])


@pytest.fixture(scope="module")
def driven():
    """Return forward dynamics with torques, which are specifieds."""
    chain = SerialChain.planar(2, gravity=(0, -9.81, 0), actuated=True)
    return ForwardDynamics(chain.system).compile("udot")


@pytest.fixture(scope="module")
def wedge():
    """Return two bodies on rails that a third rail joins: x is -2 y."""
    ground, a, b = (rigid_body(name, mass) for name, mass in zip("gab", (0, 1, 1), strict=True))
    first = PrismaticJoint("x", ground, a, joint_axis=ground.x)
    second = PrismaticJoint("y", ground, b, joint_axis=ground.y)
    system = system_of(ground, first, second)
    ends = {"parent_point": 0 * a.x, "child_point": 0 * b.x}
    slope = LoopJoint("slope", a, b, "point_on_line", **ends, joint_axis=2 * a.x + a.y)
    return InverseDynamics(system, loops=[slope], actuated=system.u[:1])


def torques(evaluate, *states, constants=CONSTANTS):
    return evaluate(*states, constants).generalized_forces


def numbered(row):
    return dict(zip(CONSTANTS, row, strict=True))


@pytest.fixture
def jax():
    jax = importlib.import_module("jax")
    jax.config.update("jax_enable_x64", True)
    return jax


@pytest.mark.needs("jax")
class TestJax:
    def test_vmap_of_all_in_all_ways(self, jax, evaluate):
        f, rows = evaluate.to_jax(OUTPUT), NUMBERS * np.linspace(1, 2, 5)[:, None]
        mapped = jax.vmap(f, in_axes=(0, 0, 0, None))(*MANY, NUMBERS)
        assert_array_equal(mapped, torques(evaluate, *MANY))
        samples = zip(*MANY, rows, strict=True)
        each = [torques(evaluate, *x, constants=numbered(row)) for *x, row in samples]
        for found in (jax.vmap(f)(*MANY, rows), jax.jit(f)(*MANY, rows)):
            assert_array_equal(found, each)
        inner = jax.vmap(f, in_axes=(0, None, None, None))
        outer = jax.jit(jax.vmap(inner, in_axes=(None, 0, None, 0)))
        found = outer(MANY[0], MANY[1], MANY[2, 0], rows)
        for i, j in np.ndindex(5, 5):
            x = MANY[0, j], MANY[1, i], MANY[2, 0]
            assert_array_equal(found[i, j], torques(evaluate, *x, constants=numbered(rows[i])))
        within = jax.vmap(f, in_axes=(0, None, None, None))(
            np.stack([MANY[0]] * 3), *MANY[1:], rows
        )
        assert_array_equal(within[2], each)

    def test_the_first_plain_call_tells_of_open_loops(self, jax, wedge):
        f = wedge.compile(OUTPUT).to_jax(OUTPUT)
        states = np.array([[-2.0, 1.0], [0.0, 0.0], [0.0, 0.0]])
        jax.jit(f)(states[0] + 1, *states[1:])  # nothing looks
        with pytest.warns(UserWarning, match="does not close the loops: the positions"):
            f(states[0] + 1, *states[1:])
        f(states[0] + 1, *states[1:])
        wedge.compile(OUTPUT).to_jax(OUTPUT)(*states)

    @pytest.mark.parametrize("how", ["jacfwd", "jacrev"])
    def test_first_derivatives(self, jax, idyn, evaluate, how):
        groups = ("q", "u", "udot", "constants")
        true = idyn.compile(OUTPUT, derivatives=groups)(*ONE, CONSTANTS)
        f = getattr(jax, how)(evaluate.to_jax(OUTPUT), argnums=range(4))
        for slopes, group in zip(jax.jit(f)(*ONE, NUMBERS), groups, strict=True):
            np.testing.assert_allclose(slopes, true.derivative(OUTPUT, group), rtol=1e-14)

    def test_second_derivatives(self, jax, idyn, evaluate):
        hessian = jax.jit(jax.hessian(evaluate.to_jax(OUTPUT), argnums=(0, 1, 3)))
        found = np.block([[*row] for row in hessian(*ONE, NUMBERS)])
        known = idyn.compile(OUTPUT, second_derivatives=["q", "u", "constants"])
        true = known.tensors(*ONE, constants=CONSTANTS)[OUTPUT]
        np.testing.assert_allclose(found, true, rtol=1e-13, atol=1e-13)
        each = jax.vmap(jax.hessian(evaluate.to_jax("mass_matrix")))
        found = each(MANY[0], *MANY[1:], np.stack([NUMBERS] * 5))
        known = idyn.compile("mass_matrix", second_derivatives=["q"])
        true = known.tensors(*MANY, constants=CONSTANTS)["mass_matrix"]
        np.testing.assert_allclose(found, true, rtol=1e-13, atol=1e-13)

    def test_differences_agree(self, jax, evaluate, driven):
        util = importlib.import_module("jax.test_util")
        util.check_grads(evaluate.to_jax(OUTPUT), (*MANY, NUMBERS), order=2)
        acceleration = driven.to_jax("udot")
        assert len(driven.inputs["specifieds"]) == 2
        util.check_grads(acceleration, (*MANY[:2], NUMBERS, np.ones((5, 2))), order=2)

    def test_refusals(self, jax, evaluate, idyn):
        f = evaluate.to_jax(OUTPUT)
        for wrong in (ONE[0] + 1j, ONE[0] > 0, [True, False], np.ma.masked_less(ONE[0], 0)):
            refused(lambda: f(wrong, *ONE[1:], NUMBERS), "q", TypeError)
        refused(lambda: jax.jit(f)(ONE[0] > 0, *ONE[1:], NUMBERS), "q", TypeError)
        refused(lambda: f(jax.numpy.zeros(2, "float32"), *ONE[1:], NUMBERS), "q", TypeError)
        refused(lambda: f(np.zeros(3)), "q")
        refused(lambda: f(*ONE), "constants")
        refused(lambda: f(*ONE, {name: 1.0 for name in CONSTANTS if name != "I_1"}), "constants")
        refused(lambda: f(*ONE, NUMBERS, None, None, None), None, TypeError)
        refused(lambda: f(*ONE, numbers=NUMBERS), "arguments")
        with pytest.raises(ValueError, match=r"shape mismatch|[Ii]ncompatible shapes"):
            f(MANY[0, :3], MANY[1, :4], ONE[2], NUMBERS)
        with pytest.raises(NotImplementedError, match="Third derivatives are not compiled"):
            jax.jacfwd(jax.hessian(f))(*ONE, NUMBERS)
        refused(lambda: evaluate.to_jax("nothing"), "output")
        refused(lambda: idyn.compile(OUTPUT, backend="numpy").to_jax(OUTPUT), "backend")
        sent = pickle.loads(pickle.dumps(evaluate)).to_jax(OUTPUT)
        assert_array_equal(sent(*ONE, NUMBERS), f(*ONE, NUMBERS))
        refused(lambda: jax.jacfwd(sent)(*ONE, NUMBERS), "evaluate")

    def test_arrays_elsewhere_are_refused(self, jax):
        from jointwrench.mechanics.evaluation.interfaces.jax_function import _check_place

        array = SimpleNamespace(devices=lambda: [SimpleNamespace(platform="gpu")])
        refused(lambda: _check_place("q", array), "q")


@pytest.fixture
def torch():
    torch = importlib.import_module("torch")
    torch.set_num_threads(1)
    return torch


def leaves(torch, *arrays):
    return [torch.tensor(array, requires_grad=True) for array in arrays]


@pytest.mark.needs("torch")
class TestTorch:
    def test_the_first_motion_tells_of_open_loops(self, torch, wedge):
        """Each function's, also if another one of the same code was called; in vmap, too."""
        states = np.array([[-2.0, 1.0], [0.0, 0.0], [0.0, 0.0]])
        wedge.compile(OUTPUT).to_torch(OUTPUT)(*leaves(torch, *states))
        for mapped in (False, True):
            f = wedge.compile(OUTPUT).to_torch(OUTPUT)
            call = torch.vmap(f) if mapped else f
            rows = [torch.tensor(np.stack([x] * 3)) for x in (states[0] + 1, *states[1:])]
            with pytest.warns(UserWarning, match="does not close the loops: the positions"):
                call(*rows)
            call(*rows)

    def test_gradients(self, torch, evaluate, driven):
        grad = torch.autograd
        one, (q, u, udot) = leaves(torch, *ONE, NUMBERS), leaves(torch, *MANY)
        rows = leaves(torch, NUMBERS * np.linspace(1, 2, 5)[:, None])[0]
        for f in (evaluate.to_torch(OUTPUT), evaluate.to_torch("mass_matrix")):
            assert grad.gradcheck(f, one)
            assert grad.gradgradcheck(f, one)
            assert grad.gradcheck(f, (q, u, udot, rows))
            assert grad.gradgradcheck(f, (q, one[1], one[2].detach(), one[3]))
        f, torque = driven.to_torch("udot"), leaves(torch, np.ones((5, 2)))[0]
        assert grad.gradcheck(f, (q, one[1], one[3], torque))
        assert grad.gradgradcheck(f, (q, one[1], one[3].detach(), torque))

    def test_vmap_of_all_in_all_ways(self, torch, evaluate):
        f, rows = evaluate.to_torch(OUTPUT), torch.tensor(NUMBERS * np.linspace(1, 2, 5)[:, None])
        many, numbers = torch.tensor(MANY), torch.tensor(NUMBERS)
        mapped = torch.vmap(f, in_dims=(0, 1, 0, None))(many[0], many[1].T, many[2], numbers)
        assert_array_equal(mapped, torques(evaluate, *MANY))
        inner = torch.vmap(f, in_dims=(0, None, None, None))
        found = torch.vmap(inner, in_dims=(None, 0, None, 0))(*many[:2], many[2, 0], rows)
        for i, j in np.ndindex(5, 5):
            assert_array_equal(found[i, j], f(many[0, j], many[1, i], many[2, 0], rows[i]))

    def test_mapped_derivatives(self, torch, idyn, evaluate):
        f, one = evaluate.to_torch(OUTPUT), (*torch.tensor(ONE), torch.tensor(NUMBERS))
        groups = ("q", "u", "udot", "constants")
        true = idyn.compile(OUTPUT, derivatives=groups)(*ONE, CONSTANTS)
        slopes = torch.autograd.functional.jacobian(f, one, vectorize=True)
        for group, slope in zip(groups, slopes, strict=True):
            np.testing.assert_allclose(slope, true.derivative(OUTPUT, group), rtol=1e-14)
        hessian = torch.autograd.functional.hessian(lambda *x: f(*x)[0], one, vectorize=True)
        found = np.block([[np.asarray(x) for x in row] for row in hessian])
        known = idyn.compile(OUTPUT, second_derivatives=groups)
        true = known.tensors(*ONE, constants=CONSTANTS)[OUTPUT][0]
        np.testing.assert_allclose(found, true, rtol=1e-13, atol=1e-13)

    def test_operators(self, torch, evaluate):
        from jointwrench.mechanics.evaluation.interfaces import torch_function

        evaluate.to_torch(OUTPUT)
        name = next(x for x in torch_function._known if x.startswith(OUTPUT))
        rows = leaves(torch, *MANY, NUMBERS[None], *np.zeros((2, 1, 0)))
        known = torch.ops.jointwrench
        torch.library.opcheck(known.value, (rows, name))
        torch.library.opcheck(known.slopes, (rows, name, "q constants"))
        torch.library.opcheck(known.curvature, ([x.detach() for x in rows], name, "q constants"))

    @pytest.mark.filterwarnings("ignore")  # of torch about itself
    def test_compiled(self, torch, evaluate):
        f, rows = evaluate.to_torch(OUTPUT), leaves(torch, *MANY, NUMBERS)
        square = torch.compile(lambda *x: f(*x).square().sum(), fullgraph=True, backend="aot_eager")
        found = torch.autograd.grad(square(*rows), rows)
        for own, true in zip(
            found, torch.autograd.grad(f(*rows).square().sum(), rows), strict=True
        ):
            torch.testing.assert_close(own, true)

    def test_a_copy_leaves_the_first_function_whole(self, torch, idyn):
        """Evaluators of the same code have the same operator, whoever comes first."""
        for turned in (False, True):
            fresh = idyn.compile(OUTPUT, {"l_0": 0.7 + turned})
            pair = [fresh, pickle.loads(pickle.dumps(fresh))]
            functions = [x.to_torch(OUTPUT) for x in (pair[::-1] if turned else pair)]
            rows = *ONE, np.array([x for s, x in CONSTANTS.items() if s != "l_0"])
            for f in functions:
                q, *others = leaves(torch, *rows)
                f(q, *others).sum().backward()
                assert q.grad.abs().min() > 0

    def test_refusals(self, torch, evaluate):
        f, one = evaluate.to_torch(OUTPUT), leaves(torch, *ONE, NUMBERS)
        for wrong in (one[0] + 1j, one[0] > 0, ONE[0] + 1j, [True, False]):
            refused(lambda: f(wrong, *one[1:]), "q", TypeError)
        refused(lambda: f(one[0].float(), *one[1:]), "q", TypeError)
        refused(lambda: f(one[0].to("meta"), *one[1:]), "q")
        with pytest.raises(ValueError, match="shape mismatch"):
            f(*map(torch.from_numpy, (MANY[0, :3], MANY[1, :4])), one[2], one[3])
        slopes = torch.autograd.functional.hessian(lambda q: f(q, *one[1:]).sum(), one[0], True)
        with pytest.raises(RuntimeError, match="no autograd formula was registered"):
            slopes.sum().backward()


@pytest.mark.needs("numba")
class TestNumba:
    @pytest.fixture
    def numba(self):
        return importlib.import_module("numba")

    def test_numbers_are_the_evaluators(self, numba, idyn, evaluate):
        slopes = idyn.compile(OUTPUT, CONSTANTS, derivatives=["q"])
        write, write_slopes = evaluate.to_numba(OUTPUT), slopes.to_numba(f"{OUTPUT}_wrt_q")

        @numba.njit
        def both(q, u, udot, constants):
            out, slopes = np.empty(2), np.empty((2, 2))
            write(out, q, u, udot, constants)
            write_slopes(slopes, q, u, udot)
            return out, slopes

        for x in MANY.swapaxes(0, 1):
            out, found = both(*x, NUMBERS)
            assert_array_equal(out, torques(evaluate, *x))
            assert_array_equal(found, slopes(*x).derivative(OUTPUT, "q"))
        out = np.empty((5, 2))
        write(out, MANY[0], ONE[1], MANY[2], NUMBERS)
        assert_array_equal(out, torques(evaluate, MANY[0], ONE[1], MANY[2]))

    def test_refusals(self, numba, evaluate):
        write, out = evaluate.to_numba(OUTPUT), np.zeros((5, 2))
        with pytest.raises(numba.TypingError, match="must be C-contiguous arrays of float64"):
            write(out.astype(np.float32), *MANY, NUMBERS)
        refused(lambda: write(out, *MANY), None)
        refused(lambda: write(out, *MANY[:, :3], NUMBERS), None)
        refused(lambda: write(out, *MANY, np.ones((5, 6))), None)
        for wrong in (np.empty(3), np.empty((2, 5)), np.empty((1, 2, 5)), np.array(0.0)):
            with pytest.raises((ValueError, numba.TypingError), match=OUT_OR_AXES):
                write(wrong, *MANY, NUMBERS)
        with refusal(None):
            write(out, np.ascontiguousarray(MANY[0].T), *MANY[1:], NUMBERS)  # as many numbers

    def test_what_is_read_only_is_not_written(self, numba, evaluate, tmp_path):
        write = evaluate.to_numba(OUTPUT)
        np.zeros((5, 2)).tofile(tmp_path / "out")
        kept = np.memmap(tmp_path / "out", float, mode="r", shape=(5, 2))
        closed = np.zeros((5, 2))
        closed.flags.writeable = False
        for out in (kept, closed):
            with pytest.raises(numba.TypingError, match="`out` must be writeable"):
                write(out, *MANY, NUMBERS)
            refused(lambda: evaluate(*MANY, CONSTANTS, out={OUTPUT: out}), "out")
            assert not out.any()
