"""Against sympy's KanesMethod: generalized forces on trees, and all constraint components.

KanesMethod differentiates velocities that sympy propagates from point to point, which is
another derivation than ours.
"""

import warnings
from functools import cached_property

import numpy as np
import pytest
from constrained_models import along
from marks import few, slow
from numeric import evaluate_matrix, relative_error, run
from random_systems import JOINTS, LOADS, random_system
from sympy import Matrix
from sympy.physics.mechanics import (
    KanesMethod,
    Point,
    ReferenceFrame,
    RigidBody,
    dynamicsymbols,
    inertia,
)
from tables import state

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
        self.q, self.u = dynamicsymbols(f"q:{n}"), dynamicsymbols(f"u:{n}")
        self.auxiliary, self.forces, self.bodies, self.loads, self.segments = [], [], [], [], []
        self.N, point = ReferenceFrame("N"), Point("O")
        point.set_vel(self.N, 0)
        frame, spin = self.N, 0
        for i in range(n):
            frame, point, spin = self.add_body(i, frame, point, spin)

    def add_body(self, i, frame, point, spin):
        """Add a body whose joint opens by an extra velocity of its point and an extra spin."""
        numbers, A = np.random.default_rng([2, i]), ReferenceFrame(f"A{i}")
        A.orient_axis(frame, (frame.z, frame.x, frame.y)[i % 3], self.q[i])
        opening, unknown = dynamicsymbols(f"v{i}_:6"), dynamicsymbols(f"w{i}_:6")
        self.auxiliary += opening
        self.forces += unknown
        spin = spin + self.u[i] * (A.z, A.x, A.y)[i % 3] + along(opening[3:], tuple(A))
        A.set_ang_vel(self.N, spin)
        joint = point.locatenew(f"P{i}", 0)
        joint.set_vel(self.N, point.vel(self.N) + along(opening[:3], tuple(A)))
        arm, mass = numbers.uniform(-1, 1, 3), numbers.uniform(0.5, 2)
        factor = numbers.uniform(-0.5, 0.5, (3, 3))
        central = np.trace(factor @ factor.T) * np.eye(3) - factor @ factor.T
        moments = tuple(central[row, column] for row, column in MOMENTS)
        center, tip = (
            joint.locatenew(f"C{i}", along(arm, tuple(A))),
            joint.locatenew("D", 0.7 * A.y),
        )
        for own in (center, tip):
            own.v2pt_theory(joint, self.N, A)
        self.bodies.append(RigidBody(f"B{i}", center, A, mass, (inertia(A, *moments), center)))
        force, moment = along(unknown[:3], tuple(A)), along(unknown[3:], tuple(A))
        self.loads += [(center, -9.81 * mass * self.N.y), (joint, force), (point, -force)]
        self.loads += [(A, moment), *([] if frame is self.N else [(frame, -moment)])]
        self.segments.append(Segment(f"S{i}", 0.7, mass, arm, moments, axis="zxy"[i % 3]))
        return A, tip, spin

    @cached_property
    def equations(self):
        """Coefficients of the joints' wrenches in Kane's equations, and the rest of these.

        Fr + Fr* = 0 for the speeds and the auxiliary ones: 7 equations per joint, of which
        those of the speeds repeat what the moments about the axes say.
        """
        zero = dict.fromkeys([a for v in self.auxiliary for a in (v.diff(), v)], 0)
        rates = {q.diff(): u for q, u in zip(self.q, self.u, strict=True)}
        speeds, kdes = [*self.u, *self.auxiliary], [u - q for q, u in rates.items()]
        method = KanesMethod(self.N, q_ind=self.q, u_ind=speeds, kd_eqs=kdes)
        fr, frstar = method.kanes_equations(self.bodies, self.loads)
        equations = (fr + frstar).xreplace(rates).xreplace(zero)
        known = equations.xreplace(dict.fromkeys(self.forces, 0))
        return fr.jacobian(Matrix(self.forces)).xreplace(zero), known

    def solve(self, values):
        """Return the wrenches of all joints, (n, 6), by Kane's equations alone."""
        coefficients, known = (evaluate_matrix(part, values) for part in self.equations)
        solution, _, rank, _ = np.linalg.lstsq(coefficients, -known[:, 0], rcond=None)
        assert rank == len(self.forces)
        assert np.abs(coefficients @ solution + known[:, 0]).max() < 1e-10
        return solution.reshape(-1, 6)


#: Rows and columns of xx yy zz xy yz zx.
MOMENTS = ((0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (2, 0))


@pytest.mark.parametrize("n", [1, *slow([2, 3])])
def test_all_wrenches_of_a_spatial_chain(n):
    kane = Chain(n)
    system = SerialChain(kane.segments, gravity=(0, -9.81, 0)).system
    program = InverseDynamics(system).program()
    for numbers in np.random.default_rng(n).uniform(-1, 1, (3, 3, n)):
        wrenches = run(program, state(system, *numbers))["joint_wrenches"]
        symbols = [*kane.q, *kane.u, *(u.diff() for u in kane.u)]
        expected = kane.solve(dict(zip(symbols, numbers.ravel(), strict=True)))
        assert relative_error(wrenches, expected) < 1e-10
