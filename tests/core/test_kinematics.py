"""`Kinematics`: places and motions of points and frames, seen by any observer."""

import pickle

import classical
import numpy as np
import pytest
import sympy as sm
import sympy.physics.mechanics as me
from bodies import rigid_body, system_of
from described import GROUND
from described_numbers import axial
from marks import few, slow
from numeric import evaluate_matrix, relative_error, run
from random_systems import JOINTS, random_system
from refusals import refused
from test_extra_joints import KINDS
from test_extra_joints import body as heavy

import jointwrench as jw
from jointwrench.mechanics.methods.inverse_dynamics import InverseDynamics

pytestmark = pytest.mark.usefixtures("numpy_by_default")

TOLERANCE = 1e-10
OF_POINTS = ("positions", "velocities", "accelerations")
OF_FRAMES = ("orientations", "angular_velocities", "angular_accelerations")
REST = ("bias_accelerations", "jacobians", "angular_bias_accelerations", "angular_jacobians")


MANY = (*JOINTS, "spherical", "quaternion", "free angles", "free quaternion")


class Looked:
    """A random tree with a point on each body, at one state, and who looks at it."""

    def __init__(self, seed):
        self.tree = tree = random_system(seed, joints=MANY, base=0.2, gates=0.4)
        self.numeric, numbers = tree.numeric, np.random.default_rng(seed)
        self.arms = {name: numbers.uniform(-1, 1, 3) for name in self.numeric.poses}
        self.points = {}
        for name, (x, y, z) in self.arms.items():
            body, frame = tree.bodies[name], tree.frames[name]
            place = body.masscenter.locatenew("P", x * frame.x + y * frame.y + z * frame.z)
            self.points[name] = place
        points = [name for name, body in tree.bodies.items() if isinstance(body, me.Particle)]
        self.frames = {name: tree.frames[name] for name in self.arms if name not in points}
        self.observer, self.axes = numbers.choice(np.array([None, *self.frames], object), 2)

    def kinematics(self):
        observer = self.observer and self.tree.bodies[self.observer]
        axes = self.axes and self.tree.frames[self.axes]
        return self.tree.inverse().kinematics(self.points, self.frames, observer, axes)

    def rotation(self, name):
        """Return the orientation of a body or of ground, with its derivatives."""
        return self.numeric.poses[name or GROUND].rotation

    @property
    def origin(self):
        """The place of the observer, with its derivatives."""
        return self.numeric.poses[self.observer or GROUND].place

    def seen(self, series):
        """Return what the observer sees of world components and their derivatives."""
        zero, one, two = self.rotation(self.observer).swapaxes(1, 2)
        x, v, a = series
        return np.array([zero @ x, one @ x + zero @ v, two @ x + 2 * one @ v + zero @ a])

    def in_axes(self, components):
        """Return components in the frame asked for, of those in the observer's."""
        turned = self.rotation(self.observer)[0] @ components
        return self.rotation(self.axes or self.observer)[0].T @ turned

    def expected(self):
        found = {name: [] for name in (*OF_POINTS, *OF_FRAMES)}
        for body, pose in self.numeric.poses.items():
            seen = self.seen(pose.path(self.arms[body]) - self.origin)
            for name, vector in zip(OF_POINTS, seen, strict=True):
                found[name].append(self.in_axes(vector))
            if body in self.frames:
                turn, rate, change = self.seen(pose.rotation)
                found["orientations"].append(self.in_axes(turn))
                found["angular_velocities"].append(self.in_axes(axial(rate @ turn.T)))
                found["angular_accelerations"].append(self.in_axes(axial(change @ turn.T)))
        return found

    def expected_of_all(self):
        """Return mass centre and momentum of all bodies, by their definitions."""
        bodies = self.tree.model.bodies
        masses = np.array([float(body.mass.value) for body in bodies])
        poses = [self.numeric.poses[body.name] for body in bodies]
        centers = np.array([self.seen(pose.place - self.origin) for pose in poses])
        center, velocity, acceleration = np.tensordot(masses, centers, 1) / masses.sum()
        angular = np.zeros(3)
        for body, mass, pose, (place, rate, _) in zip(bodies, masses, poses, centers, strict=True):
            turn, change, _ = self.seen(pose.rotation)
            back = self.rotation(self.observer)[0].T
            spin = axial(change @ turn.T)
            angular += back @ self.numeric.central(body) @ back.T @ spin
            angular += mass * np.cross(place - center, rate)
        return {
            "center_of_mass": self.in_axes(center),
            "center_of_mass_velocity": self.in_axes(velocity),
            "center_of_mass_acceleration": self.in_axes(acceleration),
            "momentum": [*self.in_axes(masses.sum() * velocity), *self.in_axes(angular)],
        }


