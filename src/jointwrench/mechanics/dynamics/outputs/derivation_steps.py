"""A joint's wrench derived line by line: each line in symbols, and what the kernel has for it.

Bodies are cut free from the tips to the joint.  What one step has found has a name in those that
follow, as on paper: so lines stay short, and as many as there are bodies.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sympy import Expr, Symbol
from sympy.physics.vector import ReferenceFrame, Vector

from ...arithmetic.formula import is_long
from ...arithmetic.graph import Scalar, total
from ...arithmetic.operations import Arithmetic
from ...arithmetic.readable import readable
from ...arithmetic.vectors import Mat, Vec, zero
from ...mechanism.loads import Loads
from ...spatial.observer import ObserverFrame
from ..derivation import Derivation
from ..recursion.newton_euler import move_across
from ..recursion.observed_motion import ObservedMotion
from ..recursion.rigid_body import BodyMotion, BodyWrench, Inertia
from ..recursion.scalar_tree import load_wrench
from .contributions import observed_wrenches, supplied_parts
from .inverse_outputs import check_places, on_child

#: Bodies beyond which nobody reads a derivation, and symbols, numbers and operations beyond which a
#: component of a motion has a name.
MOST_BODIES, LONG_MOTION = 12, 90

#: Terms up to which a value is multiplied out to be written short.
MOST_TERMS = 300

#: What each kind of part is called, by the first word of its name, and how its line begins.
ROLES = {
    "gravity": ("weight", "against the weight"),
    "load": ("load", "against the "),
    "joint": ("joint", "for "),
    "body": ("joint", "for "),
}


@dataclass(frozen=True, eq=False)
class DerivationLine:
    """One line of a derivation: a vector or a scalar, and what it is.

    Attributes
    ==========

    name : str
        What stands before the sign of equality: a symbol such as ``"F_knee"``, or words.
    role : str
        What the value is: ``"angular velocity"``, ``"weight"``, ``"m a"``, ``"load"``,
        ``"joint"``, ``"Coriolis"``, ``"wrench"``, ``"generalized force"`` and more.
    value : tuple of Expr
        Three components, or one scalar, in terms of inputs and of the names of other lines.
    frame : ReferenceFrame or None
        Of the components; None for a scalar.
    on, by : str
        On which body a force or moment acts, and by what it is caused.
    about : str
        The point of a moment, or the point that moves.
    """

    name: str
    role: str
    value: tuple[Expr, ...]
    frame: ReferenceFrame | None
    on: str
    by: str
    about: str
    scalars: tuple[Scalar, ...] = field(repr=False)


@dataclass(frozen=True, eq=False)
class DerivationStep:
    """One body cut free (or the loops closed): lines by what they are.

    Attributes
    ==========

    title, text : str
        What is done, and in which way.
    kinematics, forces, moments, wrench, projection : list of DerivationLine
        How the body moves; what its joint supplies, term by term; their sum; generalized forces.
    """

    title: str
    text: str
    kinematics: list[DerivationLine] = field(default_factory=list)
    forces: list[DerivationLine] = field(default_factory=list)
    moments: list[DerivationLine] = field(default_factory=list)
    wrench: list[DerivationLine] = field(default_factory=list)
    projection: list[DerivationLine] = field(default_factory=list)

    @property
    def lines(self) -> list[DerivationLine]:
        """All lines, in their order."""
        return [
            *self.kinematics,
            *(*self.forces, *self.moments),
            *(*self.wrench, *self.projection),
        ]


def derivation_steps(
    derivation: Derivation, joint: Any, observer: ObserverFrame | None
) -> tuple[list[DerivationStep], dict[Symbol, Scalar]]:
    """Return the steps to a joint's wrench, and what their names stand for."""
    check_places(derivation)
    tree, start = derivation.tree, derivation.tree.index_of_joint[joint]
    beyond = [k for k in range(len(tree.links)) if start in derivation.scalars.path_to_ground(k)]
    if len(beyond) > MOST_BODIES:
        raise ValueError(
            f"`joint` must carry at most {MOST_BODIES} bodies for a derivation that somebody "
            f"reads, got {joint.name!r} with {len(beyond)}. Use a joint farther out, or "
            "formula(joint), which names what occurs often."
        )
    author = _Author(derivation, observer)
    inwards = [k for k in derivation.scalars.path_to_ground(start) if k != start]
    steps = [author.motion_step(index) for index in reversed(inwards)]
    bodies = [author.body_step(index) for index in author.moved(beyond)]
    closing = author.closing_step()
    needed = [step for step in steps if author.has_named(step)]
    return [*needed, *closing, *bodies], author.names


