"""`FoundPoses`: the coordinates that a `PoseSolver` found."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..checks.deprecation import deprecated
from ..checks.display import plural
from ..checks.pickles import Pickled
from .levenberg_marquardt import Targets
from .pose_search import PoseSearch
from .unreached_targets import count_remaining_freedoms, explain_unreached


@dataclass(frozen=True, eq=False, repr=False)
class FoundPoses(Pickled):
    """Coordinates at which points and frames reach their targets; made by `PoseSolver`.

    Parameters
    ==========

    q : numpy.ndarray, shape (..., n_q)
        The coordinates, in the order of ``system.q``; for targets that are not reached, those of
        the nearest pose found.
    coordinates : tuple of str
        The names of the coordinates.
    reached : numpy.ndarray of bool, shape (...)
        Whether loops are closed, and all targets without a weight are reached, or all targets if
        each has a weight.
    settled : numpy.ndarray of bool, shape (...)
        Whether the weighted squares of changes and of targets with weights are at their minimum
        among the poses that reach the other targets.
    search : PoseSearch
        The model and its bounds.
    targets : Targets
        All targets as numbers.
    restarts : int
        The number of further initial guesses for each target.
    follows : bool
        Whether the targets are a path.

    See Also
    ========

    PoseSolver : Returns it.

    Examples
    ========

    >>> import jointwrench as jw
    >>> arm = jw.SerialChain.planar(2)
    >>> reach = jw.PoseSolver(arm, {"tip": arm.tip}, constants={"l_0": 1.0, "l_1": 1.0})
    >>> found = reach({"tip": [-1.0, 1.0, 0.0]}, start=[0.1, 1.0])
    >>> found.q.round(6) + 0.0
    array([0.      , 1.570796])
    >>> found.reached, found.remaining_freedoms
    (array(True), array(0))
    """

    q: np.ndarray
    coordinates: tuple[str, ...]
    reached: np.ndarray
    settled: np.ndarray
    search: PoseSearch
    targets: Targets
    restarts: int
    follows: bool

    def __repr__(self) -> str:
        must = self.targets.weights.min(initial=0.0) < 0
        what, own = ("reached", self.reached) if must else ("settled", self.settled)
        how = f"{np.sum(own)} of {own.size} {what}"
        return f"FoundPoses({plural(len(self.coordinates), 'coordinates')}: {how})"

    @cached_property
    def distances(self) -> dict[str, np.ndarray]:
        """The distance of each point from its target, shape (...)."""
        return dict(zip(self.search.tracked.points, self._residual_norms, strict=False))

    @cached_property
    def angles(self) -> dict[str, np.ndarray]:
        """The angle in radians between each frame and its target, shape (...)."""
        tracked = self.search.tracked
        return dict(zip(tracked.frames, self._residual_norms[len(tracked.points) :], strict=True))

    @cached_property
    def _residual_norms(self) -> list[np.ndarray]:
        residual_norms = self.search.residual_norms(self.targets, self._rows)
        return [x.reshape(self.reached.shape) for x in residual_norms]

    @cached_property
    def remaining_freedoms(self) -> np.ndarray:
        """The number of degrees of freedom that the targets leave undetermined, shape (...).

        The least change from the start determines them.  Coordinates at their bounds do not count.
        """
        found = count_remaining_freedoms(self.search, self.targets, self._rows)
        return found.reshape(self.reached.shape)

    @cached_property
    def unreached_reasons(self) -> np.ndarray:
        """The reasons in words why targets are not reached, "" for reached targets, shape (...)."""
        texts, rows = np.full(self.reached.size, "", object), np.flatnonzero(~self.reached)
        if rows.size:
            own = self.targets.of(rows), self._rows[rows], self.restarts, self.follows
            texts[rows] = [*explain_unreached(self.search, *own)]
        return texts.reshape(self.reached.shape)

    @property
    @deprecated(since="1.1", removed="2.0", use="FoundPoses.targets")
    def wanted(self) -> Targets:
        """The former name of ``targets``."""
        return self.targets

    @property
    @deprecated(since="1.1", removed="2.0", use="FoundPoses.remaining_freedoms")
    def freedoms(self) -> np.ndarray:
        """The former name of `remaining_freedoms`."""
        return self.remaining_freedoms

    @property
    @deprecated(since="1.1", removed="2.0", use="FoundPoses.unreached_reasons")
    def hindrances(self) -> np.ndarray:
        """The former name of `unreached_reasons`."""
        return self.unreached_reasons

    @property
    def _rows(self) -> np.ndarray:
        return self.q.reshape(-1, len(self.coordinates))
