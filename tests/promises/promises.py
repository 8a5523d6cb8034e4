"""Laws of what is promised, as data: a sentence, the promises that it holds, and where it applies.

Each yields pairs of what is equal.  Outputs are named with their method: "inverse.bias".
"""

import re
from dataclasses import dataclass
from inspect import getattr_static, isfunction
from pathlib import Path
from typing import Any

import numpy as np
import sympy as sm
from case import METHODS, own_frame
from kinds import KINDS, T, beam
from paths import DERIVED
from scipy.integrate import cumulative_trapezoid
from scipy.linalg import null_space

import jointwrench as jw
from jointwrench.mechanics.methods.system_method import SystemMethod

LAWS, COMPONENTS = [], ("fx", "fy", "fz", "mx", "my", "mz")

#: Why there is no law of some promises: they have no number of their own.
REASONS = {
    "what a model or a call was given": "SystemMethod: bodies constants coordinates frame inputs "
    "joints loads loops specifieds speeds accelerations system time; InverseDynamics: solve_for;"
    "Kinematics: points frames; Result: inputs joints loads sections speeds model_joints subject;"
    "Evaluator: inputs used_inputs shapes threads",
    "makes what the laws are of": "SystemMethod: compile program; Kinematics: of_model;"
    "Result: outputs derivatives; jw: example_data",
    "code, which the paths run": "SystemMethod: count_ops write_c write_casadi;"
    "Evaluator: address source sources; jw: clear_cache show_versions",
    "what is meant where nothing is named": "InverseDynamics: default_outputs written_outputs;"
    "ForwardDynamics: default_outputs written_outputs; Kinematics: default_outputs written_outputs",
    "raises if a model was changed": "SystemMethod: check_unchanged",
}


@dataclass(frozen=True)
class Law:
    """What is equal, on kinds with the traits ``on`` and without those of ``but``."""

    check: Any
    promises: tuple[str, ...]
    on: frozenset[str]
    but: frozenset[str]
    within: float

    def applies(self, kind):
        traits = {*KINDS[kind][1].split()}
        return self.on <= traits and not self.but & traits

    def differences(self, case):
        """Yield what is not equal, in words; a law that compares nothing is broken."""
        pairs = list(self.check(case)) or [(0, 1)]
        for k, (found, expected) in enumerate(pairs):
            found, expected = (np.asarray(x, float) for x in (found, expected))
            size = self.within * np.max(np.abs(np.nan_to_num(expected)), initial=1.0)
            same = found.shape == expected.shape
            if not same or not np.allclose(found, expected, 0, size, equal_nan=True):
                yield f"pair {k} of {len(pairs)}: {found.tolist()} is not {expected.tolist()}"


def names_in(text):
    """Return names with owners, which are written as ``"Result: joint_work times; ..."``."""
    parts = [part.split(":") for part in text.split(";")]
    return tuple(f"{owner.strip()}.{name}" for owner, own in parts for name in own.split())


def law(promises, on="", but="", within=1e-9):
    """Note a law of some promises."""

    def note(check):
        traits = (frozenset(words.split()) for words in (on, but))
        LAWS.append(Law(check, names_in(promises), *traits, within))
        return check

    return note


def table():
    """Return a row for each law: its sentence, its promises, and on how many kinds it is tried."""
    rows = {}
    for entry in LAWS:
        _, kinds, names = rows.setdefault(entry.check, (entry.check.__doc__, set(), {}))
        kinds |= {kind for kind in KINDS if entry.applies(kind)}
        names |= dict.fromkeys(entry.promises)
    return [(text, written(names), len(kinds)) for text, kinds, names in rows.values()]


def written(names):
    """Return names by their owners, as a page has them."""
    owners = {}
    for name in names:
        owner, own = name.split(".")
        owners.setdefault(owner, []).append(f"``{own}``")
    return "; ".join(f"{owner}: {', '.join(own)}" for owner, own in owners.items())


