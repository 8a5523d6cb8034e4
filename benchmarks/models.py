"""The models that are measured, in sympy and in the peers' own terms."""

import importlib.metadata
import sys
from dataclasses import dataclass
from typing import Any

import numpy as np
from sympy import Float, Integer, Matrix, Rational, Symbol, pi, symbols
from sympy.physics.mechanics import (
    PinJoint,
    Point,
    ReferenceFrame,
    RigidBody,
    System,
    TorqueActuator,
    dynamicsymbols,
    inertia,
)

from jointwrench import InverseDynamics

GRAVITY = Rational(981, 100)


def spatial_chain(count: int) -> System:
    """Return a chain of bodies on skew pins with symbols for all parameters."""
    ground = RigidBody("ground")
    system = System.from_newtonian(ground)
    inner, inner_point = ground, ground.masscenter
    for k in range(count):
        frame, origin = ReferenceFrame(f"F{k}"), Point(f"P{k}")
        body = RigidBody(f"b{k}", frame=frame, mass=Symbol(f"m{k}"), masscenter=Point(f"C{k}"))
        x, y, z = symbols(f"cx{k} cy{k} cz{k}")
        body.masscenter.set_pos(origin, x * frame.x + y * frame.y + z * frame.z)
        body.central_inertia = inertia(frame, *symbols(f"xx{k} yy{k} zz{k} xy{k} yz{k} zx{k}"))
        placement = pi / 2 * (-1) ** k, (Symbol(f"a{k}"), 0, Symbol(f"d{k}"))
        joint = _pin(k, inner, body, inner_point, origin, *placement)
        system.add_joints(joint)
        inner, inner_point = body, origin
    system.apply_uniform_gravity(-GRAVITY * ground.z)
    return system


def _pin(k, inner, body, inner_point, origin, angle, offset) -> PinJoint:
    interframe = ReferenceFrame(f"I{k}")
    interframe.orient_axis(inner.frame, inner.frame.x, angle)
    return _joint(k, inner, body, inner_point, origin, interframe, offset)


def _joint(k, inner, body, inner_point, origin, interframe, offset) -> PinJoint:
    attachment = Point(f"A{k}")
    axes = zip(offset, (inner.frame.x, inner.frame.y, inner.frame.z), strict=True)
    attachment.set_pos(inner_point, sum((x * axis for x, axis in axes), 0 * inner.frame.x))
    return PinJoint(
        *(f"j{k}", inner, body),
        parent_point=attachment,
        child_point=origin,
        parent_interframe=interframe,
        child_interframe=body.frame,
        joint_axis=interframe.z,
    )


@dataclass
class Robot:
    """A robot for Pinocchio and for sympy, with the values of its symbols."""

    pinocchio: Any
    system: System
    constants: dict[Symbol, float]

    @property
    def idyn(self) -> InverseDynamics:
        """Its inverse dynamics."""
        return InverseDynamics(self.system)

    def add_motors(self) -> dict[Any, float]:
        """Put a motor at each joint, with a specified torque; return the torques' values."""
        torques = dynamicsymbols(f"tau:{len(self.system.joints)}")
        for torque, joint in zip(torques, self.system.joints, strict=True):
            frames = joint.child.frame, joint.parent.frame
            self.system.add_actuators(TorqueActuator(torque, joint.joint_axis, *frames))
        return {torque: 0.1 * k for k, torque in enumerate(torques)}


def panda() -> Robot:
    """Return the Franka Panda with the numbers of its URDF and its fingers held.

    Ends the script where pinocchio and example-robot-data are missing.
    """
    try:
        import pinocchio
    except ImportError:
        sys.exit("The robot comes from Pinocchio's packages: pip install -e '.[benchmark]'")
    files = importlib.metadata.files("example-robot-data") or []
    urdf = next((file.locate() for file in files if file.name == "panda.urdf"), None)
    if urdf is None:
        sys.exit("The robot comes from example-robot-data: pip install -e '.[benchmark]'")
    full = pinocchio.buildModelFromUrdf(str(urdf))
    full.gravity.linear = np.array([0.0, 0.0, -float(GRAVITY)])
    fingers = [k for k, name in enumerate(full.names) if "finger" in name]
    model = pinocchio.buildReducedModel(full, fingers, pinocchio.neutral(full))
    return from_pinocchio(model)


