# cython: language_level=3
"""The solver of least squares, compiled with the package."""

cdef extern from "squares.c":
    void fit()

#: Where its function ``fit`` is, to be called through ctypes.
ADDRESS = <size_t> <void *> &fit
