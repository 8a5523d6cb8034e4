"""Good calls of all public functions, cheap ones, from which bad calls are made.

Each group of calls is a function that makes its objects once, and yields functions with what they
are given by name.  What several groups use stands first.
"""

from dataclasses import replace
from functools import cache, cached_property
from pathlib import Path

import numpy as np
import osim_texts
import sympy.physics.mechanics as me
import urdf_texts
from bodies import rigid_body
from linkages import slider_crank
from made_body import MARKER_SETS
from made_body import body as made_body
from made_body import markers_of as markers_of_body
from made_walk import PERSON, markers_of, walk
from sympy import Symbol, sin

import jointwrench as jw

T = np.linspace(0, 1, 41)
VALUES = {"l_0": 0.5, "m_0": 2.0, "I_0": 0.04}
STATE = {"q": [0.1], "u": [0.2], "udot": [0.3]}
DATA = Path(__file__).parents[1] / "data"
TRIAL = jw.example_data("whole_trial")
ENERGIES = ["joint_wrenches", "kinetic_energies", "body_powers"]


class Fresh:
    """What a call changes: it is made for each call."""

    def __init__(self, make):
        self.make = make


class Pendulum:
    """One bar on a pin, and what is made of it."""

    def __init__(self):
        self.chain = jw.SerialChain.planar(1, gravity=(0, -10, 0))
        self.system = self.chain.system
        self.joint, self.body = self.chain.joints[0], self.chain.bodies[0]
        (self.q,) = self.chain.coordinates
        self.frame, self.ground = self.chain.frames[0], self.chain.ground
        self.points = {"tip": self.chain.tip}
        self.motion = jw.Trajectory.from_samples(T, np.sin(2 * T)[:, None])
        arrays = (self.motion.q, self.motion.u, self.motion.udot)
        self.data = {"motion": arrays, "forces": 0.5 * arrays[2] - 3 * np.sin(arrays[0])}

    @cached_property
    def idyn(self):
        return jw.InverseDynamics(self.system)

    @cached_property
    def fdyn(self):
        return jw.ForwardDynamics(self.system)

    @cached_property
    def evaluate(self):
        options = {"derivatives": ["q", "u", "constants"], "backend": "numpy"}
        return self.idyn.compile(["generalized_forces", "joint_wrenches"], **options)


@cache
def pendulum():
    return Pendulum()


def limb_from_file():
    return jw.musculoskeletal.read_osim(DATA / "muscles.osim")


@cache
def plate():
    force = np.outer((T > 0.2) & (T < 0.8), [0, 700.0, 0])
    return jw.recordings.ForcePlate.from_center_of_pressure(T, force, np.zeros((41, 3)))


def wrenches():
    """Yield calls of wrenches and observers."""
    N, O = me.ReferenceFrame("N"), me.Point("O")
    P = O.locatenew("P", 2 * N.x)
    A = N.orientnew("A", "Axis", [0.5, N.z])
    pull = jw.Wrench(P, 3 * N.y, N.z)
    m = Symbol("m")
    ball = me.Particle("ball", P, m)
    wheel = me.RigidBody("wheel", P, N, m)
    observer = jw.ObserverFrame(N, O, N, O)
    loads = [me.Force(P, 3 * N.y), (N, 4 * N.z)]
    P.set_vel(N, 0)
    yield jw.Wrench, {"point": P, "force": 3 * N.y, "moment": N.z}
    yield pull.about, {"point": O}
    yield pull.express, {"frame": A}
    yield pull.equals, {"other": pull}
    yield pull.equate, {"other": jw.Wrench.symbols("J", N, O), "frame": N}
    yield pull.power, {"body": wheel, "frame": N}
    yield pull.to_loads, {"body": wheel}
    yield pull.to_matrix, {"frame": A}
    yield pull.readable, {"named": True}
    yield (m * pull).subs, {"args": (m, 2)}
    yield (m * pull).xreplace, {"rule": {m: 2}}
    for call in (pull.central_axis, pull.doit, pull.simplify):
        yield call, {}
    for call in (pull.dt, pull.free_symbols, pull.free_dynamicsymbols):
        yield call, {"frame" if call == pull.dt else "reference_frame": A}
    yield pull.diff, {"var": m, "frame": N, "var_in_dcm": True}
    yield pull.applyfunc, {"f": abs}
    yield pull.msubs, {"sub_dicts": {m: 2}}
    yield pull.evalf, {"n": 15}
    yield jw.Wrench.dynamic, {"body": wheel, "frame": N}
    yield jw.Wrench.from_loads, {"loads": loads, "point": O}
    yield jw.Wrench.from_matrix, {"matrix": [1, 0, 0, 0, 0, 5], "frame": N, "point": P}
    yield jw.Wrench.symbols, {"name": "J", "frame": N, "point": P}
    yield jw.Wrench.weight, {"body": ball, "gravity": -9.81 * N.y}
    whose = {"frame": A, "attachment": O, "inertial_frame": N, "origin": O}
    yield jw.ObserverFrame, whose
    for call in (observer.acceleration, observer.position, observer.velocity):
        yield call, {"p": P}
    for call in (observer.dynamic_wrench, observer.fictitious_wrenches):
        yield call, {"body": ball}
    external = [jw.Wrench.weight(ball, -9.81 * N.y)]
    yield observer.joint_wrench, {"body": ball, "point": O, "external": external}


