"""The compiler's flags, selected by measurements on this machine.

gcc 12 with AVX512-FP16 gathers inputs 2.8 times more slowly unless that is disabled.  So sets of
flags are timed once on a small mechanism, beginning with those that are probably the fastest on
this processor, and the fastest set is stored in the cache.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import logging
import os
import platform
import shlex
import shutil
import sys
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from ....checks.files import PrivateFolder, load_bytes
from ....checks.tolerances import CANCELLED, ROUNDING
from ..text.transfer import FAR
from . import cache
from .compiler import (
    CompilationError,
    UnusableCompilerError,
    compile_library,
    compiler_command,
    environment_words,
    library_commands,
    load_compiled,
    temporary_folder,
)
from .trial import SAMPLES, Trial, expected_wrenches, kernel_text

#: The environment variable with the set of flags to use, a key of `TUNINGS`, without measuring.
TUNING_VARIABLE = "JOINTWRENCH_TUNING"

# Nothing here may let the result of a sample depend on its place in the batch
# or on other samples: no fast-math.  A product and a sum may become one
# instruction (contraction): every sample goes through the same instructions.
# Since none reorders sums, the code may rely on their order (SUMS_AS_WRITTEN).
_SAFE = ["-g0", "-fvisibility=hidden", "-fno-fast-math", "-DSUMS_AS_WRITTEN"]
_FAST = [*_SAFE, "-fno-math-errno", "-fno-trapping-math", "-ffp-contract=fast"]
_NATIVE = [*_FAST, "-march=native"]

# The optimisation passes that speed up long functions of vectors; others only take compile time.
_LEAN = [
    *("-O1", "-fexpensive-optimizations", "-ftree-loop-vectorize", "-ftree-vrp", "-fpeel-loops"),
    *("-fpeephole2", "-fno-predictive-commoning", "-fno-ivopts"),
]

#: Sets of flags by name.  Of two that are equally fast the first one is taken.
TUNINGS = {
    "native": [*_LEAN, *_NATIVE],
    "native-no-fp16": [*_LEAN, *_NATIVE, "-mno-avx512fp16"],
    "native-half": [*_LEAN, *_NATIVE, "-mno-avx512f"],
    "native-cpu": [*_LEAN, *_FAST, "-mcpu=native"],
    "portable": [*_LEAN, *_FAST],
    "native-O2": ["-O2", *_NATIVE],
    "portable-O2": ["-O2", *_FAST],
    "plain": ["-O2"],
}

#: Flags for kernels of one sample, in which each operation waits for the previous one: scheduling
#: of instructions makes them faster, vectors do not.
ONE_LANE = "-DLANES=1", "-fno-tree-slp-vectorize", "-fschedule-insns2"

#: Environment variables with the user's own flags.
GIVEN = ("CPPFLAGS", "CFLAGS", "LDFLAGS")

# Relative difference in time up to which two sets of flags count as equally fast.
_AS_FAST = 0.03

_ROUNDS = 100

#: Results of this many bytes bypass the caches on any machine.
LARGEST = 8 * FAR

# Number of timings of each size, with results in the caches and with results that bypass them.
_SIZE_ROUNDS = 8

_log = logging.getLogger("jointwrench")

_known: dict[str, tuple[str, int]] = {}


def choose_tuning() -> str:
    """Return the name of the fastest set of flags with correct numbers, or of the requested set."""
    # if no set works, compiling with "plain" raises the compiler's error
    return _find_tuning()[0] or os.environ.get(TUNING_VARIABLE) or "plain"


def proven_tuning() -> str | None:
    """Return the name of the set of flags; None if no set gives correct code."""
    return _find_tuning()[0]


def choose_flags(is_streaming: bool) -> list[str]:
    """Return the compiler's flags; for streaming kernels with the size of results that stream."""
    size = [f"-DSECOND_CACHE={_find_tuning()[1]}"] if is_streaming else []
    return [*TUNINGS[choose_tuning()], *size]


