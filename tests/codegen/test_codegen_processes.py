"""Commands that are run, and the folders in which they are."""

import os
import signal
import time

import pytest

from jointwrench.codegen.build import processes

pytestmark = pytest.mark.skipif(os.name == "nt", reason="uses a shell")

DAY = 24 * 3600.0


def test_what_is_left_running_holds_nothing_up(tmp_path):
    script = f"(sleep 15; touch '{tmp_path}/ended') & echo $!"
    returncode, printed = processes.run(["sh", "-c", script], tmp_path)
    assert not (tmp_path / "ended").exists()
    assert returncode == 0
    os.kill(int(printed), signal.SIGKILL)


def test_everything_printed_is_returned(tmp_path):
    script = r"echo out; echo error >&2; printf '\377'; exit 3"
    assert processes.run(["sh", "-c", script], tmp_path) == (3, "out\nerror\n\ufffd")


def test_temporary_files_go_into_the_folder(tmp_path):
    assert processes.run(["sh", "-c", "echo $TMPDIR"], tmp_path) == (0, f"{tmp_path}\n")


def test_empty_names_of_programs_count_as_unset(tmp_path, monkeypatch):
    monkeypatch.setenv("CC", "")
    monkeypatch.setenv("CFLAGS", "")
    script = "echo ${CC-unset} ${CFLAGS-unset}"
    assert processes.run(["sh", "-c", script], tmp_path) == (0, "unset\n")


def test_folders_left_over_are_removed(folder):
    names = ("jointwrench_unfinished_abcd_123", "jointwrench_unfinished_thoughts.d", "jointwrench")
    for name in names:
        (folder / name).mkdir()
        (folder / name / "file").write_text("")
        os.utime(folder / name, (0, time.time() - 2 * DAY))
    (folder / "jointwrench_unfinished_new_1234").mkdir()
    with processes.temporary_folder() as made:
        assert processes._NAME.fullmatch(made.name)
        left = sorted(path.name for path in folder.iterdir())
    assert left == sorted([*names[1:], "jointwrench_unfinished_new_1234", made.name])
    assert not made.exists()


def test_folders_of_another_user_stay(folder, monkeypatch):
    old = folder / "jointwrench_unfinished_abcd_123"
    old.mkdir()
    os.utime(old, (0, 0))
    monkeypatch.setattr(processes.os, "getuid", lambda: 12345)
    with processes.temporary_folder():
        assert old.exists()


def test_place_that_cannot_be_listed(tmp_path):
    processes._remove_left_over(tmp_path / "nowhere")
    assert not processes._is_left_over(tmp_path / "nowhere")
