"""`Result.explain`: terms sum to the wrench, each is what the body alone asks for."""

import numpy as np
import pytest
from bodies import rigid_body, system_of
from linkages import slider_crank
from marks import slow
from numeric import arguments_of
from random_systems import random_system
from refusals import refused
from sympy import Symbol
from sympy.physics.mechanics import PinJoint

import jointwrench as jw
from jointwrench.mechanics.evaluation.explanation import Explanation, WrenchTerm

pytestmark = pytest.mark.usefixtures("numpy_by_default")

COMPONENTS = ("fx", "fy", "fz", "mx", "my", "mz")

MASSES = {"yaw": 0.4, "pitch": 0.6, "rotor": 1.2}

OUTPUTS = ["joint_wrenches", "contributions"]


@pytest.mark.parametrize("seed", [3, *slow([0, *range(4, 12)])])
def test_terms_of_trees_sum_to_the_wrench(seed):
    """None of them closes a loop, since there is none."""
    tree = random_system(seed)
    idyn, values = jw.InverseDynamics(tree.system), tree.inputs
    result = idyn.compile(OUTPUTS, backend="numpy")(*arguments_of(idyn, values))
    told = 0
    for joint in idyn.joints:
        for component in COMPONENTS:
            found = result.explain(joint, component)
            assert found.value == result.joint_wrench(joint, components=component)
            assert sum(term.value for term in found.terms) == pytest.approx(found.value, rel=1e-9)
            assert all(term.source != "loops" for term in found.terms)
            told += len(found.terms)
    assert told > 6 * len(idyn.joints)


def test_each_term_is_what_its_cause_adds():
    """Without gravity all weights are gone and nothing else changes."""
    times = np.linspace(0, 2, 101)
    motion = jw.Trajectory.from_samples(times, np.stack([np.sin(3 * times), np.cos(times)], -1))
    found = []
    for gravity in (10, 0):
        idyn = jw.InverseDynamics(jw.SerialChain.planar(2, gravity=(0, -gravity, 0)).system)
        result = idyn.compile(OUTPUTS)(motion, constants=dict.fromkeys(idyn.constants, 1.0))
        one = result.explain("S_0", "mz", at=0.52)
        assert sum(one.by_body.values()) == pytest.approx(one.value)
        found.append(one.by_source)
    weight = found[0].pop("gravity")
    assert found[0] == pytest.approx(found[1], rel=1e-9)
    lever = -1.5 * np.sin(motion.q[26, 0]) - 0.5 * np.sin(motion.q[26].sum())  # along x
    assert weight == pytest.approx(10 * lever, rel=1e-9)


def wrist():
    """Return a yaw and a pitch axis, and a rotor that spins on the latter, off all axes."""
    ground = rigid_body("ground")
    masses = enumerate(MASSES.items())
    yaw, pitch, rotor = (rigid_body(x, m, 2 + k, 1, 3 - k, 0.2, 0, 0.1) for k, (x, m) in masses)
    joints = [
        PinJoint("J_yaw", ground, yaw, child_point=0.1 * yaw.x, joint_axis=ground.z),
        PinJoint("J_pitch", yaw, pitch, child_point=-0.3 * pitch.y, joint_axis=yaw.x),
        PinJoint(
            *("spin", pitch, rotor),
            parent_point=0.4 * pitch.y,
            child_point=0.05 * rotor.z,
            joint_axis=pitch.y,
        ),
    ]
    return jw.InverseDynamics(system_of(ground, *joints, gravity=-9.81 * ground.z))


@pytest.mark.parametrize("seed", [0, *slow([1, 2])])
def test_each_share_is_what_its_cause_is_alone(seed):
    """The weight, m a and the rate of angular momentum of each body, with and without udot."""
    idyn, rng = wrist(), np.random.default_rng(seed)
    evaluate = idyn.compile(OUTPUTS, backend="numpy")
    q, u, udot = rng.uniform(-2, 2, (3, 3))
    result, still = evaluate(q, u, udot), evaluate(q, u, 0 * udot)
    causes = {}
    for body in idyn.bodies:
        mass, matrix = MASSES[body.name], np.array(body.central_inertia.to_matrix(body.frame))
        axes, spin = result.orientation(body.frame), result.angular_velocity(body.frame)
        I = axes @ matrix.astype(float) @ axes.T
        begun = still.acceleration(body.masscenter), still.angular_acceleration(body.frame)
        whole = result.acceleration(body.masscenter), result.angular_acceleration(body.frame)
        causes |= {
            (body.name, "gravity"): (9.81 * mass * np.array([0, 0, 1.0]), np.zeros(3)),
            (body.name, "velocity"): (mass * begun[0], np.zeros(3)),
            (body.name, "gyroscopic"): (np.zeros(3), I @ begun[1] + np.cross(spin, I @ spin)),
            (body.name, "acceleration"): (mass * (whole[0] - begun[0]), I @ (whole[1] - begun[1])),
        }
    centers = {x.name: result.position(x.masscenter) for x in idyn.bodies}
    for joint in idyn.joints:
        turn, start = result.orientation(joint.child.frame).T, result.position(joint.child_point)
        for component in COMPONENTS:
            for term in result.explain(joint, component).terms:
                force, couple = causes[term.body, term.source]
                moment = couple + np.cross(centers[term.body] - start, force)
                alone = np.concatenate([turn @ force, turn @ moment])
                assert term.value == pytest.approx(alone[COMPONENTS.index(component)], abs=1e-10)


