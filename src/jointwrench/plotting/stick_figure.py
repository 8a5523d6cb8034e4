"""Stick figures of moving models, with forces and moments in the joints (extra ``plot``)."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..checks.arguments import check_choice, check_instance
from ..evaluation.result import Result
from ..files.model_files.model import ModelFromFile
from ..measured.force_plate import ForcePlate
from ..models.loop_connection import LoopConnection
from .axes import new_axes
from .figure_lines import chosen, reaction, segments, visible, wrenches
from .labels import check_axis_units, check_names
from .palette import FIGURE, PALE
from .placement import Placement, check_motion
from .scale_key import add_scale_key, round_size
from .shapes import Shape, arc, arrow, free_direction

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Length of the largest force, radius of the largest moment and length of a head, in parts of the
#: model's size.
FORCE_SIZE, MOMENT_SIZE, HEAD_SIZE = 0.3, 0.1, 0.05

#: Lines that are not as thick as arrows; the ground reaction is linked with what it acts on.
LINE_STYLES: dict[str, dict[str, Any]] = {
    "body": {"linewidth": 3, "marker": "o", "markersize": 5},
    "link": {"linewidth": 1.2, "linestyle": ":"},
}

#: What arrows and arcs are.
TEXTS = {"force": "joint force", "moment": "joint moment", "ground": "ground reaction"}

#: On whom and by whom they act.
MEANING = "On each child body, by its parent, about the joint"

VIEWS = {"xy": (0, 1), "xz": (0, 2), "yz": (1, 2), "3d": (0, 1, 2)}


class StickFigure:
    """A moving model as lines: where its joints are and what they transmit.

    Parameters and exceptions are those of `plot_stick_figure`.
    """

    def __init__(
        self,
        model: Any,
        motion: Any,
        result: Any = None,
        ground: Any = None,
        constants: Mapping[Any, float] | None = None,
        view: str = "xy",
        joints: Iterable[Any] | None = None,
        times: Any = None,
    ) -> None:
        check_choice("view", view, VIEWS)
        if result is not None:
            check_instance("result", result, Result, "an evaluation's result")
        if ground is not None:
            check_instance("ground", ground, ForcePlate, "a ForcePlate")
        self.view, self._axes = view, list(VIEWS[view])
        known = {} if result is None or result.inputs is None else dict(result.inputs.constants)
        loops: Iterable[Any] = getattr(result, "joints", ())
        if isinstance(model, ModelFromFile):
            known, loops = {**model.constants, **known}, model.loops
        numbers = {**known, **(constants or {})}
        closures = [x for x in loops if isinstance(x, LoopConnection)]
        placement = Placement.of(model, motion, numbers, closures)
        self.times = np.asarray(motion.times)
        wanted = self.times if times is None else np.sort(times, axis=None)
        self.samples = [int(np.abs(self.times - t).argmin()) for t in wanted]
        self.segments = segments(model, placement)
        kept = chosen(placement.joints, joints)
        points = [placement.places[joint.child_point] for joint in placement.joints]
        self.joints = np.stack(points, axis=1)[:, kept]
        self.size = self._extent()
        self._is_own = self._is_beside = False
        self.moments: np.ndarray | None = None
        self.forces: dict[str, tuple[np.ndarray, np.ndarray]] = {}  # where each acts, and it
        if result is not None:
            parts = wrenches(placement, result, len(self.times))
            forces, moments = (x[:, kept] for x in parts)
            around = self._axes if view == "3d" else [3 - sum(self._axes)]
            self.forces["force"] = self.joints, visible(forces, self._axes)
            self.moments = visible(moments, around)
        if ground is not None:
            center, force = reaction(ground, self.times)
            self.forces["ground"] = center, visible(force, self._axes)
        self._scale()

    def _extent(self) -> float:
        """Return the largest size of the model at any instant, in the view."""
        seen = self.segments[..., self._axes].reshape(len(self.times), -1, len(self._axes))
        size = float(np.linalg.norm(np.ptp(seen, axis=1), axis=-1).max())
        return size or 1.0

    def _scale(self) -> None:
        """Find how long arrows are, from the largest ones at the samples."""
        vectors = {kind: force[self.samples] for kind, (_, force) in self.forces.items()}
        if self.moments is not None:
            vectors["moment"] = self.moments[self.samples]
        self.largest = {kind: _largest(x) for kind, x in vectors.items()}
        forces = [size for kind, size in self.largest.items() if kind != "moment"]
        self.force_scale = FORCE_SIZE * self.size / (max(forces, default=0.0) or 1.0)
        self.moment_scale = MOMENT_SIZE * self.size / (self.largest.get("moment") or 1.0)
        self.head = HEAD_SIZE * self.size
        self._normal = None if self.view == "3d" else np.eye(3)[3 - sum(self._axes)]

    def limits(self) -> np.ndarray:
        """Return the least and the largest coordinate of each axis in the view, shape (2, d)."""
        passed = slice(self.samples[0], self.samples[-1] + 1)
        places = [self.segments[passed].reshape(-1, 3)]
        for origins, forces in self.forces.values():
            origin, force = origins[self.samples], forces[self.samples]
            places += [x.reshape(-1, 3) for x in (origin, origin + self.force_scale * force)]
        every = np.concatenate(places)[:, self._axes]
        room = 0.14 * self.size
        return np.array([np.nanmin(every, axis=0) - room, np.nanmax(every, axis=0) + room])

    def shapes(self, k: int) -> dict[str, Shape]:
        """Return what is drawn at sample k by kind: lines and heads in the view.

        Lines of one kind follow each other with a row of NaN between them.
        """
        drawn = {"body": [Shape(line, np.zeros((0, 3, 3))) for line in self.segments[k]]}
        for kind, (origins, forces) in self.forces.items():
            pairs = zip(origins[k], self.force_scale * forces[k], strict=True)
            drawn[kind] = [arrow(place, force, self.head, self._normal) for place, force in pairs]
        if self.moments is not None:
            pairs = zip(self.joints[k], self.moments[k], strict=True)
            drawn["moment"] = [self._arc(place, moment) for place, moment in pairs]
        if "ground" in self.forces:
            drawn["link"] = [self._link(k, place) for place in self.forces["ground"][0][k]]
        return {kind: self._joined(drawn[kind]) for kind in FIGURE if kind in drawn}

    def _arc(self, place: np.ndarray, moment: np.ndarray) -> Shape:
        radius = self.moment_scale * float(np.linalg.norm(moment))
        return arc(place, moment, radius, self.head, self._normal)

    def _link(self, k: int, place: np.ndarray) -> Shape:
        """Return the line from a place to the nearest point of the figure at sample k."""
        start, along = self.segments[k, :, 0], np.diff(self.segments[k], axis=1)[:, 0]
        squares = np.maximum((along**2).sum(axis=-1), 1e-12 * self.size**2)
        parts = np.clip(((place - start) * along).sum(axis=-1) / squares, 0, 1)
        points = start + parts[:, None] * along
        nearest = points[np.linalg.norm(points - place, axis=1).argmin()]
        return Shape(np.array([place, nearest]), np.zeros((0, 3, 3)))

    def _joined(self, shapes: list[Shape]) -> Shape:
        gap = np.full((1, 3), np.nan)
        path = np.concatenate([part for shape in shapes for part in (shape.path, gap)][:-1])
        heads = np.concatenate([shape.heads for shape in shapes])
        return Shape(path[:, self._axes], heads[..., self._axes])

    # -- drawing ----------------------------------------------------------------

    def axes(self, ax: "Axes | None", units: str = "m", room: float = 0.0) -> "Axes":
        """Return Axes with the limits, the scale and the labels of the view."""
        low, high = self.limits()
        high[0] += room
        low[1] -= 0.1 * self.size * (room > 0)  # for the instants below the figures
        if ax is None:
            ax, self._is_own = self._new_axes(high - low), True
        if (ax.name == "3d") != (self.view == "3d"):
            raise ValueError(f"`ax` must fit the view {self.view!r}, got {ax.name} Axes.")
        for axis, bottom, top in zip(self._axes, low, high, strict=True):
            place = "xyz"[self._axes.index(axis)]
            getattr(ax, f"set_{place}lim")(bottom, top)
            getattr(ax, f"set_{place}label")(f"{'xyz'[axis]} / {units}")
        ax.locator_params(nbins=5 if self.view == "3d" else 6)
        if self.view == "3d":
            space: Any = ax
            space.set_box_aspect(high - low, zoom=1.05)
        else:
            ax.set_aspect("equal")
        return ax

    def _new_axes(self, extent: np.ndarray) -> "Axes":
        """Return Axes of a figure that they fill, whatever their extent."""
        if self.view == "3d":
            return new_axes(figsize=(7, 6.5), subplot_kw={"projection": "3d"})
        width, height = extent * min(10 / extent[0], 5.5 / extent[1])
        self._is_beside = width < 1.5 * height
        room = (3.0, 0.6) if self._is_beside else (0.8, 1.0)
        return new_axes(figsize=(width + room[0], height + room[1]))

    def draw(self, ax: "Axes", k: int, alpha: float = 1.0, shift: float = 0.0) -> dict[str, Any]:
        """Draw sample k, shifted along the first axis of the view; return (line, heads) by kind."""
        artists = {}
        for kind, (path, heads) in self.shapes(k).items():
            style: dict[str, Any] = {"color": FIGURE[kind], "alpha": alpha}
            line: dict[str, Any] = {"linewidth": 2, **style, **LINE_STYLES.get(kind, {})}
            path[:, 0] += shift
            heads[..., 0] += shift
            (drawn,) = ax.plot(*path.T, solid_capstyle="butt", label=f"_{kind}", **line)
            artists[kind] = (drawn, _add_heads(ax, heads, style))
        return artists

    def update(self, artists: Mapping[str, Any], k: int) -> None:
        """Move what was drawn to sample k."""
        for kind, (path, heads) in self.shapes(k).items():
            line, triangles = artists[kind]
            getattr(line, "set_data_3d" if self.view == "3d" else "set_data")(*path.T)
            triangles.set_verts(heads)

    def key(self, ax: "Axes", title: str, units: Mapping[str, str], bar: bool = False) -> None:
        """Tell beside the Axes what arrows and arcs are and how large, and how long a bar is."""
        known = {kind: size for kind, size in self.largest.items() if size > 0}
        if "force" in known:
            meaning = MEANING.replace(", ", ",\n") if self._is_beside else MEANING
            title = f"{title}\n{meaning}".strip()
        unit = {kind: units["moment" if kind == "moment" else "force"] for kind in known}
        if self.view == "3d":
            _add_legend(ax, title, [(k, f"{x:.3g} {unit[k]}") for k, x in known.items()])
            return
        samples = [self._sample(kind, size, unit[kind]) for kind, size in known.items()]
        if bar:
            length = round_size(self.size / 2)
            path, none = np.array([[0, 0], [length, 0]]), np.zeros((0, 3, 2))
            samples.append((path, none, FIGURE["body"], f"{length:g} {units['length']}"))
        add_scale_key(ax, title, samples, self._is_beside)
        if self._is_own:  # the samples' sizes depend on the layout
            whole: Any = ax.figure
            whole.draw_without_rendering()

    def _sample(self, kind: str, largest: float, unit: str) -> tuple[Any, Any, str, str]:
        """Return an arrow or arc not quite as large as the largest with its colour and text."""
        size = round_size(0.8 * largest)
        origin, (x, _, z) = np.zeros(3), np.eye(3)
        if kind == "moment":
            shape = arc(origin, z, self.moment_scale * size, self.head, z)
        else:
            shape = arrow(origin, self.force_scale * size * x, self.head, z)
        text = f"{TEXTS[kind]}, {size:g} {unit}"
        return shape.path[:, :2], shape.heads[..., :2], FIGURE[kind], text

    def trail(self, ax: "Axes", first: int, last: int) -> None:
        """Draw where the ends of the model go from one sample to another."""
        for end in self._ends():
            path = self.segments[first : last + 1, end, 1][:, self._axes]
            ax.plot(*path.T, color=PALE, linewidth=1.2, zorder=0, label="_trail")

    def _ends(self) -> list[int]:
        """Return the lines at whose end no other one begins."""
        starts, ends = self.segments[0, :, 0], self.segments[0, :, 1]
        return [k for k, end in enumerate(ends) if not np.isclose(end, starts).all(axis=1).any()]

    def name_joints(self, ax: "Axes", labels: Sequence[str], shift: float = 0.0) -> None:
        """Write names beside the joints at the last sample, where there is room."""
        texts = check_names("labels", labels, self.joints.shape[1], "joint")
        k = self.samples[-1]
        acting = self.forces["force"][1][k] if "force" in self.forces else 0 * self.joints[k]
        for joint, force, text in zip(self.joints[k], acting, texts, strict=True):
            ends = self.segments[k][np.isclose(self.segments[k], joint).all(axis=-1).any(axis=-1)]
            around = np.array([force, *(ends.sum(axis=1) - 2 * joint)])[:, self._axes]
            place = joint[self._axes] + 0.08 * self.size * free_direction(around)
            place[0] += shift
            _write(ax, place, text)

    def tag(self, ax: "Axes", k: int, shift: float = 0.0, below: bool = False) -> None:
        """Write the instant of sample k beside the end of the figure, or below it."""
        line = self.segments[k, -1][:, self._axes]
        along = line[1] - line[0]
        place = line[1] + 0.09 * self.size * along / (np.linalg.norm(along) or 1.0)
        if below:
            middle = self.segments[k][..., self._axes].reshape(-1, len(self._axes)).mean(axis=0)
            place = np.array([middle[0] + shift, ax.get_ylim()[0] + 0.04 * self.size])
        _write(ax, place, f"{self.times[k]:.2f} s", fontsize="small")


def _write(ax: Any, place: np.ndarray, text: str, **style: Any) -> None:
    halo = {"facecolor": "white", "alpha": 0.7, "edgecolor": "none", "pad": 1}
    ax.text(*place, text, ha="center", va="center", bbox=halo, **style)


def _largest(vectors: np.ndarray) -> float:
    return float(np.nan_to_num(np.linalg.norm(vectors, axis=-1)).max(initial=0.0))


def _add_heads(ax: Any, heads: Any, style: dict[str, Any]) -> Any:
    """Add filled triangles in the plane or in space."""
    if ax.name == "3d":
        from mpl_toolkits.mplot3d.art3d import Poly3DCollection

        return ax.add_collection3d(Poly3DCollection(heads, linewidth=0, **style), autolim=False)
    from matplotlib.collections import PolyCollection

    return ax.add_collection(PolyCollection(heads, linewidth=0, zorder=2, **style), autolim=False)


def _add_legend(ax: "Axes", title: str, largest: list[tuple[str, str]]) -> None:
    """Tell above Axes in space what the colours are and how large the largest ones."""
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], color=FIGURE[kind], label=f"{TEXTS[kind]}, at most {size}")
        for kind, size in largest
    ]
    style: dict[str, Any] = {"loc": "lower left", "bbox_to_anchor": (0, 1), "ncols": 2}
    style |= {"title": title, "alignment": "left", "title_fontsize": "small"}
    ax.legend(handles=handles, fontsize="small", frameon=False, **style)


def plot_stick_figure(
    model: Any,
    motion: Any,
    result: Any = None,
    *,
    ground: Any = None,
    times: Any = None,
    constants: Mapping[Any, float] | None = None,
    view: str = "xy",
    joints: Iterable[Any] | None = None,
    labels: Sequence[str] | None = None,
    spacing: float = 0.0,
    ax: "Axes | None" = None,
    units: str | Mapping[str, str] = "m",
) -> "Axes":
    """Draw a moving model as a stick figure, with what its joints transmit.

    Arrows are the forces on the child bodies in their joints, arcs the moments,
    turning as they do by the right-hand rule; samples above the picture tell their
    scale, in space the legend tells the largest ones.  Each instant is written beside
    its figure; a pale line is the path of the model's ends.

    Parameters
    ==========

    model : System, SerialChain or ModelFromFile
        The model, a tree on ground.
    motion : Trajectory
        Its coordinates over time.
    result : Result, optional
        Its joint wrenches at the same instants.  Default: segments only.
    ground : ForcePlate, optional
        The ground reaction at the same instants, drawn at its centre of pressure.
    times : float or array_like, optional
        Which instants; the sample nearest to each one is drawn, all but the last
        one pale if there is no ``spacing``.  Default: five, evenly spaced.
    constants : mapping of Symbol or name to float, optional
        Constants that the result does not know, for instance the length of the
        last segment.
    view : {"xy", "xz", "yz", "3d"}
        Which axes of ground are seen.
    joints : iterable of Joint or str, optional
        The joints whose forces and moments are drawn.  Default: all.
    labels : sequence of str, optional
        What is written beside these joints at the last instant.  Default: nothing.
    spacing : float
        Length by which each instant is shifted from the one before along the
        first axis of the view, for motions that stay in place.
    ax : matplotlib Axes, optional
        Where to draw.  Default: a new figure.
    units : str or mapping of str to str
        The unit of length, or texts for "length", "force" and "moment" in place of m, N
        and N m, which hold where the model's numbers are in SI units.

    Returns
    =======

    matplotlib Axes
        With one line per instant and kind (segments, forces, moments, ground) and one
        per path.

    Raises
    ======

    TypeError
        If the model is none of these, or ``motion``, ``result``
        or ``ground`` has the wrong type.
    ValueError
        If numbers of samples differ, a constant is missing, or the view does not
        fit the Axes.

    Examples
    ========

    >>> import numpy as np
    >>> from jointwrench import SerialChain, Trajectory, plot_stick_figure
    >>> t = np.linspace(0, 1, 50)
    >>> motion = Trajectory.from_samples(t, np.stack([np.sin(t), t], -1))
    >>> ax = plot_stick_figure(
    ...     SerialChain.planar(2), motion, constants={"l_0": 0.4, "l_1": 0.3}, times=[0, 1]
    ... )
    >>> [line.get_label() for line in ax.lines]
    ['_trail', '_body', '_body']
    """
    texts = check_axis_units({"length": units} if isinstance(units, str) else units)
    check_motion(motion)
    if times is None:
        times = np.linspace(motion.times[0], motion.times[-1], 5)
    figure = StickFigure(model, motion, result, ground, constants, view, joints, times)
    samples = figure.samples
    is_row = spacing != 0 and len(samples) > 1
    ax = figure.axes(ax, texts["length"], spacing * (len(samples) - 1))
    if is_row:  # there is no common scale along the row
        ax.set_xticks([])
        ax.set_xlabel(f"{ax.get_xlabel()[0]}, each figure {spacing:g} {texts['length']} further")
    else:
        figure.trail(ax, samples[0], samples[-1])
    for place, k in enumerate(samples):
        alpha = 1.0 if is_row or k == samples[-1] else 0.45
        figure.draw(ax, k, alpha, shift=place * spacing)
        if len(samples) > 1:
            figure.tag(ax, k, place * spacing, below=is_row)
    if labels is not None:
        figure.name_joints(ax, labels, spacing * (len(samples) - 1))
    title = "" if len(samples) > 1 else f"t = {figure.times[samples[0]]:.2f} s"
    figure.key(ax, title, texts, bar=is_row)
    return ax