def models():
    """Yield calls that build models."""
    q, v = me.dynamicsymbols("q v")
    ground, body = rigid_body("ground"), rigid_body("body", mass=1)
    where = {"parent_point": ground.x, "child_point": body.x}
    where |= {"parent_interframe": ground.y, "child_interframe": body.y}
    bodies = {"name": "joint", "parent": ground, "child": body}
    six, speeds = me.dynamicsymbols("x y z a b c"), me.dynamicsymbols("u1:7")
    free = {**bodies, "coordinates": six, "speeds": speeds, **where, "rot_order": "ZXY"}
    yield jw.FreeJoint, free
    yield jw.QuaternionJoint, {**bodies, "coordinates": six[:4], "speeds": speeds[:3], **where}
    path = {"translation": [sin(q), 0, 0], "rotations": [(q, "z")]}
    yield jw.CoupledJoint, {**bodies, "coordinates": [q], "speeds": [v], **where, **path}
    other, disc = rigid_body("other"), rigid_body("disc")
    other.frame.orient_axis(ground.frame, ground.z, q)
    other.masscenter.set_pos(ground.masscenter, ground.x)
    closing = {**bodies, "child": other, "kind": "pin", "joint_axis": ground.z}
    yield jw.LoopJoint, {**closing, "parent_point": ground.y, "child_point": other.x}
    rod = {**bodies, "child": other, "kind": "rod", "child_point": other.x, "length": 2}
    yield jw.LoopJoint, rod
    disc.frame.orient_axis(ground.frame, ground.z, q)
    disc.masscenter.set_pos(ground.masscenter, v * ground.x + ground.y)
    point = disc.masscenter.locatenew("point", -ground.y)
    touching = {"directions": [ground.x], "surface_velocity": 2 * ground.x}
    yield jw.Contact, {"name": "tyre", "parent": ground, "child": disc, "point": point, **touching}
    law = {"joint": "pin", "coefficient": 0.2, "radius": 0.01, "static": 0.3, "stribeck_speed": 0.1}
    more = {"viscous": 0.1, "collar": 0.02, "supports": 0.3, "width": 1e-3, "one_sided": True}
    yield jw.JointFriction, {**law, **more}
    yield jw.JointFriction, {**law, "sense": 1}
    part = me.Particle("part", body.masscenter.locatenew("end", 2 * body.x), 1)
    cut = {"name": "half", "body": body}
    yield jw.Section, {**cut, "point": body.x, "part": part, "attached": []}
    rod = {"start": -body.x, "end": body.x, "fraction": 0.5, "attached": []}
    yield jw.Section.of_rod, {**cut, **rod}
    rod = {"start": -body.x, "end": body.x, "count": 3, "attached": []}
    yield jw.Section.along_rod, {**cut, **rod}
    segment = {"name": "thigh", "length": 0.4, "mass": 7, "center_of_mass": (0, 0.2, 0)}
    segment |= {"inertia": 0.1, "joint": "pin", "axis": "z", "direction": "y"}
    segment |= {"joint_name": "hip", "coordinates": ["bend"]}
    thigh = jw.Segment(**segment)
    yield jw.Segment, segment
    for call in (thigh.distal_vector, thigh.mass_center_vector, thigh.inertia_dyadic):
        yield call, {"frame": ground.frame}
    for call in (thigh.free_symbols, thigh.inertia_frame):
        yield call, {}
    options = {"name": "leg", "gravity": (0, -9.81, 0), "actuated": False}
    yield jw.SerialChain, {"segments": [thigh], **options}
    yield jw.SerialChain.planar, {"n": 2, **options}
    chain = jw.SerialChain.planar(2)
    yield chain.apply, {"wrench": jw.Wrench(chain.tip, 5 * chain.ground.x), "segment": -1}
    yield chain.kanes_method, {}


@cache
def bead():
    """Return the KanesMethod of a bead on a line, and its connection."""
    x, u = me.dynamicsymbols("x u")
    N, O = me.ReferenceFrame("N"), me.Point("O")
    P = O.locatenew("P", x * N.x)
    O.set_vel(N, 0)
    P.set_vel(N, u * N.x)
    body = me.Particle("bead", P, 1)
    return me.KanesMethod(N, [x], [u], [x.diff() - u], bodies=[body]), (N, body, O)


