"""Laws of what is promised, as data: a sentence, what it is of, and on which kinds of models.

``equal`` has promises and what each of them is equal to; a ``law`` yields pairs of what is equal.
Outputs are named with their method, and traits of kinds may follow: "forward: bias | free".
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sm
from kinds import KINDS
from promises import names_in

LAWS, COMPONENTS = [], ("fx", "fy", "fz", "mx", "my", "mz")


@dataclass(frozen=True)
class Law:
    """What is equal, on kinds with all traits, but for those with a minus, which none has."""

    sentence: str
    promises: tuple[str, ...]
    traits: str
    pairs: Any

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
            size = 1e-9 * np.max(np.abs(expected), initial=1.0)
            if found.shape != expected.shape or not (np.abs(found - expected) <= size).all():
                yield f"pair {k}: {found.tolist()} is not {expected.tolist()}"


def law(*texts):
    """Note a law of promises, which its kinds' traits may follow; its sentence is the docstring."""

    def note(pairs):
        for promises, _, traits in (text.partition("|") for text in texts):
            LAWS.append(Law(pairs.__doc__, names_in(promises), traits, pairs))

    return note


def equal(sentence, of):
    """Note that promises are equal to what functions of a case return."""
    for text, make in of.items():
        names = names_in(text.partition("|")[0])

        def pairs(c, names=names, make=make):
            return ((c[x], make(c)) for x in names)

        pairs.__doc__ = sentence
        law(text)(pairs)


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


@law(
    "inverse: generalized_forces unsupplied multipliers",
    "inverse: friction | friction",
    "inverse: solved_loads; Result: solved_loads | solved",
)
def speeds_are_supplied(c):
    """Motors, closings, frictions, solved loads and what is unsupplied make up the demand."""
    rest = c.full.demand() - np.nan_to_num(c.r.generalized_forces) - c.r.unsupplied
    if "friction" in c.traits:
        rest = rest - c.r.friction @ c.slope("sliding_speeds", "u")
    rest, open_ = rest - np.nan_to_num(c.r.multipliers) @ c.closings, np.isnan(c.r.multipliers)
    free = c.closings[open_].T
    yield rest, free @ np.linalg.pinv(free, 1e-8) @ rest


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


def of_tree(c):
    return c.r.joint_wrenches[: len(c.inverse.joints)]


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


@law("inverse: conditioning | -free", "inverse: conditioning; forward: conditioning | free")
def poses_have_a_measure(c):
    """It is between 0 and 1, and rounding of a pose moves it as little as the pose."""
    moved = np.random.default_rng(7).normal(size=len(c.q))
    for method in ["inverse", "forward"][: 1 + ("free" in c.traits)]:
        c.evaluate(method)  # the first call is looked at
        for h in (1e-12, 1e-9, 1e-6):
            q = c.q + h * np.multiply.outer([-1, 0, 1], moved)
            found = c.evaluate(method, q, *c.state[1:]).conditioning
            left, own, right = np.nan_to_num(found, nan=2)  # it is never open
            yield own, np.clip((left + right) / 2, 0, 1)


@law("inverse: contributions; Result: joint_contributions; InverseDynamics: contributions")
def parts_make_the_wrench(c):
    """They sum to the joint wrench."""
    parts = c["Result.joint_contributions"], c["InverseDynamics.contributions"]
    yield from ((x, of_tree(c)) for x in (c.r.contributions.sum(-2), *parts))


@law("inverse: constraint_errors; kinematics: constraint_errors | loops")
def errors_are_rates(c):
    """They vanish on a closed motion, and each row is the rate of the row before."""
    for found in (c.r.constraint_errors, c.k.constraint_errors):
        yield found, 0
        yield c.rate("constraint_errors")[:2], found[1:]


@law(
    "inverse: regressor known_loads joint_wrench_regressor known_wrenches;"
    "InverseDynamics: inertial_parameters | -solved"
)
def forces_are_linear_in_inertia(c):
    """Regressors times the parameters, with what known loads need, are the forces."""
    parameters = c.number([x.value for x in c.inverse.inertial_parameters])
    yield c.r.regressor @ parameters + c.r.known_loads, c.r.generalized_forces
    yield c.r.joint_wrench_regressor @ parameters + c.r.known_wrenches, c.r.joint_wrenches


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
    "inverse: normal_forces": lambda c: [
        *(np.hypot(*c.r.joint_wrenches[0, :2]), np.hypot(*c.r.joint_wrenches[1, 1:3]))
    ],
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


@law("InverseDynamics: close_motion | dependent")
def motions_can_be_closed(c):
    """What was opened is closed again."""
    closed = c.inverse.close_motion(c.q, c.u + 1e-3, c.udot - 1e-3, **c.given("inverse"))
    yield c.evaluate("inverse", *closed).constraint_errors, 0


@law("forward: udot | free")
def nothing_else_is_needed(c):
    """With these accelerations the bodies need loads, frictions and closings alone."""
    demand, closings = c.at(tuple(c.f.udot)).demand(), c.closings.T
    if "friction" in c.traits:
        demand = demand - c.f.friction @ c.slope("sliding_speeds", "u")
    yield demand, closings @ np.linalg.pinv(closings, 1e-8) @ demand


def again(name):
    return lambda c: getattr(c.evaluate("inverse", c.q, c.u, c.f.udot), name)


SAME = "What both compute is the same for the accelerations found."
BOTH = ("joint_wrenches", "constraint_wrenches", "multipliers")
RUBBING = ("friction", "friction_residual", "normal_forces", "sliding_speeds")
equal("They vanish.", {"forward: constraint_errors | free loops": lambda c: 0})
equal(SAME, {f"forward: {x} | free -shared": again(x) for x in BOTH})
equal(SAME, {f"forward: {x} | friction": again(x) for x in RUBBING})


@law("forward: energy; kinematics: energy | free")
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
    whole = place, first, _ = np.tensordot(masses, centers, 1) / masses.sum()
    rates = c.k.center_of_mass_velocity, c.k.center_of_mass_acceleration
    yield (c.k.center_of_mass, *rates), whole
    yield c.number(c.kinematics.center_of_mass(), frame), place
    moved = masses[:, None] * np.cross(centers[:, 0] - place, centers[:, 1])
    turned = moved.sum(0) + sum(b.inertia @ b.turn.first for b in bodies)
    yield c.k.momentum, [*(masses.sum() * first), *turned]
    yield np.ravel([c.number(x, frame) for x in c.kinematics.momentum()]), c.k.momentum
