"""Written derivations: every line against the kernel, on random trees and closed chains."""

import re
import shutil
import subprocess
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser

import numpy as np
import pytest
import sympy.physics.mechanics as me
from bodies import rigid_body, system_of
from linkages import depend_on_first, slider_crank
from marks import slow
from random_systems import closed_system, random_system
from refusals import refused
from sympy import Function, Symbol, symbols
from ten_systems import SYSTEMS

import jointwrench as jw

#: How far lines may be from the kernel, relative to their size.
CLOSE = 1e-11


def derived(system, **options):
    """Return the derivations of the joints that stand on ground, or of all where none does."""
    idyn = jw.InverseDynamics(system, **options)
    tree = idyn.model.tree
    return [idyn.derivation(link.joint) for link in tree.links if link.inner is None and link.joint]


@cache
def derived_of_tree(seed):
    return derived(random_system(seed, 1 + seed % 4).system)


@pytest.mark.parametrize("seed", [0, 5, *slow([1, 3, 4, 6, 7, 10, 11])])
def test_every_line_is_the_kernels_on_random_trees(seed):
    for text in derived_of_tree(seed):
        assert text.check(states=5).max() < CLOSE


@pytest.mark.slow
@pytest.mark.parametrize(("number", "planar"), [(1, True), (2, True), (1, False)])
def test_every_line_is_the_kernels_on_closed_chains(number, planar):
    chain = closed_system(number, planar)
    for text in derived(chain.system, **chain.options):
        assert text.steps[0].title == "Solve for unknown forces"
        assert text.check(states=5).max() < CLOSE


def limb(count=3):
    return jw.SerialChain.planar(count, gravity=(0, -9.81, 0))


@cache
def derived_of_limb(count):
    """Return the inverse dynamics of a limb and the derivation of its joint on ground."""
    idyn = jw.InverseDynamics(limb(count).system)
    return idyn, idyn.derivation("S_0")


def changed(text, numbers, factor):
    """Return a derivation in which some lines are multiplied by a factor."""
    wrong = {id(text.lines[number]) for number in numbers}

    def written(line):
        value = tuple(factor * x for x in line.value)
        return replace(line, value=value) if id(line) in wrong else line

    return replace(text, steps=tuple(step.mapped(written) for step in text.steps))


def test_lines_that_are_changed_are_found():
    _, text = derived_of_limb(2)
    assert text.check().max() < 1e-12
    lines = np.arange(len(text.lines))
    for is_changed in (lines % 2 == 0, lines % 2 == 1):
        found = changed(text, lines[is_changed], 1 + 1e-9).check(states=3)
        assert found[is_changed].min() > 1e-10
        assert found[~is_changed].max() < 1e-12


def test_lines_say_what_they_are():
    _, text = derived_of_limb(2)
    outer, inner = text.steps
    weight = outer.moments[-1]
    assert (weight.role, weight.on, weight.by, weight.about) == ("weight", "S_1", "gravity", "P_1")
    assert weight.name == "-r_C_1 x W_S_1"
    assert "Scalar(" not in repr(weight)
    assert [line.role for line in inner.forces] == ["m a", "weight", "joint"]
    assert (inner.forces[2].by, inner.forces[2].name) == ("joint S_1", "F_S_1")
    assert (inner.wrench[1].on, inner.wrench[1].by) == ("S_0", "ground")
    assert [line.name for line in inner.projection] == ["Q_u_0"]
    assert "7 lines" not in repr(text)
    assert f"{len(text.lines)} lines" in repr(text)


def test_an_observer_sees_fictitious_forces():
    text = observed()
    roles = {line.role for line in text.steps[-1].forces}
    assert {"observed", "d'Alembert", "Euler", "centrifugal", "Coriolis"} < roles
    assert text.check().max() < 1e-12


@cache
def looped():
    """Return the inverse dynamics of a slider-crank under a load, and its drive's derivation."""
    system, loop = slider_crank(2, symbols("pull"))
    idyn = jw.InverseDynamics(system, loops=[loop])
    return idyn, idyn.derivation("main")


