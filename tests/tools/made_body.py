"""Markers of a whole made body, of any set, whose ISB angles are known."""

import numpy as np
from scipy.spatial.transform import Rotation

import jointwrench as jw
from jointwrench.gait.marker_sets import MARKER_SETS  # noqa: F401

T = np.linspace(0, 1, 41)
UPRIGHT = Rotation.from_matrix([[1, 0, 0], [0, 0, -1], [0, 1, 0]])  # y up to z up

#: Angles of right joints in degrees: offset and size of a sine, by joint, in the order of axes.
ANGLES = {
    "pelvis": ((5, 4), (0, 6), (0, 8)),
    "hip": ((10, 25), (2, 6), (3, 8)),
    "knee": ((-35, 30), (1, 3), (2, 6)),
    "ankle": ((2, 15), (0, 5), (-5, 8)),
    "spine": ((-8, 5), (2, 5), (0, 10)),
    "shoulder": ((50, 35), (-70, 40), (-10, 30)),
    "elbow": ((50, 40), (5, 4), (70, 50)),
    "wrist": ((10, 40), (3, 15), (2, 10)),
}
SEQUENCES = dict.fromkeys(ANGLES, "ZXY") | {"shoulder": "YXY"}

#: Places of roles in the frame of a right segment, metres; those of the middle come first.
MIDDLE = {
    "pelvis": {},
    "thorax": {
        "jugular": (0, 0, 0),
        "c7": (-0.12, 0, 0),
        "xiphoid": (0, -0.15, 0),
        "t8": (-0.12, -0.15, 0),
        "neck": (-0.06, 0.02, 0),
    },
}
LOCAL = {
    "pelvis": {"asis": (0, 0, 0.12), "psis": (-0.16, 0, 0.05)},
    "thigh": {
        "knee": (0, -0.42, 0.05),
        "knee_medial": (0, -0.42, -0.05),
        "knee_center": (0, -0.42, 0),
        "thigh": (0.02, -0.25, 0.09),
        "thigh_2": (0.07, -0.2, 0.03),
        "thigh_3": (0.06, -0.3, 0.05),
    },
    "shank": {
        "ankle": (0, -0.4, 0.04),
        "ankle_medial": (0, -0.4, -0.04),
        "ankle_center": (0, -0.4, 0),
        "shank": (0.02, -0.25, 0.07),
        "shank_2": (0.05, -0.2, 0.02),
        "shank_3": (0.04, -0.3, 0.03),
        "fibula_head": (0, -0.05, 0.06),
        "tibial_tuberosity": (0.05, -0.07, 0),
    },
    "foot": {
        "heel": (-0.05, -0.06, 0),
        "toe": (0.13, -0.06, 0),
        "toe_lateral": (0.1, -0.06, 0.06),
        "toe_medial": (0.12, -0.06, -0.04),
    },
    "thorax": {
        "acromion": (-0.06, 0.02, 0.18),
        "shoulder_center": (-0.06, 0.02 - 0.17 * 0.36, 0.18),
        "sternoclavicular": (0, 0, 0.02),
    },
    "upper_arm": {
        "elbow": (0, -0.3, 0.04),
        "elbow_medial": (0, -0.3, -0.04),
        "elbow_center": (0, -0.3, 0),
    },
    "forearm": {"wrist_ulnar": (0, -0.25, 0), "wrist_radial": (0, -0.25, 0.05)},
    "hand": {
        "knuckle": (0, -0.08, 0),
        "knuckle_radial": (0, -0.08, 0.03),
        "knuckle_ulnar": (0, -0.08, -0.03),
    },
}


def angles(joint, side, T=T, changes=None):
    """Return the angles of a right joint (N, 3), in degrees."""
    pairs = (changes or {}).get(joint, ANGLES[joint])
    phases = 2 * np.pi * T[:, None] * (1, 2, 1) + (0, 1, 2) + (side == "left")
    if joint in ("pelvis", "spine"):
        phases = phases - (side == "left")  # of one segment
    return np.array([p[0] for p in pairs]) + np.array([p[1] for p in pairs]) * np.sin(phases)


