"""
A walking leg in the plane
==========================

From the markers and the force plate of a walking trial to the forces, moments and powers of ankle,
knee and hip.  You need no knowledge of sympy.

The trial comes with the package (``jw.example_data``), with a note on its source.
:doc:`/generated/examples/gait` treats the same trial in more detail.
"""

# %%
# Read the trial
# --------------
#
# ``read_csv`` takes tables with a header, ``read_trc``, ``read_c3d`` and ``read_storage`` take
# the files of motion capture systems and OpenSim.

import matplotlib.pyplot as plt
import numpy as np

import jointwrench as jw

table = jw.recordings.read_csv(jw.example_data("walking_trial.txt"))
print(len(table.times), "frames from", table.times[0], "to", table.times[-1], "s")


def marker(name):
    """Return x (forward) and y (up) of a marker over time, shape (N, 2)."""
    return np.stack([table[f"{name}.PosX"], table[f"{name}.PosY"]], axis=-1)


shoulder, hip, knee = marker("RSHO"), marker("RGTRO"), marker("RLEK")
ankle, toe = marker("RLM"), marker("RMT5")

# %%
# The plate measures the force, and the moment about its origin.  Name the channels that it has;
# missing channels are zero.

channels = {"fx": "FP2.ForX", "fy": "FP2.ForY", "mz": "FP2.MomZ"}
plate = jw.recordings.ForcePlate.from_columns(table.times, table, channels)
print("contacts (s):", [(round(a, 2), round(b, 2)) for a, b in plate.contacts(threshold=30.0)])

# %%
# Angles
# ------
#
# Two markers make a segment.  ``zero`` says in which direction a segment points when its angle is
# zero: thigh and shank point down, the trunk points up.  The model takes the angles *between*
# segments; a positive angle swings a hanging segment forward.

down = -np.pi / 2
trunk = jw.gait.segment_angles(hip, shoulder, zero=-down)
thigh = jw.gait.segment_angles(hip, knee, zero=down)
shank = jw.gait.segment_angles(knee, ankle, zero=down)
foot = jw.gait.segment_angles(ankle, toe)
columns = np.stack([trunk, *hip.T, thigh - trunk, shank - thigh, foot - shank], axis=-1)
print("frames with a missing marker:", np.sum(~np.isfinite(columns).all(axis=-1)))

# %%
# A model of this person
# ----------------------
#
# Masses, mass centres and moments of inertia come from Winter's table (or ``de_leva_male``,
# ``de_leva_female``), lengths from the markers.

lengths = {
    "thigh": np.nanmean(jw.gait.segment_lengths(hip, knee)),
    "shank": np.nanmean(jw.gait.segment_lengths(knee, ankle)),
    "foot": np.nanmean(jw.gait.segment_lengths(ankle, toe)),
}
leg = jw.gait.planar_leg(height=1.75, mass=67.2, lengths=lengths, trunk=True)
print([joint.name for joint in leg.chain.joints])

# %%
# The ground exerts a force on the foot.  Declare it before ``InverseDynamics`` reads the model; the
# plate's data follow later.

ground = jw.ExternalWrench(leg.chain, "foot", components="fx fy mz")
idyn = jw.InverseDynamics(leg.chain.system)

# %%
# Smooth and differentiate
# ------------------------
#
# ``Trajectory.from_samples`` fills short gaps, applies a zero-lag Butterworth filter, and computes
# speeds and accelerations.  Filter the plate with the same cutoff; otherwise the joint moments show
# artefacts at impacts.

print(
    "suggested cutoffs (Hz):",
    jw.signals.residual_analysis(table.times[60:], columns[60:, 3:]).cutoff.round(1),
)
motion = jw.Trajectory.from_samples(
    table.times, columns, idyn=idyn, cutoff=6.0, gaps="fill", max_gap=0.1
)
plate = plate.filtered(6.0)

# %%
# Forces, moments and powers
# --------------------------

