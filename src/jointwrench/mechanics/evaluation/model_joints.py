"""`ModelJoints`: the data of a model that results need, each made at the first request."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sympy.physics.vector import ReferenceFrame

    from ..dynamics.joint_motion import JointMotion
    from ..dynamics.outputs.model_outputs import ModelOutputs
    from ..mechanism.geometry import Geometry
    from ..mechanism.section import Section
    from ..mechanism.tree import Tree
    from .result_lookups import KinematicLookup, UndeterminedWrenches


class ModelJoints:
    """The model's joints for results, in their order; without a tree after pickling."""

    def __init__(self, outputs: ModelOutputs, numbers: Mapping[Any, Any]) -> None:
        self._outputs, self._numbers = outputs, numbers
        self.tree: Tree | None = outputs.derivation.tree
        self.sections: tuple[Section, ...] = outputs.derivation.request.sections

    def __getstate__(self) -> dict[str, Any]:
        kept = {"motions": self.motions, "observations": self.observations}
        return {**kept, "tree": None, "sections": (), "open_wrenches": None, "slips": None}

    @cached_property
    def motions(self) -> tuple[JointMotion, ...]:
        """The motion of each joint."""
        from ..dynamics.joint_motion import joint_motions

        rubbing = () if self.slips is None else self.slips.joints
        return joint_motions(self._outputs.derivation, rubbing)

    @cached_property
    def observations(self) -> KinematicLookup:
        """The lookup of positions and motions of points and frames."""
        from .result_lookups import KinematicLookup

        return KinematicLookup(*self._outputs.places, self._outputs)

    @cached_property
    def undetermined_wrenches(self) -> UndeterminedWrenches | None:
        """The lookup of wrenches that are NaN in part; None if there are none."""
        if not self._outputs.derivation.supply.symbols:
            return None
        from .result_lookups import UndeterminedWrenches

        return UndeterminedWrenches(self._outputs, self._numbers)

    @cached_property
    def slips(self) -> Any:
        """The evaluator of slips in loop joints with friction; None if there are none."""
        laws = self._outputs.derivation.request.laws
        return laws.slips(self._outputs, self._numbers) if laws else None

    @property
    def frames(self) -> tuple[ReferenceFrame, ...]:
        """The frame of each joint's wrench."""
        return () if self.tree is None else self.tree.wrench_frames

    @property
    def geometry(self) -> Geometry | None:
        """The points and frames as they were when the model was read."""
        return None if self.tree is None else self.tree.geometry
