"""C code for the sines and cosines of eight angles, from eight samples or from one sample.

In double precision it is plain arithmetic without branches, which every compiler can vectorise.  An
angle is reduced by multiples of pi/2, which are subtracted in three parts, and the rest goes into
two polynomials; both are those of fdlibm.  The error is below one or two units in the last place.
Larger, infinite and NaN arguments go to the C library.

Compilers that may reorder sums undo the rounding.  Gcc from version 12 and MSVC declare it, clang
can be prevented from version 13, and with others no sums are used for rounding.

References
==========

.. [1] S. L. Moshier, W. J. Cody and W. Waite, Software manual for the
   elementary functions, Prentice-Hall 1980, chapter 8.
.. [2] Sun Microsystems, fdlibm 5.3, k_sin.c, k_cos.c and e_rem_pio2.c, 1993.
"""

from .printers import Precision
from .templates import c_text


def sines(precision: Precision) -> str:
    """Return the C function of sines and cosines, which uses EXACT_ARITHMETIC and ALL_LANES."""
    return c_text("sines" if precision.real == "double" else "sines_float")
