"""A walker and its heel strike
============================

Two stiff legs walk on level ground with the least effort; at each step the impulse of the ground
dissipates energy.

The landing foot sticks, and the other foot leaves the ground: a ``Contact`` begins.  The inverse
mass matrix *with the contact* maps the momentum before the strike to the speeds after it,
``inverse_mass_matrix @ mass_matrix @ u``.  Because the impulse acts at one point, the angular
momentum about that point is conserved; because the hip is a hinge, the leaving leg's angular
momentum about the hip is conserved.  The walker is slower after each strike, and motors at hip and
ankle have to supply the lost energy.  opty finds how they do it with the least effort: the end of a
step is, after the heel strike, the start of the next one.

The legs do not bend, so the swinging foot passes below the ground for a moment, as in all walkers
of this kind.  Needs ``pip install ".[opty,plot]"`` in a clone.
"""

from pathlib import Path

import numpy as np
from sympy import Integral
from sympy.physics.mechanics import (
    PinJoint,
    PrismaticJoint,
    RigidBody,
    System,
    TorqueActuator,
    WeldJoint,
    dynamicsymbols,
    inertia,
)

import jointwrench as jw

LEG, LEG_MASS, LEG_INERTIA, HIP_MASS = 0.9, 10.0, 0.7, 45.0  # m, kg, kg m^2 (central), kg
STEP, DURATION = 0.6, 0.65  # m, s
N_NODES = 66
LEAN = np.arcsin(STEP / 2 / LEG)  # of both legs, when both feet are on the ground


class Walker:
    """Two legs from the foot on the ground over the hip to the swinging foot.

    Angles: that of the stance leg from the vertical, then that of the swing leg from the stance
    leg.  ``is_loose``: the first foot is free to move in the plane, by two more coordinates.
    """

    def __init__(self, is_loose=False):
        self.ground = RigidBody("ground")
        self.stance, self.swing, self.hip = (RigidBody(x) for x in ("stance", "swing", "hip"))
        for leg in (self.stance, self.swing):
            leg.mass, leg.central_inertia = LEG_MASS, inertia(leg.frame, 0, 0, LEG_INERTIA)
        self.hip.mass, self.hip.central_inertia = HIP_MASS, inertia(self.hip.frame, 0, 0, 0)
        self.system = System.from_newtonian(self.ground)
        foot = self.ground
        if is_loose:
            for name, axis in (("forwards", self.ground.x), ("up", self.ground.y)):
                body = RigidBody(name, mass=0)
                body.central_inertia = inertia(body.frame, 0, 0, 0)
                self.system.add_joints(PrismaticJoint(name, foot, body, joint_axis=axis))
                foot = body
        half = LEG / 2
        self.ankle = PinJoint(
            *("ankle", foot, self.stance),
            child_point=-half * self.stance.y,
            joint_axis=-self.ground.z,
        )
        self.pelvis = WeldJoint("pelvis", self.stance, self.hip, parent_point=half * self.stance.y)
        self.joint = PinJoint(
            *("joint", self.hip, self.swing),
            child_point=half * self.swing.y,
            joint_axis=-self.hip.z,
        )
        self.system.add_joints(self.ankle, self.pelvis, self.joint)
        self.system.apply_uniform_gravity(-9.81 * self.ground.y)
        self.toe = self.swing.masscenter.locatenew("toe", -half * self.swing.y)


class HeelStrike:
    """The swinging foot lands and sticks, the other foot leaves; both legs lean equally."""

    def __init__(self):
        walker = self.walker = Walker(is_loose=True)
        landing = jw.Contact(
            *("landing", walker.ground, walker.swing, walker.toe),
            directions=[walker.ground.x, walker.ground.y],
        )
        loose = jw.InverseDynamics(walker.system)
        landed = jw.ForwardDynamics(walker.system, loops=[landing])
        self.q, still = np.array([0.0, 0.0, LEAN, -2 * LEAN]), np.zeros(4)
        masses = loose.compile("mass_matrix")(self.q).mass_matrix
        inverse = landed.compile("inverse_mass_matrix")(self.q, still).inverse_mass_matrix
        self.changes = inverse @ masses
        kinematics = jw.Kinematics(walker.system, {"toe": walker.toe})
        outputs = "momentum", "center_of_mass", "positions", "energy"
        self._evaluate = kinematics.compile(outputs)

    @property
    def next_speeds(self):
        """The matrix that maps the angles' speeds before the strike to those of the next step.

        The swing leg becomes the stance leg.
        """
        return np.array([[1.0, 1.0], [0.0, -1.0]]) @ self.changes[2:, 2:]

    def told(self, u):
        """Return momenta before and after the strike, from the angles' speeds before it.

        Linear momentum, angular momentum about the landing foot, kinetic energy.
        """
        before = np.array([0.0, 0.0, *u])
        result = self._evaluate(np.tile(self.q, (2, 1)), [before, self.changes @ before])
        linear, angular = np.split(result.momentum, 2, axis=-1)
        arm = result.center_of_mass - result.positions[:, 0]
        about_foot = angular[:, 2] + np.cross(arm, linear)[:, 2]
        return linear[:, :2], about_foot, result.energy[:, 0]


