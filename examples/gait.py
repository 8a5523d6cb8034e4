"""Walking: from markers and a force plate to forces, moments and powers of hip, knee and ankle.

A person of 67.2 kg walks in the sagittal plane (x forward, y up).  This script

1. reads the raw trial, in which some markers are missing now and then,
2. turns pairs of markers into segment angles, smooths and differentiates them,
3. builds a leg with a trunk from the body's mass and the measured lengths,
4. lets the ground reaction act on the foot, as the plate measured it,
5. computes what every joint transmits, per kg and over the gait cycle,
6. checks it against a forward simulation,
7. saves pictures, an animation and a table.

The data and their source: data/README.md.
"""

import sys
from pathlib import Path

import numpy as np

import jointwrench as jw

try:
    import matplotlib.pyplot as plt
except ImportError:
    sys.exit("This example needs matplotlib: pip install 'jointwrench[plot]'")

TRIAL = Path(__file__).parent / "data" / "walking_trial.txt"
MASS = 67.2  # kg
CUTOFF = 6.0  # Hz
MARKERS = {
    "shoulder": "RSHO",
    "hip": "RGTRO",
    "knee": "RLEK",
    "ankle": "RLM",
    "heel": "RHEE",
    "toe": "RMT5",
}
CHANNELS = {"fx": "FP2.ForX", "fy": "FP2.ForY", "mz": "FP2.MomZ"}
JOINTS = {"hip": "thigh", "knee": "shank", "ankle": "foot"}
DOWN = -np.pi / 2


def read_trial():
    """Return times, markers (N, 2) by name, and the force plate."""
    table = jw.read_csv(TRIAL)
    markers = {
        name: np.stack([table[f"{label}.PosX"], table[f"{label}.PosY"]], axis=-1)
        for name, label in MARKERS.items()
    }
    return table.times, markers, jw.ForcePlate.from_columns(table.times, table, CHANNELS)


def coordinates_of(markers):
    """Return the coordinates of the leg over time, by column; NaN where a marker is missing."""
    trunk = jw.segment_angles(markers["hip"], markers["shoulder"], zero=-DOWN)
    thigh = jw.segment_angles(markers["hip"], markers["knee"], zero=DOWN)
    shank = jw.segment_angles(markers["knee"], markers["ankle"], zero=DOWN)
    foot = jw.segment_angles(markers["ankle"], markers["toe"])
    return np.stack([trunk, *markers["hip"].T, thigh - trunk, shank - thigh, foot - shank], -1)


def sole_angle(markers):
    """Return the mean angle from the line ankle-toe to the line heel-toe, which is the sole."""
    line = jw.segment_angles(markers["ankle"], markers["toe"])
    return float(np.nanmean(jw.segment_angles(markers["heel"], markers["toe"]) - line))


def build_leg(markers):
    """Return the leg, with the lengths that the markers show."""
    ends = {"thigh": ("hip", "knee"), "shank": ("knee", "ankle"), "foot": ("ankle", "toe")}
    lengths = {
        name: float(np.nanmean(jw.segment_lengths(markers[a], markers[b])))
        for name, (a, b) in ends.items()
    }
    return jw.planar_leg(1.75, MASS, lengths=lengths, trunk=True)  # the height is of no matter


def clinical(motion, result, sole):
    """Return angles (degrees), moments (N m/kg) and powers (W/kg) as gait laboratories show them.

    Flexion and dorsiflexion are positive angles; moments are those of the muscles, positive
    where they extend hip or knee or plantarflex the ankle.
    """
    normal = result.per_mass(MASS)
    signs = {"hip": 1, "knee": -1, "ankle": 1}
    curves = {}
    for column, (joint, segment) in enumerate(JOINTS.items(), start=3):
        shift = sole if joint == "ankle" else 0.0
        angle = np.degrees(signs[joint] * (motion.q[:, column] + shift))
        moment = -signs[joint] * normal.joint_wrench(segment, components="mz")
        curves[joint] = angle, moment, normal.joint_power(segment)
    return curves


