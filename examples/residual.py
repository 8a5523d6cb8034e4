"""Reduce the residual of a walking trial
======================================

No external force acts at the pelvis, yet inverse dynamics finds one.  Which errors explain it?

The trial of whole_trial.py: markers, two plates and a scaled model.  This script

1. computes the energy balance: whether gravity, plates and joints supply the energy of every
   segment, and how much the residual wrench at the pelvis would have to supply,
2. finds the smallest changes that remove the residual: of mass centres, masses, marker positions on
   the body, gain and centre of pressure of the plates, each measured in its standard deviation,
3. draws the residuals before and after, and the largest changes.

The residual is removed only if errors of the stated size explain it.  Otherwise the script prints a
warning, and a part of the residual remains.
"""

import sys
import warnings

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
MASSES = 0.10  # of each
CENTERS = 0.010  # m
ENDS = 0.15  # s at both ends, where the filter is inaccurate
MOST = 10  # changes that are shown
TOLERANCE = (5.0, 10.0, 10.0)  # allowed residual of the tilt, forward and upward
UNITS = ("(N m)", "N", "N")
OUTPUTS = ("joint_wrenches", "kinetic_energies", "body_powers")


def read_trial():
    """Return the model, the fitted markers, their motion, and plates by name."""
    model = jw.musculoskeletal.read_osim(DATA / "subject01.osim", symbolic=True)
    markers = jw.recordings.read_trc(DATA / "walk.trc").in_metres()
    fitted = jw.inverse_kinematics(
        model,
        markers,
        weights=jw.musculoskeletal.read_tracking_tasks(DATA / "setup_ik.xml").weights,
        times=np.arange(len(markers.times)) / RATE,
        smoothing=jw.signals.Smoothing(cutoff=CUTOFF),
    )
    motion, plates = fitted.motion, {}
    for load in jw.recordings.read_external_loads(DATA / "walk_grf.xml"):
        reaction = jw.ExternalWrench(model.system, load.body, load.name)
        plates[load.name] = reaction, load.plate.filtered(CUTOFF).at(fitted.times)
    return model, fitted, motion, plates


def causes_of(fitted, plates, inside):
    """Return the effects of misplaced markers and plate errors, at the instants inside."""
    causes = {
        name: {group: change[inside] for group, change in own.items()}
        for name, own in fitted.misplaced(MISPLACED).items()
    }
    for name, (reaction, plate) in plates.items():
        fy = plate.force[inside, 1]
        mz = reaction.symbols[-1]
        wrench = plate.wrench[inside].T
        causes[f"{name} gain"] = dict(zip(reaction.symbols, GAIN * wrench, strict=True))
        causes[f"{name} centre of pressure"] = {mz: CENTER_OF_PRESSURE * fy}
    return causes


def main(picture=None):
    """Return the energy balance before, the reduction, and the balance after."""
    model, fitted, whole, plates = read_trial()
    idyn = model.inverse_dynamics()
    derivatives = ["q", "u", "udot", "constants", "specifieds"]
    evaluate = idyn.compile("generalized_forces", derivatives=derivatives)
    times = fitted.times
    inside = (times > times[0] + ENDS) & (times < times[-1] - ENDS)
    motion = whole.between(times[inside][0], times[inside][-1])
    constants = {s: model.constants[s] for s in idyn.constants}
    specifieds = {}
    for reaction, plate in plates.values():
        values = zip(reaction.symbols, plate.wrench[inside].T, strict=True)
        specifieds |= dict(values)
    segments = {s: MASSES * x for s, x in constants.items() if s.name.startswith("m_")}
    segments |= dict.fromkeys((s for s in constants if s.name[:3] in ("cx_", "cy_")), CENTERS)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        found = jw.propagation.reduce_residual(
            evaluate,
            motion,
            TOLERANCE,
            segments,
            causes=causes_of(fitted, plates, inside),
            constants=constants,
            specifieds=specifieds,
        )
    print(found)
    for warning in told:
        print(warning.message)
    largest = sorted(found.changes, key=lambda name: -abs(found.changes[name]))
    print("\nlargest changes, in stated standard deviations, with their uncertainty")
    for name in largest[:MOST]:
        print(f"  {name:32} {found.changes[name]:5.2f} +- {found.deviations[name]:.2f}")
    energies, mended = idyn.compile(OUTPUTS), (found.motion, found.constants, found.specifieds)
    before, after = (
        energies(moving, constants=numbers, specifieds=loads).energy_balance()
        for moving, numbers, loads in ((motion, constants, specifieds), mended)
    )
    for when, balance in (("before", before), ("after", after)):
        error = balance.errors()["whole"][0]
        print(f"unexplained power, {when}: {error:.1f} % of the peak power")
    if picture is not None:
        save(picture, found, largest[:MOST])
    return before, found, after


def save(picture, found, largest):
    """Save the picture."""
    plt.style.use("jointwrench.figures")
    figure, axes = plt.subplots(len(found.names) + 1, 1, figsize=(9, 9))
    rows = zip(found.names, UNITS, found.before.T, found.after.T, found.tolerance, strict=True)
    for ax, (name, unit, before, after, tolerance) in zip(axes, rows, strict=False):
        ax.axhspan(-2 * tolerance, 2 * tolerance, alpha=0.15, label="± 2 tolerances")
        ax.plot(found.times, before, color="C1", label="before")
        ax.plot(found.times, after, color="black", label="after")
        ax.set_ylabel(f"residual,\n{name.replace('_', ' ')} / {unit}")
    axes[0].legend(loc="center left", bbox_to_anchor=(1, 0.5))
    axes[-2].set_xlabel("time / s")
    changes, known = ([own[name] for name in largest] for own in (found.changes, found.deviations))
    axes[-1].bar(range(len(largest)), changes, yerr=known, capsize=3)
    names = [name.replace("_", " ") for name in largest]
    axes[-1].set_xticks(range(len(largest)), names, rotation=40, ha="right")
    axes[-1].set_ylabel("change /\nstandard deviation")
    figure.savefig(picture)


if __name__ == "__main__":
    main("residual.png")
