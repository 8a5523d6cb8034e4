"""
Gait laboratory: markers and plates
===================================

From a C3D file with two force plates to the figure and the table that a laboratory reports, for
both legs in space.

The file comes with the package: 20 markers with Plug-in Gait's names, two plates with one step of
each foot, events, mass and height.  Replace its path by that of your file.
"""

# %%
# In six lines
# ------------

import jointwrench as jw

trial = jw.recordings.read_c3d(jw.example_data("two_plates.c3d"))
report = jw.gait.gait_report(trial)  # of several trials: jw.gait.gait_report([trial, another])
jw.gait.plot_gait_report(report)
jw.recordings.write_csv("walk.csv", report)
print(report)

# %%
# Lines are means over cycles, bands are one standard deviation where there are several cycles, and
# dotted lines mark the ends of stance.  ``plane="frontal"`` and ``"transverse"`` draw the other
# planes.  ``parameters`` returns named values read off the curves, each with its mean, standard
# deviation and number of cycles: angles in degrees, moments in N m/kg, powers in W/kg, lengths in
# m.

found = report.parameters()
for name in ("knee_left_flexion_max", "ankle_left_power_max", "step_length_left", "speed_left"):
    mean, deviation, count = found[name]
    print(f"{name}: {mean:.2f} of {count} cycle")

# %%
# What is in the file
# -------------------

print(f"{trial.subject.mass:.1f} kg, {trial.subject.height:.2f} m")
print([f"{event.side} {event.label} {event.time:.2f} s" for event in trial.events[:3]])
for plate in trial.plates:
    print(plate, "contacts (s):", [(round(a, 2), round(b, 2)) for a, b in plate.contacts()])

# %%
# Step by step
# ------------
#
# The report performs the following steps; carry them out yourself where your laboratory differs.
# First the markers: converted to metres, with gaps filled.

markers = trial.markers.in_metres().smoothed(max_gap=0.2)
person = jw.gait.Person(trial.subject.height, trial.subject.mass, "de_leva_male")

# %%
# Joint centres and segment frames, after the ISB.  If your markers have other names, give a
# mapping: ``jw.gait.lower_limbs(markers, person, {"left_knee": "L.Knee.Lat", ...})``.

limbs = jw.gait.lower_limbs(markers, person)
print(sorted(limbs.centers))

# %%
# ``ground_reactions`` assigns feet to plates from the positions of the feet.  The ``notes`` of a
# step describe problems with it.

ground = jw.recordings.ground_reactions(trial.plates, limbs.times, limbs.feet, cutoff=6.0)
for step in ground.steps:
    print(f"plate {step.plate + 1}: {step.foot}, {step.start:.2f} to {step.end:.2f} s", *step.notes)

# %%
# Moments from Newton's and Euler's equations act on the distal segment, by the proximal one.
# ``clinical_curves`` has them under clinical names: along the joint's own axes (Grood and Suntay),
# per kilogram.

loads = {"foot_left": ground.plates["left"]}
result = jw.gait.segment_wrenches(
    limbs.times, limbs.segments("left"), loads, (0, 0, -9.81), cutoff=6.0
)
curves = jw.gait.clinical_curves(result.per_mass(person.mass), frame="joint")
stance = (limbs.times > 1.25) & (limbs.times < 2.02)
for name in ("hip_left_abduction_moment", "knee_left_abduction_moment"):
    print(f"{name}: up to {curves[name][stance].max():.2f} N m/kg")

# %%
# Both legs in the browser.  What acts on a foot is known from the toe-off before its step on the
# plate to the end of that step; elsewhere no joint wrench of the leg is drawn.

other = jw.gait.segment_wrenches(
    limbs.times,
    limbs.segments("right"),
    {"foot_right": ground.plates["right"]},
    (0, 0, -9.81),
    cutoff=6.0,
)
for own, (start, end) in ((result, (0.79, 2.02)), (other, (0.17, 1.41))):
    known = (limbs.times > start) & (limbs.times < end)
    own.joint_wrenches_in_laboratory[~known] = float("nan")
jw.pictures.interactive_view(
    limbs.segments("left") + limbs.segments("right"),
    limbs.times,
    [result, other],
    ground=[ground.plates["left"], ground.plates["right"]],
    joints=[*limbs.centers],
    markers=markers,
    up="z",
    speed=0.5,
)

# %%
# By a model of OpenSim
# ---------------------
#
# The motion can also consist of the coordinates of a model that fit the markers best; the moments
# then come from the model's dynamics.  The file above was made from this trial, on a treadmill with
# two plates.  Its file has rounded times, so they are given here.

import numpy as np

folder = jw.example_data("whole_trial")
model = jw.musculoskeletal.read_osim(folder / "subject01.osim")
loads = jw.recordings.read_external_loads(folder / "walk_grf.xml")
feet = [jw.ExternalWrench(model.system, load.body, load.name) for load in loads]
fitted = jw.inverse_kinematics(
    model,
    jw.recordings.read_trc(folder / "walk.trc").in_metres(),
    weights=jw.musculoskeletal.read_tracking_tasks(folder / "setup_ik.xml").weights,
    times=np.arange(151) / 60,
    smoothing=jw.signals.Smoothing(cutoff=6.0),
)

# %%
# Names and signs of the curves are the same, whatever the model calls its coordinates, and however
# it counts them.

pushes = {}
for foot, load in zip(feet, loads, strict=True):
    pushes |= foot.specifieds(load.plate.filtered(6.0).at(fitted.times))
idyn = model.inverse_dynamics()
numbers = {symbol: model.constants[symbol] for symbol in idyn.constants}
result = idyn.compile()(fitted.motion, constants=numbers, specifieds=pushes)
by_model = jw.gait.clinical_curves(result.per_mass(72.6), frame="joint")
units = {"moment": "N m/kg", "power": "W/kg"}
jw.gait.plot_gait_report(by_model, joints=["hip_r", "knee_r", "ankle_r"], units=units)
