# cython: language_level=3, binding=False, boundscheck=False, wraparound=False
"""Calls of compiled functions: plain arguments go to the C code, all others and errors to Python."""

cimport cython
cimport numpy as np
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from cpython.dict cimport PyDict_GetItem, PyDict_Next
from cpython.object cimport PyObject
from cpython.ref cimport Py_INCREF
from cpython.tuple cimport PyTuple_New, PyTuple_SET_ITEM
from libc.stdint cimport intptr_t
from libc.string cimport memcpy, memset

np.import_array()

cdef extern from "Python.h":
    PyObject *PyList_GET_ITEM(object items, Py_ssize_t place)
    ctypedef PyObject *(*ternaryfunc)(object, object, PyObject *) except NULL
    ctypedef struct PyTypeObject:
        ternaryfunc tp_call
    object PyType_GenericAlloc(type kind, Py_ssize_t items)

cdef extern from "memory.h":
    enum: LARGE
    size_t most_kept_bytes
    size_t kept_bytes
    void *take_memory(size_t size) nogil
    void keep_memory(void *data, size_t size) nogil
    void make_room(size_t size) nogil
    void choose_most_kept() nogil

choose_most_kept()

cdef extern from *:
    """
    #include <math.h>
    #include <structmember.h>

    /* Whether an object is a float or a numpy.float64, which has the layout of a float. */
    static inline int is_float(PyObject *value)
    {
        return PyFloat_CheckExact(value) || Py_TYPE(value) == &PyDoubleArrType_Type;
    }

    /* Reads a real number that is no float; returns 0 if the object is no plain number. */
    static int read_other(PyObject *value, double *number)
    {
        if (PyLong_CheckExact(value)) {
            *number = PyLong_AsDouble(value);
            if (*number == -1.0 && PyErr_Occurred()) {
                PyErr_Clear();
                return 0;
            }
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
        if (!PyFloat_Check(value) && (PyType_HasFeature(Py_TYPE(value), Py_TPFLAGS_HEAPTYPE)
            || !(PyArray_IsScalar(value, Floating) || PyArray_IsScalar(value, Integer))))
            return 0; /* classes defined in Python could run code, except subclasses of float */
        *number = PyFloat_AsDouble(value);
        if (*number == -1.0 && PyErr_Occurred()) {
            PyErr_Clear();
            return 0;
        }
        return 1;
    }

    /* Reads a real number; returns 0 if the object is no plain number. */
    static inline int read_number(PyObject *value, double *number)
    {
        if (!is_float(value))
            return read_other(value, number);
        *number = PyFloat_AS_DOUBLE(value);
        return 1;
    }

    /* Reads count real numbers from a list, a tuple or an array; returns 0 if there are more or fewer. */
    static int read_row(PyObject *value, Py_ssize_t count, const Py_ssize_t *places, double *row)
    {
        if (PyArray_CheckExact(value)) {
            PyArrayObject *array = (PyArrayObject *) value;
            const int type = PyArray_TYPE(array);
            if (PyArray_NDIM(array) != 1 || PyArray_DIM(array, 0) != count
                || !PyArray_ISBEHAVED_RO(array)
                || !(PyTypeNum_ISFLOAT(type) || PyTypeNum_ISINTEGER(type)))
                return 0;
            for (Py_ssize_t k = 0; k < count; k++) {
                double *const to = row + (places ? places[k] : k);
                const char *const from = PyArray_GETPTR1(array, k);
                if (type == NPY_DOUBLE) {
                    *to = *(const double *) from;
                } else {
                    PyObject *const number = PyArray_GETITEM(array, from);
                    const int is_read = number && read_number(number, to);
                    Py_XDECREF(number);
                    if (!is_read) {
                        PyErr_Clear();
                        return 0;
                    }
                }
            }
            return 1;
        }
        if (!(PyList_CheckExact(value) || PyTuple_CheckExact(value))
            || PySequence_Fast_GET_SIZE(value) != count)
            return 0;
        PyObject *const *const items = PySequence_Fast_ITEMS(value);
        for (Py_ssize_t k = 0; k < count; k++)
            if (!read_number(items[k], row + (places ? places[k] : k)))
                return 0;
        return 1;
    }

    /* Whether a key equals a resolved key that is another object. */
    static int is_same(PyObject *key, PyObject *known);

    /* Whether a key equals a resolved key. */
    static inline int is_key(PyObject *key, PyObject *known)
    {
        return key == known || is_same(key, known);
    }

    static int is_same(PyObject *key, PyObject *known)
    {
        if (PyUnicode_CheckExact(key) && PyUnicode_CheckExact(known))
            return PyUnicode_Compare(key, known) == 0;
        if (!PyTuple_CheckExact(key) || !PyTuple_CheckExact(known)
            || PyTuple_GET_SIZE(key) != PyTuple_GET_SIZE(known))
            return 0;
        for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(key); k++)
            if (!is_key(PyTuple_GET_ITEM(key, k), PyTuple_GET_ITEM(known, k)))
                return 0;
        return 1;
    }

    static inline int is_array(PyObject *value)
    {
        return PyArray_CheckExact(value);
    }

    /* Whether an object is an array that owns its memory and has no other references. */
    static inline int is_left(PyObject *value)
    {
        return Py_REFCNT(value) == 1 && PyArray_CheckExact(value)
            && PyArray_CHKFLAGS((PyArrayObject *) value, NPY_ARRAY_OWNDATA)
            && !((PyArrayObject_fields *) value)->weakreflist;
    }

    /* The offset of one of a class's ``__slots__`` in its objects; -1 and an error if it is none. */
    static Py_ssize_t slot_of(PyObject *type, const char *name)
    {
        PyObject *const slot = PyObject_GetAttrString(type, name);
        Py_ssize_t place = -1;
        if (slot && Py_TYPE(slot) == &PyMemberDescr_Type)
            place = ((PyMemberDescrObject *) slot)->d_member->offset;
        else if (slot)
            PyErr_Format(PyExc_TypeError, "%s is no slot of its class", name);
        Py_XDECREF(slot);
        return place;
    }

    /* The object in a slot. */
    static inline PyObject *in_slot(PyObject *object, Py_ssize_t place)
    {
        return *(PyObject **) ((char *) object + place);
    }

    /* Fills a slot of a new object. */
    static inline void fill_slot(PyObject *object, Py_ssize_t place, PyObject *value)
    {
        Py_INCREF(value);
        *(PyObject **) ((char *) object + place) = value;
    }

    /* Whether all numbers are finite. */
    static int are_finite(const double *numbers, Py_ssize_t count)
    {
        for (Py_ssize_t k = 0; k < count; k++)
            if (!isfinite(numbers[k]))
                return 0;
        return 1;
    }
    """
    bint read_number(PyObject *value, double *number)
    bint read_row(PyObject *value, Py_ssize_t count, const Py_ssize_t *places, double *row)
    bint is_key(PyObject *key, PyObject *known)
    bint is_array(PyObject *value)
    bint is_left(PyObject *value)
    Py_ssize_t slot_of(object type, const char *name) except -1
    PyObject *in_slot(object object, Py_ssize_t place)
    void fill_slot(object object, Py_ssize_t place, object value)
    bint are_finite(const double *numbers, Py_ssize_t count)

