"""What the compiler accepts is found out under the conditions of the build, and not for good."""

import os

import pytest
from codegen_programs import build, q

from jointwrench.codegen import CompilationError, compile_program
from jointwrench.codegen.build import toolchain

pytestmark = pytest.mark.skipif(os.name == "nt", reason="flags of gcc and clang")


def test_compiler_that_is_no_program(tmp_path, monkeypatch, folder):
    path = tmp_path / "no-program"
    path.write_bytes(b"\0\1\2\3")
    path.chmod(0o755)
    monkeypatch.setenv("CC", str(path))
    with pytest.raises(CompilationError, match=r"no-program` could not be tried .* variable CC"):
        compile_program(build({"out": ((1,), [q[0]])}, {"q": q}), backend="c")
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("variable", ["CC", "CFLAGS"])
def test_quotation_without_an_end(variable, monkeypatch):
    monkeypatch.setenv(variable, "cc '")
    for backend in ("c", "auto"):
        with pytest.raises(CompilationError, match=rf"variable {variable} must .*No closing quo"):
            compile_program(build({"out": ((1,), [q[0]])}, {"q": q}), backend=backend)


def test_compiler_that_fails_for_a_while(compiler, own_cache, tmp_path):
    compiler(f"if [ -e '{tmp_path}/full' ]; then exit 1; fi; exec cc \"$@\"")
    (tmp_path / "full").touch()
    assert toolchain.find_toolchain().tuning == "plain"
    assert not list(own_cache.glob("*.json"))
    (tmp_path / "full").unlink()
    assert toolchain.find_toolchain().tuning != "plain"


def test_compiler_that_fails_once(compiler, own_cache, tmp_path):
    compiler('exec cc "$@"')
    expected = toolchain.find_toolchain().tuning
    compiler(f"if mkdir '{tmp_path}/once'; then exit 1; fi; exec cc \"$@\"")
    toolchain.find_toolchain()
    assert (tmp_path / "once").exists()
    assert toolchain.find_toolchain().tuning == expected


def test_flags_that_are_refused_beside_those_of_the_build(compiler, own_cache, monkeypatch):
    compiler('case "$*" in *-DTWO*-m*=native*) exit 1;; esac; exec cc "$@"')
    without = toolchain.find_toolchain().tuning
    monkeypatch.setenv("CFLAGS", "-DTWO")
    assert toolchain.find_toolchain().tuning == "portable"
    monkeypatch.setenv("CFLAGS", "")
    assert toolchain.find_toolchain().tuning == without
