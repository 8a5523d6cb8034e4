"""Regressors: the coefficients of inertial parameters in forces and joint wrenches.

Generalized forces and joint wrenches are linear in the inertial parameters.  The coefficients are
the derivatives by ten symbols per body, which replace its inertia in the same recursion.  Friction
and the inertia of rotors are additional forces in the joints: ``viscous u + Coulomb sign(u) + rotor
udot``.

References
==========

.. [1] C. G. Atkeson, C. H. An, J. M. Hollerbach, Estimation of inertial parameters of
   manipulator loads and links, Int. J. Robotics Research 5 (1986) 101-119.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple, TypeAlias

from sympy import S, sign

from ...arithmetic.derivatives import jacobian
from ...arithmetic.expression_derivatives import ParameterSymbol
from ...arithmetic.graph import Graph, Scalar, replace_inputs, total
from ...arithmetic.output import Output
from ..derivation import Derivation
from ..recursion.inertial_parameters import KINDS, entries, inertia_of
from ..regrouping import regroup
from .force_outputs import generalized_forces_output
from .wrench_outputs import joint_wrenches_output

#: A function that returns an output of a derivation.
MakeOutput: TypeAlias = Callable[[Derivation], Output]

#: The kinds of actuator parameters of each speed.
ACTUATOR_KINDS = ("viscous", "Coulomb", "rotor")


class Linear(NamedTuple):
    """A derivation with symbols for all parameters: ten per body, three per speed."""

    derivation: Derivation
    inertial: list[ParameterSymbol]
    actuator: list[ParameterSymbol]

    @classmethod
    def of(cls, derivation: Derivation) -> "Linear":
        """Return the derivation of a model with symbols in place of its parameters."""
        graph, tree = derivation.graph, derivation.tree
        ten, three = len(KINDS), len(ACTUATOR_KINDS)
        inertial = [ParameterSymbol.numbered("inertial", k) for k in range(ten * len(tree.links))]
        actuator = [ParameterSymbol.numbered("motor", k) for k in range(three * len(tree.speeds))]
        inertias = [inertia_of(graph, inertial[k : k + ten]) for k in range(0, len(inertial), ten)]
        losses = []
        for k, (u, udot) in enumerate(zip(tree.speeds, tree.accelerations, strict=True)):
            factors = map(graph.scalar, (u, sign(u), udot))
            own = map(graph.scalar, actuator[three * k : three * k + three])
            losses.append(total(x * y for x, y in zip(own, factors, strict=True)))
        return cls(derivation.with_inertias(inertias, losses), inertial, actuator)


def _regressor(name: str, output: MakeOutput, derivation: Derivation) -> Output:
    """Return the coefficients of the inertial parameters in an output."""
    linear = Linear.of(derivation)
    full = output(linear.derivation)
    title = f"coefficients of the inertial parameters in the {full.title}"
    return _slopes(name, title, derivation.graph, full, linear.inertial)


def actuator_regressor_output(derivation: Derivation) -> Output:
    """Return the coefficients of friction and rotor inertia in the generalized forces."""
    linear, graph = Linear.of(derivation), derivation.graph
    forces = generalized_forces_output(linear.derivation)
    title = "coefficients of viscous and Coulomb friction and rotor inertia of each speed"
    return _slopes("actuator_regressor", title, graph, forces, linear.actuator)


def _without_mass(name: str, output: MakeOutput, derivation: Derivation) -> Output:
    """Return an output for bodies without mass: the part due to known loads."""
    linear, graph = Linear.of(derivation), derivation.graph
    full = output(linear.derivation)
    zeros = dict.fromkeys([*linear.inertial, *linear.actuator], graph.scalar(0))
    values = replace_inputs([Scalar(graph, ref) for ref in full.refs], zeros)
    title = f"{full.title} due to known loads"
    return Output.from_scalars(name, full.shape, values, title, full.labels, full.mass_dimension)


regressor_output = partial(_regressor, "regressor", generalized_forces_output)
known_loads_output = partial(_without_mass, "known_loads", generalized_forces_output)
joint_wrench_regressor_output = partial(_regressor, "joint_wrench_regressor", joint_wrenches_output)
known_wrenches_output = partial(_without_mass, "known_wrenches", joint_wrenches_output)


def _slopes(
    name: str, title: str, graph: Graph, output: Output, symbols: Sequence[ParameterSymbol]
) -> Output:
    """Return the derivatives of an output by parameters; NaN where the output is NaN."""
    nan = graph.scalar(S.NaN)
    values = [Scalar(graph, ref) for ref in output.refs]
    pairs = zip(values, jacobian(graph, values, symbols), strict=True)
    entries = [nan if x.ref == nan.ref else entry for x, row in pairs for entry in row]
    shape = (*output.shape, len(symbols))
    return Output.from_scalars(name, shape, entries, title, mass_dimension=0)


def regrouping(derivation: Derivation) -> list[list[Scalar]]:
    """Return the regrouping of inertial parameters that leaves generalized forces unchanged.

    Row k holds the coefficients of all parameters in the combination that replaces the k-th one; it
    is empty for those that vanish.  The coefficients depend on constants alone.
    """
    linear = Linear.of(derivation)
    grouped = regroup(linear.derivation.scalars)
    values = [entry for inertia in grouped for entry in entries(inertia)]
    return jacobian(derivation.graph, values, linear.inertial)
