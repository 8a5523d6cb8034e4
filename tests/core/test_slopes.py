"""The law of slopes: of every output, by every input, on every kind of model, in both sweeps.

Slopes are those of the formula in all its inputs, constraints or not: complex steps of the same
program, and for second slopes of the program of the gradient.
"""

import numpy as np
import pytest
from bodies import massive_body, rigid_body
from compliances import compliances
from constrained_models import rolling_disc_with_places, snakeboard
from described_models import RodCloser
from long_models import held_tip, ladder, ring, tree
from marks import few
from numeric import run
from random_systems import closed_system, random_system
from slope_laws import UNCHOSEN, check_first, check_second
from sympy import Rational
from sympy.physics.mechanics import Force, PinJoint, System, dynamicsymbols
from test_extra_joints import general_system
from test_section import Beam
from time_limit import at_most

from jointwrench import ForwardDynamics, InverseDynamics, Section
from jointwrench.friction.model_frictions import ModelFrictions
from jointwrench.mechanics.dynamics.outputs.output_derivatives import MODES

#: Of slopes, as a part of the largest of their output: what condition numbers leave of 1e-16.
TOLERANCE = 1e-9

#: Seconds of processor time for the slopes of all outputs of a kind of model: far more than the
#: slowest takes, far less than graphs that grow exponentially.
LIMIT = 60


def closed(*given):
    """Return inverse and forward dynamics of a random closed chain."""
    chain = closed_system(*given)
    return [chain.inverse(), chain.forward()]


def of_kane(model, **options):
    """Return inverse and forward dynamics of a KanesMethod."""
    known = {"connections": model.connections, "loops": model.loops}
    idyn = InverseDynamics.from_kane(model.kane, **known, **options)
    return [idyn, ForwardDynamics.from_kane(model.kane, **known)]


def of_loops(system, loops, actuated=None):
    """Return inverse and forward dynamics."""
    idyn = InverseDynamics(system, loops=loops, actuated=actuated)
    return [idyn, ForwardDynamics(system, loops=loops)]


def of_redundant(system, loops):
    """Return these, and inverse dynamics with elastic joints."""
    elastic = compliances(system, loops=loops)
    chosen = InverseDynamics(system, loops=loops, redundancy=elastic)
    return [*of_loops(system, loops), chosen]


def of_tree(system, **options):
    """Return inverse and forward dynamics, and the kinematics."""
    idyn = InverseDynamics(system, **options)
    return [idyn, ForwardDynamics(system), idyn.kinematics()]


def on_driven_base():
    """Return a pendulum whose base moves as a given function of time, and turns."""
    ground, base, rod = rigid_body("ground"), massive_body("base"), rigid_body("rod", 2)
    shift, turn = dynamicsymbols("shift turn")
    system = System.from_newtonian(ground)
    system.add_bodies(base)
    base.frame.orient_axis(ground.frame, ground.z + ground.x, turn)
    base.masscenter.set_pos(system.fixed_point, shift * ground.x + shift**2 * ground.y)
    system.add_joints(PinJoint("pin", base, rod, joint_axis=base.z, child_point=-rod.x / 3))
    system.apply_uniform_gravity(-9 * ground.y)
    return of_tree(system)


def with_solved_load():
    """Return a chain with a force that the motion determines in place of a motor."""
    system, bodies = tree("skew", 3, "fractions")
    push = dynamicsymbols("push")
    system.add_loads(Force(bodies[-1].masscenter, push * system.joints[0].parent.y))
    return [InverseDynamics(system, solve_for=[push], actuated=[*system.u[:2]])]


def with_section():
    """Return a beam on a pin that is cut, with a bob that swings on it."""
    beam = Beam(0)
    beam.carry(Rational(9, 10))
    rod = beam.pieces[0][0]
    section = Section.of_rod("cut", rod, -rod.x, rod.x, Rational(1, 2))
    return [InverseDynamics(beam.system, sections=[section])]


def gated():
    """Return a tree whose loads have edges."""
    return random_system(5, 2, joints=("quaternion", "pin"), loads=("force", "motor"), gates=1.0)


