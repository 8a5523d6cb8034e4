"""Thumbnails of the gallery: the system of an interactive view, drawn large and without axes."""

import json
import re

import numpy as np

#: Parts of the data's size: half the length of an axis; and the width of lines in points.
AXIS, BODY, THIN = 0.05, 6, 2.5


def draw_system(html, path):
    """Draw the model of a view's page to a file, at a time that shows it well."""
    from matplotlib.figure import Figure

    data = json.loads(re.search(r"var data = (\{.*\});\n", html).group(1))
    k, colors, look = data["start"] or len(data["times"]) // 6, data["colors"], _projection(data)
    figure = Figure(figsize=(4, 2.8), layout="none")
    ax = figure.add_axes((0.02, 0.02, 0.96, 0.96))
    bodies = look(data["bodies"][k])
    for end in data["ends"]:
        trace = look([lines[end][1] for lines in data["bodies"]])
        if not data["follows"]:
            ax.plot(*trace.T, color=colors["path"], linewidth=1, zorder=1)
    for line in bodies:
        ax.plot(*line.T, color=colors["body"], linewidth=BODY, solid_capstyle="round", zorder=2)
    for axis in data["axes"]:
        half = AXIS * data["size"] * np.array(axis["ways"][k], dtype=float)
        place = np.array(axis["places"][k])
        ends = look([place - half, place + half])
        ax.plot(*ends.T, color=colors[axis["kind"]], linewidth=BODY, zorder=3)
    ax.plot(*look(data["joints"][k]).T, "o", color=colors["body"], markersize=BODY + 3, zorder=4)
    for kind, acting in data["forces"].items():
        forces = data["forceScale"] * np.array(acting["vectors"][k], dtype=float)
        starts, tips = (look(np.array(acting["places"][k], dtype=float) + x) for x in (0, forces))
        for start, tip in zip(starts, tips, strict=True):
            if np.isfinite(tip).all():
                style = {"color": colors[kind], "arrowstyle": "-|>", "lw": THIN, "shrinkA": 0}
                ax.annotate("", tip, start, arrowprops={**style, "shrinkB": 0}, zorder=5)
        ax.plot(*tips.T, alpha=0)  # so that they are in sight
    ax.set_aspect("equal", adjustable="datalim")
    ax.margins(0.08)
    ax.axis("off")
    figure.savefig(path)


def _projection(data):
    """Return what projects points: along an axis in which the model is flat, or obliquely."""
    up = "xyz".index(data["up"])
    points = np.array(data["bodies"], dtype=float).reshape(-1, 3)
    flat = np.nanmax(points, axis=0) - np.nanmin(points, axis=0) < 1e-3 * data["size"]
    first, second, above = np.eye(3)[[(up + 1) % 3, (up + 2) % 3, up]]
    around, height = 0.6, 0.35
    if flat.any() and not flat[up]:
        around, height = (np.pi / 2 if flat[(up + 1) % 3] else 0.0), 0.0
    level = np.sin(around) * first + np.cos(around) * second
    eye = np.cos(height) * level + np.sin(height) * above
    right = np.cross(above, eye) / np.linalg.norm(np.cross(above, eye))
    axes = np.stack([right, np.cross(eye, right)], axis=-1)
    return lambda points: np.array(points, dtype=float) @ axes