@pytest.mark.parametrize("seed", few(range(100), 2, 5, 7, 9, 28, 31, 42, 57, 66, 67, 69, 70, 72))
def test_places_and_motions_of_random_trees_seen_by_anybody(seed):
    looked = Looked(seed)
    kin = looked.kinematics()
    found = run(kin.program((*OF_POINTS, *OF_FRAMES, *REST)), looked.tree.inputs)
    for name, values in looked.expected().items():
        if values:
            assert relative_error(found[name], np.array(values)) < TOLERANCE, name
    expected = looked.expected_of_all()
    of_all = run(kin.program(list(expected)), looked.tree.inputs)
    for name, values in expected.items():
        assert relative_error(of_all[name], values) < TOLERANCE, name
    udot = np.array([looked.tree.inputs[a] for a in kin.accelerations])
    for kind in ("", "angular_"):
        changed = found[f"{kind}bias_accelerations"] + found[f"{kind}jacobians"] @ udot
        assert relative_error(found[f"{kind}accelerations"], changed) < TOLERANCE


def test_nothing_but_coordinates_is_given_for_positions():
    chain = jw.SerialChain.planar(2)
    kin = jw.Kinematics(chain.system, [chain.tip])
    constants = {symbol: 1.0 for symbol in kin.constants}
    evaluate = kin.compile("positions", constants)
    assert relative_error(evaluate(q=[0, np.pi]).positions, [[0, 0, 0]]) < 1e-15
    with pytest.raises(TypeError, match="missing a required argument: 'q'"):
        evaluate(u=np.zeros(2))
    refused(lambda: kin.compile("velocities")([0, 0], constants=constants), "u")


# -- sympy ----------------------------------------------------------------------------------------


class Gimbal:
    """Two bodies in space, a point and a frame that move in the outer one, by sympy."""

    def __init__(self):
        self.ground, self.inner, self.outer = (rigid_body(n) for n in ("ground", "inner", "outer"))
        arm = sm.Symbol("a") * self.inner.x
        base = me.PinJoint(
            "base", self.ground, self.inner, child_point=arm, joint_axis=self.ground.x
        )
        pin = me.PinJoint(
            "pin", self.inner, self.outer, parent_point=self.inner.y, joint_axis=self.inner.z
        )
        self.system = system_of(self.ground, base, pin)
        angle, time = pin.coordinates[0], me.dynamicsymbols._t
        frame = self.turning = me.ReferenceFrame("turning")
        frame.orient_axis(self.outer.frame, self.outer.x + self.outer.y, angle**2 + time)
        arm = sm.sin(angle) * self.outer.x + sm.Symbol("b") * self.outer.y + time * self.outer.z
        self.point = self.outer.masscenter.locatenew("P", arm)
        self.fixed = self.outer.masscenter.locatenew("F", self.outer.x - 2 * self.outer.z)

    def numbers(self, vector, frame):
        """Return a Vector's components in a frame at some state, in terms of the speeds."""
        time, q, u = me.dynamicsymbols._t, self.system.q, self.system.u
        solved = sm.solve(list(self.system.kdes), list(q.diff(time)), dict=True)[0]
        matrix = vector.to_matrix(frame).doit() if isinstance(vector, me.Vector) else vector
        second = {a.diff(time): b.diff(time) for a, b in solved.items()}
        matrix = matrix.xreplace(second).xreplace(solved)
        values = {x: 0.3 + k / 10 for k, x in enumerate([*q, *u, *u.diff(time)])}
        values |= {sm.Symbol("a"): 0.7, sm.Symbol("b"): -0.4, time: 0.2}
        return evaluate_matrix(matrix, values)


@pytest.fixture(scope="module")
def gimbal():
    return Gimbal()


# -- results --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def arm():
    """An arm in space, its kinematics and its constants."""
    joints = ("spherical", "pin", "pin")
    chain = jw.SerialChain([jw.Segment(f"s{k}", 1, 1, joint=kind) for k, kind in enumerate(joints)])
    return chain, jw.Kinematics(chain.system, {"tip": chain.tip, "elbow": chain.joint_points[1]})


