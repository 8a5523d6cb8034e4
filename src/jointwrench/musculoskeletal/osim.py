"""`read_osim`: musculoskeletal models of OpenSim."""

from dataclasses import replace
from os import PathLike
from typing import Any

import numpy as np

from .. import CoupledJoint
from ..checks.arguments import check_choice
from ..checks.numbers import check_bool
from ..extend import ModelBuilder, exact
from ..records.model_elements import NONPHYSICAL, list_left_out
from ..records.xml_tree import read_xml, source_name
from .osim_elements import OsimElements, OsimJoint
from .osim_frames import GROUND
from .osim_model import OsimModel
from .osim_muscles import substitute_couplings


def read_osim(
    source: str | PathLike[str],
    *,
    markers: str | PathLike[str] | None = None,
    symbolic: bool = False,
    nonphysical: str = "refuse",
) -> OsimModel:
    """Read an OpenSim model as an `OsimModel`, without OpenSim.

    Coordinates have the names of the file (``knee_angle_r``), and speeds the prefix ``u_``.  Every
    joint except welds is a `CoupledJoint`.  ``.markers`` has the points of the markers; ``.locked``
    and ``.clamped`` have the coordinates that are locked and clamped in the file.

    Parameters
    ==========

    source : str or path
        The file, or its text; of OpenSim 4 (with a JointSet) or older (joints in the bodies).
    markers : str or path, optional
        A separate file with a MarkerSet, or its text; its markers are added to the markers of the
        model, or replace markers with the same names.
    symbolic : bool
        Whether masses, mass centres and inertias are symbols such as ``m_tibia_r``, as for
        `read_urdf`.
    nonphysical : {"refuse", "keep"}
        Treatment of masses and inertias that no body can have, as for `read_urdf`; some published
        planar models have such values.

    Raises
    ======

    TypeError, FileNotFoundError, ValueError
        As `read_urdf`; also for unknown functions, missing frames and coordinates, and bodies
        without a joint.

    See Also
    ========

    read_urdf, read_mjcf : Read other formats.
    read_trc, read_storage, read_external_loads : Read data for a model.

    Notes
    =====

    *Speeds* are the time derivatives of the coordinates in every joint.  In OpenSim the speeds of
    Ball and Free joints are components of the angular velocity (in the parent's frame), so its
    generalized forces of these joints differ.

    *Couplings.*  A coordinate that a CoordinateCouplerConstraint determines (such as a kneecap's)
    is not a coordinate of the System: its joint moves by a formula of other coordinates, see
    ``.dependent``.  The generalized force of the knee then includes that of the kneecap.  OpenSim's
    inverse dynamics ignores all constraints; from its forces Q, the force here is
    ``Q_knee + d(kneecap)/d(knee) Q_kneecap``.

    *Point and weld constraints* are in ``.loops``.  The dependent coordinates of the System are the
    last coordinates in the file that these constraints can determine.

    *Splines* are SIMM's (Forsythe, Malcolm and Moler), straight beyond their ends.  The velocity
    terms of a joint with several rotations by functions of one coordinate (the knee of
    Rajagopal2016) differ from OpenSim's (4.6: up to 1.4 N in walking): here they are the second
    derivatives of the positions.

    *Muscles* are in ``.muscles``, with strengths, lengths, and paths through points that are fixed,
    moving, or active only while a coordinate is in a range, and over cylinders, spheres and
    ellipsoids.  Muscles are not loads of the System: see `MuscleGeometry`, `static_optimization`
    and `Muscle.pathway`.

    *Springs* between two points (PointToPointSpring) are loads of the System.

    *Skipped parts* are muscles over other surfaces, all other forces, contact and controllers;
    ``.left_out`` lists them, and a warning names forces and constraints.  Locked coordinates are
    free in the System; only `inverse_kinematics` keeps them at the values of the file.

    Examples
    ========

    A leg whose knee slides slightly during flexion:

    >>> import jointwrench as jw
    >>> model = jw.musculoskeletal.read_osim(jw.example_data("swing_leg.osim"))
    >>> model
    OsimModel(swing_leg: 4 bodies, 4 joints, 5 speeds)
    >>> list(model.coordinates)
    ['pelvis_tx', 'pelvis_ty', 'hip_flexion_r', 'knee_angle_r', 'ankle_angle_r']
    >>> evaluate = model.inverse_dynamics().compile()
    >>> evaluate([0.1] * 5, [1.0] * 5, [0.0] * 5).joint_wrench("ankle_r").round(2)
    array([ 4.1 , 18.17,  0.  , -0.15,  0.03,  1.16])
    """
    check_choice("nonphysical", nonphysical, NONPHYSICAL)
    check_bool("symbolic", symbolic)
    marker_set = None if markers is None else read_xml(markers, "markers")
    elements, title = OsimElements(read_xml(source), marker_set), source_name(source)
    elements.raise_problems("an OpenSim model", title, nonphysical)
    return _make_model(elements, title, symbolic)