def _find_tuning() -> tuple[str | None, int]:
    """Return the name of the set of flags, and the bytes from which results bypass caches."""
    wanted = os.environ.get(TUNING_VARIABLE, "")
    if wanted and wanted not in TUNINGS:
        raise ValueError(
            f"The environment variable {TUNING_VARIABLE} must be one of {', '.join(TUNINGS)}, "
            f"got {wanted!r}."
        )
    sets = {wanted: TUNINGS[wanted]} if wanted else TUNINGS
    key = hashlib.sha256(json.dumps([sets, machine()]).encode()).hexdigest()
    if key not in _known:
        found = _read_cached(key)
        if found is None:
            found = _measure_fastest(sets) or _measure_fastest(_without_passes(wanted))
            if found is None:
                return None, LARGEST
            cache.store(key, b"%d" % found[1], f".{found[0]}")
        _known[key] = found
    return _known[key]


def _read_cached(key: str) -> tuple[str, int] | None:
    """Return the measured set and size from the cache: an entry's suffix and its content."""
    entry = cache.find(key)
    name = "" if entry is None else entry.path.suffix[1:]
    if entry is not None and name in TUNINGS:
        with contextlib.suppress(ValueError):
            return name, int(entry.content)
    return None


def _without_passes(wanted: str) -> dict[str, list[str]]:
    """Return the set to use if the compiler lacks gcc's passes of a requested set, if any."""
    name = f"{wanted.partition('-')[0]}-O2"
    return {name: TUNINGS[name]} if name in TUNINGS else {}


def _measure_fastest(sets: Mapping[str, list[str]]) -> tuple[str, int] | None:
    """Return the fastest of the likely sets, or else of all sets, and its size for bypassing."""
    if not sets:
        return None
    likely = _select_likely(sets)
    if likely != sets:
        try:
            seconds, size = measure(likely)
            if seconds.keys() == likely.keys() and (name := _fastest(seconds)):
                return name, size
        except UnusableCompilerError:
            raise
        except CompilationError as error:
            _log.info("other flags are measured: %s", error)
    seconds, size = measure(sets)
    return (name, size) if (name := _fastest(seconds)) else None


def _select_likely(sets: Mapping[str, list[str]]) -> dict[str, list[str]]:
    """Return the sets of flags that probably include the fastest one.

    On x86 these are the sets with all instructions, without FP16 with which gcc gathers slowly, and
    of half the vector width on processors with more.
    """
    flags = processor().split()
    if platform.machine().lower() not in ("x86_64", "amd64"):
        return dict(sets)
    names = ["native-no-fp16" if "avx512_fp16" in flags else "native"]
    names += ["native-half"] if "avx512f" in flags else []
    return {name: sets[name] for name in names if name in sets} or dict(sets)


def machine() -> list[object]:
    """Return the compiler, environment and processor, on which compiled code depends besides its
    text.
    """
    words = compiler_command()
    programs = [found for word in words if (found := shutil.which(word))]
    stamps = [(path, os.stat(path).st_mtime_ns, os.stat(path).st_size) for path in programs]
    given = [environment_words(name) for name in GIVEN]
    return [words, stamps, given, processor(), sys.platform, sys.maxsize]


@functools.cache
def processor() -> str:
    """Return the model and the features of the processor as text."""
    words = [platform.machine(), platform.processor()]
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return " ".join(words)
    wanted = ("model name", "flags", "Features", "CPU implementer", "CPU part", "isa", "cpu")
    lines = (line.partition(":") for line in text.splitlines())
    return " ".join([*words, *sorted({v for name, _, v in lines if name.strip() in wanted})])


