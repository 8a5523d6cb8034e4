"""The same torques by other means; each is skipped with a line where it is missing."""

import contextlib
import os
import tempfile
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from models import Robot, mujoco_xml
from sympy import Matrix, Symbol, lambdify
from sympy.physics.mechanics import System, dynamicsymbols
from timing import skip

#: Takes one sample of q, u, udot and returns the torques.
Single = Callable[[np.ndarray, np.ndarray, np.ndarray], Any]


def pinocchio_rnea(robot: Robot) -> Single:
    """Return Pinocchio's recursive Newton-Euler algorithm."""
    import pinocchio

    model, data = robot.pinocchio, robot.pinocchio.createData()
    return lambda q, u, udot: pinocchio.rnea(model, data, q, u, udot)


def mujoco_inverse(robot: Robot) -> Single:
    """Return MuJoCo's inverse dynamics."""
    import mujoco

    model = mujoco.MjModel.from_xml_string(mujoco_xml(robot.pinocchio))
    data = mujoco.MjData(model)

    def run(q: np.ndarray, u: np.ndarray, udot: np.ndarray) -> np.ndarray:
        data.qpos[:], data.qvel[:], data.qacc[:] = q, u, udot
        mujoco.mj_inverse(model, data)
        return data.qfrc_inverse

    return run


def kane_equations(system: System, constants: Any) -> tuple[Matrix, list[list[Symbol]]]:
    """Return the torques by KanesMethod, and the groups of symbols that they depend on."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        system.form_eoms()
    time = dynamicsymbols._t
    udot = system.u.diff(time)
    torques = (system.mass_matrix * udot - system.forcing).xreplace(constants)
    torques = torques.xreplace(dict(zip(system.q.diff(time), system.u, strict=True)))
    groups = [list(group) for group in (system.q, system.u, udot)]
    # Code printers want plain symbols.
    plain = [[Symbol(f"x{i}_{k}") for k in range(len(g))] for i, g in enumerate(groups)]
    names = {s: x for g, p in zip(groups, plain, strict=True) for s, x in zip(g, p, strict=True)}
    return torques.xreplace(names), plain


def lambdified(torques: Matrix, groups: list[list[Symbol]]) -> Callable[..., Any]:
    """Return sympy.lambdify of torques with common sub-expressions, for columns of samples."""
    return lambdify([[x for group in groups for x in group]], list(torques), "numpy", cse=True)


def pydy_cython(torques: Matrix, groups: list[list[Symbol]]) -> Single:
    """Return PyDy's Cython function for torques."""
    from pydy.codegen.cython_code import CythonMatrixGenerator

    generator = CythonMatrixGenerator(groups, [torques])
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        function = generator.compile(tmp_dir=os.path.join(folder, "build"))
    result = np.empty(len(torques))
    return lambda q, u, udot: function(q, u, udot, result)


def available(makers: dict[str, Callable[[], Any]]) -> dict[str, Any]:
    """Return what could be made, by name; say what could not."""
    made = {}
    for name, make in makers.items():
        try:
            made[name] = make()
        except ImportError as error:
            skip(name, error)
    return made
