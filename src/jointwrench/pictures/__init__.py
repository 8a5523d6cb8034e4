"""Pictures of motions and wrenches, with matplotlib (extra ``plot``).

matplotlib is imported on first use; if it is missing, each function raises an ImportError that
tells what to install.

Every function draws into the given Axes, or into a new figure, and returns the Axes, to which you
can add titles, limits and further artists.  Axes are labelled in SI units; pass other ``units`` if
the numbers have other units.
"""

from ..checks import opened

__getattr__, __dir__, __all__ = opened(__name__, __file__)
