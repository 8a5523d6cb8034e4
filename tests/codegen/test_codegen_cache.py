"""Nothing is compiled twice, and nothing that others could have written is loaded."""

import os
import stat
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import pytest
import sympy as sm
from codegen_programs import build, q

import jointwrench
import jointwrench.codegen.build.modules as build_module
from jointwrench.codegen import CompilationError, compile_program
from jointwrench.codegen.build import cache
from jointwrench.codegen.text.generator import MODULE, ProgramCythonGenerator

posix = pytest.mark.skipif(os.name == "nt", reason="needs POSIX permissions")
SUFFIX = build_module.EXTENSION_SUFFIXES[0]


def program(factor=2):
    return build({"out": ((1,), [factor * sm.sin(q[0])])}, {"q": q})


def value(factor=2):
    evaluate = compile_program(program(factor), backend="c")
    return evaluate([0.5, 0, 0], None, None).outputs["out"][0]


def modules(folder):
    return sorted(folder.glob(f"*{SUFFIX}"))


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """What the compiler makes of the program, once for all tests."""
    folder = tmp_path_factory.mktemp("build")
    texts = {**ProgramCythonGenerator(program()).sources(), "flags.json": '["-O1"]'}
    return build_module._compile(folder, texts, MODULE).read_bytes()


@pytest.fixture
def compilations(monkeypatch, library):
    """What has been compiled: a list that grows; the compiler itself is not called."""
    done = []

    def record(folder, texts, name):
        done.append(texts)
        path = folder / (name + SUFFIX)
        path.write_bytes(library)
        return path

    monkeypatch.setattr(build_module, "_compile", record)
    return done


def forget(monkeypatch):
    """Let this process forget what it has loaded."""
    monkeypatch.setattr(build_module, "_modules", {})


IN_ANOTHER_PROCESS = """
import sys
import jointwrench.codegen.build.modules as build_module
sys.path.insert(0, sys.argv[1])
from test_codegen_cache import value
if sys.argv[2] == "cached":
    build_module._compile = None
print(value())
"""


def other_process(how):
    command = [sys.executable, "-c", IN_ANOTHER_PROCESS, os.path.dirname(__file__), how]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_compiled_once_for_all_processes(own_cache, compilations):
    expected = value()
    assert value() == expected
    assert len(compilations) == 1
    process = other_process("cached")
    printed, errors = process.communicate()
    assert process.returncode == 0, errors
    assert float(printed) == expected


def test_processes_that_build_the_same_at_once(own_cache):
    processes = [other_process("new") for _ in range(2)]
    printed = [process.communicate() for process in processes]
    assert len({out for out, _ in printed}) == 1, printed
    assert not list(own_cache.glob("unfinished-*"))


def test_threads_that_build_the_same_at_once(own_cache, compilations):
    with ThreadPoolExecutor(4) as pool:
        results = set(pool.map(lambda _: value(), range(4)))
    assert len(results) == 1
    assert len(compilations) == 1


@posix
@pytest.mark.parametrize("content", [b"", b"not a library"])
def test_broken_entries_are_rebuilt(own_cache, compilations, monkeypatch, content):
    expected = value()
    (path,) = modules(own_cache)
    replacement = own_cache / "replacement"  # the loaded file itself must stay
    replacement.write_bytes(content)
    os.replace(replacement, path)
    forget(monkeypatch)
    assert value() == expected
    assert len(compilations) == 2
    assert modules(own_cache)[0].stat().st_size > 1000


@posix
def test_foreign_entries_are_rebuilt(own_cache, compilations, monkeypatch):
    """An entry with the right checksum that is no module for this Python."""
    value()
    (path,) = modules(own_cache)
    key = path.name.partition(".")[0]
    path.unlink()
    cache.store(key, b"a library for another machine", SUFFIX)
    forget(monkeypatch)
    assert value() == pytest.approx(2 * 0.479425538604203)
    assert len(compilations) == 2


@posix
@pytest.mark.parametrize("mode", [0o770, 0o702])
def test_folder_that_others_can_write_to_is_not_used(own_cache, compilations, monkeypatch, mode):
    value()
    own_cache.chmod(mode)
    forget(monkeypatch)
    value()
    assert len(compilations) == 2
    own_cache.chmod(0o700)
    modules(own_cache)[0].chmod(0o666)
    forget(monkeypatch)
    value()
    assert len(compilations) == 3