def test_a_spin_is_no_path():
    """A rotor on its own axis in a turning housing: all of its moment turns the spin."""
    ground = rigid_body("ground")
    ring, rotor = rigid_body("ring", 1, 1, 1, 1), rigid_body("rotor", 2, 1, 2, 1)
    post = PinJoint("post", ground, ring, joint_axis=ground.z)
    joints = [post, PinJoint("spin", ring, rotor, joint_axis=ring.y)]
    evaluate = jw.InverseDynamics(system_of(ground, *joints)).compile(OUTPUTS, backend="numpy")
    found = evaluate([0.3, 0], [2, 50], [0, 0]).explain("spin", "mx")
    assert found.by_source == pytest.approx({"gyroscopic": -2 * 2 * 50})
    assert found.sentence.endswith("It turns the spin of rotor (100 %).")


def test_closed_loops_are_a_term():
    """What the rail of a slider-crank does for its drive, the other way round."""
    system, rail = slider_crank(1.0, Symbol("force"))
    drive, idyn = system.joints[0], jw.InverseDynamics(system, loops=[rail])
    states = idyn.close_motion(*np.array([[[0.5, -0.8]], [[20, 0]], [[0, 0]]]))
    result = idyn.compile(OUTPUTS, backend="numpy")(*states, {"force": 1.0})
    found = result.explain(drive, "mz")
    (loops,) = (term for term in found.terms if term.source == "loops")
    beyond = result.joint_wrench(rail, drive.child_point, drive.child.frame, "mz")[0]
    assert loops.value == pytest.approx(-beyond, rel=1e-9)
    assert "holds closed loops" in found.sentence
    assert found.value == result.joint_wrench(drive, components="mz")[0]
    refused(lambda: result.explain(drive, "fz"), "component")
    refused(lambda: result.explain(rail, "fx"), "joint")


@pytest.fixture(scope="module")
def result():
    idyn = jw.InverseDynamics(jw.SerialChain.planar(2, gravity=(0, -10, 0)).system)
    times = np.linspace(0, 2, 21)
    motion = jw.Trajectory.from_samples(times, np.stack([np.sin(3 * times), np.cos(times)], -1))
    evaluate = idyn.compile(OUTPUTS, backend="numpy")
    return evaluate(motion, constants=dict.fromkeys(idyn.constants, 1.0))


def test_the_peak_is_found(result):
    found = result.explain("S_0")
    curve = result.joint_wrench("S_0", components="mz")
    assert found.is_peak
    assert found.value == curve[np.argmax(abs(curve))]
    assert found.time == result.times[np.argmax(abs(curve))]
    assert "its largest" in found.sentence
    assert not result.explain("S_0", at=0.0).is_peak
    assert str(found.terms[0].name) in found._repr_html_()


def made(component, *terms, **more):
    """Return an explanation by (body, source, value) of its terms."""
    value = sum(x for _, _, x in terms)
    own = tuple(WrenchTerm(*x, x[2] / value if value else np.nan) for x in terms)
    return Explanation("knee", "shank", "thigh", component, value, own, **more)


def test_the_sentence_tells_the_largest_causes_once_each():
    """At most three terms, none below a twentieth of the first; those against it apart."""
    foot, shank, rest = ("foot", "gravity", -8.0), ("shank", "gravity", -4.0), ("", "loops", 2.0)
    found = made("mz", foot, shank, rest, ("foot", "loads", -1.0), time=0.5, is_peak=True)
    assert found.sentence == (
        "The moment mz in knee, on shank by thigh, is -11 at 0.5 s, its largest. It carries the "
        "weight of foot (73 %) and shank (36 %). Against that it holds closed loops (18 %)."
    )
    last, lines = found.terms[-1].name, str(found).splitlines()
    assert lines[0] == found.sentence
    assert [line.split()[-3:] for line in lines[2::3]] == [["-8", "72.7", "%"], ["-1", "9.1", "%"]]
    assert len({line.rindex("%") for line in lines[2:]}) == 1
    assert found._grid().rows[-1] == (last, "-1", "9.1 %")
    assert found.by_source == {"gravity": -12.0, "loops": 2.0, "loads": -1.0}
    assert found.by_body == {"foot": -9.0, "shank": -4.0, "closed loops": 2.0}
    assert list(found.by_body) == ["foot", "shank", "closed loops"]

    small = made("fx", ("foot", "gravity", 20.0), ("foot", "loads", 1.0), ("shank", "loads", 1.1))
    assert small.sentence == (
        "The force fx in knee, on shank by thigh, is 22.1. "
        "It carries the weight of foot (90 %) and holds the loads on shank (5 %)."
    )
    balanced = made("fy", ("foot", "gravity", 2.0), ("foot", "loads", -2.0))
    assert balanced.sentence.endswith(
        "is 0. It carries the weight of foot and holds the loads on foot."
    )
    assert (
        made("fz").sentence == str(made("fz")) == ("The force fz in knee, on shank by thigh, is 0.")
    )


def test_left_out_component_is_the_largest_of_the_moment_or_else_of_the_force():
    """A pin through the mass centre carries a moment only where one is asked for."""
    idyn = jw.InverseDynamics(jw.SerialChain.planar(1, gravity=(0, -10, 0)).system)
    evaluate = idyn.compile(OUTPUTS, backend="numpy")
    values = {"l_0": 0, "m_0": 3, "I_0": 1}
    assert evaluate([0], [0], [0], values).explain("S_0").component == "fy"
    assert evaluate([0], [0], [-2], values).explain("S_0").component == "mz"
