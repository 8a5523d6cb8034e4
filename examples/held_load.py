"""A load in the hand, and three observers
=======================================

The wrench of a hand on a load, for observers on the ground, the trunk and the forearm.

A person sits on a swivel stool, turns, and lifts a load of 2 kg.  Three observers look at the load:
one on the ground, one on the trunk, at the shoulder, and one on the forearm, at the elbow.  They
see different motions of the load; for the observer on the forearm it is at rest.  Their fictitious
wrenches differ, too.  The wrench of the hand on the load is the same for all:

    observed dynamic = hand + weight + d'Alembert + Euler + centrifugal + Coriolis

Every wrench is about the hand, where the load is held, with components in the forearm's frame:
x forward, y along the forearm from the hand to the elbow, z across.
"""

from pathlib import Path

import numpy as np
from sympy import Matrix, lambdify, pi, sin
from sympy.physics.mechanics import dynamicsymbols

import jointwrench as jw

GRAVITY = (0, -9.81, 0)
TIME = dynamicsymbols._t
#: The trunk on the stool, shoulder and elbow, in rad.
MOTION = (0.9 * sin(pi * TIME), 0.5 + 0.4 * sin(pi * TIME), 1.0 - 0.5 * sin(2 * pi * TIME))
TERMS = ("observed dynamic", "weight", "d'Alembert", "Euler", "centrifugal", "Coriolis", "hand")
ROWS = {"fx": 0, "fy": 1, "fz": 2, "mx": 3, "my": 4, "mz": 5}


def build_arm():
    """Return trunk, arm and load; z leads from the stool's axis to the shoulder, y is up."""
    person = jw.gait.Person(1.80, 75.0, "de_leva_male")
    segments = [jw.Segment("trunk", 0.2, 33.0, (0, 0, 0), (1.2, 0.3, 1.3), axis="y", direction="z")]
    for name in ("upper_arm", "forearm"):
        part = person[name]
        sagittal, transverse, longitudinal = part.inertias
        inertia, place = (sagittal, longitudinal, transverse), (0, -part.center, 0)
        segments.append(
            jw.Segment(name, part.length, part.mass, place, inertia, axis="z", direction="-y")
        )
    box = jw.Segment("load", 0.1, 2.0, (0, -0.05, 0), (0.004, 0.002, 0.003), "weld", "z", "-y")
    return jw.SerialChain([*segments, box], gravity=GRAVITY)


def observers_of(arm):
    """Return an observer on the ground, one on the trunk and one on the forearm."""
    world, origin = arm.ground.frame, arm.ground.masscenter
    places = {"ground": (world, origin), "trunk": (arm.frames[0], arm.joint_points[1])}
    places["forearm"] = arm.frames[2], arm.joint_points[2]
    return {name: jw.ObserverFrame(*place, world, origin) for name, place in places.items()}


def balance(arm, observer):
    """Return the terms of an observer's balance of the load, by name."""
    load, hand, ground = arm.bodies[3], arm.joint_points[3], arm.ground
    down = sum(x * axis for x, axis in zip(GRAVITY, ground.frame, strict=True))
    weight = jw.Wrench.weight(load, down)
    fictitious = observer.fictitious_wrenches(load)
    parts = {name: getattr(fictitious, name.lower().replace("'", "")) for name in TERMS[2:6]}
    parts |= {"observed dynamic": observer.dynamic_wrench(load), "weight": weight}
    parts["hand"] = observer.joint_wrench(load, hand, external=[weight])
    return {name: parts[name].about(hand) for name in TERMS}


def over_time(arm, wrench, times):
    """Return the components of a wrench on the moving arm in the forearm's frame, (N, 6)."""
    swap = {}
    for order in (2, 1, 0):  # accelerations first, because they contain the rates
        for q, u, formula in zip(arm.coordinates, arm.speeds, MOTION, strict=True):
            swap |= {q.diff(TIME, order): formula.diff(TIME, order)}
            swap |= {u.diff(TIME, order): formula.diff(TIME, order + 1)}
    formulas = Matrix(wrench.to_matrix(arm.frames[2])).doit().subs(swap).doit()
    values = lambdify(TIME, list(formulas), cse=True)(times)
    return np.stack([np.broadcast_to(x, times.shape) for x in values], axis=-1)


def main(folder=None):
    """Return the terms of each observer over time, and the result of inverse dynamics."""
    arm, times = build_arm(), np.linspace(0, 2, 201)
    idyn = jw.InverseDynamics(arm.system)
    formulas = dict(zip(arm.coordinates, MOTION, strict=True))
    motion = jw.Trajectory.from_formulas(idyn, formulas, times)
    result = idyn.compile("joint_wrenches")(motion)
    found = {
        name: {term: over_time(arm, w, times) for term, w in balance(arm, observer).items()}
        for name, observer in observers_of(arm).items()
    }
    k = 70
    print(f"On the load at t = {times[k]:.2f} s, about the hand, in the forearm's frame\n")
    for name, terms in found.items():
        print(
            f"{'seen from the ' + name:22}"
            + "".join(f"{x + ' / N':>11}" for x in ("fx", "fy", "fz"))
        )
        for term, values in terms.items():
            print(f"  {term:20}" + "".join(f"{x:11.3f}" for x in values[k, :3]))
    wanted = result.joint_wrench("load", frame=arm.frames[2])
    errors = {name: np.abs(terms["hand"] - wanted).max() for name, terms in found.items()}
    print("\nLargest difference of the hand's wrench between observer and inverse dynamics:")
    print("  " + ", ".join(f"{name} {error:.1e}" for name, error in errors.items()))
    if folder is not None:
        save(folder, arm, motion, result, found)
    return found, wanted


def save(folder, arm, motion, result, found):
    """Save the balance along the forearm for each observer, and the moving arm."""
    from matplotlib import pyplot

    pyplot.style.use("jointwrench.figures")
    figure, axes = pyplot.subplots(1, 3, sharex=True, sharey=True, figsize=(11, 4.2))
    styles = {term: f"C{k}" for k, term in enumerate(TERMS)}
    for ax, (name, terms) in zip(axes, found.items(), strict=True):
        for term, values in terms.items():
            if np.abs(values[:, ROWS["fy"]]).max() > 1e-9:
                width = 2.5 if term == "hand" else 1.5
                ax.plot(
                    motion.times, values[:, ROWS["fy"]], color=styles[term], lw=width, label=term
                )
        ax.set(title=f"seen from the {name}", xlabel="time / s")
        ax.grid()
    axes[0].set_ylabel("force on the load,\nalong the forearm to the elbow / N")
    handles = {x.get_label(): x for ax in axes for x in ax.lines}
    order = [handles[term] for term in TERMS if term in handles]
    figure.legend(handles=order, loc="outside upper left", ncols=7)
    figure.savefig(folder / "held_load.png")
    joints = ("upper_arm", "forearm", "load")
    view = jw.pictures.interactive_view(
        arm, motion, result, joints=joints, speed=0.5, title="A held load"
    )
    view.save(folder / "held_load.html")
    print("\nSaved held_load.png and held_load.html")


if __name__ == "__main__":
    main(Path.cwd())
