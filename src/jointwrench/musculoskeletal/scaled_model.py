"""`scaled`: a model scaled to a person by a standing trial."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import FittedMotion, inverse_kinematics
from ..checks.arguments import (
    check_instance,
    check_instances,
    check_known,
    check_mapping,
    check_name,
    check_name_list,
    check_options,
    check_sequence,
    keyword_only_names,
)
from ..checks.numbers import check_bools, check_positive, finite_array, shaped_array
from ..checks.pickles import Pickled
from ..recordings.marker_paths import Markers, mark_missing_at_origin
from ..records.laboratory import check_unit
from .osim_scaling import place_markers, scale_elements


@dataclass(frozen=True)
class Measurement(Pickled):
    """Distances between markers that determine the size of bodies.

    Parameters
    ==========

    pairs : sequence of (str, str)
        Names of markers; the scale factor is the mean ratio of measured to model distances.
    bodies : str or sequence of str
        The bodies that are scaled.
    axes : str
        The axes of the bodies' frames along which the bodies are scaled.

    Raises
    ======

    ValueError
        If there is no pair or no body, or another axis than x, y and z.

    See Also
    ========

    scaled : Uses measurements.

    Examples
    ========

    >>> import jointwrench as jw
    >>> jw.musculoskeletal.Measurement([("R.ASIS", "L.ASIS")], "pelvis", "z")
    Measurement(pairs=(('R.ASIS', 'L.ASIS'),), bodies=('pelvis',), axes='z')
    """

    pairs: Sequence[tuple[str, str]]
    bodies: Sequence[str] | str
    axes: str = "xyz"

    def __post_init__(self) -> None:
        items = check_sequence("pairs", self.pairs, "pairs of names of markers")
        pairs = tuple(check_name_list("pairs", pair) for pair in items)
        single = isinstance(self.bodies, str)
        bodies = check_name_list("bodies", [self.bodies] if single else self.bodies)
        for name in (*bodies, self.axes):
            check_name("axes" if name is self.axes else "bodies", name)
        if not pairs or any(len(pair) != 2 for pair in pairs):
            raise ValueError(f"`pairs` must be pairs of names of markers, got {self.pairs!r}.")
        if not bodies:
            raise ValueError("`bodies` must have one name at least, got none.")
        if not set(self.axes) <= set("xyz"):
            raise ValueError(f"`axes` must be some of x, y, z, got {self.axes!r}.")
        object.__setattr__(self, "pairs", pairs)
        object.__setattr__(self, "bodies", bodies)


def scaled(
    model: Any,
    static: Any = None,
    measurements: Iterable[Measurement] = (),
    *,
    factors: Mapping[str, Any] | None = None,
    mass: float | None = None,
    keep_mass_distribution: bool = False,
    move_markers: bool = True,
    **options: Any,
) -> Any:
    """Return a model scaled to a person by a standing trial.

    As in OpenSim's ScaleTool, bodies are scaled by the ratios of measured to model distances
    between markers, or by stated factors.  Then the markers of the model are moved to their
    measured positions on the bodies.

    Parameters
    ==========

    model : OsimModel
        A model of `read_osim`.
    static : Markers or mapping of str to array_like of shape (N, 3), optional
        The standing trial, in the model's unit of length; it is averaged over its instants.
    measurements : iterable of Measurement, optional
        Distances that determine the sizes of bodies.  Other bodies keep their size.
    factors : mapping of str to number or three numbers, optional
        Scale factors of bodies along the axes of their frames, instead of measurements.
    mass : float, optional
        The total mass of all bodies.  Default: the scaled mass.
    keep_mass_distribution : bool
        Whether each body keeps its share of the mass.  Default: masses grow with volumes.
    move_markers : bool
        Whether markers move to their measured positions, except markers that are fixed in the file.
    **options : Any
        Options of `inverse_kinematics` for the standing pose: ``weights``, ``targets``, ``bounds``.

    Raises
    ======

    TypeError, ValueError
        If the model cannot be scaled, an argument has the wrong type, markers or bodies are
        unknown, a factor is not positive, or as for `inverse_kinematics`.

    Warns
    =====

    UserWarning
        If ``mass`` is more than three times the mass of the scaled OpenSim model.

    See Also
    ========

    Measurement : Distances between markers.
    inverse_kinematics : Finds coordinates of the scaled model.

    Notes
    =====

    Positions of joints, mass centres and markers, and translations of joints by functions, are
    scaled along the axes of their body's frame.  Masses grow with volumes, unless
    ``keep_mass_distribution`` is True; then one factor for all masses makes their sum ``mass``.  If
    the factors of a body differ, its moments of inertia are those of a scaled cylinder (OpenSim's
    rule), else they are exact.  Muscle paths and surfaces are scaled with their bodies; optimal
    fibre lengths and tendon slack lengths are multiplied by the ratio of the paths' lengths.
    Distances and lengths are measured in the pose of the model's file.

    Examples
    ========

    >>> import jointwrench as jw
    >>> model = jw.musculoskeletal.read_osim(jw.example_data("swing_leg.osim"))
    >>> own = jw.musculoskeletal.scaled(model, factors={"femur_r": [1.0, 1.1, 1.0]})
    >>> [round(float(each.bodies["femur_r"].mass), 3) for each in (model, own)]
    [9.301, 10.232]
    """
    check_bools(keep_mass_distribution=keep_mass_distribution, move_markers=move_markers)
    expected = "a sequence of Measurement"
    more = keyword_only_names(inverse_kinematics) | {"points", "weights", "bounds", "constants"}
    check_options(scaled, options, more - {"times"})
    known = check_instances("measurements", measurements, Measurement, expected)
    measured = _mean_positions(static)
    total = None if mass is None else check_positive("mass", mass)
    if getattr(model, "resizing", None) is None:
        raise TypeError(
            f"`model` must be a model of read_osim, got {type(model).__name__}. Persons are made "
            "in their size: planar_leg(..., lengths=)."
        )
    ratios = _measured_factors(model, measured, known) | _check_factors(model, factors)
    elements = scale_elements(model.resizing.elements, ratios, total, keep_mass_distribution)
    larger = model.resizing.make(elements)
    if not measured or not move_markers:
        return larger
    fitted = inverse_kinematics(larger, measured, times=[0.0], **options)
    return model.resizing.make(place_markers(elements, _body_positions(larger, measured, fitted)))


def _mean_positions(static: Any) -> dict[str, np.ndarray]:
    """Return the mean positions (1, 3) of markers in the standing trial, by name."""
    expected = "a mapping of names to places"
    markers = check_instance("static", {} if static is None else static, Mapping, expected)
    if isinstance(markers, Markers):
        markers = mark_missing_at_origin(markers, "`static`")
    found = {}
    for name, value in markers.items():
        places = shaped_array(f"static[{name}]", value, "N", 3)
        places = places[np.isfinite(places).all(axis=1)]
        if len(places):
            found[name] = places.mean(axis=0)[None]
    return found


def _distances(argument: str, places: Mapping[str, np.ndarray], item: Measurement) -> np.ndarray:
    """Return the distances of a measurement's pairs of markers, shape (pairs,)."""
    for pair in item.pairs:
        check_known("measurements", pair, places, f"be between markers of `{argument}`,")
    ends = np.array([[places[name].reshape(3) for name in pair] for pair in item.pairs])
    return np.linalg.norm(np.diff(ends, axis=1)[:, 0], axis=-1)


