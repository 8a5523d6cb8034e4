"""Contact force of the knee
=========================

Joint contact force over a step, with and without muscles, and its uncertainty.

A joint force of inverse dynamics is a resultant: muscles pull the bones together, so the cartilage
carries more.  A walking trial of OpenSim's pipeline (``jw.example_data("SOURCE.md")``), with the 18
muscles of its model, is the example.  This script

1. finds the coordinates that fit the markers, and applies the plates' loads to the feet,
2. computes muscle forces with the smallest sum of squared activations, for all instants together;
   there is a weak reserve motor at each joint, and strong ones at the pelvis, which no muscle
   connects to ground,
3. separates the force between the bones from the muscle forces on the shank,
4. draws random values of all systematic errors 100 times, and repeats the computation:

   * a displacement of each marker on the body by 10 mm along each axis,
   * 1 % of each plate's gain, 5 mm of its centre of pressure, forwards and sideways,
   * 10 % of each mass, mass centre position and moment of inertia,
   * 20 % of each muscle's strength, on which the distribution depends,

5. plots the force along the shank with two standard deviations, and the muscle forces.

The bands do not include the choice of the criterion, errors of moment arms, and the dependence of
muscle strength on length.  These matter more: instrumented prostheses measure 2 to 3 times the
body's weight in walking [1]_; this criterion with this model gives more, as does OpenSim's
StaticOptimization.

.. [1] B. J. Fregly, T. F. Besier, D. G. Lloyd, S. L. Delp, S. A. Banks, M. G. Pandy, D. D. D'Lima,
    Grand challenge competition to predict in vivo knee loads, J. Orthop. Res. 30 (2012), 503-513.
"""

import sys
from pathlib import Path

import numpy as np

import jointwrench as jw

try:
    import matplotlib.pyplot as plt
except ImportError:
    sys.exit("This example needs matplotlib: pip install '.[plot]'")

CUTOFF = 6.0  # Hz
RATE = 60.0  # frames per second
MISPLACED = 0.010  # m, along each axis of the body
GAIN, CENTER_OF_PRESSURE = 0.01, 0.005  # -, m
SEGMENTS, STRENGTHS = 0.10, 0.20
DRAWS = 100
KNEE = "knee_r"


class Step:
    """The trial: model, motion, plates, muscles."""

    def __init__(self):
        data = jw.example_data("whole_trial")
        self.model = jw.musculoskeletal.read_osim(data / "subject01.osim", symbolic=True)
        markers = jw.recordings.read_trc(data / "walk.trc").in_metres()
        self.fitted = jw.inverse_kinematics(
            self.model,
            markers,
            weights=jw.musculoskeletal.read_tracking_tasks(data / "setup_ik.xml").weights,
            times=np.arange(len(markers.times)) / RATE,
            smoothing=jw.signals.Smoothing(cutoff=CUTOFF),
        )
        self.motion = self.fitted.motion
        self.plates = {}
        self.specifieds = {}
        for load in jw.recordings.read_external_loads(data / "walk_grf.xml"):
            reaction = jw.ExternalWrench(self.model.system, load.body, load.name)
            plate = load.plate.filtered(CUTOFF).at(self.motion.times)
            self.plates[load.name] = reaction.symbols, plate
            self.specifieds |= reaction.specifieds(plate)
        self.driven = jw.musculoskeletal.MuscleDriven(self.model)
        self.reserves = {
            name: 1000.0 if name.startswith("pelvis") else 10.0 for name in self.model.coordinates
        }
        own = self.driven.inverse_dynamics
        self.states = [own.coordinates, own.speeds, own.accelerations]
        self.constants = {s: self.model.constants[s] for s in own.constants}
        masses = [x for s, x in self.constants.items() if s.name.startswith("m_")]
        self.body_weight = 9.81 * sum(masses)

    def forces(self, changes=None, strengths=None):
        """Return muscle forces after changes of the nominal values, by symbol."""
        changes = changes or {}
        given = [self.motion.q, self.motion.u, self.motion.udot]
        motion = [
            np.stack([x + changes.get(s, 0) for s, x in zip(symbols, values.T, strict=True)], -1)
            for symbols, values in zip(self.states, given, strict=True)
        ]
        constants, specifieds = (
            {s: x + changes.get(s, 0) for s, x in likely.items()}
            for likely in (self.constants, self.specifieds)
        )
        return jw.musculoskeletal.static_optimization(
            self.driven,
            motion,
            constants=constants,
            specifieds=specifieds,
            reserves=self.reserves,
            strengths=strengths,
        )

    def causes(self):
        """Return the effect of one standard deviation of each error on the inputs."""
        causes = list(self.fitted.misplaced(MISPLACED).values())
        for symbols, plate in self.plates.values():
            fx, fy, fz = plate.force.T
            mx, my, mz = symbols[3:]
            causes.append({s: GAIN * self.specifieds[s] for s in symbols})
            causes.append({my: -CENTER_OF_PRESSURE * fz, mz: CENTER_OF_PRESSURE * fy})
            causes.append({mx: -CENTER_OF_PRESSURE * fy, my: CENTER_OF_PRESSURE * fx})
        causes += [{s: SEGMENTS * abs(x)} for s, x in self.constants.items()]
        return causes


