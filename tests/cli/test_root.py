import os
import subprocess
import sys

import click
import pytest

from caveat.cli import main
from caveat.cli._root import caveat as group

CAVEAT = [sys.executable, "-m", "caveat"]


def call(capsys, *args):
    with pytest.raises(SystemExit) as stop:
        main(list(args))
    out, err = capsys.readouterr()
    return stop.value.code, out, err


def test_help_names_every_command_and_an_example(capsys):
    code, out, _ = call(capsys, "--help")
    assert code == 0
    assert "caveat audit loans.csv --target default" in out
    for command in ("run", "status", "report", "list", "data", "export"):
        assert command in out


def test_version_lists_libraries(capsys):
    code, out, _ = call(capsys, "--version")
    assert code == 0
    for library in ("caveat", "python", "numpy", "scikit-learn", "pandas"):
        assert f"{library} " in out


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["rnu"], ["'rnu'", "'run'"]),
        (["run"], ["STUDY"]),
        (["run", "x.yaml", "--jbos", "2"], ["--jbos", "--jobs"]),
        (["run", "absent.yaml"], ["absent.yaml", "cannot be read"]),
        (["run", "absent.yaml", "--jobs", "0"], ["--jobs 0"]),
        (["run", "absent.yaml", "--jobs", "many"], ["many"]),
        (["status", "absent.ledger"], ["absent.ledger", "run a study first"]),
        (["list", "lerners"], ["lerners"]),
        (["list", "learners", "--topic", "supervized"], ["supervized", "supervised"]),
        (["export", "absent.ledger"], ["absent.ledger"]),
        (["run", "demo", "--ledger", "://"], ["'://'", "is not a URL"]),
        (["status", "postgresql://me:word@h:port/x"], ["'h:port/x'", "as the port"]),
        (["diff", "a.ledger", "b.ledger"], ["a.ledger"]),
        (["diff", "a", "b", "--tolerance", "-1"], ["-1"]),
        (["prune", "absent.ledger"], ["absent.ledger"]),
        (["demo", "--out", f"{__file__}/x"], ["--out", "test_root.py", "is a file"]),
    ],
)
def test_a_mistake_gives_one_sentence_and_exit_code_2(
    capsys, tmp_path, monkeypatch, args, words
):
    monkeypatch.chdir(tmp_path)
    code, out, err = call(capsys, *args)
    assert code == 2
    assert out == ""
    assert err.startswith("caveat: ")
    assert err.count("\n") == 1
    assert [word for word in words if word not in err] == []
    assert os.listdir(tmp_path) == []


def test_names_are_shown_escaped(capsys):
    _, _, err = call(capsys, "run", "\x1b[31mred\n.yaml")
    assert "\x1b" not in err
    assert err.count("\n") == 1


def test_help_loads_nothing_heavy():
    code = (
        "import sys\n"
        "from caveat.cli import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit:\n    pass\n"
        "heavy = {'numpy', 'pandas', 'scipy', 'sklearn', 'torch', 'numba',"
        " 'matplotlib', 'sqlalchemy', 'pydantic', 'rich'}\n"
        "sys.exit(' '.join(sorted(heavy & set(sys.modules))) or 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    assert done.returncode == 0


@pytest.mark.parametrize(
    "module",
    [
        "caveat",
        "caveat.eapp",
        "caveat.datasets",
        "caveat.models",
        "caveat.multilabel",
        "caveat.bags",
        "caveat.board",
        "caveat.shift",
        "caveat.study",
        "caveat.supervised",
        "caveat.tables",
        "caveat.training",
    ],
)
def test_importing_a_package_loads_nothing_heavy(module):
    code = (
        f"import sys, {module}\n"
        "heavy = {'pandas', 'scipy', 'sklearn', 'torch', 'numba', 'matplotlib',"
        " 'lightgbm', 'xgboost', 'catboost', 'optuna'}\n"
        "sys.exit(' '.join(sorted(heavy & set(sys.modules))) or 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    assert done.returncode == 0


def test_a_bug_is_one_sentence_unless_debug_is_given(capsys, monkeypatch):
    import caveat.cli._list as module

    def broken(*_):
        raise ZeroDivisionError("oops")

    monkeypatch.setattr(module, "_topics", broken)
    code, _, err = call(capsys, "list", "topics")
    assert code == 1
    assert "ZeroDivisionError" in err
    assert err.count("\n") == 1
    with pytest.raises(ZeroDivisionError):
        main(["--debug", "list", "topics"])
    with pytest.raises(ZeroDivisionError):
        main(["list", "topics", "--debug"])


def test_no_color_and_quiet_are_respected(tmp_path):
    env = {**os.environ, "NO_COLOR": "1"}
    done = subprocess.run(
        [*CAVEAT, "--quiet", "list", "topics"],
        capture_output=True,
        text=True,
        env=env,
        check=False,
    )
    assert done.returncode == 0
    assert "\x1b" not in done.stdout
    assert done.stderr == ""


IMPORTED = """\
study: mine
topic: supervised
datasets: [iris]
learners: ['mine:Learner']
"""


def test_nothing_is_called_imported_that_is_not_allowed_to_be(
    capsys, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.yaml").write_text(IMPORTED)
    code, _, err = call(capsys, "run", "mine.yaml")
    assert code == 2
    assert err.count("\n") == 1
    assert "add --allow-import" in err


@pytest.mark.parametrize("command", ["run", "dry-run"])
def test_a_setting_of_another_type_is_refused_before_any_trial(
    capsys, tmp_path, monkeypatch, command
):
    monkeypatch.chdir(tmp_path)
    study = IMPORTED.replace("'mine:Learner'", "{name: logistic-regression, C: fast}")
    (tmp_path / "mine.yaml").write_text(study)
    more = ["--dry-run"] if command == "dry-run" else []
    code, _, err = call(capsys, "run", "mine.yaml", *more)
    assert code == 2
    assert "mine.yaml, line 4: logistic-regression: C is 'fast'" in err
    assert os.listdir(tmp_path) == ["mine.yaml"]


def commands(group, context):
    """Yield all commands, those of groups too."""
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        yield name, command
        if isinstance(command, click.Group):
            yield from commands(command, context)


def test_help_says_what_every_option_does():
    silent = [
        f"{name} {option.opts[0]}"
        for name, command in commands(group, click.Context(group))
        for option in command.params
        if isinstance(option, click.Option) and not option.help
    ]
    assert silent == []
