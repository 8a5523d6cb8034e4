"""The centrifugal wrench
======================

A needle that rests on a spinning record.

A needle stands in the groove of a record that rotates with the constant angular velocity w = omega
z, at the distance r from the middle, and rotates with it.  An observer on the record sees the
needle at rest.  Yet a force must hold it against the centrifugal force

    force at C:  -m w x (w x r) = m omega^2 r x

away from the middle; x points from the middle of the record to the needle and
turns with the record.  (Goldstein, Poole, Safko: Classical Mechanics, 3rd ed.,
section 4.10.)

The long-playing record makes 100 turns in three minutes.
"""

from pathlib import Path
from typing import Any

import numpy as np
from sympy import Rational, pi, symbols
from sympy.physics.mechanics import Particle, Point, ReferenceFrame, dynamicsymbols
from sympy.physics.vector import vsstrrepr

import jointwrench as jw


def main(picture: str | Path | None = None) -> dict[str, Any]:
    r, m, omega = symbols("r m omega", positive=True)

    ground, record = ReferenceFrame("N"), ReferenceFrame("A")
    record.orient_axis(ground, ground.z, omega * dynamicsymbols._t)
    middle, tip = Point("O"), Point("C")
    middle.set_vel(ground, 0)
    tip.set_pos(middle, r * record.x)
    needle = Particle("needle", tip, m)

    on_the_record = jw.ObserverFrame(record, middle, ground, middle)
    at_rest = jw.ObserverFrame(ground, middle, ground, middle)
    centrifugal = on_the_record.fictitious_wrenches(needle).centrifugal
    joint = on_the_record.joint_wrench(needle, tip)

    values = {r: 0.146, m: 0.002, omega: 2 * pi * Rational(100, 180)}
    number = centrifugal.to_matrix(record).subs(values).evalf()

    print(
        "centrifugal wrench, force at C and moment:", vsstrrepr(list(centrifugal.to_matrix(record)))
    )
    print(
        "the same in N and N m, at the rim of the record:",
        [round(float(value), 6) for value in number],
    )
    print(
        "joint wrench about C, by the groove on the needle:",
        vsstrrepr(list(joint.to_matrix(record))),
    )
    if picture:
        draw(float(number[0]), picture)
    agrees = joint.equals(at_rest.joint_wrench(needle, tip))
    print("agrees with the observer at rest:", agrees)
    return {
        "symbols": (r, m, omega),
        "wrench": centrifugal.to_matrix(record),
        "number": number,
        "joint": joint.to_matrix(record),
        "agrees": agrees,
    }


def draw(force: float, picture: str | Path) -> None:
    """Save the record from above: the forces on the needle, for an observer on the record."""
    from matplotlib import pyplot

    figure, ax = pyplot.subplots(figsize=(7, 4), layout="constrained")
    ax.add_patch(pyplot.Circle((0, 0), 0.15, color="0.9"))
    ax.plot([0, 0.146], [0, 0], "k.")
    ax.annotate("O ", (0, 0), ha="right", va="center")
    ax.annotate("C", (0.146, 0), xytext=(0.146, 0.012), ha="center")
    for sign, name, color in ((1, "centrifugal", "#0072b2"), (-1, "by the groove", "#d55e00")):
        end = (0.146 + sign * 0.09, 0)
        arrow = {"arrowstyle": "-|>", "color": color, "linewidth": 2, "shrinkA": 0, "shrinkB": 0}
        ax.annotate("", end, xytext=(0.146, 0), arrowprops=arrow)
        text = f"{name}\n{1000 * force:.2f} mN"
        ax.annotate(text, (end[0], -0.012), ha="center", va="top", color=color)
    ax.set(xlim=(-0.17, 0.31), ylim=(-0.16, 0.16), aspect="equal", xlabel="x / m", ylabel="y / m")
    ax.set_title("forces on the needle, in the record's frame", fontsize="medium")
    figure.savefig(picture, dpi=100)
    view_of().save(Path(picture).with_suffix(".html"))


def view_of() -> jw.pictures.InteractiveView:
    """Return a view of the needle on the rotating record, with the force by the groove."""
    times = np.linspace(0, 1.8, 91)
    chain = jw.SerialChain([jw.Segment("needle", 0.146, 0.002, (0.146, 0, 0), direction="x")])
    motion = jw.Trajectory.from_samples(times, 10 * np.pi / 9 * times)
    result = jw.InverseDynamics(chain.system).compile("joint_wrenches")(motion)
    return jw.pictures.interactive_view(chain, motion, result, up="z", title="A needle on a record")


if __name__ == "__main__":
    main("centrifugal_record.png")