def pressure(result):
    """Return the force that presses thigh and shank together, along the shank."""
    return -result.joint_wrench(KNEE)[..., 1]


def drawn(step):
    """Return knee forces with and without muscles, all drawn anew, (2, draws, times)."""
    rng = np.random.default_rng(20261122)
    causes, count = step.causes(), len(step.driven.geometry.muscles)
    found = []
    for _ in range(DRAWS):
        changes = {}
        for error, cause in zip(rng.normal(size=len(causes)), causes, strict=True):
            for symbol, change in cause.items():
                changes[symbol] = changes.get(symbol, 0) + error * change
        strengths = np.exp(STRENGTHS * rng.normal(size=count))
        forces = step.forces(changes, strengths)
        found.append([pressure(forces.result), pressure(forces.without)])
    return np.moveaxis(found, 1, 0)


def main(picture=None):
    """Return the muscle forces, the knee's force with muscles and without, and what was drawn."""
    step = Step()
    found = step.forces()
    print(found)
    draws = drawn(step)
    deviations = draws.std(axis=1, ddof=1)
    likely = [pressure(found.result), pressure(found.without)]
    print(f"\nforce along the shank in the {KNEE}, in body weights")
    for name, force, deviation in zip(("with", "without"), likely, deviations, strict=True):
        row = np.argmax(force)
        most, sure = (x[row] / step.body_weight for x in (force, deviation))
        print(f"  {name:7} muscles: at most {most:.2f} +- {sure:.2f}")
    if picture is not None:
        save(picture, step, found, likely, deviations)
    return found, likely, deviations


def save(picture, step, found, likely, deviations):
    """Save the picture."""
    times = step.motion.times
    plt.style.use("jointwrench.figures")
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.4))
    names, colors = ("between the bones", "resultant, muscles included"), ("C4", "C0")
    for name, force, deviation, color in zip(names, likely, deviations, colors, strict=True):
        ends = [(force + sign * 2 * deviation) / step.body_weight for sign in (-1, 1)]
        left.fill_between(times, *ends, color=color, alpha=0.3, linewidth=0)
        left.plot(times, force / step.body_weight, color=color, label=name)
    left.set(
        xlabel="time / s",
        ylabel="force ± 2 standard deviations / body weight",
        title="right knee: on the shank, by the thigh, down along the shank",
    )
    own = [k for k, name in enumerate(found.muscles) if name.endswith("_r")]
    largest = sorted(own, key=lambda k: -found.forces[:, k].max())[:6]
    for k in largest:
        right.plot(times, found.forces[:, k], label=found.muscles[k].removesuffix("_r"))
    right.set(
        xlabel="time / s",
        ylabel="pull of the muscle / N",
        title="the six strongest muscles of the right leg",
    )
    for ax, columns in ((left, 1), (right, 3)):
        ax.grid()
        ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.15), ncols=columns)
    figure.savefig(picture)
    plates = [plate for _, plate in step.plates.values()]
    options = {"ground": plates, "joints": [KNEE], "speed": 0.3, "title": "Knee contact force"}
    view = jw.pictures.interactive_view(step.model, step.motion, found.result, **options)
    view.save(Path(picture).with_suffix(".html"))
    print(f"\nSaved {Path(picture).name}")


if __name__ == "__main__":
    main("knee_contact.png")
