"""Free-body diagrams in space, as an interactive page."""

from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Any, Literal

import numpy as np

from .. import InverseDynamics
from ..checks.arguments import check_choice, check_instance, check_mapping
from ..checks.numbers import check_positive
from ..drawing.scale_key import round_size
from ..extend import check_idyn
from ..records.laboratory import check_axis_units
from .actions import Action, BodyNumbers, actions_on, bodies_of, state_of
from .free_body import COLORS, FORCE_SIZE, MOMENT_SIZE, ROOM
from .view import InteractiveView, page_of

TEXTS = {"weight": "weights", "load": "loads", "joint": "forces in joints"}


def interactive_free_body(
    idyn: InverseDynamics,
    motion: Any,
    body: Any = None,
    constants: Mapping[Any, float] | None = None,
    specifieds: Mapping[Any, Any] | None = None,
    *,
    at: float | None = None,
    apart: float = 0.5,
    up: Literal["x", "y", "z"] = "y",
    units: Mapping[str, str] | None = None,
    title: str = "Free bodies",
) -> InteractiveView:
    """Return a page with free-body diagrams in space: all forces and moments on each body.

    The bodies are moved apart, and each joint shows its wrench on the child and the negative on the
    parent.  Arrows are forces at their points of action, arcs are moments by the right-hand rule;
    their names and magnitudes can be hidden. Drag to rotate, with Shift to move, use the wheel to
    zoom.

    Parameters
    ==========

    idyn, motion, body, constants, specifieds, at, units : optional but the first two
        As for `plot_free_body`.
    apart : float
        Displacement of the bodies, divided by the distance of their mass centres from the middle;
        positive.
    up : {"y", "z", "x"}
        The axis of ground that points up.
    title : str
        Title of the page.

    Raises
    ======

    TypeError, ValueError
        As `plot_free_body`; if ``up`` is not an axis, or ``apart`` is not positive.

    See Also
    ========

    plot_free_body : The same as a figure.

    Examples
    ========

    >>> import jointwrench as jw
    >>> chain = jw.SerialChain.planar(2, gravity=(0, -9.81, 0))
    >>> idyn = jw.InverseDynamics(chain.system)
    >>> state = [0.5, 1.0], [0, 0], [0, 0]
    >>> jw.pictures.interactive_free_body(idyn, state, None, dict.fromkeys(idyn.constants, 1.0))
    InteractiveView(0... MB; .save('view.html') writes it)
    """
    idyn, texts = check_idyn(idyn), check_axis_units(units)
    check_choice("up", up, ("y", "z", "x"))
    check_instance("title", title, str, "a str")
    check_positive("apart", apart)
    bodies, given = bodies_of(idyn, body), check_mapping("constants", constants)
    result = state_of(idyn, motion, at, given, specifieds)
    numbers = [BodyNumbers(idyn, result, x, given) for x in bodies]
    centers = np.array([numbers[0].place(x.masscenter) for x in bodies])
    centers = centers + apart * (centers - centers.mean(axis=0))
    scene = _Scene(texts)
    for one, center, values in zip(bodies, centers, numbers, strict=True):
        far = values.far_end()
        ends = [*values.points().values(), *([] if far is None else [far])]
        scene.add_body(str(one), center, ends)
        scene.add_actions(center, actions_on(idyn, result, one, given))
    data, key = scene.data()
    return page_of(data | {"up": up, "speed": 1.0}, key, title)


class _Scene:
    """Lines of bodies, arrows, and points with their names and moments."""

    def __init__(self, units: Mapping[str, str]) -> None:
        self._units = units
        self._lines: list[np.ndarray] = []
        self._arrows: dict[str, list[np.ndarray]] = {}
        self._named: list[tuple[str, np.ndarray, np.ndarray, np.ndarray]] = []
        self._size = 0.0

    def add_body(self, name: str, center: np.ndarray, points: Iterable[np.ndarray]) -> None:
        own = [np.array([center, center + place]) for place in points]
        self._lines += own
        self._size = max(self._size, float(np.linalg.norm(np.ptp(own, axis=(0, 1)))))
        self._named.append((name, center, np.zeros(3), np.zeros(3)))

    def add_actions(self, center: np.ndarray, actions: Iterable[Action]) -> None:
        """Draw the loads on a body; a force and a moment of one name share a text."""
        for name, group in groupby(actions, lambda action: action.name):
            same, force, moment = list(group), np.zeros(3), np.zeros(3)
            place = center + same[0].place
            for action in same:
                if action.is_moment:
                    moment = moment + action.vector
                else:
                    force = force + action.vector
                    self._arrows.setdefault(action.kind, []).append(
                        np.array([place, action.vector])
                    )
            text = f"{name}, {', '.join(map(self._text, same))}"
            self._named.append((text, place, force, moment))

    def _text(self, action: Action) -> str:
        unit = self._units["moment" if action.is_moment else "force"]
        return f"{np.linalg.norm(action.vector):.3g} {unit}"

    def data(self) -> tuple[dict[str, Any], list[tuple[str, float, str]]]:
        """Return the contents of the page, in ground's axes, and of its key: one instant."""
        lines = np.array(self._lines)
        names, *vectors = zip(*self._named, strict=True)
        places, forces, moments = map(np.array, vectors)
        size = self._size or 1.0
        arrows = {kind: np.array(own) for kind, own in self._arrows.items()}
        every = np.concatenate([np.zeros((0, 2, 3)), *arrows.values()])
        force, unit_force = _scale(every[:, 1], FORCE_SIZE * size)
        radius, unit_moment = _scale(moments, MOMENT_SIZE * size)
        reached = [*lines.reshape(-1, 3), *every[:, 0], *(every[:, 0] + force * every[:, 1])]
        low, high = np.min(reached, axis=0) - ROOM * size, np.max(reached, axis=0) + ROOM * size
        key = [
            (kind, force * unit_force, f"{TEXTS[kind]}, {unit_force:g} {self._units['force']}")
            for kind in arrows
        ]
        if radius:
            text = f"moments (radius), {unit_moment:g} {self._units['moment']}"
            key.append(("moment", radius * unit_moment, text))
        length = round_size(size / 2)
        key += [("names", length, "names"), ("body", length, f"{length:g} {self._units['length']}")]
        return {
            "bodies": [lines.tolist()],
            "joints": [places.tolist()],
            "forces": {
                kind: {"places": [own[:, 0].tolist()], "vectors": [own[:, 1].tolist()]}
                for kind, own in arrows.items()
            },
            "moments": [moments.tolist()] if radius else None,
            "forceScale": force,
            "momentScale": radius,
            "size": size,
            "center": ((low + high) / 2).tolist(),
            "room": (high - low).tolist(),
            "names": names,
            "labels": (places + force * forces).tolist(),
            "colors": COLORS,
        }, key


def _scale(vectors: np.ndarray, length: float) -> tuple[float, float]:
    """Return the factor from vectors to lengths, by the largest one, and a round value."""
    largest = float(np.linalg.norm(vectors, axis=-1).max(initial=0.0))
    return (length / largest, round_size(largest / 2)) if largest else (0.0, 0.0)
