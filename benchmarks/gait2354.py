"""The skeleton of OpenSim's Gait2354_Simbody, from its published numbers, as an OpenSim file.

Its bodies are those of the tests' model Gait10dof18musc; its joints have 23 coordinates.
"""

import sys
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parents[1] / "tests" / "tools"))

from osim_texts import X, Y, Z, gait_text, knee_motion, transform


def joints(side: str) -> dict[str, tuple[str, list[str], str]]:
    """Return kind, coordinates and motion of each joint of one side."""
    sign = 1 if side == "r" else -1
    oblique = {
        "ankle": ("ankle_angle", (-0.10501355 * sign, -0.17402245 * sign, 0.97912632)),
        "subtalar": ("subtalar_angle", (0.78717961 * sign, 0.60474746 * sign, -0.12094949)),
        "mtp": ("mtp_angle", (-0.5809544 * sign, 0, 0.81393611)),
    }
    hips = [f"hip_{x}_{side}" for x in ("flexion", "adduction", "rotation")]
    back = [f"lumbar_{x}" for x in ("extension", "bending", "rotation")]
    pelvis = [f"pelvis_{x}" for x in ("tilt", "list", "rotation", "tx", "ty", "tz")]
    sided = [Z, (sign, 0, 0), (0, sign, 0)]
    knee = f"knee_angle_{side}"
    found: dict[str, tuple[list[str], Any]] = {
        "ground_pelvis": (
            pelvis,
            transform(
                [*zip((Z, X, Y), pelvis[:3], strict=True)],
                [*zip((X, Y, Z), pelvis[3:], strict=True)],
            ),
        ),
        "hip": (hips, transform([*zip(sided, hips, strict=True)])),
        "back": (back, transform([*zip((Z, X, Y), back, strict=True)])),
        "knee": ([knee], knee_motion(knee)),
    }
    for key, (name, axis) in oblique.items():
        found[key] = [f"{name}_{side}"], transform([(axis, f"{name}_{side}")])
    return {key: ("CustomJoint", *own) for key, own in found.items()}


def gait2354_text() -> str:
    """Return the text of the skeleton."""
    return str(gait_text("gait2354", joints))
