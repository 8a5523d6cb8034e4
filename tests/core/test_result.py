"""Results afterwards: other points and frames, powers, tables, normalisation."""

import copy
import pickle
import sys
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import sympy.physics.mechanics as me
from bodies import rigid_body, system_of
from linkages import closed
from numpy.testing import assert_allclose
from refusals import refusal, refused
from sympy import Symbol, pi, symbols

import jointwrench as jw
from jointwrench.extend import DeclaredOutput
from jointwrench.mechanics.evaluation.result import Result
from jointwrench.motion.trajectory import Trajectory
from jointwrench.recordings.readers import read_csv
from jointwrench.recordings.writers import write_csv
from jointwrench.records.cycles import normalise_cycles

T = np.linspace(0, 2, 201)


@pytest.fixture(scope="module")
def chain():
    segments = [
        jw.Segment("thigh", 0.4, 7.0, inertia=0.1, joint="spherical", direction="-y"),
        jw.Segment("shank", Symbol("l"), 3.0, (0, -0.2, 0), inertia=0.05, direction="-y"),
    ]
    return jw.SerialChain(segments, gravity=(0, -9.81, 0))


@pytest.fixture(scope="module")
def motion():
    waves = [np.sin(2 * T), 0.3 * np.cos(3 * T), 0.2 * np.sin(T), -0.5 + 0.4 * np.sin(4 * T)]
    return Trajectory.from_samples(T, np.stack(waves, -1))


@pytest.fixture(scope="module")
def idyn(chain):
    return jw.InverseDynamics(chain.system)


@pytest.fixture(scope="module")
def result(idyn, motion):
    return idyn.compile(backend="numpy")(motion)


class TestOtherPointsAndFrames:
    def test_a_place_from_a_point(self, chain, result):
        ground, origin = chain.ground.frame, chain.ground.masscenter
        place = np.stack([T, 0 * T, T**2], -1)
        found = result.joint_wrench("thigh", about=(origin, place), frame=ground)
        own = result.joint_wrench("thigh", frame=ground)
        assert_allclose(found[:, :3], own[:, :3])
        assert_allclose(found[:, 3:], own[:, 3:] - np.cross(place, own[:, :3]))

    def test_a_constant_that_the_forces_do_not_know(self, chain, result):
        refused(lambda: result.joint_wrench("shank", about=chain.tip), "constants")
        found = result.joint_wrench("shank", about=chain.tip, constants={"l": 0.45})
        own = result.joint_wrench("shank")
        assert_allclose(found[:, 5] - own[:, 5], -own[:, 0] * 0.45)

    def test_in_the_frame_of_the_joint(self):
        """That of the child, also where it is turned in its body; else the child's own."""
        ground, rod = rigid_body("g"), rigid_body("rod", 2, 1, 1, 1)
        tip = me.Particle("tip", mass=1)
        turned = me.ReferenceFrame("turned")
        turned.orient_axis(rod.frame, rod.x, 0.4)
        pin = me.PinJoint("pin", ground, rod, joint_axis=ground.x, child_interframe=turned)
        slide = me.PrismaticJoint("slide", rod, tip, joint_axis=rod.y)
        idyn = jw.InverseDynamics(system_of(ground, pin, slide, gravity=-10 * ground.z))
        result = idyn.compile(backend="numpy")([0.3, 0.5], [0.2, 0.1], [0.4, 0.7])
        own = result.joint_wrench("pin")
        turn = np.array(turned.dcm(rod.frame), float)
        assert_allclose(
            result.joint_wrench("pin", frame="joint"), np.ravel(own.reshape(2, 3) @ turn.T)
        )
        assert_allclose(result.joint_wrench("slide", frame="joint"), result.joint_wrench("slide"))
        whole = idyn.joint_wrench("pin", frame="joint")
        assert whole.equals(idyn.joint_wrench("pin"))
        assert whole.force.args[0][1] is turned

    def test_components(self, result):
        whole = result.joint_wrench("shank")
        assert_allclose(result.joint_wrench("shank", components="mz"), whole[:, 5])
        assert_allclose(result.joint_wrench("shank", components="fx mz"), whole[:, [0, 5]])
        assert_allclose(result.joint_wrench("shank", components=["fy"]), whole[:, [1]])

    def test_refuses(self, chain, result):
        with refusal("about"):
            result.joint_wrench("thigh", about=(chain.ground.masscenter, np.zeros((5, 3))))
        with refusal("about"):
            result.joint_wrench("shank", about=(chain.tip, [1, 2]), constants={"l": 1})
        bare = Result(result.outputs, result.joints)
        refused(lambda: bare.joint_wrench("shank", frame=chain.ground.frame), "result")


