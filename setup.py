"""The parts that are compiled; where that fails, the package does without them."""

import numpy
from setuptools import Extension, setup

NATIVE = Extension(
    "jointwrench.mechanics.evaluation.backends._native",
    ["src/jointwrench/mechanics/evaluation/backends/_native.pyx"],
    include_dirs=[numpy.get_include(), "src/jointwrench/mechanics/evaluation/backends"],
    depends=["src/jointwrench/mechanics/evaluation/backends/memory.h"],
    define_macros=[("NPY_NO_DEPRECATED_API", "NPY_1_7_API_VERSION")],
    optional=True,
)
SQUARES = Extension(
    "jointwrench.tracking._squares",
    ["src/jointwrench/tracking/_squares.pyx"],
    include_dirs=["src/jointwrench/tracking"],
    depends=["src/jointwrench/tracking/squares.c"],
    optional=True,
)

SIMPLEX = Extension(
    "jointwrench.indeterminate._simplex",
    ["src/jointwrench/indeterminate/_simplex.pyx"],
    include_dirs=["src/jointwrench/indeterminate"],
    depends=["src/jointwrench/indeterminate/simplex.c"],
    optional=True,
)

setup(ext_modules=[NATIVE, SQUARES, SIMPLEX], options={"build_ext": {"cython_c_in_temp": True}})
