"""A type checker tells a user's mistakes; annotations can be evaluated."""

import inspect
import re
import typing

import pytest
import sympy
from public import ADDRESSES

from jointwrench import extend

MISTAKES = """
import jointwrench as jw
from jointwrench.extend import DeclaredOutput

chain = jw.SerialChain.planar(1)
idyn, fdyn = jw.InverseDynamics(chain.system), jw.ForwardDynamics(chain.system)
run = fdyn.simulate([0, 1], [0.1], [0.0], {})
run.events + 1  # wrong: run is one Simulation
fdyn.simulate([0, 1], [0.1], [0.0], {}, method="Euler")  # wrong
idyn.compile(backend="fortran")  # wrong
idyn.write_c("model", precision="half")  # wrong
idyn.compile(backend="c", threads=2)
idyn.compile("joint_wrenchs")  # wrong
idyn.compile(["generalized_forces", "joint_wrenchs"])  # wrong
fdyn.compile("generalized_forces")  # wrong
own = DeclaredOutput("own", (), lambda model: [1])
jw.InverseDynamics(chain.system, outputs=[own]).compile(["bias", own])
jw.InverseDynamics(chain.system, redundancy="least")  # wrong
result = idyn.compile()(q=[0], u=[0], udot=[0])
result.joint_wrench("pin", abuot=chain.tip)  # wrong
jw.FreeJoint("free", chain.ground, chain.bodies[0], rotation="euler")  # wrong
jw.Segment("rod", 1.0, 1.0, direction="up")  # wrong
jw.signals.Smoothing(cutoff=6.0, gaps="interpolate")  # wrong
jw.propagation.uncertainty(idyn.compile(), run, method="bootstrap")  # wrong
"""


@pytest.mark.slow
def test_mypy_tells_mistakes(tmp_path):
    api = pytest.importorskip("mypy.api", reason="needs mypy")
    path = tmp_path / "mistakes.py"
    path.write_text(MISTAKES, encoding="utf-8")
    told, problems, _ = api.run([str(path), "--cache-dir", str(tmp_path / "cache")])
    assert problems == ""
    found = {int(k) for k in re.findall(r"mistakes.py:(\d+): error", told)}
    wrong = {k for k, line in enumerate(MISTAKES.splitlines(), 1) if "# wrong" in line}
    assert found == wrong, told


def annotated(thing):
    """Yield a public class or function, and the methods and properties of a class."""
    yield thing
    for name in dir(thing) if inspect.isclass(thing) else ():
        if name in ("__init__", "__call__") or not name.startswith("_"):
            member = inspect.getattr_static(thing, name)
            attributes = (getattr(member, x, None) for x in ("__func__", "fget", "func"))
            yield next(filter(None, attributes), member)


def test_annotations_can_be_evaluated():
    """Names that are imported for type checkers alone are not there; those of `hints` are."""
    failing, count = {}, 0
    extensions = {name: getattr(extend, name) for name in extend.__all__}
    for address, thing in {**ADDRESSES, **extensions}.items():
        if sympy.Basic in getattr(thing, "__mro__", ()):
            continue  # annotations of sympy's own cannot be evaluated
        for part in annotated(thing):
            if getattr(part, "__module__", "").startswith("jointwrench"):
                count += 1
                try:
                    typing.get_type_hints(part)
                except NameError as error:
                    failing[f"{address}: {part.__qualname__}"] = error.name
    assert count > 700
    assert failing == {}, "import these names at run time, or list them in hints.pyi: hints.Name"