class TestWithoutJoints:
    """Models made of a KanesMethod, and results that came back from pickling."""

    def test_a_body_on_a_string(self):
        q, u = me.dynamicsymbols("q u")
        N, A, O = me.ReferenceFrame("N"), me.ReferenceFrame("A"), me.Point("O")
        A.orient_axis(N, q, N.z)
        A.set_ang_vel(N, u / 2 * N.z)
        O.set_vel(N, 0)
        P = O.locatenew("P", -2 * A.y)
        P.v2pt_theory(O, N, A)
        bob = me.RigidBody("bob", P, A, 3, (me.inertia(A, 0, 0, 1), P))
        loads = [(P, -30 * N.y)]
        kane = me.KanesMethod(N, [q], [u], [q.diff() - u / 2], bodies=[bob], forcelist=loads)
        idyn = jw.InverseDynamics.from_kane(kane, [(N, bob, O)])
        motion = Trajectory.from_callables(T, lambda t: np.sin(t)[:, None], idyn=idyn)
        assert_allclose(motion.u[:, 0], 2 * np.cos(T), atol=1e-7)
        result = idyn.compile(backend="numpy")(motion)
        up = 30 + 6 * (-np.sin(T) * np.sin(np.sin(T)) + np.cos(T) ** 2 * np.cos(np.sin(T)))
        assert_allclose(result.joint_wrench("bob", frame=N, components="fy"), up, atol=1e-4)
        assert list(result.columns())[-1] == ("system", "Q u")
        power = result.joint_power("bob")
        assert_allclose(power, result.generalized_forces[:, 0] * 2 * np.cos(T), atol=1e-5)
        assert_allclose(result.columns()["bob", "power"], power, rtol=0, atol=0)

    def test_pickled(self, chain, result):
        there = pickle.loads(pickle.dumps(result))
        assert_allclose(there.joint_wrench("shank"), result.joint_wrench("shank"))
        assert there.columns().keys() == result.columns().keys()
        assert_allclose(there.columns()["shank", "power"], result.joint_power("shank"))
        refused(lambda: there.joint_wrench("shank", frame=chain.ground.frame), "joint")

    def test_copied(self, chain, result):
        shallow, deep = copy.copy(result), copy.deepcopy(result)
        for other in (shallow, deep):
            assert other.joints == result.joints
            assert_allclose(other.joint_power("shank"), result.joint_power(chain.joints[1]))
        assert shallow.joint_wrenches is result.joint_wrenches
        assert not np.shares_memory(deep.joint_wrenches, result.joint_wrenches)


class TestWhatWasRead:
    """Sympy's frames and points may be set anew after the model was read."""

    @pytest.fixture
    def arm(self):
        ground, rod = rigid_body("ground"), rigid_body("rod", 2, 1, 2, 3)
        # the rod is the parent, so that it is ground's wrench that is reported
        pin = me.PinJoint("pin", rod, ground, parent_point=-1 * rod.y, joint_axis=rod.z)
        system = system_of(ground, pin, gravity=-10 * ground.y)
        return SimpleNamespace(ground=ground, rod=rod, system=system, pin=pin)

    def test_frames_and_points_set_anew(self, arm):
        idyn = jw.InverseDynamics(arm.system)
        state = [0.3], [0.2], [0.1]
        result = idyn.compile(backend="numpy")(*state)
        asked = [(None, arm.rod.frame), (arm.rod.masscenter, None)]
        asked += [(arm.rod.masscenter, arm.rod.frame), (arm.pin.parent_point, arm.ground.frame)]
        before = [result.joint_wrench("pin", about, frame) for about, frame in asked]
        arm.rod.frame.orient_axis(arm.ground.frame, arm.ground.x, 2 * arm.system.q[0])
        arm.rod.masscenter.set_pos(arm.system.fixed_point, 7 * arm.ground.z)
        after = [result.joint_wrench("pin", about, frame) for about, frame in asked]
        assert_allclose(after, before, rtol=0, atol=1e-14)
        refused(lambda: idyn.compile(backend="numpy"), "system")

    def test_constraint_wrenches_of_a_reversed_joint(self, arm):
        """They are evaluated first when sympy's frames say something else."""
        of = [jw.InverseDynamics(arm.system) for _ in range(2)]
        read, late = (x.compile("constraint_wrenches", backend="numpy") for x in of)
        expected = read([0.3], [0.2], [0.1]).constraint_wrenches
        arm.rod.frame.orient_axis(arm.ground.frame, arm.ground.x, arm.system.q[0])
        assert late([0.3], [0.2], [0.1]).constraint_wrenches == pytest.approx(expected, abs=1e-12)
        assert np.abs(expected).max() > 1

    def test_a_frame_and_a_point_made_later(self, arm):
        result = jw.InverseDynamics(arm.system).compile(backend="numpy")([0.3], [0.2], [0.1])
        arm.rod.frame.orient_axis(arm.ground.frame, arm.ground.x, arm.system.q[0])
        marker, frame = me.Point("marker"), me.ReferenceFrame("frame")
        marker.set_pos(arm.rod.masscenter, arm.rod.y)  # 2 from the pin
        frame.orient_axis(arm.rod.frame, arm.rod.z, pi / 2)
        in_rod = result.joint_wrench("pin", about=arm.pin.parent_point, frame=arm.rod.frame)
        seen = result.joint_wrench("pin", about=marker, frame=frame)
        assert_allclose(seen[:2], [in_rod[1], -in_rod[0]], atol=1e-14)
        assert_allclose(seen[5], in_rod[5] + 2 * in_rod[0], atol=1e-14)


