"""Which C compiler there is, and the fastest flags that it accepts."""

import hashlib
import json
import os
import platform
import shlex
import shutil
import sysconfig
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

from . import cache
from .errors import CompilationError
from .processes import run

#: Names the only set of flags to be tried, one of the keys of `TUNINGS`.
TUNING_VARIABLE = "JOINTWRENCH_TUNING"

# Nothing here may let the result of a sample depend on its place in the batch
# or on other samples: no fast-math.  A product and a sum may become one
# instruction (contraction): every sample goes through the same instructions.
_SAFE = ["-g0", "-fvisibility=hidden", "-fno-fast-math"]
_FAST = ["-O3", *_SAFE, "-fno-math-errno", "-fno-trapping-math", "-ffp-contract=fast"]

#: Sets of flags by name, from the fastest to the plainest.
TUNINGS = {
    "native-wide": [*_FAST, "-march=native", "-mprefer-vector-width=512"],
    "native": [*_FAST, "-march=native"],
    "native-cpu": [*_FAST, "-mcpu=native"],
    "portable": _FAST,
    "plain": ["-O2"],
}

_PROBE = """\
#include <math.h>

void probe(double *x)
{
    for (int k = 0; k < 8; k++)
        x[k] = sqrt(fabs(x[k])) + 1.0;
}
"""


@dataclass(frozen=True)
class Toolchain:
    """A compiler with flags.

    Attributes
    ==========

    command : tuple of str
        What calls the compiler.
    tuning : str
        The name of the set of flags.
    flags : tuple of str
        The flags.
    identity : str
        What the compiler says of itself and of the target: version, features.
    """

    command: tuple[str, ...]
    tuning: str
    flags: tuple[str, ...]
    identity: str


_known: dict[str, Toolchain] = {}


def find_compiler() -> str | None:
    """Return the path of the C compiler that setuptools will call, None if it is not there.

    On Windows setuptools looks for its compiler elsewhere than on the path; it
    is taken to be there.
    """
    if os.name == "nt":
        return "cl.exe"
    command = _command()
    return shutil.which(command[0]) if command else None


def _command() -> list[str]:
    return shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")


def find_toolchain() -> Toolchain:
    """Return the compiler with the fastest flags that it accepts.

    The answer is kept, also in the cache, for as long as the compiler, its
    environment and the processor stay the same.

    Raises
    ======

    CompilationError
        If there is no compiler.
    ValueError
        If the environment variable JOINTWRENCH_TUNING names no set of flags.
    """
    if find_compiler() is None:
        raise CompilationError(
            "No C compiler was found. Use backend='numpy', or install one (for instance gcc or "
            "clang) and let the environment variable CC name it.",
            [],
            "",
        )
    if os.name == "nt":
        return Toolchain(("cl.exe",), "plain", ("/O2",), platform.python_compiler())
    wanted = os.environ.get(TUNING_VARIABLE, "")
    if wanted and wanted not in TUNINGS:
        raise ValueError(
            f"The environment variable {TUNING_VARIABLE} must be one of {', '.join(TUNINGS)}, "
            f"got {wanted!r}."
        )
    key = _key(wanted)
    if key not in _known:
        _known[key] = _recall(key) or _probe(key, [wanted] if wanted else list(TUNINGS))
    return _known[key]


def _key(wanted: str) -> str:
    """Return what stands for all that the choice depends on."""
    words = _command()
    programs = [found for word in words if (found := shutil.which(word))]
    stamps = [(path, os.stat(path).st_mtime_ns, os.stat(path).st_size) for path in programs]
    facts = [words, stamps, wanted, TUNINGS, _PROBE, processor()]
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()


def processor() -> str:
    """Return what is known of the processor: its model and its features."""
    words = [platform.machine(), platform.processor()]
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return " ".join(words)
    wanted = ("model name", "flags", "Features", "CPU implementer", "CPU part", "isa", "cpu")
    lines = (line.partition(":") for line in text.splitlines())
    return " ".join([*words, *sorted({v for name, _, v in lines if name.strip() in wanted})])


def _recall(key: str) -> Toolchain | None:
    text = cache.read_note(key)
    if text is None:
        return None
    try:
        known = json.loads(text)
        return Toolchain(
            tuple(known["command"]), known["tuning"], tuple(known["flags"]), known["identity"]
        )
    except (ValueError, KeyError, TypeError):
        return None


def _probe(key: str, names: list[str]) -> Toolchain:
    command = _command()
    with tempfile.TemporaryDirectory(prefix="jointwrench_", ignore_cleanup_errors=True) as folder:
        (Path(folder) / "probe.c").write_text(_PROBE, encoding="utf-8")
        for name in names:
            flags = TUNINGS[name]
            tried = [*command, *flags, "-fPIC", "-c", "probe.c", "-o", "probe.o"]
            returncode, _ = run(tried, Path(folder))
            if returncode == 0:
                macros = [*command, *flags, "-dM", "-E", "probe.c"]
                identity = "".join(
                    run(c, Path(folder))[1] for c in ([*command, "--version"], macros)
                )
                found = Toolchain(tuple(command), name, tuple(flags), identity)
                cache.write_note(key, json.dumps(asdict(found)))
                return found
    # The build will say what is wrong with the compiler.
    return Toolchain(tuple(command), names[-1], tuple(TUNINGS[names[-1]]), "")
