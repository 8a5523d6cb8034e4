"""How uncertain are the moments of a walking trial?
=================================================

The joint moments of a walking trial with error bands, and the share of each cause.

This script uses the trial of gait.py.  It propagates the known uncertainties to the moments of hip,
knee and ankle, to first order with exact derivatives, and compares the result with Monte Carlo.
The uncertainties, as one standard deviation, are:

* noise of the markers: 0.03 to 0.14 mm, from a residual analysis of this trial, independent from
  frame to frame; it passes through the filter and both derivatives;
* distances of markers from the joint centres, along x and y each, during the whole trial: hip 10
  mm, because palpations of the greater trochanter scatter by 15 to 20 mm in space [1]_; knee, ankle
  and toe 5 mm, an assumption between that and the 2 mm of [2]_.  A displaced marker changes angles,
  speeds, lengths and segments together, so the whole analysis is repeated with it;
* segment parameters from a table: 10 % of each mass, distance of the mass centre and inertia;
  [2]_ goes up to 20 %;
* force plate: 1 % of the gain (an assumption), and 5 mm of the centre of pressure, the error that
  remains after a correction [3]_.

.. [1] U. Della Croce, A. Leardini, L. Chiari, A. Cappozzo, Human movement analysis using
    stereophotogrammetry, part 4, Gait & Posture 21 (2005), 226-237.
.. [2] J. E. Langenderfer, P. J. Laz, A. J. Petrella, P. J. Rullkoetter, An efficient probabilistic
    methodology for incorporating uncertainty in body segment parameters and anatomical landmarks
    in joint loadings estimated from inverse dynamics, Journal of Biomechanical Engineering 130
    (2008), doi:10.1115/1.2838037.
.. [3] Journal of Biomechanical Engineering 122 (2000), doi:10.1115/1.1289687: 5.8 mm +- 3.7 mm.
"""

import sys
from pathlib import Path

import numpy as np

import jointwrench as jw

try:
    import matplotlib.pyplot as plt
except ImportError:
    sys.exit("This example needs matplotlib: pip install '.[plot]'")

MASS = 67.2  # kg
CUTOFF = 6.0  # Hz
JOINTS = ("hip", "knee", "ankle")
MARKERS = {"shoulder": "RSHO", "hip": "RGTRO", "knee": "RLEK", "ankle": "RLM", "toe": "RMT5"}
DOWN = -np.pi / 2
MISPLACED = {"hip": 0.010, "knee": 0.005, "ankle": 0.005, "toe": 0.005}  # m, along x and y each
SEGMENTS = 0.10  # of masses, distances of mass centres and inertias
GAIN = 0.01
CENTER_OF_PRESSURE = 0.005  # m
STRIDE = slice(0, 2)  # the first two contacts
#: Moments are drawn positive where muscles extend hip or knee or plantarflex the ankle.
SIGNS = {"hip": -1, "knee": 1, "ankle": -1}
TITLES = {
    "hip": "hip extensor,\non the thigh, by the trunk",
    "knee": "knee extensor,\non the shank, by the thigh",
    "ankle": "ankle plantarflexor,\non the foot, by the shank",
}
#: Groups of causes in the figure, by the beginnings of their names, with their colours.
GROUPS = {
    "hip marker": ("C0", ("hip marker",)),
    "knee marker": ("C5", ("knee marker",)),
    "ankle and toe marker": ("C2", ("ankle marker", "toe marker")),
    "centre of pressure": ("C4", ("centre of pressure",)),
    "plate's gain": ("C1", ("gain",)),
    "segment parameters": ("C3", ("m_", "c_", "I_")),
    "marker noise": ("C6", ("measured",)),
}


def read_trial():
    """Return times, marker positions (N, 2) by name, and the force plate, as gait.py does."""
    table = jw.recordings.read_csv(jw.example_data("walking_trial.txt"))
    columns = {name: [f"{label}.PosX", f"{label}.PosY"] for name, label in MARKERS.items()}
    markers = {name: np.stack([table[x], table[y]], -1) for name, (x, y) in columns.items()}
    channels = {"fx": "FP2.ForX", "fy": "FP2.ForY", "mz": "FP2.MomZ"}
    return table.times, markers, jw.recordings.ForcePlate.from_columns(table.times, table, channels)


