"""OpenSim's ExternalLoads: measured forces and the bodies on which they act."""

from os import PathLike
from pathlib import Path, PureWindowsPath
from typing import Any, NamedTuple

import numpy as np

from ..checks.files import existing_file
from ..checks.messages import Problems
from ..records.laboratory import check_units, unit_factor
from ..records.tables import Table
from ..records.xml_tree import Element, is_text, is_true, read_xml, source_name, text_in
from .force_plate import ForcePlate
from .readers import read_storage

#: Limits (m) beyond which another unit is suspected: the distance of points of application, and the
#: ratio of moment to force, about the point of application and about the laboratory's origin.
FARTHEST, TWIST, MOMENT = 100.0, 1.0, 100.0

#: Elements that name columns of the data, with the quantities in these columns.
COLUMNS = {"force_identifier": "force", "torque_identifier": "moment", "point_identifier": "length"}

#: The units of OpenSim's files, unless the user states others.
SI = {"length": "m", "force": "N", "moment": "N m"}


class ExternalLoad(NamedTuple):
    """A measured wrench and the body on which it acts.

    Attributes
    ==========

    name, body : str
        Names of the load and of the body, for instance for `ExternalWrench`.
    plate : ForcePlate
        The wrench on that body over time, about the origin of ground.
    """

    name: str
    body: str
    plate: ForcePlate


def read_external_loads(
    path: str | PathLike[str],
    data: str | PathLike[str] | Table | None = None,
    units: dict[str, str] | None = None,
    vertical: str = "y",
) -> tuple[ExternalLoad, ...]:
    """Read the loads of an ExternalLoads file of OpenSim (.xml) and their data (.mot, .sto).

    The result has one ExternalLoad for each enabled ExternalForce, in the file's order, in metres,
    N and N m, acting on the body that the file names.

    Parameters
    ==========

    path : str or path
        The file, or the text itself.
    data : str, path or Table, optional
        The data.  Default: the file that ``datafile`` names, or the file of that name in the folder
        of ``path``.
    units : mapping of str to str, optional
        Units of the data, if not metres, N and N m: ``{"length": "mm", "moment": "N mm"}``.
    vertical : {"y", "z", "x"}
        The axis of ground that points up; in OpenSim it is y.

    Raises
    ======

    TypeError
        If ``path`` is neither text nor a path, or ``units`` is not a mapping of str to str.
    ValueError
        If the file is not XML or has no ExternalForce, or data are missing.  One error lists all
        loads with unknown columns or an impossible size, and loads that are expressed in a moving
        body's frame or at its origin.

    See Also
    ========

    ExternalWrench : Applies a load to a body.

    Examples
    ========

    >>> import jointwrench as jw
    >>> folder = jw.example_data("whole_trial")
    >>> loads = jw.recordings.read_external_loads(folder / "walk_grf.xml")
    >>> [(load.name, load.body) for load in loads]
    [('right', 'calcn_r'), ('left', 'calcn_l')]

    The loads act on the bodies of the model, at the times of a motion:

    >>> model = jw.musculoskeletal.read_osim(folder / "subject01.osim")
    >>> specifieds = {}
    >>> for load in loads:
    ...     action = jw.ExternalWrench(model.system, model.bodies[load.body], load.name)
    ...     specifieds |= action.specifieds(load.plate.at([0.5, 0.6]))
    >>> len(specifieds)
    12
    """
    stated = check_units("units", units)
    root = read_xml(path, "path")
    forces = [element for element in root.walk() if element.tag == "ExternalForce"]
    if not forces:
        raise ValueError(
            f"`path` must have an element ExternalForce, {source_name(path)} has none. "
            "Use the file that OpenSim's tools name as external_loads_file."
        )
    table = _find_data(path, root, data)
    problems, loads = Problems(), []
    for number, element in enumerate(filter(_is_enabled, forces), 1):
        name = element.attributes.get("name") or f"load_{number}"
        body = problems.check(text_in, element, "applied_to_body")
        plate = problems.check(_to_plate, element, table, stated, vertical)
        if body is not None and plate is not None:
            loads.append(ExternalLoad(name, body.rsplit("/", 1)[-1], plate))
    problems.raise_all(f"`path` must have loads that can be read, but in {source_name(path)}")
    return tuple(loads)