ctypedef int (*evaluate_arrays)(
    Py_ssize_t, const double *const *, const Py_ssize_t *, double *const *
) noexcept nogil

# Functions with more groups, outputs or axes are called by ctypes.
cdef enum:
    MOST_GROUPS = 16
    MOST_OUTPUTS = 64
    MOST_AXES = 8

# Number of samples up to which the kernel of one lane is used.
cdef enum:
    FEW = 2

# Number of samples up to which the GIL is held, since releasing it takes longer than evaluating.
cdef enum:
    SHORT_BATCH = 16

# Number of numbers in dicts that are read on the stack while arguments are examined.
cdef enum:
    ROOM = 128

# The forms of arguments, in the order of `argument_forms.Form`.
cdef enum:
    ROWS
    NUMBERS
    COLUMNS
    INSTANTS

# The location of an argument's numbers: missing, in the user's array, or copied.
cdef enum:
    ABSENT
    IN_PLACE
    COPIED


cdef bytes NO_BYTES = b""


cdef struct Batch:
    int axes
    np.npy_intp sizes[MOST_AXES]
    Py_ssize_t samples
    double *room
    Py_ssize_t room_left


cdef struct Given:
    PyObject *value
    int kind
    bint varies
    double *row  # the numbers if they were read already, else NULL


