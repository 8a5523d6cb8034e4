"""Promises of the project about itself: README, changelog, documentation, imports."""

import ast
import functools
import importlib.metadata
import inspect
import re
import runpy
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from packaging.version import Version
from public import PUBLIC
from refusals import refused
from urdf_texts import joint, link, robot

import jointwrench

ROOT = Path(__file__).parents[2]
CI = ROOT / ".ci" / "run"

# Folders that tools write, besides caches.
WRITTEN = {".git", ".hypothesis", ".venv", "__pycache__", "_build", "build", "dist", "generated"}
WRITTEN |= {"htmlcov", "venv"}


def readme_command(name):
    """Return the only line of the first fenced block after the marker of this name."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    _, marker, rest = text.partition(f"<!-- {name} -->")
    assert marker, f"README.md has no <!-- {name} -->"
    (command,) = re.search(r"```\w*\n(.*?)```", rest, re.DOTALL).group(1).strip().splitlines()
    return command


def project_files():
    """Yield the files that belong to the project."""
    for path in sorted(ROOT.rglob("*")):
        folders = path.relative_to(ROOT).parts[:-1]
        written = WRITTEN.intersection(folders) or any(
            folder.endswith(("_cache", ".egg-info")) for folder in folders
        )
        is_written = path.name.startswith(".coverage") or path.suffix in (".so", ".pyd")
        if path.is_file() and not written and not is_written:
            yield path


def test_readme_example_command():
    assert "examples/piglet_limb.py" in readme_command("example")


def test_readme_test_command():
    assert "[test]" in readme_command("test")
    assert "pytest" in readme_command("test")


@pytest.mark.parametrize("name", ["example", "test"])
def test_readme_continuous_integration_runs_exactly_this(name):
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("needs bash, in which .ci/run is written")
    command = [bash, str(CI), "--command", name]
    printed = subprocess.run(command, capture_output=True, text=True, check=True)
    assert printed.stdout == readme_command(name) + "\n"


def test_version_is_the_last_release_or_after_it():
    """Between two releases it ends in ``.dev0``, so that no file claims to be of a release."""
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    latest = re.search(r"^## \[(\d.*?)\] - \d{4}-\d\d-\d\d$", changelog, re.MULTILINE)
    released, own = Version(latest.group(1)), Version(jointwrench.__version__)
    assert own == released or (own > released and own.dev == 0)


def test_version_installed_under_it():
    try:
        installed = importlib.metadata.version("jointwrench")
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("jointwrench is on the path, but not installed")
    assert installed == jointwrench.__version__


#: Small uses of the package, one after the other, and what each may load of ``SLOW``.
STEPS = {
    "pass": set(),
    """
idyn = jw.InverseDynamics(jw.SerialChain.planar(1).system)
idyn.compile()([0], [0], [0], dict.fromkeys(idyn.constants, 1))
evaluate(jw.robots.read_urdf(ROBOT))
""": set(),
    """
jw.ForwardDynamics(jw.SerialChain.planar(1).system).simulate, jw.Trajectory
evaluate(jw.musculoskeletal.read_osim(jw.example_data("swing_leg.osim")))
""": {"interpolate", "linalg", "optimize", "spatial"},
}
ROBOT = robot(link("b"), joint("j", "continuous", "base", "b"))
HEAVY = {"Cython", "matplotlib", "numpy", "pydy", "scipy", "setuptools"}
SLOW = {"integrate", "interpolate", "linalg", "optimize", "signal", "spatial", "stats"}


def test_the_first_results_wait_for_little():
    """Importing scipy takes longer than deriving and compiling a small model."""
    code = f"""
import sys
import jointwrench as jw
ROBOT = {ROBOT!r}
def evaluate(model):
    compiled = model.inverse_dynamics().compile("generalized_forces")
    compiled(*([0.0] * len(compiled.inputs[name]) for name in ("q", "u", "udot")))
