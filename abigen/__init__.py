"""abigen: one declarative spec drives a C plugin API, and a checker judges every change to it.

The command line's main questions, from Python::

    import abigen

    old = abigen.load("v1.0:include/api.h")
    new = abigen.load("include/api.h")
    verdict = abigen.diff(old, new)
    if not verdict.ok:
        print(f"{verdict.required.value} required, {verdict.declared} declared")
    for finding in verdict.findings:
        print(finding.new or finding.old, finding.rule, finding.message)
    for finding in abigen.lint(new):
        print(finding.new, finding.rule, finding.message)

The results are the same as the command line's. Whatever is wrong with the input is an `AbigenError`.
"""

from __future__ import annotations

from abigen.version import __version__

TYPE_CHECKING = False  # what checkers of types take for true; `typing` takes half as long as a short run
if TYPE_CHECKING:
    from collections.abc import Sequence

    from abigen.model.api import ApiSet
    from abigen.model.finding import Axes, Axis, Bump, Finding, Level, Verdict
    from abigen.model.span import AbigenError, Diagnostic, Span

__all__ = [
    "AbigenError",
    "ApiSet",
    "Axes",
    "Axis",
    "Bump",
    "Diagnostic",
    "Finding",
    "Level",
    "Span",
    "Verdict",
    "__version__",
    "diff",
    "lint",
    "load",
]

_TYPES = {
    "abigen.model.api": ("ApiSet",),
    "abigen.model.finding": ("Axes", "Axis", "Bump", "Finding", "Level", "Verdict"),
    "abigen.model.span": ("AbigenError", "Diagnostic", "Span"),
}


def load(
    operand: str,
    *,
    targets: Sequence[str] = (),
    include_dirs: Sequence[str] = (),
    defines: Sequence[str] = (),
    undefines: Sequence[str] = (),
    preincludes: Sequence[str] = (),
    std: str = "gnu17",
    cc: str | None = None,
    cache: bool = True,
) -> ApiSet:
    """Read an API from a header or a spec.

    Args:
        operand: `x.h`, `x.yaml`, `x.yaml@1.2.0`, `REV:path` in the git repository of the current directory, a directory
            (all headers below it), or `-` (standard input).
        targets: names of targets (`x86_64-linux-gnu`); empty for the usual three 64-bit ones.
        include_dirs: where to look for included files, in order.
        defines: macros to define, `NAME` or `NAME=VALUE`.
        undefines: macros to undefine.
        preincludes: files to include before each header.
        std: the C standard, as compilers name it.
        cc: the compiler to preprocess with; None finds one, `none` uses abigen's own preprocessor.
        cache: whether to use and to keep what earlier calls and runs have read.

    Returns:
        The API, per target where the header asks what the target is.

    Raises:
        AbigenError: there is no such file or revision, or what it holds is wrong; with all reasons that were found.
    """
    from abigen.model.target import default_targets, find_target
    from abigen.specs.load import load as read
    from abigen.workspace.options import ReadOptions

    options = ReadOptions(
        targets=tuple(find_target(name).name for name in targets) or default_targets(),
        include_dirs=tuple(include_dirs),
        defines=tuple(defines),
        undefines=tuple(undefines),
        preincludes=tuple(preincludes),
        std=std,
        cc=cc,
        cache=cache,
    )
    return read(operand, options)


def diff(old: ApiSet, new: ApiSet, *, policy: str = "default") -> Verdict:
    """Judge what changed between two versions of an API.

    Args:
        old: as `load` read it.
        new: as `load` read it, for the same targets.
        policy: name of a policy that abigen ships.

    Returns:
        Every change with who breaks and which bump it needs, and whether the declared version moved far enough.

    Raises:
        AbigenError: there is no such policy, or the two have no target in common.
    """
    from msgspec.structs import replace

    from abigen.checker.compare import compare
    from abigen.checker.fixes import with_fixes
    from abigen.checker.policy import find_policy

    verdict = compare(old, new, find_policy(policy), with_form=True)
    return replace(verdict, findings=with_fixes(verdict.findings, new, old, verdict.demanded))


def lint(api: ApiSet, *, policy: str = "default") -> tuple[Finding, ...]:
    """Look for flaws of form in one API.

    Args:
        api: as `load` read it.
        policy: name of a policy that abigen ships.

    Returns:
        One finding per flaw, in the order of their places.

    Raises:
        AbigenError: there is no such policy, or a type's layout cannot be computed.
    """
    from abigen.checker.compare import lint as look
    from abigen.checker.fixes import with_fixes
    from abigen.checker.policy import find_policy

    return with_fixes(look(api, find_policy(policy)), api)


def __getattr__(name: str) -> object:
    """Return the types that the functions above speak of, imported when they are asked for."""
    for module, names in _TYPES.items():
        if name in names:
            from importlib import import_module

            return getattr(import_module(module), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
