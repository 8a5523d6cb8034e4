"""Forward dynamics of a System by sympy's KanesMethod, for arrays of numbers.

It shares nothing with the recursion but the System itself, and so serves as its
independent check.
"""

from collections.abc import Iterable

import numpy as np
from sympy import Basic, Derivative, Expr, Matrix, Symbol
from sympy.core.function import AppliedUndef
from sympy.physics.mechanics import Force, KanesMethod
from sympy.physics.mechanics.loads import LoadBase
from sympy.physics.vector import dynamicsymbols

from ..arrays import array_function, solve_rows
from ..inverse_dynamics import InverseDynamics
from ..trajectory import kinematics


class ForwardModel:
    """The equations of motion of a System as functions of arrays.

    The System is read as it is now, and not changed.

    Parameters
    ==========

    idyn : InverseDynamics
        Its System is what is modelled; nothing that it derived is used.

    Attributes
    ==========

    q, u, udot : list of Expr
        The coordinates, speeds and their derivatives.
    constants : tuple of Symbol
        All constants in the equations, sorted by name.
    functions : tuple of Expr
        All functions of time in the equations that are no coordinate or speed,
        sorted by name.

    Raises
    ======

    ValueError
        If the System cannot move, if a load depends on accelerations, or if
        ``dynamicsymbols._t`` is not the System's time.
    """

    def __init__(self, idyn: InverseDynamics) -> None:
        self._time = idyn.time
        kdes, speeds = kinematics(idyn)
        _check_time(idyn)
        self.q, self.u = list(idyn.coordinates), speeds
        self.udot = [speed.diff(self._time) for speed in speeds]
        kane = KanesMethod(
            idyn.frame,
            q_ind=self.q,
            u_ind=self.u,
            kd_eqs=kdes,
            bodies=idyn.bodies,
            forcelist=_loads(idyn) or None,
            explicit_kinematics=False,
        )
        kane.kanes_equations()
        self._set_rates(kane)
        self._set_equations(kane.mass_matrix, kane.forcing)
        self._set_power(_kinetic_energy(idyn), _power(idyn))
        self._sort_symbols()

    def _set_rates(self, kane: KanesMethod) -> None:
        rates = kane.kindiffdict()
        self._rates = [rates[q.diff(self._time)] for q in self.q]
        self._replaced = rates

    def _set_equations(self, mass_matrix: Matrix, forcing: Matrix) -> None:
        states = {*self.q, *self.u}
        derivatives = (leaf for leaf in leaves(forcing) if isinstance(leaf, Derivative))
        if found := sorted(str(leaf) for leaf in derivatives if leaf.expr in states):
            raise ValueError(
                f"`idyn` must be of a system whose loads do not depend on accelerations, but they "
                f"contain {', '.join(found)}. Use bodies with mass and inertia instead."
            )
        self._equations = [*mass_matrix, *forcing]

    def _set_power(self, energy: Expr, power: Expr) -> None:
        energy = energy.xreplace(self._replaced)
        self._powers = [
            energy.diff(self._time).xreplace(self._replaced),
            power.xreplace(self._replaced),
        ]

    def _sort_symbols(self) -> None:
        others = leaves([*self._rates, *self._equations, *self._powers])
        others -= {self._time, *self.q, *self.u, *self.udot}
        names = sorted(others, key=str)
        self.constants = tuple(s for s in names if isinstance(s, Symbol))
        self.functions = tuple(s for s in names if not isinstance(s, Symbol))

    @property
    def given(self) -> tuple[Expr, ...]:
        """The constants and functions, in the order of the compiled functions' arrays."""
        return self.constants + self.functions

    def compile(self) -> "CompiledModel":
        """Return the equations as functions of arrays."""
        groups = [[self._time], self.q, self.u, list(self.given)]
        return CompiledModel(self._rates, self._equations, self._powers, groups, self.udot)


class CompiledModel:
    """The functions of arrays that belong to a `ForwardModel`, which makes it.

    Every call takes the times, coordinates, speeds and given values with shapes
    (N, 1), (N, n_q), (N, n) and (N, number of given).
    """

    def __init__(
        self,
        rates: list[Expr],
        equations: list[Expr],
        powers: list[Expr],
        groups: list[list[Expr]],
        udot: list[Expr],
    ) -> None:
        self._n = len(udot)
        self._rates = array_function(groups, rates)
        self._equations = array_function(groups, equations)
        self._powers = array_function([*groups, udot], powers)

    def rates(self, *state: np.ndarray) -> np.ndarray:
        """Return the derivatives of the coordinates, shape (N, n_q)."""
        return self._rates(*state)

    def accelerations(self, *state: np.ndarray, forces: np.ndarray) -> np.ndarray:
        """Return what the System's own loads and inertia, and what forces Q contribute.

        Shape (2, N, n), of which the sum over the first axis are the derivatives
        of the speeds; NaN where the mass matrix is singular.
        """
        values = self._equations(*state)
        mass_matrix = values[:, : self._n**2].reshape(-1, self._n, self._n)
        own = solve_rows(mass_matrix, values[:, self._n**2 :])
        return np.stack([own, solve_rows(mass_matrix, forces)])

    def powers(self, *state: np.ndarray, udot: np.ndarray) -> np.ndarray:
        """Return the rate of the kinetic energy and the power of the loads, shape (N, 2)."""
        return self._powers(*state, udot)


def leaves(expressions: Iterable[Basic]) -> set[Expr]:
    """Return the symbols, functions and derivatives in expressions.

    Shared parts are visited once, unlike by ``free_symbols``.
    """
    found: set[Expr] = set()
    waiting, seen = list(expressions), set()
    while waiting:
        part = waiting.pop()
        if part in seen:
            continue
        seen.add(part)
        if isinstance(part, Symbol | AppliedUndef | Derivative):
            found.add(part)
        else:
            waiting.extend(part.args)
    return found


def _check_time(idyn: InverseDynamics) -> None:
    time = idyn.time
    if dynamicsymbols._t != time:
        raise ValueError(
            f"`idyn` must be of a system of the current time symbol, but its time {time} is not "
            f"sympy's {dynamicsymbols._t} (or has other assumptions). Set dynamicsymbols._t to "
            f"{idyn.coordinates[0]}.args[0]."
        )


def _loads(idyn: InverseDynamics) -> list[LoadBase]:
    """Return the loads that the model has now, whatever ``idyn`` took for known."""
    if idyn.system is None:
        return list(idyn.loads)
    system = idyn.system
    return [*system.loads, *(load for act in system.actuators for load in act.to_loads())]


def _kinetic_energy(idyn: InverseDynamics) -> Expr:
    return sum(body.kinetic_energy(idyn.frame) for body in idyn.bodies)


def _power(idyn: InverseDynamics) -> Expr:
    """Return the power of the loads in the System's frame."""
    power = Matrix([0])[0]
    for load in _loads(idyn):
        if isinstance(load, Force):
            velocity = load.point.vel(idyn.frame)
        else:
            velocity = load.frame.ang_vel_in(idyn.frame)
        power += load.vector.dot(velocity)
    return power
