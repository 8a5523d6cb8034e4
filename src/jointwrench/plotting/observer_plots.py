"""Pictures of the fictitious wrenches that an observer sees (extra ``plot``)."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from sympy import Expr, Matrix
from sympy.physics.mechanics import System
from sympy.physics.vector import Point, ReferenceFrame, dynamicsymbols

from ..checks.arguments import Body, check_instance
from ..models.serial_chain import SerialChain
from ..motion.trajectory import Trajectory
from ..observer import ObserverFrame
from ..results.inputs import Inputs
from .axes import new_axes

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
        If a constant is missing, or the Axes have another shape.
    """
    check_instance("observer", observer, ObserverFrame, "an ObserverFrame")
    check_instance("model", model, (System, SerialChain), "a System or a SerialChain")
    check_instance("motion", motion, Trajectory, "a Trajectory")
    system = model.system if isinstance(model, SerialChain) else model
    found = observer.fictitious_wrenches(body)
    target = observer.frame if frame is None else frame
    point = body.masscenter if about is None else about
    inputs = _inputs(system, motion)
    grid = _grid(axes)
    for kind, (text, colour, line) in KINDS.items():
        matrix = getattr(found, kind).about(point).to_matrix(target)
        values = inputs.evaluate(list(_in_speeds(system, Matrix(matrix))), constants)
        for k in range(6):
            ax = grid[k % 3, k // 3]
            ax.plot(motion.times, values[:, k], color=colour, linestyle=line, label=text)
    for k, ax in enumerate(grid.T.flat):
        unit = "N" if k < 3 else "N m"
        name = f"${'fm'[k // 3]}_{'xyz'[k % 3]}$"
        ax.set_ylabel(f"{name} / {unit}" if k < 3 else f"{name} / ({unit})")
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


def _grid(axes: Any) -> np.ndarray:
    if axes is None:
        axes = new_axes(3, 2, sharex=True, figsize=(10, 6.5))
    grid = np.asarray(axes, dtype=object)
    if grid.shape != (3, 2):
        raise ValueError(
            f"`axes` must have shape (3, 2), got {grid.shape}. Use plt.subplots(3, 2)."
        )
    return grid


def _inputs(system: System, motion: Any) -> Inputs:
    time = dynamicsymbols._t
    samples = dict(zip(system.q, np.asarray(motion.q).T, strict=True))
    samples |= dict(zip(system.u, np.asarray(motion.u).T, strict=True))
    accelerations = [speed.diff(time) for speed in system.u]
    samples |= dict(zip(accelerations, np.asarray(motion.udot).T, strict=True))
    return Inputs(samples, {}, tuple(system.u), np.asarray(motion.times))


def _in_speeds(system: System, matrix: Matrix) -> Matrix:
    """Return components with speeds in place of the derivatives of the coordinates."""
    time = dynamicsymbols._t
    rates: list[Expr] = [q.diff(time) for q in system.q]
    kdes = Matrix(list(system.kdes))
    factors = kdes.jacobian(rates)
    first = factors.LUsolve(-kdes.xreplace(dict.fromkeys(rates, 0)))
    speeds = dict(zip(rates, first, strict=True))
    second = [rate.diff(time).xreplace(speeds) for rate in first]
    accelerations = dict(zip([rate.diff(time) for rate in rates], second, strict=True))
    return matrix.doit().xreplace(accelerations).xreplace(speeds)
