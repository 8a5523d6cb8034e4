"""OpenSim models written for the tests, from the published numbers of a gait model.

The numbers are those of Gait10dof18musc (Delp, Loan, Hoy, Zajac, Topp, Rosen, Thelen, Anderson,
Seth; repository opensim-org/opensim-models).
"""

import numpy as np

#: Mass; mass centre; principal moments.  Those of the left side have the other sign of z.
BODIES = {
    "pelvis": (11.777, (-0.0707, 0, 0), (0.1028, 0.0871, 0.0579)),
    "femur": (9.3014, (0, -0.17, 0), (0.1339, 0.0351, 0.1412)),
    "tibia": (3.7075, (0, -0.1867, 0), (0.0504, 0.0051, 0.0511)),
    "talus": (0.1, (0, 0, 0), (0.001, 0.001, 0.001)),
    "calcn": (1.25, (0.1, 0.03, 0), (0.0014, 0.0039, 0.0041)),
    "toes": (0.2166, (0.0346, 0.006, -0.0175), (0.0001, 0.0002, 0.0001)),
    "torso": (34.2366, (-0.03, 0.32, 0), (1.4745, 0.7555, 1.4314)),
}

#: Parent; joint's place in it; child.
PLACES = {
    "ground_pelvis": ("ground", (0, 0, 0), "pelvis"),
    "hip": ("pelvis", (-0.0707, -0.0661, 0.0835), "femur"),
    "knee": ("femur", (0, 0, 0), "tibia"),
    "ankle": ("tibia", (0, -0.43, 0), "talus"),
    "subtalar": ("talus", (-0.04877, -0.04195, 0.00792), "calcn"),
    "mtp": ("calcn", (0.1788, -0.002, 0.00108), "toes"),
    "back": ("pelvis", (-0.1007, 0.0815, 0), "torso"),
}

#: The splines of the knee: angle, forward and upward place of the tibia.
KNEE_X = (
    (-2.0944, -1.74533, -1.39626, -1.0472, -0.698132, -0.349066, -0.174533)  # noqa: RUF005
    + (0.197344, 0.337395, 0.490178, 1.52146, 2.0944),
    (-0.0032, 0.00179, 0.00411, 0.0041, 0.00212, -0.001, -0.0031)  # noqa: RUF005
    + (-0.005227, -0.005435, -0.005574, -0.005435, -0.00525),
)
KNEE_Y = (
    (-2.0944, -1.22173, -0.523599, -0.349066, -0.174533, 0.159149, 2.0944),
    (-0.4226, -0.4082, -0.399, -0.3976, -0.3966, -0.395264, -0.396),
)

X, Y, Z = (1, 0, 0), (0, 1, 0), (0, 0, 1)


def words(numbers):
    return " ".join(f"{number:.17g}" for number in numbers)


def linear(slope=1, offset=0):
    return f"<LinearFunction><coefficients>{slope} {offset}</coefficients></LinearFunction>"


def polynomial(coefficients):
    inner = f"<coefficients>{coefficients}</coefficients>"
    return f"<PolynomialFunction>{inner}</PolynomialFunction>"


def spline(x, y, tag="SimmSpline"):
    return f"<{tag}><x>{words(x)}</x><y>{words(y)}</y></{tag}>"


def axis(name, direction, coordinates="", function="<Constant><value>0</value></Constant>"):
    return (
        f'<TransformAxis name="{name}"><coordinates>{coordinates}</coordinates>'
        f"<axis>{words(direction)}</axis><function>{function}</function></TransformAxis>"
    )


def transform(turns, shifts=()):
    """Return a SpatialTransform of (axis, coordinate, function), the latter linear if missing."""
    rows = []
    for kind, motions in (("rotation", turns), ("translation", shifts)):
        for k, (direction, coordinate, *function) in enumerate(motions, 1):
            rows.append(axis(f"{kind}{k}", direction, coordinate, *(function or [linear()])))
        used = [direction for direction, *_ in motions]
        spare = [x for x in (Y, X, Z) if not any(np.allclose(np.cross(x, v), 0) for v in used)]
        for k in range(len(used), 3):  # OpenSim wants three axes, no two of them parallel
            rows.append(axis(f"{kind}{k + 1}", spare[k - len(used)]))
    return f"<SpatialTransform>{''.join(rows)}</SpatialTransform>"


def body(name, mass, center, moments, is_old=False, joint=""):
    keys = ("xx", "yy", "zz", "xy", "xz", "yz")
    moments = (*moments, 0, 0, 0)[:6]
    inertia = f"<inertia>{words(moments)}</inertia>"
    if is_old:
        rows = (f"<inertia_{key}>{x}</inertia_{key}>" for key, x in zip(keys, moments, strict=True))
        inertia = "".join(rows) + f"<Joint>{joint}</Joint>"
    return (
        f'<Body name="{name}"><mass>{mass}</mass><mass_center>{words(center)}</mass_center>'
        f"{inertia}</Body>"
    )


