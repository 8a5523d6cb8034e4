"""Laws of what is promised, as data: a sentence, what it is of, and on which kinds of models.

``equal`` has promises and what each of them is equal to; a ``law`` yields pairs of what is equal.
Outputs are named with their method: "inverse: bias".
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sm
from case import own_frame
from kinds import KINDS, T, beam
from promises import METHODS, names_in
from scipy.integrate import cumulative_trapezoid
from scipy.linalg import null_space

import jointwrench as jw

LAWS, COMPONENTS = [], ("fx", "fy", "fz", "mx", "my", "mz")


@dataclass(frozen=True)
class Law:
    """What is equal, on kinds with all traits, but for those with a minus, which none has.

    A dear one is tried on one quick kind alone.
    """

    sentence: str
    promises: tuple[str, ...]
    traits: str
    pairs: Any
    within: float = 1e-9
    is_dear: bool = False

    def __str__(self):
        return self.promises[0]

    def applies(self, kind):
        own = KINDS[kind][1].split()
        return all((x.strip("-") in own) != x.startswith("-") for x in self.traits.split())

    def differences(self, case):
        """Yield what is not equal, in words; a law that compares nothing is broken.

        Of what is open, which has a law, NaN are equal to anything.
        """
        for k, pair in enumerate(list(self.pairs(case)) or [(0, 1)]):
            found, expected = (np.asarray(x, float) for x in pair)
            expected = expected if expected.ndim else np.full(found.shape, expected)
            if case.inverse.undetermined and found.shape == expected.shape:
                is_known = ~np.isnan(found + expected)
                found, expected = found[is_known], expected[is_known]
            size = self.within * np.max(np.abs(expected), initial=1.0)
            if found.shape != expected.shape or not (np.abs(found - expected) <= size).all():
                yield f"pair {k}: {found.tolist()} is not {expected.tolist()}"


def law(text, **options):
    """Note a law of promises, which its kinds' traits may follow; its sentence is the docstring."""
    promises, _, traits = text.partition("|")

    def note(pairs):
        LAWS.append(Law(pairs.__doc__, names_in(promises), traits, pairs, **options))
        return pairs

    return note


def equal(sentence, of):
    """Note that promises are equal to what functions of a case return."""
    for text, make in of.items():
        names = names_in(text.partition("|")[0])

        def pairs(c, names=names, make=make):
            return ((c[x], make(c)) for x in names)

        pairs.__doc__ = sentence
        law(text)(pairs)


def outputs(kind):
    """Return the outputs of each method of which a law speaks for a kind."""
    names = [name.split(".") for law in LAWS if law.applies(kind) for name in law.promises]
    return {x: list(dict.fromkeys(name for own, name in names if own == x)) for x in METHODS}


@law("inverse: joint_wrenches; Result: joint_wrench")
def bodies_are_in_balance(c):
    """With weight and loads they make the net wrench of each body, about its mass centre."""
    for body in c.reference.bodies:
        pairs = [(j, x, sign) for j in c.joints for x, sign in ((j.child, 1), (j.parent, -1))]
        ends = [(j, sign) for j, x, sign in pairs if getattr(x, "name", None) == body.name]
        where = {"about": body.masscenter, "frame": c.reference.frame}
        total = np.ravel(c.full.external(body) - c.full.net(body.name))
        if any(sign > 0 for _, sign in ends):  # others move as given
            yield total + sum(s * c.r.joint_wrench(j.name, **where) for j, s in ends), 0


@law("InverseDynamics: undetermined; inverse: joint_wrenches | -shared")
def open_components_are_named(c):
    """What is NaN is named, and nothing else is."""
    told = [c.inverse.undetermined.get(joint, ()) for joint in c.joints]
    yield np.isnan(c.r.joint_wrenches), [[x in names for x in COMPONENTS] for names in told]


def speeds_are_supplied(c):
    """Motors, closings, frictions, solved loads and what is unsupplied make up the demand."""
    rest = c.full.demand() - np.nan_to_num(c.r.generalized_forces) - c.r.unsupplied
    if "friction" in c.traits:
        rest = rest - c.r.friction @ c.slope("sliding_speeds", "u")
    rest, open_ = rest - np.nan_to_num(c.r.multipliers) @ c.closings, np.isnan(c.r.multipliers)
    free = c.closings[open_].T
    yield rest, free @ np.linalg.pinv(free, 1e-8) @ rest


