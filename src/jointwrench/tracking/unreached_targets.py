"""Remaining degrees of freedom at poses, and reasons why targets are not reached."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ..checks.arguments import enumerate_some
from ..checks.tolerances import CLOSED, DEPENDENT, TIED
from ..records.angle_wrapping import wrap_to_nearest
from .levenberg_marquardt import Targets
from .pose_search import PoseSearch


def count_remaining_freedoms(search: PoseSearch, targets: Targets, q: np.ndarray) -> np.ndarray:
    """Return the number of degrees of freedom at coordinates q (M, n) with targets fixed, (M,)."""
    jacobian = search.tracked.values(q)[1]
    is_fixed = ~search.free | (q <= search.lower) | (q >= search.upper)
    jacobian[:, : search.tracked.position_size] *= np.sqrt(np.abs(targets.weights))[..., None]
    sizes = np.linalg.svd(np.where(is_fixed[:, None], 0.0, jacobian), compute_uv=False)
    largest = sizes.max(axis=-1, keepdims=True, initial=DEPENDENT)
    return np.asarray((~is_fixed).sum(axis=1) - (sizes > DEPENDENT * largest).sum(axis=-1))


def explain_unreached(
    search: PoseSearch, targets: Targets, q: np.ndarray, restarts: int, follows: bool
) -> Iterator[str]:
    """Yield the reason why each of the nearest poses q (M, n) does not reach its targets."""
    # A search without bounds distinguishes targets that only bounds exclude from those that no pose
    # reaches; a search from other initial guesses finds paths that pass through unreachable poses.
    lower, upper = search.lower, search.upper
    open_ = np.full_like(lower, np.inf)
    unbounded = replace(search, lower=-open_, upper=open_)
    free = search.find(targets._replace(previous=q), restarts, unbounded)
    elsewhere = search.find(targets, restarts).reached & follows
    tracked = search.tracked
    coordinates, phrases = tracked.coordinates, [f"{x} {{:.3g}} away" for x in tracked.points]
    phrases += [f"{x} rotated by {{:.3g}}" for x in tracked.frames]
    residual_norms = [*zip(phrases, search.residual_norms(targets, q), strict=True)]
    gaps = np.abs(tracked.values(q)[0][:, tracked.position_size :]).max(axis=1, initial=0.0)
    must = targets.weights.min(axis=1, initial=0.0) < 0
    around = coordinates.is_angle & np.isfinite(lower) & np.isfinite(upper)
    middle = (np.where(around, lower, 0.0) + np.where(around, upper, 0.0)) / 2
    turned = np.where(around, wrap_to_nearest(free.q, middle), free.q)
    for k, own in enumerate(turned):
        beyond = np.flatnonzero((own < lower) | (own > upper)).tolist()
        farthest = max(x[k] for _, x in residual_norms)
        texts = (text.format(x[k]) for text, x in residual_norms if x[k] >= min(TIED, farthest))
        if gaps[k] > CLOSED:
            yield f"loops: they stay open by {gaps[k]:.3g} at the nearest pose found"
        elif not must[k]:
            yield f"only approached: {enumerate_some(texts)}"
        elif elsewhere[k] or (free.reached[k] and not beyond):
            origin = "previous pose" if follows else "start"
            yield f"no path from the {origin}, but other poses reach it"
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
