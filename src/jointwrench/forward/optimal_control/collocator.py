"""opty's constraints with compiled equations in place of symbolic ones."""

from collections.abc import Callable, Iterable
from typing import Any, ClassVar

import numpy as np
from opty.direct_collocation import ConstraintCollocator
from sympy import Expr

from ...evaluation.backends.function import directly
from ...evaluation.compilation import Evaluator, compile_program
from ...evaluation.forms import Form
from ...evaluation.result import Result
from .equations import EquationsOfMotion
from .transcription import TITLES, Transcription, Unknowns


@directly
class NodeEvaluator(Evaluator):
    """A compiled program of the values at neighbouring nodes."""

    forms: ClassVar[dict[str, Form]] = {
        name: Form.NUMBERS if name == "constants" else Form.ROWS for name in TITLES
    }

    def __call__(self, *given: Any) -> Result:
        """Evaluate arguments in the order of `TITLES`."""
        return self._evaluate(given, None)


class CompiledCollocator(ConstraintCollocator):
    """A `ConstraintCollocator` that evaluates the equations of a model by compiled code.

    ``others`` are further expressions, as for `Transcription`.
    """

    def __init__(
        self,
        collocator: ConstraintCollocator,
        equations: EquationsOfMotion,
        others: Iterable[Expr],
        backend: str,
        threads: int,
    ) -> None:
        self.__dict__.update(vars(collocator))
        _check_inputs(self.input_trajectories, equations)
        interval = (self.time_interval_symbol,)
        unknowns = Unknowns(
            states=self.state_symbols,
            inputs=self.input_trajectories,
            constants=self.parameters + interval,
            free_inputs=self.unknown_input_trajectories,
            free_constants=self.unknown_parameters + interval * self._variable_duration,
        )
        self._unknowns = unknowns
        self._is_midpoint = self.integration_method == "midpoint"
        self.transcription = Transcription(equations, others, unknowns, self.integration_method)
        self._evaluators = {
            name: compile_program(
                getattr(self.transcription, name),
                backend=backend,
                threads=threads,
                evaluator=NodeEvaluator,
            )
            for name in ("residual", "slopes")
        }

    def generate_constraint_function(self) -> Callable[[np.ndarray], np.ndarray]:
        """Return the function of the free variables whose values are the constraints."""
        return self._wrap_constraint_funcs(self._residual, "con")

    def generate_jacobian_function(self) -> Callable[[np.ndarray], np.ndarray]:
        """Return the function of the free variables whose values are the constraints' slopes."""
        return self._wrap_constraint_funcs(self._slopes, "jac")

    def _residual(
        self, states: np.ndarray, inputs: np.ndarray, constants: np.ndarray, interval: float
    ) -> np.ndarray:
        """Evaluate all equations between neighbouring nodes; opty reads these sections.

        Parameters
        ==========

        states, inputs : numpy.ndarray, shape (n, N) and (m, N)
            At the nodes.
        constants : numpy.ndarray
            In the order of ``parameters``.
        interval : float
            Time between nodes.

        Returns
        =======

        numpy.ndarray, shape (M (N - 1),)
            Those of the first equation first.
        """
        return self._evaluate("residual", states, inputs, constants, interval).T.ravel()

    def _slopes(
        self, states: np.ndarray, inputs: np.ndarray, constants: np.ndarray, interval: float
    ) -> np.ndarray:
        """Evaluate the derivatives of all equations that are not zero; opty reads these sections.

        Parameters
        ==========

        states, inputs, constants, interval : as for the equations
            At the nodes.

        Returns
        =======

        numpy.ndarray, shape (number of slopes (N - 1),)
            Those between the first two nodes first, as `jacobian_indices` says.
        """
        return self._evaluate("slopes", states, inputs, constants, interval).ravel()

    def _evaluate(
        self,
        name: str,
        states: np.ndarray,
        inputs: np.ndarray,
        constants: np.ndarray,
        interval: float,
    ) -> np.ndarray:
        x = np.ascontiguousarray(states.T)
        r = np.ascontiguousarray(inputs.reshape(-1, len(x)).T)
        here, there = self._ends
        numbers = dict(zip(self._unknowns.constants, (*constants, interval), strict=True))
        rows = (x[here], x[there], r[here], r[there], numbers)
        return self._evaluators[name](*rows).outputs[name]

    @property
    def _ends(self) -> tuple[slice, slice]:
        """The nodes at which equations are taken, and their neighbours."""
        first, last = slice(None, -1), slice(1, None)
        return (first, last) if self._is_midpoint else (last, first)

    def jacobian_indices(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the rows and columns of the slopes of the constraints."""
        nodes = np.arange(self.num_collocation_nodes)
        equations, columns = np.array(self.transcription.places, int).reshape(-1, 2).T
        first = np.arange(len(nodes) - 1)[:, None]
        rows = equations * len(first) + first
        free = self._free_indices()[:, columns]
        if self.instance_constraints is None:
            return rows.ravel(), free.ravel()
        own_rows, own_columns = self._instance_constraints_jacobian_indices()
        return np.hstack([rows.ravel(), own_rows]), np.hstack([free.ravel(), own_columns])

    def _free_indices(self) -> np.ndarray:
        """Return where each column of the slopes is among the free variables.

        The shape is (N - 1, number of columns).
        """
        count = self.num_collocation_nodes
        trajectories = self.num_states + self.num_unknown_input_trajectories
        at_nodes = np.arange(trajectories * count).reshape(trajectories, count).T
        states, inputs = at_nodes[:, : self.num_states], at_nodes[:, self.num_states :]
        here, there = self._ends
        constants = np.arange(trajectories * count, self.num_free)
        parts = [states[here], states[there], inputs[here]]
        parts += [inputs[there]] if self._is_midpoint else []
        return np.hstack([*parts, np.broadcast_to(constants, (count - 1, len(constants)))])


def _check_inputs(inputs: Iterable[Expr], equations: EquationsOfMotion) -> None:
    tree = equations.derivation.tree
    if tree.time in equations.symbols:
        raise ValueError(
            f"`{tree.argument}` must not depend on {tree.time} explicitly, since equations of opty "
            "do not. Use a function of time in its place, and known_trajectory_map={...}."
        )
    for symbol in inputs:
        if symbol.args != (tree.time,):
            raise ValueError(
                f"`{tree.argument}` must not depend on {symbol}, which is no function of time "
                "alone. Use its formula."
            )
