"""The states of a System over time: coordinates, speeds and their derivatives."""

from typing import Any, NamedTuple, Protocol

import numpy as np


class States(NamedTuple):
    """The states of a motion at some instants.

    Made by `Trajectory.at`.  The leading axes ``...`` are the axes of the times.

    Attributes
    ==========

    q, u, udot : numpy.ndarray, shapes (..., n_q), (..., n), (..., n)
        Generalized coordinates in the order of ``system.q``, generalized speeds in the order of
        ``system.u``, and the time derivatives of the speeds.

    See Also
    ========

    PrescribedMotion.at, Trajectory.at : Return states.

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
