"""Points and frames of a model at the samples of a result: what was compiled, and anything else."""

from collections.abc import Callable, Hashable, Mapping
from typing import Any

import numpy as np

from ..checks.arguments import check_instance
from ..dynamics.derivation import Derivation, exclusive
from ..dynamics.outputs.derived_outputs import DerivedOutputs
from ..dynamics.outputs.kinematic_outputs import OF_POINTS, KinematicOutputs
from ..mechanism.reading.observation import Observation, read_observation
from .compilation import compile_program
from .evaluator import Evaluator
from .inputs import Inputs

#: Outputs with one axis more for each point or frame than vectors have.
MATRICES = ("jacobians", "orientations", "angular_jacobians")


class Observations:
    """Evaluates outputs of kinematics that results are asked for; each is compiled once.

    ``points`` and ``frames`` are the names of those that were compiled, all that is known after
    pickling.
    """

    def __init__(
        self,
        points: tuple[str, ...] = (),
        frames: tuple[str, ...] = (),
        derivation: Derivation | None = None,
        observed: Observation | None = None,
    ) -> None:
        self.points, self.frames = points, frames
        self._derivation, self._observed = derivation, observed
        self._evaluators: dict[tuple[Any, ...], Evaluator] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return Observations, (self.points, self.frames)

    @classmethod
    def of(cls, outputs: DerivedOutputs) -> "Observations":
        """Return what tells of the points and frames of a model."""
        if not isinstance(outputs, KinematicOutputs):
            return cls(derivation=outputs.derivation)
        observed = outputs.observed
        return cls(tuple(observed.points), tuple(observed.frames), outputs.derivation, observed)

    def select(
        self,
        name: str,
        place: Any,
        observer: tuple[Any, Any],
        arrays: Mapping[str, np.ndarray],
        inputs: Inputs,
    ) -> np.ndarray:
        """Return an output of one point or frame, ``(..., 3)`` or ``(..., 3, columns)``.

        ``observer``: who looks, and the frame of the components; None as the model says.
        """
        known = self.points if name in OF_POINTS else self.frames
        is_known = isinstance(place, str) and place in known
        if is_known and name in arrays and observer[0] is observer[1] is None:
            return np.take(arrays[name], known.index(place), axis=-3 if name in MATRICES else -2)
        if self._derivation is None:
            raise ValueError(
                f"`result` must have been made here to tell of {place!r}: after pickling it knows "
                f"the {name} that were compiled. Use the result where it was made."
            )
        if "udot" in arrays:  # of forward dynamics, which makes what inverse dynamics is given
            changes = np.moveaxis(arrays["udot"], -1, 0)
            own = dict(zip(self._derivation.tree.accelerations, changes, strict=True))
            inputs = Inputs(
                {**inputs.samples, **own}, inputs.constants, inputs.speeds, inputs.times
            )
        asked = "point" if name in OF_POINTS else "of"
        for argument, value in (
            (asked, place),
            *zip(("relative_to", "frame"), observer, strict=True),
        ):
            check_instance(argument, value, Hashable, "a point, a frame, a body or a name")
        evaluate = self._evaluator(name, place, observer)
        used = evaluate.used_inputs
        if unknown := used - {*inputs.samples, *inputs.constants}:
            raise ValueError(
                f"`result` must know {', '.join(sorted(map(str, unknown)))} for this. Use "
                "evaluate(...) with values for all of them."
            )
        values = evaluate(**inputs.arguments(evaluate.inputs, used)).outputs[name]
        return np.squeeze(values, axis=-3 if name in MATRICES else -2)

    @exclusive
    def _evaluator(self, name: str, place: Any, observer: tuple[Any, Any]) -> Evaluator:
        key = name, place, *observer
        if key not in self._evaluators:
            self._evaluators[key] = self._compiled(name, place, *observer)
        return self._evaluators[key]

    def _compiled(self, name: str, place: Any, relative_to: Any, frame: Any) -> Evaluator:
        derivation = self._derivation
        look: Callable[..., Observation] = read_observation
        assert derivation is not None
        if self._observed is not None:
            look = self._observed.of_others
        points, frames = ([place], []) if name in OF_POINTS else ([], [place])
        asked = "point" if points else "of"
        observed = look(derivation.tree, points, frames, relative_to, frame, asked=asked)
        program = KinematicOutputs(derivation, observed).cheapest([name])
        return compile_program(program, backend="numpy")
