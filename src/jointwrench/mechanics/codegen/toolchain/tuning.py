"""The compiler's flags, chosen by measurements on this machine.

gcc 12 with AVX512-FP16 takes 2.8 times as long to gather inputs unless told not to use that. So
sets of flags are timed once on a small mechanism, those first that are likely to be the fastest on
this processor, and the fastest is stored in the cache.
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

#: Names the set of flags to use, one of the keys of `TUNINGS`, without measuring.
TUNING_VARIABLE = "JOINTWRENCH_TUNING"

# Nothing here may let the result of a sample depend on its place in the batch
# or on other samples: no fast-math.  A product and a sum may become one
# instruction (contraction): every sample goes through the same instructions.
# Since none reorders sums, the code may rely on their order (SUMS_AS_WRITTEN).
_SAFE = ["-g0", "-fvisibility=hidden", "-fno-fast-math", "-DSUMS_AS_WRITTEN"]
_FAST = [*_SAFE, "-fno-math-errno", "-fno-trapping-math", "-ffp-contract=fast"]
_NATIVE = [*_FAST, "-march=native"]

# The passes that long functions of vectors gain by: others take long and gain nothing.
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

#: Flags for one sample at a time, in which each operation waits for the previous one: it gains by
#: another order of instructions, not by vectors.
ONE_LANE = "-DLANES=1", "-fno-tree-slp-vectorize", "-fschedule-insns2"

#: Environment variables with the user's own flags.
GIVEN = ("CPPFLAGS", "CFLAGS", "LDFLAGS")

# A set of flags that takes up to this part more than the fastest one is as fast.
_AS_FAST = 0.03

_ROUNDS = 100

#: Results of this many bytes bypass the caches on any machine.
LARGEST = 8 * FAR

# How often each size is timed with results that stay in the caches and that bypass them.
_SIZE_ROUNDS = 8

_log = logging.getLogger("jointwrench")

_known: dict[str, tuple[str, int]] = {}


def choose_tuning() -> str:
    """Return the name of the fastest set of flags with right numbers, or of the requested one."""
    # without any the build will say what is wrong, and the next one may find it well
    return _find_tuning()[0] or os.environ.get(TUNING_VARIABLE) or "plain"


def proven_tuning() -> str | None:
    """Return the name of the set of flags, None if the compiler makes no right code with any."""
    return _find_tuning()[0]


def choose_flags(is_streaming: bool) -> list[str]:
    """Return the flags, for kernels that stream with the size of results that do."""
    size = [f"-DSECOND_CACHE={_find_tuning()[1]}"] if is_streaming else []
    return [*TUNINGS[choose_tuning()], *size]


def _find_tuning() -> tuple[str | None, int]:
    """Return the name of the set of flags, and the bytes from which results bypass the caches."""
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
    """Return the measured set and size: the suffix and the content of the cache's entry."""
    entry = cache.find(key)
    name = "" if entry is None else entry.path.suffix[1:]
    if entry is not None and name in TUNINGS:
        with contextlib.suppress(ValueError):
            return name, int(entry.content)
    return None


def _without_passes(wanted: str) -> dict[str, list[str]]:
    """Return the set for compilers without gcc's passes in place of a requested one, if any."""
    name = f"{wanted.partition('-')[0]}-O2"
    return {name: TUNINGS[name]} if name in TUNINGS else {}


def _measure_fastest(sets: Mapping[str, list[str]]) -> tuple[str, int] | None:
    """Return the fastest of the likely sets, or else of all, and its size for bypassing."""
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
    """Return the sets of flags that are likely to include the fastest.

    On x86 these are all instructions, but for FP16, by which gcc gathers slowly, and those of half
    the width where there is more.
    """
    flags = processor().split()
    if platform.machine().lower() not in ("x86_64", "amd64"):
        return dict(sets)
    names = ["native-no-fp16" if "avx512_fp16" in flags else "native"]
    names += ["native-half"] if "avx512f" in flags else []
    return {name: sets[name] for name in names if name in sets} or dict(sets)


def machine() -> list[object]:
    """Return what compiled code depends on besides its text: compiler, environment, processor."""
    words = compiler_command()
    programs = [found for word in words if (found := shutil.which(word))]
    stamps = [(path, os.stat(path).st_mtime_ns, os.stat(path).st_size) for path in programs]
    given = [environment_words(name) for name in GIVEN]
    return [words, stamps, given, processor(), sys.platform, sys.maxsize]


@functools.cache
def processor() -> str:
    """Return the model and the features of the processor."""
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

    The size is the fastest set's.  Sets are omitted that the compiler rejects, or that give other
    numbers than numpy, also for one sample.
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
            if alone is None or _select_correct({name: alone}, expected):  # refused: not needed
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
    """Return the bytes from which results that bypass the caches, then read once, take less time.

    Two results alternate, as in a loop that keeps the last one while it computes the next.
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
    except OSError:  # perhaps where libraries are cached
        return Trial(load_compiled(content, commands[-1], cache.store(name, content, ".so"), path))


def _select_correct(trials: dict[str, Trial], expected: np.ndarray) -> dict[str, Trial]:
    scale = np.max(np.abs(expected))
    return {
        name: trial
        for name, trial in trials.items()
        if np.allclose(trial.run(), expected, rtol=ROUNDING, atol=CANCELLED * scale)
    }


def _time(trials: dict[str, Trial]) -> dict[str, float]:
    """Return the shortest time of each, measured in turns, so that a busy moment affects all."""
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
