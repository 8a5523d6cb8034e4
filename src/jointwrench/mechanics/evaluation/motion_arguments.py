"""`MotionReader`: the states of a user's motion, in the model's order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import Any, NamedTuple

from ... import hints
from ...checks.arguments import describe, symbol_name
from .array_arguments import check_order

#: The arrays of a motion; a model needs those that are among its inputs.
STATES = ("q", "u", "udot")


class MotionStates(NamedTuple):
    """The arrays of a motion in the order of the model's states, and their times or None."""

    states: tuple[Any, ...]
    times: Any = None


class MotionReader:
    """Reads motions for a model with given inputs; a motion has the states as attributes.

    It may also have ``times`` and the ``names`` of coordinates.  Names of the model in another
    order are refused; q_0, q_1 ... in that order do not count as names.
    """

    def __init__(self, inputs: Mapping[str, Sequence[hints.Expr]]) -> None:
        self._names = [name for name in STATES if name in inputs]
        self._states = attrgetter(*self._names)
        self._coordinates = inputs["q"]
        self._known: Sequence[str] = tuple(map(symbol_name, inputs["q"]))

    def of(self, value: Any, argument: str = "motion") -> MotionStates | None:
        """Return the states of a motion; None for any other object."""
        try:
            states = self._states(value)
        except AttributeError:
            if hasattr(value, "motion"):
                raise self._refused(value, argument, "Use its .motion.") from None
            return None
        self.check_names(value, argument)
        return MotionStates(states, getattr(value, "times", None))

    def check_names(self, motion: Any, argument: str = "motion") -> None:
        """Raise an error for a motion with the model's coordinates in another order."""
        names = getattr(motion, "names", self._known)
        if names == self._known:
            return
        if any(name != f"q_{k}" for k, name in enumerate(names)):
            fix = "Use Trajectory.from_samples(..., idyn=idyn), which takes columns by name."
            check_order(argument, names, self._coordinates, fix)
        if isinstance(names, tuple):
            self._known = names

    def read(self, motion: Any, argument: str = "motion") -> MotionStates:
        """Return the states of a motion, or of a tuple of arrays in the model's order."""
        if (found := self.of(motion, argument)) is not None:
            return found
        if isinstance(motion, (tuple, list)) and len(motion) == len(self._names):
            return MotionStates(tuple(motion))
        raise self._refused(motion, argument, "Use a Trajectory.")

    def _refused(self, value: Any, argument: str, fix: str) -> TypeError:
        """Return the error for an object that is no motion."""
        return TypeError(
            f"`{argument}` must be a motion or the {len(self._names)} arrays "
            f"{', '.join(self._names)}, got {describe(value)}. {fix}"
        )
