"""The parts of a joint wrench sum to it, and each depends only on what it is named for."""

import numpy as np
import pytest
import sympy.physics.mechanics as me
from marks import few, slow
from numeric import evaluate_matrix, relative_error, run
from random_systems import child_frame, random_system
from refusals import refused
from sympy import Matrix, Symbol

from jointwrench.mechanics.dynamics.outputs.contributions import PARTS
from jointwrench.mechanics.evaluation.expressions_along_motion import expressions_along
from jointwrench.mechanics.methods.inverse_dynamics import InverseDynamics
from jointwrench.mechanics.spatial.observer import ObserverFrame
from jointwrench.models.serial_chain import SerialChain

NAMES = ["gravity", "acceleration", "velocity"]
OBSERVED = ["gravity", "observed", "d'Alembert", "Euler", "centrifugal", "Coriolis"]


class Case:
    """A random tree with what its joints consist of."""

    def __init__(self, seed, count=None, **options):
        self.tree = random_system(seed, count, **options)
        self.values, self.numeric = self.tree.inputs, self.tree.numeric
        self.idyn = InverseDynamics(self.tree.system)

    @property
    def pairs(self):
        """The joints, as described, too."""
        return list(zip(self.idyn.joints, self.tree.model.joints, strict=True))

    def number(self, joint, wrench, **changes):
        """Return a wrench as six numbers in the child's frame."""
        return number(wrench, child_frame(joint), self.changed(**changes))

    def changed(self, u=None, udot=None):
        values = dict(self.values)
        for symbols, factor in ((self.idyn.speeds, u), (self.idyn.accelerations, udot)):
            if factor is not None:
                values.update({s: factor * values[s] for s in symbols})
        return values

    def sum(self, joint, parts):
        return sum(self.number(joint, part) for part in parts.values())


def number(wrench, frame, values):
    known = dict(values)
    parts = (Matrix(x.to_matrix(frame)) for x in (wrench.force, wrench.moment))
    return np.concatenate([evaluate_matrix(x, known)[:, 0] for x in parts])


@pytest.fixture(scope="module", params=few(range(16), 0, 1, 2, 5, 8, 12))
def case(request):
    return Case(request.param, 1 + request.param % 4)


def test_compiled(case):
    """Five parts of every joint; what no part has is zero."""
    found = run(case.idyn.program("contributions"), case.values)["contributions"]
    for joint, own in zip(case.idyn.joints, found, strict=True):
        formulas = case.idyn.contributions(joint)
        assert list(formulas)[:3] == NAMES
        assert all(formula.point is joint.child_point for formula in formulas.values())
        for part, words in zip(own, PARTS.values(), strict=True):
            chosen = [x for name, x in formulas.items() if name.split()[0] in words]
            expected = sum((case.number(joint, x) for x in chosen), np.zeros(6))
            assert relative_error(part, expected) < 1e-10


def test_acceleration_is_linear_and_velocity_quadratic(case):
    for joint in case.idyn.joints:
        parts = case.idyn.contributions(joint)
        acceleration, velocity = parts["acceleration"], parts["velocity"]
        whole = case.number(joint, acceleration)
        for u, udot, factor in ((0, 1, 1), (2, 3, 3), (1, 0, 0)):
            changed = case.number(joint, acceleration, u=u, udot=udot)
            assert relative_error(changed, factor * whole) < 1e-9
        whole = case.number(joint, velocity)
        for u, udot, factor in ((1, 0, 1), (2, 3, 4), (0, 1, 0), (-1, 1, 1)):
            changed = case.number(joint, velocity, u=u, udot=udot)
            assert relative_error(changed, factor * whole) < 1e-9


def test_gravity_balances_the_weight(case):
    """Per body, not of all that hangs on it; nothing where gravity is not uniform."""
    loads = case.idyn.model.derivation.loads
    numeric, bodies = case.numeric, {body.name: body for body in case.tree.model.bodies}
    for joint, own in case.pairs:
        gravity = case.idyn.contributions(joint)["gravity"]
        if loads.gravity is None:
            assert gravity.force == 0
            continue
        outer = own.outer.body
        weight = numeric.number(bodies[outer].mass) * numeric.numbers(list(numeric.model.gravity))
        arm = numeric.poses[outer].place[0] - numeric.place(own)
        held = np.concatenate([weight, np.cross(arm, weight)]) * (1 if own.is_reversed else -1)
        expected = numeric.in_child(own, held)
        assert relative_error(case.number(joint, gravity), expected) < 1e-10, joint


def test_outer_joints(case):
    """What a joint farther outwards transmits acts with the opposite sign at its own place."""
    numeric, rows = case.numeric, run(case.idyn.program(), case.values)["joint_wrenches"]
    wrenches = dict(zip(case.idyn.joints, rows, strict=True))
    for joint, own in case.pairs:
        parts = case.idyn.contributions(joint)
        beyond = [pair for pair in case.pairs if pair[1].inner.body == own.outer.body]
        names = [name for name in parts if name.startswith("joint ")]
        assert sorted(names) == sorted(f"joint {child.name}" for child, _ in beyond)
        for child, other in beyond:
            side = 1 if own.is_reversed == other.is_reversed else -1
            force, moment = numeric.in_world(other, wrenches[child])
            arm = numeric.place(other) - numeric.place(own)
            whole = np.concatenate([force, moment + np.cross(arm, force)])
            expected = numeric.in_child(own, side * whole)
            actual = case.number(joint, parts[f"joint {child.name}"])
            assert relative_error(actual, expected) < 1e-9, (joint, child)


@pytest.mark.parametrize("seed", [0, *slow([1, 2, 3])])
def test_observers(seed):
    """Ground, a turning platform, a body of the tree: always the same sum."""
    case = Case(seed, 1, loads=("force",), joints=("pin", "prismatic"), particles=False)
    frame, time = case.tree.system.frame, me.dynamicsymbols._t
    origin = case.tree.system.fixed_point
    turning = frame.orientnew("platform", "Axis", [2 * time + time**2, frame.z + frame.x])
    shaken = origin.locatenew("shaken", time**3 * frame.y + frame.x)
    shaken.set_vel(frame, shaken.pos_from(origin).dt(frame))
    (body,) = case.tree.moving
    with_body = body.masscenter
    with_body.set_vel(frame, with_body.pos_from(origin).dt(frame))
    moving = (frame, origin), (turning, shaken), (body.frame, with_body)
    observers = [ObserverFrame(*x, frame, origin) for x in moving]
    wrenches = run(case.idyn.program(), case.values)["joint_wrenches"]
    for joint, whole in zip(case.idyn.joints, wrenches, strict=True):
        for observer in observers:
            parts = case.idyn.contributions(joint, observer)
            assert list(parts)[:6] == OBSERVED
            known = {s for p in parts.values() for s in p.force.free_symbols(frame)}
            assert known <= {*case.values, *case.idyn.constants, time}
            assert relative_error(case.sum(joint, parts), whole) < 1e-9, (case.tree, joint)


def test_observer_of_a_model_in_another_time():
    """Sympy differentiates by its own time, in which the model would be at rest."""
    old, me.dynamicsymbols._t = me.dynamicsymbols._t, Symbol("tau")
    chain = SerialChain.planar(1)
    point = chain.joint_points[0]
    observer = ObserverFrame(chain.frames[0], point, chain.ground.frame, point)
    me.dynamicsymbols._t = old
    idyn = InverseDynamics(chain.system)
    refused(lambda: expressions_along(idyn, None, {}), "model")
    refused(lambda: idyn.contributions(chain.joints[0], observer), "observer")
