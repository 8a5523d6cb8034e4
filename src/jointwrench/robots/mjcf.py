"""`read_mjcf`: models of MuJoCo."""

from collections.abc import Sequence
from os import PathLike
from typing import Any

from .. import ModelFromFile
from ..checks.arguments import check_choice
from ..checks.messages import import_extra
from ..checks.numbers import check_bools
from ..extend import exact
from ..records.model_elements import list_left_out
from ..records.xml_tree import Element, check_source, source_name
from .mjcf_actuators import add_actuators
from .mjcf_compile import compile_model
from .mjcf_compiled import CompiledMjcf
from .mjcf_forces import ACTUATORS, ForceOptions, add_forces
from .mjcf_lengths import read_lengths
from .mjcf_tree import MjcfTree
from .mjcf_unread import unread_forces, unread_model, unread_text


def read_mjcf(
    source: str | PathLike[str] | Any,
    *,
    gravity: Sequence[Any] | None = None,
    symbolic: bool = False,
    passive: bool = True,
    friction: bool = False,
    actuators: str = "leave",
    clip: bool = True,
) -> ModelFromFile:
    """Read a model of MuJoCo (extra ``mujoco``), as `ModelFromFile`.

    Coordinates and speeds are in the order of MuJoCo's ``qpos`` and ``qvel``, except those that
    loops determine, which come last.  For hinges and slides they have the names of their joints,
    for other joints these with a suffix: ``root_x`` ... ``root_qw``, ``root_vx`` ... ``root_wx``.
    A body with several joints has massless bodies between them, ``body_after_joint``; a body
    without a joint is welded to its parent by ``body_weld``; ground is ``world``.  The inertia of a
    rotor (``armature`` of the joint and its motors) is a flywheel on ground that rotates with its
    joint, ``joint_armature``. For such bodies only nonzero values are inertial parameters.

    Parameters
    ==========

    source : str, path or mujoco.MjModel
        The file, its text, or a compiled model.  Meshes may be missing if no inertia needs them.
    gravity : sequence of 3 scalars, optional
        Acceleration of gravity in the world's frame.  Default: that of the model.
    symbolic : bool
        As for `read_urdf`.
    passive : bool
        Whether springs and dampers of joints and tendons and gravity compensation are loads, if the
        model's flags enable them.  They are then not part of the generalized forces, as in
        ``mj_inverse``.  Compensation by motors (``actuatorgravcomp``) is not a load with
        ``actuators="leave"``: it is part of the generalized forces.
    friction : bool
        Whether the dry friction ``-f sign(u)`` of joints and tendons is a load, if the model's
        flags enable it.  MuJoCo's own also holds joints at rest: what it holds there is part of the
        generalized forces.
    actuators : {"leave", "force", "control"}
        Motors at hinges, slides and tendons: "leave" omits them, so that they supply the
        generalized forces; "force" makes their forces symbols of loads, for ``solve_for`` or
        ``specifieds``; "control" makes their controls symbols, with their laws ``gain * control +
        bias``.  ``.controls`` has the symbols.
    clip : bool
        Whether the laws respect the ranges of controls, forces and the joints' and tendons'
        ``actuatorfrcrange``, by differentiable Max and Min.  ``solve_for`` needs ``clip=False``.

    Raises
    ======

    ImportError
        If MuJoCo is not installed.
    TypeError, FileNotFoundError, ValueError
        As `read_urdf`; if MuJoCo cannot compile the model, with its message; if loops cannot be
        closed.

    See Also
    ========

    read_urdf, read_sdf, read_osim : Other formats.

    Notes
    =====

    *Constraints.*  ``connect`` and ``weld`` become LoopJoints in ``.loops``, which are rigid, in
    contrast to MuJoCo's.  The dependent coordinates of the System are those of balls, then the last
    ones in the file that the loops can determine; those of joints with motors only if others would
    be singular. Loops that do not close near ``qpos0`` may close near a keyframe; ``.reference`` is
    near a closed pose, and ``.poses`` has the keyframes.  A joint that ``joint`` couples with
    another one, or ``tendon`` with the others of a tendon, has no coordinate: it is in
    ``.dependent``, and the others' forces also move it.  If loops are redundant and rounded
    positions close only to 1e-6 of their lengths, redundant conditions of a closing joint are
    omitted.

    *Tendons* of joints, and of straight lines between sites with pulleys, are read; the inertia of
    one (``armature``) acts between all its joints; MuJoCo ignores the part between branches.

    *Not read* are contact, ranges of joints (``.limits`` has them) and tendons, tendons that wrap
    around geoms, higher powers of springs and dampers, friction of loops, and further elements:
    ``.left_out`` lists everything in the text that is not read, including visuals and solvers; for
    an MjModel everything that acts or has a name.  What acts, and would be read by the options,
    comes first: geoms that touch in ``qpos0``, ranges of tendons, wrapping tendons with springs and
    the like.  A warning names it.

    Examples
    ========

    >>> import jointwrench as jw
    >>> model = jw.robots.read_mjcf('''
    ... <mujoco model="pendulum">
    ...   <worldbody>
    ...     <body name="rod" pos="0 0 1">
    ...       <joint name="hinge" axis="0 1 0" damping="0.3" armature="0.1"/>
    ...       <inertial pos="0 0 -0.5" mass="2" diaginertia="0.2 0.2 0.01"/>
    ...     </body>
    ...   </worldbody>
    ... </mujoco>''')
    >>> model
    ModelFromFile(pendulum: 2 bodies, 2 joints, 1 speed)
    >>> model.inverse_dynamics().generalized_forces
    Matrix([[0.3*u_hinge(t) + 9.81*sin(hinge(t)) + 0.8*Derivative(u_hinge(t), t)]])
    """
    check_choice("actuators", actuators, ACTUATORS)
    check_bools(symbolic=symbolic, passive=passive, friction=friction, clip=clip)
    mujoco = import_extra("mujoco", "read_mjcf()", "mujoco")
    text: Element | None = None
    if is_model := isinstance(source, mujoco.MjModel):
        model = source
    else:
        check_source("source", source, "a path, the text of a file or an MjModel")
        model, text = compile_model(mujoco, source)
    compiled = CompiledMjcf(mujoco, model, "the MjModel" if is_model else source_name(source))
    tree = MjcfTree(compiled, symbolic)
    lengths = read_lengths(tree, friction)
    weight = [exact(x) for x in compiled.gravity] if gravity is None else gravity
    system = tree.model_builder.builder.build(weight)
    options = ForceOptions(passive, friction, actuators, bool(clip))
    add_forces(tree, lengths, system, weight, options)
    controls = add_actuators(tree, lengths, system, options)
    losses = [*unread_forces(compiled), *tree.losses]
    others = [*unread_model(compiled), *tree.left_out, *(unread_text(text) if text else [])]
    keys = {compiled.name("key", k): qpos for k, qpos in enumerate(tree.model.key_qpos)}
    starts = [tree.pose(qpos, system.q) for qpos in (tree.model.qpos0, *keys.values())]
    reference, ignored = tree.model_builder.close_loops(
        system, tree.loops, starts, compiled.place, tree.kept
    )
    return ModelFromFile(
        source=compiled.model.names.split(b"\0")[0].decode() or compiled.place,
        **tree.model_builder.parts(system),
        loops=tuple(tree.loops),
        limits=compiled.limits,
        controls=controls,
        left_out=list_left_out(losses, [*others, *ignored], compiled.place),
        origins={body.name: tree.model_builder.builder.origins[body] for body in tree.bodies},
        kinds=compiled.kinds,
        dependent=tree.model_builder.dependent,
        reference=reference,
        poses={name: tree.pose(qpos, system.q) for name, qpos in keys.items()},
    )