def promised():
    """Return the names of all outputs, public members of the core's classes, and functions."""
    page = Path(__file__).parents[2] / "docs" / "reference" / "outputs.rst"
    parts = re.split(r"(?m)^Of (\w+)\n-+$", page.read_text(encoding="utf-8"))[1:]
    names = {
        f"{method}.{name}"
        for method, part in zip(METHODS, parts[1::2], strict=True)
        for name in re.findall(r'``"(\w+)"``', part)
    }
    for cls in (*METHODS.values(), jw.Result, jw.Evaluator, jw.Trajectory):
        for name in dir(cls):
            is_common = getattr_static(cls, name) is getattr_static(SystemMethod, name, None)
            owner = SystemMethod if is_common else cls
            names |= {f"{owner.__name__}.{name}"} if name[0] != "_" else set()
    return names | {f"jw.{x}" for x in jw.__all__ if isfunction(getattr(jw, x))}


def outputs(kind):
    """Return the outputs of each method of which a law speaks for a kind."""
    names = [name.split(".") for law in LAWS if law.applies(kind) for name in law.promises]
    methods = ("inverse", "forward", "kinematics")
    return {x: list(dict.fromkeys(name for own, name in names if own == x)) for x in methods}


def known(found, expected):
    """Return a pair without the entries in which what is found is open."""
    return found, np.where(np.isnan(found), np.nan, expected)


# -- InverseDynamics -------------------------------------------------------------------


@law("inverse: joint_wrenches; Result: joint_wrench")
def bodies_are_in_balance(c):
    """With weight and loads they make the net wrench of each body, about its mass centre."""
    for body in c.reference.bodies:
        pairs = [(j, x, sign) for j in c.joints for x, sign in ((j.child, 1), (j.parent, -1))]
        ends = [(j, sign) for j, x, sign in pairs if getattr(x, "name", None) == body.name]
        where = {"about": body.masscenter, "frame": c.reference.frame}
        total = np.ravel(c.full.external(body) - c.full.net(body.name))
        if any(sign > 0 for _, sign in ends):  # others move as given
            yield known(total + sum(s * c.r.joint_wrench(j.name, **where) for j, s in ends), 0)


@law("InverseDynamics: undetermined; inverse: joint_wrenches", but="shared")
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
law("inverse: friction", on="friction")(speeds_are_supplied)
law("inverse: solved_loads; Result: solved_loads", on="solved")(speeds_are_supplied)


@law("inverse: constraint_wrenches multipliers")
def constraints_do_no_work(c):
    """They do no work on free directions, and are the rest; a closing's are its multipliers."""
    for k, joint in enumerate(c.inverse.joints):
        free, part = c.twist(joint).T, c.wrench(k, "constraint_wrenches")
        yield free @ part, np.zeros(len(c.u))
        rest = c.wrench(k) - part
        yield rest, np.linalg.pinv(free, 1e-8) @ free @ rest
    loops = list(enumerate(c.joints))[len(c.inverse.joints) :]
    work = sum([c.wrench(k) @ c.twist(joint) for k, joint in loops], 0 * c.u)
    yield work, np.nan_to_num(c.r.multipliers) @ c.closings


@law("SystemMethod: from_kane connections", on="kane")
def connections_are_deduced(c):
    """Without them, or with those that were deduced, a KanesMethod has the same joint wrenches."""
    alone = jw.InverseDynamics.from_kane(c.kind.model, **c.kind.common)
    pasted = jw.InverseDynamics.from_kane(c.kind.model, alone.connections, **c.kind.common)
    for method in (alone, pasted):
        found = method.compile("joint_wrenches", backend="numpy")(*c.state, **c.given("inverse"))
        for joint in c.inverse.joints:
            where = {"about": joint.child_point, "frame": c.reference.frame}
            names = (joint.child.name, joint)
            wrenches = [
                x.joint_wrench(n, **where) for x, n in zip((found, c.r), names, strict=True)
            ]
            yield wrenches


@law("inverse: section_wrenches; InverseDynamics: section_wrench", on="section")
def a_section_is_a_weld(c):
    """It has the wrench of a weld where the body is cut in two."""
    whole, frame = beam(is_cut=True).method(jw.InverseDynamics), c.inverse.bodies[0].frame
    given = c.given("inverse") | {"constants": {s: c.kind.values[s] for s in whole.constants}}
    yield c.r.section_wrenches[0], whole.compile()(*c.state, **given).joint_wrench("cut")
    yield c.number(c.inverse.section_wrench("cut"), frame), c.r.section_wrenches[0]


