"""The store of results: what it takes for a result, and what it makes of entries that it did not write."""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Callable, Mapping
from enum import Enum
from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest
from msgspec.structs import asdict

from abigen.model.span import AbigenError, Diagnostic, Span
from abigen.workspace.files import Files, digest
from abigen.workspace.result_cache import cache_folder, make_room, remember

posix = pytest.mark.skipif(os.name != "posix", reason="permissions are those of POSIX")


class Colour(Enum):
    RED = "red"


class Pair(NamedTuple):
    one: int
    two: str


class Circle(msgspec.Struct, frozen=True, tag=True):
    radius: int


class Square(msgspec.Struct, frozen=True, tag=True):
    side: int


class Thing(msgspec.Struct, frozen=True):
    name: str
    numbers: tuple[int, ...] = ()
    texts: list[str] = []
    table: Mapping[str, tuple[int, ...]] = {}
    kinds: frozenset[int] = frozenset()
    colour: Colour | None = None
    pair: Pair | None = None
    shape: Circle | Square | None = None
    inner: Thing | None = None


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of the test's own."""
    monkeypatch.setenv("ABIGEN_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


def _ask(key: str, make: Callable[[Files], Thing]) -> tuple[Thing, bool]:
    """Return a result, and whether it was made anew."""
    made = []
    files = Files()

    def work() -> Thing:
        made.append(make(files))
        return made[0]

    return remember([key], work, Thing, files), bool(made)


def _always(result: Thing) -> Callable[[Files], Thing]:
    return lambda _: result


@pytest.mark.usefixtures("folder")
def test_a_result_comes_back_as_it_was() -> None:
    thing = Thing(
        "x",
        (1, -(2**63)),
        ["a", ""],
        {"a": (1,), "b": ()},
        frozenset((1,)),
        Colour.RED,
        Pair(1, "x"),
        Square(2),
        Thing("inner"),
    )
    assert _ask("a", _always(thing)) == (thing, True)
    stored, made = _ask("a", _always(thing))
    assert (stored, made) == (thing, False)
    for name, value in asdict(thing).items():
        assert type(getattr(stored, name)) is type(value), name


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("thing", [Thing("\udc80"), Thing("x", (2**200,))], ids=["no UTF-8", "a large number"])
def test_what_the_format_cannot_hold_is_made_anew_each_time(thing: Thing) -> None:
    assert [_ask("a", _always(thing)) for _ in range(2)] == [(thing, True)] * 2


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("refusals", [True, False])
def test_a_refusal_comes_back_as_it_was_unless_it_is_to_be_forgotten(refusals: bool) -> None:
    made: list[AbigenError] = []

    def refuse() -> Thing:
        first = Diagnostic(Span("a.h", 1, 2, 3), "no", "hint", severity="warning")
        made.append(AbigenError((first, Diagnostic(None, "\u00fc"))))
        raise made[-1]

    def ask() -> AbigenError:
        with pytest.raises(AbigenError) as caught:
            remember(["a"], refuse, Thing, Files(), refusals=refusals)
        return caught.value

    assert [ask().diagnostics for _ in range(2)] == [made[0].diagnostics] * 2
    assert len(made) == (1 if refusals else 2)


@pytest.mark.usefixtures("folder")
def test_another_key_is_another_result() -> None:
    assert _ask("a", _always(Thing("a")))[1]
    assert _ask("b", _always(Thing("b"))) == (Thing("b"), True)
    assert _ask("a", _always(Thing("c"))) == (Thing("a"), False)


QUESTIONS: dict[str, Callable[[Files, Path], object]] = {
    "content": lambda files, path: files.read(path / "a.h") if files.is_file(path / "a.h") else b"",
    "kind": lambda files, path: (files.is_file(path / "b"), files.is_dir(path / "b"), files.exists(path / "b")),
    "entry": lambda files, path: (files.is_entry(path / "b"), files.is_link(path / "b")),
    "names": lambda files, path: files.names(path),
    "below": lambda files, path: files.below(path),
    "real": lambda files, path: files.real(path / "link"),
    "variable": lambda files, _: files.variable("ABIGEN_TEST"),
    "program": lambda files, path: files.program(path / "a.h"),
}
CHANGES: dict[str, Callable[[Path, pytest.MonkeyPatch], object]] = {
    "content": lambda path, _: _rewrite_keeping_time(path / "a.h"),
    "gone": lambda path, _: (path / "a.h").unlink(),
    "new file": lambda path, _: (path / "b").write_text(""),
    "new directory": lambda path, _: (path / "b").mkdir(),
    "new link": lambda path, _: (path / "b").symlink_to("nowhere"),
    "deep": lambda path, _: (path / "sub" / "b").write_text(""),
    "relinked": lambda path, _: ((path / "link").unlink(), (path / "link").symlink_to("a.h")),
    "variable": lambda _, patch: patch.setenv("ABIGEN_TEST", ""),
    "executable": lambda path, _: (path / "a.h").chmod(0o755),
}


def _rewrite_keeping_time(path: Path) -> None:
    """Change a file, and nothing that `ls` shows of it."""
    before = path.stat()
    path.write_text(path.read_text()[::-1])
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


@posix
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("question", QUESTIONS)
def test_a_result_holds_as_long_as_its_questions_have_the_same_answers(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, question: str, change: str
) -> None:
    place = tmp_path / "place"
    (place / "sub").mkdir(parents=True)
    (place / "a.h").write_text("int a;\n")
    (place / "link").symlink_to("sub")

    def make(files: Files) -> Thing:
        return Thing(repr(QUESTIONS[question](files, place)))

    first = _ask("a", make)
    assert _ask("a", make) == (first[0], False)
    CHANGES[change](place, monkeypatch)
    assert _ask("a", make)[0] == make(Files())
    assert len(list(folder.iterdir())) == 1


def test_what_cannot_be_looked_at_again_is_not_stored(folder: Path) -> None:
    def make(files: Files) -> Thing:
        files.do_not_store()
        return Thing("x")

    assert [_ask("a", make)[1] for _ in range(2)] == [True, True]
    assert not folder.exists()


@pytest.mark.usefixtures("folder")
def test_a_result_inside_of_another_counts_for_that_too(tmp_path: Path) -> None:
    file = tmp_path / "x"
    file.write_text("1")

    def outer(files: Files) -> Thing:
        return remember(["inner"], lambda: Thing(files.read(file).decode()), Thing, files)

    assert _ask("outer", outer) == (Thing("1"), True)
    assert _ask("other", outer) == (Thing("1"), True)  # the inner one comes from the store
    file.write_text("2")
    assert _ask("outer", outer) == (Thing("2"), True)
    assert _ask("other", outer) == (Thing("2"), True)


@pytest.mark.usefixtures("folder")
def test_what_is_asked_behind_an_inner_result_counts_too(tmp_path: Path) -> None:
    first, second = tmp_path / "1", tmp_path / "2"
    first.write_text("1")
    second.write_text("2")

    def outer(files: Files) -> Thing:
        inner = remember(["inner"], lambda: Thing(files.read(first).decode()), Thing, files)
        return Thing(inner.name + files.read(second).decode())

    assert _ask("outer", outer) == (Thing("12"), True)
    assert _ask("outer", outer) == (Thing("12"), False)
    second.write_text("3")
    assert _ask("outer", outer) == (Thing("13"), True)


def test_a_file_that_is_replaced_while_it_is_read_leaves_no_wrong_result(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "x"
    file.write_text("1")
    before = file.stat()

    def make(files: Files) -> Thing:
        read = files.read(file).decode()
        file.write_text("2")  # somebody saves it, and it even keeps its time
        os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
        assert files.read(file).decode() == read
        return Thing(read)

    assert _ask("a", make)[0] == Thing("1")
    assert _ask("a", lambda files: Thing(files.read(file).decode())) == (Thing("2"), True)
    assert folder.exists()


RIGHT = Thing("right", (1,))


class Trap:
    """A pickle that attacks its reader."""

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        return os.mkdir, ("trapped",)


def _foreign_entries(content: bytes) -> dict[str, bytes]:
    """Return contents of a file that is no entry."""
    body = content[40:]
    key, questions, refused, result = msgspec.msgpack.decode(body)
    found = {
        "empty": b"",
        "truncated": content[: len(content) // 2],
        "one byte less": content[:-1],
        "one byte more": content + b"]",
        "garbage": os.urandom(300),
        "text": b"x" * 300,
        "a pickle": pickle.dumps(Trap()),
        "old digest": content[:40] + body.replace(b"right", b"wrong"),
    }
    bodies: dict[str, object] = {
        "nothing": None,
        "a number": 3,
        "too short": [key, questions, refused],
        "too long": [key, questions, refused, result, 1],
        "another key": [key + "0", questions, refused, result],
        "no key": [None, questions, refused, result],
        "odd questions": [key, [["content"]], refused, result],
        "unknown question": [key, [["odour", "x", "y"]], refused, result],
        "questions of numbers": [key, [[1, 2, 3]], refused, result],
        "questions that are none": [key, 7, refused, result],
        "refused for nothing": [key, questions, [7], result],
        "no record": [key, questions, refused, [1, 2]],
        "too few parts": [key, questions, refused, {}],
        "a part of another kind": [key, questions, refused, result | {"numbers": ["x"]}],
        "unknown member": [key, questions, refused, result | {"colour": "green"}],
        "unknown class": [key, questions, refused, result | {"shape": {"type": "Star"}}],
        "plain": [key, questions, refused, "x"],
    }
    packed = {name: msgspec.msgpack.encode(value) for name, value in bodies.items()}
    deep = b"\x91" * 100_000
    packed |= {"deep": deep, "deep result": body[: -len(msgspec.msgpack.encode(result))] + deep + b"\xc0"}
    return found | {name: digest([each]).encode() + each for name, each in packed.items()}


def test_entries_that_somebody_else_has_written_are_made_anew(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    _ask("a", _always(RIGHT))
    (entry,) = folder.iterdir()
    content = entry.read_bytes()
    for name, foreign in _foreign_entries(content).items():
        entry.write_bytes(foreign)
        assert _ask("a", _always(RIGHT)) == (RIGHT, True), name
        assert entry.read_bytes() == content
    assert not (tmp_path / "trapped").exists()


@pytest.mark.usefixtures("folder")
def test_an_entry_under_the_name_of_another_is_made_anew(folder: Path) -> None:
    _ask("a", _always(Thing("a")))
    (first,) = folder.iterdir()
    _ask("b", _always(Thing("b")))
    (second,) = set(folder.iterdir()) - {first}
    first.write_bytes(second.read_bytes())
    assert _ask("a", _always(Thing("a"))) == (Thing("a"), True)
    assert _ask("a", _always(Thing("c"))) == (Thing("a"), False)


@posix
@pytest.mark.parametrize("mode", [0o777, 0o770, 0o720])
def test_a_folder_that_others_may_write_to_is_not_used(folder: Path, mode: int) -> None:
    folder.mkdir(mode=0o700)
    assert cache_folder() == folder
    folder.chmod(mode)
    assert cache_folder() is None


@posix
def test_a_folder_below_one_that_others_may_write_to_is_not_used(folder: Path, tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    assert cache_folder() is None
    tmp_path.chmod(0o1777)  # as /tmp: nobody can rename what is not theirs
    assert cache_folder() == folder


@posix
def test_a_link_to_a_folder_of_others_is_not_used(folder: Path, tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o777)
    folder.symlink_to(shared)
    assert cache_folder() is None


@pytest.mark.skipif(sys.platform != "linux", reason="Linux follows the XDG Base Directory Specification")
def test_the_place_follows_the_platform(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ABIGEN_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "abigen"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert cache_folder() == tmp_path / "home" / ".cache" / "abigen"


def test_what_was_stored_first_goes_when_there_is_too_much(tmp_path: Path) -> None:
    for number in range(6):
        path = tmp_path / f"{number}.msgpack"
        path.write_bytes(b"x" * 1000)
        os.utime(path, (number + 1, number + 1))
    (tmp_path / "cores").mkdir()
    make_room(tmp_path, 3500)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["3.msgpack", "4.msgpack", "5.msgpack", "cores"]