law("inverse: generalized_forces unsupplied multipliers")(speeds_are_supplied)
law("inverse: friction | friction")(speeds_are_supplied)
law("inverse: solved_loads; Result: solved_loads | solved")(speeds_are_supplied)


@law("inverse: constraint_wrenches multipliers")
def constraints_do_no_work(c):
    """They do no work on free directions, and are the rest; a closing's are its multipliers."""
    for k, joint in enumerate(c.inverse.joints):
        free, part = c.twist(joint).T, c.wrench(k, "constraint_wrenches")
        yield free @ part, 0
        rest = c.wrench(k) - part
        yield rest, np.linalg.pinv(free, 1e-8) @ free @ rest
    loops = list(enumerate(c.joints))[len(c.inverse.joints) :]
    work = sum([c.wrench(k) @ c.twist(joint) for k, joint in loops], 0 * c.u)
    yield work, np.nan_to_num(c.r.multipliers) @ c.closings


@law("SystemMethod: from_kane connections | kane")
def connections_are_deduced(c):
    """Without them, or with those that were deduced, a KanesMethod has the same joint wrenches."""
    alone = jw.InverseDynamics.from_kane(c.kind.model, **c.kind.common)
    pasted = jw.InverseDynamics.from_kane(c.kind.model, alone.connections, **c.kind.common)
    for method in (alone, pasted):
        found = method.compile("joint_wrenches", backend="numpy")(*c.state, **c.given("inverse"))
        for joint in c.inverse.joints:
            where = {"about": joint.child_point, "frame": c.reference.frame}
            expected = c.r.joint_wrench(joint, **where)
            yield found.joint_wrench(joint.child.name, **where), expected


def of_cut_beam(c):
    whole = beam(is_cut=True).method(jw.InverseDynamics)
    given = c.given("inverse") | {"constants": {s: c.kind.values[s] for s in whole.constants}}
    return [whole.compile(backend="numpy")(*c.state, **given).joint_wrench("cut")]


equal(
    "A section has the wrench of a weld where the body is cut in two.",
    {"inverse: section_wrenches; InverseDynamics: section_wrench | section": of_cut_beam},
)


@law("inverse: contributions; Result: joint_contributions; InverseDynamics: contributions")
def parts_make_the_wrench(c):
    """They sum to the joint wrench; as formulas and for a moving observer, too."""
    joint, frame, center = c.inverse.joints[-1], c.reference.frame, c.kind.origin
    turning = frame.orientnew("turning", "Axis", [1.3 * T, frame.z])
    seen = jw.ObserverFrame(turning, center, frame, center)
    wrenches = c.r.joint_wrenches[: len(c.inverse.joints)]
    yield c.r.contributions.sum(-2), wrenches
    yield c["Result.joint_contributions"], c.r.contributions.sum(-2)
    yield c["InverseDynamics.contributions"], wrenches
    yield c.number(c.inverse.contributions(joint, observer=seen), own_frame(joint)), wrenches[-1]


equal(
    "They are those of the tree's bodies, whoever supplies the forces.",
    {
        "inverse: mass_matrix; InverseDynamics: mass_matrix": lambda c: c.bare.mass_matrix(),
        "inverse: bias; InverseDynamics: bias": lambda c: c.still.demand(),
        "ForwardDynamics: mass_matrix | free": lambda c: c.bare.mass_matrix(),
        "ForwardDynamics: bias | free": lambda c: c.still.demand(),
        "forward: qdot | free": lambda c: c.bare.qdot,
    },
)
equal(
    "Formulas have the numbers of the outputs.",
    {
        "InverseDynamics: generalized_forces": lambda c: c.r.generalized_forces,
        "InverseDynamics: joint_wrench": lambda c: c.r.joint_wrenches,
        "InverseDynamics: constraint_wrench": lambda c: c.r.constraint_wrenches,
        "InverseDynamics: dynamic_wrench": lambda c: [
            np.ravel(c.bare.net(body.name)) for body in c.inverse.bodies
        ],
        "InverseDynamics: solved_loads | solved": lambda c: [c.r.outputs["solved_loads"].sum()],
    },
)
equal(
    "It is between 0 and 1.",
    {
        "inverse: conditioning": lambda c: np.clip(c.r.conditioning, 0, 1 + 1e-12),
        "forward: conditioning | free": lambda c: np.clip(c.f.conditioning, 0, 1 + 1e-12),
    },
)


