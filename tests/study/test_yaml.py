import pytest

from caveat.exceptions import InvalidInput
from caveat.study.files._yaml import parse_yaml, read_yaml


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("lr: 1e-3", 0.001),
        ("lr: .5", 0.5),
        ("lr: -2", -2),
        ("lr: no", "no"),
        ("lr: on", "on"),
        ("lr: 010", "010"),
        ("lr: 1_000", "1_000"),
        ("lr: 12:30:00", "12:30:00"),
        ("lr: 2024-01-01", "2024-01-01"),
        ("lr: 0x1F", "0x1F"),
        ("lr: .nan", ".nan"),
        ("lr: .inf", ".inf"),
        ("lr: true", True),
        ("lr: ~", None),
        ("lr:", None),
        ("lr: '5'", "5"),
        ("lr: [1, b]", [1, "b"]),
    ],
)
def test_scalars_are_read_as_people_mean_them(text, expected):
    assert parse_yaml(text).data == {"lr": expected}


def test_every_part_remembers_its_line():
    document = parse_yaml("a: 1\nb:\n  - x\n  - {c: 2}\n")
    assert document.where(("b", 1, "c")) == "study, line 4"
    assert document.where(("b", 1, "absent")) == "study, line 4"


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a: 1\nb: 2\na: 3", ["'a' stands twice", "lines 1 and 3"]),
        ("a: !!python/object:os.system x", ["line 1", "tags", "not allowed"]),
        ("a: !thing x", ["tags", "not allowed"]),
        ("a: [1, 2", ["line", "not valid YAML"]),
        ("", ["is empty"]),
        ("# only a comment", ["is empty"]),
        ("a: 1\n---\nb: 2", ["not valid YAML"]),
        ("? [x, y]\n: 1", ["a key must be plain text"]),
        ("a: \x00", ["not valid YAML"]),
        ("[" * 2000 + "]" * 2000, ["study"]),
    ],
)
def test_what_cannot_be_meant_is_refused_in_one_sentence(text, words):
    with pytest.raises(InvalidInput) as caught:
        parse_yaml(text)
    message = str(caught.value)
    assert "\n" not in message
    assert all(word in message for word in words)


def test_a_bomb_of_aliases_is_not_unfolded():
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    for level in range(1, 9):
        lines.append(f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 9)}]")
    with pytest.raises(InvalidInput, match=r"aliases|parts"):
        parse_yaml("\n".join(lines))


def test_files_that_are_no_text_are_refused(tmp_path):
    path = tmp_path / "study.yaml"
    path.write_bytes(b"\xff\xfe\x00a")
    with pytest.raises(InvalidInput, match="not UTF-8"):
        read_yaml(path)
    with pytest.raises(InvalidInput, match="cannot be read"):
        read_yaml(tmp_path / "absent.yaml")
    path.write_bytes(b"a" * (1 << 20) + b"a")
    with pytest.raises(InvalidInput, match="bytes"):
        read_yaml(path)


def test_a_byte_order_mark_does_no_harm(tmp_path):
    path = tmp_path / "study.yaml"
    path.write_bytes(b"\xef\xbb\xbfa: 1\r\nb: 2\r\n")
    assert read_yaml(path).data == {"a": 1, "b": 2}
