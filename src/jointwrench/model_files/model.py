"""`ModelFromFile`: what all readers of model files return."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sympy import Expr, Symbol
from sympy.physics.mechanics import RigidBody, System
from sympy.physics.mechanics.joint import Joint
from sympy.physics.vector import Point

from ..forward_dynamics import ForwardDynamics
from ..inverse_dynamics import InverseDynamics


@dataclass(frozen=True)
class Limits:
    """What a file allows a coordinate; None where it says nothing.

    Parameters
    ==========

    lower, upper : float, optional
        Of the coordinate.
    speed, force : float, optional
        Largest magnitude of the speed and of the joint's force or torque.
    """

    lower: float | None = None
    upper: float | None = None
    speed: float | None = None
    force: float | None = None


@dataclass(frozen=True, eq=False, repr=False)
class ModelFromFile:
    """A sympy System read from a file, with everything in it by the file's names.

    Parameters
    ==========

    source : str
        The file's name, or what the text calls the model.
    system : System
        The bodies, joints, loads and constraints.
    bodies : dict of str to RigidBody
        Without ground.
    joints : dict of str to Joint
        The joints of the tree.
    coordinates, speeds : dict of str to Expr
        In the order of ``system.q`` and ``system.u``.  That of a joint with one freedom has
        the joint's name.
    constants : dict of Symbol to float
        The numbers of the symbols in the System.
    loops : tuple
        What closes loops, for ``InverseDynamics(..., loops=)``.
    limits : dict of str to Limits
        By the name of the coordinate.
    controls : dict of str to Expr
        The unknown force or signal of each actuator.
    left_out : tuple of str
        What stands in the file and was not read, one line for each.
    origins : dict of str to Point
        The origin of each body's frame in the file.
    kinds : dict of str to str
        The type of each joint in the file's words.
    reference : numpy.ndarray, shape (n_q,)
        The coordinates of the pose in which the file has the model.
    """

    source: str
    system: System
    bodies: Mapping[str, RigidBody]
    joints: Mapping[str, Joint]
    coordinates: Mapping[str, Expr]
    speeds: Mapping[str, Expr]
    constants: Mapping[Symbol, float] = field(default_factory=dict)
    loops: tuple[Any, ...] = ()
    limits: Mapping[str, Limits] = field(default_factory=dict)
    controls: Mapping[str, Expr] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()
    origins: Mapping[str, Point] = field(default_factory=dict)
    kinds: Mapping[str, str] = field(default_factory=dict)
    reference: np.ndarray = field(default_factory=lambda: np.zeros(0))

    def __repr__(self) -> str:
        counts = {
            "bodies": self.bodies,
            "joints": self.joints,
            "speeds": self.speeds,
            "loops": self.loops,
            "controls": self.controls,
        }
        listing = ", ".join(f"{len(items)} {name}" for name, items in counts.items() if items)
        ignored = f"; left out: {len(self.left_out)}, see .left_out" if self.left_out else ""
        return f"ModelFromFile({self.source}: {listing}{ignored})"

    def inverse_dynamics(self, **options: Any) -> InverseDynamics:
        """Return ``InverseDynamics`` of the System and its loops, with further options of it."""
        return InverseDynamics(self.system, **{"loops": self.loops, **options})

    def forward_dynamics(self, **options: Any) -> ForwardDynamics:
        """Return ``ForwardDynamics`` of the System and its loops, with further options of it."""
        return ForwardDynamics(self.system, **{"loops": self.loops, **options})
