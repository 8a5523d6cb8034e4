"""opty's collocator with compiled instead of symbolic equations."""

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from opty.direct_collocation import ConstraintCollocator
from sympy import Derivative, Expr, Float, S, Symbol

from .. import Evaluator, Result
from ..checks.arguments import enumerate_some
from ..checks.numbers import check_number, finite_array, shaped_array
from ..extend import Graph, Group, Output, Program, compile_program, leaves, weighted_sum
from .equations import Equations, Objective
from .private_opty import has_free_interval, instance_indices
from .transcription import Transcription, Unknowns


class InstantTerms:
    """The weighted sum of instance constraints and an objective's term, with its derivatives.

    Parameters
    ==========

    expressions : sequence of Expr
        The instance constraints, then the term of the objective at instants.
    place : function
        Returns the index of a state at an instant, or of a constant, in the free variables.
    backend : str
        The backend of the compiled sum.
    """

    def __init__(
        self, expressions: Sequence[Expr], place: Callable[[Expr], int], backend: str
    ) -> None:
        variables = tuple(sorted(leaves(expressions), key=str))
        self.indices = np.array([place(variable) for variable in variables], int)
        graph = Graph(variables)
        values = [graph.scalar(expression) for expression in expressions]
        output = Output.from_scalars("terms", (len(values),), values, "terms")
        groups = [Group("instants", "free variables at instants", variables)]
        program, known = weighted_sum(Program(graph, [output], groups), variables)
        self._evaluate: Evaluator = compile_program(program, backend=backend)
        rows, columns = np.array(known.places, int).reshape(-1, 2).T
        self.rows, self.columns = self.indices[rows], self.indices[columns]
        self._last = np.eye(len(values))[-1]

    def evaluate(self, free: np.ndarray, weights: Any = None) -> Result:
        """Return the weighted sum with derivatives; without weights, only the objective's term."""
        given = self._last if weights is None else weights
        return self._evaluate(free[self.indices], given)


