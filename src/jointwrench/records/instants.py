"""Samples that know their instants, so that they are not taken for those of other ones."""

import numpy as np

from ..checks.tolerances import WRITTEN


class Samples(np.ndarray):
    """An array with one row per instant; what is cut or computed from it is without instants."""

    times: np.ndarray | None = None

    def __new__(cls, values: np.ndarray, times: np.ndarray) -> "Samples":
        samples = np.asarray(values).view(cls)
        samples.times = times
        return samples


def check_instants(argument: str, known: np.ndarray | None, times: np.ndarray | None) -> None:
    """Refuse samples of a force plate at other instants than the motion's, as far as known."""
    if known is None or times is None:
        return
    where = ""
    if times.shape[-1:] in ((), known.shape):
        ours, theirs = np.broadcast_arrays(known, times)
        wrong = np.argwhere(~(np.abs(ours - theirs) <= _room(known)))
        if not wrong.size:
            return
        first = tuple(wrong[0])
        where = f", {ours[first]:g} instead of {theirs[first]:g} in row {first[-1]}"
    raise ValueError(
        f"`{argument}` must have the instants of the motion, {_span(times)}, got {_span(known)}"
        f"{where}. Use plate.at(motion.times)."
    )


def _room(times: np.ndarray) -> float:
    """Return what is rounding in instants."""
    return float(WRITTEN * (np.median(np.diff(times)) if len(times) > 1 else np.abs(times).max()))


def _span(times: np.ndarray) -> str:
    return f"{times.size} from {times.min():g} to {times.max():g}"