"""
    code += "".join(f"{step}\nprint(*sys.modules)\n" for step in STEPS)
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = [set(line.split()) for line in ran.stdout.splitlines()]
    assert not HEAVY & loaded[0]
    for allowed, names in zip(STEPS.values(), loaded, strict=True):
        assert SLOW & {x[6:] for x in names if x.startswith("scipy.")} <= allowed


def run_without_matplotlib(code):
    """Run code in a new process in which matplotlib cannot be imported."""
    block = "import sys; sys.modules['matplotlib'] = None\n"
    return subprocess.run([sys.executable, "-c", block + code], capture_output=True, text=True)


def test_every_name_is_there_without_matplotlib():
    code = "import inspect, jointwrench\nfrom jointwrench import *\n"
    run = run_without_matplotlib(f"{code}print(set(jointwrench.__all__) <= set(globals()))")
    assert run.stdout == "True\n", run.stderr


@pytest.mark.parametrize(
    "name", ["gait", "piglet_limb", "swinging_arm", "uncertain_gait", "whole_trial"]
)
def test_an_example_without_matplotlib_says_what_to_install(name, tmp_path, monkeypatch):
    script = str(ROOT / "examples" / f"{name}.py")
    monkeypatch.chdir(tmp_path)
    for module in ("matplotlib", "matplotlib.pyplot"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(SystemExit, match=r"needs matplotlib.* pip install '.\[plot\]'$") as caught:
        runpy.run_path(script, run_name="__main__")
    assert "\n" not in caught.value.code  # a text: it is printed, and the exit status is 1


def test_no_file_names_a_place_on_somebodys_machine():
    places = re.compile(r"/(?<![\w.:/~-]/)(?:home|opt|root|tmp|work|Users)/\w|:\\\\?Users")
    texts = {x: x.read_text(encoding="utf-8", errors="replace") for x in project_files()}
    pairs = ((x, match.group()) for x, text in texts.items() for match in places.finditer(text))
    found = [f"{path.relative_to(ROOT)}: {words}" for path, words in pairs]
    assert not found


# Documentation, after the idea of python-control's docstrings_test.py: nothing public goes
# undocumented, and no parameter does.


def public_objects():
    """Yield (name, object) of the public functions, classes and the methods of those."""
    for name, thing in PUBLIC.items():
        if inspect.isclass(thing) or inspect.isroutine(thing):
            yield name, thing
        if inspect.isclass(thing):
            yield from members(name, thing)


def members(name, cls):
    """Yield (name, object) of the public methods and properties that this package defines."""
    for key, _ in inspect.getmembers(cls):
        if key.startswith("_"):
            continue
        member = inspect.getattr_static(cls, key)
        if isinstance(member, (classmethod, staticmethod)):
            member = member.__func__
        if isinstance(member, property):
            definition = member.fget
        else:
            definition = inspect.unwrap(getattr(member, "func", member))
        module = getattr(definition, "__module__", None) or ""
        if inspect.isroutine(definition) and module.startswith("jointwrench"):
            yield f"{name}.{key}", member if isinstance(member, property) else definition


def undocumented(thing):
    """Return what the docstring leaves out: [] if nothing, ["docstring"] if there is none.

    A class or function needs an entry ``name : type`` for each of its parameters (several
    names may share one), a method has to mention each of them.
    """
    docstring = inspect.getdoc(thing) if thing.__doc__ else None
    if not docstring:
        return ["docstring"]
    if isinstance(thing, property) or is_exception(thing):
        return []
    if inspect.isclass(thing):  # and what it has of those that it is made from
        docstring = "".join(inspect.getdoc(cls) or "" for cls in thing.__mro__ if cls is not object)
    entry = r"(?m)^(?:[\w*]+, )*\*{{0,2}}{}(?:, [\w*]+)* : "
    if is_method(thing):
        entry = r"\b{}\b"
    names = (x for x in inspect.signature(thing).parameters if x not in {"self", "cls"})
    return [x for x in names if not re.search(entry.format(x), docstring)]


def is_method(thing):
    return inspect.isfunction(thing) and "." in thing.__qualname__.rpartition("<locals>.")[2]


def is_exception(thing):
    return inspect.isclass(thing) and issubclass(thing, Exception)


def test_public_names_and_their_parameters_are_documented():
    assert {name: x for name, thing in public_objects() if (x := undocumented(thing))} == {}


#: What the package calls, not its users.
METHODS = ("ForwardDynamics", "InverseDynamics", "Kinematics")
OF_SEGMENTS = ("distal_vector", "free_symbols", "inertia_dyadic", "inertia_frame")
NOT_CALLED = {"Kinematics.of_model", *(f"{name}.check_unchanged" for name in METHODS)}
NOT_CALLED |= {"Segment.mass_center_vector", *(f"Segment.{name}" for name in OF_SEGMENTS)}


def called_objects():
    """Yield (name, object) of what users call: no properties, and each method once."""
    seen = {}
    for name, thing in public_objects():
        owner, _, key = name.partition(".")
        static = inspect.getattr_static(PUBLIC[owner], key) if key else None
        is_attribute = isinstance(static, (property, functools.cached_property))
        if not is_attribute and name not in NOT_CALLED and seen.setdefault(thing, name) == name:
            yield name, thing


def left_out(thing):
    """Return what a docstring lacks beside its parameters."""
    text = inspect.getdoc(thing)
    sections = dict(re.findall(r"(?ms)^([A-Z][\w ]+)\n=+\n(.*?)(?=^[A-Z][\w ]+\n=+\n|\Z)", text))
    lacks = [name for name in ("See Also", "Examples") if name not in sections]
    code = "\n".join(re.findall(r"(?m)^(?:>>>|\.\.\.) .*", sections.get("Examples", "")))
    if "Examples" in sections and not re.search(r"(?m)^>>> import jointwrench as jw$", code):
        lacks.append("import jointwrench as jw")
    if "from jointwrench" in code:
        lacks.append("only that import")
    told = sections.get("Raises", "")
    return lacks + sorted(error for error in raised(thing) if error not in told)


def raised(thing):
    """Return the names of the errors that a function, or the making of an object, raises itself."""
    makers = [thing]
    if inspect.isclass(thing):
        if is_exception(thing):
            return set()
        makers = [vars(thing)[x] for x in ("__init__", "__post_init__") if x in vars(thing)]
    found = set()
    for maker in filter(inspect.isfunction, map(inspect.unwrap, makers)):
        if maker.__code__.co_filename.endswith(".py"):  # else that of a dataclass
            tree = ast.parse(textwrap.dedent(inspect.getsource(maker)))
            calls = (node.exc for node in ast.walk(tree) if isinstance(node, ast.Raise))
            found |= {call.func.id for call in calls if isinstance(call, ast.Call)}
    return found


def test_what_is_called_has_relatives_an_example_and_its_errors():
    assert {name: x for name, thing in called_objects() if (x := left_out(thing))} == {}


def without_docstring():
    pass


def with_entries(a, b, c, d, *args, **kwargs):
    """Mention of b.

    a : int
    c, d : int
    *args : int
    """


class WithEntry:
    """Text.

    a : int
    """

    def __init__(self, a, b):
        pass

    def method(self, c, d):
        """Mention of ``c``."""


def with_example(a):
    """Return nothing.

    Examples
    ========

    >>> from jointwrench import Wrench
    """
    if a:
        raise ValueError(a)


@pytest.mark.parametrize(
    ("find", "thing", "expected"),
    [
        (undocumented, without_docstring, ["docstring"]),
        (undocumented, with_entries, ["b", "kwargs"]),
        (undocumented, WithEntry, ["b"]),
        (undocumented, WithEntry.method, ["d"]),
        (
            left_out,
            with_example,
            ["See Also", "import jointwrench as jw", "only that import", "ValueError"],
        ),
    ],
)
def test_what_is_undocumented_is_found(find, thing, expected):
    assert find(thing) == expected


def test_undocumented_members_are_found():
    public = dict(public_objects())
    assert {"Wrench.about", "Wrench.from_matrix", "Wrench.force"} <= set(public)


def test_a_name_that_is_not_there():
    refused(lambda: jointwrench.InversDynamics, None, AttributeError)
    assert not hasattr(jointwrench, "__wrapped__")


class TestPackagedReadme:
    """The README that package indices show, where paths of the repository lead nowhere."""

    README = (ROOT / "README.md").read_text(encoding="utf-8")
    packaged = staticmethod(runpy.run_path(str(ROOT / "setup.py"))["packaged_readme"])

    def test_links_are_absolute(self):
        found = self.packaged(self.README, "https://a.example/own")
        targets = re.findall(r'\]\((.*?)\)|(?:src|srcset)="(.*?)"', found)
        assert len(targets) > 15
        for target in map("".join, targets):
            assert target.startswith(("https://", "#"))
            _, is_own, path = target.partition("https://a.example/own/")
            kind, _, file = path.partition("/main/")
            assert not is_own or (kind in ("blob", "raw") and (ROOT / file.split("#")[0]).exists())

    def test_versions_of_the_changelog_have_links(self):
        linked = runpy.run_path(str(ROOT / "setup.py"))["linked_changelog"]
        text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
        links = linked(text, "https://a.example/own").removeprefix(text).strip().splitlines()
        versions = re.findall(r"(?m)^## \[(.*?)\]", text)
        assert [re.match(r"\[(.*?)\]: https://a\.example/own/", x)[1] for x in links] == versions
        assert linked(text, None) == text

    def test_no_link_is_dead_without_an_address(self):
        found = self.packaged(self.README, None)
        targets = re.findall(r"\]\((.*?)\)", found)
        assert [x for x in targets if not x.startswith(("https://", "#"))] == []
        assert "src=" not in found
        own = re.findall(r"\[([^]]*)\]\((?!https:|#)", self.README)
        assert len(own) > 15
        assert [text for text in own if text not in found] == []


class TestLicences:
    """What the wheel carries is declared, file by file."""

    DATA = ROOT / "src" / "jointwrench" / "data"
    ROWS = re.findall(r"(?m)^\| (`.*`) \| (\S+)", (DATA / "SOURCE.md").read_text(encoding="utf-8"))

    def test_each_file_of_data_has_one(self):
        named = [name for cell, _ in self.ROWS for name in re.findall(r"`(.*?)`", cell)]
        files = {p.relative_to(self.DATA).as_posix() for p in self.DATA.rglob("*") if p.is_file()}
        assert sorted(named) == sorted(files - {"SOURCE.md", "LICENSE-Apache-2.0.txt"})

    def test_the_package_declares_all_of_them(self):
        project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
        (declared,) = re.findall(r'(?m)^license = "(.*?)"', project)
        assert set(declared.split(" AND ")) == {licence for _, licence in self.ROWS}


def test_release_refuses_what_is_not_ready(tmp_path):
    script = [shutil.which("bash") or "bash", ROOT / ".ci" / "release"]
    run = subprocess.run([*script, "one"], capture_output=True, text=True, check=False)
    assert run.returncode == 1
    assert "need a version such as 1.0.0, got 'one'" in run.stderr
