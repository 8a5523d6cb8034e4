"""Bodies that no joint leads to, but which cannot move relative to another one: they are welded.

Libraries of models put a massless body beside another one to join things to it;
classical models have particles on rigid bodies.
"""

from collections.abc import Collection, Iterable

from sympy import Symbol, eye
from sympy.physics.mechanics import Particle
from sympy.physics.vector import Point

from ...checks.arguments import Body
from ...spatial.components import is_constant, position_components
from ...spatial.paths import is_placed


def carrier_of(
    body: Body, others: Iterable[Body], time: Symbol, gaps: Collection[frozenset[Point]] = ()
) -> Body | None:
    """Return the first of some bodies in which a body is fixed, None if there is none.

    Positions are not followed across ``gaps`` between points: joints lead there.
    """
    return next((other for other in others if _is_fixed_in(body, other, time, gaps)), None)


def _is_fixed_in(body: Body, other: Body, time: Symbol, gaps: Collection[frozenset[Point]]) -> bool:
    if isinstance(other, Particle) or not is_placed(body.masscenter, other.masscenter, gaps):
        return False
    try:
        turn = eye(3) if isinstance(body, Particle) else body.frame.dcm(other.frame)
        place = position_components(body.masscenter, other.masscenter, other.frame)
    except ValueError:  # the frames are not connected
        return False
    return is_constant(turn, time) and is_constant(place, time)
