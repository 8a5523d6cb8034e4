"""Free-body diagrams: what is drawn on a body is all that changes its momentum."""

import numpy as np
import pytest
import sympy.physics.mechanics as me
from bodies import rigid_body, system_of
from marks import few, slow
from numeric import arguments_of
from random_systems import random_system
from refusals import refusal
from sympy import symbols

import jointwrench as jw
from jointwrench.pictures.actions import BodyNumbers, actions_on, bodies_of, state_of
from jointwrench.pictures.derivation_page import fictitious_of
from jointwrench.pictures.free_body import free_shifts

plt = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture(autouse=True)
def _closed():
    yield
    plt.close("all")


@pytest.mark.parametrize("seed", few(range(10), 2, 4))
def test_all_actions_change_the_momentum(seed):
    """Forces sum to m a, their moments about the mass centre to the rate of angular momentum."""
    tree = random_system(seed)
    idyn, values = jw.InverseDynamics(tree.system), tree.inputs
    result = idyn.compile("joint_wrenches", backend="numpy")(*arguments_of(idyn, values))
    places = {s: values[s] for s in values if s.is_Symbol and s not in (idyn.time, *idyn.constants)}
    for body in (link.body for link in idyn.model.tree.links):
        mass = result.inputs.evaluate([body.mass])[0]
        acceleration = result.acceleration(body.masscenter)
        loads = list(actions_on(BodyNumbers(idyn, result, body, places)))
        force = sum((x.vector for x in loads if not x.is_moment), np.zeros(3))
        size = max((np.linalg.norm(x.vector) for x in loads), default=0.0)
        np.testing.assert_allclose(force, mass * acceleration, atol=1e-9 * size)
        if isinstance(body, me.RigidBody):
            values_of = result.inputs.evaluate(list(body.central_inertia.to_matrix(body.frame)))
            turn = result.orientation(body.frame)
            inertia = turn @ values_of.reshape(3, 3) @ turn.T
            spin = result.angular_velocity(body.frame)
            faster = result.angular_acceleration(body.frame)
            moment = sum(x.vector if x.is_moment else np.cross(x.location, x.vector) for x in loads)
            lever = 1 + max((np.linalg.norm(x.location) for x in loads), default=0.0)
            expected = inertia @ faster + np.cross(spin, inertia @ spin)
            np.testing.assert_allclose(moment, expected, atol=1e-9 * size * lever)


def levers():
    """A lever on a pin, with a weight, a load and a torque."""
    ground, lever = rigid_body("ground"), me.RigidBody("lever", mass=symbols("m"))
    q, u, push = me.dynamicsymbols("q u push")
    pin = me.PinJoint("pin", ground, lever, q, u, child_point=-0.5 * lever.x, joint_axis=ground.z)
    tip = lever.masscenter.locatenew("tip", 0.5 * lever.x)
    tip.set_vel(lever.frame, 0)
    system = system_of(ground, pin, gravity=-10 * ground.y)
    system.add_loads(me.Force(tip, push * ground.y), me.Torque(lever.frame, 3 * ground.z))
    return jw.InverseDynamics(system)


def test_each_action_is_drawn_with_its_name_and_size():
    idyn = levers()
    inertia = {s: 1.0 for s in idyn.constants}
    axes = jw.pictures.plot_free_body(
        idyn, ([0], [0], [0]), "lever", inertia, {"push": 4.0}, units={"force": "lbf"}
    )
    texts = [text.get_text() for text in axes[0, 0].texts]
    for expected in ("weight, 10 lbf", "pin, by ground,\n6 lbf", "load on tip, 4 lbf"):
        assert expected in texts
    assert "pin, by ground,\n2 N m" in texts  # 10 N times 0.5 m, less 3 N m; the push has no part
    assert sum(text.endswith("N m") for text in texts) == 2


def test_a_state_of_a_trajectory():
    idyn = levers()
    times = np.linspace(0, 1, 11)
    motion = jw.Trajectory.from_samples(times, np.sin(times)[:, None], idyn=idyn)
    given = idyn, motion, None, {s: 1.0 for s in idyn.constants}, {"push": 4.0}
    found = jw.pictures.plot_free_body(*given, at=0.52)
    k = 5
    state = (motion.q[k], motion.u[k], motion.udot[k])
    same = jw.pictures.plot_free_body(idyn, state, *given[2:])
    assert [x.get_text() for x in found[0, 0].texts] == [x.get_text() for x in same[0, 0].texts]


def texts_of(axes):
    return [text.get_text() for text in axes[0, 0].texts]


def test_without_numbers_arrows_have_the_names_of_a_derivation():
    idyn = levers()
    given = idyn, ([0], [0], [0]), "lever", {s: 1.0 for s in idyn.constants}, {"push": 4.0}
    texts = texts_of(jw.pictures.plot_free_body(*given, numbers=False))
    for expected in ("W", "F", "M", "L", "T"):
        assert sum(text.startswith(f"$\\mathbf{{{expected}}}_{{") for text in texts) == 1
    assert not any(" N" in text or " m" in text for text in texts)


@pytest.mark.parametrize("kind", ["html", *slow(["md", "tex"])])
def test_pages_have_pictures_beside(tmp_path, kind):
    idyn = jw.InverseDynamics(jw.SerialChain.planar(2, gravity=(0, -9.81, 0)).system)
    state, values = ([0.5, 1.0], [0, 0], [0, 0]), dict.fromkeys(idyn.constants, 1.0)
    text, path = idyn.derivation("S_0"), tmp_path / f"page.{kind}"
    page = jw.pictures.draw_derivation(text, idyn, state, values, numbers=True)
    files = page.save(path)
    assert [file.name for file in files] == [f"page.{kind}", "page_1.png", "page_2.png"]
    assert all(file.stat().st_size > 1000 for file in files)
    page = files[0].read_text(encoding="utf-8")
    assert page.index("page_1.png") < page.index("page_2.png")
    assert "N m" in page


