"""No refusal of a model is longer than a screen; each names the argument that was given."""

import numpy as np
import pytest
from bodies import rigid_body
from classical import N, cart_with_pendulum, double_pendulum
from pydy.system import System as PydySystem
from sympy import prod, sin, symbols
from sympy.physics.mechanics import (
    Force,
    KanesMethod,
    Particle,
    PinJoint,
    Point,
    PrismaticJoint,
    ReferenceFrame,
    RigidBody,
    System,
    Torque,
    dynamicsymbols,
    inertia,
)

import jointwrench as jw
from jointwrench.forward.forward_dynamics import ForwardDynamics
from jointwrench.gait.joint_centers import carried_points, chord_center, hip_centers
from jointwrench.mechanics.mechanism.tree import TopologyError
from jointwrench.mechanics.methods.inverse_dynamics import InverseDynamics

LONG = sum(prod(symbols(f"a{i}:{i + 6}")) * sin(symbols(f"b{i}")) ** 2 for i in range(50))
COUNT = 12


def chain():
    ground = inner = rigid_body("ground")
    system = System.from_newtonian(ground)
    for k in range(COUNT):
        outer = rigid_body(f"body_with_a_long_name_{k}", 1)
        outer.central_inertia = inertia(outer.frame, 1, 1, 1)
        system.add_joints(
            PinJoint(f"joint_with_a_long_name_{k}", inner, outer, child_point=outer.x)
        )
        inner = outer
    return system


def dependent(system):
    q, u = list(system.q), list(system.u)
    system.q_ind, system.u_ind = q[:1], u[:1]
    system.q_dep, system.u_dep = q[1:], u[1:]


def loads(system):
    system.add_loads(*(Force(Point(f"P{k}"), LONG * system.x) for k in range(COUNT)))
    system.add_loads(*(Torque(ReferenceFrame(f"F{k}"), LONG * system.x) for k in range(COUNT)))


def nonlinear_rates(system):
    system.kdes = [q.diff() - LONG * u**2 for q, u in zip(system.q, system.u, strict=True)]


def coupled_rates(system):
    system.kdes = [sum(system.q.diff()) * LONG - u for u in system.u]


def no_rates(system):
    system.kdes = []


def other_rates(system):
    system.kdes = [q.diff() - LONG * u for q, u in zip(system.q, system.u, strict=True)]


def masses(system):
    for body in system.bodies:
        body.mass = LONG * dynamicsymbols("fuel")


def inertias(system):
    for body in system.bodies:
        body.central_inertia = inertia(body.frame, LONG * sin(dynamicsymbols("fuel")), -1, 0)


def moving_interframes(system):
    for joint in system.joints:
        joint.child_interframe.set_ang_vel(joint.parent_interframe, LONG * joint.joint_axis)


def loose_bodies(system):
    system.add_bodies(*(rigid_body(f"another_body_with_a_long_name_{k}") for k in range(COUNT)))


def no_mass(system):
    for body in system.bodies:
        body.mass, body.central_inertia = 0, inertia(body.frame, 0, 0, 0)


FAULTS = [
    dependent,
    loads,
    nonlinear_rates,
    coupled_rates,
    no_rates,
    other_rates,
    masses,
    inertias,
    moving_interframes,
    loose_bodies,
    no_mass,
]


@pytest.mark.parametrize("fault", FAULTS)
def test_a_screen_holds_every_refusal(fault):
    system = chain()
    fault(system)
    with pytest.raises(TopologyError) as caught:
        ForwardDynamics(system)
    assert len(str(caught.value)) < 3000
    assert str(caught.value).count("\n") <= 12
    assert str(caught.value).startswith("`system` must be ")


def test_what_is_not_listed_is_counted():
    error = TopologyError("system", [f"problem {k}" for k in range(33)])
    assert str(error).endswith("\n- problem 9\n- and 23 more, in `problems` of this error")
    assert len(error.problems) == 33