@cython.final
cdef class Memory:
    """The base object of a large array: memory that is kept for reuse."""

    cdef void *data
    cdef size_t size

    def __dealloc__(self):
        if self.data:
            keep_memory(self.data, self.size)


@cython.final
cdef class NativeFunction:
    """A compiled function with its arguments and results; see `function.Function`."""

    cdef object code
    cdef evaluate_arrays batch  # this one and the next are NULL until they are needed
    cdef evaluate_arrays single
    cdef int groups
    cdef int outputs
    cdef int forms[MOST_GROUPS]
    cdef Py_ssize_t widths[MOST_GROUPS]
    cdef bint needed[MOST_GROUPS]
    cdef tuple names
    cdef int axes[MOST_OUTPUTS]
    cdef np.npy_intp shapes[MOST_OUTPUTS][MOST_AXES]
    cdef Py_ssize_t most_copied
    cdef public Py_ssize_t most_samples
    cdef public bint leaves_instants
    cdef tuple arguments
    cdef public tuple keys
    cdef type result
    cdef object subject
    cdef object recall
    cdef Py_ssize_t slots[3]
    cdef list latest  # for each output the arrays of the last two results of one sample

    def __init__(self, code, signature):
        cdef int k, j
        cdef tuple shapes = signature.shapes
        if (len(signature.widths) > MOST_GROUPS or len(shapes) > MOST_OUTPUTS
                or max(map(len, shapes), default=0) > MOST_AXES):
            raise OverflowError("too many groups, outputs or axes")
        self.code = code
        self.groups = len(signature.widths)
        self.outputs = len(shapes)
        for k in range(self.groups):
            self.forms[k] = signature.forms[k]
            self.widths[k] = signature.widths[k]
            self.needed[k] = signature.needed[k]
        for k in range(self.outputs):
            self.axes[k] = len(shapes[k])
            for j in range(self.axes[k]):
                self.shapes[k][j] = shapes[k][j]
        self.keys = (None,) * self.groups
        self.latest = [None, None] * self.outputs
        self.arguments = signature.arguments
        self.names = signature.names
        self.most_copied = signature.most_copied
        self.result = signature.result
        self.subject = signature.subject
        self.recall = signature.recall
        for k in range(3):
            self.slots[k] = slot_of(self.result, (b"outputs", b"subject", b"_inputs")[k])

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
        self.do(samples, sources, steps, targets)

    cdef inline evaluate_arrays kernel(self, Py_ssize_t samples) noexcept:
        return self.single if samples <= FEW else self.batch

    cdef int do(self, Py_ssize_t samples, const double **sources, const Py_ssize_t *steps,
                double **targets) except -1:
        cdef int failed
        cdef evaluate_arrays kernel = self.kernel(samples)
        if kernel == NULL and samples <= FEW:
            kernel = self.single = <evaluate_arrays> <intptr_t> self.code.single_address
        elif kernel == NULL:
            kernel = self.batch = <evaluate_arrays> <intptr_t> self.code.address
        if samples <= SHORT_BATCH:
            failed = kernel(samples, sources, steps, targets)
        else:
            with nogil:
                failed = kernel(samples, sources, steps, targets)
        if failed:
            raise MemoryError("no memory for the rows of a block")
        return 0

    def evaluate(self, tuple given):
        return self.call(given, NULL)

    cdef object call(self, tuple args, PyObject *kwargs):
        """Return the result of an evaluator's call; None to leave the call to Python."""
        cdef const double *sources[MOST_GROUPS]
        cdef Py_ssize_t steps[MOST_GROUPS]
        cdef double *targets[MOST_OUTPUTS]
        cdef Given given[MOST_GROUPS + 1]
        cdef double numbers[ROOM]
        cdef Batch batch
        cdef int k
        cdef tuple keys = self.keys
        if not self.place(args, kwargs, given):
            return None
        batch.axes = 0
        batch.room = numbers
        batch.room_left = ROOM
        for k in range(self.groups):
            if not self.look_at(k, given + k, keys[k], &batch):
                return None
        batch.samples = 1
        for k in range(batch.axes):
            batch.samples *= batch.sizes[k]
        if batch.samples > self.most_samples or self.kernel(batch.samples) == NULL:
            return None  # Python handles failures of the compiler
        cdef dict outputs = self.take_outputs(<object> given[self.groups].value, targets, &batch)
        if outputs is None:
            return None
        cdef tuple inputs = self.take_inputs(given, keys, sources, steps, &batch)
        if inputs is None or (
            given[self.groups].value != <PyObject *> None
            and self.overlaps(given, <dict> given[self.groups].value, sources, &batch)
        ):
            return None
        self.do(batch.samples, sources, steps, targets)
        cdef object result = PyType_GenericAlloc(self.result, 0)
        fill_slot(result, self.slots[0], outputs)
        fill_slot(result, self.slots[1], self.subject)
        fill_slot(result, self.slots[2], inputs)
        return result

    cdef bint place(self, tuple args, PyObject *kwargs, Given *given):
        """Store the arguments in order, ``out`` last; return False for unknown names."""
        cdef Py_ssize_t count = len(args), k
        cdef PyObject *name
        cdef PyObject *value
        cdef Py_ssize_t position = 0
        if count > self.groups + 1:
            return False
        for k in range(count):
            given[k].value = <PyObject *> args[k]
        for k in range(count, self.groups + 1):
            given[k].value = <PyObject *> None
        while kwargs != NULL and PyDict_Next(<dict> kwargs, &position, &name, &value):
            for k in range(count, self.groups + 1):
                if name == <PyObject *> self.arguments[k]:
                    given[k].value = value
                    break
            else:
                return False
        return True

    cdef bint look_at(self, int k, Given *given, object keys, Batch *batch):
        """Return whether an argument can be plain, and store its form and batch axes."""
        cdef object value = <object> given.value
        cdef PyObject *key
        cdef PyObject *item
        cdef Py_ssize_t position = 0, count = 0
        cdef const Py_ssize_t *sizes
        given.varies = False
        given.kind = COPIED
        given.row = NULL
        if value is None:
            given.kind = ABSENT
            return not self.needed[k]
        if self.forms[k] == INSTANTS and self.leaves_instants and np.PyArray_CheckExact(value):
            if np.PyArray_SIZE(value) > 1:
                return False
        if self.forms[k] == ROWS or self.forms[k] == INSTANTS:
            if not np.PyArray_CheckExact(value):
                return True
            if is_plain(value):
                given.kind = IN_PLACE
                if self.forms[k] == INSTANTS:
                    return see_axes(value, 0, &given.varies, batch)
                return see_axes(value, 1, &given.varies, batch) and (
                    np.PyArray_DIM(value, np.PyArray_NDIM(value) - 1) == self.widths[k]
                )
            return np.PyArray_NDIM(value) == (self.forms[k] == ROWS)
        if keys is None or type(value) is not dict or len(<dict> value) != len(keys[0]):
            return False
        if self.widths[k] <= batch.room_left and self.read(k, given, keys, batch.room, batch):
            given.row = batch.room
            batch.room += self.widths[k]
            batch.room_left -= self.widths[k]
            return True
        if self.forms[k] == COLUMNS:
            sizes = numbers_in(keys[2])
            while PyDict_Next(value, &position, &key, &item):
                if is_array(item):
                    if not see_axes(<object> item, sizes[count] >= 0, &given.varies, batch):
                        return False
                count += 1
        return True

    cdef dict take_outputs(self, object out, double **targets, Batch *batch):
        """Return the arrays of results by name, new or from ``out``; None if ``out`` is not plain."""
        cdef dict outputs = {}
        cdef np.ndarray array
        cdef PyObject *found
        cdef Py_ssize_t left = 0
        cdef int k
        if out is not None:
            if type(out) is not dict:
                return None
            left = len(<dict> out)
        for k in range(self.outputs):
            name = self.names[k]
            found = PyDict_GetItem(<dict> out, name) if left else NULL
            if found == NULL:
                array = self.take_output(k, batch)
            else:
                if not can_take(<object> found, self.axes[k], self.shapes[k], batch):
                    return None
                array = <np.ndarray> <object> found
                left -= 1
            targets[k] = <double *> np.PyArray_DATA(array)
            outputs[name] = array
        return None if left else outputs

    cdef np.ndarray take_output(self, int k, Batch *batch):
        """Return an array for a result; for one sample an earlier array without other references."""
        cdef PyObject *earlier
        cdef Py_ssize_t place
        cdef np.ndarray array
        if batch.axes == 0:
            for place in range(2*k, 2*k + 2):  # the previous result may still be referenced
                earlier = PyList_GET_ITEM(self.latest, place)
                if is_left(earlier) and can_take(
                    <object> earlier, self.axes[k], self.shapes[k], batch
                ):
                    return <np.ndarray> earlier
        array = new_output(self.axes[k], self.shapes[k], batch)
        if batch.axes == 0 and np.PyArray_CHKFLAGS(array, np.NPY_ARRAY_OWNDATA):
            self.latest[2*k + 1] = self.latest[2*k]
            self.latest[2*k] = array
        return array

    cdef tuple take_inputs(self, Given *given, tuple keys, const double **sources,
                           Py_ssize_t *steps, Batch *batch):
        """Set the pointers and strides of all arguments; return None if one is not plain.

        The result is a tuple from which `Arguments.recall` restores the inputs.
        """
        cdef tuple inputs = PyTuple_New(3 + self.groups)
        cdef Py_ssize_t count = 0
        cdef int k
        for k in range(self.groups):
            if given[k].kind == COPIED:
                if given[k].varies and batch.samples > self.most_copied:
                    return None
                count += self.copied(k, given + k, batch)
        cdef bytes copies = NO_BYTES
        if count:
            copies = PyBytes_FromStringAndSize(NULL, count * sizeof(double))
        cdef double *row = <double *> PyBytes_AS_STRING(copies)
        put(inputs, 0, self.recall)
        put(inputs, 1, keys)
        put(inputs, 2, copies)
        for k in range(self.groups):
            sources[k] = NULL
            steps[k] = self.widths[k] if given[k].varies else 0
            if given[k].kind == ABSENT:
                put(inputs, 3 + k, None)
            elif given[k].kind == IN_PLACE:
                if not fits(<object> given[k].value, self.forms[k] == ROWS, batch):
                    return None
                sources[k] = <const double *> np.PyArray_DATA(<np.ndarray> given[k].value)
                put(inputs, 3 + k, <object> given[k].value)
            else:
                if given[k].row != NULL:
                    memcpy(row, given[k].row, self.widths[k] * sizeof(double))
                elif not self.read(k, given + k, keys[k], row, batch):
                    return None
                sources[k] = row
                put(inputs, 3 + k, axes_of(batch) if given[k].varies else ())
                row += self.copied(k, given + k, batch)
        return inputs

    cdef Py_ssize_t copied(self, int k, Given *given, Batch *batch) noexcept:
        """Return the number of numbers to copy of an argument; a time is always copied."""
        cdef Py_ssize_t width = 1 if self.forms[k] == INSTANTS else self.widths[k]
        return width * (batch.samples if given.varies else 1)

    cdef bint read(self, int k, Given *given, object keys, double *rows, Batch *batch):
        """Write the numbers of an argument into rows; return False if it has anything else."""
        cdef Py_ssize_t width = self.widths[k], samples = batch.samples if given.varies else 1
        if self.forms[k] == ROWS:
            return (width == 1 and read_number(given.value, rows)) or read_row(
                given.value, width, NULL, rows
            )
        if self.forms[k] == INSTANTS:
            return read_number(given.value, rows)
        memset(rows, 0, samples * width * sizeof(double))
        cdef Batch *known = batch if given.varies else NULL
        return read_columns(<dict> given.value, keys, rows, width, samples, known) and (
            self.forms[k] == COLUMNS or are_finite(rows, width)
        )

    cdef bint overlaps(self, Given *given, dict out, const double **sources, Batch *batch):
        """Return whether an array of ``out`` may share memory with an input or another result."""
        cdef PyObject *name
        cdef PyObject *target
        cdef PyObject *other
        cdef Py_ssize_t position = 0, after, size
        cdef const double *first
        cdef int k
        while PyDict_Next(out, &position, &name, &target):
            first = <const double *> np.PyArray_DATA(<np.ndarray> target)
            size = np.PyArray_SIZE(<np.ndarray> target)
            after = position
            while PyDict_Next(out, &after, &name, &other):
                if share(<np.ndarray> target, <object> other):
                    return True
            for k in range(self.groups):
                if given[k].kind == ABSENT:
                    continue
                if given[k].kind == IN_PLACE:
                    after = self.widths[k] * (batch.samples if given[k].varies else 1)
                    if sources[k] < first + size and first < sources[k] + after:
                        return True
                elif self.forms[k] == COLUMNS:
                    after = 0
                    while PyDict_Next(<dict> given[k].value, &after, &name, &other):
                        if share(<np.ndarray> target, <object> other):
                            return True
                elif share(<np.ndarray> target, <object> given[k].value):
                    return True
        return False


