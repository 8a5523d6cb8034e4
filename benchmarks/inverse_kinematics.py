"""How long does inverse kinematics take, and are its error bars right?

The model is Gait2354's skeleton of the tests (23 coordinates), with 39 markers on its bodies, in a
motion of all coordinates, with noise of 2 mm and markers displaced by some 10 mm.  The same model
goes to OpenSim's solver, if it is installed (PyPI: opensim); both use one core.

The error bars are those of the whole trial of the examples: with 10,000 draws of 2 mm noise on all
markers, each solved, filtered and differentiated anew, the standard deviations of the generalized
forces are compared with those of first order.  The same is done for systematic errors, which
`uncertainty` draws itself.
"""

import importlib.util
import os
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from gait2354 import gait2354_text
from timing import best, once, print_table

import jointwrench as jw

ROOT = Path(__file__).parents[1]
MARKERS = {"pelvis": 3, "torso": 6, "femur": 4, "tibia": 5, "calcn": 4, "toes": 2}
FRAMES, RATE = 1000, 100
NOISE, OFF = 0.002, 0.010  # m


def model_text() -> str:
    """Return the model with 39 markers as OpenSim has it."""
    rng = np.random.default_rng(20261122)
    rows = []
    for body, count in MARKERS.items():
        for side in ("",) if body in ("pelvis", "torso") else ("_r", "_l"):
            for k, place in enumerate(rng.uniform(-0.12, 0.12, (count, 3))):
                location = " ".join(f"{x:.4f}" for x in place)
                rows.append(
                    f'<Marker name="{body}{side}{k}"><socket_parent_frame>/bodyset/{body}{side}'
                    f"</socket_parent_frame><location>{location}</location></Marker>"
                )
    markers = f"<MarkerSet><objects>{''.join(rows)}</objects></MarkerSet></Model>"
    return gait2354_text().replace("</Model>", markers)


def record(model: Any) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Return times, and markers by name in a motion of all coordinates."""
    rng = np.random.default_rng(1)
    times = np.arange(FRAMES) / RATE
    sizes = np.array([0.03 if name[-3:-1] == "_t" else 0.3 for name in model.coordinates])
    phases = rng.uniform(0, 2 * np.pi, len(sizes))
    q = sizes * np.sin(2 * np.pi * times[:, None] + phases)
    q[:, :3] *= 0.3
    q[:, 3] += 1.3 * times
    kinematics = model.kinematics(points=model.markers, frames={})
    places = kinematics.compile("positions")(q, 0 * q, 0 * q).positions
    places += OFF * rng.normal(size=places.shape[1:])
    places += NOISE * rng.normal(size=places.shape)
    return times, {name: places[:, k] for k, name in enumerate(kinematics.points)}


def speed(seconds: float) -> None:
    """Print the time of a frame."""
    text = model_text()
    model = jw.musculoskeletal.read_osim(text)
    times, seen = record(model)
    kinematics = model.kinematics(points=model.markers, frames={})

    def solve() -> Any:
        return jw.inverse_kinematics(
            kinematics, seen, model.markers, times=times, standard_deviations=NOISE
        )

    first, found = once(solve)
    assert found.converged.all()
    start = found.q[0]
    rows = [["first call: derive, compile, find a start", f"{first / FRAMES * 1e3:.3f}"]]
    record_of = found.record
    warm = best(lambda: record_of.solved(start[None]), seconds) / FRAMES
    rows.append(["least squares alone", f"{warm * 1e3:.3f}"])
    covariance = once(lambda: found.covariance)[0] / FRAMES
    rows.append(["covariance of the coordinates", f"{covariance * 1e3:.3f}"])
    if importlib.util.find_spec("opensim"):
        part, cost = opensim(text, times[:100], {n: x[:100] for n, x in seen.items()})
        ours = np.nansum(found.residuals[:100] ** 2, axis=1)
        assert (ours <= cost * (1 + 1e-6)).all()
        rows.append(["OpenSim's InverseKinematicsSolver", f"{part * 1e3:.3f}"])
    title = f"{len(model.coordinates)} coordinates, {len(seen)} markers, {FRAMES} frames"
    print_table(title, ("", "ms per frame"), rows)


def opensim(text: str, times: np.ndarray, seen: dict[str, np.ndarray]) -> tuple[float, np.ndarray]:
    """Return OpenSim's time for a frame, and its sums of squares."""
    import opensim as osim

    osim.Logger.setLevelString("Off")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.osim"
        path.write_text(text)
        model = osim.Model(str(path))
        table = osim.TimeSeriesTableVec3()
        table.setColumnLabels([*seen])
        for k, time in enumerate(times):
            row = osim.RowVectorVec3([osim.Vec3(*map(float, x[k])) for x in seen.values()])
            table.appendRow(float(time), row)
        table.addTableMetaDataString("Units", "m")
        table.addTableMetaDataString("DataRate", str(RATE))
        weights = osim.SetMarkerWeights()
        for name in seen:
            weights.cloneAndAppend(osim.MarkerWeight(name, 1.0))
        state = model.initSystem()
        solver = osim.InverseKinematicsSolver(
            model, osim.MarkersReference(table, weights), osim.SimTKArrayCoordinateReference()
        )
        solver.setAccuracy(1e-5)
        state.setTime(float(times[0]))
        solver.assemble(state)
        costs = []

        def track() -> None:
            for time in times:
                state.setTime(float(time))
                solver.track(state)
                costs.append(sum(map(solver.computeCurrentSquaredMarkerError, seen)))

        seconds, _ = once(track)
    return seconds / len(times), np.array(costs)