class CompiledCollocator(ConstraintCollocator):
    """A `ConstraintCollocator` whose equations and objective are compiled code.

    ``others`` are the user's further equations.
    """

    def __init__(
        self,
        collocator: ConstraintCollocator,
        equations: Equations,
        others: Iterable[Expr],
        objective: Objective,
        backend: str,
        threads: int,
    ) -> None:
        self.__dict__.update(vars(collocator))
        if strangers := [x for x in self.input_trajectories if x.args != (equations.time,)]:
            raise ValueError(
                f"`{equations.argument}` must not depend on {strangers[0]}, which is no function "
                "of time alone. Use its formula."
            )
        interval = (self.time_interval_symbol,)
        unknowns = Unknowns(
            states=self.state_symbols,
            inputs=self.input_trajectories,
            constants=self.parameters + interval,
            free_inputs=self.unknown_input_trajectories,
            free_constants=self.unknown_parameters + interval * has_free_interval(self),
        )
        _check_integrand(objective.integrand, unknowns, equations.time)
        self._unknowns = unknowns
        self._is_midpoint = self.integration_method == "midpoint"
        self._work: dict[str, Any] = {"backend": backend, "threads": threads}
        self.transcription = Transcription(
            equations, others, unknowns, self.integration_method, objective.integrand
        )
        self._objective = objective
        self._residual = self._compile(self.transcription.residual)
        jacobian, self._places = self.transcription.jacobian()
        self._jacobian = self._compile(jacobian)

    def _compile(self, program: Program) -> Evaluator:
        return compile_program(program, **self._work)

    # -- constraints --------------------------------------------------------

    def generate_constraint_function(self) -> Callable[[np.ndarray], np.ndarray]:
        """Return the function that computes the constraints from the free variables."""

        def constraints(free: np.ndarray) -> np.ndarray:
            values = self._evaluate(self._residual, free).T.ravel()
            if self.instance_constraints is None:
                return values
            return np.hstack([values, self.eval_instance_constraints(free)])

        return constraints

    def generate_jacobian_function(self) -> Callable[[np.ndarray], np.ndarray]:
        """Return the function that computes the constraints' Jacobian from the free variables.

        It returns the nonzero entries, in the order of `jacobian_indices`.
        """

        def jacobian(free: np.ndarray) -> np.ndarray:
            values = self._evaluate(self._jacobian, free).ravel()
            if self.instance_constraints is None:
                return values
            return np.hstack([values, self.eval_instance_constraints_jacobian_values(free)])

        return jacobian

    def jacobian_indices(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the rows and columns of the nonzero entries in the constraints' Jacobian."""
        equations, columns = np.array(self._places, int).reshape(-1, 2).T
        first = np.arange(self.num_collocation_nodes - 1)[:, None]
        rows = equations * len(first) + first
        free = self._free_indices()[:, columns]
        if self.instance_constraints is None:
            return rows.ravel(), free.ravel()
        own_rows, own_columns = instance_indices(self)
        return np.hstack([rows.ravel(), own_rows]), np.hstack([free.ravel(), own_columns])

    # -- the objective ------------------------------------------------------

    def generate_objective_functions(
        self,
    ) -> tuple[Callable[[np.ndarray], float], Callable[[np.ndarray], np.ndarray]]:
        """Return the objective and its gradient as functions of the free variables."""
        cost = self._compile(self.transcription.cost)
        program, places = self.transcription.cost_gradient()
        jacobian = self._compile(program)
        columns = self._free_indices()[:, np.array(places, int).reshape(-1, 2)[:, 1]].ravel()
        rest = self._compile_point_terms([])
        columns = np.hstack([columns, rest.indices])

        def objective(free: np.ndarray) -> float:
            total = self._evaluate(cost, free).sum()
            return float(total + rest.evaluate(free).weighted_sum)

        def gradient(free: np.ndarray) -> np.ndarray:
            own, others = self._evaluate(jacobian, free).ravel(), rest.evaluate(free).gradient
            values = np.hstack([own, others])
            return np.bincount(columns, values, self.num_free).astype(float)  # integers if empty

        return objective, gradient

    def _compile_point_terms(self, conditions: Iterable[Expr]) -> InstantTerms:
        given = self.known_parameter_map.items()
        numbers = {symbol: Float(x) for symbol, x in given if not callable(x)}
        terms = [x.xreplace(numbers) for x in (*conditions, self._objective.rest)]
        return InstantTerms(terms, self._free_index, self._work["backend"])

    def _free_index(self, leaf: Expr) -> int:
        """Return the index of a state at an instant, or of a constant, in the free variables."""
        count, constants = self.num_collocation_nodes, self._unknowns.free_constants
        trajectories = (*self._unknowns.states, *self._unknowns.free_inputs)
        if leaf in constants:
            return len(trajectories) * count + constants.index(leaf)
        own = leaf.func(self.time_symbol) if len(leaf.args) == 1 else leaf
        if own in trajectories and own != leaf:
            instant = leaf.args[0] / S(self.node_time_interval)
            node = round(float(instant)) if instant.is_number else -1
            if 0 <= node < count:
                return trajectories.index(own) * count + node
        raise ValueError(
            "`obj` must depend on states and free inputs in integrals or at nodes, and on free "
            f"constants, got {leaf}. They are {enumerate_some([*trajectories, *constants], 12)}."
        )

    # -- second derivatives, in the form of opty's first ones -----------------

    def hessian_indices(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the rows and columns of the nonzero entries in the Hessian's lower triangle."""
        *_, places, _ = self._hessian
        return places // self.num_free, places % self.num_free

    def generate_hessian_function(self) -> Callable[..., np.ndarray]:
        """Return the function that computes the Lagrangian's Hessian.

        It takes free variables, multipliers and the weight of the objective, and returns the
        entries in the order of `hessian_indices`.
        """
        between_nodes, at_instants, places, where = self._hessian
        intervals = self.num_collocation_nodes - 1
        equations = self.num_eom * intervals

        def hessian(free: np.ndarray, multipliers: np.ndarray, factor: float) -> np.ndarray:
            free = shaped_array("free", free, self.num_free)
            multipliers = finite_array("multipliers", multipliers, (self.num_constraints,))
            factor = check_number("obj_factor", factor)
            weights = np.full((intervals, self.num_eom + 1), factor)
            weights[:, :-1] = multipliers[:equations].reshape(-1, intervals).T
            values = self._evaluate(between_nodes, free, weights).ravel()
            given = np.append(multipliers[equations:], factor)
            values = np.hstack([values, at_instants.evaluate(free, given).hessian])
            return np.bincount(where, values, len(places)).astype(float)

        return hessian

    @cached_property
    def _hessian(self) -> tuple[Evaluator, InstantTerms, np.ndarray, np.ndarray]:
        """The evaluators of second derivatives, the Hessian's entries, and the map to entries.

        An entry is its row times the number of free variables plus its column.
        """
        program, places = self.transcription.hessian()
        conditions = self._compile_point_terms(self.instance_constraints or ())
        free = self._free_indices()
        one, two = free[:, np.array(places, int).reshape(-1, 2)].reshape(-1, 2).T
        one, two = np.hstack([one, conditions.rows]), np.hstack([two, conditions.columns])
        flat = np.maximum(one, two) * self.num_free + np.minimum(one, two)
        compiled = self._compile(program)
        return compiled, conditions, *np.unique(flat, return_inverse=True)

    # -- nodes --------------------------------------------------------------

    def _evaluate(self, evaluator: Evaluator, free: np.ndarray, *weights: np.ndarray) -> np.ndarray:
        """Return the output of a program between all neighbouring nodes, shape (N - 1, size)."""
        count, states = self.num_collocation_nodes, self.num_states
        trajectories = states + self.num_unknown_input_trajectories
        at_nodes = free[: trajectories * count].reshape(trajectories, count)
        is_free = has_free_interval(self)
        constants = free[trajectories * count : self.num_free - is_free]
        interval = free[-1] if is_free else self.node_time_interval
        x = np.ascontiguousarray(at_nodes[:states].T)
        given, unknown = self.known_trajectory_map, iter(at_nodes[states:])
        r = np.empty((count, len(self._unknowns.inputs)))
        for k, symbol in enumerate(self._unknowns.inputs):
            r[:, k] = _known_value(given[symbol], free) if symbol in given else next(unknown)
        numbers = {s: _known_value(value, free) for s, value in self.known_parameter_map.items()}
        numbers |= dict(zip(self.unknown_parameters, constants, strict=True))
        numbers = {s: numbers[s] for s in self.parameters} | {self.time_interval_symbol: interval}
        nodes, neighbours = self._ends
        instants = np.arange(count, dtype=float)[nodes, None] + self._is_midpoint / 2
        rows = (x[nodes], x[neighbours], r[nodes], r[neighbours], numbers, instants, *weights)
        (name,) = evaluator.outputs
        return evaluator(*rows).outputs[name]

    @property
    def _ends(self) -> tuple[slice, slice]:
        """The slices of the nodes of the equations, and of their neighbours."""
        first, last = slice(None, -1), slice(1, None)
        return (first, last) if self._is_midpoint else (last, first)

    def _free_indices(self) -> np.ndarray:
        """Return the indices of a program's variables in the free variables, (N - 1, columns)."""
        count = self.num_collocation_nodes
        trajectories = self.num_states + self.num_unknown_input_trajectories
        at_nodes = np.arange(trajectories * count).reshape(trajectories, count).T
        states, inputs = at_nodes[:, : self.num_states], at_nodes[:, self.num_states :]
        nodes, neighbours = self._ends
        constants = np.arange(trajectories * count, self.num_free)
        parts = [states[nodes], states[neighbours], inputs[nodes]]
        parts += [inputs[neighbours]] if self._is_midpoint else []
        return np.hstack([*parts, np.broadcast_to(constants, (count - 1, len(constants)))])


def _known_value(given: Any, free: np.ndarray) -> Any:
    """Return a known value; a function is called with the free variables."""
    return given(free) if callable(given) else given


def _check_integrand(integrand: Expr, unknowns: Unknowns, time: Symbol) -> None:
    """Refuse an integrand with symbols that the equations of motion do not have."""
    rates = {x for x in integrand.atoms(Derivative) if x.expr in unknowns.states}
    known = {*unknowns.states, *unknowns.inputs, *unknowns.constants, *rates, time}
    others = leaves([integrand]) - known
    if strangers := sorted(map(str, others)):
        raise ValueError(
            f"`obj` must depend on given values or variables of the equations of motion, got "
            f"{enumerate_some(strangers)}. Use known_parameter_map or known_trajectory_map, or add "
            "it to `equations`."
        )
