"""One body in the scalars of a graph: its motion, its ten inertial parameters, its net wrench.

All components are in the body's frame; wrenches and inertias are about the body's *origin*, the
attachment point of the joint that leads to ground.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from sympy import Expr

from ...arithmetic.graph import Graph, Scalar, replace_inputs
from ...arithmetic.vectors import Mat, Vec, zero
from ...mechanism.tree import Link


@dataclass(frozen=True)
class BodyMotion:
    """The motion of a body in the inertial frame, with components in the body's frame.

    Attributes
    ==========

    angular_velocity, angular_acceleration : Vec
        The angular velocity w and the angular acceleration al.
    acceleration : Vec
        The acceleration of the origin, minus gravity.
    gradient : Mat
        ``[al]x + [w]x [w]x``: times the position of a point it is the point's acceleration relative
        to the origin's.
    squares, products : Vec
        The squares of w, and the products w_y w_z, w_z w_x, w_x w_y.
    """

    angular_velocity: Vec
    angular_acceleration: Vec
    acceleration: Vec
    gradient: Mat
    squares: Vec
    products: Vec

    @classmethod
    def build(cls, w: Vec, al: Vec, acceleration: Vec) -> "BodyMotion":
        """Return the motion for an angular velocity, an angular and a linear acceleration."""
        squares = Vec(w.x * w.x, w.y * w.y, w.z * w.z)
        products = Vec(w.y * w.z, w.z * w.x, w.x * w.y)
        gradient = Mat(
            [
                Vec(-(squares.y + squares.z), products.z - al.z, products.y + al.y),
                Vec(products.z + al.z, -(squares.x + squares.z), products.x - al.x),
                Vec(products.y - al.y, products.x + al.x, -(squares.x + squares.y)),
            ]
        )
        return cls(w, al, acceleration, gradient, squares, products)

    @property
    def scalars(self) -> list[Scalar]:
        """All components, also of the gradient, squares and products."""
        own = self.angular_velocity, self.angular_acceleration, self.acceleration
        vectors = (*own, *self.gradient.rows, self.squares, self.products)
        return [x for vector in vectors for x in vector.components]


@dataclass(frozen=True)
class BodyWrench:
    """A force and a moment about a body's origin, in the body's frame."""

    force: Vec
    moment: Vec

    def __add__(self, other: "BodyWrench") -> "BodyWrench":
        return BodyWrench(self.force + other.force, self.moment + other.moment)

    def __sub__(self, other: "BodyWrench") -> "BodyWrench":
        return BodyWrench(self.force - other.force, self.moment - other.moment)

    def __mul__(self, factor: Scalar) -> "BodyWrench":
        return BodyWrench(self.force * factor, self.moment * factor)

    def __neg__(self) -> "BodyWrench":
        return BodyWrench(-self.force, -self.moment)

    @classmethod
    def zero(cls, graph: Graph) -> "BodyWrench":
        """Return the wrench without force and moment."""
        return cls(zero(graph), zero(graph))

    def about(self, position: Vec) -> "BodyWrench":
        """Return the wrench about the point at ``position`` from the origin."""
        return BodyWrench(self.force, self.moment - position.cross(self.force))

    @property
    def scalars(self) -> list[Scalar]:
        """The six components, force first."""
        return [*self.force.components, *self.moment.components]


#: Wrenches on links by the index of the link, each about the link's origin.
Wrenches = dict[int, BodyWrench]


def with_values(wrenches: Iterable[BodyWrench], values: Mapping[Expr, Scalar]) -> list[BodyWrench]:
    """Return wrenches with other values of some inputs; shared parts are replaced once."""
    found = replace_inputs([x for wrench in wrenches for x in wrench.scalars], values)
    triples = [Vec(*found[k : k + 3]) for k in range(0, len(found), 3)]
    return [BodyWrench(*pair) for pair in zip(triples[::2], triples[1::2], strict=True)]


@dataclass(frozen=True)
class Inertia:
    """The ten inertial parameters of a body about its origin, in its frame.

    Attributes
    ==========

    mass : Scalar
        The mass m.
    first_moment : Vec
        The mass times the position of the mass centre, m c.
    moments : Mat
        The inertia matrix J about the origin.
    point : Vec or None
        The position of a point mass; None for other bodies.
    """

    mass: Scalar
    first_moment: Vec
    moments: Mat
    point: Vec | None = None

    @classmethod
    def of(cls, graph: Graph, link: Link) -> "Inertia":
        """Return the inertia of a link's body."""
        mass, center = graph.scalar(link.mass), Vec.enter(graph, link.masscenter)
        moments = Mat.symmetric(lambda i, k: graph.scalar(link.inertia[i, k]))
        if link.inertia_is_about_origin:
            return cls(mass, center * mass, moments)
        about_center = cls(mass, zero(graph), moments)
        inertia = about_center.about(center)
        return replace(inertia, point=center) if link.is_point_mass else inertia

    def __add__(self, other: "Inertia") -> "Inertia":
        first_moment = self.first_moment + other.first_moment
        return Inertia(self.mass + other.mass, first_moment, self.moments + other.moments)

    def __sub__(self, other: "Inertia") -> "Inertia":
        first_moment = self.first_moment - other.first_moment
        return Inertia(self.mass - other.mass, first_moment, self.moments - other.moments)

    def rotated(self, rotation: Mat) -> "Inertia":
        """Return the inertia in another frame; ``rotation`` converts components to it."""
        return Inertia(self.mass, rotation @ self.first_moment, self.moments.rotated(rotation))

    def about(self, position: Vec) -> "Inertia":
        """Return the inertia about the point from which ``position`` leads to this origin."""
        # J' = sum of m (r^2 1 - r r^T), r = position + rho
        first_moment = self.first_moment + position * self.mass
        p, old, new = position.components, self.first_moment.components, first_moment.components
        if self.mass.is_zero:
            squares = [(x + x) * h for x, h in zip(p, old, strict=True)]
        else:
            squares = [x * (h + k) for x, h, k in zip(p, old, new, strict=True)]

        def entry(i: int, k: int) -> Scalar:
            moment = self.moments.rows[i].components[k]
            if i == k:
                return moment + squares[i - 1] + squares[i - 2]
            return moment - p[i] * old[k] - p[k] * new[i]

        return Inertia(self.mass, first_moment, Mat.symmetric(entry))

    def net_wrench(self, motion: BodyMotion) -> BodyWrench:
        """Return the rate of change of the body's momentum in a motion, about its origin."""
        if self.point is not None:
            force = (motion.acceleration + motion.gradient @ self.point) * self.mass
            return BodyWrench(force, self.point.cross(force))
        # force = m a + ([al]x + [w]x [w]x) m c,  moment = J al + w x J w + m c x a
        force = motion.acceleration * self.mass + motion.gradient @ self.first_moment
        moment = self._rotation_moment(motion) + self.first_moment.cross(motion.acceleration)
        return BodyWrench(force, moment)

    def _rotation_moment(self, motion: BodyMotion) -> Vec:
        """Return ``J al + w x J w`` with 15 products: M_x and its cyclic partners."""
        j = [row.components for row in self.moments.rows]
        gradient = [row.components for row in motion.gradient.rows]
        squares, products = motion.squares.components, motion.products.components
        al = motion.angular_acceleration.components

        def component(x: int, y: int, z: int) -> Scalar:
            return (
                j[x][x] * al[x]
                + (j[z][z] - j[y][y]) * products[x]
                - j[x][y] * gradient[z][x]
                + j[x][z] * gradient[y][x]
                + j[y][z] * (squares[y] - squares[z])
            )

        return Vec(component(0, 1, 2), component(1, 2, 0), component(2, 0, 1))

    def momentum(self, spin: Vec, velocity: Vec) -> BodyWrench:
        """Return linear and angular momentum about the origin, which moves with ``velocity``."""
        # p = m v + w x m c,  L = J w + m c x v
        linear = velocity * self.mass + spin.cross(self.first_moment)
        return BodyWrench(linear, self.moments @ spin + self.first_moment.cross(velocity))
