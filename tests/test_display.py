"""What objects show of themselves in a notebook."""

import re

import numpy as np
import pytest
from sympy import symbols
from sympy.core._print_helpers import Printable
from sympy.physics.mechanics import Point, ReferenceFrame, dynamicsymbols, init_vprinting

from jointwrench import (
    ForwardDynamics,
    InverseDynamics,
    SerialChain,
    Trajectory,
    Wrench,
    planar_leg,
)
from jointwrench.checks.display import MOST_ROWS, Grid, NotebookTable, extent


def cells(item):
    """Return the rows of an HTML table as lists of texts."""
    html = item._repr_html_()
    assert html.startswith("<table>")
    assert html.endswith("</table>")
    rows = re.findall("<tr>(.*?)</tr>", html)
    return [re.findall("<t[hd][^>]*>(.*?)</t[hd]>", row) for row in rows]


class Model:
    def __init__(self):
        self.chain = SerialChain.planar(3, gravity=(0, -9.81, 0))
        self.system = self.chain.system
        self.idyn = InverseDynamics(self.system)
        self.evaluate = self.idyn.compile(backend="numpy")
        self.motion = np.random.default_rng(1).normal(size=(3, 7, len(self.idyn.speeds)))

    def result(self, *samples):
        q, u, udot = (array[samples] for array in self.motion)
        return self.evaluate(q, u, udot, dict.fromkeys(self.idyn.constants, 1.0))


@pytest.fixture(scope="module")
def model():
    return Model()


def test_models(model):
    rows = cells(model.chain)
    assert rows[0] == ["segment", "joint", "coordinates", "length", "mass"]
    assert rows[2] == ["S_1", "pin", "q_1", "l_1", "m_1"]
    assert ["m_foot", "0.9744"] in cells(planar_leg(height=1.75, mass=67.2))


def test_dynamics(model):
    rows = dict(cells(model.idyn))
    assert rows["bodies"] == "S_0, S_1, S_2"
    assert rows["speeds"] == "u_0, u_1, u_2"
    assert "loops" not in rows
    forward = ForwardDynamics(model.system)
    assert cells(forward) == cells(model.idyn)
    assert "ForwardDynamics" in forward._repr_html_()


def test_programs_and_evaluators(model):
    program = model.idyn.program()
    rows = dict(cells(program))
    assert rows["joint wrenches"] == "(3, 6)"
    assert "mul" in rows["operations"]
    assert repr(program).startswith("Program(generalized_forces: (3,), joint_wrenches: (3, 6); ")
    rows = dict(cells(model.evaluate))
    assert rows["q"] == "shape (..., 3)"
    assert rows["joint wrenches"] == "shape (..., 3, 6)"
    assert rows["constants"].startswith("I_0, ")


def test_results(model):
    result = model.result()
    rows = {first: others for first, *others in cells(result)}
    foot = result.joint_wrench("S_2")
    force = foot[:, 0]
    assert rows["joint_wrenches: S_2"][0] == f"{force.min():.4g} to {force.max():.4g}"
    assert rows["joint_wrenches: S_2"][2:5] == ["0", "0", "0"]
    assert rows["generalized_forces (7, 3)"] == [extent(result.generalized_forces)]
    rows = {first: others for first, *others in cells(model.result(3))}
    assert rows["joint_wrenches: S_2"][0] == f"{force[3]:.4g}"


def test_trajectories(model):
    rows = cells(Trajectory(np.arange(7.0), *model.motion))
    assert rows[0] == ["", "q", "u", "udot"]
    assert rows[1] == ["q_0", *(extent(x[:, 0]) for x in model.motion)]


def test_extent():
    assert extent(np.array([])) == "none"
    assert extent(np.array([np.nan, np.nan])) == "NaN"
    assert extent(np.array([1.0, np.nan, 2.5])) == "1 to 2.5"


def test_long_tables_are_cut_and_names_are_escaped():
    class Long(NotebookTable):
        def _grid(self):
            return Grid("<title>", (), [("a & b", "1")] * (MOST_ROWS + 7))

    rows = cells(Long())
    assert len(rows) == MOST_ROWS + 1
    assert rows[0] == ["a &amp; b", "1"]
    assert rows[-1] == ["and 7 more"]
    assert "&lt;title&gt;" in Long()._repr_html_()


def test_wrenches_heed_how_sympy_prints(monkeypatch):
    """In a notebook, after init_vprinting."""
    interactive = pytest.importorskip("IPython.core.interactiveshell", reason="needs IPython")
    monkeypatch.setattr(Printable, "_repr_latex_", Printable._repr_latex_)  # of the whole process
    N, q = ReferenceFrame("N"), dynamicsymbols("q")
    wrench = Wrench(Point("P"), q.diff() * N.x, symbols("a") * N.z)
    assert r"\dot{q}" not in wrench._repr_latex_()
    init_vprinting(ip=interactive.InteractiveShell(), use_latex="mathjax")
    assert r"\dot{q}" in wrench._repr_latex_()
    assert r"\mathbf{\hat{n}_x}" in wrench._repr_latex_()