cdef ternaryfunc by_method = NULL
cdef Py_ssize_t place_of_function = 0


def directly(type evaluator):
    """Return a class whose calls with plain arguments skip the method ``__call__``."""
    global by_method, place_of_function
    place_of_function = slot_of(evaluator, b"_function")
    by_method = (<PyTypeObject *> evaluator).tp_call
    (<PyTypeObject *> evaluator).tp_call = call_directly
    return evaluator


cdef PyObject *call_directly(object self, object args, PyObject *kwargs) except NULL:
    cdef PyObject *function = in_slot(self, place_of_function)
    cdef object result
    if function != NULL and type(<object> function) is NativeFunction:
        result = (<NativeFunction> function).call(args, kwargs)
        if result is not None:
            Py_INCREF(result)
            return <PyObject *> result
    return by_method(self, args, kwargs)


def new_array(tuple shape):
    """Return a new array of double precision with any content."""
    cdef np.npy_intp sizes[4*MOST_AXES]
    cdef int k
    if len(shape) > 4*MOST_AXES:
        raise ValueError("too many axes")
    for k in range(len(shape)):
        sizes[k] = shape[k]
    return array_of(len(shape), sizes)


def keep_at_most(size_t size):
    """Set the number of bytes of deleted arrays that are kept; return the previous number."""
    global most_kept_bytes
    before = most_kept_bytes
    most_kept_bytes = size
    make_room(0)
    return before