evaluate = idyn.compile()
result = evaluate(motion, constants=leg.constants_of(idyn), specifieds=ground.specifieds(plate))

# %%
# A joint wrench acts **on the distal segment, by the proximal one**, about the joint: that of the
# ankle on the foot, by the shank.  Moments about z are positive where they turn the segment
# forward.  ``clinical_curves`` returns them with clinical names and signs; ``per_mass`` divides by
# the mass.

curves = jw.gait.clinical_curves(result.per_mass(67.2))
print(*curves, sep="\n")
print(f"plantarflexor moment up to {curves['ankle_plantarflexion_moment'].max():.2f} N m/kg")
print(f"power at the ankle up to {curves['ankle_power'].max():.2f} W/kg")

# %%
# ``plot_gait_report`` draws them in the usual layout; matplotlib's ``axvspan`` shades the times at
# which the foot is on the plate.

steps = plate.contacts(threshold=30.0)
axes = jw.gait.plot_gait_report(curves, units={"moment": "N m/kg", "power": "W/kg"})
for ax in axes.flat:
    for start, end in steps:
        ax.axvspan(start, end, color="0.9", zorder=-1)

# %%
# In per cent of a step
# ---------------------
#
# ``normalise_cycles`` cuts curves at given instants and resamples each piece from 0 to 100 %;
# ``Result.over_cycles`` does the same for a whole result.

strikes = [begin for begin, _ in plate.contacts(threshold=30.0)]
steps = jw.normalise_cycles(motion.times, curves["ankle_plantarflexion_moment"], strikes)
print(steps.shape, "largest in each step:", steps.max(axis=-1).round(2))

# %%
# The compression of the knee
# ---------------------------
#
# In the shank's own frame y points up along the shank: the y component is the force along the
# shank, on the shank by the thigh, negative where the thigh presses down.  It is the resultant of
# everything that the knee transmits.  The cartilage carries more, because muscles pull the two
# segments together.

along = result.joint_wrench("knee", components="fy")
print(f"along the shank: {along.min():.0f} to {along.max():.0f} N")

# %%
# A picture of it
# ---------------

fig, ax = plt.subplots(figsize=(9, 5), layout="constrained")
jw.pictures.plot_stick_figure(
    leg.chain,
    motion,
    result,
    ground=plate,
    constants=leg.constants,
    joints=["hip", "knee", "ankle"],
    times=np.linspace(7.25, 7.95, 6),
    spacing=0.6,
    ax=ax,
)

# %%
# An interactive view for the browser; a notebook shows the returned object.

jw.pictures.interactive_view(
    leg.chain,
    motion,
    result,
    ground=plate,
    constants=leg.constants,
    joints=["hip", "knee", "ankle"],
    speed=0.5,
)

# %%
# ``jw.pictures.animate`` takes the same arguments and makes a film.

# %%
# Is it right?
# ------------
#
# ``crosscheck`` simulates the model under the computed forces, with equations that sympy derives.

check = jw.crosscheck(
    idyn,
    motion,
    motion.times[40:61],
    leg.constants_of(idyn),
    specifieds=ground.functions(plate),
)
print(check)

# %%
# No part of the model supplies the wrench in the joint that connects the model to ground, here that
# of the trunk: it is the *residual*.  Here it contains the forces of the other leg; in a model of
# the whole body it shows how well the data and the masses agree.

trunk_joint = leg.chain.joints[0]
residual = result.joint_wrench(trunk_joint, components="fx fy")
print(f"{trunk_joint.name}: up to {np.linalg.norm(residual, axis=-1).max():.0f} N")

# %%
# How uncertain the moments are because of noise, segment tables and the plate:
# :doc:`/recipes/uncertain_moment`.
#
# Save them as a table for other programs, or as a ``pandas.DataFrame`` by
# ``result.to_dataframe()`` (extra ``data``): ``jw.recordings.write_csv("joints.csv", result)``.
