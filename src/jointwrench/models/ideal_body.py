"""`IdealBody`: what stands for no real body."""

from sympy.physics.mechanics import RigidBody


class IdealBody(RigidBody):
    """A body between two joints of a real one, or a rotor of which only the spin counts.

    What is zero of its mass, first moment and inertia is so by definition: nobody
    identifies it.
    """