class TestPower:
    @staticmethod
    def two_links(kdes="relative"):
        """Two pins; with the speeds of the second one relative to the first, or to ground."""
        ground, first, second = (rigid_body(x, 1, 1, 1, 1) for x in ("g", "first", "second"))
        ends = first.x, -1 * second.x
        one = me.PinJoint("one", ground, first, joint_axis=ground.z)
        pins = [one, me.PinJoint("two", first, second, None, None, *ends, joint_axis=first.z)]
        system = system_of(ground, *pins)
        (q1, q2), (u1, u2) = system.q, system.u
        if kdes == "absolute":
            pins[1].child_interframe.set_ang_vel(pins[1].parent_interframe, (u2 - u1) * first.z)
            system.kdes = [u1 - q1.diff(), u2 - u1 - q2.diff()]
        return jw.InverseDynamics(system), system

    def test_says_which_output_it_needs(self):
        idyn, _ = self.two_links("absolute")
        forces = idyn.compile("generalized_forces", backend="numpy")([0.3, 0.4], [1, 3], [1, 1])
        refused(lambda: forces.joint_power("one"), None, AttributeError)
        assert ("one", "power") not in forces.columns()

    def oblique_parallelogram(self):
        """Return a loop whose undetermined components are along no axis of its bodies."""
        links = [rigid_body(f"link{k}", 2, 0.1, 0.1, 0.1) for k in range(4)]

        def place(link, along, across):
            return along * (link.x - link.y) + across * link.z

        system = me.System.from_newtonian(links[0])
        ends = [((0, 0), (0, -1)), ((0, 1), (-2, 0)), ((2, 0), (0, 1)), ((0, -1), (4, 0))]
        for k, (before, after) in enumerate(ends):
            inner, outer = pair = links[k], links[(k + 1) % 4]
            points, axis = (place(inner, *before), place(outer, *after)), inner.x + inner.y
            if k < 3:
                system.add_joints(me.PinJoint(f"J{k}", *pair, None, None, *points, joint_axis=axis))
        loop = jw.LoopJoint("J3", *pair, "pin", *points, joint_axis=axis)
        system.apply_uniform_gravity(-9.81 * links[0].y)
        return jw.InverseDynamics(system, loops=[loop], actuated=system.u[:1])

    @pytest.mark.parametrize("case", ["plain", "friction", "unsupplied", "undetermined"])
    def test_does_not_depend_on_what_else_was_compiled(self, case):
        """It is the power of the joint wrench, or it is refused."""
        idyn, motion = self.oblique_parallelogram(), ([0.0] * 3, [1.0, -1, 1], [0.5, -0.5, 0.5])
        if case != "undetermined":
            _, system = self.two_links()
            friction = jw.JointFriction("one", 0.2, radius=0.05)
            motion = [0.3, 0.4], [1, 3], [1, 1]
            more = {"friction": {"frictions": [friction]}, "unsupplied": {"actuated": system.u[1:]}}
            idyn = jw.InverseDynamics(system, **more.get(case, {}))
        names = ["joint_wrenches", "generalized_forces"]
        wrenches, forces, both = (
            idyn.compile(own, backend="numpy")(*motion) for own in (names[:1], names[1:], names)
        )
        for joint in idyn.joints:
            power = wrenches.joint_power(joint)
            assert np.isfinite(power)
            assert_allclose(both.joint_power(joint), power, rtol=1e-10, atol=1e-12)
            if case in ("friction", "unsupplied") and joint.name == "one":
                refused(lambda: forces.joint_power(joint), None, AttributeError)
            else:
                assert_allclose(forces.joint_power(joint), power, rtol=1e-10, atol=1e-12)
        if case == "undetermined":
            assert np.isnan(wrenches.joint_wrenches[:, 3:]).all()
            assert abs(wrenches.joint_power("J0")) > 1

    def test_of_a_joint_whose_angle_is_prescribed(self):
        ground, table, slider = (rigid_body(x, 3, 1, 1, 1) for x in ("g", "table", "slider"))
        pin = me.PinJoint("pin", ground, table, joint_axis=ground.z)
        slide = me.PrismaticJoint("slide", table, slider, joint_axis=table.x)
        system = system_of(ground, pin, slide)
        (angle,), (place,) = pin.coordinates, slide.coordinates
        system.q_ind, system.u_ind = [place], slide.speeds
        system.kdes = [slide.speeds[0] - place.diff()]
        evaluate = jw.InverseDynamics(system).compile(backend="numpy")
        rates = {angle: 0.1, angle.diff(): 2.0, angle.diff().diff(): 3.0}
        result = evaluate([0.5], [1.0], [2.0], specifieds=rates)
        assert result.joint_power("pin") == pytest.approx(2 * result.joint_wrench("pin")[5])
        assert result.joint_power("slide") == pytest.approx(result.joint_wrench("slide")[0])
        assert result.columns()["pin", "power"] == pytest.approx(result.joint_power("pin"))

    def test_needs_to_know_the_joints(self, chain, result):
        bare = Result(result.outputs, result.joints, inputs=result.inputs)
        refused(lambda: bare.joint_power("thigh"), "result")
        inputs = replace(result.inputs, samples={})
        outputs = {"joint_wrenches": result.joint_wrenches}
        unknown = Result(outputs, result.joints, inputs=inputs, model_joints=result.model_joints)
        assert not {("thigh", "power")} & {*bare.columns(), *unknown.columns()}
        refused(lambda: bare.joint_wrench("thigh", about=chain.tip), "result")

    def test_other_errors_are_told(self, result, monkeypatch):
        monkeypatch.setattr(Result, "joint_power", lambda self, joint: 1 / 0)
        with pytest.raises(ZeroDivisionError, match="division by zero"):
            result.columns()

    def test_work_is_the_change_of_energy(self, motion):
        idyn = jw.InverseDynamics(jw.SerialChain.planar(1, gravity=(0, -9.81, 0)).system)
        single = Trajectory.from_samples(T, np.sin(2 * T))
        ones = dict.fromkeys(idyn.constants, 1.0)
        result = idyn.compile(backend="numpy")(single, constants=ones)
        q, u = single.q[:, 0], single.u[:, 0]
        energy = 0.5 * (1 + 0.25) * u**2 + 9.81 * 0.5 * np.cos(q)
        assert_allclose(result.joint_work("S_0"), energy - energy[0], atol=2e-3)

    def test_needs_times(self, idyn, motion):
        found = idyn.compile("generalized_forces", backend="numpy")(motion.q, motion.u, motion.udot)
        refused(lambda: found.joint_work("shank"), "times")


