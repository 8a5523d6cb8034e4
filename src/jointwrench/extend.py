"""Names for extensions: the parts of the core on which applications, and yours, build."""

from .checks import lazy_namespace

__getattr__, __dir__ = lazy_namespace(__name__, __file__)
