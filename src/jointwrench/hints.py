"""Types in annotations of public functions, imported when `typing.get_type_hints` needs them."""

from .checks import lazy_namespace

__getattr__, __dir__ = lazy_namespace(__name__, __file__)
