"""Walking, from markers and a force plate
=======================================

From markers and a force plate to forces, moments and powers of hip, knee and ankle.

A person of 67.2 kg walks in the sagittal plane (x forward, y up).  This script

1. reads the raw trial, in which some markers are missing at times,
2. turns pairs of markers into segment angles, smooths and differentiates them,
3. builds a leg with a trunk from the body's mass and the measured lengths,
4. applies the measured ground reaction to the foot,
5. computes every joint wrench, per kg and over the gait cycle,
6. computes the same segment by segment, as in Winter's book, for comparison,
7. checks it against a forward simulation,
8. saves pictures, an animation and a table.

The data and their source: ``jw.example_data("SOURCE.md")``.
"""

import sys
from pathlib import Path

import numpy as np

import jointwrench as jw

try:
    import matplotlib.pyplot
except ImportError:
    sys.exit("This example needs matplotlib: pip install '.[plot]'")

TRIAL = jw.example_data("walking_trial.txt")
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
JOINTS = ("hip", "knee", "ankle")
#: Each segment's joint, its ends, the direction between them, and its name in Winter's table.
SEGMENTS = {
    "trunk": ("trunk", "hip", "shoulder", "y", "head_arms_trunk"),
    "thigh": ("hip", "hip", "knee", "-y", "thigh"),
    "shank": ("knee", "knee", "ankle", "-y", "shank"),
    "foot": ("ankle", "ankle", "toe", "x", "foot"),
}
DOWN = -np.pi / 2


def read_trial():
    """Return times, markers (N, 2) by name, and the force plate."""
    table = jw.recordings.read_csv(TRIAL)
    markers = {
        name: np.stack([table[f"{label}.PosX"], table[f"{label}.PosY"]], axis=-1)
        for name, label in MARKERS.items()
    }
    return table.times, markers, jw.recordings.ForcePlate.from_columns(table.times, table, CHANNELS)


def coordinates_of(markers):
    """Return the coordinates of the leg over time, by column; NaN where a marker is missing."""
    trunk = jw.gait.segment_angles(markers["hip"], markers["shoulder"], zero=-DOWN)
    thigh = jw.gait.segment_angles(markers["hip"], markers["knee"], zero=DOWN)
    shank = jw.gait.segment_angles(markers["knee"], markers["ankle"], zero=DOWN)
    foot = jw.gait.segment_angles(markers["ankle"], markers["toe"])
    return np.stack([trunk, *markers["hip"].T, thigh - trunk, shank - thigh, foot - shank], -1)


def sole_angle(markers):
    """Return the mean angle from the line ankle-toe to the line heel-toe, which is the sole."""
    line = jw.gait.segment_angles(markers["ankle"], markers["toe"])
    return float(np.nanmean(jw.gait.segment_angles(markers["heel"], markers["toe"]) - line))


def build_leg(markers):
    """Return the leg, with the lengths that the markers show."""
    lengths = {
        row: float(np.nanmean(jw.gait.segment_lengths(markers[a], markers[b])))
        for _, a, b, _, row in SEGMENTS.values()
    }
    return jw.gait.planar_leg(1.75, MASS, lengths=lengths, trunk=True)  # the height has no effect


def segment_by_segment(times, markers, leg, plate):
    """Return the wrenches without a linked model: each segment follows its own two markers."""
    segments = []
    for name, (joint, start, end, direction, row) in SEGMENTS.items():
        part = leg.person[row]
        ends, center = (markers[start], markers[end]), part.center / part.length
        segments.append(
            jw.gait.MarkerSegment(
                name, *ends, part.mass, center, part.inertia, joint, direction=direction
            )
        )
    return jw.gait.segment_wrenches(
        times, segments, {"foot": plate}, cutoff=CUTOFF, gaps="fill", max_gap=0.1
    )


