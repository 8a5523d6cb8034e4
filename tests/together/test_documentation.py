"""The documentation says what is true: README, reference, citation.  Its pages are doctests."""

import ast
import importlib
import operator
import pydoc
import re
from inspect import signature
from pathlib import Path
from types import SimpleNamespace
from typing import get_args

import numpy as np
import pytest
from public import ADDRESSES, PUBLIC
from sympy import symbols

import jointwrench
from jointwrench.mechanics.methods import output_names

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")

#: The data that a block of code takes as given, by its heading.
GIVEN = {
    "From measured motion": """
import numpy as np
import jointwrench as jw
t = np.linspace(0, 0.5, 26)
hip = np.stack([0 * t, 1.2 * t, 0.9 + 0 * t], axis=-1)
angles = np.column_stack([hip, -0.5 * np.sin(6 * t), 0.2 * np.cos(6 * t)])
force = np.stack([0 * t, 600 + 50 * np.sin(20 * t), 0 * t], axis=-1)
place = np.stack([1.2 * t, 0 * t, 0 * t], axis=-1)
plate = jw.recordings.ForcePlate.from_center_of_pressure(t, force, place)
"""
}

#: What a block must print, by its heading: where the numbers are known.
PRINTED = {
    "jointwrench": r"^force = .*\nmoment about .*\n\(10000, 6\)\n$",
    "Your own System": r"\{tau\(t\): g\*l\*m\*sin\(q_pin\(t\)\)/2|\(Pa0, Pa1, P0\), .*\nWrench",
    "Models from files": r"panda_joint7(?s:.*)\n\[",
    "From measured motion": "hip",
}


def blocks():
    """Return (heading, code) of each block of Python in the README."""
    heading, found = "", []
    for part in re.split(r"(?ms)(^```\w+\n.*?^```$)", README):
        if part.startswith("```py"):
            found.append((heading, part.partition("\n")[2].removesuffix("```")))
        elif not part.startswith("```"):
            heading = [heading, *re.findall(r"(?m)^##? (.*)$", part)][-1]
    return found


def test_there_is_no_other_code_in_the_readme():
    assert set(re.findall(r"(?m)^```(\w+)$", README)) == {"python", "sh"}
    assert {heading for heading, _ in blocks()} == set(PRINTED)


@pytest.mark.parametrize(("heading", "code"), blocks(), ids=[heading for heading, _ in blocks()])
def test_code_of_the_readme_works_when_pasted(heading, code, tmp_path, monkeypatch, capsys):
    if heading == "From measured motion":
        pytest.importorskip("pandas", reason="needs pandas (pip install 'jointwrench[data]')")
        pytest.importorskip("matplotlib", reason="needs matplotlib")
    monkeypatch.chdir(tmp_path)
    names = {}
    exec(GIVEN.get(heading, ""), names)
    capsys.readouterr()
    exec(code, names)
    told = capsys.readouterr().out
    assert re.search(PRINTED[heading], told)
    shown = re.findall(r"(?m)^# (.*)$", code)  # what the block says that it prints
    assert [line for line in shown if line not in told.splitlines()] == []


def test_links_of_the_readme_lead_somewhere():
    targets = re.findall(r"\]\((?!https:)([^)]+)\)", README)
    assert len(targets) > 10
    assert [target for target in targets if not (ROOT / target).is_file()] == []


def test_every_public_name_is_in_the_reference():
    pages = (ROOT / "docs" / "reference").glob("*.rst")
    text = "".join(page.read_text(encoding="utf-8") for page in pages if page.stem != "index")
    assert sorted(re.findall(r"(?m)^   ([\w.]+)$", text)) == sorted(ADDRESSES)


def test_every_output_is_in_the_table():
    system = jointwrench.SerialChain.planar(1).system
    journal = jointwrench.JointFriction("S_0", 0.1, radius=1)
    page = (ROOT / "docs" / "reference" / "outputs.rst").read_text(encoding="utf-8")
    parts = dict(zip(*[iter(re.split(r"(?m)^Of (\w+)\n-+$", page)[1:])] * 2, strict=True))
    for name, part in parts.items():
        rubbing = {} if name == "Kinematics" else {"frictions": [journal]}
        outputs = getattr(jointwrench, name)(system, **rubbing).model.outputs
        assert set(re.findall(r'``"(\w+)"``', part)) == set(outputs._makers())


def test_type_checkers_know_the_outputs():
    chain = jointwrench.SerialChain.planar(1, actuated=True)
    friction = [jointwrench.JointFriction(chain.joints[0], 0.1, 0.02)]
    for name in ("Inverse", "Forward", "Kinematic"):
        method = getattr(jointwrench, f"{name}Dynamics", jointwrench.Kinematics)
        options = {} if name == "Kinematic" else {"frictions": friction}
        known = {*method(chain.system, **options).model.outputs.names}
        assert {*get_args(getattr(output_names, f"{name}Output"))} == known


