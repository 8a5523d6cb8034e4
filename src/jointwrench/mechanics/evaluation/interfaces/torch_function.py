"""Outputs as functions of torch: three operators for the kernels of all evaluators."""

import ctypes
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any

import numpy as np

from ....checks.messages import import_extra
from ....checks.numbers import real_array
from .batches import BATCHES
from .kernels import Derivatives, Kernel, check_real_kind

# Outputs by the names that operators get, since code compiled by torch stores names, not objects.
# Evaluators of the same code share one entry, with a model if any of them has one.
_known: dict[str, Derivatives] = {}


def torch_function(evaluate: Any, output: str) -> Callable[..., Any]:
    """Return an output as a function of torch; see `Evaluator.to_torch`."""
    torch = import_extra("torch", "Evaluator.to_torch", "torch")
    value, _, _ = _operators()
    own = Derivatives(evaluate, output)
    name = f"{output} {own.value.key:x}"
    if (known := _known.get(name)) is not None:
        own.unchecked += known.unchecked
    if known is not None and known.has_model:
        known.unchecked = own.unchecked
    else:
        _known[name] = own

    def zeros(width: int) -> Any:
        return torch.zeros(width, dtype=torch.float64)

    def function(*given: Any, **named: Any) -> Any:
        return value(own.rows(given, named, _tensor, zeros, _stack), name)

    return function


def _tensor(name: str, value: Any) -> Any:
    """Return an argument as a tensor of torch, after a check of its type and device."""
    import torch

    if not isinstance(value, torch.Tensor):
        value = torch.as_tensor(real_array(name, value).astype(float))
    check_real_kind(name, value.dtype, value.dtype != torch.bool and not value.is_complex())
    if not value.is_floating_point():
        value = value.to(torch.float64)
    if value.dtype != torch.float64:
        raise TypeError(f"`{name}` must be of float64, got {value.dtype}. Use {name}.double().")
    if value.device.type != "cpu":
        raise ValueError(
            f"`{name}` must be on the processor (cpu), got {value.device}. Use {name}.cpu()."
        )
    return value


def _stack(columns: Sequence[Any]) -> Any:
    import torch

    return torch.stack(torch.broadcast_tensors(*columns), dim=-1)


