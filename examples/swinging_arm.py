"""A swinging arm in space
=======================

From clusters of markers to the wrenches in shoulder and elbow.

Shoulder and elbow are ball joints, described by unit quaternions, which have no
singular position.  The motion is simulated, so that the true values are known: markers are placed
on the moving segments, with a noise of half a millimetre.  This script

1. finds the orientations of the segments from their markers by least squares,
2. smooths the quaternions of the joints and computes angular velocities,
3. computes the joint wrenches and compares them with the true ones,
4. checks them against a forward simulation,
5. shows what an observer on the upper arm sees of the forearm,
6. saves pictures and an animation.
"""

import sys
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

import jointwrench as jw

try:
    import matplotlib.pyplot
except ImportError:
    sys.exit("This example needs matplotlib: pip install '.[plot]'")

RATE, DURATION = 200.0, 1.6  # Hz, s
NOISE = 0.5e-3  # m
CUTOFF = 5.0  # Hz
SEGMENTS = ("upper_arm", "forearm")


def build_arm():
    """Return the arm of a man of 1.80 m and 75 kg: it hangs along -y, x points forward."""
    person = jw.gait.Person(1.80, 75.0, "de_leva_male")
    segments = []
    for name in SEGMENTS:
        part = person[name]
        sagittal, transverse, longitudinal = part.inertias
        segments.append(
            jw.Segment(
                name,
                part.length,
                part.mass,
                (0, -part.center, 0),
                (sagittal, longitudinal, transverse),
                joint="quaternion",
                direction="-y",
            )
        )
    return jw.SerialChain(segments, gravity=(0, -9.81, 0))


def true_rotations(times):
    """Return the orientation of the upper arm, and of the forearm in it, at some times."""
    swing = 2 * np.pi * times / 1.2
    shoulder = Rotation.from_euler(
        "zxy", np.stack([0.6 * np.sin(swing), 0.25 * np.cos(swing) - 0.3, 0.2 * np.sin(swing)], -1)
    )
    elbow = Rotation.from_euler(
        "zy", np.stack([0.7 + 0.5 * np.sin(swing + 0.6), 0.4 * np.sin(2 * swing)], -1)
    )
    return shoulder, elbow


def scalar_first(rotation):
    """Return quaternions with the scalar part first."""
    return rotation.as_quat()[:, [3, 0, 1, 2]]


def measure(arm, times):
    """Return the markers of each segment: in its own frame (4, 3), and in space (N, 4, 3)."""
    rng = np.random.default_rng(7)
    shoulder, elbow = true_rotations(times)
    turns = [shoulder, shoulder * elbow]
    length = float(arm.segments[0].length)
    origins = [np.zeros((len(times), 3)), shoulder.apply([0, -length, 0])]
    cluster = np.array(
        [[0.04, -0.08, 0.0], [-0.03, -0.12, 0.04], [0, -0.2, 0.05], [0.03, -0.18, -0.04]]
    )
    seen = [
        origin[:, None] + np.einsum("nij,kj->nki", turn.as_matrix(), cluster)
        for turn, origin in zip(turns, origins, strict=True)
    ]
    return cluster, [places + rng.normal(scale=NOISE, size=places.shape) for places in seen]


def quaternions_of(cluster, markers):
    """Return the quaternions of shoulder and elbow, (N, 8), from the markers."""
    arms, (upper, fore) = cluster - cluster.mean(axis=0), markers
    fits = [
        [Rotation.align_vectors(x - x.mean(axis=0), arms) for x in places]
        for places in (upper, fore)
    ]
    shoulder, forearm = (Rotation.concatenate([turn for turn, _ in fit]) for fit in fits)
    misfit = np.mean([size for _, size in fits[0]]) / np.sqrt(len(cluster))
    print(f"Markers fit a rigid segment to {1000 * misfit:.2f} mm")
    return np.concatenate([scalar_first(x) for x in (shoulder, shoulder.inv() * forearm)], axis=-1)


