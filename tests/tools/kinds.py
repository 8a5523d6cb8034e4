"""Small models of all kinds, each in one state that closes its loops."""

from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
import sympy as sm
import sympy.physics.mechanics as me
import urdf_texts
from bodies import rigid_body, system_of
from classical import double_pendulum
from compliances import compliances
from constrained_models import chaplygin_sleigh, rolling_disc_with_places
from described import mapped
from described_models import random_chain, random_tree
from described_systems import Built
from linkages import slider_crank

import jointwrench as jw

T = me.dynamicsymbols._t


@dataclass
class Kind:
    """A System or KanesMethod with values of its symbols, a state, and what methods are told."""

    model: Any
    values: dict
    state: tuple
    common: dict = field(default_factory=dict)  # options of every method
    inverse: dict = field(default_factory=dict)  # options of InverseDynamics alone
    connections: Any = ()
    origin: Any = None

    def __post_init__(self):
        self.origin = self.origin or self.model.fixed_point

    @property
    def constants(self):
        return {s: x for s, x in self.values.items() if s.is_Symbol and s is not T}

    def method(self, cls, **options):
        """Return an object of a class of the package for this model."""
        names = ("loops", *(["frictions"] if cls is not jw.Kinematics else []))
        given = {x: v for x, v in self.common.items() if x in names} | options
        given |= self.inverse if cls is jw.InverseDynamics else {}
        if self.connections:
            return cls.from_kane(self.model, self.connections, **given)
        return cls(self.model, **given)


class Numbers:
    """Constants as symbols with values, or as numbers."""

    def __init__(self, is_numeric):
        self.is_numeric, self.values = is_numeric, {}

    def __call__(self, name, value):
        if self.is_numeric:
            return sm.Float(value)
        self.values[sm.Symbol(name)] = value
        return sm.Symbol(name)

    def rod(self, name, mass, length):
        """Return a uniform rod along x."""
        moment = mass * length**2 / 12
        return rigid_body(name, mass, 0, moment, moment)

    def kind(self, ground, *joints, loads=(), common=None, inverse=None, specifieds=None):
        """Return two bodies on joints, with weight."""
        system = system_of(ground, *joints, gravity=-self("g", 9.81) * ground.y)
        system.add_loads(*loads)
        values, state = self.values | (specifieds or {}), ([0.3, 0.5], [1.8, -0.6], [0.2, 0.9])
        return Kind(system, values, state, common or {}, inverse or {})


def described(make, seed, is_numeric=False, depends=False, **options):
    """Return a described model as it is, or with all its numbers as numbers."""
    model = make(seed)
    if is_numeric:
        model = mapped(model, lambda x: x if x.style == "exact" else replace(x, style="float"))
    built = Built(model)
    if depends:
        depend_on(built.system, model.actuated)
    state = [[float(x.value) for x in model.group(name)] for name in ("q", "u", "udot")]
    values = {**built.values, **built.specified, T: float(model.time.value)}
    one = {name: x for name, x in built.options.items() if name != "loops"} | options
    return Kind(built.system, values, state, {"loops": built.loops} if built.loops else {}, one)


def depend_on(system, places):
    """Let all coordinates and speeds depend on those at some places."""
    rest = [k for k in range(len(system.q)) if k not in places]
    (system.q_ind, system.q_dep), (system.u_ind, system.u_dep) = (
        [[group[k] for k in chosen] for chosen in (places, rest)] for group in (system.q, system.u)
    )


makers = random_tree, random_chain, partial(random_chain, planar=True)
tree, chain, planar = (partial(partial, described, make) for make in makers)


def elastic(make, is_numeric=False):
    """Return a redundant model with compliances of all that is undetermined."""
    kind = make(is_numeric=is_numeric)
    chosen = compliances(kind.model, **kind.common, **kind.inverse)
    return replace(kind, inverse={**kind.inverse, "redundancy": chosen})


