"""`DeclaredOutput`: a user's output, declared in one place."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import prod
from types import NoneType
from typing import Any

import numpy as np
from sympy import Expr, Symbol

from ....checks.arguments import check_instance, check_instances, check_sequence
from ...arithmetic.graph import Scalar
from ...arithmetic.output import Output
from ...sympy_objects import check_scalar
from ..derivation import Derivation


class ModelScalars:
    """The model that the ``make`` of a user's output gets; its values are scalars of one graph."""

    def __init__(self, derivation: Derivation, output: Callable[[str], Output]) -> None:
        tree = derivation.tree
        self.coordinates: tuple[Expr, ...] = tree.coordinates
        self.speeds: tuple[Expr, ...] = tree.speeds
        self.accelerations: tuple[Expr, ...] = tree.accelerations
        self.time: Symbol = tree.time
        self._output, self._graph = output, derivation.graph

    def output(self, name: str) -> np.ndarray:
        """Return another output of the method as an array of scalars, in the output's shape."""
        output = self._output(name)
        entries = np.empty(len(output.refs), dtype=object)
        entries[:] = [Scalar(self._graph, ref) for ref in output.refs]
        return entries.reshape(output.shape)

    def scalar(self, formula: Any) -> Scalar:
        """Return a number, or a sympy formula of the model's inputs, as a scalar."""
        return self._graph.scalar(check_scalar("formula", formula))


@dataclass(frozen=True)
class DeclaredOutput:
    """An output of your own: its name, its shape for one sample, and the function of its entries.

    Its derivatives, its C code and its pickling need nothing else.

    Parameters
    ==========

    name : str
        The name of the output, an identifier that no other output has.
    shape : tuple of int
        Its shape for one sample.
    make : function
        Takes a model and returns the entries in C order, scalars or expressions, the same ones at
        every call.  ``model.output(name)`` is another output as an array of scalars, NaN where
        undetermined; ``model.scalar(expression)`` makes a scalar of a number or expression.
        Scalars support ``+ - * /``, also with numbers and expressions.  ``model.coordinates``,
        ``speeds``, ``accelerations`` and ``time`` are the model's symbols.
    title : str, optional
        A description for generated code.  Default: the name.
    labels : tuple of str, optional
        A description of each entry.  Default: entries are numbered.
    needs : iterable of Symbol, optional
        The symbols in its expressions that the model does not have.
    mass_dimension : int, optional
        The power of mass in its dimension, for `Result.per_mass`: 1 for forces, moments, powers and
        energies, 0 for positions, angles, speeds and ratios.  Default: unknown.

    Raises
    ======

    TypeError, ValueError
        If an argument has another type, or the name is not an identifier.

    See Also
    ========

    jointwrench.InverseDynamics : Takes it in ``outputs=[...]``.

    Examples
    ========

    The power of all joints:

    >>> import jointwrench as jw
    >>> from jointwrench.extend import DeclaredOutput
    >>> def power(model):
    ...     speeds = [model.scalar(u) for u in model.speeds]
    ...     return [model.output("generalized_forces") @ speeds]
    >>> chain = jw.SerialChain.planar(1)
    >>> own = DeclaredOutput("power", (1,), power, mass_dimension=1)
    >>> idyn = jw.InverseDynamics(chain.system, outputs=[own])
    >>> values = {"l_0": 2.0, "m_0": 3.0, "I_0": 1.0}
    >>> idyn.compile("power", backend="numpy")([0.0], [2.0], [5.0], values).power
    array([40.])
    """

    name: str
    shape: tuple[int, ...]
    make: Callable[[ModelScalars], Iterable[Any]]
    title: str = ""
    labels: tuple[str, ...] = ()
    needs: Iterable[Symbol] = frozenset()
    mass_dimension: int | None = None

    def __post_init__(self) -> None:
        if not check_instance("name", self.name, str, "a str").isidentifier():
            raise ValueError(f"`name` must be an identifier, got {self.name!r}.")
        shape = tuple(check_instances("shape", self.shape, int, "a tuple of int"))
        if min(shape, default=0) < 0:
            raise ValueError(f"`shape` must be a tuple of int that are not negative, got {shape}.")
        if not callable(self.make):
            raise TypeError(f"`make` must be a function of a model, got {self.make!r:.60}.")
        needs = check_instances("needs", self.needs, Expr, "a sequence of symbols")
        check_instance("mass_dimension", self.mass_dimension, (int, NoneType), "an int")
        object.__setattr__(self, "shape", shape)
        object.__setattr__(self, "needs", frozenset(needs))

    def of(self, derivation: Derivation, output: Callable[[str], Output]) -> Output:
        """Return the output for a model; ``output`` returns the model's other outputs."""
        model, count = ModelScalars(derivation, output), prod(self.shape)
        entries = check_sequence("make", self.make(model), "a function that returns its entries")
        if len(entries) != count:
            raise ValueError(
                f"`make` of the output {self.name!r} must return {count} entries for the shape "
                f"{self.shape}, got {len(entries)}."
            )
        scalars = [
            x if isinstance(x, Scalar) else model.scalar(check_scalar(f"make()[{k}]", x))
            for k, x in enumerate(entries)
        ]
        title = self.title or self.name.replace("_", " ")
        own = title, self.labels, self.mass_dimension
        return Output.from_scalars(self.name, self.shape, scalars, *own)


def check_outputs(given: Any) -> tuple[DeclaredOutput, ...]:
    """Return the user's own outputs as a tuple."""
    expected = "a sequence of DeclaredOutput"
    return tuple(check_instances("outputs", given, DeclaredOutput, expected))