@pytest.mark.parametrize("namespace", ["", *jointwrench.NAMESPACES])
def test_help_is_a_screen_with_all_names(namespace):
    module = getattr(jointwrench, namespace) if namespace else jointwrench
    text = pydoc.render_doc(module, renderer=pydoc.plaintext)
    assert module.__all__ == dir(module)
    assert text.count("\n") < 80
    missing = [name for name in dir(module) if not re.search(rf"\b{name}\b", module.__doc__)]
    assert missing == [], f"the docstring of {module.__name__} has a list of all names"


def test_docstrings_are_read_in_a_terminal():
    for path in (ROOT / "src").rglob("*.py"):
        assert not re.search(r":(doc|ref|class|meth|func|attr):`", path.read_text("utf-8")), (
            path.name
        )


def test_plots_return_axes_by_one_rule():
    """Where one is given, one is returned; where an array is given, an array; a page takes none."""
    found = 0
    for name, function in PUBLIC.items():
        if name.startswith("plot_"):
            own = signature(function)
            parameters, returned = own.parameters, own.return_annotation
            assert ("ax" in parameters) + ("axes" in parameters) == (name != "plot_gait_page"), name
            assert ("Axes" if "ax" in parameters else "ndarray") in str(returned), name
            found += 1
    assert found > 6


def test_each_name_is_stable_or_provisional():
    page = (ROOT / "docs" / "project" / "stability.rst").read_text(encoding="utf-8")
    for row in re.split(r"\n   \* - ``", page)[1:]:
        space, _, cells = row.partition("``")
        home = jointwrench if space == "jointwrench" else getattr(jointwrench, space, None)
        home = home or importlib.import_module(f"jointwrench.{space}")
        named, own = re.findall(r"``(\w+)``", cells), {*dir(home)} - {*jointwrench.NAMESPACES}
        assert len(named) == len(set(named))
        assert set(named) <= own
        missing = own - set(named)
        assert not missing or re.search(r"(?m)- all( others)?$", cells), (
            f"docs/project/stability.rst must list {missing} of {space}: new names are provisional"
        )


def test_the_formula_of_the_first_page():
    """It is that of the pendulum above it."""
    page, names = (ROOT / "docs" / "index.rst").read_text(encoding="utf-8"), {}
    exec("\n".join(re.findall(r"(?m)^>>> (.*)$", page.partition(".. math::")[0])), names)
    latex = names["formula"]._repr_latex_().strip("$").removeprefix(r"\displaystyle ")
    assert f"   {latex}\n" in page


def test_pages_name_what_there_is():
    for path in [*(ROOT / "docs").glob("*.rst"), *(ROOT / "docs").glob("[!g_]*/*.rst")]:
        names = re.findall(r"\bjw\.(\w+(?:\.\w+)*)", path.read_text(encoding="utf-8"))
        for name in names:
            assert operator.attrgetter(name)(jointwrench), f"{path.name}: jw.{name}"


def test_code_that_pages_show_is_there():
    page = ROOT / "docs" / "explanation" / "core.rst"
    shown = re.findall(r"literalinclude:: (\S+)\n   :pyobject: (\S+)", page.read_text("utf-8"))
    assert len(shown) > 10
    for path, name in shown:
        tree = ast.parse((page.parent / path).read_text("utf-8"))
        for part in name.split("."):
            (tree,) = (node for node in tree.body if getattr(node, "name", None) == part)


def test_every_example_has_a_title_for_the_gallery():
    for path in (ROOT / "examples").rglob("*.py"):
        title, line, _ = path.read_text(encoding="utf-8").split("\n", 2)
        assert line == "=" * len(title.removeprefix('"""')), path.name


def test_examples_do_not_ask_where_they_lie():
    """A notebook has no file; CI runs all of them as notebooks."""
    scripts = [*(ROOT / "examples").rglob("*.py"), *(ROOT / "docs" / "tutorials").rglob("*.py")]
    asking = [path.name for path in scripts if re.search(r"__file__|sys\.argv", path.read_text())]
    assert asking == []


def test_the_version_to_cite():
    """It is the last release."""
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    version, date = re.search(r"(?m)^## \[(\d.*?)\] - (\S+)$", changelog).groups()
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {version}\n" in citation
    assert f"\ndate-released: {date}\n" in citation
    page = (ROOT / "docs" / "project" / "index.rst").read_text(encoding="utf-8")
    assert f"version = {{{version}}}" in page
    assert f"date    = {{{date}}}" in page


