"""Free-body diagrams: a body with all forces and moments on it (extra ``plot``)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from .. import InverseDynamics
from ..checks.arguments import check_choice, check_mapping
from ..checks.numbers import check_bool
from ..checks.tolerances import ACROSS, TILTED
from ..drawing.axes import ZERO, axes_of_shape
from ..drawing.labels import typeset
from ..drawing.palette import BLACK, BLUE, FIGURE, GREEN, ORANGE, PALE
from ..drawing.shapes import arc, arrow
from ..drawing.text_places import write_beside
from ..extend import check_idyn
from ..records.laboratory import check_axis_units
from .actions import Action, BodyNumbers, actions_on, bodies_of, state_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Length of the largest force, radius of the largest moment, length of a head and of a frame's
#: axes, and the margin, as fractions of the body's size.
FORCE_SIZE, MOMENT_SIZE, HEAD_SIZE, FRAME_SIZE, ROOM = 0.6, 0.16, 0.07, 0.16, 0.24

VIEWS = {"xy": (0, 1), "xz": (0, 2), "yz": (1, 2)}

#: The thickness of a body's outline, in points.
THICKNESS = 16

COLORS = {"weight": GREEN, "load": FIGURE["ground"], "joint": BLUE, "fictitious": ORANGE}

#: Width of a picture in parts of its height: names stand beside arrows.
WIDE = 1.3


def plot_free_body(
    idyn: InverseDynamics,
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

    idyn : InverseDynamics
        The model.
    motion : Trajectory, or tuple of q, u, udot
        Its motion, or one state, arrays of shape (n,).
    body : RigidBody, Particle or str, or several in a list, optional
        The bodies to draw, side by side.  Default: all moving bodies.
    constants, specifieds : mapping, optional
        As for `Evaluator`; also constants in positions on which no force depends.
    at : float, optional
        The instant of a Trajectory, of which the nearest sample counts (default: its first), or
        that of a state, if the model depends on time.
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
        If ``idyn`` is not an InverseDynamics, ``motion`` neither a motion nor a state, there is no
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
    idyn, known = check_idyn(idyn), check_axis_units(units)
    check_bool("numbers", numbers)
    check_choice("view", view, VIEWS)
    bodies = bodies_of(idyn, body)
    given = check_mapping("constants", constants)
    result = state_of(idyn, motion, at, given, specifieds)
    size = (WIDE * 5.0 * len(bodies), 5.5)
    grid = axes_of_shape(axes, 1, len(bodies), figsize=size)
    drawn = [FreeBody(BodyNumbers(idyn, result, x, given), view) for x in bodies]
    sizes = [max((x.largest(kind) for x in drawn), default=0.0) for kind in (False, True)]
    for ax, diagram in zip(grid[0], drawn, strict=True):
        diagram.draw(ax, sizes, known if numbers else None)
        ax.set_anchor("N")  # titles side by side stand at one height
        ax.set_title(f"forces and moments on {typeset(diagram.body)}", fontsize="medium")
    return grid


class FreeBody:
    """One body in a plane of ground, with what acts on it; ``more`` actions besides its loads."""

    def __init__(self, numbers: BodyNumbers, view: str, more: Iterable[Action] = ()) -> None:
        self.body, self._axes = numbers.body, list(VIEWS[view])
        self._across = 3 - sum(self._axes)
        right, up = np.eye(3)[self._axes]
        self._normal = np.cross(right, up)  # towards who looks at the picture
        self._actions = [*actions_on(numbers), *more]
        far = numbers.far_end()
        self._points = {thing: x[self._axes] for thing, x in numbers.points().items()}
        self._outline = np.array(
            [*self._points.values(), *([] if far is None else [far[self._axes]])]
        )
        self._size = float(np.linalg.norm(np.ptp(self._outline, axis=0))) or 1.0
        frame = getattr(self.body, "frame", None)
        self._frame = None if frame is None else numbers.axes(frame)[self._axes]

    def _seen(self, action: Action) -> np.ndarray:
        """Return the visible components of a vector."""
        axes = [self._across] if action.is_moment else self._axes
        return np.where(np.isin(range(3), axes), action.vector, 0.0)

    def largest(self, is_moment: bool) -> float:
        """Return the largest force or moment of which anything is visible."""
        sizes = [np.linalg.norm(self._seen(x)) for x in self._actions if x.is_moment == is_moment]
        return float(max(sizes, default=0.0))

    def draw(self, ax: "Axes", sizes: Sequence[float], units: Mapping[str, str] | None) -> None:
        """Draw the body, then forces and moments to the scales of the largest ones."""
        letters, distances = self._draw_frame(ax), [*self._draw_body(ax, units)]
        limits, texts = [*self._outline], list[tuple[np.ndarray, str]]()
        forces_alone = sizes[1] <= ZERO * sizes[0] * self._size
        told = []
        for action in self._actions:
            size = sizes[action.is_moment]
            if action.is_moment and forces_alone:
                continue
            ends = self._draw_action(ax, action, size)
            if ends is None:
                continue
            texts.append((ends, self._words(action, units)))
            told.append(action.place[self._axes])
            limits += [*ends]
        names = self._names(np.array(told).reshape(-1, 2))
        self._finish(ax, np.array(limits), [*texts, *names, *letters], distances)

    def _draw_action(self, ax: "Axes", action: Action, size: float) -> np.ndarray | None:
        """Draw a force or a moment; return points at which its name may stand, or None."""
        vector, color = self._seen(action), COLORS[action.kind]
        visible, whole = np.linalg.norm(vector), np.linalg.norm(action.vector)
        if not action.is_moment and visible <= ACROSS * whole and whole > ZERO * size:
            return self._draw_across(ax, action, color)
        if visible <= ZERO * size:
            return None
        scale, head = self._size / size, HEAD_SIZE * self._size
        if action.is_moment:
            radius = MOMENT_SIZE * scale * float(visible)
            path, heads = arc(action.place, vector, radius, head, self._normal)
            places = path[:: len(path) // 8]
        else:
            path, heads = arrow(action.place, FORCE_SIZE * scale * vector, head, self._normal)
            places = action.place + np.outer([1.0, 0.8, 0.6], FORCE_SIZE * scale * vector)
        ax.plot(*path[:, self._axes].T, color=color, linewidth=2, zorder=3)
        for corners in heads[..., self._axes]:
            ax.fill(*corners.T, color=color, linewidth=0, zorder=3)
            ax.plot(*corners.T, color=color, linewidth=0.5, zorder=3)  # texts avoid it
        return places[:, self._axes]

    def _draw_across(self, ax: "Axes", action: Action, color: str) -> np.ndarray:
        """Draw a force towards who looks at it as a dot in a circle, away as a cross."""
        place = action.place[self._axes]
        ax.plot(*place, "o", markersize=14, markerfacecolor="none", color=color, zorder=4)
        mark = "." if action.vector @ self._normal > 0 else "x"
        ax.plot(*place, mark, markersize=8, color=color, zorder=5)
        return place[None]

    def _words(self, action: Action, units: Mapping[str, str] | None) -> str:
        if units is None:
            return action.symbol
        unit = units["moment" if action.is_moment else "force"]
        whole, visible = np.linalg.norm(action.vector), np.linalg.norm(self._seen(action))
        part = ""
        if ACROSS * whole < visible < (1 - TILTED) * whole:
            where = f"about {'xyz'[self._across]}" if action.is_moment else "in this plane"
            part = f"\n({visible:.3g} {unit} {where})"
        between = ",\n" if action.kind == "joint" else ", "
        return f"{action.name}{between}{whole:.3g} {unit}{part}"

    def _names(self, told: np.ndarray) -> Iterator[tuple[np.ndarray, str]]:
        """Yield the names of points that are not told by what acts there."""
        center, shown = self.body.masscenter, [*told]
        for thing, place in [*self._points.items()][1:]:
            if not self._is_near(place, shown):
                yield place, typeset(thing)
                shown.append(place)
        if center.name != f"{self.body.name}_masscenter":
            yield self._points[center], typeset(center)

    def _is_near(self, place: np.ndarray, others: Sequence[np.ndarray]) -> bool:
        return any(np.linalg.norm(place - x) <= ZERO * self._size for x in others)

    def _draw_body(
        self, ax: "Axes", units: Mapping[str, str] | None
    ) -> Iterator[tuple[np.ndarray, str]]:
        """Draw the outline of the body and its points; yield distances from its mass centre."""
        from matplotlib.patches import Polygon

        around, points = self._outline, np.array([*self._points.values()])
        corners = around[np.argsort(np.arctan2(*(around - around.mean(axis=0)).T[::-1]))]
        outline: dict[str, Any] = {"joinstyle": "round", "capstyle": "round", "zorder": 0}
        ax.add_patch(Polygon(corners, color=PALE, linewidth=THICKNESS, **outline))
        ax.plot(*points.T, "o", color=BLACK, markersize=4, zorder=4)
        center = points[0]
        for point in points[1:]:
            if (distance := np.linalg.norm(point - center)) > ZERO * self._size:
                ax.plot(*np.array([center, point]).T, ":", color=BLACK, linewidth=0.8, zorder=1)
                if units is not None:
                    parts = np.array([0.5, 0.35, 0.65])[:, None]
                    yield center + parts * (point - center), f"{distance:.3g} {units['length']}"

    def _draw_frame(self, ax: "Axes") -> list[tuple[np.ndarray, str]]:
        """Draw the visible axes of the body's frame; return their names and positions."""
        texts: list[tuple[np.ndarray, str]] = []
        for name, row in zip("xyz", () if self._frame is None else self._frame.T, strict=False):
            length = FRAME_SIZE * self._size
            if np.linalg.norm(row) > 0.3:
                center = next(iter(self._points.values()))
                end = center + length * row
                ax.plot(*np.array([center, end]).T, color="0.4", linewidth=1, zorder=2)
                texts.append((end, name))
        return texts

    def _finish(
        self, ax: "Axes", reached: np.ndarray, texts: Iterable[Any], optional: Iterable[Any]
    ) -> None:
        low, high = reached.min(axis=0), reached.max(axis=0)
        half = np.maximum((high - low) / 2, self._size / 4) + ROOM * self._size * np.array([2, 1])
        limits = np.transpose([(low + high) / 2 - half, (low + high) / 2 + half])
        ax.set(xlim=limits[0], ylim=limits[1])
        ax.set_aspect("equal")
        ax.set_axis_off()
        write_beside(ax, texts, optional)
