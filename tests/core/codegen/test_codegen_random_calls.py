"""Arguments in all their forms: right numbers or a refusal, and memory is never used wrongly."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import random_calls

from jointwrench.mechanics.codegen.toolchain.compiler import compiler_command

ROOT = Path(__file__).parents[3]

#: Code of these flags stops where it uses memory wrongly, or where C leaves open what happens.
CHECKED = "-fsanitize=address,undefined -fno-sanitize-recover=undefined -O1 -g1"


def test_every_call_is_right_or_refused():
    calls = random_calls.make_calls(60)
    assert calls["good"] > calls["refused"] > 20


@pytest.fixture(scope="module")
def sanitizer():
    """The library that looks after memory."""
    command = [*compiler_command(), "-print-file-name=libasan.so"]
    place = subprocess.run(command, capture_output=True, text=True).stdout.strip()
    if sys.platform != "linux" or not os.path.isabs(place):
        pytest.skip("the compiler has no libasan.so")
    pytest.importorskip("Cython", reason="the extension is built again")
    return place


@pytest.mark.slow
def test_no_call_uses_memory_wrongly(sanitizer, tmp_path):
    """Some hundred calls; as many for each program as JOINTWRENCH_FUZZ says."""
    environment = {**os.environ, "CFLAGS": CHECKED, "LDFLAGS": CHECKED}
    build = ["setup.py", "-q", "build_ext", "--build-lib", tmp_path / "lib", "--build-temp"]
    subprocess.run([sys.executable, *build, tmp_path], cwd=ROOT, env=environment, check=True)
    (extension,) = tmp_path.joinpath("lib").rglob("_native*.so")
    environment |= {
        "ASAN_OPTIONS": "detect_leaks=0",  # Python keeps what lives as long as the process
        "JOINTWRENCH_CACHE": str(tmp_path),
        "JOINTWRENCH_TUNING": "plain",
        "LD_PRELOAD": sanitizer,
        "PYTHONMALLOC": "malloc",  # each object has memory of its own
    }
    count = os.environ.get("JOINTWRENCH_FUZZ", "200")
    command = [sys.executable, random_calls.__file__, extension, count]
    ended = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    assert "'good': " in ended.stdout
    for library in (extension, *tmp_path.glob("compiled/*.so")):
        assert b"__asan_" in library.read_bytes()
