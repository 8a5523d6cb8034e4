"""A diver in the air
==================

A floating base on which no external force but gravity acts.

A trunk with two arms somersaults; in mid-air the left arm swings down, which tilts the body and
makes it twist.  This script

1. builds the model as a sympy ``System`` with a ``FreeJoint`` by quaternion,
2. simulates it forward with ``KanesMethod``, driven by torques in the shoulders,
3. checks that the angular momentum about the mass centre does not change,
4. applies inverse dynamics to this motion: it returns the applied shoulder torques, and the
   *residual*, the joint wrench of the FreeJoint, is zero,
5. shows a use of the residual: it reveals an arm that is modelled too heavy,
6. checks the forces of another motion, which needs support, against a forward simulation.

Trunk frame: x to the left, y to the back, z to the head.
"""

from pathlib import Path

import numpy as np
from scipy.integrate import solve_ivp, trapezoid
from sympy import Matrix, cos, lambdify, pi, sin, symbols
from sympy.physics.mechanics import (
    PinJoint,
    RigidBody,
    System,
    TorqueActuator,
    angular_momentum,
    dynamicsymbols,
    inertia,
    linear_momentum,
)

import jointwrench as jw

DURATION = 1.2  # s
N_INSTANTS = 61

ARM, LENGTH, GRAVITY = symbols("m_arm l_arm g", positive=True)
CONSTANTS = {ARM: 4.0, LENGTH: 0.7, GRAVITY: 9.81}


class Diver:
    """The bodies, joints and torques, and their System."""

    def __init__(self):
        self.pool, self.trunk = RigidBody("pool"), RigidBody("trunk", mass=55)
        self.trunk.central_inertia = inertia(self.trunk.frame, 9.0, 9.5, 0.8)
        self.system = System.from_newtonian(self.pool)
        self.base = jw.FreeJoint("base", self.pool, self.trunk, rotation="quaternion")
        self.system.add_joints(self.base)
        sides = {"left": 1, "right": -1}
        self.arms = [RigidBody(f"{side}_arm", mass=ARM) for side in sides]
        self.torques = [dynamicsymbols(f"tau_{side}") for side in sides]
        self.shoulders = [
            self.add_arm(f"{name}_shoulder", *parts)
            for name, *parts in zip(sides, sides.values(), self.arms, self.torques, strict=True)
        ]
        self.system.apply_uniform_gravity(-GRAVITY * self.pool.z)

    def add_arm(self, name, side, arm, torque):
        """Join an arm that hangs down where its angle is zero, and spreads to its side."""
        moment = ARM * LENGTH**2 / 12
        arm.central_inertia = inertia(arm.frame, moment, moment, 0.005)
        shoulder = PinJoint(
            name,
            self.trunk,
            arm,
            parent_point=0.2 * side * self.trunk.x + 0.4 * self.trunk.z,
            child_point=LENGTH / 2 * arm.z,
            joint_axis=-side * self.trunk.y,
        )
        self.system.add_joints(shoulder)
        self.system.add_actuators(TorqueActuator.at_pin_joint(torque, shoulder))
        return shoulder


def muscle_torques(time, angles, speeds):
    """Return the torques that throw the left arm down at 0.3 s and hold the right one up."""
    targets = np.array([np.pi * (time < 0.3), np.pi])
    return 60 * (targets - angles) - 8 * speeds


def forward(diver, times):
    """Return q, u, udot and the torques at some times, by KanesMethod."""
    system = diver.system
    system.form_eoms()
    kane = system.eom_method
    rates = [kane.kindiffdict()[q.diff()] for q in system.q]
    equations = lambdify(
        [[*system.q], [*system.u], diver.torques],
        [part.xreplace(CONSTANTS) for part in (kane.mass_matrix, kane.forcing, Matrix(rates))],
        cse=True,
    )
    split = len(system.q)

    def derivative(time, state):
        q, u = state[:split], state[split:]
        torques = muscle_torques(time, q[-2:], u[-2:])
        mass_matrix, forcing, q_rates = equations(q, u, torques)
        udot = np.linalg.solve(mass_matrix, forcing)
        return np.concatenate([q_rates, udot]).ravel()

    position, upright, arms_up = [0, 0, 4.0], [1, 0, 0, 0], [np.pi, np.pi]
    velocity, somersault, arms_at_rest = [0.5, -1.0, 5.0], [-6.0, 0, 0], [0, 0]
    state = np.array([*position, *upright, *arms_up, *velocity, *somersault, *arms_at_rest])
    parts = []
    for span in (times[times < 0.3], times[times >= 0.3]):  # the torque jumps in between
        start, end = (0.0, 0.3) if not parts else (0.3, times[-1])
        run = solve_ivp(
            derivative,
            (start, end),
            state,
            method="DOP853",
            t_eval=np.union1d(span, [end]),
            rtol=1e-10,
            atol=1e-12,
        )
        parts.append(run.y[:, : len(span)].T)
        state = run.y[:, -1]
    states = np.concatenate(parts)
    pairs = list(zip(times, states, strict=True))
    udot = np.array([derivative(*pair)[split:] for pair in pairs])
    torques = np.array([muscle_torques(t, s[split - 2 : split], s[-2:]) for t, s in pairs])
    return states[:, :split], states[:, split:], udot, torques


