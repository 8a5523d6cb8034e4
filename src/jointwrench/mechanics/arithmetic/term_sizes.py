"""Sizes of the terms of which values are sums: relative to them, cancellation is roundoff."""

from collections.abc import Sequence

from sympy import Float

from .graph import Graph, Scalar
from .operations import Constant, Product, Sum


def squared_terms(
    graph: Graph, scalars: Sequence[Scalar], with_cancelled: bool = False
) -> list[Scalar]:
    """Return the sum of the squared terms of each value, with products of sums multiplied out.

    Squares add up as random rounding errors do, and rotations do not change their sum; sums of
    absolute values would grow with each joint.  ``with_cancelled``: a number that remained of
    larger numbers, such as 6e-17 of 1, has the size of the larger numbers.
    """
    known = {0: graph.scalar(0)}
    for ref in graph.needed(scalar.ref for scalar in scalars):
        operation = graph.operations[ref]
        if isinstance(operation, Sum):
            known[ref] = known[operation.left] + known[abs(operation.right)]
        elif isinstance(operation, Product):
            known[ref] = known[operation.left] * known[operation.right]
        else:
            is_number = with_cancelled and isinstance(operation, Constant)
            size = graph.size_of_number(ref) if is_number else 0.0
            value = graph.scalar(Float(size)) if size else Scalar(graph, ref)
            known[ref] = value * value
    return [known[abs(scalar.ref)] for scalar in scalars]