def inverse_dynamics():
    """Yield calls of inverse dynamics and kinematics as formulas."""
    p = pendulum()
    kane, connection = bead()
    body = p.body
    half = jw.Section.of_rod("half", body, -body.y, body.y, 0.5)
    choices = {"loops": [], "owners": {p.body.masscenter: p.body}}
    more = {"solve_for": [], "actuated": [], "redundancy": "nan", "sections": [half]}
    more |= {"frictions": [jw.JointFriction("S_0", 0.2, radius=0.01)]}
    yield jw.InverseDynamics, {"system": p.system, **choices, **more}
    given = {"kane": kane, "connections": [connection]}
    yield jw.InverseDynamics.from_kane, given
    idyn = jw.InverseDynamics(p.system, sections=[half])
    about, wrench = {"about": p.chain.tip, "frame": p.frame}, {"joint": "S_0"}
    for call in (idyn.joint_wrench, idyn.constraint_wrench):
        yield call, {**wrench, **about}
    yield idyn.formula, {"what": p.joint, **about}
    world = (p.ground.frame, p.ground.masscenter)
    yield idyn.contributions, {**wrench, "observer": jw.ObserverFrame(*world, *world)}
    yield idyn.derivation, {"joint": "S_0", "observer": jw.ObserverFrame(*world, *world)}
    text = idyn.derivation("S_0")
    yield text.check, {"states": 2, "backend": "numpy"}
    given = {"motion": ([0.1], [0.2], [0.3]), "constants": VALUES, "specifieds": None}
    yield text.numbers, {**given, "at": None, "units": {"force": "lbf"}}
    for call in (text.to_markdown, text.to_latex, text.to_html):
        yield call, {"path": None, "pictures": {"S_0": "a.png"}, "numbers": text.numbers(**given)}
    yield idyn.dynamic_wrench, {"body": p.body}
    yield idyn.section_wrench, {"section": "half"}
    rubbing = jw.InverseDynamics(p.system, frictions=more["frictions"])
    given = {"q": [0.1], "udot": [0.3], "constants": VALUES, "specifieds": None, "times": None}
    yield rubbing.locked, {**given, "u": [0.2]}
    yield rubbing.at_rest, {**given, "sense": [1], "outputs": "friction"}
    yield rubbing.self_locking, {**given, "sense": [1]}
    yield idyn.check_unchanged, {}
    yield idyn.count_ops, {"outputs": ["mass_matrix"]}
    yield idyn.program, {"outputs": "mass_matrix"}
    yield idyn.derivative, {"output": "generalized_forces", "wrt": "q"}
    yield idyn.hessian, {"output": "generalized_forces", "weights": [1], "wrt": "q"}
    seen = {"points": p.points, "frames": [p.frame], "relative_to": p.body, "frame": p.frame}
    yield idyn.kinematics, seen
    yield jw.Kinematics, {"system": p.system, **seen, **choices}
    kin = jw.Kinematics(p.system, p.points)
    seen = {"relative_to": p.body, "frame": p.frame}
    for call in (kin.position, kin.velocity, kin.acceleration, kin.bias_acceleration, kin.jacobian):
        yield call, {"point": "tip", **seen}
    angular = kin.angular_velocity, kin.angular_acceleration, kin.angular_bias_acceleration
    for call in (*angular, kin.angular_jacobian):
        yield call, {"of": "S_0", **seen}
    yield kin.orientation, {"frame": "S_0", "relative_to": p.body}
    for call in (kin.center_of_mass, kin.momentum):
        yield call, seen
    yield kin.kinematics, {"points": p.points}
    system, slider = slider_crank(1, 0)
    system.add_holonomic_constraints(*slider.holonomic_constraints)
    closed = jw.InverseDynamics(system, loops=[slider])
    pose = {"q": [1.5, -1], "u": [1, 0], "udot": [0, 0], "constants": {}, "guess": [1.5, -1]}
    yield closed.close_motion, pose


def indeterminate():
    """Yield calls of ranges of undetermined reactions."""
    p, limit = pendulum(), jw.Limit("S_0", "fx", high=20.0)
    yield jw.Limit, {"source": "S_0", "component": "fx", "low": 0.0, "high": 20.0}
    yield jw.Limit.contact, {"contact": "foot", "friction": 0.5, "sides": 16}
    yield jw.ranges, {"idyn": p.idyn, "motion": p.motion, "limits": [limit], "constants": VALUES}


def compiled():
    """Yield calls of compiled code."""
    p = pendulum()
    text = {"outputs": "generalized_forces", "constants": VALUES}
    slopes = {"derivatives": ["q"], "sparse": False}
    yield p.idyn.compile, {**text, "backend": "numpy", "threads": 1, **slopes}
    yield p.idyn.write_c, {"path": "idyn.c", **text, **slopes, "lanes": 8, "precision": "double"}
    yield p.idyn.write_casadi, {"path": "idyn.c", **text, "second_derivatives": False}
    yield p.evaluate.__call__, {**STATE, "constants": VALUES, "times": 0.0}
    yield p.evaluate.as_ufunc, {"arguments": ("q", "u", "udot"), "constants": VALUES}
    yield p.evaluate.save, {"path": "pendulum.json"}
    p.evaluate.save("loaded.json")
    yield jw.load, {"path": "loaded.json"}
    yield p.evaluate.derivative_sparsity, {"output": "generalized_forces", "wrt": "q"}
    given = {"arrays": ([0.1], [0.2], [0.3])}
    yield p.evaluate.as_ufunc("q", "u", "udot", constants=VALUES).__call__, given
    curved = p.idyn.compile("generalized_forces", VALUES, "numpy", second_derivatives=["q"])
    yield curved.__call__, {**STATE, "weights": [1.0]}
    yield curved.tensors, STATE
    yield curved.dense, {"hessian": curved(**STATE, weights=[1.0]).hessian}
    result = p.evaluate(p.motion, constants=VALUES)
    yield result.joint_wrench, {"joint": "S_0", "frame": "N", "components": "fx fy mz"}
    yield result.joint_wrench, {"joint": "S_0", "about": p.chain.tip, "constants": VALUES}
    for call in (result.joint_power, result.joint_work):
        yield call, {"joint": "S_0"}
    yield result.derivative, {"output": "generalized_forces", "wrt": "q", "sparse": False}
    yield result.over_cycles, {"events": [0.0, 1.0], "samples": 5}
    yield result.per_mass, {"mass": 2.0}
    for call in (result.columns, result.to_dataframe, result.to_table):
        yield call, {}
    parts = p.idyn.compile(["contributions", "joint_wrenches"], backend="numpy")
    parts = parts(p.motion, constants=VALUES)
    yield parts.joint_contributions, {"joint": "S_0"}
    yield parts.explain, {"joint": "S_0", "component": "mz", "at": 0.2}
    energies = p.idyn.compile(ENERGIES, backend="numpy")(p.motion, constants=VALUES)
    yield energies.energy_balance, {"residual": None}
    balance = energies.energy_balance()
    for call in (balance.errors, balance.works):
        yield call, {"cycles": [0.0, 1.0]}
    bars = p.idyn.compile("regressor", VALUES, "numpy", sparse=True)(**STATE)
    yield bars.packed, {"output": "regressor"}
    for call in (bars.packed("regressor").csr, bars.packed("regressor").dense):
        yield call, {}
    kin = jw.Kinematics(p.system, p.points, ["S_0"])
    places = ["positions", "velocities", "accelerations", "jacobians", "orientations"]
    turns = ["angular_velocities", "angular_accelerations", "angular_jacobians"]
    seen = kin.compile(places + turns, backend="numpy")(**STATE, constants=VALUES)
    whose = {"relative_to": None, "frame": None}
    for call in (seen.position, seen.velocity, seen.acceleration, seen.jacobian):
        yield call, {"point": "tip", **whose}
    angular = seen.angular_velocity, seen.angular_acceleration, seen.angular_jacobian
    for call in (seen.orientation, *angular):
        yield call, {"of": "S_0", **whose}


