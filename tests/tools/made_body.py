"""Markers of a whole made body, of any set, whose ISB angles are known."""

import json
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

import jointwrench as jw
from jointwrench.gait.marker_sets import MARKER_SETS  # noqa: F401

DATA = Path(__file__).parents[1] / "data"
T = np.linspace(0, 1, 41)
UPRIGHT = Rotation.from_matrix([[1, 0, 0], [0, 0, -1], [0, 1, 0]])  # y up to z up

#: Angles of right joints in degrees: offset and size of a sine, by joint, in the order of axes; and
#: places of roles in the frame of a right segment, metres; those of the middle come first.
ANGLES, MIDDLE, LOCAL = json.loads((DATA / "made_body.json").read_text(encoding="utf-8")).values()
SEQUENCES = dict.fromkeys(ANGLES, "ZXY") | {"shoulder": "YXY"}


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
        put("foot", found[f"{side}_ankle_center"], turned(shank, "ankle", side, T, changes))
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
