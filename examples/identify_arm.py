"""Masses and friction of an arm
=============================

Parameters identified from measured torques, with a motion designed for it.

An arm with three joints turns about the vertical and bends in shoulder and elbow.  It differs from
its drawing: a tool is mounted, and the joints have friction. The measurement is simulated, so that
the true values are known.  This script

1. finds the combinations of inertial parameters on which torques depend,
2. finds a motion within the arm's limits that excites them well,
3. identifies these and friction from noisy torques, with standard errors,
4. identifies them again with physically consistent bodies, starting from the drawing,
5. predicts the torques of another motion, and saves a picture.
"""

import sys
from pathlib import Path

import numpy as np

import jointwrench as jw

try:
    import matplotlib.pyplot as plt
except ImportError:
    sys.exit("This example needs matplotlib: pip install '.[plot]'")

NOISE = np.array([0.4, 0.4, 0.15])  # N m, of each torque
LIMITS = [-2.5, -1.2, -2.2], [2.5, 1.2, 2.2], 3.0, 12.0  # of q, u and udot
VISCOUS, COULOMB = np.array([0.8, 1.1, 0.3]), np.array([1.5, 2.0, 0.6])
JOINTS = ("turntable", "shoulder", "elbow")


def build_arm(tool):
    """Return the arm, whose forearm may carry a tool of some mass at its end."""
    fore, reach = 1.4, 0.35
    mass = fore + tool
    center = (fore * reach / 2 + tool * reach) / mass
    moment = fore * reach**2 / 12 + fore * (center - reach / 2) ** 2 + tool * (reach - center) ** 2
    segments = [
        jw.Segment("column", 0.3, 4.0, inertia=(0.04, 0.03, 0.04), axis="y"),
        jw.Segment("upper", 0.4, 2.5, (0.01, 0.18, 0.02), (0.04, 0.005, 0.042), axis="z"),
        jw.Segment("fore", reach, mass, (0, center, 0), (moment, 0.002, moment), axis="z"),
    ]
    return jw.SerialChain(segments, gravity=(0, -9.81, 0))


def friction(u):
    """Return what friction adds to the torques."""
    return VISCOUS * u + COULOMB * np.sign(u)


def measure(idyn, motion, seed):
    """Return the noisy torques of a motion."""
    exact = idyn.compile("generalized_forces")(motion).generalized_forces + friction(motion.u)
    return exact + NOISE * np.random.default_rng(seed).normal(size=exact.shape)


def everyday_motion(times):
    """Return an ordinary motion: one slow sine in each joint."""
    phases = 2 * np.pi * times[:, None] / 10 * [1, 1, 2]
    rates = 2 * np.pi / 10 * np.array([1, 1, 2])
    sizes = np.array([1.0, 0.5, 0.8])
    q, u = sizes * np.sin(phases), sizes * rates * np.cos(phases)
    return jw.Trajectory(times, q, u, -sizes * rates**2 * np.sin(phases))


def exciting_motion(low, high, most_u, most_udot, seed, period=10.0, harmonics=5):
    """Return a period of a random Fourier series that is as large as the limits allow."""
    rates = 2 * np.pi / period * np.arange(1, harmonics + 1)
    sines, cosines = np.random.default_rng(seed).normal(size=(2, harmonics, len(low)))

    def series(times, order):  # each derivative is a quarter of a period ahead
        angles = np.outer(times, rates) + order * np.pi / 2
        return (rates**order * np.sin(angles)) @ sines + (rates**order * np.cos(angles)) @ cosines

    times, (low, high) = np.linspace(0, period, 500), np.array([low, high])
    limits = (high - low) / 2, most_u, most_udot
    scale = np.min([x / abs(series(times, k)).max(axis=0) for k, x in enumerate(limits)], axis=0)
    functions = [
        lambda t, k=k: scale * series(t, k) + (k == 0) * (low + high) / 2 for k in range(3)
    ]
    return jw.Trajectory.from_callables(times, *functions)