def forward():
    """Yield calls of forward dynamics."""
    p = pendulum()
    given = {"constants": VALUES, "specifieds": {}}
    state = {"q": [0.1], "u": [0.2]}
    yield jw.ForwardDynamics, {"system": p.system, "loops": [], "stabilization": 1.0}
    yield p.fdyn.compile(backend="numpy").__call__, {**state, "constants": VALUES}
    yield p.fdyn.kinematics, {"points": p.points}
    yield p.fdyn.linearize, {**state, "constants": VALUES, "inputs": [], "times": 0.0}
    yield p.fdyn.ode_function, {"constants": p.fdyn.constants, "specifieds": []}
    yield p.fdyn.rhs, given
    yield p.fdyn.pydy_system, {"constants": dict.fromkeys(p.fdyn.constants, 1.0), "times": T}
    simulated = {"times": T, **state, **given, "method": "RK45", "rtol": 1e-3, "atol": 1e-3}
    options = {"step": 0.1, "progress": False, "projection": False, "sensitivities": []}
    yield p.fdyn.simulate, {**simulated, **options}
    yield p.fdyn.reactions, {"times": T, "states": np.zeros((41, 2)), **given}
    t = me.dynamicsymbols._t
    checked = {"idyn": p.idyn, "motion": {p.q: 0.1 * t}, "times": [0.0, 0.1], "constants": VALUES}
    yield jw.crosscheck, {**checked, "tolerance": 1e-6, "max_steps": 1000, "backend": "numpy"}


def motions():
    """Yield calls of motions and of signals over time."""
    p, t = pendulum(), me.dynamicsymbols._t
    motion, wave = p.motion, np.sin(9 * T)
    arrays = {"q": motion.q, "u": motion.u, "udot": motion.udot}
    whose = {"idyn": p.idyn, "constants": VALUES}
    yield jw.Trajectory, {"times": T, **arrays, "names": ["q_0"]}
    yield motion.at, {"times": [0.5]}
    yield motion.between, {"start": 0.2, "end": 0.8}
    yield motion.resampled, {"times": [0.0, 0.5, 1.0]}
    for call in (motion.closed, motion.constraint_errors):
        yield call, whose
    functions = {"q": np.sin, "u": np.cos, "udot": lambda t: -np.sin(t)}
    yield jw.Trajectory.from_callables, {"times": T, **functions, **whose, "names": ["q_0"]}
    formulas = {"formulas": {p.q: 2 * t}, **whose}
    yield jw.Trajectory.from_formulas, {"times": T, **formulas}
    yield jw.PrescribedMotion, formulas
    yield jw.PrescribedMotion(**formulas).at, {"times": T}
    samples = {"times": T, "coordinates": wave[:, None], "trim": 0.1}
    flags = {"unwrap": False, "degrees": False, "quaternions": []}
    yield jw.Trajectory.from_samples, {**samples, "speeds": wave[:, None], **flags}
    smoothing = {"cutoff": 6.0, "method": "butterworth", "gaps": "fill", "max_gap": 0.1}
    smoothing |= {"rate": 50.0, "filter": "winter", "ends": "natural"}
    yield jw.signals.Smoothing, smoothing
    yield jw.signals.Smoothing, {"cutoff": 6.0, "order": 2}
    smooth = jw.signals.Smoothing(cutoff=6.0)
    yield jw.Trajectory.from_samples, {**samples, "smoothing": smooth}
    yield jw.Trajectory.from_samples, {**samples, **whose, "cutoff": 6.0, "gaps": "fill"}
    yield jw.signals.butterworth, {"times": T, "values": wave, "cutoff": 6.0, "filter": "winter"}
    yield jw.signals.residual_analysis, {"times": T, "values": wave, "cutoffs": np.arange(3.0, 10)}
    yield jw.signals.smoothing_spline, {"times": T, "values": wave, "cutoff": 6.0, "half_order": 2}
    yield jw.normalise_cycles, {"times": T, "values": wave, "events": [0.0, 0.5, 1.0], "samples": 5}
    yield jw.Table, {"times": T, "names": ["a"], "array": wave[:, None], "header": {"a": "b"}}
    limits = {"start": 0.2, "end": 0.8}
    places = 1 + np.stack([np.stack([T, T, wave], -1)] * 2, 1)
    markers = jw.recordings.Markers(T, ["heel", "toe"], places, {"Units": "mm"})
    yield jw.recordings.Markers, {"times": T, "names": ["heel", "toe"], "positions": places}
    yield markers.between, limits
    yield markers.of_subject, {"subject": None}
    yield markers.only, {"names": ["toe"]}
    yield markers.smoothed, {"smoothing": smooth}
    yield markers.turned, {"axes": "y z x"}
    yield markers.in_metres, {}


