"""The planar limb of the piglet tutorial, for the tests that reproduce its results.

F. Mielke, "Inverse Dynamics: The N-segment piglet limb", University of Antwerp, 2020.
"""

from sympy import Expr, ImmutableMatrix, Matrix, Rational, expand, pi, symbols
from sympy.physics.mechanics import Particle, Point, ReferenceFrame, Vector, dynamicsymbols
from sympy.simplify.fu import TR8

from jointwrench.mechanics.spatial.observer import FictitiousWrenches, ObserverFrame
from jointwrench.mechanics.spatial.wrench import Wrench

FULL_TURNS = (1, 2, 4)  # of each segment against the one above, in 2 pi seconds
MASSES = (Rational(7, 10), Rational(1, 2), Rational(3, 10))
LENGTHS = (Rational(4, 5), Rational(3, 5), Rational(2, 5))


def canonical(value: Expr | Matrix) -> Expr | Matrix:
    """Return trigonometric polynomials as sums of sines and cosines: zero prints as 0."""
    if not isinstance(value, Expr):
        return ImmutableMatrix(value).applyfunc(canonical)
    before, after = None, expand(value)
    while after != before:  # one pass leaves some products of several factors
        before, after = after, expand(TR8(after))
    return after


class Limb:
    """Segments hinged about z, each along y of its own frame, mass centres half-way.

    ``frames[0]`` is the world, ``frames[i + 1]`` the frame of segment i, which has
    its proximal joint at ``joints[i]`` and its distal one at ``joints[i + 1]``.
    Particles at the mass centres.
    """

    def __init__(self, segments: int = 3) -> None:
        self.time = dynamicsymbols._t
        self.angles = [dynamicsymbols(f"theta_{i}", real=True) for i in range(segments)]
        self.m = symbols(f"m_:{segments}", real=True)
        self.l = symbols(f"l_:{segments}", real=True)
        self.periods = symbols(f"T_:{segments}", real=True)
        self.world = ReferenceFrame("W")
        self.origin = Point("O")
        self.origin.set_vel(self.world, 0)
        self.frames = [self.world]
        self.joints = [self.origin.locatenew("P_0", Vector(0))]
        self.bodies: list[Particle] = []
        for i in range(segments):
            self._add_segment(i)

    def _add_segment(self, i: int) -> None:
        frame, joint = ReferenceFrame("ABCDEF"[i]), self.joints[i]
        frame.orient_axis(self.frames[i], self.angles[i], self.frames[i].z)
        center = joint.locatenew(f"C_{i}", self.l[i] / 2 * frame.y)
        self.frames.append(frame)
        self.joints.append(joint.locatenew(f"P_{i + 1}", self.l[i] * frame.y))
        self.bodies.append(Particle(f"segment_{i}", center, self.m[i]))

    def frame_of(self, segment: int) -> ReferenceFrame:
        """Return the frame of a segment."""
        return self.frames[segment + 1]

    def observer(self, segment: int) -> ObserverFrame:
        """Return the tutorial's observer on a segment, attached at the distal joint."""
        distal = self.joints[segment + 1]
        return ObserverFrame(self.frame_of(segment), distal, self.world, self.origin)

    def joint_wrenches(self, observers: list[ObserverFrame]) -> list[Wrench]:
        """Return the joint wrench of each segment, base first, each by its own observer."""
        wrenches: list[Wrench] = []
        for i in reversed(range(len(self.bodies))):
            reactions = [-wrench for wrench in wrenches[:1]]
            solved = observers[i].joint_wrench(self.bodies[i], self.joints[i], reactions)
            wrenches.insert(0, solved)
        return wrenches

    def seen_at_joint(
        self, observer: ObserverFrame, segment: int
    ) -> tuple[Wrench, FictitiousWrenches]:
        """Return dynamic and fictitious wrenches of a segment about its proximal joint."""
        joint, body = self.joints[segment], self.bodies[segment]
        fictitious = (wrench.about(joint) for wrench in observer.fictitious_wrenches(body))
        return observer.dynamic_wrench(body).about(joint), FictitiousWrenches(*fictitious)

    def plug_in(self, value: Expr | Matrix) -> Expr | Matrix:
        """Return an expression under the tutorial's steady rotation, with its constants."""
        rates = zip(self.angles, self.periods, strict=True)
        motion = {angle: 2 * pi * self.time / period for angle, period in rates}
        constants = {
            **dict(zip(self.m, MASSES, strict=True)),
            **dict(zip(self.l, LENGTHS, strict=True)),
            **{T: 2 * pi / n for T, n in zip(self.periods, FULL_TURNS, strict=True)},
        }
        return canonical(value.subs(motion).doit().subs(constants))
