"""The Euler wrench
================

A flywheel on a motor that speeds up unevenly.

A flywheel, whose mass centre C lies at the distance e from the shaft, is fixed
to the shaft of a motor that has turned by the angle phi(t).  An observer who
rotates with the shaft sees the wheel at rest.  Yet whenever the motor changes its speed, a wrench
must act on the wheel, against Euler's wrench

    force at C:  -m alpha x r = -m e phi'' y        moment:  -I alpha = -I phi'' z

with alpha = phi'' z, r = e x from the shaft to C, and x, y, z turning with the
shaft.  (Goldstein, Poole, Safko: Classical Mechanics, 3rd ed., section 4.10; the
moment is the sum of the same force over all the mass points of the wheel.)

The motor speeds up steadily, with an oscillation of 2 Hz:
phi = a t^2 / 2 + b sin(4 pi t).
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sympy import Rational, lambdify, pi, sin, symbols
from sympy.physics.mechanics import Point, ReferenceFrame, RigidBody, dynamicsymbols, inertia
from sympy.physics.vector import vsstrrepr

import jointwrench as jw


def main(picture: str | Path | None = None) -> dict[str, Any]:
    e, m, inertia_z, a, b = symbols("e m I_z a b", positive=True)
    t = dynamicsymbols._t
    phi = dynamicsymbols("phi")

    ground, shaft = ReferenceFrame("N"), ReferenceFrame("A")
    shaft.orient_axis(ground, ground.z, phi)
    centre, mass_centre = Point("O"), Point("C")
    centre.set_vel(ground, 0)
    mass_centre.set_pos(centre, e * shaft.x)
    wheel = RigidBody(
        "wheel", mass_centre, shaft, m, (inertia(shaft, 0, 0, inertia_z), mass_centre)
    )

    on_the_shaft = jw.ObserverFrame(shaft, centre, ground, centre)
    at_rest = jw.ObserverFrame(ground, centre, ground, centre)
    euler = on_the_shaft.fictitious_wrenches(wheel).euler
    joint = on_the_shaft.joint_wrench(wheel, centre)

    motion = a * t**2 / 2 + b * sin(4 * pi * t)
    values = {e: 0.02, m: 1.5, inertia_z: 0.004, a: 10, b: 0.05, t: Rational(1, 8)}
    stutter = euler.to_matrix(shaft).subs(phi, motion).doit().subs(values).evalf()

    print("Euler wrench, force at C and moment:", vsstrrepr(list(euler.to_matrix(shaft))))
    print(
        "the same in N and N m, an eighth of a second after the start:",
        [round(float(value), 6) for value in stutter],
    )
    print(
        "joint wrench about O, by the shaft on the wheel:", vsstrrepr(list(joint.to_matrix(shaft)))
    )
    if picture:
        moment = euler.to_matrix(shaft)[5].subs(phi, motion).doit().subs(b, 0.05)
        draw(lambdify(t, moment.subs({inertia_z: 0.004, a: 10})), picture)
    agrees = joint.equals(at_rest.joint_wrench(wheel, centre))
    print("agrees with the observer at rest:", agrees)
    return {
        "symbols": (e, m, inertia_z, phi),
        "wrench": euler.to_matrix(shaft),
        "number": stutter,
        "joint": joint.to_matrix(shaft),
        "agrees": agrees,
    }


def draw(moment: Callable[[Any], Any], picture: str | Path) -> None:
    """Save Euler's moment and that by the shaft about the mass centre over the first second."""
    from matplotlib import pyplot

    times = np.linspace(0, 1, 201)
    figure, ax = pyplot.subplots(figsize=(8, 4), layout="constrained")
    ax.plot(times, moment(times), label="Euler's, on the wheel", color="#0072b2")
    ax.axvline(1 / 8, color="0.7", linewidth=0.8)
    ax.plot(1 / 8, moment(1 / 8), "o", color="#0072b2")
    ax.set(xlabel="time / s", ylabel="moment about C, along z / (N m)")
    ax.set_title("the motor speeds up unevenly", loc="right", fontsize="medium")
    ax.legend(loc="lower left", bbox_to_anchor=(0, 1), frameon=False)
    ax.grid(alpha=0.3)
    figure.savefig(picture, dpi=100)
    view_of().save(Path(picture).with_suffix(".html"))


def view_of() -> jw.pictures.InteractiveView:
    """Return a view of the wheel on its shaft, with the wrench by the shaft."""
    times = np.linspace(0, 1, 201)
    chain = jw.SerialChain([jw.Segment("wheel", 0.02, 1.5, (0.02, 0, 0), 0.004, direction="x")])
    motion = jw.Trajectory.from_samples(times, 5 * times**2 + 0.05 * np.sin(4 * np.pi * times))
    result = jw.InverseDynamics(chain.system).compile("joint_wrenches")(motion)
    return jw.pictures.interactive_view(chain, motion, result, speed=0.3, title="A wheel")


if __name__ == "__main__":
    main("euler_motor.png")
