"""Plots of fictitious wrenches for an observer (extra ``plot``)."""

from collections.abc import Mapping
from itertools import product
from typing import Any

import numpy as np
from sympy.physics.mechanics import Particle, RigidBody
from sympy.physics.vector import Point, ReferenceFrame

from .. import ObserverFrame
from ..checks.arguments import check_instance, check_mapping
from ..drawing.axes import ZERO, add_zero, axes_of_shape, set_scales, write_instead
from ..drawing.labels import bracket, typeset
from ..drawing.palette import CYCLE, LINES
from ..extend import check_path, expressions_along
from ..records.laboratory import check_axis_units
from .picture_inputs import inverse_dynamics_of, motion_of

#: The fictitious wrenches, with their names.
KINDS = {
    "dalembert": "d'Alembert",
    "euler": "Euler",
    "centrifugal": "centrifugal",
    "coriolis": "Coriolis",
}


def plot_fictitious_wrenches(
    observer: ObserverFrame,
    body: RigidBody | Particle,
    model: Any,
    motion: Any,
    constants: Mapping[Any, float] | None = None,
    *,
    about: Point | None = None,
    frame: ReferenceFrame | None = None,
    axes: Any = None,
    units: Mapping[str, str] | None = None,
) -> np.ndarray:
    """Draw the d'Alembert, Euler, centrifugal and Coriolis wrench on a body over time.

    Forces are left, moments right, x, y and z from top to bottom, with a line for each nonzero
    term. Rows of a new figure have a common scale, or a label gives the enlargement.

    Parameters
    ==========

    observer : ObserverFrame
        The observer.
    body : RigidBody or Particle
        The body.
    model : System, KanesMethod, InverseDynamics, SerialChain or ModelFromFile
        The model of the body; its kinematical differential equations give the rates.
    motion : Trajectory, Simulation, or tuple of q, u, udot
        Coordinates, speeds and their derivatives over time.
    constants : mapping of Symbol or name to float, optional
        Values of the constants.
    about : Point, optional
        The point of the moments.  Default: the body's mass centre.
    frame : ReferenceFrame, optional
        The frame of the components.  Default: the observer's.
    axes : array of matplotlib Axes, shape (3, 2), optional
        Axes to draw in.  Default: a new figure with a common time axis, without zero rows and
        columns.
    units : mapping, optional
        As for `plot_wrenches`.

    Raises
    ======

    TypeError, ValueError
        If ``observer``, ``model`` or ``motion`` has the wrong type, a constant is missing, the Axes
        have another shape, or ``dynamicsymbols._t`` is not the model's time.

    See Also
    ========

    ObserverFrame.fictitious_wrenches : The formulas.

    Examples
    ========

    >>> import numpy as np
    >>> import jointwrench as jw
    >>> chain = jw.SerialChain.planar(1, gravity=(0, -9.81, 0))
    >>> idyn = jw.InverseDynamics(chain.system)
    >>> values = {"l_0": 0.5, "m_0": 2.0, "I_0": 0.04}
    >>> t = np.linspace(0, 1, 101)
    >>> motion = jw.Trajectory.from_samples(t, np.sin(t)[:, None], idyn=idyn)
    >>> world, origin = chain.ground.frame, chain.ground.masscenter
    >>> rider = jw.ObserverFrame(chain.frames[0], chain.tip, world, origin)
    >>> axes = jw.pictures.plot_fictitious_wrenches(rider, chain.bodies[0], chain, motion, values)
    >>> axes.shape
    (3, 2)
    """
    check_instance("observer", observer, ObserverFrame, "an ObserverFrame")
    idyn, numbers = inverse_dynamics_of("model", model), check_mapping("constants", constants)
    states = motion_of(motion, idyn.q)
    evaluate = expressions_along(idyn, states, numbers)
    found = observer.fictitious_wrenches(body)
    target = observer.frame if frame is None else frame
    point = body.masscenter if about is None else about
    check_path("about", point, body.masscenter)
    known = check_axis_units(units)
    values = {kind: evaluate(getattr(found, kind).about(point).to_matrix(target)) for kind in KINDS}
    sizes = np.max([np.abs(x).max(axis=0).reshape(2, 3) for x in values.values()], axis=0)
    is_drawn = (sizes > ZERO * sizes.max(axis=1, keepdims=True)) | (axes is not None)
    columns, rows = np.flatnonzero(is_drawn.any(axis=1)), np.flatnonzero(is_drawn.any(axis=0))
    columns, rows = (columns, rows) if is_drawn.any() else (np.arange(2), np.arange(3))
    size = (5 * len(columns), 1 + 2 * len(rows))
    grid = axes_of_shape(axes, len(rows), len(columns), sharex=True, figsize=size)
    for ax, (row, column) in zip(grid.flat, product(rows, columns), strict=True):
        add_zero(ax)
        for kind, color, line in zip(KINDS, CYCLE, LINES, strict=False):
            curve = values[kind][:, 3 * column + row]
            if np.abs(curve).max() > ZERO * sizes[column].max():
                ax.plot(states.times, curve, color=color, linestyle=line, label=KINDS[kind])
        if not ax.get_legend_handles_labels()[0]:
            write_instead(ax, "zero")
        unit = known[("force", "moment")[column]]
        ax.set_ylabel(f"${'fm'[column]}_{'xyz'[row]}$ / {bracket(unit)}")
    time = f"time / {bracket(known['time'])}" if states.has_times else "sample"
    for ax in grid[-1]:
        ax.set_xlabel(time)
    on, place, seen_in, owner = map(typeset, (body, point.name, target, observer.frame))
    titles = [f"fictitious force on {on}", f"fictitious moment on {on},\nabout {place}"]
    titles[columns[0]] += f",\nfor an observer in {owner}, in frame {seen_in}"
    for ax, k in zip(grid[0], columns, strict=True):
        ax.set_title(titles[k], loc="left", fontsize="medium")
    handles = {line.get_label(): line for ax in grid.flat for line in ax.lines}
    named = [handles[name] for name in KINDS.values() if name in handles]
    if axes is None:
        for column in grid.T:
            set_scales(column)
        grid[0, 0].figure.legend(handles=named, ncols=4, loc="outside upper left", frameon=False)
    else:
        grid[0, 0].legend(handles=named, frameon=False)
    return grid
