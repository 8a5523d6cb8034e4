"""How large the terms are of which values are sums: beside them, what cancels is rounding."""

from collections.abc import Sequence

from .graph import Graph, Scalar
from .operations import Product, Sum


def squared_terms(graph: Graph, scalars: Sequence[Scalar]) -> list[Scalar]:
    """Return the sum of the squares of each value's terms, products of sums multiplied out."""
    # Squares add up as roundings do, at random; and a rotation, however often, leaves them as large
    # as they are: sums of absolute values would grow with each joint.
    known = {0: graph.scalar(0)}
    for ref in graph.needed(scalar.ref for scalar in scalars):
        operation = graph.operations[ref]
        if isinstance(operation, Sum):
            known[ref] = known[operation.left] + known[abs(operation.right)]
        elif isinstance(operation, Product):
            known[ref] = known[operation.left] * known[operation.right]
        else:
            value = Scalar(graph, ref)
            known[ref] = value * value
    return [known[abs(scalar.ref)] for scalar in scalars]
