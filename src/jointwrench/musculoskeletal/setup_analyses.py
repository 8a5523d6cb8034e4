"""OpenSim's AnalyzeTool: static optimization and joint reactions by set-up files."""

from collections.abc import Callable, Iterator, Mapping
from copy import copy
from typing import Any

import numpy as np

from .. import Result, Table, Trajectory
from ..checks.arguments import check_known, enumerate_some
from ..checks.problems import warn
from ..recordings.readers import read_storage
from ..records.xml_tree import Element, is_true, read_xml, scalar_in, text_in
from .ideal_actuators import ACTUATORS, read_actuator, with_defaults
from .load_sharing import MuscleForces, static_optimization
from .muscle_driven import MuscleDriven
from .muscle_geometry import with_actuators
from .osim_elements import OsimJoint
from .osim_frames import GROUND
from .osim_model import OsimModel
from .setup_motions import Acting, acting, loaded, motion_of, turning
from .setup_tool import SetupTool

#: Elements of all analyses, and numbers of an integrator and an optimiser that are not used.
COMMON = "on start_time end_time step_interval in_degrees"
INTEGRATION = (
    "maximum_number_of_integrator_steps maximum_integrator_step_size "
    "minimum_integrator_step_size integrator_error_tolerance output_precision "
    "solve_for_equilibrium_for_auxiliary_states results_directory"
)
OPTIMISER = "optimizer_convergence_criterion optimizer_max_iterations"

#: Tolerance, as a fraction of the largest force or moment, for forces that do not fit a motion.
UNBALANCED = 0.01


def run_analyses(tool: SetupTool, model: OsimModel) -> dict[str, Any]:
    """Return the result of each analysis, by its name."""
    honoured = "model_file replace_force_set force_set_files initial_time final_time AnalysisSet"
    honoured += " external_loads_file coordinates_file lowpass_cutoff_frequency_for_coordinates"
    empty: dict[str, tuple[str, ...]] = {"states_file": (), "speeds_file": (), "ControllerSet": ()}
    tool.check_options(honoured, INTEGRATION, empty)
    analyses = [x for x in tool.element.held("AnalysisSet", "objects") if is_true(x, "on", True)]
    known = [x for x in analyses if x.tag in ANALYSES]
    if len(known) < len(analyses) or not known:
        others = enumerate_some([x.tag for x in analyses if x not in known])
        text = f"`path`: {tool.file.name} must have analyses {' or '.join(ANALYSES)}, got {others}"
        if not known:
            raise ValueError(f"{text}.")
        warn(f"{text}, which is left out.")
    driven = driven_by(tool, model)
    motion = motion_of(tool, model, "initial_time", "final_time")
    found = {}
    for element in known:
        own = acting(tool, model, _instants(motion, element), excluded=False)
        name = element.attributes.get("name") or element.tag
        run = ANALYSES[element.tag]
        found[name] = run(tool.within(element), model, own._replace(driven=driven), name)
    return found


def driven_by(tool: SetupTool, model: OsimModel) -> MuscleDriven:
    """Return the model with its muscles and actuators, and those of further files."""
    driven, resizing = loaded(model), model.resizing
    assert resizing is not None
    replaces = is_true(tool.element, "replace_force_set", False)
    elements = [] if replaces else [*resizing.elements.actuators]
    for name in tool.text("force_set_files").split():
        root = read_xml(tool.given.get("force_set_files") or tool.place(name, "force_set_files"))
        forces = [x for own in root.walk() if own.tag == "ForceSet" for x in own.held("objects")]
        others = [x for x in forces if x.tag not in ACTUATORS]
        if others:
            raise ValueError(
                f"`path`: {name} must have {', '.join(ACTUATORS)}, got {others[0]}, which is not "
                "done here."
            )
        elements += with_defaults(forces, root)
    actuators = [x for x in map(read_actuator, elements) if x is not None]
    for actuator in actuators:
        check_known("path", actuator.bodies, driven.geometry.bodies, "have actuators on the bodies")
        names = [actuator.coordinate] if actuator.coordinate else []
        check_known("path", names, model.coordinates, "have actuators of the coordinates")
    new = copy(driven)
    new.geometry = with_actuators(driven.geometry, actuators, not replaces)
    return new


def _instants(motion: Trajectory, element: Element) -> Trajectory:
    """Return the instants of an analysis."""
    first, last = (
        float(text_in(element, tag, default=usual).lower().replace("infinity", "inf"))
        for tag, usual in (("start_time", "-inf"), ("end_time", "inf"))
    )
    own = motion.between(max(first, motion.times[0]), min(last, motion.times[-1]))
    step = int(scalar_in(element, "step_interval", "1"))
    rows = slice(None, None, max(step, 1))
    return Trajectory(own.times[rows], own.q[rows], own.u[rows], own.udot[rows])


def _static_optimization(tool: SetupTool, model: OsimModel, own: Acting, name: str) -> MuscleForces:
    tool.check_options(
        f"{COMMON} use_muscle_physiology",
        OPTIMISER,
        {"use_model_force_set": ("true",), "activation_exponent": ("2", "2.0", "2.00000000")},
    )
    found = static_optimization(
        own.driven,
        own.motion,
        constants=own.constants,
        specifieds=own.specifieds(),
        speeds=[name for name in model.coordinates if name not in model.locked],
        physiology=is_true(tool.element, "use_muscle_physiology", True),
    )
    if not found.feasible.all():
        rows = np.flatnonzero(~found.feasible)
        worst = np.abs(found.unsupplied[rows]).max(axis=0)
        lacking = [q for q, x in zip(model.coordinates, worst, strict=True) if x > 1e-6]
        warn(
            f"`path`: muscles and actuators of {tool.file.name} cannot supply "
            f"{enumerate_some(lacking)} at {len(rows)} of {len(own.motion.times)} instants. Use "
            "more, or stronger, actuators in force_set_files."
        )
    for what, values in (("activation", found.activations), ("force", found.forces)):
        table = Table(own.motion.times, found.muscles, values)
        tool.write(f"{own_name(tool)}_{name}_{what}.sto", table, "Static Optimization")
    return found


