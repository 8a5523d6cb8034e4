# cython: language_level=3
"""The solver of linear programmes, compiled with the package."""

cdef extern from "simplex.c":
    void extremes()

#: Where its function ``extremes`` is, to be called through ctypes.
ADDRESS = <size_t> <void *> &extremes