@law("inverse: constraint_errors; kinematics: constraint_errors | loops")
def errors_are_rates(c):
    """They vanish on a closed motion, and each row is the rate of the row before."""
    for found in (c.r.constraint_errors, c.k.constraint_errors):
        yield found, 0
        yield c.rate("constraint_errors")[:2], found[1:]


@law("inverse: conditioning | dead", within=1e-3)
def conditioning_vanishes_at_dead_points(c):
    """It is proportional to the distance from a dead point, in which it is 0 and forces open."""
    angles, given = np.array([0.0, 1e-7, 1e-4]), c.given("inverse")
    states = [np.outer(x, [1.0, 0.0]) for x in (angles, 0 * angles, 0 * angles)]
    folded = c.evaluate("inverse", *c.inverse.close_motion(*states, **given))
    yield folded.conditioning[:2] / folded.conditioning[2] * 1e3, [0, 1]
    yield np.isnan(folded.outputs["solved_loads"][:, 0]), angles == 0


@law(
    "inverse: regressor known_loads joint_wrench_regressor known_wrenches;"
    "InverseDynamics: inertial_parameters; Result: packed | -friction -solved",
)
def forces_are_linear_in_inertia(c):
    """Regressors times the parameters, with what known loads need, are the forces."""
    parameters = c.number([x.value for x in c.inverse.inertial_parameters])
    yield c.r.regressor @ parameters + c.r.known_loads, c.r.generalized_forces
    yield c.r.joint_wrench_regressor @ parameters + c.r.known_wrenches, c.r.joint_wrenches
    evaluate = c.inverse.compile("regressor", sparse=True, backend="numpy")
    sparse = evaluate(*c.state, **c.given("inverse"))
    yield sparse.packed("regressor").dense(), c.r.regressor


@law("inverse: actuator_regressor | -solved -unsupplied")
def actuators_work_at_their_speeds(c):
    """Viscous and Coulomb friction and rotors have the power that they have at each speed."""
    each = np.stack([np.diag(c.u), np.diag(np.sign(c.u)), np.diag(c.udot)], -1)
    yield c.u @ c.r.actuator_regressor, c.u @ each.reshape(len(c.u), -1)


def normal_forces(c):
    return [np.hypot(*c.r.joint_wrenches[0, :2]), np.hypot(*c.r.joint_wrenches[1, 1:3])]


def arms(c):
    return np.array([0.05 * c.kind.values[sm.Symbol("mu")], 0.15])


def couplings(c):
    """Return the coefficients by which frictions change normal forces, by accelerations."""
    inverse, across = np.linalg.inv(c.bare.mass_matrix()), c.slope("joint_wrenches", "udot")
    forces = np.stack([across[0, :2], across[1, 1:3]]) @ inverse @ c.slope("sliding_speeds", "u").T
    return arms(c)[:, None] * np.linalg.norm(forces, axis=1)


def largest(matrix):
    return max(abs(np.linalg.eigvals(matrix)))


FRICTION = {
    "inverse: sliding_speeds": lambda c: c.u,
    "inverse: normal_forces": normal_forces,
    "inverse: friction": lambda c: -arms(c) * c.r.normal_forces * np.sign(c.u),
    "inverse: friction_residual": lambda c: [0, 0],
    "inverse: motor_power": lambda c: c.r.generalized_forces @ c.u,
    "forward: friction_couplings": couplings,
    "forward: friction_gain": lambda c: largest(c.f.friction_couplings),
    "inverse: friction_gain": lambda c: largest(c.r.friction_couplings),
    "inverse: friction_couplings": lambda c: 0,  # of a tree whose motion is given
}
equal(
    "Friction is coefficient, radius and normal force against sliding; it changes accelerations.",
    {f"{name} | friction": make for name, make in FRICTION.items()},
)


