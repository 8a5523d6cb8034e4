"""A type checker tells a user's mistakes."""

import re

import pytest

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