class TestTheArgumentThatWasGiven:
    def test_singular_mass(self):
        model = cart_with_pendulum(2)
        for body in model.kane.bodies:
            body.mass = 0
        with pytest.raises(TopologyError, match=r"`kane` must .*\n- the mass distribution is"):
            ForwardDynamics.from_kane(model.kane, model.connections)

    def test_load_in_a_frame_of_nothing(self):
        model = double_pendulum(False)
        body = model.kane.bodies[0]
        kane = KanesMethod(
            *(N, model.kane.q, model.kane.u),
            [rate - value for rate, value in model.kane.kindiffdict().items()],
            bodies=model.kane.bodies,
            forcelist=[(body.masscenter, ReferenceFrame("F").x)],
        )
        with pytest.raises(ValueError, match="`kane` has a load with components in the frame F,"):
            InverseDynamics.from_kane(kane, model.connections)

    def test_other_models_than_expected(self):
        kane = double_pendulum(False).kane
        kane.kanes_equations(kane.bodies, kane.loads)
        pydy = PydySystem(kane)
        expected = r"`system` must be a sympy.physics.mechanics.System, got .*\. Use Inverse"
        with pytest.raises(TypeError, match=expected + r"Dynamics\.from_kane\(kane\) for a Kanes"):
            InverseDynamics(kane)
        with pytest.raises(TypeError, match=r"`kane` must .* Use InverseDynamics\(system\) for Py"):
            InverseDynamics.from_kane(pydy, [])
        with pytest.raises(TypeError, match=r"`kane` must .* Use InverseDynamics\(system\) for a"):
            InverseDynamics.from_kane(chain(), [])


class TestWhatToUseInstead:
    """A message proposes what fits what was given."""

    def test_an_array_in_place_of_a_motion(self):
        chain = jw.SerialChain.planar(1)
        with pytest.raises(TypeError, match=r"ndarray\. Use Trajectory\.from_samples\(times, q\)"):
            jw.pictures.plot_stick_figure(chain, np.zeros((3, 1)))

    def test_constants_of_a_person(self):
        idyn = jw.InverseDynamics(jw.gait.planar_leg(1.75, 70.0).chain.system)
        with pytest.raises(ValueError, match=r"leg\.constants_of\(idyn\)"):
            idyn.compile(backend="numpy")(*np.zeros((3, 5)))

    def test_frames_that_joints_have_made_are_not_proposed(self):
        idyn = jw.InverseDynamics(jw.gait.planar_leg(1.75, 70.0).chain.system)
        with pytest.raises(ValueError, match=r"frames joint, N, thigh, shank, foot, got 'toe'"):
            idyn.joint_wrench("knee", frame="toe")


class TestOptionsThatAreNone:
    """The function that was called is named, and what may have been meant."""

    @pytest.mark.parametrize(
        ("call", "count", "wrong", "meant"),
        [
            (jw.identification.cross_validate, 3, "metod", "method"),
            (jw.identification.drive_gains, 4, "cutof", "cutoff"),
            (jw.identification.TorqueLog.from_samples, 4, "degree", "degrees"),
            (jw.Trajectory.from_samples, 2, "cutof", "cutoff"),
            (jw.gait.gait_report, 1, "leg_lenght", "leg_length"),
            (jw.musculoskeletal.scaled, 1, "weight", "weights"),
        ],
    )
    def test_they_are_refused(self, call, count, wrong, meant):
        given = [np.linspace(0, 1, 50)] * count
        match = f"^{call.__qualname__}.. got .* '{wrong}'. Did you mean '{meant}'"
        with pytest.raises(TypeError, match=match):
            call(*given, **{wrong: 1})


TIMES, PLACES = np.arange(4.0), np.zeros((4, 2, 3))
TABLE = jw.Table(np.arange(2.0), ["a"], np.ones((2, 1)))
ONE = ("p", RigidBody("p"), RigidBody("c"))
NO_NAMES = "must be a sequence of names, got "


