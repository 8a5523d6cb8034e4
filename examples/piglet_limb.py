"""The limb of a piglet
====================

From a model to the forces and moments in its joints.

A limb of n segments hangs on a shoulder and swings in a plane.  This script

1. builds it as a sympy ``System``,
2. prints every joint wrench as a formula and at a few instants,
3. prints the balances of observers on the segments, and shows that their results agree,
4. compiles the joint wrenches and evaluates them at 10,000 instants,
5. checks them against a forward simulation,
6. saves two pictures, and an interactive page for the browser.

The model is that of Falk Mielke's tutorial *The N-segment piglet limb* (2020):
point masses at the middle of segments that rotate at constant rates, without gravity.
"""

import sys
from pathlib import Path
from textwrap import fill

import numpy as np
from sympy import collect, cos, default_sort_key, expand, factor, lambdify, sin, symbols
from sympy.physics.vector import dynamicsymbols, vsstrrepr
from sympy.simplify.fu import TR8

import jointwrench as jw

N_SEGMENTS = 3
N_INSTANTS = 10_000
DURATION = 2 * np.pi  # s

COMPONENTS = ("fx", "fy", "fz", "mx", "my", "mz")


def build_limb(n=N_SEGMENTS):
    """Return a limb of n segments along y that turn about z: point masses, no gravity."""
    lengths = symbols(f"l_:{n}", positive=True)
    masses = symbols(f"m_:{n}", positive=True)
    return jw.SerialChain([jw.Segment(f"S_{i}", lengths[i], masses[i]) for i in range(n)])


def constants_of(limb):
    """Return lengths from 0.8 m to 0.4 m and masses from 0.7 kg to 0.3 kg."""
    shares = np.linspace(0, 1, len(limb.segments))
    lengths = {s.length: 0.8 - 0.4 * x for s, x in zip(limb.segments, shares, strict=True)}
    masses = {s.mass: 0.7 - 0.4 * x for s, x in zip(limb.segments, shares, strict=True)}
    return lengths | masses


def motion_of(limb):
    """Return the angle of each joint over time: it turns at 1, 2, 4, ... rad/s."""
    return {angle: 2**i * dynamicsymbols._t for i, angle in enumerate(limb.coordinates)}


def at_instant(formula, limb, time):
    """Return the number that a formula takes for the moving limb at an instant."""
    angles = {q: 2**i * time for i, q in enumerate(limb.coordinates)}
    rates = {q.diff(): 2**i for i, q in enumerate(limb.coordinates)}
    speeds = {u: 2**i for i, u in enumerate(limb.speeds)}
    accelerations = {u.diff(): 0 for u in limb.speeds}
    numbers = {**accelerations, **rates, **speeds, **angles, **constants_of(limb)}
    return float(formula.subs(numbers))


def readable(formula):
    """Return a formula collected by the sines and cosines of sums of angles."""
    sums = expand(TR8(expand(formula)))
    return collect(sums, sorted(sums.atoms(sin, cos), key=default_sort_key), factor)


def print_formulas(limb, idyn):
    """Print the joint wrenches, from the tip up the chain."""
    print("Joint wrenches: on each segment, by the previous one, about its proximal joint,")
    print("in its own frame (components that are not shown are zero)")
    for i in reversed(range(len(limb.joints))):
        formulas = idyn.joint_wrench(limb.joints[i]).to_matrix(limb.frames[i])
        print(f"\n  {limb.joint_points[i]}, in the frame {limb.frames[i]}")
        for name, formula in zip(COMPONENTS, formulas, strict=True):
            if formula != 0:
                text = f"{name} = {vsstrrepr(readable(formula))}"
                print(fill(text, 96, initial_indent=4 * " ", subsequent_indent=9 * " "))


def print_instants(limb, times, wrenches, instants=(0.2, 0.4, 0.8, 1.6)):
    """Print the planar components of every joint wrench at a few instants."""
    print("\nAt a few instants / (N, N m)\n")
    print("   t / s   " + "".join(f"{f'{joint}':>27}" for joint in limb.joint_points[:-1]))
    print("           " + "       fx       fy       mz" * len(limb.joints))
    for k in np.searchsorted(times, instants):
        numbers = "".join(f"{value:9.4f}" for value in wrenches[k][:, [0, 1, 5]].ravel())
        print(f"{times[k]:8.3f}   {numbers}")