class TestTables:
    def test_dataframe(self, result):
        pytest.importorskip("pandas")
        frame = result.to_dataframe()
        assert frame.index.name == "time"
        assert list(frame.columns.names) == ["joint", "component"]
        assert_allclose(frame["shank", "mz"], result.joint_wrench("shank", components="mz"))
        assert list(frame["shank"].columns)[-2:] == ["Q u_1", "power"]
        assert frame.shape == (201, 6 + 3 + 1 + 6 + 1 + 1)

    def test_solved_loads_come_last(self):
        pytest.importorskip("pandas")
        chain = jw.SerialChain.planar(1, gravity=(0, -9.81, 0), actuated=True)
        idyn = jw.InverseDynamics(chain.system, solve_for=chain.actuation)
        ones = dict.fromkeys(idyn.constants, 1.0)
        evaluate = idyn.compile(("joint_wrenches", "solved_loads"), backend="numpy")
        frame = evaluate([[0.5]], [[0.0]], [[0.0]], constants=ones).to_dataframe()
        assert list(frame.columns[-1]) == ["loads", "tau_0"]
        assert frame.index.name == "sample"

    def test_dataframe_of_other_batches(self, idyn, motion):
        pandas = pytest.importorskip("pandas")
        evaluate = idyn.compile(backend="numpy")
        assert len(evaluate(motion.q[3], motion.u[3], motion.udot[3]).to_dataframe()) == 1
        shape = (3, 67, 4)
        grid = evaluate(*(x.reshape(shape) for x in (motion.q, motion.u, motion.udot)))
        assert isinstance(grid.to_dataframe().index, pandas.MultiIndex)
        assert len(grid.to_dataframe()) == 201

    def test_without_forces(self, idyn, motion):
        refused(idyn.compile("mass_matrix", backend="numpy")(motion).to_dataframe, "result")

    def test_says_what_to_install(self, result, monkeypatch):
        monkeypatch.setitem(sys.modules, "pandas", None)
        refused(result.to_dataframe, None, ImportError)

    def test_files(self, result, tmp_path):
        write_csv(tmp_path / "out.csv", result)
        table = read_csv(tmp_path / "out.csv")
        assert_allclose(table["shank_mz"], result.joint_wrench("shank", components="mz"), rtol=0)
        assert "shank_Q_u_1" in table.names