def coordinates_of(markers):
    """Return the coordinates of the leg over time, by column; NaN where a marker is missing."""
    lines = ("hip", "shoulder", -DOWN), ("hip", "knee", DOWN), ("knee", "ankle", DOWN)
    trunk, thigh, shank, foot = (
        jw.gait.segment_angles(markers[start], markers[end], zero=zero)
        for start, end, zero in (*lines, ("ankle", "toe", 0.0))
    )
    return np.stack([trunk, *markers["hip"].T, thigh - trunk, shank - thigh, foot - shank], -1)


def build_leg(markers):
    """Return the leg with a trunk, with the lengths that the markers show."""
    ends = {"thigh": ("hip", "knee"), "shank": ("knee", "ankle"), "foot": ("ankle", "toe")}
    ends["head_arms_trunk"] = ("hip", "shoulder")
    lengths = {
        row: float(np.nanmean(jw.gait.segment_lengths(markers[a], markers[b])))
        for row, (a, b) in ends.items()
    }
    return jw.gait.planar_leg(1.75, MASS, lengths=lengths, trunk=True)  # the height has no effect


class Trial:
    """The walking trial: model, motion, force plate and evaluator."""

    def __init__(self):
        self.times, self.markers, plate = read_trial()
        self.steps = plate.contacts(threshold=30.0)
        leg = build_leg(self.markers)
        reaction = jw.ExternalWrench(leg.chain, "foot", "plate", components="fx fy mz")
        self.idyn = jw.InverseDynamics(leg.chain.system)
        self.constants = leg.constants_of(self.idyn)
        self.leg, self.plate = leg, plate.filtered(CUTOFF)
        self.motion = self.motion_of(self.markers)
        self.fx, self.fy, self.mz = reaction.symbols
        self.specifieds = reaction.specifieds(self.plate)

    def motion_of(self, markers):
        """Return the smoothed motion of markers."""
        options = {"cutoff": CUTOFF, "gaps": "fill", "max_gap": 0.1}
        raw = coordinates_of(markers)
        return jw.Trajectory.from_samples(self.times, raw, idyn=self.idyn, **options)

    def constants_of(self, markers):
        """Return lengths and segment parameters that follow from markers."""
        values = {str(symbol): value for symbol, value in build_leg(markers).constants.items()}
        return {symbol: values[str(symbol)] for symbol in self.constants}

    # -- what is uncertain --------------------------------------------------------

    def segments(self):
        """Return standard deviations of the segment parameters."""
        kinds = ("m_", "c_", "I_")
        known = self.constants.items()
        return {symbol: SEGMENTS * x for symbol, x in known if str(symbol).startswith(kinds)}

    def noise(self):
        """Return the covariance of the coordinates by the noise of the markers, in each frame."""
        base = coordinates_of(self.markers)
        whole = slice(60, None)  # the longest part without gaps
        covariance = np.zeros((*base.shape, base.shape[1]))
        for name, places in self.markers.items():
            analysis = jw.signals.residual_analysis(self.times[whole], places[whole])
            for axis, size in enumerate(analysis.noise):
                change = coordinates_of(shifted(self.markers, name, axis, size)) - base
                covariance += change[:, :, None] * change[:, None, :]
        return covariance

    def causes(self):
        """Return the effects of misplaced markers and of plate errors on the inputs."""
        fx, fy, mz = (self.specifieds[symbol] for symbol in (self.fx, self.fy, self.mz))
        causes = {
            "gain": {self.fx: GAIN * fx, self.fy: GAIN * fy, self.mz: GAIN * mz},
            "centre of pressure": {self.mz: CENTER_OF_PRESSURE * fy},
        }
        for name, size in MISPLACED.items():
            for axis, letter in enumerate("xy"):
                moved = shifted(self.markers, name, axis, size)
                causes[f"{name} marker {letter}"] = self.change(moved)
        return causes

    def change(self, markers):
        """Return by how much other markers change the inputs."""
        states, constants = self.motion_of(markers), self.constants_of(markers)
        changes = {k: getattr(states, k) - getattr(self.motion, k) for k in ("q", "u", "udot")}
        return {**changes, **{s: constants[s] - self.constants[s] for s in constants}}


def shifted(markers, name, axis, size):
    """Return the markers with one of them displaced."""
    return {**markers, name: markers[name] + size * np.eye(2)[axis]}


def moments_of(result, joint):
    """Return the moment of the muscles at a joint in N m/kg."""
    return SIGNS[joint] * result.per_mass(MASS).joint_wrench(joint, components="mz")


def shares_of(found, joint):
    """Return the share of each group in the variance of a moment, in percent."""
    index = [each.name for each in found.result.joints].index(joint)
    contributions = found.contributions["joint_wrenches"].items()
    variances = {name: own[:, index, 5] for name, own in contributions}
    total = sum(variances.values())
    return {
        group: 100 * sum(own for name, own in variances.items() if name.startswith(starts)) / total
        for group, (_, starts) in GROUPS.items()
    }


