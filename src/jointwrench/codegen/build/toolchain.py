"""Which C compiler there is, and the fastest flags that it accepts."""

import hashlib
import json
import os
import platform
import shlex
import shutil
import sysconfig
from dataclasses import asdict, dataclass
from pathlib import Path

from . import cache
from .errors import CompilationError
from .processes import run, temporary_folder

#: Names the only set of flags to be tried, one of the keys of `TUNINGS`.
TUNING_VARIABLE = "JOINTWRENCH_TUNING"

# Nothing here may let the result of a sample depend on its place in the batch
# or on other samples: no fast-math.  A product and a sum may become one
# instruction (contraction): every sample goes through the same instructions.
# Since none reorders sums, the code may rely on their order (SUMS_AS_WRITTEN).
_SAFE = ["-g0", "-fvisibility=hidden", "-fno-fast-math", "-DSUMS_AS_WRITTEN"]
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

    Raises
    ======

    CompilationError
        If the environment variable CC is no command.
    """
    if os.name == "nt":
        return "cl.exe"
    command = _command()
    return shutil.which(command[0]) if command else None


def _command() -> list[str]:
    given = os.environ.get("CC", "").strip()
    return _words("CC", given or sysconfig.get_config_var("CC") or "cc")


def _flags_of_the_build() -> list[str]:
    """Return the flags that setuptools adds, and beside which others may be refused."""
    variables = ("CFLAGS", "CPPFLAGS")
    given = [word for name in variables for word in _words(name, os.environ.get(name, ""))]
    return [*_words("CFLAGS", sysconfig.get_config_var("CFLAGS") or ""), *given]


def _words(variable: str, text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError as error:
        raise CompilationError(
            f"The environment variable {variable} must hold words of a command, got {text!r} "
            f"({error}). Close the quotation, or unset it.",
            [],
            "",
        ) from error


def find_toolchain() -> Toolchain:
    """Return the compiler with the fastest flags that it accepts.

    The answer is kept, also in the cache, for as long as the compiler, its
    environment and the processor stay the same.

    Raises
    ======

    CompilationError
        If there is no compiler, or none that can be tried.
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
    try:
        return _find(wanted)
    except OSError as error:
        command = shlex.join(_command())
        raise CompilationError(
            f"The C compiler `{command}` could not be tried ({type(error).__name__}: {error}). "
            "Let the environment variable CC name a compiler, or use backend='numpy'.",
            _command(),
            str(error),
        ) from error


def _find(wanted: str) -> Toolchain:
    key = _key(wanted)
    if key in _known:
        return _known[key]
    recalled = _recall(key)
    if recalled is not None:
        return _known.setdefault(key, recalled)
    names = [wanted] if wanted else list(TUNINGS)
    with temporary_folder() as folder:
        name = _first_that_works(names, folder)
        if name is None:
            # The build will say what is wrong with the compiler, and the next one may find it well.
            return Toolchain(tuple(_command()), names[-1], tuple(TUNINGS[names[-1]]), "")
        found = _toolchain(name, folder)
        # What was refused for the moment only must not be left out for good.
        if name == names[0] or _first_that_works(names, folder) == name:
            _known[key] = found
            cache.write_note(key, json.dumps(asdict(found)))
        return found


def _key(wanted: str) -> str:
    """Return what stands for all that the choice depends on."""
    words = _command()
    programs = [found for word in words if (found := shutil.which(word))]
    stamps = [(path, os.stat(path).st_mtime_ns, os.stat(path).st_size) for path in programs]
    facts = [words, _flags_of_the_build(), stamps, wanted, TUNINGS, _PROBE, processor()]
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


def _first_that_works(names: list[str], folder: Path) -> str | None:
    """Return the name of the first set of flags that the compiler accepts."""
    (folder / "probe.c").write_text(_PROBE, encoding="utf-8")
    for name in names:
        tried = [*_call(name), "-fPIC", "-c", "probe.c", "-o", "probe.o"]
        if run(tried, folder)[0] == 0:
            return name
    return None


def _call(name: str) -> list[str]:
    return [*_command(), *_flags_of_the_build(), *TUNINGS[name]]


def _toolchain(name: str, folder: Path) -> Toolchain:
    command = _command()
    questions = [[*command, "--version"], [*_call(name), "-dM", "-E", "probe.c"]]
    identity = "".join(run(question, folder)[1] for question in questions)
    return Toolchain(tuple(command), name, tuple(TUNINGS[name]), identity)
