"""Wrapped angles: what jumps by whole turns is told, what moves is not."""

import pickle

import numpy as np
import pytest
from bodies import system_of
from numeric import reloaded
from sympy.physics.mechanics import PinJoint, PrismaticJoint, RigidBody

import jointwrench as jw
from jointwrench.records.angle_wrapping import find_jumps

T = np.linspace(0, 2, 401)
NOISE = np.random.default_rng(3).normal(size=(2, 4000))


def wrapped(angle):
    return (angle + np.pi) % (2 * np.pi) - np.pi


WRAPPED = {
    "steady": wrapped(8 * T),
    "the other way": wrapped(1 - 8 * T),
    "once": wrapped(3 + 0.1 * T),
    "back and forth": wrapped(3 + np.sin(3 * T)),
    "half a turn per sample": wrapped(500 * T),
    "from zero to a turn": (8 * T) % (2 * np.pi),
    "noise": wrapped(8 * T + 0.01 * NOISE[0, :401]),
    "gaps": np.where(np.arange(401) % 7, wrapped(8 * T), np.nan),
    "single precision": np.float32(wrapped(3 * np.arange(40) / 16 + 0.1)).astype(float),
    "few": wrapped(np.array([2.9, 3.0, 3.1, 3.2])),
}

MOVING = {
    "a turn per sample": 1200 * T,
    "faster and faster": 1200 * T**2,
    "a chirp": 30 * np.sin(20 * T**2),
    "large and fast": 40 * np.sin(30 * T),
    "an impact": np.where(T < 1, 2 * T, 2 - 50 * (T - 1)),
    "still": np.full(401, 3.0),
    "random states": NOISE[0],
    "random states of all angles": np.pi * np.sign(NOISE[0]) * (np.abs(NOISE[1]) % 1),
    "wide random states": 10 * NOISE[0],
    "a random walk": np.cumsum(2 * NOISE[0]),
    "two samples": np.array([3.1, -3.1]),
}


@pytest.mark.parametrize("name", WRAPPED)
@pytest.mark.parametrize("turn", [2 * np.pi, 360.0])
def test_wrapped_angles_jump(name, turn):
    values = WRAPPED[name] * turn / (2 * np.pi)
    known = values[np.isfinite(values)]
    expected = np.flatnonzero(np.abs(np.diff(known)) > turn / 2)
    found = find_jumps(values, turn)
    assert set(np.flatnonzero(np.isfinite(values))[expected]) <= set(found)
    assert find_jumps(values, turn, is_angle=False).size
    assert not find_jumps(np.unwrap(known, period=turn), turn).size


@pytest.mark.parametrize("name", MOVING)
def test_what_moves_does_not(name):
    for turn in (2 * np.pi, 360.0):
        assert not find_jumps(MOVING[name], turn).size


@pytest.mark.parametrize(
    "values",
    [
        6.0 * np.floor(3 * T),
        2 * np.pi * (T > 1),
        360.0 * (np.sin(5 * T) > 0),
        np.where(T % 1 < 0.6, 360.2 + 3 * T, 0),
    ],
    ids=["steps", "on", "on and off", "of a foot on a plate"],
)
def test_what_is_no_angle_may_jump(values):
    for turn in (2 * np.pi, 360.0):
        assert not find_jumps(values, turn, is_angle=False).size


def slider():
    """Return the model of a block that slides on a bar that turns."""
    ground, bar, block = (RigidBody(name, mass=1) for name in ("ground", "bar", "block"))
    system = system_of(ground, PinJoint("pin", ground, bar, joint_axis=ground.z))
    system.add_joints(PrismaticJoint("slide", bar, block, joint_axis=bar.x))
    return jw.InverseDynamics(system)


@pytest.mark.parametrize("is_known", [True, False])
def test_samples_say_which_angle(is_known):
    idyn = slider()
    q = np.stack([WRAPPED["steady"], 4 * np.sin(9 * T)], -1)
    columns = {"q_pin": np.rad2deg(q[:, 0]), "q_slide": q[:, 1]}
    given = {"idyn": idyn if is_known else None, "degrees": ["q_pin"], "cutoff": 6.0}
    with pytest.warns(
        UserWarning, match=r"jumps of q_pin by a whole turn 3 times, .* 0\.39.* unwrap=\['q_pin'\]"
    ):
        jw.Trajectory.from_samples(T, columns, **given)
    motion = jw.Trajectory.from_samples(T, columns, unwrap=["q_pin"], **given)
    np.testing.assert_allclose(motion.u[50:-50, 0], 8, atol=1e-3)


WAYS = {
    "kept": lambda evaluate, path: evaluate,
    "sent": lambda evaluate, path: pickle.loads(pickle.dumps(evaluate)),
    "saved": reloaded,
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("backend", ["c", "numpy"])
def test_the_first_call_with_times_says_which_angle(tmp_path, backend, way):
    """However fast calls are, and whatever came before; later calls cost nothing."""
    q = np.stack([WRAPPED["steady"], 4 * np.sin(9 * T)], -1)
    evaluate = slider().compile("generalized_forces", backend=backend)
    evaluate = WAYS[way](evaluate, tmp_path / "evaluator.json")
    values = dict.fromkeys((str(x) for x in evaluate.inputs["constants"]), 1.0)
    states = q, 0 * q, 0 * q
    evaluate(*states, values)
    evaluate(*(x[0] for x in states), values, times=0.5)
    evaluate(*(x[:1] for x in states), values, times=[0.5])
    evaluate(*states, values, times=0 * T)
    with pytest.warns(UserWarning, match=r"`q` has jumps of q_pin by a whole turn 3 times"):
        evaluate(*states, values, times=T)
    evaluate(*states, values, times=T)
    with pytest.warns(UserWarning, match=r"`q` has jumps of q_pin"):
        evaluate(*(np.stack([x, x]) for x in states), values, times=T, check=True)
    with pytest.warns(UserWarning, match=r"`q` has jumps of q_pin"):
        evaluate(*(np.stack([x, x], 1) for x in states), values, times=T[:, None], check=True)
    q[:, 0] = np.unwrap(q[:, 0])
    evaluate(*states, values, times=T, check=True)


@pytest.mark.parametrize("unit", ["degrees", "radians"])
def test_files_say_which_column(tmp_path, unit):
    turn = np.rad2deg(1) if unit == "degrees" else 1
    rows = np.stack([T, turn * WRAPPED["steady"], 180 * np.sin(9 * T)], -1)
    table = jw.Table(T, ["knee", "force"], rows[:, 1:], {"inDegrees": "yes" if turn > 1 else "no"})
    jw.recordings.write_storage(tmp_path / "walk.mot", table)
    jw.recordings.write_csv(tmp_path / "walk.csv", table)
    for read, file in (("read_storage", "walk.mot"), ("read_csv", "walk.csv")):
        with pytest.warns(UserWarning, match=rf"{file} has jumps of knee .*unwrap=\['knee'\]"):
            getattr(jw.recordings, read)(tmp_path / file)
