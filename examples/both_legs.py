"""Both legs in space
==================

From a C3D file with two force plates to the joint moments of both legs.

The file is a typical recording of a gait laboratory: markers, two plates under one step of each
foot, events, mass and height of the person.  This script

1. reads it, finds the joint centres and assigns each plate to the foot that stands on it,
2. computes the wrenches in hip, knee and ankle of both legs, in space,
3. draws a gait report, including the frontal plane,
4. saves a view for the browser of both legs while both are measured.

Where no plate measures, forces are unknown: a leg that stands beside the plates has no results.
The data and their source: ``jw.example_data("SOURCE.md")``.
"""

from pathlib import Path

import numpy as np

import jointwrench as jw

CUTOFF = 6.0  # Hz
SIDES = ("left", "right")
JOINTS = ("hip", "knee", "ankle")


def legs_of(trial):
    """Return both legs from their markers, and the plates' loads on each foot."""
    person = jw.gait.Person(trial.subject.height, trial.subject.mass, "de_leva_male")
    markers = trial.markers.in_metres().smoothed(max_gap=0.2)
    limbs = jw.gait.lower_limbs(markers, person)
    return limbs, jw.recordings.ground_reactions(
        trial.plates, limbs.times, limbs.feet, cutoff=CUTOFF
    )


def wrenches_of(limbs, ground, side):
    """Return the joint wrenches of a side; z is up."""
    loads = {f"foot_{side}": ground.plates[side]}
    segments = limbs.segments(side)
    return jw.gait.segment_wrenches(limbs.times, segments, loads, (0, 0, -9.81), cutoff=CUTOFF)


def measured(trial, ground, side):
    """Return start and end of the known loads on a foot: from swing to the end on the plate."""
    step = next(step for step in ground.steps if step.foot == side)
    offs = [e.time for e in trial.events if (e.side, e.label) == (side, "Foot Off")]
    before = [time for time in offs if time < step.start] or [trial.markers.times[0]]
    return max(before), step.end


def main(folder=None):
    """Return the report, the legs and their results; save pictures if a folder is named."""
    trial = jw.recordings.read_c3d(jw.example_data("two_plates.c3d"))
    print(f"{trial.subject.mass:.1f} kg, {trial.subject.height:.2f} m")
    limbs, ground = legs_of(trial)
    for step in ground.steps:
        print(f"plate {step.plate + 1}: {step.foot} foot, {step.start:.2f} to {step.end:.2f} s")
    results = {side: wrenches_of(limbs, ground, side) for side in SIDES}
    spans = {side: measured(trial, ground, side) for side in SIDES}

    print("\nLargest moment on the distal segment, by the proximal, in stance / (N m/kg)\n")
    print("        " + "".join(f"{side:>10}" for side in SIDES))
    peaks = {}
    for joint in JOINTS:
        for side in SIDES:
            start, end = spans[side]
            rows = (limbs.times >= start) & (limbs.times <= end)
            moments = results[side].joint_wrench(f"{joint}_{side}", components="mx my mz")[rows]
            peaks[joint, side] = np.linalg.norm(moments, axis=-1).max() / trial.subject.mass
        print(f"{joint:8}" + "".join(f"{peaks[joint, side]:10.2f}" for side in SIDES))

    report = jw.gait.gait_report(trial)
    print(f"\n{report}")
    for side in SIDES:
        mean, _, _ = report.parameters()[f"stance_time_{side}"]
        print(f"{side} stance: {mean:.2f} s")
    if folder is not None:
        save(folder, report, limbs, ground, results, spans)
    return report, limbs, results, peaks


def save(folder, report, limbs, ground, results, spans):
    """Save the report's figures, and the legs while both are measured."""
    for plane in ("sagittal", "frontal"):
        axes = jw.gait.plot_gait_report(report, plane=plane)
        axes[0, 0].figure.savefig(folder / f"both_legs_{plane}.png", dpi=100)
    view_of(limbs, ground, results, spans).save(folder / "both_legs.html")
    print("\nSaved both_legs_sagittal.png, both_legs_frontal.png and both_legs.html")


def view_of(limbs, ground, results, spans):
    """Return a view of both legs on their plates, with the forces and moments in their joints."""
    for side, (start, end) in spans.items():
        unknown = (limbs.times < start) | (limbs.times > end)
        results[side].joint_wrenches_in_laboratory[unknown] = np.nan
    return jw.pictures.interactive_view(
        [segment for side in SIDES for segment in limbs.segments(side)],
        limbs.times,
        [results[side] for side in SIDES],
        ground=list(ground.plates.values()),
        joints=[f"{joint}_{side}" for side in SIDES for joint in JOINTS],
        up="z",
        speed=0.5,
        title="Both legs",
    )


if __name__ == "__main__":
    main(Path.cwd())
