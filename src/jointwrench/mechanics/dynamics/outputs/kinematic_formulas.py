"""Formulas of kinematics for reading."""

from sympy import ImmutableDenseMatrix
from sympy.physics.vector import Vector

from ...arithmetic.vectors import Vec
from ...mechanism.loads import LinkIndex
from ...spatial.components import vector_of
from .kinematic_outputs import OF_POINTS, KinematicOutputs


def position_formula(outputs: KinematicOutputs, is_expressed: bool) -> Vector:
    """Return the position of the only point, a sum of vectors in the frames of the bodies between.

    With ``is_expressed`` all components are in the requested frame.
    """
    seen, (link,) = outputs.motion, outputs.observed.points.values()
    if is_expressed:
        return _vector(outputs, seen.place(link), outputs.observed.frame)
    position = Vector(0)
    for _, there, index in seen.steps(outputs.observed.observer, link):
        inner = seen.tree.symbolic.links[index].inner
        arm = _vector(outputs, seen.tree.arm(index), inner)
        position = position + arm if there == index else position - arm
    return position


def motion_formula(outputs: KinematicOutputs, name: str, is_expressed: bool) -> Vector:
    """Return an output of the only point or frame, by default in the frame of its body.

    With ``is_expressed`` the components are in the requested frame.
    """
    observed = outputs.observed
    (link,) = (observed.points if name in OF_POINTS else observed.frames).values()
    vector = outputs.local(name, link)
    if is_expressed:
        return _vector(outputs, outputs.motion.expressed(vector, link), observed.frame)
    return _vector(outputs, vector, link)


def matrix_formula(outputs: KinematicOutputs, name: str) -> ImmutableDenseMatrix:
    """Return an output of the only point or frame as a matrix with three rows."""
    output = outputs.output(name)
    entries = outputs.derivation.graph.to_sympy(output.refs)
    return ImmutableDenseMatrix(3, len(entries) // 3, entries)


def model_formulas(outputs: KinematicOutputs, name: str) -> list[Vector]:
    """Return the vectors of an output of the whole model, in the requested frame."""
    entries = outputs.derivation.graph.to_sympy(outputs.output(name).refs)
    frame = outputs.observed.tree.frame_of(outputs.observed.frame)
    parts = (entries[k : k + 3] for k in range(0, len(entries), 3))
    return [vector_of(part, frame) for part in parts]


def _vector(outputs: KinematicOutputs, vector: Vec, link: LinkIndex) -> Vector:
    """Return components in the frame of a link as a sympy Vector."""
    components = outputs.derivation.graph.to_sympy([x.ref for x in vector.components])
    frame = outputs.observed.tree.frame_of(link)
    return vector_of(components, frame)