@law("inverse: contributions; Result: joint_contributions; InverseDynamics: contributions")
def parts_make_the_wrench(c):
    """They sum to the joint wrench; as formulas and for a moving observer, too."""
    for k, joint in enumerate(c.inverse.joints):
        yield known(c.r.contributions[k].sum(0), c.r.joint_wrenches[k])
        yield sum(c.r.joint_contributions(joint).values()), c.r.contributions[k].sum(0)
    frame, center = c.reference.frame, c.kind.origin
    turning = frame.orientnew("turning", "Axis", [1.3 * T, frame.z])
    observer = jw.ObserverFrame(turning, center, frame, center)
    for told in ({}, {"observer": observer}):
        parts = c.inverse.contributions(joint, **told).values()
        found = sum(c.number(part, own_frame(joint)) for part in parts)
        yield known(found + 0 * c.r.joint_wrenches[k], c.r.joint_wrenches[k])


@law("inverse: mass_matrix bias; InverseDynamics: mass_matrix bias")
def they_are_the_trees(c):
    """Mass matrix and bias are those of the bodies, whoever supplies the forces."""
    for found in (c.r.mass_matrix, c.number(c.inverse.mass_matrix)):
        yield found.reshape(len(c.u), -1), c.bare.mass_matrix()
    for found in (c.r.bias, c.number(c.inverse.bias)):
        yield found, c.at(0 * c.udot).demand()
    yield c.r.mass_matrix @ c.udot + c.r.bias, c.bare.demand()


@law("inverse: constraint_errors; kinematics: constraint_errors", on="loops")
def errors_are_rates(c):
    """They vanish on a closed motion, and each row is the rate of the row before."""
    errors = c.r.constraint_errors
    yield errors, 0 * errors
    yield c.rate(["constraint_errors"])["constraint_errors"][:2], errors[1:]
    yield c.k.constraint_errors, errors


@law("inverse: conditioning", on="dead", within=1e-3)
def conditioning_vanishes_at_dead_points(c):
    """It is proportional to the distance from a dead point, in which it is 0 and forces open."""
    angles, given = np.array([0.0, 1e-7, 1e-4]), c.given("inverse")
    states = [np.outer(x, [1.0, 0.0]) for x in (angles, 0 * angles, 0 * angles)]
    folded = c.evaluate("inverse", *c.inverse.close_motion(*states, **given))
    yield folded.conditioning[:2] / folded.conditioning[2] * 1e3, [0, 1]
    yield np.isnan(folded.outputs["solved_loads"][:, 0]), angles == 0


@law("forward: conditioning", on="free")
@law("inverse: conditioning")
def conditioning_is_a_share(c):
    """It is between 0 and 1."""
    for result in (c.r, c.f) if "free" in c.traits else (c.r,):
        yield np.clip(result.conditioning, 0, 1 + 1e-12), result.conditioning


@law(
    "inverse: regressor known_loads joint_wrench_regressor known_wrenches;"
    "InverseDynamics: inertial_parameters; Result: packed",
    but="friction solved",
)
def forces_are_linear_in_inertia(c):
    """Regressors times the parameters, with what known loads need, are the forces."""
    parameters = c.number([x.value for x in c.inverse.inertial_parameters])
    yield c.r.regressor @ parameters + c.r.known_loads, c.r.generalized_forces
    yield c.r.joint_wrench_regressor @ parameters + c.r.known_wrenches, c.r.joint_wrenches
    evaluate = c.inverse.compile("regressor", sparse=True, backend="numpy")
    sparse = evaluate(*c.state, **c.given("inverse"))
    yield sparse.packed("regressor").dense(), c.r.regressor


@law("inverse: actuator_regressor", but="solved unsupplied")
def actuators_work_at_their_speeds(c):
    """Viscous and Coulomb friction and rotors have the power that they have at each speed."""
    each = np.stack([np.diag(c.u), np.diag(np.sign(c.u)), np.diag(c.udot)], -1)
    yield c.u @ c.r.actuator_regressor, c.u @ each.reshape(len(c.u), -1)


