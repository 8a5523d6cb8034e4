"""The force platforms of a C3D file: from channels to wrenches on the person.

Each platform measures in its own axes: x from the second corner to the first, y from the fourth to
the first, z perpendicular to both.  With the standard's order of corners z points into the floor.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..checks.messages import warn
from ..checks.tolerances import COLLINEAR, THREE_DIGITS
from ..records.laboratory import unit_factor
from .force_plate import ForcePlate, make_plate
from .ground_contact import AXES

#: Largest number of platforms in a file: dimensions of parameters are bytes.
MOST = 255

#: Range of plausible lengths (m) of a platform's edges.
SHORTEST, LONGEST = 0.05, 20.0

#: Load (N) from which on sign and centre of pressure are checked; and the largest distance of the
#: centre of pressure from the platform's middle, in diagonals of the platform.
LOADED, FAR = 50.0, 5.0


#: Problems of platforms that are skipped if others can be read: their position is unknown.
NOWHERE = ("CORNERS are not a rectangle, so its position is unknown", "CORNERS is not finite")


class PlatformError(Exception):
    """A problem of one platform, which is reported with the problems of all platforms."""


@dataclass(frozen=True, eq=False)
class Platform:
    """One platform, in metres, N and N m.

    Attributes
    ==========

    corners : numpy.ndarray, shape (4, 3)
        The corners in the laboratory's axes.
    rotation : numpy.ndarray, shape (3, 3)
        The platform's axes as columns, in the laboratory's axes.
    force, moment : numpy.ndarray, shape (N, 3)
        Force and moment in the file, with the file's sign, about the middle of the corners, in the
        platform's axes.
    """

    corners: np.ndarray
    rotation: np.ndarray
    force: np.ndarray
    moment: np.ndarray

    @property
    def loaded(self) -> np.ndarray:
        """A boolean mask (N,) of the samples with a large load."""
        load = np.abs(self.force[:, 2])
        return load > max(LOADED, 0.5 * load.max(initial=0.0))

    def plate(self, times: np.ndarray, sign: float) -> ForcePlate:
        """Return the ForcePlate whose wrench on the person is ``sign`` times the file's wrench."""
        force, moment = (sign * array @ self.rotation.T for array in (self.force, self.moment))
        center = self.corners.mean(axis=0)
        wrench = np.concatenate([force, moment + np.cross(center, force)], axis=-1)
        vertical = AXES[np.abs(self.rotation[:, 2]).argmax()]
        return make_plate(times, wrench, vertical, self.corners)

    def check_moments(self) -> None:
        """Refuse moments that put most centres of pressure far outside the platform."""
        if not (loaded := self.loaded).any():
            return
        away = np.linalg.norm(self.moment[loaded, :2], axis=-1) / np.abs(self.force[loaded, 2])
        diagonal = float(np.linalg.norm(self.corners[0] - self.corners[2]))
        if (distance := np.median(away)) > FAR * diagonal:
            raise PlatformError(
                f"its centre of pressure is {distance:.3g} m from its middle, so that N mm are "
                "suspected where the file says N m. Use units={'moment': 'N mm'} or "
                "units={'moment': 'N m'} to state what it is"
            )


