"""One error lists all that is wrong with a model, each problem with names."""

import pickle
import re
import warnings

import pytest
from bodies import rigid_body
from refusals import refusal
from sympy import Symbol, sqrt, symbols
from sympy.physics.mechanics import (
    Force,
    Particle,
    PinJoint,
    Point,
    PrismaticJoint,
    ReferenceFrame,
    System,
    Torque,
    WeldJoint,
    dynamicsymbols,
    inertia,
)

from jointwrench.forward.forward_dynamics import ForwardDynamics
from jointwrench.mechanics.mechanism.tree import TopologyError
from jointwrench.mechanics.methods.inverse_dynamics import InverseDynamics


class Arm:
    """Ground with two bodies on pins."""

    def __init__(self):
        self.ground, self.upper, self.fore = (
            rigid_body(name, symbols(f"m_{name}")) for name in ("ground", "upper", "fore")
        )
        self.system = System.from_newtonian(self.ground)
        self.shoulder = PinJoint("shoulder", self.ground, self.upper, child_point=-self.upper.y)
        self.elbow = PinJoint("elbow", self.upper, self.fore, child_point=-self.fore.y)
        self.system.add_joints(self.shoulder, self.elbow)

    def join(self, *args, kind=PinJoint, **options):
        with warnings.catch_warnings():  # sympy warns of loops
            warnings.simplefilter("ignore")
            self.system.add_joints(kind(*args, **options))

    def problems(self, **options):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with refusal("system", TopologyError) as caught:
                InverseDynamics(self.system, **options)
        assert all(problem in str(caught.value) for problem in caught.value.problems)
        return caught.value.problems


@pytest.fixture
def arm():
    return Arm()


def test_body_joined_twice(arm):
    arm.join("hand", arm.ground, arm.fore, child_point=arm.fore.x)
    (problem,) = arm.problems()
    assert problem.startswith("the joint ")
    assert "closes a loop: " in problem


def test_body_in_the_air(arm):
    arm.system.add_bodies(rigid_body("bird"))
    (problem,) = arm.problems()
    assert problem.startswith("no joint leads from ground to bird.")


def test_loads_without_owner(arm):
    N = arm.ground.frame
    arm.system.add_loads(Force(Point("lost"), N.x), Torque(ReferenceFrame("astray"), N.x))
    first, second = arm.problems()
    assert "the point lost belongs to none of the bodies" in first
    assert "the frame astray belongs to none of the bodies" in second


def test_missing_kinematics(arm):
    arm.system.kdes = [arm.elbow.kdes[0]]
    (problem,) = arm.problems()
    assert "none gives the derivative of q_shoulder(t)" in problem


def test_dependent_speeds_without_constraints(arm):
    first, second = arm.system.u
    arm.system.u_ind, arm.system.u_dep = [first], [second]
    (problem,) = arm.problems()
    assert problem.startswith("it has 1 dependent speeds but no constraints. Use System.add_hol")


def test_shared_coordinate_and_name(arm):
    hand = rigid_body("hand")
    arm.join("elbow", arm.fore, hand, arm.elbow.coordinates[0], arm.elbow.speeds[0])
    coordinate, speed, name = arm.problems()
    assert "share the coordinate q_elbow(t)" in coordinate
    assert "share the speed u_elbow(t)" in speed
    assert "2 joints have the name 'elbow'" in name


def test_all_at_once(arm):
    """A loop, a floating pair, a varying mass."""
    arm.join("hand", arm.ground, arm.fore, child_point=arm.fore.x)
    arm.join("wing", rigid_body("bird"), rigid_body("feather"), kind=PrismaticJoint)
    arm.upper.mass = dynamicsymbols("fuel")
    problems = arm.problems()
    words = (
        "closes a loop",
        "no joint leads from ground to",
        "the mass of upper must be constant",
    )
    for word in words:
        assert sum(word in problem for problem in problems) == 1, (word, problems)
    assert len(problems) == len(words)


def test_loads_are_listed_with_the_rest(arm):
    N = arm.ground.frame
    arm.join("hand", arm.ground, arm.fore, child_point=arm.fore.x)
    arm.system.add_loads(Force(Point("lost"), N.x))
    loop, load = arm.problems()
    assert "closes a loop" in loop
    assert "the point lost" in load


