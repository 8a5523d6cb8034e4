"""Pictures of motions and wrenches, with matplotlib (extra ``plot``).

matplotlib is imported when something is drawn; where it is missing, each function
raises an ImportError that tells what to install.

Every function draws into the Axes that it is given, or into a new figure, and returns the Axes, so
titles, limits and further artists are added as with any other matplotlib picture.  Axes are
labelled in SI units; pass other ``units`` where the numbers are in other ones.
"""

from ..checks import opened

__getattr__, __dir__, __all__ = opened(__name__, __file__)
