"""Stick figures of moving models, with forces and moments in the joints (extra ``plot``)."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from sympy.physics.vector import Point

from ..arithmetic.array_functions import known_product
from ..checks.arguments import check_choice, check_instance, find_named
from ..checks.instants import check_instants
from ..measured.force_plate import ForcePlate
from ..model_files.model import ModelFromFile
from ..models.closure import Closure
from ..models.coupled_joint import CoupledJoint
from ..models.serial_chain import SerialChain
from ..results.result import Result
from .axes import new_axes
from .placement import Placement
from .shapes import arc, arrow

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: The colours of a figure: segments, forces, moments, ground reaction.
COLOURS = {"body": "#333333", "force": "#c1272d", "moment": "#0000a7", "ground": "#008176"}

#: Length of the largest force and radius of the largest moment, in parts of the model's size.
FORCE_SIZE, MOMENT_SIZE = 0.3, 0.08

VIEWS = {"xy": (0, 1), "xz": (0, 2), "yz": (1, 2), "3d": (0, 1, 2)}


class StickFigure:
    """A moving model as lines: where its joints are and what they transmit.

    Parameters
    ==========

    model, motion, result, ground, constants, view, joints : optional but the first two
        As for `plot_stick_figure`.

    Raises
    ======

    TypeError
        If the model is none of these, or ``motion``, ``result``
        or ``ground`` has the wrong type.
    ValueError
        If numbers of samples differ, a constant is missing, or the view or a
        joint is unknown.
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
        closures = [x for x in loops if isinstance(x, Closure)]
        placement = Placement.of(model, motion, numbers, closures)
        self.times = np.asarray(motion.times)
        self.segments = _segments(model, placement)
        chosen = _chosen(placement.joints, joints)
        points = [placement.places[joint.child_point] for joint in placement.joints]
        self.joints = np.stack(points, axis=1)[:, chosen]
        self.size = self._extent()
        self._moments: np.ndarray | None = None
        self._forces: dict[str, tuple[np.ndarray, np.ndarray]] = {}  # where each acts, and it
        if result is not None:
            wrenches = _wrenches(placement, result, len(self.times))
            forces, moments = (x[:, chosen] for x in wrenches)
            around = self._axes if view == "3d" else [3 - sum(self._axes)]
            self._forces["force"] = self.joints, _visible(forces, self._axes)
            self._moments = _visible(moments, around)
        if ground is not None:
            self._forces["ground"] = _reaction(ground, self.times)
        self._scale_forces()

    def _extent(self) -> float:
        """Return the largest size of the model at any instant, in the view."""
        seen = self.segments[..., self._axes].reshape(len(self.times), -1, len(self._axes))
        size = float(np.linalg.norm(np.ptp(seen, axis=1), axis=-1).max())
        return size or 1.0

    def _scale_forces(self) -> None:
        sizes = (np.linalg.norm(force, axis=-1) for _, force in self._forces.values())
        largest = max((np.nan_to_num(size).max() for size in sizes), default=0.0)
        self.newtons = largest or 1.0
        self.force_scale = FORCE_SIZE * self.size / self.newtons
        moments = np.zeros(1) if self._moments is None else np.linalg.norm(self._moments, axis=-1)
        self.newton_meters = float(np.nan_to_num(moments).max()) or 1.0
        self.moment_scale = MOMENT_SIZE * self.size / self.newton_meters

    def limits(self) -> np.ndarray:
        """Return the least and the largest coordinate of each axis in the view, shape (2, d)."""
        places = [self.segments.reshape(-1, 3)]
        for origin, force in self._forces.values():
            places += [x.reshape(-1, 3) for x in (origin, origin + self.force_scale * force)]
        every = np.concatenate(places)[:, self._axes]
        room = 0.08 * self.size
        return np.array([np.nanmin(every, axis=0) - room, np.nanmax(every, axis=0) + room])

    def lines(self, k: int) -> dict[str, np.ndarray]:
        """Return what is drawn at sample k: polylines in the view, shape (points, d).

        Polylines of one kind follow each other with a row of NaN between them.
        """
        drawn = {"body": list(self.segments[k])}
        normal = None if self.view == "3d" else np.eye(3)[3 - sum(self._axes)]
        for kind, (origins, forces) in self._forces.items():
            pairs = zip(origins[k], self.force_scale * forces[k], strict=True)
            drawn[kind] = [arrow(place, force, normal) for place, force in pairs]
        if self._moments is not None:
            pairs = zip(self.joints[k], self._moments[k], strict=True)
            drawn["moment"] = [self._arc(place, moment, normal) for place, moment in pairs]
        return {kind: _joined(drawn[kind])[:, self._axes] for kind in COLOURS if kind in drawn}

    def _arc(self, place: np.ndarray, moment: np.ndarray, normal: np.ndarray | None) -> np.ndarray:
        """Return the arc of the part of a moment that turns in the view."""
        seen = moment if normal is None else (moment @ normal) * normal
        return arc(place, seen, self.moment_scale * float(np.linalg.norm(seen)))

    # -- drawing ----------------------------------------------------------------

    def legend(self, ax: "Axes", title: str = "") -> None:
        """Tell above the Axes what the arrows and arcs are, below a title."""
        if title or self._forces:
            style: dict[str, Any] = {"loc": "lower left", "bbox_to_anchor": (0, 1), "ncols": 2}
            style |= {"title": title, "alignment": "left", "title_fontsize": "small"}
            ax.legend(fontsize="small", frameon=False, **style)

    def axes(self, ax: "Axes | None", units: str = "m", room: float = 0.0) -> "Axes":
        """Return Axes with the limits, the scale and the labels of the view."""
        if ax is None:
            ax = new_axes(subplot_kw={"projection": "3d" if self.view == "3d" else None})
        if (ax.name == "3d") != (self.view == "3d"):
            raise ValueError(f"`ax` must fit the view {self.view!r}, got {ax.name} Axes.")
        low, high = self.limits()
        high[0] += room
        for axis, bottom, top in zip(self._axes, low, high, strict=True):
            place = "xyz"[self._axes.index(axis)]
            getattr(ax, f"set_{place}lim")(bottom, top)
            getattr(ax, f"set_{place}label")(f"{'xyz'[axis]} / {units}")
        ax.set_aspect("equal")
        if self.view == "3d":
            ax.locator_params(nbins=5)
        return ax

    def draw(
        self, ax: "Axes", k: int, alpha: float = 1.0, labels: bool = True, shift: float = 0.0
    ) -> dict[str, Any]:
        """Draw sample k, shifted along the first axis of the view; return the line of each kind."""
        texts = {
            "body": "segments",
            "force": f"joint force (largest {self.newtons:.3g} N)",
            "moment": f"joint moment (largest {self.newton_meters:.3g} N m)",
            "ground": "ground reaction",
        }
        artists = {}
        for kind, path in self.lines(k).items():
            style: dict[str, Any] = {"color": COLOURS[kind], "alpha": alpha}
            style |= {"linewidth": 3 if kind == "body" else 1.6, "solid_capstyle": "round"}
            style |= {"marker": "o", "markersize": 4} if kind == "body" else {}
            label = texts[kind] if labels else None
            path[:, 0] += shift
            (artists[kind],) = ax.plot(*path.T, label=label, **style)
        return artists

    def update(self, artists: Mapping[str, Any], k: int) -> None:
        """Move lines that were drawn to sample k."""
        for kind, path in self.lines(k).items():
            if self.view == "3d":
                artists[kind].set_data_3d(*path.T)
            else:
                artists[kind].set_data(*path.T)


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
    spacing: float = 0.0,
    ax: "Axes | None" = None,
    units: str = "m",
) -> "Axes":
    """Draw a moving model as a stick figure, with what its joints transmit.

    Arrows are the forces on the child bodies in their joints, arcs the moments,
    turning as they do by the right-hand rule; their length and radius are in
    proportion to the largest ones, which the legend tells.

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
    spacing : float
        Length by which each instant is shifted from the one before along the
        first axis of the view, for motions that stay in place.
    ax : matplotlib Axes, optional
        Where to draw.  Default: a new figure.
    units : str
        The unit of length.

    Returns
    =======

    matplotlib Axes
        With one line per instant and kind (segments, forces, moments, ground).

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
    >>> from jointwrench.models.serial_chain import SerialChain
    >>> from jointwrench.motion.trajectory import Trajectory
    >>> from jointwrench.plotting.stick_figure import plot_stick_figure
    >>> t = np.linspace(0, 1, 50)
    >>> motion = Trajectory.from_samples(t, np.stack([np.sin(t), t], -1))
    >>> ax = plot_stick_figure(
    ...     SerialChain.planar(2), motion, constants={"l_0": 0.4, "l_1": 0.3}, times=[0, 1]
    ... )
    >>> len(ax.lines)
    2
    """
    figure = StickFigure(model, motion, result, ground, constants, view, joints)
    wanted = np.linspace(figure.times[0], figure.times[-1], 5) if times is None else times
    samples = [int(np.abs(figure.times - t).argmin()) for t in np.sort(wanted, axis=None)]
    ax = figure.axes(ax, units, spacing * (len(samples) - 1))
    for place, k in enumerate(samples):
        last = place == len(samples) - 1
        alpha = 1.0 if last or spacing else 0.55
        figure.draw(ax, k, alpha, labels=last, shift=place * spacing)
    figure.legend(ax, _title(figure.times[samples], spacing))
    return ax


