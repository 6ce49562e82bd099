"""The shape of the house: short functions, thin commands, folders one can survey."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "caveat"
MOST_LINES, MOST_PARAMETERS = 80, 10
MOST_OF_A_COMMAND, MOST_MODULES = 120, 35


def functions(node, name=""):
    """Yield every function of a module with its full name."""
    for one in ast.iter_child_nodes(node):
        if isinstance(one, ast.ClassDef | ast.FunctionDef):
            full = f"{name}.{one.name}" if name else one.name
            if isinstance(one, ast.FunctionDef):
                yield full, one
            yield from functions(one, full)


def docstring_lines(node):
    first = node.body[0] if node.body else None
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
        return range(first.lineno, first.end_lineno + 1)
    return range(0)


def is_long(node):
    lines = node.end_lineno - node.lineno - len(docstring_lines(node))
    return lines > MOST_LINES


def is_wide(node):
    args = node.args
    every = [*args.posonlyargs, *args.args, *args.kwonlyargs]
    names = [one.arg for one in every if one.arg not in ("self", "cls")]
    return len(names) > MOST_PARAMETERS


def code_lines(path):
    """Count lines without docstrings, comments and blanks."""
    text = path.read_text("utf-8")
    documented = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            documented.update(docstring_lines(node))
    lines = enumerate(text.splitlines(), start=1)
    return sum(
        bool(line.strip()) and not line.strip().startswith("#") and n not in documented
        for n, line in lines
    )


def test_long_and_wide_functions_are_those_that_have_a_reason():
    found = {
        f"{path.relative_to(SOURCE).as_posix()}: {name}"
        for path in SOURCE.rglob("*.py")
        for name, node in functions(ast.parse(path.read_text("utf-8")))
        if is_long(node) or is_wide(node)
    }
    text = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    section = text.partition("## Long and wide functions")[2].partition("\n## ")[0]
    reasons = dict(re.findall(r"^\| `([^`]+)` \| (.+) \|$", section, flags=re.M))
    assert found == set(reasons)


def test_commands_are_thin():
    sizes = {path.name: code_lines(path) for path in (SOURCE / "cli").glob("*.py")}
    assert {name: n for name, n in sizes.items() if n > MOST_OF_A_COMMAND} == {}


def test_no_folder_has_more_modules_than_one_can_survey():
    counts = {
        folder.relative_to(SOURCE).as_posix(): len(list(folder.glob("*.py")))
        for folder in SOURCE.rglob("*")
        if folder.is_dir()
    }
    assert {name: n for name, n in counts.items() if n > MOST_MODULES} == {}


def test_no_two_folders_of_a_package_are_called_alike():
    for package in SOURCE.iterdir():
        names = [f.name for f in package.rglob("*") if (f / "__init__.py").is_file()]
        assert len(names) == len(set(names))


def walks():
    """Give the files that each of the two walks names."""
    text = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    section = text.partition("## Two walks")[2].partition("\n## ")[0]
    parts = [part for part in section.strip().split("\n\n") if part.startswith("**")]
    return [re.findall(r"`([\w/]+\.py)`", part) for part in parts]


def test_the_walks_name_files_that_are_there_and_count_them():
    there = [f"/{path.relative_to(SOURCE).as_posix()}" for path in SOURCE.rglob("*.py")]
    named = walks()
    for name in [one for walk in named for one in walk]:
        assert [path for path in there if path.endswith(f"/{name}")], name
    text = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    found = re.search(r"first walk names (\d+) files and the second (\d+)", text)
    assert [len(set(walk)) for walk in named] == [int(n) for n in found.groups()]
