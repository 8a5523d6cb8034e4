"""The uncertain inputs, their errors and correlations."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sympy import Derivative, Expr

from ..checks.arguments import check_instance, check_name, coordinate_name, enumerate_some
from ..extend import MeasuredNoise, find_inputs
from .covariances import Source, check_covariances, check_deviations, compute_root

#: The key of measured coordinates before smoothing.
MEASURED = "measured"

Groups = Mapping[str, Sequence[Expr]]


class SourceReader:
    """A reader of the user's uncertain inputs.

    Parameters
    ==========

    groups : mapping of str to sequence of Expr
        The inputs of the evaluator by group.
    batch : tuple of int
        The batch axes of the motion.
    motion : object
        The motion, which knows the noise of measured coordinates.
    separate : bool
        Whether each measured coordinate is a source, instead of all together.
    dependent : sequence of Expr
        Inputs that follow from others by constraints, which must not be named.
    """

    def __init__(
        self,
        groups: Groups,
        batch: tuple[int, ...],
        motion: Any,
        separate: bool,
        dependent: Sequence[Expr] = (),
    ) -> None:
        self._groups, self._batch = groups, batch
        self._motion, self._separate = motion, separate
        self._dependent = dependent
        names = [name for name in ("q", "u", "udot") if name in groups]
        self._states = tuple(symbol for name in names for symbol in groups[name])
        self._used: dict[Any, str] = {}

    def read(self, deviations: Any, covariances: Any, causes: Any) -> list[Source]:
        """Return the sources of errors from the mappings that `uncertainty` takes."""
        sources: list[Source] = []
        for argument, given, read in (
            ("standard_deviations", deviations, self._read_deviations),
            ("covariances", covariances, self._read_covariance),
            ("causes", causes, self._read_cause),
        ):
            for key, value in _check_mapping(argument, {} if given is None else given).items():
                sources += read(argument, key, value)
        if not sources:
            raise ValueError(
                "`standard_deviations` must have one input at least, got none. Use {'q': 0.01}."
            )
        names = [source.name for source in sources]
        return [  # with names different from inputs of other groups
            s if names.count(s.name) == 1 else replace(s, name=", ".join(map(str, s.symbols)))
            for s in sources
        ]

    def _read_deviations(self, argument: str, key: Any, value: Any) -> Iterator[Source]:
        """Yield a source for each input of a key with standard deviations."""
        text = f"{argument}[{key}]"
        if self._is_measured(argument, key):
            yield from self._measured_sources(text, value)
            return
        for symbol, column in self._columns(text, key, value, is_signed=False):
            self._check_new(argument, symbol)
            yield Source(input_name(symbol), (symbol,), column[..., None, None])

    def _read_covariance(self, argument: str, key: Any, value: Any) -> Iterator[Source]:
        """Yield the source of inputs with a covariance."""
        text = f"{argument}[{key}]"
        if self._is_measured(argument, key):
            yield self._measured_covariance(text, value)
            return
        symbols = find_inputs(argument, key, self._groups)
        self._check_independent(argument, symbols)
        for symbol in symbols:
            self._check_new(argument, symbol)
        shape = (*self._batch_of(symbols), len(symbols), len(symbols))
        matrices = check_covariances(text, value, shape)
        yield Source(", ".join(map(input_name, symbols)), symbols, compute_root(matrices))

    def _read_cause(self, argument: str, cause: Any, value: Any) -> Iterator[Source]:
        """Yield the source of a cause that changes several inputs."""
        text = f"{argument}[{check_name(argument, cause)}]"
        changes: dict[Expr, np.ndarray] = {}
        for key, own in _check_mapping(text, value).items():
            for symbol, column in self._columns(f"{text}[{key}]", key, own):
                if symbol in changes:
                    name = input_name(symbol)
                    raise ValueError(f"`{text}` must have each input once, got {name} twice.")
                changes[symbol] = column
        if not changes:
            raise ValueError(f"`{text}` must change one input at least, got none.")
        root = np.stack(np.broadcast_arrays(*changes.values()), axis=-1)[..., None]
        yield Source(cause, tuple(changes), root)

    def _columns(
        self, text: str, key: Any, value: Any, is_signed: bool = True
    ) -> Iterator[tuple[Expr, np.ndarray]]:
        """Yield the inputs that a key names, each with its standard deviation or change, (...)."""
        symbols = find_inputs(text, key, self._groups)
        self._check_independent(text, symbols)
        is_several = isinstance(key, tuple) or (isinstance(key, str) and key in self._groups)
        shape = (*self._batch_of(symbols), len(symbols))[: None if is_several else -1]
        columns = check_deviations(text, value, shape, is_signed)
        for k, symbol in enumerate(symbols):
            yield symbol, columns[..., k] if is_several else columns

    def _check_independent(self, argument: str, symbols: Iterable[Expr]) -> None:
        if wrong := [input_name(symbol) for symbol in symbols if symbol in self._dependent]:
            raise ValueError(
                f"`{argument}` must be of independent inputs, got {enumerate_some(wrong)}, which "
                "follow from others by the model's constraints. Leave them out: they move with "
                "these."
            )

    def _check_new(self, argument: str, item: Any) -> None:
        if item in self._used:
            where = "" if self._used[item] == argument else f", here and in `{self._used[item]}`"
            raise ValueError(
                f"`{argument}` must have each input once, got {input_name(item)} twice{where}."
            )
        self._used[item] = argument

    def _batch_of(self, symbols: Iterable[Expr]) -> tuple[int, ...]:
        """Return the batch axes of the errors of inputs; constants have none."""
        return self._batch if {*symbols}.isdisjoint(self._groups["constants"]) else ()

    # -- measured coordinates ---------------------------------------------------------

    def _is_measured(self, argument: str, key: Any) -> bool:
        if is_so := isinstance(key, str) and key == MEASURED:
            self._check_new(argument, key)
        return is_so

    def _measured_sources(self, text: str, value: Any) -> Iterator[Source]:
        """Yield the sources of uncertain measured coordinates: each separately, or all together."""
        names, deviations = self._noise.names, dict[str, np.ndarray]()
        for place, own in _read_measured(text, value, self._noise):
            at_place = np.arange(len(names)) == place
            deviations[f"{MEASURED} {names[place]}"] = np.where(at_place, own[:, None], 0.0)
        if deviations and not self._separate:
            deviations = {MEASURED: np.sum([*deviations.values()], axis=0)}
        for name, own in deviations.items():
            yield self._source(name, np.eye(len(names)) * own[:, :, None] ** 2)

    def _measured_covariance(self, text: str, value: Any) -> Source:
        known = self._noise.known[:, :, None] & self._noise.known[:, None]
        given = _zero_missing(known, value)
        # loops and unit quaternions make covariances of fitted markers singular
        return self._source(MEASURED, check_covariances(text, given, known.shape, True))

    def _source(self, name: str, covariances: np.ndarray) -> Source:
        noise, count = self._noise, len(self._states)
        root = compute_root(noise.covariance(covariances)[:, :count, :count])
        return MeasuredSource(name, self._states, root, noise, compute_root(covariances))

    @property
    def _noise(self) -> MeasuredNoise:
        noise = getattr(self._motion, "measured_noise", None)
        if noise is None:
            raise ValueError(
                "`motion` must be a Trajectory for uncertain measured coordinates, got "
                f"{type(self._motion).__name__}. Use Trajectory.from_samples(...)."
            )
        return noise


def _check_mapping(argument: str, value: Any) -> Mapping[Any, Any]:
    expected = "a mapping of symbols, names or groups to numbers or arrays"
    return check_instance(argument, value, Mapping, expected)


def input_name(symbol: Any) -> str:
    """Return the name of an input; a derivative of u is called udot."""
    if isinstance(symbol, Derivative):
        return input_name(symbol.expr) + symbol.derivative_count * "dot"
    return str(getattr(symbol, "name", symbol))


@dataclass(frozen=True)
class MeasuredSource(Source):
    """Errors of coordinates, speeds and accelerations due to measurement noise.

    Attributes
    ==========

    noise : MeasuredNoise
        The map from noise of samples to changes of states.
    noise_root : numpy.ndarray, shape (M, n_q, n_q)
        The root of the noise's covariance at each sample; samples are independent.
    """

    noise: MeasuredNoise
    noise_root: np.ndarray

    def draw(self, rng: np.random.Generator, count: int) -> np.ndarray:
        """Return random errors of the states at all instants, shape (count, N, k)."""
        factors = rng.standard_normal((count, *self.noise.shape, 1))
        return self.noise.changes((self.noise_root @ factors)[..., 0])[..., : len(self.symbols)]


def _read_measured(text: str, value: Any, noise: MeasuredNoise) -> Iterator[tuple[int, np.ndarray]]:
    """Yield the indices of measured coordinates, each with its standard deviations (M,)."""
    if not isinstance(value, Mapping):
        array = check_deviations(text, _zero_missing(noise.known, value), noise.shape)
        yield from enumerate(array.T)
        return
    seen = set()
    for key, own in value.items():
        name, names = coordinate_name(key, noise.names), ", ".join(noise.names)
        if name not in noise.names or name in seen:
            raise ValueError(
                f"`{text}` must name coordinates among {names}, each once, got {name}."
            )
        seen.add(name)
        place = noise.names.index(name)
        known = noise.known[:, place]
        yield place, check_deviations(f"{text}[{name}]", _zero_missing(known, own), known.shape)


def _zero_missing(known: np.ndarray, value: Any) -> Any:
    """Return an array of values for each sample with zeros where nothing was measured."""
    return np.where(known, value, 0) if np.shape(value) == known.shape else value