def plot_gait(curves, motion, cycles):
    """Draw angle, moment and power of each joint over the gait cycle."""
    labels = ("angle / °", "moment / (N m/kg)", "power / (W/kg)")
    words = {
        "hip": ("flexion", "extensor"),
        "knee": ("flexion", "extensor"),
        "ankle": ("dorsiflexion", "plantarflexor"),
    }
    _, axes = plt.subplots(3, 3, sharex=True, figsize=(11, 7.5), layout="constrained")
    percent = np.linspace(0, 100, 101)
    for column, (joint, values) in zip(axes.T, curves.items(), strict=True):
        column[0].set_title(joint)
        for ax, label, curve, word in zip(
            column, labels, values, (*words[joint], "generated"), strict=True
        ):
            rows = jw.normalise_cycles(motion.times, curve, cycles)
            for number, row in enumerate(rows, start=1):
                ax.plot(
                    percent, row, color=("#0000a7", "#c1272d")[number % 2], label=f"step {number}"
                )
            ax.axhline(0, color="0.8", linewidth=0.8, zorder=0)
            ax.set_ylabel(f"{word} {label}" if word != "generated" else label)
            ax.grid(alpha=0.3)
        column[-1].set_xlabel("gait cycle / %")
    axes[0, 0].legend(frameon=False)
    return axes


def main(folder):
    """Run the whole example; return curves over time, the cycles and the report."""
    times, markers, plate = read_trial()
    raw = coordinates_of(markers)
    whole = np.isfinite(raw).all(axis=-1)
    longest = np.diff(times[whole]).max()
    print(f"{len(times)} frames, {np.sum(~whole)} of them incomplete, longest gap {longest:.2f} s")

    complete = slice(60, None)  # the longest part without gaps
    analysis = jw.residual_analysis(times[complete], raw[complete][:, 3:])
    suggested = ", ".join(f"{cutoff:.1f}" for cutoff in analysis.cutoff)
    print(f"Residual analysis suggests {suggested} Hz for hip, knee, ankle; used: {CUTOFF} Hz")

    leg = build_leg(markers)
    reaction = jw.ExternalWrench(leg.chain, "foot", "plate", components="fx fy mz")
    idyn = jw.InverseDynamics(leg.chain.system)
    motion = jw.Trajectory.from_samples(
        times, raw, idyn=idyn, cutoff=CUTOFF, gaps="fill", max_gap=0.1
    )
    plate = plate.filtered(CUTOFF)
    result = idyn.compile()(
        motion, constants=leg.constants_of(idyn), specifieds=reaction.specifieds(plate)
    )

    steps = plate.contacts(threshold=30.0)
    cycles = [start for start, _ in steps]
    cycles.append(times[-1] if len(cycles) < 2 else 2 * cycles[-1] - cycles[-2])
    cycles = [time for time in cycles if time <= times[-1]]
    curves = clinical(motion, result, sole_angle(markers))
    print("\nLargest values over the trial\n")
    print("        force / (N/kg)   extensor moment / (N m/kg)   power / (W/kg)")
    for joint, (_, moment, power) in curves.items():
        wrench = result.per_mass(MASS).joint_wrench(JOINTS[joint], components="fx fy")
        force = np.linalg.norm(wrench, axis=-1).max()
        print(f"{joint:6} {force:12.2f} {moment.max():22.2f} {power.max():22.2f}")

    report = jw.crosscheck(
        idyn,
        motion,
        motion.times[40:61],
        leg.constants_of(idyn),
        specifieds=reaction.functions(plate),
    )
    print(f"\n{report}")

    save(folder, leg, motion, result, plate, plot_gait(curves, motion, cycles))
    return curves, cycles, report


def save(folder, leg, motion, result, plate, axes):
    """Save the pictures, the animation and the table."""
    axes[0, 0].figure.savefig(folder / "gait_joints.png", dpi=120)
    ax = jw.plot_stick_figure(
        leg.chain,
        motion,
        result,
        ground=plate,
        constants=leg.constants,
        joints=JOINTS.values(),
        times=np.linspace(7.25, 7.95, 8),
        spacing=0.6,
    )
    ax.figure.set_size_inches(12, 5)
    ax.figure.savefig(folder / "gait_stick_figure.png", dpi=120)
    step = motion.between(7.0, 8.4)
    rows = slice(0, len(step))
    part = jw.Result({"joint_wrenches": result.joint_wrenches[rows]}, result.joints)
    jw.animate(
        leg.chain,
        step,
        part,
        folder / "gait.gif",
        ground=plate.at(step.times),
        constants=leg.constants,
        joints=JOINTS.values(),
        speed=0.5,
        fps=16,
    )
    jw.write_csv(folder / "gait_joints.csv", result, digits=8)
    print("\nSaved gait_joints.png, gait_stick_figure.png, gait.gif and gait_joints.csv")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
