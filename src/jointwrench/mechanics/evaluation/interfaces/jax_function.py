"""Outputs as functions of jax, through one handler of XLA for all kernels."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from ....checks.messages import import_extra
from ....checks.numbers import real_array
from .batches import BATCHES, XLA_CALL
from .kernels import Derivatives, Kernel, check_real_kind

_TARGET = "jointwrench_evaluate"

#: Rows of inputs by the name of the group, or their tangents.
Rows = dict[str, Any]


class JaxOutput:
    """An output with its derivatives as functions of the rows (..., width) of all groups."""

    def __init__(self, evaluate: Any, output: str) -> None:
        self.known = Derivatives(evaluate, output)
        call = _call(self.known.value)
        self.value = self._differentiable(lambda rows: call(rows)[output], self._rate)
        self._slopes = cache(self._new_slopes)
        self._tensor = cache(self._new_tensor)

    def _differentiable(
        self, function: Callable[..., Any], rate: Callable[[list[Any], Rows], Any]
    ) -> Callable[..., Any]:
        """Return a function with a derivative rule; ``rate`` returns the tangent of its value."""
        from jax import custom_jvp
        from jax.custom_derivatives import SymbolicZero

        own = custom_jvp(lambda *rows: function(rows))

        def rule(rows: Any, changes: Any) -> Any:
            pairs = zip(self.known.groups, changes, strict=True)
            moving = {name: x for name, x in pairs if not isinstance(x, SymbolicZero)}
            return own(*rows), rate(rows, moving)

        own.defjvp(rule, symbolic_zeros=True)
        return own

    def _rate(self, rows: list[Any], moving: Rows) -> Any:
        """Return the tangent of the output from the tangents of rows."""
        slopes = self._slopes(tuple(moving))(*rows)
        pairs = zip(slopes, moving.values(), strict=True)
        found = sum((slope @ change[..., None])[..., 0] for slope, change in pairs)
        return found.reshape(*found.shape[:-1], *self.known.shape)

    def _new_slopes(self, wrt: tuple[str, ...]) -> Callable[..., Any]:
        """Return a function of rows: derivatives (..., size of the output, width) by group."""
        kernel, names = self.known.slopes(wrt)
        call, size = _call(kernel), self.known.size

        def slopes(rows: Any) -> Any:
            found = call(rows)
            batch = rows[0].ndim - 1
            shapes = {x: (*found[x].shape[:batch], size, found[x].shape[-1]) for x in names}
            return tuple(found[x].reshape(shapes[x]) for x in names)

        def rate(rows: list[Any], moving: Rows) -> Any:
            both = tuple(dict.fromkeys([*wrt, *moving]))
            tensor, at = self._tensor(both)(*rows), self.known.blocks(both)
            return tuple(
                sum(
                    (tensor[..., at[group], at[by]] @ change[..., None, :, None])[..., 0]
                    for by, change in moving.items()
                )
                for group in wrt
            )

        return self._differentiable(slopes, rate)

    def _new_tensor(self, wrt: tuple[str, ...]) -> Callable[..., Any]:
        """Return a function of rows for all second derivatives (..., size of the output, n, n)."""
        import jax.numpy as jnp

        kernel, places = self.known.curvature(wrt)
        call, size = _call(kernel), self.known.size

        def tensor(rows: Any) -> Any:
            batch = rows[0].ndim - 1
            weights = jnp.eye(size).reshape(size, *[1] * batch, size)
            found = call([*(row[None] for row in rows), weights])["hessian"]
            found = jnp.concatenate([found, jnp.zeros((*found.shape[:-1], 1))], axis=-1)
            return jnp.moveaxis(found[..., places], 0, -3)

        def refuse(rows: list[Any], moving: Rows) -> Any:
            raise NotImplementedError(
                "Third derivatives are not compiled. Use finite differences of the second ones."
            )

        return self._differentiable(tensor, refuse)


def jax_function(evaluate: Any, output: str) -> Callable[..., Any]:
    """Return an output as a function of jax; see `Evaluator.to_jax`."""
    zeros = import_extra("jax.numpy", "Evaluator.to_jax", "jax").zeros
    from jax.core import Tracer

    own = JaxOutput(evaluate, output)

    def function(*given: Any, **named: Any) -> Any:
        rows = own.known.rows(given, named, _array, zeros, _stack)
        if not any(isinstance(row, Tracer) for row in rows):
            own.known.run_checks(rows)
        return own.value(*rows)

    return function


def _array(name: str, value: Any) -> Any:
    """Return an argument as an array of jax, after a check of its type and device."""
    import jax
    import jax.numpy as jnp

    if isinstance(value, (np.ndarray, np.generic)):
        value = real_array(name, value)
    array = jnp.asarray(value)
    check_real_kind(name, array.dtype, array.dtype != bool and jnp.isrealobj(array))
    if jnp.issubdtype(array.dtype, jnp.integer):
        array = array.astype(float)
    if array.dtype != "float64":
        raise TypeError(
            f"`{name}` must be of float64, got {array.dtype}. Use "
            "jax.config.update('jax_enable_x64', True) first of all, and .astype('float64')."
        )
    if not isinstance(array, jax.core.Tracer):
        _check_place(name, array)
    return array


def _check_place(name: str, array: Any) -> None:
    if others := {place.platform for place in array.devices()} - {"cpu"}:
        raise ValueError(
            f"`{name}` must be on the processor (cpu), got {others.pop()}. Use "
            "jax.device_put(array, jax.devices('cpu')[0])."
        )


def _stack(columns: Any) -> Any:
    import jax.numpy as jnp

    return jnp.stack(jnp.broadcast_arrays(*columns), axis=-1)


def _call(kernel: Kernel) -> Callable[[Any], dict[str, Any]]:
    """Return a function that calls a kernel with rows and returns its outputs by name."""
    import jax
    import jax.numpy as jnp

    _register(kernel)
    attribute = np.int64(kernel.key)

    def call(rows: Any) -> dict[str, Any]:
        batch = jnp.broadcast_shapes(*(row.shape[:-1] for row in rows))
        shapes = [(*batch, *shape) for shape in kernel.shapes.values()]
        results = [jax.ShapeDtypeStruct(shape, np.float64) for shape in shapes]
        run = jax.ffi.ffi_call(_TARGET, results, vmap_method="expand_dims")
        return dict(zip(kernel.shapes, run(*rows, key=attribute), strict=True))

    return call


def _register(kernel: Kernel) -> None:
    """Register a kernel with the handler of XLA."""
    import jax
    import jaxlib

    text = f"/* jaxlib {jaxlib.__version__} */\n{BATCHES}{XLA_CALL}"
    place = kernel.known_to(text, "call_from_xla", [f"-I{jax.ffi.include_dir()}"])
    _register_handler(place)


@cache
def _register_handler(place: int) -> None:
    from jax import ffi

    ffi.register_ffi_target(_TARGET, ffi.pycapsule(place), platform="cpu")
