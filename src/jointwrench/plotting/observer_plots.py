"""Pictures of the fictitious wrenches that an observer sees (extra ``plot``)."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from sympy.physics.vector import Point, ReferenceFrame

from ..checks.arguments import Body, check_instance, check_time
from ..mechanism.reading.kinematic_equations import solve_rates
from ..mechanism.time_derivative import TimeDerivative
from ..models.serial_chain import system_of
from ..motion.trajectory import Trajectory
from ..observer import ObserverFrame
from ..results.inputs import Inputs
from ..spatial.leaves import time_of
from .axes import axes_of_shape

#: The fictitious wrenches, with their colours and lines.
KINDS = {
    "dalembert": ("d'Alembert", "#c1272d", "-"),
    "euler": ("Euler", "#008176", "--"),
    "centrifugal": ("centrifugal", "#0000a7", "-."),
    "coriolis": ("Coriolis", "#b3781f", ":"),
}


def plot_fictitious_wrenches(
    observer: ObserverFrame,
    body: Body,
    model: Any,
    motion: Any,
    constants: Mapping[Any, float] | None = None,
    *,
    about: Point | None = None,
    frame: ReferenceFrame | None = None,
    axes: Any = None,
) -> np.ndarray:
    """Draw the d'Alembert, Euler, centrifugal and Coriolis wrench on a body over time.

    Parameters
    ==========

    observer : ObserverFrame
        Who sees them.
    body : RigidBody or Particle
        On what they act.
    model : System or SerialChain
        To which the body belongs; its kinematical differential equations give
        the rates of the coordinates.
    motion : Trajectory
        Coordinates, speeds and their derivatives over time.
    constants : mapping of Symbol or name to float, optional
        Values of the constants.
    about : Point, optional
        About which point moments are taken.  Default: the body's mass centre.
    frame : ReferenceFrame, optional
        The frame of the components.  Default: the observer's.
    axes : array of matplotlib Axes, shape (3, 2), optional
        Where to draw.  Default: a new figure with a common time axis.

    Returns
    =======

    numpy array of matplotlib Axes, shape (3, 2)
        Forces left, moments right, x, y and z from above; four lines in each.

    Raises
    ======

    TypeError
        If ``observer``, ``model`` or ``motion`` has the wrong type.
    ValueError
        If a constant is missing, the Axes have another shape, or
        ``dynamicsymbols._t`` is not the model's time.
    """
    check_instance("observer", observer, ObserverFrame, "an ObserverFrame")
    system = system_of(model)
    check_instance("motion", motion, Trajectory, "a Trajectory")
    time = time_of(system.q)
    check_time("observer", time, tuple(system.q))
    derivative = TimeDerivative(time, solve_rates(system.q, system.u, system.kdes, time)[0])
    states = [*system.q, *system.u, *system.u.diff(time)]
    samples = dict(zip(states, np.hstack([motion.q, motion.u, motion.udot]).T, strict=True))
    inputs = Inputs(samples, {}, tuple(system.u), motion.times)
    found = observer.fictitious_wrenches(body)
    target = observer.frame if frame is None else frame
    point = body.masscenter if about is None else about
    grid = axes_of_shape(axes, 3, 2, sharex=True, figsize=(10, 6.5))
    for kind, (text, colour, line) in KINDS.items():
        matrix = getattr(found, kind).about(point).to_matrix(target).doit()
        values = inputs.evaluate(list(derivative.of_states(matrix)), constants)
        for k in range(6):
            ax = grid[k % 3, k // 3]
            ax.plot(motion.times, values[:, k], color=colour, linestyle=line, label=text)
    for k, ax in enumerate(grid.T.flat):
        ax.set_ylabel(f"${'fm'[k // 3]}_{'xyz'[k % 3]}$ / {'N' if k < 3 else '(N m)'}")
        ax.axhline(0, color="0.8", linewidth=0.8, zorder=0)
        ax.grid(alpha=0.3)
    for ax in grid[-1]:
        ax.set_xlabel("time / s")
    if axes is None:
        handles = list(grid[0, 0].lines)[: len(KINDS)]
        grid[0, 0].figure.legend(handles=handles, ncols=4, loc="outside upper left", frameon=False)
    else:
        grid[0, 0].legend(frameon=False)
    return grid
