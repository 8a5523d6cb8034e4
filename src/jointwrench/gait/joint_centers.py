"""Joint centres from markers: regressions, chords, and transfer from a static trial."""

from typing import Any

import numpy as np

from ..checks.numbers import check_finite, check_positive
from .markers import fit_poses, frame_of_points

#: Default radius of a marker with its base, in metres.
MARKER_RADIUS = 0.007

METHODS = ("harrington", "davis", "hara")

#: Largest length of a leg in metres; larger numbers are suspected to be in millimetres.
LONGEST = 3.0


def hip_centers(
    right: np.ndarray,
    left: np.ndarray,
    back: np.ndarray,
    method: str = "harrington",
    leg_length: float | None = None,
    marker_radius: float = MARKER_RADIUS,
    asis_distance: float | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the centres of the right and the left hip, (N, 3) each, by regression.

    ``right`` and ``left`` are the anterior superior iliac spines, ``back`` is the midpoint of the
    posterior ones.
    """
    # Predictors are width and depth of the pelvis [1], leg length and width as in Plug-in Gait [2],
    # or only the leg length as in CGM 2 [3].  The width is the distance of the markers, unless it
    # was measured.
    # [1] M. E. Harrington, A. B. Zavatsky, S. E. M. Lawson, Z. Yuan, T. N. Theologis, Journal of
    #     Biomechanics 40 (2007), 595-602.
    # [2] R. B. Davis, S. Ounpuu, D. Tyburski, J. R. Gage, Human Movement Science 10 (1991), 575.
    # [3] R. Hara, J. McGinley, C. Briggs, R. Baker, M. Sangeux, Scientific Reports 6 (2016), 37707.
    middle = (right + left) / 2
    pelvis = frame_of_points(middle, right, 2 * middle - back, axes="zx")
    width, depth = (np.linalg.norm(x, axis=-1).mean() for x in (right - left, middle - back))
    if not 0.05 < width < 1.0:
        raise ValueError(
            f"`right_asis` and `left_asis` must be in metres, but are {width:.3g} apart. Use "
            "markers.in_metres(), if its header has the right unit, or numbers times 0.001."
        )
    if asis_distance is not None:
        width = check_positive("asis_distance", asis_distance)
    if method == "harrington":
        place = [-0.24 * depth - 0.0099, -0.30 * width - 0.0109, 0.33 * width + 0.0073]
    else:
        if leg_length is None:
            raise ValueError(
                f"`leg_length` must be given for method={method!r}. Use method='harrington' "
                "without it."
            )
        length = check_positive("leg_length", leg_length)
        place = _davis(width, length, marker_radius)
        if method == "hara":
            forward = 0.011 - 0.063 * length - marker_radius
            place = [forward, -0.009 - 0.078 * length, 0.008 + 0.086 * length]
    first, second = (pelvis.rotations @ (place * np.array([1, 1, side])) for side in (1, -1))
    return pelvis.positions + first, pelvis.positions + second


def check_metres(argument: str, value: Any) -> float:
    """Return a checked length of a body part in metres; refuse millimetres."""
    if (length := check_finite(argument, value)) > LONGEST:
        raise ValueError(
            f"`{argument}` must be in metres, got {length:g} (millimetres?). Use {length / 1000:g}."
        )
    return length


def _davis(width: float, length: float, radius: float) -> list[float]:
    """Return Davis' position of the right hip in the pelvis' frame: x forward, y up, z right."""
    arm, theta, beta = 0.115 * length - 0.0153, 0.5, 0.314
    depth = 0.1288 * length - 0.04856 + radius  # from spine to trochanter
    forward = arm * np.cos(theta) * np.sin(beta) - depth * np.cos(beta)
    up = -arm * np.cos(theta) * np.cos(beta) - depth * np.sin(beta)
    return [forward, up, width / 2 - arm * np.sin(theta)]


def chord_center(
    proximal: np.ndarray, marker: np.ndarray, beside: np.ndarray, distance: float
) -> np.ndarray:
    """Return a joint centre (N, 3) by Plug-in Gait's chord, from a lateral marker."""
    # The centre c is in the plane of proximal joint p, marker m and the point beside, with
    # |c - m| = distance and (p - c) perpendicular to (m - c).
    frame = frame_of_points(marker, proximal, beside, axes="yz")
    length = np.linalg.norm(proximal - marker, axis=-1)
    part = distance / length
    if (part >= 1).any():
        raise ValueError(
            f"`distance` must be shorter than from marker to proximal joint, {length.min():.3g}, "
            f"got {distance:g}. Use the unit of the markers."
        )
    arms = np.stack([0 * part, part, -np.sqrt(1 - part**2)], axis=-1)
    return frame.positions + distance * (frame.rotations @ arms[..., None])[..., 0]


def transfer_points(reference: np.ndarray, points: np.ndarray, markers: np.ndarray) -> np.ndarray:
    """Return positions (N, m, 3) of a segment's static ``points`` (m, 3), moved with its markers.

    ``reference`` (k, 3) are the markers in the static trial, ``markers`` (N, k, 3) in the motion.
    """
    poses = fit_poses(reference, markers)
    return poses.positions[:, None] + points @ poses.rotations.swapaxes(-1, -2)
