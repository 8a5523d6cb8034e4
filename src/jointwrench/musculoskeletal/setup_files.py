"""Set-up files of OpenSim's tools."""

from collections.abc import Callable, Mapping
from os import PathLike
from typing import Any

from ..checks.arguments import check_choice, check_instance, check_mapping
from ..checks.problems import existing_file, existing_folder
from ..records.xml_tree import Element, read_xml
from .osim_model import OsimModel
from .setup_analyses import run_analyses
from .setup_motions import run_inverse_dynamics, run_inverse_kinematics
from .setup_scale import run_scaling
from .setup_tool import SetupTool, model_of_file


def run_setup(
    path: str | PathLike[str],
    *,
    model: OsimModel | None = None,
    files: Mapping[str, Any] | None = None,
    results: str | PathLike[str] | None = None,
) -> Any:
    """Run a set-up file of OpenSim's tools, and return the result.

    Files that it names are relative to its folder; otherwise they are looked for by name in that
    folder and in ``results``.  A model is read, derived and compiled once, as long as its file does
    not change.

    Parameters
    ==========

    path : str or path
        A file with a ``ScaleTool``, an ``InverseKinematicsTool``, an ``InverseDynamicsTool`` or an
        ``AnalyzeTool`` with the analyses ``StaticOptimization`` and ``JointReaction``.
    model : OsimModel, optional
        The model, from `read_osim` or scaling.  Default: the model that the file names is read.
    files : mapping of str to path, optional
        Replacements of files: ``{"marker_file": "walk.trc"}``.
    results : path, optional
        A folder for results, with the names of the file or of OpenSim.  Default: nothing is
        written.

    Returns
    =======

    OsimModel
        Of scaling; ``.resizing.factors`` are the scale factors.
    FittedMotion
        Of inverse kinematics.
    Result
        Of inverse dynamics, generalized forces and joint wrenches at the instants of the
        coordinates, which are filtered as OpenSim does.
    dict
        Of analyses by their names: `MuscleForces` of a static optimization, with actuators after
        the muscles, and a `Table` of joint reactions with OpenSim's columns.

    Raises
    ======

    TypeError, ValueError
        If ``path`` is not a path, or the file has none of these tools, lacks a necessary element,
        or has an unsupported one: the message names the element.
    FileNotFoundError
        If the file, or a file that it names, does not exist.

    Warns
    =====

    UserWarning
        About unknown elements, files that are not written, and forces that do not fit a motion.

    See Also
    ========

    read_osim, read_tracking_tasks, inverse_kinematics : The steps, one by one.
    scaled, static_optimization : The same without files.

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
    tools = _outside_defaults(read_xml(file, "path"))
    if len(tools) != 1:
        raise ValueError(
            f"`path` must have one element among {', '.join(TOOLS)}, {file.name} has {len(tools)}."
        )
    if model is not None:
        check_instance("model", model, OsimModel, "an OsimModel", "Use read_osim(...).")
    given = check_mapping("files", files)
    for name in given:
        check_choice("files", name, FILES)
    folder = None if results is None else existing_folder("results", results)
    tool = SetupTool(tools[0], file, given, folder)
    return TOOLS[tools[0].tag](tool, _model(tool) if model is None else model)


def _outside_defaults(element: Element) -> list[Element]:
    """Return the tools in an element."""
    if element.tag in TOOLS:
        return [element]
    inner = (x for x in element.children if x.tag != "defaults")
    return [found for x in inner for found in _outside_defaults(x)]


def _model(tool: SetupTool) -> OsimModel:
    """Return the named model, with the markers of a file, if one is named."""
    makers = tool.element.all("GenericModelMaker")
    named = tool.within(makers[0]) if makers else tool
    return model_of_file(named.needed("model_file"), named.path("marker_set_file"))


#: The supported tools, by their elements, and the files that they name.
TOOLS: dict[str, Callable[[SetupTool, OsimModel], Any]] = {
    "ScaleTool": run_scaling,
    "InverseKinematicsTool": run_inverse_kinematics,
    "InverseDynamicsTool": run_inverse_dynamics,
    "AnalyzeTool": run_analyses,
}
FILES = (
    *("model_file", "marker_set_file", "marker_file", "coordinates_file", "external_loads_file"),
    *("force_set_files", "forces_file"),
)
