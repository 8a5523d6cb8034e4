"""Nobody else can exchange what is written or loaded: targets, private folders, libraries."""

import multiprocessing
import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import jointwrench as jw
from jointwrench.checks.files import load_bytes, private_folder, replace_files
from jointwrench.checks.locks import Lock

pytestmark = pytest.mark.skipif(not hasattr(os, "getuid"), reason="needs POSIX permissions")
root = pytest.mark.skipif(
    not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can act as another user"
)

#: The number of a user without rights.
OTHER = 65534


def mode_of(path):
    return stat.S_IMODE(path.stat().st_mode)


# -- targets -------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o444, 0o666])
def test_replaced_files_keep_their_mode(tmp_path, mode):
    path = tmp_path / "a.json"
    path.write_text("old")
    path.chmod(mode)
    replace_files({path: "new"})
    assert (path.read_text(), mode_of(path)) == ("new", mode)
    assert [*tmp_path.iterdir()] == [path]


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_new_files_have_the_usual_mode(tmp_path, umask):
    before = os.umask(umask)
    try:
        replace_files({tmp_path / "a": ""})
    finally:
        os.umask(before)
    assert mode_of(tmp_path / "a") == 0o666 & ~umask


def test_links_stay_links(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "target")
    for text in ("new", "newer"):  # the target is missing at first
        replace_files({tmp_path / "link": text})
        assert (tmp_path / "link").is_symlink()
        assert (tmp_path / "target").read_text() == text


def make_device(path):
    os.mknod(path, 0o666 | stat.S_IFCHR, os.makedev(1, 3))


@pytest.mark.parametrize("make", [os.mkfifo, pytest.param(make_device, marks=root)])
@pytest.mark.parametrize("by_link", [False, True])
def test_what_is_no_regular_file_is_refused(tmp_path, make, by_link):
    path = tmp_path / "special"
    make(path)
    kind = stat.S_IFMT(path.lstat().st_mode)
    (tmp_path / "link").symlink_to(path)
    with pytest.raises(ValueError, match="`path` must be a regular file"):
        replace_files({tmp_path / "link" if by_link else path: "x"})
    assert stat.S_IFMT(path.lstat().st_mode) == kind


TABLE = jw.Table([0, 1], ["knee"], [1, 1])


@pytest.mark.parametrize(
    "write",
    [
        lambda path: jw.recordings.write_csv(path, TABLE),
        lambda path: jw.recordings.write_storage(path, TABLE),
        lambda path: jw.pictures.InteractiveView("<!DOCTYPE html>").save(path),
        lambda x: jw.InverseDynamics(jw.SerialChain.planar(1).system).derivation("S_0").to_html(x),
    ],
)
def test_no_writer_waits_for_a_pipe(tmp_path, write):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ValueError, match="`path` must be a regular file"):
        write(tmp_path / "pipe")
    write(tmp_path / "file")
    assert (tmp_path / "file").stat().st_size


@pytest.mark.parametrize("name", ["a\0b", "x" * 300, "x/" * 3000 + "a", "circle"])
def test_impossible_paths_are_refused(tmp_path, name):
    (tmp_path / "circle").symlink_to(tmp_path / "circle")
    with pytest.raises(ValueError, match="`path` must be a path that the system accepts"):
        replace_files({tmp_path / name: "x"})


@root
def test_links_of_another_user_are_refused(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "own")
    os.chown(tmp_path / "link", OTHER, OTHER, follow_symlinks=False)
    with pytest.raises(PermissionError, match="`path` must not be another user's link"):
        replace_files({tmp_path / "link": "x"})


@root
def test_the_superuser_leaves_a_file_to_its_owner(tmp_path):
    (tmp_path / "a").write_text("old")
    os.chown(tmp_path / "a", OTHER, OTHER)
    replace_files({tmp_path / "a": "new"})
    assert (tmp_path / "a").stat().st_uid == OTHER


# -- private folders -----------------------------------------------------------------------


@pytest.mark.parametrize("umask", [0o000, 0o002, 0o022, 0o077])
def test_all_new_folders_are_private(tmp_path, umask):
    before = os.umask(umask)
    try:
        with private_folder(tmp_path / "a" / "b" / "c", make=True) as folder:
            folder.write("file", b"content")
            assert folder.read("file") == b"content"
    finally:
        os.umask(before)
    for path in (tmp_path / "a", tmp_path / "a" / "b", tmp_path / "a" / "b" / "c"):
        assert mode_of(path) == 0o700


def refused(path):
    match = r"others can write to .*: chmod go-w"
    with pytest.raises(PermissionError, match=match), private_folder(path, make=True):
        pass
    return True


