"""The states of a System over time: coordinates, speeds, accelerations at the same instants."""

from typing import Any, NamedTuple, Protocol

import numpy as np


class States(NamedTuple):
    """The states of a motion at some instants; the leading axes ``...`` are those of the times.

    Made by `Trajectory.at`.

    Attributes
    ==========

    q, u, udot : numpy.ndarray, shapes (..., n_q), (..., n), (..., n)
        Generalized coordinates in the order of ``system.q``, speeds in that of ``system.u``, and
        the time derivatives of these.

    See Also
    ========

    PrescribedMotion.at, Trajectory.at : Return them.

    Examples
    ========

    >>> import numpy as np
    >>> import jointwrench as jw
    >>> q, u, udot = jw.States(np.zeros((5, 2)), np.zeros((5, 2)), np.zeros((5, 2)))
    >>> q.shape
    (5, 2)
    """

    q: np.ndarray
    u: np.ndarray
    udot: np.ndarray


class Motion(Protocol):
    """An object that returns the states at given times."""

    def at(self, times: Any) -> tuple[Any, Any, Any]:
        """Return q, u, udot at times of shape (N,), in arrays of shape (N, ...)."""