def angular_momenta(diver, q, u):
    """Return the angular momentum about the common mass centre, in the pool's frame."""
    world, origin = diver.pool.frame, diver.pool.masscenter
    bodies = [diver.trunk, *diver.arms]
    mass = sum(body.mass for body in bodies)
    center = sum((b.mass * b.masscenter.pos_from(origin) for b in bodies), 0 * world.x) / mass
    about_origin = angular_momentum(origin, world, *bodies)
    central = about_origin - center.cross(linear_momentum(world, *bodies))
    states = [[*diver.system.q], [*diver.system.u]]
    rates = dict(zip(diver.base.coordinates[:3, :].diff(), diver.base.speeds[:3, :], strict=True))
    formula = central.to_matrix(world).xreplace({**rates, **CONSTANTS})
    function = lambdify(states, list(formula), cse=True)
    return np.array([function(*row) for row in zip(q, u, strict=True)])


def twist_angle(q, u, times):
    """Return by how much the diver turned about the body's own long axis, in turns."""
    return trapezoid(u[:, 5], times) / (2 * np.pi)


def supported_motion(diver):
    """Return formulas of a motion that needs support: a slow turn in place."""
    time = dynamicsymbols._t
    angle = sin(2 * time)
    axis = Matrix([2, -1, 2]) / 3
    position = [sin(time) / 10, cos(time) / 10, 1]
    quaternion = [cos(angle / 2), *(sin(angle / 2) * axis)]
    arms = [pi / 3 * sin(3 * time), cos(2 * time)]
    return dict(zip(diver.system.q, [*position, *quaternion, *arms], strict=True))


def main(picture=None):
    """Run the whole example, save a picture if a file is named; return what it found."""
    diver = Diver()
    idyn = jw.InverseDynamics(diver.system, solve_for=diver.torques)
    print(f"{len(idyn.coordinates)} coordinates, {len(idyn.speeds)} speeds")
    print("\nHow the quaternion follows the angular velocity (each is zero)")
    for equation in diver.base.kdes[3:, :]:
        print(f"  {equation}")

    times = np.linspace(0, DURATION, N_INSTANTS)
    *states, torques = forward(diver, times)
    momenta = angular_momenta(diver, *states[:2])
    drift = np.abs(momenta - momenta[0]).max() / np.linalg.norm(momenta[0])
    norms = np.linalg.norm(states[0][:, 3:7], axis=1)
    twist = twist_angle(*states[:2], times)
    print(f"\nSimulated {DURATION} s of flight: {abs(twist):.2f} turns of twist")
    print(f"Angular momentum about the mass centre: {momenta[0].round(6)} N m s")
    print(f"  its largest change, relative:        {drift:.1e}")
    print(f"Norm of the quaternion minus one:      {np.abs(norms - 1).max():.1e}")

    evaluate = idyn.compile(("joint_wrenches", "solved_loads"))
    result = evaluate(*states, constants=CONSTANTS)
    residual = result.joint_wrench(diver.base)
    shoulder = result.joint_wrench(diver.shoulders[0])
    solved = np.stack([result.solved_loads[tau] for tau in diver.torques], axis=-1)
    error = np.abs(solved - torques).max()
    print("\nLargest components over time       force / N   moment / (N m)")
    for name, wrench in {"left shoulder": shoulder, "residual of the base": residual}.items():
        force, moment = np.abs(wrench[:, :3]).max(), np.abs(wrench[:, 3:]).max()
        print(f"  {name:30}{force:12.3g}{moment:17.3g}")
    print(f"Shoulder torques, solved minus applied: {error:.1e} of {np.abs(torques).max():.0f} N m")

    heavy = evaluate(*states, constants={**CONSTANTS, ARM: 1.1 * CONSTANTS[ARM]})
    wrong = heavy.joint_wrench(diver.base)
    print(f"With arms that are modelled 10 % too heavy the residual is {np.abs(wrong).max():.0f} N")
    if picture:
        draw(times, solved, {"true arms": residual, "arms 10 % too heavy": wrong}, picture)
        shown = jw.Trajectory(times, *states), result
        view = jw.pictures.interactive_view(
            diver.system, *shown, up="z", speed=0.5, title="A diver"
        )
        view.save(Path(picture).with_suffix(".html"))

    report = jw.crosscheck(
        idyn, supported_motion(diver), np.linspace(0, 0.3, 4), CONSTANTS, tolerance=1e-10
    )
    print(f"\nAnother motion, which the residual must support\n{report}")
    return {
        "drift": drift,
        "twist": twist,
        "norm": np.abs(norms - 1).max(),
        "residual": residual,
        "shoulder": shoulder,
        "torque_error": error,
        "wrong_residual": wrong,
        "report": report,
    }


def draw(times, torques, residuals, picture):
    """Save the torques in the shoulders and the residual forces over time."""
    from matplotlib import pyplot

    pyplot.style.use("jointwrench.figures")
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(10, 4.5))
    left.plot(times, torques, label=["left", "right"])
    left.set(ylabel="torque on the arm, by the trunk / (N m)")
    for name, wrench in residuals.items():
        right.plot(times, np.linalg.norm(wrench[:, :3], axis=-1), label=name)
    right.set(ylabel="magnitude of the residual force on the trunk / N")
    for ax in (left, right):
        ax.grid()
        ax.set_xlabel("time / s")
        ax.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2)
    figure.savefig(picture)


if __name__ == "__main__":
    main("floating_base.png")
