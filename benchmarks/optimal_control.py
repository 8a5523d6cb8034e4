"""How long do opty's problems take with compiled equations, and with symbolic ones?

1. The swing-up of a pendulum within 10 s, from opty's gallery: `examples/swing_up.py`.
2. A step of a five-link walker: trunk, thighs and shanks in the sagittal plane on a pinned
   foot, motors in knees and hips and at the trunk.  From a double support on straight legs
   to the next one, in which the legs have changed roles and have the same speeds, with the smallest
   squares of torques, and with the other foot above the ground meanwhile.  Masses, lengths,
   duration and step length: M. Kelly, An introduction to trajectory optimization, SIAM Review 59
   (2017) 849-904, sec. 6.3 (the robot RABBIT's).

Both have the same objective, guess and options of IPOPT.  Imports and the choice of compiler flags,
once per machine, are not counted; the cache is empty.
"""

import importlib.util
import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from build_scaling import own
from sympy import Expr, Integral, Matrix, cos
from sympy.physics.mechanics import (
    PinJoint,
    RigidBody,
    System,
    TorqueActuator,
    dynamicsymbols,
    inertia,
)
from timing import best_by_turns, once, print_table, skip

from jointwrench import ForwardDynamics
from jointwrench.optimal_control import forward_problem

if TYPE_CHECKING:
    from opty import Problem

EXAMPLE = Path(__file__).parents[1] / "examples" / "swing_up.py"

#: Of the walker: mass, central moment of inertia, length, distance of the mass centre from
#: the knee (shank), from the hip (thigh, trunk).
SHANK, THIGH, TRUNK = (3.2, 0.93, 0.4, 0.128), (6.8, 1.08, 0.4, 0.163), (20, 2.22, 0.625, 0.2)
GRAVITY, STEP, STEP_TIME, N_NODES = 9.81, 0.5, 0.7, 101

#: The angle of straight legs in double support.
LEAN = float(np.arcsin(STEP / 2 / (SHANK[2] + THIGH[2])))


@dataclass
class Case:
    """A model and its problem."""

    system: System
    duration: float
    nodes: int
    controls: tuple[Expr, ...]
    options: dict[str, Any]
    guess: "Callable[[Problem], np.ndarray]"
    path: tuple[Expr, ...] = ()

    @property
    def step(self) -> float:
        """The time between nodes."""
        return self.duration / (self.nodes - 1)

    @property
    def states(self) -> tuple[Expr, ...]:
        """Coordinates, then speeds."""
        return (*self.system.q, *self.system.u)

    def objective(self) -> tuple[Callable[..., float], Callable[..., np.ndarray]]:
        """Return the integral of the squares of all torques, and its gradient."""
        from opty import create_objective_function

        time = dynamicsymbols._t
        integral = Integral(sum(torque**2 for torque in self.controls), time)
        return create_objective_function(
            *(integral, self.states, self.controls, (), self.nodes, self.step),
            time_symbol=time,
        )

    def compiled(self) -> "Problem":
        """Return the problem with our equations."""
        fdyn = ForwardDynamics(self.system)
        arguments = (*self.objective(), self.nodes, self.step)
        return forward_problem(fdyn, *arguments, equations=self.path, **self.options)

    def exact(self) -> "Problem":
        """Return the problem with our equations and second derivatives."""
        effort = Integral(sum(torque**2 for torque in self.controls), dynamicsymbols._t)
        arguments = (effort, None, self.nodes, self.step)
        fdyn = ForwardDynamics(self.system)
        return forward_problem(
            fdyn, *arguments, equations=self.path, hessian="exact", **self.options
        )

    def symbolic(self, **options: Any) -> "Problem":
        """Return the problem with the equations of sympy's KanesMethod and opty's code."""
        from opty import Problem

        forces = self.system.form_eoms()
        rates = self.system.eom_method.kindiffdict()
        rows = [*(rate - value for rate, value in rates.items()), *forces, *self.path]
        arguments = (Matrix(rows), self.states, self.nodes, self.step)
        return Problem(*self.objective(), *arguments, **self.options, **options)


