"""OpenSim's ScaleTool by set-up files: scaled bodies and moved markers."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..checks.arguments import enumerate_some
from ..checks.problems import warn
from ..recordings.marker_paths import Markers
from ..recordings.readers import read_trc
from ..records.xml_tree import Element, is_true, numbers_in, scalar_in, text_in
from .osim_model import OsimModel
from .resized_model import marker_places, scaled
from .setup_motions import known_tasks
from .setup_tool import SetupTool
from .tracking_tasks import read_tracking_tasks

#: Files in OpenSim's own formats, which are not written.
UNWRITTEN = "output_model_file", "output_scale_file", "output_motion_file", "output_marker_file"


def run_scaling(tool: SetupTool, model: OsimModel) -> OsimModel:
    """Return the model scaled to a person."""
    tool.check_options("mass GenericModelMaker ModelScaler MarkerPlacer", "height age notes")
    parts = {x.tag: tool.within(x) for x in tool.element.children}
    options: dict[str, Any] = {}
    if (part := parts.get("ModelScaler")) and is_true(part.element, "apply", True):
        honoured = "apply scaling_order MeasurementSet ScaleSet marker_file time_range"
        part.check_options(f"{honoured} preserve_mass_distribution", " ".join(UNWRITTEN[:2]))
        mass = scalar_in(tool.element, "mass", "-1")
        options["mass"] = mass if mass > 0 else None
        options["factors"] = _factors(part, model)
        keeps = is_true(part.element, "preserve_mass_distribution", False)
        options["keep_mass_distribution"] = keeps
    if (part := parts.get("MarkerPlacer")) and is_true(part.element, "apply", True):
        honoured = "apply IKTaskSet marker_file coordinate_file time_range max_marker_movement"
        part.check_options(honoured, " ".join((UNWRITTEN[0], *UNWRITTEN[2:])))
        limit = scalar_in(part.element, "max_marker_movement", "-1")
        if limit >= 0:
            raise ValueError(
                f"`path`: <max_marker_movement> of {tool.file.name} must be negative, got "
                f"{limit:g}, which is not done here."
            )
        static = _static(part)
        tasks = known_tasks(part, read_tracking_tasks(tool.file), model, static)
        options |= {"weights": tasks.weights, "targets": tasks.targets}
        options["static"] = {name: static[name] for name in model.markers if name in static}
    own: OsimModel = scaled(model, **options)
    named = [tag for part in parts.values() for tag in UNWRITTEN if part.text(tag)]
    if named:
        warn(
            f"`path`: {', '.join(sorted({*named}))} of {tool.file.name} are not written. Use the "
            "returned model, as model=, in the next steps."
        )
    return own


def _static(part: SetupTool) -> Markers:
    """Return the standing trial within the requested times."""
    markers = read_trc(part.needed("marker_file")).in_metres()
    return markers.between(*part.times(markers.times))


def _factors(part: SetupTool, model: OsimModel) -> dict[str, np.ndarray]:
    """Return the scale factors of each body, in the order of <scaling_order>."""
    found: dict[str, np.ndarray] = {}
    for word in part.text("scaling_order").split():
        if word == "measurements":
            _measure(part, model, found)
        elif word == "manualScale":
            for element in _applied(part, "ScaleSet"):
                found[text_in(element, "segment")] = numbers_in(element, "scales", 3)
        else:
            raise ValueError(
                f"`path`: <scaling_order> of {part.file.name} must have the words measurements and "
                f"manualScale, got {word!r}."
            )
    if strange := [name for name in found if name not in model.bodies]:
        warn(f"`path`: {part.file.name} scales {enumerate_some(strange)}, no bodies of the model.")
    return {name: factors for name, factors in found.items() if name in model.bodies}


def _measure(part: SetupTool, model: OsimModel, found: dict[str, np.ndarray]) -> None:
    """Add the factors of measurements."""
    if not (measurements := _applied(part, "MeasurementSet")):
        return
    seen, own = _static(part), marker_places(model)
    for element in measurements:
        ends = element.held("MarkerPairSet", "objects")
        pairs = [text_in(pair, "markers").split() for pair in ends]
        ratio = _ratio(part, element, pairs, seen, own)
        for body in element.held("BodyScaleSet", "objects") if ratio is not None else ():
            name, axes = body.attributes.get("name", ""), text_in(body, "axes", default="X Y Z")
            found[name] = np.copy(found.get(name, np.ones(3)))
            found[name][["XYZ".index(axis) for axis in axes.upper().split()]] = ratio


def _ratio(
    part: SetupTool,
    element: Element,
    pairs: list[list[str]],
    seen: Markers,
    own: Mapping[str, np.ndarray],
) -> float | None:
    """Return the mean ratio of distances to the model's, None without markers."""
    lacking = {name for pair in pairs for name in pair if name not in seen or name not in own}
    if lacking or not pairs:
        warn(
            f"`path`: the measurement {element} of {part.file.name} is left out, as OpenSim does: "
            f"there are no markers {', '.join(sorted(lacking))}."
        )
        return None
    ratios = [
        np.nanmean(np.linalg.norm(seen[a] - seen[b], axis=-1)) / np.linalg.norm(own[a] - own[b])
        for a, b in pairs
    ]
    return float(np.mean(ratios))


def _applied(part: SetupTool, tag: str) -> list[Element]:
    return [x for x in part.element.held(tag, "objects") if is_true(x, "apply", True)]