#: Models of each kind by name.
KINDS = {
    "tree": lambda: of_tree(random_system(0, 3).system),
    "trees": lambda: of_tree(random_system(5, 3).system),
    **{f"tree {k}": lambda k=k: [random_system(k, 1 + k % 3).inverse()] for k in range(6, 18)},
    "gates": lambda: of_tree(gated().system),
    "closed in space": lambda: closed(4, False),
    "closed in space 1": lambda: closed(1, False),
    "closed in space 10": lambda: closed(10, False),
    "closed in space 7": lambda: closed(7, False),
    "closed in a plane": lambda: closed(1, True),
    "rod": lambda: closed(4, False, RodCloser),
    "redundant": lambda: of_redundant(*ring(3, "symbols")),
    "redundant ladder": lambda: of_redundant(*ladder(2, "decimals")),
    "contact": lambda: of_loops(*held_tip("pin", 2, "symbols")),
    "contact in space": lambda: of_redundant(*held_tip("skew", 2, "symbols")),
    "contact of three": lambda: of_redundant(*held_tip("skew", 3, "symbols")),
    "rolling disc": lambda: of_kane(rolling_disc_with_places()),
    "snakeboard": lambda: of_kane(snakeboard()),
    "driven base": on_driven_base,
    "quaternion": lambda: of_tree(general_system("quaternion")[0]),
    "coupler": lambda: of_tree(general_system("coupled")[0]),
    "knee": lambda: of_tree(general_system("knee")[0]),
    "solved load": with_solved_load,
    "section": with_section,
    "massless": lambda: of_tree(tree("universal", 2, "symbols")[0]),
    "long chain": lambda: [ForwardDynamics(tree("skew", 5, "decimals")[0])],
    "free base": lambda: of_tree(tree("twist", 4, "decimals", is_free=True)[0]),
}
#: What not every model has: sections, joints whose reactions are unique, frictions.
REFUSED = ("section_wrenches", "constraint_wrenches", *ModelFrictions.outputs)

#: Those that take no seconds.
CHEAP = ("closed in a plane", "contact", "driven base", "section")
#: Those whose second slopes are cheap.
TWICE = ("driven base",)


def values_of(known):
    """Return a number for every input."""
    random = np.random.default_rng(8)
    ranges = {"constants": (0.6, 1.4)}
    pairs = ((x, ranges.get(key, (-0.9, 0.9))) for key, own in known.inputs.items() for x in own)
    return {x: random.uniform(*ends) for x, ends in pairs}


def outputs_of(model):
    """Return the outputs that a model has, and values of all inputs."""
    known, names = model.model.outputs, []
    for name in known.names:
        try:
            names += [name] * bool(known.output(name).refs)
        except ValueError:  # refused in words that other tests read
            assert name in REFUSED, name
    return known, names, values_of(known)


@pytest.mark.parametrize("kind", few(KINDS, *CHEAP))
def test_first_slopes(kind):
    with at_most(LIMIT):
        for model in KINDS[kind]():
            known, names, values = outputs_of(model)
            groups = [name for name, symbols in known.inputs.items() if symbols]
            check_first(model, names, values, TOLERANCE, MODES, groups)


@pytest.mark.parametrize("kind", few(KINDS, *TWICE))
def test_second_slopes(kind):
    with at_most(LIMIT):
        for model in KINDS[kind]():
            _, names, values = outputs_of(model)
            at = run(model.program(names), values)
            whole = [name for name in names if not np.isnan(at[name]).any()]
            with np.errstate(**UNCHOSEN):
                check_second(model, whole, values, 1e-7)


def test_second_slopes_of_a_redundant_ring_end():
    """Each operation adds a number of operations that does not grow with the others."""
    system, loops = ring(3, "symbols")
    idyn = InverseDynamics(system, loops=loops)
    with at_most(LIMIT):
        program, _ = idyn.model.outputs.weighted_sum(["conditioning"], None, ["q", "u"])
    assert len(program.operations) < 20 * len(idyn.program(["conditioning"]).operations)
