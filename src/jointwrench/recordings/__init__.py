"""What instruments and files say: markers, force plates, ground reactions."""

from ..checks import opened

__getattr__, __dir__, __all__ = opened(__name__, __file__)
