"""OpenSim's inverse kinematics and inverse dynamics by set-up files."""

from typing import Any, NamedTuple

import numpy as np
from sympy import Expr

from .. import FittedMotion, Result, Table, Trajectory, inverse_kinematics
from ..checks.arguments import check_known, enumerate_some
from ..checks.problems import warn
from ..recordings.external_loads import read_external_loads
from ..recordings.reactions import check_ground_reaction
from ..recordings.readers import read_storage, read_trc
from ..records.xml_tree import scalar_in
from .muscle_driven import MuscleDriven
from .muscle_geometry import frames_in
from .muscle_paths import Frames
from .osim_model import OsimModel
from .setup_tool import SetupTool
from .tracking_tasks import TrackingTasks, read_tracking_tasks

NUMBERS_OF_IK = "accuracy report_errors adaptiveAccuracy"


def run_inverse_kinematics(tool: SetupTool, model: OsimModel) -> FittedMotion:
    """Return the coordinates that fit the markers of a file."""
    honoured = "model_file marker_file coordinate_file time_range IKTaskSet output_motion_file"
    infinite = "inf", "infinity"
    only = {"constraint_weight": infinite, "report_marker_locations": ("false",)}
    if not model.loops and not model.dependent:
        del only["constraint_weight"]  # of nothing
        honoured += " constraint_weight"
    tool.check_options(honoured, f"{NUMBERS_OF_IK} results_directory input_directory", only)
    markers = read_trc(tool.needed("marker_file")).in_metres()
    tasks = known_tasks(tool, read_tracking_tasks(tool.file), model, markers)
    own = markers.between(*tool.times(markers.times))
    found = inverse_kinematics(model, own, weights=tasks.weights, targets=tasks.targets)
    tool.write(
        tool.text("output_motion_file"), table_of_poses(model, found.times, found.q), "Coordinates"
    )
    return found


def known_tasks(
    tool: SetupTool, tasks: TrackingTasks, model: OsimModel, markers: Any
) -> TrackingTasks:
    """Return tasks whose markers are in model and file, with OpenSim's weights."""
    lacking = [name for name in tasks.weights if name not in model.markers or name not in markers]
    if lacking:
        some = enumerate_some(lacking)
        warn(f"`path`: {tool.file.name} has tasks of the markers {some}, which do not exist.")
    weights = {name: x for name, x in tasks.weights.items() if name not in lacking}
    whole = sum(weights.values())  # by which OpenSim divides the markers' terms only
    targets = {name: (value, whole * x) for name, (value, x) in tasks.targets.items()}
    return TrackingTasks(weights, targets)


def run_inverse_dynamics(tool: SetupTool, model: OsimModel) -> Result:
    """Return the generalized forces and joint wrenches of a motion from a file."""
    honoured = "model_file time_range forces_to_exclude external_loads_file coordinates_file"
    honoured += " lowpass_cutoff_frequency_for_coordinates output_gen_force_file results_directory"
    free = "input_directory output_body_forces_file"
    tool.check_options(honoured, free, {"joints_to_report_body_forces": ()})
    excluded = tool.text("forces_to_exclude").lower().split()
    if model.muscles and not {"all", "muscles", "actuators"} & {*excluded}:
        warn(f"`path`: {tool.file.name} does not exclude Muscles, whose forces are ignored.")
    motion = motion_of(tool, model, "time_range")
    result = acting(tool, model, motion, "all" in excluded).result()
    kinds = ["moment" if x else "force" for x in turning(model)]
    names = [f"{q}_{kind}" for q, kind in zip(model.coordinates, kinds, strict=True)]
    table = Table(motion.times, names, result.generalized_forces)
    tool.write(tool.text("output_gen_force_file"), table, "Inverse Dynamics Generalized Forces")
    return result


def loaded(model: OsimModel) -> MuscleDriven:
    """Return a copy of the model with loads on all bodies: derived and compiled once."""
    if "loaded" not in model.kept:
        resizing: Any = model.resizing
        copy = resizing.with_markers({})
        model.kept["loaded"] = MuscleDriven(copy, bodies=[*copy.bodies])
    found: MuscleDriven = model.kept["loaded"]
    return found


