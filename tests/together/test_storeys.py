"""What each package may import, and the namespaces that applications go through."""

import ast
import importlib
import re
import subprocess
import sys

import pytest
from refusals import refused
from test_layout import ROOT, modules, names_from, nodes

import jointwrench as jw
import jointwrench.extend

#: No mechanics, no compiler: numbers, files and messages alone.
GROUND = ("checks", "records", "drawing", "signals", "recordings")
CORE = ("mechanics",)
#: They stand on the core, which knows none of them.
ROUND = ("models", "motion", "forward", "friction", "verify", "model_files", "tracking")
APPLICATIONS = ("gait", "musculoskeletal", "robots", "identification", "propagation", "pictures")
APPLICATIONS += ("indeterminate",)


def package(module):
    return module.split(".")[0]


def of(packages):
    found = [module for module in modules() if package(module) in packages]
    assert len(found) > len(packages)
    return found


def used_names(module):
    """Return a module's imports, without ``hints``, which loads types when asked for."""
    return [(home, name) for home, name in names_from(module) if (home, name) != ("", "hints")]


def offered(namespace):
    """Return what a stub offers: (module, name)."""
    folder = ROOT / namespace
    stub = folder / "__init__.pyi" if folder.is_dir() else ROOT / f"{namespace}.pyi"
    nodes = (node for node in ast.walk(ast.parse(stub.read_text())) if hasattr(node, "names"))
    return {(node.module, alias.name) for node in nodes if node.module for alias in node.names}


def test_what_is_below_does_not_ask_the_package_itself():
    """It has the names of all; that other imports point downwards is a law of ``test_layout``."""
    below = of(GROUND + CORE + ROUND)
    assert [(m, name) for m in below for home, name in used_names(m) if not home] == []


def texts(module):
    """Return the texts in a module's code, without docstrings."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
    own = [x for x in nodes(module) if isinstance(x, documented) and ast.get_docstring(x)]
    docs = [x.body[0].value for x in own]
    constants = [node for node in nodes(module) if isinstance(node, ast.Constant)]
    return [x.value for x in constants if isinstance(x.value, str) and x not in docs]


def test_messages_of_the_core_name_no_application_and_no_law():
    names = {name for own in {*APPLICATIONS} & {*jw.NAMESPACES} for _, name in offered(own)}
    rooms = ("friction", "verify", "model_files", "tracking", "indeterminate")
    names |= {name for module, name in offered("") if package(module) in rooms}
    names = {name for name in names if name != name.lower() or "_" in name}  # no usual words
    assert len(names) > 50
    assert sum(len(texts(m)) for m in of(CORE)) > 1000
    found = [(m, x) for m in of(CORE) for x in texts(m) if names & {*re.findall(r"\w+", x)}]
    assert found == []


@pytest.mark.parametrize("own", APPLICATIONS)
def test_an_application_stands_on_public_names(own):
    """Of the core it uses what is public or stands in ``extend``, and no other application."""
    public = {name for _, name in offered("")}
    for module in of([own]):
        for home, name in used_names(module):
            is_open = name in public if home == "" else package(home) in (own, "extend", *GROUND)
            assert is_open, f"{module}: {name} of {home or 'jointwrench'}"


@pytest.mark.parametrize("namespace", jw.NAMESPACES)
def test_a_name_is_public_where_its_module_is(namespace):
    """So it has one address, which no module of that name hides."""
    for module, name in offered(namespace):
        assert ROOT.joinpath(namespace, *module.split(".")).with_suffix(".py").is_file()
        assert f"{namespace}.{name}" not in modules()


def test_packages_depend_on_few_others():
    """20 packages, at most 70 arrows between them, no circle; a namespace leads to the core."""
    packages, arrows = {*GROUND, *CORE, *ROUND, *APPLICATIONS}, set()
    for module in of(packages):
        found = {package(x) for x, _ in used_names(module)}
        own = package(module)
        arrows |= {(own, x if x in packages else CORE[0]) for x in found} - {(own, own)}

    def height(one, *above):
        assert one not in above
        return 1 + max([height(x, one, *above) for own, x in arrows if own == one], default=0)

    assert len(packages) == 20
    assert len(arrows) <= 70
    assert max(map(height, packages)) == 7


def test_few_names_are_the_core():
    assert len(offered("")) <= 60


def test_few_names_are_for_extensions():
    """They may become fewer; the page has each."""
    names = {name for _, name in offered("extend")}
    page = ROOT.parents[1] / "docs" / "explanation" / "extend.rst"
    told = set(re.findall(r"^ {0,3}(?:``)?(\w+)(?:``)?(?: |$)", page.read_text("utf-8"), re.M))
    assert len(names) <= 40
    assert names - told == set()


def test_an_old_name_says_where_it_went():
    refused(lambda: jw.gait_report, None, AttributeError)
    refused(lambda: jw.gait.gait_repot, None, AttributeError)
    refused(lambda: jw.recordings.Table, None, AttributeError)
    assert isinstance(jw.extend.DeclaredOutput, type)
    refused(lambda: jw.DeclaredOutput, None, AttributeError)
    refused(lambda: jw.optimal_control, None, AttributeError)
    refused(lambda: jw.musculoskeletal.run_setup, None, AttributeError)


@pytest.mark.parametrize("old", ["read_c3d", "gait.read_c3d"])
def test_an_import_by_an_old_name_says_where_it_went(old):
    package, _, name = f"jointwrench.{old}".rpartition(".")
    refused(lambda: exec(f"from {package} import {name}"), None, ImportError)
    assert not hasattr(importlib.import_module(package), name)


#: A use, how many modules of the package it loads at most, and whether it needs sympy.
USES = {
    "jw.signals.butterworth": (12, False),
    "jw.recordings.read_c3d": (28, False),
    "jw.recordings.ForcePlate": (18, False),
    "jw.gait.gait_report": (42, False),
    "jw.InverseDynamics(jw.SerialChain.planar(2).system)": (92, True),
}


def test_a_use_loads_little():
    """Each begins without modules of the package."""
    code = """
import sys
for use in sys.argv[1:]:
    for name in [name for name in sys.modules if name.startswith("jointwrench")]:
        del sys.modules[name]
    import jointwrench as jw
    exec(use)
    print(*sys.modules)
"""
    command = [sys.executable, "-c", code, *USES]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    for use, line in zip(USES, ran.stdout.splitlines(), strict=True):
        most, needs_sympy = USES[use]
        loaded = line.split()
        assert len([name for name in loaded if name.startswith("jointwrench")]) <= most, use
        assert ("sympy" in loaded) is needs_sympy, use
