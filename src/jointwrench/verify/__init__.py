"""Forward simulation as a check of inverse dynamics."""

from .comparison import crosscheck
from .residuals import CrosscheckReport

__all__ = ["CrosscheckReport", "crosscheck"]
