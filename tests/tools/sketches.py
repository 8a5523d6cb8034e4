"""Models by frames, points and bodies, and those whose tree is easily misread."""

import re

from classical import N, fixed_point
from sympy import cos, pi, sin, symbols
from sympy.physics.mechanics import (
    KanesMethod,
    Particle,
    ReferenceFrame,
    RigidBody,
    dynamicsymbols,
    inertia,
)

T = dynamicsymbols._t
Q, U = dynamicsymbols("q1:7"), dynamicsymbols("u1:7")
l, m, g = symbols("l m g")


class Sketch:
    """Frames, points and bodies by name; velocities follow from positions unless they are set."""

    def __init__(self, count):
        self.q, self.u = Q[:count], U[:count]
        self.O, self.points, self.bodies, self.loads = fixed_point(), [], [], []

    def turn(self, k, name, seen_from=N, axis=N.z):
        frame = ReferenceFrame(name)
        frame.orient_axis(seen_from, axis, self.q[k])
        frame.set_ang_vel(seen_from, self.u[k] * axis)
        return frame

    def point(self, name, step, origin=None):
        self.points.append((origin or self.O).locatenew(name, step))
        return self.points[-1]

    def body(self, name, center, frame, seen_in=None):
        about_center = inertia(seen_in or frame, 1, 1, 2), center
        self.bodies.append(RigidBody(name, center, frame, m, about_center))
        return self.bodies[-1]

    def particle(self, name, point):
        self.bodies.append(Particle(name, point, m))
        return self.bodies[-1]

    def kane(self):
        rates = {q.diff(T): u for q, u in zip(self.q, self.u, strict=True)}
        for point in self.points:
            if not point._vel_dict:
                point.set_vel(N, point.pos_from(self.O).dt(N).xreplace(rates))
        kdes = [rate - u for rate, u in rates.items()]
        return KanesMethod(N, self.q, self.u, kdes, bodies=self.bodies, forcelist=self.loads)


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