@dataclass(frozen=True, eq=False)
class PlatformGroup:
    """The group FORCE_PLATFORM of a file, with the analogue channels.

    Attributes
    ==========

    file : str
        The name of the file.
    parameters : mapping of str to numpy.ndarray
        The parameters of the group; their last axis counts the platforms.
    times, channels : numpy.ndarray, shapes (N,), (channels, N)
        The instants and the analogue channels.
    channel_units, length_unit : sequence of str, str
        The units in the file.
    stated : mapping of str to str
        Units by quantity, in place of the file's.
    forces_on : {"person", "plate", None}
        The object on which the file's forces act; None chooses the person unless forces would pull.
    """

    file: str
    parameters: Mapping[str, Any]
    times: np.ndarray
    channels: np.ndarray
    channel_units: Sequence[str]
    length_unit: str
    stated: Mapping[str, str]
    forces_on: str | None = None

    @np.errstate(over="ignore", invalid="ignore")  # infinite numbers have been reported before
    def plates(self) -> tuple[ForcePlate, ...]:
        """Return the wrenches of the platforms on the person; one error lists all problems."""
        # Platforms without a position are skipped with a warning, if there are others.
        faults: list[str] = []
        found = {f"platform {k + 1}": self._platform(k, faults) for k in range(self._count())}
        platforms = {name: one for name, one in found.items() if one is not None}
        if platforms and all(fault.endswith(NOWHERE) for fault in faults):
            for fault in faults:
                warn(
                    f"`path`: {fault.replace(':', f' of {self.file} is left out:', 1)}. `plates` "
                    f"has {', '.join(platforms)}."
                )
        elif faults:
            problems = ";\n".join(dict.fromkeys(faults))
            expected = "must have force platforms that can be read"
            raise ValueError(f"`path` {expected}, but in {self.file}\n{problems}.")
        return tuple(x.plate(self.times, self._choose_sign(n, x)) for n, x in platforms.items())

    def _count(self) -> int:
        """Return the number of platforms that the file declares."""
        used = float(np.ravel(self.parameters.get("USED", 0))[0])
        if used not in range(MOST + 1):
            raise ValueError(
                f"`path` must declare a number of force platforms from 0 to {MOST}, but in "
                f"{self.file} FORCE_PLATFORM:USED is {used:g}. Correct it in the file."
            )
        return int(used)

    def _platform(self, number: int, faults: list[str]) -> Platform | None:
        """Return a platform, or None after its problems were added to the ``faults``."""
        known = len(faults)

        def attempt(function: Callable[..., Any], *arguments: Any) -> Any:
            try:
                return function(*arguments)
            except PlatformError as fault:
                faults.append(f"platform {number + 1}: {fault}")

        if (kind := attempt(self._kind, number)) is None:
            return None
        readers = (self._corners, self._origin, self._calibration, self._channels)
        parts = [attempt(read, number, kind) for read in readers]
        if len(faults) > known:
            return None
        corners, origin, matrix, (channels, factors) = parts
        rotation = _platform_axes(corners)
        if origin[2] * _vertical_sign(rotation) < 0:  # some programs write the opposite sign
            origin = -origin
        force, moment = TYPES[kind][1](factors * (matrix @ channels), origin)
        platform = Platform(corners.T, rotation, force.T, moment.T)
        if "moment" not in self.stated:
            attempt(platform.check_moments)
        return platform

    # -- parameters of a platform -------------------------------------------------

    def _kind(self, number: int) -> int:
        kind = int(self._entry("TYPE", number, ()))
        if kind not in TYPES:
            raise PlatformError(f"TYPE is {kind}, known ones are {', '.join(map(str, TYPES))}")
        return kind

    def _corners(self, number: int, _: int) -> np.ndarray:
        """Return the four corners in metres, shape (3, 4)."""
        corners = self._entry("CORNERS", number, (3, 4)) * self._factor("length", self.length_unit)
        edges = np.linalg.norm(corners - np.roll(corners, -1, axis=1), axis=0)
        across = np.cross(corners[:, 0] - corners[:, 1], corners[:, 0] - corners[:, 3])
        is_flat = not np.linalg.norm(across) > COLLINEAR * edges.max() ** 2
        if is_flat or ("length" not in self.stated and edges.max() > 1000 * LONGEST):
            raise PlatformError(NOWHERE[0])  # whatever the unit is
        if "length" not in self.stated and not SHORTEST < edges.min() <= edges.max() < LONGEST:
            other = "mm" if edges.max() >= LONGEST else "m"
            raise PlatformError(
                f"CORNERS are {edges.max():.3g} m apart, so that {other} are suspected where the "
                f"file says {self.length_unit}. Use units={{'length': {other!r}}} or "
                f"units={{'length': {self.length_unit!r}}} to state what it is"
            )
        return corners

    def _origin(self, number: int, kind: int) -> np.ndarray:
        """Return the parameter ORIGIN in metres, from the surface's middle to the sensors' origin.

        The vector is zero for type 1; for type 3 it has the distances of the four sensors.
        """
        if kind == 1:  # the centre of pressure is relative to the surface's middle
            return np.zeros(3)
        origin = self._entry("ORIGIN", number, (3,))
        if kind == 3 and not (origin[:2] > 0).all():
            raise PlatformError("ORIGIN has no distances from the middle to the sensors")
        return origin * self._factor("length", self.length_unit)

    def _calibration(self, number: int, kind: int) -> np.ndarray:
        """Return the calibration matrix by which the channels are multiplied."""
        size = len(TYPES[kind][0])
        if kind != 4:
            return np.eye(size)
        matrix = self._entry("CAL_MATRIX", number, (size, size))
        if not matrix.any():
            raise PlatformError("CAL_MATRIX is zero, and type 4 has no force without it")
        return matrix

    def _channels(self, number: int, kind: int) -> tuple[np.ndarray, np.ndarray]:
        """Return a platform's channels (k, N), and the factors (k, 1) from their units to SI."""
        quantities, count = TYPES[kind][0], len(self.channels)
        places = self._entry("CHANNEL", number, (len(quantities),)).astype(int)
        if wrong := ", ".join(str(k) for k in places if not 1 <= k <= count):
            raise PlatformError(f"CHANNEL names channel {wrong}, but the file has {count}")
        units = [*self.channel_units, *[""] * count]
        pairs = zip(quantities, places - 1, strict=True)
        factors = [[self._factor(quantity, units[k])] for quantity, k in pairs]
        return self.channels[places - 1], np.array(factors)

    def _entry(self, name: str, number: int, shape: tuple[int, ...]) -> np.ndarray:
        """Return the entries of a parameter for a platform; ``shape`` selects the leading ones."""
        array = np.asarray(self.parameters.get(name, ()), dtype=float)
        wanted = (*shape, number + 1)
        if array.ndim != len(wanted) or np.less(array.shape, wanted).any():
            raise PlatformError(f"{name} is missing")
        entries = array[..., number][tuple(slice(size) for size in shape)]
        if not np.isfinite(entries).all():
            raise PlatformError(f"{name} is not finite")
        return entries

    def _factor(self, quantity: str, unit: str) -> float:
        """Return the factor of a unit to SI; a unit that the user stated has precedence."""
        unit = self.stated.get(quantity, unit)
        factor = unit_factor(quantity, unit)
        if factor is None:
            example = {"length": "mm", "force": "N", "moment": "N mm"}[quantity]
            raise PlatformError(
                f"the unit of {quantity} is {unit!r}, which is not known. "
                f"Use units={{{quantity!r}: {example!r}}} to state what it is"
            )
        return factor

    def _choose_sign(self, name: str, platform: Platform) -> float:
        """Return 1 if the forces of a platform act on the person, -1 if they act on the platform.

        Warn of a platform with a constant force, and of forces that would pull the person down.
        """
        force = platform.force[:, 2] * _vertical_sign(platform.rotation)  # upward
        load = force[platform.loaded].mean() if platform.loaded.any() else 0.0
        if load and np.ptp(force) <= THREE_DIGITS * abs(load):  # nobody stands so still
            warn(
                f"`path`: {name} of {self.file} shows {load:.4g} N throughout: it is stuck, or "
                "was not reset. Leave this plate out."
            )
        elif load < 0 and self.forces_on is None:
            warn(
                f"`path`: the forces of {name} of {self.file} would pull the person into the "
                "floor, so they are assumed to act on the platform. Use forces_on='plate' or "
                "'person' to state it."
            )
            return -1.0
        return -1.0 if self.forces_on == "plate" else 1.0


