"""Nothing is compiled twice, and nothing that others could have written is loaded."""

import contextlib
import ctypes
import os
import re
import subprocess
import sys
import time
import warnings

import pytest

import jointwrench
from jointwrench.mechanics.codegen.toolchain import cache, library
from jointwrench.mechanics.codegen.toolchain.compiler import CompilationError

pytestmark = pytest.mark.optimised

posix = pytest.mark.skipif(os.name == "nt", reason="needs POSIX permissions")
root = pytest.mark.skipif(
    not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can act as another user"
)

SOURCE = """\
__attribute__((visibility("default"))) int evaluate_arrays(void);
int evaluate_arrays(void) { return 42; }
"""

KEYS = [f"{k:064x}" for k in range(4)]


def value():
    """Return what the function of the library returns."""
    return ctypes.CFUNCTYPE(ctypes.c_int)(library.load_library(SOURCE))()


def libraries(folder):
    return sorted(folder.glob("*.so"))


@pytest.fixture
def compilations(own_cache, monkeypatch):
    """The folders in which something has been compiled: a list that grows."""
    done, compile_library = [], library.compile_library

    def record(source, command, folder):
        done.append(folder)
        return compile_library(source, command, folder)

    monkeypatch.setattr(library, "compile_library", record)
    return done


def forget(monkeypatch):
    """Let this process forget what it has loaded."""
    monkeypatch.setattr(library, "_libraries", {})


@contextlib.contextmanager
def told_once(words, is_told=True):
    """Expect a warning that nothing is kept, or none."""
    cache._warn_once.cache_clear()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    texts = [str(warning.message) for warning in caught]
    assert len(texts) == is_told
    assert all(re.search(f"cannot be stored in .*{words}.* compiles them again", x) for x in texts)


IN_ANOTHER_PROCESS = """
import ctypes, sys
from jointwrench.mechanics.codegen.toolchain import library
library.choose_flags = lambda _: ["-O2"]
if sys.argv[2] == "cached":
    library.compile_library = None
print(ctypes.CFUNCTYPE(ctypes.c_int)(library.load_library(sys.argv[1]))())
"""


def other_process(how):
    command = [sys.executable, "-c", IN_ANOTHER_PROCESS, SOURCE, how]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


# -- what it is for ---------------------------------------------------------------


def test_compiled_once_for_all_processes(own_cache, compilations):
    assert [value(), value()] == [42, 42]
    assert len(compilations) == 1
    assert not compilations[0].path.exists()
    process = other_process("cached")
    printed, errors = process.communicate()
    assert (process.returncode, printed) == (0, "42\n"), errors


def test_processes_that_build_the_same_at_once(own_cache):
    processes = [other_process("new") for _ in range(2)]
    ended = [(*process.communicate(), process.returncode) for process in processes]
    assert [(printed, code) for printed, _, code in ended] == [("42\n", 0)] * 2, ended
    assert len(libraries(own_cache)) == 1


def test_clear_cache(own_cache, compilations, monkeypatch):
    value()
    jointwrench.clear_cache()
    assert not own_cache.exists()
    assert value() == 42
    assert len(compilations) == 1
    forget(monkeypatch)
    value()
    assert len(compilations) == 2


# -- what is not loaded -------------------------------------------------------------


def replace(path, content):
    """Change a file's content; the file that is loaded stays as it is."""
    other = path.with_suffix(".other")
    other.write_bytes(content)
    other.chmod(0o700)
    os.replace(other, path)


def make_foreign(path):
    path.unlink()
    cache.store(path.name.partition(".")[0], b"a library for another machine", ".so")


def make_link(path):
    path.rename(path.with_name("other"))
    path.symlink_to(path.with_name("other"))


SPOILED = {
    "empty": lambda path: replace(path, b""),
    "longer": lambda path: replace(path, path.read_bytes() + b"\0"),
    "right checksum, but no library for this machine": make_foreign,
    "link": make_link,
    "file of a group": lambda path: path.chmod(0o770),
    "file of all": lambda path: path.chmod(0o702),
    "folder of a group": lambda path: path.parent.chmod(0o770),
    "folder of all": lambda path: path.parent.chmod(0o702),
}


@posix
@pytest.mark.parametrize("how", SPOILED)
def test_what_cannot_be_trusted_is_rebuilt(own_cache, compilations, monkeypatch, how):
    value()
    (path,) = libraries(own_cache)
    SPOILED[how](path)
    forget(monkeypatch)
    is_folder = how.startswith("folder")
    with told_once("others can write", is_folder):
        for count in (2, 3 if is_folder else 2):  # an entry is there again, a folder stays unused
            assert value() == 42
            assert len(compilations) == count
            forget(monkeypatch)
    jointwrench.clear_cache()
    assert path.exists() == is_folder


