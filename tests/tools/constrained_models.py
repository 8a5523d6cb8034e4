"""Models with constraints as sympy's, PyDy's, opty's and a textbook's users build them.

Each builder returns a `KanesMethod`, how its bodies are joined, what closes it, and values of its
constants.  Written anew from the documentation of the programs that are named.
"""

from dataclasses import dataclass, field
from typing import Any

import sympy as sm
import sympy.physics.mechanics as me
from bodies import rigid_body
from classical import disc_frames, thin_disc

from jointwrench import Contact, ForwardDynamics, LoopJoint

T = me.dynamicsymbols._t


@dataclass
class Model:
    """A KanesMethod, its connections (parent, child, point), closings, and what tests need."""

    kane: me.KanesMethod
    connections: list
    loops: list = field(default_factory=list)
    values: dict = field(default_factory=dict)
    parts: dict[str, Any] = field(default_factory=dict)


def inertial():
    """Return the frame N, a point O at rest in it, and ground as a body."""
    frame, origin = me.ReferenceFrame("N"), me.Point("O")
    origin.set_vel(frame, 0)
    return frame, origin, me.RigidBody("ground", origin, frame)


def along(components, axes):
    """Return the vector with components along axes."""
    return sum((x * axis for x, axis in zip(components, axes, strict=True)), 0 * axes[0])


def rolling_disc_of_sympy(with_auxiliary=False):
    """The rolling disc of sympy's documentation: three speeds; its contact point is at rest.

    With auxiliary speeds of that point, which bring the contact force into evidence.
    """
    m, g, r = sm.symbols("m g r")
    frame, _, ground = inertial()
    q, u, kdes, heading, leaning, turning = disc_frames(frame)
    contact = me.Point("C")
    axes = leaning.x, heading.z.cross(leaning.x), heading.z
    auxiliary, forces = me.dynamicsymbols("u4:7"), me.dynamicsymbols("f1:4")
    contact.set_vel(frame, along(auxiliary, axes) if with_auxiliary else 0)
    center = contact.locatenew("Dmc", r * leaning.z)
    center.v2pt_theory(contact, frame, turning)
    disc = thin_disc(center, turning, leaning, m, r)
    kane = me.KanesMethod(
        frame,
        q,
        u,
        kdes,
        bodies=[disc],
        forcelist=[
            (center, -m * g * heading.z),
            *([(contact, along(forces, axes))] if with_auxiliary else []),
        ],
        u_auxiliary=auxiliary if with_auxiliary else None,
    )
    values = {m: 2.0, g: 9.81, r: 0.4}
    parts = {"disc": disc, "contact": contact, "ground": ground, "forces": forces, "axes": axes}
    return Model(kane, [(frame, disc, contact)], [], values, parts)


def rolling_disc_with_places():
    """The same disc with the place and speeds of its centre, and a contact: six speeds."""
    m, g, r = sm.symbols("m g r")
    frame, origin, ground = inertial()
    q, u, kdes, _, leaning, turning = disc_frames(frame)
    place, moving = me.dynamicsymbols("x y z"), me.dynamicsymbols("v1:4")
    center = origin.locatenew("Dmc", along(place, tuple(frame)))
    center.set_vel(frame, along(moving, tuple(frame)))
    kdes = [*kdes, *(x.diff() - v for x, v in zip(place, moving, strict=True))]
    disc = thin_disc(center, turning, leaning, m, r)
    tyre = Contact("tyre", ground, disc, center.locatenew("C", -r * leaning.z))
    options = {"u_dependent": moving, "velocity_constraints": list(tyre.velocity_constraints)}
    weight = [(center, -m * g * frame.z)]
    kane = me.KanesMethod(frame, [*q, *place], u, kdes, bodies=[disc], forcelist=weight, **options)
    values = {m: 2.0, g: 9.81, r: 0.4}
    return Model(kane, [(frame, disc, center)], [tyre], values, {"disc": disc, "leaning": leaning})


