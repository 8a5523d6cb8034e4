"""Paths from a model to its numbers, as data: calls with what they need, and nothing else."""

import copy
import ctypes
import pickle
import re
import warnings
from importlib import import_module
from math import prod

import numpy as np
from promises import METHODS

import jointwrench as jw

#: What is compiled once more, where code differs.
FEW = {
    "inverse": ["generalized_forces", "joint_wrenches"],
    "kinematics": ["velocities"],
    "forward": ["udot", "joint_wrenches"],
}
COUNT, STATES = 9, ("q", "u", "udot")


class Motion:
    """States of a case that float32 can hold, what else calls need, and evaluators."""

    def __init__(self, case, numeric, method, state, has_times, folder, has_all=True):
        self.case, self.numeric, self.name = case, numeric, method
        self.method, self.few = getattr(case, method), tuple(FEW[method])
        self.names = tuple(case.outputs(method)) if has_all else self.few
        self.file, states = folder / "saved.json", state[: 2 if method == "forward" else 3]
        single = [np.broadcast_to(np.float32(x), (COUNT, np.shape(x)[-1])) for x in states]
        self.rows = [x.astype(float) for x in single]  # all samples,
        self.one = [x[-1] for x in self.rows]  # and the last one
        given, self.numbers = case.given(method), numeric.given(method)
        times = given.pop("times", 0.0) + 0.1 * np.arange(1.0 - COUNT, 1)
        self.motion = jw.Trajectory(times, *self.rows, *self.rows[1:][: 3 - len(states)])
        self.timeless, self.constants = given, tuple(given.get("constants", {}).items())
        has_times = has_times or self.method.inputs["times"]
        self.each = given | ({"times": times} if has_times else {})
        self.given = given | ({"times": times[-1]} if has_times else {})

    def make(self, names=None, **options):
        """Return an evaluator that was not called."""
        return copy.copy(self.case.compiled(self.name, names or self.names, **options))

    def fixed(self):
        given = {x: self.given[x] for x in self.given if x != "constants"}
        constants = {"constants": dict(self.constants)} if self.constants else {}
        return self.method.compile(self.few, **constants)(*self.one, **given)

    def curved(self):
        weights = np.ones(self.make().shapes[self.few[0]])
        evaluate = self.make(self.few[:1], second_derivatives=("q",), backend="numpy")
        return evaluate(*self.rows, **self.each, weights=weights)

    def sloped(self):
        options = {"derivatives": ("q",), "sparse": True, "backend": "numpy"}
        return self.make(self.few, **options)(*self.rows, **self.each)

    def strided(self):
        wide = [np.repeat(np.repeat(x, 2, -1), 2, 0) for x in self.rows]
        return self.make()(*(x[::2, ::2] for x in wide), **self.each)

    def by_name(self):
        told = {x: {str(s): own for s, own in self.each[x].items()} for x in self.timeless}
        if "specifieds" in told:
            told["specifieds"] = {s: np.full(COUNT, x) for s, x in told["specifieds"].items()}
        return self.make()(**self.each | told | dict(zip(STATES, self.rows, strict=False)))

    def written(self):
        out = {name: np.empty((COUNT, *shape)) for name, shape in self.make().shapes.items()}
        self.make()(*self.rows, **self.each, out=out)
        return out

    def stored(self, evaluate):
        evaluate.save(self.file)
        return jw.load(self.file)

    def ufunc(self):
        rows = dict(zip(STATES, self.rows, strict=False))
        rows |= {x: self.each[x] for x in self.each if x == "times"}
        found = self.make().as_ufunc(*rows, **self.timeless)(*rows.values())
        return dict(zip(self.names, found if isinstance(found, tuple) else [found], strict=True))

    @property
    def arrays(self):
        """Arrays of all groups of inputs of one sample, in their order; time is a number."""
        others = [[*self.given.get(x, {}).values()] for x in ("constants", "specifieds")]
        times = [self.given["times"]] if self.method.inputs["times"] else []
        return [np.array(x) for x in (*self.one, *others, *times)]

    def address(self):
        """Call the compiled function itself."""
        evaluate = self.make()
        out = {name: np.empty(shape) for name, shape in evaluate.shapes.items()}
        kept = [np.atleast_1d(x) for x in self.arrays], [*out.values()]
        told = [(ctypes.c_void_p * len(x))(*(array.ctypes.data for array in x)) for x in kept]
        kinds = ctypes.c_ssize_t, *[ctypes.c_void_p] * 3
        strides = (ctypes.c_ssize_t * len(self.arrays))()
        function = ctypes.CFUNCTYPE(ctypes.c_int, *kinds)(evaluate.address)
        assert function(1, told[0], strides, told[1]) == 0
        return out

    def interface(self, library):
        """Return few outputs by way of another package."""
        package = import_module(library)
        evaluate, (name, *_) = self.make(), self.few
        columns = [np.atleast_1d(x) for x in self.arrays]
        if library == "jax":
            package.config.update("jax_enable_x64", True)
            return {name: evaluate.to_jax(name)(*self.arrays)}
        if library == "torch":
            return {name: evaluate.to_torch(name)(*map(package.as_tensor, self.arrays)).numpy()}
        if library == "numba":
            out = np.empty(evaluate.shapes[name])
            evaluate.to_numba(name)(out, *columns)
            return {name: out}
        (path,) = self.method.write_casadi(self.file.with_name("model"), self.few)
        model = package.external("model", package.Importer(str(path), "shell"))
        found = model(*(x for x in columns if x.size))
        pairs = zip(self.few, found, strict=True)
        return {x: own.full().reshape(evaluate.shapes[x]) for x, own in pairs}


