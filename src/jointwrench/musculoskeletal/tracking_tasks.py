"""OpenSim's IKTaskSet: weights of markers and coordinates."""

from os import PathLike
from pathlib import Path
from typing import NamedTuple

from ..checks.arguments import check_choice
from ..checks.messages import Problems
from ..records.xml_tree import Element, is_text, is_true, read_xml, scalar_in, source_name, text_in

#: Sources of a coordinate's value.
VALUES = ("default_value", "manual_value", "from_file")


class TrackingTasks(NamedTuple):
    """The tasks of inverse kinematics; made by `read_tracking_tasks`.

    Attributes
    ==========

    weights : dict of str to float
        The weights of markers by name.
    targets : dict of str to tuple
        Pairs ``(value, weight)`` by name of the coordinate; None stands for the value in the
        model's file.

    See Also
    ========

    read_tracking_tasks : Reads tasks.

    Examples
    ========

    >>> import jointwrench as jw
    >>> path = jw.example_data("whole_trial/setup_ik.xml")
    >>> jw.musculoskeletal.read_tracking_tasks(path).weights["Sternum"]
    1.0
    """

    weights: dict[str, float]
    targets: dict[str, tuple[float | None, float]]


def read_tracking_tasks(path: str | PathLike[str]) -> TrackingTasks:
    """Read the tasks of an inverse kinematics set-up file of OpenSim, or of an IKTaskSet file.

    The applied `TrackingTasks` are arguments of `inverse_kinematics`: ``weights=tasks.weights``,
    ``targets=tasks.targets``.

    Parameters
    ==========

    path : str or path
        The file, or the text itself.

    Raises
    ======

    TypeError, ValueError
        If ``path`` is neither text nor a path; if the file is not XML or has no task; if a weight
        is negative or not a number, a name is duplicate, or a coordinate's value comes from a file.
        One error lists all problems.

    See Also
    ========

    inverse_kinematics : Uses weights and targets.

    Examples
    ========

    >>> import jointwrench as jw
    >>> jw.musculoskeletal.read_tracking_tasks('''<IKTaskSet><objects>
    ...   <IKMarkerTask name="heel"> <apply>true</apply> <weight>2</weight> </IKMarkerTask>
    ...   <IKMarkerTask name="ankle"> <apply>false</apply> <weight>1</weight> </IKMarkerTask>
    ... </objects></IKTaskSet>''').weights
    {'heel': 2.0}
    """
    elements = _tasks(path)
    problems = Problems()
    tasks = TrackingTasks({}, {})
    for element in (x for x in elements if is_true(x, "apply", True)):
        problems.check(_read, element, tasks)
    problems.raise_all(f"`path` must have tasks that can be read, but in {source_name(path)}")
    return tasks


def _tasks(path: str | PathLike[str]) -> list[Element]:
    """Return the elements of tasks in a file, or in the file of a set that the file names."""
    root = read_xml(path, "path")
    found = [x for x in root.walk() if x.tag in ("IKMarkerTask", "IKCoordinateTask")]
    sets = (x.attributes.get("file") for x in root.walk() if x.tag == "IKTaskSet")
    other = next(filter(None, sets), None)
    if not found and other and not is_text(path) and (Path(path).parent / other).is_file():
        return _tasks(Path(path).parent / other)
    if not found:
        named = f", nor is there the file {other}" if other else ""
        raise ValueError(
            f"`path` must have an element IKMarkerTask, {source_name(path)} has none{named}. Use "
            "the set-up file of OpenSim's inverse kinematics."
        )
    return found


def _read(element: Element, tasks: TrackingTasks) -> None:
    """Add the weight or the target of an element to the tasks."""
    name = element.attributes.get("name", "")
    weight = scalar_in(element, "weight", "1")
    own = tasks.weights if element.tag == "IKMarkerTask" else tasks.targets
    if name in own:
        raise ValueError(f"{element} has the name of another task.")
    if weight < 0:
        raise ValueError(f"{element}: weight must not be negative, got {weight:g}.")
    if own is tasks.weights:
        tasks.weights[name] = weight
        return
    value_type = text_in(element, "value_type", default="default_value")
    kind = check_choice("value_type", value_type, VALUES)
    if kind == "from_file":
        raise ValueError(
            f"{element} takes its value from a file. Use targets={{{name!r}: (values, {weight:g})}}"
            ", and let the task not apply."
        )
    manual = scalar_in(element, "value") if kind == "manual_value" else None
    tasks.targets[name] = (manual, weight)