@law(
    "inverse: friction normal_forces sliding_speeds friction_residual friction_gain "
    "friction_couplings motor_power; forward: friction_gain friction_couplings",
    on="friction",
)
def friction_is_coulombs(c):
    """Coefficient, radius and normal force against sliding; couplings change accelerations."""
    wrenches, arms = c.r.joint_wrenches, np.array([0.05 * c.kind.values[sm.Symbol("mu")], 0.15])
    yield c.r.sliding_speeds, c.u
    yield c.r.normal_forces, [np.hypot(*wrenches[0, :2]), np.hypot(*wrenches[1, 1:3])]
    yield c.r.friction, -arms * c.r.normal_forces * np.sign(c.u)
    yield c.r.friction_residual, np.zeros(2)
    yield c.r.motor_power, c.r.generalized_forces @ c.u
    inverse, across = np.linalg.inv(c.bare.mass_matrix()), c.slope("joint_wrenches", "udot")
    forces = np.stack([across[0, :2], across[1, 1:3]]) @ inverse @ c.slope("sliding_speeds", "u").T
    yield c.f.friction_couplings, arms[:, None] * np.linalg.norm(forces, axis=1)
    for found in (c.r, c.f):
        yield found.friction_gain, max(abs(np.linalg.eigvals(found.friction_couplings)))


@law("InverseDynamics: at_rest self_locking locked", on="friction")
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
            yield known(c.r.body_powers[k].sum(), np.ravel(c.full.net(body.name)) @ twist)
            yield known(c.r.body_powers[k, 3], np.nan_to_num(wrench) @ twist)


@law("Result: joint_power", but="driven")
def joint_power_is_its_wrenches(c):
    """It is the wrench times the child's motion relative to the parent."""
    for k, joint in enumerate(c.joints):
        yield known(c.r.joint_power(joint), c.wrench(k) @ c.twist(joint) @ c.u)


@law(
    "InverseDynamics: generalized_forces joint_wrench constraint_wrench dynamic_wrench "
    "solved_loads; ForwardDynamics: mass_matrix bias"
)
def formulas_are_the_outputs(c):
    """Formulas have the numbers of the outputs; those of ForwardDynamics are the tree's."""
    yield c.number(c.inverse.generalized_forces), c.r.generalized_forces
    for k, joint in enumerate(c.joints):
        for name in ("joint_wrench", "constraint_wrench"):
            expected = getattr(c.r, f"{name}es")[k]
            found = c.number(getattr(c.inverse, name)(joint), own_frame(joint))
            yield found + 0 * expected, expected
    for body in c.inverse.bodies:
        found = c.number(c.inverse.dynamic_wrench(body), c.reference.frame)
        yield found, np.ravel(c.bare.net(body.name))
    for k, symbol in enumerate(c.inverse.solve_for):
        yield c.number([c.inverse.solved_loads[symbol]]), c.r.outputs["solved_loads"][[k]]
    if "free" in c.traits:
        yield c.number(c.forward.mass_matrix).reshape(len(c.u), -1), c.r.mass_matrix
        yield c.number(c.forward.bias), c.r.bias
        yield c.number(c.forward.inverse.bias), c.r.bias


@law(
    "SystemMethod: derivative hessian; Result: derivative; Evaluator: derivative_sparsity",
    within=1e-7,
)
def derivatives_are_slopes(c):
    """They are those of differences, as formulas, too; where they are told to be zero they are."""
    name, given = "generalized_forces", c.given("inverse")
    evaluate = c.inverse.compile(**DERIVED)
    result = evaluate(*c.state, **given)
    for group in ("q", "u", "udot"):
        found = result.derivative(name, group)
        yield found, c.slope(name, group)
        yield known(np.where(evaluate.derivative_sparsity(name, group), 0 * found, found), 0)
        if "small" in c.traits:
            yield c.number(c.inverse.derivative(name, group)).reshape(found.shape), found
    if "small" in c.traits:
        steps, weights = 1e-4 * np.eye(len(c.q)), np.arange(1.0, len(c.u) + 1)
        ends = [[evaluate(c.q + s * x, *c.state[1:], **given) for x in steps] for s in (1, -1)]
        ahead, behind = ([weights @ x.derivative(name, "q") for x in end] for end in ends)
        expected = np.subtract(ahead, behind) / 2e-4
        yield c.number(c.inverse.hessian(name, weights, "q")), expected


@law("InverseDynamics: formula derivation; jw: crosscheck", on="small")
def readable_formulas_are_the_outputs(c):
    """As text for people they have the outputs' numbers; lines of a derivation agree."""
    yield c.number(c.inverse.formula().whole), c.r.generalized_forces
    joint = c.inverse.joints[0]
    yield c.number(c.inverse.formula(joint).whole, own_frame(joint)), c.r.joint_wrenches[0]
    errors = c.inverse.derivation(joint).check()
    yield errors, 0 * errors
    motion = {x: a + 0.2 * T for x, a in zip(c.inverse.coordinates, c.q, strict=True)}
    given = c.given("inverse", but=["times"])
    yield jw.crosscheck(c.inverse, motion, [0, 0.1], **given).max_relative, 0


