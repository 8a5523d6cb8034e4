"""`OsimModel`: a model of OpenSim, with its muscles."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

import numpy as np

from .. import ModelFromFile
from .muscle import Muscle
from .muscle_driven import MuscleDriven
from .osim_elements import OsimElements


@dataclass(frozen=True)
class Resizing:
    """The elements of a model's file, and the function that makes a model from elements."""

    elements: OsimElements
    make: Callable[[OsimElements], "OsimModel"]

    @property
    def factors(self) -> dict[str, np.ndarray]:
        """The scale factors of bodies along the axes of their frames."""
        return self.elements.factors


@dataclass(frozen=True, eq=False, repr=False)
class OsimModel(ModelFromFile):
    """A `ModelFromFile` with muscles, made by `read_osim`; `scaled` changes its size.

    Attributes
    ==========

    muscles : dict of str to Muscle
        The muscles, for `MuscleGeometry` and `static_optimization`.
    resizing : Resizing or None
        The elements of the file, for `scaled`; None if the model cannot be scaled.

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
    resizing: Resizing | None = None

    kinds_of_parts: ClassVar[tuple[str, ...]] = (*ModelFromFile.kinds_of_parts, "muscles")

    @cached_property
    def muscle_driven(self) -> MuscleDriven:
        """The model with muscle forces as loads of its System, made on first use."""
        return MuscleDriven(self)