@cache
def _operators() -> tuple[Any, Any, Any]:
    """Return the operators of values, of first and of second derivatives."""
    import torch
    from torch import Tensor
    from torch.library import custom_op

    @custom_op("jointwrench::curvature", mutates_args=())
    def curvature(rows: list[Tensor], name: str, wrt: str) -> Tensor:
        kernel, places = _known[name].curvature(wrt.split())
        size = _known[name].size
        weights = torch.eye(size, dtype=torch.float64)
        weights = weights.reshape(size, *[1] * (rows[0].ndim - 1), size)
        found = _run(kernel, [*(row[None] for row in rows), weights])["hessian"]
        found = torch.nn.functional.pad(found, (0, 1))
        return found[..., torch.as_tensor(places)].movedim(0, -3).contiguous()

    @custom_op("jointwrench::slopes", mutates_args=())
    def slopes(rows: list[Tensor], name: str, wrt: str) -> list[Tensor]:
        kernel, names = _known[name].slopes(wrt.split())
        found = _run(kernel, rows)
        shapes = _slope_shapes(rows, name, wrt)
        return [found[x].reshape(shape) for x, shape in zip(names, shapes, strict=True)]

    @custom_op("jointwrench::value", mutates_args=())
    def value(rows: list[Tensor], name: str) -> Tensor:
        _known[name].run_checks(rows)
        return _run(_known[name].value, rows)[_known[name].output]

    @curvature.register_fake
    def _(rows: list[Tensor], name: str, wrt: str) -> Tensor:
        count = sum(_known[name].widths[_known[name].groups.index(x)] for x in wrt.split())
        return rows[0].new_empty((*_batch(rows), _known[name].size, count, count))

    @slopes.register_fake
    def _(rows: list[Tensor], name: str, wrt: str) -> list[Tensor]:
        return [rows[0].new_empty(shape) for shape in _slope_shapes(rows, name, wrt)]

    @value.register_fake
    def _(rows: list[Tensor], name: str) -> Tensor:
        return rows[0].new_empty((*_batch(rows), *_known[name].shape))

    def keep(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        rows, *ctx.words = inputs
        ctx.save_for_backward(*rows)

    def value_backward(context: Any, grad: Tensor) -> Any:
        rows, (name,) = list(context.saved_tensors), context.words
        own, wanted = _known[name], _find_required(context)
        parts = slopes(rows, name, " ".join(wanted))
        grad = grad.reshape(*_batch(rows), own.size, 1)
        found = dict(zip(wanted, ((grad * part).sum(-2) for part in parts), strict=True))
        return _sum_shared(rows, own, found), None

    def slopes_backward(context: Any, grads: list[Tensor | None]) -> Any:
        rows, (name, wrt) = list(context.saved_tensors), context.words
        own, wanted, groups = _known[name], _find_required(context), wrt.split()
        both = [*dict.fromkeys([*groups, *wanted])]
        tensor, at = curvature(rows, name, " ".join(both)), own.blocks(both)
        pairs = [(x, grad) for x, grad in zip(groups, grads, strict=True) if grad is not None]
        found = {
            by: sum((g[..., None] * tensor[..., at[x], at[by]]).sum((-3, -2)) for x, g in pairs)
            for by in wanted
        }
        return _sum_shared(rows, own, found), None, None

    value.register_autograd(value_backward, setup_context=keep)
    slopes.register_autograd(slopes_backward, setup_context=keep)
    for operator in (value, slopes, curvature):
        operator.register_vmap(partial(_call_mapped, operator))
    return value, slopes, curvature


def _call_mapped(operator: Any, _: Any, axes: Any, rows: list[Any], *words: str) -> tuple[Any, Any]:
    """Call an operator with mapped axes as the first batch axes."""
    first = [
        row[None] if axis is None else row.movedim(axis, 0)
        for row, axis in zip(rows, axes[0], strict=True)
    ]
    found = operator(first, *words)
    return found, [0] * len(found) if isinstance(found, list) else 0


def _find_required(context: Any) -> list[str]:
    """Return the nonempty groups whose gradients are required."""
    own = _known[context.words[0]]
    needs = zip(own.groups, own.widths, context.needs_input_grad[0], strict=True)
    return [group for group, width, is_needed in needs if width and is_needed]


def _sum_shared(rows: list[Any], own: Derivatives, found: dict[str, Any]) -> list[Any]:
    """Return gradients of all rows, summed over the samples that share a row."""
    pairs = zip(own.groups, rows, strict=True)
    return [found[x].sum_to_size(row.shape) if x in found else None for x, row in pairs]


def _batch(rows: list[Any]) -> Any:
    import torch

    return torch.broadcast_shapes(*(row.shape[:-1] for row in rows))


def _slope_shapes(rows: list[Any], name: str, wrt: str) -> list[tuple[int, ...]]:
    own = _known[name]
    widths = [own.widths[own.groups.index(x)] for x in wrt.split()]
    return [(*_batch(rows), own.size, width) for width in widths]


def _run(kernel: Kernel, rows: list[Any]) -> dict[str, Any]:
    """Return the outputs of a kernel by name, for rows whose batch axes broadcast."""
    import torch

    rows = [row.contiguous() for row in rows]
    batch = np.broadcast_shapes(*(row.shape[:-1] for row in rows))
    found = {
        x: torch.empty((*batch, *shape), dtype=torch.float64) for x, shape in kernel.shapes.items()
    }
    dims = [_numbers(row.shape) for row in rows]
    widths = _numbers([int(np.prod(shape)) for shape in kernel.shapes.values()])
    problem = _function(kernel)(
        *(kernel.key, len(rows), len(batch), _pointers(map(ctypes.addressof, dims))),
        *(_pointers(row.data_ptr() for row in rows), _numbers(batch), len(found), widths),
        _pointers(own.data_ptr() for own in found.values()),
    )
    if problem:
        raise MemoryError("no memory for the rows of a block")
    return found


@cache
def _function(kernel: Kernel) -> Any:
    number, arrays = ctypes.c_int64, ctypes.c_void_p
    types = number, number, number, arrays, arrays, arrays, number, arrays, arrays
    return ctypes.CFUNCTYPE(ctypes.c_int, *types)(kernel.known_to(BATCHES, "evaluate_batches"))


def _numbers(values: Any) -> Any:
    return (ctypes.c_int64 * len(values))(*values)


def _pointers(addresses: Any) -> Any:
    known = list(addresses)
    return (ctypes.c_void_p * len(known))(*known)