def _title(times: np.ndarray, spacing: float) -> str:
    """Return the instants that are drawn, and how to tell them apart."""
    if len(times) == 1:
        return f"t = {times[0]:.2f} s"
    order = "one beside the other" if spacing else "earlier ones pale"
    return f"t = {times[0]:.2f} s to {times[-1]:.2f} s, {order}"


def _chosen(known: Sequence[Any], joints: Iterable[Any] | None) -> list[int]:
    """Return the positions of some joints, given by themselves or by name."""
    wanted = known if joints is None else joints
    return [find_named("joints", getattr(joint, "name", joint), known) for joint in wanted]


def _segments(model: Any, placement: Placement) -> np.ndarray:
    """Return the lines of all bodies, (N, lines, 2, 3): from joint to joint, or to the end.

    Where that is no line, the body is drawn from the joint to its mass centre.
    """
    lines, joints, places = [], placement.joints, placement.places
    closures = [joint for joint in joints if isinstance(joint, Closure)]
    for joint in joints[: len(joints) - len(closures)]:
        body, start = joint.child, places[joint.child_point]
        ends = [_place_on_parent(j) for j in joints if j.parent is body]
        ends += [x.child_point for x in closures if x.child is body]
        if not ends and isinstance(model, SerialChain) and body is model.bodies[-1]:
            ends = [model.tip]
        if all(np.allclose(places[end], start) for end in ends):
            ends.append(body.masscenter)
        lines += [np.stack([start, places[end]], 1) for end in ends]
    return np.stack(lines, axis=1)


