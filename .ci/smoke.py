"""Does an installed package work?  Run it where nothing but the wheel was installed.

python .ci/smoke.py
"""

import importlib.metadata
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import numpy as np

import jointwrench as jw

home = Path(jw.__file__).parent
assert "site-packages" in home.parts, f"{home} is no installed package"
assert importlib.metadata.version("jointwrench") == jw.__version__
assert (home / "py.typed").exists()
assert (home / "__init__.pyi").exists()
assert jw.recordings.read_trc(jw.example_data("whole_trial/walk.trc")).times.size == 151
backends = home / "mechanics" / "evaluation" / "backends"
built = [x for x in backends.iterdir() if x.name.endswith(tuple(EXTENSION_SUFFIXES))]
assert built, "the extension was not built"

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
print(f"jointwrench {jw.__version__} works in {home}")
