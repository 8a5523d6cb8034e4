"""A tree that contradicts what its model states is refused, whatever of it is wrong."""

from dataclasses import replace

import linkages
import pytest
import sympy.physics.mechanics as me
from bodies import inertia, rigid_body, system_of
from refusals import refused
from sketches import Sketch, l
from sympy import ImmutableDenseMatrix, Rational, symbols

from jointwrench.mechanics.mechanism.deduced_structure import KaneModel
from jointwrench.mechanics.mechanism.reading.model_reader import read_model
from jointwrench.mechanics.mechanism.reading.statement_check import check_statements
from jointwrench.mechanics.mechanism.tree import TopologyError
from jointwrench.mechanics.methods.inverse_dynamics import InverseDynamics
from jointwrench.models.serial_chain import SerialChain
from jointwrench.verify.comparison import crosscheck

f, g = symbols("f g")
SIDE = ImmutableDenseMatrix([Rational(1, 7), 0, Rational(1, 5)])


def arm():
    """A slider with two links on pins across each other, loads, and inertia about an end."""
    names = zip(("ground", "slider", "upper", "fore"), symbols("m:4"), strict=True)
    ground, slider, upper, fore = (rigid_body(*x, 0.5, 0.6, 0.7, 0.1) for x in names)
    end = fore.masscenter.locatenew("end", fore.x / 3 + fore.y / 4)
    fore.inertia = inertia(fore.frame, 7, 8, 9), end
    system = system_of(
        ground,
        me.PrismaticJoint("rail", ground, slider, joint_axis=ground.x),
        me.PinJoint("shoulder", slider, upper, child_point=-upper.x - upper.z, joint_axis=slider.z),
        me.PinJoint("elbow", upper, fore, None, None, upper.x, -fore.y, joint_axis=upper.y),
        gravity=-g * ground.y,
    )
    system.add_loads(me.Force(end, f * ground.z + upper.x), me.Torque(fore, f * upper.y))
    return system, ()


def four_bar():
    """Three bars on a first one, closed by a pin."""
    bars = linkages.four_bar(symbols("l:4"))
    bars.system.apply_uniform_gravity(-g * bars.links[0].y)
    return linkages.closed(bars.system, bars.loop), (bars.loop,)


def pendulum():
    """Two links by absolute angles, of a KanesMethod."""
    s = Sketch(2)
    A, B = s.turn(0, "A"), s.turn(1, "B")
    s.body("a", s.point("Ao", l * A.x / 2), A)
    knee = s.point("K", l * A.x)
    s.body("b", s.point("Bo", l * B.x / 3, knee), B)
    s.loads = [(s.point("E", l * B.y, knee), f * A.x), (A, f * A.z)]
    return KaneModel(s.kane()), None


#: Each model with its loops as a user passes them.
MODELS = {make.__name__: make() for make in (arm, four_bar, pendulum)}


def of_links(change, k=-1):
    """Return the function that changes one link of a tree."""

    def mutant(tree):
        links = [*tree.links]
        links[k] = change(links[k])
        return replace(tree, links=tuple(links))

    return mutant


def of_motion(change, k=-1):
    return of_links(lambda link: replace(link, motion=change(link.motion)), k)


def of_loads(change):
    """Return the function that changes the first load."""

    def mutant(tree):
        first, *others = tree.assigned.applied
        return replace(tree, assigned=replace(tree.assigned, applied=(*change(first), *others)))

    return mutant


def of_closing(change):
    def mutant(tree):
        closings = tuple(map(change, tree.constraints.closings))
        return replace(tree, constraints=replace(tree.constraints, closings=closings))

    return mutant


def turned_back(motion):
    """Return a motion whose rotations lead the other way."""
    return replace(motion, rotations=tuple(stage.T for stage in motion.rotations))


def moved(parts):
    """Return the place that lies beside another one."""
    first, *others = parts
    return (first._replace(components=first.components + SIDE), *others)


def faster(tree):
    """Return the tree with a coordinate that changes twice as fast."""
    rate, value = next(iter(tree.derivative.rates.items()))
    rates = {**tree.derivative.rates, rate: 2 * value}
    return replace(tree, derivative=replace(tree.derivative, rates=rates))


def without_gravity(tree):
    return replace(tree, assigned=replace(tree.assigned, gravity=None))


