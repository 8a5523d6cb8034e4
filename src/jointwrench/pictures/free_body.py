"""Free-body diagrams: a body with all forces and moments on it (extra ``plot``)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from ..checks.arguments import check_choice, check_mapping
from ..checks.numbers import check_bool
from ..checks.tolerances import ACROSS, TILTED
from ..drawing.axes import ZERO, axes_of_shape
from ..drawing.labels import rounded, typeset
from ..drawing.palette import BLACK, BLUE, FIGURE, GREEN, ORANGE, PALE
from ..drawing.shapes import arc, arrow
from ..drawing.text_layout import write_beside
from ..records.laboratory import check_axis_units
from .actions import BodyNumbers, Quantity, actions_on, bodies_of, state_of
from .picture_inputs import inverse_dynamics_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Length of the largest force, radius of the largest moment, length of a head and of a frame's
#: axes, and the margin, as fractions of the body's size.
SIZES = {"force": 0.6, "moment": 0.16, "length": 1.0}
HEAD_SIZE, FRAME_SIZE, MARGIN = 0.07, 0.16, 0.24

VIEWS = {"xy": (0, 1), "xz": (0, 2), "yz": (1, 2)}

#: How close points are to a distance on one line, as a fraction of the body's size; and how far
#: apart paths are drawn that would hide each other, in points.
NEAR, LANE = 0.03, 7

#: The thickness of a body's outline, in points.
THICKNESS = 16

COLORS = {"weight": GREEN, "load": FIGURE["ground"], "joint": BLUE, "fictitious": ORANGE}

#: Width of a picture in parts of its height: names stand beside arrows.
WIDE = 1.3


def plot_free_body(
    idyn: Any,
    motion: Any,
    body: Any = None,
    constants: Mapping[Any, float] | None = None,
    specifieds: Mapping[Any, Any] | None = None,
    *,
    at: float | None = None,
    view: Literal["xy", "xz", "yz"] = "xy",
    axes: Any = None,
    units: Mapping[str, str] | None = None,
    numbers: bool = True,
) -> "np.ndarray":
    """Draw free-body diagrams: each body with its weight, its loads and its joint wrenches.

    Arrows are forces at their points of action, dots and crosses in a circle forces towards and
    away from you; arcs are moments by the right-hand rule.  Each has its name and magnitude, and in
    brackets the part in the plane, or about its normal; "pin, by rod" is the force or moment by the
    body rod in the joint pin.  Their sum is the rate of change of the body's momentum.  The body,
    its frame at the mass centre, and distances from it are grey.

    Parameters
    ==========

    idyn : InverseDynamics, System, KanesMethod, SerialChain or ModelFromFile
        The model.
    motion : Trajectory, Simulation, or tuple of q, u, udot
        Its motion, or one state, arrays of shape (n,).
    body : RigidBody, Particle or str, or several in a list, optional
        The bodies to draw, side by side.  Default: all moving bodies.
    constants, specifieds : mapping, optional
        As for `Evaluator`; also constants in positions on which no force depends.
    at : float, optional
        The instant of a motion, of which the nearest sample counts (default: its first), or that
        of a state, if the model depends on time.
    view : {"xy", "xz", "yz"}
        The plane of the drawing: forces are projected on it, and of moments the parts about its
        normal are drawn.
    axes : array of matplotlib Axes, shape (1, bodies), optional
        Axes to draw in.  Default: a new figure.
    units : mapping of str to str, optional
        Texts for "length", "force" and "moment" in place of m, N and N m.
    numbers : bool
        Whether arrows and distances have numbers.  If not, arrows have the names of a derivation,
        such as F with the name of the joint, with a minus for the negative of a named wrench.

    Raises
    ======

    TypeError, ValueError
        If ``idyn`` is not a model, ``motion`` neither a motion nor a state, there is no
        such body or view, the instant is outside, a value is missing, or the numbers of Axes and
        bodies differ.

    See Also
    ========

    Result.explain : The causes of a joint wrench.

    Examples
    ========

    >>> import jointwrench as jw
    >>> chain = jw.SerialChain.planar(2, gravity=(0, -9.81, 0))
    >>> idyn = jw.InverseDynamics(chain.system)
    >>> state = [0.5, 1.0], [0, 0], [0, 0]
    >>> values = dict.fromkeys(idyn.constants, 1.0)
    >>> axes = jw.pictures.plot_free_body(idyn, state, "S_1", values)
    >>> [text.get_text() for text in axes[0, 0].texts if "N" in text.get_text()]
    ['weight, 9.81 N', 'joint of $S_{1}$, by $S_{0}$,\\n9.81 N', ...]
    """
    idyn, known = inverse_dynamics_of("idyn", idyn), check_axis_units(units)
    check_bool("numbers", numbers)
    check_choice("view", view, VIEWS)
    bodies = bodies_of(idyn, body)
    values = check_mapping("constants", constants)
    result = state_of(idyn, motion, at, values, specifieds)
    size = (WIDE * 5.0 * len(bodies), 5.5)
    grid = axes_of_shape(axes, 1, len(bodies), figsize=size)
    when = "" if result.times is None else f",\nat {float(result.times):.4g} {known['time']}"
    for ax, x in zip(grid[0], bodies, strict=True):
        ax.set_title(f"forces and moments on {typeset(x)}{when}", fontsize="medium")
    drawn = [FreeBody(BodyNumbers(idyn, result, x, values), view) for x in bodies]
    draw_free_bodies(list(grid[0]), drawn, known if numbers else None)
    return grid


def draw_free_bodies(
    axes: "Sequence[Axes]", drawn: "Sequence[FreeBody]", units: Mapping[str, str] | None
) -> None:
    """Draw bodies in Axes of equal size, with a common scale of forces and of moments."""
    largest = {unit: max(x.largest(unit) for x in drawn) for unit in ("force", "moment")}
    if largest["moment"] <= ZERO * largest["force"] * max(x.size for x in drawn):
        largest["moment"] = 0.0
    limits = [x.limits(largest) / x.size for x in drawn]  # low and high in sizes of each body
    half = np.max([np.ptp(x, axis=0) / 2 for x in limits], axis=0)
    for ax, diagram, own in zip(axes, drawn, limits, strict=True):
        middle = own.mean(axis=0)
        (left, bottom), (right, top) = diagram.size * np.array([middle - half, middle + half])
        ax.set(xlim=(left, right), ylim=(bottom, top))
        ax.set_aspect("equal")
        ax.set_anchor("N")  # titles side by side stand at one height
        ax.set_axis_off()
    figures: set[Any] = {ax.get_figure(root=True) for ax in axes}
    for figure in figures:
        figure.draw_without_rendering()  # places the Axes
    for ax, diagram in zip(axes, drawn, strict=True):
        diagram.draw(ax, largest, units)


class Drawn(NamedTuple):
    """The shape of a quantity in the plane: a path, heads, and points at which its name may stand.

    A force across the plane is a point in a circle, if it comes towards you, else a cross.  The
    ``gid`` marks the artists of this quantity only: "force 0", that of a head "force 0 head".
    """

    gid: str
    quantity: Quantity
    path: np.ndarray
    heads: np.ndarray
    anchors: np.ndarray
    mark: str = ""


class FreeBody:
    """The drawing of a body, its forces and its moments in a plane; ``more`` are fictitious."""

    def __init__(self, numbers: BodyNumbers, view: str, more: Iterable[Quantity] = ()) -> None:
        self.body, self._axes = numbers.body, list(VIEWS[view])
        self._across = 3 - sum(self._axes)
        right, up = np.eye(3)[self._axes]
        self._normal = np.cross(right, up)  # towards the viewer
        self._points, far = numbers.points(), numbers.far_end()
        points = [*self._points.values(), *([] if far is None else [far])]
        self._outline = np.array(points)[:, self._axes]
        self.size = float(np.linalg.norm(np.ptp(self._outline, axis=0))) or 1.0
        self._quantities = [*actions_on(numbers), *more, *self._distances()]
        frame = getattr(self.body, "frame", None)
        self._frame = None if frame is None else numbers.axes(frame)[self._axes]

    def _distances(self) -> Iterator[Quantity]:
        """Yield distances in a line from the mass centre to each point, or from one on the way."""
        reached = {point_name(thing): x for thing, x in [*self._points.items()][:1]}
        ordered = sorted(self._points.items(), key=lambda x: np.linalg.norm(x[1][self._axes]))
        for thing, point in ordered:
            if not self._is_near(point, reached.values()):
                between = (x for x in reached if self._is_between(reached[x], point))
                start = max(between, key=lambda x: np.linalg.norm(reached[x]))
                names, step = f"{start} to {point_name(thing)}", point - reached[start]
                yield Quantity("distance", "length", "", names, reached[start], step)
                reached[point_name(thing)] = point

    def _is_between(self, point: np.ndarray, end: np.ndarray) -> bool:
        """Whether a point is close to the line from the mass centre, at zero, to an end."""
        way, step = end[self._axes], point[self._axes]
        part = np.clip(step @ way / (way @ way), 0, 1)
        return bool(np.linalg.norm(step - part * way) <= NEAR * self.size)

    def _is_near(self, point: np.ndarray, points: Iterable[np.ndarray]) -> bool:
        return any(np.linalg.norm((point - x)[self._axes]) <= ZERO * self.size for x in points)

    def _visible(self, quantity: Quantity) -> np.ndarray:
        """Return the visible components of a vector, NaN if undetermined."""
        axes = [self._across] if quantity.is_moment else self._axes
        return np.where(np.isin(range(3), axes), quantity.vector, 0.0)

    def largest(self, unit: str) -> float:
        """Return the largest visible force or moment."""
        sizes = [_size(self._visible(x)) for x in self._quantities if x.unit == unit]
        return max(sizes, default=0.0)

    def limits(self, largest: Mapping[str, float]) -> np.ndarray:
        """Return the limits of the picture, low and high, with room for texts."""
        shapes = self._shapes(largest)
        reached = np.concatenate([self._outline, *(x.anchors for x in shapes)])
        low, high = reached.min(axis=0), reached.max(axis=0)
        half = np.maximum((high - low) / 2, self.size / 4) + MARGIN * self.size * np.array([2, 1])
        return np.array([(low + high) / 2 - half, (low + high) / 2 + half])

    def _shapes(self, largest: Mapping[str, float]) -> list[Drawn]:
        """Return the shapes of all visible quantities, forces and moments to their scales."""
        sizes = {**largest, "length": self.size}
        own = ((f"{x.unit} {k}", x) for k, x in enumerate(self._quantities))
        found = (self._shape(gid, x, sizes[x.unit]) for gid, x in own)
        return [x for x in found if x is not None]

    def _shape(self, gid: str, quantity: Quantity, largest: float) -> Drawn | None:
        """Return the shape of a quantity to the scale of the largest, None if invisible."""
        seen, head = np.nan_to_num(self._visible(quantity)), HEAD_SIZE * self.size
        whole, visible, start = _size(quantity.vector), _size(seen), quantity.location
        if quantity.unit == "force" and visible <= ACROSS * whole and whole > ZERO * largest:
            mark = "." if np.nan_to_num(quantity.vector) @ self._normal > 0 else "x"
            point = start[None, self._axes]
            return Drawn(gid, quantity, point, np.zeros((0, 3, 2)), point, mark)
        if visible <= ZERO * largest or not largest:
            return None
        vector = SIZES[quantity.unit] * self.size / largest * seen
        if quantity.is_moment:
            path, heads = arc(start, vector, _size(vector), head, self._normal)
            anchors = path[:: len(path) // 8]
        else:
            path, heads = arrow(start, vector, head, self._normal)
            anchors = start + np.outer([1.0, 0.8, 0.6], vector)
        if quantity.unit == "length":
            path, heads = np.array([start, start + vector]), heads[:0]
            anchors = start + np.outer([0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8], vector)
        path, heads, anchors = (x[..., self._axes] for x in (path, heads, anchors))
        return Drawn(gid, quantity, path, heads, anchors)

    def draw(
        self, ax: "Axes", largest: Mapping[str, float], units: Mapping[str, str] | None
    ) -> None:
        """Draw the body and its quantities, with overlapping arrows side by side."""
        letters, shapes = self._draw_frame(ax), self._shapes(largest)
        self._draw_body(ax)
        actions = [x for x in shapes if x.quantity.unit != "length"]
        whole: Any = ax.get_figure(root=True)
        to_points = 72 / whole.dpi
        paths = [to_points * ax.transData.transform(x.path) for x in actions]
        for shape, shift in zip(actions, free_shifts(paths), strict=True):
            _draw_action(ax, shape, shift)
        texts = [(x.anchors, self._words(x.quantity, units)) for x in actions]
        for own in self._quantities:
            seen = self._visible(own)
            if np.isnan(seen).any() and _size(seen) <= ZERO * largest[own.unit]:
                texts.append((own.location[self._axes], f"{own.name},\n{own.unit} undetermined"))
        distances = [x for x in shapes if x.quantity.unit == "length"]
        for shape in distances:
            style: dict[str, Any] = {"color": BLACK, "linewidth": 0.8, "zorder": 1}
            ax.plot(*shape.path.T, ":", gid=shape.gid, **style)
        optional = [(x.anchors, self._words(x.quantity, units)) for x in distances if units]
        names = self._names([x.quantity.location for x in actions])
        write_beside(ax, [*letters, *texts, *names], optional)

    def _words(self, quantity: Quantity, units: Mapping[str, str] | None) -> str:
        """Return the name, the magnitude, and the visible part if it is smaller."""
        if units is None:
            return quantity.symbol
        seen, unit = self._visible(quantity), units[quantity.unit]
        whole, visible = float(np.linalg.norm(quantity.vector)), _size(seen)
        where = f"about {'xyz'[self._across]}" if quantity.is_moment else "in this plane"
        if np.isnan(seen).any():
            where += ", as far as determined"
        part = f"{rounded(visible)} {unit} {where}"
        size = part if np.isnan(whole) else f"{rounded(whole)} {unit}"
        if ACROSS * whole < visible < (1 - TILTED) * whole:
            size += f"\n({part})"
        between = ",\n" if quantity.kind == "joint" else ", "
        return f"{quantity.name}{between}{size}" if quantity.name else size

    def _names(self, labelled: Iterable[np.ndarray]) -> Iterator[tuple[np.ndarray, str]]:
        """Yield the names of points without a label."""
        center, shown = self.body.masscenter, [*labelled]
        for thing, point in [*self._points.items()][1:]:
            if not self._is_near(point, shown):
                yield point[self._axes], typeset(point_name(thing))
                shown.append(point)
        if center.name != f"{self.body.name}_masscenter":
            yield self._points[center][self._axes], typeset(center)

    def _draw_body(self, ax: "Axes") -> None:
        """Draw the outline of the body, and its points."""
        from matplotlib.patches import Polygon

        around = self._outline
        corners = around[np.argsort(np.arctan2(*(around - around.mean(axis=0)).T[::-1]))]
        outline: dict[str, Any] = {"joinstyle": "round", "capstyle": "round", "zorder": 0}
        ax.add_patch(Polygon(corners, color=PALE, linewidth=THICKNESS, **outline))
        points = np.array([*self._points.values()])[:, self._axes]
        ax.plot(*points.T, "o", color=BLACK, markersize=4, zorder=4)

    def _draw_frame(self, ax: "Axes") -> list[tuple[np.ndarray, str]]:
        """Draw the visible axes of the body's frame; return their names and positions."""
        texts: list[tuple[np.ndarray, str]] = []
        for name, row in zip("xyz", () if self._frame is None else self._frame.T, strict=False):
            if np.linalg.norm(row) > 0.3:
                end = FRAME_SIZE * self.size * row  # from the mass centre
                ax.plot(*np.array([0 * end, end]).T, color="0.4", linewidth=1, zorder=2)
                texts.append((end, name))
        return texts