@root
def test_what_another_user_owns_is_not_used(own_cache, compilations, monkeypatch):
    value()
    forget(monkeypatch)
    os.chown(own_cache, 12345, os.lstat(own_cache).st_gid)
    with told_once("another user"):
        assert value() == 42
    assert len(compilations) == 2


@posix
def test_folder_may_be_a_link(tmp_path, monkeypatch):
    (tmp_path / "target").mkdir(mode=0o700)
    (tmp_path / "link").symlink_to(tmp_path / "target")
    monkeypatch.setenv("JOINTWRENCH_CACHE", str(tmp_path / "link"))
    path = cache.store(KEYS[0], b"good", ".x")
    assert cache.find(KEYS[0]) == (path, b"good")


@posix
def test_folder_is_private(own_cache, compilations):
    value()
    assert own_cache.stat().st_mode & 0o777 == 0o700
    assert not libraries(own_cache)[0].stat().st_mode & 0o022


def test_a_file_that_cannot_be_read_hides_no_other_one(own_cache):
    good = cache.store(KEYS[0], b"good", ".x")
    (own_cache / f"{KEYS[0]}.{0:032x}.x").mkdir()
    assert cache.find(KEYS[0]) == (good, b"good")


# -- where there is no place for it ---------------------------------------------------


@pytest.mark.parametrize("place", ["off", "a file", "no such user", "home"])
def test_without_a_usable_folder(tmp_path, monkeypatch, folder, compilations, place):
    (tmp_path / "a file").write_text("")
    if place == "home":  # a home that cannot be written, here because it is a file
        monkeypatch.delenv("JOINTWRENCH_CACHE")
        monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
        monkeypatch.setenv("HOME", str(tmp_path / "a file"))
        monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "a file"))
    else:
        path = {"off": "off", "a file": str(tmp_path / "a file"), "no such user": "~nobody-here/x"}
        monkeypatch.setenv("JOINTWRENCH_CACHE", path[place])
    with told_once("directory|exists|home|user", place != "off"):
        assert value() == 42
    assert len(compilations) == 1
    assert list(folder.iterdir()) == []
    jointwrench.clear_cache()


def test_full_disk(own_cache, monkeypatch, compilations):
    def full(name, *others, **folders):
        if str(name).startswith("unfinished-"):
            raise OSError(28, "No space left on device")
        replace_file(name, *others, **folders)

    replace_file = os.replace
    monkeypatch.setattr(os, "replace", full)
    with told_once("No space left on device"):
        assert value() == 42
    assert list(own_cache.iterdir()) == []
    forget(monkeypatch)
    monkeypatch.setattr(library, "compile_library", lambda *_: full("unfinished-"))
    with pytest.raises(CompilationError, match=r"-o model.so[\s\S]*No space left on device"):
        value()


def test_where_nothing_can_be_loaded_from_the_cache(own_cache, compilations, folder, monkeypatch):
    """It is on a file system of that kind, or another process has just cleared it."""
    load = ctypes.CDLL

    def load_elsewhere(path):
        if not path.startswith(str(folder)):
            raise OSError("failed to map segment from shared object")
        return load(path)

    monkeypatch.setattr(ctypes, "CDLL", load_elsewhere)
    for count in (1, 2):
        forget(monkeypatch)
        assert value() == 42
        assert len(compilations) == count


# -- what stays and what goes ---------------------------------------------------------


def test_what_nobody_has_used_for_long_is_removed(own_cache):
    paths = [cache.store(key, b"1234", ".x") for key in KEYS[:3]]
    paths.append(own_cache / f"unfinished-{0:032x}-abcdefg_")
    paths[-1].write_text("")
    for path in (*paths[:2], paths[-1]):
        os.utime(path, (0, time.time() - cache.OLDEST - 1))
    cache.find(KEYS[0])
    cache.store(KEYS[3], b"1234", ".x")
    assert [path.exists() for path in paths] == [True, False, True, False]


def test_what_is_not_of_the_cache_stays(own_cache, compilations):
    value()
    names = ("old.txt", "unfinished-business", f"{0:064x}.so", "unfinished-1")
    for name in names:
        (own_cache / name).write_text("the user's own")
        os.utime(own_cache / name, (0, 0))
    (own_cache / "folder").mkdir()
    cache.store(KEYS[0], b"", ".x")
    jointwrench.clear_cache()
    assert sorted(path.name for path in own_cache.iterdir()) == sorted([*names, "folder"])


@pytest.mark.parametrize(
    ("system", "variables", "expected"),
    [
        ("linux", {"XDG_CACHE_HOME": "/x"}, "/x/jointwrench/compiled"),
        ("linux", {"HOME": "/h", "XDG_CACHE_HOME": "relative"}, "/h/.cache/jointwrench/compiled"),
        ("linux", {"HOME": "/h", "JOINTWRENCH_CACHE": "~/x"}, "/h/x/compiled"),
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