def main(folder):
    """Run the whole example; return what was found."""
    drawn = jw.InverseDynamics(build_arm(tool=0).system)
    real = jw.InverseDynamics(build_arm(tool=0.6).system)

    base = jw.identification.base_parameters(drawn, actuators=True)
    print(base)

    def condition_number(motion):
        return jw.identification.base_parameters(
            drawn, motion, actuators=True, tolerance=1e-12
        ).condition_number

    candidates = [exciting_motion(*LIMITS, seed) for seed in range(20)]
    motions = {
        "everyday": everyday_motion(np.linspace(0, 10, 500)),
        "exciting": min(candidates, key=condition_number),
    }
    found = {}
    for name, motion in motions.items():
        print(f"\nThe {name} motion has the condition number {condition_number(motion):.0f}.")
        torques = measure(real, motion, seed=0)
        found[name] = jw.identification.identify(
            drawn, motion, torques, method="wls", actuators=True, base=base
        )
    print(f"\n{found['exciting']}")

    torques = measure(real, motions["exciting"], seed=0)
    bodies = jw.identification.identify(
        drawn, motions["exciting"], torques, method="consistent", actuators=True, base=base
    )
    print(f"\nPhysically consistent bodies: {bodies.is_physical}")

    test = everyday_motion(np.linspace(0, 10, 400))
    predicted = {
        "drawing": drawn.compile("generalized_forces")(test).generalized_forces,
        "identified": bodies.predict(test),
    }
    measured = measure(real, test, seed=1)
    errors = {
        name: np.sqrt(((values - measured) ** 2).mean(axis=0)) for name, values in predicted.items()
    }
    print("\nErrors of the torques of another motion (rms) / (N m)\n")
    print("            " + "".join(f"{joint:>11}" for joint in JOINTS))
    for name, row in errors.items():
        print(f"{name:12}" + "".join(f"{error:11.2f}" for error in row))

    truth = [float(p.value) for p in real.inertial_parameters]
    motors = np.stack([VISCOUS, COULOMB, np.zeros(3)], axis=-1).ravel()
    truth = base.matrix @ [*truth, *motors]
    save(folder, motions, found, test, measured, predicted)
    return {"base": base, "truth": truth, "found": found, "bodies": bodies, "errors": errors}


def save(folder, motions, found, test, measured, predicted):
    """Save a picture of the motion, of the standard errors, and of predicted torques."""
    plt.style.use("jointwrench.figures")
    figure, axes = plt.subplots(2, 2, figsize=(12.5, 7))
    motion = motions["exciting"]
    for k, joint in enumerate(JOINTS):
        axes[0, 0].plot(motion.times, motion.q[:, k], label=joint)
    axes[0, 0].set(xlabel="time / s", ylabel="angle / rad", title="An exciting motion")
    axes[0, 0].set_ylim(-1.6, 2.8)
    axes[0, 0].legend(ncols=3, loc="upper left")

    places = np.arange(len(found["exciting"].base))
    for name, marker in (("everyday", "o"), ("exciting", "s")):
        axes[0, 1].semilogy(places, found[name].base_standard_errors, marker, label=name)
    title = "Uncertainty of base parameters"
    axes[0, 1].set(ylabel="standard error (units of kg, m, s)", title=title)
    axes[0, 1].set_xticks(places, found["exciting"].base.independent, rotation=90, fontsize=8)
    axes[0, 1].legend(loc="upper left", bbox_to_anchor=(1, 1))

    axes[1, 1].sharey(axes[1, 0])
    for k, ax in zip((1, 2), axes[1], strict=True):
        ax.plot(test.times, measured[:, k], ".", color="0.7", markersize=3, label="measured")
        for name, style in (("drawing", "--"), ("identified", "-")):
            ax.plot(test.times, predicted[name][:, k], style, label=name)
        title = f"Motor torque on the link beyond the {JOINTS[k]}"
        ax.set(xlabel="time of another motion / s", ylabel="torque / (N m)", title=title)
    axes[1, 1].legend(loc="upper left", bbox_to_anchor=(1.05, 1))
    figure.savefig(folder / "identify_arm.png")
    jw.pictures.interactive_view(build_arm(0.0), motion, title="An arm").save(
        folder / "identify_arm.html"
    )
    print("\nSaved identify_arm.png")


if __name__ == "__main__":
    main(Path.cwd())
