"""What a compiled model of MuJoCo says of its joints, and what of it is not read."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from .. import Limits

#: MuJoCo's words for joints, in the order of its mjtJoint.
TYPES = ("free", "ball", "slide", "hinge")

#: Equalities in the order of MuJoCo's mjtEq, as far as they are read.
EQUALITIES = ("connect", "weld", "joint")

#: What has names in a compiled model and is not read.
UNREAD = ("tendon", "sensor", "flex", "skin", "pair", "plugin")

#: What must be finite, by what it belongs to.
FINITE = {
    "body": "body_pos body_quat body_ipos body_iquat body_mass body_inertia body_gravcomp",
    "joint": "jnt_pos jnt_axis jnt_stiffness",
    "dof": "dof_armature dof_damping dof_frictionloss",
    "equality": "eq_data",
    "site": "site_pos site_quat",
    "actuator": "actuator_gear actuator_gainprm actuator_biasprm",
    "key": "key_qpos",
    "qpos": "qpos0 qpos_spring",
}

#: How actuators hold on to joints, in the order of MuJoCo's mjtTrn: directly, in the parent; and
#: how to tendons.
AT_JOINTS, AT_TENDON = (0, 1), 3


class CompiledMjcf:
    """A compiled model, its joints by number; ``place``: the file."""

    def __init__(self, mujoco: Any, model: Any, place: str) -> None:
        self.mujoco, self.model, self.place = mujoco, model, place
        self.joints = [self.name("joint", k) for k in range(model.njnt)]
        self.has_springs = not self.is_disabled("SPRING", "PASSIVE")
        self.has_dampers = not self.is_disabled("DAMPER", "PASSIVE")
        #: Whether other passive forces act: with both switches off MuJoCo has none.
        self.has_passive = self.has_springs or self.has_dampers
        self.has_friction = not self.is_disabled("FRICTIONLOSS", "CONSTRAINT")
        self.check_finite()

    def name(self, kind: str, number: int) -> str:
        """Return the name of something, or its kind and number."""
        kinds = self.mujoco.mjtObj
        of_kind = getattr(kinds, f"mjOBJ_{kind.upper()}", kinds.mjOBJ_UNKNOWN)
        return self.mujoco.mj_id2name(self.model, of_kind, number) or f"{kind}{number}"

    def check_finite(self) -> None:
        for kind, arrays in FINITE.items():
            for array in arrays.split():
                values = getattr(self.model, array)
                if (wrong := np.argwhere(~np.isfinite(values))).size:
                    name, value = self.name(kind, int(wrong[0, 0])), values[tuple(wrong[0])]
                    raise ValueError(
                        f"`source` must have finite numbers, got {value} in {array} of {name} of "
                        f"{self.place}."
                    )

    # -- switches ---------------------------------------------------------------------

    def is_disabled(self, *names: str) -> bool:
        """Return whether the model switches something off, which has had several names."""
        bits = self.mujoco.mjtDisableBit
        flags = (int(getattr(bits, f"mjDSBL_{name}", 0)) for name in names)
        return any(self.model.opt.disableflags & flag for flag in flags)

    @property
    def gravity(self) -> np.ndarray:
        return self.model.opt.gravity * (not self.is_disabled("GRAVITY"))

    # -- joints -----------------------------------------------------------------------

    def is_scalar(self, joint: int) -> bool:
        return TYPES[self.model.jnt_type[joint]] in ("slide", "hinge")

    @property
    def kinds(self) -> dict[str, str]:
        types = self.model.jnt_type
        return {name: TYPES[kind] for name, kind in zip(self.joints, types, strict=True)}

    @property
    def limits(self) -> dict[str, Limits]:
        found, model = {}, self.model
        for k, name in enumerate(self.joints):
            if self.is_scalar(k):
                lower, upper = model.jnt_range[k] if model.jnt_limited[k] else (None, None)
                force = max(abs(model.jnt_actfrcrange[k])) if model.jnt_actfrclimited[k] else None
                found[name] = Limits(lower, upper, None, force)
        return found

    def total(self, what: str, joint: int) -> float:
        """Return the armature or damping of a joint, with that of actuators through their gears."""
        own = getattr(self.model, f"dof_{what}")[self.model.jnt_dofadr[joint]]
        values = getattr(self.model, f"actuator_{what}", None)  # from MuJoCo 3.6 on
        if values is None:
            return float(own)
        return float(own + sum(values[k] * self.gear(k) ** 2 for k in self.actuators_of(joint)))

    def actuators_of(self, joint: int) -> Iterator[int]:
        for k, kind in enumerate(self.model.actuator_trntype):
            if kind in AT_JOINTS and self.model.actuator_trnid[k, 0] == joint:
                yield k

    @property
    def driven(self) -> set[int]:
        model, found = self.model, set[int]()
        for kind, target in zip(model.actuator_trntype, model.actuator_trnid[:, 0], strict=True):
            if kind in AT_JOINTS:
                found.add(int(target))
            elif kind == AT_TENDON:
                first = model.tendon_adr[target]
                wraps = slice(first, first + model.tendon_num[target])
                is_joint = model.wrap_type[wraps] == int(self.mujoco.mjtWrap.mjWRAP_JOINT)
                found |= set(model.wrap_objid[wraps][is_joint].tolist())
        return found

    def gear(self, actuator: int) -> float:
        """Return the ratio of an actuator's gear: of its first output, where it has several."""
        places = getattr(self.model, "actuator_outadr", range(actuator + 1))  # from MuJoCo 4 on
        return float(self.model.actuator_gear[places[actuator], 0])

    def ranges(self, actuator: int, kind: str) -> Iterator[str]:
        """Yield the ranges by which MuJoCo would clip an actuator's force, or its control."""
        if self.model.actuator_forcelimited[actuator]:
            yield "force range"
        clips = self.model.actuator_ctrllimited[actuator] and not self.is_disabled("CLAMPCTRL")
        if kind == "control" and clips:
            yield "control range"

    def is_off(self, actuator: int) -> bool:
        """Return whether the model switches an actuator off, or delays its control."""
        model = self.model
        group, delays = model.actuator_group[actuator], getattr(model, "actuator_delay", None)
        is_disabled = 0 <= group < 31 and model.opt.disableactuator & (1 << int(group))
        is_late = delays is not None and delays[actuator] > 0
        return bool(is_disabled or is_late or self.is_disabled("ACTUATION"))

    def compensation_of_gravity(self, body: int) -> str:
        """Return by what the gravity of a body is compensated: "", "motors", "forces", "both"."""
        model, by_motors = self.model, set()
        if not model.body_gravcomp[body] or not self.has_passive:
            return ""
        while body:
            first = model.body_jntadr[body]
            joints = slice(first, first + model.body_jntnum[body])
            by_motors |= set(model.jnt_actgravcomp[joints].astype(bool).tolist())
            body = model.body_parentid[body]
        return ("both" if False in by_motors else "motors") if True in by_motors else "forces"

    # -- constraints --------------------------------------------------------------------

    def equalities(self) -> Iterator[tuple[int, str, str]]:
        model = self.model
        if self.is_disabled("EQUALITY", "CONSTRAINT"):
            return
        for k in range(model.neq):
            kind, name = int(model.eq_type[k]), self.name("equality", k)
            if kind < len(EQUALITIES) and model.eq_active0[k]:
                yield k, name, EQUALITIES[kind]

    # -- what is not read ---------------------------------------------------------------

    def unread(self) -> Iterator[str]:
        model = self.model
        touching = np.flatnonzero(model.geom_contype | model.geom_conaffinity).tolist()
        if touching and not self.is_disabled("CONTACT", "CONSTRAINT"):
            yield f"contact of {', '.join(self.name('geom', k) for k in touching)}"
        for kind in UNREAD:
            if count := getattr(model, f"n{kind}", 0):
                yield f"{kind} {', '.join(self.name(kind, k) for k in range(count))}"
        for k in range(model.neq):
            name, is_read = self.name("equality", k), model.eq_type[k] < len(EQUALITIES)
            if not is_read or not model.eq_active0[k]:
                yield f"equality {name}"
        for k in np.flatnonzero(model.body_mocapid >= 0).tolist():
            yield f"motion (mocap) of {self.name('body', k)}"
        if self.has_passive and (model.opt.density or model.opt.viscosity):
            yield "forces of the fluid"
        if model.opt.enableflags & int(self.mujoco.mjtEnableBit.mjENBL_INVDISCRETE):
            yield "discrete accelerations (flag invdiscrete)"
