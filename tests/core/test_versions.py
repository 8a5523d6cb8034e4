"""`show_versions` tells what a report of an error needs."""

import pytest

import jointwrench as jw
from jointwrench.mechanics.codegen.toolchain.compiler import find_compiler


def shown(capsys):
    jw.show_versions()
    return dict(line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines())


def test_packages_and_tools(capsys, tmp_path, monkeypatch):
    monkeypatch.setenv("JOINTWRENCH_CACHE", str(tmp_path))
    monkeypatch.setenv("JOINTWRENCH_TUNING", "plain")
    rows = shown(capsys)
    assert rows["jointwrench"] == jw.__version__
    assert rows.keys() >= {"sympy", "pydy", "numpy", "scipy", "Python", "machine", "extension"}
    assert rows["cache"] == str(tmp_path / "compiled")
    if find_compiler() is None:
        pytest.skip("no C compiler")
    assert rows["compiler"].startswith(find_compiler())
    assert rows["flags"] == "plain: -O2"


def test_without_compiler_or_cache(capsys, monkeypatch):
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setenv("JOINTWRENCH_CACHE", "off")
    rows = shown(capsys)
    assert rows["compiler"].startswith("none found: numpy evaluates")
    assert rows["cache"] == "off"
    assert "flags" not in rows


def test_flags_that_are_unknown(capsys, monkeypatch):
    monkeypatch.setenv("JOINTWRENCH_TUNING", "fastest")
    if find_compiler() is None:
        pytest.skip("no C compiler")
    assert "must be one of native" in shown(capsys)["flags"]
