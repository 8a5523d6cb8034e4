"""Which result is right where OpenSim's inverse dynamics and jointwrench differ?

A body on a custom joint whose one, two or three rotations are polynomials of one coordinate, moving
at 2 rad/s without acceleration.  The necessary generalized force is computed by OpenSim's
InverseDynamicsSolver, by Lagrange's equation with OpenSim's own kinetic and potential energy
(differences of fourth order), and by jointwrench.  The acceleration of the mass centre is compared
with the second difference of its positions in OpenSim.  Needs ``pip install opensim``.

``python benchmarks/opensim_turns.py model.osim motion.mot 6`` compares the force on the pelvis
along a motion that is filtered at 6 Hz.  Then it rounds the times of the file to 0.001 s,
and prints how much the forces of OpenSim's InverseDynamicsTool and of jointwrench change.
"""

import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np
import sympy as sp
from scipy.interpolate import CubicSpline

import jointwrench as jw

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "tools"))
from osim_texts import turns_text

Q, U = 0.7, 2.0
CENTER = (0.1, -0.2, 0.05)
STEP = 1e-3
GRAVITY = np.array([0, -9.80665, 0])  # of OpenSim's models

#: Seconds at both ends of a record, which are told apart.
ENDS = 0.2


def slope(function, at):
    """Return the first derivative by differences of fourth order."""
    a, b, c, d = (function(at + k * STEP) for k in (-2, -1, 1, 2))
    return (a - 8 * b + 8 * c - d) / (12 * STEP)


def by_opensim(path):
    """Return the solver's force, Lagrange's force, and the acceleration of the mass centre."""
    import opensim

    opensim.Logger.setLevelString("Error")
    model = opensim.Model(str(path))
    state = model.initSystem()
    coordinate, body = model.getCoordinateSet().get(0), model.getBodySet().get(0)
    down = np.array([model.getGravity().get(k) for k in range(3)])

    def place(q):
        coordinate.setValue(state, q)
        model.realizePosition(state)
        found = body.findStationLocationInGround(state, opensim.Vec3(*CENTER))
        return np.array([found.get(k) for k in range(3)])

    def twice_energy(q):
        """Return twice the kinetic energy at unit speed: the generalized mass."""
        coordinate.setValue(state, q)
        coordinate.setSpeedValue(state, 1.0)
        model.realizeVelocity(state)
        return 2 * model.calcKineticEnergy(state)

    lagrange = 0.5 * slope(twice_energy, Q) * U**2 - slope(lambda q: down @ place(q), Q)
    acceleration = slope(lambda q: slope(place, q), Q) * U**2
    coordinate.setValue(state, Q)
    coordinate.setSpeedValue(state, U)
    model.realizeVelocity(state)
    solved = opensim.InverseDynamicsSolver(model).solve(state, opensim.Vector(1, 0.0))
    return solved.get(0), lagrange, acceleration


def compare(count):
    """Print the results for a number of rotations."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "turns.osim")
        path.write_text(turns_text(count))
        model = jw.musculoskeletal.read_osim(path)
        result = model.inverse_dynamics().compile()([Q], [U], [0.0], constants=model.constants)
        solver, lagrange, acceleration = by_opensim(path)
    print(f"\nrotations by one coordinate: {count}")
    print(f"jointwrench                          {result.generalized_forces[0]:.6f} N m")
    print(f"Lagrange, with OpenSim's own energy  {lagrange:.6f} N m")
    print(f"OpenSim's InverseDynamicsSolver      {solver:.6f} N m")
    own = result.acceleration(model.bodies["b"].masscenter)
    print("mass centre, from second difference of OpenSim's positions:", end=" ")
    print(f"{np.abs(own - acceleration).max():.0e} m/s^2")


def by_tool(model, motion, cutoff=-1.0):
    """Return the generalized forces of OpenSim's InverseDynamicsTool for a motion in a file."""
    import opensim

    opensim.Logger.setLevelString("Error")
    folder = Path(motion).parent
    times = jw.recordings.read_storage(motion).times
    tool = opensim.InverseDynamicsTool()
    tool.setModelFileName(str(model))
    tool.setCoordinatesFileName(str(motion))
    tool.setLowpassCutoffFrequency(cutoff)
    tool.setStartTime(times[0])
    tool.setEndTime(times[-1])
    tool.setExcludedForces(opensim.ArrayStr("ALL", 1))
    tool.setResultsDir(str(folder))
    tool.setOutputGenForceFileName("forces.sto")
    tool.run()
    return jw.recordings.read_storage(folder / "forces.sto")


def at(state, t):
    """Return coordinates a time after a state."""
    q, u, udot = state
    return q + u * t + udot * t**2 / 2


