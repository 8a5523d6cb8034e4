"""`MuscleDriven`: a model with muscle forces as loads."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from sympy import Expr, Function
from sympy.physics.mechanics import Force, Torque

from ..checks.numbers import shaped_array
from ..checks.pickles import Pickled
from ..extend import vector_of
from ..records.wrench_components import COMPONENTS
from .muscle_geometry import MuscleGeometry, MusclePaths

if TYPE_CHECKING:
    from .. import InverseDynamics


class MuscleDriven(Pickled):
    """A model from a file, with the muscles' wrenches on bodies as known loads.

    Parameters
    ==========

    model : OsimModel
        A model of `read_osim` that has muscles.  Its System gets a load on each body to which
        muscles are attached, so make a MuscleDriven after adding other loads and before making an
        `InverseDynamics`.
    muscles : iterable of str, optional
        The names of the muscles to include.  Default: all.
    **options : optional
        Options of `InverseDynamics`.

    Attributes
    ==========

    geometry : MuscleGeometry
        The lengths and moment arms of the muscles.
    inverse_dynamics : InverseDynamics
        The InverseDynamics of the model with these loads.
    symbols : dict of str to list of Expr
        The symbols of force and moment on each body, about the origin of its frame.

    Raises
    ======

    ValueError
        If the model has no muscles, no muscle of that name, or already has these loads.

    Examples
    ========

    >>> import jointwrench as jw
    >>> model = jw.musculoskeletal.read_osim(jw.example_data("whole_trial/subject01.osim"))
    >>> jw.musculoskeletal.MuscleDriven(model, ["soleus_r", "tib_ant_r"])
    MuscleDriven(2 muscles on 2 bodies)

    See Also
    ========

    static_optimization : Computes the muscle forces in a motion.
    """

    def __init__(self, model: Any, muscles: Iterable[str] | None = None, **options: Any) -> None:
        self.geometry = MuscleGeometry(model, muscles)
        self.symbols = _loads_on(model, self.geometry.bodies)
        self.inverse_dynamics: InverseDynamics = model.inverse_dynamics(**options)

    def __repr__(self) -> str:
        return f"MuscleDriven({len(self.geometry.muscles)} muscles on {len(self.symbols)} bodies)"

    def specifieds(
        self, q: Any, tensions: Any, constants: Mapping[Any, Any] | None = None
    ) -> dict[Expr, np.ndarray]:
        """Return the muscles' loads on the bodies, as ``specifieds`` of an evaluation.

        ``q`` are the coordinates, (..., n_q), ``tensions`` the muscles' forces, (..., muscles), in
        the order of ``geometry.muscles``; ``constants`` are as for `MuscleGeometry`.

        See Also
        ========

        static_optimization : Computes the forces.

        Examples
        ========

        >>> import jointwrench as jw
        >>> model = jw.musculoskeletal.read_osim(jw.example_data("whole_trial/subject01.osim"))
        >>> driven = jw.musculoskeletal.MuscleDriven(model, ["soleus_r"])
        >>> foot = [*driven.specifieds([0.0] * 10, [1000.0]).values()][-6:]
        >>> [float(x.round(1)) for x in foot]
        [177.3, 984.1, 12.4, 5.7, -1.0, -5.6]
        """
        return muscle_loads(self, self.geometry(q, constants), tensions)


def muscle_loads(driven: MuscleDriven, paths: MusclePaths, tensions: Any) -> dict[Expr, np.ndarray]:
    """Return the loads on bodies by symbol, (...), of muscles with ``tensions`` (..., muscles)."""
    shape = paths.lengths.shape
    forces = shaped_array("tensions", tensions, ..., shape[-1])
    try:
        forces = np.broadcast_to(forces, shape)
    except ValueError:
        raise ValueError(
            f"`tensions` must have shape {shape} as the lengths, or one that broadcasts to it, got "
            f"shape {forces.shape}."
        ) from None
    found = {body: np.zeros((*shape[:-1], 6)) for body in driven.symbols}
    for tension, pulls in zip(np.moveaxis(forces, -1, 0), paths.pulls, strict=True):
        for body, pull in pulls.items():
            found[body] += tension[..., None] * pull
    return {s: found[body][..., k] for body, x in driven.symbols.items() for k, s in enumerate(x)}


def _loads_on(model: Any, bodies: Iterable[str]) -> dict[str, list[Expr]]:
    """Add a force and a moment on each body to the System, in ground's axes; return the symbols."""
    # The loads act at the bodies' origins, because formulas of moments about a point at rest would
    # contain all joints between ground and the body, and take minutes.
    system, time = model.system, model.system.q[0].args[0]
    used = {part for load in system.loads for matrix, _ in load.vector.args for part in matrix}
    found = {}
    for body in bodies:
        own = [Function(f"muscles_{body}_{part}")(time) for part in COMPONENTS]
        if own[0] in used:
            raise ValueError(
                f"`model` must have no loads called 'muscles' yet, its System has {own[0]}. Use a "
                "newly read model."
            )
        force, moment = (vector_of(part, system.frame) for part in (own[:3], own[3:]))
        frame = model.bodies[body].frame
        system.add_loads(Force(model.origins[body], force), Torque(frame, moment))
        found[body] = own
    return found