def _platform_axes(corners: np.ndarray) -> np.ndarray:
    """Return the axes of a platform with corners (3, 4) as columns, in the laboratory's axes."""
    x, y = corners[:, 0] - corners[:, 1], corners[:, 0] - corners[:, 3]
    z = np.cross(x, y)
    columns = np.stack([x, np.cross(z, x), z], axis=-1)
    return columns / np.linalg.norm(columns, axis=0)


def _vertical_sign(rotation: np.ndarray) -> float:
    """Return -1 if a platform's z axis points down, as in the standard, else 1."""
    z = rotation[:, 2]
    return float(np.sign(z[np.abs(z).argmax()]))


# -- force and moment about the middle of the surface, by type -------------------------

ForceAndMoment = tuple[np.ndarray, np.ndarray]


def _from_center_of_pressure(channels: np.ndarray, _: np.ndarray) -> ForceAndMoment:
    """Return force and moment (3, N) from Fx Fy Fz, Px Py and the free moment Tz."""
    force, (px, py, tz) = channels[:3], channels[3:]
    place, twist = np.stack([px, py, 0 * px]), np.stack([0 * tz, 0 * tz, tz])
    return force, twist + np.cross(place, force, axis=0)


def _from_moments(channels: np.ndarray, surface: np.ndarray) -> ForceAndMoment:
    """Return force and moment (3, N) from Fx Fy Fz Mx My Mz about the sensors' origin."""
    force, moment = channels[:3], channels[3:]
    return force, moment - np.cross(surface, force, axisb=0, axisc=0)


def _from_sensors(channels: np.ndarray, surface: np.ndarray) -> ForceAndMoment:
    """Return force and moment (3, N) from sensors at (a, b), (-a, b), (-a, -b) and (a, -b)."""
    a, b = np.abs(surface[:2])
    fx12, fx34, fy14, fy23, fz1, fz2, fz3, fz4 = channels
    force = [fx12 + fx34, fy14 + fy23, fz1 + fz2 + fz3 + fz4]
    mx, my = b * (fz1 + fz2 - fz3 - fz4), a * (fz2 + fz3 - fz1 - fz4)
    mz = b * (fx34 - fx12) + a * (fy14 - fy23)
    return _from_moments(np.stack([*force, mx, my, mz]), surface * [0, 0, 1])


FORCE, MOMENT = ("force",) * 3, ("moment",) * 3

#: The quantities of the channels of each type, and the function that computes wrenches from them.
#: Type 1 has Fx Fy Fz Px Py Tz, types 2 and 4 have Fx Fy Fz Mx My Mz, and type 3 has Fx12 Fx34 Fy14
#: Fy23 Fz1 Fz2 Fz3 Fz4.
TYPES: dict[int, tuple[Sequence[str], Callable[[np.ndarray, np.ndarray], ForceAndMoment]]] = {
    1: ((*FORCE, "length", "length", "moment"), _from_center_of_pressure),
    2: ((*FORCE, *MOMENT), _from_moments),
    3: (("force",) * 8, _from_sensors),
    4: ((*FORCE, *MOMENT), _from_moments),
}
