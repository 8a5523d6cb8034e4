"""One error lists all that is wrong with a model, each problem with names."""

import pickle
import warnings

import pytest
import sympy.physics.mechanics as me
from bodies import rigid_body, system_of
from refusals import refused
from sympy import Symbol, sqrt, symbols

from jointwrench.forward.forward_dynamics import ForwardDynamics
from jointwrench.mechanics.mechanism.tree import TopologyError
from jointwrench.mechanics.methods.inverse_dynamics import InverseDynamics


class Arm:
    """Ground with two bodies on pins."""

    def __init__(self):
        self.ground, self.upper, self.fore = (
            rigid_body(name, symbols(f"m_{name}")) for name in ("ground", "upper", "fore")
        )
        self.shoulder = me.PinJoint("shoulder", self.ground, self.upper, child_point=-self.upper.y)
        self.elbow = me.PinJoint("elbow", self.upper, self.fore, child_point=-self.fore.y)
        self.system = system_of(self.ground, self.shoulder, self.elbow)

    def join(self, *args, kind=me.PinJoint, **options):
        with warnings.catch_warnings():  # sympy warns of loops
            warnings.simplefilter("ignore")
            self.system.add_joints(kind(*args, **options))

    def problems(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            error = refused(lambda: InverseDynamics(self.system), "system", TopologyError)
        assert all(problem in str(error) for problem in error.problems)
        return error.problems


@pytest.fixture
def arm():
    return Arm()


def hand(arm):
    """Close a loop."""
    arm.join("hand", arm.ground, arm.fore, child_point=arm.fore.x)


def lost(arm):
    arm.system.add_loads(me.Force(me.Point("lost"), arm.ground.x))


def astray(arm):
    arm.system.add_loads(me.Torque(me.ReferenceFrame("astray"), arm.ground.x))


def bird(arm):
    arm.join("wing", rigid_body("bird"), rigid_body("feather"), kind=me.PrismaticJoint)


def fuel(arm):
    arm.upper.mass = me.dynamicsymbols("fuel")


def bob(arm, **of_bob):
    arm.join("bob", arm.upper, me.Particle("bob", **of_bob), child_point=None)


def few_kdes(arm):
    arm.system.kdes = [arm.elbow.kdes[0]]


def few_speeds(arm):
    arm.system.u_ind = arm.system.u[:1]


def dependent(arm):
    arm.system.u_ind, arm.system.u_dep = ([speed] for speed in arm.system.u)


def shared(arm):
    of_elbow = arm.elbow.coordinates[0], arm.elbow.speeds[0]
    arm.join("elbow", arm.fore, rigid_body("hand"), *of_elbow)


def potential(arm):
    arm.upper.potential_energy = symbols("k") * arm.system.q[0] ** 2
    arm.ground.potential_energy = symbols("e")


def small_inertia(arm):
    """It is too small for the mass about this point."""
    end = arm.fore.masscenter.locatenew("end", arm.fore.x)
    arm.fore.mass, arm.fore.inertia = 1, (me.inertia(arm.fore.frame, 0, 1, 0.5), end)


@pytest.mark.parametrize(
    ("changes", "count"),
    [
        *(([change], 1) for change in (hand, bird, few_kdes, few_speeds, dependent, small_inertia)),
        *(([lost, astray], 2), ([shared], 3), ([potential], 2)),
        *(([hand, bird, fuel], 3), ([hand, lost], 2)),
    ],
    ids=lambda value: " ".join(x.__name__ for x in value) if isinstance(value, list) else "",
)
def test_all_problems_are_told_at_once(arm, changes, count):
    for change in changes:
        change(arm)
    assert len(arm.problems()) == count


def test_potential_energy_of_a_particle(arm):
    """Nothing reads it: a model whose weight or springs stand there would be without them."""
    bob(arm)
    arm.system.bodies[-1].potential_energy = symbols("e")
    assert len(arm.problems()) == 1


def test_speed_of_a_joint_that_moves_with_others(arm):
    """Its own speed is none of the System's, and nothing moves with it."""
    (q,), (speed,), own = arm.elbow.coordinates, arm.system.u[:1], me.dynamicsymbols("own")
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


NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize("mass", [-1, sqrt(2) - 2, -Symbol("m", positive=True), NAN, INF, 2j])
def test_masses_that_no_body_has(arm, mass):
    arm.fore.mass = mass
    bob(arm, mass=mass)
    of_body, of_bob = arm.problems()
    assert of_body.replace("fore", "bob") == of_bob


@pytest.mark.parametrize(
    "moments",
    [
        (1, -1, 1),
        (symbols("I"), -1, symbols("J")),
        (1, 1, 1, 2),
        (1, symbols("I"), 1, 0, 0, -2),
        (symbols("I"), symbols("J", negative=True), 1),
        (1, 1, 1, -0.9, 0.9, 0.9),  # each pair of axes is fine
        *((1, 1, moment) for moment in (NAN, INF, 1j)),
    ],
)
def test_inertias_that_no_body_has(arm, moments):
    arm.fore.central_inertia = me.inertia(arm.fore.frame, *moments)
    assert len(arm.problems()) == 1


def tip(arm):
    arm.join("wrist", arm.fore, rigid_body("hand"))


def needle(arm):
    """It turns about itself."""
    arm.join("wrist", arm.fore, rigid_body("rod", 2, 0, 3, 3), joint_axis=arm.fore.x)


def carriage(arm):
    """It has no mass, and is on another slider along the same line."""
    inner, outer = rigid_body("carriage"), rigid_body("load", symbols("m"))
    arm.join("rail", arm.fore, inner, kind=me.PrismaticJoint)
    arm.join("slide", inner, outer, kind=me.PrismaticJoint)


@pytest.mark.parametrize("change", [tip, needle, carriage])
def test_accelerations_that_move_no_mass_are_open_and_nothing_else(arm, change):
    change(arm)
    forces = InverseDynamics(arm.system).generalized_forces
    assert len(forces) == len(arm.system.u)
    assert change is not tip or forces[2] == 0
    refused(lambda: ForwardDynamics(arm.system), "system", TopologyError)


def test_errors_survive_pickling():
    """As they must to come back from another process."""
    error = TopologyError("system", ["one thing", "another"])
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.problems) == (str(error), ("one thing", "another"))
    assert str(error).endswith("but:\n- one thing\n- another")