def turned(parent, joint, side, T, changes):
    """Return the orientation of the segment beyond a joint: of a left one a mirror image's."""
    own = angles(joint, side, T, changes)
    if side == "left" and joint not in ("pelvis", "spine"):
        own = own * [1 if axis == "Z" else -1 for axis in SEQUENCES[joint]]
    return parent * Rotation.from_euler(SEQUENCES[joint], own, degrees=True)


def body(T=T, changes=None, is_wrist_ulnar=False):
    """Return the places (N, 3) of all roles; a person who walks along x, z up."""
    frames = {"pelvis": turned(UPRIGHT, "pelvis", "right", T, changes)}
    origin = np.stack([1.2 * T, 0.1 * np.sin(2 * np.pi * T), 1.0 + 0 * T], -1)
    frames["thorax"] = turned(frames["pelvis"], "spine", "right", T, changes)
    hips = {}
    for side, sign in (("right", 1), ("left", -1)):
        place = [-0.24 * 0.16 - 0.0099, -0.3 * 0.24 - 0.0109, sign * (0.33 * 0.24 + 0.0073)]
        hips[side] = origin + frames["pelvis"].apply(place)
    middle = (hips["right"] + hips["left"]) / 2
    top = middle + frames["thorax"].apply([0.06, 0.5, 0])  # hips, acromia along the thorax
    found = {f"{s}_hip_center": path for s, path in hips.items()}
    found |= {role: top + frames["thorax"].apply(x) for role, x in MIDDLE["thorax"].items()}
    for side, sign in (("right", 1), ("left", -1)):

        def put(segment, start, frame, side=side, sign=sign):
            for role, x in LOCAL[segment].items():
                found[f"{side}_{role}"] = start + frame.apply(np.array(x) * [1, 1, sign])

        put("pelvis", origin, frames["pelvis"])
        put("thorax", top, frames["thorax"])
        thigh = turned(frames["pelvis"], "hip", side, T, changes)
        put("thigh", hips[side], thigh)
        shank = turned(thigh, "knee", side, T, changes)
        put("shank", found[f"{side}_knee_center"], shank)
        foot = turned(shank, "ankle", side, T, changes)
        put("foot", found[f"{side}_ankle_center"], foot)
        arm = turned(frames["thorax"], "shoulder", side, T, changes)
        put("upper_arm", found[f"{side}_shoulder_center"], arm)
        forearm = turned(arm, "elbow", side, T, changes)
        put("forearm", found[f"{side}_elbow_center"], forearm)
        wrist = (found[f"{side}_wrist_ulnar"] + found[f"{side}_wrist_radial"]) / 2
        found[f"{side}_wrist_center"] = found[f"{side}_wrist_ulnar"] if is_wrist_ulnar else wrist
        put("hand", wrist, turned(forearm, "wrist", side, T, changes))
    return found


def markers_of(places, names, T=T, mirrored=False):
    """Return the markers of a set that are there: by a mirror, as a body's other side has them."""
    if mirrored:
        swap = {"left": "right", "right": "left"}
        other = {role: role.split("_", 1) for role in places}
        places = {
            "_".join([swap.get(parts[0], parts[0]), *parts[1:]]): places[role] * [1, -1, 1]
            for role, parts in other.items()
        }
    own = {}
    for role, name in names.items():
        if role in places and role.partition("_")[2] not in ("shank", "shank_2", "thigh"):
            own.setdefault(name, []).append(places[role])
    for role, name in names.items():
        if role in places and name not in own:  # else it is the head of the fibula
            own[name] = [places[role]]
    paths = [np.mean(x, axis=0) for x in own.values()]  # a sacrum is midway
    return jw.recordings.Markers(T, tuple(own), np.stack(paths, axis=1), {"Units": "m"})
