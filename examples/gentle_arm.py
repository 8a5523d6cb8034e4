"""As fast as its motors and its bearing allow
===========================================

An arm moves from one side to the other as fast as possible, with and without a limit on the force
in its shoulder bearing.

Two links hang from a shoulder; both motors have a largest torque.  Every tool for optimal control
can bound a torque.  The force in a bearing is neither a torque nor a coordinate: the equations of
motion do not contain it.  Here it is an output of the model like the torques: ``write_casadi``
gives both to CasADi's Opti with exact first and second derivatives, as functions of coordinates,
speeds and accelerations.

Needs ``pip install ".[casadi,plot]"`` in a clone, and a C compiler.
"""

import tempfile
from pathlib import Path

import casadi
import numpy as np

import jointwrench as jw

LENGTHS, MASSES = (0.5, 0.4), (4.0, 3.0)  # m, kg
MOST_TORQUES = (40.0, 15.0)  # N m
MOST_FORCE = 200.0  # N, in the shoulder; at rest it carries 69
START, END = (-1.2, 0.0), (1.2, 0.0)  # rad, from hanging down
N_NODES = 101
OUTPUTS = ("generalized_forces", "joint_wrenches")


def arm():
    """Return a chain of two links that hang from a shoulder."""
    links = [
        jw.Segment(name, length, mass, inertia=mass * length**2 / 12, direction="-y")
        for name, length, mass in zip(("upper", "lower"), LENGTHS, MASSES, strict=True)
    ]
    return jw.SerialChain(links, gravity=(0, -9.81, 0))


def compiled(idyn):
    """Return torques and joint wrenches as a CasADi function of q, u and udot."""
    with tempfile.TemporaryDirectory() as folder:
        (path,) = idyn.write_casadi(Path(folder, "arm.c"), OUTPUTS, second_derivatives=True)
        return casadi.external("arm", casadi.Importer(str(path), "shell"))


class Swing:
    """The fastest swing: times halfway between nodes, angles, torques and the shoulder's load.

    ``most`` bounds the load, ``guess`` is another Swing.
    """

    def __init__(self, idyn, most=np.inf, guess=None):
        problem, count = casadi.Opti(), N_NODES - 1
        q, u, step = problem.variable(2, N_NODES), problem.variable(2, N_NODES), problem.variable()
        halfway = [(x[:, 1:] + x[:, :-1]) / 2 for x in (q, u)]
        udot = casadi.diff(u, 1, 1) / step
        torques, wrenches = compiled(idyn).map(count)(*halfway, udot)
        force = wrenches[0, ::6] ** 2 + wrenches[0, 1::6] ** 2  # in the shoulder, squared
        limits = casadi.repmat(casadi.DM(MOST_TORQUES), 1, count)
        problem.subject_to(casadi.diff(q, 1, 1) == step * halfway[1])
        problem.subject_to(problem.bounded(-limits, torques, limits))
        problem.subject_to(force / MOST_FORCE**2 <= (most / MOST_FORCE) ** 2)
        problem.subject_to([q[:, 0] == START, q[:, -1] == END, u[:, 0] == 0, u[:, -1] == 0])
        problem.subject_to(problem.bounded(0.001, step, 0.1))
        problem.minimize(step * count)
        problem.set_initial(q, guess.q.T if guess else np.linspace(START, END, N_NODES).T)
        problem.set_initial(u, guess.u.T if guess else 0)
        problem.set_initial(step, guess.duration / count if guess else 0.01)
        problem.solver("ipopt", {"print_time": False}, {"print_level": 0, "sb": "yes"})
        solution = problem.solve()
        self.q, self.u, self.torques = (solution.value(x).T for x in (q, u, torques))
        self.duration = solution.value(step) * count
        self.times = self.duration * (np.arange(count) + 0.5) / count
        motion = [solution.value(x).T for x in (*halfway, udot)]
        self.motion = jw.Trajectory(self.times, *motion)
        self.result = idyn.compile(OUTPUTS)(self.motion)
        self.load = np.linalg.norm(self.result.joint_wrenches[:, 0, :2], axis=-1)


def main(picture=None):
    """Print durations and loads; save a picture if a file is named."""
    chain = arm()
    idyn = jw.InverseDynamics(chain.system)
    spared = Swing(idyn, MOST_FORCE)
    swings = [Swing(idyn, guess=spared), spared]
    for name, swing in zip(("without", "with"), swings, strict=True):
        print(
            f"{name:7} the limit: {swing.duration:.3f} s, "
            f"up to {swing.load.max():.1f} N in the shoulder"
        )
    slower = swings[1].duration / swings[0].duration - 1
    print(
        f"{100 * slower:.0f} % more time, {MOST_FORCE / swings[0].load.max():.2f} times the force"
    )
    if picture:
        draw(swings, picture)
        shown = swings[1].motion, swings[1].result
        view = jw.pictures.interactive_view(chain, *shown, speed=0.2, title="A gentle arm")
        view.save(Path(picture).with_suffix(".html"))
    return swings


def draw(swings, picture):
    """Save the paths of the arm, the load of the shoulder and the torques."""
    from matplotlib import pyplot

    pyplot.style.use("jointwrench.figures")
    figure, axes = pyplot.subplot_mosaic("ab;cc;cc;de;de", figsize=(10, 8))
    titles = "as fast as the motors can", f"with at most {MOST_FORCE:.0f} N in the shoulder"
    for names, swing, title, color in zip(("ad", "be"), swings, titles, ("C0", "C1"), strict=True):
        path, torques = (axes[name] for name in names)
        angles = np.cumsum(swing.q, axis=1)
        links = np.array(LENGTHS) * np.stack([np.sin(angles), -np.cos(angles)], axis=1)
        places = np.insert(np.cumsum(links, axis=-1), 0, 0.0, axis=-1)
        for x, y in places[::6]:
            path.plot(x, y, "-", color=color, alpha=0.3)
        path.plot(*places[:, :, -1].T, color=color)
        path.plot(0, 0, "ko")
        path.set(aspect="equal", xlabel="x / m", ylabel="y / m")
        path.set_title(title)
        axes["c"].plot(swing.times, swing.load, color=color, label=title)
        for torque, style, joint in zip(swing.torques.T, "-:", ("shoulder", "elbow"), strict=True):
            torques.plot(swing.times, torque, style, color=color, label=joint)
        torques.set(xlabel="time / s", ylabel="torques by the motors / (N m)")
        torques.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2)
        torques.grid()
    axes["c"].axhline(MOST_FORCE, color="gray", linestyle="--", linewidth=0.8)
    label = "magnitude of the force on\nthe upper arm, by the shoulder / N"
    axes["c"].set(xlabel="time / s", ylabel=label, ylim=(0, None))
    axes["c"].legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2)
    axes["c"].grid()
    figure.savefig(picture)


if __name__ == "__main__":
    main("gentle_arm.png")