def dragged_bar():
    """A wheel that rolls along x, and a bar on its hub whose tip does not move along x.

    The velocities of the bodies say that the wheel rolls.  Its place follows by a constraint, to
    which that of the tip refers.
    """
    names = sm.symbols("m_W m_B I_W I_B r l g")
    mass, bar_mass, iw, ib, r, length, g = names
    frame, origin, ground = inertial()
    q1, q2, x = me.dynamicsymbols("q1 q2 x")
    u1, u2, v = me.dynamicsymbols("u1 u2 v")
    wheel_frame = frame.orientnew("W", "Axis", [q1, frame.y])
    bar_frame = frame.orientnew("B", "Axis", [q2, frame.y])
    wheel_frame.set_ang_vel(frame, u1 * frame.y)
    bar_frame.set_ang_vel(frame, u2 * frame.y)
    touching = origin.locatenew("touching", x * frame.x)
    touching.set_vel(frame, 0)
    hub = touching.locatenew("hub", r * frame.z)
    hub.v2pt_theory(touching, frame, wheel_frame)
    center, tip = (hub.locatenew(x, k * bar_frame.x) for x, k in (("G", length / 2), ("T", length)))
    for point in (center, tip):
        point.v2pt_theory(hub, frame, bar_frame)
    wheel = me.RigidBody("wheel", hub, wheel_frame, mass, (me.inertia(frame, 0, iw, 0), hub))
    bar = me.RigidBody("bar", center, bar_frame, bar_mass, (me.inertia(frame, 0, ib, 0), center))
    coordinates, speeds = [q1, q2, x], [u1, u2, v]
    kane = me.KanesMethod(
        frame,
        coordinates,
        speeds[:1],
        [q.diff() - u for q, u in zip(coordinates, speeds, strict=True)],
        u_dependent=speeds[1:],
        velocity_constraints=[v - length * sm.sin(q2) * u2, v - r * u1],
        bodies=[wheel, bar],
        forcelist=[(hub, -mass * g * frame.z), (center, -bar_mass * g * frame.z)],
    )
    loops = [Contact("tip", ground, bar, tip, [frame.x])]
    values = dict(zip(names, (2.0, 3.0, 0.1, 0.2, 0.4, 0.9, 9.81), strict=True))
    parts = {"ground": ground, "bar": bar, "tip": tip}
    return Model(kane, [(frame, wheel, touching), (wheel, bar, hub)], loops, values, parts)


def chaplygin_sleigh():
    """A body on ice with a knife edge behind its mass centre."""
    m, iz, a = sm.symbols("m I a")
    frame, origin, ground = inertial()
    x, y, psi = me.dynamicsymbols("x y psi")
    v, slip, w = me.dynamicsymbols("v s w")
    body_frame = frame.orientnew("B", "Axis", [psi, frame.z])
    body_frame.set_ang_vel(frame, w * frame.z)
    edge = origin.locatenew("P", x * frame.x + y * frame.y)
    edge.set_vel(frame, v * body_frame.x + slip * body_frame.y)
    center = edge.locatenew("G", a * body_frame.x)
    center.v2pt_theory(edge, frame, body_frame)
    body = me.RigidBody("sleigh", center, body_frame, m, (me.inertia(body_frame, 0, 0, iz), center))
    blade = Contact("blade", ground, body, edge, [body_frame.y])
    rates = edge.pos_from(origin).dt(frame) - edge.vel(frame)
    kdes = [rates.dot(frame.x), rates.dot(frame.y), psi.diff() - w]
    options = {"u_dependent": [slip], "velocity_constraints": list(blade.velocity_constraints)}
    kane = me.KanesMethod(frame, [x, y, psi], [v, w], kdes, bodies=[body], forcelist=[], **options)
    return Model(kane, [(frame, body, center)], [blade], {}, {"symbols": (m, iz, a)})