class TestArguments:
    """What is wrong is said before it can do harm, with the argument's name."""

    @pytest.mark.parametrize(
        ("call", "kind", "words"),
        [
            (
                lambda: jw.recordings.Markers([0, 2, 1, 3], "ab", PLACES),
                ValueError,
                "`times` must increase",
            ),
            (
                lambda: jw.recordings.Markers(TIMES, "ab", PLACES),
                TypeError,
                f"`names` {NO_NAMES}'ab'",
            ),
            (
                lambda: jw.recordings.Markers(TIMES, {"a", "b"}, PLACES),
                TypeError,
                "`names` .* no order",
            ),
            (
                lambda: jw.recordings.Markers(TIMES, ("a", "b"), PLACES + 1j),
                TypeError,
                "`positions` must hold real",
            ),
            (
                lambda: jw.recordings.Markers(TIMES, ("a", "b"), PLACES + np.inf),
                ValueError,
                "`positions` must .* missing",
            ),
            (lambda: jw.Table([0, 1], 5, [[1], [1]]), TypeError, f"`names` {NO_NAMES}5"),
            (lambda: jw.Table([0, 1], [None], [[1], [1]]), TypeError, f"`names` {NO_NAMES}None"),
            (
                lambda: jw.recordings.write_csv("x.csv", TABLE, digits="x"),
                TypeError,
                "`digits` must be an in",
            ),
            (
                lambda: jw.recordings.write_csv("", TABLE),
                TypeError,
                "`path` must be a path, got ''",
            ),
            (
                lambda: jw.recordings.write_csv(".", TABLE),
                IsADirectoryError,
                "`path` must be a file, got the",
            ),
            (
                lambda: jw.signals.Smoothing(max_gap=np.nan),
                ValueError,
                "`max_gap` must be positive",
            ),
            (lambda: jw.signals.Smoothing(cutoff=-1.0), ValueError, "`cutoff` must be positive"),
            (lambda: jw.FreeJoint("a b", *ONE[1:]), ValueError, "`name` must fit .* got 'a b'"),
            (lambda: jw.FreeJoint(3, *ONE[1:]), TypeError, "`name` must be a str, got 3"),
            (lambda: jw.FreeJoint("p", 3, ONE[2]), TypeError, "`parent` must be a sympy RigidBody"),
            (lambda: jw.FreeJoint("p", ONE[1], 3), TypeError, "`child` must be a sympy RigidBody"),
            (
                lambda: jw.musculoskeletal.Measurement([("a", "b")], 3),
                TypeError,
                r"`bodies` must .* got \[?3",
            ),
            (
                lambda: jw.musculoskeletal.Measurement([("a", "b")], "c", 3),
                TypeError,
                "`axes` must be a str, got 3",
            ),
            (
                lambda: jw.gait.segment_angles([[0, 1]], [[1, 1]], zero="x"),
                TypeError,
                "`zero` must be a re",
            ),
        ],
    )
    def test_of_data(self, call, kind, words):
        with pytest.raises(kind, match=words):
            call()

    @pytest.mark.parametrize("gravity", ["123", -9.81, (0, -9.81), (0, 0, np.nan), None])
    def test_gravity_of_models_from_files(self, gravity):
        with pytest.raises((TypeError, ValueError), match="`gravity` must be "):
            jw.robots.read_urdf(jw.example_data("panda.urdf"), gravity=gravity)

    def test_infinite_samples_are_no_gaps(self):
        times = np.linspace(0, 1, 50)
        q = np.sin(times)
        q[20] = np.inf
        with pytest.raises(ValueError, match=r"`coordinates` must .* infinity in .* q_0, row 20"):
            jw.Trajectory.from_samples(times, q[:, None], gaps="fill")

    def test_choices_that_are_arrays(self):
        idyn = jw.InverseDynamics(jw.SerialChain.planar(1).system)
        for wrong in (np.array(["native"]), np.array(["a", "b"]), ["native"]):
            with pytest.raises(ValueError, match="`backend` must be one of "):
                idyn.compile(backend=wrong)
            with pytest.raises(ValueError, match="`joint` must be one of "):
                idyn.joint_wrench(wrong)

    def test_constants_that_are_none(self):
        chain, times = jw.SerialChain.planar(1), np.linspace(0, 1, 50)
        motion = jw.Trajectory.from_samples(times, np.sin(times)[:, None])
        for draw in (jw.pictures.interactive_view, jw.pictures.plot_stick_figure):
            with pytest.raises(TypeError, match="`constants` must be a mapping of symbols to val"):
                draw(chain, motion, constants=5)

    def test_forces_that_are_zero(self):
        idyn = jw.InverseDynamics(jw.SerialChain.planar(1, gravity=(0, -9.81, 0)).system)
        times = np.linspace(0, 5, 100)
        motion = jw.Trajectory.from_samples(times, np.sin(2 * times)[:, None], idyn=idyn)
        with pytest.raises(ValueError, match="`forces` must not all be zero"):
            jw.identification.identify(idyn, motion, np.zeros((100, 1)), {"l_0": 1.0})

    def test_callables_that_are_none(self):
        for name in ("u", "udot"):
            functions = {"u": np.cos, "udot": np.sin, name: 3}
            with pytest.raises(TypeError, match=f"`{name}` must be a function of an array"):
                jw.Trajectory.from_callables([0, 1], np.sin, **functions)

    def test_plates(self):
        times, place = np.linspace(0, 1, 11), np.zeros((11, 3))
        plate = jw.recordings.ForcePlate.from_center_of_pressure(
            times, np.tile([0, 700.0, 0], (11, 1)), place
        )
        for threshold in (np.nan, -1, 0):
            with pytest.raises(ValueError, match="`threshold` must be positive"):
                plate.contacts(threshold)
        with pytest.raises(TypeError, match="`channels` must be a mapping of components"):
            jw.recordings.ForcePlate.from_columns(times, {}, "fx")
        with pytest.raises(TypeError, match="`columns` must be a Table, a DataFrame or a mapping"):
            jw.recordings.ForcePlate.from_columns(times, 3, {"fx": "a"})

    def test_places_of_markers_that_do_not_fit(self):
        right, left, back = [[0, 0.9, 0.12]], [[0, 0.9, -0.12]], [[-0.16, 0.9, 0.0]]
        with pytest.raises(ValueError, match=r"^`right_asis`, `left_asis`, `posterior` must"):
            hip_centers([], left, back)
        with pytest.raises(ValueError, match=r"^`proximal`, `marker`, `beside` must have shape"):
            chord_center([], left, back, 0.05)
        with pytest.raises(ValueError, match=r"`points` must have shape \(k, 3\), got shape \(\)"):
            carried_points([right[0], left[0], back[0]], 1.0, np.stack([right, left, back], 1))


