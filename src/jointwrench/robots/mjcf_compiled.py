"""The joints of a compiled model of MuJoCo, and its unread parts."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from .. import Limits

#: MuJoCo's words for joints, in the order of its mjtJoint.
TYPES = ("free", "ball", "slide", "hinge")

#: Supported equalities in the order of MuJoCo's mjtEq.
EQUALITIES = ("connect", "weld", "joint", "tendon")

#: Arrays that must be finite, by their objects.
FINITE = {
    "geom": "geom_quat",
    "body": "body_pos body_quat body_ipos body_iquat body_mass body_inertia body_gravcomp",
    "joint": "jnt_pos jnt_axis jnt_stiffness",
    "dof": "dof_armature dof_damping dof_frictionloss",
    "equality": "eq_data",
    "site": "site_pos site_quat",
    "tendon": "tendon_stiffness tendon_damping tendon_frictionloss tendon_armature wrap_prm",
    "actuator": "actuator_gear actuator_gainprm actuator_biasprm",
    "key": "key_qpos",
    "qpos": "qpos0 qpos_spring",
}

#: The kinds of objects on which actuators act, by MuJoCo's mjtTrn: joints (0: along the axis in
#: the child, 1: in the parent) and tendons.
TARGETS = {0: "joint", 1: "joint", 3: "tendon"}


class CompiledMjcf:
    """A compiled model of MuJoCo, with its joints by number; NaN and infinity raise a ValueError.

    Attributes
    ==========

    mujoco : module
        The package mujoco.
    model : mujoco.MjModel
        The compiled model.
    place : str
        The name of the file, for messages.
    joints : list of str
        The names of the joints.
    has_springs, has_dampers, has_friction : bool
        Whether the model enables these forces.
    has_passive : bool
        Whether the model enables other passive forces.  MuJoCo disables these if both springs and
        dampers are disabled.
    """

    def __init__(self, mujoco: Any, model: Any, place: str) -> None:
        self.mujoco, self.model, self.place = mujoco, model, place
        self.joints = [self.name("joint", k) for k in range(model.njnt)]
        self.has_springs = not self.is_disabled("SPRING", "PASSIVE")
        self.has_dampers = not self.is_disabled("DAMPER", "PASSIVE")
        self.has_passive = self.has_springs or self.has_dampers
        self.has_friction = not self.is_disabled("FRICTIONLOSS", "CONSTRAINT")
        self.check_finite()

    def name(self, kind: str, number: int) -> str:
        """Return the name of something, or its kind and number."""
        kinds = self.mujoco.mjtObj
        of_kind = getattr(kinds, f"mjOBJ_{kind.upper()}", kinds.mjOBJ_UNKNOWN)
        return self.mujoco.mj_id2name(self.model, of_kind, number) or f"{kind}{number}"

    def check_finite(self) -> None:
        """Raise a ValueError for the first number of the model that is not finite."""
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
        """Return whether the model disables something, which has had several names."""
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

    def target(self, actuator: int) -> tuple[str, int]:
        """Return the kind and the number of the joint or tendon on which an actuator acts."""
        kind, number = self.model.actuator_trntype[actuator], self.model.actuator_trnid[actuator, 0]
        return TARGETS.get(int(kind), "other"), int(number)

    @property
    def driven(self) -> set[int]:
        """The numbers of the joints on which actuators act, directly or through tendons."""
        targets = map(self.target, range(len(self.model.actuator_trntype)))
        return {x for target in targets for kind, x, _ in self.path(*target) if kind == "joint"}

    # -- tendons ------------------------------------------------------------------------

    def path(self, kind: str, number: int) -> Iterator[tuple[str, int, float]]:
        """Yield the parts of a joint's coordinate or a tendon's length.

        Each is the kind of an object of MuJoCo (a joint, site or geom), its number, and the factor
        of its coordinate in the length.
        """
        if kind == "joint":
            yield kind, number, 1.0
        elif kind == "tendon":
            model, first = self.model, int(self.model.tendon_adr[number])
            for k in range(first, first + int(model.tendon_num[number])):
                what = self.mujoco.mjtWrap(int(model.wrap_type[k])).name.removeprefix("mjWRAP_")
                yield what.lower(), int(model.wrap_objid[k]), float(model.wrap_prm[k])

    def fixed_tendon(self, tendon: int) -> list[tuple[int, float]]:
        """Return the joints whose coordinates determine the length of a tendon, with factors."""
        return [(number, by) for kind, number, by in self.path("tendon", tendon) if kind == "joint"]

    @property
    def beyond(self) -> set[int]:
        """The equalities of spatial tendons, which cannot be solved for a coordinate."""
        ends = np.stack([self.model.eq_obj1id, self.model.eq_obj2id], axis=-1).tolist()
        found = np.flatnonzero(self.model.eq_type == EQUALITIES.index("tendon")).tolist()
        return {k for k in found if not all(self.fixed_tendon(x) for x in ends[k] if x >= 0)}

    def gear(self, actuator: int) -> float:
        """Return the gear ratio of an actuator: of its first output, if it has several."""
        places = getattr(self.model, "actuator_outadr", range(actuator + 1))  # from MuJoCo 4 on
        return float(self.model.actuator_gear[places[actuator], 0])

    def ranges(self, actuator: int) -> dict[str, tuple[float, float]]:
        """Return the ranges to which MuJoCo clips an actuator's force and control."""
        model, found = self.model, {}
        if model.actuator_forcelimited[actuator]:
            found["force range"] = tuple(model.actuator_forcerange[actuator])
        control = getattr(model, "actuator_ctrladr", range(actuator + 1))[actuator]  # MuJoCo 4
        if model.actuator_ctrllimited[control] and not self.is_disabled("CLAMPCTRL"):
            found["control range"] = tuple(model.actuator_ctrlrange[control])
        return found

    def is_off(self, actuator: int) -> bool:
        """Return whether the model disables an actuator, or delays its control."""
        model = self.model
        group, delays = model.actuator_group[actuator], getattr(model, "actuator_delay", None)
        is_disabled = 0 <= group < 31 and model.opt.disableactuator & (1 << int(group))
        is_late = delays is not None and delays[actuator] > 0
        return bool(is_disabled or is_late or self.is_disabled("ACTUATION"))

    def compensation_of_gravity(self, body: int) -> str:
        """Return the kind of a body's gravity compensation: "", "motors", "forces" or "both".

        It is "motors" if the motors of all joints from the body to ground supply it, "forces" if
        no motors do, and "both" if only some do.
        """
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

    def touching(self) -> list[str]:
        """Return the pairs of geoms of different bodies that press on each other in ``qpos0``."""
        if self.is_disabled("CONTACT", "CONSTRAINT"):
            return []
        data = self.mujoco.MjData(self.model)
        self.mujoco.mj_fwdPosition(self.model, data)
        near = (x for x in data.contact if x.dist < x.includemargin and x.efc_address >= 0)
        pairs = {tuple(x.geom) for x in near}
        return [" with ".join(self.name("geom", int(k)) for k in pair) for pair in sorted(pairs)]

    def equalities(self) -> Iterator[tuple[int, str, str]]:
        model = self.model
        if self.is_disabled("EQUALITY", "CONSTRAINT"):
            return
        for k in range(model.neq):
            kind, name = int(model.eq_type[k]), self.name("equality", k)
            if kind < len(EQUALITIES) and model.eq_active0[k] and k not in self.beyond:
                yield k, name, EQUALITIES[kind]
