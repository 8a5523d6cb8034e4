"""Calls with arguments in random forms, good and bad ones, and what must come of them.

As a script, ``random_calls.py LIBRARY COUNT``, with the extension of another place.
"""

import importlib.machinery
import importlib.util
import os
import sys
from unittest.mock import patch

import numpy as np

EXTENSION = "jointwrench.mechanics.evaluation.backends._native"

BATCHES = [(), (), (1,), (2,), (0,), (3,), (17,), (2, 3), (4, 1), (1, 3, 1), (3000,)]


def misaligned(array):
    """Return a copy that begins between two numbers."""
    memory = np.zeros(array.nbytes + 1, np.uint8)
    copy = np.ndarray(array.shape, array.dtype, memory.data, offset=1)
    copy[...] = array
    return copy


def nested(array, kind):
    return kind(nested(part, kind) for part in array) if array.ndim else array.item()


def spread_out(array):
    return np.repeat(array, 2, -1)[..., ::2] if array.ndim else array


def read_only(array):
    array = array.copy()
    array.flags.writeable = False
    return array


GOOD = {
    "plain": np.array,
    "lists": lambda array: nested(array, list) if array.size else array,
    "tuples": lambda array: nested(array, tuple) if array.size else array,
    "list of rows": lambda array: list(array) if array.ndim and array.size else array,
    "misaligned": misaligned,
    "misaligned, other order": lambda array: misaligned(array.T).T,
    "single precision": lambda array: array.astype(np.float32),
    "more than double precision": lambda array: array.astype(np.longdouble),
    "half precision, misaligned": lambda array: misaligned(array.astype(np.float16)),
    "integers": lambda array: (10 * array).astype(np.int16),
    "other byte order": lambda array: array.astype(array.dtype.newbyteorder()),
    "strided": spread_out,
    "backwards": lambda array: array[..., ::-1].copy()[..., ::-1],
    "Fortran": np.asfortranarray,
    "read-only": read_only,
    "broadcast": lambda array: np.broadcast_to(array[:1], array.shape) if array.ndim else array,
    "subclass": lambda array: array.view(np.recarray),
    "numpy's number": lambda array: array[()],
    "number": lambda array: array.item() if array.size == 1 else array,
}

BAD = {
    "text": str,
    "nothing": lambda array: None,
    "one number more": lambda array: np.concatenate([array, array[..., :1]], -1),
    "one number less": lambda array: array[..., :-1],
    "one batch axis more": lambda array: np.ones((5, *array.shape)),
    "no axis": lambda array: np.float64(1.0),
    "masked": lambda array: np.ma.masked_array(array, array > 0),
    "complex": lambda array: array + 1j,
    "objects": lambda array: array.astype(object),
    "a list in a list": lambda array: [[1.0], 2.0],
    "too long": lambda array: array.ravel().tolist() * 40,
    "a mapping": lambda array: {"q1": 1.0},
    "an integer too large": lambda array: 10**400,
}


