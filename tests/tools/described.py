"""Models as plain data: numbers with their dimensions, from which all else is made.

Other units, other last digits and another heading are transformations of the data; nothing
of sympy or of the package is in them.
"""

from dataclasses import dataclass, fields, is_dataclass, replace
from fractions import Fraction

import numpy as np

#: Exponents of length, mass and time.
NONE, LENGTH, MASS, TIME = (0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)
FORCE, ENERGY, INERTIA, ACCELERATION = (1, 1, -2), (2, 1, -2), (2, 1, 0), (1, 0, -2)

GROUND = "ground"


@dataclass(frozen=True)
class Number:
    """A number: how it enters the model is its style, ``symbol``, ``float`` or ``exact``."""

    value: float | Fraction
    dimension: tuple = NONE
    style: str = "float"


def exact(value, dimension=NONE):
    """Return a number without error."""
    return Number(Fraction(value), dimension, "exact")


@dataclass(frozen=True)
class Side:
    """Where something is on a body: a place from the mass centre, three axes (columns)."""

    body: str
    place: tuple
    axes: tuple


@dataclass(frozen=True)
class Body:
    """A rigid body; without ``inertia`` (xx yy zz xy yz zx) a particle.

    The inertia is central, or about a place ``about`` from the mass centre.
    """

    name: str
    mass: Number
    inertia: tuple | None
    about: tuple | None = None


@dataclass(frozen=True)
class Motion:
    """A function of time by its value and two derivatives at an instant.

    As a ``formula`` it is a polynomial, otherwise a specified quantity.
    """

    levels: tuple
    is_formula: bool


@dataclass(frozen=True)
class Base:
    """A body of prescribed motion: shifted along an axis of its side on ground and turned."""

    name: str
    side: Side
    shift: Motion
    turn: Motion
    index: int


@dataclass(frozen=True)
class Joint:
    """A joint of the tree with its state; ``is_reversed``: the outer body is the parent."""

    name: str
    kind: str
    inner: Side
    outer: Side
    is_reversed: bool
    index: int
    order: str
    q: tuple
    u: tuple
    udot: tuple


@dataclass(frozen=True)
class Gate:
    """A factor with an edge: of ``rate * (x - limit)``, where x is a q or u by its place."""

    kind: str
    group: str
    source: int
    rate: Number
    limit: Number


@dataclass(frozen=True)
class Load:
    """A force or torque on a side: magnitude times a direction of the side's or ground's axes.

    Style: constant, unknown, specified, time (cos), or q (sin) and u of a speed by its place.
    The opposite acts on the side ``against``; a ``strut`` pushes both sides apart.
    """

    name: str
    kind: str
    side: Side
    direction: tuple
    is_in_ground: bool
    style: str
    magnitude: Number
    rate: Number | None = None
    source: int = 0
    against: Side | None = None
    gate: Gate | None = None


@dataclass(frozen=True)
class Spring:
    """A linear spring and damper between two places."""

    name: str
    ends: tuple
    stiffness: Number
    rest: Number
    damping: Number


@dataclass(frozen=True)
class Closing:
    """A joint that closes a loop; in a ``contact`` both sides are one, of the body ``child``.

    A ``rod`` has a length.
    """

    name: str
    kind: str
    parent: Side
    child: Side
    index: int = 0
    directions: tuple = ()
    length: Number | None = None


@dataclass(frozen=True)
class Model:
    """A mechanism at one state; ``actuated`` are places of speeds, None for all of a tree.

    Gravity acts on the bodies ``heavy``, None for all.
    """

    name: str
    bodies: tuple
    joints: tuple
    loads: tuple = ()
    springs: tuple = ()
    gravity: tuple | None = None
    heavy: tuple | None = None
    base: Base | None = None
    closings: tuple = ()
    actuated: tuple | None = None
    time: Number = Number(0.0, TIME)

    def group(self, name):
        """Return the numbers of coordinates, speeds or accelerations, joint by joint."""
        return [number for joint in self.joints for number in getattr(joint, name)]

    def at(self, **groups):
        """Return the model with other numbers of ``q``, ``u`` or ``udot``."""
        joints = self.joints
        for name, numbers in groups.items():
            left = iter(numbers)
            joints = tuple(
                replace(joint, **{name: tuple(replace(x, value=float(next(left))) for x in own)})
                for joint in joints
                for own in [getattr(joint, name)]
            )
        return replace(self, joints=joints)

    @property
    def unknowns(self):
        """The loads that the motion determines."""
        return [load for load in self.loads if load.style == "unknown"]