@dataclass(frozen=True)
class _Terms:
    """At most how many terms a value has when it is multiplied out."""

    number: float

    def __add__(self, other: "_Terms") -> "_Terms":
        return _Terms(self.number + other.number)

    __sub__ = __add__

    def __mul__(self, other: "_Terms") -> "_Terms":
        return _Terms(self.number * other.number)

    def __neg__(self) -> "_Terms":
        return self


def _count_argument(function: Any, arguments: list[Any]) -> _Terms:
    return _Terms(max(1, sum(x.number for x in arguments if isinstance(x, _Terms))))


_COUNT = Arithmetic(lambda symbol: _Terms(1), lambda number: _Terms(number != 0), _count_argument)


class _Author:
    """Writes lines, and gives names to what was written."""

    def __init__(self, derivation: Derivation, observer: ObserverFrame | None) -> None:
        self.derivation, self.observer = derivation, observer
        self.graph, self.tree = derivation.graph, derivation.tree
        self.names: dict[Symbol, Scalar] = {}
        self._taken = {_plain(x) for x in (*self.tree.states, *derivation.symbols)}
        self._true = ObservedMotion(derivation.scalars, None, None)
        still = zero(self.graph)
        self._motions: dict[int | None, BodyMotion] = {None: BodyMotion.build(still, still, still)}
        self._kinematics: dict[int, list[DerivationLine]] = {}
        self._wrenches = list(derivation.joint_wrenches)
        # the same balance, in which what closes loops and what was found have names
        supply = derivation.supply
        self._unknowns = [self._named(n, x) for n, x in self._named_unknowns()]
        solution = replace(supply.solution, values=self._unknowns)
        self._balance = replace(
            derivation,
            joint_wrenches=self._wrenches,  # type: ignore[arg-type]
            supply=replace(supply, solution=solution),
        )

    # -- names and lines ----------------------------------------------------------

    def _named(self, name: str, value: Scalar) -> Scalar:
        """Return a symbol that stands for a value in all that follows."""
        if value.is_zero:
            return value
        name = re.sub(r"\W+", "_", name)
        while name in self._taken:
            name += "_"
        symbol = Symbol(name)
        self.names[symbol] = value
        self._taken.add(name)
        return self.graph.scalar(symbol)

    def has_named(self, step: DerivationStep) -> bool:
        """Return whether what a step finds has names in others."""
        return any(str(x).startswith(f"{line.name}_") for x in self.names for line in step.lines)

    def _named_unknowns(self) -> Iterator[tuple[str, Scalar]]:
        supply = self.derivation.supply
        for k, (unknown, value) in enumerate(
            zip(supply.unknowns, supply.solution.values, strict=True)
        ):
            source = unknown.source
            closing = getattr(source, "joint", None)
            own = [x for x in supply.unknowns[: k + 1] if x.source is source]
            label = f"P_{closing.name}_{len(own)}" if closing else _plain(source)
            yield label if closing else f"X_{label}", value

    def _written(self, scalars: Sequence[Scalar]) -> tuple[Expr, ...]:
        """Return formulas: as short as they are found, or if they are long as they are derived."""
        found = []
        for scalar in scalars:
            (terms,) = self.graph.evaluate([scalar.ref], _COUNT)
            is_short = terms.number <= MOST_TERMS
            values = (
                readable(self.graph, [scalar.ref], named=False)[0]
                if is_short
                else self.graph.to_sympy([scalar.ref])
            )
            found += values
        return tuple(found)

    def _line(
        self, name: str, role: str, own: Any, true: Any, index: int, by: str, about: str
    ) -> DerivationLine:
        """Return a line of a vector in a link's frame, or of a scalar."""
        link = self.tree.links[index]
        is_vector = isinstance(own, Vec)
        entries, known = (x.components if is_vector else (x,) for x in (own, true))
        frame = link.frame if is_vector else None
        return DerivationLine(
            *(name, role, self._written(entries), frame, link.body.name, by, about),
            scalars=tuple(known),
        )

    # -- motion -------------------------------------------------------------------

    def moved(self, links: Iterable[int]) -> list[int]:
        """Return links from the tips inwards; how they move is written first, outwards."""
        outwards = list(links)
        for index in outwards:
            self._move(index)
        return outwards[::-1]

    def _move(self, index: int) -> list[DerivationLine]:
        """Return the lines of a body's motion, and give names to the long ones."""
        if index in self._kinematics:
            return self._kinematics[index]
        link, transform = self.tree.links[index], self.derivation.scalars.transforms[index]
        inner = self._motions[link.inner]
        own, true = (
            move_across(self.graph, link, transform, transform.arm, inner),
            self._true.motion(index),
        )
        body, lines, vectors = _plain(link.body.name), [], []
        origin = link.origin.name
        for name, role, what, about in (
            (f"omega_{body}", "angular velocity", "angular_velocity", ""),
            (f"alpha_{body}", "angular acceleration", "angular_acceleration", ""),
            (f"a_{_plain(origin)}", "acceleration", "acceleration", origin),
        ):
            pair = getattr(own, what), getattr(true, what)
            line = self._line(name, role, *pair, index, "", about)
            lines += [line] if any(line.value) else []
            vectors.append(self._short(name, line, *pair))
        motion = self._motions[index] = BodyMotion.build(*vectors)
        center = Vec.enter(self.graph, link.masscenter)
        if not (center.is_zero or link.mass.is_zero):
            known = link.body.masscenter.name
            here, there = (x.acceleration + x.gradient @ center for x in (motion, true))
            name = f"a_{_plain(known)}"
            lines.append(self._line(name, "acceleration", here, there, index, "", known))
        self._kinematics[index] = lines
        return lines

    def _short(self, name: str, line: DerivationLine, own: Vec, true: Vec) -> Vec:
        """Return a vector in which long components have a name."""
        rows = zip("xyz", line.value, own.components, true.components, strict=True)
        return Vec(
            *(
                self._named(f"{name}_{axis}", exact) if is_long([text], LONG_MOTION) else x
                for axis, text, x, exact in rows
            )
        )

    def motion_step(self, index: int) -> DerivationStep:
        """Return how a body moves that is not cut free."""
        name = self.tree.links[index].body.name
        text = "Components are those in the body's frame; names stand for them farther out."
        return DerivationStep(f"The motion of {name}", text, kinematics=self._move(index))

    # -- balance ------------------------------------------------------------------

    def body_step(self, index: int) -> DerivationStep:
        """Return a body cut free: its balance, and what its joint does in it."""
        link, exact = self.tree.links[index], self.derivation
        name = link.joint.name if link.joint else f"{link.body.name} (fixed)"
        inner = self.tree.ground[0].name if self.tree.ground else self.tree.frame.name
        inner = inner if link.inner is None else self.tree.links[link.inner].body.name
        origin = link.origin.name
        step = DerivationStep(
            f"Cut {link.body.name} free at {name}",
            f"What {name} supplies on {link.body.name}, by {inner}: components in the frame "
            f"{link.frame.name}, moments about {origin}.",
            kinematics=self._move(index),
        )
        sums = BodyWrench.zero(self.graph)
        pairs = zip(self._terms(index, True), self._terms(index, False), strict=True)
        for (words, role, by, own), (*_, true) in pairs:
            sums = sums + own
            for lines, half in ((step.forces, "force"), (step.moments, "moment")):
                line = self._line(
                    words if role != "m a" or half == "force" else "r_C x m a",
                    *(role, getattr(own, half), getattr(true, half), index, by),
                    origin if half == "moment" else "",
                )
                lines += [line] if any(line.value) else []
        wrench, named = exact.joint_wrenches[index], []
        for letter, total_of, exactly in (
            ("F", sums.force, wrench.force),
            ("M", sums.moment, wrench.moment),
        ):
            head = f"{letter}_{_plain(name)}"
            about = origin if letter == "M" else ""
            line = self._line(head, "wrench", total_of, exactly, index, inner, about)
            step.wrench.append(line)
            named.append(self._component_names(head, line, exactly))
        self._wrenches[index] = BodyWrench(*named)
        self._project(step, index, inner)
        return step

    def _component_names(self, head: str, line: DerivationLine, true: Vec) -> Vec:
        rows = zip("xyz", line.value, true.components, strict=True)
        none = self.graph.scalar(0)
        return Vec(*(self._named(f"{head}_{axis}", x) if v else none for axis, v, x in rows))

    def _project(self, step: DerivationStep, index: int, by: str) -> None:
        """Write what the joint's wrench gives along its speeds, and about the child's own point."""
        exact, link = self.derivation, self.tree.links[index]
        own, true = self._wrenches[index], exact.joint_wrenches[index]
        for speed, partial in exact.scalars.partial_velocities[index].items():
            pair = partial.power(own), partial.power(true)
            name = f"Q_{_plain(speed)}"
            line = self._line(name, "generalized force", *pair, index, by, "")
            step.projection.append(line)
        point = Vec.enter(self.graph, link.wrench_point)
        if link.joint is None or not (link.is_reversed or not point.is_zero):
            return
        child = link.joint.child
        here, there = (on_child(exact, index, x) for x in (own, true))
        for half in ("force", "moment"):
            name = f"{half} on {getattr(child, 'name', child)}, as joint_wrench has it"
            vectors = getattr(here, half), getattr(there, half)
            about = link.joint.child_point.name if half == "moment" else ""
            line = self._line(name, "wrench", *vectors, index, by, about)
            step.wrench.append(replace(line, frame=link.child_frame))

    def _terms(self, index: int, named: bool) -> Iterator[tuple[str, str, str, BodyWrench]]:
        """Yield what a joint supplies, in words, role, cause and wrench about the link's origin."""
        balance = self._balance if named else self.derivation
        loads = self._loads(index)
        for name, wrench, _ in supplied_parts(balance, index):
            role, words = ROLES[name.split()[0]]
            if role == "load":
                solved = next(loads)
                wrench = solved if named else wrench
            yield words + (name if role != "weight" else ""), role, name, wrench
        if self.observer is not None:
            yield from self._observed(index, self.observer)
            return
        motion = self._motions[index] if named else self._true.motion(index)
        yield from self._inertial(index, motion)

    def _loads(self, index: int) -> Iterator[BodyWrench]:
        """Yield what balances the loads on a link, by the names of those that are solved for."""
        symbols, tree = self.derivation.request.solve_for, self.derivation.scalars
        pairs = zip(self.derivation.supply.unknowns, self._unknowns, strict=True)
        values = {unknown.source: x for unknown, x in pairs if unknown.source in symbols}
        for load in self.derivation.loads.applied:
            if load.link == index:
                (plain,) = Loads((load,)).at_zero(symbols).applied
                wrench = load_wrench(tree, plain)
                for symbol in load.symbols.intersection(symbols):
                    for unit in Loads((load,)).per_unit(symbol).applied:
                        wrench = wrench + load_wrench(tree, unit) * values[symbol]
                yield -wrench

    def _inertial(
        self, index: int, motion: BodyMotion
    ) -> Iterator[tuple[str, str, str, BodyWrench]]:
        link, tree, still = self.tree.links[index], self.derivation.scalars, zero(self.graph)
        inertia, center = tree.inertias[index], Vec.enter(self.graph, link.masscenter)
        force = (motion.acceleration + motion.gradient @ center) * inertia.mass
        by = "its acceleration"
        yield "m a", "m a", by, BodyWrench(force, center.cross(force))
        if link.inertia_is_about_origin:
            central = inertia.about(-center).moments
        else:
            central = Mat.symmetric(lambda i, k: self.graph.scalar(link.inertia[i, k]))
        spinning = replace(motion, acceleration=still)
        spin = Inertia(inertia.mass, still, central).net_wrench(spinning).moment
        words = "I alpha + omega x I omega"
        yield words, words, "its rotation", BodyWrench(still, spin)

    def _observed(
        self, index: int, observer: ObserverFrame
    ) -> Iterator[tuple[str, str, str, BodyWrench]]:
        link = self.tree.links[index]
        found = observed_wrenches(self.derivation, index, observer, link.origin)
        for name, wrench in found.items():
            vectors = (self._entered(x, link.frame) for x in (wrench.force, wrench.moment))
            words = "as the observer sees it" if name == "observed" else f"against {name}"
            yield words, name, name, BodyWrench(*vectors)

    def _entered(self, vector: Vector, frame: ReferenceFrame) -> Vec:
        """Return a Vector in scalars of a frame, turned from frame to frame."""
        found = zero(self.graph)
        for components, own in vector.args:
            part = Vec.enter(self.graph, components)
            for stage in reversed(self.tree.geometry.stages(frame, own).values()):
                part = Mat.enter(self.graph, stage) @ part
            found = found + part
        return found

    # -- loops --------------------------------------------------------------------

    def closing_step(self) -> list[DerivationStep]:
        """Return how unknown forces are solved: an equation for each speed."""
        supply, exact = self.derivation.supply, self.derivation
        if not supply.unknowns:
            return []
        is_open = bool(supply.solution.open)
        step = DerivationStep(
            "Solve for what is unknown",
            "Cut open, the mechanism is a tree. D is the generalized force that the motion asks "
            "of the open tree at each speed. What closes loops (P, in the directions of each "
            "loop), motors and solved loads (X) supply it together: these equations are solved "
            f"for P and X{', by least norm where mechanics leaves some open' * is_open}.",
        )
        for row, (speed, demanded) in enumerate(exact.demanded.items()):
            own = [
                x.column[row] * value
                for x, value in zip(supply.unknowns, self._unknowns, strict=True)
            ]
            true = demanded - supply.solution.residuals[row]
            line = DerivationLine(
                f"D_{_plain(speed)}",
                "closing",
                *(self._written([total([self.graph.scalar(0), *own])]), None, "", "", ""),
                scalars=(true,),
            )
            step.projection.append(line)
        return [step]


def _plain(thing: Any) -> str:
    """Return a name without what symbols do not have."""
    return re.sub(r"\W+", "_", str(getattr(thing, "name", thing)))
