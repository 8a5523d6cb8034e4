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
from .muscle_geometry import MuscleGeometry

if TYPE_CHECKING:
    from .. import Evaluator, InverseDynamics


class MuscleDriven(Pickled):
    """A model from a file with the muscles' wrenches on bodies as known loads.

    Parameters
    ==========

    model : OsimModel
        A model of `read_osim` that has muscles.  Its System gets a load on each body on which
        muscles pull, so make it before the `InverseDynamics`, after other loads.
    muscles : iterable of str, optional
        The names of the muscles to include.  Default: all.
    bodies : iterable of str, optional
        Further bodies with loads: those on plates.
    **options : optional
        As for `InverseDynamics`.

    Attributes
    ==========

    geometry : MuscleGeometry
        The lengths and moment arms of the muscles.
    inverse_dynamics : InverseDynamics
        The InverseDynamics of the model with these loads.

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

    static_optimization : The muscle forces in a motion.
    """

    def __init__(
        self,
        model: Any,
        muscles: Iterable[str] | None = None,
        bodies: Iterable[str] = (),
        **options: Any,
    ) -> None:
        self.geometry = MuscleGeometry(model, muscles, bodies=bodies)
        self._symbols = _loads_on(model, self.geometry.bodies)
        self.inverse_dynamics: InverseDynamics = model.inverse_dynamics(**options)

    def __repr__(self) -> str:
        count = len(self.geometry.muscles)
        return f"MuscleDriven({count} muscles on {len(self._symbols)} bodies)"

    @property
    def evaluate(self) -> "Evaluator":
        """The evaluator of generalized forces and joint wrenches, compiled once."""
        return self.inverse_dynamics.model.compiled(("generalized_forces", "joint_wrenches"))

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
        paths = self.geometry(q, constants)
        return self.actions_of(paths.body_wrenches(tensions), paths.origins)

    def actions_of(self, wrenches: np.ndarray, origins: np.ndarray) -> dict[Expr, np.ndarray]:
        """Return wrenches (..., bodies, 6) on the bodies by their symbols.

        They are about ground's origin; ``origins`` (bodies, poses, 3) are those of `MusclePaths`.
        Moments of the symbols are about the origins of the bodies' frames.

        See Also
        ========

        MuscleDriven.specifieds : The same from muscle forces.

        Examples
        ========

        >>> import jointwrench as jw
        >>> model = jw.musculoskeletal.read_osim(jw.example_data("whole_trial/subject01.osim"))
        >>> driven = jw.musculoskeletal.MuscleDriven(model, ["soleus_r"])
        >>> paths = driven.geometry([0.0] * 10)
        >>> wrenches = paths.body_wrenches([1000.0])
        >>> len(driven.actions_of(wrenches, paths.origins))  # six each on two bodies
        12
        """
        own = shaped_array("wrenches", wrenches, ..., len(self._symbols), 6)
        places = shaped_array("origins", origins, len(self._symbols), "poses", 3)
        places = np.moveaxis(places, 0, 1).reshape(*own.shape[:-1], 3)
        force, moment = np.split(own, 2, axis=-1)
        with np.errstate(invalid="ignore"):  # the moment of an infinite force is NaN
            about = moment - np.cross(places, force)
        parts = np.moveaxis(np.concatenate([force, about], axis=-1), (-2, -1), (0, 1))
        pairs = zip(self._symbols, parts, strict=True)
        return {s: x for own, values in pairs for s, x in zip(own, values, strict=True)}


def _loads_on(model: Any, bodies: Iterable[str]) -> list[list[Expr]]:
    """Add a force and a moment on each body to the System, in ground's axes; return symbols."""
    # At the bodies' origins: formulas of moments about a point at rest contain all joints in
    # between, and took minutes in models with muscles.
    system, time = model.system, model.system.q[0].args[0]
    used = {part for load in system.loads for matrix, _ in load.vector.args for part in matrix}
    found = []
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
        found.append(own)
    return found