def test_results_tell_of_what_was_compiled_and_of_anything_else(arm, rng):
    chain, kin = arm
    q, u, udot = rng.normal(size=(3, 4, 5))
    result = kin.compile(("positions", "orientations"), backend="numpy")(q, u, udot)
    assert (result.position("tip") == result.positions[:, 0]).all()
    assert (result.orientation("s2") == result.orientations[:, 2]).all()
    body = chain.bodies[1]
    other = kin.kinematics([chain.tip], [chain.frames[2]], body, chain.frames[0])
    names = {
        "velocity": "velocities",
        "acceleration": "accelerations",
        "jacobian": "jacobians",
        "angular_velocity": "angular_velocities",
        "angular_acceleration": "angular_accelerations",
        "angular_jacobian": "angular_jacobians",
    }
    expected = other.compile(names.values(), backend="numpy")(q, u, udot)
    for method, output in names.items():
        place = chain.frames[2] if "angular" in method else "tip"
        found = getattr(result, method)(place, relative_to=body.name, frame=chain.frames[0])
        assert relative_error(found, getattr(expected, output)[:, 0]) < 1e-14, method
    for word in ("relative_to", "frame"):
        refused(lambda: result.velocity("tip", **{word: [body]}), word, TypeError)
    refused(lambda: result.position("elbo"), "point")
    known = pickle.loads(pickle.dumps(result))
    assert (known.position("elbow") == result.positions[:, 1]).all()
    refused(lambda: known.velocity("tip"), "result")


def test_results_of_dynamics_tell_of_points(arm, rng):
    chain, kin = arm
    q, u = rng.normal(size=(2, 5))
    fdyn = jw.ForwardDynamics(chain.system)
    moved = fdyn.compile(backend="numpy")(q, u)
    expected = kin.compile("accelerations", backend="numpy")(q, u, moved.udot)
    assert relative_error(moved.acceleration(chain.tip), expected.accelerations[0]) < 1e-14
    still = fdyn.inverse.compile(backend="numpy")(q, u, moved.udot)
    assert relative_error(still.acceleration(chain.tip), expected.accelerations[0]) < 1e-14
    refused(lambda: kin.compile("positions", backend="numpy")(q).velocity("tip"), "result")


def test_a_place_whose_constant_moves_no_force():
    """The error of a result leads to an evaluator that takes the constant."""
    ground, rod, height = rigid_body("ground"), rigid_body("rod", 1), sm.Symbol("h")
    system = system_of(ground, me.PinJoint("pin", ground, rod, parent_point=height * ground.y))
    idyn = InverseDynamics(system)
    refused(lambda: idyn.compile(backend="numpy")([0], [0], [0]).position(rod.masscenter), "result")
    found = idyn.kinematics().compile(backend="numpy")([0], [0], [0], {height: 2})
    assert found.position(rod.masscenter).tolist() == [0, 2, 0]


# -- laws -----------------------------------------------------------------------------------------


def check_rates(kin, rng, qdot=None, has_norm=True):
    """Velocities are the rates of places, and what speeds and their rates make of them."""
    outputs = (*OF_POINTS, *OF_FRAMES, *REST)
    evaluate = kin.compile(outputs, backend="numpy", derivatives=["q", "u"])
    q, u, udot = (rng.normal(size=len(x)) for x in (kin.coordinates, kin.speeds, kin.speeds))
    result = evaluate(q, u, udot)
    moving = {"q": u if qdot is None else qdot(q, u).qdot}

    def rates(output):
        return sum(result.derivative(output, name) @ change for name, change in moving.items())

    assert relative_error(rates("positions"), result.velocities) < TOLERANCE
    spins = np.cross(result.angular_velocities[:, :, None], result.orientations, axis=1)
    assert relative_error(rates("orientations"), spins) < TOLERANCE or not has_norm
    moving["u"] = udot
    assert relative_error(rates("velocities"), result.accelerations) < TOLERANCE
    for velocities, kind in ((result.velocities, ""), (result.angular_velocities, "angular_")):
        jacobians = getattr(result, f"{kind}jacobians")
        assert relative_error(jacobians @ u, velocities) < TOLERANCE
        changed = getattr(result, f"{kind}bias_accelerations") + jacobians @ udot
        assert relative_error(getattr(result, f"{kind}accelerations"), changed) < TOLERANCE


@pytest.mark.parametrize("kind", few(KINDS, "quaternion"))
def test_what_moves_changes_places(kind, rng):
    """Joints in which coordinates are coupled, and quaternions, which have no unit length here."""
    ground, inner, outer = rigid_body("ground"), heavy("inner"), heavy("outer")
    hinge = me.PinJoint("hinge", inner, outer, parent_point=inner.y, joint_axis=inner.x + inner.z)
    system = system_of(ground, KINDS[kind]("joint", ground, inner), hinge)
    tip = outer.masscenter.locatenew("tip", outer.x - outer.y)
    fdyn = jw.ForwardDynamics(system)
    qdot = fdyn.compile("qdot", backend="numpy")
    check_rates(fdyn.kinematics({"tip": tip}), rng, qdot, has_norm="quaternion" not in kind)


