"""Deprecated: frames and poses from single markers; use `MarkerSet` and `lower_limbs`."""

from typing import Any

from ..checks.deprecation import deprecated
from .markers import Poses, fit_poses, frame_of_points


@deprecated(since="1.1", removed="2.0", use="lower_limbs(..., MarkerSet(frames=...)).frames")
def frame_of_markers(origin: Any, along: Any, beside: Any, axes: str = "yz") -> Poses:
    """Return a segment's frame from three points; deprecated, use `MarkerSet` with ``frames=``.

    Parameters
    ==========

    origin, along : array_like, shape (N, 3) or (3,)
        Origin of the frame, and a point in the direction of the first axis.
    beside : array_like, shape (N, 3) or (3,)
        A point approximately in the direction of the second axis; only the component perpendicular
        to the first axis counts.
    axes : str
        The first and the second axis: for "yz", y is exactly along, z approximately beside, and x
        perpendicular to both.

    Raises
    ======

    TypeError, ValueError
        If positions are not real, shapes do not fit, a point is missing (NaN), the three are
        collinear (within 0.001 of their extent), or ``axes`` are not two axes.

    Warns
    =====

    DeprecationWarning
        Always.

    See Also
    ========

    MarkerSet : Defines frames by roles of markers.

    Examples
    ========

    >>> import jointwrench as jw
    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     jw.gait.frame_of_markers([0, 0, 0], [0, 0, 1], [1, 0, 0]).rotations[0].shape
    (3, 3)
    """
    return frame_of_points(origin, along, beside, axes)


@deprecated(since="1.1", removed="2.0", use="lower_limbs or upper_limbs with static=")
def segment_poses(reference: Any, markers: Any) -> Poses:
    """Return the Poses of a rigid segment that best fit its markers; deprecated.

    `lower_limbs` and `upper_limbs` do this with a ``static`` trial.  The fit is by least squares
    over all visible markers at an instant; at least three of them must not be collinear.

    Parameters
    ==========

    reference : array_like, shape (k, 3)
        The markers in the segment's frame, for instance from a standing trial.
    markers : array_like, shape (N, k, 3)
        The markers in the laboratory, in the order of ``reference``; NaN where one is missing.

    Raises
    ======

    TypeError, ValueError
        If positions are not real, shapes do not fit, there are fewer than three markers at an
        instant, they are collinear (within 0.001 of their extent), or their extent is mostly more
        than twice or less than half that of the reference.

    Warns
    =====

    DeprecationWarning
        Always.

    See Also
    ========

    lower_limbs, upper_limbs : Take a static trial.

    References
    ==========

    .. [1] I. Soderkvist, P.-A. Wedin, Determining the movements of the skeleton using
       well-configured markers, Journal of Biomechanics 26 (1993), 1473-1477.

    Examples
    ========

    >>> import numpy as np
    >>> import jointwrench as jw
    >>> import warnings
    >>> body = np.eye(4, 3)
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     jw.gait.segment_poses(body, [body + [1, 2, 3]]).positions.round(12).tolist()
    [[1.0, 2.0, 3.0]]
    """
    return fit_poses(reference, markers)