@law("InverseDynamics: at_rest self_locking locked | friction")
def friction_has_two_limits_at_rest(c):
    """They are those of slow motions one way and the other; nothing is locked here."""
    given, power = c.given("inverse"), []
    for sign, limit in zip((1, -1), c.inverse.at_rest(c.q, c.u, **given), strict=True):
        slow = c.evaluate("inverse", c.q, 1e-9 * sign * c.u, 0 * c.udot)
        yield limit.generalized_forces, slow.generalized_forces
        power.append(sign * limit.generalized_forces @ c.u)
    yield c.inverse.self_locking(c.q, c.u, **given), min(power) > 0
    yield len(c.inverse.locked(*c.state, **given)), 0


@law("inverse: kinetic_energies body_powers")
def powers_are_rates_of_energies(c):
    """Each body's powers sum to the rate of its energy; the last is that of its own joint."""
    order = {body.name: k for k, body in enumerate(c.inverse.bodies)}
    pairs = [(x.child.name, getattr(x.parent, "name", ""), x) for x in c.inverse.joints]
    heads = {child: x for child, parent, x in pairs if order.get(child, -1) > order.get(parent, -1)}
    for k, body in enumerate(c.inverse.bodies):
        mass, inertia, center, turn = c.full.bodies[body.name]
        twist = np.concatenate([center.first, turn.first])
        rates = [*(mass * center.first), *(inertia @ turn.first)]
        yield c.r.kinetic_energies[k], twist @ rates / 2
        if body.name in heads:
            where = {"about": body.masscenter, "frame": c.reference.frame}
            wrench = c.r.joint_wrench(heads[body.name].name, **where)
            yield c.r.body_powers[k].sum(), np.ravel(c.full.net(body.name)) @ twist
            yield c.r.body_powers[k, 3], np.nan_to_num(wrench) @ twist


def powers(c):
    return [c.wrench(k) @ c.twist(joint) @ c.u for k, joint in enumerate(c.joints)]


equal(
    "It is the wrench times the child's motion relative to the parent.",
    {"Result: joint_power | -driven": powers},
)


@law(
    "SystemMethod: derivative hessian; Result: derivative; Evaluator: derivative_sparsity",
    within=1e-7,
    is_dear=True,
)
def derivatives_are_slopes(c):
    """They are those of differences, as formulas, too; where they are told to be zero they are."""
    name, given = "generalized_forces", c.given("inverse")
    evaluate = c.inverse.compile(name, derivatives=("q", "u", "udot"))
    result = evaluate(*c.state, **given)
    for group in ("q", "u", "udot"):
        found = result.derivative(name, group)
        yield found, c.slope(name, group)
        yield np.where(evaluate.derivative_sparsity(name, group), 0, found), 0
        if "small" in c.traits:
            yield c.number(c.inverse.derivative(name, group)).reshape(found.shape), found
    if "small" in c.traits:
        h, weights = 1e-4, np.arange(1.0, len(c.u) + 1)
        ends = c.q + h * np.multiply.outer([1, -1], np.eye(len(c.q)))
        ahead, behind = weights @ evaluate(ends, *c.state[1:], **given).derivative(name, "q")
        yield c.number(c.inverse.hessian(name, weights, "q")), (ahead - behind) / (2 * h)


@law("InverseDynamics: formula derivation; jw: crosscheck | small")
def readable_formulas_are_the_outputs(c):
    """As text for people they have the outputs' numbers; lines of a derivation agree."""
    yield c.number(c.inverse.formula().whole), c.r.generalized_forces
    joint = c.inverse.joints[0]
    yield c.number(c.inverse.formula(joint).whole, own_frame(joint)), c.r.joint_wrenches[0]
    yield c.inverse.derivation(joint).check(), 0
    motion = {x: a + 0.2 * T for x, a in zip(c.inverse.coordinates, c.q, strict=True)}
    given = c.given("inverse", but=["times"])
    yield jw.crosscheck(c.inverse, motion, [0, 0.1], **given).max_relative, 0