@pytest.mark.parametrize("mode", [0o770, 0o775, 0o777, 0o702])
def test_parents_that_others_can_write_to_are_refused(tmp_path, mode):
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared").chmod(mode)
    assert refused(tmp_path / "shared" / "own" / "compiled")
    assert [*(tmp_path / "shared").iterdir()] == []
    (tmp_path / "link").symlink_to(tmp_path / "shared" / "own")
    assert refused(tmp_path / "link" / "compiled")
    (tmp_path / "shared").chmod(mode | stat.S_ISVTX)  # as /tmp is
    with private_folder(tmp_path / "shared" / "own" / "compiled", make=True) as folder:
        assert folder.names() == []


@root
@pytest.mark.parametrize("is_link", [False, True])
def test_parents_of_another_user_are_refused(tmp_path, is_link):
    path = tmp_path / "other"
    path.symlink_to(tmp_path) if is_link else path.mkdir()
    os.chown(path, OTHER, OTHER, follow_symlinks=False)
    assert refused(path / "compiled")


@root
def test_folders_of_the_superuser_are_trusted(tmp_path, monkeypatch):
    (tmp_path / "home").mkdir()
    os.chown(tmp_path / "home", OTHER, OTHER)
    monkeypatch.setattr(os, "getuid", lambda: OTHER)  # the folders above are root's
    with private_folder(tmp_path / "home") as folder:
        assert folder.names() == []


def test_a_link_is_no_private_folder(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path)
    with pytest.raises(OSError, match="link"), private_folder(tmp_path / "link"):
        pass


def test_a_folder_that_is_exchanged_is_still_the_checked_one(tmp_path):
    path = tmp_path / "own"
    with private_folder(path, make=True) as folder:
        folder.write("file", b"own")
        path.rename(tmp_path / "moved")
        path.mkdir()
        (path / "file").write_bytes(b"another's")
        assert folder.read("file") == b"own"


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, lambda path: path.symlink_to("file")])
def test_only_regular_files_are_read(tmp_path, make):
    tmp_path.chmod(0o700)
    with private_folder(tmp_path) as folder:
        folder.write("file", b"")
        make(tmp_path / "other")
        with pytest.raises(OSError, match="other"):
            folder.read("other")


# -- libraries -----------------------------------------------------------------------------


def libraries(folder, count):
    for k in range(count):
        (folder / "x.c").write_text(f"int f(void) {{ return {k}; }}")
        subprocess.run(["cc", "-shared", "-fPIC", "-o", "x.so", "x.c"], cwd=folder, check=True)
        yield k, (folder / "x.so").read_bytes()


def test_the_bytes_are_loaded_and_each_library_is_its_own(tmp_path):
    for number, content in libraries(tmp_path, 3):
        (tmp_path / "x.so").write_bytes(b"exchanged since")
        if hasattr(os, "memfd_create"):
            assert load_bytes(content, tmp_path / "x.so").f() == number


def test_a_path_is_loaded_where_there_are_no_anonymous_files(tmp_path, monkeypatch):
    monkeypatch.delattr(os, "memfd_create", raising=False)
    ((number, content),) = libraries(tmp_path, 1)
    assert load_bytes(content, tmp_path / "missing.so", tmp_path / "x.so").f() == number
    with pytest.raises(OSError, match=r"missing\.so"):
        load_bytes(content, tmp_path / "missing.so")


# -- locks ---------------------------------------------------------------------------------

HELD = Lock()


def enter():
    with HELD:
        pass


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_process_finds_locks_open():
    if "fork" not in multiprocessing.get_all_start_methods():
        pytest.skip("this system does not fork")
    is_held, is_over = threading.Event(), threading.Event()

    def hold():
        with HELD:
            is_held.set()
            is_over.wait(60)

    thread = threading.Thread(target=hold)
    thread.start()
    is_held.wait(60)
    child = multiprocessing.get_context("fork").Process(target=enter)
    child.start()
    child.join(30)
    is_over.set()
    thread.join()
    assert child.exitcode == 0


def test_a_lock_lets_its_own_thread_in():
    with HELD:
        enter()


def test_nothing_beside_data_is_imported(tmp_path):
    """Neither from ``python -c`` nor with an empty entry in PYTHONPATH."""
    pytest.importorskip("xacrodoc", reason="needs xacrodoc (pip install 'jointwrench[xacro]')")
    text = "<robot name='r' xmlns:xacro='http://www.ros.org/wiki/xacro'><link name='w'/></robot>"
    data, home = tmp_path / "data", tmp_path / "home"
    data.mkdir()
    home.mkdir()
    (data / "r.urdf.xacro").write_text(text)
    for name in ("yaml", "glob", "json", "ast", "xacrodoc", "encodings", "sitecustomize"):
        (data / f"{name}.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')")
    code = f"import jointwrench.robots as r; r.read_urdf({str(data / 'r.urdf.xacro')!r})"
    path = os.pathsep.join(["", *filter(None, sys.path)])
    options = {"cwd": home, "env": {**os.environ, "PYTHONPATH": path}, "capture_output": True}
    ran = subprocess.run([sys.executable, "-c", code], text=True, **options)
    assert "no link" in ran.stderr or ran.returncode == 0, ran.stderr
    assert not Path(tmp_path / "ran").exists()
