"""No refusal of a model is longer than a screen; each names the argument that was given."""

from functools import partial

import numpy as np
import pytest
import sympy.physics.mechanics as me
from bodies import rigid_body, system_of
from classical import N, double_pendulum
from pydy.system import System as PydySystem
from refusals import refusal, refused
from sympy import prod, sin, symbols

import jointwrench as jw
from jointwrench.forward.forward_dynamics import ForwardDynamics
from jointwrench.mechanics.mechanism.tree import TopologyError
from jointwrench.mechanics.methods.inverse_dynamics import InverseDynamics
from jointwrench.recordings import Markers

LONG = sum(prod(symbols(f"a{i}:{i + 6}")) * sin(symbols(f"b{i}")) ** 2 for i in range(50))
COUNT = 12


def chain():
    ground = inner = rigid_body("ground")
    system = me.System.from_newtonian(ground)
    for k in range(COUNT):
        outer = rigid_body(f"body_with_a_long_name_{k}", 1, 1, 1, 1)
        system.add_joints(
            me.PinJoint(f"joint_with_a_long_name_{k}", inner, outer, child_point=outer.x)
        )
        inner = outer
    return system


def dependent(system):
    q, u = list(system.q), list(system.u)
    system.q_ind, system.u_ind = q[:1], u[:1]
    system.q_dep, system.u_dep = q[1:], u[1:]


def loads(model):
    model.add_loads(*(me.Force(me.Point(f"P{k}"), LONG * model.x) for k in range(COUNT)))
    model.add_loads(*(me.Torque(me.ReferenceFrame(f"F{k}"), LONG * model.x) for k in range(COUNT)))


def inertias(system):
    for body in system.bodies:
        body.central_inertia = me.inertia(body.frame, LONG * sin(me.dynamicsymbols("fuel")), -1, 0)


def moving_interframes(system):
    for joint in system.joints:
        joint.child_interframe.set_ang_vel(joint.parent_interframe, LONG * joint.joint_axis)


def no_mass(system):
    for body in system.bodies:
        body.mass, body.central_inertia = 0, me.inertia(body.frame, 0, 0, 0)


def rates(of):
    """Return the fault of a System whose kinematical equations are those of each pair."""

    def fault(system):
        system.kdes = [of(*pair) for pair in zip(system.q, system.u, strict=True)]

    return fault


