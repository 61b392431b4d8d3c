"""Begin a plugin: a whole project, with sources, build, test and packaging."""

from __future__ import annotations

from pathlib import Path

import click

from abigen.cli import completion, terminal
from abigen.cli.options import spec_dir_option, templates_option
from abigen.generator.project import templates_of
from abigen.workspace.files import Files

_LANGUAGE = "c"

_EXAMPLES = """\b
The project is written to DIR, by default a folder with the plugin's name. abigen
owns the files in generated/ there, and overwrites them with --update. All other
files are yours.

\b
--api is the path of a spec below the folder of specs, without suffix, or a
file; API@1.2.0 is the API at an earlier release. With abigen come the APIs
rfc/stream_executor, tensorflow/kernels, tensorflow/stream_executor, xla/ffi
and xla/pjrt. Of vendors there are adbc, frei0r, ladspa, opencl_icd, pkcs11,
redis, sqlite and sudo.

\b
If --api is a header, abigen writes its spec to spec/ in the project. With
--entry, or if every compiler finds it, the header stays its vendor's, and the
plugin includes it. --entry names what the host looks up in each plugin; {name}
is replaced by the name of the plugin.

\b
Examples:
  abigen new XPU --api tensorflow/stream_executor --lang c
  abigen new XPU --api tensorflow/stream_executor --lang c --with kernels,ops
  abigen new XPU --api tensorflow/stream_executor --lang cpp --minimal
  abigen new gain --api ladspa --lang rust
  abigen new gain --api api.h --entry 'int api_{name}_init(const api_table* api)'
  abigen new --update xpu      after the API has had another release

\b
Exit codes: 0 fine; 2 a file exists already, or something is wrong, and nothing
was written.
"""


@click.command(epilog=_EXAMPLES)
@click.argument("name", required=False)
@click.argument("directory", required=False, metavar="[DIR]", type=click.Path(path_type=Path))
@click.option(
    "--api",
    metavar="API",
    shell_complete=completion.among(completion.apis_of_new),
    help="The API that the plugin is for.",
)
@click.option("--lang", "language", metavar="LANG", help="The programming language.  [default: c]")
@click.option(
    "--with", "features", multiple=True, metavar="FEATURE,...", help="Features to add, for example kernels,ops."
)
@click.option("--entry", "entries", multiple=True, metavar="NAME",
              help="What the host looks up in the plugin: a name, or a declaration that the header lacks.")  # fmt: skip
@click.option("-I", "includes", multiple=True, metavar="DIR", help="Also look for the vendor's header in DIR.")
@click.option("--minimal", is_flag=True, help="Write required functions only; no test, no packaging, no CI.")
@click.option("--device-type", metavar="TYPE", help="The type of the plugin's devices.  [default: NAME]")
@click.option("--force", is_flag=True, help="Overwrite existing files.")
@click.option("--update", is_flag=True, help="Bring the project in DIR up to the API's current release.")
@templates_option
@spec_dir_option
@click.pass_obj
def command(
    disk: Files,
    name: str | None,
    directory: Path | None,
    api: str | None,
    language: str | None,
    features: tuple[str, ...],
    entries: tuple[str, ...],
    includes: tuple[str, ...],
    minimal: bool,
    device_type: str | None,
    force: bool,
    update: bool,
    template_dir: Path | None,
    spec_dir: Path | None,
) -> int:
    """Begin a plugin: a whole project, with sources, build, test and packaging."""
    from abigen.generator.new.new_project import Surroundings, begin_project, update_project
    from abigen.generator.new.scaffold import Languages
    from abigen.generator.new.view import ScaffoldRequest

    languages = Languages(templates_of(template_dir, disk))
    with terminal.progress() as announce:
        around = Surroundings(languages, spec_dir, includes, announce, terminal.write_warnings)
        if update:
            given = {"--lang": language, "--with": features, "--minimal": minimal, "--device-type": device_type}
            for option, value in given.items():
                if value:
                    raise click.UsageError(f"{option} cannot change in an update.")
            text = update_project(name, directory, api, around)
        else:
            if name is None:
                raise click.UsageError("Missing argument 'NAME'.")
            if api is None:
                raise click.UsageError(f"Missing option '--api'; there are {', '.join(completion.apis_of_new())}.")
            request = ScaffoldRequest(
                name=name,
                device_type=device_type,
                api=api,
                language=language or _LANGUAGE,
                features=tuple(dict.fromkeys(word for given in features for word in given.split(",") if word)),
                minimal=minimal,
                entries=entries,
            )
            text = begin_project(request, directory, around, force=force)
    terminal.say(text)
    return 0