#: What results are asked for, by methods that need inputs.
ASKED = {
    "explain": lambda x: x.explain("S_0", at=0.5).value,
    "power": lambda x: x.joint_power("S_1"),
    "work": lambda x: x.joint_work("S_1"),
    "wrench": lambda x: x.joint_wrench("S_1", about="O", frame="N"),
    "balance": lambda x: x.energy_balance().power_residual,
    "cycles": lambda x: x.over_cycles([0.0, 0.5, 1.0], 5).joint_wrench("S_1", frame="N"),
    "table": lambda x: x.to_table().array,
}


@pytest.mark.parametrize("form", ["number", "function", "row"])
def test_one_value_for_all_samples_is_an_array_of_it(form):
    """In every method of a result, whichever argument it is."""
    chain, push = jw.SerialChain.planar(2, gravity=(0, -9.81, 0)), me.dynamicsymbols("push")
    chain.system.add_loads(me.Force(chain.tip, push * chain.ground.x))
    idyn, times = jw.InverseDynamics(chain.system), np.linspace(0, 1, 11)
    outputs = ["joint_wrenches", "contributions", "kinetic_energies", "body_powers"]
    evaluate = idyn.compile(outputs, backend="numpy")
    q, rest = np.stack([times, times**2], -1), np.zeros(2)
    numbers = dict.fromkeys(idyn.constants, 1.0)
    many = {"specifieds": {push: np.full(11, 2.0)}, "times": times}
    given = {"number": 2.0, "function": lambda t: 2.0, "row": np.full(11, 2.0)}
    states = (q, rest, rest) if form == "row" else (q, 0 * q, 0 * q)
    expected = evaluate(q, 0 * q, 0 * q, numbers, **many)
    found = evaluate(*states, numbers, **{**many, "specifieds": {push: given[form]}})
    for name, ask in ASKED.items():
        assert_allclose(ask(found), ask(expected), rtol=1e-12, err_msg=name)


def arm_on_a_floor():
    """Return a pushed arm whose tip slides on a floor that rubs, and options of its model."""
    chain, drag = jw.SerialChain.planar(2, gravity=(0, -9.81, 0)), Symbol("m_drag")
    pairs = zip(chain.bodies, symbols("m_push:2"), strict=True)
    chain.system.add_loads(*(me.Torque(body.frame, x * chain.ground.z) for body, x in pairs))
    ground, body = chain.ground, chain.bodies[1]
    ends = {"parent_point": Symbol("l_2") * ground.y, "child_point": chain.tip}
    floor = jw.LoopJoint("floor", ground, body, "point_on_plane", **ends, joint_axis=ground.y)
    closed(chain.system, floor)
    friction = jw.JointFriction(floor, 0.3, width=0.1, viscous=drag)
    return chain, {"loops": [floor], "frictions": [friction]}


