"""Integration of the equations of motion over time for one initial state or a batch."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from scipy.integrate import DOP853, RK23, RK45, solve_ivp

from ..checks.arguments import check_choice, check_instance, check_known, check_sequence, is_empty
from ..checks.display import progress_bar
from ..checks.numbers import check_positive
from ..mechanics.evaluation.array_arguments import read_rows
from ..records.samples import check_times
from .right_hand_side import RightHandSide, pack, unpack
from .simulation import Simulation, SimulationBatch

#: Methods that can integrate a batch.
BATCH_METHODS = {"RK23": RK23, "RK45": RK45, "DOP853": DOP853}


def batch_method(method: str, members: int, split: int) -> type[Any]:
    """Return one of scipy's methods for several packed states, each with ``split`` coordinates."""
    # The error norm is that of the state with the largest error: in scipy's mean over all, the
    # error of one state among thousands would not matter.
    base: Any = BATCH_METHODS[method]

    class BatchMethod(base):
        """The method with the largest error norm of all states."""

        def _estimate_error_norm(self, K: np.ndarray, h: float, scale: np.ndarray) -> float:
            squares = np.square(self._estimate_error(K, h) / scale)
            parts = np.split(squares, [members * split])
            sums = sum(part.reshape(members, -1).sum(axis=1) for part in parts)
            return float(np.sqrt(np.max(sums) / (len(squares) // members)))

    return BatchMethod


def projected_method(
    base: type[Any], project: Callable[[float, np.ndarray], np.ndarray]
) -> type[Any]:
    """Return a method that projects each step onto the constraints by ``project(time, state)``."""

    class ProjectedMethod(base):
        """The method with a projection after each step."""

        y: np.ndarray

        def _step_impl(self) -> tuple[bool, str | None]:
            success, message = super()._step_impl()
            if success:
                self.y = project(self.t, self.y)
                self.f = self.fun(self.t, self.y)
            return success, message

    return ProjectedMethod


#: Scipy's methods by name.
METHODS = (*BATCH_METHODS, "Radau", "BDF", "LSODA")

#: Number of state values that are integrated with the same steps, so that they fit in the cache.
SHARE = 4096


class Settings(NamedTuple):
    """The options of `ForwardDynamics.simulate`; ``tolerances`` is (rtol, atol)."""

    method: str
    tolerances: tuple[Any, Any]
    step: float | None
    events: Any
    progress: bool
    projection: bool
    sensitivities: Any


def simulate(
    rhs: RightHandSide, times: Any, q: Any, u: Any, settings: Settings
) -> Simulation | SimulationBatch:
    """Return the motions from one or many initial states; see `ForwardDynamics.simulate`."""
    instants = check_times("times", times)
    start = _start(rhs, q, u)
    check_choice("method", settings.method, METHODS)
    options = _step_options(settings, instants)
    if rhs.model.constraints:
        given, rate = rhs.closing_values(instants[0], start), 1 / (instants[-1] - instants[0])
        q0, u0 = np.split(start, [rhs.split], axis=-1)
        rhs.model.closed_motion.check_constraints(q0, u0, **given, rate=rate)
    if settings.projection:
        check_known("method", [settings.method], BATCH_METHODS, "with projection be one of")
    integrated: Any = rhs
    if not is_empty(settings.sensitivities):
        from .sensitivities import VariationalEquations

        integrated = VariationalEquations(rhs, settings.sensitivities)
        start = integrated.start(instants[0], start)
    integration = _Integration(integrated, instants, options, settings)
    if start.ndim == 1:
        return integration.single(start)
    if settings.events is not None:
        raise ValueError(
            "`events` must be None for several initial states, which are integrated together. "
            "Use one call of simulate() for each."
        )
    return integration.batch(start)


def _start(rhs: RightHandSide, q: Any, u: Any) -> np.ndarray:
    """Return the initial states, shape (n_x,) or (k, n_x)."""
    given = ("q", q, rhs.model.coordinates), ("u", u, rhs.model.speeds)
    parts = {name: read_rows(name, value, len(symbols)) for name, value, symbols in given}
    for name, part in parts.items():
        if part.ndim > 2:
            raise ValueError(
                f"`{name}` must have shape ({part.shape[-1]},) or (k, {part.shape[-1]}), got "
                f"shape {part.shape}."
            )
        if not np.isfinite(part).all():
            raise ValueError(f"`{name}` must be finite, got {part[~np.isfinite(part)][0]}.")
    try:
        batch = np.broadcast_shapes(*(part.shape[:-1] for part in parts.values()))
    except ValueError:
        raise ValueError(
            f"`u` must have as many rows as q, {len(parts['q'])}, got {len(parts['u'])}."
        ) from None
    whole = [np.broadcast_to(part, (*batch, part.shape[-1])) for part in parts.values()]
    return np.concatenate(whole, axis=-1).astype(float)


def _step_options(settings: Settings, times: np.ndarray) -> dict[str, Any]:
    """Return the options of `solve_ivp` for tolerances or a fixed step."""
    rtol, atol = map(check_positive, ("rtol", "atol"), settings.tolerances)
    if settings.step is None:
        return {"rtol": rtol, "atol": atol}
    length = min(check_positive("step", settings.step), times[-1] - times[0])
    check_known("method", [settings.method], BATCH_METHODS, "for steps of fixed length be one of")
    # errors are ignored, so that each step has the maximal length
    return {"first_step": length, "max_step": length, "rtol": 1.0, "atol": np.inf}


class _Integration(NamedTuple):
    """An integration of a right-hand side at some times, with its options."""

    rhs: Any  # a RightHandSide, also with sensitivities
    times: np.ndarray
    options: Mapping[str, Any]
    settings: Settings

    def single(self, start: np.ndarray) -> Simulation:
        """Return the motion from one initial state."""
        rhs, times = self.rhs, self.times
        stepper: Any = self.settings.method
        events = self.settings.events
        if self.settings.projection:
            stepper = projected_method(BATCH_METHODS[stepper], rhs.projected)
        if events is not None:
            expected = "a function of time and state, or several"
            events = [events] if callable(events) else check_sequence("events", events, expected)
            for event in events:
                check_instance("events", event, Callable, expected)
            if rhs.is_variational:
                events = [rhs.event(event) for event in events]
        with progress_bar(self.settings.progress, times[0], times[-1]) as show_time:

            def function(time: float, state: np.ndarray) -> np.ndarray:
                show_time(time)
                return rhs.packed(time, state)

            options = {"dense_output": True, "events": events, **self.options}
            solution = _integrate(function, times, start, stepper, options)
        found = list(zip(solution.t_events or (), solution.y_events or (), strict=True))
        instants, states, end = solution.t, solution.y.T, solution.sol.t_max
        # a terminal event: the last sample is there
        if solution.status == 1 and end > instants[-1]:
            instants = np.append(instants, end)
            states = np.concatenate([states, solution.sol(end)[None]])
        if not rhs.is_variational:
            return Simulation(rhs, instants, states, solution.sol, found)
        states, slopes = rhs.separate(states)
        found = [(when, rhs.separate(which)[0] if len(which) else which) for when, which in found]

        def dense(times: np.ndarray) -> np.ndarray:
            return rhs.separate(solution.sol(times).T)[0].T

        return Simulation(rhs.plain, instants, states, dense, found, slopes)

    def batch(self, starts: np.ndarray) -> SimulationBatch:
        """Return the motions from many initial states, integrated in shares with common steps."""
        method = [self.settings.method]
        check_known("method", method, BATCH_METHODS, "for several initial states be one of")
        rhs, times = self.rhs, self.times
        count = max(1, SHARE // rhs.size)
        span, shares = times[-1] - times[0], range(0, len(starts), count)
        states = np.empty((len(starts), len(times), rhs.size))
        with progress_bar(self.settings.progress, 0.0, span * len(shares)) as show_time:
            for k, first in enumerate(shares):
                part = slice(first, first + count)

                def watch(time: float, done: float = k * span - times[0]) -> None:
                    show_time(time + done)

                states[part] = self._share(starts[part], watch)
        if rhs.is_variational:
            return SimulationBatch(rhs.plain, times, *rhs.separate(states))
        return SimulationBatch(rhs, times, states)

    def _share(self, starts: np.ndarray, show_time: Callable[[float], None]) -> np.ndarray:
        """Return the states, shape (k, N, n_x), of motions integrated with common steps."""
        rhs, members = self.rhs, len(starts)

        def function(time: float, flat: np.ndarray) -> np.ndarray:
            show_time(time)
            return rhs.packed(time, flat, members)

        def project(time: float, flat: np.ndarray) -> np.ndarray:
            return pack(rhs.projected(time, unpack(flat, rhs.split, rhs.size)), rhs.split)

        stepper = batch_method(self.settings.method, members, rhs.split)
        if self.settings.projection:
            stepper = projected_method(stepper, project)
        start = pack(starts, rhs.split)
        solution = _integrate(function, self.times, start, stepper, self.options)
        return unpack(solution.y.T, rhs.split, rhs.size).swapaxes(0, 1)


def _integrate(
    function: Any, times: np.ndarray, start: np.ndarray, method: Any, options: Mapping[str, Any]
) -> Any:
    """Return the solution of `solve_ivp` at some times, or raise an ArithmeticError."""
    solution = solve_ivp(function, (times[0], times[-1]), start, method, times, **options)
    if not solution.success:
        raise ArithmeticError(
            f"The simulation cannot continue after the time {solution.t[-1]:g}: "
            f"{solution.message} Use a method for stiff equations (method='LSODA', 'Radau' or "
            "'BDF')."
        )
    return solution
