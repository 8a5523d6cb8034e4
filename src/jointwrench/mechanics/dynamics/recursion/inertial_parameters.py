"""The ten inertial parameters of every body: names, definitions, values, and symbols for them."""

from dataclasses import dataclass

from sympy import Expr

from ....checks.display import number_equal
from ...arithmetic.expression_derivatives import ParameterSymbol
from ...arithmetic.graph import Graph, Scalar
from ...arithmetic.vectors import Mat, Vec
from ...sympy_objects import Body, IdealBody
from .rigid_body import Inertia
from .scalar_tree import ScalarTree

#: The entries of the inertia matrix in the order of sympy's ``inertia``.
MOMENTS = ((0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (2, 0))

#: The names of the ten parameters of a body, and their definitions.
KINDS = {
    "m": "mass of {body}",
    **{
        f"m{x}": f"mass of {{body}} times the {x} coordinate of its mass centre, from the point "
        "{point} in the frame {frame}"
        for x in "xyz"
    },
    **{
        f"I{x}{x}": f"moment of inertia of {{body}} about the {x} axis of the frame {{frame}} "
        "through the point {point}"
        for x in "xyz"
    },
    **{
        f"I{x}{y}": f"product of inertia of {{body}}, minus the integral of {x} {y} dm, from the "
        "point {point} in the frame {frame}"
        for x, y in ("xy", "yz", "zx")
    },
}


@dataclass(frozen=True, eq=False)
class InertialParameter:
    """One of the ten inertial parameters of a body.

    Attributes
    ==========

    name : str
        Its name, for instance ``"Ixx rod"``.
    body : RigidBody or Particle
        The body.
    definition : str
        Its definition, with the point of reference and the frame.
    value : Expr
        Its value as a formula of the model's constants.
    is_ideal : bool
        Whether the body is an idealised one, such as a rotor.
    """

    name: str
    body: Body
    definition: str
    value: Expr
    is_ideal: bool = False

    @property
    def is_known(self) -> bool:
        """Whether the parameter is zero by definition, like most of a rotor, and not identified."""
        return self.is_ideal and self.value == 0

    def __repr__(self) -> str:
        return f"InertialParameter({self.name}: {self.definition})"


def inertial_parameters(tree: ScalarTree) -> tuple[InertialParameter, ...]:
    """Return ten parameters per body: m, m c, Ixx Iyy Izz Ixy Iyz Izx, from ground outwards."""
    names, parameters = body_names(tree), []
    for name, link, inertia in zip(names, tree.symbolic.links, tree.inertias, strict=True):
        values = tree.graph.to_sympy([scalar.ref for scalar in entries(inertia)])
        origin, frame = link.origin.name, link.frame.name
        is_ideal = isinstance(link.body, IdealBody)
        for (kind, meaning), value in zip(KINDS.items(), values, strict=True):
            definition = meaning.format(body=name, point=origin, frame=frame)
            parameters.append(
                InertialParameter(f"{kind} {name}", link.body, definition, value, is_ideal)
            )
    return tuple(parameters)


def body_names(tree: ScalarTree) -> list[str]:
    """Return the names of the moving bodies; equal names are numbered."""
    names = [link.body.name for link in tree.symbolic.links]
    pairs = zip(names, number_equal(names), strict=True)
    return [f"{name} #{number}" if number else name for name, number in pairs]


def entries(inertia: Inertia) -> list[Scalar]:
    """Return the ten parameters of an inertia in the order of `KINDS`."""
    moments = [inertia.moments.rows[i].components[k] for i, k in MOMENTS]
    return [inertia.mass, *inertia.first_moment.components, *moments]


def inertia_of(graph: Graph, symbols: list[ParameterSymbol]) -> Inertia:
    """Return the inertia whose ten parameters are the given symbols."""
    mass, hx, hy, hz, *moments = map(graph.scalar, symbols)
    matrix = {frozenset(place): value for place, value in zip(MOMENTS, moments, strict=True)}
    return Inertia(mass, Vec(hx, hy, hz), Mat.symmetric(lambda i, k: matrix[frozenset((i, k))]))
