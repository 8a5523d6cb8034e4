"""Models by frames, points and bodies, and those whose tree is easily misread."""

import re
from pathlib import Path

import sympy.physics.mechanics as me
from classical import N, fixed_point
from sympy import cos, pi, sin, symbols

T = me.dynamicsymbols._t
Q, U = me.dynamicsymbols("q1:7"), me.dynamicsymbols("u1:7")
l, m, g = symbols("l m g")


class Sketch:
    """Frames, points and bodies by name; velocities follow from positions unless they are set."""

    def __init__(self, count):
        self.q, self.u = Q[:count], U[:count]
        self.O, self.points, self.bodies, self.loads = fixed_point(), [], [], []

    def turn(self, k, name, seen_from=N, axis=N.z):
        frame = seen_from.orientnew(name, "Axis", [self.q[k], axis])
        frame.set_ang_vel(seen_from, self.u[k] * axis)
        return frame

    def point(self, name, step, origin=None):
        self.points.append((origin or self.O).locatenew(name, step))
        return self.points[-1]

    def body(self, name, center, frame, seen_in=None):
        about_center = me.inertia(seen_in or frame, 1, 1, 2), center
        self.bodies.append(me.RigidBody(name, center, frame, m, about_center))
        return self.bodies[-1]

    def particle(self, name, point):
        self.bodies.append(me.Particle(name, point, m))
        return self.bodies[-1]

    def kane(self):
        rates = {q.diff(T): u for q, u in zip(self.q, self.u, strict=True)}
        for point in self.points:
            if not point._vel_dict:
                point.set_vel(N, point.pos_from(self.O).dt(N).xreplace(rates))
        kdes = [rate - u for rate, u in rates.items()]
        return me.KanesMethod(N, self.q, self.u, kdes, bodies=self.bodies, forcelist=self.loads)


LINE = re.compile(r"(\w+) (\w+)(?: (\w+))?(?: of (\w+))? = (\w+)(.*?)(?:; (\w+)(?: (\w+))?)?")


def sketch(text):
    """Return a model and (parent, child, point) as a person chose them, by the lines of a text.

    ``frame A = N.z q1``; ``point P = O + l * A.x``, with ``P A`` by the velocity of two points of
    A; ``body b B = P; a P`` hangs on a at P, ``= P + l * B.x`` has its mass centre bo there, ``B of
    A`` its inertia in A; ``mass`` is a particle; one without a parent is welded.
    """
    s = Sketch(max(int(index) for index in re.findall(r"\bq(\d)", text)))
    known = {"N": N, "O": s.O, "l": l, "t": T, "sin": sin, "cos": cos, "pi": pi}
    known |= {f"q{k}": q for k, q in enumerate(s.q, 1)}
    bodies, chosen = {"N": N}, []
    for line in filter(None, map(str.strip, text.splitlines())):
        kind, name, frame, other, origin, step, parent, joint = LINE.fullmatch(line).groups()
        if kind == "frame":
            axis, angle = step.split(maxsplit=1)
            inner = known[origin]
            axis = getattr(inner, axis[1:])
            if angle in known:
                known[name] = s.turn(s.q.index(known[angle]), name, inner, axis)
            else:
                known[name] = inner.orientnew(name, "Axis", [eval(angle, known), axis])
            continue
        point, frame = known[origin], known.get(frame)
        if step:
            own = name if kind == "point" else f"{name}o"
            step = eval(f"0 * N.x {step}", known)
            known[own] = s.point(own, step, point)
            if kind == "point" and frame:
                known[own].v2pt_theory(point, N, frame)
            point = known[own]
        if kind == "body":
            bodies[name] = s.body(name, point, frame, known.get(other))
        elif kind == "mass":
            bodies[name] = s.particle(name, point)
        if parent:
            chosen.append((parent, name, joint))
    return s, [(bodies[parent], bodies[child], known[point]) for parent, child, point in chosen]


TEXT = (Path(__file__).parents[1] / "data" / "misleading_models.txt").read_text(encoding="utf-8")
MISLEADING = dict(re.findall(r"(?ms)^# (.*?)\n(.*?)(?=^# |\Z)", TEXT))

#: Models of which evidence chooses some connections, so that a warning names their rivals.
CHOSEN = ("hands that turn in ground", "springs in a row", "several bodies at one pin")
CHOSEN += ("clock hands", "clock on a cart", "arm on a turntable")

#: Models whose joints move together, by something that the model does not name.
COUPLED = ("wheel and frame", "disc in a yoke")