def main(folder):
    """Run the whole example; return the errors of the moments and the report."""
    arm = build_arm()
    idyn = jw.InverseDynamics(arm.system)
    times = np.arange(0, DURATION, 1 / RATE)
    samples = quaternions_of(*measure(arm, times))
    motion = jw.Trajectory.from_samples(times, samples, idyn=idyn, cutoff=CUTOFF, trim=0.15)

    exact = np.concatenate([scalar_first(r) for r in true_rotations(times)], axis=-1)
    truth = jw.Trajectory.from_samples(times, exact, idyn=idyn, ends="not-a-knot")
    truth = truth.resampled(motion.times)

    evaluate = idyn.compile()
    result, ideal = evaluate(motion), evaluate(truth)
    print("\nMoments on the segments, by the previous segments / (N m)\n")
    print("            largest   error (rms)")
    errors = {}
    for name in SEGMENTS:
        moment = ideal.joint_wrench(name, components="mx my mz")
        error = result.joint_wrench(name, components="mx my mz") - moment
        errors[name] = float(np.sqrt((error**2).mean()))
        print(f"{name:10} {np.abs(moment).max():8.2f} {errors[name]:13.3f}")
        print(f"           power up to {result.joint_power(name).max():.2f} W")

    report = jw.crosscheck(idyn, motion, motion.times[:41:20], {})
    print(f"\n{report}")
    save(folder, arm, motion, result)
    return errors, report


def save(folder, arm, motion, result):
    """Save the pictures and the animation."""
    axes = jw.pictures.plot_wrenches(result)
    axes[0, 0].figure.savefig(folder / "swinging_arm_wrenches.png", dpi=120)

    figure = matplotlib.pyplot.figure(figsize=(8, 6.5), layout="constrained")
    ax = figure.add_subplot(projection="3d")
    ax.view_init(elev=20, azim=-100, vertical_axis="y")
    instants = motion.times[[0, 60, 120]]
    jw.pictures.plot_stick_figure(arm, motion, result, view="3d", times=instants, ax=ax)
    figure.savefig(folder / "swinging_arm_stick_figure.png", dpi=120)
    view = jw.pictures.interactive_view(arm, motion, result, speed=0.5, title="A swinging arm")
    view.save(folder / "swinging_arm.html")

    observer = jw.ObserverFrame(
        arm.frames[0], arm.joint_points[1], arm.ground.frame, arm.ground.masscenter
    )
    draw_fictitious(folder, observer, arm, motion)

    film = jw.pictures.animate(arm, motion, result, view="xy", fps=20, speed=0.5)
    film.save(folder / "swinging_arm.gif")
    matplotlib.pyplot.close()  # the film is in its file
    print("\nSaved swinging_arm_{wrenches,stick_figure,fictitious}.png, .gif and .html")


def draw_fictitious(folder, observer, arm, motion):
    """Save the d'Alembert, Euler, centrifugal and Coriolis wrench on the lower segment."""
    body, names = arm.bodies[1], ("dalembert", "euler", "centrifugal", "coriolis")
    wrenches = observer.fictitious_wrenches(body)
    evaluate = jw.extend.expressions_along(jw.InverseDynamics(arm.system), motion, {})
    figure, axes = matplotlib.pyplot.subplots(3, 2, sharex=True, sharey="col", figsize=(10, 7))
    for name in names:
        wrench = getattr(wrenches, name).about(body.masscenter)
        values = evaluate(wrench.to_matrix(observer.frame))
        for ax, value in zip(axes.T.flat, values.T, strict=True):
            ax.plot(motion.times, value, label=name)
    for row, axis in enumerate("xyz"):
        axes[row, 0].set_ylabel(f"force along {axis} / N")
        axes[row, 1].set_ylabel(f"moment about {axis} / (N m)")
    for ax in axes[-1]:
        ax.set_xlabel("time / s")
    axes[0, 0].legend(ncols=4, loc="lower left", bbox_to_anchor=(0, 1))
    figure.savefig(folder / "swinging_arm_fictitious.png", dpi=120)


if __name__ == "__main__":
    main(Path.cwd())
