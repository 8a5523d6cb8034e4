"""Models of a person in the sagittal plane, from height and mass.

Axes: x forward, y up, z to the right, so that a positive angle swings a hanging segment forward.
With all coordinates zero the person stands upright, arms and legs straight down, feet along x.
"""

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass
from typing import Any

from sympy import Symbol
from sympy.physics.mechanics import RigidBody, System
from sympy.physics.mechanics.joint import Joint

from .. import InverseDynamics, Segment, SerialChain
from ..checks.arguments import check_known
from ..checks.display import Grid, NotebookTable
from ..checks.numbers import check_bools
from ..extend import TreeBuilder, add_segment, check_idyn, check_real
from ..recordings.ground_contact import AXES
from .anthropometry import SIDES, Person, Rod, SegmentTable, add_rods, join_rods, segment_of_length

#: Distance of the ankle from the heel, and length from ankle to metatarsals, both divided by the
#: length of the foot.  The tables have neither; these values are assumptions of this package.
ANKLE_FROM_HEEL = 0.25
ANKLE_TO_METATARSALS = 0.5

#: Length of the foot divided by height (Winter 2009, figure 4.1).
FOOT_LENGTH = 0.152

LEG = ("thigh", "shank", "foot")

#: The proximal joint of each segment of a limb.
PROXIMAL_JOINTS = {
    "upper_arm": "shoulder",
    "forearm": "elbow",
    "thigh": "hip",
    "shank": "knee",
    "foot": "ankle",
}

#: The direction of a segment in its own frame.
DIRECTIONS = dict.fromkeys(PROXIMAL_JOINTS, "-y") | {"foot": "x", "trunk": "y"}


@dataclass(frozen=True, eq=False, repr=False)
class PlanarBody(NotebookTable):
    """A model in the sagittal plane, with values of its constants.

    Attributes
    ==========

    system : System
        The model.
    constants : dict of Symbol to float
        The values of lengths, masses, mass centres and inertias.
    person : Person
        The source of the values.
    joints, bodies : dict of str to Joint, dict of str to RigidBody
        Joints and bodies by names such as "knee_left", "shank_left".
    """

    system: System
    constants: dict[Symbol, float]
    person: Person
    joints: dict[str, Joint]
    bodies: dict[str, RigidBody]

    def _grid(self) -> Grid:
        rows = [(symbol.name, f"{value:.4g}") for symbol, value in self.constants.items()]
        return Grid(f"{type(self).__name__} of {self.person!r}", ("constant", "value"), rows)

    def constants_of(self, idyn: InverseDynamics) -> dict[Symbol, float]:
        """Return the values of the constants on which the joint wrenches of ``idyn`` depend.

        Symbols without a value in ``constants`` are omitted, so add them:
        ``{**model.constants_of(idyn), g: 9.81}``.
        """
        check_idyn(idyn)
        return {s: self.constants[s] for s in idyn.constants if s in self.constants}


@dataclass(frozen=True, eq=False, repr=False)
class PlanarLeg(PlanarBody):
    """A leg in the sagittal plane: a `PlanarBody` with its ``chain``.

    The joints are "hip", "knee" and "ankle", the bodies "thigh", "shank" and "foot".
    """

    chain: SerialChain