#: Each with the conventions that are told.
MISLEADING = {
    "links in one go": """
        frame A = N.z q1
        frame B = N.z q2
        frame C = N.z q3
        body a A = O + l / 2 * A.x; N O
        body b B = O + l * A.x + l / 2 * B.x; a bo
        body c C = O + l / 2 * C.x + l * A.x + l * B.x; b co""",
    "cart and pendulum in one go": """
        frame A = N.z q2
        body bob A = O + q1 * N.x + l * A.x; cart carto
        mass cart = O + q1 * N.x; N carto""",
    "hands that turn in ground": """
        frame A = N.z q1
        frame B = N.z q2
        body a A = O + l * A.x; N O
        body b B = O + l * B.x; N O""",
    "gimbals": """
        frame A = N.z q1
        frame B = A.x q2
        frame C = B.y q3
        body rotor C = O; inner O
        body outer A = O; N O
        body inner B = O; outer O""",
    "wrist": """
        frame A = N.z q1
        frame B = A.x q2
        frame C = B.y q3
        frame D = C.z q4
        point W = O + l * A.y
        body d D = W; c W
        body c C = W; b W
        body b B = W; a W
        body a A = O + l / 2 * A.y; N O""",
    "universal joint without its cross": """
        frame A = N.z q1
        frame B = A.x q2
        frame C = B.y q3
        frame D = C.x q4
        point P = O + l * A.y
        body d D = P + l * D.z; a P
        body a A = O + l / 2 * A.y; N O""",
    "block on a wedge": """
        frame A = N.z q3
        point W = O + q1 * N.x
        point B = W + q2 * N.x + q2 * N.y
        body bob A = B + l * A.x; block B
        mass block = B; wedge B
        mass wedge = W; N W""",
    "blocks on edges of a wedge": """
        frame E = N.z pi / 5
        frame F = N.z -pi / 5
        point W = O + q1 * N.x
        point top = W + l * N.y
        body down E = top - q2 * E.x; wedge downo
        body up F = top + q3 * F.x; wedge upo
        body wedge N = W; N W""",
    "sliders": """
        frame A = N.z q1
        frame B = N.z q2
        point P = O + l * A.x
        mass far = P + q3 * B.x; b faro
        mass near = O + q4 * A.x; a nearo
        body b B = P + l / 2 * B.x; a P
        body a A = O + l / 2 * A.x; N O""",
    "telescopic boom": """
        frame A = N.z q1
        frame B = N.z q3
        body boom A = O + l / 2 * A.x; N O
        point I = boomo + q2 * A.x
        point tip = I + l * A.x
        body load B = tip - l * B.y; inner tip
        body inner A = I; boom I""",
    "springs in a row": """
        point P = O + q1 * N.x
        point R = P + q2 * N.x
        mass c = R + q3 * N.x; b co
        mass b = R; a R
        mass a = P; N P""",
    "masses at pins": """
        frame A = N.z q2
        frame B = N.z q3
        point C = O + q1 * N.x
        point P = C + l * A.x
        mass knee = P
        body b B = P + l / 2 * B.x; a P
        body a A = C + l / 2 * A.x; cart C
        mass cart = C; N C""",
    "particles on one rod": """
        frame A = N.z q1
        frame B = N.z q2
        point P = O + l * A.x
        mass p = P; N O
        mass r = P + l * A.x
        mass t = P + l * B.x; p P""",
    "beads on a hoop": """
        frame A = N.z q1
        frame B = A.y q2
        mass one = O + l * B.x; hoop O
        mass other = O + l * sin(q3) * A.x - l * cos(q3) * A.z; hoop othero
        body hoop A = O; N O""",
    "polar coordinates twice": """
        frame A = N.z q1
        frame B = A.z q2
        point P = O + q3 * A.x
        mass far = P + q4 * B.x; near faro
        mass near = P; N P""",
    "points chained across bodies": """
        frame A = N.z q1
        frame B = N.z q2
        point base = O + 3 * N.x
        point ao = base + l * A.x
        point E = ao + l * A.x
        body b B = E + l * B.y; a E
        body a A = ao; N base
        body wall N = base""",
    "elbow behind its links": """
        frame A = N.z q1
        frame B = N.z q2
        body b B = O + l * A.x + l / 2 * B.x; a E
        point E = bo - l / 2 * B.x
        body a A = E - l / 2 * A.x; N O""",
    "pelvis between limbs": """
        frame A = N.z q3
        frame B = A.z q4
        frame C = A.z q5
        point P = O + q1 * N.x + q2 * N.y
        point hip = P - l * A.y
        point shoulder = P + l * A.y
        body arm C = shoulder - l * C.y; trunk shoulder
        body leg B = hip - l * B.y; trunk hip
        body trunk A = P; N P""",
    "support that is moved": """
        frame A = N.z q1
        frame B = A.z q2
        point C = O + sin(t) * N.x
        point E = C + l * A.x
        body b B = E + l * B.x; a E
        body a A = C + l / 2 * A.x; N C""",
    "hook that turns relative to another crane": """
        frame A = N.z q1
        frame C = N.z q2
        frame B = C.z q3
        point F = O + 5 * N.x
        point P = O + l * A.x
        body c C = F + l * C.x; N F
        body b B = P + l * B.x; a P
        body a A = O + l / 2 * A.x; N O""",
    "arms on a turntable": """
        frame A = N.z q1
        frame B = A.x q2
        frame C = A.y q3
        point E = O + l * A.y
        body c C = E + l * C.x; table E
        body b B = O + l * B.y; table O
        body table A = O; N O""",
    "bodies welded to bodies": """
        frame A = N.z q1
        frame B = N.z q2
        frame W = A.x pi / 6
        point P = O + l * A.x
        point R = P + l * W.y
        mass bolt = R
        body b B = R + l * B.x; a R
        body plate W = P + l / 3 * W.y
        body a A = O + l / 2 * A.x; N O""",
    "wheel in a fork, inertias in other frames": """
        frame A = N.z q1
        frame B = A.z q2
        point P = O + l * A.y
        body wheel B of A = P; fork P
        body fork A of N = O + l / 2 * A.y; N O""",
    "wheel and frame": """
        frame A = N.z q1
        frame W = A.y q2
        point hub W = O + l * A.z
        body wheel W = hub; N O
        point F A = hub + l * A.x
        body frame A = F; wheel hub""",
    "disc in a yoke": """
        frame Y = N.z q1
        frame L = Y.x q2
        frame R = L.y q3
        point C R = O + l * L.z
        body yoke L = C; disc C
        body disc R = C; N O""",
    "several bodies at one pin": """
        frame A = N.z q1
        frame B = N.z q2
        frame C = N.z q3
        point P = O + l * A.x
        body c C = P + l / 2 * C.x; a P
        body b B = P + l / 2 * B.x; a P
        body a A = O + l / 2 * A.x; N O""",
    "clock hands": """
        frame A = N.z q1
        frame B = A.z q2
        body hour A = O + l * A.x; N O
        body minute B = O + l * B.x; hour O""",
    "clock on a cart": """
        frame A = N.z q1
        frame B = A.z q2
        point C = O + q3 * N.x
        body minute B = C + l * B.x; hour C
        body hour A = C + l * A.x; cart C
        mass cart = C; N C""",
}
CONVENTIONS = {
    "several bodies at one pin": "c hangs on a at P, where b could hold it, too",
    "clock hands": "minute hangs on hour at O, where N could hold it, too",
    "clock on a cart": "minute hangs on hour at C, where cart could hold it, too",
}