class TestSpeedsThatTheSystemLacks:
    def test_of_a_joint_whose_coordinate_it_has(self, arm):
        arm.system.u_ind = arm.system.u[:1]
        (problem,) = arm.problems()
        assert problem.startswith(
            "the joint 'elbow' moves with the speed u_elbow(t), which is none of the System's "
            "speeds. Use system.add_speeds(u_elbow(t)), with independent=False if"
        )

    def test_of_a_joint_that_moves_with_others(self, arm):
        """Its own speed is none of the System's, and nothing moves with it."""
        (q,), (speed,), own = arm.elbow.coordinates, arm.system.u[:1], dynamicsymbols("own")
        arm.system.u_ind = [speed, own]
        arm.system.kdes = [*arm.shoulder.kdes, own - speed - q.diff()]
        axis = arm.elbow.joint_axis
        arm.elbow.child_interframe.set_ang_vel(arm.elbow.parent_interframe, (own - speed) * axis)
        force = InverseDynamics(arm.system).generalized_forces[1]
        fresh = Arm()
        (other,) = InverseDynamics(fresh.system).generalized_forces[1:]
        turns = {u.diff(): a for u, a in zip(fresh.system.u, (3, 4), strict=True)}
        still = dict.fromkeys([*fresh.system.q, *fresh.system.u, *arm.system.u], 0)
        found = force.subs({speed.diff(): 3, own.diff(): 7}).subs(still)
        assert (found - other.subs(turns).subs(still)).simplify() == 0


class TestPotentialEnergy:
    """Nothing reads it: a model whose weight or springs stand there would be without them."""

    def test_of_bodies(self, arm):
        arm.upper.potential_energy = symbols("k") * arm.system.q[0] ** 2
        arm.ground.potential_energy = symbols("e")
        first, second = arm.problems()
        assert first.startswith("the body ground has a potential energy, which is not read. Give")
        assert "add_actuators" in first
        assert "set the potential_energy of upper to 0." in second

    def test_of_a_particle(self, arm):
        bob = Particle("bob")
        arm.join("swing", arm.fore, bob, child_point=None)
        bob.potential_energy = symbols("e")
        (problem,) = arm.problems()
        assert "bob has a potential energy" in problem


class TestNumbersThatNoBodyHas:
    @pytest.mark.parametrize(
        ("mass", "text"),
        [
            (-1, "the mass of fore must not be negative, got -1"),
            (sqrt(2) - 2, "the mass of fore must not be negative, got -2 \\+ sqrt\\(2\\)"),
            (-Symbol("m", positive=True), "the mass of fore must not be negative, got -m"),
            (float("nan"), "the mass of fore must be real and finite, got nan"),
            (float("inf"), "the mass of fore must be real and finite, got oo"),
            (2j, r"the mass of fore must be real and finite, got 2.0\*I"),
        ],
    )
    def test_mass(self, arm, mass, text):
        arm.fore.mass = mass
        assert re.match(text, *arm.problems())
        arm.join("bob", arm.upper, Particle("bob", mass=mass), child_point=None)
        assert re.match(text.replace("fore", "bob"), arm.problems()[1])

    @pytest.mark.parametrize(
        "moments",
        [
            (1, -1, 1),
            (symbols("I"), -1, symbols("J")),
            (1, 1, 1, 2),
            (1, symbols("I"), 1, 0, 0, -2),
            (symbols("I"), symbols("J", negative=True), 1),
            (1, 1, 1, -0.9, 0.9, 0.9),  # each pair of axes is fine
        ],
    )
    def test_negative_inertia(self, arm, moments):
        arm.fore.central_inertia = inertia(arm.fore.frame, *moments)
        (problem,) = arm.problems()
        assert problem.startswith("the inertia of fore must not be negative about any axis, got")

    @pytest.mark.parametrize("moment", [float("nan"), float("inf"), 1j])
    def test_inertia_that_is_no_number(self, arm, moment):
        arm.fore.central_inertia = inertia(arm.fore.frame, 1, 1, moment)
        (problem,) = arm.problems()
        assert problem.startswith("the inertia of fore must be real and finite, got ")

    def test_inertia_about_a_point_that_is_too_small_for_the_mass(self, arm):
        end = arm.fore.masscenter.locatenew("end", arm.fore.x)
        arm.fore.mass = 1
        arm.fore.inertia = (inertia(arm.fore.frame, 0, 1, 0.5), end)
        (problem,) = arm.problems()
        assert problem.startswith("the inertia of fore must not be negative")

    def test_rounding_and_zeros_are_no_faults(self, arm):
        """A point mass whose inertia is given about another point, with rounded numbers."""
        end = arm.fore.masscenter.locatenew("end", 0.1 * arm.fore.x)
        arm.fore.mass = 0.7
        moment = 0.7 * 0.1**2 * (1 - 1e-13)
        arm.fore.inertia = (inertia(arm.fore.frame, 0, moment, moment), end)
        arm.upper.mass, arm.upper.central_inertia = 0, inertia(arm.upper.frame, 0.0, 0, 0)
        assert len(InverseDynamics(arm.system).speeds) == 2


