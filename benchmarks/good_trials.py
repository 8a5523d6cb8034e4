"""How often each check of a walking trial is wrong, and which faults it finds.

Good trials are made by variation of the example (and of C3D files that are given):
``python benchmarks/good_trials.py [walk.c3d ...]``.  A check that doubts or refuses one of them is
wrong there; a fault is found where a check says so.  Energy errors are those of the leg.
"""

import sys
import warnings
from collections import Counter, defaultdict
from dataclasses import replace

import numpy as np
from scipy.spatial.transform import Rotation

import jointwrench as jw
from jointwrench.gait import GaitTrial, gait_report
from jointwrench.recordings import Event, ForcePlate, Markers

SEED = 20261126


class Trial:
    """Markers in metres, plates, events, mass, height and measures of a person."""

    def __init__(self, markers, plates, events, person):
        self.markers, self.plates, self.events, self.person = markers, plates, events, person

    @classmethod
    def read(cls, path):
        file = jw.recordings.read_c3d(path)
        known = file.subject.measures
        measures = {"knee_width": 0.1, "ankle_width": 0.07}
        if "LLegLength" in known:
            names = {"leg_length": "LLegLength", "knee_width": "LKneeWidth"}
            names |= {"ankle_width": "LAnkleWidth"}
            measures = {name: known[word] / 1000 for name, word in names.items()}
        person = {"mass": file.subject.mass, "height": file.subject.height, **measures}
        return cls(file.markers.in_metres(), file.plates, file.events, person)

    def report(self):
        """Return the failed checks by verdict, and the energy errors."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            trial = GaitTrial(self.markers, self.plates, self.events)
            try:
                found = gait_report(trial, audit="warn", **self.person)
            except ValueError as error:
                return [f"refused: {error}"[:70]], [], []
        checks = found.audits[0].checks
        errors = [c.energy_error for c in found.cycles if np.isfinite(c.energy_error)]
        return [c.name for c in checks if c.verdict != "ok"], [c.name for c in checks], errors

    def moved(self, change, names=None):
        """Return the trial with markers changed by a function of their positions (N, 3)."""
        places = self.markers.positions.copy()
        for k, name in enumerate(self.markers.names):
            if names is None or name in names:
                places[:, k] = change(places[:, k])
        return Trial(replace(self.markers, positions=places), self.plates, self.events, self.person)

    def loaded(self, change, plates=None, **sizes):
        """Return the trial with (the first) plates changed by a function of force and moment."""
        count, plates = plates, []
        for k, p in enumerate(self.plates):
            if count is not None and k >= count:
                plates.append(p)
                continue
            force, moment = change(p.force.copy(), p.moment.copy())
            plates.append(ForcePlate(p.times, force, moment, None, p.vertical, p.corners))
        return Trial(self.markers, plates, self.events, {**self.person, **sizes})


# -- good trials ---------------------------------------------------------------------------------


def turned(trial, angle):
    axes = Rotation.from_euler("z", angle, degrees=True).as_matrix()
    plates = [plate.turned(axes) for plate in trial.plates]
    return Trial(trial.markers.turned(axes), plates, trial.events, trial.person)


def similar(trial, size):
    """A person of another size who walks in the same way: times go with the root of lengths."""
    slow, mass = np.sqrt(size), size**3
    markers = replace(trial.markers, times=trial.markers.times * slow)
    markers = replace(markers, positions=markers.positions * size)
    plates = [
        ForcePlate(
            p.times * slow, p.force * mass, p.moment * mass * size, None, p.vertical,
            p.corners * size,
        )
        for p in trial.plates
    ]  # fmt: skip
    events = [Event(e.time * slow, e.label, e.side) for e in trial.events]
    person = {n: x * (mass if n == "mass" else size) for n, x in trial.person.items()}
    return Trial(markers, plates, events, person)


def resampled(trial, rate):
    times = np.arange(trial.markers.times[0], trial.markers.times[-1], 1 / rate)
    old, places = trial.markers.times, trial.markers.positions.reshape(len(trial.markers.times), -1)
    rows = np.stack([np.interp(times, old, x) for x in places.T], axis=-1)
    markers = Markers(times, trial.markers.names, rows.reshape(len(times), -1, 3), {"Units": "m"})
    return Trial(markers, trial.plates, trial.events, trial.person)


def good(trial, rng):
    """Yield good trials by name: whole ones, and such with errors as good laboratories have."""
    yield "itself", trial
    for angle in (77, 180, 301):
        yield f"turned by {angle} degrees", turned(trial, angle)
    for size in (0.6, 0.75, 0.9, 1.1):
        yield f"size {size:g}", similar(trial, size)
    for rate in (60, 120, 200):
        yield f"{rate} Hz", resampled(trial, rate)
    yield "without events", Trial(trial.markers, trial.plates, (), trial.person)
    for k in range(4):
        yield f"noise of 1 mm, {k}", trial.moved(lambda x: x + 0.001 * rng.normal(size=x.shape))
        yield f"markers 5 mm away, {k}", trial.moved(lambda x: x + 0.005 * rng.normal(size=3))
    for amount in (-0.03, 0.03):
        yield (
            f"mass {amount:+.0%}",
            trial.loaded(lambda f, m: (f, m), mass=trial.person["mass"] * (1 + amount)),
        )
        yield (
            f"gain {amount / 3:+.0%}",
            trial.loaded(lambda f, m, a=amount: (f * (1 + a / 3), m * (1 + a / 3))),
        )
    yield (
        "plates with noise of 2 N",
        trial.loaded(
            lambda f, m: (f + 2 * rng.normal(size=f.shape), m + 0.2 * rng.normal(size=m.shape))
        ),
    )
    skin = {n for n in trial.markers.names if n[1:] in ("THI", "TIB", "KNE")}
    sway = 0.008 * np.sin(2 * np.pi * trial.markers.times)[:, None]
    yield "skin that moves by 8 mm", trial.moved(lambda x: x + sway, skin)


def at_rate(trial, factor):
    """Return the trial of a file whose rate is wrong by a factor."""
    markers = replace(trial.markers, times=trial.markers.times / factor)
    plates = [
        ForcePlate(p.times / factor, p.force, p.moment, None, p.vertical, p.corners)
        for p in trial.plates
    ]
    events = [Event(e.time / factor, e.label, e.side) for e in trial.events]
    return Trial(markers, plates, events, trial.person)


def filtered_at(times, cutoff):
    """Return a low-pass filter of a marker without gaps; others stay as they are."""

    def change(places):
        whole = np.isfinite(places).all()
        return jw.signals.butterworth(times, places, cutoff) if whole else places

    return change


# -- faults --------------------------------------------------------------------------------------


def faults(trial):
    """Yield faulty trials by name."""
    way = int(np.abs(np.ptp(np.nanmean(trial.markers.positions, axis=1), axis=0)[:2]).argmax())

    def shear(axis):
        return lambda f, m: (f * np.where(np.arange(3) == axis, -1, 1), m)

    def later(seconds):
        def change(f, m):
            rows = round(seconds / np.median(np.diff(trial.plates[0].times)))
            return np.roll(f, rows, axis=0), np.roll(m, rows, axis=0)

        return change

    yield "lateral shear reversed", trial.loaded(shear(1 - way))
    yield "shear along the walk reversed", trial.loaded(shear(way))
    for seconds in (-0.04, -0.02, -0.01, 0.01, 0.02, 0.04):
        yield f"plates {seconds:+g} s", trial.loaded(later(seconds))
    for share in (0.85, 1.15):
        yield (
            f"mass times {share:g}",
            trial.loaded(lambda f, m: (f, m), mass=trial.person["mass"] * share),
        )
        if "leg_length" in trial.person:
            length = trial.person["leg_length"] * share
            yield (
                f"leg length times {share:g}",
                trial.loaded(lambda f, m: (f, m), leg_length=length),
            )
    for by in ([0.05, 0, 0], [0, 0.05, 0]):
        yield f"plates {by} m away", trial.loaded(lambda f, m, by=by: (f, m + np.cross(by, f)))
    ahead = np.eye(3)[way]
    for metres in (-0.03, -0.02, 0.02, 0.03):
        yield (
            f"a plate {metres:+g} m along",
            trial.loaded(lambda f, m, by=metres * ahead: (f, m + np.cross(by, f)), plates=1),
        )
    yield "a gain of 0.9", trial.loaded(lambda f, m: (0.9 * f, 0.9 * m), plates=1)
    for factor in (1 / 1.2, 1.2):
        yield f"rate times {factor:.2f}", at_rate(trial, factor)
    yield (
        "half a knee's width",
        trial.loaded(lambda f, m: (f, m), knee_width=trial.person["knee_width"] / 2),
    )
    high = {n for n in trial.markers.names if n[1:] in ("ASI", "PSI")}
    yield "hips 2 cm too high", trial.moved(lambda x: x + np.array([0, 0, 0.02]), high)
    yield "markers filtered at 1 Hz", trial.moved(filtered_at(trial.markers.times, 1.0))
    yield "a knee marker 3 cm too high", trial.moved(lambda x: x + np.array([0, 0, 0.03]), {"RKNE"})
    yield "moments of the other sign", trial.loaded(lambda f, m: (f, -m))


def main(paths):
    rng = np.random.default_rng(SEED)
    wrong, made, energies, number = Counter(), Counter(), [], 0
    found = defaultdict(list)
    for path in paths:
        trial = Trial.read(path)
        for name, one in good(trial, rng):
            failed, checks, errors = one.report()
            wrong.update(failed)
            made.update(checks)
            energies += errors
            number += 1
            if failed:
                print(f"  good, but doubted: {path.name}, {name}: {', '.join(failed)}")
        for name, one in faults(trial):
            failed, _, errors = one.report()
            found[name].append((failed, errors))
    print(f"\n{number} good trials of {len(paths)} files; energy error of the leg: ", end="")
    print(f"{min(energies):.1f} to {max(energies):.1f} %, median {np.median(energies):.1f} %\n")
    for check, count in made.items():
        print(f"  {check:28s} wrong in {wrong[check]:2d} of {count}")
    for check in wrong.keys() - made.keys():
        print(f"  {check:28s} in {wrong[check]}")
    print("\nfaults: found by; energy errors")
    for name, own in found.items():
        names = sorted({check for failed, _ in own for check in failed})
        count = sum(bool(failed) for failed, _ in own)
        sizes = ", ".join(f"{x:.1f}" for _, errors in own for x in errors)
        print(f"  {name:30s} {count} of {len(own)}: {', '.join(names) or 'nothing'}; {sizes} %")


if __name__ == "__main__":
    from pathlib import Path

    main([jw.example_data("two_plates.c3d"), *map(Path, sys.argv[1:])])
