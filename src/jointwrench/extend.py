"""What the applications, and yours, build on: beside the public names of the core."""

from .checks import opened

__getattr__, __dir__ = opened(__name__, __file__)
