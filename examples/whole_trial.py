"""A whole walking trial with error bars
=====================================

From markers and plates to coordinates and joint moments with their uncertainty.

A trial of OpenSim's pipeline: 41 markers, two force plates, a model with ten coordinates that was
scaled to the person (its source: ``jw.example_data("SOURCE.md")``).  This script

1. finds the coordinates that fit the markers best, with the weights of OpenSim's set-up file,
2. applies the plates' loads to the feet and computes the generalized forces,
3. computes the residual at the pelvis, where no external force acts: it shows how well markers,
   plates and masses agree (and the error of the filter at the ends),
4. propagates these uncertainties, given as one standard deviation, to every moment, to first order
   with exact derivatives:

   * noise of each marker, from a residual analysis of this trial, independent from frame to frame;
     it passes through least squares, the filter and both derivatives,
   * a displacement of each marker on the body by 10 mm along each axis, during the whole trial:
     soft tissue moves by this much or more [1]_,
   * 1 % of each plate's gain, 5 mm of its centre of pressure, forwards and sideways,
   * 10 % of each mass, mass centre position and moment of inertia,

5. draws moments with bands of two standard deviations, and the share of each cause.

.. [1] A. Leardini, L. Chiari, U. Della Croce, A. Cappozzo, Human movement analysis using
    stereophotogrammetry, part 3: soft tissue artifact assessment and compensation, Gait &
    Posture 21 (2005), 212-225.
"""

import sys
from pathlib import Path

import numpy as np

import jointwrench as jw

try:
    import matplotlib.pyplot as plt
except ImportError:
    sys.exit("This example needs matplotlib: pip install '.[plot]'")

DATA = jw.example_data("whole_trial")
CUTOFF = 6.0  # Hz
RATE = 60.0  # frames per second, which the file rounds
MISPLACED = 0.010  # m, along each axis of the body
GAIN = 0.01
CENTER_OF_PRESSURE = 0.005  # m
SEGMENTS = 0.10
JOINTS = ("hip_flexion_r", "knee_angle_r", "ankle_angle_r")
#: Generalized forces act on the distal segment, by the proximal one, positive in this sense:
TITLES = dict(
    zip(
        JOINTS,
        ("hip flexor moment", "knee extensor moment", "ankle dorsiflexor moment"),
        strict=True,
    )
)
#: Groups of causes in the figure, by the ends of their names.
GROUPS = {
    "markers elsewhere on the body": ("C5", (" x", " y", " z")),
    "segment parameters": ("C3", ("segments",)),
    "centre of pressure": ("C4", ("pressure",)),
    "plates' gain": ("C1", ("gain",)),
    "marker noise": ("C6", ("measured",)),
}


class Trial:
    """The trial: markers, model, motion and plates."""

    def __init__(self):
        self.model = jw.musculoskeletal.read_osim(DATA / "subject01.osim", symbolic=True)
        self.markers = jw.recordings.read_trc(DATA / "walk.trc").in_metres()
        self.weights = jw.musculoskeletal.read_tracking_tasks(DATA / "setup_ik.xml").weights
        self.times = np.arange(len(self.markers.times)) / RATE
        self.noise = {
            name: jw.signals.residual_analysis(self.times, self.markers[name]).noise
            for name in self.weights
        }
        self.fitted = jw.inverse_kinematics(
            self.model,
            self.markers,
            weights=self.weights,
            times=self.times,
            smoothing=jw.signals.Smoothing(cutoff=CUTOFF),
            standard_deviations=self.noise,
        )
        self.motion = self.fitted.motion
        self.specifieds, self.plates = {}, {}
        for load in jw.recordings.read_external_loads(DATA / "walk_grf.xml"):
            reaction = jw.ExternalWrench(self.model.system, load.body, load.name)
            plate = load.plate.filtered(CUTOFF).at(self.times)
            self.plates[load.name] = reaction.symbols, plate
            self.specifieds |= reaction.specifieds(plate)
        self.idyn = self.model.inverse_dynamics()
        self.given = {"constants": self.constants, "specifieds": self.specifieds}

    @property
    def constants(self):
        """The masses, mass centres and moments of inertia on which forces depend."""
        return {s: self.model.constants[s] for s in self.idyn.constants}

    @property
    def pushes(self):
        """The force of both plates together, shape (N,)."""
        return np.linalg.norm(sum(plate.force for _, plate in self.plates.values()), axis=-1)

    def column(self, coordinate):
        """Return the column of a coordinate."""
        return [*self.model.coordinates].index(coordinate)

    # -- what is uncertain --------------------------------------------------------

    def causes(self):
        """Return the effects of misplaced markers, plate errors and segment parameters."""
        causes = self.fitted.misplaced(MISPLACED)
        for name, (symbols, plate) in self.plates.items():
            fx, fy, fz = plate.force.T
            mx, my, mz = symbols[3:]
            causes[f"{name} gain"] = {s: GAIN * self.specifieds[s] for s in symbols}
            for axis, change in (
                ("forward", {my: -CENTER_OF_PRESSURE * fz, mz: CENTER_OF_PRESSURE * fy}),
                ("sideways", {mx: -CENTER_OF_PRESSURE * fy, my: CENTER_OF_PRESSURE * fx}),
            ):
                causes[f"{name} {axis} centre of pressure"] = change
        for symbol, value in self.constants.items():
            causes[f"{symbol} of the segments"] = {symbol: SEGMENTS * abs(value)}
        return causes