@law("InverseDynamics: close_motion; Trajectory: closed constraint_errors | dependent")
def motions_can_be_closed(c):
    """What was opened is closed again."""
    given = c.given("inverse", but=["times"])
    q, *rates = (np.repeat(x[None], 3, 0) for x in c.state)
    rates = [x + 1e-3 * np.arange(3)[:, None] for x in rates]
    motion = jw.Trajectory(c.kind.values.get(T, 0.0) + np.arange(3.0), q, *rates)
    yield motion.closed(c.inverse, **given).constraint_errors(c.inverse, **given), 0


def nothing_else_is_needed(c):
    """With these accelerations the bodies need loads, frictions and closings alone."""
    demand, closings = c.at(tuple(c.f.udot)).demand(), c.closings.T
    if "friction" in c.traits:
        demand = demand - c.f.friction @ c.slope("sliding_speeds", "u")
    yield demand, closings @ np.linalg.pinv(closings, 1e-8) @ demand


law("forward: udot | free")(nothing_else_is_needed)
equal("They vanish.", {"forward: constraint_errors | free loops": lambda c: 0})


def again(name):
    return lambda c: getattr(c.evaluate("inverse", c.q, c.u, c.f.udot), name)


SAME = "What both compute is the same for the accelerations found."
BOTH = ("joint_wrenches", "constraint_wrenches", "multipliers")
RUBBING = ("friction", "friction_residual", "normal_forces", "sliding_speeds")
equal(SAME, {f"forward: {x} | free -shared": again(x) for x in BOTH})
equal(SAME, {f"forward: {x} | friction": again(x) for x in RUBBING})


@law("forward: energy; kinematics: energy | free", within=1e-8)
def energies_are_those_of_the_bodies(c):
    """The kinetic one is; without friction, motors and further loads all have one sum."""
    yield c.f.energy[0], c.r.kinetic_energies.sum()
    yield c.k.energy, c.f.energy
    if "conservative" in c.traits:
        yield c.rate("energy", "forward", c.f.udot).sum(), 0


@law("forward: inverse_mass_matrix | free -friction")
def accelerations_per_force(c):
    """It is the inverse of the mass matrix, for motions that the constraints allow."""
    inverse, J = np.linalg.inv(c.bare.mass_matrix()), c.closings
    held = J.T @ np.linalg.pinv(J @ inverse @ J.T, 1e-9) @ J
    yield c.f.inverse_mass_matrix, inverse - inverse @ held @ inverse


@law("ForwardDynamics: rhs ode_function reactions; forward: joint_wrenches | free", is_dear=True)
def right_hand_sides_are_the_rates(c):
    """scipy's, PyDy's, and the wrenches along given states are those of the outputs."""
    given, x = c.given("forward", but=["times"]), np.r_[c.q, c.u]
    time, rates = c.kind.values.get(T, 0.0), np.r_[c.f.qdot, c.f.udot]
    yield c.forward.rhs(**given)(time, x), rates
    rows = [list(given.get(name, {}).values()) for name in ("specifieds", "constants")]
    yield c.forward.ode_function()(x, time, *(rows if rows[0] else rows[1:])), rates
    found = c.forward.reactions([time, time + 1], [x, x], **given)
    yield found.joint_wrenches[0], c.f.joint_wrenches


@law("ForwardDynamics: simulate pydy_system | free -driven", within=1e-7, is_dear=True)
def motions_follow_the_accelerations(c):
    """A simulation has the rates of its states; several at once and PyDy's are the same motion."""
    given, start = c.given("forward", but=["times"]), c.kind.values.get(T, 0.0)
    times, precise = start + np.linspace(0, 0.004, 5), {"rtol": 1e-11, "atol": 1e-13}
    one = c.forward.simulate(times, c.q, c.u, **given, **precise)
    yield one.udot[0], c.f.udot
    yield np.array([1, -8, 0, 8, -1]) @ one.u / 0.012, one.udot[2]
    many = c.forward.simulate(times, [c.q] * 2, [c.u] * 2, **given, **precise)
    yield many.u[1], one.u
    states = [*c.forward.coordinates, *c.forward.speeds]
    first = dict(zip(states, [*c.q, *c.u], strict=True))
    pydy = c.forward.pydy_system(initial_conditions=first, times=times, **given)
    yield pydy.integrate()[-1], [*one.q[-1], *one.u[-1]]