class TestFirstUse:
    """What a newcomer did is said, and what to do instead."""

    def test_a_specified_among_constants(self):
        load = dynamicsymbols("F")
        wall, block = RigidBody("wall"), RigidBody("block", mass=1)
        system = System.from_newtonian(wall)
        system.add_joints(PrismaticJoint("slide", wall, block, joint_axis=wall.x))
        system.add_loads(Force(block.masscenter, load * wall.x))
        with pytest.raises(ValueError, match=r"F\(t\) is a function of time: .* specifieds={F"):
            InverseDynamics(system).compile(backend="numpy")([0], [0], [0], constants={load: 2})

    def test_the_inertia_that_nobody_gave(self):
        wall, arm = RigidBody("wall"), RigidBody("arm", mass=1)
        system = System.from_newtonian(wall)
        system.add_joints(PinJoint("pin", wall, arm, child_point=arm.x, joint_axis=wall.z))
        evaluate = InverseDynamics(system).compile(backend="numpy")
        with pytest.raises(ValueError, match=r"RigidBody.'arm'.. .* arm.central_inertia = inertia"):
            evaluate([0], [0], [0], constants={})

    def test_a_joint_at_a_point_of_neither_body(self):
        (q1, q2), (u1, u2) = dynamicsymbols("q1:3"), dynamicsymbols("u1:3")
        inner, outer = (N.orientnew(x, "Axis", [q, N.z]) for x, q in (("A", q1), ("B", q2)))
        inner.set_ang_vel(N, u1 * N.z)
        outer.set_ang_vel(N, u2 * N.z)
        origin = Point("O")
        origin.set_vel(N, 0)
        near = origin.locatenew("P", 2 * inner.x)
        far = near.locatenew("R", 3 * outer.x)
        near.v2pt_theory(origin, N, inner)
        far.v2pt_theory(near, N, outer)
        bodies = [Particle("p", near, 1), Particle("r", far, 1)]
        kdes = [q1.diff() - u1, q2.diff() - u2]
        kane = KanesMethod(N, [q1, q2], [u1, u2], kdes, bodies=bodies)
        on_ground = (N, bodies[0], origin)
        with pytest.warns(UserWarning, match="r joined to p at the point O, which is fixed"):
            InverseDynamics.from_kane(kane, [on_ground, (*bodies, origin)])
        assert InverseDynamics.from_kane(kane, [on_ground, (*bodies, near)]).speeds
