"""The program of the trial kernel; ``python tests/core/codegen/trial_program.py`` writes its C."""

from pathlib import Path

from sympy import Matrix, cos, sin, symbols
from sympy.physics.mechanics import dynamicsymbols

from jointwrench.mechanics.arithmetic.graph import Graph
from jointwrench.mechanics.arithmetic.output import Group, Output
from jointwrench.mechanics.arithmetic.program import Program
from jointwrench.mechanics.arithmetic.vectors import Mat, Vec, zero
from jointwrench.mechanics.codegen.text.generator import library_text
from jointwrench.mechanics.codegen.text.templates import c_text
from jointwrench.mechanics.codegen.toolchain import trial


def trial_program(links):
    """Return the joint wrenches of an arm of pins, each axis normal to the one before."""
    q, u = dynamicsymbols(f"q:{links}"), dynamicsymbols(f"u:{links}")
    udot = dynamicsymbols(f"u:{links}", 1)
    length, mass, inertia = (symbols(f"{letter}:{links}") for letter in "lmi")
    gravity = symbols("g")
    graph = Graph([*q, *u, *udot])
    rows = []
    w = al = zero(graph)
    a = Vec.enter(graph, (gravity, 0, 0))
    for k in range(links):
        s, c = sin(q[k]), cos(q[k])
        turn = Mat.enter(graph, Matrix([[0, c, s], [0, -s, c], [1, 0, 0]]))
        arm = Vec.enter(graph, (length[k], 0, 0))
        rate = Vec.enter(graph, (0, 0, u[k]))
        w = turn @ w + rate
        al = turn @ al + Vec.enter(graph, (0, 0, udot[k])) + w.cross(rate)
        a = turn @ a + al.cross(arm) + w.cross(w.cross(arm))
        rows.append((turn.transpose, arm, a * graph.scalar(mass[k]), al * graph.scalar(inertia[k])))
    force = moment = zero(graph)
    entries = []
    for turn, arm, own_force, own_moment in reversed(rows):
        force = force + own_force
        moment = moment + own_moment + arm.cross(force)
        entries += [*force.components, *moment.components]
        force, moment = turn @ force, turn @ moment
    wrenches = Output.from_scalars("wrenches", (links, 6), entries)
    constants = (*length, *mass, *inertia, gravity)
    groups = [Group("q", "coordinates", q), Group("u", "speeds", u)]
    groups.append(Group("udot", "accelerations", udot))
    groups.append(Group("constants", "constants", constants, per="call"))
    return Program(graph, [wrenches], groups)


def trial_text(links):
    return library_text(trial_program(links))


if __name__ == "__main__":
    text = trial_text(trial.LINKS)
    for name in ("transfer_each", "transfer", "transfer_far", "sines"):
        text = text.replace(c_text(name), f'#include "{name}.c"\n')
    Path(trial.KERNEL).write_text(text, encoding="ascii")
