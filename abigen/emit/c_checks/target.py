"""Target `c-checks`: what the core's side of an API checks, so that nobody writes it by hand.

Per API, beside the path of its header:

- `api_asserts_1_0_0.h`, one for each release of the present major version: `static_assert`s of every size, alignment
  and offset that the release promised, for each kind of platform. It depends on nothing but what the API was at that
  release, so a later spec makes the same bytes; a spec that would change a number in it is refused. `api_asserts.h`
  includes all of them.
- `api_checks.h` and `api_checks.c`: a validator for each struct that a plugin fills, and a loader for each entry point.

The checks are a pair of files, not a header alone: opening a library takes <windows.h> or <dlfcn.h>, whose macros and
names no header of an API should bring into every file of a core; and one object file holds the tables once. The asserts
are headers alone, because they are for every file, of core and of plugins, and make no code.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Iterable, Iterator, Mapping

import msgspec

from abigen.emit.c.lines import comment, wrap_declaration
from abigen.emit.c.names import file_beside, refuse_clashes
from abigen.emit.c_checks.asserts import asserts_file, broken_promises, release_asserts
from abigen.emit.c_checks.loader import Loader, loader_of
from abigen.emit.c_checks.validators import ChainCheck, Validator, Validators
from abigen.emit.publication import GeneratedFile, Publication
from abigen.emit.templates import Templates
from abigen.model.identifiers import include_guard
from abigen.model.pattern import Pattern, parse_pattern
from abigen.model.releases import compatible_releases
from abigen.model.span import Diagnostic

_SHARED = ("Finding", "FindingFn")
_PLAIN = string.ascii_letters.encode() + string.digits.encode() + b" !#$%&'()*+,-./:;<=>@[]^_`{|}~"


class Checks(msgspec.Struct, frozen=True, kw_only=True):
    """Validators and loaders of an API."""

    publication: Publication
    path: str
    """Of the header."""
    asserts: str
    """The header of all asserts; empty where nothing has a layout."""
    validators: tuple[Validator, ...]
    chains: tuple[ChainCheck, ...]
    patterns: Mapping[str, Pattern]
    """By how they are written."""
    loaders: tuple[Loader, ...]

    @property
    def has_optional_tables(self) -> bool:
        """Whether any validator looks at an object only where the plugin gives one."""
        return any(nested.given for each in self.validators for nested in each.nested)


def outputs(publication: Publication, templates: Templates) -> Iterator[GeneratedFile]:
    """Write the checks of an API; nothing for one that has no structs and no entry point.

    Args:
        publication: the API.
        templates: the templates to use.

    Raises:
        AbigenError: the API has a name that a check would have, or a template is wrong.
    """
    asserts = list(_asserts(publication, templates))
    yield from asserts
    checks = _checks(publication, asserts[-1].path if asserts else "")
    if checks.validators or checks.loaders:
        yield GeneratedFile(checks.path, templates.render("c-checks/checks.h.j2", _FILTERS, checks=checks))
        source = file_beside(publication.header.path, "_checks.c")
        yield GeneratedFile(source, templates.render("c-checks/checks.c.j2", _FILTERS, checks=checks))


def contradictions(publication: Publication, old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[Diagnostic]:
    """Find what past releases have promised and the spec would change.

    Args:
        publication: the API.
        old: path to text of the files that are there.
        new: path to text of those that are to take their place.
    """
    header, structs = publication.header, publication.api.structs
    told: set[str] = set()
    for release in compatible_releases(header.releases)[:-1]:
        path = asserts_file(header.path, release)
        hint = "append a member instead, or raise the major version, which ends what older releases have promised"
        if release.major == 0:
            hint = f"append a member instead; where nobody relies on {release}, delete the file with its asserts"
        for type, member, text in broken_promises(old.get(path, ""), new.get(path, "")):
            if type not in told:
                told.add(type)
                struct = structs.get(type.rpartition(" ")[2])
                entity = (struct.member(member) or struct) if struct else None
                name = f"{type}.{member}" if member else type
                message = f"'{name}' {text}, but the layout of release {release} never changes"
                yield Diagnostic(entity.span if entity else None, message, hint)


def _asserts(publication: Publication, templates: Templates) -> Iterator[GeneratedFile]:
    """The asserts of each release, and behind them the header that includes them."""
    header = publication.header
    files: list[str] = []
    numbers: list[int] = []
    for release in compatible_releases(header.releases) or (None,):
        asserts = release_asserts(publication, release)
        if asserts is not None:
            files.append(asserts.path)
            numbers.append(header.hidden_below(release))
            yield GeneratedFile(asserts.path, templates.render("c-checks/release.h.j2", _FILTERS, asserts=asserts))
    path = asserts_file(header.path, None)
    if files and header.releases:
        view: Mapping[str, object] = {"publication": publication, "path": path, "files": files, "numbers": numbers}
        yield GeneratedFile(path, templates.render("c-checks/asserts.h.j2", _FILTERS, **view))


def _checks(publication: Publication, asserts: str) -> Checks:
    api, header = publication.api, publication.header
    validators = Validators(publication)
    entries = [each for each in api.functions.values() if each.in_api and each.entry_point]
    loaders = tuple(loader_of(each, publication, validators) for each in entries)
    made = [each.function for each in validators.all]
    for each in loaders:
        made += [each.library, each.function, each.prepare, each.load, each.load_handle, each.load_entry, each.unload]
    made += [each.check_core for each in loaders if each.check_core]
    if made:
        made += [f"{header.prefix}_{each}" for each in _SHARED]
        refuse_clashes(dict.fromkeys(made, "is what target c-checks calls something of its own"), api, "rename it")
    patterns = (member.field.pattern for each in validators.all for member in each.members)
    return Checks(
        publication=publication,
        path=file_beside(header.path, "_checks.h"),
        asserts=asserts,
        validators=validators.all,
        chains=validators.chains,
        patterns={each: parse_pattern(each) for each in patterns if each},
        loaders=loaders,
    )


def _condition(directive: str, condition: str) -> str:
    """A conditional directive, broken at `||` with a backslash at the end of each line but the last."""
    return directive + " || \\\n    ".join(condition.split(" || ")) if len(condition) > 70 else directive + condition


def _quoted(text: Iterable[int]) -> str:
    """Bytes as a string of C, with escapes for whatever could be misread: quotes, trigraphs, bytes beyond ASCII."""
    spelled = (chr(each) if each in _PLAIN else f"\\{each:03o}" for each in text)
    return f'"{"".join(spelled)}"'


_FILTERS: Mapping[str, Callable[..., object]] = {
    "comment": comment,
    "condition": _condition,
    "declaration": wrap_declaration,
    "guard": include_guard,
    "quoted": _quoted,
}
