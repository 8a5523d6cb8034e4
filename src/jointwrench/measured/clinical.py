"""Angles, moments and powers of joints under the names that gait laboratories have for them."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from ..checks.arguments import check_instance
from ..evaluation.result import Result
from ..records.tables import Table

#: What a joint of a person does where its angle grows and where it falls, seen from the right.
DIRECTIONS = {
    "hip": ("flexion", "extension"),
    "knee": ("extension", "flexion"),
    "ankle": ("dorsiflexion", "plantarflexion"),
    "shoulder": ("flexion", "extension"),
    "elbow": ("flexion", "extension"),
}

#: Which of the two is positive in a laboratory's curves of angles; of moments it is the other one.
POSITIVE = {"flexion", "dorsiflexion"}


class ClinicalCurves(Mapping[str, np.ndarray]):
    """Angles, moments and powers of a person's joints, by name.

    It is a mapping of names to arrays: ``"knee_flexion"`` is an angle in degrees,
    ``"knee_extension_moment"`` a moment, ``"knee_power"`` a power.  A name in the
    opposite direction gives the opposite sign: ``"knee_extension"``.

    Parameters
    ==========

    curves : mapping of str to numpy.ndarray
        By name, in the directions that laboratories show.
    times : numpy.ndarray or None
        The instants, if they are known.
    """

    def __init__(self, curves: Mapping[str, np.ndarray], times: np.ndarray | None) -> None:
        self._curves, self.times = dict(curves), times

    def __getitem__(self, name: str) -> np.ndarray:
        wanted = str(name).replace(" ", "_")
        if wanted in self._curves:
            return self._curves[wanted]
        if (opposite := _opposite(wanted)) in self._curves:
            return -self._curves[opposite]
        raise KeyError(f"{name!r} is none of the curves {', '.join(self._curves)}.")

    def __iter__(self) -> Iterator[str]:
        return iter(self._curves)

    def __len__(self) -> int:
        return len(self._curves)

    def __repr__(self) -> str:
        return f"ClinicalCurves({', '.join(self)})"

    @property
    def joints(self) -> tuple[str, ...]:
        """The names of the joints."""
        return tuple(name.removesuffix("_power") for name in self if name.endswith("_power"))

    def of_joint(self, joint: str) -> dict[str, str]:
        """Return the names of a joint's curves by kind: "angle", "moment", "power".

        Parameters
        ==========

        joint : str
            Name of the joint.
        """
        own = [name for name in self if name.startswith(f"{joint}_")]
        return {next((k for k in ("moment", "power") if n.endswith(k)), "angle"): n for n in own}

    def to_table(self) -> Table:
        """Return the curves as named columns over time.

        Raises
        ======

        ValueError
            If the times are not known, or the curves are those of several cycles.
        """
        if self.times is None or self.times.ndim != 1:
            raise ValueError(
                "`times` must be known for this, one per sample. Use evaluate(..., times=times), "
                "and a result that is not over cycles."
            )
        return Table(self.times, tuple(self), np.stack(list(self.values()), axis=-1))


def clinical_curves(result: Result, neutral: Mapping[str, float] | None = None) -> ClinicalCurves:
    """Return angles, moments and powers in the sagittal plane as gait laboratories show them.

    Angles are positive in flexion and dorsiflexion; moments are those of the
    muscles (internal), on the distal segment, positive where they extend or
    plantarflex; powers are positive where they are generated.

    Parameters
    ==========

    result : Result
        Of a `planar_leg`, a `planar_body`, of `segment_wrenches` in the plane, or of any
        model in the plane x y whose joints are called hip, knee, ankle, shoulder
        or elbow, perhaps with a side ("knee_left"), and whose coordinates are
        ``knee_angle`` and so on, positive about z.
    neutral : mapping of str to float, optional
        Angles in radians that count as zero, by joint: of an ankle, for instance, where
        the foot's line from ankle to toe is not along the sole.

    Returns
    =======

    ClinicalCurves
        For each joint its angle in degrees, its moment and its power, for instance
        ``knee_flexion``, ``knee_extension_moment``, ``knee_power``, with the shape
        of the batch, over cycles too.

    Raises
    ======

    TypeError
        If it is no Result.
    ValueError
        If it has no joint with such a name, or if ``neutral`` names another one.

    Examples
    ========

    >>> import numpy as np
    >>> import jointwrench as jw
    >>> leg = jw.planar_leg(1.75, 70.0)
    >>> idyn = jw.InverseDynamics(leg.system)
    >>> bent = np.array([0, 0, 0, -np.pi / 2, 0])  # the shank points backward
    >>> still = np.zeros(5)
    >>> result = idyn.compile(backend="numpy")(bent, still, still, constants=leg.constants_of(idyn))
    >>> curves = jw.clinical_curves(result)
    >>> round(float(curves["knee_flexion"])), round(float(curves["knee_extension"]))
    (90, -90)
    >>> bool(curves["knee_flexion_moment"] > 0)
    True
    """
    check_instance("result", result, Result, "a Result", "Use what an evaluation returns.")
    zeros = {} if neutral is None else dict(neutral)
    names = [joint.name for joint in result.joints if _stem(joint.name) in DIRECTIONS]
    if not names or (unknown := [name for name in zeros if name not in names]):
        argument = "result" if not names else "neutral"
        got = [joint.name for joint in result.joints] if not names else unknown
        expected = ", ".join(names or DIRECTIONS)
        raise ValueError(
            f"`{argument}` must have joints among {expected}, got {', '.join(map(str, got))}."
        )
    angles = _angles(result)
    curves: dict[str, np.ndarray] = {}
    for name in names:
        grows, falls = DIRECTIONS[_stem(name)]
        up, down, sign = (grows, falls, 1) if grows in POSITIVE else (falls, grows, -1)
        moment = result.joint_wrench(name, components="mz")
        if name in angles:
            angle = np.degrees(sign * (angles[name] - zeros.get(name, 0.0)))
            curves[f"{name}_{up}"] = np.broadcast_to(angle, moment.shape)
        curves[f"{name}_{down}_moment"] = -sign * moment
        curves[f"{name}_power"] = result.joint_power(name)
    return ClinicalCurves(curves, result.times)


def _angles(result: Result) -> dict[str, np.ndarray]:
    """Return the samples of the coordinates that are called as angles of joints, by joint."""
    samples = {} if result.inputs is None else result.inputs.samples
    named: dict[Any, np.ndarray] = {getattr(key, "name", ""): x for key, x in samples.items()}
    ends = "_angle"
    return {name.removesuffix(ends): x for name, x in named.items() if name.endswith(ends)}


def _stem(name: str) -> str:
    """Return the name of a joint without its side."""
    return name.removesuffix("_left").removesuffix("_right")


def _opposite(name: str) -> str:
    """Return the name of a curve in the opposite direction."""
    for pair in DIRECTIONS.values():
        for word, other in (pair, pair[::-1]):
            if f"_{word}" in name:
                return name.replace(f"_{word}", f"_{other}")
    return name
