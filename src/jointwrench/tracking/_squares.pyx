# cython: language_level=3
"""The least-squares solver, compiled with the package."""

cdef extern from "squares.c":
    void fit()

#: The address of its function ``fit``, for calls through ctypes.
ADDRESS = <size_t> <void *> &fit
