"""What objects show of themselves in a notebook."""

import re

import numpy as np
import pytest
from sympy import cos, latex, sin, symbols
from sympy.core._print_helpers import Printable
from sympy.physics.mechanics import Point, ReferenceFrame, dynamicsymbols, init_vprinting
from urdf_texts import joint, link, robot

import jointwrench as jw
from jointwrench.checks.display import MOST_ROWS, Grid, NotebookTable, extent
from jointwrench.gait import planar_leg
from jointwrench.mechanics.arithmetic.formula import MOST_CHARACTERS, MOST_LINES
from jointwrench.recordings import ForcePlate
from jointwrench.robots import read_urdf


def cells(item):
    """Return the rows of an HTML table as lists of texts."""
    html = item._repr_html_()
    assert html.startswith("<table>")
    assert html.endswith("</table>")
    rows = re.findall("<tr>(.*?)</tr>", html)
    return [re.findall("<t[hd][^>]*>(.*?)</t[hd]>", row) for row in rows]


class Model:
    def __init__(self):
        self.chain = jw.SerialChain.planar(3, gravity=(0, -9.81, 0))
        self.system = self.chain.system
        self.idyn = jw.InverseDynamics(self.system)
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
    forward = jw.ForwardDynamics(model.system)
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
    force = result.joint_wrench("S_2")[:, 0]
    assert rows["S_2"][0] == f"{force.min():.4g} to {force.max():.4g}"
    assert rows["S_2"][2:5] == ["0", "0", "0"]
    assert rows["generalized_forces"] == ["(7, 3)", extent(result.generalized_forces)]
    assert "on the child, by the parent, about its point, in its frame" in result._repr_html_()
    rows = {first: others for first, *others in cells(model.result(3))}
    assert rows["S_2"][0] == f"{force[3]:.4g}"


def test_what_describes_models_and_data(model):
    rows = dict(cells(jw.Segment("thigh", 0.4, 7.0, inertia=0.1, joint_name="hip")))
    assert rows["mass"].startswith("7.0")
    assert "center of mass" not in rows
    plate = ForcePlate([0, 1], [[0, 600, 0], [5, 700, 0]])
    assert cells(plate)[1] == ["0 to 5", "600 to 700", "0", "0", "0", "0"]
    assert "on the person" in plate._repr_html_()
    rows = dict(cells(read_urdf(robot(link("b"), joint("j", "continuous", "base", "b")))))
    assert rows["joints"] == "j"
    assert rows["bodies"] == "b"


def test_a_cross_check_shows_its_table(model):
    t = dynamicsymbols._t
    motion = dict(zip(model.chain.coordinates, (sin(t), cos(t), t / 5), strict=True))
    constants = dict.fromkeys(model.idyn.constants, 1.0)
    report = jw.crosscheck(model.idyn, motion, np.linspace(0, 0.1, 3), constants)
    assert repr(report) == str(report)
    rows = cells(report)
    assert rows[0] == ["residual", "largest", "relative", "at time", "in"]
    assert rows[1][0] == "coordinates"
    assert rows[-1][0].startswith("simulation: DOP853")


def test_long_formulas_a_short_one_is_typeset(model):
    """A notebook would hang on megabytes of LaTeX."""
    wrench = jw.Wrench.symbols("r", model.chain.frames[0], model.chain.tip)
    assert wrench._repr_html_() is None
    assert wrench._repr_latex_().startswith("$")
    matrix = jw.InverseDynamics(jw.SerialChain.planar(1).system).generalized_forces
    assert matrix._repr_html_() is None
    assert "I_{0}" in matrix._repr_latex_()


def test_long_formulas_of_a_long_one_the_first_readable_lines_are_shown(model):
    for formula in (model.idyn.joint_wrench("S_0"), model.idyn.generalized_forces):
        assert formula._repr_latex_() is None
        lines = formula._repr_html_().split("\n")
        assert lines[0].startswith(("<pre>force = ", "<pre>[0, 0] = "))
        assert "where" in lines
        assert re.fullmatch(r"\.\.\. and \d+ more lines", lines[MOST_LINES])
        assert max(map(len, lines)) < 2 * MOST_CHARACTERS


def test_long_formulas_a_huge_one_is_not_even_read(model, monkeypatch):
    monkeypatch.setattr("jointwrench.mechanics.arithmetic.formula.HUGE", 1000)
    assert "too long to show" in model.idyn.joint_wrench("S_0")._repr_html_()


def test_trajectories(model):
    rows = cells(jw.Trajectory(np.arange(7.0), *model.motion))
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
    wrench = jw.Wrench(Point("P"), q.diff() * N.x, symbols("a") * N.z)
    assert r"\dot{q}" not in wrench._repr_latex_()
    init_vprinting(ip=interactive.InteractiveShell(), use_latex="mathjax")
    assert r"\dot{q}" in wrench._repr_latex_()
    assert r"\mathbf{\hat{n}_x}" in wrench._repr_latex_()


def test_a_frame_that_is_a_word_stands_below_its_axis():
    frame = ReferenceFrame("rod_frame")
    wrench = jw.Wrench(Point("P"), 2 * frame.x, (symbols("a") + 1) * frame.y)
    for text in latex(wrench), latex(wrench.readable()):
        assert r"2\,\mathbf{\hat{x}}_{\mathrm{rod\_frame}}" in text
        assert r"\,\mathbf{\hat{y}}_{\mathrm{rod\_frame}}" in text
