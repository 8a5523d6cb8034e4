"""Joint centres from markers: regression, functional centres, chords."""

from typing import Any

import numpy as np

from ..checks.arguments import check_choice, check_instance
from ..checks.numbers import check_finite, check_positive, known_or_missing, shaped_array
from ..checks.tolerances import TURNING
from .markers import Poses, frame_of_markers, known_places, segment_poses

#: Default radius of a marker with its base, in metres.
MARKER_RADIUS = 0.007

METHODS = ("harrington", "davis", "hara")

#: Upper limit of lengths of a leg, in metres; larger numbers are in millimetres.
LONGEST = 3.0


def pelvis_frame(right_asis: Any, left_asis: Any, posterior: Any) -> Poses:
    """Return the pelvis' frame by the ISB's definition: x forward, y up, z to the right.

    Its origin is midway between the anterior superior iliac spines.

    Parameters
    ==========

    right_asis, left_asis : array_like, shape (N, 3)
        The anterior superior iliac spines.
    posterior : array_like, shape (N, 3)
        The midpoint of the posterior ones, or the sacrum.

    Raises
    ======

    TypeError, ValueError
        As `frame_of_markers`.

    See Also
    ========

    hip_centers : The hips in it.

    References
    ==========

    .. [1] G. Wu et al., ISB recommendation on definitions of joint coordinate system of various
       joints for the reporting of human joint motion - part I: ankle, hip, and spine, Journal of
       Biomechanics 35 (2002), 543-548.

    Examples
    ========

    >>> import jointwrench as jw
    >>> poses = jw.gait.pelvis_frame([[0, 0.9, 0.12]], [[0, 0.9, -0.12]], [[-0.16, 0.9, 0.0]])
    >>> poses.rotations[0].round(3) + 0.0
    array([[1., 0., 0.],
           [0., 1., 0.],
           [0., 0., 1.]])
    """
    return _pelvis(right_asis, left_asis, posterior)[0]


def _pelvis(right_asis: Any, left_asis: Any, posterior: Any) -> tuple[Poses, float, float]:
    """Return frame, width and depth of a pelvis."""
    given = known_places(right_asis=right_asis, left_asis=left_asis, posterior=posterior)
    right, left, back = np.moveaxis(given, 1, 0)
    middle = (right + left) / 2
    frame = frame_of_markers(middle, right, 2 * middle - back, axes="zx")
    width, depth = (np.linalg.norm(x, axis=-1).mean() for x in (right - left, middle - back))
    return frame, float(width), float(depth)


