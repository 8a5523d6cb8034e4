"""A dense Newton-Euler balance of sympy's own bodies, loads and points: no code of the package.

Positions and orientations are functions of sympy in 60 digits; rates are their differences, which
are right to 30.  The rates of coordinates follow from the kinematical differential equations.
Components are in the inertial frame.
"""

from collections import namedtuple

import mpmath
import numpy as np
import sympy as sm
import sympy.physics.mechanics as me

T = me.dynamicsymbols._t
DIGITS, STEP = 60, mpmath.mpf("1e-15")

#: Of a point or a frame: place or orientation, rates, and partial rates by speeds, (3, n).
Motion = namedtuple("Motion", "place first second partial")
Body = namedtuple("Body", "mass inertia center turn")


def spin(matrix):
    """Return the vector w of a matrix whose product with r is w x r."""
    return (matrix - np.swapaxes(matrix, 0, 1))[[2, 0, 1], [1, 2, 0]] / 2


def turning(R, first, second, partial):
    """Return the motion of a frame, whose orientation and its rates have nine rows each."""
    R, first, second, partial = (x.reshape(3, 3, *x.shape[1:]) for x in (R, first, second, partial))
    turned = np.einsum("ijk,lj->ilk", partial, R)
    return Motion(R, spin(first @ R.T), spin(second @ R.T), spin(turned))


class Reference:
    """A System or KanesMethod with numbers for its constants; ``places`` are of interest, too."""

    def __init__(self, model, origin, values, places=(), unknowns=()):
        is_system = hasattr(model, "joints")
        self.frame, self.values = getattr(model, "frame", None) or model._inertial, values
        actuators = model.actuators if is_system else ()
        given = [*model.loads]
        given += [load for actuator in actuators for load in actuator.to_loads()]
        self.origin = origin
        self.loads = [me.Force(*x) if hasattr(x[0], "pos_from") else me.Torque(*x) for x in given]
        self.bodies = [body for body in model.bodies if body.masscenter is not origin]
        self.q, self.u = list(model.q), list(model.u)
        places = [*places, *(load[0] for load in self.loads)]
        for body in self.bodies:
            places += [body.masscenter, *([body.frame] if hasattr(body, "frame") else [])]
        places = {
            x: self.frame.dcm(x).reshape(9, 1)
            if hasattr(x, "dcm")
            else x.pos_from(origin).to_matrix(self.frame)
            for x in places
        }
        kdes = model.kdes if is_system else [x - y for x, y in model.kindiffdict().items()]
        vectors = [load.vector.to_matrix(self.frame) for load in self.loads]
        used = [me.find_dynamicsymbols(sm.Matrix([*x])) for x in (kdes, *places.values(), *vectors)]
        self.symbols = [*{*self.q, *self.u, T, *unknowns}.union(*used)]
        self.parts, self.kdes = [*places], self.function(kdes)
        self.lengths = np.cumsum([len(x) for x in places.values()])
        self.positions = self.function(sm.Matrix.vstack(*places.values()))
        self.vectors = self.function(sm.Matrix.vstack(sm.zeros(0, 1), *vectors))
        self.masses = self.function([x for b in self.bodies for x in (b.mass, *moments(b))])

    def function(self, expressions):
        """Return the function of a state, which is a dictionary of numbers by symbols."""
        names = {symbol: sm.Dummy() for symbol in self.symbols}
        formulas = sm.Matrix(list(expressions)).xreplace(self.values).xreplace(names)
        f = sm.lambdify([names.values()], list(formulas), "mpmath", cse=True)
        return lambda state: np.array(f([state.get(s, mpmath.mpf(0)) for s in names]), object)

    def rates(self, state):
        """Return the rates of coordinates, and their partial derivatives by speeds."""
        state = {**state, **dict.fromkeys([x.diff(T) for x in self.q], mpmath.mpf(0))}
        free = self.kdes(state)
        units = [{x.diff(T): mpmath.mpf(1)} for x in self.q], [{x: state[x] + 1} for x in self.u]
        by_rates, by_speeds = (
            np.stack([self.kdes(state | x) - free for x in group], -1) for group in units
        )
        inverse = -np.array((mpmath.matrix(by_rates.tolist()) ** -1).tolist(), object)
        inverse = inverse.reshape(by_rates.shape)
        return inverse @ free, inverse @ by_speeds

    def owner(self, point):
        """Return the first body whose mass centre a point is, or in which alone it is at rest."""
        for body in self.bodies:
            if point is body.masscenter:
                return body
        if not me.find_dynamicsymbols(point.pos_from(self.origin).to_matrix(self.frame)):
            return None
        for body in self.bodies:
            place = point.pos_from(body.masscenter).to_matrix(getattr(body, "frame", self.frame))
            if not me.find_dynamicsymbols(place):
                return body
        return None

    def at(self, q, u, udot, others=()):
        """Return the state of a motion; ``others`` are numbers of specified functions and time."""
        with mpmath.workdps(DIGITS):
            return State(self, q, u, udot, dict(others))


