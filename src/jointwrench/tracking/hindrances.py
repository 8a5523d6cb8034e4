"""Remaining degrees of freedom at poses, and why targets are not reached."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ..checks.arguments import enumerate_some
from ..checks.tolerances import CLOSED, DEPENDENT, EQUAL
from ..records.angle_wrapping import wrap_to_nearest
from .levenberg_marquardt import Wanted
from .pose_search import PoseSearch


def freedoms_left(search: PoseSearch, wanted: Wanted, q: np.ndarray) -> np.ndarray:
    """Return the remaining degrees of freedom at samples (M, n) with all targets held."""
    slopes = search.tracked.values(q)[1]
    rests = ~search.free | (q <= search.lower) | (q >= search.upper)
    slopes[:, : search.tracked.numbers] *= np.sqrt(np.abs(wanted.weights))[..., None]
    sizes = np.linalg.svd(np.where(rests[:, None], 0.0, slopes), compute_uv=False)
    largest = sizes.max(axis=-1, keepdims=True, initial=DEPENDENT)
    return np.asarray((~rests).sum(axis=1) - (sizes > DEPENDENT * largest).sum(axis=-1))


def hindrances_of(
    search: PoseSearch, wanted: Wanted, q: np.ndarray, restarts: int, follows: bool
) -> Iterator[str]:
    """Yield why samples (M, n), the nearest that were found, do not reach their targets."""
    lower, upper = search.lower, search.upper
    open_ = np.full_like(lower, np.inf)
    unbounded = replace(search, lower=-open_, upper=open_)
    free = search.found(wanted, restarts, unbounded)
    elsewhere = search.found(wanted, restarts).reached & follows
    tracked = search.tracked
    coordinates, words = tracked.coordinates, [f"{x} {{:.3g}} away" for x in tracked.points]
    words += [f"{x} turned by {{:.3g}}" for x in tracked.frames]
    misses = [*zip(words, search.misses(wanted, q), strict=True)]
    gaps = np.abs(tracked.constraints(q)[0]).max(axis=1, initial=0.0)
    must = wanted.weights.min(axis=1, initial=0.0) < 0
    around = coordinates.turns & np.isfinite(lower) & np.isfinite(upper)
    middle = (np.where(around, lower, 0.0) + np.where(around, upper, 0.0)) / 2
    turned = np.where(around, wrap_to_nearest(free.q, middle), free.q)
    for k, own in enumerate(turned):
        beyond = np.flatnonzero((own < lower) | (own > upper)).tolist()
        farthest = max(x[k] for _, x in misses)
        texts = (text.format(x[k]) for text, x in misses if x[k] >= min(EQUAL, farthest))
        if gaps[k] > CLOSED:
            yield f"loops: they stay open by {gaps[k]:.3g}, the nearest that was found"
        elif not must[k]:
            yield f"only approached: {enumerate_some(texts)}"
        elif elsewhere[k] or (free.reached[k] and not beyond):
            before = "pose before" if follows else "start"
            yield f"no way from the {before}, but other poses reach it"
        elif free.reached[k]:
            ends = np.clip(own, lower, upper)
            bounds = (
                f"{coordinates.names[i]} at {own[i]:.4g}, {abs(own[i] - ends[i]):.3g} beyond "
                f"{ends[i]:.4g}"
                for i in beyond
            )
            yield f"bounds: it would be reached with {enumerate_some(bounds)}"
        else:
            yield f"out of reach: {enumerate_some(texts)}"
