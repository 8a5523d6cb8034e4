"""A robot from its torque log
===========================

From a csv file of positions and torques to a model that predicts other moves.

The arm is a Franka Panda whose links are up to a third heavier or lighter than in its URDF, with
friction and offsets in its joints.  The log is simulated with the defects of real logs: uneven time
steps, positions rounded to encoder steps, torque errors that are correlated over many samples. This
script

1. finds a motion that excites masses and friction,
2. reads its log, chooses from the data a filter and the width within which friction changes its
   sign, and identifies masses and friction: by weighted least squares, and with physically
   consistent bodies,
3. predicts moves from point to point, and compares the residuals with the added noise,
4. prints by how much standard errors would be too small if errors were taken as independent, and
   saves a picture.

The same code, from ``read_log`` on, identified three real robots from public logs; the page "How
good can it be?" has the results.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np
from scipy.signal import lfilter

import jointwrench as jw

try:
    import matplotlib.pyplot as plt
except ImportError:
    sys.exit("This example needs matplotlib: pip install '.[plot]'")

RATE = 250  # samples per s
ENCODER = 1e-4  # rad, one step
NOISE = np.array([0.3, 0.5, 0.25, 0.3, 0.08, 0.08, 0.06])  # N m
LASTING = 0.9  # correlation of the error from one sample to the next
KINDS = ("offset", "viscous", "Coulomb")
OFFSET = np.array([0.1, -0.3, 0.05, 0.2, 0.0, 0.09, -0.05])  # N m
VISCOUS = np.array([0.6, 0.9, 0.5, 0.7, 0.3, 0.25, 0.2])  # N m s
COULOMB = np.array([0.7, 1.0, 0.6, 0.8, 0.4, 0.35, 0.3])  # N m
SMOOTH = 0.03  # rad/s, about which friction changes its sign
WIDTHS = (0.01, 0.03, 0.1)  # of which the data choose one
WEIGHTS = np.array([1.0, 1.15, 0.8, 1.3, 0.9, 1.2, 0.75])  # of the real links, by those of the URDF


def torques(idyn, motion):
    """Return the torques of the real arm."""
    masses = [float(parameter.value) for parameter in idyn.inertial_parameters]
    coefficients = idyn.compile("regressor")(motion).regressor
    friction = VISCOUS * motion.u + COULOMB * np.tanh(motion.u / SMOOTH)
    return coefficients @ (np.repeat(WEIGHTS, 10) * masses) + friction + OFFSET


def write_log(path, robot, idyn, motion, seed):
    """Write a simulated log of a motion; return the noise."""
    rng = np.random.default_rng(seed)
    last = motion.times[-1]
    steps = rng.uniform(0.8, 1.2, int(RATE * last)) / RATE
    times = np.cumsum(steps)
    times = times[times < last]
    seen = motion.resampled(times)
    white = rng.normal(size=(len(times) + RATE, 7)) * NOISE * np.sqrt(1 - LASTING**2)
    noise = lfilter([1], [1, -LASTING], white, axis=0)[RATE:]
    rounded = np.round(seen.q / ENCODER) * ENCODER
    columns = np.column_stack([times, rounded, torques(idyn, seen) + noise])
    names = [
        "t",
        *(f"q {name}" for name in robot.speeds),
        *(f"tau {name}" for name in robot.speeds),
    ]
    np.savetxt(path, columns, "%.6f", ",", header=",".join(names), comments="")
    return noise


def read_log(path, robot, idyn, cutoff=None):
    """Return the motion and the torques of a log."""
    table = jw.recordings.read_csv(path)
    q = np.stack([table[f"q {name}"] for name in robot.speeds], axis=-1)
    tau = np.stack([table[f"tau {name}"] for name in robot.speeds], axis=-1)
    return jw.identification.TorqueLog.from_samples(table.times, q, tau, idyn, cutoff=cutoff)


def best_friction(idyn, log):
    """Return the width and friction terms by which the first half best predicts the second."""
    left, n, times = {}, len(log.forces) // 2, log.motion.times
    first, second = (
        log.motion.between(times[0], times[n - 1]),
        log.motion.between(times[n], times[-1]),
    )
    for width in WIDTHS:
        extra = jw.identification.friction_terms(idyn.speeds, *KINDS, smooth=width)
        options = {"extra": extra, "cutoff": log.cutoff, "noise": "white"}
        half = jw.identification.identify(idyn, first, log.forces[:n], **options)
        fit = half.validate(second, log.forces[n:])
        left[fit.total_relative_rms] = width, extra
        print(f"sign changes within {width} rad/s: residual {fit.total_relative_rms:.2%}")
    return left[min(left)]


def moves(robot, seed, count=8, duration=2.5):
    """Return minimum-jerk moves from pose to pose, at rest in between."""
    limits = [*robot.limits.values()]
    low, high = (0.7 * np.array([getattr(x, side) for x in limits]) for side in ("lower", "upper"))
    poses = np.random.default_rng(seed).uniform(low, high, (count + 1, 7))
    path = np.poly1d([6, -15, 10, 0, 0, 0])

    def place(times, order):
        number = np.minimum((times / duration).astype(int), count - 1)
        share = times / duration - number
        shape = (path.deriv(order) if order else path)(share) / duration**order
        return (order == 0) * poses[number] + shape[:, None] * np.diff(poses, axis=0)[number]

    times = np.arange(0, count * duration, 1 / RATE)
    return jw.Trajectory.from_callables(times, *(lambda t, k=k: place(t, k) for k in range(3)))


def exciting_motion(low, high, most_u, most_udot, seed, period=60.0, harmonics=8):
    """Return a period of a random Fourier series that is as large as the limits allow."""
    rates = 2 * np.pi / period * np.arange(1, harmonics + 1)
    sines, cosines = np.random.default_rng(seed).normal(size=(2, harmonics, len(low)))

    def series(times, order):  # each derivative is a quarter of a period ahead
        angles = np.outer(times, rates) + order * np.pi / 2
        return (rates**order * np.sin(angles)) @ sines + (rates**order * np.cos(angles)) @ cosines

    times, (low, high) = np.linspace(0, period, 2000), np.array([low, high])
    limits = (high - low) / 2, most_u, most_udot
    scale = np.min([x / abs(series(times, k)).max(axis=0) for k, x in enumerate(limits)], axis=0)
    functions = [
        lambda t, k=k: scale * series(t, k) + (k == 0) * (low + high) / 2 for k in range(3)
    ]
    return jw.Trajectory.from_callables(times, *functions)


def main(folder):
    """Run the whole example; return what was found."""
    robot = jw.robots.read_urdf(jw.example_data("panda.urdf"), merge_fixed=True)
    idyn = robot.inverse_dynamics()
    limits = [*robot.limits.values()]
    bounds = [x.lower for x in limits], [x.upper for x in limits]
    motion = exciting_motion(*bounds, 1.5, 6.0, seed=0)

    with tempfile.TemporaryDirectory() as scratch:
        paths = [Path(scratch) / name for name in ("exciting.csv", "moves.csv")]
        write_log(paths[0], robot, idyn, motion, seed=1)
        noise = write_log(paths[1], robot, idyn, moves(robot, seed=2), seed=3)
        log = read_log(paths[0], robot, idyn)
        other = read_log(paths[1], robot, idyn, cutoff=log.cutoff)
    print(f"{log}\n\nThe second half of the log, predicted from the first:")
    width, extra = best_friction(idyn, log)

    found, fits = {}, {}
    for method in ("wls", "consistent"):
        given = {"extra": extra, "method": method, "cutoff": log.cutoff}
        found[method] = jw.identification.identify(idyn, log.motion, log.forces, **given)
    print(f"\n{found['wls'].fit}")
    for name, true in zip(("offset", "Coulomb"), (OFFSET, COULOMB), strict=True):
        own = f"{name} u_panda_joint6"
        value, error = (each[own] for each in (found["wls"].values, found["wls"].standard_errors))
        print(f"{own}: {value:.3f} +- {error:.3f} N m, true value {true[5]:.3f}")

    floor = np.sqrt((noise**2).mean(axis=0))
    print("\nResidual torques of other moves (rms), divided by the added noise\n")
    left = {}
    for method, own in found.items():
        fits[method] = own.validate(other.motion, other.forces)
        rest = other.forces - own.predict(other.motion)
        left[method] = np.sqrt(np.nanmean(rest**2, axis=0)) / floor
        print(f"{method:12}" + "".join(f"{x:7.3f}" for x in left[method]))
    together = [np.sqrt(((x * floor) ** 2).sum() / (floor**2).sum()) for x in left.values()]
    print("altogether: " + ", ".join(f"{x:.3f}" for x in together))
    drawn = idyn.compile("generalized_forces")(other.motion).generalized_forces
    left["URDF"] = np.sqrt(np.nanmean((other.forces - drawn) ** 2, axis=0)) / floor
    print(f"{'URDF':12}" + "".join(f"{x:7.3f}" for x in left["URDF"]))

    white = jw.identification.identify(
        idyn, log.motion, log.forces, extra=extra, method="wls", noise="white"
    )
    own = jw.identification.identify(idyn, log.motion, log.forces, extra=extra, method="wls")
    ratio = np.median(own.base_standard_errors / white.base_standard_errors)
    print(f"\nStandard errors are {ratio:.1f} times those for independent errors.")

    save(folder, fits["consistent"], robot, other.motion)
    return {
        "log": log,
        "width": width,
        "found": found,
        "left": left,
        "together": together,
        "ratio": ratio,
    }


def save(folder, fit, robot, motion):
    """Save a picture of measured and predicted torques, and a view of the moves."""
    plt.style.use("jointwrench.figures")
    figure, axes = plt.subplots(len(fit.channels), sharex=True, figsize=(9, 13.4))
    parts = zip(fit.channels, fit.relative_rms.values(), strict=True)
    for k, (ax, (name, part)) in enumerate(zip(axes, parts, strict=True)):
        ax.plot(fit.times, fit.measured[:, k], color="0.6", linewidth=2.5, label="measured")
        ax.plot(fit.times, fit.predicted[:, k], linewidth=1.2, label="predicted")
        ax.plot(fit.times, fit.residuals[:, k], linewidth=0.8, label="rest")
        title = f"{name.removeprefix('u_').removesuffix('(t)')}: {part:.1%} of the torque is left"
        ax.set_title(title, loc="left", size="medium")
        ax.set_ylabel("torque / (N m)")
    axes[0].legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=3, frameon=False)
    axes[-1].set_xlabel("time / s")
    figure.suptitle("Moves that the identification did not use, filtered", size="medium")
    figure.savefig(folder / "identify_real_arm.png", dpi=100)
    view = jw.pictures.interactive_view(robot, motion, up="z", title="Moves from pose to pose")
    view.save(folder / "identify_real_arm.html")
    print("\nSaved identify_real_arm.png")


if __name__ == "__main__":
    main(Path.cwd())
