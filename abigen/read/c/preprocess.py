"""Preprocessing: a header as its users wrote it becomes a `Unit`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from abigen.model.span import AbigenError, Span
from abigen.read.c.lexer import lex
from abigen.read.c.unit import Comment, MacroDefinition, SystemText, Token, Unit
from abigen.read.options import ReadOptions, SourceFile

if TYPE_CHECKING:
    from abigen.model.target import Target

_MARKER = re.compile(r'^# (\d+) "((?:\\.|[^"\\\n])*)"([ \d]*)\n', re.MULTILINE)
_DIRECTIVE = re.compile(r"^#[ \t]*(define|undef)[ \t]+(\w+)(\([^)\n]*\))?[ \t]*([^\n]*)$", re.MULTILINE)
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


def preprocess(sources: Sequence[SourceFile], options: ReadOptions, target: Target) -> Unit:
    """Preprocess headers, in turn, as one translation unit."""
    import subprocess

    command = ["gcc", "-E", "-C", "-dD", f"-std={options.std}", *[f"-I{each}" for each in options.include_dirs]]
    command += [f"-D{each}" for each in options.defines] + [f"-U{each}" for each in options.undefines]
    for source in sources:
        command += ["-include", source.path]
    result = subprocess.run([*command, "-x", "c", "-"], input="", capture_output=True, text=True, errors="replace")
    if result.returncode:
        raise AbigenError.at(None, result.stderr.strip())
    own = {source.path: source.name for source in sources}
    tokens: list[Token] = []
    comments: list[Comment] = []
    macros: dict[str, MacroDefinition] = {}
    system_texts: list[SystemText] = []
    dependencies: dict[str, None] = {}
    system_files: dict[str, None] = {}
    parts = _MARKER.split(result.stdout)
    for line_text, name, flags, text in zip(parts[1::4], parts[2::4], parts[3::4], parts[4::4], strict=True):
        line = int(line_text)
        file = own.get(name) or options.display_name(name)
        for match in _DIRECTIVE.finditer(text):
            macros.pop(match[2], None)
            if match[1] == "define":
                parameters = None if match[3] is None else tuple(each.strip() for each in match[3][1:-1].split(","))
                at = line + text.count("\n", 0, match.start())
                macros[match[2]] = MacroDefinition(match[2], parameters, match[4].strip(), file, at, 9)
        if name.startswith("<"):
            continue
        dependencies[name] = None
        text = _DIRECTIVE.sub("", text)
        if "3" in flags.split():
            system_files[name] = None
            system_texts.append(SystemText(file, line, _COMMENT.sub(lambda m: "\n" * m[0].count("\n") or " ", text)))
            continue
        tokens += lex(text, file, line)
        if name in own:
            for match in _COMMENT.finditer(text):
                start = text.rfind("\n", 0, match.start()) + 1
                at = line + text.count("\n", 0, match.start())
                trailing = bool(text[start : match.start()].strip())
                span = Span(file, at, match.start() - start + 1, len(match[0].split("\n")[0]))
                comments.append(Comment(match[0], span, at + match[0].count("\n"), trailing))
    return Unit(
        tokens=tuple(tokens),
        comments=tuple(comments),
        macros=tuple(macros.values()),
        own_files=tuple(own.values()),
        dependencies=tuple(str(Path(each)) for each in dependencies),
        system_files=tuple(system_files),
        system_texts=tuple(system_texts),
    )
