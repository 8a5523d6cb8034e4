"""Segments of a person: masses, mass centres and radii of gyration from published tables."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import NoneType
from typing import Any

from ..checks.arguments import check_choice, check_instance, check_known, check_name
from ..checks.numbers import check_finite, check_positive, finite_array
from ..checks.pickles import Pickled
from ..checks.problems import warn


@dataclass(frozen=True)
class Rod:
    """Length, mass, distance of the mass centre and central inertia of a straight segment."""

    length: float
    mass: float
    center: float
    inertia: float

    def reversed(self) -> "Rod":
        """Return the same segment, measured from its other end."""
        return Rod(self.length, self.mass, self.length - self.center, self.inertia)


def joined_rods(first: Rod, second: Rod) -> Rod:
    """Return two collinear segments as one with the length of the first."""
    return merged(first, Rod(0, second.mass, first.length + second.center, second.inertia))


def merged(*rods: Rod) -> Rod:
    """Return segments measured from the same point as one with the length of the first."""
    mass = sum(rod.mass for rod in rods)
    center = sum(rod.mass * rod.center for rod in rods) / mass
    inertia = sum(rod.inertia + rod.mass * (rod.center - center) ** 2 for rod in rods)
    return Rod(rods[0].length, mass, center, inertia)


SIDES = ("left", "right")

#: Largest height (m) and mass (kg) of a person, and range of mass / height**2 (kg/m^2), which
#: includes premature infants and the heaviest person; most weights in newtons exceed it.
TALLEST, HEAVIEST = 3.0, 1000.0
LIGHTEST_BUILD, HEAVIEST_BUILD = 4.0, 200.0


@dataclass(frozen=True)
class SegmentRow(Pickled):
    """A row of a table: fractions of body mass, of segment length and of body height.

    Parameters
    ==========

    mass : float
        Mass of the segment (of one side) divided by the mass of the body.
    center : float
        Distance of the mass centre from the proximal end, divided by the segment length.
    radius : float or tuple of 3 floats
        Radius of gyration about the mass centre, divided by the segment length: one number for any
        axis across the segment, or those about the (sagittal, transverse, longitudinal) axes.
    length : float or None
        Segment length divided by body height, where the table or its source has it.
    ends : str
        The end points of the length.

    See Also
    ========

    SegmentTable : A table of them.

    Examples
    ========

    >>> import jointwrench as jw
    >>> jw.gait.SegmentRow(mass=0.0465, center=0.433, radius=0.302).mass
    0.0465
    """

    mass: float
    center: float
    radius: float | tuple[float, float, float]
    length: float | None = None
    ends: str = ""

    def __post_init__(self) -> None:
        check_instance("ends", self.ends, str, "a str")
        for name in ("mass", "center") if self.length is None else ("mass", "center", "length"):
            check_finite(name, getattr(self, name))
        shapes, what = [(), (3,)], "be one number, or three about the segment's axes"
        finite_array("radius", self.radius, *shapes, what=what)

    @property
    def radii(self) -> tuple[float, float, float]:
        """Those about (sagittal, transverse, longitudinal) axes, the last one 0 if not known."""
        return self.radius if isinstance(self.radius, tuple) else (self.radius, self.radius, 0.0)


@dataclass(frozen=True)
class SegmentTable(Pickled):
    """Body segment parameters of a population.

    Parameters
    ==========

    name, source : str
        The name of the table, and the source of the numbers.
    sex : str or None
        "female", "male", or None where the table does not distinguish them.
    rows : mapping of str to SegmentRow
        The segments by name.

    See Also
    ========

    Person : A table with height and mass.

    Examples
    ========

    >>> import jointwrench as jw
    >>> winter = jw.gait.Person(1.80, 70.0, "winter").table
    >>> mine = winter.with_rows(shank=jw.gait.SegmentRow(mass=0.05, center=0.44, radius=0.3))
    >>> mine["shank"].mass, mine["thigh"].mass
    (0.05, 0.1)
    """

    name: str
    source: str
    sex: str | None
    rows: Mapping[str, SegmentRow] = field(repr=False)

    def __post_init__(self) -> None:
        check_name("name", self.name)
        check_name("source", self.source)
        check_instance("sex", self.sex, (str, NoneType), "a str or None")
        for name, row in check_instance("rows", self.rows, Mapping, "a mapping").items():
            check_instance("rows", name, str, "a mapping of names of segments")
            check_instance(f"rows[{name!r}]", row, SegmentRow, "a SegmentRow")

    def __getitem__(self, segment: str) -> SegmentRow:
        expected = f"be one of those in the table {self.name},"
        fix = f" Use table.with_rows({segment}=...)."
        check_known("segment", [segment], self.rows, expected, fix)
        return self.rows[segment]

    def with_rows(self, **rows: SegmentRow) -> "SegmentTable":
        """Return a table with changed or additional ``rows``, by name of the segment.

        Raises
        ======

        TypeError
            If a row is not a SegmentRow.

        See Also
        ========

        SegmentRow : A row.

        Examples
        ========

        >>> import jointwrench as jw
        >>> row = jw.gait.SegmentRow(mass=0.05, center=0.43, radius=0.3)
        >>> jw.gait.Person(1.75, 70.0).table.with_rows(shank=row)["shank"].mass
        0.05
        """
        return replace(self, name=f"{self.name} (changed)", rows={**self.rows, **rows})


#: Winter's table 4.1, without distinction of sex. ``trunk_head`` and ``head_arms_trunk`` go from
#: the hip up. The table has no length of the foot between its landmarks and none of the hand.
WINTER = SegmentTable(
    "Winter/Dempster",
    "D. A. Winter, Biomechanics and Motor Control of Human Movement, 4th ed., Wiley, 2009, table "
    "4.1 (after Dempster 1955 via Miller and Nelson 1973, and Plagenhoef 1971); lengths from "
    "figure 4.1 there (after Drillis and Contini 1966)",
    None,
    {
        "hand": SegmentRow(0.006, 0.506, 0.297, None, "wrist axis to knuckle II"),
        "forearm": SegmentRow(0.016, 0.430, 0.303, 0.146, "elbow axis to ulnar styloid"),
        "upper_arm": SegmentRow(0.028, 0.436, 0.322, 0.186, "glenohumeral to elbow axis"),
        "forearm_hand": SegmentRow(0.022, 0.682, 0.468, 0.146, "elbow axis to ulnar styloid"),
        "arm": SegmentRow(0.050, 0.530, 0.368, 0.332, "glenohumeral joint to ulnar styloid"),
        "foot": SegmentRow(0.0145, 0.50, 0.475, None, "lateral malleolus to metatarsal II"),
        "shank": SegmentRow(0.0465, 0.433, 0.302, 0.246, "femoral condyles to medial malleolus"),
        "thigh": SegmentRow(0.100, 0.433, 0.323, 0.245, "greater trochanter to femoral condyles"),
        "foot_shank": SegmentRow(0.061, 0.606, 0.416, 0.246, "condyles to medial malleolus"),
        "leg": SegmentRow(0.161, 0.447, 0.326, 0.491, "greater trochanter to medial malleolus"),
        "trunk_head": SegmentRow(0.578, 0.66, 0.503, 0.288, "greater trochanter to glenohumeral"),
        "head_arms_trunk": SegmentRow(0.678, 0.626, 0.496, 0.288, "trochanter to glenohumeral"),
    },
)
_DE_LEVA = (
    "P. de Leva, Adjustments to Zatsiorsky-Seluyanov's segment inertia parameters, Journal of "
    "Biomechanics 29 (1996), 1223-1230, table 4"
)

_DE_LEVA_ENDS = {
    "head": "vertex to mid-gonion",
    "trunk": "mid-shoulder to mid-hip",
    "head_neck": "vertex to cervicale",
    "trunk_neck": "cervicale to mid-hip",
    "upper_arm": "shoulder to elbow joint centre",
    "forearm": "elbow to wrist joint centre",
    "hand": "wrist joint centre to metacarpale III",
    "thigh": "hip to knee joint centre",
    "shank": "knee joint centre to lateral malleolus",
    "foot": "heel to tip of the longest toe",
}


#: Columns of women and of men: length (mm), mass (% of the body's), mass centre and radii of
#: gyration (% of the length).
_DE_LEVA_ROWS: dict[str, tuple[tuple[float, ...], tuple[float, ...]]] = {
    "head": ((200.2, 6.68, 58.94, 33.0, 35.9, 31.8), (203.3, 6.94, 59.76, 36.2, 37.6, 31.2)),
    "trunk": ((497.9, 42.57, 37.82, 37.9, 36.1, 18.2), (515.5, 43.46, 43.10, 38.4, 35.8, 19.7)),
    "head_neck": ((243.7, 6.68, 48.41, 29.5), (242.9, 6.94, 50.02, 31.5)),
    "trunk_neck": ((614.8, 42.57, 49.64, 29.2), (603.3, 43.46, 51.38, 30.6)),
    "upper_arm": ((275.1, 2.55, 57.54, 27.8, 26.0, 14.8), (281.7, 2.71, 57.72, 28.5, 26.9, 15.8)),
    "forearm": ((264.3, 1.38, 45.59, 26.1, 25.7, 9.4), (268.9, 1.62, 45.74, 27.6, 26.5, 12.1)),
    "hand": ((78.0, 0.56, 74.74, 53.1, 45.4, 33.5), (86.2, 0.61, 79.00, 62.8, 51.3, 40.1)),
    "thigh": ((368.5, 14.78, 36.12, 36.9, 36.4, 16.2), (422.2, 14.16, 40.95, 32.9, 32.9, 14.9)),
    "shank": ((432.3, 4.81, 44.16, 27.1, 26.7, 9.3), (434.0, 4.33, 44.59, 25.5, 24.9, 10.3)),
    "foot": ((228.3, 1.29, 40.14, 29.9, 27.9, 13.9), (258.1, 1.37, 44.15, 25.7, 24.5, 12.4)),
}


def _de_leva(sex: str, stature: float, column: int) -> SegmentTable:
    """Return the table of one sex as fractions."""
    table = {}
    for name, columns in _DE_LEVA_ROWS.items():
        length, *percent = columns[column]
        mass, center, *radii = (round(value / 100, 6) for value in percent)
        radius: Any = tuple(radii) if len(radii) == 3 else radii[0]
        table[name] = SegmentRow(mass, center, radius, length / stature, _DE_LEVA_ENDS[name])
    return SegmentTable(f"de Leva ({sex})", _DE_LEVA, sex, table)


#: De Leva's adjusted values for women (mean: 1.735 m, 61.9 kg). Head and trunk are there twice,
#: with other ends; of ``head_neck`` and ``trunk_neck`` only the transverse radius is used.
DE_LEVA_FEMALE = _de_leva("female", 1735.0, 0)

#: De Leva's adjusted values for men (mean: 1.741 m, 73.0 kg).
DE_LEVA_MALE = _de_leva("male", 1741.0, 1)

TABLES = {"winter": WINTER, "de_leva_female": DE_LEVA_FEMALE, "de_leva_male": DE_LEVA_MALE}


@dataclass(frozen=True)
class SegmentParameters(Rod):
    """A segment of a person: ``center`` is from its proximal end, ``inertia`` about transverse."""

    # ``inertias``: about (sagittal, transverse, longitudinal) axes, the last zero if not known.

    inertias: tuple[float, float, float]


class Person(Pickled):
    """The segments of a person of some height and mass.

    Parameters
    ==========

    height, mass : float
        Of the whole body, in metres and kilograms.
    table : SegmentTable or str
        Source of the fractions: "winter", "de_leva_female", "de_leva_male", or your own table.
    lengths : mapping of str to float, optional
        Measured segment lengths; the others follow from the height.

    Raises
    ======

    TypeError
        If a number is not real, ``lengths`` is not a mapping, or ``table`` is not a table.
    ValueError
        If a number is not positive and finite, a name is unknown, or values are not in metres and
        kilograms (height above 3, mass above 1000, a length not below the height).

    Warns
    =====

    UserWarning
        If no person of this height has this mass.

    See Also
    ========

    planar_leg, planar_body : Models of a person.

    Examples
    ========

    >>> import jointwrench as jw
    >>> thigh = jw.gait.Person(1.80, 70.0)["thigh"]
    >>> round(thigh.length, 3), round(thigh.mass, 2), round(thigh.center, 4)
    (0.441, 7.0, 0.191)
    """

    def __init__(
        self,
        height: float,
        mass: float,
        table: SegmentTable | str = "winter",
        lengths: Mapping[str, float] | None = None,
    ) -> None:
        if isinstance(table, str):
            table = TABLES[check_choice("table", table, TABLES)]
        self.table = check_instance("table", table, SegmentTable, "a SegmentTable or its name")
        self.height, self.mass = check_positive("height", height), check_positive("mass", mass)
        _check_units(self.height, self.mass)
        given = {} if lengths is None else lengths
        check_instance("lengths", given, Mapping, "a mapping of segments to lengths")
        self.lengths: dict[str, float] = {}
        for name, length in given.items():
            check_known("lengths", [name], self.table.rows, "have keys in the table, which are")
            size = self.lengths[name] = check_positive(f"lengths[{name!r}]", length)
            if size >= self.height:
                raise ValueError(
                    f"`lengths[{name!r}]` must be below the height of {self.height:g}, got "
                    f"{size:g}. Use metres, as for the height: millimetres / 1000."
                )

    def __repr__(self) -> str:
        return f"Person(height={self.height:g}, mass={self.mass:g}, table={self.table.name!r})"

    def __getitem__(self, segment: str) -> SegmentParameters:
        row = self.table[segment]
        if segment not in self.lengths and row.length is None:
            raise ValueError(
                f"`lengths` must have the segment {segment}, since the table {self.table.name} "
                f"has no length of it ({row.ends}). Use lengths={{{segment!r}: ...}}."
            )
        length = self.lengths.get(segment, (row.length or 0) * self.height)
        return segment_of_length(self, segment, length)


def segment_of_length(person: Person, segment: str, length: float) -> SegmentParameters:
    """Return a segment of a person with a given length instead of the table's."""
    row = person.table[segment]
    mass = row.mass * person.mass
    sagittal, transverse, longitudinal = (mass * (x * length) ** 2 for x in row.radii)
    inertias = sagittal, transverse, longitudinal
    return SegmentParameters(length, mass, row.center * length, transverse, inertias)


def _check_units(height: float, mass: float) -> None:
    """Refuse values that are not in metres and kilograms; warn about doubtful ones."""
    if height > TALLEST:
        fix = "Are height and mass exchanged?" if mass <= TALLEST else "Use centimetres / 100."
        raise ValueError(f"`height` must be in metres, at most {TALLEST:g}, got {height:g}. {fix}")
    if mass > HEAVIEST:
        raise ValueError(
            f"`mass` must be in kilograms, at most {HEAVIEST:g}, got {mass:g}. Use grams / 1000."
        )
    if not LIGHTEST_BUILD <= mass / height**2 <= HEAVIEST_BUILD:
        warn(
            f"`height` of {height:g} m and `mass` of {mass:g} kg fit no person. Use metres and "
            "kilograms; for results per mass Result.per_mass."
        )
