"""URDF files written for the tests."""

INERTIA = "<inertia ixx='1' iyy='1.2' izz='1' ixy='0.1' ixz='0' iyz='-0.05'/>"


LIMIT = "<limit lower='-2' upper='3' velocity='4' effort='5'/>"


def link(name, mass=1.0, inertia=INERTIA, more=""):
    return (
        f"<link name='{name}'><inertial><origin xyz='0.1 0.2 {mass / 10}' rpy='0.3 0 0'/>"
        f"<mass value='{mass}'/>{inertia}</inertial>{more}</link>\n"
    )


def joint(name, kind, parent, child, axis="0 0 1", more=""):
    return (
        f"<joint name='{name}' type='{kind}'><parent link='{parent}'/><child link='{child}'/>"
        f"<origin xyz='0.1 0.2 0.3' rpy='0.5 0.2 0.3'/><axis xyz='{axis}'/>{more}</joint>\n"
    )


def robot(*parts, base="<link name='base'/>\n"):
    return f"<?xml version='1.0'?>\n<robot name='r'>\n{base}{''.join(parts)}</robot>"