def test_loops_say_how_they_are_solved():
    idyn, text = looped()
    closing, *bodies = text.steps
    assert len(closing.demanded) == len(closing.balance) == 2
    assert [line.name for line in closing.solution] == ["P_slider_1", "X_u_main"]
    used = [{str(x) for x in line.value[0].free_symbols} for line in closing.solution]
    assert "D_u_knee" in used[0]
    assert {"D_u_main", "P_slider_1"} <= used[1]
    (divisor,) = closing.divisors
    assert str(divisor) == "cos(q_knee(t) + q_main(t))"
    zero = r"This divides by zero where $\cos(q_{\mathrm{knee}} + q_{\mathrm{main}}) = 0$."
    assert zero in text.to_latex()
    assert any(line.by == "joint slider" for step in bodies for line in step.forces)
    assert any(line.role == "load" for line in text.lines)
    assert text.check().max() < CLOSE
    refused(lambda: idyn.derivation("slider"), "joint")


def test_what_three_operations_demand_has_a_name():
    ground, a, b = (rigid_body(name, Symbol(f"m_{name}")) for name in ("ground", "a", "b"))
    system = me.System.from_newtonian(ground)
    for body in (a, b):
        system.add_joints(me.PrismaticJoint(body.name, ground, body, joint_axis=ground.x))
    system.add_loads((a.masscenter, Symbol("F") * Symbol("c") * ground.x))
    touch = jw.LoopJoint("touch", a, b, "point_on_plane", joint_axis=a.x)
    depend_on_first(system)
    closing, *_ = jw.InverseDynamics(system, loops=[touch]).derivation("a").steps
    pressed, driven = closing.solution
    assert str(pressed.value[0]) == "m_b*Derivative(u_b(t), t)"
    assert {str(x) for x in driven.value[0].free_symbols} == {"D_u_a", "P_touch_1"}


def test_solved_loads_have_names():
    chain = limb(2)
    pull = me.dynamicsymbols("pull")
    jw_load = jw.Wrench(chain.tip, pull * chain.ground.y)
    chain.system.add_loads(*jw_load.to_loads(chain.bodies[-1]))
    idyn = jw.InverseDynamics(chain.system, solve_for=[pull], actuated=[chain.speeds[0]])
    text = idyn.derivation("S_0")
    loads = [line for line in text.lines if line.role == "load"]
    assert loads
    assert all("X_pull" in str(line.value) for line in loads)
    assert text.check().max() < CLOSE


def test_too_many_bodies_are_refused():
    idyn = jw.InverseDynamics(limb(13).system)
    refused(lambda: idyn.derivation("S_0"), "joint")


def strange_names():
    """Return a model in whose names is all that LaTeX and Markdown do not like."""
    m, l_arm = symbols("m_up_1 l_arm", positive=True)
    ground, arm = rigid_body("lab_1"), me.RigidBody("up_arm_2", mass=m)
    q, u = me.dynamicsymbols("q_a_b u_a_b")
    joint = me.PinJoint("the_joint#1", ground, arm, q, u, child_point=l_arm * arm.y)
    system = system_of(ground, joint, gravity=-9.81 * ground.y)
    return jw.InverseDynamics(system).derivation(joint)


def test_text_in_three_formats(tmp_path):
    text = strange_names()
    assert text._repr_markdown_() == str(text) == text.to_markdown(tmp_path / "page.md")
    assert (tmp_path / "page.md").read_text() == str(text)
    assert str(text).count("$$") % 2 == 0
    page = text.to_html(tmp_path / "page.html")
    assert "<script" not in page
    assert "http" not in re.sub(r'xmlns="[^"]*"', "", page)
    HTMLParser().feed(page)
    assert not re.search(r"(?<!\\)[#%]", text.to_latex(tmp_path / "page.tex"))


#: Names that would be code, break a formula, or look as another one does if they were not escaped.
NAMES = ("<script>alert(1)</script>", r"\input{x}", "a|b", "`ls`", "m1", "m_1", "alpha", "α", "a'")
MORE_NAMES = (*("$x$", "a_<u>", "é"), *("m", "M1", "ab", "a_b", "a b", "a_b_c", "a__b", "_a", "a_"))


def named(name):
    """Return a pendulum of which all has this name."""
    ground, rod = me.RigidBody(name), me.RigidBody(name, mass=Symbol(name))
    q, u = (Function(x)(me.dynamicsymbols._t) for x in (name, f"{name}_u"))
    joint = me.PinJoint(name, ground, rod, q, u, child_point=Symbol(name) * rod.y)
    return jw.InverseDynamics(system_of(ground, joint))


