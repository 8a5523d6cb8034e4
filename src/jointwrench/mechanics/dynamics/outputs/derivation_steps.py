"""The derivation of a joint wrench line by line, in symbols, with the values of the kernel.

Bodies are cut free from the tips to the joint.  Results of one step have names in later steps, as
on paper, so lines are short and their number grows with the number of bodies.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from sympy import Expr, Symbol

from ...arithmetic.formula import is_long
from ...arithmetic.graph import Scalar
from ...arithmetic.trigonometric import count_written_operations
from ...arithmetic.vectors import Mat, Vec, zero
from ...mechanism.tree import Link
from ...spatial.observer import ObserverFrame
from ..derivation import Derivation
from ..recursion.newton_euler import move_across
from ..recursion.observed_motion import ObservedMotion
from ..recursion.rigid_body import BodyMotion, BodyWrench, Inertia
from .closing_steps import closing_steps
from .constant_sums import with_constants
from .contributions import attached_parts, observed_wrenches
from .derivation_lines import DerivationLine, DerivationStep, Words
from .line_writer import FramedVector, LineWriter, word_of
from .wrench_formulas import express_in
from .wrench_outputs import check_locations, wrench_on_child

#: Largest number of bodies in a derivation.
MOST_BODIES = 12

#: Size beyond which a component of a motion has a name, and number of operations from which a
#: component of a force or moment has one.
LONG_MOTION, NAMED = 60, 3

MOTION_TEXT = "In later steps a name with x, y or z stands for the component along that axis."

#: The motions of a body: the letter in names, and the role of the line.
MOTIONS = {"omega": "angular velocity", "alpha": "angular acceleration", "a": "acceleration"}


def derivation_steps(
    written: Derivation, kernel: Derivation, joint: Any, observer: ObserverFrame | None
) -> tuple[list[DerivationStep], dict[Symbol, Scalar]]:
    """Return the steps that lead to a joint wrench, and the exact values of the names in them.

    Lines are made from ``written``, in which loops are solved as on paper; their values are those
    of ``kernel``, and both must agree.
    """
    check_locations(kernel)
    tree, start = written.tree, written.tree.index_of_joint[joint]
    beyond = [k for k in range(len(tree.links)) if start in written.scalars.path_to_ground(k)]
    if len(beyond) > MOST_BODIES:
        raise ValueError(
            f"`joint` must have at most {MOST_BODIES} bodies beyond it for a readable "
            f"derivation, got {joint.name!r} with {len(beyond)}. Use a joint farther out, or "
            "formula(joint), which names repeated terms."
        )
    step_writer = _StepWriter(written, kernel, observer)
    closing = closing_steps(step_writer.writer, written)
    inner = [k for k in written.scalars.path_to_ground(start) if k != start][::-1]
    motions = step_writer.motion_steps([*inner, *beyond])
    steps = [*closing, *motions, *map(step_writer.body_step, beyond[::-1])]
    steps = with_constants(step_writer.writer, written, steps)
    used = {x for step in steps for line in step.lines for y in line.value for x in y.free_symbols}
    return steps, {name: x for name, x in step_writer.writer.names.items() if name in used}


class _Term(NamedTuple):
    """A term of a joint wrench: role, cause, and names and values of force and moment."""

    role: str
    by: str
    names: tuple[str, str]
    halves: tuple[FramedVector, FramedVector]


class _StepWriter:
    """Writes the steps in which bodies are cut free, from the tips inwards."""

    def __init__(
        self, written: Derivation, kernel: Derivation, observer: ObserverFrame | None
    ) -> None:
        self.written, self.kernel, self.observer = written, kernel, observer
        self.graph, self.tree = written.graph, written.tree
        self.writer = LineWriter(written)
        still = zero(self.graph)
        self._true = ObservedMotion(kernel.scalars, None, None)
        self._motions: dict[int | None, BodyMotion] = {None: BodyMotion.build(still, still, still)}
        self._centers: dict[int, tuple[FramedVector, FramedVector]] = {}
        self._kinematics: dict[int, list[DerivationLine]] = {}
        self._handed_on: dict[int, None] = {}  # links whose motion has names in later lines
        self._shown: dict[int, tuple[FramedVector, FramedVector]] = {}
        self._masses: dict[int, str] = {}
        # the balance in terms of the results for outer joints
        self._wrenches = list(written.joint_wrenches)
        self._balance = replace(written, joint_wrenches=self._wrenches)  # type: ignore[arg-type]

    # -- motion -------------------------------------------------------------------

    def motion_steps(self, links: Iterable[int]) -> list[DerivationStep]:
        """Return the steps for those motions of bodies whose names other bodies need.

        ``links`` are ordered from ground outwards.  These lines are not repeated where a body is
        cut free.
        """
        for index in links:
            self._move(index)
        steps = []
        for index in self._handed_on:
            title = f"The motion of {self.tree.links[index].body.name}"
            steps.append(DerivationStep(title, MOTION_TEXT, kinematics=self._kinematics[index]))
            self._kinematics[index] = []
        return steps

    def _move(self, index: int) -> None:
        """Write the motion of a body, and name its long components."""
        link, transform = self.tree.links[index], self.written.scalars.transforms[index]
        true, writer = self._true.motion(index), self.writer
        own = move_across(self.graph, link, transform, transform.arm, self._motions[link.inner])
        lines = self._kinematics[index] = list[DerivationLine]()
        vectors = []
        for letter, role in MOTIONS.items():
            about = link.origin.name if letter == "a" else ""
            name = f"{letter}_{writer.label(about or link.body)}"
            mine, exact = (
                FramedVector(getattr(x, role.replace(" ", "_")), link.frame) for x in (own, true)
            )
            words = Words(name, role, role, link.body.name, "", about)
            shown, exact = writer.vector(lines, words, mine, exact, index)
            if writer.name_components(name, shown, exact, _is_long_motion):
                mine, self._handed_on[index] = writer.rotated(shown, link.frame), None
            vectors.append(mine.vector)
        motion = self._motions[index] = BodyMotion.build(*vectors)
        place, center = Vec.enter(self.graph, link.masscenter), link.body.masscenter
        mine, exact = (
            FramedVector(x.acceleration + x.gradient @ place, link.frame) for x in (motion, true)
        )
        words = Words(f"a_{writer.label(center)}", role, role, link.body.name, "", center.name)
        is_plain = place.is_zero or link.mass.is_zero
        shown, exact = writer.vector([] if is_plain else lines, words, mine, exact, index)
        if not is_plain:
            writer.name_components(words.name, shown, exact, _is_long_motion)
        self._centers[index] = shown, exact

    # -- balance ------------------------------------------------------------------

    def body_step(self, index: int) -> DerivationStep:
        """Return the step in which a body is cut free: its balance with the joint wrench."""
        link, writer = self.tree.links[index], self.writer
        body, origin = link.body.name, link.origin.name
        place = _joint(link) if link.joint else f"the point {link.inner_side.point.name}"
        step = DerivationStep(f"Cut {body} free at {place}", "", body)
        step.kinematics.extend(self._kinematics[index])
        self._places(step, index)
        sums = [zero(self.graph), zero(self.graph)]
        own, true = (self._terms(x, index) for x in (self._balance, self.kernel))
        for term, exact in zip(own, true, strict=True):
            for k, (lines, quantity) in enumerate(
                ((step.forces, "force"), (step.moments, "moment"))
            ):
                words = Words(term.names[k], term.role, quantity, body, term.by, origin * k)
                shown, _ = writer.vector(lines, words, term.halves[k], exact.halves[k], index)
                sums[k] = sums[k] + writer.rotated(shown, link.frame).vector
        wrench, found = self.kernel.joint_wrenches[index], []
        for k, (half, quantity) in enumerate(((wrench.force, "force"), (wrench.moment, "moment"))):
            name = f"{'FM'[k]}_{_joint_name(link)}"
            words = Words(name, "wrench", quantity, body, self._inner(link), origin * k)
            both = FramedVector(sums[k], link.frame), FramedVector(half, link.frame)
            shown, known = writer.vector(step.wrench, words, *both, index)
            writer.name_components(
                name, shown, known, lambda x: count_written_operations(x) >= NAMED
            )
            found.append(shown)
        self._shown[index] = found[0], found[1]
        halves = (writer.rotated(shown, link.frame).vector for shown in found)
        self._wrenches[index] = BodyWrench(*halves)
        self._project(step, index)
        return replace(step, text=self._text(step, link))

    def _inner(self, link: Link) -> str:
        """Return the name of the body to which a link is joined."""
        if link.inner is not None:
            return self.tree.links[link.inner].body.name
        return self.tree.ground[0].name if self.tree.ground else self.tree.frame.name

    def _text(self, step: DerivationStep, link: Link) -> str:
        """Return the sentences that list the forces on a body."""
        ways = {f"joint {x.name}": x for x in self.tree.all_joints}
        others = [
            f"the wrench of {joint_words(ways[x.by])}" if x.by in ways else f"the {x.by}"
            for x in step.forces + step.moments
            if x.role in ("load", "joint")
        ]
        own = f"the wrench of {_joint(link)}" if link.joint else "the wrench that holds it"
        weight = ["its weight"] * any(line.role == "weight" for line in step.forces)
        listed = "; ".join([f"{own}, by {self._inner(link)}", *weight, *dict.fromkeys(others)])
        seen = ""
        if self.observer is not None:
            who = observer_words(self.observer)
            seen = f" Fictitious forces act, too, for {who}; 'seen' is m a for that observer."
        cause = "The joint's wrench" if link.joint else "That wrench"
        origin = link.origin.name
        named = self.writer.label(origin) == word_of(origin)
        point = origin if named else "the point of the joint"
        between = {x.frame.name for x in step.lines if x.frame} - self.tree.geometry.frame_names
        axes = (
            f" The axes {axes.replace('_frame_', '_')} are those before the last "
            f"{'two rotations' if axes[-1] == '1' else 'rotation'} of the joint."
            for axes in sorted(between)
        )
        return (
            f"Acting on {step.body}: {listed}.{seen} {cause} changes the momentum of {step.body} "
            f"and balances the rest. Moments are about {point}.{''.join(axes)}"
        )

    def _places(self, step: DerivationStep, index: int) -> None:
        """Write the positions of the points on a link at which forces act."""
        tree, link = self.written.scalars, self.tree.links[index]
        places = {link.body.masscenter.name: Vec.enter(self.graph, link.masscenter)}
        for load in self.written.loads.applied:
            if load.link == index and load.position is not None:
                places[str(load.source.location)] = Vec.enter(self.graph, load.position)
        for outer, other in enumerate(self.tree.links):
            if other.inner == index:
                places[other.origin.name] = tree.transforms[outer].arm
        for closing in self.written.closings:
            ends = {closing.parent: closing.parent_position, closing.child: closing.child_position}
            if parts := ends.get(index):
                places[closing.joint.name] = tree.express(parts, index)
        for name, place in places.items():
            words = Words(f"r_{self.writer.label(name)}", "position", "length", step.body, "", name)
            seen = FramedVector(place, link.frame)
            self.writer.vector(step.kinematics, words, seen, seen, index)

    def _project(self, step: DerivationStep, index: int) -> None:
        """Write the generalized forces of a joint, and its wrench about the child's point."""
        link, by = self.tree.links[index], self._inner(self.tree.links[index])
        pair = self._balance, self.kernel
        for speed, partial in self.kernel.scalars.partial_velocities[index].items():
            partials = self.written.scalars.partial_velocities[index][speed], partial
            powers = (p.power(x.joint_wrenches[index]) for p, x in zip(partials, pair, strict=True))
            quantity = "force" if partial.angular.is_zero else "moment"
            words = Words(f"Q_{word_of(speed)}", "generalized force", quantity, step.body, by)
            step.projection.append(self.writer.scalar(words, *powers))
        place = Vec.enter(self.graph, link.wrench_point)
        if link.joint is None or not (link.is_reversed or not place.is_zero):
            return
        child, point = str(link.joint.child), link.joint.child_point.name
        here, there = (wrench_on_child(x, index, x.joint_wrenches[index]) for x in pair)
        for half in ("force", "moment"):
            own, true = (FramedVector(getattr(x, half), link.child_frame) for x in (here, there))
            words = Words(f"{half[0].upper()}_{word_of(point)}", "wrench", half, child, "", point)
            self.writer.vector(step.result, words, own, true, index)

    def _terms(self, balance: Derivation, index: int) -> Iterator[_Term]:
        """Yield the terms of a joint wrench, beginning with the rate of momentum."""
        link, tree = balance.tree.links[index], balance.scalars
        body, center = word_of(link.body.name), self.writer.label(link.body.masscenter)
        if self.observer is None:
            yield from self._inertial(balance, index)
        else:
            yield from self._observed(balance, index, self.observer)
        parts, inertia = balance.loads.gravity_parts, tree.inertias[index]
        turning = inertia.first_moment.cross(tree.express(parts, index))
        weight = FramedVector(-(tree.express(parts, None) * inertia.mass), balance.tree.frame)
        heads = f"-W_{body}", f"-r_{center} x W_{body}"
        yield _Term("weight", "gravity", heads, (weight, FramedVector(-turning, link.frame)))
        for source, name, wrench, _ in attached_parts(balance, index):
            both = FramedVector(wrench.force, link.frame), FramedVector(wrench.moment, link.frame)
            if name.startswith("load"):
                point = self.writer.label(source)
                heads = f"-L_{point}", f"-r_{point} x L_{point}"
                heads = ("", f"-T_{point}") if wrench.force.is_zero else heads
                yield _Term("load", name, heads, both)
            else:
                yield self._joint_term(balance, index, source, _Term("joint", name, ("", ""), both))

    def _joint_term(self, balance: Derivation, index: int, source: Any, term: _Term) -> _Term:
        """Return the term of an outer joint with the names it has already, or of a loop joint."""
        for closing in balance.closings:
            if closing.joint is source:
                name, sign = word_of(source), "-" if closing.child == index else ""
                turning = balance.supply.of(closing)[len(closing.forces) :]
                letter = f"r_{name} x F" if all(x.is_zero for x in turning) else "M"
                return term._replace(names=(f"{sign}F_{name}", f"{sign}{letter}_{name}"))
        outer, link = next(
            (k, link)
            for k, link in enumerate(balance.tree.links)
            if link.inner == index and source in (link.joint, link.body)
        )
        name, force, moment = _joint_name(link), *term.halves
        is_apart = not balance.scalars.transforms[outer].arm.is_zero
        if balance is self._balance:
            force, moment = self._shown[outer][0], moment if is_apart else self._shown[outer][1]
        arm = f" + r_{self.writer.label(link.origin)} x F_{name}" if is_apart else ""
        return term._replace(names=(f"F_{name}", f"M_{name}{arm}"), halves=(force, moment))

    def _inertial(self, balance: Derivation, index: int) -> Iterator[_Term]:
        """Yield the terms for the rate of momentum in the inertial frame."""
        link, graph, is_own = balance.tree.links[index], balance.graph, balance is self._balance
        inertia, place = balance.scalars.inertias[index], Vec.enter(graph, link.masscenter)
        motion = self._motions[index] if is_own else self._true.motion(index)
        shown, none = self._centers[index][0 if is_own else 1], zero(graph)
        force = FramedVector(shown.vector * inertia.mass, shown.frame)
        arm = place.cross(self.writer.rotated(shown, link.frame).vector * inertia.mass)
        center = self.writer.label(link.body.masscenter)
        mass = self._word_of_mass(index, center)
        heads = f"{mass} a_{center}", f"r_{center} x {mass} a_{center}"
        yield _Term("m a", "its acceleration", heads, (force, FramedVector(arm, link.frame)))
        if link.inertia_is_about_origin:
            central = inertia.about(-place).moments
        else:
            central = Mat.symmetric(lambda i, k: graph.scalar(link.inertia[i, k]))
        spinning = replace(motion, acceleration=none)
        spin = Inertia(inertia.mass, none, central).net_wrench(spinning).moment
        words = "I alpha + omega x I omega"
        halves = (FramedVector(none, link.frame), FramedVector(spin, link.frame))
        yield _Term(words, "its rotation", ("", words), halves)

    def _word_of_mass(self, index: int, center: str) -> str:
        """Return a body's mass as a symbol, number or, for a formula, a new name."""
        mass = self.tree.links[index].mass
        if mass.is_Symbol:
            return word_of(mass)
        if mass.is_Integer or mass.is_Float:
            return f"{float(mass):.15g}"
        if index not in self._masses:
            self._masses[index] = self.writer.new_symbol(f"m_{center}", "'").name
        return self._masses[index]

    def _observed(
        self, balance: Derivation, index: int, observer: ObserverFrame
    ) -> Iterator[_Term]:
        """Yield the terms for the rate of momentum relative to an observer."""
        link = balance.tree.links[index]
        for name, wrench in observed_wrenches(balance, index, observer, link.origin).items():
            force, moment = (self._entered(balance, x, link) for x in (wrench.force, wrench.moment))
            sign, word = ("", "seen") if name == "observed" else ("-", name)
            yield _Term(name, name, (f"{sign}F_{word}", f"{sign}M_{word}"), (force, moment))

    def _entered(self, balance: Derivation, vector: Any, link: Link) -> FramedVector:
        """Return a Vector as scalars in a link's frame, rotated from frame to frame."""
        found = zero(balance.graph)
        for components, own in vector.args:
            part = Vec.enter(balance.graph, components)
            found = found + express_in(self.tree, part, own, link.frame)
        return FramedVector(found, link.frame)


def _is_long_motion(value: Expr) -> bool:
    """Return whether a component of a motion is long enough for a name."""
    return is_long([value], LONG_MOTION)


def observer_words(observer: ObserverFrame) -> str:
    """Return an observer in words."""
    return f"an observer in {observer.frame.name} at {observer.attachment.name}"


def joint_words(joint: Any) -> str:
    """Return a joint in words; many joints have the name of their child."""
    is_own = joint.name == getattr(joint.child, "name", "")
    return f"the joint of {joint.name}" if is_own else f"the joint {joint.name}"


def _joint(link: Link) -> str:
    """Return the joint of a body in words, for a sentence about the body."""
    is_own = link.joint and link.joint.name == link.body.name
    return "its joint" if is_own else joint_words(link.joint)


def _joint_name(link: Link) -> str:
    """Return the name of a link's joint in the names of forces and moments."""
    return word_of(link.joint) if link.joint else f"{word_of(link.body)}_fixed"