def plates():
    """Yield calls of force plates."""
    given, contact = plate(), {"threshold": 20.0, "release": 10.0, "least": 0.05, "baseline": 0.2}
    force, zero = np.tile([0.0, 700.0, 0], (41, 1)), np.zeros((41, 3))
    made = {"times": T, "force": force, "moment": zero, "origin": [0.0, 0, 0], "vertical": "y"}
    corners = [[0.0, 0, 0], [1, 0, 0], [1, 0, 1]]
    yield jw.recordings.ForcePlate, {**made, "corners": corners}
    pressed = {"center": zero, "free_moment": 0 * T, "vertical": "y"}
    yield jw.recordings.ForcePlate.from_center_of_pressure, {"times": T, "force": force, **pressed}
    columns = {"columns": {"F": 0 * T, "M": 0 * T + 700}, "channels": {"fy": "F", "mz": "M"}}
    named = {"times": T, **columns, "origin": None, "vertical": "y"}
    yield jw.recordings.ForcePlate.from_columns, named
    yield given.at, {"times": [0.5]}
    yield given.during, {"start": 0.2, "end": 0.8}
    for call in (given.center_of_pressure, given.free_moment):
        yield call, {"height": 0.0, "threshold": 10.0}
    for call in (given.contact_rows, given.contacts):
        yield call, contact
    yield given.filtered, {"cutoff": 6.0, "filter": "winter"}
    yield given.turned, {"axes": "x -z y"}
    yield given.zeroed, {"threshold": 20.0}
    foot = np.tile([[-0.05, 0, 0], [0.15, 0, 0.0]], (41, 1, 1))
    own = {"plate": given, "foot": foot, "mass": 70.0, "up": [0, 1.0, 0]}
    yield jw.recordings.check_ground_reaction, own
    feet = {"left": foot, "right": np.add(foot, [0, 0.3, 0])}
    options = {"threshold": 20.0, "cutoff": 6.0, "filter": "winter"}
    yield jw.recordings.ground_reactions, {"plates": [given], "times": T, "feet": feet, **options}
    leg = Fresh(lambda: jw.SerialChain.planar(3))
    whose = {"model": leg, "segment": -1, "name": "plate", "components": "fx fy mz"}
    yield jw.ExternalWrench, whose
    ground = jw.ExternalWrench(**{**whose, "model": leg.make()})
    yield ground.functions, {"plate": given}
    yield ground.specifieds, {"values": given}


def markers():
    """Yield calls of markers, joint centres and limbs."""
    ends = {"proximal": [[0, 1.0]], "distal": [[0.1, 0.9]]}
    yield jw.gait.segment_angles, {**ends, "zero": 0.1}
    yield jw.gait.segment_lengths, ends
    t = np.linspace(0, 3, 301)
    path = np.stack([1.2 * t, 0 * t, 0 * t + 1], -1)
    heel = path + np.stack([0.4 * np.sin(2 * np.pi * t), 0 * t, 0 * t - 1], -1)
    steps = {"heel": heel, "toe": heel, "pelvis": path, "side": "left", "vertical": "z"}
    yield jw.recordings.gait_events, {"times": t, **steps}
    knee, ankle = (np.tile([0, height], (41, 1)) for height in (0.5, 0.1))
    shank = {"name": "shank", "proximal": knee, "distal": ankle, "mass": 3.0, "center": 0.433}
    shank |= {"inertia": 0.05, "joint": "knee", "joint_center": knee, "direction": "-y"}
    shank["sequence"] = "zxy"
    yield jw.gait.MarkerSegment, shank
    segments = {"segments": [jw.gait.MarkerSegment(**shank)], "loads": {"shank": plate()}}
    yield (
        jw.gait.segment_wrenches,
        {"times": T, **segments, "gravity": (0, -9.81, 0), "cutoff": 6.0},
    )
    result = jw.gait.segment_wrenches(T, **segments)
    yield result.joint_wrench, {"joint": "knee", "frame": None, "components": "fx fy"}
    yield result.joint_power, {"joint": "knee"}
    walking = markers_of(walk(T)[0], T=T)
    options = {"marker_set": "plug-in gait", "static": walking, "foot_flat": True}
    options["hip"] = "harrington"
    widths = {"leg_length": 0.9, "knee_width": 0.1, "ankle_width": 0.08, "marker_radius": 0.007}
    whose = {"markers": walking, "person": PERSON}
    yield jw.gait.lower_limbs, {**whose, **options, **widths}
    yield jw.gait.lower_limbs(**whose, **widths).segments, {"side": "left"}
    axes = ("z", "ankle_medial", "ankle"), ("y", "@ankle", "@knee")
    frame = {"origin": "@ankle", "first": axes[0], "second": axes[1]}
    yield jw.gait.Frame, frame
    single = {"markers": {"left_psis": "SACR"}, "sequences": {"pelvis": "yxz"}}
    frames = {"frames": {"shank": jw.gait.Frame(**frame)}}
    yield jw.gait.MarkerSet, {"name": "cgm2", **single, **frames}
    yield jw.gait.MarkerSet("cgm2").roles, {"parts": ("legs", "arms")}
    arms = markers_of_body(made_body(T), MARKER_SETS["isb"], T)
    options = {"marker_set": "isb", "static": arms, "elbow_width": 0.07, "marker_radius": 0.007}
    yield jw.gait.upper_limbs, {"markers": arms, "person": PERSON, **options}
    yield jw.gait.upper_limbs(arms, PERSON, "isb").segments, {"side": "left"}