def snakeboard():
    """The snakeboard of "Learn Multibody Dynamics" (J. K. Moore): a board on two steered axles."""
    ma, mw, inner, wheel, length = sm.symbols("m_A m_W I_A I_W l")
    frame, origin, ground = inertial()
    q, u = me.dynamicsymbols("q1:6"), me.dynamicsymbols("u1:6")
    board_frame = frame.orientnew("A", "Axis", [q[2], frame.z])
    front_frame = board_frame.orientnew("B", "Axis", [q[3], frame.z])
    rear_frame = board_frame.orientnew("C", "Axis", [q[4], frame.z])
    board_frame.set_ang_vel(frame, u[2] * frame.z)
    front_frame.set_ang_vel(board_frame, u[3] * frame.z)
    rear_frame.set_ang_vel(board_frame, u[4] * frame.z)
    center = origin.locatenew("Ao", q[0] * frame.x + q[1] * frame.y)
    center.set_vel(frame, u[0] * frame.x + u[1] * frame.y)
    front = center.locatenew("Bo", length / 2 * board_frame.x)
    rear = center.locatenew("Co", -length / 2 * board_frame.x)
    front.v2pt_theory(center, frame, board_frame)
    rear.v2pt_theory(center, frame, board_frame)
    parts = [("board", center, board_frame, ma, inner), ("front", front, front_frame, mw, wheel)]
    parts.append(("rear", rear, rear_frame, mw, wheel))
    bodies = [
        me.RigidBody(name, point, own, mass, (me.inertia(own, 0, 0, value), point))
        for name, point, own, mass, value in parts
    ]
    board, fore, aft = bodies
    front_edge = Contact("front edge", ground, fore, front, [front_frame.y])
    edges = [front_edge, Contact("rear edge", ground, aft, rear, [rear_frame.y])]
    kane = me.KanesMethod(
        frame,
        q,
        u[2:],
        [x.diff() - v for x, v in zip(q, u, strict=True)],
        u_dependent=u[:2],
        velocity_constraints=[edge.velocity_constraints[0] for edge in edges],
        bodies=bodies,
        forcelist=[],
    )
    connections = [(frame, board, center), (board, fore, front), (board, aft, rear)]
    values = {ma: 3.0, mw: 0.6, inner: 0.2, wheel: 0.03, length: 0.9}
    return Model(kane, connections, edges, values)


def four_bar_of_kanes_method():
    """The four-bar of the textbook, with particles at the ends of three links on ground."""
    la, lb, lc, ln, m, g = sm.symbols("l_a l_b l_c l_n m g")
    frame, origin, ground = inertial()
    q, u = me.dynamicsymbols("q1:4"), me.dynamicsymbols("u1:4")
    frames, points, bodies, inner = [], [origin], [], frame
    for k, (angle, speed, length) in enumerate(zip(q, u, (la, lb, lc), strict=True)):
        own = inner.orientnew("ABC"[k], "Axis", [angle, frame.z])
        own.set_ang_vel(inner, speed * frame.z)
        point = points[-1].locatenew(f"P{k + 2}", length * own.x)
        point.v2pt_theory(points[-1], frame, own)
        center = points[-1].locatenew(f"G{k + 1}", length / 2 * own.x)
        center.v2pt_theory(points[-1], frame, own)
        central = me.inertia(own, 0, m * length**2 / 12, m * length**2 / 12)
        bodies.append(me.RigidBody(f"link {k + 1}", center, own, m, (central, center)))
        frames, points, inner = [*frames, own], [*points, point], own
    far = origin.locatenew("P5", ln * frame.x)
    ends = {"parent_point": far, "child_point": points[3]}
    loop = LoopJoint("far pin", ground, bodies[2], **ends, joint_axis=frame.z)
    kane = me.KanesMethod(
        frame,
        q[:1],
        u[:1],
        [x.diff() - v for x, v in zip(q, u, strict=True)],
        q_dependent=q[1:],
        configuration_constraints=list(loop.holonomic_constraints),
        u_dependent=u[1:],
        velocity_constraints=list(loop.velocity_constraints),
        bodies=bodies,
        forcelist=[(body.masscenter, -m * g * frame.y) for body in bodies],
    )
    connections = list(zip([frame, *bodies[:-1]], bodies, points[:-1], strict=True))
    values = {la: 0.4, lb: 1.1, lc: 0.9, ln: 1.2, m: 1.7, g: 9.81}
    return Model(kane, connections, [loop], values, {"start": [0.8, -0.5, -1.6], "pin": "link 1"})


