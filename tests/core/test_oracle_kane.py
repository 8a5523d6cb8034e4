"""Against sympy's KanesMethod: generalized forces on trees, and all constraint components.

KanesMethod differentiates velocities that sympy propagates from point to point, which is
another derivation than ours.
"""

import warnings
from functools import cached_property

import numpy as np
import pytest
from marks import few, slow
from numeric import evaluate_matrix, relative_error, run
from random_systems import JOINTS, LOADS, random_system
from sympy import Matrix, symbols
from sympy.physics.mechanics import (
    KanesMethod,
    Point,
    ReferenceFrame,
    RigidBody,
    dynamicsymbols,
    inertia,
)

from jointwrench.mechanics.methods.inverse_dynamics import InverseDynamics
from jointwrench.models.serial_chain import Segment, SerialChain

#: Seeds of trees of welds alone, which have no equations of motion.
WELDED = (*(21, 144, 170, 174, 183, 184, 201, 228, 231, 238, 249, 258, 261, 277, 297, 336, 379),)
LOADS_WITHOUT_PATHWAYS = ("force", "torque", "motor")  # the formulas of others are long


def kanes_equations(system, values):
    """Return the mass matrix and forcing of the System in numbers."""
    with warnings.catch_warnings():  # a Point with several paths to it
        warnings.simplefilter("ignore")
        system.form_eoms(explicit_kinematics=True)
    method = system.eom_method
    rates = {q.diff(): u for q, u in zip(system.q, system.u, strict=True)}
    forcing = method.forcing.xreplace(rates)
    return evaluate_matrix(method.mass_matrix, values), evaluate_matrix(forcing, values)[:, 0]


def check_generalized_forces(seed):
    kinds = LOADS if seed % 3 == 0 else LOADS_WITHOUT_PATHWAYS
    joints = JOINTS if seed % 3 < 2 else ("pin", "prismatic", "weld")
    tree = random_system(seed, 1 + seed % 3, joints=joints, loads=kinds, reverse=False)
    values = tree.inputs
    forces = run(InverseDynamics(tree.system).program(), values)["generalized_forces"]
    mass, forcing = kanes_equations(tree.system, values)
    accelerations = [values[u.diff(dynamicsymbols._t)] for u in tree.system.u]
    assert relative_error(forces, mass @ accelerations - forcing) < 1e-9, tree
    if tree.is_regular:  # forward dynamics of the inverse result returns the motion
        forward = np.linalg.solve(mass, forcing + forces)
        assert relative_error(forward, np.array(accelerations)) < 1e-9 * np.linalg.cond(mass)


@pytest.mark.parametrize("seed", few([k for k in range(30) if k not in WELDED], *range(4), 5, 6))
def test_generalized_forces(seed):
    check_generalized_forces(seed)


@pytest.mark.slow
@pytest.mark.parametrize("start", range(100, 400, 20))
def test_generalized_forces_of_many(start):
    for seed in set(range(start, start + 20)).difference(WELDED):
        check_generalized_forces(seed)


