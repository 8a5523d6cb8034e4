"""Positions and motions of points and frames for an observer: outputs and formulas."""

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cached_property, partial, partialmethod
from itertools import product

from sympy import ImmutableDenseMatrix
from sympy.physics.vector import Vector

from ...arithmetic.graph import Scalar, replace_inputs, total
from ...arithmetic.output import Output
from ...arithmetic.vectors import Vec, vector_sum, zero
from ...mechanism.loads import LinkIndex
from ...mechanism.reading.points_and_frames import PointsAndFrames
from ...spatial.components import vector_of
from ..derivation import Derivation
from ..recursion.observed_motion import ObservedMotion
from ..recursion.rigid_body import BodyWrench, Inertia
from ..recursion.scalar_tree import PartialVelocity, ScalarTree
from .energy import energies
from .model_outputs import ModelOutputs

#: The outputs of kinematics for points, for frames, and for the whole model.
OF_POINTS = ("positions", "velocities", "accelerations", "bias_accelerations", "jacobians")
OF_FRAMES = (
    *("orientations", "angular_velocities", "angular_accelerations"),
    *("angular_bias_accelerations", "angular_jacobians"),
)
OF_MODEL = (
    *("center_of_mass", "center_of_mass_velocity", "center_of_mass_acceleration"),
    *("momentum", "energy"),
)

#: The motions of a link or its origin, in the link's frame.
MOTIONS: dict[str, Callable[[ObservedMotion, LinkIndex], Vec]] = {
    "velocities": lambda seen, link: seen.velocity(link),
    "accelerations": lambda seen, link: seen.motion(link).acceleration,
    "bias_accelerations": lambda seen, link: seen.motion(link).acceleration,
    "angular_velocities": lambda seen, link: seen.motion(link).angular_velocity,
    "angular_accelerations": lambda seen, link: seen.motion(link).angular_acceleration,
    "angular_bias_accelerations": lambda seen, link: seen.motion(link).angular_acceleration,
}