@law("InverseDynamics: close_motion; Trajectory: closed constraint_errors", on="dependent")
def motions_can_be_closed(c):
    """What was opened is closed again."""
    given = c.given("inverse", but=["times"])
    q, *rates = (np.repeat(x[None], 3, 0) for x in c.state)
    rates = [x + 1e-3 * np.arange(3)[:, None] for x in rates]
    motion = jw.Trajectory(c.kind.values.get(T, 0.0) + np.arange(3.0), q, *rates)
    errors = motion.closed(c.inverse, **given).constraint_errors(c.inverse, **given)
    yield errors, 0 * errors


# -- ForwardDynamics ---------------------------------------------------------------------


def nothing_else_is_needed(c):
    """With these accelerations the bodies need loads, frictions and closings alone."""
    demand, closings = c.at(c.f.udot).demand(), c.closings.T
    if "friction" in c.traits:
        demand = demand - c.f.friction @ c.slope("sliding_speeds", "u")
    yield demand, closings @ np.linalg.pinv(closings, 1e-8) @ demand
    yield c.f.qdot, c.bare.qdot
    if "loops" in c.traits:
        yield c.f.constraint_errors, 0 * c.f.constraint_errors


law("forward: udot qdot", on="free")(nothing_else_is_needed)
law("forward: constraint_errors", on="free loops")(nothing_else_is_needed)


def forward_is_inverse(c):
    """What both compute is the same for the accelerations found."""
    again, own = c.evaluate("inverse", c.q, c.u, c.f.udot), ("friction_gain", "friction_couplings")
    for name in {*again.outputs, *c.outputs["forward"]} - {"conditioning", *own}:
        if name in again.outputs and name in c.f.outputs and "shared" not in c.traits:
            yield getattr(c.f, name), getattr(again, name)
    yield c.f.energy[0], c.r.kinetic_energies.sum()
    yield c.k.energy, c.f.energy


law(
    "forward: joint_wrenches constraint_wrenches multipliers energy; kinematics: energy", on="free"
)(forward_is_inverse)
law("forward: friction friction_residual normal_forces sliding_speeds", on="friction")(
    forward_is_inverse
)


@law("forward: energy", on="conservative", within=1e-8)
def energy_is_kept(c):
    """Without friction, motors and further loads kinetic and potential energy have one sum."""
    yield c.rate(["energy"], "forward", c.f.udot)["energy"].sum(), 0


@law("forward: inverse_mass_matrix", on="free", but="friction")
def accelerations_per_force(c):
    """It is the inverse of the mass matrix, for motions that the constraints allow."""
    inverse, J = np.linalg.inv(c.bare.mass_matrix()), c.closings
    held = J.T @ np.linalg.pinv(J @ inverse @ J.T, 1e-9) @ J
    yield c.f.inverse_mass_matrix, inverse - inverse @ held @ inverse


@law("ForwardDynamics: rhs ode_function reactions", on="free")
def right_hand_sides_are_the_rates(c):
    """scipy's, PyDy's, and the wrenches along given states are those of the outputs."""
    given, x = c.given("forward", but=["times"]), np.r_[c.q, c.u]
    time, rates = c.kind.values.get(T, 0.0), np.r_[c.f.qdot, c.f.udot]
    yield c.forward.rhs(**given)(time, x), rates
    rows = [list(given.get(name, {}).values()) for name in ("specifieds", "constants")]
    yield c.forward.ode_function()(x, time, *(rows if rows[0] else rows[1:])), rates
    found = c.forward.reactions([time, time + 1], [x, x], **given)
    yield found.joint_wrenches[0], c.f.joint_wrenches


@law("ForwardDynamics: simulate pydy_system", on="free", but="driven", within=1e-7)
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


@law("ForwardDynamics: linearize", on="free dependent", within=1e-6)
@law("ForwardDynamics: linearize", on="free tree", within=1e-6)
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


# -- Kinematics ----------------------------------------------------------------------------


