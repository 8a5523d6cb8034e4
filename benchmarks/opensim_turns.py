"""Which result is right where OpenSim's inverse dynamics and jointwrench differ?

A body on a custom joint whose one, two or three rotations are polynomials of one coordinate, moving
at 2 rad/s without acceleration.  The necessary generalized force is computed by OpenSim's
InverseDynamicsSolver, by Lagrange's equation with OpenSim's own kinetic and potential energy
(differences of fourth order), and by jointwrench.  The acceleration of the mass centre is compared
with the second difference of its positions in OpenSim.  Needs ``pip install opensim``.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np

import jointwrench as jw

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "tools"))
from osim_texts import turns_text

Q, U = 0.7, 2.0
CENTER = (0.1, -0.2, 0.05)
STEP = 1e-3


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


if __name__ == "__main__":
    for count in (1, 2, 3):
        compare(count)