def mapped(thing, function):
    """Return data with each Number replaced by what a function makes of it."""
    if isinstance(thing, Number):
        return function(thing)
    if isinstance(thing, tuple):
        return tuple(mapped(item, function) for item in thing)
    if is_dataclass(thing):
        changes = {f.name: mapped(getattr(thing, f.name), function) for f in fields(thing)}
        return replace(thing, **changes)
    return thing


#: What is usual: the mass centre and the body's own axes.
ORIGIN = (exact(0, LENGTH),) * 3
IDENTITY = tuple(tuple(exact(int(i == k)) for k in range(3)) for i in range(3))


# -- units --------------------------------------------------------------------------


@dataclass(frozen=True)
class Units:
    """By which powers of ten the numbers of lengths, masses and times grow."""

    length: int = 0
    mass: int = 0
    time: int = 0

    @property
    def powers(self):
        return self.length, self.mass, self.time

    def factor(self, dimension):
        """Return the factor of a dimension, exactly."""
        return Fraction(10) ** sum(a * b for a, b in zip(self.powers, dimension, strict=True))

    def of(self, model):
        """Return a model in these units."""

        def scaled(number):
            value = Fraction(number.value) * self.factor(number.dimension)
            return replace(number, value=value if number.style == "exact" else float(value))

        return mapped(model, scaled)


# -- rounding -----------------------------------------------------------------------


def nudged(model, seed):
    """Return a model with each number that is rounded moved by one unit in its last place."""
    numbers = np.random.default_rng([seed, 17])

    def moved(number):
        if number.style == "exact" or not number.value:
            return number
        towards = number.value * (2 if numbers.random() < 0.5 else 0)
        return replace(number, value=float(np.nextafter(number.value, towards)))

    return mapped(model, moved)


# -- heading ------------------------------------------------------------------------


@dataclass(frozen=True)
class Heading:
    """The model turned by a matrix of Numbers and moved."""

    rotation: tuple
    shift: tuple

    def columns(self, vectors):
        """Return turned columns, (3, n)."""
        columns = list(zip(*vectors, strict=True))
        rows = [[combined(row, column) for column in columns] for row in self.rotation]
        return tuple(map(tuple, rows))

    def vector(self, vector):
        """Return a turned vector."""
        return tuple(row[0] for row in self.columns([(x,) for x in vector]))

    def side(self, side):
        """Return a side of ground where it is then; others as they are."""
        if side.body != GROUND:
            return side
        places = zip(self.vector(side.place), self.shift, strict=True)
        place = tuple(combined((exact(1), exact(1)), pair) for pair in places)
        return replace(side, place=place, axes=self.columns(side.axes))

    def of(self, model):
        """Return the model turned and moved."""

        def moved(thing):
            if isinstance(thing, Side):
                return self.side(thing)
            if isinstance(thing, tuple):
                return tuple(map(moved, thing))
            if is_dataclass(thing) and not isinstance(thing, Number):
                changes = {f.name: moved(getattr(thing, f.name)) for f in fields(thing)}
                if isinstance(thing, Load) and thing.is_in_ground:
                    changes["direction"] = self.vector(thing.direction)
                return replace(thing, **changes)
            return thing

        gravity = None if model.gravity is None else self.vector(model.gravity)
        return replace(moved(model), gravity=gravity)


def combined(factors, numbers):
    """Return the sum of products of Numbers; what cancels but for rounding is zero."""
    pairs = [(f, n) for f, n in zip(factors, numbers, strict=True) if f.value and n.value]
    terms = [(Fraction(f.value) * Fraction(n.value), f, n) for f, n in pairs]
    dimension = numbers[0].dimension
    total, size = sum(t for t, _, _ in terms), sum(abs(t) for t, _, _ in terms)
    if abs(total) <= Fraction(1, 10**15) * size:
        return exact(0, dimension)
    styles = {"exact": 0, "float": 1, "symbol": 2}
    style = max((n.style for _, _, n in terms), key=styles.get)
    if len(terms) > 1 and style == "symbol":
        style = "float"  # sums of symbols would be new ones
    if any(f.style == "float" for _, f, _ in terms):
        style = "float"
    return Number(total if style == "exact" else float(total), dimension, style)


def matrix_of(array, style="float"):
    """Return a matrix of Numbers; entries that are 0, 1 or -1 but for rounding are exact."""
    return tuple(tuple(rounded(x, NONE, style) for x in row) for row in array)


def rounded(value, dimension, style="float"):
    """Return a Number; what is 0, 1 or -1 but for rounding is exact."""
    nearest = round(value)
    if abs(value - nearest) < 1e-15 and abs(nearest) < 2:
        return exact(nearest, dimension)
    return Number(float(value), dimension, style)