def _find_data(path: str | PathLike[str], root: Element, data: Any) -> Table:
    """Return the data of a file of loads: the user's, or those of its element ``datafile``."""
    if isinstance(data, Table):
        return data
    if data is not None:
        return read_storage(existing_file("data", data))
    name = next((x.text.strip() for x in root.walk() if x.tag == "datafile"), "")
    folder = Path() if is_text(path) else Path(path).parent
    # an absolute path may belong to another computer: only its last part counts then
    candidates = folder / name, folder / PureWindowsPath(name).name
    file = next((candidate for candidate in candidates if candidate.is_file()), None)
    if file is None:
        raise ValueError(
            f"`data` must be given for {source_name(path)}, whose element datafile names "
            f"{name or 'no file'}, which is not there. Use data='its path'."
        )
    return read_storage(file)


def _to_plate(element: Element, table: Table, stated: dict[str, str], vertical: str) -> ForcePlate:
    """Return the wrench of an ExternalForce over time; units in ``stated`` replace SI units."""
    for tag in ("force_expressed_in_body", "point_expressed_in_body"):
        if (frame := text_in(element, tag, default="ground")).rsplit("/", 1)[-1] != "ground":
            raise ValueError(
                f"{element}: {tag} is {frame}, only loads that are measured in ground are read."
            )
    force, torque, place = (_get_columns(element, *pair, table, stated) for pair in COLUMNS.items())
    if force is None and torque is None:
        raise ValueError(f"{element} has neither force_identifier nor torque_identifier.")
    if force is not None and place is None:
        raise ValueError(
            f"{element} has no point_identifier, so its force acts at the moving body's origin."
        )
    zeros = np.zeros((len(table.times), 3))
    force, torque = (zeros if x is None else x for x in (force, torque))
    place = zeros if place is None or not force.any() else place
    _check_units(element, (force, torque, place), stated)
    return ForcePlate.from_center_of_pressure(table.times, force, place, torque, vertical)


def _get_columns(
    element: Element, tag: str, quantity: str, table: Table, stated: dict[str, str]
) -> np.ndarray | None:
    """Return the three columns (N, 3) that an element names, in SI units; None without a name."""
    identifier = text_in(element, tag, default="")
    if identifier in ("", "Unassigned"):
        return None
    names = [identifier + axis for axis in "xyz"]
    if not set(names) <= set(table.names):
        names = [name for name in table.names if name.startswith(identifier)]
    if len(names) != 3:
        raise ValueError(
            f"{element}: {tag} is {identifier!r}, the prefix of {len(names) or 'no'} columns of "
            "the data, not of three."
        )
    factor = unit_factor(quantity, stated.get(quantity, SI[quantity]))
    assert factor is not None
    return factor * np.stack([table[name] for name in names], axis=-1)


def _check_units(element: Element, vectors: tuple[np.ndarray, ...], stated: dict[str, str]) -> None:
    """Refuse points and moments that cannot be in metres and N m, unless their unit is stated."""
    force, torque, place = (np.linalg.norm(vector, axis=-1) for vector in vectors)
    loaded = force > 0.5 * force.max()
    if not loaded.any():
        return
    distance = np.median(place[loaded])
    if "length" not in stated and distance > FARTHEST:
        raise ValueError(
            f"{element}: its point is {distance:.4g} m from the origin: millimetres are suspected. "
            "Use units={'length': 'mm'} or units={'length': 'm'} to state what it is."
        )
    arm = np.median(torque[loaded] / force[loaded])
    if "moment" not in stated and arm > (TWIST if place[loaded].any() else MOMENT):
        raise ValueError(
            f"{element}: its torque has an arm of {arm:.4g} m: N mm are suspected. "
            "Use units={'moment': 'N mm'} or units={'moment': 'N m'} to state what it is."
        )


def _is_enabled(element: Element) -> bool:
    return not is_true(element, "isDisabled", False) and is_true(element, "appliesForce", True)
