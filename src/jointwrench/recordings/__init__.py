"""Measured data: markers, force plates, ground reactions, and their files."""

from ..checks import opened

__getattr__, __dir__, __all__ = opened(__name__, __file__)
