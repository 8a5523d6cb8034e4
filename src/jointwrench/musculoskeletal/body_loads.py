"""Wrenches on bodies at the origins of their frames, as known loads of a model's System."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from sympy import Expr, Function
from sympy.physics.mechanics import Force, Torque

from ..extend import vector_of

COMPONENTS = ("fx", "fy", "fz", "mx", "my", "mz")


class BodyLoads:
    """A force and a moment on each of several bodies, with components in ground."""

    # About the bodies' origins: formulas of moments about a point at rest contain all joints in
    # between, and took minutes in models with muscles.

    def __init__(self, model: Any, bodies: Iterable[str], name: str) -> None:
        system, time = model.system, model.system.q[0].args[0]
        self.bodies = tuple(bodies)
        self.symbols: list[list[Expr]] = []
        used = {part for load in system.loads for matrix, _ in load.vector.args for part in matrix}
        for body in self.bodies:
            own = [Function(f"{name}_{body}_{part}")(time) for part in COMPONENTS]
            if own[0] in used:
                raise ValueError(
                    f"`model` must have no loads called {name!r} yet, its System has {own[0]}. Use "
                    "a newly read model."
                )
            force, moment = (vector_of(part, system.frame) for part in (own[:3], own[3:]))
            frame = model.bodies[body].frame
            system.add_loads(Force(model.origins[body], force), Torque(frame, moment))
            self.symbols.append(own)

    def specifieds(self, wrenches: np.ndarray, origins: np.ndarray) -> dict[Expr, np.ndarray]:
        """Return values of the symbols; ``wrenches`` (..., bodies, 6) are about ground's origin."""
        force, moment = np.split(wrenches, 2, axis=-1)
        with np.errstate(invalid="ignore"):  # the moment of an infinite force is NaN
            about = moment - np.cross(origins, force)
        parts = np.moveaxis(np.concatenate([force, about], axis=-1), (-2, -1), (0, 1))
        pairs = zip(self.symbols, parts, strict=True)
        return {s: x for own, values in pairs for s, x in zip(own, values, strict=True)}