class TestSingularMass:
    """Accelerations are open there, and nothing else."""

    def massless(self, name):
        return rigid_body(name)

    def problem(self, arm):
        """Return why there is no forward dynamics; inverse dynamics inverts nothing."""
        assert len(InverseDynamics(arm.system).generalized_forces) == len(arm.system.u)
        with refusal("system", TopologyError) as caught:
            ForwardDynamics(arm.system)
        (problem,) = caught.value.problems
        return problem

    def test_massless_tip_on_a_pin(self, arm):
        arm.join("wrist", arm.fore, self.massless("hand"))
        problem = self.problem(arm)
        assert "the mass distribution is singular: the speeds u_wrist(t) move no mass" in problem
        assert InverseDynamics(arm.system).generalized_forces[2] == 0

    def test_rod_that_turns_about_itself(self, arm):
        rod = rigid_body("rod", 2)
        rod.central_inertia = inertia(rod.frame, 0, 3, 3)
        arm.join("wrist", arm.fore, rod, joint_axis=arm.fore.x)
        assert "u_wrist(t) move" in self.problem(arm)

    def test_two_ways_to_do_the_same(self, arm):
        """A massless carriage on another slider along the same line."""
        carriage, load = self.massless("carriage"), rigid_body("load", symbols("m"))
        arm.join("rail", arm.fore, carriage, kind=PrismaticJoint)
        arm.join("slide", carriage, load, kind=PrismaticJoint)
        problem = self.problem(arm)
        assert "u_rail(t)" in problem or "u_slide(t)" in problem

    def test_massless_cross_of_a_universal_joint(self, arm):
        cross, wheel = self.massless("cross"), rigid_body("wheel", symbols("m"))
        arm.join("first", arm.fore, cross, joint_axis=arm.fore.x)
        arm.join("second", cross, wheel, joint_axis=cross.y)
        assert len(InverseDynamics(arm.system).speeds) == 4

    def test_massless_welded_tip(self, arm):
        arm.join("tip", arm.fore, self.massless("tip"), kind=WeldJoint)
        assert len(InverseDynamics(arm.system).speeds) == 2

    def test_particle_turned_about_itself(self, arm):
        """A particle has no orientation: nothing depends on the turn."""
        arm.join("bead", arm.fore, Particle("bead", mass=1))
        assert "u_bead(t) move" in self.problem(arm)
        assert InverseDynamics(arm.system).generalized_forces[2] == 0

    def test_symbols_need_not_make_sense(self, arm):
        """Random numbers for inertias are no definite tensors, which must not matter."""
        for body in (arm.upper, arm.fore):
            moments = symbols(" ".join(f"{body}{k}" for k in range(6)))
            body.central_inertia = inertia(body.frame, *moments)
        arm.join(
            "bob", arm.fore, Particle("bob", mass=1), child_point=None, parent_point=arm.fore.y
        )
        assert len(InverseDynamics(arm.system).speeds) == 3


def test_errors_survive_pickling():
    """As they must to come back from another process."""
    error = TopologyError("system", ["one thing", "another"])
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.problems) == (str(error), ("one thing", "another"))
    assert str(error).endswith("but:\n- one thing\n- another")
