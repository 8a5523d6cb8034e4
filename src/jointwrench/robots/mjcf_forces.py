"""Springs, dampers and dry friction of MuJoCo's joints and tendons, as loads."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from sympy import Abs, Expr, Integer, Max, Min, sign
from sympy.physics.mechanics import Force, System, Torque

from ..extend import exact, vector_of
from .mjcf_compiled import AT_JOINTS, AT_TENDONS, CompiledMjcf
from .mjcf_tendons import MjcfTendon
from .mjcf_tree import MjcfTree

#: The options for actuators.
ACTUATORS = ("leave", "force", "control")


class ForceOptions(NamedTuple):
    passive: bool
    friction: bool
    actuators: str
    clip: bool


def add_forces(
    tree: MjcfTree,
    tendons: Sequence[MjcfTendon],
    system: System,
    gravity: Any,
    options: ForceOptions,
) -> None:
    """Add the forces in joints and along tendons, except actuators, to a System."""
    compiled, model = tree.compiled, tree.model
    for number, name in enumerate(compiled.joints):
        if not compiled.is_scalar(number):
            _add_ball_damping(tree, system, number, options)
        else:
            dof, motors = model.jnt_dofadr[number], compiled.actuators_at(AT_JOINTS, number)
            relaxed = model.qpos_spring[model.jnt_qposadr[number]]
            acting = _Acting(
                tree.position(number) - exact(relaxed),
                tree.speed(number),
                Coefficients(model.jnt_stiffness[number], _rest(model, "jnt_stiffness", number)),
                _damper(tree, compiled.total("damping", number), motors, "dof", dof),
                model.dof_frictionloss[dof],
            )
            if force := acting.force(compiled, options):
                tree.add_force(number, system, force)
        _leave_out(tree, name, _unread(compiled, number, options), options)
    for tendon in tendons:
        number, (lower, upper) = tendon.number, model.tendon_lengthspring[tendon.number]
        apart = tendon.length - exact(lower)
        if lower < upper:
            zero = Integer(0)
            apart = Max(tendon.length - exact(upper), zero) + Min(apart, zero)
        stiffness, motors = (
            model.tendon_stiffness[number],
            compiled.actuators_at(AT_TENDONS, number),
        )
        acting = _Acting(
            apart,
            tendon.rate,
            Coefficients(stiffness, _rest(model, "tendon_stiffness", number)),
            _damper(tree, compiled.total_of_tendon("damping", number), motors, "tendon", number),
            model.tendon_frictionloss[number],
        )
        if force := acting.force(compiled, options):
            tendon.add_force(system, force)
        yields = stiffness and _any(model, "tendon_springyield", number)
        rest = [*acting.unread(compiled, options), *["yield of the spring"] * bool(yields)]
        _leave_out(tree, tendon.name, rest, options)
    _add_compensation_of_gravity(tree, system, gravity, options)


class Coefficients(NamedTuple):
    """The coefficients of a length or speed and of its higher powers."""

    first: float
    rest: Sequence[float] = ()

    def of(self, value: Expr, size: Expr) -> Expr:
        """Return the polynomial, whose powers differ by a factor ``size``."""
        terms = (exact(c) * value * size**n for n, c in enumerate((self.first, *self.rest)) if c)
        return sum(terms, Integer(0))


class _Acting(NamedTuple):
    """A spring, a damper and dry friction along a coordinate or a length."""

    apart: Expr
    speed: Expr
    spring: Coefficients
    damper: Coefficients
    friction: float

    def force(self, compiled: CompiledMjcf, options: ForceOptions) -> Expr:
        """Return the requested and enabled force in the direction of the speed."""
        force: Expr = Integer(0)
        if options.passive and compiled.has_springs:
            force -= self.spring.of(self.apart, self.apart)
        if options.passive and compiled.has_dampers:
            force -= self.damper.of(self.speed, Abs(self.speed))
        if options.friction and compiled.has_friction and self.friction:
            force -= exact(self.friction) * sign(self.speed)
        return force

    def unread(self, compiled: CompiledMjcf, options: ForceOptions) -> list[str]:
        """Return the enabled forces that are not requested."""
        damps = any((self.damper.first, *self.damper.rest))
        stiff = any((self.spring.first, *self.spring.rest))
        acting = {
            "stiffness": compiled.has_springs and stiff and not options.passive,
            "damping": compiled.has_dampers and damps and not options.passive,
            "friction": compiled.has_friction and self.friction and not options.friction,
        }
        return [what for what, is_acting in acting.items() if is_acting]


def _damper(
    tree: MjcfTree, first: float, actuators: Iterable[int], kind: str, number: int
) -> Coefficients:
    """Return a damper with the part of actuators; ``first`` already contains it."""
    rest = np.array(_rest(tree.model, f"{kind}_damping", number), dtype=float)
    for k in actuators if rest.size else ():
        rest += tree.compiled.gear(k) ** 2 * np.array(_rest(tree.model, "actuator_damping", k))
    return Coefficients(first, rest.tolist())


def _rest(model: Any, name: str, number: int) -> Sequence[float]:
    """Return the coefficients of higher powers, none in older versions of MuJoCo."""
    return getattr(model, f"{name}poly")[number] if hasattr(model, f"{name}poly") else ()


def _add_ball_damping(tree: MjcfTree, system: System, number: int, options: ForceOptions) -> None:
    """Add the damping of a ball, or of a free joint with its velocity in the world."""
    joint, factor = tree.joints[number], -exact(tree.compiled.total("damping", number))
    if not (options.passive and tree.compiled.has_dampers and factor):
        return
    torque = factor * vector_of(joint.speeds[-3:, 0], joint.child_interframe)
    system.add_loads(Torque(joint.child.frame, torque))
    if len(joint.speeds) == 3:
        system.add_loads(Torque(joint.parent.frame, -torque))
    else:
        velocity = vector_of(joint.speeds[:3, 0], joint.parent_interframe)
        system.add_loads(Force(joint.child_point, factor * velocity))


def _unread(compiled: CompiledMjcf, number: int, options: ForceOptions) -> list[str]:
    """Return the forces in a joint that are not loads."""
    model, is_scalar = compiled.model, compiled.is_scalar(number)
    springs, dampers, frictions = compiled.has_springs, compiled.has_dampers, compiled.has_friction
    dof, motors = model.jnt_dofadr[number], list(compiled.actuators_at(AT_JOINTS, number))
    stiffness, friction = springs and model.jnt_stiffness[number], model.dof_frictionloss[dof]
    bends = _any(model, "dof_dampingpoly", dof) or _any(model, "actuator_dampingpoly", motors)
    acting = {
        "stiffness": (stiffness or _any(model, "jnt_stiffnesspoly", number))
        and not (options.passive and is_scalar),
        "yield of the spring": stiffness and _any(model, "jnt_springyield", number),
        "damping": dampers and (compiled.total("damping", number) or bends) and not options.passive,
        "friction": frictions and friction and not (options.friction and is_scalar),
        "polynomial damping": dampers and bends and not is_scalar,
    }
    return [what for what, is_acting in acting.items() if is_acting]


def _leave_out(tree: MjcfTree, name: str, forces: Iterable[str], options: ForceOptions) -> None:
    """List forces that are not read: as losses if the options ask for them."""
    for what in forces:
        option = "friction" if what == "friction" else "passive"
        if getattr(options, option):
            tree.losses.append(f"{what} of {name}")
        else:
            tree.left_out.append(f"{what} of {name}, which acts: {option}=False")


def _any(model: Any, name: str, places: int | list[int]) -> bool:
    """Return whether an array, which older versions of MuJoCo lack, has nonzero entries."""
    return bool(np.any(getattr(model, name)[places])) if hasattr(model, name) else False


def _add_compensation_of_gravity(
    tree: MjcfTree, system: System, gravity: Any, options: ForceOptions
) -> None:
    """Add forces at mass centres, except those that motors supply."""
    acceleration = vector_of(gravity, system.frame)
    for number, body in enumerate(tree.bodies):
        by = tree.compiled.compensation_of_gravity(number)
        if not by or (by == "motors" and options.actuators == "leave"):
            continue
        if not options.passive or (by == "both" and options.actuators == "leave"):
            told = tree.losses if options.passive else tree.left_out
            told.append(f"compensation of the gravity of {body.name}")
        else:
            factor = exact(tree.model.body_gravcomp[number])
            tree.model_builder.add_weight(system, body, -factor * acceleration)
