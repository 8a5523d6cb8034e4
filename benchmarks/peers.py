"""The same torques by other programs; a missing C++ library is skipped with a message."""

import tempfile
import warnings
from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
from models import Robot, mujoco_xml
from sympy import Matrix, Symbol, lambdify
from sympy.physics.mechanics import System, dynamicsymbols
from timing import skip

#: Takes one sample of q, u, udot and returns the torques.
Single = Callable[[np.ndarray, np.ndarray, np.ndarray], Any]

CYTHON = "KanesMethod + PyDy's Cython"
LAMBDIFY = "KanesMethod + lambdify(cse=True)"


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


def libraries(robot: Robot) -> dict[str, Single]:
    """Return the inverse dynamics of the C++ libraries that are installed, by name."""
    makers = {"pin.rnea": pinocchio_rnea, "mj_inverse": mujoco_inverse}
    made = {}
    for name, make in makers.items():
        try:
            made[name] = make(robot)
        except ImportError as error:
            skip(name, error)
    return made


class Kane:
    """Torques by KanesMethod, for PyDy's and sympy's code generators.

    Parameters
    ==========

    system : System
        The model.
    constants : mapping of Symbol to number
        Constants that become numbers; the others follow q, u and udot.
    """

    def __init__(self, system: System, constants: Any) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            system.form_eoms()
        udot = system.u.diff(dynamicsymbols._t)
        torques = (system.mass_matrix * udot - system.forcing).xreplace(constants)
        rates = dict(zip(system.q.diff(dynamicsymbols._t), system.u, strict=True))
        torques, groups = torques.xreplace(rates), (system.q, system.u, udot)
        # Code printers want plain symbols.
        self.groups = [[Symbol(f"x{i}_{k}") for k in range(len(g))] for i, g in enumerate(groups)]
        names = {
            symbol: plain
            for group, plains in zip(groups, self.groups, strict=True)
            for symbol, plain in zip(group, plains, strict=True)
        }
        self.torques: Matrix = torques.xreplace(names)
        known = {symbol for group in self.groups for symbol in group}
        left = sorted(self.torques.free_symbols - known, key=str)
        self.groups += [left] if left else []

    @cached_property
    def lambdified(self) -> Callable[..., Any]:
        """The function of sympy.lambdify, of one sequence: numbers, or columns of samples."""
        arguments = [symbol for group in self.groups for symbol in group]
        return lambdify([arguments], list(self.torques), "numpy", cse=True)

    @cached_property
    def cython(self) -> Single:
        """PyDy's Cython function of one sample."""
        from pydy.codegen.cython_code import CythonMatrixGenerator

        generator = CythonMatrixGenerator(self.groups, [self.torques])
        with tempfile.TemporaryDirectory() as folder:
            function = generator.compile(tmp_dir=folder)
        result = np.empty(len(self.torques))
        return lambda q, u, udot: function(q, u, udot, result)
