"""Segments of a person: masses, mass centres and radii of gyration from published tables."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import NoneType
from typing import Any

from ..checks.arguments import check_choice, check_instance, check_known, check_name
from ..checks.messages import warn
from ..checks.numbers import check_finite, check_positive, finite_array
from ..checks.pickles import Pickled
from ..records.data_rows import read_data_rows


@dataclass(frozen=True)
class Rod:
    """A straight segment: length, mass, mass centre and central transverse moment of inertia.

    ``center`` is the distance of the mass centre from the end at which the segment begins.
    """

    length: float
    mass: float
    center: float
    inertia: float

    def reversed(self) -> "Rod":
        """Return the segment, measured from its other end."""
        return Rod(self.length, self.mass, self.length - self.center, self.inertia)


def join_rods(first: Rod, second: Rod) -> Rod:
    """Return one segment made of two: ``second`` begins at the end of ``first``.

    The length of the first segment is kept.
    """
    return add_rods(first, Rod(0, second.mass, first.length + second.center, second.inertia))


def add_rods(*rods: Rod) -> Rod:
    """Return one segment made of segments that begin at the same point, with the first length."""
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
        Radius of gyration about the mass centre, divided by the segment length: one number for all
        axes across the segment, or three for the sagittal, transverse and longitudinal axes.
    length : float or None
        Segment length divided by body height, where the table or its source has it.
    ends : str
        The end points of the length.

    See Also
    ========

    SegmentTable : A table of rows.

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
        """The radii of gyration about the sagittal, transverse and longitudinal axes.

        The last radius is 0 if it is unknown.
        """
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


def _read_table(table: str, height: str, sex: str, name: str, source: str) -> SegmentTable:
    """Return the table with a name from ``segments.csv``, whose numbers are per cent.

    Lengths in the file are those of a person of ``height``.
    """
    rows = {}
    for row in read_data_rows(__file__, "segments.csv"):
        if row["table"] == table:
            names = ("mass", "center", "sagittal", "transverse", "longitudinal")
            mass, center, *radii = (round(float(row[x]) / 100, 6) for x in names if row[x])
            radius: Any = tuple(radii) if len(radii) == 3 else radii[0]
            length = float(row["length"]) / float(height) if row["length"] else None
            rows[row["segment"]] = SegmentRow(mass, center, radius, length, row["ends"])
    return SegmentTable(name, source, sex or None, rows)


#: Winter's table 4.1, without distinction of sex, and de Leva's adjusted values for women and men.
#: Winter's lengths are divided by the height; ``trunk_head`` and ``head_arms_trunk`` extend upward
#: from the hip; foot (between its landmarks) and hand have no length.  De Leva's lengths are those
#: of a mean person (1.735 m and 61.9 kg, 1.741 m and 73.0 kg); head and trunk occur twice, with
#: different ends, and only the transverse radius of ``head_neck`` and ``trunk_neck`` is used.
TABLES = {x["table"]: _read_table(**x) for x in read_data_rows(__file__, "segment_tables.csv")}


@dataclass(frozen=True)
class SegmentParameters(Rod):
    """A segment of a person, a `Rod` that begins at the proximal end.

    ``inertias`` are the central moments of inertia about the sagittal, transverse and longitudinal
    axes; the last one is zero if it is unknown.
    """

    inertias: tuple[float, float, float]


class Person(Pickled):
    """The segments of a person with a height and a mass.

    Parameters
    ==========

    height, mass : float
        Height and mass of the whole body, in metres and kilograms.
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
        measured = {} if lengths is None else lengths
        check_instance("lengths", measured, Mapping, "a mapping of segments to lengths")
        self.lengths: dict[str, float] = {}
        for name, length in measured.items():
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
    """Return a person's segment with the stated length instead of the table's."""
    row = person.table[segment]
    mass = row.mass * person.mass
    sagittal, transverse, longitudinal = (mass * (x * length) ** 2 for x in row.radii)
    inertias = sagittal, transverse, longitudinal
    return SegmentParameters(length, mass, row.center * length, transverse, inertias)


def _check_units(height: float, mass: float) -> None:
    """Refuse a height and mass that are not in metres and kilograms; warn of doubtful values."""
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
