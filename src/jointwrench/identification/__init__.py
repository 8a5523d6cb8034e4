"""Inertial parameters and friction of machines from measured motions and forces."""

from ..checks import opened

__getattr__, __dir__, __all__ = opened(__name__, __file__)
