"""Of all elements and attributes of the formats each is read, left out by name, or refused.

The schemas say what there is: MuJoCo prints its own, those of URDF and SDF are in ``schemas``.
What the readers' tables do not have is left out by name; of what they have each is changed in a
sample, which must change the model, or what is left out of it, or be refused.
"""

import re
from itertools import pairwise

import pytest
from schemas import HERE, SDF, URDF, entries

from jointwrench.records.model_elements import list_unread
from jointwrench.records.xml_tree import Element
from jointwrench.robots import read_mjcf, read_sdf, read_urdf, sdf_elements, urdf_elements

mujoco = pytest.importorskip("mujoco", reason="needs MuJoCo (pip install mujoco)")
from jointwrench.robots import mjcf_unread  # noqa: E402  # after that MuJoCo is there


def mjcf_entries():
    """Yield the paths of MuJoCo's schema, with their attributes."""
    path, found = [], []
    for line in mujoco.mj_printSchema(False, False).splitlines():
        if match := re.match(r"( *)(\(world\)body|\w+) \(.\) *(.*)", line):
            depth = len(match[1]) // 3
            path = [*path[:depth], match[2].replace("(world)body", "body")]
            found.append((tuple(path), match[3].split()))
        elif line.strip():
            found[-1][1].extend(line.split())
    assert len(found) > 100
    for own, attributes in found:
        yield own, attributes
        if own[1:2] == ("body",):
            yield ("mujoco", "worldbody", *own[1:]), attributes


SCHEMAS = {"urdf": (list(entries(URDF)), urdf_elements.READ)}
SCHEMAS["sdf"] = (list(entries(SDF)), sdf_elements.READ)
SCHEMAS["mjcf"] = (list(mjcf_entries()), mjcf_unread.READ)


def known(read, tag):
    attributes, _, children = read.get(tag, "").partition("|")
    return set(attributes.split()), set(children.split())


@pytest.mark.parametrize("name", SCHEMAS)
def test_all_that_is_not_read_is_named(name):
    """Each path with each attribute, alone in a file: what is not in the table has its name."""
    schema, read = SCHEMAS[name]
    found = set()
    for path, attributes in schema:
        root = last = Element(path[0], {"name": "top"}, 1)
        for tag in path[1:]:
            last.children.append(Element(tag, {}, 1))
            last = last.children[0]
        steps = pairwise(path)
        stop = next((tag for above, tag in steps if tag not in known(read, above)[1]), None)
        for attribute in [None, *attributes]:
            last.attributes = {"name": "top"} if attribute is None else {attribute: "1"}
            told = [line for line in list_unread(root, read) if "name=" not in line]
            if stop is not None:
                assert any(line.startswith(f"<{stop}") for line in told), (path, attribute)
            elif not {attribute, "*"}.isdisjoint(known(read, path[-1])[0] | {None, "name"}):
                assert told == [], (path, attribute)
                found.add((path[-1], attribute))
            else:
                assert any(line.startswith(f"{attribute}= in <{path[-1]}>") for line in told)
    # whatever a table has is in the schema, but for what older versions and extensions have
    tags = [tag for tag in read if not tag.startswith(("drake:", "gazebo"))]
    ours = {(tag, x) for tag in tags for x in known(read, tag)[0] - {"*"}}
    assert ours - found - OLDER <= {(tag, "name") for tag in read}


#: Attributes and elements of older versions, and of the text that MuJoCo makes of a file's.
OLDER = {("pose", "frame")} | {
    (tag, x)
    for tag in mjcf_unread.READ
    for x in known(mjcf_unread.READ, tag)[0]
    if tag in mjcf_unread._ACTUATORS.split() or (tag, x) in {("geom", "class"), ("joint", "active")}
}


# -- what is read changes the model -----------------------------------------------------------


def sample(name):
    return (HERE / f"sample.{name}").read_text(encoding="utf-8")


CLOSING = """<loop_joint name="close" type="revolute">
<link1 link="b" xyz="0 0.1 0.3" rpy="0 0.1 0"/>
<link2 link="d" xyz="0.1 0.2 0.6" rpy="0 0.2 0"/><axis xyz="0.1 1 0"/></loop_joint>"""


