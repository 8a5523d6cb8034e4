"""D'Alembert's wrench: an arm on an accelerating attachment.

An arm hangs from a trolley that has moved by p(t) along x; its mass centre C lies
below the joint, at the distance l, and the arm is held at the angle beta to the
vertical.  An observer who travels with the trolley sees the arm at rest.  While
the trolley's point O accelerates, the arm nevertheless swings back unless it is
held, because of d'Alembert's force

    force at C:  -m a_O = -m p'' x

(Goldstein, Poole, Safko: Classical Mechanics, 3rd ed., section 1.4.)  Together with
the weight -m g y it turns the arm about O, and the joint has to supply

    moment about O:  m l (p'' cos beta + g sin beta) z

which vanishes at tan beta = -p'' / g: the arm is an accelerometer.

The trolley is braked with p'' = -3 m/s^2.
"""

from typing import Any

from sympy import atan, cos, sin, symbols
from sympy.physics.mechanics import Particle, Point, ReferenceFrame, dynamicsymbols
from sympy.physics.vector import vsstrrepr

import jointwrench as jw


def main() -> dict[str, Any]:
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


if __name__ == "__main__":
    main()
