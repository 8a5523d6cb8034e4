"""`Explanation`: the terms of a joint wrench at one instant, by body and by source."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ...checks.arguments import check_choice
from ...checks.display import Grid, NotebookTable
from ...checks.tolerances import ROUNDING
from ...records.instants import nearest_sample
from ...records.wrench_components import COMPONENTS
from ..dynamics.outputs.contributions import PARTS
from ..mechanism.tree import Tree

#: The name of each source in tables, and the effect of the joint in sentences.
SOURCES = {
    "gravity": ("weight of {}", "carries the weight of {}"),
    "acceleration": ("acceleration of {}", "accelerates {}"),
    "velocity": ("curved path of {}", "bends the path of {}"),
    "gyroscopic": ("gyroscopic moment of {}", "turns the spin of {}"),
    "loads": ("loads on {}", "holds the loads on {}"),
    "loops": ("closed loops", "holds closed loops {}"),
}

#: Terms of a sentence: the smallest relative to the largest one, and their largest number.
LEAST_SHARE, MOST_TERMS = 0.05, 3


class WrenchTerm(NamedTuple):
    """A term of the joint wrench due to one body, its source and its signed ``share``."""

    body: str
    source: str
    value: float
    share: float

    @property
    def name(self) -> str:
        """The name, for instance ``"weight of foot"``."""
        return SOURCES[self.source][0].format(self.body)


@dataclass(frozen=True, repr=False)
class Explanation(NotebookTable):
    """The terms that make up one component of a joint wrench at one instant.

    Made by `Result.explain`.  It prints as a sentence and a table, the largest term first.

    Attributes
    ==========

    joint, on, by : str
        The joint; the body on which the wrench acts, and the body that exerts it.
    component : str
        One of fx, fy, fz, mx, my, mz, as for `Result.joint_wrench`: about the joint's child point,
        in the child body's frame.
    value : float
        The value of the component.
    terms : tuple of WrenchTerm
        ``body``, ``source``, ``value`` and ``share`` of each term, the largest first; they sum
        to the value.  A source is "gravity", "acceleration", "velocity" (``m a`` of the mass centre
        without accelerations), "gyroscopic" (the rate of its angular momentum without them),
        "loads" or "loops".
    time : float or None
        The instant, if times were given.
    is_peak : bool
        Whether the component is largest at this instant, if times were given.

    See Also
    ========

    Result.explain : Makes it.

    Examples
    ========

    >>> import jointwrench as jw
    >>> chain = jw.SerialChain.planar(1, gravity=(0, -10, 0))
    >>> idyn = jw.InverseDynamics(chain.system)
    >>> evaluate = idyn.compile(["joint_wrenches", "contributions"], backend="numpy")
    >>> found = evaluate([0], [0], [2], {"l_0": 1, "m_0": 3, "I_0": 1}).explain("S_0")
    >>> found.by_source
    {'acceleration': 3.5}
    """

    joint: str
    on: str
    by: str
    component: str
    value: float
    terms: tuple[WrenchTerm, ...]
    time: float | None = None
    is_peak: bool = False

    @property
    def by_body(self) -> dict[str, float]:
        """The sum of the terms of each body."""
        return _sums((term.body or term.name, term.value) for term in self.terms)

    @property
    def by_source(self) -> dict[str, float]:
        """The sum of the terms of each source over all bodies."""
        return _sums((term.source, term.value) for term in self.terms)

    @property
    def sentence(self) -> str:
        """The explanation in one sentence."""
        kind = "force" if self.component[0] == "f" else "moment"
        when = "" if self.time is None else f" at {self.time:.4g} s"
        peak = ", its largest" if self.is_peak else ""
        head = f"The {kind} {self.component} in {self.joint}, on {self.on} by {self.by}, is "
        head += f"{self.value:.4g}{when}{peak}."
        least = LEAST_SHARE * max((abs(term.value) for term in self.terms), default=0.0)
        largest = [x for x in self.terms if abs(x.value) > least][:MOST_TERMS]
        along = _format_sentence(x for x in largest if x.value * self.value >= 0)
        against = _format_sentence(x for x in largest if x.value * self.value < 0)
        head += f" It {along}." if along else ""
        return head + (f" Against that it {against}." if against else "")

    def _grid(self) -> Grid:
        rows = [(x.name, f"{x.value:.4g}", f"{100 * x.share:.1f} %") for x in self.terms]
        return Grid(self.sentence, ("", self.component, "share"), rows)


def explain(result: Any, joint: Any, component: Any, at: Any) -> Explanation:
    """Return the explanation of one component of a joint's wrench; see `Result.explain`."""
    index, tree = result._index(joint), result._known_tree()
    result.joint_contributions(joint)  # refuses closing joints, and what was not compiled
    wrenches = result.joint_wrenches[..., index, :]
    if wrenches.ndim > 2:
        raise ValueError(
            f"`result` must be of one motion, got the shape {wrenches.shape[:-1]} of samples. Use "
            "evaluate(motion, ...) for one of them."
        )
    component = _component(wrenches, component)
    curve = wrenches[..., COMPONENTS.index(component)]
    place = _sample(result, curve, at)
    own = result if place is None else result._over(lambda values: values[place])
    value = float(curve if place is None else curve[place])
    if np.isnan(value):
        raise ValueError(
            f"`component` must be determined, but {component} of {result.joints[index].name} is "
            "undetermined there. Use another one, or InverseDynamics(..., "
            "redundancy={joint: compliance})."
        )
    found = _terms(own, tree, index, COMPONENTS.index(component))
    rest = value - sum(x for _, _, x in found)
    size = max(abs(value), *(abs(x) for _, _, x in found))
    found.append(("", "loops", rest))
    kept = sorted((x for x in found if abs(x[2]) > ROUNDING * size), key=lambda x: -abs(x[2]))
    terms = tuple(WrenchTerm(*x, x[2] / value if value else np.nan) for x in kept)
    name, time = result.joints[index], None if own.times is None else float(own.times)
    is_peak = place is not None and abs(value) >= np.nanmax(abs(curve))
    return Explanation(
        *(name.name, name.child.name, name.parent.name, component, value, terms, time, is_peak)
    )