def fingerprint(model):
    """Return all that a model is, as text."""
    joints = [*model.joints.values(), *model.loops]
    poses = {name: pose.round(9).tolist() for name, pose in model.poses.items()}
    parts = [
        (model.source, [*model.coordinates], model.limits, model.left_out, model.kinds),
        (model.dependent, model.reference.round(9).tolist(), poses, model.controls),
        [(x.name, x.mass, x.central_inertia) for x in model.bodies.values()],
        [place for joint in joints for place in places_of(joint)],
        [getattr(joint, "joint_axis", None) for joint in joints if joint.parent_interframe],
        [
            [getattr(joint, x, None) for x in ("kind", "translation", "rotations")]
            for joint in joints
        ],
        model.system.loads,
        [actuator.to_loads() for actuator in model.system.actuators],
    ]
    return re.sub(r"line \d+", "", str(parts))


def places_of(joint):
    for side in ("parent", "child"):
        body, point, frame = (getattr(joint, side + x) for x in ("", "_point", "_interframe"))
        yield point.pos_from(body.masscenter), frame and frame.dcm(body.frame)


def moved(text):
    """Return each number of a text changed, and each word another one."""
    words = text.split()
    changed = [f"{float(x) * 1.1 + 0.05:.6g}" if NUMBER.fullmatch(x) else x + "x" for x in words]
    return " ".join(changed)


NUMBER = re.compile(r"[-+.\de]*\d[-+.\de]*")
SWITCH = {"true": "false", "1": "0", "0": "1"}
#: What must be another word of the format, not any other one.
INSTEAD = {"hinge": "slide", "capsule": "cylinder", "box": "ellipsoid", "affine": "none"}
INSTEAD |= {"revolute": "prismatic", "quat_xyzw": "euler_rpy", "1.9": "1.4"}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:`source`. forces will differ")
@pytest.mark.parametrize("name", ["urdf", "urdf closing", "sdf", "mjcf"])
def test_what_is_read_changes_the_model(name, tmp_path):
    other = "<sdf version='1.9'><model name='n'><link name='x'/><link name='y'><pose>0 0 1 0 0 0"
    (tmp_path / "other.sdf").write_text(f"{other}</pose></link></model></sdf>")

    def read(text):
        path = tmp_path / "sample.xml"
        path.write_text(text)
        resist = {"damping": True, "friction": True}
        if name == "sdf":
            return fingerprint(read_sdf(path, springs=True, **resist))
        if name == "mjcf":
            return fingerprint(read_mjcf(path, friction=True, actuators="control"))
        return fingerprint(read_urdf(path, **resist))

    closings = {"urdf": "", "urdf closing": CLOSING}
    samples = {name: sample("urdf").format(closing=x) for name, x in closings.items()}
    samples |= {name: sample(name) for name in ("sdf", "mjcf")}
    text = samples[name]
    expected, silent = read(text), []
    places = [(m.start(2), m.end(2), m[1]) for m in re.finditer(r'(\w+)="([^"]*)"', text)]
    places += [(m.start(2), m.end(2), m[1]) for m in re.finditer(r"<(\w+)[^>]*>([^<\n]+)<", text)]
    assert len(places) > 25
    for first, last, what in places:
        if name == "urdf closing" and first < text.index("<loop_joint"):
            continue
        old = text[first:last]
        switches = what in SWITCHES and old in SWITCH
        new = SWITCH[old] if switches else INSTEAD.get(old, moved(old))
        try:
            is_same = read(text[:first] + new + text[last:]) == expected
        except (ValueError, FileNotFoundError):
            is_same = False
        if is_same:
            silent.append((what, old, new))
    assert not silent, silent


SWITCHES = ("limited", "actuatorfrclimited", "ctrllimited", "forcelimited", "active", "gravity")
SWITCHES += ("static", "degrees", "auto", "use_parent_model_frame", "actuatorgravcomp")