def main(folder, draws=2000):
    """Run the whole example; return the results of first order and of Monte Carlo."""
    trial = Trial()
    derivatives = ["q", "u", "udot", "constants", "specifieds"]
    evaluate = trial.idyn.compile("joint_wrenches", derivatives=derivatives)
    given = {
        "standard_deviations": trial.segments(),
        "covariances": {"measured": trial.noise()},
        "causes": trial.causes(),
        "constants": trial.constants,
        "specifieds": trial.specifieds,
    }
    found = jw.propagation.uncertainty(evaluate, trial.motion, **given)
    plain = trial.idyn.compile("joint_wrenches")
    drawn = jw.propagation.uncertainty(
        plain, trial.motion, **given, method="monte_carlo", samples=draws, seed=1
    )
    stride = [start for start, _ in trial.steps[STRIDE]]
    print("Largest moments of a stride in N m/kg, with one standard deviation\n")
    print("         moment   first order   Monte Carlo   of the peak itself")
    inside = (trial.motion.times >= stride[0]) & (trial.motion.times <= stride[1])
    for joint in JOINTS:
        moments = moments_of(found.result, joint)[inside]
        row = np.argmax(moments)
        sizes = [abs(moments_of(x.standard_deviation, joint)[inside][row]) for x in (found, drawn)]
        peaks = moments_of(drawn.draws, joint)[:, inside].max(axis=-1).std(ddof=1)
        print(f"{joint:6} {moments[row]:8.2f} {sizes[0]:13.3f} {sizes[1]:13.3f} {peaks:15.3f}")
    save(folder, trial, found, drawn, stride)
    return found, drawn


def save(folder, trial, found, drawn, stride):
    """Save the picture."""
    plt.style.use("jointwrench.figures")
    options = {"sharex": True, "sharey": "row", "height_ratios": (3, 2)}
    figure, axes = plt.subplots(2, 3, figsize=(11, 6.2), **options)
    percent = np.linspace(0, 100, 101)

    def cycle(values):
        return jw.normalise_cycles(trial.motion.times, values, stride)[0]

    for joint, (top, bottom) in zip(JOINTS, axes.T, strict=True):
        moment = cycle(moments_of(found.result, joint))
        deviation = np.abs(cycle(moments_of(found.standard_deviation, joint)))
        ends = [cycle(moments_of(drawn.quantile(level), joint)) for level in (0.0228, 0.9772)]
        top.axhline(0, color="0.8", linewidth=0.8, zorder=0)
        band = top.fill_between(
            percent, moment - 2 * deviation, moment + 2 * deviation, color="C0", alpha=0.3
        )
        band.set(linewidth=0, label="± 2 standard deviations, first order")
        top.plot(percent, moment, color="black", label="moment")
        for end, label in zip(ends, ("quantiles 2.3 % and 97.7 %, Monte Carlo", None), strict=True):
            top.plot(percent, end, color="C4", linestyle="--", linewidth=0.9, label=label)
        top.set_title(TITLES[joint])
        shares = shares_of(found, joint)
        bottom.stackplot(
            percent,
            *(np.clip(cycle(share), 0, 100) for share in shares.values()),
            colors=[color for color, _ in GROUPS.values()],
            labels=list(shares),
            edgecolor="white",
            linewidth=0.4,
        )
        bottom.set(xlim=(0, 100), ylim=(0, 100), xlabel="gait cycle / %")
    axes[0, 0].set_ylabel("moment / (N m/kg)")
    axes[1, 0].set_ylabel("share of the variance / %")
    strike, off = trial.steps[STRIDE][0]
    for ax in axes[0]:
        ax.axvspan(0, 100 * (off - strike) / np.ptp(stride), color="0.9", zorder=-1)
    for (ax, *_), place, columns in zip(axes, ("upper", "lower"), (3, 4), strict=True):
        known = ax.get_legend_handles_labels()
        figure.legend(*known, loc=f"outside {place} center", ncols=columns)
    figure.savefig(folder / "uncertain_gait.png")
    options = {"constants": trial.leg.constants, "joints": JOINTS, "ground": trial.plate}
    view = jw.pictures.interactive_view(trial.leg.chain, trial.motion, found.result, **options)
    view.save(folder / "uncertain_gait.html")
    print("\nSaved uncertain_gait.png")


if __name__ == "__main__":
    main(Path.cwd())
