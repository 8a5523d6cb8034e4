"""The elements of an SDF: links and joints as numbers, and all problems."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from .. import Limits
from ..records.model_elements import ORIGIN, Inertial, symmetric
from ..records.xml_tree import Element, is_true, numbers_in, read_xml, scalar_in, text_in
from .packages import OPENED, Packages, find_file
from .robot_elements import DRAKE, SPRING, Mimic, RobotElements, RobotJoint, RobotLink
from .sdf_frames import MODEL, SCOPE, WORLD, SdfFrame, SdfFrames, read_pose, scoped

#: The types of joints, as those of `TreeBuilder`; a joint of two axes is two pins in series.
KINDS = {
    "fixed": "weld",
    "revolute": "pin",
    "continuous": "pin",
    "prismatic": "prismatic",
    "ball": "quaternion",
    "screw": "screw",
    "universal": "two",
    "revolute2": "two",
}

#: Types of joints that can close a loop.
CLOSING = {"weld": "weld", "pin": "pin", "prismatic": "prismatic", "quaternion": "spherical"}

#: The supported versions: in earlier ones axes had other frames.
VERSIONS = (1, 5), (2, 0)

#: Larger limits mean none.
UNLIMITED = 1e16

_AXIS = "| xyz dynamics limit mimic use_parent_model_frame"
#: What is read: the attributes and, after the bar, the elements in an element.
READ = {
    "sdf": "version | model world",
    "world": "name | gravity model include frame joint",
    "model": "name canonical_link placement_frame | pose static link joint frame model include "
    f"drake:joint {SPRING}",
    "include": "merge | uri name pose static placement_frame",
    "link": "name | pose inertial gravity",
    "inertial": "auto | pose mass inertia",
    "inertia": "| ixx iyy izz ixy ixz iyz",
    "frame": "name attached_to | pose",
    "pose": "relative_to frame rotation_format degrees |",
    "joint": "name type | parent child pose axis axis2 thread_pitch screw_thread_pitch "
    "drake:rotor_inertia drake:gear_ratio",
    "axis": _AXIS,
    "axis2": _AXIS,
    "xyz": "expressed_in |",
    "dynamics": "| damping friction spring_reference spring_stiffness",
    "limit": "| lower upper effort velocity",
    "mimic": "joint axis | multiplier offset reference",
    **DRAKE,
}

#: The entries of an inertia matrix, with the defaults for missing entries.
MOMENTS = {"ixx": "1", "iyy": "1", "izz": "1", "ixy": "0", "ixz": "0", "iyz": "0"}

#: How often one file may be included.
MOST_INCLUDED = 100


@dataclass(eq=False)
class SdfElements(RobotElements):
    """The links and joints of an SDF and of the files that it includes, with their problems.

    Attributes
    ==========

    sdf : Element
        The root element.
    folder : str
        The folder of the file.
    packages : Packages
        The user's folders of packages.
    opened : sequence of str
        The folders in which files may be included.
    frames : SdfFrames
        The frames by name.
    gravity : sequence of float
        The acceleration of gravity in the world; empty if the file has no world.
    fixed : list of str
        The links of static models, which are welded to ground.
    """

    sdf: Element
    folder: str
    packages: Packages = None
    opened: Sequence[str] = ()
    frames: SdfFrames = field(default_factory=SdfFrames)
    gravity: Sequence[float] = ()
    fixed: list[str] = field(default_factory=list)
    #: Joints with their scopes, and the included files.
    _joints: list[tuple[Element, str]] = field(default_factory=list)
    _files: list[Path] = field(default_factory=list)

    def __post_init__(self) -> None:
        version = self.sdf.attributes.get("version", "")
        numbers = tuple(int(x) for x in version.split(".") if x.isdecimal())
        if self.sdf.tag != "sdf" or not VERSIONS[0] <= numbers < VERSIONS[1]:
            self.problems.add(
                f"{self.sdf} is the root with version {version!r}, which must be <sdf> with "
                "version='1.5' or later. Convert it: gz sdf -p model.sdf."
            )
            return
        self.add_unread(self.sdf, READ)
        self.refuse_joints_of_drake(self.sdf)
        self.ground = WORLD
        if world := self.sdf.find("world"):
            numbers = self.problems.check(numbers_in, world, "gravity", 3, "0 0 -9.8")
            self.gravity = () if numbers is None else numbers
            self._add_scope(world, "", self.folder, False)
        models = self.sdf.all("model")
        for model in models:
            self._add_model(model, "", self.folder, not world and len(models) == 1)
        if not self.links:
            self.problems.add(f"{self.sdf} has no <link>.")
        for element, prefix in self._joints:
            self.problems.check(self._add_joint, element, prefix)
        for name in self.frames:
            self.problems.check(self.frames.link, name)
        if not self.problems:
            for name in self.frames:
                self.problems.check(self.frames.place, name)
        if not self.problems:
            self._find_tree()
            known = (name for name in self.links if name in self.frames)
            self.places = {name: self.frames.relative(name, WORLD) for name in known}
            self.check_mimics()
        if not self.problems:
            self.check_masses()

    # -- scopes -----------------------------------------------------------------------

    def _add_scope(self, element: Element, prefix: str, folder: str, is_static: bool) -> None:
        """Add the elements of a world or a model, with a prefix of their names."""
        for name, frame in self.iterate_named(element.all("frame")):
            self.problems.check(self._add_frame, frame, prefix, name)
        for name, link in self.iterate_named(element.all("link")):
            self.problems.check(self._add_link, link, prefix, name, is_static)
        for model in element.all("model"):
            self._add_model(model, prefix, folder, False, is_static)
        for include in element.all("include"):
            self.problems.check(self._include, include, prefix, folder, is_static)
        joints = element.all("joint")
        if is_static:
            self.left_out += [f"{joint} of a static model" for joint in joints]
            joints = []
        for name, joint in self.iterate_named(joints):
            child = self.problems.check(text_in, joint, "child") or WORLD
            child = scoped(prefix, child)
            self.problems.check(self._add_frame, joint, prefix, name, child)
            self._joints.append((joint, prefix))
        for spring in element.all(SPRING):
            self.problems.check(self.add_spring, spring, prefix)

    def _add_model(
        self, model: Element, above: str, folder: str, is_bare: bool, is_static: bool = False
    ) -> None:
        """Add a model; a single model of a file does not appear in names."""
        name = model.attributes.get("name", "")
        prefix = above if is_bare else f"{above}{name}{SCOPE}"
        base, place = self.problems.check(read_pose, model) or ("", ORIGIN)
        inner = model.attributes.get("placement_frame", "")
        first = (*model.all("link"), *model.all("model"), *model.all("include"))
        canonical = model.attributes.get("canonical_link") or next(map(_name_of, first), "")
        outer = scoped(above, base) if base else self._outer(above)
        links = canonical and prefix + canonical, inner and prefix + inner
        self.frames[prefix + MODEL] = SdfFrame(model, outer, place, *links)
        if not is_bare:
            self.frames[above + name] = SdfFrame(model, prefix + MODEL, ORIGIN, prefix + MODEL)
        own = self.problems.check(is_true, model, "static", False)
        self._add_scope(model, prefix, folder, is_static or bool(own))

    def _outer(self, prefix: str) -> str:
        return prefix + MODEL if prefix + MODEL in self.frames else WORLD

    def _include(self, include: Element, prefix: str, folder: str, is_static: bool) -> None:
        """Add a model of another file; elements of <include> replace its own."""
        if include.attributes.get("merge") in ("true", "1"):
            raise ValueError(f"{include} must not merge. Merge by hand, or by gz sdf -p model.sdf.")
        root, place = self._file(text_in(include, "uri"), folder)
        model = root.find("model")
        if root.tag != "sdf" or model is None:
            raise ValueError(f"{include} must lead to an <sdf> with a <model>, got {root}.")
        self.add_unread(root, READ)
        self.refuse_joints_of_drake(root)
        placing = [child for child in include.children if child.tag in ("pose", "static")]
        kept = [x for x in model.children if x.tag not in {child.tag for child in placing}]
        given = {"name": text_in(include, "name", default=_name_of(model))}
        if inner := text_in(include, "placement_frame", default=""):
            given["placement_frame"] = inner
        own = replace(model, attributes=model.attributes | given, children=[*placing, *kept])
        self._add_model(own, prefix, place, False, is_static)
        if (outer := prefix + MODEL) in self.frames and not self.frames[outer].body:
            self.frames[outer] = self.frames[outer]._replace(body=prefix + given["name"])

    def _file(self, uri: str, folder: str) -> tuple[Element, str]:
        """Return the root of an included file, and its folder."""
        path = Path(find_file(uri if "://" in uri else str(Path(folder) / uri), self.packages))
        path = (path / "model.sdf" if path.is_dir() else path).resolve()
        if not any(path.is_relative_to(x) for x in self.opened):
            raise ValueError(f"<include> must not lead to {path}. SDF {OPENED}")
        if self._files.count(path) > MOST_INCLUDED:
            raise ValueError(f"{path.name} includes itself, or is included too often.")
        self._files.append(path)
        return read_xml(path), str(path.parent)

    def _add_frame(self, element: Element, prefix: str, name: str, body: str = "") -> None:
        """Add the frame of a <frame>, or of a joint, which is attached to its child."""
        base, place = read_pose(element)
        attached = element.attributes.get("attached_to", "")
        body = body or (scoped(prefix, attached) if attached else self._outer(prefix))
        own = scoped(prefix, base) if base else body
        self.frames[prefix + name] = SdfFrame(element, own, place, body)

    def _add_link(self, element: Element, prefix: str, name: str, is_static: bool) -> None:
        """Add a link and its frame."""
        base, place = read_pose(element)
        own = scoped(prefix, base) if base else self._outer(prefix)
        name = prefix + name
        self.frames[name] = SdfFrame(element, own, place)
        self.links[name] = RobotLink(element, self._inertial(element, is_static))
        if not is_true(element, "gravity", True) and not is_static:
            self.weightless.append(name)
        if is_static:
            self.fixed.append(name)

    def _inertial(self, element: Element, is_static: bool) -> Inertial:
        """Return the mass distribution; as in SDF, mass and moments are 1 by default."""
        inertial = element.find("inertial")
        if is_static:
            return Inertial()
        if inertial is None:
            return Inertial(1.0, inertia=np.eye(3))
        if inertial.attributes.get("auto") in ("true", "1"):
            raise ValueError(
                f"{inertial} of {element} must have numbers, not auto='true', which asks for those "
                "of the collisions. Write <mass> and <inertia>."
            )
        base, place = read_pose(inertial)
        if base:
            raise ValueError(
                f"the <pose> of {inertial} of {element} must not be relative to {base!r}."
            )
        moments = inertial.find("inertia") or Element("inertia", {}, inertial.line)
        entries = (scalar_in(moments, *pair) for pair in MOMENTS.items())
        own = Inertial(scalar_in(inertial, "mass", "1"), inertia=symmetric(*entries))
        self.check_inertial(f"{inertial} of {element}", own)
        return own.seen_from(*place)

    # -- joints -------------------------------------------------------------------------

    def _add_joint(self, element: Element, prefix: str) -> None:
        """Add a joint; a joint with two axes becomes two pins with a massless link between them."""
        kind = element.attributes.get("type", "")
        name = prefix + _name_of(element)
        if kind == "gearbox":
            self.losses.append(str(element))
            return
        if kind not in KINDS:
            raise ValueError(f"{element} must be of type {', '.join(KINDS)}, got {kind!r}.")
        sides = (scoped(prefix, text_in(element, side)) for side in ("parent", "child"))
        ends = inner, outer = [self.frames.link(side) for side in sides]
        is_known = all(end in self.links or end == WORLD for end in ends)
        if inner == outer or outer == WORLD or not is_known:
            raise ValueError(f"{element} must lead from a link, or world, to another link.")
        if WORLD in ends:
            self.links.setdefault(WORLD, RobotLink(element))
        place, outer_place = (self.frames.relative(name, end) for end in ends)
        joint = RobotJoint(element, name, kind, KINDS[kind], inner, outer, place, outer_place)
        self.add_rotor(joint, element)
        if joint.kind == "screw":
            joint.pitch = _pitch(element)
        if joint.kind == "two":
            cross = f"{name}_cross"
            self.links[cross] = RobotLink(element)
            self.ideal.add(cross)
            one = replace(joint, name=f"{name}_axis", kind="pin", child=cross, child_place=ORIGIN)
            two = replace(joint, name=f"{name}_axis2", kind="pin", parent=cross, place=ORIGIN)
            self._with_axis(one, "axis", prefix, name)
            self._with_axis(two, "axis2", prefix, name)
        else:
            self._with_axis(joint, "axis", prefix, name)

    def _with_axis(self, joint: RobotJoint, tag: str, prefix: str, frame: str) -> None:
        """Add a joint with the data of its <axis> or <axis2>."""
        self.joints[joint.name] = joint
        axis = joint.element.find(tag)
        if joint.kind in ("weld", "quaternion"):
            others = [x for x in ("axis", "axis2") if joint.element.find(x)]
            self.left_out += [f"<{x}> of {joint.name}" for x in others]
            return
        if axis is None:
            raise ValueError(f"{joint.element} has no <{tag}>.")
        direction = axis.find("xyz") or Element("xyz", {}, axis.line)
        base = direction.attributes.get("expressed_in", "")
        if is_true(axis, "use_parent_model_frame", False):
            base = MODEL
        joint.axis = numbers_in(axis, "xyz", 3, "0 0 1")
        if base:
            joint.axis = self.frames.relative(scoped(prefix, base), frame)[0] @ joint.axis
        self.check_direction(joint)
        dynamics = axis.find("dynamics") or Element("dynamics", {}, axis.line)
        joint.damping, joint.friction, joint.rest, joint.stiffness = (
            scalar_in(dynamics, key, "0")
            for key in ("damping", "friction", "spring_reference", "spring_stiffness")
        )
        joint.limits = _limits(axis.find("limit") or Element("limit", {}, axis.line))
        if mimic := axis.find("mimic"):
            joint.mimic = self._mimic(mimic, prefix)

    def _mimic(self, mimic: Element, prefix: str) -> Mimic:
        leader = prefix + mimic.attributes.get("joint", "")
        keys = {"multiplier": "1", "offset": "0", "reference": "0"}
        factor, offset, reference = (scalar_in(mimic, *pair) for pair in keys.items())
        axis = f"{leader}_{mimic.attributes.get('axis', 'axis')}"
        return Mimic(axis if axis in self.joints else leader, factor, offset - factor * reference)

    # -- the whole ------------------------------------------------------------------------

    def _find_tree(self) -> None:
        """Divide the joints into a tree and the joints that close loops.

        The first joint in the file that leads to a new link belongs to the tree.  A link to which
        no joint leads is a root; so is one link of each cycle that has no root.
        """
        self.joints |= {f"{link}_weld": self._fixed(link) for link in self.fixed}
        joints = self.joints.values()
        children = {joint.child for joint in joints}
        roots = [name for name in self.links if name == WORLD or name not in children]
        new = self.roots = roots or [*self.links][:1]
        tree, reached = set[str](), set[str]()
        while new:
            reached.update(new)
            while ready := [x for x in joints if x.parent in reached and x.child not in reached]:
                tree.add(ready[0].name)
                reached.add(ready[0].child)
            new = [name for name in self.links if name not in reached][:1]
            self.roots += new
        rest = [joint for joint in joints if joint.name not in tree]
        self.joints = {name: joint for name, joint in self.joints.items() if name in tree}
        self.ordered = [joint for root in self.roots for joint in self.from_root(root)]
        self.closings = [joint for joint in map(self._closing, rest) if joint]

    def _fixed(self, link: str) -> RobotJoint:
        own, place = self.links[link], self.frames.relative(link, WORLD)
        self.links.setdefault(WORLD, own)
        return RobotJoint(own.element, f"{link}_weld", "fixed", "weld", WORLD, link, place)

    def _closing(self, joint: RobotJoint) -> RobotJoint | None:
        """Return a joint as a loop joint, or add a problem if its type cannot close a loop."""
        if joint.kind not in CLOSING or joint.name.endswith(("_axis", "_axis2")):
            self.problems.add(
                f"{joint.element} closes a loop and must be fixed, revolute, continuous, prismatic "
                "or ball. Put the joint where the loop is to be cut last in the file."
            )
            return None
        acting = {"<limit>": joint.limits != Limits(), "<mimic>": joint.mimic}
        self.left_out += [f"{what} of {joint.name}" for what, value in acting.items() if value]
        return replace(joint, kind=CLOSING[joint.kind])


def _name_of(element: Element) -> str:
    """Return the name of an element; for an <include>, the name in it."""
    return element.attributes.get("name", "") or text_in(element, "name", default="")


def _pitch(element: Element) -> float:
    """Return the advance of a screw per radian; the older number is in radians per metre."""
    if element.find("screw_thread_pitch"):
        return scalar_in(element, "screw_thread_pitch") / (2 * np.pi)
    older = scalar_in(element, "thread_pitch")
    if not older:
        raise ValueError(f"{element} must have a <thread_pitch> that is not zero.")
    return -1 / older


def _limits(limit: Element) -> Limits:
    """Return limits; infinite ones, and negative ones of effort and velocity, mean none."""
    found: list[float | None] = []
    for key in ("lower", "upper", "velocity", "effort"):
        text = text_in(limit, key, default="inf")
        value = np.inf if text.lstrip("+-").lower().startswith("inf") else scalar_in(limit, key)
        is_none = abs(value) >= UNLIMITED or (key in ("velocity", "effort") and value < 0)
        found.append(None if is_none else value)
    return Limits(*found)
