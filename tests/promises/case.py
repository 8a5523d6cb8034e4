"""A kind of model in its state: the package's methods, results of all outputs, the reference."""

from functools import cached_property

import numpy as np
import sympy as sm
from dense_balance import Reference
from kinds import KINDS, T
from numeric import evaluate_matrix

import jointwrench as jw

METHODS = {
    "inverse": jw.InverseDynamics,
    "forward": jw.ForwardDynamics,
    "kinematics": jw.Kinematics,
}


def own_frame(joint, end="child"):
    """Return the frame of a joint's wrench, or the frame that turns with the other end."""
    body = getattr(joint, end)
    return getattr(body, "frame", None) or getattr(joint, f"{end}_interframe", body)


class Case:
    """Methods and results are made when they are asked for; ``outputs`` are by method."""

    def __init__(self, name, outputs, is_numeric=False):
        self.outputs, self.traits = outputs, KINDS[name][1].split()
        self.kind, self.evaluators = KINDS[name][0](is_numeric), {}
        self.q, self.u, self.udot = self.state = tuple(map(np.array, self.kind.state))
        if "dependent" in self.traits:
            closed = self.inverse.close_motion(*self.state, **self.given("inverse"))
            self.q, self.u, self.udot = self.state = closed

    def __getattr__(self, name):
        """Make one of the methods."""
        if name not in METHODS:
            raise AttributeError(name)
        self.__dict__[name] = method = self.kind.method(METHODS[name])
        return method

    r = cached_property(lambda self: self.evaluate("inverse"))
    f = cached_property(lambda self: self.evaluate("forward"))
    k = cached_property(lambda self: self.evaluate("kinematics"))
    joints = property(lambda self: [*self.inverse.joints, *self.inverse.loops])

    def given(self, method, but=()):
        """Return what a call of a method needs besides the state, and nothing else."""
        inputs, values = getattr(self, method).inputs, self.kind.values
        names = [x for x in ("constants", "specifieds") if inputs[x] and x not in but]
        given = {x: {s: values[s] for s in inputs[x] if s in values} for x in names}
        return given | ({"times": values[T]} if inputs["times"] and "times" not in but else {})

    def evaluate(self, method, *state, **given):
        """Return the outputs of a method, at this or another state.

        The default backend is that of inverse dynamics; others have it in laws of their own.
        """
        if method not in self.evaluators:
            backend = "auto" if method == "inverse" else "numpy"
            make = getattr(self, method).compile
            self.evaluators[method] = make(self.outputs[method], backend=backend)
        state = (state or self.state)[: 2 if method == "forward" else 3]
        return self.evaluators[method](*state, **(self.given(method) | given))

    @cached_property
    def reference(self):
        kind, joints = self.kind, self.joints
        places = [own_frame(joint, end) for joint in joints for end in ("child", "parent")]
        places += [joint.child_point for joint in joints]
        return Reference(kind.model, kind.origin, kind.constants, places, self.inverse.solve_for)

    def at(self, udot, loads=()):
        """Return the reference for some accelerations, and values of loads that are solved for."""
        return self.reference.at(self.q, self.u, udot, {**self.kind.values, **dict(loads)})

    @cached_property
    def bare(self):
        """The reference without the loads that are solved for."""
        return self.at(self.udot)

    @cached_property
    def full(self):
        """The reference with the values of these loads."""
        return self.at(self.udot, self.r.solved_loads if self.inverse.solve_for else ())

    def wrench(self, k, output="joint_wrenches"):
        """Return a joint's wrench in the inertial frame, about its point; what is open is 0."""
        turn = self.bare.places[own_frame(self.joints[k])].place
        return np.ravel(np.nan_to_num(getattr(self.r, output)[k]).reshape(2, 3) @ turn.T)

    def twist(self, joint):
        """Return partial velocities of a joint's child relative to the parent, (6, n)."""
        places, twists = self.bare.places, []
        for end in ("child", "parent"):
            body = self.bare.bodies.get(getattr(getattr(joint, end), "name", None))
            if body is None:
                twists.append(np.zeros((6, len(self.u))))
                continue
            spin = places[own_frame(joint, end)].partial
            shift = np.cross(spin.T, places[joint.child_point].place - body.center.place).T
            twists.append(np.vstack([body.center.partial + shift, spin]))
        return twists[0] - twists[1]

    @property
    def closings(self):
        """The coefficients of the speeds in the constraints, (m, n)."""
        is_tree = "tree" in self.traits
        return np.zeros((0, len(self.u))) if is_tree else self.slope("constraint_errors", "u")[1]

    def slope(self, output, wrt, method="inverse"):
        """Return the partial derivatives of an output by q, u or udot, by differences, (..., n)."""
        state, k, h = list(self.state), ("q", "u", "udot").index(wrt), 1e-3
        state[k] = state[k] + h * np.multiply.outer([2, 1, -1, -2], np.eye(len(state[k])))
        rows = getattr(self.evaluate(method, *state), output)
        return np.moveaxis(np.tensordot([-1, 8, -8, 1], rows, 1) / (12 * h), 0, -1)

    def rate(self, outputs, method="inverse", udot=None):
        """Return the rates of outputs along the motion, by name."""
        udot = self.udot if udot is None else udot
        motion, h, total = self.at(udot), 1e-3, dict.fromkeys(outputs, 0.0)
        for step, weight in ((2 * h, -1), (h, 8), (-h, -8), (-2 * h, 1)):
            numbers, given = motion.moved(step), self.given(method)
            if "specifieds" in given:
                given["specifieds"] = {s: numbers.get(s, x) for s, x in given["specifieds"].items()}
            if "times" in given:
                given["times"] += step
            q = [numbers[x] for x in self.reference.q]
            found = self.evaluate(method, q, self.u + step * udot, udot, **given)
            total = {x: total[x] + weight * getattr(found, x) / (12 * h) for x in outputs}
        return total

    def number(self, formula, frame=None):
        """Return a formula, or the components of a vector or wrench in a frame, as numbers."""
        if frame is not None:
            formula = sm.zeros(3, 1) if formula == 0 else formula.to_matrix(frame)
        values, inputs = dict(self.kind.values), self.inverse.inputs
        for name, row in zip(("q", "u", "udot"), self.state, strict=True):
            values |= zip(inputs[name], row, strict=True)
        found = evaluate_matrix(sm.Matrix(formula), values)
        return found[:, 0] if found.shape[1] == 1 else found