def mass_and_acceleration(path, names, coordinates):
    """Return OpenSim's mass, and the second difference of its mass centre along a motion."""
    import opensim

    model = opensim.Model(str(path))
    state = model.initSystem()
    known = [model.getCoordinateSet().get(name) for name in names]

    def place(t):
        for coordinate, value in zip(known, coordinates(t), strict=True):
            coordinate.setLocked(state, False)
            coordinate.setValue(state, float(value), False)
        model.realizePosition(state)
        center = model.calcMassCenterPosition(state)
        return np.array([center.get(k) for k in range(3)])

    return model.getTotalMass(state), slope(lambda t: slope(place, t), 0.0)


def along(model, path, samples, smooth, folder):
    """Print who has which force on the pelvis along a motion, which is filtered before."""
    names = [*model.coordinates, *model.dependent]
    q = [*model.coordinates.values()]
    whole = sp.lambdify(q, [*q, *model.dependent.values()])
    motion, forces = ours(model, samples, smooth)
    paths = np.stack([x + 0 * motion.times for x in whole(*motion.q.T)], axis=-1)
    file = folder / "smooth.mot"
    jw.recordings.write_storage(file, jw.Table(motion.times, names, paths))
    theirs = by_tool(path, file)
    pelvis = [names.index(f"pelvis_t{axis}") for axis in "xyz"]
    solved = np.stack([theirs[f"{names[k]}_force"] for k in pelvis], axis=-1)
    inside = np.abs(motion.times - motion.times.mean()) < np.ptp(motion.times) / 2 - ENDS
    apart = np.where(inside[:, None], np.abs(solved - forces[:, pelvis]), 0)
    row, axis = np.unravel_index(apart.argmax(), apart.shape)
    state = [x[row] for x in (motion.q, motion.u, motion.udot)]
    mass, acceleration = mass_and_acceleration(path, names, lambda t: whole(*at(state, t)))
    needed = mass * (acceleration - GRAVITY)
    print(f"\nforce {names[pelvis[axis]]} at {motion.times[row]:g} s, where both differ most")
    print(f"jointwrench                                   {forces[row, pelvis[axis]]:.3f} N")
    print(f"mass by second difference of OpenSim's places {needed[axis]:.3f} N")
    print(f"OpenSim's InverseDynamicsTool                 {solved[row, axis]:.3f} N")
    for name in (name for name in names if name.startswith("hip_flexion")):
        change = np.abs(theirs[f"{name}_moment"] - forces[:, names.index(name)])
        print(f"{name}: moments differ by up to {change[inside].max():.3g} N m")


def ours(model, samples, smooth):
    """Return a motion, filtered as OpenSim does, and jointwrench's forces."""
    idyn = model.inverse_dynamics()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of rounded times
        motion = jw.Trajectory.from_samples(
            samples.times, samples, idyn=idyn, degrees=True, filter="opensim", cutoff=smooth
        )
    evaluate = idyn.compile("generalized_forces", backend="numpy")
    known = {s: x for s, x in model.constants.items() if s in evaluate.inputs["constants"]}
    return motion, evaluate(motion, constants=known).generalized_forces


def rounded(model, path, samples, smooth, folder):
    """Print how much forces change where the times of a file are rounded to 0.001 s."""
    theirs, own = [], []
    for times in (samples.times, np.round(samples.times, 3)):
        table = jw.Table(times, samples.names, samples.stacked, samples.header)
        file = folder / "times.mot"
        jw.recordings.write_storage(file, table)
        theirs.append(by_tool(path, file, smooth))
        own.append(ours(model, table, smooth)[1])
    even, other = theirs
    there = CubicSpline(other.times, other.stacked)(even.times)
    rows = (even.times >= other.times[0]) & (even.times <= other.times[-1])
    change = np.abs(there - even.stacked).max(axis=-1)
    middle = np.abs(even.times - even.times.mean()) < np.ptp(even.times) / 2 - ENDS
    print(f"\ntimes rounded to 0.001 s, {smooth:g} Hz: forces change by, in N and N m")
    print(
        f"OpenSim's InverseDynamicsTool  {change[rows & ~middle].max():.3g} at the ends,", end=" "
    )
    print(f"{change[middle].max():.3g} between ({len(even.times)} -> {len(other.times)} instants)")
    print(f"jointwrench                    {np.abs(np.subtract(*own)).max():.3g}")
    columns = [even.names.index(f"pelvis_t{axis}_force") for axis in "xyz"]
    mine = [[*model.coordinates].index(f"pelvis_t{axis}") for axis in "xyz"]
    apart = np.abs(
        own[0][:, mine] - CubicSpline(even.times, even.stacked[:, columns])(samples.times)
    )
    print(f"both on even times: forces on the pelvis differ by up to {apart.max():.3g} N")


def main(path="", motion="", cutoff="6"):
    """Compare on single joints, and on a model and a motion where these are given."""
    for count in () if path else (1, 2, 3):
        compare(count)
    if path:
        model = jw.musculoskeletal.read_osim(path, nonphysical="keep")
        samples = jw.recordings.read_storage(motion)
        with tempfile.TemporaryDirectory() as folder:
            for run in (along, rounded):
                run(model, path, samples, float(cutoff), Path(folder))


if __name__ == "__main__":
    main(*sys.argv[1:])