def planar_leg(
    height: float,
    mass: float,
    table: SegmentTable | str = "winter",
    lengths: Mapping[str, float] | None = None,
    gravity: Any = 9.81,
    trunk: bool = False,
    actuated: bool = False,
) -> PlanarLeg:
    """Return the model of a leg that moves in the sagittal plane.

    The joints are "hip", "knee" and "ankle"; their wrenches act on thigh, shank and foot.  The
    coordinates are ``hip_angle`` (of the thigh, positive in flexion), the hip's position ``hip_x``
    and ``hip_y``, ``knee_angle`` (positive in extension) and ``ankle_angle`` (positive in
    dorsiflexion).  Moments about z are positive in the same directions.  The chain's symbols are
    ``l_thigh, m_thigh, c_thigh, I_thigh, ...``.

    With ``trunk`` the first joint is "trunk", with ``trunk_angle`` (positive backwards) and the
    hip's position, and the hip is a pin between trunk and thigh.

    Parameters
    ==========

    height, mass : float
        Height and mass of the whole body, in metres and kilograms.
    table : SegmentTable or str
        The table of body segments, as for `Person`.
    lengths : mapping of str to float, optional
        Measured lengths of "thigh", "shank", "foot", in metres; with a trunk also of the table's
        segments of which head, arms and trunk consist.
    gravity : float or Symbol
        Gravitational acceleration, along -y.  Add the value of a symbol to the constants:
        ``{**leg.constants_of(idyn), g: 9.81}``.
    trunk : bool
        Whether there is a trunk, which includes head and arms.  The wrench on the trunk is a
        residual, because the other leg is missing; hip, knee and ankle do not depend on it.
    actuated : bool
        Whether the joints have motors, as for `SerialChain`.

    Raises
    ======

    TypeError, ValueError
        As `Person`; if ``gravity`` is no scalar, ``lengths`` has a segment that the model does not
        use.

    See Also
    ========

    planar_body : The model of a whole body.
    clinical_curves : The results with clinical names and signs.

    Notes
    =====

    The foot extends from the ankle to the metatarsals (Winter) or to the tip of the toes (de Leva).
    Measure this length, because no table has it.  By default the length to the metatarsals is half
    the foot's length (0.152 times the height), and the ankle is a quarter of the foot's length in
    front of the heel.

    Examples
    ========

    >>> import jointwrench as jw
    >>> leg = jw.gait.planar_leg(1.80, 70.0)
    >>> leg.chain
    SerialChain('chain': thigh: planar, shank: pin, foot: pin)
    >>> [q.name for q in leg.chain.coordinates]
    ['hip_angle', 'hip_x', 'hip_y', 'knee_angle', 'ankle_angle']
    >>> masses = {str(s): x for s, x in leg.constants.items() if str(s).startswith("m_")}
    >>> round(sum(masses.values()), 2)
    11.27
    """
    person = Person(height, mass, table, lengths)
    gravity = check_real("gravity", gravity)
    check_bools(trunk=trunk, actuated=actuated)
    _check_lengths(person, [*LEG, *(_upper_body_parts(person.table) if trunk else [])])
    rods: dict[str, Rod] = {"trunk": _upper_body(person)} if trunk else {}
    rods |= {"thigh": person["thigh"], "shank": person["shank"], "foot": _foot(person)}
    segments: list[Any] = []
    for name in rods:
        joint = PROXIMAL_JOINTS.get(name, name)
        options: dict[str, Any] = {"joint_name": joint, "coordinates": [f"{joint}_angle"]}
        if not segments:
            options |= {"joint": "planar", "coordinates": _root_coordinates(joint)}
        options |= {"length": 0} if name == "trunk" else {}
        segments.append(_straight_segment(name, DIRECTIONS[name], **options))
    chain = SerialChain(segments, gravity=(0, -gravity, 0), actuated=actuated)
    numbers = {s: x for name, rod in rods.items() for s, x in _rod_values(name, rod).items()}
    used = {symbol: numbers[symbol] for symbol in chain.constants if symbol in numbers}
    joints, bodies = ({x.name: x for x in own} for own in (chain.joints, chain.bodies))
    return PlanarLeg(chain.system, used, person, joints, bodies, chain)


def _root_coordinates(joint: str) -> list[str]:
    """Return the names of the first segment's coordinates: its angle and the hip's position."""
    return [f"{joint}_angle", "hip_x", "hip_y"]


