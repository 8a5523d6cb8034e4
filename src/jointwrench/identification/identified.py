"""`Identified`: parameters with their standard errors, and residuals of the forces."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sympy import Expr

from ..checks.arguments import enumerate_some
from ..checks.deprecation import deprecated
from ..checks.messages import import_extra
from ..checks.pickles import Pickled
from .base_inertial_parameters import BaseParameters
from .fit import Fit
from .force_data import ForceData
from .linear_model import ForceModel
from .parallel_filter import filter_data
from .pseudo_inertia import is_physical
from .sample import Sample


@dataclass(frozen=True, eq=False, repr=False)
class Identified(Pickled):
    """Parameters identified from measured forces; made by `identify`.

    Attributes
    ==========

    method : str
        The method.
    base : BaseParameters
        The combinations of parameters on which the forces depend.
    base_values, covariance : numpy.ndarray, shapes (rank,) and (rank, rank)
        The values of the combinations, and their covariance, estimated from the residuals.
    noise_orders : dict of str to int
        The autoregressive order of each force's errors in the covariance, by the names of the
        forces; zero is white noise.
    values, standard_errors : dict of str to float
        The values and standard errors of all parameters by name.  Undetermined parameters are NaN,
        or with ``method="consistent"`` near their start.
    undetermined : tuple of str
        The names of the parameters that the forces do not determine individually.
    fit : Fit
        The measured forces and their predictions, with residuals by force and in total.
    is_physical : dict of str to bool or None
        Whether a body with the identified parameters can exist, by the body's name; None if not all
        ten are known.  Rotors and other auxiliary bodies are not included.
    converged : bool
        Whether the search of ``method="consistent"`` converged; if not, there is a warning.
    cutoff, decimation : float or None, int
        The cutoff of the filter of forces and coefficients, and the number of samples of which one
        remains after decimation.
    model : ForceModel
        The model of the forces.
    constants : dict of Symbol to number
        The values of the constants in the identification.

    See Also
    ========

    Identified.validate : Quality of predictions.
    identify_payload : The payload of a body in other recordings.

    Examples
    ========

    >>> import numpy as np
    >>> import jointwrench as jw
    >>> chain = jw.SerialChain.planar(1, gravity=(0, -10, 0))
    >>> t = np.linspace(0, 3, 50)[:, None]
    >>> motion = np.sin(2 * t), 2 * np.cos(2 * t), -4 * np.sin(2 * t)
    >>> forces = 0.5 * motion[2] - 3 * np.sin(motion[0])
    >>> found = jw.identification.identify(jw.InverseDynamics(chain.system), motion, forces)
    >>> found.base_values.shape
    (3,)
    """

    method: str
    base: BaseParameters
    base_values: np.ndarray
    covariance: np.ndarray
    noise_orders: dict[str, int]
    values: dict[str, float]
    standard_errors: dict[str, float]
    undetermined: tuple[str, ...]
    fit: Fit
    is_physical: dict[str, bool | None]
    converged: bool
    cutoff: float | None
    decimation: int
    model: ForceModel
    constants: Mapping[Expr, float]

    @property
    @deprecated(since="1.1", removed="2.0", use="Identified.undetermined")
    def unseen(self) -> tuple[str, ...]:
        """The former name of ``undetermined``."""
        return self.undetermined

    @property
    def base_standard_errors(self) -> np.ndarray:
        """The standard errors of the base values, shape (rank,)."""
        return np.sqrt(np.diag(self.covariance))

    @property
    def residuals(self) -> np.ndarray:
        """The measured minus the predicted forces, shape (N, forces); NaN if not measured."""
        return self.fit.residuals

    @property
    def channels(self) -> tuple[str, ...]:
        """The names of the forces."""
        return self.fit.channels

    @property
    def rms(self) -> dict[str, float]:
        """The root mean square of the residuals, by the names of the forces."""
        return self.fit.rms

    def predict(
        self, motion: Any, constants: Mapping[Any, Any] | None = None, specifieds: Any = None
    ) -> np.ndarray:
        """Return the predicted forces of another motion, shape (..., N, forces).

        They are the forces measured for `identify`, in the order of ``channels``, friction
        included, positive along the speeds.  The prediction uses base parameters, so undetermined
        parameters do not matter.  ``motion`` is as for `identify`, arrays of shape (..., N, n);
        ``constants`` overrides values of the identification; ``specifieds`` are the specified
        quantities along this motion.

        Raises
        ======

        TypeError, ValueError
            If the motion does not fit the model, or a value is missing.

        See Also
        ========

        Identified.validate : Comparison with measured forces.

        Examples
        ========

        >>> import numpy as np
        >>> import jointwrench as jw
        >>> chain = jw.SerialChain.planar(1, gravity=(0, -10, 0))
        >>> t = np.linspace(0, 3, 50)[:, None]
        >>> q, u, udot = np.sin(2 * t), 2 * np.cos(2 * t), -4 * np.sin(2 * t)
        >>> torque = 0.5 * udot - 3 * np.sin(q)
        >>> idyn = jw.InverseDynamics(chain.system)
        >>> found = jw.identification.identify(idyn, (q, u, udot), torque)
        >>> still = np.zeros((1, 1))
        >>> found.predict((still, still, still + 2)).round(6)
        array([[1.]])
        """
        numbers = {**self.constants, **self.model.idyn.model.numbers(constants)}
        sample = Sample.read(self.model.idyn, motion, numbers, specifieds)
        forces = self.model.coefficients(sample)[..., list(self.base.places)] @ self.base_values
        return (forces + self.model.known_forces(sample)).reshape(*sample.batch, -1)

    def validate(
        self,
        motion: Any,
        forces: Any,
        constants: Mapping[Any, Any] | None = None,
        specifieds: Any = None,
    ) -> Fit:
        """Return the measured and predicted forces of other recordings, a `Fit`.

        ``motion``, ``forces``, ``constants`` and ``specifieds`` are as for `identify`; the forces
        are of the same speeds and joints, and pass the same filter.

        Raises
        ======

        TypeError, ValueError
            As `identify`; also if other forces were measured.

        See Also
        ========

        Identified.predict : The predicted forces.

        Examples
        ========

        >>> import numpy as np
        >>> import jointwrench as jw
        >>> chain = jw.SerialChain.planar(1, gravity=(0, -10, 0))
        >>> t = np.linspace(0, 3, 50)[:, None]
        >>> motion = np.sin(2 * t), 2 * np.cos(2 * t), -4 * np.sin(2 * t)
        >>> forces = 0.5 * motion[2] - 3 * np.sin(motion[0])
        >>> found = jw.identification.identify(jw.InverseDynamics(chain.system), motion, forces)
        >>> found.validate(motion, forces).measured.shape
        (50, 1)
        """
        numbers = {**self.constants, **self.model.idyn.model.numbers(constants)}
        idyn, options = self.model.idyn, (self.model.actuators, self.model.extra)
        data = ForceData.of(idyn, motion, forces, numbers, specifieds, *options)
        if data.model.channels != self.channels:
            raise ValueError(
                "`forces` must be those from which parameters were found, "
                f"{enumerate_some(self.channels, 10)}, got "
                f"{enumerate_some(data.model.channels, 10)}."
            )
        if self.cutoff is not None:
            data = filter_data(data, self.cutoff)
        return data.fit(self.base.places, self.base_values)

    def to_dataframe(self) -> Any:
        """Return the base parameters as a pandas.DataFrame (extra ``data``).

        It has a row for each base parameter, by the name of the parameter that represents it, with
        the columns ``formula`` (text), ``value`` and ``standard_error``.

        Raises
        ======

        ImportError
            If pandas is not installed.

        See Also
        ========

        BaseParameters : The formulas as expressions.

        Examples
        ========

        >>> import numpy as np
        >>> import jointwrench as jw
        >>> idyn = jw.InverseDynamics(jw.SerialChain.planar(1, gravity=(0, -10, 0)).system)
        >>> t = np.linspace(0, 3, 50)[:, None]
        >>> motion = np.sin(2 * t), 2 * np.cos(2 * t), -4 * np.sin(2 * t)
        >>> forces = 0.5 * motion[2] - 3 * np.sin(motion[0])
        >>> frame = jw.identification.identify(idyn, motion, forces).to_dataframe()
        >>> frame.loc["Izz S_0", "value"].round(6).item()
        0.5
        """
        instead = ", or base.texts, base_values and base_standard_errors"
        pandas = import_extra("pandas", "to_dataframe()", "data", instead)
        names = pandas.Index(self.base.independent, name="parameter")
        columns = {
            "formula": self.base.texts,
            "value": self.base_values,
            "standard_error": self.base_standard_errors,
        }
        return pandas.DataFrame(columns, index=names)

    def __repr__(self) -> str:
        texts = self.base.texts
        width = min(max(map(len, texts)), 60)
        lines = [f"Identified by {self.method} from {np.isfinite(self.residuals).sum()} values:"]
        rows = zip(texts, self.base_values, self.base_standard_errors, strict=True)
        lines += [
            f"  {text if len(text) <= width else text[: width - 3] + '...':{width}}"
            f" {value:12.5g} +- {error:8.2g}"
            for text, value, error in rows
        ]
        rest = ", ".join(f"{name} {size:.3g}" for name, size in self.rms.items())
        total = f"altogether {self.fit.total_relative_rms:.2%} of the forces"
        lines.append(f"  residuals (rms): {rest}; {total}")
        orders = [*self.noise_orders.values()]
        kind = f"autocorrelated (orders {', '.join(map(str, orders))})" if any(orders) else "white"
        lines.append(f"  standard errors for {kind} noise")
        if self.cutoff is not None:
            lines.append(
                f"  filtered at {self.cutoff:.3g} per time, one of {self.decimation} samples kept"
            )
        if wrong := [name for name, physical in self.is_physical.items() if physical is False]:
            lines.append(f"  no such body can exist: {', '.join(wrong)}")
        return "\n".join(lines)


def find_physical(values: np.ndarray, bodies: list[str]) -> dict[str, bool | None]:
    """Return whether each body can exist with its parameters (bodies, 10), by name; else None."""
    rows = zip(bodies, values, strict=True)
    return {name: is_physical(row) if np.isfinite(row).all() else None for name, row in rows}