def persons():
    """Yield calls of persons and models of them."""
    size = {"height": 1.75, "mass": 70.0, "table": "winter", "lengths": {"thigh": 0.45}}
    yield jw.gait.Person, size
    yield jw.gait.planar_body, {**size, "gravity": 9.81}
    yield jw.gait.planar_leg, {**size, "gravity": 9.81, "trunk": False, "actuated": False}
    row = {"mass": 0.05, "center": 0.43, "radius": 0.3, "length": 0.25, "ends": "knee to ankle"}
    yield jw.gait.SegmentRow, row
    rows = {"thigh": jw.gait.SegmentRow(**row)}
    yield jw.gait.SegmentTable, {"name": "own", "source": "here", "sex": None, "rows": rows}
    own = jw.gait.SegmentTable("own", "here", None, rows)
    yield own.with_rows, {"shank": jw.gait.SegmentRow(**row)}
    leg = jw.gait.planar_leg(1.75, 70.0)
    idyn = jw.InverseDynamics(leg.system)
    result = idyn.compile(backend="numpy")(*np.zeros((3, 5)), constants=leg.constants_of(idyn))
    neutral = {"neutral": {"knee": 5.0}, "frame": "segment"}
    yield jw.gait.clinical_curves, {"result": result, **neutral}
    curves = jw.gait.ClinicalCurves({"knee_flexion": 0 * T, "knee_power": 0 * T}, T)
    yield curves.to_table, {}
    yield curves.of_joint, {"joint": "knee", "plane": "sagittal"}
    yield jw.recordings.Event, {"time": 0.25, "label": "Foot Strike", "side": "left"}
    loads = jw.recordings.read_external_loads(TRIAL / "walk_grf.xml")
    folder = jw.recordings.read_trc(TRIAL / "walk.trc"), [load.plate for load in loads]
    yield jw.gait.GaitTrial, {"markers": folder[0], "plates": folder[1], "events": []}
    cycle = jw.gait.GaitCycle(0, "left", 0.0, 0.62, 1.0, 0.6, 1.2, True)
    report = jw.gait.GaitReport((cycle,), {"knee_left_flexion": np.full((1, 101), 20.0)}, 70.0)
    for call in (report.deviation, report.mean):
        yield call, {"name": "knee_left_flexion"}
    yield report.of_side, {"side": "left"}
    yield report.normal_of, {"name": "knee_left_flexion"}
    errors = {"knee_left_flexion": {"markers": np.ones(101)}}
    yield replace(report, errors=errors).error, {"name": "knee_left_flexion"}
    for call in (report.parameters, report.to_table, report.to_dataframe):
        yield call, {}
    given = {"mass": 70.0, "height": 1.8, "hip": "harrington", "frame": "segment"}
    options = {"cutoff": 6.0, "plate_cutoff": 20.0, "vertical": "z", "marker_set": "plug-in gait"}
    trials = jw.recordings.read_c3d(jw.example_data("two_plates.c3d"))
    options |= {"audit": "warn", "subject": None, "upper": None, "foot_flat": False}
    yield jw.gait.gait_report, {"trials": trials, "table": "winter", **given, **options}
    audit = jw.gait.TrialAudit(0, (), T, {"foot_left": 0 * T + 0.2}, {"left": 0 * T}, {})
    yield audit.of_verdict, {"verdict": "ok"}
    drawn = {"plane": "sagittal", "joints": ["knee"]}
    yield jw.gait.plot_gait_report, {"report": report, **drawn}
    yield jw.gait.plot_gait_page, {"report": report}
    yield jw.gait.plot_gait_report, {"report": curves, "label": "left"}