def whipple_bicycle():
    """The Whipple bicycle of sympy's documentation: no places, wheels that have no angles.

    The rear contact point is at rest, the front one is a contact.

    The geometry and masses are the benchmark's of Meijaard, Papadopoulos, Ruina and Schwab
    (Proc. R. Soc. A 463, 2007), its axes (x ahead, z down) too.
    """
    names = "r_R r_F w c lam g m_R m_B m_H m_F x_B z_B x_H z_H"
    rr, rf, base, trail, tilt, g, mr, mb, mh, mf, xb, zb, xh, zh = parameters = sm.symbols(names)
    irxx, iryy, ifxx, ifyy = wheels = sm.symbols("IRxx IRyy IFxx IFyy")
    ib, ih = sm.symbols("IBxx IByy IBzz IBxz"), sm.symbols("IHxx IHyy IHzz IHxz")
    frame, _, ground = inertial()
    q1, q2, q4, q5 = q = me.dynamicsymbols("q1 q2 q4 q5")
    u1, u2, u3, u4, u5, u6 = me.dynamicsymbols("u1:7")
    heading = frame.orientnew("Y", "Axis", [q1, frame.z])
    leaning = heading.orientnew("E", "Axis", [q2, heading.x])
    rear_frame = leaning.orientnew("Frame", "Axis", [q4, leaning.y])
    tilted = rear_frame.orientnew("TempFork", "Axis", [tilt, rear_frame.y])
    fork_frame = tilted.orientnew("Fork", "Axis", [q5, tilted.z])
    level = fork_frame.orientnew("Level", "Axis", [-tilt, fork_frame.y])
    rear_wheel_frame, front_wheel_frame = me.ReferenceFrame("WR"), me.ReferenceFrame("WF")
    heading.set_ang_vel(frame, u1 * heading.z)
    leaning.set_ang_vel(heading, u2 * leaning.x)
    rear_frame.set_ang_vel(leaning, u4 * rear_frame.y)
    rear_wheel_frame.set_ang_vel(rear_frame, u3 * rear_frame.y)
    fork_frame.set_ang_vel(tilted, u5 * fork_frame.z)
    front_wheel_frame.set_ang_vel(fork_frame, u6 * fork_frame.y)

    rear_contact = me.Point("WR_cont")
    rear_contact.set_vel(frame, 0)
    rear_hub = rear_contact.locatenew("WR_mc", -rr * leaning.z)
    rear_hub.v2pt_theory(rear_contact, frame, rear_wheel_frame)
    frame_center = rear_hub.locatenew("Frame_mc", xb * rear_frame.x + (zb + rr) * rear_frame.z)
    steer = rear_hub.locatenew("Steer", (base + trail) * rear_frame.x + rr * rear_frame.z)
    fork_center = steer.locatenew("Fork_mc", (xh - base - trail) * level.x + zh * level.z)
    front_hub = steer.locatenew("WF_mc", -trail * level.x - rf * level.z)
    frame_center.v2pt_theory(rear_hub, frame, rear_frame)
    steer.v2pt_theory(rear_hub, frame, rear_frame)
    fork_center.v2pt_theory(steer, frame, fork_frame)
    front_hub.v2pt_theory(steer, frame, fork_frame)
    down = heading.z - heading.z.dot(fork_frame.y) * fork_frame.y
    front_contact = front_hub.locatenew("WF_cont", rf * down.normalize())
    front_contact.v2pt_theory(front_hub, frame, front_wheel_frame)

    def body(name, center, own, mass, dyadic):
        return me.RigidBody(name, center, own, mass, (dyadic, center))

    def general(own, xx, yy, zz, xz):
        return me.inertia(own, xx, yy, zz, 0, 0, xz)

    rear_wheel = body(
        "rear wheel", rear_hub, rear_wheel_frame, mr, me.inertia(rear_frame, irxx, iryy, irxx)
    )
    rear = body("frame", frame_center, rear_frame, mb, general(rear_frame, *ib))
    fork = body("fork", fork_center, fork_frame, mh, general(level, *ih))
    front_wheel = body(
        "front wheel", front_hub, front_wheel_frame, mf, me.inertia(fork_frame, ifxx, ifyy, ifxx)
    )
    bodies = [rear_wheel, rear, fork, front_wheel]
    tyre = Contact("front tyre", ground, front_wheel, front_contact, tuple(heading))
    kane = me.KanesMethod(
        frame,
        [q1, q2, q5],
        [u2, u3, u5],
        [x.diff() - v for x, v in zip(q, (u1, u2, u4, u5), strict=True)],
        q_dependent=[q4],
        configuration_constraints=[front_contact.pos_from(rear_contact).dot(heading.z)],
        u_dependent=[u1, u4, u6],
        velocity_constraints=list(tyre.velocity_constraints),
        bodies=bodies,
        forcelist=[(each.masscenter, each.mass * g * heading.z) for each in bodies],
        constraint_solver="CRAMER",
    )
    connections = [(frame, rear_wheel, rear_contact), (rear_wheel, rear, rear_hub)]
    connections += [(rear, fork, steer), (fork, front_wheel, front_hub)]
    numbers = (0.3, 0.35, 1.02, 0.08, sm.pi.evalf() / 10, 9.81, 2, 85, 4, 3, 0.3, -0.9, 0.9, -0.7)
    values = dict(zip(parameters, map(float, numbers), strict=True))
    values |= dict(zip(wheels, (0.0603, 0.12, 0.1405, 0.28), strict=True))
    values |= dict(zip(ib, (9.2, 11, 2.8, 2.4), strict=True))
    values |= dict(zip(ih, (0.05892, 0.06, 0.00708, -0.00756), strict=True))
    parts = {"ground": ground, "rear wheel": rear_wheel, "rear contact": rear_contact}
    parts["start"] = [0.1, 0.05, 0.02, 0.0]
    return Model(kane, connections, [tyre], values, parts)