def print_observers(limb, time=0.5):
    """Print what observers see of the last segment, and the joint wrench each one finds."""
    body, point, world = limb.bodies[-1], limb.joint_points[-2], limb.ground.frame
    origin = limb.ground.masscenter
    observers = {"ground": jw.ObserverFrame(world, origin, world, origin)}
    for frame, distal_joint in zip(limb.frames, limb.joint_points[1:], strict=True):
        observers[f"{frame} at {distal_joint}"] = jw.ObserverFrame(
            frame, distal_joint, world, origin
        )
    print(f"\nThe segment {body} at t = {time} s, wrenches about {point}, seen by observers")
    print("observed dynamic = joint + d'Alembert + Euler + centrifugal + Coriolis")
    for name, observer in observers.items():
        print(f"\n  an observer on {name:12}{'fx':>10}{'fy':>10}{'mz':>10}")
        for term, wrench in terms_of_balance(observer, body, point).items():
            seen = wrench.about(point).to_matrix(body.frame)
            fx, fy, mz = (at_instant(seen[k], limb, time) for k in (0, 1, 5))
            print(f"    {term:24}{fx:10.4f}{fy:10.4f}{mz:10.4f}")


def terms_of_balance(observer, body, point):
    """Return the wrenches on a body in an observer's balance, by name."""
    fictitious = observer.fictitious_wrenches(body)
    return {
        "observed dynamic": observer.dynamic_wrench(body),
        "d'Alembert": fictitious.dalembert,
        "Euler": fictitious.euler,
        "centrifugal": fictitious.centrifugal,
        "Coriolis": fictitious.coriolis,
        "joint": observer.joint_wrench(body, point),
    }


def mass_center_paths(limb, times):
    """Return positions (segments, samples, 2) and speeds (segments, samples)."""
    motion, constants = motion_of(limb), constants_of(limb)
    world, origin = limb.ground.frame, limb.ground.masscenter
    centers = [body.masscenter.pos_from(origin).to_matrix(world) for body in limb.bodies]
    rows = [list(center.subs(motion).subs(constants)[:2]) for center in centers]
    positions = np.array(lambdify(dynamicsymbols._t, rows)(times))
    velocities = np.gradient(positions, times, axis=-1, edge_order=2)
    return positions.swapaxes(1, 2), np.linalg.norm(velocities, axis=1)


def draw_limb_and_curves(limb, motion, result, instants=(0.1, 0.25, 0.4)):
    """Return a figure: the limb with its joint wrenches, and their curves over time."""
    from matplotlib import pyplot

    figure = pyplot.figure(figsize=(11, 6.2), layout="constrained")
    left, right = figure.subfigures(1, 2, width_ratios=(1, 1.35))
    names = [f"${point}$" for point in limb.joint_points[:-1]]
    options = {"constants": constants_of(limb), "times": instants, "labels": names}
    axes = right.subplots(N_SEGMENTS, 2, sharex=True)
    jw.pictures.plot_wrenches(result, joints=names, frame=limb.ground.frame, axes=axes)
    for curves in axes.flat:
        for instant in instants:
            curves.axvline(instant, color="0.6", linewidth=0.8, zorder=0)
    jw.pictures.plot_stick_figure(limb, motion, result, ax=left.subplots(), **options)
    return figure


def save_pictures(limb, motion, result, folder):
    """Save the paths of the mass centres, and the limb beside its joint wrenches."""
    positions, speeds = mass_center_paths(limb, motion.times)
    centers = [f"${body.masscenter}$" for body in limb.bodies]
    ax = jw.pictures.plot_trajectories(positions, speeds, labels=centers)
    paths = [folder / "piglet_limb_trajectories.png", folder / "piglet_limb.png"]
    ax.figure.savefig(paths[0], dpi=150)
    draw_limb_and_curves(limb, motion, result).savefig(paths[1], dpi=150)
    options = {"constants": constants_of(limb), "speed": 0.25, "title": "The limb of a piglet"}
    paths.append(folder / "piglet_limb.html")
    jw.pictures.interactive_view(limb, motion, result, **options).save(paths[-1])
    return paths


def main(folder):
    """Run the whole example; return the result, the report and the paths of the pictures."""
    limb = build_limb()
    idyn = jw.InverseDynamics(limb.system)
    print_formulas(limb, idyn)

    constants = constants_of(limb)
    times = np.linspace(0, DURATION, N_INSTANTS)
    motion = jw.Trajectory.from_formulas(idyn, motion_of(limb), times)
    evaluate = idyn.compile("joint_wrenches")
    result = evaluate(motion, constants=constants)
    print_instants(limb, times, result.joint_wrenches)
    print(f"\nCompiled and evaluated: joint wrenches of shape {result.joint_wrenches.shape}")
    print(f"Operations per instant: {idyn.count_ops('joint_wrenches')}")

    print_observers(limb)

    report = jw.crosscheck(idyn, motion_of(limb), np.linspace(0, 1, 101), constants)
    print(f"\nForward simulation under the computed forces\n{report}")

    paths = save_pictures(limb, motion, result, folder)
    print("\nSaved " + " and ".join(path.name for path in paths))
    return result, report, paths


if __name__ == "__main__":
    try:
        import matplotlib.pyplot  # noqa: F401
    except ImportError:
        sys.exit("This example needs matplotlib: pip install '.[plot]'")
    main(Path.cwd())
