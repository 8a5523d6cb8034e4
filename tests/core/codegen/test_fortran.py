"""Compiled kernels are called from Fortran as the documentation says."""

import ctypes
import subprocess
from pathlib import Path
from textwrap import dedent

import numpy as np
import pytest

from jointwrench import InverseDynamics, SerialChain

RECIPE = Path(__file__).parents[3] / "docs" / "recipes" / "other_libraries.rst"


@pytest.mark.needs(program="gfortran")
def test_the_function_of_the_recipe(tmp_path):
    block = RECIPE.read_text().split(".. code-block:: fortran\n\n")[1]
    lines = block.split("\nOther languages")[0].splitlines()
    (source := tmp_path / "own.f90").write_text(dedent("\n".join(lines)) + "\n")
    library = tmp_path / "own.so"
    options = ["-O2", "-Wall", "-Werror", "-shared", "-fPIC", "-o", library, source]
    subprocess.run(["gfortran", *options], check=True)
    largest = ctypes.CDLL(library).largest
    largest.restype = ctypes.c_double
    chain = SerialChain.planar(2, gravity=(0, -9.81, 0))
    values = dict.fromkeys(chain.constants, 0.7)
    idyn = InverseDynamics(chain.system)
    evaluate = idyn.compile(("generalized_forces", "mass_matrix"), values)
    q, still = np.random.default_rng(0).uniform(-np.pi, np.pi, (1000, 2)), np.zeros(2)
    found = largest(
        ctypes.c_void_p(evaluate.address), ctypes.c_ssize_t(1000), ctypes.c_void_p(q.ctypes.data)
    )
    assert found == abs(evaluate(q, still, still).generalized_forces[:, 0]).max()