def measure(sets: Mapping[str, list[str]]) -> tuple[dict[str, float], int]:
    """Return the trial kernel's seconds by set of flags, and the size for bypassing the caches.

    The size is that of the fastest set.  Sets are omitted if the compiler rejects them or if they
    give other numbers than numpy, also for one sample.
    """
    began = time.perf_counter()
    source, expected = kernel_text(), expected_wrenches()
    with temporary_folder() as folder, ThreadPoolExecutor(os.cpu_count()) as pool:

        def built(name: str, *more: str) -> Trial | None:
            return _build_trial(source, [*TUNINGS[name], *more], folder)

        found = zip(sets, pool.map(built, sets), strict=True)
        trials = {name: trial for name, trial in found if trial}
        seconds = _time(_select_correct(trials, expected))
        while name := _fastest(seconds):
            alone = built(name, *ONE_LANE)
            if alone is None or _select_correct({name: alone}, expected):
                break
            del seconds[name]
    if trials and not seconds:
        given = [f"{name}={os.environ[name]!r}" for name in GIVEN if os.environ.get(name)]
        raise CompilationError(
            "The compiled code of a small test model gives other numbers than numpy "
            f"({', '.join([shlex.join(compiler_command()), *given])}). Use backend='numpy', or "
            "another compiler or other flags in the environment variables CC and CFLAGS."
        )
    times = ", ".join(f"{name} {1e9 * time / SAMPLES:.0f}" for name, time in seconds.items())
    size = _far_size(trials[name]) if (name := _fastest(seconds)) else LARGEST
    spent = time.perf_counter() - began
    _log.info("flags measured in %.2f s, ns: %s; past the caches from %d bytes", spent, times, size)
    return seconds, size


def _far_size(trial: Trial) -> int:
    """Return the size in bytes from which results that bypass the caches take less time.

    The time includes one reading of the results.  Two results alternate, as in a loop that keeps
    the previous result while it computes the next one.
    """
    found = LARGEST
    pairs = np.zeros((2, LARGEST // 16))
    for size in (LARGEST // 16, LARGEST // 32, LARGEST // 64):
        best = {False: float("inf"), True: float("inf")}
        for _ in range(_SIZE_ROUNDS):
            for is_far in best:
                for pair in pairs:
                    spent = trial.seconds(pair[:size], is_far)
                best[is_far] = min(best[is_far], spent)
        if best[True] * (1 + _AS_FAST) > best[False]:
            break
        found = 8 * size
    return found


def _build_trial(source: str, flags: list[str], folder: PrivateFolder) -> Trial | None:
    """Return the trial kernel compiled with flags; None if the compiler rejects them."""
    name = hashlib.sha256(" ".join(flags).encode()).hexdigest()
    try:
        commands = library_commands(flags, name)
        content = compile_library(source, commands, folder, name)
    except UnusableCompilerError:
        raise
    except (CompilationError, OSError):
        return None
    path = folder.path / f"{name}.so"
    try:
        return Trial(load_bytes(content, path))
    except OSError:  # libraries may be executable only in the cache's folder
        return Trial(load_compiled(content, commands[-1], cache.store(name, content, ".so"), path))


def _select_correct(trials: dict[str, Trial], expected: np.ndarray) -> dict[str, Trial]:
    """Return the trials whose numbers are those expected."""
    scale = np.max(np.abs(expected))
    return {
        name: trial
        for name, trial in trials.items()
        if np.allclose(trial.run(), expected, rtol=ROUNDING, atol=CANCELLED * scale)
    }


def _time(trials: dict[str, Trial]) -> dict[str, float]:
    """Return the shortest time of each trial, measured in turns, so that load affects all alike."""
    seconds = dict.fromkeys(trials, float("inf"))
    for _ in range(_ROUNDS):
        for name, trial in trials.items():
            began = time.perf_counter()
            trial.run()
            seconds[name] = min(seconds[name], time.perf_counter() - began)
    return seconds


def _fastest(seconds: Mapping[str, float]) -> str | None:
    """Return the name of the shortest time, or the first that is hardly longer; None for none."""
    limit = min(seconds.values(), default=0.0) * (1 + _AS_FAST)
    return next((name for name, time in seconds.items() if time <= limit), None)
