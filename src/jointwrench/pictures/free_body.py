"""Free-body diagrams: a body with all forces and moments on it (extra ``plot``)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from sympy.physics.vector import Point

from .. import InverseDynamics, Result, Trajectory
from ..checks.arguments import check_choice, check_mapping, check_sequence, find_named
from ..checks.numbers import check_bool, check_finite
from ..drawing.axes import ZERO, axes_of_shape
from ..drawing.labels import typeset
from ..drawing.palette import BLACK, BLUE, FIGURE, GREEN, PALE
from ..drawing.shapes import arc, arrow
from ..drawing.text_places import write_beside
from ..extend import check_idyn
from ..records.instants import nearest_sample
from ..records.laboratory import check_axis_units

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Length of the largest force, radius of the largest moment, length of a head and of a frame's
#: axes, and the margin, as fractions of the body's size.
FORCE_SIZE, MOMENT_SIZE, HEAD_SIZE, FRAME_SIZE, ROOM = 0.6, 0.16, 0.07, 0.16, 0.24

VIEWS = {"xy": (0, 1), "xz": (0, 2), "yz": (1, 2)}

#: The thickness of a body's outline, in points.
THICKNESS = 16

COLORS = {"weight": GREEN, "load": FIGURE["ground"], "joint": BLUE}


class Action(NamedTuple):
    """A force, or a moment, on a body: its kind among `COLORS`, names, point and vector."""

    kind: str
    name: str
    symbol: str
    is_moment: bool
    place: np.ndarray
    vector: np.ndarray


def actions_on(
    idyn: InverseDynamics, result: Result, body: Any, constants: Mapping[Any, float] | None = None
) -> Iterator[Action]:
    """Yield the nonzero loads on a body in one state; points are from its mass centre."""
    tree, found = idyn.model.tree, BodyNumbers(idyn, result, body, constants)
    nothing = np.zeros(3)
    gravity = tree.assigned.gravity
    if gravity is not None:
        link = next(x for x in tree.links if x.body is body)
        weight = found.vector(gravity) * found.numbers([link.mass])[0]
        symbol = _symbol("W", body)
        yield Action("weight", "weight", symbol, False, found.place(body.masscenter), weight)
    for load in tree.assigned.applied:
        if tree.links[load.link].body is body:
            place, vector = load.source.location, found.vector(load.source.vector)
            is_force = isinstance(place, Point)
            where = found.place(place if is_force else body.masscenter)
            symbol = _symbol("L" if is_force else "T", place)
            yield Action("load", f"load on {place}", symbol, not is_force, where, vector)
    for joint in tree.all_joints:
        if body in (joint.child, joint.parent):
            wrench = result.joint_wrench(joint, frame=tree.frame)
            sign, other = (1, joint.parent) if joint.child is body else (-1, joint.child)
            where, name = found.place(joint.child_point), f"{joint.name}, by {other}"
            for is_moment, half in enumerate(np.split(sign * np.nan_to_num(wrench), 2)):
                if (half != nothing).any():
                    symbol = _symbol("-" * (sign < 0) + "FM"[is_moment], joint)
                    yield Action("joint", name, symbol, bool(is_moment), where, half)


def _symbol(letter: str, thing: Any) -> str:
    """Return the name of a force or moment in a derivation."""
    index = typeset(getattr(thing, "name", thing))
    words = rf"\mathrm{{{index}}}".replace("_", r"\_").replace(" ", r"\ ")
    return f"${letter}_{{{index.strip('$') if index[0] == '$' else words}}}$"


class BodyNumbers:
    """Values of vectors, and of points from the mass centre of a body, in ground's axes."""

    def __init__(self, idyn: InverseDynamics, result: Result, body: Any, constants: Any) -> None:
        self._tree, self._result, self._body = idyn.model.tree, result, body
        solved = result.solved_loads if "solved_loads" in result.outputs else {}
        self._solved = {x: float(value) for x, value in solved.items()}
        self._constants = constants

    def numbers(self, expressions: Iterable[Any]) -> np.ndarray:
        """Return values of expressions of the model."""
        states = [self._tree.derivative.of_states(x).xreplace(self._solved) for x in expressions]
        inputs = self._result.inputs
        if inputs is None:
            raise ValueError("`result` must know its inputs.")
        return inputs.evaluate(states, self._constants)

    def points(self) -> dict[str, np.ndarray]:
        """Return the positions of the mass centre and of the joints, by name."""
        places = {self._body.masscenter.name: np.zeros(3)}
        for joint in self._tree.all_joints:
            if self._body in (joint.child, joint.parent):
                places[joint.name] = self.place(joint.child_point)
        return places

    def vector(self, vector: Any) -> np.ndarray:
        return self.numbers(vector.to_matrix(self._tree.frame))

    def place(self, point: Any) -> np.ndarray:
        return self._poses([], [point])[1][point]

    def axes(self, frame: Any) -> np.ndarray:
        """Return the axes of a frame as columns."""
        return self._poses([frame], [])[0][frame]

    def _poses(self, frames: list[Any], points: list[Any]) -> Any:
        tree = self._tree
        return tree.geometry.poses(tree.frame, self._body.masscenter, self.numbers, frames, points)


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

    Arrows are forces at their points of action; arcs are moments by the right-hand rule.  Each has
    its name and magnitude; "pin, by rod" is the force or moment by the body rod in the joint pin.
    Their sum is the rate of change of the body's momentum.  The body, its frame at the mass centre,
    and the distances between its points are grey.

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
        The plane of the drawing: forces are projected on it, and moments are those about its
        normal.
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
    ['weight, 9.81 N', '$S_{1}$, by $S_{0}$, 9.81 N', '$S_{1}$, by $S_{0}$, 4.89 N m']
    """
    idyn, known = check_idyn(idyn), check_axis_units(units)
    check_bool("numbers", numbers)
    check_choice("view", view, VIEWS)
    bodies = bodies_of(idyn, body)
    given = check_mapping("constants", constants)
    result = state_of(idyn, motion, at, given, specifieds)
    size = (1 + 5 * len(bodies), 5.5)
    grid = axes_of_shape(axes, 1, len(bodies), figsize=size)
    drawn = [_Diagram(idyn, result, x, view, given) for x in bodies]
    sizes = [max((x.largest(kind) for x in drawn), default=0.0) for kind in (False, True)]
    for ax, diagram in zip(grid[0], drawn, strict=True):
        diagram.draw(ax, sizes, known if numbers else None)
    return grid


def bodies_of(idyn: InverseDynamics, given: Any) -> list[Any]:
    """Return the requested bodies, all by default."""
    known = list(dict.fromkeys(link.body for link in idyn.model.tree.links))
    if given is None:
        return known
    items = given if isinstance(given, (list, tuple)) else [given]
    if not check_sequence("body", items, "a body, its name, or several"):
        raise ValueError("`body` must be at least one, got none. Leave it out for all.")
    return [known[find_named("body", item, known, "body")] for item in items]


def state_of(
    idyn: InverseDynamics, motion: Any, at: Any, constants: Mapping[Any, float], specifieds: Any
) -> Result:
    """Return the joint wrenches in one state."""
    names = {*idyn.constants, *map(str, idyn.constants)}
    own = {
        key: value for key, value in constants.items() if key in names
    }  # others are in positions
    outputs = ["joint_wrenches", *(["solved_loads"] if idyn.model.request.solve_for else [])]
    evaluate = idyn.compile(outputs, backend="numpy")
    if isinstance(motion, Trajectory):
        k = 0 if at is None else nearest_sample(at, motion.times, len(motion.times))
        given = (motion.q[k], motion.u[k], motion.udot[k])
        return evaluate(*given, own, specifieds, float(motion.times[k]))
    expected = "a Trajectory, or q, u and udot of one state"
    state = check_sequence("motion", motion, expected)
    if len(state) != 3 or any(np.ndim(x) != 1 for x in state):
        raise ValueError(f"`motion` must be {expected}, arrays of shape (n,).")
    instant = None if at is None else check_finite("at", at)
    return evaluate(*state, own, specifieds, instant)


class _Diagram:
    """One body in a plane of ground, with its loads."""

    def __init__(
        self, idyn: InverseDynamics, result: Result, body: Any, view: str, constants: Any
    ) -> None:
        self._body, self._axes = body, list(VIEWS[view])
        self._across = 3 - sum(self._axes)
        self._actions = list(actions_on(idyn, result, body, constants))
        numbers = BodyNumbers(idyn, result, body, constants)
        self._points = {name: x[self._axes] for name, x in numbers.points().items()}
        every = np.array([*self._points.values(), *(x.place[self._axes] for x in self._actions)])
        self._size = float(np.linalg.norm(np.ptp(every, axis=0))) or 1.0
        frame = getattr(body, "frame", None)
        self._frame = None if frame is None else numbers.axes(frame)[self._axes]

    def _seen(self, action: Action) -> np.ndarray:
        """Return the visible components of a vector."""
        axes = [self._across] if action.is_moment else self._axes
        return np.where(np.isin(range(3), axes), action.vector, 0.0)

    def largest(self, is_moment: bool) -> float:
        """Return the largest visible force or moment, relative to the body."""
        sizes = [np.linalg.norm(self._seen(x)) for x in self._actions if x.is_moment == is_moment]
        return float(max(sizes, default=0.0))

    def draw(self, ax: "Axes", sizes: Sequence[float], units: Mapping[str, str] | None) -> None:
        """Draw the body, then forces and moments to the scales of the largest ones."""
        texts = [*self._draw_frame(ax), *self._draw_body(ax, units)]
        limits = [*self._points.values()]
        forces_alone = sizes[1] <= ZERO * sizes[0] * self._size
        normal = np.eye(3)[self._across]
        for action in self._actions:
            size, vector = sizes[action.is_moment], self._seen(action)
            if np.linalg.norm(vector) <= ZERO * size or (action.is_moment and forces_alone):
                continue
            scale = (MOMENT_SIZE if action.is_moment else FORCE_SIZE) * self._size / size
            head = HEAD_SIZE * self._size
            if action.is_moment:
                radius = scale * float(np.linalg.norm(vector))
                path, heads = arc(action.place, vector, radius, head, normal)
                label = action.place + radius * np.eye(3)[self._axes[0]]
            else:
                path, heads = arrow(action.place, scale * vector, head, normal)
                label = action.place + scale * vector
            color = COLORS[action.kind]
            ax.plot(*path[:, self._axes].T, color=color, linewidth=2, zorder=3)
            for corners in heads[..., self._axes]:
                ax.fill(*corners.T, color=color, linewidth=0, zorder=3)
                ax.plot(*corners.T, color=color, linewidth=0.5, zorder=3)  # texts avoid it
            words = action.symbol
            if units is not None:
                unit = units["moment" if action.is_moment else "force"]
                name = ", by ".join(map(typeset, action.name.split(", by ")))
                words = f"{name}, {np.linalg.norm(vector):.3g} {unit}"
            texts.append((label[self._axes], words))
            limits += [*path[:, self._axes], label[self._axes]]
        self._finish(ax, np.array(limits), texts)

    def _draw_body(
        self, ax: "Axes", units: Mapping[str, str] | None
    ) -> Iterator[tuple[np.ndarray, str]]:
        """Draw the outline of the body and its points; yield distances from its mass centre."""
        from matplotlib.patches import Polygon

        points = np.array([*self._points.values()])
        corners = points[np.argsort(np.arctan2(*(points - points.mean(axis=0)).T[::-1]))]
        outline: dict[str, Any] = {"joinstyle": "round", "capstyle": "round", "zorder": 0}
        ax.add_patch(Polygon(corners, color=PALE, linewidth=THICKNESS, **outline))
        ax.plot(*points.T, "o", color=BLACK, markersize=4, zorder=4)
        center = points[0]
        for point in points[1:]:
            if (distance := np.linalg.norm(point - center)) > ZERO * self._size:
                ax.plot(*np.array([center, point]).T, ":", color=BLACK, linewidth=0.8, zorder=1)
                if units is not None:
                    yield (center + point) / 2, f"{distance:.3g} {units['length']}"

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

    def _finish(self, ax: "Axes", reached: np.ndarray, texts: Iterable[Any]) -> None:
        low, high = reached.min(axis=0), reached.max(axis=0)
        middle, half = (low + high) / 2, max((high - low).max() / 2, self._size / 4)
        half += ROOM * self._size
        ax.set_xlim(middle[0] - half, middle[0] + half)
        ax.set_ylim(middle[1] - half, middle[1] + half)
        ax.set_aspect("equal")
        ax.set_axis_off()
        ax.set_title(f"forces and moments on {typeset(self._body)}", fontsize="medium")
        names = [(place, typeset(name)) for name, place in self._points.items()]
        write_beside(ax, [*texts, *names])
