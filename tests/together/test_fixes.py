"""What messages say after "Use" is code that works: it is taken from them, and run."""

import re
from functools import cache

import matplotlib.pyplot as plt
import numpy as np
import pytest
import sympy.physics.mechanics as me
from bodies import rigid_body, system_of
from numpy import sin

import jointwrench as jw

URDF = """<robot name="r"><link name="a"/><link name="b"><inertial><mass value="{}"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" iyz="0" ixz="0"/></inertial></link>
<joint name="j" type="continuous"><parent link="a"/><child link="b"/>{}</joint></robot>"""


class Pendulum:
    """A pendulum with its motion and numbers, as names in code."""

    def __init__(self):
        self.chain = jw.SerialChain.planar(1, gravity=(0, -9.81, 0))
        self.idyn = jw.InverseDynamics(self.chain.system)
        self.fdyn = jw.ForwardDynamics(self.chain.system)
        self.evaluate = self.idyn.compile(backend="numpy")
        self.constants = dict.fromkeys(self.idyn.constants, 1.0)
        self.times = np.linspace(0, 1, 11)
        self.q = sin(self.times)[:, None]
        self.motion = jw.Trajectory.from_samples(self.times, self.q, idyn=self.idyn)
        outputs = ["joint_wrenches", "generalized_forces", "body_powers", "kinetic_energies"]
        self.balanced = self.idyn.compile(outputs, constants=self.constants, backend="numpy")
        self.result = self.balanced(self.motion)
        self.axis = self.chain.ground.frame


class Bead:
    """A bead on a tube that turns as given by time."""

    angle = 4 * me.dynamicsymbols._t

    def __init__(self):
        ground, tube, bead = rigid_body("ground"), rigid_body("tube"), me.RigidBody("bead", mass=1)
        tube.frame.orient_axis(ground.frame, ground.z, self.angle)
        tube.masscenter.set_pos(ground.masscenter, 0)
        system = system_of(ground, me.PrismaticJoint("slide", tube, bead, joint_axis=tube.x))
        self.idyn, self.state = jw.InverseDynamics(system), ([1.0], [1.0], [0.0])
        self.times = 0.0
        self.text, self.N = self.idyn.derivation("slide"), ground.frame
        self.evaluate = self.idyn.compile(backend="numpy")
        names = ("bead_ixx", "bead_iyy", "bead_izz", "bead_ixy", "bead_iyz", "bead_izx")
        self.constants = dict.fromkeys(names, 0.0)


class FasterBead(Bead):
    angle = me.dynamicsymbols._t**2


class Loop:
    """A slider-crank that names nothing dependent."""

    def __init__(self):
        ground, crank, rod = (rigid_body(name, 1) for name in ("ground", "crank", "rod"))
        main = me.PinJoint("main", ground, crank, child_point=-crank.x / 2, joint_axis=ground.z)
        ends = {"parent_point": crank.x / 2, "child_point": -rod.x}
        knee = me.PinJoint("knee", crank, rod, **ends, joint_axis=crank.z)
        self.loop = jw.LoopJoint("slider", ground, rod, "point_on_line", child_point=rod.x)
        self.system = system_of(ground, main, knee)
        self.states = [0.3, 0.1], [1.0, 0.0], [0.0, 0.0]
        vars(self).update({x.name: x for x in (*self.system.q, *self.system.u)})

    def solved(self, **options):
        return jw.InverseDynamics(self.system, loops=[self.loop], **options)


SAVE = "jw.pictures.draw_derivation(text, idyn, state, constants, numbers=True)"
AT = "plot_free_body(idyn, state, None, constants)"
CLOSE = "solved(actuated=[]).close_motion([0.3, 0.1])"
FREE = "jw.pictures.plot_free_body(idyn, (q[0],) * 3, None, constants, axes=[1, 2])"


def with_argument(code):
    """Return a call, and the call with the argument that its error proposes."""
    return code, code[:-1] + ", {fix})"


WAYS = {
    Bead: [
        with_argument("jw.pictures." + AT),
        with_argument(SAVE),
        (
            "evaluate(*state, constants).joint_wrench('slide', frame=N)",
            "evaluate(*state, constants, {keyword}).joint_wrench('slide', frame=N)",
        ),
    ],
    FasterBead: [
        with_argument("jw.pictures." + AT),
        with_argument("text.numbers(state, constants)"),
        with_argument(SAVE),
    ],
    Loop: [("solved()", "{fix}\nsolved().close_motion(*states)"), (CLOSE, "{fix}\n" + CLOSE)],
    Pendulum: [
        ("result.contributions", "idyn.{fix}(motion, constants=constants).contributions"),
        ("result.explain('S_0')", "idyn.{fix}(motion, constants=constants).explain('S_0')"),
        ("fdyn.compile('generalized_forces')", "{fix}"),
        (
            "idyn.compile(derivatives=['q'])(motion, constants=constants)"
            ".derivative('generalized_forces', 'u')",
            "idyn.compile({keyword})(motion, constants=constants)"
            ".derivative('generalized_forces', 'u')",
        ),
        ("evaluate(q[:, 0], q[:, 0], q[:, 0], constants)", "q = q[:, 0]\n{fix}"),
        ("evaluate(q, q, None, constants)", "evaluate(q[0], q[0], {fix}, constants)"),
        ("q = np.ma.array(q, mask=True)\nevaluate(q, q, q, constants)", "{fix}"),
        ("evaluate(motion, q, q, constants)", "{fix[:-1]}, constants=constants)"),
        ("balanced(q, q, q).energy_balance()", "balanced(q, q, q, {keyword}).energy_balance()"),
        ("jw.pictures.plot_wrenches(motion)", "wrenches = result\njw.pictures.{fix}"),
        (
            "jw.pictures.interactive_view(chain, q)",
            "jw.pictures.interactive_view(chain, jw.{fix}, constants=constants)",
        ),
        (FREE, FREE.replace("[1, 2]", "{fix}[1]")),
        ("jw.Trajectory.from_samples(times * 0, q)", "{fix}"),
        ("idyn.formula('generalized_forces', about='P_0')", "idyn.formula('S_0', about='P_1')"),
        ("idyn.from_kane(chain.system, [])", "jw.{fix.replace('system', 'chain.system')}"),
        with_argument("jw.robots.read_urdf(URDF.format(-1, ''))"),
        with_argument("jw.robots.read_urdf(URDF.format(1, '<mimic joint=\"x\"/>'))"),
    ],
}
MADE = {model: cache(model) for model in WAYS if model is not Loop}  # whose fixes change the model
CASES = [(model, *case) for model, cases in WAYS.items() for case in cases]

#: Where code in a message ends.
END = r"(?=\.$|,? (?:or|with|which|for|to|before|if|first|in)\b)"


@pytest.mark.parametrize(("model", "code", "mended"), CASES, ids=[case[1] for case in CASES])
def test_what_a_message_says_is_done(model, code, mended, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    made = MADE.get(model, model)()
    names = {name: getattr(made, name) for name in dir(made) if name[0] != "_"}
    names |= {"jw": jw, "np": np, "numpy": np, "plt": plt, "URDF": URDF}
    with pytest.raises((TypeError, ValueError, AttributeError)) as caught:
        exec(code, names)
    message = str(caught.value)
    fix = re.search(rf"\bUse (?:for instance )?(.+?){END}", message)
    assert fix, message
    keyword = re.search(r"\w+=.*(?=\)$)", fix[1])
    known = {"fix": fix[1], "keyword": keyword and keyword[0].replace("[..., ", "['q', ")}
    exec(eval("f" + repr(mended), known), names)
    plt.close("all")
