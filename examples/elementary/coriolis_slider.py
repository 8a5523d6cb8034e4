"""The Coriolis wrench: a slider that moves along a turning radius.

A slider moves along a rod, at the distance s(t) from the middle, while the rod
turns evenly with the angular velocity w = omega z.  An observer who sits on the
rod sees the slider move with the velocity v = s' x along a straight line, and yet
it presses sideways on the rod, by the Coriolis force

    force at C:  -2 m w x v = -2 m omega s' y

where x points along the rod and y in the direction of its turning: moving out,
the slider lags behind.  (Goldstein, Poole, Safko: Classical Mechanics, 3rd ed.,
section 4.10.)

The slider leaves with s = s_0 + v t.
"""

from typing import Any

from sympy import symbols
from sympy.physics.mechanics import Particle, Point, ReferenceFrame, dynamicsymbols
from sympy.physics.vector import vsstrrepr

import jointwrench as jw


def main() -> dict[str, Any]:
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
    agrees = joint.equals(at_rest.joint_wrench(slider, mass_centre))
    print("agrees with the observer at rest:", agrees)
    return {
        "symbols": (m, omega, s),
        "wrench": coriolis.to_matrix(rod),
        "number": number,
        "joint": joint.to_matrix(rod),
        "agrees": agrees,
    }


if __name__ == "__main__":
    main()
