"""OpenSim's ExternalLoads: the wrench on each body, and what is wrong in words."""

import numpy as np
import pytest
from external_load_texts import FORCE, LEFT, NAMES, RIGHT
from numpy.testing import assert_allclose
from refusals import refusal, refused

import jointwrench as jw
from jointwrench.records.tables import Table

T = np.linspace(0, 1, 11)


def document(*forces, datafile="grf.mot"):
    return f"""<?xml version="1.0" encoding="UTF-8" ?>
<OpenSimDocument Version="30000">
  <ExternalLoads name="walk">
    <objects>{"".join(forces)}
    </objects>
    <datafile>{datafile}</datafile>
  </ExternalLoads>
</OpenSimDocument>"""


@pytest.fixture
def table(rng):
    """Forces of two feet: that of the left one comes and goes, with it its point."""
    values = rng.normal(size=(11, 18))
    values[:, [1, 7]] = 700
    values[5:, 6:9] = 0
    values[5:, 9:12] = np.nan
    return Table(T, NAMES, values)


@pytest.fixture
def folder(tmp_path, table):
    jw.recordings.write_storage(tmp_path / "grf.mot", table)

    def write(*forces, **names):
        path = tmp_path / "grf.xml"
        path.write_text(document(*forces, **names), encoding="utf-8")
        return path

    return write


def test_wrenches(folder, table):
    path = folder(FORCE.format(**RIGHT), FORCE.format(**LEFT))
    right, left = jw.recordings.read_external_loads(path)
    assert (right.name, right.body) == ("right", "calcn_r")
    assert (left.name, left.body) == ("left", "calcn_l")
    force, place, torque = table.array[:, :3], table.array[:, 3:6], table.array[:, 12:15]
    assert_allclose(right.plate.force, force)
    assert_allclose(right.plate.moment, np.cross(place, force) + torque)
    assert right.plate.vertical == "y"
    assert_allclose(left.plate.force[5:], 0)
    assert_allclose(left.plate.moment[5:], table.array[5:, 15:18])


@pytest.mark.parametrize("place", ["D:\\trials\\", "/data/trials/", "../", "", ".\\data\\"])
def test_data_lie_beside_the_file_whatever_path_stands_in_it(folder, place):
    path = folder(FORCE.format(**RIGHT), datafile=f"{place}grf.mot")
    (load,) = jw.recordings.read_external_loads(path)
    (same,) = jw.recordings.read_external_loads(path, path.parent / "grf.mot")
    assert_allclose(load.plate.wrench, same.plate.wrench)


def test_in_a_model(folder):
    """The names of bodies are those of the model."""
    chain = jw.SerialChain([jw.Segment("calcn_r", 0.2, 1.0, inertia=0.01)])
    (load,) = jw.recordings.read_external_loads(folder(FORCE.format(**RIGHT)))
    reaction = jw.ExternalWrench(chain.system, load.body, load.name)
    assert reaction.specifieds(load.plate)[reaction.symbols[1]][3] == 700


def test_other_data_and_units(folder, table):
    path = folder(FORCE.format(**RIGHT), datafile="lost.mot")
    refused(lambda: jw.recordings.read_external_loads(path), "data")
    (load,) = jw.recordings.read_external_loads(path, table)
    (same,) = jw.recordings.read_external_loads(path.read_text(), path.parent / "grf.mot")
    assert_allclose(load.plate.wrench, same.plate.wrench)
    scale = np.ones(18)
    scale[3:6], scale[12:15] = 1e3, 1e3
    other = Table(T, NAMES, table.array * scale)
    refused(lambda: jw.recordings.read_external_loads(path, other), "path")
    refused(lambda: jw.recordings.read_external_loads(path, other, {"length": "mm"}), "path")
    (found,) = jw.recordings.read_external_loads(path, other, {"length": "mm", "moment": "N mm"})
    assert_allclose(found.plate.wrench, load.plate.wrench)


def test_moments_about_the_origin_may_be_large(folder, table):
    """Points of zero: the torque is that about the laboratory's origin."""
    table.array[:, 3:6] = 0
    table.array[:, 12:15] = 2000
    (load,) = jw.recordings.read_external_loads(folder(FORCE.format(**RIGHT)), table)
    assert_allclose(load.plate.moment, 2000)


def test_disabled_loads_and_torques_alone(folder, table):
    off = FORCE.format(**LEFT | {"off": "true"})
    newer = FORCE.format(**LEFT).replace("isDisabled>", "appliesForce>")
    torque = FORCE.format(**RIGHT).replace("ground_force_v", "").replace("ground_force_p", "")
    (load,) = jw.recordings.read_external_loads(folder(off, newer, torque))
    assert_allclose(load.plate.force, 0)
    assert_allclose(load.plate.moment, table.array[:, 12:15])


def test_refuses_all_at_once(folder):
    right = FORCE.format(**RIGHT)
    bad = [
        right.replace("<force_identifier>ground_force_v", "<force_identifier>grf_"),
        FORCE.format(**LEFT).replace("body>ground</point", "body>calcn_l</point"),
        right.replace("calcn_r", "").replace('name="right"', ""),
        right.replace("ground_force_p", "").replace("right", "push"),
        right.replace("ground_force_v", "").replace("ground_torque_", "").replace("right", "none"),
        right.replace("ground_force_v", "ground_").replace("right", "many"),
    ]
    with refusal("path") as caught:
        jw.recordings.read_external_loads(folder(*bad))
    for words in (
        "<ExternalForce 'right'> (line 5): force_identifier is 'grf_', the prefix of no columns",
        "<ExternalForce 'left'> (line 15): point_expressed_in_body is calcn_l, only loads",
        "<ExternalForce> (line 25) has no <applied_to_body>",
        "<ExternalForce 'push'> (line 35) has no point_identifier, so its force acts at the",
        "<ExternalForce 'none'> (line 45) has neither force_identifier nor torque_identifier",
        "<ExternalForce 'many'> (line 55): force_identifier is 'ground_', the prefix of 9 columns",
    ):
        assert words in str(caught.value)


def test_refuses_what_is_no_such_file(folder):
    refused(lambda: jw.recordings.read_external_loads(folder()), "path")