TREES = {
    "rotation transposed": of_motion(turned_back),
    "inner rotation transposed": of_motion(turned_back, -2),
    "attachment moved": of_links(lambda x: replace(x, attachment=x.attachment + SIDE)),
    "offset moved": of_motion(lambda x: replace(x, offset=x.offset + SIDE)),
    "offset faster": of_motion(lambda x: replace(x, offset_velocity=x.offset_velocity + SIDE)),
    "angular velocity reversed": of_motion(
        lambda x: replace(x, angular_velocity=-x.angular_velocity)
    ),
    "angular acceleration doubled": of_motion(
        lambda x: replace(x, angular_acceleration=2 * x.angular_acceleration)
    ),
    "mass centre moved": of_links(lambda x: replace(x, masscenter=x.masscenter + SIDE)),
    "mass doubled": of_links(lambda x: replace(x, mass=2 * x.mass)),
    "mass missing": of_links(lambda x: replace(x, mass=0 * x.mass)),
    "parent is ground": of_links(lambda x: replace(x, inner=None)),
    "rates doubled": faster,
}
INERTIAS = {
    "inertia transposed": of_links(lambda x: replace(x, inertia=x.inertia + SIDE * SIDE.T)),
    "inertia at another point": of_links(
        lambda x: replace(x, inertia_is_about_origin=not x.inertia_is_about_origin)
    ),
}
LOADS = {
    "load dropped": of_loads(lambda x: ()),
    "load twice": of_loads(lambda x: (x, x)),
    "lever moved": of_loads(lambda x: [replace(x, position=x.position + SIDE)]),
    "force as a torque": of_loads(lambda x: [replace(x, position=None)]),
    "load reversed": of_loads(lambda x: [x.mapped(lambda y: -y)]),
    "load on the parent": of_loads(lambda x: [replace(x, link=x.link - 1)]),
    "load in another frame": of_loads(
        lambda x: [replace(x, parts=tuple(p._replace(link=None) for p in x.parts))]
    ),
}
LOOPS = {
    "place on the child moved": of_closing(
        lambda x: replace(x, child_position=moved(x.child_position))
    ),
    "place on the parent moved": of_closing(
        lambda x: replace(x, parent_position=moved(x.parent_position))
    ),
    "force turned": of_closing(lambda x: replace(x, forces=(*map(moved, x.forces),))),
    "moment turned": of_closing(lambda x: replace(x, moments=(*map(moved, x.moments),))),
    "axis turned": of_closing(lambda x: replace(x, pairs=tuple((a, moved(b)) for a, b in x.pairs))),
    "child is another bar": of_closing(lambda x: replace(x, child=x.child - 1)),
    "parent is a bar": of_closing(lambda x: replace(x, parent=0)),
}
MUTANTS = [
    *((model, name, change) for model in MODELS for name, change in TREES.items()),
    *(("arm", name, change) for name, change in INERTIAS.items()),
    *((model, name, change) for model in ("arm", "pendulum") for name, change in LOADS.items()),
    *(("four_bar", name, change) for name, change in LOOPS.items()),
    *((model, "gravity missing", without_gravity) for model in ("arm", "four_bar")),
]


@pytest.fixture(scope="module")
def trees():
    return {name: read_model(model, (), loops) for name, (model, loops) in MODELS.items()}


@pytest.mark.parametrize("name", MODELS)
def test_what_was_read_is_accepted(trees, name):
    check_statements(trees[name], MODELS[name][0])
    check_statements(trees[name])


def test_roundoff_is_no_difference():
    """The mass centre is on the axis, and the body's mass is at its centre, by sums that cancel."""
    ground, rod = rigid_body("ground"), rigid_body("rod", 2)
    end = rod.masscenter.locatenew("end", 0.7 * rod.y + 0.3 * rod.x)
    rod.inertia = me.inertia_of_point_mass(2, rod.masscenter.pos_from(end), rod.frame), end
    inner = me.ReferenceFrame("F")
    inner.orient_body_fixed(ground.frame, (0.1, 0.2, 0.3), "xyz")
    axis = {"parent_interframe": inner, "joint_axis": inner.y}
    system = system_of(ground, me.PinJoint("pin", ground, rod, child_point=0.7 * rod.y, **axis))
    check_statements(read_model(system), system)


CASES = [pytest.param(model, change, id=f"{model}, {name}") for model, name, change in MUTANTS]


@pytest.mark.parametrize(("model", "change"), CASES)
def test_a_wrong_tree_is_refused(trees, model, change):
    tree, (stated, _) = trees[model], MODELS[model]
    wrong = change(tree)
    with pytest.raises(TopologyError) as caught:
        check_statements(wrong, stated)
    assert caught.value.problems


def test_velocities_that_contradict_positions_are_the_models():
    ground, wheel = rigid_body("ground"), rigid_body("wheel", 2)
    system = system_of(ground, me.PinJoint("pin", ground, wheel, child_point=-wheel.y))
    wheel.masscenter.set_vel(ground.frame, 0)
    tree = read_model(system)
    error = refused(lambda: check_statements(tree, system), "system", TopologyError)
    assert "wheel_masscenter in ground_frame is stated as 0" in str(error)
    assert "jointwrench" not in str(error)


def test_crosscheck_compares_what_was_read():
    chain = SerialChain.planar(1, gravity=(0, -9.81, 0))
    idyn = InverseDynamics(chain.system)
    idyn.model.tree = TREES["mass doubled"](idyn.model.tree)
    numbers = dict.fromkeys(idyn.constants, 1.0)
    motion = {chain.coordinates[0]: me.dynamicsymbols._t}
    error = refused(lambda: crosscheck(idyn, motion, [0, 1], numbers), "system", TopologyError)
    assert "the power of the inertia force of S_0 is" in str(error)