def inverse_with_all_outputs():
    chain, options = arm_on_a_floor()

    def effort(model):
        return [model.output("generalized_forces") @ [model.scalar(u) for u in model.speeds]]

    square = ("square", lambda m: m.output("effort") * m.output("effort"))
    declared = [("effort", effort), square, ("angle", lambda m: [m.coordinates[0]])]
    pairs = zip(declared, (1, 2, 0), strict=True)
    outputs = [DeclaredOutput(x, (1,), make, mass_dimension=k) for (x, make), k in pairs]
    body = chain.bodies[1]
    part = me.Particle("part", body.masscenter.locatenew("P", 0.1 * body.x), body.mass / 3)
    cut = jw.Section("cut", body, None, part, attached=options["loops"])
    return jw.InverseDynamics(
        chain.system, [Symbol("m_push1")], sections=[cut], outputs=outputs, **options
    )


def forward_with_all_outputs():
    chain, options = arm_on_a_floor()
    return jw.ForwardDynamics(chain.system, **options)


def kinematics_with_all_outputs():
    chain, _ = arm_on_a_floor()
    return jw.Kinematics(chain.system, {"tip": chain.tip}, {"hand": chain.frames[1]})


class TestNormalisation:
    @pytest.mark.parametrize(
        "make", [inverse_with_all_outputs, forward_with_all_outputs, kinematics_with_all_outputs]
    )
    def test_per_mass_undoes_that_all_masses_grow(self, make):
        """Law: a model four times as heavy, with such loads, has per mass the same results."""
        model = make()
        slopes = ["q"] if make is forward_with_all_outputs else []
        evaluate = model.compile(model.model.outputs.names, derivatives=slopes, backend="numpy")
        light = {x: 0.6 + 0.1 * k for k, x in enumerate(model.constants)}
        heavy = {x: y * (4 if x.name[:2] in ("m_", "I_") else 1) for x, y in light.items()}
        states = [[0.3, -0.9], [0.7, 0.2], [1.1, -0.4]]
        if make is not kinematics_with_all_outputs:
            states = getattr(model, "inverse", model).close_motion(*states, light)
        states = states[: len({"q", "u", "udot"}.intersection(evaluate.inputs))]
        expected = evaluate(*states, constants=light)
        found = evaluate(*states, constants=heavy).per_mass(4.0)
        for name, values in expected.outputs.items():
            assert_allclose(found.outputs[name], values, rtol=1e-7, atol=1e-9, err_msg=name)

    def test_what_says_nothing_of_mass_is_not_divided(self, chain, motion):
        own = DeclaredOutput("effort", (1,), lambda m: [m.speeds[0]])
        model = jw.InverseDynamics(chain.system, outputs=[own])
        result = model.compile("effort", backend="numpy")(motion)
        refused(lambda: result.per_mass(70.0), "outputs")

    def test_over_cycles(self, chain, result):
        cycles = result.over_cycles([0.2, 1.0, 1.8], samples=41)
        assert cycles.joint_wrenches.shape == (2, 41, 2, 6)
        assert_allclose(cycles.joint_wrenches[0, 0], result.joint_wrenches[20], atol=1e-12)
        assert_allclose(cycles.joint_wrenches[1, -1], result.joint_wrenches[180], atol=1e-12)
        assert cycles.times[1, 0] == pytest.approx(1.0)
        ground = chain.ground.frame
        turned = cycles.joint_wrench("shank", frame=ground)
        whole = result.joint_wrench("shank", frame=ground)
        assert_allclose(turned[0, 0], whole[20], atol=1e-9)

    def test_work_over_cycles_begins_with_each(self, result):
        work = result.over_cycles([0.2, 1.0, 1.8], samples=161).joint_work("thigh")
        whole = result.joint_work("thigh")
        assert_allclose(work[0, ::2], whole[20:101] - whole[20], atol=2e-3)
        assert_allclose(work[1, ::2], whole[100:181] - whole[100], atol=2e-3)

    def test_what_needs_one_batch_axis(self, result, tmp_path):
        cycles = result.over_cycles([0.2, 1.0, 1.8])
        write_csv(tmp_path / "out.csv", cycles)
        table = read_csv(tmp_path / "out.csv", time="percent")
        assert_allclose(table["shank_mz_cycle_2"], cycles.columns()["shank", "mz"][1])
        assert_allclose(table.times, np.arange(101))
        refused(lambda: cycles.over_cycles([0.2, 1.0]), "times")
        assert cycles.columns()["shank", "mz"].shape == (2, 101)

    def test_refuses(self):
        refused(lambda: normalise_cycles(T, T, [0.5, 3]), "events")
