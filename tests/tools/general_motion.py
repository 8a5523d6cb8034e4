"""Frames, points and bodies in the most general motion: every coordinate a function of time."""

import sympy.physics.mechanics as me
from sympy import symbols

from jointwrench.mechanics.spatial.observer import ObserverFrame


def moving_frame(name: str, base: me.ReferenceFrame) -> me.ReferenceFrame:
    """Return a frame that turns about three axes in succession."""
    frame = me.ReferenceFrame(name)
    frame.orient_body_fixed(base, me.dynamicsymbols(f"{name}_q1:4"), "zxy")
    return frame


def moving_point(name: str, start: me.Point, frame: me.ReferenceFrame) -> me.Point:
    """Return a point that moves in three directions of a frame."""
    x, y, z = me.dynamicsymbols(f"{name}_x {name}_y {name}_z")
    return start.locatenew(name, x * frame.x + y * frame.y + z * frame.z)


class World:
    """An inertial frame N with its origin O, a rigid body and a particle in flight in it."""

    def __init__(self) -> None:
        self.N, self.O = me.ReferenceFrame("N"), me.Point("O")
        self.O.set_vel(self.N, 0)
        self.B = moving_frame("B", self.N)
        self.C = moving_point("C", self.O, self.N)
        moments = symbols("Ixx Iyy Izz Ixy Iyz Izx")
        central = (me.inertia(self.B, *moments), self.C)
        self.rigid_body = me.RigidBody("body", self.C, self.B, symbols("m"), central)
        self.particle = me.Particle("ball", moving_point("P", self.O, self.N), symbols("m_p"))

    def inertial_observer(self) -> ObserverFrame:
        """Return the observer at rest at the origin."""
        return ObserverFrame(self.N, self.O, self.N, self.O)

    def observer(self) -> ObserverFrame:
        """Return an observer in arbitrary motion."""
        attachment = moving_point("D", self.O, self.N)
        return ObserverFrame(moving_frame("A", self.N), attachment, self.N, self.O)
