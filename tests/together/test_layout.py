"""The order of the folders: imports point downwards only, and there is no circle.

Imports inside functions, and those for types alone, count as all others do.
"""

import ast
import re
from collections import Counter
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import jointwrench

ROOT = Path(jointwrench.__file__).parent

#: From the lowest floor to the highest: each may import from those before it, and from itself.
FLOORS = (
    "checks",
    "hints",
    "records",
    "drawing",
    "signals",
    "recordings",
    "mechanics.sympy_objects",
    "mechanics.adapters",
    "mechanics.arithmetic",
    "mechanics.codegen.text",
    "mechanics.codegen.toolchain",
    "mechanics.codegen",
    "mechanics.spatial",
    "mechanics.mechanism",
    "mechanics.dynamics.recursion",
    "mechanics.dynamics.loops",
    "mechanics.dynamics",
    "mechanics.dynamics.outputs",
    "mechanics.evaluation.backends",
    "mechanics.evaluation",
    "mechanics.methods",
    "mechanics",
    "models",
    "motion",
    "forward",
    "friction",
    "verify",
    "model_files",
    "tracking",
    "extend",
    "indeterminate",
    "musculoskeletal",
    "robots",
    "identification",
    "propagation",
    "gait",
    "pictures",
)


@cache
def modules():
    """Return the names of all modules within the package, without the package's own."""
    paths = (path.relative_to(ROOT).with_suffix("") for path in ROOT.rglob("*.py"))
    names = (".".join(path.parts).removesuffix(".__init__") for path in paths)
    return sorted(name for name in names if name != "__init__")


def path_of(module):
    path = ROOT.joinpath(*module.split("."))  # of the package itself, too
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


@cache
def syntax(module):
    return ast.parse(path_of(module).read_text("utf-8"))


@cache
def nodes(module):
    return list(ast.walk(syntax(module)))


@cache
def names_from(module):
    """Return where a module's imports of the package's names come from, with these names."""
    is_folder = ROOT.joinpath(*module.split(".")).is_dir()
    home, found = module.split(".") if is_folder else parent(module), []
    for node in nodes(module):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = [*home[: len(home) - node.level + 1], *(node.module or "").split(".")]
            found += [(".".join(filter(None, base)), alias.name) for alias in node.names]
    return found


@cache
def imports(module):
    """Return the modules of the package that a module imports, those for types included.

    What stands in the package's own name space is not among them.
    """
    found = ((f"{home}.{name}".strip("."), home) for home, name in names_from(module))
    return {inner if inner in modules() else home for inner, home in found} - {""}


def parent(module):
    return module.split(".")[:-1]


def floor(module):
    """Return the floor of a module."""
    return FLOORS.index(max((f for f in FLOORS if f"{module}.".startswith(f"{f}.")), key=len))


def test_every_module_is_on_a_floor():
    assert len(modules()) > 80
    homeless = [m for m in modules() if not any(f"{m}.".startswith(f"{f}.") for f in FLOORS)]
    assert homeless == []


def test_imports_point_downwards():
    assert {floor(module) for module in modules()} == {*range(len(FLOORS))}
    upwards = [(m, other) for m in modules() for other in imports(m) if floor(other) > floor(m)]
    assert upwards == []


@pytest.mark.parametrize("folder", [[], *sorted({tuple(parent(m)) for m in modules()} - {()})])
def test_there_is_no_circle_within_a_folder(folder):
    """Of what stands side by side, files and folders, none leads back to itself."""
    depth, places = len(folder), {}
    for module in modules():
        if (parts := module.split("."))[:depth] == [*folder] and len(parts) > depth:
            others = (x.split(".") for x in imports(module))
            beside = {x[depth] for x in others if x[:depth] == [*folder] and len(x) > depth}
            places[parts[depth]] = places.get(parts[depth], set()) | beside - {parts[depth]}
    TopologicalSorter(places).prepare()


def test_no_module_of_the_package_is_imported_by_text():
    """Text would hide imports from the tests above, from type checkers and from editors."""
    by_text = {"import_module", "__import__", "importlib"}
    others = {"checks.messages", "mechanics.evaluation.backends.numpy_code"}  # other packages'
    assert {m for m in modules() if names_in(m) & by_text} == others
    absolute = [node for m in modules() for node in nodes(m) if isinstance(node, ast.Import)]
    absolute = [alias.name for node in absolute for alias in node.names]
    absolute += [node.module for m in modules() for node in nodes(m) if is_absolute(node)]
    assert len(absolute) > 500
    assert [name for name in absolute if name.split(".")[0] == "jointwrench"] == []


def is_absolute(node):
    return isinstance(node, ast.ImportFrom) and not node.level


def test_no_two_modules_have_one_name():
    names = Counter(m.split(".")[-1] for m in modules())
    assert [name for name, count in names.items() if count > 1] == []


#: How sympy is asked where points are and how frames are oriented.
QUESTIONS = {"dcm", "pos_from", "position_from", "orientations_between"}


def names_in(module):
    """Return all names that stand in the code of a module."""
    attributes = {node.attr for node in nodes(module) if isinstance(node, ast.Attribute)}
    return attributes | {node.id for node in nodes(module) if isinstance(node, ast.Name)}


def test_nothing_above_the_mechanism_asks_sympy_for_geometry():
    mechanism = [m for m in modules() if m.startswith("mechanics.mechanism.")]
    assert len([m for m in mechanism if names_in(m) & QUESTIONS]) > 3
    above = [m for m in modules() if floor(m) > FLOORS.index("mechanics.mechanism")]
    above = [m for m in above if not m.startswith("models.")]  # they say it in sympy's words
    assert len(above) > 50
    assert [m for m in above if names_in(m) & QUESTIONS] == []


def test_no_class_or_function_has_the_name_of_another():
    kinds = (ast.ClassDef, ast.FunctionDef)
    nodes = (x for module in modules() for x in syntax(module).body if isinstance(x, kinds))
    names = Counter(node.name for node in nodes if not node.name.startswith("_"))
    assert [name for name, count in names.items() if count > 1] == []


def test_the_map_for_contributors_is_true():
    page = ROOT.parents[1] / "CONTRIBUTING.md"
    if not page.exists():
        pytest.skip("an installed package has no CONTRIBUTING.md")
    text = page.read_text()
    places = re.findall(r"`((?:[a-z_]+/)+[a-z_]+\.pyx?)`", text.replace("src/jointwrench/", ""))
    assert len(places) > 15
    tour = (page.parent / "docs" / "explanation" / "core.rst").read_text("utf-8")
    tests = page.parent / "tests"
    files = {path.name for path in (*ROOT.rglob("*.py"), *tests.rglob("*.py"))}
    assert {*re.findall(r"``(?:\w+/)*(\w+\.py)``", tour)} <= files
    homes = ROOT, page.parent
    assert [place for place in places if not any((home / place).is_file() for home in homes)] == []
    folders = {x.parent.name for d in ("*", "mechanics/*") for x in ROOT.glob(f"{d}/__init__.py")}
    assert [folder for folder in folders if f"`{folder}`" not in text] == []
