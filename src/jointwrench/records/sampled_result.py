"""`SampledResult`: the results of an evaluation over samples, with tables and normalisation."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from .. import hints
from ..checks.arguments import enumerate_some, find_named, is_connection
from ..checks.display import Grid, NotebookTable, extent
from ..checks.messages import did_you_mean
from ..checks.numbers import check_positive
from .wrench_components import COMPONENTS, check_components


@dataclass(frozen=True)
class JointName:
    """The name of a joint that is not available itself, for instance after pickling.

    Attributes
    ==========

    name : str
        The name of the joint, or of a body.
    speeds : tuple or None
        The joint's generalized speeds.
    child : JointName or None
        The joint's child body.
    """

    name: str
    speeds: tuple[Any, ...] | None = None
    child: JointName | None = None


S = TypeVar("S", bound="SampledResult")


class SampledResult(NotebookTable):
    """Results at instants, by the names of outputs and joints."""

    outputs: Mapping[str, np.ndarray]

    __slots__ = ()

    @property
    @abstractmethod
    def joints(self) -> tuple[Any, ...]:
        """The joints, in the order of ``joint_wrenches``."""

    @property
    @abstractmethod
    def times(self) -> np.ndarray | None:
        """The instants of the samples, shape (...), or None if they are unknown."""

    @property
    def loads(self) -> tuple[Any, ...]:
        """The symbols of the solved loads, in the order of the output."""
        return ()

    @property
    def speeds(self) -> tuple[Any, ...]:
        """The generalized speeds, in the order of the generalized forces."""
        return ()

    def __repr__(self) -> str:
        shapes = ", ".join(f"{name}: {array.shape}" for name, array in self.outputs.items())
        return f"Result({shapes})"

    def _grid(self) -> list[Grid]:
        """Return the tables of the result: extents of all outputs, and wrenches by joint."""
        shown, wrenches = [], []
        for name, values in self.outputs.items():
            if name in ("joint_wrenches", "constraint_wrenches") and self.joints:
                rows = [
                    (getattr(joint, "name", joint), *(extent(wrench[..., k]) for k in range(6)))
                    for joint, wrench in zip(self.joints, np.moveaxis(values, -2, 0), strict=True)
                ]
                title = f"{name}: on the child, by the parent, about its point, in its frame"
                wrenches.append(Grid(title, ("", *COMPONENTS), rows))
            else:
                shown.append((name, str(values.shape), extent(values)))
        others = [Grid("Result", ("", "shape", "values"), shown)] if shown else []
        return [*others, *wrenches]

    @abstractmethod
    def joint_power(self, joint: Any) -> np.ndarray:
        """Return the power of a joint on both its bodies, shape (...)."""

    @abstractmethod
    def _has_power(self, index: int) -> bool:
        """Return whether the power of a joint is known, by the joint's index."""

    @abstractmethod
    def _mass_dimension(self, output: str) -> int | None:
        """Return the exponent of mass in an output's dimension, None if it is not known."""

    @abstractmethod
    def _mapped(self: S, function: Callable[[str, np.ndarray], np.ndarray]) -> S:
        """Return a copy in which each output is ``function(name, array)``."""

    @abstractmethod
    def _over(self: S, function: Callable[[np.ndarray], np.ndarray]) -> S:
        """Return a copy in which ``function`` was applied to all outputs, inputs and times."""

    def joint_work(self, joint: Any) -> np.ndarray:
        """Return the work done by a ``joint`` since the first sample, shape (..., N).

        Samples are those of the last batch axis.  After `over_cycles` the result is the work since
        the start of each cycle.

        Raises
        ======

        ValueError
            If there is no such joint, or the times are unknown.

        See Also
        ========

        Result.joint_power : Its rate.

        Examples
        ========

        >>> import jointwrench as jw
        >>> chain = jw.SerialChain.planar(1, gravity=(0, -9.81, 0))
        >>> values = {"l_0": 0.5, "m_0": 2.0, "I_0": 0.04}
        >>> motion = jw.Trajectory([0.0, 1.0], [[0.0], [1.0]], [[1.0], [1.0]], [[0.0], [0.0]])
        >>> result = jw.InverseDynamics(chain.system).compile()(motion, constants=values)
        >>> result.joint_work("S_0").round(2)
        array([ 0.  , -2.06])
        """
        from scipy.integrate import cumulative_trapezoid  # slow to import

        return cumulative_trapezoid(self.joint_power(joint), self._sample_times(), initial=0.0)

    def energy_balance(self, residual: Any = None) -> Any:
        """Return the `EnergyBalance` of work and kinetic energy of each body and the whole model.

        The outputs "joint_wrenches", "kinetic_energies" and "body_powers" must be compiled.

        Parameters
        ==========

        residual : joint, str or sequence of them, optional
            Joints without a muscle or motor: nothing supplies their wrench, so the balance excludes
            its work.  Default: joints on ground whose body can rotate and translate in a plane or
            in space, like a pelvis; none for `segment_wrenches`.

        Raises
        ======

        ValueError
            If an output was not compiled, times are unknown, or there is no such joint.

        See Also
        ========

        EnergyBalance : The returned object.

        Examples
        ========

        >>> import jointwrench as jw
        >>> idyn = jw.InverseDynamics(jw.SerialChain.planar(1, gravity=(0, -9.81, 0)).system)
        >>> evaluate = idyn.compile(["joint_wrenches", "kinetic_energies", "body_powers"])
        >>> motion = jw.Trajectory([0.0, 1.0], [[0.0], [1.0]], [[1.0], [1.0]], [[0.0], [0.0]])
        >>> result = evaluate(motion, constants={"l_0": 0.5, "m_0": 2.0, "I_0": 0.04})
        >>> balance = result.energy_balance()
        >>> balance.bodies, list(balance.residuals)
        (('S_0',), [])
        """
        from .energy_balance import EnergyBalance

        bodies, places, _ = self._bodies()
        free = self._residual_joints(residual)
        times, powers = self._known_times(), self.body_powers
        powers = np.broadcast_to(powers, (len(times), *np.shape(powers)[-2:]))
        gravity, loads, others, own = np.moveaxis(powers, -1, 0)
        moving = {k: self.joint_power(x) for k, x in enumerate(self.joints) if self._has_power(k)}
        joints = others + own
        for k in free:
            joints[:, places[k]] -= moving.pop(k)
        return EnergyBalance(
            times,
            bodies,
            np.broadcast_to(self.kinetic_energies, gravity.shape),
            {"gravity": gravity, "loads": loads, "joints": joints},
            np.stack([*moving.values()], axis=-1) if moving else None,
            {self.joints[k].name: self._in_laboratory(k) for k in free},
        )

    def _residual_joints(self, residual: Any) -> list[int]:
        """Return the indices of the named ``residual`` joints; by default, of the free joints."""
        _, places, free = self._bodies()
        if residual is None:
            return free
        is_one = is_connection(residual) or not isinstance(residual, (list, tuple))
        found = [self._index(joint, "residual") for joint in ([residual] if is_one else residual)]
        for k in found:
            if k not in places:
                raise ValueError(
                    f"`residual` must be joints of the tree, got {self.joints[k].name!r}, which "
                    "closes a loop."
                )
        return found

    @abstractmethod
    def _bodies(self) -> tuple[tuple[str, ...], dict[int, int], list[int]]:
        """Return body names, the body's index by joint index, and the indices of free joints."""

    @abstractmethod
    def _in_laboratory(self, index: int) -> np.ndarray:
        """Return the wrench of a joint on its child, in the inertial frame, shape (N, 6)."""

    def _index(self, joint: Any, argument: str = "joint") -> int:
        if any(isinstance(known, JointName) for known in self.joints):
            joint = getattr(joint, "name", joint)
        return find_named(argument, joint, self.joints)

    # -- normalisation --------------------------------------------------------

    def per_mass(self: S, mass: float) -> S:
        """Return the results divided by the body mass ``mass``, as gait laboratories report them.

        Forces are then in N/kg, moments in N m/kg and powers in W/kg; masses are fractions of
        ``mass``, and inverse mass matrices are multiplied by it.  Outputs without mass in their
        dimension (``conditioning``, accelerations, sliding speeds) are unchanged.  Derivatives are
        the derivatives of the divided outputs.

        Raises
        ======

        TypeError, ValueError
            If the mass is not a positive, finite number, or an output of your own does not say how
            it depends on mass.

        See Also
        ========

        clinical_curves : Angles, moments and powers with clinical names.

        Examples
        ========

        >>> import jointwrench as jw
        >>> chain = jw.SerialChain.planar(1, gravity=(0, -9.81, 0))
        >>> values = {"l_0": 0.5, "m_0": 2.0, "I_0": 0.04}
        >>> result = jw.InverseDynamics(chain.system).compile()([0], [0], [0], values)
        >>> float(result.per_mass(2.0).joint_wrench("S_0", components="fy"))
        9.81
        """
        divisor = check_positive("mass", mass)
        powers = {name: self._mass_dimension(name) for name in self.outputs}
        if unknown := [name for name, power in powers.items() if power is None]:
            raise ValueError(
                "`outputs` must say how they depend on mass, for this, got "
                f"{enumerate_some(unknown)}. Use DeclaredOutput(..., mass_dimension=1) for forces, "
                "moments and powers, 0 for what does not depend on it, and results of an Evaluator."
            )
        divisors = {name: divisor**power for name, power in powers.items() if power is not None}
        return self._mapped(lambda name, values: values / divisors[name])

    def over_cycles(self: S, events: Any, samples: int = 101) -> S:
        """Return the results at evenly spaced times of each cycle, shape (cycles, samples, ...).

        ``events`` and ``samples`` are as for `normalise_cycles`.

        Raises
        ======

        TypeError, ValueError
            As `normalise_cycles`; if the times are unknown, or there is more than one batch axis,
            for instance after `over_cycles`.

        See Also
        ========

        normalise_cycles : Normalises arrays.

        Examples
        ========

        >>> import jointwrench as jw
        >>> chain = jw.SerialChain.planar(1, gravity=(0, -9.81, 0))
        >>> values = {"l_0": 0.5, "m_0": 2.0, "I_0": 0.04}
        >>> t = [[0.0], [1.0], [2.0]]
        >>> motion = jw.Trajectory([0.0, 1.0, 2.0], t, [[1.0]] * 3, [[0.0]] * 3)
        >>> result = jw.InverseDynamics(chain.system).compile()(motion, constants=values)
        >>> result.over_cycles([0.0, 2.0], samples=5).joint_wrenches.shape
        (1, 5, 1, 6)
        """
        from .cycles import normalise_cycles

        times = self._known_times()

        def normalise(values: np.ndarray) -> np.ndarray:
            whole = np.broadcast_to(values, (len(times), *np.shape(values)[1:]))
            return normalise_cycles(times, whole, events, samples)

        return self._over(normalise)

    # -- tables ---------------------------------------------------------------

    def columns(self) -> dict[tuple[str, str], np.ndarray]:
        """Return forces, moments and powers by (joint, component); arrays of shape (...).

        The components are fx, fy, fz, mx, my, mz of the joint wrench, "Q u_0" and so on for the
        generalized force of each speed, and "power" of a joint that moves.  Generalized forces
        that belong to no joint are under "system"; solved loads come last, under "loads".  Other
        outputs are omitted.

        Raises
        ======

        ValueError
            If no joint wrenches, generalized forces or solved loads were compiled.

        See Also
        ========

        Result.to_table : The columns over time.

        Examples
        ========

        >>> import jointwrench as jw
        >>> chain = jw.SerialChain.planar(1, gravity=(0, -9.81, 0))
        >>> values = {"l_0": 0.5, "m_0": 2.0, "I_0": 0.04}
        >>> result = jw.InverseDynamics(chain.system).compile()([0], [0], [0], values)
        >>> list(result.columns())[:2]
        [('S_0', 'fx'), ('S_0', 'fy')]
        """
        from .result_columns import columns_of

        return columns_of(self)

    def to_table(self) -> hints.Table:
        """Return the results as named columns over time, for instance ``knee_fx``.

        After `over_cycles` each cycle has its own columns, over per cent: ``knee_fx_cycle_1``.

        Raises
        ======

        ValueError
            If the times are unknown, or there is more than one batch axis other than cycles.

        See Also
        ========

        write_csv, write_storage : Write the table.

        Examples
        ========

        >>> import jointwrench as jw
        >>> chain = jw.SerialChain.planar(1, gravity=(0, -9.81, 0))
        >>> values = {"l_0": 0.5, "m_0": 2.0, "I_0": 0.04}
        >>> motion = jw.Trajectory([0.0, 1.0], [[0.0], [1.0]], [[1.0], [1.0]], [[0.0], [0.0]])
        >>> result = jw.InverseDynamics(chain.system).compile()(motion, constants=values)
        >>> result.to_table().names[:3]
        ('S_0_fx', 'S_0_fy', 'S_0_fz')
        """
        from .result_columns import table_of

        if self._sample_times().ndim == 2:
            from .cycles import table_over_cycles

            return table_over_cycles({"_".join(key): x for key, x in self.columns().items()})
        return table_of(self._known_times(), self.columns())

    def to_dataframe(self) -> Any:
        """Return the results as a pandas.DataFrame (extra ``data``).

        The frame has one row per sample, with the time as index if known, and the columns of
        `columns` by joint and component: ``frame["knee", "mz"]``, or ``frame["knee"]`` for all
        components of a joint.

        Raises
        ======

        ImportError
            If pandas is not installed.

        See Also
        ========

        Result.to_table : Without pandas.

        Examples
        ========

        >>> import jointwrench as jw
        >>> chain = jw.SerialChain.planar(1, gravity=(0, -9.81, 0))
        >>> values = {"l_0": 0.5, "m_0": 2.0, "I_0": 0.04}
        >>> result = jw.InverseDynamics(chain.system).compile()([0], [0], [0], values)
        >>> result.to_dataframe().shape
        (1, 8)
        """
        from .result_columns import dataframe_of

        return dataframe_of(self.times, self.columns())

    def _sample_times(self) -> np.ndarray:
        if self.times is None or self.times.ndim == 0:
            raise ValueError(
                "`times` must be known for this, one per sample. Use evaluate(..., times=times)."
            )
        return self.times

    def _known_times(self) -> np.ndarray:
        """Return the times of the samples, shape (N,), or refuse several batch axes."""
        times = self._sample_times()
        if times.ndim != 1:
            raise ValueError(
                f"`times` must have shape (N,) for this, got {times.shape}, as after "
                "over_cycles(). Use the result before that, or columns() and to_dataframe(), "
                "which take any shape."
            )
        return times

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # copy and pickle look up such names before ``outputs`` exists
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        if name not in self.outputs:
            more = ", ".join(map(repr, [*self.outputs, name]))
            fix = did_you_mean(name, self.outputs) or f" Use compile([{more}])."
            raise AttributeError(f"{name!r} was not compiled, only {', '.join(self.outputs)}.{fix}")
        return self.outputs[name]

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.outputs]


def select_components(wrench: np.ndarray, components: Any) -> np.ndarray:
    """Return the named components of wrenches (..., 6); a single name gives shape (...)."""
    columns = [COMPONENTS.index(name) for name in check_components(components)]
    single = isinstance(components, str) and len(columns) == 1
    return wrench[..., columns[0]] if single else wrench[..., columns]
