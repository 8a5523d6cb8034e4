"""What the applications, and yours, build on: beside the public names of the core."""

from .checks import lazy_namespace

__getattr__, __dir__ = lazy_namespace(__name__, __file__)
