"""Two headers made comparable for libabigail: one file of C that uses every type and function of an API."""

from __future__ import annotations

import subprocess
from pathlib import Path

from abigen.model.api import Api
from abigen.model.entities import Handle
from abigen.model.target import default_targets
from abigen.runner.skew.data_exchange import type_name
from abigen.specs.load import load
from abigen.workspace.options import ReadOptions
from tests.tools import require

_DEBUG = ("-g", "-O0", "-fno-eliminate-unused-debug-types", "-fPIC", "-shared")


def api_of(spec: Path) -> Api:
    """Return the API that a spec describes."""
    return load(str(spec), ReadOptions(targets=default_targets(), cache=False)).groups[0].api


def use_everything(api: Api, header: str) -> str:
    """C that defines a variable for every type of an API, and a pointer to every function."""
    lines = [f'#include "{header}"', "int something;"]
    for struct in api.structs.values():
        if struct.in_api and struct.fields is not None and not struct.anonymous:
            lines.append(f"{type_name(struct)} object_{struct.name};")
    for enum in api.enums.values():
        if enum.in_api:
            lines.append(f"{enum.typedef_names[0]} value_{enum.name};")
    for typedef in api.typedefs.values():
        if typedef.in_api:
            star = "*" if isinstance(typedef, Handle) and not typedef.by_pointer else ""
            lines.append(f"{typedef.name}{star} use_{typedef.name};")
    for function in api.functions.values():
        if function.in_api and not function.declared_by:
            lines.append(f"__typeof__({function.name})* pointer_{function.name};")
    return "\n".join(lines) + "\n"


def sizes(api: Api, header: str, include: Path, folder: Path) -> dict[str, int]:
    """Return the values of an API's size constants, as a compiled program prints them."""
    prints = "".join(
        f'  printf("{name} %zu\\n", {name});\n' for name, each in api.size_constants.items() if each.in_api
    )
    text = f'#include <stdio.h>\n#include "{header}"\nint main(void) {{\n{prints}  return 0;\n}}\n'
    program = folder / "sizes"
    (compiler,) = require("gcc")
    command = [compiler, f"-I{include}", "-x", "c", "-", "-o", str(program)]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    output = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    return {name: int(value) for name, value in (line.split() for line in output.splitlines())}


def shared_object(text: str, include: Path, output: Path, compiler: str = "gcc") -> Path:
    """Compile C with all debug information; the compiler must not complain."""
    require(compiler)
    language = "c++" if "++" in compiler else "c"
    command = [compiler, *_DEBUG, f"-I{include}", "-x", language, "-", "-o", str(output)]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return output


def abidiff(old: Path, new: Path) -> str:
    """Return the differences that libabigail finds between two shared objects; empty for none."""
    (program,) = require("abidiff")
    command = [program, "--no-show-locs", str(old), str(new)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert not done.returncode & 3, done.stderr or done.stdout
    return done.stdout if done.returncode else ""