def pictures():
    """Yield calls that draw."""
    p = pendulum()
    moved = {"model": p.chain, "motion": p.motion, "constants": VALUES}
    shown = {"result": p.evaluate(p.motion, constants=VALUES), "joints": ["S_0"]}
    up = {"ground": None, "units": "m"}
    yield jw.pictures.plot_stick_figure, {**moved, **shown, **up, "times": [0.0, 1.0], "view": "xy"}
    yield jw.pictures.plot_stick_figure, {**moved, "labels": ["a"], "times": [0.0], "spacing": 0.1}
    film = {"fps": 2.0, "speed": 1.0, "dpi": 80, "view": "xy", "progress": False}
    yield jw.pictures.animate, {**moved, **up, **film}
    page = {"up": "y", "speed": 1.0, "title": "a", "markers": None}
    yield jw.pictures.interactive_view, {**moved, **shown, **up, **page}
    yield jw.pictures.interactive_view(**moved).save, {"path": "view.html"}
    evaluate = p.idyn.compile(["contributions", "joint_wrenches"], backend="numpy")
    parts = evaluate(p.motion, constants=VALUES)
    units = {"units": {"force": "N"}}
    free = {"motion": p.motion, "body": "S_0", "constants": VALUES, "at": 0.2, "view": "xy"}
    yield jw.pictures.plot_free_body, {"idyn": p.idyn, **free, **units, "numbers": True}
    one = {x: free[x] for x in ("motion", "constants", "at", "view")}
    text = {"text": p.idyn.derivation("S_0"), "idyn": p.idyn}
    yield jw.pictures.draw_derivation, {**text, **one, **units, "numbers": True}
    yield jw.pictures.draw_derivation(**text, **one).save, {"path": "page.html"}
    chosen = {"result": parts, "joint": "S_0", "components": "mz", **units}
    yield jw.pictures.plot_contributions, chosen
    circle = np.stack([np.cos(T), np.sin(T)], -1)
    drawn = {"positions": [circle], "speeds": np.ones((1, 41)), "labels": ["C"], "cmap": "viridis"}
    yield jw.pictures.plot_trajectories, drawn
    names = {"joints": ["hip"], "components": "fx mz", **units}
    yield jw.pictures.plot_wrenches, {"times": T, "wrenches": np.ones((41, 1, 6)), **names}


def estimates():
    """Yield calls of identification and uncertainty."""
    p = pendulum()
    data, constants = {"idyn": p.idyn, **p.data}, {"constants": {}}
    found = jw.identification.identify(**data)
    yield jw.identification.base_parameters, {"idyn": p.idyn, "joints": ["S_0"], "tolerance": 1e-8}
    way = {"method": "ols", "noise": "white", "loss": "linear"}
    yield jw.identification.identify, {**data, **constants, **way}
    yield found.predict, {"motion": p.data["motion"]}
    yield found.validate, p.data
    loaded = {"unloaded": found, "body": "S_0", **p.data}
    yield jw.identification.identify_payload, {**loaded, **constants}
    yield found.to_dataframe, {}
    (speed,) = p.chain.speeds
    kinds = {"kinds": ("viscous", "Coulomb"), "smooth": 0.1}
    yield jw.identification.friction_terms, {"speeds": [speed], **kinds}
    t = np.linspace(0, 10, 500)
    recorded = {"coordinates": np.sin(2 * t)[:, None], "forces": np.cos(2 * t)[:, None]}
    log = {"times": t, **recorded, "idyn": p.idyn, "cutoff": 5.0, "rate": 40.0}
    yield jw.identification.TorqueLog.from_samples, log
    state = ([0.0], [0.0], [0.0])
    errors = {"standard_deviations": {"q": 0.01, "m_0": 0.1}, "constants": VALUES}
    unsure = {"evaluate": p.evaluate, "motion": state, **errors}
    by = {"causes": {"all": {"q": [0.1]}}, "method": "first_order"}
    yield jw.propagation.uncertainty, {**unsure, **by}
    yield jw.propagation.uncertainty, {**unsure, "method": "monte_carlo", "samples": 10, "seed": 1}
    yield jw.propagation.uncertainty(**unsure).covariance, {"output": "generalized_forces"}
    drawn = jw.propagation.uncertainty(**unsure, method="monte_carlo", samples=10, seed=1)
    yield drawn.quantile, {"level": 0.5}
    seen = {"tip": [[-0.3, 0.4, 0.0]] * 8}
    tracking = {"model": p.chain, "markers": seen, "points": p.points, "times": np.arange(8.0)}
    options = {"weights": {"tip": 1.0}, "bounds": {"q_0": (-3, 3)}, "standard_deviations": 0.001}
    lengths = {"constants": {"l_0": 0.5}, "start": [0.1]}
    yield jw.inverse_kinematics, {**tracking, **options, **lengths}
    fitted = jw.inverse_kinematics(**tracking, **lengths, standard_deviations=0.001)
    yield fitted.misplaced, {"size": 0.01}
    arm, lengths = jw.SerialChain.planar(2), {"constants": {"l_0": 0.5, "l_1": 0.5}}
    wanted = {"points": {"tip": arm.tip}, "frames": {"end": arm.frames[1]}, "weights": {"end": 1.0}}
    wishes = {"targets": {"q_0": (0.1, 1.0)}}
    more = {"bounds": {"q_0": (-3, 3)}, "prescribed": {}, **wishes, **lengths}
    yield jw.PoseSolver, {"model": arm, **wanted, **more}
    reach, path = jw.PoseSolver(arm, **wanted, **lengths), {"tip": [[-0.3, 0.4, 0.0]] * 2}
    options = {"start": [0.1, 0.2], "follow": True, "restarts": 2}
    yield reach.__call__, {"places": path, "orientations": {"end": np.eye(3)}, **options}
    yield reach.write_c, {"path": "arm_poses.c", "steps": 2}