def motion_of(part, of, name, output):
    """Note the law of a motion of points (``center``) or frames (``turn``)."""

    def check(c):
        bodies = [x for x in c.inverse.bodies if of == "center" or hasattr(x, "frame")]
        expected = [getattr(getattr(c.bare.bodies[x.name], of), part) for x in bodies]
        where = bodies[-1].masscenter if of == "center" else bodies[-1].frame
        yield getattr(c.k, output), expected
        formula = getattr(c.kinematics, name)(where)
        is_vector = hasattr(formula, "express") or formula == 0
        yield c.number(formula, c.reference.frame if is_vector else None), expected[-1]
        result = c.r if {*c.kinematics.constants} <= {*c.inverse.constants} else c.k
        yield getattr(result, name)(where), expected[-1]

    check.__doc__ = f"Output, formula and method are the {part} one of the dense reference."
    check.__name__ = f"{name}_of_bodies"
    law(f"kinematics: {output}; Kinematics: {name}; Result: {name}")(check)


for part, words in {
    "place": ("position", "orientation"),
    "first": ("velocity", "angular_velocity"),
    "second": ("acceleration", "angular_acceleration"),
    "partial": ("jacobian", "angular_jacobian"),
}.items():
    for of, word in zip(("center", "turn"), words, strict=True):
        motion_of(part, of, word, word.replace("velocity", "velocitie") + "s")


@law(
    "kinematics: bias_accelerations angular_bias_accelerations center_of_mass momentum "
    "center_of_mass_velocity center_of_mass_acceleration;"
    "Kinematics: bias_acceleration angular_bias_acceleration center_of_mass momentum"
)
def wholes_are_sums(c):
    """Mass centre and momentum are sums over the bodies; biases are without accelerations."""
    bodies, frame, still = c.bare.bodies.values(), c.reference.frame, c.at(0 * c.udot).bodies
    masses = np.array([b.mass for b in bodies])
    place, first, second = (
        masses @ [getattr(b.center, x) for b in bodies] / masses.sum()
        for x in ("place", "first", "second")
    )
    turned = sum(b.inertia @ b.turn.first for b in bodies)
    moved = sum(b.mass * np.cross(b.center.place - place, b.center.first) for b in bodies)
    yield c.k.center_of_mass, place
    yield c.k.center_of_mass_velocity, first
    yield c.k.center_of_mass_acceleration, second
    yield c.k.momentum, [*(masses.sum() * first), *(turned + moved)]
    yield c.number(c.kinematics.center_of_mass(), frame), place
    found = [c.number(x, frame) for x in c.kinematics.momentum()]
    yield np.ravel(found), c.k.momentum
    rigid = [x for x in c.inverse.bodies if hasattr(x, "frame")]
    yield c.k.bias_accelerations, [still[x.name].center.second for x in c.inverse.bodies]
    yield c.k.angular_bias_accelerations, [still[x.name].turn.second for x in rigid]
    found = c.kinematics.bias_acceleration(rigid[0].masscenter)
    yield c.number(found, frame), still[rigid[0].name].center.second
    found = c.kinematics.angular_bias_acceleration(rigid[0].frame)
    yield c.number(found, frame), still[rigid[0].name].turn.second


@law("InverseDynamics: kinematics; ForwardDynamics: kinematics; Kinematics: kinematics", on="free")
def observers_see_relative_motion(c):
    """What a body that moves sees, in its own frame, is by the laws of relative motion."""
    first = next(x for x in c.inverse.bodies if hasattr(x, "frame"))
    (*_, at, turn), last = c.bare.bodies[first.name], c.bare.bodies[c.inverse.bodies[-1].name]
    arm, R = last.center.place - at.place, turn.place
    first_rate = last.center.first - at.first - np.cross(turn.first, arm)
    carried = np.cross(turn.second, arm) + np.cross(turn.first, np.cross(turn.first, arm))
    carried = carried + 2 * np.cross(turn.first, first_rate)
    expected = arm, first_rate, last.center.second - at.second - carried
    names = ["positions", "velocities", "accelerations"]
    for method in (c.inverse, c.forward, c.kinematics):
        backend = "auto" if method is c.kinematics else "numpy"
        seen = method.kinematics(relative_to=first).compile(names, backend=backend)
        given = {x: v for x, v in c.given("kinematics").items() if seen.inputs[x]}
        found = seen(*c.state, **given)
        for name, x in zip(names, expected, strict=True):
            yield getattr(found, name)[-1], x @ R