class Chain:
    """A spatial chain of pins, every joint with six auxiliary speeds instead of a constraint.

    Auxiliary speeds let each joint come apart in all directions but its axis; they are zero,
    and the generalized forces that keep them so are the components of the joint wrench.
    """

    def __init__(self, n):
        time = dynamicsymbols._t
        self.values = {}
        self.q, self.u = dynamicsymbols(f"q:{n}"), dynamicsymbols(f"u:{n}")
        self.auxiliary = []
        self.bodies, self.loads, self.forces, self.segment_data = [], [], [], []
        self.kdes = [q.diff(time) - u for q, u in zip(self.q, self.u, strict=True)]
        N, O = ReferenceFrame("N"), Point("O")
        O.set_vel(N, 0)
        self.N, frame, point, spin = N, N, O, 0
        g = self.constant("g", 9.81)
        for i in range(n):
            frame, point, spin = self.add_body(i, frame, point, spin, g)

    def constant(self, name, value):
        symbol = symbols(name)
        self.values[symbol] = value
        return symbol

    def add_body(self, i, frame, point, spin, g):
        numbers = np.random.default_rng([2, i])
        A = ReferenceFrame(f"A{i}")
        A.orient_axis(frame, axis_of(i, frame), self.q[i])
        aux = dynamicsymbols(f"v{i}_:6")
        self.auxiliary += aux
        # The joint opens: extra velocity of the joint's point and extra spin of the body.
        slip = aux[0] * A.x + aux[1] * A.y + aux[2] * A.z
        extra = aux[3] * A.x + aux[4] * A.y + aux[5] * A.z
        spin = spin + self.u[i] * axis_of(i, A) + extra
        A.set_ang_vel(self.N, spin)
        joint = Point(f"P{i}")
        joint.set_pos(point, 0)
        joint.set_vel(self.N, point.vel(self.N) + slip)
        center = Point(f"C{i}")
        arm = [self.constant(f"c{i}_{k}", x) for k, x in enumerate(numbers.uniform(-1, 1, 3))]
        center.set_pos(joint, arm[0] * A.x + arm[1] * A.y + arm[2] * A.z)
        center.v2pt_theory(joint, self.N, A)
        tip = joint.locatenew(f"D{i}", self.constant(f"l{i}", 0.7) * A.y)
        tip.v2pt_theory(joint, self.N, A)
        mass = self.constant(f"m{i}", numbers.uniform(0.5, 2))
        central = tensor(numbers)
        names = [self.constant(f"I{i}_{k}", x) for k, x in enumerate(central)]
        self.bodies.append(RigidBody(f"B{i}", center, A, mass, (inertia(A, *names), center)))
        self.loads.append((center, -mass * g * self.N.y))
        self.segment_data.append((arm, names))
        unknown = dynamicsymbols(f"w{i}_:6")
        self.forces += unknown
        force = unknown[0] * A.x + unknown[1] * A.y + unknown[2] * A.z
        moment = unknown[3] * A.x + unknown[4] * A.y + unknown[5] * A.z
        self.loads += [(joint, force), (point, -force), (A, moment)]
        if frame is not self.N:
            self.loads.append((frame, -moment))
        return A, tip, spin

    @cached_property
    def equations(self):
        """Coefficients of the joints' wrenches in Kane's equations, and the rest of these.

        Fr + Fr* = 0 for the speeds and the auxiliary ones: 7 equations per joint, of which
        those of the speeds repeat what the moments about the axes say.
        """
        time = dynamicsymbols._t
        zero = dict.fromkeys([a for v in self.auxiliary for a in (v.diff(time), v)], 0)
        method = KanesMethod(
            self.N,
            q_ind=self.q,
            u_ind=[*self.u, *self.auxiliary],
            kd_eqs=self.kdes,
        )
        fr, frstar = method.kanes_equations(self.bodies, self.loads)
        rates = {q.diff(time): u for q, u in zip(self.q, self.u, strict=True)}
        equations = (fr + frstar).xreplace(rates).xreplace(zero)
        unknowns = Matrix(self.forces)
        known = equations.xreplace(dict.fromkeys(self.forces, 0))
        return fr.jacobian(unknowns).xreplace(zero), known

    def solve(self, values):
        """Return the wrenches of all joints, (n, 6), by Kane's equations alone."""
        coefficients, known = (evaluate_matrix(part, values) for part in self.equations)
        solution, _, rank, _ = np.linalg.lstsq(coefficients, -known[:, 0], rcond=None)
        assert rank == len(self.forces)
        assert np.abs(coefficients @ solution + known[:, 0]).max() < 1e-10
        return solution.reshape(-1, 6)


def axis_of(i, frame):
    return (frame.z, frame.x, frame.y)[i % 3]


def tensor(numbers):
    """Return a full central inertia tensor: xx yy zz xy yz zx."""
    factor = numbers.uniform(-0.5, 0.5, (3, 3))
    i = np.trace(factor @ factor.T) * np.eye(3) - factor @ factor.T
    return i[0, 0], i[1, 1], i[2, 2], i[0, 1], i[1, 2], i[2, 0]


@pytest.mark.parametrize("n", [1, *slow([2, 3])])
def test_all_wrenches_of_a_spatial_chain(n):
    kane = Chain(n)
    segments = [
        Segment(
            f"S{i}", *symbols(f"l{i} m{i}"), center_of_mass=arm, inertia=names, axis="zxy"[i % 3]
        )
        for i, (arm, names) in enumerate(kane.segment_data)
    ]
    chain = SerialChain(segments, gravity=(0, -symbols("g"), 0))
    idyn = InverseDynamics(chain.system)
    numbers = np.random.default_rng(n)
    time = dynamicsymbols._t
    for _ in range(3):
        q, u, udot = numbers.uniform(-1, 1, (3, n))
        ours, theirs = dict(kane.values), dict(kane.values)
        for values, qs, us in (
            (ours, idyn.coordinates, idyn.speeds),
            (theirs, kane.q, kane.u),
        ):
            values.update(zip(qs, q, strict=True))
            values.update(zip(us, u, strict=True))
            values.update(zip([s.diff(time) for s in us], udot, strict=True))
        wrenches = run(idyn.program(), ours)["joint_wrenches"]
        assert relative_error(wrenches, kane.solve(theirs)) < 1e-10
