"""The models of the benchmarks, for sympy and for the other programs."""

import importlib.metadata
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sympy import Float, Integer, Matrix, Rational, Symbol, symbols
from sympy.physics.mechanics import RigidBody, System, TorqueActuator, dynamicsymbols

from jointwrench import InverseDynamics
from jointwrench.models.tree_builder import TreeBuilder

GRAVITY = Rational(981, 100)


def spatial_chain(count: int) -> System:
    """Return a chain of bodies on skew pins with symbols for all parameters."""
    builder = TreeBuilder()
    inner = builder.ground
    for k in range(count):
        offset = (Symbol(f"a{k}"), 0, Symbol(f"d{k}"))
        inner = _add_link(builder, k, inner, offset, _turn_about_x((-1) ** k))
    return builder.build((0, 0, -GRAVITY))


def _turn_about_x(sign: int) -> list[list[int]]:
    """Return the rotation matrix of a quarter turn."""
    return [[1, 0, 0], [0, 0, -sign], [0, sign, 0]]


def _symbols(k: int) -> tuple[Symbol, tuple[Symbol, ...], tuple[Symbol, ...]]:
    """Return mass, mass centre and central inertia of a body."""
    moments = symbols(f"xx{k} yy{k} zz{k} xy{k} yz{k} zx{k}")
    return Symbol(f"m{k}"), symbols(f"cx{k} cy{k} cz{k}"), moments


def _add_link(builder: TreeBuilder, k: int, inner: RigidBody, offset, rotation) -> RigidBody:
    """Return a new body on a pin about z."""
    body = builder.add_body(f"b{k}", *_symbols(k))
    placement = {"parent_point": offset, "parent_interframe": rotation}
    builder.add_joint("pin", f"j{k}", inner, body, axis=(0, 0, 1), **placement)
    return body


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
    builder = TreeBuilder()
    bodies = [builder.ground]
    constants: dict[Symbol, float] = {}
    for k in range(1, model.njoints):
        placement = model.jointPlacements[k]
        rotation = Matrix(3, 3, _exact(placement.rotation))
        inner = bodies[model.parents[k]]
        bodies.append(_add_link(builder, k, inner, _exact(placement.translation), rotation))
        constants |= _numbers(model.inertias[k], *_symbols(k))
    return Robot(model, builder.build((0, 0, -GRAVITY)), constants)


def _numbers(body: Any, mass: Symbol, center: Any, entries: Any) -> dict[Symbol, float]:
    moments = body.inertia
    places = ((0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (2, 0))
    values = [body.mass, *body.lever, *(moments[place] for place in places)]
    return dict(zip((mass, *center, *entries), map(float, values), strict=True))


def _exact(numbers: Any) -> list:
    """Return numbers, with 0, 1 and -1 as integers."""
    return [
        Integer(round(x)) if abs(x - round(x)) < 1e-9 and abs(x) < 1.5 else Float(x)
        for x in np.ravel(numbers)
    ]


def mujoco_xml(model: Any, closings: Iterable[tuple[int, int, Any, Any]] = ()) -> str:
    """Return the same tree for MuJoCo; closings have two bodies and a point on the first one."""
    loops = "".join(
        f'<connect body1="b{one}" body2="b{other}" anchor="{_words(point)}"/>'
        for one, other, point, _ in closings
    )
    return (
        f'<mujoco><compiler angle="radian"/><option gravity="0 0 -{float(GRAVITY)}">'
        f'<flag contact="disable"/></option><worldbody>{_mujoco_bodies(model, 0)}</worldbody>'
        f"<equality>{loops}</equality></mujoco>"
    )


def _mujoco_bodies(model: Any, inner: int) -> str:
    text = ""
    for k in range(1, model.njoints):
        if model.parents[k] == inner:
            placement, body = model.jointPlacements[k], model.inertias[k]
            moments = body.inertia
            joint = "<freejoint/>" if model.joints[k].nq == 7 else '<joint axis="0 0 1"/>'
            full = [moments[p] for p in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
            text += (
                f'<body name="b{k}" pos="{_words(placement.translation)}" '
                f'xyaxes="{_words(placement.rotation[:, :2].T)}">'
                f'<inertial pos="{_words(body.lever)}" mass="{body.mass}" '
                f'fullinertia="{_words(full)}"/>{joint}'
                f"{_mujoco_bodies(model, k)}</body>"
            )
    return text


def _words(numbers: Any) -> str:
    return " ".join(repr(float(x)) for x in np.ravel(numbers))


def states(count: int, samples: int | None = None) -> tuple[np.ndarray, ...]:
    """Return random q, u and udot."""
    shape = (count,) if samples is None else (samples, count)
    return tuple(np.random.default_rng(1).normal(size=(3, *shape)))