# -- results over time, and the functions of the package -------------------------------------


def along(c, times):
    """Return q, u and udot of a motion in which u is the rate of q."""
    t = times[:, None]
    return c.q + c.u * t + c.udot * t**2 / 2, c.u + c.udot * t, c.udot + 0 * t


def motion_of_functions(c):
    times = np.linspace(0, 1, 41)
    paths = [lambda t, k=k: along(c, t)[k] for k in range(3)]
    return jw.Trajectory.from_callables(times, *paths), times


@law(
    "Trajectory: from_callables from_formulas from_samples at between resampled measured_noise",
    on="plain",
    within=1e-7,
)
def motions_are_those_of_their_functions(c):
    """However a motion is made and cut, its states are those of the function; noise adds."""
    motion, times = motion_of_functions(c)
    formulas = dict(zip(c.inverse.coordinates, c.q + c.u * T + c.udot * T**2 / 2, strict=True))
    constants = c.given("inverse").get("constants")
    sampled = jw.Trajectory.from_samples(times, motion.q, idyn=c.inverse, constants=constants)
    formed = jw.Trajectory.from_formulas(c.inverse, formulas, times, constants)
    for made in (motion, formed, sampled):
        inner = times[10:31]
        for cut in (made.between(inner[0], inner[-1]), made.resampled(inner), made.at(inner)):
            yield np.hstack([cut.q, cut.u, cut.udot]), np.hstack(along(c, inner))
    noise = np.random.default_rng(1).normal(size=motion.q.shape) / 1000
    other = jw.Trajectory.from_samples(times, motion.q + noise, idyn=c.inverse, constants=constants)
    change = np.hstack([getattr(other, x) - getattr(sampled, x) for x in ("q", "u", "udot")])
    yield sampled.measured_noise.changes(noise[None])[0], change


@law(
    "Result: times joint_work energy_balance explain columns to_table to_dataframe over_cycles;"
    "jw: normalise_cycles inverse_kinematics",
    on="plain",
    within=1e-6,
)
def results_over_time_are_those_of_samples(c):
    """Tables, cycles, works and explanations have the numbers of the samples."""
    (motion, times), joint = motion_of_functions(c), c.inverse.joints[0]
    result = c.evaluators["inverse"](motion, **c.given("inverse", but=["times"]))
    wrenches, power = result.joint_wrenches[:, 0], result.joint_power(joint)
    yield result.times, times
    yield result.joint_work(joint), cumulative_trapezoid(power, times, initial=0)
    columns, table, frame = result.columns(), result.to_table(), result.to_dataframe()
    yield np.stack([columns[joint.name, x] for x in COMPONENTS], -1), wrenches
    yield columns[joint.name, "power"], power
    for rows in (table.stacked, frame.to_numpy()):
        yield rows, np.stack([*columns.values()], -1)
    cycles = result.over_cycles([0.0, 0.5, 1.0], samples=21)
    yield cycles.joint_wrenches[:, :, 0], [wrenches[:21], wrenches[20:]]
    yield jw.normalise_cycles(times, power, [0.0, 0.5, 1.0], 21), [power[:21], power[20:]]
    told = result.explain(joint, at=0.5)
    yield sum(term.value for term in told.terms), wrenches[20, COMPONENTS.index(told.component)]
    balance = result.energy_balance()
    yield balance.energies, result.kinetic_energies
    yield balance.unexplained, 0 * balance.unexplained
    points = {x.name: x.masscenter for x in c.inverse.bodies}
    marks = {name: result.position(point)[:9] for name, point in points.items()}
    options = {"constants": c.kind.constants, "times": times[:9], "start": c.q}
    yield jw.inverse_kinematics(c.inverse, marks, points, **options).q, motion.q[:9]


@law("Result: per_mass")
def forces_are_divided_by_mass(c):
    """What is proportional to mass is halved for a mass of two; the rest stays."""
    halved = c.r.per_mass(2.0)
    for name, values in c.r.outputs.items():
        stays = ("conditioning", "constraint_errors", "regressor", "joint_wrench_regressor")
        stays += ("actuator_regressor", "friction_gain", "friction_couplings", "sliding_speeds")
        yield halved.outputs[name], values if name in stays else values / 2
