"""The Cython module around the C function."""

#: What PyDy's generator fills in.
WRAPPER = '''\
# cython: language_level=3, boundscheck=False, wraparound=False

from cpython.buffer cimport PyBUF_SIMPLE, PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer
from libc.string cimport memset

cdef extern from *:
    """
    #define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
    #include <math.h>
    #include <numpy/arrayobject.h>

    /* Any more axes than this take the general way. */
    #define MOST_AXES 8

    /* An array of double precision in plain order, with rows of this width. */
    static int is_plain(PyObject *object, Py_ssize_t width)
    {{
        PyArrayObject *array = (PyArrayObject *) object;
        if (!PyArray_CheckExact(object))
            return 0;
        const int axes = PyArray_NDIM(array);
        return PyArray_TYPE(array) == NPY_DOUBLE && PyArray_ISCARRAY_RO(array) && axes >= 1
            && axes <= MOST_AXES && PyArray_DIM(array, axes - 1) == width;
    }}

    /* Whether all axes but the last one are equal. */
    static int same_batch(PyObject *one, PyObject *two)
    {{
        const int axes = PyArray_NDIM((PyArrayObject *) one);
        if (PyArray_NDIM((PyArrayObject *) two) != axes)
            return 0;
        for (int k = 0; k < axes - 1; k++)
            if (PyArray_DIM((PyArrayObject *) one, k) != PyArray_DIM((PyArrayObject *) two, k))
                return 0;
        return 1;
    }}

    static double *data_of(PyObject *object)
    {{
        return (double *) PyArray_DATA((PyArrayObject *) object);
    }}

    static Py_ssize_t samples_of(PyObject *object)
    {{
        PyArrayObject *array = (PyArrayObject *) object;
        Py_ssize_t samples = 1;
        for (int k = 0; k < PyArray_NDIM(array) - 1; k++)
            samples *= PyArray_DIM(array, k);
        return samples;
    }}

    /* A new array: the batch axes of another one, then those of this shape. */
    static PyObject *new_array(PyObject *batch, int axes, const Py_ssize_t *shape)
    {{
        npy_intp sizes[2*MOST_AXES];
        const int first = PyArray_NDIM((PyArrayObject *) batch) - 1;
        for (int k = 0; k < first; k++)
            sizes[k] = PyArray_DIM((PyArrayObject *) batch, k);
        for (int k = 0; k < axes; k++)
            sizes[first + k] = shape[k];
        return PyArray_SimpleNew(first + axes, sizes, NPY_DOUBLE);
    }}

    /* The numbers in a dict that has just these keys in this order. */
    static int read_numbers(PyObject *given, PyObject *keys, PyObject *places, double *numbers)
    {{
        const Py_ssize_t *place = (const Py_ssize_t *) PyBytes_AS_STRING(places);
        PyObject *key, *value;
        Py_ssize_t position = 0, k = 0;
        if (!PyDict_CheckExact(given) || PyDict_Size(given) != PyTuple_GET_SIZE(keys))
            return 0;
        while (PyDict_Next(given, &position, &key, &value)) {{
            if (key != PyTuple_GET_ITEM(keys, k) || !PyFloat_Check(value))
                return 0;
            const double number = PyFloat_AS_DOUBLE(value);
            if (!isfinite(number))
                return 0;
            numbers[place[k++]] = number;
        }}
        return 1;
    }}
    """
    int _import_array() except -1
    int MOST_AXES
    bint is_plain(object, Py_ssize_t)
    bint same_batch(object, object)
    double *data_of(object)
    Py_ssize_t samples_of(object)
    object new_array(object, int, const Py_ssize_t *)
    bint read_numbers(object, object, object, double *)

cdef extern from "{prefix}_c.h":
    int evaluate(
{input_args}
{output_args}
    ) nogil

_import_array()


def evaluate_batch(Py_ssize_t samples, tuple inputs, tuple strides, tuple outputs):
    # All arrays are contiguous and of double precision.
    cdef Py_buffer views[{views}]
    cdef Py_ssize_t steps[{inputs}]
    cdef int held = 0
    cdef int failed
    cdef int k
    if len(inputs) != {inputs} or len(strides) != {inputs} or len(outputs) != {outputs}:
        raise ValueError("wrong number of arrays")
    for k in range({inputs}):
        steps[k] = strides[k]
    try:
        for array in inputs:
            PyObject_GetBuffer(array, &views[held], PyBUF_SIMPLE)
            held += 1
        for array in outputs:
            PyObject_GetBuffer(array, &views[held], PyBUF_WRITABLE)
            held += 1
        with nogil:
            failed = evaluate(
{c_args}
            )
        if failed:
            raise MemoryError("no memory for the rows of a block")
    finally:
        for k in range(held):
            PyBuffer_Release(&views[k])


def evaluate_plain(object q, object u, object udot, object constants, tuple keys, bytes places,
                   Py_ssize_t most, tuple names):
    # The outputs as new arrays by name, and the constants' bytes; None if anything is out of the
    # ordinary.
    cdef double numbers[{constant_width}]
    cdef double nothing = 0
    cdef Py_ssize_t samples
    cdef int failed
    if not (is_plain(q, {width_0}) and is_plain(u, {width_1}) and is_plain(udot, {width_2})):
        return None
    if not (same_batch(q, u) and same_batch(q, udot)):
        return None
    samples = samples_of(q)
    if samples > most:
        return None
    memset(numbers, 0, sizeof(numbers))
    if constants is not None and not read_numbers(constants, keys, places, numbers):
        return None
    cdef const double *row_q = data_of(q)
    cdef const double *row_u = data_of(u)
    cdef const double *row_udot = data_of(udot)
{new_outputs}
    if samples <= 64:
        failed = evaluate(
{plain_args}
        )
    else:
        with nogil:
            failed = evaluate(
{plain_args}
            )
    if failed:
        raise MemoryError("no memory for the rows of a block")
    return {{{outputs_made}}}, None if constants is None else (<char *> numbers)[:sizeof(numbers)]
'''

#: Flags come from a file beside, since they depend on the machine.
SETUP = """\
import json

import numpy
from Cython.Build import cythonize
from setuptools import Extension, setup

with open("flags.json", encoding="utf-8") as file:
    flags = json.load(file)
extension = Extension(
    name="{prefix}",
    sources=["{prefix}.pyx", "{prefix}_c.c"],
    include_dirs=[numpy.get_include()],
    extra_compile_args=flags,
)
setup(name="{prefix}", ext_modules=cythonize([extension], quiet=True))
"""
