"""What URDF and SDF may have, as their schemas say: tag[attributes](elements), @: of that name."""

import re
from pathlib import Path

HERE = Path(__file__).parents[1] / "data" / "schemas"
#: The XML schema of URDF, xsd/urdf.xsd of github.com/ros/urdfdom (BSD), and <loop_joint> of Isaac
#: Sim (docs.isaacsim.omniverse.nvidia.com, "URDF importer"), with quat_xyzw as in URDF 1.1; the
#: specification of SDF 1.11, sdf/1.11 of github.com/gazebosim/sdformat (Apache 2.0).
URDF, SDF = ((HERE / f"{name}.txt").read_text(encoding="utf-8") for name in ("urdf", "sdf"))


def entries(text):
    """Yield all paths of tags, with their attributes; no file is entered within itself."""
    files = dict(re.findall(r"^(\w+) = (.*(?:\n .*)*)", text, re.MULTILINE))
    words = {name: re.findall(r"@?[\w]+|[][()]", body) for name, body in files.items()}

    def walk(tokens, path, open_files):
        while tokens and tokens[0] not in ")]":
            tag = tokens.pop(0)
            if tag.startswith("@"):
                if tag[1:] not in open_files and tag[1:] in words:
                    yield from walk([*words[tag[1:]]], path, {*open_files, tag[1:]})
                continue
            attributes = []
            if tokens[:1] == ["["]:
                end = tokens.index("]")
                attributes, tokens[: end + 1] = tokens[1:end], []
            yield (*path, tag), attributes
            if tokens[:1] == ["("]:
                tokens.pop(0)
                yield from walk(tokens, (*path, tag), open_files)
                assert tokens.pop(0) == ")"

    yield from walk([*words["root"]], (), {"root"})