@posix
@pytest.mark.parametrize(
    ("mode", "users_group", "used"),
    [
        (0o702, True, False),
        (0o770, False, False),
        (0o770, True, True),
        (0o1777, False, True),
        (0o755, False, True),
    ],
)
def test_folders_above(own_cache, monkeypatch, mode, users_group, used):
    """Who can write to one of them can put another folder in the place of this one."""
    monkeypatch.setattr(cache, "_is_users_group", lambda number: users_group)
    assert cache.store(f"{0:064x}", b"", ".x") is not None
    own_cache.parent.chmod(mode)
    assert (cache.store(f"{1:064x}", b"", ".x") is not None) == used
    assert (cache.find(f"{0:064x}", ".x") is not None) == used


@posix
def test_folders_above_belong_to_the_user_or_to_root():
    def is_safe(kind, owner):
        return cache._is_safe(os.stat_result((kind | 0o755, 0, 0, 0, owner, 0, 0, 0, 0, 0)))

    assert is_safe(stat.S_IFDIR, os.getuid())
    assert is_safe(stat.S_IFDIR, 0)
    assert not is_safe(stat.S_IFDIR, os.getuid() + 12345)
    assert not is_safe(stat.S_IFLNK, os.getuid())


@posix
@pytest.mark.parametrize(
    ("name", "members", "expected"),
    [("me", [], True), ("me", ["me"], True), ("me", ["me", "you"], False), ("staff", [], False)],
)
def test_groups_of_one_user(monkeypatch, name, members, expected):
    import grp
    import pwd

    monkeypatch.setattr(pwd, "getpwuid", lambda _: SimpleNamespace(pw_name="me", pw_gid=7))
    monkeypatch.setattr(grp, "getgrgid", lambda _: SimpleNamespace(gr_name=name, gr_mem=members))
    assert cache._is_users_group(7) == expected
    assert not cache._is_users_group(8)


@posix
def test_groups_of_unknown_users(monkeypatch):
    monkeypatch.setattr(cache.os, "getuid", lambda: 987654321)
    assert not cache._is_users_group(0)


@posix
@pytest.mark.parametrize(("mode", "used"), [(0o700, True), (0o707, False)])
def test_links_are_followed(tmp_path, monkeypatch, mode, used):
    """It is the folders that a link leads to that have to be safe."""
    (tmp_path / "target").mkdir(mode=0o700)
    (tmp_path / "target").chmod(mode)
    (tmp_path / "link").symlink_to(tmp_path / "target")
    monkeypatch.setenv("JOINTWRENCH_CACHE", str(tmp_path / "link"))
    assert (cache.store(f"{0:064x}", b"", ".x") is not None) == used


@posix
def test_new_folders_above_are_private(tmp_path, monkeypatch):
    monkeypatch.setenv("JOINTWRENCH_CACHE", str(tmp_path / "one" / "two"))
    before = os.umask(0)
    try:
        cache.store(f"{0:064x}", b"", ".x")
    finally:
        os.umask(before)
    for name in ("one", "one/two", "one/two/compiled"):
        assert (tmp_path / name).stat().st_mode & 0o777 == 0o700


@posix
def test_relative_folder_where_there_is_none(tmp_path, monkeypatch):
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    monkeypatch.setenv("JOINTWRENCH_CACHE", "here")
    assert cache.cache_folder() is None
    assert cache.find("key", ".x") is None
    jointwrench.clear_cache()


