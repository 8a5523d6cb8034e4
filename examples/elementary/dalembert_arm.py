"""D'Alembert's wrench
===================

An arm on an accelerating attachment.

An arm hangs from a trolley that has moved by p(t) along x; its mass centre C lies
below the joint, at the distance l, and the arm is held at the angle beta to the
vertical.  An observer on the trolley sees the arm at rest.  Yet while the trolley's point O
accelerates, the arm swings back unless it is held, because of d'Alembert's force

    force at C:  -m a_O = -m p'' x

(Goldstein, Poole, Safko: Classical Mechanics, 3rd ed., section 1.4.)  Together with
the weight -m g y it turns the arm about O, and the joint has to supply

    moment about O:  m l (p'' cos beta + g sin beta) z

which vanishes at tan beta = -p'' / g: the arm is an accelerometer.

The trolley is braked with p'' = -3 m/s^2.
"""

import math
from pathlib import Path
from typing import Any

import numpy as np
from sympy import atan, cos, sin, symbols
from sympy.physics.mechanics import Particle, Point, ReferenceFrame, dynamicsymbols
from sympy.physics.vector import vsstrrepr

import jointwrench as jw


def main(picture: str | Path | None = None) -> dict[str, Any]:
    length, m, g, beta = symbols("l m g beta", positive=True)
    t = dynamicsymbols._t
    p = dynamicsymbols("p")

    ground = ReferenceFrame("N")
    origin, attachment, mass_centre = Point("S"), Point("O"), Point("C")
    origin.set_vel(ground, 0)
    attachment.set_pos(origin, p * ground.x)
    mass_centre.set_pos(attachment, length * (sin(beta) * ground.x - cos(beta) * ground.y))
    arm = Particle("arm", mass_centre, m)
    weight = jw.Wrench.weight(arm, -g * ground.y)

    on_the_trolley = jw.ObserverFrame(ground, attachment, ground, origin)
    at_rest = jw.ObserverFrame(ground, origin, ground, origin)
    dalembert = on_the_trolley.fictitious_wrenches(arm).dalembert
    joint = on_the_trolley.joint_wrench(arm, attachment, external=[weight])

    braking = {p: -3 * t**2 / 2}
    values = {length: 0.5, m: 2, g: 9.81, beta: atan(3 / 9.81)}
    number = dalembert.to_matrix(ground).subs(braking).doit().subs(values).evalf()
    held = joint.to_matrix(ground).subs(braking).doit().subs(values).evalf(chop=True)

    print("d'Alembert wrench, force at C and moment:", vsstrrepr(list(dalembert.to_matrix(ground))))
    print(
        "the same in N and N m, while the trolley brakes:",
        [round(float(value), 6) for value in number],
    )
    print(
        "joint wrench about O, by the trolley on the arm:", vsstrrepr(list(joint.to_matrix(ground)))
    )
    print(
        "the same in N and N m, at the angle that needs no moment:",
        [round(float(value), 6) for value in held],
    )
    if picture:
        draw([float(x) for x in number[:2]], [float(x) for x in held[:2]], picture)
    agrees = joint.equals(at_rest.joint_wrench(arm, attachment, external=[weight]))
    print("agrees with the observer at rest:", agrees)
    return {
        "symbols": (length, m, g, beta, p),
        "wrench": dalembert.to_matrix(ground),
        "number": number,
        "joint": joint.to_matrix(ground),
        "held": held,
        "agrees": agrees,
    }


def draw(dalembert: list[float], held: list[float], picture: str | Path) -> None:
    """Save the arm on the braking trolley at the angle that needs no moment, and its forces."""
    from matplotlib import pyplot

    figure, ax = pyplot.subplots(figsize=(6, 5), layout="constrained")
    beta, length = math.atan(3 / 9.81), 0.5
    center = (length * math.sin(beta), -length * math.cos(beta))
    ax.plot([0, center[0]], [0, center[1]], "k-o", linewidth=3)
    ax.plot([-0.15, 0.15], [0, 0], color="0.6", linewidth=10, zorder=0)
    arrows = (
        ("d'Alembert", center, dalembert, "#0072b2"),
        ("weight", center, [0.0, -2 * 9.81], "#009e73"),
        ("by the trolley", (0.0, 0.0), held, "#d55e00"),
    )
    for name, (x, y), (fx, fy), color in arrows:
        ax.quiver(x, y, fx, fy, color=color, angles="xy", scale_units="xy", scale=60)
        text = f"{name}\n{math.hypot(fx, fy):.1f} N"
        ax.annotate(text, (x + fx / 60, y + fy / 60), xytext=(6, 0), textcoords="offset points")
    ax.set(xlim=(-0.4, 0.6), ylim=(-1.0, 0.5), aspect="equal", xlabel="x / m", ylabel="y / m")
    ax.set_title("forces on the arm, seen from the trolley that brakes", fontsize="medium")
    figure.savefig(picture, dpi=100)
    view_of().save(Path(picture).with_suffix(".html"))


def view_of() -> jw.pictures.InteractiveView:
    """Return a view of the arm on the braking trolley, with the wrench by the trolley."""
    times = np.linspace(0, 1, 51)
    trolley = jw.Segment("trolley", 0.05, 1, joint="prismatic", axis="x", direction="-y")
    arm = jw.Segment("arm", 0.5, 2, (0, -0.5, 0), direction="-y")
    chain = jw.SerialChain([trolley, arm], gravity=(0, -9.81, 0))
    places = np.stack([3 * times - 1.5 * times**2, 0 * times + math.atan(3 / 9.81)], axis=-1)
    motion = jw.Trajectory.from_samples(times, places)
    result = jw.InverseDynamics(chain.system).compile("joint_wrenches")(motion)
    return jw.pictures.interactive_view(
        chain, motion, result, joints=["arm"], title="A trolley that brakes"
    )


if __name__ == "__main__":
    main("dalembert_arm.png")
