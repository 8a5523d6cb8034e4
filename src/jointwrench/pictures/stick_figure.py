"""Stick figures of moving models, with forces and moments in the joints (extra ``plot``)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from .. import hints
from ..checks.arguments import check_choice, check_instance, check_sequence
from ..checks.numbers import check_finite, finite_array
from ..drawing.axes import ZERO, checked_axes, new_axes
from ..drawing.labels import check_names, rounded
from ..drawing.palette import FIGURE, PALE, SIDE_COLORS
from ..drawing.scale_key import add_scale_key, round_size
from ..drawing.shapes import Shape, arc, arrow
from ..drawing.text_layout import write_beside
from ..records.laboratory import check_axis_units
from ..records.sampled_result import SampledResult
from .figure_lines import chosen, reactions, skeleton_of, visible, wrenches

#: Length of the largest force, radius of the largest moment, length of a head and of an axis, and
#: the margin, as fractions of the model's size.
FORCE_SIZE, MOMENT_SIZE, HEAD_SIZE, AXIS_SIZE, MARGIN = 0.3, 0.1, 0.05, 0.1, 0.08

#: Other lines than arrows; the ground reaction is linked with its body.
LINE_STYLES: dict[str, dict[str, Any]] = {
    "body": {"linewidth": 3, "marker": "o", "markersize": 5, "zorder": 2},
    "turning": {"linewidth": 5, "zorder": 2.5},
    "sliding": {"linewidth": 5, "zorder": 2.5},
    "link": {"linewidth": 1.2, "linestyle": ":"},
}
LINE_STYLES |= dict.fromkeys(SIDE_COLORS, LINE_STYLES["body"])

#: Meanings of arrows and arcs.
TEXTS = {
    "force": "joint force",
    "moment": "joint moment",
    "ground": "ground reaction",
    "turning": "axis of rotation",
    "sliding": "axis of sliding",
}

#: Kinds of axes of joints, which are drawn in space.
AXES = ("turning", "sliding")

#: On which body and by which body they act.
MEANING = "On each child body, by its parent, about the joint"

VIEWS = {"xy": (0, 1), "xz": (0, 2), "yz": (1, 2), "3d": (0, 1, 2)}


class Selection(NamedTuple):
    """The view, the joints with wrenches, and the instants of a stick figure, or their number."""

    view: Literal["xy", "xz", "yz", "3d"] = "xy"
    joints: Iterable[Any] | None = None
    times: Any = None
    number: int | None = None


EVERYTHING = Selection()


class StickFigure:
    """A moving model as lines, with joint wrenches; arguments of `plot_stick_figure`."""

    def __init__(
        self,
        model: Any,
        motion: Any,
        result: Any = None,
        ground: Any = None,
        constants: Mapping[Any, float] | None = None,
        selection: Selection = EVERYTHING,
    ) -> None:
        view, joints, times, number = selection
        check_choice("view", view, VIEWS)
        results = result if isinstance(result, list | tuple) else [result]
        for given in results if result is not None else ():
            check_instance("result", given, SampledResult, "an evaluation's result")
        self.view, self._axes = view, list(VIEWS[view])
        skeleton = self._skeleton = skeleton_of(model, motion, constants, results[0])
        self.times, self.segments = skeleton.times, skeleton.lines
        even = self.times if number is None else np.linspace(self.times[0], self.times[-1], number)
        wanted = even if times is None else np.sort(finite_array("times", times), axis=None)
        if np.size(wanted) == 0:
            raise ValueError("`times` must have an instant, got none. Leave it out for five.")
        self.samples = [int(np.abs(self.times - t).argmin()) for t in wanted]
        kept = chosen(skeleton.joints, joints)
        self.joints = skeleton.places[:, kept]
        self.names = [getattr(x, "name", x) for x in (skeleton.joints[k] for k in kept)]
        self.joint_axes = [
            (kind, skeleton.places[:, k], way) for k, (kind, way) in skeleton.axes.items()
        ]
        seen = self.segments[..., self._axes].reshape(len(self.times), -1, len(self._axes))
        extents = np.linalg.norm(np.nanmax(seen, 1) - np.nanmin(seen, 1), axis=-1)
        self.size = float(np.nanmax(extents)) or 1.0  # the largest at any instant, in the view
        self._is_own = self._is_beside = False
        self.moments: np.ndarray | None = None
        self.forces: dict[str, tuple[np.ndarray, np.ndarray]] = {}  # point and vector of each
        if result is not None:
            forces, moments = (x[:, kept] for x in wrenches(skeleton, results))
            around = self._axes if view == "3d" else [3 - sum(self._axes)]
            self.forces["force"] = self.joints, visible(forces, self._axes)
            self.moments = visible(moments, around)
            pull = _largest(self.forces["force"][1])
            if _largest(self.moments) <= ZERO * pull * self.size:  # rounding
                self.moments = 0 * self.moments
        if ground is not None:
            centers, reaction = reactions(ground, self.times)
            self.forces["ground"] = centers, visible(reaction, self._axes)
        self._scale()

    def _scale(self) -> None:
        """Find the scale of arrows from the largest ones at the samples."""
        vectors = {kind: force[self.samples] for kind, (_, force) in self.forces.items()}
        if self.moments is not None:
            vectors["moment"] = self.moments[self.samples]
        self.largest = {kind: _largest(x) for kind, x in vectors.items()}
        forces = [size for kind, size in self.largest.items() if kind != "moment"]
        self.force_scale = FORCE_SIZE * self.size / (max(forces, default=0.0) or 1.0)
        self.moment_scale = MOMENT_SIZE * self.size / (self.largest.get("moment") or 1.0)
        self.head = HEAD_SIZE * self.size
        self._normal = None if self.view == "3d" else np.eye(3)[3 - sum(self._axes)]

    def when(self, sample: int, digits: int = 2) -> str:
        """Return the instant of a sample, or its number, in words."""
        instant = f"t = {self.times[sample]:.{digits}f} s"
        return instant if self._skeleton.has_times else f"sample {sample}"

    def limits(self) -> np.ndarray:
        """Return the least and the largest coordinate of each axis in the view, shape (2, d)."""
        passed = slice(self.samples[0], self.samples[-1] + 1)
        places = [x[passed].reshape(-1, 3) for x in (self.segments, self._skeleton.centers)]
        for origins, forces in self.forces.values():
            origin, force = origins[self.samples], forces[self.samples]
            places += [x.reshape(-1, 3) for x in (origin, origin + self.force_scale * force)]
        if self.moments is not None:
            sizes = np.linalg.norm(self.moments[self.samples], axis=-1, keepdims=True)
            joints, radii = self.joints[self.samples], self.moment_scale * np.nan_to_num(sizes)
            places += [x.reshape(-1, 3) for x in (joints - radii, joints + radii)]
        every = np.concatenate(places)[:, self._axes]
        margin = MARGIN * self.size
        return np.array([np.nanmin(every, axis=0) - margin, np.nanmax(every, axis=0) + margin])

    def shapes(self, k: int) -> dict[str, Shape]:
        """Return lines and heads in the view at sample k by kind; NaN between lines."""
        drawn: dict[str, list[Shape]] = {}
        for kind, line in zip(self._skeleton.kinds, self.segments[k], strict=True):
            drawn.setdefault(kind, []).append(Shape(line))
        for kind, (origins, forces) in self.forces.items():
            pairs = zip(origins[k], self.force_scale * forces[k], strict=True)
            drawn[kind] = [arrow(place, force, self.head, self._normal) for place, force in pairs]
        if self.moments is not None:
            radii = self.moment_scale * np.linalg.norm(self.moments[k], axis=-1)
            arcs = zip(self.joints[k], self.moments[k], radii, strict=True)
            drawn["moment"] = [arc(*own, self.head, self._normal) for own in arcs]
        if self.view == "3d":
            for kind, place, way in self.joint_axes:
                half = AXIS_SIZE / 2 * self.size * way[k]
                line = np.array([place[k] - half, place[k] + half])
                drawn.setdefault(kind, []).append(Shape(line))
        if "ground" in self.forces:
            drawn["link"] = [self._link(k, point) for point in self.forces["ground"][0][k]]
        return {kind: self._joined(drawn[kind]) for kind in FIGURE if kind in drawn}

    def _link(self, k: int, point: np.ndarray) -> Shape:
        """Return the line from a point to the nearest point of the figure at sample k."""
        lines = self.segments[k][np.isfinite(self.segments[k]).all(axis=(1, 2))]
        start, along = lines[:, 0], np.diff(lines, axis=1)[:, 0]
        squares = np.maximum((along**2).sum(axis=-1), 1e-12 * self.size**2)
        parts = np.clip(((point - start) * along).sum(axis=-1) / squares, 0, 1)
        points = start + parts[:, None] * along
        nearest = points[np.linalg.norm(points - point, axis=1).argmin()]
        return Shape(np.array([point, nearest]))

    def _joined(self, shapes: list[Shape]) -> Shape:
        gap = np.full((1, 3), np.nan)
        path = np.concatenate([part for shape in shapes for part in (shape.path, gap)][:-1])
        heads = np.concatenate([shape.heads for shape in shapes])
        return Shape(path[:, self._axes], heads[..., self._axes])

    # -- drawing ----------------------------------------------------------------

    def axes(self, ax: "hints.Axes | None", units: str = "m", room: float = 0.0) -> "hints.Axes":
        """Return Axes with the limits, the scale and the labels of the view."""
        check_sequence("joints", self.names, "a sequence of joints or names", may_be_empty=False)
        low, high = self.limits()
        high[0] += room
        self._is_own = ax is None
        ax = checked_axes(ax) if ax is not None else self._new_axes(high - low)
        if (ax.name == "3d") != (self.view == "3d"):
            raise ValueError(f"`ax` must fit the view {self.view!r}, got {ax.name} Axes.")
        for axis, bottom, top in zip(self._axes, low, high, strict=True):
            place = "xyz"[self._axes.index(axis)]
            getattr(ax, f"set_{place}lim")(bottom, top)
            getattr(ax, f"set_{place}label")(f"{'xyz'[axis]} / {units}")
        ax.locator_params(nbins=5 if self.view == "3d" else 6)
        if self.view == "3d":
            space: Any = ax
            space.set_box_aspect(high - low, zoom=0.95)  # the axes have labels
            space.set_proj_type("ortho")  # lengths can be compared
        else:
            ax.set_aspect("equal")
        return ax

    def _new_axes(self, extent: np.ndarray) -> "hints.Axes":
        """Return Axes that fill their figure."""
        if self.view == "3d":
            return new_axes(figsize=(7, 6.5), subplot_kw={"projection": "3d"})
        width, height = extent * min(10 / extent[0], 5.5 / extent[1])
        self._is_beside = width < 1.5 * height
        room = (3.6, 0.6) if self._is_beside else (0.8, 1.0)
        return new_axes(figsize=(width + room[0], height + room[1]))

    def draw(
        self, ax: "hints.Axes", k: int, alpha: float = 1.0, shift: float = 0.0
    ) -> dict[str, Any]:
        """Draw sample k, shifted along the first axis of the view; return (line, heads) by kind."""
        artists = {}
        for kind, (path, heads) in self.shapes(k).items():
            style: dict[str, Any] = {"color": FIGURE[kind], "alpha": alpha}
            line = {"linewidth": 2, "zorder": 3, **style, **LINE_STYLES.get(kind, {})}
            path[:, 0] += shift
            heads[..., 0] += shift
            (drawn,) = ax.plot(*path.T, solid_capstyle="butt", label=f"_{kind}", **line)
            artists[kind] = (drawn, _add_heads(ax, heads, style))
        return artists

    def update(self, artists: Mapping[str, Any], k: int) -> None:
        """Move the drawn artists to sample k."""
        for kind, (path, heads) in self.shapes(k).items():
            line, triangles = artists[kind]
            getattr(line, "set_data_3d" if self.view == "3d" else "set_data")(*path.T)
            triangles.set_verts(heads)

    def key(self, ax: "hints.Axes", title: str, units: Mapping[str, str], bar: bool = False) -> Any:
        """Add a legend of arrows, arcs and bars with their scales; return the title."""
        if self.largest.get("force"):
            meaning = MEANING.replace(", ", ",\n") if self._is_beside else MEANING
            title = f"{title}\n{meaning}".strip()
        samples = [
            (*self._sample(kind, length), FIGURE[kind], text)
            for kind, length, text in self.scales(units, 0.8)
            if (bar or kind != "body") and (self.view == "3d" or kind not in AXES)
        ]
        written = add_scale_key(ax, title, samples, self._is_beside)
        if self._is_own:  # the samples' sizes depend on the layout
            whole: Any = ax.figure
            whole.draw_without_rendering()
        return written

    def scales(
        self, units: Mapping[str, str], part: float = 1.0
    ) -> Iterator[tuple[str, float, str]]:
        """Yield kinds with lengths and texts of samples, arrows up to a part of the largest."""
        for kind, largest in self.largest.items():
            if largest > 0:
                size, is_moment = round_size(part * largest), kind == "moment"
                scale = self.moment_scale if is_moment else self.force_scale
                unit = units["moment" if is_moment else "force"]
                yield kind, scale * size, f"{TEXTS[kind]}, {rounded(size)} {unit}"
        for kind in dict.fromkeys(kind for kind, *_ in self.joint_axes):
            yield kind, AXIS_SIZE / 2 * self.size, TEXTS[kind]
        length = round_size(self.size / 2)
        yield "body", length, f"{rounded(length)} {units['length']}"

    def _sample(self, kind: str, length: float) -> Shape:
        """Return a line, arrow or arc of a length, in the plane."""
        origin, (x, _, z) = np.zeros(3), np.eye(3)
        path, heads = Shape(np.array([origin, length * x]))
        if kind == "moment":
            path, heads = arc(origin, z, length, self.head, z)
        elif kind in self.forces:
            path, heads = arrow(origin, length * x, self.head, z)
        return Shape(path[:, :2], heads[..., :2])

    def trail(self, ax: "hints.Axes", first: int, last: int) -> None:
        """Draw the paths of the model's ends between samples."""
        for end in self.ends():
            path = self.segments[first : last + 1, end, 1][:, self._axes]
            ax.plot(*path.T, color=PALE, linewidth=1.2, zorder=0, label="_trail")

    def ends(self) -> list[int]:
        """Return the lines at whose end no other line begins."""
        starts, ends = self.segments[0, :, 0], self.segments[0, :, 1]
        return [k for k, end in enumerate(ends) if not np.isclose(end, starts).all(axis=1).any()]

    def date(self, ax: "hints.Axes", spacing: float, unit: str) -> None:
        """Write the instants below a row of figures."""
        axis = self._axes[0]
        ends = self.segments[self.samples][..., axis].reshape(len(self.samples), -1)
        middles = (np.nanmin(ends, axis=1) + np.nanmax(ends, axis=1)) / 2
        ticks = middles + spacing * np.arange(len(self.samples))
        ax.set_xticks(ticks, [self.when(k).removeprefix("t = ") for k in self.samples])
        ax.set_xlabel(f"{'xyz'[axis]}, each figure {spacing:g} {unit} further")

    def write_times(self, ax: "hints.Axes") -> None:
        """Write the instant of each sample at the end of its figure."""
        ends = [self.segments[k, -1, 1][self._axes] for k in self.samples]
        texts = [self.when(k).removeprefix("t = ") for k in self.samples]
        write_beside(ax, zip(ends, texts, strict=True))

    def write_names(self, ax: "hints.Axes", labels: Sequence[str], shift: float) -> None:
        """Write names at the joints of the last sample."""
        texts = check_names("labels", labels, self.joints.shape[1], "joint")
        points = self.joints[self.samples[-1]][:, self._axes]
        points[:, 0] += shift
        write_beside(ax, zip(points, texts, strict=True))