def crank_on_moving_guide(height, length):
    """Return forward dynamics of a crank of length 1 and a rod, whose end is on y = height."""
    ground, guide, crank, rod = (
        rigid_body(x, sm.Symbol(f"{x}_mass")) for x in ("ground", "guide", "crank", "rod")
    )
    for body in (crank, rod):
        body.central_inertia = me.inertia(body.frame, 0, 0, sm.Symbol(f"{body.name}_izz"))
    main = me.PinJoint("main", ground, crank, child_point=-crank.x / 2, joint_axis=ground.z)
    ends = {"parent_point": crank.x / 2, "child_point": -length / 2 * rod.x}
    knee = me.PinJoint("knee", crank, rod, **ends, joint_axis=crank.z)
    system = me.System.from_newtonian(ground)
    system.add_bodies(guide)
    system.add_joints(main, knee)
    guide.frame.orient_axis(ground.frame, ground.z, 0)
    guide.masscenter.set_pos(ground.masscenter, height * ground.y)
    guide.masscenter.set_vel(ground.frame, height.diff(me.dynamicsymbols._t) * ground.y)
    slider = LoopJoint("slider", guide, rod, "point_on_line", child_point=length / 2 * rod.x)
    system.add_holonomic_constraints(*slider.holonomic_constraints)
    system.q_ind, system.q_dep = main.coordinates, knee.coordinates
    system.u_ind, system.u_dep = main.speeds, knee.speeds
    system.apply_uniform_gravity(-10 * ground.y)
    return ForwardDynamics(system, loops=[slider])