def kept():
    """Return the number of bytes that are kept for reuse."""
    return kept_bytes


cdef inline void put(tuple items, Py_ssize_t place, object item):
    Py_INCREF(item)
    PyTuple_SET_ITEM(items, place, item)


cdef inline const Py_ssize_t *numbers_in(bytes text):
    return <const Py_ssize_t *> PyBytes_AS_STRING(text)


cdef tuple axes_of(Batch *batch):
    return tuple([batch.sizes[k] for k in range(batch.axes)])


cdef bint read_columns(dict given, tuple keys, double *rows, Py_ssize_t width, Py_ssize_t samples,
                       Batch *batch):
    """Write the numbers and columns of a dict into rows; return False if it has anything else.

    Columns have the axes of the batch; a NULL batch allows only numbers.  ``keys`` are the resolved
    keys, their positions, and the number of symbols in each, -1 for a single symbol.
    """
    cdef tuple known = keys[0]
    cdef const Py_ssize_t *places = numbers_in(keys[1])
    cdef const Py_ssize_t *sizes = numbers_in(keys[2])
    cdef PyObject *key
    cdef PyObject *item
    cdef Py_ssize_t position = 0, count = 0, size
    while PyDict_Next(given, &position, &key, &item):
        if not is_key(key, <PyObject *> known[count]):
            return False
        size = sizes[count]
        if size < 0:
            if read_number(item, rows + places[0]):
                if samples > 1:
                    repeat(rows, 1, places, width, samples)
            elif not is_array(item) or not spread_column(
                <object> item, 0, 1, places, rows, width, samples, batch
            ):
                return False
        elif read_row(item, size, places, rows):
            repeat(rows, size, places, width, samples)
        elif not is_array(item) or not spread_column(
            <object> item, 1, size, places, rows, width, samples, batch
        ):
            return False
        places += size if size >= 0 else 1
        count += 1
    return True


