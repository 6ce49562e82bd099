"""What a registered thing is or does stands in its row or class, not in an `if`."""

import ast
import re
from importlib import import_module
from pathlib import Path

from caveat._registry import Registry

SOURCE = Path(__file__).parent.parent / "src" / "caveat"
#: Registered names that the code compares with all the same, and why.
EXPLAINED = {
    "candidates/result.py: self.chosen == VOTE": "nothing is compared with itself",
    "multilabel/_compare.py: name != POPULARITY": "it is judged among the floors",
    "multilabel/thresholds/_per_label.py: measure != 'macro_f1'": "a rule of its own",
}
MOST = 5
#: What is compared with words that only happen to be registered names, too.
OTHER_MEANINGS = {
    "aggregate": "how values of several splits become one",
    "arrays": "the parts of a file of matrices",
    "baseline": "whether a study has one at all",
    "columns": "whether a table has that column",
    "constant": "which constant answer is a measure's floor",
    "draws": "whether a measure could be computed for a model",
    "facts": "the parts of a packed model",
    "groups": "how bags are put together",
    "job": "a value of a made-up column",
    "kind": "of a finding, or of a verdict",
    "link": "how the sums of trees become answers",
    "method": "how the drivers of a value are found",
    "needs": "what an importance is computed from",
    "part": "of an audit",
    "regressor": "what carries thresholds to new rows",
    "remedy": "what is done against a finding",
    "scaling": "of columns",
    "start": "where alternating mean map starts",
    "strategy": "what is put into a gap of a column",
    "strong": "the kind of column that is planted",
    "task": "what is predicted",
    "trees": "how many a test of independence grows",
    "variant": "how bags come to be",
}


def has_rows(path):
    return bool(re.search(r"^\w+ = Registry\(", path.read_text("utf-8"), flags=re.M))


def module_of(path):
    return ".".join(path.relative_to(SOURCE.parent).with_suffix("").parts)


def registered():
    """Give all names of all registries, with hyphens and with underscores."""
    modules = [import_module(module_of(p)) for p in SOURCE.rglob("*.py") if has_rows(p)]
    tables = [
        one for m in modules for one in vars(m).values() if isinstance(one, Registry)
    ]
    names = {name for table in tables for name in table}
    return names | {name.replace("-", "_") for name in names}


def constants(tree):
    """Give what a module calls by capital letters."""
    return {
        target.id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }


def with_imported(module, known, trees):
    """Give a module's constants, and those that it imports from other modules.

    Not from registries: a default that stands there, such as `RULE`, has its place.
    """
    found = dict(known[module])
    for node in trees[module].body:
        if isinstance(node, ast.ImportFrom) and node.module in known:
            theirs = known[node.module]
            found |= {
                one.asname or one.name: theirs[one.name]
                for one in node.names
                if one.name in theirs
            }
    return found


def words(node, named):
    """List the strings that one side of a comparison offers."""
    node = named.get(node.id, node) if isinstance(node, ast.Name) else node
    several = isinstance(node, ast.Tuple | ast.List | ast.Set)
    parts = node.elts if several else [node]
    values = [part.value for part in parts if isinstance(part, ast.Constant)]
    return {value for value in values if isinstance(value, str)}


def subject(node):
    """Give the last name of what is compared: `task` of `dataset.task`."""
    match node:
        case ast.Call(func=ast.Attribute(attr="get"), args=[first, *_]):
            return subject(first)
        case ast.Subscript(slice=part):
            return subject(part)
        case ast.Attribute(attr=name) | ast.Name(id=name) | ast.Constant(value=name):
            return str(name)
    return ""


def comparisons(tree):
    """Yield every (comparison, one side, other side), also those of match-cases."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            for one, how, other in zip(sides, node.ops, sides[1:], strict=False):
                if isinstance(how, ast.Eq | ast.NotEq | ast.In | ast.NotIn):
                    yield from ((node, one, other), (node, other, one))
        if isinstance(node, ast.Match):
            for case in node.cases:
                for value in ast.walk(case.pattern):
                    if isinstance(value, ast.MatchValue):
                        yield value, value.value, node.subject


def found_comparisons():
    names = registered()
    paths = {module_of(path): path for path in SOURCE.rglob("*.py")}
    trees = {name: ast.parse(path.read_text("utf-8")) for name, path in paths.items()}
    code = [name for name in trees if not has_rows(paths[name])]
    known = {name: constants(trees[name]) for name in code}
    return [
        f"{paths[name].relative_to(SOURCE).as_posix()}: {ast.unparse(node)}"
        for name in code
        for node, one, other in comparisons(trees[name])
        if words(one, with_imported(name, known, trees)) & names
        and subject(other) not in OTHER_MEANINGS
    ]


def test_no_code_asks_for_a_registered_name_except_where_it_is_explained():
    found = found_comparisons()
    assert set(found) == set(EXPLAINED)
    assert len(found) <= MOST


def test_a_comparison_is_seen_however_it_is_written():
    tree = ast.parse(
        "BOTH = ('auc', 'rmse')\n"
        "if a.measure in BOTH or 'auc' == b['measure'] or c != 'auc': pass\n"
        "match told.get('measure'):\n"
        "    case 'rmse' | 'auc': pass\n"
    )
    seen = [
        subject(other)
        for _, one, other in comparisons(tree)
        if words(one, constants(tree)) & {"auc", "rmse"}
    ]
    assert sorted(seen) == ["c", "measure", "measure", "measure", "measure"]
