"""`Weight`: a body's weight as a load of sympy, which follows the body's mass."""

from collections.abc import Iterator
from typing import Any

from sympy.physics.mechanics import Force
from sympy.physics.vector import Point, Vector

from ..sympy_objects import Body


class Weight(Force):
    """The force of gravity at the mass centre of a body, as both are when it is asked for."""

    # A Force is a tuple, whose items cannot change: here they are those of the body.

    _body: Body
    _acceleration: Vector
    _known: tuple[Any, Vector]

    def __new__(cls, body: Body, acceleration: Vector) -> "Weight":
        vector = body.mass * acceleration
        weight: Weight = super().__new__(cls, body.masscenter, vector)
        weight._body, weight._acceleration = body, acceleration
        weight._known = body.mass, vector
        return weight

    @property
    def location(self) -> Point:
        """The mass centre."""
        return self._body.masscenter

    @property
    def vector(self) -> Vector:
        """The mass times the acceleration of gravity."""
        mass = self._body.mass
        if mass is not self._known[0]:
            self._known = mass, mass * self._acceleration
        return self._known[1]

    def __iter__(self) -> Iterator[Any]:
        return iter((self.location, self.vector))

    def __getitem__(self, key: Any) -> Any:
        return (self.location, self.vector)[key]

    def __reduce__(self) -> tuple[Any, ...]:
        return Weight, (self._body, self._acceleration)
