"""Plane linkages of bars on pins about z, closed by a LoopJoint."""

from types import SimpleNamespace

from bodies import rigid_body, system_of
from sympy import Rational, Symbol
from sympy.physics.mechanics import Force, PinJoint, PrismaticJoint, dynamicsymbols

from jointwrench import LoopJoint


def depend_on_first(system):
    """Let all coordinates and speeds depend on the first ones."""
    system.q_ind, system.q_dep = system.q[:1], system.q[1:]
    system.u_ind, system.u_dep = system.u[:1], system.u[1:]


def closed(system, *loops):
    """Return the System with the equations of loops; all depends on the first coordinates."""
    for loop in loops:
        system.add_holonomic_constraints(*loop.holonomic_constraints)
    depend_on_first(system)
    return system


def closed_on(system, loop, count):
    """Return the System with the equations of a loop, on which its first coordinates depend."""
    system.add_holonomic_constraints(*loop.holonomic_constraints)
    system.q_ind, system.q_dep = system.q[count:], system.q[:count]
    system.u_ind, system.u_dep = system.u[count:], system.u[:count]
    return system


def slides(ground, body, axes):
    """Return slides on which a body moves along axes of ground, one after the other."""
    carriers = [rigid_body(f"carrier_{axis}") for axis in axes[:-1]]
    ends = zip(axes, [ground, *carriers], [*carriers, body], strict=True)
    return [PrismaticJoint(x, here, there, joint_axis=getattr(here, x)) for x, here, there in ends]


def pin(name, parent, child, here=0, there=0):
    """Return a pin about z, at these places along the x axes of its bodies."""
    points = here * parent.x, there * child.x
    return PinJoint(name, parent, child, None, None, *points, joint_axis=parent.z)


def four_bar(lengths, mass=None, moments=()):
    """Return three bars on a first one at rest, centres in the middles, and the loop.

    All have this mass and these central moments of inertia, or a symbol as mass.
    """
    names = [f"link{k}" for k in range(1, 5)]
    links = [rigid_body(x, Symbol(f"{x}_mass") if mass is None else mass, *moments) for x in names]
    halves = [l / 2 for l in lengths]
    q, u = dynamicsymbols("q1:4"), dynamicsymbols("u1:4")
    places = [(halves[k] * links[k].x, -halves[k + 1] * links[k + 1].x) for k in range(3)]
    joints = [
        PinJoint(f"J{k + 1}", links[k], links[k + 1], q[k], u[k], *places[k], joint_axis=links[k].z)
        for k in range(3)
    ]
    ends = {"parent_point": -halves[0] * links[0].x, "child_point": halves[3] * links[3].x}
    loop = LoopJoint("J4", links[0], links[3], **ends, joint_axis=links[0].z)
    system = system_of(links[0], *joints)
    return SimpleNamespace(links=links, joints=joints, loop=loop, system=system, q=q, u=u)


def slider_crank(mass, force):
    """Return a crank of length 1 and a rod of length 2 whose end a rail guides, and the rail.

    A force pulls at the middle of the rod.
    """
    ground = rigid_body("ground")
    crank, rod = (rigid_body(name, mass, 0.1, 0.2, 0.3) for name in ("crank", "rod"))
    places = (0, -Rational(1, 2)), (Rational(1, 2), -1)
    joints = pin("main", ground, crank, *places[0]), pin("knee", crank, rod, *places[1])
    system = system_of(ground, *joints)
    depend_on_first(system)
    system.add_loads(Force(rod.masscenter, force * ground.x))
    return system, LoopJoint("slider", ground, rod, "point_on_line", child_point=rod.x)
