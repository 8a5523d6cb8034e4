"""A prosthesis and an orthosis
============================

How to model a prosthetic segment, and an orthosis that carries a part of a moment.

The walking trial of both_legs.py, with two changes that an orthopaedic laboratory makes:

1. the left shank and foot become those of a transtibial prosthesis: masses, mass centres and
   moments of inertia are measured, on a scale and with a pendulum, instead of taken from a table,
2. the right leg wears an ankle-foot orthosis with a spring: its moment acts on foot and shank in
   opposite senses, and is given as a load.  The remaining moment of the ankle is that of the
   person.

The recorded person wore neither, so the numbers show the method, not the gait of a patient.  The
data and their source: ``jw.example_data("SOURCE.md")``.
"""

from dataclasses import replace
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import jointwrench as jw

CUTOFF = 6.0  # Hz

#: Stump, socket, pylon and foot: mass (kg), mass centre / length, radii of gyration / length
#: about x (forward), y (up) and z (right).
PROSTHESIS = {
    "shank_left": (1.9, 0.30, (0.28, 0.08, 0.28)),
    "foot_left": (0.8, 0.45, (0.10, 0.24, 0.24)),
}

#: Of the orthosis: N m/rad about the ankle's axis, and the angle at which its spring is slack.
STIFFNESS, SLACK = 120.0, np.radians(-5.0)


def with_prosthesis(segment):
    """Return a segment with the measured mass, centre and inertia if it is prosthetic."""
    if segment.name not in PROSTHESIS:
        return segment
    mass, center, radii = PROSTHESIS[segment.name]
    length = np.linalg.norm(segment.distal - segment.proximal, axis=-1).mean()
    return replace(
        segment, mass=mass, center=center, inertia=mass * (np.array(radii) * length) ** 2
    )


def moments_of(limbs, segments, loads):
    """Return clinical curves of a leg; z is up."""
    result = jw.gait.segment_wrenches(limbs.times, segments, loads, (0, 0, -9.81), cutoff=CUTOFF)
    return jw.gait.clinical_curves(result.per_mass(limbs.person.mass))


def orthosis_of(limbs, dorsiflexion):
    """Return the couple of the spring on the foot, (N, 6), in the laboratory's axes."""
    axis = limbs.frames["shank_right"].rotations[..., 2]  # to the right: dorsiflexion is about it
    couple = np.zeros((len(limbs.times), 6))
    couple[:, 3:] = -STIFFNESS * (dorsiflexion - SLACK)[:, None] * axis
    return couple


def measured(trial, side):
    """Return start and end of the known loads on a leg: from swing to the next strike."""
    times = [event.time for event in trial.events if event.side == side]
    return times[0], times[-1]  # off, strike on the plate, off, strike beside it


def main(folder=None):
    """Return the curves of both legs, without and with; save a picture if a folder is named."""
    trial = jw.recordings.read_c3d(jw.example_data("two_plates.c3d"))
    person = jw.gait.Person(trial.subject.height, trial.subject.mass, "de_leva_male")
    limbs = jw.gait.lower_limbs(trial.markers.in_metres().smoothed(max_gap=0.2), person)
    ground = jw.recordings.ground_reactions(trial.plates, limbs.times, limbs.feet, cutoff=CUTOFF)

    left, plate = limbs.segments("left"), {"foot_left": ground.plates["left"]}
    own = moments_of(limbs, left, plate)
    prosthetic = moments_of(limbs, [with_prosthesis(segment) for segment in left], plate)

    right, plate = limbs.segments("right"), ground.plates["right"]
    whole = moments_of(limbs, right, {"foot_right": plate})
    spring = orthosis_of(limbs, np.radians(whole["ankle_right_dorsiflexion"]))
    loads = {"foot_right": [plate, spring], "shank_right": -spring}
    rest = moments_of(limbs, right, loads)

    strike = next(e.time for e in trial.events if (e.side, e.label) == ("left", "Foot Strike"))
    swing = (limbs.times > measured(trial, "left")[0]) & (limbs.times < strike)
    for joint in ("hip", "knee"):
        name = f"{joint}_left_extension_moment"
        most = [np.abs(curves[name][swing]).max() for curves in (own, prosthetic)]
        print(f"{joint:5} of the left leg in swing: {most[0]:.2f} N m/kg, {most[1]:.2f} prosthetic")
    name = "ankle_right_plantarflexion_moment"
    print(f"right ankle: {whole[name].max():.2f} N m/kg, {rest[name].max():.2f} with the orthosis")
    if folder is not None:
        start, end = measured(trial, "right")
        known = (limbs.times > start) & (limbs.times < end)
        save(folder, limbs.times, (swing, known), (own, prosthetic), (whole, rest))
    return own, prosthetic, whole, rest, spring, limbs


def save(folder, times, rows, left, right):
    """Draw the swing of the left knee, and the parts of the right ankle's moment."""
    (swing, known), (own, prosthetic), (whole, rest) = rows, left, right
    figure, (first, second) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
    name = "knee_left_extension_moment"
    first.plot(times[swing], own[name][swing], label="own shank and foot")
    first.plot(times[swing], prosthetic[name][swing], label="prosthetic")
    first.set_title("left leg in swing", loc="left")
    first.set(xlabel="time / s", ylabel="knee extension moment / (N m/kg)")
    name = "ankle_right_plantarflexion_moment"
    second.plot(times[known], whole[name][known], color="0.5", label="all")
    second.plot(times[known], rest[name][known], label="by the person")
    second.plot(times[known], (whole[name] - rest[name])[known], label="by the orthosis")
    second.set_title("right leg", loc="left")
    second.set(xlabel="time / s", ylabel="ankle plantarflexion moment / (N m/kg)")
    for ax in (first, second):
        ax.axhline(0, color="0.8", linewidth=0.8, zorder=0)
        ax.legend(frameon=False)
    figure.savefig(folder / "prosthesis_and_orthosis.png", dpi=100)
    print("Saved prosthesis_and_orthosis.png")


if __name__ == "__main__":
    main(Path.cwd())
