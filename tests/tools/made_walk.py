"""Markers of the legs of `made_body`, as a laboratory calls them."""

import made_body
import numpy as np

import jointwrench as jw
from jointwrench.gait.marker_sets import MARKER_SETS

T = np.linspace(0, 1, 51)
SIDES = ("left", "right")
NAMES = MARKER_SETS["plug-in gait"]
LATERAL = {"left_toe_lateral": "LMT5", "right_toe_lateral": "RMT5"}
MEDIAL = {
    f"{s}_{j}_medial": f"{s[0].upper()}{j[:3].upper()}M" for s in SIDES for j in ("knee", "ankle")
}
#: Angles of right joints as those of `made_body`: knees bend in swing, feet stand on their heels.
WALK = {"pelvis": ((3, 0), (0, 3), (0, 6)), "hip": ((6, 29), (0, 6), (0, 9))}
WALK |= {"knee": ((-40, -34), (0, 3), (0, 6)), "ankle": ((0, 17), (0, 6), (0, 11))}
LATE = 0.04  # seconds, so that heels strike at half a second and at a fifth
PERSON = jw.gait.Person(1.75, 70.0, "de_leva_female")


def angles(joint, side, T=T):
    """Return flexion, adduction and internal rotation of a right joint (N, 3), in degrees."""
    return made_body.angles(joint, side, T - LATE, WALK)


def walk(T=T):
    """Return the markers of a made walk by name, and the centres of its joints; z is up."""
    places, names = made_body.body(T - LATE, WALK), {**NAMES, **MEDIAL, **LATERAL}
    own = ("asis", "psis", "thigh", "knee", "shank", "ankle", "heel", "toe", "medial", "lateral")
    legs = [role for role in names if role.endswith(own) and "elbow" not in role]
    centers = {
        f"{j}_{s}": places[f"{s}_{j}_center"] for j in ("hip", "knee", "ankle") for s in SIDES
    }
    return {names[role]: places[role] for role in legs}, centers


def markers_of(paths, rows=slice(None), T=T):
    names = tuple(paths)
    places = np.stack([paths[n][rows] for n in names], 1)
    return jw.recordings.Markers(T[rows], names, places, {"Units": "m"})


def without_medial(markers):
    return markers.only([name for name in markers.names if name not in MEDIAL.values()])
