# cython: language_level=3, binding=False, boundscheck=False, wraparound=False
"""Calls compiled functions; arguments in plain form go straight to the C code."""

cimport numpy as np
from cpython.dict cimport PyDict_Next
from cpython.object cimport PyObject
from libc.stdint cimport intptr_t

np.import_array()

cdef extern from *:
    """
    #include <math.h>

    /* Reads one real number; 0 if it is none, or no plain one. */
    static int read_number(PyObject *value, double *number)
    {
        if (PyFloat_Check(value)) {
            *number = PyFloat_AS_DOUBLE(value);
            return 1;
        }
        if (PyArray_CheckExact(value)) {
            PyArrayObject *array = (PyArrayObject *) value;
            if (PyArray_NDIM(array) || PyArray_TYPE(array) != NPY_DOUBLE
                || !PyArray_ISBEHAVED_RO(array))
                return 0;
            *number = *(const double *) PyArray_DATA(array);
            return 1;
        }
        if (!PyLong_CheckExact(value) && !PyArray_IsScalar(value, Floating)
            && !PyArray_IsScalar(value, Integer))
            return 0;
        *number = PyFloat_AsDouble(value);
        if (*number == -1.0 && PyErr_Occurred()) {
            PyErr_Clear();
            return 0;
        }
        return 1;
    }

    /* Whether a key is the one that was resolved. */
    static int is_key(PyObject *key, PyObject *known)
    {
        if (key == known)
            return 1;
        return PyUnicode_CheckExact(key) && PyUnicode_CheckExact(known)
            && PyUnicode_Compare(key, known) == 0;
    }

    /* Reads the numbers of a dict with known keys into their places; 0 if it has anything else. */
    static int read_numbers(PyObject *given, PyObject *keys, const Py_ssize_t *places,
                            int is_finite, double *row)
    {
        PyObject *key, *value;
        Py_ssize_t position = 0, count = 0;
        if (PyDict_GET_SIZE(given) != PyTuple_GET_SIZE(keys))
            return 0;
        while (PyDict_Next(given, &position, &key, &value)) {
            double number;
            if (!is_key(key, PyTuple_GET_ITEM(keys, count)))
                return 0;
            if (PyFloat_CheckExact(value))
                number = PyFloat_AS_DOUBLE(value);
            else if (!read_number(value, &number))
                return 0;
            if (is_finite && !isfinite(number))
                return 0;
            row[places[count++]] = number;
        }
        return 1;
    }
    """
    bint read_number(PyObject *value, double *number)
    bint is_key(PyObject *key, PyObject *known)
    bint read_numbers(object given, object keys, const Py_ssize_t *places, bint is_finite,
                      double *row)

ctypedef int (*evaluate_arrays)(
    Py_ssize_t, const double *const *, const Py_ssize_t *, double *const *
) noexcept nogil

# What has more of them is called by ctypes.
cdef enum:
    MOST_GROUPS = 16
    MOST_OUTPUTS = 64
    MOST_AXES = 8

# The forms of arguments, in the order of `arguments.Form`.
cdef enum:
    ROWS
    NUMBERS
    COLUMNS
    INSTANTS


cdef struct Batch:
    int axes
    np.npy_intp sizes[MOST_AXES]
    Py_ssize_t samples


