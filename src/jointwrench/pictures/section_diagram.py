"""Normal force, shear, torsion and bending along a moving link (extra ``plot``)."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from .. import Result, Section
from ..checks.arguments import check_instance, check_instances, check_mapping
from ..drawing.axes import ZERO, add_zero, axes_of_shape
from ..drawing.labels import bracket, typeset
from ..drawing.palette import BLUE, PALE
from ..records.instants import nearest_sample
from ..records.laboratory import check_axis_units

#: Names of forces and moments along and across the rod.
NAMES = ("normal force", *["shear force"] * 2, "torsion", *["bending moment"] * 2)


def plot_section_diagram(
    result: Any,
    sections: Iterable[Section],
    at: float | None = None,
    constants: Mapping[Any, float] | None = None,
    *,
    axes: Any = None,
    units: Mapping[str, str] | None = None,
) -> np.ndarray:
    """Draw the internal forces and moments along a link: at an instant, and their range.

    They act **on the part towards the start, by the part beyond**, on a face whose normal points to
    the end: a positive normal force is tension.  Moments are about the middle of the section.  The
    axes across the rod are those of the body's frame if the rod lies along one.  Each nonzero
    component, or the normal force, is a line for the instant, in front of a band of the range over
    the motion.

    Parameters
    ==========

    result : Result
        With the output "section_wrenches", of one state or of one motion.
    sections : iterable of Section
        Two or more, in order along one straight link, for instance `Section.along_rod`.
    at : float, optional
        The instant, of which the nearest sample is drawn; the number of the sample if times are not
        known.  Default: that of the largest moment, or else force.
    constants : mapping of Symbol or name to number, optional
        Constants in the positions of the sections on which the forces do not depend.
    axes : array of matplotlib Axes, shape (components, 1), optional
        Axes to draw in.  Default: a new figure with a common axis of length.
    units : mapping, optional
        As for `plot_wrenches`; "length" for the axis below.

    Raises
    ======

    TypeError, AttributeError
        If ``result`` is not a Result, "section_wrenches" was not compiled, or an item is not a
        Section.
    ValueError
        If ``sections`` are not those of the model, of several bodies, not on one line, or fewer
        than two; if the instant is outside, or there are several motions.

    See Also
    ========

    InverseDynamics.section_wrench : The formulas.

    Examples
    ========

    A rod that hangs on a pin and swings:

    >>> import numpy as np
    >>> import jointwrench as jw
    >>> chain = jw.SerialChain.planar(1, gravity=(0, -9.81, 0))
    >>> ends = chain.joints[0].child_point, chain.tip
    >>> sections = jw.Section.along_rod("rod", chain.bodies[0], *ends)
    >>> idyn = jw.InverseDynamics(chain.system, sections=sections)
    >>> times = np.linspace(0, 1, 50)
    >>> motion = jw.Trajectory.from_samples(times, np.sin(times)[:, None])
    >>> values = dict.fromkeys(idyn.constants, 1.0)
    >>> result = idyn.compile("section_wrenches", backend="numpy")(motion, constants=values)
    >>> axes = jw.pictures.plot_section_diagram(result, sections, constants={"l_0": 1.0})
    >>> [ax.get_ylabel().split(" ")[0] for ax in axes.flat]
    ['normal', 'shear', 'bending']
    """
    check_instance("result", result, Result, "an evaluation's result")
    items = check_instances("sections", sections, Section, "an iterable of Section")
    if len(items) < 2:
        raise ValueError(f"`sections` must be two or more along one link, got {len(items)}.")
    known, given = check_axis_units(units), check_mapping("constants", constants)
    wrenches = _wrenches(result, items)
    lengths, axes_of_rod, names = _along(result, items, given)
    turned = np.concatenate([-half @ axes_of_rod.T for half in np.split(wrenches, 2, -1)], -1)
    place = _sample(result, turned, at)
    sizes = abs(turned).max(axis=(0, 1))
    limits = ZERO * np.repeat(sizes.reshape(2, 3).max(axis=1), 3)
    shown = [k for k in range(6) if sizes[k] > limits[k]] or [0]
    grid = axes_of_shape(axes, len(shown), 1, sharex=True, figsize=(7, 1.6 + 1.8 * len(shown)))
    for ax, k in zip(grid[:, 0], shown, strict=True):
        add_zero(ax)
        band = turned[..., k].min(axis=0), turned[..., k].max(axis=0)
        if len(turned) > 1:
            ax.fill_between(lengths, *band, color=PALE, linewidth=0, label="all instants")
        ax.plot(lengths, turned[place, :, k], color=BLUE, label=_instant(result, place))
        unit = bracket(known["force" if k < 3 else "moment"])
        name = f"{NAMES[k]} {names[k % 3]}".strip()
        ax.set_ylabel(f"{name}\n/ {unit}")
    body = typeset(items[0].body)
    grid[0, 0].set_title(f"internal forces and moments in {body}", loc="left", fontsize="medium")
    grid[-1, 0].set_xlabel(f"length / {bracket(known['length'])}")
    if len(turned) > 1:
        where: dict[str, Any] = {
            "loc": "lower right",
            "bbox_to_anchor": (1, 1),
            "borderaxespad": 0.2,
        }
        grid[0, 0].legend(**where, ncols=2, frameon=False)
    return grid


def _wrenches(result: Result, sections: list[Section]) -> np.ndarray:
    """Return wrenches (N, number of sections, 6), one sample for a state."""
    bodies = {section.body for section in sections}
    if len(bodies) > 1:
        names = ", ".join(body.name for body in bodies)
        raise ValueError(f"`sections` must be of one body, got {names}.")
    known = {section: k for k, section in enumerate(result.sections)}
    if missing := [x.name for x in sections if x not in known]:
        raise ValueError(
            f"`sections` must be those of the model, got {missing[0]!r}. Use "
            "InverseDynamics(system, sections=sections)."
        )
    found = result.section_wrenches[..., [known[section] for section in sections], :]
    if found.ndim > 3:
        raise ValueError(
            f"`result` must be of one state or motion, got the shape {found.shape[:-2]} of samples."
        )
    return found.reshape(-1, *found.shape[-2:])


def _along(
    result: Result, sections: list[Section], constants: Mapping[Any, float]
) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Return lengths from the first section, the axes of the rod (rows), and their names."""
    expressions = [x for section in sections for x in section.place]
    values = result._known_inputs().evaluate(expressions, constants)
    places = values.reshape(-1, len(sections), 3)[0]
    steps = places - places[0]
    size = float(np.linalg.norm(steps[-1]))
    along = steps[-1] / (size or 1.0)
    lengths = steps @ along
    if not size or abs(steps - np.outer(lengths, along)).max() > 1e-9 * size:
        raise ValueError("`sections` must be on one line, from the first to the last.")
    if (np.diff(lengths) < 0).any():
        raise ValueError("`sections` must be in their order along the line.")
    least = np.argsort(np.round(abs(along), 9), kind="stable")[:2]
    rows = max((_axes(along, across) for across in np.eye(3)[least]), key=np.sum)
    return lengths, rows, ["", *map(_axis_name, rows[1:])]


def _axes(along: np.ndarray, near: np.ndarray) -> np.ndarray:
    """Return axes along and across a rod, the first one as near as possible to an axis."""
    across = near - (near @ along) * along
    across /= np.linalg.norm(across)
    return np.array([along, across, np.cross(along, across)])


def _axis_name(row: np.ndarray) -> str:
    k = int(np.argmax(abs(row)))
    return f"{'-' if row[k] < 0 else ''}{'xyz'[k]}" if abs(row[k]) > 1 - 1e-9 else "across"


def _sample(result: Result, values: np.ndarray, at: Any) -> int:
    """Return the number of the sample at an instant; default: of the largest moment or force."""
    if at is None:
        sizes = abs(values).max(axis=1)
        half = sizes[:, 3:] if sizes[:, 3:].any() else sizes[:, :3]
        return int(np.argmax(half.max(axis=1)))
    return nearest_sample(at, result.times, len(values))


def _instant(result: Result, place: int) -> str:
    times = result.times
    return f"sample {place}" if times is None else f"at {times[place]:.4g}"