def swing_up() -> Case:
    """Return the pendulum of the gallery."""
    spec = importlib.util.spec_from_file_location("swing_up", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    system, end = example.pendulum(), example.DURATION
    (angle,), (speed,) = system.q, system.u
    start = (angle.func(0), speed.func(0), angle.func(end) - np.pi, speed.func(end))
    options = {
        "known_parameter_map": {example.GRAVITY: 9.81},
        "instance_constraints": start,
        "bounds": {example.TORQUE: (-2.0, 2.0)},
    }
    return Case(system, end, example.N_NODES, (example.TORQUE,), options, _noise)


def _noise(problem: "Problem") -> np.ndarray:
    """Return the guess of the gallery."""
    return np.random.default_rng(0).normal(size=problem.num_free)


def walker() -> Case:
    """Return the walker: the first angle is from the vertical, the others are joint angles."""
    ground = RigidBody("ground")
    names = {"shank": SHANK, "thigh": THIGH, "trunk": TRUNK, "swing_thigh": THIGH}
    links = {name: link(name, *numbers[:2]) for name, numbers in names.items()}
    links["swing_shank"] = link("swing_shank", *SHANK[:2])
    shank, thigh, trunk = links["shank"], links["thigh"], links["trunk"]
    other_thigh, other_shank = links["swing_thigh"], links["swing_shank"]
    joints = [
        pin("foot", ground, shank, 0 * ground.y, -(SHANK[2] - SHANK[3]) * shank.y),
        pin("knee", shank, thigh, SHANK[3] * shank.y, -(THIGH[2] - THIGH[3]) * thigh.y),
        pin("waist", thigh, trunk, THIGH[3] * thigh.y, -TRUNK[3] * trunk.y),
        pin("hip", thigh, other_thigh, THIGH[3] * thigh.y, THIGH[3] * other_thigh.y),
        pin(
            *("other_knee", other_thigh, other_shank),
            *(-(THIGH[2] - THIGH[3]) * other_thigh.y, SHANK[3] * other_shank.y),
        ),
    ]
    system = System.from_newtonian(ground)
    system.add_joints(*joints)
    system.apply_uniform_gravity(-GRAVITY * ground.y)
    torques = tuple(dynamicsymbols("T1:5"))
    for torque, joint in zip(torques, joints[1:], strict=True):
        system.add_actuators(
            TorqueActuator(torque, ground.z, joint.child.frame, joint.parent.frame)
        )
    return _step(system, torques)


def _step(system: System, torques: tuple[Expr, ...]) -> Case:
    """Return the task: from a double support to its mirror image."""
    q = list(system.q)
    shank, thigh = q[0], q[0] + q[1]
    trunk, other_thigh = thigh + q[2], thigh + q[3]
    other_shank = other_thigh + q[4]
    height = SHANK[2] * (cos(shank) - cos(other_shank)) + THIGH[2] * (cos(thigh) - cos(other_thigh))
    begin, end = (at(system, instant) for instant in (0, STEP_TIME))
    legs = {shank: LEAN, thigh: LEAN, other_thigh: -LEAN, other_shank: -LEAN}
    conditions = [angle.xreplace(begin) - lean for angle, lean in legs.items()]
    conditions += [angle.xreplace(end) + lean for angle, lean in legs.items()]
    conditions.append(trunk.xreplace(begin) - trunk.xreplace(end))
    mirrored = [other_shank, other_thigh, trunk, thigh, shank]
    rates = dict(zip(q, system.u, strict=True))
    for angle, other in zip([shank, thigh, trunk, other_thigh, other_shank], mirrored, strict=True):
        own, later = (x.xreplace(rates) for x in (angle, other))
        conditions.append(own.xreplace(begin) - later.xreplace(end))
    options = {
        "instance_constraints": tuple(conditions),
        "bounds": {x: (-np.pi, np.pi) for x in q},
        "eom_bounds": {2 * len(q): (0.0, 1.0)},
    }
    return Case(system, STEP_TIME, N_NODES, torques, options, _stride, (height,))


def at(system: System, instant: float) -> dict[Expr, Expr]:
    """Return opty's symbols of all states at an instant."""
    return {x: x.func(instant) for x in (*system.q, *system.u)}


def _stride(problem: "Problem") -> np.ndarray:
    """Return a guess of straight legs that swing evenly, one of them with a bent knee."""
    forth = np.linspace(LEAN, -LEAN, N_NODES)
    angles = [forth, 0 * forth, -forth, -2 * forth, 0 * forth - 0.3]
    free = np.zeros(problem.num_free)
    free[: 5 * N_NODES] = np.concatenate(angles)
    return free


def link(name: str, mass: float, moment: float) -> RigidBody:
    """Return a link in the plane."""
    body = RigidBody(name, mass=mass)
    body.central_inertia = inertia(body.frame, 0, 0, moment)
    return body


def pin(name: str, parent: Any, child: Any, at_parent: Any, at_child: Any) -> PinJoint:
    """Return a joint of two links in the plane."""
    places = {"parent_point": at_parent, "child_point": at_child}
    return PinJoint(name, parent, child, **places, joint_axis=parent.z)


def solve(problem: "Problem", guess: np.ndarray) -> np.ndarray:
    """Return the solution of a problem.

    Raises
    ======

    RuntimeError
        If IPOPT does not find one.
    """
    problem.add_option("print_level", 0)
    problem.add_option("sb", "yes")
    problem.obj_value.clear()
    free, info = problem.solve(guess)
    if info["status"] != 0:
        raise RuntimeError(info["status_msg"].decode())
    return free


def rows(name: str, case: Case, seconds: float) -> list[list[str]]:
    """Return the rows of the table for a case."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["JOINTWRENCH_CACHE"] = folder
        built = [once(case.compiled), once(case.exact), once(case.symbolic)]
    problems = [problem for _, problem in built]
    guess = case.guess(problems[0])
    values, _, theirs = (problem.con(guess) for problem in problems)
    np.testing.assert_allclose(values, theirs, rtol=1e-9, atol=1e-9 * abs(theirs).max())
    constraints = best_by_turns([lambda p=p: p.con(guess) for p in problems], seconds)
    jacobians = best_by_turns([lambda p=p: p.con_jac(guess) for p in problems], seconds)
    solutions = [solve(problem, guess) for problem in problems]
    solved = best_by_turns([lambda p=p: solve(p, guess) for p in problems], 10 * seconds)
    return [
        [
            *(name, who, f"{build:.2f}", f"{1e6 * con:.0f}", f"{1e6 * jac:.0f}"),
            *(len(problem.con_jac_rows), len(problem.obj_value)),
            *(f"{time:.2f}", f"{problem.objective(free):.4f}"),
        ]
        for who, (build, problem), con, jac, time, free in zip(
            ("jointwrench", "jointwrench, exact Hessian", "opty"),
            *(built, constraints, jacobians, solved, solutions),
            strict=True,
        )
    ]


def main(seconds: float = 1.0) -> None:
    """Print the table."""
    if importlib.util.find_spec("opty") is None:
        skip("optimal control", "needs opty (pip install '.[opty]')")
        return
    own(1)
    swing_up().compiled()  # all is imported
    head = ["problem", "equations of", "built, s", "constraints, us", "Jacobian, us"]
    head += ["entries", "iterations", "solved, s", "objective"]
    cases = {"pendulum": swing_up(), "five-link walker": walker()}
    table = [row for name, case in cases.items() for row in rows(name, case, seconds)]
    print_table("Optimal control by opty", head, table)


if __name__ == "__main__":
    main()
