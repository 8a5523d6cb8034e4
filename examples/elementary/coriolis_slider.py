"""The Coriolis wrench
===================

A slider that moves along a rotating rod.

A slider moves along a rod, at the distance s(t) from the middle, while the rod rotates with the
constant angular velocity w = omega z.  An observer on the rod sees the slider move with the
velocity v = s' x along a straight line.  Yet it presses sideways on the rod because of the Coriolis
force

    force at C:  -2 m w x v = -2 m omega s' y

where x points along the rod and y in the direction of its rotation: a slider that moves outwards
lags behind.  (Goldstein, Poole, Safko: Classical Mechanics, 3rd ed., section 4.10.)

The slider leaves with s = s_0 + v t.
"""

from pathlib import Path
from typing import Any

import numpy as np
from sympy import symbols
from sympy.physics.mechanics import Particle, Point, ReferenceFrame, dynamicsymbols
from sympy.physics.vector import vsstrrepr

import jointwrench as jw


def main(picture: str | Path | None = None) -> dict[str, Any]:
    m, omega, s_0, v = symbols("m omega s_0 v", positive=True)
    t = dynamicsymbols._t
    s = dynamicsymbols("s")

    ground, rod = ReferenceFrame("N"), ReferenceFrame("A")
    rod.orient_axis(ground, ground.z, omega * t)
    middle, mass_centre = Point("O"), Point("C")
    middle.set_vel(ground, 0)
    mass_centre.set_pos(middle, s * rod.x)
    slider = Particle("slider", mass_centre, m)

    on_the_rod = jw.ObserverFrame(rod, middle, ground, middle)
    at_rest = jw.ObserverFrame(ground, middle, ground, middle)
    coriolis = on_the_rod.fictitious_wrenches(slider).coriolis
    joint = on_the_rod.joint_wrench(slider, mass_centre)

    values = {m: 0.3, omega: 5, s_0: 0.1, v: 0.4}
    number = coriolis.to_matrix(rod).subs(s, s_0 + v * t).doit().subs(values).evalf()

    print("Coriolis wrench, force at C and moment:", vsstrrepr(list(coriolis.to_matrix(rod))))
    print(
        "the same in N and N m, while it moves outwards:",
        [round(float(value), 6) for value in number],
    )
    print("joint wrench about C, by the rod on the slider:", vsstrrepr(list(joint.to_matrix(rod))))
    if picture:
        draw(float(number[1]), picture)
    agrees = joint.equals(at_rest.joint_wrench(slider, mass_centre))
    print("agrees with the observer at rest:", agrees)
    return {
        "symbols": (m, omega, s),
        "wrench": coriolis.to_matrix(rod),
        "number": number,
        "joint": joint.to_matrix(rod),
        "agrees": agrees,
    }


def draw(force: float, picture: str | Path) -> None:
    """Save the slider's path as both observers see it, with the forces across the path."""
    from matplotlib import pyplot

    times = np.linspace(0, 1, 101)
    s, angle = 0.1 + 0.4 * times, 5 * times
    figure, (rod, ground) = pyplot.subplots(1, 2, figsize=(9, 4.2), layout="constrained")
    rod.plot(s, 0 * s, color="0.6")
    ground.plot(s * np.cos(angle), s * np.sin(angle), color="0.6")
    for k in (10, 40, 70):
        across = np.array([-np.sin(angle[k]), np.cos(angle[k])])
        place = s[k] * np.array([np.cos(angle[k]), np.sin(angle[k])])
        ground.plot(*np.transpose([0 * place, place]), ":", color="0.6")
        options = {"angles": "xy", "scale_units": "xy", "scale": 8}
        rod.quiver(s[k], 0, 0, force, color="#0072b2", **options)
        rod.quiver(s[k], 0, 0, -force, color="#d55e00", **options)
        ground.quiver(*place, *(-force * across), color="#d55e00", **options)
    size = f"{abs(force):.1f} N"
    rod.text(0.2, -0.22, f"Coriolis, {size}", color="#0072b2")
    rod.text(0.2, 0.2, f"by the rod, {size}", color="#d55e00")
    rod.set(title="seen from the rod: straight", xlim=(0, 0.6), ylim=(-0.3, 0.3))
    ground.set(title="seen from the ground: a spiral", xlim=(-0.5, 0.5), ylim=(-0.5, 0.5))
    for ax in (rod, ground):
        ax.set(aspect="equal", xlabel="x / m", ylabel="y / m")
        ax.set_title(ax.get_title(), fontsize="medium")
    figure.savefig(picture, dpi=100)
    view_of().save(Path(picture).with_suffix(".html"))


def view_of() -> jw.pictures.InteractiveView:
    """Return a view of the slider on the rotating rod, with the wrench by the rod."""
    times = np.linspace(0, 1, 101)
    rod = jw.Segment("rod", 0.1, 0.1, direction="x")
    slider = jw.Segment("slider", 0.02, 0.3, joint="prismatic", axis="x", direction="x")
    chain = jw.SerialChain([rod, slider])
    places = np.stack([5 * times, 0.4 * times], axis=-1)
    motion = jw.Trajectory.from_samples(times, places)
    result = jw.InverseDynamics(chain.system).compile("joint_wrenches")(motion)
    return jw.pictures.interactive_view(
        chain, motion, result, up="z", joints=["slider"], speed=0.5, title="A slider"
    )


if __name__ == "__main__":
    main("coriolis_slider.png")
