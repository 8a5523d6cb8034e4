# cython: language_level=3, boundscheck=False, wraparound=False
"""The solver of linear programmes, compiled with the package."""

cdef extern from "simplex.c":
    void extremes(
        Py_ssize_t count, Py_ssize_t k, Py_ssize_t d, Py_ssize_t t, const double *rows,
        const double *tops, const double *sizes, const double *targets, double *ends,
        double *shares, double *workspace) nogil


def solve(const double[:, :, ::1] rows, const double[:, ::1] tops, const double[:, ::1] sizes,
          const double[:, :, ::1] targets, double[:, :, ::1] ends, double[:, ::1] shares,
          double[::1] workspace):
    """Write the ends and the shares of some samples; see ``extremes`` of simplex.c."""
    with nogil:
        extremes(rows.shape[0], rows.shape[1], rows.shape[2], targets.shape[1], &rows[0, 0, 0],
                 &tops[0, 0], &sizes[0, 0], &targets[0, 0, 0], &ends[0, 0, 0], &shares[0, 0],
                 &workspace[0])