@law("ForwardDynamics: linearize | free dependent", within=1e-6)
@law("ForwardDynamics: linearize | free tree", within=1e-6, is_dear=True)
def linear_models_are_slopes(c):
    """The rates' slopes, where dependent states move as constraints and quaternions ask."""
    linear = c.forward.linearize(c.q, c.u, **c.given("forward"))
    states = [*c.forward.coordinates, *c.forward.speeds]
    rows = [states.index(state) for state in linear.states]
    slopes = [[c.slope(name, by, "forward") for by in "qu"] for name in ("qdot", "udot")]
    ways = np.eye(len(states))
    if "loops" in c.traits:
        held = np.concatenate([c.slope("constraint_errors", by)[:2] for by in "qu"], -1)
        ways = null_space(held.reshape(-1, len(states)), 1e-8)
    yield linear.A, (np.block(slopes) @ ways @ np.linalg.inv(ways[rows]))[rows]


def of_bodies(of, part, state):
    """Return a motion of all mass centres (``center``) or of all frames (``turn``)."""
    return lambda c: [
        getattr(getattr(getattr(c, state).bodies[x.name], of), part)
        for x in (c.inverse.bodies if of == "center" else c.rigid)
    ]


MOTIONS = """\
position positions center place bare
velocity velocities center first bare
acceleration accelerations center second bare
bias_acceleration bias_accelerations center second still
jacobian jacobians center partial bare
orientation orientations turn place bare
angular_velocity angular_velocities turn first bare
angular_acceleration angular_accelerations turn second bare
angular_bias_acceleration angular_bias_accelerations turn second still
angular_jacobian angular_jacobians turn partial bare"""
for name, output, *of in map(str.split, MOTIONS.splitlines()):
    names = f"kinematics: {output}; Kinematics: {name}"
    names += f"; Result: {name}" if "bias" not in name else ""
    equal("They are those of the dense reference.", {names: of_bodies(*of)})


@law(
    "kinematics: center_of_mass center_of_mass_velocity center_of_mass_acceleration momentum;"
    "Kinematics: center_of_mass momentum"
)
def wholes_are_sums(c):
    """Mass centre and momentum are sums over the bodies."""
    bodies, frame = c.bare.bodies.values(), c.reference.frame
    masses = np.array([b.mass for b in bodies])
    centers = np.array([b.center[:3] for b in bodies])
    place, first, second = np.tensordot(masses, centers, 1) / masses.sum()
    yield c.k.center_of_mass, place
    yield c.number(c.kinematics.center_of_mass(), frame), place
    yield c.k.center_of_mass_velocity, first
    yield c.k.center_of_mass_acceleration, second
    moved = masses[:, None] * np.cross(centers[:, 0] - place, centers[:, 1])
    turned = moved.sum(0) + sum(b.inertia @ b.turn.first for b in bodies)
    yield c.k.momentum, [*(masses.sum() * first), *turned]
    yield np.ravel([c.number(x, frame) for x in c.kinematics.momentum()]), c.k.momentum


@law(
    "InverseDynamics: kinematics; ForwardDynamics: kinematics; Kinematics: kinematics | free",
    is_dear=True,
)
def observers_see_relative_motion(c):
    """What a body that moves sees, in its own frame, is by the laws of relative motion."""
    (*_, at, turn), last = (c.bare.bodies[x.name] for x in (c.rigid[0], c.inverse.bodies[-1]))
    arm, w = last.center.place - at.place, turn.first
    rate = last.center.first - at.first - np.cross(w, arm)
    carried = np.cross(turn.second, arm) + np.cross(w, np.cross(w, arm)) + 2 * np.cross(w, rate)
    expected = arm, rate, last.center.second - at.second - carried
    names = ["positions", "velocities", "accelerations"]
    for method in (c.inverse, c.forward, c.kinematics):
        seen = method.kinematics(relative_to=c.rigid[0]).compile(names, backend="numpy")
        given = {x: v for x, v in c.given("kinematics").items() if seen.inputs[x]}
        found = seen(*c.state, **given)
        yield [getattr(found, name)[-1] for name in names], expected @ turn.place