@pytest.mark.parametrize("observer", [*slow(["ground", "near"]), "far", *slow(["aside"])])
def test_two_angles_that_move_three_joints_as_anybody_sees_them(observer, rng):
    """From any link to any other, what a speed does adds up over the joints that it moves."""
    q, p, u, v = me.dynamicsymbols("q p u v")
    ground, near, far, aside = (rigid_body(n) for n in ("ground", "near", "far", "aside"))
    ends = {"parent_point": near.x - near.z, "child_point": far.y, "rotations": [(2 * q + p, "x")]}
    apart = {"parent_point": ground.x - 3 * ground.y, "rotations": [(p - 2 * q, "y")]}
    system = system_of(
        ground,
        me.PinJoint("base", ground, near, q, u, child_point=near.y, joint_axis=ground.x + ground.z),
        jw.CoupledJoint("wrist", near, far, [], translation=[sm.sin(q), p, q / 3], **ends),
        jw.CoupledJoint("side", ground, aside, p, v, translation=[q, 0, p], **apart),
    )
    bodies = (near, far, aside)
    tips = {f"{b.name} tip": b.masscenter.locatenew("T", b.x - 2 * b.y) for b in bodies}
    turning = {body.name: body.frame for body in bodies}
    check_rates(InverseDynamics(system).kinematics(tips, turning, observer), rng)


def test_a_wheel_that_rolls():
    """What is not known of its place is NaN; how it moves is known, also seen from itself."""
    model = classical.rolling_disc()
    kin = jw.Kinematics.from_kane(model.kane, model.connections)
    values = model.values(symbols=[*kin.constants, *kin.specifieds])
    found = run(kin.program(("positions", "velocities")), values)
    assert np.isnan(found["positions"]).tolist() == [[True, True, False]]
    matrix = kin.bodies[0].masscenter.vel(kin.frame).to_matrix(kin.frame)
    expected = evaluate_matrix(matrix.xreplace(model.kane.kindiffdict()), values)
    for observer, own in ((kin.frame, expected.T), (kin.bodies[0], np.zeros((1, 3)))):
        seen = run(kin.kinematics(relative_to=observer).program("velocities"), values)
        assert relative_error(seen["velocities"], own) < TOLERANCE


# -- what is refused ------------------------------------------------------------------------------


def test_what_is_not_in_the_model_or_there_twice(arm):
    (chain, kin), lost = arm, me.Point("lost")
    again = chain.tip.locatenew(chain.tip.name, chain.frames[0].x)
    for points in ([lost], {"": lost}, [chain.tip, again]):
        refused(lambda: kin.kinematics(points), "points")
    refused(lambda: kin.kinematics(frames=[me.ReferenceFrame("lost")]), "frames")


def test_observers_that_do_not_turn_with_a_body(gimbal):
    kin = jw.Kinematics(gimbal.system)
    refused(lambda: kin.kinematics(relative_to=gimbal.turning), "relative_to")
    observer = jw.ObserverFrame(gimbal.turning, gimbal.point, kin.frame, gimbal.ground.masscenter)
    seen = kin.velocity(gimbal.fixed, observer)
    expected = gimbal.fixed.pos_from(gimbal.point).dt(gimbal.turning)
    numbers = gimbal.numbers(expected, kin.frame)
    assert relative_error(gimbal.numbers(seen, kin.frame), numbers) < TOLERANCE
    bead = me.Particle("bead")
    system = system_of(gimbal.ground, me.PrismaticJoint("wire", gimbal.ground, bead))
    refused(lambda: jw.Kinematics(system, relative_to=bead), "relative_to")


def test_frames_without_an_orientation():
    """A wheel in a fork that turns about the vertical; nobody counts the wheel's own turns."""
    q, u, w = me.dynamicsymbols("q u w")
    N, fork, spokes, hub = (*map(me.ReferenceFrame, ("N", "fork", "spokes")), me.Point("hub"))
    fork.orient_axis(N, q, N.z)
    fork.set_ang_vel(N, u * N.z)
    spokes.set_ang_vel(fork, w * fork.y)
    hub.set_vel(N, 0)
    wheel = me.RigidBody("wheel", hub, spokes, 2, (me.inertia(fork, 1, 2, 1), hub))
    kane = me.KanesMethod(N, [q], [u, w], [q.diff() - u], bodies=[wheel])
    kin = jw.Kinematics.from_kane(kane, [(N, wheel, hub)], frames=[spokes])
    assert kin.angular_velocity("spokes") == u * fork.z + w * fork.y
    assert kin.kinematics().angular_velocity(spokes) == u * fork.z + w * fork.y
    refused(lambda: kin.program("orientations"), "frames")


def test_a_model_without_mass():
    ground, arm = rigid_body("ground"), rigid_body("arm", 0)
    kin = jw.Kinematics(system_of(ground, me.PinJoint("pin", ground, arm)))
    refused(lambda: kin.program("center_of_mass"), "system")
    refused(lambda: kin.program("position"), "outputs")