@cache
def notations(name):
    """Return all that is written of a model with such names, its largest formula at last."""
    idyn = named(name)
    text = idyn.derivation(name)
    values = {"numbers": text.numbers(([0.3], [0.1], [0.7]), dict.fromkeys(idyn.constants, 1))}
    pages = [getattr(text, f"to_{x}")(**values) for x in ("html", "markdown", "latex")]
    wrench = idyn.joint_wrench(name)
    formulas = [x._repr_latex_() for x in (wrench, idyn.mass_matrix, idyn.formula(name))]
    return [*pages, *formulas]


@pytest.mark.parametrize("name", [*NAMES, *slow(MORE_NAMES)])
def test_a_name_is_never_code(name):
    page, *texts = notations(name)
    for text in (page, *texts):
        assert not re.search("<script>|<u>", text)
    for text in texts:
        assert not re.search(r"(?<!\\)\\input(?!enc)", text)
        assert braces(text) == 0


@pytest.mark.parametrize("names", [NAMES, *slow([[*NAMES, *MORE_NAMES]])], ids=["some", "all"])
def test_different_names_look_different(names):
    for texts in zip(*map(notations, names), strict=True):
        assert len(set(texts)) == len(names)


def test_masses_stand_before_lengths():
    text = derived_of_limb(1)[1].to_markdown()
    assert r"m_{0} l_{0}" in text
    assert r"l_{0} m_{0}" not in text


def test_components_are_joined_by_signs():
    for text in (derived_of_limb(2)[1], *(derived_of_tree(seed)[0] for seed in (0, 5))):
        assert not re.search(
            r"hat\{\\mathbf .\}_\{\\text\{[^{}]*\}\} *(\\[a-z]|\w|\()", unbroken(text)
        )


def unbroken(text):
    """Return LaTeX in which each line has one row."""
    return re.sub(r" \\\\\n(?!&)", "\n", re.sub(r" \\\\\n&\\quad \{\}", "", text.to_latex()))


@cache
def observed():
    chain = limb(2)
    world = chain.ground.frame, chain.ground.masscenter
    observer = jw.ObserverFrame(chain.frames[0], chain.joint_points[1], *world)
    return jw.InverseDynamics(chain.system).derivation(chain.joints[1], observer)


def test_an_observer_is_named():
    text = observed()
    assert text.title == "The wrench of the joint of S_1, for an observer in S_0 at P_1"
    assert "for an observer in S_0 at P_1; 'seen' is" in text.steps[0].text


def test_vectors_are_bold_and_their_components_are_not():
    _, text = derived_of_limb(2)
    page = text.to_latex()
    assert r"\mathbf{r}_{C_{0}} \times m_{0} \mathbf{a}_{C_{0}} &= " in page
    assert r"\mathbf{I} \boldsymbol{\alpha} + \boldsymbol{\omega} \times \mathbf{I}" in page
    assert r"F_{S_{1},x} \cos q_{1}" in page
    assert r"Q_{u_{0}} &= M_{S_{0},z}" in page
    assert (
        "<b>r</b><sub><i>C</i><sub>0</sub></sub> × <i>m</i><sub>0</sub> <b>a</b>" in text.to_html()
    )


def greek():
    """Return a model whose names are Greek, or have primes."""
    ground, wheel = rigid_body("alpha"), me.RigidBody("psi", mass=symbols("mu'"))
    q, u = me.dynamicsymbols("theta' omega''")
    joint = me.PinJoint("phi'", ground, wheel, q, u, child_point=symbols("lambda") * wheel.x)
    system = system_of(ground, joint, gravity=-symbols("g") * ground.z)
    return jw.InverseDynamics(system).derivation(joint)


def first_of(idyn):
    return idyn.derivation(idyn.joints[0])


#: Pages that are compiled; of four textbook systems among them.
PAGES = {
    **{
        "strange names": strange_names,
        "greek": greek,
        "observer": observed,
        "slider-crank": lambda: looped()[1],
    },
    **{f"limb of {k}": lambda k=k: derived_of_limb(k)[1] for k in (2, 3, 4)},
    **{
        make.__name__: lambda make=make: first_of(make().idyn)
        for make in SYSTEMS
        if not set(make.__name__.split("_")).isdisjoint({"cart", "top", "disc"})
    },
}


def braces(text):
    return sum({"{": 1, "}": -1}.get(x, 0) for x in re.sub(r"\\.", "", text))


