"""Common orientations, velocities and kinematical equations of joints."""

import re
from abc import abstractmethod
from types import NoneType
from typing import Any

from sympy import Matrix, Quaternion, Rational, sqrt
from sympy.core.function import AppliedUndef
from sympy.physics.mechanics.joint import Joint
from sympy.physics.vector import ReferenceFrame, dynamicsymbols

from ..checks.arguments import check_count, check_instances, check_name, is_empty
from ..checks.pickles import Pickled
from ..mechanics.adapters.private_sympy import fill_symbols
from ..mechanics.mechanism.joint_points import check_interframe, check_joint_point
from ..mechanics.spatial.components import body_frame, vector_of
from ..mechanics.sympy_objects import Body, check_body


def orient_by_quaternion(child: ReferenceFrame, parent: ReferenceFrame, quaternion: Matrix) -> None:
    """Orient a frame by a quaternion of any norm but zero, scalar part first."""
    norm = sqrt(sum(entry**2 for entry in quaternion))
    child.orient_quaternion(parent, tuple(entry / norm for entry in quaternion))


def quaternion_kdes(quaternion: Matrix, speeds: Matrix) -> Matrix:
    """Return ``q' - q w / 2``, zero for the angular velocity w in the child's frame, (4, 1)."""
    product = Quaternion(*quaternion) * Quaternion(0, *speeds)
    return quaternion.diff(dynamicsymbols._t) - product.to_Matrix() * Rational(1, 2)


def rate_kdes(coordinates: Matrix, speeds: Matrix) -> Matrix:
    """Return ``u - q'``, zero for speeds that are the rates of the coordinates."""
    return speeds - coordinates.diff(dynamicsymbols._t)


class MovingJoint(Pickled, Joint):
    """A joint whose child point moves in the parent interframe, without sympy's axes."""

    #: Whether missing coordinates become symbols that are named after the joint.
    _fills = True
    #: The numbers of coordinates and speeds.
    _counts: tuple[int, int]

    def __init__(
        self,
        name: str,
        parent: Body,
        child: Body,
        coordinates: Any = None,
        speeds: Any = None,
        parent_point: Any = None,
        child_point: Any = None,
        parent_interframe: Any = None,
        child_interframe: Any = None,
    ) -> None:
        check_name("name", name)
        is_named = self._fills or not is_empty(coordinates)
        is_filled = is_named and (is_empty(coordinates) or is_empty(speeds))
        if is_filled and re.search(r"[\s,:()]", name):
            raise ValueError(
                f"`name` must fit into names of symbols, got {name!r}. Use underscores, or give "
                "coordinates and speeds."
            )
        check_body("parent", parent)
        check_body("child", child)
        check_joint_point("parent_point", parent_point, parent)
        check_joint_point("child_point", child_point, child)
        check_interframe("parent_interframe", parent_interframe, parent)
        check_interframe("child_interframe", child_interframe, child)
        places = parent_point, child_point, parent_interframe, child_interframe
        super().__init__(name, parent, child, coordinates, speeds, *places)

    def _generate_coordinates(self, coordinates: Any) -> Matrix:
        return self._fill("coordinates", coordinates, self._counts[0])

    def _generate_speeds(self, speeds: Any) -> Matrix:
        return self._fill("speeds", speeds, self._counts[1])

    def _fill(self, argument: str, given: Any, count: int) -> Matrix:
        """Return the user's coordinates or speeds, with new symbols for missing ones."""
        expected = f"{count} dynamicsymbols"
        known = [given] if isinstance(given, (AppliedUndef, NoneType)) else given
        items = check_instances(argument, known, (AppliedUndef, NoneType), expected)
        if given is not None:
            check_count(argument, items, (count,), expected)
        letter = {"coordinates": "q", "speeds": "u"}[argument]
        return fill_symbols(self, None if given is None else items, count, letter)

    def __str__(self) -> str:
        return f"{type(self).__name__}: {self.name}  parent: {self.parent}  child: {self.child}"

    @abstractmethod
    def _path(self) -> tuple[Matrix, Matrix]:
        """Return the position and velocity of the child's point from the parent's, shape (3, 1).

        Both have components in the parent interframe.
        """

    def _set_linear_velocity(self) -> None:
        """Set the position and velocities of the child's point, and the mass centre's velocity."""
        position, velocity = (vector_of(part, self.parent_interframe) for part in self._path())
        parent = body_frame(self.parent, self.parent_interframe)
        child = body_frame(self.child, self.child_interframe)
        self.child_point.set_pos(self.parent_point, position)
        self.parent_point.set_vel(parent, 0)
        self.child_point.set_vel(child, 0)
        self.child_point.set_vel(parent, velocity)
        self.child.masscenter.v2pt_theory(self.child_point, parent, child)