def main(folder):
    """Run the whole example; return the curves of both methods, the cycles and the report."""
    times, markers, plate = read_trial()
    raw = coordinates_of(markers)
    whole = np.isfinite(raw).all(axis=-1)
    longest = np.diff(times[whole]).max()
    print(f"{len(times)} frames, {np.sum(~whole)} of them incomplete, longest gap {longest:.2f} s")

    complete = slice(60, None)  # the longest part without gaps
    analysis = jw.signals.residual_analysis(times[complete], raw[complete][:, 3:])
    suggested = ", ".join(f"{cutoff:.1f}" for cutoff in analysis.cutoff)
    print(f"Residual analysis suggests {suggested} Hz for hip, knee, ankle; used: {CUTOFF} Hz")

    leg = build_leg(markers)
    reaction = jw.ExternalWrench(leg.chain, "foot", "plate", components="fx fy mz")
    idyn = jw.InverseDynamics(leg.chain.system)
    motion = jw.Trajectory.from_samples(
        times, raw, idyn=idyn, cutoff=CUTOFF, gaps="fill", max_gap=0.1
    )
    plate = plate.filtered(CUTOFF)
    result = idyn.compile(["generalized_forces", "joint_wrenches", "contributions"])(
        motion, constants=leg.constants_of(idyn), specifieds=reaction.specifieds(plate)
    )

    steps = plate.contacts(threshold=30.0)
    cycles = [start for start, _ in steps]
    cycles.append(times[-1] if len(cycles) < 2 else 2 * cycles[-1] - cycles[-2])
    cycles = [time for time in cycles if time <= times[-1]]
    normal = result.per_mass(MASS)
    neutral = {"ankle": -sole_angle(markers)}
    curves = jw.gait.clinical_curves(normal, neutral)
    print("\nLargest values over the trial\n")
    by_segments = segment_by_segment(times, markers, leg, plate).per_mass(MASS)
    others = jw.gait.clinical_curves(by_segments, neutral)
    print("        force / (N/kg)   extensor moment / (N m/kg)   power / (W/kg)   by segments")
    for joint in JOINTS:
        force = np.linalg.norm(normal.joint_wrench(joint, components="fx fy"), axis=-1).max()
        names = curves.of_joint(joint)
        moment, power = (curves[names[kind]].max() for kind in ("moment", "power"))
        other, other_power = (others[names[kind]].max() for kind in ("moment", "power"))
        print(
            f"{joint:6} {force:12.2f} {moment:22.2f} {power:22.2f}"
            f"            {other:.2f}, {other_power:.2f}"
        )

    report = jw.crosscheck(
        idyn,
        motion,
        motion.times[40:61],
        leg.constants_of(idyn),
        specifieds=reaction.functions(plate),
    )
    print(f"\n{report}")

    units = {"moment": "N m/kg", "power": "W/kg"}
    drawn, compared = (
        jw.gait.clinical_curves(x.over_cycles(cycles), neutral) for x in (normal, by_segments)
    )
    axes = jw.gait.plot_gait_report(drawn, units=units)
    style = {"label": "by segments", "linestyle": "--", "linewidth": 1}
    jw.gait.plot_gait_report(compared, axes=axes, units=units, **style)
    strides = zip(steps, cycles[1:], strict=False)
    stance = np.mean([(end - start) / (after - start) for (start, end), after in strides])
    for ax in axes.flat:
        ax.axvspan(0, 100 * stance, color="0.9", zorder=-1)
    save(folder, leg, motion, result, plate, axes)
    parts = jw.pictures.plot_contributions(result, "knee", "mz")
    for step in steps:
        parts[0, 0].axvspan(*step, color="0.9", zorder=-1)
    parts[0, 0].set_xlim(cycles[0], cycles[-1])
    parts[0, 0].figure.savefig(folder / "gait_contributions.png", dpi=120)
    return curves, others, cycles, report


def save(folder, leg, motion, result, plate, axes):
    """Save the pictures, the animation and the table."""
    axes[0, 0].figure.savefig(folder / "gait_joints.png", dpi=120)
    ax = jw.pictures.plot_stick_figure(
        leg.chain,
        motion,
        result,
        ground=plate,
        constants=leg.constants,
        joints=JOINTS,
        times=np.linspace(7.25, 7.95, 8),
        spacing=0.6,
    )
    ax.figure.savefig(folder / "gait_stick_figure.png", dpi=120)
    step = motion.between(7.0, 8.4)
    rows = slice(0, len(step))
    part = jw.Result({"joint_wrenches": result.joint_wrenches[rows]}, result.joints)
    jw.pictures.animate(
        leg.chain,
        step,
        part,
        ground=plate.at(step.times),
        constants=leg.constants,
        joints=JOINTS,
        speed=0.5,
        fps=16,
    ).save(folder / "gait.gif")
    matplotlib.pyplot.close()  # the film is in its file
    view = jw.pictures.interactive_view(
        leg.chain,
        motion,
        result,
        ground=plate,
        constants=leg.constants,
        joints=JOINTS,
        speed=0.5,
        title="Walking",
    )
    view.save(folder / "gait.html")
    jw.recordings.write_csv(folder / "gait_joints.csv", result, digits=8)
    print("\nSaved gait_{joints,stick_figure}.png, gait.gif, gait.html and gait_joints.csv")


if __name__ == "__main__":
    main(Path.cwd())
