"""Gait analysis: segments, joint centres, limbs, clinical curves, reports, and their pictures."""

from ..checks import opened

__getattr__, __dir__, __all__ = opened(__name__, __file__)