def _largest(vectors: np.ndarray) -> float:
    return float(np.nan_to_num(np.linalg.norm(vectors, axis=-1)).max(initial=0.0))


def _add_heads(ax: Any, heads: Any, style: dict[str, Any]) -> Any:
    """Add filled triangles in the plane or in space."""
    if ax.name == "3d":
        from mpl_toolkits.mplot3d.art3d import Poly3DCollection

        return ax.add_collection3d(Poly3DCollection(heads, linewidth=0, **style), autolim=False)
    from matplotlib.collections import PolyCollection

    return ax.add_collection(PolyCollection(heads, linewidth=0, zorder=3, **style), autolim=False)


def plot_stick_figure(
    model: Any,
    motion: Any,
    result: Any = None,
    *,
    ground: Any = None,
    times: Any = None,
    constants: Mapping[Any, float] | None = None,
    view: Literal["xy", "xz", "yz", "3d"] = "xy",
    joints: Iterable[Any] | None = None,
    labels: Sequence[str] | None = None,
    spacing: float = 0.0,
    ax: "hints.Axes | None" = None,
    units: str | Mapping[str, str] = "m",
) -> "hints.Axes":
    """Draw a moving model as a stick figure, with the wrenches of its joints.

    Arrows are the forces on the child bodies in their joints, arcs the moments by the right-hand
    rule; samples above the figure show their scale.  Each instant is written beside its figure, or
    below it; a pale line is the path of the model's ends.  In space, without perspective, thick
    short lines are the axes of joints.  Bodies whose names end with ``_left`` or ``_l`` are blue,
    those with ``_right`` or ``_r`` orange, as in the curves of `plot_gait_report`.

    Parameters
    ==========

    model : System, SerialChain, ModelFromFile, InverseDynamics or list of MarkerSegment
        The model, a tree on ground; for a model without joints the result of ``from_kane``; or
        segments that follow their markers, of one leg or both.
    motion : Trajectory, or array of shape (N,)
        Its coordinates over time; the instants of segments.
    result : Result or list of Result, optional
        Its joint wrenches at the same instants, one result for each leg.  Default: segments only.
    ground : ForcePlate or list of ForcePlate, optional
        The ground reactions at the same instants, drawn at their centres of pressure.
    times : float or array_like, optional
        The instants, of which the nearest samples are drawn, all but the last one pale without
        ``spacing``.  Default: five, evenly spaced.
    constants : mapping of Symbol or name to float, optional
        Constants that are not in the result, for instance the length of the last segment.
    view : {"xy", "xz", "yz", "3d"}
        The visible axes of ground.
    joints : iterable of Joint or str, optional
        The joints whose forces and moments are drawn.  Default: all.
    labels : sequence of str, optional
        Texts beside these joints at the last instant.  Default: none.
    spacing : float
        Displacement of each instant from the previous one along the first axis of the view, for
        motions that stay in place.
    ax : matplotlib Axes, optional
        Axes to draw in.  Default: a new figure.
    units : str or mapping of str to str
        The unit of length, or texts for "length", "force" and "moment" in place of m, N
        and N m, which hold where the model's numbers are in SI units.

    Raises
    ======

    TypeError, ValueError
        If the model, ``motion``, ``result`` or ``ground`` has the wrong type, numbers of samples
        differ, a constant is missing, or the view does not fit the Axes.

    See Also
    ========

    interactive_view : An interactive page.

    Examples
    ========

    >>> import numpy as np
    >>> import jointwrench as jw
    >>> t = np.linspace(0, 1, 50)
    >>> motion = jw.Trajectory.from_samples(t, np.stack([np.sin(t), t], -1))
    >>> ax = jw.pictures.plot_stick_figure(
    ...     jw.SerialChain.planar(2), motion, constants={"l_0": 0.4, "l_1": 0.3}, times=[0, 1]
    ... )
    >>> [line.get_label() for line in ax.lines]
    ['_trail', '_body', '_body']
    """
    texts = check_axis_units({"length": units} if isinstance(units, str) else units)
    selection = Selection(view, joints, times, number=5)
    figure = StickFigure(model, motion, result, ground, constants, selection)
    samples = figure.samples
    is_row = check_finite("spacing", spacing) != 0 and len(samples) > 1
    ax = figure.axes(ax, texts["length"], spacing * (len(samples) - 1))
    if not is_row:
        figure.trail(ax, samples[0], samples[-1])
    for place, k in enumerate(samples):
        alpha = 1.0 if is_row or k == samples[-1] else 0.45
        figure.draw(ax, k, alpha, shift=place * spacing)
    title = "" if len(samples) > 1 else figure.when(samples[0])
    figure.key(ax, title, texts, bar=is_row)
    if is_row:  # there is no common scale along the row
        figure.date(ax, spacing, texts["length"])
    elif len(samples) > 1:
        figure.write_times(ax)
    if labels is not None:
        figure.write_names(ax, labels, spacing * (len(samples) - 1))
    return ax
