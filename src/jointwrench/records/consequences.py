"""Effects on forces of elements and attributes that no reader reads, by name in all formats."""

import re

from .xml_tree import Element

#: What elements do to forces; attributes end with "=".
CONSEQUENCES = {
    "ConstraintSet": "a constraint",
    "ForceSet": "a force",
    "armature=": "a rotor's inertia",
    "balanceinertia=": "other moments of inertia",
    "dampingFactor": "drag of a link",
    "density=": "forces of a fluid",
    "drake:ball_constraint": "two points that coincide",
    "drake:deformable_properties": "a deformable body",
    "drake:linear_bushing_rpy": "springs and dampers between two frames",
    "drake:linear_spring_damper": "a spring and a damper between two points",
    "drake:mimic": "a joint that mimics another joint",
    "drake:rotor_inertia": "a rotor's inertia",
    "drake:tendon_constraint": "a constraint of joints",
    "enable_wind": "wind on a link",
    "fluid_added_mass": "the mass of the fluid that moves with a link",
    "gearbox": "a gear between joints",
    "gravity": "a link without weight",
    "gravity=": "another acceleration of gravity",
    "kinematic": "a link that forces do not move",
    "plugin": "forces of a plugin",
    "rotorInertia": "a rotor's inertia",
    "settotalmass=": "other masses",
    "spring_stiffness=": "a spring in a joint",
    "springStiffness": "a spring in a joint",
    "static": "a model that does not move",
    "turnGravityOff": "a link without weight",
    "velocity_decay": "drag of a link",
    "viscosity=": "forces of a fluid",
}

#: Elements that act in contacts or not at all, with all that is in them.
WITHOUT_FORCES = {"visual", "collision", "contact", "sensor"}

#: Plugins that exert forces, by words in their attributes.
ACTING_PLUGIN = re.compile(
    "hydrodynam|buoyan|lift|drag|wind|thrust|propel|rotor|spring|friction|magnet|mimic|cable",
    re.IGNORECASE,
)

NO = {"0", "0.0", "false"}


def find_consequences(element: Element) -> dict[str, str]:
    """Return the parts of an unread element that change forces, with their consequences."""
    found, waiting = {}, [element]
    while waiting:
        part = waiting.pop(0)
        if part.tag in CONSEQUENCES and _acts(part):
            found[f"<{part.tag}>"] = CONSEQUENCES[part.tag]
        for name in part.attributes:
            if f"{name}=" in CONSEQUENCES:
                found[f"{name}= in <{part.tag}>"] = CONSEQUENCES[f"{name}="]
        waiting += [] if part.tag in WITHOUT_FORCES else part.children
    return found


def _acts(element: Element) -> bool:
    """Return whether a switch is on (gravity: off), and whether a plugin exerts forces."""
    if element.tag == "plugin":
        return any(map(ACTING_PLUGIN.search, element.attributes.values()))
    is_off = element.attributes.get("value", element.text).strip().lower() in NO
    return is_off == (element.tag == "gravity")
