"""The kernel by which sets of flags are measured: an arm, with code like a real model's."""

import ctypes
import re
import time
from pathlib import Path

import numpy as np

from ..text.templates import c_text

#: Number of links, for which compiling takes a tenth of a second.
LINKS = 3

#: Number of samples, for which a call takes some ten microseconds.
SAMPLES = 256

#: The kernel's C text, generated in advance, so that neither sympy nor PyDy is needed: the joint
#: wrenches of an arm of pins whose axes are normal to each other.
KERNEL = Path(__file__).with_suffix(".c")

#: C text before the kernel's: a variable in place of a constant of other kernels.
SECOND_CACHE = """\
#if defined(_WIN32)
__declspec(dllexport)
#elif defined(__GNUC__)
__attribute__((visibility("default")))
#endif
long long second_cache = 1LL << 40;
#define SECOND_CACHE second_cache

"""


def kernel_text() -> str:
    """Return the kernel's C text with the included files inserted."""
    own = KERNEL.read_text(encoding="ascii")
    return SECOND_CACHE + re.sub(r'#include "(\w+)\.c"\n', lambda found: c_text(found[1]), own)


def trial_inputs() -> list[np.ndarray]:
    """Return q, u, udot and constants (lengths, masses, moments of inertia, gravity) as rows."""
    random = np.random.default_rng(0)
    widths = LINKS, LINKS, LINKS, 3 * LINKS + 1
    inputs = [random.uniform(0.5, 1.5, (SAMPLES, width)) for width in widths]
    inputs[-1][:] = inputs[-1][0]
    return inputs


def expected_wrenches() -> np.ndarray:
    """Return the correct joint wrenches by numpy, shape (SAMPLES, LINKS, 6)."""
    q, u, udot, constants = trial_inputs()
    length, mass, inertia, (gravity,) = np.split(constants[0], [LINKS, 2 * LINKS, 3 * LINKS])
    (ex, _, ez), zero = np.eye(3), np.zeros((SAMPLES, 3))
    w, al, a, links = zero, zero, zero + gravity * ex, []
    for k in range(LINKS):
        s, c, o = np.sin(q[:, k]), np.cos(q[:, k]), np.zeros(SAMPLES)
        turn = np.stack([o, c, s, o, -s, c, o + 1, o, o], axis=-1).reshape(-1, 3, 3)
        arm, rate = length[k] * ex, u[:, k, None] * ez
        w, al, a = ((turn @ x[..., None])[..., 0] for x in (w, al, a))
        w = w + rate
        al = al + udot[:, k, None] * ez + np.cross(w, rate)
        a = a + np.cross(al, arm) + np.cross(w, np.cross(w, arm))
        links.append((turn, arm, mass[k] * a, inertia[k] * al))
    force, moment, wrenches = zero, zero, []
    for turn, arm, own_force, own_moment in reversed(links):
        force = force + own_force
        moment = moment + own_moment + np.cross(arm, force)
        wrenches.append(np.concatenate([force, moment], axis=-1))
        force, moment = ((x[:, None] @ turn)[:, 0] for x in (force, moment))
    return np.stack(wrenches, axis=1)


class Trial:
    """The trial kernel in a compiled library."""

    def __init__(self, library: ctypes.CDLL) -> None:
        self._inputs, self._outputs = trial_inputs(), [np.zeros((SAMPLES, LINKS, 6))]
        widths = [rows.shape[1] for rows in self._inputs]
        self._function = library.evaluate_arrays
        self._second_cache = ctypes.c_longlong.in_dll(library, "second_cache")
        self._arguments = (
            ctypes.c_ssize_t(SAMPLES),
            _addresses(self._inputs),
            (ctypes.c_ssize_t * len(widths))(*widths),
            _addresses(self._outputs),
        )

    def run(self) -> np.ndarray:
        """Return the joint wrenches that the kernel computes."""
        self._function(*self._arguments)
        return self._outputs[0]

    def seconds(self, results: np.ndarray, is_far: bool) -> float:
        """Return the time to compute and to sum results, which bypass the caches if ``is_far``."""
        samples = results.size // (LINKS * 6)
        still = (ctypes.c_ssize_t * len(self._inputs))()
        self._second_cache.value = 0 if is_far else 1 << 40
        began = time.perf_counter()
        self._function(samples, self._arguments[1], still, _addresses([results]))
        results.sum()
        return time.perf_counter() - began


def _addresses(arrays: list[np.ndarray]) -> ctypes.Array[ctypes.c_void_p]:
    return (ctypes.c_void_p * len(arrays))(*(array.ctypes.data for array in arrays))
