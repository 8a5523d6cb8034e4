"""Actuators of MuJoCo at hinges, slides and tendons: their laws and limits, as loads."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from sympy import Expr, Integer, Max, Min
from sympy.physics.mechanics import System

from ..extend import ModelBuilder, exact
from .mjcf_compiled import AT_JOINTS, AT_TENDONS
from .mjcf_forces import ForceOptions
from .mjcf_tendons import MjcfTendon
from .mjcf_tree import MjcfTree

#: MuJoCo's numbers for laws of actuators: no dynamics; a fixed gain or no bias, one that is affine
#: in length and velocity.
NO_DYNAMICS, CONSTANT, AFFINE = 0, 0, 1


@dataclass
class ActuatorTarget:
    """A target of actuators: its position and speed, and the limit of the sum of their forces."""

    name: str
    position: Expr
    speed: Expr
    add: Callable[[System, Expr], None]
    limits: np.ndarray | None
    tendon: MjcfTendon | None = None
    gears: list[float] = field(default_factory=list)
    laws: list[Expr] = field(default_factory=list)

    @property
    def force(self) -> Expr:
        pairs = zip(self.gears, self.laws, strict=True)
        return sum((exact(gear) * law for gear, law in pairs), Integer(0))


def add_actuators(
    tree: MjcfTree, tendons: Sequence[MjcfTendon], system: System, options: ForceOptions
) -> dict[str, Expr]:
    """Add the forces of actuators to a System; return their symbols by name."""
    controls: dict[str, Expr] = {}
    compiled, kind = tree.compiled, options.actuators
    driven = {} if kind == "leave" else _driven(tree, tendons)
    for k in range(len(tree.model.actuator_trntype)):
        name, target = compiled.name("actuator", k), driven.get(_target(tree, k))
        symbol = ModelBuilder.coordinate(f"{kind}_{name}")
        law: Expr | None = None
        if target is not None and kind == "force":
            law = symbol
        elif target is not None and kind == "control":
            law = _law(tree, k, target, symbol, options.clip)
        if law is None or target is None:
            told = tree.left_out if kind == "leave" or compiled.is_off(k) else tree.losses
            told.append(f"actuator {name}")
            continue
        controls[name] = symbol
        if kind == "force" or not options.clip:
            ranges = [what for what in compiled.ranges(k) if (kind, what) != UNUSED]
            tree.left_out += [f"{what} of {name}" for what in ranges]
        target.gears.append(compiled.gear(k))
        target.laws.append(law)
    clips = options.clip and kind == "control"
    along: list[tuple[MjcfTendon, Expr]] = []
    for (_, number), target in sorted(driven.items(), key=lambda item: item[1].tendon is None):
        force, limits = target.force, target.limits
        others = _along_tendons(along, number) if target.tendon is None else Integer(0)
        if limits is None or force + others == 0:
            pass
        elif clips and target.tendon is None:
            if compiled.has_passive and tree.model.ngravcomp and tree.model.jnt_actgravcomp[number]:
                what = "compensation of gravity within the range of the actuators' force"
                tree.losses.append(f"{what} at {target.name}")
            force = _clipped(force + others, limits) - others
        elif clips and len(set(target.gears)) == 1:  # MuJoCo limits the sum before gears
            force = exact(target.gears[0]) * _clipped(sum(target.laws, Integer(0)), limits)
        else:
            told = tree.losses if clips else tree.left_out
            told.append(f"range of the actuators' force at {target.name}")
        if force == 0:
            continue
        target.add(system, force)
        if target.tendon is not None:
            along.append((target.tendon, force))
    return controls


def _along_tendons(forces: Sequence[tuple[MjcfTendon, Expr]], joint: int) -> Expr:
    """Return the force in a joint of forces along tendons."""
    terms = (force * tendon.slope(joint) for tendon, force in forces)
    return sum(terms, Integer(0))


#: If forces are given, controls and their ranges are not used.
UNUSED = "force", "control range"


def _driven(tree: MjcfTree, tendons: Sequence[MjcfTendon]) -> dict[tuple[int, int], ActuatorTarget]:
    """Return the possible targets: hinges, slides and tendons, by kind and number."""
    found, model, compiled = {}, tree.model, tree.compiled
    for number, name in enumerate(compiled.joints):
        if compiled.is_scalar(number):
            limits = model.jnt_actfrcrange[number] if model.jnt_actfrclimited[number] else None
            motion = tree.position(number), tree.speed(number)
            add = partial(tree.add_force, number)
            found[AT_JOINTS[0], number] = ActuatorTarget(name, *motion, add, limits)
    for tendon in tendons:
        number, limited = tendon.number, getattr(model, "tendon_actfrclimited", defaultdict(bool))
        limits = model.tendon_actfrcrange[number] if limited[number] else None
        motion = tendon.length, tendon.rate
        found[AT_TENDONS[0], number] = ActuatorTarget(
            tendon.name, *motion, tendon.add_force, limits, tendon
        )
    return found


def _target(tree: MjcfTree, actuator: int) -> tuple[int, int]:
    kind, number = (
        int(tree.model.actuator_trntype[actuator]),
        int(tree.model.actuator_trnid[actuator, 0]),
    )
    return AT_JOINTS[0] if kind in AT_JOINTS else kind, number


def _law(
    tree: MjcfTree, actuator: int, target: ActuatorTarget, control: Expr, clip: bool
) -> Expr | None:
    """Return the force of an actuator by its control; None for an unsupported law."""
    model, ranges = tree.model, tree.compiled.ranges(actuator)
    gear = exact(tree.compiled.gear(actuator))
    state = (Integer(1), gear * target.position, gear * target.speed)
    kinds = model.actuator_gaintype[actuator], model.actuator_biastype[actuator]
    has_dynamics = model.actuator_dyntype[actuator] != NO_DYNAMICS
    has_several = getattr(model, "actuator_ctrlnum", np.ones(actuator + 1))[actuator] != 1
    is_other = has_dynamics or has_several or not {*kinds} <= {CONSTANT, AFFINE}
    if is_other or tree.compiled.is_off(actuator):
        return None
    numbers = model.actuator_gainprm[actuator], model.actuator_biasprm[actuator]
    counts = (3 if kind == AFFINE else least for kind, least in zip(kinds, (1, 0), strict=True))
    gain, bias = (
        sum(exact(c) * x for c, x in zip(own[:count], state, strict=False))
        for own, count in zip(numbers, counts, strict=True)
    )
    if clip and "control range" in ranges:
        control = _clipped(control, ranges["control range"])
    force = gain * control + bias
    return _clipped(force, ranges["force range"]) if clip and "force range" in ranges else force


def _clipped(value: Expr, limits: Iterable[float]) -> Expr:
    lower, upper = map(exact, limits)
    return Max(lower, Min(upper, value))