def uncertainty(trial):
    """Return how uncertain the generalized forces are."""
    derivatives = ["q", "u", "udot", "constants", "specifieds"]
    evaluate = trial.idyn.compile("generalized_forces", derivatives=derivatives)
    covariances = {"measured": trial.fitted.covariance}
    causes = trial.causes()
    return jw.propagation.uncertainty(
        evaluate, trial.motion, covariances=covariances, causes=causes, **trial.given
    )


def shares_of(found, column):
    """Return the share of each group in the variance of a force, in percent."""
    own = found.contributions["generalized_forces"]
    total = sum(own.values())[:, column]
    return {
        group: 100 * sum(x[:, column] for name, x in own.items() if name.endswith(ends)) / total
        for group, (_, ends) in GROUPS.items()
    }


def main(picture=None):
    """Run the whole trial; return it and how uncertain its forces are."""
    trial = Trial()
    print(trial.fitted)
    found = uncertainty(trial)
    forces, deviations = (x.generalized_forces for x in (found.result, found.standard_deviation))
    residual = np.linalg.norm(forces[:, [trial.column(f"pelvis_t{x}") for x in "xy"]], axis=-1)
    part = 100 * np.sqrt(np.mean(residual**2) / np.mean(trial.pushes**2))
    print(f"residual force at the pelvis: {part:.0f} % of that of the plates (rms)\n")
    print("largest moment of the right leg, and its standard deviation, in N m")
    for name in JOINTS:
        column = trial.column(name)
        row = np.argmax(np.abs(forces[:, column]))
        print(f"  {name:14} {forces[row, column]:7.1f} +- {deviations[row, column]:.1f}")
    if picture is not None:
        save(picture, trial, found, residual)
    return trial, found


def save(picture, trial, found, residual):
    """Save the picture."""
    plt.style.use("jointwrench.figures")
    figure, axes = plt.subplots(2, 4, sharex=True, figsize=(13, 6))
    times = trial.motion.times
    for name, (top, bottom) in zip(JOINTS, axes.T[:3], strict=True):
        column = trial.column(name)
        moment = found.result.generalized_forces[:, column]
        band = 2 * found.standard_deviation.generalized_forces[:, column]
        top.axhline(0, color="0.8", linewidth=0.8, zorder=0)
        top.fill_between(times, moment - band, moment + band, color="C0", alpha=0.3, linewidth=0)
        top.plot(times, moment, color="black")
        top.set_title(TITLES[name])
        bottom.stackplot(
            times,
            *shares_of(found, column).values(),
            colors=[color for color, _ in GROUPS.values()],
            labels=list(GROUPS),
            edgecolor="white",
            linewidth=0.4,
        )
        bottom.set(ylim=(0, 100), xlabel="time / s")
    axes[0, 0].set_ylabel("on the distal segment,\nby the proximal, ± 2 s.d. / (N m)")
    axes[1, 0].set_ylabel("share of the variance / %")
    axes[0, 3].plot(times, trial.pushes, color="0.6", label="by the plates")
    axes[0, 3].plot(times, residual, color="C4", label="residual at the pelvis")
    axes[0, 3].set(title="magnitudes of forces", ylabel="force / N")
    axes[0, 3].set_ylim(0, 1.35 * trial.pushes.max())
    axes[0, 3].legend(loc="upper left")
    axes[1, 3].plot(times, 1000 * trial.fitted.rms, color="black")
    axes[1, 3].set(title="of all markers", ylim=(0, None), xlabel="time / s")
    axes[1, 3].set_ylabel("rms distance / mm")
    known = axes[1, 0].get_legend_handles_labels()
    figure.legend(*known, loc="outside lower center", ncols=len(GROUPS))
    figure.savefig(picture)
    view = jw.pictures.interactive_view(
        trial.model,
        trial.motion,
        ground=[plate for _, plate in trial.plates.values()],
        speed=0.5,
        title="A whole trial",
    )
    view.save(Path(picture).with_suffix(".html"))
    print(f"\nSaved {Path(picture).name}")


if __name__ == "__main__":
    main("whole_trial.png")
