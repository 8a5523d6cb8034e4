"""Set-up files of OpenSim's tools, run as they are."""

from collections.abc import Callable, Mapping
from os import PathLike
from pathlib import Path, PureWindowsPath
from typing import Any, NamedTuple

import numpy as np

from .. import ExternalWrench, FittedMotion, Result, Trajectory, inverse_kinematics
from ..checks.arguments import check_choice, check_instance, check_mapping
from ..checks.problems import existing_file
from ..recordings.external_loads import read_external_loads
from ..recordings.readers import read_storage, read_trc
from ..records.xml_tree import Element, numbers_in, read_xml, scalar_in, text_in
from .osim import read_osim
from .osim_model import OsimModel
from .tracking_tasks import read_tracking_tasks


class _Tool(NamedTuple):
    """The element of a tool, the file in which it stands, and files that are given instead."""

    element: Element
    file: Path
    given: Mapping[str, Any]

    def path(self, tag: str) -> Path | None:
        """Return a file that the tool names, None if it names none."""
        if tag in self.given:
            return existing_file(f"files[{tag!r}]", self.given[tag])
        text = text_in(self.element, tag, default="").strip()
        if text in ("", "Unassigned"):
            return None
        name = PureWindowsPath(text)  # also of paths with slashes
        for place in (self.file.parent / name.as_posix(), self.file.parent / name.name):
            if place.is_file():
                return place
        raise FileNotFoundError(
            f"`path`: {self.file.name} names {text} as {tag}, which is neither there nor beside "
            f"it. Use files={{{tag!r}: ...}}."
        )

    def needed(self, tag: str) -> Path:
        found = self.path(tag)
        if found is None:
            raise ValueError(
                f"`path` must name a {tag}, {self.file.name} has none. Use files={{{tag!r}: ...}}."
            )
        return found

    def times(self, known: np.ndarray) -> tuple[float, float]:
        """Return the range of times that is asked for, within what is known."""
        text = text_in(self.element, "time_range", default="").strip()
        first, last = numbers_in(self.element, "time_range", 2) if text else (-np.inf, np.inf)
        return max(float(first), float(known[0])), min(float(last), float(known[-1]))


def run_setup(
    path: str | PathLike[str],
    *,
    model: OsimModel | None = None,
    files: Mapping[str, Any] | None = None,
) -> Any:
    """Do what a set-up file of OpenSim says, and return the result; nothing is written.

    Files that it names are looked for from its folder, then beside it, whatever folder they are
    said to be in.

    Parameters
    ==========

    path : str or path
        A file with an ``InverseKinematicsTool`` or an ``InverseDynamicsTool``.
    model : OsimModel, optional
        What `read_osim` made of the model.  Default: it is read from the file that is named.
    files : mapping of str to path, optional
        Other files than those that are named: ``{"marker_file": "walk.trc"}``.

    Returns
    =======

    FittedMotion or Result
        Of inverse kinematics; of inverse dynamics, generalized forces and joint wrenches at the
        instants of the coordinates, which are filtered as OpenSim does.

    Raises
    ======

    TypeError, ValueError
        If ``path`` is no path, or the file has none of these tools, or does not name what it needs.
    FileNotFoundError
        If it, or a file that it names, is not there.

    See Also
    ========

    read_osim, read_tracking_tasks, inverse_kinematics : The steps, one by one.

    Examples
    ========

    >>> import jointwrench as jw
    >>> folder = jw.example_data("whole_trial")
    >>> files = {"model_file": folder / "subject01.osim", "marker_file": folder / "walk.trc"}
    >>> found = jw.musculoskeletal.run_setup(folder / "setup_ik.xml", files=files)
    >>> found.q.shape
    (151, 10)
    """
    file = existing_file("path", path)
    root = read_xml(file, "path")
    tools = [element for element in root.walk() if element.tag in TOOLS]
    if len(tools) != 1:
        raise ValueError(
            f"`path` must have one element among {', '.join(TOOLS)}, {file.name} has {len(tools)}."
        )
    if model is not None:
        check_instance("model", model, OsimModel, "an OsimModel", "Use read_osim(...).")
    given = check_mapping("files", files)
    for name in given:
        check_choice("files", name, FILES)
    tool = _Tool(tools[0], file, given)
    known = read_osim(tool.needed("model_file")) if model is None else model
    return TOOLS[tools[0].tag](tool, known)


def _inverse_kinematics(tool: _Tool, model: OsimModel) -> FittedMotion:
    markers = read_trc(tool.needed("marker_file")).in_metres()
    tasks = read_tracking_tasks(tool.file)
    own = markers.between(*tool.times(markers.times))
    return inverse_kinematics(model, own, weights=tasks.weights, targets=tasks.targets)


def _inverse_dynamics(tool: _Tool, model: OsimModel) -> Result:
    table = read_storage(tool.needed("coordinates_file"))
    cutoff = scalar_in(tool.element, "lowpass_cutoff_frequency_for_coordinates", "-1")
    smooth: dict[str, Any] = {"cutoff": cutoff, "filter": "opensim"} if cutoff > 0 else {}
    is_degrees = table.header.get("inDegrees", "no").strip().lower() == "yes"
    file = tool.path("external_loads_file")
    loads = [] if file is None else read_external_loads(file)
    resizing: Any = model.resizing
    loaded = resizing.with_markers({})  # a copy, which gets the loads
    actions = [ExternalWrench(loaded.system, x.body, x.name) for x in loads]
    idyn = loaded.inverse_dynamics()
    whole = Trajectory.from_samples(table.times, table, idyn=idyn, degrees=is_degrees, **smooth)
    motion = whole.between(*tool.times(table.times))
    specifieds: dict[Any, Any] = {}
    for action, load in zip(actions, loads, strict=True):
        specifieds |= action.specifieds(load.plate.at(motion.times))
    evaluate = idyn.compile(("generalized_forces", "joint_wrenches"), backend="numpy")
    constants = {s: x for s, x in model.constants.items() if s in idyn.constants}
    return evaluate(motion, constants=constants, specifieds=specifieds)


#: What is done, by the tool's element, and the files that tools name.
TOOLS: dict[str, Callable[[_Tool, OsimModel], Any]] = {
    "InverseKinematicsTool": _inverse_kinematics,
    "InverseDynamicsTool": _inverse_dynamics,
}
FILES = ("model_file", "marker_file", "coordinates_file", "external_loads_file")
