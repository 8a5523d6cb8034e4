"""An evaluator as a function of arrays, for libraries that map functions over data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ... import hints
from ...checks.pickles import Pickled


class GeneralizedUfunc(Pickled):
    """Outputs of a model as a function of arrays only: numpy's generalised universal function.

    Made by `Evaluator.as_ufunc`.  ``dask.array.apply_gufunc`` and ``xarray.apply_ufunc`` map it
    over data that are larger than memory, chunk by chunk.  It can be pickled, and it releases the
    GIL.

    Parameters
    ==========

    evaluate : Evaluator
        The evaluator to call.
    arguments : sequence of str
        The names of the arrays, among "q", "u", "udot", "specifieds" and "times".
    given : mapping of str to Any
        Other arguments of the evaluator, the same for all samples.

    Attributes
    ==========

    arguments : tuple of str
        The names of the arrays, in the order of a call.
    signature : str
        As in numpy, for instance ``"(q),(u),(udot)->(generalized_forces_0)"``.
    output_sizes : dict of str to int
        The sizes of the outputs' axes by the names in the signature.
    output_dtypes : list of type
        float for each output.

    See Also
    ========

    Evaluator.as_ufunc : Makes it.

    Examples
    ========

    >>> import jointwrench as jw
    >>> chain = jw.SerialChain.planar(1, gravity=(0, -9.81, 0))
    >>> idyn = jw.InverseDynamics(chain.system)
    >>> values = {"l_0": 0.5, "m_0": 2.0, "I_0": 0.04}
    >>> torque = idyn.compile("generalized_forces").as_ufunc(constants=values)
    >>> torque.signature
    '(q),(udot)->(generalized_forces_0)'
    """

    def __init__(
        self, evaluate: hints.Evaluator, arguments: Sequence[str], given: Mapping[str, Any]
    ) -> None:
        self.arguments, shapes = tuple(arguments), evaluate.shapes
        self._evaluate = evaluate
        self._specifieds = evaluate.inputs["specifieds"]
        self._given = dict(given)
        self.__name__ = "_".join(shapes)  # dask names its tasks after it
        self._input_axes = [[] if name == "times" else [name] for name in self.arguments]
        self._output_axes = [[f"{n}_{k}" for k in range(len(shapes[n]))] for n in shapes]
        self.output_sizes = {
            f"{name}_{k}": size for name, shape in shapes.items() for k, size in enumerate(shape)
        }
        self.output_dtypes = [float] * len(shapes)

    @property
    def signature(self) -> str:
        """The axes of the arrays and of the outputs, as numpy writes them."""
        inputs, outputs = (
            ",".join(f"({','.join(axes)})" for axes in each)
            for each in (self._input_axes, self._output_axes)
        )
        return f"{inputs}->{outputs}"

    @property
    def xarray_options(self) -> dict[str, Any]:
        """The options of ``xarray.apply_ufunc``, apart from the function and its arrays.

        The last dimensions have the names of the arguments, those of outputs as in the signature.
        """
        return {
            "input_core_dims": self._input_axes,
            "output_core_dims": self._output_axes,
            "output_dtypes": self.output_dtypes,
            "dask": "parallelized",
            "dask_gufunc_kwargs": {"output_sizes": self.output_sizes},
        }

    def __repr__(self) -> str:
        return f"GeneralizedUfunc({self.signature!r})"

    def __call__(self, *arrays: Any) -> np.ndarray | tuple[np.ndarray, ...]:
        """Evaluate a batch.

        There is one array for each of ``arguments``, shape (..., n), or (...) for times; leading
        axes broadcast.  Specifieds are in the order of ``evaluate.inputs["specifieds"]``.  The
        outputs are returned in the order of ``evaluate.outputs``, a single one as an array.

        Raises
        ======

        TypeError, ValueError
            As for `Evaluator`; if there are more or fewer arrays.
        """
        if len(arrays) != len(self.arguments):
            raise ValueError(
                f"`arrays` must be {', '.join(self.arguments)}, got {len(arrays)} of them."
            )
        given = {**self._given, **dict(zip(self.arguments, arrays, strict=True))}
        if "specifieds" in self.arguments:
            given["specifieds"] = {self._specifieds: given["specifieds"]}
        outputs = tuple(self._evaluate(**{"q": None, **given}).outputs.values())
        return outputs[0] if len(outputs) == 1 else outputs
