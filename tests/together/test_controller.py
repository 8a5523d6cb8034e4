"""The controller in C compiles without a warning as C and C++, and knows what pushes the hand."""

import os
import re

import pytest
from example_scripts import example
from marks import needing

pytestmark = pytest.mark.slow  # CI runs it


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    return example("panda_controller").write(tmp_path_factory.mktemp("controller"))


COMMANDS = {"cc": [], "clang": [], "c++": ["-x", "c++", "-std=c++11"]}


@pytest.mark.skipif(os.name == "nt", reason="flags of gcc and clang")
@pytest.mark.parametrize("compiler", needing(COMMANDS))
def test_controller(sources, compiler):
    script = example("panda_controller")
    flags = [flag for flag in script.FLAGS if not (COMMANDS[compiler] and "-std" in flag)]
    printed = script.run(
        sources[0].parent, sources, [compiler, *COMMANDS[compiler], *flags]
    )  # fails if its own check does
    wrench, angles = map(float, re.findall(r"[\d.]+e-\d+", printed))
    assert wrench < 1e-9
    assert angles < 1e-3


def test_headers_name_what_goes_in_and_comes_out(sources):
    texts = {path.stem: path.with_suffix(".h").read_text() for path in sources}
    assert "[6] panda_joint7(t)" in texts["panda_torques"]
    assert "[5] tau6(t)" in texts["panda_contact"]
    assert "solved loads, in their order:\n    [0] fx(t)" in texts["panda_contact"]
    assert "points, in their order:\n    [0] hand" in texts["panda_hand"]
    assert "joints, in their order:\n    [0] " in texts["panda_torques"]