def _measured_factors(
    model: Any, measured: Mapping[str, np.ndarray], measurements: Sequence[Measurement]
) -> dict[str, np.ndarray]:
    """Return the scale factors (3,) of bodies by the measurements in the standing trial."""
    if not measurements:
        return {}
    own, _ = _evaluate_pose(model, model.reference, model.markers, {})  # in the pose of the file
    found: dict[str, np.ndarray] = {}
    for item in measurements:
        ratio = np.mean(_distances("static", measured, item) / _distances("model", own, item))
        check_unit("static", float(ratio))
        for body in item.bodies:
            check_known("measurements", [body], model.bodies, "be of the bodies")
            factors = found.setdefault(body, np.ones(3))
            factors[["xyz".index(axis) for axis in item.axes]] = ratio
    return found


def _check_factors(model: Any, factors: Any) -> dict[str, np.ndarray]:
    """Return the user's scale factors (3,) of bodies."""
    found = {}
    for body, value in check_mapping("factors", factors).items():
        check_known("factors", [body], model.bodies, "be of the bodies")
        what = "be one or three positive numbers"
        array = finite_array(f"factors[{body}]", value, (), (3,), what=what)
        if not (array > 0).all():
            raise ValueError(f"`factors[{body}]` must {what}, got {value!r}.")
        found[body] = np.broadcast_to(array, 3)
    return found


def _body_positions(
    model: Any, measured: Mapping[str, np.ndarray], fitted: FittedMotion
) -> dict[str, np.ndarray]:
    """Return the measured positions of markers in their bodies' frames, without fixed markers."""
    markers = model.resizing.elements.markers.items()
    moved = {n: x.frame.body for n, x in markers if n in measured and not x.is_fixed}
    used = {name: model.origins[name] for name in set(moved.values())}
    frames = {name: model.bodies[name].frame for name in used if name in model.bodies}
    origins, turns = _evaluate_pose(model, fitted.q[0], used, frames)
    return {n: (measured[n][0] - origins[b]) @ turns.get(b, np.eye(3)) for n, b in moved.items()}


def _evaluate_pose(
    model: Any, q: Any, points: Mapping[str, Any], frames: Mapping[str, Any]
) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Return positions of points and orientations of frames in a pose in ground, by name."""
    still = np.zeros(len(model.speeds))
    kinematics = model.kinematics(points=points, frames=frames)
    outputs = ("positions", "orientations")[: 2 if frames else 1]
    result = kinematics.compile(outputs, backend="numpy")(q, still, still, model.constants)
    found = [getattr(result, name) for name in outputs]
    pairs = zip((kinematics.points, kinematics.frames), [*found, ()], strict=False)
    places, turns = (dict(zip(*pair, strict=True)) for pair in pairs)
    return places, turns
