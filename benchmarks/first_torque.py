"""Time from the start to the first torques: seconds of processor time, each in a new process.

From ``import numpy`` on: a double pendulum of sympy's, the Panda's URDF (of the package's example
data), Gait2354's skeleton from an OpenSim file (gait2354.py), and a saved evaluator; with a cache
of compiled code, and without (including the compiler's time).  Pinocchio and MuJoCo read the same
URDF and compute the same torques, where they are installed.  Options: --repeats (the shortest
counts), --other, a checkout to compare with, run alternately.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from timing import print_table

ROOT = Path(__file__).parents[1]

#: The code of each case, after ``import numpy as np``; ``BENCHMARKS``, ``FOLDER``: placeholders.
PANDA = "jw.robots.read_urdf(jw.example_data('panda.urdf'))"
EVALUATED = """
evaluate = model.inverse_dynamics().compile("generalized_forces")
evaluate(*(np.zeros(len(evaluate.inputs[name])) for name in ("q", "u", "udot")))
"""
CASES = {
    "double pendulum": """
import jointwrench as jw
chain = jw.SerialChain.planar(2, gravity=(0, -9.81, 0))
idyn = jw.InverseDynamics(chain.system)
idyn.compile()([0.1, 0.2], [0, 0], [0, 0], dict.fromkeys(idyn.constants, 0.5))
""",
    "Panda, URDF": f"import jointwrench as jw\nmodel = {PANDA}{EVALUATED}",
    "23 coordinates, OpenSim": f"""
import sys, jointwrench as jw
sys.path.append("BENCHMARKS")
from gait2354 import gait2354_text
model = jw.musculoskeletal.read_osim(gait2354_text()){EVALUATED}""",
    "Panda, saved evaluator": """
import jointwrench as jw
jw.load("FOLDER/panda.json")(*np.zeros((3, 7)))
""",
    "Panda, Pinocchio": """
import pinocchio
from importlib.resources import files
model = pinocchio.buildModelFromUrdf(str(files("jointwrench") / "data" / "panda.urdf"))
pinocchio.rnea(model, model.createData(), *(np.zeros(model.nv) for _ in range(3)))
""",
    "Panda, MuJoCo": """
import mujoco
from importlib.resources import files
model = mujoco.MjModel.from_xml_path(str(files("jointwrench") / "data" / "panda.urdf"))
mujoco.mj_inverse(model, mujoco.MjData(model))
""",
}
#: Cases that need another library.
LIBRARIES = ("Panda, Pinocchio", "Panda, MuJoCo")
TOLD = "\nimport os\nprint(sum(os.times()[:4]))"


def seconds(case: str, checkout: Path, folder: str, is_cold: bool) -> float | None:
    """Return the processor time of a new process, None where a library is missing."""
    code = CASES[case].replace("BENCHMARKS", str(ROOT / "benchmarks")).replace("FOLDER", folder)
    own = {"PYTHONPATH": str(checkout / "src"), "OPENBLAS_NUM_THREADS": "1"}
    with tempfile.TemporaryDirectory() as empty:
        own["JOINTWRENCH_CACHE"] = empty if is_cold else f"{folder}/{checkout.name}"
        done = subprocess.run(
            [sys.executable, "-c", f"import numpy as np\n{code}{TOLD}"],
            env={**os.environ, **own},
            capture_output=True,
            text=True,
        )
    if done.returncode and case in LIBRARIES and "ModuleNotFoundError" in done.stderr:
        return None
    if done.returncode:
        raise SystemExit(f"{case}, {checkout}:\n{done.stderr}")
    return float(done.stdout.split()[-1])


def shortest(case: str, checkouts: Sequence[Path], folder: str, repeats: int) -> list[str]:
    """Return the shortest times of each checkout with and without a cache."""
    kinds = [(checkout, is_cold) for checkout in checkouts for is_cold in (False, True)]
    for checkout in checkouts:
        seconds(case, checkout, folder, False)  # fills the cache
    turns = [[seconds(case, own, folder, cold) for own, cold in kinds] for _ in range(repeats)]
    columns = [[x for x in times if x is not None] for times in zip(*turns, strict=True)]
    return [f"{min(times):.2f}" if times else "-" for times in columns]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Processor time to the first torques.")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--cases", nargs="*", default=list(CASES), choices=list(CASES))
    parser.add_argument("--other", help="a checkout of another version")
    given = parser.parse_args()
    checkouts = [ROOT, *([Path(given.other)] if given.other else [])]
    with tempfile.TemporaryDirectory() as folder:
        save = f"import jointwrench as jw\n{PANDA}.inverse_dynamics().compile('generalized_forces')"
        own = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
        code = f"{save}.save({folder + '/panda.json'!r})"
        subprocess.run([sys.executable, "-c", code], env=own, check=True)
        rows = [[case, *shortest(case, checkouts, folder, given.repeats)] for case in given.cases]
    head = ["model", "with a cache, s", "without, s"]
    head += ["the other with a cache, s", "the other without, s"] if given.other else []
    print_table("From the start to the first torques", head, rows)


if __name__ == "__main__":
    main()
