"""Actuators of MuJoCo at hinges, slides and tendons: their laws and limits, as loads."""

from collections.abc import Iterable, Sequence

import numpy as np
from sympy import Expr, Integer, Max, Min
from sympy.physics.mechanics import System

from ..extend import ModelBuilder, exact
from .mjcf_forces import ForceOptions
from .mjcf_lengths import MjcfLength
from .mjcf_tree import MjcfTree

#: MuJoCo's numbers for laws of actuators: no dynamics; a fixed gain or no bias, one that is affine
#: in length and velocity.
NO_DYNAMICS, CONSTANT, AFFINE = 0, 0, 1

#: If forces are given, controls and their ranges are not used.
UNUSED = "force", "control range"


def add_actuators(
    tree: MjcfTree, lengths: Sequence[MjcfLength], system: System, options: ForceOptions
) -> dict[str, Expr]:
    """Add the forces of actuators to a System; return their symbols by name."""
    controls: dict[str, Expr] = {}
    compiled, kind = tree.compiled, options.actuators
    read = {(x.kind, x.number): x for x in lengths if x.is_read and kind != "leave"}
    laws: dict[MjcfLength, list[tuple[Expr, Expr]]] = {length: [] for length in read.values()}
    for k in range(len(tree.model.actuator_trntype)):
        name, length = compiled.name("actuator", k), read.get(compiled.target(k))
        symbol = ModelBuilder.coordinate(f"{kind}_{name}")
        law = symbol
        if length is not None and kind == "control":
            law = _law(tree, k, length, symbol, options.clip)
        if length is None or law is None:
            unread = tree.left_out if kind == "leave" or compiled.is_off(k) else tree.losses
            unread.append(f"actuator {name}")
            continue
        controls[name] = symbol
        if kind == "force" or not options.clip:
            ranges = [what for what in compiled.ranges(k) if (kind, what) != UNUSED]
            tree.left_out += [f"{what} of {name}" for what in ranges]
        laws[length].append((exact(compiled.gear(k)), law))
    along: list[tuple[MjcfLength, Expr]] = []
    for length in sorted(laws, key=lambda x: x.kind == "joint"):
        force = _limited(tree, length, laws[length], along, options)
        if force != 0:
            length.add_force(system, force)
        if length.kind == "tendon":
            along.append((length, force))
    return controls


def _limited(
    tree: MjcfTree,
    length: MjcfLength,
    laws: Sequence[tuple[Expr, Expr]],
    along: Sequence[tuple[MjcfLength, Expr]],
    options: ForceOptions,
) -> Expr:
    """Return the sum of forces within its limits, in a joint with those along tendons."""
    is_joint, limits, zero = length.kind == "joint", length.limits, Integer(0)
    force = sum((gear * law for gear, law in laws), zero)
    others = sum((x * tendon.slope(length.number) for tendon, x in along if is_joint), zero)
    clips = options.clip and options.actuators == "control"
    if limits is None or force + others == 0:
        return force
    if clips and is_joint:
        if tree.compiled.has_passive and tree.model.ngravcomp and length.own("actgravcomp"):
            what = "compensation of gravity within the range of the actuators' force"
            tree.losses.append(f"{what} at {length.name}")
        return _clipped(force + others, limits) - others
    if clips and len({gear for gear, _ in laws}) == 1:  # MuJoCo limits the sum before gears
        return laws[0][0] * _clipped(sum((law for _, law in laws), zero), limits)
    unread = tree.losses if clips else tree.left_out
    unread.append(f"range of the actuators' force at {length.name}")
    return force


def _law(
    tree: MjcfTree, actuator: int, length: MjcfLength, control: Expr, clip: bool
) -> Expr | None:
    """Return the force of an actuator by its control; None for an unsupported law."""
    model, ranges = tree.model, tree.compiled.ranges(actuator)
    gear = exact(tree.compiled.gear(actuator))
    state = (Integer(1), gear * length.length, gear * length.rate)
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
