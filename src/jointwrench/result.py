"""What one evaluation returns."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .checks import describe


@dataclass(frozen=True, eq=False)
class Result:
    """The outputs of one evaluation; the arrays belong to the caller alone.

    The leading axes ``...`` of every array are the batch axes of the inputs.

    Parameters
    ==========

    outputs : mapping of str to numpy.ndarray
        The arrays by name.
    joints : tuple
        The joints, in the order of ``joint_wrenches``.
    loads : tuple
        The symbols of the solved loads, in the order of the output.
    """

    outputs: Mapping[str, np.ndarray]
    joints: tuple[Any, ...] = ()
    loads: tuple[Any, ...] = ()

    @property
    def generalized_forces(self) -> np.ndarray:
        """What joints and unmodelled actuators supply, shape (..., n), in the order of ``u``."""
        return self._output("generalized_forces")

    @property
    def joint_wrenches(self) -> np.ndarray:
        """All joint wrenches, shape (..., number of joints, 6).

        Each is ``[fx fy fz mx my mz]``, acting on the child body, by the parent,
        about the joint's child point, in the child body's frame.
        """
        return self._output("joint_wrenches")

    @property
    def solved_loads(self) -> dict[Any, np.ndarray]:
        """The loads that the motion determines: arrays of the batch's shape, by symbol."""
        values = self._output("solved_loads")
        return {load: values[..., k] for k, load in enumerate(self.loads)}

    def joint_wrench(self, joint: Any) -> np.ndarray:
        """Return the wrench of one joint, shape (..., 6).

        It is ``[fx fy fz mx my mz]``, acting on the child body, by the parent,
        about the joint's child point, in the child body's frame.

        Parameters
        ==========

        joint : Joint or str
            The joint or its name.

        Raises
        ======

        ValueError
            If there is no such joint, or more than one of that name.
        """
        wrenches = self.joint_wrenches
        found = [
            k
            for k, known in enumerate(self.joints)
            if known is joint or (isinstance(joint, str) and known.name == joint)
        ]
        if len(found) == 1:
            return wrenches[..., found[0], :]
        names = ", ".join(known.name for known in self.joints) or "none"
        if found:
            raise ValueError(
                f"`joint` must name one joint, got {joint!r}, which {len(found)} joints are "
                f"called. Use the joint itself."
            )
        text = repr(joint) if isinstance(joint, str) else describe(joint)
        raise ValueError(f"`joint` must be one of the joints {names}, got {text}.")

    def _output(self, name: str) -> np.ndarray:
        if name not in self.outputs:
            raise AttributeError(
                f"{name!r} was not compiled, only {', '.join(self.outputs)}. "
                f"Use compile(outputs=(..., {name!r}))."
            )
        return self.outputs[name]