def coordinate(name):
    return f'<Coordinate name="{name}"><range>-2 2</range></Coordinate>'


def offset(name, parent, place=(0, 0, 0), angles=(0, 0, 0)):
    return (
        f'<PhysicalOffsetFrame name="{name}"><socket_parent>{parent}</socket_parent>'
        f"<translation>{words(place)}</translation><orientation>{words(angles)}</orientation>"
        "</PhysicalOffsetFrame>"
    )


def joint(
    kind, name, parent, place, child, coordinates=(), inner="", angles=(0, 0, 0), own=(0, 0, 0)
):
    """Return a joint of OpenSim 4; the last two are angles in the parent, place in the child."""
    paths = [x if x == "ground" else f"bodyset/{x}" for x in (parent, child)]
    frames = offset("outer", f"/{paths[0]}", place, angles) + offset("inner", f"/{paths[1]}", own)
    return (
        f'<{kind} name="{name}"><socket_parent_frame>outer</socket_parent_frame>'
        "<socket_child_frame>inner</socket_child_frame><coordinates>"
        f"{''.join(map(coordinate, coordinates))}</coordinates><frames>{frames}</frames>"
        f"{inner}</{kind}>"
    )


def old_joint(kind, name, parent, place, child, coordinates=(), inner=""):
    """Return a joint of OpenSim 3, for a body that holds it."""
    return (
        f'<{kind} name="{name}"><parent_body>{parent}</parent_body>'
        f"<location_in_parent>{words(place)}</location_in_parent>"
        "<orientation_in_parent>0 0 0</orientation_in_parent><location>0 0 0</location>"
        "<orientation>0 0 0</orientation>"
        f"<CoordinateSet><objects>{''.join(map(coordinate, coordinates))}</objects></CoordinateSet>"
        f"<reverse>false</reverse>{inner}</{kind}>"
    )


def document(name, bodies, joints, constraints="", more="", version=40000):
    sets = (("BodySet", bodies), ("JointSet", joints), ("ConstraintSet", constraints))
    texts = "\n".join(f"<{tag}><objects>{x}</objects></{tag}>" for tag, x in sets if x)
    return (
        f'<?xml version="1.0"?>\n<OpenSimDocument Version="{version}">\n<Model name="{name}">\n'
        f"<gravity>0 -9.80665 0</gravity>\n{texts}\n{more}</Model>\n</OpenSimDocument>"
    )


def knee_motion(coordinate):
    slides = [(X, coordinate, spline(*KNEE_X)), (Y, coordinate, spline(*KNEE_Y))]
    return transform([(Z, coordinate)], slides)


def gait10(side):
    """Return kind, coordinates and motion of each joint of Gait10dof18musc."""
    pelvis = [(X, "pelvis_tx"), (Y, "pelvis_ty")]
    knee = f"knee_angle_{side}"
    return {
        "ground_pelvis": (
            *("CustomJoint", ["pelvis_tilt", "pelvis_tx", "pelvis_ty"]),
            transform([(Z, "pelvis_tilt")], pelvis),
        ),
        "hip": ("PinJoint", [f"hip_flexion_{side}"], ""),
        "knee": ("CustomJoint", [knee], knee_motion(knee)),
        "ankle": ("PinJoint", [f"ankle_angle_{side}"], ""),
        "subtalar": ("WeldJoint", [], ""),
        "mtp": ("WeldJoint", [], ""),
        "back": ("PinJoint", ["lumbar_extension"], ""),
    }


def gait10_text(is_old=False):
    """Return the text of the model, in the format of OpenSim 4 or 3."""
    return gait_text("gait10dof18musc", gait10, is_old)


def gait_text(name, joints_of, is_old=False):
    """Return the text of a model with these bodies and with the joints of each side."""
    bodies, joints = [], []
    for side, sign in (("r", 1), ("l", -1)):
        motions = joints_of(side)
        for key, (parent, place, child) in PLACES.items():
            is_single = child in ("pelvis", "torso")
            if is_single and side == "l":
                continue
            ending = "" if is_single else f"_{side}"
            kind, coordinates, inner = motions[key]
            carrier = parent if parent in ("ground", "pelvis") else f"{parent}_{side}"
            where = carrier, (*place[:2], sign * place[2])
            args = (kind, key + ending, *where, child + ending, coordinates, inner)
            mass, center, moments = BODIES[child]
            center = (*center[:2], sign * center[2])
            held = old_joint(*args) if is_old else ""
            bodies.append(body(child + ending, mass, center, moments, is_old, held))
            joints.append("" if is_old else joint(*args))
    texts = "\n".join(bodies), "\n".join(joints)
    return document(name, *texts, version=30000 if is_old else 40000)