def along(c, times):
    """Return q, u and udot of a motion in which u is the rate of q."""
    t = times[:, None]
    return c.q + c.u * t + c.udot * t**2 / 2, c.u + c.udot * t, c.udot + 0 * t


def motion_of_functions(c):
    times = np.linspace(0, 1, 41)
    paths = [lambda t, k=k: along(c, t)[k] for k in range(3)]
    return jw.Trajectory.from_callables(times, *paths), times


@law(
    "Trajectory: from_callables from_formulas from_samples at between resampled measured_noise"
    " | plain",
    within=1e-7,
)
def motions_are_those_of_their_functions(c):
    """However a motion is made and cut, its states are those of the function; noise adds."""
    motion, times = motion_of_functions(c)
    formulas = dict(zip(c.inverse.coordinates, c.q + c.u * T + c.udot * T**2 / 2, strict=True))
    told = {"idyn": c.inverse, "constants": c.given("inverse").get("constants")}
    sampled = jw.Trajectory.from_samples(times, motion.q, **told)
    formed = jw.Trajectory.from_formulas(c.inverse, formulas, times, told["constants"])
    for made in (motion, formed, sampled):
        inner = times[10:31]
        for cut in (made.between(inner[0], inner[-1]), made.resampled(inner), made.at(inner)):
            yield [cut.q, cut.u, cut.udot], along(c, inner)
    noise = np.random.default_rng(1).normal(size=motion.q.shape) / 1000
    other = jw.Trajectory.from_samples(times, motion.q + noise, **told)
    change = np.hstack([getattr(other, x) - getattr(sampled, x) for x in ("q", "u", "udot")])
    yield sampled.measured_noise.changes(noise[None])[0], change


@law(
    "Result: times joint_work energy_balance explain columns to_table to_dataframe over_cycles;"
    "jw: normalise_cycles inverse_kinematics | plain",
    within=1e-6,
    is_dear=True,
)
def results_over_time_are_those_of_samples(c):
    """Tables, cycles, works and explanations have the numbers of the samples."""
    (motion, times), joint = motion_of_functions(c), c.inverse.joints[0]
    result = c.evaluators["inverse"](motion, **c.given("inverse", but=["times"]))
    wrenches, power = result.joint_wrenches[:, 0], result.joint_power(joint)
    yield result.times, times
    yield result.joint_work(joint), cumulative_trapezoid(power, times, initial=0)
    columns = result.columns()
    yield [columns[joint.name, x] for x in (*COMPONENTS, "power")], [*wrenches.T, power]
    for rows in (result.to_table().stacked, result.to_dataframe().to_numpy()):
        yield rows, np.stack([*columns.values()], -1)
    cycles = result.over_cycles([0.0, 0.5, 1.0], samples=21)
    yield cycles.joint_wrenches[:, :, 0], [wrenches[:21], wrenches[20:]]
    yield jw.normalise_cycles(times, power, [0.0, 0.5, 1.0], 21), [power[:21], power[20:]]
    told = result.explain(joint, at=0.5)
    yield sum(term.value for term in told.terms), wrenches[20, COMPONENTS.index(told.component)]
    balance = result.energy_balance()
    yield balance.energies, result.kinetic_energies
    yield balance.unexplained, 0
    points = {x.name: x.masscenter for x in c.inverse.bodies}
    marks = {name: result.position(point)[:9] for name, point in points.items()}
    options = {"constants": c.kind.constants, "times": times[:9], "start": c.q}
    yield jw.inverse_kinematics(c.inverse, marks, points, **options).q, motion.q[:9]


@law("Result: per_mass")
def forces_are_divided_by_mass(c):
    """What is proportional to mass is halved for a mass of two; the rest stays."""
    stays = {"conditioning", "constraint_errors", "regressor", "joint_wrench_regressor"}
    stays |= {"actuator_regressor", "friction_gain", "friction_couplings", "sliding_speeds"}
    halved = c.r.per_mass(2.0).outputs
    for name, values in c.r.outputs.items():
        yield halved[name], values if name in stays else values / 2