def _state_names(coordinates: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """Return the names of coordinates and the names of their rates."""
    return coordinates, [f"{name}_rate" for name in coordinates]


def _check_lengths(person: Person, used: Sequence[str]) -> None:
    expected = f"be what this model takes from the table {person.table.name},"
    check_known("lengths", person.lengths, used, expected, " Leave it out.")


def _trunk_parts(table: SegmentTable) -> tuple[str, ...]:
    return ("trunk_head",) if "trunk_head" in table.rows else ("trunk", "trunk_neck", "head_neck")


def _arm_parts(table: SegmentTable) -> tuple[str, ...]:
    forearm = ("forearm_hand",) if "forearm_hand" in table.rows else ("forearm", "hand")
    return ("upper_arm", *forearm)


def _upper_body_parts(table: SegmentTable) -> tuple[str, ...]:
    whole = "head_arms_trunk"
    return (whole,) if whole in table.rows else _trunk_parts(table) + _arm_parts(table)


def _upper_body(person: Person) -> Rod:
    """Return trunk, head and arms as one segment from the hips up.

    The arms hang: their mass centres are below the shoulders, whatever the table's arm posture is.
    """
    if "head_arms_trunk" in person.table.rows:
        return person["head_arms_trunk"]
    trunk = _trunk(person)
    arm = join_rods(person["upper_arm"], _forearm(person))
    hanging = Rod(0, 2 * arm.mass, trunk.length - arm.center, 2 * arm.inertia)
    return add_rods(trunk, hanging)


def _foot(person: Person) -> Rod:
    """Return the foot, measured from the ankle."""
    row = person.table["foot"]
    if row.length is None:  # from the ankle to the metatarsals
        usual = ANKLE_TO_METATARSALS * FOOT_LENGTH * person.height
        return segment_of_length(person, "foot", person.lengths.get("foot", usual))
    whole = person["foot"]
    behind = ANKLE_FROM_HEEL * whole.length
    return Rod(whole.length - behind, whole.mass, whole.center - behind, whole.inertia)


def planar_body(
    height: float,
    mass: float,
    table: SegmentTable | str = "winter",
    lengths: Mapping[str, float] | None = None,
    gravity: Any = 9.81,
) -> PlanarBody:
    """Return the model of a whole body that moves in the sagittal plane.

    The segments are the trunk with the head, and two upper arms, forearms with hands, thighs,
    shanks and feet.  The trunk moves freely in the plane; its angle and the position of the hips
    are the first coordinates, ``trunk_angle``, ``hip_x`` and ``hip_y``.  All other joints are pins:
    "shoulder_left", "elbow_left", "hip_left", "knee_left", "ankle_left" and their right
    counterparts, with coordinates such as ``knee_left_angle``.  Flexion of shoulder, elbow and hip,
    extension of the knee and dorsiflexion are positive.

    Parameters
    ==========

    height, mass, table, gravity : float, SegmentTable or str, float or Symbol
        As for `planar_leg`.
    lengths : mapping of str to float, optional
        Measured lengths of segments that the model uses: with Winter's table
        "trunk_head", "upper_arm", "forearm_hand", "thigh", "shank", "foot".

    Raises
    ======

    TypeError, ValueError
        As `Person`; if ``gravity`` is no scalar, ``lengths`` has a segment that the model does not
        use.

    See Also
    ========

    planar_leg : The model of one leg.

    Notes
    =====

    The head continues the trunk; the shoulders are at the trunk's end (Winter:
    glenohumeral height; de Leva: mid-shoulder).  For the feet see `planar_leg`.

    Examples
    ========

    >>> import jointwrench as jw
    >>> body = jw.gait.planar_body(1.75, 70.0)
    >>> len(body.system.u), len(body.joints)
    (13, 11)
    >>> round(sum(body.constants[s] for s in body.constants if s.name.startswith("m_")), 6)
    70.0
    """
    person = Person(height, mass, table, lengths)
    gravity = check_real("gravity", gravity)
    builder, constants = TreeBuilder(), _body_constants(person)
    segment = _straight_segment("trunk", DIRECTIONS["trunk"], joint="planar")
    ground, states = builder.ground, _state_names(_root_coordinates("trunk"))
    inner = trunk, _ = add_segment(builder, segment, ground, ground.masscenter, states)
    starts = {"upper_arm": inner, "thigh": (trunk, builder.origins[trunk])}
    for side in SIDES:
        for kind, proximal in PROXIMAL_JOINTS.items():
            name, joint = f"{kind}_{side}", f"{proximal}_{side}"
            inner = starts.get(kind, inner)
            segment = _straight_segment(name, DIRECTIONS[kind])
            inner = add_segment(builder, segment, *inner, _state_names([f"{joint}_angle"]), joint)
    system = builder.build((0, -gravity, 0))
    return PlanarBody(system, constants, person, builder.joints, builder.bodies)


def _body_constants(person: Person) -> dict[Symbol, float]:
    """Return the values of all constants of a whole body."""
    _check_lengths(person, [*_trunk_parts(person.table), *_arm_parts(person.table), *LEG])
    rods: dict[str, Rod] = {name: person[name] for name in ("upper_arm", "thigh", "shank")}
    rods |= {"forearm": _forearm(person), "foot": _foot(person)}
    constants = _rod_values("trunk", _trunk(person))
    for side in SIDES:
        for kind in PROXIMAL_JOINTS:
            constants |= _rod_values(f"{kind}_{side}", rods[kind])
    return constants


def _trunk(person: Person) -> Rod:
    """Return trunk and head as one segment, with the length from the hips to the shoulders."""
    rows = person.table.rows
    if "trunk_head" in rows:
        return person["trunk_head"]
    trunk, head = (person[n].reversed() for n in ("trunk_neck", "head_neck"))
    whole = join_rods(trunk, head)
    return Rod(person["trunk"].length, whole.mass, whole.center, whole.inertia)


def _forearm(person: Person) -> Rod:
    if "forearm_hand" in person.table.rows:
        return person["forearm_hand"]
    return join_rods(person["forearm"], person["hand"])


# -- symbols for numbers ----------------------------------------------------------------


def _straight_segment(name: str, direction: str, **options: Any) -> Segment:
    """Return a straight `Segment` along a direction, with symbols instead of a rod's numbers."""
    length, mass, center, inertia = _rod_symbols(name)
    sign = -1 if direction.startswith("-") else 1
    place = tuple(sign * center if axis == direction[-1] else 0 for axis in AXES)
    own = {"length": length, "center_of_mass": place, "inertia": inertia, "direction": direction}
    return Segment(name, mass=mass, **own | options)


def _rod_symbols(name: str) -> list[Symbol]:
    return [Symbol(f"{letter}_{name}") for letter in "lmcI"]


def _rod_values(name: str, rod: Rod) -> dict[Symbol, float]:
    return dict(zip(_rod_symbols(name), astuple(rod)[:4], strict=True))