#: The first ones, and those that other tests have derived.
FEW = ["strange names", "greek", "observer", "limb of 2"]


@pytest.mark.parametrize("name", [*FEW, *slow(x for x in PAGES if x not in FEW)])
def test_brackets_and_names_of_latex(name):
    derivation = PAGES[name]()
    text = derivation.to_latex()
    assert braces(text) == 0
    assert "+ -" not in text
    assert text.count(r"\left(") == text.count(r"\right)")
    assert text.count(r"\bigl(") == text.count(r"\bigr)")
    assert not re.search(r"(?<!\\)#|\\text\{[^{}]*(?<!\\)_", text)
    used = {x for line in derivation.lines for y in line.value for x in y.free_symbols}
    assert used.issuperset(derivation.names)


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="needs pdflatex")
@pytest.mark.parametrize("names", [["limb of 2"], *slow([[*PAGES]])], ids=["one", "all"])
def test_latex_compiles(names, tmp_path):
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "page.tex"]
    for name in names:
        PAGES[name]().to_latex(tmp_path / "page.tex")
        done = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, timeout=60)
        assert b"Overfull" not in done.stdout


def test_vectors_stand_where_they_are_shortest():
    outer, inner = derived_of_limb(2)[1].steps
    known = {line.name: line for step in (outer, inner) for line in step.lines}
    assert known["-W_S_1"].frame.name == "N"
    assert known["a_P_1"].frame.name == "S_0"
    (handed_on,) = (line for line in inner.forces if line.name == "F_S_1")
    assert handed_on.frame is outer.wrench[0].frame
    assert [str(x) for x in handed_on.value] == ["F_S_1_x", "F_S_1_y", "0"]


def test_constants_that_occur_once_have_none():
    chain, (a, b, c, d) = limb(2), symbols("a:d")
    chain.system.add_loads((chain.frames[1], (a * b + c * d) * chain.ground.z))
    assert not any(step.constants for step in derived(chain.system)[0].steps)


def test_numbers_are_the_kernels():
    idyn, text = derived_of_limb(2)
    values = {x: 0.5 + 0.1 * k for k, x in enumerate(idyn.constants)}
    times = np.linspace(0, 1, 21)
    motion = jw.Trajectory.from_samples(times, np.sin([times, 2 * times]).T, idyn=idyn)
    units = {"force": "kN"}
    numbers = text.numbers(motion, values, at=0.52, units=units)
    result = idyn.compile("joint_wrenches", backend="numpy")(motion, constants=values)
    for line, value in numbers.values.items():
        if line.role == "wrench" and line.quantity == "moment":
            known = result.joint_wrench(line.name[2:], frame=line.frame)[10, 3:]
            np.testing.assert_allclose(value, known, rtol=1e-9, atol=1e-12)
    assert list(numbers.values) == text.lines
    row = next(cells for line, cells in numbers.rows.items() if line.name == "-W_S_1")
    assert row[3:] == ("kN", "N")
    assert "kN" in numbers._repr_html_()
    for write in (text.to_markdown, text.to_latex, text.to_html):
        assert "kN" in write(numbers=numbers)
    state = [np.zeros(2)] * 3
    assert len(text.numbers(state, values).values) == len(text.lines)


@pytest.mark.parametrize(
    ("mass", "name"),
    [(5, "5"), (2.5, "2.5"), (2 * symbols("m"), "m_A"), (symbols("m_A") / 2, "m_A'")],
)
def test_masses_that_are_no_symbols_do_not_take_the_name_of_another(mass, name):
    ground, outer = rigid_body("ground"), rigid_body("B", symbols("m"))
    inner = rigid_body("A", mass)
    system = system_of(
        ground, me.PrismaticJoint("slider", ground, inner), me.PinJoint("pin", inner, outer)
    )
    text = jw.InverseDynamics(system).derivation("slider")
    forces = [line.name for step in text.steps for line in step.forces if line.role == "m a"]
    assert forces == ["m a_B", f"{name} a_A"]


def test_lines_without_any_input_are_checked():
    bar, ground = rigid_body("bar", symbols("m")), rigid_body("ground")
    system, weld = me.System.from_newtonian(ground), me.WeldJoint("weld", ground, bar)
    system.add_joints(weld)
    system.apply_uniform_gravity(-10 * ground.y)
    assert jw.InverseDynamics(system).derivation(weld).check().max() < 1e-14