SECTIONS = {  # of numpydoc, which loses the text under others
    *("Parameters", "Attributes", "Returns", "Yields", "Raises", "Warns", "Notes", "Examples"),
    *("References", "See Also"),
}


def test_docstrings_have_sections_that_the_reference_shows():
    found = {
        (path.name, heading)
        for path in (ROOT / "src").rglob("*.py")
        for heading, line in re.findall(
            r"(?m)^ +([A-Z][\w ]+)\n +(=+)$", path.read_text(encoding="utf-8")
        )
        if len(heading) == len(line) and heading not in SECTIONS
    }
    assert found == set()


class TestExtensions:
    """What the settings of sphinx add."""

    @pytest.fixture(autouse=True)
    def path(self, monkeypatch):
        monkeypatch.syspath_prepend(str(ROOT / "docs" / "_ext"))

    def test_what_is_returned_is_a_public_class(self):
        returned = importlib.import_module("returned").RETURNED
        assert all(isinstance(PUBLIC[name], type) for name in returned)

    def test_pages_of_what_is_returned_begin_with_attributes(self):
        extension = importlib.import_module("returned")
        lines = ["Text.", "", "Parameters", "==========", "", "a : int", "", "Notes", "=====", ""]
        with_both = [*lines[:7], "Attributes", "==========", "", "b : int"]
        for given in (lines, with_both):
            extension.no_parameters(None, "class", "jointwrench.Result", None, None, given)
        assert lines[2:4] == ["Attributes", "=========="]
        assert with_both == ["Text.", "", "Attributes", "==========", "", "b : int"]
        assert extension.no_signature(None, "class", "jointwrench.Wrench") is None

    @pytest.mark.needs("sphinx")
    @pytest.mark.parametrize(
        ("code", "value", "shown"),
        [
            ("x = 1\nalpha", symbols("alpha"), ".. math::\n\n   \\displaystyle \\alpha\n"),
            ("x", np.zeros(2), " .. code-block:: none\n\n    array([0., 0.])\n"),
            ("x.run()", None, ""),
            ("x = 1", 1, ""),
        ],
    )
    def test_the_value_at_the_end_of_a_block_is_shown(self, code, value, shown):
        scraper = importlib.import_module("gallery").value_scraper
        text = scraper(("code", code, 1), {"example_globals": {"___": value}}, None)
        assert shown in text
        assert bool(shown) is bool(text)

    def test_tools_find_each_page_and_each_call(self, tmp_path):
        write = importlib.import_module("calls_index").write
        place = "jointwrench.Wrench.about", 0, 0, "reference/outputs", "about", 0
        start = SimpleNamespace(astext=lambda: "Start")
        domain = SimpleNamespace(get_objects=lambda: [place, place])
        env = SimpleNamespace(titles={"start/index": start}, domains={"py": domain})
        builder = SimpleNamespace(format="html", get_target_uri="{}.html".format)
        config = SimpleNamespace(project="jointwrench")
        write(SimpleNamespace(builder=builder, env=env, config=config, outdir=tmp_path), None)
        text = (tmp_path / "llms.txt").read_text()
        assert "- [Start](start/index.html)\n" in text
        call = "- [jointwrench.Wrench.about](reference/outputs.html#about): "
        assert text.count(call) == 1
        assert (jointwrench.Wrench.about.__doc__ or "").partition("\n")[0] in text

    @pytest.mark.needs("sphinx")
    def test_a_block_without_its_value_is_found(self):
        find = importlib.import_module("gallery").silent_blocks
        block = ".. code-block:: Python\n\n\n    y = 2\n    {}\n\n\n.. GENERATED\n"
        page = "".join(block.format(x) for x in ("y", "y = 3", "s.apply_uniform_gravity(g)"))
        assert [*find(page)] == ["y"]
        assert [*find(page.replace(".. GENERATED", "\n.. math::\n\n   2", 1))] == []

    @pytest.mark.needs("sphinx")
    def test_an_example_without_output_is_refused(self, tmp_path):
        errors = importlib.import_module("sphinx.errors")
        check = importlib.import_module("gallery").check_pages
        folder = tmp_path / "generated" / "examples"
        folder.mkdir(parents=True)
        (folder / "silent.py").touch()
        (folder / "silent.rst").write_text("Silent\n======\n")
        settings = {"plot_gallery": True, "filename_pattern": r"\.py$"}
        app = SimpleNamespace(config=SimpleNamespace(sphinx_gallery_conf=settings), srcdir=tmp_path)
        with pytest.raises(errors.ExtensionError, match=r"silent\.rst"):
            check(app)
        (folder / "silent.rst").write_text(".. rst-class:: sphx-glr-script-out\n")
        check(app)