def step(fdyn, strike):
    """Return the problem and the solution of the step with the least effort."""
    (lean, bend), (u, v), t = fdyn.coordinates, fdyn.speeds, dynamicsymbols._t
    torques = fdyn.specifieds
    a, b = strike.next_speeds
    end = DURATION
    conditions = [
        *(lean.func(0) + LEAN, bend.func(0) - 2 * LEAN),
        *(lean.func(end) - LEAN, bend.func(end) + 2 * LEAN),
        u.func(0) - a[0] * u.func(end) - a[1] * v.func(end),
        v.func(0) - b[0] * u.func(end) - b[1] * v.func(end),
    ]
    problem = jw.optimal_control.forward_problem(
        fdyn,
        *(Integral(sum(torque**2 for torque in torques), t), None),
        *(N_NODES, DURATION / (N_NODES - 1)),
        instance_constraints=conditions,
        integration_method="midpoint",
        hessian="exact",
    )
    problem.add_option("print_level", 0)
    problem.add_option("sb", "yes")
    guess = np.zeros(problem.num_free)
    problem.fill_free(guess, np.linspace(-LEAN, LEAN, N_NODES), lean)
    problem.fill_free(guess, np.linspace(2 * LEAN, -2 * LEAN, N_NODES), bend)
    free, info = problem.solve(guess)
    if info["status"] != 0:
        raise RuntimeError(info["status_msg"].decode())
    q, u, efforts = (
        np.column_stack([problem.extract_values(free, s) for s in group])
        for group in (fdyn.coordinates, fdyn.speeds, torques)
    )
    return q, u, (efforts[1:] + efforts[:-1]) / 2  # torques between the nodes


def main(picture=None):
    """Print what the heel strike conserves and changes; save a picture if a file is named."""
    walker, strike = Walker(), HeelStrike()
    torques = dynamicsymbols("ankle_torque hip_torque")
    walker.system.add_actuators(
        TorqueActuator(torques[0], -walker.ground.z, walker.stance, walker.ground),
        TorqueActuator(torques[1], -walker.hip.z, walker.swing, walker.hip),
    )
    fdyn = jw.ForwardDynamics(walker.system)
    q, u, effort = step(fdyn, strike)
    linear, angular, energy = strike.told(u[-1])
    impulse = linear[1] - linear[0]
    times = np.linspace(0, DURATION, N_NODES)
    work = (effort * np.diff(q, axis=0)).sum()
    print(f"walking at {STEP / DURATION:.2f} m/s")
    print(f"impulse of the ground: {impulse[0]:.1f} N s along, {impulse[1]:.1f} N s up")
    print("angular momentum about the landing foot: {:.3f} and {:.3f} N m s".format(*angular))
    print("kinetic energy: {:.1f} and {:.1f} J".format(*energy))
    print(f"work of the motors in a step: {work:.1f} J")
    result = {"times": times, "q": q, "u": u, "effort": effort, "impulse": impulse}
    result |= {"angular": angular, "energy": energy, "work": work}
    if picture:
        draw(fdyn, result, picture)
        motion = jw.Trajectory.from_samples(times, q)
        view = jw.pictures.interactive_view(walker.system, motion, speed=0.3, title="A step")
        view.save(Path(picture).with_suffix(".html"))
    return result


def draw(fdyn, result, picture):
    """Save two steps of the walker, its energy and the torques."""
    from matplotlib import pyplot

    pyplot.style.use("jointwrench.figures")
    figure, axes = pyplot.subplot_mosaic("aa;bc", figsize=(10, 6.5))
    times, q = result["times"], result["q"]
    for number in range(2):
        foot = number * STEP
        for k in range(0, N_NODES, 5):
            lean, swing = q[k, 0], q[k].sum()
            hip = foot + LEG * np.sin(lean), LEG * np.cos(lean)
            toe = hip[0] - LEG * np.sin(swing), hip[1] - LEG * np.cos(swing)
            for end, color in (((foot, 0.0), f"C{number}"), (toe, f"C{1 - number}")):
                axes["a"].plot(*zip(hip, end, strict=True), color=color, alpha=0.5)
        along, up = result["impulse"] / 150
        arrow = {"arrowstyle": "->", "linewidth": 2}
        axes["a"].annotate(
            "", (foot + STEP + along, up), (foot + STEP, 0.0), arrowprops=arrow, zorder=3
        )
    axes["a"].axhline(0, color="gray", linewidth=0.8)
    axes["a"].set(aspect="equal", xlabel="x / m", ylabel="y / m")
    size = np.linalg.norm(result["impulse"])
    axes["a"].set_title(
        f"two steps; arrows: impulse on the landing foot, by the ground, {size:.0f} N s"
    )
    energy = fdyn.compile("energy")(q, result["u"], {}, {}).energy
    for number in range(2):
        moved, is_first = times + number * DURATION, number == 0
        kinetic, whole = energy[:, 0], energy.sum(axis=1) - energy[0, 1]
        between = (moved[1:] + moved[:-1]) / 2
        ankle, hip = result["effort"].T
        for place, x, values, color, name in (
            ("b", moved, kinetic, "C0", "kinetic"),
            ("b", moved, whole, "C1", "kinetic and potential"),
            ("c", between, ankle, "C0", "ankle, on the stance leg"),
            ("c", between, hip, "C1", "hip, on the swing leg"),
        ):
            axes[place].plot(x, values, color=color, label=name if is_first else None)
    for name, label in (("b", "energy / J"), ("c", "torque by the motor / (N m)")):
        axes[name].axvline(DURATION, color="gray", linestyle="--", linewidth=0.8)
        axes[name].set(xlabel="time / s", ylabel=label)
        axes[name].legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2)
        axes[name].grid()
    figure.savefig(picture)


if __name__ == "__main__":
    main("heel_strike.png")