class RandomCalls:
    """Random calls of an evaluator, each compared with another one given plain arrays."""

    def __init__(self, evaluate, reference, rng):
        self.evaluate, self.reference, self.rng = evaluate, reference, rng
        self.forms = {"good": 0, "refused": 0}

    def one(self):
        """Make a call: it is refused, or gives what the other one gives."""
        rng, symbols = self.rng, self.evaluate.inputs
        batch = self.choice(BATCHES)
        names = [name for name in symbols if name not in ("constants", "specifieds", "times")]
        given = {name: self.formed((*self.part(batch), len(symbols[name]))) for name in names}
        given["constants"] = {s: self.formed(()) for s in self.named(symbols["constants"])}
        given["specifieds"] = {s: self.formed(self.part(batch)) for s in symbols["specifieds"]}
        if len(symbols["specifieds"]) > 1 and rng.random() < 0.3:
            together = symbols["specifieds"]
            given["specifieds"] = {together: self.formed((*self.part(batch), len(together)))}
        given["times"] = self.formed(self.part(batch))
        out = self.out(batch)
        if rng.random() < 0.1:
            given["constants"].pop(next(iter(given["constants"]), None), None)
        if rng.random() < 0.05:
            given["u"] = None
        try:
            result = self.evaluate(**given, out=out)
        except (TypeError, ValueError):
            self.forms["refused"] += 1
            return
        self.forms["good"] += 1
        expected = self.reference(**{name: self.plain(value) for name, value in given.items()})
        for name, array in expected.outputs.items():
            np.testing.assert_allclose(result.outputs[name], array, 1e-9, 1e-9)
        assert all(result.outputs[name] is array for name, array in (out or {}).items())
        for symbol, values in expected.inputs.samples.items():
            np.testing.assert_array_equal(result.inputs.samples[symbol], values)
        assert result.inputs.constants == expected.inputs.constants
        np.testing.assert_array_equal(result.times, expected.times)

    def choice(self, items):
        return items[self.rng.integers(len(items))]

    def part(self, batch):
        """Return batch axes that broadcast to given ones, mostly all or none."""
        some = tuple(n if self.rng.random() < 0.5 else 1 for n in batch)
        return self.choice([batch, batch, batch, (), some])

    def named(self, symbols):
        return [str(s) if self.rng.random() < 0.3 else s for s in symbols]

    def formed(self, shape):
        """Return random numbers of a shape in a random form, which now and then is a bad one."""
        array = self.rng.normal(size=shape)
        bad = self.rng.random() < 0.02
        form = self.choice(list((BAD if bad else GOOD).values()))
        try:
            return form(array)
        except (ValueError, IndexError):  # an array without axes has no columns
            return array

    def out(self, batch):
        """Return arrays for some of the results, or for none."""
        if self.rng.random() < 0.6:
            return None
        names = [name for name in self.evaluate.outputs if self.rng.random() < 0.7]
        out = {name: np.zeros((*batch, *self.evaluate.shapes[name])) for name in names}
        if out and self.rng.random() < 0.3:
            name = self.choice(names)
            forms = ("misaligned", "single precision", "strided", "read-only", "Fortran")
            out[name] = GOOD[self.choice(forms)](out[name])
        return out

    def plain(self, value):
        if isinstance(value, dict):
            return {key: self.plain(item) for key, item in value.items()}
        return None if value is None else np.array(value, float)


def compiled(program, options):
    from jointwrench.mechanics.evaluation.compilation import compile_program

    return [compile_program(program, backend=name, **options) for name in ("c", "numpy")]


def make_calls(count, seed=0):
    """Make random calls of some evaluators; return how many were good, and how many refused."""
    from codegen_programs import INPUTS, OPTIONS, build, everything, m, q, t

    from jointwrench.mechanics.codegen.text import kernel

    small = build({"generalized_forces": ((1,), [m * q[0]])}, {"q": q[:1], "constants": (m,)})
    timed = build({"out": ((2, 1), [q[0] + t, q[1]])}, {**INPUTS, "specifieds": ()})
    bare = build({"one": ((1,), [1])}, {})
    programs = [(everything(), OPTIONS), (small, {}), (timed, {}), (bare, {})]
    pairs = [compiled(program, options) for program, options in programs]
    with patch.multiple(kernel, FAR=1000, NUMBERS_ON_STACK=0):  # rows on the heap, past the caches
        pairs.append(compiled(everything(), OPTIONS))
    total = {"good": 0, "refused": 0}
    for number, pair in enumerate(pairs):
        calls = RandomCalls(*pair, np.random.default_rng([seed, number]))
        for _ in range(count):
            calls.one()
        total = {name: total[name] + calls.forms[name] for name in total}
    return total


def take_extension(path):
    """Import the extension from another place."""
    loader = importlib.machinery.ExtensionFileLoader(EXTENSION, path)
    spec = importlib.util.spec_from_file_location(EXTENSION, path, loader=loader)
    sys.modules[EXTENSION] = importlib.util.module_from_spec(spec)
    loader.exec_module(sys.modules[EXTENSION])


if __name__ == "__main__":
    os.environ.pop("LD_PRELOAD", None)  # compilers are started without it
    take_extension(sys.argv[1])
    print(make_calls(int(sys.argv[2])))