SCALED = f"<MultiplierFunction><function>{linear(0.4, 1)}</function><scale>-0.5</scale>"
SCALED += "</MultiplierFunction>"
#: A motion with all functions, of which no two turns are coupled to one coordinate.
ZOO_MOTION = transform(
    [((0.3, -0.2, 1), "g_turn", polynomial("0.2 1 -0.3"))],
    [
        (X, "g_turn g_slide", linear(0.1, "-0.8 0.2")),
        (Y, "g_turn", SCALED),
        (Z, "g_slide", spline((-1, 0.2, 1), (0.1, -0.2, 0.3), "PiecewiseLinearFunction")),
    ],
)


def zoo_text():
    """Return a model with a joint of each type, turned frames and full inertia tensors."""
    names = "abcdefg"
    bodies = [
        body(x, 1 + 0.3 * k, (0.1, -0.05 * k, 0.02), (0.3, 0.4, 0.35 + 0.02 * k, 0.02, -0.03, 0.01))
        for k, x in enumerate(names)
    ]
    table = [
        ("FreeJoint", "ground", "a", 6, ""),
        ("UniversalJoint", "a", "b", 2, ""),
        ("BallJoint", "a", "c", 3, ""),
        ("SliderJoint", "b", "d", 1, ""),
        ("PlanarJoint", "c", "e", 3, ""),
        ("GimbalJoint", "d", "f", 3, ""),
        ("CustomJoint", "e", "g", ("g_turn", "g_slide"), ZOO_MOTION),
    ]
    joints = []
    for kind, parent, child, coordinates, inner in table:
        if isinstance(coordinates, int):
            coordinates = [f"{child}_{k}" for k in range(coordinates)]
        placed = {"angles": (0.3, -0.5, 0.8), "own": (0.05, 0.1, -0.2)}
        ends = parent, (0.2, -0.1, 0.3), child
        joints.append(joint(kind, f"to_{child}", *ends, coordinates, inner, **placed))
    return document("zoo", "\n".join(bodies), "\n".join(joints))


def kneecap_text():
    """Return a leg whose kneecap's coordinate is coupled to the knee's."""
    bodies = [
        body("femur", 9.3, (0, -0.17, 0), (0.1339, 0.0351, 0.1412)),
        body("tibia", 3.7, (0, -0.1867, 0), (0.0504, 0.0051, 0.0511)),
        body("patella", 0.1, (0.01, 0.02, 0), (1e-4, 2e-4, 1.5e-4)),
    ]
    moving = transform([(Z, "cap")], [(X, "cap", spline((-2, -1, 0, 1), (0.04, 0.05, 0.06, 0.03)))])
    joints = [
        joint("PinJoint", "hip", "ground", (0, 0, 0), "femur", ["hip"]),
        joint("CustomJoint", "knee", "femur", (0, 0, 0), "tibia", ["knee"], knee_motion("knee")),
        joint("CustomJoint", "cap", "femur", (0, -0.4, 0), "patella", ["cap"], moving),
    ]
    more = coupler("cap", "knee", spline((-2, -1, 0, 1), (-1.6, -1, 0.1, 0.4)), 0.9)
    return document("leg", "\n".join(bodies), "\n".join(joints), more)


def coupler(dependent, independent, function, scale=1, name="coupler"):
    return (
        f'<CoordinateCouplerConstraint name="{name}"><isEnforced>true</isEnforced>'
        f"<coupled_coordinates_function>{function}</coupled_coordinates_function>"
        f"<independent_coordinate_names>{independent}</independent_coordinate_names>"
        f"<dependent_coordinate_name>{dependent}</dependent_coordinate_name>"
        f"<scale_factor>{scale}</scale_factor></CoordinateCouplerConstraint>"
    )


def turns_text(count=3):
    """Return a body on a custom joint whose turns are polynomials of one coordinate."""
    polynomials = ("0.4 -0.3 1 0", "0.2 0.5 -0.4 0.1", "-0.3 0.1 0.8 0")
    turns = [(axis, "q", polynomial(c)) for axis, c in zip((X, Y, Z), polynomials, strict=True)]
    motion = transform(turns[:count])
    bodies = body("b", 1.0, (0.1, -0.2, 0.05), (0.06, 0.05, 0.04))
    turn = joint("CustomJoint", "j", "ground", (0, 0, 0), "b", ["q"], motion)
    return document("turns", bodies, turn)
