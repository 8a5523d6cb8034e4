"""Unread parts of a model of MuJoCo: of its text, and of the compiled model."""

import re
from collections.abc import Iterator

import numpy as np

from ..records.model_elements import list_unread
from ..records.xml_tree import Element
from .mjcf_compiled import EQUALITIES, CompiledMjcf

_TURN = "pos quat axisangle xyaxes zaxis euler"
_ACTUATORS = (
    "general motor position velocity intvelocity orientation pid damper cylinder muscle adhesion "
    "dcmotor plugin"
)
_ACTUATOR = """name class joint jointinparent tendon site refsite slidersite cranksite cranklength
    body actdim actearly actlimited actrange armature bias biasprm biastype ctrllimited ctrlrange
    damping dampratio delay dynprm dyntype ffrange forcelimited forcerange gain gainprm gaintype
    gear group inheritrange input kp ki kv imax slewmax posrange velrange timeconst tausmooth area
    diameter force fpmax fvmax lmax lmin range scale vmax cogging controller inductance lugre
    motorconst nominal resistance saturation thermal plugin instance"""

#: What is read, or reported elsewhere: the attributes and, after the bar, the elements in an
#: element. MuJoCo's compiler has already used the elements for the compiler.
READ = {
    "mujoco": "model | compiler option size default asset worldbody contact equality tendon "
    "actuator keyframe",
    "compiler": "* |",
    "option": "gravity density viscosity wind actuatorgroupdisable | flag",
    "flag": "actuation clampctrl constraint contact damper equality frictionloss gravity "
    "invdiscrete spring |",
    "size": "* |",
    "default": f"class | default joint geom site mesh equality tendon {_ACTUATORS}",
    "asset": "| mesh model",
    "mesh": "* |",
    "model": "name file content_type |",
    "worldbody": "| body geom site",
    "body": f"name childclass gravcomp mocap fuse {_TURN} | body inertial joint freejoint geom site"
    " attach",
    "inertial": f"mass diaginertia fullinertia {_TURN} |",
    "joint": """name class type pos axis range limited ref stiffness damping armature frictionloss
        springref springdamper springyield actuatorfrcrange actuatorfrclimited actuatorgravcomp
        joint1 joint2 polycoef active joint coef |""",
    "freejoint": "name align |",
    "geom": f"""name class type size fromto mass density shellinertia mesh hfield fitscale group
        contype conaffinity geom sidesite {_TURN} |""",
    "attach": "model body frame prefix |",
    "site": f"name class fromto site {_TURN} |",
    "equality": "active | connect weld joint tendon",
    "connect": "name class active anchor body1 body2 site1 site2 |",
    "weld": "name class active anchor body1 body2 site1 site2 relpose torquescale |",
    "tendon": """name class active tendon1 tendon2 polycoef stiffness damping frictionloss armature
        springlength springyield range limited actuatorfrcrange actuatorfrclimited | fixed
        spatial""",
    "fixed": """name class stiffness damping frictionloss armature springlength springyield range
        limited actuatorfrcrange actuatorfrclimited | joint""",
    "pulley": "divisor |",
    "actuator": f"| {_ACTUATORS}",
    **dict.fromkeys(_ACTUATORS.split(), f"{_ACTUATOR} |"),
    "keyframe": "| key",
    "key": "name qpos |",
}
READ["spatial"] = READ["fixed"].replace("joint", "site geom pulley")

#: Unread objects with names in a compiled model, and their elements in a text.
REPORTED = tuple(
    f"<{x}>" for x in ["sensor", "deformable", "pair", "exclude", "camera", "light", "custom"]
)
KINDS = ("sensor", "skin", "pair", "exclude", "camera", "light", "numeric", "text", "tuple")


def unread_text(root: Element) -> list[str]:
    """Return the unread parts of a text, without lines, which MuJoCo has changed."""
    lines = (re.sub(r" \(line \d+\)", "", line) for line in list_unread(root, READ))
    return [line for line in lines if not line.startswith(REPORTED)]


def unread_forces(compiled: CompiledMjcf) -> Iterator[str]:
    """Yield the unread parts of a compiled model that exert forces, as texts."""
    model = compiled.model
    if touching := compiled.touching():
        yield f"contact of {' and of '.join(touching)} in the reference pose"
    if count := getattr(model, "nflex", 0):
        yield f"flex {', '.join(compiled.name('flex', k) for k in range(count))}"
    for k in np.flatnonzero(model.eq_active0).tolist():
        if model.eq_type[k] >= len(EQUALITIES) or k in compiled.beyond:
            yield f"equality {compiled.name('equality', k)}"
    if compiled.has_passive and (model.opt.density or model.opt.viscosity):
        yield "forces of the fluid"
    if model.opt.enableflags & int(compiled.mujoco.mjtEnableBit.mjENBL_INVDISCRETE):
        yield "discrete accelerations (flag invdiscrete)"


def unread_model(compiled: CompiledMjcf) -> Iterator[str]:
    """Yield further unread objects of a compiled model that may act or have names."""
    model = compiled.model
    touching = np.flatnonzero(model.geom_contype | model.geom_conaffinity).tolist()
    if touching and not compiled.is_disabled("CONTACT", "CONSTRAINT"):
        yield f"contact of {', '.join(compiled.name('geom', k) for k in touching)}"
    for kind in KINDS:
        short = {"camera": "cam"}.get(kind, kind)
        if count := getattr(model, f"n{short}", 0):
            yield f"{kind} {', '.join(compiled.name(kind, k) for k in range(count))}"
    for k in np.flatnonzero(~model.eq_active0.astype(bool)).tolist():
        yield f"equality {compiled.name('equality', k)}"
    for k in np.flatnonzero(model.body_mocapid >= 0).tolist():
        yield f"motion (mocap) of {compiled.name('body', k)}"