def own_name(tool: SetupTool) -> str:
    """Return the prefix of OpenSim's result files: the name of the tool."""
    root = read_xml(tool.file, "path")
    return next((x.attributes["name"] for x in root.walk() if x.tag == "AnalyzeTool"), "analyze")


def _joint_reaction(tool: SetupTool, model: OsimModel, own: Acting, name: str) -> Table:
    tool.check_options(f"{COMMON} forces_file joint_names apply_on_bodies express_in_frame")
    driven, times = own.driven, own.motion.times
    names = list(driven.geometry.muscles)
    forces = read_storage(tool.needed("forces_file"))
    check_known("path", names, forces.names, "name a forces_file with the columns")
    if times[0] < forces.times[0] - 1e-9 or times[-1] > forces.times[-1] + 1e-9:
        warn(
            f"`path`: forces of {tool.file.name} are known from {forces.times[0]:g} to "
            f"{forces.times[-1]:g}, the first and the last ones are taken beyond."
        )
    tensions = np.stack([np.interp(times, forces.times, forces[x]) for x in names], axis=-1)
    paths = driven.geometry(own.motion.q, own.constants)
    result = own.result(paths.body_wrenches(tensions))
    wanted = np.asarray(own.result().generalized_forces)
    _warn_of_unbalanced(tool, model, wanted, (paths.moment_arms @ tensions[..., None])[..., 0])
    columns, values = [], []
    for asked in _wanted(tool, model):
        title, parts = _reaction(own, result, *asked)
        columns += [f"{title}_{kind}{axis}" for kind in "fmp" for axis in "xyz"]
        values.append(parts)
    table = Table(times, columns, np.concatenate(values, axis=-1))
    tool.write(f"{own_name(tool)}_{name}_ReactionLoads.sto", table, "Joint Reaction Loads")
    return table


def _warn_of_unbalanced(
    tool: SetupTool, model: OsimModel, wanted: np.ndarray, supplied: np.ndarray
) -> None:
    """Warn where the forces of a file do not fit the motion; OpenSim then changes the motion."""
    left, names = np.abs(wanted - supplied).max(axis=0), np.array([*model.coordinates])
    for kind in (True, False):
        rows = np.flatnonzero((np.array(turning(model)) == kind) & ~np.isin(names, [*model.locked]))
        scale = UNBALANCED * max(np.abs(wanted[:, rows]).max(initial=0), 1.0)
        if over := [k for k in rows if left[k] > scale]:
            warn(
                f"`path`: forces_file of {tool.file.name} leaves up to {left[over].max():.3g} of "
                f"the generalized forces of {enumerate_some(names[over])} unsupplied: joints carry "
                "it here, in OpenSim the model moves otherwise. Use forces of a static "
                "optimization with actuators."
            )


def _wanted(tool: SetupTool, model: OsimModel) -> Iterator[tuple[OsimJoint, str, str]]:
    """Yield the requested joints, the side on which a reaction acts, and its frame."""
    resizing: Any = model.resizing
    joints = {joint.name: joint for joint in resizing.elements.ordered}
    words = [text_in(tool.element, tag, default=usual).split() for tag, usual in ASKED.items()]
    names = [*joints] if words[0][0].lower() == "all" else words[0]
    check_known("path", names, joints, "name joints among")
    for tag, own in zip([*ASKED][1:], words[1:], strict=True):
        if len(own) not in (1, len(names)):
            raise ValueError(
                f"`path`: <{tag}> of {tool.file.name} must have one word, or {len(names)}, got "
                f"{len(own)}."
            )
    sides, frames = (own * len(names) if len(own) == 1 else own for own in words[1:])
    for name, side, frame in zip(names, sides, frames, strict=True):
        ends = {"parent": joints[name].parent.body, "child": joints[name].child.body}
        check_known("path", [side.lower()], ends, "apply reactions on one of")
        body = ends.get(frame.lower(), frame.split("/")[-1])
        check_known("path", [body], [GROUND, *model.bodies], "express reactions in bodies among")
        yield joints[name], side.lower(), body


def _reaction(
    own: Acting, result: Result, joint: OsimJoint, side: str, body: str
) -> tuple[str, np.ndarray]:
    """Return the title, and force, moment and point of a reaction, (N, 9)."""
    system: Any = own.driven.inverse_dynamics.system
    wrench = result.joint_wrench(joint.name, frame=system.frame)
    force, moment = np.split(wrench, 2, axis=-1)
    place, other = (own.frames[x.body].outward(x.position) for x in (joint.child, joint.parent))
    on = joint.child.body
    if side == "parent":
        moment = -moment - np.cross(place - other, force)
        force, place, on = -force, other, joint.parent.body
    seen = own.frames[body]
    turned = [np.einsum("nji,nj->ni", seen.rotations, x) for x in (force, moment)]
    return f"{joint.name}_on_{on}_in_{body}", np.hstack([*turned, seen.inward(place)])


#: The options of a JointReaction, with their defaults.
ASKED = {"joint_names": "ALL", "apply_on_bodies": "child", "express_in_frame": "ground"}

#: The supported analyses, by their elements.
ANALYSES: Mapping[str, Callable[[SetupTool, OsimModel, Acting, str], Any]] = {
    "StaticOptimization": _static_optimization,
    "JointReaction": _joint_reaction,
}