def motion_of(tool: SetupTool, model: OsimModel, *tags: str) -> Trajectory:
    """Return the motion of a file, filtered as in OpenSim, at the requested times."""
    table = read_storage(tool.needed("coordinates_file"))
    cutoff = scalar_in(tool.element, "lowpass_cutoff_frequency_for_coordinates", "-1")
    smooth: dict[str, Any] = {"cutoff": cutoff, "filter": "opensim"} if cutoff > 0 else {}
    is_degrees = table.header.get("inDegrees", "no").strip().lower() == "yes"
    idyn = loaded(model).inverse_dynamics
    whole = Trajectory.from_samples(table.times, table, idyn=idyn, degrees=is_degrees, **smooth)
    if len(tags) == 1:
        return whole.between(*tool.times(table.times, tags[0]))
    ends = [scalar_in(tool.element, tag, usual) for tag, usual in zip(tags, "01", strict=True)]
    return whole.between(max(ends[0], whole.times[0]), min(ends[1], whole.times[-1]))


class Acting(NamedTuple):
    """A motion, the frames of its bodies, and their loads without muscles."""

    # ``wrenches`` (N, bodies, 6): about the origin of ground.

    driven: MuscleDriven
    motion: Trajectory
    frames: dict[str, Frames]
    wrenches: np.ndarray
    constants: dict[Any, float]

    def specifieds(self, more: np.ndarray | None = None) -> dict[Expr, np.ndarray]:
        """Return the values of the loads on the bodies, optionally with muscle wrenches."""
        wrenches = self.wrenches if more is None else self.wrenches + more
        origins = np.stack([self.frames[name].origins for name in self.driven.geometry.bodies])
        return self.driven.actions_of(wrenches, origins)

    def result(self, more: np.ndarray | None = None) -> Result:
        """Return generalized forces and joint wrenches with these loads."""
        inputs = self.driven.evaluate.inputs["constants"]
        own = {symbol: x for symbol, x in self.constants.items() if symbol in inputs}
        return self.driven.evaluate(self.motion, constants=own, specifieds=self.specifieds(more))


def acting(tool: SetupTool, model: OsimModel, motion: Trajectory, excluded: bool) -> Acting:
    """Return the wrenches of external loads on the bodies, unless they are excluded."""
    driven = loaded(model)
    bodies = driven.geometry.bodies
    frames = frames_in(driven.geometry, motion.q, model.constants)
    wrenches = np.zeros((len(motion.times), len(bodies), 6))
    file = None if excluded else tool.path("external_loads_file")
    resizing: Any = model.resizing
    inertials = resizing.elements.inertials
    weight = sum(inertial.mass for inertial in inertials.values())
    for load in () if file is None else read_external_loads(file):
        check_known("path", [load.body], bodies, "have external loads on the bodies")
        plate = load.plate.at(motion.times)
        wrenches[:, bodies.index(load.body)] += plate.wrench
        own = frames[load.body]
        tip = own.outward(2 * inertials[load.body].center)
        foot = np.stack([own.origins, tip], axis=1)
        check_ground_reaction(plate, foot, weight, -resizing.elements.gravity)
    return Acting(driven, motion, frames, wrenches, dict(model.constants))


def turning(model: OsimModel) -> list[bool]:
    """Return whether each coordinate is an angle: whether it rotates anything."""
    resizing: Any = model.resizing
    turns = [angle for joint in resizing.elements.ordered for angle, _ in joint.rotations]
    return [any(angle.has(q) for angle in turns) for q in model.coordinates.values()]


def table_of_poses(model: OsimModel, times: np.ndarray, q: np.ndarray) -> Table:
    """Return coordinates as in OpenSim's motion files, with angles in degrees."""
    degrees = np.where(turning(model), np.degrees(q), q)
    return Table(times, [*model.coordinates], degrees, {"inDegrees": "yes"})
