"""Arms of published rows of numbers, with all inertial parameters as symbols."""

from bodies import inertia
from sympy import Integer, Matrix, Symbol, pi, rot_axis1, symbols

from jointwrench import InverseDynamics
from jointwrench.models.tree_builder import TreeBuilder

H = pi / 2


A2, A3, A4, A7, D1, D3, D4, D5 = symbols("a2 a3 a4 a7 d1 d3 d4 d5")


#: Rows of a, alpha, d: Khalil's modified Denavit-Hartenberg parameters.
ROBOTS = {
    "Puma 560": [(0, 0, 0), (0, -H, 0), (A2, 0, D3), (A3, -H, D4), (0, H, 0), (0, -H, 0)],
    "Staubli RX-90": [(0, 0, 0), (0, H, 0), (D3, 0, 0), (0, -H, D4), (0, H, 0), (0, -H, 0)],
    "KUKA LWR": [(0, 0, 0), (0, H, 0), (0, -H, D3), (0, -H, 0), (0, H, D5), (0, H, 0), (0, -H, 0)],
    "Franka Panda": [
        *((0, 0, D1), (0, -H, 0), (0, H, D3), (A4, H, 0)),
        *((-A4, -H, D5), (0, H, 0), (A7, H, 0)),
    ],
    "general 6R": [symbols(f"a{k} alpha{k} d{k}") for k in range(6)],
}


def robot(rows) -> InverseDynamics:
    """Return a robot with all ten inertial parameters of each link as symbols."""
    builder = TreeBuilder()
    inner = builder.ground
    for k, (a, alpha, d) in enumerate(rows):
        body = builder.add_body(f"b{k}", Symbol(f"m{k}"), symbols(f"cx{k} cy{k} cz{k}"))
        moments = symbols(f"xx{k} yy{k} zz{k} xy{k} yz{k} zx{k}")
        body.inertia = (inertia(body.frame, *moments), builder.origins[body])
        rotation = rot_axis1(-Integer(alpha) if alpha == 0 else -alpha)
        offset = Matrix([a, 0, 0]) + d * rotation[:, 2]
        placement = {"parent_point": offset, "parent_interframe": rotation}
        builder.add_joint("pin", f"j{k}", inner, body, axis=(0, 0, 1), **placement)
        inner = body
    return InverseDynamics(builder.build((0, 0, -Symbol("g"))))