def point_name(point: Any) -> str:
    """Return the name of a joint or a point."""
    return str(getattr(point, "name", point))


def _size(vector: np.ndarray) -> float:
    """Return the magnitude of the determined components."""
    return float(np.linalg.norm(np.nan_to_num(vector)))


def free_shifts(paths: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Return the least shift of each path, all in points, at which paths do not hide each other."""
    parts, placed, found = np.linspace(0, 1, 100)[:, None], list[np.ndarray](), []
    for path in paths:
        dense = path if len(path) != 2 else path[0] + parts * (path[-1] - path[0])
        free = (x for x in _shifts(path) if not any(_hides(dense + x, y) for y in placed))
        found.append(next(free))
        placed.append(dense + found[-1])
    return found


def _shifts(path: np.ndarray) -> Iterator[np.ndarray]:
    """Yield possible shifts: to both sides of an arrow, to all sides of an arc or a circle."""
    right, up = path[1] - path[0] if len(path) == 2 else (0.0, 0.0)
    normal = np.array([up, -right]) / (np.hypot(right, up) or 1.0)
    sides = [normal, -normal] if normal.any() else [*np.eye(2), *-np.eye(2)]
    yield np.zeros(2)
    for distance in count(LANE, LANE):
        yield from (distance * side for side in sides)


def _hides(path: np.ndarray, other: np.ndarray) -> bool:
    """Whether half of a path is within half a lane of the other path."""
    if (len(path) == 1) != (len(other) == 1):
        return False  # an arrow may begin in a circle
    gaps = np.linalg.norm(path[:, None] - other, axis=-1)
    return any(np.mean(gaps.min(axis=axis) <= LANE / 2) > 1 / 2 for axis in (0, 1))


def _draw_action(ax: "Axes", shape: Drawn, shift: np.ndarray) -> None:
    """Draw a force or a moment, shifted on the page by some points."""
    from matplotlib.transforms import offset_copy

    path, style = shape.path, dict[str, Any](color=COLORS[shape.quantity.kind])
    whole, (x, y) = ax.get_figure(root=True), shift
    style["transform"] = offset_copy(ax.transData, whole, x, y, units="points")
    if shape.mark:
        ax.plot(*path.T, "o", markersize=14, markerfacecolor="none", zorder=4, **style)
        ax.plot(*path.T, shape.mark, markersize=8, zorder=5, gid=shape.gid, **style)
        return
    ax.plot(*path.T, linewidth=2, zorder=3, gid=shape.gid, **style)
    for corners in shape.heads:
        ax.fill(*corners.T, linewidth=0, zorder=3, gid=f"{shape.gid} head", **style)
        ax.plot(*corners.T, linewidth=0.5, zorder=3, **style)  # texts avoid it