cdef class Function:
    """A compiled function with what it takes and returns; see `function.py`."""

    cdef evaluate_arrays function
    cdef int groups
    cdef int outputs
    cdef int forms[MOST_GROUPS]
    cdef Py_ssize_t widths[MOST_GROUPS]
    cdef bint needed[MOST_GROUPS]
    cdef tuple names
    cdef int axes[MOST_OUTPUTS]
    cdef np.npy_intp shapes[MOST_OUTPUTS][MOST_AXES]
    cdef Py_ssize_t most_copied

    def __init__(self, intptr_t address, tuple forms, tuple widths, tuple needed, tuple names,
                 tuple shapes, Py_ssize_t most_copied):
        cdef int k, j
        if (len(widths) > MOST_GROUPS or len(names) > MOST_OUTPUTS
                or max(map(len, shapes), default=0) > MOST_AXES):
            raise OverflowError("too many groups, outputs or axes")
        self.function = <evaluate_arrays> address
        self.groups = len(widths)
        self.outputs = len(names)
        self.names = names
        self.most_copied = most_copied
        for k in range(self.groups):
            self.forms[k] = forms[k]
            self.widths[k] = widths[k]
            self.needed[k] = needed[k]
        for k in range(self.outputs):
            self.axes[k] = len(shapes[k])
            for j in range(self.axes[k]):
                self.shapes[k][j] = shapes[k][j]

    def run(self, Py_ssize_t samples, tuple inputs, tuple strides, tuple outputs):
        cdef const double *sources[MOST_GROUPS]
        cdef Py_ssize_t steps[MOST_GROUPS]
        cdef double *targets[MOST_OUTPUTS]
        cdef int k
        if len(inputs) != self.groups or len(strides) != self.groups or len(outputs) != self.outputs:
            raise ValueError("wrong number of arrays")
        for k in range(self.groups):
            sources[k] = <const double *> np.PyArray_DATA(<np.ndarray?> inputs[k])
            steps[k] = strides[k]
        for k in range(self.outputs):
            targets[k] = <double *> np.PyArray_DATA(<np.ndarray?> outputs[k])
        self.call(samples, sources, steps, targets)

    cdef int call(self, Py_ssize_t samples, const double **sources, const Py_ssize_t *steps,
                  double **targets) except -1:
        cdef int failed
        if samples <= 64:
            failed = self.function(samples, sources, steps, targets)
        else:
            with nogil:
                failed = self.function(samples, sources, steps, targets)
        if failed:
            raise MemoryError("no memory for the rows of a block")
        return 0

    def plain(self, tuple given, tuple keys, object out, Py_ssize_t most):
        cdef const double *sources[MOST_GROUPS]
        cdef Py_ssize_t steps[MOST_GROUPS]
        cdef double *targets[MOST_OUTPUTS]
        cdef bint varies[MOST_GROUPS]
        cdef Batch batch
        cdef int k
        cdef np.ndarray array
        if not (out is None or type(out) is dict):
            return None
        batch.axes = 0
        for k in range(self.groups):
            varies[k] = False
            if not self.look_at(k, given[k], keys[k], &varies[k], &batch):
                return None
        batch.samples = 1
        for k in range(batch.axes):
            batch.samples *= batch.sizes[k]
        if batch.samples > most:
            return None
        cdef object kept = given
        for k in range(self.groups):
            array = self.take(k, given[k], keys[k], varies[k], out is not None, &batch)
            if array is None:
                if given[k] is not None:
                    return None
                sources[k] = NULL
                steps[k] = 0
            else:
                sources[k] = <const double *> np.PyArray_DATA(array)
                steps[k] = self.widths[k] if varies[k] else 0
                if array is not given[k]:
                    if kept is given:
                        kept = list(given)
                    (<list> kept)[k] = array
        cdef dict outputs = {}
        for k in range(self.outputs):
            name = self.names[k]
            array = None
            if out is not None and name in <dict> out:
                found = (<dict> out)[name]
                if not np.PyArray_CheckExact(found):
                    return None
                array = found
            if array is None:
                array = new_array(self.axes[k], self.shapes[k], &batch)
            elif not can_take(array, self.axes[k], self.shapes[k], &batch) or overlaps(
                array, kept, outputs
            ):
                return None
            targets[k] = <double *> np.PyArray_DATA(array)
            outputs[name] = array
        if out is not None and not outputs.keys() >= (<dict> out).keys():
            return None
        self.call(batch.samples, sources, steps, targets)
        return outputs, kept

    cdef bint look_at(self, int k, object value, object keys, bint *varies, Batch *batch):
        """Whether an argument may be plain; finds the batch axes."""
        cdef PyObject *key
        cdef PyObject *item
        cdef Py_ssize_t position = 0
        if value is None:
            return not self.needed[k]
        if self.forms[k] == ROWS:
            return np.PyArray_CheckExact(value) and see_axes(value, 1, varies, batch)
        if self.forms[k] == INSTANTS:
            if np.PyArray_CheckExact(value):
                return see_axes(value, 0, varies, batch)
            return True
        if keys is None or type(value) is not dict:
            return False
        if self.forms[k] == COLUMNS:
            while PyDict_Next(value, &position, &key, &item):
                if np.PyArray_CheckExact(<object> item):
                    if not see_axes(<object> item, 0, varies, batch):
                        return False
        return True

    cdef np.ndarray take(
        self, int k, object value, object keys, bint varies, bint strict, Batch *batch
    ):
        """The numbers of an argument, as the C code takes them; None if it is not plain."""
        cdef np.npy_intp sizes[MOST_AXES + 1]
        cdef np.ndarray array
        cdef double number
        if value is None:
            return None
        if self.forms[k] == ROWS:
            array = value
            if np.PyArray_DIM(array, np.PyArray_NDIM(array) - 1) != self.widths[k]:
                return None
            return array if fits(array, 1, batch) else None
        if self.forms[k] == INSTANTS:
            if varies:
                return value if fits(value, 0, batch) else None
            if not read_number(<PyObject *> value, &number):
                return None
            array = np.PyArray_SimpleNew(0, sizes, np.NPY_DOUBLE)
            (<double *> np.PyArray_DATA(array))[0] = number
            return array
        if varies and (strict or batch.samples > self.most_copied):
            return None
        cdef int axes = batch.axes if varies else 0
        cdef int j
        for j in range(axes):
            sizes[j] = batch.sizes[j]
        sizes[axes] = self.widths[k]
        array = np.PyArray_ZEROS(axes + 1, sizes, np.NPY_DOUBLE, 0)
        cdef object known = (<tuple> keys)[0]
        cdef const Py_ssize_t *places = <const Py_ssize_t *> <char *> <bytes> (<tuple> keys)[1]
        cdef double *row = <double *> np.PyArray_DATA(array)
        if varies:
            return array if self.read_columns(k, value, known, places, row, batch) else None
        return array if read_numbers(
            value, known, places, self.forms[k] == NUMBERS, row
        ) else None

    cdef bint read_columns(
        self, int k, dict given, tuple keys, const Py_ssize_t *place, double *rows, Batch *batch
    ):
        """Write the numbers and columns of a dict into rows; False if there is anything else."""
        cdef PyObject *key
        cdef PyObject *item
        cdef Py_ssize_t position = 0, count = 0, i, step, width = self.widths[k]
        cdef const double *column
        cdef double number
        if len(given) != len(keys):
            return False
        while PyDict_Next(given, &position, &key, &item):
            if not is_key(key, <PyObject *> keys[count]):
                return False
            step = 0
            column = &number
            if not read_number(item, &number):
                if not np.PyArray_CheckExact(<object> item) or not fits(<object> item, 0, batch):
                    return False
                step = np.PyArray_NDIM(<np.ndarray> <object> item) != 0
                column = <const double *> np.PyArray_DATA(<np.ndarray> <object> item)
            for i in range(batch.samples):
                rows[i*width + place[count]] = column[i*step]
            count += 1
        return True


