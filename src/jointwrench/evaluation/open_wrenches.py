"""Joint wrenches that mechanics leaves open in part, about other points and in other frames."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np
from sympy.physics.vector import Point, ReferenceFrame

from ..dynamics.derivation import exclusive
from ..dynamics.formulas import open_components
from ..dynamics.programs import Programs
from .compilation import compile_program
from .evaluator import Evaluator
from .inputs import Inputs


class OpenWrenches:
    """What is determined of wrenches that are NaN in part in their own frames.

    A component in another frame may be determined though none of those that it is made of is:
    turned are the wrenches of least norm, then NaN takes the place of what is open.  ``numbers``
    are constants that became numbers.
    """

    def __init__(
        self, programs: Programs, numbers: Mapping[Any, Any], evaluator: type[Evaluator] = Evaluator
    ) -> None:
        self._programs, self._numbers, self._type = programs, numbers, evaluator
        self._derivation = programs.derivation

    @classmethod
    def of(cls, programs: Programs, *options: Any) -> "OpenWrenches | None":
        """Return what tells of the open wrenches of a model; None if none can be open."""
        return cls(programs, *options) if programs.derivation.supply.symbols else None

    @exclusive
    def components(
        self, number: int, about: Point | None, frame: ReferenceFrame | None
    ) -> list[bool]:
        """Return which components of a joint's wrench are open, about a point and in a frame."""
        return open_components(self._derivation, number, about, frame)

    def of_least_norm(self, inputs: Inputs) -> np.ndarray | None:
        """Return the joint wrenches of least norm, shape (..., number of joints, 6).

        None if a value is not known which only open components depend on.
        """
        evaluate, known = self._evaluate, {**inputs.samples, **inputs.constants}
        used = evaluate._interface.used
        if not used <= known.keys():
            return None
        groups: dict[str, Any] = {}
        for name, symbols in evaluate.inputs.items():
            if name in ("constants", "specifieds"):
                groups[name] = {symbol: known[symbol] for symbol in symbols if symbol in used}
            elif name != "times":
                groups[name] = _rows([known.get(symbol, 0.0) for symbol in symbols])
        return evaluate(**groups, times=inputs.times).joint_wrenches

    @cached_property
    def _evaluate(self) -> Evaluator:
        program = self._programs.of_least_norm().cheapest(["joint_wrenches"], self._numbers)
        return compile_program(
            program, fixed_constants=self._numbers, backend="numpy", evaluator=self._type
        )


def _rows(columns: list[Any]) -> np.ndarray:
    return np.stack(np.broadcast_arrays(*columns), axis=-1) if columns else np.zeros(0)