cdef void repeat(double *rows, Py_ssize_t size, const Py_ssize_t *places, Py_ssize_t width,
                 Py_ssize_t samples) noexcept:
    """Copy numbers of the first row into all other rows."""
    cdef Py_ssize_t i, j
    for i in range(1, samples):
        for j in range(size):
            rows[i*width + places[j]] = rows[places[j]]


cdef bint spread_column(np.ndarray array, int own, Py_ssize_t size, const Py_ssize_t *places,
                        double *rows, Py_ssize_t width, Py_ssize_t samples, Batch *batch) noexcept:
    """Write an array over the batch into rows; return False if it is not plain."""
    cdef const double *column
    cdef Py_ssize_t i, j
    if batch == NULL or not is_plain(array) or not fits(array, own, batch):
        return False
    if own and np.PyArray_DIM(array, np.PyArray_NDIM(array) - 1) != size:
        return False
    column = <const double *> np.PyArray_DATA(array)
    for i in range(samples):
        for j in range(size):
            rows[i*width + places[j]] = column[i*size + j]
    return True


cdef bint is_plain(np.ndarray array) noexcept:
    """Return whether an array is contiguous and of double precision."""
    return np.PyArray_TYPE(array) == np.NPY_DOUBLE and np.PyArray_ISCARRAY_RO(array)


