"""Plane linkages of bars on pins about z, closed by a LoopJoint."""

from types import SimpleNamespace

from bodies import rigid_body
from sympy import Symbol
from sympy.physics.mechanics import Force, PinJoint, System, dynamicsymbols, inertia

from jointwrench import LoopJoint


def depend_on_first(system):
    """Let all coordinates and speeds depend on the first ones."""
    system.q_ind, system.q_dep = system.q[:1], system.q[1:]
    system.u_ind, system.u_dep = system.u[:1], system.u[1:]


def four_bar(lengths):
    """Return three bars on a first one at rest, centres in the middles, and the loop."""
    links = [rigid_body(f"link{k}", Symbol(f"link{k}_mass")) for k in range(1, 5)]
    halves = [l / 2 for l in lengths]
    q, u = dynamicsymbols("q1:4"), dynamicsymbols("u1:4")
    joints = [
        PinJoint(
            f"J{k + 1}",
            *(links[k], links[k + 1], q[k], u[k]),
            parent_point=halves[k] * links[k].x,
            child_point=-halves[k + 1] * links[k + 1].x,
            joint_axis=links[k].z,
        )
        for k in range(3)
    ]
    ends = {"parent_point": -halves[0] * links[0].x, "child_point": halves[3] * links[3].x}
    loop = LoopJoint("J4", links[0], links[3], **ends, joint_axis=links[0].z)
    system = System.from_newtonian(links[0])
    system.add_joints(*joints)
    return SimpleNamespace(links=links, joints=joints, loop=loop, system=system, q=q, u=u)


def slider_crank(mass, force):
    """Return a crank of length 1 and a rod of length 2 whose end a rail guides, and the rail.

    A force pulls at the middle of the rod.
    """
    ground, crank, rod = (rigid_body(name, mass) for name in ("ground", "crank", "rod"))
    for body in (crank, rod):
        body.central_inertia = inertia(body.frame, 0.1, 0.2, 0.3)
    main = PinJoint("main", ground, crank, child_point=-crank.x / 2, joint_axis=ground.z)
    places = {"parent_point": crank.x / 2, "child_point": -rod.x}
    knee = PinJoint("knee", crank, rod, joint_axis=crank.z, **places)
    system = System.from_newtonian(ground)
    system.add_joints(main, knee)
    depend_on_first(system)
    system.add_loads(Force(rod.masscenter, force * ground.x))
    return system, LoopJoint("slider", ground, rod, "point_on_line", child_point=rod.x)
