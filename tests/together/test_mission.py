"""What one must hold in the head: the files and lines of code that a run of the mission loads.

The mission is a wrench, a chain, a System with loads to solve for, a KanesMethod, compiled code, a
simulation and the crosscheck.  ``mission.json`` has what it loaded when the bars were set: the test
names what came.
"""

import ast
import json
import re
import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from test_layout import ROOT, imports, modules, path_of

BARS = json.loads((Path(__file__).parent / "mission.json").read_text())

CHAIN = """
import numpy as np
import jointwrench as jw

limb = jw.SerialChain.planar(3, gravity=(0, -9.81, 0))
idyn = jw.InverseDynamics(limb.system)
evaluate, numbers = idyn.compile(), dict.fromkeys(idyn.constants, 1.0)
result = evaluate(*np.random.default_rng(0).normal(size=(3, 1000, 3)), constants=numbers)
result.generalized_forces, result.joint_wrenches, result.joint_wrench(limb.joints[1])
"""

MISSION = """
from sympy import symbols
from sympy.physics.mechanics import *

N, A, q, u = ReferenceFrame("N"), ReferenceFrame("A"), *dynamicsymbols("q u")
A.orient_axis(N, q, N.z)
O = Point("O")
O.set_vel(N, 0)
wrench = jw.Wrench(O.locatenew("P", 2 * A.x), 3 * A.x, A.z)
(wrench + wrench - wrench).to_matrix(N)
str(idyn.joint_wrench(limb.joints[1])), str(idyn.generalized_forces)

m, l, g = symbols("m l g")
ground, rod = RigidBody("ground"), RigidBody("rod", mass=m)
rod.central_inertia = inertia(rod.frame, m * l**2 / 12, 0, m * l**2 / 12)
system = System.from_newtonian(ground)
pin = PinJoint("pin", ground, rod, child_point=l / 2 * rod.y, joint_axis=ground.z)
system.add_joints(pin)
system.apply_uniform_gravity(-g * ground.y)
own = jw.InverseDynamics(system)
own.generalized_forces, own.joint_wrench(pin)
tau = dynamicsymbols("tau")
system.add_actuators(TorqueActuator(tau, ground.z, rod.frame, ground.frame))
jw.InverseDynamics(system, solve_for=[tau]).solved_loads

A = ReferenceFrame("A")
A.orient_axis(N, q, N.z)
A.set_ang_vel(N, u * N.z)
P = O.locatenew("P", -l * A.y)
P.v2pt_theory(O, N, A)
bob = Particle("bob", P, m)
forces = [(P, -m * g * N.y)]
kane = KanesMethod(N, [q], [u], [q.diff() - u], bodies=[bob], forcelist=forces)
jw.InverseDynamics.from_kane(kane, [(N, bob, O)]).compile()

t = np.linspace(0, 1, 50)
jw.ForwardDynamics(limb.system).simulate(t, [0.1] * 3, [0] * 3, constants=numbers)
waves = np.stack([np.sin(t), np.cos(t), np.sin(2 * t)], axis=1)
motion = jw.Trajectory.from_samples(t, waves, idyn=idyn)
str(jw.crosscheck(idyn, motion, t, constants=numbers))
"""

LOADED = """
import sys
own = {n: m.__file__ or "" for n, m in sys.modules.items() if n.startswith("jointwrench")}
print(*(name for name, file in own.items() if file.endswith(".py")))
"""


@cache
def code_lines(text):
    """Return the number of lines that are neither blank nor comments nor docstrings."""
    documented = set()
    with_docstrings = ast.Module, ast.ClassDef, ast.FunctionDef
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, with_docstrings) and ast.get_docstring(node):
            documented.update(range(node.body[0].lineno, node.body[0].end_lineno + 1))
    lines = enumerate(map(str.strip, text.splitlines()), 1)
    return sum(bool(x) and x[0] != "#" and n not in documented for n, x in lines)


def filled_lines(text):
    return sum(map(bool, map(str.strip, text.splitlines())))


@pytest.fixture(scope="module")
def loaded():
    """The modules that the chain loads, and those of the whole mission, which begins with it."""
    command = [sys.executable, "-W", "ignore", "-c", CHAIN + LOADED + MISSION + LOADED]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    return dict(zip(("chain", "mission"), map(str.split, ran.stdout.splitlines()), strict=True))


def reachable(loaded):
    """Return the modules that ``loaded`` ones import, also inside functions and for types."""
    found, left = set(), {x.partition(".")[2] for x in loaded}
    while left:
        found |= left
        left = {x for module in left for x in imports(module)} & {*modules()} - found
    return found


def sizes_of(names):
    """Return the number of code lines of modules, and of the C that kernels are made of."""
    sizes = {name: code_lines(path_of(name).read_text("utf-8")) for name in names}
    for path in (ROOT / "mechanics/codegen/text").glob("*.c"):
        sizes[path.name] = filled_lines(path.read_text("utf-8"))
    return sizes


@pytest.mark.parametrize("name", ["chain", "mission"])
def test_a_run_loads_little(loaded, name):
    """Whoever raises a bar of ``mission.json`` says in the commit what it is worth."""
    bar, names = BARS[name], {module.partition(".")[2] for module in loaded[name]}
    sizes, more = sizes_of(names), reachable(loaded[name])
    print(f"{name}: {sum(sizes.values())} lines in {len(names)} files are loaded,")
    print(f"{sum(sizes_of(more).values())} lines in {len(more)} files reachable by imports")
    new = {x: n for x, n in sizes.items() if x not in bar["modules"]}
    assert len(names) <= bar["files"], f"{len(names)} files are loaded; new are {sorted(new)}"
    grown = {x: n for x, n in new.items() if n > 0}
    text = f"{sum(sizes.values())} lines are loaded; in new files {grown}, the others in old ones"
    assert sum(sizes.values()) <= bar["lines"], text
    assert sum(sizes_of(more).values()) <= bar["reachable"]


def test_the_fast_path_of_calls_is_short():
    """Every call goes through this file, which *A tour of the core* explains."""
    path = ROOT / "mechanics/evaluation/backends/_native.pyx"
    if not path.exists():
        pytest.skip("an installed package has no sources in Cython")
    lines = filled_lines(re.sub(r"(?m)^ *#.*", "", path.read_text("utf-8")))
    print(f"fast path: {lines} lines of Cython")
    assert lines <= BARS["fast path"]


def test_friction_is_named_in_few_lines_of_the_core():
    """What it needs is in its room; literal names, for type checkers, are not counted."""
    found = []
    for path in sorted((ROOT / "mechanics").rglob("*.py")):
        text = path.read_text("utf-8")
        if path.stem != "output_names":
            bare = re.sub(r'""".*?"""|#[^\n]*', "", text, flags=re.DOTALL)
            found += [
                f"{path.name}: {x.strip()}" for x in bare.splitlines() if "friction" in x.lower()
            ]
    assert len(found) <= BARS["friction"], found


def test_the_package_is_small():
    """C counts where it stands beside Python: in poses, where it replaced it."""
    found = Counter()
    for path in (*ROOT.rglob("*.py"), *(ROOT / "tracking").glob("*.c")):
        text, room = path.read_text("utf-8"), path.relative_to(ROOT).parts[0]
        found[room] += code_lines(text) if path.suffix == ".py" else filled_lines(text)
    found["package"] = found.total()
    larger = {room: found[room] - bar for room, bar in BARS["rooms"].items() if found[room] > bar}
    assert larger == {}, "lines above tests/together/mission.json: delete some, or raise it"