def moments(body):
    """Return the entries of a body's central inertia in its frame."""
    is_rigid = hasattr(body, "frame")
    return [*body.central_inertia.to_matrix(body.frame)] if is_rigid else [0] * 9


class State:
    """All bodies at one instant."""

    def __init__(self, reference, q, u, udot, others):
        self.reference = reference
        numbers = dict(zip((*reference.q, *reference.u), (*q, *u), strict=True)) | others
        numbers |= {x.diff(T): value for x, value in zip(reference.u, udot, strict=True)}
        numbers = {symbol: mpmath.mpf(float(value)) for symbol, value in numbers.items()}
        numbers.setdefault(T, mpmath.mpf(0))

        def moved(h):
            first = {x: numbers.get(x.diff(T), 0) for x in numbers} | {T: 1}
            second = {x: numbers.get(x.diff(T, 2), 0) for x in numbers} | {T: 0}
            return {x: v + h * first[x] + h * h / 2 * second[x] for x, v in numbers.items()}

        def shifted(way):
            pairs = zip(reference.q, way, strict=True)
            return reference.positions(numbers | {x: numbers[x] + d for x, d in pairs})

        self.qdot, by_speeds = reference.rates(numbers)
        numbers |= {x.diff(T): v for x, v in zip(reference.q, self.qdot, strict=True)}
        after, before = (reference.rates(moved(h))[0] for h in (STEP, -STEP))
        for x, a, b in zip(reference.q, after, before, strict=True):
            numbers[x.diff(T, 2)] = (a - b) / (2 * STEP)
        after, here, before = (reference.positions(moved(h)) for h in (STEP, 0, -STEP))
        steps = [STEP * way for way in by_speeds.T]
        partial = [(shifted(way) - shifted(-way)) / (2 * STEP) for way in steps]
        rows = here, (after - before) / (2 * STEP), (after - 2 * here + before) / STEP**2
        rows = np.stack([*rows, *partial], -1).astype(float)
        parts = np.split(rows, reference.lengths[:-1])
        self.places = {
            x: (turning if len(part) == 9 else Motion)(*part.T[:3], part[:, 3:])
            for x, part in zip(reference.parts, parts, strict=True)
        }
        self.qdot = self.qdot.astype(float)
        self.moved = lambda h: {x: float(value) for x, value in moved(mpmath.mpf(h)).items()}
        self.vectors = reference.vectors(numbers).astype(float).reshape(-1, 3)
        masses = reference.masses(numbers).astype(float).reshape(-1, 10)
        pairs = zip(reference.bodies, masses, strict=True)
        self.bodies = {body.name: self.body(body, *row) for body, row in pairs}

    def body(self, body, mass, *entries):
        center, still = self.places[body.masscenter], np.zeros(3)
        free = Motion(np.eye(3), still, still, 0 * center.partial)
        turn = self.places.get(getattr(body, "frame", None), free)
        return Body(mass, turn.place @ np.reshape(entries, (3, 3)) @ turn.place.T, center, turn)

    def net(self, name):
        """Return the force and the moment about the mass centre that a body's motion asks for."""
        mass, inertia, center, turn = self.bodies[name]
        spun = np.cross(turn.first, inertia @ turn.first)
        return np.array([mass * center.second, inertia @ turn.second + spun])

    def external(self, body):
        """Return force and moment about the mass centre that all known loads are on a body."""
        found, center = np.zeros((2, 3)), self.places[body.masscenter].place
        for load, vector in zip(self.reference.loads, self.vectors, strict=True):
            if isinstance(load, me.Torque):
                found[1] += vector * (load.frame is getattr(body, "frame", None))
            elif self.reference.owner(load.point) is body:
                found += vector, np.cross(self.places[load.point].place - center, vector)
        return found

    def demand(self):
        """Return what all speeds must be supplied with: Q of ``Fr(known loads) + Q + Fr* = 0``."""
        total = np.zeros(len(self.reference.u))
        for load, vector in zip(self.reference.loads, self.vectors, strict=True):
            total -= self.places[load[0]].partial.T @ vector
        for name, body in self.bodies.items():
            force, moment = self.net(name)
            total += body.center.partial.T @ force + body.turn.partial.T @ moment
        return total

    def mass_matrix(self):
        rows = ((b.center.partial, b.turn.partial, b.mass, b.inertia) for b in self.bodies.values())
        return sum(m * v.T @ v + w.T @ I @ w for v, w, m, I in rows)
