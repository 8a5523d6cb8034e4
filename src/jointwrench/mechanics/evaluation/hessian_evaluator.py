"""The compiled function of second derivatives."""

from collections.abc import Mapping
from math import prod
from typing import Any

import numpy as np
from sympy import Expr

from ...checks.arguments import check_known
from ...checks.numbers import finite_array, shaped_array
from ..dynamics.outputs.weighted_sum import WeightedSum
from .backends.codes import Code
from .compiled_outputs import Interface
from .evaluator import Evaluator
from .result import Result


class HessianEvaluator(Evaluator):
    """The weighted sum of outputs with its gradient and its Hessian: arrays in, arrays out.

    Made by `InverseDynamics.compile` with ``second_derivatives``.  For f, the sum of weight times
    output over all entries of all outputs, it returns df/dx and d2f/dx2 with all other inputs
    fixed, as solvers such as IPOPT require, with their multipliers as weights.

    Parameters
    ==========

    interface, code, **options : as for `Evaluator`
        The inputs and outputs, the compiled function, threads and the like.
    description : WeightedSum
        The weighted outputs and the pattern of the Hessian.

    Attributes
    ==========

    variables : tuple of Expr
        The inputs x, in the order of the gradient and of the Hessian's rows.
    rows, columns : numpy.ndarray of int, shape (number of nonzeros,)
        The positions of the entries of ``hessian`` in the lower triangle, row by row.
    corners : tuple of str
        Functions of the inputs that are not smooth everywhere, such as ``Abs(u(t))``.

    See Also
    ========

    InverseDynamics.compile : Makes it with ``second_derivatives``.
    InverseDynamics.hessian : The same as formulas.

    Notes
    =====

    At a corner or a jump the second derivative is that beside it, zero for Abs, which misleads
    solvers: if one is slow, look at ``corners``.

    Examples
    ========

    >>> import jointwrench as jw
    >>> chain = jw.SerialChain.planar(1, gravity=(0, -9.81, 0))
    >>> idyn = jw.InverseDynamics(chain.system)
    >>> values = {"l_0": 0.5, "m_0": 2.0, "I_0": 0.04}
    >>> evaluate = idyn.compile("generalized_forces", values, second_derivatives=["q"])
    >>> evaluate([0.0], [0.0], [0.0], weights=[1.0]).hessian.shape
    (1,)
    """

    def __init__(
        self, interface: Interface, code: Code, *, description: WeightedSum, **options: Any
    ) -> None:
        super().__init__(interface, code, **options)
        self._description = description
        self.variables: tuple[Expr, ...] = description.variables
        self.rows, self.columns = np.array(description.places, int).reshape(-1, 2).T
        self.corners = description.corners

    def _options(self) -> dict[str, Any]:
        return {**super()._options(), "description": self._description}

    def __call__(self, *given: Any, **named: Any) -> Result:
        """Evaluate one sample or a whole batch; arguments and errors are those of `Evaluator`.

        The last argument is ``weights``: those of the output, shape (..., shape of the output), or
        a mapping by names for several outputs; outputs that are not named have the weight zero. The
        Result has ``weighted_sum`` (...), ``gradient`` (..., number of variables) and ``hessian``
        (..., number of nonzeros), which `dense` converts to full matrices.
        """
        return self._called(given, named)  # weights are read here, not by the extension

    def _evaluate(self, given: tuple[Any, ...], out: Any, is_checked: bool) -> Result:
        *others, weights = given
        return super()._evaluate((*others, self._weight_rows(weights)), out, is_checked)

    def tensors(
        self, q: Any, u: Any = None, udot: Any = None, **given: Any
    ) -> dict[str, np.ndarray]:
        """Return all second derivatives of all entries, zeros included.

        They are arrays (..., shape of the output, number of variables, number of variables) by the
        names of the outputs.  Each entry of each output takes one evaluation: use it for
        inspection, not for solvers.  ``q``, ``u``, ``udot``, ``given`` and errors are those of a
        call without weights.

        See Also
        ========

        HessianEvaluator.dense : The Hessian of the weighted sum.

        Examples
        ========

        >>> import numpy as np
        >>> import jointwrench as jw
        >>> idyn = jw.InverseDynamics(jw.SerialChain.planar(2, gravity=(0, -9.81, 0)).system)
        >>> numbers = dict.fromkeys(idyn.constants, 1.0)
        >>> evaluate = idyn.compile("mass_matrix", numbers, second_derivatives=["q"])
        >>> evaluate.tensors(np.ones((5, 2)))["mass_matrix"].shape
        (5, 2, 2, 2, 2)
        """
        found = {}
        for name, shape in self._description.shapes.items():
            units = np.eye(prod(shape)).reshape(-1, *shape)
            results = [self(q, u, udot, weights={name: unit}, **given) for unit in units]
            stacked = np.stack([self.dense(result.hessian) for result in results], axis=-3)
            found[name] = stacked.reshape(*stacked.shape[:-3], *shape, *stacked.shape[-2:])
        return found

    def _weight_rows(self, given: Any) -> Any:
        """Return the weights in one row per sample, shape (..., number of weights)."""
        shapes = self._description.shapes
        if not isinstance(given, Mapping):
            if len(shapes) > 1:
                raise ValueError(
                    f"`weights` must be a mapping of the outputs {', '.join(shapes)} to arrays. "
                    f"Use weights={{{next(iter(shapes))!r}: ...}}."
                )
            (shape,) = shapes.values()
            return given if given is None else _flat("weights", given, shape)
        check_known("weights", given, shapes, "be for outputs among")
        parts = [
            _flat(f"weights[{name!r}]", given.get(name, np.zeros(shape)), shape)
            for name, shape in shapes.items()
        ]
        batch = np.broadcast_shapes(*(part.shape[:-1] for part in parts))
        rows = [np.broadcast_to(part, (*batch, part.shape[-1])) for part in parts]
        return np.concatenate(rows, axis=-1)

    def dense(self, hessian: np.ndarray) -> np.ndarray:
        """Return full symmetric matrices from the entries of their lower triangles.

        ``hessian`` is that output of a result, shape (..., number of nonzeros); the matrices have
        the shape (..., number of variables, number of variables), in the order of ``variables``.

        See Also
        ========

        HessianEvaluator : Has the pattern.

        Examples
        ========

        >>> import jointwrench as jw
        >>> chain = jw.SerialChain.planar(1, gravity=(0, -9.81, 0))
        >>> values = {"l_0": 0.5, "m_0": 2.0, "I_0": 0.04}
        >>> idyn = jw.InverseDynamics(chain.system)
        >>> evaluate = idyn.compile("mass_matrix", values, second_derivatives=["q"])
        >>> evaluate.dense(evaluate([0.0], weights=[[1.0]]).hessian).shape
        (1, 1)
        """
        count = len(self.variables)
        own = shaped_array("hessian", hessian, ..., len(self.rows))
        full = np.zeros((*own.shape[:-1], count, count))
        full[..., self.rows, self.columns] = own
        full[..., self.columns, self.rows] = own
        return full


def _flat(argument: str, given: Any, shape: tuple[int, ...]) -> np.ndarray:
    """Return an array of weights with the axes of the output flattened."""
    array = shaped_array(argument, finite_array(argument, given), ..., *shape)
    return array.reshape(*array.shape[: array.ndim - len(shape)], prod(shape))