def joined(kind, name, parent, child, at, of, axis=None):
    """Return a joint at a place of the parent and one of the child."""
    options = {"parent_point": at, "child_point": of, "joint_axis": axis}
    return kind(name, parent, child, **{x: v for x, v in options.items() if v is not None})


def beam(is_numeric=False, is_cut=False):
    """A rod, whole or cut in two, with a given force on its first part, and a rod at its end."""
    num, parts = Numbers(is_numeric), (0.4, 0.6) if is_cut else (1.0,)
    l, m, g = num("l", 0.8), num("m", 2.0), rigid_body("ground")
    rods, b = [num.rod(f"rod{part}", m * part, l * part) for part in parts], num.rod("b", 0.7, 0.4)
    near, far, start, end = rods[0], rods[-1], l / 2 * parts[0], l / 2 * parts[-1]
    force = me.dynamicsymbols("force")
    pulled = near.masscenter.locatenew("pulled", (l / 10 - start) * near.x)
    pulled.set_vel(near.frame, 0)
    p1 = joined(me.PinJoint, "p1", g, near, None, -start * near.x, g.z)
    welds = [joined(me.WeldJoint, "cut", near, far, start * near.x, -end * far.x)] if is_cut else []
    p2 = joined(me.PinJoint, "p2", far, b, end * far.x, 0.1 * b.x, far.y)
    pull = me.Force(pulled, (force + 3 * sm.sin(2 * T)) * near.y)
    given = {"loads": [pull], "specifieds": {force: 5.0, T: 0.37}}
    if not is_cut:
        ends = -start * near.x, start * near.x
        given["inverse"] = {"sections": [jw.Section.of_rod("cut", near, *ends, 0.4, [p2])]}
    return num.kind(g, p1, *welds, p2, **given)


def friction(is_numeric=False):
    """A pin and a slide with dry friction."""
    num, g = Numbers(is_numeric), rigid_body("ground")
    a, b = num.rod("a", num("m", 2.0), 0.5), num.rod("b", 1.1, 0.3)
    p1 = joined(me.PinJoint, "p1", g, a, None, num("l", 0.3) * a.y, g.z)
    p2 = joined(me.PrismaticJoint, "p2", a, b, -0.3 * a.y, None, a.x)
    laws = [jw.JointFriction(p1, num("mu", 0.2), radius=0.05), jw.JointFriction(p2, 0.15)]
    return num.kind(g, p1, p2, common={"frictions": laws})


def disc(is_numeric=False):
    """It rolls: the dependent speeds of a KanesMethod are those of a contact."""
    made, lean = rolling_disc_with_places(), 0.4
    (loop,) = made.loops
    state = ([0.3, lean, 0.5, 0.1, 0.2, 0.4 * np.cos(lean)], [0.5, 0.9, -0.3, 0, 0, 0])
    told = {"connections": made.connections, "origin": loop.parent.masscenter}
    state = *state, [0.3, -0.2, 0.6, 0, 0, 0]
    return Kind(made.kane, made.values, state, {"loops": [loop]}, **told)


def sleigh(is_numeric=False):
    """Chaplygin's: a KanesMethod whose dependent speed is that of a blade on ice."""
    made = chaplygin_sleigh()
    values = dict(zip(made.parts["symbols"], (2.0, 0.3, 0.4), strict=True))
    told = {"connections": made.connections, "origin": made.loops[0].parent.masscenter}
    state = ([0.3, 0.4, 0.5], [0.8, -0.6, 0.0], [0.2, 0.9, 0.0])
    return Kind(made.kane, values, state, {"loops": made.loops}, **told)


def crank(is_numeric=False):
    """A slider-crank whose motor is a force; where crank and rod are in line it does no work."""
    num, force = Numbers(is_numeric), sm.Symbol("force")
    system, rail = slider_crank(num("m", 1.5), force)
    state, common = ([0.7, -1.0], [0.8, 0.0], [0.3, 0.0]), {"loops": [rail]}
    return Kind(system, num.values, state, common, {"solve_for": [force]})