cdef bint see_axes(np.ndarray array, int own, bint *varies, Batch *batch) noexcept:
    """Take the batch axes of an array, if it has any; ``own`` are its last axes."""
    cdef int axes = np.PyArray_NDIM(array) - own, k
    if axes < 0 or axes > MOST_AXES:
        return False
    if axes == 0:
        return True
    varies[0] = True
    if axes > batch.axes:
        batch.axes = axes
        for k in range(axes):
            batch.sizes[k] = np.PyArray_DIM(array, k)
    return True


cdef bint fits(np.ndarray array, int own, Batch *batch) noexcept:
    """Whether an array is plain and has the batch axes, or none."""
    cdef int axes = np.PyArray_NDIM(array) - own, k
    if np.PyArray_TYPE(array) != np.NPY_DOUBLE or not np.PyArray_ISCARRAY_RO(array):
        return False
    if axes == 0:
        return True
    if axes != batch.axes:
        return False
    for k in range(axes):
        if np.PyArray_DIM(array, k) != batch.sizes[k]:
            return False
    return True


cdef bint can_take(np.ndarray array, int axes, np.npy_intp *shape, Batch *batch) noexcept:
    """Whether an output can be written into an array that was given."""
    cdef int k
    if np.PyArray_TYPE(array) != np.NPY_DOUBLE or not np.PyArray_ISCARRAY(array):
        return False
    if np.PyArray_NDIM(array) != batch.axes + axes:
        return False
    for k in range(batch.axes):
        if np.PyArray_DIM(array, k) != batch.sizes[k]:
            return False
    for k in range(axes):
        if np.PyArray_DIM(array, batch.axes + k) != shape[k]:
            return False
    return True


cdef bint overlaps(np.ndarray array, object inputs, dict outputs):
    """Whether a contiguous array shares memory with any of the others."""
    cdef char *first = <char *> np.PyArray_DATA(array)
    cdef char *last = first + np.PyArray_NBYTES(array)
    cdef char *other
    for item in (*inputs, *outputs.values()):
        if item is not None:
            other = <char *> np.PyArray_DATA(<np.ndarray> item)
            if other < last and first < other + np.PyArray_NBYTES(<np.ndarray> item):
                return True
    return False


cdef np.ndarray new_array(int axes, np.npy_intp *shape, Batch *batch):
    """A new array: the batch axes, then those of an output."""
    cdef np.npy_intp sizes[2*MOST_AXES]
    cdef int k
    for k in range(batch.axes):
        sizes[k] = batch.sizes[k]
    for k in range(axes):
        sizes[batch.axes + k] = shape[k]
    return np.PyArray_SimpleNew(batch.axes + axes, sizes, np.NPY_DOUBLE)
