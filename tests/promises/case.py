"""A kind of model in its state: numbers of what is promised, by its name, and the reference."""

from functools import cache, cached_property, lru_cache

import numpy as np
import sympy as sm
from dense_balance import Reference
from kinds import KINDS, T
from numeric import evaluate_matrix
from promises import METHODS

RESULTS = dict(zip(METHODS, "rfk", strict=True))


def own_frame(joint, end="child"):
    """Return the frame of a joint's wrench, or the frame that turns with the other end."""
    body = getattr(joint, end)
    return getattr(body, "frame", None) or getattr(joint, f"{end}_interframe", body)


class Case:
    """Methods and results are made when they are asked for."""

    def __init__(self, name, is_numeric=False):
        self.traits, self.kind = KINDS[name][1].split(), KINDS[name][0](is_numeric)
        self.at, self.compiled = lru_cache(self.at), cache(self.compiled)
        self.q, self.u, self.udot = self.state = tuple(map(np.array, self.kind.state))
        if "dependent" in self.traits:
            closed = self.inverse.close_motion(*self.state, **self.given("inverse"))
            self.q, self.u, self.udot = self.state = closed

    inverse, forward, kinematics = (
        cached_property(lambda self, cls=cls: self.kind.method(cls)) for cls in METHODS.values()
    )
    r, f, k = (cached_property(lambda self, method=x: self.evaluate(method)) for x in METHODS)
    joints = property(lambda self: [*self.inverse.joints, *self.inverse.loops])
    rigid = property(lambda self: [x for x in self.inverse.bodies if hasattr(x, "frame")])
    bare = property(lambda self: self.at(), doc="The reference without solved loads.")
    full = property(lambda self: self.at(has_loads=True))
    still = property(lambda self: self.at(tuple(0 * self.udot)), doc="Without accelerations.")

    def given(self, method):
        """Return what a call of a method needs besides the state, and nothing else."""
        inputs, values = getattr(self, method).inputs, self.kind.values
        names = [x for x in ("constants", "specifieds") if inputs[x]]
        given = {x: {s: values[s] for s in inputs[x] if s in values} for x in names}
        return given | ({"times": values[T]} if inputs["times"] else {})

    def outputs(self, method):
        """Return the names of all outputs that a method has of this model."""
        lacks = set() if self.kind.inverse.get("sections") else {"section_wrenches"}
        return [x for x in getattr(self, method).model.outputs.names if x not in lacks]

    def compiled(self, method, names=None, **options):
        """Return an evaluator, made once; of no names, of all outputs."""
        return getattr(self, method).compile(names or self.outputs(method), **options)

    def evaluate(self, method, *state, **given):
        """Return the outputs of a method by numpy, at this or another state."""
        state = (state or self.state)[: 2 if method == "forward" else 3]
        return self.compiled(method, backend="numpy")(*state, **(self.given(method) | given))

    # -- what is promised ---------------------------------------------------------------

    def __getitem__(self, promise):
        """Return an output, or the numbers of a formula or method for all that it is asked of."""
        owner, name = promise.split(".")
        if owner in METHODS:
            return getattr(getattr(self, RESULTS[owner]), name)
        own = {cls.__name__: method for method, cls in METHODS.items()}
        lacks = {*self.kinematics.constants} - {*self.inverse.constants}
        own["Result"] = "k" if lacks and hasattr(self.kinematics, name) else "r"
        found = getattr(getattr(self, own[owner]), name)
        if not callable(found):
            return self.number(found)
        return np.stack([self.number(found(x), frame) for x, frame in self.asked_of(name)])

    def asked_of(self, name):
        """Return the arguments of a formula or method, with frames of its components."""
        frame, bodies = self.reference.frame, self.inverse.bodies
        if name == "dynamic_wrench":
            return [(x, frame) for x in bodies]
        if "wrench" in name or "joint" in name or name == "contributions":
            joints = self.inverse.joints if "contributions" in name else self.joints
            return [(x, own_frame(x)) for x in joints]
        if "angular" in name or name == "orientation":
            return [(x.frame, frame) for x in self.rigid]
        return [(x.masscenter, frame) for x in bodies]

    def number(self, formula, frame=None):
        """Return a formula, or the sum of parts, in a frame, as numbers; arrays as they are."""
        if isinstance(formula, dict):
            return sum(self.number(part, frame) for part in formula.values())
        if isinstance(formula, np.ndarray | float):
            return formula
        if frame is not None and not isinstance(formula, sm.MatrixBase):
            formula = sm.zeros(3, 1) if formula == 0 else formula.to_matrix(frame)
        values, inputs = dict(self.kind.values), self.inverse.inputs
        for name, row in zip(("q", "u", "udot"), self.state, strict=True):
            values |= zip(inputs[name], row, strict=True)
        formula = sm.Matrix([formula] if isinstance(formula, sm.Expr) else formula)
        found = evaluate_matrix(formula, values)
        return found[:, 0] if found.shape[1] == 1 else found

    # -- the reference ------------------------------------------------------------------

    @cached_property
    def reference(self):
        kind, joints = self.kind, self.joints
        places = [own_frame(joint, end) for joint in joints for end in ("child", "parent")]
        places += [joint.child_point for joint in joints]
        return Reference(kind.model, kind.origin, kind.constants, places, self.inverse.solve_for)

    def at(self, udot=None, has_loads=False):
        """Return the reference for some accelerations, and with loads that are solved for."""
        loads = self.r.solved_loads if has_loads and self.inverse.solve_for else {}
        udot = self.udot if udot is None else udot
        return self.reference.at(self.q, self.u, udot, self.kind.values | loads)

    def wrench(self, k, output="joint_wrenches"):
        """Return a joint's wrench in the inertial frame, about its point; what is open is 0."""
        turn = self.bare.places[own_frame(self.joints[k])].place
        return np.ravel(np.nan_to_num(getattr(self.r, output)[k]).reshape(2, 3) @ turn.T)

    def twist(self, joint):
        """Return partial velocities of a joint's child relative to the parent, (6, n)."""
        places, twists = self.bare.places, []
        for end in ("child", "parent"):
            body = self.bare.bodies.get(getattr(getattr(joint, end), "name", None))
            twists.append(np.zeros((6, len(self.u))))
            if body is not None:
                spin = places[own_frame(joint, end)].partial
                shift = np.cross(spin.T, places[joint.child_point].place - body.center.place).T
                twists[-1] += np.vstack([body.center.partial + shift, spin])
        return twists[0] - twists[1]

    @property
    def closings(self):
        """The coefficients of the speeds in the constraints, (m, n)."""
        is_tree = "tree" in self.traits
        return np.zeros((0, len(self.u))) if is_tree else self.slope("constraint_errors", "u")[1]

    # -- differences --------------------------------------------------------------------

    def slope(self, output, wrt, method="inverse"):
        """Return the partial derivatives of an output by q, u or udot, by differences, (..., n)."""
        state, k, h = list(self.state), ("q", "u", "udot").index(wrt), 1e-3
        state[k] = state[k] + h * np.multiply.outer([2, 1, -1, -2], np.eye(len(state[k])))
        self.evaluate(method)  # the first call is looked at: steps beside the motion open loops
        rows = getattr(self.evaluate(method, *state), output)
        return np.moveaxis(np.tensordot([-1, 8, -8, 1], rows, 1) / (12 * h), 0, -1)

    def rate(self, output, method="inverse", udot=None):
        """Return the rate of an output along the motion."""
        udot = self.udot if udot is None else udot
        motion, h, total = self.at(tuple(udot)), 1e-3, 0.0
        for step, weight in ((2 * h, -1), (h, 8), (-h, -8), (-2 * h, 1)):
            numbers, given = motion.moved(step), self.given(method)
            if "specifieds" in given:
                given["specifieds"] = {s: numbers.get(s, x) for s, x in given["specifieds"].items()}
            if "times" in given:
                given["times"] += step
            q = [numbers[x] for x in self.reference.q]
            found = self.evaluate(method, q, self.u + step * udot, udot, **given)
            total = total + weight * getattr(found, output) / (12 * h)
        return total