def hip_centers(
    right_asis: Any,
    left_asis: Any,
    posterior: Any,
    method: str = "harrington",
    leg_length: float | None = None,
    marker_radius: float = MARKER_RADIUS,
    asis_distance: float | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the centres of right and left hip, (N, 3) each, by regression from the pelvis.

    Parameters
    ==========

    right_asis, left_asis, posterior : array_like, shape (N, 3)
        As for `pelvis_frame`, in metres.
    method : {"harrington", "davis", "hara"}
        The regression: on width and depth of the pelvis; on leg length and depth, as in Plug-in
        Gait; or on leg length alone, as in CGM 2.
    leg_length : float, optional
        For Davis and Hara: from the anterior spine to the medial malleolus, in metres.
    marker_radius : float
        For Davis and Hara: of a marker with its base, in metres.
    asis_distance : float, optional
        For Harrington and Davis: the measured distance of the anterior spines, in metres.  Default:
        that of their markers, which soft tissue may hold apart.

    Raises
    ======

    TypeError, ValueError
        If a number is not real, the method is none of these, the leg length is missing for Davis or
        Hara, or the width of the pelvis is implausible.

    See Also
    ========

    functional_center : A centre from motion.

    References
    ==========

    .. [1] M. E. Harrington, A. B. Zavatsky, S. E. M. Lawson, Z. Yuan, T. N. Theologis, Prediction
       of the hip joint centre in adults, children, and patients with cerebral palsy based on
       magnetic resonance imaging, Journal of Biomechanics 40 (2007), 595-602.
    .. [2] R. B. Davis, S. Ounpuu, D. Tyburski, J. R. Gage, A gait analysis data collection and
       reduction technique, Human Movement Science 10 (1991), 575-587.
    .. [3] R. Hara, J. McGinley, C. Briggs, R. Baker, M. Sangeux, Predicting the location of the hip
       joint centres, impact of age group and sex, Scientific Reports 6 (2016), 37707.

    Examples
    ========

    >>> import jointwrench as jw
    >>> right, left = jw.gait.hip_centers([[0, 0.9, 0.12]], [[0, 0.9, -0.12]], [[-0.16, 0.9, 0.0]])
    >>> right.round(3)
    array([[-0.048,  0.817,  0.087]])
    """
    check_choice("method", method, METHODS)
    check_finite("marker_radius", marker_radius)
    if leg_length is not None:
        check_metres("leg_length", leg_length)
    pelvis, width, depth = _pelvis(right_asis, left_asis, posterior)
    if not 0.05 < width < 1.0:
        raise ValueError(
            f"`right_asis` and `left_asis` must be in metres, but are {width:.3g} apart. Use "
            "markers.in_metres(), if its header has the right unit, or numbers times 0.001."
        )
    if asis_distance is not None:
        width = check_positive("asis_distance", check_metres("asis_distance", asis_distance))
    if method == "harrington":
        place = [-0.24 * depth - 0.0099, -0.30 * width - 0.0109, 0.33 * width + 0.0073]
    else:
        if leg_length is None:
            raise ValueError(
                f"`leg_length` must be given for method={method!r}. Use method='harrington' "
                "without it."
            )
        length = check_positive("leg_length", check_metres("leg_length", leg_length))
        place = _davis(width, length, marker_radius)
        if method == "hara":
            forward = 0.011 - 0.063 * length - marker_radius
            place = [forward, -0.009 - 0.078 * length, 0.008 + 0.086 * length]
    first, second = (pelvis.rotations @ (place * np.array([1, 1, side])) for side in (1, -1))
    return pelvis.positions + first, pelvis.positions + second


def check_metres(argument: str, value: Any) -> float:
    """Return a length of a leg, which is in metres."""
    if (length := check_finite(argument, value)) > LONGEST:
        raise ValueError(
            f"`{argument}` must be in metres, got {length:g} (millimetres?). Use {length / 1000:g}."
        )
    return length


def _davis(width: float, length: float, radius: float) -> list[float]:
    """Return the right hip in the pelvis' frame (x forward, y up, z to the right)."""
    arm, theta, beta = 0.115 * length - 0.0153, 0.5, 0.314
    depth = 0.1288 * length - 0.04856 + radius  # from spine to trochanter
    forward = arm * np.cos(theta) * np.sin(beta) - depth * np.cos(beta)
    up = -arm * np.cos(theta) * np.cos(beta) - depth * np.sin(beta)
    return [forward, up, width / 2 - arm * np.sin(theta)]


def chord_center(proximal: Any, marker: Any, beside: Any, distance: float) -> np.ndarray:
    """Return a joint centre (N, 3) from a lateral marker, as Plug-in Gait does for knee and ankle.

    It is in the plane of the three points, at ``distance`` from the marker, and the line from there
    to the proximal joint is perpendicular to the line to the marker.

    Parameters
    ==========

    proximal, marker : array_like, shape (N, 3)
        Centre of the proximal joint, and the marker at the joint, lateral.
    beside : array_like, shape (N, 3)
        A marker on the segment, lateral of the line from proximal joint to marker: a wand.
    distance : float
        From the marker's middle to the joint centre: half the joint's width plus the marker's
        radius.

    Raises
    ======

    TypeError, ValueError
        As `frame_of_markers`; if the marker is nearer than this to the proximal joint.

    See Also
    ========

    hip_centers, functional_center : Other joint centres.

    Examples
    ========

    >>> import numpy as np
    >>> import jointwrench as jw
    >>> jw.gait.chord_center([[0, 0.4, 0.0]], [[0.05, 0, 0.0]], [[0.05, 0.2, 0.1]], 0.05).round(3)
    array([[ 0.037,  0.005, -0.048]])
    """
    above, beyond, _ = known_places(proximal=proximal, marker=marker, beside=beside).swapaxes(0, 1)
    frame = frame_of_markers(marker, proximal, beside, axes="yz")
    length = np.linalg.norm(above - beyond, axis=-1)
    part = check_positive("distance", distance) / length
    if (part >= 1).any():
        raise ValueError(
            f"`distance` must be shorter than from marker to proximal joint, {length.min():.3g}, "
            f"got {distance:g}. Use the unit of the markers."
        )
    arms = np.stack([0 * part, part, -np.sqrt(1 - part**2)], axis=-1)
    return frame.positions + distance * (frame.rotations @ arms[..., None])[..., 0]


def functional_center(parent: Poses, child: Poses) -> tuple[np.ndarray, np.ndarray, float]:
    """Return the centre of rotation of one segment relative to another: SCoRE.

    Returned in the frame of each segment, shape (3,), with the root mean square distance of the
    two.

    Parameters
    ==========

    parent, child : Poses
        Poses at the same instants, with rotations about several axes: `segment_poses`.

    Raises
    ======

    TypeError, ValueError
        If they are not Poses, do not have the same instants (at least three), or if the segments do
        not rotate enough relative to each other.

    See Also
    ========

    chord_center : A centre from a lateral marker.

    References
    ==========

    .. [1] R. M. Ehrig, W. R. Taylor, G. N. Duda, M. O. Heller, A survey of formal methods for
       determining the centre of rotation of ball joints, Journal of Biomechanics 39 (2006),
       2798-2809.

    Examples
    ========

    >>> import numpy as np
    >>> import jointwrench as jw
    >>> from scipy.spatial.transform import Rotation
    >>> turn = Rotation.from_euler("xyz", np.random.default_rng(0).normal(size=(20, 3)))
    >>> parent = jw.gait.frame_of_markers(*np.tile(np.eye(3)[:, None], (1, 20, 1)))
    >>> child = jw.gait.frame_of_markers(*(turn.apply(place) + [0, 0, 0.4] for place in np.eye(3)))
    >>> center, own, error = jw.gait.functional_center(parent, child)
    >>> center.round(6).shape, round(error, 9)
    ((3,), 0.0)
    """
    for name, poses in (("parent", parent), ("child", child)):
        check_instance(name, poses, Poses, "Poses", "Use segment_poses(...).")
    if len(parent.positions) != len(child.positions) or len(parent.positions) < 3:
        raise ValueError(
            f"`parent` and `child` must have the same instants, at least three, got "
            f"{len(parent.positions)} and {len(child.positions)}."
        )
    matrix = np.concatenate([parent.rotations, -child.rotations], axis=-1).reshape(-1, 6)
    right = (child.positions - parent.positions).ravel()
    values = np.linalg.svd(matrix, compute_uv=False)
    if values[-1] < TURNING * values[0]:
        raise ValueError(
            "`child` must rotate against `parent` about several axes, or the centre is not known "
            "along one. Use a trial in which the joint is moved in all directions."
        )
    found, *_ = np.linalg.lstsq(matrix, right, rcond=None)
    misses = (matrix @ found - right).reshape(-1, 3)
    return found[:3], found[3:], float(np.sqrt((misses**2).sum(axis=-1).mean()))


def carried_points(reference: Any, points: Any, markers: Any) -> np.ndarray:
    """Return the positions (N, m, 3) of a segment's points that only a static trial contains.

    Parameters
    ==========

    reference : array_like, shape (k, 3)
        Markers on the segment in the static trial.
    points : array_like, shape (m, 3)
        The points in that trial: medial markers, joint centres.
    markers : array_like, shape (N, k, 3)
        The same markers in the motion, as for `segment_poses`.

    Raises
    ======

    TypeError, ValueError
        As `segment_poses`.

    See Also
    ========

    segment_poses : The motion of a segment.

    Examples
    ========

    >>> import numpy as np
    >>> import jointwrench as jw
    >>> reference = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0.0]])
    >>> jw.gait.carried_points(reference, np.array([[0.5, 0.5, 0.0]]), reference[None] + [0, 0, 1])
    array([[[0.5, 0.5, 1. ]]])
    """
    poses = segment_poses(reference, markers)
    local = shaped_array("points", points, "k", poses.positions.shape[-1])
    known_or_missing("points", local)
    return poses.positions[:, None] + local @ poses.rotations.swapaxes(-1, -2)
