"""Files are written whole, under names that nobody foresees, and read if plain."""

import errno
import os
import re
import socket
import stat
from pathlib import Path

import pytest

import caveat
from caveat._files import new_file, open_plain, read_plain, replacing, write_whole
from caveat.candidates import Annotations
from caveat.cli import main
from caveat.datasets import read
from caveat.exceptions import CaveatError, DataError, InvalidInput, LedgerError
from caveat.study import Ledger, load_study

SOURCE = Path(caveat.__file__).parent


def test_a_file_is_replaced_and_nothing_is_left_beside_it(tmp_path):
    path = tmp_path / "a.csv"
    for content in ("one", b"two"):
        assert write_whole(path, content) == path
    assert path.read_bytes() == b"two"
    assert os.listdir(tmp_path) == ["a.csv"]
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~mask


def test_a_name_as_long_as_a_name_can_be_is_written(tmp_path):
    path = tmp_path / ("n" * 255)
    assert write_whole(path, "x").read_text() == "x"


def test_an_error_in_the_middle_leaves_the_old_file_and_no_other(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("old")
    with pytest.raises(KeyboardInterrupt):
        _interrupted(path)
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["a.csv"]


def _interrupted(path):
    with replacing(path) as file:
        file.write(b"half")
        raise KeyboardInterrupt


def test_a_link_is_replaced_and_never_written_through(tmp_path):
    """Neither one of the target's name, nor one that awaits the temporary file."""
    private = tmp_path / "private"
    private.write_text("private")
    (tmp_path / "a.csv").symlink_to(private)
    write_whole(tmp_path / "a.csv", "new")
    (tmp_path / "part").symlink_to(private)
    with pytest.raises(FileExistsError):
        new_file(tmp_path / "part")
    assert private.read_text() == "private"
    assert (tmp_path / "a.csv").read_text() == "new"


def test_temporary_names_cannot_be_foreseen(tmp_path):
    seen = set()
    for _ in range(5):
        with replacing(tmp_path / "a.csv"):
            seen.update(name for name in os.listdir(tmp_path) if name != "a.csv")
    assert len(seen) == 5
    assert all(len(name) == len(".0123456789abcdef.part") for name in seen)


@pytest.mark.parametrize("kind", ["pipe", "socket", "device", "folder", "link"])
def test_what_is_no_plain_file_is_neither_read_nor_replaced(tmp_path, kind):
    path = special(tmp_path, kind)
    with pytest.raises(OSError, match=r"device or a pipe|directory"):
        open_plain(path)
    with pytest.raises(InvalidInput, match=r"device or a pipe|directory"):
        write_whole(path, "x")
    assert not stat.S_ISREG(os.stat(path).st_mode)


def special(folder, kind):
    """Make something that has a file's name and is none."""
    path = folder / f"{kind}.csv"
    if kind == "folder":
        path.mkdir()
    elif kind == "device":
        path.symlink_to("/dev/zero")
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as one:
            one.bind(str(path))
    else:
        os.mkfifo(path if kind == "pipe" else folder / "fifo")
        if kind == "link":
            path.symlink_to(folder / "fifo")
    return path


def test_a_link_to_a_plain_file_is_read(tmp_path):
    (tmp_path / "b").write_text("content")
    (tmp_path / "a").symlink_to(tmp_path / "b")
    assert read_plain(tmp_path / "a") == b"content"


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "parquet", "arff", "mat", "npz"])
@pytest.mark.parametrize("sample", [None, 10])
def test_data_readers_refuse_pipes_and_devices_at_once(tmp_path, ending, sample):
    path = tmp_path / f"x.{ending}"
    for make in (os.mkfifo, lambda place: os.symlink("/dev/zero", place)):
        make(path)
        with pytest.raises(DataError, match="a device or a pipe"):
            read(path, sample=sample)
        path.unlink()


def test_every_other_reader_refuses_pipes_too(tmp_path):
    path = tmp_path / "pipe.yaml"
    os.mkfifo(path)
    with pytest.raises(InvalidInput, match="a device or a pipe"):
        load_study(path)
    for write in (False, True):
        with pytest.raises(LedgerError, match="a device or a pipe"):
            Ledger(path, write=write)
    with pytest.raises(DataError, match="a device or a pipe"):
        Annotations.load(path)


def test_a_companion_file_may_be_no_pipe_either(tmp_path):
    (tmp_path / "x.arff").write_text("@relation x\n@attribute a {0,1}\n@data\n0\n")
    os.mkfifo(tmp_path / "labels.xml")
    with pytest.raises(CaveatError, match="a device or a pipe"):
        read(tmp_path / "x.arff", labels="labels.xml")


@pytest.mark.thorough
def test_the_command_line_says_it_in_one_sentence(tmp_path, capsys):
    os.mkfifo(tmp_path / "x.csv")
    with pytest.raises(SystemExit) as stop:
        main(["audit", str(tmp_path / "x.csv"), "--target", "y"])
    told = capsys.readouterr().err
    assert stop.value.code == 2
    assert "a device or a pipe" in told
    assert told.count("\n") == 1


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO, errno.EDQUOT])
@pytest.mark.parametrize("call", ["open", "fsync", "replace"])
def test_whatever_fails_the_old_file_stays_and_the_sentence_says_why(
    tmp_path, monkeypatch, call, number
):
    path = tmp_path / "a.csv"
    path.write_text("old")

    def fail(*_, **__):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, call, fail)
    with pytest.raises(InvalidInput, match=os.strerror(number)):
        write_whole(path, "new")
    monkeypatch.undo()
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["a.csv"]


def test_nothing_in_the_package_writes_a_file_in_another_way():
    """Whoever adds a writer uses `caveat._files`; these words would go past it."""
    others = re.compile(
        r"\.write_bytes\(|\.write_text\(|mkstemp|NamedTemp|copyfile|"
        r"open\([^)\n]*[\"'][wax]b?[\"']|to_(csv|parquet)\((path|place|file|target)"
    )
    found = [
        f"{path.relative_to(SOURCE)}: {line.strip()}"
        for path in sorted(SOURCE.rglob("*.py"))
        for line in path.read_text("utf-8").splitlines()
        if others.search(line) and not line.strip().startswith(">>>")
    ]
    # The kernel takes this one; it is no file.
    kernel = 'study/engines/_worker.py: Path("/proc/self/clear_refs").write_text("5")'
    assert [line for line in found if line != kernel] == []
