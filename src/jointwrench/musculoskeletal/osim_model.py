"""`OsimModel`: a model of OpenSim, with its muscles."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

from .. import ModelFromFile
from .muscle import Muscle
from .muscle_driven import MuscleDriven


@dataclass(frozen=True, eq=False, repr=False)
class OsimModel(ModelFromFile):
    """A `ModelFromFile` with muscles, made by `read_osim`.

    Attributes
    ==========

    muscles : dict of str to Muscle
        The muscles, for `MuscleGeometry` and `static_optimization`.

    See Also
    ========

    MuscleDriven : The model with muscle forces as loads.

    Examples
    ========

    >>> import jointwrench as jw
    >>> model = jw.musculoskeletal.read_osim(jw.example_data("whole_trial/subject01.osim"))
    >>> model.muscles["soleus_r"].name
    'soleus_r'
    """

    muscles: Mapping[str, Muscle] = field(default_factory=dict)

    kinds_of_parts: ClassVar[tuple[str, ...]] = (*ModelFromFile.kinds_of_parts, "muscles")

    @cached_property
    def muscle_driven(self) -> MuscleDriven:
        """The model with muscle forces as loads of its System, made on first use."""
        return MuscleDriven(self)