def one(**options):
    return lambda p: p.make(**options)(*p.one, **p.given)


def batch(make=np.asarray, **options):
    return lambda p: p.make(**options)(*map(make, p.rows), **p.each)


PATHS = {
    "one sample": one(),
    "batch": batch(),
    "default outputs": lambda p: p.method.compile()(*p.rows, **p.each),
    "lists": batch(np.ndarray.tolist),
    "float32": batch(np.float32),
    "other order of bytes": batch(lambda x: x.astype(">f8")),
    "broadcast": lambda p: p.make()(p.rows[0], *p.one[1:], **p.each),
    "strided": Motion.strided,
    "by name, with arrays": Motion.by_name,
    "Trajectory": lambda p: p.make()(p.motion, **p.timeless),
    "out=": Motion.written,
    "threads": batch(lambda x: np.stack([x] * 900), threads=2),
    "numpy": one(backend="numpy"),
    "numpy, batch": batch(backend="numpy"),
    "PyDy, batch": batch(backend="pydy"),
    "pickled": lambda p: pickle.loads(pickle.dumps(p.make()))(*p.one, **p.given),
    "copied": lambda p: copy.deepcopy(p.make())(*p.rows, **p.each),
    "saved": lambda p: p.stored(p.make())(*p.rows, **p.each),
    "saved twice": lambda p: p.stored(p.stored(p.make()))(*p.one, **p.given),
    "as_ufunc": Motion.ufunc,
    "derivatives": Motion.sloped,
    "second derivatives": Motion.curved,
    "fixed": Motion.fixed,
    "numbers": lambda p: copy.copy(p.numeric.compiled(p.name, p.few))(*p.one, **p.numbers),
    "address": Motion.address,
}
#: Through other packages, which take seconds to import.
LIBRARIES = ("jax", "torch", "numba", "casadi")
INTERFACES = {library: lambda p, library=library: p.interface(library) for library in LIBRARIES}
#: In which nothing looks at motions, and nothing tells why frictions are NaN, as documented.
SILENT = ("address", "numba", "casadi")
UNTOLD = (*SILENT, *LIBRARIES)


def states(case):
    """Yield motions, whether they have times, and for which methods there is something to tell."""
    q, u, udot = case.state
    yield case.state, False, ()
    if "loops" in case.traits:
        opened = q + 0.05 * (-1) ** np.arange(len(q)), u + 0.3, udot
        yield opened, False, ("inverse", "forward")
    if "quaternion" in case.traits:
        yield (0 * q, u, udot), False, METHODS
    if "friction" in case.traits:
        yield (q, 0 * u, udot), False, ("inverse", "forward")
    if "plain" in case.traits:
        turned = q + np.linspace(2.5, 4, COUNT)[:, None] * (np.arange(len(q)) == 0)
        wrapped = (np.float32(turned) + np.pi) % (2 * np.pi) - np.pi
        yield (wrapped, u, udot), True, METHODS


def heard(path, motion):
    """Return the outputs of a path, and its warnings without the sample's place."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        values = path(motion)
    told = [f"{x.category.__name__}: {x.message}" for x in caught]
    values = getattr(values, "outputs", values)
    return values, [re.sub(r" at sample [(\d, )]*\d\)?", "", text) for text in told]


def last(values, shape):
    """Return the values of the last samples, at most as many as a motion has."""
    before = np.shape(values)[: np.ndim(values) - len(shape)]
    return np.reshape(values, (prod(before), *shape))[-COUNT:]


def unlike(motion, is_told, paths):
    """Yield paths on which values or warnings are not those of the plain calls."""
    shapes = motion.make().shapes
    single, several = (heard(PATHS[name], motion) for name in ("one sample", "batch"))
    if bool(several[1]) != is_told:
        yield "batch", several[1]
    for name, path in paths.items():
        if path is Motion.curved and np.isnan(motion.case.r.generalized_forces).any():
            continue  # what is open has no second derivatives
        values, told = heard(path, motion)
        known = values.keys() & shapes.keys()
        is_single = known and all(np.shape(values[x]) == shapes[x] for x in known)
        expected, words = single if is_single else several
        untold = UNTOLD if any("friction is NaN" in x for x in words) else SILENT
        if told != ([] if name in untold else words):
            yield name, told, words
        for x in known:
            found, true = (last(y[x], shapes[x]) for y in (values, expected))
            size = 1e-9 * np.max(np.abs(np.nan_to_num(true)), initial=1.0)
            if not np.allclose(found, true, 0, size, equal_nan=True):
                yield name, x, found, true