def muscles():
    """Yield calls of muscles."""
    pull, strong = me.dynamicsymbols("pull strong")
    chain = jw.SerialChain.planar(1, gravity=(0, -9.81, 0))
    moment = 0.04 * pull + 0.02 * strong
    turning = me.TorqueActuator(moment, chain.ground.z, chain.frames[0], chain.ground.frame)
    chain.system.add_actuators(turning)
    sizes = {"muscles": {pull: 4e-4, strong: 6e-4}, "constants": VALUES}
    state = ([-0.5], [0.0], [0.0])
    more = {"reserves": {"u_0": 1.0}, "strengths": [100.0, 100.0]}
    idyn = jw.InverseDynamics(chain.system)
    yield jw.musculoskeletal.static_optimization, {"idyn": idyn, "motion": state, **sizes, **more}
    model, q = limb_from_file(), [0.0] * 4
    which = {"model": model, "muscles": ["via"]}
    yield model.muscles["via"].strength, {"lengths": [0.29, 0.31], "rates": [0.0, 0.0]}
    yield jw.musculoskeletal.MuscleGeometry, which
    yield jw.musculoskeletal.MuscleGeometry(**which).__call__, {"q": q, "constants": {}}
    yield jw.musculoskeletal.MuscleDriven, {**which, "model": Fresh(limb_from_file)}
    yield jw.musculoskeletal.MuscleDriven(**which).specifieds, {"q": q, "tensions": [100.0]}


def files():
    """Yield calls that read and write files."""
    table = jw.Table([0.0, 1.0], ["knee"], np.ones((2, 1)))
    yield jw.recordings.write_csv, {"path": "knee.csv", "table": table, "digits": 9}
    written = {"path": "knee.sto", "table": table, "name": "knee", "digits": 9}
    yield jw.recordings.write_storage, written
    example = jw.example_data
    yield example, {"name": "panda.urdf"}
    yield jw.recordings.read_c3d, {"path": example("two_plates.c3d"), "baseline": False}
    named = {"path": example("walking_trial.txt"), "time": None, "delimiter": None}
    yield jw.recordings.read_csv, named
    yield jw.recordings.read_storage, {"path": TRIAL / "walk_grf.mot"}
    yield jw.recordings.read_trc, {"path": TRIAL / "walk.trc", "units": None}
    grf = {"path": TRIAL / "walk_grf.xml", "data": TRIAL / "walk_grf.mot", "vertical": "y"}
    yield jw.recordings.read_external_loads, grf
    yield jw.musculoskeletal.read_tracking_tasks, {"path": TRIAL / "setup_ik.xml"}
    rod = urdf_texts.joint("hinge", "continuous", "base", "rod", "0 1 0")
    rod = urdf_texts.robot(urdf_texts.link("rod", 2), rod)
    options = {"gravity": (0, 0, -9.81), "symbolic": False, "nonphysical": "refuse"}
    yield jw.robots.read_urdf, {"source": rod, "floating": False, **options}
    robot = jw.robots.read_urdf(rod)
    for call in (robot.to_mujoco, robot.to_pinocchio):
        yield call, {**STATE, "forces": [1.0], "joints": ["hinge"]}
    yield robot.from_mujoco, {"qpos": [0.1], "qvel": [0.2], "qacc": [0.3], "qfrc": [1.0]}
    there = robot.to_pinocchio(**STATE)
    yield robot.from_pinocchio, {"q": there.q, "v": there.u, "a": there.udot, "joints": ["hinge"]}
    yield robot.inverse_dynamics, {"loops": []}
    yield robot.forward_dynamics, {"stabilization": 0.0}
    yield robot.kinematics, {"points": {}}
    shank = osim_texts.body("shank", 3, (0, -0.2, 0), (0.05, 0.005, 0.05))
    knee = osim_texts.joint("PinJoint", "knee", "ground", (0, 0, 0), "shank", ["bend"])
    bar = osim_texts.document("leg", shank, knee)
    yield jw.musculoskeletal.read_osim, {"source": bar, "symbolic": False, "nonphysical": "refuse"}
    swing = (
        '<mujoco><worldbody><body><joint axis="0 1 0"/><geom size="1"/></body></worldbody></mujoco>'
    )
    own = {"gravity": (0, 0, -9.81), "symbolic": False, "actuators": "leave"}
    yield jw.robots.read_mjcf, {"source": swing, **own}
    door = (
        '<sdf version="1.7"><model name="door"><link name="leaf"/><joint name="hinge" '
        'type="revolute"><parent>world</parent><child>leaf</child><axis><xyz>0 0 1</xyz></axis>'
        "</joint></model></sdf>"
    )
    yield jw.robots.read_sdf, {"source": door, "floating": True, "nonphysical": "refuse"}
    yield jw.clear_cache, {}
    yield jw.show_versions, {}


GROUPS = (wrenches, models, inverse_dynamics, indeterminate, compiled, forward, motions, plates)
GROUPS += (markers, persons, pictures, estimates, muscles, files)