class KinematicOutputs(ModelOutputs):
    """The kinematic outputs of points and frames for an observer."""

    may_be_forces = False

    def __init__(self, derivation: Derivation, observed: PointsAndFrames) -> None:
        self.observed = observed
        super().__init__(derivation, (), observed.tree.symbols | observed.tree.ground_symbols)

    def _makers(self) -> dict[str, Callable[[], Output]]:
        makers: dict[str, Callable[[], Output]] = {
            name: partial(self._motions, name) if name in MOTIONS else getattr(self, f"_{name}")
            for name in (*OF_POINTS, *OF_FRAMES, *OF_MODEL)
        }
        return {**makers, "constraint_errors": super()._makers()["constraint_errors"]}

    @property
    def places(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The names of the observed points and of the observed frames."""
        return tuple(self.observed.points), tuple(self.observed.frames)

    @cached_property
    def motion(self) -> ObservedMotion:
        """The positions and motions of all links relative to the observer."""
        tree = ScalarTree(self.derivation.graph, self.observed.tree)
        return ObservedMotion(tree, self.observed.observer, self.observed.frame)

    def _positions(self) -> Output:
        return _vectors("positions", map(self.motion.place, self.observed.points.values()))

    def _orientations(self) -> Output:
        check_orientations(self.observed)
        frames = self.observed.frames.values()
        rows = [row for link in frames for row in self.motion.orientation(link).rows]
        return _output("orientations", (len(frames), 3, 3), _components(rows))

    def _center_of_mass(self) -> Output:
        return _vectors("center_of_mass", [self._center(self.motion)], ())

    def _center_of_mass_velocity(self) -> Output:
        momenta = (self.motion.expressed(x.force, k) for k, x in enumerate(self._momenta))
        return _vectors("center_of_mass_velocity", [self._per_mass(momenta)], ())

    def _center_of_mass_acceleration(self) -> Output:
        forces = (
            self.motion.expressed(inertia.net_wrench(self.motion.motion(k)).force, k)
            for k, inertia in enumerate(self._inertias)
        )
        return _vectors("center_of_mass_acceleration", [self._per_mass(forces)], ())

    def _momentum(self) -> Output:
        """Return linear momentum, and angular momentum about the mass centre, shape (6,)."""
        expressed = self.motion.expressed
        parts = [
            (expressed(x.force, k), expressed(x.moment, k)) for k, x in enumerate(self._momenta)
        ]
        # an observer on a link needs no position on ground
        near = ObservedMotion(self.motion.tree, 0, self.observed.frame)
        center = self._center(near)
        angular = [
            own + (near.place(k) - center).cross(linear) for k, (linear, own) in enumerate(parts)
        ]
        sums = [vector_sum(x for x, _ in parts), vector_sum(angular)]
        return _output("momentum", (6,), _components(sums), 1)

    def _energy(self) -> Output:
        """Return the kinetic energy in the inertial frame and the potential energy, shape (2,)."""
        return _output("energy", (2,), energies(self.derivation), 1)

    @property
    def _inertias(self) -> Sequence[Inertia]:
        """The inertias of the single bodies."""
        return self.derivation.scalars.inertias

    @cached_property
    def _momenta(self) -> list[BodyWrench]:
        """Linear and angular momentum of each body about its origin, in its frame."""
        spins = (self.motion.motion(k).angular_velocity for k in range(len(self._inertias)))
        pairs = zip(self._inertias, spins, strict=True)
        return [x.momentum(spin, self.motion.velocity(k)) for k, (x, spin) in enumerate(pairs)]

    def _center(self, seen: ObservedMotion) -> Vec:
        """Return the position of the mass centre relative to an observer."""
        return self._per_mass(
            seen.expressed(inertia.first_moment, k) + seen.place(k) * inertia.mass
            for k, inertia in enumerate(self._inertias)
            if not (inertia.mass.is_zero and inertia.first_moment.is_zero)
        )

    def _per_mass(self, moments: Iterable[Vec]) -> Vec:
        """Return the sum of vectors divided by the total mass."""
        mass = total([inertia.mass for inertia in self._inertias])
        if mass.is_zero:
            raise ValueError(
                "`system` must have a body with mass for its mass centre. Give one a mass."
            )
        return vector_sum(moments) * mass.reciprocal()

    def _motions(self, name: str) -> Output:
        """Return a motion of all points or frames, expressed in the requested frame."""
        links = self.links(name)
        return _vectors(name, (self.motion.expressed(self.local(name, x), x) for x in links))

    def links(self, name: str) -> Collection[LinkIndex]:
        """Return the links of the points or frames that have the named output."""
        return (self.observed.points if name in OF_POINTS else self.observed.frames).values()

    def local(self, name: str, link: LinkIndex) -> Vec:
        """Return the named motion of a link in its frame; biases are at zero accelerations."""
        vector = MOTIONS[name](self.motion, link)
        if "bias" not in name:
            return vector
        zero = self.derivation.graph.scalar(0)
        still = dict.fromkeys(self.observed.tree.accelerations, zero)
        return Vec(*replace_inputs(vector.components, still))

    def _per_speed(self, name: str) -> Output:
        """Return partial velocities of each point or frame, shape (count, 3, n)."""
        speeds, none = self.observed.tree.speeds, zero(self.derivation.graph)
        still = PartialVelocity(none, none)
        partials = [self.motion.partial_velocities(link) for link in self.links(name)]
        moved = ((own.get(u, still), k) for own, k, u in product(partials, range(3), speeds))
        values = [(x.linear if name in OF_POINTS else x.angular).components[k] for x, k in moved]
        return _output(name, (len(partials), 3, len(speeds)), values)

    _jacobians = partialmethod(_per_speed, "jacobians")
    _angular_jacobians = partialmethod(_per_speed, "angular_jacobians")


def check_orientations(observed: PointsAndFrames) -> None:
    """Raise an error for frames that have no orientation in the model."""
    for name, link in observed.frames.items():
        if link is not None and observed.tree.links[link].is_unoriented:
            raise ValueError(
                f"`frames` must have orientations for this, and {name!r} has only an angular "
                "velocity. Leave it out, or ask for angular_velocities."
            )


def _vectors(name: str, vectors: Iterable[Vec], shape: tuple[int, ...] | None = None) -> Output:
    found = list(vectors)
    shape = (len(found),) if shape is None else shape
    return _output(name, (*shape, 3), _components(found))


def _components(vectors: Iterable[Vec]) -> list[Scalar]:
    return [x for vector in vectors for x in vector.components]


def _output(
    name: str, shape: tuple[int, ...], values: Iterable[Scalar], mass_dimension: int = 0
) -> Output:
    """Return scalars as an output whose title is its name in words."""
    title = name.replace("_", " ")
    return Output.from_scalars(name, shape, values, title, mass_dimension=mass_dimension)


def position_formula(outputs: KinematicOutputs, is_expressed: bool) -> Vector:
    """Return the position of the only point, a sum of vectors in the frames of the bodies between.

    With ``is_expressed`` all components are in the requested frame.
    """
    seen, (link,) = outputs.motion, outputs.observed.points.values()
    if is_expressed:
        return _vector(outputs, seen.place(link), outputs.observed.frame)
    position = Vector(0)
    for _, there, index in seen.steps(outputs.observed.observer, link):
        inner = seen.tree.symbolic.links[index].inner
        arm = _vector(outputs, seen.tree.arm(index), inner)
        position = position + arm if there == index else position - arm
    return position


def motion_formula(outputs: KinematicOutputs, name: str, is_expressed: bool) -> Vector:
    """Return an output of the only point or frame, by default in the frame of its body.

    With ``is_expressed`` the components are in the requested frame.
    """
    observed = outputs.observed
    (link,) = outputs.links(name)
    vector = outputs.local(name, link)
    if is_expressed:
        return _vector(outputs, outputs.motion.expressed(vector, link), observed.frame)
    return _vector(outputs, vector, link)


def matrix_formula(outputs: KinematicOutputs, name: str) -> ImmutableDenseMatrix:
    """Return an output of the only point or frame as a matrix with three rows."""
    output = outputs.output(name)
    entries = outputs.derivation.graph.to_sympy(output.refs)
    return ImmutableDenseMatrix(3, len(entries) // 3, entries)


def model_formulas(outputs: KinematicOutputs, name: str) -> list[Vector]:
    """Return the vectors of an output of the whole model, in the requested frame."""
    entries = outputs.derivation.graph.to_sympy(outputs.output(name).refs)
    frame = outputs.observed.tree.frame_of(outputs.observed.frame)
    parts = (entries[k : k + 3] for k in range(0, len(entries), 3))
    return [vector_of(part, frame) for part in parts]


def _vector(outputs: KinematicOutputs, vector: Vec, link: LinkIndex) -> Vector:
    """Return components in the frame of a link as a sympy Vector."""
    components = outputs.derivation.graph.to_sympy([x.ref for x in vector.components])
    frame = outputs.observed.tree.frame_of(link)
    return vector_of(components, frame)
