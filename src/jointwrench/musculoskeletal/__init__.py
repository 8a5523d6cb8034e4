"""Models of OpenSim, muscles, the sharing of loads among them, scaling."""

from ..checks import opened

__getattr__, __dir__, __all__ = opened(__name__, __file__)
