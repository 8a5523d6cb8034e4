"""`EnergyBalance`: the work done on bodies compared with the change of their kinetic energy."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from ..checks.deprecation import deprecated
from ..checks.display import Grid, NotebookTable, plural
from .samples import check_inside, check_times, spline_through

#: The name of the sum over all bodies.
WHOLE = "whole"


@dataclass(frozen=True, eq=False, repr=False)
class EnergyBalance(NotebookTable):
    """Kinetic energy of each body and the powers of gravity, loads and joints on it.

    Made by `Result.energy_balance`.  The work of gravity, loads (plates, muscles) and joints must
    equal the change of the kinetic energy.  A difference at the pelvis of a whole body is the work
    of the residual wrench, which no plate supplies.  Differences elsewhere are due to speeds and
    accelerations that are not the derivatives of positions, or to segments that are not rigid.

    Parameters
    ==========

    times : numpy.ndarray, shape (N,)
        The instants.
    bodies : tuple of str
        Their names.
    energies : numpy.ndarray, shape (N, bodies)
        Kinetic energies in the inertial frame.
    powers : dict of str to numpy.ndarray, shape (N, bodies)
        Powers of "gravity", "loads" and "joints" on each body, without the residual wrenches.
    joint_powers : numpy.ndarray, shape (N, joints)
        Power of each joint on both its bodies, without the residual wrenches.
    residuals : dict of str to numpy.ndarray, shape (N, 6)
        By joint: the residual wrench ``[fx fy fz mx my mz]`` on the joint's child, about the
        joint's child point, in the inertial frame.  No muscle, motor or load supplies it.

    See Also
    ========

    Result.energy_balance : Makes it.

    Examples
    ========

    >>> import numpy as np
    >>> import jointwrench as jw
    >>> times = np.linspace(0, 1, 11)
    >>> powers = {"gravity": 20 * times[:, None]}
    >>> balance = jw.EnergyBalance(times, ("ball",), 10 * times[:, None] ** 2, powers)
    >>> balance.errors()["whole"].round(6) + 0.0
    array([0.])
    """

    times: np.ndarray
    bodies: tuple[str, ...]
    energies: np.ndarray
    powers: Mapping[str, np.ndarray]
    joint_powers: np.ndarray | None = None
    residuals: Mapping[str, np.ndarray] | None = None

    def __repr__(self) -> str:
        error = self.errors()[WHOLE][0]
        size = f"{error:.2g} % of the peak power left over"
        bodies = plural(len(self.bodies), "bodies")
        return f"EnergyBalance({bodies}, {len(self.times)} instants: {size})"

    def _grid(self) -> Grid:
        works, errors = self.works(), self.errors()
        rows = [
            (body, *(f"{x[0, k]:.4g}" for x in works.values()), f"{errors[body][0]:.2g}")
            for k, body in enumerate((*self.bodies, WHOLE))
        ]
        return Grid(repr(self), ("", *works, "% of peak power"), rows)

    @cached_property
    def power_residual(self) -> np.ndarray:
        """The rate of kinetic energy minus the power of all sources, shape (N, bodies)."""
        rates = spline_through(self.times, self.energies).derivative()(self.times)
        return rates - sum(self.powers.values())

    @property
    @deprecated(since="1.1", removed="2.0", use="power_residual")
    def unexplained(self) -> np.ndarray:
        """Deprecated name of `power_residual`."""
        return self.power_residual

    def errors(self, cycles: Any = None) -> dict[str, np.ndarray]:
        """Return the power residual of each body and of the "whole", in per cent of peak power.

        Each entry is the root mean square of `power_residual` over each cycle, shape (cycles,),
        divided by the largest power of a joint, of gravity or of a load on any body in that cycle.
        It is NaN in cycles without any power.

        Parameters
        ==========

        cycles : array_like, shape (M,), optional
            The ends of cycles: each cycle ends where the next one starts.  Default: the whole
            record is one cycle.

        Raises
        ======

        TypeError, ValueError
            If cycles are not increasing instants within the record.

        See Also
        ========

        EnergyBalance.works : The work of each source, in joules.

        Examples
        ========

        >>> import numpy as np
        >>> import jointwrench as jw
        >>> times = np.linspace(0, 1, 11)
        >>> powers = {"gravity": 19 * times[:, None]}  # 5 per cent less than needed
        >>> balance = jw.EnergyBalance(times, ("ball",), 10 * times[:, None] ** 2, powers)
        >>> balance.errors([0.0, 0.5, 1.0])["whole"].round(1)
        array([3.2, 4. ])
        """
        found, sizes = [], [x for name, x in self.powers.items() if name != "joints"]
        sizes += [] if self.joint_powers is None else [self.joint_powers]
        for start, end in pairwise(self._ends(cycles)):
            rows = (self.times >= start) & (self.times <= end)
            peak = max(np.abs(x[rows]).max(initial=0.0) for x in sizes)
            left = np.sqrt(np.mean(_with_whole(self.power_residual[rows]) ** 2, axis=0))
            found.append(100 * left / peak if peak > 0 else np.full(left.shape, np.nan))
        return dict(zip((*self.bodies, WHOLE), np.transpose(found), strict=True))

    def works(self, cycles: Any = None) -> dict[str, np.ndarray]:
        """Return the change of energy, the work of each source, and the difference, by name.

        The names are "change" (of kinetic energy), "gravity", "loads", "joints" and "left over",
        which is the change minus all work.  Each array has the shape (cycles, bodies + 1), with the
        sum over all bodies last; ``cycles`` are as for `errors`.

        Raises
        ======

        TypeError, ValueError
            As `errors`.

        See Also
        ========

        EnergyBalance.errors : The difference in per cent of peak power.

        Examples
        ========

        >>> import numpy as np
        >>> import jointwrench as jw
        >>> times = np.linspace(0, 1, 11)
        >>> powers = {"gravity": 20 * times[:, None]}
        >>> balance = jw.EnergyBalance(times, ("ball",), 10 * times[:, None] ** 2, powers)
        >>> balance.works()["gravity"].round(6)
        array([[10., 10.]])
        """
        ends = self._ends(cycles)
        found = {"change": np.diff(spline_through(self.times, self.energies)(ends), axis=0)}
        for name, powers in self.powers.items():
            found[name] = np.diff(spline_through(self.times, powers).antiderivative()(ends), axis=0)
        found["left over"] = 2 * found["change"] - sum(found.values())
        return {name: _with_whole(work) for name, work in found.items()}

    def _ends(self, cycles: Any) -> np.ndarray:
        if cycles is None:
            return self.times[[0, -1]]
        return check_inside("cycles", check_times("cycles", cycles), self.times)


def _with_whole(values: np.ndarray) -> np.ndarray:
    """Return values (..., bodies) with their sum appended, shape (..., bodies + 1)."""
    return np.concatenate([values, values.sum(axis=-1, keepdims=True)], axis=-1)
