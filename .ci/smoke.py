"""Does an installed package work?  Run it where nothing but the wheel was installed.

python .ci/smoke.py
"""

import importlib.metadata
import subprocess
import sysconfig
import tempfile
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import numpy as np

import jointwrench as jw

home = Path(jw.__file__).parent
assert "site-packages" in home.parts, f"{home} is no installed package"
assert importlib.metadata.version("jointwrench") == jw.__version__
assert (home / "py.typed").exists()
assert (home / "__init__.pyi").exists()
assert (home / "hints.pyi").exists()
assert jw.recordings.read_trc(jw.example_data("whole_trial/walk.trc")).times.size == 151
for folder in ("mechanics/evaluation/backends", "tracking", "indeterminate"):
    built = [x for x in (home / folder).iterdir() if x.name.endswith(tuple(EXTENSION_SUFFIXES))]
    assert built, f"the extension of {folder} was not built"

chain = jw.SerialChain.planar(2, gravity=(0, -9.81, 0))
idyn = jw.InverseDynamics(chain.system)
numbers = {"l_0": 0.5, "l_1": 0.4, "m_0": 2.0, "m_1": 1.0, "I_0": 0.05, "I_1": 0.02}
constants = {symbol: numbers[symbol.name] for symbol in idyn.constants}
q, u, udot = np.random.default_rng(0).normal(size=(3, 100, 2))
compiled, slow = (
    idyn.compile(backend=backend)(q, u, udot, constants=constants) for backend in ("c", "numpy")
)
np.testing.assert_allclose(compiled.joint_wrenches, slow.joint_wrenches, rtol=1e-12, atol=1e-12)
at_rest = idyn.compile()([0, 0], [0, 0], [0, 0], constants=constants)
np.testing.assert_allclose(at_rest.joint_wrench(chain.joints[0])[1], 3 * 9.81)

reach = jw.PoseSolver(chain, {"tip": chain.tip}, constants={"l_0": 0.5, "l_1": 0.4})
assert reach({"tip": [0.3, 0.6, 0]}).reached
with tempfile.TemporaryDirectory() as name:
    source, _ = reach.write_c(Path(name) / "reach.c")
    command = [*sysconfig.get_config_var("CC").split(), "-c", source, "-o", f"{name}/reach.o"]
    subprocess.run(command, check=True)
print(f"jointwrench {jw.__version__} works in {home}")