def _make_model(elements: OsimElements, title: str, symbolic: bool) -> OsimModel:
    """Return the model of a file's elements; ``title`` is the source of a model without a name."""
    model_builder = ModelBuilder(GROUND, symbolic)
    for name, inertial in elements.inertials.items():
        model_builder.add_body(name, inertial)
    for joint in elements.ordered:
        _add_joint(model_builder, joint, elements)
    system = model_builder.builder.build([exact(x) for x in elements.gravity])
    for spring in elements.springs:
        points = [(model_builder.all_bodies[x.body], x.position) for x in spring.ends]
        numbers = spring.stiffness, spring.rest
        model_builder.add_line_force(system, spring.name, "stiffness", points, *numbers)
    known = {x.name: x for joint in elements.ordered for x in joint.coordinates}
    coordinates = {name: known[name] for name in model_builder.coordinates}
    reference = np.array([x.default for x in coordinates.values()])
    bodies = model_builder.all_bodies
    loops = []
    for loop in elements.loops:
        ends = [(bodies[end.body], end[1:]) for end in (loop.first, loop.second)]
        loops.append(model_builder.add_loop(loop.name, loop.kind, ends))
    reference, notes = model_builder.close_loops(system, loops, [reference], title)
    return OsimModel(
        source=elements.model.attributes.get("name", title),
        **model_builder.parts(system),
        loops=tuple(loops),
        limits={name: x.limits for name, x in coordinates.items()},
        left_out=list_left_out(elements.losses, [*elements.left_out, *notes], title),
        origins={x.name: point for x, point in model_builder.builder.origins.items()},
        kinds={joint.name: joint.element.tag for joint in elements.ordered},
        reference=reference,
        dependent={str(q.name): formula for q, formula in elements.couplings.items()},
        markers={
            name: model_builder.add_point(f"{name}_marker", bodies[x.body], x.position)
            for name, x in elements.markers.items()
        },
        muscles={
            name: replace(substitute_couplings(x, elements.couplings), builder=model_builder)
            for name, x in elements.muscles.items()
        },
        locked={name: x.default for name, x in coordinates.items() if x.is_locked},
        clamped=tuple(name for name, x in coordinates.items() if x.is_clamped),
    )


def _add_joint(model_builder: ModelBuilder, joint: OsimJoint, elements: OsimElements) -> None:
    """Add a joint to a model, with only the coordinates that no coupling determines."""
    bodies, couplings = model_builder.all_bodies, elements.couplings
    names = [x.name for x in joint.coordinates if x.symbol not in couplings]
    options: dict[str, Any] = {}
    if joint.element.tag != "WeldJoint":
        options["translation"] = [x.xreplace(couplings) for x in joint.translation]
        options["rotations"] = [(x.xreplace(couplings), axis) for x, axis in joint.rotations]
    kind = CoupledJoint if "rotations" in options else "weld"
    ends = bodies[joint.parent.body], bodies[joint.child.body]
    places = joint.parent[1:], joint.child[1:]
    model_builder.add(kind, joint.name, *ends, *places, names, names, **options)