def _place_on_parent(joint: Any) -> Point:
    """Return where a joint is seen on its parent.

    The parent's point of a coupled joint can be anywhere: that of OpenSim's knee is the hip.
    """
    return joint.child_point if isinstance(joint, CoupledJoint) else joint.parent_point


def _wrenches(placement: Placement, result: Any, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return forces and moments on the child bodies in ground's axes, (N, joints, 3) each."""
    wrenches = result.joint_wrenches
    joints = placement.joints
    if wrenches.shape[:-1] != (count, len(joints)):
        raise ValueError(
            f"`result` must have the instants of the motion and the joints of the model, wrenches "
            f"of shape ({count}, {len(joints)}, 6), got {wrenches.shape}."
        )
    turns = np.stack([placement.rotations[joint.child] for joint in joints], axis=1)
    force, moment = (known_product(turns, x) for x in np.split(wrenches, 2, axis=-1))
    return force, moment


def _visible(vectors: np.ndarray, axes: Sequence[int]) -> np.ndarray:
    """Return vectors whose components that nobody sees are zero where they are not known."""
    is_known = ~np.isnan(vectors[..., axes]).any(axis=-1, keepdims=True)
    return np.where(is_known, np.nan_to_num(vectors), np.nan)


def _reaction(ground: Any, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return where the ground reaction acts and the force, (N, 1, 3); NaN where there is none."""
    check_instants("ground", ground.times, times)
    load = np.abs(ground.force).max()
    center = ground.center_of_pressure(threshold=0.02 * load)
    return center[:, None], np.where(np.isnan(center), np.nan, ground.force)[:, None]


def _joined(paths: list[np.ndarray]) -> np.ndarray:
    gap = np.full((1, 3), np.nan)
    return np.concatenate([part for path in paths for part in (path, gap)][:-1])