def absolute(is_numeric=False):
    """A KanesMethod of two bodies, whose speeds are absolute."""
    made = double_pendulum(absolute=True)
    told = {"connections": made.connections, "origin": made.connections[0][2]}
    kind = Kind(made.kane, {}, ([0.3, 0.5], [0.6, -0.9], [0.4, 0.2]), **told)
    constants = kind.method(jw.InverseDynamics).constants
    return replace(kind, values={s: 0.5 + 0.1 * k for k, s in enumerate(constants)})


def serial(is_numeric=False):
    """A SerialChain with a wrench on its tip."""
    num = Numbers(is_numeric)
    sizes = [(f"S{k}", num(f"l{k}", 0.4), num(f"m{k}", 1.5 - k / 2)) for k in range(2)]
    segments = [jw.Segment(*size, inertia=num("I", 0.03)) for size in sizes]
    made = jw.SerialChain(segments, gravity=(0, -num("g", 9.81), 0))
    push = me.Force(made.tip, num("F", 4.0) * made.ground.x)
    made.system.add_loads(push, me.Torque(made.bodies[-1].frame, 0.5 * made.ground.z))
    return Kind(made.system, num.values, ([0.3, 0.5], [0.8, -0.6], [0.2, 0.9]))


def urdf(is_numeric=False):
    joints = [("j1", "revolute", "base", "one"), ("j2", "prismatic", "one", "two")]
    parts = [urdf_texts.joint(*x, more=urdf_texts.LIMIT) for x in joints]
    text = urdf_texts.robot(urdf_texts.link("one"), urdf_texts.link("two", 2.0), *parts)
    return Kind(jw.robots.read_urdf(text).system, {}, ([0.3, 0.2], [0.8, -0.6], [0.2, 0.9]))


def mjcf(is_numeric=False):
    body = "<inertial pos='0.1 0 0.02' mass='1.5' diaginertia='0.01 0.02 0.025'/>"
    told = "damping='0.2' armature='0.05' stiffness='1.5'"
    text = (
        f"<mujoco><worldbody><body pos='0 0 0.3'><joint name='j1' axis='0 1 0' {told}/>{body}"
        f"<body pos='0.3 0 0' euler='0 0.4 0.1'><joint name='j2' axis='0 0 1'/>{body}"
        "</body></body></worldbody></mujoco>"
    )
    return Kind(jw.robots.read_mjcf(text).system, {}, ([0.3, 0.2], [0.8, -0.6], [0.2, 0.9]))


#: Each kind: how it is made, and its traits, on which laws depend.  The first five are quick.
KINDS = {
    "beam": (beam, "tree section free plain"),
    "friction": (friction, "tree friction free plain"),
    "sleigh": (sleigh, "loops kane dependent free conservative"),
    "crank": (crank, "loops dependent solved"),
    "ball": (tree(67), "tree quaternion free"),
    "disc": (disc, "loops kane dependent free conservative"),
    "linkage": (planar(6, depends=True), "loops dependent free"),
    "particle": (tree(12), "tree free"),
    "driven": (tree(68), "tree free driven"),
    "loaded": (tree(52), "tree free"),
    "sprung": (tree(43), "tree quaternion free"),
    "absolute": (absolute, "tree kane free"),
    "chain": (serial, "tree free plain"),
    "urdf": (urdf, "tree free plain"),
    "mjcf": (mjcf, "tree free plain"),
    "redundant": (chain(10, depends=True), "loops dependent free"),
    "elastic": (partial(elastic, planar(45)), "loops free shared"),
    "pressed": (planar(38), "loops solved"),
    "touching": (chain(38), "loops solved"),
    "welded": (chain(55), "loops free"),
    "carried": (planar(30, depends=True), "loops dependent free driven"),
}