cdef bint see_axes(np.ndarray array, int own, bint *varies, Batch *batch) noexcept:
    """Store the batch axes of an array, all but its last ``own`` axes; return False for too many."""
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
    """Return whether an array has the batch axes, or none."""
    cdef int axes = np.PyArray_NDIM(array) - own, k
    if axes == 0:
        return True
    if axes != batch.axes:
        return False
    for k in range(axes):
        if np.PyArray_DIM(array, k) != batch.sizes[k]:
            return False
    return True


cdef bint can_take(object given, int axes, np.npy_intp *shape, Batch *batch) noexcept:
    """Return whether an object is an array into which an output can be written."""
    cdef int k
    cdef np.ndarray array
    if not np.PyArray_CheckExact(given):
        return False
    array = given
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


cdef bint share(np.ndarray array, object other) noexcept:
    """Return whether a contiguous array may share memory with another object."""
    cdef char *first = <char *> np.PyArray_DATA(array)
    cdef char *start
    if not np.PyArray_CheckExact(other):
        return False
    if not np.PyArray_ISCARRAY_RO(<np.ndarray> other):
        return True  # Python checks it exactly
    start = <char *> np.PyArray_DATA(<np.ndarray> other)
    return start < first + np.PyArray_NBYTES(array) and (
        first < start + np.PyArray_NBYTES(<np.ndarray> other)
    )


cdef np.ndarray new_output(int axes, np.npy_intp *shape, Batch *batch):
    """Return a new array with the batch axes and the axes of an output."""
    cdef np.npy_intp sizes[2*MOST_AXES]
    cdef int k
    for k in range(batch.axes):
        sizes[k] = batch.sizes[k]
    for k in range(axes):
        sizes[batch.axes + k] = shape[k]
    return array_of(batch.axes + axes, sizes)


cdef np.ndarray array_of(int axes, np.npy_intp *sizes):
    """Return a new array; a large one reuses the memory of a deleted array of the same size."""
    cdef double bytes_ = sizeof(double)
    cdef int k
    cdef Memory memory
    cdef np.ndarray array
    for k in range(axes):
        bytes_ *= sizes[k]
    if not LARGE <= bytes_ < 2.0**47:
        return np.PyArray_SimpleNew(axes, sizes, np.NPY_DOUBLE)
    memory = Memory.__new__(Memory)
    memory.size = <size_t> bytes_
    memory.data = take_memory(memory.size)
    if memory.data == NULL:
        return np.PyArray_SimpleNew(axes, sizes, np.NPY_DOUBLE)  # numpy raises the error
    array = np.PyArray_SimpleNewFromData(axes, sizes, np.NPY_DOUBLE, memory.data)
    np.set_array_base(array, memory)
    return array