def observed():
    """Return a model, the derivation of its outer joint for an observer on the inner body, and a
    state, which are drawn to scale.
    """
    chain = jw.SerialChain.planar(2, gravity=(0, -9.81, 0))
    idyn = jw.InverseDynamics(chain.system)
    world = chain.ground.frame, chain.ground.masscenter
    seat = jw.ObserverFrame(chain.frames[0], chain.joint_points[1], *world)
    return idyn, idyn.derivation("S_1", seat), ([0.5, 1.0], [2.0, 3.0], [1.0, 0.0])


def test_the_picture_of_an_observers_text_has_his_forces(tmp_path):
    """At the mass centre, so that all that acts makes the momentum change that he sees."""
    idyn, text, state = observed()
    values = dict.fromkeys(idyn.constants, 1.0)
    with pytest.deprecated_call(match="draw_derivation"):
        jw.pictures.save_derivation(text, tmp_path / "page.html", idyn, state, values)
    result, (step,) = state_of(idyn, state, None, values, None), text.steps
    found = text.numbers(state, values)
    body = BodyNumbers(idyn, result, *bodies_of(idyn, "S_1"), values)
    fictitious = list(fictitious_of(step, found, body))
    assert len(fictitious) == 6
    loads = [*actions_on(body), *fictitious]
    force, moment = (sum(x.vector for x in loads if x.is_moment is kind) for kind in (False, True))
    moment = moment + sum(np.cross(x.location, x.vector) for x in loads if not x.is_moment)
    (seen,) = (x for x in step.forces if x.role == "observed")
    np.testing.assert_allclose(force, body.axes(seen.frame) @ found.values[seen], atol=1e-12)
    np.testing.assert_allclose(moment, [0, 0, 0], atol=1e-12)  # the joint turns at a constant rate


def test_forces_out_of_the_plane_are_told():
    """By their magnitude and the part that is seen; across it, as a dot or a cross."""
    chain = jw.SerialChain.planar(1, gravity=(0, -9.81, -9.81))
    idyn = jw.InverseDynamics(chain.system)
    given = idyn, ([0.0], [0], [0]), None, dict.fromkeys(idyn.constants, 1.0)
    texts = texts_of(jw.pictures.plot_free_body(*given))
    assert "weight, 13.9 N\n(9.81 N in this plane)" in texts
    assert "joint of $S_{0}$, by ground,\n13.9 N\n(9.81 N in this plane)" in texts
    chain = jw.SerialChain.planar(1, gravity=(0, 0, -9.81))
    idyn = jw.InverseDynamics(chain.system)
    (ax,) = jw.pictures.plot_free_body(idyn, *given[1:]).flat
    assert {"weight, 9.81 N", "joint of $S_{0}$, by ground,\n9.81 N"} <= {
        *texts_of(np.array([[ax]]))
    }
    marks = {line.get_marker() for line in ax.lines}
    assert {".", "x"} <= marks


@pytest.mark.parametrize(("change", "argument"), [({"body": []}, "body"), ({"at": np.nan}, "at")])
def test_what_cannot_be_drawn(change, argument):
    idyn = levers()
    given = {"motion": ([0], [0], [0]), "specifieds": {"push": 4.0}, **change}
    with refusal(argument):
        jw.pictures.plot_free_body(idyn, constants={s: 1.0 for s in idyn.constants}, **given)


def test_a_body_that_is_a_point():
    ground, bob = rigid_body("ground"), me.Particle("bob", mass=2)
    system = system_of(ground, me.PrismaticJoint("slide", ground, bob, joint_axis=ground.x))
    idyn = jw.InverseDynamics(system)
    pushed = texts_of(jw.pictures.plot_free_body(idyn, ([0.0], [0.0], [3.0])))
    assert "slide, by ground,\n6 N" in pushed
    at_rest = texts_of(jw.pictures.plot_free_body(idyn, ([0.0], [0.0], [0.0])))
    assert not any(" N" in text for text in at_rest)


def test_paths_are_shifted_only_where_one_would_hide_another():
    """Lengths in points: arrows of one point begin there, those on one line are side by side."""
    along, down, back = (np.array([[0, 0], end]) for end in ((90, 0), (0, -10), (-60, 0)))
    assert [*map(list, free_shifts([along, down, back, along[:1]]))] == [[0, 0]] * 4
    _, beside, other_side = free_shifts([along, along / 2, along])
    assert beside[0] == other_side[0] == 0
    assert beside[1] == -other_side[1] != 0
    turn = np.linspace(0, 6, 40)
    small = 3 * np.stack([np.cos(turn), np.sin(turn)], -1)
    shift = free_shifts([along, small])[1]
    assert shift[0] == 0 < abs(shift[1])


def test_a_joint_without_a_force_has_its_name():
    ground, rod = rigid_body("ground"), rigid_body("rod", 2)
    pin = me.PinJoint("pin", ground, rod, child_point=rod.y, joint_axis=ground.z)
    (axes,) = jw.pictures.plot_free_body(system_of(ground, pin), ([0.0], [0.0], [0.0]))[0]
    assert {"pin"} == {text.get_text() for text in axes.texts} - {"x", "y", "z", "1 m"}