def pinocchio_chain(count: int) -> Any:
    """Return a chain like `spatial_chain`, with numbers, as Pinocchio's model."""
    import pinocchio

    model = pinocchio.Model()
    joint, offset = 0, np.array([0.3, 0.0, 0.1])
    for k in range(count):
        turn = pinocchio.utils.rotate("x", np.pi / 2 * (-1) ** k)
        placement = pinocchio.SE3(turn, offset)
        joint = model.addJoint(joint, pinocchio.JointModelRZ(), placement, f"j{k}")
        body = pinocchio.Inertia(1.5, np.array([0.1, 0.2, 0.3]), np.diag([0.4, 0.5, 0.6]))
        model.appendBodyToJoint(joint, body, pinocchio.SE3.Identity())
    return model


def from_pinocchio(model: Any) -> Robot:
    """Return the robot of a chain of pins about z."""
    ground = RigidBody("ground")
    system = System.from_newtonian(ground)
    bodies, points = [ground], [ground.masscenter]
    constants: dict[Symbol, float] = {}
    for k in range(1, model.njoints):
        inner, inner_point = bodies[model.parents[k]], points[model.parents[k]]
        frame, origin = ReferenceFrame(f"F{k}"), Point(f"P{k}")
        body = RigidBody(f"b{k}", frame=frame, mass=Symbol(f"m{k}"), masscenter=Point(f"C{k}"))
        center = symbols(f"cx{k} cy{k} cz{k}")
        entries = symbols(f"xx{k} yy{k} zz{k} xy{k} yz{k} zx{k}")
        body.masscenter.set_pos(
            origin, center[0] * frame.x + center[1] * frame.y + center[2] * frame.z
        )
        body.central_inertia = inertia(frame, *entries)
        constants |= _numbers(model.inertias[k], body.mass, center, entries)
        placement = model.jointPlacements[k]
        interframe = ReferenceFrame(f"I{k}")
        interframe.orient_dcm(inner.frame, Matrix(3, 3, _exact(placement.rotation.T)))
        offset = _exact(placement.translation)
        joint = _joint(k, inner, body, inner_point, origin, interframe, offset)
        system.add_joints(joint)
        bodies.append(body)
        points.append(origin)
    system.apply_uniform_gravity(-GRAVITY * ground.z)
    return Robot(model, system, constants)


def _numbers(body: Any, mass: Symbol, center: Any, entries: Any) -> dict[Symbol, float]:
    moments = body.inertia
    places = ((0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (2, 0))
    values = [body.mass, *body.lever, *(moments[place] for place in places)]
    return dict(zip((mass, *center, *entries), map(float, values), strict=True))


def _exact(numbers: Any) -> list:
    """Return numbers with 0, 1 and -1 as such."""
    return [
        Integer(round(x)) if abs(x - round(x)) < 1e-9 and abs(x) < 1.5 else Float(x)
        for x in np.ravel(numbers)
    ]


def mujoco_xml(model: Any) -> str:
    """Return the same chain for MuJoCo."""
    text, closing = "", ""
    for k in range(1, model.njoints):
        placement, body = model.jointPlacements[k], model.inertias[k]
        moments = body.inertia
        full = [moments[p] for p in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
        text += (
            f'<body pos="{_words(placement.translation)}" '
            f'xyaxes="{_words(placement.rotation[:, :2].T)}">'
            f'<inertial pos="{_words(body.lever)}" mass="{body.mass}" '
            f'fullinertia="{_words(full)}"/><joint axis="0 0 1"/>'
        )
        closing += "</body>"
    return (
        f'<mujoco><compiler angle="radian"/><option gravity="0 0 -{float(GRAVITY)}">'
        f'<flag contact="disable"/></option><worldbody>{text}{closing}</worldbody></mujoco>'
    )


def _words(numbers: Any) -> str:
    return " ".join(repr(float(x)) for x in np.ravel(numbers))


def states(count: int, samples: int | None = None) -> tuple[np.ndarray, ...]:
    """Return random q, u and udot."""
    shape = (count,) if samples is None else (samples, count)
    return tuple(np.random.default_rng(1).normal(size=(3, *shape)))
