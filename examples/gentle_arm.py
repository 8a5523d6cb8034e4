"""As fast as its motors and its bearing allow
===========================================

An arm moves from one side to the other as fast as possible, with and without a limit on the force
in its shoulder bearing.

Two links hang from a shoulder; both motors have a largest torque.  Every tool for optimal control
can bound a torque.  The force in a bearing is neither a torque nor a coordinate: the equations of
motion do not contain it.  ``joint_wrench`` gives it as a formula of coordinates, speeds and
accelerations, which opty takes as another equation with bounds.

Needs ``pip install ".[opty,plot]"`` in a clone.
"""

from pathlib import Path

import numpy as np
from sympy import Symbol

import jointwrench as jw

LENGTHS, MASSES = (0.5, 0.4), (4.0, 3.0)  # m, kg
MOST_TORQUES = (40.0, 15.0)  # N m
MOST_FORCE = 200.0  # N, in the shoulder; at rest it carries 69
START, END = (-1.2, 0.0), (1.2, 0.0)  # rad, from hanging down
N_NODES = 101


def arm():
    """Return a chain of two links that hang from a shoulder."""
    links = [
        jw.Segment(name, length, mass, inertia=mass * length**2 / 12, direction="-y")
        for name, length, mass in zip(("upper", "lower"), LENGTHS, MASSES, strict=True)
    ]
    return jw.SerialChain(links, gravity=(0, -9.81, 0), actuated=True)


def shoulder_load(chain, fdyn):
    """Return the square of the force in the shoulder, divided by that of the limit."""
    wrench = fdyn.inverse.joint_wrench(chain.joints[0])
    x, y, *_ = wrench.to_matrix(chain.frames[0])
    return (x**2 + y**2) / MOST_FORCE**2


def fastest(chain, fdyn, most=None, guess=None):
    """Return the problem and the solution; ``most`` bounds the square of the load."""
    h = Symbol("h")
    end = (N_NODES - 1) * h
    conditions = [q.func(0 * h) - x for q, x in zip(chain.coordinates, START, strict=True)]
    conditions += [q.func(end) - x for q, x in zip(chain.coordinates, END, strict=True)]
    conditions += [u.func(t) for u in chain.speeds for t in (0 * h, end)]
    bounds = {h: (0.001, 0.1)}
    torques = zip(chain.actuation, MOST_TORQUES, strict=True)
    bounds |= {torque: (-limit, limit) for torque, limit in torques}
    problem = jw.optimal_control.forward_problem(
        fdyn,
        *(end, None, N_NODES, h),
        equations=[shoulder_load(chain, fdyn)],
        eom_bounds={4: (0.0, most or np.inf)},
        instance_constraints=conditions,
        bounds=bounds,
        integration_method="midpoint",
        hessian="exact",
    )
    for name, value in {"print_level": 0, "sb": "yes", "max_iter": 1000}.items():
        problem.add_option(name, value)
    if guess is None:
        guess = np.zeros(problem.num_free)
        for q, one, two in zip(chain.coordinates, START, END, strict=True):
            problem.fill_free(guess, np.linspace(one, two, N_NODES), q)
        guess[-1] = 0.01
    free, info = problem.solve(guess)
    if info["status"] != 0:
        raise RuntimeError(info["status_msg"].decode())
    return problem, free


class Swing:
    """A solution: times halfway between nodes, angles, torques and the load of the shoulder."""

    def __init__(self, chain, fdyn, problem, free):
        def at_nodes(symbols):
            return np.column_stack([problem.extract_values(free, s) for s in symbols])

        step = free[-1]
        self.duration = step * (N_NODES - 1)
        self.times = step * (np.arange(N_NODES - 1) + 0.5)
        q, u, torques = map(at_nodes, (chain.coordinates, chain.speeds, chain.actuation))
        mean_q, mean_u, self.torques = ((x[1:] + x[:-1]) / 2 for x in (q, u, torques))
        self.q, udot = q, np.diff(u, axis=0) / step
        specifieds = dict(zip(chain.actuation, self.torques.T, strict=True))
        result = fdyn.inverse.compile("joint_wrenches")(mean_q, mean_u, udot, {}, specifieds)
        self.motion, self.result = jw.Trajectory(self.times, mean_q, mean_u, udot), result
        self.load = np.linalg.norm(result.joint_wrenches[:, 0, :2], axis=-1)


def main(picture=None):
    """Print durations and loads; save a picture if a file is named."""
    chain = arm()
    fdyn = jw.ForwardDynamics(chain.system)
    problem, free = fastest(chain, fdyn)
    _, spared = fastest(chain, fdyn, most=1.0, guess=free)
    swings = [Swing(chain, fdyn, problem, x) for x in (free, spared)]
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
