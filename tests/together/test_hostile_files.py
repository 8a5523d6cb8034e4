"""Files that mislead readers, open other files or take long: a refusal or warning names them."""

import re
import time
from pathlib import Path

import pytest
from refusals import refused

import jointwrench as jw

MJCF = (
    "<mujoco><worldbody><body name='a' {}><joint name='j' {}/><inertial pos='0 0 .1' {} mass='1' "
    "diaginertia='.3 .2 .4'/></body></worldbody></mujoco>"
)


@pytest.mark.filterwarnings("ignore:.*MuJoCo says")
@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize("numbers", ["0.9 .1 1e308 .2", "1e200 1e200 0 0"])
def test_directions_too_large_to_normalise(tmp_path, place, numbers):
    pytest.importorskip("mujoco", reason="needs mujoco (pip install mujoco)")
    words, path = ["", "", ""], tmp_path / "m.xml"
    words[place] = f"axis='{' '.join(numbers.split()[:3])}'" if place == 1 else f"quat='{numbers}'"
    path.write_text(MJCF.format(*words))
    where = (r"quat of <body> a", r"axis of <joint> j", r"quat of <inertial>")[place]
    with pytest.raises(ValueError, match=rf"`source` .* in {where} of m\.xml"):
        jw.robots.read_mjcf(path)


LARGE = {
    "zaxis": "<geom name='g' size='1' zaxis='0 1e308 1'/>",
    "euler": "<geom name='g' size='1' euler='0 0 -1E+308'/>",
    "pos": "<site name='g' pos='1.e308 0 0'/>",
    "mass": f"<geom name='g' size='1' mass='{'9' * 200}'/>",
    "ref": "<joint name='g' ref='1e200'/>",
}


@pytest.mark.parametrize("attribute", [*LARGE, "qpos"])
@pytest.mark.parametrize("is_included", [False, True])
def test_numbers_that_are_too_large(tmp_path, attribute, is_included):
    """MuJoCo would compute with them; the file and the element are named before."""
    pytest.importorskip("mujoco", reason="needs mujoco (pip install mujoco)")
    key = "<keyframe><key name='g' qpos='1 1e308'/></keyframe>" if attribute == "qpos" else ""
    body = f"<worldbody><body name='1e308'>{LARGE.get(attribute, '')}</body></worldbody>{key}"
    path = tmp_path / "m.xml"
    path.write_text(f"<mujoco>{'' if is_included else body}<include file='own.xml'/></mujoco>")
    (tmp_path / "own.xml").write_text(f"<mujoco>{body if is_included else ''}</mujoco>")
    error = refused(lambda: jw.robots.read_mjcf(path), "source")
    assert re.search(rf" in {attribute} of <\w+> g of m\.xml", str(error))


STORAGE = "a\nversion=1\nnRows={}\nnColumns={}\ninDegrees=no\nendheader\n{}\n0\t1\t2\n1\t3\t4\n"


@pytest.mark.parametrize(
    ("rows", "columns", "names", "words"),
    [
        ("-2", "3", "time a b", "declares -2 rows"),
        ("nan", "3", "time a b", "declares nan rows"),
        ("two", "3", "time a b", "declares two rows"),
        ("2", "-3", "time a b", "declares -3 columns"),
        ("2", "3", "time a a", "columns with the same name: a"),
        ("2", "3", "time time b", "columns with the same name: time"),
    ],
)
def test_storage_that_contradicts_itself(tmp_path, rows, columns, names, words):
    path = tmp_path / "a.sto"
    path.write_text(STORAGE.format(rows, columns, names))
    with pytest.warns(UserWarning, match=rf"a\.sto .*{words}"):
        jw.recordings.read_storage(path)


@pytest.mark.parametrize("how", ["absolute", "upwards", "link"])
def test_sdf_includes_files_of_its_folder_and_known_packages_only(tmp_path, how):
    own, other = tmp_path / "own", tmp_path / "other"
    for folder in (own, other):
        folder.mkdir()
        part = "<sdf version='1.9'><model name='s'><link name='x'/></model></sdf>"
        (folder / "part.sdf").write_text(part)
    (own / "link.sdf").symlink_to(other / "part.sdf")
    uris = {"absolute": other / "part.sdf", "upwards": "../other/part.sdf", "link": "link.sdf"}
    path, text = own / "a.sdf", "<sdf version='1.9'><model name='m'>{}</model></sdf>"
    include = "<include><name>{}</name><uri>{}</uri></include>"
    path.write_text(
        text.format(include.format("near", "part.sdf") + include.format("far", uris[how]))
    )
    refused(lambda: jw.robots.read_sdf(path), "source")
    model = jw.robots.read_sdf(path, packages={"other": other})
    assert {body.name for body in model.system.bodies} >= {"near::x", "far::x"}


@pytest.mark.parametrize("read", [jw.robots.read_urdf, jw.robots.read_sdf, jw.robots.read_mjcf])
def test_elements_with_very_many_attributes(read):
    if read is jw.robots.read_mjcf:
        pytest.importorskip("mujoco", reason="needs mujoco (pip install mujoco)")
    words = " ".join(f"a{k}='{k}'" for k in range(100_000))
    began = time.process_time()
    with pytest.raises(ValueError, match=r"`source` .* 1000 attributes"):
        read(f"<robot {words}><link name='a'/></robot>")
    assert time.process_time() - began < 10


def test_each_line_on_trust_names_the_tests_that_hold_it():
    root = Path(__file__).parents[2]
    page = (root / "docs" / "explanation" / "security.rst").read_text(encoding="utf-8")
    table = page.partition("What is trusted")[2].split("\n=====")[2]
    rows = re.split(r"\n(?=\S)", table.partition("\n")[2])
    defined = "\n".join(x.read_text(encoding="utf-8") for x in root.glob("tests/**/test_*.py"))
    assert len(rows) > 15
    for row in rows:
        names = re.findall(r"``(test_\w+)``", row)
        assert names, row
        assert [name for name in names if f"def {name}(" not in defined] == []