def example() -> Any:
    """Return the example of a whole trial as a module."""
    path = ROOT / "examples" / "whole_trial.py"
    spec = importlib.util.spec_from_file_location("whole_trial", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def error_bars(draws: int, block: int = 100) -> None:
    """Print how far the standard deviations of forces by first order and by Monte Carlo agree."""
    trial = example().Trial()
    idyn, smoothing = trial.idyn, trial.fitted.smoothing
    options = {"points": trial.model.markers, "weights": trial.weights}
    kinematics = trial.model.kinematics(points=trial.model.markers, frames={})
    found = jw.inverse_kinematics(
        kinematics,
        trial.markers,
        times=trial.times,
        standard_deviations=NOISE,
        smoothing=smoothing,
        **options,
    )
    evaluate = idyn.compile("generalized_forces", derivatives=["q", "u", "udot"])
    motion = found.motion

    def first_order() -> Any:
        covariances = {"measured": found.covariance}
        return jw.propagation.uncertainty(evaluate, motion, covariances=covariances, **trial.given)

    cheap, sure = once(first_order)
    plain = idyn.compile("generalized_forces")
    rng, sums = np.random.default_rng(1), np.zeros((2, *sure.result.generalized_forces.shape))
    places = np.stack([trial.markers[name] for name in found.markers], axis=1)
    count = len(trial.times)
    times = np.arange(block * count) / 60

    def forces(noise: np.ndarray) -> np.ndarray:
        noisy = (places + noise).reshape(-1, *places.shape[1:])
        seen = {name: noisy[:, k] for k, name in enumerate(found.markers)}
        fitted = jw.inverse_kinematics(kinematics, seen, times=times, start=found.q[0], **options)
        columns = fitted.q.reshape(block, count, -1).swapaxes(0, 1)
        smooth = jw.Trajectory.from_samples(
            trial.times, columns.reshape(count, -1), degrees=False, smoothing=smoothing
        )
        states = (getattr(smooth, name) for name in ("q", "u", "udot"))
        states = (x.reshape(columns.shape).swapaxes(0, 1) for x in states)
        return plain(*states, **trial.given).generalized_forces

    dear = 0.0
    for _ in range(draws // block):
        noise = NOISE * rng.normal(size=(block, *places.shape))
        seconds, values = once(lambda noise=noise: forces(noise))
        dear += seconds
        change = values - sure.result.generalized_forces
        sums += np.stack([change.sum(axis=0), (change**2).sum(axis=0)])
    mean, square = sums / draws
    drawn = np.sqrt((square - mean**2) * draws / (draws - 1))
    ratios = (sure.standard_deviation.generalized_forces / drawn).ravel()
    low, middle, high = np.percentile(ratios, [1, 50, 99])
    rows = [
        ["mean ratio", f"{ratios.mean():.4f}"],
        ["percentiles 1, 50, 99", f"{low:.3f} {middle:.3f} {high:.3f}"],
        ["scatter of the draws themselves", f"{1 / np.sqrt(2 * draws):.3f}"],
        ["seconds: first order", f"{cheap:.2f}"],
        ["seconds: draws", f"{dear:.0f}"],
        ["ratio", f"{dear / cheap:.0f}"],
    ]
    title = f"standard deviations of 10 forces at {count} instants: first order / {draws} draws"
    print_table(title, ("", ""), rows)


def lasting_errors(draws: int) -> None:
    """Print the same for systematic errors: of plates, segments and marker positions."""
    whole_trial = example()
    trial = whole_trial.Trial()
    derivatives = ["q", "u", "udot", "constants", "specifieds"]
    evaluate = trial.idyn.compile("generalized_forces", derivatives=derivatives)
    plain = trial.idyn.compile("generalized_forces")
    rows = []
    for group, (_, ends) in whole_trial.GROUPS.items():
        causes = {name: own for name, own in trial.causes().items() if name.endswith(ends)}
        if not causes:  # noise, which has its own table
            continue
        given = {"causes": causes, **trial.given}
        found = jw.propagation.uncertainty(evaluate, trial.motion, **given)
        drawn = jw.propagation.uncertainty(
            plain, trial.motion, method="monte_carlo", samples=draws, seed=1, **given
        )
        first, other = (x.standard_deviation.generalized_forces for x in (found, drawn))
        moved = other > 1e-6 * other.max()
        ratios = first[moved] / other[moved]
        low, middle, high = np.percentile(ratios, [5, 50, 95])
        near = 100 * np.mean(np.abs(ratios - 1) < 0.02)
        rows.append([group, f"{low:.3f} {middle:.3f} {high:.3f}", f"{near:.0f} %"])
    title = f"systematic errors: first order / {draws} draws"
    print_table(title, ("", "percentiles 5, 50, 95", "within 2 %"), rows)


def main(seconds: float = 2.0, draws: int = 10_000) -> None:
    """Print all tables."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    warnings.simplefilter("ignore")
    speed(seconds)
    error_bars(draws)
    lasting_errors(draws)


if __name__ == "__main__":
    main(draws=int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
