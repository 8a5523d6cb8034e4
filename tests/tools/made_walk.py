"""Markers of a made walk, whose joint centres and angles are known."""

import numpy as np
from scipy.spatial.transform import Rotation

import jointwrench as jw
from jointwrench.gait.marker_sets import MARKER_SETS

T = np.linspace(0, 1, 51)
NAMES = MARKER_SETS["plug-in gait"]
LATERAL = {"left_toe_lateral": "LMT5", "right_toe_lateral": "RMT5"}
MEDIAL = {
    f"{s}_{j}_medial": f"{s[0].upper()}{j[:3].upper()}M"
    for s in ("left", "right")
    for j in ("knee", "ankle")
}
SHIFT = np.array([1, 2, 3])
PERSON = jw.gait.Person(1.75, 70.0, "de_leva_female")


def angles(joint, side, T=T):
    """Return flexion, adduction and internal rotation (N, 3) of a right joint, in radians."""
    phase = 2 * np.pi * T + (side == "left")
    sizes = {"hip": (0.5, 0.1, 0.15), "knee": (-0.6, 0.05, 0.1), "ankle": (0.3, 0.1, 0.2)}[joint]
    shifts = {"hip": 0.1, "knee": -0.7, "ankle": 0.0}[joint]
    first = sizes[0] * np.sin(phase) + shifts
    return np.stack([first, sizes[1] * np.cos(phase), sizes[2] * np.sin(2 * phase)], -1)


def turned(parent, joint, side, T):
    """Return the orientation of the segment beyond a joint."""
    mirror = [1, 1, 1] if side == "right" else [1, -1, -1]
    return parent * Rotation.from_euler("ZXY", angles(joint, side, T) * mirror)


def walk(T=T, tilt=0.05):
    """Return the markers of a made walk by name, and the centres of its joints; z is up."""
    upright = Rotation.from_matrix([[1, 0, 0], [0, 0, -1], [0, 1, 0]])  # y up to z up
    pelvis = upright * Rotation.from_euler(
        "ZXY", np.stack([0 * T + tilt, 0.05 * np.sin(6 * T), 0.1 * np.cos(6 * T)], -1)
    )
    origin = np.stack([1.2 * T, 0.1 * np.sin(6 * T), 1.0 + 0 * T], -1)
    width, depth = 0.24, 0.16
    asis, psis = (
        {1: [0, 0, width / 2], -1: [0, 0, -width / 2]},
        {1: [-depth, 0, 0.05], -1: [-depth, 0, -0.05]},
    )
    found, centers = {}, {}
    for side, sign in (("right", 1), ("left", -1)):
        found[f"{side}_asis"] = origin + pelvis.apply(asis[sign])
        found[f"{side}_psis"] = origin + pelvis.apply(psis[sign])
        place = [-0.24 * depth - 0.0099, -0.30 * width - 0.0109, sign * (0.33 * width + 0.0073)]
        hip = origin + pelvis.apply(place)
        thigh = turned(pelvis, "hip", side, T)
        knee = hip + thigh.apply([0, -0.42, 0])
        shank = turned(thigh, "knee", side, T)
        ankle = knee + shank.apply([0, -0.40, 0])
        foot = turned(shank, "ankle", side, T)
        centers |= {f"hip_{side}": hip, f"knee_{side}": knee, f"ankle_{side}": ankle}
        for role, start, frame, local in (
            ("knee", knee, thigh, [0, 0, 0.05]),
            ("knee_medial", knee, thigh, [0, 0, -0.05]),
            ("thigh", hip, thigh, [0.02, -0.25, 0.09]),
            ("ankle", ankle, shank, [0, 0, 0.04]),
            ("ankle_medial", ankle, shank, [0, 0, -0.04]),
            ("shank", knee, shank, [0.02, -0.25, 0.07]),
            ("heel", ankle, foot, [-0.05, -0.06, 0]),
            ("toe", ankle, foot, [0.13, -0.06, 0]),
            ("toe_lateral", ankle, foot, [0.10, -0.06, 0.06]),
        ):
            found[f"{side}_{role}"] = start + frame.apply(np.array(local) * [1, 1, sign])
    names = {**NAMES, **MEDIAL, **LATERAL}
    return {names[role]: path for role, path in found.items()}, centers


def markers_of(paths, rows=slice(None), T=T):
    names = tuple(paths)
    return jw.recordings.Markers(
        T[rows], names, np.stack([paths[n][rows] for n in names], 1), {"Units": "m"}
    )


def without_medial(markers):
    return markers.only([name for name in markers.names if name not in MEDIAL.values()])