def _component(wrenches: np.ndarray, given: Any) -> str:
    """Return a component's name; default: the largest moment, or force without moments."""
    if given is not None:
        return check_choice("component", given, COMPONENTS)
    sizes = np.nan_to_num(abs(wrenches)).reshape(-1, 6).max(axis=0, initial=0.0)
    half = 3 if sizes[3:].any() else 0
    return COMPONENTS[half + int(np.argmax(sizes[half : half + 3]))]


def _sample(result: Any, curve: np.ndarray, at: Any) -> int | None:
    """Return the index of the sample at an instant; None for the result of one state."""
    if curve.ndim == 0:
        if at is not None:
            raise ValueError("`at` must be left out for the result of one state.")
        return None
    if at is None:
        return int(np.argmax(np.nan_to_num(abs(curve))))
    times = None if result.times is None else np.broadcast_to(result.times, curve.shape)
    return nearest_sample(at, times, len(curve))


def _terms(result: Any, tree: Tree, index: int, component: int) -> list[tuple[str, str, float]]:
    """Return the terms of all bodies beyond a joint as (body, source, value)."""
    frame, point = tree.wrench_frames[index], tree.joints[index].child_point
    first = tree.index_of_joint[tree.joints[index]]
    beyond = {first}
    for number, link in enumerate(tree.links):
        if link.inner in beyond:
            beyond.add(number)
    found = []
    for k, link in enumerate(tree.joint_links):
        if tree.index_of_joint[tree.joints[k]] not in beyond:
            continue
        sign = -1 if link.is_reversed != tree.links[first].is_reversed else 1
        for number, source in enumerate(PARTS):
            if source in SOURCES:
                part = result.contributions[..., k, number, :]
                values = {source: result._express(k, part, point, frame, None)}
                if source == "velocity" and part.any():
                    couple = result._express(k, part, link.body.masscenter, frame, None)
                    couple[:3] = 0.0
                    values = {source: values[source] - couple, "gyroscopic": couple}
                found += [(link.body.name, x, sign * own[component]) for x, own in values.items()]
    return [(body, source, float(value)) for body, source, value in found]


def _sums(pairs: Iterable[tuple[str, float]]) -> dict[str, float]:
    """Return the sums of values by name, the largest first."""
    sums: dict[str, float] = {}
    for name, value in pairs:
        sums[name] = sums.get(name, 0.0) + value
    return dict(sorted(sums.items(), key=lambda pair: -abs(pair[1])))


def _format_sentence(terms: Iterable[WrenchTerm]) -> str:
    """Return the effects of the joint as words, each source once."""
    bodies: dict[str, list[str]] = {}
    for term in terms:
        share = "" if np.isnan(term.share) else f" ({100 * abs(term.share):.0f} %)"
        bodies.setdefault(term.source, []).append(f"{term.body}{share}".strip())
    return _join_items([SOURCES[x][1].format(_join_items(own)) for x, own in bodies.items()])


def _join_items(items: list[str]) -> str:
    """Return items as text with commas and "and"."""
    return " and ".join(filter(None, [", ".join(items[:-1]), *items[-1:]]))
