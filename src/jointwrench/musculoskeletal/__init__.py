"""Models of OpenSim, muscles, static optimization, scaling."""

from ..checks import opened

__getattr__, __dir__, __all__ = opened(__name__, __file__)