FAULTS = {
    "dependent": dependent,
    "loads": loads,
    "nonlinear rates": rates(lambda q, u: q.diff() - LONG * u**2),
    "coupled rates": lambda s: setattr(s, "kdes", [sum(s.q.diff()) * LONG - u for u in s.u]),
    "no rates": lambda s: setattr(s, "kdes", []),
    "other rates": rates(lambda q, u: q.diff() - LONG * u),
    "masses": lambda s: [setattr(x, "mass", LONG * me.dynamicsymbols("fuel")) for x in s.bodies],
    "inertias": inertias,
    "moving interframes": moving_interframes,
    "loose bodies": lambda s: s.add_bodies(
        *(rigid_body(f"another_body_with_a_long_name_{k}") for k in range(COUNT))
    ),
    "no mass": no_mass,
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_screen_holds_every_refusal(fault):
    system = chain()
    FAULTS[fault](system)
    with refusal("system", TopologyError) as caught:
        ForwardDynamics(system)
    assert len(str(caught.value)) < 3000
    assert str(caught.value).count("\n") <= 12
    assert str(caught.value).startswith("`system` must be ")


def test_what_is_not_listed_is_counted():
    error = TopologyError("system", [f"problem {k}" for k in range(33)])
    assert str(error).endswith("\n- problem 9\n- and 23 more, in `problems` of this error")
    assert len(error.problems) == 33


def test_the_argument_that_was_given_load_in_a_frame_of_nothing():
    model = double_pendulum(False)
    body = model.kane.bodies[0]
    kdes = [rate - value for rate, value in model.kane.kindiffdict().items()]
    loads = [(body.masscenter, me.ReferenceFrame("F").x)]
    own = {"bodies": model.kane.bodies, "forcelist": loads}
    kane = me.KanesMethod(N, model.kane.q, model.kane.u, kdes, **own)
    refused(lambda: InverseDynamics.from_kane(kane, model.connections), "kane")


def test_the_argument_that_was_given_other_models_than_expected():
    kane = double_pendulum(False).kane
    kane.kanes_equations(kane.bodies, kane.loads)
    pydy = PydySystem(kane)
    refused(lambda: InverseDynamics(kane), "system", TypeError)
    refused(lambda: InverseDynamics.from_kane(pydy, []), "connections", TopologyError)
    refused(lambda: InverseDynamics.from_kane(chain(), []), "kane", TypeError)


def test_what_to_use_instead_frames_that_joints_have_made_are_not_proposed():
    """A message proposes what fits what was given."""
    idyn = jw.InverseDynamics(jw.gait.planar_leg(1.75, 70.0).chain.system)
    refused(lambda: idyn.joint_wrench("knee", frame="toe"), "frame")


@pytest.mark.parametrize(
    ("call", "count", "wrong"),
    [
        (jw.identification.TorqueLog.from_samples, 4, "degree"),
        (jw.Trajectory.from_samples, 2, "cutof"),
        (jw.gait.gait_report, 1, "leg_lenght"),
    ],
)
def test_options_that_are_none_they_are_refused(call, count, wrong):
    """The function that was called is named, and what may have been meant."""
    given = [np.linspace(0, 1, 50)] * count
    refused(lambda: call(*given, **{wrong: 1}), None, TypeError)


TIMES, PLACES = np.arange(4.0), np.zeros((4, 2, 3))
TABLE = jw.Table(np.arange(2.0), ["a"], np.ones((2, 1)))
ONE = ("p", me.RigidBody("p"), me.RigidBody("c"))
INFINITE = [[0.0], [np.inf], [0.2], [0.3]]
from_callables = partial(jw.Trajectory.from_callables, TIMES)
from_columns = partial(jw.recordings.ForcePlate.from_columns, TIMES)
from_samples = partial(jw.Trajectory.from_samples, TIMES)


@pytest.mark.parametrize(
    ("call", "kind", "argument"),
    [
        (lambda: Markers([0, 2, 1, 3], "ab", PLACES), ValueError, "times"),
        (lambda: Markers(TIMES, "ab", PLACES), TypeError, "names"),
        (lambda: Markers(TIMES, {"a", "b"}, PLACES), TypeError, "names"),
        (lambda: Markers(TIMES, ("a", "b"), PLACES + 1j), TypeError, "positions"),
        (lambda: Markers(TIMES, ["a", "b"], PLACES + np.inf), ValueError, "positions"),
        (lambda: jw.Table([0, 1], 5, [[1], [1]]), TypeError, "names"),
        (lambda: jw.Table([0, 1], [None], [[1], [1]]), TypeError, "names"),
        (lambda: jw.recordings.write_csv("x.csv", TABLE, digits="x"), TypeError, "digits"),
        (lambda: jw.recordings.write_csv("", TABLE), TypeError, "path"),
        (lambda: jw.recordings.write_csv(".", TABLE), IsADirectoryError, "path"),
        (lambda: jw.signals.Smoothing(max_gap=np.nan), ValueError, "max_gap"),
        (lambda: jw.signals.Smoothing(cutoff=-1.0), ValueError, "cutoff"),
        (lambda: jw.FreeJoint("a b", *ONE[1:]), ValueError, "name"),
        (lambda: jw.FreeJoint(3, *ONE[1:]), TypeError, "name"),
        (lambda: jw.FreeJoint("p", 3, ONE[2]), TypeError, "parent"),
        (lambda: jw.FreeJoint("p", ONE[1], 3), TypeError, "child"),
        (lambda: jw.gait.segment_angles([[0, 1]], [[1, 1]], zero="x"), TypeError, "zero"),
        (lambda: from_callables(np.sin, 3, np.sin), TypeError, "u"),
        (lambda: from_callables(np.sin, np.cos, 3), TypeError, "udot"),
        (lambda: from_columns({}, "fx"), TypeError, "channels"),
        (lambda: from_columns(3, {"fx": "a"}), TypeError, "columns"),
        (lambda: from_samples(INFINITE, gaps="fill"), ValueError, "coordinates"),
    ],
)
def test_arguments_of_data(call, kind, argument):
    """What is wrong is said before it can do harm, with the argument's name."""
    refused(call, argument, kind)


@pytest.mark.parametrize("gravity", ["123", -9.81, (0, -9.81), (0, 0, np.nan), None])
def test_arguments_gravity_of_models_from_files(gravity):
    with refusal("gravity", (TypeError, ValueError)):
        jw.robots.read_urdf(jw.example_data("panda.urdf"), gravity=gravity)


def test_arguments_choices_that_are_arrays():
    idyn = jw.InverseDynamics(jw.SerialChain.planar(1).system)
    for wrong in (np.array(["native"]), np.array(["a", "b"]), ["native"]):
        refused(lambda: idyn.compile(backend=wrong), "backend")
        refused(lambda: idyn.joint_wrench(wrong), "joint")


def test_arguments_forces_that_are_zero():
    idyn = jw.InverseDynamics(jw.SerialChain.planar(1, gravity=(0, -9.81, 0)).system)
    times = np.linspace(0, 5, 100)
    motion = jw.Trajectory.from_samples(times, np.sin(2 * times)[:, None], idyn=idyn)
    with refusal("forces"):
        jw.identification.identify(idyn, motion, np.zeros((100, 1)), {"l_0": 1.0})


@pytest.mark.parametrize("threshold", [np.nan, -1, 0])
def test_arguments_plates(threshold):
    force, place = np.tile([0, 700.0, 0], (4, 1)), np.zeros((4, 3))
    plate = jw.recordings.ForcePlate.from_center_of_pressure(TIMES, force, place)
    refused(lambda: plate.contacts(threshold), "threshold")


def test_first_use_a_specified_among_constants():
    """What a newcomer did is said, and what to do instead."""
    load = me.dynamicsymbols("F")
    wall, block = me.RigidBody("wall"), me.RigidBody("block", mass=1)
    system = system_of(wall, me.PrismaticJoint("slide", wall, block, joint_axis=wall.x))
    system.add_loads(me.Force(block.masscenter, load * wall.x))
    with refusal("constants"):
        InverseDynamics(system).compile(backend="numpy")([0], [0], [0], constants={load: 2})


def test_first_use_the_inertia_that_nobody_gave():
    wall, arm = me.RigidBody("wall"), me.RigidBody("arm", mass=1)
    system = system_of(wall, me.PinJoint("pin", wall, arm, child_point=arm.x, joint_axis=wall.z))
    evaluate = InverseDynamics(system).compile(backend="numpy")
    refused(lambda: evaluate([0], [0], [0], constants={}), "constants")


def test_first_use_a_joint_at_a_point_of_neither_body():
    model = double_pendulum(False, particles=True)
    on_ground, (*bodies, _) = model.connections
    wrong = [on_ground, (*bodies, on_ground[-1])]
    with pytest.warns(UserWarning, match="b joined to a at the point O, which is fixed"):
        InverseDynamics.from_kane(model.kane, wrong)
    assert InverseDynamics.from_kane(model.kane, model.connections).speeds