@posix
def test_folder_in_the_home(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("JOINTWRENCH_CACHE", "~/x")
    assert cache.cache_folder() == tmp_path / "x" / "compiled"
    monkeypatch.setenv("JOINTWRENCH_CACHE", "~no-such-user/x")
    assert cache.cache_folder() is None


def test_a_file_that_cannot_be_read_hides_no_other_one(own_cache, monkeypatch):
    key = f"{0:064x}"
    good = cache.store(key, b"good", ".x")
    bad = own_cache / f"{key}.{0:032x}.x"
    bad.write_bytes(b"bad")
    read_bytes = Path.read_bytes

    def read(path):
        if path.name == bad.name:
            raise OSError(5, "Input/output error")
        return read_bytes(path)

    monkeypatch.setattr(Path, "read_bytes", read)
    assert cache.find(key, ".x") == good


def test_where_nothing_can_be_loaded_from_the_cache(own_cache, compilations, monkeypatch):
    """It is on a file system of that kind, or another process has just cleared it."""
    load = build_module._load

    def load_elsewhere(path, name):
        if path.parent.name == "compiled":
            raise ImportError("failed to map segment from shared object")
        return load(path, name)

    monkeypatch.setattr(build_module, "_load", load_elsewhere)
    assert value() == pytest.approx(2 * 0.479425538604203)
    assert len(compilations) == 1


@posix
def test_folder_of_another_user_is_not_used(own_cache, compilations, monkeypatch):
    value()
    forget(monkeypatch)
    monkeypatch.setattr(cache.os, "getuid", lambda: 12345)
    value()
    assert len(compilations) == 2


@posix
def test_folder_is_private(own_cache, compilations):
    value()
    assert own_cache.stat().st_mode & 0o777 == 0o700
    assert not modules(own_cache)[0].stat().st_mode & 0o022


@pytest.mark.parametrize("place", ["off", "a file", "relative", "home"])
def test_without_a_usable_folder(tmp_path, monkeypatch, folder, compilations, place):
    forget(monkeypatch)
    (tmp_path / "a file").write_text("")
    monkeypatch.chdir(tmp_path)
    if place == "home":  # a home that cannot be written, here because it is a file
        monkeypatch.delenv("JOINTWRENCH_CACHE")
        monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
        monkeypatch.setenv("HOME", str(tmp_path / "a file"))
        monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "a file"))
    else:
        path = {"off": "off", "a file": str(tmp_path / "a file"), "relative": "here"}[place]
        monkeypatch.setenv("JOINTWRENCH_CACHE", path)
    assert value() == pytest.approx(2 * 0.479425538604203)
    assert len(compilations) == 1
    assert list(folder.iterdir()) == []
    assert (tmp_path / "here").exists() == (place == "relative")


def test_full_disk(own_cache, monkeypatch, compilations):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(cache.os, "replace", full)
    value()
    assert modules(own_cache) == []
    assert list(own_cache.glob("unfinished-*")) == []
    forget(monkeypatch)
    monkeypatch.setattr(build_module, "_compile", full)
    with pytest.raises(CompilationError, match=r"setup.py[\s\S]*No space left on device"):
        value()


def test_old_and_unfinished_files_are_removed(own_cache, compilations, monkeypatch):
    value()
    (path,) = modules(own_cache)
    old, new = (own_cache / f"unfinished-{k:032x}-abcdefg_" for k in range(2))
    old.write_text("")
    new.write_text("")
    os.utime(old, (0, time.time() - 2 * 24 * 3600))
    cache.trim()
    assert path.exists()
    assert list(own_cache.glob("unfinished-*")) == [new]
    monkeypatch.setattr(cache, "OLDEST", -1)
    cache.trim()
    assert modules(own_cache) == []


def test_what_was_not_used_for_longest_is_removed_first(own_cache, monkeypatch):
    paths = [cache.store(f"{k:064x}", b"1234", ".x") for k in range(4)]
    for k, path in enumerate(paths):
        os.utime(path, (0, time.time() - k))
    monkeypatch.setattr(cache, "LARGEST", 10)
    cache.trim()
    assert [path.exists() for path in paths] == [True, True, False, False]


def test_what_is_not_of_the_cache_stays(own_cache, compilations):
    value()
    names = ("old.txt", "unfinished-business", f"{0:064x}.so", "unfinished-1")
    for name in names:
        (own_cache / name).write_text("the user's own")
        os.utime(own_cache / name, (0, 0))
    (own_cache / "folder").mkdir()
    cache.trim()
    jointwrench.clear_cache()
    assert sorted(path.name for path in own_cache.iterdir()) == sorted([*names, "folder"])


@posix
def test_folder_that_others_can_write_to_is_not_cleared(own_cache, compilations):
    value()
    own_cache.chmod(0o707)
    jointwrench.clear_cache()
    assert modules(own_cache)


def test_clear_cache(own_cache, compilations, monkeypatch):
    value()
    jointwrench.clear_cache()
    assert not own_cache.exists()
    forget(monkeypatch)
    value()
    assert len(compilations) == 2


@pytest.mark.parametrize(
    ("system", "variables", "expected"),
    [
        ("linux", {"XDG_CACHE_HOME": "/x"}, "/x/jointwrench/compiled"),
        ("linux", {"HOME": "/h", "XDG_CACHE_HOME": "relative"}, "/h/.cache/jointwrench/compiled"),
        ("darwin", {"HOME": "/h"}, "/h/Library/Caches/jointwrench/compiled"),
        ("win32", {"LOCALAPPDATA": "/l"}, "/l/jointwrench/compiled"),
    ],
)
@posix
def test_place(monkeypatch, system, variables, expected):
    monkeypatch.delenv("JOINTWRENCH_CACHE")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    for name, path in variables.items():
        monkeypatch.setenv(name, path)
    monkeypatch.setattr(cache.sys, "platform", system)
    assert str(cache.cache_folder()) == expected
